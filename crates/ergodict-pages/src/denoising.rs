//! The report of `ergodict network denoise`: ranked pairs, reliability, scores and feature importance.

use crate::rerun;
use crate::text::{input, short};
use ergodict::data::Network;
use ergodict::denoise::ensemble::{HeadReport, MISSING, NoiseModel};
use ergodict::denoise::features::Group;
use ergodict::denoise::{self, Method, Scores};
use ergodict::model::Input;
use ergodict_report::bars::{Bar, BarChart};
use ergodict_report::histogram::Bins;
use ergodict_report::words::{count, grouped};
use ergodict_report::{Check, Figure, LineChart, Report, Series, Table};
use serde::Serialize;
use serde_json::Value;

/// Pairs that are listed.
const LISTED: usize = 25;
/// Reasons of a pair that are given.
const REASONS: usize = 3;
/// Pairs of which it is said how many are expected to be missing edges.
const FIRST: usize = 50;
/// Features that are listed.
const FEATURES: usize = 20;
/// A smaller self-test AUC is warned of.
const HARDLY: f64 = 0.7;
const HARDLY_WORDS: &str =
    "low self-test AUC: on a network like this, a method without training may do better";
/// A larger estimate of the share of false edges is warned of. Where half of as many edges as there were are added, it is a third; on Erdős–Rényi networks, where nothing can be known, it
/// was 58 to 90 % (eight networks of 60 to 400 nodes).
const RANDOM: f64 = 0.5;
const RANDOM_WORDS: &str = "most edges look random: true and false edges are not distinguishable in this network, and scores are uninformative";
/// Bins of the distribution of scores.
const BINS: usize = 40;

const SCORES: &str = "
    Number of pairs by score. Two humps: the method separates two kinds of pairs. Only the order of scores is meaningful.";

const RELIABILITY: &str = "
    Predicted probability against the share of hidden edges, cross-validated on hidden edges; each point has about as many. On the diagonal, probabilities are calibrated.";

/// A pair to look at, with its score and degrees.
pub struct Suspect {
    /// Names of the nodes.
    pub pair: (String, String),
    /// Its score.
    pub score: f64,
    /// The probability of a missing edge, or that an observed edge is not a random pair, of methods that have one.
    pub probability: Option<f64>,
    /// Degrees of the nodes.
    pub degrees: (usize, usize),
    /// Common neighbors.
    pub common: usize,
    /// Features with the largest share in the score, in words.
    pub reasons: String,
}

/// How many of the pairs that come first are expected to be missing edges.
#[derive(Clone, Copy, Serialize)]
pub struct Expected {
    /// Pairs that come first
    pub pairs: usize,
    /// Missing edges expected among them, by their probabilities
    pub missing: f64,
    /// Missing edges expected among as many pairs drawn at random
    pub chance: f64,
    /// Share of the true edges that is taken to be missing
    pub share: f64,
}

/// How many of the first edges are expected to look like random pairs: false, or true without a pattern.
#[derive(Clone, Copy, Serialize)]
pub struct Doubtful {
    /// Edges that come first
    pub edges: usize,
    /// Those expected among them to be false, or true without a pattern, by their probabilities
    pub false_edges: f64,
    /// The same of as many edges drawn at random
    pub chance: f64,
    /// Share of false edges, if it was given; `null` if it was estimated
    pub share: Option<f64>,
}

/// Run details.
pub struct DenoisingRun {
    /// The name of the network.
    pub network: String,
    /// How pairs were scored.
    pub method: String,
    /// What was assumed to be wrong.
    pub noise: NoiseModel,
    /// The share of edges that is believed to be wrong, if it was said.
    pub share: Option<f64>,
    /// Whether pairs without an edge were ranked, and not those that were given.
    pub ranks_non_edges: bool,
    /// Pairs that are written, or given.
    pub written: usize,
    /// Time of all.
    pub seconds: f64,
    /// Files that were read.
    pub inputs: Vec<Input>,
    /// Settings by their keys.
    pub config: Value,
}

