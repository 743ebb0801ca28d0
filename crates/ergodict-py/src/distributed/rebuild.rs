//! Networks reconstructed by many: shares of chains become files of sums, and ranges of those become parts of a table.

use crate::error::to_py_err;
use crate::network::Network;
use crate::network_model::NetworkModel;
use crate::reconstruct::{ComponentPairs, pairs_of, same_motif};
use crate::sampling::{Sampling, in_network, sampled, spelled};
use crate::scheme::word;
use crate::work::{long, short};
use ergodict::Result;
use ergodict::chain::{ChosenSampler, Use};
use ergodict::data::NodeIds;
use ergodict::reconstruct::network::{
    PairFormat, PairPart, PartsFolder, ReconstructionSettings, ShareOutcome, SharePlace as Place, ShareTask,
    SortedSums, Targets, merged_sums, source_ranges,
};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;

/// Sums and counts of pairs.
type Totals<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<u64>>);

/// Arguments about how patches are reconstructed.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Rebuilding {
    lambda: f64,
    mode: String,
    reversal: bool,
    /// Bytes of sums in memory.
    memory: u64,
    seed: u64,
    burn_in: u64,
    every: u64,
}

/// A place for shares of a reconstruction.
#[pyclass(frozen, module = "ergodict._ergodict")]
pub(crate) struct SharePlace {
    place: Place,
    ready: ChosenSampler,
    whole: Arc<ergodict::data::Network>,
    /// The sampler, by its name, and what there is to say of it.
    #[pyo3(get)]
    sampler: String,
    #[pyo3(get)]
    notes: Vec<String>,
    /// Nodes of what is sampled.
    #[pyo3(get)]
    sampled: usize,
    /// Edges among the pairs that are wanted, or all of what is sampled.
    #[pyo3(get)]
    edges: u64,
    /// Whether nodes are called by words, and not by integers.
    #[pyo3(get)]
    words: bool,
}

#[pymethods]
impl SharePlace {
    /// SamplerBuilder are made as the run that leads made its own; of `pairs` only those inside of what is sampled are wanted.
    #[new]
    #[pyo3(signature = (network, name, sampling, seed, pairs=None, n_jobs=None))]
    fn new(
        py: Python<'_>,
        network: PyRef<'_, Network>,
        name: &str,
        sampling: Sampling,
        seed: u64,
        pairs: Option<(PyReadonlyArray1<'_, u32>, PyReadonlyArray1<'_, u32>)>,
        n_jobs: Option<i64>,
    ) -> PyResult<Self> {
        let (motif, whole) = (sampling.motif()?, Arc::clone(&network.inner));
        let pairs = pairs.map(|(u, v)| pairs_of(&u, &v, whole.nodes())).transpose()?;
        let built = long(py, n_jobs, None, |_| {
            Ok(sampling.choose(&whole, &motif, Use::Reconstruct, seed).map(|ready| {
                let inside = ComponentPairs::new(ready.nodes.as_deref(), whole.nodes());
                let network = &ready.network;
                let (targets, edges) = match &pairs {
                    Some(pairs) => {
                        let wanted: Vec<_> = pairs.iter().filter_map(|&pair| inside.pair(pair)).collect();
                        let edges = edges_among(network, &wanted);
                        (Targets::Only(wanted), edges)
                    }
                    None => (Targets::All, network.edges()),
                };
                (Place::new(&sampled(&ready), targets), ready, edges)
            }))
        })?;
        let (place, ready, edges) = built.map_err(|error| in_network(name, error))?;
        let (sampler, notes, sampled) =
            (ready.kind.to_string(), spelled(&ready.notes), ready.network.nodes());
        let words = whole.ids().are_words();
        Ok(Self { place, ready, whole, sampler, notes, sampled, edges, words })
    }

