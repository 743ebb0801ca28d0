//! The atoms of a dictionary as a grid of small pictures.
//!
//! An atom is a vector of `rows · cols` entries, row by row, as the columns of the dictionary matrix W in the paper are
//! drawn: black is the largest entry of the atom, white is zero. Dictionaries with negative entries take a diverging
//! map from blue over white to orange. Each atom is scaled by itself; compare shapes, not heights, across atoms.

use std::fmt::Write;

use crate::pixels::{Pixels, base64};
use crate::svg::{PHONE_FONT, Px, escape, fit, open};

const GAP: f64 = 10.0;
const LABEL: f64 = PHONE_FONT + 5.0;
const WIDTH: f64 = 600.0;
const WIDEST: f64 = 128.0;
const NARROWEST: f64 = 30.0;

/// Ends of the diverging map: Okabe & Ito's blue and vermillion, told apart by colour-blind readers too.
const NEGATIVE: [u8; 3] = [0x00, 0x72, 0xb2];
const POSITIVE: [u8; 3] = [0xd5, 0x5e, 0x00];

/// Ground between the atoms of a PNG: neither white nor black, so that the edge of every atom shows.
const GROUND: [u8; 4] = [200, 200, 200, 255];

/// Largest PNG side product, 256 MB of pixels.
const MOST_PIXELS: usize = 1 << 26;

/// How entries become colours; entries that are not finite stay transparent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Colour {
    /// White at zero and below, black at the largest entry of the atom.
    #[default]
    Grey,
    /// Blue below zero, white at zero, orange above; full at the largest absolute entry of the atom.
    Signed,
}

impl Colour {
    /// [`Colour::Signed`] when any entry is negative, else [`Colour::Grey`].
    pub fn of(atoms: &[Vec<f64>]) -> Self {
        if atoms.iter().flatten().any(|&v| v < 0.0) { Self::Signed } else { Self::Grey }
    }

    /// The entry that gets the full colour.
    fn scale(self, atom: &[f64]) -> f64 {
        let finite = atom.iter().filter(|v| v.is_finite());
        finite.map(|v| if self == Self::Grey { *v } else { v.abs() }).fold(0.0, f64::max)
    }

    /// The colour of entry `v` where `scale` is the full colour.
    fn rgba(self, v: f64, scale: f64) -> [u8; 4] {
        if !v.is_finite() {
            return [0; 4];
        }
        let part = if scale > 0.0 { (v / scale).clamp(-1.0, 1.0) } else { 0.0 };
        let full = match self {
            Self::Grey => [0; 3],
            Self::Signed if part < 0.0 => NEGATIVE,
            Self::Signed => POSITIVE,
        };
        let part = if self == Self::Grey { part.max(0.0) } else { part.abs() };
        let [r, g, b] = full.map(|c| (255.0 + part * (f64::from(c) - 255.0)).round() as u8);
        [r, g, b, 255]
    }
}

/// Why atoms could not be drawn.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AtomError {
    /// There is no atom, or an atom without entries.
    #[error("there is nothing to draw: {atoms} atoms of shape {rows} × {cols}")]
    Empty {
        /// Number of atoms.
        atoms: usize,
        /// Rows of the shape.
        rows: usize,
        /// Columns of the shape.
        cols: usize,
    },
    /// An atom does not have the number of entries its shape needs.
    #[error("atom {atom} has {entries} entries, but a shape of {rows} × {cols} needs {}", rows.saturating_mul(*cols))]
    Shape {
        /// Position of the atom, from 0.
        atom: usize,
        /// Entries it has.
        entries: usize,
        /// Rows of the shape.
        rows: usize,
        /// Columns of the shape.
        cols: usize,
    },
    /// The PNG would be larger than 2²⁶ pixels.
    #[error("a picture of {width} × {height} pixels is too large; use smaller cells or fewer atoms")]
    TooLarge {
        /// Width in pixels.
        width: usize,
        /// Height in pixels.
        height: usize,
    },
}

/// Atoms drawn as matrices.
///
/// ```
/// use ergodict_report::{AtomGrid, Colour};
///
/// let atoms = [vec![1.0, 0.0, 0.0, 1.0], vec![0.0, 1.0, 1.0, 0.0]];
/// let grid = AtomGrid { labels: Some(vec!["0.7".into(), "0.3".into()]), ..AtomGrid::new(&atoms, (2, 2)) };
/// assert_eq!(grid.colour, Colour::Grey);
/// assert!(grid.svg()?.contains(">0.7</text>"));
/// # Ok::<(), ergodict_report::AtomError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct AtomGrid<'a> {
    /// The atoms, each row by row.
    pub atoms: &'a [Vec<f64>],
    /// Rows and columns of each atom.
    pub shape: (usize, usize),
    /// A word below each atom, for instance its dominance score; atoms beyond the end of the list have none.
    pub labels: Option<Vec<String>>,
    /// Atoms in a row; by default the grid is about as wide as high.
    pub columns: Option<usize>,
    /// How entries become colours.
    pub colour: Colour,
}

