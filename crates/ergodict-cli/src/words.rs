//! What learning has to say at the end, in words.

use ergodict::dictionary::{Model, Results};

/// The results in words, as pairs of a name and a text.
pub(crate) fn lines(results: &Results, model: &Model) -> Vec<(&'static str, String)> {
    let mut lines = vec![(
        "loss",
        format!("{:.6} per sample, surrogate {:.6}", results.loss_per_sample, results.surrogate_per_sample),
    )];
    if let Some(loss) = results.held_out_loss_per_sample {
        lines.push(("held out", format!("{loss:.6} per sample over {}", results.held_out_samples)));
    }
    let eigenvalue = results.smallest_eigenvalue.map_or_else(String::new, |x| format!(", λ_min(A) {x:.3e}"));
    lines.push(("gap", format!("{:.3e} from stationary{eigenvalue}", results.stationarity_gap)));
    let (scores, order) = model.dominance();
    let first: Vec<String> = order.iter().take(5).map(|&k| format!("{:.3}", scores[k])).collect();
    let rest = if order.len() > first.len() { ", …" } else { "" };
    lines.push((
        "dominance",
        format!(
            "{}{rest}; {} unused",
            first.join(", "),
            crate::page::count(results.unused_atoms, "atom", "atoms")
        ),
    ));
    if results.unused_atoms == order.len() {
        lines.push(("warning", "every code is zero, nothing was learned: lower --lambda".to_owned()));
    }
    let (code, update) = (results.capped_code_steps, results.capped_update_steps);
    // A few updates that end at their last sweep are usual; the next step goes on where they stopped.
    if code > 0 || 10 * update > model.aggregates.t {
        let caps = format!(
            "coding stopped before its tolerance in {code}, the dictionary update in {update} of {} steps",
            model.aggregates.t
        );
        lines.push(("caps", caps));
    }
    if results.reseeded > 0 {
        lines.push(("reseeded", format!("{} times an atom", results.reseeded)));
    }
    lines
}

/// Pairs of a name and a text, a line each.
pub(crate) fn table(lines: &[(&str, String)]) -> String {
    let width = lines.iter().map(|(name, _)| name.len()).max().unwrap_or(0).max(10);
    let lines: Vec<String> = lines.iter().map(|(name, text)| format!("{name:<width$} {text}")).collect();
    lines.join("\n")
}
