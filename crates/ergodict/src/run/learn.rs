//! The run: a source, a trainer, and the loop between them.
//!
//! ```text
//! source.prepare(dictionary)     closes a window that is over, opens the next
//! source.next(stop)              a minibatch, or sums over columns that were coded already
//! trainer.step(minibatch)        codes, adds up, updates the dictionary, keeps the history
//! observer.step(report)          whoever looks on
//! ```

mod core;
mod finish;
mod job;
#[cfg(test)]
mod tests;

use self::core::{Core, Guard, Heard};
use super::change_test::Scores;
use super::sources::pushed::Pushed;
use super::yardstick::Measurement;
use super::{
    ChangeTest, ExplainedShare, Form, Observer, RoundOutcome, RoundTask, RunPlan, Source, Status, Stop,
    Trainer, Window,
};
use crate::data::Times;
use crate::factor::{Factorizer, Minibatch, StepReport};
use crate::linalg::{Mat, Scalar};
use crate::model::Model;
use crate::{Error, Result};
use std::time::Duration;

/// Why windows are not tested that are added to others.
const ADDED: &str = "windows that are added one by one have no times to permute";

/// How long permutations run before progress is reported.
const TEST_SLICE: Duration = Duration::from_millis(200);

/// Learning in progress, from any source.
///
/// ```
/// use ergodict::{chain::{Motif, Use}, data::embedded, factor::{FactorSettings, Factorizer}};
/// use ergodict::{run::{NetworkData, RunPlan, Status, Stop}, settings::NetworkSettings};
/// let (settings, motif) = (NetworkSettings { steps: 20, ..NetworkSettings::default() }, Motif::path(5)?);
/// let mut data = NetworkData::new(&settings.sampling, Use::Learn, &motif, false, 0);
/// data.push("karate", None, embedded("karate")?.into())?;
/// let first = |seed| Factorizer::<f64>::random(FactorSettings::new(4), 25, seed).map(Some);
/// let plan = RunPlan::new("network learn", FactorSettings::new(4), 0);
/// let how = data.plan(&settings)?;
/// let mut run = data.run(how, plan, Box::new(first), 0, (0, 0))?;
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
    /// Why there is no test, where someone said so.
    untested: Option<String>,
    /// The comparison with rewired copies, once all else is over.
    measurement: Option<Measurement<T>>,
}

impl<T: Scalar> Run<T> {
    /// A run from its beginning, from a first dictionary or, without one, from columns of the first minibatch.
    ///
    /// # Errors
    /// [`Error::Shape`] for a first dictionary of another number or size of atoms; those of [`FactorSettings::check`](crate::factor::FactorSettings::check).
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
            explained: None,
            plateau: super::plateau::Plateau::default(),
            sampling: Duration::ZERO,
            learning: Duration::ZERO,
            learned: false,
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

    /// Adds someone who looks on.
    pub fn observe(&mut self, observer: Box<dyn Observer<T>>) {
        self.core.observers.push(observer);
    }

    /// Undoes every step after which `failed` says so, and ends with [`Error::Interrupted`]: for projections that may fail.
    pub fn guard(&mut self, failed: Guard) {
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
    pub(super) fn test_change(&mut self, test: ChangeTest<T>) {
        (self.test, self.untested) = (Some(test), None);
    }

    /// Leaves changes untested that are not tested yet, for a reason.
    pub(super) fn leave_untested(&mut self, reason: &str) {
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
        self.core.step(x, weight, None)
    }

    /// The same, where sample `j` counts as much as `counts[j]` samples.
    ///
    /// # Errors
    /// Those of [`Factorizer::step_counted`].
    pub fn push_counted(
        &mut self,
        x: Minibatch<'_, T>,
        weight: Option<f64>,
        counts: &[f64],
    ) -> Result<StepReport> {
        self.core.step(x, weight, Some(counts))
    }

    /// Goes over to what the network became after this many more minibatches are planned of it; windows have times of this kind.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a run that is not on one network, and for another motif.
    pub fn follow(&mut self, next: Window, steps: u64, times: Times) -> Result<()> {
        if let Some(source) = self.source.follow(next, steps, times)? {
            self.source = source;
        }
        (self.core.learned, self.core.over) = (false, false);
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
            let found = format!("{}×{}", model.w.rows(), model.w.cols());
            return Err(Error::shape(
                "the dictionary of the model",
                found,
                format!("{}×{}", needed.0, needed.1),
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
        self.core.explained = results.and_then(|r| {
            Some(ExplainedShare { samples: None, atoms: r.explained?, mean: r.explained_by_mean? })
        });
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
    pub(crate) fn into_dictionary(self) -> Result<Factorizer<T>> {
        self.core.trainer.learned()?;
        self.core.trainer.factorizer.ok_or(Error::Interrupted)
    }

    /// The step of the checkpoint that it was resumed from.
    pub fn resumed(&self) -> Option<u64> {
        self.resumed
    }

    /// `Σ ‖x − Wh‖²` over the last epoch that was completed, each sample coded before it was learned from; none where there was no epoch.
    pub fn epoch_error(&self) -> Option<f64> {
        self.core.plateau.last_error()
    }

    /// Samples that were held out, and their loss each.
    pub fn held_out(&self) -> Option<(u64, f64)> {
        self.core.held_out
    }

    /// How much of its samples the dictionary explains, once learning is over and where the source can go over them again.
    pub fn explained(&self) -> Option<ExplainedShare> {
        self.core.explained
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
}
