//! The result of an evaluation: in words and as JSON.

use crate::summary::Summary;
use crate::text::table;
use ergodict::denoise::calibration::{Bin, Calibration};
use ergodict::denoise::delong::Area;
use ergodict_pages::evaluation::{Evaluation, Group, ScoreEvaluation};
use ergodict_report::words::number;
use serde::Serialize;
use std::fmt::Write as _;
use std::path::Path;

/// Points of a curve that a summary keeps: as fine as a chart can show.
const KEPT: usize = 200;

/// Lines for people.
fn words(evaluation: &Evaluation) -> String {
    let mut text = String::new();
    for group in &evaluation.groups {
        let _ = writeln!(text, "{}", evaluation.heading(group));
        let mut rows = vec![evaluation.columns(group)];
        rows.extend(Evaluation::rows(group));
        let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        for row in &rows {
            let cells = row.iter().enumerate().map(|(at, cell)| {
                let width = width(at);
                if at == 0 { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
            });
            let _ = writeln!(text, "  {}", cells.collect::<Vec<_>>().join("  "));
        }
        for (name, predicted, share) in group.found.iter().filter_map(ScoreEvaluation::shifted) {
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
                "{:+.4} AUC against {first}, {} from {low:+.4} to {high:+.4}, p = {}",
                difference.value,
                evaluation.percent(),
                number(difference.p_value())
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
pub(super) fn areas(evaluation: &Evaluation) -> impl Iterator<Item = (&str, f64)> {
    let found = evaluation.groups.iter().flat_map(|group| &group.found);
    found.map(|found| (&*found.scores, found.area.value))
}

/// The summary of it.
pub(super) fn summarize<'a>(
    evaluation: &'a Evaluation,
    labels: &'a Path,
    written: Vec<(&'static str, String)>,
) -> EvaluateSummary<'a> {
    let bin = |bin: &Bin| CalibrationBin {
        pairs: bin.pairs,
        predicted: bin.predicted,
        observed: bin.observed(),
        interval: bin.interval(evaluation.confidence).unwrap_or((0.0, 1.0)),
    };
    let result = |found: &'a ScoreEvaluation| ScoresResult {
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
    let groups = evaluation.groups.iter().map(group).collect();
    EvaluateSummary { labels, confidence: evaluation.confidence, groups, outcome: evaluation, written }
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
    outcome: &'a Evaluation,
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
        words(self.outcome)
    }
}
