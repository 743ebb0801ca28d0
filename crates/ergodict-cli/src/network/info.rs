//! `ergodict network info`: what a network is like, what it takes, and which samplers are valid on it.

use super::info_time;
use super::page;
use super::reading::{self, Opened, Reading};
use super::timing::Timing;
use crate::args::Common;
use crate::showing::{self, Showing};
use crate::words::table;
use crate::{memory, output, paths};
use anyhow::Result;
use ergodict::chain::{Motif, SamplerKind, Samplers};
use ergodict::data::{Network, Spread, Summary};
use serde_json::json;
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
    /// The network: an edge list, MatrixMarket, scipy .npz or .egr, - for standard input, or a name such as @karate
    #[arg(value_name = "NET")]
    pub(super) net: PathBuf,
    #[command(flatten)]
    pub(super) timing: Timing,
    #[command(flatten)]
    pub(super) reading: Reading,
    #[command(flatten)]
    pub(super) showing: Showing,
}

/// A sampler and what speaks against it.
pub(super) struct Validity {
    pub(super) kind: SamplerKind,
    /// Whether it can be used.
    pub(super) valid: bool,
    /// What there is to know.
    pub(super) words: String,
}

pub(crate) fn run(args: &Args, common: &Common) -> Result<ExitCode> {
    let started = Instant::now();
    let inputs: Vec<paths::Given<'_>> = reading::file(&args.net).into_iter().collect();
    let outputs: Vec<paths::Given<'_>> = args.showing.outputs().collect();
    paths::check(common, &inputs, &outputs)?;
    showing::probe(&outputs)?;
    if args.timing.is_asked() {
        return info_time::run(args, common);
    }
    let Opened { network, decisions, name, input } = args.reading.open(&args.net, common.quiet)?;
    let summary = network.summary();
    let network = Arc::new(network);
    let samplers = validity(&network);
    let lines = lines(&name, &summary);
    args.showing.write(|| {
        let digest = input.as_ref().map(|input| ("input", crate::page::input(input)));
        let decided = decisions.as_ref().map(|decisions| ("read as", decisions.to_string()));
        let mut facts: Vec<(&str, String)> = [digest, decided].into_iter().flatten().collect();
        facts.push(("version", format!("ergodict {}", env!("CARGO_PKG_VERSION"))));
        facts.push(("time", format!("{:.2} s", started.elapsed().as_secs_f64())));
        let next =
            format!("ergodict network learn {name} -k 10 -r 9 -o atoms.safetensors --report atoms.html");
        Ok(page::of_network(&name, &summary, &lines, &samplers, &facts, &next))
    })?;
    if common.json {
        let samplers: Vec<_> = samplers
            .iter()
            .map(|one| json!({ "sampler": one.kind.to_string(), "valid": one.valid, "words": one.words }))
            .collect();
        let summary = json!({
            "schema": "ergodict.network-info/1",
            "network": name,
            "digest": input.map(|input| input.digest),
            "decisions": decisions.as_ref().map(ToString::to_string),
            "found": decisions.map(|decisions| json!({
                "loops": decisions.found.loops,
                "duplicates": decisions.found.duplicates,
                "zeros": decisions.found.zeros,
                "both_directions": decisions.found.both_directions,
            })),
            "summary": summary,
            "samplers": samplers,
            "config": crate::resolved::config(),
        });
        output::print(&format!("{summary:#}\n"))?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut text = table(&lines);
    text.push_str("\nsamplers, for chain motifs on the largest component:\n");
    for one in &samplers {
        let mark = if one.valid { "yes" } else { "no " };
        let _ = writeln!(text, "  {:<13} {mark}  {}", one.kind, one.words);
    }
    output::print(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// Which samplers can be used, found out by making them.
fn validity(network: &Arc<Network>) -> Vec<Validity> {
    let parts = network.components();
    let largest =
        if parts.sizes.len() > 1 { Arc::new(network.part(&parts.nodes(0))) } else { Arc::clone(network) };
    // A short chain is as good as a long one: what speaks against a sampler does not depend on the length.
    let Ok(motif) = Motif::chain(SHORT) else { return Vec::new() };
    let mut all = Vec::new();
    for kind in SamplerKind::ALL {
        let made = Samplers::default().build(kind, &largest, &motif, 0);
        let valid = made.is_ok();
        let words = match (made, kind) {
            (Err(reason), _) => reason.to_string(),
            (Ok(sampler), _) if !sampler.notes().is_empty() => sampler.notes().join("; "),
            (_, SamplerKind::Exact) => "independent draws; the default".into(),
            (_, SamplerKind::Pivot) => "the same law by a random walk".into(),
            (_, SamplerKind::PivotApprox) => "another law, uniform in the first node; little set-up".into(),
            (_, SamplerKind::Glauber) => "any motif; the default for those with cycles that are rare".into(),
            (_, SamplerKind::Rejection) => "for tiny motifs".into(),
        };
        all.push(Validity { kind, valid, words });
    }
    all
}

/// Nodes of the chain that samplers are tried with.
const SHORT: usize = 3;

fn lines(name: &str, summary: &Summary) -> Vec<(&'static str, String)> {
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

fn kind(summary: &Summary) -> String {
    let direction = if summary.directed { "directed" } else { "undirected" };
    let weights = if summary.weighted { "weighted" } else { "unweighted" };
    let loops = if summary.loops > 0 { format!(", {} loops", summary.loops) } else { String::new() };
    format!("{direction}, {weights}{loops}")
}
