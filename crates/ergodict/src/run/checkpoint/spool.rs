//! A file next to a checkpoint that only grows.

use super::{BLOCK, SpoolRecord};
use crate::data::{is_ordinary, move_file, write_atomic};
use crate::{Error, Result};
use std::fs::{self, File};
use std::io::{BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Bytes gathered before a system call.
const BUFFER: usize = 1 << 17;

/// A file that only grows, next to a checkpoint or without a name; clones are the same file.
///
/// ```
/// let path = std::env::temp_dir().join(format!("ergodict-spool-{}.npy", std::process::id()));
/// let spool = ergodict::run::Spool::temporary(&path)?;
/// assert!(!path.exists()); // it has no name
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Spool(Arc<Mutex<Inner>>);

#[derive(Debug)]
struct Inner {
    name: String,
    /// Where it is, or what it lies next to.
    path: PathBuf,
    file: BufWriter<File>,
    length: u64,
    /// Of all bytes; none without a checkpoint.
    hash: Option<blake3::Hasher>,
    /// Whether it is an output now.
    published: bool,
}

impl Spool {
    /// A file without a name, in the folder of `next to` or where temporary files go.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn temporary(beside: &Path) -> Result<Self> {
        let folder = beside.parent().filter(|folder| folder.is_dir()).unwrap_or(Path::new("."));
        let file = tempfile::tempfile_in(folder).or_else(|_| tempfile::tempfile());
        Ok(Self::new("", beside.to_owned(), file.map_err(Error::io(beside))?, 0, None))
    }

    fn new(name: &str, path: PathBuf, file: File, length: u64, hash: Option<blake3::Hasher>) -> Self {
        let file = BufWriter::with_capacity(BUFFER, file);
        Self(Arc::new(Mutex::new(Inner {
            name: name.to_owned(),
            path,
            file,
            length,
            hash,
            published: false,
        })))
    }

    /// A new file.
    pub(super) fn create(path: PathBuf, name: &str) -> Result<Self> {
        let file = File::options().read(true).write(true).create(true).truncate(true).open(&path);
        let file = file.map_err(Error::io(&path))?;
        Ok(Self::new(name, path, file, 0, Some(blake3::Hasher::new())))
    }

    /// The file of a checkpoint, cut to what it was when that was saved; or the output that it has become.
    pub(super) fn reopen(path: PathBuf, record: &SpoolRecord, out: Option<&Path>) -> Result<Self> {
        let published = out.filter(|out| !path.exists() && out.is_file());
        let path = published.map_or(path, Path::to_owned);
        let open = File::options().read(true).write(published.is_none()).open(&path);
        let mut file = open.map_err(Error::io(&path))?;
        let there = file.metadata().map_err(Error::io(&path))?.len();
        if there < record.length {
            let problem = format!("has lost data: {there} of {} bytes are left", record.length);
            return Err(Error::format(&path, None, problem));
        }
        let (mut hash, mut left, mut block) = (blake3::Hasher::new(), record.length, vec![0; BLOCK]);
        while left > 0 {
            let part = &mut block[..left.min(BLOCK as u64) as usize];
            file.read_exact(part).map_err(Error::io(&path))?;
            hash.update(part);
            left -= part.len() as u64;
        }
        let whole = published.is_none() || there == record.length;
        if !whole || hash.finalize().to_hex().as_str() != record.digest {
            let problem = "is damaged: its contents are not those that the checkpoint was saved with";
            return Err(Error::format(&path, None, problem));
        }
        if published.is_none() {
            file.set_len(record.length).map_err(Error::io(&path))?;
        }
        let spool = Self::new(&record.name, path, file, record.length, Some(hash));
        spool.inner().published = published.is_some();
        Ok(spool)
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn name(&self) -> String {
        self.inner().name.clone()
    }

    /// Bytes written.
    pub(crate) fn len(&self) -> u64 {
        self.inner().length
    }

    /// Whether nothing is written.
    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Appends.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub(crate) fn write(&self, bytes: &[u8]) -> Result<()> {
        let inner = &mut *self.inner();
        inner.file.write_all(bytes).map_err(Error::io(&inner.path))?;
        if let Some(hash) = &mut inner.hash {
            hash.update(bytes);
        }
        inner.length += bytes.len() as u64;
        Ok(())
    }

    /// Everything written so far, from byte `start` on. Writing can continue when it is dropped.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub(crate) fn reader(&self, start: u64) -> Result<impl Read + '_> {
        let mut inner = self.inner();
        let (path, length) = (inner.path.clone(), inner.length);
        inner.file.flush().map_err(Error::io(&path))?;
        inner.file.get_mut().seek(SeekFrom::Start(start)).map_err(Error::io(&path))?;
        Ok(BufReader::with_capacity(BUFFER, Reading(inner)).take(length.saturating_sub(start)))
    }

    /// Lets it appear at `out`, whole: by renaming it, or by copying where that cannot be. What went to a pipe cannot be read again, so that
    /// the file then stays until the checkpoint is removed.
    pub(crate) fn publish(&self, out: &Path) -> Result<()> {
        if self.inner().published {
            return Ok(());
        }
        self.sync()?;
        if is_ordinary(out) {
            let inner = &mut *self.inner();
            move_file(&inner.path, out)?;
            (inner.path, inner.published) = (out.to_owned(), true);
            return Ok(());
        }
        let mut reader = self.reader(0)?;
        write_atomic(out, |file| std::io::copy(&mut reader, file).map(|_| ()).map_err(Error::io(out)))
    }

    /// An error of the file.
    pub(crate) fn io(&self, error: std::io::Error) -> Error {
        Error::io(&self.inner().path)(error)
    }

    /// An error for contents that do not fit.
    pub(crate) fn damaged(&self, problem: &str) -> Error {
        Error::format(&self.inner().path, None, format!("is damaged: {problem}"))
    }

    /// Puts everything on disk: its length and digest.
    pub(super) fn sync(&self) -> Result<(u64, String)> {
        let inner = &mut *self.inner();
        inner.file.flush().map_err(Error::io(&inner.path))?;
        inner.file.get_ref().sync_data().map_err(Error::io(&inner.path))?;
        let digest = inner.hash.as_ref().map(|hash| hash.finalize().to_hex().to_string());
        Ok((inner.length, digest.unwrap_or_default()))
    }

    pub(super) fn delete(&self) {
        let inner = self.inner();
        if !inner.published {
            let _ = fs::remove_file(&inner.path);
        }
    }
}

/// A spool being read, which no process writes meanwhile.
struct Reading<'a>(MutexGuard<'a, Inner>);

impl Read for Reading<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> std::io::Result<usize> {
        self.0.file.get_mut().read(bytes)
    }
}

impl Drop for Reading<'_> {
    fn drop(&mut self) {
        // An error comes up again with the next write.
        let _ = self.0.file.get_mut().seek(SeekFrom::End(0));
    }
}
