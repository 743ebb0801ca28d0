//! Scores that need no training: one number of a pair's short paths and degrees.
//!
//! | method | score | from |
//! |---|---|---|
//! | `common-neighbors` | `CN` | |
//! | `jaccard` | `CN/(d_u + d_v − CN)` | Jaccard 1901 |
//! | `adamic-adar` | `Σ_a 1/ln d_a` | Adamic and Adar 2003 |
//! | `resource-allocation` | `Σ_a 1/d_a` | Zhou, Lü and Zhang 2009 |
//! | `preferential-attachment` | `d_u d_v` | Barabási and Albert 1999 |
//! | `l3` | `Σ_{a,b} A_ab/√(d_a d_b)` over paths u–a–b–v | Kovács and others 2019 |
//! | `rw3` | `Σ_{a,b} A_ab/(d_a d_b) / √(d_u d_v)` | docs/denoising.md |
//! | `ra-l3` | `RA + 0.001·L3` | docs/denoising.md |

use super::paths::{OwnEdge, PairPaths, Paths, common};
use crate::Result;
use crate::data::Network;

/// A score of a pair by its paths.
///
/// ```
/// use ergodict::denoise::heuristics::Heuristic;
/// assert_eq!(Heuristic::CommonNeighbors.name(), "common-neighbors");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Heuristic {
    /// The number of common neighbors.
    CommonNeighbors,
    /// Common neighbors among all neighbors.
    Jaccard,
    /// Common neighbors, each by one over the logarithm of its degree.
    AdamicAdar,
    /// Common neighbors, each by one over its degree.
    ResourceAllocation,
    /// The product of the degrees.
    PreferentialAttachment,
    /// Paths of three edges, by the roots of the inner degrees.
    L3,
    /// Paths of three edges, by the inner degrees and the roots of the outer ones: a random walk of three steps, the same from both ends.
    Rw3,
    /// Resource allocation, with a little of L3 where there are no common neighbors.
    RaL3,
}

impl Heuristic {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::CommonNeighbors,
        Self::Jaccard,
        Self::AdamicAdar,
        Self::ResourceAllocation,
        Self::PreferentialAttachment,
        Self::L3,
        Self::Rw3,
        Self::RaL3,
    ];

    /// What it is called on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::CommonNeighbors => "common-neighbors",
            Self::Jaccard => "jaccard",
            Self::AdamicAdar => "adamic-adar",
            Self::ResourceAllocation => "resource-allocation",
            Self::PreferentialAttachment => "preferential-attachment",
            Self::L3 => "l3",
            Self::Rw3 => "rw3",
            Self::RaL3 => "ra-l3",
        }
    }

    /// The score of a pair with these paths.
    pub(crate) fn score(self, paths: &Paths) -> f64 {
        match self {
            Self::CommonNeighbors => paths.common,
            Self::Jaccard => paths.jaccard(),
            Self::AdamicAdar => paths.adamic_adar,
            Self::ResourceAllocation => paths.resource_allocation,
            Self::PreferentialAttachment => paths.preferential_attachment(),
            Self::L3 => paths.l3,
            Self::Rw3 => {
                let degrees = paths.preferential_attachment();
                if degrees > 0.0 { paths.rw3 / degrees.sqrt() } else { 0.0 }
            }
            Self::RaL3 => paths.resource_allocation + 0.001 * paths.l3,
        }
    }

    /// The scores of pairs in a simple network; an edge between the nodes of a pair is not looked at.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) for a network that is not simple, and for pairs that are none.
    pub(crate) fn scores(self, network: &Network, pairs: &[(u32, u32)]) -> Result<Vec<f64>> {
        // Those of common neighbors alone need no table of the nodes.
        let paths = if self.is_of_three_edges() {
            PairPaths::new(network)?.paths(pairs, OwnEdge::Excluded)?
        } else {
            common(network, pairs)?
        };
        Ok(paths.iter().map(|paths| self.score(paths)).collect())
    }

    /// Whether it looks at paths of three edges.
    pub(crate) fn is_of_three_edges(self) -> bool {
        matches!(self, Self::L3 | Self::Rw3 | Self::RaL3)
    }
}

#[cfg(test)]
mod table_tests;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_of_a_small_network_by_hand() {
        // u = 0, v = 5; common neighbor 1 (degree 3); paths 0–2–3–5 and 0–2–1–5 and 0–1–?: 1 is next to 2 only.
        let network =
            Network::simple(6, &[(0, 1), (1, 5), (0, 2), (2, 3), (3, 5), (1, 2), (3, 4), (0, 5)]).unwrap();
        let of = |heuristic: Heuristic| heuristic.scores(&network, &[(0, 5)]).unwrap()[0];
        // Without the edge: d = 2, 3, 3, 3, 1, 2. Paths of three edges: 0–2–3–5, 0–2–1–5.
        let third = 1.0 / 3.0;
        for (heuristic, wanted) in [
            (Heuristic::CommonNeighbors, 1.0),
            (Heuristic::Jaccard, third),
            (Heuristic::AdamicAdar, 1.0 / 3f64.ln()),
            (Heuristic::ResourceAllocation, third),
            (Heuristic::PreferentialAttachment, 4.0),
            (Heuristic::L3, 2.0 * third),
            (Heuristic::Rw3, 2.0 * third * third / 2.0),
            (Heuristic::RaL3, third + 0.002 * third),
        ] {
            assert!((of(heuristic) - wanted).abs() < 1e-15, "{}", heuristic.name());
        }
        let names: std::collections::HashSet<_> = Heuristic::ALL.iter().map(|h| h.name()).collect();
        assert_eq!(names.len(), Heuristic::ALL.len());
    }
}
