//! `ergodict image reconstruct`: an image rebuilt from atoms.

use super::open::open;
use crate::args::Common;
use crate::progress::{Progress, say};
use crate::reports::{self, ReportArgs};
use crate::summary::{Summary, emit};
use crate::{input, interrupt, output, paths, rerun};
use anyhow::{Context, Result, anyhow, bail};
use ergodict::data::Image;
use ergodict::linalg::Scalar;
use ergodict::model::{Model, Precision};
use ergodict::reconstruct::{MOST_PATCHES, Overlap, with_lambda};
use ergodict_pages::image::{Distance, Outcome, of_reconstruction};
use serde::Serialize;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const HELP: &str = "\
Example:
  ergodict image reconstruct atoms.safetensors @tessellation -o again.png";

/// Reconstruct an image from the atoms of a dictionary
///
/// PSNR and relative error are of the rebuilt numbers as they are; only the .png has them clipped to black and white and
/// rounded to 8 bits.
#[derive(clap::Args)]
#[command(after_long_help = HELP)]
pub(crate) struct Args {
    /// The model file, of `ergodict image learn`
    model: PathBuf,
    /// The image: PNG, JPEG, PNM or TIFF; - is standard input, @tessellation and @tessellation-noisy are embedded
    #[arg(value_name = "IMG")]
    image: PathBuf,
    /// The .png file to write, of 8 bits a channel even where the image has 16; - is standard output
    #[arg(short, long, value_name = "OUT.png")]
    out: PathBuf,
    /// Pixels between neighboring patches, which are averaged where they overlap [default: the least that makes at most
    /// 200000 patches, up to the size of a patch; 1 for small images]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    stride: Option<usize>,
    /// Weight of the ℓ₁ norm of the codes; 0 rebuilds as closely as the atoms can [default: 0]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    lambda: Option<f64>,
    /// Another image to compare with as well
    #[arg(long, value_name = "IMG")]
    reference: Option<PathBuf>,
    #[command(flatten)]
    reports: ReportArgs,
}

pub(crate) fn run(args: &Args, common: &Common) -> Result<ExitCode> {
    let model = Model::load(&args.model)?;
    match model.precision {
        Precision::F32 => reconstruct::<f32>(args, common, &model),
        Precision::F64 => reconstruct::<f64>(args, common, &model),
    }
}

fn reconstruct<T: Scalar>(args: &Args, common: &Common, model: &Model) -> Result<ExitCode> {
    let mut inputs = vec![("MODEL", &*args.model), ("IMG", &*args.image)];
    inputs.extend(args.reference.as_deref().map(|path| ("--reference", path)));
    let outputs: Vec<_> = [("-o", &*args.out)].into_iter().chain(args.reports.outputs()).collect();
    paths::check(common, &inputs, &outputs)?;
    output::named(&args.out, "png", "images")?;
    if args.out.extension().is_none() && !output::is_standard(&args.out) {
        bail!("{}: images are written as .png: name the output so", args.out.display());
    }
    let patch = super::patch_of(model, &args.model)?;
    let color = patch.channels == 3;
    let (image, _) = open(&args.image, color, common.quiet)?;
    let reference = args.reference.as_ref().map(|path| -> Result<Image> {
        let (other, _) = open(path, color, common.quiet)?;
        super::same_size((path, &other), (&args.image, &image))?;
        Ok(other)
    });
    let reference = reference.transpose()?;
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
    let mut factorizer = with_lambda(&learned, lambda)?;
    interrupt::listen();
    let mut progress: Option<Progress> = None;
    let mut seen = |done, all| {
        let progress =
            progress.get_or_insert_with(|| Progress::with_unit("patches", common.quiet, Some(all), 0));
        progress.update(done, || format!("stride {stride}"));
        !interrupt::asked()
    };
    let rebuilt = overlap.reconstruct(&mut factorizer, &image, &mut seen)?;
    if let Some(progress) = &progress {
        progress.finish();
    }
    let Some(rebuilt) = rebuilt else {
        say("ergodict: interrupted; nothing was written");
        return Ok(interrupt::code());
    };
    let given = image.to_f64();
    let distance = Distance::between(&rebuilt.values, &given);
    let from_reference = reference.as_ref().map(|reference| {
        let clean = reference.to_f64();
        (Distance::between(&rebuilt.values, &clean), Distance::between(&given, &clean))
    });
    let png = rebuilt.image()?.png().map_err(|problem| anyhow!("{}: {problem}", args.out.display()))?;
    output::write_bytes(&args.out, &crate::resolved::noted(png))?;
    args.reports.write(|| {
        let done =
            Outcome { image: &image, rebuilt: &rebuilt, reference: reference.as_ref(), stride, freed: None };
        let names = [input::name(&args.model), input::name(&args.image)];
        let config = json!({ "stride": args.stride, "lambda": args.lambda });
        let reference = args.reference.as_deref().map(|path| format!("--reference {} ", input::name(path)));
        let rest = format!("{}-o rebuilt.png", reference.unwrap_or_default());
        let command = rerun::command("image reconstruct", &config, &names, &rest);
        Ok(of_reconstruction(model, patch, &done, lambda, &command)?)
    })?;
    let summary = ImageReconstructSummary {
        out: &args.out,
        model: &args.model,
        image: &args.image,
        shape: rebuilt.shape,
        channels: rebuilt.channels,
        stride,
        patches: rebuilt.patches,
        lambda,
        distance,
        reference_psnr: from_reference.as_ref().map(|(now, _)| now.psnr),
        reference_relative_error: from_reference.as_ref().map(|(now, _)| now.relative_error),
        reference_psnr_before: from_reference.as_ref().map(|(_, before)| before.psnr),
        from_reference,
        atoms: model.w.cols(),
        stride_chosen: args.stride.is_none() && stride > 1,
        written: args.reports.lines(),
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
    /// PSNR from the image of `--reference`; `null` without
    reference_psnr: Option<f64>,
    /// Relative error from the image of `--reference`; `null` without
    reference_relative_error: Option<f64>,
    /// PSNR of the given image from that of `--reference`; `null` without
    reference_psnr_before: Option<f64>,
    #[serde(skip)]
    from_reference: Option<(Distance, Distance)>,
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
        let rebuilt = format!("{patches} patches with {atoms} atoms, stride {stride}{chosen}");
        let mut lines = vec![("rebuilt", rebuilt)];
        lines.push(("distance", format!("{} from the image", self.distance.words())));
        if let Some((now, before)) = &self.from_reference {
            lines
                .push(("reference", format!("{} from it; the image itself {}", now.words(), before.words())));
        }
        lines.push(("wrote", self.out.display().to_string()));
        lines.extend(self.written.clone());
        lines
    }
}
