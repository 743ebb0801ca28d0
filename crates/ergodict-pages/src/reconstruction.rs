//! The page of a network that was rebuilt by atoms.

use crate::network::{density, gallery_of};
use crate::rerun;
use crate::text::{input, short};
use ergodict::data::Network;
use ergodict::model::{Input, Model};
use ergodict::patch::NetworkForm;
use ergodict::reconstruct::network::{Accuracy, PairSum, PairSums};
use ergodict_report::{Figure, LineChart, PictureError, Report, Series};
use serde_json::Value;

/// Thresholds of the curve of accuracy, and bins of weights.
const THRESHOLDS: usize = 100;
/// Bins of weights that are drawn: so few that the steps can be told apart.
const BINS: usize = 25;

const ACCURACY: &str = "
    Pairs of a weight above the threshold are called edges. The Jaccard accuracy is the number of edges found, divided by that of all edges and all
    pairs called so; 1 is perfect. A broad plateau near 1 is good: the threshold then hardly matters. A peak that is narrow or low
    means that the atoms do not know what this network looks like.";

const WEIGHTS: &str = "
    How the weights of rebuilt pairs are spread, for the edges of the network and for visited pairs without an edge. The less the two overlap, the better
    atoms tell them apart. Pairs of weight 0 are left out.";

const DEGREES: &str = "
    How many nodes have which number of neighbors, in the network and in what was rebuilt (pairs above the threshold; with --pairs, of those alone), on average over the degrees from one power of two
    to the next. Where the curves part, nodes of that degree gain edges or lose them: usually hubs, whose pairs are many.";

const VISITS: &str = "
    The share of edges, and of all pairs (with --pairs, of those alone), that were visited at least so often: a patch visits a pair once for every two of its
    places that have these nodes, so that one with the same node in several places visits it several times. The left end is the coverage. A pair that was
    visited seldom has a weight of few votes: where the curve of edges falls early, more patches (--samples) make weights surer.";

/// What is counted over all pairs.
struct Counts {
    /// The largest weight that is drawn: 1, or that of a weighted network.
    scale: f64,
    /// Pairs of weights above i/100 of the scale up to the next, for edges and others.
    edges: Vec<u64>,
    others: Vec<u64>,
    /// Neighbors of each node in what was rebuilt.
    degrees: Vec<u64>,
    /// Pairs by the binary digits of the number of their visits.
    edge_visits: Vec<u64>,
    pair_visits: Vec<u64>,
}

/// A network that was rebuilt, as its page shows it.
pub struct ReconstructionPage<'a> {
    /// The name of the network.
    pub network: String,
    /// The network, or the part of it that was rebuilt.
    pub of: &'a Network,
    /// What the atoms are of: a model file, or networks.
    pub atoms_of: String,
    /// What the atoms are patches of.
    pub form: &'a NetworkForm,
    /// The sampler.
    pub sampler: String,
    /// Sums and counts of pairs.
    pub sums: &'a PairSums,
    /// How well it went.
    pub accuracy: Accuracy,
    /// What is added to counts.
    pub alpha: f64,
    /// Pairs of a larger weight are called edges.
    pub threshold: f64,
    /// Homomorphisms.
    pub samples: u64,
    /// Time of rebuilding.
    pub seconds: f64,
    /// Settings by their keys.
    pub config: Value,
    /// Files that were read.
    pub inputs: Vec<Input>,
}

