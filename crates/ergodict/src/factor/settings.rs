//! The settings of the online scheme: one struct, its defaults, its checks, and its form in files.

use super::code::{CHUNK, CodeSet, CodeSolver, Penalty};
use super::schedule::Schedule;
use super::sets::{ColumnSet, ConvexSet, DictionarySet};
use crate::linalg::Scalar;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Samples whose Newton systems are solved side by side.
const LANES: u64 = 8;

/// How the columns of a minibatch enter the aggregates.
///
/// ```
/// use ergodict::factor::{Factorizer, Normalize, FactorSettings};
/// use ergodict::linalg::Mat;
/// let x = Mat::from_fn(3, 4, |i, j| (1 + i * j) as f64);
/// let sum = |normalize| {
///     let parameters = FactorSettings { normalize, ..FactorSettings::new(2) };
///     let mut model = Factorizer::<f64>::random(parameters, 3, 0)?;
///     Ok::<_, ergodict::Error>(model.step(&x).map(|_| model.surrogate())?)
/// };
/// assert!((sum(Normalize::Sum)? - 4.0 * sum(Normalize::PerColumn)?).abs() < 1e-9);
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Normalize {
    /// As sums over columns, as in the paper: a wide minibatch counts for more.
    #[default]
    Sum,
    /// Divided by the width, for streams whose minibatches differ in it.
    PerColumn,
}

/// What becomes of atoms that no code has used.
///
/// ```
/// use ergodict::factor::{Factorizer, FactorSettings, UnusedAtoms};
/// use ergodict::linalg::MatRef;
/// // The second atom can say nothing of samples along the first axis, and is replaced by one of them.
/// let parameters = FactorSettings { unused: UnusedAtoms::Reseed, ..FactorSettings::new(2) };
/// let start = MatRef::from_column_major(&[1.0, 0.0, 0.0, 1.0], 2, 2)?;
/// let mut model = Factorizer::from_dictionary(parameters, start)?;
/// assert_eq!(model.step(MatRef::from_column_major(&[5.0, 0.0, 9.0, 0.0], 2, 2)?)?.reseeded, 1);
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum UnusedAtoms {
    /// They are counted and left as they are.
    #[default]
    Keep,
    /// They are replaced by the worst-reconstructed columns of the minibatch; only for sets of single atoms, and not in rounds
    Reseed,
}

