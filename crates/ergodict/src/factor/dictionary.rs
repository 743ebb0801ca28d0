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
//! Columns go in blocks: one product gives the residual `Bᵀ − W A` of a whole block as it stood before the block, and
//! each column takes off what the moves of its predecessors in the block have changed, in the same pass that moves it.
//! The iterates are those of the plain loop, up to rounding.

use super::sets::ColumnSet;
use super::unit::binade;
use crate::linalg::products::Op;
use crate::linalg::simd::{Simd, WithSimd};
use crate::linalg::vectors::Dot;
use crate::linalg::{Isa, Mat, Scalar};

/// Columns whose residuals are made by one product. Measured at 8, 16, 32 and 64: within 5 % of each other on cases a, b, c.
const BLOCK: usize = 16;
/// Atoms with `A_jj` below this share of the largest are unused: the codes that made it are rounding.
pub(super) const UNUSED: f64 = 1e-14;

/// What an update took.
///
/// ```
/// use ergodict::factor::{Factorizer, FactorSettings};
/// use ergodict::linalg::Mat;
/// let parameters = FactorSettings { dictionary_sweeps: 3, ..FactorSettings::new(2) };
/// let mut model = Factorizer::<f64>::random(parameters, 3, 0)?;
/// let update = model.step(&Mat::from_fn(3, 4, |i, j| (i * j) as f64))?.update;
/// assert!(update.sweeps <= 3 && update.unused == 0);
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct UpdateReport {
    /// Passes over all atoms (gradient steps for sets that are not products of columns).
    pub sweeps: u32,
    /// Whether the cap on sweeps was met before the tolerance.
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
    /// `Bᵀ − W A` of a block, as it was before the block moved.
    residual: Mat<T>,
    /// How far each column of the block has moved.
    moves: Mat<T>,
    /// How far all have moved in an update, and that times `A`.
    path: Mat<T>,
    slope: Mat<T>,
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
    pub(super) fn new() -> Self {
        Self {
            a: Mat::zeros(0, 0),
            unit: 1.0,
            residual: Mat::zeros(0, 0),
            moves: Mat::zeros(0, 0),
            path: Mat::zeros(0, 0),
            slope: Mat::zeros(0, 0),
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
        self.moves.shape_to(d, BLOCK.min(r));
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
        while report.sweeps < goal.max_sweeps {
            report.last_change = self.sweep(isa, w, set, goal.b_transposed);
            report.sweeps += 1;
            if report.last_change <= goal.tolerance {
                return report;
            }
        }
        report.capped = true;
        self.shorten(isa, w, previous, goal.b_transposed);
        report
    }

    /// Goes back on the way from `previous` to `w` to where the quadratic is least, if that lies between them.
    fn shorten(&mut self, isa: Isa, w: &mut Mat<T>, previous: &Mat<T>, b_transposed: &Mat<f64>) {
        let (d, r) = (w.rows(), w.cols());
        self.path.reset(d, r);
        self.slope.shape_to(d, r);
        let ends = w.padded().iter().zip(previous.padded());
        self.path.padded_mut().iter_mut().zip(ends).for_each(|(path, (&w, &previous))| *path = w - previous);
        T::product(
            &mut self.slope,
            false,
            (Op::Plain, self.path.as_ref()),
            (Op::Plain, self.a.as_ref()),
            1.0,
        );
        // Along W_{t−1} + sD the quadratic is −2s⟨Bᵀ − W_{t−1}A, D⟩ + s²⟨DA, D⟩, and a constant.
        let (mut fall, mut curvature) = (0.0, 0.0);
        for j in 0..r {
            let (path, slope) = (self.path.col(j), self.slope.col(j));
            fall += self.unit * isa.run(Dot(path, b_transposed.col(j)));
            for ((&path, &slope), &previous) in path.iter().zip(slope).zip(previous.col(j)) {
                fall -= previous.to_f64() * slope.to_f64();
                curvature += path.to_f64() * slope.to_f64();
            }
        }
        let share = fall / curvature;
        if curvature > 0.0 && (0.0..1.0).contains(&share) {
            let share = T::from_f64(share);
            for (w, &previous) in w.padded_mut().iter_mut().zip(previous.padded()) {
                *w = previous + share * (*w - previous);
            }
        }
    }

    /// One pass over all atoms; returns `‖ΔW‖/‖W‖`.
    fn sweep(&mut self, isa: Isa, w: &mut Mat<T>, set: &ColumnSet, b_transposed: &Mat<f64>) -> f64 {
        let (d, r) = (w.rows(), w.cols());
        let (mut moved, mut norm) = (0.0, 0.0);
        let mut from = 0;
        while from < r {
            let to = (from + BLOCK).min(r);
            self.residual.shape_to(d, to - from);
            for j in from..to {
                isa.run(Narrow {
                    from: b_transposed.col(j),
                    unit: self.unit,
                    to: self.residual.col_mut(j - from),
                });
            }
            let a = self.a.as_ref().columns(from, to);
            T::product(&mut self.residual, true, (Op::Plain, w.as_ref()), (Op::Plain, a), -1.0);
            let stride = w.stride();
            for j in from..to {
                let step = Step {
                    w: &mut w.padded_mut()[j * stride..][..stride],
                    diagonal: self.a.get(j, j),
                    residual: &self.residual.padded()[(j - from) * stride..][..stride],
                    moves: self.moves.padded_mut(),
                    coupling: &self.a.col(j)[from..j],
                    rows: d,
                    set,
                };
                let (step_moved, step_norm) = isa.run(step);
                moved += step_moved;
                norm += step_norm;
            }
            from = to;
        }
        if norm > 0.0 { (moved / norm).sqrt() } else { 0.0 }
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
    /// The atom's residual before its block moved.
    residual: &'a [T],
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
    /// `‖Δ‖²` and `‖w‖²`.
    type Output = (f64, f64);

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, s: S) -> (f64, f64) {
        let (length, here) = (self.w.len(), self.coupling.len());
        assert!(self.residual.len() == length && self.moves.len() >= (here + 1) * length);
        let lanes = T::lanes::<S>();
        let wide = length / (TILE * lanes) * (TILE * lanes);
        if self.diagonal == T::ZERO {
            self.moves[here * length..][..length].fill(T::ZERO);
            let norm: f64 = self.w.iter().map(|w| w.to_f64() * w.to_f64()).sum();
            return (0.0, norm);
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
        let (mut moved, mut norm) = (T::splat(s, T::ZERO), T::splat(s, T::ZERO));
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
            }
            at += lanes;
        }
        (T::reduce_sum(s, moved).to_f64(), T::reduce_sum(s, norm).to_f64())
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
