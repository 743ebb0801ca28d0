//! Convergence diagnostics of chains, seen through a scalar observable: Monte-Carlo errors, effective sample sizes, R̂.

mod ess;
mod rank;

use rank::{beta_quantile, normal_scores, quantile, sorted};
use serde::{Deserialize, Serialize};

/// Convergence diagnostics of the values of an observable along one or several chains, as Vehtari, Gelman, Simpson, Carpenter and Bürkner
/// (Bayesian Analysis, 2021) define them; the numbers are those of ArviZ.
///
/// ```
/// use ergodict::chain::diagnostics::Mixing;
/// let chain = |shift: usize| (0..1000).map(|i| ((i + shift) * 7919 % 1009) as f64).collect::<Vec<_>>();
/// let mixing = Mixing::from_series(&[chain(0), chain(5000)]);
/// assert!((mixing.mean - 504.0).abs() < 4.0 * mixing.error && mixing.converged(2) == Some(true));
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Mixing {
    /// The mean.
    pub mean: f64,
    /// Monte-Carlo standard error (MCSE) of the mean: the standard deviation over the root of the effective sample size.
    pub error: f64,
    /// Standard deviation.
    pub sd: f64,
    /// Monte-Carlo standard error of the standard deviation.
    pub sd_error: f64,
    /// Values per independent draw: their number over the effective sample size of the mean.
    pub autocorrelation_time: f64,
    /// Effective sample size (ESS) of the mean.
    pub effective_sample_size: f64,
    /// Bulk ESS: of normal scores of ranks.
    pub ess_bulk: f64,
    /// Tail ESS: the smaller one of the 5 % and 95 % quantiles.
    pub ess_tail: f64,
    /// Rank-normalized split R̂, or that of the distances from the median where it is larger: chains with different means or different scales
    /// have a large one.
    pub r_hat: f64,
}

/// Largest R̂ of chains that agree.
pub const R_HAT_LIMIT: f64 = 1.01;
/// Fewest effective draws of each chain, bulk and tail, at which R̂ and errors can be relied on.
pub const LEAST_ESS: f64 = 100.0;
/// Fewest equal draws that suggest a stuck chain.
pub const LEAST_CONSTANT: u64 = 8;

impl Mixing {
    /// Of `m` chains of `n` values each; longer ones are cut to the shortest.
    ///
    /// Each chain is cut in halves. Autocorrelations are taken around the mean of all halves, so that chains that stay apart are worth about
    /// one draw each however long they are, and summed by Geyer's initial monotone sequence; the effective sample size is at most `N log₁₀ N`,
    /// without which antithetic chains would seem to be worth `N²`.
    ///
    /// With fewer than four values per chain only the mean and the standard deviation are known, the rest is NaN; where a value is NaN, all is.
    /// Equal values in all chains are worth their number, have an error of 0, and no R̂. A single chain has the R̂ of its halves.
    pub fn from_series<S: AsRef<[f64]>>(series: &[S]) -> Self {
        let n = series.iter().map(|chain| chain.as_ref().len()).min().unwrap_or(0);
        let chains: Vec<Vec<f64>> = series.iter().map(|chain| chain.as_ref()[..n].to_vec()).collect();
        let means: Vec<f64> = chains.iter().map(|chain| mean(chain)).collect();
        let mean = mean(&means);
        let all = chains.concat();
        let sd = if all.len() > 1 { ess::variance(&all).sqrt() } else { f64::NAN };
        if n < 4 || all.iter().any(|x| !x.is_finite()) {
            let unknown = f64::NAN;
            return Self {
                mean,
                error: unknown,
                sd,
                sd_error: unknown,
                autocorrelation_time: unknown,
                effective_sample_size: unknown,
                ess_bulk: unknown,
                ess_tail: unknown,
                r_hat: unknown,
            };
        }
        let halves = split(&chains);
        let size = (chains.len() * n) as f64;
        let ess_mean = ess::effective_sample_size(&halves);
        let ranked = sorted(&chains);
        Self {
            mean,
            error: sd / ess_mean.sqrt(),
            sd,
            sd_error: sd_error(&chains, mean),
            autocorrelation_time: size / ess_mean,
            effective_sample_size: ess_mean,
            ess_bulk: ess::effective_sample_size(&normal_scores(&halves)),
            ess_tail: ess_quantile(&chains, &ranked, 0.05).min(ess_quantile(&chains, &ranked, 0.95)),
            r_hat: rank_normalized_r_hat(&halves),
        }
    }

