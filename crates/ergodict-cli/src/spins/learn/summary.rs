//! The result of `ergodict spins learn`: each dictionary, with its reconstruction of the last configuration.

use crate::interrupt;
use crate::learning::{LearnedModel, first_dominances};
use crate::summary::Summary;
use anyhow::Result;
use ergodict::data::Frame;
use ergodict::linalg::Scalar;
use ergodict::model::{Model, Results};
use ergodict::patch::{NumberGrid, borders};
use ergodict::reconstruct::{Overlap, relative_error, with_lambda};
use ergodict::run::{LatticeData, Run};
use ergodict_pages::model::source;
use ergodict_report::words::{count, grouped, number};
use serde::Serialize;
use serde_json::Value;
use std::path::PathBuf;
use std::time::Duration;

/// A finished run.
pub(in crate::spins) struct Outcome {
    pub(in crate::spins) model: Model,
    pub(in crate::spins) results: Results,
    pub(in crate::spins) temperature: Option<f64>,
    pub(in crate::spins) every: Option<u64>,
    pub(in crate::spins) out: PathBuf,
    /// The numbers of the last configuration of its trajectory, and their reconstruction.
    pub(in crate::spins) truth: Vec<f64>,
    pub(in crate::spins) reconstructed: Vec<f64>,
    pub(in crate::spins) relative_error: f64,
    /// That of the mean value at every site.
    pub(in crate::spins) mean_error: f64,
    pub(in crate::spins) sites_right: f64,
    /// Share of the most frequent value among its sites; none for real numbers.
    pub(in crate::spins) most_frequent: Option<f64>,
    pub(in crate::spins) seconds: Seconds,
    /// Some configurations of the trajectory.
    pub(in crate::spins) frames: Vec<(u64, Frame<'static>)>,
}

/// Wall time of a run by kind of work, without waiting for other runs.
#[derive(Serialize)]
pub(in crate::spins) struct Seconds {
    /// Time of the chain, or of reading frames, wall time of this run since it was resumed; concurrent runs share the threads
    #[serde(rename = "chain_seconds")]
    pub(in crate::spins) chain: f64,
    /// Time for cutting patches, counted likewise
    #[serde(rename = "patch_seconds")]
    pub(in crate::spins) patches: f64,
    /// Time for learning, counted likewise
    #[serde(rename = "learning_seconds")]
    pub(in crate::spins) learning: f64,
}

/// The outcome of a run; none when interrupted.
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
    let reconstructed = overlap.reconstruct(&mut plain, &grid, &mut |_, _| !interrupt::asked())?;
    let Some(reconstructed) = reconstructed.map(|reconstructed| reconstructed.values) else {
        return Ok(None);
    };
    Ok(Some(Outcome {
        relative_error: relative_error(&reconstructed, &truth),
        mean_error: mean_error(&truth, grid.channels),
        sites_right: ground.encoding.agreement(&reconstructed, &spins),
        most_frequent: most_frequent(&spins),
        model,
        results,
        temperature,
        every,
        out,
        truth,
        reconstructed,
        seconds: Seconds {
            chain: stats.time.as_secs_f64(),
            patches: run.times().0.saturating_sub(stats.time).as_secs_f64(),
            learning: run.times().1.as_secs_f64(),
        },
        frames: stats.frames.to_vec(),
    }))
}

/// The relative error of the mean of each channel at every site.
fn mean_error(truth: &[f64], channels: usize) -> f64 {
    let sites = (truth.len() / channels).max(1) as f64;
    let mean = |c: usize| truth.iter().skip(c).step_by(channels).sum::<f64>() / sites;
    let means: Vec<f64> = (0..channels).map(mean).collect();
    let same: Vec<f64> = (0..truth.len()).map(|at| means[at % channels]).collect();
    relative_error(&same, truth)
}

/// The share of the most frequent value; none for real numbers.
fn most_frequent(spins: &Frame<'_>) -> Option<f64> {
    let Frame::Whole(labels) = spins else { return None };
    let mut counts = std::collections::BTreeMap::new();
    labels.iter().for_each(|label| *counts.entry(*label).or_insert(0_u64) += 1);
    let most = counts.into_values().max()?;
    Some(most as f64 / labels.len() as f64)
}

