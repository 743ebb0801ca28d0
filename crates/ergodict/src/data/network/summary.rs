//! What a network looks like in numbers: sizes, degrees, weights, components, triangles.

use super::{Network, Rows};
use rayon::prelude::*;
use serde::Serialize;
use std::ops::Range;

/// Entries that are not worth another thread.
const SMALL: u64 = 1 << 16;
/// Nodes that one thread takes at a time.
const CHUNK: usize = 1024;

/// Steps that counting triangles may take, each a look at the mark of a node. (A Graph500 network of scale 20 takes more than 2³².)
const TRIANGLE_STEPS: u64 = 1 << 30;

/// A network in numbers.
///
/// ```
/// let summary = ergodict::data::embedded("karate")?.summary();
/// assert_eq!((summary.nodes, summary.edges, summary.triangles), (34, 78, Some(45)));
/// assert!((summary.density.unwrap() - 78.0 / (34.0 * 33.0 / 2.0)).abs() < 1e-12);
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Summary {
    /// Number of nodes.
    pub nodes: u64,
    /// Number of edges, with loops: of a directed network its arcs, of an undirected one each once.
    pub edges: u64,
    /// Edges from a node to itself.
    pub loops: u64,
    /// Whether edges have directions.
    pub directed: bool,
    /// Whether weights differ from 1.
    pub weighted: bool,
    /// Smallest and largest weight; none without edges.
    pub weights: Option<[f64; 2]>,
    /// Numbers of neighbors, those that edges lead to; a loop is one. None without nodes.
    pub degrees: Option<Spread>,
    /// Of a directed network the same for edges that come in.
    pub in_degrees: Option<Spread>,
    /// Sums of the weights of rows, `d(u)`. None without nodes.
    pub strengths: Option<Spread>,
    /// Nodes without an edge to or from another.
    pub isolated: u64,
    /// Number of components, directions ignored.
    pub components: u64,
    /// Nodes of the largest component.
    pub largest_nodes: u64,
    /// Edges of the largest component.
    pub largest_edges: u64,
    /// Whether the largest component is bipartite; none without nodes.
    pub largest_bipartite: Option<bool>,
    /// Whether all components are; none without nodes.
    pub bipartite: Option<bool>,
    /// Triangles of an undirected network, weights and loops ignored; none for directed ones, and where counting would take
    /// long.
    pub triangles: Option<u64>,
    /// Three times the triangles over the paths of two edges; none where they were not counted or there are no such paths.
    pub transitivity: Option<f64>,
    /// Edges without loops over pairs of nodes, ordered ones if directed; none for fewer than two nodes.
    pub density: Option<f64>,
    /// Bytes of the sparse matrix: starts of rows, neighbors, weights.
    pub bytes: u64,
    /// How many nodes have which degree: 0, 1, 2–3, 4–7, …, up to the largest degree.
    pub histogram: Vec<DegreeBin>,
}

/// Least, mean, middle and largest of some numbers.
///
/// ```
/// use ergodict::data::{Network, Spread};
/// let path = Network::simple(3, &[(0, 1), (1, 2)])?;
/// let degrees = path.summary().degrees; // 1, 2, 1
/// assert_eq!(degrees, Some(Spread { min: 1.0, mean: 4.0 / 3.0, median: 1.0, max: 2.0 }));
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Spread {
    /// The smallest.
    pub min: f64,
    /// The mean.
    pub mean: f64,
    /// The median; of an even number of numbers the mean of the middle two.
    pub median: f64,
    /// The largest.
    pub max: f64,
}

/// Nodes whose degree is in a range.
///
/// ```
/// use ergodict::data::{DegreeBin, Network};
/// let path = Network::simple(3, &[(0, 1), (1, 2)])?;
/// assert_eq!(path.degree_histogram()[1], DegreeBin { from: 1, to: 1, nodes: 2 });
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct DegreeBin {
    /// Smallest degree of the bin.
    pub from: u64,
    /// Largest degree of the bin.
    pub to: u64,
    /// Nodes.
    pub nodes: u64,
}

