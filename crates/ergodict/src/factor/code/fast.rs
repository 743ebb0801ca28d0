//! The default solver: greedy descent to find the support, Newton to finish, and so on until the conditions hold.
//!
//! Greedy steps need few updates to find nearly the right support but many to converge; Newton converges at once on
//! the right support. A round is one after the other; most columns need one to three.

use super::active::ActiveSet;
use super::greedy::{Greedy, Task};
use super::newton::{Newton, Step, Workspace};
use super::omp::{self, Pursuit};
use super::quadratic::Quadratic;
use super::rule::{Boxed, Free, Nonnegative, Rule};
use crate::linalg::simd::{Simd, WithSimd};
use crate::linalg::{Isa, Mat, Scalar};
use std::marker::PhantomData;

/// Greedy descent hands over to Newton when no step is longer than this share of the largest correlation.
/// Measured over 0.1, 0.03, 0.01, 0.003 on benchmark cases a, b, c: 0.01 is best or within 2 % of it in each, 0.1
/// costs up to 10 %.
const HAND_OVER: f64 = 0.01;
/// After a Newton step, greedy repairs go on until the longest step has shrunk by this factor.
/// ValueWithError over 0.5, 0.3, 0.1, 0.03: case a is 7 % slower at 0.5 and 25 % at 0.03; b and c are within 1 % from 0.5
/// to 0.1, and 15 % and 8 % slower at 0.03.
const REPAIR: f64 = 0.3;
/// Rounds with clipped Newton steps; in later ones the active set is worked off in a way that cannot cycle.
const CLIPPED_ROUNDS: u32 = 12;

/// Epsilons of the sum of a column's codes that its residual may be off by: nearly dependent atoms have large codes.
const ROUNDING: f64 = 64.0;
/// A column whose residual is off by this share of its scale is lost: rounding has made the objective fall without end.
/// It gets the code of a first greedy descent, and counts as capped.
const LOST: f64 = 0.1;

/// Columns that are coded together, and the buffers for it.
pub(crate) struct Chunk<T> {
    /// `WᵀX` on entry, `c̃` after [`Chunk::solve`].
    pub(super) correlation: Mat<T>,
    pub(super) residual: Mat<T>,
    /// Negated scaled codes: the warm start on entry, the result on exit.
    pub(super) negated: Mat<T>,
    /// Largest correlation of each column with an atom of unit norm: the scale its conditions are measured in.
    scales: Vec<T>,
    tasks: Vec<Task<T>>,
    columns: Vec<usize>,
    longest: Vec<T>,
    workspace: Workspace<T>,
    active: ActiveSet,
    /// Columns that steps have thrown off, and how long their longest step is.
    hard: Vec<(usize, T)>,
    /// Squared norms of the columns, where a pursuit stops by them.
    pub(super) norms: Vec<f64>,
    pub(super) pursuit: omp::State<T>,
}

/// What solving a chunk took.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Effort {
    /// Coordinate steps.
    pub(super) steps: u64,
    /// Newton steps, counted by columns.
    pub(super) newton_steps: u64,
    /// Columns that ran out of rounds before the tolerance was met.
    pub(super) capped: u64,
    /// The largest KKT residual left, relative to the column's largest correlation.
    pub(super) residual: f64,
}

impl Effort {
    /// Records the residual that a column was left with.
    fn settle<T: Scalar>(&mut self, longest: T, scale: T) {
        if scale > T::ZERO {
            self.residual = self.residual.max((longest / scale).to_f64());
        }
    }

    pub(super) fn add(&mut self, other: Self) {
        self.steps += other.steps;
        self.newton_steps += other.newton_steps;
        self.capped += other.capped;
        self.residual = self.residual.max(other.residual);
    }
}

/// The admissible sets that are products over coordinates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Admissible {
    /// `h ≥ 0`.
    Nonnegative,
    /// `0 ≤ h ≤ b`.
    Boxed,
    /// Any codes.
    Free,
}

