//! What comes in: a matrix as a stream of samples, its missing entries.

use anyhow::{Result, anyhow, bail};
use ergodict::Error;
use ergodict::data::{BatchSettings, MatrixBatches, MatrixStream, StreamOptions};
use ergodict::factor::{Mask, Minibatch};
use ergodict::linalg::{MatRef, Scalar};
use std::path::Path;

/// Opens a matrix.
pub(crate) fn open(path: &Path) -> Result<MatrixStream> {
    match MatrixStream::open(path, &StreamOptions::default()) {
        Err(Error::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
            let wanted = "expected a matrix as .npy, .npz, .csv, .tsv or .parquet, or - for standard input";
            bail!("{}: file not found; {wanted}{}", path.display(), crate::nearest::file_hint(path))
        }
        opened => Ok(opened?),
    }
}

/// The minibatches of a matrix; where it can be read only once, a refusal names the flags to change.
pub(crate) fn feed<T: Scalar>(stream: MatrixStream, options: BatchSettings) -> Result<MatrixBatches<T>> {
    let once = stream.is_read_once();
    MatrixBatches::new(stream, options).map_err(|error| match error {
        Error::Format { .. } if once => anyhow!("{error} (use --epochs 1 without --holdout)"),
        other => other.into(),
    })
}

/// An error of a minibatch with its place in the file; one about missing entries names the flag that allows them.
pub(crate) fn explained<T: Scalar>(feed: &MatrixBatches<T>, error: Error) -> anyhow::Error {
    hinted(feed.explain(error).into())
}

/// The error, with the flag for missing entries if it is about one.
pub(crate) fn hinted(error: anyhow::Error) -> anyhow::Error {
    match error.downcast_ref::<Error>() {
        Some(Error::Format { problem, .. }) if problem.contains("mask of the missing entries") => {
            anyhow!("{error:#} (--missing leaves missing entries out)")
        }
        _ => error,
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
