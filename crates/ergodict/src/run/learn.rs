//! The run: the only loop that learns.
//!
//! ```text
//! source.prepare(dictionary)     closes a window that is over, opens the next
//! source.next(stop)              a minibatch, or sums over columns that were coded already
//! trainer.step(minibatch)        codes, adds up, updates the dictionary, keeps the history
//! observer.step(report)          whoever looks on
//! ```

use super::change_test::{self, Scores};
use super::yardstick::Measurement;
use super::{
    ChangeTest, Form, Identity, Job, NetworkLearning, Next, Observer, Resumable, RoundOutcome, RoundTask,
    Sections, Source, Status, Stop, Trainer, TrainerSnapshot, Window, Yardstick,
};
use crate::chain::mixed;
use crate::data::Times;
use crate::factor::code::CodeReport;
use crate::factor::{FactorSettings, Factorizer, Minibatch, Statistics, StepReport};
use crate::linalg::{Mat, Scalar};
use crate::model::{ChainReport, Examples, Input, Model, NetworkReport, OverTime, Provenance, Results};
use crate::{Error, Result};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// What a run is, besides its data and its first dictionary.
///
/// ```
/// use ergodict::{factor::FactorSettings, run::RunPlan};
/// let plan = RunPlan { settings: serde_json::json!({ "atoms": 9 }), ..RunPlan::new("factor", FactorSettings::new(9), 0) };
/// assert_eq!((plan.parameters.atoms, plan.inputs.len()), (9, 0));
/// ```
#[derive(Clone, Debug)]
pub struct RunPlan {
    /// The command or the function that it was started by.
    pub command: String,
    /// Those of the online scheme.
    pub parameters: FactorSettings,
    /// The seed of all random numbers.
    pub seed: u64,
    /// Every setting that has a say in the result, as `--config` takes it.
    pub settings: Value,
    /// The files that are learned from.
    pub inputs: Vec<Input>,
    /// How examples of atoms are looked for in networks.
    pub examples: Examples,
    /// How networks are compared with rewired copies of themselves, if they are.
    pub yardstick: Option<Yardstick>,
}

impl RunPlan {
    /// Without settings to tell, and without files.
    pub fn new(command: &str, parameters: FactorSettings, seed: u64) -> Self {
        let (settings, inputs, examples) = (json!({}), Vec::new(), Examples::default());
        Self { command: command.to_owned(), parameters, seed, settings, inputs, examples, yardstick: None }
    }
}

impl RunPlan {
    /// What a checkpoint of it knows it by.
    pub fn identity(&self) -> Identity {
        let (command, settings, inputs) = (self.command.clone(), self.settings.clone(), self.inputs.clone());
        Identity { command, settings, inputs, seed: self.seed }
    }
}

/// Why windows are not tested that are added to others.
const ADDED: &str = "windows that are added one by one have no times to permute";

/// How long permutations go on before progress is told.
const TEST_SLICE: Duration = Duration::from_millis(200);

/// Hears after each step how many minibatches were made and are planned.
type Heard<'a, T> = &'a mut dyn FnMut(u64, Option<u64>, &Trainer<T>);

/// Undoes a step after which it says so.
type Guard = Box<dyn Fn() -> bool + Send>;

