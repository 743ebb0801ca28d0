//! What the atoms of a dictionary are patches of: how to draw them, and what they can reconstruct.

use super::{SpinValues, Window};
use crate::chain::Alphabet;
use serde::{Deserialize, Serialize};

/// A kind of patches.
///
/// ```
/// use ergodict::{chain::Boundary, patch::{PatchKind, Window}};
/// let window = Window { rows: 8, cols: 8, boundary: Boundary::Free };
/// assert_eq!(PatchKind { window, channels: 3, spins: None }.features(), Some(192)); // of color images
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PatchKind {
    /// Their size, and whether they go on at the opposite edge.
    pub window: Window,
    /// Numbers at each place.
    pub channels: usize,
    /// For configurations: what the numbers stand for.
    pub spins: Option<(SpinValues, Alphabet)>,
}

impl PatchKind {
    /// Numbers of a patch; none when that overflows.
    pub fn features(&self) -> Option<usize> {
        self.window.rows.checked_mul(self.window.cols)?.checked_mul(self.channels)
    }
}
