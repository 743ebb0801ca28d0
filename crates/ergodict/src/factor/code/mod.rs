//! Sparse coding: `H = argmin_{H ∈ C'} ‖X − WH‖² + λ‖H‖₁ + (κ₂/2)‖H‖²`, every column to a stated tolerance.
//!
//! | paper | here | where |
//! |---|---|---|
//! | `C'`, set of codes | [`CodeSet`] | eq. (loss_def), Algorithm 2 |
//! | `λ`, `κ₂` | [`Penalty`] | eq. (loss_def), eq. (Ht_modified) |
//! | Algorithm 2, projected gradient | [`CodeSolver::ProjectedGradient`] | `reference.rs` |
//! | — | [`CodeSolver::Fast`]: greedy descent, then Newton on the support | `fast.rs` |
//!
//! Departures from the print. Algorithm 2 steps along `GH − C + λJ`, half the gradient of the objective for `2λ`; we
//! solve the objective as stated, so pass `2λ` to reproduce the printed algorithm. Its step `1/tr(G)` is replaced by
//! `1/L` with a sharper bound. Both solvers stop on the KKT residual and say when a cap was hit.
//!
//! The *KKT residual* of a column is the longest step that exact minimisation along one coordinate would take, in
//! units where atoms have norm one, relative to the column's largest correlation with an atom.

mod active;
mod fast;
mod greedy;
mod least_squares;
mod masked;
mod newton;
mod quadratic;
mod reference;
mod rule;
mod simplex;

use super::minibatch::Minibatch;
use crate::linalg::products::Op;
use crate::linalg::{Isa, Mat, Scalar};
use crate::{Error, Result};
use fast::{Chunk, Effort};
use newton::collect;
use quadratic::Quadratic;
use rayon::prelude::*;
use rule::{Boxed, Free, Nonnegative};
use serde::{Deserialize, Serialize};

/// Columns that are coded together: enough to amortise packing `W`, few enough that the buffers stay in the
/// second-level cache. Fixed, so that results do not depend on the thread count.
const CHUNK: usize = 128;

/// The penalties of the code.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Penalty {
    /// Weight `λ ≥ 0` of `‖H‖₁`.
    pub lambda: f64,
    /// Weight `κ₂ ≥ 0` of `‖H‖²/2`.
    pub kappa2: f64,
}

/// The set `C'` of admissible codes, column by column.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
#[non_exhaustive]
pub enum CodeSet {
    /// `h ≥ 0`.
    #[default]
    Nonnegative,
    /// All real codes. With `λ = κ₂ = 0` and a rank-deficient dictionary the minimum-norm solution is returned.
    Free,
    /// `0 ≤ h ≤ upper`.
    Box {
        /// The upper bound.
        upper: f64,
    },
    /// `h ≥ 0` and `Σ h ≤ bound`.
    Simplex {
        /// The bound on the sum.
        bound: f64,
    },
}

impl std::fmt::Display for CodeSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Nonnegative => write!(f, "nonneg"),
            Self::Free => write!(f, "free"),
            Self::Box { upper } => write!(f, "box:{upper}"),
            Self::Simplex { bound } => write!(f, "simplex:{bound}"),
        }
    }
}

impl std::str::FromStr for CodeSet {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let size = text
            .split_once(':')
            .and_then(|(_, n)| n.parse().ok())
            .filter(|n: &f64| *n > 0.0 && n.is_finite());
        match (text.split(':').next().unwrap_or_default(), size) {
            ("nonneg", None) if text == "nonneg" => Ok(Self::Nonnegative),
            ("free", None) if text == "free" => Ok(Self::Free),
            ("box", Some(upper)) => Ok(Self::Box { upper }),
            ("simplex", Some(bound)) => Ok(Self::Simplex { bound }),
            _ => {
                let expected =
                    "it must be nonneg, free, box:U (0 ≤ h ≤ U) or simplex:S (h ≥ 0, Σh ≤ S), U, S > 0";
                Err(Error::parameter("the code set", format!("\"{text}\""), expected))
            }
        }
    }
}

