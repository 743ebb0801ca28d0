//! The bars: pictures whose atoms are known, seen as one strongly dependent trajectory. Are the atoms found?

use super::log_spaced;
use anyhow::Result;
use ergodict::chain::diagnostics::autocorrelation_time;
use ergodict::chain::rng::{Purpose, stream};
use ergodict::chain::{Bars, Chain};
use ergodict::data::{MatrixStream, StreamOptions, write_npy};
use ergodict::dictionary::{History, HistoryPoint, Input, Model};
use ergodict::factor::diagnostics::stationarity_gap;
use ergodict::factor::{Aggregates, Factoriser, Normalise, Parameters, Schedule};
use ergodict::linalg::Mat;
use ergodict_report::{AtomGrid, Colour, Figure, LineChart, Series};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Instant;

const SIDE: usize = 8;
/// A bar stays on for 20 pictures on average, and one in eight is on.
const OFF: f64 = 0.05;
const ON: f64 = OFF / 7.0;
const NOISE: f64 = 0.05;
/// Pictures of a minibatch.
const BATCH: usize = 50;
const BATCHES: usize = 1000;
const PICTURES: usize = BATCH * BATCHES;
/// Fresh pictures, independent draws from the stationary law, that stand for the expectation.
const FRESH: usize = 2000;
/// An atom is a bar when the cosine between them exceeds this.
const ALIKE: f64 = 0.9;
/// Pictures between two of those shown.
const BETWEEN: usize = 4;

/// With these all 16 bars were found from each of the seeds 200–279 and 300–379. On 80 of them one bar was missed 5
/// times with β = 0.8, and 3 times with λ = 0.15 or 0.1. Linear weights missed one in 4 to 10 of 40 runs of other lengths.
fn parameters() -> Parameters {
    Parameters {
        lambda: 0.2,
        schedule: Schedule::Power { beta: 0.76 },
        // Losses are then those of one picture.
        normalise: Normalise::PerColumn,
        ..Parameters::new(2 * SIDE)
    }
}

