//! The checkpoint of a run that Python leads.

use crate::error::to_py_err;
use ergodict::run::{self, Identity};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::path::PathBuf;

const STATE: &str = "state";

/// A checkpoint that no other process can use meanwhile.
#[pyclass(module = "ergodict._ergodict")]
pub(crate) struct Checkpoint {
    inner: Option<run::Checkpoint>,
    state: Option<Vec<u8>>,
}

#[pymethods]
impl Checkpoint {
    /// Locks and opens the checkpoint of a run with these settings, as JSON, if there is one; without `resume`, what is there is replaced.
    #[new]
    #[pyo3(signature = (path, command, settings, seed, resume=true))]
    fn new(path: PathBuf, command: String, settings: &str, seed: u64, resume: bool) -> PyResult<Self> {
        let settings =
            serde_json::from_str(settings).map_err(|error| PyValueError::new_err(error.to_string()))?;
        let identity = Identity { command, settings, inputs: Vec::new(), seed };
        if !resume {
            let inner = run::Checkpoint::replace(&path, &identity).map_err(to_py_err)?;
            return Ok(Self { inner: Some(inner), state: None });
        }
        let (inner, sections) = run::Checkpoint::open(&path, true, &identity).map_err(to_py_err)?;
        let state = sections.map(|sections| sections.bytes(STATE)).transpose().map_err(to_py_err)?;
        Ok(Self { inner: Some(inner), state })
    }

    /// What was saved before.
    #[getter]
    fn state<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        self.state.as_deref().map(|state| PyBytes::new(py, state))
    }

    /// Replaces what was saved.
    fn save(&mut self, state: &[u8]) -> PyResult<()> {
        let Some(inner) = &mut self.inner else { return Ok(()) };
        let mut sections = inner.sections();
        sections.put(STATE, state.to_vec());
        inner.save(&sections).map_err(to_py_err)
    }

    /// Deletes it, and lets others have its name.
    fn remove(&mut self) -> PyResult<()> {
        self.inner.take().map_or(Ok(()), run::Checkpoint::remove).map_err(to_py_err)
    }

    /// Lets others go on from it.
    fn release(&mut self) {
        self.inner = None;
    }

    /// Forgets it, in a forked child: the lock is the parent's.
    fn abandon(&mut self) {
        if let Some(inner) = self.inner.take() {
            inner.abandon();
        }
    }
}
