//! What a user can check of the theorem: whether the surrogate agrees with the loss, and how far `W` is from stationary.
//!
//! | paper (Theorem 4.1 and its assumptions) | here |
//! |---|---|
//! | `f̂_t(W_t)` | [`Factorizer::surrogate`] |
//! | `f_t(W_t)` | [`Window::empirical_loss`], over a retained window |
//! | `f(W_t)` | [`expected_loss`], by Monte Carlo over held-out minibatches |
//! | critical points of `f` in `C` | [`stationarity_gap`] `→ 0` |
//! | `‖W_t − W_{t−1}‖ = O(w_t)` (iterate stability) | `change / weight` of a step's report |
//! | `λ_min(A_t) ≥ κ₁` (C2) | [`smallest_eigenvalue`] |
//!
//! Mixing of the chain behind the minibatches is judged by [`crate::chain::diagnostics`].

use super::factorizer::Factorizer;
use super::sets::{ConvexSet, difference_norm};
use super::settings::Normalize;
use crate::Result;
use crate::linalg::eigen::eigenvalues;
use crate::linalg::products::{Op, Products};
use crate::linalg::{Mat, MatRef, Scalar};
use std::collections::VecDeque;

/// `‖W − Π_C(W − ∇g_t(W)/2λ_max(A_t))‖_F / ‖W‖_F` with `∇g_t(W) = 2(WA_t − B_tᵀ)`: what a gradient step would still change, as a share of the
/// dictionary; zero exactly at the points of `C` that minimize the surrogate. Data times a number leave it as it is. For a union of sets `C` is the piece
/// that contains `W`; where nothing was coded, it is zero.
///
/// ```
/// use ergodict::factor::{Factorizer, FactorSettings, diagnostics::stationarity_gap};
/// use ergodict::linalg::Mat;
/// let x = Mat::from_fn(4, 6, |i, j| ((3 * i + 2 * j) % 5) as f64);
/// let gap = |dictionary_tolerance, sweeps| {
///     let dictionary_sweeps = Some(sweeps);
///     let parameters = FactorSettings { dictionary_tolerance, dictionary_sweeps, ..FactorSettings::new(2) };
///     let mut model = Factorizer::<f64>::random(parameters, 4, 0)?;
///     model.step(&x)?;
///     Ok::<f64, ergodict::Error>(stationarity_gap(&model))
/// };
/// assert!(gap(1e-8, 100)? < 1e-6 && gap(1e-3, 1)? > 1e-6); // the minimizer, and a first sweep towards it
/// # Ok::<(), ergodict::Error>(())
/// ```
pub fn stationarity_gap<T: Scalar>(factorizer: &Factorizer<T>) -> f64 {
    let w: Mat<f64> = factorizer.dictionary().cast();
    let totals = factorizer.aggregates();
    let kappa1 = factorizer.parameters().kappa1;
    let curvature = largest_eigenvalue(&totals.a) + kappa1;
    let size = norm(&w);
    if !(curvature > 0.0 && size > 0.0) {
        return 0.0;
    }
    let step = 1.0 / curvature;
    let mut moved = Mat::zeros(w.rows(), w.cols());
    f64::product(&mut moved, false, (Op::Plain, w.as_ref()), (Op::Plain, totals.a.as_ref()), -step);
    let set = factorizer.parameters().dictionary().pieces().get(factorizer.piece());
    // The update leaves unused atoms of a product set alone, whatever κ₁ says of them.
    let resting = if matches!(set, Some(ConvexSet::Columns(_))) { unused(&totals.a) } else { Vec::new() };
    for j in 0..w.cols() {
        if resting.contains(&j) {
            moved.col_mut(j).copy_from_slice(w.col(j));
            continue;
        }
        let columns = totals.b_transposed.col(j).iter().zip(w.col(j));
        for (x, (b, w)) in moved.col_mut(j).iter_mut().zip(columns) {
            *x += step * b + (1.0 - step * kappa1) * w;
        }
    }
    if let Some(set) = set {
        set.project(&mut moved);
    }
    difference_norm(&w, &moved) / size
}

fn norm(w: &Mat<f64>) -> f64 {
    w.padded().iter().map(|w| w * w).sum::<f64>().sqrt()
}

