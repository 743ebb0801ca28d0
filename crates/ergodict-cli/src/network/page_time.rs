//! The pages of networks in time: how far each window changed, which atoms it uses, and what became of them.

use super::news;
use crate::page::short;
use anyhow::Result;
use ergodict::dictionary::{Model, OverTime, WindowRecord};
use ergodict::patch::NetworkForm;
use ergodict_report::bands::{Band, BandChart};
use ergodict_report::intervals::{Interval, IntervalChart};
use ergodict_report::{AtomGrid, Figure, Report, Table};

/// Atoms that have a band and a column of their own.
const ATOMS: usize = 6;
/// Windows whose atoms are drawn.
const DRAWN: usize = 6;
/// Rows of the table.
const ROWS: usize = 60;

const CHANGE: &str = "
    How badly the dictionary that came to a window explains it: the base-2 logarithm of its relative error on fresh patches over that of the dictionary which has learned
    from the window, less the same on the window before, so that neither windows that are hard to explain nor a dictionary that still gets better count as
    changes. At 0, the dashed line, nothing changed; at 1 the old dictionary's error is twice as large as it need be. Bars reach two standard errors up and down, from the scatter
    of batches of patches: a peak whose bar is clear of the line is more than the chance of which patches were drawn (networks that are alike differ a little for all that). Orange points are windows in which chains had to start
    again.";

const DOMINANCE: &str = "
    How strongly the patches of each window use the atoms: shares of the codes of fresh patches, in root mean square, under the dictionary as it was when the
    window was over. A band that widens is a pattern that becomes more frequent. An atom keeps its number while it changes its form, as the pictures
    below show.";

const FORMS: &str = "
    The most dominant atoms, a column each, at some of the windows, from top to bottom: below each are its number and that of the window. Each is drawn by
    itself: dark is its largest entry.";

/// The pictures of a model that was learned over time.
pub(super) fn add(mut report: Report, model: &Model, form: &NetworkForm) -> Result<Report> {
    let Some(over_time) = model.over_time.as_ref().filter(|all| !all.windows.is_empty()) else {
        return Ok(report);
    };
    report = report.figure(changes(over_time)).figure(dominance(over_time));
    if let Some(figure) = forms(over_time, form)? {
        report = report.figure(figure);
    }
    Ok(report.table(table(over_time)))
}

/// The number of a window, from 1.
fn number(at: usize) -> f64 {
    (at + 1) as f64
}

fn changes(over_time: &OverTime) -> Figure {
    let windows = over_time.windows.iter().enumerate();
    let points = windows.filter_map(|(at, window)| {
        let change = window.change?;
        Some(Interval {
            x: number(at),
            value: change.value,
            half: 2.0 * change.standard_error,
            label: format!("{}: {}", window.name, news::measured(change)),
            marked: window.moved.restarted > 0,
        })
    });
    let chart = IntervalChart {
        x_label: "window".into(),
        y_label: "change score".into(),
        rest: Some(0.0),
        points: points.collect(),
    };
    let peak = over_time.peak().filter(|(_, change)| change.value > news::SURE * change.standard_error);
    let peak = peak.map_or_else(String::new, |(at, change)| {
        let name = &over_time.windows[at].name;
        format!("\n\n    The clearest change is in window {} ({name}): {}.", at + 1, news::measured(change))
    });
    Figure {
        title: "Change from window to window".into(),
        svg: chart.svg(),
        words: format!("{CHANGE}{peak}"),
    }
}

/// The atoms by their dominance over all windows, the strongest first.
fn strongest(over_time: &OverTime) -> Vec<usize> {
    let atoms = over_time.windows.iter().map(|window| window.dominance.len()).max().unwrap_or(0);
    let sum = |atom: usize| -> f64 { over_time.learned().map(|(_, window)| window.dominance[atom]).sum() };
    let mut order: Vec<(usize, f64)> = (0..atoms).map(|atom| (atom, sum(atom))).collect();
    order.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    order.into_iter().map(|(atom, _)| atom).collect()
}

