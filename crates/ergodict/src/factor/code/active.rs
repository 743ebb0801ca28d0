//! The last resort: active-set descent in `f64`, one column at a time, for the columns that rounds of clipped Newton
//! steps do not settle.
//!
//! With more atoms than features, supports occur whose Gram matrix is singular. Along its null directions the objective
//! is linear: a Newton step that leaves them out does not end, and coordinate steps are as short as the slope. Here such
//! a direction is given the curvature that rounding may hide, so that it is followed far; and every step ends at the
//! first bound, which takes a coordinate off the support. So the objective falls until the support is independent and
//! the code is its minimizer.

use super::quadratic::Quadratic;
use super::rule::Rule;
use crate::linalg::Scalar;

/// Epsilons of the data, times what they are amplified by, that a pivot of the unit-diagonal system counts as at least.
const PIVOT: f64 = 64.0;
/// Pivots above this are never rounding.
const SAFE: f64 = 1e-2;

/// Buffers, kept between columns.
#[derive(Default)]
pub(super) struct ActiveSet {
    /// Negated codes of the column in hand.
    codes: Vec<f64>,
    /// Interior coordinates.
    support: Vec<usize>,
    /// `L` of `LDLᵀ`, rows packed with their unit diagonal; the pivots `D`, and which of them were raised.
    triangle: Vec<f64>,
    pivots: Vec<(f64, bool)>,
    row: Vec<f64>,
    /// What an atom is made of, in the atoms before it.
    shares: Vec<f64>,
}

impl ActiveSet {
    /// Moves a column to the minimizer over its interior coordinates, dropping those that meet a bound. Slopes up to
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
            self.factorize(quadratic);
            self.newton::<T, R>(quadratic, correlation, flat);
            let ends = |codes: &[f64], (&k, &way): (&usize, &f64)| bound::<R>(codes[k], way, aux[k].to_f64());
            let moves = || self.support.iter().zip(&self.row);
            let length = moves().map(|step| ends(&self.codes, step).0).fold(1.0, f64::min).max(0.0);
            for step in moves() {
                let (share, end) = ends(&self.codes, step);
                let (&k, &way) = step;
                self.codes[k] = if share <= length { end } else { self.codes[k] - length * way };
            }
            if length == 1.0 {
                break;
            }
        }
        for (m, &code) in negated.iter_mut().zip(&self.codes) {
            *m = T::from_f64(code);
        }
    }

    /// Factorizes the Gram matrix of the support.
    fn factorize<T: Scalar>(&mut self, quadratic: &Quadratic<T>) {
        self.triangle.clear();
        self.pivots.clear();
        for (a, &k) in self.support.iter().enumerate() {
            let gram = quadratic.gram.col(k);
            self.row.clear();
            let mut pivot = gram[k].to_f64();
            for b in 0..a {
                let x = gram[self.support[b]].to_f64() - dot(&self.row, &self.triangle[packed(b)..]);
                pivot -= x * x / self.pivots[b].0;
                self.row.push(x);
            }
            let mut raised = false;
            if pivot < SAFE {
                // Atom k is Σ v_b w_b and a rest of squared norm `pivot`, which is rounding when small against ε‖v‖².
                self.shares.clone_from(&self.row);
                back_substitute(&mut self.shares, &self.triangle, &self.pivots);
                let rounding = PIVOT * T::EPSILON * (1.0 + dot(&self.shares, &self.shares));
                raised = pivot < rounding;
                pivot = pivot.max(rounding);
            }
            self.triangle.extend(self.row.iter().zip(&self.pivots).map(|(x, (d, _))| x / d));
            self.triangle.push(1.0);
            self.pivots.push((pivot, raised));
        }
    }

    /// Leaves Newton's step in `row`.
    fn newton<T: Scalar, R: Rule>(&mut self, quadratic: &Quadratic<T>, correlation: &[T], flat: f64) {
        self.row.clear();
        for (b, &k) in self.support.iter().enumerate() {
            let gram = quadratic.gram.col(k);
            let fit: f64 = self.codes.iter().zip(gram).map(|(m, g)| m * g.to_f64()).sum();
            let aux = quadratic.aux.get(k, 0).to_f64();
            let slope = R::newton(correlation[k].to_f64() + fit, self.codes[k], aux);
            let x = slope - dot(&self.row, &self.triangle[packed(b)..]);
            self.row.push(if self.pivots[b].1 && x.abs() <= flat { 0.0 } else { x });
        }
        back_substitute(&mut self.row, &self.triangle, &self.pivots);
    }
}

/// How much of a way one coordinate can go, and where it ends.
fn bound<R: Rule>(m: f64, way: f64, aux: f64) -> (f64, f64) {
    let wanted = m - way;
    let clipped = R::clip(wanted, m, aux);
    if clipped == wanted { (1.0, wanted) } else { ((m - clipped) / way, clipped) }
}

/// Where row `a` of a packed triangle begins.
fn packed(a: usize) -> usize {
    a * (a + 1) / 2
}

/// `row ← L⁻ᵀD⁻¹ row`.
fn back_substitute(row: &mut [f64], triangle: &[f64], pivots: &[(f64, bool)]) {
    for (x, (d, _)) in row.iter_mut().zip(pivots) {
        *x /= d;
    }
    for a in (1..row.len()).rev() {
        let (above, rest) = row.split_at_mut(a);
        for (x, l) in above.iter_mut().zip(&triangle[packed(a)..]) {
            *x -= l * rest[0];
        }
    }
}

/// The inner product over the shorter length.
fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}
