//! The flags of the online scheme, which every verb that learns has.

use crate::input;
use anyhow::{Context, Result, bail};
use ergodict::Error;
use ergodict::data::Batch;
use ergodict::dictionary::{Input, Precision, scheme_config};
use ergodict::factor::code::{CodeSet, CodeSolver};
use ergodict::factor::{DictionarySet, Factoriser, Normalise, Parameters, Schedule, UnusedAtoms};
use ergodict::linalg::{Mat, MatRef, Scalar};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use std::path::Path;
use std::str::FromStr;

/// The flags.
#[derive(clap::Args)]
#[command(next_help_heading = "Learning")]
pub(crate) struct Scheme {
    /// Atoms of the dictionary
    #[arg(short = 'r', long, value_name = "R", allow_negative_numbers = true)]
    atoms: usize,
    /// Weight of the ℓ₁ norm of the code
    ///
    /// The loss of a sample is ‖x − Wh‖² + λ‖h‖₁ + (κ₂/2)‖h‖², without a ½ before the fit: λ is twice what
    /// scikit-learn calls alpha. Lower it when codes come out all zero.
    #[arg(long, value_name = "X", default_value_t = defaults().lambda, allow_negative_numbers = true)]
    lambda: f64,
    /// Added to the diagonal of A in the dictionary update
    #[arg(long, value_name = "X", default_value_t = defaults().kappa1, allow_negative_numbers = true)]
    kappa1: f64,
    /// Weight of half the squared ℓ₂ norm of the code
    #[arg(long, value_name = "X", default_value_t = defaults().kappa2, allow_negative_numbers = true)]
    kappa2: f64,
    /// Weights of the minibatches: balanced (1/t), linear (2/(t+1)), power:B (t^-B), constant:C (max(1/t, C))
    #[arg(long, value_name = "S", default_value_t = defaults().schedule)]
    schedule: Schedule,
    /// Set of atoms: nonneg-ball, ball, simplex, box, l1-ball (each also with :SIZE) or free [default: nonneg-ball]
    #[arg(long, value_name = "SET")]
    dictionary: Option<DictionarySet>,
    /// Set of codes: nonneg, free, box:U or simplex:S [default: nonneg]
    #[arg(long, value_name = "SET")]
    code: Option<CodeSet>,
    /// First dictionary: random, data (samples of the first minibatch), or a d×r matrix in a file
    #[arg(long, value_name = "W.npy|random|data", default_value = "random")]
    init: String,
    /// How columns enter the statistics: sum, or per-column
    #[arg(long, value_name = "HOW", default_value_t = Named(defaults().normalise), hide_short_help = true)]
    normalise: Named<Normalise>,
    /// Atoms that no code uses: keep, or reseed
    #[arg(long, value_name = "HOW", default_value_t = Named(defaults().unused), hide_short_help = true)]
    unused: Named<UnusedAtoms>,
    /// How codes are found: fast, or projected-gradient (the paper's, slow)
    #[arg(long, value_name = "HOW", default_value_t = Named(defaults().solver), hide_short_help = true)]
    solver: Named<CodeSolver>,
    /// Relative KKT residual at which coding stops
    #[arg(long, value_name = "X", default_value_t = defaults().tolerance, allow_negative_numbers = true)]
    #[arg(hide_short_help = true)]
    tolerance: f64,
    /// Relative change of the dictionary at which its update stops
    #[arg(long, value_name = "X", default_value_t = defaults().dictionary_tolerance)]
    #[arg(hide_short_help = true, allow_negative_numbers = true)]
    dictionary_tolerance: f64,
    /// Most sweeps of a dictionary update
    #[arg(long, value_name = "N", default_value_t = defaults().dictionary_sweeps)]
    #[arg(hide_short_help = true, allow_negative_numbers = true)]
    dictionary_sweeps: u32,

    /// Calculate in 32 bits
    #[arg(long, overrides_with = "f64")]
    pub(crate) f32: bool,
    /// Calculate in 64 bits, which is the default
    #[arg(long, overrides_with = "f32", hide_short_help = true)]
    f64: bool,
}

/// The defaults of the library; the number of atoms has none.
pub(crate) fn defaults() -> Parameters {
    Parameters::new(1)
}

/// A choice by the name it has in files.
#[derive(Clone)]
struct Named<T>(T);

