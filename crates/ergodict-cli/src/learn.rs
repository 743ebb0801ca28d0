//! The run of `ergodict factor`: minibatch, step, history, checkpoint; at the end the model and what to say of it.

use crate::args::Common;
use crate::factor::Args;
use crate::progress::{Progress, say};
use crate::{INTERRUPTED, checkpoint, input, interrupt, output, page};
use anyhow::{Context, Result, bail};
use ergodict::data::Feed;
use ergodict::dictionary::{History, HistoryPoint, Input, Model};
use ergodict::factor::diagnostics::{smallest_eigenvalue, stationarity_gap, unused};
use ergodict::factor::{Factoriser, Normalise, StepReport};
use ergodict::linalg::{Mat, MatRef, Scalar};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// With more atoms the smallest eigenvalue of A, O(r³), is left out.
const MOST_FOR_EIGENVALUES: usize = 2048;

/// A run in progress.
pub(crate) struct Learner<'a, T: Scalar> {
    args: &'a Args,
    common: &'a Common,
    feed: Feed<T>,
    /// None until the first minibatch, when it starts from data.
    factoriser: Option<Factoriser<T>>,
    history: History,
    tally: Tally,
    config: Value,
    /// The data, then the first dictionary if it came from a file. The digest of a pipe is empty until its end.
    inputs: Vec<Input>,
    resumed: Option<u64>,
}

/// What is counted over all steps.
#[derive(Clone, Copy, Default, Serialize, Deserialize)]
struct Tally {
    /// Steps in which coding met its cap before its tolerance.
    capped_code_steps: u64,
    /// Steps in which the dictionary update met its cap on sweeps before its tolerance.
    capped_update_steps: u64,
    /// Atoms reseeded.
    reseeded: u64,
    /// Loss of the last minibatch before its update, per sample.
    last_loss: f64,
}

/// What there is to say at the end. The same run gives the same results, so they are kept in the model.
#[derive(Serialize)]
struct Results {
    loss_per_sample: f64,
    surrogate_per_sample: f64,
    held_out_samples: u64,
    held_out_loss_per_sample: Option<f64>,
    stationarity_gap: f64,
    smallest_eigenvalue: Option<f64>,
    unused_atoms: usize,
    capped_code_steps: u64,
    capped_update_steps: u64,
    reseeded: u64,
}

impl<'a, T: Scalar> Learner<'a, T> {
    /// A run from its beginning, or from its checkpoint.
    pub(crate) fn new(args: &'a Args, common: &'a Common, mut feed: Feed<T>) -> Result<Self> {
        let stream = feed.stream();
        let once = stream.is_read_once();
        if once && args.checkpoint.is_some() {
            bail!(
                "{}: can be read only once, so a checkpoint could not be resumed: use a file",
                args.data.display()
            );
        }
        let digest = if once { String::new() } else { stream.digest()? };
        let (start, init) = args.start(stream.features(), common.seed)?;
        let mut inputs = vec![Input { name: input::name(stream.path()), digest }];
        inputs.extend(init);
        let config = args.config(common)?;
        let (mut history, mut tally) = (History::default(), Tally::default());
        let (mut factoriser, mut resumed) = (start, None);
        if let Some(path) = &args.checkpoint {
            match (path.exists(), args.resume) {
                (true, false) => bail!(
                    "{}: there is a checkpoint already: add --resume to go on from it, or delete it",
                    path.display()
                ),
                (false, true) if !common.quiet => {
                    say(&format!("{}: there is no checkpoint yet; starting afresh", path.display()));
                }
                (true, true) => {
                    let (model, cursor) = checkpoint::load(path, &config, &inputs)?;
                    factoriser = Some(model.factoriser()?);
                    resumed = Some(model.aggregates.t);
                    tally = serde_json::from_value(model.run["tally"].clone())
                        .with_context(|| format!("{}: damaged checkpoint", path.display()))?;
                    history = model.history;
                    feed.seek(cursor)?;
                }
                (false, _) => {}
            }
        }
        Ok(Self { args, common, feed, factoriser, history, tally, config, inputs, resumed })
    }

