//! Ridge logistic regression with weights of samples and products of features: the head of the denoising methods.
//!
//! | symbol | here | what |
//! |---|---|---|
//! | `x_i` | column `i` of the features | one pair, as given |
//! | `z_i` | standardized | `(x − mean)/sd` of the training pairs by their weights, as if both classes weighed the same, clipped to ± `FitOptions::clip` |
//! | `φ(z)` | terms | `z` itself, then `z_a z_b` for `a ≤ b` among the first `FitOptions::quadratic` features |
//! | `β`, `β₀` | coefficients, intercept | of the terms |
//! | `C Σ w_i ℓ_i + ½‖β‖²` | the objective | scikit-learn's convention: the intercept is free, and weights are not rescaled |
//!
//! Newton's method with halved steps where a full one does not descend. A Hessian costs as much as hundreds of gradients: it is that of every eighth pair where there are many, and is used again
//! as long as steps with it make the gradient small, which is always that of all pairs. Sums are taken over stretches of pairs cut by number alone and are added in order, so that the
//! result is the same at any number of threads.

use super::roc;
use crate::linalg::products::{Op, Products};
use crate::linalg::{Mat, MatRef};
use crate::{Error, Result};
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use serde::{Deserialize, Serialize};

/// Pairs whose terms are held at a time.
const BLOCK: usize = 256;
/// Most stretches that are summed apart.
const STRETCHES: usize = 32;
/// Pairs of which the first solution and Hessians use one.
const COARSE: usize = 8;
/// Hessians of fewer pairs than this are those of all of them.
const FEW: usize = 20_000;
/// A Hessian is used again while each step leaves at most this share of the gradient.
const ENOUGH: f64 = 0.25;
/// Pairs that importances are measured on, at most.
const MEASURED: usize = 20_000;

/// How a [`Head`] is fitted.
///
/// The objective is `C Σ w_i ℓ_i + ½‖β‖²`, with a free intercept.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct FitOptions {
    /// This number of first features get squares and products; the rest stay linear.
    pub quadratic: usize,
    /// `C`: how much the data weigh against the ridge.
    pub c: f64,
    /// Standardized features are clipped to plus or minus this.
    pub clip: f64,
    /// The fit ends when no entry of the gradient, divided by `C Σ w`, is larger.
    pub tolerance: f64,
    /// Most Newton steps.
    pub iterations: usize,
}

impl Default for FitOptions {
    fn default() -> Self {
        Self { quadratic: 0, c: 1.0, clip: 6.0, tolerance: 1e-8, iterations: 100 }
    }
}

/// A fitted logistic regression.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Head {
    means: Vec<f64>,
    /// One over the standard deviation; 0 for a constant feature, which then has no say.
    scales: Vec<f64>,
    clip: f64,
    quadratic: usize,
    intercept: f64,
    /// Of the features, then of the products.
    coefficients: Vec<f64>,
    steps: usize,
    converged: bool,
}

/// How much a fitted head needs some features.
///
/// ```
/// use ergodict::denoise::logistic::Importance;
/// let (useful, idle) = (Importance { auc_drop: 0.2, logit_spread: 1.5 }, Importance { auc_drop: 0.0, logit_spread: 0.1 });
/// assert!(useful.auc_drop > idle.auc_drop);
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Importance {
    /// Training AUC (of the evenly spaced pairs that are measured, all of equal weight) minus that with the features at their means.
    /// Features that say the same share what they say: each alone may look dispensable.
    pub auc_drop: f64,
    /// The standard deviation of what the features' terms add to the logit, in the training pairs measured.
    pub logit_spread: f64,
}

impl Head {
    /// Fits labels to features, one column a pair.
    ///
    /// # Errors
    /// [`Error::Shape`] when labels or weights are not one a pair; [`Error::NotFinite`] for a feature that is no number;
    /// [`Error::Parameter`] for options or weights out of range, and when a class has no weight.
    pub(crate) fn fit(
        options: &FitOptions,
        features: MatRef<'_, f64>,
        labels: &[bool],
        weights: &[f64],
    ) -> Result<Self> {
        check(options, features, labels, weights)?;
        let (means, scales) = moments(features, &equal(labels, weights));
        let quadratic = options.quadratic.min(features.rows());
        let terms = features.rows() + quadratic * (quadratic + 1) / 2;
        let problem = Problem { features, labels, weights, every: 1, c: options.c };
        let mut head = Self {
            means,
            scales,
            clip: options.clip,
            quadratic,
            intercept: problem.log_odds(),
            coefficients: vec![0.0; terms],
            steps: 0,
            converged: false,
        };
        if labels.len() >= FEW {
            // Its own answer need not be exact, and as both classes are large it has both.
            head.newton(&problem.coarse(), 1e-4, options.iterations);
        }
        head.newton(&problem, options.tolerance, options.iterations);
        Ok(head)
    }

