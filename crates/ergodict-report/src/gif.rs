//! Trajectories of spins and labels as looping GIF files; the only file that names the `gif` crate.

use std::io::{self, Write};

use crate::error::{PictureError, check};
use crate::shade::{OWN_DIRECTIONS, OWN_LABELS, direction, direction_index, label};

/// Frames are enlarged to at most this many pixels a side.
const MOST: usize = 800;

/// The colors of spins and labels.
///
/// ```
/// use ergodict_report::{GifWriter, Palette};
/// let mut gif = GifWriter::new(Vec::new(), (1, 2), Palette::Labels, 4, 100)?;
/// gif.frame(&[0, 100])?;
/// assert!(gif.frame(&[0, -1]).is_err()); // no label
/// # Ok::<(), ergodict_report::GifError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Palette {
    /// 1 is black, −1 and 0 are white.
    #[default]
    BlackWhite,
    /// The labels 0 to 127, as [`crate::Shade::Labels`] draws them: 0 is white, and 24 colors follow in turn.
    Labels,
    /// Angles, as [`crate::Shade::Angle`] draws them: numbers from [`Palette::angle`].
    Angles,
}

impl Palette {
    /// The number that encodes an angle among [`Palette::Angles`].
    ///
    /// ```
    /// use ergodict_report::Palette;
    /// assert_eq!((Palette::angle(0.0), Palette::angle(std::f64::consts::PI)), (0, 64));
    /// ```
    pub fn angle(radians: f64) -> i8 {
        direction_index(radians) as i8
    }

    /// Refuses the first entry without a color.
    pub(crate) fn check(self, frame: &[i8]) -> Result<(), PictureError> {
        let (least, most, needed) = match self {
            Self::BlackWhite => (-1, 1, "a spin: −1, 0 or 1"),
            Self::Labels => (0, i8::MAX, "a label: a whole number from 0"),
            Self::Angles => (0, i8::MAX, "the number of a direction, 0 to 127"),
        };
        match frame.iter().position(|v| !(least..=most).contains(v)) {
            Some(entry) => Err(PictureError::Label { entry, value: f64::from(frame[entry]), needed }),
            None => Ok(()),
        }
    }

    fn colors(self) -> Vec<u8> {
        match self {
            Self::BlackWhite => vec![255, 255, 255, 0, 0, 0],
            Self::Labels => (0..OWN_LABELS).flat_map(label).collect(),
            Self::Angles => (0..OWN_DIRECTIONS).flat_map(direction).collect(),
        }
    }

    /// The place of entry `v` among the colors.
    fn index(self, v: i8) -> u8 {
        match (self, v) {
            (_, ..=0) => 0,
            (Self::BlackWhite, _) => 1,
            (Self::Labels, k) => 1 + (k as u8 - 1) % (OWN_LABELS as u8 - 1),
            (Self::Angles, k) => k as u8,
        }
    }
}

