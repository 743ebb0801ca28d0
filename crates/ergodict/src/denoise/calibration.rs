//! Calibration: predicted probabilities against the shares that are true.
//!
//! Pairs are put into bins of equal numbers by their probability. With `n_b` of `n` pairs in a bin, their mean probability `p_b` and the share `s_b`
//! of them that is true, the expected calibration error is `Σ n_b |p_b − s_b| / n` (Naeini, Cooper and Hauskrecht 2015). Pairs of equal probability are in one bin, so
//! that the order of the pairs does not matter; bins may be of different numbers then.

use super::delong::{Interval, quantile};
use super::roc::check;
use crate::{Error, Result};

/// Bins, where there are pairs enough.
const BINS: u64 = 10;

/// Pairs of similar probability.
///
/// ```
/// use ergodict::denoise::calibration::Bin;
/// let bin = Bin { pairs: 20, positives: 5, predicted: 0.3 };
/// let (low, high) = bin.interval(0.95)?;
/// assert!(bin.observed() == 0.25 && low > 0.1 && high < 0.5);
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Bin {
    /// How many there are.
    pub pairs: u64,
    /// How many are true.
    pub positives: u64,
    /// Their mean probability.
    pub predicted: f64,
}

impl Bin {
    /// The share that is true.
    pub fn observed(&self) -> f64 {
        self.positives as f64 / self.pairs as f64
    }

    /// Wilson's interval of that share.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless `0 < confidence < 1`.
    pub fn interval(&self, confidence: f64) -> Result<Interval> {
        let (n, share) = (self.pairs as f64, self.observed());
        let squared = quantile(confidence)?.powi(2);
        let middle = (share + squared / (2.0 * n)) / (1.0 + squared / n);
        let reach =
            (squared * (share * (1.0 - share) / n + squared / (4.0 * n * n))).sqrt() / (1.0 + squared / n);
        Ok(((middle - reach).max(0.0), (middle + reach).min(1.0)))
    }
}

/// Bins of pairs by ascending probability.
///
/// ```
/// use ergodict::denoise::calibration::Calibration;
/// let found = Calibration::new(&[0.2, 0.2, 0.2, 0.8, 0.8, 0.8], &[false, false, true, true, true, true])?;
/// assert_eq!((found.bins.len(), found.bins[1].observed()), (2, 1.0));
/// assert!((found.error() - (1.0 / 3.0 - 0.2 + 1.0 - 0.8) / 2.0).abs() < 1e-12);
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Calibration {
    /// The bins that have pairs, ten at most.
    pub bins: Vec<Bin>,
}

impl Calibration {
    /// Puts pairs into bins.
    ///
    /// # Errors
    /// Those of [`Ranked::new`](super::roc::Ranked::new), and [`Error::Parameter`] for a probability below 0 or above 1.
    pub fn new(probabilities: &[f64], labels: &[bool]) -> Result<Self> {
        check(probabilities, labels)?;
        if let Some(at) = probabilities.iter().position(|p| !(0.0..=1.0).contains(p)) {
            let found = format!("{} (of pair {at})", probabilities[at]);
            return Err(Error::parameter("a probability", found, "it must be between 0 and 1"));
        }
        let mut sorted: Vec<(f64, bool)> =
            probabilities.iter().copied().zip(labels.iter().copied()).collect();
        sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (all, mut before) = (sorted.len() as u64, 0);
        let mut sums = [(0u64, 0u64, 0.0f64); BINS as usize];
        for equal in sorted.chunk_by(|a, b| a.0 == b.0) {
            let count = equal.len() as u64;
            // The bin of the group's middle.
            let bin = &mut sums[(BINS * (2 * before + count) / (2 * all)).min(BINS - 1) as usize];
            bin.0 += count;
            bin.1 += equal.iter().filter(|pair| pair.1).count() as u64;
            bin.2 += count as f64 * equal[0].0;
            before += count;
        }
        let bins = sums.into_iter().filter(|bin| bin.0 > 0);
        let bin = |(pairs, positives, sum)| Bin { pairs, positives, predicted: sum / pairs as f64 };
        Ok(Self { bins: bins.map(bin).collect() })
    }

