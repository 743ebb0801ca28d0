//! The online factorizer: one step per minibatch, carrying `(W, A, B, r_t, t)`.
//!
//! | paper | here | where |
//! |---|---|---|
//! | `W_t` | [`Factorizer::dictionary`] | Algorithm 1 |
//! | `H_t` | [`Factorizer::code`] | Algorithm 2 |
//! | `A_t = (1−w_t)A_{t−1} + w_t H_t H_tᵀ` | [`Aggregates::a`] | eq. (scheme) |
//! | `B_t` (r×d) | [`Aggregates::b_transposed`], as its transpose | eq. (scheme) |
//! | `r_t` | [`Aggregates::r`] | eq. (f_hat_t_trace); carried, so that `f̂_t` is a true loss |
//! | `f̂_t(W)` | [`Factorizer::surrogate`] | eq. (def_f_hat) |

use super::code::{CodeReport, CodeSet, CodeSolver, Coder, Penalty};
use super::dictionary::{ColumnDescent, Descent, UNUSED, UpdateReport};
use super::ellipsoid::{Accuracy, Quadratic};
use super::minibatch::Minibatch;
use super::schedule::Schedule;
use super::sets::{ConvexSet, DictionarySet};
use super::settings::{FactorSettings, Normalize, UnusedAtoms};
use super::statistics::{Gatherer, Statistics};
use super::unit::{UnitBuffer, binade, vanishes};
use crate::linalg::products::{check_room, in_pool};
use crate::linalg::vectors::{Blend, Distance, Dot};
use crate::linalg::{Isa, Mat, MatRef, Scalar};
use crate::rng::{Purpose, stream, uniform};
use crate::{Error, Result};
use rayon::prelude::*;

/// Entries of `B` from which on threads share its columns.
const MANY: usize = 1 << 18;

/// What the scheme carries from step to step, besides `W`.
///
/// After step t with code `H_t` and weight `w_t`: `A_t = (1 − w_t)A_{t−1} + w_t H_tH_tᵀ` and `B_t = (1 − w_t)B_{t−1} + w_t H_tX_tᵀ`.
///
/// ```
/// use ergodict::factor::{Factorizer, FactorSettings};
/// use ergodict::linalg::Mat;
/// let x = Mat::from_fn(3, 4, |i, j| (1 + i * j) as f64);
/// let mut model = Factorizer::<f64>::random(FactorSettings::new(2), 3, 0)?;
/// model.step(&x)?;
/// let (h, seen) = (model.code().clone(), model.aggregates());
/// let a01: f64 = (0..4).map(|j| h.get(0, j) * h.get(1, j)).sum();
/// assert!((seen.a.get(0, 1) - a01).abs() < 1e-12 && (seen.t, seen.samples) == (1, 4));
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Aggregates {
    /// `A_t`, r×r.
    pub a: Mat<f64>,
    /// `B_tᵀ`, d×r.
    pub b_transposed: Mat<f64>,
    /// `r_t`: the same weighted average of `‖X‖² + λ‖H‖₁ + (κ₂/2)‖H‖²`.
    pub r: f64,
    /// Steps taken.
    pub t: u64,
    /// Columns seen.
    pub samples: u64,
    /// The same weighted average of the minibatches' widths (1 under [`Normalize::PerColumn`]): what to divide a loss by
    /// to have it per sample.
    pub width: f64,
}

impl Aggregates {
    /// A loss of the aggregates' scale, such as the surrogate, per sample; NaN before the first step.
    pub fn per_sample(&self, loss: f64) -> f64 {
        loss / self.width
    }
}

/// What a step did.
///
/// ```
/// use ergodict::factor::{Factorizer, FactorSettings};
/// use ergodict::linalg::Mat;
/// let x = Mat::from_fn(3, 4, |i, j| (1 + i * j) as f64);
/// let mut model = Factorizer::<f64>::random(FactorSettings::new(2), 3, 0)?;
/// let (first, second) = (model.step(&x)?, model.step(&x)?);
/// assert_eq!((second.t, second.weight, second.samples), (2, 0.5, 4));
/// assert!(second.loss_before <= first.loss_before); // the same minibatch, a better dictionary
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct StepReport {
    /// The step's number `t`, from 1.
    pub t: u64,
    /// Its weight `w_t`.
    pub weight: f64,
    /// Columns of the minibatch.
    pub samples: usize,
    /// What they count for: as many as they are, or the sum of the counts that were given. Losses per sample, times this, are sums.
    pub width: f64,
    /// `ℓ(X_t, W_{t−1})` per sample: the loss of the minibatch under the dictionary as it was before.
    pub loss_before: f64,
    /// `‖X_t − W_{t−1}H_t‖²` per sample: that loss without its penalties. NaN of a step from statistics, which do not know it.
    pub squared_error: f64,
    /// `f̂_t(W_t)` per sample.
    pub surrogate: f64,
    /// `‖W_t − W_{t−1}‖_F`; divided by `weight` it stays bounded.
    pub change: f64,
    /// Share of the codes that are not zero.
    pub density: f64,
    /// What coding took.
    pub code: CodeReport,
    /// What the dictionary update took.
    pub update: UpdateReport,
    /// Unused atoms that were replaced.
    pub reseeded: usize,
}

