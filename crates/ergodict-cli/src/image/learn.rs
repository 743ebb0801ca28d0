//! `ergodict image learn`: a dictionary of patches from one or several images.

use super::open::open;
use super::page;
use crate::args::Common;
use crate::checkpoints::CheckpointArgs;
use crate::learning::{LearnedModel, Learning};
use crate::progress::say;
use crate::reports::{self, ReportArgs};
use crate::summary::{Summary, emit};
use crate::{interrupt, memory, output, paths};
use anyhow::{Context, Result, bail};
use ergodict::data::Image;
use ergodict::linalg::Scalar;
use ergodict::patch::{ImageStream, PatchKind};
use ergodict::run::{ImageSource, Run, RunPlan};
use ergodict::settings::{ImageSettings, Settings};
use ergodict_pages::finding::percent;
use ergodict_report::words::count;
use serde::Serialize;
use serde_json::Value;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

const HELP: &str = "\
Example:
  ergodict image learn @tessellation -r 25 --patch 10 -o atoms.safetensors --report atoms.html

The paper's comparison, independent patches and a random walk:
  ergodict image learn picture.png -r 100 --patch 10 --patches 1000 --steps 500 -o iid.safetensors
  ergodict image learn picture.png -r 100 --patch 10 --patches 1000 --steps 500 --sampling walk -o walk.safetensors";

/// Learn a dictionary of patches from images
#[derive(clap::Args)]
#[command(after_long_help = HELP)]
pub(crate) struct Args {
    /// The images: PNG, JPEG, PNM or TIFF; - is standard input, @tessellation and @tessellation-noisy are embedded
    #[arg(required = true, value_name = "IMG")]
    images: Vec<PathBuf>,
    /// The model file to write; - is standard output
    #[arg(short, long, value_name = "MODEL")]
    out: PathBuf,
    #[command(flatten)]
    settings: ImageSettings,
    #[command(flatten)]
    checkpoints: CheckpointArgs,
    #[command(flatten)]
    reports: ReportArgs,
}

pub(crate) fn run(args: &Args, common: &Common) -> Result<ExitCode> {
    if args.settings.learning.f32 { learn::<f32>(args, common) } else { learn::<f64>(args, common) }
}

fn learn<T: Scalar>(args: &Args, common: &Common) -> Result<ExitCode> {
    let started = Instant::now();
    args.check(common)?;
    let settings = args.settings.clone().decided(common.seed);
    let parameters = settings.learning.factor.clone();
    let (mut images, mut inputs) = (Vec::new(), Vec::new());
    let mut largest = 0_u64;
    let window = settings.window();
    for path in &args.images {
        let (image, input) = open(path, settings.color, common.quiet)?;
        window.corners(image.shape()).with_context(|| path.display().to_string())?;
        if args.reports.wanted() {
            largest = largest.max(image.values().len() as u64);
        }
        images.push(image);
        inputs.push(input);
    }
    let kind = PatchKind { window, channels: if settings.color { 3 } else { 1 }, spins: None };
    let d = kind.features().context("a patch has too many numbers")?;
    parameters.check(d)?;
    let minibatch = (d as u64).saturating_mul(settings.patches as u64).saturating_mul(8);
    // The images are in memory already, and so not in what is available; the report has one at a time as numbers: given,
    // reconstructed, its sums and weights, its errors.
    let shown = largest.saturating_mul(5 * 8);
    let learning = parameters.memory::<T>(d, settings.patches as u64).saturating_add(minibatch);
    let needed = learning.saturating_add(shown);
    memory::check(
        needed,
        &format!("{} atoms of {d} numbers in minibatches of {}", parameters.atoms, settings.patches),
        "lower -r, --patch or --patches, or use --f32",
    )?;
    let images: Arc<[Image]> = images.into();
    let stream = ImageStream::new(Arc::clone(&images), window, settings.sampling, common.seed, 0)?;
    let source = ImageSource::<T>::new(stream, kind, settings.patches, settings.steps);
    let (first, init) = settings.learning.start(d, common.seed)?;
    inputs.extend(init);
    let settings = Value::Object(settings.config());
    let plan = RunPlan { settings, inputs, ..RunPlan::new("image learn", parameters, common.seed) };
    let mut learning = Learning::open(&plan.identity(), &args.checkpoints, common)?;
    learning.runs.push(Run::new(plan, Box::new(source), first)?);
    if let Some(code) = learning.drive()? {
        return Ok(code);
    }
    args.finish(learning, &images, started.elapsed(), common)
}

