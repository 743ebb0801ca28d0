//! `ergodict network sample`: motif samples of a network, and their observables.

pub(super) mod summary;
mod writer;

use super::reading::{self, OpenedNetwork};
use crate::args::{Common, count};
use crate::checkpoints::CheckpointArgs;
use crate::driver::Driver;
use crate::progress::say;
use crate::reports::{self, ReportArgs};
use crate::summary::emit;
use crate::{input, interrupt, memory, output, paths};
use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use ergodict::chain::{ChosenSampler, Density, Motif, SamplerKind, SamplingSettings, Use};
use ergodict::data::{Adjacency, Network, ReadSettings, digest};
use ergodict::model::Input;
use ergodict::patch::Measures;
use ergodict::rng::{Purpose, ids, stream};
use ergodict::run::{Checkpoint, Identity, Job, MotifRecorder, Spool, Status};
use rayon::prelude::*;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;
use summary::Sampled;
use writer::Outputs;

/// Draws that a density is estimated from at most: one part in a thousand, where the motif closes one time in ten.
const MOST_DRAWS: u64 = 10_000_000;
const HELP: &str = "\
Example:
  ergodict network sample @karate -k 5 --count 10000 -o walks.tsv --report walks.html
  ergodict network sample edges.txt.gz --sampler pivot --chains 4 --count 1e6 -o walks.npy
  ergodict network sample @lesmis --motif cycle -k 4 --observables density,macc --json
  ergodict network sample @karate --count 1e5 --patches patches.npy && ergodict factor patches.npy -r 25 -o atoms.safetensors";

/// What can be estimated from homomorphisms.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Estimate {
    /// The homomorphism density t(F, G): the mean of Π A(x(i),x(j)) over all ways to place the motif
    Density,
    /// The conditional density t(H, G | F), for the larger motif H of --conditional
    ConditionalDensity,
    /// The matrix of average clustering coefficients: the conditional density of F with one edge more, for each edge
    Macc,
}

/// Sample random walks, or other motifs, from a network
#[derive(clap::Args)]
#[command(after_long_help = HELP)]
pub(crate) struct Args {
    #[arg(value_name = "NET", help = reading::expected("The network: "))]
    net: PathBuf,
    /// Number of samples, over all chains
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = count, allow_negative_numbers = true)]
    count: u64,
    /// File to write: .npy (int64, shape (N, k)), .csv, else text with tabs, a sample a line; - is standard output
    ///
    /// Nodes are written as they are called in the network. If names are not numbers, .npy has node indices in the
    /// ascending order of names. Chains come one after the other.
    #[arg(short, long, value_name = "SAMPLES")]
    out: Option<PathBuf>,
    /// Also write their k×k patches A(x(i),x(j)), a .npy array of shape (N, k²), for `ergodict factor`
    #[arg(long, value_name = "FILE.npy")]
    patches: Option<PathBuf>,
    /// What to estimate: density, conditional-density, macc
    #[arg(long, value_name = "NAMES", value_delimiter = ',', hide_possible_values = true)]
    observables: Vec<Estimate>,
    /// The larger motif of the conditional density: cycle, complete, or a file with its edges
    #[arg(long, value_name = "cycle|complete|FILE", default_value = "cycle", hide_short_help = true)]
    conditional: String,
    #[command(flatten)]
    sampling: SamplingSettings,
    #[command(flatten)]
    reading: ReadSettings,
    #[command(flatten)]
    checkpoints: CheckpointArgs,
    #[command(flatten)]
    reports: ReportArgs,
}

