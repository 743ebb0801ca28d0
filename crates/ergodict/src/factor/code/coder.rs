//! The coder: splits a minibatch into chunks of columns, makes their correlations, and hands them to a solver.

use super::fast::{Admissible, Chunk, Effort};
use super::newton::collect;
use super::quadratic::Quadratic;
use super::{CodeReport, CodeSet, CodeSolver, Penalty, Supports, least_squares, omp, reference, simplex};
use crate::factor::minibatch::Minibatch;
use crate::linalg::products::Op;
use crate::linalg::{Isa, Mat, Scalar};
use crate::{Error, Result};
use rayon::prelude::*;

/// Columns that are coded together: enough to amortize packing `W`, few enough that the buffers stay in the
/// second-level cache. Fixed, so that results do not depend on the thread count.
pub const CHUNK: usize = 128;

/// A coder: options and buffers, reused from call to call.
///
/// `H = argmin_{H ∈ C'} ‖X − WH‖² + λ‖H‖₁ + (κ₂/2)‖H‖²`, r×n, for `X` of d×n and `W` of d×r, column by column.
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
    /// The unit of the samples; the penalty and the set are given for samples in units of one.
    unit: f64,
    /// How the code is found.
    pub solver: CodeSolver,
    /// Relative KKT residual to stop at; never less than 8 ε of the number type, nor than 64 ε of a column's `‖h‖₁`
    /// (in units where atoms have norm one) where that is all that rounding allows.
    pub tolerance: f64,
    /// Most rounds of the fast solver, and a thousandth of the most gradient steps of the reference.
    pub max_rounds: u32,
    /// The instruction set of the kernels.
    pub isa: Isa,
    /// Of the dictionary in force.
    shape: (usize, usize),
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
        let pursuit = matches!(set, CodeSet::Pursuit(_));
        Self {
            penalty: if pursuit { Penalty::default() } else { penalty },
            set,
            unit: 1.0,
            solver: CodeSolver::default(),
            tolerance: 1e-6,
            max_rounds: 100,
            isa: Isa::detect(),
            shape: (0, 0),
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
        self.shape = (w.rows(), r);
        self.gram.shape_to(r, r);
        T::gram(&mut self.gram, (Op::Plain, w.as_ref()));
        self.quadratic.prepare(&self.gram, self.penalty(), self.set());
        self.transposed_is_current = false;
        self.least_squares = None;
    }

    /// Codes samples in this unit from now on, and gives codes and costs in it.
    pub(in crate::factor) fn set_unit(&mut self, unit: f64) {
        if unit != self.unit {
            self.unit = unit;
            self.quadratic.prepare(&self.gram, self.penalty(), self.set());
        }
    }

    /// Codes under another penalty from now on.
    pub(in crate::factor) fn set_penalty(&mut self, penalty: Penalty) {
        if penalty != self.penalty {
            self.penalty = penalty;
            self.quadratic.prepare(&self.gram, self.penalty(), self.set());
            self.least_squares = None;
        }
    }

    /// The penalty in the unit of the samples.
    pub(in crate::factor) fn penalty(&self) -> Penalty {
        self.penalty.in_unit(self.unit)
    }

    /// The set in the unit of the samples.
    fn set(&self) -> CodeSet {
        self.set.in_unit(self.unit)
    }

    /// `WᵀW` of the dictionary in force.
    pub(crate) fn gram(&self) -> &Mat<T> {
        &self.gram
    }

    /// Where the codes of the last call are not zero.
    pub(crate) fn supports(&self) -> &Supports {
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
        if self.shape != (w.rows(), r) || r == 0 {
            let (rows, cols) = self.shape;
            let expected = format!("the {rows}×{cols} last given to set_dictionary, with at least one atom");
            return Err(Error::shape("the dictionary", format!("{}×{r}", w.rows()), expected));
        }
        if d != w.rows() {
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
        let buffers = rayon::current_num_threads().min(count);
        // Chunks that one set of buffers works off; which one it is changes nothing.
        let share = count.div_ceil(buffers);
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
            penalty: self.penalty(),
            set: self.set(),
            solver: self.solver,
            tolerance: self.tolerance,
            max_rounds: self.max_rounds,
            isa: self.isa,
            warm,
        };
        let stride = h.stride();
        let codes = h.padded_mut();
        let Supports { indices, sizes, .. } = &mut self.supports;
        let work = |task: usize, codes: &mut [T], costs: &mut [f64], rest: Rest<'_, T>| {
            let Rest { indices, sizes, efforts, chunk, extra } = rest;
            let parts = codes.chunks_mut(stride * CHUNK).zip(costs.chunks_mut(CHUNK));
            let parts = parts.zip(indices.chunks_mut(r * CHUNK).zip(sizes.chunks_mut(CHUNK)));
            for (i, ((codes, costs), (indices, sizes))) in parts.enumerate() {
                let mut out = Output { codes, stride, costs, indices, sizes };
                efforts[i] = job.run((task * share + i) * CHUNK, chunk, extra, &mut out);
            }
        };
        if buffers > 1 {
            let columns = share * CHUNK;
            (codes.par_chunks_mut(stride * columns), costs.par_chunks_mut(columns))
                .into_par_iter()
                .zip(indices.par_chunks_mut(r * columns).zip(sizes.par_chunks_mut(columns)))
                .zip(self.chunks.par_iter_mut().zip(self.extra.par_iter_mut()))
                .zip(self.efforts.par_chunks_mut(share))
                .enumerate()
                .for_each(|(task, ((((codes, costs), (indices, sizes)), (chunk, extra)), efforts))| {
                    work(task, codes, costs, Rest { indices, sizes, efforts, chunk, extra });
                });
        } else {
            let (chunk, extra) = (&mut self.chunks[0], &mut self.extra[0]);
            work(0, codes, costs, Rest { indices, sizes, efforts: &mut self.efforts, chunk, extra });
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

/// What else one worker writes: its part of the supports and of the efforts, and its buffers.
struct Rest<'a, T> {
    indices: &'a mut [u32],
    sizes: &'a mut [u32],
    efforts: &'a mut [Effort],
    chunk: &'a mut Chunk<T>,
    extra: &'a mut Chunk<T>,
}

