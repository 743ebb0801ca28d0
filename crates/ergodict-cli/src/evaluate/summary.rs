//! What an evaluation comes to: in words and as JSON.

use crate::summary::Summary;
use crate::text::table;
use anyhow::Result;
use ergodict::denoise::calibration::{Bin, Calibration};
use ergodict::denoise::delong::{Area, area, compare};
use ergodict::denoise::roc::{Point, Ranked};
use ergodict_report::Table;
use serde::Serialize;
use std::fmt::Write as _;
use std::path::Path;

/// Points of a curve that a summary keeps: as fine as a chart can show.
const KEPT: usize = 200;

/// Lengths of the lists whose precision is measured.
const LISTS: [u64; 2] = [20, 100];

/// A larger difference of mean probability and share of true pairs is printed.
const SHIFT: f64 = 0.2;

/// A table of scores, one for each labeled pair.
pub(super) struct Scored {
    pub(super) name: String,
    /// The lowest of all numbers where there is none.
    pub(super) scores: Vec<f64>,
    pub(super) probabilities: Option<Vec<Option<f64>>>,
    /// How many there are none of.
    pub(super) missing: u64,
}

/// Pairs whose truth is known.
pub(super) struct Labeled {
    pub(super) pairs: Vec<(String, String)>,
    pub(super) labels: Vec<bool>,
    /// What each is, where that is told.
    pub(super) kinds: Option<Vec<String>>,
}

impl Labeled {
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
    pub(super) calibration: Option<Calibration>,
}

impl Found {
    /// The mean probability and the share of true pairs, where they are far apart: usually labeled pairs are then a selection.
    fn shifted(&self) -> Option<(&str, f64, f64)> {
        let bins = &self.calibration.as_ref()?.bins;
        let pairs: f64 = bins.iter().map(|bin| bin.pairs as f64).sum();
        let predicted = bins.iter().map(|bin| bin.pairs as f64 * bin.predicted).sum::<f64>() / pairs;
        let share = bins.iter().map(|bin| bin.positives as f64).sum::<f64>() / pairs;
        ((predicted - share).abs() > SHIFT).then_some((&*self.scores, predicted, share))
    }

    /// Shares of true pairs at the top and of false ones at the end, for each length of a list.
    fn lists(&self) -> [(Option<f64>, Option<f64>); 2] {
        LISTS.map(|n| (self.ranked.precision_at(n), self.ranked.false_share_at(n)))
    }
}

/// All tables against one kind of false pairs.
pub(super) struct Group {
    pub(super) negatives: String,
    pub(super) found: Vec<Found>,
    /// Each against the first: its name, the difference, the interval of that.
    pub(super) against_first: Vec<(String, Area, (f64, f64))>,
}

impl Group {
    /// Whether a table has probabilities.
    fn is_calibrated(&self) -> bool {
        self.found.iter().any(|found| found.calibration.is_some())
    }
}

/// Calibration of the pairs that have a probability; none where they are of one class.
fn calibration(all: &[Option<f64>], rows: &[usize], labels: &[bool]) -> Result<Option<Calibration>> {
    let known = rows.iter().zip(labels).filter_map(|(&row, &label)| all[row].map(|p| (p, label)));
    let (probabilities, labels): (Vec<f64>, Vec<bool>) = known.unzip();
    if !labels.contains(&true) || !labels.contains(&false) {
        return Ok(None);
    }
    Ok(Some(Calibration::new(&probabilities, &labels)?))
}

/// What it comes to.
pub(super) struct Outcome {
    pub(super) groups: Vec<Group>,
    pub(super) confidence: f64,
}