/// `λ_max(A)` of a matrix without negative eigenvalues to about a thousandth, from below, by powers of it: diagnostics need no more digits of it.
fn largest_eigenvalue(a: &Mat<f64>) -> f64 {
    let r = a.cols();
    // The atom that is used most is no bad guess, and all entries of A are of its size at most.
    let most = (0..r).max_by(|&i, &j| a.get(i, i).total_cmp(&a.get(j, j)));
    let Some(most) = most.filter(|&k| a.get(k, k) > 0.0) else { return 0.0 };
    let size = a.get(most, most);
    let mut v: Vec<f64> = a.col(most).iter().map(|a| a / size).collect();
    let mut value = 0.0;
    for _ in 0..100 {
        let length = v.iter().map(|v| v * v).sum::<f64>().sqrt();
        v.iter_mut().for_each(|v| *v /= length);
        let mut next = vec![0.0; r];
        for (k, v) in v.iter().enumerate() {
            next.iter_mut().zip(a.col(k)).for_each(|(next, a)| *next += v * (a / size));
        }
        let found: f64 = v.iter().zip(&next).map(|(v, next)| v * next).sum();
        let settled = found <= value * (1.0 + 1e-4);
        (value, v) = (found.max(value), next);
        if settled {
            break;
        }
    }
    value * size
}

/// `λ_min(A_t)`; NaN if `A_t` is not finite.
///
/// Assumption (C2) of the theorem asks that it stays above some `κ₁ > 0`; [`FactorSettings::kappa1`](super::FactorSettings::kappa1) sees to that.
///
/// ```
/// use ergodict::factor::{Factorizer, FactorSettings, diagnostics::smallest_eigenvalue};
/// use ergodict::linalg::Mat;
/// // One sample has one code: A₁ = hhᵀ has rank one.
/// let mut model = Factorizer::<f64>::random(FactorSettings::new(3), 4, 0)?;
/// model.step(&Mat::from_fn(4, 1, |i, _| i as f64))?;
/// assert!(smallest_eigenvalue(&model).abs() < 1e-12);
/// # Ok::<(), ergodict::Error>(())
/// ```
pub fn smallest_eigenvalue<T: Scalar>(factorizer: &Factorizer<T>) -> f64 {
    let a = &factorizer.aggregates().a;
    eigenvalues(a.as_ref()).and_then(|values| values.first().copied()).unwrap_or(f64::NAN)
}

/// Shares `√A_jj / Σ_k √A_kk` of the atoms in the reconstructions: their dominance. All zero before the first step.
///
/// ```
/// use ergodict::{factor::diagnostics::dominance, linalg::Mat};
/// let a = Mat::from_fn(2, 2, |i, j| [[9.0, 1.0], [1.0, 1.0]][i][j]);
/// assert_eq!(dominance(&a), [0.75, 0.25]);
/// ```
pub fn dominance(a: &Mat<f64>) -> Vec<f64> {
    let roots: Vec<f64> = (0..a.cols()).map(|k| a.get(k, k).max(0.0).sqrt()).collect();
    let total: f64 = roots.iter().sum();
    roots.iter().map(|root| if total > 0.0 { root / total } else { 0.0 }).collect()
}

/// Atoms that no code has used: those whose `A_kk` is rounding in addition to the largest.
///
/// ```
/// use ergodict::{factor::diagnostics::unused, linalg::Mat};
/// let a = Mat::from_fn(3, 3, |i, j| if i == j { [4.0, 0.0, 1.0][i] } else { 0.0 });
/// assert_eq!(unused(&a), [1]);
/// ```
pub fn unused(a: &Mat<f64>) -> Vec<usize> {
    let largest = (0..a.cols()).map(|k| a.get(k, k)).fold(0.0, f64::max);
    (0..a.cols()).filter(|&k| a.get(k, k) <= super::dictionary::UNUSED * largest).collect()
}

