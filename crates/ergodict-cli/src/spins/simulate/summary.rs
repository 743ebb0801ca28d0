//! The summary of a simulation.

use super::Observed;
use crate::mixing::{self, MixingSummary};
use crate::summary::Summary;
use anyhow::Result;
use ergodict::chain::{Alphabet, Quantity};
use ergodict::run::SpinRecorder;
use ergodict_pages::simulation::{SimulatedQuantity, SimulationPage};
use ergodict_report::Report;
use ergodict_report::words::{count, grouped};
use serde::Serialize;
use serde_json::Value;
use std::path::PathBuf;

/// A finished simulation.
pub(in crate::spins) struct Simulated {
    pub(in crate::spins) shape: (usize, usize),
    pub(in crate::spins) alphabet: Alphabet,
    /// Updates between frames.
    pub(in crate::spins) every: u64,
    pub(in crate::spins) updates: u64,
    pub(in crate::spins) temperature: f64,
    pub(in crate::spins) chains: Vec<SpinRecorder>,
    pub(in crate::spins) outs: Vec<PathBuf>,
    pub(in crate::spins) mixing: Vec<Observed>,
    pub(in crate::spins) acceptance: Option<f64>,
    /// Exact energy per site of the torus, where it is known.
    pub(in crate::spins) exact_energy: Option<f64>,
    pub(in crate::spins) config: Value,
    pub(in crate::spins) seconds: f64,
    pub(in crate::spins) resumed: bool,
}

impl Simulated {
    /// The page of it.
    pub(in crate::spins) fn page(&self) -> Result<Report> {
        fn observed(one: &Observed) -> SimulatedQuantity<'_> {
            let (name, is_mean) = (one.observable.to_string(), matches!(one.observable, Quantity::Mean(_)));
            SimulatedQuantity { name, mixing: one.mixing, series: &one.series, is_mean }
        }
        let page = SimulationPage {
            shape: self.shape,
            alphabet: self.alphabet,
            every: self.every,
            updates: self.updates,
            temperature: self.temperature,
            chains: self.chains.iter().map(|chain| chain.walk().frame()).collect(),
            observables: self.mixing.iter().map(observed).collect(),
            acceptance: self.acceptance,
            exact_energy: self.exact_energy,
            config: &self.config,
            is_repeatable: true,
            seconds: self.seconds,
        };
        Ok(page.report()?)
    }

    /// The summary of it.
    pub(in crate::spins) fn summary(&self, written: Vec<(&'static str, String)>) -> SimulateSummary<'_> {
        // One chain that agrees with itself may still not have converged.
        let (chains, alone) = (self.chains.len(), self.chains.len() == 1);
        let observable =
            |one: &Observed| MixingSummary::new(&one.observable.to_string(), &one.mixing, chains, alone);
        SimulateSummary {
            out: &self.outs,
            shape: self.shape,
            chains: self.chains.len(),
            frames: self.chains.iter().map(SpinRecorder::frames).sum(),
            updates: self.updates,
            updates_between_frames: self.every,
            observables: self.mixing.iter().map(observable).collect(),
            exact_energy: self.exact_energy,
            acceptance: self.acceptance,
            seconds: self.seconds,
            resumed: self.resumed,
            simulated: self,
            written,
        }
    }
}

/// `ergodict spins simulate`
#[derive(Serialize)]
pub(in crate::spins) struct SimulateSummary<'a> {
    /// Trajectories, one for each chain
    out: &'a [PathBuf],
    /// Rows and columns of a frame
    shape: (usize, usize),
    /// Number of chains
    chains: usize,
    /// Frames of all chains
    frames: u64,
    /// Updates of single sites over all chains, the burn-in included
    updates: u64,
    /// `--every`, or the next larger number of whole steps
    updates_between_frames: u64,
    /// Observables, in the order of `--observables`
    observables: Vec<MixingSummary>,
    /// Kaufman's energy per site of the same torus, for Ising ferromagnets without a field; else `null`
    exact_energy: Option<f64>,
    /// Share of the proposals that were accepted, for cellular Potts; share of the sites that a step changed, for `--update wolff`, of xy also `swendsen-wang`; else `null`
    acceptance: Option<f64>,
    /// Time of this run, without what was done before it was resumed
    seconds: f64,
    /// Whether it was resumed from a checkpoint
    resumed: bool,
    #[serde(skip)]
    simulated: &'a Simulated,
    #[serde(skip)]
    written: Vec<(&'static str, String)>,
}

impl Summary for SimulateSummary<'_> {
    const SCHEMA: &'static str = "ergodict.spins-simulate/1";

    fn lines(&self) -> Vec<(&str, String)> {
        let Simulated { shape, every, updates, temperature, mixing, .. } = self.simulated;
        let mut lines = vec![(
            "simulated",
            format!(
                "{}×{} sites at T = {temperature}: {} from {} updates of {}",
                shape.0,
                shape.1,
                count(self.frames as usize, "frame", "frames"),
                grouped(*updates),
                count(self.chains, "chain", "chains")
            ),
        )];
        let names = self.observables.iter().map(|one| &*one.observable);
        lines.extend(names.zip(mixing).map(|(name, one)| (name, one.words(*every))));
        if let Some(exact) = self.exact_energy {
            lines.push(("exact", format!("energy {exact:.4} per site of the torus (Kaufman)")));
        }
        if let Some(why) = mixing::warning(mixing.iter().map(|one| &one.mixing), self.chains) {
            lines.push(("warning", format!("{why}; increase --updates or --burn-in")));
        }
        let means = mixing.iter().filter(|one| matches!(one.observable, Quantity::Mean(_)));
        if let Some(why) = mixing::never_changed(means.map(|one| (one.observable.to_string(), &one.mixing))) {
            lines.push(("warning", format!("{why}; try another --start or --update")));
        }
        lines.extend(self.out.iter().map(|out| ("wrote", out.display().to_string())));
        lines.extend(self.written.clone());
        lines
    }

    fn details(&self) -> Vec<(&str, String)> {
        let Simulated { updates, seconds, .. } = self.simulated;
        let rate = *updates as f64 / seconds.max(1e-9) / 1e6;
        let rate = if self.resumed { String::new() } else { format!(", {rate:.1} million updates/s") };
        let mut lines = vec![("time", format!("{seconds:.2} s{rate}"))];
        if let Some(rate) = self.acceptance {
            lines.push(if self.simulated.config["update"].is_string() {
                ("changed", format!("{:.2} % of the sites by a step, on average", 100.0 * rate))
            } else {
                ("accepted", format!("{:.2} % of the proposals", 100.0 * rate))
            });
        }
        lines
    }

    fn config(&self) -> Value {
        self.simulated.config.clone()
    }
}
