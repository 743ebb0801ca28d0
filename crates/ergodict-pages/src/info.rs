//! The page of a network: its measures, its degrees and the samplers that are valid on it.

use crate::network::degrees;
use crate::shell::quoted;
use crate::text::{input, short};
use ergodict::chain::{Motif, SamplerBuilder, SamplerKind};
use ergodict::data::{Network, Spread, Summary};
use ergodict::model::{Input, NetworkReport};
use ergodict::{Result, memory};
use ergodict_report::words::{count, number};
use ergodict_report::{Report, Table};
use serde::Serialize;
use std::sync::Arc;

/// Nodes of the path motif that samplers are tried with: what speaks against a sampler does not depend on the length.
const SHORT: usize = 3;

/// A sampler and what speaks for or against it.
#[derive(Serialize)]
pub struct SamplerValidity {
    /// Name of the sampler
    #[serde(rename = "sampler")]
    pub kind: SamplerKind,
    /// Whether it can be used
    pub valid: bool,
    /// What speaks for or against it
    pub words: String,
}

/// What is known of a network.
pub struct NetworkPage {
    /// What it is called.
    pub name: String,
    /// Its file; none for embedded networks and for those that are no file.
    pub input: Option<Input>,
    /// How it was read, in one line; none for embedded networks.
    pub decisions: Option<String>,
    /// Measures of the network.
    pub summary: Summary,
    /// Samplers, for path motifs on the largest component.
    pub samplers: Vec<SamplerValidity>,
    /// Time of all.
    pub seconds: f64,
}

impl NetworkPage {
    /// Measures a network and tries samplers on it; what it is called, its file and the time are left to the caller.
    ///
    /// # Errors
    /// A largest component that does not fit into memory.
    pub fn new(name: &str, network: &Arc<Network>) -> Result<Self> {
        Ok(Self {
            name: name.to_owned(),
            input: None,
            decisions: None,
            summary: network.summary(),
            samplers: validity(network)?,
            seconds: 0.0,
        })
    }

    /// The measures in words.
    #[must_use]
    pub fn lines(&self) -> Vec<(&'static str, String)> {
        let summary = &self.summary;
        let mut lines = vec![("network", self.name.clone()), ("nodes", summary.nodes.to_string())];
        let density =
            summary.density.map_or_else(String::new, |density| format!(" (density {})", number(density)));
        lines.push(("edges", format!("{}{density}", summary.edges)));
        lines.push(("kind", kind(summary)));
        let spread =
            |of: &Spread| format!("{} to {}, mean {}, median {}", of.min, of.max, number(of.mean), of.median);
        lines.extend(summary.degrees.as_ref().map(|degrees| ("degrees", spread(degrees))));
        lines.extend(summary.in_degrees.as_ref().map(|degrees| ("in-degrees", spread(degrees))));
        if let ([low, high], true) = (summary.weights.unwrap_or([1.0; 2]), summary.weighted) {
            lines.push(("weights", format!("{low} to {high}")));
            lines.extend(summary.strengths.as_ref().map(|strengths| ("strengths", spread(strengths))));
        }
        lines.push(("isolated", count(summary.isolated as usize, "node", "nodes")));
        let largest =
            format!("the largest of {} nodes and {} edges", summary.largest_nodes, summary.largest_edges);
        lines.push(("components", format!("{}, {largest}", summary.components)));
        let sides = |yes: Option<bool>| if yes == Some(true) { "yes" } else { "no" };
        let (all, one) = (sides(summary.bipartite), sides(summary.largest_bipartite));
        lines.push((
            "bipartite",
            if all == one { all.to_owned() } else { format!("{all}; the largest component: {one}") },
        ));
        if let (Some(triangles), transitivity) = (summary.triangles, summary.transitivity) {
            let transitivity =
                transitivity.map_or_else(String::new, |t| format!(" (transitivity {})", number(t)));
            lines.push(("triangles", format!("{triangles}{transitivity}")));
        }
        lines.push(("memory", memory::bytes(summary.bytes)));
        lines
    }

