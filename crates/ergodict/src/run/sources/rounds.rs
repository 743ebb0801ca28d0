//! Rounds: all chains code against a frozen dictionary, here or in other processes.

use crate::chain::diagnostics::Acceptance;
use crate::chain::{SampledNetwork, SamplerKind, Tally, TraceSet};
use crate::factor::code::CodeReport;
use crate::factor::{Factorizer, Statistics};
use crate::linalg::{Mat, Scalar};
use crate::model::Precision;
use crate::run::tasks::arithmetic;
use crate::run::{
    Form, Next, Resumable, RoundChain, RoundLearning, RoundOutcome, RoundTask, Sections, Source, SourceStats,
    Stop, TaskContext,
};
use crate::{Error, Result};
use std::sync::Arc;

/// Rounds of a network.
///
/// ```
/// use ergodict::chain::{ExactSampler, Motif, SampledNetwork, SamplerKind};
/// use ergodict::run::{RoundLearning, RoundSource, Source};
/// let karate = std::sync::Arc::new(ergodict::data::embedded("karate")?);
/// let drawn: SampledNetwork = (karate.clone(), std::sync::Arc::new(ExactSampler::new(karate, &Motif::path(4)?)?));
/// let learning = RoundLearning { chains: 2, batch: 20, ..RoundLearning::new(3) };
/// let source = RoundSource::<f64>::new(learning, "karate", &drawn, SamplerKind::Exact, 0)?;
/// assert_eq!((source.planned(), source.form().features()), (Some(100), Some(16)));
/// # Ok::<(), ergodict::Error>(())
/// ```
pub struct RoundSource<T: Scalar> {
    learning: RoundLearning,
    name: String,
    drawn: SampledNetwork,
    sampler: SamplerKind,
    context: Arc<TaskContext>,
    seed: u64,
    arithmetic: String,
    rounds: u64,
    /// Where chains are, but for their traces.
    chains: Vec<RoundChain>,
    traces: Vec<TraceSet>,
    /// What the chains found here in the round that is next.
    found: Option<Vec<RoundOutcome>>,
    form: Form,
    precision: std::marker::PhantomData<T>,
}

impl<T: Scalar> RoundSource<T> {
    /// From the beginning.
    ///
    /// # Errors
    /// Those of [`RoundLearning::check`] and of [`arithmetic`].
    pub fn new(
        learning: RoundLearning,
        name: &str,
        drawn: &SampledNetwork,
        sampler: SamplerKind,
        seed: u64,
    ) -> Result<Self> {
        learning.check()?;
        let context = Arc::new(TaskContext::new(drawn));
        let observable = if context.form().weighted { "weight off the motif" } else { "edges off the motif" };
        let traces = vec![TraceSet::new(observable, "", learning.chains, 1)];
        let fresh = |trace| RoundChain { point: None, acceptance: Acceptance::default(), trace };
        let chains = traces[0].traces.iter().cloned().map(fresh).collect();
        let arithmetic = arithmetic::<T>(&learning.parameters, context.features(), learning.batch)?;
        let form = Form::Network(context.form().clone());
        Ok(Self {
            learning,
            name: name.to_owned(),
            drawn: drawn.clone(),
            sampler,
            context,
            seed,
            arithmetic,
            rounds: 0,
            chains,
            traces,
            found: None,
            form,
            precision: std::marker::PhantomData,
        })
    }

    /// Where tasks can be run in this process.
    pub fn context(&self) -> &Arc<TaskContext> {
        &self.context
    }

    fn set_chains(&mut self, chains: Vec<RoundChain>) {
        self.traces[0].traces = chains.iter().map(|chain| chain.trace.clone()).collect();
        self.chains = chains;
    }
}

impl<T: Scalar> Resumable for RoundSource<T> {
    fn save(&self, to: &mut Sections) -> Result<()> {
        to.put_json("chains", &(self.rounds, &self.chains))
    }