/// A mean over samples, and how far chance may have put it off.
///
/// ```
/// use ergodict::factor::{Factorizer, FactorSettings, diagnostics::expected_loss};
/// use ergodict::linalg::Mat;
/// let mut model = Factorizer::<f64>::random(FactorSettings::new(2), 3, 0)?;
/// let held_out = Mat::from_fn(3, 50, |i, j| ((7 * i + 3 * j) % 11) as f64);
/// let estimate = expected_loss(&mut model, [held_out.as_ref()])?;
/// assert!(estimate.samples == 50 && estimate.standard_error < estimate.mean);
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Estimate {
    /// The mean.
    pub mean: f64,
    /// Its standard error, as for independent samples; divide their number by the autocorrelation time where they are not.
    pub standard_error: f64,
    /// Number of samples.
    pub samples: u64,
}

/// `f(W_t)` per sample by Monte Carlo: the mean loss of the given minibatches, none of them learned from, a sample at
/// a time.
///
/// `f(W) = E_π ℓ(X, W)` with `ℓ(X, W) = min_H ‖X − WH‖² + λ‖H‖₁ + (κ₂/2)‖H‖²`; minibatches are d×n, of any n.
///
/// ```
/// use ergodict::factor::{Factorizer, FactorSettings, diagnostics::expected_loss};
/// use ergodict::linalg::Mat;
/// let mut model = Factorizer::<f64>::random(FactorSettings::new(2), 3, 0)?;
/// let x = Mat::from_fn(3, 4, |i, j| (i + j) as f64);
/// let estimate = expected_loss(&mut model, [x.as_ref()])?;
/// assert!((estimate.mean - model.loss(&x)? / 4.0).abs() < 1e-12);
/// # Ok::<(), ergodict::Error>(())
/// ```
///
/// # Errors
/// As [`Factorizer::loss`].
pub fn expected_loss<'a, T: Scalar>(
    factorizer: &mut Factorizer<T>,
    minibatches: impl IntoIterator<Item = MatRef<'a, T>>,
) -> Result<Estimate> {
    let (mut n, mut mean, mut squares) = (0u64, 0.0, 0.0);
    for x in minibatches {
        factorizer.loss(x)?;
        for loss in factorizer.losses() {
            n += 1;
            let off = loss - mean;
            mean += off / n as f64;
            squares += off * (loss - mean);
        }
    }
    let variance = squares / n.saturating_sub(1) as f64;
    let mean = if n == 0 { f64::NAN } else { mean };
    Ok(Estimate { mean, standard_error: (variance / n as f64).sqrt(), samples: n })
}

/// The last minibatches and their weights, kept to compute the empirical loss `f_t(W)` on them.
///
/// `f_t(W) = Σ_s w_s Π_{s<u≤t} (1 − w_u) ℓ(X_s, W)`, the loss that the surrogate `f̂_t` bounds from above.
///
/// ```
/// use ergodict::factor::{Factorizer, FactorSettings, diagnostics::Window};
/// use ergodict::linalg::Mat;
/// let mut model = Factorizer::<f64>::random(FactorSettings::new(2), 3, 0)?;
/// let mut window = Window::new(20);
/// for t in 0..20 {
///     let x = Mat::from_fn(3, 4, |i, j| ((i + j + t) % 3) as f64);
///     let report = model.step(&x)?;
///     window.push(x.as_ref(), report.weight);
/// }
/// assert!(window.empirical_loss(&mut model)? <= model.surrogate() * (1.0 + 1e-9));
/// # Ok::<(), ergodict::Error>(())
/// ```
pub struct Window<T> {
    capacity: usize,
    kept: VecDeque<(Mat<T>, f64)>,
}

impl<T: Scalar> Window<T> {
    /// Keeps the last `capacity` minibatches.
    pub fn new(capacity: usize) -> Self {
        Self { capacity, kept: VecDeque::new() }
    }

    /// Records a minibatch and the weight `w_t` its step had.
    pub fn push(&mut self, x: MatRef<'_, T>, weight: f64) {
        for (_, old) in &mut self.kept {
            *old *= 1.0 - weight;
        }
        if self.kept.len() == self.capacity {
            self.kept.pop_front();
        }
        if self.capacity > 0 {
            self.kept.push_back((x.to_owned(), weight));
        }
    }