impl StepReport {
    /// Whether coding or the dictionary update stopped at a cap before its tolerance.
    pub fn capped(&self) -> bool {
        self.code.capped > 0 || self.update.capped
    }
}

/// An online matrix factorization in progress.
///
/// Step t takes a minibatch `X_t`, d×n, with the weight `w_t` of the schedule (Algorithm 1):
///
/// ```text
/// H_t = argmin_{H ∈ C'}  ‖X_t − W_{t−1}H‖² + λ‖H‖₁ + (κ₂/2)‖H‖²      r×n
/// A_t = (1 − w_t) A_{t−1} + w_t H_t H_tᵀ                             r×r
/// B_t = (1 − w_t) B_{t−1} + w_t H_t X_tᵀ                             r×d
/// W_t = argmin_{W ∈ C}   tr(W A_t Wᵀ) − 2 tr(W B_t)                  d×r
/// ```
///
/// ```
/// use ergodict::factor::{Factorizer, FactorSettings};
/// use ergodict::linalg::Mat;
/// // Every sample is a multiple of (3, 4).
/// let x = Mat::from_fn(2, 10, |i, j| [0.6, 0.8][i] * (1 + j) as f64);
/// let mut model = Factorizer::<f64>::random(FactorSettings { lambda: 0.1, ..FactorSettings::new(1) }, 2, 0)?;
/// for _ in 0..20 {
///     model.step(&x)?;
/// }
/// let atom = model.dictionary().col(0);
/// assert!((atom[1] / atom[0] - 4.0 / 3.0).abs() < 1e-9);
/// # Ok::<(), ergodict::Error>(())
/// ```
pub struct Factorizer<T: Scalar> {
    parameters: FactorSettings,
    w: Mat<T>,
    aggregates: Aggregates,
    /// Index of the piece of a union that contains `W`.
    piece: usize,
    coder: Coder<T>,
    h: Mat<T>,
    costs: Vec<f64>,
    norms: Vec<f64>,
    gatherer: Gatherer<T>,
    descent: ColumnDescent<T>,
    previous: Mat<T>,
    /// The minibatch in a unit of its own, where it needs one, and with its samples weighted.
    in_unit: UnitBuffer<T>,
    weighted: UnitBuffer<T>,
}

impl<T: Scalar> Factorizer<T> {
    /// Starts from `W_0` with entries uniform in [0, 1], projected onto the set.
    ///
    /// # Errors
    /// As [`FactorSettings::check`].
    pub fn random(parameters: FactorSettings, features: usize, seed: u64) -> Result<Self> {
        parameters.check(features)?;
        let mut rng = stream(seed, Purpose::Init, 0);
        let w = Mat::from_fn(features, parameters.atoms, |_, _| uniform(&mut rng));
        Self::start(parameters, w)
    }

    /// Starts from a given dictionary, projected onto the set.
    ///
    /// # Errors
    /// As [`FactorSettings::check`]; [`Error::Shape`] if it has not `parameters.atoms` columns; [`Error::NotFinite`].
    pub fn from_dictionary(parameters: FactorSettings, w: MatRef<'_, T>) -> Result<Self> {
        parameters.check(w.rows())?;
        if w.cols() != parameters.atoms {
            let found = format!("{}×{}", w.rows(), w.cols());
            return Err(Error::shape(
                "the initial dictionary",
                found,
                format!("{} columns", parameters.atoms),
            ));
        }
        finite(w)?;
        Self::start(parameters, w.to_owned().cast())
    }

    /// Starts from columns of a minibatch, drawn without replacement, scaled to norm one and projected onto the set; once they are all drawn,
    /// from sums of two of them, and from random atoms where all columns are zero.
    ///
    /// # Errors
    /// As [`FactorSettings::check`]; [`Error::NotFinite`].
    pub fn from_data(parameters: FactorSettings, x: MatRef<'_, T>, seed: u64) -> Result<Self> {
        parameters.check(x.rows())?;
        finite(x)?;
        let mut rng = stream(seed, Purpose::Init, 0);
        let norm = |j: usize| x.col(j).iter().map(|x| x.to_f64().powi(2)).sum::<f64>().sqrt();
        let all: Vec<usize> = (0..x.cols()).filter(|&j| norm(j) > 0.0).collect();
        let mut draw = |count: usize| ((uniform(&mut rng) * count as f64) as usize).min(count - 1);
        let mut pool = all.clone();
        let columns: Vec<Vec<usize>> = (0..parameters.atoms)
            .map(|_| match (pool.len(), all.len()) {
                (0, 0) => Vec::new(),
                (0, count) => vec![all[draw(count)], all[draw(count)]],
                (left, _) => vec![pool.swap_remove(draw(left))],
            })
            .collect();
        let mut w = Mat::zeros(x.rows(), parameters.atoms);
        for (k, columns) in columns.iter().enumerate() {
            let atom = w.col_mut(k);
            for &j in columns {
                atom.iter_mut().zip(x.col(j)).for_each(|(w, x)| *w += x.to_f64() / norm(j));
            }
            let size = atom.iter().map(|w| w * w).sum::<f64>().sqrt();
            for w in atom.iter_mut() {
                *w = if size > 0.0 { *w / size } else { uniform(&mut rng) };
            }
        }
        Self::start(parameters, w)
    }

