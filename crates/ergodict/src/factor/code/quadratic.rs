//! The quadratic that all columns of a minibatch share, scaled to a unit diagonal.
//!
//! Coding a column `x` means minimizing `hᵀGh − 2cᵀh + λ‖h‖₁ + (κ₂/2)‖h‖²` with `G = WᵀW`, `c = Wᵀx`. With
//! `Ĝ = G + (κ₂/2)I`, `s_k = Ĝ_kk^{−1/2}` and `h = s·h̃` it becomes `h̃ᵀG̃h̃ − 2c̃ᵀh̃` over a scaled set, where
//! `G̃_kk = 1`: coordinate steps need no division, and the largest step is the one that lowers the objective most.

use super::{CodeSet, Penalty};
use crate::linalg::{Mat, Scalar};

/// Largest ratio of an atom's squared norm to the largest one at which it counts as zero.
const ZERO_ATOM: f64 = 1e-30;

/// `G̃`, the scaling, and the per-coordinate numbers of the rule in force.
pub(crate) struct Quadratic<T> {
    /// `G̃`, with zero rows for atoms that are zero.
    pub(super) gram: Mat<T>,
    /// `s_k`, zero for atoms that are zero; one column.
    pub(super) scale: Mat<T>,
    /// Half the ℓ₁ penalty in scaled units, `λ s_k / 2`; one column.
    pub(super) threshold: Mat<T>,
    /// Scaled upper bound (box) or soft threshold (free); one column.
    pub(super) aux: Mat<T>,
}

impl<T: Scalar> Quadratic<T> {
    pub(super) fn new() -> Self {
        Self {
            gram: Mat::zeros(0, 0),
            scale: Mat::zeros(0, 1),
            threshold: Mat::zeros(0, 1),
            aux: Mat::zeros(0, 1),
        }
    }

    /// Takes over a Gram matrix `G = WᵀW` under a penalty and a set.
    pub(super) fn prepare(&mut self, gram: &Mat<T>, penalty: Penalty, set: CodeSet) {
        let r = gram.cols();
        self.gram.reset(r, r);
        self.scale.reset(r, 1);
        self.threshold.reset(r, 1);
        self.aux.reset(r, 1);
        let ridge = T::from_f64(penalty.kappa2 / 2.0);
        let largest = (0..r).map(|k| gram.get(k, k).to_f64()).fold(0.0, f64::max);
        let zero = T::from_f64(ZERO_ATOM * largest);
        for k in 0..r {
            let diagonal = gram.get(k, k);
            let live = diagonal > zero;
            let s = if live { T::ONE / (diagonal + ridge).sqrt() } else { T::ZERO };
            self.scale.col_mut(0)[k] = s;
            self.threshold.col_mut(0)[k] = T::from_f64(penalty.lambda / 2.0) * s;
            self.aux.col_mut(0)[k] = match set {
                CodeSet::Box { upper } if live => T::from_f64(upper) / s,
                CodeSet::Free => self.threshold.col(0)[k],
                _ => T::ZERO,
            };
        }
        for k in 0..r {
            let sk = self.scale.col(0)[k];
            let source = gram.col(k);
            let scale = self.scale.col(0);
            let target = &mut self.gram.padded_mut()[k * gram.stride()..][..r];
            for i in 0..r {
                target[i] = (source[i] * scale[i]) * sk;
            }
            target[k] = if sk > T::ZERO { T::ONE } else { T::ZERO };
        }
    }
}