fn dominance(over_time: &OverTime) -> Figure {
    let order = strongest(over_time);
    let share =
        |window: &WindowRecord, atoms: &[usize]| atoms.iter().map(|atom| window.dominance[*atom]).sum();
    let band = |name: String, atoms: &[usize]| Band {
        name,
        heights: over_time.learned().map(|(_, window)| share(window, atoms)).collect(),
    };
    let (first, rest) = order.split_at(order.len().min(ATOMS));
    let mut bands: Vec<Band> =
        first.iter().map(|atom| band(format!("atom {atom}"), std::slice::from_ref(atom))).collect();
    if !rest.is_empty() {
        bands.push(band(format!("{} others", rest.len()), rest));
    }
    let chart = BandChart {
        x_label: "window".into(),
        y_label: "dominance".into(),
        xs: over_time.learned().map(|(at, _)| number(at)).collect(),
        bands,
        last_is_rest: !rest.is_empty(),
    };
    Figure { title: "Dominance over time".into(), svg: chart.svg(), words: DOMINANCE.into() }
}

/// Atoms at some windows.
fn forms(over_time: &OverTime, form: &NetworkForm) -> Result<Option<Figure>> {
    let kept = over_time.kept.len();
    if kept < 2 {
        return Ok(None);
    }
    let mut order = strongest(over_time);
    order.truncate(ATOMS);
    let rows = kept.min(DRAWN);
    let (mut atoms, mut labels) = (Vec::new(), Vec::new());
    for row in 0..rows {
        let n = row * (kept - 1) / (rows - 1).max(1);
        let (at, w) = (over_time.kept[n], &over_time.dictionaries[n]);
        for &atom in &order {
            atoms.push(w.col(atom).iter().map(|x| f64::from(*x)).collect::<Vec<f64>>());
            labels.push(format!("{atom} · {}", at + 1));
        }
    }
    let columns = Some(order.len());
    let grid = AtomGrid { labels: Some(labels), columns, ..AtomGrid::new(&atoms, (form.k, form.k)) };
    Ok(Some(Figure { title: "Atoms over time".into(), svg: grid.svg()?, words: FORMS.into() }))
}

fn table(over_time: &OverTime) -> Table {
    let row = |(at, window): (usize, &WindowRecord)| {
        let count = |n: Option<u64>| n.map_or_else(|| "–".to_owned(), |n| n.to_string());
        let fate = match (&window.passed_over, window.moved.went_on, window.moved.restarted) {
            (Some(reason), ..) => format!("passed over: it {reason}"),
            (None, 0, 0) => "began".into(),
            (None, on, 0) => format!("{on} went on"),
            (None, on, again) => format!("{on} went on, {again} started again"),
        };
        let change = window.change.map_or_else(|| "–".to_owned(), news::measured);
        let differences = window.differences;
        vec![
            (at + 1).to_string(),
            window.span.map_or_else(|| short(&window.name), |(from, _)| over_time.times.show(from)),
            window.nodes.to_string(),
            window.edges.to_string(),
            count(differences.map(|d| d.came)),
            count(differences.map(|d| d.went)),
            fate,
            change,
        ]
    };
    let cut = if over_time.windows.len() > ROWS {
        format!(
            " The first {ROWS} of {} windows are listed; --json and the model file have all.",
            over_time.windows.len()
        )
    } else {
        String::new()
    };
    Table {
        title: "Windows".into(),
        words: format!(
            "The network of each window, what came and went since the one before, and what became of the chains.{cut}"
        ),
        head: [
            "window",
            if over_time.windows.iter().any(|one| one.span.is_some()) { "from" } else { "which" },
            "nodes",
            "edges",
            "came",
            "went",
            "chains",
            "change",
        ]
        .map(str::to_owned)
        .to_vec(),
        rows: over_time.windows.iter().enumerate().take(ROWS).map(row).collect(),
    }
}
