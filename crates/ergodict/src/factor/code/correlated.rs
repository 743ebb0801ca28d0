//! Nonnegative coding from correlations that the caller has made, for data that never become columns: one thread, no allocation
//! from call to call.

use super::fast::{Admissible, Chunk};
use super::newton::collect;
use super::quadratic::Quadratic;
use super::{CodeReport, CodeSet, Penalty};
use crate::linalg::{Isa, Mat, Scalar};

/// Finds `argmin_{h ≥ 0} ‖x − Wh‖² + λ‖h‖₁` of `G = WᵀW` and `c = Wᵀx` alone.
pub(crate) struct CorrelatedCoder<T> {
    quadratic: Quadratic<T>,
    chunk: Chunk<T>,
    isa: Isa,
    tolerance: f64,
    max_rounds: u32,
}

impl<T: Scalar> CorrelatedCoder<T> {
    /// For the Gram matrix of the dictionary; `tolerance` and `max_rounds` as of [`super::Coder`].
    pub(crate) fn new(gram: &Mat<T>, lambda: f64, tolerance: f64, max_rounds: u32) -> Self {
        let mut quadratic = Quadratic::new();
        quadratic.prepare(gram, Penalty { lambda, kappa2: 0.0 }, CodeSet::Nonnegative);
        Self { quadratic, chunk: Chunk::new(), isa: Isa::detect(), tolerance, max_rounds }
    }

    /// Room for the correlations of `columns` columns, which [`CorrelatedCoder::solve`] takes and destroys. The padding must be left
    /// zero.
    pub(crate) fn correlations(&mut self, columns: usize) -> &mut Mat<T> {
        self.chunk.correlation.shape_to(self.quadratic.gram.cols(), columns);
        &mut self.chunk.correlation
    }

    /// Codes the columns whose correlations were written.
    pub(crate) fn solve(&mut self) -> CodeReport {
        let (isa, tolerance, rounds) = (self.isa, self.tolerance, self.max_rounds);
        let effort = T::solve(
            &mut self.chunk,
            Admissible::Nonnegative,
            isa,
            &self.quadratic,
            false,
            tolerance,
            rounds,
        );
        CodeReport {
            steps: effort.steps,
            newton_steps: effort.newton_steps,
            capped: effort.capped,
            kkt: effort.residual,
        }
    }

    /// Writes the atoms that column `j` uses and their codes to the front of two slices of `r`; returns how many there are.
    #[inline]
    pub(crate) fn code(&self, j: usize, atoms: &mut [u32], codes: &mut [T]) -> usize {
        let (m, scale) = (self.chunk.negated.col(j), self.quadratic.scale.col(0));
        let size = collect(m, atoms, |_, m| m != T::ZERO);
        for (code, &k) in codes.iter_mut().zip(&atoms[..size]) {
            *code = -m[k as usize] * scale[k as usize];
        }
        size
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::factor::code::Coder;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        /// The conditions of a minimizer over `h ≥ 0`: the gradient is not negative, and zero where the code is not.
        #[test]
        fn conditions_of_a_minimizer_hold(
            d in 1usize..30, r in 1usize..12, n in 1usize..40, lambda in prop_oneof![Just(0.0), 0.0..2.0f64], seed in 0u64..1000,
        ) {
            let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
            let mut next = || {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                (state >> 11) as f64 / (1u64 << 53) as f64
            };
            // Some atoms are zero, some twice there.
            let mut w = Mat::<f64>::from_fn(d, r, |_, j| if j % 5 == 4 { 0.0 } else { next() });
            if r > 2 {
                let first = w.col(0).to_vec();
                w.col_mut(2).copy_from_slice(&first);
            }
            let x = Mat::<f64>::from_fn(d, n, |_, _| f64::from(next() < 0.4));
            let mut whole = Coder::new(Penalty { lambda, kappa2: 0.0 }, CodeSet::Nonnegative);
            whole.set_dictionary(&w);
            let (mut h, mut costs) = (Mat::zeros(0, 0), Vec::new());
            whole.code((&x).into(), &w, &mut h, false, &mut costs).unwrap();
            let mut coder = CorrelatedCoder::new(whole.gram(), lambda, 1e-6, 100);
            let c = Mat::from_fn(r, n, |k, j| (0..d).map(|i| w.get(i, k) * x.get(i, j)).sum::<f64>());
            coder.correlations(n).padded_mut().copy_from_slice(c.padded());
            prop_assert_eq!(coder.solve().capped, 0);
            let (mut atoms, mut codes) = (vec![0; r], vec![0.0; r]);
            for j in 0..n {
                let size = coder.code(j, &mut atoms, &mut codes);
                let mut code = vec![0.0; r];
                atoms[..size].iter().zip(&codes).for_each(|(&k, &h)| code[k as usize] = h);
                let scale = (0..r).map(|k| c.get(k, j)).fold(1e-12, f64::max);
                for k in 0..r {
                    let fit: f64 = (0..r).map(|l| whole.gram().get(k, l) * code[l]).sum();
                    let gradient = fit - c.get(k, j) + lambda / 2.0;
                    // A residual of 1e-6 in units where atoms have norm one.
                    let allowed = 1e-5 * scale * whole.gram().get(k, k).sqrt().max(1.0);
                    prop_assert!(code[k] >= 0.0 && gradient >= -allowed, "{gradient} at {k}");
                    prop_assert!(code[k] == 0.0 || gradient <= allowed, "{gradient} at {k}");
                }
                let value = |h: &[f64]| -> f64 {
                    (0..d).map(|i| (x.get(i, j) - (0..r).map(|k| w.get(i, k) * h[k]).sum::<f64>()).powi(2)).sum::<f64>()
                        + lambda * h.iter().sum::<f64>()
                };
                prop_assert!((value(&code) - value(h.col(j))).abs() < 1e-6 * (1.0 + d as f64));
            }
        }
    }
}
