//! Windows of time: the network that the edges of each make.
//!
//! | here | what |
//! |---|---|
//! | window `i` of length `W` and stride `S` | `[t₀ + iS, t₀ + iS + W)`, where `t₀` is the first time |
//! | ends of windows | in decimals: `t₀ = 0`, `S = 0.1` has a window that begins at the `0.3` of a file |
//! | `N` windows | equal spans from the first time to the last, of which the last holds both its ends |
//! | edges of a window | those with a row in it; with `cumulative`, those with a row before its end |
//! | a row that removes | its edge is gone until a later row: networks of such files are always cumulative |
//! | weight of an edge | the sum of the weights of its rows; without weights 1, or, where weights are wanted, their number |
//! | nodes | those of the rows; the same that a file with these rows alone would have |
//!
//! Windows are made when they are asked for, in any order, so that one is in memory at a time.

use super::TimedEdges;
use super::spans::spans;
use crate::Result;
use crate::data::network::{Build, Edge, EdgeList, Loops, Network, NodeIds};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// Windows where nothing is said.
pub const DEFAULT_WINDOWS: usize = 20;

/// Most windows: each is a network of its own in a run, which are fewer than 2¹⁶.
pub(crate) const MOST_WINDOWS: usize = (1 << 16) - 1;

/// How time is cut.
///
/// ```
/// use ergodict::data::{WindowCut, NodeIds, TimedEdges, WindowOptions, Windows};
/// let rows = TimedEdges::new(NodeIds::numbered(3), vec![(0, 1), (1, 2)], vec![0.0, 9.0])?;
/// let cut = WindowCut::Every { window: 4.0, stride: 2.0 }; // windows that overlap by half
/// let windows = Windows::new(rows.into(), WindowOptions { cut, ..WindowOptions::default() })?;
/// assert_eq!((windows.span(0), windows.span(1)), ((0.0, 4.0), (2.0, 6.0)));
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum WindowCut {
    /// Windows of a length, each so much later than the one before.
    Every {
        /// The length.
        window: f64,
        /// From the beginning of one to that of the next.
        stride: f64,
    },
    /// So many windows of equal length, one after the other.
    Into(usize),
}

impl Default for WindowCut {
    fn default() -> Self {
        Self::Into(DEFAULT_WINDOWS)
    }
}

/// How rows become networks.
///
/// ```
/// use ergodict::data::{WindowCut, NodeIds, TimedEdges, WindowOptions, Windows};
/// let rows = std::sync::Arc::new(TimedEdges::new(NodeIds::numbered(3), vec![(0, 1), (1, 2)], vec![0.0, 9.0])?);
/// let last = |cumulative| {
///     let options = WindowOptions { cut: WindowCut::Into(2), cumulative, ..WindowOptions::default() };
///     Windows::new(rows.clone(), options)?.network(1)
/// };
/// assert_eq!((last(false)?.edges(), last(true)?.edges()), (1, 2));
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct WindowOptions {
    /// How time is cut.
    pub cut: WindowCut,
    /// Whether edges stay once they have come.
    pub cumulative: bool,
    /// Whether edges have a direction.
    pub directed: bool,
    /// Whether weights are wanted: with `Some(true)` rows are counted where they have none. Left open: where there are any.
    pub weighted: Option<bool>,
    /// What becomes of loops.
    pub loops: Loops,
}

/// The windows of a list of edges.
///
/// ```
/// use ergodict::data::{WindowCut, NodeIds, TimedEdges, WindowOptions, Windows};
/// let rows = TimedEdges::new(NodeIds::numbered(4), vec![(0, 1), (1, 2), (2, 3)], vec![0.0, 5.0, 9.0])?;
/// let options = WindowOptions { cut: WindowCut::Into(3), ..WindowOptions::default() };
/// let windows = Windows::new(rows.into(), options)?;
/// assert_eq!((windows.len(), windows.span(1), windows.network(1)?.edges()), (3, (3.0, 6.0), 1));
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Debug)]
pub struct Windows {
    rows: Arc<TimedEdges>,
    options: WindowOptions,
    spans: Vec<(f64, f64)>,
    /// Rows in the order of their pairs, those of one in the order of time, for cumulative windows.
    by_pair: OnceLock<Vec<u32>>,
}

impl Windows {
    /// Cuts the time that the rows are from.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) for lengths that are not above 0, for no window, and for more than `MOST_WINDOWS`.
    pub fn new(rows: Arc<TimedEdges>, mut options: WindowOptions) -> Result<Self> {
        options.cumulative |= rows.removes().is_some();
        let (first, last) = rows.span();
        let spans = spans(options.cut, first, last)?;
        Ok(Self { rows, options, spans, by_pair: OnceLock::new() })
    }