/// The result of denoising.
pub struct DenoisingPage {
    /// Run details.
    pub run: DenoisingRun,
    /// Pairs that were scored.
    pub pairs: usize,
    /// Those of them that are observed edges.
    pub observed: usize,
    /// Edges of the network.
    edges: u64,
    /// What is known of classifiers.
    pub heads: Vec<HeadReport>,
    /// Notes.
    pub notes: Vec<String>,
    /// The pairs that matter most.
    pub first: Vec<Suspect>,
    /// What is expected of the pairs that come first, where missing edges are looked for.
    pub expected: Option<Expected>,
    /// What is expected of the edges that come first, where false ones are looked for.
    pub doubtful: Option<Doubtful>,
    /// Scores of observed edges and of other pairs in bins; none where no pair has one.
    scores: Option<(Bins, [Vec<u64>; 2])>,
}

impl DenoisingPage {
    /// Of the scores of pairs of a network; `order` are their rows, those that matter most first, and `name` is what a node is called.
    pub fn new(
        run: DenoisingRun,
        network: &Network,
        pairs: &[(u32, u32)],
        scored: &Scores,
        order: &[usize],
        name: &dyn Fn(u32) -> String,
    ) -> Self {
        let is_edge = |row: usize| network.weight(pairs[row].0 as usize, pairs[row].1 as usize) > 0.0;
        let (edges, others): (Vec<usize>, Vec<usize>) = (0..pairs.len()).partition(|&row| is_edge(row));
        let of = |rows: &[usize]| -> Vec<f64> {
            rows.iter().map(|&row| scored.scores[row]).filter(|score| !score.is_nan()).collect()
        };
        let both = [of(&edges), of(&others)];
        // Those without a score are last.
        let judged = both[0].len() + both[1].len();
        let bins = Bins::over(both.iter().flatten(), BINS);
        Self {
            pairs: pairs.len(),
            observed: edges.len(),
            edges: network.edges(),
            heads: scored.heads.clone(),
            notes: scored.notes.clone(),
            first: order
                .iter()
                .take(LISTED.min(judged).min(run.written))
                .map(|&row| suspect(network, pairs[row], scored, row, name))
                .collect(),
            expected: expected(&run, network, scored, order),
            doubtful: doubtful(&run, network, scored, order),
            scores: bins.map(|bins| (bins, both.map(|scores| bins.counts(&scores)))),
            run,
        }
    }

