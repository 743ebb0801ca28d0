//! Pictures on a grid: images, lattices of spins, maps of errors.

use crate::error::{PictureError, check};
use crate::gif::Palette;
use crate::pixels::Pixels;
use crate::shade::{OWN_DIRECTIONS, Shade};
use crate::tiles::{Tiles, embed};

/// Pictures with a side of at least this many places are never drawn larger than one unit for each place.
const LARGE: usize = 400;

/// A picture on a grid.
///
/// ```
/// use ergodict_report::{Picture, Shade};
///
/// let spins = Picture::new(&[1.0, -1.0, -1.0, 1.0], (2, 2), Shade::Ink { low: -1.0, high: 1.0 });
/// assert_eq!(&spins.png(8)?[1..4], b"PNG");
/// # Ok::<(), ergodict_report::PictureError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Picture<'a> {
    /// The entries, row by row; the channels of a place stand together.
    pub values: &'a [f64],
    /// Rows and columns.
    pub shape: (usize, usize),
    /// Entries of one place: 3 for [`Shade::Rgb`], else 1.
    pub channels: usize,
    /// How entries become colors.
    pub shade: Shade,
}

impl<'a> Picture<'a> {
    /// A picture with as many channels as its shade needs.
    pub fn new(values: &'a [f64], shape: (usize, usize), shade: Shade) -> Self {
        Self { values, shape, channels: if shade == Shade::Rgb { 3 } else { 1 }, shade }
    }

    /// The picture as a PNG file, each place a square of `cell` pixels (at least one).
    ///
    /// # Errors
    /// [`PictureError::Empty`] without places, [`PictureError::Shape`] when the values do not fit the shape,
    /// [`PictureError::Channels`] when the shade needs another number of channels, [`PictureError::Scale`] when its ends
    /// are not finite and ascending, [`PictureError::Label`] for a label that is negative or no whole number,
    /// [`PictureError::TooLarge`] above 2²⁶ pixels.
    pub fn png(&self, cell: usize) -> Result<Vec<u8>, PictureError> {
        self.image(0, cell)?.png()
    }

    /// The picture, which is no. `at` of several.
    fn image(&self, at: usize, cell: usize) -> Result<Pixels, PictureError> {
        check(at, self.values.len(), self.shape, self.channels)?;
        Pixels::from_colors(&self.shade.colors(self.values, self.channels)?, self.shape.1, cell.max(1))
    }

    /// Height over width, at least 1/8 and at most 8.
    fn aspect(&self) -> f64 {
        (self.shape.0 as f64 / self.shape.1 as f64).clamp(0.125, 8.0)
    }

    /// The width it may have on a page.
    fn widest(&self) -> f64 {
        if self.shape.0.max(self.shape.1) < LARGE { f64::INFINITY } else { self.shape.1 as f64 }
    }
}

/// Pictures side by side, each with a label below.
///
/// ```
/// use ergodict_report::{Picture, Pictures, Shade};
///
/// let (image, error) = ([0.2, 0.9], [0.0, 0.1]);
/// let pictures = Pictures::new(vec![
///     (Picture::new(&image, (1, 2), Shade::Photo { low: 0.0, high: 1.0 }), "image".into()),
///     (Picture::new(&error, (1, 2), Shade::Heat { full: 0.5 }), "error".into()),
/// ]);
/// assert!(pictures.svg()?.contains(">error</text>"));
/// # Ok::<(), ergodict_report::PictureError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pictures<'a> {
    /// The pictures and their labels, which may be empty; a long label takes up to three lines.
    pub items: Vec<(Picture<'a>, String)>,
    /// Pictures in a row; by default at most four, in rows about equally long.
    pub columns: Option<usize>,
}

impl<'a> Pictures<'a> {
    /// Pictures in rows of at most four.
    pub fn new(items: Vec<(Picture<'a>, String)>) -> Self {
        Self { items, columns: None }
    }

    /// The pictures as an SVG element, each embedded as a PNG file with one pixel for each place.
    ///
    /// One to four of them fill the width of the page; pictures of 400 places a side or more are never enlarged.
    ///
    /// # Errors
    /// As [`Picture::png`], and [`PictureError::Empty`] without pictures.
    pub fn svg(&self) -> Result<String, PictureError> {
        if self.items.is_empty() {
            return Err(PictureError::Empty { pictures: 0, rows: 0, cols: 0 });
        }
        let images =
            self.items.iter().enumerate().map(|(i, (p, _))| p.image(i, 1)).collect::<Result<Vec<_>, _>>()?;
        let pictures = || self.items.iter().map(|(p, _)| p);
        let aspect = pictures().map(Picture::aspect).fold(0.125, f64::max);
        let widest = pictures().map(Picture::widest).fold(0.0, f64::max);
        let labels: Vec<String> = self.items.iter().map(|(_, label)| label.clone()).collect();
        let tiles = Tiles::pictures(self.items.len(), self.columns, &labels, aspect, widest);
        let named = labels.iter().any(|l| !l.is_empty());
        let name = if named { labels.join(", ") } else { format!("{} pictures", labels.len()) };
        let mut svg = tiles.open(&name);
        for (i, (picture, image)) in pictures().zip(&images).enumerate() {
            let width = tiles.width.min(tiles.height / picture.aspect()).min(picture.widest());
            let height = width * picture.aspect();
            let corner = ((tiles.width - width) / 2.0, (tiles.height - height) / 2.0);
            tiles.begin(&mut svg, i);
            embed(&mut svg, image, corner, (width, height), true)?;
            tiles.end(&mut svg, i);
        }
        svg.push_str("</svg>");
        Ok(svg)
    }
}

/// One frame of a trajectory as a PNG file, in the colors of [`crate::GifWriter`], each place a square of `cell` pixels.
///
/// # Errors
/// As [`Picture::png`], and [`PictureError::Label`] for an entry the palette has no color for.
///
/// ```
/// use ergodict_report::{Palette, frame_png};
///
/// let file = frame_png(&[1, -1, -1, 1], (2, 2), Palette::BlackWhite, 4)?;
/// assert_eq!(&file[1..4], b"PNG");
/// # Ok::<(), ergodict_report::PictureError>(())
/// ```
pub fn frame_png(
    frame: &[i8],
    shape: (usize, usize),
    palette: Palette,
    cell: usize,
) -> Result<Vec<u8>, PictureError> {
    palette.check(frame)?;
    let turn = if palette == Palette::Angles { std::f64::consts::TAU / OWN_DIRECTIONS as f64 } else { 1.0 };
    let values: Vec<f64> = frame.iter().map(|&v| turn * f64::from(v)).collect();
    let shade = match palette {
        Palette::BlackWhite => Shade::Ink { low: 0.0, high: 1.0 },
        Palette::Labels => Shade::Labels,
        Palette::Angles => Shade::Angle,
    };
    Picture::new(&values, shape, shade).png(cell)
}
