//! Minibatches of patches at random places of configurations.

use super::{Encoding, NumberGrid, SpinGrid, Window, borders};
use crate::Result;
use crate::chain::Lattice;
use crate::data::Frame;
use crate::linalg::{Mat, Scalar};
use crate::rng::{ChaCha8Rng, Purpose, stream};

/// How patches are cut from configurations: where, and how spins are encoded.
///
/// ```
/// use ergodict::chain::{Alphabet, Boundary};
/// use ergodict::patch::{Encoding, SpinCutter, SpinValues, Window};
/// let window = Window { rows: 2, cols: 2, boundary: Boundary::Periodic };
/// let encoding = Encoding::new(SpinValues::ZeroOne, Alphabet::PlusMinus)?;
/// let mut cutter = SpinCutter::new(window, encoding, None, 0, 0);
/// let mut x = ergodict::linalg::Mat::<f64>::zeros(0, 0);
/// cutter.cut(&vec![1i8; 12].into(), (3, 4), 5, &mut x)?;
/// assert_eq!((x.rows(), x.cols(), x.get(0, 0)), (4, 5, 1.0));
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct SpinCutter {
    window: Window,
    encoding: Encoding,
    /// Where the borders between labels are looked for, instead of the labels themselves.
    borders: Option<Lattice>,
    rng: ChaCha8Rng,
}

impl SpinCutter {
    /// Patches at places from stream `id` of the seed; with `borders`, of the borders between labels instead of the labels.
    pub fn new(window: Window, encoding: Encoding, borders: Option<Lattice>, seed: u64, id: u64) -> Self {
        Self { window, encoding, borders, rng: stream(seed, Purpose::Patches, id) }
    }

    /// Fills `x` with `count` patches of a configuration.
    ///
    /// # Errors
    /// As [`Window::corners`], and for real numbers where the atoms are of spins, or the other way around.
    pub fn cut<T: Scalar>(
        &mut self,
        frame: &Frame<'_>,
        shape: (usize, usize),
        count: usize,
        x: &mut Mat<T>,
    ) -> Result<()> {
        self.encoding.check_form(frame)?;
        let Frame::Whole(spins) = frame else {
            let (numbers, channels) = (self.encoding.numbers(frame), self.encoding.channels());
            let grid = NumberGrid { numbers: &numbers, shape, channels };
            return self.window.sample(&grid, count, &mut self.rng, x);
        };
        let walls = self.borders.map(|lattice| borders(lattice, spins));
        let grid = SpinGrid { spins: walls.as_deref().unwrap_or(spins), shape, encoding: &self.encoding };
        self.window.sample(&grid, count, &mut self.rng, x)
    }

    /// Where the generator is in its stream, in 32-bit words.
    pub fn word(&self) -> u64 {
        self.rng.get_word_pos() as u64
    }

    /// Puts the generator to a place in its stream.
    pub fn seek(&mut self, word: u64) {
        self.rng.set_word_pos(u128::from(word));
    }
}