    /// The noise that was assumed, in a word.
    pub fn noise(&self) -> &'static str {
        match self.run.noise {
            NoiseModel::Added => "added",
            NoiseModel::Removed => "removed",
            NoiseModel::Both => "both",
        }
    }

    /// Why the scores may not be what they seem.
    pub fn warnings(&self) -> Vec<String> {
        // False edges among the observed ones beat half of the pairs without an edge whatever the head.
        let least = |head: &HeadReport| 0.5 + (HARDLY - 0.5) * (1.0 - head.false_share.unwrap_or(0.0));
        let hardly = self.heads.iter().any(|head| head.held_out.is_some_and(|auc| auc < least(head)));
        let random = self.heads.iter().any(|head| head.false_share.is_some_and(|share| share > RANDOM));
        [(hardly, HARDLY_WORDS), (random, RANDOM_WORDS)]
            .into_iter()
            .filter(|(is_so, _)| *is_so)
            .map(|(_, words)| words.to_owned())
            .collect()
    }

    /// What was found, in a sentence or two.
    pub fn findings(&self) -> Vec<String> {
        let mut findings = Vec::new();
        findings.extend(self.expected.map(|expected| expected.sentence()));
        for head in &self.heads {
            findings.extend(head.false_share.map(|share| {
                let all = format!(
                    "Edges that look like random pairs: {:.0} % of {}",
                    100.0 * share,
                    grouped(self.edges)
                );
                let doubtful =
                    self.doubtful.map_or_else(String::new, |found| format!("; {}", found.clause()));
                format!("{all}{doubtful}. {WITHOUT_PATTERN}")
            }));
        }
        findings
    }

    /// How well classifiers do on held-out pairs, a sentence each.
    pub fn self_tests(&self) -> Vec<String> {
        let several = self.heads.len() > 1;
        let test = |head: &HeadReport| {
            let labels = match head.noise.word() {
                "added" => "observed edges, false ones included, against non-edges".to_owned(),
                _ => format!("hidden edges against non-edges, {} splits", head.splits),
            };
            let which = if several { format!("{} edges: ", head.noise.word()) } else { String::new() };
            head.held_out
                .map(|auc| format!("{which}AUC {auc:.3} on held-out pairs ({labels}); chance is 0.5"))
        };
        self.heads.iter().filter_map(test).collect()
    }

    /// The page.
    pub fn report(&self) -> Report {
        let DenoisingRun { method, seconds, inputs, config, .. } = &self.run;
        let network = short(&self.run.network);
        let pairs = match self.run.noise {
            NoiseModel::Removed => "Predicted missing edges",
            NoiseModel::Added => "Suspicious edges",
            NoiseModel::Both => "Suspicious pairs",
        };
        let report =
            Report::new(format!("{pairs} in {network}")).lead(self.lead(&network)).numbers(self.numbers());
        let report = report.table(self.suspects());
        let report = self.heads.iter().filter_map(reliability).fold(report, Report::figure);
        let report = report.figure(self.scores()).details(self.check());
        let report = self.heads.iter().fold(report, |report, head| self.head(report, head));
        let mut facts = vec![
            ("network", self.run.network.clone()),
            ("pairs", format!("{}, {} of them observed edges", self.pairs, self.observed)),
            ("method", method.clone()),
            ("noise", self.noise().to_owned()),
        ];
        let blended = self.heads.iter().filter(|head| !head.blend.is_empty());
        facts.extend(blended.map(|head| ("average of", blend(head))));
        facts.extend(self.notes.iter().map(|note| ("note", note.clone())));
        facts.push(("seed", config["seed"].to_string()));
        facts.push(("version", format!("ergodict {}", env!("CARGO_PKG_VERSION"))));
        facts.push(("time", format!("{seconds:.2} s")));
        facts.extend(inputs.iter().map(|one| ("input", input(one))));
        // The pairs are among the flags.
        let names = std::slice::from_ref(&self.run.network);
        let command = rerun::command("network denoise", config, names, "-o scores.tsv");
        let report = report.facts(&facts);
        // Of the methods of the program alone: a dictionary's scores are made in Python.
        if method.parse::<Method>().is_ok() { report.code("Reproduce", command) } else { report }
    }

    /// The numbers at the top.
    fn numbers(&self) -> Vec<(String, String)> {
        let mut numbers = Vec::new();
        if let Some(expected) = self.expected {
            let text = format!(
                "of the first {} pairs expected missing ({} by chance)",
                expected.pairs,
                rounded(expected.chance)
            );
            numbers.push((rounded(expected.missing), text));
        }
        for head in &self.heads {
            numbers.extend(head.false_share.map(|share| {
                (format!("{:.0} %", 100.0 * share), "of the edges look like random pairs".to_owned())
            }));
            numbers.extend(
                head.held_out.map(|auc| (format!("{auc:.3}"), "self-test AUC (chance 0.5)".to_owned())),
            );
        }
        numbers.push((grouped(self.pairs as u64), "pairs scored".to_owned()));
        numbers
    }

    /// The badge: warnings, or the self-test.
    fn check(&self) -> Option<Check> {
        let warnings = self.warnings();
        if let Some(first) = warnings.first() {
            return Some(Check { is_ok: false, words: first.clone() });
        }
        let auc = self.heads.iter().filter_map(|head| head.held_out).reduce(f64::min)?;
        Some(Check { is_ok: true, words: format!("self-test AUC {auc:.3}") })
    }

    fn lead(&self, network: &str) -> String {
        let what = match self.noise() {
            "added" => "the lower the score, the more likely a false edge",
            "removed" => "the higher the score, the more likely a missing edge",
            _ => "the higher the score, the more likely a true edge",
        };
        let mut finding =
            self.expected.map_or_else(String::new, |expected| format!("{}. ", expected.sentence()));
        for share in self.heads.iter().filter_map(|head| head.false_share) {
            let doubtful =
                self.doubtful.map_or_else(String::new, |doubtful| format!("; {}", doubtful.clause()));
            finding = format!(
                "{finding}{:.0} % of the observed edges look like random pairs{doubtful}. {WITHOUT_PATTERN}. ",
                100.0 * share
            );
        }
        let mut lead = format!(
            "{finding}{} pairs of nodes of {network}, scored by {}: {what}. Scores use the network alone.",
            grouped(self.pairs as u64),
            self.run.method
        );
        for head in &self.heads {
            if let Some(auc) = head.held_out {
                let labels = if head.noise.word() == "added" {
                    "observed edges (false ones included) against non-edges"
                } else {
                    "hidden edges against non-edges"
                };
                lead = format!(
                    "{lead} Self-test: AUC {auc:.3} for {labels}, held out; real errors can be harder."
                );
            }
        }
        lead
    }

    /// The pairs that matter most.
    fn suspects(&self) -> Table {
        let missing = self.run.noise == NoiseModel::Removed;
        let rows = self.first.iter().enumerate().map(|(rank, one)| {
            vec![
                (rank + 1).to_string(),
                one.pair.0.clone(),
                one.pair.1.clone(),
                format!("{:.4}", one.score),
                one.probability.map_or_else(String::new, |probability| format!("{probability:.3}")),
                format!("{}, {}", one.degrees.0, one.degrees.1),
                one.common.to_string(),
                one.reasons.clone(),
            ]
        });
        let because = if missing { "for" } else { "against" };
        let head = ["rank", "u", "v", "score", "probability", "degrees", "common neighbors", because];
        // Not every method has probabilities or reasons.
        let reasoned = self.first.iter().any(|one| !one.reasons.is_empty());
        let probable = self.first.iter().any(|one| one.probability.is_some());
        let has = |column: usize| (column != 4 || probable) && (column != 7 || reasoned);
        let shown: Vec<usize> = (0..head.len()).filter(|&column| has(column)).collect();
        let (title, first) = if missing {
            ("Ranked pairs", "Most likely missing edges first.")
        } else {
            ("Ranked edges", "Most suspicious first.")
        };
        let mut words = first.to_owned();
        if probable && missing {
            let share = 100.0 * self.run.share.unwrap_or(MISSING);
            words = format!("{words} Probabilities assume that {share:.0} % of the true edges are missing.");
        } else if probable {
            words.push_str(" Probability: that the edge is not a random pair; true edges without a pattern have a low one.");
        }
        if reasoned {
            words.push_str(if missing {
                " For: features of the pair and what they add to its log odds."
            } else {
                " Against: features of the edge and what they subtract from its log odds."
            });
        }
        Table {
            title: title.into(),
            head: shown.iter().map(|&column| head[column].to_owned()).collect(),
            rows: rows.map(|row| shown.iter().map(|&column| row[column].clone()).collect()).collect(),
            words: format!("{words} The output table has {}.", count(self.run.written, "pair", "pairs")),
        }
    }

    /// Feature importance of a classifier.
    fn head(&self, report: Report, head: &HeadReport) -> Report {
        // A blend of single numbers has none.
        if head.features.is_empty() {
            return report;
        }
        let mut features: Vec<&(String, Group, _)> = head.features.iter().collect();
        features.sort_by(|a, b| b.2.auc_drop.total_cmp(&a.2.auc_drop));
        let rows = features.iter().take(FEATURES).map(|(name, group, importance)| {
            vec![
                name.clone(),
                kind(*group).to_owned(),
                format!("{:.4}", importance.auc_drop),
                format!("{:.3}", importance.logit_spread),
            ]
        });
        let several = self.heads.len() > 1;
        let which = if several { format!(" for {} edges", head.noise.word()) } else { String::new() };
        let rest = head.features.len().saturating_sub(FEATURES);
        let rest = if rest > 0 { format!(" {rest} more features have less.") } else { String::new() };
        report.table(Table {
            title: format!("Feature importance{which}"),
            head: ["feature", "kind", "drop in AUC", "spread of log odds"].map(str::to_owned).to_vec(),
            rows: rows.collect(),
            words: format!(
                "Logistic classifier trained on {} pairs in {} splits of the network. Drop in training AUC with the feature held at its mean, and standard \
                 deviation of its log odds; correlated features share importance.{rest}",
                head.training_pairs, head.splits
            ),
        })
    }

    fn scores(&self) -> Figure {
        let figure = |svg| Figure { title: "Score distribution".into(), svg, words: SCORES.into() };
        let x_label = "score".to_owned();
        let names = ["observed edges", "other pairs"].into_iter();
        let all = self
            .scores
            .iter()
            .flat_map(|(bins, counts)| names.clone().zip(counts).map(move |one| (bins, one)));
        let some: Vec<(&Bins, (&str, &Vec<u64>))> =
            all.filter(|(_, (_, counts))| counts.iter().any(|n| *n > 0)).collect();
        if let [(bins, (_, counts))] = some[..] {
            let bar = |(i, n): (usize, &u64)| {
                let (from, to) = (bins.edge(i), bins.edge(i + 1));
                Bar { from, to, value: *n as f64, label: None }
            };
            let bars = counts.iter().enumerate().map(bar).collect();
            return figure(BarChart { x_label, y_label: "pairs".into(), bars, ..BarChart::default() }.svg());
        }
        let series =
            some.iter().map(|(bins, (name, counts))| Series::new(*name, bins.steps(counts))).collect();
        figure(LineChart { x_label, y_label: "share of pairs".into(), series, ..LineChart::default() }.svg())
    }
}

