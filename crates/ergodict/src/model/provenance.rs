//! Where a model comes from: what learned with which settings and results, from which networks, with examples of each atom.

use super::{Example, Examples, Explained, Model};
use crate::Result;
use crate::chain::SampledNetwork;
use crate::chain::{MixingReport, MotifWalker};
use crate::data::Network;
use crate::factor::Factorizer;
use crate::linalg::Scalar;
use crate::rng::ids;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::sync::Arc;

/// Where a model comes from. What older models do not have is empty.
///
/// ```
/// use ergodict::{model::{Provenance, ChainReport, Model}, factor::{Factorizer, FactorSettings}};
/// let mut model = Model::from_factorizer(&Factorizer::<f64>::random(FactorSettings::new(2), 9, 0)?, "network", 0);
/// let chain = ChainReport { sampler: "exact".to_owned(), independent: true, ..ChainReport::default() };
/// model.provenance = Provenance { command: "network learn".to_owned(), chain: Some(chain), ..Provenance::default() };
/// let value = serde_json::to_value(&model.provenance).unwrap();
/// assert!(value["command"] == "network learn" && Provenance::from(value) == model.provenance);
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(from = "Value")]
pub struct Provenance {
    /// What learned: a command, such as `network learn`, or a function.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub command: String,
    /// Every setting that has a say in the result.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub config: Map<String, Value>,
    /// What the run came to; none in checkpoints.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub results: Option<Results>,
    /// Rows and columns of an atom that is drawn as a picture, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shape: Option<(usize, usize)>,
    /// Methods of the Python package that learned, in their order, where it was not one whole `fit`; `config` then has the parameters of the estimator.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub python: Option<String>,
    /// Epochs of the last `fit` of the Python package, where it was interrupted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completed_epochs: Option<u64>,
    /// Networks that were learned from.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub networks: Vec<NetworkReport>,
    /// How the chains moved and mixed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chain: Option<ChainReport>,
    /// Subgraphs that each atom makes the largest share of, the largest first, in the order of the columns of W.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<Vec<AtomExample>>,
    /// Whatever else a file has.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

impl From<Value> for Provenance {
    fn from(value: Value) -> Self {
        /// Each on its own: a part that a later version writes otherwise stays as it is, and does not take the others with it.
        fn part<T: DeserializeOwned + Default>(more: &mut Map<String, Value>, key: &str) -> T {
            let Some(found) = more.get(key).and_then(|value| T::deserialize(value).ok()) else {
                return T::default();
            };
            more.remove(key);
            found
        }
        let mut more = match value {
            Value::Object(parts) => parts,
            _ => Map::new(),
        };
        Self {
            command: part(&mut more, "command"),
            config: part(&mut more, "config"),
            results: part(&mut more, "results"),
            shape: part(&mut more, "shape"),
            python: part(&mut more, "python"),
            completed_epochs: part(&mut more, "completed_epochs"),
            networks: part(&mut more, "networks"),
            chain: part(&mut more, "chain"),
            examples: part(&mut more, "examples"),
            more,
        }
    }
}

/// What a run came to. The same run gives the same results, so they are kept in the model.
///
/// ```
/// use ergodict::{factor::FactorSettings, linalg::Mat, run::{Form, Run, RunPlan}};
/// let x = Mat::from_fn(3, 8, |i, j| (1 + i * j % 5) as f64);
/// let form = Form::Samples { features: 3, names: None };
/// let mut run = Run::<f64>::pushed(RunPlan::new("factor", FactorSettings::new(2), 0), form, None)?;
/// run.push((&x).into(), None)?;
/// let results = run.results()?;
/// assert!(results.surrogate_per_sample <= results.loss_per_sample && results.held_out_loss_per_sample.is_none());
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Results {
    /// Loss of the last minibatch under the dictionary before its update, per sample.
    pub loss_per_sample: f64,
    /// `f̂_t(W_t)` at the end, divided by the mean width of a minibatch, weighted as `f̂_t` weights them.
    pub surrogate_per_sample: f64,
    /// Samples that were held out, and not learned from.
    pub held_out_samples: u64,
    /// Loss of the held-out samples, if there are any.
    pub held_out_loss_per_sample: Option<f64>,
    /// Share `1 − ‖X − WH‖²/‖X‖²` that the atoms explain, with codes as in learning (λ included): of a matrix that was learned from in several
    /// epochs, or of newly drawn patches of the same images; `null` for networks, whose shares are those of `networks`, for spins, and after a single epoch.
    pub explained: Option<f64>,
    /// The same for the mean sample, or patch, of norm 1 as the only atom.
    pub explained_by_mean: Option<f64>,
    /// `‖W − Π(W − ∇g(W)/2λ_max(A))‖ / ‖W‖`, zero where the surrogate is minimal.
    pub stationarity_gap: f64,
    /// Smallest eigenvalue of `A`; none above 2048 atoms.
    pub smallest_eigenvalue: Option<f64>,
    /// Atoms that no code has used.
    pub unused_atoms: usize,
    /// Steps in which coding met its cap before its tolerance.
    pub capped_code_steps: u64,
    /// Steps in which the dictionary update met its cap of several sweeps before its tolerance.
    pub capped_update_steps: u64,
    /// How often an atom was replaced.
    pub reseeded: u64,
}

/// A network that was learned from: of the part that homomorphisms went into.
///
/// ```
/// use ergodict::chain::{ExactSampler, Motif};
/// use ergodict::{model::{Examples, NetworkReport}, chain::SampledNetwork};
/// let karate = std::sync::Arc::new(ergodict::data::embedded("karate")?);
/// let drawn: SampledNetwork = (karate.clone(), std::sync::Arc::new(ExactSampler::new(karate, &Motif::path(5)?)?));
/// let kept = NetworkReport::from_network("karate", &drawn, &Examples::default(), 0)?;
/// assert!(kept.edges == 78 && kept.effective_nodes.is_some_and(|nodes| nodes < 20.0)); // hubs take more than their part
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct NetworkReport {
    /// Name of the network.
    pub name: String,
    /// Nodes of the sampled part.
    pub nodes: u64,
    /// Its edges.
    pub edges: u64,
    /// Whether edges have directions.
    pub directed: bool,
    /// Whether edges have weights.
    pub weighted: bool,
    /// Whether it is bipartite and has cycles, so that its rewired copies are bipartite as well; omitted if not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub bipartite: bool,
    /// Smallest degree, largest degree and number of nodes of each bin.
    pub degrees: Vec<(u64, u64, u64)>,
    /// Nodes that walks cover, as if all were visited equally often: `1/Σp²`, with `p` the share of walk positions on each node. From 2000 walks.
    #[serde(default)]
    pub effective_nodes: Option<f64>,
    /// Explained share of fresh walks; only without `--snapshots` and `--timestamps`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explained: Option<Explained>,
}

/// How the chains moved and mixed.
///
/// ```
/// use ergodict::model::ChainReport;
/// let chain = ChainReport { sampler: "pivot".to_owned(), acceptance: Some(0.7), ..ChainReport::default() };
/// assert!(!chain.independent && chain.mixing.is_empty());
/// ```
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ChainReport {
    /// Sampler of the motif; empty for lattices.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub sampler: String,
    /// Whether motif samples are independent of each other.
    pub independent: bool,
    /// Share of proposals that was accepted, for samplers that make any.
    pub acceptance: Option<f64>,
    /// Chains of snapshots that continued in the next.
    pub continued: u64,
    /// Chains of snapshots that started again.
    pub restarted: u64,
    /// How well the chains mixed, one for each observable and network.
    pub mixing: Vec<MixingReport>,
    /// Number of all motif samples, where none was drawn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub all: Option<u64>,
    /// Minibatches along the chains.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minibatches: Option<u64>,
    /// Independent minibatches that these are worth: their number over the autocorrelation time in minibatches, the longest of all observables (of
    /// lattices those that change); none where that is not known, for independent draws, and for windows of time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effective_minibatches: Option<f64>,
}

impl ChainReport {
    /// The same with the effective number of `minibatches` along the chains.
    pub(crate) fn with_minibatches(mut self, minibatches: u64) -> Self {
        if self.independent || self.mixing.is_empty() {
            return self;
        }
        self.minibatches = Some(minibatches);
        // On a lattice, what is conserved is no sign of memory.
        let judged = self.mixing.iter().filter(|one| !self.sampler.is_empty() || !one.constant);
        let worth = judged.map(|one| one.effective_minibatches(minibatches));
        self.effective_minibatches = worth.reduce(|a, b| a?.min(b?).into()).flatten();
        self
    }

