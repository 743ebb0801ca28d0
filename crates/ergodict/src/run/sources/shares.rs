//! How much of samples a dictionary explains, next to the mean sample as the only atom; missing entries do not count.

use crate::factor::code::{CodeSet, Penalty};
use crate::factor::{Factorizer, Minibatch};
use crate::linalg::{Mat, Scalar};
use crate::run::{ExplainedShare, Stop};
use crate::{Error, Result};

/// The share of samples that the atoms explain, and that the mean sample of norm 1 explains as the only atom, with the same penalties and set of codes.
/// `pass` hands all minibatches to what it is given, once for the mean and again for the shares, and returns the number of samples. There is no share
/// where all samples are zero.
///
/// ```
/// use ergodict::factor::{FactorSettings, Factorizer};
/// use ergodict::linalg::Mat;
/// use ergodict::run::{Stop, explained_share};
/// let x = Mat::from_fn(3, 4, |i, j| f64::from(u8::from(i == j % 3)));
/// let mut dictionary = Factorizer::from_dictionary(FactorSettings { lambda: 0.0, ..FactorSettings::new(3) }, Mat::from_fn(3, 3, |i, k| f64::from(u8::from(i == k))).as_ref())?;
/// let share = explained_share(&mut dictionary, &Stop::default(), |see| see((&x).into()).map(|()| 4))?.unwrap();
/// assert!((share.atoms - 1.0).abs() < 1e-12 && share.mean < 1.0);
/// # Ok::<(), ergodict::Error>(())
/// ```
///
/// # Errors
/// Those of `pass` and of coding; [`Error::Interrupted`] when `stop` is asked for.
pub fn explained_share<T: Scalar>(
    dictionary: &mut Factorizer<T>,
    stop: &Stop,
    mut pass: impl FnMut(&mut dyn FnMut(Minibatch<'_, T>) -> Result<()>) -> Result<u64>,
) -> Result<Option<ExplainedShare>> {
    let asked = || if stop.is_asked() { Err(Error::Interrupted) } else { Ok(()) };
    let settings = dictionary.parameters();
    let (codes, penalty) = (settings.code(), settings.penalty());
    let (mut mean, mut shares) = (MeanSample::default(), Shares::default());
    pass(&mut |x| {
        mean.add(x);
        asked()
    })?;
    let mean = OnlyAtom { atom: mean.finish(), codes, penalty };
    let samples = pass(&mut |x| {
        dictionary.transform(x)?;
        shares.add(x, (dictionary.dictionary(), dictionary.code()), &mean);
        asked()
    })?;
    Ok(shares.finish(samples))
}

/// Column `j`, with NaN for missing entries.
fn copy_column<T: Scalar>(x: Minibatch<'_, T>, j: usize, to: &mut Vec<f64>) {
    to.clear();
    match x {
        Minibatch::Dense(x) => to.extend(x.col(j).iter().map(|x| x.to_f64())),
        Minibatch::Sparse(x) => {
            to.resize(x.rows(), 0.0);
            let (rows, values) = x.col(j);
            rows.iter().zip(values).for_each(|(row, value)| to[*row as usize] = value.to_f64());
        }
        Minibatch::Masked { values, observed } => {
            let entry = |(i, x): (usize, &T)| if observed.get(i, j) { x.to_f64() } else { f64::NAN };
            to.extend(values.col(j).iter().enumerate().map(entry));
        }
    }
}

/// Sum and number of the entries of each feature.
#[derive(Default)]
pub(in crate::run) struct MeanSample {
    sums: Vec<(f64, f64)>,
    column: Vec<f64>,
}

impl MeanSample {
    pub(in crate::run) fn add<T: Scalar>(&mut self, x: Minibatch<'_, T>) {
        self.sums.resize(x.rows(), (0.0, 0.0));
        for j in 0..x.cols() {
            copy_column(x, j, &mut self.column);
            let there = self.sums.iter_mut().zip(&self.column).filter(|(_, x)| !x.is_nan());
            there.for_each(|(to, x)| *to = (to.0 + x, to.1 + 1.0));
        }
    }

    /// The mean over its norm.
    pub(in crate::run) fn finish(self) -> Vec<f64> {
        let mut mean: Vec<f64> =
            self.sums.into_iter().map(|(sum, count)| if count > 0.0 { sum / count } else { 0.0 }).collect();
        // By the largest entry first: squares of tiny numbers vanish.
        let largest = mean.iter().fold(0.0f64, |most, x| most.max(x.abs()));
        if largest > 0.0 {
            let norm = mean.iter().map(|x| (x / largest).powi(2)).sum::<f64>().sqrt();
            mean.iter_mut().for_each(|x| *x = *x / largest / norm);
        }
        mean
    }
}

/// A dictionary of one atom.
pub(in crate::run) struct OnlyAtom {
    pub(in crate::run) atom: Vec<f64>,
    pub(in crate::run) codes: CodeSet,
    pub(in crate::run) penalty: Penalty,
}

impl OnlyAtom {
    /// The code `h` that minimizes `‖x − hw‖² + λ|h| + κ₂h²/2` over the entries that there are, by `⟨x, w⟩` and `‖w‖²` of these.
    pub(in crate::run) fn code(&self, product: f64, norm: f64) -> f64 {
        let Penalty { lambda, kappa2 } = self.penalty;
        let (least, most) = match self.codes {
            CodeSet::Box { upper } => (0.0, upper),
            CodeSet::Simplex { bound } => (0.0, bound),
            ref codes if codes.is_nonnegative() => (0.0, f64::INFINITY),
            _ => (f64::NEG_INFINITY, f64::INFINITY),
        };
        let curvature = norm + kappa2 / 2.0;
        let shrunk = (product.abs() - lambda / 2.0).max(0.0).copysign(product);
        if curvature > 0.0 { (shrunk / curvature).clamp(least, most) } else { 0.0 }
    }
}

/// Sums of squares: of samples, and of what the atoms and the mean leave of them.
#[derive(Default)]
struct Shares {
    squares: f64,
    left: f64,
    left_by_mean: f64,
    column: Vec<f64>,
    fitted: Vec<f64>,
}

impl Shares {
    /// Samples, and what atoms and their codes make of them: one by one, as a minibatch of sparse samples has no room for that of all.
    fn add<T: Scalar>(&mut self, x: Minibatch<'_, T>, (w, h): (&Mat<T>, &Mat<T>), mean: &OnlyAtom) {
        for j in 0..x.cols() {
            copy_column(x, j, &mut self.column);
            self.fitted.clear();
            self.fitted.resize(x.rows(), 0.0);
            for (k, h) in h.col(j).iter().enumerate().filter(|(_, h)| **h != T::ZERO) {
                self.fitted.iter_mut().zip(w.col(k)).for_each(|(y, w)| *y += w.to_f64() * h.to_f64());
            }
            let all = self.column.iter().zip(&mean.atom).zip(&self.fitted).map(|((x, m), y)| (*x, *m, *y));
            let there = all.filter(|(x, _, _)| !x.is_nan());
            let (product, norm) =
                there.clone().fold((0.0, 0.0), |(product, norm), (x, m, _)| (product + x * m, norm + m * m));
            let times = mean.code(product, norm);
            for (x, m, y) in there {
                self.squares += x * x;
                self.left += (x - y).powi(2);
                self.left_by_mean += (x - times * m).powi(2);
            }
        }
    }

    /// The shares; none where all samples are zero.
    fn finish(self, samples: u64) -> Option<ExplainedShare> {
        let share = |left: f64| 1.0 - left / self.squares;
        let found = ExplainedShare {
            samples: Some(samples),
            atoms: share(self.left),
            mean: share(self.left_by_mean),
        };
        (self.squares > 0.0 && self.squares.is_finite()).then_some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::factor::FactorSettings;
    use crate::factor::Mask;

    /// The definition, entry by entry: one atom (1, 1), and samples (2, 2), (1, 3) with the mean (1.5, 2.5).
    #[test]
    fn shares_are_those_of_the_definition_without_missing_entries() {
        let settings = FactorSettings { lambda: 0.0, ..FactorSettings::new(1) };
        let w = Mat::from_fn(2, 1, |_, _| 0.5f64.sqrt());
        let mut dictionary = Factorizer::from_dictionary(settings, w.as_ref()).unwrap();
        let x = Mat::from_fn(2, 2, |i, j| [[2.0, 1.0], [2.0, 3.0]][i][j]);
        let mut share = |x: Minibatch<'_, f64>| {
            explained_share(&mut dictionary, &Stop::default(), |see| see(x).map(|()| 2)).unwrap().unwrap()
        };
        let found = share((&x).into());
        // What is left: 0 of the first sample and 2 of the second; by the mean (16/8.5 − …)², of 18 in all.
        let left = |x: [f64; 2]| {
            let times = (1.5 * x[0] + 2.5 * x[1]) / 8.5;
            (x[0] - 1.5 * times).powi(2) + (x[1] - 2.5 * times).powi(2)
        };
        assert!((found.atoms - (1.0 - 2.0 / 18.0)).abs() < 1e-9, "{found:?}");
        assert!(
            (found.mean - (1.0 - (left([2.0, 2.0]) + left([1.0, 3.0])) / 18.0)).abs() < 1e-12,
            "{found:?}"
        );
        assert_eq!(found.samples, Some(2));
        // Without the 3, the atom leaves nothing, and values there are not read.
        let holed = Mat::from_fn(2, 2, |i, j| if (i, j) == (1, 1) { 77.0 } else { x.get(i, j) });
        let observed = Mask::from_fn(2, 2, |i, j| (i, j) != (1, 1));
        let found = share(Minibatch::Masked { values: holed.as_ref(), observed: &observed });
        assert!((found.atoms - 1.0).abs() < 1e-9 && found.mean < 1.0, "{found:?}");
        let zeros = Mat::<f64>::zeros(2, 2);
        let none = explained_share(&mut dictionary, &Stop::default(), |see| see((&zeros).into()).map(|()| 2))
            .unwrap();
        assert!(none.is_none());
    }

    /// Samples that are multiples of one vector: the atoms and the mean are the same atom, and explain the same.
    #[test]
    fn the_mean_has_the_penalties_and_the_codes_of_the_atoms() {
        let x = Mat::from_fn(2, 3, |i, j| [0.6, 0.8][i] * [0.5, 1.0, 3.0][j]);
        let w = Mat::from_fn(2, 1, |i, _| [0.6, 0.8][i]);
        for codes in [
            CodeSet::Nonnegative,
            CodeSet::Free,
            CodeSet::Box { upper: 1.5 },
            CodeSet::Simplex { bound: 2.0 },
        ] {
            let settings =
                FactorSettings { lambda: 1.0, kappa2: 0.5, code: Some(codes), ..FactorSettings::new(1) };
            let mut dictionary = Factorizer::from_dictionary(settings, w.as_ref()).unwrap();
            let found =
                explained_share(&mut dictionary, &Stop::default(), |see| see((&x).into()).map(|()| 3));
            let found = found.unwrap().unwrap();
            assert!((found.atoms - found.mean).abs() < 1e-7, "{codes}: {found:?}");
            // The first sample has the code 0, and the others are shrunk.
            assert!(found.mean < 1.0 - 0.25 / 10.25, "{codes}: {found:?}");
        }
    }
}
