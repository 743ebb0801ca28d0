//! How well chains mix, in words and as JSON.

pub(crate) use ergodict::chain::MIXED;
use ergodict::chain::diagnostics::Mixing;
use serde_json::{Value, json};

/// An observable and what is known of its mean, as JSON.
pub(crate) fn json(observable: impl serde::Serialize, mixing: &Mixing) -> Value {
    json!({
        "observable": observable,
        "mean": mixing.mean,
        "error": mixing.error,
        "autocorrelation_time": mixing.autocorrelation_time,
        "effective_sample_size": mixing.effective_sample_size,
        "r_hat": mixing.r_hat,
        // An R̂ that is infinite is as null as one that is unknown.
        "mixed": (!mixing.r_hat.is_nan()).then_some(mixing.r_hat <= MIXED),
    })
}