/// A dictionary learned from one trajectory of the bars.
pub(super) struct BarsRun {
    pub(super) model: Model,
    /// Time spent in learning.
    pub(super) seconds: f64,
    bars: Bars,
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
    /// Simulates, writes the pictures to `file`, and learns from them.
    pub(super) fn new(seed: u64, file: &Path) -> Result<Self> {
        let bars = Bars::new(SIDE, ON, OFF, NOISE)?;
        let mut rng = stream(seed, Purpose::Chain, 0);
        let mut state = bars.init(&mut rng);
        let mut lit = Vec::with_capacity(PICTURES);
        let mut pictures = Mat::<f32>::zeros(SIDE * SIDE, PICTURES);
        for j in 0..PICTURES {
            bars.step(&mut state, &mut rng);
            lit.push(state.lit() as f64);
            bars.picture(&state, &mut rng, pictures.col_mut(j));
        }
        write_npy(file, pictures.as_ref())?;
        let mut rng = stream(seed, Purpose::Chain, 1);
        let mut fresh = Mat::<f64>::zeros(SIDE * SIDE, FRESH);
        for j in 0..FRESH {
            bars.picture(&bars.init(&mut rng), &mut rng, fresh.col_mut(j));
        }

        let mut factoriser = Factoriser::<f64>::random(parameters(), SIDE * SIDE, seed)?;
        let (mut history, mut steps, mut looks) = (History::default(), Vec::new(), Vec::new());
        let mut seconds = 0.0;
        let mut due = log_spaced(BATCHES as u64, 10).into_iter().peekable();
        for t in 0..BATCHES {
            let x = pictures.as_ref().columns(t * BATCH, (t + 1) * BATCH).to_owned().cast::<f64>();
            let begun = Instant::now();
            let step = factoriser.step(x.as_ref())?;
            seconds += begun.elapsed().as_secs_f64();
            steps.push((step.loss_before, step.surrogate));
            history.push(HistoryPoint {
                t: step.t,
                samples: factoriser.aggregates().samples,
                loss: step.loss_before,
                surrogate: step.surrogate,
            });
            if due.next_if_eq(&step.t).is_some() {
                looks.push(Look::at(&mut factoriser, &fresh, step.surrogate)?);
            }
        }
        let mut model = Model::of(&factoriser, "factor", seed);
        let digest = MatrixStream::open(file, &StreamOptions::default())?.digest()?;
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        model.inputs = vec![Input { name, digest }];
        model.history = history;
        model.run = json!({
            "command": "factor",
            "config": {
                "atoms": 2 * SIDE, "batch": BATCH, "lambda": model.parameters.lambda, "seed": seed,
                "schedule": model.parameters.schedule.to_string(), "normalise": "per-column",
            },
            "data": { "chain": "bars", "side": SIDE, "on": ON, "off": OFF, "noise": NOISE, "pictures": PICTURES },
        });
        let best =
            |k: usize| (0..model.w.cols()).map(|j| cosine(model.w.col(j), &bars.bar(k))).fold(0.0, f64::max);
        let likeness = (0..bars.count()).map(best).collect();
        let each = (0..FRESH).map(|j| factoriser.loss(fresh.as_ref().columns(j, j + 1)));
        let each = each.collect::<ergodict::Result<Vec<f64>>>()?;
        let mean = each.iter().sum::<f64>() / FRESH as f64;
        let variance = each.iter().map(|l| (l - mean).powi(2)).sum::<f64>() / (FRESH - 1) as f64;
        let picture = |i: usize| pictures.col(i * BETWEEN).iter().map(|x| f64::from(*x)).collect();
        Ok(Self {
            seconds,
            shown: (0..12).map(picture).collect(),
            memory: autocorrelation_time(&lit),
            steps,
            looks,
            error: (variance / FRESH as f64).sqrt(),
            likeness,
            bars,
            model,
        })
    }

    fn last(&self) -> &Look {
        &self.looks[self.looks.len() - 1]
    }

    fn found(&self) -> usize {
        self.likeness.iter().filter(|c| **c > ALIKE).count()
    }

    /// By how many percent the surrogate and the loss on fresh pictures differ.
    fn difference(&self) -> f64 {
        100.0 * (self.last().surrogate / self.last().expected - 1.0).abs()
    }

    /// The standard error of that difference, in percent, if the loss forgets as fast as the number of bars does.
    /// An average with weight w on the newest minibatch is as good as one over 2/w of them.
    fn chance(&self) -> f64 {
        let spread = self.error * (FRESH as f64).sqrt() / self.last().expected;
        let weight = self.model.parameters.schedule.weight(self.last().t);
        let remembered = 2.0 / weight * BATCH as f64 / self.memory;
        100.0 * spread * (1.0 / remembered + 1.0 / FRESH as f64).sqrt()
    }

    /// What happened, for the terminal.
    pub(super) fn account(&self) -> String {
        let Look { surrogate, expected, surrogate_gap, expected_gap, .. } = self.last();
        let least = self.likeness.iter().copied().fold(f64::INFINITY, f64::min);
        [
            format!("{PICTURES} pictures of {SIDE}×{SIDE} pixels, sums of bars that switch on and off slowly."),
            format!(
                "Dependence: {:.0} in a row say as much as one independent picture (the exact number is {:.1}).",
                self.memory,
                self.bars.autocorrelation_time()
            ),
            format!(
                "Learned {} atoms online, from {BATCHES} minibatches of {BATCH} consecutive pictures, in {:.2} s.",
                self.model.w.cols(),
                self.seconds
            ),
            format!(
                "Found {} of the {} bars (the least cosine between bar and atom is {least:.3}).",
                self.found(),
                self.bars.count()
            ),
            format!("Surrogate {surrogate:.4}, loss on {FRESH} fresh pictures {expected:.4} ± {:.4}:", self.error),
            format!("they differ by {:.1} %, give or take {:.0} % by chance.", self.difference(), self.chance()),
            format!(
                "Stationarity gap {surrogate_gap:.1e} of the surrogate, {expected_gap:.1e} on fresh pictures."
            ),
        ]
        .join("\n")
    }

