//! Runs on chains: one or several dictionaries learned side by side, each from minibatches that its source makes.
//!
//! Every run is independent of the others and of the number of threads; all go on for a short while, then progress is
//! shown and checkpoints are saved, and so on until all are over.

use crate::args::Common;
use crate::interrupt;
use crate::output;
use crate::progress::{Progress, figure, say};
use crate::saving::{self, Saving};
use crate::scheme::{Scheme, from_data};
use crate::spins::film::Film;
use crate::watched::{Watched, go_on_watching};
use anyhow::{Context, Result, bail};
use ergodict::chain::ChainPoint;
use ergodict::dictionary::{Input, Model};
use ergodict::dictionary::{Results, Tracked};
use ergodict::factor::{Factoriser, Parameters};
use ergodict::linalg::{Mat, Scalar};
use ergodict::patch::{NetworkForm, PatchKind};
use rayon::{ThreadPool, ThreadPoolBuilder};
use serde_json::{Value, json};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long runs go on before they meet: short enough for a bar that moves, long against what meeting costs.
const SLICE: Duration = Duration::from_millis(200);

/// What came of asking for a minibatch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Filled {
    /// Here it is.
    Full,
    /// There are no more.
    Over,
    /// The user asked to stop on the way to it; asking again goes on.
    Stopped,
}

/// Where minibatches come from: a chain observed through patches.
pub(crate) trait Source<T: Scalar>: Send {
    /// What is to be done between two minibatches, with the dictionary as it is; called before each.
    fn between(&mut self, _factoriser: Option<&mut Factoriser<T>>) -> Result<()> {
        Ok(())
    }
    /// Fills the next minibatch, if there is one.
    fn fill(&mut self, x: &mut Mat<T>) -> Result<Filled>;
    /// Minibatches in all.
    fn minibatches(&self) -> u64;
    /// Where the chain and the generator of the patches are.
    fn point(&self) -> (ChainPoint, u64);
    /// Goes to where they were, in the run that the checkpoint `model` is of.
    fn seek(&mut self, point: &(ChainPoint, u64), model: &Model) -> Result<()>;
    /// Adds what it knows to a model or checkpoint.
    fn describe(&self, _model: &mut Model) {}
    /// Lines to tell, each once.
    fn news(&mut self) -> Vec<String> {
        Vec::new()
    }
    /// The last configuration, for chains that have one.
    fn configuration(&self) -> Option<&[i8]> {
        None
    }
    /// What the chain was watched by; checkpoints keep it.
    fn watched(&self) -> &[Watched] {
        &[]
    }
    /// The same, to go on with.
    fn watched_mut(&mut self) -> Option<&mut Vec<Watched>> {
        None
    }
    /// Some of what went by, for chains of configurations.
    fn film(&self) -> Option<&Film> {
        None
    }
    /// Time spent in the chain, the rest of `fill` being spent on patches.
    fn chain_time(&self) -> Duration;
}

/// What all runs of a command share.
pub(crate) struct Plan<'a> {
    /// The kind of model.
    pub(crate) kind: &'static str,
    /// The command that is run.
    pub(crate) command: &'static str,
    /// The command line.
    pub(crate) common: &'a Common,
    /// The flags of checkpoints.
    pub(crate) saving: &'a Saving,
    /// The flags of learning.
    pub(crate) scheme: &'a Scheme,
    /// The parameters they come to.
    pub(crate) parameters: &'a Parameters,
    /// Samples of a minibatch.
    pub(crate) batch: u64,
}

/// What the atoms are.
#[derive(Clone)]
pub(crate) enum Form {
    /// Patches of lattices and images.
    Patch(PatchKind),
    /// Patches of networks.
    Network(NetworkForm),
}

impl Form {
    fn features(&self) -> Option<usize> {
        match self {
            Self::Patch(kind) => kind.features(),
            Self::Network(form) => form.features(),
        }
    }
}