    /// Runs a share: its sums go into `file`.
    #[pyo3(signature = (task, file, n_jobs=None))]
    fn run<'py>(
        &self,
        py: Python<'py>,
        task: &[u8],
        file: PathBuf,
        n_jobs: Option<i64>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let task = ShareTask::from_bytes(task).map_err(to_py_err)?;
        let found =
            long(py, n_jobs, None, |watch| task.run(&self.place, &file, &|| watch.stopped())?.to_bytes())?;
        Ok(PyBytes::new(py, &found))
    }

    /// Merges files of sums in their order and writes part `number` of a table, of the first nodes from `first` to below `end`; describes it as JSON.
    #[pyo3(signature = (files, first, end, number, folder, format, alpha))]
    fn reduce(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = crate::list::list)] files: Vec<PathBuf>,
        first: u32,
        end: u32,
        number: usize,
        folder: PathBuf,
        format: &str,
        alpha: f64,
    ) -> PyResult<String> {
        let format: PairFormat = word("format", format)?;
        let (network, nodes) = (&self.ready.network, self.ready.nodes.as_deref());
        let name = |v: u32| nodes.map_or(v, |nodes| nodes[v as usize]);
        let ids: &NodeIds = self.whole.ids();
        let mut edges = 0u64;
        let part: PairPart = long(py, None, None, |_| {
            let rows = merged_sums(&opened(&files)?, first..end)?.map(|pair| {
                let pair = pair?;
                edges += u64::from(network.weight(pair.u as usize, pair.v as usize) != 0.0);
                Ok((name(pair.u), name(pair.v), pair.shrunk(alpha), pair.count))
            });
            PartsFolder::write_part(&folder, number, rows, format, ids, None)
        })?;
        Ok(json!({ "part": part, "edges": edges }).to_string())
    }

    /// The sums and counts of pairs, of those that files hold.
    fn totals<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = crate::list::list)] files: Vec<PathBuf>,
        u: PyReadonlyArray1<'_, u32>,
        v: PyReadonlyArray1<'_, u32>,
    ) -> PyResult<Totals<'py>> {
        let pairs = pairs_of(&u, &v, self.whole.nodes())?;
        let (network, nodes) = (&self.ready.network, self.whole.nodes());
        let (sums, counts): (Vec<f64>, Vec<u64>) = short(py, || {
            let inside = ComponentPairs::new(self.ready.nodes.as_deref(), nodes);
            let key = |(u, v): (u32, u32)| {
                if network.is_directed() || u <= v { (u, v) } else { (v, u) }
            };
            let keys: Vec<Option<(u32, u32)>> =
                pairs.iter().map(|&pair| inside.pair(pair).map(key)).collect();
            let mut order: Vec<u32> = (0..keys.len() as u32).collect();
            order.sort_unstable_by_key(|&at| keys[at as usize]);
            let (mut sums, mut counts) = (vec![0.0; keys.len()], vec![0; keys.len()]);
            let mut at = 0;
            for pair in merged_sums(&opened(&files)?, 0..network.nodes() as u32)? {
                let pair = pair?;
                let here = Some((pair.u, pair.v));
                while order.get(at).is_some_and(|&row| keys[row as usize] < here) {
                    at += 1;
                }
                // A pair that was asked for twice has two rows.
                while let Some(&row) = order.get(at).filter(|&&row| keys[row as usize] == here) {
                    (sums[row as usize], counts[row as usize]) = (pair.sum, pair.count);
                    at += 1;
                }
            }
            Ok((sums, counts))
        })?;
        Ok((sums.into_pyarray(py), counts.into_pyarray(py)))
    }
}

/// Edges among pairs, each once, however often and in whichever direction it is asked for.
fn edges_among(network: &ergodict::data::Network, pairs: &[(u32, u32)]) -> u64 {
    let ordered = |&(u, v): &(u32, u32)| if network.is_directed() { (u, v) } else { (u.min(v), u.max(v)) };
    let mut pairs: Vec<(u32, u32)> = pairs.iter().map(ordered).collect();
    pairs.sort_unstable();
    pairs.dedup();
    pairs.iter().filter(|&&(u, v)| network.weight(u as usize, v as usize) != 0.0).count() as u64
}

fn opened(files: &[PathBuf]) -> Result<Vec<SortedSums>> {
    files.iter().map(|file| SortedSums::open(file)).collect()
}