    /// The expected calibration error.
    pub fn error(&self) -> f64 {
        let pairs: u64 = self.bins.iter().map(|bin| bin.pairs).sum();
        let off = |bin: &Bin| bin.pairs as f64 * (bin.predicted - bin.observed()).abs();
        self.bins.iter().map(off).sum::<f64>() / pairs as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, stream, uniform};

    #[test]
    fn probabilities_that_are_right_have_a_small_error_and_others_have_not() {
        let mut rng = stream(0, Purpose::Synthetic, 92);
        let probabilities: Vec<f64> = (0..20_000).map(|_| uniform(&mut rng)).collect();
        let labels: Vec<bool> = probabilities.iter().map(|p| uniform(&mut rng) < *p).collect();
        let right = Calibration::new(&probabilities, &labels).unwrap();
        assert!(right.bins.iter().all(|bin| bin.pairs == 2000), "equal numbers");
        // Ten bins with errors of at most .5/√2000 each.
        assert!(right.error() < 0.03, "{}", right.error());
        let covered = right.bins.iter().filter(|bin| {
            let (low, high) = bin.interval(0.999).unwrap();
            low < bin.predicted && bin.predicted < high
        });
        assert!(covered.count() >= 9);
        let halves: Vec<f64> = probabilities.iter().map(|p| p / 2.0).collect();
        let wrong = Calibration::new(&halves, &labels).unwrap();
        // The mean of p/2.
        assert!((wrong.error() - 0.25).abs() < 0.02, "{}", wrong.error());
    }

    #[test]
    fn the_order_of_equal_pairs_does_not_matter_and_what_is_no_probability_is_refused() {
        let labels = [true, false, true, false, false, false];
        let one = Calibration::new(&[0.5; 6], &labels).unwrap();
        assert_eq!(one.bins, [Bin { pairs: 6, positives: 2, predicted: 0.5 }]);
        let few = Calibration::new(&[0.0, 1.0, 0.25], &[false, true, false]).unwrap();
        assert_eq!((few.bins.len(), few.error()), (3, 0.25 / 3.0));
        for bad in [-0.1, 1.1, f64::INFINITY] {
            let said = Calibration::new(&[0.5, bad], &[true, false]).unwrap_err().to_string();
            assert!(said.contains("between 0 and 1"), "{said}");
        }
        assert!(Calibration::new(&[0.5, f64::NAN], &[true, false]).is_err());
        let (low, high) = Bin { pairs: 10, positives: 10, predicted: 1.0 }.interval(0.95).unwrap();
        assert!((low - 0.7225).abs() < 1e-3 && high == 1.0, "{low}");
    }

    #[test]
    fn bins_have_equal_numbers_but_for_one_and_intervals_are_wilsons() {
        // In any order: 25 pairs in ten bins.
        let probabilities: Vec<f64> = (0..25).map(|i| f64::from(i * 7 % 25) / 25.0).collect();
        let labels: Vec<bool> = probabilities.iter().map(|p| *p >= 0.6).collect();
        let found = Calibration::new(&probabilities, &labels).unwrap();
        let pairs: Vec<u64> = found.bins.iter().map(|bin| bin.pairs).collect();
        assert_eq!(pairs, [2, 3, 2, 3, 2, 3, 2, 3, 2, 3]);
        let positives: Vec<u64> = found.bins.iter().map(|bin| bin.positives).collect();
        assert_eq!(positives, [0, 0, 0, 0, 0, 0, 2, 3, 2, 3]);
        let mut at = 0.0;
        for bin in &found.bins {
            // The mean of the next places.
            let middle = at + (bin.pairs as f64 - 1.0) / 2.0;
            assert!((bin.predicted - middle / 25.0).abs() < 1e-12, "{bin:?}");
            at += bin.pairs as f64;
        }
        let off: f64 =
            found.bins.iter().map(|bin| bin.pairs as f64 * (bin.predicted - bin.observed()).abs()).sum();
        assert!((found.error() - off / 25.0).abs() < 1e-12);
        for (pairs, positives, low, high) in [
            (20, 5, 0.111_862, 0.468_701),
            (10, 0, 0.0, 0.277_533),
            (10, 10, 0.722_467, 1.0),
            (1000, 300, 0.272_407, 0.329_124),
        ] {
            let found = Bin { pairs, positives, predicted: 0.5 }.interval(0.95).unwrap();
            assert!((found.0 - low).abs() < 2e-6 && (found.1 - high).abs() < 2e-6, "{found:?}");
        }
    }
}
