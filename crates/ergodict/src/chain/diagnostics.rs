//! How well chains mix, seen through a scalar observable: Monte-Carlo error, autocorrelation time, effective sample size,
//! split R̂.

use serde::{Deserialize, Serialize};

/// Products that the autocovariances of all chains may take together. Chains with a longer memory are averaged over blocks, so
/// that a million values with a memory of a hundred thousand cost no more than some attempts of so many products.
const PRODUCTS: usize = 1 << 26;

/// Blocks of a chain that are few enough for all their lags.
const FEW: usize = 64;

/// What the mean of an observable over one or several chains is worth.
///
/// ```
/// use ergodict::chain::diagnostics::Mixing;
/// let chain = |shift: usize| (0..1000).map(|i| ((i + shift) * 7919 % 1009) as f64).collect::<Vec<_>>();
/// let mixing = Mixing::from_series(&[chain(0), chain(5000)]);
/// assert!((mixing.mean - 504.0).abs() < 4.0 * mixing.error && mixing.r_hat < 1.05);
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Mixing {
    /// The mean.
    pub mean: f64,
    /// Monte-Carlo standard error of the mean: the root of `var⁺` over the effective sample size.
    pub error: f64,
    /// How many values are worth one independent draw, `m n` over the effective sample size.
    pub autocorrelation_time: f64,
    /// Independent draws that would give the mean the same error.
    pub effective_sample_size: f64,
    /// See [`split_r_hat`].
    pub r_hat: f64,
}

impl Mixing {
    /// Of `m` chains of `n` values each; longer ones are cut to the shortest.
    ///
    /// As in Gelman et al., Bayesian Data Analysis (3rd ed., 11.5), and in Stan, autocovariances are taken around the
    /// mean of all chains: that of lag k is the mean of the chains' own and the variance between the chains' means, and that
    /// of lag 0 is `var⁺`. Chains that stay apart are then correlated at every lag, and worth about one draw each however long they
    /// are. The sum goes by Geyer's initial monotone sequence, as in [`autocorrelation_time`], to lag `n/2` at most.
    /// (Stan also cuts the chains in halves; here R̂ alone does, so that one chain gives what [`autocorrelation_time`] does.)
    ///
    /// Where that would take too long, as for a million values with a memory of thousands, chains are first averaged over
    /// blocks of 2, 4, … values, which leaves the variance of the mean as it is.
    ///
    /// NaN but for the mean with fewer than four values a chain, or where a value is NaN. Equal values in all chains have an
    /// autocorrelation time of 1, an error of 0, and say nothing of mixing.
    pub fn from_series<S: AsRef<[f64]>>(series: &[S]) -> Self {
        let n = series.iter().map(|chain| chain.as_ref().len()).min().unwrap_or(0);
        let chains: Vec<&[f64]> = series.iter().map(|chain| &chain.as_ref()[..n]).collect();
        let total = (chains.len() * n) as f64;
        let means: Vec<f64> = chains.iter().map(|chain| mean(chain)).collect();
        let (mean, (variance, autocorrelation_time)) = (mean(&means), variance_and_time(&chains));
        let effective_sample_size = total / autocorrelation_time;
        let error = (variance / effective_sample_size).sqrt();
        let r_hat = if error.is_nan() { f64::NAN } else { split_r_hat(&chains) };
        Self { mean, error, autocorrelation_time, effective_sample_size, r_hat }
    }
}

/// The mean, without rounding where all values are the same: chains that are stuck then vary by nothing at all. NaN for no
/// values.
fn mean(values: &[f64]) -> f64 {
    let Some(&first) = values.first() else { return f64::NAN };
    first + values.iter().map(|x| x - first).sum::<f64>() / values.len() as f64
}

/// `var⁺` and the autocorrelation time of chains of the same length.
fn variance_and_time(chains: &[&[f64]]) -> (f64, f64) {
    let (n, m) = (chains.first().map_or(0, |chain| chain.len()), chains.len());
    if n < 4 {
        return (f64::NAN, f64::NAN);
    }
    let total = (m * n) as f64;
    let variance = Covariances::new(chains, 1).at(0);
    if variance.is_nan() {
        return (f64::NAN, f64::NAN);
    }
    if variance == 0.0 {
        return (0.0, 1.0);
    }
    // The variance of the mean, times the number of values: the same for values and for blocks, but for what is cut off.
    let mut block = 1;
    let long_run = loop {
        let blocks = n / block;
        let lags = if blocks <= FEW { blocks } else { PRODUCTS / (m * blocks) };
        if let Some(sum) = Covariances::new(chains, block).initial_monotone_sum(lags) {
            break sum * block as f64;
        }
        block *= 2;
    };
    (variance, (long_run / variance).max(1.0 / total))
}