    /// In words: `100 minibatches are worth 37 independent ones`; none where there is no chain that makes them dependent.
    pub fn minibatch_words(&self) -> Option<String> {
        let made = self.minibatches?;
        Some(match self.effective_minibatches.map(|worth| worth.max(1.0).floor()) {
            Some(1.0) => format!("{made} minibatches are worth 1 independent one"),
            Some(worth) => format!("{made} minibatches are worth {worth} independent ones"),
            None => format!("how many independent ones {made} minibatches are worth is not known"),
        })
    }
}

/// A subgraph that an atom makes much of.
///
/// ```
/// use ergodict::model::AtomExample;
/// let nodes = vec!["Ulm".to_owned(), "Bonn".to_owned()];
/// let example = AtomExample { network: 0, nodes, entries: vec![(0, 1)], values: vec![], share: 0.9 };
/// assert_eq!(example.patch(false), [0.0, 1.0, 1.0, 0.0]);
/// ```
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct AtomExample {
    /// Index of the network in the list.
    pub network: usize,
    /// Names of the nodes, in the order of the motif.
    pub nodes: Vec<String>,
    /// Row and column of the entries of the patch that are not 0. Of symmetric patches those with row ≤ column.
    pub entries: Vec<(usize, usize)>,
    /// Their values; empty where all are 1.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<f64>,
    /// Share of the patch that the atom makes: H_k ⟨W_k, WH⟩ / ‖X‖² with X the patch and H its code.
    pub share: f64,
}

impl NetworkReport {
    /// Of a network; some homomorphisms are drawn to see how far they reach.
    ///
    /// # Errors
    /// As [`MotifWalker::new`].
    pub fn from_network(name: &str, drawn: &SampledNetwork, search: &Examples, seed: u64) -> Result<Self> {
        let network = &drawn.0;
        let bins = network.degree_histogram();
        Ok(Self {
            name: name.to_owned(),
            nodes: network.nodes() as u64,
            edges: network.edges(),
            directed: network.is_directed(),
            weighted: network.is_weighted(),
            bipartite: network.is_two_sided(),
            degrees: bins.iter().map(|bin| (bin.from, bin.to, bin.nodes)).collect(),
            effective_nodes: Some(effective_nodes(drawn, search, seed)?),
            explained: None,
        })
    }

