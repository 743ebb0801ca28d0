//! The default solver: greedy descent to find the support, Newton to finish, and so on until the conditions hold.
//!
//! Greedy steps need few updates to find nearly the right support but many to converge; Newton converges at once on
//! the right support. A round is one after the other; most columns need one to three.

use super::active::ActiveSet;
use super::greedy::{Greedy, Task};
use super::newton::{Newton, Step, Workspace};
use super::quadratic::Quadratic;
use super::rule::Rule;
use crate::linalg::simd::{Simd, WithSimd};
use crate::linalg::{Isa, Mat, Scalar};
use std::marker::PhantomData;

/// Greedy descent hands over to Newton when no step is longer than this share of the largest correlation.
/// Measured over 0.1, 0.03, 0.01, 0.003 on benchmark cases a, b, c: 0.01 is best or within 2 % of it in each, 0.1
/// costs up to 10 %.
const HAND_OVER: f64 = 0.01;
/// After a Newton step, greedy repairs go on until the longest step has shrunk by this factor.
/// Measured over 0.5, 0.3, 0.1, 0.03: case a is 7 % slower at 0.5, 25 % at 0.03; the others do not care.
const REPAIR: f64 = 0.3;
/// Rounds with clipped Newton steps; in later ones the active set is worked off in a way that cannot cycle.
const CLIPPED_ROUNDS: u32 = 12;

/// Columns that are coded together, and the buffers for it.
pub(super) struct Chunk<T> {
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
}

/// What solving a chunk took.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Effort {
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
    pub(super) fn add(&mut self, other: Self) {
        self.steps += other.steps;
        self.newton_steps += other.newton_steps;
        self.capped += other.capped;
        self.residual = self.residual.max(other.residual);
    }
}

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
        }
    }

    /// Solves every column from the correlations in `self.correlation`. `warm` says whether `self.negated` holds a
    /// start; `linear` whether the ℓ₁ penalty is linear on the set and goes into `c̃`.
    pub(super) fn solve<R: Rule>(
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
            let largest = isa.run(Normalise { c, scale, threshold, linear });
            if warm && largest == T::ZERO {
                // Nothing to explain: zero is the answer, and no start would come within a tolerance of nothing.
                self.negated.col_mut(j).fill(T::ZERO);
            }
            self.scales.push(largest);
        }
        // Rounding keeps the residual from falling below a few ε·max|c|: without this floor f32 never stops.
        let tolerance = T::from_f64(tolerance.max(64.0 * T::EPSILON));
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
        let budget = (8 * r + 64) as u32;
        for round in 0..max_rounds {
            self.tasks.clear();
            for (i, &column) in self.columns.iter().enumerate() {
                let until = if round == 0 && !warm {
                    hand_over * self.scales[column]
                } else {
                    (T::from_f64(REPAIR) * self.longest[i]).at_least(tolerance * self.scales[column])
                };
                self.tasks.push(Task { column, until, budget, longest: T::ZERO });
            }
            effort.steps += isa.run(Greedy::<T, R> {
                quadratic,
                residual: &mut self.residual,
                negated: &mut self.negated,
                tasks: &mut self.tasks,
                rule: PhantomData,
            });
            effort.newton_steps += self.columns.len() as u64;
            if round < CLIPPED_ROUNDS {
                self.newton::<R>(isa, quadratic, Step::Clipped);
            } else {
                for &j in &self.columns {
                    let flat = 0.5 * (tolerance * self.scales[j]).to_f64();
                    let codes = self.negated.col_mut(j);
                    self.active.descend::<T, R>(quadratic, self.correlation.col(j), codes, flat);
                }
                self.newton::<R>(isa, quadratic, Step::None);
            }
            // Keep the columns whose conditions do not hold yet.
            let mut kept = 0;
            for i in 0..self.columns.len() {
                let j = self.columns[i];
                if self.longest[i] > tolerance * self.scales[j] {
                    self.columns[kept] = j;
                    self.longest[kept] = self.longest[i];
                    kept += 1;
                } else if self.scales[j] > T::ZERO {
                    effort.residual = effort.residual.max((self.longest[i] / self.scales[j]).to_f64());
                }
            }
            self.columns.truncate(kept);
            self.longest.truncate(kept);
            if kept == 0 {
                return effort;
            }
        }
        effort.capped = self.columns.len() as u64;
        for (&j, &longest) in self.columns.iter().zip(&self.longest) {
            effort.residual = effort.residual.max((longest / self.scales[j]).to_f64());
        }
        effort
    }

    /// Sums all residuals afresh, for codes that were changed from outside.
    pub(super) fn sum_residuals<R: Rule>(&mut self, isa: Isa, quadratic: &Quadratic<T>) {
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
struct Normalise<'a, T> {
    c: &'a mut [T],
    scale: &'a [T],
    threshold: &'a [T],
    linear: bool,
}

impl<T: Scalar> WithSimd for Normalise<'_, T> {
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
