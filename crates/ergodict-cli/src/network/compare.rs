//! `ergodict network compare`: how well the latent motifs of each network rebuild the others.

use super::compared::{Compared, Measure};
use super::comparing::Comparing;
use super::reading::{self, Reading};
use super::reconstruct::Which;
use super::sampling::Sampling;
use super::several::{self, Networks};
use crate::args::{Common, count};
use crate::progress::{Progress, figure, say};
use crate::saving::{self, Saving};
use crate::scheme::Scheme;
use crate::showing::{self, Showing};
use crate::{interrupt, memory, output, paths};
use anyhow::{Result, bail};
use clap::ValueEnum;
use ergodict::Error;
use ergodict::dictionary::NetworkLearning;
use ergodict::factor::Factoriser;
use ergodict::linalg::Scalar;
use ergodict::patch::Watching;
use ergodict::reconstruct::average_linkage;
use ergodict::reconstruct::network::{Comparison, NetworkReconstruction};
use serde_json::json;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

const HELP: &str = "\
Example:
  ergodict network compare @karate @lesmis @florentine @kite --unweighted -k 10 -r 3 --report compare.html
  ergodict network compare facebook.txt.gz arxiv.txt.gz ppi.txt.gz -k 21 -r 25 -o matrix.tsv";

/// Rebuild every network by the latent motifs of every other, and tell how well that goes
///
/// Row by row the networks whose atoms are used, column by column those that are rebuilt; the diagonal is each network by its own
/// atoms. Networks are close when the atoms of either rebuild the other nearly as well as its own do.
#[derive(clap::Args)]
#[command(after_long_help = HELP)]
pub(crate) struct Args {
    /// The networks: edge lists, MatrixMarket, scipy .npz or .egr, - for standard input, or names such as @karate
    #[arg(required = true, num_args = 2.., value_name = "NET")]
    nets: Vec<PathBuf>,
    /// Where the matrix goes, as text with tabs [default: standard output]
    #[arg(short, long, value_name = "OUT.tsv")]
    out: Option<PathBuf>,
    /// Minibatches that each dictionary is learned from, T
    #[arg(long, value_name = "T", default_value_t = 100, value_parser = crate::args::count, allow_negative_numbers = true)]
    steps: u64,
    /// Patches of a minibatch, N
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = crate::args::number, allow_negative_numbers = true)]
    batch: usize,
    /// Homomorphisms of each reconstruction
    #[arg(long, value_name = "T", default_value_t = 200_000, value_parser = count, allow_negative_numbers = true)]
    samples: u64,
    /// What is measured: jaccard, weighted-jaccard or auc
    #[arg(long, value_enum, value_name = "WHAT", default_value = "jaccard", hide_possible_values = true)]
    measure: Measure,
    /// Which entries of patches count: plain (all, as in the paper) or off-chain (not those at edges of the motif itself, which any atoms
    /// rebuild)
    #[arg(
        long,
        value_enum,
        value_name = "plain|off-chain",
        default_value = "plain",
        hide_possible_values = true
    )]
    mode: Which,
    /// Pairs of a larger weight are called edges
    #[arg(long, value_name = "W", default_value_t = 0.5, allow_negative_numbers = true)]
    threshold: f64,
    #[command(flatten)]
    scheme: Scheme,
    #[command(flatten)]
    sampling: Sampling,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    saving: Saving,
    #[command(flatten)]
    showing: Showing,
}