/// Learning in progress, from any source.
///
/// ```
/// use ergodict::chain::{ExactSampler, Motif, SamplerKind};
/// use ergodict::{data::Times, factor::{FactorSettings, Factorizer}, patch::{BatchPlan, NetworkForm}};
/// use ergodict::run::{NetworkPlan, NetworkSource, Run, RunPlan, Status, Stop, Window};
/// let (karate, motif) = (std::sync::Arc::new(ergodict::data::embedded("karate")?), Motif::chain(5)?);
/// let sampler = std::sync::Arc::new(ExactSampler::new(karate.clone(), &motif)?);
/// let drawn = Ok((karate.clone(), sampler as _));
/// let plan = NetworkPlan {
///     steps: 20,
///     batches: BatchPlan::default(),
///     score_patches: 200,
///     times: Times::Numbers,
///     form: NetworkForm::new(&motif, false, false),
///     sampler: SamplerKind::Exact,
///     title: None,
///     seed: 0,
/// };
/// let network = Window { name: "karate".to_owned(), span: None, network: karate, drawn };
/// let source = NetworkSource::<f64>::new(vec![network], plan)?;
/// let first = Factorizer::random(FactorSettings::new(4), 25, 0)?;
/// let plan = RunPlan::new("network learn", FactorSettings::new(4), 0);
/// let mut run = Run::new(plan, Box::new(source), Some(first))?;
/// assert_eq!(run.run(Some(5), &Stop::default())?, Status::Running); // five minibatches, for now
/// assert_eq!(run.run(None, &Stop::default())?, Status::Finished);
/// let model = run.finish()?;
/// assert_eq!((model.aggregates.t, model.w.cols()), (20, 4));
/// # Ok::<(), ergodict::Error>(())
/// ```
pub struct Run<T: Scalar> {
    source: Box<dyn Source<T>>,
    core: Core<T>,
    /// Step of the checkpoint it was resumed from.
    resumed: Option<u64>,
    /// Windows of which something was said.
    reported: usize,
    /// The same on permuted times, once the source is over; and the scores of that, once it is over.
    test: Option<ChangeTest<T>>,
    tested: Vec<Scores>,
    /// Why there is no test, where somebody said so.
    untested: Option<String>,
    /// The comparison with rewired copies, once all else is over.
    measurement: Option<Measurement<T>>,
}

/// A run without its source, so that both can be borrowed.
#[expect(clippy::struct_excessive_bools, reason = "they are states that do not depend on each other")]
struct Core<T: Scalar> {
    plan: RunPlan,
    trainer: Trainer<T>,
    observers: Vec<Box<dyn Observer<T>>>,
    guard: Option<Guard>,
    /// Whether the signs of samples are looked at, and whether some were negative.
    signed: bool,
    negative: bool,
    held_out: Option<(u64, f64)>,
    sampling: Duration,
    learning: Duration,
    /// Whether the source is over.
    over: bool,
    /// Whether source and dictionary are between the same two minibatches.
    whole: bool,
}

impl<T: Scalar> Core<T> {
    /// One step, with the scheduled weight or one of the caller's.
    fn step(&mut self, x: Minibatch<'_, T>, weight: Option<f64>) -> Result<StepReport> {
        let negative = self.signed && !self.negative && has_negative(x);
        let snapshot = self.snapshot();
        let RunPlan { parameters, seed, .. } = &self.plan;
        let start = || Factorizer::from_minibatch(parameters.clone(), x, *seed);
        let report = match weight {
            None => self.trainer.step(x, start)?,
            Some(weight) => self.trainer.step_weighted(x, weight, start)?,
        };
        self.settle(snapshot)?;
        self.negative |= negative;
        self.observe(&report)?;
        Ok(report)
    }

    /// One step from statistics.
    fn absorb(&mut self, statistics: &Statistics, code: CodeReport) -> Result<StepReport> {
        let snapshot = self.snapshot();
        let report = self.trainer.absorb_coded(statistics, code)?;
        self.settle(snapshot)?;
        self.observe(&report)?;
        Ok(report)
    }

    /// What to go back to if the guard says so.
    fn snapshot(&self) -> Option<TrainerSnapshot<T>> {
        self.guard.as_ref().map(|_| self.trainer.snapshot())
    }

    fn settle(&mut self, snapshot: Option<TrainerSnapshot<T>>) -> Result<()> {
        (self.held_out, self.over) = (None, false);
        let (Some(snapshot), true) = (snapshot, self.guard.as_ref().is_some_and(|failed| failed())) else {
            return Ok(());
        };
        self.trainer.rollback(snapshot, &self.plan.parameters)?;
        Err(Error::Interrupted)
    }

    fn observe(&mut self, report: &StepReport) -> Result<()> {
        let Some(dictionary) = &mut self.trainer.factorizer else { return Ok(()) };
        self.observers.iter_mut().try_for_each(|observer| observer.step(report, dictionary))
    }

    /// Goes on with a test for about a slice of time.
    fn test(&self, test: &mut ChangeTest<T>, slice: Duration, stop: &Stop) -> Result<Status> {
        let status = test.advance(&self.plan, slice, stop)?;
        if self.guard.as_ref().is_some_and(|failed| failed()) { Err(Error::Interrupted) } else { Ok(status) }
    }

