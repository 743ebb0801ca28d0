//! Convergence diagnostics of chains, as summaries and reports print them.

pub(crate) use ergodict::chain::MixingReport;
use ergodict::chain::diagnostics::{LEAST_ESS, Mixing, R_HAT_LIMIT};
pub(crate) use ergodict_pages::mixing::{autocorrelations, curve, table};
use ergodict_report::Table;
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
    /// Of an observable of some chains; `alone` where a single chain says it, which may not have been everywhere though it agrees with itself.
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

/// `0.50000 ± 0.00100; autocorrelation time 3.1, ESS 1200 (tail 1100), R̂ 1.001`.
pub(crate) fn describe(mixing: &Mixing) -> String {
    let Mixing { mean, error, autocorrelation_time: time, ess_bulk, ess_tail, r_hat, .. } = mixing;
    if time.is_nan() {
        return format!("{mean:.5} (too few values for an error)");
    }
    if *error == 0.0 {
        return format!("{mean:.5}, constant");
    }
    format!(
        "{mean:.5} ± {error:.5}; autocorrelation time {time:.1}, ESS {ess_bulk:.0} (tail {ess_tail:.0}), R̂ {r_hat:.3}"
    )
}

/// Why chains have not converged; none where nothing seen speaks against it.
pub(crate) fn warning<'a>(all: impl IntoIterator<Item = &'a Mixing>, chains: usize) -> Option<String> {
    let failed: Vec<&Mixing> =
        all.into_iter().filter(|mixing| mixing.converged(chains) == Some(false)).collect();
    let r_hat = failed.iter().map(|mixing| mixing.r_hat).fold(f64::NEG_INFINITY, f64::max);
    let ess = failed.iter().map(|mixing| mixing.ess_bulk.min(mixing.ess_tail)).fold(f64::INFINITY, f64::min);
    if failed.is_empty() {
        None
    } else if r_hat > R_HAT_LIMIT {
        Some(format!("not converged (R̂ {r_hat:.3}, ESS {ess:.0})"))
    } else {
        Some(format!("too few effective draws (ESS {ess:.0}, {:.0} needed)", LEAST_ESS * chains as f64))
    }
}

const WORDS: &str = "
    Mean over all chains with its Monte-Carlo standard error, bulk and tail effective sample size, and rank-normalized split R̂.";

/// The diagnostics as a table of a report, with a verdict.
pub(crate) fn diagnostics_table<'a>(
    rows: impl IntoIterator<Item = (String, &'a Mixing)>,
    verdict: &str,
) -> Table {
    let row = |(name, mixing): (String, &Mixing)| {
        vec![
            name,
            format!("{:.5} ± {:.5}", mixing.mean, mixing.error),
            format!("{:.2}", mixing.autocorrelation_time),
            format!("{:.0}", mixing.ess_bulk),
            format!("{:.0}", mixing.ess_tail),
            format!("{:.4}", mixing.r_hat),
        ]
    };
    let head = ["observable", "mean", "autocorrelation time", "bulk ESS", "tail ESS", "R̂"];
    Table {
        title: "Convergence diagnostics".into(),
        head: head.map(str::to_owned).to_vec(),
        rows: rows.into_iter().map(row).collect(),
        words: format!(
            "{WORDS} Chains have converged where R̂ is at most {R_HAT_LIMIT} and each ESS at least {LEAST_ESS} per chain. {verdict}"
        ),
    }
}
