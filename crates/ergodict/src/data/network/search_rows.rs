//! Adjacency without a table: binary search in the rows themselves, of all pairs of a patch side by side.
//!
//! One search after the other would wait for memory at each of its steps. Here every search takes one step, then every search the next,
//! and what the next looks at is fetched meanwhile. In an undirected network a pair is looked for in the shorter of its two rows.

use super::Network;
use super::adjacency::{Pairs, Table, one_by_one};
use crate::linalg::prefetch;
use std::sync::Arc;

/// Most nodes of a patch whose pairs are searched for side by side.
const MOST_NODES: usize = 32;
/// Most pairs of such a patch.
const MOST_PAIRS: usize = MOST_NODES * MOST_NODES;
/// Entries that are compared one and all at the end of a search: a cache line of them.
const LAST: u32 = 16;
/// How many patches ahead the places of rows are fetched.
const AHEAD: usize = 4;

/// The rows of a network, to be searched.
#[derive(Clone, Debug)]
pub(crate) struct SearchRows {
    network: Arc<Network>,
    symmetric: bool,
}

/// Searches under way: what is looked for, and the entries that it may be among.
struct Plan {
    keys: [u32; MOST_PAIRS],
    first: [u64; MOST_PAIRS],
    count: [u32; MOST_PAIRS],
    /// Those with more than [`LAST`] entries.
    going: [u16; MOST_PAIRS],
}

impl SearchRows {
    pub(crate) fn new(network: &Arc<Network>) -> Self {
        Self { network: Arc::clone(network), symmetric: !network.is_directed() }
    }

    /// Begins a search for every pair: how many there are.
    #[inline(always)]
    fn plan(&self, x: &[u32], pairs: Pairs, plan: &mut Plan) -> usize {
        let (rows, mut spans) = (self.network.rows(), [(0u64, 0u32); MOST_NODES]);
        for (span, &u) in spans.iter_mut().zip(x) {
            let of = rows.span(u as usize);
            *span = (of.start as u64, of.len() as u32);
        }
        for b in 0..pairs.k {
            let (at, count) = pairs.column(b);
            let (of_b, key_b) = (spans[b], x[b]);
            for a in 0..count {
                let (of_a, key_a) = (spans[a], x[a]);
                let other = self.symmetric && of_b.1 < of_a.1;
                let ((first, length), key) = if other { (of_b, key_a) } else { (of_a, key_b) };
                (plan.first[at + a], plan.count[at + a], plan.keys[at + a]) = (first, length, key);
            }
        }
        pairs.count()
    }

    /// Halves what pairs may be among until few entries are left.
    #[inline(always)]
    fn narrow(&self, plan: &mut Plan, pairs: usize) {
        let neighbors: &[u32] = &self.network.rows().neighbors;
        let mut going = 0;
        for i in 0..pairs {
            let far = plan.count[i] > LAST;
            let look = if far { u64::from(plan.count[i] / 2) } else { 0 };
            prefetch(neighbors, (plan.first[i] + look) as usize);
            plan.going[going] = i as u16;
            going += usize::from(far);
        }
        while going > 0 {
            let mut left = 0;
            for at in 0..going {
                let i = usize::from(plan.going[at]);
                let (first, count) = (plan.first[i], plan.count[i]);
                let half = count / 2;
                // The key is before the middle or not: no branch asks, as it cannot be predicted.
                let after = u64::from(neighbors[(first + u64::from(half)) as usize] <= plan.keys[i]);
                let first = first + after * u64::from(half);
                let count = if after == 1 { count - half } else { half };
                (plan.first[i], plan.count[i]) = (first, count);
                let far = count > LAST;
                let look = if far { u64::from(count / 2) } else { 0 };
                prefetch(neighbors, (first + look) as usize);
                plan.going[left] = i as u16;
                left += usize::from(far);
            }
            going = left;
        }
    }

    /// Whether what is left of each search has the key.
    #[inline(always)]
    fn compare(&self, plan: &Plan, pairs: usize, bits: &mut [u64]) {
        let neighbors: &[u32] = &self.network.rows().neighbors;
        bits.fill(0);
        for i in 0..pairs {
            let (first, count, key) = (plan.first[i] as usize, plan.count[i], plan.keys[i]);
            let found = match neighbors.get(first..first + LAST as usize) {
                Some(last) => {
                    // Entries of the rows that follow do not count.
                    let here = |(j, &v): (u32, &u32)| u32::from(v == key) & u32::from(j < count);
                    (0..LAST).zip(last).map(here).sum::<u32>() > 0
                }
                None => neighbors[first..first + count as usize].contains(&key),
            };
            bits[i / 64] |= u64::from(found) << (i % 64);
        }
    }
}

impl Table for SearchRows {
    type Row = u32;
    type Key = u32;

    #[inline(always)]
    fn row(&self, u: u32) -> u32 {
        assert!((u as usize) < self.network.nodes(), "node {u} of {}", self.network.nodes());
        u
    }

    #[inline(always)]
    fn key(&self, v: u32) -> u32 {
        v
    }

    #[inline(always)]
    unsafe fn test(&self, row: u32, key: u32) -> bool {
        let rows = self.network.rows();
        let (one, two) = (rows.neighbors(row as usize), rows.neighbors(key as usize));
        if self.symmetric && two.len() < one.len() {
            return two.binary_search(&row).is_ok();
        }
        one.binary_search(&key).is_ok()
    }

    #[inline(always)]
    fn each_patch(&self, xs: &[u32], pairs: Pairs, mut each: impl FnMut(usize, &[u64])) {
        if pairs.k > MOST_NODES {
            return one_by_one(self, xs, pairs, each);
        }
        let rows = self.network.rows();
        let mut plan = Plan {
            keys: [0; MOST_PAIRS],
            first: [0; MOST_PAIRS],
            count: [0; MOST_PAIRS],
            going: [0; MOST_PAIRS],
        };
        let mut bits = [0; MOST_PAIRS / 64];
        let bits = &mut bits[..pairs.count().div_ceil(64)];
        for (patch, x) in xs.chunks_exact(pairs.k).enumerate() {
            let later = xs.get((patch + AHEAD) * pairs.k..).unwrap_or_default();
            later.iter().take(pairs.k).for_each(|&u| prefetch(&rows.starts, u as usize));
            let count = self.plan(x, pairs, &mut plan);
            self.narrow(&mut plan, count);
            self.compare(&plan, count, bits);
            each(patch, bits);
        }
    }
}
