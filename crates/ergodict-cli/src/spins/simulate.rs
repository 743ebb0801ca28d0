//! `ergodict spins simulate`: the trajectory of a spin system, and how well it mixes.

use super::page;
use super::recording::{Ended, Mark, Recording, Rhythm};
use super::system::System;
use crate::args::Common;
use crate::progress::{Progress, say};
use crate::runs::tagged;
use crate::saving::{self, Saving};
use crate::showing::Showing;
use crate::tracked::table;
use crate::{INTERRUPTED, input, interrupt, output, paths};
use anyhow::{Context, Result, bail};
use ergodict::chain::diagnostics::Mixing;
use ergodict::chain::{Alphabet, ChainPoint, Observable, SpinWalk};
use ergodict::data::{Trajectory, digest};
use ergodict::dictionary::Input;
use ergodict_report::{GifWriter, Palette, frame_png};
use rayon::prelude::*;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How long chains go on before they meet.
const SLICE: Duration = Duration::from_millis(200);
/// Pixels along the longer side of a frame, where the lattice is smaller.
const FRAME_PIXELS: usize = 400;
/// Most chains: each is a file.
const MOST_CHAINS: u64 = 1 << 16;
/// R̂ above which chains have not mixed, by the usual rule.
const MIXED: f64 = 1.05;
/// Time between frames of an animation.
const FRAME_MS: u32 = 80;

