//! Newton's step on the support, for as many columns at once as a register has lanes.
//!
//! On the interior coordinates the problem is a linear system `G̃_SS Δ = ρ_S`. Every lane holds another column
//! with its own support, so the `LDLᵀ` factorization runs at full width though each system is only 10 to 40 wide;
//! shorter ones are padded by the identity. A pivot that vanishes (duplicate atoms) drops its coordinate from the
//! step, so rank deficiency needs no special case. The residual is then summed afresh from `c̃`, which keeps
//! rounding from piling up.

use super::quadratic::Quadratic;
use super::rule::Rule;
use crate::linalg::simd::{Simd, WithSimd};
use crate::linalg::{Mat, Scalar};
use std::marker::PhantomData;

/// Pivots of the unit-diagonal system below this many epsilons are dropped.
const PIVOT: f64 = 64.0;

/// Buffers, kept between calls.
pub(super) struct Workspace<T> {
    /// Packed lower triangles and the right-hand side as a last row, lanes innermost.
    triangle: Mat<T>,
    /// The row being eliminated, lanes innermost.
    row: Mat<T>,
    inverse_pivots: Mat<T>,
    /// Interior coordinates of each column, with room for all.
    supports: Vec<u32>,
    /// How many there are of each column, and the column's place in the list; sorted.
    sizes: Vec<(u32, u32)>,
    /// The nonzero coordinates and values of one column.
    nonzero: Vec<u32>,
    values: Vec<T>,
}

impl<T: Scalar> Workspace<T> {
    pub(super) fn new() -> Self {
        Self {
            triangle: Mat::zeros(0, 1),
            row: Mat::zeros(0, 1),
            inverse_pivots: Mat::zeros(0, 1),
            supports: Vec::new(),
            sizes: Vec::new(),
            nonzero: Vec::new(),
            values: Vec::new(),
        }
    }

    /// Makes room for supports of up to `support` coordinates, in steps that double, so that allocation ends.
    fn reserve(&mut self, support: usize, lanes: usize) {
        let rows = support + 1;
        let needed = rows * (rows + 1) / 2 * lanes;
        if self.triangle.rows() < needed || self.row.rows() < rows * lanes {
            let rows = rows.next_multiple_of(16);
            self.triangle.reset(rows * (rows + 1) / 2 * lanes, 1);
            self.row.reset(rows * lanes, 1);
            self.inverse_pivots.reset(rows * lanes, 1);
        }
    }
}

/// What to do with Newton's solution.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// Nothing: only sum the residual afresh.
    None,
    /// Go all the way and clip what leaves the set.
    Clipped,
}

/// One Newton step for each of the given columns.
pub(super) struct Newton<'a, T, R> {
    pub(super) quadratic: &'a Quadratic<T>,
    /// Scaled correlations `c̃`, a column each.
    pub(super) correlation: &'a Mat<T>,
    pub(super) residual: &'a mut Mat<T>,
    pub(super) negated: &'a mut Mat<T>,
    pub(super) columns: &'a [usize],
    /// Longest coordinate step left in each of the columns, to be written.
    pub(super) longest: &'a mut [T],
    pub(super) step: Step,
    pub(super) workspace: &'a mut Workspace<T>,
    pub(super) rule: PhantomData<R>,
}

impl<T: Scalar, R: Rule> WithSimd for Newton<'_, T, R> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, s: S) {
        if self.step != Step::None {
            self.collect_supports();
            let lanes = T::lanes::<S>();
            let mut from = 0;
            while from < self.columns.len() {
                let to = (from + lanes).min(self.columns.len());
                self.batch(s, from, to);
                from = to;
            }
        }
        for (i, &j) in self.columns.iter().enumerate() {
            self.longest[i] = self.refresh(s, j);
        }
    }
}