/// Settings of the online scheme.
///
/// ```
/// use ergodict::factor::{FactorSettings, Schedule, code::CodeSet};
/// let settings = FactorSettings {
///     lambda: 0.5,
///     schedule: Schedule::Power { beta: 0.8 },
///     code: Some(CodeSet::Free),
///     dictionary: Some("ball".parse()?),
///     ..FactorSettings::new(25)
/// };
/// settings.check(441)?; // for patches of 21×21
/// assert!(FactorSettings { lambda: -1.0, ..settings }.check(441).is_err());
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::Args), command(next_help_heading = "Learning"))]
pub struct FactorSettings {
    /// Atoms of the dictionary
    #[cfg_attr(feature = "clap", arg(short = 'r', long, value_name = "R", allow_negative_numbers = true))]
    pub atoms: usize,
    /// Weight of the ℓ₁ norm of the code
    ///
    /// The loss of a sample is ‖x − Wh‖² + λ‖h‖₁ + (κ₂/2)‖h‖², without a ½ before the fit: λ is twice what
    /// scikit-learn calls alpha. Lower it when codes come out all zero. `auto` is 0 for nonnegative codes; for codes of both
    /// signs, a fifth of the mean norm of the samples in the first minibatch.
    #[serde(with = "lambda_text")]
    #[cfg_attr(feature = "clap", arg(long, value_name = "X|auto", default_value_t = d().lambda, value_parser = lambda_text::parse, allow_negative_numbers = true))]
    pub lambda: f64,
    /// Added to the diagonal of A in the dictionary update
    #[cfg_attr(feature = "clap", arg(long, value_name = "X", default_value_t = d().kappa1, allow_negative_numbers = true, hide_short_help = true))]
    pub kappa1: f64,
    /// Weight κ₂ of half the squared ℓ₂ norm of the code, (κ₂/2)‖h‖²
    #[cfg_attr(feature = "clap", arg(long, value_name = "X", default_value_t = d().kappa2, allow_negative_numbers = true, hide_short_help = true))]
    pub kappa2: f64,
    /// Weights of the minibatches: balanced (1/t), linear (2/(t+1)), power:B (t^-B), constant:C (max(1/t, C)), auto
    ///
    /// `auto` is t^-0.5, but no less than 2/B where the data are gone over more than once, in B minibatches each time (power:0.5:C).
    #[cfg_attr(feature = "clap", arg(long, value_name = "S", default_value_t = d().schedule, hide_short_help = true))]
    pub schedule: Schedule,
    /// Set of atoms, also with :SIZE [default: nonneg-ball]
    ///
    /// For signed spins the default is ball.
    #[cfg_attr(feature = "clap", arg(long, value_name = "SET", value_parser = crate::text::named::<DictionarySet>(DictionarySet::names), hide_short_help = true))]
    pub dictionary: Option<DictionarySet>,
    /// Set of codes: nonneg, free, box:U, simplex:S or omp:K [default: nonneg]
    ///
    /// omp:K takes at most K atoms a sample by orthogonal matching pursuit, omp:tol=E as many as make ‖x − Wh‖² at most E, with
    /// codes of both signs; nonneg-omp:K and nonneg-omp:tol=E are nonnegative. Penalties have no part in it. For signed spins the default is free.
    #[cfg_attr(feature = "clap", arg(long, value_name = "SET", hide_short_help = true))]
    pub code: Option<CodeSet>,
    /// How columns enter the statistics
    #[cfg_attr(feature = "clap", arg(long, alias = "normalise", value_name = "HOW", value_enum, default_value_t = d().normalize, hide_short_help = true))]
    pub normalize: Normalize,
    /// What becomes of atoms that no code uses
    #[cfg_attr(feature = "clap", arg(long, value_name = "HOW", value_enum, default_value_t = d().unused, hide_short_help = true))]
    pub unused: UnusedAtoms,
    /// How codes are found
    #[cfg_attr(feature = "clap", arg(long, value_name = "HOW", value_enum, default_value_t = d().solver, hide_short_help = true))]
    pub solver: CodeSolver,
    /// Relative KKT residual at which coding stops
    #[cfg_attr(feature = "clap", arg(long, value_name = "X", default_value_t = d().tolerance, allow_negative_numbers = true, hide_short_help = true))]
    pub tolerance: f64,
    /// Relative change of the dictionary at which its update stops
    #[cfg_attr(feature = "clap", arg(long, value_name = "X", default_value_t = d().dictionary_tolerance, allow_negative_numbers = true, hide_short_help = true))]
    pub dictionary_tolerance: f64,
    // Every sweep lowers the surrogate. The growth property of the paper, `g(W_{t−1}) − g(W_t) ≥ ‖W_t − W_{t−1}‖²_A`, is that of the
    // minimizer; it holds where sweeps end at their cap, too, and to the tolerance where they end at that.
    /// Most sweeps of a dictionary update [default: 5, or 1 for minibatches of fewer samples than atoms]
    ///
    /// Sets that are not products of sets of atoms (near, ...) take 200 gradient steps for each sweep, of 5 by default.
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "N", allow_negative_numbers = true, hide_short_help = true)
    )]
    pub dictionary_sweeps: Option<u32>,
}

