//! What a reconstruction is asked for.

use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// Which entries of a reconstructed patch count.
///
/// ```
/// use ergodict::reconstruct::network::{Mode, ReconstructionSettings};
/// assert_eq!(ReconstructionSettings::default().mode, Mode::Plain);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Mode {
    /// All of them, as in the paper.
    #[default]
    Plain,
    /// Not those of motif edges, in either order, nor *folded* ones: elsewhere in the patch, but of a pair of nodes that is also at a
    /// motif edge of the same homomorphism. There is always an edge at those, and every dictionary says so.
    #[serde(alias = "off-chain")]
    #[cfg_attr(feature = "clap", value(alias = "off-chain"))]
    OffMotif,
}

/// Which pairs of nodes are wanted.
///
/// ```
/// use ergodict::{chain::Motif, data::embedded, linalg::Mat};
/// use ergodict::reconstruct::network::{ReconstructionSettings, Reconstructor, Targets};
/// let (karate, w) = (embedded("karate")?.into(), Mat::from_fn(9, 9, |i, j| f64::from(i == j)));
/// let only = Targets::Only(vec![(0, 1), (5, 20)]);
/// let rebuilt = Reconstructor::<f64>::new(&w, &karate, &Motif::path(3)?, &ReconstructionSettings::default(), only)?;
/// assert_eq!(rebuilt.sums().pairs(), 2);
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Targets {
    /// All that are visited.
    #[default]
    All,
    /// Only these, in any order, repeated or not; of an undirected network in either direction.
    Only(Vec<(u32, u32)>),
}

/// Parameters of a reconstruction.
///
/// ```
/// use ergodict::reconstruct::network::{Mode, ReconstructionSettings};
/// let parameters = ReconstructionSettings { mode: Mode::OffMotif, ..ReconstructionSettings::default() };
/// assert!(parameters.check().is_ok());
/// assert!(ReconstructionSettings { lambda: -1.0, ..parameters }.check().is_err());
/// ```
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct ReconstructionSettings {
    /// Which entries count.
    pub mode: Mode,
    /// The weight `λ ≥ 0` of `‖h‖₁`.
    pub lambda: f64,
    /// Whether every atom is also there reversed, entry `(a,b)` at `(k−1−a, k−1−b)`: a walk has no direction. For chain motifs.
    pub reversal: bool,
    /// Relative KKT residual of the codes.
    pub tolerance: f64,
    /// Bytes that sums and counts may take; beyond, they go to a temporary file.
    pub memory: usize,
}

impl Default for ReconstructionSettings {
    fn default() -> Self {
        Self { mode: Mode::Plain, lambda: 0.0, reversal: false, tolerance: 1e-6, memory: 1 << 30 }
    }
}

impl ReconstructionSettings {
    /// Whether all are in range.
    ///
    /// # Errors
    /// [`Error::Parameter`] for one that is not.
    pub fn check(&self) -> Result<()> {
        if !(self.lambda >= 0.0 && self.lambda.is_finite()) {
            return Err(Error::parameter("lambda", self.lambda, "it must be a number that is not negative"));
        }
        if !(self.tolerance > 0.0 && self.tolerance < 1.0) {
            return Err(Error::parameter("the tolerance", self.tolerance, "it must be between 0 and 1"));
        }
        Ok(())
    }
}
