//! How much of the walks of a network atoms explain, next to simpler explanations.

use super::ValueWithError;
use serde::{Deserialize, Serialize};

/// Shares `1 − ‖X − WH‖²/‖X‖²` of fresh walks `X` that are explained.
///
/// ```
/// use ergodict::model::{Explained, ValueWithError};
/// let share = |value| ValueWithError { value, standard_error: 0.01 };
/// let (rewired, beyond_degrees) = (Some(share(0.71)), Some(share(0.09)));
/// let explained = Explained { atoms: share(0.8), mean_patch: share(0.7), rewired, beyond_degrees, copies: 3 };
/// assert_eq!(explained.is_beyond_degrees(), Some(true));
/// ```
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Explained {
    /// By the atoms.
    pub atoms: ValueWithError,
    /// By the mean patch alone.
    pub mean_patch: ValueWithError,
    /// By atoms of rewired copies with the same degrees, on average.
    pub rewired: Option<ValueWithError>,
    /// By how much atoms explain more than those of rewired copies, on the same walks; none with fewer than two copies.
    pub beyond_degrees: Option<ValueWithError>,
    /// Rewired copies.
    pub copies: usize,
}

impl Explained {
    /// Standard errors that a difference must exceed to be called one: more than two, as the scatter is that of few copies.
    const ERRORS: f64 = 3.0;

    /// Whether the atoms explain more than the degrees of the nodes do; none with fewer than two rewired copies.
    pub fn is_beyond_degrees(&self) -> Option<bool> {
        self.beyond_degrees.map(|gain| gain.value > Self::ERRORS * gain.standard_error)
    }
}
