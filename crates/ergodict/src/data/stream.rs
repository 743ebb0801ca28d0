//! A matrix on disk as a stream of minibatches, whatever its format.

use super::batch::Batch;
use super::npy::{Mapped, Opener, Sequential};
use super::npy_header::MAGIC;
use super::npz::{self, Archive, Csr};
use super::open::{Input, Tally, is_standard, open};
use super::text::Text;
use crate::linalg::{MatRef, Scalar};
use crate::{Error, Result};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// What was expected where a file is something else.
const EXPECTED: &str = "expected a matrix as .npy, .npz, .csv, .tsv or .parquet";

/// What to read of a file.
///
/// ```
/// use ergodict::data::{MatrixStream, NpzWriter, StreamOptions};
/// use ergodict::linalg::Mat;
/// let path = std::env::temp_dir().join(format!("ergodict-member-{}.npz", std::process::id()));
/// let mut npz = NpzWriter::new();
/// npz.array("small", Mat::<f64>::zeros(2, 1).as_ref());
/// npz.array("large", Mat::<f64>::zeros(2, 9).as_ref());
/// npz.save(&path)?;
/// let large = StreamOptions { member: Some("large".to_owned()) };
/// assert_eq!(MatrixStream::open(&path, &large)?.samples(), Some(9));
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StreamOptions {
    /// The array of a `.npz` archive; also what follows the colon of `data.npz:X`.
    pub member: Option<String>,
}

/// The format a file was found to have.
///
/// ```
/// use ergodict::data::{MatrixFormat, MatrixStream, StreamOptions};
/// let path = std::env::temp_dir().join(format!("ergodict-format-{}", std::process::id()));
/// std::fs::write(&path, "1;2\n3;4\n").unwrap();
/// let stream = MatrixStream::open(&path, &StreamOptions::default())?;
/// assert_eq!((stream.format(), stream.features()), (MatrixFormat::Text, 2));
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MatrixFormat {
    /// numpy's `.npy`.
    Npy,
    /// An array in numpy's `.npz`.
    Npz,
    /// A scipy CSR matrix in `.npz`.
    CsrNpz,
    /// Comma-, tab-, semicolon- or space-separated text.
    Text,
    /// Apache Parquet.
    Parquet,
}

/// A matrix whose rows are samples, streamed from disk. The format is found by content.
///
/// ```
/// use ergodict::data::{Batch, MatrixStream, StreamOptions};
/// let path = std::env::temp_dir().join(format!("ergodict-{}.csv", std::process::id()));
/// std::fs::write(&path, "a,b\n1,2\n3,4\n5,6\n").unwrap();
/// let mut stream = MatrixStream::open(&path, &StreamOptions::default())?;
/// let (mut batch, mut sum) = (Batch::<f64>::new(), 0.0);
/// while stream.next_batch(2, &mut batch)? > 0 {
///     sum += batch.as_mat_ref().col(0)[1]; // feature b of the batch's first sample
/// }
/// assert_eq!((stream.features(), sum), (2, 2.0 + 6.0));
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), ergodict::Error>(())
/// ```
pub struct MatrixStream {
    path: PathBuf,
    source: Source,
    format: MatrixFormat,
    /// Index of the next sample.
    position: u64,
    /// Whether the source stands where `position` says: not after an error.
    in_step: bool,
    once: Option<Arc<Mutex<Tally>>>,
}

enum Source {
    Mapped(Mapped),
    Sequential(Sequential, Opener),
    Member(Sequential, npz::Member),
    Csr(Box<Csr>),
    Text(Box<Text>),
    #[cfg(feature = "parquet")]
    Parquet(Box<super::parquet::Table>),
}

impl std::fmt::Debug for MatrixStream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MatrixStream")
            .field("path", &self.path)
            .field("format", &self.format)
            .field("features", &self.features())
            .field("samples", &self.samples())
            .field("position", &self.position)
            .finish_non_exhaustive()
    }
}

