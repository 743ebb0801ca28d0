//! A factorizer with its history and its tally: what learning keeps, whatever it learns from.

use super::Sections;
use crate::factor::code::CodeReport;
use crate::factor::diagnostics::{smallest_eigenvalue, stationarity_gap, unused};
use crate::factor::{Aggregates, FactorSettings, Factorizer, Minibatch, Statistics, StepReport};
use crate::linalg::{Mat, Scalar};
use crate::model::{GapPoint, History, HistoryPoint, Model, Provenance, Results, gap_due};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// With more atoms the smallest eigenvalue of A, O(r³), is left out.
const MOST_FOR_EIGENVALUES: usize = 2048;

/// Learning in progress.
///
/// ```
/// use ergodict::{factor::FactorSettings, linalg::Mat, run::{Form, Run, RunPlan}};
/// let x = Mat::from_fn(3, 8, |i, j| (1 + i * j % 5) as f64);
/// let form = Form::Samples { features: 3, names: None };
/// let mut run = Run::<f64>::pushed(RunPlan::new("factor", FactorSettings::new(2), 0), form, None)?;
/// for _ in 0..20 {
///     run.push((&x).into(), None)?;
/// }
/// assert_eq!((run.trainer().steps(), run.trainer().samples()), (20, 160));
/// # Ok::<(), ergodict::Error>(())
/// ```
pub struct Trainer<T: Scalar> {
    /// None until the first minibatch, when it starts from data.
    pub factorizer: Option<Factorizer<T>>,
    history: History,
    tally: Tally,
    /// What the last step did.
    last: Option<StepReport>,
}

/// What learning was at some time, to go back to.
pub(crate) struct TrainerSnapshot<T: Scalar> {
    /// The dictionary, the aggregates, and λ, which the first minibatch may have decided.
    state: Option<(Mat<T>, Aggregates, f64)>,
    history: History,
    tally: Tally,
}

/// What is counted over all steps.
#[derive(Clone, Copy, Default, Serialize, Deserialize)]
struct Tally {
    /// Steps in which coding met its cap before its tolerance.
    capped_code_steps: u64,
    /// Steps in which the dictionary update met its cap on sweeps before its tolerance.
    capped_update_steps: u64,
    /// Atoms reseeded.
    reseeded: u64,
    /// Loss of the last minibatch before its update, per sample.
    last_loss: Option<f64>,
}

impl<T: Scalar> Trainer<T> {
    /// From the beginning; without a factorizer it starts from data.
    pub(crate) fn new(factorizer: Option<Factorizer<T>>) -> Self {
        Self { factorizer, history: History::default(), tally: Tally::default(), last: None }
    }

    /// Adds its state to a checkpoint.
    pub(in crate::run) fn save(&self, to: &mut Sections) -> Result<()> {
        to.put_json("tally", &self.tally)?;
        to.put_json("history", &self.history)?;
        let Some(factorizer) = &self.factorizer else { return Ok(()) };
        let totals = factorizer.aggregates();
        to.put_json("totals", &(totals.r, totals.t, totals.samples, totals.width))?;
        let lambda = factorizer.parameters().lambda;
        to.put_json("lambda", &(lambda != FactorSettings::AUTO).then_some(lambda))?;
        to.put_matrix("W", factorizer.dictionary());
        to.put_matrix("A", &totals.a);
        to.put_matrix("B", &totals.b_transposed);
        Ok(())
    }

    /// Returns to a saved state, with these parameters.
    pub(in crate::run) fn restore(&mut self, parameters: &FactorSettings, from: &Sections) -> Result<()> {
        (self.tally, self.history) = (from.json("tally")?, from.json("history")?);
        self.factorizer = None;
        if from.has("totals") {
            let (r, t, samples, width) = from.json("totals")?;
            let (a, b_transposed) = (from.matrix("A")?, from.matrix("B")?);
            let aggregates = Aggregates { a, b_transposed, r, t, samples, width };
            let decided: Option<f64> = from.json("lambda")?;
            let parameters =
                FactorSettings { lambda: decided.unwrap_or(parameters.lambda), ..parameters.clone() };
            self.factorizer = Some(Factorizer::resume(parameters, from.matrix("W")?, aggregates)?);
        }
        Ok(())
    }

