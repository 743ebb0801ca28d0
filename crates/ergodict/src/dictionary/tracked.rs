//! A factoriser with its history and its tally: what learning keeps, whatever it learns from.

use super::{GapPoint, History, HistoryPoint, Model, gap_due};
use crate::factor::code::CodeReport;
use crate::factor::diagnostics::{smallest_eigenvalue, stationarity_gap, unused};
use crate::factor::{Aggregates, Factoriser, Minibatch, Normalise, Parameters, Statistics, StepReport};
use crate::linalg::{Mat, Scalar};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::path::Path;

/// With more atoms the smallest eigenvalue of A, O(r³), is left out.
const MOST_FOR_EIGENVALUES: usize = 2048;

/// Learning in progress.
///
/// ```
/// use ergodict::{dictionary::Tracked, factor::{Factoriser, Parameters}, linalg::Mat};
/// let x = Mat::from_fn(3, 8, |i, j| (1 + i * j % 5) as f64);
/// let mut tracked = Tracked::<f64>::new(None); // to begin with columns of the first minibatch
/// for _ in 0..20 {
///     tracked.step((&x).into(), || Factoriser::from_data(Parameters::new(2), x.as_ref(), 0))?;
/// }
/// let results = tracked.results()?;
/// let model = tracked.finished("factor", 0, serde_json::json!({}), &results)?;
/// assert_eq!((tracked.steps(), tracked.samples(), model.w.cols()), (20, 160, 2));
/// # Ok::<(), ergodict::Error>(())
/// ```
pub struct Tracked<T: Scalar> {
    /// None until the first minibatch, when it starts from data.
    pub factoriser: Option<Factoriser<T>>,
    history: History,
    tally: Tally,
}

/// What learning was at some time, to go back to: see [`Tracked::mark`].
///
/// ```
/// use ergodict::{dictionary::Tracked, factor::{Factoriser, Parameters}, linalg::Mat};
/// let (x, parameters) = (Mat::from_fn(3, 8, |i, j| (1 + i * j % 5) as f64), Parameters::new(2));
/// let mut tracked = Tracked::new(Some(Factoriser::<f64>::random(parameters.clone(), 3, 0)?));
/// let mark = tracked.mark();
/// tracked.step((&x).into(), || unreachable!())?;
/// tracked.back(mark, &parameters)?;
/// assert_eq!(tracked.steps(), 0);
/// # Ok::<(), ergodict::Error>(())
/// ```
pub struct Mark<T: Scalar> {
    state: Option<(Mat<T>, Aggregates)>,
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
    last_loss: f64,
}

/// What there is to say at the end. The same run gives the same results, so they are kept in the model.
///
/// ```
/// use ergodict::{dictionary::Tracked, factor::{Factoriser, Parameters}, linalg::Mat};
/// let x = Mat::from_fn(3, 8, |i, j| (1 + i * j % 5) as f64);
/// let mut tracked = Tracked::new(Some(Factoriser::<f64>::random(Parameters::new(2), 3, 0)?));
/// tracked.step((&x).into(), || unreachable!())?;
/// let results = tracked.results()?;
/// assert!(results.surrogate_per_sample <= results.loss_per_sample && results.held_out_loss_per_sample.is_none());
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Results {
    /// Loss of the last minibatch before its update, per sample.
    pub loss_per_sample: f64,
    /// Surrogate at the end, per sample.
    pub surrogate_per_sample: f64,
    /// Samples that were held out.
    pub held_out_samples: u64,
    /// Their loss, if there are any.
    pub held_out_loss_per_sample: Option<f64>,
    /// How far the dictionary is from stationary.
    pub stationarity_gap: f64,
    /// That of `A`; none for too many atoms.
    pub smallest_eigenvalue: Option<f64>,
    /// Atoms that no code has used.
    pub unused_atoms: usize,
    /// Steps in which coding met its cap before its tolerance.
    pub capped_code_steps: u64,
    /// Steps in which the dictionary update met its cap before its tolerance.
    pub capped_update_steps: u64,
    /// How often an atom was reseeded.
    pub reseeded: u64,
}

impl<T: Scalar> Tracked<T> {
    /// From the beginning; without a factoriser it starts from data.
    pub fn new(factoriser: Option<Factoriser<T>>) -> Self {
        Self { factoriser, history: History::default(), tally: Tally::default() }
    }