impl MatrixStream {
    /// Opens a matrix. `-` is standard input (text and C-order `.npy`, read once). `data.npz:X` is the
    /// array `X` of the archive `data.npz`. Text and `.npy` may be compressed by gzip or zstd.
    ///
    /// # Errors
    /// [`Error::Format`] when the file is no matrix of a known format; [`Error::Io`].
    pub fn open(path: &Path, options: &StreamOptions) -> Result<Self> {
        let (path, member) = match &options.member {
            Some(member) => (path.to_owned(), Some(member.clone())),
            None => split_member(path),
        };
        let input = open(&path)?;
        let (head, once) = (input.head().to_vec(), input.tally());
        let zipped = head.starts_with(b"PK\x03\x04") || head.starts_with(b"PK\x05\x06");
        if member.is_some() && !zipped {
            let problem = "is not a .npz archive, so that no array can be chosen by name: leave `:NAME` out";
            return Err(Error::format(&path, None, problem));
        }
        let (source, format) = match &head[..] {
            [] => return Err(Error::format(&path, None, format!("is empty: {EXPECTED}"))),
            _ if zipped => open_archive(&path, &input, member.as_deref())?,
            // A file cut within the magic bytes is no text either.
            _ if head.starts_with(MAGIC) || MAGIC.starts_with(&head) => {
                (open_npy(&path, input)?, MatrixFormat::Npy)
            }
            [b'P', b'A', b'R', b'1', ..] => (open_parquet(&path, &input)?, MatrixFormat::Parquet),
            _ => {
                // Words in a file that claims to be binary would pass for the header of an empty table.
                let claimed = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
                if ["npy", "npz", "parquet"].contains(&claimed) {
                    return Err(Error::format(
                        &path,
                        None,
                        format!("is not a .{claimed} file, whatever its name: {EXPECTED}"),
                    ));
                }
                (Source::Text(Box::new(Text::open(&path, input)?)), MatrixFormat::Text)
            }
        };
        Ok(Self { path, source, format, position: 0, in_step: true, once })
    }

    /// The file that a path given to [`open`](Self::open) names: `data.npz` for `data.npz:X`.
    pub fn file_of(path: &Path) -> PathBuf {
        split_member(path).0
    }

    /// The file, without the name of an array.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The format that was found.
    pub fn format(&self) -> MatrixFormat {
        self.format
    }

    /// Numbers a sample has.
    pub fn features(&self) -> usize {
        match &self.source {
            Source::Mapped(s) => s.layout().features,
            Source::Sequential(s, _) | Source::Member(s, _) => s.layout().features,
            Source::Csr(s) => s.features(),
            Source::Text(s) => s.features(),
            #[cfg(feature = "parquet")]
            Source::Parquet(s) => s.features(),
        }
    }

    /// Number of samples; none for text, which must be read to count them.
    pub fn samples(&self) -> Option<u64> {
        match &self.source {
            Source::Mapped(s) => Some(s.layout().samples),
            Source::Sequential(s, _) | Source::Member(s, _) => Some(s.layout().samples),
            Source::Csr(s) => Some(s.samples()),
            Source::Text(_) => None,
            #[cfg(feature = "parquet")]
            Source::Parquet(s) => Some(s.samples()),
        }
    }

    /// Number of samples of text that can be read again, by reading it; none of other formats.
    ///
    /// # Errors
    /// [`Error::Io`], and [`Error::Format`] for a line that is too long.
    pub(crate) fn count_lines(&self) -> Result<Option<u64>> {
        if self.is_read_once() || self.format != MatrixFormat::Text {
            return Ok(None);
        }
        Text::open(&self.path, open(&self.path)?)?.skip(u64::MAX).map(Some)
    }

    /// The axes after the first, of arrays.
    pub(crate) fn trailing(&self) -> Option<&[u64]> {
        match &self.source {
            Source::Mapped(s) => Some(&s.layout().trailing),
            Source::Sequential(s, _) | Source::Member(s, _) => Some(&s.layout().trailing),
            _ => None,
        }
    }

    /// Whether it is standard input or a pipe, which can be read only once.
    pub fn is_read_once(&self) -> bool {
        self.once.is_some()
    }

    /// The line of the sample of index `sample` in a text file, counted from 1. The file is read again, so this is
    /// for error messages; none for other formats and for what can be read only once.
    pub(crate) fn line_of(&self, sample: u64) -> Option<u64> {
        if self.is_read_once() || self.format != MatrixFormat::Text {
            return None;
        }
        let mut text = Text::open(&self.path, open(&self.path).ok()?).ok()?;
        (text.skip(sample + 1).ok()? == sample + 1).then(|| text.line())
    }

