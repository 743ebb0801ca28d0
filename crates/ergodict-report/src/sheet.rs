//! All atoms of a dictionary in one picture, so that several dictionaries can stand side by side.

use crate::{Picture, Shade};

/// What lies between the atoms: a shade that shows their edges.
const GAP: f64 = 0.35;

/// All atoms in their order, row by row; each has its own scale.
///
/// ```
/// use ergodict_report::{Pictures, Sheet};
///
/// let sheet = Sheet::new(&[&[1.0, 0.0], &[0.0, -2.0]], (1, 2));
/// assert!(sheet.is_signed());
/// let items = vec![(sheet.picture(true), "atoms".to_owned())];
/// assert!(Pictures { items, columns: None }.svg()?.contains(">atoms</text>"));
/// # Ok::<(), ergodict_report::PictureError>(())
/// ```
pub struct Sheet {
    values: Vec<f64>,
    shape: (usize, usize),
}

impl Sheet {
    /// The sheet of atoms of `rows` times `cols` numbers each.
    pub fn new(atoms: &[&[f64]], (rows, cols): (usize, usize)) -> Self {
        let across = (atoms.len() as f64).sqrt().ceil() as usize;
        let down = atoms.len().div_ceil(across.max(1));
        let shape = ((down * (rows + 1)).saturating_sub(1), (across * (cols + 1)).saturating_sub(1));
        let signed = atoms.iter().any(|atom| atom.iter().any(|v| *v < 0.0));
        let mut values = vec![if signed { f64::NAN } else { GAP }; shape.0 * shape.1];
        for (place, atom) in atoms.iter().enumerate() {
            let (top, left) = (place / across * (rows + 1), place % across * (cols + 1));
            let scale = atom.iter().fold(0.0_f64, |m, v| m.max(v.abs())).max(f64::MIN_POSITIVE);
            for (i, v) in atom.iter().enumerate() {
                values[(top + i / cols) * shape.1 + left + i % cols] = v / scale;
            }
        }
        Self { values, shape }
    }

    /// Whether any entry is negative.
    pub fn is_signed(&self) -> bool {
        self.values.iter().any(|v| *v < 0.0)
    }

    /// The sheet to draw; those that stand side by side are all drawn as `signed` or none is.
    pub fn picture(&self, signed: bool) -> Picture<'_> {
        let shade = if signed { Shade::Signed { full: 1.0 } } else { Shade::Ink { low: 0.0, high: 1.0 } };
        Picture::new(&self.values, self.shape, shade)
    }
}
