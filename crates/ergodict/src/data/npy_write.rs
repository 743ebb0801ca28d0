//! A streaming writer of numpy's `.npy`.

use super::npy_header::MAGIC;
use super::write::Staged;
use crate::linalg::{MatRef, Scalar};
use crate::{Error, Result};
use std::io::Write;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

/// Writes a `.npy` array of shape `(n, d)` sample by sample; it appears whole at [`NpyWriter::finish`], and a
/// writer dropped before leaves nothing.
///
/// ```
/// use ergodict::{data::NpyWriter, linalg::MatRef};
/// let path = std::env::temp_dir().join(format!("ergodict-{}.npy", std::process::id()));
/// let mut out = NpyWriter::<f64>::create(&path, 2, None)?;
/// out.write(MatRef::from_column_major(&[1.0, 2.0, 3.0, 4.0], 2, 2)?)?; // two samples
/// out.finish()?;
/// # assert_eq!(std::fs::metadata(&path).unwrap().len(), 128 + 32);
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), ergodict::Error>(())
/// ```
pub struct NpyWriter<T> {
    staged: Staged,
    path: PathBuf,
    features: usize,
    promised: Option<u64>,
    written: u64,
    bytes: Vec<u8>,
    marker: PhantomData<fn(T)>,
}

impl<T> std::fmt::Debug for NpyWriter<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NpyWriter")
            .field("path", &self.path)
            .field("written", &self.written)
            .finish_non_exhaustive()
    }
}

impl<T: Scalar> NpyWriter<T> {
    /// Begins a file of samples of `features` numbers; `-` is standard output. When the number of samples
    /// is not known yet, standard output receives nothing before the end.
    ///
    /// # Errors
    /// As [`write_atomic`](super::write_atomic).
    pub fn create(path: &Path, features: usize, samples: Option<u64>) -> Result<Self> {
        let mut staged = Staged::create(path, samples.is_none())?;
        staged.write_all(&header::<T>(samples.unwrap_or(0), features)).map_err(Error::io(path))?;
        let (path, bytes) = (path.to_owned(), Vec::new());
        Ok(Self { staged, path, features, promised: samples, written: 0, bytes, marker: PhantomData })
    }

    /// Appends the columns of `samples`, each as one row of the file.
    ///
    /// # Errors
    /// [`Error::Shape`] when they do not have `features` rows; [`Error::Io`].
    pub fn write(&mut self, samples: MatRef<'_, T>) -> Result<()> {
        if samples.rows() != self.features {
            let (found, expected) = (samples.rows(), self.features);
            return Err(Error::shape("a sample", format!("{found} numbers"), format!("{expected} numbers")));
        }
        for j in 0..samples.cols() {
            self.bytes.clear();
            append_row(&mut self.bytes, samples.col(j));
            self.staged.write_all(&self.bytes).map_err(Error::io(&self.path))?;
        }
        self.written += samples.cols() as u64;
        Ok(())
    }

    /// Completes the file.
    ///
    /// # Errors
    /// [`Error::Shape`] when another number of samples was promised; [`Error::Io`].
    pub fn finish(mut self) -> Result<()> {
        match self.promised {
            Some(promised) if promised != self.written => {
                let (found, expected) = (self.written, promised);
                return Err(Error::shape(
                    "the output",
                    format!("{found} samples"),
                    format!("{expected} samples"),
                ));
            }
            Some(_) => {}
            None => self.staged.patch_start(&header::<T>(self.written, self.features))?,
        }
        self.staged.commit()
    }
}

/// Writes a matrix as a `.npy` array, each column of `samples` as one row of the file.
///
/// ```
/// use ergodict::data::{MatrixStream, StreamOptions, write_npy};
/// use ergodict::linalg::Mat;
/// let path = std::env::temp_dir().join(format!("ergodict-write-npy-{}.npy", std::process::id()));
/// write_npy(&path, Mat::<f32>::from_fn(3, 5, |i, j| (i * j) as f32).as_ref())?; // numpy reads shape (5, 3)
/// let stream = MatrixStream::open(&path, &StreamOptions::default())?;
/// assert_eq!((stream.samples(), stream.features()), (Some(5), 3));
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), ergodict::Error>(())
/// ```
///
/// # Errors
/// As [`write_atomic`](super::write_atomic).
pub fn write_npy<T: Scalar>(path: &Path, samples: MatRef<'_, T>) -> Result<()> {
    let mut out = NpyWriter::create(path, samples.rows(), Some(samples.cols() as u64))?;
    out.write(samples)?;
    out.finish()
}

/// Appends numbers as they stand in a file.
pub(crate) fn append_row<T: Scalar>(bytes: &mut Vec<u8>, row: &[T]) {
    for x in row {
        if T::NAME == "f32" {
            bytes.extend_from_slice(&(x.to_f64() as f32).to_le_bytes());
        } else {
            bytes.extend_from_slice(&x.to_f64().to_le_bytes());
        }
    }
}

/// The header of an array of `T` of shape `(samples, features)`.
pub(crate) fn header<T: Scalar>(samples: u64, features: usize) -> Vec<u8> {
    npy_header(if T::NAME == "f32" { "<f4" } else { "<f8" }, samples, &[features])
}

/// A version 1 header of an array of shape `(count, trailing…)`, whose length does not depend on `count`.
///
/// ```
/// use ergodict::data::npy_header;
/// let header = npy_header("<f8", 10, &[3, 4]);
/// assert!(header.starts_with(b"\x93NUMPY") && header.len() % 64 == 0);
/// assert_eq!(header.len(), npy_header("<f8", u64::MAX, &[3, 4]).len());
/// ```
pub fn npy_header(descr: &str, count: u64, trailing: &[usize]) -> Vec<u8> {
    let axes: Vec<String> = trailing.iter().map(usize::to_string).collect();
    let shape = format!("({count}, {})", axes.join(", "));
    let dictionary = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
    // u64::MAX has 20 digits; numpy wants the numbers to begin at a multiple of 64.
    let room = 20 - count.to_string().len();
    let length = (10 + dictionary.len() + room + 1).next_multiple_of(64);
    let mut bytes = MAGIC.to_vec();
    bytes.extend_from_slice(&[1, 0]);
    bytes.extend_from_slice(&((length - 10) as u16).to_le_bytes());
    bytes.extend_from_slice(dictionary.as_bytes());
    bytes.resize(length - 1, b' ');
    bytes.push(b'\n');
    bytes
}
/// The header of a single value.
pub(super) fn scalar_header(descr: &str) -> Vec<u8> {
    let text = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': (), }}");
    let mut bytes = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
    bytes.extend_from_slice(text.as_bytes());
    bytes.resize(127, b' ');
    bytes.push(b'\n');
    bytes
}
