//! Trajectories of spin systems: `.npy` arrays of shape (frames, rows, columns), int8 or float64, streamed frame by frame.

use super::npy_header::{Header, MAGIC};
use super::npy_write::npy_header;
use super::open::{is_standard, open};
use super::stream::{MatrixFormat, MatrixStream, StreamOptions};
use super::write::Staged;
use super::{Batch, Frame, SiteValue};
use crate::{Error, Result};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// What was expected where a file is something else.
const EXPECTED: &str =
    "expected a trajectory as .npy of shape (frames, rows, columns), or one frame (rows, columns)";

/// Writes a trajectory frame by frame.
///
/// The file appears whole at [`finish`](Self::finish); dropped before, it leaves nothing.
///
/// ```
/// use ergodict::data::{Trajectory, TrajectoryWriter};
/// let path = std::env::temp_dir().join(format!("ergodict-trajectory-{}.npy", std::process::id()));
/// let mut out = TrajectoryWriter::create(&path, (1, 3))?;
/// out.write(&[1i8, -1, 1])?;
/// out.finish()?;
/// let mut frame = Vec::new();
/// assert!(Trajectory::open(&path)?.next_frame(&mut frame)?);
/// assert_eq!(frame, [1, -1, 1]);
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), ergodict::Error>(())
/// ```
pub struct TrajectoryWriter {
    path: PathBuf,
    staged: Staged,
    shape: (usize, usize),
    frames: u64,
    /// What the header says of the values: those of the first frame.
    descr: &'static str,
}

impl std::fmt::Debug for TrajectoryWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TrajectoryWriter")
            .field("path", &self.path)
            .field("shape", &self.shape)
            .field("frames", &self.frames)
            .finish_non_exhaustive()
    }
}

impl TrajectoryWriter {
    /// Begins a file of frames of `shape` (rows, columns); `-` is standard output, which receives nothing before the
    /// end.
    ///
    /// # Errors
    /// [`Error::Parameter`] for frames without places; as [`write_atomic`](super::write_atomic).
    pub fn create(path: &Path, shape: (usize, usize)) -> Result<Self> {
        check_shape(shape)?;
        let mut staged = Staged::create(path, true)?;
        let descr = i8::DESCR;
        staged.write_all(&header(descr, 0, shape)).map_err(Error::io(path))?;
        Ok(Self { path: path.to_owned(), staged, shape, frames: 0, descr })
    }

    /// Appends a frame, row by row.
    ///
    /// # Errors
    /// As [`write_frame`](Self::write_frame).
    pub fn write<V: SiteValue>(&mut self, frame: &[V]) -> Result<()> {
        self.write_frame(&frame.into())
    }

    /// Appends a frame: all are of whole numbers, or all of real numbers.
    ///
    /// # Errors
    /// [`Error::Shape`] for another number of sites, [`Error::Parameter`] for other values than those before; [`Error::Io`].
    pub fn write_frame(&mut self, frame: &Frame<'_>) -> Result<()> {
        let sites = self.shape.0 * self.shape.1;
        if frame.len() != sites {
            let expected = format!("{sites} for {}×{}", self.shape.0, self.shape.1);
            return Err(Error::shape("a frame", format!("{} sites", frame.len()), expected));
        }
        if self.frames == 0 {
            self.descr = frame.descr();
        } else if self.descr != frame.descr() {
            let expected = "all frames are of whole numbers, or all of real numbers";
            return Err(Error::parameter("the frame", self.frames, expected));
        }
        self.staged.write_all(&frame.to_bytes()).map_err(Error::io(&self.path))?;
        self.frames += 1;
        Ok(())
    }

    /// Completes the file under the name it was begun with.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn finish(mut self) -> Result<()> {
        self.staged.patch_start(&header(self.descr, self.frames, self.shape))?;
        self.staged.commit()
    }
}