    /// Whether more than a few draws are all the same, as in a stuck chain.
    pub fn is_stuck(&self) -> bool {
        self.error == 0.0 && self.effective_sample_size >= LEAST_CONSTANT as f64
    }

    /// Whether `chains` chains have converged as far as can be seen: R̂ at most [`R_HAT_LIMIT`], and bulk and tail ESS at least [`LEAST_ESS`] per
    /// chain. None where R̂ is not known.
    pub fn converged(&self, chains: usize) -> Option<bool> {
        let least = LEAST_ESS * chains as f64;
        (!self.r_hat.is_nan())
            .then_some(self.r_hat <= R_HAT_LIMIT && self.ess_bulk >= least && self.ess_tail >= least)
    }
}

/// The mean, without rounding where all values are the same: chains that are stuck then vary by nothing at all. NaN for no
/// values.
fn mean(values: &[f64]) -> f64 {
    let Some(&first) = values.first() else { return f64::NAN };
    first + values.iter().map(|x| x - first).sum::<f64>() / values.len() as f64
}

/// First and last halves of the chains; the value in the middle of an odd number is left out.
fn split(chains: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let half = chains[0].len() / 2;
    let first = chains.iter().map(|chain| chain[..half].to_vec());
    first.chain(chains.iter().map(|chain| chain[chain.len() - half..].to_vec())).collect()
}

/// MCSE of the standard deviation, from the ESS of squared deviations by the delta method.
fn sd_error(chains: &[Vec<f64>], center: f64) -> f64 {
    let squares: Vec<Vec<f64>> =
        chains.iter().map(|chain| chain.iter().map(|x| (x - center).powi(2)).collect()).collect();
    let all = squares.concat();
    let variance = mean(&all);
    let fourth = all.iter().map(|x| x * x).sum::<f64>() / all.len() as f64;
    let spread = (fourth - variance * variance) / ess::effective_sample_size(&split(&squares));
    if variance == 0.0 { 0.0 } else { (spread / variance / 4.0).sqrt() }
}

/// ESS of the share of values up to a quantile.
fn ess_quantile(chains: &[Vec<f64>], sorted: &[f64], p: f64) -> f64 {
    let quantile = quantile(sorted, p);
    let below = |chain: &Vec<f64>| chain.iter().map(|x| f64::from(u8::from(*x <= quantile))).collect();
    ess::effective_sample_size(&split(&chains.iter().map(below).collect::<Vec<_>>()))
}

/// The larger one of R̂ of normal scores of the values, and of their distances from the median.
fn rank_normalized_r_hat(halves: &[Vec<f64>]) -> f64 {
    let middle = quantile(&sorted(halves), 0.5);
    let folded: Vec<Vec<f64>> =
        halves.iter().map(|chain| chain.iter().map(|x| (x - middle).abs()).collect()).collect();
    let (bulk, tail) = (r_hat(&normal_scores(halves)), r_hat(&normal_scores(&folded)));
    if bulk.is_nan() || bulk < tail { tail } else { bulk }
}

/// `√(var⁺ / s²)`: the spread between chains' means against that within chains. NaN where nothing varies, infinite where only the means do.
fn r_hat(chains: &[Vec<f64>]) -> f64 {
    let n = chains[0].len() as f64;
    let means: Vec<f64> = chains.iter().map(|chain| mean(chain)).collect();
    let within = chains.iter().map(|chain| ess::variance(chain)).sum::<f64>() / chains.len() as f64;
    ((n - 1.0) / n + ess::variance(&means) / within).sqrt()
}

/// A quantile of an observable with its Monte-Carlo standard error: half the width of the interval that covers it with the probability of one
/// standard deviation, from the ESS of the share of values up to it.
///
/// NaN with fewer than four values per chain, or where a value is not finite.
///
/// ```
/// use ergodict::chain::diagnostics::quantile_with_error;
/// let chain: Vec<f64> = (0..5000).map(|i| f64::from(i * 7919 % 5003)).collect();
/// let (median, error) = quantile_with_error(&[chain], 0.5);
/// assert!((median - 2501.0).abs() < 4.0 * error);
/// ```
pub fn quantile_with_error<S: AsRef<[f64]>>(series: &[S], p: f64) -> (f64, f64) {
    let n = series.iter().map(|chain| chain.as_ref().len()).min().unwrap_or(0);
    let chains: Vec<Vec<f64>> = series.iter().map(|chain| chain.as_ref()[..n].to_vec()).collect();
    if n < 4 || chains.iter().flatten().any(|x| !x.is_finite()) {
        return (f64::NAN, f64::NAN);
    }
    let sorted = sorted(&chains);
    let ess = ess_quantile(&chains, &sorted, p);
    // Φ(−1) and Φ(1), in the digits that ArviZ uses.
    let bound = |probability: f64| beta_quantile(probability, ess * p + 1.0, ess * (1.0 - p) + 1.0);
    let at = |share: f64| share * sorted.len() as f64 - 1.0;
    let low = sorted[at(bound(0.158_655_3)).max(0.0).floor() as usize];
    let high = sorted[at(bound(0.841_344_7)).min((sorted.len() - 1) as f64).ceil() as usize];
    (quantile(&sorted, p), (high - low) / 2.0)
}

