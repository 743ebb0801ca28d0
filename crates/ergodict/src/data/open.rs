//! Opens a path for sequential reading: `-` is standard input; gzip and zstd are recognized by content.

use super::InputFile;
use super::network::KnownDigest;
use crate::{Error, Result};
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes a system call reads.
const BUFFER: usize = 128 * 1024;

/// Bytes read by this process.
static READ: AtomicU64 = AtomicU64::new(0);

/// A decompressed byte stream.
///
/// ```
/// use std::io::Read;
/// let path = std::env::temp_dir().join(format!("ergodict-input-{}", std::process::id()));
/// std::fs::write(&path, "hello").unwrap();
/// let (mut input, mut text) = (ergodict::data::open(&path)?, String::new());
/// input.read_to_string(&mut text).unwrap();
/// assert_eq!(text, "hello");
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), ergodict::Error>(())
/// ```
pub struct Input {
    path: PathBuf,
    reader: Box<dyn BufRead + Send>,
    head: Vec<u8>,
    compressed: bool,
    once: Option<Arc<Mutex<Tally>>>,
}

impl std::fmt::Debug for Input {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Input")
            .field("path", &self.path)
            .field("compressed", &self.compressed)
            .finish_non_exhaustive()
    }
}

/// Opens `path` for sequential reading. `-` is standard input. gzip (of one or several members) and zstd are
/// recognized by their first bytes, never by the name, and decompressed on the way.
///
/// ```
/// use std::io::BufRead;
/// let path = std::env::temp_dir().join(format!("ergodict-open-{}", std::process::id()));
/// std::fs::write(&path, "1 2\n2 3\n").unwrap();
/// assert_eq!(ergodict::data::open(&path)?.lines().count(), 2);
/// assert!(ergodict::data::open("no such file".as_ref()).is_err());
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), ergodict::Error>(())
/// ```
///
/// # Errors
/// [`Error::Io`] when the file cannot be opened or its first bytes cannot be read.
pub fn open(path: &Path) -> Result<Input> {
    let io = |e| Error::io(path)(e);
    let (raw, regular): (Box<dyn Read + Send>, bool) = if is_standard(path) {
        (Box::new(io::stdin()), false)
    } else {
        let file = InputFile::open(path)?;
        let regular = file.is_regular();
        (Box::new(file), regular)
    };
    let raw: Box<dyn Read + Send> = Box::new(Counted(raw));
    let once =
        (!regular).then(|| Arc::new(Mutex::new(Tally { hasher: blake3::Hasher::new(), ended: false })));
    let raw: Box<dyn Read + Send> = match &once {
        Some(tally) => Box::new(Tallied { inner: raw, tally: Arc::clone(tally) }),
        None => raw,
    };
    let (magic, raw) = peek(BufReader::with_capacity(BUFFER, raw)).map_err(io)?;
    let decoder: Box<dyn Read + Send> = match magic[..] {
        [0x1f, 0x8b, ..] => Box::new(flate2::bufread::MultiGzDecoder::new(raw)),
        // The second is a skippable frame, with which parallel compressors begin.
        [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => {
            Box::new(zstd::stream::read::Decoder::with_buffer(raw).map_err(io)?)
        }
        _ => {
            let (path, reader) = (path.to_owned(), Box::new(raw));
            return Ok(Input { path, reader, head: magic, compressed: false, once });
        }
    };
    let (head, reader) = peek(BufReader::with_capacity(BUFFER, decoder)).map_err(io)?;
    Ok(Input { path: path.to_owned(), reader: Box::new(reader), head, compressed: true, once })
}

/// Bytes that were read so far by this process through [`open`], as they are on disk: how far the reading of a large file is.
///
/// ```
/// use ergodict::data::{bytes_read, open};
/// let path = std::env::temp_dir().join(format!("ergodict-bytes-{}", std::process::id()));
/// std::fs::write(&path, [b'x'; 1000]).unwrap();
/// let before = bytes_read();
/// std::io::copy(&mut open(&path)?, &mut std::io::sink()).unwrap();
/// assert!(bytes_read() >= before + 1000);
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), ergodict::Error>(())
/// ```
pub fn bytes_read() -> u64 {
    READ.load(Ordering::Relaxed)
}

/// A reader whose bytes are counted.
struct Counted(Box<dyn Read + Send>);

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.0.read(buffer)?;
        READ.fetch_add(n as u64, Ordering::Relaxed);
        Ok(n)
    }
}

/// Whether the path means standard input or output.
pub(crate) fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// A reader with its first bytes put back before it.
type Whole<R> = io::Chain<Cursor<Vec<u8>>, R>;

/// The first bytes, at most 64, and a reader that still gives them. A pipe may hand over fewer at a time than
/// were asked for, so that one `fill_buf` would not do.
fn peek<R: BufRead>(mut reader: R) -> io::Result<(Vec<u8>, Whole<R>)> {
    let mut head = Vec::with_capacity(64);
    reader.by_ref().take(64).read_to_end(&mut head)?;
    Ok((head.clone(), Cursor::new(head).chain(reader)))
}

