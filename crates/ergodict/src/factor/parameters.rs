//! The parameters of the online scheme: one struct, its defaults, its checks, and its form in files.

use super::code::{CHUNK, CodeSet, CodeSolver, Penalty};
use super::schedule::Schedule;
use super::sets::{ConvexSet, DictionarySet};
use crate::linalg::Scalar;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// Samples whose Newton systems are solved side by side.
const LANES: u64 = 8;

/// How the columns of a minibatch enter the aggregates.
///
/// ```
/// use ergodict::factor::{Factoriser, Normalise, Parameters};
/// use ergodict::linalg::Mat;
/// let x = Mat::from_fn(3, 4, |i, j| (1 + i * j) as f64);
/// let loss = |normalise| {
///     let parameters = Parameters { normalise, ..Parameters::new(2) };
///     Ok::<_, ergodict::Error>(Factoriser::<f64>::random(parameters, 3, 0)?.step(&x)?.loss_before)
/// };
/// assert!((loss(Normalise::Sum)? - 4.0 * loss(Normalise::PerColumn)?).abs() < 1e-9);
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Normalise {
    /// As sums over columns, as in the paper: a wide minibatch counts for more.
    #[default]
    Sum,
    /// Divided by the width, for streams whose minibatches differ in it.
    PerColumn,
}

/// What becomes of atoms that no code has used.
///
/// ```
/// use ergodict::factor::{Factoriser, Parameters, UnusedAtoms};
/// use ergodict::linalg::MatRef;
/// // The second atom can say nothing of samples along the first axis, and is replaced by one of them.
/// let parameters = Parameters { unused: UnusedAtoms::Reseed, ..Parameters::new(2) };
/// let start = MatRef::from_column_major(&[1.0, 0.0, 0.0, 1.0], 2, 2)?;
/// let mut model = Factoriser::from_dictionary(parameters, start)?;
/// assert_eq!(model.step(MatRef::from_column_major(&[5.0, 0.0, 9.0, 0.0], 2, 2)?)?.reseeded, 1);
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum UnusedAtoms {
    /// They are counted and left as they are.
    #[default]
    Keep,
    /// They are replaced by the worst-reconstructed columns of the minibatch; only for sets of single atoms, and not by
    /// [`Factoriser::absorb`](super::Factoriser::absorb), which sees no columns.
    Reseed,
}

/// Parameters of the online scheme, with the defaults that the command line and Python share.
///
/// ```
/// use ergodict::factor::{Parameters, Schedule, code::CodeSet};
/// let parameters = Parameters {
///     lambda: 0.5,
///     schedule: Schedule::Power { beta: 0.8 },
///     code: CodeSet::Free,
///     dictionary: "ball".parse()?,
///     ..Parameters::new(25)
/// };
/// parameters.check(441)?; // for patches of 21×21
/// assert!(Parameters { lambda: -1.0, ..parameters }.check(441).is_err());
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(into = "Record", try_from = "Record")]
pub struct Parameters {
    /// Atoms `r`.
    pub atoms: usize,
    /// Weight `λ ≥ 0` of `‖H‖₁`. Default 1, the paper's.
    pub lambda: f64,
    /// `κ₁ ≥ 0`, added to the diagonal of `A`: makes (C2) hold. Default 0.
    pub kappa1: f64,
    /// Weight `κ₂ ≥ 0` of `‖H‖²/2`: makes (C1) hold. Default 0.
    pub kappa2: f64,
    /// The weights `w_t`. Default balanced, `1/t`.
    pub schedule: Schedule,
    /// The set of codes. Default nonnegative.
    pub code: CodeSet,
    /// The set of dictionaries. Default nonnegative atoms of norm at most 1.
    pub dictionary: DictionarySet,
    /// How columns enter the aggregates. Default as sums.
    pub normalise: Normalise,
    /// What becomes of unused atoms. Default kept.
    pub unused: UnusedAtoms,
    /// How the code is found. Default fast.
    pub solver: CodeSolver,
    /// KKT residual at which coding stops, relative to the largest correlation. Default 1e-6.
    pub tolerance: f64,
    /// Relative change of `W` in a sweep at which its update stops. Default 1e-3.
    pub dictionary_tolerance: f64,
    /// Most sweeps of one dictionary update. Default 5. Every sweep lowers the surrogate; the growth property of the
    /// paper, `g(W_{t−1}) − g(W_t) ≥ ‖W_t − W_{t−1}‖²_A`, is that of the minimiser: it needs a tight tolerance and the
    /// sweeps to reach it.
    pub dictionary_sweeps: u32,
}

impl Parameters {
    /// The defaults for `r` atoms.
    pub fn new(atoms: usize) -> Self {
        Self {
            atoms,
            lambda: 1.0,
            kappa1: 0.0,
            kappa2: 0.0,
            schedule: Schedule::default(),
            code: CodeSet::default(),
            dictionary: DictionarySet::default(),
            normalise: Normalise::default(),
            unused: UnusedAtoms::default(),
            solver: CodeSolver::default(),
            tolerance: 1e-6,
            dictionary_tolerance: 1e-3,
            dictionary_sweeps: 5,
        }
    }

    /// The penalties of the code.
    pub fn penalty(&self) -> Penalty {
        Penalty { lambda: self.lambda, kappa2: self.kappa2 }
    }

