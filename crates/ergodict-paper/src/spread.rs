//! A mean over independent repetitions, with its standard error: what differences are judged by.

use serde::Serialize;
use std::fmt;

/// Standard errors from which on a difference is taken to be none of chance. With errors from 5 repetitions chance alone is further off than
/// that one time in 25, from 10 one time in 67 (Student's t).
const CLEAR: f64 = 3.0;

/// A mean and its standard error.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Spread {
    pub(crate) mean: f64,
    pub(crate) error: f64,
}

impl Spread {
    /// Of independent numbers; the error of a single one is not known (NaN).
    pub(crate) fn from_samples(numbers: &[f64]) -> Self {
        let n = numbers.len() as f64;
        let mean = numbers.iter().sum::<f64>() / n;
        let squares: f64 = numbers.iter().map(|x| (x - mean).powi(2)).sum();
        Self { mean, error: (squares / (n - 1.0) / n).sqrt() }
    }

    /// Of the differences `a − b` of pairs: what both of a pair share, such as the configurations they are judged by, is not in the error.
    pub(crate) fn between(a: &[f64], b: &[f64]) -> Self {
        Self::from_samples(&a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<_>>())
    }

    /// The same as shares of a number.
    pub(crate) fn over(self, whole: f64) -> Self {
        Self { mean: self.mean / whole, error: self.error / whole.abs() }
    }

    /// Whether it is above zero by more than chance.
    pub(crate) fn is_above(self) -> bool {
        self.mean > CLEAR * self.error
    }

    /// Whether it is within `most` of zero, give or take chance.
    pub(crate) fn is_within(self, most: f64) -> bool {
        self.mean.abs() <= most + CLEAR * self.error
    }

    /// In per cent.
    pub(crate) fn percent(self) -> String {
        format!("{:+.2} % ± {:.2} %", 100.0 * self.mean, 100.0 * self.error).replace('-', "−")
    }
}

impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3} ± {:.3}", self.mean, self.error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_is_that_of_the_mean() {
        let spread = Spread::from_samples(&[1.0, 2.0, 3.0, 6.0]);
        // The variance is 14/3.
        assert!((spread.mean - 3.0).abs() < 1e-12 && (spread.error - (14.0_f64 / 12.0).sqrt()).abs() < 1e-12);
        let pairs = Spread::between(&[1.0, 12.0, 103.0], &[0.5, 11.0, 101.5]);
        assert!((pairs.mean - 1.0).abs() < 1e-12 && (pairs.error - (0.25_f64 / 3.0).sqrt()).abs() < 1e-12);
        assert!(pairs.is_above() && !pairs.is_within(0.1) && pairs.is_within(0.2));
        assert!(!Spread::from_samples(&[-1.0, -2.0]).is_above());
        let half = Spread { mean: -0.5, error: 0.25 };
        assert_eq!(
            (half.over(2.0).percent(), half.to_string()),
            ("−25.00 % ± 12.50 %".into(), "-0.500 ± 0.250".into())
        );
    }

    #[test]
    fn of_one_number_no_error_is_known_and_nothing_is_clear() {
        let one = Spread::from_samples(&[5.0]);
        assert!(one.error.is_nan() && !one.is_above() && !one.is_within(9.0));
    }
}
