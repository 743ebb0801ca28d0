//! Rectangular patches of anything that has values on a grid.

use crate::chain::Boundary;
use crate::linalg::{Mat, Scalar};
use crate::rng::below;
use crate::{Error, Result};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// Values on a grid: an image, or a configuration of spins as numbers.
///
/// ```
/// use ergodict::{chain::Boundary, patch::{Grid, Window}};
/// /// Heights above the sea.
/// struct Map(Vec<f64>);
/// impl Grid for Map {
///     fn shape(&self) -> (usize, usize) {
///         (2, 3)
///     }
///     fn channels(&self) -> usize {
///         1
///     }
///     fn value(&self, row: usize, col: usize, _: usize) -> f64 {
///         self.0[3 * row + col]
///     }
/// }
/// let (map, mut column) = (Map(vec![0.0, 1.0, 2.0, 3.0, 4.0, 5.0]), [0.0; 4]);
/// Window { rows: 2, cols: 2, boundary: Boundary::Periodic }.copy(&map, (0, 2), &mut column);
/// assert_eq!(column, [2.0, 0.0, 5.0, 3.0]);
/// ```
pub trait Grid {
    /// Rows and columns.
    fn shape(&self) -> (usize, usize);
    /// Numbers at each place, such as the three colors of a pixel.
    fn channels(&self) -> usize;
    /// One of them.
    fn value(&self, row: usize, col: usize, channel: usize) -> f64;

    /// Writes the numbers of the places `(row, col), (row, col + 1), …`, as many as `out` takes; none of them lies
    /// beyond the end of the row. Grids that can do better than one by one say how.
    fn copy_run<T: Scalar>(&self, row: usize, col: usize, out: &mut [T])
    where
        Self: Sized,
    {
        let channels = self.channels();
        for (j, place) in out.chunks_mut(channels.max(1)).enumerate() {
            for (channel, out) in place.iter_mut().enumerate() {
                *out = T::from_f64(self.value(row, col + j, channel));
            }
        }
    }
}

/// The patches of a grid: `rows × cols` places each, whose corners lie anywhere on the torus or wholly inside.
///
/// A patch is a column of `rows·cols·channels` numbers, row by row, the channels of a place together.
///
/// ```
/// use ergodict::{chain::Boundary, data::tessellation, linalg::Mat, patch::Window};
/// let (image, mut x) = (tessellation(42, 42, true, 0)?, Mat::<f64>::zeros(0, 0));
/// let window = Window { rows: 5, cols: 4, boundary: Boundary::Free };
/// let mut rng = ergodict::rng::stream(0, ergodict::rng::Purpose::Patches, 0);
/// window.sample(&image, 100, &mut rng, &mut x)?;
/// assert_eq!((window.corners((42, 42))?, x.rows(), x.cols()), ((38, 39), 60, 100));
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Window {
    /// Rows of a patch.
    pub rows: usize,
    /// Columns of a patch.
    pub cols: usize,
    /// Whether patches go on at the opposite edge.
    pub boundary: Boundary,
}

impl Window {
    /// Rows and columns of the places where the top left corner of a patch can be.
    ///
    /// # Errors
    /// [`Error::Shape`] when the grid is smaller than a patch, [`Error::Parameter`] for patches without places.
    pub fn corners(&self, shape: (usize, usize)) -> Result<(usize, usize)> {
        if self.rows == 0 || self.cols == 0 {
            let size = format!("{}×{}", self.rows, self.cols);
            return Err(Error::parameter("the patch", size, "it must have at least one row and column"));
        }
        if self.rows > shape.0 || self.cols > shape.1 {
            let expected = format!("at most {}×{}, the size of what it is cut from,", shape.0, shape.1);
            return Err(Error::shape("the patch", format!("{}×{}", self.rows, self.cols), expected));
        }
        Ok(match self.boundary {
            Boundary::Periodic => shape,
            Boundary::Free => (shape.0 - self.rows + 1, shape.1 - self.cols + 1),
        })
    }

    /// Numbers of a patch of data with this number of channels.
    pub fn features(&self, channels: usize) -> usize {
        self.rows * self.cols * channels
    }

    /// Writes the patch with the given top left corner; what lies beyond an edge is taken from the opposite one.
    pub fn copy<T: Scalar>(&self, grid: &impl Grid, corner: (usize, usize), column: &mut [T]) {
        let channels = grid.channels();
        self.runs(grid.shape(), corner, |row, col, from, places| {
            grid.copy_run(row, col, &mut column[from * channels..(from + places) * channels]);
        });
    }

