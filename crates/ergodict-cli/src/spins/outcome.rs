//! What the runs of `ergodict spins learn` come to: each dictionary with the last configuration rebuilt by it.

use super::film::Film;
use super::ground::Ground;
use crate::runs::{Learned, Plan, Run};
use crate::words::table;
use crate::{interrupt, watched};
use anyhow::Result;
use ergodict::linalg::Scalar;
use ergodict::patch::{SpinGrid, borders};
use ergodict::reconstruct::{Overlap, relative_error, with_lambda};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::Duration;

/// A run that is over.
pub(super) struct Outcome {
    pub(super) learned: Learned,
    pub(super) temperature: Option<f64>,
    pub(super) every: Option<u64>,
    pub(super) out: PathBuf,
    /// The last configuration of its trajectory, and how it is rebuilt.
    pub(super) spins: Vec<i8>,
    pub(super) rebuilt: Vec<f64>,
    pub(super) relative_error: f64,
    pub(super) sites_right: f64,
    pub(super) seconds: Seconds,
    /// Some configurations that went by.
    pub(super) film: Film,
}

/// Where the time of a run went, by the clock: while it waited its turn among other runs, none counts.
pub(super) struct Seconds {
    pub(super) chain: f64,
    pub(super) patches: f64,
    pub(super) learning: f64,
}

/// Puts together what a run came to; none when interrupted meanwhile.
pub(super) fn outcome<T: Scalar>(
    plan: &Plan<'_>,
    ground: &Ground,
    run: &Run<T>,
    temperature: Option<f64>,
    every: Option<u64>,
) -> Result<Option<Outcome>> {
    let mut learned = run.learned(plan)?;
    let mixing = watched::mixed(run.source.watched());
    if !mixing.is_empty() {
        learned.model.run["chain"] = json!({ "mixing": mixing });
    }
    let spins = run.source.configuration().unwrap_or_default();
    let spins = ground.borders.map_or_else(|| spins.to_vec(), |lattice| borders(lattice, spins));
    let grid = SpinGrid { spins: &spins, shape: ground.shape, encoding: &ground.encoding };
    let window = ground.kind.window;
    let stride = (window.rows.min(window.cols) / 4).max(1);
    let overlap = Overlap { window, stride };
    let mut plain = with_lambda(&learned.model.factoriser::<T>()?, 0.0)?;
    let rebuilt = overlap.reconstruct(&mut plain, &grid, &mut |_, _| !interrupt::asked())?;
    let Some(rebuilt) = rebuilt.map(|rebuilt| rebuilt.values) else { return Ok(None) };
    Ok(Some(Outcome {
        relative_error: relative_error(&rebuilt, &ground.values(&spins)),
        sites_right: ground.encoding.agreement(&rebuilt, &spins),
        learned,
        temperature,
        every,
        out: run.out.clone(),
        spins,
        rebuilt,
        seconds: Seconds {
            chain: run.source.chain_time().as_secs_f64(),
            patches: run.filling.saturating_sub(run.source.chain_time()).as_secs_f64(),
            learning: run.learning.as_secs_f64(),
        },
        film: run.source.film().cloned().unwrap_or_default(),
    }))
}

/// The summary.
pub(super) fn json<T: Scalar>(outcomes: &[Outcome], runs: &[Run<T>], time: Duration) -> Result<Value> {
    let mut all = Vec::new();
    for (outcome, run) in outcomes.iter().zip(runs) {
        let model = &outcome.learned.model;
        let mut one = json!({
            "model": outcome.out,
            "temperature": outcome.temperature,
            "every": outcome.every,
            "features": model.w.rows(),
            "atoms": model.w.cols(),
            "steps": model.aggregates.t,
            "samples": model.aggregates.samples,
            "resumed_after_step": run.resumed,
            "relative_error": outcome.relative_error,
            "sites_right": outcome.sites_right,
            "chain_seconds": outcome.seconds.chain,
            "patch_seconds": outcome.seconds.patches,
            "learning_seconds": outcome.seconds.learning,
            "dominance": model.dominance().0,
            "inputs": model.inputs,
            "config": run.config,
        });
        if let (Value::Object(one), Value::Object(results)) =
            (&mut one, serde_json::to_value(&outcome.learned.results)?)
        {
            one.extend(results);
        }
        all.push(one);
    }
    Ok(
        json!({ "schema": "ergodict.spins-learn/1", "seconds": time.as_secs_f64(), "runs": all, "config": crate::resolved::config() }),
    )
}

/// What a run is called in words and pictures.
pub(super) fn name(temperature: Option<f64>, every: Option<u64>) -> String {
    let hot = temperature.map(|t| format!("T = {t}"));
    let how = every.map_or("one fixed configuration".to_owned(), |every| format!("τ = {every}"));
    hot.into_iter().chain([how]).collect::<Vec<_>>().join(", ")
}

/// What is said at the end; `shown` are the lines of reports and figures.
pub(super) fn words(outcomes: &[Outcome], shown: Vec<(&'static str, String)>, time: Duration) -> String {
    let mut text = Vec::new();
    for outcome in outcomes {
        let (model, results) = (&outcome.learned.model, &outcome.learned.results);
        let totals = &model.aggregates;
        let learned = format!(
            "{}: {} atoms from {} patches in {} steps",
            name(outcome.temperature, outcome.every),
            model.w.cols(),
            totals.samples,
            totals.t
        );
        let mut lines = vec![("learned", learned)];
        if outcomes.len() == 1 {
            lines.extend(crate::words::lines(results, model));
        } else {
            lines.push(("loss", format!("surrogate {:.6} per patch", results.surrogate_per_sample)));
        }
        lines.push((
            "rebuilt",
            format!(
                "the last configuration with relative error {:.4}, {:.2} % of its sites right",
                outcome.relative_error,
                100.0 * outcome.sites_right
            ),
        ));
        let Seconds { chain, patches, learning } = outcome.seconds;
        lines.push(("time", format!("chain {chain:.2} s, patches {patches:.2} s, learning {learning:.2} s")));
        lines.push(("wrote", outcome.out.display().to_string()));
        text.push(table(&lines));
    }
    let shared =
        if outcomes.len() > 1 { "; times of runs are their own, some went on side by side" } else { "" };
    let mut lines = shown;
    lines.push(("all", format!("{:.1} s{shared}", time.as_secs_f64())));
    text.push(table(&lines));
    text.join("\n")
}