impl ReconstructionPage<'_> {
    /// `pivot-approx`, `exact, injective`.
    fn sampler(&self) -> String {
        let injective = if self.config["injective"] == true { ", injective" } else { "" };
        format!("{}{injective}", self.sampler)
    }

    /// Coverage and accuracy, in words.
    pub fn measures(&self) -> Vec<(&'static str, String)> {
        let accuracy = &self.accuracy;
        let number = |value: Option<f64>| value.map_or("–".to_owned(), |value| format!("{value:.4}"));
        let percent =
            |share: Option<f64>| share.map_or("none".to_owned(), |share| format!("{:.2} %", 100.0 * share));
        vec![
            (
                "coverage",
                format!(
                    "{} of edges, {} of pairs",
                    percent(accuracy.edge_coverage),
                    percent(accuracy.pair_coverage)
                ),
            ),
            (
                "Jaccard",
                format!(
                    "{} at weights above {}; {} of the weights themselves",
                    number(accuracy.jaccard),
                    self.threshold,
                    number(accuracy.weighted_jaccard)
                ),
            ),
            ("AUC", format!("{} of the network's own edges against all other pairs", number(accuracy.auc))),
        ]
    }

    /// The page; the model is that of the atoms.
    ///
    /// # Errors
    /// Atoms that cannot be drawn.
    pub fn report(&self, model: &Model) -> Result<Report, PictureError> {
        let accuracy = &self.accuracy;
        let percent =
            |share: Option<f64>| share.map_or("none".to_owned(), |share| format!("{:.1} %", 100.0 * share));
        let network = short(&self.network);
        let weighted = accuracy.weighted_jaccard.filter(|_| self.of.is_weighted()).map_or_else(String::new, |jaccard| {
            format!(" Of the weights themselves, Σ min / Σ max of the network's and the rebuilt ones is {jaccard:.4}.")
        });
        let verdict = accuracy.jaccard.map_or_else(String::new, |jaccard| {
            format!(
                " Calling pairs above {} edges, the Jaccard accuracy is {jaccard:.4} (1 would be perfect).",
                self.threshold
            )
        });
        let lead = format!(
            "{network} ({} nodes, {} edges) rebuilt from {} random patches by the latent motifs of {}. The weight of a pair of nodes is what the \
             atoms make of it, on average over all places of patches that have both.\n\n{} of the edges were seen in a patch.{verdict}{weighted}",
            self.of.nodes(),
            self.of.edges(),
            self.samples,
            self.atoms_of,
            percent(accuracy.edge_coverage),
        );
        let mut facts: Vec<(&str, String)> = vec![
            ("network", format!("{} ({} nodes, {} edges)", self.network, self.of.nodes(), self.of.edges())),
            ("motif", format!("{} of {} nodes", self.form.motif, self.form.k)),
            ("sampler", self.sampler()),
            ("patches", self.samples.to_string()),
            ("mode", self.config["mode"].as_str().unwrap_or_default().to_owned()),
            ("λ, α", format!("{}, {}", self.config["lambda"], self.alpha)),
            ("seed", self.config["seed"].to_string()),
        ];
        facts.extend(self.measures());
        facts.push(("time", format!("{:.2} s", self.seconds)));
        facts.push(("version", format!("ergodict {}", env!("CARGO_PKG_VERSION"))));
        facts.extend(self.inputs.iter().map(|one| ("input", input(one))));
        let counts = self.counts();
        let figures =
            [self.accuracies(&counts), weights(&counts), self.degrees(&counts), self.visits(&counts)];
        let report =
            figures.into_iter().fold(Report::new(format!("{network} rebuilt")).lead(lead), Report::figure);
        // The model and the pairs are among the flags.
        let inputs = std::slice::from_ref(&self.network);
        let command = rerun::command("network reconstruct", &self.config, inputs, "-o rebuilt.tsv");
        Ok(report.gallery(&gallery_of(model, self.form))?.facts(&facts).code("Run it again", command))
    }

    fn counts(&self) -> Counts {
        let last = THRESHOLDS - 1;
        let weight = |pair: &PairSum| pair.sum / (pair.count as f64 + self.alpha);
        let largest = || self.sums.iter().map(|pair| weight(&pair)).fold(0.0, f64::max);
        let mut all = Counts {
            scale: if self.of.is_weighted() { largest().max(f64::MIN_POSITIVE) } else { 1.0 },
            edges: vec![0; THRESHOLDS],
            others: vec![0; THRESHOLDS],
            degrees: vec![0; self.of.nodes()],
            edge_visits: vec![0; 65],
            pair_visits: vec![0; 65],
        };
        for PairSum { u, v, sum, count } in self.sums.iter() {
            let weight = sum / (count as f64 + self.alpha);
            // Bin i holds weights above i/100 of the scale, up to the next.
            let bin =
                ((weight / all.scale * THRESHOLDS as f64).ceil() - 1.0).clamp(0.0, last as f64) as usize;
            let digits = (u64::BITS - count.leading_zeros()) as usize;
            let edge = self.of.weight(u as usize, v as usize) > 0.0;
            let (of, visits) =
                if edge { (&mut all.edges, Some(&mut all.edge_visits)) } else { (&mut all.others, None) };
            of[bin] += u64::from(weight > 0.0);
            visits.into_iter().for_each(|visits| visits[digits] += 1);
            all.pair_visits[digits] += 1;
            if weight > self.threshold {
                all.degrees[u as usize] += 1;
                if u != v && !self.of.is_directed() {
                    all.degrees[v as usize] += 1;
                }
            }
        }
        all
    }

    fn accuracies(&self, counts: &Counts) -> Figure {
        let total = known(self.of, self.sums) as f64;
        let at = |bin: usize| counts.scale * bin as f64 / THRESHOLDS as f64;
        let above = |of: &[u64], bin: usize| of[bin..].iter().sum::<u64>() as f64;
        let share = |of: &dyn Fn(usize) -> f64| -> Vec<(f64, f64)> {
            (0..THRESHOLDS).map(|bin| (at(bin), of(bin))).filter(|point| point.1.is_finite()).collect()
        };
        let jaccard = share(&|bin| above(&counts.edges, bin) / (total + above(&counts.others, bin)));
        let found = share(&|bin| above(&counts.edges, bin) / total);
        let right = share(&|bin| {
            above(&counts.edges, bin) / (above(&counts.edges, bin) + above(&counts.others, bin))
        });
        let chart = LineChart {
            x_label: "threshold".into(),
            y_label: "share".into(),
            y_range: Some((0.0, 1.0)),
            series: vec![
                Series::new("edges found", found),
                Series::new("called edges that are", right),
                // Last, so that it lies above the others where they meet.
                Series::new("Jaccard accuracy", jaccard),
            ],
            ..LineChart::default()
        };
        Figure { title: "Accuracy over the threshold".into(), svg: chart.svg(), words: ACCURACY.into() }
    }

    fn degrees(&self, counts: &Counts) -> Figure {
        let own: Vec<(u64, u64, u64)> =
            self.of.degree_histogram().iter().map(|bin| (bin.from, bin.to, bin.nodes)).collect();
        let digits = |degree: u64| (u64::BITS - degree.leading_zeros()) as usize;
        let mut bins = vec![0; 65];
        counts.degrees.iter().for_each(|&degree| bins[digits(degree)] += 1);
        let rebuilt: Vec<(u64, u64, u64)> =
            (1..64).map(|digits: usize| (1 << (digits - 1), (1 << digits) - 1, bins[digits])).collect();
        let chart = LineChart {
            x_label: "degree".into(),
            y_label: "nodes of that degree".into(),
            log_x: true,
            log_y: true,
            series: vec![
                Series::new("the network", density(&own)),
                Series::new("rebuilt", density(&rebuilt)),
            ],
            ..LineChart::default()
        };
        Figure { title: "Degrees".into(), svg: chart.svg(), words: DEGREES.into() }
    }

    fn visits(&self, counts: &Counts) -> Figure {
        let (edges, pairs) = (known(self.of, self.sums) as f64, self.sums.pairs() as f64);
        let curve = |visits: &[u64], all: f64| -> Vec<(f64, f64)> {
            let top = visits.iter().rposition(|n| *n > 0).unwrap_or(0);
            let at = |digits: usize| {
                let least = (1u64 << (digits - 1)) as f64;
                (least, visits[digits..].iter().sum::<u64>() as f64 / all.max(1.0))
            };
            (1..=top.min(63)).map(at).collect()
        };
        let chart = LineChart {
            x_label: "visits of a pair, at least".into(),
            y_label: "share".into(),
            log_x: true,
            y_range: Some((0.0, 1.0)),
            series: vec![
                Series::new("edges", curve(&counts.edge_visits, edges)),
                Series::new("all pairs", curve(&counts.pair_visits, pairs)),
            ],
            ..LineChart::default()
        };
        Figure { title: "Coverage".into(), svg: chart.svg(), words: VISITS.into() }
    }
}

