//! Rectangular patches of anything that has values on a grid.

use crate::chain::Boundary;
use crate::chain::rng::below;
use crate::linalg::{Mat, Scalar};
use crate::{Error, Result};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// Values on a grid: an image, or a configuration of spins as numbers.
pub trait Grid {
    /// Rows and columns.
    fn shape(&self) -> (usize, usize);
    /// Numbers at each place, such as the three colours of a pixel.
    fn channels(&self) -> usize;
    /// One of them.
    fn value(&self, row: usize, col: usize, channel: usize) -> f64;
}

/// The patches of a grid: `rows × cols` places each, whose corners lie anywhere on the torus or wholly inside.
///
/// A patch is a column of `rows·cols·channels` numbers, row by row, the channels of a place together.
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

    /// Writes the patch with the given top left corner.
    pub fn copy<T: Scalar>(&self, grid: &impl Grid, corner: (usize, usize), column: &mut [T]) {
        let ((height, width), channels) = (grid.shape(), grid.channels());
        let mut out = column.iter_mut();
        for i in 0..self.rows {
            let row = (corner.0 + i) % height;
            for j in 0..self.cols {
                let col = (corner.1 + j) % width;
                for (channel, out) in (0..channels).zip(&mut out) {
                    *out = T::from_f64(grid.value(row, col, channel));
                }
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
        x.reset(self.rows * self.cols * grid.channels(), count);
        for j in 0..count {
            let corner = (below(rng, rows as u64) as usize, below(rng, cols as u64) as usize);
            self.copy(grid, corner, x.col_mut(j));
        }
        Ok(())
    }
}
