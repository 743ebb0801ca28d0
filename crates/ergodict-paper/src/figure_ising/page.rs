//! The figures of the Ising trajectories, temperature by temperature.

use super::learn::rebuilt;
use super::{At, FigureIsing, Run};
use crate::sheet::sheet;
use crate::spread::Spread;
use anyhow::Result;
use ergodict_report::words::grouped;
use ergodict_report::{Figure, LineChart, Picture, Pictures, Report, Series, Shade, Table};

/// Shades between the two spins: no more than can be distinguished, which keeps the page small.
const SHADES: f64 = 24.0;

const SURROGATE: &str = "
    The surrogate loss of a patch against updates of single spins, one curve for each τ, all of the same trajectory: the mean over all configurations so far. Lower is
    better. The axis leaves out the first tenth, where random atoms are still being replaced.";

const EXPECTED: &str = "
    The loss on configurations of other chains at the same temperature, of the same ages as those learned from: what the paper could not
    show. A dictionary that was overfitted to its trajectory would do worse here than its surrogate says.";

const DICTIONARIES: &str = "
    All atoms of the dictionaries, the most dominant first, row by row; black is the largest entry of an atom, white is zero.";

const BESIDE: &str = "
    Atoms from the trajectory, atoms from its last configuration alone, and that configuration (black is +1). The second are pieces of the third; how they do on
    configurations of other chains is in the table at the end.";

const REBUILT: &str = "
    The last configuration, and what the dictionaries make of it: patches are reconstructed without a penalty and averaged where they overlap. Below each the
    relative error, ‖reconstruction − configuration‖ / ‖configuration‖ with 0 for −1.";

const RUNS: &str = "
    Losses are per patch. The surrogate is what learning sees; the last one is on other patches of the last configuration. Other chains: such that nothing was learned
    from, whose configurations have the same ages as all of the trajectory's, that of its last one, or are later, up to twice as old; ± is the standard error over chains. The
    mean patch is what a prediction without atoms loses on them. Error and sites right are of the reconstructed last configuration.";

const CHAINS: &str = "
    The energy per site over the second half of the trajectory, next to the exact one of an infinite lattice in equilibrium (Onsager): what is
    above it has not settled. The other columns are how many of the sites have another spin τ updates later, in per cent; of independent fair coins half of them have.";

/// Adds all of it to a report.
pub(super) fn show(figure: &FigureIsing, mut report: Report) -> Result<Report> {
    for at in &figure.all {
        let titled = |what: &str| format!("T = {}: {what}", at.temperature);
        let svg = chart(at, "surrogate loss of a patch", |run| &run.done.outcome.surrogate).svg();
        report = report.figure(Figure { title: titled("loss"), svg, words: SURROGATE.into() });
        let svg = chart(at, "loss of a patch on other chains", |run| &run.done.outcome.held_out).svg();
        report = report.figure(Figure { title: titled("loss on other chains"), svg, words: EXPECTED.into() });
        let svg = dictionaries(at)?;
        report = report.figure(Figure { title: titled("dictionaries"), svg, words: DICTIONARIES.into() });
        let svg = beside(figure, at)?;
        report = report.figure(Figure {
            title: titled("the trajectory and one configuration"),
            svg,
            words: BESIDE.into(),
        });
        let svg = configurations(figure, at)?;
        report = report.figure(Figure {
            title: titled("a reconstructed configuration"),
            svg,
            words: REBUILT.into(),
        });
    }
    Ok(report.table(runs(figure)).table(chains(figure)))
}

/// A curve for each epoch, on an axis that leaves out the beginning.
fn chart(at: &At, label: &str, of: impl Fn(&Run) -> &Vec<(u64, f64)>) -> LineChart {
    let points = |run: &Run| of(run).iter().map(|&(x, y)| (x as f64, y)).collect::<Vec<_>>();
    let series: Vec<Series> = at.runs.iter().map(|run| Series::new(run.name(), points(run))).collect();
    let end = series.iter().filter_map(|s| s.points.last()).map(|p| p.0).fold(0.0, f64::max);
    let later = || series.iter().flat_map(|s| &s.points).filter(|p| p.0 >= 0.1 * end).map(|p| p.1);
    let (low, high) = (later().fold(f64::INFINITY, f64::min), later().fold(f64::NEG_INFINITY, f64::max));
    let room = 0.05 * (high - low);
    LineChart {
        x_label: "updates of single spins".into(),
        y_label: label.into(),
        y_range: (high > low).then_some((low - room, high + room)),
        series,
        ..LineChart::default()
    }
}

