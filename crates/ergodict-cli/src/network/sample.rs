//! `ergodict network sample`: homomorphisms of a motif into a network, and what they tell of it.

use super::page;
use super::reading::{self, Opened, Reading};
use super::recording::{Mark, Recording};
use super::sampled::Sampled;
use super::samples::Outputs;
use super::sampling::{self, Chosen, Sampling};
use crate::args::{Common, count};
use crate::progress::{Progress, say};
use crate::runs::tagged;
use crate::saving::{self, Saving};
use crate::showing::{self, Showing};
use crate::{input, interrupt, marks, memory, output, paths};
use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use ergodict::chain::rng::{Purpose, ids, stream};
use ergodict::chain::{Density, Motif, SamplerKind};
use ergodict::data::{Adjacency, Network, digest};
use ergodict::dictionary::Input;
use ergodict::patch::Measures;
use rayon::prelude::*;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How long chains go on before they meet.
const SLICE: Duration = Duration::from_millis(200);
/// Draws that a density is estimated from at most: one part in a thousand, where the motif closes one time in ten.
const MOST_DRAWS: u64 = 10_000_000;
/// Whose checkpoints they are.
const KIND: marks::Kind =
    marks::Kind { schema: "ergodict.network-sample-checkpoint/1", verb: "network sample" };

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

/// Sample homomorphisms of a motif into a network: k nodes each, with all edges of the motif between them
#[derive(clap::Args)]
#[command(after_long_help = HELP)]
pub(crate) struct Args {
    /// The network: an edge list, MatrixMarket, scipy .npz or .egr, - for standard input, or a name such as @karate
    #[arg(value_name = "NET")]
    net: PathBuf,
    /// Homomorphisms in all, over all chains
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = count, allow_negative_numbers = true)]
    count: u64,
    /// Where they go: .npy, an int64 array of shape (N, k), .csv, else text with tabs, one a line; - is standard output
    ///
    /// Nodes are written as they are called in the network. Where names are words, .npy has the nodes' places in the
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
    sampling: Sampling,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    saving: Saving,
    #[command(flatten)]
    showing: Showing,
}