/// The solver for a number type. It is not generic in what calls it, so that its kernels (instruction sets × rules × tile sizes) are compiled
/// in this crate once, and not again in every crate that learns.
pub(crate) trait Solve: Sized {
    /// Codes every column from the correlations in the chunk. `warm` says whether it holds a start.
    fn solve(
        chunk: &mut Chunk<Self>,
        set: Admissible,
        isa: Isa,
        quadratic: &Quadratic<Self>,
        warm: bool,
        tolerance: f64,
        max_rounds: u32,
    ) -> Effort;

    /// Residuals of nonnegative codes, recomputed.
    fn sum_residuals(chunk: &mut Chunk<Self>, isa: Isa, quadratic: &Quadratic<Self>);

    /// Codes every column by orthogonal matching pursuit; objectives without `‖x‖²` go into `costs`.
    fn pursue(
        chunk: &mut Chunk<Self>,
        isa: Isa,
        quadratic: &Quadratic<Self>,
        pursuit: &Pursuit,
        features: usize,
        costs: &mut [f64],
    ) -> Effort;
}

macro_rules! solve {
    ($t:ty) => {
        impl Solve for $t {
            fn solve(
                chunk: &mut Chunk<$t>,
                set: Admissible,
                isa: Isa,
                quadratic: &Quadratic<$t>,
                warm: bool,
                tolerance: f64,
                max_rounds: u32,
            ) -> Effort {
                // The ℓ₁ penalty is linear where codes have one sign, and goes into `c̃` there.
                match set {
                    Admissible::Nonnegative => {
                        chunk.solve::<Nonnegative>(isa, quadratic, warm, true, tolerance, max_rounds)
                    }
                    Admissible::Boxed => {
                        chunk.solve::<Boxed>(isa, quadratic, warm, true, tolerance, max_rounds)
                    }
                    Admissible::Free => {
                        chunk.solve::<Free>(isa, quadratic, warm, false, tolerance, max_rounds)
                    }
                }
            }

            fn sum_residuals(chunk: &mut Chunk<$t>, isa: Isa, quadratic: &Quadratic<$t>) {
                chunk.sum_residuals::<Nonnegative>(isa, quadratic);
            }

            fn pursue(
                chunk: &mut Chunk<$t>,
                isa: Isa,
                quadratic: &Quadratic<$t>,
                pursuit: &Pursuit,
                features: usize,
                costs: &mut [f64],
            ) -> Effort {
                omp::solve(chunk, isa, quadratic, pursuit, features, costs)
            }
        }
    };
}
solve!(f32);
solve!(f64);

impl<T: Scalar> Chunk<T> {
    pub(super) fn new() -> Self {
        Self {
            correlation: Mat::zeros(0, 0),
            residual: Mat::zeros(0, 0),
            negated: Mat::zeros(0, 0),
            scales: Vec::new(),
            tasks: Vec::new(),
            columns: Vec::new(),
            longest: Vec::new(),
            workspace: Workspace::new(),
            active: ActiveSet::default(),
            hard: Vec::new(),
            norms: Vec::new(),
            pursuit: omp::State::default(),
        }
    }

