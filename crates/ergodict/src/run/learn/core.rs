//! The only loop that learns, and what a step of it takes.

use super::super::plateau::Plateau;
use super::super::{
    ChangeTest, ExplainedShare, Next, Observer, RunPlan, Source, Status, Stop, Trainer, TrainerSnapshot,
};
use crate::factor::code::CodeReport;
use crate::factor::{Factorizer, Minibatch, Statistics, StepReport};
use crate::linalg::vectors::AnyNegative;
use crate::linalg::{Isa, Scalar};
use crate::{Error, Result};
use std::time::{Duration, Instant};

/// Hears after each step how many minibatches were made and are planned.
pub(super) type Heard<'a, T> = &'a mut dyn FnMut(u64, Option<u64>, &Trainer<T>);

/// Undoes a step after which it says so.
pub(super) type Guard = Box<dyn Fn() -> bool + Send>;

/// A run without its source, so that both can be borrowed.
#[expect(clippy::struct_excessive_bools, reason = "they are states that do not depend on each other")]
pub(super) struct Core<T: Scalar> {
    pub(super) plan: RunPlan,
    pub(super) trainer: Trainer<T>,
    pub(super) observers: Vec<Box<dyn Observer<T>>>,
    pub(super) guard: Option<Guard>,
    /// Whether the signs of samples are looked at, and whether some were negative.
    pub(super) signed: bool,
    pub(super) negative: bool,
    pub(super) held_out: Option<(u64, f64)>,
    pub(super) explained: Option<ExplainedShare>,
    pub(super) plateau: Plateau,
    pub(super) sampling: Duration,
    pub(super) learning: Duration,
    /// Whether nothing is left to learn.
    pub(super) learned: bool,
    /// Whether the samples were looked at for the last time, too.
    pub(super) over: bool,
    /// Whether source and dictionary are between the same two minibatches.
    pub(super) whole: bool,
}

impl<T: Scalar> Core<T> {
    /// One step, with the scheduled weight or one of the caller's, and with columns that count alike or by these numbers.
    pub(super) fn step(
        &mut self,
        x: Minibatch<'_, T>,
        weight: Option<f64>,
        counts: Option<&[f64]>,
    ) -> Result<StepReport> {
        let negative = self.signed && !self.negative && has_negative(x);
        let snapshot = self.snapshot();
        let RunPlan { parameters, seed, .. } = &self.plan;
        let start = || Factorizer::from_minibatch(parameters.clone(), x, *seed);
        let report = self.trainer.step(x, weight, counts, start)?;
        self.settle(snapshot)?;
        self.plateau.add(&report);
        self.negative |= negative;
        self.observe(&report)?;
        Ok(report)
    }

    /// One step from statistics.
    pub(super) fn absorb(&mut self, statistics: &Statistics, code: CodeReport) -> Result<StepReport> {
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
        (self.held_out, self.explained) = (None, None);
        (self.learned, self.over) = (false, false);
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
    pub(super) fn test(&self, test: &mut ChangeTest<T>, slice: Duration, stop: &Stop) -> Result<Status> {
        let status = test.advance(&self.plan, slice, stop)?;
        if self.guard.as_ref().is_some_and(|failed| failed()) { Err(Error::Interrupted) } else { Ok(status) }
    }

    /// Steps until the source is over, `until` minibatches were made, time is up or someone asks to stop.
    pub(super) fn learn(
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
            if until.is_none() && self.plateau.reached {
                return self.end(source, stop);
            }
            let before = Instant::now();
            source.prepare(self.trainer.factorizer.as_mut())?;
            self.whole = false;
            let next = source.next(stop)?;
            let filled = before.elapsed();
            let step = match next {
                Next::Minibatch(x) => self.step(x, None, None),
                Next::Counted(x, counts) => self.step(x, None, Some(counts)),
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
                    return self.end(source, stop);
                }
            };
            step.map_err(|error| source.explain(error))?;
            self.whole = true;
            self.sampling += filled;
            self.learning += before.elapsed().saturating_sub(filled);
            stop.count(1);
            progress(source.made(), source.planned(), &self.trainer);
            if self.plateau.is_reached(source.epochs(), self.plan.stopping) {
                return self.end(source, stop);
            }
            if slice.is_some_and(|slice| started.elapsed() >= slice) {
                return Ok(Status::Running);
            }
        }
    }
}

impl<T: Scalar> Core<T> {
    /// Ends learning: the samples are looked at once more, those held out apart. What is interrupted there is done when the run is resumed.
    fn end(&mut self, source: &mut dyn Source<T>, stop: &Stop) -> Result<Status> {
        self.learned = true;
        if let Some(dictionary) = &mut self.trainer.factorizer {
            self.held_out = source.held_out(dictionary, stop)?;
            self.explained = match source.explained(dictionary, stop) {
                Err(Error::Interrupted) => return Ok(Status::Stopped),
                explained => explained?,
            };
        }
        self.over = true;
        Ok(Status::Finished)
    }
}

fn has_negative<T: Scalar>(x: Minibatch<'_, T>) -> bool {
    let isa = Isa::detect();
    let any = |values: &[T]| isa.run(AnyNegative(values));
    match x {
        Minibatch::Sparse(x) => (0..x.cols()).any(|j| any(x.col(j).1)),
        Minibatch::Dense(x) | Minibatch::Masked { values: x, .. } => (0..x.cols()).any(|j| any(x.col(j))),
    }
}
