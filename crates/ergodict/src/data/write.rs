//! Writes files whole or not at all.

use super::open::is_standard;
use super::partial::Partial;
use crate::{Error, Result};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Bytes gathered before a system call.
const BUFFER: usize = 128 * 1024;
/// Bytes after which the system is asked to begin to put a file on disk, while more is made: at the end it is waited for.
const BATCH: u64 = 32 << 20;

/// Writes the file `path` by `fill`: into a temporary file next to it, which takes the name `path` only when
/// all is on disk. After an error or a panic nothing is left and an older file stays as it was; what a killed
/// process left of the same file is deleted. `-` is standard output; devices and pipes are written as they are.
///
/// ```
/// let path = std::env::temp_dir().join(format!("ergodict-write-{}", std::process::id()));
/// ergodict::data::write_atomic(&path, |w| w.write_all(b"whole").map_err(ergodict::Error::io(&path)))?;
/// assert_eq!(std::fs::read(&path).unwrap(), b"whole");
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), ergodict::Error>(())
/// ```
///
/// # Errors
/// What `fill` returns; [`Error::Format`] when `path` is a directory or has no folder; [`Error::Io`].
pub fn write_atomic(path: &Path, fill: impl FnOnce(&mut (dyn Write + Send)) -> Result<()>) -> Result<()> {
    let mut staged = Staged::create(path, false)?;
    fill(&mut staged)?;
    staged.commit()
}

/// A file being written, which appears under its name at [`Staged::commit`] and vanishes when dropped before.
pub(crate) struct Staged {
    path: PathBuf,
    sink: BufWriter<Sink>,
}

enum Sink {
    /// Next to the target, which may differ from the path when that is a symbolic link.
    Temporary(Partial, PathBuf, Progress),
    /// Unnamed, copied to a stream at the end: what is written to a stream cannot be corrected later.
    Spool(File, Box<dyn Write + Send>),
    Stream(Box<dyn Write + Send>),
    /// Of someone who reads it again.
    Open(File),
}

/// Bytes of a file that were written; the system was asked to put all whole batches on disk.
#[derive(Default)]
struct Progress(u64);

impl Progress {
    fn add(&mut self, file: &File, bytes: usize) {
        let before = self.0;
        self.0 += bytes as u64;
        let (from, to) = (before / BATCH * BATCH, self.0 / BATCH * BATCH);
        if from < to {
            begin_sync(file, from, to - from);
        }
    }
}

/// Asks for a part of a file to be put on disk, without waiting for it.
fn begin_sync(file: &File, start: u64, length: u64) {
    #[cfg(target_os = "linux")]
    {
        use std::os::fd::AsRawFd;
        let (start, length) = (start.cast_signed(), length.cast_signed());
        // SAFETY: the file is open. A system that cannot do it does it all at the end.
        unsafe { libc::sync_file_range(file.as_raw_fd(), start, length, libc::SYNC_FILE_RANGE_WRITE) };
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (file, start, length);
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Temporary(file, _, progress) => {
                let written = file.write(bytes)?;
                progress.add(file.as_file_mut(), written);
                Ok(written)
            }
            Self::Spool(file, _) | Self::Open(file) => file.write(bytes),
            Self::Stream(stream) => stream.write(bytes),
        }
    }
    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Temporary(file, ..) => file.flush(),
            Self::Spool(file, _) | Self::Open(file) => file.flush(),
            Self::Stream(stream) => stream.flush(),
        }
    }
}

impl Write for Staged {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.sink.write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.sink.flush()
    }
}

impl Staged {
    /// Begins the file; `patched` when [`Staged::patch_start`] will be called.
    pub(crate) fn create(path: &Path, patched: bool) -> Result<Self> {
        let sink = Self::sink(path, patched)?;
        Ok(Self { path: path.to_owned(), sink: BufWriter::with_capacity(BUFFER, sink) })
    }

    /// Writes into a file that is open and empty, which has no name to be given; `path` is for messages.
    pub(crate) fn within(path: &Path, file: File) -> Self {
        Self { path: path.to_owned(), sink: BufWriter::with_capacity(BUFFER, Sink::Open(file)) }
    }

