//! `ergodict-paper score`: pairs of nodes scored by a rival of the paper's table, as `ergodict network denoise` writes them.

use super::baselines::Baseline;
use anyhow::{Context, Result, bail};
use ergodict::data::{Network, PairTable, ReadOptions, embedded, read_network, write_name};
use ergodict::{Error, denoise};
use ergodict_terminal::progress::{Progress, say};
use ergodict_terminal::{Common, interrupt, output, paths, rescue, resolved};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

/// The word for all pairs without an edge.
const NON_EDGES: &str = "non-edges";
/// Steps of progress.
const STEPS: f64 = 1000.0;

const HELP: &str = "\
Example:
  ergodict network corrupt @lesmis --remove 0.3 -o observed.txt --truth truth.tsv
  ergodict-paper score observed.txt --method node2vec --pairs truth.tsv -o scores.tsv
  ergodict evaluate scores.tsv truth.tsv

Methods, each with a logistic classifier on products of columns of 128 numbers a node:
  spectral          leading eigenvectors of the normalized adjacency matrix
  deepwalk          skip-gram on random walks
  node2vec          the same with walks of the second order, p = 1 and q = 0.5
  line              edges of the first and of the second order";

/// Score pairs of nodes by a rival of the paper's table: spectral, deepwalk, node2vec or line
#[derive(clap::Args)]
#[command(after_long_help = HELP)]
pub(crate) struct Args {
    /// The observed network: a file of any format that `ergodict` reads, - for standard input, or a name such as @karate
    #[arg(value_name = "OBS")]
    net: PathBuf,
    /// How pairs are scored: spectral, deepwalk, node2vec or line
    #[arg(long, value_name = "METHOD")]
    method: Baseline,
    /// The pairs to score, `u v` a line, further columns are not looked at; or non-edges: all pairs without an edge [default: every
    /// observed edge]
    #[arg(long, value_name = "PAIRS|non-edges")]
    pairs: Option<PathBuf>,
    /// The table to write, `u v score` a line with tabs, in the order of the pairs; - is standard output
    #[arg(short, long, value_name = "SCORES.tsv")]
    out: PathBuf,
}

pub(crate) fn run(args: &Args, common: &Common) -> Result<ExitCode> {
    let started = Instant::now();
    let name = args.net.to_str().filter(|name| name.starts_with('@'));
    let file = args.pairs.as_deref().filter(|path| path.as_os_str() != NON_EDGES);
    let mut inputs: Vec<paths::NamedPath<'_>> = file.map(|path| ("--pairs", path)).into_iter().collect();
    inputs.extend(name.is_none().then_some(("OBS", &*args.net)));
    let outputs = [("-o", &*args.out)];
    paths::check(common, &inputs, &outputs)?;
    rescue::plan(&outputs);
    output::probe(&args.out)?;
    let network = match name {
        Some(name) => embedded(name)?,
        None => {
            Progress::reading(common.quiet, &args.net, || read_network(&args.net, &ReadOptions::default()))?.0
        }
    };
    let network = if network.is_simple() { network } else { network.to_simple() };
    let table = file.map(PairTable::read).transpose().context("--pairs")?;
    let pairs: Vec<(u32, u32)> = match &table {
        Some(table) => named(table, &network)?,
        None if args.pairs.is_some() => non_edges(&network)?,
        None => network.each_edge().map(|(u, v, _)| (u, v)).collect(),
    };
    if pairs.is_empty() {
        bail!("{}: has no pair to score", args.net.display());
    }
    interrupt::listen();
    interrupt::waits_for("this pass of the embedding");
    let mut progress = Progress::with_unit("%", common.quiet, Some(STEPS as u64), 0);
    let scores = args.method.scores(&network, &pairs, common.seed, &mut |done| {
        progress.update((done.clamp(0.0, 1.0) * STEPS) as u64, || "embedding".into());
        !interrupt::asked()
    });
    progress.finish();
    let scores = match scores {
        Err(Error::Interrupted) => {
            say("ergodict-paper: interrupted; nothing was written");
            return Ok(interrupt::code());
        }
        scores => scores?,
    };
    write(&args.out, &network, table.as_ref(), &pairs, &scores)?;
    let seconds = started.elapsed().as_secs_f64();
    if !common.quiet {
        say(&format!(
            "wrote {}: {} pairs by {} in {seconds:.1} s",
            args.out.display(),
            pairs.len(),
            args.method
        ));
    }
    if common.json {
        let summary = json!({
            "schema": "ergodict.paper-score/1", "out": args.out, "method": args.method.to_string(), "pairs": pairs.len(),
            "seconds": seconds, "config": resolved::config(),
        });
        output::print(&format!("{summary:#}\n"))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The pairs of a table as nodes; a node is no pair with itself.
fn named(table: &PairTable, network: &Network) -> Result<Vec<(u32, u32)>> {
    let pairs = table.nodes(network)?;
    match pairs.iter().position(|(u, v)| u == v) {
        Some(row) => Err(table.refuse(row, "has a node with itself, which is no pair to score").into()),
        None => Ok(pairs),
    }
}

/// All pairs without an edge, if they fit.
fn non_edges(network: &Network) -> Result<Vec<(u32, u32)>> {
    let n = network.nodes() as u64;
    let pairs = n * n.saturating_sub(1) / 2 - network.edges();
    let what = format!("{pairs} pairs without an edge");
    ergodict::memory::check(
        pairs.saturating_mul(denoise::PER_PAIR),
        &what,
        "--pairs FILE takes some of them",
    )?;
    Ok(denoise::non_edges(network))
}

fn write(
    out: &Path,
    network: &Network,
    table: Option<&PairTable>,
    pairs: &[(u32, u32)],
    scores: &[f64],
) -> Result<()> {
    output::stream(out, |file| {
        let failed = |problem| Error::io(out)(problem);
        writeln!(file, "u\tv\tscore").map_err(failed)?;
        for (row, (&(u, v), score)) in pairs.iter().zip(scores).enumerate() {
            let (u, v) = match table.map(|table| table.pair(row)) {
                Some((u, v)) => (u.into(), v.into()),
                None => (network.ids().name(u as usize), network.ids().name(v as usize)),
            };
            let (u, v) = (write_name(&u).map_err(failed)?, write_name(&v).map_err(failed)?);
            writeln!(file, "{u}\t{v}\t{score}").map_err(failed)?;
        }
        Ok(())
    })
}