/// The autocorrelation function `ρ_0 = 1, ρ_1, …` of several chains, up to the given lag or half of the shortest chain: autocovariances around the mean
/// of all chains. Empty for fewer than four values a chain, for equal values and where a value is not finite.
///
/// ```
/// use ergodict::chain::diagnostics::autocorrelation;
/// let alternating: Vec<f64> = (0..1000).map(|i| f64::from(i % 2)).collect();
/// let found = autocorrelation(&[alternating], 2);
/// assert!((found[1] + 1.0).abs() < 0.01 && (found[2] - 1.0).abs() < 0.01);
/// ```
pub fn autocorrelation<S: AsRef<[f64]>>(series: &[S], lags: usize) -> Vec<f64> {
    let n = series.iter().map(|chain| chain.as_ref().len()).min().unwrap_or(0);
    let chains: Vec<Vec<f64>> = series.iter().map(|chain| chain.as_ref()[..n].to_vec()).collect();
    if n < 4 || chains.iter().flatten().any(|x| !x.is_finite()) {
        return Vec::new();
    }
    let means: Vec<f64> = chains.iter().map(|chain| mean(chain)).collect();
    let between = if means.len() > 1 { ess::variance(&means) } else { 0.0 };
    let covariances = ess::autocovariances(&chains);
    let total = covariances[0] + between;
    if total <= 0.0 {
        return Vec::new();
    }
    covariances[..=lags.min(n / 2)].iter().map(|covariance| (covariance + between) / total).collect()
}

