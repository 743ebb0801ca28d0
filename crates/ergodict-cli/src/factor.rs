//! `ergodict factor`: learns a dictionary from any matrix.

use crate::args::{Common, defaults};
use crate::checkpoints::CheckpointArgs;
use crate::learning::{LearnedModel, Learning};
use crate::reports::{self, ReportArgs};
use crate::summary::{Summary, emit};
use crate::{input, memory, page, paths};
use anyhow::{Result, bail};
use ergodict::Note;
use ergodict::linalg::Scalar;
use ergodict::model::Input;
use ergodict::run::{MatrixSource, Run, RunPlan, StopRule};
use ergodict::settings::{MatrixSettings, Settings};
use ergodict_pages::finding::percent;
use ergodict_report::words::{count, number};
use serde::Serialize;
use serde_json::Value;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

const HELP: &str = "\
Example:
  ergodict factor faces.npy -r 25 -o faces.safetensors --report faces.html

The same run again:
  ergodict factor faces.npy -o again.safetensors --config faces.safetensors";

/// Learn a dictionary from the rows of a matrix, minibatch by minibatch
#[derive(clap::Args)]
#[command(after_long_help = HELP, mut_args(defaults::of_command::<MatrixSettings>()))]
pub(crate) struct Args {
    /// The matrix, one sample a row: .npy, .npz (also FILE.npz:ARRAY), .csv, .tsv, .parquet; - is standard input
    pub(crate) data: PathBuf,
    /// The model file to write; - is standard output
    #[arg(short, long, value_name = "MODEL")]
    pub(crate) out: PathBuf,

    #[command(flatten)]
    pub(crate) settings: MatrixSettings,
    #[command(flatten)]
    pub(crate) checkpoints: CheckpointArgs,
    #[command(flatten)]
    pub(crate) reports: ReportArgs,
    /// Rows and columns of an atom's picture in the report [default: square, if it can be]
    #[arg(long, value_name = "HxW", value_parser = crate::model::shape, hide_short_help = true)]
    pub(crate) shape: Option<(usize, usize)>,
}

pub(crate) fn run(args: &Args, common: &Common) -> Result<ExitCode> {
    if args.settings.learning.f32 { learn::<f32>(args, common) } else { learn::<f64>(args, common) }
}

fn learn<T: Scalar>(args: &Args, common: &Common) -> Result<ExitCode> {
    args.check(common)?;
    let stream = input::open(&args.data)?;
    let mut settings = args.settings.clone();
    settings.learning = settings.learning.decided(false);
    settings.batches.seed = common.seed;
    if stream.is_read_once() && settings.batches.epochs == MatrixSettings::default().batches.epochs {
        // What comes by a pipe is gone over once.
        settings.batches.epochs = 1;
    }
    settings.check()?;
    let d = stream.features();
    settings.learning.factor.check(d)?;
    if let Some((height, width)) = args.shape.filter(|(height, width)| height.checked_mul(*width) != Some(d))
    {
        bail!("--shape is {height}x{width}, but the samples of {} have {d} features", args.data.display());
    }
    let feed = input::feed::<T>(stream, settings.batches)?;
    let again = feed.minibatches().filter(|_| settings.batches.epochs > 1);
    let schedule = std::mem::take(&mut settings.learning.factor.schedule);
    settings.learning.factor.schedule = schedule.decided(again);
    let parameters = settings.learning.factor.clone();
    let batch = feed.stream().samples().unwrap_or(u64::MAX).min(settings.batches.batch as u64);
    let needed = feed.buffer_bytes().saturating_add(parameters.memory::<T>(d, batch));
    let what =
        format!("{} atoms of {d} features in minibatches of {}", parameters.atoms, settings.batches.batch);
    memory::check(needed, &what, "lower -r or --batch, or use --f32")?;
    reports::probe(&args.outputs())?;
    if crate::verbose::on() {
        let (format, samples) = (feed.stream().format(), feed.stream().samples());
        let samples = samples.map_or_else(|| "an unknown number of".to_owned(), |n| n.to_string());
        let memory = memory::bytes(needed);
        crate::progress::say(&format!(
            "{}: {format:?}, {samples} samples of {d} features; about {memory} of memory",
            args.data.display()
        ));
    }
    let once = feed.stream().is_read_once();
    if once && args.checkpoints.checkpoint.is_some() {
        bail!(
            "{}: can be read only once, so a checkpoint could not be resumed: use a file",
            args.data.display()
        );
    }
    // The digest of a pipe is known at its end.
    let digest = if once { String::new() } else { feed.stream().digest()? };
    let (first, init) = settings.learning.start(d, common.seed)?;
    let mut inputs = vec![Input { name: input::name(feed.stream().path()), digest }];
    inputs.extend(init);
    let plan = RunPlan {
        settings: Value::Object(settings.config()),
        inputs,
        stopping: StopRule::from_settings(&settings.batches),
        ..RunPlan::new("factor", parameters, common.seed)
    };
    let mut learning = Learning::<T>::open(&plan.identity(), &args.checkpoints, common)?;
    learning.runs.push(Run::new(plan, Box::new(MatrixSource::new(feed, settings.missing)), first)?);
    let started = Instant::now();
    if let Some(code) = learning.drive().map_err(input::hinted)? {
        return Ok(code);
    }
    args.finish(learning, started.elapsed(), common)
}

