//! The page of an evaluation: curves of all tables of scores side by side, and how their scores are spread.

use crate::text::{list, short};
use ergodict::Result;
use ergodict::denoise::calibration::Calibration;
use ergodict::denoise::delong::{Area, area, compare};
use ergodict::denoise::roc::{Point, Ranked};
use ergodict_report::histogram::Bins;
use ergodict_report::words::{count, number};
use ergodict_report::{Figure, LineChart, Report, Series, Table};

/// Points of a curve that are drawn.
const DRAWN: usize = 400;
/// Bins of the distribution of scores.
const BINS: usize = 30;
/// Tables whose scores are drawn.
const MOST: usize = 6;
/// Larger p-values are of differences that are not significant.
const SIGNIFICANT: f64 = 0.05;

const ROC: &str = "
    True positive rate against false positive rate for every threshold; the diagonal is chance. The legend has AUCs with DeLong intervals.

    A curve below the diagonal usually means that labels or scores are reversed.";

const PRECISION: &str = "
    Precision against recall for every threshold; chance is the share of true pairs. If true pairs are rare, more informative than the ROC curve: the left end are the first pairs of the
    ranking.";

const SPREAD: &str = "
    Distribution of scores of true and of false pairs. Less overlap is better. Pairs without a score are not drawn.";

const RELIABILITY: &str = "
    Share of true pairs against predicted probability, in bins of equal size, with intervals. Calibrated probabilities are on the diagonal; below it they are too high. The legend has the
    expected calibration error.

    If the labeled pairs have a larger share of true ones than the pairs to predict, points are above the diagonal for that reason alone.";

/// Lengths of the lists whose precision is measured.
const LISTS: [u64; 2] = [20, 100];

/// A larger difference of mean probability and share of true pairs is printed.
const SHIFT: f64 = 0.2;

/// A table of scores, one for each labeled pair.
pub struct ScoreTable {
    /// What it is called.
    pub name: String,
    /// The lowest of all numbers where there is none.
    pub scores: Vec<f64>,
    /// The probability of each pair, where there are any.
    pub probabilities: Option<Vec<Option<f64>>>,
    /// How many there are none of.
    pub missing: u64,
}

/// What is known of pairs.
pub struct Truth {
    /// Whether each is true.
    pub labels: Vec<bool>,
    /// What each is, where it is known.
    pub kinds: Option<Vec<String>>,
}

impl Truth {
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
pub struct ScoreEvaluation {
    /// What the table is called.
    pub scores: String,
    /// Pairs without a score.
    pub missing: u64,
    /// Pairs by their scores.
    pub ranked: Ranked,
    /// The area under the ROC curve.
    pub area: Area,
    /// Its interval.
    pub interval: (f64, f64),
    /// The threshold that separates best.
    pub best: Point,
    /// What probabilities are worth, where there are any.
    pub calibration: Option<Calibration>,
}

impl ScoreEvaluation {
    /// The mean probability and the share of true pairs, where they are far apart: usually labeled pairs are then a selection.
    #[must_use]
    pub fn shifted(&self) -> Option<(&str, f64, f64)> {
        let bins = &self.calibration.as_ref()?.bins;
        let pairs: f64 = bins.iter().map(|bin| bin.pairs as f64).sum();
        let predicted = bins.iter().map(|bin| bin.pairs as f64 * bin.predicted).sum::<f64>() / pairs;
        let share = bins.iter().map(|bin| bin.positives as f64).sum::<f64>() / pairs;
        ((predicted - share).abs() > SHIFT).then_some((&*self.scores, predicted, share))
    }

