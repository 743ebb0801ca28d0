//! All atoms of a dictionary in one picture, so that several dictionaries can stand side by side.

use ergodict::dictionary::Model;
use ergodict_report::{Picture, Shade};

/// What lies between the atoms: a shade that shows their edges.
const GAP: f64 = 0.35;

/// All atoms, the most dominant first, row by row; each has its own scale.
pub(crate) struct Sheet {
    values: Vec<f64>,
    shape: (usize, usize),
}

impl Sheet {
    /// The sheet of a model of patches with one number at each place.
    pub(crate) fn of(model: &Model) -> Self {
        let (rows, cols) = model.patch.map_or((1, model.w.rows()), |p| (p.window.rows, p.window.cols));
        let (_, order) = model.dominance();
        let across = (order.len() as f64).sqrt().ceil() as usize;
        let down = order.len().div_ceil(across);
        let shape = (down * (rows + 1) - 1, across * (cols + 1) - 1);
        let signed = order.iter().any(|&k| model.w.col(k).iter().any(|v| *v < 0.0));
        let mut values = vec![if signed { f64::NAN } else { GAP }; shape.0 * shape.1];
        for (place, &k) in order.iter().enumerate() {
            let (top, left) = (place / across * (rows + 1), place % across * (cols + 1));
            let atom = model.w.col(k);
            let scale = atom.iter().fold(0.0_f64, |m, v| m.max(v.abs())).max(f64::MIN_POSITIVE);
            for (i, v) in atom.iter().enumerate() {
                values[(top + i / cols) * shape.1 + left + i % cols] = v / scale;
            }
        }
        Self { values, shape }
    }

    /// Whether any entry is negative.
    pub(crate) fn is_signed(&self) -> bool {
        self.values.iter().any(|v| *v < 0.0)
    }

    /// The sheet to draw; those that stand side by side are all drawn as `signed` or none is.
    pub(crate) fn picture(&self, signed: bool) -> Picture<'_> {
        let shade = if signed { Shade::Signed { full: 1.0 } } else { Shade::Ink { low: 0.0, high: 1.0 } };
        Picture::new(&self.values, self.shape, shade)
    }
}
