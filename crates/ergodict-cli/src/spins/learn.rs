//! `ergodict spins learn`: dictionaries of patches from the trajectory of a spin system.

pub(super) mod summary;

use super::page;
use super::system::{System, unusable};
use super::values::alphabet;
use super::whole_steps;
use crate::args::{Common, count};
use crate::checkpoints::CheckpointArgs;
use crate::learning::{Learning, tagged};
use crate::progress::say;
use crate::reports::{self, ReportArgs};
use crate::summary::emit;
use crate::{input, memory, output, paths};
use anyhow::{Context, Result, bail};
use ergodict::chain::{Alphabet, Thinning};
use ergodict::data::{Frame, Trajectory};
use ergodict::factor::LearnSettings;
use ergodict::linalg::Scalar;
use ergodict::model::Input;
use ergodict::patch::SpinValues;
use ergodict::run::{LatticeData, Run, RunPlan, Source};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;
use summary::SpinsLearnSummary;

const HELP: &str = "\
Example:
  ergodict spins learn --temperature 2.26 -r 25 --patch 12 -o atoms.safetensors --report atoms.html

The paper's figure of twelve loss curves, and dictionaries of fixed configurations:
  ergodict spins learn --temperature 0.5,2.26,5 --every 1000,10000,100000,500000 -r 100 --fixed \\
    -o ising.safetensors --report ising.html";

/// Learn dictionaries of patches from the trajectory of a spin system
///
/// Every τ-th configuration is kept, and patches at random positions of it make a minibatch. Several
/// temperatures and several τ give a dictionary each, in files named after them, and one report.
#[derive(clap::Args)]
#[command(after_long_help = HELP)]
pub(crate) struct Args {
    /// The model file to write; - is standard output
    ///
    /// With several runs, -T2.26-every1000 and the like are put before its extension.
    #[arg(short, long, value_name = "MODEL")]
    out: PathBuf,
    /// Temperature, or several: T,T,… [default: that of the system, see --model]
    #[arg(long, value_name = "T", value_delimiter = ',', allow_negative_numbers = true)]
    temperature: Vec<f64>,
    /// Updates between kept configurations, or several: N,N,… [default: 10000; 1 with --trajectory]
    ///
    /// With --trajectory it counts frames of the file. Chains that update many sites in a step
    /// are run for the next larger number of whole steps.
    #[arg(long, value_name = "TAU", value_delimiter = ',', value_parser = count, allow_negative_numbers = true)]
    every: Vec<u64>,
    /// Updates of single sites in all, after the burn-in [default: 5000000]
    #[arg(long, value_name = "N", value_parser = count, conflicts_with = "trajectory")]
    #[arg(allow_negative_numbers = true)]
    updates: Option<u64>,
    /// Updates (frames, with --trajectory) before the first configuration that may be kept
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = count, allow_negative_numbers = true)]
    #[arg(hide_short_help = true)]
    burn_in: u64,
    /// Learn from a trajectory that was written before
    ///
    /// It is .npy of shape (frames, rows, columns).
    /// --model says what its values are, --states how many labels there are. Without --model they are guessed from those
    /// in the file: real numbers are taken as they are, and angles need --model xy.
    #[arg(long, value_name = "TRAJ.npy")]
    trajectory: Option<PathBuf>,
    /// Rows and columns of a patch: K or KxL
    #[arg(long, value_name = "K", value_parser = crate::model::size, default_value = "20")]
    patch: (usize, usize),
    /// Patches per minibatch, cut at random positions of one configuration
    #[arg(long, value_name = "N", default_value_t = 1000, allow_negative_numbers = true)]
    patches: usize,
    /// zero-one, signed, one-hot, borders, vector or real [default: zero-one; one-hot for labels, borders for cells, vector for
    /// angles, real for real numbers]
    ///
    /// Encoding of spins: zero-one (−1 becomes 0), signed (±1), one-hot (a channel for each label), borders (1 where
    /// labels meet), vector (cosine and sine of an angle) or real (the number). Signed, vector and real have atoms and codes of
    /// both signs unless --dictionary and --code are given.
    #[arg(long, value_name = "HOW")]
    spins: Option<SpinValues>,
    /// Learn from one fixed configuration as well, the last of each trajectory, for STEPS minibatches (500 when left
    /// out)
    #[arg(long, value_name = "STEPS", num_args = 0..=1, require_equals = true, default_missing_value = "500")]
    #[arg(hide_short_help = true)]
    fixed: Option<u64>,
    #[command(flatten)]
    system: System,
    #[command(flatten)]
    scheme: LearnSettings,
    #[command(flatten)]
    checkpoints: CheckpointArgs,
    #[command(flatten)]
    reports: ReportArgs,
}

