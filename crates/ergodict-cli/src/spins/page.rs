//! The report of dictionaries learned from spin systems.

use super::learn::summary::{Outcome, baseline, name};
use crate::page::{self, facts, gallery};
use crate::recorded::RecordedSettings;
use crate::{mixing, rerun};
use anyhow::Result;
use ergodict::data::Frame;
use ergodict::model::Model;
use ergodict::patch::SpinValues;
use ergodict::run::LatticeData;
use ergodict_pages::maps::{encoded_shade, error_shade, off, shade, shade_words, shown};
use ergodict_pages::text::short;
use ergodict_report::words::{count, grouped, number};
use ergodict_report::{Figure, Frames, LineChart, Picture, Pictures, Report, Series, Sheet, Table};
use serde_json::Value;
use std::time::Duration;

const LOSS: &str = "
    Surrogate loss per patch (weighted mean over all patches so far) along the trajectory, a curve for each number τ of updates between
    configurations. Lower is better; the axis leaves out the first tenth.";

const SHEETS: &str = "
    All atoms of each dictionary, most dominant first. Each atom has its own scale: it is divided by its largest absolute entry.";

const RECONSTRUCTION: &str = "
    The last configuration and its reconstruction by each dictionary, without a penalty; overlapping patches are averaged.";

const ERRORS: &str = "
    Absolute error of the reconstruction: white is 0, full color is the range of spin values.";

/// Shades between two spins in a picture.
const SHADES: f64 = 24.0;

const FRAMES: &str = "
    Configurations that patches are cut from, first to last. If they look the same, the chain has hardly moved: use more updates.";

const RESUMED: &str = "
    The run was resumed from a checkpoint, which keeps no configurations; these begin there.";

/// The page.
pub(super) fn of_learning(
    outcomes: &[Outcome],
    ground: &LatticeData,
    from_file: bool,
    time: Duration,
) -> Result<Report> {
    let time = ("time", format!("{:.1} s", time.as_secs_f64()));
    if let [one] = outcomes {
        return page::with(&one.model, &[time], |report| {
            let report = report.finding(&format!("{}.", one.finding())).numbers(one.numbers());
            let report = frames(report, one, ground, from_file)?;
            let report = reconstructions(&[one], ground)?.into_iter().fold(report, Report::figure);
            Ok(report.table(table(outcomes)))
        });
    }
    let first = &outcomes[0].model;
    let (rows, cols) = (ground.kind.window.rows, ground.kind.window.cols);
    let source = if from_file {
        first.inputs.first().map_or("a trajectory".to_owned(), |input| short(&input.name))
    } else {
        let model = RecordedSettings::new(&first.provenance.config).spin_model();
        format!("the {model} on {}×{} sites", ground.shape.0, ground.shape.1)
    };
    let best = outcomes.iter().min_by(|a, b| a.relative_error.total_cmp(&b.relative_error));
    let best = best.map_or_else(String::new, |best| {
        format!(
            " Best reconstruction of the last configuration: {}, relative error {}.",
            name(best.temperature, best.every),
            number(best.relative_error)
        )
    });
    let lead = format!(
        "{} of {} atoms of {rows}×{cols} sites, learned from patches of {source}.{best}",
        count(outcomes.len(), "dictionary", "dictionaries"),
        first.w.cols(),
    );
    let mut report = Report::new(format!("Atoms of {source}")).lead(lead).numbers(numbers(outcomes));
    for group in groups(outcomes) {
        if let Some(temperature) = group[0].temperature {
            report = report.section(format!("T = {temperature}"), "");
        }
        for figure in dictionaries(&group)? {
            report = report.figure(figure);
        }
        report = frames(report, group[0], ground, from_file)?;
        for figure in reconstructions(&group, ground)? {
            report = report.figure(figure);
        }
        let mixing: Vec<mixing::MixingReport> = group.iter().flat_map(|outcome| mixing(outcome)).collect();
        let curves: Vec<&Outcome> = group.iter().copied().filter(|o| o.every.is_some()).collect();
        let svg = loss(&curves, from_file).svg();
        let chains = group.iter().filter_map(|outcome| outcome.model.provenance.chain.as_ref());
        let check = ergodict_pages::mixing::check(chains).map(|mut check| {
            if let Some(temperature) = group[0].temperature.filter(|_| !check.is_ok) {
                check.words = format!("T = {temperature}: {}", check.words);
            }
            check
        });
        report = report.details(check);
        report = report.figure(Figure { title: "Loss".into(), svg, words: LOSS.into() });
        if !mixing.is_empty() {
            let worth = group.iter().filter_map(|outcome| {
                let words = outcome.model.provenance.chain.as_ref()?.minibatch_words()?;
                Some(format!("{}: {words}", name(outcome.temperature, outcome.every)))
            });
            report = report.table(mixing::table(&mixing, worth, false, CHAINS));
            let curve = mixing::curve(&mixing, "kept configurations");
            report = curve.into_iter().fold(report, Report::figure);
        }
    }
    let mut run = facts(first);
    run.push(time);
    let report = report.section("Runs", "").table(table(outcomes)).facts(&run);
    Ok(report.code(
        "Reproduce the first run",
        rerun::command(
            "spins learn",
            &Value::Object(first.provenance.config.clone()),
            &[],
            "-o model.safetensors",
        ),
    ))
}

