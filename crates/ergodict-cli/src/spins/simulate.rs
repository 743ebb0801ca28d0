//! `ergodict spins simulate`: the trajectory of a spin system, and how well it mixes.

use super::drawing;
use super::page;
use super::recording::{Ended, Mark, Recording};
use super::simulated::Simulated;
use super::system::{System, unusable};
use super::whole_steps;
use crate::args::{Common, count};
use crate::progress::{Progress, say};
use crate::runs::tagged;
use crate::saving::{self, Saving};
use crate::showing::{self, Showing};
use crate::{input, interrupt, marks, memory, output, paths, rescue};
use anyhow::{Context, Result, bail};
use ergodict::chain::diagnostics::Mixing;
use ergodict::chain::{Alphabet, ChainPoint, Observable, Rhythm, SpinWalk};
use ergodict::data::{Trajectory, digest};
use ergodict::dictionary::Input;
use rayon::prelude::*;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Whose checkpoints they are.
const KIND: marks::Kind = marks::Kind { schema: "ergodict.spins-checkpoint/1", verb: "spins simulate" };
/// How long chains go on before they meet.
const SLICE: Duration = Duration::from_millis(200);
/// Most chains: each is a file.
const MOST_CHAINS: u64 = 1 << 16;

const HELP: &str = "\
Example:
  ergodict spins simulate --size 100 --temperature 2.26 --updates 5e6 -o ising.npy --frames ising.gif
  ergodict spins simulate --model potts --states 5 --temperature 0.8 -o potts.npy --report potts.html
  ergodict spins learn --trajectory ising.npy -r 25 --patch 12 -o atoms.safetensors";

/// Run a spin system and write its trajectory, an int8 array of shape (frames, rows, columns)
#[derive(clap::Args)]
#[command(after_long_help = HELP)]
pub(crate) struct Args {
    /// The trajectory to write, - is standard output; with several chains, -chain0, -chain1, … are put before its
    /// extension
    #[arg(short, long, value_name = "TRAJ.npy")]
    out: PathBuf,
    /// Temperature [default: 2.26; 1 for potts and rbm, 10 for cellular-potts]
    #[arg(long, value_name = "T", allow_negative_numbers = true)]
    temperature: Option<f64>,
    /// Updates of single sites, after the burn-in
    #[arg(long, value_name = "N", default_value_t = 5_000_000, value_parser = count, allow_negative_numbers = true)]
    updates: u64,
    /// Updates between kept configurations; chains that update many sites in a step take whole steps
    #[arg(long, value_name = "TAU", default_value_t = 10_000, value_parser = count)]
    #[arg(allow_negative_numbers = true)]
    every: u64,
    /// Updates before the first configuration that may be kept
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = count, allow_negative_numbers = true)]
    burn_in: u64,
    /// First configuration: random, ordered (1 everywhere, label 0 for potts), or the last frame of a .npy file
    #[arg(long, value_name = "HOW|FILE", default_value = "random")]
    start: String,
    /// Independent chains
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true)]
    chains: u64,
    /// What to measure on every kept configuration: energy (per site), magnetisation, cluster (share of the largest)
    ///
    /// The magnetisation is the mean spin; the mean of units 0 and 1; and for q labels (q·max share − 1)/(q − 1), which is 0
    /// when all are as frequent and 1 when all sites are alike.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "energy,magnetisation")]
    observables: Vec<Observable>,
    /// Draw the kept configurations: an animation FILE.gif, or a folder for PNG files; several chains as for --out
    #[arg(long, value_name = "FILE.gif|DIR")]
    frames: Option<PathBuf>,
    #[command(flatten)]
    system: System,
    #[command(flatten)]
    saving: Saving,
    #[command(flatten)]
    showing: Showing,
}

/// What is known of an observable over all chains.
pub(super) struct Observed {
    pub(super) observable: Observable,
    /// Its times are in kept configurations.
    pub(super) mixing: Mixing,
}

impl Observed {
    pub(super) fn words(&self, every: u64) -> String {
        let Mixing { mean, error, autocorrelation_time, effective_sample_size, r_hat } = self.mixing;
        if autocorrelation_time.is_nan() {
            return format!("{mean:.5} (too few frames to tell how well it mixes)");
        }
        format!(
            "{mean:.5} ± {error:.5}; autocorrelation time {autocorrelation_time:.1} frames ({:.3e} updates), \
             {effective_sample_size:.0} effective samples, R̂ {r_hat:.3}",
            autocorrelation_time * every as f64,
        )
    }
}

