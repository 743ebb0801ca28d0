//! Times permuted among the edges: the null that a change in time is compared with.
//!
//! | here | what |
//! |---|---|
//! | cell | a stretch of time between two ends of windows; of snapshots, one of them |
//! | appearance | an edge in a cell, however often it is seen there, with the sum of its weights |
//! | permutation | a random table of edges by cells with the sums of the observed one: every edge appears in as many cells, every cell has as many edges |
//! | windows without overlap | have as many edges as they had; overlapping ones may have more, where edges come in bursts |
//! | cumulative windows | without weights an edge appears once, when it comes, so that as many come as came |
//!
//! Rows themselves are not permuted: repeated rows of an edge are often close in time, and permuted rows would spread them over windows, which would then
//! have more edges than the observed ones.
//!
//! Tables are drawn by trades (curveball): the edges that only one of two cells has are divided among both at random.

use super::differences::places;
use super::windows::{Windows, network};
use crate::data::network::{Build, Edge, Loops, Network, NodeIds};
use crate::rng::{ChaCha8Rng, Purpose, below, below_u32, ids, stream};
use crate::{Error, Result};
use std::ops::Range;
use std::sync::Arc;

/// Trades that each cell begins. An edge of one of two cells stays with half a chance or moves, so that few edges are left where they were.
const TRADES: usize = 10;

/// Edges that may be looked at in trades, in multiples of all: one cell that has nearly all edges would be looked at by each of many.
const MOST_WORK: u64 = 500;

/// Bytes of an edge of a network that is being built; 49 were seen with a million edges.
const EDGE_BYTES: u64 = 64;

/// The appearances of edges in time.
///
/// ```
/// use ergodict::data::{Appearances, NodeIds, TimedEdges, WindowCut, WindowOptions, Windows};
/// let ends = (0..60).map(|row| (row % 5, 5 + row % 7)).collect();
/// let rows = TimedEdges::new(NodeIds::numbered(12), ends, (0..60).map(f64::from).collect())?;
/// let options = WindowOptions { cut: WindowCut::Into(3), ..WindowOptions::default() };
/// let windows = Windows::new(rows.into(), options)?;
/// assert_eq!(Appearances::from_windows(&windows).is_some(), windows.rows().removes().is_none());
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Debug)]
pub struct Appearances {
    ids: NodeIds,
    /// The edge of each appearance, ascending.
    pairs: Vec<(u32, u32)>,
    weights: Option<Vec<f64>>,
    /// The appearances of each cell, ascending.
    cells: Vec<Vec<u32>>,
    /// The cells of each window.
    windows: Vec<Range<usize>>,
    build: Build,
}

impl Appearances {
    /// Of windows of time; none where rows remove edges, which cannot be put before the rows that add them.
    pub fn from_windows(windows: &Windows) -> Option<Self> {
        if windows.rows().removes().is_some() {
            return None;
        }
        let cumulative = windows.options().cumulative;
        let span = |at: usize| {
            let rows = windows.rows_of(at);
            if cumulative { 0..rows.end } else { rows }
        };
        let spans: Vec<Range<usize>> = (0..windows.len()).map(span).collect();
        let mut ends: Vec<usize> = spans.iter().flat_map(|span| [span.start, span.end]).collect();
        ends.sort_unstable();
        ends.dedup();
        let place = |row: usize| ends.partition_point(|end| *end < row);
        let cells_of = |span: Range<usize>| place(span.start)..place(span.end);
        let cells: Vec<Range<usize>> = spans.into_iter().map(cells_of).collect();
        // Between windows that are further apart than they are long are rows of none.
        let mut covering = vec![0_i64; ends.len() + 1];
        for window in &cells {
            covering[window.start] += 1;
            covering[window.end] -= 1;
        }
        let (mut all, mut depth): (Vec<(Edge, u32)>, i64) = (Vec::new(), 0);
        for (cell, pair) in ends.windows(2).enumerate() {
            depth += covering[cell];
            if depth > 0 {
                let (edges, _) = windows.within(pair[0]..pair[1]);
                all.extend(edges.into_iter().map(|edge| (edge, cell as u32)));
            }
        }
        all.sort_by_key(|&((u, v, _), cell)| (u, v, cell));
        let weighted = windows.is_weighted();
        if cumulative && !weighted {
            all.dedup_by_key(|((u, v, _), _)| (*u, *v));
        }
        let options = windows.options();
        let build = Build { directed: options.directed, loops: options.loops };
        let count = ends.len().saturating_sub(1);
        Some(Self::new(windows.rows().ids().clone(), &all, weighted, (count, cells), build))
    }

