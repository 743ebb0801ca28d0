//! Networks reconstructed from atoms.

use crate::aligned::{column, view};
use crate::error::to_py_err;
use crate::network::Network;
use crate::network_model::NetworkModel;
use crate::page::NetworkLabel;
use crate::sampling::{Sampling, spelled};
use crate::scheme::word;
use crate::work::{driven, long};
use ergodict::chain::{SamplerKind, Use};
use ergodict::model::Input;
use ergodict::reconstruct::network::{
    Accuracy, PairSum, PairSums, RebuildSettings, ReconstructionRun, ReconstructionSettings, Reconstructor,
    Targets,
};
use ergodict::rng::ids;
use ergodict::settings::Settings;
use ergodict::{Result, memory};
use ergodict_pages::reconstruction::ReconstructionPage;
use ergodict_pages::text;
use numpy::{IntoPyArray, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::Value;
use std::path::PathBuf;
use std::sync::Arc;

/// Arguments about a reconstruction.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Rebuilding {
    samples: u64,
    lambda: f64,
    mode: String,
    alpha: f64,
    reversal: bool,
    threshold: f64,
    memory: u64,
    seed: u64,
}

/// Pairs of two arrays of equal length.
pub(crate) fn pairs_of(
    u: &PyReadonlyArray1<'_, u32>,
    v: &PyReadonlyArray1<'_, u32>,
    nodes: usize,
) -> PyResult<Vec<(u32, u32)>> {
    let (u, v) = (view(u)?, view(v)?);
    if u.len() != v.len() {
        let words = format!("there are {} first nodes of pairs, but {} second ones", u.len(), v.len());
        return Err(PyValueError::new_err(words));
    }
    let pairs: Vec<(u32, u32)> = u.iter().copied().zip(v.iter().copied()).collect();
    match pairs.iter().find(|(u, v)| *u.max(v) as usize >= nodes) {
        Some((u, v)) => {
            let words = format!("a pair is ({u}, {v}), but there are nodes 0 to {}", nodes.saturating_sub(1));
            Err(PyValueError::new_err(words))
        }
        None => Ok(pairs),
    }
}

/// The numbers of nodes in a part, by those in the whole; none for nodes outside.
pub(crate) struct ComponentPairs(Option<Vec<Option<u32>>>);

impl ComponentPairs {
    pub(crate) fn new(part: Option<&[u32]>, nodes: usize) -> Self {
        Self(part.map(|part| {
            let mut all = vec![None; nodes];
            part.iter().zip(0..).for_each(|(&v, at)| all[v as usize] = Some(at));
            all
        }))
    }

    pub(crate) fn pair(&self, (u, v): (u32, u32)) -> Option<(u32, u32)> {
        match &self.0 {
            None => Some((u, v)),
            Some(all) => Some((all[u as usize]?, all[v as usize]?)),
        }
    }
}

fn measures<'py>(py: Python<'py>, accuracy: &Accuracy) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("visited", accuracy.visited)?;
    dict.set_item("edge_coverage", accuracy.edge_coverage)?;
    dict.set_item("pair_coverage", accuracy.pair_coverage)?;
    dict.set_item("jaccard", accuracy.jaccard)?;
    dict.set_item("weighted_jaccard", accuracy.weighted_jaccard)?;
    dict.set_item("auc", accuracy.auc)?;
    Ok(dict)
}

/// The dictionary's motif, of which the arguments may say nothing else.
pub(crate) fn same_motif(model: &NetworkModel, sampling: &Sampling) -> PyResult<ergodict::chain::Motif> {
    let Some(form) = &model.model.network else { return Err(PyValueError::new_err("no model of networks")) };
    let motif = form.motif().map_err(to_py_err)?;
    match sampling.settings.k.filter(|k| *k != motif.k()) {
        Some(k) => Err(PyValueError::new_err(format!(
            "k is {k}, but the model is of {} nodes: leave k out",
            motif.k()
        ))),
        None => Ok(motif),
    }
}

