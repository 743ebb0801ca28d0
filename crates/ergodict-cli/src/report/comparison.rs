//! The comparison of several runs: settings that differ, results, curves, and similarity of atoms.

use super::curves;
use super::likeness::likeness;
use super::record::{Run, plain};
use crate::page;
use anyhow::Result;
use ergodict::model::{HistoryPoint, Model};
use ergodict_pages::text::list;
use ergodict_report::{Figure, Heat, LineChart, Report, Series, Table};
use serde_json::Value;

const DIFFER: &str = "
    Settings that are not the same in all runs.";

const RESULTS: &str = "
    The numbers each run ended with. Losses compare only where data, λ and precision are the same.";

const SURROGATE: &str = "
    Surrogate loss of each run (weighted mean over all samples so far); lower is better. Click a name to hide its curve.";

const DOMINANCE: &str = "
    Cumulative dominance of the most dominant atoms. A steep curve: few atoms have most of the usage; on the diagonal all are used equally.";

const SIMILARITY: &str = "
    Similarity of the atoms of a row's run to those of a column's: cosine of each atom with the nearest one, averaged by dominance; of networks without the motif's own edges. 1: every used
    atom is in the other dictionary. Runs that differ in the seed alone show how far the data determine the atoms. Not symmetric: a larger dictionary can contain a smaller one.";

/// A row in which runs differ.
pub(super) struct Row {
    pub(super) name: String,
    values: Vec<String>,
}

/// The page of several runs.
pub(super) fn page(runs: &[Run]) -> Result<Report> {
    let names: Vec<String> = runs.iter().map(|run| run.name.clone()).collect();
    let rows = differing(runs);
    let differences = match rows.len() {
        0 => "All settings are the same.".to_owned(),
        1 => format!("They differ in {}.", rows[0].name),
        n => format!("They differ in {n} settings."),
    };
    let mut report = Report::new(format!("Comparison of {} runs", runs.len()))
        .lead(format!("{}. {differences}", list(&names)));
    if !rows.is_empty() {
        report = report.table(table("Differences", DIFFER, runs, rows));
    }
    report = report.table(table("Results", RESULTS, runs, results(runs)));
    report = curves::roc(runs).into_iter().fold(report, Report::figure);
    let models: Vec<(&Run, &Model)> =
        runs.iter().filter_map(|run| run.model.as_ref().map(|model| (run, model))).collect();
    if !models.is_empty() {
        let curve = |of: fn(&HistoryPoint) -> f64| {
            let series = models.iter().map(|(run, model)| {
                let points = model.history.points.iter().map(|p| (p.samples as f64, of(p)));
                Series::new(&run.name, points.collect::<Vec<_>>())
            });
            series.collect::<Vec<_>>()
        };
        report = report.figure(Figure {
            title: "Learning".into(),
            svg: LineChart {
                x_label: "samples seen".into(),
                y_label: "surrogate loss per sample".into(),
                log_x: true,
                log_y: models.iter().all(|(_, m)| m.history.points.iter().all(|p| p.surrogate > 0.0)),
                series: curve(|point| point.surrogate),
                ..LineChart::default()
            }
            .svg(),
            words: SURROGATE.into(),
        });
        report = report.figure(dominance(&models));
    }
    if models.len() > 1
        && let Some(figure) = similarity(&models)?
    {
        report = report.figure(figure);
    }
    for (run, model) in &models {
        report = report.section(run.name.clone(), format!("Learned by ergodict {}.", run.command));
        report = page::with_atoms(report, model)?;
    }
    Ok(report.section("Run details", "").table(commands(runs)))
}

/// The shares of the first atoms, the first two, and so on.
fn dominance(models: &[(&Run, &Model)]) -> Figure {
    let series = models.iter().map(|(run, model)| {
        let (shares, order) = model.dominance();
        let mut sum = 0.0;
        let points = order.iter().enumerate().map(|(rank, &k)| {
            sum += shares[k];
            ((rank + 1) as f64, sum)
        });
        Series::new(&run.name, points.collect::<Vec<_>>())
    });
    let chart = LineChart {
        x_label: "atoms, the most dominant first".into(),
        y_label: "share of all dominance".into(),
        y_range: Some((0.0, 1.0)),
        series: series.collect(),
        ..LineChart::default()
    };
    Figure { title: "Dominance".into(), svg: chart.svg(), words: DOMINANCE.into() }
}

