//! What the runs of `ergodict spins learn` come to: each dictionary with the last configuration rebuilt by it.

use crate::interrupt;
use crate::learning::LearnedModel;
use crate::summary::Summary;
use anyhow::Result;
use ergodict::data::Frame;
use ergodict::linalg::Scalar;
use ergodict::model::{Model, Results};
use ergodict::patch::{NumberGrid, borders};
use ergodict::reconstruct::{Overlap, relative_error, with_lambda};
use ergodict::run::{LatticeData, Run};
use serde::Serialize;
use serde_json::Value;
use std::path::PathBuf;
use std::time::Duration;

/// A run that is over.
pub(in crate::spins) struct Outcome {
    pub(in crate::spins) model: Model,
    pub(in crate::spins) results: Results,
    pub(in crate::spins) temperature: Option<f64>,
    pub(in crate::spins) every: Option<u64>,
    pub(in crate::spins) out: PathBuf,
    /// The numbers of the last configuration of its trajectory, and how it is rebuilt.
    pub(in crate::spins) truth: Vec<f64>,
    pub(in crate::spins) rebuilt: Vec<f64>,
    pub(in crate::spins) relative_error: f64,
    pub(in crate::spins) sites_right: f64,
    pub(in crate::spins) seconds: Seconds,
    /// Some configurations that went by.
    pub(in crate::spins) frames: Vec<(u64, Frame<'static>)>,
}

/// Where the time of a run went, by the clock: while it waited its turn among other runs, none counts.
#[derive(Serialize)]
pub(in crate::spins) struct Seconds {
    /// Time of the chain, or of reading frames, by the clock while this run went on and since it was resumed; runs side by side share the threads
    #[serde(rename = "chain_seconds")]
    pub(in crate::spins) chain: f64,
    /// Time for cutting patches, counted likewise
    #[serde(rename = "patch_seconds")]
    pub(in crate::spins) patches: f64,
    /// Time for learning, counted likewise
    #[serde(rename = "learning_seconds")]
    pub(in crate::spins) learning: f64,
}

/// Puts together what a run came to; none when interrupted meanwhile.
pub(in crate::spins) fn outcome<T: Scalar>(
    ground: &LatticeData,
    run: &Run<T>,
    out: PathBuf,
    temperature: Option<f64>,
    every: Option<u64>,
) -> Result<Option<Outcome>> {
    let (model, results, stats) = (run.finish()?, run.results()?, run.source().stats());
    let spins = match (stats.configuration.unwrap_or_default(), ground.borders) {
        (Frame::Whole(spins), Some(lattice)) => borders(lattice, &spins).into(),
        (spins, _) => spins.into_owned(),
    };
    let truth = ground.encoding.numbers(&spins);
    let grid = NumberGrid { numbers: &truth, shape: ground.shape, channels: ground.encoding.channels() };
    let window = ground.kind.window;
    let stride = (window.rows.min(window.cols) / 4).max(1);
    let overlap = Overlap { window, stride };
    let mut plain = with_lambda(&model.factorizer::<T>()?, 0.0)?;
    let rebuilt = overlap.reconstruct(&mut plain, &grid, &mut |_, _| !interrupt::asked())?;
    let Some(rebuilt) = rebuilt.map(|rebuilt| rebuilt.values) else { return Ok(None) };
    Ok(Some(Outcome {
        relative_error: relative_error(&rebuilt, &truth),
        sites_right: ground.encoding.agreement(&rebuilt, &spins),
        model,
        results,
        temperature,
        every,
        out,
        truth,
        rebuilt,
        seconds: Seconds {
            chain: stats.time.as_secs_f64(),
            patches: run.times().0.saturating_sub(stats.time).as_secs_f64(),
            learning: run.times().1.as_secs_f64(),
        },
        frames: stats.frames.to_vec(),
    }))
}

/// What a run is called in words and pictures.
pub(in crate::spins) fn name(temperature: Option<f64>, every: Option<u64>) -> String {
    let hot = temperature.map(|t| format!("T = {t}"));
    let how = every.map_or("one fixed configuration".to_owned(), |every| format!("τ = {every}"));
    hot.into_iter().chain([how]).collect::<Vec<_>>().join(", ")
}

/// `ergodict spins learn`
#[derive(Serialize)]
pub(in crate::spins) struct SpinsLearnSummary<'a> {
    /// Time of this run, reports included
    seconds: f64,
    /// One for each dictionary: temperature by temperature, each with its τ in the order given, then those of fixed configurations
    runs: Vec<SpinsRunSummary<'a>>,
    #[serde(skip)]
    shown: Vec<(&'static str, String)>,
}

/// A dictionary.
#[derive(Serialize)]
struct SpinsRunSummary<'a> {
    /// Temperature; `null` for a trajectory from a file
    temperature: Option<f64>,
    /// Updates between minibatches, τ (frames, for a trajectory from a file); `null` for a fixed configuration
    every: Option<u64>,
    #[serde(flatten)]
    learned: LearnedModel<'a>,
    /// ‖X̂ − X‖ / ‖X‖ of the last configuration, rebuilt without penalty
    relative_error: f64,
    /// Share of its sites whose rebuilt value is nearest to the spin that is there; `null` for real numbers
    sites_right: f64,
    #[serde(flatten)]
    seconds: &'a Seconds,
    /// Flags of this dictionary; given to `--config`, they give the same bytes again
    config: &'a Value,
}