/// Reconstructs a network: nodes of pairs, sums, counts, what coding took, and how well it went.
#[pyfunction]
#[pyo3(signature = (model, network, plan, sampling, pairs=None, n_jobs=None, progress=None))]
pub(crate) fn rebuild<'py>(
    py: Python<'py>,
    model: PyRef<'_, NetworkModel>,
    network: PyRef<'_, Network>,
    plan: Rebuilding,
    sampling: Sampling,
    pairs: Option<(PyReadonlyArray1<'_, u32>, PyReadonlyArray1<'_, u32>)>,
    n_jobs: Option<i64>,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let motif = same_motif(&model, &sampling)?;
    let whole = Arc::clone(&network.inner);
    let asked = pairs.map(|(u, v)| pairs_of(&u, &v, whole.nodes())).transpose()?;
    let memory = usize::try_from(plan.memory.saturating_mul(1 << 20)).unwrap_or(usize::MAX);
    let parameters = ReconstructionSettings {
        mode: word("mode", &plan.mode)?,
        lambda: plan.lambda,
        reversal: plan.reversal,
        memory,
        ..ReconstructionSettings::default()
    };
    parameters.check().map_err(to_py_err)?;
    let w = &model.model.w;
    let (rows, accuracy, ready, capped) = long(py, n_jobs, progress.as_ref(), |watch| {
        let ready = sampling.choose(&whole, &motif, Use::Reconstruct, plan.seed)?;
        let (network, sampler) = (&ready.network, &ready.sampler);
        let inside = ComponentPairs::new(ready.nodes.as_deref(), whole.nodes());
        let found: Option<Vec<Option<(u32, u32)>>> =
            asked.as_ref().map(|asked| asked.iter().map(|&pair| inside.pair(pair)).collect());
        let targets = match &found {
            Some(found) => Targets::Only(found.iter().flatten().copied().collect()),
            None => Targets::All,
        };
        let n = network.nodes() as u64;
        let dense = n.saturating_mul(n) / if network.is_directed() { 1 } else { 2 } * 8;
        let needed = dense.min(plan.memory.saturating_mul(1 << 20));
        let what = format!("sums of the pairs of {n} nodes");
        memory::check(needed, &what, "lower memory, which puts the rest into a file, or name some pairs")?;
        let empty = Reconstructor::<f32>::new(w, network, &motif, &parameters, targets)?;
        let walker = |id: u64| sampling.settings.walker(sampler, plan.seed, ids::REBUILDING + id);
        let walkers = (0..sampling.settings.chains()).map(walker).collect::<Result<Vec<_>>>()?;
        let mut run = ReconstructionRun::new(empty, walkers, plan.samples);
        driven(&mut run, None, watch)?;
        let reconstruction = run.reconstructor();
        let accuracy = Accuracy::measure(reconstruction.sums(), network, plan.threshold, plan.alpha)?;
        let mut rows = Rows::default();
        if let (Some(found), Some(asked)) = (&found, &asked) {
            for (&(u, v), inside) in asked.iter().zip(found) {
                let (sum, count) = inside.map_or((0.0, 0), |(u, v)| reconstruction.sums().get(u, v));
                rows.push(u, v, sum, count);
            }
        } else {
            let name = |v: u32| ready.nodes.as_ref().map_or(v, |nodes| nodes[v as usize]);
            for PairSum { u, v, sum, count } in reconstruction.sums().iter() {
                rows.push(name(u), name(v), sum, count);
            }
        }
        let capped = reconstruction.report().capped;
        Ok((rows, accuracy, ready, capped))
    })?;
    let dict = PyDict::new(py);
    dict.set_item("u", rows.u.into_pyarray(py))?;
    dict.set_item("v", rows.v.into_pyarray(py))?;
    dict.set_item("sums", rows.sums.into_pyarray(py))?;
    dict.set_item("counts", rows.counts.into_pyarray(py))?;
    dict.set_item("accuracy", measures(py, &accuracy)?)?;
    dict.set_item("sampler", ready.kind.to_string())?;
    dict.set_item("notes", spelled(&ready.notes))?;
    dict.set_item("capped", capped)?;
    Ok(dict)
}

/// Columns of the table of pairs.
#[derive(Default)]
struct Rows {
    u: Vec<u32>,
    v: Vec<u32>,
    sums: Vec<f64>,
    counts: Vec<u64>,
}

impl Rows {
    fn push(&mut self, u: u32, v: u32, sum: f64, count: u64) {
        self.u.push(u);
        self.v.push(v);
        self.sums.push(sum);
        self.counts.push(count);
    }
}

/// What was reconstructed, from the columns that `reconstruct` gave: the part of the network, and the sums of its pairs. `wanted` says that only their
/// pairs were.
fn rebuilt_sums(
    whole: &Arc<ergodict::data::Network>,
    pairs: &[(u32, u32)],
    sums: &[f64],
    counts: &[u64],
    largest: bool,
    wanted: bool,
) -> Result<(Arc<ergodict::data::Network>, PairSums)> {
    let parts = whole.components();
    let nodes = (largest && parts.sizes.len() > 1).then(|| parts.nodes(0));
    let part = match &nodes {
        Some(nodes) => Arc::new(whole.part_alike(nodes)?),
        None => Arc::clone(whole),
    };
    let inside = ComponentPairs::new(nodes.as_deref(), whole.nodes());
    let found: Vec<Option<(u32, u32)>> = pairs.iter().map(|&pair| inside.pair(pair)).collect();
    let targets: Option<Vec<(u32, u32)>> = wanted.then(|| found.iter().flatten().copied().collect());
    let mut seen = std::collections::HashSet::new();
    let rows = found.iter().zip(sums.iter().zip(counts)).filter_map(|(pair, (&sum, &count))| {
        let (u, v) = pair.filter(|_| count > 0)?;
        let key = if part.is_directed() || u <= v { (u, v) } else { (v, u) };
        // A pair that was asked for twice was reconstructed once.
        (!wanted || seen.insert(key)).then_some(PairSum { u: key.0, v: key.1, sum, count })
    });
    let sums = PairSums::of_pairs(&part, targets.as_deref(), rows, 1 << 30)?;
    Ok((part, sums))
}