/// A weight of the ℓ₁ norm in files and flags: a number, or `auto` for [`FactorSettings::AUTO`].
mod lambda_text {
    use super::FactorSettings;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Serialize, Deserialize)]
    #[serde(untagged)]
    enum Written {
        Number(f64),
        Word(String),
    }

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
    pub(super) fn serialize<S: Serializer>(lambda: &f64, to: S) -> Result<S::Ok, S::Error> {
        if *lambda == FactorSettings::AUTO {
            Written::Word("auto".into()).serialize(to)
        } else {
            Written::Number(*lambda).serialize(to)
        }
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
        match Written::deserialize(from).map_err(|_| serde::de::Error::custom(EXPECTED))? {
            Written::Number(lambda) => Ok(lambda),
            Written::Word(word) if word == "auto" => Ok(FactorSettings::AUTO),
            Written::Word(_) => Err(serde::de::Error::custom(EXPECTED)),
        }
    }

    const EXPECTED: &str = "expected a number, or auto";

    #[cfg(feature = "clap")]
    pub(super) fn parse(text: &str) -> Result<f64, String> {
        match text {
            "auto" => Ok(FactorSettings::AUTO),
            _ => text.parse().ok().filter(|x: &f64| x.is_finite()).ok_or_else(|| EXPECTED.to_owned()),
        }
    }
}

/// Most sweeps of an update by default, where a minibatch has at least as many samples as there are atoms.
const SWEEPS: u32 = 5;

#[cfg(feature = "clap")]
fn d() -> FactorSettings {
    FactorSettings::default()
}

/// No number of atoms, which has to be given.
impl Default for FactorSettings {
    fn default() -> Self {
        Self {
            atoms: 0,
            lambda: 1.0,
            kappa1: 0.0,
            kappa2: 0.0,
            schedule: Schedule::default(),
            dictionary: None,
            code: None,
            normalize: Normalize::default(),
            unused: UnusedAtoms::default(),
            solver: CodeSolver::default(),
            tolerance: 1e-6,
            dictionary_tolerance: 1e-3,
            dictionary_sweeps: None,
        }
    }
}

impl FactorSettings {
    /// The weight [`FactorSettings::lambda`] of the ℓ₁ norm that the first minibatch decides: infinite, which no weight is that means itself.
    ///
    /// It becomes 0 where codes are nonnegative. Otherwise it is a fifth of the mean norm of the samples: for a sample `x` and atoms of norm at
    /// most one, `2|wᵀx| ≤ 2‖x‖`, and a code is zero where λ is as large as that; so λ is a tenth of what leaves nothing.
    pub const AUTO: f64 = f64::INFINITY;

    /// The weight that [`FactorSettings::AUTO`] becomes for samples of this mean norm.
    pub(super) fn lambda_for(&self, mean_norm: f64) -> f64 {
        match self.code() {
            CodeSet::Free => 0.2 * mean_norm,
            CodeSet::Nonnegative | CodeSet::Box { .. } | CodeSet::Simplex { .. } | CodeSet::Pursuit(_) => 0.0,
        }
    }

    /// Whether λ is known before there are samples.
    ///
    /// # Errors
    /// [`Error::Parameter`] for [`FactorSettings::AUTO`] where they decide it.
    pub(crate) fn check_decided(&self) -> Result<()> {
        if self.lambda == Self::AUTO && self.lambda_for(1.0) != 0.0 {
            let expected = "it must be a number where samples are coded in parts, each of which would decide differently";
            return Err(Error::parameter("lambda", "auto", expected));
        }
        Ok(())
    }

    /// λ as it is in effect: 0 as long as [`FactorSettings::AUTO`] is not decided, as by samples that are all zero.
    pub fn effective_lambda(&self) -> f64 {
        if self.lambda == Self::AUTO { 0.0 } else { self.lambda }
    }

    /// The defaults for `r` atoms.
    pub fn new(atoms: usize) -> Self {
        Self { atoms, ..Self::default() }
    }

    /// For `r` atoms, with codes and dictionaries that are found to rounding, as theorems suppose.
    pub fn exact(atoms: usize) -> Self {
        Self {
            tolerance: 1e-10,
            dictionary_tolerance: 1e-10,
            dictionary_sweeps: Some(500),
            ..Self::new(atoms)
        }
    }