    /// From a model of any kind, finished or not: the steps that follow are those that would have followed.
    ///
    /// # Errors
    /// As [`Model::factorizer`].
    pub(crate) fn continued(model: &Model) -> Result<Self> {
        let saved = model.provenance.more.get("tally").and_then(|tally| Tally::deserialize(tally).ok());
        let finished = model.provenance.results.map(|results| Tally {
            capped_code_steps: results.capped_code_steps,
            capped_update_steps: results.capped_update_steps,
            reseeded: results.reseeded,
            last_loss: Some(results.loss_per_sample),
        });
        let tally = saved.or(finished).unwrap_or_default();
        Ok(Self { factorizer: Some(model.factorizer()?), history: model.history.clone(), tally, last: None })
    }

    /// What learning is now.
    pub(crate) fn snapshot(&self) -> TrainerSnapshot<T> {
        let state =
            |f: &Factorizer<T>| (f.dictionary().clone(), f.aggregates().clone(), f.parameters().lambda);
        let state = self.factorizer.as_ref().map(state);
        TrainerSnapshot { state, history: self.history.clone(), tally: self.tally }
    }

    /// Goes back to what it was, with these parameters, as if the steps since had not been.
    ///
    /// # Errors
    /// As [`Factorizer::resume`].
    pub(crate) fn rollback(&mut self, to: TrainerSnapshot<T>, parameters: &FactorSettings) -> Result<()> {
        let resume = |(w, aggregates, lambda)| {
            Factorizer::resume(FactorSettings { lambda, ..parameters.clone() }, w, aggregates)
        };
        self.factorizer = to.state.map(resume).transpose()?;
        (self.history, self.tally) = (to.history, to.tally);
        Ok(())
    }

    /// One step, with the scheduled weight or one of the caller's, and with samples that count alike or by these numbers; `start` makes the
    /// factorizer if there is none yet.
    ///
    /// # Errors
    /// As [`Factorizer::step_weighted`] and [`Factorizer::step_counted`]; what `start` returns.
    pub(crate) fn step(
        &mut self,
        x: Minibatch<'_, T>,
        weight: Option<f64>,
        counts: Option<&[f64]>,
        start: impl FnOnce() -> Result<Factorizer<T>>,
    ) -> Result<StepReport> {
        let factorizer = self.started(start)?;
        if let Some(weight) = weight {
            factorizer.next_weight(weight)?;
        }
        self.record(|factorizer| match counts {
            None => factorizer.step(x),
            Some(counts) => factorizer.step_counted(x, counts),
        })
    }

    /// A step from statistics, with the effort of coding the columns, which the statistics do not have.
    ///
    /// # Errors
    /// As [`Trainer::absorb`].
    pub(crate) fn absorb_coded(&mut self, statistics: &Statistics, code: CodeReport) -> Result<StepReport> {
        self.learned()?;
        self.record(|factorizer| Ok(StepReport { code, ..factorizer.absorb(statistics)? }))
    }

    /// The factorizer, made by `start` if there is none yet.
    fn started(&mut self, start: impl FnOnce() -> Result<Factorizer<T>>) -> Result<&mut Factorizer<T>> {
        match &mut self.factorizer {
            Some(factorizer) => Ok(factorizer),
            none => Ok(none.insert(start()?)),
        }
    }

    /// Takes a step and keeps what it says.
    fn record(&mut self, step: impl FnOnce(&mut Factorizer<T>) -> Result<StepReport>) -> Result<StepReport> {
        let Some(factorizer) = &mut self.factorizer else {
            return Err(Error::parameter("the number of samples", 0, "at least one is needed"));
        };
        let report = step(factorizer)?;
        let loss = report.loss_before;
        self.tally.capped_code_steps += u64::from(report.code.capped > 0);
        self.tally.capped_update_steps += u64::from(report.update.capped);
        self.tally.reseeded += report.reseeded as u64;
        self.tally.last_loss = Some(loss);
        let totals = factorizer.aggregates();
        let (samples, surrogate) = (totals.samples, report.surrogate);
        self.history.push(HistoryPoint { t: report.t, samples, loss, surrogate });
        if gap_due(report.t) {
            let (t, gap, change) = (report.t, stationarity_gap(factorizer), report.change);
            self.history.gaps.push(GapPoint { t, samples, gap, change });
        }
        self.last = Some(report);
        Ok(report)
    }

