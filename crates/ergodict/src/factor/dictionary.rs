//! The dictionary update over a set that is a product of columns: blocked coordinate descent.
//!
//! | paper (Algorithm 3) | here |
//! |---|---|
//! | `W_j ← Π(W_j − (W A_j − (Bᵀ)_j)/A_jj)` | [`ColumnDescent::sweep`] |
//! | `κ₁` | added to the diagonal of `A`, in the objective and the ellipsoid alike |
//!
//! Departures from the print: the current `W` inside the loop, not `W_{t−1}`, and `A_jj`, not `A_jj + 1`, in the
//! denominator: these make each step the exact minimizer over its column.
//!
//! Columns go in blocks: one product gives the residual `Bᵀ − W A` of a wide block as it stood before the block, a second, small one
//! takes off what the moves so far have changed for the next few columns of it, and each of these takes off the moves of its
//! predecessors among them in the same pass that moves it. The iterates are those of the plain loop, up to rounding.

use super::sets::ColumnSet;
use super::unit::binade;
use crate::linalg::products::Op;
use crate::linalg::simd::{Simd, WithSimd};
use crate::linalg::vectors::Dot;
use crate::linalg::{Isa, Mat, Scalar};

/// Columns whose residuals are made by one product, which reads all of `W`: where there are many atoms, and where there are few.
const WIDE: usize = 64;
const NARROW: usize = 16;
/// Atoms that are few.
const FEW: usize = 128;
/// Columns of these that are brought up to date together; they are corrected for each other one by one. With 16, long atoms (3000 and 4096
/// features) take 6 to 8 % longer, others 0 to 3 %.
const BLOCK: usize = 8;
/// Share of a step that is given up, in units of the rounding of its numbers, so that rounding of the curvature cannot make it too long.
const CAUTION: f64 = 1024.0;
/// Last sweeps that change `W` by less end steps that are shortened exactly: rounding of the gain and the caution would count.
const SMALL: f64 = 1e-3;
/// Atoms with `A_jj` below this share of the largest are unused: the codes that made it are rounding.
pub(super) const UNUSED: f64 = 1e-14;

/// What an update took.
///
/// ```
/// use ergodict::factor::{Factorizer, FactorSettings};
/// use ergodict::linalg::Mat;
/// let parameters = FactorSettings { dictionary_sweeps: Some(3), ..FactorSettings::new(2) };
/// let mut model = Factorizer::<f64>::random(parameters, 3, 0)?;
/// let update = model.step(&Mat::from_fn(3, 4, |i, j| (i * j) as f64))?.update;
/// assert!(update.sweeps <= 3 && update.unused == 0);
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct UpdateReport {
    /// Passes over all atoms (gradient steps for sets that are not products of columns).
    pub sweeps: u32,
    /// Whether several sweeps were allowed, and the last of them ended above the tolerance.
    pub capped: bool,
    /// Relative change of `W` in the last sweep.
    pub last_change: f64,
    /// Atoms that no code used; left as they were.
    pub unused: usize,
}

/// Buffers, kept between updates.
///
/// The minimizer `W_t` over a convex set has the growth property of the paper, `g(W_{t−1}) − g(W_t) ≥ ‖W_t − W_{t−1}‖²_A`. Sweeps that end at their
/// tolerance have it to that tolerance. Those that end at their cap may have gone too far: along `W_{t−1} + s(W − W_{t−1})` the property holds
/// up to the `s` at which `g` is least, and that point is taken.
pub(super) struct ColumnDescent<T> {
    /// `A + κ₁I` in the precision of the data, times `unit`.
    a: Mat<T>,
    /// The power of two by which `A` and `B` are multiplied, so that they are within the range of the number type: the minimizer is the same.
    unit: f64,
    /// `Bᵀ − W A` of each atom as it was when the atom moved last; in the end, what an exact share needs.
    residual: Mat<T>,
    /// How far each column of the wide block has moved.
    moves: Mat<T>,
    /// How far each atom moved in the whole update, in the unit of `unit_of_path`.
    path: Mat<T>,
    unit_of_path: f64,
    /// The products of the columns of `path`, below the diagonal.
    products: Mat<T>,
}

