//! Minibatches of image patches: positions that are independent, or follow a random walk.

use crate::runs::{Filled, Source};
use anyhow::{Context, Result};
use ergodict::chain::{ChainPoint, ImageWalk, Walker, Walkers};
use ergodict::data::Image;
use ergodict::linalg::{Mat, Scalar};
use ergodict::patch::Window;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Patches of one or several images.
pub(super) struct ImageSource {
    pub(super) images: Arc<[Image]>,
    pub(super) window: Window,
    pub(super) walker: Walker<ImageWalk>,
    /// Patches of a minibatch, and minibatches.
    pub(super) patches: usize,
    pub(super) minibatches: u64,
    pub(super) chain: Duration,
    /// Positions of the minibatch.
    pub(super) corners: Vec<(usize, (usize, usize))>,
}

impl<T: Scalar> Source<T> for ImageSource {
    fn fill(&mut self, x: &mut Mat<T>) -> Result<Filled> {
        if self.walker.steps() >= self.minibatches.saturating_mul(self.patches as u64) {
            return Ok(Filled::Over);
        }
        let before = Instant::now();
        self.corners.clear();
        for _ in 0..self.patches {
            self.walker.take(1);
            self.corners.push(self.walker.chain().position(self.walker.state()));
        }
        self.chain += before.elapsed();
        x.reset(self.window.features(self.images[0].channels()), self.patches);
        for (j, &(image, corner)) in self.corners.iter().enumerate() {
            self.window.copy(&self.images[image], corner, x.col_mut(j));
        }
        Ok(Filled::Full)
    }

    fn minibatches(&self) -> u64 {
        self.minibatches
    }

    fn point(&self) -> (ChainPoint, u64) {
        let state = serde_json::to_vec(self.walker.state()).unwrap_or_default();
        let (steps, word) = (self.walker.steps(), self.walker.word());
        (ChainPoint { steps, word, acceptance: None, state }, 0)
    }

    fn seek(&mut self, (point, _): &(ChainPoint, u64)) -> Result<()> {
        let state: Walkers = serde_json::from_slice(&point.state).context("the positions on the images")?;
        self.walker.chain().check(&state)?;
        self.walker.put(state, point.steps, point.word);
        Ok(())
    }

    fn chain_time(&self) -> Duration {
        self.chain
    }
}
