//! Sparse coding: `H = argmin_{H ∈ C'} ‖X − WH‖² + λ‖H‖₁ + (κ₂/2)‖H‖²`, every column to a stated tolerance.
//!
//! | paper | here | where |
//! |---|---|---|
//! | `C'`, set of codes | [`CodeSet`] | eq. (loss_def), Algorithm 2 |
//! | `λ`, `κ₂` | [`Penalty`] | eq. (loss_def), eq. (Ht_modified) |
//! | Algorithm 2, projected gradient | [`CodeSolver::ProjectedGradient`] | `reference.rs` |
//! | — | [`CodeSolver::Fast`]: greedy descent, then Newton on the support | `fast.rs` |
//! | — | [`CodeSet::Pursuit`]: orthogonal matching pursuit | `omp.rs` |
//!
//! Departures from the print. Algorithm 2 steps along `GH − C + λJ`, half the gradient of the objective for `2λ`; we
//! solve the objective as stated, so pass `2λ` to reproduce the printed algorithm. Its step `1/tr(G)` is replaced by
//! `1/L` with a sharper bound. Both solvers stop on the KKT residual and say when a cap was hit.
//!
//! The *KKT residual* of a column is the longest step that exact minimization along one coordinate would take, in
//! units where atoms have norm one, relative to the column's largest correlation with an atom.

mod active;
mod coder;
mod correlated;
mod fast;
mod greedy;
mod least_squares;
mod masked;
mod newton;
mod omp;
mod quadratic;
mod reference;
mod rule;
mod simplex;

use crate::{Error, Result};
pub use coder::{CHUNK, Coder};
pub(crate) use correlated::CorrelatedCoder;
pub(crate) use fast::Solve;
pub use omp::Pursuit;
use serde::{Deserialize, Serialize};

/// The penalties of the code.
///
/// In the objective of a column `x` under the dictionary `W`: `‖x − Wh‖² + λ‖h‖₁ + (κ₂/2)‖h‖²`.
///
/// ```
/// use ergodict::factor::code::Penalty;
/// assert_eq!(Penalty { lambda: 0.5, ..Penalty::default() }, Penalty { lambda: 0.5, kappa2: 0.0 });
/// ```
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Penalty {
    /// Weight `λ ≥ 0` of `‖H‖₁`.
    pub lambda: f64,
    /// Weight `κ₂ ≥ 0` of `‖H‖²/2`.
    pub kappa2: f64,
}

/// The set `C'` of admissible codes, column by column.
///
/// ```
/// use ergodict::factor::code::CodeSet;
/// assert_eq!("box:2".parse::<CodeSet>()?, CodeSet::Box { upper: 2.0 });
/// assert_eq!(CodeSet::default().to_string(), "nonneg");
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
#[non_exhaustive]
pub enum CodeSet {
    /// `h ≥ 0`.
    #[default]
    Nonnegative,
    /// All real codes. With `λ = κ₂ = 0` and a rank-deficient dictionary the minimum-norm solution is returned.
    Free,
    /// `0 ≤ h ≤ upper`.
    Box {
        /// The upper bound.
        upper: f64,
    },
    /// `h ≥ 0` and `Σ h ≤ bound`.
    Simplex {
        /// The bound on the sum.
        bound: f64,
    },
    /// Few atoms, by orthogonal matching pursuit, which finds a good code of that kind and not always the best. Penalties
    /// have no part in it.
    Pursuit(Pursuit),
}

impl CodeSet {
    /// Whether no code in it is negative.
    pub fn is_nonnegative(&self) -> bool {
        match self {
            Self::Free => false,
            Self::Pursuit(pursuit) => pursuit.nonnegative,
            Self::Nonnegative | Self::Box { .. } | Self::Simplex { .. } => true,
        }
    }
}

impl std::fmt::Display for CodeSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Nonnegative => write!(f, "nonneg"),
            Self::Free => write!(f, "free"),
            Self::Box { upper } => write!(f, "box:{upper}"),
            Self::Simplex { bound } => write!(f, "simplex:{bound}"),
            Self::Pursuit(pursuit) => write!(f, "{pursuit}"),
        }
    }
}

