//! The atoms of a dictionary as a grid of small pictures.
//!
//! An atom is a vector of `rows · cols` places, row by row, with the channels of a place together, as the columns of the
//! dictionary matrix W in the paper are drawn: black is the largest entry of the atom, white is zero. Dictionaries with
//! negative entries take a diverging map from blue over white to orange; color images and one-hot labels have maps of
//! their own ([`Color`]). Each atom is scaled by itself; compare shapes, not heights, across atoms.

use crate::error::{PictureError, check};
use crate::pixels::Pixels;
use crate::shade::{Color, any_negative};
use crate::svg::open;
use crate::tiles::{Tiles, WIDEST, WIDTH, columns, embed};

/// Ground between the atoms of a PNG: neither white nor black, so that the edge of every atom shows.
const GROUND: [u8; 4] = [200, 200, 200, 255];

/// Width of the atoms of a sheet for each pixel of the gap between them.
const SHEET: usize = 16;

/// Atoms drawn as matrices.
///
/// ```
/// use ergodict_report::{AtomGrid, Color};
///
/// let atoms = [vec![1.0, 0.0, 0.0, 1.0], vec![0.0, 1.0, 1.0, 0.0]];
/// let grid = AtomGrid { labels: Some(vec!["0.7".into(), "0.3".into()]), ..AtomGrid::new(&atoms, (2, 2)) };
/// assert_eq!(grid.color, Color::Gray);
/// assert!(grid.svg()?.contains(">0.7</text>"));
/// # Ok::<(), ergodict_report::PictureError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct AtomGrid<'a> {
    /// The atoms, each row by row; the channels of a place stand together.
    pub atoms: &'a [Vec<f64>],
    /// Rows and columns of each atom.
    pub shape: (usize, usize),
    /// A word below each atom, for instance its dominance score; atoms beyond the end of the list have none.
    pub labels: Option<Vec<String>>,
    /// Atoms in a row; by default the grid is about as wide as high.
    pub columns: Option<usize>,
    /// Names of the rows and of the columns, at the left and above; often none.
    pub heads: (Vec<String>, Vec<String>),
    /// Entries of one place: 1, 3 for [`Color::Rgb`], the number of labels for [`Color::Labels`].
    pub channels: usize,
    /// How entries become colors.
    pub color: Color,
}

impl<'a> AtomGrid<'a> {
    /// A grid without labels, in the colors the signs of the entries ask for.
    pub fn new(atoms: &'a [Vec<f64>], shape: (usize, usize)) -> Self {
        let color = Color::for_atoms(atoms);
        Self { atoms, shape, labels: None, columns: None, heads: Default::default(), channels: 1, color }
    }

    /// The grid as an SVG element, one pixelated image for each atom.
    ///
    /// # Errors
    /// [`PictureError::Empty`] without atoms or entries, [`PictureError::Shape`] when an atom does not fit the shape,
    /// [`PictureError::Channels`] when the colors need another number of channels.
    pub fn svg(&self) -> Result<String, PictureError> {
        self.check()?;
        let tiles = self.tiles();
        let mut svg = tiles.open(&self.name());
        let signed = any_negative(self.atoms);
        for (i, atom) in self.atoms.iter().enumerate() {
            let colors = self.color.colors(atom, self.channels, signed)?;
            let image = Pixels::from_colors(&colors, self.shape.1, 1)?;
            tiles.begin(&mut svg, i);
            embed(&mut svg, &image, (0.0, 0.0), (tiles.width, tiles.height), true)?;
            tiles.end(&mut svg, i);
        }
        svg.push_str("</svg>");
        Ok(svg)
    }

    /// The grid as an SVG element that holds a single image without labels: for pages with many dictionaries.
    ///
    /// # Errors
    /// As [`AtomGrid::svg`], and [`PictureError::TooLarge`] above 2²⁶ pixels.
    pub fn sheet(&self) -> Result<String, PictureError> {
        // Entries of several pixels, so that small atoms do not stand far apart.
        let cell = (SHEET / self.shape.1.max(1)).max(1);
        let image = self.image(cell, (self.shape.1.saturating_mul(cell) / SHEET).max(1))?;
        let (width, height) = (image.width() as f64, image.height() as f64);
        let unit = (WIDTH / width).min(WIDEST / (self.shape.1 * cell) as f64);
        let size = (unit * width, unit * height);
        let mut svg = open("atoms", size.0, size.1, &self.name());
        embed(&mut svg, &image, (0.0, 0.0), size, false)?;
        svg.push_str("</svg>");
        Ok(svg)
    }

    /// The accessible name.
    fn name(&self) -> String {
        let ((rows, cols), count) = (self.shape, self.atoms.len());
        if count == 1 {
            return format!("1 atom as a {rows} by {cols} matrix");
        }
        format!("{count} atoms as {rows} by {cols} matrices")
    }

    fn tiles(&self) -> Tiles<'_> {
        let aspect = self.shape.0 as f64 / self.shape.1 as f64;
        let tiles = Tiles::atoms(self.atoms.len(), self.columns, self.labels.as_deref(), aspect);
        tiles.named(&self.heads.0, &self.heads.1)
    }

    fn check(&self) -> Result<(), PictureError> {
        let (rows, cols) = self.shape;
        if self.atoms.is_empty() || rows == 0 || cols == 0 || self.channels == 0 {
            return Err(PictureError::Empty { pictures: self.atoms.len(), rows, cols });
        }
        self.atoms.iter().enumerate().try_for_each(|(i, a)| check(i, a.len(), self.shape, self.channels))
    }

    /// All atoms on a gray ground, each place a square of `cell` pixels, `gap` pixels around each atom.
    fn image(&self, cell: usize, gap: usize) -> Result<Pixels, PictureError> {
        self.check()?;
        let (rows, cols) = self.shape;
        let across = columns(self.atoms.len(), self.columns);
        let down = self.atoms.len().div_ceil(across);
        let side = |entries: usize, tiles: usize| {
            entries.saturating_mul(cell).saturating_add(gap).saturating_mul(tiles).saturating_add(gap)
        };
        let mut image = Pixels::filled(side(cols, across), side(rows, down), GROUND)?;
        let signed = any_negative(self.atoms);
        for (i, atom) in self.atoms.iter().enumerate() {
            let (row, col) = (i / across, i % across);
            let corner = (gap + col * (cols * cell + gap), gap + row * (rows * cell + gap));
            image.paint(corner, &self.color.colors(atom, self.channels, signed)?, cols, cell);
        }
        Ok(image)
    }
}

/// The whole grid as one PNG file without text: each entry a square of `cell` pixels, a gray gap of two pixels (at
/// least; a quarter of a cell) around each atom.
///
/// # Errors
/// As [`AtomGrid::svg`], and [`PictureError::TooLarge`] above 2²⁶ pixels.
///
/// ```
/// use ergodict_report::{AtomGrid, atoms_png};
///
/// let file = atoms_png(&AtomGrid::new(&[vec![0.0, 1.0]], (1, 2)), 8)?;
/// assert_eq!(&file[1..4], b"PNG");
/// # Ok::<(), ergodict_report::PictureError>(())
/// ```
pub fn atoms_png(grid: &AtomGrid<'_>, cell: usize) -> Result<Vec<u8>, PictureError> {
    let cell = cell.max(1);
    grid.image(cell, (cell / 4).max(2))?.png()
}