    /// The set of codes: nonnegative by default.
    pub fn code(&self) -> CodeSet {
        self.code.unwrap_or_default()
    }

    /// The set of dictionaries: nonnegative atoms of norm at most 1 by default.
    pub fn dictionary(&self) -> &DictionarySet {
        self.dictionary.as_ref().unwrap_or(&DictionarySet::NONNEGATIVE)
    }

    /// Decides the sets that are left open: of both signs for signed data, else nonnegative.
    pub(crate) fn decide(&mut self, signed: bool) {
        let (code, ball) = if signed {
            (CodeSet::Free, ColumnSet::Ball { radius: 1.0 })
        } else {
            (CodeSet::default(), ColumnSet::default())
        };
        self.code.get_or_insert(code);
        self.dictionary.get_or_insert_with(|| ball.into());
    }

    /// Most sweeps of the update after a minibatch of this many samples, with their weights.
    ///
    /// A sweep takes as long as the correlations of `atoms` samples: after a smaller minibatch, further sweeps take most of the time of a step.
    pub(crate) fn sweeps(&self, samples: f64) -> u32 {
        // A sum of weights is rounded.
        let few = samples < self.atoms as f64 * (1.0 - 1e-9);
        self.dictionary_sweeps.unwrap_or(if few { 1 } else { SWEEPS })
    }

    /// The penalties of the code; none of the ℓ₁ norm as long as it is not decided.
    pub(crate) fn penalty(&self) -> Penalty {
        if matches!(self.code(), CodeSet::Pursuit(_)) {
            return Penalty::default();
        }
        Penalty { lambda: self.effective_lambda(), kappa2: self.kappa2 }
    }

    /// About how many bytes learning from minibatches of `n` samples and saving take, besides the minibatch.
    pub fn memory<T: Scalar>(&self, d: usize, n: u64) -> u64 {
        let (d, r, size) = (d as u64, self.atoms as u64, size_of::<T>() as u64);
        let product = |x: u64, y: u64, bytes: u64| x.saturating_mul(y).saturating_mul(bytes);
        // W thrice, what W has moved by, B twice; then the copies that a model file is made from.
        let wide = product(d, r, 4 * size + 12).saturating_add(product(d, r, 2 * size + 32));
        // Gram matrices, A and its copies, its eigenvectors.
        let square = product(r, r, 3 * size + 24 + 48);
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
        if self.lambda != Self::AUTO {
            at_least_zero("lambda", self.lambda)?;
        }
        at_least_zero("kappa1", self.kappa1)?;
        at_least_zero("kappa2", self.kappa2)?;
        positive("the coding tolerance", self.tolerance)?;
        at_least_zero("the dictionary tolerance", self.dictionary_tolerance)?;
        if self.dictionary_sweeps == Some(0) {
            return Err(Error::parameter("the number of dictionary sweeps", 0, "at least one is needed"));
        }
        match self.code() {
            CodeSet::Box { upper } => positive("the upper bound of the code", upper)?,
            CodeSet::Simplex { bound } => positive("the bound on the sum of the code", bound)?,
            CodeSet::Pursuit(pursuit) => {
                pursuit.check()?;
                if self.solver != CodeSolver::Fast {
                    let expected = "orthogonal matching pursuit has a solver of its own";
                    return Err(Error::parameter("the solver", "projected-gradient", expected));
                }
            }
            CodeSet::Nonnegative | CodeSet::Free => {}
        }
        let by_columns = matches!(self.dictionary(), DictionarySet::Convex(ConvexSet::Columns(_)));
        if self.unused == UnusedAtoms::Reseed && !by_columns {
            let expected = "unused atoms can be replaced only where every atom has the same set";
            return Err(Error::parameter("the dictionary set", self.dictionary(), expected));
        }
        self.schedule.check()?;
        self.dictionary().check(features, self.atoms)
    }
}

