//! Windows of time in words: which changed beyond their volume, and how many there are.

use ergodict::data::Times;
use ergodict::model::{Model, OverTime, WindowRecord};

/// Changed windows that have a line of their own.
const SHOWN: usize = 5;

/// What all windows come to, in a few lines.
pub fn words(over_time: &OverTime) -> Vec<(&'static str, String)> {
    let mut lines = vec![("", finding(over_time))];
    let changed: Vec<usize> = over_time.changed().map(|(at, _)| at).collect();
    for &at in changed.iter().take(SHOWN) {
        lines.extend(detail(over_time, at).map(|text| ("", format!("  {text}"))));
    }
    if changed.len() > SHOWN {
        lines.push(("", format!("  … {} more in the report", changed.len() - SHOWN)));
    }
    let learned = over_time.learned().count();
    let skipped = over_time.windows.len() - learned;
    let skipped = if skipped > 0 { format!(", {skipped} skipped") } else { String::new() };
    lines.push(("windows", format!("{learned} learned from{skipped}")));
    lines
}

/// Whether the network changed, in a line.
pub fn finding(over_time: &OverTime) -> String {
    let tested = over_time.scored().filter(|(_, window, _)| window.null.is_some()).count();
    let plural = if tested == 1 { "" } else { "s" };
    if tested == 0 {
        let reason = match &over_time.untested {
            Some(reason) => format!(": {reason}"),
            None if over_time.scored().count() == 0 => ": no window has another before it".to_owned(),
            None => String::new(),
        };
        return format!("Change not tested against permuted times{reason}");
    }
    let null = format!("null: times permuted {} times", over_time.permutations);
    let changed = over_time.changed().count();
    if changed > 0 {
        return format!("Change beyond volume in {changed} of {tested} window{plural} ({null})");
    }
    let peak = over_time.peak().and_then(|(at, _)| detail(over_time, at));
    let peak = peak.map_or_else(String::new, |text| format!(": at most {text}"));
    format!("No change of patches detected beyond volume in {tested} window{plural} ({null}){peak}")
}

/// When a window begins, and its score next to those of permuted times.
fn detail(over_time: &OverTime, at: usize) -> Option<String> {
    let window = &over_time.windows[at];
    let (change, null) = (window.change?, window.null?);
    let name = begin(over_time.times, window);
    let score = change.to_string();
    let decimals = score.rsplit_once('.').map_or(3, |(_, decimals)| decimals.len());
    // With few permutations no score may be large enough.
    let limit = if null.critical < f64::MAX {
        format!(" (limit {:.decimals$})", null.critical)
    } else {
        String::new()
    };
    Some(format!("window {} ({name}): score {score}{limit}, p = {:.2}", at + 1, null.p_value))
}

/// When a window begins, without the time of day where it is a day long; the name of a snapshot.
pub fn begin(times: Times, window: &WindowRecord) -> String {
    window.span.map_or_else(|| window.name.clone(), |(from, to)| moment(times, from, to - from))
}

/// When a window begins and ends, in the same way.
pub fn span(times: Times, window: &WindowRecord) -> String {
    window.span.map_or_else(
        || window.name.clone(),
        |(from, to)| format!("{} to {}", moment(times, from, to - from), moment(times, to, to - from)),
    )
}

/// What a model of one network in windows of time kept of it: its last window, or the largest component of that.
pub fn last(model: &Model) -> Option<&'static str> {
    let (_, window) = model.over_time.as_ref()?.learned().next_back()?;
    let [one] = &model.provenance.networks[..] else { return None };
    Some(if one.nodes < window.nodes {
        "the largest component of its last window"
    } else {
        "its last window"
    })
}

/// A moment, without the time of day where windows of this `length` are a day long or more.
pub fn moment(times: Times, moment: f64, length: f64) -> String {
    let text = times.show(moment);
    match text.split_once('T') {
        Some((day, _)) if times != Times::Numbers && length >= 86_400.0 => day.to_owned(),
        _ => text,
    }
}
