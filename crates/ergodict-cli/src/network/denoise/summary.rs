//! The summary of denoising.

use crate::summary::Summary;
use ergodict::model::Input;
use ergodict_pages::denoising::{DenoisingPage, Doubtful, Expected, Suspect, blend};
use ergodict_report::words::count;
use serde::Serialize;
use serde_json::Value;
use std::path::Path;

/// Most important features that are printed.
const NAMED: usize = 6;

/// First pairs that are printed.
const FIRST: usize = 5;

/// A finished run.
pub(in crate::network) struct Denoised<'a> {
    pub(in crate::network) out: &'a Path,
    /// Whether the noise is assumed by default.
    pub(in crate::network) guessed: bool,
    /// Where not all pairs without an edge were scored, which were.
    pub(in crate::network) candidates: Option<String>,
    /// What its page shows.
    pub(in crate::network) page: DenoisingPage,
}

impl Denoised<'_> {
    fn lines(&self) -> Vec<(&str, String)> {
        let guessed = if self.guessed { " (change with --noise)" } else { "" };
        let meaning = match self.page.noise() {
            "added" => "false edges were added",
            "removed" => "true edges were removed",
            _ => {
                "false edges were added and true ones removed; scores of observed edges and of other pairs are on different scales"
            }
        };
        let mut lines: Vec<(&str, String)> = Vec::new();
        lines.extend(self.page.findings().into_iter().map(|text| ("", text)));
        lines.extend(self.first().into_iter().map(|text| ("", text)));
        lines.extend(self.page.self_tests().into_iter().map(|text| ("self-test", text)));
        lines.push(("assumed", format!("{meaning}{guessed}")));
        lines.extend(self.candidates.iter().map(|note| ("candidates", note.clone())));
        lines.extend(self.page.notes.iter().map(|note| ("note", note.clone())));
        lines.extend(self.page.warnings().into_iter().map(|text| ("warning", text)));
        let pairs = count(self.page.run.written, "pair", "pairs");
        lines.push(("wrote", format!("{} ({pairs})", self.out.display())));
        lines
    }

    /// The first pairs as a table.
    fn first(&self) -> Vec<String> {
        let first = &self.page.first[..self.page.first.len().min(FIRST)];
        if first.is_empty() {
            return Vec::new();
        }
        let has_probability = first.iter().any(|one| one.probability.is_some());
        let (title, node, probability) = match self.page.noise() {
            "removed" => ("Most likely missing edges", "pair", "P(missing)"),
            "added" => ("Most suspicious edges", "edge", "P(not random)"),
            _ => ("Most suspicious pairs", "pair", "probability"),
        };
        let meaning = if has_probability { "" } else { "; scores rank, they are not probabilities" };
        let mut head = vec!["score".to_owned()];
        head.extend(has_probability.then(|| probability.to_owned()));
        head.extend([node, "degrees", "common neighbors"].map(str::to_owned));
        let row = |one: &Suspect| {
            let mut row = vec![format!("{:.3}", one.score)];
            row.extend(has_probability.then(|| {
                one.probability.map_or("–".to_owned(), |probability| format!("{probability:.3}"))
            }));
            row.extend([
                format!("{} – {}", one.pair.0, one.pair.1),
                format!("{}, {}", one.degrees.0, one.degrees.1),
                one.common.to_string(),
            ]);
            row
        };
        let rows: Vec<Vec<String>> = std::iter::once(head).chain(first.iter().map(row)).collect();
        let names = rows[0].len() - 3;
        let width = |at: usize| rows.iter().map(|row| row[at].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..rows[0].len()).map(width).collect();
        let line = |row: &Vec<String>| {
            let cells = row.iter().zip(&widths).enumerate().map(|(at, (cell, &width))| {
                if at == names { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
            });
            format!("  {}", cells.collect::<Vec<_>>().join("  "))
        };
        let rows = rows.iter().map(line);
        std::iter::once(format!("{title} of {} scored{meaning}:", self.page.pairs)).chain(rows).collect()
    }

    fn details(&self) -> Vec<(&str, String)> {
        let mut lines =
            vec![("method", format!("{} ({} observed edges)", self.page.run.method, self.page.observed))];
        for head in &self.page.heads {
            let mut features: Vec<(&str, f64)> =
                head.features.iter().map(|(name, _, importance)| (&**name, importance.auc_drop)).collect();
            features.sort_by(|a, b| b.1.total_cmp(&a.1));
            let named = features.iter().take(NAMED).map(|(name, drop)| format!("{name} {drop:.4}"));
            let named = named.collect::<Vec<_>>().join(", ");
            let rest = features.len().saturating_sub(NAMED);
            let rest = if rest > 0 { format!(", {rest} more") } else { String::new() };
            let under = if self.page.heads.len() > 1 {
                format!("for {} edges: ", head.noise.word())
            } else {
                String::new()
            };
            if !features.is_empty() {
                lines.push(("features", format!("{under}{named}{rest} (drop in training AUC without each)")));
            }
            if let Some(precision) = head.average_precision {
                let shares = blend(head);
                let text = format!(
                    "{under}{shares}; average precision {precision:.3} of hidden edges among non-edges"
                );
                lines.push(("blend", text));
            }
        }
        lines.push(("time", format!("{:.2} s", self.page.run.seconds)));
        lines
    }

    /// The summary of it.
    pub(in crate::network) fn summary(&self, shown: Vec<(&'static str, String)>) -> DenoiseSummary<'_> {
        let heads = self.page.heads.iter().map(|head| {
            let features = head.features.iter().map(|(name, group, importance)| FeatureSummary {
                name,
                group: group.letter(),
                auc_drop: importance.auc_drop,
            });
            HeadSummary {
                noise: head.noise.word(),
                splits: head.splits,
                training_pairs: head.training_pairs,
                held_out_auc: head.held_out,
                average_precision: head.average_precision,
                blend: head.blend.iter().cloned().collect(),
                false_share: head.false_share,
                reliability: head.reliability.iter().map(|bin| [bin.predicted, bin.observed]).collect(),
                features: features.collect(),
            }
        });
        DenoiseSummary {
            out: self.out,
            network: &self.page.run.network,
            inputs: &self.page.run.inputs,
            pairs: self.page.pairs,
            pairs_written: self.page.run.written,
            observed_pairs: self.page.observed,
            method: &self.page.run.method,
            noise: self.page.noise(),
            expected: self.page.expected,
            expected_false: self.page.doubtful,
            first: self.page.first.iter().take(FIRST).map(PairSummary::new).collect(),
            heads: heads.collect(),
            notes: &self.page.notes,
            seconds: self.page.run.seconds,
            denoised: self,
            shown,
        }
    }
}

/// `ergodict network denoise`
#[derive(Serialize)]
pub(in crate::network) struct DenoiseSummary<'a> {
    /// File of the scores
    out: &'a Path,
    /// File of the network without folders, or `@name`
    network: &'a str,
    /// Files that were read
    inputs: &'a [Input],
    /// Pairs that were scored
    pairs: usize,
    /// Pairs that were written
    pairs_written: usize,
    /// Scored pairs that are edges of the observed network
    observed_pairs: usize,
    /// Method
    method: &'a str,
    /// What was assumed: `added`, `removed` or `both`
    noise: &'a str,
    /// What is expected of the pairs that come first; `null` unless missing edges are looked for by `ensemble`
    expected: Option<Expected>,
    /// What is expected of the first 50 edges; `null` unless false edges are looked for by `ensemble`
    expected_false: Option<Doubtful>,
    /// The first 5 pairs
    first: Vec<PairSummary<'a>>,
    /// Classifiers of trained methods, one for each kind of noise
    heads: Vec<HeadSummary<'a>>,
    /// Notes, as sentences
    notes: &'a [String],
    /// Time of all
    seconds: f64,
    #[serde(skip)]
    denoised: &'a Denoised<'a>,
    #[serde(skip)]
    shown: Vec<(&'static str, String)>,
}

#[derive(Serialize)]
struct PairSummary<'a> {
    /// Names of the nodes
    pair: [&'a str; 2],
    /// Score
    score: f64,
    /// Probability of a missing edge, or that an observed edge is not a random pair; `null` unless the method is `ensemble`
    probability: Option<f64>,
    /// Degrees of the nodes
    degrees: [usize; 2],
    /// Common neighbors
    common_neighbors: usize,
    /// Features that add most to the log odds of a missing edge, or subtract most from those of an observed one
    reasons: &'a str,
}

impl<'a> PairSummary<'a> {
    fn new(suspect: &'a Suspect) -> Self {
        Self {
            pair: [&suspect.pair.0, &suspect.pair.1],
            score: suspect.score,
            probability: suspect.probability,
            degrees: [suspect.degrees.0, suspect.degrees.1],
            common_neighbors: suspect.common,
            reasons: &suspect.reasons,
        }
    }
}

#[derive(Serialize)]
struct HeadSummary<'a> {
    /// `added` or `removed`
    noise: &'static str,
    /// Splits of the network that labels were made with
    splits: usize,
    /// Pairs trained with
    training_pairs: usize,
    /// AUC of hidden edges, or of observed ones (false ones among them), against pairs without an edge, held out
    held_out_auc: Option<f64>,
    /// Average precision of hidden edges among all non-edges; `null` for added edges
    average_precision: Option<f64>,
    /// Components of the average for removed edges, and their shares
    blend: std::collections::BTreeMap<String, f64>,
    /// Estimated share of observed edges that look like random pairs: false, or true without a pattern; `null` for removed edges
    false_share: Option<f64>,
    /// Where edges are missing, mean probability and share of hidden edges in bins of pairs that it was not fitted on
    reliability: Vec<[f64; 2]>,
    /// Features of a pair
    features: Vec<FeatureSummary<'a>>,
}

#[derive(Serialize)]
struct FeatureSummary<'a> {
    /// Name of the feature
    name: &'a str,
    /// Group it belongs to, a letter
    group: char,
    /// Drop in training AUC without it
    auc_drop: f64,
}

impl Summary for DenoiseSummary<'_> {
    const SCHEMA: &'static str = "ergodict.network-denoise/1";

    fn lines(&self) -> Vec<(&str, String)> {
        let mut lines = self.denoised.lines();
        lines.extend(self.shown.clone());
        lines
    }

    fn details(&self) -> Vec<(&str, String)> {
        self.denoised.details()
    }

    fn config(&self) -> Value {
        self.denoised.page.run.config.clone()
    }
}
