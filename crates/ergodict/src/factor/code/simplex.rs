//! Codes with a bounded sum: `h ≥ 0`, `Σ h ≤ s`.
//!
//! With a multiplier `μ ≥ 0` on the sum, the problem is the nonnegative one at penalty `λ + μ`; `Σ h(μ)` falls
//! piecewise linearly, so the right `μ` is found by false position (Illinois), all columns of a chunk in step.

use super::fast::{Chunk, Effort};
use super::quadratic::Quadratic;
use crate::linalg::{Mat, Scalar};

/// Most multiplier steps; false position on a piecewise linear function needs a dozen.
const MAX_STEPS: usize = 200;

struct Search {
    column: usize,
    low: (f64, f64),
    high: (f64, f64),
    mu: f64,
}

/// Finds the multiplier of every column of `chunk` (solved without the bound) whose sum exceeds `bound`, and
/// replaces its code. `solve` codes the columns of a chunk from the warm start in it.
pub(super) fn enforce<T: Scalar>(
    chunk: &mut Chunk<T>,
    extra: &mut Chunk<T>,
    quadratic: &Quadratic<T>,
    bound: f64,
    mut solve: impl FnMut(&mut Chunk<T>) -> Effort,
) -> Effort {
    let (r, n) = (chunk.correlation.rows(), chunk.correlation.cols());
    let (scale, threshold) = (quadratic.scale.col(0), quadratic.threshold.col(0));
    let sum = |negated: &Mat<T>, j: usize| -> f64 {
        negated.col(j).iter().zip(scale).map(|(&m, &s)| -(m * s).to_f64()).sum()
    };
    let close = 16.0 * T::EPSILON * bound;
    let mut effort = Effort::default();
    let mut open: Vec<Search> = Vec::new();
    for column in 0..n {
        let total = sum(&chunk.negated, column);
        if total > bound + close {
            // At this multiplier every correlation is negative and the code is zero.
            let top = 2.0
                * (0..r)
                    .filter(|&k| scale[k] > T::ZERO)
                    .map(|k| (chunk.correlation.get(k, column) / scale[k]).to_f64())
                    .fold(0.0, f64::max);
            open.push(Search { column, low: (0.0, total - bound), high: (top, -bound), mu: 0.0 });
        }
    }
    for step in 0..MAX_STEPS {
        if open.is_empty() {
            break;
        }
        extra.correlation.reset(r, open.len());
        extra.negated.reset(r, open.len());
        for (i, search) in open.iter_mut().enumerate() {
            let ((a, fa), (b, fb)) = (search.low, search.high);
            let secant = a + (b - a) * (fa / (fa - fb));
            search.mu = if step % 8 == 7 { f64::midpoint(a, b) } else { secant.clamp(a, b) };
            // Raw correlations, since `solve` scales them and subtracts λ/2 again.
            let half = T::from_f64(search.mu / 2.0);
            for k in 0..r {
                if scale[k] > T::ZERO {
                    let raw = (chunk.correlation.get(k, search.column) + threshold[k]) / scale[k];
                    extra.correlation.col_mut(i)[k] = raw - half;
                }
                extra.negated.col_mut(i)[k] = chunk.negated.get(k, search.column);
            }
        }
        effort.add(solve(extra));
        let mut i = 0;
        open.retain_mut(|search| {
            let total = sum(&extra.negated, i);
            let f = total - bound;
            let done =
                f.abs() <= close || (search.high.0 - search.low.0) <= 4.0 * f64::EPSILON * search.high.0;
            let j = search.column;
            chunk.negated.col_mut(j).copy_from_slice(extra.negated.col(i));
            i += 1;
            if done {
                // Onto the bound, exactly; and the residual without the multiplier, which the cost is read from.
                let shrink = T::from_f64((bound / total.max(bound)).min(1.0));
                for k in 0..r {
                    let half_mu = T::from_f64(search.mu / 2.0) * scale[k];
                    let (m, p) = (chunk.negated.get(k, j) * shrink, extra.residual.get(k, i - 1) + half_mu);
                    chunk.negated.col_mut(j)[k] = m;
                    chunk.residual.col_mut(j)[k] = p;
                }
            } else if f > 0.0 {
                search.low = (search.mu, f);
                search.high.1 *= 0.5;
            } else {
                search.high = (search.mu, f);
                search.low.1 *= 0.5;
            }
            !done
        });
    }
    effort.capped += open.len() as u64;
    effort
}