/// How the code is found.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CodeSolver {
    /// Greedy coordinate descent, then Newton on the support.
    #[default]
    Fast,
    /// The paper's projected gradient: slow, short and readable; the fast solver is tested against it.
    ProjectedGradient,
}

/// Where the codes of a minibatch are not zero.
#[derive(Clone, Default, Debug)]
pub struct Supports {
    /// Room for each column.
    atoms: usize,
    /// The atoms each column uses, at the front of its room.
    indices: Vec<u32>,
    sizes: Vec<u32>,
}

impl Supports {
    /// The atoms that column `j` uses, rising.
    pub fn col(&self, j: usize) -> &[u32] {
        &self.indices[j * self.atoms..][..self.sizes[j] as usize]
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.sizes.len()
    }

    /// Codes that are not zero, in all columns.
    pub fn total(&self) -> usize {
        self.sizes.iter().map(|&s| s as usize).sum()
    }

    fn shape_to(&mut self, atoms: usize, columns: usize) {
        self.atoms = atoms;
        self.indices.resize(atoms * columns, 0);
        self.sizes.resize(columns, 0);
    }
}

/// What coding a minibatch took.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct CodeReport {
    /// Coordinate steps (fast solver) or gradient steps times columns (reference).
    pub steps: u64,
    /// Columns whose Newton systems were solved, counted once for every solve.
    pub newton_steps: u64,
    /// Columns that met the cap on rounds before the tolerance.
    pub capped: u64,
    /// The largest KKT residual left, relative to the column's largest correlation.
    pub kkt: f64,
}

/// A coder: options and buffers, reused from call to call.
///
/// ```
/// use ergodict::factor::code::{CodeSet, Coder, Penalty};
/// use ergodict::linalg::{Mat, MatRef};
///
/// let w = Mat::from_fn(2, 2, |i, j| f64::from(i == j));
/// let mut coder = Coder::new(Penalty { lambda: 1.0, kappa2: 0.0 }, CodeSet::Nonnegative);
/// coder.set_dictionary(&w);
/// let (mut h, mut costs) = (Mat::zeros(0, 0), Vec::new());
/// coder.code(MatRef::from_column_major(&[3.0, -1.0], 2, 1)?.into(), &w, &mut h, false, &mut costs)?;
/// assert_eq!(h.col(0), [2.5, 0.0]); // soft threshold at λ/2
/// # Ok::<(), ergodict::Error>(())
/// ```
pub struct Coder<T> {
    penalty: Penalty,
    set: CodeSet,
    /// How the code is found.
    pub solver: CodeSolver,
    /// Relative KKT residual to stop at; never less than 64 ε of the number type, nor than 64 ε of a column's `‖h‖₁`
    /// (in units where atoms have norm one) where that is all that rounding allows.
    pub tolerance: f64,
    /// Most rounds of the fast solver, and a thousandth of the most gradient steps of the reference.
    pub max_rounds: u32,
    /// The instruction set of the kernels.
    pub isa: Isa,
    gram: Mat<T>,
    quadratic: Quadratic<T>,
    /// `Wᵀ`, made when sparse or masked columns first need it.
    transposed: Mat<T>,
    transposed_is_current: bool,
    least_squares: Option<Mat<T>>,
    chunks: Vec<Chunk<T>>,
    extra: Vec<Chunk<T>>,
    efforts: Vec<Effort>,
    supports: Supports,
}

impl<T: Scalar> Coder<T> {
    /// A coder with the default solver and tolerance `1e-6`.
    pub fn new(penalty: Penalty, set: CodeSet) -> Self {
        Self {
            penalty,
            set,
            solver: CodeSolver::default(),
            tolerance: 1e-6,
            max_rounds: 100,
            isa: Isa::detect(),
            gram: Mat::zeros(0, 0),
            quadratic: Quadratic::new(),
            transposed: Mat::zeros(0, 0),
            transposed_is_current: false,
            least_squares: None,
            chunks: Vec::new(),
            extra: Vec::new(),
            efforts: Vec::new(),
            supports: Supports::default(),
        }
    }