const HELP: &str = "\
Example:
  ergodict spins simulate --size 100 --temperature 2.26 --updates 5000000 --every 10000 -o ising.npy --frames ising.gif
  ergodict spins simulate --model potts --states 5 --temperature 0.8 --chains 4 -o potts.npy --report potts.html
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
    #[arg(long, value_name = "N", default_value_t = 5_000_000, allow_negative_numbers = true)]
    updates: u64,
    /// Updates between kept configurations; chains that update many sites in a step take whole steps
    #[arg(long, value_name = "TAU", default_value_t = 10_000, allow_negative_numbers = true)]
    every: u64,
    /// Updates before the first configuration that may be kept
    #[arg(long, value_name = "N", default_value_t = 0, allow_negative_numbers = true)]
    burn_in: u64,
    /// First configuration: random, ordered (all sites alike), or the last frame of a .npy file
    #[arg(long, value_name = "random|ordered|FILE.npy", default_value = "random")]
    start: String,
    /// Independent chains
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true)]
    chains: u64,
    /// What to measure on every kept configuration: energy (per site), magnetisation, cluster (share of the largest)
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
    fn words(&self, every: u64) -> String {
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

/// What a simulation came to.
pub(super) struct Simulated {
    pub(super) shape: (usize, usize),
    pub(super) alphabet: Alphabet,
    /// Updates between frames.
    pub(super) every: u64,
    pub(super) updates: u64,
    pub(super) temperature: f64,
    pub(super) chains: Vec<Ended>,
    pub(super) outs: Vec<PathBuf>,
    pub(super) mixing: Vec<Observed>,
    pub(super) acceptance: Option<f64>,
    /// Exact energy per site of the infinite lattice, where it is known.
    pub(super) exact_energy: Option<f64>,
    pub(super) config: Value,
    pub(super) seconds: f64,
    pub(super) resumed: bool,
}

pub(crate) fn run(args: &Args, common: &Common) -> Result<ExitCode> {
    if args.chains == 0 || args.chains > MOST_CHAINS {
        bail!("--chains is {}, but it must be between 1 and {MOST_CHAINS}", args.chains);
    }
    let outs = args.tagged(&args.out);
    args.check(common, &outs)?;
    let temperature = args.temperature.unwrap_or_else(|| args.system.kind().temperature());
    let walks =
        (0..args.chains).map(|id| args.begin(temperature, common.seed, id)).collect::<Result<Vec<_>>>()?;
    let (shape, alphabet, of) = (walks[0].shape(), walks[0].alphabet(), walks[0].updates_per_step());
    let (every, steps) = (args.every.div_ceil(of), args.updates.div_ceil(of));
    let rhythm = Rhythm { burn_in: args.burn_in.div_ceil(of), every, frames: steps / every };
    if rhythm.frames == 0 {
        bail!(
            "--every is {}, but there are only {} updates: nothing would be kept",
            args.every,
            args.updates
        );
    }
    let config = args.config(common, temperature);
    interrupt::listen()?;
    let started = Instant::now();
    let (mut recordings, resumed) = args.recordings(common, walks, &outs, rhythm, &config)?;
    let whole = every.saturating_mul(of);
    if whole != args.every && !common.quiet {
        say(&format!("a step updates {of} sites: configurations are kept every {whole} updates"));
    }
    if let Some(code) = args.record(common, &mut recordings, rhythm, &config)? {
        return Ok(code);
    }
    let updates = recordings.iter().map(Recording::updates).sum();
    let chains: Vec<Ended> =
        recordings.into_iter().zip(&outs).map(|(r, out)| r.publish(out)).collect::<Result<_>>()?;
    let seconds = started.elapsed().as_secs_f64();
    args.draw(&outs, alphabet)?;
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
    if !common.quiet {
        say(&words(&simulated));
    }
    if common.json {
        output::print(&format!("{:#}\n", summary(&simulated)))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// A simulation's checkpoint.
#[derive(serde::Serialize, serde::Deserialize)]
struct Checkpoint {
    schema: String,
    version: String,
    config: Value,
    /// The files that describe the system.
    inputs: Vec<Input>,
    chains: Vec<Option<Mark>>,
}

const CHECKPOINT: &str = "ergodict.spins-checkpoint/1";

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
        outputs[..to_probe].iter().try_for_each(|(_, path)| output::probe(path))?;
        for path in &drawn {
            if is_gif(path) {
                output::probe(path)?;
            } else if path.exists() && !path.is_dir() {
                bail!("--frames {} is a file: expected a name in .gif, or a folder", path.display());
            }
        }
        Ok(())
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
            None => vec![1; walk.spins().len()],
            Some(path) => {
                let mut trajectory = Trajectory::open(path)?;
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

    /// The chains at their beginning, or where their checkpoint has them.
    fn recordings(
        &self,
        common: &Common,
        walks: Vec<Box<dyn SpinWalk>>,
        outs: &[PathBuf],
        rhythm: Rhythm,
        config: &Value,
    ) -> Result<(Vec<Recording>, bool)> {
        let mut marks: Vec<Option<Mark>> = walks.iter().map(|_| None).collect();
        let mut resumed = false;
        if let Some(path) = &self.saving.checkpoint
            && self.saving.goes_on(path, common.quiet)?
        {
            let bytes = std::fs::read(path).map_err(ergodict::Error::io(path))?;
            let found: Checkpoint = serde_json::from_slice(&bytes)
                .ok()
                .filter(|found: &Checkpoint| found.schema == CHECKPOINT)
                .with_context(|| {
                    format!("{}: is no checkpoint of `ergodict spins simulate`", path.display())
                })?;
            if let Some(difference) = saving::other_run(&found.config, config) {
                bail!("{}: {difference}", path.display());
            }
            saving::same_inputs(path, &found.inputs, &self.inputs()?)?;
            marks = found.chains;
            resumed = true;
        }
        let partials = self.partials();
        let mut recordings = Vec::new();
        for (((walk, out), partial), mark) in walks.into_iter().zip(outs).zip(partials).zip(marks) {
            let observables = &self.observables;
            // Found out now, not after the first frame.
            observables.iter().try_for_each(|observable| walk.measure(*observable).map(|_| ()))?;
            recordings.push(match (mark, partial) {
                (Some(mark), Some(partial)) => Recording::resumed(walk, partial, rhythm, observables, mark)?,
                (_, partial) => Recording::new(walk, out, partial, rhythm, observables)?,
            });
        }
        Ok((recordings, resumed))
    }

    /// Goes on until all frames are kept, or until interrupted: the exit code then.
    fn record(
        &self,
        common: &Common,
        recordings: &mut [Recording],
        rhythm: Rhythm,
        config: &Value,
    ) -> Result<Option<ExitCode>> {
        let inputs = if self.saving.checkpoint.is_some() { self.inputs()? } else { Vec::new() };
        let all = |recordings: &[Recording]| -> u64 { recordings.iter().map(Recording::frames).sum() };
        let before = all(recordings);
        let total = rhythm.frames.saturating_mul(recordings.len() as u64);
        let mut progress = Progress::of("frames", common.quiet, Some(total), before);
        let (mut saved, kept) = (Instant::now(), AtomicU64::new(0));
        let slice = SLICE.min(self.saving.every());
        let stop = || interrupt::asked() || interrupt::due(kept.load(Ordering::Relaxed));
        while recordings.iter().any(|recording| !recording.over()) {
            recordings.par_iter_mut().try_for_each(|recording| recording.go_on(slice, &kept, stop))?;
            let frames = all(recordings);
            progress.update(frames, || {
                let last = recordings[0].series.first().and_then(|s| s.last()).copied().unwrap_or(f64::NAN);
                format!("{} {last:.4}", self.observables[0])
            });
            let stopped = frames < total && stop();
            let checkpoint = self.saving.checkpoint.as_ref();
            if let Some(path) = checkpoint.filter(|_| stopped || saved.elapsed() >= self.saving.every()) {
                let chains = recordings.iter_mut().map(Recording::mark).collect::<Result<_>>()?;
                let version = env!("CARGO_PKG_VERSION").to_owned();
                let (schema, config, inputs) = (CHECKPOINT.into(), config.clone(), inputs.clone());
                let state = Checkpoint { schema, version, config, inputs, chains };
                output::write(path, &serde_json::to_string(&state)?)?;
                saved = Instant::now();
            }
            if stopped {
                progress.finish();
                say(&saving::interrupted(&format!("{frames} frames"), checkpoint.map(|p| &**p), 0));
                return Ok(Some(ExitCode::from(INTERRUPTED)));
            }
        }
        progress.finish();
        Ok(None)
    }

    /// Draws the trajectories.
    fn draw(&self, outs: &[PathBuf], alphabet: Alphabet) -> Result<()> {
        let Some(frames) = &self.frames else { return Ok(()) };
        let palette = palette(alphabet);
        for (out, target) in outs.iter().zip(self.tagged(frames)) {
            let mut trajectory = Trajectory::open(out)?;
            let shape = trajectory.shape();
            let cell = (FRAME_PIXELS / shape.0.max(shape.1)).max(1);
            let mut frame = Vec::new();
            if is_gif(&target) {
                let mut gif = GifWriter::new(Vec::new(), shape, palette, cell, FRAME_MS)?;
                while trajectory.next_frame(&mut frame)? {
                    gif.frame(&frame)?;
                }
                output::write_bytes(&target, &gif.finish()?)?;
                continue;
            }
            std::fs::create_dir_all(&target).map_err(ergodict::Error::io(&target))?;
            let digits = trajectory.len().to_string().len();
            let mut at = 0_u64;
            while trajectory.next_frame(&mut frame)? {
                let path = target.join(format!("frame-{at:0digits$}.png"));
                output::write_bytes(&path, &frame_png(&frame, shape, palette, cell)?)?;
                at += 1;
            }
        }
        Ok(())
    }
}

fn is_gif(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case("gif"))
}

/// The colours of an alphabet.
pub(super) fn palette(alphabet: Alphabet) -> Palette {
    if matches!(alphabet, Alphabet::Labels(_)) { Palette::Labels } else { Palette::BlackWhite }
}

fn words(simulated: &Simulated) -> String {
    let Simulated { shape, every, updates, chains, mixing, seconds, .. } = simulated;
    let frames: u64 = chains.iter().map(|chain| chain.frames).sum();
    let rate = if simulated.resumed {
        String::new()
    } else {
        format!(", {:.1} million updates/s", *updates as f64 / seconds.max(1e-9) / 1e6)
    };
    let mut lines = vec![(
        "simulated",
        format!("{}×{} sites, {updates} updates, {frames} frames in {seconds:.2} s{rate}", shape.0, shape.1),
    )];
    let names: Vec<String> = mixing.iter().map(|one| one.observable.to_string()).collect();
    lines.extend(names.iter().zip(mixing).map(|(name, one)| (&**name, one.words(*every))));
    if mixing.iter().any(|one| one.mixing.r_hat > MIXED) {
        let advice = "parts of the run disagree (R̂ is not near 1): a longer run, or --burn-in, is needed";
        lines.push(("warning", advice.to_owned()));
    }
    if let Some(exact) = simulated.exact_energy {
        lines.push(("exact", format!("energy {exact:.5} per site on an infinite lattice (Onsager)")));
    }
    if let Some(rate) = simulated.acceptance {
        lines.push(("accepted", format!("{:.2} % of the proposals", 100.0 * rate)));
    }
    lines.extend(simulated.outs.iter().map(|out| ("wrote", out.display().to_string())));
    table(&lines)
}

fn summary(simulated: &Simulated) -> Value {
    let mixing = simulated.mixing.iter().map(|one| {
        json!({
            "observable": one.observable,
            "mean": one.mixing.mean,
            "error": one.mixing.error,
            "autocorrelation_time": one.mixing.autocorrelation_time,
            "effective_sample_size": one.mixing.effective_sample_size,
            "r_hat": one.mixing.r_hat,
        })
    });
    json!({
        "schema": "ergodict.spins-simulate/1",
        "out": simulated.outs,
        "shape": [simulated.shape.0, simulated.shape.1],
        "chains": simulated.chains.len(),
        "frames": simulated.chains.iter().map(|chain| chain.frames).sum::<u64>(),
        "updates": simulated.updates,
        "updates_between_frames": simulated.every,
        "observables": mixing.collect::<Vec<_>>(),
        "exact_energy": simulated.exact_energy,
        "acceptance": simulated.acceptance,
        "seconds": simulated.seconds,
        "resumed": simulated.resumed,
        "config": simulated.config,
    })
}