fn check_shape(shape: (usize, usize)) -> Result<()> {
    if shape.0.checked_mul(shape.1).is_none_or(|sites| sites == 0) {
        let found = format!("{}×{}", shape.0, shape.1);
        return Err(Error::parameter("the frame", found, "it must have at least one row and column"));
    }
    Ok(())
}

/// As long for all values.
fn header(descr: &str, frames: u64, shape: (usize, usize)) -> Vec<u8> {
    npy_header(descr, frames, &[shape.0, shape.1])
}

/// A trajectory on disk, read frame by frame and never whole.
///
/// Any real dtype will do; spins and labels are whole numbers in −128..=127, fields and angles any finite numbers. A 2-D array is one frame. `-` is
/// standard input, gzip and zstd are recognized by content, `data.npz:X` is the array `X` of an archive.
///
/// ```
/// use ergodict::data::{Trajectory, TrajectoryWriter};
/// let path = std::env::temp_dir().join(format!("ergodict-frames-{}.npy", std::process::id()));
/// let mut out = TrajectoryWriter::create(&path, (1, 2))?;
/// [[1i8, 1], [1, -1], [-1, -1]].iter().try_for_each(|frame| out.write(frame))?;
/// out.finish()?;
/// let (mut trajectory, mut frame) = (Trajectory::open(&path)?, Vec::new());
/// trajectory.read_frame(2, &mut frame)?;
/// assert_eq!((trajectory.len(), trajectory.shape(), frame), (3, (1, 2), vec![-1, -1]));
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Debug)]
pub struct Trajectory {
    stream: MatrixStream,
    shape: (usize, usize),
    frames: u64,
    /// Samples of the stream that make a frame: 1, or the rows of the only frame.
    samples: usize,
    batch: Batch<f64>,
}

impl Trajectory {
    /// Opens a trajectory.
    ///
    /// # Errors
    /// [`Error::Format`] when the file is no array of two or three axes; [`Error::Io`].
    pub fn open(path: &Path) -> Result<Self> {
        check_header(path)?;
        let stream = MatrixStream::open(path, &StreamOptions::default())?;
        let bad = |problem: String| Error::format(stream.path(), None, problem);
        if !matches!(stream.format(), MatrixFormat::Npy | MatrixFormat::Npz) {
            return Err(bad(format!("is not a .npy array: {EXPECTED}")));
        }
        let (first, trailing) = (stream.samples(), stream.trailing());
        let (Some(first), Some(trailing)) = (first, trailing) else {
            return Err(bad(format!("is not a .npy array: {EXPECTED}")));
        };
        let (shape, frames, samples) = match *trailing {
            [rows, cols] => ((rows as usize, cols as usize), first, 1),
            [cols] if first > 0 => ((first as usize, cols as usize), 1, first as usize),
            _ => {
                let axes = trailing.len() + 1;
                return Err(bad(format!("has {axes} axes, the first of length {first}: {EXPECTED}")));
            }
        };
        Ok(Self { stream, shape, frames, samples, batch: Batch::new() })
    }

    /// Number of frames.
    pub fn len(&self) -> u64 {
        self.frames
    }

    /// Whether it has no frame.
    pub fn is_empty(&self) -> bool {
        self.frames == 0
    }

    /// Rows and columns of a frame.
    pub fn shape(&self) -> (usize, usize) {
        self.shape
    }

    /// Index of the frame that [`next_frame`](Self::next_frame) reads.
    pub(crate) fn position(&self) -> u64 {
        self.stream.position() / self.samples as u64
    }

    /// Reads the next frame into `frame`, row by row; false at the end.
    ///
    /// # Errors
    /// [`Error::Format`] with the place of a value that is no whole number in −128..=127, or where the file is cut
    /// short; [`Error::Io`].
    pub fn next_frame(&mut self, frame: &mut Vec<i8>) -> Result<bool> {
        self.next_values(frame, "spins are whole numbers from -128 to 127", |value| {
            (value.fract() == 0.0 && (-128.0..=127.0).contains(&value)).then_some(value as i8)
        })
    }

