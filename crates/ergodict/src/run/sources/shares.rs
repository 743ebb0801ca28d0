//! How much of samples a dictionary explains, next to multiples of the mean sample; missing entries do not count.

use crate::linalg::{Mat, MatRef, Scalar};
use crate::run::ExplainedShare;

/// Sum and number of the entries of each feature.
pub(super) struct MeanSample(Vec<(f64, f64)>);

impl MeanSample {
    pub(super) fn new(features: usize) -> Self {
        Self(vec![(0.0, 0.0); features])
    }

    pub(super) fn add<T: Scalar>(&mut self, x: MatRef<'_, T>) {
        for j in 0..x.cols() {
            let entries = self.0.iter_mut().zip(x.col(j)).map(|(to, x)| (to, x.to_f64()));
            let there = entries.filter(|(_, x)| !x.is_nan());
            there.for_each(|(to, x)| *to = (to.0 + x, to.1 + 1.0));
        }
    }

    pub(super) fn finish(self) -> Vec<f64> {
        self.0.into_iter().map(|(sum, count)| if count > 0.0 { sum / count } else { 0.0 }).collect()
    }
}

/// Sums of squares: of samples, and of what atoms and multiples of the mean leave of them.
#[derive(Default)]
pub(super) struct Shares {
    squares: f64,
    left: f64,
    left_by_mean: f64,
}

impl Shares {
    /// Samples, and what atoms make of them.
    pub(super) fn add<T: Scalar>(&mut self, x: MatRef<'_, T>, fitted: &Mat<T>, mean: &[f64]) {
        for j in 0..x.cols() {
            let all = || x.col(j).iter().zip(mean).zip(fitted.col(j));
            let there = || all().map(|((x, m), y)| (x.to_f64(), *m, y.to_f64())).filter(|x| !x.0.is_nan());
            let (product, norm) =
                there().fold((0.0, 0.0), |(product, norm), (x, m, _)| (product + x * m, norm + m * m));
            let times = if norm > 0.0 { product / norm } else { 0.0 };
            for (x, m, y) in there() {
                self.squares += x * x;
                self.left += (x - y).powi(2);
                self.left_by_mean += (x - times * m).powi(2);
            }
        }
    }

    /// The shares; none where all samples are zero.
    pub(super) fn finish(self, samples: u64) -> Option<ExplainedShare> {
        let share = |left: f64| 1.0 - left / self.squares;
        let found = ExplainedShare { samples, atoms: share(self.left), mean: share(self.left_by_mean) };
        (self.squares > 0.0 && self.squares.is_finite()).then_some(found)
    }
}