pub(crate) fn run(args: &Args, common: &Common) -> Result<ExitCode> {
    let started = Instant::now();
    args.check(common)?;
    let motif = args.sampling.motif()?;
    let sampling = args.sampling.clone().for_rebuilding(&motif);
    let networks = Networks::open(&args.nets, false, &args.reading, &sampling, &motif, common)?;
    if networks.drawn.iter().any(|(network, _)| network.is_directed() != networks.drawn[0].0.is_directed()) {
        bail!("some networks are directed and some are not: add --undirected or --directed");
    }
    let parameters = args.scheme.parameters(&crate::scheme::defaults());
    parameters.check(motif.k() * motif.k())?;
    args.check_memory(&networks, motif.k() * motif.k())?;
    let mut config = args.scheme.config(&parameters)?;
    config["steps"] = json!(args.steps);
    config["batch"] = json!(args.batch);
    config["samples"] = json!(args.samples);
    config["measure"] = json!(args.measure.to_possible_value().map(|value| value.get_name().to_owned()));
    config["mode"] = json!(args.mode.name());
    config["threshold"] = json!(args.threshold);
    config["seed"] = json!(common.seed);
    sampling.config(&mut config, &networks.motif, networks.kind);
    args.reading.config(&mut config);
    crate::resolved::settle(&config);
    let config = crate::resolved::config();
    interrupt::listen();
    let watching = Watching {
        batch: args.batch,
        chains: sampling.chains() as usize,
        burn_in: sampling.burn_in(),
        every: sampling.every(),
        memory: sampling.memory_of_adjacency(),
    };
    let learning = NetworkLearning { steps: args.steps, watching, parameters };
    let shape = (motif.k() * motif.k(), learning.parameters.atoms);
    let (samples, mode, threshold) = (args.samples, args.mode.mode(), args.threshold);
    let comparison = Comparison { learning, samples, mode, threshold };
    let n = networks.drawn.len();
    let mut comparing = Comparing::new(&args.saving, &config, &networks.inputs, shape, n, common.quiet)?;
    if !args.compare(&mut comparing, &networks, &comparison, common)? {
        args.saving.tried(comparing.save(), true)?;
        say(&saving::interrupted(&comparing.words(), args.saving.checkpoint.as_deref(), 0));
        return Ok(interrupt::code());
    }
    // What was measured is not lost if it cannot be written.
    args.saving.tried(comparing.save(), false)?;
    let mut compared = Compared {
        names: networks.names.clone(),
        accuracy: comparing.cells(),
        merges: Vec::new(),
        measure: args.measure,
        kind: networks.kind,
        config: config.clone(),
        inputs: networks.inputs.clone(),
        seconds: started.elapsed().as_secs_f64(),
    };
    if let Some(at) = (0..n * n).find(|at| compared.at(at / n, at % n).is_nan()) {
        bail!(
            "{}: has no {}, for it has no edge, or no pair without one: choose another --measure, or leave it out",
            compared.names[at % n],
            compared.measure()
        );
    }
    compared.merges = average_linkage(&compared.distances(), n)?;
    args.write(&compared, common)?;
    Ok(ExitCode::SUCCESS)
}

/// What learning tells on its way.
fn told_of<T: Scalar>(name: &str, factoriser: &Factoriser<T>) -> String {
    let surrogate = factoriser.aggregates().per_sample(factoriser.surrogate());
    format!("learning {name}, surrogate {}", figure(surrogate))
}

/// What came of something; none when somebody asked to stop.
fn unless_stopped<R>(outcome: ergodict::Result<R>) -> Result<Option<R>> {
    match outcome {
        Err(Error::Interrupted) => Ok(None),
        outcome => Ok(Some(outcome?)),
    }
}

impl Args {
    fn check(&self, common: &Common) -> Result<()> {
        self.saving.check()?;
        self.sampling.check()?;
        several::check(&self.nets)?;
        for (name, value) in
            [("--steps", self.steps), ("--batch", self.batch as u64), ("--samples", self.samples)]
        {
            if value == 0 {
                bail!("{name} is 0, but at least one is needed");
            }
        }
        if let Some(out) = &self.out {
            super::rebuilt::Writer::check_text(out, "matrices")?;
        }
        if !self.threshold.is_finite() {
            bail!("--threshold is {}, but it must be a finite number", self.threshold);
        }
        let mut inputs: Vec<paths::Given<'_>> =
            self.nets.iter().filter_map(|net| reading::file(net)).collect();
        inputs.extend(self.sampling.files());
        if let Some(path) = self.scheme.file() {
            bail!("--init {}: each network has a dictionary of its own: use random or data", path.display());
        }
        let mut outputs: Vec<paths::Given<'_>> = self.out.iter().map(|path| ("-o", &**path)).collect();
        outputs.extend(self.saving.checkpoint.as_deref().map(|path| ("--checkpoint", path)));
        outputs.extend(self.showing.outputs());
        if self.saving.checkpoint.is_some() && self.nets.iter().any(|path| output::is_standard(path)) {
            bail!("NET is -, which cannot be read again to resume: --checkpoint needs a file");
        }
        paths::check(common, &inputs, &outputs)?;
        showing::probe(&outputs)
    }