/// A run in progress.
pub(crate) struct Run<T: Scalar> {
    /// The model file to write.
    pub(crate) out: PathBuf,
    /// What the atoms are.
    form: Form,
    /// Flags that have a say in the result.
    pub(crate) config: Value,
    /// Files learned from.
    pub(crate) inputs: Vec<Input>,
    /// Where its minibatches come from.
    pub(crate) source: Box<dyn Source<T>>,
    tracked: Tracked<T>,
    checkpoint: Option<PathBuf>,
    x: Mat<T>,
    over: bool,
    /// Step of the checkpoint it was resumed from.
    pub(crate) resumed: Option<u64>,
    /// Time this run itself spent making minibatches, and learning from them, on its share of the threads.
    pub(crate) filling: Duration,
    pub(crate) learning: Duration,
}

/// What a run has learned.
pub(crate) struct Learned {
    pub(crate) model: Model,
    pub(crate) results: Results,
}

impl<T: Scalar> Run<T> {
    /// A run from its beginning, or from its checkpoint; `tag` tells it from the others in the names of its files, and is
    /// empty when there is only one.
    pub(crate) fn new(
        plan: &Plan<'_>,
        tag: &str,
        out: &Path,
        form: Form,
        config: Value,
        mut inputs: Vec<Input>,
        mut source: Box<dyn Source<T>>,
    ) -> Result<Self> {
        let d = form.features().context("a patch has too many numbers")?;
        plan.parameters.check(d)?;
        let (start, init) = plan.scheme.start(plan.parameters, d, plan.common.seed)?;
        inputs.extend(init);
        let (mut tracked, mut resumed) = (Tracked::new(start), None);
        let checkpoint = plan.saving.checkpoint.as_deref().map(|path| tagged(path, tag));
        if let Some(path) = &checkpoint
            && plan.saving.goes_on(path, plan.common.quiet || !tag.is_empty())?
        {
            let model = saving::load(path, plan.kind, &config, &inputs)?;
            let Some(point) = &model.chain else { bail!("{}: damaged checkpoint", path.display()) };
            source.seek(point, &model).with_context(|| format!("{}: damaged checkpoint", path.display()))?;
            go_on_watching(source.watched_mut(), &model.run["watched"])
                .with_context(|| format!("{}: damaged checkpoint", path.display()))?;
            tracked = Tracked::resumed(&model, path)?;
            resumed = Some(model.aggregates.t);
        }
        let (filling, learning) = (Duration::ZERO, Duration::ZERO);
        let (out, x) = (tagged(out, tag), Mat::zeros(0, 0));
        let over = false;
        Ok(Self {
            out,
            form,
            config,
            inputs,
            source,
            tracked,
            checkpoint,
            x,
            over,
            resumed,
            filling,
            learning,
        })
    }

    /// Steps until time is up, the run is over, or somebody asks to stop; `steps` counts those of all runs.
    fn go_on(&mut self, plan: &Plan<'_>, steps: &AtomicU64) -> Result<()> {
        let started = Instant::now();
        let slice = SLICE.min(plan.saving.every());
        while !self.over {
            if interrupt::asked() || interrupt::due(steps.load(Ordering::Relaxed)) {
                break;
            }
            let before = Instant::now();
            if let Err(error) = self.source.between(self.tracked.factoriser.as_mut()) {
                return Err(self.rescued(plan, error));
            }
            let filled = self.source.fill(&mut self.x)?;
            self.filling += before.elapsed();
            self.over = filled == Filled::Over;
            if filled != Filled::Full {
                break;
            }
            let before = Instant::now();
            let x = &self.x;
            let start = || from_data(plan.parameters.clone(), x.as_ref(), false, plan.common.seed);
            self.tracked.step(x.into(), start)?;
            self.learning += before.elapsed();
            steps.fetch_add(1, Ordering::Relaxed);
            if started.elapsed() >= slice {
                break;
            }
        }
        Ok(())
    }

    /// Saves the state of a run that cannot go on, which is whole between two minibatches, and says where it is.
    fn rescued(&self, plan: &Plan<'_>, error: anyhow::Error) -> anyhow::Error {
        let steps = self.tracked.steps();
        let state = match (&self.checkpoint, self.save(plan)) {
            _ if steps == 0 => return error,
            (Some(path), Ok(())) => {
                format!("the state is in {}, and --resume goes on from it", path.display())
            }
            (Some(_), Err(failed)) => format!("the state could not be saved: {}", output::one_line(&failed)),
            (None, _) => "nothing was written (--checkpoint FILE would have kept the state)".into(),
        };
        error.context(format!("stopped after step {steps}; {state}"))
    }