    /// Starts from columns of any minibatch, as [`Factorizer::from_data`] does; missing entries count as zero.
    ///
    /// # Errors
    /// As [`Factorizer::from_data`].
    pub(crate) fn from_minibatch(parameters: FactorSettings, x: Minibatch<'_, T>, seed: u64) -> Result<Self> {
        let filled = match x {
            Minibatch::Dense(x) => return Self::from_data(parameters, x, seed),
            Minibatch::Sparse(x) => {
                let mut filled = Mat::zeros(x.rows(), x.cols());
                for j in 0..x.cols() {
                    let (rows, values) = x.col(j);
                    rows.iter().zip(values).for_each(|(&i, &v)| filled.col_mut(j)[i as usize] = v);
                }
                filled
            }
            Minibatch::Masked { values, observed } => {
                let there = |i, j| if observed.get(i, j) { values.get(i, j) } else { T::ZERO };
                Mat::from_fn(values.rows(), values.cols(), there)
            }
        };
        Self::from_data(parameters, filled.as_ref(), seed)
    }

    fn start(parameters: FactorSettings, mut w: Mat<f64>) -> Result<Self> {
        parameters.dictionary().project(&mut w);
        let aggregates = Aggregates {
            a: Mat::zeros(w.cols(), w.cols()),
            b_transposed: Mat::zeros(w.rows(), w.cols()),
            r: 0.0,
            t: 0,
            samples: 0,
            width: 0.0,
        };
        Self::resume(parameters, w.cast(), aggregates)
    }

    /// Goes on from a saved state: the steps that follow are those that would have followed, bit for bit.
    ///
    /// # Errors
    /// As [`FactorSettings::check`]; [`Error::Shape`] when the parts do not fit together; [`Error::Memory`] where a limit of addresses leaves
    /// products no room.
    pub fn resume(mut parameters: FactorSettings, w: Mat<T>, aggregates: Aggregates) -> Result<Self> {
        check_room()?;
        parameters.decide(false);
        parameters.schedule = parameters.schedule.decided(None);
        let (d, r) = (w.rows(), w.cols());
        parameters.check(d)?;
        let (a, b) = (&aggregates.a, &aggregates.b_transposed);
        if r != parameters.atoms || (a.rows(), a.cols()) != (r, r) || (b.rows(), b.cols()) != (d, r) {
            let found = format!("W {d}×{r}, A {}×{}, Bᵀ {}×{}", a.rows(), a.cols(), b.rows(), b.cols());
            return Err(Error::shape(
                "the saved state",
                found,
                format!("one for {} atoms", parameters.atoms),
            ));
        }
        let mut coder = Coder::new(parameters.penalty(), parameters.code());
        coder.solver = parameters.solver;
        coder.tolerance = parameters.tolerance;
        coder.set_dictionary(&w);
        let piece = match parameters.dictionary() {
            DictionarySet::Convex(_) => 0,
            union @ DictionarySet::Union(_) => union.nearest(&w.cast()).0,
        };
        Ok(Self {
            parameters,
            aggregates,
            piece,
            coder,
            h: Mat::zeros(r, 0),
            costs: Vec::new(),
            norms: Vec::new(),
            gatherer: Gatherer::new(),
            descent: ColumnDescent::new(),
            previous: Mat::zeros(d, r),
            in_unit: UnitBuffer::new(),
            weighted: UnitBuffer::new(),
            w,
        })
    }

    /// The same dictionary with another set of codes, for [`Factorizer::transform`].
    ///
    /// ```
    /// use ergodict::factor::{Factorizer, FactorSettings};
    /// use ergodict::linalg::Mat;
    /// let x = Mat::from_fn(4, 6, |i, j| ((3 * i + 2 * j) % 5) as f64);
    /// let model = Factorizer::<f64>::random(FactorSettings::new(3), 4, 0)?;
    /// let mut sparse = model.with_code("omp:1".parse()?)?;
    /// sparse.transform(&x)?;
    /// assert!((0..6).all(|j| sparse.code().col(j).iter().filter(|h| **h != 0.0).count() <= 1));
    /// # Ok::<(), ergodict::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`FactorSettings::check`].
    pub fn with_code(&self, code: CodeSet) -> Result<Self> {
        // Whatever solver it was learned with: a pursuit has its own.
        let solver = CodeSolver::default();
        let parameters = FactorSettings { code: Some(code), solver, ..self.parameters.clone() };
        Self::resume(parameters, self.w.clone(), self.aggregates.clone())
    }

    /// The parameters.
    pub fn parameters(&self) -> &FactorSettings {
        &self.parameters
    }

    /// `W_t`, d×r.
    pub fn dictionary(&self) -> &Mat<T> {
        &self.w
    }

    /// `H_t` of the last minibatch, r×n.
    pub fn code(&self) -> &Mat<T> {
        &self.h
    }

    /// `A_t`, `B_t`, `r_t` and `t`.
    pub fn aggregates(&self) -> &Aggregates {
        &self.aggregates
    }

    /// The piece of a union of sets that contains `W_t`; 0 for a convex set.
    pub fn piece(&self) -> usize {
        self.piece
    }