    /// Refuses what does not fit: a dictionary being learned, or the sums of the largest network.
    fn check_memory(&self, networks: &Networks, d: usize) -> Result<()> {
        let largest = networks.drawn.iter().map(|(network, _)| network.nodes() as u64).max().unwrap_or(0);
        let minibatch = (d as u64).saturating_mul(self.batch as u64).saturating_mul(8);
        let learning = self.scheme.memory::<f64>(d, self.batch as u64).saturating_add(minibatch);
        let sums = largest.saturating_mul(largest).saturating_mul(8);
        let sums = sums.min(NetworkReconstruction::default().memory as u64);
        let what = format!("atoms of {d} numbers and sums of the pairs of {largest} nodes");
        memory::check(learning.max(sums), &what, "lower -k, -r or --batch, or compare smaller networks")
    }

    /// Goes on until all is measured; false when somebody asked to stop.
    fn compare(
        &self,
        comparing: &mut Comparing<'_>,
        networks: &Networks,
        comparison: &Comparison,
        common: &Common,
    ) -> Result<bool> {
        let (n, steps) = (networks.drawn.len(), self.steps);
        let before = steps.saturating_mul(comparing.learned() as u64);
        let all = steps.saturating_mul(n as u64);
        let mut progress = Progress::of("minibatches", common.quiet, Some(all), before);
        while comparing.learned() < n {
            if comparing.stopped() {
                progress.finish();
                return Ok(false);
            }
            let at = comparing.learned();
            let (drawn, name) = (&networks.drawn[at], &networks.names[at]);
            let done = steps * at as u64;
            let learned = if self.scheme.f32 {
                comparison.dictionary::<f32>(drawn, common.seed, |step, f| {
                    progress.update(done + step, || told_of(name, f));
                    !interrupt::asked()
                })
            } else {
                comparison.dictionary::<f64>(drawn, common.seed, |step, f| {
                    progress.update(done + step, || told_of(name, f));
                    !interrupt::asked()
                })
            };
            let Some(dictionary) = unless_stopped(learned)? else {
                progress.finish();
                return Ok(false);
            };
            comparing.add_dictionary(&dictionary)?;
        }
        progress.finish();
        let (total, each) = (self.samples.saturating_mul((n * n) as u64), self.samples);
        let before = each.saturating_mul(comparing.measured() as u64);
        let mut progress = Progress::of("homomorphisms", common.quiet, Some(total), before);
        while comparing.measured() < n * n {
            if comparing.stopped() {
                progress.finish();
                return Ok(false);
            }
            let cell = comparing.measured();
            let (at, other) = (cell / n, cell % n);
            let (dictionary, drawn) = (comparing.dictionary(at), &networks.drawn[other]);
            let found = comparison.accuracy(&dictionary, drawn, common.seed, |taken| {
                let (to, by) = (&networks.names[other], &networks.names[at]);
                progress.update(each * cell as u64 + taken, || {
                    format!("cell {} of {}: {to} by {by}", cell + 1, n * n)
                });
                taken >= each || !interrupt::asked()
            });
            let Some(found) = unless_stopped(found)? else {
                progress.finish();
                return Ok(false);
            };
            comparing.add_cell(found)?;
        }
        progress.finish();
        Ok(true)
    }

    fn write(&self, compared: &Compared, common: &Common) -> Result<()> {
        if let Some(out) = &self.out {
            output::write(out, &compared.table())?;
        }
        self.showing.write(|| compared.page())?;
        if !common.quiet {
            say(&compared.words(self.out.as_deref(), self.showing.lines()));
        }
        if common.json {
            output::print(&format!("{:#}\n", compared.json()))?;
        } else if self.out.is_none() {
            output::print(&compared.table())?;
        }
        self.saving.checkpoint.as_deref().map_or(Ok(()), saving::remove)
    }
}
