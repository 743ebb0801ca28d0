//! The Ising model at three temperatures: atoms of its configurations.

use super::{perform, words};
use crate::args::Common;
use crate::learning::tagged;
use anyhow::Result;
use ergodict::chain::diagnostics::Mixing;
use ergodict::chain::{Boundary, Field, Ising, Lattice, Observable, SpinSystem, SpinWalk, Walker, onsager};
use ergodict::model::Model;
use ergodict_report::words::{grouped, measured};
use ergodict_report::{AtomGrid, Figure, LineChart, Picture, Pictures, Report, Series, Shade};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// The model files, without the temperature in their names.
pub(super) const FILE: &str = "spins.safetensors";
/// Below, near and above the critical temperature, as in the paper.
const TEMPERATURES: [f64; 3] = [0.5, 2.26, 5.0];
const SIDE: usize = 100;
const UPDATES: u64 = 2_000_000;
const EVERY: u64 = 10_000;
const PATCH: usize = 12;
const PATCHES: usize = 200;
const ATOMS: usize = 16;

/// What was learned at each temperature.
pub(super) struct SpinsRun {
    command: Vec<String>,
    runs: Vec<Learned>,
}

struct Learned {
    temperature: f64,
    file: PathBuf,
    model: Model,
    /// The last configuration.
    spins: Vec<f64>,
    /// Mean energy per site over the second half, and its standard error.
    energy: (f64, f64),
}

/// The result at one temperature.
#[derive(Serialize)]
pub(super) struct SpinsResult {
    /// Temperature
    temperature: f64,
    /// Surrogate loss of a patch
    surrogate: f64,
    /// Mean energy per site over the second half of the trajectory
    energy: f64,
    /// Its standard error
    energy_error: f64,
    /// Energy per site of the infinite lattice
    energy_exact: f64,
}

impl SpinsRun {
    /// Simulates and learns; none when interrupted.
    pub(super) fn new(dir: &Path, common: &Common) -> Result<Option<Self>> {
        let file = dir.join(FILE);
        let temperatures: Vec<String> = TEMPERATURES.iter().map(f64::to_string).collect();
        let command = format!(
            "spins learn --temperature {} --size {SIDE} --updates {UPDATES} --every {EVERY} --patch {PATCH} \
             --patches {PATCHES} -r {ATOMS}",
            temperatures.join(",")
        );
        let command = words(&command, &[("-o", &file)], common.seed);
        if !perform(&command, common)? {
            return Ok(None);
        }
        let runs =
            TEMPERATURES.iter().map(|t| Learned::new(*t, tagged(&file, &format!("T{t}")), common.seed));
        Ok(Some(Self { command, runs: runs.collect::<Result<_>>()? }))
    }

    pub(super) fn command(&self) -> Vec<String> {
        self.command.clone()
    }

    pub(super) fn files(&self) -> Vec<PathBuf> {
        self.runs.iter().map(|run| run.file.clone()).collect()
    }

    pub(super) fn account(&self) -> String {
        let hot = &self.runs[2];
        let exact = onsager::energy_per_site(hot.temperature);
        let losses: Vec<String> =
            self.runs.iter().map(|run| format!("{:.1} at T = {}", run.last(), run.temperature)).collect();
        format!(
            "{ATOMS} atoms of {PATCH}×{PATCH} sites per temperature, from {} updates of {SIDE}×{SIDE} spins.\n\
             Loss per patch rises with disorder: {}.\n\
             Energy per site at T = {}: {} (exact: {exact:.4}, Onsager).",
            grouped(UPDATES),
            losses.join(", "),
            hot.temperature,
            measured(hot.energy.0, hot.energy.1),
        )
    }

    /// The number of this example at the top of the report.
    pub(super) fn number(&self) -> (String, String) {
        let hot = &self.runs[2];
        let exact = onsager::energy_per_site(hot.temperature);
        let what = format!("Ising: energy per site at T = {} (exact {exact:.4})", hot.temperature);
        (measured(hot.energy.0, hot.energy.1), what)
    }