impl Input {
    /// The first bytes after decompression, at most 64; they are still to be read.
    pub(crate) fn head(&self) -> &[u8] {
        &self.head
    }

    /// The next bytes, at most `most`; they are still to be read.
    pub(crate) fn peek(&mut self, most: u64) -> Result<Vec<u8>> {
        let mut start = Vec::new();
        self.reader.by_ref().take(most).read_to_end(&mut start).map_err(Error::io(&self.path))?;
        let rest = std::mem::replace(&mut self.reader, Box::new(io::empty()));
        self.reader = Box::new(Cursor::new(start.clone()).chain(rest));
        Ok(start)
    }

    /// Whether the bytes come out of gzip or zstd.
    pub(crate) fn is_compressed(&self) -> bool {
        self.compressed
    }

    /// Whether the path is standard input or a pipe, which cannot be opened a second time.
    pub(crate) fn is_read_once(&self) -> bool {
        self.once.is_some()
    }

    /// What was read so far of a stream that can be read only once.
    pub(crate) fn tally(&self) -> Option<Arc<Mutex<Tally>>> {
        self.once.clone()
    }
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.reader.read(buffer)
    }
}

impl BufRead for Input {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.reader.fill_buf()
    }
    fn consume(&mut self, amount: usize) {
        self.reader.consume(amount);
    }
}

/// The hash of what passed through a stream that can be read only once.
pub(crate) struct Tally {
    hasher: blake3::Hasher,
    ended: bool,
}

impl Tally {
    /// The digest, once the end of the stream was seen.
    pub(crate) fn digest(tally: &Mutex<Self>) -> Option<String> {
        let tally = tally.lock().unwrap_or_else(PoisonError::into_inner);
        tally.ended.then(|| named_digest(&tally.hasher.finalize()))
    }
}

struct Tallied {
    inner: Box<dyn Read + Send>,
    tally: Arc<Mutex<Tally>>,
}

impl Read for Tallied {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        let mut tally = self.tally.lock().unwrap_or_else(PoisonError::into_inner);
        tally.hasher.update(&buffer[..n]);
        tally.ended |= n == 0 && !buffer.is_empty();
        Ok(n)
    }
}

/// The digest of a file's bytes as they lie on disk, still compressed: what models keep of their inputs.
///
/// ```
/// let path = std::env::temp_dir().join(format!("ergodict-digest-{}", std::process::id()));
/// std::fs::write(&path, "").unwrap();
/// assert!(ergodict::data::digest(&path)?.starts_with("blake3:af1349b9f5f9a1a6")); // of no bytes
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), ergodict::Error>(())
/// ```
///
/// # Errors
/// [`Error::Io`].
pub fn digest(path: &Path) -> Result<String> {
    digest_until(path, &|| false)
}

/// The same of a file that may be large: `stop` is asked on the way.
///
/// ```
/// use ergodict::{Error, data::digest_until};
/// let path = std::env::temp_dir().join(format!("ergodict-digest-until-{}", std::process::id()));
/// std::fs::write(&path, "some bytes").unwrap();
/// assert!(digest_until(&path, &|| false).is_ok());
/// assert!(matches!(digest_until(&path, &|| true), Err(Error::Interrupted)));
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), ergodict::Error>(())
/// ```
///
/// # Errors
/// [`Error::Io`], [`Error::Interrupted`].
pub fn digest_until(path: &Path, stop: &dyn Fn() -> bool) -> Result<String> {
    let mut hasher = blake3::Hasher::new();
    let mut file = InputFile::open(path)?;
    let known = KnownDigest::new(path, &file.handle()?);
    if let Some(digest) = known.get() {
        return Ok(named_digest(&digest));
    }
    let mut before = 0;
    while !stop() {
        hasher.update_reader((&mut file).take(HASHED)).map_err(Error::io(path))?;
        if hasher.count() == before {
            let digest = hasher.finalize();
            known.keep(digest);
            return Ok(named_digest(&digest));
        }
        before = hasher.count();
    }
    Err(Error::Interrupted)
}

/// Bytes of a file that are hashed between two looks at whether to stop: some milliseconds.
const HASHED: u64 = 16 << 20;

fn named_digest(digest: &blake3::Hash) -> String {
    format!("blake3:{}", digest.to_hex())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn hashing_can_be_stopped() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let length = HASHED + 5;
        file.as_file().set_len(length).unwrap();
        let mut hasher = blake3::Hasher::new();
        hasher.update(&vec![0; length as usize]);
        assert_eq!(digest(file.path()).unwrap(), named_digest(&hasher.finalize()));
        let looks = Cell::new(0);
        let stop = || looks.replace(looks.get() + 1) == 1;
        assert!(matches!(digest_until(file.path(), &stop), Err(Error::Interrupted)));
        assert_eq!(looks.get(), 2);
    }
}
