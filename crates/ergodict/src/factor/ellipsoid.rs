//! The dictionary update over sets that are not products of columns, and over disjoint unions under the ellipsoid.
//!
//! | paper (Algorithm 3, Prop. gW_bd) | here |
//! |---|---|
//! | `g(W) = tr(WAWᵀ) − 2tr(WB)` | [`Quadratic::value`] |
//! | `E = {W : tr((Bᵀ − WA)(W_{t−1} − W)ᵀ) ≤ 0}` | [`Quadratic::ellipsoid`] `≤ 0` |
//! | `argmin over C_i ∩ E` | [`Quadratic::minimize_in_ellipsoid`] |
//!
//! Departures from the print. With a multiplier `μ ≥ 0` on the ellipsoid the minimizer over `C_i ∩ E` is the minimizer
//! over `C_i` alone of the same quadratic with `B_θ = (1−θ)B + θAW_{t−1}ᵀ`, `θ = μ/(2(1+μ)) ∈ [0, ½]`, for the smallest
//! `θ` that lands in `E`: no projection onto an intersection is needed. At `θ = ½` the point is the projection of the
//! ellipsoid's center in the norm of `A`, so when that misses `E` the intersection is empty. `A` here is `A + κ₁I`
//! throughout.

use super::dictionary::{ColumnDescent, Descent, UpdateReport};
use super::sets::{ConvexSet, DictionarySet, difference_norm};
use crate::linalg::eigen::eigenvalues;
use crate::linalg::products::{Op, Products};
use crate::linalg::{Isa, Mat};

/// Bisections of θ: enough to fix all bits of a number in [0, ½].
const BISECTIONS: u32 = 52;

/// `tr(WAWᵀ) − 2tr(WB)` with `A` symmetric positive semidefinite (κ₁ included) and `B` transposed, d×r.
pub(crate) struct Quadratic<'a> {
    /// `A + κ₁I`, r×r.
    pub a: &'a Mat<f64>,
    /// `Bᵀ`, d×r.
    pub b_transposed: &'a Mat<f64>,
}

/// How far the inner minimizations go.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Accuracy {
    /// Relative change of `W` in a step at which to stop.
    pub tolerance: f64,
    /// Most steps of one minimization.
    pub max_steps: u32,
}

