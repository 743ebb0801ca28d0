//! Theorem 4.1 next to the truth: six pictures and chains so small that every quantity it speaks of is known exactly.
//!
//! | paper | here |
//! |---|---|
//! | `f_t(W_t)`, from all that was seen | the weighted occupation of states times their losses |
//! | `f(W_t)` | the stationary law times the same losses |
//! | (ii) `f̂_t − f → 0`, `f_t − f̂_t → 0` | `summary::CaseRecord::distance` and `old_codes` |
//! | (iii) `‖∇f(W_t) − 2(W_t A_t − B_tᵀ)‖ → 0` | `summary::CaseRecord::gradient` |
//! | critical points of `f` in `C` | `summary::CaseRecord::gap`, of `f + κ₁‖W‖²`, as (C2) is enforced |
//! | iterate stability | `summary::CaseRecord::speed` |

mod cases;
mod claims;
mod exact;
mod page;
mod setting;
mod summary;
mod tables;
mod watch;

use super::{VERB, log_spaced};
use crate::outcome::Claim;
use crate::place::{Done, Place};
use anyhow::Result;
use cases::Case;
use ergodict_report::Report;
use exact::Occupation;
use rayon::prelude::*;
use serde_json::{Value, json};
use setting::{Movement, Size};
use summary::{CaseRecord, last};
use watch::Times;

/// All cases that were run.
pub(super) struct Theorem {
    size: Size,
    cases: Vec<(Case, Done<CaseRecord>)>,
}

impl Theorem {
    /// Runs the cases that are missing; none when interrupted.
    pub(super) fn measure(place: &mut Place<'_>) -> Result<Option<Self>> {
        let (size, seed) = (Size::new(place.quick), place.common.seed);
        let mut done = Vec::new();
        for case in cases::all(size) {
            let make = || runs(&case, size, seed).map(Some);
            let Some(seen) = place.unit((VERB, case.key, seed), case.settings(size), &[], make)? else {
                return Ok(None);
            };
            if seen.new {
                let CaseRecord { distance, distance_exact, rate, .. } = &seen.outcome;
                place.talk(&format!(
                    "{}: |f̂ − f| {:.1e}, exact {:.1e}; falls as t to the {:.2}",
                    case.name,
                    last(&distance.rms),
                    last(distance_exact),
                    rate.fitted,
                ));
            }
            done.push((case, seen));
        }
        Ok(Some(Self { size, cases: done }))
    }

    /// A case by its name.
    fn case(&self, key: &str) -> Option<(&Case, &CaseRecord)> {
        self.cases.iter().find(|(case, _)| case.key == key).map(|(case, done)| (case, &done.outcome))
    }

    /// Adds the figures and tables to a report.
    pub(super) fn show(&self, report: Report) -> Result<Report> {
        page::show(self, report)
    }

    /// What it says of what the paper says.
    pub(super) fn claims(&self) -> Vec<Claim> {
        claims::judge(self)
    }

    pub(super) fn seconds(&self) -> f64 {
        self.cases.iter().map(|(_, done)| done.seconds).sum()
    }

    pub(super) fn cpu_seconds(&self) -> f64 {
        self.cases.iter().map(|(_, done)| done.cpu_seconds).sum()
    }

    /// The same for machines.
    pub(super) fn json(&self) -> Value {
        let Size { steps, runs, keep, .. } = self.size;
        let one = |(case, done): &(Case, Done<CaseRecord>)| {
            let seen = &done.outcome;
            let (loss, error) = seen.mean(|end| end.expected);
            json!({
                "case": case.key, "minibatches": case.minibatches(self.size), "breaks": case.breaks,
                "expected_loss": loss, "expected_loss_error": error,
                "distance": last(&seen.distance.rms), "distance_exact": last(&seen.distance_exact),
                "excess": seen.excess(!case.sound), "excess_bound": seen.bound(), "closes_in": closes_in(case, seen),
                "slope": seen.rate.fitted, "slope_error": seen.rate.error, "slope_exact": seen.rate.exact,
                "old_codes": last(&seen.old_codes.rms),
                "gradient": last(&seen.gradient.rms), "gradient_exact": last(&seen.gradient_exact),
                "stationarity_gap": last(&seen.gap.rms), "speed": seen.speed.iter().copied().fold(0.0, f64::max),
                "smallest_eigenvalue": seen.smallest,
            })
        };
        json!({
            "steps": steps, "runs": runs, "subsampling": keep,
            "autocorrelation_time": self.size.memory(), "autocorrelation_time_subsampled": self.size.kept_memory(),
            "cases": self.cases.iter().map(one).collect::<Vec<_>>(),
        })
    }
}

/// Whether surrogate and expected loss are as close at the end as the theorem's assumptions make them: sound cases within what their
/// own exact variance explains, broken ones within that of independent pictures with weights 1/t.
fn closes_in(case: &Case, seen: &CaseRecord) -> bool {
    seen.excess(!case.sound) <= seen.bound()
}

/// All runs of a case, at any number of threads the same.
fn runs(case: &Case, size: Size, seed: u64) -> Result<CaseRecord> {
    let at = log_spaced(case.minibatches(size), 7);
    let mut own = Occupation::new(&case.movement.rows(size), case.keep);
    let mut reference = Occupation::new(&Movement::Independent.rows(size), 1);
    let (mut covariances, mut due) = (Vec::new(), at.iter().peekable());
    for t in 1..=case.minibatches(size) {
        own.step(case.weights.at(t));
        reference.step(1.0 / t as f64);
        if due.next_if_eq(&&t).is_some() {
            covariances.push((*own.covariance(), *reference.covariance()));
        }
    }
    let times = Times { at, covariances };
    let runs = (0..size.runs).into_par_iter().map(|number| watch::run(case, size, &times, seed, number));
    let runs = runs.collect::<Result<Vec<_>>>()?;
    Ok(summary::summary(&times.at, &runs))
}

#[cfg(test)]
mod tests;