pub(crate) fn run(args: &Args, common: &Common) -> Result<ExitCode> {
    if args.chains == 0 || args.chains > MOST_CHAINS {
        bail!("--chains is {}, but it must be between 1 and {MOST_CHAINS}", args.chains);
    }
    let outs = args.tagged(&args.out);
    args.check(common, &outs)?;
    args.check_memory()?;
    let temperature = args.temperature.unwrap_or_else(|| args.system.kind().temperature());
    let walks =
        (0..args.chains).map(|id| args.begin(temperature, common.seed, id)).collect::<Result<Vec<_>>>()?;
    let (shape, alphabet, of) = (walks[0].shape(), walks[0].alphabet(), walks[0].updates_per_step());
    let rhythm = Rhythm::of_updates(args.burn_in, args.every, of);
    let frames = args.updates.div_ceil(of) / rhythm.every;
    if frames == 0 {
        bail!(
            "--every is {}, but there are only {} updates: nothing would be kept",
            args.every,
            args.updates
        );
    }
    args.frames.iter().try_for_each(|target| drawing::check(target, shape))?;
    args.showing.drawable(shape)?;
    let config = args.config(common, temperature);
    interrupt::listen();
    let started = Instant::now();
    let Some((mut recordings, resumed)) = args.recordings(common, walks, &outs, (rhythm, frames), &config)?
    else {
        say("ergodict: interrupted before anything was done; the checkpoint is as it was");
        return Ok(interrupt::code());
    };
    let whole = rhythm.every.saturating_mul(of);
    if !common.quiet {
        if resumed {
            say(&format!("resumed after {} frames", recordings.iter().map(Recording::frames).sum::<u64>()));
        }
        whole_steps::tell(&[args.every], of);
    }
    if let Some(code) = args.record(common, &mut recordings, frames, &config)? {
        return Ok(code);
    }
    let updates = recordings.iter().map(Recording::updates).sum();
    let chains: Vec<Ended> =
        recordings.into_iter().zip(&outs).map(|(r, out)| r.publish(out)).collect::<Result<_>>()?;
    let seconds = started.elapsed().as_secs_f64();
    if !args.draw(&outs, alphabet)? {
        let again = args.saving.checkpoint.as_ref().map(|_| "; with --resume the same command draws them");
        say(&format!(
            "ergodict: interrupted; the trajectory is written, but not all of --frames is drawn{}",
            again.unwrap_or_default()
        ));
        return Ok(interrupt::code());
    }
    let mixing = args.observables.iter().enumerate().map(|(i, &observable)| {
        let series: Vec<&[f64]> = chains.iter().map(|chain| &*chain.series[i]).collect();
        Observed { observable, mixing: Mixing::of(&series) }
    });
    let accepted = chains.iter().filter_map(|chain| chain.acceptance);
    let (accepted, proposed) = accepted.fold((0, 0), |(a, p), x| (a + x.accepted, p + x.proposed));
    let simulated = Simulated {
        shape,
        alphabet,
        every: whole,
        updates,
        temperature,
        mixing: mixing.collect(),
        acceptance: (proposed > 0).then(|| accepted as f64 / proposed as f64),
        exact_energy: args.system.exact_energy(temperature),
        chains,
        outs,
        config,
        seconds,
        resumed,
    };
    args.showing.write(|| page::of_simulation(&simulated))?;
    if let Some(path) = &args.saving.checkpoint {
        saving::remove(path)?;
    }
    args.partials().iter().flatten().try_for_each(|path| saving::remove(path))?;
    if !common.quiet {
        let mut more = args.showing.lines();
        more.extend(args.frames.as_ref().map(|path| ("frames", path.display().to_string())));
        say(&simulated.words(more));
    }
    if common.json {
        output::print(&format!("{:#}\n", simulated.json()))?;
    }
    Ok(ExitCode::SUCCESS)
}

impl Args {
    /// A file for each chain.
    fn tagged(&self, path: &Path) -> Vec<PathBuf> {
        let tag = |id| if self.chains > 1 { format!("chain{id}") } else { String::new() };
        (0..self.chains).map(|id| tagged(path, &tag(id))).collect()
    }

    /// Where the frames of a chain are until all is over.
    fn partials(&self) -> Vec<Option<PathBuf>> {
        let Some(checkpoint) = &self.saving.checkpoint else { return vec![None; self.chains as usize] };
        let mut name = checkpoint.clone().into_os_string();
        name.push(".frames");
        self.tagged(Path::new(&name)).into_iter().map(Some).collect()
    }