    /// Learns until the data is over, and writes what was learned.
    pub(crate) fn run(mut self) -> Result<ExitCode> {
        interrupt::listen()?;
        let total = self.feed.expected_samples().map(|n| n.saturating_mul(self.args.epochs));
        let before = self.factoriser.as_ref().map_or(0, |f| f.aggregates().samples);
        if let (Some(step), false) = (self.resumed, self.common.quiet) {
            say(&format!("resumed after step {step}, {before} samples"));
        }
        let mut progress = Progress::new(self.common.quiet, total, before);
        let (mut steps, mut saved) = (0, Instant::now());
        let every = Duration::try_from_secs_f64(self.args.checkpoint_every).unwrap_or(Duration::MAX);
        while let Some(report) = self.step()? {
            steps += 1;
            let samples = self.learned().aggregates().samples;
            progress.update(samples, || {
                let surrogate = self.learned().aggregates().per_sample(report.surrogate);
                format!("step {}, surrogate {surrogate:.4e} per sample", report.t)
            });
            let stopped = interrupt::asked() || interrupt::due(steps);
            if let Some(path) = self.args.checkpoint.as_ref().filter(|_| stopped || saved.elapsed() >= every)
            {
                let mut state = self.model(json!({ "tally": self.tally }));
                state.cursor = Some(self.feed.cursor());
                state.save(path)?;
                saved = Instant::now();
            }
            if stopped {
                progress.finish();
                say(&match &self.args.checkpoint {
                    Some(path) => format!(
                        "ergodict: interrupted after step {}; the state is in {}: go on with the same command and --resume",
                        report.t,
                        path.display()
                    ),
                    None => format!(
                        "ergodict: interrupted after step {}; nothing was written (--checkpoint FILE lets a run go on)",
                        report.t
                    ),
                });
                return Ok(ExitCode::from(INTERRUPTED));
            }
        }
        progress.finish();
        let results = self.results()?;
        self.finish(&results, progress.elapsed())?;
        Ok(ExitCode::SUCCESS)
    }

    /// One step; none when the data is over.
    fn step(&mut self) -> Result<Option<StepReport>> {
        let Some(x) = self.feed.next_minibatch()? else { return Ok(None) };
        let factoriser = match &mut self.factoriser {
            Some(factoriser) => Ok(factoriser),
            none => from_data(self.args, x, self.common.seed).map(|started| none.insert(started)),
        };
        let mask = input::mask(x, self.args.missing);
        let report = factoriser.and_then(|f| f.step(input::observed(x, mask.as_ref())));
        let report = report.map_err(|e| self.placed(e))?;
        let loss = match self.args.parameters().normalise {
            Normalise::Sum => report.loss_before / report.samples as f64,
            Normalise::PerColumn => report.loss_before,
        };
        self.tally.capped_code_steps += u64::from(report.code.capped > 0);
        self.tally.capped_update_steps += u64::from(report.update.capped);
        self.tally.reseeded += report.reseeded as u64;
        self.tally.last_loss = loss;
        let totals = self.learned().aggregates();
        let (samples, surrogate) = (totals.samples, totals.per_sample(report.surrogate));
        self.history.push(HistoryPoint { t: report.t, samples, loss, surrogate });
        Ok(Some(report))
    }

    /// An error of the arithmetic with the file that caused it.
    fn placed(&self, error: ergodict::Error) -> anyhow::Error {
        match error {
            ergodict::Error::Overflow { .. } => anyhow::anyhow!("{}: {error}", self.args.data.display()),
            other => input::explained(&self.feed, other),
        }
    }

    /// The factoriser, which exists once there was a minibatch.
    fn learned(&self) -> &Factoriser<T> {
        self.factoriser.as_ref().expect("a feed gives at least one minibatch or an error")
    }

