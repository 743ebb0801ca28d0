//! How well a dictionary explains any network, at any time: for who watches one that changes and decides alone when to learn.

use super::{Drawn, Measured, change};
use crate::Result;
use crate::factor::Factoriser;
use crate::linalg::Scalar;
use crate::patch::Watching;

/// A window beyond all that learning has, for a stream of patches of its own.
const APART: u64 = 1 << 32;

/// The relative error `Σ‖X − WH‖² / Σ‖X‖²` of a dictionary on fresh patches of a network, with its standard error. The same seed draws the same patches.
///
/// # Errors
/// Those of drawing and of coding.
pub fn relative_error<T: Scalar>(
    factoriser: &mut Factoriser<T>,
    drawn: &Drawn,
    patches: usize,
    watching: Watching,
    seed: u64,
) -> Result<Measured> {
    Ok(change::seen(factoriser, drawn, patches, watching, seed, APART)?.error)
}

/// The change score of two errors of one dictionary, on a network as it was and as it is: `log₂` of their ratio, with its standard error. None where one
/// is 0.
pub fn change_score(before: Measured, now: Measured) -> Option<Measured> {
    change::score(before, now)
}
