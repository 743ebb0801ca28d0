//! What comes in: a matrix as a stream of samples, its missing entries.

use anyhow::{Result, bail};
use ergodict::data::{MatrixStream, StreamOptions};
use ergodict::factor::{Mask, Minibatch};
use ergodict::linalg::{MatRef, Scalar};
use std::path::Path;

/// Opens a matrix.
pub(crate) fn open(path: &Path) -> Result<MatrixStream> {
    match MatrixStream::open(path, &StreamOptions::default()) {
        Err(ergodict::Error::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
            let wanted = "expected a matrix as .npy, .npz, .csv, .tsv or .parquet, or - for standard input";
            bail!("{}: there is no such file: {wanted}", path.display())
        }
        opened => Ok(opened?),
    }
}

/// The name of a file without its folders, as models keep it.
pub(crate) fn name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// Which entries are there, when some are missing and that is allowed.
pub(crate) fn mask<T: Scalar>(x: MatRef<'_, T>, missing: bool) -> Option<Mask> {
    missing.then(|| Mask::not_nan(x)).filter(|mask| !mask.is_full())
}

/// The entries that are there.
pub(crate) fn observed<'a, T: Scalar>(x: MatRef<'a, T>, mask: Option<&'a Mask>) -> Minibatch<'a, T> {
    match mask {
        Some(observed) => Minibatch::Masked { values: x, observed },
        None => Minibatch::Dense(x),
    }
}