    /// The same for some of the pairs that this head was fitted on, from where it is and standardized as it is.
    ///
    /// # Errors
    /// As [`Head::fit`].
    pub(crate) fn refit(
        &self,
        options: &FitOptions,
        features: MatRef<'_, f64>,
        labels: &[bool],
        weights: &[f64],
    ) -> Result<Self> {
        check(options, features, labels, weights)?;
        let mut head = Self { steps: 0, ..self.clone() };
        head.newton(
            &Problem { features, labels, weights, every: 1, c: options.c },
            options.tolerance,
            options.iterations,
        );
        Ok(head)
    }

    /// The log odds of each column of `features`: higher is more likely true.
    ///
    /// # Errors
    /// [`Error::Shape`] unless there are as many features as the head was fitted on.
    pub(crate) fn logits(&self, features: MatRef<'_, f64>) -> Result<Vec<f64>> {
        if features.rows() != self.means.len() {
            return Err(Error::shape(
                "the features",
                format!("{} a pair", features.rows()),
                format!("{} a pair, as the head was fitted on,", self.means.len()),
            ));
        }
        Ok(self.logits_with(features, |_| {}))
    }

    /// What each feature of a pair adds to its log odds: the difference to those with the feature at its mean.
    pub(crate) fn contributions(&self, x: &[f64]) -> Vec<f64> {
        let mut z = vec![0.0; self.means.len()];
        self.standardize(x, &mut z);
        let whole = self.logit(&z);
        let one = |j: usize| {
            let kept = std::mem::replace(&mut z[j], 0.0);
            let rest = self.logit(&z);
            z[j] = kept;
            whole - rest
        };
        (0..self.means.len()).map(one).collect()
    }

    /// What the features in `which` (numbers of rows) are worth together, measured on pairs with their labels.
    ///
    /// # Errors
    /// As [`Head::logits`]; [`Error::Parameter`] for a feature that does not exist, and those of [`roc::Ranked::new`].
    pub(crate) fn importance(
        &self,
        features: MatRef<'_, f64>,
        labels: &[bool],
        which: &[usize],
    ) -> Result<Importance> {
        if let Some(none) = which.iter().find(|j| **j >= self.means.len()) {
            return Err(Error::parameter("a feature", none, format!("there are {}", self.means.len())));
        }
        if features.cols() != labels.len() {
            return Err(lengths("the labels", labels.len(), features.cols()));
        }
        let every = labels.len().div_ceil(MEASURED).max(1);
        let chosen: Vec<usize> = (0..labels.len()).step_by(every).collect();
        let sample = Mat::from_fn(features.rows(), chosen.len(), |i, j| features.get(i, chosen[j]));
        let labels: Vec<bool> = chosen.iter().map(|&j| labels[j]).collect();
        let with = self.logits(sample.as_ref())?;
        let without = self.logits_with(sample.as_ref(), |z| which.iter().for_each(|&j| z[j] = 0.0));
        let auc_drop = roc::Ranked::new(&with, &labels)?.auc() - roc::Ranked::new(&without, &labels)?.auc();
        let n = with.len() as f64;
        let added = || with.iter().zip(&without).map(|(with, without)| with - without);
        let mean = added().sum::<f64>() / n;
        let logit_spread = (added().map(|x| (x - mean).powi(2)).sum::<f64>() / n).sqrt();
        Ok(Importance { auc_drop, logit_spread })
    }

    /// The coefficients: of the standardized features, then of the products `z_a z_b`, for `a` from 0 and `b` from `a`.
    #[cfg(test)]
    pub(crate) fn coefficients(&self) -> &[f64] {
        &self.coefficients
    }

    /// Newton steps that were taken, and whether the gradient came under the tolerance. Where it did not, rounding was
    /// in the way, or the most steps were taken.
    #[cfg(test)]
    pub(crate) fn converged(&self) -> (usize, bool) {
        (self.steps, self.converged)
    }

    fn logits_with(&self, features: MatRef<'_, f64>, change: impl Fn(&mut [f64]) + Sync) -> Vec<f64> {
        let blocks = features.cols().div_ceil(BLOCK);
        let logits: Vec<Vec<f64>> = (0..blocks)
            .into_par_iter()
            .map(|block| {
                let mut z = vec![0.0; self.means.len()];
                let to = features.cols().min((block + 1) * BLOCK);
                let one = |i: usize| {
                    self.standardize(features.col(i), &mut z);
                    change(&mut z);
                    self.logit(&z)
                };
                (block * BLOCK..to).map(one).collect()
            })
            .collect();
        logits.concat()
    }

    fn standardize(&self, x: &[f64], z: &mut [f64]) {
        for ((z, x), (mean, scale)) in z.iter_mut().zip(x).zip(self.means.iter().zip(&self.scales)) {
            *z = ((x - mean) * scale).clamp(-self.clip, self.clip);
        }
    }

