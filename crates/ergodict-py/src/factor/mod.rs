//! The factoriser of Python: one class for both precisions.

mod either;
mod state;

use crate::array::{Buffers, Samples, columns, fits, transposed};
use crate::error::raised;
use crate::model::{self, About, Told, parameters};
use crate::sets::{Raised, dictionary_set};
use crate::work::{long, short};
pub(crate) use either::{Either, about, either, held};
use either::{coded, samples, start};
use ergodict::Result as Outcome;
use ergodict::data::{FeedOptions, SampleOrder, SampleRows};
use ergodict::factor::code::CHUNK;
use ergodict::factor::{Statistics, StepReport, diagnostics};
use numpy::{IntoPyArray, PyArray1, PyArray2};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString, PyTuple};
use state::{Run, facts, placed};
pub(crate) use state::{State, hold};
use std::path::PathBuf;
use std::sync::Mutex;

/// An online factorisation in progress, with its history.
#[pyclass(frozen, module = "ergodict._ergodict")]
pub(crate) struct Factoriser {
    pub(crate) state: Either,
    /// The set of dictionaries as Python described it.
    pub(crate) set: Py<PyAny>,
    pub(crate) raised: Raised,
    /// What a file it was loaded from said.
    pub(crate) about: Mutex<About>,
}

#[pymethods]
impl Factoriser {
    /// Starts from the dictionary `init`: "random", "data" or an array (atoms, features).
    #[new]
    fn new(
        py: Python<'_>,
        options: &Bound<'_, PyDict>,
        dictionary: Py<PyAny>,
        features: usize,
        single: bool,
        init: &Bound<'_, PyAny>,
        seed: u64,
    ) -> PyResult<Self> {
        let wrong = Raised::default();
        let mut p = parameters(options)?;
        p.dictionary = dictionary_set(dictionary.bind(py), &wrong)?;
        p.check(features).map_err(raised)?;
        let batch: u64 = options.get_item("batch")?.map_or(Ok(1), |x| x.extract())?;
        let what = format!("{} atoms of {features} features in minibatches of {batch}", p.atoms);
        let way_out = "lower n_components or batch_size, or use float32";
        let needed = if single { p.memory::<f32>(features, batch) } else { p.memory::<f64>(features, batch) };
        fits(needed, &what, way_out).map_err(raised)?;
        let called = (!dictionary.bind(py).is_instance_of::<PyString>()).then(|| wrong.clone());
        let state = if single {
            Either::F32(Mutex::new(start(p, features, init, seed)?.calling(called)))
        } else {
            Either::F64(Mutex::new(start(p, features, init, seed)?.calling(called)))
        };
        wrong.check()?;
        Ok(Self { state, set: dictionary, raised: wrong, about: Mutex::new(About::default()) })
    }

    /// One step on an array of the right type and width whose rows are consecutive: 0 when `x` is no such array and nothing was done, 2 when
    /// negative entries were seen for the first time, otherwise 1.
    #[pyo3(signature = (x, n_jobs=None))]
    fn push(&self, py: Python<'_>, x: &Bound<'_, PyAny>, n_jobs: Option<i64>) -> PyResult<u8> {
        either!(self, state => {
            let Some(x) = Samples::of(x)? else { return Ok(0) };
            if !x.is_viewed() {
                return Ok(0);
            }
            let before = {
                let state = held(py, state)?;
                if x.features() != state.features {
                    return Ok(0);
                }
                state.room(x.len()).map_err(raised)?;
                state.negative
            };
            let rows = SampleRows::Range(0..x.len() as u64);
            let work = || -> Outcome<bool> {
                // A view takes no buffer, so that these stay empty.
                let mut buffers = Buffers::new();
                let minibatch = x.minibatch(&rows, false, &mut buffers)?;
                let mut state = hold(state);
                state.step(minibatch, None).map_err(|e| placed(e, &rows))?;
                Ok(state.negative && !before && state.cannot_be_negative())
            };
            let done = if x.len() <= CHUNK { short(py, work) } else { long(py, n_jobs, None, |_| work()) };
            self.raised.check()?;
            Ok(if done? { 2 } else { 1 })
        })
    }