/// Bartlett's standard errors of an autocorrelation function that was estimated from `values` values: at lag `k` that of a series without
/// memory of `k` or more, `√((1 + 2 Σ_{0<j<k} ρ_j²)/values)`. Estimates within 1.96 of them are compatible with 0. The first, at lag 0, is 0.
///
/// ```
/// use ergodict::chain::diagnostics::bartlett_errors;
/// assert_eq!(bartlett_errors(&[1.0, 0.5, 0.1], 100), [0.0, 0.1, 0.015f64.sqrt()]);
/// ```
pub fn bartlett_errors(autocorrelation: &[f64], values: usize) -> Vec<f64> {
    let mut sum = 1.0;
    let later = autocorrelation.iter().skip(1).map(|rho| {
        let error = (sum / values as f64).sqrt();
        sum += 2.0 * rho * rho;
        error
    });
    autocorrelation.iter().take(1).map(|_| 0.0).chain(later).collect()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{ChaCha8Rng, Purpose, normal, stream, uniform};

    /// Uniform numbers that any language can make: the values of ArviZ below are of the same series.
    struct Congruential(u64);

    impl Congruential {
        fn uniform(&mut self) -> f64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 11) as f64 / (1u64 << 53) as f64
        }
    }

    /// An autoregressive series `x' = ρx + noise`, whose autocorrelation time is (1+ρ)/(1−ρ).
    fn autoregressive(rho: f64, n: usize, seed: u64) -> Vec<f64> {
        let (mut random, mut x) = (Congruential(seed), 0.0);
        let mut step = || {
            x = rho * x + ((0..12).map(|_| random.uniform()).sum::<f64>() - 6.0);
            x
        };
        (0..n).map(|_| step()).collect()
    }

    fn heavy(n: usize, seed: u64) -> Vec<f64> {
        let mut random = Congruential(seed);
        (0..n).map(|_| (std::f64::consts::PI * (random.uniform() - 0.5)).tan()).collect()
    }

    fn stuck(n: usize, seed: u64) -> Vec<f64> {
        let (mut random, mut x) = (Congruential(seed), 0.0);
        let mut step = || {
            if random.uniform() < 0.02 {
                x = random.uniform();
            }
            x
        };
        (0..n).map(|_| step()).collect()
    }

    /// By arviz 0.23.4: mean, mcse_mean, sd, mcse_sd, ess_mean, ess_bulk, ess_tail, rhat, mcse of the lower quartile.
    const ARVIZ: &str = "
        -0.004639931760525 0.02361204432102 2.83425587936 0.1136364808997 14408.23996531 14408.23996531 705.2927366265 1.004836946482 0.1156934318409
        -0.004575419279225 0.01767886220044 2.122070348962 0.06064748824071 14408.23996531 14408.23996531 1432.034279169 1.000878715578 0.0674507039442
        -0.00593326078248 0.01099971015054 1.135241540425 0.01632377916275 10651.58079357 10615.96369452 4010.566294801 1.00269820448 0.01933748003486
        -0.00906966020969 0.01671132633884 0.9979068933986 0.01136589042579 3565.810052403 3556.79523947 3473.718260732 0.9998548730893 0.02619630567869
        -0.01783176868686 0.032845019899 1.167126790937 0.0179441181656 1262.69080474 1260.781482103 1782.890130873 1.00130935766 0.03645609633818
        -0.08628283594631 0.1501467810899 2.334431295013 0.07995296756049 241.7297713491 243.1656879998 408.9280237552 1.011848710712 0.1563490609674
        -0.8060963715934 1.302819713188 6.309134499216 0.4912127273312 23.45151635588 25.20846618419 41.26331047386 1.108145791379 1.819069999684
        -0.06234675358792 0.1139079930721 1.1959547003 0.05553705600661 110.235394256 106.101017576 240.9318209538 nan 0.1395613540754
        -0.1110474102861 0.4182851486982 7.5578207416 2.412140268712 326.473762011 353.3309040327 224.3296995667 1.535044647102 2.006167375738
        1.48389278858 1.080509855835 1.837082880429 0.04661740181023 2.890680114074 3.239365549588 224.3296995667 1.697260830786 0.9116633219056
        -11.07388175955 11.16871187741 447.9027982609 222.9005042955 1608.278945438 1676.410539126 1604.73398776 0.9995043586977 0.06453262166902
        0.4376624121806 0.04228018402593 0.2887293933141 0.01989745129387 46.63460029392 41.9242505137 85.71070557778 1.088025105788 0.1156143516341
        0.08833333333333 0.07744726848152 1.171673412916 0.03584771061424 228.87636126 229.1609682578 328.1471091793 1.005823297191 0
        -0.2525651591215 0.3921248046556 1.053985951854 0.1505279342024 7.224719895936 7.224719895936 7.224719895936 1.099714413854 0.5711583822487";

    #[test]
    fn numbers_are_those_of_arviz() {
        let four = |rho: f64| (1..5).map(|seed| autoregressive(rho, 1001, seed)).collect::<Vec<_>>();
        let with = |change: fn(f64) -> f64| {
            vec![autoregressive(0.3, 400, 5), autoregressive(0.3, 400, 6).into_iter().map(change).collect()]
        };
        let discrete =
            |seed: u64| autoregressive(0.6, 300, seed).iter().map(|x| x.round_ties_even()).collect();
        let battery: [Vec<Vec<f64>>; 14] = [
            four(-0.95),
            four(-0.9),
            four(-0.5),
            four(0.0),
            four(0.5),
            four(0.9),
            four(0.99),
            vec![autoregressive(0.5, 500, 9)],
            with(|x| 10.0 * x),
            with(|x| 3.0 + x),
            (1..3).map(|seed| heavy(800, seed)).collect(),
            (1..4).map(|seed| stuck(1000, seed)).collect(),
            (1..3).map(discrete).collect(),
            vec![autoregressive(0.2, 5, 1), autoregressive(0.2, 5, 2)],
        ];
        assert_eq!(ARVIZ.trim().lines().count(), battery.len());
        for (case, (chains, expected)) in battery.into_iter().zip(ARVIZ.trim().lines()).enumerate() {
            let expected = expected.split_whitespace().map(|number| number.parse::<f64>().unwrap());
            let found = Mixing::from_series(&chains);
            let found = [
                found.mean,
                found.error,
                found.sd,
                found.sd_error,
                found.effective_sample_size,
                found.ess_bulk,
                found.ess_tail,
                found.r_hat,
                quantile_with_error(&chains, 0.25).1,
            ];
            for (which, (found, expected)) in found.into_iter().zip(expected).enumerate() {
                // ArviZ has no R̂ of a single chain.
                assert!(
                    expected.is_nan() || (found - expected).abs() <= 1e-10 * expected.abs(),
                    "case {case}, number {which}: {found} instead of {expected}"
                );
            }
        }
    }

    /// The share of repeats in which `covers` holds for four chains of `n` values that `next` makes of the last one and noise.
    fn coverage(
        id: u64,
        (repeats, n): (u64, usize),
        next: impl Fn(Option<f64>, &mut ChaCha8Rng) -> f64,
        covers: impl Fn(&[Vec<f64>]) -> bool,
    ) -> f64 {
        let covered = (0..repeats).filter(|repeat| {
            let chain = |chain: u64| {
                let mut rng = stream(7, Purpose::Synthetic, (id * 10_000 + repeat) * 4 + chain);
                let mut last = None;
                let mut step = || {
                    last = Some(next(last, &mut rng));
                    last.unwrap()
                };
                (0..n).map(|_| step()).collect()
            };
            covers(&(0..4).map(chain).collect::<Vec<_>>())
        });
        covered.count() as f64 / repeats as f64
    }

    /// Whether the 95 % interval covers a mean of 0, from as much of [`Mixing::from_series`] as that takes.
    fn covers_mean(chains: &[Vec<f64>]) -> bool {
        let (all, size) = (chains.concat(), ess::effective_sample_size(&split(chains)));
        mean(&all).abs() < 1.96 * (ess::variance(&all) / size).sqrt()
    }

    /// Covered shares of 95 % intervals; from 1000 repeats they have a standard error of .007, at most a third of the way from .94 to the bounds.
    const COVERED: std::ops::RangeInclusive<f64> = 0.92..=0.97;

    #[test]
    fn intervals_cover_the_mean_of_autoregressive_series() {
        let settings = [(-0.5, 500), (-0.2, 500), (0.0, 500), (0.5, 500), (0.9, 1_000), (0.99, 5_000)];
        for (id, (rho, n)) in (0..).zip(settings) {
            let next = |last: Option<f64>, rng: &mut ChaCha8Rng| match last {
                Some(x) => rho * x + normal(rng),
                None => normal(rng) / f64::sqrt(1.0 - rho * rho),
            };
            let share = coverage(id, (1_000, n), next, covers_mean);
            assert!(COVERED.contains(&share), "ρ = {rho}: {share}");
        }
    }

    #[test]
    fn the_cap_of_effective_sample_sizes_makes_intervals_of_antithetic_series_cautious() {
        // An ESS of 19 and 39 times the number of values, of which 3.3 times are granted.
        for (id, rho) in (100..).zip([-0.9, -0.95]) {
            let next = |last: Option<f64>, rng: &mut ChaCha8Rng| match last {
                Some(x) => rho * x + normal(rng),
                None => normal(rng) / f64::sqrt(1.0 - rho * rho),
            };
            let share = coverage(id, (200, 500), next, covers_mean);
            assert!(share >= 0.99, "ρ = {rho}: {share}");
        }
    }

    #[test]
    fn intervals_cover_means_and_medians_of_heavy_tails_and_of_chains_that_stay() {
        let cauchy = |rng: &mut ChaCha8Rng| normal(rng) / normal(rng);
        // Student's t with three degrees of freedom, which has a variance and no fourth moment.
        let heavy = |_: Option<f64>, rng: &mut ChaCha8Rng| {
            let squares: f64 = (0..3).map(|_| normal(rng).powi(2)).sum();
            normal(rng) / (squares / 3.0).sqrt()
        };
        let share = coverage(200, (1_000, 500), heavy, covers_mean);
        assert!(COVERED.contains(&share), "t: {share}");
        // Without a mean, but with a median.
        let covers = |chains: &[Vec<f64>]| {
            let (median, error) = quantile_with_error(chains, 0.5);
            median.abs() < 1.96 * error
        };
        let share = coverage(201, (1_000, 500), |_, rng| cauchy(rng), covers);
        assert!(COVERED.contains(&share), "Cauchy: {share}");
        // It moves once in ten steps: an autocorrelation time of 19.
        let stays = |last: Option<f64>, rng: &mut ChaCha8Rng| {
            let fresh = normal(rng);
            last.filter(|_| uniform(rng) > 0.1).unwrap_or(fresh)
        };
        let share = coverage(202, (1_000, 1_000), stays, covers_mean);
        assert!(COVERED.contains(&share), "stays: {share}");
        // Its quantiles have ArviZ's errors, which are a little short where values repeat.
        let share = coverage(202, (1_000, 1_000), stays, covers);
        assert!((0.90..=0.97).contains(&share), "median of what stays: {share}");
    }

    #[test]
    fn estimates_without_memory_lie_within_bartletts_band() {
        // A moving average of two has memory of one step: beyond, 95 % of the estimates should lie within the band.
        let chains: Vec<Vec<f64>> = (0..2)
            .map(|id| {
                let mut rng = stream(9, Purpose::Synthetic, id);
                let noise: Vec<f64> = (0..50_001).map(|_| normal(&mut rng)).collect();
                noise.windows(2).map(|pair| pair[0] + pair[1]).collect()
            })
            .collect();
        let rho = autocorrelation(&chains, 2_000);
        let errors = bartlett_errors(&rho, 100_000);
        assert!((rho[1] - 0.5).abs() < 6.0 * errors[1] && rho[1] > 100.0 * errors[1]);
        let inside = rho.iter().zip(&errors).skip(2).filter(|(rho, error)| rho.abs() < 1.96 * *error);
        // Neighboring estimates are correlated: the share of 1999 is worth about half of them, a standard error of .007.
        let share = inside.count() as f64 / 1_999.0;
        assert!((share - 0.95).abs() < 4.0 * 0.007, "{share}");
        assert!(bartlett_errors(&[], 5).is_empty());
    }

    #[test]
    fn autocovariances_are_the_sums_they_stand_for() {
        for (n, m) in [(4usize, 1), (7, 2), (30, 3)] {
            let chains: Vec<Vec<f64>> = (0..m).map(|seed| autoregressive(0.5, n, seed)).collect();
            let fast = ess::autocovariances(&chains);
            for lag in 0..n {
                let one = |chain: &Vec<f64>| {
                    let mean = mean(chain);
                    chain.iter().zip(&chain[lag..]).map(|(a, b)| (a - mean) * (b - mean)).sum::<f64>()
                        / n as f64
                };
                let slow = chains.iter().map(one).sum::<f64>() / m as f64;
                assert!((fast[lag] - slow).abs() < 1e-13, "{n}, {lag}: {} and {slow}", fast[lag]);
            }
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
    fn chains_that_stay_apart_are_worth_a_draw_each_however_long_they_are() {
        for n in [40, 1_000, 50_000] {
            let apart: Vec<Vec<f64>> = [0.98, -0.98]
                .into_iter()
                .zip(20..)
                .map(|(up, id)| autoregressive(0.5, n, id).iter().map(|x| up + 0.01 * x).collect())
                .collect();
            let mixing = Mixing::from_series(&apart);
            assert!(mixing.r_hat > 1.5 && mixing.converged(2) == Some(false), "{mixing:?}");
            assert!((0.2..2.0).contains(&mixing.error), "{mixing:?}");
            assert!((1.0..5.0).contains(&mixing.effective_sample_size), "{mixing:?}");
            let frozen = Mixing::from_series(&[vec![0.98; n], vec![-0.98; n]]);
            assert!(frozen.r_hat == f64::INFINITY && frozen.effective_sample_size < 5.0, "{frozen:?}");
        }
    }

    #[test]
    fn a_million_values_with_a_long_memory_do_not_take_forever() {
        // A single jump in the middle: correlated at all lags, and worth a few draws.
        let series: Vec<f64> =
            (0..1_000_000).map(|i| f64::from(i / 500_000) + 1e-3 * f64::from(i % 7)).collect();
        let mixing = Mixing::from_series(&[series]);
        assert!(mixing.effective_sample_size < 10.0 && mixing.r_hat > 1.5, "{mixing:?}");
    }

    #[test]
    fn degenerate_series_have_defined_answers() {
        let constant = Mixing::from_series(&[[0.1; 50], [0.1; 50]]);
        assert_eq!((constant.mean, constant.error, constant.effective_sample_size), (0.1, 0.0, 100.0));
        assert!(constant.r_hat.is_nan() && constant.converged(2).is_none());
        for few in [&[1.0, 2.0, 6.0][..], &[1.0, f64::NAN, 2.0, 3.0, 4.0], &[1.0, f64::INFINITY, 2.0, 3.0]] {
            let found = Mixing::from_series(&[few]);
            assert!(
                [found.error, found.sd_error, found.ess_bulk, found.ess_tail, found.r_hat]
                    .iter()
                    .all(|x| x.is_nan())
            );
            assert_eq!((found.mean == 3.0, found.sd == 7f64.sqrt()), (few.len() == 3, few.len() == 3));
            assert!(quantile_with_error(&[few], 0.5).1.is_nan());
        }
        assert!(Mixing::from_series::<[f64; 4]>(&[]).mean.is_nan());
        let uneven = Mixing::from_series(&[&[1.0, 2.0, 1.0, 3.0, 1e9][..], &[2.0, 1.0, 3.0, 1.0]]);
        assert_eq!(uneven.mean, 1.75, "cut to the shortest");
        let alternating: Vec<f64> = (0..100).map(|i| f64::from(i % 2)).collect();
        let size = Mixing::from_series(&[alternating]).effective_sample_size;
        assert!((size - 200.0).abs() < 1e-9, "N log₁₀ N at most: {size}");
        let mut acceptance = Acceptance::default();
        assert!(acceptance.rate().is_nan());
        [true, false, true, true].into_iter().for_each(|a| acceptance.record(a));
        assert_eq!(acceptance.rate(), 0.75);
    }

    #[test]
    fn chains_have_converged_at_the_limits_and_stuck_ones_are_told() {
        let good = Mixing {
            mean: 0.0,
            error: 0.1,
            sd: 1.0,
            sd_error: 0.1,
            autocorrelation_time: 1.0,
            effective_sample_size: 300.0,
            ess_bulk: 300.0,
            ess_tail: 300.0,
            r_hat: R_HAT_LIMIT,
        };
        assert_eq!((good.converged(3), good.converged(4)), (Some(true), Some(false)));
        let short = 300.0 - 1e-9;
        for bad in [
            Mixing { r_hat: R_HAT_LIMIT + 1e-9, ..good },
            Mixing { ess_bulk: short, ..good },
            Mixing { ess_tail: short, ..good },
        ] {
            assert_eq!(bad.converged(3), Some(false), "{bad:?}");
        }
        assert_eq!(Mixing { r_hat: f64::NAN, ..good }.converged(3), None);
        let stuck = Mixing { error: 0.0, effective_sample_size: 8.0, ..good };
        assert!(stuck.is_stuck() && !good.is_stuck());
        assert!(!Mixing { effective_sample_size: 7.0, ..stuck }.is_stuck());
        assert!(!Mixing { error: 1e-300, ..stuck }.is_stuck());
        let frozen = Mixing::from_series(&[[3.0; 4], [3.0; 4]]);
        assert!(frozen.is_stuck() && (frozen.sd, frozen.sd_error) == (0.0, 0.0), "{frozen:?}");
    }

    #[test]
    fn effective_sample_sizes_are_those_of_the_plain_loops() {
        // As ArviZ writes them, with autocovariances by their sums.
        let plain = |chains: &[Vec<f64>]| -> f64 {
            let (n, m) = (chains[0].len(), chains.len() as f64);
            let average = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
            let covariance = |lag: usize| {
                let one = |chain: &Vec<f64>| {
                    let center = average(chain);
                    let pairs = chain.iter().zip(&chain[lag..]);
                    pairs.map(|(a, b)| (a - center) * (b - center)).sum::<f64>() / n as f64
                };
                chains.iter().map(one).sum::<f64>() / m
            };
            let within = covariance(0) * n as f64 / (n as f64 - 1.0);
            let means: Vec<f64> = chains.iter().map(|chain| average(chain)).collect();
            let center = average(&means);
            let between = means.iter().map(|x| (x - center).powi(2)).sum::<f64>();
            let total = covariance(0) + if m > 1.0 { between / (m - 1.0) } else { 0.0 };
            let rho_at = |lag: usize| 1.0 - (within - covariance(lag)) / total;
            let mut rho = vec![0.0; n];
            let (mut even, mut odd) = (1.0, rho_at(1));
            (rho[0], rho[1]) = (even, odd);
            let mut t = 1;
            while t + 3 < n && even + odd > 0.0 {
                (even, odd) = (rho_at(t + 1), rho_at(t + 2));
                if even + odd >= 0.0 {
                    (rho[t + 1], rho[t + 2]) = (even, odd);
                }
                t += 2;
            }
            let last = t as isize - 2;
            if even > 0.0 {
                rho[(last + 1) as usize] = even;
            }
            let mut t = 1;
            while t as isize <= last - 2 {
                let before = rho[t - 1] + rho[t];
                if rho[t + 1] + rho[t + 2] > before {
                    (rho[t + 1], rho[t + 2]) = (before / 2.0, before / 2.0);
                }
                t += 2;
            }
            let size = n as f64 * m;
            let end = (last + 1) as usize;
            let time = -1.0 + 2.0 * rho[..end].iter().sum::<f64>() + rho[end];
            size / time.max(1.0 / size.log10())
        };
        for n in (2..14).chain([31, 64, 65, 128]) {
            for (m, rho) in [(1, 0.0), (2, 0.9), (3, 0.5), (4, -0.6), (2, -0.95), (3, 0.99)] {
                for seed in 0..4 {
                    let id = 1000 * n as u64 + 10 * seed;
                    let unit = [1.0, 1e-7][seed as usize % 2];
                    let series = |c: u64| autoregressive(rho, n, id + c).iter().map(|x| unit * x).collect();
                    let chains: Vec<Vec<f64>> = (0..m).map(series).collect();
                    let (found, expected) = (ess::effective_sample_size(&chains), plain(&chains));
                    assert!((found / expected - 1.0).abs() < 1e-8, "{n}, {m}: {found} for {expected}");
                }
            }
        }
    }

    #[test]
    fn autocorrelation_functions_are_their_sums_around_the_common_mean() {
        for (n, m) in [(4, 1), (4, 2), (5, 3), (16, 2), (33, 1)] {
            for unit in [1e-9, 1.0] {
                let one = |seed| autoregressive(0.5, n, seed).iter().map(|x| unit * x).collect();
                let chains: Vec<Vec<f64>> = (0..m).map(one).collect();
                let means: Vec<f64> = chains.iter().map(|chain| mean(chain)).collect();
                let between = if m > 1 { ess::variance(&means) } else { 0.0 };
                let at = |lag: usize| {
                    let one = |(chain, mean): (&Vec<f64>, &f64)| {
                        chain.iter().zip(&chain[lag..]).map(|(a, b)| (a - mean) * (b - mean)).sum::<f64>()
                    };
                    between + chains.iter().zip(&means).map(one).sum::<f64>() / (n as f64 * m as f64)
                };
                let found = autocorrelation(&chains, 1000);
                assert_eq!(found.len(), n / 2 + 1);
                for (lag, rho) in found.iter().enumerate() {
                    assert!((rho - at(lag) / at(0)).abs() < 1e-12, "{n}, {m}, {lag}: {rho}");
                }
                assert_eq!(autocorrelation(&chains, 1), found[..2]);
            }
        }
        let uneven = [&[1.0, 2.0, 4.0, 3.0, 9.0][..], &[2.0, 1.0, 5.0, 1.0]];
        let cut = [&[1.0, 2.0, 4.0, 3.0][..], &[2.0, 1.0, 5.0, 1.0]];
        assert_eq!(autocorrelation(&uneven, 2), autocorrelation(&cut, 2));
        assert_eq!(bartlett_errors(&[1.0, 0.5, 0.1], 100), [0.0, 0.1, 0.015f64.sqrt()]);
    }

    #[test]
    fn the_shortest_chains_have_errors_and_quantiles_stay_among_the_values() {
        let short = Mixing::from_series(&[[1.0, 2.0, 1.5, 3.0]]);
        assert!(short.error > 0.0 && short.r_hat.is_finite(), "{short:?}");
        assert!((short.autocorrelation_time * short.effective_sample_size - 4.0).abs() < 1e-12);
        assert!(quantile_with_error(&[[1.0, 2.0, 1.5, 3.0]], 0.5).1 > 0.0);
        // Squares of 0 to 19 in mixed order: near the ends the interval is cut at the least and at the largest.
        let squares: Vec<f64> = (0..20).map(|i| f64::from(i * 7 % 20).powi(2)).collect();
        let chains = [squares];
        let sorted = sorted(&chains);
        for p in [0.02, 0.25, 0.5, 0.98] {
            let ess = ess_quantile(&chains, &sorted, p);
            let at = |share: f64| 20.0 * beta_quantile(share, ess * p + 1.0, ess * (1.0 - p) + 1.0) - 1.0;
            let (low, high) = (at(0.158_655_3).max(0.0) as usize, at(0.841_344_7).ceil() as usize);
            let (found, error) = quantile_with_error(&chains, p);
            let place = 19.0 * p;
            let (before, after) = (place.floor(), place.ceil());
            let expected = before.powi(2) + (place - before) * (after.powi(2) - before.powi(2));
            assert!((found - expected).abs() < 1e-9, "{p}: {found}");
            assert_eq!(error, ((high * high) as f64 - (low * low) as f64) / 2.0, "{p}");
            assert!((p > 0.1 || low == 0) && (p < 0.9 || high == 19), "{p}: {low}, {high}");
        }
    }
}
