//! What an evaluation comes to: in words and as JSON.

use crate::words::table;
use anyhow::Result;
use ergodict::denoise::delong::{Area, area, compare};
use ergodict::denoise::roc::{Point, Ranked};
use ergodict_report::Table;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::Path;

/// Points of a curve that a summary keeps: as fine as a chart can show.
const KEPT: usize = 200;

/// Pairs whose truth is known.
pub(super) struct Labelled {
    pub(super) pairs: Vec<(String, String)>,
    pub(super) labels: Vec<bool>,
    /// What each is, where that is told.
    pub(super) kinds: Option<Vec<String>>,
}

impl Labelled {
    /// All pairs, or the true ones with each kind of false ones: a name and the rows.
    fn groups(&self) -> Vec<(String, Vec<usize>)> {
        let all = || vec![("all".to_owned(), (0..self.labels.len()).collect())];
        let Some(kinds) = &self.kinds else { return all() };
        let mut false_kinds: Vec<&String> = Vec::new();
        for (kind, label) in kinds.iter().zip(&self.labels) {
            if !label && !false_kinds.contains(&kind) {
                false_kinds.push(kind);
            }
        }
        if false_kinds.len() < 2 {
            return all();
        }
        let rows =
            |kind: &String| (0..kinds.len()).filter(|&row| self.labels[row] || kinds[row] == *kind).collect();
        false_kinds.into_iter().map(|kind| (kind.clone(), rows(kind))).collect()
    }
}

/// One table of scores against one kind of false pairs.
pub(super) struct Found {
    pub(super) scores: String,
    pub(super) missing: u64,
    pub(super) ranked: Ranked,
    pub(super) area: Area,
    pub(super) interval: (f64, f64),
    pub(super) best: Point,
}

/// All tables against one kind of false pairs.
pub(super) struct Group {
    pub(super) negatives: String,
    pub(super) found: Vec<Found>,
    /// Each against the first: its name, the difference, the interval of that.
    pub(super) against_first: Vec<(String, Area, (f64, f64))>,
}

/// What it comes to.
pub(super) struct Outcome {
    pub(super) groups: Vec<Group>,
    pub(super) confidence: f64,
}

impl Outcome {
    pub(super) fn of(
        labelled: &Labelled,
        scores: &[(String, Vec<f64>, u64)],
        confidence: f64,
    ) -> Result<Self> {
        let mut groups = Vec::new();
        for (negatives, rows) in labelled.groups() {
            let labels: Vec<bool> = rows.iter().map(|&row| labelled.labels[row]).collect();
            let of_rows = |scores: &[f64]| -> Vec<f64> { rows.iter().map(|&row| scores[row]).collect() };
            let mut group = Group { negatives, found: Vec::new(), against_first: Vec::new() };
            let mut first: Option<Vec<f64>> = None;
            for (name, scores, missing) in scores {
                let scores = of_rows(scores);
                let area = area(&scores, &labels)?;
                let ranked = Ranked::new(&scores, &labels)?;
                let best = ranked.best_threshold();
                let interval = area.interval(confidence)?;
                group.found.push(Found {
                    scores: name.clone(),
                    missing: *missing,
                    ranked,
                    area,
                    interval,
                    best,
                });
                match &first {
                    None => first = Some(scores),
                    Some(first) => {
                        let difference = compare(&scores, first, &labels)?;
                        let interval = difference.plain_interval(confidence)?;
                        group.against_first.push((name.clone(), difference, interval));
                    }
                }
            }
            groups.push(group);
        }
        Ok(Self { groups, confidence })
    }

    pub(super) fn percent(&self) -> String {
        format!("{} %", (1000.0 * self.confidence).round() / 10.0)
    }

    /// The head of a group.
    pub(super) fn head(&self, group: &Group) -> String {
        let of = &group.found[0].ranked;
        let kind = if self.groups.len() > 1 { format!(" ({})", group.negatives) } else { String::new() };
        format!("{} true against {} false pairs{kind}", of.positives(), of.negatives())
    }