    /// The names of the features: the header of text, the columns of Parquet.
    pub fn feature_names(&self) -> Option<&[String]> {
        match &self.source {
            Source::Text(s) => s.names(),
            #[cfg(feature = "parquet")]
            Source::Parquet(s) => Some(s.names()),
            _ => None,
        }
    }

    /// Index of the sample that [`next_batch`](Self::next_batch) reads next.
    pub(crate) fn position(&self) -> u64 {
        self.position
    }

    /// Reads up to `count` further samples into `batch` and gives how many there were; 0 at the end. Once
    /// `batch` has had its size nothing is allocated. Missing numbers are NaN.
    ///
    /// # Errors
    /// [`Error::Format`] with the place where the file is wrong; [`Error::Parameter`] when `count` is 0 or
    /// exceeds the memory; [`Error::Io`]. After an error the stream has to be rewound.
    pub fn next_batch<T: Scalar>(&mut self, count: usize, batch: &mut Batch<T>) -> Result<usize> {
        if count == 0 {
            return Err(Error::parameter("the batch size", count, "at least 1 is needed"));
        }
        let left = self.samples().map_or(u64::MAX, |samples| samples - self.position);
        batch.start(
            self.features(),
            usize::try_from(left).map_or(count, |left| count.min(left)),
            self.position,
        )?;
        self.in_step = false;
        match &mut self.source {
            Source::Mapped(s) => s.fill(count, batch),
            Source::Sequential(s, _) | Source::Member(s, _) => s.fill(count, batch),
            Source::Csr(s) => s.fill(count, batch),
            Source::Text(s) => s.fill(count, batch),
            #[cfg(feature = "parquet")]
            Source::Parquet(s) => s.fill(count, batch),
        }?;
        self.position += batch.len() as u64;
        self.in_step = true;
        Ok(batch.len())
    }

    /// Goes back to the first sample.
    ///
    /// # Errors
    /// [`Error::Format`] for standard input and pipes; [`Error::Io`].
    pub(crate) fn rewind(&mut self) -> Result<()> {
        if self.once.is_some() && (self.position > 0 || !self.in_step) {
            let what = if is_standard(&self.path) { "standard input" } else { "a pipe" };
            let problem = format!("{what} can be read only once: use a file");
            return Err(Error::format(&self.path, None, problem));
        }
        if self.once.is_none() {
            match &mut self.source {
                Source::Mapped(s) => s.seek(0),
                Source::Sequential(s, opener) => *s = Sequential::open(&self.path, opener()?, None)?,
                Source::Member(s, member) => *s = member.sequential()?,
                Source::Csr(s) => s.rewind()?,
                Source::Text(s) => s.rewind()?,
                #[cfg(feature = "parquet")]
                Source::Parquet(s) => s.rewind(),
            }
        }
        (self.position, self.in_step) = (0, true);
        Ok(())
    }

    /// Goes to the sample of index `sample`, so that a run resumes where it stopped. At once with random
    /// access, otherwise by reading.
    ///
    /// # Errors
    /// [`Error::Parameter`] when there are fewer samples; what [`rewind`](Self::rewind) and
    /// [`next_batch`](Self::next_batch) return.
    pub(crate) fn seek(&mut self, sample: u64) -> Result<()> {
        let beyond = |samples| {
            Error::parameter("the sample to start from", sample, format!("there are only {samples} samples"))
        };
        if let Some(samples) = self.samples().filter(|samples| *samples < sample) {
            return Err(beyond(samples));
        }
        if sample < self.position || !self.in_step {
            self.rewind()?;
        }
        let count = sample - self.position;
        self.in_step = false;
        match &mut self.source {
            Source::Mapped(s) => s.seek(sample),
            Source::Sequential(s, _) | Source::Member(s, _) => s.skip(count)?,
            Source::Csr(s) => s.skip(count)?,
            Source::Text(s) => {
                let skipped = s.skip(count)?;
                if skipped < count {
                    return Err(beyond(self.position + skipped));
                }
            }
            #[cfg(feature = "parquet")]
            Source::Parquet(s) => s.skip(count)?,
        }
        (self.position, self.in_step) = (sample, true);
        Ok(())
    }

    /// Whether [`read_samples`](Self::read_samples) works: for `.npy`, and uncompressed arrays of `.npz`.
    pub(crate) fn supports_random_access(&self) -> bool {
        matches!(self.source, Source::Mapped(_))
    }

