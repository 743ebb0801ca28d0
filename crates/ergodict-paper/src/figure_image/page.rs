//! The figures of a picture: dictionaries, the picture reconstructed, and how the loss falls.

use super::learn::Cut;
use super::{FigureImage, Setting, name};
use crate::sheet::sheet;
use crate::spread::Spread;
use anyhow::Result;
use ergodict::chain::Placement;
use ergodict::linalg::Mat;
use ergodict_report::{Figure, LineChart, Picture, Pictures, Reduction, Report, Series, Shade, Table};

/// Larger pictures are drawn smaller.
const LONGEST_SIDE: usize = 480;
/// How far what was not seen fades towards white.
const FADED: f64 = 0.85;

const DICTIONARIES: &str = "
    (a) and (b) of the paper's figure: all atoms at the end, the most dominant first, row by row. Each has its own scale: black is its largest entry,
    white is zero.";

const REBUILT: &str = "
    (c), (d) and (e): the picture, and what the atoms make of it. Patches are reconstructed as nonnegative combinations of atoms, without a penalty,
    and averaged where they overlap. PSNR is in decibels (20 dB is an error of a tenth of full contrast); the error is ‖reconstruction − picture‖ / ‖picture‖.";

const LOSS: &str = "
    The expected loss of a patch from anywhere, estimated on patches that were not learned from, and the surrogate loss, which is what learning sees; means
    over the repetitions. While the walk has seen one corner of the picture only, its surrogate is of that corner, and says
    little of the rest; the difference vanishes as it gets around.";

const EARLY: &str = "
    The dictionaries after few minibatches, and what of the picture their patches had shown by then; the rest is faded. The walk knows the neighborhood
    of its start only, and so do its atoms.";

const BY_TIME: &str = "
    Means over the repetitions. Seen: the share of the pixels that were in some patch; the loss is the expected one. The last column is how far the walk's loss is above the other one, as a share of
    it, with its standard error over the repetitions.";

/// Adds all of it to a report.
pub(super) fn show(figure: &FigureImage, report: Report) -> Result<Report> {
    let end = figure.both.each_ref().map(|one| sheet(&one.model));
    let labels = ["(a) independent patches", "(b) along a random walk"];
    let items = end.iter().zip(labels).map(|(sheet, label)| (sheet.picture(false), label.to_owned()));
    let svg = Pictures { items: items.collect(), columns: Some(2) }.svg()?;
    let report = report.figure(Figure { title: "Two dictionaries".into(), svg, words: DICTIONARIES.into() });
    let svg = rebuilt(figure)?;
    let report =
        report.figure(Figure { title: "Reconstruction of the picture".into(), svg, words: REBUILT.into() });
    let svg = loss(figure).svg();
    let report = report.figure(Figure { title: "Loss while learning".into(), svg, words: LOSS.into() });
    let svg = early(figure)?;
    let title = format!("After {} minibatches", figure.ground.setting.early);
    let report = report.figure(Figure { title, svg, words: EARLY.into() });
    Ok(report.table(table(figure)))
}

fn rebuilt(figure: &FigureImage) -> Result<String> {
    let smaller = Reduction::new(figure.ground.image.shape(), LONGEST_SIDE);
    let shade = Shade::Photo { low: 0.0, high: 1.0 };
    let mut shown = vec![(smaller.apply(&figure.ground.image.to_f64(), 1), "(c) the picture".to_owned())];
    for (one, letter) in figure.both.iter().zip(["(d) independent patches", "(e) random walk"]) {
        let Some(values) = figure.ground.rebuilt(&one.model)? else { continue };
        let (db, error) = one
            .runs
            .first()
            .map_or((f64::NAN, f64::NAN), |run| (run.outcome.psnr, run.outcome.relative_error));
        shown.push((smaller.apply(&values, 1), format!("{letter}: {db:.2} dB, error {error:.3}")));
    }
    let items =
        shown.iter().map(|(values, label)| (Picture::new(values, smaller.shape, shade), label.clone()));
    Ok(Pictures { items: items.collect(), columns: Some(3) }.svg()?)
}

fn loss(figure: &FigureImage) -> LineChart {
    let marks = figure.marks();
    let mut series = Vec::new();
    for (what, surrogate) in [("expected loss", false), ("surrogate", true)] {
        for (k, label) in ["independent", "random walk"].into_iter().enumerate() {
            let mean = |t: u64| {
                let all = figure.at(t, |mark| if surrogate { mark.surrogate } else { mark.held_out });
                Spread::from_samples(&all[k]).mean
            };
            let points: Vec<(f64, f64)> = marks.iter().map(|&t| (t as f64, mean(t))).collect();
            series.push(Series::new(format!("{what}, {label}"), points));
        }
    }
    LineChart {
        x_label: "minibatches".into(),
        y_label: "loss of a patch".into(),
        log_x: true,
        log_y: true,
        series,
        ..LineChart::default()
    }
}

fn early(figure: &FigureImage) -> Result<String> {
    let Setting { early, patches, .. } = figure.ground.setting;
    let smaller = Reduction::new(figure.ground.image.shape(), LONGEST_SIDE);
    let sheets = figure.both.each_ref().map(|one| sheet(&one.early));
    let mut seen = Vec::new();
    for one in &figure.both {
        let mut cut = Cut::new(&figure.ground, one.sampling, figure.seed, 0)?;
        cut.fill(patches * usize::try_from(early)?, &mut Mat::zeros(0, 0));
        let pixels = figure.ground.image.to_f64().into_iter().zip(&cut.seen.pixels);
        let faded = pixels.map(|(v, &there)| if there { v } else { v + FADED * (1.0 - v) });
        seen.push(smaller.apply(&faded.collect::<Vec<_>>(), 1));
    }
    let mut items: Vec<(Picture<'_>, String)> = Vec::new();
    for (one, sheet) in figure.both.iter().zip(&sheets) {
        let label = if one.sampling == Placement::Iid { "independent patches" } else { "random walk" };
        items.push((sheet.picture(false), label.to_owned()));
    }
    let shade = Shade::Photo { low: 0.0, high: 1.0 };
    for (values, one) in seen.iter().zip(&figure.both) {
        let mark = one.runs.first().and_then(|run| run.outcome.marks.iter().find(|mark| mark.t == early));
        let share = mark.map_or(f64::NAN, |mark| 100.0 * mark.pixels);
        let label = format!("seen by then ({}): {share:.0} %", name(one.sampling));
        items.push((Picture::new(values, smaller.shape, shade), label));
    }
    Ok(Pictures { items, columns: Some(2) }.svg()?)
}

fn table(figure: &FigureImage) -> Table {
    let rows = figure.marks().into_iter().map(|t| {
        let [iid_seen, walk_seen] =
            figure.at(t, |mark| mark.pixels).map(|all| 100.0 * Spread::from_samples(&all).mean);
        let [iid, walk] = figure.at(t, |mark| mark.held_out).map(|all| Spread::from_samples(&all).mean);
        vec![
            t.to_string(),
            format!("{iid_seen:.1}"),
            format!("{walk_seen:.1}"),
            format!("{iid:.4}"),
            format!("{walk:.4}"),
            figure.behind(t).percent(),
        ]
    });
    let head = [
        "minibatches",
        "seen %, independent",
        "seen %, walk",
        "loss, independent",
        "loss, walk",
        "walk above",
    ];
    Table {
        title: "By the number of minibatches".into(),
        head: head.map(str::to_owned).to_vec(),
        rows: rows.collect(),
        words: BY_TIME.into(),
    }
}