impl Args {
    /// Checks what does not need the data.
    fn check(&self, common: &Common) -> Result<()> {
        self.checkpoints.check()?;
        let mut inputs = vec![("DATA", &*self.data)];
        inputs.extend(self.settings.learning.init.file().map(|path| ("--init", path)));
        paths::check(common, &inputs, &self.outputs())?;
        paths::check_model(&self.out)
    }

    /// What is written.
    fn outputs(&self) -> Vec<paths::NamedPath<'_>> {
        let checkpoint = self.checkpoints.checkpoint.as_deref().map(|path| ("--checkpoint", path));
        [("-o", &*self.out)].into_iter().chain(self.reports.outputs()).chain(checkpoint).collect()
    }

    /// Writes the model and the report, and prints the summary.
    fn finish<T: Scalar>(&self, learning: Learning<T>, time: Duration, common: &Common) -> Result<ExitCode> {
        let run = &learning.runs[0];
        let (mut model, results) = (run.finish()?, run.results()?);
        model.provenance.shape = self.shape;
        model.save(&self.out)?;
        let timing = ("time", format!("{:.2} s", time.as_secs_f64()));
        self.reports.write(|| Ok(page::of_model(&model, &[timing])?))?;
        let code = learning.exit_code(&self.out);
        let run = &learning.close()?[0];
        let summary = FactorSummary {
            learned: LearnedModel::new(&self.out, &model, &results, run.resumed()),
            seconds: time.as_secs_f64(),
            lambda: model.parameters.effective_lambda(),
            samples_of_data: run.explained().and_then(|share| share.samples),
            data: input::name(&self.data),
            signs: run.sign_warning(),
            config: Value::Object(model.provenance.config.clone()),
            shown: self.reports.lines(),
        };
        emit(&summary, common)?;
        Ok(code)
    }
}

/// `ergodict factor`. The model file keeps the keys from `loss_per_sample` to `reseeded`, too
#[derive(Serialize)]
struct FactorSummary<'a> {
    #[serde(flatten)]
    learned: LearnedModel<'a>,
    /// Time of this run, without what was done before it was resumed
    seconds: f64,
    /// Weight of the ℓ₁ norm of the code, as given or as `auto` became
    lambda: f64,
    /// Samples of the data but for those held out, each counted once; `null` where they were gone over only once
    samples_of_data: Option<u64>,
    #[serde(skip)]
    data: String,
    #[serde(skip)]
    signs: Option<Note>,
    #[serde(skip)]
    config: Value,
    #[serde(skip)]
    shown: Vec<(&'static str, String)>,
}

impl Summary for FactorSummary<'_> {
    const SCHEMA: &'static str = "ergodict.factor/1";

    fn finding(&self) -> Option<String> {
        let (LearnedModel { atoms, features, samples, .. }, data) = (&self.learned, &self.data);
        let samples = self.samples_of_data.unwrap_or(*samples);
        let shape = format!("{} × {features} features", count(samples as usize, "sample", "samples"));
        let observed = if self.config["missing"] == true { "the observed entries of " } else { "" };
        Some(match (self.learned.results.explained, self.learned.results.explained_by_mean) {
            (Some(by_atoms), Some(by_mean)) => format!(
                "{} {} of {observed}{data} ({shape}; mean sample alone: {})",
                count(*atoms, "atom explains", "atoms explain"),
                percent(by_atoms),
                percent(by_mean)
            ),
            _ => format!("{} learned from {shape} of {data}", count(*atoms, "atom", "atoms")),
        })
    }

    fn details(&self) -> Vec<(&str, String)> {
        let LearnedModel { samples, steps, resumed_after_step, .. } = self.learned;
        let seconds = self.seconds;
        let rate = match resumed_after_step {
            Some(_) => String::new(),
            None => format!(", {} samples/s", (samples as f64 / seconds.max(1e-9)).round()),
        };
        let passes =
            self.samples_of_data.map(|n| format!(", {:.0} times over the data", samples as f64 / n as f64));
        let learned = format!("in {steps} steps{}, {seconds:.1} s{rate}", passes.unwrap_or_default());
        let mut lines = vec![("learned", learned)];
        lines.extend(self.learned.details());
        lines
    }

    fn lines(&self) -> Vec<(&str, String)> {
        let LearnedModel { model, .. } = self.learned;
        let mut lines = self.learned.lines();
        if self.lambda > 0.0 {
            lines.push(("penalty", format!("λ = {}", number(self.lambda))));
        }
        if self.data == "-" && self.config["epochs"] == 1 {
            let words = "one pass, as standard input is read only once; from a file, passes are repeated until the loss hardly falls";
            lines.push(("note", words.to_owned()));
        }
        lines.extend(self.signs.iter().map(|note| ("warning", crate::output::in_flags(note))));
        lines.push(("wrote", model.display().to_string()));
        lines.extend(self.shown.clone());
        lines
    }

    fn config(&self) -> Value {
        self.config.clone()
    }
}
