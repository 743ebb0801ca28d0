//! How much of the walks of a network atoms explain, next to simpler explanations.

use super::ValueWithError;
use serde::{Deserialize, Serialize};

/// Shares `1 − ‖X − WH‖²/‖X‖²` of fresh walks `X` that are explained.
///
/// ```
/// use ergodict::model::{Explained, ValueWithError};
/// let share = |value| ValueWithError { value, standard_error: 0.01 };
/// let (rewired, rewired_gain, beyond_degrees) = (Some(share(0.71)), Some(0.01), Some(share(0.08)));
/// let (atoms, mean_patch) = (share(0.8), share(0.7));
/// let explained = Explained { atoms, mean_patch, rewired, rewired_gain, beyond_degrees, copies: 3 };
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
    /// By how much the atoms of a rewired copy explain more of that copy than those of other copies, on average: what atoms gain from being
    /// learned from the network itself; none with fewer than two copies.
    #[serde(default)]
    pub rewired_gain: Option<f64>,
    /// By how much atoms explain more than those of rewired copies, on the same walks, less `rewired_gain`; none with fewer than two copies.
    pub beyond_degrees: Option<ValueWithError>,
    /// Rewired copies.
    pub copies: usize,
}

/// Standard errors of shares below this are those of equal numbers.
const SAME: f64 = 1e-9;

impl Explained {
    /// The 95 % quantiles of Student's t with 1, 2, … degrees of freedom; with more than there are here, the last is too large by a tenth at most.
    const QUANTILES: [f64; 10] = [6.314, 2.920, 2.353, 2.132, 2.015, 1.943, 1.895, 1.860, 1.833, 1.812];

    /// Whether the atoms explain more than the degrees of the nodes do, at a level of 1 in 20; none with fewer than two rewired copies, and false
    /// where copies agree to the last digits, as where hardly any other network has the same degrees.
    pub fn is_beyond_degrees(&self) -> Option<bool> {
        self.beyond_degrees.map(|gain| self.least_beyond_degrees().is_some_and(|least| gain.value > least))
    }

    /// The gain that one in twenty networks without structure beyond degrees exceeds, by Student's t; none where copies agree to the last digits.
    pub fn least_beyond_degrees(&self) -> Option<f64> {
        let freedom = self.copies.saturating_sub(1).clamp(1, Self::QUANTILES.len());
        let error = self.beyond_degrees.map(|gain| gain.standard_error).filter(|error| *error > SAME)?;
        Some(Self::QUANTILES[freedom - 1] * error)
    }
}
