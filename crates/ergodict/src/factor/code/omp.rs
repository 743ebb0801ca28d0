//! Orthogonal matching pursuit: few atoms a column, chosen one after another, with coefficients by least squares.
//!
//! | symbol | here | what |
//! |---|---|---|
//! | `S` | `support` | atoms chosen so far, in their order |
//! | `k = argmax |w_kᵀ(x − W_S h_S)| / ‖w_k‖` | [`State::best`] | the next one; without the absolute value for nonnegative codes |
//! | `h_S = argmin ‖x − W_S h‖²` | [`State::solve`] | coefficients, from the factor of `W_SᵀW_S` that grows by a row an atom |
//! | `q_m` | – | the chosen atoms, orthonormalized one after another; never made |
//! | `v_m = Wᵀq_m` | `directions` | what they are needed for: row `m` of the factor is `v_0[k], …, v_{m−1}[k]` |
//!
//! All columns share one Gram matrix (batch OMP: Rubinstein, Zibulevsky & Elad, 2008), so that an atom costs `O(r·|S|)`,
//! whatever the number of features. Nonnegative codes are those of Lawson and Hanson's method, stopped early: an atom whose
//! coefficient would change its sign is dropped.

use super::fast::{Chunk, Effort};
use super::quadratic::Quadratic;
use crate::linalg::simd::{Simd, WithSimd};
use crate::linalg::{Isa, Scalar};
use crate::{Error, Result};

/// An atom depends on those chosen when less than this many ε of its squared norm are outside of their span.
const DEPENDENT: f64 = 64.0;

/// Correlations of less than this many ε of the largest one at the start are rounding.
const ROUNDING: f64 = 16.0;

/// When orthogonal matching pursuit stops: at whichever limit is met first.
///
/// ```
/// use ergodict::factor::code::{CodeSet, Pursuit};
/// let set: CodeSet = "omp:3,tol=0.5".parse()?;
/// assert_eq!(set, CodeSet::Pursuit(Pursuit { atoms: Some(3), tol: Some(0.5), nonnegative: false }));
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Pursuit {
    /// Most atoms of a column.
    pub atoms: Option<usize>,
    /// `‖x − Wh‖²` of a column at which no more atoms are added.
    pub tol: Option<f64>,
    /// Whether codes are nonnegative.
    pub nonnegative: bool,
}

impl Pursuit {
    /// Checks that there is a limit, and that it is one.
    ///
    /// # Errors
    /// [`Error::Parameter`].
    pub fn check(&self) -> Result<()> {
        let name = "the limit of orthogonal matching pursuit";
        if self.atoms.is_none() && self.tol.is_none() {
            return Err(Error::parameter(name, "missing", "give a number of atoms or an error"));
        }
        if self.atoms == Some(0) {
            return Err(Error::parameter("the number of atoms of a code", 0, "it must be at least 1"));
        }
        match self.tol {
            Some(tol) if !(tol.is_finite() && tol >= 0.0) => Err(Error::parameter(
                "the squared error of a code",
                tol,
                "it must be a number that is not negative",
            )),
            _ => Ok(()),
        }
    }
}

impl std::fmt::Display for Pursuit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}omp:", if self.nonnegative { "nonneg-" } else { "" })?;
        match (self.atoms, self.tol) {
            (Some(atoms), Some(tol)) => write!(f, "{atoms},tol={tol}"),
            (Some(atoms), None) => write!(f, "{atoms}"),
            (None, tol) => write!(f, "tol={}", tol.unwrap_or(0.0)),
        }
    }
}

impl Pursuit {
    /// Reads what `Display` writes; `None` for anything else.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (name, limits) = text.split_once(':')?;
        let mut pursuit = Self { nonnegative: name == "nonneg-omp", ..Self::default() };
        if !pursuit.nonnegative && name != "omp" {
            return None;
        }
        for limit in limits.split(',') {
            match limit.strip_prefix("tol=") {
                Some(tol) if pursuit.tol.is_none() => pursuit.tol = Some(tol.parse().ok()?),
                None if pursuit.atoms.is_none() => pursuit.atoms = Some(limit.parse().ok()?),
                _ => return None,
            }
        }
        pursuit.check().is_ok().then_some(pursuit)
    }
}

