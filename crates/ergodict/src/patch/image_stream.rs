//! Minibatches of image patches: positions that are independent, or follow a random walk.

use super::Window;
use crate::chain::{ChainPoint, ImageWalk, Placement, Walker, Walkers};
use crate::data::Image;
use crate::linalg::{Mat, Scalar};
use crate::{Error, Result};
use std::sync::Arc;

/// Patches of one or several images, one minibatch after another.
///
/// ```
/// use ergodict::chain::{Boundary, Placement};
/// use ergodict::patch::{ImageStream, Window};
/// let image = ergodict::data::tessellation(40, 60, false, 0)?;
/// let window = Window { rows: 5, cols: 5, boundary: Boundary::Periodic };
/// let mut stream = ImageStream::new([image].into(), window, Placement::Walk, 0, 0)?;
/// let mut x = ergodict::linalg::Mat::<f64>::zeros(0, 0);
/// stream.advance(100);
/// stream.copy(&mut x);
/// assert_eq!((x.rows(), x.cols()), (25, 100));
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ImageStream {
    images: Arc<[Image]>,
    window: Window,
    walker: Walker<ImageWalk>,
    /// Positions of the minibatch.
    corners: Vec<(usize, (usize, usize))>,
}

impl ImageStream {
    /// Patches of images that have the same channels, at positions from stream `id` of the seed.
    ///
    /// # Errors
    /// As [`Window::corners`] and [`ImageWalk::new`]; [`Error::Shape`] for images of different channels.
    pub fn new(
        images: Arc<[Image]>,
        window: Window,
        sampling: Placement,
        seed: u64,
        id: u64,
    ) -> Result<Self> {
        let channels = images.first().map_or(1, Image::channels);
        if let Some(other) = images.iter().find(|image| image.channels() != channels) {
            let found = format!("of {} channels", other.channels());
            return Err(Error::shape("an image", found, format!("{channels}, as the first has,")));
        }
        let corners: Vec<_> =
            images.iter().map(|image| window.corners(image.shape())).collect::<Result<_>>()?;
        let walk = ImageWalk::new(&corners, sampling, window.boundary)?;
        Ok(Self { images, window, walker: Walker::new(walk, seed, id), corners: Vec::new() })
    }

    /// Whether positions follow each other on a walk.
    pub(crate) fn is_walk(&self) -> bool {
        self.walker.chain().is_walk()
    }

    /// Numbers of a patch.
    pub fn features(&self) -> usize {
        self.window.features(self.images[0].channels())
    }

    /// Goes on to the positions of the next minibatch, of so many patches.
    pub fn advance(&mut self, patches: usize) {
        self.corners.clear();
        for _ in 0..patches {
            self.walker.take(1);
            self.corners.push(self.walker.chain().position(self.walker.state()));
        }
    }

    /// Writes the patches at the positions of the minibatch.
    pub fn copy<T: Scalar>(&self, x: &mut Mat<T>) {
        x.reset(self.features(), self.corners.len());
        for (j, &(image, corner)) in self.corners.iter().enumerate() {
            self.window.copy(&self.images[image], corner, x.col_mut(j));
        }
    }

    /// Positions passed so far.
    pub(crate) fn steps(&self) -> u64 {
        self.walker.steps()
    }

    /// Where the walkers are, so that the stream can go on later.
    pub fn point(&self) -> ChainPoint {
        let state = serde_json::to_vec(self.walker.state()).unwrap_or_default();
        ChainPoint { steps: self.walker.steps(), word: self.walker.word(), acceptance: None, state }
    }

    /// Goes to where a stream of the same images and seed was.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a state that is none, or that is off an image.
    pub fn seek(&mut self, point: &ChainPoint) -> Result<()> {
        let state: Walkers = serde_json::from_slice(&point.state)
            .map_err(|e| Error::parameter("the positions on the images", "unreadable", e.to_string()))?;
        self.walker.chain().check(&state)?;
        self.walker.put(state, point.steps, point.word);
        Ok(())
    }
}
