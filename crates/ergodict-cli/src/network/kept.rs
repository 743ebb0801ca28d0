//! What the model of a network keeps for its page: the networks, how the chain mixed, and examples of each atom.

use crate::watched::Mixed;
use ergodict::data::Network;
use ergodict::dictionary::{Example, Examples, Model};
use ergodict::factor::Factoriser;
use ergodict::linalg::Scalar;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::source::Drawn;

/// All of it. What older models do not have is empty.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Kept {
    #[serde(default)]
    pub(crate) networks: Vec<KeptNetwork>,
    #[serde(default)]
    pub(crate) chain: Option<KeptChain>,
    /// Of each atom, in the order of the columns of W.
    #[serde(default)]
    pub(crate) examples: Vec<Vec<KeptExample>>,
}

/// A network that was learned from: of the part that homomorphisms went into.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct KeptNetwork {
    pub(crate) name: String,
    pub(crate) nodes: u64,
    pub(crate) edges: u64,
    pub(crate) directed: bool,
    pub(crate) weighted: bool,
    /// Smallest and largest degree of each bin, and its nodes.
    pub(crate) degrees: Vec<(u64, u64, u64)>,
}

/// How homomorphisms were drawn.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct KeptChain {
    pub(crate) sampler: String,
    /// Whether each was drawn independently of the others.
    pub(crate) independent: bool,
    /// The share of proposals that was accepted, for samplers that make any.
    pub(crate) acceptance: Option<f64>,
    /// Chains of snapshots that went on into the next, and that started again.
    pub(crate) went_on: u64,
    pub(crate) restarted: u64,
    pub(crate) mixing: Vec<Mixed>,
    /// All homomorphisms, where none was drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) all: Option<u64>,
}

/// A subgraph that an atom makes much of.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct KeptExample {
    /// By its place among the networks.
    pub(crate) network: usize,
    /// Names of the nodes, in the order of the motif.
    pub(crate) nodes: Vec<String>,
    /// Row and column of the entries of the patch that are not 0. Of symmetric patches those with row ≤ column.
    pub(crate) entries: Vec<(usize, usize)>,
    /// Their values; empty where all are 1.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) values: Vec<f64>,
    pub(crate) share: f64,
}

impl KeptNetwork {
    pub(super) fn of(name: &str, network: &Network) -> Self {
        let bins = network.degree_histogram();
        Self {
            name: name.to_owned(),
            nodes: network.nodes() as u64,
            edges: network.edges(),
            directed: network.is_directed(),
            weighted: network.is_weighted(),
            degrees: bins.iter().map(|bin| (bin.from, bin.to, bin.nodes)).collect(),
        }
    }
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
    pub(crate) fn patch(&self, directed: bool) -> Vec<f64> {
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
    pub(crate) fn of(model: &Model) -> Self {
        let value = |key: &str| model.run.get(key).cloned().unwrap_or(Value::Null);
        // Each on its own: a part that a later version writes otherwise does not take the others with it.
        Self {
            networks: serde_json::from_value(value("networks")).unwrap_or_default(),
            chain: serde_json::from_value(value("chain")).unwrap_or_default(),
            examples: serde_json::from_value(value("examples")).unwrap_or_default(),
        }
    }

    /// Writes it into a model.
    pub(super) fn put(&self, model: &mut Model) {
        model.run["networks"] = json!(self.networks);
        model.run["chain"] = json!(self.chain);
        if !self.examples.is_empty() {
            model.run["examples"] = json!(self.examples);
        }
    }
}

/// Examples of each atom of a model; none when they are not asked for.
pub(super) fn examples<T: Scalar>(
    search: &Examples,
    model: &Model,
    drawn: &[Drawn],
) -> ergodict::Result<Vec<Vec<KeptExample>>> {
    if search.each == 0 {
        return Ok(Vec::new());
    }
    let mut factoriser: Factoriser<T> = model.factoriser()?;
    let found = search.find(&mut factoriser, drawn, model.seed)?;
    let kept = |example: &Example| KeptExample::of(example, &drawn[example.network].0);
    Ok(found.iter().map(|examples| examples.iter().map(kept).collect()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

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
