//! Bytes that are written once and then read: in memory while they are few, else in a file.

use crate::{Error, Result};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Bytes of a buffer at least. Records are of 4, 8 or 16 bytes, none of which is parted by multiples of this.
const LEAST_BUFFER: usize = 1 << 12;
/// Bytes of the longest record.
const RECORD: usize = 16;

/// Bytes on their way to be read again.
pub(in crate::data::network) struct Spool {
    /// The folder of a file without a name, which is gone with the program however it ends; or the name of the file.
    place: PathBuf,
    /// What is not in the file.
    memory: Vec<u8>,
    limit: usize,
    file: Option<File>,
    /// All that was written.
    pub(in crate::data::network) bytes: u64,
    /// Of what was written since the last [`Spool::sealed`].
    hasher: Option<blake3::Hasher>,
}

impl Spool {
    /// With a file in addition to `out`, whose disk has room for the result too, once there are more than `limit` bytes.
    pub(in crate::data::network) fn new(out: &Path, limit: usize) -> Self {
        let folder = out.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let limit = buffer_size(limit);
        Self { place: folder.to_owned(), memory: Vec::new(), limit, file: None, bytes: 0, hasher: None }
    }

    /// Goes on after the first `bytes` bytes of a file that keeps its name; what follows them is cut off.
    pub(in crate::data::network) fn named(path: &Path, bytes: u64, limit: usize) -> Result<Self> {
        let io = || Error::io(path);
        let open = File::options().read(true).write(true).create(true).truncate(false).open(path);
        let mut file = open.map_err(io())?;
        file.set_len(bytes).and_then(|()| file.seek(SeekFrom::Start(bytes))).map_err(io())?;
        let (place, limit, file) = (path.to_owned(), buffer_size(limit), Some(file));
        Ok(Self { place, memory: Vec::new(), limit, file, bytes, hasher: Some(blake3::Hasher::new()) })
    }

    /// Adds what `append` appends, a record.
    #[inline]
    pub(in crate::data::network) fn put(&mut self, append: impl FnOnce(&mut Vec<u8>)) -> Result<()> {
        let before = self.memory.len();
        if self.memory.capacity() - before < RECORD {
            // Vectors that double would reach twice the limit.
            let capacity = (2 * before).clamp(LEAST_BUFFER, self.limit + RECORD);
            self.memory.reserve_exact(capacity - before);
        }
        append(&mut self.memory);
        self.bytes += (self.memory.len() - before) as u64;
        if self.memory.len() >= self.limit { self.flush() } else { Ok(()) }
    }

    #[cold]
    fn flush(&mut self) -> Result<()> {
        let io = || Error::io(&self.place);
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(tempfile::tempfile_in(&self.place).map_err(io())?),
        };
        file.write_all(&self.memory).map_err(io())?;
        if let Some(hasher) = &mut self.hasher {
            hasher.update(&self.memory);
        }
        self.memory.clear();
        Ok(())
    }

    /// Puts everything into the file, whose memory is given back; the digest of what came since the last time.
    pub(in crate::data::network) fn sealed(&mut self) -> Result<Option<blake3::Hash>> {
        self.flush()?;
        self.memory = Vec::new();
        Ok(self.hasher.as_mut().map(|hasher| std::mem::take(hasher).finalize()))
    }

    /// What was written, from its beginning.
    pub(in crate::data::network) fn reader(mut self, buffer: usize) -> Result<Reader> {
        if self.file.is_some() {
            self.flush()?;
            self.memory = Vec::new();
        }
        let (file, place) = (self.file.map(Arc::new), self.place.into());
        // In memory it is one buffer, which is full.
        let next = if file.is_some() { 0 } else { self.bytes };
        let size = buffer_size(buffer);
        Ok(Reader { file, place, next, end: self.bytes, size, buffer: self.memory, at: 0 })
    }
}

fn buffer_size(bytes: usize) -> usize {
    (bytes / LEAST_BUFFER).max(1) * LEAST_BUFFER
}

/// Reads a part of what was written. Several may read the same file in turn.
pub(in crate::data::network) struct Reader {
    file: Option<Arc<File>>,
    place: Arc<Path>,
    /// The place in the file where the next buffer begins, and where the part ends.
    next: u64,
    end: u64,
    size: usize,
    buffer: Vec<u8>,
    at: usize,
}

impl Reader {
    /// Reads from `start` to `end` of the same.
    pub(in crate::data::network) fn part(&self, start: u64, end: u64, buffer: usize) -> Self {
        let (file, place, size) = (self.file.clone(), Arc::clone(&self.place), buffer_size(buffer));
        if file.is_none() {
            let buffer = self.buffer[start as usize..end as usize].to_vec();
            return Self { file, place, next: end, end, size, buffer, at: 0 };
        }
        Self { file, place, next: start, end, size, buffer: Vec::new(), at: 0 }
    }

    /// The next record of that many bytes; none at the end.
    #[inline]
    pub(in crate::data::network) fn next(&mut self, bytes: usize) -> Result<Option<&[u8]>> {
        if self.at == self.buffer.len() && !self.fill()? {
            return Ok(None);
        }
        let start = self.at;
        self.at += bytes;
        Ok(Some(&self.buffer[start..self.at]))
    }

    /// All that is in memory now, and then the next buffer; none at the end.
    pub(in crate::data::network) fn chunk(&mut self) -> Result<Option<&[u8]>> {
        if self.at == self.buffer.len() && !self.fill()? {
            return Ok(None);
        }
        let start = std::mem::replace(&mut self.at, self.buffer.len());
        Ok(Some(&self.buffer[start..]))
    }

    /// The next buffer; false at the end.
    #[cold]
    fn fill(&mut self) -> Result<bool> {
        let length = (self.end - self.next).min(self.size as u64) as usize;
        let Some(mut file) = self.file.as_deref().filter(|_| length > 0) else { return Ok(false) };
        self.buffer.resize(length, 0);
        let read = file.seek(SeekFrom::Start(self.next)).and_then(|_| file.read_exact(&mut self.buffer));
        read.map_err(Error::io(&self.place))?;
        self.next += length as u64;
        self.at = 0;
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_is_read_and_few_bytes_need_no_file() {
        let folder = tempfile::tempdir().unwrap();
        for (limit, count) in [(0, 0), (0, 100), (0, 5000), (1 << 14, 4000), (1 << 20, 5000)] {
            let mut spool = Spool::new(&folder.path().join("x"), limit);
            for i in 0..count {
                spool.put(|bytes| bytes.extend_from_slice(&u64::to_le_bytes(i))).unwrap();
            }
            assert_eq!(spool.file.is_some(), count * 8 >= limit.max(LEAST_BUFFER) as u64);
            assert!(spool.memory.capacity() <= limit.max(LEAST_BUFFER) + RECORD);
            let mut all = spool.reader(0).unwrap();
            let numbers = |from: u64, to: u64| {
                let mut part = all.part(8 * from, 8 * to, 0);
                let mut read = Vec::new();
                while let Some(bytes) = part.next(8).unwrap() {
                    read.push(u64::from_le_bytes(bytes.try_into().unwrap()));
                }
                assert!(part.next(8).unwrap().is_none());
                assert_eq!(read, (from..to).collect::<Vec<_>>());
            };
            numbers(0, count);
            numbers(count / 3, count / 2);
            let mut length = 0;
            while let Some(bytes) = all.chunk().unwrap() {
                length += bytes.len() as u64;
            }
            assert_eq!(length, 8 * count);
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
