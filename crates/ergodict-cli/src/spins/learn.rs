//! `ergodict spins learn`: dictionaries of patches from the trajectory of a spin system.

use super::film::Film;
use super::ground::Ground;
use super::outcome;
use super::page;
use super::source::{
    Cutter, FixedSource, TrajectorySource, WalkSource, energy_and_magnetisation, magnetisation_alone,
};
use super::system::{Kind, System, unusable};
use super::values::alphabet;
use super::whole_steps;
use crate::args::{Common, count};
use crate::progress::say;
use crate::runs::{Form, Plan, Run, Source, interrupted, learn as learn_all, tagged};
use crate::saving::Saving;
use crate::scheme::Scheme;
use crate::showing::{self, Showing};
use crate::{input, interrupt, memory, output, paths};
use anyhow::{Context, Result, bail};
use ergodict::chain::rng::ids;
use ergodict::chain::{Alphabet, Lattice, Rhythm};
use ergodict::data::Trajectory;
use ergodict::dictionary::Input;
use ergodict::factor::code::CodeSet;
use ergodict::factor::{DictionarySet, Parameters};
use ergodict::linalg::Scalar;
use ergodict::patch::{Encoding, PatchKind, SpinCutter, SpinValues, Window};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

const HELP: &str = "\
Example:
  ergodict spins learn --temperature 2.26 -r 25 --patch 12 -o atoms.safetensors --report atoms.html

The paper's figure of twelve loss curves, and dictionaries of fixed configurations beside them:
  ergodict spins learn --temperature 0.5,2.26,5 --every 1000,10000,100000,500000 -r 100 --fixed \\
    -o ising.safetensors --report ising.html";

/// Learn dictionaries of patches from the trajectory of a spin system
///
/// Every τ-th configuration is kept, and a number of patches at random places of it make a minibatch. Several
/// temperatures and several τ give a dictionary each, in files named after them, and one report.
#[derive(clap::Args)]
#[command(after_long_help = HELP)]
pub(crate) struct Args {
    /// The model file to write, - is standard output; with several runs, -T2.26-every1000 and the like are put before its extension
    #[arg(short, long, value_name = "MODEL")]
    out: PathBuf,
    /// Temperature, or several: T,T,… or the flag again [default: 2.26; 1 for potts and rbm, 10 for cellular-potts]
    #[arg(long, value_name = "T", value_delimiter = ',', allow_negative_numbers = true)]
    temperature: Vec<f64>,
    /// Updates of single sites between kept configurations, τ, or several: N,N,… or the flag again [default: 10000; 1
    /// with --trajectory]
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
    burn_in: u64,
    /// Learn from a trajectory that was written before, .npy of shape (frames, rows, columns), instead
    ///
    /// --model says what its values are: -1 and 1 for ising, 0 and 1 for rbm, labels for potts (0 to Q-1 with --states
    /// Q) and cellular-potts. Without --model they are guessed from those in the file.
    #[arg(long, value_name = "TRAJ.npy")]
    trajectory: Option<PathBuf>,
    /// Rows and columns of a patch: K or KxL
    #[arg(long, value_name = "K", value_parser = crate::model::size, default_value = "20")]
    patch: (usize, usize),
    /// Patches of a minibatch, cut at random places of one configuration
    #[arg(long, value_name = "N", default_value_t = 1000, allow_negative_numbers = true)]
    patches: usize,
    /// What stands for a spin: zero-one (−1 becomes 0), signed (±1, with atoms and codes of both signs unless
    /// --dictionary and --code say otherwise), one-hot (a channel for each label), or borders (1 where labels meet)
    /// [default: zero-one; one-hot for potts, borders for cellular-potts]
    #[arg(long, value_name = "HOW")]
    spins: Option<SpinValues>,
    /// Learn from one fixed configuration as well, the last of each trajectory, for STEPS minibatches (500 when left
    /// out)
    #[arg(long, value_name = "STEPS", num_args = 0..=1, require_equals = true, default_missing_value = "500")]
    fixed: Option<u64>,
    #[command(flatten)]
    system: System,
    #[command(flatten)]
    scheme: Scheme,
    #[command(flatten)]
    saving: Saving,
    #[command(flatten)]
    showing: Showing,
}

