//! How far an average along a chain is off, exactly: the covariance of the weighted occupation of states, step by step.
//!
//! The empirical loss is `f_t(W) = Σ_y o_t(y) ℓ(y, W)` with the weighted occupation `o_t = (1−w_t) o_{t−1} + w_t e_{Y_t}`, so for any
//! fixed `W` the variance of `f_t(W) − f(W)` is `ℓᵀ S_t ℓ`, `S_t = Cov(o_t)`. From the stationary law, with `D_t = Cov(o_t, e_{Y_t})`,
//! `Σ = diag(π) − ππᵀ` and transition probabilities `P`,
//!
//! - `D_t = (1−w_t) D_{t−1} P + w_t Σ`,
//! - `S_t = (1−w_t)² S_{t−1} + w_t² Σ + w_t (1−w_t) (D_{t−1} P + (D_{t−1} P)ᵀ)`,
//!
//! whatever the weights and the chain: no limit is taken, and where an assumption of the theorem fails it shows what remains.

use super::setting::{LAW, STATES, Square};

const ZERO: Square = [[0.0; STATES]; STATES];

/// The covariance of the weighted occupation of a stationary chain.
#[derive(Clone)]
pub(super) struct Occupation {
    rows: Square,
    /// `S_t`.
    covariance: Square,
    /// `D_t`.
    with_last: Square,
}

impl Occupation {
    /// Before the first step of the chain with these transition probabilities, of which every `keep`th state is seen.
    pub(super) fn new(rows: &Square, keep: u64) -> Self {
        let mut power = *rows;
        for _ in 1..keep {
            power = product(&power, rows);
        }
        Self { rows: power, covariance: ZERO, with_last: ZERO }
    }

    /// Sees one more state, with this weight; the first weight is 1 whatever is given.
    pub(super) fn step(&mut self, weight: f64) {
        let before = product(&self.with_last, &self.rows);
        let keep = 1.0 - weight;
        for i in 0..STATES {
            for j in 0..STATES {
                let of_one = LAW[i] * (f64::from(u8::from(i == j)) - LAW[j]);
                let crossed = before[i][j] + before[j][i];
                self.covariance[i][j] =
                    keep * keep * self.covariance[i][j] + weight * weight * of_one + weight * keep * crossed;
                self.with_last[i][j] = keep * before[i][j] + weight * of_one;
            }
        }
    }

    /// `S_t`.
    pub(super) fn covariance(&self) -> &Square {
        &self.covariance
    }
}

/// `Σ_ij S_ij g_ij`, never below zero.
pub(super) fn mean_square(covariance: &Square, products: impl Fn(usize, usize) -> f64) -> f64 {
    let sum: f64 =
        (0..STATES).map(|i| (0..STATES).map(|j| covariance[i][j] * products(i, j)).sum::<f64>()).sum();
    sum.max(0.0)
}

fn product(a: &Square, b: &Square) -> Square {
    std::array::from_fn(|i| std::array::from_fn(|j| (0..STATES).map(|k| a[i][k] * b[k][j]).sum()))
}

#[cfg(test)]
mod tests {
    use super::super::setting::{Movement, Size};
    use super::*;
    use ergodict::chain::Chain;
    use ergodict::rng::{Purpose, stream};

    /// Something to observe, and its variance under the law.
    const VALUES: [f64; STATES] = [1.0, -2.0, 0.5, 3.0, 0.0, 1.5];

    fn variance_of_one() -> f64 {
        let mean: f64 = LAW.iter().zip(VALUES).map(|(p, v)| p * v).sum();
        LAW.iter().zip(VALUES).map(|(p, v)| p * (v - mean).powi(2)).sum()
    }

    fn after(movement: Movement, keep: u64, steps: u64, weight: fn(u64) -> f64) -> f64 {
        let mut occupation = Occupation::new(&movement.rows(Size::new(true)), keep);
        (1..=steps).for_each(|t| occupation.step(weight(t)));
        mean_square(occupation.covariance(), |i, j| VALUES[i] * VALUES[j])
    }

    fn balanced(t: u64) -> f64 {
        1.0 / t as f64
    }

    #[test]
    fn averages_of_chains_have_the_variance_that_is_known_for_them() {
        let (n, one, size) = (20_000, variance_of_one(), Size::new(true));
        let close = |x: f64, y: f64, off: f64| assert!((x / y - 1.0).abs() < off, "{x} and {y}");
        close(after(Movement::Independent, 1, n, balanced), one / n as f64, 1e-9);
        // For finite n the asymptotic variance is off by a factor of 1 − O(τ/n).
        close(after(Movement::Sticky, 1, n, balanced), size.memory() * one / n as f64, 1e-3);
        close(after(Movement::Sticky, size.keep, n, balanced), size.kept_memory() * one / n as f64, 1e-3);
        // Constant weights: c/(2−c) of the variance stays.
        close(after(Movement::Independent, 1, n, |t| balanced(t).max(0.1)), one * 0.1 / 1.9, 1e-9);
        // Two halves that never meet: what stays is the variance of the mean of a half.
        let mean = |half: std::ops::Range<usize>| half.map(|y| 2.0 * LAW[y] * VALUES[y]).sum::<f64>();
        let between = ((mean(0..3) - mean(3..6)) / 2.0).powi(2);
        close(after(Movement::Apart, 1, n, balanced), between, 1e-2);
        // Summable weights: as much stays as a few states have.
        let square = |t: u64| (t as f64).powi(-2);
        let (early, late) =
            (after(Movement::Independent, 1, 100, square), after(Movement::Independent, 1, n, square));
        assert!(late > 0.25 * one && (early / late - 1.0).abs() < 0.05, "{early} and {late}");
    }

    #[test]
    fn it_is_the_variance_of_simulated_averages() {
        let size = Size::new(true);
        let weight = |t: u64| (t as f64).powf(-0.8);
        for movement in [Movement::Sticky, Movement::InTurn] {
            let (chain, law) = (movement.chain(size).unwrap(), Movement::Independent.chain(size).unwrap());
            let mean: f64 = LAW.iter().zip(VALUES).map(|(p, v)| p * v).sum();
            let (runs, steps, mut sum) = (4000, 60, 0.0);
            for run in 0..runs {
                let mut rng = stream(5, Purpose::Chain, run);
                let (mut state, mut average) = (0, 0.0);
                law.step(&mut state, &mut rng);
                for t in 1..=steps {
                    average += weight(t) * (VALUES[state] - average);
                    chain.step(&mut state, &mut rng);
                }
                sum += (average - mean).powi(2);
            }
            let ratio = sum / runs as f64 / after(movement, 1, steps, weight);
            // A mean of squares of 4000 nearly Gaussian numbers has a standard error of √(2/4000) = 2.2 %; five of them.
            assert!((ratio - 1.0).abs() < 0.11, "{movement:?}: {ratio}");
        }
    }
}
