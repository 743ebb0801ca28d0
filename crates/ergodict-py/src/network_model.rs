//! Models of networks: what was learned, as arrays, and the files that hold it.

use crate::aligned::view;
use crate::array::columns;
use crate::error::to_py_err;
use crate::model::{advised, write_report};
use crate::sampling::spelled;
use crate::sets::{Raised, dictionary_set};
use crate::value::to_python;
use crate::work::{long, short};
use ergodict::Error;
use ergodict::factor::Factorizer;
use ergodict::linalg::{Mat, Scalar};
use ergodict::model::{Model, Precision};
use ergodict::rng::{Purpose, derived, ids};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArray3, PyArrayMethods, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::path::{Path, PathBuf};

/// What errors call bytes that are no file.
pub(crate) const IN_MEMORY: &str = "the pickled model";

/// A learned dictionary of networks.
#[pyclass(frozen, module = "ergodict._ergodict")]
pub(crate) struct NetworkModel {
    pub(crate) model: Model,
}

/// Codes of patches, a row of each.
fn codes<T: Scalar>(model: &Model, x: &Mat<f64>) -> ergodict::Result<Mat<f64>> {
    let mut factorizer: Factorizer<T> = model.factorizer()?;
    factorizer.transform(&x.cast::<T>())?;
    Ok(factorizer.code().cast())
}

fn of_networks(model: Model, path: &Path) -> PyResult<NetworkModel> {
    if model.network.is_none() {
        return Err(PyValueError::new_err(format!(
            "{}: is a model of {}, not of networks: make one with `ergodict network learn`",
            path.display(),
            model.kind
        )));
    }
    Ok(NetworkModel { model })
}

#[pymethods]
impl NetworkModel {
    /// Reads a model file; a set that no name describes is given again.
    #[staticmethod]
    #[pyo3(signature = (path, dictionary=None))]
    fn load(py: Python<'_>, path: PathBuf, dictionary: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let set = dictionary.map(|set| dictionary_set(set, &Raised::default())).transpose()?;
        let model = short(py, || match set {
            Some(set) => Model::load_with(&path, set),
            None => Model::load(&path),
        });
        of_networks(model.map_err(|error| advised(py, error))?, &path)
    }

    /// From the bytes of a file.
    #[staticmethod]
    #[pyo3(signature = (bytes, dictionary=None))]
    fn from_bytes(bytes: &[u8], dictionary: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let set = dictionary.map(|set| dictionary_set(set, &Raised::default())).transpose()?;
        let path = Path::new(IN_MEMORY);
        of_networks(Model::from_bytes(bytes, path, set).map_err(to_py_err)?, path)
    }

    /// The bytes of the file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.model.to_bytes(Path::new(IN_MEMORY)).map_err(to_py_err)?))
    }

    /// Why what was learned may not be what it seems.
    fn warnings(&self) -> Vec<String> {
        spelled(&self.model.warnings())
    }

    /// Writes the model file.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        short(py, || self.model.save(&path))
    }

    /// Writes the page that `ergodict report` makes of the model file.
    #[pyo3(signature = (path, title=None))]
    fn report(&self, py: Python<'_>, path: PathBuf, title: Option<&str>) -> PyResult<()> {
        write_report(py, &path, &self.model, title)
    }

    /// The atoms, a row of each.
    #[getter]
    fn components<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f64>> {
        columns(py, &self.model.w)
    }

    /// The dominance of each atom, and the atoms from the most dominant on.
    fn dominance<'py>(&self, py: Python<'py>) -> (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<i64>>) {
        let (scores, order) = self.model.dominance();
        let order: Vec<i64> = order.into_iter().map(|atom| atom as i64).collect();
        (scores.into_pyarray(py), order.into_pyarray(py))
    }

    /// The shape of each atom of the path motif.
    fn shapes(&self) -> Option<Vec<String>> {
        Some(self.model.shapes()?.iter().map(ToString::to_string).collect())
    }

    /// What was kept of windows; how strongly each window uses the atoms (windows, r); and the dictionaries that were kept (n, r, d). None where
    /// nothing was learned over time.
    fn over_time<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<Option<(Bound<'py, PyAny>, Bound<'py, PyArray2<f64>>, Bound<'py, PyArray3<f32>>)>> {
        let Some(kept) = &self.model.over_time else { return Ok(None) };
        let (d, r) = (self.model.w.rows(), self.model.w.cols());
        let mut shares = Vec::with_capacity(kept.windows.len() * r);
        for window in &kept.windows {
            shares.extend((0..r).map(|atom| window.dominance.get(atom).copied().unwrap_or(f64::NAN)));
        }
        let shares = shares.into_pyarray(py).reshape([kept.windows.len(), r])?;
        let atoms: Vec<f32> =
            kept.dictionaries.iter().flat_map(|w| (0..r).flat_map(|j| w.col(j).iter().copied())).collect();
        let atoms = atoms.into_pyarray(py).reshape([kept.dictionaries.len(), r, d])?;
        Ok(Some((to_python(py, kept)?, shares, atoms)))
    }

    /// What else it holds: kind, precision, parameters, seed, steps, samples, network, history, inputs and the run.
    fn header<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let model = &self.model;
        let header = serde_json::json!({
            "kind": model.kind,
            "precision": model.precision,
            "parameters": model.parameters,
            "seed": model.seed,
            "version": model.version,
            "steps": model.aggregates.t,
            "samples": model.aggregates.samples,
            "network": model.network,
            "history": model.history,
            "inputs": model.inputs,
            "run": model.provenance,
        });
        to_python(py, &header)
    }

    /// Codes (n, r) of patches (n, k²).
    #[pyo3(signature = (patches, n_jobs=None))]
    fn codes<'py>(
        &self,
        py: Python<'py>,
        patches: PyReadonlyArray2<'_, f64>,
        n_jobs: Option<i64>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let patches = view(&patches)?;
        let d = self.model.w.rows();
        if patches.ncols() != d {
            let found = format!("{}×{}", patches.nrows(), patches.ncols());
            return Err(PyValueError::new_err(format!("X is {found}, but {d} columns are needed")));
        }
        let x = Mat::from_fn(d, patches.nrows(), |i, j| patches[[j, i]]);
        let found = long(py, n_jobs, None, |_| match self.model.precision {
            _ if x.cols() == 0 => Ok(Mat::zeros(self.model.w.cols(), 0)),
            Precision::F32 => codes::<f32>(&self.model, &x),
            Precision::F64 => codes::<f64>(&self.model, &x),
        })?;
        Ok(columns(py, &found))
    }
}

/// The digest of a file, as models keep it of their inputs; of an embedded network, the version it is of.
#[pyfunction]
pub(crate) fn input_digest(py: Python<'_>, path: PathBuf) -> PyResult<String> {
    if path.to_str().is_some_and(|name| name.starts_with('@')) {
        return Ok(format!("ergodict {}", env!("CARGO_PKG_VERSION")));
    }
    long(py, None, None, |watch| ergodict::data::digest_until(&path, &|| watch.stopped()))
}

/// The seed of patches that are coded by a dictionary of this seed: of others than those it was learned from.
#[pyfunction]
pub(crate) fn coding_seed(seed: u64) -> u64 {
    derived(seed, Purpose::Chain, ids::CODING)
}

/// An error for bytes of another run.
pub(crate) fn damaged(problem: impl std::fmt::Display) -> Error {
    Error::format(Path::new(IN_MEMORY), None, format!("damaged state: {problem}"))
}