impl<T: Serialize> std::fmt::Display for Named<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match serde_json::to_value(&self.0) {
            Ok(Value::String(name)) => f.write_str(&name),
            _ => Err(std::fmt::Error),
        }
    }
}

impl<T: DeserializeOwned> FromStr for Named<T> {
    type Err = serde_json::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        serde_json::from_value(Value::String(text.to_owned())).map(Self)
    }
}

impl Scheme {
    /// The parameters; `own` are those of the verb where no flag says otherwise.
    pub(crate) fn parameters(&self, own: &Parameters) -> Parameters {
        Parameters {
            atoms: self.atoms,
            lambda: self.lambda,
            kappa1: self.kappa1,
            kappa2: self.kappa2,
            schedule: self.schedule.clone(),
            code: self.code.unwrap_or(own.code),
            dictionary: self.dictionary.clone().unwrap_or_else(|| own.dictionary.clone()),
            normalise: self.normalise.0,
            unused: self.unused.0,
            solver: self.solver.0,
            tolerance: self.tolerance,
            dictionary_tolerance: self.dictionary_tolerance,
            dictionary_sweeps: self.dictionary_sweeps,
        }
    }

    /// Every flag with its value, as `--config` takes it.
    pub(crate) fn config(&self, parameters: &Parameters) -> Result<Value> {
        let precision = if self.f32 { Precision::F32 } else { Precision::F64 };
        Ok(scheme_config(parameters, &self.init, precision)?)
    }

    /// The file of the first dictionary, if it comes from one.
    pub(crate) fn file(&self) -> Option<&Path> {
        (!["random", "data"].contains(&&*self.init)).then(|| Path::new(&self.init))
    }

    /// About how many bytes learning from minibatches of `n` samples and saving take, besides the minibatch.
    pub(crate) fn memory<T: Scalar>(&self, d: usize, n: u64) -> u64 {
        self.parameters(&defaults()).memory::<T>(d, n)
    }

    /// The dictionary to start from, unless that takes data: none then. Also the file it came from.
    pub(crate) fn start<T: Scalar>(
        &self,
        parameters: &Parameters,
        d: usize,
        seed: u64,
    ) -> Result<(Option<Factoriser<T>>, Option<Input>)> {
        match self.init.as_str() {
            "random" => Ok((Some(Factoriser::random(parameters.clone(), d, seed)?), None)),
            "data" => Ok((None, None)),
            file => {
                let path = Path::new(file);
                let (w, input) = matrix::<T>(path).with_context(|| {
                    format!("--init {file} cannot be used (expected random, data or a matrix)")
                })?;
                if (w.rows(), w.cols()) != (d, self.atoms) {
                    bail!(
                        "--init {file} is {}×{}, but {d}×{} is needed: a row for each feature, a column for each atom",
                        w.rows(),
                        w.cols(),
                        self.atoms
                    );
                }
                let started = Factoriser::from_dictionary(parameters.clone(), w.as_ref());
                Ok((Some(started.with_context(|| format!("--init {file}"))?), Some(input)))
            }
        }
    }
}

/// Starts from samples, whose missing entries count as zero where `missing` allows them.
pub(crate) fn from_data<T: Scalar>(
    parameters: Parameters,
    x: MatRef<'_, T>,
    missing: bool,
    seed: u64,
) -> ergodict::Result<Factoriser<T>> {
    let mask = input::mask(x, missing);
    Factoriser::from_minibatch(parameters, input::observed(x, mask.as_ref()), seed)
}

/// A whole matrix from a file, and what models keep of the file.
fn matrix<T: Scalar>(path: &Path) -> Result<(Mat<T>, Input)> {
    let mut stream = input::open(path)?;
    let Ok(rows) = usize::try_from(stream.samples().unwrap_or(1 << 32)) else {
        return Err(Error::format(path, None, "is too large").into());
    };
    let (mut batch, mut whole) = (Batch::new(), Vec::<Vec<T>>::new());
    while stream.next_batch(rows.clamp(1, 1024), &mut batch)? > 0 {
        let x = batch.as_mat_ref();
        whole.extend((0..x.cols()).map(|j| x.col(j).to_vec()));
    }
    let w = Mat::from_fn(whole.len(), stream.features(), |i, j| whole[i][j]);
    Ok((w, Input { name: input::name(path), digest: stream.digest()? }))
}
