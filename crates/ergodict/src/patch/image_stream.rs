//! Minibatches of image patches: positions that are independent, or follow a random walk.

use super::Window;
use crate::chain::{ChainPoint, ImageWalk, Placement, Walker, Walkers};
use crate::data::Image;
use crate::linalg::{Mat, Scalar};
use crate::rng::ids;
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
    seed: u64,
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
        Ok(Self { images, window, walker: Walker::new(walk, seed, id), seed, corners: Vec::new() })
    }

    /// Newly drawn patches of the same images, at independent positions.
    pub(crate) fn fresh(&self) -> Result<Self> {
        Self::new(Arc::clone(&self.images), self.window, Placement::Iid, self.seed, ids::YARDSTICK)
    }

    /// Whether positions follow each other on a walk.
    pub(crate) fn is_walk(&self) -> bool {
        self.walker.chain().is_walk()
    }

    /// Numbers of a patch.
    pub fn features(&self) -> usize {
        self.window.features(self.images[0].channels())
    }

    /// Moves to the positions of the next minibatch, of `patches` patches.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::Boundary;

    fn image(rows: usize, cols: usize, channels: usize) -> Image {
        Image::new((rows, cols), channels, (0..rows * cols * channels).map(|i| i as f32).collect()).unwrap()
    }

    #[test]
    fn every_patch_is_a_step_and_a_window_of_an_image() {
        let window = Window { rows: 2, cols: 3, boundary: Boundary::Free };
        for placement in [Placement::Walk, Placement::Iid] {
            let mut stream = ImageStream::new([image(6, 7, 1)].into(), window, placement, 4, 0).unwrap();
            let mut x = Mat::<f64>::zeros(0, 0);
            for batch in [5, 8] {
                stream.advance(batch);
                stream.copy(&mut x);
                assert_eq!((x.rows(), x.cols()), (6, batch));
                for j in 0..batch {
                    let corner = x.get(0, j);
                    assert_eq!(x.col(j), [0.0, 1.0, 2.0, 7.0, 8.0, 9.0].map(|offset| corner + offset));
                }
            }
            assert_eq!(stream.steps(), 13);
            assert_eq!(stream.is_walk(), placement == Placement::Walk);
        }
    }

    #[test]
    fn images_of_other_channels_are_refused() {
        let window = Window { rows: 2, cols: 2, boundary: Boundary::Free };
        let new = |channels: [usize; 2]| {
            let images = channels.map(|channels| image(4, 4, channels));
            ImageStream::new(images.into(), window, Placement::Iid, 0, 0)
        };
        assert!(new([3, 3]).is_ok());
        assert!(new([3, 1]).unwrap_err().to_string().contains("of 1 channels"));
    }
}
