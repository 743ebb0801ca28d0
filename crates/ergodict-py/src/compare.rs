//! Networks compared by how well the atoms of each rebuild the others.

use crate::error::raised;
use crate::network::Network;
use crate::reconstruct::mode;
use crate::sampling::{Sampling, inner};
use crate::scheme::Scheme;
use crate::work::long;
use ergodict::chain::SamplerKind;
use ergodict::dictionary::{Drawn, NetworkLearning};
use ergodict::reconstruct::average_linkage;
use ergodict::reconstruct::network::{Accuracy, Comparison, distances};
use numpy::{IntoPyArray, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Arguments about a comparison.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Plan {
    steps: u64,
    batch: usize,
    samples: u64,
    measure: String,
    mode: String,
    threshold: f64,
    seed: u64,
    #[pyo3(from_py_with = crate::list::list)]
    names: Vec<String>,
}

fn value(measure: &str, accuracy: &Accuracy) -> PyResult<f64> {
    let value = match measure {
        "jaccard" => accuracy.jaccard,
        "weighted-jaccard" => accuracy.weighted_jaccard,
        "auc" => accuracy.auc,
        _ => {
            return Err(PyValueError::new_err(format!(
                "measure is {measure}, but it must be jaccard, weighted-jaccard or auc"
            )));
        }
    };
    Ok(value.unwrap_or(f64::NAN))
}

/// The matrix, a row for each dictionary; how much of the edges was seen; and which networks are alike, as scipy writes trees.
#[pyfunction]
#[pyo3(signature = (networks, plan, scheme, sampling, n_jobs=None, progress=None))]
#[expect(clippy::needless_pass_by_value, reason = "arguments of Python")]
pub(crate) fn compare_networks<'py>(
    py: Python<'py>,
    #[pyo3(from_py_with = crate::list::list)] networks: Vec<PyRef<'_, Network>>,
    plan: Plan,
    scheme: Scheme,
    sampling: Sampling,
    n_jobs: Option<i64>,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let motif = sampling.motif()?;
    let parameters = scheme.parameters(motif.k().saturating_mul(motif.k()))?;
    value(
        &plan.measure,
        &Accuracy {
            visited: 0,
            edge_coverage: None,
            pair_coverage: None,
            jaccard: None,
            weighted_jaccard: None,
            auc: None,
        },
    )?;
    scheme.fits(&parameters, motif.k() * motif.k(), plan.batch).map_err(raised)?;
    let networks = inner(&networks);
    if networks.iter().any(|network| network.is_directed() != networks[0].is_directed()) {
        return Err(PyValueError::new_err("some networks are directed and some are not"));
    }
    let preferred = motif.tree().map(|_| SamplerKind::PivotApprox);
    let ready = long(py, n_jobs, None, |_| {
        Ok(sampling.choose_all(&networks, &plan.names, &motif, preferred, plan.seed))
    })??;
    let kind = ready[0].kind;
    let drawn: Vec<Drawn> = ready.into_iter().map(|ready| ready.drawn).collect();
    let (n, samples) = (drawn.len(), plan.samples);
    let comparison = Comparison {
        learning: NetworkLearning { steps: plan.steps, watching: sampling.watching(plan.batch), parameters },
        samples,
        mode: mode(&plan.mode)?,
        threshold: plan.threshold,
    };
    // A dictionary takes about as long as so many homomorphisms are rebuilt: one unit for both.
    let learning = plan.steps.saturating_mul(plan.batch as u64);
    let total = learning.saturating_mul(n as u64).saturating_add(samples.saturating_mul((n * n) as u64));
    let cells = long(py, n_jobs, progress.as_ref(), |watch| {
        let mut dictionaries = Vec::with_capacity(n);
        for (at, drawn) in (0u64..).zip(&drawn) {
            let told = |step: u64| {
                watch.at(at * learning + step * plan.batch as u64, total);
                !watch.stopped()
            };
            dictionaries.push(if scheme.f32 {
                comparison.dictionary::<f32>(drawn, plan.seed, |step, _| told(step))?
            } else {
                comparison.dictionary::<f64>(drawn, plan.seed, |step, _| told(step))?
            });
        }
        let mut cells = Vec::with_capacity(n * n);
        for dictionary in &dictionaries {
            for drawn in &drawn {
                let before = n as u64 * learning + cells.len() as u64 * samples;
                cells.push(comparison.accuracy(dictionary, drawn, plan.seed, |taken| {
                    watch.at(before + taken, total);
                    !watch.stopped()
                })?);
            }
        }
        Ok(cells)
    })?;
    let matrix = cells.iter().map(|cell| value(&plan.measure, cell)).collect::<PyResult<Vec<f64>>>()?;
    if let Some(at) = matrix.iter().position(|value| value.is_nan()) {
        let (name, measure) = (plan.names.get(at % n).map_or("", |name| name), &plan.measure);
        return Err(PyValueError::new_err(format!(
            "{name}: has no {measure}, for it has no edge, or no pair without one: choose another measure, or leave it out"
        )));
    }
    let apart = distances(&matrix, n);
    let merges = average_linkage(&apart, n).map_err(raised)?;
    let coverage: Vec<f64> = cells.iter().map(|cell| cell.edge_coverage.unwrap_or(f64::NAN)).collect();
    let dict = PyDict::new(py);
    dict.set_item("matrix", matrix.into_pyarray(py).reshape([n, n])?)?;
    dict.set_item("edge_coverage", coverage.into_pyarray(py).reshape([n, n])?)?;
    dict.set_item("distances", apart.into_pyarray(py).reshape([n, n])?)?;
    dict.set_item("merges", merges.iter().map(|merge| (merge.a, merge.b, merge.height)).collect::<Vec<_>>())?;
    dict.set_item("sampler", kind.to_string())?;
    Ok(dict)
}