/// Codes every column of a chunk from its correlations and, where the error has a limit, its squared norms; codes are
/// left in `chunk.negated`, scaled and negated as the other solvers leave theirs, objectives without `‖x‖²` in `costs`.
pub(super) fn solve<T: Scalar>(
    chunk: &mut Chunk<T>,
    isa: Isa,
    quadratic: &Quadratic<T>,
    pursuit: &Pursuit,
    features: usize,
    costs: &mut [f64],
) -> Effort {
    let (r, n) = (chunk.correlation.rows(), chunk.correlation.cols());
    chunk.negated.reset(r, n);
    let most = pursuit.atoms.unwrap_or(r).min(r).min(features);
    let mut effort = Effort::default();
    for (j, cost) in costs.iter_mut().enumerate() {
        let job = Column {
            state: &mut chunk.pursuit,
            quadratic,
            start: chunk.correlation.col(j),
            most,
            limit: pursuit.tol.map(|tol| (chunk.norms[j], tol)),
            nonnegative: pursuit.nonnegative,
            code: chunk.negated.col_mut(j),
        };
        let (steps, value) = isa.run(job);
        effort.steps += steps;
        *cost = value;
    }
    effort
}

/// The pursuit of one column.
struct Column<'a, T> {
    state: &'a mut State<T>,
    quadratic: &'a Quadratic<T>,
    /// `Wᵀx`.
    start: &'a [T],
    most: usize,
    /// `‖x‖²`, and the error to stop at.
    limit: Option<(f64, f64)>,
    nonnegative: bool,
    code: &'a mut [T],
}

impl<T: Scalar> WithSimd for Column<'_, T> {
    type Output = (u64, f64);

    /// The number of atoms tried, and `hᵀGh − 2cᵀh`.
    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> (u64, f64) {
        let Self { state, quadratic, start, most, limit, nonnegative, code } = self;
        state.begin(start, quadratic);
        let (_, largest) = state.best(false);
        let floor = largest * T::from_f64(ROUNDING * T::EPSILON);
        let (mut steps, mut rounds) = (0, 0);
        while state.support.len() < most && rounds < 4 * start.len() {
            if limit.is_some_and(|(norm, tol)| norm - state.explained <= tol) {
                break;
            }
            let (k, value) = state.best(nonnegative);
            // Also when it is not a number.
            if !(value > floor) {
                break;
            }
            rounds += 1;
            if !state.push(k, quadratic) {
                state.correlation[k] = T::ZERO;
                continue;
            }
            steps += 1;
            if nonnegative {
                state.drop_negative(quadratic);
            }
        }
        let cost = state.finish(quadratic);
        for (&k, &h) in state.support.iter().zip(&state.coefficients) {
            if !nonnegative || h > 0.0 {
                code[k] = T::from_f64(-h);
            }
        }
        (steps, cost)
    }
}

/// What has been chosen for a column so far, in units where atoms have norm one.
#[derive(Default)]
pub(super) struct State<T> {
    /// `Wᵀx`.
    start: Vec<T>,
    /// `Wᵀ(x − W_S h_S)`.
    correlation: Vec<T>,
    support: Vec<usize>,
    /// `v_m`, one after another.
    directions: Vec<T>,
    /// Rows of the lower factor `L` of `W_SᵀW_S`, one after another.
    factor: Vec<f64>,
    /// `L⁻¹ W_Sᵀx`.
    projections: Vec<f64>,
    /// `Σ` of their squares: what of `‖x‖²` is explained.
    explained: f64,
    /// `h_S`, once it is solved for; for nonnegative codes that of the last round.
    coefficients: Vec<f64>,
}

impl<T: Scalar> State<T> {
    #[inline(always)]
    fn begin(&mut self, start: &[T], quadratic: &Quadratic<T>) {
        self.start.clear();
        self.start.extend(start.iter().zip(quadratic.scale.col(0)).map(|(&c, &s)| c * s));
        self.coefficients.clear();
        self.restart();
    }

    /// No atoms chosen.
    #[inline(always)]
    fn restart(&mut self) {
        self.correlation.clear();
        self.correlation.extend_from_slice(&self.start);
        self.support.clear();
        self.directions.clear();
        self.factor.clear();
        self.projections.clear();
        self.explained = 0.0;
    }

    /// The atom that goes best with what is left, the first of equals, and how well.
    #[inline(always)]
    fn best(&self, nonnegative: bool) -> (usize, T) {
        let size = |c: T| if nonnegative { c } else { c.abs() };
        // Lanes that the compiler keeps in registers.
        let mut lanes = [T::ZERO; 16];
        let blocks = self.correlation.chunks_exact(16);
        let rest = blocks.remainder();
        for block in blocks {
            for (lane, &c) in lanes.iter_mut().zip(block) {
                *lane = size(c).at_least(*lane);
            }
        }
        let largest = lanes.into_iter().chain(rest.iter().map(|&c| size(c))).fold(T::ZERO, T::at_least);
        (self.correlation.iter().position(|&c| size(c) == largest).unwrap_or(0), largest)
    }

