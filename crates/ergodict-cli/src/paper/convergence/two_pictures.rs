//! Two pictures: the smallest chains there are, with an exact expected loss. Does the surrogate tell it?

use super::log_spaced;
use anyhow::Result;
use ergodict::chain::rng::{Purpose, stream};
use ergodict::chain::{Chain, FiniteChain};
use ergodict::factor::{Factoriser, Parameters};
use ergodict::linalg::Mat;
use ergodict_report::{AtomGrid, Figure, LineChart, Series};
use serde_json::{Map, Value, json};

const SIDE: usize = 8;
const STEPS: u64 = 30_000;
const LAMBDA: f64 = 0.5;

/// Probability that the same picture follows, and what to call it.
const CHAINS: [(f64, &str); 3] = [(0.0, "alternating"), (0.5, "coin tosses"), (0.95, "sticky")];

/// One atom for two pictures, which follow one another by chains with the same stationary law.
pub(super) struct TwoPictures {
    pictures: [Vec<f64>; 2],
    /// The atom that the alternating chain gave.
    atom: Vec<f64>,
    /// The exact expected loss of it.
    loss: f64,
    /// For each chain the largest |f̂_t(W_t) − f(W_t)| since the point before.
    chains: Vec<(&'static str, Vec<(f64, f64)>)>,
}

impl TwoPictures {
    pub(super) fn new(seed: u64) -> Result<Self> {
        let pictures = [picture(cross), picture(ring)];
        let x = [0, 1].map(|y: usize| Mat::from_fn(SIDE * SIDE, 1, |i, _| pictures[y][i]));
        let (mut atom, mut loss, mut chains) = (Vec::new(), f64::NAN, Vec::new());
        for (id, (stay, name)) in CHAINS.into_iter().enumerate() {
            let chain = FiniteChain::new(&[vec![stay, 1.0 - stay], vec![1.0 - stay, stay]])?;
            let pi = chain.stationary();
            let parameters = Parameters { lambda: LAMBDA, ..Parameters::new(1) };
            let mut factoriser = Factoriser::<f64>::random(parameters, SIDE * SIDE, seed)?;
            // Streams 0 and 1 are those of the bars.
            let mut rng = stream(seed, Purpose::Chain, 2 + id as u64);
            let mut state = chain.init(&mut rng);
            let (mut points, mut worst, mut exact) = (Vec::new(), 0.0f64, f64::NAN);
            let mut due = log_spaced(STEPS, 12).into_iter().peekable();
            for t in 1..=STEPS {
                let step = factoriser.step(x[state].as_ref())?;
                chain.step(&mut state, &mut rng);
                exact = pi[0] * factoriser.loss(x[0].as_ref())? + pi[1] * factoriser.loss(x[1].as_ref())?;
                worst = worst.max((step.surrogate - exact).abs());
                if due.next_if_eq(&t).is_some() {
                    points.push((t as f64, worst));
                    worst = 0.0;
                }
            }
            chains.push((name, points));
            if id == 0 {
                (atom, loss) = (factoriser.dictionary().col(0).to_vec(), exact);
            }
        }
        Ok(Self { pictures, atom, loss, chains })
    }

    /// The last `|f̂ − f|` of each chain.
    fn ends(&self) -> impl Iterator<Item = (&'static str, f64)> {
        self.chains.iter().map(|(name, points)| (*name, points.last().map_or(f64::NAN, |p| p.1)))
    }

    /// What happened, for the terminal.
    pub(super) fn account(&self) -> String {
        let ends: Vec<String> = self.ends().map(|(name, end)| format!("{end:.1e} ({name})")).collect();
        format!(
            "One atom for two pictures that follow one another by three chains, {STEPS} steps each.\n\
             The expected loss is {:.4}. The surrogate's distance from it went down to\n\
             {}.",
            self.loss,
            ends.join(", ")
        )
    }

    /// The same for machines.
    pub(super) fn json(&self) -> Value {
        let ends: Map<String, Value> = self.ends().map(|(name, end)| (name.to_owned(), json!(end))).collect();
        json!({ "steps": STEPS, "expected_loss": self.loss, "surrogate_distance": ends })
    }

    /// The figures of the report.
    pub(super) fn figures(&self) -> Result<Vec<Figure>> {
        Ok(vec![self.pictures()?, self.distances()])
    }

    fn pictures(&self) -> Result<Figure> {
        let [first, second] = self.pictures.clone();
        let tiles = [first, second, self.atom.clone()];
        let labels = ["picture 1", "picture 2", "the atom"].map(str::to_owned).to_vec();
        let grid = AtomGrid { labels: Some(labels), columns: Some(3), ..AtomGrid::new(&tiles, (SIDE, SIDE)) };
        let words = "A chain on two pictures only, so small that the expected loss f(W) is known exactly. A single \
                     atom has to serve both.\n\n\
                     In the alternating chain picture 1 is always followed by picture 2 and 2 by 1: given one \
                     picture, all that follow are certain. No amount of waiting makes the next one random, yet the \
                     theorem holds.";
        Ok(Figure { title: "Two pictures".into(), svg: grid.svg()?, words: words.into() })
    }

    fn distances(&self) -> Figure {
        let chart = LineChart {
            x_label: "steps t".into(),
            y_label: "largest |surrogate − expected loss| since the last point".into(),
            log_x: true,
            log_y: true,
            series: self.chains.iter().map(|(name, points)| Series::new(*name, points.clone())).collect(),
            ..LineChart::default()
        };
        let words = format!(
            "The two pictures by three chains that all show each picture half of the time: in turn, by tosses of a \
             fair coin, and staying with the same picture 95 times of 100.\n\n\
             The surrogate comes to tell the expected loss ({:.4}) in all of them. Dependence decides how fast: \
             alternating data are better balanced than independent ones, and sticky data take longer.",
            self.loss
        );
        Figure { title: "The surrogate tells the truth".into(), svg: chart.svg(), words }
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
