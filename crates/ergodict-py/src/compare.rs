//! Networks compared by how well the dictionaries of each fit the others.

use crate::error::{keyword, to_py_err};
use crate::network::Network;
use crate::page::Page;
use crate::sampling::{Sampling, in_network, inner};
use crate::scheme::{Scheme, settings};
use crate::value::to_python;
use crate::work::{driven, long};
use ergodict::chain::Use;
use ergodict::model::Input;
use ergodict::reconstruct::network::{
    CompareSettings, Comparison, ComparisonOutcome, Estimate, Finding, Measure,
};
use ergodict::run::{Checkpoint, Identity, NetworkData, restore_jobs};
use ergodict::settings::Settings;
use ergodict_pages::comparison::ComparisonPage;
use numpy::{IntoPyArray, PyArray2, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

/// Arguments about a comparison that are no settings.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Plan {
    #[pyo3(from_py_with = crate::list::list)]
    names: Vec<String>,
    #[pyo3(from_py_with = crate::list::list)]
    digests: Vec<String>,
    /// Where the state is saved, and whether to continue from it.
    checkpoint: Option<PathBuf>,
    resume: bool,
}

/// The defaults of comparisons, by the names of the parameters.
pub(crate) fn constants(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    let settings = CompareSettings::default();
    let factor = &settings.learning.factor;
    let all = json!({
        "n_components": factor.atoms,
        "k": CompareSettings::NODES,
        "steps": settings.steps,
        "batch_size": settings.batch,
        "alpha": factor.lambda / 2.0,
        "schedule": factor.schedule.to_string(),
        "seeds": settings.seeds,
    });
    to_python(py, &all)
}

fn square(py: Python<'_>, values: Vec<f64>, n: usize) -> PyResult<Bound<'_, PyArray2<f64>>> {
    values.into_pyarray(py).reshape([n, n])
}

/// The outcome of a comparison by the names of its attributes.
fn in_python<'py>(py: Python<'py>, outcome: &ComparisonOutcome) -> PyResult<Bound<'py, PyDict>> {
    let (n, dict) = (outcome.names.len(), PyDict::new(py));
    let values = |of: &[Estimate]| square(py, of.iter().map(|one| one.value).collect(), n);
    let errors = |of: &[Estimate]| square(py, of.iter().map(|one| one.standard_error).collect(), n);
    dict.set_item("matrix", values(&outcome.matrix)?)?;
    dict.set_item("matrix_standard_errors", errors(&outcome.matrix)?)?;
    dict.set_item("distances", values(&outcome.distances)?)?;
    dict.set_item("standard_errors", errors(&outcome.distances)?)?;
    let copies = |of: fn(&ergodict::reconstruct::network::RewiredCopy) -> f64| {
        let value = |copy: &Option<_>| copy.as_ref().map_or(f64::NAN, of);
        outcome.rewired.iter().map(value).collect::<Vec<f64>>().into_pyarray(py)
    };
    dict.set_item("rewired", copies(|copy| copy.value.value))?;
    dict.set_item("rewired_distances", copies(|copy| copy.distance.value))?;
    dict.set_item("rewired_standard_errors", copies(|copy| copy.distance.standard_error))?;
    let coverage = outcome.edge_coverage.iter().map(|share| share.unwrap_or(f64::NAN)).collect();
    let coverage = (outcome.measure != Measure::Error).then(|| square(py, coverage, n)).transpose()?;
    dict.set_item("edge_coverage", coverage)?;
    let merges = outcome.merges.iter().map(|merge| (merge.a, merge.b, merge.height.value));
    dict.set_item("merges", merges.collect::<Vec<_>>())?;
    let drawn = outcome.merges.iter().map(|merge| (merge.a, merge.b, merge.drawn));
    dict.set_item("tree", outcome.has_tree().then(|| drawn.collect::<Vec<_>>()))?;
    dict.set_item("finding", outcome.sentence())?;
    dict.set_item("conclusive", outcome.finding.is_conclusive())?;
    let closest = match &outcome.finding {
        Finding::Inconclusive { .. } => Vec::new(),
        Finding::Pair { .. } => vec![(0, 1)],
        Finding::Closest { pair, .. } => vec![*pair],
        Finding::Tied { pairs } => pairs.clone(),
    };
    dict.set_item("closest", closest)?;
    Ok(dict)
}