    /// The instruction set of the kernels.
    pub fn isa(&self) -> Isa {
        self.coder.isa
    }

    /// One step of the scheme with the scheduled weight.
    ///
    /// # Errors
    /// [`Error::Shape`] for other features than the dictionary's, [`Error::NotFinite`] and [`Error::Overflow`] for
    /// values that cannot be learned from. Nothing has changed then.
    pub fn step<'a>(&mut self, x: impl Into<Minibatch<'a, T>>) -> Result<StepReport> {
        let weight = self.parameters.schedule.weight(self.aggregates.t + 1);
        self.step_weighted(x, weight)
    }

    /// One step with a weight of the caller's; the first step's weight is 1 whatever is given.
    ///
    /// # Errors
    /// As [`Factorizer::step`]; [`Error::Parameter`] for a weight outside `(0, 1]`.
    pub fn step_weighted<'a>(&mut self, x: impl Into<Minibatch<'a, T>>, weight: f64) -> Result<StepReport> {
        self.take_step(x.into(), weight, None)
    }

    /// One step in which sample `j` counts as much as `counts[j]` samples: its part of all sums is multiplied by that.
    ///
    /// ```
    /// use ergodict::factor::{Factorizer, FactorSettings};
    /// use ergodict::linalg::Mat;
    /// let x = Mat::from_fn(3, 2, |i, j| (1 + i * j) as f64);
    /// let twice = Mat::from_fn(3, 3, |i, j| x.get(i, j.min(1)));
    /// let start = || Factorizer::<f64>::random(FactorSettings::new(2), 3, 0);
    /// let (mut one, mut other) = (start()?, start()?);
    /// one.step_counted(&x, &[1.0, 2.0])?;
    /// other.step(&twice)?;
    /// assert!((one.dictionary().get(0, 0) - other.dictionary().get(0, 0)).abs() < 1e-12);
    /// # Ok::<(), ergodict::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Factorizer::step`]; [`Error::Shape`] for another number of counts than samples, [`Error::Parameter`] for counts that are
    /// negative, not finite, or all zero.
    pub fn step_counted<'a>(&mut self, x: impl Into<Minibatch<'a, T>>, counts: &[f64]) -> Result<StepReport> {
        let (x, weight) = (x.into(), self.parameters.schedule.weight(self.aggregates.t + 1));
        if counts.len() != x.cols() {
            let expected = format!("{}, one for each sample", x.cols());
            return Err(Error::shape("the list of sample weights", counts.len().to_string(), expected));
        }
        let wrong = |x: &&f64| !(x.is_finite() && **x >= 0.0);
        if let Some(count) = counts.iter().find(wrong) {
            let expected = "it must be a finite number that is not negative";
            return Err(Error::parameter("the weight of a sample", count, expected));
        }
        if !counts.is_empty() && counts.iter().all(|count| *count == 0.0) {
            let expected = "at least one of a minibatch must be positive";
            return Err(Error::parameter("the weight of every sample", 0, expected));
        }
        self.take_step(x, weight, Some(counts))
    }

    fn take_step(&mut self, x: Minibatch<'_, T>, weight: f64, counts: Option<&[f64]>) -> Result<StepReport> {
        let n = x.cols();
        if n == 0 {
            return Err(Error::parameter(
                "the number of samples in a minibatch",
                0,
                "a step needs at least one",
            ));
        }
        let multiplications = self.w.rows().saturating_mul(self.w.cols()).saturating_mul(n + self.w.cols());
        in_pool(multiplications, || self.take_step_here(x, weight, counts))
    }

    fn take_step_here(
        &mut self,
        x: Minibatch<'_, T>,
        weight: f64,
        counts: Option<&[f64]>,
    ) -> Result<StepReport> {
        let n = x.cols();
        let mut buffer = std::mem::replace(&mut self.in_unit, UnitBuffer::new());
        let outcome = self.in_unit(x, &mut buffer).and_then(|(x, unit)| {
            // Next to others such samples are as good as zero; alone they are not to be taken for learned from.
            if vanishes(unit) && self.aggregates.r == 0.0 {
                return Err(Error::Underflow {
                    what: "the squares of the samples",
                    largest: x.largest()? * unit,
                });
            }
            self.decide_penalty(unit, counts);
            let code = self.encode(x, unit)?;
            let sums = self.gather(x, counts);
            let (width, used) = (sums.width, self.coder.supports().total());
            let report = self.advance(weight, &sums, unit * unit, n as u64, Source::Minibatch(x));
            self.leave_unit(unit);
            let squares = unit * unit / width;
            Ok(StepReport {
                samples: n,
                width,
                loss_before: sums.loss * squares,
                squared_error: (sums.loss - sums.penalty).max(0.0) * squares,
                density: used as f64 / (n * self.w.cols()) as f64,
                code,
                ..report?
            })
        });
        self.in_unit = buffer;
        outcome
    }

    /// Sets the weight of the next step. The schedule becomes the list of the weights so far, so that files record them; later steps
    /// repeat the last weight unless it is set again.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a weight outside `(0, 1]`.
    pub(crate) fn next_weight(&mut self, weight: f64) -> Result<()> {
        let valid = weight > 0.0 && weight <= 1.0;
        if !valid {
            return Err(Error::parameter("the weight of a step", weight, "it must be in (0, 1]"));
        }
        let taken = self.aggregates.t as usize;
        if let Schedule::List { weights } = &mut self.parameters.schedule
            && weights.len() >= taken
        {
            weights.truncate(taken);
            weights.push(weight);
            return Ok(());
        }
        let before = (1..=taken as u64).map(|t| self.parameters.schedule.weight(t));
        self.parameters.schedule = Schedule::List { weights: before.chain([weight]).collect() };
        Ok(())
    }

    /// Codes a minibatch and returns its statistics, leaving `W` and the aggregates as they are: the work of one
    /// thread, process or machine. Merge the results in a fixed order and give them to [`Factorizer::absorb`].
    ///
    /// # Errors
    /// As [`Factorizer::step`]; [`Error::Parameter`] for a penalty that the samples have yet to decide, as parts could decide differently.
    pub fn statistics<'a>(&mut self, x: impl Into<Minibatch<'a, T>>) -> Result<Statistics> {
        Ok(self.statistics_told(x)?.0)
    }

    /// The same, with what coding took and the loss `ℓ(X, W_t)`, a sum over columns.
    ///
    /// # Errors
    /// As [`Factorizer::step`].
    pub(crate) fn statistics_told<'a>(
        &mut self,
        x: impl Into<Minibatch<'a, T>>,
    ) -> Result<(Statistics, CodeReport, f64)> {
        let mut buffer = std::mem::replace(&mut self.in_unit, UnitBuffer::new());
        let outcome = self.in_unit(x.into(), &mut buffer).and_then(|(x, unit)| {
            self.parameters.check_decided()?;
            let report = self.encode(x, unit)?;
            let sums = self.gather(x, None);
            self.leave_unit(unit);
            let squares = unit * unit;
            let (mut a, mut b_transposed): (_, Mat<f64>) = (self.gatherer.a.clone(), self.gatherer.b.cast());
            if unit != 1.0 {
                a.padded_mut().iter_mut().for_each(|a| *a *= squares);
                b_transposed.padded_mut().iter_mut().for_each(|b| *b *= squares);
            }
            let statistics = Statistics { a, b_transposed, r: sums.r * squares, weight: sums.width };
            Ok((statistics, report, sums.loss * squares))
        });
        self.in_unit = buffer;
        outcome
    }

    /// One step from statistics of columns coded with the current `W`, merged from wherever they were made.
    /// `loss_before` of the report is then what the statistics say of `W_{t−1}`.
    ///
    /// # Errors
    /// [`Error::Shape`], [`Error::Overflow`].
    pub fn absorb(&mut self, statistics: &Statistics) -> Result<StepReport> {
        let (d, r) = (self.w.rows(), self.w.cols());
        let (a, b) = (&statistics.a, &statistics.b_transposed);
        if (a.rows(), a.cols()) != (r, r) || (b.rows(), b.cols()) != (d, r) {
            let found = format!("{}×{} and {}×{}", a.rows(), a.cols(), b.rows(), b.cols());
            return Err(Error::shape("the statistics", found, format!("{r}×{r} and {d}×{r}")));
        }
        if b.padded().iter().any(|x| !x.is_finite()) {
            return Err(Error::Overflow { what: "an entry of the statistics", largest: f64::INFINITY });
        }
        let loss = evaluate(self.coder.isa, self.coder.gram(), &self.w, a, b, statistics.r);
        if statistics.weight.is_nan() || statistics.weight < 1.0 {
            let expected = "a step needs at least one";
            return Err(Error::parameter(
                "the number of samples in the statistics",
                statistics.weight,
                expected,
            ));
        }
        let weight = self.parameters.schedule.weight(self.aggregates.t + 1);
        let sums = Sums { r: statistics.r, loss, penalty: f64::NAN, width: statistics.weight };
        let columns = statistics.weight as u64;
        let report = self.advance(weight, &sums, 1.0, columns, Source::Statistics(statistics))?;
        Ok(StepReport {
            samples: columns as usize,
            width: sums.width,
            loss_before: loss / sums.width,
            ..report
        })
    }

    /// `ℓ(X, W_t)`: the loss of a minibatch under the current dictionary, which is not changed. A sum over columns.
    ///
    /// # Errors
    /// As [`Factorizer::step`].
    pub fn loss<'a>(&mut self, x: impl Into<Minibatch<'a, T>>) -> Result<f64> {
        Ok(self.transform(x)?.1)
    }

    /// The losses `ℓ(x_j, W)` of the columns coded last, one by one.
    pub fn losses(&self) -> impl Iterator<Item = f64> + '_ {
        self.norms.iter().zip(&self.costs).map(|(norm, cost)| norm + cost)
    }

    /// Codes a minibatch under the current dictionary, which is not changed; the code is then in
    /// [`Factorizer::code`].
    ///
    /// # Errors
    /// As [`Factorizer::step`].
    pub fn transform<'a>(&mut self, x: impl Into<Minibatch<'a, T>>) -> Result<(CodeReport, f64)> {
        let mut buffer = std::mem::replace(&mut self.in_unit, UnitBuffer::new());
        let outcome = self.in_unit(x.into(), &mut buffer).and_then(|(x, unit)| {
            let report = self.encode(x, unit)?;
            self.leave_unit(unit);
            Ok((report, self.losses().sum()))
        });
        self.in_unit = buffer;
        outcome
    }

    /// The same under another weight of the ℓ₁ norm, which later calls do not know of.
    ///
    /// # Errors
    /// As [`Factorizer::step`]; [`Error::Parameter`] for a weight that is negative or not finite.
    pub fn transform_with<'a>(
        &mut self,
        x: impl Into<Minibatch<'a, T>>,
        lambda: f64,
    ) -> Result<(CodeReport, f64)> {
        if !lambda.is_finite() {
            return Err(Error::parameter("lambda", lambda, "it must be a number that is not negative"));
        }
        if matches!(self.parameters.code(), CodeSet::Pursuit(_)) {
            let expected = "codes by orthogonal matching pursuit have no penalty";
            return Err(Error::parameter("lambda", lambda, expected));
        }
        let other = FactorSettings { lambda, ..self.parameters.clone() };
        other.check(self.w.rows())?;
        self.coder.set_penalty(other.penalty());
        let outcome = self.transform(x);
        self.coder.set_penalty(self.parameters.penalty());
        outcome
    }

    /// `W_t H` of the minibatch coded last, d×n, into `out`. After [`Factorizer::step`] `H` is the code under the
    /// dictionary before the step.
    pub fn reconstruct(&self, out: &mut Mat<T>) {
        let plain = crate::linalg::products::Op::Plain;
        out.reset(self.w.rows(), self.h.cols());
        T::product(out, false, (plain, self.w.as_ref()), (plain, self.h.as_ref()), 1.0);
    }

    /// `f̂_t(W_t) = tr(W A Wᵀ) − 2 tr(W B) + r_t`.
    pub fn surrogate(&self) -> f64 {
        let Aggregates { a, b_transposed, r, .. } = &self.aggregates;
        evaluate(self.coder.isa, self.coder.gram(), &self.w, a, b_transposed, *r)
    }

    fn scale(&self, columns: f64) -> f64 {
        match self.parameters.normalize {
            Normalize::Sum => 1.0,
            Normalize::PerColumn => 1.0 / columns,
        }
    }

    /// The minibatch in a unit in which its squares are within range, and that unit; its squared norms are in `self.norms`.
    fn in_unit<'b>(
        &mut self,
        x: Minibatch<'b, T>,
        buffer: &'b mut UnitBuffer<T>,
    ) -> Result<(Minibatch<'b, T>, f64)> {
        if x.rows() != self.w.rows() {
            let found = format!("{}×{}", x.rows(), x.cols());
            return Err(Error::shape("the minibatch", found, format!("{} features", self.w.rows())));
        }
        if let Minibatch::Masked { values, observed } = x
            && observed.shape() != (values.rows(), values.cols())
        {
            let found = format!("{}×{}", observed.shape().0, observed.shape().1);
            return Err(Error::shape("the mask", found, format!("{}×{}", values.rows(), values.cols())));
        }
        if (x.cols() as u64).saturating_mul(self.w.cols() as u64) > u64::from(u32::MAX) {
            let found = format!("{} samples by {} atoms", x.cols(), self.w.cols());
            return Err(Error::shape("the code of a minibatch", found, "fewer than 2³² numbers"));
        }
        buffer.in_range(x, self.coder.isa, &mut self.norms)
    }

    /// Decides a penalty that was left to the first minibatch, whose squared norms are in `self.norms`, where samples count alike or by these
    /// numbers.
    fn decide_penalty(&mut self, unit: f64, counts: Option<&[f64]>) {
        if self.parameters.lambda != FactorSettings::AUTO {
            return;
        }
        let (mut sum, mut width) = (0.0, 0.0);
        for (j, norm) in self.norms.iter().enumerate().filter(|(_, norm)| **norm > 0.0) {
            let count = counts.map_or(1.0, |counts| counts[j]);
            sum += count * norm.sqrt();
            width += count;
        }
        if width > 0.0 {
            self.decide_lambda(sum / width * unit);
        }
    }

    /// Decides a penalty that was left to the samples, which have this mean norm.
    pub(crate) fn decide_lambda(&mut self, mean_norm: f64) {
        if self.parameters.lambda == FactorSettings::AUTO {
            self.parameters.lambda = self.parameters.lambda_for(mean_norm);
            self.coder.set_penalty(self.parameters.penalty());
        }
    }

    /// Codes into `self.h`, in the unit of the minibatch.
    fn encode(&mut self, x: Minibatch<'_, T>, unit: f64) -> Result<CodeReport> {
        self.coder.set_unit(unit);
        self.coder.code(x, &self.w, &mut self.h, false, &mut self.costs)
    }

    /// Gives codes, norms and costs in the unit of the data.
    fn leave_unit(&mut self, unit: f64) {
        if unit == 1.0 {
            return;
        }
        self.h.padded_mut().iter_mut().for_each(|h| *h = T::from_f64(h.to_f64() * unit));
        let squares = unit * unit;
        self.norms.iter_mut().chain(&mut self.costs).for_each(|x| *x *= squares);
    }

    /// Sums the products of the minibatch with the code in `self.h`, where samples count alike or by these numbers.
    fn gather(&mut self, x: Minibatch<'_, T>, counts: Option<&[f64]>) -> Sums {
        let Self { gatherer, coder, h, w, norms, costs, weighted, .. } = self;
        let penalty = coder.penalty();
        let Some(counts) = counts else {
            let (penalty, replaced) = gatherer.gather(coder.isa, x, h, coder.supports(), w, penalty);
            let norms = norms.iter().sum::<f64>();
            let loss = norms + costs.iter().sum::<f64>();
            return Sums { r: norms + penalty + replaced, loss, penalty, width: x.cols() as f64 };
        };
        // Samples and codes times the root of a count: products of both have the count.
        let roots: Vec<f64> = counts.iter().map(|count| count.sqrt()).collect();
        let x = weighted.scaled(x, &roots);
        let mut absolute = 0.0;
        let h = Mat::from_fn(h.rows(), h.cols(), |k, j| {
            absolute += counts[j] * h.get(k, j).to_f64().abs();
            T::from_f64(h.get(k, j).to_f64() * roots[j])
        });
        let squares = Penalty { lambda: 0.0, ..penalty };
        let (ridge, replaced) = gatherer.gather(coder.isa, x, &h, coder.supports(), w, squares);
        let penalty = ridge + penalty.lambda * absolute;
        let sum = |values: &[f64]| values.iter().zip(counts).map(|(x, count)| x * count).sum::<f64>();
        let norms = sum(norms);
        Sums { r: norms + penalty + replaced, loss: norms + sum(costs), penalty, width: counts.iter().sum() }
    }

    /// Blends new sums, in units of `squares`, into the aggregates and updates `W`.
    fn advance(
        &mut self,
        weight: f64,
        sums: &Sums,
        squares: f64,
        columns: u64,
        source: Source<'_, T>,
    ) -> Result<StepReport> {
        let first = self.aggregates.t == 0;
        let valid = weight > 0.0 && weight <= 1.0;
        if !first && !valid {
            return Err(Error::parameter("the weight of a step", weight, "it must be in (0, 1]"));
        }
        let weight = if first { 1.0 } else { weight };
        let (a, gathered) = match source {
            Source::Minibatch(_) => (&self.gatherer.a, true),
            Source::Statistics(statistics) => (&statistics.a, false),
        };
        let trace: f64 = (0..a.cols()).map(|k| a.get(k, k)).sum();
        // The entries of B are below √(r·tr A); where they were summed in the precision of the data, they must fit it.
        let fits =
            |x: f64| (4.0 * x * squares).is_finite() && (!gathered || T::from_f64(4.0 * x).is_finite());
        if !(fits(sums.r) && fits(trace)) {
            let largest = self.h.padded().iter().fold(0.0f64, |a, h| a.max(h.to_f64().abs()));
            return Err(Error::Overflow { what: "the sum of squares of a minibatch or its code", largest });
        }
        let scale = self.scale(sums.width);
        let isa = self.coder.isa;
        let fresh = weight * scale * squares;
        let keep = 1.0 - weight;
        let totals = &mut self.aggregates;
        isa.run(Blend { into: totals.a.padded_mut(), keep, from: a.padded(), fresh });
        let stride = totals.b_transposed.stride();
        let gathered = &self.gatherer.b;
        let blend = |(j, into): (usize, &mut [f64])| match source {
            Source::Minibatch(_) => isa.run(Blend { into, keep, from: gathered.col(j), fresh }),
            Source::Statistics(statistics) => {
                isa.run(Blend { into, keep, from: statistics.b_transposed.col(j), fresh });
            }
        };
        let into = totals.b_transposed.padded_mut();
        if into.len() >= MANY && rayon::current_num_threads() > 1 {
            into.par_chunks_mut(stride).enumerate().for_each(blend);
        } else {
            into.chunks_mut(stride).enumerate().for_each(blend);
        }
        totals.r = keep * totals.r + fresh * sums.r;
        totals.width = keep * totals.width + weight * scale * sums.width;
        totals.t += 1;
        totals.samples += columns;

        self.previous.padded_mut().copy_from_slice(self.w.padded());
        let update = self.update(sums.width);
        let reseeded = match (self.parameters.unused, source) {
            (UnusedAtoms::Reseed, Source::Minibatch(x)) if update.unused > 0 => self.reseed(x),
            _ => 0,
        };
        let change = isa.run(Distance(self.w.padded(), self.previous.padded()));
        self.coder.set_dictionary(&self.w);
        Ok(StepReport {
            t: self.aggregates.t,
            weight,
            samples: 0,
            width: 0.0,
            loss_before: f64::NAN,
            squared_error: f64::NAN,
            surrogate: self.aggregates.per_sample(self.surrogate()),
            change,
            density: f64::NAN,
            code: CodeReport::default(),
            update,
            reseeded,
        })
    }

    /// `W_t = argmin over C`, under the ellipsoid where C is a union, after a minibatch of this many samples.
    fn update(&mut self, samples: f64) -> UpdateReport {
        let p = &self.parameters;
        let Aggregates { a, b_transposed, .. } = &self.aggregates;
        if let DictionarySet::Convex(ConvexSet::Columns(set)) = p.dictionary() {
            let goal = Descent {
                a,
                b_transposed,
                kappa1: p.kappa1,
                tolerance: p.dictionary_tolerance,
                max_sweeps: p.sweeps(samples),
            };
            return self.descent.minimize(self.coder.isa, &mut self.w, &self.previous, set, &goal);
        }
        let (mut a, mut b_transposed) = (a.clone(), b_transposed.clone());
        for k in 0..a.cols() {
            a.col_mut(k)[k] += p.kappa1;
        }
        // The minimizer is the same in any unit; in this one tolerances are far from the ends of the range.
        let size = binade((0..a.cols()).map(|k| a.get(k, k)).fold(0.0, f64::max));
        if size > 0.0 {
            a.padded_mut().iter_mut().chain(b_transposed.padded_mut()).for_each(|x| *x *= 1.0 / size);
        }
        let quadratic = Quadratic { a: &a, b_transposed: &b_transposed };
        let accuracy = Accuracy {
            tolerance: p.dictionary_tolerance,
            // Gradient steps are many and cheap where sweeps are few and dear.
            max_steps: p.sweeps(f64::INFINITY).saturating_mul(200),
        };
        let previous: Mat<f64> = self.w.cast();
        let (w, report) = match p.dictionary() {
            DictionarySet::Convex(set) => quadratic.minimize(set, &previous, accuracy),
            union @ DictionarySet::Union(_) => {
                let (w, piece, report) =
                    quadratic.minimize_over_union(union, &previous, self.piece, accuracy);
                self.piece = piece;
                (w, report)
            }
        };
        self.w = w.cast();
        let unused = super::diagnostics::unused(&self.aggregates.a).len();
        UpdateReport { unused, ..report }
    }

    /// Replaces unused atoms by the worst-reconstructed columns of the minibatch; returns how many.
    fn reseed(&mut self, x: Minibatch<'_, T>) -> usize {
        let DictionarySet::Convex(ConvexSet::Columns(set)) = self.parameters.dictionary() else {
            return 0;
        };
        let a = &mut self.aggregates.a;
        let largest = (0..a.cols()).map(|k| a.get(k, k)).fold(0.0, f64::max);
        let unused = (0..a.cols()).filter(|&k| a.get(k, k) <= UNUSED * largest).collect::<Vec<_>>();
        let mut worst: Vec<usize> = (0..x.cols()).filter(|&j| self.norms[j] > 0.0).collect();
        let loss = |j: usize| self.norms[j] + self.costs[j];
        worst.sort_by(|&i, &j| loss(j).total_cmp(&loss(i)).then(i.cmp(&j)));
        let mut count = 0;
        for (&k, &j) in unused.iter().zip(&worst) {
            let inverse = 1.0 / self.norms[j].sqrt();
            let atom = self.w.col_mut(k);
            atom.fill(T::ZERO);
            match x {
                Minibatch::Dense(x) => atom.copy_from_slice(x.col(j)),
                Minibatch::Sparse(x) => {
                    let (rows, values) = x.col(j);
                    rows.iter().zip(values).for_each(|(&i, &v)| atom[i as usize] = v);
                }
                Minibatch::Masked { values, observed } => {
                    let seen = (0..atom.len()).filter(|&i| observed.get(i, j));
                    seen.for_each(|i| atom[i] = values.get(i, j));
                }
            }
            for x in atom.iter_mut() {
                *x = T::from_f64(x.to_f64() * inverse);
            }
            set.project(atom);
            a.col_mut(k).fill(0.0);
            (0..a.cols()).for_each(|l| a.col_mut(l)[k] = 0.0);
            self.aggregates.b_transposed.col_mut(k).fill(0.0);
            count += 1;
        }
        count
    }
}