pub(crate) fn run(args: &Args, common: &Common) -> Result<ExitCode> {
    args.check(common)?;
    let motif = args.sampling.motif()?;
    let larger = args.wants(Estimate::ConditionalDensity).then(|| larger(&args.conditional, &motif));
    let larger = larger.transpose()?;
    let opened = reading::open(&args.reading, &args.net, common.quiet)?;
    let inputs = args.inputs(&opened)?;
    let OpenedNetwork { network, name, decisions, .. } = opened;
    let started = Instant::now();
    let ChosenSampler { network, kind, sampler, notes, .. } =
        args.sampling.choose(Use::Estimate, network, &motif, common.seed)?;
    let motif = sampler.motif();
    args.check_memory(motif.k())?;
    if matches!(kind, SamplerKind::Walk | SamplerKind::PivotApprox)
        && (args.wants(Estimate::ConditionalDensity) || args.wants(Estimate::Macc))
    {
        bail!(
            "--observables conditional-density and macc are means over all motif samples, which --sampler {kind} does not draw \
             uniformly: use exact, pivot or glauber"
        );
    }
    let as_array =
        args.out.as_ref().is_some_and(|out| out.extension().is_some_and(|e| e.eq_ignore_ascii_case("npy")));
    let weights = network.weights_note().filter(|_| !args.reading.weighted);
    let mut notes = output::spelled(&weights.into_iter().chain(notes).collect::<Vec<_>>());
    if as_array && network.ids().are_words() {
        notes.push("names are not numbers: the array has node indices, in ascending order of names".into());
    }
    if !common.quiet {
        notes.iter().for_each(|note| say(&format!("{name}: {note}")));
    }
    let measures = args.measures(&network, motif, larger.as_ref())?;
    let mut config = json!({ "count": args.count, "seed": common.seed });
    let names = args.observables.iter().filter_map(|o| Some(o.to_possible_value()?.get_name().to_owned()));
    let names: Vec<String> = names.collect();
    config["observables"] = if names.is_empty() { Value::Null } else { json!(names.join(",")) };
    config["conditional"] = json!(args.conditional);
    let mut sampling = args.sampling.clone().decided(Use::Estimate);
    sampling.record(motif, kind);
    crate::resolved::add(&mut config, &sampling);
    crate::resolved::add(&mut config, &args.reading);
    let set_up = started.elapsed().as_secs_f64();
    let walkers = (0..args.sampling.chains()).into_par_iter();
    let walkers = walkers.map(|id| args.sampling.walker(&sampler, common.seed, id).map_err(Into::into));
    // Until a burn-in is over there is nothing to keep, and Ctrl-C is the end.
    let walkers = walkers.collect::<Result<Vec<_>>>()?;
    interrupt::listen();
    let wanted =
        |id: u64| args.count / args.sampling.chains() + u64::from(id < args.count % args.sampling.chains());
    let identity = Identity {
        command: "network sample".into(),
        settings: config.clone(),
        inputs: inputs.clone(),
        seed: common.seed,
    };
    let mut driver = Driver::open(&args.checkpoints, common, &identity)?;
    let beside = args.out.as_deref().or(args.patches.as_deref());
    let beside = beside.or(args.reports.outputs().next().map(|(_, path)| path)).map(Path::to_owned);
    let mut recorders = Vec::new();
    for (id, walker) in (0..).zip(walkers) {
        let spool = match (driver.spool(&args.spool(id), None)?, &beside) {
            (None, Some(beside)) => Some(Spool::temporary(beside)?),
            (spool, _) => spool,
        };
        recorders.push(MotifRecorder::new(walker, wanted(id), measures.clone(), spool));
    }
    let mut jobs: Vec<&mut dyn Job> = recorders.iter_mut().map(|recorder| recorder as &mut dyn Job).collect();
    let resumed = driver.restore(&mut jobs)?;
    let kept = |jobs: &[&mut dyn Job]| jobs.iter().map(|job| job.done().0).sum::<u64>();
    let before = kept(&jobs);
    if resumed && !common.quiet {
        say(&format!("resumed after {before} samples"));
    }
    let drawing = Instant::now();
    if driver.drive(&mut jobs)? == Status::Stopped {
        return Ok(driver.interrupted(&format!("{} samples", kept(&jobs))));
    }
    let seconds = drawing.elapsed().as_secs_f64();
    let outputs =
        Outputs { samples: args.out.as_deref(), patches: args.patches.as_deref(), count: args.count };
    if !outputs.write(&recorders, &measures.patches)? {
        return Ok(driver.interrupted(&format!("{} samples, before all was written", args.count)));
    }
    let density =
        args.wants(Estimate::Density).then(|| args.density(&network, motif, common.seed)).transpose()?;
    let sampled = Sampled::new(name, &network, &*sampler, kind, &recorders, &measures, density);
    let sampled = Sampled {
        out: args.out.clone(),
        patches_out: args.patches.clone(),
        every: args.sampling.every,
        injective: args.sampling.injective,
        config,
        set_up,
        seconds,
        drawn: args.count - before,
        resumed,
        notes,
        decisions: decisions.map(|decisions| decisions.to_string()),
        digest: inputs
            .first()
            .filter(|_| reading::embedded_name(&args.net).is_none())
            .map(|input| input.digest.clone()),
        ..sampled
    };
    args.reports.write(|| sampled.page(&recorders, &measures.patches))?;
    driver.remove()?;
    emit(&sampled.summary(args.reports.lines()), common)?;
    Ok(ExitCode::SUCCESS)
}

impl Args {
    fn wants(&self, estimate: Estimate) -> bool {
        self.observables.contains(&estimate)
    }

