//! What a factorizer carries, in one precision, and the loops over arrays.

use crate::array::{Buffers, Rows, Samples, check_minibatch, fits};
use crate::sets::Raised;
use crate::work::Watch;
use ergodict::data::{BatchSettings, SampleOrder, SampleRows};
use ergodict::factor::code::CHUNK;
use ergodict::factor::code::{CodeSet, Pursuit};
use ergodict::factor::{FactorSettings, Factorizer, Minibatch, StepReport};
use ergodict::linalg::Scalar;
use ergodict::run::{
    ExplainedShare, Form, Next, Resumable, Run, RunPlan, Sections, Source, Status, Stop, StopRule,
    explained_share,
};
use ergodict::{Error, Result};
use numpy::Element;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Samples that are coded together where nothing is learned: as many as the command line takes.
pub(super) fn together() -> usize {
    BatchSettings::default().batch
}

/// Learning in progress.
pub(crate) struct State<T: Scalar> {
    pub(crate) run: Run<T>,
    pub(crate) features: usize,
    /// Epochs completed by the last run over an array.
    pub(crate) epochs: u64,
    /// The most samples of a minibatch that are known to fit into memory.
    fitting: usize,
}

/// The state, once there is no other reference to it.
pub(crate) fn hold<T: Scalar>(state: &Mutex<State<T>>) -> MutexGuard<'_, State<T>> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<T: Scalar> State<T> {
    /// From its beginning; `raised` is what its projections raise, if they are functions of Python: steps in which one does are undone.
    pub(crate) fn new(
        first: Option<Factorizer<T>>,
        parameters: FactorSettings,
        features: usize,
        seed: u64,
        raised: Option<Raised>,
    ) -> Result<Self> {
        let form = Form::Samples { features, names: None };
        let mut run = Run::pushed(RunPlan::new("factor", parameters, seed), form, first)?;
        if let Some(raised) = raised {
            run.guard(Box::new(move || raised.is_some()));
        }
        Ok(Self { run, features, epochs: 0, fitting: CHUNK })
    }

    /// One step, with the scheduled weight or one of the caller's.
    pub(crate) fn step(
        &mut self,
        x: Minibatch<'_, T>,
        weight: Option<f64>,
        counts: Option<&[f64]>,
    ) -> Result<StepReport> {
        if let Minibatch::Sparse(x) = x
            && self.run.trainer().learned().is_err()
        {
            check_minibatch::<T>(x.rows(), x.cols())?;
        }
        match counts {
            None => self.run.push(x, weight),
            Some(counts) => self.run.push_counted(x, weight, counts),
        }
    }

    /// Refuses minibatches whose codes do not fit into memory. The system is asked once for each larger size: an answer
    /// takes longer than a small step.
    pub(crate) fn check_memory(&mut self, samples: usize) -> Result<()> {
        if samples <= self.fitting {
            return Ok(());
        }
        let parameters = &self.run.plan().parameters;
        let needed = parameters.memory::<T>(self.features, samples as u64);
        let what = format!("{} atoms and a minibatch of {samples} samples", parameters.atoms);
        fits(needed, &what, "give fewer samples at a time")?;
        self.fitting = samples;
        Ok(())
    }
}

/// An error of a minibatch with the sample's number in the array.
pub(super) fn at_sample(error: Error, rows: &SampleRows<'_>) -> Error {
    match error {
        Error::NotFinite { sample, feature, value } => {
            Error::NotFinite { sample: rows.at(sample as usize), feature, value }
        }
        other => other,
    }
}

/// The minibatches of an array.
struct ArraySource<'a, T: Scalar + Element> {
    x: &'a Samples<'a, T>,
    /// How much each sample counts, if they do not count alike.
    counts: Option<&'a [f64]>,
    order: SampleOrder,
    missing: bool,
    buffers: Buffers<T>,
    made: u64,
    /// The samples of the minibatch: these, or those from the first on.
    picked: Vec<u64>,
    first: u64,
    /// How much the samples of the minibatch count.
    picked_counts: Vec<f64>,
    form: Form,
}

impl<T: Scalar + Element> Resumable for ArraySource<'_, T> {
    fn save(&self, _: &mut Sections) -> Result<()> {
        Ok(())
    }

    fn restore(&mut self, _: &Sections) -> Result<()> {
        Ok(())
    }
}

