//! The tables: what the theorem assumes and how it is met, the chains, and where each case ends.

use super::setting::{KAPPA1, KAPPA2, Size};
use super::summary::{CaseRecord, last};
use super::{Case, Theorem, closes_in};
use ergodict_report::Table;

/// The assumptions, one by one.
pub(super) fn assumptions(theorem: &Theorem) -> Table {
    let stay = theorem.size.stay;
    let smallest = theorem.case("sticky").map_or(f64::NAN, |(_, seen)| seen.smallest);
    let rows = [
        (
            "(A1)",
            "minibatches are a bounded function of states, of which there are countably many",
            "six pictures of 64 pixels, each 0 or 1".to_owned(),
        ),
        (
            "(A2)",
            "dictionaries lie in a disjoint union of compact convex sets",
            "one such set: nonnegative atoms of norm at most 1".to_owned(),
        ),
        (
            "(M1)",
            "the chain is irreducible, aperiodic and positive recurrent",
            "any picture can follow any other, independent or sticky".to_owned(),
        ),
        (
            "(M2)",
            "enough: wₜ = O(t^−β), 3/4 < β ≤ 1, and distributions that come to π faster than t^−2(1−β)",
            format!("β = 1 and 0.8; the distribution is off by (1 − 1/{stay})^t"),
        ),
        ("Σ wₜ = ∞", "what is old is forgotten", "1/t and t^−0.8".to_owned()),
        (
            "(C1)",
            "losses have Lipschitz gradients; enough: codes are unique",
            format!("κ₂ = {KAPPA2}: the code has a strictly convex objective"),
        ),
        (
            "(C2)",
            "eigenvalues of Aₜ stay above a positive number",
            format!(
                "κ₁ = {KAPPA1} is added to them; without, the smallest is {smallest:.2} at the end of the sticky runs"
            ),
        ),
    ];
    Table {
        title: "What the theorem assumes".into(),
        head: ["assumption", "what it asks", "here"].map(str::to_owned).to_vec(),
        rows: rows.map(|(name, asks, here)| vec![name.to_owned(), asks.to_owned(), here]).to_vec(),
        words: "Under the assumptions below: (i) the expectations of fₜ(Wₜ) and f̂ₜ(Wₜ) have the same limit; (ii) fₜ(Wₜ) − f̂ₜ(Wₜ) → 0 and f(Wₜ) − \
                f̂ₜ(Wₜ) → 0; (iii) ‖∇f(Wₜ) − 2(WₜAₜ − Bₜᵀ)‖ → 0, and Wₜ comes to the critical points of f. With κ₁ these are the \
                points of f + κ₁‖W‖²."
            .into(),
    }
}

/// The chains, with what is known of them.
pub(super) fn chains(size: Size) -> Table {
    let kept = size.correlation().powf(size.keep as f64);
    let rows = [
        ["independent", "drawn from π", "1", "1"].map(str::to_owned).to_vec(),
        vec![
            "sticky".into(),
            format!("the same again, but for one step in {}, which draws from π", size.stay),
            format!("1/{}", size.stay),
            format!("{:.0}", size.memory()),
        ],
        vec![
            format!("sticky, every {}th", size.keep),
            "its states that are kept".into(),
            format!("{:.3}", 1.0 - kept),
            format!("{:.2}", size.kept_memory()),
        ],
        vec![
            "halves in turn".into(),
            "drawn from π within the other half: period 2".into(),
            "1, next to the eigenvalue −1".into(),
            "at most 1".into(),
        ],
        vec![
            "halves that never meet".into(),
            "drawn from π within the same half: reducible".into(),
            "none: 1 is a double eigenvalue".into(),
            "∞".into(),
        ],
    ];
    Table {
        title: "The chains".into(),
        head: ["chain", "the next picture", "spectral gap", "autocorrelation time"].map(str::to_owned).to_vec(),
        rows: rows.to_vec(),
        words: "All of them have the stationary distribution π; the last also has others. As many pictures in a row as \
                the autocorrelation time are worth one independent picture."
            .into(),
    }
}

/// The cases that `of` chooses.
pub(super) fn cases(theorem: &Theorem, title: &str, words: String, of: impl Fn(&Case) -> bool) -> Table {
    let head = ["case", "breaks", "f(W)", "f̂ − f (exact)", "ratio", "exponent (exact)", "f̂ − f"];
    let chosen = theorem.cases.iter().filter(|(case, _)| of(case));
    let rows = chosen.map(|(case, done)| row(case, &done.outcome)).collect();
    Table { title: title.into(), head: head.map(str::to_owned).to_vec(), rows, words }
}

fn row(case: &Case, seen: &CaseRecord) -> Vec<String> {
    let (loss, error) = seen.mean(|end| end.expected);
    let fate = match (closes_in(case, seen), case.sound) {
        (true, true) => "vanishes",
        (false, false) => "stays",
        (true, false) => "vanishes, but should stay",
        (false, true) => "stays, but should vanish",
    };
    vec![
        case.name.clone(),
        case.breaks.unwrap_or("nothing").to_owned(),
        with_error(loss, error),
        format!("{} ({})", two_digits(last(&seen.distance.rms)), two_digits(last(&seen.distance_exact))),
        format!("{:.2}", seen.excess(!case.sound)),
        format!("{} ± {:.2} ({})", signed(seen.rate.fitted), seen.rate.error, signed(seen.rate.exact)),
        fate.to_owned(),
    ]
}

/// Two decimals, with a proper minus and no −0.00.
pub(super) fn signed(x: f64) -> String {
    let text = format!("{:.2}", x.abs());
    if x < 0.0 && text != "0.00" { format!("−{text}") } else { text }
}

/// Two significant digits, as a decimal number.
pub(super) fn two_digits(x: f64) -> String {
    let places =
        if x > 0.0 && x.is_finite() { (1.0 - x.log10().floor()).clamp(0.0, 9.0) as usize } else { 2 };
    format!("{x:.places$}")
}

/// A number and its error, both up to the first digit of the error.
pub(super) fn with_error(x: f64, error: f64) -> String {
    let places =
        if error > 0.0 && error.is_finite() { (-error.log10().floor()).clamp(0.0, 9.0) as usize } else { 3 };
    format!("{x:.places$} ± {error:.places$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_digits_that_are_known() {
        assert_eq!([-0.004, -0.46, 0.1].map(signed), ["0.00", "−0.46", "0.10"]);
        assert_eq!([0.00671, 0.092, 1.87, 34.6].map(two_digits), ["0.0067", "0.092", "1.9", "35"]);
        assert_eq!(with_error(4.35812, 0.000_13), "4.3581 ± 0.0001");
        assert_eq!(with_error(7.5366, 0.3566), "7.5 ± 0.4");
    }
}
