//! The paper's Algorithm 2: projected gradient, in plain loops. Slow and readable; the yardstick of the fast solver.

use super::fast::Effort;
use super::{CodeSet, Penalty};
use crate::linalg::{Mat, Scalar};

/// `min_h hᵀGh − 2cᵀh + λ‖h‖₁ + (κ₂/2)‖h‖²` over a set.
pub(super) struct Problem<'a, T> {
    pub(super) gram: &'a Mat<T>,
    pub(super) penalty: Penalty,
    pub(super) set: CodeSet,
}

impl<T: Scalar> Problem<'_, T> {
    /// Codes each column of `correlation` from the start in `codes`.
    pub(super) fn solve(
        &self,
        correlation: &Mat<T>,
        codes: &mut [T],
        stride: usize,
        costs: &mut [f64],
        tolerance: f64,
        limit: u64,
    ) -> Effort {
        let r = self.gram.cols();
        let tolerance = tolerance.max(8.0 * T::EPSILON);
        let Penalty { lambda, kappa2 } = self.penalty;
        // L ≥ 2 λ_max(G) + κ₂ by the largest absolute row sum, which is never above the paper's trace by much and
        // often far below it.
        let row_sum = |k: usize| self.gram.col(k).iter().map(|g| g.to_f64().abs()).sum::<f64>();
        let lipschitz = 2.0 * (0..r).map(row_sum).fold(0.0, f64::max) + kappa2;
        let mut effort = Effort::default();
        for (j, cost) in costs.iter_mut().enumerate() {
            let c: Vec<f64> = correlation.col(j).iter().map(|c| c.to_f64()).collect();
            let code = &mut codes[j * stride..][..r];
            let mut h: Vec<f64> = code.iter().map(|h| h.to_f64()).collect();
            let scale = c.iter().fold(0.0f64, |a, c| a.max(c.abs()));
            let mut taken = 0;
            let mut residual = 0.0;
            // Steps are judged by the gradient map L·(h − h⁺)/2, the size of a KKT violation in units of c.
            // Where there is nothing to fit, or nothing to fit it with, zero is the answer.
            let trivial = scale == 0.0 || lipschitz == 0.0;
            if trivial {
                h.fill(0.0);
            }
            let steps = if trivial { 0 } else { limit };
            while taken < steps {
                let gradient: Vec<f64> = self
                    .times_gram(&h)
                    .iter()
                    .zip(&c)
                    .zip(&h)
                    .map(|((gh, c), h)| 2.0 * (gh - c) + kappa2 * h)
                    .collect();
                let moved: Vec<f64> = h.iter().zip(&gradient).map(|(h, g)| h - g / lipschitz).collect();
                let next = project(&moved, lambda / lipschitz, self.set);
                let step = h.iter().zip(&next).fold(0.0f64, |a, (h, n)| a.max((h - n).abs()));
                h = next;
                taken += 1;
                residual = step * lipschitz / 2.0 / scale;
                if residual <= tolerance {
                    break;
                }
            }
            effort.steps += taken;
            effort.capped += u64::from(residual > tolerance);
            effort.residual = effort.residual.max(residual);
            let gh = self.times_gram(&h);
            *cost =
                (0..r).map(|k| h[k] * (gh[k] - 2.0 * c[k] + kappa2 / 2.0 * h[k]) + lambda * h[k].abs()).sum();
            for (code, &h) in code.iter_mut().zip(&h) {
                *code = T::from_f64(h);
            }
        }
        effort
    }

    fn times_gram(&self, h: &[f64]) -> Vec<f64> {
        let mut gh = vec![0.0; h.len()];
        for (k, &h) in h.iter().enumerate() {
            for (y, g) in gh.iter_mut().zip(self.gram.col(k)) {
                *y += g.to_f64() * h;
            }
        }
        gh
    }
}

/// The proximal map of `threshold·‖h‖₁` over the set: soft threshold, then projection.
fn project(h: &[f64], threshold: f64, set: CodeSet) -> Vec<f64> {
    match set {
        CodeSet::Nonnegative => h.iter().map(|h| (h - threshold).max(0.0)).collect(),
        CodeSet::Free | CodeSet::Pursuit(_) => {
            h.iter().map(|h| h.signum() * (h.abs() - threshold).max(0.0)).collect()
        }
        CodeSet::Box { upper } => h.iter().map(|h| (h - threshold).clamp(0.0, upper)).collect(),
        CodeSet::Simplex { bound } => {
            let shifted: Vec<f64> = h.iter().map(|h| h - threshold).collect();
            let clipped: Vec<f64> = shifted.iter().map(|h| h.max(0.0)).collect();
            if clipped.iter().sum::<f64>() <= bound {
                return clipped;
            }
            let mut projected = shifted;
            crate::factor::sets::project_simplex(&mut projected, bound);
            projected
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{CodeSet, CodeSolver, Coder, Penalty};
    use crate::linalg::Mat;

    #[test]
    fn nothing_to_fit_takes_no_steps_and_all_else_is_fitted() {
        let w = Mat::from_fn(2, 2, |i, k| f64::from(u8::from(i == k)));
        let solve = |x: [f64; 2]| {
            let mut coder = Coder::<f64>::new(Penalty { lambda: 0.0, kappa2: 0.0 }, CodeSet::Nonnegative);
            coder.solver = CodeSolver::ProjectedGradient;
            coder.set_dictionary(&w);
            let (mut h, mut costs) = (Mat::zeros(0, 0), Vec::new());
            let x = Mat::from_fn(2, 1, |i, _| x[i]);
            let report = coder.code((&x).into(), &w, &mut h, false, &mut costs).unwrap();
            ([h.get(0, 0), h.get(1, 0)], costs[0], report.steps)
        };
        for x in [[1.0, 0.0], [0.25, 1.0], [2.0, 3.0], [1e-3, 0.0]] {
            let (h, cost, steps) = solve(x);
            assert!((h[0] - x[0]).abs() < 1e-6 && (h[1] - x[1]).abs() < 1e-6, "{h:?} for {x:?}");
            assert!((cost + x[0] * x[0] + x[1] * x[1]).abs() < 1e-6 && steps > 0);
        }
        assert_eq!(solve([0.0, 0.0]), ([0.0, 0.0], 0.0, 0));
        assert_eq!(solve([-1.0, -2.0]).0, [0.0, 0.0]);
    }
}
