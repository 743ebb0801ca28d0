//! A factoriser with its history and its tally: what learning keeps, whatever it learns from.

use anyhow::{Context, Result, bail};
use ergodict::dictionary::{GapPoint, History, HistoryPoint, Model, gap_due};
use ergodict::factor::diagnostics::{smallest_eigenvalue, stationarity_gap, unused};
use ergodict::factor::{Factoriser, Minibatch, Normalise, StepReport};
use ergodict::linalg::Scalar;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::path::Path;

/// With more atoms the smallest eigenvalue of A, O(r³), is left out.
const MOST_FOR_EIGENVALUES: usize = 2048;

/// Learning in progress.
pub(crate) struct Tracked<T: Scalar> {
    /// None until the first minibatch, when it starts from data.
    pub(crate) factoriser: Option<Factoriser<T>>,
    history: History,
    tally: Tally,
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
pub(crate) struct Results {
    loss_per_sample: f64,
    pub(crate) surrogate_per_sample: f64,
    pub(crate) held_out_samples: u64,
    pub(crate) held_out_loss_per_sample: Option<f64>,
    stationarity_gap: f64,
    smallest_eigenvalue: Option<f64>,
    pub(crate) unused_atoms: usize,
    capped_code_steps: u64,
    capped_update_steps: u64,
    reseeded: u64,
}

impl<T: Scalar> Tracked<T> {
    /// From the beginning; without a factoriser it starts from data.
    pub(crate) fn new(factoriser: Option<Factoriser<T>>) -> Self {
        Self { factoriser, history: History::default(), tally: Tally::default() }
    }

    /// From a checkpoint.
    pub(crate) fn resumed(model: &Model, path: &Path) -> Result<Self> {
        let tally = serde_json::from_value(model.run["tally"].clone())
            .with_context(|| format!("{}: damaged checkpoint", path.display()))?;
        Ok(Self { factoriser: Some(model.factoriser()?), history: model.history.clone(), tally })
    }

    /// One step; `start` makes the factoriser if there is none yet.
    pub(crate) fn step(
        &mut self,
        x: Minibatch<'_, T>,
        start: impl FnOnce() -> ergodict::Result<Factoriser<T>>,
    ) -> ergodict::Result<StepReport> {
        let factoriser = match &mut self.factoriser {
            Some(factoriser) => factoriser,
            none => none.insert(start()?),
        };
        let report = factoriser.step(x)?;
        let loss = match factoriser.parameters().normalise {
            Normalise::Sum => report.loss_before / report.samples as f64,
            Normalise::PerColumn => report.loss_before,
        };
        self.tally.capped_code_steps += u64::from(report.code.capped > 0);
        self.tally.capped_update_steps += u64::from(report.update.capped);
        self.tally.reseeded += report.reseeded as u64;
        self.tally.last_loss = loss;
        let totals = factoriser.aggregates();
        let (samples, surrogate) = (totals.samples, totals.per_sample(report.surrogate));
        self.history.push(HistoryPoint { t: report.t, samples, loss, surrogate });
        if gap_due(report.t) {
            let (t, gap, change) = (report.t, stationarity_gap(factoriser), report.change);
            self.history.gaps.push(GapPoint { t, samples, gap, change });
        }
        Ok(report)
    }

    /// Samples learned from.
    pub(crate) fn samples(&self) -> u64 {
        self.factoriser.as_ref().map_or(0, |f| f.aggregates().samples)
    }

    /// Steps taken.
    pub(crate) fn steps(&self) -> u64 {
        self.factoriser.as_ref().map_or(0, |f| f.aggregates().t)
    }

    /// The factoriser, which exists once there was a minibatch.
    pub(crate) fn learned(&self) -> Result<&Factoriser<T>> {
        match &self.factoriser {
            Some(factoriser) => Ok(factoriser),
            None => bail!("no sample was seen"),
        }
    }

