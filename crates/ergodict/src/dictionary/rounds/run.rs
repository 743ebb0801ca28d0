//! The run that rounds make: the dictionary and the chains between two rounds, the tasks of the next, and the step that its outcomes make.

use super::RoundLearning;
use super::arithmetic::arithmetic;
use super::task::{RoundChain, RoundOutcome, RoundPlace, RoundTask};
use crate::chain::diagnostics::Acceptance;
use crate::chain::{ChainPoint, Tally, Watched};
use crate::dictionary::{Model, Precision, Tracked};
use crate::factor::code::CodeReport;
use crate::factor::{Factoriser, Statistics, StepReport};
use crate::linalg::{Mat, Scalar};
use crate::{Error, Result};
use serde_json::{Value, json};
use std::path::Path;

/// What the first dictionary is.
///
/// ```
/// use ergodict::chain::{ExactSampler, Motif};
/// use ergodict::dictionary::{Drawn, RoundLearning, RoundPlace, RoundRun, RoundStart};
/// let karate = std::sync::Arc::new(ergodict::data::embedded("karate")?);
/// let drawn: Drawn = (karate.clone(), std::sync::Arc::new(ExactSampler::new(karate, &Motif::chain(4)?)?));
/// let run = RoundRun::<f64>::new(RoundLearning::new(3), &RoundPlace::new(&drawn), RoundStart::Data, 0)?;
/// let w = run.tracked().learned()?.dictionary();
/// assert_eq!((w.rows(), w.cols()), (16, 3));
/// # Ok::<(), ergodict::Error>(())
/// ```
pub enum RoundStart {
    /// Random, by the seed.
    Random,
    /// Patches of the first minibatch of chain 0.
    Data,
    /// This one, d×r.
    Given(Mat<f64>),
}

/// Learning in rounds, between two of them.
///
/// ```
/// use ergodict::chain::{ExactSampler, Motif};
/// use ergodict::dictionary::{Drawn, RoundLearning, RoundPlace, RoundRun, RoundStart};
/// let karate = std::sync::Arc::new(ergodict::data::embedded("karate")?);
/// let drawn: Drawn = (karate.clone(), std::sync::Arc::new(ExactSampler::new(karate, &Motif::chain(4)?)?));
/// let (place, learning) = (RoundPlace::new(&drawn), RoundLearning { chains: 2, batch: 20, ..RoundLearning::new(3) });
/// let mut run = RoundRun::<f64>::new(learning, &place, RoundStart::Random, 0)?;
/// let outcomes: Result<Vec<_>, _> = run.tasks()?.iter().map(|task| task.run(&place, &|| false)).collect();
/// run.absorb(outcomes?)?; // wherever the tasks were run
/// assert_eq!((run.made(), run.tracked().samples()), (1, 40));
/// # Ok::<(), ergodict::Error>(())
/// ```
pub struct RoundRun<T: Scalar> {
    learning: RoundLearning,
    seed: u64,
    arithmetic: String,
    tracked: Tracked<T>,
    /// Where chains are; their traces are those of `watched`.
    chains: Vec<RoundChain>,
    observable: String,
}

impl<T: Scalar> RoundRun<T> {
    /// Nothing learned yet.
    ///
    /// # Errors
    /// Those of [`RoundLearning::check`], [`Factoriser::random`], [`Factoriser::from_data`] and [`Factoriser::from_dictionary`].
    pub fn new(learning: RoundLearning, place: &RoundPlace, start: RoundStart, seed: u64) -> Result<Self> {
        learning.check()?;
        let (d, parameters) = (place.features(), learning.parameters.clone());
        let factoriser = match start {
            RoundStart::Random => Factoriser::random(parameters, d, seed)?,
            RoundStart::Data => {
                let x: Mat<T> = place.first(seed, learning.batch, learning.burn_in, learning.every)?;
                Factoriser::from_data(parameters, x.as_ref(), seed)?
            }
            RoundStart::Given(w) => Factoriser::from_dictionary(parameters, w.cast::<T>().as_ref())?,
        };
        let observable = if place.form().weighted { "weight off the motif" } else { "edges off the motif" };
        let watched = Watched::new(observable, "", learning.chains, 1);
        let fresh = |trace| RoundChain { point: None, acceptance: Acceptance::default(), trace };
        let chains = watched.traces.into_iter().map(fresh).collect();
        let arithmetic = arithmetic::<T>(&learning.parameters, d, learning.batch)?;
        let tracked = Tracked::new(Some(factoriser));
        Ok(Self { learning, seed, arithmetic, tracked, chains, observable: observable.to_owned() })
    }

    /// How it learns.
    pub fn learning(&self) -> &RoundLearning {
        &self.learning
    }

    /// Rounds made.
    pub fn made(&self) -> u64 {
        self.tracked.steps()
    }

    /// What was learned so far.
    pub fn tracked(&self) -> &Tracked<T> {
        &self.tracked
    }

    /// The same, when nothing more is to come.
    ///
    /// # Errors
    /// None but for a defect: there is a dictionary from the beginning.
    pub fn into_factoriser(self) -> Result<Factoriser<T>> {
        let missing = || Error::parameter("the number of samples", 0, "at least one is needed");
        self.tracked.factoriser.ok_or_else(missing)
    }