    /// Prepares for a dictionary: its Gram matrix and what follows from it.
    pub fn set_dictionary(&mut self, w: &Mat<T>) {
        let r = w.cols();
        if (self.gram.rows(), self.gram.cols()) != (r, r) {
            self.gram.reset(r, r);
        }
        T::gram(&mut self.gram, (Op::Plain, w.as_ref()));
        self.quadratic.prepare(&self.gram, self.penalty, self.set);
        self.transposed_is_current = false;
        self.least_squares = None;
    }

    /// `WᵀW` of the dictionary in force.
    pub fn gram(&self) -> &Mat<T> {
        &self.gram
    }

    /// Where the codes of the last call are not zero.
    pub fn supports(&self) -> &Supports {
        &self.supports
    }

    /// Codes the columns of `x` under `w`, the dictionary last given to [`Coder::set_dictionary`]. With `warm`, `h`
    /// holds a start of the right shape; otherwise it is resized. `costs[j]` becomes the objective of column `j`
    /// minus `‖x_j‖²` (over the observed entries, where there is a mask).
    ///
    /// # Errors
    /// [`Error::Shape`] when `x` and `w` differ in their rows, or a mask or a warm start has another shape.
    pub fn code(
        &mut self,
        x: Minibatch<'_, T>,
        w: &Mat<T>,
        h: &mut Mat<T>,
        warm: bool,
        costs: &mut Vec<f64>,
    ) -> Result<CodeReport> {
        let (d, n, r) = (x.rows(), x.cols(), w.cols());
        if d != w.rows() || self.gram.cols() != r {
            return Err(Error::shape("the minibatch", format!("{d}×{n}"), format!("{} rows", w.rows())));
        }
        if let Minibatch::Masked { observed, .. } = x
            && observed.shape() != (d, n)
        {
            let found = format!("{}×{}", observed.shape().0, observed.shape().1);
            return Err(Error::shape("the mask", found, format!("{d}×{n}")));
        }
        if warm && (h.rows(), h.cols()) != (r, n) {
            let found = format!("{}×{}", h.rows(), h.cols());
            return Err(Error::shape("the warm start", found, format!("{r}×{n}")));
        }
        if !warm && self.solver == CodeSolver::ProjectedGradient {
            h.reset(r, n);
        }
        h.shape_to(r, n);
        costs.clear();
        costs.resize(n, 0.0);
        self.supports.shape_to(r, n);
        if n == 0 {
            return Ok(CodeReport::default());
        }
        if !matches!(x, Minibatch::Dense(_)) && !self.transposed_is_current {
            self.transposed.reset(r, d);
            for j in 0..r {
                for i in 0..d {
                    self.transposed.col_mut(i)[j] = w.get(i, j);
                }
            }
            self.transposed_is_current = true;
        }
        if self.needs_least_squares() && self.least_squares.is_none() {
            self.least_squares = Some(least_squares::pseudo_inverse(&self.gram, self.penalty.kappa2));
        }

        let count = n.div_ceil(CHUNK);
        let parallel = rayon::current_num_threads() > 1 && count > 1;
        let buffers = if parallel { count } else { 1 };
        while self.chunks.len() < buffers {
            self.chunks.push(Chunk::new());
            self.extra.push(Chunk::new());
        }
        self.efforts.clear();
        self.efforts.resize(count, Effort::default());
        let job = Job {
            x,
            w,
            gram: &self.gram,
            quadratic: &self.quadratic,
            transposed: &self.transposed,
            least_squares: self.least_squares.as_ref(),
            penalty: self.penalty,
            set: self.set,
            solver: self.solver,
            tolerance: self.tolerance,
            max_rounds: self.max_rounds,
            isa: self.isa,
            warm,
        };
        let stride = h.stride();
        let codes = h.padded_mut();
        let Supports { indices, sizes, .. } = &mut self.supports;
        if parallel {
            (codes.par_chunks_mut(stride * CHUNK), costs.par_chunks_mut(CHUNK), self.efforts.par_iter_mut())
                .into_par_iter()
                .zip(indices.par_chunks_mut(r * CHUNK).zip(sizes.par_chunks_mut(CHUNK)))
                .zip(self.chunks.par_iter_mut().zip(self.extra.par_iter_mut()))
                .enumerate()
                .for_each(|(i, (((codes, costs, effort), (indices, sizes)), (chunk, extra)))| {
                    let mut out = Output { codes, stride, costs, indices, sizes };
                    *effort = job.run(i * CHUNK, chunk, extra, &mut out);
                });
        } else {
            let (chunk, extra) = (&mut self.chunks[0], &mut self.extra[0]);
            let parts = codes.chunks_mut(stride * CHUNK).zip(costs.chunks_mut(CHUNK));
            let parts = parts.zip(indices.chunks_mut(r * CHUNK).zip(sizes.chunks_mut(CHUNK)));
            for (i, ((codes, costs), (indices, sizes))) in parts.enumerate() {
                let mut out = Output { codes, stride, costs, indices, sizes };
                self.efforts[i] = job.run(i * CHUNK, chunk, extra, &mut out);
            }
        }
        let mut total = Effort::default();
        for &effort in &self.efforts {
            total.add(effort);
        }
        Ok(CodeReport {
            steps: total.steps,
            newton_steps: total.newton_steps,
            capped: total.capped,
            kkt: total.residual,
        })
    }

