//! Makes compressed sparse rows out of edges, and says what had to be decided on the way.

use super::egr_record::Known;
use super::{Network, NodeIds, Rows};
use crate::{Error, Result};
use std::sync::OnceLock;

/// An edge before the network is made: both ends and the weight.
pub type Edge = (u32, u32, f64);

/// What becomes of edges from a node to itself.
///
/// ```
/// use ergodict::data::{Build, Loops, Network, NodeIds};
/// let edges = [(0, 0, 1.0), (0, 1, 1.0)];
/// let kept = |loops| Network::build(NodeIds::numbered(2), &edges, false, Build { loops, ..Build::default() });
/// assert_eq!((kept(Loops::Keep)?.0.edges(), kept(Loops::Drop)?.0.edges()), (2, 1));
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Loops {
    /// They are left out.
    #[default]
    Drop,
    /// They are entries of the diagonal of `A`.
    Keep,
}

/// How edges become a network.
///
/// ```
/// use ergodict::data::{Build, Network, NodeIds};
/// let directed = Build { directed: true, ..Build::default() };
/// let (network, _) = Network::build(NodeIds::numbered(2), &[(0, 1, 0.5)], true, directed)?;
/// assert_eq!((network.weight(0, 1), network.weight(1, 0)), (0.5, 0.0));
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Build {
    /// Whether an edge `(u, v)` says nothing of `(v, u)`.
    pub directed: bool,
    /// What becomes of loops.
    pub loops: Loops,
}

/// What was found among the edges, and so decided. Weights of an edge that is listed several times add up; without
/// weights it counts once. When every edge of an undirected network is listed in both directions with the same weight
/// it counts once.
///
/// ```
/// use ergodict::data::{Build, Network, NodeIds};
/// let edges = [(0, 1, 2.0), (1, 0, 3.0), (1, 1, 1.0), (0, 2, 0.0)];
/// let (network, found) = Network::build(NodeIds::numbered(3), &edges, true, Build::default())?;
/// assert_eq!((found.loops, found.duplicates, found.zeros), (1, 1, 1));
/// assert_eq!(network.weight(0, 1), 5.0); // weights add up
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize)]
pub struct EdgeCounts {
    /// Edges from a node to itself.
    pub loops: u64,
    /// Lines that repeat an edge, in either direction if the network is undirected.
    pub duplicates: u64,
    /// Edges of weight zero, which are none.
    pub zeros: u64,
    /// Whether every edge of an undirected network was listed in both directions.
    pub both_directions: bool,
}

impl Network {
    /// A network of rows that are known to be right; `loops` counts the entries of the diagonal.
    pub(super) fn of_rows(rows: Rows, directed: bool, ids: NodeIds, loops: u64) -> Self {
        Self { rows, directed, ids, loops, incoming: OnceLock::new(), known: Known::default() }
    }

    /// A network of nodes `0..nodes` out of edges `(u, v, A(u,v))`; `weighted` is whether weights are used.
    ///
    /// # Errors
    /// [`Error::Parameter`] for an edge to a node that does not exist, and for a weight that is negative or not finite.
    pub fn build(ids: NodeIds, edges: &[Edge], weighted: bool, build: Build) -> Result<(Self, EdgeCounts)> {
        let n = ids.len();
        let mut found = EdgeCounts::default();
        let mut arcs: Vec<Edge> = Vec::with_capacity(edges.len());
        for &(u, v, weight) in edges {
            let weight = if weighted { weight } else { 1.0 };
            check(n, u, v, weight)?;
            found.zeros += u64::from(weight == 0.0);
            found.loops += u64::from(u == v);
            if weight > 0.0 && (u != v || build.loops == Loops::Keep) {
                arcs.push((u, v, weight));
            }
        }
        let unite = |arcs: &mut Vec<Edge>| {
            arcs.sort_by_key(|&(u, v, _)| (u, v));
            let before = arcs.len();
            arcs.dedup_by(|next, first| {
                let same = (next.0, next.1) == (first.0, first.1);
                if same && weighted {
                    first.2 += next.2;
                }
                same
            });
            (before - arcs.len()) as u64
        };
        found.duplicates = unite(&mut arcs);
        if !build.directed {
            let reverse = |&(u, v, w): &Edge| {
                arcs.binary_search_by(|&(a, b, _)| (a, b).cmp(&(v, u))).is_ok_and(|at| arcs[at].2 == w)
            };
            found.both_directions = arcs.iter().any(|arc| arc.0 != arc.1) && arcs.iter().all(reverse);
            let both = found.both_directions;
            let mut ordered: Vec<Edge> = arcs
                .iter()
                .filter(|(u, v, _)| !both || u <= v)
                .map(|&(u, v, w)| (u.min(v), u.max(v), w))
                .collect();
            if !both {
                found.duplicates += unite(&mut ordered);
            }
            let mirrored: Vec<Edge> =
                ordered.iter().filter(|(u, v, _)| u != v).map(|&(u, v, w)| (v, u, w)).collect();
            ordered.extend(mirrored);
            ordered.sort_by_key(|&(u, v, _)| (u, v));
            arcs = ordered;
        }
        if let Some(arc) = arcs.iter().find(|arc| !arc.2.is_finite()) {
            return Err(too_large(&ids, arc.0, arc.1));
        }
        let loops = arcs.iter().filter(|(u, v, _)| u == v).count() as u64;
        let rows = rows(n, &arcs);
        Ok((Self::of_rows(rows, build.directed, ids, loops), found))
    }