    /// Solves every column from the correlations in `self.correlation`. `warm` says whether `self.negated` holds a
    /// start; `linear` whether the ℓ₁ penalty is linear on the set and goes into `c̃`.
    fn solve<R: Rule>(
        &mut self,
        isa: Isa,
        quadratic: &Quadratic<T>,
        warm: bool,
        linear: bool,
        tolerance: f64,
        max_rounds: u32,
    ) -> Effort {
        let (r, n) = (self.correlation.rows(), self.correlation.cols());
        let mut effort = Effort::default();
        self.scales.clear();
        let (scale, threshold) = (quadratic.scale.col(0), quadratic.threshold.col(0));
        for j in 0..n {
            let c = self.correlation.col_mut(j);
            let largest = isa.run(Normalize { c, scale, threshold, linear });
            if warm && largest == T::ZERO {
                // Nothing to explain: zero is the answer, and no start would come within a tolerance of nothing.
                self.negated.col_mut(j).fill(T::ZERO);
            }
            self.scales.push(largest);
        }
        // Rounding keeps the residual from falling below a few ε·max|c|: without this floor f32 never stops. A floor of
        // 64 ε is too high: atoms that only small codes would wake then sleep on, and case c of the benchmarks ends 1.3 %
        // worse in f32 than in f64; at 8 ε they agree.
        let tolerance = T::from_f64(tolerance.max(8.0 * T::EPSILON));
        let hand_over = T::from_f64(HAND_OVER).at_least(tolerance);

        self.columns.clear();
        self.columns.extend(0..n);
        if warm {
            self.residual.shape_to(r, n);
            self.newton::<R>(isa, quadratic, Step::None);
        } else {
            self.negated.reset(r, n);
            self.residual.shape_to(r, n);
            self.residual.padded_mut().copy_from_slice(self.correlation.padded());
        }
        self.hard.clear();
        let mut started = warm;
        for _ in 0..max_rounds.min(CLIPPED_ROUNDS) {
            effort.steps += self.greedy::<R>(isa, quadratic, started.then_some(tolerance), hand_over);
            started = true;
            effort.newton_steps += self.columns.len() as u64;
            self.newton::<R>(isa, quadratic, Step::Clipped);
            // Keep the columns whose conditions do not hold yet.
            let mut kept = 0;
            for i in 0..self.columns.len() {
                let (j, longest) = (self.columns[i], self.longest[i]);
                if longest <= tolerance * self.scales[j] {
                    effort.settle(longest, self.scales[j]);
                } else if longest <= self.scales[j] {
                    (self.columns[kept], self.longest[kept]) = (j, longest);
                    kept += 1;
                } else {
                    // Worse than no code at all: clipping a long step of a nearly singular system has thrown it off.
                    self.negated.col_mut(j).fill(T::ZERO);
                    self.residual.col_mut(j).copy_from_slice(self.correlation.col(j));
                    self.hard.push((j, self.scales[j]));
                }
            }
            self.columns.truncate(kept);
            self.longest.truncate(kept);
            if kept == 0 {
                break;
            }
        }
        for &(j, longest) in &self.hard {
            self.columns.push(j);
            self.longest.push(longest);
        }
        self.hard.clear();
        for round in 0..max_rounds {
            if self.columns.is_empty() {
                break;
            }
            effort.steps += self.greedy::<R>(isa, quadratic, Some(tolerance), hand_over);
            effort.newton_steps += self.columns.len() as u64;
            for &j in &self.columns {
                let flat = 0.5 * (tolerance * self.scales[j]).to_f64();
                let codes = self.negated.col_mut(j);
                self.active.descend::<T, R>(quadratic, self.correlation.col(j), codes, flat);
            }
            self.newton::<R>(isa, quadratic, Step::None);
            let mut kept = 0;
            for i in 0..self.columns.len() {
                let (j, longest) = (self.columns[i], self.longest[i]);
                let size = self.negated.col(j).iter().fold(self.scales[j], |sum, m| sum + m.abs());
                let floor = T::from_f64(ROUNDING * T::EPSILON) * size;
                let goal = floor.at_least(tolerance * self.scales[j]);
                if floor > T::from_f64(LOST) * self.scales[j] || !floor.is_finite() {
                    self.hard.push((j, longest));
                } else if longest <= goal || round + 1 == max_rounds {
                    effort.settle(longest, self.scales[j]);
                    effort.capped += u64::from(longest > goal);
                } else {
                    (self.columns[kept], self.longest[kept]) = (j, longest);
                    kept += 1;
                }
            }
            self.columns.truncate(kept);
            self.longest.truncate(kept);
        }
        if !self.hard.is_empty() {
            self.columns.clear();
            for &(j, _) in &self.hard {
                self.columns.push(j);
                self.negated.col_mut(j).fill(T::ZERO);
                self.residual.col_mut(j).copy_from_slice(self.correlation.col(j));
            }
            effort.steps += self.greedy::<R>(isa, quadratic, None, hand_over);
            self.newton::<R>(isa, quadratic, Step::None);
            for (&j, &longest) in self.columns.iter().zip(&self.longest) {
                effort.settle(longest, self.scales[j]);
            }
            effort.capped += self.hard.len() as u64;
        }
        // Only where no round was allowed at all.
        effort.capped += self.columns.len() as u64;
        effort
    }

