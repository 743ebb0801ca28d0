//! Adjacency of large sparse networks as hash tables, one for each row: a test compares the tags of one bucket.
//!
//! A node is `part · span + tag`, where tags have 16 or 32 bits and are below `span`: all ones marks free places. The buckets of a
//! row are shared out evenly among the parts, so bucket and tag together are the node and the answer is exact.
//!
//! The pairs of a patch are planned first, which bucket is to be compared with which tag, and the buckets are fetched while the
//! patch before is tested. In an undirected network a pair is looked for in the smaller of the two rows: with walks of 21 nodes on
//! a network of 81 306 nodes and 1.3 million edges, drawing them and testing their pairs took some 0.12 less of its time than with the first.

use super::Rows;
use super::adjacency::{Pairs, Table, one_by_one};
use crate::linalg::prefetch;
use std::marker::PhantomData;

/// Words of a bucket.
const WORDS: usize = 8;

/// Rows begin with buckets for so much of their places to be taken, and get more while one is overfull.
const LOAD: f64 = 0.7;

/// How many patches ahead the heads of rows are fetched.
const HEADS_AHEAD: usize = 4;

/// Most nodes of a patch, and most pairs, that are planned.
const MOST_NODES: usize = 32;
const MOST_PLANNED: usize = MOST_NODES * (MOST_NODES - 1) / 2;

/// Pairs that are planned, and tested, at a time.
const LANES: usize = 8;

/// How many bits a tag has.
pub(crate) trait Tag: std::fmt::Debug + Send + Sync {
    const BITS: u32;
}

/// Tags of 16 bits.
#[derive(Debug)]
pub(crate) struct Narrow;

/// Tags of 32 bits.
#[derive(Debug)]
pub(crate) struct Wide;

impl Tag for Narrow {
    const BITS: u32 = 16;
}

impl Tag for Wide {
    const BITS: u32 = 32;
}

/// Places for tags, all in one cache line.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
struct Bucket([u32; WORDS]);

/// Two buckets: rows are made of whole cache lines.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
struct Line([Bucket; 2]);

/// A hash table for each row.
#[derive(Debug)]
pub(crate) struct TagRows<T> {
    /// Binary logarithm of the number of parts.
    parts: u32,
    heads: Vec<Head>,
    lines: Vec<Line>,
    symmetric: bool,
    tag: PhantomData<T>,
}

/// Where a row is.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Head {
    first: u32,
    buckets: u32,
}

/// What is looked for in a row.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Key {
    /// The bucket, as a fraction of all of a row in 32 bits.
    fraction: u32,
    /// The tag, repeated until it fills the word.
    tag: u32,
}

/// Buckets and what to compare them with.
struct Plan {
    places: [u32; MOST_PLANNED + LANES],
    tags: [u32; MOST_PLANNED + LANES],
}

impl Plan {
    const EMPTY: Self = Self { places: [0; MOST_PLANNED + LANES], tags: [0; MOST_PLANNED + LANES] };

    #[inline(always)]
    fn put(&mut self, at: usize, places: [u32; LANES], tags: [u32; LANES]) {
        self.places[at..][..LANES].copy_from_slice(&places);
        self.tags[at..][..LANES].copy_from_slice(&tags);
    }
}

impl<T: Tag> TagRows<T> {
    /// Tags that there are, all ones not being one.
    const SPAN: u32 = u32::MAX >> (32 - T::BITS);
    /// Tags that fit a bucket.
    const PLACES: usize = WORDS * (32 / T::BITS) as usize;

    fn parts(nodes: usize) -> usize {
        nodes.div_ceil(Self::SPAN as usize).max(1).next_power_of_two()
    }

    /// A row has a multiple of this number of buckets.
    fn unit(nodes: usize) -> usize {
        Self::parts(nodes).max(2)
    }

    /// Bytes before rows with overfull buckets get more; none for networks that are too large.
    pub(crate) fn bytes(rows: &Rows) -> Option<usize> {
        let buckets: usize = (0..rows.len()).map(|u| Self::first_size(rows, u)).sum();
        // Overfull ones grow a few times at most, and places are 32 bits. Fractions lose as many bits as parts have: as many
        // nodes as there are parts can be in one bucket however many there are.
        (Self::parts(rows.len()) <= Self::PLACES && buckets < 1 << 29)
            .then_some(buckets * size_of::<Bucket>() + rows.len() * size_of::<Head>())
    }

    /// Bytes that a network of `nodes` nodes takes whatever its edges.
    pub(crate) fn fewest_bytes(nodes: usize) -> usize {
        nodes.saturating_mul(size_of::<Line>() + size_of::<Head>())
    }