    /// Reads the next frame of real numbers; false at the end.
    ///
    /// # Errors
    /// As [`next_frame`](Self::next_frame), for a value that is not finite.
    pub fn next_real_frame(&mut self, frame: &mut Vec<f64>) -> Result<bool> {
        self.next_values(frame, "expected finite numbers", |value| value.is_finite().then_some(value))
    }

    /// Reads the next frame, whose values `convert` takes or refuses.
    fn next_values<V>(
        &mut self,
        frame: &mut Vec<V>,
        expected: &str,
        convert: impl Fn(f64) -> Option<V>,
    ) -> Result<bool> {
        let index = self.position();
        frame.clear();
        if self.stream.next_batch(self.samples, &mut self.batch)? == 0 {
            return Ok(false);
        }
        let x = self.batch.as_mat_ref();
        for j in 0..x.cols() {
            for &value in x.col(j) {
                let Some(converted) = convert(value) else {
                    let (row, col) = (frame.len() / self.shape.1, frame.len() % self.shape.1);
                    let problem = format!(
                        "holds {value} in frame {index}, row {row}, column {col} (all counted from 0): {expected}"
                    );
                    return Err(Error::format(self.stream.path(), None, problem));
                };
                frame.push(converted);
            }
        }
        Ok(true)
    }

    /// Reads the frame of index `index`; [`next_frame`](Self::next_frame) then goes on after it. At once for plain
    /// files, by reading all before it for compressed ones.
    ///
    /// # Errors
    /// [`Error::Parameter`] when there are fewer frames; [`Error::Format`] when it lies behind in what can be read
    /// only once; as [`next_frame`](Self::next_frame).
    pub fn read_frame(&mut self, index: u64, frame: &mut Vec<i8>) -> Result<()> {
        self.check_index(index)?;
        self.stream.seek(index * self.samples as u64)?;
        self.next_frame(frame).map(|_| ())
    }

    /// Reads the frame of index `index`, as whole numbers or as real ones.
    ///
    /// # Errors
    /// As [`read_frame`](Self::read_frame).
    pub fn frame(&mut self, index: u64, real: bool) -> Result<Frame<'static>> {
        let mut whole = Vec::new();
        if !real {
            self.read_frame(index, &mut whole)?;
            return Ok(whole.into());
        }
        self.check_index(index)?;
        self.stream.seek(index * self.samples as u64)?;
        let mut values = Vec::new();
        self.next_real_frame(&mut values)?;
        Ok(values.into())
    }

    fn check_index(&self, index: u64) -> Result<()> {
        if index < self.frames {
            return Ok(());
        }
        let expected = format!("the trajectory has {} frames, counted from 0", self.frames);
        Err(Error::parameter("the frame", index, expected))
    }

    /// `blake3:` and the hash of the file's bytes, as they are on disk. Of standard input it is known once all was
    /// read.
    ///
    /// # Errors
    /// [`Error::Io`]; [`Error::Format`] for standard input and pipes before their end.
    pub fn digest(&self) -> Result<String> {
        self.stream.digest()
    }
}

/// What can be said of a `.npy` header in terms of frames, before it is read as that of a matrix.
fn check_header(path: &Path) -> Result<()> {
    // A pipe would lose what is read of it.
    if is_standard(path) || !fs::metadata(path).is_ok_and(|meta| meta.is_file()) {
        return Ok(());
    }
    let mut input = open(path)?;
    if !input.head().starts_with(MAGIC) {
        return Ok(());
    }
    let header = Header::read(path, &mut input)?;
    let fits = match header.shape[..] {
        [rows, cols] | [_, rows, cols] => rows > 0 && cols > 0,
        _ => false,
    };
    if !fits {
        let problem = format!("has shape {}: {EXPECTED}", header.shape_text());
        return Err(Error::format(path, None, problem));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