    fn sink(path: &Path, patched: bool) -> Result<Sink> {
        let io = |e| Error::io(path)(e);
        let stream: Option<Box<dyn Write + Send>> = if is_standard(path) {
            Some(Box::new(io::stdout()))
        } else {
            match fs::metadata(path) {
                Ok(meta) if meta.is_dir() => {
                    return Err(Error::format(
                        path,
                        None,
                        "is a directory: expected the name of a file to write",
                    ));
                }
                // Renaming a file over /dev/null would replace the device.
                Ok(meta) if !meta.is_file() => {
                    Some(Box::new(OpenOptions::new().write(true).open(path).map_err(io)?))
                }
                // A temporary name would be shorter and be found too long only at the end.
                Err(e) if e.kind() == io::ErrorKind::InvalidFilename => return Err(io(e)),
                _ => None,
            }
        };
        if let Some(stream) = stream {
            return Ok(if patched {
                Sink::Spool(tempfile::tempfile().map_err(io)?, stream)
            } else {
                Sink::Stream(stream)
            });
        }
        // A symbolic link stays one: the file it names is replaced.
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let folder = match target.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let Some(name) = target.file_name() else {
            return Err(Error::format(path, None, "names no file: expected the name of a file to write"));
        };
        if !folder.is_dir() {
            let problem = format!("cannot be written: the directory `{}` does not exist", folder.display());
            return Err(Error::format(path, None, problem));
        }
        #[cfg(unix)]
        let permissions = {
            // As any other program would create it (the umask applies), not the 0600 of a temporary file.
            use std::os::unix::fs::PermissionsExt;
            let mode = fs::metadata(&target).map_or(0o666, |meta| meta.permissions().mode() & 0o7777);
            Some(fs::Permissions::from_mode(mode))
        };
        #[cfg(not(unix))]
        let permissions = None;
        Ok(Sink::Temporary(
            Partial::create(folder, name, permissions).map_err(io)?,
            target,
            Progress::default(),
        ))
    }

    /// Overwrites the first bytes. Nothing can be written afterwards.
    pub(crate) fn patch_start(&mut self, bytes: &[u8]) -> Result<()> {
        let io = |e| Error::io(&self.path)(e);
        self.sink.flush().map_err(io)?;
        let file = match self.sink.get_mut() {
            Sink::Temporary(file, ..) => file.as_file_mut(),
            Sink::Spool(file, _) | Sink::Open(file) => file,
            Sink::Stream(_) => return Err(io(io::ErrorKind::NotSeekable.into())),
        };
        file.seek(SeekFrom::Start(0)).and_then(|_| file.write_all(bytes)).map_err(io)
    }

    /// Puts everything on disk and gives the file its name.
    pub(crate) fn commit(self) -> Result<()> {
        super::check_inputs()?;
        let path = self.path;
        let sink = self.sink.into_inner().map_err(|e| Error::io(&path)(e.into_error()))?;
        let io = |e| Error::io(&path)(e);
        match sink {
            Sink::Temporary(file, target, _) => {
                file.persist(&target).map_err(io)?;
                super::forget(&target);
                sync_folder(&target);
                Ok(())
            }
            Sink::Spool(mut file, mut stream) => {
                file.seek(SeekFrom::Start(0)).map_err(io)?;
                io::copy(&mut file, &mut stream).map_err(io)?;
                stream.flush().map_err(io)
            }
            Sink::Stream(mut stream) => stream.flush().map_err(io),
            Sink::Open(_) => Ok(()),
        }
    }
}

/// Whether `path` is a file, or can become one: neither standard output nor a device or pipe.
pub(crate) fn is_ordinary(path: &Path) -> bool {
    !is_standard(path) && fs::metadata(path).map_or(true, |meta| meta.is_file())
}

/// Gives a file the name of an ordinary one; where only a copy can do that the copy is whole before the file goes.
pub(crate) fn move_file(from: &Path, to: &Path) -> Result<()> {
    // A symbolic link stays one: the file it names is replaced.
    let target = fs::canonicalize(to).unwrap_or_else(|_| to.to_owned());
    super::check_inputs()?;
    if fs::rename(from, &target).is_ok() {
        super::forget(&target);
        sync_folder(&target);
        return Ok(());
    }
    let mut source = File::open(from).map_err(Error::io(from))?;
    write_atomic(to, |out| io::copy(&mut source, out).map(|_| ()).map_err(Error::io(to)))?;
    fs::remove_file(from).map_err(Error::io(from))
}

