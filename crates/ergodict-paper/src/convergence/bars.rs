//! The bars: pictures whose atoms are known, seen as one strongly dependent trajectory. Are the atoms found?

mod page;

use super::{VERB, log_spaced};
use crate::place::{Done, Place};
use anyhow::Result;
use ergodict::chain::diagnostics::Mixing;
use ergodict::chain::{Bars, Chain};
use ergodict::data::{MatrixStream, StreamOptions, write_npy};
use ergodict::factor::diagnostics::stationarity_gap;
use ergodict::factor::{Aggregates, FactorSettings, Factorizer, Normalize, Schedule};
use ergodict::linalg::Mat;
use ergodict::model::{Input, Model};
use ergodict::rng::{Purpose, stream};
use ergodict::run::{Form, Run, RunPlan};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::path::Path;
use std::time::Instant;

const SIDE: usize = 8;
/// A bar stays on for 20 pictures on average, and one in eight is on.
const OFF: f64 = 0.05;
const ON: f64 = OFF / 7.0;
const NOISE: f64 = 0.05;
/// Pictures of a minibatch.
const BATCH: usize = 50;
/// An atom is a bar when the cosine between them exceeds this.
const SIMILAR: f64 = 0.9;
/// Pictures between two of those shown.
const BETWEEN: usize = 4;

/// With these all 16 bars were found from each of the seeds 200–279 and 300–379. On 80 of them one bar was missed 5
/// times with β = 0.8, and 3 times with λ = 0.15 or 0.1. Linear weights missed one in 4 to 10 of 40 runs of other lengths.
fn parameters() -> FactorSettings {
    FactorSettings {
        lambda: 0.2,
        schedule: Schedule::Power { beta: 0.76 },
        // Losses are then those of one picture.
        normalize: Normalize::PerColumn,
        ..FactorSettings::new(2 * SIDE)
    }
}

/// The files that a run leaves: the pictures, and the atoms.
pub(super) const DATA: &str = "bars.npy";
pub(super) const MODEL: &str = "bars.safetensors";

/// How much is seen.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct Size {
    /// Minibatches.
    batches: usize,
    /// Fresh pictures, independent draws from the stationary law, that stand for the expectation.
    fresh: usize,
}

impl Size {
    fn new(quick: bool) -> Self {
        if quick { Self { batches: 200, fresh: 500 } } else { Self { batches: 1000, fresh: 2000 } }
    }

    fn pictures(self) -> usize {
        BATCH * self.batches
    }
}

/// A dictionary learned from one trajectory of the bars.
pub(super) struct BarsRun {
    model: Model,
    bars: Bars,
    seen: Done<BarsRecord>,
}

/// What is recorded of it; its atoms are in the model.
#[derive(Serialize, Deserialize)]
struct BarsRecord {
    size: Size,
    /// Time spent in learning.
    learning: f64,
    /// Some of the pictures in their order.
    shown: Vec<Vec<f64>>,
    /// Measured autocorrelation time of the number of bars on.
    memory: f64,
    /// Loss of the minibatch and surrogate, step by step.
    steps: Vec<(f64, f64)>,
    looks: Vec<Look>,
    /// Standard error of the last expected loss.
    error: f64,
    /// Best cosine of each bar with an atom.
    likeness: Vec<f64>,
}

/// What happened at a step that was looked at closely.
#[derive(Serialize, Deserialize)]
struct Look {
    t: u64,
    surrogate: f64,
    /// `f(W_t)` on the fresh pictures.
    expected: f64,
    /// Stationarity gap of the surrogate.
    surrogate_gap: f64,
    /// Stationarity gap of the expected loss.
    expected_gap: f64,
}

impl BarsRun {
    /// Simulates and learns, unless that is done; none when interrupted.
    pub(super) fn measure(place: &mut Place<'_>) -> Result<Option<Self>> {
        let (size, seed, folder) = (Size::new(place.quick), place.common.seed, place.folder);
        let files = [DATA, MODEL].map(str::to_owned);
        let settings = json!({ "batches": size.batches, "fresh": size.fresh });
        let make = || BarsRecord::make(size, seed, folder).map(Some);
        let Some(seen) = place.unit((VERB, "bars", seed), settings, &files, make)? else { return Ok(None) };
        let run =
            Self { model: Model::load(&folder.join(MODEL))?, bars: Bars::new(SIDE, ON, OFF, NOISE)?, seen };
        if run.seen.new {
            place.talk(&run.account());
        }
        Ok(Some(run))
    }

    pub(super) fn seconds(&self) -> f64 {
        self.seen.seconds
    }

    pub(super) fn cpu_seconds(&self) -> f64 {
        self.seen.cpu_seconds
    }
}