    /// One step, with the scheduled weight or with `weight`; what it did.
    #[pyo3(signature = (x, weight=None, missing=false, n_jobs=None))]
    fn step<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
        weight: Option<f64>,
        missing: bool,
        n_jobs: Option<i64>,
    ) -> PyResult<Bound<'py, PyDict>> {
        either!(self, state => {
            let x = samples(x)?;
            let rows = SampleRows::Range(0..x.len() as u64);
            let work = || -> Outcome<StepReport> {
                let mut buffers = Buffers::new();
                let minibatch = x.minibatch(&rows, missing, &mut buffers)?;
                hold(state).step(minibatch, weight).map_err(|e| placed(e, &rows))
            };
            held(py, state)?.room(x.len()).map_err(raised)?;
            let done = if x.len() <= CHUNK { short(py, work) } else { long(py, n_jobs, None, |_| work()) };
            self.raised.check()?;
            facts(py, &done?)
        })
    }

    /// Learns from an array, as the command line does from a file of it.
    #[pyo3(signature = (x, batch, epochs, shuffle, holdout, seed, missing, n_jobs=None, progress=None, callback=None))]
    #[expect(clippy::too_many_arguments, reason = "they have names in Python")]
    fn fit(
        &self,
        py: Python<'_>,
        x: &Bound<'_, PyAny>,
        batch: usize,
        epochs: u64,
        shuffle: bool,
        holdout: f64,
        seed: u64,
        missing: bool,
        n_jobs: Option<i64>,
        progress: Option<&Bound<'_, PyAny>>,
        callback: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let options = FeedOptions { batch, epochs, shuffle, seed, holdout };
        let callback = callback.map(|callback| callback.clone().unbind());
        let run = Run { options, missing, callback: callback.as_ref(), raised: &self.raised };
        either!(self, state => {
            let x = samples(x)?;
            drop(held(py, state)?);
            let done = long(py, n_jobs, progress, |watch| run.learn(state, &x, watch));
            self.raised.check()?;
            done
        })
    }

    /// The codes (n, r) of the samples of an array.
    #[pyo3(signature = (x, missing=false, n_jobs=None, progress=None))]
    fn transform<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
        missing: bool,
        n_jobs: Option<i64>,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        either!(self, state => {
            let x = samples(x)?;
            let codes = coded(self, py, state, &x, missing, n_jobs, progress, true)?.0;
            codes.map(Bound::into_any).ok_or_else(|| PyRuntimeError::new_err("no codes"))
        })
    }

    /// The loss of each sample of an array.
    #[pyo3(signature = (x, missing=false, n_jobs=None, progress=None))]
    fn losses<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
        missing: bool,
        n_jobs: Option<i64>,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        either!(self, state => {
            let x = samples(x)?;
            Ok(coded(self, py, state, &x, missing, n_jobs, progress, false)?.1.into_pyarray(py))
        })
    }

    /// Sums (A, B transposed, r, samples) over the samples of an array, coded with the dictionary as it is.
    #[pyo3(signature = (x, missing=false, n_jobs=None))]
    fn statistics<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
        missing: bool,
        n_jobs: Option<i64>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let sums = either!(self, state => {
            let x = samples(x)?;
            let rows = SampleRows::Range(0..x.len() as u64);
            held(py, state)?.room(x.len()).map_err(raised)?;
            long(py, n_jobs, None, |_| {
                let mut buffers = Buffers::new();
                let minibatch = x.minibatch(&rows, missing, &mut buffers)?;
                hold(state).coder()?.statistics(minibatch).map_err(|e| placed(e, &rows))
            })?
        });
        let (a, b) = (columns(py, &sums.a), columns(py, &sums.b_transposed));
        (a, b, sums.r, sums.weight).into_pyobject(py)
    }

    /// One step from such sums.
    fn absorb<'py>(
        &self,
        py: Python<'py>,
        a: &Bound<'py, PyArray2<f64>>,
        b: &Bound<'py, PyArray2<f64>>,
        r: f64,
        samples: f64,
    ) -> PyResult<Bound<'py, PyDict>> {
        // Beyond this, numbers of samples cannot be told from each other.
        if samples.is_nan() || samples > 2f64.powi(53) {
            return Err(PyValueError::new_err(format!(
                "the number of samples in the statistics is {samples}, but it must be below 2⁵³"
            )));
        }
        let sums = Statistics { a: transposed(a)?, b_transposed: transposed(b)?, r, weight: samples };
        let report = either!(self, state => {
            let mut state = held(py, state)?;
            let kept = &mut *state;
            let done = short(py, || kept.absorb(&sums));
            self.raised.check()?;
            done?
        });
        facts(py, &report)
    }

    /// The dictionary (r, d), an atom a row.
    #[getter]
    fn dictionary<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        either!(self, state => {
            let state = held(py, state)?;
            Ok(columns(py, state.tracked.learned().map_err(raised)?.dictionary()).into_any())
        })
    }

    /// A, B, r, t, the number of samples, and the mean width of a minibatch.
    #[getter]
    fn aggregates<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        either!(self, state => {
            let state = held(py, state)?;
            let totals = state.tracked.learned().map_err(raised)?.aggregates();
            let all = PyDict::new(py);
            all.set_item("A", columns(py, &totals.a))?;
            all.set_item("B", columns(py, &totals.b_transposed))?;
            all.set_item("r", totals.r)?;
            all.set_item("t", totals.t)?;
            all.set_item("samples", totals.samples)?;
            all.set_item("width", totals.width)?;
            Ok(all)
        })
    }

    /// Points of the history as arrays.
    #[getter]
    fn history<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        either!(self, state => {
            let state = held(py, state)?;
            let history = state.tracked.history();
            let all = PyDict::new(py);
            let points = || history.points.iter();
            all.set_item("step", PyArray1::from_iter(py, points().map(|p| p.t as i64)))?;
            all.set_item("samples", PyArray1::from_iter(py, points().map(|p| p.samples as i64)))?;
            all.set_item("loss", PyArray1::from_iter(py, points().map(|p| p.loss)))?;
            all.set_item("surrogate", PyArray1::from_iter(py, points().map(|p| p.surrogate)))?;
            let gaps = || history.gaps.iter();
            all.set_item("gap_step", PyArray1::from_iter(py, gaps().map(|p| p.t as i64)))?;
            all.set_item("gap", PyArray1::from_iter(py, gaps().map(|p| p.gap)))?;
            all.set_item("change", PyArray1::from_iter(py, gaps().map(|p| p.change)))?;
            Ok(all)
        })
    }

    /// The surrogate, per sample.
    #[getter]
    fn surrogate(&self, py: Python<'_>) -> PyResult<f64> {
        either!(self, state => {
            let state = held(py, state)?;
            let factoriser = state.tracked.learned().map_err(raised)?;
            Ok(factoriser.aggregates().per_sample(factoriser.surrogate()))
        })
    }

    /// Shares of the atoms in the reconstructions.
    #[getter]
    fn dominance<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        either!(self, state => {
            let state = held(py, state)?;
            let a = &state.tracked.learned().map_err(raised)?.aggregates().a;
            Ok(diagnostics::dominance(a).into_pyarray(py))
        })
    }

    /// Steps taken.
    #[getter]
    fn steps(&self, py: Python<'_>) -> PyResult<u64> {
        either!(self, state => Ok(held(py, state)?.tracked.steps()))
    }

    /// Epochs completed by the last run over an array.
    #[getter]
    fn epochs(&self, py: Python<'_>) -> PyResult<u64> {
        either!(self, state => Ok(held(py, state)?.epochs))
    }

    /// Features of a sample.
    #[getter]
    fn features(&self, py: Python<'_>) -> PyResult<usize> {
        either!(self, state => Ok(held(py, state)?.features))
    }

    /// Atoms.
    #[getter]
    fn atoms(&self, py: Python<'_>) -> PyResult<usize> {
        either!(self, state => Ok(held(py, state)?.parameters.atoms))
    }

    /// The seed.
    #[getter]
    fn seed(&self, py: Python<'_>) -> PyResult<u64> {
        either!(self, state => Ok(held(py, state)?.seed))
    }

    /// Whether it calculates in 32 bits.
    #[getter]
    fn single(&self) -> bool {
        matches!(self.state, Either::F32(_))
    }

    /// The piece of a union of sets that the dictionary lies in.
    #[getter]
    fn piece(&self, py: Python<'_>) -> PyResult<usize> {
        either!(self, state => Ok(held(py, state)?.tracked.learned().map_err(raised)?.piece()))
    }

    /// The loss of the samples held out each, if there are any.
    #[getter]
    fn held_out_loss(&self, py: Python<'_>) -> PyResult<Option<f64>> {
        either!(self, state => Ok(held(py, state)?.held_out.map(|(_, loss)| loss)))
    }

    /// Whether negative entries were seen that the sets in force cannot make.
    #[getter]
    fn negative(&self, py: Python<'_>) -> PyResult<bool> {
        either!(self, state => {
            let state = held(py, state)?;
            Ok(state.negative && state.cannot_be_negative())
        })
    }

    /// Atoms that no code has used.
    #[getter]
    fn unused(&self, py: Python<'_>) -> PyResult<usize> {
        either!(self, state => {
            let state = held(py, state)?;
            Ok(diagnostics::unused(&state.tracked.learned().map_err(raised)?.aggregates().a).len())
        })
    }

    /// Writes the model file that the command line would write.
    #[pyo3(signature = (path, init, batch, epochs, shuffle, holdout, missing, how, feature_names=None))]
    #[expect(clippy::too_many_arguments, reason = "they have names in Python")]
    fn save(
        &self,
        py: Python<'_>,
        path: PathBuf,
        init: String,
        batch: usize,
        epochs: u64,
        shuffle: bool,
        holdout: f64,
        missing: bool,
        how: String,
        #[pyo3(from_py_with = crate::list::maybe_list)] feature_names: Option<Vec<String>>,
    ) -> PyResult<()> {
        let feed = FeedOptions { batch, epochs, shuffle, seed: 0, holdout };
        model::save(self, py, path, Told { init, feed, missing, how, feature_names })
    }

    /// A model file as a factoriser; a set that no name describes is given again.
    #[staticmethod]
    #[pyo3(signature = (path, dictionary=None))]
    fn load(py: Python<'_>, path: PathBuf, dictionary: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        model::load(py, path, dictionary)
    }

    /// What the file that this was loaded from says, as JSON: kind, parameters, seed, run and feature names.
    #[getter]
    fn header(&self, py: Python<'_>) -> PyResult<String> {
        model::header(self, py)
    }

    /// All that is needed to go on, for pickle and copy.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let (bytes, rest) = model::kept(self, py)?;
        let restore = py.get_type::<Self>().getattr("_restore")?;
        (restore, (PyBytes::new(py, &bytes), self.set.clone_ref(py), rest)).into_pyobject(py)
    }

    /// The other way.
    #[staticmethod]
    fn _restore(py: Python<'_>, bytes: &[u8], dictionary: &Bound<'_, PyAny>, rest: &str) -> PyResult<Self> {
        model::restored(py, bytes, dictionary, rest)
    }
}

/// How many minibatches a run over `samples` samples has.
#[pyfunction]
pub(crate) fn minibatches(
    samples: u64,
    batch: usize,
    epochs: u64,
    shuffle: bool,
    holdout: f64,
    seed: u64,
) -> PyResult<u64> {
    /// More than any array in memory has.
    const MOST: u64 = 1 << 34;
    if samples > MOST {
        let words = format!("the number of samples is {samples}, but no array has more than {MOST}");
        return Err(PyValueError::new_err(words));
    }
    let options = FeedOptions { batch, epochs, shuffle, seed, holdout };
    Ok(SampleOrder::new(samples, options).map_err(raised)?.minibatches())
}

/// The address of the entry that a fit of this array would read first where it lies; None if it would be gathered.
#[pyfunction]
pub(crate) fn _address_of(x: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
    if let Some(x) = Samples::<f64>::of(x)? {
        return Ok(x.address());
    }
    Ok(Samples::<f32>::of(x)?.and_then(|x| x.address()))
}
