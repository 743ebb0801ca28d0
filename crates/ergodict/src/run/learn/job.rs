//! A run as a job: in slices, with progress, saved and restored.

use super::super::yardstick::Measurement;
use super::super::{Job, Resumable, Sections, Status, Stop, change_test};
use super::Run;
use crate::Result;
use crate::factor::Factorizer;
use crate::linalg::Scalar;
use std::time::Duration;

impl<T: Scalar> Resumable for Run<T> {
    fn save(&self, to: &mut Sections) -> Result<()> {
        to.put_json("seen", &(self.core.negative, self.core.held_out, self.core.explained))?;
        to.put_json("plateau", &self.core.plateau)?;
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
        (self.core.negative, self.core.held_out, self.core.explained) = from.json("seen")?;
        self.core.plateau = from.json("plateau")?;
        (self.core.learned, self.core.over) = (false, false);
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
        let lines =
            (self.reported..until).filter_map(|at| windows.over_time.skipped(at, windows.count)).collect();
        self.reported = until;
        lines
    }
}
