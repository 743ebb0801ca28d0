//! The dictionary update over a set that is a product of columns: blocked coordinate descent.
//!
//! | paper (Algorithm 3) | here |
//! |---|---|
//! | `W_j ← Π(W_j − (W A_j − (Bᵀ)_j)/A_jj)` | [`ColumnDescent::sweep`] |
//! | `κ₁` | added to the diagonal of `A`, in the objective and the ellipsoid alike |
//!
//! Departures from the print: the current `W` inside the loop, not `W_{t−1}`, and `A_jj`, not `A_jj + 1`, in the
//! denominator: these make each step the exact minimiser over its column.
//!
//! Columns go in blocks: one product gives the residual `Bᵀ − W A` of a whole block, rank-one corrections keep it
//! right as the block's columns move. The iterates are those of the plain loop, at half the time.

use super::sets::ColumnSet;
use crate::linalg::products::Op;
use crate::linalg::simd::{Simd, WithSimd};
use crate::linalg::{Isa, Mat, Scalar};

/// Columns whose residuals are made by one product. Measured: 8 to 32 are within 10 %.
const BLOCK: usize = 16;
/// Atoms with `A_jj` below this share of the largest are unused: the codes that made it are rounding.
pub(super) const UNUSED: f64 = 1e-14;

/// What an update took.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct UpdateReport {
    /// Passes over all atoms (gradient steps for sets that are not products of columns).
    pub sweeps: u32,
    /// Whether the cap on sweeps was met before the tolerance.
    pub capped: bool,
    /// Relative change of `W` in the last sweep.
    pub last_change: f64,
    /// Atoms that no code used; left as they were.
    pub unused: usize,
}

/// Buffers, kept between updates.
pub(super) struct ColumnDescent<T> {
    /// `A + κ₁I` in the precision of the data.
    a: Mat<T>,
    residual: Mat<T>,
    candidate: Mat<T>,
}

/// The quadratic `tr(WAWᵀ) − 2tr(WB)` and how far to go down it.
pub(super) struct Descent<'a> {
    pub(super) a: &'a Mat<f64>,
    pub(super) b_transposed: &'a Mat<f64>,
    pub(super) kappa1: f64,
    /// Stop when a sweep changes `W` by less than this share of its norm.
    pub(super) tolerance: f64,
    pub(super) max_sweeps: u32,
}

impl<T: Scalar> ColumnDescent<T> {
    pub(super) fn new() -> Self {
        Self { a: Mat::zeros(0, 0), residual: Mat::zeros(0, 0), candidate: Mat::zeros(0, 0) }
    }

    /// Minimises over the set, from `w` on.
    pub(super) fn minimise(
        &mut self,
        isa: Isa,
        w: &mut Mat<T>,
        set: &ColumnSet,
        goal: &Descent<'_>,
    ) -> UpdateReport {
        let (d, r) = (w.rows(), w.cols());
        if (self.a.rows(), self.candidate.rows()) != (r, d) {
            self.a.reset(r, r);
            self.candidate.reset(d, 1);
        }
        let largest = (0..r).map(|k| goal.a.get(k, k)).fold(0.0, f64::max);
        let mut report = UpdateReport::default();
        for k in 0..r {
            let source = goal.a.col(k);
            for (x, &a) in self.a.col_mut(k).iter_mut().zip(source) {
                *x = T::from_f64(a);
            }
            if source[k] <= UNUSED * largest {
                report.unused += 1;
                self.a.col_mut(k)[k] = T::ZERO;
            } else {
                self.a.col_mut(k)[k] = T::from_f64(source[k] + goal.kappa1);
            }
        }
        while report.sweeps < goal.max_sweeps {
            report.last_change = self.sweep(isa, w, set, goal.b_transposed);
            report.sweeps += 1;
            if report.last_change <= goal.tolerance {
                return report;
            }
        }
        report.capped = true;
        report
    }