    /// The logit of one standardized pair.
    fn logit(&self, z: &[f64]) -> f64 {
        let (linear, mut products) = self.coefficients.split_at(z.len());
        let mut sum = self.intercept + dot(linear, z);
        for a in 0..self.quadratic {
            let (row, rest) = products.split_at(self.quadratic - a);
            sum += z[a] * dot(row, &z[a..self.quadratic]);
            products = rest;
        }
        sum
    }

    /// The terms of one pair: the standardized features and their products.
    fn expand(&self, x: &[f64], terms: &mut [f64]) {
        let (z, mut products) = terms.split_at_mut(self.means.len());
        self.standardize(x, z);
        for a in 0..self.quadratic {
            let (row, rest) = products.split_at_mut(self.quadratic - a);
            for (product, b) in row.iter_mut().zip(&z[a..]) {
                *product = z[a] * b;
            }
            products = rest;
        }
    }

    /// Newton steps until the gradient is small.
    fn newton(&mut self, problem: &Problem<'_>, tolerance: f64, iterations: usize) {
        let total = problem.total();
        self.converged = false;
        let mut now = self.sums(problem, false);
        // Pairs whose Hessian is taken, and what is left of it.
        let mut curved = if problem.len() < FEW { *problem } else { problem.coarse() };
        let mut factor: Option<Factor> = None;
        'steps: for _ in 0..iterations {
            if now.gradient.iter().all(|g| g.abs() <= tolerance * total) {
                self.converged = true;
                return;
            }
            let fresh = factor.is_none();
            let Some(curvature) = factor.take().or_else(|| Factor::new(&self.sums(&curved, true).hessian))
            else {
                return;
            };
            let (step, old) = (curvature.solve(&now.gradient), self.flat());
            // Along a descent direction of a convex function some step descends; near the end rounding may hide it.
            let slope: f64 = dot(&step, &now.gradient);
            let (mut share, left) = (1.0, largest(&now.gradient));
            loop {
                self.set(old.iter().zip(&step).map(|(x, d)| x - share * d));
                let next = self.sums(problem, false);
                if next.objective <= now.objective - 1e-4 * share * slope {
                    now = next;
                    break;
                }
                if share < 1e-3 || slope * share <= 1e-13 * now.objective.abs() {
                    // As good as it gets in this arithmetic: the better of the two gradients.
                    if largest(&next.gradient) < largest(&now.gradient) {
                        now = next;
                        break;
                    }
                    self.set(old.iter().copied());
                    if fresh && curved.every == problem.every {
                        return;
                    }
                    // The Hessian was of another place or of some pairs: perhaps its own of all is better.
                    curved = *problem;
                    continue 'steps;
                }
                share *= 0.5;
            }
            self.steps += 1;
            if largest(&now.gradient) <= ENOUGH * left {
                factor = Some(curvature);
            } else if fresh {
                // With weights that differ much, those of some pairs may not be enough.
                curved = *problem;
            }
        }
        self.converged = now.gradient.iter().all(|g| g.abs() <= tolerance * total);
    }

    /// Coefficients and, last, the intercept.
    fn flat(&self) -> Vec<f64> {
        self.coefficients.iter().copied().chain([self.intercept]).collect()
    }

    fn set(&mut self, values: impl Iterator<Item = f64>) {
        let mut values: Vec<f64> = values.collect();
        self.intercept = values.pop().unwrap_or(0.0);
        self.coefficients = values;
    }

    /// The objective at these coefficients, its gradient and, when asked for, its Hessian, the intercept last.
    fn sums(&self, problem: &Problem<'_>, curved: bool) -> Sums {
        let size = self.coefficients.len() + 1;
        let square = if curved { size } else { 0 };
        let blocks = problem.len().div_ceil(BLOCK);
        let stretches = blocks.clamp(1, STRETCHES);
        let parts: Vec<Sums> = (0..stretches)
            .into_par_iter()
            .map(|s| {
                let mut sums = Sums::zeros(size, square);
                let (mut terms, mut gram) = (Mat::zeros(size, BLOCK), Mat::zeros(square, square));
                for block in s * blocks / stretches..(s + 1) * blocks / stretches {
                    self.block(problem, block, &mut sums, &mut terms, &mut gram);
                }
                sums
            })
            .collect();
        let mut all = Sums::zeros(size, square);
        parts.iter().for_each(|part| all.add(part));
        let beta = &self.coefficients;
        all.objective = problem.scale() * all.objective + 0.5 * dot(beta, beta);
        for (j, gradient) in all.gradient.iter_mut().enumerate() {
            *gradient = problem.scale() * *gradient + beta.get(j).copied().unwrap_or(0.0);
        }
        for j in 0..square {
            all.hessian.col_mut(j).iter_mut().for_each(|h| *h *= problem.scale());
            all.hessian.col_mut(j)[j] += f64::from(u8::from(j < beta.len()));
        }
        all
    }

    /// What one block of pairs adds.
    fn block(
        &self,
        problem: &Problem<'_>,
        block: usize,
        sums: &mut Sums,
        terms: &mut Mat<f64>,
        gram: &mut Mat<f64>,
    ) {
        let size = self.coefficients.len() + 1;
        let to = problem.len().min((block + 1) * BLOCK);
        let pairs = block * BLOCK..to;
        for (column, k) in pairs.clone().enumerate() {
            let i = k * problem.every;
            let term = terms.col_mut(column);
            self.expand(problem.features.col(i), &mut term[..size - 1]);
            term[size - 1] = 1.0;
            let logit = self.intercept + dot(&self.coefficients, &term[..size - 1]);
            let (weight, label) = (problem.weights[i], problem.labels[i]);
            // ln(1 + e^−t) with t = ± logit, without overflow.
            let t = if label { logit } else { -logit };
            sums.objective += weight * ((-t.abs()).exp().ln_1p() + (-t).max(0.0));
            let wrong = 1.0 / (1.0 + t.exp());
            let slope = weight * if label { -wrong } else { wrong };
            let root = (weight * wrong * (1.0 - wrong)).sqrt();
            sums.gradient.iter_mut().zip(&*term).for_each(|(gradient, term)| *gradient += slope * *term);
            if gram.cols() > 0 {
                term.iter_mut().for_each(|term| *term *= root);
            }
        }
        if gram.cols() == 0 {
            return;
        }
        let used = terms.as_ref().columns(0, pairs.len());
        f64::gram(gram, (Op::Transposed, used));
        for (sum, part) in sums.hessian.padded_mut().iter_mut().zip(gram.padded()) {
            *sum += part;
        }
    }
}

