//! Histograms of numbers: bins of equal width, and their shares as steps of a curve.

/// Bins between two ends.
///
/// ```
/// use ergodict_report::histogram::Bins;
///
/// let values = [0.0, 0.1, 0.5, 1.0];
/// let bins = Bins::over(&values, 2).unwrap();
/// assert_eq!(bins.counts(&values), [2, 2]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bins {
    low: f64,
    high: f64,
    count: usize,
}

impl Bins {
    /// Over all finite values, in this number of bins; none where there are none. Equal values have a bin around them.
    pub fn over<'a>(values: impl IntoIterator<Item = &'a f64>, count: usize) -> Option<Self> {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.into_iter().filter(|value| value.is_finite()) {
            (low, high) = (low.min(*value), high.max(*value));
        }
        if low > high {
            return None;
        }
        let room = if high > low { 0.0 } else { low.abs().max(1.0) / 2.0 };
        Some(Self { low: low - room, high: high + room, count: count.max(1) })
    }

    /// Where bin `i` begins, and bin `i − 1` ends.
    pub fn edge(&self, i: usize) -> f64 {
        self.low + (self.high - self.low) * i as f64 / self.count as f64
    }

    /// How many values are in each bin; what lies outside belongs to the nearest.
    pub fn counts<'a>(&self, values: impl IntoIterator<Item = &'a f64>) -> Vec<u64> {
        let mut counts = vec![0; self.count];
        for value in values.into_iter().filter(|value| !value.is_nan()) {
            counts[self.bin(*value)] += 1;
        }
        counts
    }

    /// The bin of a value; what lies outside belongs to the nearest.
    pub fn bin(&self, value: f64) -> usize {
        let place = (value - self.low) / (self.high - self.low) * self.count as f64;
        (place.max(0.0) as usize).min(self.count - 1)
    }

    /// The shares of counts as steps, from the first edge to the last.
    pub fn steps(&self, counts: &[u64]) -> Vec<(f64, f64)> {
        let all = counts.iter().sum::<u64>().max(1) as f64;
        let step =
            |(i, n): (usize, &u64)| [(self.edge(i), *n as f64 / all), (self.edge(i + 1), *n as f64 / all)];
        counts.iter().enumerate().flat_map(step).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_is_in_one_bin() {
        let values = [0.0, 0.1, 0.5, 0.99, 1.0, f64::NAN];
        let bins = Bins::over(&values, 4).unwrap();
        assert_eq!(bins.counts(&values), [2, 0, 1, 2]);
        assert_eq!([-7.0, 0.3, 0.5, 1.0, 9.0].map(|value| bins.bin(value)), [0, 1, 2, 3, 3]);
        assert_eq!((bins.edge(0), bins.edge(4)), (0.0, 1.0));
        assert_eq!(bins.steps(&[1, 0, 0, 3])[..3], [(0.0, 0.25), (0.25, 0.25), (0.25, 0.0)]);
        let equal = Bins::over(&[3.0, 3.0], 2).unwrap();
        assert_eq!(equal.counts(&[3.0, 3.0]).iter().sum::<u64>(), 2);
        assert!(Bins::over(&[f64::NAN], 2).is_none());
    }
}