/// The quadratic `tr(WAWᵀ) − 2tr(WB)` and how far to go down it.
pub(super) struct Descent<'a> {
    pub(super) a: &'a Mat<f64>,
    pub(super) b_transposed: &'a Mat<f64>,
    pub(super) kappa1: f64,
    /// Stop when a sweep changes `W` by less than this share of its norm.
    pub(super) tolerance: f64,
    pub(super) max_sweeps: u32,
}

impl<T: Scalar> ColumnDescent<T> {
    /// Columns of a wide block.
    fn wide(atoms: usize) -> usize {
        if atoms > FEW { WIDE } else { NARROW }
    }

    pub(super) fn new() -> Self {
        Self {
            a: Mat::zeros(0, 0),
            unit: 1.0,
            residual: Mat::zeros(0, 0),
            moves: Mat::zeros(0, 0),
            path: Mat::zeros(0, 0),
            unit_of_path: 1.0,
            products: Mat::zeros(0, 0),
        }
    }

    /// Minimizes over the set, from `w` on, which is also `previous`.
    pub(super) fn minimize(
        &mut self,
        isa: Isa,
        w: &mut Mat<T>,
        previous: &Mat<T>,
        set: &ColumnSet,
        goal: &Descent<'_>,
    ) -> UpdateReport {
        let (d, r) = (w.rows(), w.cols());
        self.a.shape_to(r, r);
        self.moves.shape_to(d, Self::wide(r).min(r));
        let largest = (0..r).map(|k| goal.a.get(k, k)).fold(0.0, f64::max);
        let size = binade(largest + goal.kappa1);
        self.unit = if size > 0.0 { 1.0 / size } else { 1.0 };
        let mut report = UpdateReport::default();
        for k in 0..r {
            let source = goal.a.col(k);
            for (x, &a) in self.a.col_mut(k).iter_mut().zip(source) {
                *x = T::from_f64(a * self.unit);
            }
            let diagonal = T::from_f64((source[k] + goal.kappa1) * self.unit);
            // A denormal has no inverse: codes of that size count for nothing.
            if source[k] <= UNUSED * largest || !(T::ONE / diagonal).is_finite() {
                report.unused += 1;
                self.a.col_mut(k)[k] = T::ZERO;
            } else {
                self.a.col_mut(k)[k] = diagonal;
            }
        }
        self.residual.shape_to(d, r);
        let mut gain = 0.0;
        while report.sweeps < goal.max_sweeps {
            let swept = self.sweep(isa, w, set, goal.b_transposed);
            gain += swept.gain;
            report.last_change = if swept.norm > 0.0 { (swept.moved / swept.norm).sqrt() } else { 0.0 };
            report.sweeps += 1;
            if report.last_change <= goal.tolerance {
                return report;
            }
        }
        report.capped = goal.max_sweeps > 1;
        let share = (report.last_change >= SMALL && gain.is_finite())
            .then(|| self.quick_share(isa, w, previous, gain))
            .flatten()
            .or_else(|| self.exact_share(isa, w, previous, goal.b_transposed));
        if let Some(share) = share.filter(|&share| share < 1.0) {
            let share = T::from_f64(share.max(0.0));
            for (w, &previous) in w.padded_mut().iter_mut().zip(previous.padded()) {
                *w = previous + share * (*w - previous);
            }
        }
        report
    }

    /// Takes `w − previous` as the path, in a unit of its own; whether it has a length.
    fn take_path(&mut self, isa: Isa, w: &Mat<T>, previous: &Mat<T>) -> bool {
        let unit = binade(isa.run(Farthest(w.padded(), previous.padded())).to_f64());
        if !(unit > 0.0 && unit.is_finite() && T::from_f64(1.0 / unit).is_finite()) {
            return false;
        }
        self.unit_of_path = unit;
        self.path.shape_to(w.rows(), w.cols());
        for j in 0..w.cols() {
            isa.run(Difference { of: w.col(j), from: previous.col(j), unit, to: self.path.col_mut(j) });
        }
        true
    }

