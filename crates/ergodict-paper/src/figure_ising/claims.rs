//! What the paper says of dictionaries from Ising trajectories, next to what was found.

use super::{At, FigureIsing, Learned, Run, Setting};
use crate::outcome::{Claim, Verdict};
use crate::spread::Spread;
use ergodict_report::words::grouped;

/// Rebuilding errors whose range is under this share of their mean do not change drastically.
const DRASTIC: f64 = 0.1;
/// Shares of sites that differ: of configurations that look almost identical, and of such that are far from independent (½).
const IDENTICAL: f64 = 0.01;
const DEPENDENT: f64 = 0.25;
/// Euler's constant.
const EULER: f64 = 0.577_215_664_901_532_9;

pub(super) fn judge(figure: &FigureIsing) -> Vec<Claim> {
    let [cold, critical, hot] = &figure.all[..] else { return Vec::new() };
    let quick = figure.quick;
    let verdict = |holds| if quick { Verdict::NotComparable } else { Verdict::agrees_if(holds) };
    let mut claims: Vec<Claim> = [critical, hot].into_iter().map(|at| steeper(at, verdict)).collect();
    claims.extend(faster(cold, figure.setting, verdict));
    claims.extend(overfitted(cold, verdict));
    claims.push(hardly(figure, hot, verdict));
    claims.push(rebuilding(figure, verdict));
    claims.push(one_configuration(figure, verdict));
    claims.push(common(figure, verdict));
    claims.extend(moving(cold, verdict));
    claims.push(coupons(figure.setting, verdict));
    claims.push(Claim {
        about: "the length of the trajectories (Section 5.3)".into(),
        printed: "5·10⁶ iterations, and 5·10⁷ further on".into(),
        ours: format!("{} updates", grouped(figure.setting.updates)),
        verdict: Verdict::NotComparable,
        why: "one of the two is a slip; the shape of the array in the same section, 5·10⁶/τ, is the former's"
            .into(),
    });
    claims
}

/// Names and surrogates at the end, from the shortest epoch to the longest.
fn surrogates(at: &At) -> String {
    let all: Vec<String> =
        at.runs.iter().map(|run| format!("{:.2} ({})", run.done.outcome.last(), run.name())).collect();
    all.join(", ")
}

fn steeper(at: &At, verdict: impl Fn(bool) -> Verdict) -> Claim {
    let ordered = at.runs.windows(2).all(|two| two[0].done.outcome.last() < two[1].done.outcome.last());
    Claim {
        about: format!("shorter epochs, T = {} (Section 5.3, Figure 5)", at.temperature),
        printed: "a shorter epoch has a steeper decrease of the surrogate in MCMC iterations".into(),
        ours: format!("surrogate per patch after the same iterations: {}", surrogates(at)),
        verdict: verdict(ordered),
        why: "agrees when the surrogate at the end ascends with τ".into(),
    }
}

/// The two shortest epochs of the cold chain.
fn faster(cold: &At, setting: &Setting, verdict: impl Fn(bool) -> Verdict) -> Option<Claim> {
    let [short, long, ..] = &cold.runs[..] else { return None };
    let tenths = (1..=10).map(|k| k * setting.updates / 10);
    let below = tenths.filter(|&at| {
        let (a, b) = (short.done.outcome.surrogate_at(at), long.done.outcome.surrogate_at(at));
        a.zip(b).is_some_and(|(a, b)| b < a)
    });
    let below = below.count();
    Some(Claim {
        about: format!("τ = {} against {}, T = 0.5 (Section 5.3)", long.every.unwrap_or(0), short.every.unwrap_or(0)),
        printed: "the longer of the two decays faster".into(),
        ours: format!("its surrogate is the lower one at {below} of ten tenths of the run; at the end {}", surrogates(cold)),
        verdict: verdict(below > 5),
        why: "the surrogate is a mean over all configurations so far, and the cold chain orders from its disordered start for the whole \
              run: a long τ leaves more of the costly beginning out of the mean, which is no better dictionary"
            .into(),
    })
}

