//! The unit of work: one chain, from where it is, for some minibatches against a frozen dictionary.

use super::arithmetic::{arithmetic, other_arithmetic};
use crate::chain::SampledNetwork;
use crate::chain::diagnostics::Acceptance;
use crate::chain::{MotifPoint, MotifSampler, MotifWalker, Trace};
use crate::data::Adjacency;
use crate::factor::{Aggregates, FactorSettings, Factorizer, Statistics};
use crate::linalg::{Mat, Scalar};
use crate::model::Precision;
use crate::patch::{NetworkForm, NetworkPatches};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A network with a sampler in it: what tasks need of the machine that they run on, made once and used by all of them.
///
/// ```
/// use ergodict::chain::SampledNetwork;
/// use ergodict::{chain::{ExactSampler, Motif}, run::TaskContext};
/// let karate = std::sync::Arc::new(ergodict::data::embedded("karate")?);
/// let drawn: SampledNetwork = (karate.clone(), std::sync::Arc::new(ExactSampler::new(karate, &Motif::path(4)?)?));
/// let place = TaskContext::new(&drawn);
/// assert_eq!(place.form().k, 4);
/// # Ok::<(), ergodict::Error>(())
/// ```
pub struct TaskContext {
    sampler: Arc<dyn MotifSampler>,
    patches: NetworkPatches,
    form: NetworkForm,
}

impl TaskContext {
    /// A place to draw patches at.
    pub fn new((network, sampler): &SampledNetwork) -> Self {
        let motif = sampler.motif();
        let form = NetworkForm::new(motif, network.is_directed(), network.is_weighted());
        let patches = NetworkPatches::new(network, motif.k(), Adjacency::BUDGET);
        Self { sampler: Arc::clone(sampler), patches, form }
    }

    /// What patches are.
    pub fn form(&self) -> &NetworkForm {
        &self.form
    }

    /// Numbers of a patch.
    pub(crate) fn features(&self) -> usize {
        self.patches.features()
    }

    /// The first minibatch of a chain, which the chain does not remember.
    pub(in crate::run) fn first<T: Scalar>(
        &self,
        seed: u64,
        batch: usize,
        burn_in: u64,
        every: u64,
    ) -> Result<Mat<T>> {
        let mut walker = MotifWalker::new(Arc::clone(&self.sampler), seed, 0, burn_in, every)?;
        let mut xs = vec![0; batch * self.form.k];
        walker.fill(&mut xs);
        let mut x = Mat::zeros(0, 0);
        self.patches.write_all(&xs, &mut x);
        Ok(x)
    }
}

/// A chain between two rounds.
///
/// ```
/// use ergodict::chain::{ExactSampler, Motif, SampledNetwork, SamplerKind};
/// use ergodict::run::{RoundLearning, RoundSource, Run, RunPlan, TaskContext};
/// let karate = std::sync::Arc::new(ergodict::data::embedded("karate")?);
/// let drawn: SampledNetwork = (karate.clone(), std::sync::Arc::new(ExactSampler::new(karate, &Motif::path(4)?)?));
/// let (place, learning) = (TaskContext::new(&drawn), RoundLearning::new(3));
/// let plan = RunPlan::new("rounds", learning.parameters.clone(), 0);
/// let source = RoundSource::<f64>::new(learning, "karate", &drawn, SamplerKind::Exact, 0)?;
/// let run = Run::new(plan, Box::new(source), None)?;
/// let task = &run.tasks()?[0];
/// let after = task.run(&place, &|| false)?.state;
/// assert!(task.state.point.is_none() && after.point.is_some_and(|point| point.kept == 100));
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct RoundChain {
    /// Where it is, with the position in its stream of random numbers; none before its first round.
    pub point: Option<MotifPoint>,
    /// Proposals accepted and made.
    pub acceptance: Acceptance,
    /// What it was watched by.
    pub trace: Trace,
}

/// What one chain does in one round. [`RoundTask::to_bytes`] is how it travels.
///
/// ```
/// use ergodict::chain::{ExactSampler, Motif, SampledNetwork, SamplerKind};
/// use ergodict::run::{RoundLearning, RoundSource, RoundTask, Run, RunPlan, TaskContext};
/// let karate = std::sync::Arc::new(ergodict::data::embedded("karate")?);
/// let drawn: SampledNetwork = (karate.clone(), std::sync::Arc::new(ExactSampler::new(karate, &Motif::path(4)?)?));
/// let (place, learning) = (TaskContext::new(&drawn), RoundLearning::new(3));
/// let plan = RunPlan::new("rounds", learning.parameters.clone(), 0);
/// let source = RoundSource::<f64>::new(learning, "karate", &drawn, SamplerKind::Exact, 0)?;
/// let run = Run::new(plan, Box::new(source), None)?;
/// let bytes = run.tasks()?[7].to_bytes()?; // to another process
/// assert_eq!(RoundTask::from_bytes(&bytes)?.run(&place, &|| false)?.chain, 7);
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct RoundTask {
    /// Rounds before this one.
    pub round: u64,
    /// The chain's number, which is that of its stream.
    pub chain: u64,
    /// The chain as it is.
    pub state: RoundChain,
    /// The seed of all chains.
    pub seed: u64,
    /// Steps before the first homomorphism.
    pub burn_in: u64,
    /// Steps from one homomorphism to the next.
    pub every: u64,
    /// Minibatches, `T`.
    pub minibatches: u64,
    /// Columns of each, `N`.
    pub batch: usize,
    /// Those of the scheme, which codes depend on.
    pub parameters: FactorSettings,
    /// The precision that it is calculated in.
    pub precision: Precision,
    /// `W`, d×r.
    pub w: Mat<f64>,
    /// What [`arithmetic`] must be where it runs.
    pub arithmetic: String,
}