/// What distinguishes a run: its temperature, none for a trajectory from a file; and the updates (frames) between
/// its minibatches, none for a fixed configuration.
type Mark = (Option<f64>, Option<u64>);

/// A source of minibatches and what distinguishes it.
type MarkedSource<T> = (Box<dyn Source<T>>, Mark);

pub(crate) fn run(args: &Args, common: &Common) -> Result<ExitCode> {
    if args.scheme.f32 { learn::<f32>(args, common) } else { learn::<f64>(args, common) }
}

fn learn<T: Scalar>(args: &Args, common: &Common) -> Result<ExitCode> {
    let started = Instant::now();
    let (ground, mut inputs) = args.ground(common)?;
    let signed = ground.kind.spins.is_some_and(|(values, _)| values.is_signed());
    let scheme = args.scheme.clone().decided(signed);
    args.check(common, &scheme, &ground)?;
    let first =
        scheme.start::<T>(ground.kind.features().context("a patch has too many numbers")?, common.seed)?;
    inputs.extend(first.1);
    let all = RunPlan {
        settings: args.config(&scheme, &ground, &args.temperatures(), &args.epochs(), args.fixed, common)?,
        inputs,
        ..RunPlan::new("spins learn", scheme.factor.clone(), common.seed)
    };
    let mut learning = Learning::open(&all.identity(), &args.checkpoints, common)?;
    if !common.quiet {
        whole_steps::report(&args.epochs(), ground.step);
    }
    let mut marks: Vec<Mark> = Vec::new();
    for (source, mark) in args.sources::<T>(&ground, common)? {
        let (hot, every) = (mark.0.as_slice(), mark.1.as_slice());
        let settings = args.config(&scheme, &ground, hot, every, None, common)?;
        let first = scheme.start(ground.kind.features().unwrap_or(0), common.seed)?.0;
        learning.runs.push(Run::new(RunPlan { settings, ..all.clone() }, source, first)?);
        marks.push(mark);
    }
    if let Some(code) = learning.drive()? {
        return Ok(code);
    }
    if let Some(steps) = args.fixed {
        // The last configuration of each trajectory.
        for at in 0..marks.len() {
            let (temperature, _) = marks[at];
            if marks.iter().any(|mark| mark.0 == temperature && mark.1.is_none()) {
                continue;
            }
            let spins = learning.runs[at].source().stats().configuration.map(Frame::into_owned);
            let source = ground.fixed(spins.unwrap_or_default(), steps, common.seed);
            let hot = temperature.as_slice();
            let settings = args.config(&scheme, &ground, hot, &args.epochs(), Some(steps), common)?;
            let first = scheme.start(ground.kind.features().unwrap_or(0), common.seed)?.0;
            learning.runs.push(Run::new(RunPlan { settings, ..all.clone() }, source, first)?);
            marks.push((temperature, None));
        }
        if let Some(code) = learning.drive()? {
            return Ok(code);
        }
    }
    let mut outcomes = Vec::new();
    for ((run, tag), (temperature, every)) in learning.runs.iter().zip(args.tags()).zip(&marks) {
        let out = tagged(&args.out, &tag);
        let Some(outcome) = summary::outcome(&ground, run, out, *temperature, *every)? else {
            return Ok(learning.interrupted());
        };
        outcomes.push(outcome);
    }
    for outcome in &outcomes {
        outcome.model.save(&outcome.out)?;
    }
    let time = started.elapsed();
    args.reports.write(|| page::of_learning(&outcomes, &ground, args.trajectory.is_some(), time))?;
    let runs = learning.close()?;
    emit(&SpinsLearnSummary::new(&outcomes, &runs, time, args.reports.lines()), common)?;
    Ok(ExitCode::SUCCESS)
}

impl Args {
    fn temperatures(&self) -> Vec<f64> {
        if self.temperature.is_empty() {
            vec![self.system.kind().temperature()]
        } else {
            self.temperature.clone()
        }
    }

    fn epochs(&self) -> Vec<u64> {
        let default = if self.trajectory.is_some() { 1 } else { 10_000 };
        if self.every.is_empty() { vec![default] } else { self.every.clone() }
    }

