//! What there is to say of windows of time: a line for each, and what they come to.

use super::page_learn::times;
use ergodict::dictionary::{Measured, OverTime};

/// Change scores beyond so many standard errors are called changes.
pub(super) const SURE: f64 = 3.0;

/// Windows at the beginning of which all is known.
pub(super) fn finished(over_time: &OverTime) -> usize {
    let known = |at: &usize| {
        let window = &over_time.windows[*at];
        window.passed_over.is_some() || window.error_after.is_some()
    };
    (0..over_time.windows.len()).take_while(known).count()
}

/// `0.312 ± 0.008`.
pub(super) fn measured(one: Measured) -> String {
    format!("{:.3} ± {:.3}", one.value, one.standard_error)
}

/// What there is to say of one of `all` windows.
pub(super) fn line(over_time: &OverTime, at: usize, all: usize) -> String {
    let window = &over_time.windows[at];
    let name = format!("window {} of {all} ({})", at + 1, window.name);
    if let Some(reason) = &window.passed_over {
        return format!("{name}: passed over: it {reason}");
    }
    let mut parts = vec![format!("{} edges", window.edges)];
    if let Some(differences) = &window.differences {
        parts.push(format!("{} came, {} went", differences.came, differences.went));
    }
    if let Some(change) = window.change {
        parts.push(format!("change {}", measured(change)));
    }
    if window.moved.restarted > 0 {
        let plural = if window.moved.restarted == 1 { "" } else { "s" };
        parts.push(format!("{} chain{plural} started again", window.moved.restarted));
    }
    format!("{name}: {}", parts.join(", "))
}

/// What all windows come to, in a few words.
pub(super) fn words(over_time: &OverTime) -> Vec<(&'static str, String)> {
    let learned = over_time.learned().count();
    let passed = over_time.windows.len() - learned;
    let mut lines = Vec::new();
    let over = if passed > 0 { format!(", {passed} passed over") } else { String::new() };
    lines.push(("windows", format!("{learned} learned from{over}")));
    if let Some((at, change)) = over_time.peak() {
        let name = &over_time.windows[at].name;
        let sure = change.value > SURE * change.standard_error;
        let surely = if sure { "" } else { ", within what chance gives" };
        let many = over_time
            .windows
            .iter()
            .filter(|window| window.change.is_some_and(|one| one.value > SURE * one.standard_error));
        let count = many.count();
        let others =
            if sure && count > 1 { format!("; above chance {}", times(count as u64)) } else { String::new() };
        let text = format!("largest {} in window {} ({name}){surely}{others}", measured(change), at + 1);
        lines.push(("change", text));
    }
    lines
}