    /// Reads the samples of these indices, in this order, into `batch`. The position stays as it is;
    /// [`Batch::first_sample`] is the first of `indices`.
    ///
    /// # Errors
    /// [`Error::Format`] without random access; [`Error::Parameter`] for an index beyond the samples.
    pub(crate) fn read_samples<T: Scalar>(&mut self, indices: &[u64], batch: &mut Batch<T>) -> Result<()> {
        let features = self.features();
        let Source::Mapped(source) = &mut self.source else {
            let problem =
                "can be read only in order: samples are picked out of uncompressed .npy and .npz files";
            return Err(Error::format(&self.path, None, problem));
        };
        let samples = source.layout().samples;
        if let Some(index) = indices.iter().find(|index| **index >= samples) {
            return Err(Error::parameter(
                "a sample index",
                index,
                format!("there are only {samples} samples"),
            ));
        }
        batch.start(features, indices.len(), indices.first().copied().unwrap_or(0))?;
        source.gather(indices, batch)
    }

    /// The samples `from..to` where they lie in the file, without copying. None unless the file is a `.npy`
    /// (or an uncompressed array of a `.npz`) in C order, aligned, of the type `T`, and has these samples.
    pub(crate) fn view<T: Scalar>(&self, from: u64, to: u64) -> Option<MatRef<'_, T>> {
        match &self.source {
            Source::Mapped(s) => s.view(from, to),
            _ => None,
        }
    }

    /// `blake3:` and the hash of the file's bytes, as they are on disk. Of standard input it is known once
    /// all was read.
    ///
    /// # Errors
    /// [`Error::Io`]; [`Error::Format`] for standard input and pipes before their end.
    pub fn digest(&self) -> Result<String> {
        let Some(tally) = &self.once else { return super::open::digest(&self.path) };
        Tally::digest(tally).ok_or_else(|| {
            Error::format(
                &self.path,
                None,
                "has a digest only once all of it was read, as it can be read only once",
            )
        })
    }
}

/// `data.npz:X` as the file and the array, unless a file has this very name.
fn split_member(path: &Path) -> (PathBuf, Option<String>) {
    if !path.exists()
        && let Some((file, member)) = path.to_str().and_then(|text| text.rsplit_once(':'))
        && !member.is_empty()
        && Path::new(file).is_file()
    {
        return (file.into(), Some(member.to_owned()));
    }
    (path.to_owned(), None)
}

fn open_npy(path: &Path, input: Input) -> Result<Source> {
    if !input.is_compressed() && !input.is_read_once() {
        return Mapped::open(path, path, 0, None).map(Source::Mapped);
    }
    let owned = path.to_owned();
    let opener: Opener = Box::new(move || Ok(Box::new(open(&owned)?)));
    Ok(Source::Sequential(Sequential::open(path, Box::new(input), None)?, opener))
}

/// Formats that are read from their end need a file as it is.
fn plain_file(path: &Path, input: &Input, what: &str) -> Result<()> {
    let found = match (input.is_compressed(), input.is_read_once()) {
        (false, false) => return Ok(()),
        (true, _) => "compressed as a whole",
        (false, true) => "read from a pipe",
    };
    let problem = format!("is {what} {found}: expected the file itself, because it is read from its end");
    Err(Error::format(path, None, problem))
}

fn open_archive(path: &Path, input: &Input, member: Option<&str>) -> Result<(Source, MatrixFormat)> {
    plain_file(path, input, "a .npz archive")?;
    Ok(match npz::open(path, member)? {
        Archive::Stored(mapped) => (Source::Mapped(mapped), MatrixFormat::Npz),
        Archive::Deflated(sequential, member) => (Source::Member(sequential, member), MatrixFormat::Npz),
        Archive::Csr(csr) => (Source::Csr(csr), MatrixFormat::CsrNpz),
    })
}

#[cfg(feature = "parquet")]
fn open_parquet(path: &Path, input: &Input) -> Result<Source> {
    plain_file(path, input, "a Parquet table")?;
    Ok(Source::Parquet(Box::new(super::parquet::Table::open(path)?)))
}

#[cfg(not(feature = "parquet"))]
fn open_parquet(path: &Path, _: &Input) -> Result<Source> {
    Err(Error::format(path, None, "is a Parquet table, but this build is without the feature `parquet`"))
}

#[cfg(test)]
mod tests;