/// Compares networks: matrix, distances with errors, rewired copies, and what may be concluded.
#[pyfunction]
#[pyo3(signature = (networks, plan, scheme, sampling, n_jobs=None, progress=None))]
pub(crate) fn compare_networks<'py>(
    py: Python<'py>,
    #[pyo3(from_py_with = crate::list::list)] networks: Vec<PyRef<'_, Network>>,
    plan: &Bound<'_, PyDict>,
    scheme: Scheme,
    sampling: Sampling,
    n_jobs: Option<i64>,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let mut settings: CompareSettings = settings(plan, &["names", "digests", "checkpoint", "resume"])?;
    let plan: Plan = plan.extract()?;
    let started = Instant::now();
    let (motif, seed) = (sampling.motif()?, settings.seed);
    let d = motif.k().saturating_mul(motif.k());
    let parameters = scheme.parameters(py, d)?;
    scheme.fits(&parameters, d, settings.batch).map_err(to_py_err)?;
    let networks = inner(&networks);
    if networks.iter().any(|network| network.is_directed() != networks[0].is_directed()) {
        return Err(PyValueError::new_err("some networks are directed and some are not"));
    }
    let mut data = long(py, n_jobs, None, |_| {
        let mut data = NetworkData::new(&sampling.settings, Use::Reconstruct, &motif, false, seed);
        let pushed = networks.iter().zip(&plan.names).try_for_each(|(network, name)| {
            let pushed = data.push(name, None, Arc::clone(network));
            pushed.map(drop).map_err(|error| in_network(name, error))
        });
        Ok(pushed.map(|()| data))
    })??;
    let parts: Vec<String> =
        data.take_notes().iter().map(|(name, note)| format!("{name}: {}", note.spelled(&keyword))).collect();
    let ((kind, own_motif), drawn) = (data.chosen().map_err(to_py_err)?, data.drawn());
    settings.learning = scheme.decided(&parameters);
    settings.sampling = sampling.config(own_motif, kind);
    settings.samples = Some(settings.samples());
    let (copies, warnings) = if settings.rewired {
        let copies = long(py, n_jobs, None, |watch| {
            Comparison::rewired_copies(&drawn, &settings.sampling, own_motif, seed, &|| watch.stopped())
        })?;
        ComparisonPage::yardsticks(copies, &plan.names, &keyword)
    } else {
        (vec![None; drawn.len()], Vec::new())
    };
    let notes: Vec<String> = warnings.iter().cloned().chain(ComparisonPage::densities(&drawn)).collect();
    let inputs = plan.names.iter().cloned().zip(plan.digests);
    let inputs: Vec<Input> = inputs.map(|(name, digest)| Input { name, digest }).collect();
    let config = Value::Object(settings.config());
    let identity =
        Identity { command: "compare".to_owned(), settings: config.clone(), inputs: inputs.clone(), seed };
    let mut job = Comparison::new(settings.comparison(), drawn, copies, plan.names.clone(), seed);
    let (outcome, checkpoint) = long(py, n_jobs, progress.as_ref(), |watch| {
        let mut checkpoint = None;
        if let Some(path) = &plan.checkpoint {
            let (opened, saved) = Checkpoint::open(path, plan.resume, &identity)?;
            saved.as_ref().map_or(Ok(()), |saved| restore_jobs(&mut [&mut job], 0, saved))?;
            checkpoint = Some(opened);
        }
        driven(&mut job, checkpoint.as_mut(), watch)?;
        Ok((job.outcome()?, checkpoint))
    })?;
    checkpoint.map_or(Ok(()), Checkpoint::remove).map_err(to_py_err)?;
    let dict = in_python(py, &outcome)?;
    dict.set_item("sampler", kind.to_string())?;
    dict.set_item("warnings", warnings)?;
    dict.set_item("notes", &notes)?;
    dict.set_item("parts", parts)?;
    let page = ComparisonPage {
        names: plan.names,
        outcome,
        kind,
        config,
        // What is in memory is no file.
        inputs: inputs.into_iter().filter(|input| !input.digest.is_empty()).collect(),
        notes,
        seconds: started.elapsed().as_secs_f64(),
    };
    dict.set_item("page", Page::from(page))?;
    Ok(dict)
}
