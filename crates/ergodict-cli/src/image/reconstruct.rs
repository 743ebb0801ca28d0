//! `ergodict image reconstruct`: an image reconstructed from atoms.

use super::open::open;
use super::result::{FromReference, ResultArgs};
use crate::args::Common;
use crate::driver::Driver;
use crate::summary::{Summary, emit};
use crate::{input, reports, rerun};
use anyhow::{Context, Result};
use ergodict::data::digest;
use ergodict::linalg::Scalar;
use ergodict::model::{Input, Model, Precision};
use ergodict::reconstruct::{MOST_PATCHES, Overlap, OverlapRun, with_lambda};
use ergodict::run::Identity;
use ergodict_pages::image::{Distance, Outcome, of_reconstruction};
use ergodict_report::words::grouped;
use serde::Serialize;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const HELP: &str = "\
Example:
  ergodict image reconstruct atoms.safetensors @tessellation -o again.png";

/// Reconstruct an image from the atoms of a dictionary
///
/// PSNR and relative error are of the reconstructed values; only the .png has them clipped to [0, 1] and rounded to 8 bits.
#[derive(clap::Args)]
#[command(after_long_help = HELP)]
pub(crate) struct Args {
    /// The model file, of `ergodict image learn`
    model: PathBuf,
    /// The image: PNG, JPEG, PNM or TIFF; - is standard input, @tessellation and @tessellation-noisy are embedded
    #[arg(value_name = "IMG")]
    image: PathBuf,
    /// Pixels between neighboring patches, which are averaged where they overlap [default: the least that makes at most
    /// 200000 patches, up to the size of a patch; 1 for small images]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    stride: Option<usize>,
    /// Weight of the ℓ₁ norm of the codes; 0 fits most closely [default: 0]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    lambda: Option<f64>,
    #[command(flatten)]
    result: ResultArgs,
}

pub(crate) fn run(args: &Args, common: &Common) -> Result<ExitCode> {
    let model = Model::load(&args.model)?;
    match model.precision {
        Precision::F32 => reconstruct::<f32>(args, common, &model),
        Precision::F64 => reconstruct::<f64>(args, common, &model),
    }
}

fn reconstruct<T: Scalar>(args: &Args, common: &Common, model: &Model) -> Result<ExitCode> {
    let outputs = args.result.check(common, vec![("MODEL", &*args.model), ("IMG", &*args.image)])?;
    let patch = super::patch_of(model, &args.model)?;
    let (image, input) = open(&args.image, patch.channels == 3, common.quiet)?;
    let reference = args.result.reference((&args.image, &image), common)?;
    reports::probe(&outputs)?;
    let overlap = match args.stride {
        Some(stride) => {
            let overlap = Overlap { window: patch.window, stride };
            overlap.corners(image.shape()).map(|_| overlap)
        }
        None => Overlap::spread(patch.window, image.shape(), 1, MOST_PATCHES),
    };
    let overlap = overlap.with_context(|| args.image.display().to_string())?;
    let stride = overlap.stride;
    let learned = model.factorizer::<T>()?;
    let lambda = args.lambda.unwrap_or(0.0);
    let mut dictionary = with_lambda(&learned, lambda)?;
    let mut job = OverlapRun::new(overlap, &mut dictionary, &image)?;
    let inputs = if args.result.checkpoints.checkpoint.is_some() {
        vec![Input { name: input::name(&args.model), digest: digest(&args.model)? }, input]
    } else {
        Vec::new()
    };
    let identity = Identity {
        command: "image reconstruct".into(),
        settings: json!({ "stride": stride, "lambda": lambda }),
        inputs,
        seed: common.seed,
    };
    let driver = match Driver::finished(&args.result.checkpoints, common, &identity, &mut job)? {
        Ok(driver) => driver,
        Err(code) => return Ok(code),
    };
    let reconstruction = job.finish().context("nothing was reconstructed")?;
    let given = image.to_f64();
    args.result.write(&reconstruction)?;
    args.result.reports.write(|| {
        let done = Outcome {
            image: &image,
            reconstruction: &reconstruction,
            reference: reference.as_ref(),
            stride,
            noise: None,
        };
        let names = [input::name(&args.model), input::name(&args.image)];
        let config = json!({ "stride": args.stride, "lambda": args.lambda });
        let command =
            rerun::command("image reconstruct", &config, &names, &args.result.command("reconstruction.png"));
        Ok(of_reconstruction(model, patch, &done, lambda, &command)?)
    })?;
    driver.remove()?;
    let summary = ImageReconstructSummary {
        out: &args.result.out,
        model: &args.model,
        image: &args.image,
        shape: reconstruction.shape,
        channels: reconstruction.channels,
        stride,
        patches: reconstruction.patches,
        lambda,
        distance: Distance::between(&reconstruction.values, &given),
        from_reference: FromReference::new(reference.as_ref(), &reconstruction.values, &given),
        atoms: model.w.cols(),
        stride_chosen: args.stride.is_none() && stride > 1,
        written: args.result.reports.lines(),
    };
    emit(&summary, common)?;
    Ok(ExitCode::SUCCESS)
}

/// `ergodict image reconstruct`
#[derive(Serialize)]
struct ImageReconstructSummary<'a> {
    /// File that was written
    out: &'a Path,
    /// Model file
    model: &'a Path,
    /// File of the image
    image: &'a Path,
    /// Rows and columns
    shape: (usize, usize),
    /// 1 for gray, 3 for color
    channels: usize,
    /// Pixels between neighboring patches, as given or chosen
    stride: usize,
    /// Patches that were averaged
    patches: u64,
    /// Weight of the ℓ₁ norm of the codes
    lambda: f64,
    #[serde(flatten)]
    distance: Distance,
    #[serde(flatten)]
    from_reference: FromReference,
    #[serde(skip)]
    atoms: usize,
    #[serde(skip)]
    stride_chosen: bool,
    #[serde(skip)]
    written: Vec<(&'static str, String)>,
}

impl Summary for ImageReconstructSummary<'_> {
    const SCHEMA: &'static str = "ergodict.image-reconstruct/1";

    fn lines(&self) -> Vec<(&str, String)> {
        let Self { patches, atoms, stride, .. } = self;
        let chosen = if self.stride_chosen { " (chosen for the size of the image)" } else { "" };
        let mut lines = vec![("", format!("{atoms} atoms reconstruct the image: {}", self.distance.words()))];
        lines.push(("data", format!("{} patches, stride {stride}{chosen}", grouped(*patches))));
        lines.extend(self.from_reference.words().map(|words| ("reference", words)));
        lines.push(("wrote", self.out.display().to_string()));
        lines.extend(self.written.clone());
        lines
    }
}
