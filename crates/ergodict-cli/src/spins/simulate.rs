//! `ergodict spins simulate`: the trajectory of a spin system, and how well it mixes.

pub(super) mod summary;

use super::drawing;
use super::system::{System, unusable};
use super::values::check_radians;
use super::whole_steps;
use crate::args::{Common, count};
use crate::checkpoints::CheckpointArgs;
use crate::driver::Driver;
use crate::learning::tagged;
use crate::mixing::describe;
use crate::progress::say;
use crate::reports::{self, ReportArgs};
use crate::summary::emit;
use crate::{input, interrupt, memory, output, paths, rescue};
use anyhow::{Context, Result, bail};
use ergodict::chain::diagnostics::Mixing;
use ergodict::chain::{Alphabet, ChainPoint, Quantity, SampledSystem, SpinWalk, Thinning};
use ergodict::data::{Frame, Trajectory, digest};
use ergodict::model::Input;
use ergodict::run::{Checkpoint, Identity, Job, SpinRecorder, Status};
use ergodict_report::words::number;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;
use summary::Simulated;

/// Most chains: each is a file.
const MOST_CHAINS: u64 = 1 << 16;

const HELP: &str = "\
Example:
  ergodict spins simulate --size 100 --temperature 2.26 --updates 5e6 -o ising.npy --frames ising.gif
  ergodict spins simulate --model potts --states 5 --temperature 0.8 -o potts.npy --report potts.html
  ergodict spins learn --trajectory ising.npy -r 25 --patch 12 -o atoms.safetensors";

/// Run a spin system and write its trajectory, an int8 array of shape (frames, rows, columns), of xy float64 angles
#[derive(clap::Args)]
#[command(after_long_help = HELP)]
pub(crate) struct Args {
    /// The trajectory to write; - is standard output
    ///
    /// With several chains, -chain0, -chain1, … are put before its extension.
    #[arg(short, long, value_name = "TRAJ.npy")]
    out: PathBuf,
    /// Temperature [default: that of the system, see --model]
    #[arg(long, value_name = "T", allow_negative_numbers = true)]
    temperature: Option<f64>,
    /// Updates of single sites, after the burn-in
    #[arg(long, value_name = "N", default_value_t = 5_000_000, value_parser = count, allow_negative_numbers = true)]
    updates: u64,
    /// Updates of single sites between kept configurations
    ///
    /// Chains that update many sites in a step take whole steps.
    #[arg(long, value_name = "TAU", default_value_t = 10_000, value_parser = count)]
    #[arg(allow_negative_numbers = true)]
    every: u64,
    /// Updates before the first configuration that may be kept
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = count, allow_negative_numbers = true)]
    burn_in: u64,
    /// First configuration: random, ordered (1 everywhere, label or angle 0), or the last frame of a .npy file
    #[arg(long, value_name = "HOW|FILE", default_value = "random")]
    #[arg(hide_short_help = true)]
    start: String,
    /// Independent chains
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true)]
    chains: u64,
    /// What to measure on every kept configuration: energy (per site), magnetization, cluster (share of the largest), …
    ///
    /// The magnetization is the mean spin; the mean of units 0 and 1; and for q labels (q·max share − 1)/(q − 1), which is 0
    /// when all are equally frequent and 1 when all sites have the same; of angles the length of the mean unit vector. Also energy-squared, abs-magnetization, magnetization-squared,
    /// magnetization-fourth, structure-0 and structure-1 (structure factors of a torus), bond-cluster-mean and bond-cluster-largest (clusters of
    /// random bonds), and of xy vortices (by plaquette) and current-squared; and made from several: susceptibility, specific-heat, binder,
    /// correlation-length and, of xy, helicity-modulus.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "energy,magnetization")]
    #[arg(hide_short_help = true)]
    observables: Vec<Quantity>,
    /// Draw the kept configurations: FILE.gif, or a folder of PNG files
    ///
    /// With several chains, their numbers are put before the extension, as for --out.
    #[arg(long, value_name = "FILE.gif|DIR")]
    frames: Option<PathBuf>,
    #[command(flatten)]
    system: System,
    #[command(flatten)]
    checkpoints: CheckpointArgs,
    #[command(flatten)]
    reports: ReportArgs,
}