    fn needs_least_squares(&self) -> bool {
        self.set == CodeSet::Free && self.penalty.lambda == 0.0 && self.solver == CodeSolver::Fast
    }
}

/// Where the result of a chunk goes.
struct Output<'a, T> {
    /// Codes, columns `stride` apart.
    codes: &'a mut [T],
    stride: usize,
    costs: &'a mut [f64],
    indices: &'a mut [u32],
    sizes: &'a mut [u32],
}

impl<T: Scalar> Output<'_, T> {
    /// The part of one column.
    fn column(&mut self, j: usize, r: usize) -> Output<'_, T> {
        Output {
            codes: &mut self.codes[j * self.stride..][..self.stride],
            stride: self.stride,
            costs: &mut self.costs[j..=j],
            indices: &mut self.indices[j * r..][..r],
            sizes: &mut self.sizes[j..=j],
        }
    }
}

/// Everything the chunks share.
struct Job<'a, T> {
    x: Minibatch<'a, T>,
    w: &'a Mat<T>,
    gram: &'a Mat<T>,
    quadratic: &'a Quadratic<T>,
    transposed: &'a Mat<T>,
    least_squares: Option<&'a Mat<T>>,
    penalty: Penalty,
    set: CodeSet,
    solver: CodeSolver,
    tolerance: f64,
    max_rounds: u32,
    isa: Isa,
    warm: bool,
}

