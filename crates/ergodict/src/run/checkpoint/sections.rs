//! The parts of a saved state: named bytes, in the order in which they were added.

use crate::linalg::{Mat, Scalar};
use crate::{Error, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Larger sections stay in a file.
const IN_MEMORY: u64 = 64 << 20;

/// A saved state: named sections of bytes.
///
/// ```
/// use ergodict::run::Sections;
/// let mut sections = Sections::default();
/// sections.put("spins", vec![1, 0, 1]);
/// sections.put_json("step", &12)?;
/// assert_eq!((sections.bytes("spins")?, sections.json::<u64>("step")?), (vec![1, 0, 1], 12));
/// assert!(sections.bytes("walkers").unwrap_err().to_string().contains("walkers"));
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Sections {
    /// The checkpoint, for errors and for large sections.
    path: PathBuf,
    entries: Vec<(String, Content)>,
}

/// The bytes of a section.
#[derive(Clone, Debug)]
pub(super) enum Content {
    Memory(Arc<[u8]>),
    /// A part of a file.
    File {
        file: Arc<File>,
        start: u64,
        length: u64,
    },
}

impl Content {
    fn len(&self) -> u64 {
        match self {
            Self::Memory(bytes) => bytes.len() as u64,
            Self::File { length, .. } => *length,
        }
    }

    pub(super) fn reader(&self) -> Box<dyn Read + '_> {
        match self {
            Self::Memory(bytes) => Box::new(&**bytes),
            Self::File { file, start, length } => Box::new(Part { file, at: *start, left: *length }),
        }
    }

    /// The same, read now unless it is large.
    pub(super) fn into_memory(self, path: &Path) -> Result<Self> {
        if self.len() > IN_MEMORY {
            return Ok(self);
        }
        let mut bytes = Vec::with_capacity(self.len() as usize);
        self.reader().read_to_end(&mut bytes).map_err(Error::io(path))?;
        Ok(Self::Memory(bytes.into()))
    }
}

/// A part of a file being read.
struct Part<'a> {
    file: &'a File,
    at: u64,
    left: u64,
}

impl Read for Part<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> std::io::Result<usize> {
        let wanted = self.left.min(bytes.len() as u64) as usize;
        let mut file = self.file;
        // Others read other parts of it.
        file.seek(SeekFrom::Start(self.at))?;
        let read = file.read(&mut bytes[..wanted])?;
        self.at += read as u64;
        self.left -= read as u64;
        Ok(read)
    }
}

impl Sections {
    /// Empty; large sections go to unnamed files in the folder of `path`.
    pub(super) fn beside(path: &Path) -> Self {
        Self { path: path.to_owned(), entries: Vec::new() }
    }

