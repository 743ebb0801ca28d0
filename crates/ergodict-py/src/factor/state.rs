//! What a factoriser carries, in one precision, and the loops over arrays.

use crate::array::{Buffers, Rows, Samples, fits, room};
use crate::sets::Raised;
use crate::work::Watch;
use ergodict::data::{FeedOptions, SampleOrder, SampleRows};
use ergodict::dictionary::{Mark, Tracked};
use ergodict::factor::code::{CHUNK, CodeSet};
use ergodict::factor::{Factoriser, Minibatch, Parameters, Statistics, StepReport};
use ergodict::linalg::Scalar;
use ergodict::{Error, Result};
use numpy::Element;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Samples that are coded together where nothing is learned: as many as the command line takes.
pub(super) fn together() -> usize {
    FeedOptions::default().batch
}

/// Learning in progress.
pub(crate) struct State<T: Scalar> {
    pub(crate) tracked: Tracked<T>,
    /// What it starts with, when that takes data.
    pub(crate) parameters: Parameters,
    pub(crate) features: usize,
    pub(crate) seed: u64,
    /// Whether a minibatch had negative entries.
    pub(crate) negative: bool,
    /// Samples held out, and their loss each.
    pub(crate) held_out: Option<(u64, f64)>,
    /// Epochs completed by the last run over an array.
    pub(crate) epochs: u64,
    /// What its projections raise, if they are functions of Python.
    pub(crate) raised: Option<Raised>,
}

/// The state, once nobody else has it.
pub(crate) fn hold<T: Scalar>(state: &Mutex<State<T>>) -> MutexGuard<'_, State<T>> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<T: Scalar> State<T> {
    /// From its beginning.
    pub(crate) fn new(
        factoriser: Option<Factoriser<T>>,
        parameters: Parameters,
        features: usize,
        seed: u64,
    ) -> Self {
        let tracked = Tracked::new(factoriser);
        Self { tracked, parameters, features, seed, negative: false, held_out: None, epochs: 0, raised: None }
    }

    /// With projections that are functions of Python, and what they raise.
    pub(crate) fn calling(mut self, raised: Option<Raised>) -> Self {
        self.raised = raised;
        self
    }

    /// One step, with the scheduled weight or one of the caller's.
    pub(crate) fn step(&mut self, x: Minibatch<'_, T>, weight: Option<f64>) -> Result<StepReport> {
        let negative = !self.negative && has_negative(x);
        let start = || {
            if let Minibatch::Sparse(x) = x {
                room::<T>(x.rows(), x.cols())?;
            }
            Factoriser::from_minibatch(self.parameters.clone(), x, self.seed)
        };
        let mark = self.mark();
        let report = match weight {
            None => self.tracked.step(x, start)?,
            Some(weight) => self.tracked.step_weighted(x, weight, start)?,
        };
        self.settle(mark)?;
        self.negative |= negative;
        self.held_out = None;
        Ok(report)
    }

    /// One step from statistics.
    pub(crate) fn absorb(&mut self, statistics: &Statistics) -> Result<StepReport> {
        let mark = self.mark();
        let report = self.tracked.absorb(statistics)?;
        self.settle(mark)?;
        Ok(report)
    }

    /// What to go back to if a projection raises.
    fn mark(&self) -> Option<Mark<T>> {
        self.raised.as_ref().map(|_| self.tracked.mark())
    }

    /// Undoes a step in which a projection raised: its dictionary may lie outside of its set.
    fn settle(&mut self, mark: Option<Mark<T>>) -> Result<()> {
        let (Some(mark), true) = (mark, self.raised.as_ref().is_some_and(Raised::is_some)) else {
            return Ok(());
        };
        self.tracked.back(mark, &self.parameters)?;
        Err(Error::Interrupted)
    }

    /// Whether the data has entries that the sets in force cannot make.
    pub(crate) fn cannot_be_negative(&self) -> bool {
        let p = &self.parameters;
        p.code == CodeSet::Nonnegative && p.dictionary.to_string().starts_with("nonneg")
    }

    /// Refuses minibatches of so many samples that their codes do not fit into memory.
    pub(crate) fn room(&self, samples: usize) -> Result<()> {
        if samples <= CHUNK {
            return Ok(());
        }
        let needed = self.parameters.memory::<T>(self.features, samples as u64);
        let what = format!("{} atoms and a minibatch of {samples} samples", self.parameters.atoms);
        fits(needed, &what, "give fewer samples at a time")
    }

    /// The factoriser, to code with.
    pub(crate) fn coder(&mut self) -> Result<&mut Factoriser<T>> {
        self.tracked.learned()?;
        self.tracked.factoriser.as_mut().ok_or(Error::Interrupted)
    }
}