/// Whether frequent training overfits.
fn overfitted(cold: &At, verdict: impl Fn(bool) -> Verdict) -> Option<Claim> {
    let [short, long, ..] = &cold.runs[..] else { return None };
    let apart = Spread::between(&short.done.outcome.along, &long.done.outcome.along);
    let worth = |run: &Run| Spread::from_samples(&run.done.outcome.along).mean;
    Some(Claim {
        about: "overfitting by training too frequently, T = 0.5 (Section 5.3)".into(),
        printed: "the short epoch may overfit to specific configurations".into(),
        ours: format!(
            "loss on other chains of the same ages: {:.2} ({}) and {:.2} ({}), apart by {apart}",
            worth(short),
            short.name(),
            worth(long),
            long.name()
        ),
        verdict: verdict(apart.is_above()),
        why: "an overfitted dictionary does worse on configurations it has not seen: agrees when the short epoch's does, by more than \
              three standard errors over chains"
            .into(),
    })
}

/// Loss on other chains as a share of that of the mean patch: of the shortest epoch.
fn left(at: &At) -> f64 {
    at.runs.first().map_or(f64::NAN, |run| {
        Spread::from_samples(&run.done.outcome.along).mean / at.course.outcome.mean_patch.along
    })
}

fn hardly(figure: &FigureIsing, hot: &At, verdict: impl Fn(bool) -> Verdict) -> Claim {
    let all: Vec<String> =
        figure.all.iter().map(|at| format!("{:.3} at T = {}", left(at), at.temperature)).collect();
    let hottest = figure.all.iter().all(|at| left(at) <= left(hot));
    Claim {
        about: "high temperature (Appendix D, Figure 5)".into(),
        printed: "effective dictionary learning may not be possible at all at T = 5".into(),
        ours: format!("loss on other chains over that of the mean patch: {}", all.join(", ")),
        verdict: verdict(hottest),
        why: "agrees when T = 5 is the worst of the three. The penalty λ‖h‖₁ is in the loss of codes, not in that of the mean patch".into(),
    }
}

/// The range of reconstructing errors over epochs, as a share of their mean.
fn range(at: &At) -> f64 {
    let errors = || at.runs.iter().map(|run| run.done.outcome.relative_error);
    let (low, high) = (errors().fold(f64::INFINITY, f64::min), errors().fold(0.0, f64::max));
    (high - low) * at.runs.len() as f64 / errors().sum::<f64>()
}

fn rebuilding(figure: &FigureIsing, verdict: impl Fn(bool) -> Verdict) -> Claim {
    let one = |at: &At| {
        let errors: Vec<String> =
            at.runs.iter().map(|run| format!("{:.3}", run.done.outcome.relative_error)).collect();
        format!(
            "T = {}: {} (range {:.1} % of the mean)",
            at.temperature,
            errors.join(", "),
            100.0 * range(at)
        )
    };
    Claim {
        about: "reconstructing a fixed configuration (Appendix D)".into(),
        printed: "the error does not change drastically with the epoch".into(),
        ours: figure.all.iter().map(one).collect::<Vec<_>>().join("; "),
        verdict: verdict(figure.all.iter().all(|at| range(at) < DRASTIC)),
        why: format!(
            "agrees when the range over τ is under {:.0} % of the mean at every temperature",
            100.0 * DRASTIC
        ),
    }
}

/// How much more the loss rises from the last configuration to others of its age when atoms are of that configuration alone: what the trajectory's atoms
/// rise by is what that configuration is easier than others.
fn rise(at: &At) -> Spread {
    let (fixed, trajectory) = (&at.fixed.done.outcome, &at.beside().done.outcome);
    let above = Spread::between(&fixed.end, &trajectory.end);
    // `own` is a mean over as many patches as the other: its error, of one configuration, is not known, and taken to be as large.
    Spread { mean: above.mean - (fixed.own - trajectory.own), error: above.error * std::f64::consts::SQRT_2 }
}