    /// The checkpoint that it is of, for errors.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn insert(&mut self, name: &str, content: Content) {
        self.entries.retain(|(other, _)| other != name);
        self.entries.push((name.to_owned(), content));
    }

    pub(super) fn lengths(&self) -> Vec<(String, u64)> {
        self.entries.iter().map(|(name, content)| (name.clone(), content.len())).collect()
    }

    pub(super) fn readers(&self) -> impl Iterator<Item = Box<dyn Read + '_>> {
        self.entries.iter().map(|(_, content)| content.reader())
    }

    /// All of them in a row, for who keeps them elsewhere.
    ///
    /// # Errors
    /// [`Error::Format`] for names that JSON cannot hold; [`Error::Io`].
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let header =
            serde_json::to_vec(&self.lengths()).map_err(|e| self.damaged("header", &e.to_string()))?;
        let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
        bytes.extend(header);
        for mut reader in self.readers() {
            reader.read_to_end(&mut bytes).map_err(Error::io(&self.path))?;
        }
        Ok(bytes)
    }

    /// What [`Sections::to_bytes`] gave.
    ///
    /// # Errors
    /// [`Error::Format`] for what is none of it.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let mut sections = Self::default();
        let cut = || Self::default().damaged("header", "it is cut short");
        let (length, rest) = bytes.split_first_chunk::<8>().ok_or_else(cut)?;
        let (header, mut rest) =
            rest.split_at_checked(u64::from_le_bytes(*length) as usize).ok_or_else(cut)?;
        let lengths: Vec<(String, u64)> =
            serde_json::from_slice(header).map_err(|e| sections.damaged("header", &e.to_string()))?;
        for (name, length) in lengths {
            let section;
            (section, rest) = rest.split_at_checked(length as usize).ok_or_else(cut)?;
            sections.put(&name, section.to_vec());
        }
        Ok(sections)
    }

    /// Adds a section; one of the same name is replaced.
    pub fn put(&mut self, name: &str, bytes: Vec<u8>) {
        self.insert(name, Content::Memory(bytes.into()));
    }

    /// Adds a value as JSON.
    ///
    /// # Errors
    /// [`Error::Format`] for what JSON cannot hold.
    pub fn put_json(&mut self, name: &str, value: &impl Serialize) -> Result<()> {
        let bytes = serde_json::to_vec(value).map_err(|e| self.damaged(name, &e.to_string()))?;
        self.put(name, bytes);
        Ok(())
    }

    /// Adds what `fill` writes, which may be larger than memory.
    pub(crate) fn put_stream(
        &mut self,
        name: &str,
        fill: impl FnOnce(&mut (dyn Write + Send)) -> Result<()>,
    ) -> Result<()> {
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let mut file = tempfile::spooled_tempfile_in(IN_MEMORY as usize, folder.unwrap_or(Path::new(".")));
        fill(&mut file)?;
        let content = match file.into_inner() {
            tempfile::SpooledData::InMemory(bytes) => Content::Memory(bytes.into_inner().into()),
            tempfile::SpooledData::OnDisk(file) => {
                let length = file.metadata().map_err(Error::io(&self.path))?.len();
                Content::File { file: Arc::new(file), start: 0, length }
            }
        };
        self.insert(name, content);
        Ok(())
    }

    /// Adds whole numbers.
    #[cfg(test)]
    pub(crate) fn put_u64s(&mut self, name: &str, numbers: impl IntoIterator<Item = u64>) {
        self.put(name, numbers.into_iter().flat_map(u64::to_le_bytes).collect());
    }

    /// Adds a matrix.
    pub(crate) fn put_matrix<T: Scalar>(&mut self, name: &str, m: &Mat<T>) {
        let shape = [m.rows() as u64, m.cols() as u64].into_iter().flat_map(u64::to_le_bytes);
        let entries = (0..m.cols()).flat_map(|j| m.col(j)).flat_map(|x| x.to_f64().to_le_bytes());
        self.put(name, shape.chain(entries).collect());
    }

    /// Adds all sections of `others`, with `prefix` before their names.
    pub(crate) fn put_all(&mut self, prefix: &str, others: Self) {
        for (name, content) in others.entries {
            self.insert(&format!("{prefix}{name}"), content);
        }
    }

    /// The sections that were added with a prefix.
    pub(crate) fn all(&self, prefix: &str) -> Self {
        let own = self.entries.iter();
        let own =
            own.filter_map(|(name, content)| Some((name.strip_prefix(prefix)?.to_owned(), content.clone())));
        Self { path: self.path.clone(), entries: own.collect() }
    }

    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether there is such a section.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.entries.iter().any(|(other, _)| other == name)
    }

    /// A section to read from.
    pub(crate) fn reader(&self, name: &str) -> Result<impl BufRead + '_> {
        let found = self.entries.iter().find(|(other, _)| other == name);
        let (_, content) = found.ok_or_else(|| self.damaged(name, "is missing"))?;
        Ok(BufReader::with_capacity(1 << 16, content.reader()))
    }

    /// The bytes of a section.
    ///
    /// # Errors
    /// [`Error::Format`] when there is none of this name; [`Error::Io`].
    pub fn bytes(&self, name: &str) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.reader(name)?.read_to_end(&mut bytes).map_err(Error::io(&self.path))?;
        Ok(bytes)
    }

    /// A value that was added as JSON.
    ///
    /// # Errors
    /// [`Error::Format`] when there is none of this name and type; [`Error::Io`].
    pub fn json<V: DeserializeOwned>(&self, name: &str) -> Result<V> {
        serde_json::from_slice(&self.bytes(name)?).map_err(|e| self.damaged(name, &e.to_string()))
    }

    /// Whole numbers.
    pub(crate) fn u64s(&self, name: &str) -> Result<Vec<u64>> {
        let bytes = self.bytes(name)?;
        if bytes.len() % 8 != 0 {
            return Err(self.damaged(name, "is not an array of numbers of 8 bytes"));
        }
        Ok(bytes.chunks_exact(8).map(|eight| u64::from_le_bytes(array(eight))).collect())
    }

    /// A matrix.
    pub(crate) fn matrix<T: Scalar>(&self, name: &str) -> Result<Mat<T>> {
        let numbers = self.u64s(name)?;
        let shape = |at: usize| numbers.get(at).and_then(|&n| usize::try_from(n).ok());
        let shape = shape(0).zip(shape(1));
        let fits = |&(rows, cols): &(usize, usize)| {
            rows > 0 && cols > 0 && rows.checked_mul(cols) == Some(numbers.len() - 2)
        };
        let (rows, cols) = shape.filter(fits).ok_or_else(|| self.damaged(name, "is not a matrix"))?;
        Ok(Mat::from_fn(rows, cols, |i, j| T::from_f64(f64::from_bits(numbers[2 + j * rows + i]))))
    }

    /// An error for a section that does not fit.
    pub(crate) fn damaged(&self, name: &str, problem: &str) -> Error {
        Error::format(&self.path, None, format!("damaged checkpoint: section {name}: {problem}"))
    }
}

/// The first `N` bytes.
pub(super) fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
    let mut array = [0; N];
    array.copy_from_slice(&bytes[..N]);
    array
}
