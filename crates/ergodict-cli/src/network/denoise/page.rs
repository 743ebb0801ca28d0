//! The page of `ergodict network denoise`: what the scores are like, what they rest on, and which pairs to look at first.

use super::summary::Denoised;
use crate::page::short;
use crate::rerun;
use ergodict::denoise::ensemble::{HeadReport, MISSING};
use ergodict::denoise::features::Group;
use ergodict_report::bars::{Bar, BarChart};
use ergodict_report::histogram::Bins;
use ergodict_report::{Figure, LineChart, Report, Series, Table};

/// Pairs that are listed.
pub(in crate::network) const LISTED: usize = 25;
/// Features that are listed.
const FEATURES: usize = 20;
/// Bins of the distribution of scores.
const BINS: usize = 40;

const SCORES: &str = "
    How the scores are spread over forty intervals. Two humps mean that the method tells two kinds of pairs apart; one
    broad hump, that it is unsure. Only the order of scores has a meaning of its own.";

const RELIABILITY: &str = "
    Edges were hidden for a test, and each pair got the probability of being one of them, by pairs that it was not among. Each point
    has about as many hidden edges as the others: on the straight line, probabilities are shares.";

/// A pair to look at, with its score and degrees.
pub(in crate::network) struct Suspect {
    pub(in crate::network) pair: (String, String),
    pub(in crate::network) score: f64,
    pub(in crate::network) probability: Option<f64>,
    pub(in crate::network) degrees: (usize, usize),
    pub(in crate::network) common: usize,
    /// What speaks most for a missing edge, in words.
    pub(in crate::network) reasons: String,
}

/// What the page shows besides.
pub(in crate::network) struct Shown {
    pub(in crate::network) suspects: Vec<Suspect>,
    /// Scores of observed edges, and of other pairs.
    pub(in crate::network) edges: Vec<f64>,
    pub(in crate::network) others: Vec<f64>,
}