    /// One pass over all atoms; returns `‖ΔW‖/‖W‖`.
    fn sweep(&mut self, isa: Isa, w: &mut Mat<T>, set: &ColumnSet, b_transposed: &Mat<f64>) -> f64 {
        let (d, r) = (w.rows(), w.cols());
        let (mut moved, mut norm) = (0.0, 0.0);
        let mut from = 0;
        while from < r {
            let to = (from + BLOCK).min(r);
            if (self.residual.rows(), self.residual.cols()) != (d, to - from) {
                self.residual.reset(d, to - from);
            }
            for j in from..to {
                isa.run(Narrow { from: b_transposed.col(j), to: self.residual.col_mut(j - from) });
            }
            let a = self.a.as_ref().columns(from, to);
            T::product(&mut self.residual, true, (Op::Plain, w.as_ref()), (Op::Plain, a), -1.0);
            for j in from..to {
                let diagonal = self.a.get(j, j);
                if diagonal > T::ZERO {
                    let step = Step {
                        w: w.col_mut(j),
                        inverse: T::ONE / diagonal,
                        residual: &mut self.residual,
                        here: j - from,
                        coupling: &self.a.col(j)[from..to],
                        candidate: self.candidate.col_mut(0),
                        set,
                    };
                    moved += isa.run(step);
                }
                norm += isa.run(Norm(w.col(j)));
            }
            from = to;
        }
        if norm > 0.0 { (moved / norm).sqrt() } else { 0.0 }
    }
}

/// Rounds a column to the precision of the data.
struct Narrow<'a, T> {
    from: &'a [f64],
    to: &'a mut [T],
}

impl<T: Scalar> WithSimd for Narrow<'_, T> {
    type Output = ();
    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        for (to, &from) in self.to.iter_mut().zip(self.from) {
            *to = T::from_f64(from);
        }
    }
}

/// `‖x‖²` in `f64`, summed in eight strands so that it vectorises.
struct Norm<'a, T>(&'a [T]);

impl<T: Scalar> WithSimd for Norm<'_, T> {
    type Output = f64;
    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> f64 {
        let mut sums = [0.0; 8];
        let chunks = self.0.chunks_exact(8);
        let rest: f64 = chunks.remainder().iter().map(|x| x.to_f64() * x.to_f64()).sum();
        for chunk in chunks {
            for (sum, x) in sums.iter_mut().zip(chunk) {
                *sum += x.to_f64() * x.to_f64();
            }
        }
        sums.iter().sum::<f64>() + rest
    }
}

/// Moves one atom to its minimiser and corrects the residuals of the rest of the block; returns `‖Δ‖²`.
struct Step<'a, T> {
    w: &'a mut [T],
    inverse: T,
    residual: &'a mut Mat<T>,
    /// The atom's place in the block.
    here: usize,
    /// `A_jk` for the atoms `k` of the block.
    coupling: &'a [T],
    candidate: &'a mut [T],
    set: &'a ColumnSet,
}

impl<T: Scalar> WithSimd for Step<'_, T> {
    type Output = f64;
    #[inline(always)]
    fn with_simd<S: Simd>(self, s: S) -> f64 {
        let Self { w, inverse, residual, here, coupling, candidate, set } = self;
        let own = residual.col(here);
        for ((c, &w), &res) in candidate.iter_mut().zip(w.iter()).zip(own) {
            *c = w + res * inverse;
        }
        if let ColumnSet::NonnegBall { radius } = set {
            for c in candidate.iter_mut() {
                *c = c.at_least(T::ZERO);
            }
            let norm = Norm(candidate).with_simd(s);
            if norm > radius * radius {
                let factor = T::from_f64(radius / norm.sqrt());
                for c in candidate.iter_mut() {
                    *c *= factor;
                }
            }
        } else {
            set.project(candidate);
        }
        for (c, w) in candidate.iter_mut().zip(w.iter_mut()) {
            let new = *c;
            *c -= *w;
            *w = new;
        }
        let moved = Norm(candidate).with_simd(s);
        if moved > 0.0 {
            for (k, &a) in coupling.iter().enumerate().skip(here + 1) {
                for (res, &delta) in residual.col_mut(k).iter_mut().zip(candidate.iter()) {
                    *res -= a * delta;
                }
            }
        }
        moved
    }
}
