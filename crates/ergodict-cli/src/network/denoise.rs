//! `ergodict network denoise`: which pairs of nodes look like true edges.

mod summary;

use super::reading::{self, OpenedNetwork};
use crate::args::{Common, Size, count};
use crate::checkpoints::CheckpointArgs;
use crate::driver::Driver;
use crate::progress::say;
use crate::reports::{self, ReportArgs};
use crate::summary::emit;
use crate::{input, interrupt, memory, output, paths};
use anyhow::{Context, Result, bail};
use ergodict::data::{Network, PairTable, ReadSettings, digest, write_name};
use ergodict::denoise::ensemble::NoiseModel;
use ergodict::denoise::heuristics::Heuristic;
use ergodict::denoise::splits::Negatives;
use ergodict::denoise::{Candidates, DenoiseRun, Denoiser, Method, Scores};
use ergodict::model::Input;
use ergodict::run::{Identity, Job, Status};
use ergodict::{Error, denoise};
use ergodict_pages::denoising::{DenoisingPage, DenoisingRun, reasons};
use ergodict_terminal::nearest;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;
use summary::Denoised;

/// The word for all pairs without an edge.
const NON_EDGES: &str = "non-edges";
/// Pairs that are written of all non-edges, where it was not said how many.
const TOP: u64 = 50;

fn help() -> String {
    let heuristics: Vec<&str> = Heuristic::ALL.iter().map(|heuristic| heuristic.name()).collect();
    format!(
        "{HELP}  {}\n                    numbers of paths and degrees, which need no training",
        heuristics.join(", ")
    )
}

const HELP: &str = "\
Example:
  ergodict network corrupt @lesmis --remove 0.3 -o observed.txt --truth truth.tsv
  ergodict network denoise observed.txt --pairs truth.tsv -o scores.tsv
  ergodict evaluate scores.tsv truth.tsv

The ten most suspicious edges, and the hundred most likely missing ones:
  ergodict network denoise @lesmis --top 10 -o suspicious.tsv --report suspicious.html
  ergodict network denoise @lesmis --pairs non-edges --top 100 -o missing.tsv

Methods:
  ensemble          logistic classifiers on paths, degrees, embeddings and latent-motif codes, trained on edges hidden
                    from (or put into) the observed network, with probabilities; the default
  motif-codes       a classifier on latent-motif codes of the pair's surroundings, and degrees
  ndr-off-motif     the paper's reconstruction without entries at the walk's own edges, shrunk
  ndr               the paper's reconstruction: the mean over all entries
  co-visits         how often walks had both nodes: ndr-off-motif without a dictionary
  prone             node embeddings, with a logistic classifier on products
";

/// Rank pairs of nodes by how much they look like true edges, from the observed network alone
#[derive(clap::Args)]
#[command(after_long_help = help())]
pub(crate) struct Args {
    #[arg(value_name = "OBS", help = reading::expected("The observed network: "))]
    net: PathBuf,
    /// The pairs to score, `u v` a line, further columns are not looked at; or non-edges: all pairs without an edge [default: every
    /// observed edge]
    #[arg(long, value_name = "PAIRS|non-edges")]
    pairs: Option<PathBuf>,
    /// Write only the N pairs that matter most, in that order: with --noise removed those of the highest scores, else of the lowest [default: 50 with
    /// --pairs non-edges, else all, in the order of the pairs]
    #[arg(long, value_name = "N", value_parser = count, allow_negative_numbers = true)]
    top: Option<u64>,
    /// The table to write, with tabs (with commas where its name ends in .csv): `u v score` (empty where the method cannot judge a pair), with --method ensemble the probability of a true edge, then the degrees of both nodes,
    /// their common neighbors and, of likely missing edges, the features that speak most for them; - is standard output
    #[arg(short, long, value_name = "SCORES.tsv")]
    out: PathBuf,
    /// How pairs are scored: ensemble, motif-codes, ndr, ndr-off-motif, co-visits, common-neighbors, … (--help has them all)
    #[arg(long, value_name = "METHOD", default_value_t = Method::Ensemble)]
    method: Method,
    /// What is assumed to be wrong: added, removed or both [default: added when every pair is an observed edge, removed when none is, else both]
    #[arg(long, value_enum, value_name = "added|removed|both", hide_possible_values = true)]
    noise: Option<NoiseModel>,
    /// What missing edges are to be distinguished from, with --method ensemble: all (pairs without an edge; the top of the list counts), uniform, degree
    /// (pairs with the degrees of missing edges) or mixed (some of both) [default: all with --pairs non-edges, else mixed]
    #[arg(
        long,
        value_enum,
        value_name = "all|uniform|mixed|degree",
        hide_possible_values = true,
        hide_short_help = true
    )]
    negatives: Option<Negatives>,
    /// The share of edges that you believe to be wrong, between 0 and 1, for the column probability: missing ones among the true edges, false ones
    /// among the observed [default: 0.1 for missing edges; for false ones it is estimated]
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true, hide_short_help = true)]
    share: Option<f64>,
    /// Memory limit, without the network, such as 2G or 500M, a number alone in mebibytes: what needs more is refused [default: what is
    /// available]
    #[arg(long, value_name = "SIZE", hide_short_help = true)]
    memory: Option<Size>,
    #[command(flatten)]
    reading: ReadSettings,
    #[command(flatten)]
    checkpoints: CheckpointArgs,
    #[command(flatten)]
    reports: ReportArgs,
}

