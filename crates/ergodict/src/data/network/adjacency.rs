//! A fast test of adjacency: whether `A(u,v) > 0`.
//!
//! | table | when | a test |
//! |---|---|---|
//! | bit matrix, `bit_matrix.rs` | `n²` bits fit the budget | one bit |
//! | hashed rows, `tag_rows.rs` | larger networks in memory; mapped ones where they take at most [`Adjacency::HASHED`] | the tags of one bucket |
//! | the rows themselves, `search_rows.rs` | larger mapped ones, or asked for by a budget of 0 | binary search |

use super::Network;
use super::bit_matrix::BitMatrix;
use super::search_rows::SearchRows;
use super::tag_rows::{Narrow, TagRows, Wide};
use crate::linalg::Isa;
use crate::linalg::simd::{Simd, WithSimd};
use std::sync::Arc;

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
    Narrow(TagRows<Narrow>),
    Wide(TagRows<Wide>),
    Search(SearchRows),
}

/// Pairs of places in runs of `k` nodes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pairs {
    pub(crate) k: usize,
    /// All `(a, b)`; else those with `a < b`.
    pub(crate) whole: bool,
}

impl Pairs {
    /// How many there are.
    #[inline(always)]
    pub(crate) fn count(self) -> usize {
        self.column(self.k).0
    }

    /// Where those of `b` begin, for ascending `a`, and how many there are.
    #[inline(always)]
    pub(crate) fn column(self, b: usize) -> (usize, usize) {
        if self.whole { (b * self.k, self.k) } else { (b * b.saturating_sub(1) / 2, b) }
    }
}

/// A table of who is next to whom, that splits a test into what is done once for each node and the rest.
pub(crate) trait Table {
    /// A row, found.
    type Row: Copy + Default;
    /// What is looked for in a row.
    type Key: Copy + Default;

    /// Finds row `u`; panics unless it is a node.
    fn row(&self, u: u32) -> Self::Row;

    /// What is looked for in a row to see whether `v` is there.
    fn key(&self, v: u32) -> Self::Key;

    /// Whether it is there.
    ///
    /// # Safety
    /// `row` must come from [`Table::row`] and `key` from [`Table::key`] of the same table, for a node.
    unsafe fn test(&self, row: Self::Row, key: Self::Key) -> bool;

    /// Tests pairs of every run of nodes, see [`Adjacency::each_patch`].
    #[inline(always)]
    fn each_patch(&self, xs: &[u32], pairs: Pairs, each: impl FnMut(usize, &[u64])) {
        one_by_one(self, xs, pairs, each);
    }
}

impl Adjacency {
    /// Most bytes of a bit matrix, unless said otherwise.
    pub const BUDGET: usize = 64 << 20;

    /// Most bytes of hashed rows of a mapped network, or its budget if that is more: who maps a network means to spare memory. With a
    /// few bytes for every entry of `A` and 64 for every node they would take more than the network itself.
    pub(crate) const HASHED: usize = 64 << 20;

    /// The test for a network, by a bit matrix if it takes at most `budget` bytes. Else by hashed rows, which take some
    /// bytes for every entry of `A`: of networks in memory, which take as many already, they do not count against the budget, and of mapped ones
    /// they take at most `Adjacency::HASHED`. Else, or for a budget of 0, by binary search in the rows, which needs no memory.
    pub fn new(network: &Arc<Network>, budget: usize) -> Self {
        let most = if network.is_mapped() { Self::HASHED.max(budget) } else { usize::MAX };
        Self::within(network, budget, if budget == 0 { 0 } else { most })
    }

    /// The test for a network, by a table of at most `most` bytes if given, else as [`Adjacency::new`] with [`Adjacency::BUDGET`].
    pub fn of_bytes(network: &Arc<Network>, most: Option<usize>) -> Self {
        match most {
            Some(most) => Self::within(network, Self::BUDGET.min(most), most),
            None => Self::new(network, Self::BUDGET),
        }
    }