    /// Shares of true pairs at the top and of false ones at the end, for each length of a list.
    #[must_use]
    pub fn lists(&self) -> [(Option<f64>, Option<f64>); 2] {
        LISTS.map(|n| (self.ranked.precision_at(n), self.ranked.false_share_at(n)))
    }
}

/// All tables against one kind of false pairs.
pub struct Group {
    /// The kind, or `all`.
    pub negatives: String,
    /// In the order of the tables.
    pub found: Vec<ScoreEvaluation>,
    /// Each against the first: its name, the difference, the interval of that.
    pub against_first: Vec<(String, Area, (f64, f64))>,
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

/// How well tables of scores find the true pairs.
pub struct Evaluation {
    /// One for each kind of false pairs.
    pub groups: Vec<Group>,
    /// The probability that an interval is to hold.
    pub confidence: f64,
}

impl Evaluation {
    /// Measures each table.
    ///
    /// # Errors
    /// [`Error`](ergodict::Error) where labels are all the same, or scores and probabilities are no numbers.
    pub fn measure(truth: &Truth, scores: &[ScoreTable], confidence: f64) -> Result<Self> {
        let mut groups = Vec::new();
        for (negatives, rows) in truth.groups() {
            let labels: Vec<bool> = rows.iter().map(|&row| truth.labels[row]).collect();
            let of_rows = |scores: &[f64]| -> Vec<f64> { rows.iter().map(|&row| scores[row]).collect() };
            let mut group = Group { negatives, found: Vec::new(), against_first: Vec::new() };
            let mut first: Option<Vec<f64>> = None;
            for ScoreTable { name, scores, probabilities, missing } in scores {
                let scores = of_rows(scores);
                let calibration = probabilities.as_ref().map(|all| calibration(all, &rows, &labels));
                let area = area(&scores, &labels)?;
                let ranked = Ranked::new(&scores, &labels)?;
                let best = ranked.best_threshold();
                let interval = area.interval(confidence)?;
                group.found.push(ScoreEvaluation {
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

    /// The confidence in words.
    #[must_use]
    pub fn percent(&self) -> String {
        format!("{} %", (1000.0 * self.confidence).round() / 10.0)
    }

    /// The heading of a group.
    #[must_use]
    pub fn heading(&self, group: &Group) -> String {
        let of = &group.found[0].ranked;
        let kind = if self.groups.len() > 1 { format!(" ({})", group.negatives) } else { String::new() };
        format!("{} true pairs, {} false pairs{kind}", of.positives(), of.negatives())
    }

    /// A row for each table of scores.
    #[must_use]
    pub fn rows(group: &Group) -> Vec<Vec<String>> {
        let calibrated = group.is_calibrated();
        let row = |found: &ScoreEvaluation| {
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
                number(best.threshold),
                format!("{:.3}", best.true_positive_rate),
                format!("{:.3}", best.false_positive_rate),
            ]);
            row
        };
        group.found.iter().map(row).collect()
    }

    /// The names of their columns.
    #[must_use]
    pub fn columns(&self, group: &Group) -> Vec<String> {
        let [few, more] = LISTS;
        let mut head = ["scores", "AUC", &self.percent(), "AP"].map(str::to_owned).to_vec();
        head.extend(["P", "F"].iter().flat_map(|what| [format!("{what}@{few}"), format!("{what}@{more}")]));
        head.extend(group.is_calibrated().then(|| "ECE".to_owned()));
        head.extend(["threshold", "TPR", "FPR"].map(str::to_owned));
        head
    }

    /// Each table of scores against the first.
    #[must_use]
    pub fn differences(&self, group: &Group) -> Table {
        let rows = group.against_first.iter().map(|(name, difference, (low, high))| {
            vec![
                name.clone(),
                format!("{:+.4}", difference.value),
                format!("{low:+.4} to {high:+.4}"),
                number(difference.p_value()),
            ]
        });
        let first = &group.found[0].scores;
        Table {
            title: format!("Compared with {first}"),
            head: ["scores", "AUC difference", &self.percent(), "p"].map(str::to_owned).to_vec(),
            rows: rows.collect(),
            words: "Difference of two AUCs on the same pairs, its interval, and the two-sided p-value."
                .into(),
        }
    }

    /// The page; `command`, if there is one, makes it again.
    #[must_use]
    pub fn page(&self, labels: &str, facts: &[(&str, String)], command: Option<&str>) -> Report {
        let mut report = Report::new(format!("Evaluation against {}", short(labels)))
            .lead(self.lead())
            .numbers(self.numbers());
        let several = self.groups.len() > 1;
        for group in &self.groups {
            if several {
                let title = format!("False pairs: {}", group.negatives);
                report = report.section(title, format!("{}.", self.heading(group)));
            }
            report = report.table(Table {
                title: "Scores".into(),
                head: self.columns(group),
                rows: Self::rows(group),
                words: format!(
                    "{}. AUC with confidence interval (DeLong; Newcombe at 0 and 1); average precision (AP); share of true pairs among the 20 and 100 highest scores (P@) \
                     and of false ones among the lowest (F@); threshold with the largest difference of TPR and FPR; expected calibration error \
                     (ECE) of probabilities. Another draw of the noise may differ by more.",
                    self.heading(group)
                ),
            });
            if !group.against_first.is_empty() {
                report = report.table(self.differences(group));
            }
            report = report.figure(roc(group)).figure(precision(group));
            report = reliability(group, self.confidence).into_iter().fold(report, Report::figure);
            report = spread(group).into_iter().fold(report, Report::figure);
        }
        let report = report.facts(facts);
        match command {
            Some(command) => report.code("Reproduce", command),
            None => report,
        }
    }

    /// The numbers at the top: the best AUC and average precision, and the pairs.
    fn numbers(&self) -> Vec<(String, String)> {
        let Some(group) = self.groups.first() else { return Vec::new() };
        let best = group.found.iter().max_by(|a, b| a.area.value.total_cmp(&b.area.value));
        let mut numbers: Vec<(String, String)> = Vec::new();
        if let Some(best) = best {
            let name = short(&best.scores);
            numbers.push((format!("{:.3}", best.area.value), format!("AUC of {name} (chance 0.5)")));
            numbers.push((format!("{:.3}", best.ranked.average_precision()), "average precision".to_owned()));
            let of = &best.ranked;
            numbers.push((
                format!("{} + {}", of.positives(), of.negatives()),
                "true and false pairs".to_owned(),
            ));
        }
        numbers
    }

    /// The result in words.
    fn lead(&self) -> String {
        let lead = "Edge scores compared with ground truth.";
        let Some(group) = self.groups.first() else { return lead.into() };
        let best = group.found.iter().max_by(|a, b| a.area.value.total_cmp(&b.area.value));
        let best = best.map_or_else(String::new, |best| {
            let (low, high) = best.interval;
            let which = if group.found.len() > 1 { "Highest AUC: " } else { "AUC: " };
            format!(
                " {which}{}, {:.3} ({} interval {low:.3} to {high:.3}; chance 0.5).{}",
                short(&best.scores),
                best.area.value,
                self.percent(),
                insignificant(group, &best.scores),
            )
        });
        let missing: u64 = group.found.iter().map(|found| found.missing).sum();
        let missing = if missing > 0 {
            format!(" {} had no score and rank last.", count(missing as usize, "pair", "pairs"))
        } else {
            String::new()
        };
        format!("{lead}{best}{missing}")
    }
}

/// The scores from which the best ones do not differ, as far as all are compared with the first.
fn insignificant(group: &Group, best: &str) -> String {
    let first = &group.found[0].scores;
    let differs = |(name, difference, _): &&(String, Area, (f64, f64))| {
        (first == best || name == best) && difference.p_value() >= SIGNIFICANT
    };
    let other = |(name, ..): &(String, Area, (f64, f64))| short(if first == best { name } else { first });
    let names: Vec<String> = group.against_first.iter().filter(differs).map(other).collect();
    if names.is_empty() {
        return String::new();
    }
    format!(" The difference from {} is not significant (p ≥ {SIGNIFICANT}).", list(&names))
}

fn name(found: &ScoreEvaluation) -> String {
    let (low, high) = found.interval;
    format!("{} {:.3} ({low:.3}–{high:.3})", short(&found.scores), found.area.value)
}

fn roc(group: &Group) -> Figure {
    let series = group.found.iter().map(|found| {
        let points = found.ranked.thinned_curve(DRAWN);
        let points: Vec<_> = points.iter().map(|p| (p.false_positive_rate, p.true_positive_rate)).collect();
        Series::new(name(found), points)
    });
    let chart = LineChart::roc(series.collect());
    Figure { title: "ROC curves".into(), svg: chart.svg(), words: ROC.into() }
}

fn precision(group: &Group) -> Figure {
    let series = group.found.iter().map(|found| {
        let (positives, negatives) = (found.ranked.positives() as f64, found.ranked.negatives() as f64);
        let points = found.ranked.curve();
        let points = points.iter().filter(|p| p.true_positive_rate > 0.0).map(|p| {
            let (hits, wrong) = (p.true_positive_rate * positives, p.false_positive_rate * negatives);
            (p.true_positive_rate, hits / (hits + wrong))
        });
        let points: Vec<(f64, f64)> = points.collect();
        let every = points.len().div_ceil(DRAWN).max(1);
        let last = points.last().copied().filter(|_| !(points.len() - 1).is_multiple_of(every));
        let mut thin: Vec<_> = points.iter().copied().step_by(every).collect();
        thin.extend(last);
        Series::new(format!("{} {:.3}", short(&found.scores), found.ranked.average_precision()), thin)
    });
    let chart = LineChart {
        x_label: "recall".into(),
        y_label: "precision".into(),
        y_range: Some((0.0, 1.0)),
        series: series.collect(),
        ..LineChart::default()
    };
    Figure { title: "Precision and recall".into(), svg: chart.svg(), words: PRECISION.into() }
}

/// Predicted probabilities against shares, of the tables that have them.
fn reliability(group: &Group, confidence: f64) -> Option<Figure> {
    let series = group.found.iter().filter_map(|found| {
        let calibration = found.calibration.as_ref()?;
        let points: Vec<_> = calibration.bins.iter().map(|bin| (bin.predicted, bin.observed())).collect();
        let bars = calibration.bins.iter().filter_map(|bin| {
            let (low, high) = bin.interval(confidence).ok()?;
            Some((bin.predicted, low, high))
        });
        let name = format!("{} {:.3}", short(&found.scores), calibration.error());
        Some(Series::new(name, points).bars(bars.collect::<Vec<_>>()))
    });
    let series: Vec<Series> = series.collect();
    if series.is_empty() {
        return None;
    }
    let chart = LineChart {
        x_label: "predicted probability".into(),
        y_label: "share of true pairs".into(),
        x_range: Some((0.0, 1.0)),
        y_range: Some((0.0, 1.0)),
        square: true,
        series,
        ..LineChart::default()
    };
    Some(Figure { title: "Reliability".into(), svg: chart.svg(), words: RELIABILITY.into() })
}

/// How scores of true and false pairs are spread, table by table.
fn spread(group: &Group) -> Vec<Figure> {
    let figure = |(at, found): (usize, &ScoreEvaluation)| {
        let chart = LineChart {
            x_label: "score".into(),
            y_label: "share of pairs".into(),
            series: classes(found),
            ..LineChart::default()
        };
        let words = if at == 0 { SPREAD } else { "" };
        Figure {
            title: format!("Score distribution: {}", short(&found.scores)),
            svg: chart.svg(),
            words: words.into(),
        }
    };
    group.found.iter().take(MOST).enumerate().map(figure).collect()
}

/// Steps of both classes, from how many of each are above every threshold.
fn classes(found: &ScoreEvaluation) -> Vec<Series> {
    let curve = found.ranked.curve();
    let scored: Vec<f64> = curve.iter().map(|p| p.threshold).filter(|t| t.is_finite()).collect();
    let Some(bins) = Bins::over(&scored, BINS) else { return Vec::new() };
    let steps = |name: &str, rate: &dyn Fn(usize) -> f64, all: u64| {
        let mut counts = vec![0u64; BINS];
        let mut before = 0.0;
        for (at, point) in curve.iter().enumerate() {
            let here = rate(at) * all as f64;
            if point.threshold.is_finite() {
                counts[bins.bin(point.threshold)] += (here - before).round() as u64;
            }
            before = here;
        }
        Series::new(name, bins.steps(&counts))
    };
    vec![
        steps("true pairs", &|at| curve[at].true_positive_rate, found.ranked.positives()),
        steps("false pairs", &|at| curve[at].false_positive_rate, found.ranked.negatives()),
    ]
}
