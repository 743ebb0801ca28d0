//! The run of `ergodict factor`: minibatch, step, history, checkpoint; at the end the model and what to say of it.

use crate::args::Common;
use crate::factor::Args;
use crate::progress::{Progress, figure, say};
use crate::scheme::from_data;
use crate::words::table;
use crate::{input, interrupt, output, page, saving};
use anyhow::{Result, bail};
use ergodict::data::Feed;
use ergodict::dictionary::{Input, Model};
use ergodict::dictionary::{Results, Tracked};
use ergodict::factor::StepReport;
use ergodict::factor::code::CodeSet;
use ergodict::linalg::Scalar;
use serde_json::{Value, json};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// A run in progress.
pub(crate) struct Learner<'a, T: Scalar> {
    args: &'a Args,
    common: &'a Common,
    feed: Feed<T>,
    tracked: Tracked<T>,
    config: Value,
    /// The data, then the first dictionary if it came from a file. The digest of a pipe is empty until its end.
    inputs: Vec<Input>,
    resumed: Option<u64>,
    /// Whether a minibatch had negative entries.
    negative: bool,
}

impl<'a, T: Scalar> Learner<'a, T> {
    /// A run from its beginning, or from its checkpoint.
    pub(crate) fn new(args: &'a Args, common: &'a Common, mut feed: Feed<T>) -> Result<Self> {
        let stream = feed.stream();
        let once = stream.is_read_once();
        if once && args.saving.checkpoint.is_some() {
            bail!(
                "{}: can be read only once, so a checkpoint could not be resumed: use a file",
                args.data.display()
            );
        }
        let digest = if once { String::new() } else { stream.digest()? };
        let (start, init) = args.scheme.start(&args.parameters(), stream.features(), common.seed)?;
        let mut inputs = vec![Input { name: input::name(stream.path()), digest }];
        inputs.extend(init);
        let config = args.config(common)?;
        let (mut tracked, mut resumed) = (Tracked::new(start), None);
        if let Some(path) = &args.saving.checkpoint
            && args.saving.goes_on(path, common.quiet)?
        {
            let model = saving::load(path, "factor", &config, &inputs)?;
            let Some(cursor) = model.cursor else { bail!("{}: damaged checkpoint", path.display()) };
            tracked = Tracked::resumed(&model, path)?;
            resumed = Some(model.aggregates.t);
            feed.seek(cursor)?;
        }
        Ok(Self { args, common, feed, tracked, config, inputs, resumed, negative: false })
    }

    /// Learns until the data is over, and writes what was learned.
    pub(crate) fn run(mut self) -> Result<ExitCode> {
        interrupt::listen();
        let total = self.feed.expected_samples().map(|n| n.saturating_mul(self.args.epochs));
        let before = self.tracked.samples();
        if let (Some(step), false) = (self.resumed, self.common.quiet) {
            say(&format!("resumed after step {step}, {before} samples"));
        }
        let mut progress = Progress::new(self.common.quiet, total, before);
        let (mut steps, mut saved) = (0, Instant::now());
        let (checkpoint, every) = (self.args.saving.checkpoint.as_deref(), self.args.saving.every());
        while let Some(report) = self.step()? {
            steps += 1;
            let totals = self.tracked.learned()?.aggregates();
            progress.update(totals.samples, || {
                let surrogate = totals.per_sample(report.surrogate);
                format!("surrogate {}, step {}", figure(surrogate), report.t)
            });
            let stopped = interrupt::asked() || interrupt::due(steps);
            if let Some(path) = checkpoint.filter(|_| stopped || saved.elapsed() >= every) {
                self.args.saving.tried(self.save(path), stopped)?;
                saved = Instant::now();
            }
            if stopped {
                progress.finish();
                say(&saving::interrupted(&format!("step {}", report.t), checkpoint, 0));
                return Ok(interrupt::code());
            }
        }
        progress.finish();
        // What was learned is not lost if it cannot be written.
        if let Some(path) = checkpoint.filter(|_| self.tracked.steps() > 0) {
            self.args.saving.tried(self.save(path), false)?;
        }
        interrupt::waits_for("the model and the report");
        let results = self.results()?;
        self.finish(&results, progress.elapsed())?;
        Ok(ExitCode::SUCCESS)
    }

    /// Saves the state.
    fn save(&self, path: &Path) -> Result<()> {
        let mut state = self.tracked.checkpoint("factor", self.common.seed, self.told())?;
        self.describe(&mut state);
        state.cursor = Some(self.feed.cursor());
        Ok(state.save(path)?)
    }

