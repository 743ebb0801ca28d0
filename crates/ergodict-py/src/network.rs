//! Networks: made from arrays and files, and given back as arrays.

use crate::error::raised;
use crate::work::short;
use ergodict::data::{ReadOptions, embedded, read_network};
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::Arc;

/// A network of numbered nodes; names and other objects that stand for nodes are kept in Python.
#[pyclass(frozen, module = "ergodict._ergodict")]
pub(crate) struct Network {
    /// What every sampler and estimator takes.
    pub(crate) inner: Arc<ergodict::data::Network>,
}

#[pymethods]
impl Network {
    /// Reads an edge list, MatrixMarket, scipy .npz or .egr file, or an embedded network such as ``@karate``.
    #[staticmethod]
    fn read(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let name = path.to_string_lossy().into_owned();
        let inner = if name.starts_with('@') {
            embedded(&name).map_err(raised)?
        } else {
            short(py, move || Ok(read_network(&path, &ReadOptions::default())?.0))?
        };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Number of nodes.
    #[getter]
    fn n_nodes(&self) -> usize {
        self.inner.nodes()
    }

    /// Number of edges.
    #[getter]
    fn n_edges(&self) -> u64 {
        self.inner.edges()
    }

    /// Both ends and the weight of each edge.
    #[expect(clippy::type_complexity, reason = "three arrays")]
    fn edges<'py>(
        &self,
        py: Python<'py>,
    ) -> (Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<f64>>) {
        let (mut us, mut vs, mut ws) = (Vec::new(), Vec::new(), Vec::new());
        for (u, v, w) in self.inner.each_edge() {
            us.push(u);
            vs.push(v);
            ws.push(w);
        }
        (us.into_pyarray(py), vs.into_pyarray(py), ws.into_pyarray(py))
    }
}