    /// Steps until the source is over, `until` minibatches were made, time is up or somebody asks to stop.
    fn learn(
        &mut self,
        source: &mut dyn Source<T>,
        until: Option<u64>,
        slice: Option<Duration>,
        stop: &Stop,
        progress: Heard<'_, T>,
    ) -> Result<Status> {
        let started = Instant::now();
        loop {
            if until.is_some_and(|until| source.made() >= until) {
                // Who stops at the end of a window wants to know what came of it.
                source.prepare(self.trainer.factorizer.as_mut())?;
                return Ok(Status::Running);
            }
            if stop.is_asked() {
                return Ok(Status::Stopped);
            }
            let before = Instant::now();
            source.prepare(self.trainer.factorizer.as_mut())?;
            self.whole = false;
            let next = source.next(stop)?;
            let filled = before.elapsed();
            let step = match next {
                Next::Minibatch(x) => self.step(x, None),
                Next::Statistics(statistics, code) => self.absorb(&statistics, code),
                Next::Stopped => {
                    self.whole = true;
                    return Ok(Status::Stopped);
                }
                Next::End => {
                    self.whole = true;
                    if let Some(until) = until {
                        // More than was planned.
                        source.extend(until - source.made())?;
                        continue;
                    }
                    if let Some(dictionary) = &mut self.trainer.factorizer {
                        self.held_out = source.held_out(dictionary, stop)?;
                    }
                    self.over = true;
                    return Ok(Status::Finished);
                }
            };
            step.map_err(|error| source.explain(error))?;
            self.whole = true;
            self.sampling += filled;
            self.learning += before.elapsed().saturating_sub(filled);
            stop.count(1);
            progress(source.made(), source.planned(), &self.trainer);
            if slice.is_some_and(|slice| started.elapsed() >= slice) {
                return Ok(Status::Running);
            }
        }
    }
}

impl<T: Scalar> Run<T> {
    /// A run from its beginning, from a first dictionary or, without one, from columns of the first minibatch.
    ///
    /// # Errors
    /// [`Error::Shape`] for a first dictionary of another number or size of atoms; those of [`FactorSettings::check`].
    pub fn new(plan: RunPlan, mut source: Box<dyn Source<T>>, first: Option<Factorizer<T>>) -> Result<Self> {
        let Some(features) = source.form().features() else {
            return Err(Error::parameter(
                "the size of a patch",
                "beyond all bounds",
                "it must fit into memory",
            ));
        };
        plan.parameters.check(features)?;
        let found = first.as_ref().map(|first| (first.dictionary().rows(), first.dictionary().cols()));
        if let Some((rows, cols)) = found.filter(|found| *found != (features, plan.parameters.atoms)) {
            let expected = format!("{features}×{}", plan.parameters.atoms);
            return Err(Error::shape("the first dictionary", format!("{rows}×{cols}"), expected));
        }
        let first = if first.is_some() {
            first
        } else {
            let start = |x: Mat<T>| Factorizer::from_data(plan.parameters.clone(), x.as_ref(), plan.seed);
            source.initial()?.map(start).transpose()?
        };
        let core = Core {
            plan,
            trainer: Trainer::new(first),
            observers: Vec::new(),
            guard: None,
            signed: matches!(source.form(), Form::Samples { .. }),
            negative: false,
            held_out: None,
            sampling: Duration::ZERO,
            learning: Duration::ZERO,
            over: false,
            whole: true,
        };
        let (test, tested, untested) = (None, Vec::new(), None);
        Ok(Self { source, core, resumed: None, reported: 0, test, tested, untested, measurement: None })
    }

    /// A run on minibatches that the caller pushes.
    ///
    /// # Errors
    /// As [`Run::new`].
    pub fn pushed(plan: RunPlan, form: Form, first: Option<Factorizer<T>>) -> Result<Self> {
        Self::new(plan, Box::new(Pushed(form)), first)
    }

    /// Adds somebody who looks on.
    pub fn observe(&mut self, observer: Box<dyn Observer<T>>) {
        self.core.observers.push(observer);
    }

    /// Undoes every step after which `failed` says so, and ends with [`Error::Interrupted`]: for projections that may fail.
    pub fn guard(&mut self, failed: Box<dyn Fn() -> bool + Send>) {
        self.core.guard = Some(failed);
    }

