//! Ranks, normal scores and quantiles of pooled values.

use std::f64::consts::{PI, SQRT_2};

/// Normal scores `Φ⁻¹((r − 3/8)/(N + 1/4))` of the ranks `r` of all values together; equal values share their mean rank.
pub(super) fn normal_scores(chains: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let mut scores: Vec<Vec<f64>> = chains.iter().map(|chain| vec![0.0; chain.len()]).collect();
    let mut order: Vec<(f64, u32, u32)> = Vec::new();
    for (c, chain) in (0..).zip(chains) {
        order.extend((0..).zip(chain).map(|(t, x)| (*x, c, t)));
    }
    order.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let size = order.len() as f64;
    let mut start = 0;
    for ties in order.chunk_by(|a, b| a.0 == b.0) {
        let rank = start as f64 + (ties.len() + 1) as f64 / 2.0;
        let score = normal_quantile((rank - 0.375) / (size + 0.25));
        for &(_, c, t) in ties {
            scores[c as usize][t as usize] = score;
        }
        start += ties.len();
    }
    scores
}

/// All values in ascending order.
pub(super) fn sorted(chains: &[Vec<f64>]) -> Vec<f64> {
    let mut all: Vec<f64> = chains.iter().flatten().copied().collect();
    all.sort_unstable_by(f64::total_cmp);
    all
}

/// A quantile of sorted values, interpolated between neighbors.
pub(super) fn quantile(sorted: &[f64], p: f64) -> f64 {
    let at = (sorted.len() - 1) as f64 * p;
    let (low, share) = (at.floor() as usize, at.fract());
    let high = (low + 1).min(sorted.len() - 1);
    (1.0 - share) * sorted[low] + share * sorted[high]
}

/// The inverse `Φ⁻¹(p)` of the normal distribution function, for `0 < p < 1`.
///
/// A first guess from the logistic distribution, then Halley steps on `Φ`, of which three reach the rounding of f64.
pub(super) fn normal_quantile(p: f64) -> f64 {
    if p > 0.5 {
        return -normal_quantile(1.0 - p);
    }
    // Abramowitz and Stegun 26.2.22, to 3e-3.
    let t = (-2.0 * p.ln()).sqrt();
    let mut x = (2.30753 + 0.27061 * t) / (1.0 + t * (0.99229 + 0.04481 * t)) - t;
    for _ in 0..3 {
        let excess = (normal_tail(-x) - p) * (2.0 * PI).sqrt() * (x * x / 2.0).exp();
        x -= excess / (1.0 + x * excess / 2.0);
    }
    x
}

/// `P(Z > x)` of a normal variable, for `x > −2`: by its series up to 2, by its continued fraction beyond.
fn normal_tail(x: f64) -> f64 {
    let density = (-x * x / 2.0).exp() / (SQRT_2 * PI.sqrt());
    if x < 2.0 {
        let (mut term, mut sum, mut odd) = (x, x, 1.0);
        while term.abs() > 1e-17 * sum.abs() {
            odd += 2.0;
            term *= x * x / odd;
            sum += term;
        }
        return 0.5 - density * sum;
    }
    // P(Z > x)/φ(x) = 1/(x + 1/(x + 2/(x + …))).
    let steps = (10.0 + 400.0 / (x * x)) as u32 + 60;
    density / (1..=steps).rev().fold(x, |tail, k| x + f64::from(k) / tail)
}

