//! Autocovariances and effective sample size of chains of equal length.

use super::mean;
use crate::linalg::fft::transform;

/// Autocovariances `γ_k = (1/n) Σ_t (x_t − x̄)(x_{t+k} − x̄)` at every lag, around the mean of each chain, averaged over chains.
///
/// Two chains are the real and the imaginary part of one series: the real part of its autocovariance is the sum of theirs.
pub(super) fn autocovariances(chains: &[Vec<f64>]) -> Vec<f64> {
    let n = chains[0].len();
    let size = (2 * n).next_power_of_two();
    let mut power = vec![0.0; size];
    for pair in chains.chunks(2) {
        let centered = |chain: Option<&Vec<f64>>| {
            let mut padded = vec![0.0; size];
            if let Some(chain) = chain {
                let mean = mean(chain);
                padded.iter_mut().zip(chain).for_each(|(to, x)| *to = x - mean);
            }
            padded
        };
        let (mut re, mut im) = (centered(pair.first()), centered(pair.get(1)));
        transform(&mut re, &mut im);
        for ((power, re), im) in power.iter_mut().zip(re).zip(im) {
            *power += re * re + im * im;
        }
    }
    // The inverse of a real series is the conjugate of its transform over its length; only the real part is wanted.
    let mut im = vec![0.0; size];
    transform(&mut power, &mut im);
    let scale = (size * n * chains.len()) as f64;
    power.truncate(n);
    power.iter_mut().for_each(|x| *x /= scale);
    power
}

/// Variance with `n − 1` in the denominator.
pub(super) fn variance(values: &[f64]) -> f64 {
    let mean = mean(values);
    values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (values.len() - 1) as f64
}

/// Autocorrelations `ρ_k = 1 − (s² − γ_k)/var⁺` around the mean of all chains: chains that stay apart are correlated at every lag. `s²` is
/// the mean variance within chains, `var⁺ = s² (n−1)/n + variance of the chains' means`. None where all values are equal.
fn autocorrelations(chains: &[Vec<f64>]) -> Option<Vec<f64>> {
    let n = chains[0].len() as f64;
    let covariances = autocovariances(chains);
    let within = covariances[0] * n / (n - 1.0);
    let means: Vec<f64> = chains.iter().map(|chain| mean(chain)).collect();
    let between = if means.len() > 1 { variance(&means) } else { 0.0 };
    let total = covariances[0] + between;
    let rho = |covariance: f64| 1.0 - (within - covariance) / total;
    (total > 0.0).then(|| covariances.into_iter().map(rho).collect())
}

/// Effective sample size of the mean of chains of equal length, of at least two values each.
///
/// | Vehtari et al. (2021) | here |
/// |---|---|
/// | `P_t = ρ_{2t} + ρ_{2t+1}`, cut where it becomes negative (Geyer's initial positive sequence) | `last` |
/// | made falling (initial monotone sequence) | second loop |
/// | `τ = −1 + 2 Σ_{t ≤ last} P_t`, and the even term after it where that is positive | `time` |
/// | at most `N log₁₀ N`, which antithetic chains come near | `max` |
///
/// `N` for values that are all equal.
pub(super) fn effective_sample_size(chains: &[Vec<f64>]) -> f64 {
    let n = chains[0].len();
    let size = (n * chains.len()) as f64;
    let values = || chains.iter().flatten().copied();
    let spread = values().fold(f64::NEG_INFINITY, f64::max) - values().fold(f64::INFINITY, f64::min);
    // ArviZ takes what spreads by less than 1e-15 for constant, also where all values are that small; here they are worth what they are in
    // larger units.
    if spread < 1e-15 * values().fold(0.0, |most: f64, x| most.max(x.abs())).min(1.0) {
        return size;
    }
    let Some(mut rho) = autocorrelations(chains) else { return size };
    rho[0] = 1.0;
    // Pairs (1, 2), (3, 4), … after the first two: `t` is the last lag that was looked at.
    let (mut t, mut even, mut odd) = (1, 1.0, rho[1]);
    while t + 3 < n && even + odd > 0.0 {
        (even, odd) = (rho[t + 1], rho[t + 2]);
        t += 2;
    }
    // The pair that ended it is left out: what remains are lags up to `last`. A run to the end has no such pair, and is cut there as well.
    let last = t as isize - 2;
    let after = (last + 1) as usize;
    let tail = if even > 0.0 || even + odd >= 0.0 { even } else { 0.0 };
    let mut k = 1;
    while k as isize <= last - 2 {
        let before = rho[k - 1] + rho[k];
        if rho[k + 1] + rho[k + 2] > before {
            (rho[k + 1], rho[k + 2]) = (before / 2.0, before / 2.0);
        }
        k += 2;
    }
    let time = -1.0 + 2.0 * rho[..after].iter().sum::<f64>() + tail;
    size / time.max(1.0 / size.log10())
}
