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
            if value.to_f64().is_nan() || value <= floor {
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
        if outside.is_nan() || outside <= DEPENDENT * T::EPSILON {
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
pub(super) fn squares<T: Scalar>(
    columns: impl Iterator<Item = impl Iterator<Item = T>>,
    norms: &mut Vec<f64>,
) {
    norms.clear();
    norms.extend(columns.map(|x| x.map(|x| x.to_f64() * x.to_f64()).sum::<f64>()));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::factor::code::{CodeSet, Coder, Penalty};
    use crate::factor::minibatch::{Mask, Minibatch, SparseRef};
    use crate::linalg::Mat;
    use crate::rng::{Purpose, normal, stream};
    use proptest::prelude::*;

    fn random(rows: usize, cols: usize, seed: u64) -> Mat<f64> {
        let mut rng = stream(seed, Purpose::Synthetic, 99);
        Mat::from_fn(rows, cols, |_, _| normal(&mut rng))
    }

    fn code<T: Scalar>(w: &Mat<T>, x: Minibatch<'_, T>, pursuit: Pursuit) -> (Mat<T>, Vec<f64>) {
        let mut coder = Coder::new(Penalty { lambda: 3.0, kappa2: 2.0 }, CodeSet::Pursuit(pursuit));
        coder.set_dictionary(w);
        let (mut h, mut costs) = (Mat::zeros(0, 0), Vec::new());
        coder.code(x, w, &mut h, false, &mut costs).unwrap();
        (h, costs)
    }

    fn left(w: &Mat<f64>, x: &[f64], h: &[f64]) -> Vec<f64> {
        (0..w.rows()).map(|i| x[i] - (0..w.cols()).map(|k| w.get(i, k) * h[k]).sum::<f64>()).collect()
    }

    fn square(x: &[f64]) -> f64 {
        x.iter().map(|x| x * x).sum()
    }

    /// Least squares on a support by normal equations, with elimination.
    fn fit(w: &Mat<f64>, x: &[f64], support: &[usize]) -> Vec<f64> {
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let n = support.len();
        let mut rows: Vec<Vec<f64>> = support
            .iter()
            .map(|&k| {
                let gram = support.iter().map(|&l| dot(w.col(k), w.col(l)));
                gram.chain([dot(w.col(k), x)]).collect()
            })
            .collect();
        for i in 0..n {
            for j in i + 1..n {
                let factor = rows[j][i] / rows[i][i];
                (i..=n).for_each(|c| rows[j][c] -= factor * rows[i][c]);
            }
        }
        let mut h = vec![0.0; n];
        for i in (0..n).rev() {
            let known: f64 = (i + 1..n).map(|c| rows[i][c] * h[c]).sum();
            h[i] = (rows[i][n] - known) / rows[i][i];
        }
        h
    }

    /// The textbook, from the residual itself: supports and coefficients.
    fn textbook(w: &Mat<f64>, x: &[f64], most: usize, tol: f64) -> Vec<f64> {
        let norm: Vec<f64> = (0..w.cols()).map(|k| square(w.col(k)).sqrt()).collect();
        let (mut support, mut h) = (Vec::new(), vec![0.0; w.cols()]);
        while support.len() < most && square(&left(w, x, &h)) > tol {
            let rest = left(w, x, &h);
            let goodness =
                |k: usize| w.col(k).iter().zip(&rest).map(|(a, b)| a * b).sum::<f64>().abs() / norm[k];
            let best = (0..w.cols()).filter(|k| norm[*k] > 0.0 && !support.contains(k));
            let Some(best) = best.max_by(|&a, &b| goodness(a).total_cmp(&goodness(b))) else { break };
            if goodness(best) < 1e-9 {
                break;
            }
            support.push(best);
            h.fill(0.0);
            support.iter().zip(fit(w, x, &support)).for_each(|(&k, c)| h[k] = c);
        }
        h
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(80))]

        /// Of two features at least: in one, all atoms are as good.
        #[test]
        fn codes_are_those_of_the_textbook(
            d in 2usize..20, r in 1usize..40, n in 1usize..6, atoms in prop::option::of(1usize..12), share in prop::option::of(0.0..1.0f64), seed in 0u64..1000,
        ) {
            prop_assume!(atoms.is_some() || share.is_some());
            let (w, x) = (random(d, r, seed), random(d, n, seed + 1000));
            let tol = share.map(|share| share * d as f64);
            let (h, costs) = code(&w, (&x).into(), Pursuit { atoms, tol, nonnegative: false });
            for j in 0..n {
                let most = atoms.unwrap_or(r).min(d);
                let expected = textbook(&w, x.col(j), most, tol.unwrap_or(-1.0));
                let size = expected.iter().fold(1.0, |a: f64, h| a.max(h.abs()));
                for k in 0..r {
                    prop_assert!((h.get(k, j) - expected[k]).abs() < 1e-6 * size, "{} {}", h.get(k, j), expected[k]);
                }
                let loss = square(&left(&w, x.col(j), h.col(j)));
                prop_assert!((square(x.col(j)) + costs[j] - loss).abs() < 1e-8 * (1.0 + square(x.col(j))));
            }
        }

        /// Lawson and Hanson's conditions on the support, and no more atoms than are allowed.
        #[test]
        fn nonnegative_codes_are_least_squares_on_their_support(
            d in 1usize..15, r in 1usize..25, atoms in 1usize..10, seed in 0u64..1000,
        ) {
            let (w, x) = (random(d, r, seed), random(d, 1, seed + 1000));
            let (h, _) = code(&w, (&x).into(), Pursuit { atoms: Some(atoms), tol: None, nonnegative: true });
            let rest = left(&w, x.col(0), h.col(0));
            let support: Vec<usize> = (0..r).filter(|&k| h.get(k, 0) != 0.0).collect();
            prop_assert!(support.len() <= atoms && h.col(0).iter().all(|h| *h >= 0.0));
            let slope = |k: usize| w.col(k).iter().zip(&rest).map(|(a, b)| a * b).sum::<f64>();
            for &k in &support {
                prop_assert!(slope(k).abs() < 1e-6 * (1.0 + square(x.col(0))), "{}", slope(k));
            }
            // It stopped because of the number, or because no atom helps.
            let helped = (0..r).map(slope).fold(0.0, f64::max);
            prop_assert!(support.len() == atoms.min(d).min(r) || helped < 1e-6 * (1.0 + square(x.col(0))), "{helped}");
        }
    }

    #[test]
    fn with_orthogonal_atoms_no_choice_of_as_many_is_better() {
        // Rotations of the axes, and every support of three of six.
        let w = Mat::<f64>::from_fn(6, 6, |i, k| {
            let turn = std::f64::consts::PI / 12.0 * (2 * i + 1) as f64 * k as f64;
            turn.cos() * if k == 0 { (1.0f64 / 6.0).sqrt() } else { (1.0f64 / 3.0).sqrt() }
        });
        let x = random(6, 20, 5);
        let (h, _) = code(&w, (&x).into(), Pursuit { atoms: Some(3), tol: None, nonnegative: false });
        for j in 0..20 {
            let mut best = f64::INFINITY;
            for set in 0..1_u32 << 6 {
                let support: Vec<usize> = (0..6).filter(|k| set >> k & 1 == 1).collect();
                if support.len() == 3 {
                    let mut code = [0.0; 6];
                    support.iter().zip(fit(&w, x.col(j), &support)).for_each(|(&k, h)| code[k] = h);
                    best = best.min(square(&left(&w, x.col(j), &code)));
                }
            }
            let found = square(&left(&w, x.col(j), h.col(j)));
            assert!((found - best).abs() < 1e-12, "{found} and {best}");
        }
    }

    #[test]
    fn planted_codes_are_found_again() {
        let (w, mut planted) = (random(60, 100, 1), Mat::<f64>::zeros(100, 30));
        for j in 0..30 {
            for (at, size) in [(7 * j % 100, 2.0), ((13 * j + 5) % 100, -3.0), ((31 * j + 50) % 100, 1.5)] {
                planted.col_mut(j)[at] = size;
            }
        }
        let x = Mat::from_fn(60, 30, |i, j| (0..100).map(|k| w.get(i, k) * planted.get(k, j)).sum());
        for pursuit in [(Some(3), None), (None, Some(1e-12))] {
            let (h, _) =
                code(&w, (&x).into(), Pursuit { atoms: pursuit.0, tol: pursuit.1, nonnegative: false });
            for (h, planted) in h.padded().iter().zip(planted.padded()) {
                assert!((h - planted).abs() < 1e-9, "{h} and {planted}");
            }
        }
    }

    #[test]
    fn zero_atoms_equal_atoms_and_zero_columns_do_no_harm() {
        let mut w = random(4, 9, 3);
        w.col_mut(2).fill(0.0);
        let first = w.col(0).to_vec();
        w.col_mut(5).copy_from_slice(&first);
        // An atom in the span of two others.
        let sum: Vec<f64> = w.col(0).iter().zip(w.col(1)).map(|(a, b)| a - 2.0 * b).collect();
        w.col_mut(6).copy_from_slice(&sum);
        let mut x = random(4, 3, 4);
        x.col_mut(1).fill(0.0);
        for nonnegative in [false, true] {
            let (h, costs) = code(&w, (&x).into(), Pursuit { atoms: Some(9), tol: None, nonnegative });
            assert!(h.padded().iter().all(|h| h.is_finite()) && costs.iter().all(|c| c.is_finite()));
            assert!(h.col(1).iter().all(|h| *h == 0.0) && (0..3).all(|j| h.get(2, j) == 0.0));
            for j in [0, 2] {
                let used = h.col(j).iter().filter(|h| **h != 0.0).count();
                let rest = square(&left(&w, x.col(j), h.col(j)));
                assert!(
                    used <= 4 && (nonnegative || rest < 1e-18 * square(x.col(j))),
                    "{used} atoms, {rest}"
                );
            }
        }
        // Nothing but zero atoms, and one feature.
        let (h, _) =
            code(&Mat::<f64>::zeros(4, 3), (&x).into(), Pursuit { atoms: Some(2), ..Pursuit::default() });
        assert!(h.padded().iter().all(|h| *h == 0.0));
    }

    #[test]
    fn tiny_and_huge_columns_have_the_codes_of_others() {
        let (w, x) = (random(10, 20, 1), random(10, 8, 2));
        let plain = code(&w, (&x).into(), Pursuit { atoms: Some(4), ..Pursuit::default() }).0;
        for exponent in [-60, 60] {
            let scale = 2.0f64.powi(exponent);
            let scaled = Mat::from_fn(10, 8, |i, j| x.get(i, j) * scale);
            let h = code(&w, (&scaled).into(), Pursuit { atoms: Some(4), ..Pursuit::default() }).0;
            assert!(h.padded().iter().zip(plain.padded()).all(|(a, b)| *a == b * scale));
            let (w, scaled) = (w.cast::<f32>(), scaled.cast::<f32>());
            let h = code(&w, (&scaled).into(), Pursuit { atoms: Some(4), ..Pursuit::default() }).0;
            for (k, j) in (0..20).flat_map(|k| (0..8).map(move |j| (k, j))) {
                let (a, b) = (f64::from(h.get(k, j)) / scale, plain.get(k, j));
                assert!((a - b).abs() < 1e-4 * (1.0 + b.abs()), "{a} and {b}");
            }
        }
        // Atoms of any norm: the code is that of the unit atom, divided by it.
        let stretched = Mat::from_fn(10, 20, |i, k| w.get(i, k) * 2.0f64.powi(k as i32 - 10));
        let h = code(&stretched, (&x).into(), Pursuit { atoms: Some(4), ..Pursuit::default() }).0;
        for j in 0..8 {
            for k in 0..20 {
                let expected = plain.get(k, j) / 2.0f64.powi(k as i32 - 10);
                assert!((h.get(k, j) - expected).abs() <= 1e-9 * expected.abs());
            }
        }
    }

    #[test]
    fn the_error_is_met_with_no_atom_to_spare_and_zero_asks_for_all() {
        let (w, x) = (random(12, 30, 7), random(12, 40, 8));
        for tol in [0.0, 0.5, 3.0, 100.0] {
            let (h, _) = code(&w, (&x).into(), Pursuit { tol: Some(tol), ..Pursuit::default() });
            for j in 0..40 {
                let rest = square(&left(&w, x.col(j), h.col(j)));
                assert!(rest <= tol + 1e-9, "{rest} over {tol}");
                let used = h.col(j).iter().filter(|h| **h != 0.0).count();
                if used > 0 {
                    let (before, _) = code(
                        &w,
                        (&x).into(),
                        Pursuit {
                            atoms: Some(used - 1).filter(|n| *n > 0),
                            tol: Some(tol),
                            nonnegative: false,
                        },
                    );
                    assert!(used == 1 || square(&left(&w, x.col(j), before.col(j))) > tol);
                } else {
                    assert!(square(x.col(j)) <= tol);
                }
            }
        }
    }

    #[test]
    fn sparse_and_masked_columns_are_coded_as_dense_ones() {
        let (w, mut x) = (random(9, 14, 1), random(9, 5, 2));
        for j in 0..5 {
            x.col_mut(j)[(2 * j) % 9] = 0.0;
        }
        for pursuit in [
            Pursuit { atoms: Some(3), ..Pursuit::default() },
            Pursuit { tol: Some(2.0), ..Pursuit::default() },
        ] {
            let dense = code(&w, (&x).into(), pursuit).0;
            let (mut starts, mut rows, mut values) = (vec![0], Vec::new(), Vec::new());
            for j in 0..5 {
                for (i, v) in x.col(j).iter().enumerate().filter(|(_, v)| **v != 0.0) {
                    rows.push(i as u32);
                    values.push(*v);
                }
                starts.push(rows.len());
            }
            let sparse = SparseRef::new(9, &starts, &rows, &values).unwrap();
            let found = code(&w, Minibatch::Sparse(sparse), pursuit).0;
            for (a, b) in found.padded().iter().zip(dense.padded()) {
                assert!((a - b).abs() < 1e-9, "{a} and {b}");
            }
            // A masked column is one of fewer features.
            let mask = Mask::from_fn(9, 5, |i, _| i != 4);
            let masked = Minibatch::Masked { values: x.as_ref(), observed: &mask };
            let found = code(&w, masked, pursuit).0;
            let rest = |m: &Mat<f64>| Mat::from_fn(8, m.cols(), |i, j| m.get(i + usize::from(i >= 4), j));
            let expected = code(&rest(&w), (&rest(&x)).into(), pursuit).0;
            for (a, b) in found.padded().iter().zip(expected.padded()) {
                assert!((a - b).abs() < 1e-8, "{a} and {b}");
            }
        }
    }

    #[test]
    fn the_number_of_threads_changes_no_bit() {
        let (w, x) = (random(16, 40, 1).cast::<f32>(), random(16, 1000, 2).cast::<f32>());
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                code(&w, (&x).into(), Pursuit { atoms: Some(5), tol: Some(1.0), nonnegative: false })
            })
        };
        let (one, three) = (run(1), run(3));
        assert!(one.0 == three.0 && one.1 == three.1);
    }

    #[test]
    fn limits_are_written_and_read() {
        for text in ["omp:3", "omp:tol=0.5", "omp:3,tol=0.5", "nonneg-omp:2", "nonneg-omp:tol=0"] {
            assert_eq!(text.parse::<CodeSet>().unwrap().to_string(), text);
        }
        for text in [
            "omp",
            "omp:",
            "omp:0",
            "omp:-1",
            "omp:1.5",
            "omp:tol=-1",
            "omp:tol=nan",
            "omp:2,3",
            "omp:tol=1,tol=2",
            "free-omp:2",
        ] {
            assert!(text.parse::<CodeSet>().is_err(), "{text}");
        }
        assert!(Pursuit::default().check().is_err());
    }

    #[test]
    fn learning_by_pursuit_lowers_the_loss() {
        use crate::factor::{FactorSettings, Factorizer};
        let (w, mut rng) = (random(16, 12, 1), stream(3, Purpose::Synthetic, 99));
        let mut minibatch = || {
            let codes = Mat::from_fn(12, 200, |k, j| if (k + j) % 6 == 0 { normal(&mut rng) } else { 0.0 });
            Mat::from_fn(16, 200, |i, j| (0..12).map(|k| w.get(i, k) * codes.get(k, j)).sum::<f64>())
        };
        let parameters = FactorSettings {
            code: Some("omp:2".parse().unwrap()),
            dictionary: Some("ball".parse().unwrap()),
            ..FactorSettings::new(12)
        };
        let mut model = Factorizer::from_data(parameters, minibatch().as_ref(), 0).unwrap();
        let test = minibatch();
        let before = model.loss(&test).unwrap();
        for _ in 0..40 {
            let report = model.step(&minibatch()).unwrap();
            assert!(report.density <= 2.0 / 12.0 + 1e-12);
        }
        let after = model.loss(&test).unwrap();
        assert!(after < 0.5 * before, "{before} before, {after} after");
    }
}
