//! Writes numpy's `.npz`: several arrays in one archive.

use super::note::KEY;
use super::npy_write::{append_row, header, scalar_header};
use super::write_atomic;
use crate::linalg::{MatRef, Scalar};
use crate::{Error, Result};
use std::io::{Cursor, Write};
use std::path::Path;
use zip::write::SimpleFileOptions;

/// An archive in memory, written whole by [`NpzWriter::save`]. Arrays are stored uncompressed, so that they can be
/// mapped, and carry no date: the same arrays give the same bytes.
///
/// ```
/// use ergodict::{data::{MatrixStream, NpzWriter, StreamOptions}, linalg::MatRef};
/// let path = std::env::temp_dir().join(format!("ergodict-{}.npz", std::process::id()));
/// let mut npz = NpzWriter::new();
/// npz.array("X", MatRef::from_column_major(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 3, 2)?); // shape (2, 3)
/// npz.save(&path)?;
/// assert_eq!(MatrixStream::open(&path, &StreamOptions::default())?.samples(), Some(2));
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct NpzWriter {
    members: Vec<(String, Vec<u8>)>,
}

impl NpzWriter {
    /// An archive without arrays.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an array; each column of `samples` is one row of it, as in [`write_npy`](super::write_npy).
    pub fn array<T: Scalar>(&mut self, name: &str, samples: MatRef<'_, T>) {
        let mut bytes = header::<T>(samples.cols() as u64, samples.rows());
        for j in 0..samples.cols() {
            append_row(&mut bytes, samples.col(j));
        }
        self.members.push((format!("{name}.npy"), bytes));
    }

    /// Adds a note of how the arrays were made, JSON in ASCII, as the member `ergodict`: one byte string.
    pub fn note(&mut self, note: &str) {
        let mut bytes = scalar_header(&format!("|S{}", note.len().max(1)));
        bytes.extend_from_slice(note.as_bytes());
        self.members.push((format!("{KEY}.npy"), bytes));
    }

    /// Writes the archive, whole or not at all.
    ///
    /// # Errors
    /// [`Error::Format`] for a name that occurs twice; as [`write_atomic`].
    pub fn save(&self, path: &Path) -> Result<()> {
        let refused = |e: zip::result::ZipError| Error::format(path, None, e.to_string());
        let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
        for (name, bytes) in &self.members {
            let options = SimpleFileOptions::default()
                .compression_method(zip::CompressionMethod::Stored)
                .last_modified_time(zip::DateTime::default())
                .large_file(u32::try_from(bytes.len()).is_err());
            zip.start_file(name.as_str(), options).map_err(refused)?;
            zip.write_all(bytes).map_err(Error::io(path))?;
        }
        let whole = zip.finish().map_err(refused)?.into_inner();
        write_atomic(path, |file| file.write_all(&whole).map_err(Error::io(path)))
    }
}