impl Denoised<'_> {
    pub(in crate::network) fn page(&self, shown: &Shown) -> Report {
        let network = short(&self.network);
        let report = Report::new(format!("Doubtful pairs of {network}")).lead(self.lead(&network));
        let report = report.table(self.first(shown)).figure(scores(shown));
        let report = self.scored.heads.iter().filter_map(reliability).fold(report, Report::figure);
        let report = self.scored.heads.iter().fold(report, |report, head| self.head(report, head));
        let mut facts = vec![
            ("network", self.network.clone()),
            ("pairs", format!("{}, {} of them observed edges", self.pairs, self.observed)),
            ("method", self.method.to_string()),
            ("noise", self.assumed.clone()),
        ];
        facts.extend(self.scored.notes.iter().map(|note| ("note", note.clone())));
        facts.push(("seed", self.config["seed"].to_string()));
        facts.push(("version", format!("ergodict {}", env!("CARGO_PKG_VERSION"))));
        facts.push(("time", format!("{:.2} s", self.seconds.as_secs_f64())));
        facts.extend(self.inputs.iter().map(|input| ("input", crate::page::input(input))));
        // The pairs are among the flags.
        let inputs = std::slice::from_ref(&self.network);
        let command = rerun::command("network denoise", &self.config, inputs, "-o scores.tsv");
        report.facts(&facts).code("Run it again", command)
    }

    fn lead(&self, network: &str) -> String {
        let what = match self.assumed.as_str() {
            "added" => "how much each looks like a true edge, if some edges of the network are false",
            "removed" => "how much each looks like an edge that is missing from the network",
            _ => "how much each looks like a true edge, if some edges are false and some are missing",
        };
        let finding = self.expected.map_or_else(String::new, |expected| {
            let sentence = expected.sentence();
            format!("{}{}. ", sentence[..1].to_uppercase(), &sentence[1..])
        });
        let mut lead = format!(
            "{finding}{} pairs of nodes of {network}, scored by {}: {what}. Nothing but the network itself was looked at.",
            self.pairs, self.method
        );
        for head in &self.scored.heads {
            if let Some(share) = head.false_share {
                lead = format!(
                    "{lead} An estimated {:.0} % of the observed edges look as if put in at random.",
                    100.0 * share
                );
            }
            if let Some(auc) = head.held_out {
                lead = format!(
                    "{lead} On edges {} for a test the scores have an AUC of {auc:.4}: so often a true pair scores above a false one \
                     (½ is chance). That is how well it knows its own labels, not how well it finds real errors.",
                    if head.noise.word() == "added" { "put in" } else { "hidden" }
                );
            }
        }
        lead
    }

    /// The pairs that matter most.
    fn first(&self, shown: &Shown) -> Table {
        let missing = self.assumed == "removed";
        let rows = shown.suspects.iter().enumerate().map(|(rank, one)| {
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
        let head = ["rank", "u", "v", "score", "probability", "degrees", "common neighbors", "speaks for it"];
        // Only missing edges have reasons.
        let columns = if missing { head.len() } else { head.len() - 1 };
        let (title, words) = if missing {
            (
                "Perhaps missing",
                format!(
                    "The pairs that look most like edges that are missing. Probabilities are for {:.0} % of the true edges missing. \
                     What speaks for a pair are features with what they add to its log odds.",
                    100.0 * self.expected.map_or(MISSING, |expected| expected.share)
                ),
            )
        } else {
            (
                "Most suspicious",
                "The pairs that look least like true edges, the most suspicious first.".to_owned(),
            )
        };
        Table {
            title: title.into(),
            head: head[..columns].iter().map(|&name| name.to_owned()).collect(),
            rows: rows.map(|row| row[..columns].to_vec()).collect(),
            words: format!(
                "{words} Beside the score: the neighbors of either node, and those they share. The table that was written has {}.",
                crate::page::count(self.written, "pair", "pairs")
            ),
        }
    }

    /// What a head rests on.
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
        let several = self.scored.heads.len() > 1;
        let which = if several { format!(" for {} edges", head.noise.word()) } else { String::new() };
        let rest = head.features.len().saturating_sub(FEATURES);
        let rest = if rest > 0 { format!(" {rest} more matter less.") } else { String::new() };
        report.table(Table {
            title: format!("What the scores rest on{which}"),
            head: ["feature", "kind", "AUC lost without it", "spread of its term"].map(str::to_owned).to_vec(),
            rows: rows.collect(),
            words: format!(
                "A logistic head was trained on {} pairs in {} splits made from the network itself. For each feature: what the AUC of training \
                 loses when it is held at its mean, and how much its term varies from pair to pair (in units of the logit). Features that \
                 say the same share what they say, so that each alone may look dispensable.{rest}",
                head.training_pairs, head.splits
            ),
        })
    }
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
    let chart = LineChart {
        x_label: "predicted probability".into(),
        y_label: "share of hidden edges".into(),
        series: vec![
            Series::new("hidden edges", points),
            Series::new("perfect", vec![(0.0, 0.0), (most, most)]),
        ],
        ..LineChart::default()
    };
    Some(Figure { title: "Reliability".into(), svg: chart.svg(), words: RELIABILITY.into() })
}

fn scores(shown: &Shown) -> Figure {
    let bins = Bins::over(shown.edges.iter().chain(&shown.others), BINS);
    let both = !shown.edges.is_empty() && !shown.others.is_empty();
    if let Some(bins) = bins.filter(|_| !both) {
        let counts = bins.counts(shown.edges.iter().chain(&shown.others));
        let bar = |(i, n): (usize, &u64)| {
            let (from, to) = (bins.edge(i), bins.edge(i + 1));
            Bar { from, to, value: *n as f64, label: None }
        };
        let bars = counts.iter().enumerate().map(bar).collect();
        let svg =
            BarChart { x_label: "score".into(), y_label: "pairs".into(), bars, ..BarChart::default() }.svg();
        return Figure { title: "Scores".into(), svg, words: SCORES.into() };
    }
    let steps = |name: &str, of: &[f64]| {
        let points = bins.map_or_else(Vec::new, |bins| bins.steps(&bins.counts(of)));
        (!of.is_empty()).then(|| Series::new(name, points))
    };
    let series = [steps("observed edges", &shown.edges), steps("other pairs", &shown.others)];
    let chart = LineChart {
        x_label: "score".into(),
        y_label: "share of pairs".into(),
        series: series.into_iter().flatten().collect(),
        ..LineChart::default()
    };
    Figure { title: "Scores".into(), svg: chart.svg(), words: SCORES.into() }
}
