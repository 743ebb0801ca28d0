//! What the arguments of Python say of motifs and samplers, and the samplers they come to on networks.

use crate::error::{keyword, raised};
use crate::network::Network;
use crate::scheme::settings;
use ergodict::chain::{Component, Motif, SampledNetwork, SamplerKind, SamplingSettings, Use};
use ergodict::patch::BatchPlan;
use ergodict::{Error, Result};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::Arc;

/// Settings of motif and sampler, and the edges of the motif where they are given.
#[derive(Clone)]
pub(crate) struct Sampling {
    pub(crate) settings: SamplingSettings,
    pub(crate) edges: Option<Vec<(u32, u32)>>,
}

impl<'py> FromPyObject<'_, 'py> for Sampling {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let given = given.cast::<PyDict>()?;
        if let Some(sampler) = given.get_item("sampler")?.filter(|sampler| !sampler.is_none()) {
            sampler.extract::<String>()?.parse::<SamplerKind>().map_err(raised)?;
        }
        let edges = given.get_item("edges")?;
        let edges = edges.map(|edges| crate::list::maybe_list(&edges)).transpose()?.flatten();
        Ok(Self { settings: settings(&given, "edges")?, edges })
    }
}

/// A network that is ready to be drawn from.
pub(crate) struct Ready {
    pub(crate) drawn: SampledNetwork,
    pub(crate) kind: SamplerKind,
    /// The nodes that are drawn from, by their numbers in the whole network; none where these are all.
    pub(crate) nodes: Option<Vec<u32>>,
    /// What there is to say.
    pub(crate) notes: Vec<String>,
}

/// An error in a network, by the name that the network has.
pub(crate) fn placed(name: &str, error: Error) -> PyErr {
    match error {
        Error::Interrupted | Error::Io { .. } | Error::Memory { .. } => raised(error),
        other => PyValueError::new_err(format!("{name}: {}", other.spelled(&keyword))),
    }
}

/// A motif that was given by its edges: the shape that has just these, else the edges, which the command line refuses where it would have to
/// guess the motif.
fn in_words(motif: &Motif) -> String {
    let (k, edges) = (motif.k(), motif.edges());
    // A complete graph is large: none is made to be compared with a few edges.
    let complete = edges.len() == k * k.saturating_sub(1) / 2;
    let same = |name: &&str| {
        (*name != "complete" || complete)
            && Motif::named_shape(name, k).is_ok_and(|shape| shape.edges() == edges)
    };
    if let Some(name) = Motif::SHAPES.iter().copied().find(same) {
        return name.to_owned();
    }
    let edges: Vec<String> = edges.iter().map(|(i, j)| format!("{i}-{j}")).collect();
    format!("the edges {} without a file", edges.join(" "))
}

impl Sampling {
    /// The motif.
    pub(crate) fn motif(&self) -> PyResult<Motif> {
        let SamplingSettings { k, .. } = self.settings;
        if let Some(edges) = &self.edges {
            let most = edges.iter().map(|&(a, b)| a.max(b) as usize + 1).max().unwrap_or(0);
            return Motif::new(k.unwrap_or(most), edges.clone()).map_err(raised);
        }
        let of_file = self.settings.motif_file().is_some();
        let settings = SamplingSettings { k: k.filter(|_| !of_file), ..self.settings.clone() };
        let motif = settings.motif().map_err(raised)?;
        match k.filter(|k| *k != motif.k()) {
            Some(k) => Err(PyValueError::new_err(format!(
                "k is {k}, but the motif {} has {} nodes: leave k out",
                settings.motif_name(),
                motif.k()
            ))),
            None => Ok(motif),
        }
    }

    /// The settings that were used. Edges that a program gave are told in words, which `--config` refuses.
    pub(crate) fn config(&self, motif: &Motif, kind: SamplerKind) -> SamplingSettings {
        let mut settings = self.settings.clone();
        if self.edges.is_some() {
            settings.motif = Some(in_words(motif));
        }
        settings.record(motif, kind);
        settings
    }

    /// How chains are watched.
    pub(crate) fn watching(&self, batch: usize) -> BatchPlan {
        let SamplingSettings { burn_in, every, .. } = self.settings;
        BatchPlan { batch, chains: self.chains(), burn_in, every, memory: None }
    }

    /// Independent chains.
    pub(crate) fn chains(&self) -> usize {
        usize::try_from(self.settings.chains()).unwrap_or(usize::MAX)
    }

    /// The sampler on a network: this one, or the one that is asked for.
    pub(crate) fn choose(
        &self,
        network: &Arc<ergodict::data::Network>,
        motif: &Motif,
        usage: Use,
        kind: Option<SamplerKind>,
        seed: u64,
    ) -> Result<Ready> {
        let settings = SamplingSettings { sampler: kind.or(self.settings.sampler), ..self.settings.clone() };
        let parts = (settings.component == Component::Largest).then(|| network.components());
        let parts = parts.filter(|parts| parts.sizes.len() > 1);
        let (mut notes, mut nodes, mut sampled) = (Vec::new(), None, Arc::clone(network));
        if let Some(parts) = parts {
            let inside = parts.nodes(0);
            let largest = network.part_alike(&inside)?;
            notes.push(format!(
                "the largest of {} components is sampled: {} of {} nodes, {} of {} edges (component=\"all\" takes all)",
                parts.sizes.len(),
                largest.nodes(),
                network.nodes(),
                largest.edges(),
                network.edges()
            ));
            (nodes, sampled) = (Some(inside), Arc::new(largest));
        }
        let chosen = settings.choose_in(usage, sampled, motif, seed)?;
        notes.extend(chosen.notes.iter().map(|note| note.spelled(&keyword)));
        Ok(Ready { drawn: (chosen.network, chosen.sampler), kind: chosen.kind, nodes, notes })
    }

    /// Samplers on several networks, of the same kind on all.
    pub(crate) fn choose_all(
        &self,
        networks: &[Arc<ergodict::data::Network>],
        names: &[String],
        motif: &Motif,
        usage: Use,
        seed: u64,
    ) -> PyResult<Vec<Ready>> {
        let mut all: Vec<Ready> = Vec::with_capacity(networks.len());
        for (network, name) in networks.iter().zip(names) {
            let ready =
                self.choose(network, motif, usage, None, seed).map_err(|error| placed(name, error))?;
            if let Some(first) = all.first().filter(|first| first.kind != ready.kind) {
                return Err(PyValueError::new_err(format!(
                    "{name}: {} would be used here and {} before: say one sampler for all networks",
                    ready.kind, first.kind
                )));
            }
            all.push(ready);
        }
        if all.is_empty() {
            return Err(PyValueError::new_err("no network is given"));
        }
        Ok(all)
    }
}

/// The networks themselves.
pub(crate) fn inner(networks: &[PyRef<'_, Network>]) -> Vec<Arc<ergodict::data::Network>> {
    networks.iter().map(|network| Arc::clone(&network.inner)).collect()
}