/// Name of a run in words and pictures.
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
    /// ‖X̂ − X‖ / ‖X‖ of the last configuration, reconstructed without penalty
    relative_error: f64,
    /// The same of the mean value at every site, what is known without a dictionary
    mean_error: f64,
    /// Share of its sites whose reconstructed value is nearest to the spin that is there; `null` for real numbers
    sites_right: f64,
    /// Share of the most frequent value among its sites, what is right without a dictionary; `null` for real numbers
    most_frequent: Option<f64>,
    #[serde(flatten)]
    seconds: &'a Seconds,
    /// Flags of this dictionary; given to `--config`, they give the same bytes again
    config: &'a Value,
    /// The system or trajectory, in words.
    #[serde(skip)]
    source: String,
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
            mean_error: outcome.mean_error,
            sites_right: outcome.sites_right,
            most_frequent: outcome.most_frequent,
            seconds: &outcome.seconds,
            config: &run.plan().settings,
            source: source(&outcome.model),
        });
        Self { seconds: time.as_secs_f64(), runs: runs.collect(), shown }
    }
}

/// How well atoms reconstruct the last configuration, next to its most frequent value.
fn finding(atoms: usize, errors: (f64, f64), right: f64, most_frequent: Option<f64>) -> String {
    if right.is_nan() {
        return format!(
            "{atoms} atoms reconstruct the last configuration with relative error {} (mean value alone: {})",
            number(errors.0),
            number(errors.1)
        );
    }
    let baseline = baseline(most_frequent);
    format!("{atoms} atoms reconstruct {:.1} % of the last configuration's sites{baseline}", 100.0 * right)
}

/// The share of the most frequent value, behind a share of sites.
pub(in crate::spins) fn baseline(most_frequent: Option<f64>) -> String {
    most_frequent
        .map_or_else(String::new, |share| format!(" (most frequent value alone: {:.1} %)", 100.0 * share))
}

impl Outcome {
    /// What was found, in a sentence.
    pub(in crate::spins) fn finding(&self) -> String {
        let errors = (self.relative_error, self.mean_error);
        finding(self.model.w.cols(), errors, self.sites_right, self.most_frequent)
    }
}

impl Summary for SpinsLearnSummary<'_> {
    const SCHEMA: &'static str = "ergodict.spins-learn/1";

    fn lines(&self) -> Vec<(&str, String)> {
        let mut lines = Vec::new();
        for run in &self.runs {
            let LearnedModel { model, atoms, samples, steps, .. } = run.learned;
            let name =
                if self.runs.len() == 1 { run.source.clone() } else { name(run.temperature, run.every) };
            let errors = (run.relative_error, run.mean_error);
            let finding = finding(atoms, errors, run.sites_right, run.most_frequent);
            lines.push(("", format!("{name}: {finding}")));
            lines.push((
                "data",
                format!(
                    "{} patches in {}",
                    grouped(samples),
                    count(steps as usize, "minibatch", "minibatches")
                ),
            ));
            lines.extend(run.learned.warnings());
            lines.push(("wrote", model.display().to_string()));
        }
        lines.extend(self.shown.clone());
        lines
    }

    fn details(&self) -> Vec<(&str, String)> {
        let mut lines = Vec::new();
        for run in &self.runs {
            if self.runs.len() > 1 {
                lines.push(("", name(run.temperature, run.every)));
            }
            lines.push(("dominance", first_dominances(&run.learned.dominance, &run.learned.order)));
            lines.extend(run.learned.details());
            let Seconds { chain, patches, learning } = run.seconds;
            let time = format!("chain {chain:.2} s, patches {patches:.2} s, learning {learning:.2} s");
            lines.extend([
                ("error", format!("relative error {}", number(run.relative_error))),
                ("time", time),
            ]);
        }
        let shared = if self.runs.len() > 1 { "; concurrent runs share the threads" } else { "" };
        lines.push(("total", format!("{:.1} s{shared}", self.seconds)));
        lines
    }
}
