//! What the model of a network keeps for its page: the networks, how the chain mixed, and examples of each atom.

use super::{Drawn, Example, Examples, Model};
use crate::Result;
use crate::chain::rng::ids;
use crate::chain::{Mixed, MotifWalker};
use crate::data::Network;
use crate::factor::Factoriser;
use crate::linalg::Scalar;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::Arc;

/// All of it. What older models do not have is empty.
///
/// ```
/// use ergodict::{dictionary::{Kept, KeptChain, Model}, factor::{Factoriser, Parameters}};
/// let mut model = Model::of(&Factoriser::<f64>::random(Parameters::new(2), 9, 0)?, "network", 0);
/// let chain = KeptChain { sampler: "exact".to_owned(), independent: true, ..KeptChain::default() };
/// Kept { chain: Some(chain), ..Kept::default() }.put(&mut model);
/// assert!(Kept::of(&model).chain.is_some_and(|chain| chain.independent));
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Kept {
    /// Those that were learned from.
    #[serde(default)]
    pub networks: Vec<KeptNetwork>,
    /// How homomorphisms were drawn.
    #[serde(default)]
    pub chain: Option<KeptChain>,
    /// Of each atom, in the order of the columns of W.
    #[serde(default)]
    pub examples: Vec<Vec<KeptExample>>,
}

/// A network that was learned from: of the part that homomorphisms went into.
///
/// ```
/// use ergodict::chain::{ExactSampler, Motif};
/// use ergodict::dictionary::{Drawn, Examples, KeptNetwork};
/// let karate = std::sync::Arc::new(ergodict::data::embedded("karate")?);
/// let drawn: Drawn = (karate.clone(), std::sync::Arc::new(ExactSampler::new(karate, &Motif::chain(5)?)?));
/// let kept = KeptNetwork::of("karate", &drawn, &Examples::default(), 0)?;
/// assert!(kept.edges == 78 && kept.half.is_some_and(|half| half < 17)); // hubs take more than their part
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct KeptNetwork {
    /// What it is called.
    pub name: String,
    /// Number of nodes.
    pub nodes: u64,
    /// Number of edges.
    pub edges: u64,
    /// Whether edges have directions.
    pub directed: bool,
    /// Whether they have weights.
    pub weighted: bool,
    /// Smallest and largest degree of each bin, and its nodes.
    pub degrees: Vec<(u64, u64, u64)>,
    /// The fewest nodes that half of the places of homomorphisms are on; none in older models.
    #[serde(default)]
    pub half: Option<u64>,
}

/// How homomorphisms were drawn.
///
/// ```
/// use ergodict::dictionary::KeptChain;
/// let chain = KeptChain { sampler: "pivot".to_owned(), acceptance: Some(0.7), ..KeptChain::default() };
/// assert!(!chain.independent && chain.mixing.is_empty());
/// ```
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct KeptChain {
    /// By its name.
    pub sampler: String,
    /// Whether each was drawn independently of the others.
    pub independent: bool,
    /// The share of proposals that was accepted, for samplers that make any.
    pub acceptance: Option<f64>,
    /// Chains of snapshots that went on into the next, and that started again.
    pub went_on: u64,
    /// See above.
    pub restarted: u64,
    /// How well the chains mixed.
    pub mixing: Vec<Mixed>,
    /// All homomorphisms, where none was drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub all: Option<u64>,
}

/// A subgraph that an atom makes much of.
///
/// ```
/// use ergodict::dictionary::KeptExample;
/// let nodes = vec!["Ulm".to_owned(), "Bonn".to_owned()];
/// let example = KeptExample { network: 0, nodes, entries: vec![(0, 1)], values: vec![], share: 0.9 };
/// assert_eq!(example.patch(false), [0.0, 1.0, 1.0, 0.0]);
/// ```
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct KeptExample {
    /// By its place among the networks.
    pub network: usize,
    /// Names of the nodes, in the order of the motif.
    pub nodes: Vec<String>,
    /// Row and column of the entries of the patch that are not 0. Of symmetric patches those with row ≤ column.
    pub entries: Vec<(usize, usize)>,
    /// Their values; empty where all are 1.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<f64>,
    /// The atom's share of the patch.
    pub share: f64,
}

impl KeptNetwork {
    /// Of a network; some homomorphisms are drawn to see how far they reach.
    ///
    /// # Errors
    /// As [`MotifWalker::new`].
    pub fn of(name: &str, drawn: &Drawn, search: &Examples, seed: u64) -> Result<Self> {
        let network = &drawn.0;
        let bins = network.degree_histogram();
        Ok(Self {
            name: name.to_owned(),
            nodes: network.nodes() as u64,
            edges: network.edges(),
            directed: network.is_directed(),
            weighted: network.is_weighted(),
            degrees: bins.iter().map(|bin| (bin.from, bin.to, bin.nodes)).collect(),
            half: Some(half_of_places(drawn, search, seed)?),
        })
    }