/// Where the result of a chunk goes.
pub(super) struct Output<'a, T> {
    /// Codes, columns `stride` apart.
    pub(super) codes: &'a mut [T],
    pub(super) stride: usize,
    pub(super) costs: &'a mut [f64],
    pub(super) indices: &'a mut [u32],
    pub(super) sizes: &'a mut [u32],
}

impl<T: Scalar> Output<'_, T> {
    /// The part of one column.
    pub(super) fn column(&mut self, j: usize, r: usize) -> Output<'_, T> {
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
pub(super) struct Job<'a, T> {
    pub(super) x: Minibatch<'a, T>,
    pub(super) w: &'a Mat<T>,
    pub(super) gram: &'a Mat<T>,
    pub(super) quadratic: &'a Quadratic<T>,
    pub(super) transposed: &'a Mat<T>,
    pub(super) least_squares: Option<&'a Mat<T>>,
    pub(super) penalty: Penalty,
    pub(super) set: CodeSet,
    pub(super) solver: CodeSolver,
    pub(super) tolerance: f64,
    pub(super) max_rounds: u32,
    pub(super) isa: Isa,
    pub(super) warm: bool,
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
        if self.bounds_error() {
            let columns = first..first + n;
            match self.x {
                Minibatch::Dense(x) => {
                    omp::squares(columns.map(|j| x.col(j).iter().copied()), &mut chunk.norms);
                }
                Minibatch::Sparse(x) => {
                    omp::squares(columns.map(|j| x.col(j).1.iter().copied()), &mut chunk.norms);
                }
                Minibatch::Masked { .. } => {}
            }
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

    /// Whether columns are coded up to an error, so that their norms are needed.
    pub(super) fn bounds_error(&self) -> bool {
        matches!(self.set, CodeSet::Pursuit(pursuit) if pursuit.tol.is_some())
    }

    /// Codes from the correlations that are in `chunk`, for a quadratic that all its columns share.
    pub(super) fn solve_chunk(
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
        if let CodeSet::Pursuit(pursuit) = &self.set {
            let effort = T::pursue(chunk, self.isa, quadratic, pursuit, self.w.rows(), out.costs);
            let scale = quadratic.scale.col(0);
            for j in 0..n {
                let (m, support) = (chunk.negated.col(j), &mut out.indices[j * r..][..r]);
                let size = collect(m, support, |_, m| m != T::ZERO);
                out.sizes[j] = size as u32;
                let code = &mut out.codes[j * stride..][..r];
                code.fill(T::ZERO);
                support[..size].iter().map(|&k| k as usize).for_each(|k| code[k] = -m[k] * scale[k]);
            }
            return effort;
        }
        if self.solver == CodeSolver::ProjectedGradient || least_squares.is_some() {
            let effort = if let Some(inverse) = least_squares {
                {
                    let (codes, costs, ridge) = (&mut *out.codes, &mut *out.costs, self.penalty.kappa2);
                    least_squares::solve(gram, ridge, inverse, chunk, codes, stride, costs, self.tolerance)
                }
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
            CodeSet::Nonnegative => {
                T::solve(chunk, Admissible::Nonnegative, isa, quadratic, warm, tol, rounds)
            }
            CodeSet::Box { .. } => {
                chunk.clamp_start(quadratic);
                T::solve(chunk, Admissible::Boxed, isa, quadratic, warm, tol, rounds)
            }
            CodeSet::Free | CodeSet::Pursuit(_) => {
                T::solve(chunk, Admissible::Free, isa, quadratic, warm, tol, rounds)
            }
            CodeSet::Simplex { bound } => {
                let set = Admissible::Nonnegative;
                let mut effort = T::solve(chunk, set, isa, quadratic, warm, tol, rounds);
                // Tighter, since a step that is short for a small atom may be long for the sum.
                let rest = simplex::enforce(chunk, extra, quadratic, bound, |c| {
                    T::solve(c, set, isa, quadratic, true, 1e-3 * tol, rounds)
                });
                effort.add(rest);
                T::sum_residuals(chunk, isa, quadratic);
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
