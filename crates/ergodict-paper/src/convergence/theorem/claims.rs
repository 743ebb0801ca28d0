//! What the runs say of the parts of Theorem 4.1 and of the remarks around it.

use super::summary::{CaseRecord, first, last};
use super::tables::{signed, two_digits, with_error};
use super::{Case, Theorem, closes_in};
use crate::outcome::{Claim, Verdict};

/// The cases in which every assumption holds.
const SOUND: [&str; 5] =
    ["independent", "independent-forgetting", "sticky", "sticky-forgetting", "sticky-subsampled"];

/// Each part, next to its numbers.
pub(super) fn judge(theorem: &Theorem) -> Vec<Claim> {
    let sound: Vec<(&Case, &CaseRecord)> = SOUND.iter().filter_map(|key| theorem.case(key)).collect();
    let mut claims = vec![
        limits(&sound),
        surrogate(&sound),
        rates(&sound),
        gradients(&sound),
        gaps(&sound),
        speeds(&sound),
    ];
    claims.extend(subsampling(theorem));
    claims
}

fn list(sound: &[(&Case, &CaseRecord)], one: impl Fn(&Case, &CaseRecord) -> String) -> String {
    sound
        .iter()
        .map(|(case, seen)| format!("{} ({})", one(case, seen), case.name))
        .collect::<Vec<_>>()
        .join("; ")
}

/// (i) and the first half of (ii).
fn limits(sound: &[(&Case, &CaseRecord)]) -> Claim {
    // Sound cases leave 0.4 % of the loss at most, quick or not; summable weights leave 5 %.
    let gone = |seen: &CaseRecord| last(&seen.old_codes.rms) <= 0.01 * seen.mean(|end| end.expected).0;
    Claim {
        about: "Theorem 4.1 (i) and (ii): surrogate and empirical loss".into(),
        printed: "E fₜ(Wₜ) and E f̂ₜ(Wₜ) have the same limit; fₜ(Wₜ) − f̂ₜ(Wₜ) → 0".into(),
        ours: list(sound, |_, seen| {
            let (mean, error) = seen.mean(|end| end.surrogate - end.empirical);
            let (loss, _) = seen.mean(|end| end.expected);
            format!("{}, {:.2} % of the loss", with_error(mean, error), 100.0 * mean / loss)
        }),
        verdict: Verdict::agrees_if(sound.iter().all(|(_, seen)| gone(seen))),
        why: "mean of f̂ − fₜ over runs at the end; its root mean square must be below 1 % of the loss".into(),
    }
}

/// The second half of (ii).
fn surrogate(sound: &[(&Case, &CaseRecord)]) -> Claim {
    let bound = sound.first().map_or(f64::NAN, |(_, seen)| seen.bound());
    Claim {
        about: "Theorem 4.1 (ii): surrogate and expected loss".into(),
        printed: "f(Wₜ) − f̂ₜ(Wₜ) → 0".into(),
        ours: list(sound, |_, seen| {
            format!("{}, {:.2} of exact", two_digits(last(&seen.distance.rms)), seen.excess(false))
        }),
        verdict: Verdict::agrees_if(sound.iter().all(|(case, seen)| closes_in(case, seen))),
        why: format!(
            "root mean square of f̂ − f over runs at the end, and in units of the exact standard deviation of fₜ at that W, \
             which goes to zero: up to {bound:.2} is chance (χ², 0.9999)"
        ),
    }
}

/// The rate that the proof's lemma bounds.
fn rates(sound: &[(&Case, &CaseRecord)]) -> Claim {
    let agrees = |(_, seen): &(&Case, &CaseRecord)| {
        let off = seen.rate.fitted - seen.rate.exact;
        // As many as Student's t asks for where runs are few.
        off.abs() <= 6.0 * seen.rate.error
    };
    Claim {
        about: "how fast (a lemma of Section 7)".into(),
        printed: "E sup |f − fₜ| ≤ C wₜ√t: t^−0.5 for 1/t, t^−0.3 for t^−0.8".into(),
        ours: list(sound, |_, seen| {
            let rate = &seen.rate;
            format!("{} ± {:.2}, exactly {}", signed(rate.fitted), rate.error, signed(rate.exact))
        }),
        verdict: Verdict::agrees_if(sound.iter().all(agrees)),
        why: "exponents of f̂ − f over the last one and a half decades, six standard errors allowed (jackknife over few runs); the \
              bound is met, and for t^−0.8 it is not sharp: the exact standard deviation falls as √wₜ = t^−0.4"
            .into(),
    }
}