    /// Tells `each` the patch in pieces that lie together in a row of the grid: the row and column where a piece
    /// begins, the place of the patch it begins at, and its number of places.
    pub(crate) fn runs(
        &self,
        (height, width): (usize, usize),
        corner: (usize, usize),
        mut each: impl FnMut(usize, usize, usize, usize),
    ) {
        if height == 0 || width == 0 {
            return;
        }
        for i in 0..self.rows {
            let (row, mut col, mut done) = ((corner.0 + i) % height, corner.1 % width, 0);
            while done < self.cols {
                let places = (width - col).min(self.cols - done);
                each(row, col, i * self.cols + done, places);
                (col, done) = (0, done + places);
            }
        }
    }

    /// Fills `x` with `count` patches at independent uniform places.
    ///
    /// # Errors
    /// As [`Window::corners`].
    pub fn sample<T: Scalar>(
        &self,
        grid: &impl Grid,
        count: usize,
        rng: &mut ChaCha8Rng,
        x: &mut Mat<T>,
    ) -> Result<()> {
        let (rows, cols) = self.corners(grid.shape())?;
        x.reset(self.features(grid.channels()), count);
        for j in 0..count {
            let corner = (below(rng, rows as u64) as usize, below(rng, cols as u64) as usize);
            self.copy(grid, corner, x.col_mut(j));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, stream};

    /// A grid whose values are their positions, and which leaves runs to the default.
    struct Places(usize, usize, usize);

    impl Grid for Places {
        fn shape(&self) -> (usize, usize) {
            (self.0, self.1)
        }
        fn channels(&self) -> usize {
            self.2
        }
        fn value(&self, row: usize, col: usize, channel: usize) -> f64 {
            assert!(row < self.0 && col < self.1 && channel < self.2);
            ((row * self.1 + col) * self.2 + channel) as f64
        }
    }

    #[test]
    fn a_patch_is_its_places_row_by_row_also_across_the_edges() {
        for grid in [Places(5, 7, 1), Places(4, 3, 3), Places(1, 1, 2)] {
            let window = Window { rows: grid.0.min(3), cols: grid.1.min(2), boundary: Boundary::Periodic };
            let mut patch = vec![0.0; window.features(grid.2)];
            for corner in (0..grid.0).flat_map(|row| (0..grid.1).map(move |col| (row, col))) {
                window.copy(&grid, corner, &mut patch);
                for (k, value) in patch.iter().enumerate() {
                    let (place, channel) = (k / grid.2, k % grid.2);
                    let (i, j) = (place / window.cols, place % window.cols);
                    let (row, col) = ((corner.0 + i) % grid.0, (corner.1 + j) % grid.1);
                    assert_eq!(*value, grid.value(row, col, channel));
                }
            }
        }
    }

    #[test]
    fn corners_are_drawn_uniformly_and_stay_inside_free_edges() {
        for (boundary, count) in [(Boundary::Free, 3 * 2), (Boundary::Periodic, 5 * 3)] {
            let (window, grid) = (Window { rows: 3, cols: 2, boundary }, Places(5, 3, 1));
            let mut x = Mat::<f64>::zeros(0, 0);
            let draws = 3000 * count;
            window.sample(&grid, draws, &mut stream(3, Purpose::Patches, 0), &mut x).unwrap();
            let mut seen = [0.0; 15];
            (0..draws).for_each(|j| seen[x.get(0, j) as usize] += 1.0);
            let chi2: f64 =
                seen.iter().filter(|n| **n > 0.0).map(|n| (n - 3000.0_f64).powi(2) / 3000.0).sum();
            assert_eq!(seen.iter().filter(|n| **n > 0.0).count(), count);
            // The 0.999 quantile for 14 degrees of freedom, the more of the two.
            assert!(chi2 < 36.1, "chi² {chi2} {boundary:?}");
            let inside = |j: usize| x.col(j).is_sorted_by(|a, b| a < b);
            assert_eq!((0..draws).all(inside), boundary == Boundary::Free);
        }
    }

    #[test]
    fn patches_larger_than_the_grid_or_without_places_are_refused() {
        let window = |rows, cols| Window { rows, cols, boundary: Boundary::Periodic };
        for (rows, cols) in [(0, 1), (1, 0), (6, 1), (1, 8)] {
            assert!(window(rows, cols).corners((5, 7)).is_err());
        }
        assert_eq!(window(5, 7).corners((5, 7)).unwrap(), (5, 7));
        assert_eq!(Window { boundary: Boundary::Free, ..window(5, 7) }.corners((5, 7)).unwrap(), (1, 1));
    }

    #[test]
    fn a_grid_without_places_has_no_runs() {
        let window = Window { rows: 2, cols: 3, boundary: Boundary::Periodic };
        for shape in [(0, 5), (5, 0), (0, 0)] {
            window.runs(shape, (0, 0), |_, _, _, _| panic!("a place of {shape:?}"));
        }
    }
}