/// What is known of an observable over all chains.
pub(super) struct Observed {
    pub(super) observable: Quantity,
    /// Its times are in kept configurations.
    pub(super) mixing: Mixing,
    /// The values of each chain whose mean it is.
    pub(super) series: Vec<Vec<f64>>,
}

impl Observed {
    pub(super) fn words(&self, every: u64) -> String {
        let time = self.mixing.autocorrelation_time;
        let updates = if time.is_nan() || self.mixing.error == 0.0 {
            String::new()
        } else {
            format!("; {} updates per independent frame", number(time * every as f64))
        };
        format!("{}{updates}", describe(&self.mixing))
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
    let rhythm = Thinning::of_updates(args.burn_in, args.every, of);
    let frames = args.updates.div_ceil(of) / rhythm.every;
    if frames == 0 {
        bail!(
            "--every is {}, but there are only {} updates: nothing would be kept",
            args.every,
            args.updates
        );
    }
    args.frames.iter().try_for_each(|target| drawing::check(target, shape))?;
    args.reports.drawable(shape)?;
    let config = args.config(common, temperature);
    interrupt::listen();
    let started = Instant::now();
    let inputs = if args.checkpoints.checkpoint.is_some() { args.inputs()? } else { Vec::new() };
    let command = "spins simulate".into();
    let identity = Identity { command, settings: config.clone(), inputs, seed: common.seed };
    let mut driver = Driver::open(&args.checkpoints, common, &identity)?;
    let measured = Quantity::needs(&args.observables);
    let mut chains = Vec::new();
    for ((id, walk), out) in (0..).zip(walks).zip(&outs) {
        let spool = driver.spool(&args.spool(id), Some(out))?;
        chains.push(SpinRecorder::new(walk, out, spool, rhythm, frames, &measured)?);
    }
    let mut jobs: Vec<&mut dyn Job> = chains.iter_mut().map(|chain| chain as &mut dyn Job).collect();
    let resumed = driver.restore(&mut jobs)?;
    let kept = |jobs: &[&mut dyn Job]| jobs.iter().map(|job| job.done().0).sum::<u64>();
    let whole = rhythm.every.saturating_mul(of);
    if !common.quiet {
        if resumed {
            say(&format!("resumed after {} frames", kept(&jobs)));
        }
        whole_steps::report(&[args.every], of);
    }
    if driver.drive(&mut jobs)? == Status::Stopped {
        return Ok(driver.interrupted(&format!("{} frames", kept(&jobs))));
    }
    interrupt::waits_for("the trajectories and the report");
    let updates = chains.iter().map(SpinRecorder::updates).sum();
    chains.iter_mut().zip(&outs).try_for_each(|(chain, out)| chain.publish(out))?;
    let seconds = started.elapsed().as_secs_f64();
    if !args.draw(&outs, alphabet)? {
        let again =
            args.checkpoints.checkpoint.as_ref().map(|_| "; with --resume the same command draws them");
        say(&format!(
            "ergodict: interrupted; the trajectory is written, but not all of --frames is drawn{}",
            again.unwrap_or_default()
        ));
        return Ok(interrupt::code());
    }
    let first = chains[0].walk();
    let system = SampledSystem { sites: first.frame().len(), temperature, lattice: first.lattice() };
    let all: Vec<&[Vec<f64>]> = chains.iter().map(SpinRecorder::series).collect();
    let mixing = args.observables.iter().map(|&observable| {
        let series = observable.series(&measured, &all, &system);
        Observed { observable, mixing: Mixing::from_series(&series), series }
    });
    let mixing: Vec<Observed> = mixing.collect();
    let accepted = chains.iter().filter_map(|chain| chain.walk().acceptance());
    let (accepted, proposed) = accepted.fold((0, 0), |(a, p), x| (a + x.accepted, p + x.proposed));
    let simulated = Simulated {
        shape,
        alphabet,
        every: whole,
        updates,
        temperature,
        mixing,
        acceptance: (proposed > 0).then(|| accepted as f64 / proposed as f64),
        exact_energy: args.system.exact_torus(temperature).map(|exact| exact.0),
        chains,
        outs,
        config,
        seconds,
        resumed,
    };
    args.reports.write(|| simulated.page())?;
    driver.remove()?;
    let mut written = args.reports.lines();
    written.extend(args.frames.as_ref().map(|path| ("frames", path.display().to_string())));
    emit(&simulated.summary(written), common)?;
    Ok(ExitCode::SUCCESS)
}

impl Args {
    /// A file for each chain.
    fn tagged(&self, path: &Path) -> Vec<PathBuf> {
        let tag = |id| if self.chains > 1 { format!("chain{id}") } else { String::new() };
        (0..self.chains).map(|id| tagged(path, &tag(id))).collect()
    }