/// Why a GIF file could not be written.
///
/// ```
/// use ergodict_report::{GifError, GifWriter, Palette, PictureError};
/// let nothing = GifWriter::new(Vec::new(), (0, 2), Palette::default(), 4, 100);
/// assert!(matches!(nothing, Err(GifError::Picture(PictureError::Empty { .. }))));
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GifError {
    /// The frame cannot be drawn; frames are counted from 0.
    #[error(transparent)]
    Picture(#[from] PictureError),
    /// The file cannot be written.
    #[error("the GIF file could not be written: {0}")]
    Io(#[from] io::Error),
}

impl From<gif::EncodingError> for GifError {
    fn from(error: gif::EncodingError) -> Self {
        match error {
            gif::EncodingError::Io(error) => Self::Io(error),
            other => Self::Io(io::Error::other(other)),
        }
    }
}

/// Writes frames of spins or labels, one by one, as a GIF file that loops for ever.
///
/// ```
/// use ergodict_report::{GifWriter, Palette};
///
/// let mut gif = GifWriter::new(Vec::new(), (2, 2), Palette::BlackWhite, 8, 100)?;
/// gif.frame(&[1, -1, -1, 1])?;
/// gif.frame(&[-1, 1, 1, -1])?;
/// assert_eq!(&gif.finish()?[..6], b"GIF89a");
/// # Ok::<(), ergodict_report::GifError>(())
/// ```
pub struct GifWriter<W: Write> {
    encoder: gif::Encoder<W>,
    shape: (usize, usize),
    cell: usize,
    palette: Palette,
    /// Hundredths of a second between frames.
    delay: u16,
    frames: usize,
    pixels: Vec<u8>,
}

impl<W: Write> GifWriter<W> {
    /// A file for frames of `shape` (rows, columns), each place a square of `cell` pixels, `delay_ms` apart.
    ///
    /// Cells shrink, to one pixel if need be, until no side has more than 800 pixels: large lattices are not enlarged.
    /// The delay is rounded to hundredths of a second, two at least: browsers slow shorter ones down.
    ///
    /// # Errors
    /// [`PictureError::Empty`] without places, [`PictureError::TooLarge`] with a side above 65 535,
    /// [`GifError::Io`] when the head of the file cannot be written.
    pub fn new(
        out: W,
        shape: (usize, usize),
        palette: Palette,
        cell: usize,
        delay_ms: u32,
    ) -> Result<Self, GifError> {
        let (rows, cols) = shape;
        if rows == 0 || cols == 0 {
            return Err(PictureError::Empty { pictures: 1, rows, cols }.into());
        }
        let cell = cell.min(MOST / rows.max(cols)).max(1);
        let too_large = |_| PictureError::TooLarge { width: cols, height: rows };
        let width = u16::try_from(cols * cell).map_err(too_large)?;
        let height = u16::try_from(rows * cell).map_err(too_large)?;
        let mut encoder = gif::Encoder::new(out, width, height, &palette.colors())?;
        encoder.set_repeat(gif::Repeat::Infinite)?;
        let delay = u16::try_from((delay_ms.saturating_add(5) / 10).max(2)).unwrap_or(u16::MAX);
        Ok(Self { encoder, shape, cell, palette, delay, frames: 0, pixels: Vec::new() })
    }

    /// Adds a frame, row by row.
    ///
    /// # Errors
    /// [`PictureError::Shape`] when the frame does not fit the shape, [`PictureError::Label`] when an entry has no color,
    /// [`GifError::Io`] when the file cannot be written.
    pub fn frame(&mut self, frame: &[i8]) -> Result<(), GifError> {
        check(self.frames, frame.len(), self.shape, 1)?;
        self.palette.check(frame)?;
        let ((rows, cols), cell) = (self.shape, self.cell);
        self.pixels.clear();
        for row in frame.chunks_exact(cols) {
            let begin = self.pixels.len();
            for &v in row {
                self.pixels.extend(std::iter::repeat_n(self.palette.index(v), cell));
            }
            for _ in 1..cell {
                self.pixels.extend_from_within(begin..begin + cols * cell);
            }
        }
        let picture = gif::Frame {
            width: (cols * cell) as u16,
            height: (rows * cell) as u16,
            delay: self.delay,
            buffer: self.pixels.as_slice().into(),
            ..gif::Frame::default()
        };
        self.encoder.write_frame(&picture)?;
        self.frames += 1;
        Ok(())
    }

    /// Closes the file and hands it back.
    ///
    /// # Errors
    /// [`PictureError::Empty`] without a frame, [`GifError::Io`] when the end of the file cannot be written.
    pub fn finish(self) -> Result<W, GifError> {
        if self.frames == 0 {
            return Err(PictureError::Empty { pictures: 0, rows: self.shape.0, cols: self.shape.1 }.into());
        }
        let mut out = self.encoder.into_inner()?;
        out.flush()?;
        Ok(out)
    }
}