    /// Whether walks see so little of the network that what they show need not hold for it.
    pub fn is_hardly_seen(&self) -> bool {
        self.effective_nodes.is_some_and(|nodes| nodes * FEW < self.nodes as f64)
    }
}

/// Homomorphisms that are drawn to see how far they reach.
const LOOKED_AT: usize = 2000;

/// With effective nodes fewer than one in this number, most of the network is hardly seen.
const FEW: f64 = 20.0;

/// `1/Σp²`, at most the number of nodes. `Σp²` is the chance that positions of two different walks are on the same node, which is
/// counted: positions of one walk are not independent of each other.
fn effective_nodes((network, sampler): &SampledNetwork, search: &Examples, seed: u64) -> Result<f64> {
    let k = sampler.motif().k();
    let mut xs = vec![0; LOOKED_AT * k];
    MotifWalker::new(Arc::clone(sampler), seed, ids::EXAMPLES, search.burn_in, search.every)?.fill(&mut xs);
    // Positions by node, then by walk.
    let mut positions: Vec<(u32, usize)> = xs.iter().enumerate().map(|(at, &v)| (v, at / k)).collect();
    positions.sort_unstable();
    let squares = |same: &[(u32, usize)]| (same.len() as f64).powi(2);
    let all: f64 = positions.chunk_by(|a, b| a.0 == b.0).map(squares).sum();
    let within: f64 = positions.chunk_by(|a, b| a == b).map(squares).sum();
    let pairs = (LOOKED_AT * (LOOKED_AT - 1) * k * k) as f64;
    let nodes = network.nodes() as f64;
    Ok(if all > within { (pairs / (all - within)).min(nodes) } else { nodes })
}

impl AtomExample {
    fn from_example(example: &Example, network: &Network) -> Self {
        let k = example.nodes.len();
        let symmetric = !network.is_directed();
        let kept = |at: &usize| example.patch[*at] != 0.0 && (at / k <= at % k || !symmetric);
        let places: Vec<usize> = (0..k * k).filter(kept).collect();
        let values: Vec<f64> = places.iter().map(|at| example.patch[*at]).collect();
        Self {
            network: example.network,
            nodes: example.nodes.iter().map(|&v| network.ids().name(v as usize).into_owned()).collect(),
            entries: places.iter().map(|at| (at / k, at % k)).collect(),
            values: if values.iter().all(|value| *value == 1.0) { Vec::new() } else { values },
            share: (example.share * 1e6).round() / 1e6,
        }
    }

