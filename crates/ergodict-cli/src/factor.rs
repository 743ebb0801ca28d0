//! `ergodict factor`: learns a dictionary from any matrix.

use crate::args::Common;
use crate::learn::Learner;
use crate::{input, memory, output, paths};
use anyhow::{Context, Result, bail};
use ergodict::Error;
use ergodict::data::{Batch, FeedOptions};
use ergodict::dictionary::Input;
use ergodict::factor::code::{CodeSet, CodeSolver};
use ergodict::factor::{DictionarySet, Factoriser, Normalise, Parameters, Schedule, UnusedAtoms};
use ergodict::linalg::{Mat, Scalar};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::str::FromStr;

/// Samples that are coded together, as the library has it.
const CHUNK: u64 = 128;
/// Samples whose Newton systems are solved side by side.
const LANES: u64 = 8;

const HELP: &str = "\
Example:
  ergodict factor faces.npy -r 25 -o faces.safetensors --epochs 3 --shuffle --report faces.html

The same run again:
  ergodict factor faces.npy -o again.safetensors --config faces.safetensors";

/// Learn a dictionary from the rows of a matrix, minibatch by minibatch
#[derive(clap::Args)]
#[command(after_long_help = HELP)]
#[expect(clippy::struct_excessive_bools, reason = "flags are")]
pub(crate) struct Args {
    /// The matrix, one sample a row: .npy, .npz (also FILE.npz:ARRAY), .csv, .tsv, .parquet; - is standard input
    pub(crate) data: PathBuf,
    /// Atoms of the dictionary
    #[arg(short = 'r', long, value_name = "R", allow_negative_numbers = true)]
    atoms: usize,
    /// The model file to write; - is standard output
    #[arg(short, long, value_name = "MODEL")]
    pub(crate) out: PathBuf,

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
    /// Set of atoms: nonneg-ball, ball, simplex, box, l1-ball (each also with :SIZE) or free
    #[arg(long, value_name = "SET", default_value_t = defaults().dictionary)]
    dictionary: DictionarySet,
    /// Set of codes: nonneg, free, box:U or simplex:S
    #[arg(long, value_name = "SET", default_value_t = defaults().code)]
    code: CodeSet,
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

    /// Samples of a minibatch
    #[arg(long, value_name = "N", default_value_t = FeedOptions::default().batch, allow_negative_numbers = true)]
    batch: usize,
    /// How often all samples are seen
    #[arg(long, value_name = "E", default_value_t = FeedOptions::default().epochs, allow_negative_numbers = true)]
    pub(crate) epochs: u64,
    /// Take the samples of each epoch in a random order
    ///
    /// Exact for .npy and uncompressed .npz; within windows of at most 65536 samples for formats that can only be read
    /// in order. The order depends on the seed and on the format.
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL")]
    #[arg(default_value_t = FeedOptions::default().shuffle, hide_possible_values = true, hide_default_value = true)]
    shuffle: bool,
    /// Share of the samples kept apart for a final loss
    #[arg(long, value_name = "FRACTION", default_value_t = FeedOptions::default().holdout)]
    #[arg(allow_negative_numbers = true)]
    holdout: f64,
    /// Take NaN and empty cells for missing entries, which are left out
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL")]
    #[arg(default_value_t = false, hide_possible_values = true, hide_default_value = true)]
    pub(crate) missing: bool,
    /// Calculate in 32 bits
    #[arg(long, overrides_with = "f64")]
    f32: bool,
    /// Calculate in 64 bits, which is the default
    #[arg(long, overrides_with = "f32", hide_short_help = true)]
    f64: bool,

    /// Save the state here from time to time; deleted when the model is written
    #[arg(long, value_name = "FILE")]
    pub(crate) checkpoint: Option<PathBuf>,
    /// Seconds between checkpoints
    #[arg(long, value_name = "SECONDS", default_value_t = 30.0, requires = "checkpoint")]
    #[arg(hide_short_help = true, allow_negative_numbers = true)]
    pub(crate) checkpoint_every: f64,
    /// Go on from the checkpoint, if there is one
    #[arg(long, requires = "checkpoint")]
    pub(crate) resume: bool,
    /// Write a page with the loss curve and the atoms
    #[arg(long, value_name = "FILE.html")]
    pub(crate) report: Option<PathBuf>,
    /// Rows and columns of an atom's picture in the report [default: square, if it can be]
    #[arg(long, value_name = "HxW", value_parser = crate::model::shape, hide_short_help = true)]
    pub(crate) shape: Option<(usize, usize)>,
}