    /// A simple network of nodes `0..nodes`: loops are dropped, edges listed twice count once.
    ///
    /// # Errors
    /// [`Error::Parameter`] for an edge to a node that does not exist.
    pub fn simple(nodes: usize, edges: &[(u32, u32)]) -> Result<Self> {
        let edges: Vec<Edge> = edges.iter().map(|&(u, v)| (u, v, 1.0)).collect();
        Ok(Self::build(NodeIds::numbered(nodes), &edges, false, Build::default())?.0)
    }
}

/// Whether the nodes of an edge exist and its weight can be one.
#[inline]
pub(super) fn check(n: usize, u: u32, v: u32, weight: f64) -> Result<()> {
    if u.max(v) as usize >= n {
        let nodes = format!("there are nodes 0 to {}", n.saturating_sub(1));
        return Err(Error::parameter("an edge", format!("({u}, {v})"), nodes));
    }
    if !(weight >= 0.0 && weight.is_finite()) {
        return Err(Error::parameter("a weight", weight, "it must be a finite number, 0 or more"));
    }
    Ok(())
}

/// For weights of an edge that are finite but whose sum is not.
pub(super) fn too_large(ids: &NodeIds, u: u32, v: u32) -> Error {
    too_large_between(&ids.name(u as usize), &ids.name(v as usize))
}

/// The same, of nodes of these names.
pub(super) fn too_large_between(u: &str, v: &str) -> Error {
    let edge = format!("infinite for the edge from {u} to {v}");
    Error::parameter(
        "the sum of the weights of an edge that is listed several times",
        edge,
        "it must be a finite number",
    )
}

/// Rows out of sorted arcs; weights are kept only when one differs from 1.
fn rows(n: usize, arcs: &[Edge]) -> Rows {
    let mut starts = vec![0u64; n + 1];
    for &(u, _, _) in arcs {
        starts[u as usize + 1] += 1;
    }
    for u in 0..n {
        starts[u + 1] += starts[u];
    }
    let neighbors: Vec<u32> = arcs.iter().map(|arc| arc.1).collect();
    let weights: Option<Vec<f64>> =
        arcs.iter().any(|arc| arc.2 != 1.0).then(|| arcs.iter().map(|arc| arc.2).collect());
    Rows { starts: starts.into(), neighbors: neighbors.into(), weights: weights.map(Into::into) }
}

/// The transposed matrix: going through the rows in order fills each of its rows in order.
pub(super) fn transposed(matrix: &Rows) -> Rows {
    let n = matrix.len();
    let mut starts = vec![0u64; n + 1];
    for &v in &*matrix.neighbors {
        starts[v as usize + 1] += 1;
    }
    for v in 0..n {
        starts[v + 1] += starts[v];
    }
    let mut places: Vec<usize> = starts[..n].iter().map(|&start| start as usize).collect();
    let mut neighbors = vec![0; matrix.neighbors.len()];
    let mut weights = matrix.weights.as_ref().map(|weights| vec![0.0; weights.len()]);
    for u in 0..n {
        for (v, weight) in matrix.entries(u) {
            let place = &mut places[v as usize];
            neighbors[*place] = u as u32;
            if let Some(weights) = &mut weights {
                weights[*place] = weight;
            }
            *place += 1;
        }
    }
    Rows { starts: starts.into(), neighbors: neighbors.into(), weights: weights.map(Into::into) }
}
