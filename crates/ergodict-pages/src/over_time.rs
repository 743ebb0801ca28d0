//! Figures of networks in time: change of each window, dominance and form of atoms.

use crate::text::short;
use crate::windows;
use ergodict::model::{Model, NullBand, OverTime, WindowRecord};
use ergodict::patch::NetworkForm;
use ergodict_report::bands::{Band, BandChart};
use ergodict_report::intervals::{Interval, IntervalChart};
use ergodict_report::{AtomGrid, Figure, PictureError, Report, Table};

/// Atoms that have a band and a column of their own.
const ATOMS: usize = 6;
/// Windows whose atoms are drawn.
const DRAWN: usize = 6;
/// Rows of the table.
const ROWS: usize = 60;

const CHANGE: &str = "
    Change score of each window, with bars of two standard errors. Shaded: scores under permuted times, up to the threshold of change (marked points are beyond it).

    The score is log₂ of the error of the dictionary before learning from a window divided by the error after it, minus the same for the window before.";

const UNTESTED: &str = "
    Change score of each window, with bars of two standard errors. Scores also depend on the number of edges: without permuted times as a null, they do not show whether
    the network changed.

    The score is log₂ of the error of the dictionary before learning from a window divided by the error after it, minus the same for the window before.";

const DOMINANCE: &str = "
    Share of usage of each atom by window (root mean square of codes of fresh patches). A band that widens is a pattern that becomes more frequent; atoms change their form
    over time (below).";

const FORMS: &str = "
    The most dominant atoms (columns) at some windows (rows). White: 0; black: largest entry of the atom.";

/// The pictures of a model that was learned over time.
///
/// # Errors
/// Atoms that cannot be drawn.
pub fn add(mut report: Report, model: &Model, form: &NetworkForm) -> Result<Report, PictureError> {
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

/// When a window begins, or the name of a snapshot.
fn name(over_time: &OverTime, at: usize) -> String {
    short(&windows::begin(over_time.times, &over_time.windows[at]))
}

/// What windows are named by.
fn label(over_time: &OverTime) -> String {
    let timed = over_time.windows.iter().any(|one| one.span.is_some());
    if timed { "beginning of window" } else { "snapshot" }.to_owned()
}

fn changes(over_time: &OverTime) -> Figure {
    let windows = over_time.windows.iter().enumerate();
    let points = windows.filter_map(|(at, window)| {
        let change = window.change?;
        let changed = window.null.is_some_and(|null| null.changed());
        let null =
            window.null.map(|null| format!(", null at most {:.3}, p = {:.2}", null.high, null.p_value));
        // Where no score is large enough, the largest of the null is the end of the band.
        let upper = |null: NullBand| if null.critical < f64::MAX { null.critical } else { null.high };
        Some(Interval {
            x: number(at),
            value: change.value,
            half: 2.0 * change.standard_error,
            label: format!(
                "{}: {change}{}",
                windows::span(over_time.times, window),
                null.unwrap_or_default()
            ),
            marked: changed,
            band: window.null.map(|null| (null.low.min(upper(null)), upper(null))),
            tick: name(over_time, at),
        })
    });
    let chart = IntervalChart {
        x_label: label(over_time),
        y_label: "change score".into(),
        rest: Some(0.0),
        points: points.collect(),
    };
    let words = if over_time.permutations > 0 { CHANGE } else { UNTESTED };
    let finding = windows::finding(over_time);
    let peak = over_time.peak().filter(|_| over_time.changed().next().is_some());
    let peak = peak.map_or_else(String::new, |(at, change)| {
        let name = windows::span(over_time.times, &over_time.windows[at]);
        format!(" The clearest change is in window {} ({name}): {change}.", at + 1)
    });
    Figure {
        title: "Change from window to window".into(),
        svg: chart.svg(),
        words: format!("{finding}.{peak}\n\n{words}"),
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
        x_label: label(over_time),
        y_label: "dominance".into(),
        xs: over_time.learned().map(|(at, _)| number(at)).collect(),
        ticks: over_time.learned().map(|(at, _)| name(over_time, at)).collect(),
        bands,
        last_is_rest: !rest.is_empty(),
    };
    Figure { title: "Dominance over time".into(), svg: chart.svg(), words: DOMINANCE.into() }
}

/// Atoms at some windows.
fn forms(over_time: &OverTime, form: &NetworkForm) -> Result<Option<Figure>, PictureError> {
    let kept = over_time.kept.len();
    if kept < 2 {
        return Ok(None);
    }
    let mut order = strongest(over_time);
    order.truncate(ATOMS);
    let rows = kept.min(DRAWN);
    let (mut atoms, mut names) = (Vec::new(), Vec::new());
    for row in 0..rows {
        let n = row * (kept - 1) / (rows - 1).max(1);
        let (at, w) = (over_time.kept[n], &over_time.dictionaries[n]);
        names.push(name(over_time, at));
        for &atom in &order {
            atoms.push(w.col(atom).iter().map(|x| f64::from(*x)).collect::<Vec<f64>>());
        }
    }
    let heads = (names, order.iter().map(|atom| format!("atom {atom}")).collect());
    let columns = Some(order.len());
    let grid = AtomGrid { columns, heads, ..AtomGrid::new(&atoms, (form.k, form.k)) };
    Ok(Some(Figure { title: "Atoms over time".into(), svg: grid.svg()?, words: FORMS.into() }))
}

fn table(over_time: &OverTime) -> Table {
    let row = |(at, window): (usize, &WindowRecord)| {
        let count = |n: Option<u64>| n.map_or_else(|| "–".to_owned(), |n| n.to_string());
        let fate = match (&window.passed_over, window.moved.continued, window.moved.restarted) {
            (Some(reason), ..) => format!("skipped: it {reason}"),
            (None, 0, 0) => "started".into(),
            (None, on, 0) => format!("{on} continued"),
            (None, 0, again) => format!("{again} restarted"),
            (None, on, again) => format!("{on} continued, {again} restarted"),
        };
        let change = window.change.map_or_else(|| "–".to_owned(), |change| change.to_string());
        let null =
            window.null.map_or_else(|| "–".to_owned(), |null| format!("{:.3} to {:.3}", null.low, null.high));
        let p_value = window.null.map_or_else(|| "–".to_owned(), |null| format!("{:.2}", null.p_value));
        let differences = window.differences;
        vec![
            (at + 1).to_string(),
            name(over_time, at),
            window.nodes.to_string(),
            window.edges.to_string(),
            count(differences.map(|d| d.came)),
            count(differences.map(|d| d.went)),
            fate,
            change,
            null,
            p_value,
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
            "The network of each window, edges added and removed since the one before, chains that continued or restarted, the change score, its range under permuted times, and the p-value adjusted for all windows.{cut}"
        ),
        head: [
            "window",
            if over_time.windows.iter().any(|one| one.span.is_some()) { "from" } else { "snapshot" },
            "nodes",
            "edges",
            "added",
            "removed",
            "chains",
            "change",
            "null",
            "p",
        ]
        .map(str::to_owned)
        .to_vec(),
        rows: over_time.windows.iter().enumerate().take(ROWS).map(row).collect(),
    }
}
