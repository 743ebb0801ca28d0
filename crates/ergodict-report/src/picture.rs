//! Pictures on a grid: images, lattices of spins, maps of errors.

use std::fmt::Write;

use crate::axis::significant;
use crate::error::{PictureError, check};
use crate::gif::Palette;
use crate::pixels::Pixels;
use crate::shade::{OWN_DIRECTIONS, Shade};
use crate::svg::{Px, escape, text_width};
use crate::tiles::{Tiles, embed};

/// Width and height of a color scale, its steps, and the height of its line.
const SCALE: (f64, f64) = (96.0, 11.0);
const STEPS: usize = 96;
const SCALE_LINE: f64 = 26.0;

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

    /// The pictures as an SVG element, each embedded as a PNG file with one pixel for each place, with the scale of
    /// colors that stand for numbers below.
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
        let mut tiles = Tiles::pictures(self.items.len(), self.columns, &labels, aspect, widest);
        let scales = self.scales();
        tiles.foot = SCALE_LINE * scales.len() as f64;
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
        for (i, (shade, name, [low, high])) in scales.iter().enumerate() {
            let y = tiles.bottom(tiles.down()) + SCALE_LINE * i as f64;
            let (from, to) = shade.ends().unwrap_or_default();
            let values: Vec<f64> =
                (0..STEPS).map(|k| from + (to - from) * k as f64 / (STEPS - 1) as f64).collect();
            let begin = if name.is_empty() { low.clone() } else { format!("{name}: {low}") };
            let (x, base) = (text_width(&begin) + 6.0, Px(y + SCALE.1));
            let _ = writeln!(
                svg,
                "<g class=\"ticks scale\">\n<text x=\"1\" y=\"{base}\">{}</text>",
                escape(&begin)
            );
            let image = Picture::new(&values, (1, STEPS), *shade).image(0, 1)?;
            embed(&mut svg, &image, (x, y), SCALE, true)?;
            let _ = writeln!(
                svg,
                "<text x=\"{}\" y=\"{base}\">{}</text>\n</g>",
                Px(x + SCALE.0 + 6.0),
                escape(high)
            );
        }
        svg.push_str("</svg>");
        Ok(svg)
    }

    /// The different colorings of numbers, each with the label of its picture, if not all pictures have it and it is the
    /// only one, and its ends.
    fn scales(&self) -> Vec<(Shade, String, [String; 2])> {
        let mut all: Vec<(Shade, String, [String; 2])> = Vec::new();
        for (picture, label) in &self.items {
            let shade = picture.shade;
            let Some((low, high)) = shade.ends().filter(|_| all.iter().all(|one| one.0 != shade)) else {
                continue;
            };
            let of = || self.items.iter().filter(|(picture, _)| picture.shade == shade);
            let beyond = of().any(|(picture, _)| picture.values.iter().any(|value| *value > high));
            let name = if of().count() == 1 && self.items.len() > 1 { label.clone() } else { String::new() };
            let high = format!("{}{}", if beyond { "≥ " } else { "" }, significant(high));
            all.push((shade, name, [significant(low), high]));
        }
        all
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
