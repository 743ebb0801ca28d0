//! What commands that make an image have in common: the files they read and write, the reference.

use super::open::open;
use crate::args::Common;
use crate::checkpoints::CheckpointArgs;
use crate::reports::ReportArgs;
use crate::{input, output, paths};
use anyhow::{Result, anyhow, bail};
use ergodict::data::Image;
use ergodict::reconstruct::Reconstruction;
use ergodict_pages::image::Distance;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Where an image goes, and what it is compared with.
#[derive(clap::Args)]
pub(super) struct ResultArgs {
    /// The .png file to write, of 8 bits a channel even where the image has 16; - is standard output
    #[arg(short, long, value_name = "OUT.png")]
    pub(super) out: PathBuf,
    /// Another image to compare with, such as the one without noise
    #[arg(long, value_name = "IMG")]
    reference: Option<PathBuf>,
    #[command(flatten)]
    pub(super) checkpoints: CheckpointArgs,
    #[command(flatten)]
    pub(super) reports: ReportArgs,
}

impl ResultArgs {
    /// Checks the names of all files before any work, and returns those that are written.
    pub(super) fn check<'a>(
        &'a self,
        common: &Common,
        mut inputs: Vec<paths::NamedPath<'a>>,
    ) -> Result<Vec<paths::NamedPath<'a>>> {
        self.checkpoints.check()?;
        inputs.extend(self.reference.as_deref().map(|path| ("--reference", path)));
        let checkpoint = self.checkpoints.checkpoint.as_deref().map(|path| ("--checkpoint", path));
        let standard = inputs.iter().find(|(_, path)| output::is_standard(path));
        if let Some((name, _)) = standard.filter(|_| checkpoint.is_some()) {
            bail!("{name} is -, which cannot be read again to resume: --checkpoint needs a file");
        }
        let outputs = [("-o", &*self.out)].into_iter().chain(self.reports.outputs()).chain(checkpoint);
        let outputs: Vec<_> = outputs.collect();
        paths::check(common, &inputs, &outputs)?;
        output::named(&self.out, "png", "images")?;
        if self.out.extension().is_none() && !output::is_standard(&self.out) {
            bail!("{}: images are written as .png; use a name that ends in .png", self.out.display());
        }
        Ok(outputs)
    }

    /// The reference of an image, which has to be of its size.
    pub(super) fn reference(&self, of: (&Path, &Image), common: &Common) -> Result<Option<Image>> {
        let Some(path) = &self.reference else { return Ok(None) };
        let (other, _) = open(path, of.1.channels() == 3, common.quiet)?;
        if other.shape() != of.1.shape() {
            let ((b, a), (d, c)) = (other.shape(), of.1.shape());
            bail!("{}: has {a}×{b} pixels, but {} has {c}×{d}", path.display(), of.0.display());
        }
        Ok(Some(other))
    }

    /// Writes the image.
    pub(super) fn write(&self, image: &Reconstruction) -> Result<()> {
        let png = image.image()?.png().map_err(|problem| anyhow!("{}: {problem}", self.out.display()))?;
        output::write_bytes(&self.out, &crate::resolved::noted(png))
    }

    /// The words of a command that makes it again as this file.
    pub(super) fn command(&self, file: &str) -> String {
        let reference = self.reference.as_deref().map(|path| format!("--reference {} ", input::name(path)));
        format!("{}-o {file}", reference.unwrap_or_default())
    }
}

/// How far an image is from the reference.
#[derive(Serialize)]
pub(super) struct FromReference {
    /// PSNR from the image of `--reference`; `null` without
    pub(super) reference_psnr: Option<f64>,
    /// Relative error from the image of `--reference`; `null` without
    reference_relative_error: Option<f64>,
    /// PSNR of the given image from that of `--reference`; `null` without
    pub(super) reference_psnr_before: Option<f64>,
    #[serde(skip)]
    distances: Option<(Distance, Distance)>,
}

impl FromReference {
    /// Of what was made, and of the image it was made of.
    pub(super) fn new(reference: Option<&Image>, made: &[f64], given: &[f64]) -> Self {
        let distances = reference.map(|reference| {
            let clean = reference.to_f64();
            (Distance::between(made, &clean), Distance::between(given, &clean))
        });
        Self {
            reference_psnr: distances.as_ref().map(|(now, _)| now.psnr),
            reference_relative_error: distances.as_ref().map(|(now, _)| now.relative_error),
            reference_psnr_before: distances.as_ref().map(|(_, before)| before.psnr),
            distances,
        }
    }

    /// Both in words.
    pub(super) fn words(&self) -> Option<String> {
        let (now, before) = self.distances.as_ref()?;
        Some(format!("{} from it; the image itself {}", now.words(), before.words()))
    }
}