impl<T: Scalar> Job<'_, T> {
    /// Codes the columns from `first` on, as many as `costs` has room for.
    fn run(
        &self,
        first: usize,
        chunk: &mut Chunk<T>,
        extra: &mut Chunk<T>,
        out: &mut Output<'_, T>,
    ) -> Effort {
        let (n, r) = (out.costs.len(), self.w.cols());
        if let Minibatch::Masked { values, observed } = self.x {
            return self.masked(values, observed, first, chunk, extra, out);
        }
        match self.x {
            Minibatch::Sparse(x) => {
                chunk.correlation.reset(r, n);
                for j in 0..n {
                    let c = chunk.correlation.col_mut(j);
                    let (indices, values) = x.col(first + j);
                    for (&i, &v) in indices.iter().zip(values) {
                        for (c, &w) in c.iter_mut().zip(self.transposed.col(i as usize)) {
                            *c += v * w;
                        }
                    }
                }
            }
            Minibatch::Dense(x) => {
                let x = x.columns(first, first + n);
                chunk.correlation.shape_to(r, n);
                T::product(
                    &mut chunk.correlation,
                    false,
                    (Op::Transposed, self.w.as_ref()),
                    (Op::Plain, x),
                    1.0,
                );
            }
            Minibatch::Masked { .. } => {}
        }
        self.solve_chunk(self.quadratic, self.gram, self.least_squares, chunk, extra, out)
    }

    /// Codes from the correlations that are in `chunk`, for a quadratic that all its columns share.
    fn solve_chunk(
        &self,
        quadratic: &Quadratic<T>,
        gram: &Mat<T>,
        least_squares: Option<&Mat<T>>,
        chunk: &mut Chunk<T>,
        extra: &mut Chunk<T>,
        out: &mut Output<'_, T>,
    ) -> Effort {
        let (n, r) = (out.costs.len(), gram.cols());
        let stride = out.stride;
        if self.solver == CodeSolver::ProjectedGradient || least_squares.is_some() {
            let effort = if let Some(inverse) = least_squares {
                least_squares::solve(gram, self.penalty.kappa2, inverse, chunk, out.codes, stride, out.costs)
            } else {
                let limit = u64::from(self.max_rounds) * 1000;
                let problem = reference::Problem { gram, penalty: self.penalty, set: self.set };
                problem.solve(&chunk.correlation, out.codes, stride, out.costs, self.tolerance, limit)
            };
            for j in 0..n {
                let support = &mut out.indices[j * r..][..r];
                out.sizes[j] = collect(&out.codes[j * stride..][..r], support, |_, h| h != T::ZERO) as u32;
            }
            return effort;
        }
        if self.warm {
            chunk.negated.reset(r, n);
            let scale = quadratic.scale.col(0);
            for j in 0..n {
                let start = &out.codes[j * stride..][..r];
                for (k, m) in chunk.negated.col_mut(j).iter_mut().enumerate() {
                    *m = if scale[k] > T::ZERO { -start[k] / scale[k] } else { T::ZERO };
                }
            }
        }
        let (isa, warm, tol, rounds) = (self.isa, self.warm, self.tolerance, self.max_rounds);
        let effort = match self.set {
            CodeSet::Nonnegative => chunk.solve::<Nonnegative>(isa, quadratic, warm, true, tol, rounds),
            CodeSet::Box { .. } => {
                chunk.clamp_start(quadratic);
                chunk.solve::<Boxed>(isa, quadratic, warm, true, tol, rounds)
            }
            CodeSet::Free => chunk.solve::<Free>(isa, quadratic, warm, false, tol, rounds),
            CodeSet::Simplex { bound } => {
                let mut effort = chunk.solve::<Nonnegative>(isa, quadratic, warm, true, tol, rounds);
                // Tighter, since a step that is short for a small atom may be long for the sum.
                let rest = simplex::enforce(chunk, extra, quadratic, bound, |c| {
                    c.solve::<Nonnegative>(isa, quadratic, true, true, 1e-3 * tol, rounds)
                });
                effort.add(rest);
                chunk.sum_residuals::<Nonnegative>(isa, quadratic);
                effort
            }
        };
        // Back to unscaled codes; the objective at the minimum is ‖x‖² − hᵀ(c + p), plus λ‖h‖₁ where that penalty is
        // not part of c.
        let (scale, threshold) = (quadratic.scale.col(0), quadratic.threshold.col(0));
        for j in 0..n {
            let (c, p, m) = (chunk.correlation.col(j), chunk.residual.col(j), chunk.negated.col(j));
            let support = &mut out.indices[j * r..][..r];
            let size = collect(m, support, |_, m| m != T::ZERO);
            out.sizes[j] = size as u32;
            let code = &mut out.codes[j * stride..][..r];
            code.fill(T::ZERO);
            let mut cost = 0.0;
            for &k in &support[..size] {
                let k = k as usize;
                code[k] = -m[k] * scale[k];
                cost += (m[k] * (c[k] + p[k])).to_f64();
                if self.set == CodeSet::Free {
                    cost += 2.0 * (m[k].abs() * threshold[k]).to_f64();
                }
            }
            out.costs[j] = cost;
        }
        effort
    }
}
