//! Positions of patches on images: independent, or a random walk.
//!
//! | symbol | here | where |
//! |---|---|---|
//! | `Y_t` | [`Walkers`], read by [`ImageWalk::position`] | corner of the patch, docs/maths.md, Chains |
//! | independent uniform positions | [`Placement::Iid`] | docs/maths.md, Chains |
//! | simple random walk on the torus | [`Placement::Walk`] with [`Boundary::Periodic`] | docs/maths.md, Chains |
//! | `π` | uniform over all corners of all images | |
//!
//! We go beyond the print with several images in one stream (a walker on each; an image's walker moves with probability
//! proportional to the number of its corners) and with patches that stay inside: a step that would leave is not made, so
//! that the law stays uniform.
//!
//! On a torus with even sides a walker changes color with each move, as on a chessboard. For one image the chain then
//! has period 2: the law at a given time does not settle, but averages over time do, and only these are learned from.
//! Seen at every τ-th step with τ even, though, it stays on one color, which is half of the corners: take τ odd there.

use super::{Boundary, Chain};
use crate::rng::below;
use crate::{Error, Result};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// How one position follows another.
///
/// ```
/// use ergodict::chain::Placement;
/// assert_eq!(Placement::default(), Placement::Iid);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Placement {
    /// Independently.
    #[default]
    Iid,
    /// One pixel up, down, left or right.
    Walk,
}

/// Where the walkers are.
///
/// ```
/// use ergodict::{chain::{Boundary, Chain, ImageWalk, Placement}, rng};
/// let walk = ImageWalk::new(&[(20, 20)], Placement::Walk, Boundary::Free)?;
/// let start = |seed| walk.init(&mut rng::stream(seed, rng::Purpose::Chain, 0));
/// assert!(start(0) == start(0) && start(0) != start(1));
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Walkers {
    /// Row and column of the corner, on each image.
    corners: Vec<(usize, usize)>,
    /// The image whose walker moved last.
    image: usize,
}

/// The chain.
///
/// The state is the corner of a patch; its law is uniform over the corners of all images.
///
/// ```
/// use ergodict::{chain::{Boundary, Chain, ImageWalk, Placement}, rng};
/// let walk = ImageWalk::new(&[(20, 30)], Placement::Walk, Boundary::Periodic)?;
/// let mut rng = rng::stream(0, rng::Purpose::Chain, 0);
/// let mut state = walk.init(&mut rng);
/// let (_, from) = walk.position(&state);
/// walk.step(&mut state, &mut rng);
/// let (image, to) = walk.position(&state);
/// assert!(image == 0 && (from.0 == to.0) != (from.1 == to.1));
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct ImageWalk {
    sizes: Vec<(usize, usize)>,
    /// Number of corners of the images up to each, itself included.
    ends: Vec<u64>,
    sampling: Placement,
    boundary: Boundary,
}

impl ImageWalk {
    /// Whether positions follow each other.
    pub(crate) fn is_walk(&self) -> bool {
        self.sampling == Placement::Walk
    }

    /// Positions on images with these numbers of rows and columns of corners, see
    /// [`Window::corners`](crate::patch::Window::corners).
    ///
    /// # Errors
    /// [`Error::Parameter`] without images, for one without corners, or for more than 2⁶³ corners.
    pub fn new(sizes: &[(usize, usize)], sampling: Placement, boundary: Boundary) -> Result<Self> {
        if sizes.is_empty() {
            return Err(Error::parameter("the number of images", 0, "it must be at least 1"));
        }
        let (mut ends, mut sum) = (Vec::with_capacity(sizes.len()), 0u64);
        for (image, &(rows, cols)) in sizes.iter().enumerate() {
            let corners = (rows as u64).checked_mul(cols as u64).filter(|corners| *corners > 0);
            let end = corners.and_then(|corners| sum.checked_add(corners)).filter(|end| *end <= 1 << 63);
            let Some(end) = end else {
                let found = format!("{rows}×{cols} (image {image})");
                let expected = "every image must have at least one, and all together at most 2⁶³";
                return Err(Error::parameter("the corners of an image", found, expected));
            };
            sum = end;
            ends.push(end);
        }
        Ok(Self { sizes: sizes.to_vec(), ends, sampling, boundary })
    }

    /// Whether a state, read from a file for instance, is one of this chain.
    ///
    /// # Errors
    /// [`Error::Shape`] for another number of walkers, [`Error::Parameter`] for one that is off its image.
    pub(crate) fn check(&self, state: &Walkers) -> Result<()> {
        let (images, walkers) = (self.sizes.len(), state.corners.len());
        if walkers != images {
            let expected = format!("one for each of {images} images");
            return Err(Error::shape("the walkers' state", format!("{walkers} positions"), expected));
        }
        if state.image >= images {
            let expected = format!("there are {images} images");
            return Err(Error::parameter("the image that moved last", state.image, expected));
        }
        for (image, (&(row, col), &(rows, cols))) in state.corners.iter().zip(&self.sizes).enumerate() {
            if row >= rows || col >= cols {
                let found = format!("row {row}, column {col} (image {image})");
                let expected = format!("there are {rows}×{cols} corners");
                return Err(Error::parameter("a walker's position", found, expected));
            }
        }
        Ok(())
    }