    /// `f_t(W_t)`: the weighted mean of `ℓ(X_s, W_t)` over the minibatches kept. It is the paper's `f_t` exactly
    /// while all are kept; otherwise the weights are scaled to sum to one.
    ///
    /// # Errors
    /// As [`Factorizer::loss`].
    pub fn empirical_loss(&self, factorizer: &mut Factorizer<T>) -> Result<f64> {
        let (mut loss, mut weight) = (0.0, 0.0);
        for (x, w) in &self.kept {
            let width = match factorizer.parameters().normalize {
                Normalize::Sum => 1.0,
                Normalize::PerColumn => x.cols() as f64,
            };
            loss += w * factorizer.loss(x.as_ref())? / width;
            weight += w;
        }
        Ok(if weight > 0.0 { loss / weight } else { f64::NAN })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::common::Random;
    use crate::factor::FactorSettings;

    fn samples(random: &mut Random, d: usize, n: usize) -> Mat<f64> {
        Mat::from_fn(d, n, |_, _| random.between(0.0, 3.0))
    }

    /// After some steps that do not minimize the surrogate.
    fn learned(settings: FactorSettings, seed: u64) -> Factorizer<f64> {
        let (mut random, mut model) = (Random::new(seed), Factorizer::random(settings, 7, seed).unwrap());
        for _ in 0..3 {
            model.step(&samples(&mut random, 7, 12)).unwrap();
        }
        model
    }

    #[test]
    fn the_gap_is_that_of_its_formula() {
        for (seed, kappa1) in [(0, 0.0), (1, 0.5), (2, 20.0)] {
            let settings =
                FactorSettings { kappa1, dictionary_sweeps: Some(1), lambda: 0.1, ..FactorSettings::new(4) };
            let model = learned(settings, seed);
            let (w, totals) = (model.dictionary(), model.aggregates());
            assert!(unused(&totals.a).is_empty());
            let curvature = eigenvalues(totals.a.as_ref()).unwrap()[3] + kappa1;
            let mut moved = Mat::from_fn(7, 4, |i, j| {
                let along: f64 = (0..4).map(|k| w.get(i, k) * totals.a.get(k, j)).sum();
                w.get(i, j) - (along + kappa1 * w.get(i, j) - totals.b_transposed.get(i, j)) / curvature
            });
            model.parameters().dictionary().pieces()[0].project(&mut moved);
            let expected = difference_norm(w, &moved) / norm(w);
            let found = stationarity_gap(&model);
            // The largest eigenvalue is known to a thousandth.
            assert!(expected > 1e-6 && (found / expected - 1.0).abs() < 3e-3, "{found} for {expected}");
        }
    }

    #[test]
    fn the_gap_closes_at_the_minimizer_and_unused_atoms_do_not_open_it() {
        let model = learned(FactorSettings { lambda: 0.1, ..FactorSettings::exact(4) }, 3);
        assert!(stationarity_gap(&model) < 1e-6);
        // One sample: most atoms are unused, and κ₁ alone would move them.
        let settings = FactorSettings { kappa1: 0.5, ..FactorSettings::exact(6) };
        let mut one = Factorizer::<f64>::random(settings, 7, 0).unwrap();
        one.step(&Mat::from_fn(7, 1, |i, _| if i == 2 { 5.0 } else { 0.0 })).unwrap();
        assert!(!unused(&one.aggregates().a).is_empty());
        assert!(stationarity_gap(&one) < 1e-6, "{}", stationarity_gap(&one));
        let fresh = Factorizer::<f64>::random(FactorSettings::new(2), 7, 0).unwrap();
        assert_eq!(stationarity_gap(&fresh), 0.0);
    }

    #[test]
    fn largest_eigenvalues_are_found_to_a_thousandth_from_below_in_any_unit() {
        let mut random = Random::new(4);
        for r in [1, 2, 5, 20] {
            let h = samples(&mut random, r, 2 * r);
            for unit in [1e-200, 1.0, 1e200] {
                let a = Mat::from_fn(r, r, |i, j| {
                    unit * (0..2 * r).map(|n| h.get(i, n) * h.get(j, n)).sum::<f64>()
                });
                let exact = eigenvalues(a.as_ref()).unwrap()[r - 1];
                let found = largest_eigenvalue(&a);
                assert!(found <= exact * (1.0 + 1e-12) && found >= 0.999 * exact, "{found} for {exact}");
            }
        }
        // A first quotient just above 1, far from the largest eigenvalue, is no end.
        let coupled = |i: usize, j: usize| if i == 0 || j == 0 { 0.001 } else { 0.99 };
        let a = Mat::from_fn(10, 10, |i, j| if i + j == 0 { 1.0 } else { coupled(i, j) });
        let exact = eigenvalues(a.as_ref()).unwrap()[9];
        assert!(exact > 8.9 && largest_eigenvalue(&a) >= 0.999 * exact);
        assert_eq!(largest_eigenvalue(&Mat::zeros(3, 3)), 0.0);
    }

    #[test]
    fn atoms_below_rounding_of_the_largest_are_unused() {
        let a = |diagonal: [f64; 4]| Mat::from_fn(4, 4, |i, j| if i == j { diagonal[i] } else { 0.0 });
        let limit = super::super::dictionary::UNUSED;
        assert!(limit < 1e-6);
        for unit in [1e-9, 1.0, 1e9] {
            let found = unused(&a([4.0, 0.0, 5.0 * limit, 3.0 * limit].map(|x| unit * x)));
            assert_eq!(found, [1, 3]);
        }
        assert_eq!(dominance(&a([0.0; 4])), [0.0; 4]);
        assert_eq!(dominance(&a([16.0, 4.0, 0.0, 4.0])), [0.5, 0.25, 0.0, 0.25]);
    }

    #[test]
    fn expected_losses_are_means_of_all_samples_with_the_textbook_error() {
        let (mut random, mut model) = (Random::new(5), learned(FactorSettings::new(3), 5));
        let parts = [4, 1, 9].map(|n| samples(&mut random, 7, n));
        let mut losses = Vec::new();
        for part in &parts {
            for j in 0..part.cols() {
                losses.push(model.loss(part.as_ref().columns(j, j + 1)).unwrap());
            }
        }
        let found = expected_loss(&mut model, parts.iter().map(Mat::as_ref)).unwrap();
        let mean = losses.iter().sum::<f64>() / 14.0;
        let variance = losses.iter().map(|loss| (loss - mean).powi(2)).sum::<f64>() / 13.0;
        assert_eq!(found.samples, 14);
        assert!((found.mean / mean - 1.0).abs() < 1e-7);
        assert!((found.standard_error / (variance / 14.0).sqrt() - 1.0).abs() < 1e-7);
        let none = expected_loss(&mut model, []).unwrap();
        assert!(none.samples == 0 && none.mean.is_nan());
    }

    #[test]
    fn empirical_losses_are_weighted_means_of_what_is_kept() {
        for normalize in [Normalize::Sum, Normalize::PerColumn] {
            let mut random = Random::new(6);
            let mut model = learned(FactorSettings { normalize, ..FactorSettings::new(3) }, 6);
            let weights = [1.0, 0.5, 0.25, 0.4];
            let parts = [3, 5, 2, 4].map(|n| samples(&mut random, 7, n));
            let losses = parts.each_ref().map(|x| {
                let width = if normalize == Normalize::Sum { 1.0 } else { x.cols() as f64 };
                model.loss(x).unwrap() / width
            });
            for capacity in 1..6 {
                let mut window = Window::new(capacity);
                parts.iter().zip(weights).for_each(|(x, weight)| window.push(x.as_ref(), weight));
                // `w_s Π_{u > s} (1 − w_u)`: .225, .225, .15 and .4.
                let shares = [0.5 * 0.75 * 0.6, 0.5 * 0.75 * 0.6, 0.25 * 0.6, 0.4];
                let kept = 4usize.saturating_sub(capacity)..4;
                let total: f64 = shares[kept.clone()].iter().sum();
                let expected = kept.map(|s| shares[s] * losses[s]).sum::<f64>() / total;
                let found = window.empirical_loss(&mut model).unwrap();
                assert!((found / expected - 1.0).abs() < 1e-7, "{capacity}: {found} for {expected}");
            }
            let mut none = Window::new(0);
            none.push(parts[0].as_ref(), 1.0);
            assert!(none.empirical_loss(&mut model).unwrap().is_nan());
        }
    }
}
