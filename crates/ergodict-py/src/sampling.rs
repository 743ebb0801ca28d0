//! What the arguments of Python say of motifs and samplers, and the samplers they come to on networks.

use crate::error::{keyword, to_py_err};
use crate::network::Network;
use crate::scheme::settings;
use ergodict::chain::{ChosenSampler, Motif, SampledNetwork, SamplerKind, SamplingSettings, Use};
use ergodict::{Error, Note, Result};
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
            sampler.extract::<String>()?.parse::<SamplerKind>().map_err(to_py_err)?;
        }
        let edges = given.get_item("edges")?;
        let edges = edges.map(|edges| crate::list::maybe_list(&edges)).transpose()?.flatten();
        Ok(Self { settings: settings(&given, &["edges"])?, edges })
    }
}

/// An error in a network, by the name that the network has.
pub(crate) fn in_network(name: &str, error: Error) -> PyErr {
    match error {
        Error::Interrupted | Error::Io { .. } | Error::Memory { .. } => to_py_err(error),
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
            return Motif::new(k.unwrap_or(most), edges.clone()).map_err(to_py_err);
        }
        let of_file = self.settings.motif_file().is_some();
        let settings = SamplingSettings { k: k.filter(|_| !of_file), ..self.settings.clone() };
        let motif = settings.motif().map_err(to_py_err)?;
        match k.filter(|k| *k != motif.k()) {
            Some(k) => Err(PyValueError::new_err(format!(
                "k is {k}, but the motif {} has {} nodes: leave k out",
                settings.motif_name(),
                motif.k()
            ))),
            None => Ok(motif),
        }
    }

    /// The settings that were used. Edges that a program gave are described in words, which `--config` refuses.
    pub(crate) fn config(&self, motif: &Motif, kind: SamplerKind) -> SamplingSettings {
        let mut settings = self.settings.clone();
        if self.edges.is_some() {
            settings.motif = Some(in_words(motif));
        }
        settings.record(motif, kind);
        settings
    }

    /// The sampler on a network.
    pub(crate) fn choose(
        &self,
        network: &Arc<ergodict::data::Network>,
        motif: &Motif,
        usage: Use,
        seed: u64,
    ) -> Result<ChosenSampler> {
        self.settings.choose_shared(usage, network, motif, seed)
    }
}

/// A network with its sampler.
pub(crate) fn sampled(chosen: &ChosenSampler) -> SampledNetwork {
    (Arc::clone(&chosen.network), Arc::clone(&chosen.sampler))
}

/// Notes with the keywords of Python.
pub(crate) fn spelled(notes: &[Note]) -> Vec<String> {
    notes.iter().map(|note| note.spelled(&keyword)).collect()
}

/// The networks themselves.
pub(crate) fn inner(networks: &[PyRef<'_, Network>]) -> Vec<Arc<ergodict::data::Network>> {
    networks.iter().map(|network| Arc::clone(&network.inner)).collect()
}
