//! A run as a job: in slices, with progress, saved and restored.

use super::super::{Job, Resumable, Sections, Status, Stop, change_test};
use super::Run;
use crate::Result;
use crate::factor::Factorizer;
use crate::linalg::Scalar;
use std::time::Duration;

impl<T: Scalar> Resumable for Run<T> {
    fn save(&self, to: &mut Sections) -> Result<()> {
        to.put_json("seen", &(self.core.negative, self.core.held_out))?;
        self.core.trainer.save(to)?;
        match &self.test {
            Some(test) => test.save(to)?,
            None => change_test::save_scores(&self.tested, to)?,
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
        (samples.saturating_add(done), Some(all.saturating_mul(permutations.saturating_add(1))))
    }

    fn advance(&mut self, slice: Duration, stop: &Stop) -> Result<Status> {
        let status = if self.core.over {
            Status::Finished
        } else {
            self.core.learn(&mut *self.source, None, Some(slice), stop, &mut |_, _, _| ())?
        };
        let (Some(test), Status::Finished) = (&mut self.test, status) else { return Ok(status) };
        let status = self.core.test(test, slice, stop)?;
        if let Some(scores) = test.scores() {
            (self.tested, self.test) = (scores, None);
        }
        Ok(status)
    }

    fn text(&self) -> String {
        if let Some(test) = self.test.as_ref().filter(|test| test.finished() > 0) {
            return format!("{} of {} permutations", test.finished(), test.permutations());
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
