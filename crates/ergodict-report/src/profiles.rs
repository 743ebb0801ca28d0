//! Atoms without a shape, drawn as bars.

use std::fmt::Write;

use crate::error::PictureError;
use crate::shade::{any_negative, largest};
use crate::svg::Px;
use crate::tiles::Tiles;

/// Atoms without a known shape, drawn as bars over their entries from left to right.
///
/// ```
/// use ergodict_report::AtomProfile;
///
/// let atoms = [vec![0.1, 0.7, 0.2], vec![-0.5, 0.0, 0.5]];
/// assert!(AtomProfile::new(&atoms).svg()?.starts_with("<svg"));
/// # Ok::<(), ergodict_report::PictureError>(())
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

    /// The profiles as an SVG element; bars below zero are blue, above zero orange, and gray when none is below.
    ///
    /// # Errors
    /// [`PictureError::Empty`] without atoms or with an atom without entries.
    pub fn svg(&self) -> Result<String, PictureError> {
        if self.atoms.is_empty() || self.atoms.iter().any(Vec::is_empty) {
            return Err(PictureError::Empty { pictures: self.atoms.len(), rows: 0, cols: 1 });
        }
        let tiles = Tiles::atoms(self.atoms.len(), self.columns, self.labels.as_deref(), 0.6);
        let signed = any_negative(self.atoms);
        let mut svg = tiles.open(&format!("{} atoms as profiles over their entries", self.atoms.len()));
        for (i, atom) in self.atoms.iter().enumerate() {
            let scale = largest(atom);
            let (base, reach) =
                if signed { (tiles.height / 2.0, tiles.height / 2.0) } else { (tiles.height, tiles.height) };
            let bars = bars(atom, scale, tiles.width);
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

/// One atom as a small picture; `signed` when any atom of the dictionary has negative entries.
pub(crate) fn sketch(atom: &[f64], signed: bool) -> String {
    let (width, height) = (200.0, 120.0);
    let (base, reach) = if signed { (height / 2.0, height / 2.0) } else { (height, height) };
    let bars = bars(atom, largest(atom), width);
    let upper = outline(&bars, |b| base - reach * 0.94 * b.1, base, width);
    let mut svg = format!(
        r#"<svg class="sketch" viewBox="0 0 {width} {height}" aria-hidden="true"><path class="{}" d="{upper}"/>"#,
        if signed { "positive" } else { "plain" }
    );
    if signed {
        let lower = outline(&bars, |b| base - reach * 0.94 * b.0, base, width);
        let _ = write!(svg, r#"<path class="negative" d="{lower}"/>"#);
    }
    let _ = write!(svg, r#"<path class="base" d="M0 {}H{width}"/></svg>"#, Px(base));
    svg
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

/// Lowest (at most 0) and highest (at least 0) entry, as parts of `scale`, of each bar that can be
/// distinguished on `width`.
fn bars(atom: &[f64], scale: f64, width: f64) -> Vec<(f64, f64)> {
    let count = atom.len().min(2 * width as usize);
    let part = |v: f64| if v.is_finite() && scale > 0.0 { v / scale } else { 0.0 };
    let extremes = |(lo, hi): (f64, f64), &v: &f64| (lo.min(part(v)), hi.max(part(v)));
    let bar = |k: usize| &atom[k * atom.len() / count..(k + 1) * atom.len() / count];
    (0..count).map(|k| bar(k).iter().fold((0.0, 0.0), extremes)).collect()
}