impl Spread {
    /// Of numbers that are none of them NaN; none of none.
    fn from_values(mut values: Vec<f64>) -> Option<Self> {
        let n = values.len();
        let mean = values.iter().sum::<f64>() / n as f64;
        let min = values.iter().copied().reduce(f64::min)?;
        let max = values.iter().copied().reduce(f64::max)?;
        let (below, &mut upper, _) = values.select_nth_unstable_by(n / 2, f64::total_cmp);
        let lower = below.iter().copied().reduce(f64::max).filter(|_| n.is_multiple_of(2));
        Some(Self { min, mean, median: lower.map_or(upper, |lower| lower.midpoint(upper)), max })
    }
}

impl Network {
    /// How many nodes have which degree: 0, 1, 2–3, 4–7, …, up to the largest degree.
    pub fn degree_histogram(&self) -> Vec<DegreeBin> {
        histogram(self.rows())
    }

    /// The network in numbers; linear in its size, but for triangles.
    ///
    /// ```
    /// let summary = ergodict::data::embedded("karate")?.summary();
    /// assert_eq!((summary.triangles, summary.components), (Some(45), 1));
    /// assert_eq!(summary.degrees.map(|degrees| degrees.max), Some(17.0));
    /// # Ok::<(), ergodict::Error>(())
    /// ```
    pub fn summary(&self) -> Summary {
        let (n, rows) = (self.nodes(), self.rows());
        let parts = || self.components();
        let counted = || if self.is_directed() { None } else { triangles(rows, TRIANGLE_STEPS) };
        // Waking threads takes longer than a small network.
        let small = self.stored() < SMALL;
        let (parts, counted) = if small { (parts(), counted()) } else { rayon::join(parts, counted) };
        let each = |of: &dyn Fn(usize) -> f64| Spread::from_values((0..n).map(of).collect());
        let weights = rows.weights.as_deref();
        let range = |w: &[f64]| {
            [w.iter().copied().fold(f64::INFINITY, f64::min), w.iter().copied().fold(0.0, f64::max)]
        };
        let in_largest = |u: usize| parts.labels[u] == 0;
        let largest_stored: u64 = (0..n).filter(|&u| in_largest(u)).map(|u| rows.degree(u) as u64).sum();
        let largest_loops = (0..n).filter(|&u| in_largest(u) && has_loop(rows, u)).count() as u64;
        let stored = self.stored();
        let pairs = n as f64 * (n as f64 - 1.0) / if self.is_directed() { 1.0 } else { 2.0 };
        Summary {
            nodes: n as u64,
            edges: self.edges(),
            loops: self.loops(),
            directed: self.is_directed(),
            weighted: self.is_weighted(),
            weights: (stored > 0).then(|| weights.map_or([1.0; 2], range)),
            degrees: each(&|u| rows.degree(u) as f64),
            in_degrees: if self.is_directed() { each(&|u| self.incoming().degree(u) as f64) } else { None },
            strengths: each(&|u| rows.strength(u)),
            isolated: parts.sizes.iter().filter(|size| **size == 1).count() as u64,
            components: parts.sizes.len() as u64,
            largest_nodes: parts.sizes.first().copied().unwrap_or(0),
            largest_edges: if self.is_directed() {
                largest_stored
            } else {
                (largest_stored - largest_loops) / 2 + largest_loops
            },
            largest_bipartite: parts.bipartite.first().copied(),
            bipartite: (n > 0).then(|| parts.bipartite.iter().all(|b| *b)),
            triangles: counted.map(|(triangles, _)| triangles),
            transitivity: counted.filter(|(_, paths)| *paths > 0.0).map(|(t, paths)| 3.0 * t as f64 / paths),
            density: (n > 1).then(|| (self.edges() - self.loops()) as f64 / pairs),
            bytes: 8 * (n as u64 + 1) + if self.is_weighted() { 12 } else { 4 } * stored,
            histogram: histogram(rows),
        }
    }
}

fn has_loop(rows: &Rows, u: usize) -> bool {
    rows.neighbors(u).binary_search(&(u as u32)).is_ok()
}