pub(crate) fn run(args: &Args, common: &Common) -> Result<ExitCode> {
    let started = Instant::now();
    args.check(common)?;
    let opened = reading::open(&args.reading, &args.net, common.quiet)?;
    let mut inputs = vec![reading::input(&opened)];
    let OpenedNetwork { network, name, .. } = opened;
    let lost = network.lost_as_simple();
    let network = Arc::new(if lost.is_some() { network.to_simple() } else { network });
    if let Some(lost) = lost.filter(|_| !common.quiet) {
        say(&format!("{name}: ignored by denoising: {lost}"));
    }
    let table = args.pairs_file().map(PairTable::read).transpose().with_context(|| "--pairs")?;
    if let Some(path) = args.pairs_file() {
        inputs.push(Input { name: input::name(path), digest: digest(path)? });
    }
    let mut candidates = None;
    let pairs = match &table {
        Some(table) => named(table, &network)?,
        None if args.pairs.is_some() => {
            let found = args.candidates(&network)?;
            candidates = found.note();
            found.pairs
        }
        None => {
            args.check_memory(&network, network.edges())?;
            network.each_edge().map(|(u, v, _)| (u, v)).collect()
        }
    };
    if pairs.is_empty() {
        bail!("{name}: has no pair to score");
    }
    let observed = pairs.iter().filter(|&&(u, v)| network.weight(u as usize, v as usize) > 0.0).count();
    let assumed = args.noise.unwrap_or(match observed {
        0 => NoiseModel::Removed,
        _ if observed == pairs.len() => NoiseModel::Added,
        _ => NoiseModel::Both,
    });
    if assumed == NoiseModel::Removed && observed == pairs.len() {
        bail!(
            "--noise removed looks for missing edges, but all pairs to score are observed ones: give candidates by --pairs FILE, or \
             --pairs non-edges"
        );
    }
    args.check_memory(&network, pairs.len() as u64)?;
    interrupt::listen();
    crate::resolved::settle(&args.config(common, assumed));
    let (command, settings) = ("network denoise".into(), args.config(common, assumed));
    let identity = Identity { command, settings, inputs: inputs.clone(), seed: common.seed };
    let mut driver = Driver::open(&args.checkpoints, common, &identity)?;
    let denoiser = Denoiser {
        negatives: args.negatives(),
        share: args.share,
        ..Denoiser::new(args.method, assumed, common.seed)
    };
    let pairs: Arc<[(u32, u32)]> = pairs.into();
    let mut job = DenoiseRun::new(denoiser, Arc::clone(&network), Arc::clone(&pairs));
    if driver.restore(&mut [&mut job])? && !common.quiet {
        say("resumed");
    }
    if driver.drive(&mut [&mut job])? == Status::Stopped {
        return Ok(driver.interrupted(&format!("{:.1} % of {}", job.done().0 as f64 / 10.0, job.text())));
    }
    let scored = job.scores().context("nothing was scored")?;
    let order = denoise::order(&scored.scores, assumed == NoiseModel::Removed);
    let rows: Vec<usize> = match args.top() {
        Some(top) => order.iter().copied().take(usize::try_from(top).unwrap_or(usize::MAX)).collect(),
        None => (0..pairs.len()).collect(),
    };
    write(&args.out, &network, table.as_ref(), &pairs, scored, &rows)?;
    let run = DenoisingRun {
        network: name,
        method: args.method.to_string(),
        noise: assumed,
        share: args.share,
        ranks_non_edges: args.ranks_non_edges(),
        written: rows.len(),
        seconds: started.elapsed().as_secs_f64(),
        inputs,
        config: crate::resolved::config(),
    };
    let named = |v: u32| network.ids().name(v as usize).into_owned();
    let page = DenoisingPage::new(run, &network, &pairs, scored, &order, &named);
    let denoised = Denoised { out: &args.out, guessed: args.noise.is_none(), candidates, page };
    args.reports.write(|| Ok(denoised.page.report()))?;
    driver.remove()?;
    emit(&denoised.summary(args.reports.lines()), common)?;
    Ok(ExitCode::SUCCESS)
}