    fn first_size(rows: &Rows, u: usize) -> usize {
        let unit = Self::unit(rows.len());
        ((rows.degree(u) as f64 / (Self::PLACES as f64 * LOAD)) as usize + 1).next_multiple_of(unit)
    }

    pub(crate) fn new(rows: &Rows, symmetric: bool) -> Self {
        let (parts, unit) = (Self::parts(rows.len()).trailing_zeros(), Self::unit(rows.len()));
        let heads = Vec::with_capacity(rows.len());
        let mut table = Self { parts, heads, lines: vec![], symmetric, tag: PhantomData };
        let mut taken = vec![];
        for u in 0..rows.len() {
            let first = table.lines.len();
            let mut buckets = Self::first_size(rows, u);
            // A node that is there too often fits no bucket. Rows are checked when a file is opened for the first time, but disks may fail later.
            let ascends = rows.neighbors(u).is_sorted_by(|v, w| v < w);
            assert!(ascends, "row {u} of the network does not ascend: its file is damaged");
            while !table.fill(rows.neighbors(u), buckets, &mut taken) {
                table.lines.truncate(first);
                buckets += (buckets / 16).next_multiple_of(unit).max(unit);
            }
            table.heads.push(Head { first: 2 * first as u32, buckets: buckets as u32 });
        }
        table.lines.shrink_to_fit();
        table
    }

    /// Appends a row of `buckets` buckets, unless one has too many nodes.
    fn fill(&mut self, neighbors: &[u32], buckets: usize, taken: &mut Vec<u8>) -> bool {
        let first = self.lines.len();
        self.lines.resize(first + buckets / 2, Line([Bucket([u32::MAX; WORDS]); 2]));
        taken.clear();
        taken.resize(buckets, 0);
        neighbors.iter().all(|&v| {
            let key = self.key(v);
            let at = place(key.fraction, Head { first: 0, buckets: buckets as u32 }) as usize;
            let (free, mask) = (usize::from(taken[at]), Self::SPAN);
            taken[at] += 1;
            let a_word = (32 / T::BITS) as usize;
            let Some(word) = self.lines[first + at / 2].0[at % 2].0.get_mut(free / a_word) else {
                return false;
            };
            let shift = T::BITS * (free % a_word) as u32;
            *word = *word & !(mask << shift) | (key.tag & mask) << shift;
            true
        })
    }

    /// Plans the pairs of a patch and starts loading their buckets.
    #[inline(always)]
    fn plan(&self, x: &[u32], pairs: Pairs, plan: &mut Plan) {
        let symmetric = self.symmetric;
        // By the word, for lanes; those beyond the patch are of bucket 0, which there is.
        let [mut first, mut buckets, mut fractions, mut tags] = [[0u32; MOST_NODES]; 4];
        for (a, &u) in x.iter().enumerate() {
            let (row, key) = (self.row(u), self.key(u));
            (first[a], buckets[a], fractions[a], tags[a]) = (row.first, row.buckets, key.fraction, key.tag);
        }
        for b in 0..pairs.k {
            let (at, count) = pairs.column(b);
            for lanes in 0..count.div_ceil(LANES) {
                let eight = |words: &[u32; MOST_NODES]| words.as_chunks::<LANES>().0[lanes];
                let (first_a, buckets_a) = (eight(&first), eight(&buckets));
                let (fractions_a, tags_a) = (eight(&fractions), eight(&tags));
                // All ones if row `b` is to be asked for `a`. With `if`, walks and tests took twice as long.
                let other = buckets_a.map(|of_a| u32::from(symmetric && buckets[b] < of_a).wrapping_neg());
                let choose = |of_b: u32, of_a: u32, lane: usize| of_a ^ (of_a ^ of_b) & other[lane];
                let places = std::array::from_fn(|lane| {
                    let first = choose(first[b], first_a[lane], lane);
                    let buckets = choose(buckets[b], buckets_a[lane], lane);
                    place(choose(fractions_a[lane], fractions[b], lane), Head { first, buckets })
                });
                let tags = std::array::from_fn(|lane| choose(tags_a[lane], tags[b], lane));
                plan.put(at + lanes * LANES, places, tags);
            }
        }
        for &place in &plan.places[..pairs.count()] {
            prefetch(self.buckets(), place as usize);
        }
    }

