//! What samplers of homomorphisms have in common.

use super::super::diagnostics::Acceptance;
use super::super::{Chain, Tally};
use super::Motif;
use crate::data::Network;
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;

/// A network and the sampler of its motif.
pub type SampledNetwork = (Arc<Network>, Arc<dyn MotifSampler>);

/// A chain of homomorphisms `x: F → 𝒢`. Its state holds the node of the network at each node of the motif.
///
/// The law is `π(x) ∝ Π_{(i,j) ∈ F} A(x(i), x(j))`, except where a sampler says otherwise.
///
/// ```
/// use ergodict::{chain::{Chain, ExactSampler, Motif, MotifSampler}, rng};
/// use ergodict::data::Network;
/// let network = Network::simple(4, &[(0, 1), (1, 2), (2, 0), (2, 3)])?;
/// let sampler = ExactSampler::new(network.into(), &Motif::path(3)?)?;
/// // There are 18 homomorphisms, and each is drawn with probability 1/18.
/// assert!((sampler.probability(&[0, 1, 2], &[3, 2, 3]) - 1.0 / 18.0).abs() < 1e-12);
/// assert!(sampler.is_state(&[3, 2, 3]) && !sampler.is_state(&[3, 0, 1]));
/// # Ok::<(), ergodict::Error>(())
/// ```
pub trait MotifSampler: Chain<State = Vec<u32>, Info = Acceptance> + Send + Sync {
    /// The motif `F`.
    fn motif(&self) -> &Motif;

    /// The network `𝒢`.
    fn network(&self) -> &Network;

    /// What the stationary law gives to `x`, up to a constant; 0 for what is no homomorphism. For checks and
    /// for small networks: it may take its time.
    fn weight(&self, x: &[u32]) -> f64 {
        let network = self.network();
        self.motif()
            .edges()
            .iter()
            .map(|&(i, j)| network.weight(x[i as usize] as usize, x[j as usize] as usize))
            .product()
    }

    /// Whether it can be at `x`: whether its law gives it a weight, however small. Nodes beyond the network
    /// are in no state.
    fn is_state(&self, x: &[u32]) -> bool {
        let network = self.network();
        let there =
            |&(i, j): &(u32, u32)| network.weight(x[i as usize] as usize, x[j as usize] as usize) > 0.0;
        x.len() == self.motif().k()
            && x.iter().all(|&v| (v as usize) < network.nodes())
            && self.motif().edges().iter().all(there)
    }

    /// The probability of a step from `from` to `to`, put together from the same acceptance and conditional
    /// probabilities that [`Chain::step`] draws from. For checks on small networks.
    fn probability(&self, from: &[u32], to: &[u32]) -> f64;

    /// Whether every step is an independent draw from the law.
    fn is_independent(&self) -> bool {
        false
    }

    /// What a user of this sampler on this network should know.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }

    /// Takes `out.len() / k` steps and writes the state after each. SamplerBuilder that can go through several
    /// walks at a time do: the law is that of single steps, the random numbers need not be, and what comes
    /// out depends on how many are asked for at a time.
    fn sample(&self, state: &mut Vec<u32>, rng: &mut ChaCha8Rng, out: &mut [u32]) -> Acceptance {
        let mut info = Acceptance::default();
        for x in out.chunks_exact_mut(self.motif().k()) {
            info.add(self.step(state, rng));
            x.copy_from_slice(state);
        }
        info
    }
}