impl<T: Scalar + Element> Source<T> for ArraySource<'_, T> {
    fn form(&self) -> &Form {
        &self.form
    }

    fn made(&self) -> u64 {
        self.made
    }

    fn planned(&self) -> Option<u64> {
        Some(self.order.minibatches())
    }

    fn epochs(&self) -> u64 {
        self.order.epochs()
    }

    fn next(&mut self, _: &Stop) -> Result<Next<'_, T>> {
        let Some(rows) = self.order.next_rows()? else { return Ok(Next::End) };
        self.made += 1;
        self.picked.clear();
        match &rows {
            SampleRows::Range(range) => self.first = range.start,
            SampleRows::Picked(rows) => self.picked.extend(*rows),
        }
        if let Some(counts) = self.counts {
            self.picked_counts.clear();
            self.picked_counts.extend((0..rows.len()).map(|j| counts[rows.at(j) as usize]));
        }
        let x = self.x.minibatch(&rows, self.missing, &mut self.buffers)?;
        Ok(if self.counts.is_some() { Next::Counted(x, &self.picked_counts) } else { Next::Minibatch(x) })
    }

    fn explain(&self, error: Error) -> Error {
        match error {
            Error::NotFinite { sample, feature, value } => {
                let sample = self.picked.get(sample as usize).copied().unwrap_or(self.first + sample);
                Error::NotFinite { sample, feature, value }
            }
            other => other,
        }
    }

    fn held_out(&mut self, dictionary: &mut Factorizer<T>, stop: &Stop) -> Result<Option<(u64, f64)>> {
        let (mut count, mut sum, mut next) = (0, 0.0, 0);
        while let Some((rows, then)) = self.order.held_out_rows(next) {
            let minibatch = self.x.minibatch(&rows, self.missing, &mut self.buffers)?;
            sum += dictionary.loss(minibatch).map_err(|e| at_sample(e, &rows))?;
            count += rows.len() as u64;
            next = then;
            if stop.is_asked() {
                return Ok(None);
            }
        }
        Ok((count > 0).then(|| (count, sum / count as f64)))
    }

    /// As on the command line; of samples that do not count alike there is none.
    fn explained(&mut self, dictionary: &mut Factorizer<T>, stop: &Stop) -> Result<Option<ExplainedShare>> {
        if self.counts.is_some() || self.order.planned_epochs() == 1 {
            return Ok(None);
        }
        let Self { x, order, missing, buffers, .. } = self;
        explained_share(dictionary, stop, |see| {
            let (mut count, mut next) = (0, 0);
            while let Some((rows, then)) = order.kept_rows(next) {
                see(x.minibatch(&rows, *missing, buffers)?).map_err(|e| at_sample(e, &rows))?;
                count += rows.len() as u64;
                next = then;
            }
            Ok(count)
        })
    }
}

/// A fit of an array.
pub(super) struct Fit<'a> {
    pub(super) options: BatchSettings,
    pub(super) missing: bool,
    /// How much each sample counts, if they do not count alike.
    pub(super) counts: Option<&'a [f64]>,
    /// Called after each step.
    pub(super) callback: Option<&'a Py<PyAny>>,
    pub(super) raised: &'a Raised,
}