    /// The page.
    #[must_use]
    pub fn report(&self) -> Report {
        let summary = &self.summary;
        let rows = self.samplers.iter().map(|one| {
            vec![one.kind.to_string(), if one.valid { "yes" } else { "no" }.into(), one.words.clone()]
        });
        let of = NetworkReport {
            name: self.name.clone(),
            nodes: summary.nodes,
            edges: summary.edges,
            directed: summary.directed,
            weighted: summary.weighted,
            bipartite: false,
            degrees: summary.histogram.iter().map(|bin| (bin.from, bin.to, bin.nodes)).collect(),
            effective_nodes: None,
            explained: None,
        };
        let lines = self.lines();
        // One without a name is called a network.
        let title =
            if self.name == "network" { "Network".into() } else { format!("Network {}", short(&self.name)) };
        let report = Report::new(title)
            .lead(self.lead())
            .numbers(self.numbers())
            .table(Table {
                title: "Measures".into(),
                head: ["measure".to_owned(), "value".to_owned()].to_vec(),
                rows: lines.into_iter().map(|(name, words)| vec![name.to_owned(), words]).collect(),
                words: String::new(),
            })
            .figure(degrees(&[of]))
            .table(Table {
                title: "Samplers".into(),
                head: ["sampler", "valid", "notes"].map(str::to_owned).to_vec(),
                rows: rows.collect(),
                words: "Samplers of path motifs on the largest component.".into(),
            })
            .facts(&self.facts());
        // Whatever it is called, a command takes the file; an embedded network is known by its name.
        let is_embedded = || ergodict::data::embedded(&self.name).is_ok();
        let source = match &self.input {
            Some(input) => &input.name,
            None if self.name.starts_with('@') && is_embedded() => &self.name,
            None => return report,
        };
        let next = format!(
            "ergodict network learn {} -k 10 -r 9 -o atoms.safetensors --report atoms.html",
            quoted(source)
        );
        report.code("Next", next)
    }

    /// The numbers at the top: nodes, edges, mean degree.
    fn numbers(&self) -> Vec<(String, String)> {
        let summary = &self.summary;
        let mut numbers = vec![
            (summary.nodes.to_string(), "nodes".to_owned()),
            (summary.edges.to_string(), "edges".to_owned()),
        ];
        numbers
            .extend(summary.degrees.as_ref().map(|degrees| (number(degrees.mean), "mean degree".to_owned())));
        numbers
    }

    fn lead(&self) -> String {
        let summary = &self.summary;
        let mean = summary.degrees.as_ref().map_or_else(String::new, |degrees| {
            format!(" Mean degree {:.1}, maximum {}.", degrees.mean, degrees.max)
        });
        let closed = summary.transitivity.map_or_else(String::new, |closed| {
            format!(
                " Transitivity {:.1} %: the share of connected triples that are triangles.",
                100.0 * closed
            )
        });
        let parts = if summary.components > 1 {
            format!(
                " It has {} components; the largest has {:.1} % of the nodes, and motifs are sampled there by default.",
                summary.components,
                100.0 * summary.largest_nodes as f64 / summary.nodes.max(1) as f64
            )
        } else {
            String::new()
        };
        format!("{} nodes and {} edges.{mean}{closed}{parts}", summary.nodes, summary.edges)
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        let file = self.input.as_ref().map(|file| ("input", input(file)));
        let decisions = self.decisions.as_ref().map(|decisions| ("read as", decisions.clone()));
        let mut facts: Vec<(&str, String)> = [file, decisions].into_iter().flatten().collect();
        facts.push(("version", format!("ergodict {}", env!("CARGO_PKG_VERSION"))));
        facts.push(("time", format!("{:.2} s", self.seconds)));
        facts
    }
}

fn kind(summary: &Summary) -> String {
    let direction = if summary.directed { "directed" } else { "undirected" };
    let weights = if summary.weighted { "weighted" } else { "unweighted" };
    let loops = if summary.loops > 0 { format!(", {} loops", summary.loops) } else { String::new() };
    format!("{direction}, {weights}{loops}")
}

/// Which samplers can be used, found out by making them.
fn validity(network: &Arc<Network>) -> Result<Vec<SamplerValidity>> {
    let parts = network.components();
    let largest = if parts.sizes.len() > 1 {
        Arc::new(network.part_alike(&parts.nodes(0))?)
    } else {
        Arc::clone(network)
    };
    let motif = Motif::path(SHORT)?;
    let mut all = Vec::new();
    for kind in SamplerKind::ALL {
        let made = SamplerBuilder::default().build(kind, &largest, &motif, 0);
        let valid = made.is_ok();
        let words = match (made, kind) {
            (Err(reason), _) => reason.to_string(),
            (Ok(sampler), _) if !sampler.notes().is_empty() => sampler.notes().join("; "),
            (_, SamplerKind::Walk) => "independent walks from a uniform start; the default".into(),
            (_, SamplerKind::Exact) => {
                "independent, uniform over motif samples; the default of sample".into()
            }
            (_, SamplerKind::Pivot) => "the distribution of exact by a Markov chain".into(),
            (_, SamplerKind::PivotApprox) => {
                "the distribution of walk by a Markov chain, as in the paper".into()
            }
            (_, SamplerKind::Glauber) => "any motif; the default for those with cycles that are rare".into(),
            (_, SamplerKind::Rejection) => "for tiny motifs".into(),
        };
        all.push(SamplerValidity { kind, valid, words });
    }
    Ok(all)
}