/// What is averaged where missing edges are looked for, with its shares, in words.
pub fn blend(head: &HeadReport) -> String {
    let shares = head.blend.iter().map(|(name, share)| format!("{name} {:.0} %", 100.0 * share));
    shares.collect::<Vec<_>>().join(", ")
}

impl Expected {
    /// In words.
    pub fn sentence(&self) -> String {
        let about = if self.missing >= LEAST { "About " } else { "" };
        format!(
            "{about}{} of the first {} pairs are expected to be missing edges ({} by chance), if {:.0} % of the true edges are missing",
            rounded(self.missing),
            self.pairs,
            rounded(self.chance),
            100.0 * self.share
        )
    }
}

impl Doubtful {
    /// In words.
    fn clause(&self) -> String {
        let (found, chance) = (rounded(self.false_edges), rounded(self.chance));
        let among = match self.edges {
            1 => "the most suspicious one".to_owned(),
            edges => format!("the {edges} most suspicious"),
        };
        let given = self.share.map(|share| format!(", if {:.0} % are false", 100.0 * share));
        format!("{found} of {among} ({chance} by chance){}", given.unwrap_or_default())
    }
}

/// What such edges are: of true edges without a pattern nothing in the network says that they are true.
const WITHOUT_PATTERN: &str = "Such edges are false, or true without a pattern";

