//! What came of a run: its results, and the model with its provenance.

use super::super::yardstick::Measurement;
use super::super::{Form, NetworkLearning, RunPlan, Status, Stop};
use super::{Run, TEST_SLICE};
use crate::chain::{SampledNetwork, mixed};
use crate::factor::code::CodeSet;
use crate::factor::diagnostics::unused;
use crate::linalg::Scalar;
use crate::model::{ChainReport, Model, NetworkReport, OverTime, Provenance, Results};
use crate::{Hint, Note, Result};
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
        results.explained = self.core.explained.map(|share| share.atoms);
        results.explained_by_mean = self.core.explained.map(|share| share.mean);
        Ok(results)
    }

    /// The model of what was learned so far, with its results; [`Run::finish`] adds what takes longer.
    ///
    /// # Errors
    /// As [`Run::results`].
    pub fn model(&self) -> Result<Model> {
        let RunPlan { command, settings, inputs, seed, .. } = &self.core.plan;
        let mut settings = settings.clone();
        if settings.get("lambda").is_some_and(|lambda| lambda == "auto") {
            // With what it became a run gives the same.
            settings["lambda"] = json!(self.core.trainer.learned()?.parameters().lambda);
        }
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
        if !matches!(self.source.form(), Form::Network(_)) {
            model.provenance.chain = self.chain_of_patches();
            return Ok(model);
        }
        let examples = &self.core.plan.examples;
        let drawn: Vec<SampledNetwork> =
            self.source.networks()?.into_iter().map(|(_, drawn)| drawn).collect();
        let (mut networks, chain) = self.reports()?;
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

    /// How the chain of a lattice or an image mixed; none where there is no chain.
    fn chain_of_patches(&self) -> Option<ChainReport> {
        let mixing = mixed(self.source.stats().traces);
        let chain = ChainReport { mixing, ..ChainReport::default() };
        (!chain.mixing.is_empty()).then(|| chain.with_minibatches(self.source.made()))
    }

    /// The networks and how far walks reach in them, and how the chains moved and mixed.
    fn reports(&self) -> Result<(Vec<NetworkReport>, ChainReport)> {
        let (RunPlan { examples, seed, .. }, stats) = (&self.core.plan, self.source.stats());
        let rate = stats.acceptance.rate();
        let chain = ChainReport {
            sampler: stats.sampler.map(|kind| kind.to_string()).unwrap_or_default(),
            independent: stats.independent,
            acceptance: (!stats.independent && rate.is_finite()).then_some(rate),
            continued: stats.transfer.continued,
            restarted: stats.transfer.restarted,
            mixing: mixed(stats.traces),
            all: stats.exhaustive.map(|all| all.homomorphisms),
            ..ChainReport::default()
        };
        // Of windows every chain has minibatches of its own.
        let chain = if stats.windows.is_some() { chain } else { chain.with_minibatches(self.source.made()) };
        let networks = self.source.networks()?;
        let report = |(name, drawn): &(String, _)| NetworkReport::from_network(name, drawn, examples, *seed);
        Ok((networks.iter().map(report).collect::<Result<_>>()?, chain))
    }

    /// That samples had negative entries, which the sets in force cannot make, if so.
    pub fn sign_warning(&self) -> Option<Note> {
        if !self.saw_negative() {
            return None;
        }
        let parameters = &self.core.plan.parameters;
        let nonnegative = parameters.code() == CodeSet::Nonnegative
            && parameters.dictionary().to_string().starts_with("nonneg");
        let hint = |setting: &'static str, value: &str| Hint { setting, value: value.to_owned() };
        let text = "the data has negative entries, which nonnegative atoms and codes cannot make: {} {} can";
        nonnegative.then(|| Note::hinting_all(text, vec![hint("dictionary", "ball"), hint("code", "free")]))
    }

    /// The warnings that [`Model::warnings`] has of the finished model, without what takes long to measure.
    ///
    /// # Errors
    /// As [`Run::finish`].
    pub fn warnings(&self) -> Result<Vec<Note>> {
        let learned = self.core.trainer.learned()?;
        let mut model = Model::from_factorizer(learned, self.source.form().kind(), self.core.plan.seed);
        let unused_atoms = unused(&learned.aggregates().a).len();
        model.provenance.results = Some(Results { unused_atoms, ..Results::default() });
        if matches!(self.source.form(), Form::Network(_)) {
            let (networks, chain) = self.reports()?;
            model.provenance = Provenance { networks, chain: Some(chain), ..model.provenance };
        } else {
            model.provenance.chain = self.chain_of_patches();
        }
        Ok(model.warnings())
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

    /// Whether all minibatches were learned from, though the explained share, changes or rewired copies may be left to measure.
    pub fn is_learned(&self) -> bool {
        self.core.learned
    }

    /// Whether all minibatches were learned from, and the explained share, which comes next, was interrupted.
    pub fn lacks_share(&self) -> bool {
        self.core.learned && !self.core.over
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