    pub(super) fn summary(&self) -> Vec<SpinsResult> {
        let one = |run: &Learned| SpinsResult {
            temperature: run.temperature,
            surrogate: run.last(),
            energy: run.energy.0,
            energy_error: run.energy.1,
            energy_exact: onsager::energy_per_site(run.temperature),
        };
        self.runs.iter().map(one).collect()
    }

    pub(super) fn show(&self, report: Report) -> Result<Report> {
        let shade = Shade::Ink { low: -1.0, high: 1.0 };
        let name = |run: &Learned| format!("T = {}", run.temperature);
        let last = self.runs.iter().map(|run| (Picture::new(&run.spins, (SIDE, SIDE), shade), name(run)));
        let svg = Pictures { items: last.collect(), columns: Some(3) }.svg()?;
        let title = "Configurations".to_owned();
        let mut report =
            report.section("Ising model", self.account()).figure(Figure { title, svg, words: SEEN.into() });
        for run in &self.runs {
            let atoms: Vec<Vec<f64>> =
                run.model.dominance().1.iter().map(|&k| run.model.w.col(k).to_vec()).collect();
            let grid = AtomGrid { columns: Some(8), ..AtomGrid::new(&atoms, (PATCH, PATCH)) };
            let title = format!("Atoms at temperature {}", run.temperature);
            let words = match run.temperature {
                t if t < 1.0 => COLD,
                t if t < 3.0 => CRITICAL,
                _ => HOT,
            };
            report = report.figure(Figure { title, svg: grid.svg()?, words: words.into() });
        }
        let series = self.runs.iter().map(|run| {
            let points = run.model.history.points.iter().map(|p| ((p.t * EVERY) as f64, p.surrogate));
            Series::new(name(run), points.collect::<Vec<_>>())
        });
        let chart = LineChart {
            x_label: "updates of single spins".into(),
            y_label: "surrogate loss of a patch".into(),
            series: series.collect(),
            ..LineChart::default()
        };
        Ok(report.figure(Figure { title: "Loss".into(), svg: chart.svg(), words: LOSS.into() }))
    }
}

const SEEN: &str = "
    The last configuration of each trajectory; black is +1. Low temperature: large domains. Near the critical temperature:
    clusters of all sizes. High temperature: nearly independent spins.";
const COLD: &str = "
    Uniform patches and boundaries between domains.";
const CRITICAL: &str = "
    Domain boundaries of many shapes and sizes.";
const HOT: &str = "
    Small spots: nearly independent spins share few features, and no dictionary of this size does well.";
const LOSS: &str = "
    Surrogate loss per patch against updates. Lower is better; it rises with temperature, as disorder does.";

impl Learned {
    /// The model, and the trajectory it was learned from, simulated again: the same seed gives the same one.
    fn new(temperature: f64, file: PathBuf, seed: u64) -> Result<Self> {
        let model = Model::load(&file)?;
        let lattice = Lattice::new(SIDE, SIDE, Boundary::Periodic)?;
        let mut walker = Walker::new(Ising::new(lattice, temperature, 1.0, Field::Uniform(0.0))?, seed, 0);
        let mut energies = Vec::new();
        for _ in 0..UPDATES / EVERY {
            walker.advance(EVERY);
            energies.push(walker.measure(Observable::Energy)?);
        }
        let energy = Mixing::from_series(&[&energies[energies.len() / 2..]]);
        Ok(Self {
            temperature,
            file,
            model,
            spins: walker.chain().spins(walker.state()).iter().map(|&s| f64::from(s)).collect(),
            energy: (energy.mean, energy.error),
        })
    }

    fn last(&self) -> f64 {
        self.model.history.points.last().map_or(f64::NAN, |point| point.surrogate)
    }
}
