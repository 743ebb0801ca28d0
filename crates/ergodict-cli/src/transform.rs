//! `ergodict transform`: codes of new data for a learned dictionary.

use crate::args::Common;
use crate::progress::{Progress, say};
use crate::summary::{Summary, emit};
use crate::{input, interrupt, memory, output, paths};
use anyhow::{Result, bail};
use ergodict::data::{BatchSettings, MatrixBatches, NpyWriter};
use ergodict::factor::code::{CodeSet, Pursuit};
use ergodict::linalg::{Mat, Scalar};
use ergodict::model::{Model, Precision};
use ergodict_report::words::{count, number};
use serde::Serialize;
use std::path::PathBuf;
use std::process::ExitCode;

const HELP: &str = "\
Example:
  ergodict transform faces.safetensors new-faces.npy -o codes.npy
  ergodict transform faces.safetensors new-faces.npy -o faces-again.npy --reconstruct
  ergodict transform faces.safetensors new-faces.npy -o few.npy --nonzero 5";

/// Encode new data with a learned dictionary
#[derive(clap::Args)]
#[command(after_long_help = HELP)]
pub(crate) struct Args {
    /// The model file
    model: PathBuf,
    /// The matrix, one sample a row, in any format that `ergodict factor` reads; - is standard input
    data: PathBuf,
    /// The .npy file to write, a row for each sample; - is standard output
    #[arg(short, long, value_name = "H.npy")]
    out: PathBuf,
    /// Write the reconstructions WH (n, d) instead of the codes (n, r)
    #[arg(long)]
    reconstruct: bool,
    /// Most atoms of a sample, by orthogonal matching pursuit
    #[arg(long, value_name = "K", value_parser = ergodict::text::number, allow_negative_numbers = true)]
    nonzero: Option<usize>,
    /// Stop orthogonal matching pursuit where ‖x − Wh‖² is at most this
    #[arg(long, value_name = "E", allow_negative_numbers = true)]
    tol: Option<f64>,
    /// Weight of the ℓ₁ norm of the code [default: as learned]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    lambda: Option<f64>,
    /// Samples coded together
    #[arg(long, value_name = "N", default_value_t = BatchSettings::default().batch, allow_negative_numbers = true)]
    batch: usize,
    /// Treat NaN and empty cells as missing entries
    #[arg(long)]
    missing: bool,
}

/// Sums over all samples.
#[derive(Default)]
struct Sums {
    samples: u64,
    loss: f64,
    residual: f64,
    squares: f64,
    zeros: u64,
    capped: u64,
}

pub(crate) fn run(args: &Args, common: &Common) -> Result<ExitCode> {
    paths::check(common, &[("MODEL", &args.model), ("DATA", &args.data)], &[("-o", &args.out)])?;
    output::named(&args.out, "npy", "codes")?;
    let model = Model::load(&args.model)?;
    match model.precision {
        Precision::F32 => transform::<f32>(args, common, &model),
        Precision::F64 => transform::<f64>(args, common, &model),
    }
}