    /// Learns until there were `until` minibatches in all, more than planned if need be; without, until the source is over.
    ///
    /// # Errors
    /// Those of the source, of the steps and of who looks on.
    pub fn run(&mut self, until: Option<u64>, stop: &Stop) -> Result<Status> {
        self.run_with_progress(until, stop, &mut |_, _, _| ())
    }

    /// The same; `progress` hears after each step how many minibatches were made and are planned.
    ///
    /// # Errors
    /// As [`Run::run`].
    pub fn run_with_progress(
        &mut self,
        until: Option<u64>,
        stop: &Stop,
        progress: Heard<'_, T>,
    ) -> Result<Status> {
        let total = |planned: Option<u64>, test: &Option<ChangeTest<T>>| {
            let runs = test.as_ref().map_or(0, ChangeTest::permutations).saturating_add(1);
            Some(planned?.saturating_mul(if until.is_none() { runs } else { 1 }))
        };
        let Self { core, source, test, tested, .. } = self;
        let heard: Heard<'_, T> = &mut |made, planned, trainer| progress(made, total(planned, test), trainer);
        let mut status = core.learn(&mut **source, until, None, stop, heard)?;
        let (Some(test), Status::Finished) = (test, status) else { return Ok(status) };
        loop {
            status = core.test(test, TEST_SLICE, stop)?;
            if status != Status::Running {
                break;
            }
            let (made, all) = (source.made(), source.samples().unwrap_or(0));
            let done = made.saturating_add(test.done(all).saturating_mul(made) / all.max(1));
            progress(done, Some(made.saturating_mul(test.permutations().saturating_add(1))), &core.trainer);
        }
        if let Some(scores) = test.scores() {
            (*tested, self.test) = (scores, None);
        }
        Ok(status)
    }

    /// Tests the changes of windows, once all are learned from.
    pub fn test_change(&mut self, test: ChangeTest<T>) {
        (self.test, self.untested) = (Some(test), None);
    }

    /// Leaves changes untested that are not tested yet, for a reason.
    pub fn leave_untested(&mut self, reason: &str) {
        (self.test, self.untested) = (None, Some(reason.to_owned()));
    }

    /// Learns from another source for a while, of the same form.
    ///
    /// # Errors
    /// As [`Run::run`].
    pub fn run_over(
        &mut self,
        source: &mut dyn Source<T>,
        until: Option<u64>,
        stop: &Stop,
    ) -> Result<Status> {
        self.core.learn(source, until, None, stop, &mut |_, _, _| ())
    }

    /// One step from a minibatch of the caller's, with the scheduled weight or this one.
    ///
    /// # Errors
    /// Those of [`Factorizer::step`].
    pub fn push(&mut self, x: Minibatch<'_, T>, weight: Option<f64>) -> Result<StepReport> {
        self.core.step(x, weight)
    }

    /// Goes over to what the network became after this many more minibatches are planned of it; windows have times of this kind.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a run that is not on one network, and for another motif.
    pub fn follow(&mut self, next: Window, steps: u64, times: Times) -> Result<()> {
        if let Some(source) = self.source.follow(next, steps, times)? {
            self.source = source;
        }
        self.core.over = false;
        self.leave_untested(ADDED);
        Ok(())
    }

    /// Forgets networks that nothing needs any more; gives how many windows cannot be opened again.
    pub fn forget(&mut self) -> usize {
        self.source.forget()
    }

    /// Makes this the rest of the run that a model is of.
    ///
    /// # Errors
    /// [`Error::Shape`] for atoms of another number or size; [`Error::Parameter`] for other windows.
    pub fn continue_from(&mut self, model: &Model) -> Result<()> {
        let needed = (self.source.form().features().unwrap_or(0), self.core.plan.parameters.atoms);
        if (model.w.rows(), model.w.cols()) != needed {
            let found = format!("{} atoms of {} numbers", model.w.cols(), model.w.rows());
            return Err(Error::shape(
                "the model",
                found,
                format!("{} atoms of {} numbers", needed.1, needed.0),
            ));
        }
        self.source.continue_from(model)?;
        self.core.trainer = Trainer::continued(model)?;
        if model.over_time.is_some() {
            self.leave_untested(ADDED);
        }
        let results = model.provenance.results;
        self.core.held_out =
            results.and_then(|r| r.held_out_loss_per_sample.map(|loss| (r.held_out_samples, loss)));
        self.core.negative = model.provenance.more.get("negative").is_some_and(|negative| *negative == true);
        Ok(())
    }