    /// The test for a network, by a bit matrix of at most `bits` bytes, else by hashed rows of at most `hashed` bytes, else by binary search in the rows.
    pub(crate) fn within(network: &Arc<Network>, bits: usize, hashed: usize) -> Self {
        let (n, rows) = (network.nodes(), network.rows());
        let symmetric = !network.is_directed();
        let search = || Tables::Search(SearchRows::new(network));
        let tables = if BitMatrix::bytes(n).is_some_and(|bytes| bytes <= bits) {
            Tables::Bits(BitMatrix::new(rows))
        } else if TagRows::<Wide>::fewest_bytes(n) > hashed {
            search()
        } else {
            let narrow = TagRows::<Narrow>::bytes(rows).filter(|bytes| *bytes <= hashed);
            let wide = TagRows::<Wide>::bytes(rows).filter(|bytes| *bytes <= hashed);
            match (narrow, wide) {
                (Some(narrow), wide) if wide.is_none_or(|wide| narrow <= wide) => {
                    Tables::Narrow(TagRows::new(rows, symmetric))
                }
                (_, Some(_)) => Tables::Wide(TagRows::new(rows, symmetric)),
                (_, None) => search(),
            }
        };
        // AVX-512 was slower than AVX2: 0.20 µs against 0.15 µs for the 210 pairs of 21 nodes in a bit matrix of 2 MB (Zen 4,
        // other work on the machine).
        let isa = Isa::detect().narrower();
        Self { network: Arc::clone(network), nodes: n as u32, tables: Arc::new(tables), isa }
    }

    /// The same test with another instruction set.
    #[cfg(test)]
    pub(crate) fn with_isa(self, isa: Isa) -> Self {
        Self { isa, ..self }
    }

    /// The network.
    pub(crate) fn network(&self) -> &Arc<Network> {
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
            Tables::Search(table) => one(table, u, v),
        }
    }

    /// Tests pairs of every run of `k ≤ 64` nodes in `xs`: gives `each(run, bits)`, where bit [`Pairs::column`]` + a` is
    /// whether `A(x(a), x(b)) > 0`.
    #[inline]
    pub(crate) fn each_patch(&self, xs: &[u32], pairs: Pairs, each: impl FnMut(usize, &[u64])) {
        match &*self.tables {
            Tables::Bits(table) => self.isa.run(EachPatch { table, xs, pairs, each }),
            Tables::Narrow(table) => self.isa.run(EachPatch { table, xs, pairs, each }),
            Tables::Wide(table) => self.isa.run(EachPatch { table, xs, pairs, each }),
            Tables::Search(table) => self.isa.run(EachPatch { table, xs, pairs, each }),
        }
    }
}

/// One test of nodes, the second of which is known to be one.
#[inline(always)]
fn one<T: Table>(table: &T, u: u32, v: u32) -> bool {
    // SAFETY: `v` is a node.
    unsafe { table.test(table.row(u), table.key(v)) }
}

/// The kernel of [`Adjacency::each_patch`]. It has no lanes of its own; the instruction set lends it shifts by any register and
/// wide vectors.
struct EachPatch<'a, T, F> {
    table: &'a T,
    xs: &'a [u32],
    pairs: Pairs,
    each: F,
}

impl<T: Table, F: FnMut(usize, &[u64])> WithSimd for EachPatch<'_, T, F> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        assert!((1..=64).contains(&self.pairs.k), "runs of {} nodes", self.pairs.k);
        self.table.each_patch(self.xs, self.pairs, self.each);
    }
}

/// Tests pair by pair; rows and keys are found once for each node.
#[inline(always)]
pub(crate) fn one_by_one<T: Table + ?Sized>(
    table: &T,
    xs: &[u32],
    pairs: Pairs,
    mut each: impl FnMut(usize, &[u64]),
) {
    let (mut rows, mut keys) = ([T::Row::default(); 64], [T::Key::default(); 64]);
    let mut bits = [0; 64];
    let bits = &mut bits[..pairs.count().div_ceil(64)];
    for (patch, x) in xs.chunks_exact(pairs.k).enumerate() {
        for ((row, key), &u) in rows.iter_mut().zip(&mut keys).zip(x) {
            (*row, *key) = (table.row(u), table.key(u));
        }
        bits.fill(0);
        for b in 0..pairs.k {
            let (at, count) = pairs.column(b);
            let mut mask = 0;
            for (a, &row) in rows[..count].iter().enumerate() {
                // SAFETY: rows and keys of the same table; `row` has seen all nodes.
                mask |= u64::from(unsafe { table.test(row, keys[b]) }) << a;
            }
            put(bits, at, count, mask);
        }
        each(patch, bits);
    }
}

/// Puts `count` bits at bit `at`, where zeros are.
#[inline(always)]
fn put(words: &mut [u64], at: usize, count: usize, bits: u64) {
    if count == 0 {
        return;
    }
    let (word, shift) = (at / 64, at % 64);
    words[word] |= bits << shift;
    if shift + count > 64 {
        words[word + 1] |= bits >> (64 - shift);
    }
}

