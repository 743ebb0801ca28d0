//! Overlap-averaged reconstruction: every patch is reconstructed from its code, and places take the mean over their patches.
//!
//! | symbol | here | what |
//! |---|---|---|
//! | `X` | [`Overlap::window`] | the patches, one a column |
//! | `H = argmin ‖X − W H‖² + λ‖H‖₁` | [`Factorizer::transform`] | their codes, under the λ of the factorizer |
//! | `W H` | [`Factorizer::reconstruct`] | the patches reconstructed |
//!
//! On a torus the patches begin at the multiples of the stride all round. Inside edges they begin at the multiples of
//! the stride and at the last row and column where a patch fits, so that every place is covered either way.

use super::overlap_run::OverlapRun;
use crate::chain::Boundary;
use crate::data::Image;
use crate::factor::Factorizer;
use crate::linalg::Scalar;
use crate::patch::{Grid, Window};
use crate::{Error, Result};

/// Most patches coded of an image unless a stride is given. At stride 1 an image of 6 megapixels has thirty times as many, which takes
/// minutes.
pub const MOST_PATCHES: usize = 200_000;

/// How a grid is taken apart.
///
/// Every patch `x` is coded, `h = argmin ‖x − Wh‖² + λ‖h‖₁`, and each place takes the mean of `Wh` over the patches that cover it.
///
/// ```
/// use ergodict::{chain::Boundary, patch::Window, reconstruct::Overlap};
/// let window = Window { rows: 4, cols: 4, boundary: Boundary::Free };
/// let (rows, _) = Overlap { window, stride: 3 }.corners((12, 12))?;
/// assert_eq!(rows, [0, 3, 6, 8]); // the last patch ends at the edge
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Overlap {
    /// The patches.
    pub window: Window,
    /// Places between the corners of neighboring patches.
    pub stride: usize,
}

/// A grid put together again.
///
/// A place has the mean of `Wh` there, over all patches that cover it.
///
/// ```
/// use ergodict::{chain::Boundary, data::tessellation, linalg::Mat, patch::Window};
/// use ergodict::{factor::{Factorizer, FactorSettings}, reconstruct::{Overlap, relative_error}};
/// let image = tessellation(30, 30, false, 0)?;
/// let window = Window { rows: 4, cols: 4, boundary: Boundary::Free };
/// // Atoms of single pixels, without a penalty: every patch is reconstructed as it is.
/// let pixels = Mat::from_fn(16, 16, |i, j| f64::from(i == j));
/// let parameters = FactorSettings { lambda: 0.0, ..FactorSettings::new(16) };
/// let mut dictionary = Factorizer::from_dictionary(parameters, pixels.as_ref())?;
/// let rebuilt = Overlap { window, stride: 2 }.reconstruct(&mut dictionary, &image, &mut |_, _| true)?;
/// let rebuilt = rebuilt.expect("nothing stopped it");
/// assert!(rebuilt.shape == (30, 30) && relative_error(&rebuilt.values, &image.to_f64()) < 1e-5);
/// # Ok::<(), ergodict::Error>(())
/// ```
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

impl Reconstruction {
    /// The reconstruction as an image.
    ///
    /// # Errors
    /// As [`Image::new`], for what is no image.
    pub fn image(&self) -> Result<Image> {
        Image::new(self.shape, self.channels, self.values.iter().map(|v| *v as f32).collect())
    }
}

impl Overlap {
    /// The patches of a grid with the smallest stride, from `first` on, that makes at most `most` of them. No stride is
    /// longer than a side of the patch, so there may be more of them yet.
    ///
    /// # Errors
    /// As [`Overlap::corners`].
    pub fn spread(window: Window, shape: (usize, usize), first: usize, most: usize) -> Result<Self> {
        let longest = window.rows.min(window.cols);
        let mut overlap = Self { window, stride: first.min(longest) };
        loop {
            let (rows, cols) = overlap.corners(shape)?;
            if overlap.stride == longest || rows.len().saturating_mul(cols.len()) <= most {
                return Ok(overlap);
            }
            overlap.stride += 1;
        }
    }

    /// Rows, and columns, where patches begin, for a grid of the given shape.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a stride of 0, or one longer than a side of the patch, which would leave places out; as
    /// [`Window::corners`].
    pub fn corners(&self, shape: (usize, usize)) -> Result<(Vec<usize>, Vec<usize>)> {
        let (rows, cols) = self.window.corners(shape)?;
        let most = self.window.rows.min(self.window.cols);
        if self.stride == 0 || self.stride > most {
            let expected =
                format!("it must be at least 1 and at most {most}, or patches would not cover all positions");
            return Err(Error::parameter("the stride", self.stride, expected));
        }
        let along = |count: usize| {
            let mut at: Vec<usize> = (0..count).step_by(self.stride).collect();
            if self.window.boundary == Boundary::Free && at.last() != Some(&(count - 1)) {
                at.push(count - 1);
            }
            at
        };
        Ok((along(rows), along(cols)))
    }

    /// Codes every patch under the dictionary and averages the reconstructions where patches overlap. `seen` is called after
    /// each batch with the numbers of patches done and in all; work stops with `None` when it returns false. The memory
    /// taken is that of the result and of one batch.
    ///
    /// # Errors
    /// As [`Overlap::corners`]; [`Error::Shape`] when the dictionary is of other patches; as [`Factorizer::transform`].
    pub fn reconstruct<T: Scalar>(
        &self,
        factorizer: &mut Factorizer<T>,
        grid: &impl Grid,
        seen: &mut dyn FnMut(u64, u64) -> bool,
    ) -> Result<Option<Reconstruction>> {
        let mut run = OverlapRun::new(*self, factorizer, grid)?;
        while run.step()? {
            let (patches, total) = run.amount();
            if !seen(patches, total) {
                return Ok(None);
            }
        }
        Ok(run.finish())
    }
}