    /// The share of the way from `previous` to `w`, on which the quadratic has fallen by `gain`, at which it is least; nothing where rounding hides it.
    ///
    /// Along `W_{t−1} + sD` the quadratic is `−2s·fall + s²·curvature`, and a constant; it has fallen by `gain` at `s = 1`, so it is least
    /// at `s = fall/curvature = ½ + gain/(2·curvature)`. The growth property holds for all shorter steps too, so the curvature
    /// `tr(D A Dᵀ)` is taken from the products of the columns of `D`, a half product, and the share is a little smaller.
    fn quick_share(&mut self, isa: Isa, w: &Mat<T>, previous: &Mat<T>, gain: f64) -> Option<f64> {
        let r = w.cols();
        if !self.take_path(isa, w, previous) {
            return None;
        }
        self.products.shape_to(r, r);
        T::gram_below(&mut self.products, (Op::Plain, self.path.as_ref()));
        let (mut diagonal, mut below) = (0.0, 0.0);
        for j in 0..r {
            let (products, a) = (self.products.col(j), self.a.col(j));
            diagonal += products[j].to_f64() * a[j].to_f64();
            below += isa.run(Dot(&products[j + 1..], &a[j + 1..]));
        }
        let curvature = (diagonal + 2.0 * below) * self.unit_of_path * self.unit_of_path;
        (curvature > 0.0).then(|| (0.5 + 0.5 * gain / curvature) * (1.0 - CAUTION * T::EPSILON))
    }

    /// The same share from the slope and the curvature at `previous`, in the precision of the data; the residuals are lost.
    fn exact_share(
        &mut self,
        isa: Isa,
        w: &Mat<T>,
        previous: &Mat<T>,
        b_transposed: &Mat<f64>,
    ) -> Option<f64> {
        let (d, r) = (w.rows(), w.cols());
        self.path.shape_to(d, r);
        let ends = w.padded().iter().zip(previous.padded());
        self.path.padded_mut().iter_mut().zip(ends).for_each(|(path, (&w, &old))| *path = w - old);
        let path = (Op::Plain, self.path.as_ref());
        T::product(&mut self.residual, false, path, (Op::Plain, self.a.as_ref()), 1.0);
        // ⟨Bᵀ − W_{t−1}A, D⟩ and ⟨DA, D⟩.
        let (mut fall, mut curvature) = (0.0, 0.0);
        for j in 0..r {
            let (path, slope) = (self.path.col(j), self.residual.col(j));
            fall +=
                self.unit * isa.run(Dot(path, b_transposed.col(j))) - isa.run(Dot(previous.col(j), slope));
            curvature += isa.run(Dot(path, slope));
        }
        (curvature > 0.0).then(|| fall / curvature)
    }

    /// One pass over all atoms.
    fn sweep(&mut self, isa: Isa, w: &mut Mat<T>, set: &ColumnSet, b_transposed: &Mat<f64>) -> Swept {
        let (d, r, stride) = (w.rows(), w.cols(), w.stride());
        let mut swept = Swept::default();
        let wide = Self::wide(r);
        for start in (0..r).step_by(wide) {
            let end = (start + wide).min(r);
            for j in start..end {
                let to = self.residual.col_mut(j);
                isa.run(Narrow { from: b_transposed.col(j), unit: self.unit, to });
            }
            let a = (Op::Plain, self.a.as_ref().columns(start, end));
            T::product_into(&mut self.residual, (start, end), (Op::Plain, w.as_ref()), a, -1.0);
            for from in (start..end).step_by(BLOCK) {
                let to = (from + BLOCK).min(end);
                if from > start {
                    let moved = (Op::Plain, self.moves.as_ref().columns(0, from - start));
                    let a = (Op::Plain, self.a.as_ref().columns(from, to).some_rows(start, from));
                    T::product_into(&mut self.residual, (from, to), moved, a, -1.0);
                }
                for j in from..to {
                    let step = Step {
                        w: &mut w.padded_mut()[j * stride..][..stride],
                        diagonal: self.a.get(j, j),
                        residual: &mut self.residual.padded_mut()[j * stride..][..stride],
                        moves: &mut self.moves.padded_mut()[(from - start) * stride..],
                        coupling: &self.a.col(j)[from..j],
                        rows: d,
                        set,
                    };
                    swept.add(isa.run(step));
                }
            }
        }
        swept
    }
}