    /// From a checkpoint, which was read from `path`.
    ///
    /// # Errors
    /// [`Error::Format`] for a model that is no checkpoint.
    pub fn resumed(model: &Model, path: &Path) -> Result<Self> {
        let tally = serde_json::from_value(model.run["tally"].clone())
            .map_err(|e| Error::format(path, None, format!("damaged checkpoint: {e}")))?;
        Ok(Self { factoriser: Some(model.factoriser()?), history: model.history.clone(), tally })
    }

    /// From a model of any kind, finished or not: the steps that follow are those that would have followed.
    ///
    /// # Errors
    /// As [`Model::factoriser`].
    pub fn continued(model: &Model) -> Result<Self> {
        let told = |key: &str, name: &str| model.run[key].get(name).cloned();
        let count = |name: &str| told("tally", name).or_else(|| told("results", name));
        let number = |name: &str| count(name).and_then(|x| x.as_u64()).unwrap_or(0);
        let loss = told("tally", "last_loss").or_else(|| told("results", "loss_per_sample"));
        let tally = Tally {
            capped_code_steps: number("capped_code_steps"),
            capped_update_steps: number("capped_update_steps"),
            reseeded: number("reseeded"),
            last_loss: loss.and_then(|x| x.as_f64()).unwrap_or(f64::NAN),
        };
        Ok(Self { factoriser: Some(model.factoriser()?), history: model.history.clone(), tally })
    }

    /// What learning is now.
    pub fn mark(&self) -> Mark<T> {
        let state = self.factoriser.as_ref().map(|f| (f.dictionary().clone(), f.aggregates().clone()));
        Mark { state, history: self.history.clone(), tally: self.tally }
    }

    /// Goes back to what it was, with these parameters, as if the steps since had not been.
    ///
    /// # Errors
    /// As [`Factoriser::resume`].
    pub fn back(&mut self, mark: Mark<T>, parameters: &Parameters) -> Result<()> {
        let resume = |(w, aggregates)| Factoriser::resume(parameters.clone(), w, aggregates);
        self.factoriser = mark.state.map(resume).transpose()?;
        (self.history, self.tally) = (mark.history, mark.tally);
        Ok(())
    }

    /// One step; `start` makes the factoriser if there is none yet.
    ///
    /// # Errors
    /// As [`Factoriser::step`]; what `start` returns.
    pub fn step(
        &mut self,
        x: Minibatch<'_, T>,
        start: impl FnOnce() -> Result<Factoriser<T>>,
    ) -> Result<StepReport> {
        self.started(start)?;
        self.record(|factoriser| factoriser.step(x))
    }

    /// One step with a weight of the caller's.
    ///
    /// # Errors
    /// As [`Factoriser::step_weighted`]; what `start` returns.
    pub fn step_weighted(
        &mut self,
        x: Minibatch<'_, T>,
        weight: f64,
        start: impl FnOnce() -> Result<Factoriser<T>>,
    ) -> Result<StepReport> {
        self.started(start)?.next_weight(weight)?;
        self.record(|factoriser| factoriser.step(x))
    }

    /// One step from statistics of columns coded with the current dictionary.
    ///
    /// # Errors
    /// As [`Factoriser::absorb`]; [`Error::Parameter`] before there is a dictionary.
    pub fn absorb(&mut self, statistics: &Statistics) -> Result<StepReport> {
        self.absorb_coded(statistics, CodeReport::default())
    }

    /// The same, with what coding the columns took, which the statistics do not tell.
    ///
    /// # Errors
    /// As [`Tracked::absorb`].
    pub fn absorb_coded(&mut self, statistics: &Statistics, code: CodeReport) -> Result<StepReport> {
        self.learned()?;
        self.record(|factoriser| Ok(StepReport { code, ..factoriser.absorb(statistics)? }))
    }

    /// The factoriser, made by `start` if there is none yet.
    fn started(&mut self, start: impl FnOnce() -> Result<Factoriser<T>>) -> Result<&mut Factoriser<T>> {
        match &mut self.factoriser {
            Some(factoriser) => Ok(factoriser),
            none => Ok(none.insert(start()?)),
        }
    }

