//! Curves that summaries of runs hold: ROC curves of `ergodict evaluate`, of several runs in one chart.

use super::record::{Curve, Group, Run};
use ergodict_report::{Figure, LineChart, Series};

const ROC: &str = "
    For every threshold: the share of true pairs that score above it (upwards) against the share of false ones that do (to the right). The
    diagonal is chance; the number is the area below the curve, with its interval. Areas of runs compare only where their labels are the same.";

/// A chart for each kind of false pairs; none where no run is an evaluation.
pub(super) fn roc(runs: &[Run]) -> Vec<Figure> {
    let mut charts: Vec<(String, Vec<Series>)> = Vec::new();
    for run in runs {
        for Group { negatives, results } in &run.known.groups {
            let curves = results.iter().map(|curve| series(run, curve, runs.len() > 1)).collect::<Vec<_>>();
            match charts.iter_mut().find(|(name, _)| name == negatives) {
                Some((_, all)) => all.extend(curves),
                None if curves.is_empty() => {}
                None => charts.push((negatives.clone(), curves)),
            }
        }
    }
    let several = charts.len() > 1;
    let figure = |(kind, series)| {
        let chart = LineChart::roc(series);
        let title = if several { format!("ROC curves against {kind}") } else { "ROC curves".to_owned() };
        Figure { title, svg: chart.svg(), words: ROC.into() }
    };
    charts.into_iter().map(figure).collect()
}

/// The curve of one table of scores, named by its area.
fn series(run: &Run, curve: &Curve, several: bool) -> Series {
    let scores = ergodict_pages::text::short(&curve.scores);
    let of = if several { format!("{}: {scores}", run.name) } else { scores };
    let interval = curve.auc_interval.map(|(low, high)| format!(" ({low:.4} to {high:.4})"));
    Series::new(format!("{of} {:.4}{}", curve.auc, interval.unwrap_or_default()), curve.roc.clone())
}