/// Autocovariances of several chains.
struct Covariances {
    /// Means of blocks of the chains, less the mean of the chain.
    centered: Vec<Vec<f64>>,
    /// The variance between the means of the chains.
    between: f64,
}

impl Covariances {
    fn new(chains: &[&[f64]], block: usize) -> Self {
        let mut centered: Vec<Vec<f64>> =
            chains.iter().map(|chain| chain.chunks_exact(block).map(mean).collect()).collect();
        let means: Vec<f64> = centered.iter().map(|chain| mean(chain)).collect();
        for (chain, mean) in centered.iter_mut().zip(&means) {
            chain.iter_mut().for_each(|x| *x -= mean);
        }
        let middle = mean(&means);
        let squares: f64 = means.iter().map(|x| (x - middle).powi(2)).sum();
        Self { centered, between: squares / (means.len() - 1).max(1) as f64 }
    }

    fn at(&self, lag: usize) -> f64 {
        let own = |x: &Vec<f64>| {
            let products = x.iter().zip(x.get(lag..).unwrap_or(&[])).map(|(a, b)| a * b);
            products.sum::<f64>() / x.len() as f64
        };
        self.centered.iter().map(own).sum::<f64>() / self.centered.len() as f64 + self.between
    }

    /// `γ_0 + 2 Σ_k γ_k`, cut where sums of neighboring autocovariances stop being positive, and made falling; none if that
    /// takes more than so many lags.
    fn initial_monotone_sum(&self, lags: usize) -> Option<f64> {
        let (mut total, mut least) = (0.0, f64::INFINITY);
        for pair in 0..(self.centered[0].len() / 4).max(1) {
            if 2 * pair + 2 > lags {
                return None;
            }
            let sum = self.at(2 * pair) + self.at(2 * pair + 1);
            if sum <= 0.0 {
                break;
            }
            least = least.min(sum);
            total += least;
        }
        Some(2.0 * total - self.at(0))
    }
}

/// Integrated autocorrelation time `τ = 1 + 2 Σ_k ρ_k`: about how many steps are worth one independent draw.
///
/// Geyer's initial monotone sequence: sums of neighboring autocovariances are positive and falling for a reversible
/// chain, so the series is cut where its estimate stops being so, at lag `n/2` at the latest. At least `1/n`, which
/// antithetic series come near; NaN for fewer than four values; 1 for a constant series, which says nothing of mixing. A
/// series with NaN gives NaN. Long series with a long memory are averaged over blocks, as in [`Mixing::from_series`].
///
/// ```
/// use ergodict::{chain::diagnostics::autocorrelation_time, rng};
/// // z_t = ρ z_{t−1} + ε_t has the autocorrelation time (1 + ρ)/(1 − ρ), which is 3 for ρ = 1/2.
/// let mut rng = rng::stream(0, rng::Purpose::Synthetic, 0);
/// let mut z = 0.0;
/// let series: Vec<f64> = (0..50_000).map(|_| { z = z / 2.0 + rng::normal(&mut rng); z }).collect();
/// assert!((autocorrelation_time(&series) - 3.0).abs() < 0.3);
/// ```
pub fn autocorrelation_time(series: &[f64]) -> f64 {
    variance_and_time(&[series]).1
}

/// Effective sample size: the length over the autocorrelation time.
///
/// `n/τ` with the [`autocorrelation_time`] τ.
///
/// ```
/// use ergodict::chain::diagnostics::effective_sample_size;
/// let constant_pairs: Vec<f64> = (0..1000).map(|i| f64::from((i / 2 * 7919 + 13) % 101)).collect();
/// assert!(effective_sample_size(&constant_pairs) < 900.0);
/// ```
pub fn effective_sample_size(series: &[f64]) -> f64 {
    series.len() as f64 / autocorrelation_time(series)
}

