//! Columns with missing entries: each observed part has a Gram matrix of its own.
//!
//! For a column observed on the rows `O`, `G_O = Σ_{i∈O} w_i w_iᵀ` is summed over the observed rows, or subtracted
//! from `G` over the missing ones where these are fewer and do not cancel; then the exact solver runs on it. This is
//! exact and costs `O(r²·min(|O|, d−|O|) + r²)` a column.

use super::coder::{Job, Output};
use super::fast::{Chunk, Effort};
use super::quadratic::Quadratic;
use super::{CodeSolver, least_squares, omp};
use crate::factor::minibatch::Mask;
use crate::linalg::products::Op;
use crate::linalg::{Mat, MatRef, Scalar};

/// Subtract missing rows only while this share of every atom's squared norm is left.
const CANCELS: f64 = 1.0 / 16.0;

impl<T: Scalar> Job<'_, T> {
    /// Codes the columns from `first` on under the mask.
    pub(super) fn masked(
        &self,
        values: MatRef<'_, T>,
        observed: &Mask,
        first: usize,
        chunk: &mut Chunk<T>,
        extra: &mut Chunk<T>,
        out: &mut Output<'_, T>,
    ) -> Effort {
        let (d, r) = (self.w.rows(), self.w.cols());
        let mut effort = Effort::default();
        let mut gram = Mat::zeros(r, r);
        let mut quadratic = Quadratic::new();
        for j in 0..out.costs.len() {
            let column = first + j;
            let x = values.col(column);
            let seen: Vec<usize> = (0..d).filter(|&i| observed.get(i, column)).collect();
            chunk.correlation.reset(r, 1);
            for &i in &seen {
                for (c, &w) in chunk.correlation.col_mut(0).iter_mut().zip(self.transposed.col(i)) {
                    *c += x[i] * w;
                }
            }
            if self.bounds_error() {
                omp::squares(std::iter::once(seen.iter().map(|&i| x[i])), &mut chunk.norms);
            }
            let mut by_rows = 2 * seen.len() <= d;
            if !by_rows {
                let missing: Vec<usize> = (0..d).filter(|&i| !observed.get(i, column)).collect();
                self.gram_of_rows(&missing, &mut gram);
                // Where most of an atom is missing, subtracting it would leave its rounding.
                by_rows =
                    (0..r).any(|k| gram.get(k, k).to_f64() > (1.0 - CANCELS) * self.gram.get(k, k).to_f64());
                for k in 0..r {
                    for (g, &whole) in gram.col_mut(k).iter_mut().zip(self.gram.col(k)) {
                        *g = whole - *g;
                    }
                }
            }
            if by_rows {
                self.gram_of_rows(&seen, &mut gram);
            }
            quadratic.prepare(&gram, self.penalty, self.set);
            let inverse = (self.least_squares.is_some() && self.solver == CodeSolver::Fast)
                .then(|| least_squares::pseudo_inverse(&gram, self.penalty.kappa2));
            let column = &mut out.column(j, r);
            effort.add(self.solve_chunk(&quadratic, &gram, inverse.as_ref(), chunk, extra, column));
        }
        effort
    }

    fn gram_of_rows(&self, rows: &[usize], gram: &mut Mat<T>) {
        let r = self.w.cols();
        let part = Mat::from_fn(r, rows.len(), |k, i| self.transposed.get(k, rows[i]));
        gram.reset(r, r);
        T::gram(gram, (Op::Transposed, part.as_ref()));
    }
}

#[cfg(test)]
mod tests {
    use super::super::{CodeSet, Coder, Penalty};
    use crate::factor::minibatch::{Mask, Minibatch};
    use crate::linalg::Mat;

    #[test]
    fn equal_atoms_share_what_is_seen_of_a_sample() {
        let w = Mat::from_fn(5, 2, |i, _| (1 + i) as f64 / 10.0);
        let x = Mat::from_fn(5, 6, |i, j| ((3 * i + 2 * j) % 7) as f64);
        // Few rows of some columns, most of others.
        let mask = Mask::from_fn(5, 6, |i, j| if j < 3 { i == j || i == 4 } else { i != j });
        let mut coder = Coder::<f64>::new(Penalty { lambda: 0.0, kappa2: 0.0 }, CodeSet::Free);
        coder.set_dictionary(&w);
        let (mut h, mut costs) = (Mat::zeros(0, 0), Vec::new());
        let masked = Minibatch::Masked { values: x.as_ref(), observed: &mask };
        coder.code(masked, &w, &mut h, false, &mut costs).unwrap();
        for j in 0..6 {
            let seen = || (0..5).filter(|&i| mask.get(i, j));
            let along: f64 = seen().map(|i| w.get(i, 0) * x.get(i, j)).sum();
            let square: f64 = seen().map(|i| w.get(i, 0).powi(2)).sum();
            // The shortest of all codes that fit.
            for k in 0..2 {
                assert!((h.get(k, j) - along / square / 2.0).abs() < 1e-9, "{k}, {j}: {}", h.get(k, j));
            }
            assert!((costs[j] + along * along / square).abs() < 1e-9);
        }
    }
}
