//! What network dictionary learning came to, in words and as JSON.

use super::news;
use super::page_learn::times;
use super::source::Told;
use crate::words::table;
use anyhow::Result;
use ergodict::chain::SamplerKind;
use ergodict::dictionary::{Kept, Model, Results, WindowRecord};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

/// Networks whose chains are told of.
const TOLD: usize = 3;

/// What learning came to.
pub(super) struct Learned<'a> {
    pub(super) out: &'a Path,
    /// The networks.
    pub(super) names: &'a [String],
    /// What was learned from: `@karate`, `3 networks`.
    pub(super) from: String,
    pub(super) model: &'a Model,
    pub(super) results: &'a Results,
    pub(super) kind: SamplerKind,
    /// Whether homomorphisms are independent of each other.
    pub(super) independent: bool,
    pub(super) told: Told,
    pub(super) set_up: Duration,
    pub(super) sampling: Duration,
    pub(super) learning: Duration,
    /// Looking for examples.
    pub(super) looking: Duration,
    pub(super) time: Duration,
    pub(super) resumed: Option<u64>,
}

impl Learned<'_> {
    /// `chains of 21 nodes`.
    pub(super) fn motif(&self) -> String {
        let form = self.model.network.as_ref();
        form.map_or(String::new(), |form| format!("{} of {} nodes", form.motif, form.k))
    }

    pub(super) fn acceptance(&self) -> String {
        let rate = 100.0 * self.told.acceptance.rate();
        let rate = if self.independent || rate.is_nan() {
            String::new()
        } else {
            format!(", {rate:.1} % of proposals accepted")
        };
        let independent = if self.independent { ", independent draws" } else { "" };
        let injective = if self.model.run["config"]["injective"] == true { ", injective" } else { "" };
        format!("{}{injective}{independent}{rate}", self.kind)
    }

    /// Where the time went, in words.
    pub(super) fn timings(&self) -> Vec<(&'static str, String)> {
        let [all, set_up, sampling, learning, looking] =
            [self.time, self.set_up, self.sampling, self.learning, self.looking].map(|t| t.as_secs_f64());
        let text = format!(
            "{all:.2} s: reading and set-up {set_up:.3}, patches {sampling:.3}, learning {learning:.3}, examples {looking:.3}"
        );
        vec![("time", text)]
    }

    pub(super) fn words(&self, showing: Vec<(&'static str, String)>) -> String {
        let totals = &self.model.aggregates;
        let learned = format!(
            "{} atoms from {} patches of {} ({}) in {} steps",
            self.model.w.cols(),
            totals.samples,
            self.from,
            self.motif(),
            totals.t
        );
        let mut lines = vec![("learned", learned), ("sampler", self.acceptance())];
        if let Some(over_time) = &self.model.over_time {
            lines.extend(news::words(over_time));
            let moved = self.told.moved;
            let text = format!(
                "a chain went on into the next network {}, and started again {}",
                times(moved.went_on),
                times(moved.restarted)
            );
            lines.push(("chains", text));
        }
        let kept = Kept::of(self.model);
        lines.extend(kept.networks.iter().take(TOLD).filter_map(|one| Some(("reach", one.reach()?))));
        let mixing = kept.chain.filter(|chain| !chain.independent).map(|chain| chain.mixing);
        let mixing = mixing.unwrap_or_default();
        lines.extend(mixing.iter().take(TOLD).map(|one| ("mixing", one.words())));
        if mixing.iter().any(|one| one.verdict() == Some(false)) {
            let advice = "parts of the run disagree (R̂ is not near 1): more --steps, --every, or another --sampler is needed";
            lines.push(("warning", advice.to_owned()));
        } else if mixing.iter().skip(TOLD).any(|one| one.verdict().is_none()) {
            let advice = "of some networks it cannot be told whether the chain mixed: values are too few, or never changed";
            lines.push(("warning", advice.to_owned()));
        }
        lines.extend(crate::words::lines(self.results, self.model));
        lines.extend(self.timings());
        lines.push(("wrote", self.out.display().to_string()));
        lines.extend(showing);
        table(&lines)
    }

    pub(super) fn json(&self) -> Result<Value> {
        let totals = &self.model.aggregates;
        let (dominance, order) = self.model.dominance();
        let mut all = json!({
            "schema": "ergodict.network-learn/1",
            "model": self.out,
            "networks": self.names,
            "inputs": self.model.inputs,
            "motif": self.model.network,
            "sampler": self.kind.to_string(),
            "acceptance": self.told.acceptance.rate(),
            "chains_went_on": self.told.moved.went_on,
            "chains_restarted": self.told.moved.restarted,
            "features": self.model.w.rows(),
            "atoms": self.model.w.cols(),
            "steps": totals.t,
            "samples": totals.samples,
            "seconds": self.time.as_secs_f64(),
            "set_up_seconds": self.set_up.as_secs_f64(),
            "patch_seconds": self.sampling.as_secs_f64(),
            "learning_seconds": self.learning.as_secs_f64(),
            "example_seconds": self.looking.as_secs_f64(),
            "mixing": self.model.run["chain"]["mixing"],
            "resumed_after_step": self.resumed,
            "dominance": dominance,
            "order": order,
            "config": self.model.run["config"],
        });
        if let Some(over_time) = &self.model.over_time {
            all["windows"] = over_time.windows.iter().enumerate().map(|(at, one)| window(at, one)).collect();
        }
        if let (Value::Object(all), Value::Object(results)) = (&mut all, serde_json::to_value(self.results)?)
        {
            all.extend(results);
        }
        Ok(all)
    }
}

/// A window of time.
fn window(at: usize, one: &WindowRecord) -> Value {
    json!({
        "window": at + 1,
        "name": one.name,
        "from": one.span.map(|span| span.0),
        "to": one.span.map(|span| span.1),
        "nodes": one.nodes,
        "edges": one.edges,
        "edges_came": one.differences.map(|differences| differences.came),
        "edges_went": one.differences.map(|differences| differences.went),
        "passed_over": one.passed_over,
        "steps": one.steps,
        "chains_went_on": one.moved.went_on,
        "chains_restarted": one.moved.restarted,
        "error_before": one.error_before,
        "error_after": one.error_after,
        "change": one.change,
        "dominance": one.dominance,
    })
}