    /// What each chain is to do in the next round, in the order of the chains.
    ///
    /// # Errors
    /// None but for a defect, as above.
    pub fn tasks(&self) -> Result<Vec<RoundTask>> {
        let w: Mat<f64> = self.tracked.learned()?.dictionary().cast();
        let precision = if T::NAME == "f32" { Precision::F32 } else { Precision::F64 };
        let learning = &self.learning;
        let task = |(chain, state): (u64, &RoundChain)| RoundTask {
            round: self.made(),
            chain,
            state: state.clone(),
            seed: self.seed,
            burn_in: learning.burn_in,
            every: learning.every,
            minibatches: learning.minibatches,
            batch: learning.batch,
            parameters: learning.parameters.clone(),
            precision,
            w: w.clone(),
            arithmetic: self.arithmetic.clone(),
        };
        Ok((0..).zip(&self.chains).map(task).collect())
    }

    /// One step from what all chains found, in the order of the chains.
    ///
    /// # Errors
    /// [`Error::Shape`] for outcomes of another round, and where one is missing or out of order; those of [`Factoriser::absorb`].
    pub fn absorb(&mut self, outcomes: Vec<RoundOutcome>) -> Result<StepReport> {
        let (round, chains) = (self.made(), self.chains.len() as u64);
        let found: Vec<(u64, u64)> = outcomes.iter().map(|outcome| (outcome.round, outcome.chain)).collect();
        if found.len() as u64 != chains || !(0..).zip(&found).all(|(at, &own)| own == (round, at)) {
            let expected = format!("one for round {round} of each of {chains} chains, in their order");
            let found = format!("(round, chain) {:?}", &found[..found.len().min(8)]);
            return Err(Error::shape("the list of outcomes", found, expected));
        }
        let factoriser = self.tracked.learned()?;
        let (d, r) = (factoriser.dictionary().rows(), factoriser.dictionary().cols());
        let mut all = Statistics::zero(d, r);
        outcomes.iter().try_for_each(|outcome| all.merge(&outcome.statistics))?;
        let capped = outcomes.iter().map(|outcome| outcome.capped).sum();
        let report = self.tracked.absorb_coded(&all, CodeReport { capped, ..CodeReport::default() })?;
        self.chains = outcomes.into_iter().map(|outcome| outcome.state).collect();
        Ok(report)
    }

    /// Proposals accepted and made by all chains.
    pub fn acceptance(&self) -> Acceptance {
        let mut all = Acceptance::default();
        self.chains.iter().for_each(|chain| all.add(chain.acceptance));
        all
    }

    /// What the chains were watched by.
    pub fn watched(&self) -> Watched {
        let traces = self.chains.iter().map(|chain| chain.trace.clone()).collect();
        Watched { observable: self.observable.clone(), of: String::new(), traces }
    }

    /// All that is needed to go on later, with what `run` says of the run.
    ///
    /// # Errors
    /// [`Error::Format`] for what no file can hold.
    pub fn checkpoint(&self, run: Value) -> Result<Model> {
        let state = serde_json::to_vec(&self.chains)
            .map_err(|e| Error::format(Path::new("the checkpoint"), None, e.to_string()))?;
        let mut model = self.tracked.checkpoint("network", self.seed, run)?;
        model.chain = Some((ChainPoint { steps: self.made(), word: 0, acceptance: None, state }, 0));
        Ok(model)
    }

    /// Goes to where [`RoundRun::checkpoint`] was; `path` is what an error calls it.
    ///
    /// # Errors
    /// [`Error::Format`] for what is no checkpoint of such a run.
    pub fn restore(&mut self, model: &Model, path: &Path) -> Result<()> {
        let damaged = |problem: String| Error::format(path, None, format!("damaged checkpoint: {problem}"));
        let Some((point, _)) = &model.chain else {
            return Err(Error::format(path, None, "is a model, but no checkpoint of rounds"));
        };
        let chains: Vec<RoundChain> =
            serde_json::from_slice(&point.state).map_err(|e| damaged(e.to_string()))?;
        let (found, expected) = ((chains.len(), model.w.rows(), model.w.cols()), self.shape()?);
        if found != expected || model.seed != self.seed {
            return Err(damaged(format!("chains, rows and columns {found:?} where {expected:?} are needed")));
        }
        self.tracked = Tracked::resumed(model, path)?;
        self.chains = chains;
        Ok(())
    }

    fn shape(&self) -> Result<(usize, usize, usize)> {
        let w = self.tracked.learned()?.dictionary();
        Ok((self.chains.len(), w.rows(), w.cols()))
    }

    /// What was learned, with its results; `run` is what is said of the run.
    ///
    /// # Errors
    /// As [`Tracked::finished`].
    pub fn finished(&self, run: Value) -> Result<Model> {
        self.tracked.finished("network", self.seed, run, &self.tracked.results()?)
    }

    /// The numbers that make the run what it is, for its configuration.
    pub fn put_config(&self, config: &mut Value) {
        config["rounds"] = json!(self.made());
        config["minibatches"] = json!(self.learning.minibatches);
        config["batch"] = json!(self.learning.batch);
    }
}
