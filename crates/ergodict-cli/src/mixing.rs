//! How well chains mix, as summaries tell it.

mod page;

use ergodict::chain::diagnostics::Mixing;
pub(crate) use ergodict::chain::{MixingReport, R_HAT_LIMIT};
pub(crate) use page::{autocorrelations, curve, table};
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
    /// Values of a chain that are worth one independent value
    autocorrelation_time: f64,
    /// Effective sample size over all chains
    effective_sample_size: f64,
    /// Split R̂; `null` where it is infinite, as for chains that stand still in different places
    r_hat: f64,
    /// Whether the chains have mixed, R̂ ≤ 1.05; a single chain that depends on its past cannot tell, which is `null`
    pub(crate) mixed: Option<bool>,
}

impl MixingSummary {
    /// Of an observable; `alone` where a single chain says it, which may not have been everywhere though it agrees with itself.
    pub(crate) fn new(observable: &str, mixing: &Mixing, alone: bool) -> Self {
        let &Mixing { mean, error, autocorrelation_time, effective_sample_size, r_hat } = mixing;
        let mixed = (!r_hat.is_nan()).then_some(r_hat <= R_HAT_LIMIT).filter(|mixed| !(*mixed && alone));
        let observable = observable.to_string();
        Self { observable, mean, error, autocorrelation_time, effective_sample_size, r_hat, mixed }
    }
}