/// The first dictionary.
///
/// ```
/// use ergodict::factor::Init;
/// assert_eq!(Init::from("w.npy"), Init::File("w.npy".into()));
/// assert_eq!(Init::from("data"), Init::Data);
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(into = "String", from = "String")]
pub enum Init {
    /// Random numbers.
    #[default]
    Random,
    /// Samples where codes have both signs, which random atoms would hardly meet; otherwise random numbers.
    Auto,
    /// Samples of the first minibatch.
    Data,
    /// A d×r matrix in a file.
    File(PathBuf),
    /// A matrix that a program gave, which files do not name.
    Array,
}

impl From<&str> for Init {
    fn from(text: &str) -> Self {
        match text {
            "random" => Self::Random,
            "auto" => Self::Auto,
            "data" => Self::Data,
            path => Self::File(path.into()),
        }
    }
}

impl From<String> for Init {
    fn from(text: String) -> Self {
        text.as_str().into()
    }
}

impl std::fmt::Display for Init {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Random => write!(f, "random"),
            Self::Auto => write!(f, "auto"),
            Self::Data => write!(f, "data"),
            Self::File(path) => write!(f, "{}", path.display()),
            Self::Array => write!(f, "a matrix"),
        }
    }
}

impl From<Init> for String {
    fn from(init: Init) -> Self {
        init.to_string()
    }
}

impl Init {
    fn is_given(&self) -> bool {
        *self == Self::Array
    }

    /// What it is for codes of this set, if that was left open.
    #[must_use]
    pub fn decided(self, code: CodeSet) -> Self {
        match (self, code) {
            (Self::Auto, CodeSet::Free) => Self::Data,
            (Self::Auto, _) => Self::Random,
            (same, _) => same,
        }
    }

    /// The file, if it is one.
    pub fn file(&self) -> Option<&Path> {
        match self {
            Self::File(path) => Some(path),
            _ => None,
        }
    }
}

/// Settings of every run that learns: the scheme, its first dictionary, its precision.
///
/// ```
/// use ergodict::factor::{FactorSettings, LearnSettings};
/// let settings = LearnSettings { factor: FactorSettings::new(9), ..LearnSettings::default() };
/// let written = serde_json::to_value(settings.decided(false))?;
/// assert_eq!((&written["atoms"], &written["init"], &written["f64"]), (&9.into(), &"random".into(), &true.into()));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::Args), command(next_help_heading = "Learning"))]
pub struct LearnSettings {
    /// The online scheme.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub factor: FactorSettings,
    /// First dictionary: random, data (samples of the first minibatch), auto, or a d×r matrix in a file
    ///
    /// `auto` is data for codes of both signs, otherwise random.
    #[serde(skip_serializing_if = "Init::is_given")]
    #[cfg_attr(feature = "clap", arg(long, value_name = "W.npy|random|data|auto", default_value_t = Init::default(), hide_short_help = true))]
    pub init: Init,
    /// Use 32-bit numbers
    #[serde(skip_serializing_if = "crate::text::is_off")]
    #[cfg_attr(feature = "clap", arg(long, overrides_with = "f64", hide_short_help = true))]
    pub f32: bool,
    /// Use 64-bit numbers (the default)
    #[serde(skip_serializing_if = "crate::text::is_off")]
    #[cfg_attr(feature = "clap", arg(long, overrides_with = "f32", hide_short_help = true))]
    pub f64: bool,
}