fn histogram(rows: &Rows) -> Vec<DegreeBin> {
    // Degree 0 has 0 binary digits, 1 has one, 2 and 3 have two.
    let digits = |degree: usize| (usize::BITS - degree.leading_zeros()) as usize;
    let mut counts: Vec<u64> = Vec::new();
    for u in 0..rows.len() {
        let bin = digits(rows.degree(u));
        counts.resize(counts.len().max(bin + 1), 0);
        counts[bin] += 1;
    }
    let bin = |(digits, &nodes): (usize, &u64)| DegreeBin {
        from: if digits == 0 { 0 } else { 1 << (digits - 1) },
        to: (1 << digits) - 1,
        nodes,
    };
    counts.iter().enumerate().map(bin).collect()
}

/// Triangles and paths of two edges of a symmetric matrix, loops ignored; none when it would take more than `most` steps.
///
/// Every edge is turned from the node of smaller degree to the other, which leaves no node with more than `√(2m)` edges out. A
/// triangle then has one node with two edges out, `u → v` and `u → w` with `v → w`.
fn triangles(rows: &Rows, most: u64) -> Option<(u64, f64)> {
    let n = rows.len();
    let degrees: Vec<u32> = (0..n).map(|u| rows.degree(u) as u32).collect();
    let rank = |u: u32| (degrees[u as usize], u);
    let chunks = || (0..n.div_ceil(CHUNK)).into_par_iter().map(|at| at * CHUNK..((at + 1) * CHUNK).min(n));
    let higher = |nodes: Range<usize>| {
        let (mut out, mut lengths, mut paths) = (Vec::new(), Vec::with_capacity(nodes.len()), 0.0);
        for u in nodes {
            let before = out.len();
            out.extend(rows.neighbors(u).iter().copied().filter(|&v| rank(v) > rank(u as u32)));
            lengths.push(out.len() - before);
            let degree = (rows.degree(u) - usize::from(has_loop(rows, u))) as f64;
            paths += degree * (degree - 1.0) / 2.0;
        }
        (out, lengths, paths)
    };
    let parts: Vec<(Vec<u32>, Vec<usize>, f64)> = chunks().map(higher).collect();
    let (mut starts, mut out, mut paths) = (vec![0], Vec::with_capacity(rows.neighbors.len() / 2), 0.0);
    for (part, lengths, some) in parts {
        let mut end = out.len();
        starts.extend(lengths.iter().map(|length| {
            end += length;
            end
        }));
        out.extend_from_slice(&part);
        paths += some;
    }
    let row = |u: usize| &out[starts[u]..starts[u + 1]];
    let steps: u64 = out.par_iter().map(|&v| row(v as usize).len() as u64).sum();
    if steps > most {
        return None;
    }
    // A bit a node: whether it is in the row at hand.
    let work = || (vec![0_u64; n / 64 + 1], Vec::new());
    let of_chunk = |(marks, spans): &mut (Vec<u64>, Vec<(usize, usize)>), nodes: Range<usize>| {
        let mut count = 0;
        for u in nodes {
            // Rows lie anywhere; looking at the first of each before any is gone through lets the memory fetch them together.
            spans.clear();
            spans.extend(row(u).iter().map(|&v| (starts[v as usize], starts[v as usize + 1])));
            std::hint::black_box(
                spans.iter().fold(0, |all, span| all ^ out.get(span.0).copied().unwrap_or(0)),
            );
            row(u).iter().for_each(|&v| marks[v as usize / 64] |= 1 << (v % 64));
            for &(start, end) in &*spans {
                let marked = |&w: &u32| marks[w as usize / 64] >> (w % 64) & 1;
                count += out[start..end].iter().map(marked).sum::<u64>();
            }
            row(u).iter().for_each(|&v| marks[v as usize / 64] = 0);
        }
        count
    };
    Some((chunks().map_init(work, of_chunk).sum(), paths))
}

#[cfg(test)]
mod tests {
    use super::super::{Build, Loops, NodeIds, embedded};
    use super::*;