fn has_negative<T: Scalar>(x: Minibatch<'_, T>) -> bool {
    // Over all of them, without a way out and without an order, so that many are looked at at once.
    let any =
        |values: &[T]| values.iter().map(|x| u8::from(*x < T::ZERO)).fold(0, std::ops::BitOr::bitor) > 0;
    match x {
        Minibatch::Sparse(x) => (0..x.cols()).any(|j| any(x.col(j).1)),
        Minibatch::Dense(x) | Minibatch::Masked { values: x, .. } => (0..x.cols()).any(|j| any(x.col(j))),
        _ => false,
    }
}

/// An error of a minibatch with the sample's number in the array.
pub(super) fn placed(error: Error, rows: &SampleRows<'_>) -> Error {
    match error {
        Error::NotFinite { sample, feature, value } => {
            Error::NotFinite { sample: rows.at(sample as usize), feature, value }
        }
        other => other,
    }
}

/// A run over an array.
pub(super) struct Run<'a> {
    pub(super) options: FeedOptions,
    pub(super) missing: bool,
    /// Called after each step.
    pub(super) callback: Option<&'a Py<PyAny>>,
    pub(super) raised: &'a Raised,
}

impl Run<'_> {
    /// Learns from all epochs; what was learned by then stays when it is stopped.
    pub(super) fn learn<T: Scalar + Element>(
        &self,
        state: &Mutex<State<T>>,
        x: &Samples<'_, T>,
        watch: &Watch,
    ) -> Result<()> {
        let mut order = SampleOrder::new(x.len() as u64, self.options)?;
        let (total, mut done) = (order.minibatches(), 0);
        let mut buffers = Buffers::new();
        loop {
            let epochs = order.epochs();
            let Some(rows) = order.next_rows()? else { break };
            if watch.stopped() {
                hold(state).epochs = epochs;
                return Ok(());
            }
            let minibatch = x.minibatch(&rows, self.missing, &mut buffers)?;
            let report = {
                let mut state = hold(state);
                let report = state.step(minibatch, None).map_err(|e| placed(e, &rows))?;
                state.epochs = epochs;
                let loss = state.tracked.history().points.last().map_or(f64::NAN, |p| p.loss);
                watch.figure(loss);
                report
            };
            done += 1;
            watch.at(done, total);
            self.tell(&report)?;
        }
        let mut state = hold(state);
        state.epochs = order.epochs();
        let (mut count, mut sum, mut next) = (0, 0.0, 0);
        while let Some((rows, then)) = order.held_out_rows(next) {
            let minibatch = x.minibatch(&rows, self.missing, &mut buffers)?;
            sum += state.coder()?.loss(minibatch).map_err(|e| placed(e, &rows))?;
            count += rows.len() as u64;
            next = then;
            if watch.stopped() {
                return Ok(());
            }
        }
        state.held_out = (count > 0).then(|| (count, sum / count as f64));
        Ok(())
    }

    /// Calls back, and stops when that or a projection raised.
    fn tell(&self, report: &StepReport) -> Result<()> {
        if let Some(callback) = self.callback {
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
    facts.set_item("surrogate", report.surrogate)?;
    facts.set_item("change", report.change)?;
    facts.set_item("density", report.density)?;
    facts.set_item("capped", report.capped())?;
    facts.set_item("reseeded", report.reseeded)?;
    Ok(facts)
}

/// Codes an array under the dictionary as it is: the codes into `codes`, and the loss of each sample.
pub(super) fn code<T: Scalar + Element>(
    state: &Mutex<State<T>>,
    x: &Samples<'_, T>,
    missing: bool,
    mut codes: Option<Rows<'_, T>>,
    watch: &Watch,
) -> Result<Vec<f64>> {
    let options = FeedOptions { batch: together(), ..FeedOptions::default() };
    let mut order = SampleOrder::new(x.len() as u64, options)?;
    let (total, mut losses) = (order.minibatches(), Vec::with_capacity(x.len()));
    let mut buffers = Buffers::new();
    while let Some(rows) = order.next_rows()? {
        if watch.stopped() {
            break;
        }
        let minibatch = x.minibatch(&rows, missing, &mut buffers)?;
        let mut state = hold(state);
        let factoriser = state.coder()?;
        factoriser.transform(minibatch).map_err(|e| placed(e, &rows))?;
        if let Some(codes) = &mut codes {
            codes.write(losses.len(), factoriser.code().as_ref());
        }
        losses.extend(factoriser.losses());
        watch.at((losses.len() as u64).div_ceil(together() as u64), total);
    }
    Ok(losses)
}
