//! `ergodict image denoise`: an image without its noise, by atoms learned from the image itself.

use super::open::{open, open_as_stored};
use crate::args::Common;
use crate::progress::{Progress, say};
use crate::reports::{self, ReportArgs};
use crate::summary::{Summary, emit};
use crate::{input, interrupt, memory, output, paths, rerun};
use anyhow::{Context, Result, anyhow, bail};
use ergodict::data::Image;
use ergodict::linalg::Mat;
use ergodict::model::Model;
use ergodict::reconstruct::{DenoiseSettings, denoise};
use ergodict::settings::Settings;
use ergodict::text::Shape;
use ergodict_pages::image::{Distance, Freed, Outcome, of_denoising};
use serde::Serialize;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const HELP: &str = "\
Example:
  ergodict image denoise photo.png -o clean.png --report clean.html
  ergodict image denoise @tessellation-noisy --reference @tessellation -o clean.png";

/// Remove noise from an image
///
/// Atoms are learned from patches of the noisy image, and each patch is coded with as few of them as leave no more than the
/// noise. Colors are kept, and denoised together.
#[derive(clap::Args)]
#[command(after_long_help = HELP)]
pub(crate) struct Args {
    /// The image: PNG, JPEG, PNM or TIFF; - is standard input, @tessellation and @tessellation-noisy are embedded
    #[arg(value_name = "IMG")]
    image: PathBuf,
    /// The .png file to write, of 8 bits a channel even where the image has 16; - is standard output
    #[arg(short, long, value_name = "OUT.png")]
    out: PathBuf,
    #[command(flatten)]
    settings: DenoiseSettings,
    /// Model file of `ergodict image learn` whose atoms to use instead
    #[arg(long, value_name = "MODEL")]
    model: Option<PathBuf>,
    /// Denoise in gray
    #[arg(long, conflicts_with = "model")]
    gray: bool,
    /// The image without noise, to compare with
    #[arg(long, value_name = "IMG")]
    reference: Option<PathBuf>,
    #[command(flatten)]
    reports: ReportArgs,
}

pub(crate) fn run(args: &Args, common: &Common) -> Result<ExitCode> {
    let mut settings = DenoiseSettings { seed: common.seed, ..args.settings.clone() };
    settings.check()?;
    let mut inputs = vec![("IMG", &*args.image)];
    inputs.extend(args.model.as_deref().map(|path| ("--model", path)));
    inputs.extend(args.reference.as_deref().map(|path| ("--reference", path)));
    let outputs: Vec<_> = [("-o", &*args.out)].into_iter().chain(args.reports.outputs()).collect();
    paths::check(common, &inputs, &outputs)?;
    output::named(&args.out, "png", "images")?;
    if args.out.extension().is_none() && !output::is_standard(&args.out) {
        bail!("{}: images are written as .png: name the output so", args.out.display());
    }
    let model = args.model.as_deref().map(Model::load).transpose()?;
    let image = match (&model, &args.model) {
        (Some(model), Some(path)) => {
            let patch = super::patch_of(model, path)?;
            settings.patch = Shape(patch.window.rows, patch.window.cols);
            settings.atoms = model.w.cols();
            open(&args.image, patch.channels == 3, common.quiet)?.0
        }
        _ if args.gray => open(&args.image, false, common.quiet)?.0,
        _ => open_as_stored(&args.image, common.quiet)?,
    };
    let reference = args.reference.as_ref().map(|path| -> Result<Image> {
        let (other, _) = open(path, image.channels() == 3, common.quiet)?;
        super::same_size((path, &other), (&args.image, &image))?;
        Ok(other)
    });
    let reference = reference.transpose()?;
    reports::probe(&outputs)?;
    // As it is given, as sums and as the result in 64 bits, their weights, and the reference.
    let needed = image.values().len() as u64 * 5 * 8;
    memory::check(needed, "the sums of its patches", "take a smaller image")?;
    interrupt::listen();
    let mut progress: Option<Progress> = None;
    let mut seen = |done, all| {
        let progress =
            progress.get_or_insert_with(|| Progress::with_unit("patches", common.quiet, Some(all), 0));
        progress.update(done, || "denoising".to_owned());
        !interrupt::asked()
    };
    let atoms: Option<Mat<f32>> = model.as_ref().map(|model| model.w.cast());
    let done = denoise(&image, atoms.as_ref(), &settings, &mut seen);
    if let Some(progress) = &progress {
        progress.finish();
    }
    let Some(done) = done.with_context(|| args.image.display().to_string())? else {
        say("ergodict: interrupted; nothing was written");
        return Ok(interrupt::code());
    };
    let given = image.to_f64();
    let from_reference = reference.as_ref().map(|reference| {
        let clean = reference.to_f64();
        (Distance::between(&done.image.values, &clean), Distance::between(&given, &clean))
    });
    let png = done.image.image()?.png().map_err(|problem| anyhow!("{}: {problem}", args.out.display()))?;
    output::write_bytes(&args.out, &crate::resolved::noted(png))?;
    let freed = Freed { sigma: done.sigma, estimated: settings.sigma.is_none() };
    args.reports.write(|| {
        let outcome = Outcome {
            image: &image,
            rebuilt: &done.image,
            reference: reference.as_ref(),
            stride: done.stride,
            freed: Some(freed),
        };
        let given = args.model.as_deref().map(|path| format!("--model {} ", input::name(path)));
        let against = args.reference.as_deref().map(|path| format!("--reference {} ", input::name(path)));
        let gray = if args.gray { "--gray " } else { "" };
        let rest = [given.as_deref().unwrap_or_default(), gray, against.as_deref().unwrap_or_default()];
        let rest = format!("{}-o denoised.png", rest.concat());
        let mut config = settings.config();
        if model.is_some() {
            config.remove("patch");
            config.remove("atoms");
        }
        let command =
            rerun::command("image denoise", &Value::Object(config), &[input::name(&args.image)], &rest);
        Ok(of_denoising(&done, &outcome, model.is_none(), &command)?)
    })?;
    let summary = ImageDenoiseSummary {
        out: &args.out,
        model: args.model.as_deref(),
        image: &args.image,
        shape: done.image.shape,
        channels: done.image.channels,
        stride: done.stride,
        patches: done.image.patches,
        atoms: done.model.w.cols(),
        atoms_per_patch: done.mean_atoms,
        unchanged_share: done.kept,
        sigma: done.sigma,
        distance: Distance::between(&done.image.values, &given),
        reference_psnr: from_reference.as_ref().map(|(now, _)| now.psnr),
        reference_relative_error: from_reference.as_ref().map(|(now, _)| now.relative_error),
        reference_psnr_before: from_reference.as_ref().map(|(_, before)| before.psnr),
        freed,
        written: args.reports.lines(),
    };
    emit(&summary, common)?;
    Ok(ExitCode::SUCCESS)
}

