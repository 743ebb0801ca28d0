//! Minibatches of image patches, as many as were asked for.

use crate::runs::{Filled, Source};
use anyhow::Result;
use ergodict::chain::ChainPoint;
use ergodict::dictionary::Model;
use ergodict::linalg::{Mat, Scalar};
use ergodict::patch::ImageStream;
use std::time::{Duration, Instant};

/// Patches of one or several images.
pub(super) struct ImageSource {
    pub(super) stream: ImageStream,
    /// Patches of a minibatch, and minibatches.
    pub(super) patches: usize,
    pub(super) minibatches: u64,
    pub(super) chain: Duration,
}

impl<T: Scalar> Source<T> for ImageSource {
    fn fill(&mut self, x: &mut Mat<T>) -> Result<Filled> {
        if self.stream.steps() >= self.minibatches.saturating_mul(self.patches as u64) {
            return Ok(Filled::Over);
        }
        let before = Instant::now();
        self.stream.advance(self.patches);
        self.chain += before.elapsed();
        self.stream.copy(x);
        Ok(Filled::Full)
    }

    fn minibatches(&self) -> u64 {
        self.minibatches
    }

    fn point(&self) -> (ChainPoint, u64) {
        (self.stream.point(), 0)
    }

    fn seek(&mut self, (point, _): &(ChainPoint, u64), _: &Model) -> Result<()> {
        Ok(self.stream.seek(point)?)
    }

    fn chain_time(&self) -> Duration {
        self.chain
    }
}