    /// The patch, row by row.
    pub fn patch(&self, directed: bool) -> Vec<f64> {
        let k = self.nodes.len();
        let mut patch = vec![0.0; k * k];
        let values = self.values.iter().copied().chain(std::iter::repeat(1.0));
        for (&(a, b), value) in self.entries.iter().zip(values).filter(|((a, b), _)| *a < k && *b < k) {
            patch[a * k + b] = value;
            if !directed {
                patch[b * k + a] = value;
            }
        }
        patch
    }
}

impl Examples {
    /// Examples of each atom of a model, as the model keeps them; none when they are not asked for.
    ///
    /// # Errors
    /// Those of [`Model::factorizer`] and [`Examples::find`].
    pub(crate) fn kept<T: Scalar>(
        &self,
        model: &Model,
        drawn: &[SampledNetwork],
    ) -> Result<Vec<Vec<AtomExample>>> {
        if self.each == 0 {
            return Ok(Vec::new());
        }
        let mut factorizer: Factorizer<T> = model.factorizer()?;
        let found = self.find(&mut factorizer, drawn, model.seed)?;
        let kept = |example: &Example| AtomExample::from_example(example, &drawn[example.network].0);
        Ok(found.iter().map(|examples| examples.iter().map(kept).collect()).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn effective_nodes_of_rings_stars_and_cores_are_those_of_their_walks() {
        use crate::chain::{Motif, SamplerBuilder, SamplerKind};
        let report = |nodes: usize, edges: &[(u32, u32)], kind| {
            let network = Arc::new(Network::simple(nodes, edges).unwrap());
            let motif = Motif::path(4).unwrap();
            let sampler = SamplerBuilder::default().build(kind, &network, &motif, 0).unwrap();
            NetworkReport::from_network("it", &(network, sampler), &Examples::default(), 0).unwrap()
        };
        // On a ring every node has the same share.
        let ring: Vec<(u32, u32)> = (0..40).map(|v| (v, (v + 1) % 40)).collect();
        let found = report(40, &ring, SamplerKind::Walk).effective_nodes.unwrap();
        assert!((38.0..=40.0).contains(&found), "{found}");
        // Every other position of a walk on a star is the hub: Σp² = 1/4 + 39·(1/2/39)².
        let star: Vec<(u32, u32)> = (1..40).map(|v| (0, v)).collect();
        let found = report(40, &star, SamplerKind::Exact).effective_nodes.unwrap();
        let expected = 1.0 / (0.25 + 0.25 / 39.0);
        assert!((found - expected).abs() < 0.03 * expected, "{found} {expected}");
        // Exact draws crowd into a clique that hangs on a long path; walks start anywhere.
        let mut core: Vec<(u32, u32)> = (0..10).flat_map(|u| (0..u).map(move |v| (u, v))).collect();
        core.extend((10..400).map(|v| (v - 1, v)));
        let (exact, walk) = (report(400, &core, SamplerKind::Exact), report(400, &core, SamplerKind::Walk));
        assert!(exact.is_hardly_seen() && !walk.is_hardly_seen(), "{exact:?} {walk:?}");
    }

    #[test]
    fn patches_come_back_from_what_is_kept() {
        let example = |entries: &[(usize, usize)], values: &[f64]| AtomExample {
            network: 0,
            nodes: ["a", "b", "c"].map(str::to_owned).to_vec(),
            entries: entries.to_vec(),
            values: values.to_vec(),
            share: 0.5,
        };
        let both = example(&[(0, 1), (1, 2), (2, 2)], &[2.0, 1.0, 3.0]);
        assert_eq!(both.patch(false), [0.0, 2.0, 0.0, 2.0, 0.0, 1.0, 0.0, 1.0, 3.0]);
        assert_eq!(both.patch(true), [0.0, 2.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 3.0]);
        assert_eq!(example(&[(0, 2)], &[]).patch(true), [0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        // Places that are none are left out, as a file may say anything.
        assert_eq!(example(&[(7, 1)], &[]).patch(false), [0.0; 9]);
    }
}