/// Smaller expected counts are printed as a bound.
const LEAST: f64 = 0.01;

/// A count that is expected: whole from ten on, with two digits below.
fn rounded(count: f64) -> String {
    match count {
        _ if count >= 10.0 => format!("{count:.0}"),
        _ if count >= 1.0 => format!("{count:.1}"),
        _ if count >= LEAST => format!("{count:.2}"),
        _ => format!("fewer than {LEAST}"),
    }
}

/// Where missing edges are looked for: the pairs that come first, how many of them are expected to be missing edges, and how many by chance.
fn expected(run: &DenoisingRun, network: &Network, scored: &Scores, order: &[usize]) -> Option<Expected> {
    let looked_for = run.ranks_non_edges && run.noise == NoiseModel::Removed;
    let probabilities = scored.probabilities.as_ref().filter(|_| looked_for)?;
    let pairs = run.written.min(FIRST);
    let share = run.share.unwrap_or(MISSING);
    let n = network.nodes() as f64;
    let missing = share / (1.0 - share) * network.edges() as f64;
    let chance = (pairs as f64 * missing / (n * (n - 1.0) / 2.0 - network.edges() as f64)).min(pairs as f64);
    Some(Expected {
        pairs,
        missing: order[..pairs].iter().map(|&row| probabilities[row]).sum(),
        chance,
        share,
    })
}

