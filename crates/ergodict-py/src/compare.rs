//! Networks compared by how well the dictionaries of each fit the others.

use crate::error::raised;
use crate::network::Network;
use crate::sampling::{Ready, Sampling, inner};
use crate::scheme::{Scheme, word};
use crate::work::{Watch, long};
use ergodict::chain::{Motif, SampledNetwork, Use};
use ergodict::model::{Input, Precision};
use ergodict::reconstruct::network::{
    CompareSettings, Comparison, ComparisonOutcome, ComparisonSettings, Estimate, Finding, Measure,
};
use ergodict::run::{Checkpoint, Identity, Job, NetworkLearning, Status, Stop, drive, restore_jobs};
use numpy::{IntoPyArray, PyArray2, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;

/// Arguments about a comparison.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Plan {
    steps: u64,
    batch: usize,
    seeds: usize,
    samples: Option<u64>,
    rewired: bool,
    weighted: bool,
    weights: String,
    measure: String,
    mode: String,
    threshold: f64,
    seed: u64,
    #[pyo3(from_py_with = crate::list::list)]
    names: Vec<String>,
    #[pyo3(from_py_with = crate::list::list)]
    digests: Vec<String>,
    /// Where the state is saved, and whether to continue from it.
    checkpoint: Option<PathBuf>,
    resume: bool,
}

/// The defaults of comparisons, by the names of the parameters.
pub(crate) fn constants(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let settings = CompareSettings::default();
    let dict = PyDict::new(py);
    dict.set_item("n_components", settings.learning.factor.atoms)?;
    dict.set_item("k", CompareSettings::NODES)?;
    dict.set_item("steps", settings.steps)?;
    dict.set_item("batch_size", settings.batch)?;
    dict.set_item("alpha", settings.learning.factor.lambda / 2.0)?;
    dict.set_item("schedule", settings.learning.factor.schedule.to_string())?;
    dict.set_item("seeds", settings.seeds)?;
    Ok(dict)
}

/// Progress for Python, which may ask to stop.
struct Watching<'a>(&'a Watch, &'a Stop);

impl ergodict::run::Progress for Watching<'_> {
    fn update(&mut self, _: &'static str, done: u64, total: Option<u64>, _: &dyn Fn() -> String) {
        self.0.at(done, total.unwrap_or(done));
        if self.0.stopped() {
            self.1.ask();
        }
    }
}

/// A rewired copy of each network with a sampler in it, as far as there are any.
fn rewired(
    ready: &[Ready],
    sampling: &Sampling,
    motif: &Motif,
    seed: u64,
    watch: &Watch,
) -> ergodict::Result<Vec<Option<SampledNetwork>>> {
    let copy = |(at, one): (usize, &Ready)| {
        let copy = Comparison::rewired_copy(&one.drawn.0, seed, at, &|| watch.stopped())?;
        // The motif may be in no rewired copy, such as a triangle.
        let chosen = sampling.choose(&Arc::new(copy), motif, Use::Reconstruct, Some(one.kind), seed);
        Ok(chosen.ok().map(|chosen| chosen.drawn))
    };
    ready.iter().enumerate().map(copy).collect()
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
    plan: Plan,
    scheme: Scheme,
    sampling: Sampling,
    n_jobs: Option<i64>,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let motif = sampling.motif()?;
    let parameters = scheme.parameters(py, motif.k().saturating_mul(motif.k()))?;
    let measure: Measure = plan.measure.parse().map_err(raised)?;
    scheme.fits(&parameters, motif.k() * motif.k(), plan.batch).map_err(raised)?;
    let networks = inner(&networks);
    if networks.iter().any(|network| network.is_directed() != networks[0].is_directed()) {
        return Err(PyValueError::new_err("some networks are directed and some are not"));
    }
    let ready = long(py, n_jobs, None, |_| {
        Ok(sampling.choose_all(&networks, &plan.names, &motif, Use::Reconstruct, plan.seed))
    })??;
    let kind = ready[0].kind;
    let copies = if plan.rewired {
        long(py, n_jobs, None, |watch| rewired(&ready, &sampling, &motif, plan.seed, watch))?
    } else {
        vec![None; ready.len()]
    };
    let drawn: Vec<SampledNetwork> = ready.into_iter().map(|ready| ready.drawn).collect();
    let defaults = CompareSettings { samples: plan.samples, measure, ..CompareSettings::default() };
    let samples = defaults.samples();
    let mut settings = scheme.config(&parameters);
    let (steps, batch, seeds, threshold) = (plan.steps, plan.batch, plan.seeds, plan.threshold);
    settings["steps"] = json!(steps);
    settings["batch"] = json!(batch);
    settings["seeds"] = json!(seeds);
    settings["samples"] = json!(samples);
    settings["rewired"] = json!(plan.rewired);
    settings["weighted"] = json!(plan.weighted);
    settings["weights"] = json!(plan.weights);
    settings["measure"] = json!(measure);
    settings["mode"] = json!(plan.mode);
    settings["threshold"] = json!(threshold);
    let sampled = json!(sampling.config(drawn[0].1.motif(), kind));
    if let (Some(settings), Value::Object(sampled)) = (settings.as_object_mut(), sampled) {
        settings.extend(sampled);
    }
    let inputs = plan.names.iter().cloned().zip(plan.digests.iter().cloned());
    let inputs = inputs.map(|(name, digest)| Input { name, digest });
    let command = "compare".to_owned();
    let identity = Identity { command, settings, inputs: inputs.collect(), seed: plan.seed };
    let learning = NetworkLearning { steps, watching: sampling.watching(batch), parameters };
    let precision = if scheme.settings.f32 { Precision::F32 } else { Precision::F64 };
    let mode = word("mode", &plan.mode)?;
    let settings = ComparisonSettings { learning, precision, seeds, samples, measure, mode, threshold };
    let mut job = Comparison::new(settings, drawn, copies, plan.names.clone(), plan.seed);
    let (outcome, checkpoint) = long(py, n_jobs, progress.as_ref(), |watch| {
        let mut checkpoint = None;
        if let Some(path) = &plan.checkpoint {
            let (opened, saved) = Checkpoint::open(path, plan.resume, &identity)?;
            saved.as_ref().map_or(Ok(()), |saved| restore_jobs(&mut [&mut job], 0, saved))?;
            checkpoint = Some(opened);
        }
        let stop = Stop::default();
        let status = drive(&mut [&mut job], checkpoint.as_mut(), &stop, &mut Watching(watch, &stop))?;
        if status == Status::Stopped {
            return Err(ergodict::Error::Interrupted);
        }
        let (done, total) = job.done();
        watch.at(done, total.unwrap_or(done));
        Ok((job.outcome()?, checkpoint))
    })?;
    checkpoint.map_or(Ok(()), Checkpoint::remove).map_err(raised)?;
    let dict = in_python(py, &outcome)?;
    dict.set_item("sampler", kind.to_string())?;
    Ok(dict)
}
