//! The Ising model at three temperatures: what are its configurations made of?

use super::atoms;
use anyhow::Result;
use ergodict::chain::diagnostics::effective_sample_size;
use ergodict::chain::rng::{Purpose, stream};
use ergodict::chain::{
    Alphabet, Boundary, Field, Ising, Lattice, Observable, SpinSystem, SpinWalk, Walker, onsager,
};
use ergodict::dictionary::Model;
use ergodict::factor::{Factoriser, Parameters};
use ergodict::linalg::Mat;
use ergodict::patch::{Encoding, SpinGrid, SpinValues, Window};
use ergodict_report::{AtomGrid, Figure, LineChart, Picture, Pictures, Series, Shade};
use serde_json::{Value, json};

/// Below, near and above the critical temperature, as in the paper.
const TEMPERATURES: [f64; 3] = [0.5, 2.26, 5.0];
const SIDE: usize = 100;
const UPDATES: u64 = 2_000_000;
const EVERY: u64 = 10_000;
const PATCH: usize = 12;
const PATCHES: usize = 200;
const ATOMS: usize = 16;

/// What was learned at each temperature.
pub(super) struct IsingRun {
    runs: Vec<Learned>,
}

struct Learned {
    temperature: f64,
    spins: Vec<f64>,
    /// Atoms, the most dominant first.
    atoms: Vec<Vec<f64>>,
    surrogate: Vec<(f64, f64)>,
    /// Mean energy per site over the second half, and its standard error.
    energy: (f64, f64),
}

impl IsingRun {
    /// Simulates and learns.
    pub(super) fn new(seed: u64) -> Result<Self> {
        let runs = TEMPERATURES.iter().map(|temperature| Learned::new(*temperature, seed));
        Ok(Self { runs: runs.collect::<Result<_>>()? })
    }

    /// The flags with which `ergodict spins learn` does the same.
    pub(super) fn flags() -> String {
        let temperatures: Vec<String> = TEMPERATURES.iter().map(f64::to_string).collect();
        format!(
            "--temperature {} --size {SIDE} --updates {UPDATES} --every {EVERY} --patch {PATCH} --patches {PATCHES} -r {ATOMS}",
            temperatures.join(",")
        )
    }

    pub(super) fn account(&self) -> String {
        let hot = &self.runs[2];
        let exact = onsager::energy_per_site(hot.temperature);
        format!(
            "{SIDE}×{SIDE} spins, {UPDATES} updates at each of three temperatures, {ATOMS} atoms of {PATCH}×{PATCH} sites.\n\
             Energy per site at T = {}: {:.4} ± {:.4}, exactly {exact:.4}.\n\
             Surrogate loss of a patch: {}.",
            hot.temperature,
            hot.energy.0,
            hot.energy.1,
            self.runs
                .iter()
                .map(|run| format!("{:.1} at T = {}", run.last(), run.temperature))
                .collect::<Vec<_>>()
                .join(", ")
        )
    }

    pub(super) fn json(&self) -> Value {
        let one = |run: &Learned| {
            json!({
                "temperature": run.temperature,
                "surrogate": run.last(),
                "energy": run.energy.0,
                "energy_error": run.energy.1,
                "energy_exact": onsager::energy_per_site(run.temperature),
            })
        };
        json!(self.runs.iter().map(one).collect::<Vec<_>>())
    }

    pub(super) fn figures(&self) -> Result<Vec<Figure>> {
        let shade = Shade::Ink { low: -1.0, high: 1.0 };
        let name = |run: &Learned| format!("T = {}", run.temperature);
        let last = self.runs.iter().map(|run| (Picture::new(&run.spins, (SIDE, SIDE), shade), name(run)));
        let svg = Pictures { items: last.collect(), columns: Some(3) }.svg()?;
        let title = "Ising: the configurations".to_owned();
        let mut figures = vec![Figure { title, svg, words: SEEN.into() }];
        for run in &self.runs {
            let grid = AtomGrid { columns: Some(8), ..AtomGrid::new(&run.atoms, (PATCH, PATCH)) };
            let title = format!("Ising: atoms at temperature {}", run.temperature);
            let words = match run.temperature {
                t if t < 1.0 => COLD,
                t if t < 3.0 => CRITICAL,
                _ => HOT,
            };
            figures.push(Figure { title, svg: grid.svg()?, words: words.into() });
        }
        let series = self.runs.iter().map(|run| Series::new(name(run), run.surrogate.clone()));
        let chart = LineChart {
            x_label: "updates of single spins".into(),
            y_label: "surrogate loss of a patch".into(),
            series: series.collect(),
            ..LineChart::default()
        };
        figures.push(Figure { title: "Ising: learning".into(), svg: chart.svg(), words: LOSS.into() });
        Ok(figures)
    }
}

const SEEN: &str = "
    The last configuration of each trajectory; black is +1. Cold spins have settled into large domains, near the critical
    temperature there are clusters of all sizes, hot spins are nearly independent of each other.";
const COLD: &str = "
    Edges between domains, and whole patches of +1: all there is to see in the cold.";
const CRITICAL: &str = "
    Domains of many shapes and sizes with soft edges.";
const HOT: &str = "
    Little blots: hot spins have few features to share, and no dictionary of this size does well.";
const LOSS: &str = "
    The surrogate loss while learning. Configurations that follow each other are nearly the same, which the method allows.";

impl Learned {
    /// As `ergodict spins learn` does it: the same streams, and so the same dictionary.
    fn new(temperature: f64, seed: u64) -> Result<Self> {
        let lattice = Lattice::new(SIDE, SIDE, Boundary::Periodic)?;
        let mut walker = Walker::new(Ising::new(lattice, temperature, 1.0, Field::Uniform(0.0))?, seed, 0);
        let mut places = stream(seed, Purpose::Patches, 0);
        let window = Window { rows: PATCH, cols: PATCH, boundary: Boundary::Periodic };
        let encoding = Encoding::new(SpinValues::ZeroOne, Alphabet::PlusMinus)?;
        let mut factoriser = Factoriser::<f64>::random(Parameters::new(ATOMS), PATCH * PATCH, seed)?;
        let (mut x, mut surrogate, mut energies) = (Mat::zeros(0, 0), Vec::new(), Vec::new());
        for k in 1..=UPDATES / EVERY {
            walker.advance(EVERY);
            let grid = SpinGrid { spins: walker.spins(), shape: (SIDE, SIDE), encoding: &encoding };
            window.sample(&grid, PATCHES, &mut places, &mut x)?;
            let step = factoriser.step(&x)?;
            surrogate.push(((k * EVERY) as f64, factoriser.aggregates().per_sample(step.surrogate)));
            energies.push(walker.measure(Observable::Energy)?);
        }
        let model = Model::of(&factoriser, "spins", seed);
        let settled = &energies[energies.len() / 2..];
        let mean = settled.iter().sum::<f64>() / settled.len() as f64;
        let variance = settled.iter().map(|e| (e - mean).powi(2)).sum::<f64>() / (settled.len() - 1) as f64;
        Ok(Self {
            temperature,
            spins: walker.chain().spins(walker.state()).iter().map(|&s| f64::from(s)).collect(),
            atoms: atoms(&model),
            surrogate,
            energy: (mean, (variance / effective_sample_size(settled)).sqrt()),
        })
    }

    fn last(&self) -> f64 {
        self.surrogate.last().map_or(f64::NAN, |point| point.1)
    }
}