    /// The present position: which image, and row and column of the corner on it.
    pub fn position(&self, state: &Walkers) -> (usize, (usize, usize)) {
        (state.image, state.corners[state.image])
    }

    /// A corner uniform over those of all images: the image, and the index of the corner on it.
    fn draw(&self, rng: &mut ChaCha8Rng) -> (usize, u64) {
        let total = self.ends.last().copied().unwrap_or(0);
        let corner = below(rng, total);
        let image = self.ends.partition_point(|end| *end <= corner);
        let start = if image == 0 { 0 } else { self.ends[image - 1] };
        (image, corner - start)
    }

    fn corner(&self, image: usize, index: u64) -> (usize, usize) {
        let cols = self.sizes[image].1 as u64;
        ((index / cols) as usize, (index % cols) as usize)
    }

    /// One pixel back or forth along a side.
    fn shift(&self, at: usize, forth: bool, side: usize) -> usize {
        let wrap = self.boundary == Boundary::Periodic;
        match (forth, at) {
            (true, at) if at + 1 < side => at + 1,
            (true, at) => {
                if wrap {
                    0
                } else {
                    at
                }
            }
            (false, 0) => {
                if wrap {
                    side - 1
                } else {
                    0
                }
            }
            (false, at) => at - 1,
        }
    }
}

impl Chain for ImageWalk {
    type State = Walkers;
    type Info = ();

    /// A draw from the stationary law: every walker anywhere on its image.
    fn init(&self, rng: &mut ChaCha8Rng) -> Walkers {
        let corners = self.sizes.iter().enumerate().map(|(image, (rows, cols))| {
            let index = below(rng, *rows as u64 * *cols as u64);
            self.corner(image, index)
        });
        let corners = corners.collect();
        Walkers { corners, image: self.draw(rng).0 }
    }

    fn step(&self, state: &mut Walkers, rng: &mut ChaCha8Rng) {
        let (image, index) = self.draw(rng);
        state.image = image;
        let (rows, cols) = self.sizes[image];
        let (row, col) = &mut state.corners[image];
        match self.sampling {
            Placement::Iid => (*row, *col) = self.corner(image, index),
            Placement::Walk => match below(rng, 4) {
                0 => *row = self.shift(*row, false, rows),
                1 => *row = self.shift(*row, true, rows),
                2 => *col = self.shift(*col, false, cols),
                _ => *col = self.shift(*col, true, cols),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, stream};

    #[test]
    fn images_without_corners_are_refused() {
        for sizes in [&[][..], &[(0, 3)], &[(4, 4), (3, 0)], &[(usize::MAX, 2)], &[(1 << 31, 1 << 31); 5]] {
            let error = ImageWalk::new(sizes, Placement::Iid, Boundary::Free);
            assert!(error.is_err(), "{sizes:?}");
        }
    }

    #[test]
    fn states_of_other_images_are_refused() {
        let walk = ImageWalk::new(&[(5, 3), (2, 2)], Placement::Walk, Boundary::Free).unwrap();
        let state = walk.init(&mut stream(1, Purpose::Chain, 0));
        assert!(walk.check(&state).is_ok());
        let place = |corners: &[(usize, usize)], image| Walkers { corners: corners.to_vec(), image };
        assert!(walk.check(&place(&[(4, 2), (1, 1)], 1)).is_ok());
        for (corners, image) in
            [(&[(4, 2)][..], 0), (&[(4, 2), (1, 1)], 2), (&[(5, 2), (1, 1)], 0), (&[(4, 2), (1, 2)], 0)]
        {
            assert!(walk.check(&place(corners, image)).is_err(), "{corners:?} {image}");
        }
    }

    #[test]
    fn one_corner_is_where_everything_stays() {
        for boundary in [Boundary::Periodic, Boundary::Free] {
            for sampling in [Placement::Iid, Placement::Walk] {
                let walk = ImageWalk::new(&[(1, 1)], sampling, boundary).unwrap();
                let mut rng = stream(1, Purpose::Chain, 0);
                let mut state = walk.init(&mut rng);
                walk.steps(&mut state, 50, &mut rng);
                assert_eq!(walk.position(&state), (0, (0, 0)));
            }
        }
    }

    #[test]
    fn an_even_torus_has_two_colors() {
        let walk = ImageWalk::new(&[(4, 6)], Placement::Walk, Boundary::Periodic).unwrap();
        let mut rng = stream(2, Purpose::Chain, 0);
        let mut state = walk.init(&mut rng);
        let color = |state: &Walkers| (state.corners[0].0 + state.corners[0].1) % 2;
        let first = color(&state);
        for t in 1..100 {
            walk.step(&mut state, &mut rng);
            assert_eq!(color(&state), (first + t) % 2);
        }
    }
}