impl Args {
    fn check(&self, common: &Common) -> Result<()> {
        self.checkpoints.check()?;
        self.settings.check()?;
        if self.images.iter().filter(|path| output::is_standard(path)).count() > 1 {
            bail!("standard input holds one image, but - is given more than once");
        }
        let mut inputs: Vec<paths::NamedPath<'_>> = self.images.iter().map(|path| ("IMG", &**path)).collect();
        inputs.extend(self.settings.learning.init.file().map(|path| ("--init", path)));
        let checkpoint = self.checkpoints.checkpoint.as_deref().map(|path| ("--checkpoint", path));
        let outputs = [("-o", &*self.out)].into_iter().chain(self.reports.outputs()).chain(checkpoint);
        let outputs: Vec<_> = outputs.collect();
        paths::check(common, &inputs, &outputs)?;
        paths::check_model(&self.out)?;
        reports::probe(&outputs)
    }

    fn finish<T: Scalar>(
        &self,
        learning: Learning<T>,
        images: &[Image],
        time: Duration,
        common: &Common,
    ) -> Result<ExitCode> {
        let run = &learning.runs[0];
        let (model, results) = (&run.finish()?, &run.results()?);
        model.save(&self.out)?;
        let code = learning.exit_code(&self.out);
        if !self.reports.write_unless_stopped(|| page::of_learning::<T>(model, images, time, common.quiet))? {
            let written = self.out.display();
            let place =
                self.checkpoints.checkpoint.as_deref().map(|_| "; the same command with --resume writes it");
            say(&format!(
                "ergodict: interrupted: wrote {written}, but not the report{}",
                place.unwrap_or_default()
            ));
            return Ok(interrupt::code());
        }
        let run = &learning.close()?[0];
        let chain = run.source().stats().time.as_secs_f64();
        let (filling, learning) = run.times();
        let summary = ImageLearnSummary {
            learned: LearnedModel::new(&self.out, model, results, run.resumed()),
            seconds: time.as_secs_f64(),
            chain_seconds: chain,
            patch_seconds: filling.as_secs_f64() - chain,
            learning_seconds: learning.as_secs_f64(),
            patch: (self.settings.patch.0, self.settings.patch.1),
            config: &run.plan().settings,
            shown: self.reports.lines(),
        };
        emit(&summary, common)?;
        Ok(code)
    }
}

/// `ergodict image learn`; its samples are patches
#[derive(Serialize)]
struct ImageLearnSummary<'a> {
    #[serde(flatten)]
    learned: LearnedModel<'a>,
    /// Time of this run, without what was done before it was resumed
    seconds: f64,
    /// Time for positions of patches
    chain_seconds: f64,
    /// Time for copying patches
    patch_seconds: f64,
    /// Time for learning
    learning_seconds: f64,
    #[serde(skip)]
    patch: (usize, usize),
    #[serde(skip)]
    config: &'a Value,
    #[serde(skip)]
    shown: Vec<(&'static str, String)>,
}

impl Summary for ImageLearnSummary<'_> {
    const SCHEMA: &'static str = "ergodict.image-learn/1";

    fn lines(&self) -> Vec<(&str, String)> {
        let LearnedModel { model, atoms, samples, .. } = self.learned;
        let (rows, cols) = self.patch;
        let atoms = count(atoms, "atom", "atoms");
        let finding = match (self.learned.results.explained, self.learned.results.explained_by_mean) {
            (Some(by_atoms), Some(by_mean)) => format!(
                "{atoms} of {rows}×{cols} pixels explain {} of newly drawn patches (mean patch alone: {})",
                percent(by_atoms),
                percent(by_mean)
            ),
            _ => format!("{atoms} of {rows}×{cols} pixels learned from {samples} patches"),
        };
        let mut lines = vec![("", finding)];
        lines.extend(self.learned.lines());
        lines.push(("wrote", model.display().to_string()));
        lines.extend(self.shown.clone());
        lines
    }

    fn details(&self) -> Vec<(&str, String)> {
        let mut lines = self.learned.details();
        let Self { seconds, chain_seconds, patch_seconds, learning_seconds, .. } = self;
        let time = format!(
            "{seconds:.1} s: chain {chain_seconds:.2}, patches {patch_seconds:.2}, learning {learning_seconds:.2}"
        );
        lines.push(("time", time));
        lines
    }

    fn config(&self) -> Value {
        self.config.clone()
    }
}
