//! The factorizer of Python: one class for both precisions.

mod precision;
mod state;

use crate::array::{Buffers, Samples, columns, fits};
use crate::error::{keyword, to_py_err};
use crate::model::{self, About, FitRecord};
use crate::scheme::{Scheme, settings};
use crate::sets::Raised;
use crate::value::to_python;
use crate::work::{long, short, step};
use ergodict::Result as Outcome;
use ergodict::data::{BatchSettings, SampleOrder, SampleRows};
use ergodict::factor::{StepReport, diagnostics};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
pub(crate) use precision::{AnyState, about, dispatch, held};
use precision::{coded, samples, start};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use serde_json::json;
use state::{Coding, Fit, at_sample, facts};
pub(crate) use state::{State, hold};
use std::path::PathBuf;
use std::sync::Mutex;

/// An online factorization in progress, with its history.
#[pyclass(frozen, module = "ergodict._ergodict")]
pub(crate) struct Factorizer {
    pub(crate) state: AnyState,
    /// The set of dictionaries as Python described it.
    pub(crate) set: Py<PyAny>,
    pub(crate) raised: Raised,
    /// What a file it was loaded from said.
    pub(crate) about: Mutex<About>,
}

#[pymethods]
impl Factorizer {
    /// Starts from the dictionary `init`: "random", "data", "auto" or an array (atoms, features); `minibatches` are those of an epoch, where the
    /// data are gone over more than once.
    #[new]
    #[pyo3(signature = (scheme, features, batch, init, seed, minibatches=None))]
    fn new(
        py: Python<'_>,
        scheme: Scheme,
        features: usize,
        batch: u64,
        init: &Bound<'_, PyAny>,
        seed: u64,
        minibatches: Option<u64>,
    ) -> PyResult<Self> {
        let mut p = scheme.parameters(py, features)?;
        p.schedule = p.schedule.decided(minibatches);
        let (single, wrong) = (scheme.settings.f32, scheme.dictionary.raised.clone());
        let what = format!("{} atoms of {features} features in minibatches of {batch}", p.atoms);
        let way_out = "lower n_components or batch_size, or use float32";
        let needed = if single { p.memory::<f32>(features, batch) } else { p.memory::<f64>(features, batch) };
        fits(needed, &what, way_out).map_err(to_py_err)?;
        let called = scheme.dictionary.calls(py);
        let state = if single {
            AnyState::F32(Mutex::new(start(p, features, init, seed, called)?))
        } else {
            AnyState::F64(Mutex::new(start(p, features, init, seed, called)?))
        };
        wrong.check()?;
        let set = scheme.dictionary.spec.clone_ref(py);
        Ok(Self { state, set, raised: wrong, about: Mutex::new(About::default()) })
    }

    /// One step on an array of the right type and width whose rows are consecutive: 0 when `x` is no such array and nothing was done, 2 when
    /// negative entries were seen for the first time, otherwise 1.
    #[pyo3(signature = (x, n_jobs=None))]
    fn push(&self, py: Python<'_>, x: &Bound<'_, PyAny>, n_jobs: Option<i64>) -> PyResult<u8> {
        dispatch!(self, state => {
            let Some(x) = Samples::from_object(x)? else { return Ok(0) };
            if !x.is_viewed() {
                return Ok(0);
            }
            let before = {
                let mut state = held(py, state)?;
                if x.features() != state.features {
                    return Ok(0);
                }
                state.check_memory(x.len()).map_err(to_py_err)?;
                state.run.sign_warning().is_some()
            };
            let rows = SampleRows::Range(0..x.len() as u64);
            let work = || -> Outcome<bool> {
                // A view takes no buffer, so that these stay empty.
                let mut buffers = Buffers::new();
                let minibatch = x.minibatch(&rows, false, &mut buffers)?;
                let mut state = hold(state);
                state.step(minibatch, None, None).map_err(|e| at_sample(e, &rows))?;
                Ok(!before && state.run.sign_warning().is_some())
            };
            let done = step(py, n_jobs, x.len(), work);
            self.raised.check()?;
            Ok(if done? { 2 } else { 1 })
        })
    }