/// The pairs of a table as nodes; a node is no pair with itself.
fn named(table: &PairTable, network: &Network) -> Result<Vec<(u32, u32)>> {
    let pairs = table.nodes(network)?;
    if let Some(row) = pairs.iter().position(|(u, v)| u == v) {
        return Err(table.refuse(row, "has a node with itself, which is no pair to score").into());
    }
    Ok(pairs)
}

fn write(
    out: &Path,
    network: &Network,
    table: Option<&PairTable>,
    pairs: &[(u32, u32)],
    scored: &Scores,
    rows: &[usize],
) -> Result<()> {
    let is_csv = out.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("csv"));
    let separator = if is_csv { "," } else { "\t" };
    output::stream(out, |file| {
        let failed = |problem| Error::io(out)(problem);
        let mut head = vec!["u", "v", "score"];
        head.extend(scored.probabilities.as_ref().map(|_| "probability"));
        head.extend(["degree_u", "degree_v", "common_neighbors"]);
        head.extend((!scored.reasons.is_empty()).then_some("reasons"));
        writeln!(file, "{}", head.join(separator)).map_err(failed)?;
        for &row in rows {
            let ((u, v), score) = (pairs[row], scored.scores[row]);
            // A pair that the method cannot judge has an empty cell.
            let score = if score.is_nan() { String::new() } else { score.to_string() };
            let [one, two, common] = denoise::evidence(network, (u, v));
            let (u, v) = match table {
                Some(table) => {
                    let (u, v) = table.pair(row);
                    (u.into(), v.into())
                }
                None => (network.ids().name(u as usize), network.ids().name(v as usize)),
            };
            let (u, v) = (write_name(&u).map_err(failed)?, write_name(&v).map_err(failed)?);
            let mut fields = vec![u.into_owned(), v.into_owned(), score];
            fields.extend(scored.probabilities.as_ref().map(|all| all[row].to_string()));
            fields.extend([one, two, common].map(|number| number.to_string()));
            if !scored.reasons.is_empty() {
                let reasons = reasons(scored, row).unwrap_or_default();
                fields.push(if is_csv { format!("\"{reasons}\"") } else { reasons });
            }
            writeln!(file, "{}", fields.join(separator)).map_err(failed)?;
        }
        Ok(())
    })
}