/// The next share of a chain, from what came of the one before.
#[pyfunction]
#[pyo3(signature = (model, plan, chain, samples, before=None))]
pub(crate) fn share_task<'py>(
    py: Python<'py>,
    model: PyRef<'_, NetworkModel>,
    plan: Rebuilding,
    chain: u64,
    samples: u64,
    before: Option<&[u8]>,
) -> PyResult<Bound<'py, PyBytes>> {
    let before = before.map(ShareOutcome::from_bytes).transpose().map_err(to_py_err)?;
    let parameters = ReconstructionSettings {
        mode: word("mode", &plan.mode)?,
        lambda: plan.lambda,
        reversal: plan.reversal,
        memory: usize::try_from(plan.memory).unwrap_or(usize::MAX),
        ..ReconstructionSettings::default()
    };
    parameters.check().map_err(to_py_err)?;
    let w = model.model.w.clone();
    let arithmetic = ShareTask::arithmetic_here(&w, &parameters).map_err(to_py_err)?;
    let task = ShareTask {
        chain,
        block: before.as_ref().map_or(0, |before| before.block + 1),
        point: before.map(|before| before.point),
        samples,
        seed: plan.seed,
        burn_in: plan.burn_in,
        every: plan.every,
        parameters,
        w,
        arithmetic,
    };
    Ok(PyBytes::new(py, &task.to_bytes().map_err(to_py_err)?))
}

/// What came of a share: chain, block, codes that met their cap, and pairs in the file.
#[pyfunction]
pub(crate) fn share_outcome(outcome: &[u8]) -> PyResult<(u64, u64, u64, u64)> {
    let outcome = ShareOutcome::from_bytes(outcome).map_err(to_py_err)?;
    Ok((outcome.chain, outcome.block, outcome.capped, outcome.pairs))
}

/// The homomorphisms of a chain among the first `samples` of all.
#[pyfunction]
pub(crate) fn share_of(samples: u64, chain: u64, chains: u64) -> PyResult<u64> {
    if chains == 0 || chain >= chains {
        return Err(PyValueError::new_err(format!("chain is {chain}, but there are {chains} chains")));
    }
    Ok(ergodict::reconstruct::network::share_of(samples, chain, chains))
}

/// The motif of a model, which `k` must not contradict.
#[pyfunction]
pub(crate) fn model_motif(
    model: PyRef<'_, NetworkModel>,
    sampling: Sampling,
) -> PyResult<(usize, Vec<(u32, u32)>)> {
    let motif = same_motif(&model, &sampling)?;
    Ok((motif.k(), motif.edges().to_vec()))
}

/// A folder of parts under way: it has its name when all is there.
#[pyclass(module = "ergodict._ergodict")]
pub(crate) struct Parts {
    folder: Option<PartsFolder>,
}

#[pymethods]
impl Parts {
    #[new]
    fn new(path: PathBuf) -> PyResult<Self> {
        Ok(Self { folder: Some(PartsFolder::create(&path).map_err(to_py_err)?) })
    }

    /// Whether there can be such a folder.
    #[staticmethod]
    fn check(path: PathBuf) -> PyResult<()> {
        PartsFolder::check(&path).map_err(to_py_err)
    }

    /// Where parts are until all are there.
    #[getter]
    fn path(&self) -> PyResult<PathBuf> {
        Ok(self.there()?.path().to_owned())
    }

    /// Ranges of first nodes for at most `parts` parts, each with about as many records of the files.
    #[staticmethod]
    fn ranges(
        py: Python<'_>,
        #[pyo3(from_py_with = crate::list::list)] files: Vec<PathBuf>,
        parts: usize,
    ) -> PyResult<Vec<(u32, u32)>> {
        let ranges = short(py, || source_ranges(&opened(&files)?, parts))?;
        Ok(ranges.into_iter().map(|range| (range.start, range.end)).collect())
    }

    /// Lists the parts that `reduce` described, and gives the folder its name. `made` says how, as JSON.
    fn finish(
        &mut self,
        #[pyo3(from_py_with = crate::list::list)] records: Vec<String>,
        format: &str,
        made: &str,
    ) -> PyResult<()> {
        let damaged =
            |problem: serde_json::Error| PyValueError::new_err(format!("the record of a part: {problem}"));
        let part = |record: &String| -> PyResult<PairPart> {
            let record: Value = serde_json::from_str(record).map_err(damaged)?;
            serde_json::from_value(record["part"].clone()).map_err(damaged)
        };
        let parts = records.iter().map(part).collect::<PyResult<Vec<_>>>()?;
        let (format, made): (PairFormat, Value) =
            (word("format", format)?, serde_json::from_str(made).map_err(damaged)?);
        self.there()?;
        match self.folder.take() {
            Some(folder) => folder.finish(&parts, format, Some(&made)).map_err(to_py_err),
            None => Ok(()),
        }
    }
}

impl Parts {
    fn there(&self) -> PyResult<&PartsFolder> {
        self.folder.as_ref().ok_or_else(|| PyValueError::new_err("the folder is finished"))
    }
}
