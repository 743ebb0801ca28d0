//! Curves that summaries of runs hold: ROC curves of `ergodict evaluate`, of several runs in one chart.

use super::record::Run;
use ergodict_report::{Figure, Series};
use serde_json::Value;

const ROC: &str = "
    For every threshold: the share of true pairs that score above it (upwards) against the share of false ones that do (to the right). The
    diagonal is chance; the number is the area below the curve, with its interval. Areas of runs compare only where their labels are the same.";

/// A chart for each kind of false pairs; none where no run is an evaluation.
pub(super) fn roc(runs: &[Run]) -> Vec<Figure> {
    let mut charts: Vec<(String, Vec<Series>)> = Vec::new();
    for run in runs {
        for group in run.summary["groups"].as_array().into_iter().flatten() {
            let kind = group["negatives"].as_str().unwrap_or("all");
            let curves = group["results"].as_array().into_iter().flatten();
            let curves = curves.filter_map(|found| series(run, found, runs.len() > 1)).collect::<Vec<_>>();
            match charts.iter_mut().find(|(name, _)| name == kind) {
                Some((_, all)) => all.extend(curves),
                None if curves.is_empty() => {}
                None => charts.push((kind.to_owned(), curves)),
            }
        }
    }
    let several = charts.len() > 1;
    let figure = |(kind, series)| {
        let chart = crate::page::roc_chart(series);
        let title = if several { format!("ROC curves against {kind}") } else { "ROC curves".to_owned() };
        Figure { title, svg: chart.svg(), words: ROC.into() }
    };
    charts.into_iter().map(figure).collect()
}

/// The curve of one table of scores, named by its area.
fn series(run: &Run, found: &Value, several: bool) -> Option<Series> {
    let pair = |point: &Value| Some((point[0].as_f64()?, point[1].as_f64()?));
    let points: Vec<(f64, f64)> = found["roc"].as_array()?.iter().filter_map(pair).collect();
    let scores = crate::page::short(found["scores"].as_str().unwrap_or_default());
    let of = if several { format!("{}: {scores}", run.name) } else { scores };
    let area = found["auc"].as_f64()?;
    let interval = match (found["auc_interval"][0].as_f64(), found["auc_interval"][1].as_f64()) {
        (Some(low), Some(high)) => format!(" ({low:.4} to {high:.4})"),
        _ => String::new(),
    };
    Some(Series::new(format!("{of} {area:.4}{interval}"), points))
}