    /// The same for machines.
    pub(super) fn json(&self) -> Value {
        let last = self.last();
        json!({
            "pictures": PICTURES,
            "autocorrelation_time": self.memory,
            "autocorrelation_time_exact": self.bars.autocorrelation_time(),
            "bars": self.bars.count(),
            "bars_found": self.found(),
            "cosines": self.likeness,
            "surrogate": last.surrogate,
            "expected_loss": last.expected,
            "expected_loss_error": self.error,
            "stationarity_gap": last.surrogate_gap,
            "stationarity_gap_expected": last.expected_gap,
            "learning_seconds": self.seconds,
        })
    }

    /// What was found.
    pub(super) fn lead(&self) -> String {
        format!(
            "From {PICTURES} pictures that hardly change from one to the next, {} of the {} shapes they are made \
             of were found in one pass. The loss that the method keeps account of and the loss \
             on fresh, independent pictures differ by {:.1} %, give or take {:.0} % by chance.",
            self.found(),
            self.bars.count(),
            self.difference(),
            self.chance(),
        )
    }

    /// What was run.
    pub(super) fn facts(&self) -> Vec<(&'static str, String)> {
        let p = &self.model.parameters;
        let digest = self.model.inputs.first().map_or(String::new(), |input| input.digest.clone());
        vec![
            ("data", format!("{PICTURES} pictures, {SIDE}×{SIDE} pixels")),
            ("minibatches", format!("{BATCHES} of {BATCH} consecutive pictures")),
            ("atoms r", p.atoms.to_string()),
            ("λ", p.lambda.to_string()),
            ("weights", p.schedule.to_string()),
            ("dictionary", p.dictionary.to_string()),
            ("code", p.code.to_string()),
            ("arithmetic", "f64".to_owned()),
            ("stationarity gap", format!("{:.1e}", self.last().surrogate_gap)),
            ("digest of bars.npy", digest),
            ("seed", self.model.seed.to_string()),
        ]
    }

    /// The figures of the report.
    pub(super) fn figures(&self) -> Result<Vec<Figure>> {
        Ok(vec![self.trajectory()?, self.atoms()?, self.losses(), self.gaps()])
    }

    fn trajectory(&self) -> Result<Figure> {
        let grid = AtomGrid {
            labels: Some((0..self.shown.len()).map(|i| format!("t = {}", i * BETWEEN)).collect()),
            columns: Some(6),
            colour: Colour::Grey,
            ..AtomGrid::new(&self.shown, (SIDE, SIDE))
        };
        let words = format!(
            "Every {BETWEEN}th of the first pictures. Each is a sum of horizontal and vertical bars and a little \
             noise. A bar that is on stays on for {:.0} pictures on average; when it comes back its brightness is \
             new.\n\n\
             So neighbours are nearly the same picture: {:.0} pictures in a row say as much as one independent \
             picture (measured on the number of bars that are on; the exact value is {:.1}). The method is told \
             nothing of bars.",
            1.0 / OFF,
            self.memory,
            self.bars.autocorrelation_time(),
        );
        Ok(Figure { title: "What was seen".into(), svg: grid.svg()?, words })
    }

    fn atoms(&self) -> Result<Figure> {
        let (scores, order) = self.model.dominance();
        let atoms: Vec<Vec<f64>> = order.iter().map(|&k| self.model.w.col(k).to_vec()).collect();
        let labels = order.iter().map(|&k| format!("{:.3}", scores[k])).collect();
        let grid = AtomGrid { labels: Some(labels), ..AtomGrid::new(&atoms, (SIDE, SIDE)) };
        let words = format!(
            "The {} atoms, most dominant first. The number is the dominance of an atom: its share in the \
             reconstructions.\n\n\
             {} of the {} true bars are among them: the cosine between bar and atom is above {ALIKE}, and {:.3} on \
             average over all bars.",
            atoms.len(),
            self.found(),
            self.bars.count(),
            self.likeness.iter().sum::<f64>() / self.likeness.len() as f64,
        );
        Ok(Figure { title: "What was found".into(), svg: grid.svg()?, words })
    }

