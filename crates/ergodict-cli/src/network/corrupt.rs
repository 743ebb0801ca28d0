//! `ergodict network corrupt`: a network with edges added or removed, and what was done.

use super::reading::{self, OpenedNetwork};
use crate::args::Common;
use crate::summary::{Summary, emit};
use crate::{memory, output, paths, reports};
use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use ergodict::Error;
use ergodict::data::corrupt::{AddModel, Amount, Corrupted, add, remove};
use ergodict::data::{NetworkFormat, ReadSettings, check_network_name, write_network_with_note};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const HELP: &str = "\
The largest component of the simple network is taken: no directions, weights, loops or repeated edges.

TRUTH lists the pairs to score, a line each, as `u v label kind` under a header: label 1 for true edges, 0 for false ones. After --add, they
are all edges of OBS. After --remove, they are the removed edges, and of pairs that were never edges as many drawn uniformly
(kind uniform) and as many by shuffling the ends of the removed edges, so that each node is in as many of these pairs as it has
removed edges (kind degree).

Example:
  ergodict network corrupt @karate --add 0.5 -o observed.txt --truth truth.tsv
  ergodict network corrupt edges.txt.gz --remove 0.5 -o observed.txt --truth truth.tsv --seed 3";

/// Where false edges come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum From {
    /// Every non-edge with equal probability
    Er,
    /// Edges of a Watts–Strogatz network on the same nodes
    Ws,
    /// Edges of a Barabási–Albert network on the same nodes
    Ba,
}

/// Add false edges to a network, or remove true ones, and keep a record
#[derive(clap::Args)]
#[command(after_long_help = HELP)]
pub(crate) struct Args {
    #[arg(value_name = "NET", help = reading::expected("The network: "))]
    net: PathBuf,
    /// Add this share of the number of edges: 0.5 adds half as many as there are
    #[arg(long, value_name = "F", conflicts_with = "remove", allow_negative_numbers = true)]
    add: Option<f64>,
    /// Remove this share of the edges; the network stays connected
    #[arg(long, value_name = "F", allow_negative_numbers = true)]
    remove: Option<f64>,
    /// Where added edges come from: er (uniform), ws, ba
    #[arg(
        long,
        value_name = "er|ws|ba",
        default_value = "er",
        hide_possible_values = true,
        conflicts_with = "remove"
    )]
    add_model: From,
    #[arg(short, long, value_name = "OBS", help = format!("The corrupted network to write: {}", NetworkFormat::WRITTEN))]
    out: PathBuf,
    /// Also write the pairs to score with their labels
    #[arg(long, value_name = "TRUTH")]
    truth: Option<PathBuf>,
    #[command(flatten)]
    reading: ReadSettings,
}

pub(crate) fn run(args: &Args, common: &Common) -> Result<ExitCode> {
    if args.add.is_none() && args.remove.is_none() {
        bail!("--add F or --remove F is required, for instance --add 0.5");
    }
    let inputs: Vec<paths::NamedPath<'_>> = reading::file(&args.net).into_iter().collect();
    let mut outputs: Vec<paths::NamedPath<'_>> = vec![("-o", &args.out)];
    outputs.extend(args.truth.as_deref().map(|path| ("--truth", path)));
    paths::check(common, &inputs, &outputs)?;
    check_network_name(&args.out)?;
    reports::probe(&outputs)?;
    let OpenedNetwork { network, name, decisions, input } =
        reading::open(&args.reading, &args.net, common.quiet)?;
    let model = match args.add_model {
        From::Er => AddModel::ErdosRenyi,
        From::Ws => AddModel::WattsStrogatz,
        From::Ba => AddModel::BarabasiAlbert,
    };
    // The network as it is and as it becomes, and the pairs to score.
    let edges = network.edges() as f64 * (1.0 + args.add.unwrap_or(0.0).max(0.0));
    let needed = (edges * 64.0).min(1e18) as u64;
    memory::check(needed, &format!("a network of {edges:.3e} edges"), "lower --add")?;
    let corrupted: Corrupted = match (args.add, args.remove) {
        (Some(share), _) => add(&network, Amount::Fraction(share), model, common.seed),
        (_, share) => remove(&network, Amount::Fraction(share.unwrap_or(0.0)), common.seed),
    }
    .with_context(|| name.clone())?;
    let observed = &corrupted.observed;
    let saved = write_network_with_note(&args.out, observed, crate::resolved::note().as_deref())?;
    if let Some(path) = &args.truth {
        output::stream(path, |mut file| Ok(corrupted.write_truth(&mut file).map_err(Error::io(path))?))?;
    }
    let summary = CorruptSummary {
        network: name,
        digest: input.map(|input| input.digest),
        decisions: decisions.map(|decisions| decisions.to_string()),
        nodes: observed.nodes(),
        edges_before: corrupted.base.network.edges(),
        edges: observed.edges(),
        changed: corrupted.changed,
        out: &args.out,
        truth: args.truth.as_deref(),
        pairs: corrupted.truth.len(),
        unmatched: corrupted.unmatched,
        dropped: corrupted.base.left_out(),
        lost: saved.lost,
        added: args.add.is_some(),
        seed: common.seed,
    };
    emit(&summary, common)?;
    Ok(ExitCode::SUCCESS)
}

/// `ergodict network corrupt`
#[derive(Serialize)]
struct CorruptSummary<'a> {
    /// File without folders, or `@name`
    network: String,
    /// Digest of the file's bytes; `null` for embedded networks and standard input
    digest: Option<String>,
    /// How the file was read, as one line; `null` for embedded networks
    decisions: Option<String>,
    /// Nodes of the largest component of the simple network
    nodes: usize,
    /// Its edges
    edges_before: u64,
    /// Edges of the corrupted network
    edges: u64,
    /// Edges added or removed
    changed: u64,
    /// File of the corrupted network
    out: &'a Path,
    /// File of the labels; `null` when it is not asked for
    truth: Option<&'a Path>,
    /// Pairs to score
    pairs: usize,
    /// Those of kind degree whose ends are drawn by degree, because shuffled ends of removed edges gave too few
    unmatched: u64,
    /// What of the network was left out, as a sentence, or `null`
    dropped: Option<String>,
    #[serde(skip)]
    lost: Option<String>,
    #[serde(skip)]
    added: bool,
    #[serde(skip)]
    seed: u64,
}

impl Summary for CorruptSummary<'_> {
    const SCHEMA: &'static str = "ergodict.network-corrupt/1";

    fn lines(&self) -> Vec<(&str, String)> {
        let Self { nodes, edges_before: before, edges, changed, seed, .. } = self;
        let now = format!("{nodes} nodes, {edges} edges now (seed {seed})");
        let corrupted = if self.added {
            format!("{changed} false edges added to {before}: {now}")
        } else {
            format!("{changed} of {before} edges removed: {now}")
        };
        let mut lines = vec![("corrupted", corrupted), ("wrote", self.out.display().to_string())];
        lines.extend(self.truth.map(|path| ("truth", path.display().to_string())));
        if self.unmatched > 0 {
            let all = self.changed;
            let words = format!(
                "{} of the {all} pairs of kind degree have ends by degree: shuffled ends of removed edges gave too few",
                self.unmatched
            );
            lines.push(("note", words));
        }
        lines.extend(self.dropped.iter().map(|note| ("note", format!("left out: {note}"))));
        lines.extend(self.lost.iter().map(|note| ("note", note.clone())));
        lines
    }
}