/// The autocorrelation function `ρ_0 = 1, ρ_1, …` of several chains, up to the given lag or half of the shortest chain: autocovariances around the mean
/// of all chains, as in [`Mixing::from_series`]. Empty for fewer than four values a chain, for equal values and where a value is NaN.
///
/// ```
/// use ergodict::chain::diagnostics::autocorrelation;
/// let alternating: Vec<f64> = (0..1000).map(|i| f64::from(i % 2)).collect();
/// let found = autocorrelation(&[alternating], 2);
/// assert!((found[1] + 1.0).abs() < 0.01 && (found[2] - 1.0).abs() < 0.01);
/// ```
pub fn autocorrelation<S: AsRef<[f64]>>(series: &[S], lags: usize) -> Vec<f64> {
    let n = series.iter().map(|chain| chain.as_ref().len()).min().unwrap_or(0);
    if n < 4 {
        return Vec::new();
    }
    let chains: Vec<&[f64]> = series.iter().map(|chain| &chain.as_ref()[..n]).collect();
    let covariances = Covariances::new(&chains, 1);
    let variance = covariances.at(0);
    if variance.is_nan() || variance <= 0.0 {
        return Vec::new();
    }
    (0..=lags.min(n / 2)).map(|lag| covariances.at(lag) / variance).collect()
}