    /// The bits of a plan.
    #[inline(always)]
    fn test_all(&self, plan: &Plan, count: usize, bits: &mut [u64]) {
        bits.fill(0);
        let eights = plan.places.chunks_exact(LANES).zip(plan.tags.chunks_exact(LANES));
        for (i, (places, tags)) in eights.take(count.div_ceil(LANES)).enumerate() {
            // SAFETY: places come from `place` for rows of this table, or are 0.
            let buckets =
                std::array::from_fn(|lane| unsafe { self.buckets().get_unchecked(places[lane] as usize) });
            let eight = u64::from(eight_in::<T>(buckets, tags));
            bits[i * LANES / 64] |= eight << (i * LANES % 64);
        }
        if !count.is_multiple_of(64) {
            bits[count / 64] &= (1 << (count % 64)) - 1;
        }
    }

    #[inline(always)]
    fn buckets(&self) -> &[Bucket] {
        // SAFETY: lines are pairs of buckets, with nothing between.
        unsafe { std::slice::from_raw_parts(self.lines.as_ptr().cast(), 2 * self.lines.len()) }
    }
}

/// The bucket of a row where a key would be.
#[inline(always)]
fn place(fraction: u32, row: Head) -> u32 {
    row.first + ((u64::from(fraction) * u64::from(row.buckets)) >> 32) as u32
}

/// Whether a bucket has a tag, given repeated.
#[cfg(any(test, not(target_arch = "x86_64")))]
fn is_in_plain<T: Tag>(bucket: &Bucket, tag: u32) -> bool {
    bucket.0.iter().any(|word| {
        let other = word ^ tag;
        other == 0 || T::BITS == 16 && (other as u16 == 0 || other >> 16 == 0)
    })
}

/// The same of eight.
#[cfg(any(test, not(target_arch = "x86_64")))]
fn eight_in_plain<T: Tag>(buckets: [&Bucket; LANES], tags: &[u32]) -> u8 {
    let tests = buckets.iter().zip(tags).enumerate();
    tests.fold(0, |found, (lane, (bucket, &tag))| found | u8::from(is_in_plain::<T>(bucket, tag)) << lane)
}

#[cfg(target_arch = "x86_64")]
use sse2::{eight_in, is_in};
#[cfg(not(target_arch = "x86_64"))]
use {eight_in_plain as eight_in, is_in_plain as is_in};

/// The same by instructions that every x86-64 has.
#[cfg(target_arch = "x86_64")]
mod sse2 {
    use super::{Bucket, LANES, Tag};
    use std::arch::x86_64::{
        __m128i, _mm_cmpeq_epi16, _mm_cmpeq_epi32, _mm_load_si128, _mm_movemask_epi8, _mm_or_si128,
        _mm_packs_epi16, _mm_set1_epi32, _mm_setzero_si128,
    };

    /// Ones where the tag is, in either half of the bucket.
    #[inline(always)]
    fn equal<T: Tag>(bucket: &Bucket, tag: u32) -> __m128i {
        let at = std::ptr::from_ref(bucket).cast::<__m128i>();
        // SAFETY: every x86-64 has the instructions; a bucket is 32 bytes, aligned.
        unsafe {
            let (low, high, tag) =
                (_mm_load_si128(at), _mm_load_si128(at.add(1)), _mm_set1_epi32(tag as i32));
            if T::BITS == 16 {
                _mm_or_si128(_mm_cmpeq_epi16(low, tag), _mm_cmpeq_epi16(high, tag))
            } else {
                _mm_or_si128(_mm_cmpeq_epi32(low, tag), _mm_cmpeq_epi32(high, tag))
            }
        }
    }

    #[inline(always)]
    pub(super) fn is_in<T: Tag>(bucket: &Bucket, tag: u32) -> bool {
        // SAFETY: every x86-64 has the instruction.
        unsafe { _mm_movemask_epi8(equal::<T>(bucket, tag)) != 0 }
    }

    /// With one test after another, a walk of 21 nodes on SNAP's Facebook network and its tests took 0.47 µs instead of 0.42 µs.
    #[inline(always)]
    pub(super) fn eight_in<T: Tag>(buckets: [&Bucket; LANES], tags: &[u32]) -> u8 {
        let equal = |lane: usize| equal::<T>(buckets[lane], tags[lane]);
        // SAFETY: every x86-64 has the instructions.
        unsafe {
            // Each halves what there is of a test; what is not zero stays so, as it saturates.
            let two = |lane| _mm_packs_epi16(equal(lane), equal(lane + 1));
            let four = |lane| _mm_packs_epi16(two(lane), two(lane + 2));
            let none = _mm_cmpeq_epi16(_mm_packs_epi16(four(0), four(4)), _mm_setzero_si128());
            !_mm_movemask_epi8(_mm_packs_epi16(none, none)) as u8
        }
    }
}

impl<T: Tag> Table for TagRows<T> {
    type Row = Head;
    type Key = Key;

    #[inline(always)]
    fn row(&self, u: u32) -> Head {
        self.heads[u as usize]
    }

