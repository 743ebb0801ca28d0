//! Scores of pairs: how likely they are true edges.

use crate::aligned::column;
use crate::error::to_py_err;
use crate::network::Network;
use crate::page::{NetworkLabel, Page};
use crate::reconstruct::pairs_of;
use crate::scheme::word;
use crate::value::to_python;
use crate::work::{long, short};
use ergodict::denoise::ensemble::NoiseModel;
use ergodict::denoise::{self, Candidates, Denoiser, Method, Ndr, Progress, Scores};
use ergodict::memory;
use ergodict::reconstruct::network::Mode;
use ergodict_pages::denoising::{DenoisingPage, DenoisingRun};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

/// Steps of progress per stage.
const STEPS: f64 = 1000.0;
/// The word for all pairs without an edge.
const NON_EDGES: &str = "non-edges";

/// Scores, probabilities, degrees and common neighbors of each pair in turn, notes, what is known of heads, and reasons by the places of pairs.
type PairScores<'py> = (
    Bound<'py, PyArray1<f64>>,
    Option<Bound<'py, PyArray1<f64>>>,
    Bound<'py, PyArray1<i64>>,
    Vec<String>,
    Bound<'py, PyAny>,
    BTreeMap<usize, Vec<(String, f64)>>,
    Page,
);

/// What Python says of a run for its page.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct About {
    network: NetworkLabel,
    /// How many pairs are given, the most telling ones, where not all are.
    top: Option<usize>,
    /// What `pairs` was: `non-edges`, the name of a file for pairs that were given, or nothing for all edges.
    pairs: Option<String>,
}

/// The page of scores.
fn page_of(
    about: &About,
    network: &ergodict::data::Network,
    pairs: &[(u32, u32)],
    scored: &Scores,
    (method, noise, seed): (&str, NoiseModel, u64),
    (negatives, share): (Option<&str>, Option<f64>),
    started: Instant,
) -> DenoisingPage {
    let mut config = json!({ "method": method, "noise": noise, "seed": seed });
    let ranks_non_edges = about.pairs.as_deref() == Some(NON_EDGES);
    let more = [
        ("negatives", negatives.map(|word| json!(word))),
        ("share", share.map(|share| json!(share))),
        ("top", about.top.map(|top| json!(top))),
        ("pairs", about.pairs.as_ref().map(|pairs| json!(pairs))),
    ];
    more.into_iter().for_each(|(key, value)| value.into_iter().for_each(|value| config[key] = value));
    let run = DenoisingRun {
        network: about.network.name.clone(),
        method: method.to_owned(),
        noise,
        share,
        ranks_non_edges,
        written: about.top.map_or(pairs.len(), |top| top.min(pairs.len())),
        seconds: started.elapsed().as_secs_f64(),
        inputs: about.network.input(),
        config,
    };
    let order = denoise::order(&scored.scores, noise == NoiseModel::Removed);
    let name = |v: u32| match &about.network.labels {
        Some(labels) => labels.get(v as usize).cloned().unwrap_or_default(),
        None => network.ids().name(v as usize).into_owned(),
    };
    DenoisingPage::new(run, network, pairs, scored, &order, &name)
}

/// The page of scores that were calculated elsewhere.
#[pyfunction]
pub(crate) fn denoising_page(
    py: Python<'_>,
    network: PyRef<'_, Network>,
    u: PyReadonlyArray1<'_, u32>,
    v: PyReadonlyArray1<'_, u32>,
    scores: PyReadonlyArray1<'_, f64>,
    method: &str,
    noise: &str,
    #[pyo3(from_py_with = crate::list::list)] notes: Vec<String>,
    seed: u64,
    about: About,
) -> PyResult<Page> {
    let (started, network) = (Instant::now(), simple(py, &network)?);
    let (pairs, noise): (_, NoiseModel) = (pairs_of(&u, &v, network.nodes())?, word("noise", noise)?);
    let scored = Scores { scores: column(&scores)?, notes, ..Scores::default() };
    if scored.scores.len() != pairs.len() {
        return Err(PyValueError::new_err("scores are not as many as pairs"));
    }
    let page = short(py, || {
        Ok(page_of(&about, &network, &pairs, &scored, (method, noise, seed), (None, None), started))
    })?;
    Ok(page.into())
}

/// The names of all methods.
#[pyfunction]
pub(crate) fn denoising_methods() -> Vec<String> {
    Method::all().iter().map(ToString::to_string).collect()
}

/// The name of a method, by that or a former name.
#[pyfunction]
pub(crate) fn denoising_method(name: &str) -> PyResult<String> {
    name.parse().map(|method: Method| method.to_string()).map_err(to_py_err)
}

/// The network without directions, weights and loops.
fn simple(py: Python<'_>, network: &Network) -> PyResult<Arc<ergodict::data::Network>> {
    let inner = &network.inner;
    short(py, || Ok(if inner.is_simple() { Arc::clone(inner) } else { Arc::new(inner.to_simple()) }))
}

