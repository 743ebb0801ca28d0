//! Pixels as a decoder gives them, and what becomes of them.

use super::{Image, MOST_PIXELS, luma, orientation};
use std::result::Result;

/// Most bytes a decoder may take.
pub(super) const DECODER_BYTES: usize = 1 << 31;

/// Why a file gives no pixels; the words end a sentence.
#[derive(Debug)]
pub(super) enum Problem {
    WindowCut(String),
    Damaged(String),
    Memory(String),
    Unsupported(String),
    /// No pixels or too many: width and height.
    Size(u64, u64),
}

/// The numbers of an image, row by row, the channels of a pixel together.
pub(super) enum Samples {
    Bits8(Vec<u8>),
    Bits16(Vec<u16>),
    Float(Vec<f32>),
}

/// A decoded file.
pub(super) struct Pixels {
    /// Rows and columns.
    pub(super) shape: (usize, usize),
    /// 1 for gray, 3 for red, green and blue.
    pub(super) colors: usize,
    /// Whether a channel of opacity follows the colors.
    pub(super) alpha: bool,
    pub(super) samples: Samples,
    /// From 1 to 8, as Exif counts them; 1 is upright.
    pub(super) orientation: u8,
}

/// The shape of an image of this width and height, if it may be so large.
pub(super) fn shape(width: u64, height: u64) -> Result<(usize, usize), Problem> {
    match width.checked_mul(height) {
        Some(1..=MOST_PIXELS) => Ok((height as usize, width as usize)),
        _ => Err(Problem::Size(width, height)),
    }
}

impl Pixels {
    /// The pixels in color or in gray, or as they are stored, and what was decided.
    pub(super) fn convert(self, color: Option<bool>) -> Result<(Image, Vec<String>), String> {
        let Self { shape, colors, alpha, .. } = self;
        let (as_stored, color) = (color.is_none(), color.unwrap_or(colors == 3));
        let channels = if color { 3 } else { 1 };
        let found = match &self.samples {
            Samples::Bits8(v) => v.len(),
            Samples::Bits16(v) => v.len(),
            Samples::Float(v) => v.len(),
        };
        if found != shape.0 * shape.1 * (colors + usize::from(alpha)) {
            return Err(format!(
                "has {found} numbers for {}×{} pixels: the file is damaged",
                shape.1, shape.0
            ));
        }
        let mut values = Vec::with_capacity(shape.0 * shape.1 * channels);
        let (mut clipped, mut broken, mut see_through) = (0_u64, 0_u64, false);
        let mut push = |pixel: &[f64]| {
            let mut given = [0.0; 4];
            for (to, &from) in given.iter_mut().zip(pixel) {
                broken += u64::from(!from.is_finite());
                clipped += u64::from(!(0.0..=1.0).contains(&from));
                *to = from.clamp(0.0, 1.0);
            }
            let opacity = if alpha { given[colors] } else { 1.0 };
            see_through |= opacity < 1.0;
            let over_white = |c: f64| opacity * c + (1.0 - opacity);
            match (color, colors) {
                (false, 1) => values.push(over_white(given[0]) as f32),
                (false, _) => {
                    values.push(over_white(luma([given[0], given[1], given[2]])) as f32);
                }
                (true, 1) => values.extend([over_white(given[0]) as f32; 3]),
                (true, _) => values.extend([given[0], given[1], given[2]].map(|c| over_white(c) as f32)),
            }
        };
        let stored = colors + usize::from(alpha);
        let mut pixel = [0.0; 4];
        macro_rules! pixels {
            ($samples:expr, $scale:expr) => {
                for stored_pixel in $samples.chunks_exact(stored) {
                    pixel.iter_mut().zip(stored_pixel).for_each(|(to, from)| *to = f64::from(*from) / $scale);
                    push(&pixel[..stored]);
                }
            };
        }
        let bits = match self.samples {
            Samples::Bits8(samples) => {
                pixels!(samples, 255.0);
                "8 bit"
            }
            Samples::Bits16(samples) => {
                pixels!(samples, 65535.0);
                "16 bit"
            }
            Samples::Float(samples) => {
                pixels!(samples, 1.0);
                "32-bit float"
            }
        };
        if broken > 0 {
            let values = if broken == 1 {
                "value that is not a finite number"
            } else {
                "values that are not finite numbers"
            };
            return Err(format!("holds {broken} {values}"));
        }
        let mut notes = vec![if colors == 3 { "color" } else { "gray" }.to_owned(), bits.to_owned()];
        match (color, colors) {
            (false, 3) => notes.push("color turned to gray".into()),
            (true, 1) => notes.push("gray taken as color".into()),
            _ => {}
        }
        if see_through {
            notes.push("alpha blended over white".into());
        } else if alpha {
            notes.push("alpha dropped, as it is opaque everywhere".into());
        }
        if clipped > 0 {
            notes.push(format!("{clipped} values outside [0, 1] clipped"));
        }
        let (shape, values) = orientation::turn(self.orientation, shape, channels, values);
        let mut image = Image::new(shape, channels, values).map_err(|e| e.to_string())?;
        if as_stored && color {
            image = image.without_equal_channels();
            if image.channels == 1 {
                notes.push("equal channels taken as gray".into());
            }
        }
        Ok((image, notes))
    }
}