/// The defaults of the library; the number of atoms has none.
fn defaults() -> Parameters {
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

pub(crate) fn run(args: &Args, common: &Common) -> Result<ExitCode> {
    if args.f32 { learn::<f32>(args, common) } else { learn::<f64>(args, common) }
}

fn learn<T: Scalar>(args: &Args, common: &Common) -> Result<ExitCode> {
    args.check(common)?;
    let stream = input::open(&args.data)?;
    let parameters = args.parameters();
    let d = stream.features();
    parameters.check(d)?;
    if let Some((height, width)) = args.shape.filter(|(height, width)| height.checked_mul(*width) != Some(d))
    {
        bail!("--shape is {height}x{width}, but the samples of {} have {d} features", args.data.display());
    }
    let feed = input::feed::<T>(stream, args.feed(common))?;
    let needed = feed.buffer_bytes().saturating_add(args.memory::<T>(d, feed.stream().samples()));
    let what = format!("{} atoms of {d} features in minibatches of {}", args.atoms, args.batch);
    memory::check(needed, &what)?;
    for (_, path) in args.outputs() {
        output::probe(path)?;
    }
    if common.verbose {
        let (format, samples) = (feed.stream().format(), feed.stream().samples());
        let samples = samples.map_or_else(|| "an unknown number of".to_owned(), |n| n.to_string());
        let memory = memory::bytes(needed);
        crate::progress::say(&format!(
            "{}: {format:?}, {samples} samples of {d} features; about {memory} of memory",
            args.data.display()
        ));
    }
    Learner::new(args, common, feed)?.run()
}

impl Args {
    /// Checks what does not need the data.
    fn check(&self, common: &Common) -> Result<()> {
        if self.checkpoint_every.is_nan() || self.checkpoint_every < 0.0 {
            bail!("--checkpoint-every is {}, but it must be at least 0 seconds", self.checkpoint_every);
        }
        if self.checkpoint.as_deref().is_some_and(output::is_standard) {
            bail!("--checkpoint is -, but a state that can be resumed needs a file");
        }
        let mut inputs = vec![("DATA", &*self.data)];
        if !["random", "data"].contains(&&*self.init) {
            inputs.push(("--init", Path::new(&self.init)));
        }
        paths::check(common, &inputs, &self.outputs())
    }

    /// What is written.
    fn outputs(&self) -> Vec<paths::Given<'_>> {
        let report = self.report.as_deref().map(|path| ("--report", path));
        let checkpoint = self.checkpoint.as_deref().map(|path| ("--checkpoint", path));
        [Some(("-o", &*self.out)), report, checkpoint].into_iter().flatten().collect()
    }

    pub(crate) fn parameters(&self) -> Parameters {
        Parameters {
            atoms: self.atoms,
            lambda: self.lambda,
            kappa1: self.kappa1,
            kappa2: self.kappa2,
            schedule: self.schedule.clone(),
            code: self.code,
            dictionary: self.dictionary.clone(),
            normalise: self.normalise.0,
            unused: self.unused.0,
            solver: self.solver.0,
            tolerance: self.tolerance,
            dictionary_tolerance: self.dictionary_tolerance,
            dictionary_sweeps: self.dictionary_sweeps,
        }
    }

    fn feed(&self, common: &Common) -> FeedOptions {
        FeedOptions {
            batch: self.batch,
            epochs: self.epochs,
            shuffle: self.shuffle,
            seed: common.seed,
            holdout: self.holdout,
        }
    }

    /// Every flag that has a say in the result, with its value: what `--config` takes to give it again.
    pub(crate) fn config(&self, common: &Common) -> Result<Value> {
        let mut config = serde_json::to_value(self.parameters())?;
        config["batch"] = json!(self.batch);
        config["epochs"] = json!(self.epochs);
        config["shuffle"] = json!(self.shuffle);
        config["holdout"] = json!(self.holdout);
        config["init"] = json!(self.init);
        config["missing"] = json!(self.missing);
        config[if self.f32 { "f32" } else { "f64" }] = json!(true);
        config["seed"] = json!(common.seed);
        Ok(config)
    }

    /// About how many bytes learning and saving take, besides what reading does.
    fn memory<T: Scalar>(&self, d: usize, samples: Option<u64>) -> u64 {
        let (d, r, size) = (d as u64, self.atoms as u64, size_of::<T>() as u64);
        let n = samples.unwrap_or(u64::MAX).min(self.batch as u64);
        let product = |x: u64, y: u64, bytes: u64| x.saturating_mul(y).saturating_mul(bytes);
        // W thrice, B twice; then the copies that a model file is made from.
        let wide = product(d, r, 4 * size + 8).saturating_add(product(d, r, 2 * size + 32));
        // Gram matrices, A and its copies, its eigenvectors.
        let square = product(r, r, 3 * size + 16 + 48);
        // The code and its supports; then the buffers of the coder, which each thread has for the chunk it works on.
        let code = product(n, r, size + 4);
        let chunks = n.div_ceil(CHUNK).min(rayon::current_num_threads() as u64);
        // No more than d atoms are needed at once, unless the squared norm of the code has a weight.
        let support = if self.kappa2 > 0.0 { r } else { r.min(d) };
        let triangle = product(support, support.saturating_add(1), LANES / 2 * size);
        let chunk = product(r, n.min(CHUNK), 3 * size).saturating_add(triangle);
        [square, code, chunk.saturating_mul(chunks)].into_iter().fold(wide, u64::saturating_add)
    }

    /// The dictionary to start from, unless that takes data: none then. Also the file it came from.
    pub(crate) fn start<T: Scalar>(
        &self,
        d: usize,
        seed: u64,
    ) -> Result<(Option<Factoriser<T>>, Option<Input>)> {
        match self.init.as_str() {
            "random" => Ok((Some(Factoriser::random(self.parameters(), d, seed)?), None)),
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
                let started = Factoriser::from_dictionary(self.parameters(), w.as_ref());
                Ok((Some(started.with_context(|| format!("--init {file}"))?), Some(input)))
            }
        }
    }
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