/// Where false edges are looked for: the edges that come first, how many of them are expected to be false, and how many by chance.
fn doubtful(run: &DenoisingRun, network: &Network, scored: &Scores, order: &[usize]) -> Option<Doubtful> {
    let observed = order.len();
    // The share is that of all edges, and says nothing of some that were chosen.
    let looked_for = run.noise == NoiseModel::Added && observed as u64 == network.edges();
    let probabilities = scored.probabilities.as_ref().filter(|_| looked_for)?;
    let estimated = scored.heads.iter().find_map(|head| head.false_share)?;
    let share = run.share.unwrap_or(estimated);
    let edges = run.written.min(FIRST).min(observed);
    let false_edges = order[..edges].iter().map(|&row| 1.0 - probabilities[row]).sum();
    Some(Doubtful { edges, false_edges, chance: share * edges as f64, share: run.share })
}

/// A pair of the table of a page.
fn suspect(
    network: &Network,
    (u, v): (u32, u32),
    scored: &Scores,
    row: usize,
    name: &dyn Fn(u32) -> String,
) -> Suspect {
    let [one, two, common] = denoise::evidence(network, (u, v));
    Suspect {
        pair: (name(u), name(v)),
        score: scored.scores[row],
        probability: scored.probabilities.as_ref().map(|all| all[row]),
        degrees: (one, two),
        common,
        reasons: reasons(scored, row).unwrap_or_default(),
    }
}

/// What speaks most for a missing edge or against an observed one, in words.
pub fn reasons(scored: &Scores, row: usize) -> Option<String> {
    let strongest = scored.reasons.get(&row)?.iter().take(REASONS);
    Some(strongest.map(|(name, added)| format!("{name} {added:+.1}")).collect::<Vec<_>>().join(", "))
}

fn kind(group: Group) -> &'static str {
    match group {
        Group::Paths => "short paths",
        Group::Degrees => "degrees",
        Group::Walks => "longer walks",
        Group::Nodes => "neighborhoods",
        Group::Embedding => "embedding",
        Group::Motifs => "latent motifs",
    }
}

/// Probabilities against shares of hidden edges.
fn reliability(head: &HeadReport) -> Option<Figure> {
    if head.reliability.is_empty() {
        return None;
    }
    let points: Vec<(f64, f64)> = head.reliability.iter().map(|bin| (bin.predicted, bin.observed)).collect();
    let most = points.iter().fold(0.01f64, |most, point| most.max(point.0).max(point.1));
    let ends = Some((0.0, (1.05 * most).min(1.0)));
    let chart = LineChart {
        x_label: "predicted probability".into(),
        y_label: "share of hidden edges".into(),
        x_range: ends,
        y_range: ends,
        square: true,
        series: vec![Series::new(String::new(), points)],
        ..LineChart::default()
    };
    Some(Figure { title: "Reliability".into(), svg: chart.svg(), words: RELIABILITY.into() })
}