    /// One step, with the scheduled weight or with `weight`, and samples that count alike or by `counts`; what it did.
    #[pyo3(signature = (x, weight=None, missing=false, n_jobs=None, counts=None))]
    fn step<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
        weight: Option<f64>,
        missing: bool,
        n_jobs: Option<i64>,
        counts: Option<PyReadonlyArray1<'py, f64>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let counts = counts.as_ref().map(PyReadonlyArray1::as_slice).transpose()?;
        dispatch!(self, state => {
            let x = samples(x)?;
            let rows = SampleRows::Range(0..x.len() as u64);
            let work = || -> Outcome<StepReport> {
                let mut buffers = Buffers::new();
                let minibatch = x.minibatch(&rows, missing, &mut buffers)?;
                hold(state).step(minibatch, weight, counts).map_err(|e| at_sample(e, &rows))
            };
            held(py, state)?.check_memory(x.len()).map_err(to_py_err)?;
            let done = step(py, n_jobs, x.len(), work);
            self.raised.check()?;
            facts(py, &done?)
        })
    }

    /// Learns from an array, as the command line does from a file of it; `course` has the settings of going over it.
    #[pyo3(signature = (x, course, seed, missing, n_jobs=None, progress=None, callback=None, counts=None))]
    fn fit(
        &self,
        py: Python<'_>,
        x: &Bound<'_, PyAny>,
        course: &Bound<'_, PyDict>,
        seed: u64,
        missing: bool,
        n_jobs: Option<i64>,
        progress: Option<&Bound<'_, PyAny>>,
        callback: Option<&Bound<'_, PyAny>>,
        counts: Option<PyReadonlyArray1<'_, f64>>,
    ) -> PyResult<()> {
        let options = BatchSettings { seed, ..settings(course, &[])? };
        let callback = callback.map(|callback| callback.clone().unbind());
        let counts = counts.as_ref().map(PyReadonlyArray1::as_slice).transpose()?;
        let fit = Fit { options, missing, counts, callback: callback.as_ref(), raised: &self.raised };
        dispatch!(self, state => {
            let x = samples(x)?;
            if counts.is_some_and(|counts| counts.len() != x.len()) {
                return Err(PyValueError::new_err("there must be a weight for each sample"));
            }
            drop(held(py, state)?);
            let done = long(py, n_jobs, progress, |watch| fit.learn(state, &x, watch));
            self.raised.check()?;
            done
        })
    }

    /// The codes (n, r) of the samples of an array, also under another weight of the ℓ₁ norm, or by orthogonal matching pursuit where its limits are given: most atoms, and error.
    #[pyo3(signature = (x, missing=false, n_jobs=None, progress=None, lambda_=None, pursuit=None))]
    fn transform<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
        missing: bool,
        n_jobs: Option<i64>,
        progress: Option<&Bound<'py, PyAny>>,
        lambda_: Option<f64>,
        pursuit: Option<(Option<usize>, Option<f64>)>,
    ) -> PyResult<Bound<'py, PyAny>> {
        dispatch!(self, state => {
            let x = samples(x)?;
            let how = Coding { missing, lambda: lambda_, pursuit };
            let codes = coded(self, py, state, &x, how, n_jobs, progress, true)?.0;
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
        dispatch!(self, state => {
            let x = samples(x)?;
            let how = Coding { missing, ..Coding::default() };
            Ok(coded(self, py, state, &x, how, n_jobs, progress, false)?.1.into_pyarray(py))
        })
    }

    /// The dictionary (r, d), an atom a row.
    #[getter]
    fn dictionary<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        dispatch!(self, state => {
            let state = held(py, state)?;
            Ok(columns(py, state.run.trainer().learned().map_err(to_py_err)?.dictionary()).into_any())
        })
    }

    /// Points of the history as arrays.
    #[getter]
    fn history<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        dispatch!(self, state => {
            let state = held(py, state)?;
            let history = state.run.trainer().history();
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

    /// Shares of the atoms in the reconstructions.
    #[getter]
    fn dominance<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        dispatch!(self, state => {
            let state = held(py, state)?;
            let a = &state.run.trainer().learned().map_err(to_py_err)?.aggregates().a;
            Ok(diagnostics::dominance(a).into_pyarray(py))
        })
    }

    /// The surrogate, per sample.
    #[getter]
    fn surrogate(&self, py: Python<'_>) -> PyResult<f64> {
        dispatch!(self, state => {
            let state = held(py, state)?;
            let factorizer = state.run.trainer().learned().map_err(to_py_err)?;
            Ok(factorizer.aggregates().per_sample(factorizer.surrogate()))
        })
    }

    /// Steps taken.
    #[getter]
    fn steps(&self, py: Python<'_>) -> PyResult<u64> {
        dispatch!(self, state => Ok(held(py, state)?.run.trainer().steps()))
    }

    /// The seed.
    #[getter]
    fn seed(&self, py: Python<'_>) -> PyResult<u64> {
        dispatch!(self, state => Ok(held(py, state)?.run.plan().seed))
    }

    /// Why what was learned may not be what it seems.
    fn warnings(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        dispatch!(self, state => {
            let found = held(py, state)?.run.warnings().map_err(to_py_err)?;
            Ok(found.iter().map(|note| note.spelled(&keyword)).collect())
        })
    }

    /// Where it is: what was given, how much was taken in, and what is known of the dictionary, once there is one.
    #[getter]
    fn facts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        dispatch!(self, state => {
            let state = held(py, state)?;
            let (run, learned) = (&state.run, state.run.trainer().learned().ok());
            to_python(py, &json!({
                "features": state.features,
                "atoms": run.plan().parameters.atoms,
                "single": matches!(self.state, AnyState::F32(_)),
                "epochs": state.epochs,
                "lambda": learned.map(|learned| learned.parameters().effective_lambda()),
                "epoch_error": run.epoch_error(),
                "negative": run.sign_warning().map(|note| note.spelled(&keyword)),
                "explained": run.explained().map(|share| json!({"atoms": share.atoms, "mean_sample": share.mean})),
                "held_out_loss": run.held_out().map(|(_, loss)| loss),
                "piece": learned.map(ergodict::factor::Factorizer::piece),
                "unused": learned.map(|learned| diagnostics::unused(&learned.aggregates().a).len()),
            }))
        })
    }

    /// Writes the model file that the command line would write.
    fn save(&self, py: Python<'_>, path: PathBuf, record: FitRecord) -> PyResult<()> {
        let model = model::in_file(self, py, record)?;
        short(py, || model.save(&path))
    }

    /// Writes the page that `ergodict report` makes of that file.
    fn report(&self, py: Python<'_>, path: PathBuf, title: Option<&str>, record: FitRecord) -> PyResult<()> {
        model::write_report(py, &path, &model::in_file(self, py, record)?, title)
    }

    /// A model file as a factorizer; a set that no name describes is given again.
    #[staticmethod]
    #[pyo3(signature = (path, dictionary=None))]
    fn load(py: Python<'_>, path: PathBuf, dictionary: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        model::load(py, path, dictionary)
    }

    /// What the file that this was loaded from says: kind, parameters, seed, run and feature names.
    fn header<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
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

/// How many minibatches an epoch over `samples` samples has.
#[pyfunction]
pub(crate) fn minibatches(samples: u64, course: &Bound<'_, PyDict>, seed: u64) -> PyResult<u64> {
    /// More than any array in memory has.
    const MOST: u64 = 1 << 34;
    if samples > MOST {
        let words = format!("the number of samples is {samples}, but no array has more than {MOST}");
        return Err(PyValueError::new_err(words));
    }
    let options = BatchSettings { seed, ..settings(course, &[])? };
    SampleOrder::new(0, options).map_err(to_py_err)?;
    Ok(options.minibatches(samples))
}

/// The address of the entry that a fit of this array would read first where it lies; None if it would be gathered.
#[pyfunction]
pub(crate) fn _address_of(x: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
    if let Some(x) = Samples::<f64>::from_object(x)? {
        return Ok(x.address());
    }
    Ok(Samples::<f32>::from_object(x)?.and_then(|x| x.address()))
}