impl<'a> AtomGrid<'a> {
    /// A grid without labels, in the colours the signs of the entries ask for.
    pub fn new(atoms: &'a [Vec<f64>], shape: (usize, usize)) -> Self {
        Self { atoms, shape, labels: None, columns: None, colour: Colour::of(atoms) }
    }

    /// The grid as an SVG element, one pixelated image for each atom.
    ///
    /// # Errors
    /// [`AtomError::Empty`] without atoms or entries, [`AtomError::Shape`] when an atom does not fit the shape.
    pub fn svg(&self) -> Result<String, AtomError> {
        self.check()?;
        let (rows, cols) = self.shape;
        let tiles =
            Tiles::new(self.atoms.len(), self.columns, self.labels.as_deref(), rows as f64 / cols as f64);
        let mut svg = tiles.open(&format!("{} atoms as {rows} by {cols} matrices", self.atoms.len()));
        for (i, atom) in self.atoms.iter().enumerate() {
            let mut image = Pixels::filled(cols, rows, [0; 4]);
            self.paint(&mut image, atom, 0, 0, 1);
            let file = encode(&image, cols, rows)?;
            let (w, h) = (Px(tiles.width), Px(tiles.height));
            tiles.begin(&mut svg, i);
            let _ = writeln!(
                svg,
                "<image width=\"{w}\" height=\"{h}\" preserveAspectRatio=\"none\" style=\"image-rendering:pixelated\" \
                 href=\"data:image/png;base64,{}\"/>",
                base64(&file)
            );
            let _ = writeln!(
                svg,
                r#"<rect width="{w}" height="{h}" fill="none" stroke="currentColor" stroke-opacity="0.4"/>"#
            );
            tiles.end(&mut svg, i);
        }
        svg.push_str("</svg>");
        Ok(svg)
    }

    fn check(&self) -> Result<(), AtomError> {
        let (rows, cols) = self.shape;
        if self.atoms.is_empty() || rows == 0 || cols == 0 {
            return Err(AtomError::Empty { atoms: self.atoms.len(), rows, cols });
        }
        match self.atoms.iter().position(|a| Some(a.len()) != rows.checked_mul(cols)) {
            Some(atom) => Err(AtomError::Shape { atom, entries: self.atoms[atom].len(), rows, cols }),
            None => Ok(()),
        }
    }

    /// Paints `atom` with its top left corner at (`x`, `y`), each entry as a square of `cell` pixels.
    fn paint(&self, image: &mut Pixels, atom: &[f64], x: usize, y: usize, cell: usize) {
        let scale = self.colour.scale(atom);
        for (k, &v) in atom.iter().enumerate() {
            let (row, col) = (k / self.shape.1, k % self.shape.1);
            image.square(x + col * cell, y + row * cell, cell, self.colour.rgba(v, scale));
        }
    }
}

/// The whole grid as one PNG file without text: each entry a square of `cell` pixels, a grey gap of two pixels (at
/// least; a quarter of a cell) around each atom.
///
/// # Errors
/// As [`AtomGrid::svg`], and [`AtomError::TooLarge`] above 2²⁶ pixels.
///
/// ```
/// use ergodict_report::{AtomGrid, atoms_png};
///
/// let file = atoms_png(&AtomGrid::new(&[vec![0.0, 1.0]], (1, 2)), 8)?;
/// assert_eq!(&file[1..4], b"PNG");
/// # Ok::<(), ergodict_report::AtomError>(())
/// ```
pub fn atoms_png(grid: &AtomGrid<'_>, cell: usize) -> Result<Vec<u8>, AtomError> {
    grid.check()?;
    let (rows, cols) = grid.shape;
    let cell = cell.max(1);
    let gap = (cell / 4).max(2);
    let across = columns(grid.atoms.len(), grid.columns);
    let down = grid.atoms.len().div_ceil(across);
    let side = |entries: usize, tiles: usize| {
        entries.saturating_mul(cell).saturating_add(gap).saturating_mul(tiles).saturating_add(gap)
    };
    let (width, height) = (side(cols, across), side(rows, down));
    if width.saturating_mul(height) > MOST_PIXELS {
        return Err(AtomError::TooLarge { width, height });
    }
    let mut image = Pixels::filled(width, height, GROUND);
    for (i, atom) in grid.atoms.iter().enumerate() {
        let (row, col) = (i / across, i % across);
        grid.paint(&mut image, atom, gap + col * (cols * cell + gap), gap + row * (rows * cell + gap), cell);
    }
    encode(&image, width, height)
}

