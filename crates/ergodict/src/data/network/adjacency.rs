//! A fast test of adjacency: whether `A(u,v) > 0`.
//!
//! | table | when | a test |
//! |---|---|---|
//! | bit matrix, `bit_matrix.rs` | `n²` bits fit the budget | one bit |
//! | hashed rows, `tag_rows.rs` | larger networks | the eight tags of one bucket |
//! | binary search | asked for by a budget of 0 | the readable reference |

use super::bit_matrix::BitMatrix;
use super::tag_rows::TagRows;
use super::{Network, Rows};
use crate::linalg::Isa;
use crate::linalg::simd::{Simd, WithSimd};
use std::sync::Arc;

/// How many patches ahead the rows of one are fetched, and the heads of its rows before. With 2 and 4, testing the 210
/// pairs of 21-node walks on a network of 81 306 nodes took 0.60–0.76 µs instead of 1.0–1.1 µs.
const ROWS_AHEAD: usize = 2;
const HEADS_AHEAD: usize = 4;

/// Answers whether there is an edge.
///
/// ```
/// use ergodict::data::{Adjacency, Network};
/// let network = std::sync::Arc::new(Network::simple(3, &[(0, 1)])?);
/// let adjacency = Adjacency::new(&network, Adjacency::BUDGET);
/// assert!(adjacency.contains(1, 0) && !adjacency.contains(1, 2));
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Adjacency {
    network: Arc<Network>,
    nodes: u32,
    tables: Arc<Tables>,
    isa: Isa,
}

#[derive(Debug)]
enum Tables {
    Bits(BitMatrix),
    Narrow(TagRows<u16>),
    Wide(TagRows<u32>),
    Search(Arc<Network>),
}

/// A table of who is next to whom, that splits a test into what is done once for each node and the rest.
pub(crate) trait Table {
    /// A row, found.
    type Row: Copy + Default;

    /// Finds row `u`; panics unless it is a node.
    fn row(&self, u: u32) -> Self::Row;

    /// What is looked for in a row to see whether `v` is there.
    fn key(&self, v: u32) -> u32;

    /// Whether it is there.
    ///
    /// # Safety
    /// `row` must come from [`Table::row`] and `key` from [`Table::key`] of the same table, for a node.
    unsafe fn test(&self, row: Self::Row, key: u32) -> bool;

    /// Starts loading what [`Table::row`] needs, where that takes long.
    #[inline(always)]
    fn fetch_head(&self, _u: u32) {}

    /// Starts loading the row.
    #[inline(always)]
    fn fetch_row(&self, _u: u32) {}
}

impl Table for Rows {
    type Row = u32;

    #[inline(always)]
    fn row(&self, u: u32) -> u32 {
        assert!((u as usize) < self.len(), "node {u} of {}", self.len());
        u
    }
    #[inline(always)]
    fn key(&self, v: u32) -> u32 {
        v
    }
    #[inline(always)]
    unsafe fn test(&self, row: u32, v: u32) -> bool {
        self.neighbours(row as usize).binary_search(&v).is_ok()
    }
}

impl Adjacency {
    /// Most bytes of a bit matrix, unless said otherwise.
    pub const BUDGET: usize = 64 << 20;

    /// The test for a network, by a bit matrix if it takes at most `budget` bytes. Else by hashed rows, of some 7 bytes
    /// for every entry of `A` while there are about 100 000 nodes or fewer and 14 bytes beyond; or, for a budget of 0, by binary search, which needs
    /// no memory.
    pub fn new(network: &Arc<Network>, budget: usize) -> Self {
        let (n, rows) = (network.nodes(), network.rows());
        let tables = if budget == 0 || n > TagRows::<u32>::MOST_NODES {
            Tables::Search(Arc::clone(network))
        } else if BitMatrix::bytes(n).is_some_and(|bytes| bytes <= budget) {
            Tables::Bits(BitMatrix::new(rows))
        } else if TagRows::<u16>::bytes(rows) <= TagRows::<u32>::bytes(rows) {
            Tables::Narrow(TagRows::new(rows))
        } else {
            Tables::Wide(TagRows::new(rows))
        };
        // AVX-512 was slower than AVX2: 0.20 µs against 0.15 µs for the 210 pairs of 21 nodes in a bit matrix of 2 MB (Zen 4,
        // other work on the machine).
        let isa = Isa::detect().narrower();
        Self { network: Arc::clone(network), nodes: n as u32, tables: Arc::new(tables), isa }
    }