    /// Number of windows.
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    /// Whether there is none, which is never so.
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// The rows that are cut.
    pub fn rows(&self) -> &Arc<TimedEdges> {
        &self.rows
    }

    /// How they are cut; `cumulative` also where rows remove edges.
    pub fn options(&self) -> &WindowOptions {
        &self.options
    }

    /// When a window begins and ends.
    ///
    /// # Panics
    /// When there is no such window, here and below.
    pub fn span(&self, at: usize) -> (f64, f64) {
        self.spans[at]
    }

    /// When a window begins and ends, in words.
    pub fn name(&self, at: usize) -> String {
        let (from, to) = self.spans[at];
        let kind = self.rows.kind();
        format!("{} to {}", kind.show(from), kind.show(to))
    }

    /// The rows with times in a window.
    pub fn rows_of(&self, at: usize) -> Range<usize> {
        let (from, to) = self.spans[at];
        let times = self.rows.times();
        // The last of equal spans, and the only moment that there is, hold their ends.
        let closed = at + 1 == self.len() && (matches!(self.options.cut, WindowCut::Into(_)) || from == to);
        let begin = times.partition_point(|time| *time < from);
        let end = times.partition_point(|time| *time < to || closed && *time == to);
        begin..end.max(begin)
    }

    /// The window whose network has the most nodes, the first of them.
    pub fn largest(&self) -> usize {
        if self.options.cumulative {
            return self.len() - 1;
        }
        // The window that each node was met in last, from 1.
        let mut met = vec![0_u32; self.rows.ids().len()];
        let mut nodes = |at: usize| {
            let stamp = at as u32 + 1;
            let ends = self.rows.ends()[self.rows_of(at)].iter().flat_map(|&(u, v)| [u, v]);
            ends.filter(|&v| std::mem::replace(&mut met[v as usize], stamp) != stamp).count()
        };
        let counts: Vec<usize> = (0..self.len()).map(&mut nodes).collect();
        (0..self.len()).rev().max_by_key(|at| counts[*at]).unwrap_or(0)
    }

    /// The network of a window; without nodes where nothing is in it.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) where the sum of an edge's weights is beyond the largest number.
    pub fn network(&self, at: usize) -> Result<Network> {
        let rows = self.rows_of(at);
        let (edges, nodes) =
            if self.options.cumulative { self.since_the_beginning(rows.end) } else { self.within(rows) };
        let build = Build { directed: self.options.directed, loops: self.options.loops };
        network(self.rows.ids(), &edges, nodes, self.is_weighted(), build)
    }

    /// Whether edges get weights, of which all may be 1 in some windows.
    pub fn is_weighted(&self) -> bool {
        match self.options.weighted {
            Some(wanted) => wanted,
            None => self.rows.weights().is_some(),
        }
    }

    /// The pair of a row: in ascending order where edges have no direction.
    fn pair(&self, row: usize) -> (u32, u32) {
        let (u, v) = self.rows.ends()[row];
        if self.options.directed || u <= v { (u, v) } else { (v, u) }
    }

    fn weight(&self, row: usize) -> f64 {
        self.rows.weights().map_or(1.0, |weights| weights[row])
    }

    /// Each edge of some rows once, with the sum of the weights, and all nodes.
    pub(super) fn within(&self, rows: Range<usize>) -> (Vec<Edge>, Vec<u32>) {
        let mut edges: Vec<Edge> = Vec::with_capacity(rows.len());
        edges.extend(rows.map(|row| {
            let (u, v) = self.pair(row);
            (u, v, self.weight(row))
        }));
        let nodes = edges.iter().flat_map(|&(u, v, _)| [u, v]).collect();
        // Stable, so that sums are taken in the order of time.
        edges.sort_by_key(|&(u, v, _)| (u, v));
        edges.dedup_by(|next, first| {
            let same = (next.0, next.1) == (first.0, first.1);
            if same {
                first.2 += next.2;
            }
            same
        });
        (edges, nodes)
    }

    /// Each edge that is there after the first rows, and all nodes that were.
    fn since_the_beginning(&self, end: usize) -> (Vec<Edge>, Vec<u32>) {
        let order = self.by_pair.get_or_init(|| {
            let mut order: Vec<u32> = (0..self.rows.len() as u32).collect();
            order.sort_by_key(|&row| self.pair(row as usize));
            order
        });
        let removes = self.rows.removes();
        let (mut edges, mut nodes): (Vec<Edge>, Vec<u32>) = (Vec::new(), Vec::new());
        for group in order.chunk_by(|&a, &b| self.pair(a as usize) == self.pair(b as usize)) {
            let mut there: Option<f64> = None;
            let rows = group.iter().map(|&row| row as usize).take_while(|row| *row < end);
            let mut any = false;
            for row in rows {
                any = true;
                there = match (removes.is_some_and(|removes| removes[row]), there) {
                    (true, _) => None,
                    (false, sum) => Some(sum.unwrap_or(0.0) + self.weight(row)),
                };
            }
            let (u, v) = self.pair(group[0] as usize);
            if any {
                nodes.extend([u, v]);
            }
            edges.extend(there.map(|weight| (u, v, weight)));
        }
        (edges, nodes)
    }
}

