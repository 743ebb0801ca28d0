//! The cases as tables: what is assumed, what is promised, and where they end.

use super::summary::Seen;
use super::{Case, Theorem, closes_in};
use ergodict_report::Table;

/// The cases that `of` chooses.
pub(super) fn table(theorem: &Theorem, title: &str, words: String, of: impl Fn(&Case) -> bool) -> Table {
    let head = [
        "case",
        "what it breaks",
        "f̂ − f should",
        "f(W) at the end",
        "|f̂ − f| at the end",
        "exact",
        "ratio",
        "falls as",
        "exactly",
        "it does",
    ];
    let chosen = theorem.cases.iter().filter(|(case, _)| of(case));
    let rows = chosen.map(|(case, done)| row(case, &done.outcome)).collect();
    Table { title: title.into(), head: head.map(str::to_owned).to_vec(), rows, words }
}

fn row(case: &Case, seen: &Seen) -> Vec<String> {
    let (loss, error) = seen.mean(|end| end.expected);
    let falls = |exponent: f64| format!("t^{}", signed(exponent));
    vec![
        case.name.clone(),
        case.breaks.unwrap_or("nothing").to_owned(),
        if case.sound { "vanish" } else { "stay" }.to_owned(),
        format!("{loss:.3} ± {error:.3}"),
        format!("{:.1e}", seen.last(&seen.distance.rms)),
        format!("{:.1e}", seen.last(&seen.distance_exact)),
        format!("{:.2}", seen.excess(!case.sound)),
        format!("{} ± {:.2}", falls(seen.rate.fitted), seen.rate.error),
        falls(seen.rate.exact),
        if closes_in(case, seen) { "vanishes" } else { "stays" }.to_owned(),
    ]
}

/// Two digits, with a proper minus and no −0.00.
fn signed(x: f64) -> String {
    let text = format!("{:.2}", x.abs());
    if x < 0.0 && text != "0.00" { format!("−{text}") } else { text }
}
