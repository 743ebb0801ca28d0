//! All atoms of a model in one picture.

use ergodict::model::Model;
use ergodict_report::Sheet;

/// The atoms of a model of patches, the most dominant first.
pub(crate) fn sheet(model: &Model) -> Sheet {
    let shape = model.patch.map_or((1, model.w.rows()), |patch| (patch.window.rows, patch.window.cols));
    let atoms: Vec<&[f64]> = model.dominance().1.iter().map(|&k| model.w.col(k)).collect();
    Sheet::new(&atoms, shape)
}