/// The network of edges, each once, with the nodes they are among.
pub(super) fn network(
    ids: &NodeIds,
    edges: &[Edge],
    mut nodes: Vec<u32>,
    weighted: bool,
    build: Build,
) -> Result<Network> {
    nodes.sort_unstable();
    nodes.dedup();
    let place = |v: u32| nodes.binary_search(&v).unwrap_or_default() as u32;
    let ends = edges.iter().map(|&(u, v, _)| (place(u), place(v))).collect();
    let weights = weighted.then(|| edges.iter().map(|edge| edge.2).collect());
    let ids = if nodes.is_empty() { NodeIds::numbered(0) } else { ids.part(&nodes) };
    let list = EdgeList { ids, ends, weights, directed: None };
    Ok(Network::from_list(list, build)?.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{ReadOptions, TimeOptions, parse_network, parse_timed};

    fn windows(text: &str, options: WindowOptions) -> Windows {
        let (rows, _) = parse_timed(text.as_bytes(), &TimeOptions::default()).unwrap();
        Windows::new(Arc::new(rows), options).unwrap()
    }

    fn every(window: f64, stride: f64) -> WindowOptions {
        WindowOptions { cut: WindowCut::Every { window, stride }, ..WindowOptions::default() }
    }

    fn into(windows: usize) -> WindowOptions {
        WindowOptions { cut: WindowCut::Into(windows), ..WindowOptions::default() }
    }

    /// Rows of times 0 to 9, of which some are equal, not in order.
    const TEXT: &str = "3 4 7\n1 2 0\n2 3 2\n2 1 2\n4 5 9\n1 3 3\n3 4 9\n5 5 4\n";

    #[test]
    fn each_is_the_network_of_its_rows_alone() {
        for cut in
            [into(1), into(3), into(20), every(4.0, 4.0), every(4.0, 2.0), every(2.0, 5.0), every(100.0, 1.0)]
        {
            for (directed, weighted, cumulative) in [
                (false, None, false),
                (true, None, false),
                (false, Some(true), true),
                (true, Some(true), false),
            ] {
                let all = windows(TEXT, WindowOptions { cumulative, directed, weighted, ..cut });
                for at in 0..all.len() {
                    let rows = if cumulative { 0..all.rows_of(at).end } else { all.rows_of(at) };
                    let (from, to) = all.span(at);
                    let times = &all.rows().times()[all.rows_of(at)];
                    assert!(times.iter().all(|time| (from..=to).contains(time)));
                    let ids = all.rows().ids();
                    let line = |row: usize| {
                        let (u, v) = all.rows().ends()[row];
                        let weight = if weighted.is_some() { " 1" } else { "" };
                        format!("{} {}{weight}\n", ids.name(u as usize), ids.name(v as usize))
                    };
                    let text: String = rows.map(line).collect();
                    let network = all.network(at).unwrap();
                    if text.is_empty() {
                        assert_eq!((network.nodes(), network.edges()), (0, 0));
                        continue;
                    }
                    let options = ReadOptions { directed: Some(directed), ..ReadOptions::default() };
                    assert!(network == parse_network(text.as_bytes(), &options).unwrap().0, "{cut:?} {at}");
                }
            }
        }
    }

    #[test]
    fn windows_begin_at_the_first_time_and_hold_the_last() {
        let spans = |options| {
            let all = windows(TEXT, options);
            let rows: Vec<_> = (0..all.len()).map(|at| all.rows_of(at)).collect();
            ((0..all.len()).map(|at| all.span(at)).collect::<Vec<_>>(), rows)
        };
        assert_eq!(spans(into(3)).0, [(0.0, 3.0), (3.0, 6.0), (6.0, 9.0)]);
        assert_eq!(spans(into(3)).1, [0..3, 3..5, 5..8]);
        assert_eq!(spans(every(9.0, 9.0)).0, [(0.0, 9.0), (9.0, 18.0)]);
        assert_eq!(spans(every(10.0, 3.0)).0, [(0.0, 10.0)]);
        assert_eq!(spans(every(4.0, 3.0)).0, [(0.0, 4.0), (3.0, 7.0), (6.0, 10.0)]);
        // Between windows that leave gaps lies what is in none.
        assert_eq!(spans(every(1.0, 5.0)).1, [0..1, 5..5]);
        // One moment is one window, however it is cut.
        let one = windows("1 2 5\n", into(20));
        assert_eq!((one.len(), one.span(0), one.network(0).unwrap().edges()), (1, (5.0, 5.0), 1));
        assert_eq!(windows("1 2 5\n", every(3.0, 1.0)).network(0).unwrap().edges(), 1);
    }

    #[test]
    fn rows_a_decimal_length_apart_are_one_in_each_window() {
        for (step, length) in [(10, 0.1), (30, 0.3), (1, 0.01)] {
            let line = |at: i32| format!("{at} {} {}.{:02}\n", at + 1, at * step / 100, at * step % 100);
            let text: String = (0..101).map(line).collect();
            let all = windows(&text, every(length, length));
            let rows: Vec<usize> = (0..all.len()).map(|at| all.rows_of(at).len()).collect();
            assert_eq!(rows, [1; 101], "{length}");
            assert!((0..101).all(|at| all.name(at).len() <= "30.00 to 30.03".len()), "{}", all.name(99));
        }
    }

    #[test]
    fn the_largest_has_the_most_nodes() {
        let text = "1 2 0\n1 2 1\n1 3 1\n2 3 1\n4 5 2\n6 7 2\n1 2 3\n3 4 3\n";
        let all = windows(text, every(1.0, 1.0));
        let nodes: Vec<usize> = (0..4).map(|at| all.network(at).unwrap().nodes()).collect();
        assert_eq!((nodes, all.largest()), (vec![2, 3, 4, 4], 2));
        assert_eq!(windows(text, WindowOptions { cumulative: true, ..into(4) }).largest(), 3);
    }

    #[test]
    fn what_cannot_be_cut_is_refused() {
        let (rows, _) = parse_timed(b"1 2 0\n2 3 1000000000\n", &TimeOptions::default()).unwrap();
        let rows = Arc::new(rows);
        let refused = |options| Windows::new(Arc::clone(&rows), options).unwrap_err().to_string();
        assert!(refused(every(1.0, 1.0)).contains("at most 65535"));
        assert!(refused(into(0)).contains("at least one"));
        assert!(refused(into(1 << 20)).contains("at most 65535"));
        assert!(refused(every(f64::NAN, 1.0)).contains("above 0"));
        assert!(refused(every(1.0, -1.0)).contains("above 0"));
        let endless = parse_timed(b"1 2 -1e308\n2 3 1e308\n", &TimeOptions::default()).unwrap().0;
        assert!(Windows::new(Arc::new(endless), into(2)).unwrap_err().to_string().contains("finite"));
        // A huge span of few rows: empty windows cost nothing.
        let all = windows("1 2 0\n2 3 1e15\n", into(60_000));
        assert_eq!((all.network(0).unwrap().edges(), all.network(30_000).unwrap().edges()), (1, 0));
        assert_eq!(all.network(59_999).unwrap().edges(), 1);
    }

    #[test]
    fn rows_that_remove_leave_what_is_there_at_the_end() {
        let all = windows("a b + 0\nb c + 1\nb a - 2\nc d + 3\na b + 5\nx y - 5\n", into(5));
        assert!(all.options().cumulative);
        let edges: Vec<u64> = (0..5).map(|at| all.network(at).unwrap().edges()).collect();
        // a–b goes in the third and comes back in the last; what was never there cannot go.
        assert_eq!(edges, [1, 2, 1, 2, 3]);
        let last = all.network(4).unwrap();
        assert_eq!((last.nodes(), last.weight(0, 1)), (6, 1.0));
        let konect = windows("1 2 1 0\n2 3 1 1\n1 2 -1 2\n", into(3));
        assert_eq!(
            (konect.network(2).unwrap().edges(), konect.network(1).unwrap().is_weighted()),
            (1, false)
        );
    }

    #[test]
    fn weights_add_up_in_a_window_and_restart_after_a_removal() {
        let text = "1 2 0.5 0\n2 1 0.25 1\n1 2 4 2\n";
        let all = windows(text, into(2));
        assert_eq!(all.network(0).unwrap().weight(0, 1), 0.5);
        assert_eq!(all.network(1).unwrap().weight(0, 1), 4.25);
        let cumulative = windows(text, WindowOptions { cumulative: true, ..into(2) });
        assert_eq!(cumulative.network(1).unwrap().weight(0, 1), 4.75);
        let plain = windows(text, WindowOptions { weighted: Some(false), ..into(1) });
        assert!(!plain.network(0).unwrap().is_weighted());
        let again = "source,target,weight,op,time\n1,2,3,+,0\n1,2,3,-,1\n1,2,2,+,2\n";
        assert_eq!(windows(again, into(1)).network(0).unwrap().weight(0, 1), 2.0);
    }
}