    /// What a model keeps of this run.
    fn told(&self, plan: &Plan<'_>) -> Value {
        json!({ "command": plan.command, "config": self.config })
    }

    /// What a model says of its data.
    fn describe(&self, mut model: Model) -> Model {
        model.inputs.clone_from(&self.inputs);
        match &self.form {
            Form::Patch(kind) => model.patch = Some(*kind),
            Form::Network(form) => model.network = Some(form.clone()),
        }
        self.source.describe(&mut model);
        model
    }

    /// Saves its state, if it has one and there is a place for it.
    pub(crate) fn save(&self, plan: &Plan<'_>) -> Result<()> {
        if let Some(path) = self.checkpoint.as_ref().filter(|_| self.tracked.steps() > 0) {
            let mut state = self.tracked.checkpoint(plan.kind, plan.common.seed, self.told(plan))?;
            state.chain = Some(self.source.point());
            state.run["watched"] = json!(self.source.watched());
            self.describe(state).save(path)?;
        }
        Ok(())
    }

    /// What was learned.
    pub(crate) fn learned(&self, plan: &Plan<'_>) -> Result<Learned> {
        let results = self.tracked.results()?;
        let model = self.tracked.finished(plan.kind, plan.common.seed, self.told(plan), &results)?;
        Ok(Learned { model: self.describe(model), results })
    }

    /// Deletes the checkpoint: everything is written.
    pub(crate) fn forget(&self) -> Result<()> {
        self.checkpoint.as_deref().map_or(Ok(()), saving::remove)
    }
}

/// Threads for runs side by side, each with its own: a thread that waits for the codes of one run must not take up
/// another run meanwhile, whose time would count as time of the first.
#[derive(Default)]
struct Slices {
    pools: Vec<ThreadPool>,
}

impl Slices {
    /// A slice of each run, as many at once as there are threads.
    fn go_on<R: Send>(
        &mut self,
        going: Vec<&mut R>,
        slice: impl Fn(&mut R) -> Result<()> + Sync,
    ) -> Result<()> {
        let threads = rayon::current_num_threads();
        let workers = going.len().min(threads);
        if workers <= 1 {
            return going.into_iter().try_for_each(slice);
        }
        if self.pools.len() != workers {
            let size = |at| threads / workers + usize::from(at < threads % workers);
            let pools = (0..workers).map(|at| ThreadPoolBuilder::new().num_threads(size(at)).build());
            self.pools = pools.collect::<Result<_, _>>().context("threads cannot be started")?;
        }
        let queue = Mutex::new(going.into_iter());
        let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
        let work = |pool: &ThreadPool| -> Result<()> {
            while let Some(run) = next() {
                pool.install(|| slice(run))?;
            }
            Ok(())
        };
        std::thread::scope(|scope| {
            let all: Vec<_> = self.pools.iter().map(|pool| scope.spawn(|| work(pool))).collect();
            all.into_iter().try_for_each(|one| one.join().unwrap_or_else(|p| std::panic::resume_unwind(p)))
        })
    }
}