fn transform<T: Scalar>(args: &Args, common: &Common, model: &Model) -> Result<ExitCode> {
    let stream = input::open(&args.data)?;
    let (d, r) = (model.w.rows(), model.w.cols());
    if stream.features() != d {
        bail!(
            "{}: has {} features, but {} was learned from samples of {d}",
            args.data.display(),
            stream.features(),
            args.model.display()
        );
    }
    if let (Some(then), Some(now)) = (&model.feature_names, stream.feature_names())
        && let Some(i) = (0..d).find(|&i| then.get(i) != now.get(i))
        && !common.quiet
    {
        say(&format!("warning: feature {i} is `{}`, but `{}` in the model", now[i], then[i]));
    }
    let samples = stream.samples();
    let batch = samples.unwrap_or(u64::MAX).min(args.batch as u64);
    // A minibatch as it is read and as it is reconstructed, its codes and their supports; the dictionary, its Gram matrix and their copies.
    let size = size_of::<T>() as u64;
    let each = (2 * d as u64 + 3 * r as u64).saturating_mul(size);
    let needed = batch.saturating_mul(each).saturating_add((4 * d + 4 * r) as u64 * r as u64 * size);
    memory::check(needed, &format!("{r} codes each in minibatches of {batch}"), "lower --batch")?;
    let mut feed =
        MatrixBatches::<T>::new(stream, BatchSettings { batch: args.batch, ..BatchSettings::default() })?;
    let mut factorizer = model.factorizer::<T>()?;
    if args.nonzero.is_some() || args.tol.is_some() {
        if args.lambda.is_some() {
            bail!("--lambda cannot be combined with --nonzero or --tol");
        }
        let nonnegative = factorizer.parameters().code().is_nonnegative();
        let pursuit = Pursuit { atoms: args.nonzero, tol: args.tol, nonnegative };
        factorizer = factorizer.with_code(CodeSet::Pursuit(pursuit))?;
    }
    let mut out = NpyWriter::<T>::create(&args.out, if args.reconstruct { d } else { r }, samples)?;
    interrupt::listen();
    let mut progress = Progress::new(common.quiet, samples, 0);
    let (mut sums, mut again) = (Sums::default(), Mat::zeros(d, 0));
    while let Some(x) = feed.next_minibatch()? {
        let mask = input::mask(x, args.missing);
        let x_there = input::observed(x, mask.as_ref());
        let coded = match args.lambda {
            None => factorizer.transform(x_there),
            Some(lambda) => factorizer.transform_with(x_there, lambda),
        };
        let h = factorizer.code();
        if let Ok((report, loss)) = &coded {
            factorizer.reconstruct(&mut again);
            sums.samples += x.cols() as u64;
            sums.loss += loss;
            sums.capped += report.capped;
            for j in 0..x.cols() {
                for (i, (x, y)) in x.col(j).iter().zip(again.col(j)).enumerate() {
                    if mask.as_ref().is_none_or(|mask| mask.get(i, j)) {
                        sums.squares += x.to_f64().powi(2);
                        sums.residual += (x.to_f64() - y.to_f64()).powi(2);
                    }
                }
                sums.zeros += h.col(j).iter().filter(|h| **h == T::ZERO).count() as u64;
            }
        }
        coded.map_err(|e| input::explained(&feed, e))?;
        out.write(if args.reconstruct { again.as_ref() } else { h.as_ref() })?;
        progress.update(sums.samples, || format!("relative error {:.4e}", sums.residual / sums.squares));
        if interrupt::asked() {
            progress.finish();
            say("ergodict: interrupted; nothing was written");
            return Ok(interrupt::code());
        }
    }
    progress.finish();
    out.finish()?;
    let error = if sums.squares > 0.0 { sums.residual / sums.squares } else { 0.0 };
    let sparsity = sums.zeros as f64 / (sums.samples as f64 * r as f64).max(1.0);
    let loss = sums.loss / sums.samples as f64;
    let summary = TransformSummary {
        out: args.out.display().to_string(),
        model: args.model.display().to_string(),
        samples: sums.samples,
        features: d,
        atoms: r,
        reconstruct: args.reconstruct,
        relative_error: error,
        sparsity,
        loss_per_sample: loss,
        capped_samples: sums.capped,
        missing: args.missing,
    };
    emit(&summary, common)?;
    Ok(ExitCode::SUCCESS)
}

/// `ergodict transform`
#[derive(Serialize)]
struct TransformSummary {
    /// File of the codes, or of WH
    out: String,
    /// Model file
    model: String,
    /// Number of samples
    samples: u64,
    /// Features of a sample, d
    features: usize,
    /// Atoms of the dictionary, r
    atoms: usize,
    /// Whether WH was written instead of H
    reconstruct: bool,
    /// ‖X − WH‖² / ‖X‖², over the entries that are there
    relative_error: f64,
    /// Share of the codes that are zero
    sparsity: f64,
    /// Loss with the penalties that the model was learned with, or with those given; ‖x − Wh‖² by orthogonal matching pursuit
    loss_per_sample: f64,
    /// Samples whose coding reached its cap before its tolerance
    capped_samples: u64,
    #[serde(skip)]
    missing: bool,
}

impl Summary for TransformSummary {
    const SCHEMA: &'static str = "ergodict.transform/1";

    fn lines(&self) -> Vec<(&str, String)> {
        let observed = if self.missing { "the observed entries of " } else { "" };
        let mut lines = vec![
            (
                "",
                format!(
                    "{} {:.1} % of {observed}{} (relative error {})",
                    count(self.atoms, "atom explains", "atoms explain"),
                    100.0 * (1.0 - self.relative_error),
                    count(self.samples as usize, "sample", "samples"),
                    number(self.relative_error)
                ),
            ),
            ("codes", format!("{:.1} % are zero", 100.0 * self.sparsity)),
        ];
        if self.capped_samples > 0 {
            let capped = self.capped_samples;
            lines
                .push(("warning", format!("{capped} samples reached the solver's cap before its tolerance")));
        }
        lines.push(("wrote", self.out.clone()));
        lines
    }

    fn details(&self) -> Vec<(&str, String)> {
        vec![("loss", format!("{} per sample", number(self.loss_per_sample)))]
    }
}