    fn updates(&self) -> u64 {
        self.updates.unwrap_or(5_000_000)
    }

    /// Looks at the system or the file once.
    fn ground(&self, common: &Common) -> Result<(LatticeData, Vec<Input>)> {
        let (shape, alphabet, boundary, inputs, step) = if let Some(path) = &self.trajectory {
            self.system.refuse_beside_trajectory(&self.temperature)?;
            if output::is_standard(path) {
                bail!("--trajectory is -, but a trajectory is read several times: name a file");
            }
            let mut trajectory = Trajectory::open(path)
                .with_context(|| unusable("--trajectory", path, ".npy of shape (frames, rows, columns)"))?;
            let (alphabet, range) =
                alphabet(&self.system, self.spins, &mut trajectory, ("--trajectory", path))?;
            if let (Alphabet::Real, None, false, (low, high)) = (alphabet, self.spins, common.quiet, range) {
                let path = path.display();
                say(&format!(
                    "{path}: real numbers from {low:.4} to {high:.4}, taken as they are; angles need --model xy"
                ));
            }
            if trajectory.len() == 1 && !common.quiet {
                let (path, (rows, cols)) = (path.display(), trajectory.shape());
                say(&format!(
                    "{path}: one configuration of {rows}×{cols} sites; a trajectory has three axes"
                ));
            }
            let input = Input { name: input::name(path), digest: trajectory.digest()? };
            (trajectory.shape(), alphabet, self.system.boundary(), vec![input], 1)
        } else {
            let walk = self.system.walk(self.temperatures()[0], common.seed, 0)?;
            let Some((rows, cols, boundary)) = walk.grid() else {
                bail!(
                    "patches are cut from a lattice, and this system is on none: use `ergodict spins simulate`"
                );
            };
            let inputs = self.system.inputs()?;
            ((rows, cols), walk.alphabet(), boundary, inputs, walk.updates_per_step())
        };
        // Labels of cells only distinguish them.
        let cells = matches!(alphabet, Alphabet::Labels(_)) && self.system.kind().is_cellular();
        let values = self.spins.or(cells.then_some(SpinValues::Borders));
        let data = LatticeData::new(shape, boundary, alphabet, values, self.patch, self.patches)?;
        Ok((LatticeData { step, ..data }, inputs))
    }

    fn check(&self, common: &Common, scheme: &LearnSettings, ground: &LatticeData) -> Result<()> {
        self.checkpoints.check()?;
        if self.patches == 0 {
            bail!("--patches is 0, but a minibatch needs at least one");
        }
        if self.fixed == Some(0) {
            bail!("--fixed is 0, but at least one minibatch is needed");
        }
        let tags = self.tags();
        for (i, tag) in tags.iter().enumerate() {
            if tags[..i].contains(tag) {
                bail!("the run {tag} is asked for twice: give each --temperature and --every once");
            }
        }
        for every in self.epochs() {
            if every == 0 {
                bail!("--every is 0, but it must be at least 1");
            }
            if self.trajectory.is_none() && every > self.updates() {
                bail!(
                    "--every is {every}, but there are only {} updates: nothing would be kept",
                    self.updates()
                );
            }
        }
        whole_steps::check(&self.epochs(), ground.step)?;
        self.reports.drawable(ground.shape)?;
        let d = ground.kind.features().context("a patch has too many numbers")?;
        scheme.factor.check(d)?;
        let minibatch = (d as u64).saturating_mul(self.patches as u64).saturating_mul(8);
        let runs = tags.len() as u64;
        let each = self.scheme.factor.memory::<f64>(d, self.patches as u64).saturating_add(minibatch);
        let sites = (ground.shape.0 as u64).saturating_mul(ground.shape.1 as u64);
        // Each run has its chain, and at the end its configuration as numbers: as it is, and reconstructed.
        let numbers = sites.saturating_mul(ground.kind.channels as u64).saturating_mul(2 * 8);
        let chain = if self.trajectory.is_none() { self.system.memory()? } else { sites.saturating_mul(8) };
        // And some configurations on the way, at most eight, of bytes or of real numbers.
        let is_real = ground.kind.spins.is_some_and(|(_, alphabet)| alphabet.is_real());
        let frames = sites.saturating_mul(if is_real { 64 } else { 8 });
        let each = each.saturating_add(numbers).saturating_add(chain).saturating_add(frames);
        let needed = each.saturating_mul(runs);
        memory::check(
            needed,
            &format!("{runs} dictionaries of {} atoms of {d} numbers", scheme.factor.atoms),
            "lower --size, -r, --patch or --patches, or learn at fewer temperatures and epochs at once",
        )?;
        let mut inputs: Vec<paths::NamedPath<'_>> = self.system.files();
        inputs.extend(self.trajectory.as_deref().map(|path| ("--trajectory", path)));
        inputs.extend(self.scheme.init.file().map(|path| ("--init", path)));
        let outs: Vec<PathBuf> = tags.iter().map(|tag| tagged(&self.out, tag)).collect();
        if tags.len() > 1 && output::is_standard(&self.out) {
            bail!("-o is -, but {} models cannot all go to standard output: name a file", tags.len());
        }
        let mut outputs: Vec<paths::NamedPath<'_>> = outs.iter().map(|path| ("-o", &**path)).collect();
        outputs.extend(self.checkpoints.checkpoint.as_deref().map(|path| ("--checkpoint", path)));
        outputs.extend(self.reports.outputs());
        paths::check(common, &inputs, &outputs)?;
        paths::check_model(&self.out)?;
        reports::probe(&outputs)
    }