/// (iii).
fn gradients(sound: &[(&Case, &CaseRecord)]) -> Claim {
    // Beyond what the sample missed there is what old codes tilt; half as much again is allowed for both and for chance.
    let near = |seen: &CaseRecord| last(&seen.gradient.rms) <= 1.5 * last(&seen.gradient_exact);
    Claim {
        about: "Theorem 4.1 (iii): gradients".into(),
        printed: "‖∇f(Wₜ) − 2(WₜAₜ − Bₜ)‖ → 0".into(),
        ours: list(sound, |_, seen| {
            format!("{}, exact {}", two_digits(last(&seen.gradient.rms)), two_digits(last(&seen.gradient_exact)))
        }),
        verdict: Verdict::agrees_if(sound.iter().all(|(_, seen)| near(seen))),
        why: "root mean square over runs at the end, compared with the exact one of ‖∇fₜ − ∇f‖ at that W, which goes to zero: at most \
              1.5 times as much; with Bₜᵀ for Bₜ, which the shapes need"
            .into(),
    }
}

/// The consequence of (iii).
fn gaps(sound: &[(&Case, &CaseRecord)]) -> Claim {
    let falls = |seen: &CaseRecord| {
        let (end, curve) = (last(&seen.gap.rms), &seen.gap.rms);
        end <= seen.earlier(curve, 10.0) && end <= first(curve) / 2.0
    };
    Claim {
        about: "Theorem 4.1 (iii): where Wₜ goes".into(),
        printed: "the distance of Wₜ from the local extrema of f goes to zero".into(),
        ours: list(sound, |_, seen| {
            format!("{}, from {}", two_digits(last(&seen.gap.rms)), two_digits(first(&seen.gap.rms)))
        }),
        verdict: Verdict::agrees_if(sound.iter().all(|(_, seen)| falls(seen))),
        why: "stationarity gap of the expected loss at the end and at first: at most half, and no more than at a tenth of t. As \
              (C2) is enforced by κ₁, the function is f + κ₁‖W‖², and the points are critical ones, minima or not"
            .into(),
    }
}

/// Iterate stability.
fn speeds(sound: &[(&Case, &CaseRecord)]) -> Claim {
    let top = |speeds: &mut dyn Iterator<Item = &f64>| speeds.copied().fold(0.0, f64::max);
    let split = |seen: &CaseRecord| {
        let from = seen.at.last().map_or(0, |last| last / 10);
        let early = seen.at.iter().filter(|t| **t <= from).count();
        (top(&mut seen.speed.iter().take(early)), top(&mut seen.speed.iter().skip(early)))
    };
    // Were steps not to shrink with the weights, it would be seven to ten times as much.
    let bounded = |seen: &CaseRecord| split(seen).1 <= 3.0 * split(seen).0;
    Claim {
        about: "iterate stability (a proposition of Section 7)".into(),
        printed: "‖Wₜ − Wₜ₋₁‖ = O(wₜ)".into(),
        ours: list(sound, |_, seen| {
            let (early, late) = split(seen);
            format!("at most {:.1} wₜ, {late:.1} wₜ of late", early.max(late))
        }),
        verdict: Verdict::agrees_if(sound.iter().all(|(_, seen)| bounded(seen))),
        why: "the largest ‖Wₜ − Wₜ₋₁‖/wₜ of all steps of all runs, and over the last tenfold of t, where it must not exceed \
              three times what it was before (were steps not to shrink with the weights, it would be seven to ten times). The \
              constant is like 1/κ₁: along the sticky chain atoms jump when a new picture comes after many of the same, while Aₜ \
              is nearly singular"
            .into(),
    }
}

/// The remark after the theorem.
fn subsampling(theorem: &Theorem) -> Option<Claim> {
    let ((_, whole), (_, part)) = (theorem.case("sticky")?, theorem.case("sticky-subsampled")?);
    let size = theorem.size;
    let exact = (size.kept_memory() * size.keep as f64 / size.memory()).sqrt();
    let ends = |seen: &CaseRecord| {
        let (loss, error) = seen.mean(|end| end.expected);
        with_error(loss, error)
    };
    let ((all, _), (few, error)) = (whole.mean(|end| end.expected), part.mean(|end| end.expected));
    Some(Claim {
        about: "subsampling a dependent trajectory (after Theorem 4.1)".into(),
        printed: "there is no need to; it “may not be the most efficient use of given data samples”".into(),
        ours: format!(
            "the same trajectory: expected loss {} with all {} states, {} with every {}th",
            ends(whole),
            size.steps,
            ends(part),
            size.keep
        ),
        verdict: Verdict::agrees_if(exact >= 1.0 && all <= few + 4.0 * error),
        why: format!(
            "exactly, an average of the kept states has {exact:.2} times the standard deviation of one of all (autocorrelation \
             times {:.1} and {:.2}); the loss with all must not be worse by four standard errors",
            size.memory(),
            size.kept_memory()
        ),
    })
}