    /// Adds an atom; false, and nothing has changed, when it depends on those chosen.
    #[inline(always)]
    fn push(&mut self, k: usize, quadratic: &Quadratic<T>) -> bool {
        let (r, size) = (self.start.len(), self.support.len());
        let row = self.factor.len();
        self.factor.extend((0..size).map(|m| self.directions[m * r + k].to_f64()));
        let outside = 1.0 - self.factor[row..].iter().map(|l| l * l).sum::<f64>();
        if !(outside > DEPENDENT * T::EPSILON) {
            self.factor.truncate(row);
            return false;
        }
        let length = outside.sqrt();
        self.directions.extend_from_slice(quadratic.gram.col(k));
        let (before, direction) = self.directions.split_at_mut(size * r);
        for (m, v) in before.chunks_exact(r).enumerate() {
            let l = T::from_f64(self.factor[row + m]);
            for (d, &v) in direction.iter_mut().zip(v) {
                *d -= l * v;
            }
        }
        self.factor.push(length);
        let z = self.correlation[k].to_f64() / length;
        let (inverse, step) = (T::from_f64(1.0 / length), T::from_f64(z));
        for (d, c) in direction.iter_mut().zip(&mut self.correlation) {
            *d *= inverse;
            *c -= step * *d;
        }
        self.correlation[k] = T::ZERO;
        self.projections.push(z);
        self.explained += z * z;
        self.support.push(k);
        true
    }

    /// Row `m` of the factor.
    #[inline(always)]
    fn row(&self, m: usize) -> &[f64] {
        &self.factor[m * (m + 1) / 2..][..=m]
    }

    /// `Lᵀ h = z` in the place of `z`.
    #[inline(always)]
    fn backward(&self, z: &mut [f64]) {
        for m in (0..z.len()).rev() {
            let row = self.row(m);
            let h = z[m] / row[m];
            z[m] = h;
            z[..m].iter_mut().zip(row).for_each(|(z, l)| *z -= l * h);
        }
    }

    /// `h_S` from the projections.
    #[inline(always)]
    fn solve(&self) -> Vec<f64> {
        let mut h = self.projections.clone();
        self.backward(&mut h);
        h
    }

    /// Lawson and Hanson's inner loop: goes from the last nonnegative coefficients towards those of least squares as far as
    /// they stay nonnegative, drops the atoms that became zero, and so on until those of least squares are positive.
    #[inline(always)]
    fn drop_negative(&mut self, quadratic: &Quadratic<T>) {
        self.coefficients.resize(self.support.len(), 0.0);
        loop {
            let wanted = self.solve();
            let pairs = || self.coefficients.iter().zip(&wanted);
            let step = pairs().filter(|(_, s)| **s <= 0.0).map(|(h, s)| h / (h - s).max(f64::MIN_POSITIVE));
            let step = step.fold(f64::INFINITY, f64::min);
            if step.is_infinite() {
                self.coefficients = wanted;
                return;
            }
            let moved = pairs().map(|(h, s)| {
                let at_bound = *s <= 0.0 && h / (h - s).max(f64::MIN_POSITIVE) <= step;
                if at_bound { 0.0 } else { h + step * (s - h) }
            });
            let kept: Vec<(usize, f64)> =
                self.support.iter().copied().zip(moved).filter(|(_, h)| *h > 0.0).collect();
            self.restart();
            self.coefficients.clear();
            for (k, h) in kept {
                if self.push(k, quadratic) {
                    self.coefficients.push(h);
                }
            }
        }
    }

    /// Solves for the coefficients, with one step of iterative refinement; returns `hᵀGh − 2cᵀh`.
    #[inline(always)]
    fn finish(&mut self, quadratic: &Quadratic<T>) -> f64 {
        let mut h = self.solve();
        let off = |h: &[f64]| -> Vec<f64> {
            self.support
                .iter()
                .map(|&k| {
                    let g = quadratic.gram.col(k);
                    let fit: f64 = self.support.iter().zip(h).map(|(&l, h)| g[l].to_f64() * h).sum();
                    self.start[k].to_f64() - fit
                })
                .collect()
        };
        let mut correction = off(&h);
        for m in 0..correction.len() {
            let row = self.row(m);
            let known: f64 = row.iter().zip(&correction[..m]).map(|(l, z)| l * z).sum();
            correction[m] = (correction[m] - known) / row[m];
        }
        self.backward(&mut correction);
        h.iter_mut().zip(correction).for_each(|(h, c)| *h += c);
        let left = off(&h);
        let cost = |((&k, h), left): ((&usize, &f64), &f64)| -h * (self.start[k].to_f64() + left);
        let cost = self.support.iter().zip(&h).zip(&left).map(cost).sum();
        self.coefficients = h;
        cost
    }
}

/// `‖x‖²` of columns, into `norms`.
pub(super) fn squares<T: Scalar>(columns: impl Iterator<Item = impl Iterator<Item = T>>, norms: &mut Vec<f64>) {
    norms.clear();
    norms.extend(columns.map(|x| x.map(|x| x.to_f64() * x.to_f64()).sum::<f64>()));
}
