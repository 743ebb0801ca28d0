//! Refitting: patches rebuilt from the atoms that their codes use, with coefficients that λ no longer shrinks.
//!
//! | symbol | here | what |
//! |---|---|---|
//! | `S` | `support` | atoms with a coefficient in the code found under λ |
//! | `h_S = argmin ‖x − W_S h‖²` | [`Refit::rebuild`] | least squares on them, by Cholesky's method |
//!
//! The penalty `λ‖h‖₁` chooses atoms well and shrinks them all: a picture rebuilt from such codes has lost contrast.

use crate::linalg::{Mat, Scalar};

/// Added to the diagonal of the Gram matrix, relative to it, so that equal atoms do no harm.
const RIDGE: f64 = 1e-9;

/// A dictionary made ready.
pub(super) struct Refit {
    /// Whether coefficients must stay positive, as those of nonnegative codes are.
    positive: bool,
    support: Vec<usize>,
    /// The lower triangle of the Gram matrix of the support, and then its factor, row by row.
    gram: Vec<f64>,
    right: Vec<f64>,
}

impl Refit {
    pub(super) fn new(positive: bool) -> Self {
        Self { positive, support: Vec::new(), gram: Vec::new(), right: Vec::new() }
    }

    /// Overwrites each column of `rebuilt`, which is `W h`, by `W_S h_S` for the column `x` it is to be like.
    pub(super) fn rebuild<T: Scalar>(&mut self, w: &Mat<T>, x: &Mat<T>, h: &Mat<T>, rebuilt: &mut Mat<T>) {
        for j in 0..x.cols() {
            self.support.clear();
            self.support.extend((0..w.cols()).filter(|&k| h.get(k, j) != T::ZERO));
            while !self.support.is_empty() {
                self.solve(w, x.col(j));
                let wrong = |&(_, c): &(usize, &f64)| self.positive && *c <= 0.0;
                let dropped: Vec<usize> =
                    self.right.iter().enumerate().filter(wrong).map(|(i, _)| i).rev().collect();
                if dropped.is_empty() {
                    break;
                }
                dropped.into_iter().for_each(|i| {
                    self.support.remove(i);
                });
            }
            let out = rebuilt.col_mut(j);
            out.fill(T::ZERO);
            for (&k, &c) in self.support.iter().zip(&self.right) {
                for (out, w) in out.iter_mut().zip(w.col(k)) {
                    *out = T::from_f64(out.to_f64() + c * w.to_f64());
                }
            }
        }
    }

    /// Least squares on the support; the coefficients are in `right` then.
    fn solve<T: Scalar>(&mut self, w: &Mat<T>, x: &[T]) {
        let Self { support, gram, right, .. } = self;
        let dot = |a: &[T], b: &[T]| a.iter().zip(b).map(|(a, b)| a.to_f64() * b.to_f64()).sum::<f64>();
        let n = support.len();
        gram.clear();
        gram.resize(n * n, 0.0);
        right.clear();
        right.extend(support.iter().map(|&k| dot(w.col(k), x)));
        for i in 0..n {
            for k in 0..=i {
                gram[i * n + k] = dot(w.col(support[i]), w.col(support[k]));
            }
            gram[i * n + i] *= 1.0 + RIDGE;
        }
        for i in 0..n {
            for k in 0..=i {
                let below: f64 = (0..k).map(|m| gram[i * n + m] * gram[k * n + m]).sum();
                let left = gram[i * n + k] - below;
                gram[i * n + k] =
                    if i == k { left.max(f64::MIN_POSITIVE).sqrt() } else { left / gram[k * n + k] };
            }
        }
        for i in 0..n {
            let known: f64 = (0..i).map(|m| gram[i * n + m] * right[m]).sum();
            right[i] = (right[i] - known) / gram[i * n + i];
        }
        for i in (0..n).rev() {
            let known: f64 = (i + 1..n).map(|m| gram[m * n + i] * right[m]).sum();
            right[i] = (right[i] - known) / gram[i * n + i];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_residual_is_orthogonal_to_the_atoms_in_use_and_signs_are_kept() {
        let w = Mat::<f64>::from_fn(5, 4, |i, k| {
            ((i * 7 + k * 3) % 5) as f64 / 5.0 + f64::from(u8::from(i == k))
        });
        let x = Mat::<f64>::from_fn(5, 3, |i, j| ((i + 2 * j) % 4) as f64 - 0.5 * j as f64);
        let h = Mat::<f64>::from_fn(4, 3, |k, j| f64::from(u8::from((k + j) % 3 != 0)));
        for positive in [false, true] {
            let mut rebuilt = Mat::zeros(5, 3);
            let mut refit = Refit::new(positive);
            refit.rebuild(&w, &x, &h, &mut rebuilt);
            for j in 0..3 {
                for k in (0..4).filter(|&k| h.get(k, j) != 0.0) {
                    let slope: f64 = (0..5).map(|i| w.get(i, k) * (x.get(i, j) - rebuilt.get(i, j))).sum();
                    // With signs kept, atoms that would need a negative coefficient have left the support.
                    assert!(
                        if positive { slope < 1e-7 } else { slope.abs() < 1e-7 },
                        "{positive} {j} {k}: {slope}"
                    );
                }
            }
        }
    }

    #[test]
    fn equal_atoms_and_zero_atoms_do_no_harm() {
        let w = Mat::<f64>::from_fn(3, 3, |i, k| if k == 2 { 0.0 } else { (i + 1) as f64 });
        let x = Mat::<f64>::from_fn(3, 1, |i, _| 2.0 * (i + 1) as f64);
        let h = Mat::<f64>::from_fn(3, 1, |_, _| 1.0);
        let mut rebuilt = Mat::zeros(3, 1);
        Refit::new(false).rebuild(&w, &x, &h, &mut rebuilt);
        for i in 0..3 {
            assert!((rebuilt.get(i, 0) - x.get(i, 0)).abs() < 1e-6, "{rebuilt:?}");
        }
    }
}
