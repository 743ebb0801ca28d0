//! Trajectories of spin systems: `.npy` arrays of int8 of shape (frames, rows, columns), streamed frame by frame.

use super::Batch;
use super::npy_header::{Header, MAGIC};
use super::npy_write::npy_header;
use super::open::{is_standard, open};
use super::stream::{MatrixFormat, MatrixStream, StreamOptions};
use super::write::{Staged, sync_folder, write_atomic};
use crate::{Error, Result};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// What was expected where a file is something else.
const EXPECTED: &str =
    "expected a trajectory as .npy of shape (frames, rows, columns), or one frame (rows, columns)";

/// Bytes gathered before a system call.
const BUFFER: usize = 128 * 1024;

/// Writes a trajectory frame by frame.
///
/// A file begun by [`create`](Self::create) appears whole at [`finish`](Self::finish); dropped before, it leaves
/// nothing. One begun by [`resume_or_create`](Self::resume_or_create) grows under a name of its own, survives an
/// interruption, and takes its final name at [`publish`](Self::publish).
///
/// ```
/// use ergodict::data::{Trajectory, TrajectoryWriter};
/// let path = std::env::temp_dir().join(format!("ergodict-trajectory-{}.npy", std::process::id()));
/// let mut out = TrajectoryWriter::create(&path, (1, 3))?;
/// out.write(&[1, -1, 1])?;
/// out.finish()?;
/// let mut frame = Vec::new();
/// assert!(Trajectory::open(&path)?.next_frame(&mut frame)?);
/// assert_eq!(frame, [1, -1, 1]);
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), ergodict::Error>(())
/// ```
pub struct TrajectoryWriter {
    path: PathBuf,
    sink: Sink,
    shape: (usize, usize),
    frames: u64,
    bytes: Vec<u8>,
}

enum Sink {
    Staged(Staged),
    Partial(BufWriter<File>),
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
    /// [`Error::Parameter`] for frames without places; as [`write_atomic`].
    pub fn create(path: &Path, shape: (usize, usize)) -> Result<Self> {
        check_shape(shape)?;
        let mut staged = Staged::create(path, true)?;
        staged.write_all(&header(0, shape)).map_err(Error::io(path))?;
        Ok(Self { path: path.to_owned(), sink: Sink::Staged(staged), shape, frames: 0, bytes: Vec::new() })
    }

    /// Goes on with the file `partial` after its first `frames_done` frames, all later ones are dropped; or begins it,
    /// with `frames_done` 0.
    ///
    /// # Errors
    /// [`Error::Parameter`] for frames without places; [`Error::Format`] when the file is of other frames or holds
    /// fewer than `frames_done`; [`Error::Io`].
    pub fn resume_or_create(partial: &Path, shape: (usize, usize), frames_done: u64) -> Result<Self> {
        check_shape(shape)?;
        let io = |e| Error::io(partial)(e);
        let mut options = OpenOptions::new();
        options.read(true).write(true).truncate(false).create(frames_done == 0);
        let mut file = options.open(partial).map_err(io)?;
        let start = header(0, shape);
        if frames_done > 0 {
            let found = Header::read(partial, &mut file)?;
            let wanted = [shape.0 as u64, shape.1 as u64];
            let same = found.descr == "|i1" && found.shape.get(1..) == Some(&wanted[..]);
            if !same || found.fortran_order || found.length != start.len() as u64 {
                let problem = format!(
                    "has shape {} and dtype `{}`: expected int8 frames of {}×{} to go on with",
                    found.shape_text(),
                    found.descr,
                    shape.0,
                    shape.1
                );
                return Err(Error::format(partial, None, problem));
            }
        }
        let sites = (shape.0 * shape.1) as u64;
        let end = sites.checked_mul(frames_done).and_then(|n| n.checked_add(start.len() as u64));
        let length = file.metadata().map_err(io)?.len();
        let Some(end) = end.filter(|end| frames_done == 0 || *end <= length) else {
            let held = length.saturating_sub(start.len() as u64) / sites;
            let problem = format!("holds only {held} frames: expected the {frames_done} written before");
            return Err(Error::format(partial, None, problem));
        };
        if frames_done == 0 {
            file.set_len(0).and_then(|()| file.rewind()).and_then(|()| file.write_all(&start)).map_err(io)?;
        } else {
            file.set_len(end).and_then(|()| file.seek(SeekFrom::Start(end))).map_err(io)?;
        }
        Ok(Self {
            path: partial.to_owned(),
            sink: Sink::Partial(BufWriter::with_capacity(BUFFER, file)),
            shape,
            frames: frames_done,
            bytes: Vec::new(),
        })
    }

    /// Rows and columns of a frame.
    pub fn shape(&self) -> (usize, usize) {
        self.shape
    }

    /// Frames written so far.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// Appends a frame, row by row.
    ///
    /// # Errors
    /// [`Error::Shape`] for another number of sites; [`Error::Io`].
    pub fn write(&mut self, frame: &[i8]) -> Result<()> {
        let sites = self.shape.0 * self.shape.1;
        if frame.len() != sites {
            let expected = format!("{sites} for {}×{}", self.shape.0, self.shape.1);
            return Err(Error::shape("a frame", format!("{} sites", frame.len()), expected));
        }
        self.bytes.clear();
        self.bytes.extend(frame.iter().map(|s| *s as u8));
        let done = match &mut self.sink {
            Sink::Staged(staged) => staged.write_all(&self.bytes),
            Sink::Partial(file) => file.write_all(&self.bytes),
        };
        done.map_err(Error::io(&self.path))?;
        self.frames += 1;
        Ok(())
    }

