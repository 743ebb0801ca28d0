//! The last resort: active-set descent in `f64`, one column at a time, for the columns that rounds of clipped Newton
//! steps do not settle.
//!
//! With more atoms than features, supports occur whose Gram matrix is singular. Along its null directions the objective
//! is linear: Newton has no step there, and coordinate steps are as short as the slope. So go along a null direction to
//! the first bound, which takes a coordinate off the support and lowers the objective; once the support is independent,
//! go by Newton, again to the first bound. This ends at the minimiser over the support that is left.

use super::quadratic::Quadratic;
use super::rule::Rule;
use crate::linalg::Scalar;

/// Pivots of the unit-diagonal system below this many epsilons of the data count as zero.
const PIVOT: f64 = 64.0;

/// Buffers, kept between columns.
#[derive(Default)]
pub(super) struct ActiveSet {
    /// Negated codes of the column in hand.
    codes: Vec<f64>,
    /// Interior coordinates, and those of them whose atoms are independent.
    support: Vec<usize>,
    basis: Vec<usize>,
    /// `L` of the basis, rows packed, and `D`.
    triangle: Vec<f64>,
    pivots: Vec<f64>,
    /// Right-hand side by coordinate.
    slopes: Vec<f64>,
    row: Vec<f64>,
    /// Coordinates and how far the code is to move there.
    direction: Vec<(usize, f64)>,
}

impl ActiveSet {
    /// Moves a column to the minimiser over its interior coordinates, dropping those that meet a bound. Slopes up to
    /// `flat` along a null direction are left alone.
    pub(super) fn descend<T: Scalar, R: Rule>(
        &mut self,
        quadratic: &Quadratic<T>,
        correlation: &[T],
        negated: &mut [T],
        flat: f64,
    ) {
        let r = negated.len();
        let aux = quadratic.aux.col(0);
        self.codes.clear();
        self.codes.extend(negated.iter().map(|m| m.to_f64()));
        for _ in 0..2 * r + 8 {
            self.support.clear();
            self.support.extend((0..r).filter(|&k| R::interior(self.codes[k], aux[k].to_f64())));
            if self.support.is_empty() {
                break;
            }
            self.sum_slopes::<T, R>(quadratic, correlation);
            let newton = self.find_direction(quadratic, flat);
            // The longest way that stays in the set.
            let bound = |m: f64, way: f64, k: usize| {
                let wanted = m - way;
                let clipped = R::clip(wanted, m, aux[k].to_f64());
                if clipped == wanted { (1.0, wanted) } else { ((m - clipped) / way, clipped) }
            };
            let codes = &mut self.codes;
            let length =
                self.direction.iter().map(|&(k, way)| bound(codes[k], way, k).0).fold(1.0, f64::min).max(0.0);
            for &(k, way) in &self.direction {
                let (share, end) = bound(codes[k], way, k);
                codes[k] = if share <= length { end } else { codes[k] - length * way };
            }
            if newton && length == 1.0 {
                break;
            }
        }
        for (m, &code) in negated.iter_mut().zip(&self.codes) {
            *m = T::from_f64(code);
        }
    }

    /// Half the negative gradient at the interior coordinates.
    fn sum_slopes<T: Scalar, R: Rule>(&mut self, quadratic: &Quadratic<T>, correlation: &[T]) {
        let aux = quadratic.aux.col(0);
        self.slopes.clear();
        self.slopes.resize(self.codes.len(), 0.0);
        for &k in &self.support {
            let gram = quadratic.gram.col(k);
            let fit: f64 = self.codes.iter().zip(gram).map(|(m, g)| m * g.to_f64()).sum();
            self.slopes[k] = R::newton(correlation[k].to_f64() + fit, self.codes[k], aux[k].to_f64());
        }
    }

    /// Finds a null direction that goes down, or else Newton's step; returns whether it is the latter.
    fn find_direction<T: Scalar>(&mut self, quadratic: &Quadratic<T>, flat: f64) -> bool {
        let packed = |a: usize| a * (a + 1) / 2;
        self.basis.clear();
        self.triangle.clear();
        self.pivots.clear();
        self.direction.clear();
        for &k in &self.support {
            let gram = quadratic.gram.col(k);
            let size = self.basis.len();
            self.row.clear();
            let mut pivot = gram[k].to_f64();
            for b in 0..size {
                let before = &self.triangle[packed(b)..][..b];
                let x = gram[self.basis[b]].to_f64() - dot(&self.row, before);
                pivot -= x * x / self.pivots[b];
                self.row.push(x);
            }
            if pivot > PIVOT * T::EPSILON {
                for (x, d) in self.row.iter().zip(&self.pivots) {
                    self.triangle.push(x / d);
                }
                // The diagonal of L.
                self.triangle.push(1.0);
                self.pivots.push(pivot);
                self.basis.push(k);
                continue;
            }
            // Atom k is Σ v_b w_b: trading it for them changes no fit, only the penalty.
            back_substitute(&mut self.row, &self.triangle, &self.pivots);
            let slope = self.slopes[k]
                - self.row.iter().zip(&self.basis).map(|(v, &b)| v * self.slopes[b]).sum::<f64>();
            if slope.abs() > flat {
                // Whatever curvature hides under the rounding, the objective falls this far.
                let far = slope / (PIVOT * T::EPSILON * (1.0 + dot(&self.row, &self.row)));
                self.direction.push((k, far));
                self.direction.extend(self.basis.iter().zip(&self.row).map(|(&b, v)| (b, -v * far)));
                return false;
            }
        }
        self.row.clear();
        for (b, &k) in self.basis.iter().enumerate() {
            let x = self.slopes[k] - dot(&self.row, &self.triangle[packed(b)..][..b]);
            self.row.push(x);
        }
        back_substitute(&mut self.row, &self.triangle, &self.pivots);
        self.direction.extend(self.basis.iter().copied().zip(self.row.iter().copied()));
        true
    }
}

/// `row ← L⁻ᵀD⁻¹ row`.
fn back_substitute(row: &mut [f64], triangle: &[f64], pivots: &[f64]) {
    for (x, d) in row.iter_mut().zip(pivots) {
        *x /= d;
    }
    for a in (1..row.len()).rev() {
        let (above, rest) = row.split_at_mut(a);
        for (x, l) in above.iter_mut().zip(&triangle[a * (a + 1) / 2..]) {
            *x -= l * rest[0];
        }
    }
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}