impl BarsRecord {
    /// Simulates, writes the pictures, and learns from them.
    fn make(size: Size, seed: u64, folder: &Path) -> Result<Self> {
        let (file, pictures_seen, fresh_seen) = (&folder.join(DATA), size.pictures(), size.fresh);
        let bars = Bars::new(SIDE, ON, OFF, NOISE)?;
        let mut rng = stream(seed, Purpose::Chain, 0);
        let mut state = bars.init(&mut rng);
        let mut lit = Vec::with_capacity(pictures_seen);
        let mut pictures = Mat::<f32>::zeros(SIDE * SIDE, pictures_seen);
        for j in 0..pictures_seen {
            bars.step(&mut state, &mut rng);
            lit.push(state.lit() as f64);
            bars.picture(&state, &mut rng, pictures.col_mut(j));
        }
        write_npy(file, pictures.as_ref())?;
        let mut rng = stream(seed, Purpose::Chain, 1);
        let mut fresh = Mat::<f64>::zeros(SIDE * SIDE, fresh_seen);
        for j in 0..fresh_seen {
            bars.picture(&bars.init(&mut rng), &mut rng, fresh.col_mut(j));
        }

        let digest = MatrixStream::open(file, &StreamOptions::default())?.digest()?;
        let plan = RunPlan {
            settings: json!({
                "atoms": 2 * SIDE, "batch": BATCH, "epochs": 1, "shuffle": false, "tol": 0.0, "lambda": parameters().lambda, "seed": seed,
                "schedule": parameters().schedule.to_string(), "normalize": "per-column",
                "dictionary-tolerance": parameters().dictionary_tolerance,
                "tolerance": parameters().tolerance,
            }),
            inputs: vec![Input { name: DATA.to_owned(), digest }],
            ..RunPlan::new("factor", parameters(), seed)
        };
        let first = Factorizer::<f64>::random(parameters(), SIDE * SIDE, seed)?;
        let form = Form::Samples { features: SIDE * SIDE, names: None };
        let mut run = Run::pushed(plan, form, Some(first))?;
        let (mut steps, mut looks) = (Vec::new(), Vec::new());
        let mut learning = 0.0;
        let mut due = log_spaced(size.batches as u64, 10).into_iter().peekable();
        for t in 0..size.batches {
            let x = pictures.as_ref().columns(t * BATCH, (t + 1) * BATCH).to_owned().cast::<f64>();
            let begun = Instant::now();
            let step = run.push((&x).into(), None)?;
            learning += begun.elapsed().as_secs_f64();
            steps.push((step.loss_before, step.surrogate));
            if due.next_if_eq(&step.t).is_some() {
                looks.push(Look::at(run.coder()?, &fresh, step.surrogate)?);
            }
        }
        let mut model = run.model()?;
        let data = json!({
            "chain": "bars", "side": SIDE, "on": ON, "off": OFF, "noise": NOISE, "pictures": pictures_seen,
        });
        model.provenance.more.insert("data".to_owned(), data);
        let best =
            |k: usize| (0..model.w.cols()).map(|j| cosine(model.w.col(j), &bars.bar(k))).fold(0.0, f64::max);
        let likeness = (0..bars.count()).map(best).collect();
        let dictionary = run.coder()?;
        let each = (0..fresh_seen).map(|j| dictionary.loss(fresh.as_ref().columns(j, j + 1)));
        let each = each.collect::<ergodict::Result<Vec<f64>>>()?;
        let mean = each.iter().sum::<f64>() / fresh_seen as f64;
        let variance = each.iter().map(|l| (l - mean).powi(2)).sum::<f64>() / (fresh_seen - 1) as f64;
        let picture = |i: usize| pictures.col(i * BETWEEN).iter().map(|x| f64::from(*x)).collect();
        model.save(&folder.join(MODEL))?;
        Ok(Self {
            size,
            learning,
            shown: (0..12).map(picture).collect(),
            memory: Mixing::from_series(&[&lit]).autocorrelation_time,
            steps,
            looks,
            error: (variance / fresh_seen as f64).sqrt(),
            likeness,
        })
    }
}

impl Look {
    /// What can be said of the dictionary after a step. By the envelope theorem the gradient of the expected loss is
    /// that of the quadratic whose aggregates are the codes of the fresh pictures under the dictionary itself.
    fn at(factorizer: &mut Factorizer<f64>, fresh: &Mat<f64>, surrogate: f64) -> Result<Self> {
        let surrogate_gap = stationarity_gap(factorizer);
        let seen = factorizer.statistics(fresh.as_ref())?;
        let mean = |m: &Mat<f64>| Mat::from_fn(m.rows(), m.cols(), |i, j| m.get(i, j) / seen.weight);
        let aggregates = Aggregates {
            a: mean(&seen.a),
            b_transposed: mean(&seen.b_transposed),
            r: seen.r / seen.weight,
            ..*factorizer.aggregates()
        };
        let (parameters, w) = (factorizer.parameters().clone(), factorizer.dictionary().clone());
        let there = Factorizer::resume(parameters, w, aggregates)?;
        Ok(Self {
            t: there.aggregates().t,
            surrogate,
            expected: there.surrogate(),
            surrogate_gap,
            expected_gap: stationarity_gap(&there),
        })
    }
}

fn cosine(x: &[f64], y: &[f64]) -> f64 {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let norms = (dot(x, x) * dot(y, y)).sqrt();
    if norms > 0.0 { dot(x, y) / norms } else { 0.0 }
}