    #[test]
    fn known_networks_have_their_known_numbers() {
        let known = [
            ("karate", 45, 0.255_681_818_181_818_2, 17.0, false),
            ("lesmis", 467, 0.498_931_623_931_623_94, 36.0, false),
            ("florentine", 3, 0.191_489_361_702_127_66, 6.0, false),
            ("davis", 0, 0.0, 14.0, true),
            ("kite", 11, 0.578_947_368_421_052_7, 6.0, false),
        ];
        for (name, triangles, transitivity, max, bipartite) in known {
            let s = embedded(name).unwrap().summary();
            assert_eq!(s.triangles, Some(triangles), "{name}");
            assert!((s.transitivity.unwrap() - transitivity).abs() < 1e-12, "{name}");
            assert_eq!((s.degrees.unwrap().max, s.bipartite), (max, Some(bipartite)), "{name}");
            assert_eq!((s.largest_nodes, s.largest_edges), (s.nodes, s.edges), "{name}");
            assert_eq!(s.histogram.iter().map(|bin| bin.nodes).sum::<u64>(), s.nodes);
        }
        let s = embedded("karate").unwrap().summary();
        let degrees = s.degrees.unwrap();
        assert_eq!((degrees.min, degrees.mean, degrees.median), (1.0, 156.0 / 34.0, 3.0));
        assert!((s.density.unwrap() - 78.0 / 561.0).abs() < 1e-15);
        assert_eq!((s.bytes, s.weights), (8 * 35 + 4 * 156, Some([1.0, 1.0])));
        let bins: Vec<u64> = s.histogram.iter().map(|bin| bin.nodes).collect();
        assert_eq!(bins, [0, 1, 17, 11, 3, 2]);
        let s = embedded("lesmis").unwrap().summary();
        assert_eq!((s.weights, s.bytes), (Some([1.0, 31.0]), 8 * 78 + 12 * 508));
        assert!((s.strengths.unwrap().mean - 1640.0 / 77.0).abs() < 1e-12);
    }

    #[test]
    fn loops_directions_and_isolated_nodes_are_reported() {
        // A triangle with a loop, an arc apart, a node with only a loop, one with nothing.
        let edges = [(0, 1, 2.0), (1, 2, 0.5), (2, 0, 1.0), (0, 0, 4.0), (3, 4, 1.0), (5, 5, 1.0)];
        let build = |directed| Build { directed, loops: Loops::Keep };
        let make = |directed| Network::build(NodeIds::numbered(7), &edges, true, build(directed)).unwrap().0;
        let s = make(false).summary();
        assert_eq!((s.edges, s.loops, s.isolated, s.components), (6, 2, 2, 4));
        assert_eq!((s.largest_nodes, s.largest_edges, s.triangles), (3, 4, Some(1)));
        assert_eq!((s.transitivity, s.weights), (Some(1.0), Some([0.5, 4.0])));
        assert_eq!((s.largest_bipartite, s.bipartite, s.in_degrees), (Some(false), Some(false), None));
        assert!((s.density.unwrap() - 4.0 / 21.0).abs() < 1e-15);
        let s = make(true).summary();
        assert_eq!((s.edges, s.largest_edges, s.triangles, s.transitivity), (6, 4, None, None));
        assert!((s.density.unwrap() - 4.0 / 42.0).abs() < 1e-15);
        assert_eq!(s.in_degrees.unwrap().max, 2.0);
    }

    #[test]
    fn empty_networks_have_no_statistics() {
        let s = Network::simple(0, &[]).unwrap().summary();
        assert_eq!((s.nodes, s.components, s.largest_nodes, s.isolated), (0, 0, 0, 0));
        assert_eq!((s.degrees, s.density, s.bipartite, s.weights), (None, None, None, None));
        assert!(s.histogram.is_empty());
        let s = Network::simple(1, &[]).unwrap().summary();
        assert_eq!((s.isolated, s.density, s.bipartite, s.transitivity), (1, None, Some(true), None));
        assert_eq!(s.histogram, [DegreeBin { from: 0, to: 0, nodes: 1 }]);
    }

    #[test]
    fn counting_triangles_stops_where_it_would_take_long() {
        let complete: Vec<(u32, u32)> = (0..9).flat_map(|u| (0..u).map(move |v| (v, u))).collect();
        let network = Network::simple(9, &complete).unwrap();
        assert_eq!(triangles(network.rows(), 84), Some((84, 252.0)));
        assert_eq!(triangles(network.rows(), 83), None);
    }
}
