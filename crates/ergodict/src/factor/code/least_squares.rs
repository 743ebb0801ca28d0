//! Unpenalized free codes: least squares with a shared pseudo-inverse, of minimum norm when `W` is rank-deficient.

use super::fast::{Chunk, Effort};
use crate::linalg::eigen::eigen;
use crate::linalg::products::{Op, Products};
use crate::linalg::{Mat, Scalar};

/// `(G + (κ₂/2)I)⁺`. Directions whose eigenvalue is below `r·ε` of the largest count as absent.
pub(super) fn pseudo_inverse<T: Scalar>(gram: &Mat<T>, kappa2: f64) -> Mat<T> {
    let r = gram.cols();
    let wide: Mat<f64> = gram.cast();
    let Some((values, vectors)) = eigen(wide.as_ref()) else {
        return Mat::zeros(r, r);
    };
    let largest = values.last().copied().unwrap_or(0.0).max(0.0);
    let floor = largest * r as f64 * T::EPSILON;
    let scaled = Mat::from_fn(r, r, |i, j| {
        let inverse =
            if values[j] > floor || kappa2 > 0.0 { 1.0 / (values[j].max(0.0) + kappa2 / 2.0) } else { 0.0 };
        vectors.get(i, j) * inverse
    });
    let mut inverse = Mat::zeros(r, r);
    f64::product(&mut inverse, false, (Op::Plain, scaled.as_ref()), (Op::Transposed, vectors.as_ref()), 1.0);
    // A zero atom explains nothing, and rounding must not give it a code.
    let zero = |k: usize| wide.get(k, k) == 0.0;
    Mat::from_fn(r, r, |i, j| if zero(i) || zero(j) { T::ZERO } else { T::from_f64(inverse.get(i, j)) })
}

/// `H = (G + (κ₂/2)I)⁺ C`, with one step of iterative refinement.
#[allow(clippy::too_many_arguments)]
pub(super) fn solve<T: Scalar>(
    gram: &Mat<T>,
    kappa2: f64,
    inverse: &Mat<T>,
    chunk: &mut Chunk<T>,
    codes: &mut [T],
    stride: usize,
    costs: &mut [f64],
    tolerance: f64,
) -> Effort {
    let (r, n) = (chunk.correlation.rows(), chunk.correlation.cols());
    let ridge = T::from_f64(kappa2 / 2.0);
    chunk.negated.reset(r, n);
    chunk.residual.reset(r, n);
    chunk.residual.padded_mut().copy_from_slice(chunk.correlation.padded());
    let mut effort = Effort::default();
    for _ in 0..2 {
        // negated −= inverse · residual;  residual = c − (G + ridge) h.
        T::product(
            &mut chunk.negated,
            true,
            (Op::Plain, inverse.as_ref()),
            (Op::Plain, chunk.residual.as_ref()),
            -1.0,
        );
        chunk.residual.padded_mut().copy_from_slice(chunk.correlation.padded());
        let (plain, negated) = ((Op::Plain, gram.as_ref()), (Op::Plain, chunk.negated.as_ref()));
        T::product(&mut chunk.residual, true, plain, negated, 1.0);
        for j in 0..n {
            for k in 0..r {
                let shift = ridge * chunk.negated.get(k, j);
                chunk.residual.col_mut(j)[k] += shift;
            }
        }
    }
    for j in 0..n {
        let code = &mut codes[j * stride..][..r];
        let (mut cost, mut left, mut largest) = (0.0, 0.0f64, 0.0f64);
        for (k, h) in code.iter_mut().enumerate() {
            let (m, c, p) = (chunk.negated.get(k, j), chunk.correlation.get(k, j), chunk.residual.get(k, j));
            *h = -m;
            cost += (m * (c + p)).to_f64();
            // In units where atoms have norm one.
            let norm = (gram.get(k, k) + ridge).sqrt().to_f64();
            if norm > 0.0 {
                left = left.max(p.to_f64().abs() / norm);
                largest = largest.max(c.to_f64().abs() / norm);
            }
        }
        costs[j] = cost;
        if largest > 0.0 {
            effort.residual = effort.residual.max(left / largest);
            effort.capped += u64::from(left > largest * tolerance.max(64.0 * T::EPSILON));
        }
    }
    effort.newton_steps = n as u64;
    effort
}
