//! Two pictures: the smallest chains there are, with an exact expected loss. Does the surrogate converge to it?

use super::{VERB, log_spaced};
use crate::place::{Done, Place};
use anyhow::Result;
use ergodict::chain::{Chain, FiniteChain};
use ergodict::factor::{FactorSettings, Factorizer};
use ergodict::linalg::Mat;
use ergodict::rng::{Purpose, stream};
use ergodict::run::{Form, Run, RunPlan};
use ergodict_report::{AtomGrid, Figure, LineChart, Series};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

const SIDE: usize = 8;
const LAMBDA: f64 = 0.5;

/// Probability that the same picture follows, and what to call it.
const CHAINS: [(f64, &str); 3] = [(0.0, "alternating"), (0.5, "coin tosses"), (0.95, "sticky")];

/// One atom for two pictures, which follow one another by chains with the same stationary law.
pub(super) struct TwoPictures {
    seen: Done<PicturesRecord>,
}

/// What is recorded of it.
#[derive(Serialize, Deserialize)]
struct PicturesRecord {
    steps: u64,
    /// The atom that the alternating chain gave.
    atom: Vec<f64>,
    /// The exact expected loss of it.
    loss: f64,
    /// For each chain the largest |f̂_t(W_t) − f(W_t)| since the point before.
    chains: Vec<(String, Vec<(f64, f64)>)>,
}

impl TwoPictures {
    /// Learns from the three chains, unless that is done; none when interrupted.
    pub(super) fn measure(place: &mut Place<'_>) -> Result<Option<Self>> {
        let (steps, seed) = (if place.quick { 3000 } else { 30_000 }, place.common.seed);
        let make = || PicturesRecord::make(steps, seed).map(Some);
        let unit = place.unit((VERB, "two pictures", seed), json!({ "steps": steps }), &[], make)?;
        let Some(seen) = unit else { return Ok(None) };
        let two = Self { seen };
        if two.seen.new {
            place.talk(&two.account());
        }
        Ok(Some(two))
    }

    pub(super) fn seconds(&self) -> f64 {
        self.seen.seconds
    }

    pub(super) fn cpu_seconds(&self) -> f64 {
        self.seen.cpu_seconds
    }
}

impl PicturesRecord {
    fn make(steps: u64, seed: u64) -> Result<Self> {
        let pictures = [picture(cross), picture(ring)];
        let x = [0, 1].map(|y: usize| Mat::from_fn(SIDE * SIDE, 1, |i, _| pictures[y][i]));
        let (mut atom, mut loss, mut chains) = (Vec::new(), f64::NAN, Vec::new());
        for (id, (stay, name)) in CHAINS.into_iter().enumerate() {
            let chain = FiniteChain::new(&[vec![stay, 1.0 - stay], vec![1.0 - stay, stay]])?;
            let pi = chain.stationary();
            let parameters = FactorSettings { lambda: LAMBDA, ..FactorSettings::new(1) };
            let first = Factorizer::<f64>::random(parameters.clone(), SIDE * SIDE, seed)?;
            let form = Form::Samples { features: SIDE * SIDE, names: None };
            let mut run =
                Run::pushed(RunPlan::new("paper convergence", parameters, seed), form, Some(first))?;
            // Streams 0 and 1 are those of the bars.
            let mut rng = stream(seed, Purpose::Chain, 2 + id as u64);
            let mut state = chain.init(&mut rng);
            let (mut points, mut worst, mut exact) = (Vec::new(), 0.0f64, f64::NAN);
            let mut due = log_spaced(steps, 12).into_iter().peekable();
            for t in 1..=steps {
                let step = run.push((&x[state]).into(), None)?;
                chain.step(&mut state, &mut rng);
                let dictionary = run.coder()?;
                exact = pi[0] * dictionary.loss(x[0].as_ref())? + pi[1] * dictionary.loss(x[1].as_ref())?;
                worst = worst.max((step.surrogate - exact).abs());
                if due.next_if_eq(&t).is_some() {
                    points.push((t as f64, worst));
                    worst = 0.0;
                }
            }
            chains.push((name.to_owned(), points));
            if id == 0 {
                (atom, loss) = (run.coder()?.dictionary().col(0).to_vec(), exact);
            }
        }
        Ok(Self { steps, atom, loss, chains })
    }
}