    fn check(&self, common: &Common, outs: &[PathBuf]) -> Result<()> {
        self.saving.check()?;
        if self.every == 0 {
            bail!("--every is 0, but it must be at least 1");
        }
        if self.chains > 1 && output::is_standard(&self.out) {
            bail!("-o is -, but {} trajectories cannot all go to standard output: name a file", self.chains);
        }
        if self.frames.is_some() && output::is_standard(&self.out) {
            bail!("--frames draws the trajectory when it is written: give -o a file, not -");
        }
        output::named(&self.out, "npy", "trajectories")?;
        let mut inputs = self.system.files();
        inputs.extend(self.start_file().map(|path| ("--start", path)));
        let partials = self.partials();
        let drawn: Vec<PathBuf> = self.frames.iter().flat_map(|path| self.tagged(path)).collect();
        let mut outputs: Vec<paths::Given<'_>> = outs.iter().map(|path| ("-o", &**path)).collect();
        outputs.extend(partials.iter().flatten().map(|path| ("--checkpoint", &**path)));
        outputs.extend(self.saving.checkpoint.as_deref().map(|path| ("--checkpoint", path)));
        outputs.extend(self.showing.outputs());
        let to_probe = outputs.len();
        outputs.extend(drawn.iter().map(|path| ("--frames", &**path)));
        paths::check(common, &inputs, &outputs)?;
        showing::probe(&outputs[..to_probe])?;
        rescue::plan(&outputs[to_probe..]);
        drawn.iter().try_for_each(|path| drawing::probe(path))?;
        if self.start_file().is_some_and(output::is_standard) {
            bail!("--start is -, but it is read once for each chain: name a file");
        }
        if self.start == "ordered" && self.system.only_copies() {
            bail!(
                "--start ordered is one label everywhere, which the cellular-potts rule of copying neighbours never \
                 leaves: use random, a file, or --proposal any"
            );
        }
        Ok(())
    }

    /// Refuses chains that do not fit into memory.
    fn check_memory(&self) -> Result<()> {
        let frames = self.updates / self.every;
        let series = frames.saturating_mul(self.observables.len() as u64).saturating_mul(8);
        let needed = self.system.memory()?.saturating_add(series).saturating_mul(self.chains);
        memory::check(
            needed,
            &format!("--chains {} of this --size, with --every {}", self.chains, self.every),
            "lower --size or --chains, or raise --every",
        )
    }