/// What tells a run from the others: its temperature, none for a trajectory from a file; and the updates (frames) between
/// its minibatches, none for a fixed configuration.
type Mark = (Option<f64>, Option<u64>);

pub(crate) fn run(args: &Args, common: &Common) -> Result<ExitCode> {
    if args.scheme.f32 { learn::<f32>(args, common) } else { learn::<f64>(args, common) }
}

fn learn<T: Scalar>(args: &Args, common: &Common) -> Result<ExitCode> {
    let started = Instant::now();
    let ground = args.ground(common)?;
    let parameters = args.parameters(&ground);
    let plan = Plan {
        kind: "spins",
        command: "spins learn",
        common,
        saving: &args.saving,
        scheme: &args.scheme,
        parameters: &parameters,
        batch: args.patches as u64,
    };
    args.check(common, &plan, &ground)?;
    interrupt::listen();
    if !common.quiet {
        whole_steps::tell(&args.epochs(), ground.step);
    }
    let (mut runs, mut marks): (Vec<Run<T>>, Vec<Mark>) = args.entries(&plan, &ground)?.into_iter().unzip();
    if let Some(code) = learn_all(&plan, &mut runs)? {
        return Ok(code);
    }
    if let Some(steps) = args.fixed {
        let fixed = args.fixed_entries(&plan, &ground, &marks, &runs, steps)?;
        let (mut more, of): (Vec<Run<T>>, Vec<Mark>) = fixed.into_iter().unzip();
        if let Some(code) = learn_all(&plan, &mut more)? {
            return Ok(code);
        }
        runs.append(&mut more);
        marks.extend(of);
    }
    let mut outcomes = Vec::new();
    for (run, (temperature, every)) in runs.iter().zip(&marks) {
        let Some(outcome) = outcome::outcome(&plan, &ground, run, *temperature, *every)? else {
            return Ok(interrupted(&plan, &runs));
        };
        outcomes.push(outcome);
    }
    for outcome in &outcomes {
        outcome.learned.model.save(&outcome.out)?;
    }
    let time = started.elapsed();
    args.showing.write(|| page::of_learning(&outcomes, &ground, args.trajectory.is_some(), time))?;
    runs.iter().try_for_each(Run::forget)?;
    if !common.quiet {
        say(&outcome::words(&outcomes, args.showing.lines(), time));
    }
    if common.json {
        output::print(&format!("{:#}\n", outcome::json(&outcomes, &runs, time)?))?;
    }
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
    fn ground(&self, common: &Common) -> Result<Ground> {
        let (shape, alphabet, boundary, inputs, step) = if let Some(path) = &self.trajectory {
            self.system.refuse_beside_trajectory(&self.temperature)?;
            if output::is_standard(path) {
                bail!("--trajectory is -, but a trajectory is read several times: name a file");
            }
            let mut trajectory = Trajectory::open(path)
                .with_context(|| unusable("--trajectory", path, ".npy of shape (frames, rows, columns)"))?;
            let alphabet = alphabet(&self.system, &mut trajectory, ("--trajectory", path))?;
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
        let own = match alphabet {
            // Labels of cells only tell them apart.
            Alphabet::Labels(_) if self.system.kind() == Kind::CellularPotts => SpinValues::Borders,
            Alphabet::Labels(_) => SpinValues::OneHot,
            Alphabet::PlusMinus | Alphabet::ZeroOne => SpinValues::ZeroOne,
        };
        let values = self.spins.unwrap_or(own);
        let encoding = Encoding::new(values, alphabet)?;
        let window = Window { rows: self.patch.0, cols: self.patch.1, boundary };
        window.corners(shape)?;
        let kind = PatchKind { window, channels: encoding.channels(), spins: Some((values, alphabet)) };
        let lattice = Lattice::new(shape.0, shape.1, boundary)?;
        let borders = (values == SpinValues::Borders).then_some(lattice);
        Ok(Ground { shape, kind, encoding, borders, inputs, step })
    }

    /// The parameters, whose sets follow the sign of the data where no flag says otherwise.
    fn parameters(&self, ground: &Ground) -> Parameters {
        let mut own = crate::scheme::defaults();
        if matches!(ground.kind.spins, Some((SpinValues::Signed, _))) {
            own.code = CodeSet::Free;
            own.dictionary = "ball".parse::<DictionarySet>().unwrap_or_default();
        }
        self.scheme.parameters(&own)
    }

    fn check(&self, common: &Common, plan: &Plan<'_>, ground: &Ground) -> Result<()> {
        self.saving.check()?;
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
        self.showing.drawable(ground.shape)?;
        let d = ground.kind.features().context("a patch has too many numbers")?;
        plan.parameters.check(d)?;
        let minibatch = (d as u64).saturating_mul(plan.batch).saturating_mul(8);
        let runs = tags.len() as u64;
        let each = self.scheme.memory::<f64>(d, plan.batch).saturating_add(minibatch);
        let sites = (ground.shape.0 as u64).saturating_mul(ground.shape.1 as u64);
        // Each run has its chain, and at the end its configuration as numbers: as it is, and rebuilt.
        let numbers = sites.saturating_mul(ground.kind.channels as u64).saturating_mul(2 * 8);
        let chain = if self.trajectory.is_none() { self.system.memory()? } else { sites };
        let each = each.saturating_add(numbers).saturating_add(chain);
        let needed = each.saturating_mul(runs).saturating_add(sites.saturating_mul(64));
        memory::check(
            needed,
            &format!("{runs} dictionaries of {} atoms of {d} numbers", plan.parameters.atoms),
            "lower --size, -r, --patch or --patches, or learn at fewer temperatures and epochs at once",
        )?;
        let mut inputs: Vec<paths::Given<'_>> = self.system.files();
        inputs.extend(self.trajectory.as_deref().map(|path| ("--trajectory", path)));
        inputs.extend(self.scheme.file().map(|path| ("--init", path)));
        let outs: Vec<PathBuf> = tags.iter().map(|tag| tagged(&self.out, tag)).collect();
        if tags.len() > 1 && output::is_standard(&self.out) {
            bail!("-o is -, but {} models cannot all go to standard output: name a file", tags.len());
        }
        let saves: Vec<PathBuf> =
            self.saving.checkpoint.iter().flat_map(|path| tags.iter().map(|tag| tagged(path, tag))).collect();
        let mut outputs: Vec<paths::Given<'_>> = outs.iter().map(|path| ("-o", &**path)).collect();
        outputs.extend(saves.iter().map(|path| ("--checkpoint", &**path)));
        outputs.extend(self.showing.outputs());
        paths::check(common, &inputs, &outputs)?;
        // Also those of the fixed configurations, which are learned from last.
        saves.iter().try_for_each(|path| self.saving.goes_on(path, true).map(|_| ()))?;
        showing::probe(&outputs)
    }

    /// What tells the runs apart, in their order; the fixed ones last.
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

    fn cutter(&self, ground: &Ground, seed: u64, id: u64) -> Cutter {
        let encoding = ground.encoding.clone();
        let cutter = SpinCutter::new(ground.kind.window, encoding, ground.borders, seed, id);
        Cutter { cutter, count: self.patches }
    }

    /// The runs on trajectories.
    fn entries<T: Scalar>(&self, plan: &Plan<'_>, ground: &Ground) -> Result<Vec<(Run<T>, Mark)>> {
        let (seed, mut tags) = (plan.common.seed, self.tags().into_iter());
        let mut entries = Vec::new();
        let mut add = |source: Box<dyn Source<T>>, temperature, every| -> Result<()> {
            let config = self.config(plan, ground, temperature, Some(every), None)?;
            let tag = tags.next().unwrap_or_default();
            let inputs = ground.inputs.clone();
            let run = Run::new(plan, &tag, &self.out, Form::Patch(ground.kind), config, inputs, source)?;
            entries.push((run, (temperature, Some(every))));
            Ok(())
        };
        if let Some(path) = &self.trajectory {
            for every in self.epochs() {
                let trajectory = Trajectory::open(path)?;
                let source = TrajectorySource {
                    trajectory,
                    cutter: self.cutter(ground, seed, 0),
                    every,
                    burn_in: self.burn_in,
                    next: 0,
                    frame: Vec::new(),
                    reading: Duration::ZERO,
                    alphabet: ground.alphabet(),
                    watched: magnetisation_alone(),
                    film: Film::default(),
                };
                if Source::<T>::minibatches(&source) == 0 {
                    bail!("{}: no frame is left to learn from: lower --every or --burn-in", path.display());
                }
                add(Box::new(source), None, every)?;
            }
            return Ok(entries);
        }
        // Every temperature has the same stream of the seed, so that its dictionaries are the same whatever other
        // temperatures are asked for, and those of the trajectory that `spins simulate` writes.
        for temperature in self.temperatures() {
            for every in self.epochs() {
                let walk = self.system.walk(temperature, seed, 0)?;
                let of = walk.updates_per_step();
                let source = WalkSource {
                    cutter: self.cutter(ground, seed, 0),
                    rhythm: Rhythm::of_updates(self.burn_in, every, of),
                    steps: self.updates().div_ceil(of),
                    walk,
                    chain: Duration::ZERO,
                    watched: energy_and_magnetisation(),
                    film: Film::default(),
                };
                let whole = source.rhythm.every.saturating_mul(of);
                add(Box::new(source), Some(temperature), whole)?;
            }
        }
        Ok(entries)
    }

    /// The runs on the last configuration of each trajectory.
    fn fixed_entries<T: Scalar>(
        &self,
        plan: &Plan<'_>,
        ground: &Ground,
        marks: &[Mark],
        runs: &[Run<T>],
        steps: u64,
    ) -> Result<Vec<(Run<T>, Mark)>> {
        let mut tags = self.tags().into_iter().skip(runs.len());
        let mut entries: Vec<(Run<T>, Mark)> = Vec::new();
        for (run, (temperature, _)) in runs.iter().zip(marks) {
            if entries.iter().any(|(_, mark)| mark.0 == *temperature) {
                continue;
            }
            let spins = run.source.configuration().unwrap_or_default().to_vec();
            // Other places than those of the trajectory's own runs.
            let cutter = self.cutter(ground, plan.common.seed, ids::FIXED);
            let source = FixedSource { spins, shape: ground.shape, cutter, minibatches: steps, done: 0 };
            let config = self.config(plan, ground, *temperature, None, Some(steps))?;
            let tag = tags.next().unwrap_or_default();
            let inputs = ground.inputs.clone();
            let run =
                Run::new(plan, &tag, &self.out, Form::Patch(ground.kind), config, inputs, Box::new(source))?;
            entries.push((run, (*temperature, None)));
        }
        Ok(entries)
    }

    /// Every flag that has a say in one dictionary, with its value.
    fn config(
        &self,
        plan: &Plan<'_>,
        ground: &Ground,
        temperature: Option<f64>,
        every: Option<u64>,
        fixed: Option<u64>,
    ) -> Result<Value> {
        let mut config = self.scheme.config(plan.parameters)?;
        if self.trajectory.is_none() {
            self.system.config(&mut config);
            config["temperature"] = json!([temperature]);
            config["updates"] = json!(self.updates());
        } else {
            self.system.config_of_trajectory(&mut config);
            config["trajectory"] = json!(self.trajectory);
        }
        config["every"] = every.map_or_else(|| json!(self.epochs()), |every| json!([every]));
        config["fixed"] = json!(fixed);
        config["burn-in"] = json!(self.burn_in);
        config["patch"] = json!(format!("{}x{}", self.patch.0, self.patch.1));
        config["patches"] = json!(self.patches);
        config["spins"] = json!(ground.kind.spins.map(|(values, _)| values));
        config["seed"] = json!(plan.common.seed);
        Ok(config)
    }
}
