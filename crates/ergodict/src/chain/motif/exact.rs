//! Independent exact draws of homomorphisms of a tree motif.
//!
//! | symbol | here | where |
//! |---|---|---|
//! | `π(x) ∝ Π A(x(i),x(j))` | the law of every draw | docs/maths.md, Homomorphisms |
//! | `x(1) ∝ b_1` | an alias table | docs/maths.md, Homomorphisms, "Exact" |
//! | `x(i) \| x(i−1) ∝ A(x(i−1),·) b_i(·)` | [`Walk`] with backward weights | |
//!
//! The paper does not have it. It is valid on all networks, weighted or directed, connected or not.

use super::super::Chain;
use super::super::diagnostics::Acceptance;
use super::alias::AliasTables;
use super::backward::Backward;
use super::row_draw::RowDraws;
use super::walk::{LANES, Walk};
use super::{Motif, MotifSampler};
use crate::Result;
use crate::data::Network;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;
use std::sync::Arc;

/// Draws homomorphisms of a tree motif independently from `π`.
///
/// `x(1) ∝ b_1` and `x(i) | x(i−1) ∝ A(x(i−1),·) b_i(·)` with backward weights `b`, after which `π(x) ∝ Π A(x(i),x(j))`.
///
/// The probability of a draw is that of `π` but for rounding. The factor of a node is off by at most
/// `(32 + d)·2⁻⁵³`, where `d` is the degree of its parent: 32 tries are decided by 53 random bits each, after
/// which `d` numbers are added up.
///
/// ```
/// use ergodict::{chain::{Chain, ExactSampler, Motif, MotifSampler}, rng};
/// use ergodict::data::Network;
/// let network = Network::simple(4, &[(0, 1), (1, 2), (2, 0), (2, 3)])?;
/// let sampler = ExactSampler::new(network.into(), &Motif::path(21)?)?;
/// let mut rng = rng::stream(0, rng::Purpose::Chain, 0);
/// let x = sampler.init(&mut rng);
/// assert!(x.windows(2).all(|pair| sampler.network().weight(pair[0] as usize, pair[1] as usize) > 0.0));
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ExactSampler {
    network: Arc<Network>,
    motif: Motif,
    backward: Arc<Backward>,
    walk: Walk,
    roots: AliasTables,
}

impl ExactSampler {
    /// A sampler of a tree motif, after `O(k·m)` work for the backward weights.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) for a motif that is no tree, and where there is no
    /// homomorphism.
    pub fn new(network: Arc<Network>, motif: &Motif) -> Result<Self> {
        Self::with_rows(network, motif, false)
    }

    /// The same, with draws from `A(v,·)` even where the motif has no edge that needs them.
    pub(super) fn with_rows(network: Arc<Network>, motif: &Motif, outgoing: bool) -> Result<Self> {
        let backward = Arc::new(Backward::new(&network, motif)?);
        let edges = motif.tree().map_or(&[][..], |tree| &tree.downward[1..]);
        let (downward, upward) = (outgoing || edges.contains(&true), edges.contains(&false));
        let draws = Arc::new(RowDraws::new(Arc::clone(&network), downward, upward));
        let roots: Vec<f64> = (0..network.nodes()).map(|v| backward.relative_pivot(v)).collect();
        let roots = AliasTables::of_weights(&roots);
        let walk = Walk::new(draws, motif, Some(Arc::clone(&backward)));
        Ok(Self { network, motif: motif.clone(), backward, walk, roots })
    }

    /// The backward weights, and with them the number of homomorphisms.
    pub(crate) fn backward(&self) -> &Backward {
        &self.backward
    }

    /// Bytes of memory in addition to the network.
    #[cfg(test)]
    pub(crate) fn bytes(&self) -> usize {
        self.backward.bytes() + self.walk.bytes() + self.roots.bytes()
    }

    /// The most bytes that it would take in addition to the network: no less than [`ExactSampler::bytes`].
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) for a motif that is no tree.
    pub(crate) fn bytes_needed(network: &Network, motif: &Motif) -> Result<usize> {
        let (n, cell) = (network.nodes(), AliasTables::CELL);
        // A table of the reference for each direction, with weights of its own and a bound for each message.
        let ways = if network.is_directed() { 2 } else { 1 };
        let table = cell.saturating_mul(network.stored() as usize).saturating_add(8 * n);
        let references = ways * table + Backward::bytes_of_bounds(network, motif)?;
        let weights = Backward::bytes_needed(network, motif)?;
        Ok(weights.saturating_add(references).saturating_add(cell * n) + RowDraws::bytes_needed(network))
    }

    pub(super) fn walk(&self) -> &Walk {
        &self.walk
    }

    #[inline(always)]
    fn root(&self, rng: &mut ChaCha8Rng) -> u32 {
        self.roots.draw(rng.next_u64())
    }
}

