//! The exact pivot chain: the pivot `x(1)` moves along an edge, the rest is redrawn given it.
//!
//! | symbol | here | where |
//! |---|---|---|
//! | `ℓ ∼ A(x(1),·)/d(x(1))` | the proposal, [`PivotMoves`] | docs/maths.md, Homomorphisms, "Pivot (exact)"; Algorithm MP of the paper |
//! | `min(1, [b_1(ℓ)/b_1(x(1))]·[d(x(1))/d(ℓ)]·[A(ℓ,x(1))/A(x(1),ℓ)])` | its acceptance | |
//! | `x'(i) \| x'(i−1) ∝ A(x'(i−1),·) b_i(·)` | [`Walk`](super::walk::Walk) | |
//! | `π(x) ∝ Π A(x(i),x(j))` | the stationary law | |
//!
//! The paper prints `Σ_c A(c,x(1)) / Σ_c A(x(1),c)` in the acceptance and a plain random walk from `x(i−1)`:
//! with those `π` is not stationary. On rejection the pivot stays and the rest is redrawn. The paper has
//! chains as motifs; here any tree will do.

use super::super::Chain;
use super::super::diagnostics::Acceptance;
use super::pivot_moves::{PivotMoves, PivotParameters};
use super::{ExactSampler, Motif, MotifSampler};
use crate::Result;
use crate::data::Network;
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;

/// The pivot chain with the stationary law `π`, for tree motifs. It starts in that law.
///
/// The pivot `x(1)` goes to `ℓ ∼ A(x(1),·)/d(x(1))` with probability `min(1, [b_1(ℓ)/b_1(x(1))]·[d(x(1))/d(ℓ)]·[A(ℓ,x(1))/A(x(1),ℓ)])`, where `d` are the sums of
/// rows and `b` the [`Backward`](super::Backward) weights; the other nodes are then drawn given it.
///
/// Valid on weighted networks, and on directed ones where the nodes that can be pivots are connected by edges
/// that go both ways. The acceptance counts moves of the pivot.
#[derive(Clone, Debug)]
pub(crate) struct Pivot {
    exact: ExactSampler,
    moves: PivotMoves,
}

impl Pivot {
    /// A chain of a tree motif, after `O(k·m)` work for the backward weights.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) for a motif that is no tree, where there is no
    /// homomorphism, and where the pivot cannot get from every node that it can be at to every other.
    pub(crate) fn new(network: Arc<Network>, motif: &Motif, parameters: PivotParameters) -> Result<Self> {
        let exact = ExactSampler::with_rows(network, motif, true)?;
        let draws = Arc::clone(exact.walk().draws());
        let moves = PivotMoves::new(draws, |v| exact.backward().pivot(v), parameters)?;
        Ok(Self { exact, moves })
    }

    /// The same with exponents for all densities.
    #[cfg(test)]
    fn wide(network: Arc<Network>, motif: &Motif) -> Result<Self> {
        let exact = ExactSampler::with_rows(network, motif, true)?;
        let (draws, law) = (Arc::clone(exact.walk().draws()), |v| exact.backward().pivot(v));
        let moves = PivotMoves::with_spread(draws, law, PivotParameters::default(), 0)?;
        assert!(moves.is_wide());
        Ok(Self { exact, moves })
    }

    /// Bytes of memory in addition to the network.
    #[cfg(test)]
    pub(crate) fn bytes(&self) -> usize {
        self.exact.bytes() + self.moves.bytes()
    }

    /// The most bytes that it would take in addition to the network.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) for a motif that is no tree.
    pub(crate) fn bytes_needed(network: &Network, motif: &Motif) -> Result<usize> {
        Ok(ExactSampler::bytes_needed(network, motif)?.saturating_add(PivotMoves::BYTES * network.nodes()))
    }

    /// Whether the pivot stays with probability 1/2 before each move.
    #[cfg(test)]
    pub(crate) fn is_lazy(&self) -> bool {
        self.moves.is_lazy()
    }

    /// The sampler of independent draws from the same law.
    #[cfg(test)]
    pub(crate) fn exact(&self) -> &ExactSampler {
        &self.exact
    }
}

impl Chain for Pivot {
    type State = Vec<u32>;
    type Info = Acceptance;

    fn init(&self, rng: &mut ChaCha8Rng) -> Vec<u32> {
        self.exact.init(rng)
    }

    fn step(&self, state: &mut Vec<u32>, rng: &mut ChaCha8Rng) -> Acceptance {
        let mut info = Acceptance::default();
        state[0] = self.moves.step(state[0], rng, &mut info);
        self.exact.walk().fill(state, rng);
        info
    }
}

impl MotifSampler for Pivot {
    fn motif(&self) -> &Motif {
        self.exact.motif()
    }