/// Goes on with all runs until they are over, or until they are interrupted: the exit code then.
pub(crate) fn learn<T: Scalar>(plan: &Plan<'_>, runs: &mut [Run<T>]) -> Result<Option<ExitCode>> {
    let total = runs.iter().map(|run| run.source.minibatches().saturating_mul(plan.batch));
    let total = total.fold(0, u64::saturating_add);
    let before: u64 = runs.iter().map(|run| run.tracked.samples()).sum();
    if before > 0 && !plan.common.quiet {
        let steps: u64 = runs.iter().map(|run| run.tracked.steps()).sum();
        say(&format!("resumed after step {steps}, {before} samples"));
    }
    let mut progress = Progress::new(plan.common.quiet, Some(total), before);
    let (steps, mut saved, mut slices) = (AtomicU64::new(0), Instant::now(), Slices::default());
    while runs.iter().any(|run| !run.over) {
        let going = runs.iter_mut().filter(|run| !run.over).collect();
        slices.go_on(going, |run| run.go_on(plan, &steps))?;
        let samples = runs.iter().map(|run| run.tracked.samples()).sum();
        runs.iter_mut().flat_map(|run| run.source.news()).for_each(|line| progress.tell(&line));
        progress.update(samples, || {
            let going = runs.iter().filter(|run| !run.over).count();
            let slowest = runs.iter().max_by_key(|run| (!run.over, run.source.minibatches()));
            let surrogate = slowest
                .and_then(|run| run.tracked.factoriser.as_ref())
                .map_or(f64::NAN, |f| f.aggregates().per_sample(f.surrogate()));
            let going = if runs.len() > 1 { format!(", {going} runs going on") } else { String::new() };
            format!("surrogate {}{going}", figure(surrogate))
        });
        let over = runs.iter().all(|run| run.over);
        let stopped = !over && (interrupt::asked() || interrupt::due(steps.load(Ordering::Relaxed)));
        if stopped || saved.elapsed() >= plan.saving.every() {
            plan.saving.tried(runs.iter().try_for_each(|run| run.save(plan)), stopped)?;
            saved = Instant::now();
        }
        if stopped {
            progress.finish();
            return Ok(Some(interrupted(plan, runs)));
        }
    }
    progress.finish();
    // What was learned is not lost if it cannot be written.
    plan.saving.tried(runs.iter().try_for_each(|run| run.save(plan)), false)?;
    interrupt::waits_for("the models and the report");
    Ok(None)
}

/// Tells how far interrupted runs were and where their states are.
pub(crate) fn interrupted<T: Scalar>(plan: &Plan<'_>, runs: &[Run<T>]) -> ExitCode {
    let all: u64 = runs.iter().map(|run| run.tracked.steps()).sum();
    let mut saved = runs.iter().filter_map(|run| run.checkpoint.as_deref()).filter(|path| path.exists());
    let (first, others) = (saved.next(), saved.count());
    let after = format!("step {all}");
    match plan.saving.checkpoint {
        Some(_) if first.is_none() => {
            say(&format!("ergodict: interrupted after {after}; there was no state to save yet"));
        }
        _ => say(&saving::interrupted(&after, first, others)),
    }
    interrupt::code()
}

/// `atoms.safetensors` and `T2.26` give `atoms-T2.26.safetensors`; an empty tag changes nothing.
pub(crate) fn tagged(path: &Path, tag: &str) -> PathBuf {
    if tag.is_empty() {
        return path.to_owned();
    }
    let mut name = OsString::from(path.file_stem().unwrap_or_default());
    name.push("-");
    name.push(tag);
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_waits_takes_up_no_other_run() {
        use std::cell::Cell;
        thread_local!(static BUSY: Cell<bool> = const { Cell::new(false) });
        for threads in [1, 2, 3, 8] {
            let mut runs = vec![0_u32; 40];
            let slice = |run: &mut u32| {
                assert!(!BUSY.replace(true), "a run within a run");
                rayon::scope(|scope| {
                    for n in 0..12 {
                        scope.spawn(move |_| std::thread::sleep(Duration::from_micros(50 + 37 * n % 400)));
                    }
                });
                BUSY.set(false);
                *run += 1;
                Ok(())
            };
            let pool = ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut slices = Slices::default();
            for round in 1..=3 {
                pool.install(|| slices.go_on(runs.iter_mut().collect(), slice)).unwrap();
                assert_eq!(runs, [round; 40]);
            }
            // Fewer runs have more threads each, and an error is told.
            pool.install(|| slices.go_on(runs.iter_mut().take(2).collect(), slice)).unwrap();
            let failed = pool.install(|| slices.go_on(runs.iter_mut().collect(), |_| bail!("no")));
            assert!(failed.is_err());
        }
    }

    #[test]
    fn tags_go_before_the_extension() {
        for (path, tag, expected) in
            [("a/b.safetensors", "T2.26", "a/b-T2.26.safetensors"), ("b", "x", "b-x"), ("b.npy", "", "b.npy")]
        {
            assert_eq!(tagged(Path::new(path), tag), Path::new(expected));
        }
    }
}