impl Chain for ExactSampler {
    type State = Vec<u32>;
    type Info = Acceptance;

    fn init(&self, rng: &mut ChaCha8Rng) -> Vec<u32> {
        let mut x = vec![0; self.motif.k()];
        self.step(&mut x, rng);
        x
    }

    /// A new draw, whatever the state; it counts as a proposal accepted.
    fn step(&self, state: &mut Vec<u32>, rng: &mut ChaCha8Rng) -> Acceptance {
        state[0] = self.root(rng);
        self.walk.fill(state, rng);
        Acceptance { accepted: 1, proposed: 1 }
    }
}

impl MotifSampler for ExactSampler {
    fn motif(&self) -> &Motif {
        &self.motif
    }

    fn network(&self) -> &Network {
        &self.network
    }

    fn probability(&self, _: &[u32], to: &[u32]) -> f64 {
        self.backward.pivot_probability(to[0] as usize) * self.walk.probability(to)
    }

    fn is_independent(&self) -> bool {
        true
    }

    fn sample(&self, state: &mut Vec<u32>, rng: &mut ChaCha8Rng, out: &mut [u32]) -> Acceptance {
        let k = self.motif.k();
        for block in out.chunks_mut(LANES * k) {
            block.chunks_exact_mut(k).for_each(|x| x[0] = self.root(rng));
            self.walk.fill_block(block, rng);
        }
        if let Some(last) = out.chunks_exact(k).last() {
            state.copy_from_slice(last);
        }
        let draws = (out.len() / k) as u64;
        Acceptance { accepted: draws, proposed: draws }
    }
}

#[cfg(test)]
mod tests {
    use super::super::check::{check, check_chain, check_from, tiny_motifs, tiny_networks};
    use super::*;
    use crate::rng::{Purpose, stream};

    /// The word in the reason why there is no such sampler.
    fn refused(network: &str, motif: &str) -> Option<&'static str> {
        match (network, motif) {
            (_, "cycle 3" | "cycle 4") => Some("must be a tree"),
            ("no edge" | "one node", motif) if motif != "chain 1" => Some("the network has none"),
            _ => None,
        }
    }

    #[test]
    fn draws_have_the_law_on_every_network() {
        let make = |network, motif: &Motif| -> Result<Box<dyn MotifSampler>> {
            Ok(Box::new(ExactSampler::new(network, motif)?))
        };
        let checked = check_chain(refused, make);
        assert!(checked > 125, "{checked}");
    }

    #[test]
    fn tables_summed_rows_and_wide_weights_draw_from_the_same_law() {
        let seed = std::env::var("SEED").map_or(1, |seed| seed.parse().unwrap());
        let (mut rng, mut tables) = (stream(seed, Purpose::Chain, 1), 0);
        for (name, network) in tiny_networks() {
            for (shape, motif) in tiny_motifs() {
                let Ok(mut sampler) = ExactSampler::new(network.clone(), &motif) else { continue };
                let case = format!("{name}, {shape}");
                let Some(plain) = check(&sampler) else { continue };
                // Tables of a reference level wherever they save anything.
                sampler.walk.lean(0.0);
                check_from(&sampler, &plain, &mut rng, 0, 3000, 0).assert(&case);
                check_from(&sampler, &plain, &mut rng, 0, 3000, 2).assert(&case);
                assert!(sampler.bytes() <= ExactSampler::bytes_needed(&network, &motif).unwrap(), "{case}");
                tables += sampler.walk.tables();
                // No try at all: every row is summed up.
                sampler.walk.tries = 0;
                check_from(&sampler, &plain, &mut rng, 0, 3000, 0).assert(&case);
                check_from(&sampler, &plain, &mut rng, 0, 3000, 2).assert(&case);
                let wide = Arc::new(Backward::wide(&network, &motif).unwrap());
                sampler.walk = Walk::new(Arc::clone(sampler.walk.draws()), &motif, Some(Arc::clone(&wide)));
                sampler.backward = wide;
                let checked = check(&sampler).unwrap();
                checked.assert_ergodic(&case);
                let pairs = plain.matrix[0].iter().zip(&checked.matrix[0]);
                assert!(pairs.into_iter().all(|(p, q)| (p - q).abs() < 1e-14), "{case}");
                check_from(&sampler, &plain, &mut rng, 0, 3000, 0).assert(&case);
                check_from(&sampler, &plain, &mut rng, 0, 3000, 2).assert(&case);
            }
        }
        assert!(tables > 30, "{tables} cases with a table");
    }

    #[test]
    fn a_network_without_nodes_is_refused() {
        let empty = Arc::new(Network::simple(0, &[]).unwrap());
        for (_, motif) in tiny_motifs().into_iter().filter(|(_, motif)| motif.tree().is_some()) {
            let message = ExactSampler::new(empty.clone(), &motif).unwrap_err().to_string();
            assert!(message.contains("no nodes"), "{message}");
        }
    }
}