/// `ergodict image denoise`
#[derive(Serialize)]
struct ImageDenoiseSummary<'a> {
    /// File that was written
    out: &'a Path,
    /// Model file of `--model`; `null` where atoms were learned from the image
    model: Option<&'a Path>,
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
    /// Atoms of the dictionary
    atoms: usize,
    /// Mean number of atoms in the code of a patch
    atoms_per_patch: f64,
    /// Share of patches left unchanged, as no few atoms describe them up to the noise
    unchanged_share: f64,
    /// Standard deviation of the noise, given or estimated
    sigma: f64,
    #[serde(flatten)]
    distance: Distance,
    /// PSNR from the image of `--reference`; `null` without
    reference_psnr: Option<f64>,
    /// Relative error from the image of `--reference`; `null` without
    reference_relative_error: Option<f64>,
    /// PSNR of the given image from that of `--reference`; `null` without
    reference_psnr_before: Option<f64>,
    #[serde(skip)]
    freed: Freed,
    #[serde(skip)]
    written: Vec<(&'static str, String)>,
}

impl Summary for ImageDenoiseSummary<'_> {
    const SCHEMA: &'static str = "ergodict.image-denoise/1";

    fn finding(&self) -> Option<String> {
        let Freed { sigma, .. } = self.freed;
        Some(match (self.reference_psnr_before, self.reference_psnr) {
            (Some(before), Some(now)) => {
                format!("Denoised: PSNR {before:.2} → {now:.2} dB against the reference")
            }
            _ if sigma == 0.0 => "No noise found: the image is as it was".to_owned(),
            _ => format!("Denoised: noise of σ = {sigma:.3} removed (white is 1)"),
        })
    }

    fn lines(&self) -> Vec<(&str, String)> {
        let Self { sigma, patches, atoms, stride, atoms_per_patch, .. } = self;
        let how = self.freed.how();
        let codes = format!("{patches} patches, {atoms_per_patch:.1} of {atoms} atoms each, stride {stride}");
        let mut lines = vec![("noise", format!("σ = {sigma:.4} ({how})")), ("codes", codes)];
        if self.unchanged_share > 0.01 {
            let share = 100.0 * self.unchanged_share;
            lines.push(("unchanged", format!("{share:.0} % of the patches: too much detail for few atoms")));
        }
        lines.push(("wrote", self.out.display().to_string()));
        lines.extend(self.written.clone());
        lines
    }
}