    pub(super) fn rows(group: &Group) -> Vec<Vec<String>> {
        let row = |found: &Found| {
            let (low, high) = found.interval;
            let best = &found.best;
            vec![
                found.scores.clone(),
                format!("{:.4}", found.area.value),
                format!("{low:.4} to {high:.4}"),
                format!("{:.4}", found.ranked.average_precision()),
                format!("{:.6}", best.threshold),
                format!("{:.3}", best.true_positive_rate),
                format!("{:.3}", best.false_positive_rate),
            ]
        };
        group.found.iter().map(row).collect()
    }

    pub(super) fn columns(&self) -> Vec<String> {
        let head = ["scores", "AUC", &self.percent(), "AP", "threshold", "true found", "false let in"];
        head.map(str::to_owned).to_vec()
    }

    /// Each table of scores against the first.
    pub(super) fn differences(&self, group: &Group) -> Table {
        let rows = group.against_first.iter().map(|(name, difference, (low, high))| {
            vec![
                name.clone(),
                format!("{:+.4}", difference.value),
                format!("{low:+.4} to {high:+.4}"),
                format!("{:.2e}", difference.p_value()),
            ]
        });
        let first = &group.found[0].scores;
        Table {
            title: format!("Against {first}"),
            head: ["scores", "AUC difference", &self.percent(), "p"].map(str::to_owned).to_vec(),
            rows: rows.collect(),
            words: "The difference of two areas on the same pairs, its interval, and the two-sided p-value of no difference.".into(),
        }
    }

    /// Lines for people.
    pub(super) fn words(&self) -> String {
        let mut text = String::new();
        for group in &self.groups {
            let _ = writeln!(text, "{}", self.head(group));
            let mut rows = vec![self.columns()];
            rows.extend(Self::rows(group));
            let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
            for row in &rows {
                let cells = row.iter().enumerate().map(|(at, cell)| {
                    let width = width(at);
                    if at == 0 { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
                });
                let _ = writeln!(text, "  {}", cells.collect::<Vec<_>>().join("  "));
            }
            let first = &group.found[0].scores;
            let lines = group.against_first.iter().map(|(name, difference, (low, high))| {
                let text = format!(
                    "{:+.4} AUC against {first}, {} from {low:+.4} to {high:+.4}, p = {:.2e}",
                    difference.value,
                    self.percent(),
                    difference.p_value()
                );
                (name.as_str(), text)
            });
            let lines: Vec<(&str, String)> = lines.collect();
            if !lines.is_empty() {
                let _ = writeln!(text, "{}", table(&lines));
            }
        }
        text
    }

    /// Every AUC, and whose it is.
    pub(super) fn areas(&self) -> impl Iterator<Item = (&str, f64)> {
        let found = self.groups.iter().flat_map(|group| &group.found);
        found.map(|found| (&*found.scores, found.area.value))
    }

    pub(super) fn json(&self, labels: &Path) -> Value {
        let groups = self.groups.iter().map(|group| {
            let found = group.found.iter().map(|found| {
                json!({
                    "scores": found.scores,
                    "missing": found.missing,
                    "auc": found.area.value,
                    "auc_standard_error": found.area.standard_error(),
                    "auc_interval": [found.interval.0, found.interval.1],
                    "average_precision": found.ranked.average_precision(),
                    "best_threshold": found.best.threshold,
                    "best_true_positive_rate": found.best.true_positive_rate,
                    "best_false_positive_rate": found.best.false_positive_rate,
                    "roc": found
                        .ranked
                        .thinned_curve(KEPT)
                        .iter()
                        .map(|p| [p.false_positive_rate, p.true_positive_rate])
                        .collect::<Vec<_>>(),
                })
            });
            let differences = group.against_first.iter().map(|(name, difference, (low, high))| {
                json!({
                    "scores": name,
                    "against": group.found[0].scores,
                    "auc_difference": difference.value,
                    "interval": [low, high],
                    "p_value": difference.p_value(),
                })
            });
            json!({
                "negatives": group.negatives,
                "positive_pairs": group.found[0].ranked.positives(),
                "negative_pairs": group.found[0].ranked.negatives(),
                "results": found.collect::<Vec<_>>(),
                "differences": differences.collect::<Vec<_>>(),
            })
        });
        json!({
            "schema": "ergodict.evaluate/1",
            "labels": labels,
            "confidence": self.confidence,
            "config": crate::resolved::config(),
            "groups": groups.collect::<Vec<_>>(),
        })
    }
}