    /// How far homomorphisms reach, in words.
    pub fn reach(&self) -> Option<String> {
        let half = self.half?;
        let few = if half * FEW < self.nodes { ": most of the network is hardly seen" } else { "" };
        Some(format!("half of all places of patches are on {half} of the {} nodes{few}", self.nodes))
    }
}

/// Homomorphisms that are drawn to see how far they reach.
const LOOKED_AT: usize = 2000;

/// With half of the places on less than one in so many nodes, most of the network is hardly seen.
const FEW: u64 = 20;

/// The fewest nodes that half of all places are on.
fn half_of_places((_, sampler): &Drawn, search: &Examples, seed: u64) -> Result<u64> {
    let mut xs = vec![0; LOOKED_AT * sampler.motif().k()];
    MotifWalker::new(Arc::clone(sampler), seed, ids::EXAMPLES, search.burn_in, search.every)?.fill(&mut xs);
    xs.sort_unstable();
    let mut visits: Vec<u64> = xs.chunk_by(|u, v| u == v).map(|same| same.len() as u64).collect();
    visits.sort_unstable_by(|a, b| b.cmp(a));
    let (mut sum, half) = (0, (xs.len() as u64).div_ceil(2));
    let needed = visits.iter().take_while(|visits| {
        let before = sum;
        sum += **visits;
        before < half
    });
    Ok(needed.count() as u64)
}

impl KeptExample {
    fn of(example: &Example, network: &Network) -> Self {
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

impl Kept {
    /// What a model keeps.
    pub fn of(model: &Model) -> Self {
        let value = |key: &str| model.run.get(key).cloned().unwrap_or(Value::Null);
        // Each on its own: a part that a later version writes otherwise does not take the others with it.
        Self {
            networks: serde_json::from_value(value("networks")).unwrap_or_default(),
            chain: serde_json::from_value(value("chain")).unwrap_or_default(),
            examples: serde_json::from_value(value("examples")).unwrap_or_default(),
        }
    }

    /// Writes it into a model.
    pub fn put(&self, model: &mut Model) {
        model.run["networks"] = json!(self.networks);
        model.run["chain"] = json!(self.chain);
        if !self.examples.is_empty() {
            model.run["examples"] = json!(self.examples);
        }
    }
}

impl Examples {
    /// Examples of each atom of a model, as the model keeps them; none when they are not asked for.
    ///
    /// # Errors
    /// Those of [`Model::factoriser`] and [`Examples::find`].
    pub fn kept<T: Scalar>(&self, model: &Model, drawn: &[Drawn]) -> Result<Vec<Vec<KeptExample>>> {
        if self.each == 0 {
            return Ok(Vec::new());
        }
        let mut factoriser: Factoriser<T> = model.factoriser()?;
        let found = self.find(&mut factoriser, drawn, model.seed)?;
        let kept = |example: &Example| KeptExample::of(example, &drawn[example.network].0);
        Ok(found.iter().map(|examples| examples.iter().map(kept).collect()).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_a_star_are_half_on_its_hub() {
        use crate::chain::{Motif, SamplerKind, Samplers};
        use crate::data::{Build, NodeIds};
        // Every other place of a walk on a star is the hub; on a ring all nodes are alike.
        let star: Vec<(u32, u32, f64)> = (1..40).map(|v| (0, v, 1.0)).collect();
        let ring: Vec<(u32, u32, f64)> = (0..40).map(|v| (v, (v + 1) % 40, 1.0)).collect();
        let half = |edges: &[(u32, u32, f64)]| {
            let network =
                Arc::new(Network::build(NodeIds::numbered(40), edges, false, Build::default()).unwrap().0);
            let motif = Motif::chain(4).unwrap();
            let sampler = Samplers::default().build(SamplerKind::Exact, &network, &motif, 0).unwrap();
            KeptNetwork::of("it", &(network, sampler), &Examples::default(), 0).unwrap()
        };
        let (star, ring) = (half(&star), half(&ring));
        assert_eq!(star.half, Some(1));
        assert!(star.reach().unwrap().ends_with("on 1 of the 40 nodes: most of the network is hardly seen"));
        assert!(
            (15..=20).contains(&ring.half.unwrap()) && ring.reach().unwrap().ends_with("of the 40 nodes")
        );
    }

    #[test]
    fn patches_come_back_from_what_is_kept() {
        let example = |entries: &[(usize, usize)], values: &[f64]| KeptExample {
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