impl std::str::FromStr for CodeSet {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        if let Some(pursuit) = Pursuit::parse(text) {
            return Ok(Self::Pursuit(pursuit));
        }
        let size = text
            .split_once(':')
            .and_then(|(_, n)| n.parse().ok())
            .filter(|n: &f64| *n > 0.0 && n.is_finite());
        match (text.split(':').next().unwrap_or_default(), size) {
            ("nonneg", None) if text == "nonneg" => Ok(Self::Nonnegative),
            ("free", None) if text == "free" => Ok(Self::Free),
            ("box", Some(upper)) => Ok(Self::Box { upper }),
            ("simplex", Some(bound)) => Ok(Self::Simplex { bound }),
            _ => {
                let expected = "it must be nonneg, free, box:U (0 ≤ h ≤ U), simplex:S (h ≥ 0, Σh ≤ S), omp:K (at most K atoms) or \
                                omp:tol=E (‖x − Wh‖² ≤ E), U, S > 0";
                Err(Error::parameter("the code set", format!("\"{text}\""), expected))
            }
        }
    }
}

crate::text::written_as_text!(CodeSet);

/// How the code is found.
///
/// ```
/// use ergodict::factor::{Factorizer, FactorSettings, code::CodeSolver};
/// use ergodict::linalg::Mat;
/// let x = Mat::from_fn(4, 6, |i, j| ((3 * i + 2 * j) % 5) as f64);
/// let loss = |solver| {
///     let parameters = FactorSettings { solver, tolerance: 1e-10, ..FactorSettings::new(3) };
///     Factorizer::<f64>::random(parameters, 4, 0)?.loss(&x)
/// };
/// let (fast, slow) = (loss(CodeSolver::Fast)?, loss(CodeSolver::ProjectedGradient)?);
/// assert!((fast - slow).abs() < 1e-6 * fast); // the same minimum by two ways
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum CodeSolver {
    /// Greedy coordinate descent, then Newton on the support.
    #[default]
    Fast,
    /// The paper's projected gradient: slow, short and readable; the fast solver is tested against it.
    ProjectedGradient,
}

/// Where the codes of a minibatch are not zero.
#[derive(Clone, Default, Debug)]
pub(crate) struct Supports {
    /// Room for each column.
    atoms: usize,
    /// The atoms each column uses, at the front of its room.
    indices: Vec<u32>,
    sizes: Vec<u32>,
}

impl Supports {
    /// The atoms that column `j` uses, rising.
    pub(crate) fn col(&self, j: usize) -> &[u32] {
        &self.indices[j * self.atoms..][..self.sizes[j] as usize]
    }

    /// Codes that are not zero, in all columns.
    pub(crate) fn total(&self) -> usize {
        self.sizes.iter().map(|&s| s as usize).sum()
    }

    fn shape_to(&mut self, atoms: usize, columns: usize) {
        self.atoms = atoms;
        self.indices.resize(atoms * columns, 0);
        self.sizes.resize(columns, 0);
    }
}

/// What coding a minibatch took.
///
/// ```
/// use ergodict::factor::{Factorizer, FactorSettings};
/// use ergodict::linalg::Mat;
/// let mut model = Factorizer::<f64>::random(FactorSettings::new(3), 4, 0)?;
/// let (report, _) = model.transform(&Mat::from_fn(4, 6, |i, j| ((3 * i + 2 * j) % 5) as f64))?;
/// assert!(report.capped == 0 && report.kkt <= 1e-6);
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct CodeReport {
    /// Coordinate steps (fast solver) or gradient steps times columns (reference).
    pub steps: u64,
    /// Columns whose Newton systems were solved, counted once for every solve.
    pub newton_steps: u64,
    /// Columns that met the cap on rounds before the tolerance.
    pub capped: u64,
    /// The largest KKT residual left, relative to the column's largest correlation.
    pub kkt: f64,
}