    /// What there is to say, but for what was held out.
    pub(crate) fn results(&self) -> Result<Results> {
        let factoriser = self.learned()?;
        let a = &factoriser.aggregates().a;
        Ok(Results {
            loss_per_sample: self.tally.last_loss,
            surrogate_per_sample: factoriser.aggregates().per_sample(factoriser.surrogate()),
            held_out_samples: 0,
            held_out_loss_per_sample: None,
            stationarity_gap: stationarity_gap(factoriser),
            smallest_eigenvalue: (a.cols() <= MOST_FOR_EIGENVALUES).then(|| smallest_eigenvalue(factoriser)),
            unused_atoms: unused(a).len(),
            capped_code_steps: self.tally.capped_code_steps,
            capped_update_steps: self.tally.capped_update_steps,
            reseeded: self.tally.reseeded,
        })
    }

    /// The state as a model; `more` is added to what it says of its run.
    fn model(&self, kind: &str, seed: u64, run: Value, more: Value) -> Result<Model> {
        let mut model = Model::of(self.learned()?, kind, seed);
        model.history.clone_from(&self.history);
        model.run = run;
        if let (Value::Object(run), Value::Object(more)) = (&mut model.run, more) {
            run.extend(more);
        }
        Ok(model)
    }

    /// The state as a checkpoint, which still needs to be told where the data was.
    pub(crate) fn checkpoint(&self, kind: &str, seed: u64, run: Value) -> Result<Model> {
        self.model(kind, seed, run, json!({ "tally": self.tally }))
    }

    /// What was learned, with its results.
    pub(crate) fn finished(&self, kind: &str, seed: u64, run: Value, results: &Results) -> Result<Model> {
        self.model(kind, seed, run, json!({ "results": results }))
    }
}

impl Results {
    /// The results in words, as pairs of a name and a text.
    pub(crate) fn lines(&self, model: &Model) -> Vec<(&'static str, String)> {
        let mut lines = vec![(
            "loss",
            format!("{:.6} per sample, surrogate {:.6}", self.loss_per_sample, self.surrogate_per_sample),
        )];
        if let Some(loss) = self.held_out_loss_per_sample {
            lines.push(("held out", format!("{loss:.6} per sample over {}", self.held_out_samples)));
        }
        let eigenvalue = self.smallest_eigenvalue.map_or_else(String::new, |x| format!(", λ_min(A) {x:.3e}"));
        lines.push(("gap", format!("{:.3e} from stationary{eigenvalue}", self.stationarity_gap)));
        let (scores, order) = model.dominance();
        let first: Vec<String> = order.iter().take(5).map(|&k| format!("{:.3}", scores[k])).collect();
        let rest = if order.len() > first.len() { ", …" } else { "" };
        lines.push((
            "dominance",
            format!(
                "{}{rest}; {} unused",
                first.join(", "),
                crate::page::count(self.unused_atoms, "atom", "atoms")
            ),
        ));
        if self.unused_atoms == order.len() {
            lines.push(("warning", "every code is zero, nothing was learned: lower --lambda".to_owned()));
        }
        let (code, update) = (self.capped_code_steps, self.capped_update_steps);
        // A few updates that end at their last sweep are usual; the next step goes on where they stopped.
        if code > 0 || 10 * update > model.aggregates.t {
            let caps = format!(
                "coding stopped before its tolerance in {code}, the dictionary update in {update} of {} steps",
                model.aggregates.t
            );
            lines.push(("caps", caps));
        }
        if self.reseeded > 0 {
            lines.push(("reseeded", format!("{} times an atom", self.reseeded)));
        }
        lines
    }
}

/// Pairs of a name and a text, a line each.
pub(crate) fn table(lines: &[(&str, String)]) -> String {
    let width = lines.iter().map(|(name, _)| name.len()).max().unwrap_or(0).max(10);
    let lines: Vec<String> = lines.iter().map(|(name, text)| format!("{name:<width$} {text}")).collect();
    lines.join("\n")
}
