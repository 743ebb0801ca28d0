//! Convergence diagnostics of chains, as summaries and reports print them.

pub(crate) use ergodict::chain::MixingReport;
use ergodict::chain::diagnostics::Mixing;
pub(crate) use ergodict_pages::mixing::{curve, never_changed, table, warning};
use ergodict_report::words::{measured, number};
use serde::Serialize;

/// An observable and what is known of its mean.
#[derive(Serialize)]
pub(crate) struct MixingSummary {
    /// Name of the observable
    pub(crate) observable: String,
    /// Mean over all chains
    mean: f64,
    /// Monte-Carlo standard error of the mean; `null`, as the keys below, where there are too few values
    error: f64,
    /// Standard deviation
    sd: f64,
    /// Monte-Carlo standard error of the standard deviation
    sd_error: f64,
    /// Values of a chain that are worth one independent value
    autocorrelation_time: f64,
    /// Effective sample size of the mean over all chains
    effective_sample_size: f64,
    /// Bulk effective sample size, of ranks
    ess_bulk: f64,
    /// Tail effective sample size: the smaller one of the 5 % and 95 % quantiles
    ess_tail: f64,
    /// Rank-normalized split R̂; `null` where it is infinite, as for chains that stand still at different values
    r_hat: f64,
    /// Whether the chains have converged: R̂ ≤ 1.01 and bulk and tail ESS at least 100 per chain; `null` where that is not known, as for a single chain that agrees with itself
    pub(crate) mixed: Option<bool>,
}

impl MixingSummary {
    /// Of an observable of some chains; `alone` for a single chain, which may agree with itself without having converged.
    pub(crate) fn new(observable: &str, mixing: &Mixing, chains: usize, alone: bool) -> Self {
        let &Mixing {
            mean,
            error,
            sd,
            sd_error,
            autocorrelation_time,
            effective_sample_size,
            ess_bulk,
            ess_tail,
            r_hat,
        } = mixing;
        let mixed = mixing.converged(chains).filter(|mixed| !(*mixed && alone));
        let observable = observable.to_string();
        Self {
            observable,
            mean,
            error,
            sd,
            sd_error,
            autocorrelation_time,
            effective_sample_size,
            ess_bulk,
            ess_tail,
            r_hat,
            mixed,
        }
    }
}

/// `0.5000 ± 0.0010; autocorrelation time 3.1, ESS 1200 (tail 1100), R̂ 1.001`.
pub(crate) fn describe(mixing: &Mixing) -> String {
    let Mixing { mean, error, autocorrelation_time: time, ess_bulk, ess_tail, r_hat, .. } = mixing;
    if time.is_nan() {
        return format!("{} (too few values for an error)", number(*mean));
    }
    if *error == 0.0 {
        return format!("{}, never changed: the chain may be stuck", number(*mean));
    }
    format!(
        "{}; autocorrelation time {time:.1}, ESS {ess_bulk:.0} (tail {ess_tail:.0}), R̂ {r_hat:.3}",
        measured(*mean, *error)
    )
}
