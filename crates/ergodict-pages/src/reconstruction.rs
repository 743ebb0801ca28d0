//! The report of a network reconstructed from latent motifs.

use crate::network::{density, gallery_of};
use crate::rerun;
use crate::text::{input, short};
use ergodict::data::Network;
use ergodict::model::{Input, Model};
use ergodict::patch::NetworkForm;
use ergodict::reconstruct::network::{Accuracy, PairSum, PairSums};
use ergodict_report::{Figure, LineChart, PictureError, Report, Series, words};
use serde_json::Value;

/// Thresholds of the curve of accuracy, and bins of weights.
const THRESHOLDS: usize = 100;
/// Bins of weights that are drawn: so few that the steps are distinct.
const BINS: usize = 25;

const ACCURACY: &str = "
    Pairs with a weight above the threshold are predicted edges. Jaccard accuracy: intersection over union of true and predicted edges. A broad plateau near 1 is good; a narrow or low
    peak means that the motifs do not fit this network.";

const WEIGHTS: &str = "
    Distribution of reconstructed weights of edges and of visited non-edges. Less overlap is better. Pairs of weight 0 are left out.";

const DEGREES: &str = "
    Number of nodes by degree in the network and in the reconstruction (pairs above the threshold), averaged between powers of two. Where the curves differ, nodes gain or lose edges,
    usually hubs.";

const VISITS: &str = "
    Share of edges, and of all pairs, visited at least this often by patches; the left end is the coverage. If the curve of edges falls early, more patches make
    weights more precise.";

/// Counts over all pairs.
struct Counts {
    /// The largest weight that is drawn: 1, or that of a weighted network.
    scale: f64,
    /// Pairs of weights above i/100 of the scale up to the next, for edges and others.
    edges: Vec<u64>,
    others: Vec<u64>,
    /// Degree of each node in the reconstruction.
    degrees: Vec<u64>,
    /// Pairs by the binary digits of the number of their visits.
    edge_visits: Vec<u64>,
    pair_visits: Vec<u64>,
}

