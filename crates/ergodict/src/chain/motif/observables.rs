//! Observables of homomorphisms: the numbers by which one sees how a sampler mixes.

use super::Motif;
use crate::data::Adjacency;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A number that a homomorphism has.
///
/// ```
/// use ergodict::chain::MotifObservable;
/// assert_eq!(MotifObservable::Density.to_string(), "patch-density");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum MotifObservable {
    /// The share of pairs of nodes of the motif, those of its edges left out, between whose places there is
    /// an edge: pairs `i < j`, or in directed networks both `(i,j)` and `(j,i)`. 0 where the motif leaves no
    /// pair.
    #[serde(rename = "patch-density")]
    Density,
    /// The number of neighbors, in directed networks those that edges lead to, of the first node.
    #[serde(rename = "first-degree")]
    Degree,
    /// The number of different nodes.
    #[serde(rename = "distinct-nodes")]
    Distinct,
}

impl MotifObservable {
    /// All there are.
    pub(crate) const ALL: [Self; 3] = [Self::Density, Self::Degree, Self::Distinct];

    /// Its value for a homomorphism `x` of `motif`.
    pub(crate) fn measure(self, motif: &Motif, adjacency: &Adjacency, x: &[u32]) -> f64 {
        match self {
            Self::Density => off_motif_density(motif, adjacency, x),
            Self::Degree => adjacency.network().rows().degree(x[0] as usize) as f64,
            // A look at all that came before: motifs have few nodes, and it allocates nothing.
            Self::Distinct => x.iter().enumerate().filter(|&(i, v)| !x[..i].contains(v)).count() as f64,
        }
    }

    /// Its values along a chain: `k` nodes after `k` nodes.
    #[cfg(test)]
    pub(crate) fn series(self, motif: &Motif, adjacency: &Adjacency, xs: &[u32]) -> Vec<f64> {
        xs.chunks_exact(motif.k()).map(|x| self.measure(motif, adjacency, x)).collect()
    }
}

fn off_motif_density(motif: &Motif, adjacency: &Adjacency, x: &[u32]) -> f64 {
    let (k, directed) = (x.len(), adjacency.network().is_directed());
    let joined = |i: usize, j: usize| u64::from(adjacency.contains(x[i], x[j]));
    // All pairs, less those of the motif: an edge given in both directions is one pair where directions do
    // not count.
    let pairs = (0..k).flat_map(|j| (0..j).map(move |i| (i, j)));
    let mut ones: u64 = pairs.map(|(i, j)| joined(i, j) + if directed { joined(j, i) } else { 0 }).sum();
    let of = |edges: &[(u32, u32)]| edges.iter().map(|&(i, j)| joined(i as usize, j as usize)).sum::<u64>();
    let twice = if directed { &[][..] } else { motif.both_ways() };
    ones = ones + of(twice) - of(motif.edges());
    let rest = k * (k - 1) / if directed { 1 } else { 2 } + twice.len() - motif.edges().len();
    if rest == 0 { 0.0 } else { ones as f64 / rest as f64 }
}

impl fmt::Display for MotifObservable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Density => "patch-density",
            Self::Degree => "first-degree",
            Self::Distinct => "distinct-nodes",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Build, Network, NodeIds};
    use std::sync::Arc;

    fn adjacency(directed: bool) -> Adjacency {
        let edges = [(0, 1, 1.0), (1, 2, 1.0), (2, 0, 1.0), (2, 3, 2.0), (0, 3, 0.5)];
        let build = Build { directed, ..Build::default() };
        let network = Network::build(NodeIds::numbered(5), &edges, true, build).unwrap().0;
        Adjacency::new(&Arc::new(network), Adjacency::BUDGET)
    }

    #[test]
    fn values_are_those_of_the_patch() {
        let (chain, x) = (Motif::path(4).unwrap(), [0, 1, 2, 3]);
        // Pairs (0,2), (0,3), (1,3), of which the last is not joined; with directions (0,3) and (2,0) of
        // nine.
        assert_eq!(MotifObservable::Density.measure(&chain, &adjacency(false), &x), 2.0 / 3.0);
        assert_eq!(MotifObservable::Density.measure(&chain, &adjacency(true), &x), 2.0 / 9.0);
        let both = Motif::new(2, vec![(0, 1), (1, 0)]).unwrap();
        assert_eq!(MotifObservable::Density.measure(&both, &adjacency(false), &[0, 1]), 0.0);
        let more = Motif::new(3, vec![(1, 0), (2, 1), (0, 1)]).unwrap();
        assert_eq!(more.both_ways(), [(0, 1)]);
        for (x, undirected) in [([0, 1, 2], 1.0), ([3, 0, 1], 0.0)] {
            assert_eq!(MotifObservable::Density.measure(&more, &adjacency(false), &x), undirected);
        }
        // (0,2), (2,0) and (1,2) are no edges of the motif; 2 → 0 and 1 → 2 are in the network.
        assert_eq!(MotifObservable::Density.measure(&more, &adjacency(true), &[0, 1, 2]), 2.0 / 3.0);
        let one = Motif::path(1).unwrap();
        assert_eq!(MotifObservable::Density.measure(&one, &adjacency(false), &[0]), 0.0);
        assert_eq!(MotifObservable::Degree.measure(&chain, &adjacency(false), &[2, 0, 2, 1]), 3.0);
        assert_eq!(MotifObservable::Degree.measure(&chain, &adjacency(true), &[2, 0, 1, 2]), 2.0);
        let xs = [2, 0, 2, 0, 0, 1, 2, 3];
        assert_eq!(MotifObservable::Distinct.series(&chain, &adjacency(true), &xs), [2.0, 4.0]);
    }

    #[test]
    fn names_are_those_of_files() {
        for observable in MotifObservable::ALL {
            assert_eq!(serde_json::to_string(&observable).unwrap(), format!("\"{observable}\""));
        }
    }
}