    #[inline(always)]
    fn key(&self, v: u32) -> Key {
        let (part, tag) = (v / Self::SPAN, v % Self::SPAN);
        // Bijective, so that nodes of a part that share all buckets there could be are as few as there are parts.
        let mixed = tag.wrapping_mul(0x9e37_79b1);
        let mixed = (mixed ^ mixed >> 15).wrapping_mul(0x85eb_ca6b);
        let fraction = (u64::from(part) << 32 | u64::from(mixed)) >> self.parts;
        Key { fraction: fraction as u32, tag: if T::BITS == 16 { tag * 0x1_0001 } else { tag } }
    }

    #[inline(always)]
    unsafe fn test(&self, row: Head, key: Key) -> bool {
        // SAFETY: the caller's word that the row is one of this table's.
        let bucket = unsafe { self.buckets().get_unchecked(place(key.fraction, row) as usize) };
        is_in::<T>(bucket, key.tag)
    }

    #[inline(always)]
    fn each_patch(&self, xs: &[u32], pairs: Pairs, mut each: impl FnMut(usize, &[u64])) {
        let count = pairs.count();
        if pairs.k > MOST_NODES || count > MOST_PLANNED {
            return one_by_one(self, xs, pairs, each);
        }
        let mut plans = [Plan::EMPTY; 2];
        let mut bits = [0; MOST_PLANNED.div_ceil(64)];
        let bits = &mut bits[..count.div_ceil(64)];
        let patches = xs.len() / pairs.k;
        let run = |patch: usize| xs.get(patch * pairs.k..(patch + 1) * pairs.k).unwrap_or_default();
        for patch in 0..HEADS_AHEAD {
            run(patch).iter().for_each(|&u| prefetch(&self.heads, u as usize));
        }
        for patch in 0..=patches {
            run(patch + HEADS_AHEAD).iter().for_each(|&u| prefetch(&self.heads, u as usize));
            if patch < patches {
                self.plan(run(patch), pairs, &mut plans[patch % 2]);
            }
            if patch > 0 {
                self.test_all(&plans[(patch - 1) % 2], count, bits);
                each(patch - 1, bits);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys_are_nodes<T: Tag>(nodes: u32, buckets: u32) {
        let parts = TagRows::<T>::parts(nodes as usize).trailing_zeros();
        let table = TagRows::<T> { parts, heads: vec![], lines: vec![], symmetric: true, tag: PhantomData };
        let head = Head { first: 0, buckets };
        let mut seen = std::collections::HashSet::new();
        for v in 0..nodes {
            let key = table.key(v);
            assert!(place(key.fraction, head) < buckets);
            assert!(seen.insert((place(key.fraction, head), key.tag)), "{v} of {nodes}");
            assert_ne!(key.tag, u32::MAX);
        }
    }

    #[test]
    fn bucket_and_tag_are_the_node() {
        for (nodes, buckets) in
            [(1, 2), (65_535, 2), (65_536, 2), (70_000, 6), (131_070, 2), (131_071, 4), (300_000, 40)]
        {
            keys_are_nodes::<Narrow>(nodes, buckets);
            keys_are_nodes::<Wide>(nodes, buckets);
        }
    }

    fn finds_what_is_there<T: Tag>() {
        let tags = [3, 0x1_0000, 0x8000_7fff, 0, 0x0002_0002, 0x7f00_00ff, 0x00ff_7f00, 0xff00_0080];
        for i in 0..WORDS {
            // Tag `lane` is in word `i` of bucket `lane`, if anywhere.
            let mut buckets = [Bucket([u32::MAX; WORDS]); LANES];
            for there in 0..256 {
                (0..LANES).for_each(|lane| {
                    buckets[lane].0[i] = if there >> lane & 1 == 1 { tags[lane] } else { u32::MAX }
                });
                for half in 0..32 / T::BITS {
                    let asked =
                        tags.map(
                            |tag| if T::BITS == 16 { (tag >> (16 * half) & 0xffff) * 0x1_0001 } else { tag },
                        );
                    let found = eight_in::<T>(buckets.each_ref(), &asked);
                    assert_eq!(found, there as u8, "word {i}, half {half}");
                    assert_eq!(found, eight_in_plain::<T>(buckets.each_ref(), &asked));
                    let single =
                        (0..LANES).map(|lane| u8::from(is_in::<T>(&buckets[lane], asked[lane])) << lane);
                    assert_eq!(found, single.sum::<u8>());
                }
            }
        }
    }

    #[test]
    fn tests_of_one_and_of_eight_find_what_is_there() {
        finds_what_is_there::<Narrow>();
        finds_what_is_there::<Wide>();
    }
}