impl Outcome {
    pub(super) fn measure(labeled: &Labeled, scores: &[Scored], confidence: f64) -> Result<Self> {
        let mut groups = Vec::new();
        for (negatives, rows) in labeled.groups() {
            let labels: Vec<bool> = rows.iter().map(|&row| labeled.labels[row]).collect();
            let of_rows = |scores: &[f64]| -> Vec<f64> { rows.iter().map(|&row| scores[row]).collect() };
            let mut group = Group { negatives, found: Vec::new(), against_first: Vec::new() };
            let mut first: Option<Vec<f64>> = None;
            for Scored { name, scores, probabilities, missing } in scores {
                let scores = of_rows(scores);
                let calibration = probabilities.as_ref().map(|all| calibration(all, &rows, &labels));
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
                    calibration: calibration.transpose()?.flatten(),
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
        let calibrated = group.is_calibrated();
        let row = |found: &Found| {
            let (low, high) = found.interval;
            let best = &found.best;
            let mut row = vec![
                found.scores.clone(),
                format!("{:.4}", found.area.value),
                format!("{low:.4} to {high:.4}"),
                format!("{:.4}", found.ranked.average_precision()),
            ];
            let share = |share: Option<f64>| share.map_or("–".to_owned(), |share| format!("{share:.3}"));
            let [(top, last), (more_top, more_last)] = found.lists();
            row.extend([top, more_top, last, more_last].map(share));
            if calibrated {
                row.push(share(found.calibration.as_ref().map(Calibration::error)));
            }
            row.extend([
                format!("{:.6}", best.threshold),
                format!("{:.3}", best.true_positive_rate),
                format!("{:.3}", best.false_positive_rate),
            ]);
            row
        };
        group.found.iter().map(row).collect()
    }

    pub(super) fn columns(&self, group: &Group) -> Vec<String> {
        let [few, more] = LISTS;
        let mut head = ["scores", "AUC", &self.percent(), "AP"].map(str::to_owned).to_vec();
        head.extend(["P", "F"].iter().flat_map(|what| [format!("{what}@{few}"), format!("{what}@{more}")]));
        head.extend(group.is_calibrated().then(|| "ECE".to_owned()));
        head.extend(["threshold", "TPR", "FPR"].map(str::to_owned));
        head
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
    fn words(&self) -> String {
        let mut text = String::new();
        for group in &self.groups {
            let _ = writeln!(text, "{}", self.head(group));
            let mut rows = vec![self.columns(group)];
            rows.extend(Self::rows(group));
            let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
            for row in &rows {
                let cells = row.iter().enumerate().map(|(at, cell)| {
                    let width = width(at);
                    if at == 0 { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
                });
                let _ = writeln!(text, "  {}", cells.collect::<Vec<_>>().join("  "));
            }
            for (name, predicted, share) in group.found.iter().filter_map(Found::shifted) {
                let _ = writeln!(
                    text,
                    "{name}: {:.0} % true by probability, {:.0} % by label; the ECE holds only where the labeled pairs are all candidates",
                    100.0 * predicted,
                    100.0 * share
                );
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

    /// What is told of it.
    pub(super) fn summary<'a>(
        &'a self,
        labels: &'a Path,
        written: Vec<(&'static str, String)>,
    ) -> EvaluateSummary<'a> {
        let bin = |bin: &Bin| CalibrationBin {
            pairs: bin.pairs,
            predicted: bin.predicted,
            observed: bin.observed(),
            interval: bin.interval(self.confidence).unwrap_or((0.0, 1.0)),
        };
        let result = |found: &'a Found| ScoresResult {
            scores: &found.scores,
            missing: found.missing,
            auc: found.area.value,
            auc_standard_error: found.area.standard_error(),
            auc_interval: found.interval,
            average_precision: found.ranked.average_precision(),
            precision_at_20: found.lists()[0].0,
            precision_at_100: found.lists()[1].0,
            false_share_at_20: found.lists()[0].1,
            false_share_at_100: found.lists()[1].1,
            calibration_error: found.calibration.as_ref().map(Calibration::error),
            calibration: found.calibration.as_ref().map(|all| all.bins.iter().map(bin).collect()),
            best_threshold: found.best.threshold,
            best_true_positive_rate: found.best.true_positive_rate,
            best_false_positive_rate: found.best.false_positive_rate,
            roc: found
                .ranked
                .thinned_curve(KEPT)
                .iter()
                .map(|p| (p.false_positive_rate, p.true_positive_rate))
                .collect(),
        };
        let group = |group: &'a Group| {
            let first = &group.found[0];
            let difference = |(name, area, interval): &'a (String, Area, (f64, f64))| ScoresDifference {
                scores: name,
                against: &first.scores,
                auc_difference: area.value,
                interval: *interval,
                p_value: area.p_value(),
            };
            GroupResult {
                negatives: &group.negatives,
                positive_pairs: first.ranked.positives(),
                negative_pairs: first.ranked.negatives(),
                results: group.found.iter().map(result).collect(),
                differences: group.against_first.iter().map(difference).collect(),
            }
        };
        let groups = self.groups.iter().map(group).collect();
        EvaluateSummary { labels, confidence: self.confidence, groups, outcome: self, written }
    }
}

/// `ergodict evaluate`
#[derive(Serialize)]
pub(super) struct EvaluateSummary<'a> {
    /// File of the labels
    labels: &'a Path,
    /// Probability that an interval holds
    confidence: f64,
    /// One for each kind of false pairs
    groups: Vec<GroupResult<'a>>,
    #[serde(skip)]
    outcome: &'a Outcome,
    #[serde(skip)]
    written: Vec<(&'static str, String)>,
}

/// All tables of scores against one kind of false pairs.
#[derive(Serialize)]
struct GroupResult<'a> {
    /// Kind of the false pairs, or `all`
    negatives: &'a str,
    /// Number of true pairs
    positive_pairs: u64,
    /// Number of false pairs
    negative_pairs: u64,
    /// One for each table of scores
    results: Vec<ScoresResult<'a>>,
    /// Each further table of scores against the first
    differences: Vec<ScoresDifference<'a>>,
}

#[derive(Serialize)]
struct ScoresResult<'a> {
    /// File of the scores
    scores: &'a str,
    /// Labeled pairs without a score in the file; they rank last
    missing: u64,
    /// Area under the ROC curve; ties count half
    auc: f64,
    /// Standard error of the area
    auc_standard_error: f64,
    /// Confidence interval of the area: DeLong's, of an area of 0 or 1 Newcombe's
    auc_interval: (f64, f64),
    /// Average precision
    average_precision: f64,
    /// Share of true pairs among the 20 highest scores, ties averaged; `null` where there are fewer pairs
    precision_at_20: Option<f64>,
    /// The same of the 100 highest
    precision_at_100: Option<f64>,
    /// Share of false pairs among the 20 lowest scores
    false_share_at_20: Option<f64>,
    /// The same of the 100 lowest
    false_share_at_100: Option<f64>,
    /// Expected calibration error of the column `probability`; `null` without one
    calibration_error: Option<f64>,
    /// Bins of pairs by ascending probability; `null` without such a column
    calibration: Option<Vec<CalibrationBin>>,
    /// Score that separates true from false pairs best
    best_threshold: f64,
    /// Share of true pairs at or above that threshold
    best_true_positive_rate: f64,
    /// Share of false pairs at or above that threshold
    best_false_positive_rate: f64,
    /// Some 200 points of the curve: false and true positive rate
    roc: Vec<(f64, f64)>,
}

#[derive(Serialize)]
struct CalibrationBin {
    /// Pairs of the bin
    pairs: u64,
    /// Their mean probability
    predicted: f64,
    /// Share of them that is true
    observed: f64,
    /// Wilson's confidence interval of that share
    interval: (f64, f64),
}

#[derive(Serialize)]
struct ScoresDifference<'a> {
    /// File of the scores
    scores: &'a str,
    /// File they are compared with
    against: &'a str,
    /// Difference of the areas
    auc_difference: f64,
    /// Its confidence interval
    interval: (f64, f64),
    /// Two-sided p-value of no difference
    p_value: f64,
}

impl Summary for EvaluateSummary<'_> {
    const SCHEMA: &'static str = "ergodict.evaluate/1";

    fn lines(&self) -> Vec<(&str, String)> {
        self.written.clone()
    }

    fn text(&self) -> String {
        self.outcome.words()
    }
}