pub(crate) fn run(args: &Args, common: &Common) -> Result<ExitCode> {
    args.check(common)?;
    let motif = args.sampling.motif()?;
    let larger =
        args.wants(Estimate::ConditionalDensity).then(|| sampling::larger(&args.conditional, &motif));
    let larger = larger.transpose()?;
    let opened = args.reading.open(&args.net, common.quiet)?;
    let inputs = args.inputs(&opened)?;
    let Opened { network, name, decisions, .. } = opened;
    let started = Instant::now();
    let Chosen { network, kind, sampler, notes } = args.sampling.choose(network, &motif, common.seed)?;
    let motif = sampler.motif();
    args.check_memory(motif.k())?;
    if kind == SamplerKind::PivotApprox
        && (args.wants(Estimate::ConditionalDensity) || args.wants(Estimate::Macc))
    {
        bail!(
            "--observables conditional-density and macc are means over the law of the motif, and --sampler pivot-approx \
             draws from another: use exact, pivot or glauber"
        );
    }
    let as_array =
        args.out.as_ref().is_some_and(|out| out.extension().is_some_and(|e| e.eq_ignore_ascii_case("npy")));
    let mut notes = notes;
    if as_array && network.ids().are_words() {
        notes.push("names are words: the array has the nodes' places in the ascending order of names".into());
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
    args.sampling.config(&mut config, motif, kind);
    args.reading.config(&mut config);
    interrupt::listen();
    let set_up = started.elapsed().as_secs_f64();
    let walkers = (0..args.sampling.chains()).into_par_iter();
    let walkers = walkers.map(|id| args.sampling.walker(&sampler, common.seed, id));
    let walkers = walkers.collect::<Result<Vec<_>>>()?;
    let wanted =
        |id: u64| args.count / args.sampling.chains() + u64::from(id < args.count % args.sampling.chains());
    let marks = args.marks(common, &config, &inputs)?;
    let resumed = marks.is_some();
    let mut recordings = Vec::new();
    for ((id, walker), spool) in (0..).zip(walkers).zip(args.spools()) {
        let measures = measures.clone();
        recordings.push(match (&marks, spool) {
            (Some(marks), Some(path)) => {
                let mark = &marks[id as usize];
                let Some(recording) = Recording::resumed(walker, wanted(id), measures, path, mark)? else {
                    say("ergodict: interrupted before anything was done; the checkpoint is as it was");
                    return Ok(interrupt::code());
                };
                recording
            }
            (_, path) => {
                let beside = args.out.as_deref().or(args.patches.as_deref()).or(path.as_deref());
                let beside =
                    beside.or(args.showing.outputs().next().map(|(_, path)| path)).map(Path::to_owned);
                let spool = beside.as_deref().map(|beside| (path.clone(), beside));
                Recording::new(walker, wanted(id), measures, spool)?
            }
        });
    }
    let before: u64 = recordings.iter().map(Recording::kept).sum();
    if resumed && !common.quiet {
        say(&format!("resumed after {before} homomorphisms"));
    }
    let drawing = Instant::now();
    match args.record(common, &mut recordings, &config, &inputs) {
        Ok(None) => {}
        Ok(Some(code)) => return Ok(code),
        Err(error) => {
            // Without a checkpoint nothing could go on from what was drawn.
            if args.saving.checkpoint.as_ref().is_some_and(|path| !path.exists()) {
                recordings.into_iter().try_for_each(Recording::remove)?;
            }
            return Err(error);
        }
    }
    let seconds = drawing.elapsed().as_secs_f64();
    // What is drawn is not lost if it cannot be written now.
    args.saving.tried(args.save(&mut recordings, &config, &inputs), false)?;
    let outputs =
        Outputs { samples: args.out.as_deref(), patches: args.patches.as_deref(), count: args.count };
    if !outputs.write(&mut recordings, &measures.patches)? {
        let place = args.saving.checkpoint.as_deref();
        say(&saving::interrupted(&format!("{} homomorphisms, before all was written", args.count), place, 0));
        return Ok(interrupt::code());
    }
    let density =
        args.wants(Estimate::Density).then(|| args.density(&network, motif, common.seed)).transpose()?;
    let sampled = Sampled::new(name, &network, &*sampler, kind, &recordings, &measures, density);
    let sampled = Sampled {
        out: args.out.clone(),
        patches_out: args.patches.clone(),
        every: args.sampling.every(),
        injective: args.sampling.injective(),
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
    args.showing.write(|| page::of_sample(&sampled, &mut recordings, &measures.patches))?;
    if let Some(path) = &args.saving.checkpoint {
        saving::remove(path)?;
    }
    recordings.into_iter().try_for_each(Recording::remove)?;
    if !common.quiet {
        say(&sampled.words(args.showing.lines()));
    }
    if common.json {
        output::print(&format!("{:#}\n", sampled.json()))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The share of proposals accepted, for samplers that make some.
fn accepted(recordings: &[Recording]) -> String {
    let all = recordings.iter().map(Recording::acceptance);
    let (accepted, proposed) = all.fold((0, 0), |(a, p), x| (a + x.accepted, p + x.proposed));
    if proposed == 0 {
        String::new()
    } else {
        format!("{:.1} % accepted", 100.0 * accepted as f64 / proposed as f64)
    }
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
    fn inputs(&self, opened: &Opened) -> Result<Vec<Input>> {
        let mut inputs = vec![reading::input(opened)];
        for path in self.sampling.files().map(|(_, path)| path).into_iter().chain(self.larger_file()) {
            inputs.push(Input { name: input::name(path), digest: digest(path)? });
        }
        Ok(inputs)
    }

    fn check(&self, common: &Common) -> Result<()> {
        self.saving.check()?;
        self.sampling.check()?;
        if self.count == 0 {
            bail!("--count is 0, but at least one homomorphism must be drawn");
        }
        if self.sampling.chains() > self.count {
            bail!(
                "--chains is {}, but only {} homomorphisms are asked for",
                self.sampling.chains(),
                self.count
            );
        }
        if let Some(patches) = &self.patches {
            output::named(patches, "npy", "patches")?;
        }
        if let Some(out) = &self.out
            && let Some(other) = out.extension().and_then(|e| e.to_str())
            && ["gz", "zst", "npz", "parquet", "json", "egr", "mtx"].contains(&other)
        {
            let at = out.display();
            bail!("{at}: homomorphisms are written as .npy, .csv or text, not .{other}: name the output so");
        }
        let mut inputs: Vec<paths::Given<'_>> = reading::file(&self.net).into_iter().collect();
        inputs.extend(self.sampling.files());
        inputs.extend(self.larger_file().map(|path| ("--conditional", path)));
        let spools = self.spools();
        let mut outputs: Vec<paths::Given<'_>> = self.out.iter().map(|path| ("-o", &**path)).collect();
        outputs.extend(self.patches.as_deref().map(|path| ("--patches", path)));
        outputs.extend(self.saving.checkpoint.as_deref().map(|path| ("--checkpoint", path)));
        outputs.extend(spools.iter().flatten().map(|path| ("--checkpoint", &**path)));
        outputs.extend(self.showing.outputs());
        paths::check(common, &inputs, &outputs)?;
        showing::probe(&outputs)?;
        if self.saving.checkpoint.is_some() && output::is_standard(&self.net) {
            bail!("NET is -, which cannot be read again to resume: --checkpoint needs a file");
        }
        Ok(())
    }

    /// Refuses series that do not fit into memory.
    fn check_memory(&self, k: usize) -> Result<()> {
        let numbers = 3 + u64::from(self.wants(Estimate::ConditionalDensity));
        let needed = self.count.saturating_mul(8 * numbers);
        let what = format!("observables of --count {} homomorphisms", self.count);
        memory::check(needed, &what, "lower --count")?;
        let disk = self.count.saturating_mul(4 * k as u64);
        if disk > 1 << 50 {
            bail!("--count is {}, but so many homomorphisms fit on no disk", self.count);
        }
        Ok(())
    }

    /// Where the homomorphisms of each chain are until all is over.
    fn spools(&self) -> Vec<Option<PathBuf>> {
        let chains = self.sampling.chains();
        let Some(checkpoint) = &self.saving.checkpoint else { return vec![None; chains as usize] };
        let mut name = checkpoint.clone().into_os_string();
        name.push(".samples");
        let tag = |id| if chains > 1 { format!("chain{id}") } else { String::new() };
        (0..chains).map(|id| Some(tagged(Path::new(&name), &tag(id)))).collect()
    }

    fn measures(&self, network: &Arc<Network>, motif: &Motif, larger: Option<&Motif>) -> Result<Measures> {
        let adjacency = Adjacency::of_bytes(network, self.sampling.memory_of_adjacency());
        Measures::with(adjacency, motif, larger, self.wants(Estimate::Macc)).context("--conditional")
    }

    /// The density of the motif: exact for trees, else from as many draws as there are homomorphisms.
    fn density(&self, network: &Arc<Network>, motif: &Motif, seed: u64) -> Result<Density> {
        let mut rng = stream(seed, Purpose::Chain, ids::DENSITY);
        Ok(Density::of(network, motif, self.count.min(MOST_DRAWS) as usize, &mut rng)?)
    }

    /// Where the chains of an interrupted run were.
    fn marks(&self, common: &Common, config: &Value, inputs: &[Input]) -> Result<Option<Vec<Mark>>> {
        let Some(path) = &self.saving.checkpoint else { return Ok(None) };
        if !self.saving.goes_on(path, common.quiet)? {
            return Ok(None);
        }
        marks::load(KIND, path, config, inputs, self.sampling.chains() as usize).map(Some)
    }

    /// Saves where the chains are, if that is wanted.
    fn save(&self, recordings: &mut [Recording], config: &Value, inputs: &[Input]) -> Result<()> {
        let Some(path) = &self.saving.checkpoint else { return Ok(()) };
        let chains = recordings.iter_mut().map(Recording::mark).collect::<Result<Vec<_>>>()?;
        marks::save(KIND, path, config, inputs, chains)
    }

    /// Goes on until all homomorphisms are drawn, or until interrupted: the exit code then.
    fn record(
        &self,
        common: &Common,
        recordings: &mut [Recording],
        config: &Value,
        inputs: &[Input],
    ) -> Result<Option<ExitCode>> {
        let all = |recordings: &[Recording]| -> u64 { recordings.iter().map(Recording::kept).sum() };
        let before = all(recordings);
        let mut progress = Progress::of("homomorphisms", common.quiet, Some(self.count), before);
        let (mut saved, done) = (Instant::now(), AtomicU64::new(0));
        let slice = SLICE.min(self.saving.every());
        let stop = || interrupt::asked() || interrupt::due(done.load(Ordering::Relaxed));
        while recordings.iter().any(|recording| !recording.over()) {
            recordings.par_iter_mut().try_for_each(|recording| recording.go_on(slice, &done, stop))?;
            let kept = all(recordings);
            progress.update(kept, || accepted(recordings));
            let stopped = kept < self.count && stop();
            let place = self.saving.checkpoint.as_deref();
            if place.is_some() && (stopped || saved.elapsed() >= self.saving.every()) {
                self.saving.tried(self.save(recordings, config, inputs), stopped)?;
                saved = Instant::now();
            }
            if stopped {
                progress.finish();
                say(&saving::interrupted(&format!("{kept} homomorphisms"), place, 0));
                return Ok(Some(interrupt::code()));
            }
        }
        progress.finish();
        Ok(None)
    }
}