    /// What distinguishes the runs, in their order; the fixed ones last.
    fn tags(&self) -> Vec<String> {
        let (temperatures, epochs) = (self.temperatures(), self.epochs());
        let hot = |t: &f64| if temperatures.len() > 1 { vec![format!("T{t}")] } else { Vec::new() };
        let mut tags = Vec::new();
        let temperatures =
            if self.trajectory.is_some() { vec![None] } else { temperatures.iter().map(Some).collect() };
        for temperature in &temperatures {
            for every in &epochs {
                let mut parts = temperature.map(hot).unwrap_or_default();
                if epochs.len() > 1 {
                    parts.push(format!("every{every}"));
                }
                tags.push(parts.join("-"));
            }
        }
        if self.fixed.is_some() {
            for temperature in &temperatures {
                let mut parts = temperature.map(hot).unwrap_or_default();
                parts.push("fixed".into());
                tags.push(parts.join("-"));
            }
        }
        tags
    }

    /// The trajectories to learn from.
    fn sources<T: Scalar>(&self, data: &LatticeData, common: &Common) -> Result<Vec<MarkedSource<T>>> {
        let mut sources: Vec<MarkedSource<T>> = Vec::new();
        if let Some(path) = &self.trajectory {
            for every in self.epochs() {
                let source = data.trajectory(Trajectory::open(path)?, every, self.burn_in, common.seed);
                let Ok(source) = source else {
                    bail!("{}: no frame is left to learn from: lower --every or --burn-in", path.display());
                };
                sources.push((source, (None, Some(every))));
            }
            return Ok(sources);
        }
        // Every temperature has the same stream of the seed, so that its dictionaries are the same whatever other
        // temperatures are asked for, and those of the trajectory that `spins simulate` writes.
        for temperature in self.temperatures() {
            for every in self.epochs() {
                let walk = self.system.walk(temperature, common.seed, 0)?;
                let updates = walk.updates_per_step();
                let thinning = Thinning::of_updates(self.burn_in, every, updates);
                let source = data.walk(walk, thinning, self.updates().div_ceil(updates), common.seed);
                let whole = thinning.every.saturating_mul(updates);
                sources.push((source, (Some(temperature), Some(whole))));
            }
        }
        Ok(sources)
    }

    /// Every flag that has a say in a dictionary, or in all, with its value.
    fn config(
        &self,
        scheme: &LearnSettings,
        ground: &LatticeData,
        temperatures: &[f64],
        every: &[u64],
        fixed: Option<u64>,
        common: &Common,
    ) -> Result<Value> {
        let mut config = serde_json::to_value(scheme)?;
        if self.trajectory.is_none() {
            self.system.config(&mut config);
            config["temperature"] = json!(temperatures);
            config["updates"] = json!(self.updates());
        } else {
            self.system.config_of_trajectory(&mut config);
            config["trajectory"] = json!(self.trajectory);
        }
        config["every"] = json!(every);
        config["fixed"] = json!(fixed);
        config["burn-in"] = json!(self.burn_in);
        config["patch"] = json!(format!("{}x{}", self.patch.0, self.patch.1));
        config["patches"] = json!(self.patches);
        config["spins"] = json!(ground.kind.spins.map(|(values, _)| values));
        config["seed"] = json!(common.seed);
        Ok(config)
    }
}