/// What is fitted.
#[derive(Clone, Copy)]
struct Problem<'a> {
    features: MatRef<'a, f64>,
    labels: &'a [bool],
    weights: &'a [f64],
    /// Distance of the pairs that are used, each with the weight of all up to the next.
    every: usize,
    c: f64,
}

impl Problem<'_> {
    /// The same of one pair in [`COARSE`].
    fn coarse(&self) -> Self {
        Self { every: COARSE * self.every, ..*self }
    }

    fn len(&self) -> usize {
        self.labels.len().div_ceil(self.every)
    }

    fn scale(&self) -> f64 {
        self.c * self.every as f64
    }

    /// `C Σ w`.
    fn total(&self) -> f64 {
        self.scale() * self.weights.iter().step_by(self.every).sum::<f64>()
    }

    /// `β₀` without features.
    fn log_odds(&self) -> f64 {
        let (mut yes, mut no) = (0.0, 0.0);
        for (label, weight) in self.labels.iter().zip(self.weights) {
            *(if *label { &mut yes } else { &mut no }) += weight;
        }
        (yes / no).ln()
    }
}

/// Objective, gradient and Hessian, or an empty matrix.
struct Sums {
    objective: f64,
    gradient: Vec<f64>,
    hessian: Mat<f64>,
}

impl Sums {
    fn zeros(size: usize, square: usize) -> Self {
        Self { objective: 0.0, gradient: vec![0.0; size], hessian: Mat::zeros(square, square) }
    }

    fn add(&mut self, part: &Self) {
        self.objective += part.objective;
        self.gradient.iter_mut().zip(&part.gradient).for_each(|(sum, part)| *sum += part);
        self.hessian.padded_mut().iter_mut().zip(part.hessian.padded()).for_each(|(sum, part)| *sum += part);
    }
}

/// The weights with those of the false pairs multiplied so that both classes weigh the same: where nearly all pairs are false, true ones would be clipped.
fn equal(labels: &[bool], weights: &[f64]) -> Vec<f64> {
    let total = |class: bool| -> f64 {
        labels.iter().zip(weights).filter(|pair| *pair.0 == class).map(|pair| pair.1).sum()
    };
    let factor = total(true) / total(false);
    // Sums of classes that weigh the same differ by rounding.
    let factor = if (factor - 1.0).abs() < 1e-9 { 1.0 } else { factor };
    labels.iter().zip(weights).map(|(label, weight)| if *label { *weight } else { factor * weight }).collect()
}

/// The mean of each feature, and one over its standard deviation (0 for a constant one), pairs by their weights.
fn moments(features: MatRef<'_, f64>, weights: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let total: f64 = weights.iter().sum();
    let mut means = vec![0.0; features.rows()];
    for (i, weight) in weights.iter().enumerate() {
        let share = weight / total;
        means.iter_mut().zip(features.col(i)).for_each(|(mean, x)| *mean += share * x);
    }
    let mut squares = vec![0.0; features.rows()];
    for (i, weight) in weights.iter().enumerate() {
        let share = weight / total;
        for ((square, x), mean) in squares.iter_mut().zip(features.col(i)).zip(&means) {
            *square += share * (x - mean) * (x - mean);
        }
    }
    let scale = |(square, mean): (&f64, &f64)| {
        let deviation = square.sqrt();
        // Equal numbers differ from their computed mean by rounding.
        if deviation > 1e-12 * mean.abs() { 1.0 / deviation } else { 0.0 }
    };
    let scales = squares.iter().zip(&means).map(scale).collect();
    (means, scales)
}