impl Args {
    fn check(&self, common: &Common) -> Result<()> {
        self.checkpoints.check()?;
        let mut inputs: Vec<paths::NamedPath<'_>> = reading::file(&self.net).into_iter().collect();
        inputs.extend(self.pairs_file().map(|path| ("--pairs", path)));
        if let Some(share) = self.share.filter(|share| !(*share > 0.0 && *share < 1.0)) {
            bail!("--share is {share}, but it must be between 0 and 1");
        }
        let given = [("--negatives", self.negatives.is_some()), ("--share", self.share.is_some())];
        if let Some((flag, _)) = given.iter().find(|given| given.1 && self.method != Method::Ensemble) {
            bail!("{flag} is for --method ensemble, but the method is {}", self.method);
        }
        if self.top == Some(0) {
            bail!("--top is 0, but at least one pair is to be written");
        }
        if self.checkpoints.checkpoint.is_some() && output::is_standard(&self.net) {
            bail!("OBS is -, which cannot be read again to resume: --checkpoint needs a file");
        }
        let mut outputs: Vec<paths::NamedPath<'_>> = vec![("-o", &*self.out)];
        outputs.extend(self.checkpoints.checkpoint.as_deref().map(|path| ("--checkpoint", path)));
        outputs.extend(self.reports.outputs());
        if let Some(path) = self.pairs_file().filter(|path| !path.exists()) {
            let near = nearest::hint(&path.to_string_lossy(), [NON_EDGES]);
            if !near.is_empty() {
                bail!("--pairs: file {} not found{near}", path.display());
            }
        }
        paths::check(common, &inputs, &outputs)?;
        super::reconstruct::writer::Writer::check_text(&self.out, "scores")?;
        if self.pairs.as_deref().is_some_and(output::is_standard) {
            bail!("--pairs is -, but pairs are a file: name it");
        }
        reports::probe(&outputs)
    }

    /// All pairs without an edge, if they and what the method makes of them fit; of large networks those that short walks join most, where the method can
    /// do with these.
    fn candidates(&self, network: &Network) -> Result<Candidates> {
        let n = network.nodes() as u64;
        let pairs = n * n.saturating_sub(1) / 2 - network.edges();
        let local = self.method.is_local();
        let listed = if local { pairs.min(Candidates::MOST) } else { pairs };
        let what = format!("{listed} pairs without an edge");
        let needed = listed.saturating_mul(denoise::PER_PAIR);
        memory::check_within(needed, self.within(), &what, "--pairs FILE takes some of them")?;
        self.check_memory(network, listed)?;
        if local {
            return Ok(Candidates::new(network)?);
        }
        Ok(Candidates { pairs: denoise::non_edges(network), non_edges: pairs, distance: None })
    }

    /// What missing edges are to be distinguished from.
    fn negatives(&self) -> Negatives {
        self.negatives.unwrap_or(if self.ranks_non_edges() { Negatives::All } else { Negatives::Mixed })
    }

    /// Whether pairs without an edge are ranked, and not those of a file.
    fn ranks_non_edges(&self) -> bool {
        self.pairs.is_some() && self.pairs_file().is_none()
    }

    /// Bytes that it may take, if it was said.
    fn within(&self) -> Option<u64> {
        self.memory.map(|size| size.bytes() as u64)
    }

    /// Refuses embeddings and features that do not fit.
    fn check_memory(&self, network: &Network, pairs: u64) -> Result<()> {
        let n = network.nodes() as u64;
        let needed = self.method.memory(n, network.edges(), pairs);
        let what = format!("--method {} on {n} nodes and {pairs} pairs", self.method);
        // Of those that need least there is no other to go to.
        let least = Method::Heuristic(Heuristic::ResourceAllocation).memory(n, network.edges(), pairs);
        let way_out = if needed > least {
            "score fewer --pairs, or use --method resource-allocation"
        } else {
            "score fewer --pairs; no other method takes less"
        };
        memory::check_within(needed, self.within(), &what, way_out)
    }

    /// How many pairs are written; none for all.
    fn top(&self) -> Option<u64> {
        self.top.or(self.ranks_non_edges().then_some(TOP))
    }

    /// The file of pairs, if they are in one.
    fn pairs_file(&self) -> Option<&Path> {
        self.pairs.as_deref().filter(|path| path.as_os_str() != NON_EDGES)
    }

    fn config(&self, common: &Common, assumed: NoiseModel) -> Value {
        let mut config = json!({
            "method": self.method.to_string(),
            "noise": assumed,
            "seed": common.seed,
        });
        if self.method == Method::Ensemble {
            config["negatives"] = json!(self.negatives());
        }
        if let Some(share) = self.share {
            config["share"] = json!(share);
        }
        if let Some(top) = self.top() {
            config["top"] = json!(top);
        }
        if self.ranks_non_edges() {
            config["pairs"] = json!(NON_EDGES);
        }
        crate::resolved::add(&mut config, &self.reading);
        config
    }
}