    fn results(&mut self) -> Result<Results> {
        let Some(factoriser) = &mut self.factoriser else { bail!("no sample was seen") };
        let (mut loss, mut missing) = (0.0, false);
        let held_out = self.feed.for_each_held_out(|x| {
            let mask = input::mask(x, self.args.missing);
            let found = factoriser.loss(input::observed(x, mask.as_ref()));
            loss += found.inspect_err(|e| missing = input::is_missing(e))?;
            Ok(())
        });
        let held_out = held_out.map_err(|e| input::hinted(e, missing))?;
        let factoriser = self.learned();
        let a = &factoriser.aggregates().a;
        Ok(Results {
            loss_per_sample: self.tally.last_loss,
            surrogate_per_sample: factoriser.aggregates().per_sample(factoriser.surrogate()),
            held_out_samples: held_out,
            held_out_loss_per_sample: (held_out > 0).then(|| loss / held_out as f64),
            stationarity_gap: stationarity_gap(factoriser),
            smallest_eigenvalue: (a.cols() <= MOST_FOR_EIGENVALUES).then(|| smallest_eigenvalue(factoriser)),
            unused_atoms: unused(a).len(),
            capped_code_steps: self.tally.capped_code_steps,
            capped_update_steps: self.tally.capped_update_steps,
            reseeded: self.tally.reseeded,
        })
    }

    /// The state as a model; `more` is added to what it says of its run.
    fn model(&self, more: Value) -> Model {
        let mut model = Model::of(self.learned(), "factor", self.common.seed);
        model.inputs.clone_from(&self.inputs);
        model.feature_names = self.feed.stream().feature_names().map(<[String]>::to_vec);
        model.history.clone_from(&self.history);
        model.run = json!({ "command": "factor", "config": self.config });
        if let (Value::Object(run), Value::Object(more)) = (&mut model.run, more) {
            run.extend(more);
        }
        model
    }

    /// Writes the model and the report, and says what was learned.
    fn finish(&mut self, results: &Results, time: Duration) -> Result<()> {
        if self.feed.stream().is_read_once() {
            self.inputs[0].digest = self.feed.stream().digest()?;
        }
        let model = self.model(json!({ "results": results }));
        model.save(&self.args.out)?;
        if let Some(path) = &self.args.report {
            output::write(path, &page::of_factor(&model, self.args.shape)?)?;
        }
        if let Some(path) = self.args.checkpoint.as_ref().filter(|path| path.exists()) {
            std::fs::remove_file(path).map_err(ergodict::Error::io(path))?;
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
        let loss = format!(
            "{:.6} per sample, surrogate {:.6}",
            results.loss_per_sample, results.surrogate_per_sample
        );
        lines.push(("loss", loss));
        if let Some(loss) = results.held_out_loss_per_sample {
            lines.push(("held out", format!("{loss:.6} per sample over {}", results.held_out_samples)));
        }
        let eigenvalue =
            results.smallest_eigenvalue.map_or_else(String::new, |x| format!(", λ_min(A) {x:.3e}"));
        lines.push(("gap", format!("{:.3e} from stationary{eigenvalue}", results.stationarity_gap)));
        let (scores, order) = model.dominance();
        let first: Vec<String> = order.iter().take(5).map(|&k| format!("{:.3}", scores[k])).collect();
        let rest = if order.len() > first.len() { ", …" } else { "" };
        lines.push((
            "dominance",
            format!("{}{rest}; {} atoms unused", first.join(", "), results.unused_atoms),
        ));
        if results.unused_atoms == order.len() {
            lines.push(("warning", "every code is zero, nothing was learned: lower --lambda".to_owned()));
        }
        let (code, update) = (results.capped_code_steps, results.capped_update_steps);
        if code + update > 0 {
            let caps = format!(
                "met by coding in {code}, by the dictionary update in {update} of {} steps",
                totals.t
            );
            lines.push(("caps", caps));
        }
        if results.reseeded > 0 {
            lines.push(("reseeded", format!("{} times an atom", results.reseeded)));
        }
        lines.push(("wrote", self.args.out.display().to_string()));
        let lines: Vec<String> = lines.iter().map(|(name, text)| format!("{name:<10} {text}")).collect();
        lines.join("\n")
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

/// Starts from samples, whose missing entries count as zero.
fn from_data<T: Scalar>(args: &Args, x: MatRef<'_, T>, seed: u64) -> ergodict::Result<Factoriser<T>> {
    let missing = |x: T| args.missing && x.to_f64().is_nan();
    let filled =
        Mat::from_fn(x.rows(), x.cols(), |i, j| if missing(x.get(i, j)) { T::ZERO } else { x.get(i, j) });
    Factoriser::from_data(args.parameters(), filled.as_ref(), seed)
}