impl<T: Scalar, R: Rule> Newton<'_, T, R> {
    /// Lists the interior coordinates of all columns, and sorts the columns by their number: systems of like size
    /// share registers with little padding.
    #[inline(always)]
    fn collect_supports(&mut self) {
        let r = self.negated.rows();
        let ws = &mut *self.workspace;
        ws.sizes.clear();
        ws.supports.resize((r * self.columns.len()).max(ws.supports.len()), 0);
        let aux = self.quadratic.aux.col(0);
        for (place, (support, &j)) in ws.supports.chunks_exact_mut(r).zip(self.columns).enumerate() {
            let size = collect(self.negated.col(j), support, |k, m| R::interior(m, aux[k]));
            ws.sizes.push((size as u32, place as u32));
        }
        ws.sizes.sort_unstable();
    }

    /// Solves and applies the step for up to one register of columns, `from..to` in the order of sizes.
    #[inline(always)]
    fn batch<S: Simd>(&mut self, s: S, from: usize, to: usize) {
        let lanes = T::lanes::<S>();
        let r = self.negated.rows();
        let aux = self.quadratic.aux.col(0);
        let ws = &mut *self.workspace;
        let size = ws.sizes[to - 1].0 as usize;
        if size == 0 {
            return;
        }
        ws.reserve(size, lanes);
        let (gram, stride) = (self.quadratic.gram.padded(), self.quadratic.gram.stride());
        let triangle = &mut ws.triangle.padded_mut()[..(size + 1) * (size + 2) / 2 * lanes];
        let members = &ws.sizes[from..to];
        for lane in 0..lanes {
            let support = match members.get(lane) {
                Some(&(size, place)) => &ws.supports[place as usize * r..][..size as usize],
                None => &[],
            };
            let mut at = lane;
            for (a, &k) in support.iter().enumerate() {
                let column = &gram[k as usize * stride..][..stride];
                // SAFETY: the packed triangle has room for a ≤ size rows, and supports hold indices below r ≤ stride.
                unsafe {
                    for &l in &support[..=a] {
                        *triangle.get_unchecked_mut(at) = *column.get_unchecked(l as usize);
                        at += lanes;
                    }
                }
            }
            for a in support.len()..size {
                for _ in 0..a {
                    triangle[at] = T::ZERO;
                    at += lanes;
                }
                triangle[at] = T::ONE;
                at += lanes;
            }
            if let Some(&(_, place)) = members.get(lane) {
                let j = self.columns[place as usize];
                let (p, m) = (self.residual.col(j), self.negated.col(j));
                for &k in support {
                    let k = k as usize;
                    triangle[at] = R::newton(p[k], m[k], aux[k]);
                    at += lanes;
                }
            }
            for _ in support.len()..size {
                triangle[at] = T::ZERO;
                at += lanes;
            }
        }
        let row = ws.row.padded_mut();
        solve::<T, S>(s, triangle, row, ws.inverse_pivots.padded_mut(), size);

        for (lane, &(size, place)) in members.iter().enumerate() {
            let support = &ws.supports[place as usize * r..][..size as usize];
            let m = self.negated.col_mut(self.columns[place as usize]);
            for (a, &k) in support.iter().enumerate() {
                let k = k as usize;
                m[k] = R::clip(m[k] - row[a * lanes + lane], m[k], aux[k]);
            }
        }
    }

    /// Sums `p = c̃ − G̃h` afresh and returns the longest coordinate step left.
    #[inline(always)]
    fn refresh<S: Simd>(&mut self, s: S, j: usize) -> T {
        let lanes = T::lanes::<S>();
        let (r, stride) = (self.residual.rows(), self.residual.stride());
        let ws = &mut *self.workspace;
        ws.nonzero.resize(r, 0);
        ws.values.resize(r, T::ZERO);
        let negated = &self.negated.padded()[j * stride..][..stride];
        let size = collect(&negated[..r], &mut ws.nonzero, |_, m| m != T::ZERO);
        for (value, &k) in ws.values.iter_mut().zip(&ws.nonzero[..size]) {
            *value = negated[k as usize];
        }
        let sums = Sums {
            gram: self.quadratic.gram.padded().as_ptr(),
            stride,
            support: &ws.nonzero[..size],
            values: &ws.values[..size],
            correlation: self.correlation.padded()[j * stride..][..stride].as_ptr(),
            residual: self.residual.padded_mut()[j * stride..][..stride].as_mut_ptr(),
            negated: negated.as_ptr(),
            aux: self.quadratic.aux.padded().as_ptr(),
        };
        let mut best = T::splat(s, T::ZERO);
        let mut at = 0;
        // SAFETY: every column is `stride` long, a whole number of registers; supports hold indices below r.
        unsafe {
            while at + 8 * lanes <= stride {
                best = sums.tile::<S, R, 8>(s, at, best);
                at += 8 * lanes;
            }
            if at + 4 * lanes <= stride {
                best = sums.tile::<S, R, 4>(s, at, best);
                at += 4 * lanes;
            }
            if at + 2 * lanes <= stride {
                best = sums.tile::<S, R, 2>(s, at, best);
                at += 2 * lanes;
            }
            if at < stride {
                best = sums.tile::<S, R, 1>(s, at, best);
            }
        }
        T::reduce_max(s, best)
    }
}

/// Writes the indices that `wanted` picks to the front of `support`, without branches; returns how many.
#[inline(always)]
pub(super) fn collect<T: Scalar>(
    column: &[T],
    support: &mut [u32],
    wanted: impl Fn(usize, T) -> bool,
) -> usize {
    let mut size = 0;
    let support = &mut support[..column.len()];
    for (k, &m) in column.iter().enumerate() {
        // SAFETY: size ≤ k < the length.
        unsafe { *support.get_unchecked_mut(size) = k as u32 };
        size += usize::from(wanted(k, m));
    }
    size
}

