//! How well scores tell true pairs from false ones.

use crate::aligned::column;
use crate::work::short;
use ergodict::denoise::delong::{area, compare};
use ergodict::denoise::roc::Ranked;
use numpy::{IntoPyArray, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;

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