/// The new name of a file survives a power failure only once the directory is on disk; some file systems cannot do
/// that, and the file itself is whole either way.
pub(crate) fn sync_folder(target: &Path) {
    #[cfg(unix)]
    if let Some(folder) = target.parent() {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let _ = File::open(folder).and_then(|folder| folder.sync_all());
    }
    #[cfg(not(unix))]
    let _ = target;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<_> =
            entries.map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn an_error_or_a_panic_leaves_the_old_file_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.bin");
        write_atomic(&path, |w| w.write_all(b"old").map_err(Error::io(&path))).unwrap();
        let failed = write_atomic(&path, |w| {
            w.write_all(&vec![1; 1 << 20]).map_err(Error::io(&path))?;
            Err(Error::format(&path, None, "stop"))
        });
        assert!(failed.unwrap_err().to_string().ends_with("stop"));
        let panicked = std::panic::catch_unwind(|| {
            write_atomic(&path, |w| {
                w.write_all(&vec![1; 1 << 20]).map_err(Error::io(&path))?;
                std::panic::panic_any(0_u8)
            })
        });
        assert!(panicked.is_err());
        assert_eq!(
            (fs::read(&path).unwrap().as_slice(), names(folder.path())),
            (&b"old"[..], vec!["out.bin".into()])
        );
        // Who has the old file open goes on reading the old one.
        let open = File::open(&path).unwrap();
        write_atomic(&path, |w| w.write_all(b"new").map_err(Error::io(&path))).unwrap();
        assert_eq!(
            (fs::read(&path).unwrap(), io::read_to_string(open).unwrap()),
            (b"new".to_vec(), "old".into())
        );
    }

    #[test]
    fn nothing_is_seen_before_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.bin");
        write_atomic(&path, |w| {
            w.write_all(&vec![1; 1 << 20]).map_err(Error::io(&path))?;
            assert!(!path.exists());
            Ok(())
        })
        .unwrap();
        assert_eq!(fs::metadata(&path).unwrap().len(), 1 << 20);
    }

    #[test]
    fn missing_directories_and_directories_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("no/such/out.bin");
        let message = write_atomic(&path, |_| Ok(())).unwrap_err().to_string();
        assert!(
            message.contains("the directory `") && message.contains("no/such` does not exist"),
            "{message}"
        );
        let message = write_atomic(folder.path(), |_| Ok(())).unwrap_err().to_string();
        assert!(message.contains("is a directory"), "{message}");
    }

    #[cfg(unix)]
    #[test]
    fn names_may_be_as_long_as_the_file_system_has_them() {
        let folder = tempfile::tempdir().unwrap();
        let longest = folder.path().join("x".repeat(255));
        write_atomic(&longest, |_| Ok(())).unwrap();
        let mut begun = false;
        let failed = write_atomic(&folder.path().join("x".repeat(256)), |_| {
            begun = true;
            Ok(())
        });
        assert!(failed.is_err() && !begun);
        assert_eq!(names(folder.path()).len(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn modes_links_and_devices_are_respected() {
        use std::os::unix::fs::{FileTypeExt, PermissionsExt};
        let folder = tempfile::tempdir().unwrap();
        let (path, plain) = (folder.path().join("out"), folder.path().join("plain"));
        fs::write(&plain, b"").unwrap();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        write_atomic(&path, |_| Ok(())).unwrap();
        let mode = |p: &Path| fs::metadata(p).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&path), mode(&plain));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        write_atomic(&link, |w| w.write_all(b"x").map_err(Error::io(&link))).unwrap();
        assert_eq!((mode(&path), fs::read(&path).unwrap()), (0o600, b"x".to_vec()));
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        write_atomic(Path::new("/dev/null"), |w| w.write_all(b"x").map_err(Error::io(&link))).unwrap();
        assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
    }
}
