//! The reusable buffer a minibatch is read into.

use crate::linalg::{Mat, MatRef, Scalar};
use crate::{Error, Result};

/// A first allocation holds at most this many numbers (32 MiB of f64); larger batches grow as samples arrive,
/// so that neither a large batch size nor a lying header reserves memory that the data does not fill.
const FIRST_ALLOCATION: usize = 1 << 22;

/// A minibatch: `d` features by `n` samples, one sample a column, in storage that is kept between reads.
///
/// ```
/// use ergodict::data::{Batch, MatrixStream, StreamOptions, write_npy};
/// use ergodict::linalg::Mat;
/// let path = std::env::temp_dir().join(format!("ergodict-batch-{}.npy", std::process::id()));
/// write_npy(&path, Mat::from_fn(2, 5, |i, j| (10 * i + j) as f64).as_ref())?;
/// let (mut stream, mut batch) = (MatrixStream::open(&path, &StreamOptions::default())?, Batch::<f64>::new());
/// stream.next_batch(3, &mut batch)?;
/// stream.next_batch(3, &mut batch)?; // only two are left
/// assert_eq!((batch.as_mat_ref().cols(), batch.as_mat_ref().col(0)), (2, &[3.0, 13.0][..]));
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone)]
pub struct Batch<T> {
    mat: Mat<T>,
    len: usize,
    first_sample: u64,
}

impl<T: Scalar> std::fmt::Debug for Batch<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Batch from sample {}: ", self.first_sample)?;
        f.debug_list().entries((0..self.len).map(|j| self.mat.col(j))).finish()
    }
}

impl<T: Scalar> Default for Batch<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Scalar> Batch<T> {
    /// An empty batch; the first read into it allocates.
    pub fn new() -> Self {
        Self { mat: Mat::zeros(0, 0), len: 0, first_sample: 0 }
    }

    /// The samples as a `d × n` matrix, one sample a column.
    pub fn as_mat_ref(&self) -> MatRef<'_, T> {
        self.mat.as_ref().columns(0, self.len)
    }

    /// Number of samples.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Index, in the stream, of the first sample.
    pub(crate) fn first_sample(&self) -> u64 {
        self.first_sample
    }

    /// Empties the batch and makes room for `samples` columns, or for a first part of them.
    pub(crate) fn start(&mut self, features: usize, samples: usize, first_sample: u64) -> Result<()> {
        (self.len, self.first_sample) = (0, first_sample);
        let room = samples.min((FIRST_ALLOCATION / features.max(1)).max(1));
        if self.mat.rows() != features || self.mat.cols() < room {
            check_room::<T>(features, room)?;
            self.mat = Mat::zeros(features, room);
        }
        Ok(())
    }

    /// The next column, whose old content the caller overwrites.
    pub(crate) fn push(&mut self) -> Result<&mut [T]> {
        self.extend(1)?;
        Ok(self.mat.col_mut(self.len - 1))
    }

    /// Takes the last column back.
    pub(crate) fn pop(&mut self) {
        self.len = self.len.saturating_sub(1);
    }

    /// Appends `more` columns, and gives all numbers from the first of them on with their stride.
    pub(crate) fn extend(&mut self, more: usize) -> Result<(&mut [T], usize)> {
        let len = self.len.saturating_add(more);
        if len > self.mat.cols() {
            let room = len.max(self.mat.cols().saturating_mul(2));
            check_room::<T>(self.mat.rows(), room)?;
            let mut larger = Mat::zeros(self.mat.rows(), room);
            larger.padded_mut()[..self.len * self.mat.stride()]
                .copy_from_slice(&self.mat.padded()[..self.len * self.mat.stride()]);
            self.mat = larger;
        }
        let stride = self.mat.stride();
        let from = self.len * stride;
        self.len = len;
        Ok((&mut self.mat.padded_mut()[from..], stride))
    }
}

/// An error instead of an abort when `features × samples` numbers exceed the memory.
fn check_room<T: Scalar>(features: usize, samples: usize) -> Result<()> {
    // `Mat` pads each column to a multiple of 64 bytes.
    let bytes = features.checked_mul(size_of::<T>()).and_then(|b| b.checked_next_multiple_of(64));
    let bytes = bytes.and_then(|b| b.checked_mul(samples));
    if bytes.is_some_and(|b| Vec::<u8>::new().try_reserve_exact(b).is_ok()) {
        return Ok(());
    }
    Err(Error::parameter(
        "the batch",
        format!("{samples} samples of {features} features"),
        "there is not so much memory: read fewer samples at a time",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn storage_is_kept_and_growth_keeps_the_samples() {
        let mut batch = Batch::<f32>::new();
        batch.start(3, 2, 10).unwrap();
        let storage = batch.mat.padded().as_ptr();
        for k in 0..2_u8 {
            batch.push().unwrap().fill(f32::from(k));
        }
        assert_eq!(batch.mat.padded().as_ptr(), storage);
        batch.start(3, 2, 12).unwrap();
        assert_eq!((batch.mat.padded().as_ptr(), batch.len(), batch.first_sample()), (storage, 0, 12));
        for k in 0..7_u8 {
            batch.push().unwrap().fill(f32::from(k));
        }
        for k in 0..7_u8 {
            assert_eq!(batch.as_mat_ref().col(usize::from(k)), [f32::from(k); 3]);
        }
    }

    #[test]
    fn more_than_the_memory_is_an_error() {
        let mut batch = Batch::<f64>::new();
        assert!(batch.start(usize::MAX / 16, 1, 0).is_err());
        assert!(batch.start(usize::MAX, usize::MAX, 0).is_err());
        // A large batch size alone reserves little.
        batch.start(4, usize::MAX, 0).unwrap();
        assert!(batch.mat.cols() <= FIRST_ALLOCATION);
    }
}