    fn losses(&self) -> Figure {
        // Evenly spread on the logarithmic axis, so that the jumps of single minibatches can be told apart.
        let times = log_spaced(BATCHES as u64, 40);
        let line = |value: fn(&(f64, f64)) -> f64| -> Vec<(f64, f64)> {
            times.iter().map(|&t| (t as f64, value(&self.steps[t as usize - 1]))).collect()
        };
        let looks: Vec<(f64, f64)> = self.looks.iter().map(|l| (l.t as f64, l.expected)).collect();
        let chart = LineChart {
            x_label: "minibatches t".into(),
            y_label: "loss of a picture".into(),
            log_x: true,
            log_y: true,
            series: vec![
                Series::new("minibatch", line(|step| step.0)),
                Series::new("surrogate", line(|step| step.1)),
                Series::new("fresh pictures", looks),
            ],
            ..LineChart::default()
        };
        let words = format!(
            "How badly a picture is explained; lower is better. The loss of the newest minibatch jumps about: its \
             {BATCH} pictures follow one another and say as much as {:.1} independent ones.\n\n\
             The surrogate is the account the method keeps from step to step. It ends at {:.4}; the loss on \
             {FRESH} fresh, independent pictures at {:.4} ± {:.4}. That the two meet, for dependent data, is the \
             theorem.",
            BATCH as f64 / self.memory,
            self.last().surrogate,
            self.last().expected,
            self.error,
        );
        Figure { title: "Learning".into(), svg: chart.svg(), words }
    }

    fn gaps(&self) -> Figure {
        let line = |value: fn(&Look) -> f64| -> Vec<(f64, f64)> {
            self.looks.iter().map(|l| (l.t as f64, value(l))).collect()
        };
        let chart = LineChart {
            x_label: "minibatches t".into(),
            y_label: "stationarity gap".into(),
            log_x: true,
            log_y: true,
            series: vec![
                Series::new("expected loss, on fresh pictures", line(|l| l.expected_gap)),
                Series::new("surrogate", line(|l| l.surrogate_gap)),
            ],
            ..LineChart::default()
        };
        let words = "How far one step of gradient descent would still move the dictionary: 0 where no small \
                     change improves it.\n\n\
                     Every minibatch solves for the surrogate, so that gap is always as small as the tolerance \
                     asks. What the theorem promises is the other curve: the gap of the expected loss, which \
                     learning never computes, goes down too, to what is left to chance.";
        Figure { title: "Nothing left to improve".into(), svg: chart.svg(), words: words.into() }
    }
}

impl Look {
    /// What can be said of the dictionary after a step. By the envelope theorem the gradient of the expected loss is
    /// that of the quadratic whose aggregates are the codes of the fresh pictures under the dictionary itself.
    fn at(factoriser: &mut Factoriser<f64>, fresh: &Mat<f64>, surrogate: f64) -> Result<Self> {
        let surrogate_gap = stationarity_gap(factoriser);
        let seen = factoriser.statistics(fresh.as_ref())?;
        let mean = |m: &Mat<f64>| Mat::from_fn(m.rows(), m.cols(), |i, j| m.get(i, j) / seen.weight);
        let aggregates = Aggregates {
            a: mean(&seen.a),
            b_transposed: mean(&seen.b_transposed),
            r: seen.r / seen.weight,
            ..*factoriser.aggregates()
        };
        let (parameters, w) = (factoriser.parameters().clone(), factoriser.dictionary().clone());
        let there = Factoriser::resume(parameters, w, aggregates)?;
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