    /// The same test with another instruction set.
    pub fn with_isa(self, isa: Isa) -> Self {
        Self { isa, ..self }
    }

    /// The network.
    pub fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// Whether `A(u,v) > 0`. Panics unless both are nodes.
    #[inline]
    pub fn contains(&self, u: u32, v: u32) -> bool {
        assert!(v < self.nodes, "node {v} of {}", self.nodes);
        match &*self.tables {
            Tables::Bits(table) => one(table, u, v),
            Tables::Narrow(table) => one(table, u, v),
            Tables::Wide(table) => one(table, u, v),
            Tables::Search(network) => one(network.rows(), u, v),
        }
    }

    /// Tests pairs of every run of `k ≤ 64` nodes in `xs`: gives `each(run, b, mask)`, where bit `a` of the mask tells
    /// whether `A(x(a), x(b)) > 0`, for `b` ascending and all `a < b`, or all `a` if `whole`.
    #[inline]
    pub(crate) fn columns(&self, xs: &[u32], k: usize, whole: bool, each: impl FnMut(usize, usize, u64)) {
        match &*self.tables {
            Tables::Bits(table) => self.isa.run(Columns { table, xs, k, whole, each }),
            Tables::Narrow(table) => self.isa.run(Columns { table, xs, k, whole, each }),
            Tables::Wide(table) => self.isa.run(Columns { table, xs, k, whole, each }),
            Tables::Search(network) => self.isa.run(Columns { table: network.rows(), xs, k, whole, each }),
        }
    }
}

/// One test of nodes, the second of which is known to be one.
#[inline(always)]
fn one<T: Table>(table: &T, u: u32, v: u32) -> bool {
    // SAFETY: `v` is a node.
    unsafe { table.test(table.row(u), table.key(v)) }
}

/// The kernel of [`Adjacency::columns`]: rows and keys are found once for each node. It has no lanes of its own; the instruction set lends it
/// shifts by any register and wide comparisons of tags.
struct Columns<'a, T, F> {
    table: &'a T,
    xs: &'a [u32],
    k: usize,
    whole: bool,
    each: F,
}