const CHAINS: &str = "
    Minibatches are patches of consecutive configurations of one chain, so they are correlated. The observables of each configuration show how strongly, for each τ.";

/// The diagnostics of a run, under its name.
fn mixing(outcome: &Outcome) -> Vec<mixing::MixingReport> {
    let all = outcome.model.provenance.chain.iter().flat_map(|chain| chain.mixing.clone());
    all.map(|one| mixing::MixingReport { of: label(outcome), ..one }).collect()
}

/// Configurations of the trajectory.
fn frames(report: Report, outcome: &Outcome, ground: &LatticeData, from_file: bool) -> Result<Report> {
    if outcome.frames.len() < 2 {
        return Ok(report);
    }
    let every = outcome.every.unwrap_or(1);
    let numbers = |(_, frame): &(u64, Frame<'_>)| frame.to_numbers();
    let values: Vec<Vec<f64>> = outcome.frames.iter().map(numbers).collect();
    let shade = shade(ground.alphabet(), &values.concat());
    let unit = if from_file { "frame" } else { "update" };
    // The burn-in is of whole steps too.
    let burn_in = RecordedSettings::new(&outcome.model.provenance.config).burn_in;
    let before = burn_in.div_ceil(ground.step.max(1)).saturating_mul(ground.step.max(1));
    let items = outcome.frames.iter().zip(&values).map(|((at, _), values)| {
        (Picture::new(values, ground.shape, shade), format!("{unit} {}", before + (at + 1) * every))
    });
    let title = "Configurations over time".into();
    let resumed = if outcome.frames[0].0 > 0 { RESUMED } else { "" };
    let words = format!("{FRAMES} {}{resumed}", shade_words(ground.alphabet()));
    Ok(report.frames(&Frames { title, words, items: items.collect() })?)
}

/// The outcomes of each temperature.
fn groups(outcomes: &[Outcome]) -> Vec<Vec<&Outcome>> {
    let mut groups: Vec<Vec<&Outcome>> = Vec::new();
    for outcome in outcomes {
        match groups.iter_mut().find(|group| group[0].temperature == outcome.temperature) {
            Some(group) => group.push(outcome),
            None => groups.push(vec![outcome]),
        }
    }
    groups
}

fn loss(curves: &[&Outcome], from_file: bool) -> LineChart {
    let series = curves.iter().map(|outcome| {
        let every = outcome.every.unwrap_or(1) as f64;
        let points = &outcome.model.history.points;
        let points: Vec<(f64, f64)> = points.iter().map(|p| (p.t as f64 * every, p.surrogate)).collect();
        Series::new(format!("τ = {every}"), points)
    });
    let series: Vec<Series> = series.collect();
    // The first minibatches, coded with random atoms, would dominate the axis.
    let end = series.iter().filter_map(|s| s.points.last()).map(|p| p.0).fold(0.0, f64::max);
    let later = || series.iter().flat_map(|s| &s.points).filter(|p| p.0 >= 0.1 * end).map(|p| p.1);
    let (low, high) = (later().fold(f64::INFINITY, f64::min), later().fold(f64::NEG_INFINITY, f64::max));
    let room = 0.05 * (high - low);
    LineChart {
        x_label: if from_file { "frames" } else { "updates of single sites" }.into(),
        y_label: "surrogate loss per patch".into(),
        y_range: (high > low).then_some((low - room, high + room)),
        series,
        ..LineChart::default()
    }
}

/// Name of an outcome among those of its temperature.
fn label(outcome: &Outcome) -> String {
    name(None, outcome.every)
}

/// All atoms of each dictionary, as sheets side by side.
fn dictionaries(group: &[&Outcome]) -> Result<Vec<Figure>> {
    if group.iter().any(|o| o.model.patch.is_none_or(|patch| patch.channels > 1)) {
        let each = group.iter().map(|o| {
            let gallery = gallery(&o.model);
            let plain = Report::new("").gallery(&gallery)?;
            let svg = plain.figures().first().map_or_else(String::new, |(_, svg)| svg.clone());
            Ok(Figure { title: format!("Atoms, {}", label(o)), svg, words: gallery.words })
        });
        return each.collect();
    }
    let sheets: Vec<Sheet> = group.iter().map(|o| sheet(&o.model)).collect();
    let signed = sheets.iter().any(Sheet::is_signed);
    let items = group.iter().zip(&sheets).map(|(o, sheet)| (sheet.picture(signed), label(o)));
    let svg = Pictures { items: items.collect(), columns: Some(group.len().clamp(1, 2)) }.svg()?;
    Ok(vec![Figure { title: "Dictionaries".into(), svg, words: SHEETS.into() }])
}

/// All atoms of a model, the most dominant first.
fn sheet(model: &Model) -> Sheet {
    let shape = model.patch.map_or((1, model.w.rows()), |p| (p.window.rows, p.window.cols));
    let atoms: Vec<&[f64]> = model.dominance().1.iter().map(|&k| model.w.col(k)).collect();
    Sheet::new(&atoms, shape)
}

/// The last configuration and its reconstruction by each dictionary.
fn reconstructions(group: &[&Outcome], ground: &LatticeData) -> Result<Vec<Figure>> {
    let (encoding, channels) = (&ground.encoding, ground.kind.channels);
    // A report of a dozen dictionaries stays small with few shades.
    let is_gray = matches!(encoding.values(), SpinValues::ZeroOne | SpinValues::Signed | SpinValues::Borders);
    let coarse = |v: f64| if is_gray { (v * SHADES).round() / SHADES } else { v };
    let truth = shown(&group[0].truth, encoding);
    let shade = encoded_shade(encoding, &truth);
    let all: Vec<Vec<f64>> =
        group.iter().map(|o| shown(&o.reconstructed, encoding).into_iter().map(coarse).collect()).collect();
    let mut items = vec![(Picture::new(&truth, ground.shape, shade), "configuration".to_owned())];
    for (outcome, values) in group.iter().zip(&all) {
        let label = format!("{}: error {:.3}", label(outcome), outcome.relative_error);
        items.push((Picture::new(values, ground.shape, shade), label));
    }
    let columns = Some(if items.len() > 4 { 3 } else { 2 });
    let svg = Pictures { items, columns }.svg()?;
    let mut figures = vec![Figure { title: "Reconstruction".into(), svg, words: RECONSTRUCTION.into() }];
    if encoding.values() != SpinValues::OneHot {
        let heat = error_shade(encoding, &group[0].truth);
        let off: Vec<Vec<f64>> = group.iter().map(|o| off(&o.reconstructed, &o.truth, channels)).collect();
        let items = group.iter().zip(&off);
        let items = items.map(|(o, off)| (Picture::new(off, ground.shape, heat), label(o)));
        let svg = Pictures { items: items.collect(), columns }.svg()?;
        figures.push(Figure { title: "Error map".into(), svg, words: ERRORS.into() });
    }
    Ok(figures)
}

impl Outcome {
    /// The numbers at the top: what the atoms reconstruct, and what it was learned from.
    fn numbers(&self) -> Vec<(String, String)> {
        let reconstructed = if self.sites_right.is_nan() {
            let mean = number(self.mean_error);
            (
                number(self.relative_error),
                format!("relative error of the last configuration (mean value alone: {mean})"),
            )
        } else {
            let share = format!("{:.1} %", 100.0 * self.sites_right);
            (share, format!("of sites reconstructed{}", baseline(self.most_frequent)))
        };
        let of = |n: u64, what: &str| (grouped(n), what.to_owned());
        vec![
            reconstructed,
            of(self.model.w.cols() as u64, "atoms"),
            of(self.model.aggregates.samples, "patches"),
        ]
    }
}

/// The numbers at the top: the best reconstruction, dictionaries, atoms.
fn numbers(outcomes: &[Outcome]) -> Vec<(String, String)> {
    let mut numbers = Vec::new();
    let best = outcomes.iter().min_by(|a, b| a.relative_error.total_cmp(&b.relative_error));
    if let Some(best) = best {
        let name = name(best.temperature, best.every);
        numbers.push((number(best.relative_error), format!("smallest relative error ({name})")));
    }
    numbers.push((outcomes.len().to_string(), "dictionaries".to_owned()));
    numbers.push((outcomes[0].model.w.cols().to_string(), "atoms each".to_owned()));
    numbers
}

fn table(outcomes: &[Outcome]) -> Table {
    let rows = outcomes.iter().map(|o| {
        let totals = &o.model.aggregates;
        vec![
            name(o.temperature, o.every),
            totals.t.to_string(),
            number(o.results.surrogate_per_sample),
            number(o.relative_error),
            if o.sites_right.is_nan() { "–".into() } else { format!("{:.1}", 100.0 * o.sites_right) },
            format!("{:.2}", o.seconds.chain),
            format!("{:.2}", o.seconds.patches),
            format!("{:.2}", o.seconds.learning),
        ]
    });
    let head = [
        "run",
        "steps",
        "surrogate",
        "relative error",
        "% sites correct",
        "chain s",
        "patches s",
        "learning s",
    ];
    Table {
        title: "Runs".into(),
        head: head.map(str::to_owned).to_vec(),
        rows: rows.collect(),
        words: "Minibatches, final surrogate loss, reconstruction of the last configuration (relative error, sites with the \
                correct nearest value), and wall time; concurrent runs share the threads."
            .into(),
    }
}
