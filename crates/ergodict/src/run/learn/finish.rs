//! What came of a run: its results, and the model with its provenance.

use super::super::yardstick::Measurement;
use super::super::{Form, NetworkLearning, RunPlan, Status, Stop};
use super::{Run, TEST_SLICE};
use crate::Result;
use crate::chain::mixed;
use crate::linalg::Scalar;
use crate::model::{ChainReport, Model, NetworkReport, OverTime, Provenance, Results};
use serde_json::json;

impl<T: Scalar> Run<T> {
    /// What there is to say so far.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) before there is a dictionary.
    pub fn results(&self) -> Result<Results> {
        let mut results = self.core.trainer.results()?;
        results.held_out_samples = self.core.held_out.map_or(0, |(count, _)| count);
        results.held_out_loss_per_sample = self.core.held_out.map(|(_, loss)| loss);
        Ok(results)
    }

    /// The model of what was learned so far, with its results; [`Run::finish`] adds what takes longer.
    ///
    /// # Errors
    /// As [`Run::results`].
    pub fn model(&self) -> Result<Model> {
        let RunPlan { command, settings, inputs, seed, .. } = &self.core.plan;
        let run = json!({ "command": command, "config": settings });
        let kind = self.source.form().kind();
        let mut model = self.core.trainer.finished(kind, *seed, run, &self.results()?)?;
        model.inputs.clone_from(inputs);
        if let (Some(digest), Some(first)) = (self.source.digest()?, model.inputs.first_mut()) {
            first.digest = digest;
        }
        self.source.form().describe(&mut model);
        model.over_time = self.over_time();
        Ok(model)
    }

    /// What was kept of windows, with what permuted times say of their changes where those are over.
    fn over_time(&self) -> Option<OverTime> {
        let mut over_time = self.source.stats().windows?.over_time.clone();
        let interrupted = || self.unfinished().map(|done| format!("it was interrupted after {done}"));
        over_time.untested = self.untested.clone().or_else(interrupted);
        if !self.tested.is_empty() {
            over_time.test(&self.tested);
        }
        Some(over_time)
    }

    /// The model with all that a file has: also the networks, how the chains mixed, and examples of the atoms.
    ///
    /// # Errors
    /// As [`Run::results`]; those of looking for examples.
    pub fn finish(&self) -> Result<Model> {
        self.finish_until(&Stop::default())
    }

    /// The same, without what is still to be measured when it is asked to stop.
    ///
    /// # Errors
    /// As [`Run::finish`].
    pub fn finish_until(&self, stop: &Stop) -> Result<Model> {
        let mut model = self.model()?;
        let stats = self.source.stats();
        let mixing = mixed(stats.traces);
        if !matches!(self.source.form(), Form::Network(_)) {
            if !mixing.is_empty() {
                model.provenance.chain = Some(ChainReport { mixing, ..ChainReport::default() });
            }
            return Ok(model);
        }
        let RunPlan { examples, seed, .. } = &self.core.plan;
        let (names, drawn): (Vec<_>, Vec<_>) = self.source.networks()?.into_iter().unzip();
        let report = |(name, drawn): (&String, _)| NetworkReport::from_network(name, drawn, examples, *seed);
        let rate = stats.acceptance.rate();
        let chain = ChainReport {
            sampler: stats.sampler.map(|kind| kind.to_string()).unwrap_or_default(),
            independent: stats.independent,
            acceptance: (!stats.independent && rate.is_finite()).then_some(rate),
            continued: stats.transfer.continued,
            restarted: stats.transfer.restarted,
            mixing,
            all: stats.exhaustive.map(|all| all.homomorphisms),
        };
        let mut networks: Vec<NetworkReport> = names.iter().zip(&drawn).map(report).collect::<Result<_>>()?;
        if let Some(explained) =
            self.measurement_until(stop, |measurement| measurement.explained(&mut model.factorizer()?))?
        {
            let both = networks.iter_mut().zip(explained);
            both.for_each(|(network, explained)| network.explained = Some(explained));
        }
        let examples = examples.kept::<T>(&model, &drawn)?;
        model.provenance = Provenance { networks, chain: Some(chain), examples, ..model.provenance };
        Ok(model)
    }

    /// The comparison of networks side by side with rewired copies at its beginning, where it is asked for.
    pub(super) fn begin_measurement(&self) -> Result<Option<Measurement<T>>> {
        let (stats, plan) = (self.source.stats(), &self.core.plan);
        let (Some(yardstick), Some(watching), Some(kind)) = (&plan.yardstick, stats.batches, stats.sampler)
        else {
            return Ok(None);
        };
        let (steps, parameters) = (self.core.trainer.steps(), plan.parameters.clone());
        let networks = self.source.networks()?.into_iter().map(|(_, network)| network).collect();
        let learning = NetworkLearning { steps, watching, parameters };
        Ok(Some(yardstick.start(networks, learning, kind, plan.seed)))
    }

    /// Looks at the comparison, as far as it is, or at one that is made now.
    fn measurement_until<R>(
        &self,
        stop: &Stop,
        look: impl FnOnce(&Measurement<T>) -> Result<R>,
    ) -> Result<Option<R>> {
        if let Some(measurement) = &self.measurement {
            return look(measurement).map(Some);
        }
        let Some(mut measurement) = self.begin_measurement()? else { return Ok(None) };
        while measurement.advance(TEST_SLICE, stop)? == Status::Running {}
        look(&measurement).map(Some)
    }

    /// Whether all minibatches were learned from, though changes or rewired copies may be left to look at.
    pub fn is_learned(&self) -> bool {
        self.core.over
    }

    /// How far the test of changes or the comparison with rewired copies is, if it is not over: `7 of 20 permutations`.
    pub fn unfinished(&self) -> Option<String> {
        if let Some(test) = &self.test {
            return Some(format!("{} of {} permutations", test.finished(), test.permutations()));
        }
        let (done, planned) = self.measurement.as_ref()?.copies();
        (done < planned).then(|| format!("{done} of {planned} rewired copies"))
    }
}
