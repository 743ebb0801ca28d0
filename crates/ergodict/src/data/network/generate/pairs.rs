//! Pairs of nodes by number: sets of them at random, without listing the others.

use crate::rng::{ChaCha8Rng, below};
use rand_chacha::rand_core::Rng;
use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};
use std::ops::ControlFlow;

/// Pairs `u < v` of `n` nodes.
pub(in super::super) fn count(n: usize) -> u64 {
    let n = n as u64;
    if n.is_multiple_of(2) { n / 2 * n.saturating_sub(1) } else { (n - 1) / 2 * n }
}

/// Turns ascending numbers of pairs into the pairs: `(0,1), (0,2), …, (1,2), …`.
pub(in super::super) struct Cursor {
    nodes: u64,
    first: u64,
    /// The number of the pair `(first, first + 1)`.
    start: u64,
}

impl Cursor {
    pub(in super::super) fn new(nodes: usize) -> Self {
        Self { nodes: nodes as u64, first: 0, start: 0 }
    }

    /// The pair of a number that is not smaller than the last one asked for, and below [`count`].
    #[inline]
    pub(in super::super) fn pair(&mut self, number: u64) -> (u32, u32) {
        loop {
            let row = self.nodes - 1 - self.first;
            if number - self.start < row {
                return (self.first as u32, (self.first + 1 + number - self.start) as u32);
            }
            self.start += row;
            self.first += 1;
        }
    }
}

/// Calls `take` with the members, ascending, of a random subset of `0..size` that has each with probability `p`, until it
/// breaks off.
///
/// The gap before the next member is geometric, `⌊ln U / ln(1 − p)⌋`. `1 − U` is taken in steps of 2⁻⁶⁴, so that gaps
/// come out right for probabilities so small that few of all pairs of a large network are edges.
pub(super) fn each_with_probability(
    size: u64,
    p: f64,
    rng: &mut ChaCha8Rng,
    mut take: impl FnMut(u64) -> ControlFlow<()>,
) -> ControlFlow<()> {
    if p == 0.0 {
        return ControlFlow::Continue(());
    }
    if p == 1.0 {
        return (0..size).try_for_each(take);
    }
    let scale = 1.0 / (-p).ln_1p();
    let mut next = 0u64;
    loop {
        let rest = (rng.next_u64() as f64 + 0.5) * (-64f64).exp2();
        // A gap beyond all numbers, even an infinite one, becomes the largest.
        next = next.saturating_add(((-rest).ln_1p() * scale) as u64);
        if next >= size {
            return ControlFlow::Continue(());
        }
        take(next)?;
        next += 1;
    }
}

/// A uniformly random set of `members` of the numbers `0..size`, ascending; `members ≤ size`.
///
/// Numbers are drawn until `members` are different: by symmetry every set is as likely as any other. Of more than half of
/// all numbers, those left out are drawn.
pub(in super::super) fn subset(size: u64, members: u64, rng: &mut ChaCha8Rng) -> Vec<u64> {
    debug_assert!(members <= size);
    if members > size / 2 {
        let absent = subset(size, size - members, rng);
        let mut present = Vec::with_capacity(members as usize);
        let mut from = 0;
        for &hole in &absent {
            present.extend(from..hole);
            from = hole + 1;
        }
        present.extend(from..size);
        return present;
    }
    let wanted = members as usize;
    let mut chosen: Vec<u64> = Vec::with_capacity(wanted);
    while chosen.len() < wanted {
        chosen.extend((0..wanted - chosen.len()).map(|_| below(rng, size)));
        chosen.sort_unstable();
        chosen.dedup();
    }
    chosen
}

/// A set of pairs.
#[derive(Default)]
pub(in super::super) struct PairSet(HashSet<u64, BuildHasherDefault<PairHasher>>);

impl PairSet {
    pub(in super::super) fn with_capacity(pairs: usize) -> Self {
        Self(HashSet::with_capacity_and_hasher(pairs, BuildHasherDefault::default()))
    }

    /// Whether the pair, in either order, was not in the set yet.
    #[inline]
    pub(in super::super) fn insert(&mut self, u: u32, v: u32) -> bool {
        self.0.insert(key(u, v))
    }

    #[inline]
    pub(in super::super) fn contains(&self, u: u32, v: u32) -> bool {
        self.0.contains(&key(u, v))
    }

    #[inline]
    pub(in super::super) fn remove(&mut self, u: u32, v: u32) {
        self.0.remove(&key(u, v));
    }

    pub(in super::super) fn clear(&mut self) {
        self.0.clear();
    }
}

fn key(u: u32, v: u32) -> u64 {
    u64::from(u.min(v)) << 32 | u64::from(u.max(v))
}

/// One multiplication: pairs come from a generator of ours, not from someone who wants them to collide.
#[derive(Default)]
pub(in super::super) struct PairHasher(u64);

impl Hasher for PairHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u64(&mut self, word: u64) {
        // An odd constant near 2⁶⁴ over the golden ratio; the high half is the well mixed one.
        let product = (self.0 ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = product ^ (product >> 32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_pairs_are_those_of_the_list() {
        for n in 0..9usize {
            let listed: Vec<(u32, u32)> =
                (0..n as u32).flat_map(|u| (u + 1..n as u32).map(move |v| (u, v))).collect();
            assert_eq!(count(n), listed.len() as u64);
            let mut cursor = Cursor::new(n);
            let got: Vec<_> = (0..count(n)).map(|number| cursor.pair(number)).collect();
            assert_eq!(got, listed);
        }
        assert_eq!(count(u32::MAX as usize), 9_223_372_030_412_324_865);
    }

    #[test]
    fn sets_of_pairs_know_no_order() {
        let mut set = PairSet::with_capacity(0);
        assert!(set.insert(7, 3) && !set.insert(3, 7) && set.contains(3, 7) && !set.contains(3, 3));
        set.remove(3, 7);
        assert!(!set.contains(7, 3));
    }
}