/// The `count ≤ 64` bits at bit `at`.
#[inline(always)]
pub(crate) fn get(words: &[u64], at: usize, count: usize) -> u64 {
    if count == 0 {
        return 0;
    }
    let (word, shift) = (at / 64, at % 64);
    let next = if shift + count > 64 { words[word + 1] << (64 - shift) } else { 0 };
    (words[word] >> shift | next) & (u64::MAX >> (64 - count))
}

#[cfg(test)]
mod tests {
    use super::super::{Build, Edge, Loops, NodeIds};
    use super::*;
    use crate::rng::{Purpose, below, stream};

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
            Tables::Narrow(TagRows::new(rows, !network.is_directed())),
            Tables::Wide(TagRows::new(rows, !network.is_directed())),
            Tables::Search(SearchRows::new(network)),
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
        // 17 bits: buckets of narrow tags must distinguish them.
        let network = network(100_000, 40_000, true, 3);
        let mut rng = stream(4, Purpose::Synthetic, 0);
        for adjacency in &all(&network)[1..] {
            for (u, v, _) in network.each_edge() {
                assert!(adjacency.contains(u, v));
            }
            for _ in 0..100_000 {
                let (u, v) = (below(&mut rng, 4) as u32, below(&mut rng, 100_000) as u32);
                assert_eq!(adjacency.contains(u, v), network.neighbors(u as usize).contains(&v));
            }
            // Short rows are where tags are longest; no other node may pass for their neighbors.
            for u in (0..).filter(|&u| (1..4).contains(&network.neighbors(u).len())).take(4) {
                let found = (0..100_000).filter(|&v| adjacency.contains(u as u32, v));
                assert!(found.eq(network.neighbors(u).iter().copied()));
            }
        }
    }

    #[test]
    fn bits_are_single_tests_for_every_instruction_set() {
        for directed in [false, true] {
            let network = network(70, 900, directed, 5);
            let mut rng = stream(6, Purpose::Synthetic, 0);
            for k in [1, 2, 8, 21, 22, 23, 32, 33, 64] {
                let xs: Vec<u32> = (0..9 * k).map(|_| below(&mut rng, 70) as u32).collect();
                for isa in Isa::available() {
                    for adjacency in all(&network) {
                        for whole in [false, true] {
                            let (mut seen, pairs) = (0, Pairs { k, whole });
                            adjacency.clone().with_isa(isa).each_patch(&xs, pairs, |patch, bits| {
                                let x = &xs[patch * k..][..k];
                                for b in 0..k {
                                    let (at, count) = pairs.column(b);
                                    let exact =
                                        (0..count).map(|a| u64::from(adjacency.contains(x[a], x[b])) << a);
                                    let exact = exact.sum::<u64>();
                                    assert_eq!(get(bits, at, count), exact, "{} {patch} {b}", isa.name());
                                }
                                let ones: u32 = bits.iter().map(|word| word.count_ones()).sum();
                                let (all, within) = (pairs.count(), |i: usize| bits[i / 64] >> (i % 64) & 1);
                                assert_eq!(
                                    u64::from(ones),
                                    (0..all).map(within).sum::<u64>(),
                                    "bits beyond the last"
                                );
                                seen += 1;
                            });
                            assert_eq!(seen, 9);
                        }
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
        // Mapped ones count.
        let mapped = Arc::new(network.part_in_file(&(0..100).collect::<Vec<_>>()).unwrap());
        assert!(*mapped == *network);
        assert!(matches!(*Adjacency::new(&mapped, 1600).tables, Tables::Bits(_)));
        assert!(matches!(*Adjacency::new(&mapped, 1).tables, Tables::Narrow(_)));
        assert!(matches!(*Adjacency::within(&mapped, 1599, 6000).tables, Tables::Search(_)));
        assert!(matches!(*Adjacency::within(&mapped, 1599, 20_000).tables, Tables::Narrow(_)));
        // What was said counts for all.
        for network in [&network, &mapped] {
            let table = |most| Adjacency::of_bytes(network, most).tables;
            assert!(matches!(*table(None), Tables::Bits(_)));
            assert!(matches!(*table(Some(1600)), Tables::Bits(_)));
            assert!(matches!(*table(Some(1599)), Tables::Search(_)));
        }
    }

    #[test]
    fn networks_of_the_tests_of_mapped_files_get_these_tables() {
        // In tests/cli/mapped.rs of the command line, which gives an eighth of --memory 1M and 400K.
        let network = network(1100, 2400, false, 1);
        assert!(matches!(*Adjacency::of_bytes(&network, Some((1 << 20) / 8)).tables, Tables::Narrow(_)));
        assert!(matches!(*Adjacency::of_bytes(&network, Some((400 << 10) / 8)).tables, Tables::Search(_)));
    }
}
