//! The approximate pivot chain: the pivot `x(1)` moves along an edge, the rest is a plain random walk from
//! it.
//!
//! | symbol | here | where |
//! |---|---|---|
//! | `ℓ ∼ A(x(1),·)/d(x(1))` | the proposal, [`PivotMoves`] | docs/maths.md, Homomorphisms, "Pivot (approximate)" |
//! | `min(1, [d(x(1))/d(ℓ)]·[A(ℓ,x(1))/A(x(1),ℓ)])` | its acceptance | |
//! | `π̂(x) = (1/n) Π A(x(i),x(i+1))/d(x(i))` | the stationary law, [`MotifSampler::weight`] | |
//!
//! In a tree motif the walk goes from parents to children; an edge of the motif from child to parent takes
//! the row of `Aᵀ` and its sum. Under `π̂` the pivot is uniform, which it is not under `π`. There are no
//! backward weights to make and keep; set-up finds out whether the network is connected, and makes alias tables
//! where it has weights.

use super::super::Chain;
use super::super::diagnostics::Acceptance;
use super::pivot_moves::{PivotMoves, PivotParameters};
use super::row_draw::RowDraws;
use super::walk::Walk;
use super::{Motif, MotifSampler};
use crate::data::Network;
use crate::rng::below;
use crate::{Error, Result};
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;

/// The pivot chain with the stationary law `π̂`, for tree motifs. It starts in that law.
///
/// `π̂(x) = (1/n) Π A(x(i),x(i+1))/d(x(i))`, where `d` are the sums of rows: a plain random walk from a pivot that is uniform.
///
/// Valid on connected networks, weighted or not, and on directed ones that are connected by edges that go
/// both ways. The acceptance counts moves of the pivot.
#[derive(Clone, Debug)]
pub(crate) struct ApproximatePivot {
    motif: Motif,
    walk: Walk,
    moves: PivotMoves,
}

impl ApproximatePivot {
    /// A chain of a tree motif.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a motif that is no tree, a network without nodes or with one at which the
    /// walk ends, and where the pivot cannot get from every node to every other.
    pub(crate) fn new(network: Arc<Network>, motif: &Motif, parameters: PivotParameters) -> Result<Self> {
        let tree = motif.require_tree()?;
        if network.nodes() == 0 {
            return Err(Error::parameter("the network", "empty", "at least one node is needed"));
        }
        let edges = &tree.downward[1..];
        for (down, way) in [(true, "out of it"), (false, "into it")] {
            if !edges.contains(&down) {
                continue;
            }
            let rows = if down { network.rows() } else { network.incoming() };
            if let Some(end) = (0..network.nodes()).find(|&v| rows.degree(v) == 0) {
                let way = if network.is_directed() { way } else { "at it" };
                let value = format!("one where node {} has no edge {way}", network.ids().name(end));
                let expected =
                    "a random walk must not come to an end: take the largest component, or the exact sampler";
                return Err(Error::parameter("the network", value, expected));
            }
        }
        let draws = Arc::new(RowDraws::new(network, true, edges.contains(&false)));
        let moves = PivotMoves::uniform(Arc::clone(&draws), parameters)?;
        let walk = Walk::new(draws, motif, None);
        Ok(Self { motif: motif.clone(), walk, moves })
    }

    /// Bytes of memory in addition to the network.
    #[cfg(test)]
    pub(crate) fn bytes(&self) -> usize {
        self.walk.bytes() + self.moves.bytes()
    }

    /// The most bytes that it would take in addition to the network.
    pub(crate) fn bytes_needed(network: &Network) -> usize {
        RowDraws::bytes_needed(network).saturating_add(if network.is_weighted() {
            PivotMoves::BYTES * network.nodes()
        } else {
            0
        })
    }

    /// Whether the pivot stays with probability 1/2 before each move.
    #[cfg(test)]
    pub(crate) fn is_lazy(&self) -> bool {
        self.moves.is_lazy()
    }
}

impl Chain for ApproximatePivot {
    type State = Vec<u32>;
    type Info = Acceptance;

    fn init(&self, rng: &mut ChaCha8Rng) -> Vec<u32> {
        let mut x = vec![0; self.motif.k()];
        x[0] = below(rng, self.network().nodes() as u64) as u32;
        self.walk.fill(&mut x, rng);
        x
    }