/// What a residual is summed from.
struct Sums<'a, T> {
    gram: *const T,
    stride: usize,
    support: &'a [u32],
    values: &'a [T],
    correlation: *const T,
    residual: *mut T,
    negated: *const T,
    aux: *const T,
}

impl<T: Scalar> Sums<'_, T> {
    /// Sums `N` registers of the residual from place `at` on, and takes the steps left there into `best`.
    ///
    /// # Safety
    /// `at + N·lanes ≤ stride`, all columns are `stride` long, and the support's indices are those of Gram columns.
    #[inline(always)]
    unsafe fn tile<S: Simd, R: Rule, const N: usize>(&self, s: S, at: usize, mut best: T::V<S>) -> T::V<S> {
        let lanes = T::lanes::<S>();
        let zero = T::splat(s, T::ZERO);
        // SAFETY: promised by the caller.
        unsafe {
            let mut sum: [T::V<S>; N] =
                std::array::from_fn(|i| T::load::<S>(self.correlation.add(at + i * lanes)));
            for (&k, &h) in self.support.iter().zip(self.values) {
                let g = self.gram.add(k as usize * self.stride + at);
                let h = T::splat(s, h);
                for (i, x) in sum.iter_mut().enumerate() {
                    *x = T::mul_add(s, h, T::load::<S>(g.add(i * lanes)), *x);
                }
            }
            for (i, &x) in sum.iter().enumerate() {
                let here = at + i * lanes;
                T::store::<S>(self.residual.add(here), x);
                let a = if R::AUX { T::load::<S>(self.aux.add(here)) } else { zero };
                let e = R::steps::<T, S>(s, x, T::load::<S>(self.negated.add(here)), a);
                best = T::max(s, best, T::max(s, e, T::minus(s, zero, e)));
            }
        }
        best
    }
}