/// A reconstructed network.
pub struct ReconstructionPage<'a> {
    /// The name of the network.
    pub network: String,
    /// The network, or the part of it that was reconstructed.
    pub of: &'a Network,
    /// What the atoms are of: a model file, or networks.
    pub atoms_of: String,
    /// What the atoms are patches of.
    pub form: &'a NetworkForm,
    /// The sampler.
    pub sampler: String,
    /// Sums and counts of pairs.
    pub sums: &'a PairSums,
    /// Its accuracy.
    pub accuracy: Accuracy,
    /// What is added to counts.
    pub alpha: f64,
    /// Pairs of a larger weight are called edges.
    pub threshold: f64,
    /// Motif samples.
    pub samples: u64,
    /// Time of the reconstruction.
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

    /// The result in a sentence.
    pub fn finding(&self) -> String {
        let network = short(&self.network);
        match self.accuracy.jaccard {
            Some(jaccard) => format!(
                "Reconstruction of {network} from {}: {:.1} % Jaccard accuracy at threshold {}",
                self.atoms_of,
                100.0 * jaccard,
                self.threshold
            ),
            None => format!("Reconstruction of {network} from {}", self.atoms_of),
        }
    }

    /// Coverage and accuracy, in words.
    pub fn measures(&self) -> Vec<(&'static str, String)> {
        let accuracy = &self.accuracy;
        let number = |value: Option<f64>| value.map_or("–".to_owned(), words::number);
        let percent =
            |share: Option<f64>| share.map_or("none".to_owned(), |share| format!("{:.1} %", 100.0 * share));
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
            ("AUC", format!("{} of edges against non-edges (chance 0.5)", number(accuracy.auc))),
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
        let weighted =
            accuracy.weighted_jaccard.filter(|_| self.of.is_weighted()).map_or_else(String::new, |jaccard| {
                format!(" Weighted Jaccard (Σ min / Σ max of weights): {}.", words::number(jaccard))
            });
        let verdict = accuracy.jaccard.map_or_else(String::new, |jaccard| {
            format!(" Jaccard accuracy {} at threshold {}.", words::number(jaccard), self.threshold)
        });
        let lead = format!(
            "{network} ({} nodes, {} edges) reconstructed from {} random patches with the latent motifs of {}. The weight of a pair of nodes is the mean of \
             its reconstruction over all patches with both.\n\n{} of the edges are covered by patches.{verdict}{weighted}",
            words::grouped(self.of.nodes() as u64),
            words::grouped(self.of.edges()),
            words::grouped(self.samples),
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
        let report = figures.into_iter().fold(
            Report::new(format!("Reconstruction of {network}")).lead(lead).numbers(self.numbers()),
            Report::figure,
        );
        // The model and the pairs are among the flags.
        let inputs = std::slice::from_ref(&self.network);
        let command = rerun::command("network reconstruct", &self.config, inputs, "-o reconstruction.tsv");
        Ok(report.gallery(&gallery_of(model, self.form))?.facts(&facts).code("Reproduce", command))
    }

    /// The numbers at the top.
    fn numbers(&self) -> Vec<(String, String)> {
        let Accuracy { jaccard, auc, edge_coverage, .. } = &self.accuracy;
        let mut numbers = Vec::new();
        numbers.extend(jaccard.map(|value| {
            (words::number(value), format!("Jaccard accuracy at threshold {}", self.threshold))
        }));
        numbers.extend(auc.map(|value| (words::number(value), "AUC of edges against non-edges".to_owned())));
        numbers.extend(
            edge_coverage
                .map(|share| (format!("{:.1} %", 100.0 * share), "of edges covered by patches".to_owned())),
        );
        numbers
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
                Series::new("recall", found),
                Series::new("precision", right),
                // Last, so that it lies above the others where they meet.
                Series::new("Jaccard accuracy", jaccard),
            ],
            ..LineChart::default()
        };
        Figure { title: "Accuracy by threshold".into(), svg: chart.svg(), words: ACCURACY.into() }
    }

    fn degrees(&self, counts: &Counts) -> Figure {
        let own: Vec<(u64, u64, u64)> =
            self.of.degree_histogram().iter().map(|bin| (bin.from, bin.to, bin.nodes)).collect();
        let digits = |degree: u64| (u64::BITS - degree.leading_zeros()) as usize;
        let mut bins = vec![0; 65];
        counts.degrees.iter().for_each(|&degree| bins[digits(degree)] += 1);
        let reconstruction: Vec<(u64, u64, u64)> =
            (1..64).map(|digits: usize| (1 << (digits - 1), (1 << digits) - 1, bins[digits])).collect();
        let chart = LineChart {
            x_label: "degree".into(),
            y_label: "nodes of this degree".into(),
            log_x: true,
            log_y: true,
            series: vec![
                Series::new("the network", density(&own)),
                Series::new("reconstruction", density(&reconstruction)),
            ],
            ..LineChart::default()
        };
        Figure { title: "Degree distribution".into(), svg: chart.svg(), words: DEGREES.into() }
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
            Series::new("non-edges", steps(&counts.others)),
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
        let (network, motif) = (Arc::new(network), Motif::path(3).unwrap());
        let w = Mat::from_fn(9, 9, |i, j| f64::from(i == j));
        for targets in [Targets::All, Targets::Only(vec![(0, 1), (0, 3), (3, 3)])] {
            let parameters = ReconstructionSettings::default();
            let mut reconstruction =
                Reconstructor::<f64>::new(&w, &network, &motif, &parameters, targets.clone()).unwrap();
            let sampler = SamplerBuilder::default().build(SamplerKind::Exact, &network, &motif, 0).unwrap();
            reconstruction.absorb(&mut [MotifWalker::new(sampler, 0, 0, 0, 1).unwrap()], 300).unwrap();
            let sums = reconstruction.sums();
            let accuracy = Accuracy::measure(sums, &network, 0.5, 0.0).unwrap();
            let edge = |pair: &PairSum| network.weight(pair.u as usize, pair.v as usize) > 0.0;
            let seen = sums.iter().filter(edge).count() as f64;
            assert_eq!(accuracy.edge_coverage, Some(seen / known(&network, sums) as f64));
            let expected = if targets == Targets::All { (5, 10) } else { (2, 3) };
            assert_eq!((known(&network, sums), sums.pairs()), expected);
        }
    }
}