/// The same dictionary with another weight λ of `‖H‖₁`.
///
/// ```
/// use ergodict::{factor::{Factorizer, FactorSettings}, reconstruct::with_lambda};
/// let learned = Factorizer::<f64>::random(FactorSettings::new(2), 3, 0)?;
/// let sharper = with_lambda(&learned, 0.1)?;
/// assert_eq!((sharper.parameters().lambda, sharper.dictionary()), (0.1, learned.dictionary()));
/// # Ok::<(), ergodict::Error>(())
/// ```
///
/// # Errors
/// As [`Factorizer::resume`]: for a λ that is negative or not finite.
pub fn with_lambda<T: Scalar>(factorizer: &Factorizer<T>, lambda: f64) -> Result<Factorizer<T>> {
    let mut parameters = factorizer.parameters().clone();
    if lambda.is_infinite() {
        return Err(Error::parameter("lambda", lambda, "it must be a number that is not negative"));
    }
    parameters.lambda = lambda;
    Factorizer::resume(parameters, factorizer.dictionary().clone(), factorizer.aggregates().clone())
}

/// `‖a − b‖ / ‖b‖`: 0 when both are zero, infinite when only `b` is. NaN unless both have the same length.
///
/// ```
/// use ergodict::reconstruct::relative_error;
/// assert_eq!(relative_error(&[3.0, 0.0], &[0.0, 4.0]), 1.25);
/// ```
pub fn relative_error(a: &[f64], b: &[f64]) -> f64 {
    let norm = b.iter().map(|b| b * b).sum::<f64>().sqrt();
    let error = squared_distance(a, b).sqrt();
    if error == 0.0 { 0.0 } else { error / norm }
}

/// Peak signal-to-noise ratio `10 log₁₀(peak² / mean (a − b)²)`, in decibels; infinite for equal pictures. NaN unless
/// both have the same length.
///
/// ```
/// use ergodict::reconstruct::psnr;
/// assert!((psnr(&[0.1, 0.9], &[0.0, 1.0], 1.0) - 20.0).abs() < 1e-9); // errors of a tenth of the peak
/// ```
pub fn psnr(a: &[f64], b: &[f64], peak: f64) -> f64 {
    let mean = squared_distance(a, b) / a.len().max(1) as f64;
    if mean == 0.0 { f64::INFINITY } else { 10.0 * (peak * peak / mean).log10() }
}

fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    if a.len() != b.len() {
        return f64::NAN;
    }
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_is_covered_and_no_corner_comes_twice() {
        for boundary in [Boundary::Free, Boundary::Periodic] {
            for (side, patch) in [(1, 1), (5, 5), (7, 3), (16, 4), (17, 5), (23, 23)] {
                for stride in 1..=patch {
                    let window = Window { rows: patch, cols: patch, boundary };
                    let (rows, cols) = Overlap { window, stride }.corners((side, side + 2)).unwrap();
                    let mut covered = vec![0; side];
                    rows.iter().for_each(|r| (0..patch).for_each(|i| covered[(r + i) % side] += 1));
                    assert!(covered.iter().all(|n| *n > 0), "{side} {patch} {stride} {boundary:?}");
                    assert!(rows.is_sorted_by(|a, b| a < b) && cols.is_sorted_by(|a, b| a < b));
                    if boundary == Boundary::Free {
                        assert!(*rows.last().unwrap() + patch == side);
                    }
                }
            }
        }
    }

    #[test]
    fn measures_of_error_are_those_of_the_formulas() {
        assert_eq!(relative_error(&[3.0, 4.0], &[0.0, 4.0]), 0.75);
        assert_eq!(relative_error(&[0.0], &[0.0]), 0.0);
        assert_eq!(relative_error(&[1.0], &[0.0]), f64::INFINITY);
        assert!(relative_error(&[1.0], &[0.0, 1.0]).is_nan() && psnr(&[1.0], &[], 1.0).is_nan());
        assert!((psnr(&[0.1, 0.1], &[0.0, 0.2], 1.0) - 20.0).abs() < 1e-12);
        assert!((psnr(&[10.0], &[0.0], 100.0) - 20.0).abs() < 1e-12);
        assert_eq!(psnr(&[0.3], &[0.3], 1.0), f64::INFINITY);
    }

    #[test]
    fn the_stride_grows_with_the_image_up_to_the_patch() {
        let stride = |patch, shape, first, most, boundary| {
            let window = Window { rows: patch, cols: patch + 1, boundary };
            Overlap::spread(window, shape, first, most).map(|overlap| overlap.stride)
        };
        for (shape, first, most, expected) in [
            ((240, 240), 1, 200_000, 1),
            ((400, 500), 1, 200_000, 1),
            ((400, 501), 1, 200_000, 2),
            ((2000, 3000), 1, 200_000, 6),
            ((2000, 3000), 1, 60_000, 10),
            ((2000, 3000), 2, 60, 10),
            ((240, 240), 2, 60_000, 2),
            ((240, 240), 20, 60_000, 10),
        ] {
            let found = stride(10, shape, first, most, Boundary::Periodic).unwrap();
            assert_eq!(found, expected, "{shape:?} {first} {most}");
        }
        // Inside edges 391 rows and 490 columns remain.
        assert_eq!(stride(10, (400, 500), 1, 391 * 490, Boundary::Free).unwrap(), 1);
        assert_eq!(stride(10, (400, 500), 1, 391 * 490 - 1, Boundary::Free).unwrap(), 2);
        assert!(stride(10, (9, 500), 1, 1, Boundary::Free).is_err());
        assert!(stride(0, (9, 500), 1, 1, Boundary::Free).is_err());
    }
}
