//! Smaller pictures of large images.

/// How a picture is made smaller: every square block of pixels becomes one, their mean. Blocks at the right and lower edge
/// may be smaller.
///
/// ```
/// use ergodict_report::Reduction;
///
/// let smaller = Reduction::new((2, 4), 2);
/// assert_eq!(smaller.apply(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0], 1), [2.5, 4.5]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reduction {
    /// Pixels a side of a block.
    pub block: usize,
    from: (usize, usize),
    /// Rows and columns of what comes out.
    pub shape: (usize, usize),
}

impl Reduction {
    /// The least that leaves no side longer than `most`.
    pub fn new(from: (usize, usize), most: usize) -> Self {
        let block = from.0.max(from.1).div_ceil(most).max(1);
        Self { block, from, shape: (from.0.div_ceil(block), from.1.div_ceil(block)) }
    }

    /// The picture made smaller, row by row, the channels of a place together.
    pub fn apply(&self, values: &[f64], channels: usize) -> Vec<f64> {
        let cols = self.shape.1;
        let mut sums = vec![0.0; self.shape.0 * cols * channels];
        for (i, row) in values.chunks_exact(self.from.1 * channels).enumerate() {
            let sums = &mut sums[i / self.block * cols * channels..][..cols * channels];
            for (sum, block) in sums.chunks_exact_mut(channels).zip(row.chunks(self.block * channels)) {
                for pixel in block.chunks_exact(channels) {
                    sum.iter_mut().zip(pixel).for_each(|(sum, value)| *sum += value);
                }
            }
        }
        let along = |at: usize, all: usize| self.block.min(all - at * self.block);
        for (place, sum) in sums.chunks_exact_mut(channels).enumerate() {
            let pixels = along(place / cols, self.from.0) * along(place % cols, self.from.1);
            sum.iter_mut().for_each(|value| *value /= pixels as f64);
        }
        sums
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_become_their_mean() {
        // Three rows of five places with two channels, the second ten times the first.
        let values: Vec<f64> = (0..15).flat_map(|v| [f64::from(v), f64::from(10 * v)]).collect();
        let smaller = Reduction::new((3, 5), 3);
        assert_eq!((smaller.block, smaller.shape), (2, (2, 3)));
        let first = [3.0, 5.0, 6.5, 10.5, 12.5, 14.0];
        let expected: Vec<f64> = first.iter().flat_map(|v| [*v, 10.0 * v]).collect();
        assert_eq!(smaller.apply(&values, 2), expected);
        assert_eq!(Reduction::new((3, 5), 1).apply(&values, 2), [7.0, 70.0]);
    }

    #[test]
    fn small_pictures_stay_as_they_are_and_no_side_is_too_long() {
        let values: Vec<f64> = (0..15).map(f64::from).collect();
        assert_eq!(Reduction::new((3, 5), 5).apply(&values, 1), values);
        for (rows, cols) in [(1, 100_000), (480, 481), (2000, 3000), (961, 7)] {
            let smaller = Reduction::new((rows, cols), 480);
            assert!(smaller.shape.0.max(smaller.shape.1) <= 480 && smaller.shape.0 > 0, "{smaller:?}");
            let ones = smaller.apply(&vec![1.0; rows * cols], 1);
            assert!(ones.len() == smaller.shape.0 * smaller.shape.1 && ones.iter().all(|v| *v == 1.0));
        }
    }
}