/// What moving atoms did.
#[derive(Clone, Copy, Default)]
struct Swept {
    /// `‖ΔW‖²` and `‖W‖²`.
    moved: f64,
    norm: f64,
    /// How far the quadratic fell.
    gain: f64,
}

impl Swept {
    fn add(&mut self, other: Self) {
        self.moved += other.moved;
        self.norm += other.norm;
        self.gain += other.gain;
    }
}

/// The largest absolute difference of two vectors.
struct Farthest<'a, T>(&'a [T], &'a [T]);

impl<T: Scalar> WithSimd for Farthest<'_, T> {
    type Output = T;
    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> T {
        let mut most = [T::ZERO; 16];
        // Padded columns are whole cache lines: eight or sixteen numbers.
        for (x, y) in self.0.chunks(16).zip(self.1.chunks(16)) {
            for ((most, &x), &y) in most.iter_mut().zip(x).zip(y) {
                let difference = (x - y).abs();
                *most = if difference > *most { difference } else { *most };
            }
        }
        most.into_iter().fold(T::ZERO, T::at_least)
    }
}

/// The difference of two columns in another unit.
struct Difference<'a, T> {
    of: &'a [T],
    from: &'a [T],
    unit: f64,
    to: &'a mut [T],
}

impl<T: Scalar> WithSimd for Difference<'_, T> {
    type Output = ();
    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let inverse = T::from_f64(1.0 / self.unit);
        for ((to, &of), &from) in self.to.iter_mut().zip(self.of).zip(self.from) {
            *to = (of - from) * inverse;
        }
    }
}

/// Rounds a column to the precision of the data, in another unit.
struct Narrow<'a, T> {
    from: &'a [f64],
    unit: f64,
    to: &'a mut [T],
}

impl<T: Scalar> WithSimd for Narrow<'_, T> {
    type Output = ();
    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        for (to, &from) in self.to.iter_mut().zip(self.from) {
            *to = T::from_f64(from * self.unit);
        }
    }
}

/// Moves one atom to its minimizer. All columns are padded with zeros to `w.len()`, a whole number of registers.
struct Step<'a, T> {
    w: &'a mut [T],
    /// `A_jj`; zero for an atom that is to stay.
    diagonal: T,
    /// The atom's residual before its block moved; it becomes that before the atom moved.
    residual: &'a mut [T],
    /// The moves of the block's columns: those before this atom are read, its own is written.
    moves: &'a mut [T],
    /// `A_ij` for the atoms `i` of the block before this one.
    coupling: &'a [T],
    /// The entries of an atom, without padding.
    rows: usize,
    set: &'a ColumnSet,
}

/// Registers in a tile.
const TILE: usize = 4;