/// The similarity of atoms, where any two dictionaries can be compared.
fn similarity(models: &[(&Run, &Model)]) -> Result<Option<Figure>> {
    let values: Vec<Option<f64>> =
        models.iter().flat_map(|(_, v)| models.iter().map(|(_, w)| likeness(v, w))).collect();
    let n = models.len();
    // Atoms of different sizes or motifs cannot be compared.
    if !values.iter().enumerate().any(|(i, value)| i / n != i % n && value.is_some()) {
        return Ok(None);
    }
    let names = || models.iter().map(|(run, _)| run.name.clone());
    let heat = Heat {
        row_label: "atoms of".into(),
        col_label: "found in".into(),
        range: Some((0.0, 1.0)),
        ..Heat::new(names(), names(), values)
    };
    Ok(Some(Figure { title: "Similarity of atoms".into(), svg: heat.svg()?, words: SIMILARITY.into() }))
}

/// Settings that are not the same in all runs.
pub(super) fn differing(runs: &[Run]) -> Vec<Row> {
    let mut all = vec![row("command", runs, |run| format!("ergodict {}", run.command))];
    let inputs: Vec<Vec<(String, String)>> = runs.iter().map(Run::inputs).collect();
    let most = inputs.iter().map(Vec::len).max().unwrap_or(0);
    for at in 0..most {
        let name = if most == 1 { "input".to_owned() } else { format!("input {}", at + 1) };
        // By digest: files of one name may differ, and one file may have two names. Embedded data has no digest but a name.
        let entry = |all: &Vec<(String, String)>| match all.get(at) {
            Some((name, digest)) if name.starts_with('@') => format!("{name} of {digest}"),
            Some((_, digest)) => digest.clone(),
            None => String::new(),
        };
        if inputs.iter().any(|all| entry(all) != entry(&inputs[0])) {
            let cut = |digest: &str| digest.chars().take(19).collect::<String>();
            let value = |all: &Vec<(String, String)>| match all.get(at) {
                Some((name, _)) if name.starts_with('@') => name.clone(),
                Some((name, digest)) => format!("{name} ({}…)", cut(digest)),
                None => "–".to_owned(),
            };
            all.push(Row { name, values: inputs.iter().map(value).collect() });
        }
    }
    for key in keys(runs.iter().map(|run| run.config.keys().cloned().collect())) {
        all.push(row(&key, runs, |run| run.config.get(&key).map_or("–".to_owned(), plain)));
    }
    all.push(row("version", runs, |run| run.version().unwrap_or("–").to_owned()));
    // What a command has no flag for, or a summary does not have, is no difference.
    all.retain(|row| {
        let mut known = row.values.iter().filter(|value| *value != "–");
        let first = known.next();
        known.any(|value| Some(value) != first)
    });
    all
}

fn results(runs: &[Run]) -> Vec<Row> {
    let all = runs.iter().map(|run| run.results.iter().map(|(key, _)| key.clone()).collect());
    let value =
        |run: &Run, key: &str| run.results.iter().find(|(name, _)| name == key).map(|(_, v)| v.clone());
    let one = |key: &String| row(key, runs, |run| plain(&value(run, key).unwrap_or(Value::Null)));
    let mut rows: Vec<Row> = keys(all).iter().map(one).collect();
    // What never happened in any run is not worth a row.
    rows.retain(|row| row.values.iter().any(|value| !["0", "–"].contains(&&**value)));
    rows
}

fn row(name: &str, runs: &[Run], value: impl Fn(&Run) -> String) -> Row {
    Row { name: name.to_owned(), values: runs.iter().map(value).collect() }
}

/// All keys in the order in which they are first met.
fn keys(lists: impl Iterator<Item = Vec<String>>) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for key in lists.flatten() {
        if !all.contains(&key) {
            all.push(key);
        }
    }
    all
}

fn table(title: &str, words: &str, runs: &[Run], rows: Vec<Row>) -> Table {
    let head = std::iter::once(String::new()).chain(runs.iter().map(|run| run.name.clone()));
    let rows = rows.into_iter().map(|row| std::iter::once(row.name).chain(row.values).collect());
    Table { title: title.into(), head: head.collect(), rows: rows.collect(), words: words.into() }
}

/// The commands of the runs.
fn commands(runs: &[Run]) -> Table {
    let row = |run: &Run| {
        let inputs: Vec<String> = run.inputs().into_iter().map(|(name, _)| name).collect();
        vec![
            run.name.clone(),
            format!("ergodict {}", run.command),
            inputs.join(", "),
            run.config.get("seed").map_or(String::new(), plain),
            run.version().unwrap_or_default().to_owned(),
            run.file.file_name().map_or_else(|| "–".to_owned(), |name| name.display().to_string()),
        ]
    };
    Table {
        title: "Commands".into(),
        head: ["run", "command", "input", "seed", "version", "file"].map(str::to_owned).to_vec(),
        rows: runs.iter().map(row).collect(),
        words: String::new(),
    }
}
