//! Network dictionary learning: the atoms that a network's patches are made of, its latent motifs.
//!
//! | paper | here | where |
//! |---|---|---|
//! | `T` minibatches of `N` patches | `steps`, `watching.batch` | Algorithm NDL, MATH.md 7 |
//! | `w_t = 1/t`, `C = {W ≥ 0, ‖W_j‖ ≤ 1}`, `λ = 1` | `parameters`, which has these as its defaults | the paper's setting |
//! | dominance `√A_jj`, of sum 1 | [`Model::dominance`](super::Model::dominance) | MATH.md 7 |

use crate::Result;
use crate::chain::MotifSampler;
use crate::data::Network;
use crate::factor::{Factoriser, Parameters};
use crate::linalg::{Mat, Scalar};
use crate::patch::{NetworkStream, Watching};
use std::sync::Arc;

/// How a network dictionary is learned; the defaults are the paper's.
///
/// `T` minibatches of `N` patches `A_x` of homomorphisms `x`, k²×N each, are factorised by `W ≥ 0` of `r` columns: Algorithm NDL.
///
/// ```
/// use ergodict::{chain::{ExactSampler, Motif}, data::embedded, dictionary::NetworkLearning};
/// let network = std::sync::Arc::new(embedded("@karate")?);
/// let sampler = std::sync::Arc::new(ExactSampler::new(network.clone(), &Motif::chain(8)?)?);
/// let learning = NetworkLearning { steps: 20, ..NetworkLearning::new(6) };
/// let learned = learning.learn::<f64>(&[(network, sampler)], 0)?;
/// assert_eq!((learned.dictionary().rows(), learned.dictionary().cols()), (64, 6));
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct NetworkLearning {
    /// Minibatches, `T`.
    pub steps: u64,
    /// How chains are watched.
    pub watching: Watching,
    /// Those of the online scheme.
    pub parameters: Parameters,
}

impl NetworkLearning {
    /// The paper's setting with `atoms` atoms, of which it has 25.
    pub fn new(atoms: usize) -> Self {
        Self { steps: 100, watching: Watching::default(), parameters: Parameters::new(atoms) }
    }

    /// Learns from one network or from several at once, each with a sampler of the same motif in it.
    ///
    /// # Errors
    /// Those of [`NetworkStream::new`], [`Factoriser::random`] and [`Factoriser::step`].
    pub fn learn<T: Scalar>(
        &self,
        networks: &[(Arc<Network>, Arc<dyn MotifSampler>)],
        seed: u64,
    ) -> Result<Factoriser<T>> {
        let mut stream = NetworkStream::new(networks, self.watching, seed)?;
        let mut factoriser = Factoriser::random(self.parameters.clone(), stream.k() * stream.k(), seed)?;
        let mut x = Mat::zeros(0, 0);
        for _ in 0..self.steps {
            stream.fill(&mut x);
            factoriser.step(&x)?;
        }
        Ok(factoriser)
    }
}