    /// The file of the larger motif, if there is one.
    fn larger_file(&self) -> Option<&Path> {
        let asked = self.wants(Estimate::ConditionalDensity) && !Motif::SHAPES.contains(&&*self.conditional);
        asked.then(|| Path::new(&*self.conditional))
    }

    /// All that is read, so that a checkpoint knows what it is of.
    fn inputs(&self, opened: &OpenedNetwork) -> Result<Vec<Input>> {
        let mut inputs = vec![reading::input(opened)];
        for path in self.sampling.motif_file().into_iter().chain(self.larger_file()) {
            inputs.push(Input { name: input::name(path), digest: digest(path)? });
        }
        Ok(inputs)
    }

    fn check(&self, common: &Common) -> Result<()> {
        self.checkpoints.check()?;
        self.sampling.check()?;
        if self.count == 0 {
            bail!("--count is 0, but at least one sample is needed");
        }
        if self.sampling.chains() > self.count {
            bail!("--chains is {}, but --count is only {}", self.sampling.chains(), self.count);
        }
        if let Some(patches) = &self.patches {
            output::named(patches, "npy", "patches")?;
        }
        if let Some(out) = &self.out
            && let Some(other) = out.extension().and_then(|e| e.to_str())
            && ["gz", "zst", "npz", "parquet", "json", "egr", "mtx"].contains(&other)
        {
            let at = out.display();
            bail!("{at}: samples are written as .npy, .csv or text, not .{other}; use one of these endings");
        }
        let mut inputs: Vec<paths::NamedPath<'_>> = reading::file(&self.net).into_iter().collect();
        inputs.extend(self.sampling.motif_file().map(|path| ("--motif", path)));
        inputs.extend(self.larger_file().map(|path| ("--conditional", path)));
        let spools = self.spools();
        let mut outputs: Vec<paths::NamedPath<'_>> = self.out.iter().map(|path| ("-o", &**path)).collect();
        outputs.extend(self.patches.as_deref().map(|path| ("--patches", path)));
        outputs.extend(self.checkpoints.checkpoint.as_deref().map(|path| ("--checkpoint", path)));
        outputs.extend(spools.iter().map(|path| ("--checkpoint", &**path)));
        outputs.extend(self.reports.outputs());
        paths::check(common, &inputs, &outputs)?;
        reports::probe(&outputs)?;
        if self.checkpoints.checkpoint.is_some() && output::is_standard(&self.net) {
            bail!("NET is -, which cannot be read again to resume: --checkpoint needs a file");
        }
        Ok(())
    }

    /// Refuses series that do not fit into memory.
    fn check_memory(&self, k: usize) -> Result<()> {
        let numbers = 3 + u64::from(self.wants(Estimate::ConditionalDensity));
        let needed = self.count.saturating_mul(8 * numbers);
        let what = format!("observables of --count {} samples", self.count);
        memory::check(needed, &what, "lower --count")?;
        let disk = self.count.saturating_mul(4 * k as u64);
        if disk > 1 << 50 {
            bail!("--count is {}, which is more samples than fit on a disk", self.count);
        }
        Ok(())
    }

    /// The name of the spool of a chain.
    fn spool(&self, chain: u64) -> String {
        if self.sampling.chains() > 1 { format!("samples-chain{chain}") } else { "samples".into() }
    }

    /// Where the homomorphisms of each chain are until all is done.
    fn spools(&self) -> Vec<PathBuf> {
        let path =
            |id| Some(Checkpoint::spool_path(self.checkpoints.checkpoint.as_deref()?, &self.spool(id)));
        (0..self.sampling.chains()).filter_map(path).collect()
    }

    fn measures(&self, network: &Arc<Network>, motif: &Motif, larger: Option<&Motif>) -> Result<Measures> {
        let adjacency = Adjacency::of_bytes(network, self.sampling.memory_of_adjacency());
        Measures::with(adjacency, motif, larger, self.wants(Estimate::Macc)).context("--conditional")
    }

    /// The density of the motif: exact for trees, else from as many draws as there are homomorphisms.
    fn density(&self, network: &Arc<Network>, motif: &Motif, seed: u64) -> Result<Density> {
        let mut rng = stream(seed, Purpose::Chain, ids::DENSITY);
        Ok(Density::estimate(network, motif, self.count.min(MOST_DRAWS) as usize, &mut rng)?)
    }
}

/// The motif of `--conditional`.
fn larger(name: &str, motif: &Motif) -> Result<Motif> {
    if Motif::SHAPES.contains(&name) {
        return Motif::named_shape(name, motif.k()).with_context(|| format!("--conditional {name}"));
    }
    Motif::read(Path::new(name)).with_context(|| format!("--conditional {name}"))
}