/// Factorizes the packed triangles as `L D Lᵀ` and solves; the last row is the right-hand side. The solution is
/// left in `row`.
#[inline(always)]
fn solve<T: Scalar, S: Simd>(s: S, triangle: &mut [T], row: &mut [T], inverse_pivots: &mut [T], size: usize) {
    let lanes = T::lanes::<S>();
    let packed = |a: usize| a * (a + 1) / 2 * lanes;
    assert!(triangle.len() >= packed(size) + size * lanes && row.len() >= (size + 1) * lanes);
    assert!(inverse_pivots.len() >= (size + 1) * lanes);
    let l = triangle.as_mut_ptr();
    let t = row.as_mut_ptr();
    let d = inverse_pivots.as_mut_ptr();
    let zero = T::splat(s, T::ZERO);
    let one = T::splat(s, T::ONE);
    let tiny = T::splat(s, T::from_f64(PIVOT * T::EPSILON));
    // SAFETY: all indices below are of row a ≤ size and place b ≤ a of the packed triangle, or below (size+1)·lanes
    // in the other two; the lengths are asserted above.
    unsafe {
        for a in 0..=size {
            let la = l.add(packed(a));
            let width = a.min(size);
            let mut b = 0;
            // Four places of the row at a time: t_b = a_ab − Σ_{e<b} t_e l_be.
            while b + 4 <= width {
                let lb: [*mut T; 4] = std::array::from_fn(|i| l.add(packed(b + i)));
                let mut x: [T::V<S>; 4] = std::array::from_fn(|i| T::load::<S>(la.add((b + i) * lanes)));
                for e in 0..b {
                    let te = T::minus(s, zero, T::load::<S>(t.add(e * lanes)));
                    for i in 0..4 {
                        x[i] = T::mul_add(s, te, T::load::<S>(lb[i].add(e * lanes)), x[i]);
                    }
                }
                for i in 0..4 {
                    let mut xi = x[i];
                    for e in 0..i {
                        let te = T::minus(s, zero, x[e]);
                        xi = T::mul_add(s, te, T::load::<S>(lb[i].add((b + e) * lanes)), xi);
                    }
                    x[i] = xi;
                    T::store::<S>(t.add((b + i) * lanes), xi);
                }
                b += 4;
            }
            while b < width {
                let lb = l.add(packed(b));
                let mut x = T::load::<S>(la.add(b * lanes));
                for e in 0..b {
                    let te = T::minus(s, zero, T::load::<S>(t.add(e * lanes)));
                    x = T::mul_add(s, te, T::load::<S>(lb.add(e * lanes)), x);
                }
                T::store::<S>(t.add(b * lanes), x);
                b += 1;
            }
            if a < size {
                let mut pivot = T::load::<S>(la.add(a * lanes));
                for b in 0..a {
                    let tb = T::load::<S>(t.add(b * lanes));
                    let lab = T::times(s, tb, T::load::<S>(d.add(b * lanes)));
                    T::store::<S>(la.add(b * lanes), lab);
                    pivot = T::mul_add(s, T::minus(s, zero, tb), lab, pivot);
                }
                let inverse = T::over(s, one, pivot);
                T::store::<S>(d.add(a * lanes), T::select_greater(s, pivot, tiny, inverse, zero));
            }
        }
        // Back substitution: x_b = t_b / d_b − Σ_{a>b} l_ab x_a, by columns of Lᵀ.
        for b in 0..size {
            let y = T::times(s, T::load::<S>(t.add(b * lanes)), T::load::<S>(d.add(b * lanes)));
            T::store::<S>(t.add(b * lanes), y);
        }
        for a in (1..size).rev() {
            let la = l.add(packed(a));
            let xa = T::minus(s, zero, T::load::<S>(t.add(a * lanes)));
            for b in 0..a {
                let x = T::mul_add(s, xa, T::load::<S>(la.add(b * lanes)), T::load::<S>(t.add(b * lanes)));
                T::store::<S>(t.add(b * lanes), x);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::common::Random;
    use crate::linalg::Isa;
    use crate::linalg::simd::Lanes;

    #[test]
    fn there_is_room_for_every_support_at_any_number_of_lanes() {
        let mut workspace = Workspace::<f32>::new();
        for (support, lanes) in [(0, 1), (15, 16), (16, 16), (31, 8), (5, 4), (40, 1), (40, 16), (3, 8)] {
            workspace.reserve(support, lanes);
            let rows = support + 1;
            assert!(workspace.triangle.rows() >= rows * (rows + 1) / 2 * lanes, "{support}, {lanes}");
            assert!(workspace.row.rows() >= rows * lanes);
            assert!(workspace.inverse_pivots.rows() >= rows * lanes);
        }
    }

    /// The solutions of systems with unit diagonals, one after another.
    struct Solutions<'a> {
        systems: &'a dyn Fn(usize) -> (Mat<f64>, Vec<f64>),
        size: usize,
    }

    impl WithSimd for Solutions<'_> {
        type Output = Vec<Vec<f64>>;
        fn with_simd<S: Simd>(self, s: S) -> Vec<Vec<f64>> {
            let (lanes, size) = (f64::lanes::<S>(), self.size);
            let mut triangle = vec![0.0; (size + 1) * (size + 2) / 2 * lanes];
            for lane in 0..lanes {
                let (a, b) = (self.systems)(lane);
                let lower = (0..size).flat_map(|i| (0..=i).map(move |j| (i, j)));
                let entries = lower.map(|(i, j)| a.get(i, j)).chain(b);
                entries.enumerate().for_each(|(at, x)| triangle[at * lanes + lane] = x);
            }
            let (mut row, mut pivots) = (vec![0.0; (size + 1) * lanes], vec![0.0; (size + 1) * lanes]);
            solve::<f64, S>(s, &mut triangle, &mut row, &mut pivots, size);
            (0..lanes).map(|lane| (0..size).map(|b| row[b * lanes + lane]).collect()).collect()
        }
    }

    #[test]
    fn systems_are_solved_in_every_lane_and_repeated_atoms_are_dropped() {
        for isa in Isa::available() {
            for size in (1..10).chain([12, 13, 31]) {
                // Unit vectors, in odd lanes the second one equal to the first; solutions are known.
                let systems = |lane: usize| {
                    let mut random = Random::new((100 * size + lane) as u64);
                    let mut atoms: Vec<Vec<f64>> =
                        (0..size).map(|_| (0..2 * size).map(|_| random.normal()).collect()).collect();
                    for atom in &mut atoms {
                        let length = atom.iter().map(|x| x * x).sum::<f64>().sqrt();
                        atom.iter_mut().for_each(|x| *x /= length);
                    }
                    if lane % 2 == 1 && size > 1 {
                        atoms[1] = atoms[0].clone();
                    }
                    let dot = |i: usize, j: usize| atoms[i].iter().zip(&atoms[j]).map(|(x, y)| x * y).sum();
                    let a = Mat::from_fn(size, size, dot);
                    let wanted: Vec<f64> = (0..size).map(|_| random.normal()).collect();
                    let b = (0..size).map(|i| (0..size).map(|j| a.get(i, j) * wanted[j]).sum()).collect();
                    (a, b)
                };
                for (lane, h) in isa.run(Solutions { systems: &systems, size }).into_iter().enumerate() {
                    let (a, b) = systems(lane);
                    for i in 0..size {
                        let found: f64 = (0..size).map(|j| a.get(i, j) * h[j]).sum();
                        assert!((found - b[i]).abs() < 1e-9, "{size}, {lane}: {found} for {}", b[i]);
                    }
                    assert!(lane % 2 == 0 || size == 1 || h[1] == 0.0, "{size}, {lane}: {h:?}");
                }
            }
        }
    }
}
