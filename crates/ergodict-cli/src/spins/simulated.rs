//! What a simulation came to, in words and as JSON.

use super::recording::Ended;
use super::simulate::Observed;
use crate::mixing::{self, MIXED};
use crate::words::table;
use ergodict::chain::Alphabet;
use serde_json::{Value, json};
use std::path::PathBuf;

/// What a simulation came to.
pub(super) struct Simulated {
    pub(super) shape: (usize, usize),
    pub(super) alphabet: Alphabet,
    /// Updates between frames.
    pub(super) every: u64,
    pub(super) updates: u64,
    pub(super) temperature: f64,
    pub(super) chains: Vec<Ended>,
    pub(super) outs: Vec<PathBuf>,
    pub(super) mixing: Vec<Observed>,
    pub(super) acceptance: Option<f64>,
    /// Exact energy per site of the infinite lattice, where it is known.
    pub(super) exact_energy: Option<f64>,
    pub(super) config: Value,
    pub(super) seconds: f64,
    pub(super) resumed: bool,
}

impl Simulated {
    /// The end of the output.
    pub(super) fn words(&self, more: Vec<(&'static str, String)>) -> String {
        let Simulated { shape, every, updates, chains, mixing, seconds, .. } = self;
        let frames: u64 = chains.iter().map(|chain| chain.frames).sum();
        let rate = if self.resumed {
            String::new()
        } else {
            format!(", {:.1} million updates/s", *updates as f64 / seconds.max(1e-9) / 1e6)
        };
        let mut lines = vec![(
            "simulated",
            format!(
                "{}×{} sites, {updates} updates, {frames} frames in {seconds:.2} s{rate}",
                shape.0, shape.1
            ),
        )];
        let names: Vec<String> = mixing.iter().map(|one| one.observable.to_string()).collect();
        lines.extend(names.iter().zip(mixing).map(|(name, one)| (&**name, one.words(*every))));
        if mixing.iter().any(|one| one.mixing.r_hat > MIXED) {
            let advice = "parts of the run disagree (R̂ is not near 1): a longer run, or --burn-in, is needed";
            lines.push(("warning", advice.to_owned()));
        }
        if let Some(exact) = self.exact_energy {
            lines.push(("exact", format!("energy {exact:.5} per site on an infinite lattice (Onsager)")));
        }
        if let Some(rate) = self.acceptance {
            lines.push(("accepted", format!("{:.2} % of the proposals", 100.0 * rate)));
        }
        lines.extend(self.outs.iter().map(|out| ("wrote", out.display().to_string())));
        lines.extend(more);
        table(&lines)
    }

    /// The summary.
    pub(super) fn json(&self) -> Value {
        let mixing = self.mixing.iter().map(|one| {
            let mut value = mixing::json(one.observable, &one.mixing);
            // One chain that agrees with itself may still not have been everywhere.
            if self.chains.len() == 1 && value["mixed"] == true {
                value["mixed"] = Value::Null;
            }
            value
        });
        json!({
            "schema": "ergodict.spins-simulate/1",
            "out": self.outs,
            "shape": [self.shape.0, self.shape.1],
            "chains": self.chains.len(),
            "frames": self.chains.iter().map(|chain| chain.frames).sum::<u64>(),
            "updates": self.updates,
            "updates_between_frames": self.every,
            "observables": mixing.collect::<Vec<_>>(),
            "exact_energy": self.exact_energy,
            "acceptance": self.acceptance,
            "seconds": self.seconds,
            "resumed": self.resumed,
            "config": self.config,
        })
    }
}