    fn restore(&mut self, from: &Sections) -> Result<()> {
        let (rounds, chains): (u64, Vec<RoundChain>) = from.json("chains")?;
        if chains.len() != self.chains.len() {
            let problem = format!("{} where {} are needed", chains.len(), self.chains.len());
            return Err(from.damaged("chains", &problem));
        }
        self.rounds = rounds;
        self.found = None;
        self.set_chains(chains);
        Ok(())
    }
}

impl<T: Scalar> Source<T> for RoundSource<T> {
    fn form(&self) -> &Form {
        &self.form
    }

    fn made(&self) -> u64 {
        self.rounds
    }

    fn planned(&self) -> Option<u64> {
        Some(self.learning.rounds)
    }

    fn extend(&mut self, rounds: u64) -> Result<()> {
        self.learning.rounds = self.learning.rounds.saturating_add(rounds);
        Ok(())
    }

    /// Runs the tasks of the next round here, chain after chain: what runs on many machines must equal, bit for bit.
    fn prepare(&mut self, dictionary: Option<&mut Factorizer<T>>) -> Result<()> {
        let Some(dictionary) =
            dictionary.filter(|_| self.found.is_none() && self.rounds < self.learning.rounds)
        else {
            return Ok(());
        };
        let run = |task: &RoundTask| task.run(&self.context, &|| false);
        self.found = Some(self.tasks(dictionary)?.iter().map(run).collect::<Result<_>>()?);
        Ok(())
    }

    fn next(&mut self, _: &Stop) -> Result<Next<'_, T>> {
        let Some(found) = self.found.take() else { return Ok(Next::End) };
        let (statistics, report) = self.merge(found)?;
        Ok(Next::Statistics(Box::new(statistics), report))
    }

    fn initial(&mut self) -> Result<Option<Mat<T>>> {
        let RoundLearning { batch, burn_in, every, .. } = self.learning;
        self.context.first(self.seed, batch, burn_in, every).map(Some)
    }

    fn stats(&self) -> SourceStats<'_> {
        let mut acceptance = Acceptance::default();
        self.chains.iter().for_each(|chain| acceptance.add(chain.acceptance));
        SourceStats {
            sampler: Some(self.sampler),
            independent: self.drawn.1.is_independent(),
            acceptance,
            traces: &self.traces,
            ..SourceStats::default()
        }
    }

    fn networks(&self) -> Result<Vec<(String, SampledNetwork)>> {
        Ok(vec![(self.name.clone(), self.drawn.clone())])
    }

    fn tasks(&self, dictionary: &Factorizer<T>) -> Result<Vec<RoundTask>> {
        let w: Mat<f64> = dictionary.dictionary().cast();
        let precision = if T::NAME == "f32" { Precision::F32 } else { Precision::F64 };
        let learning = &self.learning;
        let task = |(chain, state): (u64, &RoundChain)| RoundTask {
            round: self.rounds,
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

    fn merge(&mut self, outcomes: Vec<RoundOutcome>) -> Result<(Statistics, CodeReport)> {
        let (round, chains) = (self.rounds, self.chains.len() as u64);
        self.found = None;
        let found: Vec<(u64, u64)> = outcomes.iter().map(|outcome| (outcome.round, outcome.chain)).collect();
        if found.len() as u64 != chains || !(0..).zip(&found).all(|(at, &own)| own == (round, at)) {
            let expected = format!("one for round {round} of each of {chains} chains, in their order");
            let found = format!("(round, chain) {:?}", &found[..found.len().min(8)]);
            return Err(Error::shape("the list of outcomes", found, expected));
        }
        let mut all = Statistics::zero(self.context.features(), self.learning.parameters.atoms);
        outcomes.iter().try_for_each(|outcome| all.merge(&outcome.statistics))?;
        let capped = outcomes.iter().map(|outcome| outcome.capped).sum();
        self.rounds += 1;
        self.set_chains(outcomes.into_iter().map(|outcome| outcome.state).collect());
        Ok((all, CodeReport { capped, ..CodeReport::default() }))
    }
}