/// The PNG file of `image`; the sides are checked, so the encoder can only refuse what is too large for the format.
fn encode(image: &Pixels, width: usize, height: usize) -> Result<Vec<u8>, AtomError> {
    image.png().map_err(|_| AtomError::TooLarge { width, height })
}

/// Atoms without a known shape, drawn as bars over their entries from left to right.
///
/// ```
/// use ergodict_report::AtomProfile;
///
/// let atoms = [vec![0.1, 0.7, 0.2], vec![-0.5, 0.0, 0.5]];
/// assert!(AtomProfile::new(&atoms).svg()?.starts_with("<svg"));
/// # Ok::<(), ergodict_report::AtomError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct AtomProfile<'a> {
    /// The atoms; they may differ in length.
    pub atoms: &'a [Vec<f64>],
    /// A word below each atom.
    pub labels: Option<Vec<String>>,
    /// Atoms in a row.
    pub columns: Option<usize>,
}

impl<'a> AtomProfile<'a> {
    /// Profiles without labels.
    pub fn new(atoms: &'a [Vec<f64>]) -> Self {
        Self { atoms, labels: None, columns: None }
    }

    /// The profiles as an SVG element; bars below zero are blue, above zero orange, and grey when none is below.
    ///
    /// # Errors
    /// [`AtomError::Empty`] without atoms or with an atom without entries.
    pub fn svg(&self) -> Result<String, AtomError> {
        if self.atoms.is_empty() || self.atoms.iter().any(Vec::is_empty) {
            return Err(AtomError::Empty { atoms: self.atoms.len(), rows: 0, cols: 1 });
        }
        let tiles = Tiles::new(self.atoms.len(), self.columns, self.labels.as_deref(), 0.6);
        let signed = Colour::of(self.atoms) == Colour::Signed;
        let mut svg = tiles.open(&format!("{} atoms as profiles over their entries", self.atoms.len()));
        for (i, atom) in self.atoms.iter().enumerate() {
            let scale = Colour::Signed.scale(atom);
            let (base, reach) =
                if signed { (tiles.height / 2.0, tiles.height / 2.0) } else { (tiles.height, tiles.height) };
            let bars = tiles.bars(atom, scale);
            tiles.begin(&mut svg, i);
            let upper = outline(&bars, |b| base - reach * 0.94 * b.1, base, tiles.width);
            if signed {
                let lower = outline(&bars, |b| base - reach * 0.94 * b.0, base, tiles.width);
                let _ = writeln!(svg, r##"<path class="positive" fill="#D55E00" d="{upper}"/>"##);
                let _ = writeln!(svg, r##"<path class="negative" fill="#0072B2" d="{lower}"/>"##);
            } else {
                let _ = writeln!(svg, r#"<path fill-opacity="0.75" d="{upper}"/>"#);
            }
            let (b, w) = (Px(base), Px(tiles.width));
            let _ = writeln!(svg, r#"<path stroke="currentColor" stroke-opacity="0.5" d="M0 {b}H{w}"/>"#);
            tiles.end(&mut svg, i);
        }
        svg.push_str("</svg>");
        Ok(svg)
    }
}

/// The closed outline of `bars` drawn from `base` to `height`.
fn outline(bars: &[(f64, f64)], height: impl Fn(&(f64, f64)) -> f64, base: f64, width: f64) -> String {
    let mut path = format!("M0 {}", Px(base));
    for (k, bar) in bars.iter().enumerate() {
        let _ = write!(path, "V{}H{}", Px(height(bar)), Px(width * (k + 1) as f64 / bars.len() as f64));
    }
    let _ = write!(path, "V{}Z", Px(base));
    path
}

/// Atoms in a row: as asked, else between a square and a two-to-one grid with the fewest empty places.
fn columns(atoms: usize, asked: Option<usize>) -> usize {
    let root = |n: usize| (n as f64).sqrt().ceil() as usize;
    let empty = |c: &usize| atoms.div_ceil(*c) * c - atoms;
    let default = || (root(atoms)..=root(2 * atoms)).rev().min_by_key(empty).unwrap_or(1);
    asked.unwrap_or_else(default).clamp(1, atoms)
}

/// Where the small pictures stand.
struct Tiles<'a> {
    labels: &'a [String],
    atoms: usize,
    columns: usize,
    width: f64,
    height: f64,
    below: f64,
}

impl<'a> Tiles<'a> {
    /// Tiles for `atoms` pictures of the given `aspect` (height over width), which stays between 1/8 and 8.
    fn new(atoms: usize, asked: Option<usize>, labels: Option<&'a [String]>, aspect: f64) -> Self {
        let columns = columns(atoms, asked);
        let width = ((WIDTH + GAP) / columns as f64 - GAP).clamp(NARROWEST, WIDEST);
        let below = if labels.is_some() { LABEL } else { 0.0 };
        Self {
            labels: labels.unwrap_or_default(),
            atoms,
            columns,
            width,
            height: width * aspect.clamp(0.125, 8.0),
            below,
        }
    }

    fn open(&self, label: &str) -> String {
        let rows = self.atoms.div_ceil(self.columns) as f64;
        let (width, height) =
            (self.columns as f64 * (self.width + GAP), rows * (self.height + self.below + GAP));
        open("atoms", width - GAP + 2.0, height - GAP + 2.0, label)
    }

    /// Opens the group of atom `i`.
    fn begin(&self, svg: &mut String, i: usize) {
        let (row, col) = ((i / self.columns) as f64, (i % self.columns) as f64);
        let (x, y) = (col * (self.width + GAP) + 1.0, row * (self.height + self.below + GAP) + 1.0);
        let name = match self.labels.get(i).map(String::as_str) {
            None | Some("") => format!("no. {}", i + 1),
            Some(label) => format!("no. {}: {}", i + 1, escape(label)),
        };
        let _ = writeln!(
            svg,
            r#"<g class="atom" data-atom="{i}" transform="translate({} {})"><title>{name}</title>"#,
            Px(x),
            Px(y)
        );
    }

    /// Writes the label of atom `i` and closes its group.
    fn end(&self, svg: &mut String, i: usize) {
        if let Some(label) = self.labels.get(i).filter(|l| !l.is_empty()) {
            let (x, y) = (Px(self.width / 2.0), Px(self.height + PHONE_FONT));
            let label = escape(&fit(label, self.width + GAP));
            let _ = writeln!(svg, r#"<text x="{x}" y="{y}" text-anchor="middle">{label}</text>"#);
        }
        svg.push_str("</g>\n");
    }

    /// Lowest (at most 0) and highest (at least 0) entry, as parts of `scale`, of each bar one can tell apart.
    fn bars(&self, atom: &[f64], scale: f64) -> Vec<(f64, f64)> {
        let count = atom.len().min(2 * self.width as usize);
        let part = |v: f64| if v.is_finite() && scale > 0.0 { v / scale } else { 0.0 };
        let extremes = |(lo, hi): (f64, f64), &v: &f64| (lo.min(part(v)), hi.max(part(v)));
        let bar = |k: usize| &atom[k * atom.len() / count..(k + 1) * atom.len() / count];
        (0..count).map(|k| bar(k).iter().fold((0.0, 0.0), extremes)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_run_from_white_to_full() {
        assert_eq!(Colour::Grey.rgba(2.0, 2.0), [0, 0, 0, 255]);
        assert_eq!(Colour::Grey.rgba(0.0, 2.0), [255, 255, 255, 255]);
        assert_eq!(Colour::Grey.rgba(1.0, 2.0), [128, 128, 128, 255]);
        assert_eq!(Colour::Grey.rgba(-1.0, 2.0), [255, 255, 255, 255]);
        assert_eq!(Colour::Signed.rgba(-3.0, 3.0), [0x00, 0x72, 0xb2, 255]);
        assert_eq!(Colour::Signed.rgba(3.0, 3.0), [0xd5, 0x5e, 0x00, 255]);
        assert_eq!(Colour::Signed.rgba(0.0, 0.0), [255, 255, 255, 255]);
        assert_eq!(Colour::Grey.rgba(f64::NAN, 1.0), [0; 4]);
        assert_eq!(Colour::Signed.scale(&[f64::INFINITY, -2.0, f64::NAN]), 2.0);
    }

    #[test]
    fn default_grids_are_full_where_they_can_be() {
        let chosen: Vec<usize> = [1, 2, 9, 16, 25, 36, 7, 100].iter().map(|&n| columns(n, None)).collect();
        assert_eq!(chosen, [1, 2, 3, 4, 5, 9, 4, 10]);
        assert_eq!((columns(5, Some(0)), columns(5, Some(99))), (1, 5));
    }
}
