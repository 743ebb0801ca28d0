//! An image: atoms from patches along a random walk, and the reconstruction.

use super::{perform, words};
use crate::args::Common;
use crate::page;
use anyhow::{Context, Result};
use ergodict::data::{Image, tessellation};
use ergodict::model::Model;
use ergodict::reconstruct::{Overlap, psnr, with_lambda};
use ergodict_report::words::grouped;
use ergodict_report::{Figure, Picture, Pictures, Report, Shade};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// The model files.
pub(super) const FILES: [&str; 2] = ["picture-walk.safetensors", "picture-iid.safetensors"];
const SIDE: usize = 240;
const PATCH: usize = 10;
const PATCHES: usize = 500;
const STEPS: usize = 200;
const ATOMS: usize = 36;
/// Pixels are at most 1 and patches small, so the penalty is small, too.
const LAMBDA: f64 = 0.1;
const STRIDE: usize = 2;

/// What was learned with either sampling.
pub(super) struct PictureRun {
    command: Vec<String>,
    image: Image,
    walk: Trained,
    iid: Trained,
}

struct Trained {
    file: PathBuf,
    model: Model,
    values: Vec<f64>,
    psnr: f64,
}

/// The result.
#[derive(Serialize)]
pub(super) struct PictureResult {
    /// Patches learned from
    patches: usize,
    /// PSNR of the reconstruction from atoms of independent patches
    psnr_iid: f64,
    /// PSNR of the reconstruction from atoms of a random walk
    psnr_walk: f64,
}

impl PictureRun {
    /// Learns and reconstructs; none when interrupted.
    pub(super) fn new(dir: &Path, common: &Common) -> Result<Option<Self>> {
        let image = tessellation(SIDE, SIDE, false, 0)?;
        let learn = |sampling: &str, file: &str| {
            let text = format!(
                "image learn @tessellation --sampling {sampling} --patch {PATCH} --patches {PATCHES} --steps {STEPS} \
                 -r {ATOMS} --lambda {LAMBDA}"
            );
            let file = dir.join(file);
            let command = words(&text, &[("-o", &file)], common.seed);
            let reconstruction =
                perform(&command, common)?.then(|| Trained::new(file, &image)).transpose()?;
            anyhow::Ok(reconstruction.map(|reconstruction| (reconstruction, command)))
        };
        let Some((walk, command)) = learn("walk", FILES[0])? else { return Ok(None) };
        let Some((iid, _)) = learn("iid", FILES[1])? else { return Ok(None) };
        Ok(Some(Self { command, image, walk, iid }))
    }

    pub(super) fn command(&self) -> Vec<String> {
        self.command.clone()
    }

    pub(super) fn files(&self) -> Vec<PathBuf> {
        vec![self.walk.file.clone(), self.iid.file.clone()]
    }

    pub(super) fn account(&self) -> String {
        format!(
            "{ATOMS} atoms of {PATCH}×{PATCH} pixels from {} patches.\n\
             Reconstruction PSNR: {:.2} dB from a random walk, {:.2} dB from independent patches.",
            grouped((PATCHES * STEPS) as u64),
            self.walk.psnr,
            self.iid.psnr
        )
    }

    /// The number of this example at the top of the report.
    pub(super) fn number(&self) -> (String, String) {
        (format!("{:.2} dB", self.walk.psnr), "image: PSNR of the reconstruction".to_owned())
    }

    pub(super) fn summary(&self) -> PictureResult {
        PictureResult { patches: PATCHES * STEPS, psnr_iid: self.iid.psnr, psnr_walk: self.walk.psnr }
    }

    pub(super) fn show(&self, report: Report) -> Result<Report> {
        let shade = Shade::Photo { low: 0.0, high: 1.0 };
        let original = self.image.to_f64();
        let off: Vec<f64> = self.walk.values.iter().zip(&original).map(|(a, b)| (a - b).abs()).collect();
        let most = off.iter().copied().fold(0.0, f64::max);
        let picture = |values, shade| Picture::new(values, (SIDE, SIDE), shade);
        let items = vec![
            (picture(&original, shade), "image".to_owned()),
            (picture(&self.walk.values, shade), format!("reconstruction: {:.1} dB", self.walk.psnr)),
            (picture(&off, Shade::Ink { low: 0.0, high: most }), format!("error, at most {most:.2}")),
        ];
        let svg = Pictures { items, columns: Some(3) }.svg()?;
        let report = report.section("Image", self.account());
        let report =
            report.figure(Figure { title: "Reconstruction".into(), svg, words: RECONSTRUCTION.into() });
        Ok(page::with_atoms(report, &self.walk.model)?)
    }
}

const RECONSTRUCTION: &str = "
    A generated tessellation, its reconstruction, and the error (darker: larger). Each patch is reconstructed from atoms; overlapping
    patches are averaged.";

impl Trained {
    fn new(file: PathBuf, image: &Image) -> Result<Self> {
        let model = Model::load(&file)?;
        let window = model.patch.context("a model of pictures has patches")?.window;
        let overlap = Overlap { window, stride: STRIDE };
        let mut coder = with_lambda(&model.factorizer::<f64>()?, 0.0)?;
        let values = overlap.reconstruct(&mut coder, image, &mut |_, _| true)?;
        let values = values.map(|reconstruction| reconstruction.values).unwrap_or_default();
        Ok(Self { file, psnr: psnr(&values, &image.to_f64(), 1.0), values, model })
    }
}