    /// One step; none when the data is over.
    fn step(&mut self) -> Result<Option<StepReport>> {
        let (args, seed) = (self.args, self.common.seed);
        let Some(x) = self.feed.next_minibatch()? else { return Ok(None) };
        self.negative |= (0..x.cols()).any(|j| x.col(j).iter().any(|x| x.to_f64() < 0.0));
        let mask = input::mask(x, args.missing);
        let start = || from_data(args.parameters(), x, args.missing, seed);
        let report = self.tracked.step(input::observed(x, mask.as_ref()), start);
        Ok(Some(report.map_err(|e| self.placed(e))?))
    }

    /// An error of the arithmetic with the file that caused it.
    fn placed(&self, error: ergodict::Error) -> anyhow::Error {
        match error {
            ergodict::Error::Overflow { .. } => anyhow::anyhow!("{}: {error}", self.args.data.display()),
            other => input::explained(&self.feed, other),
        }
    }

    fn results(&mut self) -> Result<Results> {
        let mut results = self.tracked.results()?;
        let Some(factoriser) = &mut self.tracked.factoriser else { return Ok(results) };
        let (mut loss, mut missing) = (0.0, false);
        let held_out = self.feed.for_each_held_out(|x| {
            let mask = input::mask(x, self.args.missing);
            let found = factoriser.loss(input::observed(x, mask.as_ref()));
            loss += found.inspect_err(|e| missing = input::is_missing(e))?;
            Ok(())
        });
        let held_out = held_out.map_err(|e| input::hinted(e, missing))?;
        results.held_out_samples = held_out;
        results.held_out_loss_per_sample = (held_out > 0).then(|| loss / held_out as f64);
        Ok(results)
    }

    /// What a model keeps of this run.
    fn told(&self) -> Value {
        json!({ "command": "factor", "config": self.config })
    }

    /// What a model says of its data.
    fn describe(&self, model: &mut Model) {
        model.inputs.clone_from(&self.inputs);
        model.feature_names = self.feed.stream().feature_names().map(<[String]>::to_vec);
    }

    /// Writes the model and the report, and says what was learned.
    fn finish(&mut self, results: &Results, time: Duration) -> Result<()> {
        if self.feed.stream().is_read_once() {
            self.inputs[0].digest = self.feed.stream().digest()?;
        }
        let mut model = self.tracked.finished("factor", self.common.seed, self.told(), results)?;
        self.describe(&mut model);
        if let Some((rows, cols)) = self.args.shape {
            model.run["shape"] = json!([rows, cols]);
        }
        model.save(&self.args.out)?;
        let timing = ("time", format!("{:.2} s", time.as_secs_f64()));
        self.args.showing.write(|| page::of_model(&model, &[timing]))?;
        if let Some(path) = &self.args.saving.checkpoint {
            saving::remove(path)?;
        }
        if !self.common.quiet {
            say(&self.words(&model, results, time));
        }
        if self.common.json {
            output::print(&format!("{:#}\n", self.json(&model, results, time)?))?;
        }
        Ok(())
    }

    fn words(&self, model: &Model, results: &Results, time: Duration) -> String {
        let totals = &model.aggregates;
        let seconds = time.as_secs_f64();
        let rate = (totals.samples as f64 / seconds.max(1e-9)).round();
        let mut lines = vec![(
            "learned",
            format!(
                "{} atoms of {} features from {} samples in {} steps, {seconds:.1} s{}",
                model.w.cols(),
                model.w.rows(),
                totals.samples,
                totals.t,
                if self.resumed.is_some() { String::new() } else { format!(", {rate} samples/s") }
            ),
        )];
        lines.extend(crate::words::lines(results, model));
        let parameters = &model.parameters;
        if self.negative
            && parameters.code == CodeSet::Nonnegative
            && parameters.dictionary.to_string().starts_with("nonneg")
        {
            let advice = "the data has negative entries, which nonnegative atoms and codes cannot make: \
                          --dictionary ball --code free can";
            lines.push(("warning", advice.to_owned()));
        }
        lines.push(("wrote", self.args.out.display().to_string()));
        lines.extend(self.args.showing.lines());
        table(&lines)
    }

    fn json(&self, model: &Model, results: &Results, time: Duration) -> Result<Value> {
        let mut all = json!({
            "schema": "ergodict.factor/1",
            "model": self.args.out.display().to_string(),
            "inputs": model.inputs,
            "features": model.w.rows(),
            "atoms": model.w.cols(),
            "steps": model.aggregates.t,
            "samples": model.aggregates.samples,
            "seconds": time.as_secs_f64(),
            "resumed_after_step": self.resumed,
            "dominance": model.dominance().0,
            "config": self.config,
        });
        if let (Value::Object(all), Value::Object(results)) = (&mut all, serde_json::to_value(results)?) {
            all.extend(results);
        }
        Ok(all)
    }
}
