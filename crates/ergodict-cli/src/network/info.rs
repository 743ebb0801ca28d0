//! `ergodict network info`: what a network is like, what it takes, and which samplers are valid on it.

use super::info_time;
use super::page;
use super::reading::{self, OpenedNetwork};
use crate::args::Common;
use crate::reports::{self, ReportArgs};
use crate::summary::{Summary, emit};
use crate::text::table;
use crate::{memory, paths};
use anyhow::Result;
use ergodict::chain::{Motif, SamplerBuilder, SamplerKind};
use ergodict::data::{self, Found, Network, ReadSettings, Spread, WindowSettings};
use serde::Serialize;
use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

const HELP: &str = "\
Example:
  ergodict network info @karate
  ergodict network info edges.txt.gz --json
  ergodict network info edges.txt.gz --report degrees.html
  ergodict network info messages.txt.gz --timestamps --window 30d";

/// Tell what a network is like: size, degrees, components, and which samplers are valid on it
#[derive(clap::Args)]
#[command(after_long_help = HELP)]
pub(crate) struct Args {
    #[arg(value_name = "NET", help = reading::expected("The network: "))]
    pub(super) net: PathBuf,
    #[command(flatten)]
    pub(super) timing: WindowSettings,
    #[command(flatten)]
    pub(super) reading: ReadSettings,
    #[command(flatten)]
    pub(super) reports: ReportArgs,
}

/// A sampler and what speaks against it.
#[derive(Serialize)]
pub(super) struct Validity {
    /// Name of the sampler
    #[serde(rename = "sampler")]
    pub(super) kind: SamplerKind,
    /// Whether it can be used
    pub(super) valid: bool,
    /// What speaks for or against it
    pub(super) words: String,
}

pub(crate) fn run(args: &Args, common: &Common) -> Result<ExitCode> {
    let started = Instant::now();
    let inputs: Vec<paths::NamedPath<'_>> = reading::file(&args.net).into_iter().collect();
    let outputs: Vec<paths::NamedPath<'_>> = args.reports.outputs().collect();
    paths::check(common, &inputs, &outputs)?;
    reports::probe(&outputs)?;
    if args.timing.timestamps.is_some() {
        return info_time::run(args, common);
    }
    let OpenedNetwork { network, decisions, name, input } =
        reading::open(&args.reading, &args.net, common.quiet)?;
    let summary = network.summary();
    let network = Arc::new(network);
    let samplers = validity(&network)?;
    let lines = lines(&name, &summary);
    args.reports.write(|| {
        let digest = input.as_ref().map(|input| ("input", ergodict_pages::text::input(input)));
        let decided = decisions.as_ref().map(|decisions| ("read as", decisions.to_string()));
        let mut facts: Vec<(&str, String)> = [digest, decided].into_iter().flatten().collect();
        facts.push(("version", format!("ergodict {}", env!("CARGO_PKG_VERSION"))));
        facts.push(("time", format!("{:.2} s", started.elapsed().as_secs_f64())));
        let next =
            format!("ergodict network learn {name} -k 10 -r 9 -o atoms.safetensors --report atoms.html");
        Ok(page::of_network(&name, &summary, &lines, &samplers, &facts, &next))
    })?;
    let info = InfoSummary {
        network: &name,
        digest: input.map(|input| input.digest),
        decisions: decisions.as_ref().map(ToString::to_string),
        found: decisions.map(|decisions| decisions.found),
        summary: &summary,
        samplers: &samplers,
        facts: &lines,
    };
    emit(&info, common)?;
    Ok(ExitCode::SUCCESS)
}

/// `ergodict network info`
#[derive(Serialize)]
struct InfoSummary<'a> {
    /// File without folders, or `@name`
    network: &'a str,
    /// Digest of the file's bytes; `null` for embedded networks and standard input
    digest: Option<String>,
    /// How the file was read, as one line; `null` for embedded networks
    decisions: Option<String>,
    /// What was found in the file; `null` for embedded networks
    found: Option<Found>,
    /// Measures of the network
    summary: &'a data::Summary,
    /// Samplers, for path motifs on the largest component
    samplers: &'a [Validity],
    #[serde(skip)]
    facts: &'a [(&'static str, String)],
}