impl LearnSettings {
    /// With everything decided that was left open.
    #[must_use]
    pub fn decided(mut self, signed: bool) -> Self {
        self.factor.decide(signed);
        self.init = self.init.decided(self.factor.code());
        self.f64 = !self.f32;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes for each entry of W and B, of A, and of the code with its supports.
    fn entries<T: Scalar>() -> [f64; 3] {
        let of = |d: usize, atoms: usize, n: u64| FactorSettings::new(atoms).memory::<T>(d, n) as f64;
        let n = 100 * CHUNK as u64 * rayon::current_num_threads() as u64;
        [
            (of(2_000_000, 7, 1) - of(1_000_000, 7, 1)) / 7e6,
            // But for what does not grow with it.
            ((of(1, 4000, 1) - 2.0 * of(1, 2000, 1)) / 8e6).round(),
            (of(9, 7, 2 * n) - of(9, 7, n)) / (7 * n) as f64,
        ]
    }

    #[test]
    fn memory_is_that_of_the_matrices_of_a_step_and_of_their_copies() {
        // W thrice and what it moved by, B twice, both for the file; A, its copies and eigenvectors; a number and its place.
        assert_eq!(entries::<f64>(), [92.0, 96.0, 12.0]);
        assert_eq!(entries::<f32>(), [68.0, 84.0, 8.0]);
    }

    #[test]
    fn coders_take_memory_for_each_chunk_and_for_the_atoms_that_can_be_used_at_once() {
        let of = |d, n, kappa2| FactorSettings { kappa2, ..FactorSettings::new(7) }.memory::<f64>(d, n);
        let triangle = |support: u64| support * (support + 1) * (LANES / 2) * 8;
        let chunk = |n: u64| 7 * n * 24;
        let rest = |d: u64, n: u64| 92 * 7 * d + 96 * 49 + 12 * 7 * n;
        assert_eq!(of(9, 1, 0.0), rest(9, 1) + chunk(1) + triangle(7));
        assert_eq!(of(3, 2, 0.0), rest(3, 2) + chunk(2) + triangle(3));
        assert_eq!(of(3, 2, 0.5), rest(3, 2) + chunk(2) + triangle(7));
        let (full, threads) = (CHUNK as u64, rayon::current_num_threads() as u64);
        assert_eq!(of(3, full + 1, 0.0), rest(3, full + 1) + (chunk(full) + triangle(3)) * threads.min(2));
    }

    #[test]
    fn the_largest_number_of_atoms_is_a_power_of_two() {
        let check = |atoms| FactorSettings::new(atoms).check(3);
        assert!(check(1 << 20).is_ok() && check((1 << 20) + 1).is_err() && check(0).is_err());
    }

    #[test]
    fn only_a_penalty_that_samples_would_decide_is_undecided() {
        let check = |lambda, code| {
            FactorSettings { lambda, code: Some(code), ..FactorSettings::new(3) }.check_decided()
        };
        assert!(check(FactorSettings::AUTO, CodeSet::Free).is_err());
        assert!(check(FactorSettings::AUTO, CodeSet::Nonnegative).is_ok());
        assert!(check(0.5, CodeSet::Free).is_ok());
        assert_eq!(
            FactorSettings { code: Some(CodeSet::Free), ..FactorSettings::new(3) }.lambda_for(10.0),
            2.0
        );
    }

    #[test]
    fn sizes_of_sets_of_codes_are_positive() {
        for text in ["box:0", "simplex:0", "box:-1", "box:inf", "simplex:nan", "box", "nonneg:1", "free:2"] {
            assert!(text.parse::<CodeSet>().is_err(), "{text}");
        }
        assert_eq!("box:0.5".parse::<CodeSet>().unwrap(), CodeSet::Box { upper: 0.5 });
        assert_eq!("simplex:2".parse::<CodeSet>().unwrap(), CodeSet::Simplex { bound: 2.0 });
    }

    #[test]
    fn numbers_that_are_refused_are_told() {
        let message = |atoms, features| FactorSettings::new(atoms).check(features).unwrap_err().to_string();
        assert!(message(2, 0).contains("the number of features is 0"), "{}", message(2, 0));
        assert!(message(0, 3).contains("the number of atoms is 0"), "{}", message(0, 3));
        assert!(FactorSettings::new(1).check(1).is_ok());
    }
}