    /// Of snapshots, node by node under the same name.
    pub(crate) fn from_snapshots(snapshots: &[Arc<Network>]) -> Self {
        let ids = union(snapshots);
        let mut all: Vec<(Edge, u32)> = Vec::new();
        let directed = snapshots.iter().any(|one| one.is_directed());
        for (snapshot, cell) in snapshots.iter().zip(0..) {
            let map = places(snapshot.ids(), &ids);
            let node = |v: u32| map[v as usize].unwrap_or_default();
            let edge = |(u, v, weight): Edge| match (node(u), node(v)) {
                (u, v) if directed || u <= v => ((u, v, weight), cell),
                (u, v) => ((v, u, weight), cell),
            };
            all.extend(snapshot.each_edge().map(edge));
        }
        all.sort_by_key(|&((u, v, _), cell)| (u, v, cell));
        let weighted = snapshots.iter().any(|one| one.is_weighted());
        let cells = (snapshots.len(), (0..snapshots.len()).map(|at| at..at + 1).collect());
        Self::new(ids, &all, weighted, cells, Build { directed, loops: Loops::Keep })
    }

    fn new(
        ids: NodeIds,
        all: &[(Edge, u32)],
        weighted: bool,
        (count, windows): (usize, Vec<Range<usize>>),
        build: Build,
    ) -> Self {
        let mut cells = vec![Vec::new(); count];
        for (&(_, cell), at) in all.iter().zip(0..) {
            cells[cell as usize].push(at);
        }
        let pairs = all.iter().map(|((u, v, _), _)| (*u, *v)).collect();
        let weights = weighted.then(|| all.iter().map(|((_, _, weight), _)| *weight).collect());
        Self { ids, pairs, weights, cells, windows, build }
    }

    /// Number of windows.
    pub(crate) fn windows(&self) -> usize {
        self.windows.len()
    }

    /// About how many bytes a permutation takes, with the networks of two windows.
    pub(crate) fn bytes(&self) -> u64 {
        let edges = |cells: &Range<usize>| self.cells[cells.clone()].iter().map(Vec::len).sum::<usize>();
        let largest = self.windows.iter().map(edges).max().unwrap_or(0);
        8 * self.pairs.len() as u64 + 2 * EDGE_BYTES * largest as u64
    }

    /// The appearances at permuted times; each permutation of a seed is another.
    ///
    /// # Errors
    /// [`Error::Interrupted`] once `stopped` says so.
    pub(crate) fn permuted(
        self: Arc<Self>,
        seed: u64,
        permutation: u64,
        stopped: &dyn Fn() -> bool,
    ) -> Result<PermutedTimes> {
        let mut rng = stream(seed, Purpose::Synthetic, ids::PERMUTED_TIMES.saturating_add(permutation));
        let mut cells = self.cells.clone();
        let volumes: Vec<u64> = cells.iter().map(|cell| cell.len() as u64).collect();
        let filled: Vec<usize> = (0..cells.len()).filter(|at| volumes[*at] > 0).collect();
        let before: Vec<u64> = volumes.iter().scan(0, |sum, n| Some((*sum, *sum += n).0)).collect();
        let (all, mut work) = (volumes.iter().sum::<u64>(), 0);
        if filled.len() > 1 {
            for &first in (0..TRADES).flat_map(|_| &filled) {
                if stopped() {
                    return Err(Error::Interrupted);
                }
                // Another cell, by its volume: the cells with many edges trade with all.
                let mut draw = below(&mut rng, all - volumes[first]);
                if draw >= before[first] {
                    draw += volumes[first];
                }
                let second = before.partition_point(|before| *before <= draw) - 1;
                work += volumes[first] + volumes[second];
                if work > all.saturating_mul(MOST_WORK) {
                    break;
                }
                self.trade(&mut cells, first, second, &mut rng);
            }
        }
        Ok(PermutedTimes { all: self, cells })
    }