    /// Takes a step and keeps what it says.
    fn record(&mut self, step: impl FnOnce(&mut Factoriser<T>) -> Result<StepReport>) -> Result<StepReport> {
        let Some(factoriser) = &mut self.factoriser else {
            return Err(Error::parameter("the number of samples", 0, "at least one is needed"));
        };
        let report = step(factoriser)?;
        let loss = match factoriser.parameters().normalise {
            Normalise::Sum => report.loss_before / report.samples as f64,
            Normalise::PerColumn => report.loss_before,
        };
        self.tally.capped_code_steps += u64::from(report.code.capped > 0);
        self.tally.capped_update_steps += u64::from(report.update.capped);
        self.tally.reseeded += report.reseeded as u64;
        self.tally.last_loss = loss;
        let totals = factoriser.aggregates();
        let (samples, surrogate) = (totals.samples, totals.per_sample(report.surrogate));
        self.history.push(HistoryPoint { t: report.t, samples, loss, surrogate });
        if gap_due(report.t) {
            let (t, gap, change) = (report.t, stationarity_gap(factoriser), report.change);
            self.history.gaps.push(GapPoint { t, samples, gap, change });
        }
        Ok(report)
    }

    /// What the loss was along the way.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// Samples learned from.
    pub fn samples(&self) -> u64 {
        self.factoriser.as_ref().map_or(0, |f| f.aggregates().samples)
    }

    /// Steps taken.
    pub fn steps(&self) -> u64 {
        self.factoriser.as_ref().map_or(0, |f| f.aggregates().t)
    }

    /// The factoriser, which exists once there was a minibatch.
    ///
    /// # Errors
    /// [`Error::Parameter`] before that.
    pub fn learned(&self) -> Result<&Factoriser<T>> {
        match &self.factoriser {
            Some(factoriser) => Ok(factoriser),
            None => Err(Error::parameter("the number of samples", 0, "at least one is needed")),
        }
    }

    /// What there is to say, but for what was held out.
    ///
    /// # Errors
    /// As [`Tracked::learned`].
    pub fn results(&self) -> Result<Results> {
        let factoriser = self.learned()?;
        let a = &factoriser.aggregates().a;
        Ok(Results {
            loss_per_sample: self.tally.last_loss,
            surrogate_per_sample: factoriser.aggregates().per_sample(factoriser.surrogate()),
            held_out_samples: 0,
            held_out_loss_per_sample: None,
            stationarity_gap: stationarity_gap(factoriser),
            smallest_eigenvalue: (a.cols() <= MOST_FOR_EIGENVALUES).then(|| smallest_eigenvalue(factoriser)),
            unused_atoms: unused(a).len(),
            capped_code_steps: self.tally.capped_code_steps,
            capped_update_steps: self.tally.capped_update_steps,
            reseeded: self.tally.reseeded,
        })
    }

    /// The state as a model; `more` is added to what it says of its run.
    fn model(&self, kind: &str, seed: u64, run: Value, more: Value) -> Result<Model> {
        let mut model = Model::of(self.learned()?, kind, seed);
        model.history.clone_from(&self.history);
        model.run = run;
        if let (Value::Object(run), Value::Object(more)) = (&mut model.run, more) {
            run.extend(more);
        }
        Ok(model)
    }

    /// The state as a checkpoint, which still needs to be told where the data was.
    ///
    /// # Errors
    /// As [`Tracked::learned`].
    pub fn checkpoint(&self, kind: &str, seed: u64, run: Value) -> Result<Model> {
        self.model(kind, seed, run, json!({ "tally": self.tally }))
    }

    /// What was learned, with its results.
    ///
    /// # Errors
    /// As [`Tracked::learned`].
    pub fn finished(&self, kind: &str, seed: u64, run: Value, results: &Results) -> Result<Model> {
        self.model(kind, seed, run, json!({ "results": results }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn going_back_undoes_the_steps_since() {
        let parameters = Parameters::new(2);
        let x = |t: usize| Mat::<f64>::from_fn(3, 4, |i, j| ((i * 5 + j * 3 + t * 7) % 11) as f64);
        let step = |tracked: &mut Tracked<f64>, t: usize| {
            let x = x(t);
            let start = || Factoriser::random(Parameters::new(2), 3, 0);
            tracked.step((&x).into(), start).unwrap();
        };
        let mut tracked = Tracked::new(None);
        let empty = tracked.mark();
        step(&mut tracked, 1);
        let (w, mark) = (tracked.learned().unwrap().dictionary().clone(), tracked.mark());
        step(&mut tracked, 2);
        let further = tracked.learned().unwrap().dictionary().clone();
        assert_ne!(w, further);
        tracked.back(mark, &parameters).unwrap();
        assert_eq!((tracked.steps(), tracked.history().points.len()), (1, 1));
        assert_eq!(tracked.learned().unwrap().dictionary(), &w);
        step(&mut tracked, 2);
        assert_eq!(tracked.learned().unwrap().dictionary(), &further);
        tracked.back(empty, &parameters).unwrap();
        assert!(tracked.learned().is_err());
    }
}