/// The Cholesky factor of a symmetric positive definite matrix.
struct Factor {
    /// Column `j` holds row `j` of the lower one, so that inner products run along columns.
    columns: Mat<f64>,
}

impl Factor {
    /// None when the matrix is not positive definite, even with a little on the diagonal.
    fn new(a: &Mat<f64>) -> Option<Self> {
        let n = a.cols();
        let largest = (0..n).map(|j| a.get(j, j)).fold(0.0, f64::max);
        [0.0, 1e-14, 1e-10].into_iter().find_map(|extra| {
            let mut l = Mat::<f64>::zeros(n, n);
            for j in 0..n {
                for i in 0..=j {
                    let inner = dot(&l.col(i)[..i], &l.col(j)[..i]);
                    if i < j {
                        let value = (a.get(i, j) - inner) / l.get(i, i);
                        l.col_mut(j)[i] = value;
                    } else {
                        let pivot = a.get(j, j) + extra * largest - inner;
                        if pivot.is_nan() || pivot <= 0.0 {
                            return None;
                        }
                        l.col_mut(j)[j] = pivot.sqrt();
                    }
                }
            }
            Some(Self { columns: l })
        })
    }

    /// The solution `x` of `A x = b`.
    fn solve(&self, b: &[f64]) -> Vec<f64> {
        let (mut x, l) = (b.to_vec(), &self.columns);
        for j in 0..x.len() {
            x[j] = (x[j] - dot(&l.col(j)[..j], &x[..j])) / l.get(j, j);
        }
        for j in (0..x.len()).rev() {
            x[j] /= l.get(j, j);
            let known = x[j];
            x[..j].iter_mut().zip(l.col(j)).for_each(|(x, l)| *x -= known * l);
        }
        x
    }
}

