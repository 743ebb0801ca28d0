//! What the runs say of the parts of Theorem 4.1 and of the remarks around it.

use super::summary::Seen;
use super::{Case, Theorem, closes_in};
use crate::paper::outcome::{Claim, Verdict};

/// The cases in which every assumption holds.
const SOUND: [&str; 5] =
    ["independent", "independent-forgetting", "sticky", "sticky-forgetting", "sticky-subsampled"];

/// Each part, beside its numbers.
pub(super) fn of(theorem: &Theorem) -> Vec<Claim> {
    let sound: Vec<(&Case, &Seen)> = SOUND.iter().filter_map(|key| theorem.case(key)).collect();
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

fn list(sound: &[(&Case, &Seen)], one: impl Fn(&Case, &Seen) -> String) -> String {
    sound
        .iter()
        .map(|(case, seen)| format!("{} ({})", one(case, seen), case.name))
        .collect::<Vec<_>>()
        .join("; ")
}

/// (i) and the first half of (ii).
fn limits(sound: &[(&Case, &Seen)]) -> Claim {
    let falls = |seen: &Seen| {
        let curve = &seen.old_codes.rms;
        seen.last(curve) <= 0.5 * seen.earlier(curve, 10.0)
    };
    Claim {
        about: "Theorem 4.1 (i) and (ii): surrogate and empirical loss".into(),
        printed: "E f_t(W_t) and E f̂_t(W_t) have the same limit; f_t(W_t) − f̂_t(W_t) → 0".into(),
        ours: list(sound, |_, seen| {
            let (mean, error) = seen.mean(|end| end.surrogate - end.empirical);
            let (loss, _) = seen.mean(|end| end.expected);
            format!("{mean:.1e} ± {error:.0e}, {:.2} % of the loss", 100.0 * mean / loss)
        }),
        verdict: Verdict::of(sound.iter().all(|(_, seen)| falls(seen))),
        why: "mean of f̂ − f_t over runs at the end; it must have fallen to less than half over the last tenfold of t (1/t would be a tenth)"
            .into(),
    }
}

/// The second half of (ii).
fn surrogate(sound: &[(&Case, &Seen)]) -> Claim {
    let bound = sound.first().map_or(f64::NAN, |(_, seen)| seen.bound());
    Claim {
        about: "Theorem 4.1 (ii): surrogate and expected loss".into(),
        printed: "f(W_t) − f̂_t(W_t) → 0".into(),
        ours: list(sound, |_, seen| {
            format!("{:.1e}, {:.2} of exact", seen.last(&seen.distance.rms), seen.excess(false))
        }),
        verdict: Verdict::of(sound.iter().all(|(case, seen)| closes_in(case, seen))),
        why: format!(
            "root mean square of f̂ − f over runs at the end, and in units of the exact standard deviation of f_t at that W, which goes to \
             zero: up to {bound:.2} is chance (χ², 0.999)"
        ),
    }
}

/// The rate that the proof's lemma bounds.
fn rates(sound: &[(&Case, &Seen)]) -> Claim {
    let agrees = |(_, seen): &(&Case, &Seen)| {
        let off = seen.rate.fitted - seen.rate.exact;
        off.abs() <= 4.0 * seen.rate.error
    };
    Claim {
        about: "how fast (a lemma of Section 7)".into(),
        printed: "E sup |f − f_t| ≤ C w_t √t: t^−0.5 for 1/t, t^−0.3 for t^−0.8".into(),
        ours: list(sound, |_, seen| {
            let rate = &seen.rate;
            format!("t^{:.2} ± {:.2}, exactly t^{:.2}", rate.fitted, rate.error, rate.exact)
        }),
        verdict: Verdict::of(sound.iter().all(agrees)),
        why: "exponents of |f̂ − f| over the last one and a half decades, four standard errors allowed (jackknife over runs); the bound is met, \
              and for t^−0.8 it is not sharp: the exact standard deviation falls as √w_t = t^−0.4"
            .into(),
    }
}

/// (iii).
fn gradients(sound: &[(&Case, &Seen)]) -> Claim {
    // Beyond what the sample missed there is what old codes tilt; half as much again is allowed for both and for chance.
    let near = |seen: &Seen| seen.last(&seen.gradient.rms) <= 1.5 * seen.last(&seen.gradient_exact);
    let falls = |seen: &Seen| seen.last(&seen.gradient.rms) <= 0.6 * seen.earlier(&seen.gradient.rms, 10.0);
    Claim {
        about: "Theorem 4.1 (iii): gradients".into(),
        printed: "‖∇f(W_t) − 2(W_t A_t − B_t)‖ → 0".into(),
        ours: list(sound, |_, seen| {
            format!("{:.1e}, exact {:.1e}", seen.last(&seen.gradient.rms), seen.last(&seen.gradient_exact))
        }),
        verdict: Verdict::of(sound.iter().all(|(_, seen)| near(seen) && falls(seen))),
        why: "root mean square over runs at the end beside the exact one of ‖∇f_t − ∇f‖ at that W: at most 1.5 times as much, and at most \
              0.6 of what it was at a tenth of t; with B_tᵀ for B_t, which the shapes need"
            .into(),
    }
}

/// The consequence of (iii).
fn gaps(sound: &[(&Case, &Seen)]) -> Claim {
    let falls = |seen: &Seen| seen.last(&seen.gap.rms) <= 0.6 * seen.earlier(&seen.gap.rms, 10.0);
    Claim {
        about: "Theorem 4.1 (iii): where W_t goes".into(),
        printed: "the distance of W_t from the local extrema of f goes to zero".into(),
        ours: list(sound, |_, seen| {
            format!("{:.1e}, from {:.1e}", seen.last(&seen.gap.rms), seen.earlier(&seen.gap.rms, 10.0))
        }),
        verdict: Verdict::of(sound.iter().all(|(_, seen)| falls(seen))),
        why: "stationarity gap of the expected loss at the end and at a tenth of t: at most 0.6 of it (t^−0.5 would be 0.32). As (C2) is \
              enforced by κ₁, the function is f + κ₁‖W‖², and the points are critical ones, minima or not"
            .into(),
    }
}

/// Iterate stability.
fn speeds(sound: &[(&Case, &Seen)]) -> Claim {
    let top = |speeds: &[f64]| speeds.iter().copied().fold(0.0, f64::max);
    let bounded = |seen: &Seen| {
        let middle = seen.speed.len() / 2;
        top(&seen.speed[middle..]) <= 2.0 * top(&seen.speed[..middle])
    };
    Claim {
        about: "iterate stability (a proposition of Section 7)".into(),
        printed: "‖W_t − W_{t−1}‖ = O(w_t)".into(),
        ours: list(sound, |_, seen| format!("at most {:.1} w_t", top(&seen.speed))),
        verdict: Verdict::of(sound.iter().all(|(_, seen)| bounded(seen))),
        why: "the largest ‖W_t − W_{t−1}‖/w_t of all steps of all runs; in the later half of logarithmic time at most twice the earlier".into(),
    }
}

/// The remark after the theorem.
fn subsampling(theorem: &Theorem) -> Option<Claim> {
    let ((_, whole), (_, part)) = (theorem.case("sticky")?, theorem.case("sticky-subsampled")?);
    let size = theorem.size;
    let exact = (size.kept_memory() * size.keep as f64 / size.memory()).sqrt();
    let ends = |seen: &Seen| {
        let (loss, error) = seen.mean(|end| end.expected);
        format!("{loss:.3} ± {error:.3}")
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
        verdict: Verdict::of(exact >= 1.0 && all <= few + 4.0 * error),
        why: format!(
            "exactly, an average of the kept states has {exact:.2} times the standard deviation of one of all (autocorrelation times {:.1} \
             and {:.2}); the loss with all must not be worse by four standard errors",
            size.memory(),
            size.kept_memory()
        ),
    })
}
