//! One dictionary of a picture, with what it is worth along the way.

use super::{Ground, LAMBDA, Setting};
use anyhow::Result;
use ergodict::chain::{ImageWalk, Placement, Walker};
use ergodict::factor::{FactorSettings, Factorizer};
use ergodict::linalg::Mat;
use ergodict::model::Model;
use ergodict::reconstruct::{MOST_PATCHES, Overlap, psnr, relative_error, with_lambda};
use ergodict::run::{Form, Run, RunPlan};
use ergodict_terminal::progress::{Progress, figure};
use ergodict_terminal::{interrupt, resolved};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Pixels between the patches that the picture is reconstructed from, unless there are too many of them.
const STRIDE: usize = 2;
/// The stream of the patches that are held out; those learned from are of stream 0.
const HELD_OUT: u64 = 1;

/// What is recorded; the atoms of the first repetition are in models.
#[derive(Serialize, Deserialize)]
pub(super) struct Learned {
    pub(super) marks: Vec<Mark>,
    /// Of the whole picture, reconstructed with the last dictionary.
    #[serde(with = "crate::number")]
    pub(super) psnr: f64,
    #[serde(with = "crate::number")]
    pub(super) relative_error: f64,
}

/// What a dictionary was worth after `t` minibatches.
#[derive(Serialize, Deserialize)]
pub(super) struct Mark {
    pub(super) t: u64,
    /// Per patch.
    pub(super) surrogate: f64,
    /// Mean loss of patches from anywhere that were not learned from: the expected loss.
    pub(super) held_out: f64,
    /// Share of the pixels that some patch had shown by then, and of the corners it was cut at.
    pub(super) pixels: f64,
    pub(super) corners: f64,
}

/// Whether numbers are written down after `t` minibatches: 1, 2, 5, 10, 20, 50, …, and at the end.
fn is_mark(t: u64, steps: u64) -> bool {
    let mut lead = t.max(1);
    while lead.is_multiple_of(10) {
        lead /= 10;
    }
    t == steps || [1, 2, 5].contains(&lead)
}

/// Where patches were cut, and what of the picture they showed.
pub(super) struct SampledPatches {
    corners: Vec<bool>,
    pub(super) pixels: Vec<bool>,
}

/// Patches at positions that follow each other.
pub(super) struct Cut<'a> {
    ground: &'a Ground,
    walker: Walker<ImageWalk>,
    pub(super) seen: SampledPatches,
}

impl<'a> Cut<'a> {
    /// Patches from stream `id` of a seed, as [`ImageStream`](ergodict::patch::ImageStream) makes them.
    pub(super) fn new(ground: &'a Ground, sampling: Placement, seed: u64, id: u64) -> Result<Self> {
        let shape = ground.image.shape();
        let window = ground.kind.window;
        let walk = ImageWalk::new(&[window.corners(shape)?], sampling, window.boundary)?;
        let places = shape.0 * shape.1;
        let seen = SampledPatches { corners: vec![false; places], pixels: vec![false; places] };
        Ok(Self { ground, walker: Walker::new(walk, seed, id), seen })
    }

    /// The next minibatch.
    pub(super) fn fill(&mut self, patches: usize, x: &mut Mat<f64>) {
        let Ground { image, kind, .. } = self.ground;
        x.reset(kind.window.features(kind.channels), patches);
        for j in 0..patches {
            self.walker.take(1);
            let (_, corner) = self.walker.chain().position(self.walker.state());
            kind.window.copy(image, corner, x.col_mut(j));
            self.see(corner);
        }
    }

    fn see(&mut self, (row, col): (usize, usize)) {
        let (shape, window) = (self.ground.image.shape(), self.ground.kind.window);
        if std::mem::replace(&mut self.seen.corners[row * shape.1 + col], true) {
            return;
        }
        for i in 0..window.rows {
            for j in 0..window.cols {
                self.seen.pixels[(row + i) % shape.0 * shape.1 + (col + j) % shape.1] = true;
            }
        }
    }
}

/// The share of places that are marked.
fn share(marked: &[bool]) -> f64 {
    marked.iter().filter(|there| **there).count() as f64 / marked.len() as f64
}

impl Ground {
    /// Learns with a seed of its own and judges by held-out patches of the run's; writes the last and the early model where
    /// there are paths for them. None when interrupted.
    pub(super) fn learn(
        &self,
        sampling: Placement,
        (own, seed): (u64, u64),
        paths: Option<&[PathBuf; 2]>,
        quiet: bool,
    ) -> Result<Option<Learned>> {
        let Setting { patches, steps, atoms, held_out, early, .. } = self.setting;
        let (mut x, mut held) = (Mat::zeros(0, 0), Mat::zeros(0, 0));
        Cut::new(self, Placement::Iid, seed, HELD_OUT)?.fill(held_out, &mut held);
        let mut cut = Cut::new(self, sampling, own, 0)?;
        let features = self.kind.window.features(self.kind.channels);
        let parameters = FactorSettings { lambda: LAMBDA, ..FactorSettings::new(atoms) };
        let first = Factorizer::<f64>::random(parameters.clone(), features, own)?;
        let plan = RunPlan {
            settings: resolved::config(),
            inputs: vec![self.input.clone()],
            ..RunPlan::new("paper figure-image", parameters, own)
        };
        let mut run = Run::pushed(plan, Form::Patch(self.kind), Some(first))?;
        let mut progress = Progress::new(quiet, Some(steps * patches as u64), 0);
        let mut marks = Vec::new();
        for t in 1..=steps {
            if interrupt::asked() || interrupt::due(t) {
                progress.finish();
                return Ok(None);
            }
            cut.fill(patches, &mut x);
            let report = run.push((&x).into(), None)?;
            let dictionary = run.coder()?;
            let surrogate = report.surrogate;
            if is_mark(t, steps) {
                let held_out = dictionary.loss(&held)? / held_out as f64;
                let (pixels, corners) = (share(&cut.seen.pixels), share(&cut.seen.corners));
                marks.push(Mark { t, surrogate, held_out, pixels, corners });
            }
            progress.update(t * patches as u64, || format!("surrogate {}", figure(surrogate)));
            if let Some([_, path]) = paths.filter(|_| t == early) {
                run.model()?.save(path)?;
            }
        }
        progress.finish();
        let model = run.model()?;
        if let Some([path, _]) = paths {
            model.save(path)?;
        }
        let Some(rebuilt) = self.rebuilt(&model)? else { return Ok(None) };
        let truth = self.image.to_f64();
        let (psnr, relative_error) = (psnr(&rebuilt, &truth, 1.0), relative_error(&rebuilt, &truth));
        Ok(Some(Learned { marks, psnr, relative_error }))
    }

    /// The picture put together from patches that are reconstructed without a penalty; none when interrupted.
    pub(super) fn rebuilt(&self, model: &Model) -> Result<Option<Vec<f64>>> {
        let overlap = Overlap::spread(self.kind.window, self.image.shape(), STRIDE, MOST_PATCHES)?;
        let mut coder = with_lambda(&model.factorizer::<f64>()?, 0.0)?;
        let rebuilt = overlap.reconstruct(&mut coder, &self.image, &mut |_, _| !interrupt::asked())?;
        Ok(rebuilt.map(|rebuilt| rebuilt.values))
    }
}