impl<T: Scalar> WithSimd for Step<'_, T> {
    type Output = Swept;

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, s: S) -> Swept {
        let (length, here) = (self.w.len(), self.coupling.len());
        assert!(self.residual.len() == length && self.moves.len() >= (here + 1) * length);
        let lanes = T::lanes::<S>();
        let wide = length / (TILE * lanes) * (TILE * lanes);
        if self.diagonal == T::ZERO {
            self.moves[here * length..][..length].fill(T::ZERO);
            let norm: f64 = self.w.iter().map(|w| w.to_f64() * w.to_f64()).sum();
            return Swept { norm, ..Swept::default() };
        }
        let clip = matches!(self.set, ColumnSet::NonnegBall { .. });
        // SAFETY: places are below `length`, a whole number of registers, in columns of that length.
        let squares = unsafe {
            let mut sums = [T::splat(s, T::ZERO); TILE];
            let mut at = 0;
            while at < wide {
                self.propose::<S, TILE>(s, at, clip, &mut sums);
                at += TILE * lanes;
            }
            let mut rest = [sums[0]];
            while at < length {
                self.propose::<S, 1>(s, at, clip, &mut rest);
                at += lanes;
            }
            sums[0] = rest[0];
            T::reduce_sum(s, T::plus(s, T::plus(s, sums[0], sums[1]), T::plus(s, sums[2], sums[3]))).to_f64()
        };
        let mut factor = T::ONE;
        let candidate = &mut self.moves[here * length..][..self.rows];
        match self.set {
            // A sum of squares that overflows or vanishes is left to the careful projection.
            ColumnSet::NonnegBall { radius } if squares.is_finite() && squares > T::TINY => {
                if squares > radius * radius {
                    factor = T::from_f64(radius / squares.sqrt());
                }
            }
            set => set.project(candidate),
        }
        let zero = T::splat(s, T::ZERO);
        let (mut moved, mut norm, mut slope) = (zero, zero, zero);
        let mut at = 0;
        while at < length {
            // SAFETY: as above.
            unsafe {
                let place = self.moves.as_mut_ptr().add(here * length + at);
                let new = T::times(s, T::load::<S>(place), T::splat(s, factor));
                let w = self.w.as_mut_ptr().add(at);
                let step = T::minus(s, new, T::load::<S>(w));
                T::store::<S>(w, new);
                T::store::<S>(place, step);
                moved = T::mul_add(s, step, step, moved);
                norm = T::mul_add(s, new, new, norm);
                slope = T::mul_add(s, step, T::load::<S>(self.residual.as_ptr().add(at)), slope);
            }
            at += lanes;
        }
        let (moved, norm) = (T::reduce_sum(s, moved).to_f64(), T::reduce_sum(s, norm).to_f64());
        let gain = 2.0 * T::reduce_sum(s, slope).to_f64() - self.diagonal.to_f64() * moved;
        Swept { moved, norm, gain }
    }
}

impl<T: Scalar> Step<'_, T> {
    /// Writes `N` registers of the unprojected minimizer `w + (residual − Σ A_ij Δ_i)/A_jj`, clipped at zero if asked
    /// for, to the atom's place among the moves, and adds its squares to `sums`.
    ///
    /// # Safety
    /// `at + N·lanes` must not exceed the length of the columns.
    #[inline(always)]
    unsafe fn propose<S: Simd, const N: usize>(
        &mut self,
        s: S,
        at: usize,
        clip: bool,
        sums: &mut [T::V<S>; N],
    ) {
        let (length, lanes) = (self.w.len(), T::lanes::<S>());
        let moves = self.moves.as_mut_ptr();
        let inverse = T::splat(s, T::ONE / self.diagonal);
        // SAFETY: promised by the caller.
        unsafe {
            let mut res: [T::V<S>; N] =
                std::array::from_fn(|i| T::load::<S>(self.residual.as_ptr().add(at + i * lanes)));
            for (k, &a) in self.coupling.iter().enumerate() {
                let a = T::splat(s, -a);
                for (i, res) in res.iter_mut().enumerate() {
                    *res = T::mul_add(s, a, T::load::<S>(moves.add(k * length + at + i * lanes)), *res);
                }
            }
            for i in 0..N {
                let here = at + i * lanes;
                T::store::<S>(self.residual.as_mut_ptr().add(here), res[i]);
                let mut new = T::mul_add(s, res[i], inverse, T::load::<S>(self.w.as_ptr().add(here)));
                if clip {
                    new = T::max(s, new, T::splat(s, T::ZERO));
                }
                sums[i] = T::mul_add(s, new, new, sums[i]);
                T::store::<S>(moves.add(self.coupling.len() * length + here), new);
            }
        }
    }
}

#[cfg(test)]
mod tests;
