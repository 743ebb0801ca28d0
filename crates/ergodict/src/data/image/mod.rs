//! Images: gray or color pixels, and, with the feature `image`, the files they come from and go to.

#[cfg(feature = "image")]
mod file;
#[cfg(feature = "image")]
mod jpeg;
#[cfg(feature = "image")]
mod orientation;
#[cfg(feature = "image")]
mod pixels;
#[cfg(feature = "image")]
mod png;
#[cfg(feature = "image")]
mod pnm;
#[cfg(feature = "image")]
mod tiff;

use crate::{Error, Result};
#[cfg(feature = "image")]
pub use file::ImageNotes;

/// Most pixels of an image: as color they take 1.5 GiB. A small file can claim any size.
const MOST_PIXELS: u64 = 1 << 27;

/// Rec. 709 luma, of the values as they are stored.
pub(crate) fn luma([r, g, b]: [f64; 3]) -> f64 {
    (0.2126 * r + 0.7152 * g + 0.0722 * b).clamp(0.0, 1.0)
}

/// A gray or color image; black is 0, white is 1.
///
/// ```
/// use ergodict::data::Image;
/// let image = Image::new((2, 3), 1, vec![0.0, 0.2, 0.4, 0.6, 0.8, 1.0])?;
/// assert_eq!((image.shape(), image.channels(), image.values()[1]), ((2, 3), 1, 0.2));
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Image {
    shape: (usize, usize),
    channels: usize,
    values: Vec<f32>,
}

impl Image {
    /// An image of `shape` (rows, columns) with 1 channel or 3, row by row, the channels of a pixel together. Values
    /// of files are in [0, 1]; those of a computation, such as added noise, may leave it.
    ///
    /// # Errors
    /// [`Error::Parameter`] for no pixels, too many, or other channels; [`Error::Shape`] for another number of values;
    /// [`Error::NotFinite`] (the sample is the pixel, the feature its channel).
    pub fn new(shape: (usize, usize), channels: usize, values: Vec<f32>) -> Result<Self> {
        let pixels = Self::check(shape.0, shape.1)?;
        if channels != 1 && channels != 3 {
            let expected = "it must be 1 for gray or 3 for red, green and blue";
            return Err(Error::parameter("the number of channels of an image", channels, expected));
        }
        let needed = pixels * channels;
        if values.len() != needed {
            let expected = format!("{needed} for {}×{} pixels of {channels}", shape.1, shape.0);
            return Err(Error::shape("the image", format!("{} values", values.len()), expected));
        }
        if let Some(at) = values.iter().position(|v| !v.is_finite()) {
            let (sample, feature) = ((at / channels) as u64, (at % channels) as u64);
            return Err(Error::NotFinite { sample, feature, value: f64::from(values[at]) });
        }
        Ok(Self { shape, channels, values })
    }

    /// The number of pixels, if an image may have that many.
    pub(crate) fn check(rows: usize, cols: usize) -> Result<usize> {
        let pixels = rows.checked_mul(cols).filter(|n| (1..=MOST_PIXELS).contains(&(*n as u64)));
        pixels.ok_or_else(|| {
            let expected = format!("it must have at least one pixel and at most {MOST_PIXELS}");
            Error::parameter("the image", format!("{cols}×{rows}"), expected)
        })
    }

    /// Rows and columns.
    pub fn shape(&self) -> (usize, usize) {
        self.shape
    }

    /// 1 for gray, 3 for red, green and blue.
    pub fn channels(&self) -> usize {
        self.channels
    }

    /// The values, row by row, the channels of a pixel together.
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// In gray, where red, green and blue are the same at every pixel; otherwise as it is.
    ///
    /// ```
    /// use ergodict::data::Image;
    /// assert_eq!(Image::new((1, 2), 3, vec![0.5, 0.5, 0.5, 1.0, 1.0, 1.0])?.without_equal_channels().values(), [0.5, 1.0]);
    /// # Ok::<(), ergodict::Error>(())
    /// ```
    #[must_use]
    pub fn without_equal_channels(self) -> Self {
        let equal = |pixel: &[f32]| pixel.iter().all(|v| *v == pixel[0]);
        if self.channels == 1 || !self.values.chunks_exact(self.channels).all(equal) {
            return self;
        }
        let values = self.values.iter().step_by(self.channels).copied().collect();
        Self { shape: self.shape, channels: 1, values }
    }

    /// The values as `f64`, as measures of error take them.
    pub fn to_f64(&self) -> Vec<f64> {
        self.values.iter().map(|v| f64::from(*v)).collect()
    }
}
