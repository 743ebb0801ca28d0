//! What the arguments of Python say of motifs and samplers, and the samplers they come to on networks.

use crate::error::raised;
use crate::network::Network;
use ergodict::chain::{Motif, MotifSampler, SamplerKind, Samplers};
use ergodict::dictionary::{Drawn, SamplingConfig};
use ergodict::patch::Watching;
use ergodict::{Error, Result, memory};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::path::Path;
use std::sync::Arc;

/// Arguments about motifs and samplers, by the names that the estimators hand them over.
#[derive(FromPyObject, Clone)]
#[pyo3(from_item_all)]
pub(crate) struct Sampling {
    /// Nodes of the motif.
    pub(crate) k: Option<usize>,
    /// Its shape or the file of its edges.
    pub(crate) motif: Option<String>,
    /// Its edges, where they are given.
    #[pyo3(from_py_with = crate::list::maybe_list)]
    pub(crate) edges: Option<Vec<(u32, u32)>>,
    pub(crate) sampler: Option<String>,
    pub(crate) injective: bool,
    pub(crate) every: u64,
    pub(crate) burn_in: u64,
    pub(crate) chains: usize,
    pub(crate) component: String,
    pub(crate) lazy: Option<bool>,
}

/// A network that is ready to be drawn from.
pub(crate) struct Ready {
    pub(crate) drawn: Drawn,
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
        other => PyValueError::new_err(format!("{name}: {other}")),
    }
}

/// The motif of a name, of edges or of a file; a shape has as many nodes as the library says where `k` does not.
pub(crate) fn motif(name: Option<&str>, edges: Option<&[(u32, u32)]>, k: Option<usize>) -> PyResult<Motif> {
    if let Some(edges) = edges {
        let most = edges.iter().map(|&(a, b)| a.max(b) as usize + 1).max().unwrap_or(0);
        return Motif::new(k.unwrap_or(most), edges.to_vec()).map_err(raised);
    }
    let name = name.unwrap_or("chain");
    if Motif::SHAPES.contains(&name) {
        return Motif::named_shape(name, k.unwrap_or(Motif::NODES)).map_err(raised);
    }
    let path = Path::new(name);
    if !path.exists() {
        let shapes = Motif::SHAPES.join(", ");
        return Err(PyValueError::new_err(format!(
            "motif is {name}, but it must be one of {shapes}, or a file that lists the motif's edges"
        )));
    }
    let motif = Motif::read(path).map_err(raised)?;
    match k.filter(|k| *k != motif.k()) {
        Some(k) => Err(PyValueError::new_err(format!(
            "k is {k}, but the motif {name} has {} nodes: leave k out",
            motif.k()
        ))),
        None => Ok(motif),
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
        motif(self.motif.as_deref(), self.edges.as_deref(), self.k)
    }

    /// The sampler that is asked for.
    pub(crate) fn asked(&self) -> PyResult<Option<SamplerKind>> {
        self.sampler.as_deref().map(str::parse).transpose().map_err(raised)
    }

    /// What a configuration says of it.
    pub(crate) fn config(&self, motif: &Motif, kind: SamplerKind) -> SamplingConfig {
        let name = match &self.edges {
            None => self.motif.clone().unwrap_or_else(|| "chain".to_owned()),
            Some(_) => in_words(motif),
        };
        let lazy = self.lazy.map_or("auto", |lazy| if lazy { "yes" } else { "no" });
        SamplingConfig {
            k: motif.k(),
            motif: name,
            sampler: kind,
            injective: self.injective,
            every: self.every,
            burn_in: self.burn_in,
            chains: self.chains as u64,
            component: self.component.clone(),
            lazy: lazy.to_owned(),
        }
    }

    /// How chains are watched.
    pub(crate) fn watching(&self, batch: usize) -> Watching {
        Watching { batch, chains: self.chains, burn_in: self.burn_in, every: self.every, memory: None }
    }

    /// Nodes of the motif, where they are said.
    pub(crate) fn nodes(&self) -> Option<usize> {
        self.k
    }

    pub(crate) fn injective(&self) -> bool {
        self.injective
    }

    /// The nodes that homomorphisms may use: those of the largest component, none where that is all or all are asked for. Also how many components there
    /// are.
    fn part(&self, network: &ergodict::data::Network) -> Option<(Vec<u32>, usize)> {
        if self.component != "largest" {
            return None;
        }
        let parts = network.components();
        (parts.sizes.len() > 1).then(|| (parts.nodes(0), parts.sizes.len()))
    }

    /// The sampler on a network.
    pub(crate) fn choose(
        &self,
        network: &Arc<ergodict::data::Network>,
        motif: &Motif,
        preferred: Option<SamplerKind>,
        asked: Option<SamplerKind>,
        seed: u64,
    ) -> Result<Ready> {
        let mut notes = Vec::new();
        let part = self.part(network);
        let network = match &part {
            None => Arc::clone(network),
            Some((nodes, components)) => {
                let largest = network.part_alike(nodes)?;
                notes.push(format!(
                    "the largest of {components} components is sampled: {} of {} nodes, {} of {} edges (component=\"all\" takes all)",
                    largest.nodes(),
                    network.nodes(),
                    largest.edges(),
                    network.edges()
                ));
                Arc::new(largest)
            }
        };
        let first = asked.or(preferred).unwrap_or(SamplerKind::Exact);
        let needed = first.bytes(&network, motif)?;
        let way_out = match first.fitting(&network, motif, None)? {
            Some(kind) => format!("sampler=\"{kind}\" takes little{}", kind.differs_from(first)),
            None => "no sampler of this motif takes less".to_owned(),
        };
        memory::check(needed, &format!("sampler={first}"), &way_out)?;
        let samplers = Samplers { lazy: self.lazy, injective: self.injective, ..Samplers::default() };
        let (kind, sampler): (_, Arc<dyn MotifSampler>) =
            samplers.choose(asked, preferred, &network, motif, seed)?;
        if kind == SamplerKind::Glauber && self.chains == 1 {
            notes
                .push("one Glauber chain cannot tell whether it has mixed: compare several, chains=4".into());
        }
        notes.extend(sampler.notes());
        let nodes = part.map(|(nodes, _)| nodes);
        Ok(Ready { drawn: (network, sampler), kind, nodes, notes })
    }

    /// Samplers on several networks, of the same kind on all.
    pub(crate) fn choose_all(
        &self,
        networks: &[Arc<ergodict::data::Network>],
        names: &[String],
        motif: &Motif,
        preferred: Option<SamplerKind>,
        seed: u64,
    ) -> PyResult<Vec<Ready>> {
        let asked = self.asked()?;
        let mut all: Vec<Ready> = Vec::with_capacity(networks.len());
        for (network, name) in networks.iter().zip(names) {
            let ready =
                self.choose(network, motif, preferred, asked, seed).map_err(|error| placed(name, error))?;
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
