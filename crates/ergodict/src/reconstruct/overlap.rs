//! Overlap-averaged reconstruction.

use crate::factor::Factoriser;
use crate::linalg::Scalar;
use crate::patch::{Grid, Window};
use crate::{Error, Result};

/// How a grid is taken apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Overlap {
    /// The patches.
    pub window: Window,
    /// Places between the corners of neighbouring patches.
    pub stride: usize,
}

/// A grid put together again.
#[derive(Clone, PartialEq, Debug)]
pub struct Reconstruction {
    /// Row by row, the channels of a place together.
    pub values: Vec<f64>,
    /// Rows and columns.
    pub shape: (usize, usize),
    /// Numbers at each place.
    pub channels: usize,
    /// Patches coded.
    pub patches: u64,
}

impl Overlap {
    /// Codes every patch under the dictionary and averages what is rebuilt where patches overlap. `seen` is told after
    /// each batch how many patches are done, of how many; work stops with `None` when it answers false.
    ///
    /// # Errors
    /// As [`Window::corners`]; [`Error::Shape`] when the dictionary is of other patches.
    pub fn reconstruct<T: Scalar>(
        &self,
        factoriser: &mut Factoriser<T>,
        grid: &impl Grid,
        seen: &mut dyn FnMut(u64, u64) -> bool,
    ) -> Result<Option<Reconstruction>> {
        let _ = (factoriser, grid, seen, self.window);
        Err(Error::shape("SKELETON", "", ""))
    }
}

/// `‖a − b‖ / ‖b‖`; 0 when both are zero.
pub fn relative_error(a: &[f64], b: &[f64]) -> f64 {
    let _ = (a, b);
    f64::NAN
}

/// Peak signal-to-noise ratio `10 log₁₀(peak² / mean (a − b)²)`, in decibels; infinite for equal pictures.
pub fn psnr(a: &[f64], b: &[f64], peak: f64) -> f64 {
    let _ = (a, b, peak);
    f64::NAN
}