    /// The name of the spool of a chain.
    fn spool(&self, chain: u64) -> String {
        if self.chains > 1 { format!("frames-chain{chain}") } else { "frames".into() }
    }

    /// Where the frames of the chains are until all is done.
    fn spools(&self) -> Vec<PathBuf> {
        let path =
            |id| Some(Checkpoint::spool_path(self.checkpoints.checkpoint.as_deref()?, &self.spool(id)));
        (0..self.chains).filter_map(path).collect()
    }

    fn check(&self, common: &Common, outs: &[PathBuf]) -> Result<()> {
        self.checkpoints.check()?;
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
        let spools = self.spools();
        let drawn: Vec<PathBuf> = self.frames.iter().flat_map(|path| self.tagged(path)).collect();
        let mut outputs: Vec<paths::NamedPath<'_>> = outs.iter().map(|path| ("-o", &**path)).collect();
        outputs.extend(spools.iter().map(|path| ("--checkpoint", &**path)));
        outputs.extend(self.checkpoints.checkpoint.as_deref().map(|path| ("--checkpoint", path)));
        outputs.extend(self.reports.outputs());
        let to_probe = outputs.len();
        outputs.extend(drawn.iter().map(|path| ("--frames", &**path)));
        paths::check(common, &inputs, &outputs)?;
        reports::probe(&outputs[..to_probe])?;
        rescue::plan(&outputs[to_probe..]);
        drawn.iter().try_for_each(|path| drawing::probe(path))?;
        if self.start_file().is_some_and(output::is_standard) {
            bail!("--start is -, but it is read once for each chain: name a file");
        }
        if self.start == "ordered" && self.system.only_copies() {
            bail!(
                "--start ordered is one label everywhere, which the cellular-potts rule of copying neighbors never \
                 leaves: use random, a file, or --proposal any"
            );
        }
        Ok(())
    }

    /// Refuses chains that do not fit into memory.
    fn check_memory(&self) -> Result<()> {
        let frames = self.updates / self.every;
        let series = frames.saturating_mul(2 * self.observables.len() as u64).saturating_mul(8);
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
                let sites = walk.frame().len();
                match walk.alphabet() {
                    Alphabet::PlusMinus | Alphabet::ZeroOne => Frame::from(vec![1i8; sites]),
                    Alphabet::Labels(_) => Frame::from(vec![0i8; sites]),
                    Alphabet::Angle | Alphabet::Real => Frame::from(vec![0.0; sites]),
                }
            }
            Some(path) => {
                let expected = "random, ordered, or a .npy file whose last frame is taken";
                let mut trajectory =
                    Trajectory::open(path).with_context(|| unusable("--start", path, expected))?;
                if trajectory.shape() != walk.shape() {
                    let ((a, b), (c, d)) = (trajectory.shape(), walk.shape());
                    bail!("{}: has {a}×{b} sites, but the system has {c}×{d}", path.display());
                }
                let last = trajectory.len().checked_sub(1);
                let last = last.with_context(|| format!("{}: has no frame to start from", path.display()))?;
                let frame = trajectory.frame(last, walk.alphabet().is_real())?;
                if let Frame::Real(angles) = &frame
                    && angles.iter().all(|angle| angle.fract() == 0.0)
                {
                    let low = angles.iter().copied().fold(f64::INFINITY, f64::min);
                    let high = angles.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                    check_radians((low, high), ("--start", path))?;
                }
                frame
            }
        };
        let point = walk.point();
        walk.seek(&ChainPoint { state: spins.to_bytes(), ..point })
            .with_context(|| format!("--start {}", self.start))?;
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
}
