//! What all accumulators of pairs have in common: keys, parts that one thread adds to alone, and cells.

use crate::Result;
use crate::linalg::Scalar;
use crate::reconstruct::network::positions::Positions;

/// An accumulator. In a round, keys of all positions are made, sorted by part, and every part is added to in the order of the
/// homomorphisms: so every pair sees its numbers in one order, whatever the number of threads.
pub(in crate::reconstruct::network) trait Store: Sync {
    /// What represents a pair.
    type Key: Copy + Default + Send + Sync + 'static;
    /// Pairs that one thread adds to.
    type Part<'a>: Part<Self::Key> + Send
    where
        Self: 'a;
    /// How pairs are cut into parts.
    type Cuts: Sync;

    /// Writes the keys of all positions of homomorphisms, one after the other.
    fn keys(&self, xs: &[u32], positions: &Positions, out: &mut [Self::Key]);

    /// The cuts for a number of threads.
    fn cuts(&self, threads: usize) -> Self::Cuts;

    /// How many parts there are.
    fn parts(cuts: &Self::Cuts) -> usize;

    /// The part that a pair is in.
    fn part(cuts: &Self::Cuts, key: Self::Key) -> usize;

    /// The parts, to be added to.
    fn split<'a>(&'a mut self, cuts: &Self::Cuts) -> Vec<Self::Part<'a>>;

    /// Puts down what the parts left over at the end of a round.
    fn settle(&mut self) -> Result<()> {
        Ok(())
    }
}

/// Pairs that one thread adds to.
pub(in crate::reconstruct::network) trait Part<K> {
    /// Adds a visit for every key.
    ///
    /// # Errors
    /// Of writing to a temporary file.
    fn add<T: Scalar>(&mut self, keys: &[K], values: &[T]) -> Result<()>;
}

/// Visits after which a short sum moves to a long one: 256 numbers added up in `f32` are off by at most 256·2⁻²⁴ of their sum of
/// magnitudes, 1.5e-5, and by some 5e-7 if roundings are independent.
pub(super) const VISITS: u32 = 256;

/// The bit of a short count that is set when something was put down.
pub(super) const PUT_DOWN: u32 = 1 << 31;

/// A long sum and its count.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(in crate::reconstruct::network) struct PutDown {
    pub(super) sum: f64,
    pub(super) count: u64,
}

impl PutDown {
    pub(super) fn add(&mut self, more: Self) {
        self.sum += more.sum;
        self.count += more.count;
    }
}

/// All that is known of a pair, so that it can go on later as if nothing had been: the bits of its cell's sum, its cell's count, and
/// what that has put down.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Raw {
    pub(super) sum: u64,
    pub(super) count: u64,
    pub(super) down: Option<PutDown>,
}

/// A sum and a count in memory that begins as zeros.
pub(in crate::reconstruct::network) trait Cell:
    super::pages::Bits + Send + Sync + 'static
{
    /// Adds a visit; gives back what is to be put down elsewhere, after [`VISITS`], and starts again from zero.
    fn visit<T: Scalar>(&mut self, value: T) -> Option<PutDown>;
    /// Whether anything was put down.
    fn has_put_down(self) -> bool;
    /// Adds visits, or gives them back to be put down.
    fn absorb(&mut self, more: PutDown) -> Option<PutDown>;
    /// The sum and the count.
    fn read(self) -> (f64, u64);
    /// The bits of the sum, and the count.
    fn bits(self) -> (u64, u64);
    /// The cell of those bits.
    fn from_bits(sum: u64, count: u64) -> Self;
}

/// `f32` sum, and the count below [`VISITS`] with a bit for whether anything was put down.
pub(super) type Short = [u32; 2];

/// `f64` sum and 64-bit count.
pub(super) type Long = [u64; 2];

impl Cell for Short {
    #[inline(always)]
    fn visit<T: Scalar>(&mut self, value: T) -> Option<PutDown> {
        let sum = f32::from_bits(self[0]) + value.to_f64() as f32;
        self[0] = sum.to_bits();
        self[1] += 1;
        if self[1] & (VISITS - 1) == 0 {
            *self = [0, PUT_DOWN];
            return Some(PutDown { sum: f64::from(sum), count: u64::from(VISITS) });
        }
        None
    }

    fn absorb(&mut self, more: PutDown) -> Option<PutDown> {
        if u64::from(self[1] & !PUT_DOWN) + more.count >= u64::from(VISITS) {
            self[1] |= PUT_DOWN;
            return Some(more);
        }
        *self = [(f32::from_bits(self[0]) + more.sum as f32).to_bits(), self[1] + more.count as u32];
        None
    }

    fn read(self) -> (f64, u64) {
        (f64::from(f32::from_bits(self[0])), u64::from(self[1] & !PUT_DOWN))
    }

    #[inline(always)]
    fn has_put_down(self) -> bool {
        self[1] & PUT_DOWN != 0
    }

    fn bits(self) -> (u64, u64) {
        (u64::from(self[0]), u64::from(self[1]))
    }

    fn from_bits(sum: u64, count: u64) -> Self {
        [sum as u32, count as u32]
    }
}

impl Cell for Long {
    #[inline(always)]
    fn visit<T: Scalar>(&mut self, value: T) -> Option<PutDown> {
        self[0] = (f64::from_bits(self[0]) + value.to_f64()).to_bits();
        self[1] += 1;
        None
    }

    fn absorb(&mut self, more: PutDown) -> Option<PutDown> {
        *self = [(f64::from_bits(self[0]) + more.sum).to_bits(), self[1] + more.count];
        None
    }

    fn read(self) -> (f64, u64) {
        (f64::from_bits(self[0]), self[1])
    }

    fn has_put_down(self) -> bool {
        false
    }

    fn bits(self) -> (u64, u64) {
        (self[0], self[1])
    }

    fn from_bits(sum: u64, count: u64) -> Self {
        [sum, count]
    }
}