/// How often proposals were accepted.
///
/// ```
/// use ergodict::chain::diagnostics::Acceptance;
/// let mut acceptance = Acceptance::default();
/// [true, false, true, true].into_iter().for_each(|accepted| acceptance.record(accepted));
/// assert_eq!(acceptance.rate(), 0.75);
/// ```
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
///
/// ```
/// use ergodict::chain::diagnostics::split_r_hat;
/// let chain = |around: f64| (0..1000).map(|i| around + f64::from(i * 7919 % 1009)).collect::<Vec<_>>();
/// assert!(split_r_hat(&[chain(0.0), chain(1.0)]) < 1.01);
/// assert!(split_r_hat(&[chain(0.0), chain(1e4)]) > 2.0); // two chains that never met
/// ```
pub fn split_r_hat<S: AsRef<[f64]>>(chains: &[S]) -> f64 {
    let half = chains.iter().map(|c| c.as_ref().len()).min().unwrap_or(0) / 2;
    if half < 2 {
        return f64::NAN;
    }
    let halves: Vec<&[f64]> =
        chains.iter().map(AsRef::as_ref).flat_map(|c| [&c[..half], &c[half..2 * half]]).collect();
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
    use crate::rng::{Purpose, stream, uniform};

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
            // Relative standard error of the windowed estimator is about √(6τ/n) here, with a tail where the window is
            // long by chance: of 24 seeds, the farthest was 4.1 of them off. Six of them.
            assert!(
                (got / exact - 1.0).abs() < 6.0 * (6.0 * exact / 1e5).sqrt(),
                "ρ={rho}: {got} vs {exact}"
            );
        }
    }

    #[test]
    fn the_autocorrelation_function_of_autoregressive_series_is_geometric() {
        let chains: Vec<Vec<f64>> = (0..4).map(|id| autoregressive(0.8, 20_000, 40 + id)).collect();
        for (lag, rho) in autocorrelation(&chains, 20).into_iter().enumerate() {
            // By Bartlett its standard error is at most √(τ/n) with τ = (1 + ρ²)/(1 − ρ²) = 4.6; six of them.
            let tolerance = 6.0 * (4.6f64 / 80_000.0).sqrt();
            assert!((rho - 0.8f64.powi(lag as i32)).abs() < tolerance, "{rho} at {lag}");
        }
        assert!(autocorrelation(&[[1.0; 9]], 3).is_empty() && autocorrelation(&[[1.0, 2.0]], 3).is_empty());
        assert_eq!(autocorrelation(&[[1.0, 2.0, 1.0, 2.0]], 9).len(), 3);
    }

    #[test]
    fn chains_that_mix_are_worth_their_values_over_the_autocorrelation_time() {
        // The last has a memory that needs blocks. Noise of a standard deviation of 1 gives the variance 1/(1 − ρ²).
        let cases =
            [(4, 3_000, 0.6), (4, 20_000, 0.6), (8, 10_000, 0.9), (2, 20_000, 0.0), (1, 1_000_000, 0.995)];
        for (m, n, rho) in cases {
            let chains: Vec<_> = (0..m).map(|id| autoregressive(rho, n, 100 + id)).collect();
            let mixing = Mixing::from_series(&chains);
            let (exact, total) = ((1.0 + rho) / (1.0 - rho), (m * n as u64) as f64);
            // The sum goes to some 5τ: its relative standard error is about √(2·5τ/total).
            // It may run on by chance: of 24 seeds, the farthest was 4.9 of them off. Seven of them.
            let tolerance = 7.0 * (10.0 * exact / total).sqrt();
            let ratio = mixing.autocorrelation_time / exact;
            assert!((ratio - 1.0).abs() < tolerance, "{m}×{n}, ρ={rho}: {ratio} ± {tolerance}");
            assert!((mixing.effective_sample_size * mixing.autocorrelation_time / total - 1.0).abs() < 1e-12);
            let error = (exact / (1.0 - rho * rho) / total).sqrt();
            assert!((mixing.error / error - 1.0).abs() < tolerance, "{} for {error}", mixing.error);
            assert!(mixing.mean.abs() < 4.5 * error, "{} ± {error}", mixing.mean);
            assert!((mixing.r_hat - 1.0).abs() < 0.03, "{}", mixing.r_hat);
        }
    }

    #[test]
    fn chains_that_stay_apart_are_worth_a_draw_each_however_long_they_are() {
        for n in [40, 1_000, 50_000] {
            let apart: Vec<Vec<f64>> = [0.98, -0.98]
                .into_iter()
                .zip(20..)
                .map(|(up, id)| autoregressive(0.5, n, id).iter().map(|x| up + 0.01 * x).collect())
                .collect();
            let mixing = Mixing::from_series(&apart);
            assert!(mixing.r_hat > 20.0, "{mixing:?}");
            assert!((0.5..2.0).contains(&mixing.error), "{mixing:?}");
            assert!((1.0..4.0).contains(&mixing.effective_sample_size), "{mixing:?}");
            let frozen = Mixing::from_series(&[vec![0.98; n], vec![-0.98; n]]);
            assert_eq!(frozen.r_hat, f64::INFINITY);
            assert!((frozen.error - 0.98).abs() < 0.05 && frozen.mean.abs() < 1e-9, "{frozen:?}");
        }
    }

    #[test]
    fn a_million_values_with_a_long_memory_do_not_take_forever() {
        // A single jump in the middle: correlated at all lags, and worth about one draw or two.
        let series: Vec<f64> =
            (0..1_000_000).map(|i| f64::from(i / 500_000) + 1e-3 * f64::from(i % 7)).collect();
        let started = std::time::Instant::now();
        let mixing = Mixing::from_series(&[series]);
        assert!(started.elapsed().as_secs_f64() < 5.0);
        assert!((1.0..10.0).contains(&mixing.effective_sample_size) && mixing.r_hat > 10.0, "{mixing:?}");
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
        let constant = Mixing::from_series(&[[5.0; 50], [5.0; 50]]);
        let expected = Mixing {
            mean: 5.0,
            error: 0.0,
            autocorrelation_time: 1.0,
            effective_sample_size: 100.0,
            r_hat: 1.0,
        };
        assert_eq!(constant, expected);
        // Also where their sum is rounded.
        let tenth = Mixing::from_series(&[[0.1; 50], [0.1; 50]]);
        assert_eq!((tenth.mean, tenth.error, tenth.r_hat), (0.1, 0.0, 1.0));
        for few in [&[1.0, 2.0, 6.0][..], &[1.0, f64::NAN, 2.0, 3.0, 4.0]] {
            let Mixing { mean, error, autocorrelation_time, effective_sample_size, r_hat } =
                Mixing::from_series(&[few]);
            assert!([error, autocorrelation_time, effective_sample_size, r_hat].iter().all(|x| x.is_nan()));
            assert_eq!(mean == 3.0, few.len() == 3);
        }
        assert!(Mixing::from_series::<[f64; 4]>(&[]).mean.is_nan() && autocorrelation_time(&[]).is_nan());
        let uneven = Mixing::from_series(&[&[1.0, 2.0, 1.0, 3.0, 1e9][..], &[2.0, 1.0, 3.0, 1.0]]);
        assert_eq!(uneven.mean, 1.75, "cut to the shortest");
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
