//! How well scores separate true pairs from false ones.

use crate::aligned::column;
use crate::page::write;
use crate::work::short;
use ergodict::denoise::calibration::Calibration;
use ergodict::denoise::delong::{area, compare};
use ergodict::denoise::roc::Ranked;
use ergodict_pages::evaluation::{Evaluation, ScoreTable, Truth};
use numpy::{IntoPyArray, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;

/// The area with its interval, average precision, best threshold and the whole curve.
#[pyfunction]
pub(crate) fn evaluate_scores<'py>(
    py: Python<'py>,
    scores: PyReadonlyArray1<'_, f64>,
    labels: PyReadonlyArray1<'_, bool>,
    confidence: f64,
) -> PyResult<Bound<'py, PyDict>> {
    let (scores, labels) = (column(&scores)?, column(&labels)?);
    let (found, interval, ranked) = short(py, || {
        let found = area(&scores, &labels)?;
        Ok((found, found.interval(confidence)?, Ranked::new(&scores, &labels)?))
    })?;
    let (best, curve) = (ranked.best_threshold(), ranked.curve());
    let dict = PyDict::new(py);
    dict.set_item("auc", found.value)?;
    dict.set_item("auc_standard_error", found.standard_error())?;
    dict.set_item("auc_interval", interval)?;
    dict.set_item("average_precision", ranked.average_precision())?;
    for n in [20, 100] {
        dict.set_item(format!("precision_at_{n}"), ranked.precision_at(n))?;
        dict.set_item(format!("false_share_at_{n}"), ranked.false_share_at(n))?;
    }
    dict.set_item("best_threshold", best.threshold)?;
    dict.set_item("best_true_positive_rate", best.true_positive_rate)?;
    dict.set_item("best_false_positive_rate", best.false_positive_rate)?;
    dict.set_item("positive_pairs", ranked.positives())?;
    dict.set_item("negative_pairs", ranked.negatives())?;
    let column =
        |of: fn(&ergodict::denoise::roc::Point) -> f64| -> Vec<f64> { curve.iter().map(of).collect() };
    dict.set_item("fpr", column(|point| point.false_positive_rate).into_pyarray(py))?;
    dict.set_item("tpr", column(|point| point.true_positive_rate).into_pyarray(py))?;
    dict.set_item("thresholds", column(|point| point.threshold).into_pyarray(py))?;
    Ok(dict)
}

/// The expected calibration error of probabilities, and of each bin its pairs, mean probability, share of true pairs and the ends of its interval.
#[pyfunction]
pub(crate) fn calibrate<'py>(
    py: Python<'py>,
    probabilities: PyReadonlyArray1<'_, f64>,
    labels: PyReadonlyArray1<'_, bool>,
    confidence: f64,
) -> PyResult<Bound<'py, PyDict>> {
    let (probabilities, labels) = (column(&probabilities)?, column(&labels)?);
    let (error, rows) = short(py, || {
        let found = Calibration::new(&probabilities, &labels)?;
        let row = |bin: &ergodict::denoise::calibration::Bin| {
            let (low, high) = bin.interval(confidence)?;
            Ok([bin.pairs as f64, bin.predicted, bin.observed(), low, high])
        };
        Ok((found.error(), found.bins.iter().map(row).collect::<ergodict::Result<Vec<_>>>()?))
    })?;
    let dict = PyDict::new(py);
    dict.set_item("error", error)?;
    dict.set_item("pairs", rows.iter().map(|row| row[0] as i64).collect::<Vec<_>>().into_pyarray(py))?;
    for (at, name) in ["predicted", "observed", "lower", "upper"].into_iter().enumerate() {
        let values: Vec<f64> = rows.iter().map(|row| row[at + 1]).collect();
        dict.set_item(name, values.into_pyarray(py))?;
    }
    Ok(dict)
}

/// How much larger the area of the first scores is: the difference, its standard error, its interval and the p-value of none.
#[pyfunction]
pub(crate) fn auc_difference(
    py: Python<'_>,
    first: PyReadonlyArray1<'_, f64>,
    second: PyReadonlyArray1<'_, f64>,
    labels: PyReadonlyArray1<'_, bool>,
    confidence: f64,
) -> PyResult<(f64, f64, (f64, f64), f64)> {
    let (first, second, labels) = (column(&first)?, column(&second)?, column(&labels)?);
    short(py, || {
        let found = compare(&first, &second, &labels)?;
        Ok((found.value, found.standard_error(), found.plain_interval(confidence)?, found.p_value()))
    })
}

/// Scores under a name, probabilities (NaN where there is none), and how many pairs have no score.
type ScoreColumns<'py> = (String, PyReadonlyArray1<'py, f64>, Option<PyReadonlyArray1<'py, f64>>, u64);

/// Writes the page of scores of the same pairs.
#[pyfunction]
pub(crate) fn evaluation_report(
    py: Python<'_>,
    path: PathBuf,
    #[pyo3(from_py_with = crate::list::list)] scores: Vec<ScoreColumns<'_>>,
    labels: PyReadonlyArray1<'_, bool>,
    confidence: f64,
) -> PyResult<()> {
    let mut tables = Vec::with_capacity(scores.len());
    for (name, scores, probabilities, missing) in &scores {
        let known = |p: &f64| Some(*p).filter(|p| !p.is_nan());
        let probabilities = probabilities.as_ref().map(column).transpose()?;
        let probabilities = probabilities.map(|all| all.iter().map(known).collect());
        tables.push(ScoreTable {
            name: name.clone(),
            scores: column(scores)?.clone(),
            probabilities,
            missing: *missing,
        });
    }
    let truth = Truth { labels: column(&labels)?.clone(), kinds: None };
    let page = short(py, || {
        let facts = [
            ("pairs", truth.labels.len().to_string()),
            ("true", truth.labels.iter().filter(|label| **label).count().to_string()),
            ("confidence", confidence.to_string()),
            ("version", format!("ergodict {}", env!("CARGO_PKG_VERSION"))),
        ];
        Ok(Evaluation::measure(&truth, &tables, confidence)?.page("labels", &facts, None))
    })?;
    write(py, &path, Ok(page), &[])
}