impl Quadratic<'_> {
    /// `g(W)`.
    pub(crate) fn value(&self, w: &Mat<f64>) -> f64 {
        let wa = times(w, self.a);
        inner(&wa, w) - 2.0 * inner(self.b_transposed, w)
    }

    /// `tr((Bᵀ − WA)(W_{t−1} − W)ᵀ)`: at most zero in the ellipsoid.
    pub(crate) fn ellipsoid(&self, previous: &Mat<f64>, w: &Mat<f64>) -> f64 {
        let wa = times(w, self.a);
        let entry = |i: usize, j: usize| {
            (self.b_transposed.get(i, j) - wa.get(i, j)) * (previous.get(i, j) - w.get(i, j))
        };
        (0..w.cols()).map(|j| (0..w.rows()).map(|i| entry(i, j)).sum::<f64>()).sum()
    }

    /// The minimizer over a convex set, from `start` on.
    pub(crate) fn minimize(
        &self,
        set: &ConvexSet,
        start: &Mat<f64>,
        accuracy: Accuracy,
    ) -> (Mat<f64>, UpdateReport) {
        if let ConvexSet::Columns(columns) = set {
            let mut w = start.clone();
            set.project(&mut w);
            let start = &w.clone();
            let goal = Descent {
                a: self.a,
                b_transposed: self.b_transposed,
                kappa1: 0.0,
                tolerance: accuracy.tolerance,
                max_sweeps: accuracy.max_steps,
            };
            let report = ColumnDescent::new().minimize(Isa::detect(), &mut w, start, columns, &goal);
            return (w, report);
        }
        self.accelerated_gradient(set, start, accuracy)
    }

    /// Projected gradient with momentum, restarted whenever the momentum points uphill.
    fn accelerated_gradient(
        &self,
        set: &ConvexSet,
        start: &Mat<f64>,
        accuracy: Accuracy,
    ) -> (Mat<f64>, UpdateReport) {
        let mut w = start.clone();
        set.project(&mut w);
        let mut report = UpdateReport::default();
        let lipschitz = largest_eigenvalue(self.a);
        if lipschitz <= 0.0 {
            return (w, report);
        }
        let mut ahead = w.clone();
        let mut momentum = 1.0f64;
        while report.sweeps < accuracy.max_steps {
            report.sweeps += 1;
            let mut next = times(&ahead, self.a);
            for ((x, y), b) in
                next.padded_mut().iter_mut().zip(ahead.padded()).zip(self.b_transposed.padded())
            {
                *x = y - (*x - b) / lipschitz;
            }
            set.project(&mut next);
            let uphill: f64 = (ahead.padded().iter().zip(next.padded()).zip(w.padded()))
                .map(|((y, n), w)| (y - n) * (n - w))
                .sum();
            let following =
                if uphill > 0.0 { 1.0 } else { f64::midpoint(1.0, (1.0 + 4.0 * momentum * momentum).sqrt()) };
            let share = if uphill > 0.0 { 0.0 } else { (momentum - 1.0) / following };
            // The gradient map at the point ahead is what must vanish, not only the progress made.
            let change = difference_norm(&next, &ahead);
            let norm = inner(&next, &next).sqrt();
            for ((y, n), w) in ahead.padded_mut().iter_mut().zip(next.padded()).zip(w.padded()) {
                *y = n + share * (n - w);
            }
            w = next;
            momentum = following;
            report.last_change = if norm > 0.0 { change / norm } else { change };
            if report.last_change <= accuracy.tolerance {
                return (w, report);
            }
        }
        report.capped = true;
        (w, report)
    }

    /// The minimizer over `set ∩ E`, or `None` when they do not meet.
    pub(crate) fn minimize_in_ellipsoid(
        &self,
        set: &ConvexSet,
        previous: &Mat<f64>,
        accuracy: Accuracy,
    ) -> Option<(Mat<f64>, UpdateReport)> {
        let anchor = times(previous, self.a);
        // Rounding of the condition itself, which is a difference of inner products.
        let slack = |w: &Mat<f64>| {
            let size = inner(self.b_transposed, self.b_transposed).sqrt() + inner(&anchor, &anchor).sqrt();
            4.0 * f64::EPSILON * size * difference_norm(previous, w)
        };
        let mut total = UpdateReport::default();
        let mut solve = |theta: f64, start: &Mat<f64>| {
            let mut b = self.b_transposed.clone();
            for (b, a) in b.padded_mut().iter_mut().zip(anchor.padded()) {
                *b += theta * (a - *b);
            }
            let (w, report) = Quadratic { a: self.a, b_transposed: &b }.minimize(set, start, accuracy);
            total.sweeps += report.sweeps;
            total.capped |= report.capped;
            total.last_change = report.last_change;
            total.unused = report.unused;
            let inside = self.ellipsoid(previous, &w) <= slack(&w);
            (w, inside)
        };
        let (w, inside) = solve(0.0, previous);
        if inside {
            return Some((w, total));
        }
        let (mut best, inside) = solve(0.5, &w);
        if !inside {
            return None;
        }
        let (mut low, mut high) = (0.0, 0.5);
        for _ in 0..BISECTIONS {
            let middle = f64::midpoint(low, high);
            let (w, inside) = solve(middle, &best);
            if inside {
                (high, best) = (middle, w);
            } else {
                low = middle;
            }
        }
        Some((best, total))
    }

    /// The best of the minimizers over the pieces of a union, each under the ellipsoid, and the index of its piece.
    /// `previous` is in piece `current`, so it is itself a candidate: the result is never worse.
    pub(crate) fn minimize_over_union(
        &self,
        union: &DictionarySet,
        previous: &Mat<f64>,
        current: usize,
        accuracy: Accuracy,
    ) -> (Mat<f64>, usize, UpdateReport) {
        let mut best = (previous.clone(), current);
        let mut lowest = self.value(previous);
        let mut total = UpdateReport::default();
        for (piece, set) in union.pieces().iter().enumerate() {
            let Some((w, report)) = self.minimize_in_ellipsoid(set, previous, accuracy) else {
                continue;
            };
            total.sweeps += report.sweeps;
            total.capped |= report.capped;
            total.last_change = total.last_change.max(report.last_change);
            total.unused = total.unused.max(report.unused);
            let value = self.value(&w);
            if value < lowest {
                (best, lowest) = ((w, piece), value);
            }
        }
        (best.0, best.1, total)
    }
}