    /// Divides the edges that only one of two cells has among both, so that each keeps its number.
    fn trade(&self, cells: &mut [Vec<u32>], first: usize, second: usize, rng: &mut ChaCha8Rng) {
        let (a, b) = (std::mem::take(&mut cells[first]), std::mem::take(&mut cells[second]));
        let pair = |at: u32| self.pairs[at as usize];
        let (mut common, mut i) = (0, 0);
        for &other in &b {
            while i < a.len() && pair(a[i]) < pair(other) {
                i += 1;
            }
            common += usize::from(i < a.len() && pair(a[i]) == pair(other));
        }
        // Appearances that are still to be placed, and those of them that are for the first cell.
        let (mut left, mut wanted) = ((a.len() + b.len() - 2 * common) as u32, (a.len() - common) as u32);
        let (mut to_a, mut to_b) = (Vec::with_capacity(a.len()), Vec::with_capacity(b.len()));
        let (mut i, mut j) = (0, 0);
        while i < a.len() || j < b.len() {
            let (next, other) = (a.get(i).copied(), b.get(j).copied());
            let at = match (next, other) {
                (Some(x), Some(y)) if pair(x) == pair(y) => {
                    to_a.push(x);
                    to_b.push(y);
                    (i, j) = (i + 1, j + 1);
                    continue;
                }
                (Some(x), Some(y)) if x > y => (j += 1, y).1,
                (Some(x), _) => (i += 1, x).1,
                (None, Some(y)) => (j += 1, y).1,
                (None, None) => break,
            };
            if below_u32(rng, left) < wanted {
                wanted -= 1;
                to_a.push(at);
            } else {
                to_b.push(at);
            }
            left -= 1;
        }
        (cells[first], cells[second]) = (to_a, to_b);
    }
}

/// Appearances at permuted times.
#[derive(Debug)]
pub(crate) struct PermutedTimes {
    all: Arc<Appearances>,
    cells: Vec<Vec<u32>>,
}

impl PermutedTimes {
    /// The network of a window; without nodes where nothing is in it.
    ///
    /// # Errors
    /// [`Error::Parameter`] where the sum of an edge's weights is beyond the largest number.
    pub(crate) fn network(&self, window: usize) -> Result<Network> {
        let mut found: Vec<u32> = self.cells[self.all.windows[window].clone()].concat();
        found.sort_unstable();
        let weight = |at: u32| self.all.weights.as_ref().map_or(1.0, |weights| weights[at as usize]);
        let mut edges: Vec<Edge> = Vec::with_capacity(found.len());
        for at in found {
            let (u, v) = self.all.pairs[at as usize];
            match edges.last_mut() {
                Some(last) if (last.0, last.1) == (u, v) => last.2 += weight(at),
                _ => edges.push((u, v, weight(at))),
            }
        }
        let nodes = edges.iter().flat_map(|&(u, v, _)| [u, v]).collect();
        network(&self.all.ids, &edges, nodes, self.all.weights.is_some(), self.all.build)
    }
}

/// The names of the nodes of all snapshots.
fn union(snapshots: &[Arc<Network>]) -> NodeIds {
    let all = || snapshots.iter().map(|one| one.ids());
    if all().any(|ids| ids.are_words() && !ids.is_empty()) {
        let mut names: Vec<_> = all().flat_map(|ids| (0..ids.len()).map(move |v| ids.name(v))).collect();
        names.sort_unstable_by(|a, b| a.as_bytes().cmp(b.as_bytes()));
        names.dedup();
        return NodeIds::words(names.iter().map(|name| &**name));
    }
    let mut names: Vec<i64> = all().flat_map(|ids| (0..ids.len()).filter_map(|v| ids.integer(v))).collect();
    names.sort_unstable();
    names.dedup();
    NodeIds::integers(names)
}

#[cfg(test)]
mod tests;
