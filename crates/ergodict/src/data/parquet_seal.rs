//! The digest of a Parquet file of ours, in the place that the format has for who made it: nothing of it is believed before it is right.
//!
//! ```text
//! created_by = "ergodict version 0.1.0 (build blake3-<64 hexadecimal digits>)"
//! ```
//!
//! It is the digest of the whole file, taken with zeros in its place. Programs that rewrite a table put their own name there, so that a digest
//! never stands in a file it is not of.

use super::InputFile;
use crate::{Error, Result};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

const BEFORE: &str = concat!("ergodict version ", env!("CARGO_PKG_VERSION"), " (build blake3-");
/// What stands before the digest whatever the version.
const MARK: &[u8] = b" (build blake3-";
const MADE_BY: &[u8] = b"ergodict version ";
const ZEROS: &[u8; 64] = &[b'0'; 64];
/// The end of a file, in which the digest is: after it there are only the orders of the columns.
const TAIL: u64 = 1 << 12;
/// Bytes that are hashed at a time.
const BLOCK: usize = 1 << 16;

/// Who made a file, before its digest is known.
pub(super) fn made_by() -> String {
    format!("{BEFORE}{})", String::from_utf8_lossy(ZEROS))
}

/// Where the digest is in the last bytes of a file.
fn place(tail: &[u8]) -> Option<usize> {
    let start = tail.windows(MARK.len()).rposition(|window| window == MARK)? + MARK.len();
    let name = tail[..start].len().saturating_sub(MARK.len() + MADE_BY.len() + 32);
    let ours = tail[name..start].windows(MADE_BY.len()).any(|window| window == MADE_BY);
    (ours && tail.len() >= start + ZEROS.len()).then_some(start)
}

/// Hashes what is written, and holds back the last bytes until the digest can be put into them.
pub(super) struct Sealing<W> {
    out: W,
    hash: blake3::Hasher,
    held: Vec<u8>,
}

impl<W: Write> Sealing<W> {
    pub(super) fn new(out: W) -> Self {
        Self { out, hash: blake3::Hasher::new(), held: Vec::new() }
    }

    /// Writes all but the last `left` bytes of what is held back.
    fn release(&mut self, left: usize) -> io::Result<()> {
        let over = self.held.len().saturating_sub(left);
        self.hash.update(&self.held[..over]);
        self.out.write_all(&self.held[..over])?;
        self.held.drain(..over);
        Ok(())
    }

    /// Puts the digest where it belongs, and writes what was held back.
    pub(super) fn finish(mut self) -> io::Result<()> {
        if let Some(at) = place(&self.held) {
            let digest = self.hash.clone().update(&self.held).finalize().to_hex();
            self.held[at..at + ZEROS.len()].copy_from_slice(digest.as_bytes());
        }
        self.release(0)?;
        self.out.flush()
    }
}

impl<W: Write> Write for Sealing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.held.extend_from_slice(bytes);
        if self.held.len() > BLOCK + TAIL as usize {
            self.release(TAIL as usize)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Opens a Parquet file; one of ours is hashed.
///
/// # Errors
/// [`Error::Io`]; [`Error::Format`] for a damaged file of ours.
pub(super) fn open(path: &Path) -> Result<InputFile> {
    let mut file = InputFile::open(path)?;
    if !is_whole(&mut file).map_err(Error::io(path))? {
        return Err(Error::format(path, None, "is damaged: its contents do not match its digest"));
    }
    Ok(file)
}

/// Whether the digest is right, or there is none.
fn is_whole(file: &mut InputFile) -> io::Result<bool> {
    let length = file.seek(SeekFrom::End(0))?;
    let start = length.saturating_sub(TAIL);
    file.seek(SeekFrom::Start(start))?;
    let mut tail = Vec::new();
    file.by_ref().take(TAIL).read_to_end(&mut tail)?;
    let Some(at) = place(&tail) else { return Ok(true) };
    file.seek(SeekFrom::Start(0))?;
    let (mut hash, mut left, mut block) = (blake3::Hasher::new(), start, vec![0; BLOCK]);
    while left > 0 {
        let part = &mut block[..left.min(BLOCK as u64) as usize];
        file.read_exact(part)?;
        hash.update(part);
        left -= part.len() as u64;
    }
    hash.update(&tail[..at]).update(ZEROS).update(&tail[at + ZEROS.len()..]);
    Ok(hash.finalize().to_hex().as_bytes() == &tail[at..at + ZEROS.len()])
}