/// The columns that `reconstruct` gave.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Columns<'py> {
    u: PyReadonlyArray1<'py, u32>,
    v: PyReadonlyArray1<'py, u32>,
    sums: PyReadonlyArray1<'py, f64>,
    counts: PyReadonlyArray1<'py, u64>,
    largest: bool,
    wanted: bool,
    threshold: f64,
    alpha: f64,
}

/// Pairs, sums and counts of columns.
type Rebuilt = (Vec<(u32, u32)>, Vec<f64>, Vec<u64>);

impl Columns<'_> {
    fn rows(&self, nodes: usize) -> PyResult<Rebuilt> {
        let pairs = pairs_of(&self.u, &self.v, nodes)?;
        let (sums, counts) = (column(&self.sums)?, column(&self.counts)?);
        if (sums.len(), counts.len()) != (pairs.len(), pairs.len()) {
            return Err(PyValueError::new_err("sums and counts are not as many as pairs"));
        }
        Ok((pairs, sums, counts))
    }
}

/// How well a network was reconstructed.
#[pyfunction]
pub(crate) fn accuracy<'py>(
    py: Python<'py>,
    network: PyRef<'_, Network>,
    columns: Columns<'_>,
) -> PyResult<Bound<'py, PyDict>> {
    let whole = Arc::clone(&network.inner);
    let (pairs, sums, counts) = columns.rows(whole.nodes())?;
    let &Columns { largest, wanted, threshold, alpha, .. } = &columns;
    let found = long(py, Some(1), None, |_| {
        let (part, sums) = rebuilt_sums(&whole, &pairs, &sums, &counts, largest, wanted)?;
        Accuracy::measure(&sums, &part, threshold, alpha)
    })?;
    measures(py, &found)
}

/// What Python says of a reconstruction for its page.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct About {
    network: NetworkLabel,
    plan: Rebuilding,
    sampling: Sampling,
    sampler: String,
    seconds: f64,
    /// The model file with its digest, where the atoms are from one.
    model: Option<(String, String)>,
    /// The names of the networks that the atoms were learned from.
    learned: Vec<String>,
}

/// Writes the page of a reconstruction.
#[pyfunction]
pub(crate) fn reconstruction_report(
    py: Python<'_>,
    path: PathBuf,
    model: PyRef<'_, NetworkModel>,
    network: PyRef<'_, Network>,
    columns: Columns<'_>,
    about: About,
) -> PyResult<()> {
    let motif = same_motif(&model, &about.sampling)?;
    let model = &model.model;
    let Some(form) = &model.network else { return Err(PyValueError::new_err("no model of networks")) };
    let whole = Arc::clone(&network.inner);
    let (pairs, sums, counts) = columns.rows(whole.nodes())?;
    let &Columns { largest, wanted, threshold, alpha, .. } = &columns;
    let kind: SamplerKind = word("sampler", &about.sampler)?;
    let plan = &about.plan;
    let mut config = RebuildSettings {
        samples: plan.samples,
        lambda: plan.lambda,
        mode: word("mode", &plan.mode)?,
        alpha,
        reversal: plan.reversal,
        seed: plan.seed,
        sampling: about.sampling.config(&motif, kind),
        ..RebuildSettings::default()
    };
    config.threshold = (threshold != 0.5).then_some(threshold);
    let mut config = Value::Object(config.config());
    if wanted {
        config["pairs"] = "pairs.tsv".into();
    }
    let mut inputs = about.network.input();
    let atoms_of = if let Some((name, digest)) = about.model {
        config["model"] = name.clone().into();
        inputs.push(Input { name: name.clone(), digest });
        name
    } else {
        config["model"] = "model.safetensors".into();
        // A model that is not finished, as that of a pickle, has no list of its networks.
        let known = model.provenance.networks.iter().map(|one| &one.name);
        let names: Vec<String> = if known.len() > 0 {
            known.map(|name| text::short(name)).collect()
        } else {
            about.learned.iter().map(|name| text::short(name)).collect()
        };
        text::list(&names)
    };
    let report = long(py, Some(1), None, |_| {
        let (part, sums) = rebuilt_sums(&whole, &pairs, &sums, &counts, largest, wanted)?;
        let accuracy = Accuracy::measure(&sums, &part, threshold, alpha)?;
        let page = ReconstructionPage {
            network: about.network.name,
            of: &part,
            atoms_of,
            form,
            sampler: about.sampler,
            sums: &sums,
            accuracy,
            alpha,
            threshold,
            samples: plan.samples,
            seconds: about.seconds,
            config,
            inputs: inputs.clone(),
        };
        Ok(page.report(model))
    })?;
    crate::page::write(py, &path, report, &inputs)
}
