//! How well a chain mixes, seen through a scalar observable: autocorrelation time, effective sample size, split R̂.

use serde::{Deserialize, Serialize};

/// Integrated autocorrelation time `τ = 1 + 2 Σ_k ρ_k`: about how many steps are worth one independent draw.
///
/// Geyer's initial monotone sequence: sums of neighbouring autocovariances are positive and falling for a reversible
/// chain, so the series is cut where its estimate stops being so. At least `1/n`, which antithetic series come near; NaN for fewer than four values;
/// 1 for a constant series, which says nothing of mixing. A series with NaN gives NaN.
pub fn autocorrelation_time(series: &[f64]) -> f64 {
    let n = series.len();
    if n < 4 {
        return f64::NAN;
    }
    let mean = series.iter().sum::<f64>() / n as f64;
    let centred: Vec<f64> = series.iter().map(|x| x - mean).collect();
    let covariance = |lag: usize| -> f64 {
        centred[..n - lag].iter().zip(&centred[lag..]).map(|(a, b)| a * b).sum::<f64>() / n as f64
    };
    let variance = covariance(0);
    if variance.is_nan() {
        return f64::NAN;
    }
    if variance <= (f64::EPSILON * mean).powi(2) * n as f64 {
        return 1.0;
    }
    let mut total = 0.0;
    let mut least = f64::INFINITY;
    for pair in 0..n / 2 {
        let sum = covariance(2 * pair) + covariance((2 * pair + 1).min(n - 1));
        if sum <= 0.0 {
            break;
        }
        least = least.min(sum);
        total += least;
    }
    (2.0 * total / variance - 1.0).max(1.0 / n as f64)
}

/// Effective sample size: the length over the autocorrelation time.
///
/// ```
/// use ergodict::chain::diagnostics::effective_sample_size;
/// let constant_pairs: Vec<f64> = (0..1000).map(|i| f64::from((i / 2 * 7919 + 13) % 101)).collect();
/// assert!(effective_sample_size(&constant_pairs) < 900.0);
/// ```
pub fn effective_sample_size(series: &[f64]) -> f64 {
    series.len() as f64 / autocorrelation_time(series)
}

/// How often proposals were accepted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Acceptance {
    /// Proposals accepted.
    pub accepted: u64,
    /// Proposals made.
    pub proposed: u64,
}

impl Acceptance {
    /// Counts one proposal.
    pub fn record(&mut self, accepted: bool) {
        self.proposed += 1;
        self.accepted += u64::from(accepted);
    }

    /// The share accepted; NaN before the first proposal.
    pub fn rate(&self) -> f64 {
        self.accepted as f64 / self.proposed as f64
    }
}

/// Split R̂: each chain is cut in halves, and the spread of the halves' means is set against the spread within them.
/// Near 1 when all halves agree; NaN for fewer than four values a chain. Chains of unequal length are cut to the
/// shortest.
pub fn split_r_hat<S: AsRef<[f64]>>(chains: &[S]) -> f64 {
    let half = chains.iter().map(|c| c.as_ref().len()).min().unwrap_or(0) / 2;
    if half < 2 {
        return f64::NAN;
    }
    let halves: Vec<&[f64]> =
        chains.iter().map(AsRef::as_ref).flat_map(|c| [&c[..half], &c[half..2 * half]]).collect();
    let mean = |x: &[f64]| x.iter().sum::<f64>() / x.len() as f64;
    let variance = |x: &[f64]| {
        let m = mean(x);
        x.iter().map(|x| (x - m).powi(2)).sum::<f64>() / (x.len() - 1) as f64
    };
    let means: Vec<f64> = halves.iter().map(|h| mean(h)).collect();
    let within = halves.iter().map(|h| variance(h)).sum::<f64>() / halves.len() as f64;
    let between = variance(&means);
    if within == 0.0 {
        return if between == 0.0 { 1.0 } else { f64::INFINITY };
    }
    ((half - 1) as f64 / half as f64 + between / within).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::rng::{Purpose, stream, uniform};

    /// An autoregressive series `x' = ρx + noise`, whose autocorrelation time is (1+ρ)/(1−ρ).
    fn autoregressive(rho: f64, n: usize, id: u64) -> Vec<f64> {
        let mut rng = stream(11, Purpose::Chain, id);
        let mut x = 0.0;
        (0..n)
            .map(|_| {
                x = rho * x + (0..12).map(|_| uniform(&mut rng)).sum::<f64>() - 6.0;
                x
            })
            .collect()
    }

    #[test]
    fn autocorrelation_time_of_autoregressive_series_is_the_known_one() {
        for (id, rho) in [0.0, 0.5, 0.9].into_iter().enumerate() {
            let exact = (1.0 + rho) / (1.0 - rho);
            let got = autocorrelation_time(&autoregressive(rho, 100_000, id as u64));
            // Relative standard error of the windowed estimator is about √(6τ/n) here; four of them.
            assert!(
                (got / exact - 1.0).abs() < 4.0 * (6.0 * exact / 1e5).sqrt(),
                "ρ={rho}: {got} vs {exact}"
            );
        }
    }

    #[test]
    fn r_hat_is_near_one_for_equal_chains_and_large_for_different_ones() {
        let chains: Vec<Vec<f64>> = (0..4).map(|id| autoregressive(0.5, 2000, 10 + id)).collect();
        let fine = split_r_hat(&chains);
        assert!((fine - 1.0).abs() < 0.02, "{fine}");
        let mut apart = chains;
        apart[0].iter_mut().for_each(|x| *x += 3.0);
        assert!(split_r_hat(&apart) > 1.2);
    }

    #[test]
    fn degenerate_series_have_defined_answers() {
        assert!(autocorrelation_time(&[1.0, 2.0]).is_nan());
        assert_eq!(autocorrelation_time(&[5.0; 50]), 1.0);
        assert!(autocorrelation_time(&[1.0, f64::NAN, 2.0, 3.0, 4.0]).is_nan());
        assert_eq!(split_r_hat(&[vec![2.0; 10]]), 1.0);
        assert_eq!(split_r_hat(&[vec![2.0; 10], vec![3.0; 10]]), f64::INFINITY);
        assert!(split_r_hat(&[vec![2.0; 3]]).is_nan());
        let mut acceptance = Acceptance::default();
        assert!(acceptance.rate().is_nan());
        [true, false, true, true].into_iter().for_each(|a| acceptance.record(a));
        assert_eq!(acceptance.rate(), 0.75);
        let alternating: Vec<f64> = (0..100).map(|i| f64::from(i % 2)).collect();
        assert!(autocorrelation_time(&alternating) <= 0.02, "antithetic chains beat independence");
    }
}