/// Sums over the samples of a step.
struct Sums {
    /// `‖X‖²` and the penalties, for `r_t`.
    r: f64,
    /// `ℓ(X, W)`, and the penalties in it.
    loss: f64,
    penalty: f64,
    /// How many samples they count as.
    width: f64,
}

/// Where the sums of a step come from.
#[derive(Clone, Copy)]
enum Source<'a, T> {
    /// From the minibatch just coded; they are with the gatherer.
    Minibatch(Minibatch<'a, T>),
    /// From elsewhere.
    Statistics(&'a Statistics),
}

fn finite<T: Scalar>(x: MatRef<'_, T>) -> Result<()> {
    for j in 0..x.cols() {
        if let Some((i, value)) = x.col(j).iter().enumerate().find(|(_, x)| !x.is_finite()) {
            return Err(Error::NotFinite { sample: j as u64, feature: i as u64, value: value.to_f64() });
        }
    }
    Ok(())
}

/// `⟨G, A⟩ − 2⟨W, Bᵀ⟩ + r` with `G = WᵀW`.
fn evaluate<T: Scalar>(
    isa: Isa,
    gram: &Mat<T>,
    w: &Mat<T>,
    a: &Mat<f64>,
    b_transposed: &Mat<f64>,
    r: f64,
) -> f64 {
    let (mut quadratic, mut linear) = (0.0, 0.0);
    for k in 0..w.cols() {
        quadratic += isa.run(Dot(gram.col(k), a.col(k)));
        linear += isa.run(Dot(w.col(k), b_transposed.col(k)));
    }
    quadratic - 2.0 * linear + r
}

#[cfg(test)]
mod tests;