    /// The work of the next round, a task for each chain, for other processes.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a run that is not in rounds.
    pub fn tasks(&self) -> Result<Vec<RoundTask>> {
        self.source.tasks(self.core.trainer.learned()?)
    }

    /// One step from what all chains found, in the order of the chains.
    ///
    /// # Errors
    /// [`Error::Shape`] for outcomes of another round, and where one is missing or out of order; those of [`Factorizer::absorb`].
    pub fn absorb(&mut self, outcomes: Vec<RoundOutcome>) -> Result<StepReport> {
        let (statistics, code) = self.source.merge(outcomes)?;
        self.core.absorb(&statistics, code)
    }

    /// Where its minibatches come from.
    pub fn source(&self) -> &dyn Source<T> {
        &*self.source
    }

    /// The plan.
    pub fn plan(&self) -> &RunPlan {
        &self.core.plan
    }

    /// Says otherwise what files were learned from, and what the settings are.
    pub fn plan_mut(&mut self) -> &mut RunPlan {
        &mut self.core.plan
    }

    /// The dictionary with its history.
    pub fn trainer(&self) -> &Trainer<T> {
        &self.core.trainer
    }

    /// The dictionary, to code with.
    ///
    /// # Errors
    /// [`Error::Parameter`] before there is one.
    pub fn coder(&mut self) -> Result<&mut Factorizer<T>> {
        self.core.trainer.learned()?;
        self.core.trainer.factorizer.as_mut().ok_or(Error::Interrupted)
    }

    /// The dictionary, when nothing more is to come.
    ///
    /// # Errors
    /// [`Error::Parameter`] before there is one.
    pub fn into_dictionary(self) -> Result<Factorizer<T>> {
        self.core.trainer.learned()?;
        self.core.trainer.factorizer.ok_or(Error::Interrupted)
    }

    /// The step of the checkpoint that it was resumed from.
    pub fn resumed(&self) -> Option<u64> {
        self.resumed
    }

    /// Samples that were held out, and their loss each.
    pub fn held_out(&self) -> Option<(u64, f64)> {
        self.core.held_out
    }

    /// Whether it can be saved, also after an error: not if that came in the middle of a minibatch.
    pub fn is_whole(&self) -> bool {
        self.core.whole
    }

    /// Whether samples had negative entries, which nonnegative sets cannot make.
    pub fn saw_negative(&self) -> bool {
        self.core.negative
    }

    /// Time this run itself spent making minibatches, and learning from them.
    pub fn times(&self) -> (Duration, Duration) {
        (self.core.sampling, self.core.learning)
    }

    /// What there is to say so far.
    ///
    /// # Errors
    /// [`Error::Parameter`] before there is a dictionary.
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
}

impl<T: Scalar> Run<T> {
    /// The comparison of networks side by side with rewired copies at its beginning, where it is asked for.
    fn begin_measurement(&self) -> Result<Option<Measurement<T>>> {
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

/// The source of a run whose minibatches are pushed: it has none of its own.
struct Pushed(Form);

impl Resumable for Pushed {
    fn save(&self, _: &mut Sections) -> Result<()> {
        Ok(())
    }

    fn restore(&mut self, _: &Sections) -> Result<()> {
        Ok(())
    }
}

impl<T: Scalar> Source<T> for Pushed {
    fn form(&self) -> &Form {
        &self.0
    }

    fn made(&self) -> u64 {
        0
    }

    fn planned(&self) -> Option<u64> {
        Some(0)
    }

    fn next(&mut self, _: &Stop) -> Result<Next<'_, T>> {
        Ok(Next::End)
    }
}

impl<T: Scalar> Resumable for Run<T> {
    fn save(&self, to: &mut Sections) -> Result<()> {
        to.put_json("seen", &(self.core.negative, self.core.held_out))?;
        self.core.trainer.save(to)?;
        match &self.test {
            Some(test) => test.save(to)?,
            None => change_test::save_scores(&self.tested, to)?,
        }
        if let Some(measurement) = &self.measurement {
            measurement.save(to)?;
        }
        self.source.save(to)
    }

