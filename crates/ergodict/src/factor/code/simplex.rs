//! Codes with a bounded sum: `h ≥ 0`, `Σ h ≤ s`.
//!
//! With a multiplier `μ ≥ 0` on the sum, the problem is the nonnegative one at penalty `λ + μ`; `Σ h(μ)` falls
//! piecewise linearly, so the right `μ` is found by false position (Illinois), all columns of a chunk in step.

use super::fast::{Chunk, Effort};
use super::quadratic::Quadratic;
use crate::linalg::Scalar;

/// Most multiplier steps; false position on a piecewise linear function needs a dozen.
const MAX_STEPS: usize = 200;

/// The multiplier of one column, between one that is too small (sum over the bound) and one that is large enough. The
/// codes at the two are kept in the column of `chunk.negated` and of `chunk.residual`.
struct Search {
    column: usize,
    low: (f64, f64),
    high: (f64, f64),
    mu: f64,
    /// Multipliers nearer than this are the same to the conditions.
    fine: f64,
}

/// Finds the multiplier of every column of `chunk` (solved without the bound) whose sum exceeds `bound`, and
/// replaces its code. `solve` codes the columns of a chunk from the warm start in it. Residuals are left to be summed
/// afresh.
pub(super) fn enforce<T: Scalar>(
    chunk: &mut Chunk<T>,
    extra: &mut Chunk<T>,
    quadratic: &Quadratic<T>,
    bound: f64,
    mut solve: impl FnMut(&mut Chunk<T>) -> Effort,
) -> Effort {
    let (r, n) = (chunk.correlation.rows(), chunk.correlation.cols());
    let (scale, threshold) = (quadratic.scale.col(0), quadratic.threshold.col(0));
    let sum = |negated: &[T]| -> f64 { negated.iter().zip(scale).map(|(&m, &s)| -(m * s).to_f64()).sum() };
    let close = 16.0 * T::EPSILON * bound;
    let widest = scale.iter().fold(0.0f64, |a, s| a.max(s.to_f64()));
    let mut effort = Effort::default();
    let mut open: Vec<Search> = Vec::new();
    for column in 0..n {
        let total = sum(chunk.negated.col(column));
        if total > bound + close {
            // At the largest multiplier every correlation is negative and the code is zero.
            let c = chunk.correlation.col(column);
            let live = (0..r).filter(|&k| scale[k] > T::ZERO);
            let top = 2.0 * live.map(|k| (c[k] / scale[k]).to_f64()).fold(0.0, f64::max);
            let fine = 4.0 * T::EPSILON * c.iter().fold(0.0f64, |a, c| a.max(c.to_f64())) / widest;
            chunk.residual.col_mut(column).fill(T::ZERO);
            open.push(Search { column, low: (0.0, total - bound), high: (top, -bound), mu: 0.0, fine });
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
            let inside = secant > a && secant < b && step % 8 != 7;
            search.mu = if inside { secant } else { f64::midpoint(a, b) };
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
            let (j, code) = (search.column, extra.negated.col(i));
            i += 1;
            let f = sum(code) - bound;
            if f > 0.0 {
                search.low = (search.mu, f);
                search.high.1 *= 0.5;
                chunk.negated.col_mut(j).copy_from_slice(code);
            } else {
                search.high = (search.mu, f);
                search.low.1 *= 0.5;
                chunk.residual.col_mut(j).copy_from_slice(code);
            }
            let width = search.high.0 - search.low.0;
            let met = f.abs() <= close || width <= search.fine.max(T::EPSILON * search.high.0);
            if !met && step + 1 < MAX_STEPS {
                return true;
            }
            effort.capped += u64::from(!met);
            if f.abs() <= close {
                chunk.negated.col_mut(j).copy_from_slice(code);
                chunk.residual.col_mut(j).copy_from_slice(code);
            }
            // Both codes are minimizers for the one multiplier that is left, so are the points between them, and one of
            // those has the right sum. (The sum jumps at μ = 0 when λ = 0 and atoms are dependent.)
            let (over, under) = (sum(chunk.negated.col(j)), sum(chunk.residual.col(j)));
            let share = if over > under { ((bound - under) / (over - under)).clamp(0.0, 1.0) } else { 1.0 };
            for k in 0..r {
                let (low, high) = (chunk.negated.get(k, j), chunk.residual.get(k, j));
                chunk.negated.col_mut(j)[k] = high + T::from_f64(share) * (low - high);
            }
            let shrink = T::from_f64((bound / sum(chunk.negated.col(j))).min(1.0));
            chunk.negated.col_mut(j).iter_mut().for_each(|m| *m *= shrink);
            false
        });
    }
    effort
}