/// What a chain found in a round.
///
/// ```
/// use ergodict::chain::{ExactSampler, Motif, SampledNetwork, SamplerKind};
/// use ergodict::run::{RoundLearning, RoundSource, RoundOutcome, Run, RunPlan, TaskContext};
/// let karate = std::sync::Arc::new(ergodict::data::embedded("karate")?);
/// let drawn: SampledNetwork = (karate.clone(), std::sync::Arc::new(ExactSampler::new(karate, &Motif::path(4)?)?));
/// let (place, learning) = (TaskContext::new(&drawn), RoundLearning::new(3));
/// let plan = RunPlan::new("rounds", learning.parameters.clone(), 0);
/// let source = RoundSource::<f64>::new(learning, "karate", &drawn, SamplerKind::Exact, 0)?;
/// let run = Run::new(plan, Box::new(source), None)?;
/// let outcome = run.tasks()?[0].run(&place, &|| false)?;
/// assert_eq!((outcome.statistics.weight, outcome.losses.len()), (100.0, 1));
/// assert_eq!(RoundOutcome::from_bytes(&outcome.to_bytes()?)?, outcome); // and back
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct RoundOutcome {
    /// The round and the chain of the task.
    pub round: u64,
    /// See above.
    pub chain: u64,
    /// Sums over all columns, minibatch after minibatch.
    pub statistics: Statistics,
    /// `ℓ(X, W)` of each minibatch, a sum over its columns.
    pub losses: Vec<f64>,
    /// Columns whose codes met the cap on rounds before the tolerance.
    pub capped: u64,
    /// The chain as it has become.
    pub state: RoundChain,
}

impl RoundTask {
    /// Draws, codes and adds up. `stop` is asked between minibatches.
    ///
    /// # Errors
    /// [`Error::Parameter`] where numbers round otherwise than where the task was made, for a state that the sampler cannot be at and for patches of
    /// another size than atoms; [`Error::Interrupted`]; those of [`Factorizer::statistics`].
    pub fn run(&self, place: &TaskContext, stop: &dyn Fn() -> bool) -> Result<RoundOutcome> {
        match self.precision {
            Precision::F32 => self.run_in::<f32>(place, stop),
            Precision::F64 => self.run_in::<f64>(place, stop),
        }
    }

    fn run_in<T: Scalar>(&self, place: &TaskContext, stop: &dyn Fn() -> bool) -> Result<RoundOutcome> {
        let (d, r) = (self.w.rows(), self.w.cols());
        if place.features() != d {
            let expected = format!("patches have {} numbers here", place.features());
            return Err(Error::parameter("the number of rows of W", d, expected));
        }
        let here = arithmetic::<T>(&self.parameters, d, self.batch)?;
        if here != self.arithmetic {
            return Err(other_arithmetic(&here, &self.arithmetic));
        }
        // Nothing was learned here: a factorizer without a past only codes.
        let none = Aggregates {
            a: Mat::zeros(r, r),
            b_transposed: Mat::zeros(d, r),
            r: 0.0,
            t: 0,
            samples: 0,
            width: 0.0,
        };
        let mut factorizer = Factorizer::<T>::resume(self.parameters.clone(), self.w.cast(), none)?;
        let (sampler, every) = (Arc::clone(&place.sampler), self.every);
        let mut walker = match &self.state.point {
            Some(point) => MotifWalker::resumed(sampler, self.seed, self.chain, every, point)?,
            None => MotifWalker::new(sampler, self.seed, self.chain, self.burn_in, every)?,
        };
        let mut trace = self.state.trace.clone();
        let mut statistics = Statistics::zero(d, r);
        let (mut losses, mut capped) = (Vec::new(), 0);
        let (mut xs, mut x) = (vec![0; self.batch * place.form.k], Mat::<T>::zeros(0, 0));
        for _ in 0..self.minibatches {
            if stop() {
                return Err(Error::Interrupted);
            }
            walker.fill(&mut xs);
            place.patches.write_all(&xs, &mut x);
            let (found, report, loss) = factorizer.statistics_told(&x)?;
            statistics.merge(&found)?;
            losses.push(loss);
            capped += report.capped;
            (0..x.cols()).for_each(|j| trace.push_with(|| place.form.off_motif(x.col(j))));
        }
        let state = RoundChain { point: Some(walker.point()), acceptance: walker.acceptance(), trace };
        Ok(RoundOutcome { round: self.round, chain: self.chain, statistics, losses, capped, state })
    }
}
