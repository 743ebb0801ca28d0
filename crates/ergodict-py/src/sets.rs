//! Sets of dictionaries as Python describes them, among them projections that are Python functions.

use crate::array::transposed;
use ergodict::factor::sets::Projection;
use ergodict::factor::{ColumnSet, ConvexSet, DictionarySet};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString, PyTuple};
use std::cell::Cell;
use std::sync::{Arc, Mutex, PoisonError};

thread_local! {
    /// Whether this thread is inside a projection written in Python.
    static PROJECTING: Cell<bool> = const { Cell::new(false) };
}

/// Whether a projection written in Python is being called by this thread.
pub(crate) fn projecting() -> bool {
    PROJECTING.get()
}

/// What a projection written in Python raised, until it is raised where it was called from.
#[derive(Clone, Default)]
pub(crate) struct Raised(Arc<Mutex<Option<PyErr>>>);

impl Raised {
    /// Passes an exception on, if there was one.
    pub(crate) fn check(&self) -> PyResult<()> {
        match self.0.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    /// Whether there is one.
    pub(crate) fn is_some(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Keeps an exception, unless there is one.
    pub(crate) fn put(&self, error: PyErr) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    }
}

/// The names of sets of atoms.
#[pyfunction]
pub(crate) fn set_names() -> Vec<&'static str> {
    DictionarySet::names()
}

/// A set as Python describes it, and what its projections raise.
#[derive(Clone)]
pub(crate) struct Described {
    pub(crate) spec: Arc<Py<PyAny>>,
    pub(crate) raised: Raised,
}

impl Described {
    /// A set of Python, understood only when it is needed: its errors are its own then.
    pub(crate) fn new(spec: &Bound<'_, PyAny>) -> Self {
        Self { spec: Arc::new(spec.clone().unbind()), raised: Raised::default() }
    }

    /// The set.
    pub(crate) fn set(&self, py: Python<'_>) -> PyResult<DictionarySet> {
        dictionary_set(self.spec.bind(py), &self.raised)
    }

    /// What its projections raise; none of a set that has a name.
    pub(crate) fn calls(&self, py: Python<'_>) -> Option<Raised> {
        (!self.spec.bind(py).is_instance_of::<PyString>()).then(|| self.raised.clone())
    }
}

/// The set that a description denotes: a name of the command line, `("near", center (r, d), radius, nonnegative)`,
/// `("projection", name, function, whole, d)` or `("union", [description, …])`.
pub(crate) fn dictionary_set(spec: &Bound<'_, PyAny>, raised: &Raised) -> PyResult<DictionarySet> {
    if let Ok(name) = spec.extract::<String>() {
        return name.parse().map_err(crate::error::to_py_err);
    }
    let parts = spec.cast::<PyTuple>()?;
    if parts.get_item(0)?.extract::<String>()? == "union" {
        let members = parts.get_item(1)?;
        let mut sets = Vec::new();
        for member in members.cast::<PyList>()? {
            sets.push(convex(&member, raised)?);
        }
        return Ok(DictionarySet::Union(sets));
    }
    Ok(DictionarySet::Convex(convex(spec, raised)?))
}

fn convex(spec: &Bound<'_, PyAny>, raised: &Raised) -> PyResult<ConvexSet> {
    if let Ok(name) = spec.extract::<String>() {
        return match name.parse().map_err(crate::error::to_py_err)? {
            DictionarySet::Convex(set) => Ok(set),
            DictionarySet::Union(_) => Err(PyTypeError::new_err("a union cannot hold a union")),
        };
    }
    let parts = spec.cast::<PyTuple>()?;
    match parts.get_item(0)?.extract::<String>()?.as_str() {
        "near" => {
            let (_, center, radius, nonnegative): (String, Bound<'_, PyArray2<f64>>, f64, bool) =
                parts.extract()?;
            Ok(ConvexSet::Near { center: transposed(&center)?, radius, nonnegative })
        }
        "projection" => {
            let (_, name, function, whole, features): (String, String, Py<PyAny>, bool, usize) =
                parts.extract()?;
            let raised = raised.clone();
            let project = move |point: &mut [f64]| {
                Python::attach(|py| {
                    PROJECTING.set(true);
                    if let Err(error) = call(py, &function, whole, features, point) {
                        raised.put(error);
                    }
                    PROJECTING.set(false);
                });
            };
            let projection = Projection { name, project: Arc::new(project) };
            Ok(if whole {
                ConvexSet::User(projection)
            } else {
                ConvexSet::Columns(ColumnSet::User(projection))
            })
        }
        "union" => Err(PyTypeError::new_err("a union cannot hold a union")),
        other => Err(PyTypeError::new_err(format!("there is no dictionary set {other}"))),
    }
}

/// Calls a projection: an atom as an array (d,), or the whole dictionary as one (r, d).
fn call(py: Python<'_>, function: &Py<PyAny>, whole: bool, d: usize, point: &mut [f64]) -> PyResult<()> {
    let flat = PyArray1::from_slice(py, point);
    let shaped: Bound<'_, PyAny> =
        if whole { flat.reshape([point.len() / d.max(1), d])?.into_any() } else { flat.clone().into_any() };
    let answer = function.bind(py).call1((&shaped,))?;
    // A function that returns nothing has changed the array it was given.
    let answer = if answer.is_none() { shaped } else { answer };
    let numpy = py.import("numpy")?;
    // Contiguous and aligned.
    let answer = numpy.call_method1("require", (answer, "float64", ["C", "A"]))?;
    let answer = answer.call_method0("ravel")?.cast_into::<PyArray1<f64>>()?;
    let answer = answer.to_vec().map_err(|_| PyValueError::new_err("a projection returned no array"))?;
    if answer.len() != point.len() {
        let (found, needed) = (answer.len(), point.len());
        return Err(PyValueError::new_err(format!(
            "a projection returned {found} numbers, but {needed} are needed: as many as it was given"
        )));
    }
    if answer.iter().any(|x| !x.is_finite()) {
        return Err(PyValueError::new_err("a projection returned NaN or an infinity"));
    }
    point.copy_from_slice(&answer);
    Ok(())
}