    /// Draws the trajectories, if that is wanted; false when interrupted meanwhile.
    fn draw(&self, outs: &[PathBuf], alphabet: Alphabet) -> Result<bool> {
        let targets = self.frames.iter().flat_map(|frames| self.tagged(frames));
        for (out, target) in outs.iter().zip(targets) {
            if !drawing::draw(out, &target, alphabet)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn start_file(&self) -> Option<&Path> {
        (!["random", "ordered"].contains(&&*self.start)).then(|| Path::new(&self.start))
    }

    /// The files that have a say in the result.
    fn inputs(&self) -> Result<Vec<Input>> {
        let mut inputs = self.system.inputs()?;
        if let Some(path) = self.start_file() {
            inputs.push(Input { name: input::name(path), digest: digest(path)? });
        }
        Ok(inputs)
    }

    /// A chain in its first configuration.
    fn begin(&self, temperature: f64, seed: u64, id: u64) -> Result<Box<dyn SpinWalk>> {
        let mut walk = self.system.walk(temperature, seed, id)?;
        let spins = match self.start_file() {
            None if self.start == "random" => return Ok(walk),
            None => {
                let labels = matches!(walk.alphabet(), Alphabet::Labels(_));
                vec![i8::from(!labels); walk.spins().len()]
            }
            Some(path) => {
                let expected = "random, ordered, or a .npy file whose last frame is taken";
                let mut trajectory =
                    Trajectory::open(path).with_context(|| unusable("--start", path, expected))?;
                if trajectory.shape() != walk.shape() {
                    let ((a, b), (c, d)) = (trajectory.shape(), walk.shape());
                    bail!("{}: has {a}×{b} sites, but the system has {c}×{d}", path.display());
                }
                let mut frame = Vec::new();
                let last = trajectory.len().checked_sub(1);
                let last = last.with_context(|| format!("{}: has no frame to start from", path.display()))?;
                trajectory.read_frame(last, &mut frame)?;
                frame
            }
        };
        let point = walk.point();
        let state = spins.iter().map(|&s| s as u8).collect();
        walk.seek(&ChainPoint { state, ..point }).with_context(|| format!("--start {}", self.start))?;
        Ok(walk)
    }

    /// Every flag that has a say in the result, with its value.
    fn config(&self, common: &Common, temperature: f64) -> Value {
        let mut config = json!({
            "temperature": temperature,
            "updates": self.updates,
            "every": self.every,
            "burn-in": self.burn_in,
            "start": self.start,
            "chains": self.chains,
            "seed": common.seed,
        });
        let names: Vec<String> = self.observables.iter().map(ToString::to_string).collect();
        config["observables"] = json!(names.join(","));
        self.system.config(&mut config);
        config
    }

    /// The chains at their beginning, or where their checkpoint has them; none when interrupted meanwhile.
    fn recordings(
        &self,
        common: &Common,
        walks: Vec<Box<dyn SpinWalk>>,
        outs: &[PathBuf],
        rhythm: (Rhythm, u64),
        config: &Value,
    ) -> Result<Option<(Vec<Recording>, bool)>> {
        let mut places: Vec<Option<Mark>> = walks.iter().map(|_| None).collect();
        let mut resumed = false;
        if let Some(path) = &self.saving.checkpoint
            && self.saving.goes_on(path, common.quiet)?
        {
            places = marks::load(KIND, path, config, &self.inputs()?, walks.len())?;
            resumed = true;
        }
        let partials = self.partials();
        let mut recordings = Vec::new();
        for (((walk, out), partial), mark) in walks.into_iter().zip(outs).zip(partials).zip(places) {
            let observables = &self.observables;
            // Found out now, not after the first frame.
            observables.iter().try_for_each(|observable| walk.measure(*observable).map(|_| ()))?;
            recordings.push(match (mark, partial) {
                (Some(mark), Some(partial)) => {
                    match Recording::resumed(walk, out, partial, rhythm, observables, mark)? {
                        Some(recording) => recording,
                        None => return Ok(None),
                    }
                }
                (_, partial) => Recording::new(walk, out, partial, rhythm, observables)?,
            });
        }
        Ok(Some((recordings, resumed)))
    }

    /// Goes on until all frames are kept, or until interrupted: the exit code then.
    fn record(
        &self,
        common: &Common,
        recordings: &mut [Recording],
        frames: u64,
        config: &Value,
    ) -> Result<Option<ExitCode>> {
        let inputs = if self.saving.checkpoint.is_some() { self.inputs()? } else { Vec::new() };
        let all = |recordings: &[Recording]| -> u64 { recordings.iter().map(Recording::frames).sum() };
        let before = all(recordings);
        let total = frames.saturating_mul(recordings.len() as u64);
        let mut progress = Progress::of("frames", common.quiet, Some(total), before);
        let (mut saved, kept) = (Instant::now(), AtomicU64::new(0));
        let slice = SLICE.min(self.saving.every());
        let stop = || interrupt::asked() || interrupt::due(kept.load(Ordering::Relaxed));
        while recordings.iter().any(|recording| !recording.over()) {
            recordings.par_iter_mut().try_for_each(|recording| recording.go_on(slice, &kept, stop))?;
            let frames = all(recordings);
            progress.update(frames, || {
                let last = |series: &Vec<f64>| series.last().copied().unwrap_or(f64::NAN);
                let each = self.observables.iter().zip(&recordings[0].series);
                let each: Vec<String> = each.map(|(o, series)| format!("{o} {:.4}", last(series))).collect();
                each.join(", ")
            });
            let stopped = frames < total && stop();
            let place = self.saving.checkpoint.as_deref();
            if let Some(path) = place.filter(|_| stopped || saved.elapsed() >= self.saving.every()) {
                // A chain goes on from a frame: before the first there is nothing to go on from.
                if frames > 0 {
                    self.saving.tried(save(path, recordings, config, &inputs), stopped)?;
                }
                saved = Instant::now();
            }
            if stopped && frames == 0 && place.is_some() {
                progress.finish();
                self.partials().iter().flatten().try_for_each(|path| saving::remove(path))?;
                say("ergodict: interrupted before the first frame was kept; there was no state to save yet");
                return Ok(Some(interrupt::code()));
            }
            if stopped {
                progress.finish();
                say(&saving::interrupted(&format!("{frames} frames"), place, 0));
                return Ok(Some(interrupt::code()));
            }
        }
        progress.finish();
        // What was simulated is not lost if it cannot be written.
        if let Some(path) = &self.saving.checkpoint {
            self.saving.tried(save(path, recordings, config, &inputs), false)?;
        }
        interrupt::waits_for("the trajectories and the report");
        Ok(None)
    }
}

/// Saves where the chains are.
fn save(path: &Path, recordings: &mut [Recording], config: &Value, inputs: &[Input]) -> Result<()> {
    let chains = recordings.iter_mut().map(Recording::mark).collect::<Result<Vec<_>>>()?;
    marks::save(KIND, path, config, inputs, chains)
}