    fn step(&self, state: &mut Vec<u32>, rng: &mut ChaCha8Rng) -> Acceptance {
        let mut info = Acceptance::default();
        state[0] = self.moves.step(state[0], rng, &mut info);
        self.walk.fill(state, rng);
        info
    }
}

impl MotifSampler for ApproximatePivot {
    fn motif(&self) -> &Motif {
        &self.motif
    }

    fn network(&self) -> &Network {
        &self.walk.draws().network
    }

    /// `π̂(x)` itself.
    fn weight(&self, x: &[u32]) -> f64 {
        self.walk.probability(x) / self.network().nodes() as f64
    }

    fn notes(&self) -> Vec<String> {
        self.moves.notes()
    }

    fn probability(&self, from: &[u32], to: &[u32]) -> f64 {
        self.moves.probability(from[0], to[0]) * self.walk.probability(to)
    }

    fn sample(&self, state: &mut Vec<u32>, rng: &mut ChaCha8Rng, out: &mut [u32]) -> Acceptance {
        self.moves.sample(&self.walk, state, rng, out)
    }
}

#[cfg(test)]
mod tests {
    use super::super::check::{check, check_chain, tiny_motifs, tiny_networks};
    use super::*;

    /// The word in the reason why there is no such chain.
    fn refused(network: &str, motif: &str) -> Option<&'static str> {
        match (network, motif) {
            (_, "cycle 3" | "cycle 4") => Some("must be a tree"),
            ("no edge" | "two components" | "isolated node", "chain 1") | ("two components", _) => {
                Some("largest component")
            }
            ("no edge" | "one node" | "isolated node", motif) if motif != "chain 1" => {
                Some("has no edge at it")
            }
            ("directed cycle", _) | ("directed acyclic" | "directed to a sink", "chain 1") => {
                Some("go both ways")
            }
            ("directed acyclic" | "directed to a sink", _) => Some("has no edge out of it"),
            _ => None,
        }
    }

    #[test]
    fn the_law_of_plain_walks_is_stationary_and_the_only_one_or_the_chain_is_refused() {
        let checked = check_chain(refused, |network, motif| {
            Ok(Box::new(ApproximatePivot::new(network, motif, PivotParameters::default())?))
        });
        assert!(checked > 75, "{checked}");
    }

    #[test]
    fn it_is_lazy_where_it_could_be_periodic_and_as_set() {
        for (name, network) in tiny_networks() {
            let motif = Motif::path(2).unwrap();
            let Ok(pivot) = ApproximatePivot::new(network, &motif, PivotParameters::default()) else {
                continue;
            };
            let bipartite = ["path", "square", "star", "one edge", "weighted path", "weighted square"];
            assert_eq!(
                pivot.is_lazy(),
                bipartite.contains(&name) || name == "directed path, both ways",
                "{name}"
            );
        }
        let (_, square) = tiny_networks().swap_remove(4);
        for (lazy, period) in [(None, 1), (Some(true), 1), (Some(false), 2)] {
            let pivot =
                ApproximatePivot::new(square.clone(), &Motif::path(3).unwrap(), PivotParameters { lazy })
                    .unwrap();
            let checked = check(&pivot).unwrap();
            checked.assert_stationary("square");
            assert_eq!((checked.period, pivot.is_lazy()), (period, period == 1));
            let word = if period == 1 { "never forgets its side" } else { "may be periodic" };
            assert!(pivot.notes().len() == 1 && pivot.notes()[0].contains(word), "{:?}", pivot.notes());
        }
        let (_, triangle) = tiny_networks().swap_remove(0);
        let lazy = PivotParameters { lazy: Some(true) };
        let pivot = ApproximatePivot::new(triangle, &Motif::path(3).unwrap(), lazy).unwrap();
        check(&pivot).unwrap().assert_ergodic("lazy triangle");
        assert!(pivot.notes()[0].contains("need not"), "{:?}", pivot.notes());
    }

    #[test]
    fn a_network_without_nodes_is_refused() {
        let empty = Arc::new(Network::simple(0, &[]).unwrap());
        for (_, motif) in tiny_motifs() {
            assert!(ApproximatePivot::new(empty.clone(), &motif, PivotParameters::default()).is_err());
        }
    }
}