/// In four strands, added in a fixed order.
fn dot(x: &[f64], y: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let (xs, ys) = (x.chunks_exact(4), y.chunks_exact(4));
    let rest: f64 = xs.remainder().iter().zip(ys.remainder()).map(|(x, y)| x * y).sum();
    for (x, y) in xs.zip(ys) {
        for k in 0..4 {
            sums[k] += x[k] * y[k];
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

fn largest(gradient: &[f64]) -> f64 {
    gradient.iter().fold(0.0, |most, g| g.abs().max(most))
}

fn lengths(what: &'static str, found: usize, pairs: usize) -> Error {
    Error::shape(what, format!("{found} long"), format!("one for each of the {pairs} pairs"))
}

fn check(options: &FitOptions, features: MatRef<'_, f64>, labels: &[bool], weights: &[f64]) -> Result<()> {
    let positive = |name: &'static str, value: f64| {
        if value > 0.0 && value.is_finite() {
            return Ok(());
        }
        Err(Error::parameter(name, value, "it must be a number above 0"))
    };
    positive("C", options.c)?;
    positive("the clip", options.clip)?;
    positive("the tolerance", options.tolerance)?;
    let pairs = features.cols();
    if labels.len() != pairs {
        return Err(lengths("the labels", labels.len(), pairs));
    }
    if weights.len() != pairs {
        return Err(lengths("the weights", weights.len(), pairs));
    }
    for i in 0..pairs {
        if let Some(j) = features.col(i).iter().position(|x| !x.is_finite()) {
            return Err(Error::NotFinite { sample: i as u64, feature: j as u64, value: features.get(j, i) });
        }
    }
    if let Some(weight) = weights.iter().find(|weight| !(**weight >= 0.0 && weight.is_finite())) {
        return Err(Error::parameter("a weight", weight, "it must be a number, 0 or more"));
    }
    for class in [true, false] {
        if !labels.iter().zip(weights).any(|(label, weight)| *label == class && *weight > 0.0) {
            let found = format!("without one that is {class} and has weight");
            return Err(Error::parameter("the set of labels", found, "both classes are needed"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{ChaCha8Rng, Purpose, normal, stream, uniform};

    struct Example {
        x: Mat<f64>,
        labels: Vec<bool>,
        weights: Vec<f64>,
    }

    fn example(pairs: usize, d: usize, rng: &mut ChaCha8Rng) -> Example {
        let x = Mat::from_fn(d, pairs, |i, _| 3.0 * i as f64 + (1.0 + i as f64) * normal(rng));
        let labels = (0..pairs)
            .map(|j| {
                let t = 0.7 * (x.get(0, j) + x.get(d - 1, j) - 3.0 * (d - 1) as f64)
                    - 0.3 * x.get(0, j) * x.get(0, j);
                uniform(rng) < 1.0 / (1.0 + (-t).exp())
            })
            .collect();
        let weights = (0..pairs).map(|_| 0.2 + uniform(rng)).collect();
        Example { x, labels, weights }
    }

    impl Example {
        fn fit(&self, options: &FitOptions) -> Result<Head> {
            Head::fit(options, self.x.as_ref(), &self.labels, &self.weights)
        }

        fn problem(&self) -> Problem<'_> {
            Problem {
                features: self.x.as_ref(),
                labels: &self.labels,
                weights: &self.weights,
                every: 1,
                c: 0.7,
            }
        }
    }

    #[test]
    fn gradient_and_hessian_are_those_of_finite_differences() {
        let example = example(700, 4, &mut stream(0, Purpose::Synthetic, 92));
        let options = FitOptions { quadratic: 3, clip: 2.0, ..FitOptions::default() };
        let mut head = example.fit(&options).unwrap();
        let at: Vec<f64> = (0..=10).map(|j| 0.3 * (f64::from(j) * 1.7).sin()).collect();
        let problem = example.problem();
        head.set(at.iter().copied());
        let sums = head.sums(&problem, true);
        let h = 1e-5;
        for j in 0..=10 {
            let mut moved = |sign: f64| {
                let shifted = at.iter().enumerate().map(|(k, x)| if k == j { x + sign * h } else { *x });
                head.set(shifted);
                head.sums(&problem, true)
            };
            let (up, down) = (moved(1.0), moved(-1.0));
            let slope = (up.objective - down.objective) / (2.0 * h);
            assert!((slope - sums.gradient[j]).abs() < 1e-5 * (1.0 + slope.abs()), "{slope}");
            for k in 0..=10 {
                let bend = (up.gradient[k] - down.gradient[k]) / (2.0 * h);
                assert!((bend - sums.hessian.get(k, j)).abs() < 1e-5 * (1.0 + bend.abs()), "{bend}");
            }
        }
    }

    /// The objective as its definition says, and slow descent along its gradient.
    #[test]
    fn newton_finds_what_slow_descent_finds() {
        let example = example(200, 3, &mut stream(1, Purpose::Synthetic, 92));
        let options = FitOptions { quadratic: 2, c: 0.05, ..FitOptions::default() };
        let head = example.fit(&options).unwrap();
        assert!(head.converged().1);
        let n = 200;
        let rows: Vec<Vec<f64>> = (0..3).map(|i| (0..n).map(|j| example.x.get(i, j)).collect()).collect();
        let z: Vec<Vec<f64>> = rows
            .iter()
            .map(|row| {
                let class = |label: bool| -> f64 {
                    (0..n).filter(|&j| example.labels[j] == label).map(|j| example.weights[j]).sum()
                };
                // Both classes count the same.
                let by_weight = |f: &dyn Fn(f64) -> f64| -> f64 {
                    let each = (0..n).map(|j| example.weights[j] * f(row[j]) / class(example.labels[j]));
                    each.sum::<f64>() / 2.0
                };
                let mean = by_weight(&|x| x);
                let sd = by_weight(&|x| (x - mean).powi(2)).sqrt();
                row.iter().map(|x| ((x - mean) / sd).clamp(-6.0, 6.0)).collect()
            })
            .collect();
        let terms: Vec<[f64; 7]> = (0..n)
            .map(|j| {
                let (a, b, c) = (z[0][j], z[1][j], z[2][j]);
                [a, b, c, a * a, a * b, b * b, 1.0]
            })
            .collect();
        let mut beta = [0.0; 7];
        for _ in 0..20_000 {
            let mut gradient: Vec<f64> = beta.to_vec();
            gradient[6] = 0.0;
            for j in 0..n {
                let t: f64 = terms[j].iter().zip(&beta).map(|(t, b)| t * b).sum();
                let error = 1.0 / (1.0 + (-t).exp()) - f64::from(u8::from(example.labels[j]));
                for k in 0..7 {
                    gradient[k] += 0.05 * example.weights[j] * error * terms[j][k];
                }
            }
            (0..7).for_each(|k| beta[k] -= 0.05 * gradient[k]);
        }
        for (k, found) in head.flat().iter().enumerate() {
            assert!((found - beta[k]).abs() < 1e-7, "{k}: {found} for {}", beta[k]);
        }
        let logits = head.logits(example.x.as_ref()).unwrap();
        for j in 0..n {
            let t: f64 = terms[j].iter().zip(&beta).map(|(t, b)| t * b).sum();
            assert!((logits[j] - t).abs() < 1e-6);
        }
    }

    #[test]
    fn weights_that_differ_much_do_not_slow_the_fit_and_a_refit_is_the_fit_of_its_pairs() {
        let mut example = example(2 * FEW, 4, &mut stream(5, Purpose::Synthetic, 92));
        let rare = |j: usize| if j % 5000 == 17 { 1e6 } else { 1.0 };
        example.weights.iter_mut().enumerate().for_each(|(j, weight)| *weight *= rare(j));
        let options = FitOptions { quadratic: 4, ..FitOptions::default() };
        let head = example.fit(&options).unwrap();
        assert!(head.converged().1 && head.converged().0 < 40, "{:?}", head.converged());

        let some: Vec<usize> = (0..2 * FEW).filter(|j| j % 3 != 0).collect();
        let x = Mat::from_fn(4, some.len(), |i, j| example.x.get(i, some[j]));
        let labels: Vec<bool> = some.iter().map(|&j| example.labels[j]).collect();
        let weights: Vec<f64> = some.iter().map(|&j| example.weights[j]).collect();
        let again = head.refit(&options, x.as_ref(), &labels, &weights).unwrap();
        let mut from_zero = again.clone();
        from_zero.set(std::iter::repeat_n(0.0, again.flat().len()));
        let problem = Problem { features: x.as_ref(), labels: &labels, weights: &weights, every: 1, c: 1.0 };
        from_zero.newton(&problem, options.tolerance, 100);
        assert!(again.converged().1 && from_zero.converged().1);
        for (a, b) in again.flat().iter().zip(from_zero.flat()) {
            assert!((a - b).abs() < 1e-4, "{a} {b}");
        }
    }

    #[test]
    fn many_pairs_end_at_the_same_minimum_as_if_begun_at_zero() {
        let example = example(FEW, 3, &mut stream(2, Purpose::Synthetic, 92));
        let options = FitOptions { quadratic: 3, ..FitOptions::default() };
        let head = example.fit(&options).unwrap();
        assert!(head.converged().1);
        let mut plain = Head { coefficients: vec![0.0; 9], intercept: 0.0, ..head.clone() };
        plain.newton(&Problem { c: 1.0, ..example.problem() }, 1e-8, 50);
        for (a, b) in head.flat().iter().zip(plain.flat()) {
            assert!((a - b).abs() < 1e-6, "{a} {b}");
        }
        // A pair of weight 2 is two pairs.
        let twice = Mat::from_fn(3, 2 * 300, |i, j| example.x.get(i, j / 2));
        let labels: Vec<bool> = (0..600).map(|j| example.labels[j / 2]).collect();
        let doubled = Head::fit(&options, twice.as_ref(), &labels, &[0.5; 600]).unwrap();
        let once = Head::fit(&options, example.x.as_ref().columns(0, 300), &labels_of(&labels), &[1.0; 300]);
        for (a, b) in doubled.flat().iter().zip(once.unwrap().flat()) {
            assert!((a - b).abs() < 1e-8);
        }
    }

    fn labels_of(doubled: &[bool]) -> Vec<bool> {
        doubled.iter().step_by(2).copied().collect()
    }

    #[test]
    fn separable_and_constant_features_stay_finite() {
        let x = Mat::from_fn(2, 50, |i, j| if i == 0 { j as f64 } else { 0.1 });
        let labels: Vec<bool> = (0..50).map(|j| j >= 25).collect();
        let options = FitOptions { quadratic: 2, ..FitOptions::default() };
        for weight in [1.0, 1e6] {
            let head = Head::fit(&options, x.as_ref(), &labels, &[weight; 50]).unwrap();
            let logits = head.logits(x.as_ref()).unwrap();
            assert!(logits.iter().all(|t| t.is_finite()) && roc::auc(&logits, &labels) == Some(1.0));
            assert_eq!(head.coefficients()[1], 0.0);
            let importance = |which: &[usize]| head.importance(x.as_ref(), &labels, which).unwrap();
            assert!((importance(&[0]).auc_drop - 0.5).abs() < 1e-12 && importance(&[0]).logit_spread > 0.1);
            assert_eq!(importance(&[1]), Importance { auc_drop: 0.0, logit_spread: 0.0 });
        }
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let mut example = example(20, 2, &mut stream(3, Purpose::Synthetic, 92));
        let options = FitOptions::default();
        let head = example.fit(&options).unwrap();
        let told = |result: Result<Head>, text: &str| {
            let message = result.unwrap_err().to_string();
            assert!(message.contains(text), "{message}");
        };
        told(example.fit(&FitOptions { c: 0.0, ..options.clone() }), "C is 0");
        told(Head::fit(&options, example.x.as_ref(), &[true; 20], &[1.0; 20]), "both classes");
        told(Head::fit(&options, example.x.as_ref(), &example.labels[1..], &[1.0; 20]), "19 long");
        let of_one_class =
            |class: bool| example.labels.iter().map(move |label| f64::from(u8::from(*label == class)));
        for class in [true, false] {
            let weights: Vec<f64> = of_one_class(class).collect();
            told(Head::fit(&options, example.x.as_ref(), &example.labels, &weights), "both classes");
        }
        example.weights[3] = -1.0;
        told(example.fit(&options), "a weight is -1");
        example.weights[3] = 1.0;
        example.x.col_mut(4)[1] = f64::NAN;
        told(example.fit(&options), "sample 4, feature 1");
        assert!(head.logits(Mat::zeros(3, 1).as_ref()).unwrap_err().to_string().contains("2 a pair"));
        assert!(head.importance(example.x.as_ref(), &example.labels, &[2]).is_err());
    }

    #[test]
    fn importance_is_what_the_logits_lose() {
        let example = example(90, 1, &mut stream(6, Purpose::Synthetic, 92));
        let head = example.fit(&FitOptions::default()).unwrap();
        // Without its only feature a head has one score for all pairs: an AUC of a half, and no spread.
        let logits = head.logits(example.x.as_ref()).unwrap();
        let mean = logits.iter().sum::<f64>() / 90.0;
        let spread = (logits.iter().map(|t| (t - mean).powi(2)).sum::<f64>() / 90.0).sqrt();
        let found = head.importance(example.x.as_ref(), &example.labels, &[0]).unwrap();
        assert!((found.auc_drop - (roc::auc(&logits, &example.labels).unwrap() - 0.5)).abs() < 1e-12);
        assert!((found.logit_spread - spread).abs() < 1e-12);
    }

    #[test]
    fn both_classes_are_made_to_weigh_the_same() {
        for weights in
            [[1.0, 2.0, 3.0, 4.0], [1.0, 1.0, 1.0, 1.0], [2.0, 0.5, 0.0, 0.5], [3.0, 1.0, 2.0, 0.0]]
        {
            let labels = [true, false, true, false];
            let found = equal(&labels, &weights);
            assert_eq!((found[0], found[2]), (weights[0], weights[2]));
            assert!((found[1] + found[3] - (found[0] + found[2])).abs() < 1e-12);
            assert!((found[1] * weights[3] - found[3] * weights[1]).abs() < 1e-12);
        }
    }

    #[test]
    fn factors_solve_their_systems_and_refuse_what_is_not_definite() {
        let mut rng = stream(8, Purpose::Synthetic, 92);
        for size in 1..12 {
            let root = Mat::from_fn(size, size, |_, _| normal(&mut rng));
            let a = Mat::from_fn(size, size, |i, j| {
                (0..size).map(|k| root.get(i, k) * root.get(j, k)).sum::<f64>() + f64::from(u8::from(i == j))
            });
            let x: Vec<f64> = (0..size).map(|_| 1.0 + normal(&mut rng)).collect();
            let b: Vec<f64> = (0..size).map(|i| (0..size).map(|j| a.get(i, j) * x[j]).sum()).collect();
            let found = Factor::new(&a).unwrap().solve(&b);
            assert!(
                found.iter().zip(&x).all(|(found, x)| (found - x).abs() < 1e-9),
                "{size}: {found:?} for {x:?}"
            );
            let plain: f64 = x.iter().zip(&b).map(|(x, b)| x * b).sum();
            assert!((dot(&x, &b) - plain).abs() < 1e-12 * (1.0 + plain.abs()));
        }
        let of = |entries: [[f64; 2]; 2]| Factor::new(&Mat::from_fn(2, 2, |i, j| entries[i][j])).is_some();
        assert!(
            of([[4.0, 1.0], [1.0, 4.0]]) && !of([[1.0, 4.0], [4.0, 1.0]]) && !of([[-1.0, 0.0], [0.0, 1.0]])
        );
        // Singular but for rounding, which a little on the diagonal makes up for.
        assert!(of([[1.0, 1.0], [1.0, 1.0]]));
    }

    #[test]
    fn the_class_that_is_missing_is_named() {
        let x = Mat::from_fn(1, 4, |_, j| j as f64);
        for class in [true, false] {
            let message = Head::fit(&FitOptions::default(), x.as_ref(), &[!class; 4], &[1.0; 4]).unwrap_err();
            assert!(message.to_string().contains(&format!("without one that is {class}")), "{message}");
        }
    }

    #[test]
    fn deviations_keep_their_digits_far_from_zero() {
        let (n, far) = (1000, 1e9);
        let value = |j: usize| (j * j % 17) as f64 / 4.0;
        let x = Mat::from_fn(2, n, |i, j| if i == 0 { far + value(j) } else { value(j) });
        let weights: Vec<f64> = (0..n).map(|j| 1.0 + (j % 3) as f64).collect();
        let (means, scales) = moments(x.as_ref(), &weights);
        let total: f64 = weights.iter().sum();
        let mean = (0..n).map(|j| weights[j] * value(j)).sum::<f64>() / total;
        let square = (0..n).map(|j| weights[j] * (value(j) - mean).powi(2)).sum::<f64>() / total;
        assert!((means[1] - mean).abs() < 1e-12 && (means[0] - far - mean).abs() < 1e-4);
        for scale in scales {
            assert!((scale * square.sqrt() - 1.0).abs() < 1e-6, "{scale} for {}", 1.0 / square.sqrt());
        }
        let (_, flat) = moments(Mat::from_fn(1, 7, |_, _| far / 3.0).as_ref(), &[0.1; 7]);
        assert_eq!(flat, [0.0]);
    }
}