    /// About how many bytes learning from minibatches of `n` samples and saving take, besides the minibatch.
    pub fn memory<T: Scalar>(&self, d: usize, n: u64) -> u64 {
        let (d, r, size) = (d as u64, self.atoms as u64, size_of::<T>() as u64);
        let product = |x: u64, y: u64, bytes: u64| x.saturating_mul(y).saturating_mul(bytes);
        // W thrice, B twice; then the copies that a model file is made from.
        let wide = product(d, r, 4 * size + 8).saturating_add(product(d, r, 2 * size + 32));
        // Gram matrices, A and its copies, its eigenvectors.
        let square = product(r, r, 3 * size + 16 + 48);
        // The code and its supports; then the buffers of the coder, which each thread has for the chunk it works on.
        let code = product(n, r, size + 4);
        let chunks = n.div_ceil(CHUNK as u64).min(rayon::current_num_threads() as u64);
        // No more than d atoms are needed at once, unless the squared norm of the code has a weight.
        let support = if self.kappa2 > 0.0 { r } else { r.min(d) };
        let triangle = product(support, support.saturating_add(1), LANES / 2 * size);
        let chunk = product(r, n.min(CHUNK as u64), 3 * size).saturating_add(triangle);
        [square, code, chunk.saturating_mul(chunks)].into_iter().fold(wide, u64::saturating_add)
    }

    /// Checks everything against data of `features` features.
    ///
    /// # Errors
    /// [`Error::Parameter`] or [`Error::Shape`], naming the first that is out of range.
    pub fn check(&self, features: usize) -> Result<()> {
        let at_least_zero = |name, x: f64| {
            let fine = x.is_finite() && x >= 0.0;
            if fine {
                Ok(())
            } else {
                Err(Error::parameter(name, x, "it must be a number that is not negative"))
            }
        };
        let positive = |name, x: f64| {
            let fine = x.is_finite() && x > 0.0;
            if fine { Ok(()) } else { Err(Error::parameter(name, x, "it must be a positive number")) }
        };
        if self.atoms == 0 {
            return Err(Error::parameter("the number of atoms", 0, "a dictionary has at least one"));
        }
        if self.atoms > 1 << 20 {
            return Err(Error::parameter(
                "the number of atoms",
                self.atoms,
                "more than 1048576 are not supported",
            ));
        }
        if features == 0 {
            return Err(Error::parameter("the number of features", 0, "a sample has at least one"));
        }
        at_least_zero("lambda", self.lambda)?;
        at_least_zero("kappa1", self.kappa1)?;
        at_least_zero("kappa2", self.kappa2)?;
        positive("the coding tolerance", self.tolerance)?;
        at_least_zero("the dictionary tolerance", self.dictionary_tolerance)?;
        if self.dictionary_sweeps == 0 {
            return Err(Error::parameter("the number of dictionary sweeps", 0, "at least one is needed"));
        }
        match self.code {
            CodeSet::Box { upper } => positive("the upper bound of the code", upper)?,
            CodeSet::Simplex { bound } => positive("the bound on the sum of the code", bound)?,
            CodeSet::Nonnegative | CodeSet::Free => {}
        }
        let by_columns = matches!(self.dictionary, DictionarySet::Convex(ConvexSet::Columns(_)));
        if self.unused == UnusedAtoms::Reseed && !by_columns {
            let expected = "unused atoms can be replaced only where every atom has the same set";
            return Err(Error::parameter("the dictionary set", &self.dictionary, expected));
        }
        self.schedule.check()?;
        self.dictionary.check(features, self.atoms)
    }
}

/// Equal as files would have them; sets given by a program are compared by name.
impl PartialEq for Parameters {
    fn eq(&self, other: &Self) -> bool {
        Record::from(self.clone()) == Record::from(other.clone())
    }
}

/// [`Parameters`] as they stand in files: the names of the command line.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Record {
    atoms: usize,
    lambda: f64,
    kappa1: f64,
    kappa2: f64,
    schedule: String,
    code: String,
    dictionary: String,
    normalise: Normalise,
    unused: UnusedAtoms,
    solver: CodeSolver,
    tolerance: f64,
    dictionary_tolerance: f64,
    dictionary_sweeps: u32,
}

impl From<Parameters> for Record {
    fn from(p: Parameters) -> Self {
        Self {
            atoms: p.atoms,
            lambda: p.lambda,
            kappa1: p.kappa1,
            kappa2: p.kappa2,
            schedule: p.schedule.to_string(),
            code: p.code.to_string(),
            dictionary: p.dictionary.to_string(),
            normalise: p.normalise,
            unused: p.unused,
            solver: p.solver,
            tolerance: p.tolerance,
            dictionary_tolerance: p.dictionary_tolerance,
            dictionary_sweeps: p.dictionary_sweeps,
        }
    }
}

impl TryFrom<Record> for Parameters {
    type Error = Error;

    fn try_from(r: Record) -> Result<Self> {
        Ok(Self {
            atoms: r.atoms,
            lambda: r.lambda,
            kappa1: r.kappa1,
            kappa2: r.kappa2,
            schedule: r.schedule.parse()?,
            code: r.code.parse()?,
            dictionary: r.dictionary.parse()?,
            normalise: r.normalise,
            unused: r.unused,
            solver: r.solver,
            tolerance: r.tolerance,
            dictionary_tolerance: r.dictionary_tolerance,
            dictionary_sweeps: r.dictionary_sweeps,
        })
    }
}