    fn restore(&mut self, from: &Sections) -> Result<()> {
        (self.core.negative, self.core.held_out) = from.json("seen")?;
        self.core.over = false;
        self.source.restore(from)?;
        self.core.trainer.restore(&self.core.plan.parameters, from)?;
        match (change_test::restore_scores(from)?, &mut self.test) {
            (Some(scores), _) => (self.tested, self.test) = (scores, None),
            (None, Some(test)) => test.restore(&self.core.plan, from)?,
            (None, None) => {}
        }
        self.measurement = if Measurement::<T>::is_in(from) { self.begin_measurement()? } else { None };
        if let Some(measurement) = &mut self.measurement {
            measurement.restore(from)?;
        }
        self.resumed = Some(self.core.trainer.steps());
        self.reported = self.source.stats().windows.map_or(0, |windows| windows.over_time.finished());
        Ok(())
    }
}

impl<T: Scalar> Job for Run<T> {
    fn done(&self) -> (u64, Option<u64>) {
        let (samples, total) = (self.core.trainer.samples(), self.source.samples());
        let Some(all) = total else { return (samples, total) };
        let (done, permutations) = match &self.test {
            Some(test) => (test.done(all), test.permutations()),
            None => (all.saturating_mul(self.tested.len() as u64), self.tested.len() as u64),
        };
        let (compared, copies) = match &self.measurement {
            Some(measurement) => (measurement.done(all), measurement.copies().1),
            None => (0, self.begin_measurement().ok().flatten().map_or(0, |planned| planned.copies().1)),
        };
        let runs = permutations.saturating_add(copies as u64).saturating_add(1);
        (samples.saturating_add(done).saturating_add(compared), Some(all.saturating_mul(runs)))
    }

    fn advance(&mut self, slice: Duration, stop: &Stop) -> Result<Status> {
        let status = if self.core.over {
            Status::Finished
        } else {
            self.core.learn(&mut *self.source, None, Some(slice), stop, &mut |_, _, _| ())?
        };
        if status != Status::Finished {
            return Ok(status);
        }
        if let Some(test) = &mut self.test {
            let status = self.core.test(test, slice, stop)?;
            if let Some(scores) = test.scores() {
                (self.tested, self.test) = (scores, None);
            }
            return Ok(status);
        }
        if self.measurement.is_none() {
            self.measurement = self.begin_measurement()?;
        }
        self.measurement.as_mut().map_or(Ok(Status::Finished), |measurement| measurement.advance(slice, stop))
    }

    fn text(&self) -> String {
        if let Some(done) = self.unfinished().filter(|_| self.core.over) {
            return done;
        }
        let surrogate = |f: &Factorizer<T>| f.aggregates().per_sample(f.surrogate());
        let surrogate = self.core.trainer.factorizer.as_ref().map_or(f64::NAN, surrogate);
        match surrogate.abs() {
            size if (1e-3..1e5).contains(&size) || size == 0.0 => format!("surrogate {surrogate:.3}"),
            _ => format!("surrogate {surrogate:.2e}"),
        }
    }