fn dictionaries(at: &At) -> Result<String> {
    let sheets: Vec<_> = at.runs.iter().map(|run| sheet(&run.model)).collect();
    let items = at.runs.iter().zip(&sheets).map(|(run, sheet)| (sheet.picture(false), run.name()));
    Ok(Pictures { items: items.collect(), columns: Some(2) }.svg()?)
}

fn ink(values: &[f64], side: usize) -> Picture<'_> {
    Picture::new(values, (side, side), Shade::Ink { low: 0.0, high: 1.0 })
}

fn numbers(spins: &[i8]) -> Vec<f64> {
    spins.iter().map(|&spin| f64::from(spin.max(0))).collect()
}

fn beside(figure: &FigureIsing, at: &At) -> Result<String> {
    let (trajectory, fixed) = (sheet(&at.beside().model), sheet(&at.fixed.model));
    let last = numbers(&at.last);
    let items = vec![
        (trajectory.picture(false), format!("from the trajectory, {}", at.beside().name())),
        (fixed.picture(false), "from one configuration".to_owned()),
        (ink(&last, figure.setting.side), "that configuration".to_owned()),
    ];
    Ok(Pictures { items, columns: Some(3) }.svg()?)
}

fn configurations(figure: &FigureIsing, at: &At) -> Result<String> {
    let mut all = Vec::new();
    for run in &at.runs {
        let Some(values) = rebuilt(figure.setting, &run.model, &at.last)? else { continue };
        let coarse = values.into_iter().map(|v| (v * SHADES).round() / SHADES).collect();
        all.push((coarse, format!("{}: {:.3}", run.name(), run.done.outcome.relative_error)));
    }
    all.push((numbers(&at.last), "the configuration".into()));
    let items = all
        .iter()
        .map(|(values, label): &(Vec<f64>, String)| (ink(values, figure.setting.side), label.clone()));
    Ok(Pictures { items: items.collect(), columns: Some(3) }.svg()?)
}

fn runs(figure: &FigureIsing) -> Table {
    let mut rows = Vec::new();
    for at in &figure.all {
        let mean = &at.course.outcome.mean_patch;
        for run in at.dictionaries() {
            let one = &run.done.outcome;
            rows.push(vec![
                at.temperature.to_string(),
                run.every.map_or("one configuration".into(), grouped),
                one.minibatches.to_string(),
                format!("{:.2}", one.last()),
                format!("{:.2}", one.own),
                short(&one.along),
                short(&one.end),
                short(&one.later),
                format!("{:.0}, {:.0}, {:.0}", mean.along, mean.end, mean.later),
                format!("{:.4}", one.relative_error),
                format!("{:.2}", 100.0 * one.sites_right),
                format!("{:.1}", run.done.seconds),
            ]);
        }
    }
    let head = [
        "T",
        "τ",
        "minibatches",
        "surrogate",
        "last one",
        "others: all ages",
        "its age",
        "later",
        "mean patch",
        "error",
        "% sites right",
        "seconds",
    ];
    let head = head.map(str::to_owned).to_vec();
    Table { title: "All dictionaries".into(), head, rows, words: RUNS.into() }
}

/// A mean and its standard error in few letters.
fn short(of: &[f64]) -> String {
    let Spread { mean, error } = Spread::from_samples(of);
    format!("{mean:.2} ± {error:.2}")
}

fn chains(figure: &FigureIsing) -> Table {
    let rows = figure.all.iter().map(|at| {
        let course = &at.course.outcome;
        let mut row = vec![
            at.temperature.to_string(),
            format!("{:.4} ± {:.4}", course.energy.0, course.energy.1),
            format!("{:.4}", course.energy_exact),
            format!("{:.3}", course.magnetization),
        ];
        row.extend(course.changed.iter().map(|(_, share)| format!("{:.3}", 100.0 * share)));
        row
    });
    let mut head = ["T", "energy", "exact", "magnetization at the end"].map(str::to_owned).to_vec();
    head.extend(figure.setting.epochs.iter().map(|every| format!("τ = {}", grouped(*every))));
    Table { title: "The chains".into(), head, rows: rows.collect(), words: CHAINS.into() }
}