/// A line for each temperature.
fn each(figure: &FigureIsing, line: impl Fn(&At) -> String) -> String {
    figure.all.iter().map(|at| format!("T = {}: {}", at.temperature, line(at))).collect::<Vec<_>>().join("; ")
}

fn one_configuration(figure: &FigureIsing, verdict: impl Fn(bool) -> Verdict) -> Claim {
    let line = |at: &At| {
        let (fixed, trajectory) = (&at.fixed.done.outcome, &at.beside().done.outcome);
        let [others, theirs] = [&fixed.end, &trajectory.end].map(|all| Spread::from_samples(all).mean);
        format!(
            "{:.2} on it, {others:.2} on others of its age; the trajectory's atoms {:.2} and {theirs:.2}: rises by {} more",
            fixed.own,
            trajectory.own,
            rise(at)
        )
    };
    Claim {
        about: "atoms of one configuration (Section 5.3, Figure 6)".into(),
        printed: "overfitted to that configuration".into(),
        ours: format!("loss of a patch: {}", each(figure, line)),
        verdict: verdict(figure.all.iter().all(|at| rise(at).is_above())),
        why: "agrees when, at every temperature, the loss rises more from that configuration to those of other chains than the loss of the \
              trajectory's atoms does, by more than three standard errors over chains"
            .into(),
    }
}

fn common(figure: &FigureIsing, verdict: impl Fn(bool) -> Verdict) -> Claim {
    let above = |at: &At, of: fn(&Learned) -> &Vec<f64>| {
        Spread::between(of(&at.fixed.done.outcome), of(&at.beside().done.outcome))
    };
    let line = |at: &At| format!("{}; {}", above(at, |one| &one.along), above(at, |one| &one.end));
    Claim {
        about: "atoms of the trajectory (Section 5.3, Figure 6)".into(),
        printed: "features common to a number of configurations, unlike those of one".into(),
        ours: format!(
            "loss of one configuration's atoms above the trajectory's, on other chains of all ages and of the age of that \
             configuration: {}",
            each(figure, line).replace("; T", " / T")
        ),
        verdict: verdict(figure.all.iter().all(|at| above(at, |one| &one.along).is_above())),
        why: "agrees when the trajectory's atoms do better on other chains of all ages at every temperature, by more than three standard errors. Many \
              patches of a large configuration are nearly independent, so that one teaches nearly as much as many; and a chain that is still ordering \
              teaches its disordered past as well"
            .into(),
    }
}

fn moving(cold: &At, verdict: impl Fn(bool) -> Verdict) -> Option<Claim> {
    let changed = &cold.course.outcome.changed;
    let (first, last) = (changed.first()?, changed.last()?);
    Some(Claim {
        about: "how much moves in an epoch, T = 0.5 (Section 5.3)".into(),
        printed: "almost identical after 1000 updates; far from independent even after 500000".into(),
        ours: format!(
            "{:.2} % of the sites differ after {} updates, {:.1} % after {}",
            100.0 * first.1,
            grouped(first.0),
            100.0 * last.1,
            grouped(last.0)
        ),
        verdict: verdict(first.1 < IDENTICAL && last.1 < DEPENDENT),
        why: format!(
            "half of the sites of independent fair coins differ; agrees under {:.0} % and under {:.0} %",
            100.0 * IDENTICAL,
            100.0 * DEPENDENT
        ),
    })
}

fn coupons(setting: &Setting, verdict: impl Fn(bool) -> Verdict) -> Claim {
    let sites = (setting.side * setting.side) as f64;
    let product = sites * sites.ln();
    Claim {
        about: "updates until every site was resampled (Section 5.3)".into(),
        printed: "with high probability 40000 log 40000 ≈ 423865".into(),
        ours: format!(
            "n ln n = {product:.0} for {sites} sites; the mean, n(ln n + γ), is {:.0}",
            product + EULER * sites
        ),
        verdict: verdict(product.round() == 423_865.0),
        why: "the product is right; by then all sites have been resampled with probability 1/e ≈ 0.37 only, so it is the usual size of that time \
              rather than a bound"
            .into(),
    }
}
