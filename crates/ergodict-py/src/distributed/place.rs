//! Where tasks run: a network with a sampler in it, made once in each process.

use crate::error::to_py_err;
use crate::network::Network;
use crate::sampling::{Sampling, in_network, sampled};
use crate::work::long;
use ergodict::chain::Use;
use ergodict::run::RoundTask;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::Arc;

/// A place for tasks of rounds.
#[pyclass(frozen, module = "ergodict._ergodict")]
pub(crate) struct TaskContext {
    pub(crate) place: Arc<ergodict::run::TaskContext>,
}

#[pymethods]
impl TaskContext {
    /// Samplers are made as the run that leads made its own: with the same arguments and seed.
    #[new]
    #[pyo3(signature = (network, name, sampling, seed, n_jobs=None))]
    fn new(
        py: Python<'_>,
        network: PyRef<'_, Network>,
        name: &str,
        sampling: Sampling,
        seed: u64,
        n_jobs: Option<i64>,
    ) -> PyResult<Self> {
        let (motif, network) = (sampling.motif()?, Arc::clone(&network.inner));
        let built = long(py, n_jobs, None, |_| {
            Ok(sampling
                .choose(&network, &motif, Use::Learn, seed)
                .map(|chosen| ergodict::run::TaskContext::new(&sampled(&chosen))))
        })?;
        Ok(Self { place: Arc::new(built.map_err(|error| in_network(name, error))?) })
    }

    /// Runs a task, from bytes to bytes.
    #[pyo3(signature = (task, n_jobs=None))]
    fn run<'py>(&self, py: Python<'py>, task: &[u8], n_jobs: Option<i64>) -> PyResult<Bound<'py, PyBytes>> {
        let task = RoundTask::from_bytes(task).map_err(to_py_err)?;
        let found = long(py, n_jobs, None, |watch| task.run(&self.place, &|| watch.stopped())?.to_bytes())?;
        Ok(PyBytes::new(py, &found))
    }
}