/// Edges that can be visited, as [`Accuracy`](ergodict::reconstruct::network::Accuracy) counts them: those that are wanted, where only some pairs are.
fn known(of: &Network, sums: &PairSums) -> u64 {
    of.each_edge().filter(|&(u, v, _)| sums.has(u, v)).count() as u64
}

/// Weights as steps.
fn weights(counts: &Counts) -> Figure {
    let each = THRESHOLDS / BINS;
    let steps = |of: &[u64]| -> Vec<(f64, f64)> {
        let all = of.iter().sum::<u64>().max(1) as f64;
        let step = |(i, bin): (usize, &[u64])| {
            let share = bin.iter().sum::<u64>() as f64 / all;
            let edge = |i: usize| counts.scale * i as f64 / BINS as f64;
            [(edge(i), share), (edge(i + 1), share)]
        };
        of.chunks(each).enumerate().flat_map(step).collect()
    };
    let chart = LineChart {
        x_label: "weight".into(),
        y_label: "share of pairs".into(),
        series: vec![
            Series::new("edges", steps(&counts.edges)),
            Series::new("other pairs", steps(&counts.others)),
        ],
        ..LineChart::default()
    };
    Figure { title: "Weights".into(), svg: chart.svg(), words: WEIGHTS.into() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ergodict::chain::{Motif, MotifWalker, SamplerBuilder, SamplerKind};
    use ergodict::data::{Build, Loops, NodeIds};
    use ergodict::linalg::Mat;
    use ergodict::reconstruct::network::{Accuracy, ReconstructionSettings, Reconstructor, Targets};
    use std::sync::Arc;

    #[test]
    fn curves_are_shares_of_what_accuracy_counts() {
        let build = Build { loops: Loops::Keep, ..Build::default() };
        let edges = [(0, 1, 1.0), (1, 2, 1.0), (2, 0, 1.0), (2, 3, 1.0), (3, 3, 1.0)];
        let network = Network::build(NodeIds::numbered(4), &edges, false, build).unwrap().0;
        let (network, motif) = (Arc::new(network), Motif::chain(3).unwrap());
        let w = Mat::from_fn(9, 9, |i, j| f64::from(i == j));
        for targets in [Targets::All, Targets::Only(vec![(0, 1), (0, 3), (3, 3)])] {
            let parameters = ReconstructionSettings::default();
            let mut rebuilt =
                Reconstructor::<f64>::new(&w, &network, &motif, &parameters, targets.clone()).unwrap();
            let sampler = SamplerBuilder::default().build(SamplerKind::Exact, &network, &motif, 0).unwrap();
            rebuilt.absorb(&mut [MotifWalker::new(sampler, 0, 0, 0, 1).unwrap()], 300).unwrap();
            let sums = rebuilt.sums();
            let accuracy = Accuracy::measure(sums, &network, 0.5, 0.0).unwrap();
            let edge = |pair: &PairSum| network.weight(pair.u as usize, pair.v as usize) > 0.0;
            let seen = sums.iter().filter(edge).count() as f64;
            assert_eq!(accuracy.edge_coverage, Some(seen / known(&network, sums) as f64));
            let expected = if targets == Targets::All { (5, 10) } else { (2, 3) };
            assert_eq!((known(&network, sums), sums.pairs()), expected);
        }
    }
}