    /// Greedy descent for `self.columns`: down to `hand_over` of the scale from a cold start, and otherwise until the
    /// longest step has shrunk, no further than `tolerance` of the scale.
    fn greedy<R: Rule>(
        &mut self,
        isa: Isa,
        quadratic: &Quadratic<T>,
        tolerance: Option<T>,
        hand_over: T,
    ) -> u64 {
        let budget = (8 * self.correlation.rows() + 64) as u32;
        self.tasks.clear();
        for (i, &column) in self.columns.iter().enumerate() {
            let scale = self.scales[column];
            let until = match tolerance {
                Some(tolerance) => (T::from_f64(REPAIR) * self.longest[i]).at_least(tolerance * scale),
                None => hand_over * scale,
            };
            self.tasks.push(Task { column, until, budget, longest: T::ZERO });
        }
        isa.run(Greedy::<T, R> {
            quadratic,
            residual: &mut self.residual,
            negated: &mut self.negated,
            tasks: &mut self.tasks,
            rule: PhantomData,
        })
    }

    /// Sums all residuals afresh, for codes that were changed from outside.
    fn sum_residuals<R: Rule>(&mut self, isa: Isa, quadratic: &Quadratic<T>) {
        self.columns.clear();
        self.columns.extend(0..self.correlation.cols());
        self.newton::<R>(isa, quadratic, Step::None);
    }

    /// Moves a warm start into a box whose bounds are in `quadratic.aux`.
    pub(super) fn clamp_start(&mut self, quadratic: &Quadratic<T>) {
        for j in 0..self.negated.cols() {
            for (m, &upper) in self.negated.col_mut(j).iter_mut().zip(quadratic.aux.col(0)) {
                *m = m.at_most(T::ZERO).at_least(-upper);
            }
        }
    }

    /// One Newton step for `self.columns`; leaves the longest coordinate steps in `self.longest`.
    fn newton<R: Rule>(&mut self, isa: Isa, quadratic: &Quadratic<T>, step: Step) {
        self.longest.clear();
        self.longest.resize(self.columns.len(), T::ZERO);
        isa.run(Newton::<T, R> {
            quadratic,
            correlation: &self.correlation,
            residual: &mut self.residual,
            negated: &mut self.negated,
            columns: &self.columns,
            longest: &mut self.longest,
            step,
            workspace: &mut self.workspace,
            rule: PhantomData,
        });
    }
}

/// Turns correlations into `c̃`, and returns the largest before the penalty is taken off.
struct Normalize<'a, T> {
    c: &'a mut [T],
    scale: &'a [T],
    threshold: &'a [T],
    linear: bool,
}

impl<T: Scalar> WithSimd for Normalize<'_, T> {
    type Output = T;

    #[inline(always)]
    fn with_simd<S: Simd>(self, s: S) -> T {
        let Self { c, scale, threshold, linear } = self;
        let lanes = T::lanes::<S>();
        let whole = c.len() / lanes * lanes;
        assert!(scale.len() >= c.len() && threshold.len() >= c.len());
        let zero = T::splat(s, T::ZERO);
        let mut best = zero;
        let mut at = 0;
        while at < whole {
            // SAFETY: at + lanes ≤ the length of all three.
            unsafe {
                let x = T::times(s, T::load::<S>(c.as_ptr().add(at)), T::load::<S>(scale.as_ptr().add(at)));
                best = T::max(s, best, T::max(s, x, T::minus(s, zero, x)));
                let off = if linear { T::load::<S>(threshold.as_ptr().add(at)) } else { zero };
                T::store::<S>(c.as_mut_ptr().add(at), T::minus(s, x, off));
            }
            at += lanes;
        }
        let mut largest = T::reduce_max(s, best);
        for k in whole..c.len() {
            let x = c[k] * scale[k];
            largest = largest.at_least(x.abs());
            c[k] = if linear { x - threshold[k] } else { x };
        }
        largest
    }
}
