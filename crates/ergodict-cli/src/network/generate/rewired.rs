//! `ergodict network generate rewired`: a random network with the degrees of another one.

use super::Out;
use crate::args::{Common, count};
use crate::network::reading::{self, OpenedNetwork};
use crate::summary::{Summary, emit};
use crate::{paths, reports};
use anyhow::{Context, Result};
use ergodict::data::{
    DEFAULT_PROPOSALS, ReadSettings, check_network_name, differences, rewired, write_network_with_note,
};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

const HELP: &str = "\
Two random edges exchange ends, over and over; exchanges that would make a loop or a repeated edge are rejected. Kept are the names of the
nodes, their degrees (in- and out-degrees of directed networks), loops, and the multiset of weights, which are put on the edges in random order.

Example:
  ergodict network generate rewired @lesmis -o null.txt
  ergodict network generate rewired edges.txt.gz --proposals 100 --seed 1 -o null.egr";

/// Rewired network: the degrees of another network, all else at random
#[derive(clap::Args)]
#[command(after_long_help = HELP)]
pub(super) struct Args {
    #[arg(value_name = "NET", help = reading::expected("The network: "))]
    net: PathBuf,
    /// Proposed exchanges per edge
    #[arg(long, value_name = "N", default_value_t = DEFAULT_PROPOSALS, value_parser = count)]
    #[arg(allow_negative_numbers = true)]
    proposals: u64,
    #[command(flatten)]
    out: Out,
    #[command(flatten)]
    reading: ReadSettings,
}

pub(super) fn run(args: &Args, common: &Common) -> Result<ExitCode> {
    let out = &args.out.out;
    let inputs: Vec<paths::NamedPath<'_>> = reading::file(&args.net).into_iter().collect();
    let outputs: Vec<paths::NamedPath<'_>> = vec![("-o", out)];
    paths::check(common, &inputs, &outputs)?;
    check_network_name(out)?;
    reports::probe(&outputs)?;
    let OpenedNetwork { network, name, decisions, input } =
        reading::open(&args.reading, &args.net, common.quiet)?;
    let started = Instant::now();
    let copy = rewired(&network, args.proposals, common.seed).with_context(|| name.clone())?;
    let lost = write_network_with_note(out, &copy, crate::resolved::note().as_deref())?.lost;
    let summary = RewiredSummary {
        network: name,
        digest: input.map(|input| input.digest),
        decisions: decisions.map(|decisions| decisions.to_string()),
        nodes: copy.nodes(),
        edges: copy.edges(),
        new_edges: differences(&network, &copy).came,
        loops: copy.loops(),
        directed: copy.is_directed(),
        weighted: copy.is_weighted(),
        out,
        lost,
        seconds: started.elapsed().as_secs_f64(),
    };
    emit(&summary, common)?;
    Ok(ExitCode::SUCCESS)
}

/// `ergodict network generate rewired`
#[derive(Serialize)]
struct RewiredSummary<'a> {
    /// File without folders, or `@name`
    network: String,
    /// Digest of the file's bytes; `null` for embedded networks and standard input
    digest: Option<String>,
    /// How the file was read, as one line; `null` for embedded networks
    decisions: Option<String>,
    /// Number of nodes
    nodes: usize,
    /// Number of edges
    edges: u64,
    /// Edges that the original does not have
    new_edges: u64,
    /// Loops, which are those of the original
    loops: u64,
    /// Whether edges have directions
    directed: bool,
    /// Whether edges have weights
    weighted: bool,
    /// File that was written
    out: &'a Path,
    /// What its format cannot keep, as a sentence, or `null`
    lost: Option<String>,
    /// Time of rewiring and writing
    seconds: f64,
}

impl Summary for RewiredSummary<'_> {
    const SCHEMA: &'static str = "ergodict.network-generate-rewired/1";

    fn lines(&self) -> Vec<(&str, String)> {
        let share = 100.0 * self.new_edges as f64 / self.edges.max(1) as f64;
        let degrees = if self.directed { "all in- and out-degrees kept" } else { "all degrees kept" };
        let rewired = format!("{share:.0} % of {} edges are new, {degrees}", self.edges);
        let mut lines = vec![("rewired", rewired)];
        if self.new_edges == 0 {
            let reason =
                "no edge changed: perhaps no other network has these degrees (bipartite: within components)";
            lines.push(("note", reason.to_owned()));
        }
        if self.weighted {
            lines.push(("note", "weights are in random order on the edges".to_owned()));
        }
        if self.loops > 0 {
            lines.push(("note", format!("loops stay in place: {}", self.loops)));
        }
        lines.push(("wrote", self.out.display().to_string()));
        lines.extend(self.lost.iter().map(|lost| ("note", lost.clone())));
        lines
    }
}