impl<'a> SpinsLearnSummary<'a> {
    pub(in crate::spins) fn new<T: Scalar>(
        outcomes: &'a [Outcome],
        runs: &'a [Run<T>],
        time: Duration,
        shown: Vec<(&'static str, String)>,
    ) -> Self {
        let runs = outcomes.iter().zip(runs).map(|(outcome, run)| SpinsRunSummary {
            temperature: outcome.temperature,
            every: outcome.every,
            learned: LearnedModel::new(&outcome.out, &outcome.model, &outcome.results, run.resumed()),
            relative_error: outcome.relative_error,
            sites_right: outcome.sites_right,
            seconds: &outcome.seconds,
            config: &run.plan().settings,
        });
        Self { seconds: time.as_secs_f64(), runs: runs.collect(), shown }
    }
}

impl Summary for SpinsLearnSummary<'_> {
    const SCHEMA: &'static str = "ergodict.spins-learn/1";

    fn lines(&self) -> Vec<(&str, String)> {
        let mut lines = Vec::new();
        for run in &self.runs {
            let LearnedModel { model, atoms, samples, steps, results, .. } = run.learned;
            let name = name(run.temperature, run.every);
            lines.push(("learned", format!("{name}: {atoms} atoms from {samples} patches in {steps} steps")));
            if self.runs.len() == 1 {
                lines.extend(run.learned.lines());
            } else {
                lines.extend(run.learned.chain_lines());
                lines.push(("loss", format!("surrogate {:.6} per patch", results.surrogate_per_sample)));
            }
            let right = match run.sites_right {
                right if right.is_nan() => String::new(),
                right => format!(", {:.2} % of its sites right", 100.0 * right),
            };
            let rebuilt =
                format!("the last configuration with relative error {:.4}{right}", run.relative_error);
            let Seconds { chain, patches, learning } = run.seconds;
            let time = format!("chain {chain:.2} s, patches {patches:.2} s, learning {learning:.2} s");
            lines.extend([("rebuilt", rebuilt), ("time", time), ("wrote", model.display().to_string())]);
        }
        lines.extend(self.shown.clone());
        let several = self.runs.len() > 1;
        let shared = if several { "; times of runs are their own, some went on side by side" } else { "" };
        lines.push(("all", format!("{:.1} s{shared}", self.seconds)));
        lines
    }
}