    fn network(&self) -> &Network {
        self.exact.network()
    }

    fn notes(&self) -> Vec<String> {
        self.moves.notes()
    }

    fn probability(&self, from: &[u32], to: &[u32]) -> f64 {
        self.moves.probability(from[0], to[0]) * self.exact.walk().probability(to)
    }

    fn sample(&self, state: &mut Vec<u32>, rng: &mut ChaCha8Rng, out: &mut [u32]) -> Acceptance {
        self.moves.sample(self.exact.walk(), state, rng, out)
    }
}

#[cfg(test)]
mod tests {
    use super::super::check::{ChiSquared, check_chain};
    use super::*;
    use crate::rng::{Purpose, stream};

    /// The word in the reason why there is no such chain.
    fn refused(network: &str, motif: &str) -> Option<&'static str> {
        match (network, motif) {
            (_, "cycle 3" | "cycle 4") => Some("must be a tree"),
            ("no edge" | "isolated node", "chain 1") | ("two components", _) => Some("largest component"),
            ("no edge" | "one node", motif) if motif != "chain 1" => Some("the network has none"),
            ("directed cycle" | "directed acyclic", _) | ("directed to a sink", "chain 1") => {
                Some("go both ways")
            }
            _ => None,
        }
    }

    #[test]
    fn the_law_is_stationary_and_the_only_one_or_the_chain_is_refused() {
        let checked = check_chain(refused, |network, motif| {
            Ok(Box::new(Pivot::new(network, motif, PivotParameters::default())?))
        });
        assert!(checked > 85, "{checked}");
    }

    #[test]
    fn densities_with_exponents_make_the_same_chain() {
        let checked = check_chain(refused, |network, motif| Ok(Box::new(Pivot::wide(network, motif)?)));
        assert!(checked > 85, "{checked}");
    }

    #[test]
    fn where_weights_spread_beyond_all_numbers_the_moves_are_in_balance_and_go_by_it() {
        // A hub with 2000 leaves and a path of 270 nodes: chains of 251 at its end see nothing of the hub.
        // (With 220 and 201 the backward weights have exponents, but the densities do without.)
        let (leaves, length) = (2000u32, 270u32);
        let mut edges: Vec<(u32, u32)> = (1..=leaves).map(|v| (0, v)).collect();
        edges.extend((0..length).map(|j| (if j == 0 { 0 } else { leaves + j }, leaves + j + 1)));
        let network = Arc::new(Network::simple((leaves + length) as usize + 1, &edges).unwrap());
        let motif = Motif::path(251).unwrap();
        let pivot = Pivot::new(Arc::clone(&network), &motif, PivotParameters::default()).unwrap();
        assert!(pivot.moves.is_wide() && pivot.is_lazy());
        let (moves, law) = (&pivot.moves, |v: u32| pivot.exact.backward().log_weight(0, v as usize));
        for (u, v, _) in network.each_edge() {
            let flow = |u: u32, v: u32| law(u) + moves.probability(u, v).ln();
            assert!((flow(u, v) - flow(v, u)).abs() < 1e-9, "{u} {v}: {} {}", flow(u, v), flow(v, u));
        }
        let seed = std::env::var("SEED").map_or(1, |seed| seed.parse().unwrap());
        let mut rng = stream(seed, Purpose::Chain, 3);
        for from in
            [7, leaves + 1, leaves + 2, leaves + 50, leaves + 150, leaves + length - 1, leaves + length]
        {
            let mut ends = network.neighbors(from as usize).to_vec();
            ends.push(from);
            let mut counts = vec![0; ends.len()];
            for _ in 0..3000 {
                let to = moves.step(from, &mut rng, &mut Acceptance::default());
                counts[ends.iter().position(|end| *end == to).unwrap()] += 1;
            }
            let mut chi2 = ChiSquared::default();
            chi2.add(&counts, &ends.iter().map(|&to| moves.probability(from, to)).collect::<Vec<_>>());
            chi2.assert(&format!("from {from}"));
        }
    }

    #[test]
    fn a_pivot_with_nowhere_to_go_leaves_the_rest_to_be_drawn() {
        // Only node 0 begins a walk of four steps.
        let arcs = [(0, 1, 1.0), (0, 2, 1.0), (1, 2, 1.0), (2, 3, 1.0), (1, 3, 1.0), (3, 4, 1.0)];
        let directed = crate::data::Build { directed: true, ..Default::default() };
        let ids = crate::data::NodeIds::numbered(5);
        let network = Arc::new(Network::build(ids, &arcs, false, directed).unwrap().0);
        let pivot = Pivot::new(network, &Motif::path(5).unwrap(), PivotParameters::default()).unwrap();
        super::super::check::check(&pivot).unwrap().assert_ergodic("one pivot");
    }
}