impl<T: Table, F: FnMut(usize, usize, u64)> WithSimd for Columns<'_, T, F> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, _: S) {
        let (table, k) = (self.table, self.k);
        assert!((1..=64).contains(&k), "runs of {k} nodes");
        let (mut rows, mut keys) = ([T::Row::default(); 64], [0; 64]);
        let patches = self.xs.len() / k;
        let nodes = |patch: usize| self.xs.get(patch * k..(patch + 1) * k).unwrap_or_default();
        for patch in 0..patches.min(HEADS_AHEAD) {
            nodes(patch).iter().for_each(|&u| table.fetch_head(u));
        }
        for patch in 0..patches {
            nodes(patch + HEADS_AHEAD).iter().for_each(|&u| table.fetch_head(u));
            nodes(patch + ROWS_AHEAD).iter().for_each(|&u| table.fetch_row(u));
            for ((row, key), &u) in rows.iter_mut().zip(&mut keys).zip(nodes(patch)) {
                (*row, *key) = (table.row(u), table.key(u));
            }
            for b in 0..k {
                let before = if self.whole { k } else { b };
                // Ascending: `mask << 1 | test` from the last to the first took twice as long with hashed rows.
                let mut mask = 0;
                for (a, &row) in rows[..before].iter().enumerate() {
                    // SAFETY: rows and keys of the same table; `row` has seen all nodes.
                    mask |= u64::from(unsafe { table.test(row, keys[b]) }) << a;
                }
                (self.each)(patch, b, mask);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Build, Edge, Loops, NodeIds};
    use super::*;
    use crate::chain::rng::{Purpose, below, stream};

    fn network(n: u64, edges: u64, directed: bool, seed: u64) -> Arc<Network> {
        let mut rng = stream(seed, Purpose::Synthetic, 0);
        // Half of all edges leave a few nodes, so that rows are of very different sizes.
        let edges: Vec<Edge> = (0..edges)
            .map(|i| (below(&mut rng, if i % 2 == 0 { 3.min(n) } else { n }), below(&mut rng, n)))
            .map(|(u, v)| (u as u32, v as u32, 1.0))
            .collect();
        let build = Build { directed, loops: Loops::Keep };
        Arc::new(Network::build(NodeIds::numbered(n as usize), &edges, false, build).unwrap().0)
    }

    /// The same network behind every table there is.
    fn all(network: &Arc<Network>) -> Vec<Adjacency> {
        let rows = network.rows();
        let tables = [
            Tables::Bits(BitMatrix::new(rows)),
            Tables::Narrow(TagRows::new(rows)),
            Tables::Wide(TagRows::new(rows)),
            Tables::Search(Arc::clone(network)),
        ];
        let nodes = network.nodes() as u32;
        let with = |tables| Adjacency { network: Arc::clone(network), nodes, tables, isa: Isa::detect() };
        tables.into_iter().map(Arc::new).map(with).collect()
    }

    #[test]
    fn every_table_knows_every_pair() {
        for (n, edges) in [(1, 1), (2, 1), (5, 9), (64, 300), (65, 40), (300, 5000)] {
            for directed in [false, true] {
                let network = network(n, edges, directed, n);
                for adjacency in all(&network) {
                    for (u, v) in (0..n as u32).flat_map(|u| (0..n as u32).map(move |v| (u, v))) {
                        let exact = network.weight(u as usize, v as usize) > 0.0;
                        assert_eq!(adjacency.contains(u, v), exact, "n = {n}: ({u}, {v})");
                    }
                }
            }
        }
    }

    #[test]
    fn large_networks_are_known_in_all_tables_too() {
        // 17 bits: buckets of narrow tags must tell them apart.
        let network = network(100_000, 40_000, true, 3);
        let mut rng = stream(4, Purpose::Synthetic, 0);
        for adjacency in &all(&network)[1..] {
            for (u, v, _) in network.each_edge() {
                assert!(adjacency.contains(u, v));
            }
            for _ in 0..100_000 {
                let (u, v) = (below(&mut rng, 4) as u32, below(&mut rng, 100_000) as u32);
                assert_eq!(adjacency.contains(u, v), network.neighbours(u as usize).contains(&v));
            }
            // Short rows are where tags are longest; no other node may pass for their neighbours.
            for u in (0..).filter(|&u| (1..4).contains(&network.neighbours(u).len())).take(4) {
                let found = (0..100_000).filter(|&v| adjacency.contains(u as u32, v));
                assert!(found.eq(network.neighbours(u).iter().copied()));
            }
        }
    }

    #[test]
    fn masks_are_single_tests_for_every_instruction_set() {
        let network = network(70, 900, true, 5);
        let mut rng = stream(6, Purpose::Synthetic, 0);
        for k in [1, 2, 21, 64] {
            let xs: Vec<u32> = (0..9 * k).map(|_| below(&mut rng, 70) as u32).collect();
            for isa in Isa::available() {
                for adjacency in all(&network) {
                    for whole in [false, true] {
                        let mut seen = 0;
                        adjacency.clone().with_isa(isa).columns(&xs, k, whole, |patch, b, mask| {
                            let x = &xs[patch * k..][..k];
                            let before = if whole { k } else { b };
                            let exact = (0..before).map(|a| u64::from(adjacency.contains(x[a], x[b])) << a);
                            assert_eq!(mask, exact.sum::<u64>(), "{} {patch} {b}", isa.name());
                            seen += 1;
                        });
                        assert_eq!(seen, 9 * k);
                    }
                }
            }
        }
    }

    #[test]
    fn budgets_choose_the_table() {
        let network = network(100, 300, false, 1);
        let table = |budget| Adjacency::new(&network, budget).tables;
        assert!(matches!(*table(1600), Tables::Bits(_)));
        assert!(matches!(*table(1599), Tables::Narrow(_)));
        assert!(matches!(*table(0), Tables::Search(_)));
    }
}