/// Pairs without an edge that missing edges are looked for among, first and second nodes; for a method that needs it all of them. Then, where
/// they are not all, which they are.
#[pyfunction]
pub(crate) fn non_edges<'py>(
    py: Python<'py>,
    network: PyRef<'_, Network>,
    method: &str,
) -> PyResult<(Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<u32>>, Option<String>)> {
    let method: Method = method.parse().map_err(to_py_err)?;
    let network = simple(py, &network)?;
    let mut note = None;
    let found = if method.is_local() {
        let found = short(py, || Candidates::new(&network))?;
        note = found.note();
        found.pairs
    } else {
        let n = network.nodes() as u64;
        let pairs = (n * n.saturating_sub(1) / 2).saturating_sub(network.edges());
        let what = format!("{pairs} pairs without an edge");
        let needed = pairs.saturating_mul(denoise::PER_PAIR);
        memory::check(needed, &what, "give some of them as pairs").map_err(to_py_err)?;
        short(py, || Ok(denoise::non_edges(&network)))?
    };
    let (u, v): (Vec<u32>, Vec<u32>) = found.into_iter().unzip();
    Ok((u.into_pyarray(py), v.into_pyarray(py), note))
}

/// Rows in the order in which scores matter: likely ones first, or unlikely ones.
#[pyfunction]
pub(crate) fn most_suspect<'py>(
    py: Python<'py>,
    scores: PyReadonlyArray1<'_, f64>,
    likely: bool,
) -> PyResult<Bound<'py, PyArray1<i64>>> {
    let scores = column(&scores)?;
    let order = short(py, || Ok(denoise::order(&scores, likely)))?;
    Ok(order.into_iter().map(|row| row as i64).collect::<Vec<_>>().into_pyarray(py))
}

/// Scores pairs of nodes.
#[pyfunction]
#[pyo3(signature = (network, u, v, method, noise, negatives, share, seed, about, n_jobs=None, progress=None))]
pub(crate) fn denoise_scores<'py>(
    py: Python<'py>,
    network: PyRef<'_, Network>,
    u: PyReadonlyArray1<'_, u32>,
    v: PyReadonlyArray1<'_, u32>,
    method: &str,
    noise: &str,
    negatives: &str,
    share: Option<f64>,
    seed: u64,
    about: About,
    n_jobs: Option<i64>,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<PairScores<'py>> {
    let started = Instant::now();
    let method: Method = method.parse().map_err(to_py_err)?;
    let assumed: NoiseModel = word("noise", noise)?;
    let network = simple(py, &network)?;
    let pairs = pairs_of(&u, &v, network.nodes())?;
    let (n, m, count) = (network.nodes() as u64, network.edges(), pairs.len() as u64);
    let what = format!("method={method} on {n} nodes and {count} pairs");
    let way_out = "score fewer pairs, or use method=\"resource-allocation\"";
    memory::check(method.memory(n, m, count), &what, way_out).map_err(to_py_err)?;
    let asked = (method == Method::Ensemble).then_some(negatives);
    let negatives = negatives.parse().map_err(to_py_err)?;
    let denoising = Denoiser { negatives, share, ..Denoiser::new(method, assumed, seed) };
    let scored = long(py, n_jobs, progress.as_ref(), |watch| {
        let mut told = |_, done: f64| {
            watch.at((done.clamp(0.0, 1.0) * STEPS) as u64, STEPS as u64);
            !watch.stopped()
        };
        denoising.scores(&network, &pairs, &mut Progress::new(&mut told))
    })?;
    let page = short(py, || {
        let run = (&*method.to_string(), assumed, seed);
        Ok(page_of(&about, &network, &pairs, &scored, run, (asked, share), started))
    })?;
    let heads = scored.heads.iter().map(|head| {
        let each = head.features.iter().map(|(name, group, importance)| {
            json!({ "name": name, "group": group.letter().to_string(), "auc_drop": importance.auc_drop })
        });
        json!({
            "noise": head.noise.word(),
            "splits": head.splits,
            "training_pairs": head.training_pairs,
            "held_out_auc": head.held_out,
            "average_precision": head.average_precision,
            "blend": head.blend.iter().cloned().collect::<BTreeMap<String, f64>>(),
            "false_share": head.false_share,
            "reliability": head.reliability.iter().map(|bin| [bin.predicted, bin.observed]).collect::<Vec<_>>(),
            "features": each.collect::<Vec<_>>(),
        })
    });
    let heads = to_python(py, &heads.collect::<Vec<_>>())?;
    let evidence = pairs.iter().flat_map(|&pair| denoise::evidence(&network, pair)).map(|count| count as i64);
    let evidence = evidence.collect::<Vec<_>>().into_pyarray(py);
    let probabilities = scored.probabilities.map(|all| all.into_pyarray(py));
    Ok((
        scored.scores.into_pyarray(py),
        probabilities,
        evidence,
        scored.notes,
        heads,
        scored.reasons,
        page.into(),
    ))
}

/// How denoising by reconstruction goes about it, for runs on several processes.
pub(crate) fn constants(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    let ndr = Ndr::new(Mode::OffMotif);
    let all = json!({
        "k": ndr.k,
        "chains": Ndr::WALKERS,
        "block": Ndr::BLOCK,
        "coverage": ndr.coverage,
        "visits": ndr.visits,
        "walks": ndr.walks,
        "memory": ndr.reconstruction.memory,
        "shrinkage": denoise::SHRINKAGE,
    });
    to_python(py, &all)
}
