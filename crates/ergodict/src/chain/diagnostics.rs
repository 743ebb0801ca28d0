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

impl Mixing {
    /// Of `m` chains of `n` values each; longer ones are cut to the shortest.
    ///
    /// Each chain is cut in halves. Autocorrelations are taken around the mean of all halves, so that chains that stay apart are worth about
    /// one draw each however long they are, and summed by Geyer's initial monotone sequence; the effective sample size is at most `N log₁₀ N`,
    /// without which antithetic chains would seem to be worth `N²`.
    ///
    /// NaN but for the mean with fewer than four values per chain, or where a value is NaN. Equal values in all chains are worth their number,
    /// have an error of 0, and no R̂. A single chain has the R̂ of its halves.
    pub fn from_series<S: AsRef<[f64]>>(series: &[S]) -> Self {
        let n = series.iter().map(|chain| chain.as_ref().len()).min().unwrap_or(0);
        let chains: Vec<Vec<f64>> = series.iter().map(|chain| chain.as_ref()[..n].to_vec()).collect();
        let means: Vec<f64> = chains.iter().map(|chain| mean(chain)).collect();
        let mean = mean(&means);
        if n < 4 || chains.iter().flatten().any(|x| !x.is_finite()) {
            let unknown = f64::NAN;
            return Self {
                mean,
                error: unknown,
                sd: unknown,
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
        let all = chains.concat();
        let sd = ess::variance(&all).sqrt();
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
    let Some(mut found) = ess::autocorrelations(&chains) else { return Vec::new() };
    found[0] = 1.0;
    found.truncate(lags.min(n / 2) + 1);
    found
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
    use crate::rng::{Purpose, normal, stream};

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

    #[test]
    fn numbers_are_those_of_arviz() {
        let four = |rho: f64| (1..5).map(|seed| autoregressive(rho, 1001, seed)).collect::<Vec<_>>();
        let with = |change: fn(f64) -> f64| {
            vec![autoregressive(0.3, 400, 5), autoregressive(0.3, 400, 6).into_iter().map(change).collect()]
        };
        let discrete =
            |seed: u64| autoregressive(0.6, 300, seed).iter().map(|x| x.round_ties_even()).collect();
        // arviz 0.23.4: mean, mcse_mean, sd, mcse_sd, ess_mean, ess_bulk, ess_tail, rhat, mcse of the lower quartile.
        let battery: [(Vec<Vec<f64>>, [f64; 9]); 14] = [
            (
                four(-0.95),
                [
                    -0.00463993176052535,
                    0.023612044321024553,
                    2.8342558793604,
                    0.11363648089966788,
                    14408.23996531185,
                    14408.23996531185,
                    705.2927366265259,
                    1.0048369464824007,
                    0.11569343184091851,
                ],
            ),
            (
                four(-0.9),
                [
                    -0.004575419279224875,
                    0.017678862200444314,
                    2.1220703489615276,
                    0.06064748824071165,
                    14408.23996531185,
                    14408.23996531185,
                    1432.0342791685946,
                    1.0008787155780423,
                    0.06745070394420494,
                ],
            ),
            (
                four(-0.5),
                [
                    -0.005933260782480273,
                    0.010999710150535297,
                    1.1352415404249858,
                    0.016323779162750598,
                    10651.58079356557,
                    10615.963694515553,
                    4010.566294801433,
                    1.0026982044795778,
                    0.019337480034856303,
                ],
            ),
            (
                four(0.0),
                [
                    -0.009069660209690002,
                    0.016711326338837842,
                    0.9979068933986279,
                    0.011365890425792982,
                    3565.8100524034908,
                    3556.795239470233,
                    3473.7182607318096,
                    0.9998548730892997,
                    0.026196305678691356,
                ],
            ),
            (
                four(0.5),
                [
                    -0.017831768686858724,
                    0.032845019899000426,
                    1.1671267909367844,
                    0.017944118165595845,
                    1262.6908047402692,
                    1260.7814821032466,
                    1782.8901308730826,
                    1.001309357659834,
                    0.03645609633818159,
                ],
            ),
            (
                four(0.9),
                [
                    -0.08628283594630633,
                    0.15014678108991872,
                    2.3344312950134816,
                    0.07995296756049428,
                    241.72977134908456,
                    243.16568799984896,
                    408.9280237552402,
                    1.0118487107120873,
                    0.15634906096735934,
                ],
            ),
            (
                four(0.99),
                [
                    -0.806096371593368,
                    1.3028197131879427,
                    6.309134499216031,
                    0.49121272733115773,
                    23.45151635587785,
                    25.208466184191764,
                    41.26331047386395,
                    1.1081457913790425,
                    1.8190699996843416,
                ],
            ),
            (
                vec![autoregressive(0.5, 500, 9)],
                [
                    -0.062346753587917185,
                    0.11390799307207479,
                    1.1959547002999726,
                    0.05553705600660883,
                    110.23539425598591,
                    106.10101757599274,
                    240.93182095377497,
                    f64::NAN,
                    0.13956135407538356,
                ],
            ),
            (
                with(|x| 10.0 * x),
                [
                    -0.11104741028609862,
                    0.41828514869818645,
                    7.55782074159986,
                    2.412140268711864,
                    326.4737620109855,
                    353.3309040326883,
                    224.32969956674992,
                    1.535044647102046,
                    2.006167375737743,
                ],
            ),
            (
                with(|x| 3.0 + x),
                [
                    1.4838927885797732,
                    1.0805098558352273,
                    1.837082880428801,
                    0.046617401810230524,
                    2.890680114074065,
                    3.2393655495878457,
                    224.32969956674992,
                    1.6972608307857229,
                    0.911663321905623,
                ],
            ),
            (
                (1..3).map(|seed| heavy(800, seed)).collect(),
                [
                    -11.073881759548401,
                    11.168711877414333,
                    447.9027982608614,
                    222.90050429546048,
                    1608.27894543789,
                    1676.4105391263295,
                    1604.7339877595655,
                    0.9995043586977066,
                    0.06453262166902063,
                ],
            ),
            (
                (1..4).map(|seed| stuck(1000, seed)).collect(),
                [
                    0.4376624121806235,
                    0.04228018402593456,
                    0.28872939331405995,
                    0.019897451293873686,
                    46.63460029391588,
                    41.924250513698595,
                    85.71070557778116,
                    1.0880251057881392,
                    0.11561435163413358,
                ],
            ),
            (
                (1..3).map(discrete).collect(),
                [
                    0.08833333333333333,
                    0.07744726848151574,
                    1.1716734129155235,
                    0.03584771061424439,
                    228.87636126002857,
                    229.16096825784405,
                    328.14710917934445,
                    1.0058232971906897,
                    0.0,
                ],
            ),
            (
                vec![autoregressive(0.2, 5, 1), autoregressive(0.2, 5, 2)],
                [
                    -0.2525651591214981,
                    0.3921248046555544,
                    1.0539859518543684,
                    0.1505279342024188,
                    7.224719895935548,
                    7.224719895935548,
                    7.224719895935548,
                    1.099714413853765,
                    0.5711583822487261,
                ],
            ),
        ];
        for (case, (chains, expected)) in battery.into_iter().enumerate() {
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

    #[test]
    fn intervals_cover_the_mean_of_autoregressive_series() {
        for (id, rho) in [-0.95, -0.9, -0.5, 0.0, 0.5, 0.9].into_iter().enumerate() {
            let repeats = 400;
            let covered = (0..repeats).filter(|repeat| {
                let chains: Vec<Vec<f64>> = (0..4)
                    .map(|chain| {
                        let mut rng = stream(7, Purpose::Synthetic, (id as u64 * 1000 + repeat) * 4 + chain);
                        let mut x = normal(&mut rng) / (1.0 - rho * rho as f64).sqrt();
                        (0..500)
                            .map(|_| {
                                x = rho * x + normal(&mut rng);
                                x
                            })
                            .collect()
                    })
                    .collect();
                let mixing = Mixing::from_series(&chains);
                mixing.mean.abs() < 1.96 * mixing.error
            });
            let share = covered.count() as f64 / repeats as f64;
            // Four standard errors of 400 repeats are .044; the cap of ESS makes antithetic series cautious.
            assert!((0.905..=1.0).contains(&share) && (rho < -0.6 || share < 0.985), "ρ = {rho}: {share}");
        }
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
                [found.error, found.sd, found.ess_bulk, found.ess_tail, found.r_hat]
                    .iter()
                    .all(|x| x.is_nan())
            );
            assert_eq!(found.mean == 3.0, few.len() == 3);
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
}