impl Fit<'_> {
    /// Learns from all epochs; what was learned by then stays when it is stopped. Others may look at the state between two steps.
    pub(super) fn learn<T: Scalar + Element>(
        &self,
        state: &Mutex<State<T>>,
        x: &Samples<'_, T>,
        watch: &Watch,
    ) -> Result<()> {
        let order = SampleOrder::new(x.len() as u64, self.options)?;
        let total = order.minibatches();
        let form = {
            let mut state = hold(state);
            state.run.plan_mut().stopping = StopRule::from_settings(&self.options);
            state.run.source().form().clone()
        };
        let Self { missing, counts, .. } = *self;
        let (buffers, picked, picked_counts) = (Buffers::new(), Vec::new(), Vec::new());
        let mut source = ArraySource {
            x,
            counts,
            order,
            missing,
            buffers,
            made: 0,
            picked,
            first: 0,
            picked_counts,
            form,
        };
        for made in 1..=total {
            if watch.stopped() {
                return Ok(());
            }
            let (step, status) = {
                let mut state = hold(state);
                let status = state.run.run_over(&mut source, Some(made), watch.stop())?;
                state.epochs = source.order.epochs();
                if source.made < made {
                    return Ok(());
                }
                let trainer = state.run.trainer();
                watch.figure(trainer.history().points.last().map_or(f64::NAN, |p| p.loss));
                (trainer.last_report(), status)
            };
            watch.at(made, total);
            self.call_back(step.as_ref())?;
            if status == Status::Finished {
                return Ok(());
            }
        }
        let mut state = hold(state);
        state.run.run_over(&mut source, None, watch.stop())?;
        state.epochs = source.order.epochs();
        Ok(())
    }

    /// Calls back, and stops when that or a projection raised.
    fn call_back(&self, report: Option<&StepReport>) -> Result<()> {
        if let (Some(callback), Some(report)) = (self.callback, report) {
            Python::attach(|py| {
                if let Err(error) = facts(py, report).and_then(|facts| callback.call1(py, (facts,))) {
                    self.raised.put(error);
                }
            });
        }
        if self.raised.is_some() { Err(Error::Interrupted) } else { Ok(()) }
    }
}

/// What a step did, for a callback.
pub(super) fn facts<'py>(py: Python<'py>, report: &StepReport) -> PyResult<Bound<'py, PyDict>> {
    let facts = PyDict::new(py);
    facts.set_item("step", report.t)?;
    facts.set_item("weight", report.weight)?;
    facts.set_item("samples", report.samples)?;
    facts.set_item("loss", report.loss_before)?;
    facts.set_item("squared_error", report.squared_error)?;
    facts.set_item("surrogate", report.surrogate)?;
    facts.set_item("change", report.change)?;
    facts.set_item("density", report.density)?;
    facts.set_item("capped", report.capped())?;
    facts.set_item("reseeded", report.reseeded)?;
    Ok(facts)
}

/// How samples are coded.
#[derive(Clone, Copy, Default)]
pub(super) struct Coding {
    /// Whether NaN is a missing value.
    pub missing: bool,
    /// Another weight of the ℓ₁ norm than that of learning.
    pub lambda: Option<f64>,
    /// Most atoms and the error of orthogonal matching pursuit.
    pub pursuit: Option<(Option<usize>, Option<f64>)>,
}

/// Codes an array under the dictionary as it is: the codes into `codes`, and the loss of each sample.
pub(super) fn code<T: Scalar + Element>(
    state: &Mutex<State<T>>,
    x: &Samples<'_, T>,
    how: Coding,
    mut codes: Option<Rows<'_, T>>,
    watch: &Watch,
) -> Result<Vec<f64>> {
    let mut other = None;
    if let Some((atoms, tol)) = how.pursuit {
        let mut state = hold(state);
        let learned = state.run.coder()?;
        let nonnegative = learned.parameters().code().is_nonnegative();
        other = Some(learned.with_code(CodeSet::Pursuit(Pursuit { atoms, tol, nonnegative }))?);
    }
    let options = BatchSettings { batch: together(), ..BatchSettings::default() };
    let mut order = SampleOrder::new(x.len() as u64, options)?;
    let (total, mut losses) = (order.minibatches(), Vec::with_capacity(x.len()));
    let mut buffers = Buffers::new();
    while let Some(rows) = order.next_rows()? {
        if watch.stopped() {
            break;
        }
        let minibatch = x.minibatch(&rows, how.missing, &mut buffers)?;
        let mut state = hold(state);
        let factorizer = match &mut other {
            Some(other) => other,
            None => state.run.coder()?,
        };
        let coded = match how.lambda {
            None => factorizer.transform(minibatch),
            Some(lambda) => factorizer.transform_with(minibatch, lambda),
        };
        coded.map_err(|e| at_sample(e, &rows))?;
        if let Some(codes) = &mut codes {
            codes.write(losses.len(), factorizer.code().as_ref());
        }
        losses.extend(factorizer.losses());
        watch.at((losses.len() as u64).div_ceil(together() as u64), total);
    }
    Ok(losses)
}