    /// Puts on disk what a partial file was given so far, to be called before a checkpoint that counts on it. The
    /// header then tells so many frames, so that the file can be looked at.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn sync(&mut self) -> Result<()> {
        if let Sink::Partial(file) = &mut self.sink {
            put_header(file, self.frames, self.shape).map_err(Error::io(&self.path))?;
        }
        Ok(())
    }

    /// Completes the file under the name it was begun with.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn finish(mut self) -> Result<()> {
        self.sync()?;
        match self.sink {
            Sink::Staged(mut staged) => {
                staged.patch_start(&header(self.frames, self.shape))?;
                staged.commit()
            }
            Sink::Partial(_) => Ok(()),
        }
    }

    /// Completes a partial file and lets it appear at `out`, whole, under which name it is no longer partial: by
    /// renaming it, or by copying where that cannot be (another file system, a device, or `-` for standard output).
    ///
    /// # Errors
    /// [`Error::Parameter`] for a file begun by [`create`](Self::create) under another name; as [`write_atomic`].
    pub fn publish(mut self, out: &Path) -> Result<()> {
        self.sync()?;
        let Self { path, sink, .. } = self;
        match sink {
            Sink::Staged(staged) if path == out => {
                Self { path, sink: Sink::Staged(staged), bytes: Vec::new(), ..self }.finish()
            }
            Sink::Staged(_) => {
                let expected =
                    format!("it must be {}, as the file was begun under this name", path.display());
                Err(Error::parameter("the name of the trajectory", out.display(), expected))
            }
            Sink::Partial(file) => {
                drop(file);
                move_file(&path, out)
            }
        }
    }
}

fn check_shape(shape: (usize, usize)) -> Result<()> {
    if shape.0.checked_mul(shape.1).is_none_or(|sites| sites == 0) {
        let found = format!("{}×{}", shape.0, shape.1);
        return Err(Error::parameter("the frame", found, "it must have at least one row and column"));
    }
    Ok(())
}

fn header(frames: u64, shape: (usize, usize)) -> Vec<u8> {
    npy_header("|i1", frames, &[shape.0, shape.1])
}

/// Corrects the header, puts all on disk, and goes back to the end.
fn put_header(file: &mut BufWriter<File>, frames: u64, shape: (usize, usize)) -> io::Result<()> {
    file.flush()?;
    let file = file.get_mut();
    file.rewind()?;
    file.write_all(&header(frames, shape))?;
    file.seek(SeekFrom::End(0))?;
    file.sync_all()
}

/// Gives a file another name; where only a copy can do that the copy is whole before the file goes.
fn move_file(from: &Path, to: &Path) -> Result<()> {
    let ordinary = !is_standard(to) && fs::metadata(to).map_or(true, |meta| meta.is_file());
    // A symbolic link stays one: the file it names is replaced.
    let target = fs::canonicalize(to).unwrap_or_else(|_| to.to_owned());
    if ordinary && fs::rename(from, &target).is_ok() {
        sync_folder(&target);
        return Ok(());
    }
    let mut source = File::open(from).map_err(Error::io(from))?;
    write_atomic(to, |out| io::copy(&mut source, out).map(|_| ()).map_err(Error::io(to)))?;
    fs::remove_file(from).map_err(Error::io(from))
}

/// A trajectory on disk, read frame by frame and never whole.
///
/// Any real dtype will do as long as every value is a whole number in −128..=127; a 2-D array is one frame. `-` is
/// standard input, gzip and zstd are recognised by content, `data.npz:X` is the array `X` of an archive.
///
/// ```
/// use ergodict::data::{Trajectory, TrajectoryWriter};
/// let path = std::env::temp_dir().join(format!("ergodict-frames-{}.npy", std::process::id()));
/// let mut out = TrajectoryWriter::create(&path, (1, 2))?;
/// [[1, 1], [1, -1], [-1, -1]].iter().try_for_each(|frame| out.write(frame))?;
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
    pub fn position(&self) -> u64 {
        self.stream.position() / self.samples as u64
    }

    /// Reads the next frame into `frame`, row by row; false at the end.
    ///
    /// # Errors
    /// [`Error::Format`] with the place of a value that is no whole number in −128..=127, or where the file is cut
    /// short; [`Error::Io`].
    pub fn next_frame(&mut self, frame: &mut Vec<i8>) -> Result<bool> {
        let index = self.position();
        frame.clear();
        if self.stream.next_batch(self.samples, &mut self.batch)? == 0 {
            return Ok(false);
        }
        let x = self.batch.as_mat_ref();
        for j in 0..x.cols() {
            for &value in x.col(j) {
                if value.fract() != 0.0 || !(-128.0..=127.0).contains(&value) {
                    let (row, col) = (frame.len() / self.shape.1, frame.len() % self.shape.1);
                    let problem = format!(
                        "holds {value} in frame {index}, row {row}, column {col} (all counted from 0): spins are \
                         whole numbers from -128 to 127"
                    );
                    return Err(Error::format(self.stream.path(), None, problem));
                }
                frame.push(value as i8);
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
        if index >= self.frames {
            let expected = format!("the trajectory has {} frames, counted from 0", self.frames);
            return Err(Error::parameter("the frame", index, expected));
        }
        self.stream.seek(index * self.samples as u64)?;
        self.next_frame(frame).map(|_| ())
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
