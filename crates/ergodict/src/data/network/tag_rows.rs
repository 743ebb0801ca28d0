//! Adjacency of large sparse networks as hash tables, one for each row: a test compares the eight tags of one bucket.
//!
//! A node of `bits` bits is mixed by a bijection; the highest `s` bits choose one of the `2^s` buckets of the row and the
//! rest is the tag. Bucket and tag together are the node, so the answer is exact, with tags of 16 bits while
//! `bits − s ≤ 15` and of 32 bits in networks where that would need too many buckets. Never is a tag all ones, which
//! marks free places.

use super::Rows;
use super::adjacency::Table;
use crate::linalg::prefetch;

/// Tags of a bucket.
const PLACES: usize = 8;

/// Buckets are made for half of their places. On a network of 81 306 nodes and 1.3 million edges that gives 17.7 MB;
/// 0.35 and 0.6 give 23.4 and 16.2 MB and were not faster.
const LOAD: f64 = 0.5;

/// Cache lines of a row that are fetched ahead; larger rows have more of them than a patch has tests.
const AHEAD: usize = 8;

/// What is left of a mixed node once its bucket is known.
pub(crate) trait Tag: Copy + Eq + std::fmt::Debug + Send + Sync {
    const BITS: u32;
    /// Marks free places.
    const FREE: Self;
    /// The highest bits.
    fn of(mixed: u32) -> Self;
}

impl Tag for u16 {
    const BITS: u32 = 16;
    const FREE: Self = u16::MAX;
    #[inline(always)]
    fn of(mixed: u32) -> Self {
        (mixed >> 16) as u16
    }
}

impl Tag for u32 {
    const BITS: u32 = 32;
    const FREE: Self = u32::MAX;
    #[inline(always)]
    fn of(mixed: u32) -> Self {
        mixed
    }
}

/// A bucket; at most half a cache line, and in one line.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(16))]
struct Bucket<T>([T; PLACES]);

/// A hash table for each row.
#[derive(Clone, Debug)]
pub(crate) struct TagRows<T> {
    /// Bits of a node.
    bits: u32,
    /// First bucket `<< 6`, and the binary logarithm of the number of buckets.
    heads: Vec<u64>,
    buckets: Vec<Bucket<T>>,
}

/// Bits that a node of a network with so many has.
fn bits(nodes: usize) -> u32 {
    (usize::BITS - nodes.saturating_sub(1).leading_zeros()).max(1)
}

impl<T: Tag> TagRows<T> {
    /// Most nodes of a network whose tags are never all ones.
    pub(crate) const MOST_NODES: usize = 1 << 31;

    /// Bytes before rows with overfull buckets get more.
    pub(crate) fn bytes(rows: &Rows) -> usize {
        let buckets: usize = (0..rows.len()).map(|u| 1 << Self::first_size(rows, u)).sum();
        buckets * size_of::<Bucket<T>>() + 8 * rows.len()
    }

    fn first_size(rows: &Rows, u: usize) -> u32 {
        let wanted = rows.degree(u) as f64 / (PLACES as f64 * LOAD);
        let bits = bits(rows.len());
        (wanted.max(1.0).log2().ceil() as u32).max((bits + 1).saturating_sub(T::BITS)).min(bits)
    }

    pub(crate) fn new(rows: &Rows) -> Self {
        let mut table =
            Self { bits: bits(rows.len()), heads: Vec::with_capacity(rows.len()), buckets: vec![] };
        for u in 0..rows.len() {
            let first = table.buckets.len();
            // It ends: with as many buckets as there are numbers of so many bits, each holds one node at most.
            let size = (Self::first_size(rows, u)..=table.bits).find(|&size| {
                table.buckets.truncate(first);
                table.fill(rows.neighbours(u), size)
            });
            table.heads.push((first as u64) << 6 | u64::from(size.unwrap_or(0)));
        }
        table.buckets.shrink_to_fit();
        table
    }

    /// Appends a row of `2^size` buckets, unless one has too many nodes.
    fn fill(&mut self, neighbours: &[u32], size: u32) -> bool {
        let first = self.buckets.len();
        self.buckets.resize(first + (1 << size), Bucket([T::FREE; PLACES]));
        neighbours.iter().all(|&v| {
            let mixed = self.key(v);
            let bucket = &mut self.buckets[first + (u64::from(mixed) >> (32 - size)) as usize].0;
            let free = bucket.iter_mut().find(|tag| **tag == T::FREE);
            free.map(|tag| *tag = T::of(mixed << size)).is_some()
        })
    }
}

impl<T: Tag> Table for TagRows<T> {
    type Row = u64;

    #[inline(always)]
    fn row(&self, u: u32) -> u64 {
        self.heads[u as usize]
    }

    /// The mixed node in the highest bits, zeros below. Multiplication by odd numbers and the shift between are
    /// bijections of numbers of so many bits.
    #[inline(always)]
    fn key(&self, v: u32) -> u32 {
        let unused = 32 - self.bits;
        let v = v.wrapping_mul(0x9e37_79b1) << unused >> unused;
        let v = v ^ v >> self.bits.div_ceil(2);
        v.wrapping_mul(0x85eb_ca6b) << unused
    }

    #[inline(always)]
    unsafe fn test(&self, row: u64, key: u32) -> bool {
        let (first, size) = ((row >> 6) as usize, (row & 63) as u32);
        // SAFETY: the caller's word that `row` came from `row`; the highest `size` bits of a key are below `2^size`.
        let bucket = unsafe { self.buckets.get_unchecked(first + (u64::from(key) >> (32 - size)) as usize) };
        let tag = T::of(key << size);
        // Not lazily: the eight comparisons are one instruction.
        bucket.0.iter().fold(0, |found, &other| found | u8::from(other == tag)) != 0
    }

    #[inline(always)]
    fn fetch_head(&self, u: u32) {
        prefetch(&self.heads, u as usize);
    }

    #[inline(always)]
    fn fetch_row(&self, u: u32) {
        let row = self.row(u);
        let in_a_line = 64 / size_of::<Bucket<T>>();
        for line in 0..(1usize << (row & 63)).div_ceil(in_a_line).min(AHEAD) {
            prefetch(&self.buckets, (row >> 6) as usize + line * in_a_line);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mixing_is_a_bijection_whose_bits_fit() {
        for nodes in [1, 2, 3, 100, 4096, 70_000] {
            let bits = bits(nodes);
            let table = TagRows::<u16> { bits, heads: vec![], buckets: vec![] };
            let mut seen = vec![false; 1 << bits];
            for v in 0..1u32 << bits {
                let key = table.key(v);
                assert_eq!(u64::from(key) << bits & 0xffff_ffff, 0, "{nodes}");
                let place = (key >> (32 - bits)) as usize;
                assert!(!std::mem::replace(&mut seen[place], true), "{nodes}: {v}");
            }
        }
    }
}
