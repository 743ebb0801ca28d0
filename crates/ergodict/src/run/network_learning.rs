//! Network dictionary learning: the atoms that a network's patches are made of, its latent motifs.
//!
//! | paper | here | where |
//! |---|---|---|
//! | `T` minibatches of `N` patches | `steps`, `watching.batch` | Algorithm NDL, docs/maths.md, Patches |
//! | `w_t = 1/t`, `C = {W ≥ 0, ‖W_j‖ ≤ 1}`, `λ = 1` | `parameters`, which has these as its defaults | the paper's setting |
//! | dominance `√A_jj`, of sum 1 | [`Model::dominance`](crate::model::Model::dominance) | docs/maths.md, Patches |

use super::{NetworkPlan, NetworkSource, Run, RunPlan, Stop, Window};
use crate::chain::{SampledNetwork, SamplerKind};
use crate::data::Times;
use crate::factor::{FactorSettings, Factorizer};
use crate::linalg::Scalar;
use crate::patch::{BatchPlan, NetworkForm};
use crate::settings::NetworkSettings;
use crate::{Error, Result};
use std::sync::Arc;

/// How a network dictionary is learned; the defaults are the paper's.
///
/// `T` minibatches of `N` patches `A_x` of homomorphisms `x`, k²×N each, are factorized by `W ≥ 0` of `r` columns: Algorithm NDL.
///
/// ```
/// use ergodict::{chain::{ExactSampler, Motif}, data::embedded, run::NetworkLearning};
/// let network = std::sync::Arc::new(embedded("@karate")?);
/// let sampler = std::sync::Arc::new(ExactSampler::new(network.clone(), &Motif::path(8)?)?);
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
    pub watching: BatchPlan,
    /// Those of the online scheme.
    pub parameters: FactorSettings,
}

impl NetworkLearning {
    /// The paper's setting with `atoms` atoms, of which it has 25.
    pub fn new(atoms: usize) -> Self {
        Self { steps: 100, watching: BatchPlan::default(), parameters: FactorSettings::new(atoms) }
    }

    /// Learns from one network or from several at once, each with a sampler of the same motif in it.
    ///
    /// # Errors
    /// [`Error::Parameter`] where there is no network, and for chains without a patch; those of [`Run::new`] and [`Run::run`].
    pub fn learn<T: Scalar>(&self, networks: &[SampledNetwork], seed: u64) -> Result<Factorizer<T>> {
        let mut run = self.run(networks, seed)?;
        run.run(None, &Stop::default())?;
        run.into_dictionary()
    }

    /// The run that [`NetworkLearning::learn`] goes through.
    pub(crate) fn run<T: Scalar>(&self, networks: &[SampledNetwork], seed: u64) -> Result<Run<T>> {
        let Some(motif) = networks.first().map(|(_, sampler)| sampler.motif()) else {
            return Err(Error::parameter("the number of networks", 0, "at least one is needed"));
        };
        let directed = networks.iter().any(|(network, _)| network.is_directed());
        let weighted = networks.iter().any(|(network, _)| network.is_weighted());
        let plan = NetworkPlan {
            steps: self.steps,
            batches: self.watching,
            score_patches: NetworkSettings::default().score_patches,
            times: Times::Numbers,
            form: NetworkForm::new(motif, directed, weighted),
            sampler: SamplerKind::Exact,
            title: None,
            seed,
        };
        let network = |(network, sampler): &SampledNetwork| Window {
            name: String::new(),
            span: None,
            network: Arc::clone(network),
            drawn: Ok((Arc::clone(network), Arc::clone(sampler))),
        };
        let source = NetworkSource::new(networks.iter().map(network).collect(), plan)?;
        let first = Factorizer::random(self.parameters.clone(), motif.k() * motif.k(), seed)?;
        let plan = RunPlan::new("network learn", self.parameters.clone(), seed);
        Run::new(plan, Box::new(source), Some(first))
    }
}

#[cfg(test)]
mod tests;