/// The inverse of the distribution function of Beta(a, b), by bisection.
pub(super) fn beta_quantile(p: f64, a: f64, b: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..80 {
        let middle = 0.5 * (low + high);
        if beta_distribution(middle, a, b) < p { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// The regularized incomplete beta function `I_x(a, b)`, by its continued fraction (DLMF 8.17.22).
fn beta_distribution(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return x.clamp(0.0, 1.0);
    }
    // The fraction converges quickly on this side of the mean.
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - beta_distribution(1.0 - x, b, a);
    }
    let front = a * x.ln() + b * (1.0 - x).ln() + ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b);
    let away = |value: f64| if value.abs() < 1e-300 { 1e-300 } else { value };
    let (mut c, mut d) = (1.0, 1.0 / away(1.0 - (a + b) * x / (a + 1.0)));
    let mut fraction = d;
    for m in 1..10_000 {
        let m = f64::from(m);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let mut change = 1.0;
        for step in [even, odd] {
            d = 1.0 / away(1.0 + step * d);
            c = away(1.0 + step / c);
            change = c * d;
            fraction *= change;
        }
        if (change - 1.0).abs() < 1e-15 {
            break;
        }
    }
    front.exp() * fraction / a
}

/// `ln Γ(x)` for `x ≥ 1`: Stirling's series beyond 15, and the recurrence up to there.
fn ln_gamma(x: f64) -> f64 {
    let (mut x, mut product) = (x, 1.0f64);
    while x < 15.0 {
        product *= x;
        x += 1.0;
    }
    let inverse = 1.0 / (x * x);
    let series = (1.0 / 12.0 - inverse * (1.0 / 360.0 - inverse * (1.0 / 1260.0 - inverse / 1680.0))) / x;
    (x - 0.5) * x.ln() - x + 0.5 * (2.0 * PI).ln() + series - product.ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normal_quantiles_are_the_tabulated_ones() {
        // scipy.stats.norm.ppf.
        for (p, exact) in [
            (1e-12, -7.034_483_825_301_132),
            (1e-6, -4.753_424_308_822_899),
            (0.001, -3.090_232_306_167_813),
            (0.025, -1.959_963_984_540_054_5),
            (0.3, -0.524_400_512_708_040_9),
            (0.5, 0.0),
            (0.975, 1.959_963_984_540_054),
        ] {
            assert!((normal_quantile(p) - exact).abs() < 1e-12, "{p}: {}", normal_quantile(p));
        }
    }

    #[test]
    fn beta_quantiles_are_the_tabulated_ones() {
        // Beta(1, 1) is uniform, Beta(2, 1) has the distribution function x²; the others are from scipy.stats.beta.ppf.
        for (p, a, b, exact) in [
            (0.3, 1.0, 1.0, 0.3),
            (0.25, 2.0, 1.0, 0.5),
            (0.158_655_3, 51.0, 951.0, 0.043_974_380_330_8),
            (0.841_344_7, 5001.5, 5001.5, 0.504_999_249_210_7),
        ] {
            let got = beta_quantile(p, a, b);
            assert!((got - exact).abs() < 1e-9, "{a}, {b}: {got}");
        }
        assert!((ln_gamma(5.0) - 24f64.ln()).abs() < 1e-13);
        assert!((ln_gamma(30.0) - 71.257_038_967_168).abs() < 1e-10);
    }

    #[test]
    fn equal_values_share_a_score_and_scores_are_symmetric() {
        let scores = normal_scores(&[vec![2.0, 1.0], vec![2.0, 3.0]]);
        assert_eq!(scores[0][0], scores[1][0]);
        assert!(scores[0][0].abs() < 1e-15 && (scores[0][1] + scores[1][1]).abs() < 1e-15);
        assert_eq!(quantile(&[1.0, 2.0, 4.0], 0.75), 3.0);
        assert_eq!(quantile(&[7.0], 0.05), 7.0);
    }

    #[test]
    fn distributions_of_beta_are_their_closed_forms() {
        let mut x = 0.0;
        while x <= 1.0 {
            for a in [1.0, 1.5, 2.0, 7.0, 40.0, 3000.0f64] {
                let near = |found: f64, exact: f64, of: &str| {
                    assert!(
                        (found - exact).abs() < 1e-10 * exact.max(1e-3),
                        "{of}({x}, {a}): {found} for {exact}"
                    );
                };
                near(beta_distribution(x, a, 1.0), x.powf(a), "first");
                near(beta_distribution(x, 1.0, a), 1.0 - (1.0 - x).powf(a), "second");
                // Of whole numbers, the probability of `a` successes or more in `a + 2` tries.
                let tries = |b: f64| beta_distribution(x, a, b) + beta_distribution(1.0 - x, b, a);
                near(tries(3.0), 1.0, "both");
                let (n, y) = (a + 2.0, 1.0 - x);
                let three = x.powf(n) + n * x.powf(n - 1.0) * y + n * (n - 1.0) / 2.0 * x.powf(a) * y * y;
                near(beta_distribution(x, a, 3.0), three, "three");
            }
            x += 1.0 / 32.0;
        }
        for p in [1e-6, 0.1, 0.5, 0.99] {
            for (a, b) in [(1.0, 1.0), (3.0, 0.5 + 1.0), (80.0, 12.0), (1000.0, 1.0)] {
                assert!((beta_distribution(beta_quantile(p, a, b), a, b) - p).abs() < 1e-12, "{p}, {a}, {b}");
            }
        }
    }

    #[test]
    fn the_gamma_function_is_that_of_factorials_and_halves() {
        let (mut whole, mut half) = (0.0, (PI.sqrt() / 2.0).ln());
        for k in 1..60 {
            let k = f64::from(k);
            for (found, exact) in [(ln_gamma(k), whole), (ln_gamma(k + 0.5), half)] {
                assert!((found - exact).abs() < 1e-13 * exact.max(1.0), "{k}: {found} for {exact}");
            }
            whole += k.ln();
            half += (k + 0.5).ln();
        }
    }

    #[test]
    fn scores_are_quantiles_of_ranks_and_tails_add_up_to_one() {
        let scores = normal_scores(&[vec![30.0, 10.0, 10.0], vec![20.0, 50.0, 40.0]]);
        let ranks = [[4.0, 1.5, 1.5], [3.0, 6.0, 5.0]];
        for (score, rank) in scores.iter().flatten().zip(ranks.iter().flatten()) {
            assert!((1.0 - normal_tail(*score) - (rank - 0.375) / 6.25).abs() < 1e-14, "{rank}: {score}");
        }
        // Φ(−1), Φ(−2) and Φ(−5) of tables.
        for (x, tail) in
            [(1.0, 0.158_655_253_931_457), (2.0, 0.022_750_131_948_179), (5.0, 2.866_515_718_791_94e-7)]
        {
            assert!((normal_tail(x) / tail - 1.0).abs() < 1e-13, "{x}: {}", normal_tail(x));
        }
        assert!((normal_tail(-1.5) + normal_tail(1.5) - 1.0).abs() < 1e-15);
        assert_eq!(quantile(&[1.0, 2.0, 4.0, 9.0], 0.5), 3.0);
        assert_eq!((quantile(&[1.0, 5.0], 1.0), quantile(&[1.0, 5.0], 0.0)), (5.0, 1.0));
    }

    #[test]
    fn quantiles_of_the_smallest_probabilities_have_all_digits() {
        for p in [1e-300, 1e-200, 1e-100, 1e-40, 1e-12, 0.02, 0.022_8, 0.3, 0.499] {
            let x = normal_quantile(p);
            assert!((normal_tail(-x) / p - 1.0).abs() < 1e-12, "{p}: {x}");
            if p > 0.01 {
                assert!((normal_quantile(1.0 - p) + x).abs() < 1e-13, "{p}: {x}");
            }
        }
        // By mpmath, on both sides of where the series ends and the fraction begins.
        for (x, tail) in [
            (0.5, 0.308_537_538_725_986_9),
            (1.9, 0.028_716_559_816_001_805),
            (2.1, 0.017_864_420_562_816_55),
            (3.0, 0.001_349_898_031_630_094_5),
            (10.0, 7.619_853_024_160_526e-24),
            (20.0, 2.753_624_118_606_233_7e-89),
            (37.0, 5.725_571_222_524_577e-300),
        ] {
            assert!((normal_tail(x) / tail - 1.0).abs() < 1e-12, "{x}: {}", normal_tail(x));
        }
    }
}
