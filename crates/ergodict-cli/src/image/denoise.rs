//! `ergodict image denoise`: an image without its noise, by atoms learned from the image itself.

use super::open::open;
use super::result::{FromReference, ResultArgs};
use crate::args::Common;
use crate::driver::Driver;
use crate::summary::{Summary, emit};
use crate::{input, memory, reports, rerun};
use anyhow::{Context, Result};
use ergodict::data::digest;
use ergodict::linalg::Mat;
use ergodict::model::{Input, Model};
use ergodict::reconstruct::{DenoiseSettings, Denoising};
use ergodict::run::Identity;
use ergodict::settings::Settings;
use ergodict::text::Shape;
use ergodict_pages::image::{Distance, NoiseLevel, Outcome, of_denoising};
use ergodict_report::words::grouped;
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
    #[command(flatten)]
    settings: DenoiseSettings,
    /// Model file of `ergodict image learn` whose atoms to use instead
    #[arg(long, value_name = "MODEL")]
    model: Option<PathBuf>,
    /// Denoise in gray
    #[arg(long, conflicts_with = "model")]
    gray: bool,
    #[command(flatten)]
    result: ResultArgs,
}

pub(crate) fn run(args: &Args, common: &Common) -> Result<ExitCode> {
    let mut settings = DenoiseSettings { seed: common.seed, ..args.settings.clone() };
    settings.check()?;
    let mut inputs = vec![("IMG", &*args.image)];
    inputs.extend(args.model.as_deref().map(|path| ("--model", path)));
    let outputs = args.result.check(common, inputs)?;
    let model = args.model.as_deref().map(Model::load).transpose()?;
    let (image, input) = match (&model, &args.model) {
        (Some(model), Some(path)) => {
            let patch = super::patch_of(model, path)?;
            settings.patch = Shape(patch.window.rows, patch.window.cols);
            settings.atoms = model.w.cols();
            open(&args.image, patch.channels == 3, common.quiet)?
        }
        _ => open(&args.image, args.gray.then_some(false), common.quiet)?,
    };
    let reference = args.result.reference((&args.image, &image), common)?;
    reports::probe(&outputs)?;
    // As it is given, as sums and as the result in 64 bits, their weights, and the reference.
    let needed = image.values().len() as u64 * 5 * 8;
    memory::check(needed, "the sums of its patches", "take a smaller image")?;
    let atoms: Option<Mat<f32>> = model.as_ref().map(|model| model.w.cast());
    let mut sources = vec![input];
    if let Some(path) = args.model.as_ref().filter(|_| args.result.checkpoints.checkpoint.is_some()) {
        sources.push(Input { name: input::name(path), digest: digest(path)? });
    }
    let mut config = settings.config();
    config.insert("gray".into(), args.gray.into());
    let identity = Identity {
        command: "image denoise".into(),
        settings: Value::Object(config),
        inputs: sources,
        seed: common.seed,
    };
    let job = Denoising::new(&image, atoms.as_ref(), &settings);
    let mut job = job.with_context(|| args.image.display().to_string())?;
    let driver = match Driver::finished(&args.result.checkpoints, common, &identity, &mut job)? {
        Ok(driver) => driver,
        Err(code) => return Ok(code),
    };
    let done = job.finish().context("nothing was denoised")?;
    let given = image.to_f64();
    args.result.write(&done.image)?;
    let noise = NoiseLevel { sigma: done.sigma, estimated: settings.sigma.is_none() };
    args.result.reports.write(|| {
        let outcome = Outcome {
            image: &image,
            reconstruction: &done.image,
            reference: reference.as_ref(),
            stride: done.stride,
            noise: Some(noise),
        };
        let given = args.model.as_deref().map(|path| format!("--model {} ", input::name(path)));
        let gray = if args.gray { "--gray " } else { "" };
        let rest = [given.unwrap_or_default(), gray.to_owned(), args.result.command("denoised.png")].concat();
        let mut config = settings.config();
        if model.is_some() {
            config.remove("patch");
            config.remove("atoms");
        }
        let command =
            rerun::command("image denoise", &Value::Object(config), &[input::name(&args.image)], &rest);
        Ok(of_denoising(&done, &outcome, model.is_none(), &command)?)
    })?;
    driver.remove()?;
    let summary = ImageDenoiseSummary {
        out: &args.result.out,
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
        from_reference: FromReference::new(reference.as_ref(), &done.image.values, &given),
        noise,
        written: args.result.reports.lines(),
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
    #[serde(flatten)]
    from_reference: FromReference,
    #[serde(skip)]
    noise: NoiseLevel,
    #[serde(skip)]
    written: Vec<(&'static str, String)>,
}

impl Summary for ImageDenoiseSummary<'_> {
    const SCHEMA: &'static str = "ergodict.image-denoise/1";

    fn finding(&self) -> Option<String> {
        let NoiseLevel { sigma, .. } = self.noise;
        Some(match (self.from_reference.reference_psnr_before, self.from_reference.reference_psnr) {
            (Some(before), Some(now)) => {
                format!("Denoised: PSNR {before:.2} → {now:.2} dB against the reference")
            }
            _ if sigma == 0.0 => "No noise found: the image is as it was".to_owned(),
            _ => format!("Denoised: noise of σ = {sigma:.3} removed (white is 1)"),
        })
    }

    fn lines(&self) -> Vec<(&str, String)> {
        let Self { sigma, patches, atoms, stride, atoms_per_patch, .. } = self;
        let how = self.noise.how();
        let patches = grouped(*patches);
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