impl Summary for InfoSummary<'_> {
    const SCHEMA: &'static str = "ergodict.network-info/1";

    fn text(&self) -> String {
        let mut text = table(self.facts);
        text.push_str("\nsamplers, for chain motifs on the largest component:\n");
        for one in self.samplers {
            let mark = if one.valid { "yes" } else { "no " };
            let _ = writeln!(text, "  {:<13} {mark}  {}", one.kind, one.words);
        }
        text
    }
}

/// Which samplers can be used, found out by making them.
fn validity(network: &Arc<Network>) -> Result<Vec<Validity>> {
    let parts = network.components();
    let largest = if parts.sizes.len() > 1 {
        Arc::new(network.part_alike(&parts.nodes(0))?)
    } else {
        Arc::clone(network)
    };
    // A short chain is as good as a long one: what speaks against a sampler does not depend on the length.
    let Ok(motif) = Motif::chain(SHORT) else { return Ok(Vec::new()) };
    let mut all = Vec::new();
    for kind in SamplerKind::ALL {
        let made = SamplerBuilder::default().build(kind, &largest, &motif, 0);
        let valid = made.is_ok();
        let words = match (made, kind) {
            (Err(reason), _) => reason.to_string(),
            (Ok(sampler), _) if !sampler.notes().is_empty() => sampler.notes().join("; "),
            (_, SamplerKind::Walk) => "independent walks from a uniform start; the default".into(),
            (_, SamplerKind::Exact) => {
                "independent, uniform over homomorphisms; the default of sample".into()
            }
            (_, SamplerKind::Pivot) => "the distribution of exact by a Markov chain".into(),
            (_, SamplerKind::PivotApprox) => {
                "the distribution of walk by a Markov chain, as in the paper".into()
            }
            (_, SamplerKind::Glauber) => "any motif; the default for those with cycles that are rare".into(),
            (_, SamplerKind::Rejection) => "for tiny motifs".into(),
        };
        all.push(Validity { kind, valid, words });
    }
    Ok(all)
}

/// Nodes of the chain that samplers are tried with.
const SHORT: usize = 3;

fn lines(name: &str, summary: &data::Summary) -> Vec<(&'static str, String)> {
    let mut lines = vec![("network", name.to_owned()), ("nodes", summary.nodes.to_string())];
    let density = summary.density.map_or_else(String::new, |density| format!(" (density {density:.5})"));
    lines.push(("edges", format!("{}{density}", summary.edges)));
    lines.push(("kind", kind(summary)));
    let spread = |of: &Spread| format!("{} to {}, mean {:.4}, median {}", of.min, of.max, of.mean, of.median);
    lines.extend(summary.degrees.as_ref().map(|degrees| ("degrees", spread(degrees))));
    lines.extend(summary.in_degrees.as_ref().map(|degrees| ("in-degrees", spread(degrees))));
    if let ([low, high], true) = (summary.weights.unwrap_or([1.0; 2]), summary.weighted) {
        lines.push(("weights", format!("{low} to {high}")));
        lines.extend(summary.strengths.as_ref().map(|strengths| ("strengths", spread(strengths))));
    }
    lines.push(("isolated", format!("{} nodes", summary.isolated)));
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
        let transitivity = transitivity.map_or_else(String::new, |t| format!(" (transitivity {t:.4})"));
        lines.push(("triangles", format!("{triangles}{transitivity}")));
    }
    lines.push(("memory", memory::bytes(summary.bytes)));
    lines
}

fn kind(summary: &data::Summary) -> String {
    let direction = if summary.directed { "directed" } else { "undirected" };
    let weights = if summary.weighted { "weighted" } else { "unweighted" };
    let loops = if summary.loops > 0 { format!(", {} loops", summary.loops) } else { String::new() };
    format!("{direction}, {weights}{loops}")
}