    /// What the last step did; none before the first, and after a checkpoint.
    pub fn last_report(&self) -> Option<StepReport> {
        self.last
    }

    /// What the loss was along the way.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// Samples learned from.
    pub fn samples(&self) -> u64 {
        self.factorizer.as_ref().map_or(0, |f| f.aggregates().samples)
    }

    /// Steps taken.
    pub fn steps(&self) -> u64 {
        self.factorizer.as_ref().map_or(0, |f| f.aggregates().t)
    }

    /// The factorizer, which exists once there was a minibatch.
    ///
    /// # Errors
    /// [`Error::Parameter`] before that.
    pub fn learned(&self) -> Result<&Factorizer<T>> {
        match &self.factorizer {
            Some(factorizer) => Ok(factorizer),
            None => Err(Error::parameter("the number of samples", 0, "at least one is needed")),
        }
    }

    /// What there is to say, but for what was held out.
    ///
    /// # Errors
    /// As [`Trainer::learned`].
    pub(crate) fn results(&self) -> Result<Results> {
        let factorizer = self.learned()?;
        let a = &factorizer.aggregates().a;
        Ok(Results {
            loss_per_sample: self.tally.last_loss.unwrap_or(f64::NAN),
            surrogate_per_sample: factorizer.aggregates().per_sample(factorizer.surrogate()),
            held_out_samples: 0,
            held_out_loss_per_sample: None,
            explained: None,
            explained_by_mean: None,
            stationarity_gap: stationarity_gap(factorizer),
            smallest_eigenvalue: (a.cols() <= MOST_FOR_EIGENVALUES).then(|| smallest_eigenvalue(factorizer)),
            unused_atoms: unused(a).len(),
            capped_code_steps: self.tally.capped_code_steps,
            capped_update_steps: self.tally.capped_update_steps,
            reseeded: self.tally.reseeded,
        })
    }

    fn model(&self, kind: &str, seed: u64, provenance: Provenance) -> Result<Model> {
        let mut model = Model::from_factorizer(self.learned()?, kind, seed);
        model.history.clone_from(&self.history);
        model.provenance = provenance;
        Ok(model)
    }

    /// The state as a checkpoint, which still lacks the position in the data.
    ///
    /// # Errors
    /// As [`Trainer::learned`].
    pub fn checkpoint(&self, kind: &str, seed: u64, run: impl Into<Provenance>) -> Result<Model> {
        let mut provenance = run.into();
        provenance.more.insert("tally".to_owned(), json!(self.tally));
        self.model(kind, seed, provenance)
    }

    /// What was learned, with its results.
    ///
    /// # Errors
    /// As [`Trainer::learned`].
    pub fn finished(
        &self,
        kind: &str,
        seed: u64,
        run: impl Into<Provenance>,
        results: &Results,
    ) -> Result<Model> {
        self.model(kind, seed, Provenance { results: Some(*results), ..run.into() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn going_back_undoes_the_steps_since() {
        let parameters = FactorSettings::new(2);
        let x = |t: usize| Mat::<f64>::from_fn(3, 4, |i, j| ((i * 5 + j * 3 + t * 7) % 11) as f64);
        let step = |tracked: &mut Trainer<f64>, t: usize| {
            let x = x(t);
            let start = || Factorizer::random(FactorSettings::new(2), 3, 0);
            tracked.step((&x).into(), None, None, start).unwrap();
        };
        let mut tracked = Trainer::new(None);
        let empty = tracked.snapshot();
        step(&mut tracked, 1);
        let (w, mark) = (tracked.learned().unwrap().dictionary().clone(), tracked.snapshot());
        step(&mut tracked, 2);
        let further = tracked.learned().unwrap().dictionary().clone();
        assert_ne!(w, further);
        tracked.rollback(mark, &parameters).unwrap();
        assert_eq!((tracked.steps(), tracked.history().points.len()), (1, 1));
        assert_eq!(tracked.learned().unwrap().dictionary(), &w);
        step(&mut tracked, 2);
        assert_eq!(tracked.learned().unwrap().dictionary(), &further);
        tracked.rollback(empty, &parameters).unwrap();
        assert!(tracked.learned().is_err());
    }
}