impl TwoPictures {
    fn seen(&self) -> &PicturesRecord {
        &self.seen.outcome
    }

    /// The last `|f̂ − f|` of each chain.
    fn ends(&self) -> impl Iterator<Item = (&str, f64)> {
        self.seen().chains.iter().map(|(name, points)| (&**name, points.last().map_or(f64::NAN, |p| p.1)))
    }

    /// What happened, for the terminal.
    fn account(&self) -> String {
        let steps = self.seen().steps;
        let ends: Vec<String> = self.ends().map(|(name, end)| format!("{end:.1e} ({name})")).collect();
        format!(
            "One atom for two pictures that follow one another by three chains, {steps} steps each.\n\
             The expected loss is {:.4}. The surrogate's distance from it went down to\n\
             {}.",
            self.seen().loss,
            ends.join(", ")
        )
    }

    /// The same for machines.
    pub(super) fn json(&self) -> Value {
        let ends: Map<String, Value> = self.ends().map(|(name, end)| (name.to_owned(), json!(end))).collect();
        json!({ "steps": self.seen().steps, "expected_loss": self.seen().loss, "surrogate_distance": ends })
    }

    /// The figures of the report.
    pub(super) fn figures(&self) -> Result<Vec<Figure>> {
        Ok(vec![self.pictures()?, self.distances()])
    }

    fn pictures(&self) -> Result<Figure> {
        let tiles = [picture(cross), picture(ring), self.seen().atom.clone()];
        let labels = ["picture 1", "picture 2", "the atom"].map(str::to_owned).to_vec();
        let grid = AtomGrid { labels: Some(labels), columns: Some(3), ..AtomGrid::new(&tiles, (SIDE, SIDE)) };
        let words = "A chain on two pictures only, so small that the expected loss f(W) is known exactly. A single \
                     atom has to serve both.\n\n\
                     In the alternating chain picture 1 is always followed by picture 2 and 2 by 1: given one \
                     picture, all that follow are certain. No amount of waiting makes the next one random. The \
                     theorem does not promise anything for a chain with a period, yet its conclusions hold.";
        Ok(Figure { title: "Two pictures".into(), svg: grid.svg()?, words: words.into() })
    }

    fn distances(&self) -> Figure {
        let chart = LineChart {
            x_label: "steps t".into(),
            y_label: "largest |surrogate − expected loss| since the last point".into(),
            log_x: true,
            log_y: true,
            series: self
                .seen()
                .chains
                .iter()
                .map(|(name, points)| Series::new(&**name, points.clone()))
                .collect(),
            ..LineChart::default()
        };
        let words = format!(
            "The two pictures by three chains that all show each picture half of the time: in turn, by tosses of a \
             fair coin, and staying with the same picture 95 times of 100.\n\n\
             The surrogate converges to the expected loss ({:.4}) in all of them. Dependence decides how fast: \
             alternating data are better balanced than independent ones, and sticky data take longer.",
            self.seen().loss
        );
        Figure { title: "Surrogate and expected loss".into(), svg: chart.svg(), words }
    }
}

fn picture(black: fn(usize, usize) -> bool) -> Vec<f64> {
    (0..SIDE * SIDE).map(|k| f64::from(u8::from(black(k / SIDE, k % SIDE)))).collect()
}

fn cross(i: usize, j: usize) -> bool {
    i == j || i + j == SIDE - 1
}

fn ring(i: usize, j: usize) -> bool {
    let edge = |k: usize| k == 1 || k == SIDE - 2;
    let inside = |k: usize| (1..SIDE - 1).contains(&k);
    (edge(i) && inside(j)) || (edge(j) && inside(i))
}
