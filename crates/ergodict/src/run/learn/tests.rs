//! Runs that stop, go on, and are undone.

use super::super::{ExplainedShare, Form, Next, Resumable, Run, RunPlan, Sections, Source, Status, Stop};
use crate::factor::{FactorSettings, Factorizer, StepReport};
use crate::linalg::Mat;
use crate::{Error, Result};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Minibatches that depend on their number alone.
struct Numbered {
    x: Mat<f64>,
    made: u64,
    total: u64,
    form: Form,
    /// Whether the user stops while the explained share is measured.
    interrupted: bool,
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
    fn explained(&mut self, _: &mut Factorizer<f64>, stop: &Stop) -> Result<Option<ExplainedShare>> {
        if self.interrupted {
            stop.ask();
            return Err(Error::Interrupted);
        }
        Ok(Some(ExplainedShare { samples: Some(4 * self.total), atoms: 0.75, mean: 0.5 }))
    }
}

fn minibatch(t: usize) -> Mat<f64> {
    Mat::from_fn(3, 4, |i, j| ((i * 5 + j * 3 + t * 7) % 11) as f64)
}

fn fresh() -> Run<f64> {
    interrupted_in_the_end(false)
}

fn interrupted_in_the_end(interrupted: bool) -> Run<f64> {
    let form = Form::Samples { features: 3, names: None };
    let source = Numbered { x: Mat::zeros(0, 0), made: 0, total: 9, form, interrupted };
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

#[test]
fn a_run_stopped_while_the_explained_share_is_measured_has_learned() {
    let mut whole = fresh();
    assert!(!whole.is_learned());
    whole.run(None, &Stop::default()).unwrap();
    assert!(whole.is_learned() && whole.explained().is_some());
    let mut stopped = interrupted_in_the_end(true);
    assert_eq!(stopped.run(None, &Stop::default()).unwrap(), Status::Stopped);
    assert!(stopped.is_learned() && stopped.explained().is_none());
    assert_eq!(learned(&stopped), learned(&whole));
    // Resumed, the share is measured; a finished run keeps it when it is saved.
    for (run, explained) in [(&stopped, None), (&whole, whole.explained())] {
        let mut state = Sections::default();
        run.save(&mut state).unwrap();
        let mut again = fresh();
        again.restore(&state).unwrap();
        assert_eq!(again.explained(), explained);
        assert_eq!(again.run(None, &Stop::default()).unwrap(), Status::Finished);
        assert_eq!((again.explained(), learned(&again)), (whole.explained(), learned(&whole)));
    }
}