fn times(w: &Mat<f64>, a: &Mat<f64>) -> Mat<f64> {
    let mut out = Mat::zeros(w.rows(), a.cols());
    f64::product(&mut out, false, (Op::Plain, w.as_ref()), (Op::Plain, a.as_ref()), 1.0);
    out
}

fn inner(v: &Mat<f64>, w: &Mat<f64>) -> f64 {
    v.padded().iter().zip(w.padded()).map(|(v, w)| v * w).sum()
}

/// `λ_max(A)`, or the trace should the eigenvalue iteration fail.
fn largest_eigenvalue(a: &Mat<f64>) -> f64 {
    let trace = || (0..a.cols()).map(|k| a.get(k, k)).sum();
    eigenvalues(a.as_ref()).and_then(|values| values.last().copied()).unwrap_or_else(trace)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::common::Random;

    #[test]
    fn steps_are_those_of_the_plain_loop_with_restarts() {
        for seed in 0..6 {
            let mut random = Random::new(seed);
            let (d, r) = (3, 4);
            let h = random.uniforms(r, 6);
            let a = Mat::from_fn(r, r, |i, j| (0..6).map(|n| h.get(i, n) * h.get(j, n)).sum::<f64>());
            let b = random.uniforms(d, r);
            let center = random.uniforms(d, r);
            let set = ConvexSet::Near {
                center: center.clone(),
                radius: 0.5 + seed as f64,
                nonnegative: seed % 2 == 0,
            };
            let accuracy = Accuracy { tolerance: 1e-9, max_steps: 5000 };
            let (found, report) = Quadratic { a: &a, b_transposed: &b }.minimize(&set, &center, accuracy);
            let largest = *eigenvalues(a.as_ref()).unwrap().last().unwrap();
            let (mut w, mut ahead, mut momentum, mut steps) = (center.clone(), center.clone(), 1.0f64, 0);
            loop {
                steps += 1;
                let mut next = Mat::from_fn(d, r, |i, j| {
                    let slope: f64 = (0..r).map(|k| ahead.get(i, k) * a.get(k, j)).sum::<f64>() - b.get(i, j);
                    ahead.get(i, j) - slope / largest
                });
                set.project(&mut next);
                let places = || (0..d).flat_map(|i| (0..r).map(move |j| (i, j)));
                let uphill: f64 = places()
                    .map(|(i, j)| (ahead.get(i, j) - next.get(i, j)) * (next.get(i, j) - w.get(i, j)))
                    .sum();
                let moved =
                    places().map(|(i, j)| (next.get(i, j) - ahead.get(i, j)).powi(2)).sum::<f64>().sqrt();
                let size = places().map(|(i, j)| next.get(i, j).powi(2)).sum::<f64>().sqrt();
                let (following, share) = if uphill > 0.0 {
                    (1.0, 0.0)
                } else {
                    let following = f64::midpoint(1.0, (1.0 + 4.0 * momentum * momentum).sqrt());
                    (following, (momentum - 1.0) / following)
                };
                ahead = Mat::from_fn(d, r, |i, j| next.get(i, j) + share * (next.get(i, j) - w.get(i, j)));
                (w, momentum) = (next, following);
                if moved / size <= 1e-9 {
                    break;
                }
            }
            assert!(report.sweeps.abs_diff(steps) <= 1 && !report.capped, "{} for {steps}", report.sweeps);
            assert!(difference_norm(&found, &w) < 1e-9);
        }
    }
}