    fn news(&mut self) -> Vec<String> {
        let Some(windows) = self.source.stats().windows else { return Vec::new() };
        let until = windows.over_time.finished();
        let lines = (self.reported..until).map(|at| windows.over_time.describe(at, windows.count)).collect();
        self.reported = until;
        lines
    }
}

fn has_negative<T: Scalar>(x: Minibatch<'_, T>) -> bool {
    // Over all of them, without a way out and without an order, so that many are looked at at once.
    let any =
        |values: &[T]| values.iter().map(|x| u8::from(*x < T::ZERO)).fold(0, std::ops::BitOr::bitor) > 0;
    match x {
        Minibatch::Sparse(x) => (0..x.cols()).any(|j| any(x.col(j).1)),
        Minibatch::Dense(x) | Minibatch::Masked { values: x, .. } => (0..x.cols()).any(|j| any(x.col(j))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

    /// Minibatches that depend on their number alone.
    struct Numbered {
        x: Mat<f64>,
        made: u64,
        total: u64,
        form: Form,
    }

    impl Resumable for Numbered {
        fn save(&self, to: &mut Sections) -> Result<()> {
            to.put_json("numbered", &(self.made, self.total))
        }
        fn restore(&mut self, from: &Sections) -> Result<()> {
            (self.made, self.total) = from.json("numbered")?;
            Ok(())
        }
    }

    impl Source<f64> for Numbered {
        fn form(&self) -> &Form {
            &self.form
        }
        fn made(&self) -> u64 {
            self.made
        }
        fn planned(&self) -> Option<u64> {
            Some(self.total)
        }
        fn extend(&mut self, minibatches: u64) -> Result<()> {
            self.total += minibatches;
            Ok(())
        }
        fn next(&mut self, _: &Stop) -> Result<Next<'_, f64>> {
            if self.made >= self.total {
                return Ok(Next::End);
            }
            let t = self.made as usize;
            self.x = minibatch(t);
            self.made += 1;
            Ok(Next::Minibatch((&self.x).into()))
        }
    }

    fn minibatch(t: usize) -> Mat<f64> {
        Mat::from_fn(3, 4, |i, j| ((i * 5 + j * 3 + t * 7) % 11) as f64)
    }

    fn fresh() -> Run<f64> {
        let form = Form::Samples { features: 3, names: None };
        let source = Numbered { x: Mat::zeros(0, 0), made: 0, total: 9, form };
        Run::new(RunPlan::new("test", FactorSettings::new(2), 0), Box::new(source), None).unwrap()
    }

    fn learned(run: &Run<f64>) -> &Mat<f64> {
        run.trainer().learned().unwrap().dictionary()
    }

    #[test]
    fn stopped_saved_and_pushed_runs_end_in_the_same_dictionary() {
        let mut whole = fresh();
        assert_eq!(whole.run(None, &Stop::default()).unwrap(), Status::Finished);
        for steps in 0..9 {
            let mut first = fresh();
            assert_eq!(first.run(None, &Stop::after(steps)).unwrap(), Status::Stopped);
            let mut state = Sections::default();
            first.save(&mut state).unwrap();
            // By way of bytes, as pickles have it.
            let state = Sections::from_bytes(&state.to_bytes().unwrap()).unwrap();
            let mut again = fresh();
            again.restore(&state).unwrap();
            assert_eq!(again.resumed(), Some(steps));
            again.run(None, &Stop::default()).unwrap();
            assert_eq!(learned(&again), learned(&whole), "after {steps}");
            assert_eq!(again.trainer().history(), whole.trainer().history());
        }
        let form = Form::Samples { features: 3, names: None };
        let mut pushed = Run::pushed(RunPlan::new("test", FactorSettings::new(2), 0), form, None).unwrap();
        for t in 0..9 {
            pushed.push((&minibatch(t)).into(), None).unwrap();
        }
        assert_eq!(learned(&pushed), learned(&whole));
        assert!(Sections::from_bytes(&[1, 2, 3]).is_err());
    }

    #[test]
    fn more_than_was_planned_can_be_asked_for_and_everybody_is_heard() {
        let (mut run, seen) = (fresh(), Arc::new(AtomicU64::new(0)));
        let count = Arc::clone(&seen);
        run.observe(Box::new(move |report: &StepReport, _: &mut Factorizer<f64>| {
            count.store(report.t, Ordering::Relaxed);
            Ok(())
        }));
        assert_eq!(run.run(Some(4), &Stop::default()).unwrap(), Status::Running);
        assert_eq!((run.source().made(), seen.load(Ordering::Relaxed)), (4, 4));
        run.run(Some(12), &Stop::default()).unwrap();
        assert_eq!((run.source().made(), run.source().planned()), (12, Some(12)));
        assert_eq!((seen.load(Ordering::Relaxed), run.is_whole()), (12, true));
        // Only a run in rounds has tasks, only one on a network follows it.
        assert!(run.tasks().is_err());
    }

    #[test]
    fn a_step_whose_guard_fails_is_undone() {
        let (mut run, failed) = (fresh(), Arc::new(AtomicBool::new(false)));
        let guard = Arc::clone(&failed);
        run.guard(Box::new(move || guard.load(Ordering::Relaxed)));
        run.run(Some(3), &Stop::default()).unwrap();
        let before = learned(&run).clone();
        failed.store(true, Ordering::Relaxed);
        assert!(matches!(run.run(Some(4), &Stop::default()), Err(Error::Interrupted)));
        assert_eq!((run.trainer().steps(), learned(&run), run.is_whole()), (3, &before, false));
    }
}
