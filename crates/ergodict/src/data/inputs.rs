//! Files that are read: what they were when they were opened, so that one that changes meanwhile is an error and no mixture.
//!
//! | what happens to a file | what comes of it |
//! |---|---|
//! | another takes its name | nothing: the one that was opened is read to its end; opened a second time by a program, it is an error |
//! | it is written in place | an error at its end, at the next checkpoint, or before an output gets its name |
//! | it is cut off while it is mapped | the system sends SIGBUS: a program ends with the name of [`cut_off_input`], a process that has to stay [covers it](cover_cut_off) and refuses what was read ([`Reading`]) |
//! | it cannot be read while it is mapped, as of a disk that fails | the same signal, which ends a program; a process that has to stay covers and refuses it too |

#[cfg(unix)]
mod slots;

use super::open::is_standard;
use crate::{Error, Result};
use memmap2::Mmap;
#[cfg(unix)]
pub use slots::{cover_cut_off, cut_off_input, watch_maps};
use std::collections::HashMap;
use std::fs::{self, File, Metadata};
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::SystemTime;

/// The files that are open.
static OPEN: Mutex<Vec<Weak<Opened>>> = Mutex::new(Vec::new());

/// What files were when a program first opened them; none unless it was asked for.
static FIRST: Mutex<Option<HashMap<PathBuf, Stamp>>> = Mutex::new(None);

/// Mapped files that were changed, or covered, when they were closed: how many, and the last of them.
static SPOILED: AtomicU64 = AtomicU64::new(0);
static LAST_SPOILED: Mutex<Option<PathBuf>> = Mutex::new(None);

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What identifies a file with its contents.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Stamp {
    device: u64,
    inode: u64,
    length: u64,
    modified: Option<SystemTime>,
}

impl Stamp {
    fn new(meta: &Metadata) -> Self {
        #[cfg(unix)]
        let (device, inode) = {
            use std::os::unix::fs::MetadataExt;
            (meta.dev(), meta.ino())
        };
        #[cfg(not(unix))]
        let (device, inode) = (0, 0);
        Self { device, inode, length: meta.len(), modified: meta.modified().ok() }
    }
}

#[derive(Debug)]
struct Opened {
    path: PathBuf,
    file: File,
    /// None of pipes and devices, which have no contents to keep.
    stamp: Option<Stamp>,
    mapped: bool,
}

impl Opened {
    /// Whether it has changed, or its state cannot be read.
    fn is_changed(&self) -> bool {
        let now = || self.file.metadata().ok().map(|now| Stamp::new(&now));
        self.stamp.is_some_and(|then| now() != Some(then))
    }

    fn check(&self) -> Result<()> {
        if self.is_changed() { Err(Error::Changed { path: self.path.clone() }) } else { Ok(()) }
    }
}

/// A file that is open for reading; that it did not change is checked at its end, and while it is open by [`check_inputs`].
#[derive(Clone, Debug)]
pub(crate) struct InputFile(Arc<Opened>);

impl InputFile {
    /// Opens a file.
    ///
    /// # Errors
    /// [`Error::Io`]; [`Error::Changed`] for one that a program opened before, when it was another.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        Self::new(path, File::open(path).map_err(Error::io(path))?, false)
    }

    fn new(path: &Path, file: File, mapped: bool) -> Result<Self> {
        let meta = file.metadata().map_err(Error::io(path))?;
        let stamp = meta.is_file().then(|| Stamp::new(&meta));
        if let (Some(first), Some(stamp)) = (&mut *lock(&FIRST), stamp) {
            let name = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
            if *first.entry(name).or_insert(stamp) != stamp {
                return Err(Error::Changed { path: path.to_owned() });
            }
        }
        let opened = Arc::new(Opened { path: path.to_owned(), file, stamp, mapped });
        let mut open = lock(&OPEN);
        open.retain(|file| file.strong_count() > 0);
        open.push(Arc::downgrade(&opened));
        Ok(Self(opened))
    }

    /// Whether it is a file with contents of its own, and no pipe or device.
    pub(crate) fn is_regular(&self) -> bool {
        self.0.stamp.is_some()
    }

    /// Another handle of the same file.
    pub(crate) fn handle(&self) -> Result<File> {
        self.0.file.try_clone().map_err(Error::io(&self.0.path))
    }
}

impl Read for InputFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = (&self.0.file).read(buffer)?;
        if read == 0 && !buffer.is_empty() && self.0.is_changed() {
            return Err(io::Error::other(Error::CHANGED));
        }
        Ok(read)
    }
}

impl Seek for InputFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        (&self.0.file).seek(to)
    }
}

/// A file as memory.
#[derive(Debug)]
pub(crate) struct MappedFile {
    /// None of files without a name, which no other process can change. Dropped before the map, which a handler of signals must not touch after it.
    #[cfg(unix)]
    slot: Option<slots::Slot>,
    file: Option<InputFile>,
    map: Mmap,
}

impl MappedFile {
    /// Maps a file that is open, whole; it is watched unless it has no name.
    pub(crate) fn map(path: &Path, file: &File, named: bool) -> Result<Self> {
        // SAFETY: the map is read-only. No one can be kept from writing into a file, or cutting it off, but what comes of it is never taken for a
        // result: see the head of this file. Our own writers replace files by renaming.
        let map = unsafe { Mmap::map(file) }.map_err(Error::io(path))?;
        let open = || InputFile::new(path, file.try_clone().map_err(Error::io(path))?, true);
        let file = named.then(open).transpose()?;
        Ok(Self {
            #[cfg(unix)]
            slot: file.as_ref().map(|file| slots::Slot::new(path, &file.0.file, &map)),
            file,
            map,
        })
    }

    /// Refuses a file that was written to, or cut off, since it was mapped, or that could not be read.
    pub(crate) fn check(&self) -> Result<()> {
        self.spoiled().map_or(Ok(()), |path| Err(Error::Changed { path: path.to_owned() }))
    }

    /// The path of a file that is not what it was, or of whose contents some are covered.
    fn spoiled(&self) -> Option<&Path> {
        let file = self.file.as_ref()?;
        #[cfg(unix)]
        let covered = self.slot.as_ref().is_some_and(slots::Slot::is_covered);
        #[cfg(not(unix))]
        let covered = false;
        (covered || file.0.is_changed()).then_some(file.0.path.as_path())
    }

    /// The system's map.
    pub(crate) fn as_map(&self) -> &Mmap {
        &self.map
    }
}

impl Drop for MappedFile {
    fn drop(&mut self) {
        // What was read of it may have been taken for a result.
        if let Some(path) = self.spoiled() {
            *lock(&LAST_SPOILED) = Some(path.to_owned());
            SPOILED.fetch_add(1, Ordering::SeqCst);
        }
    }
}

impl Deref for MappedFile {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        &self.map
    }
}

/// Reads a file whole, `-` being standard input: as much as there is memory for, and of pipes and devices at most 64 MiB.
///
/// ```
/// let path = std::env::temp_dir().join(format!("ergodict-whole-{}", std::process::id()));
/// std::fs::write(&path, "all").unwrap();
/// assert_eq!(ergodict::data::read_whole(&path)?, b"all");
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), ergodict::Error>(())
/// ```
///
/// # Errors
/// [`Error::Io`]; [`Error::Memory`], [`Error::Format`] for what is too long; [`Error::Changed`].
pub fn read_whole(path: &Path) -> Result<Vec<u8>> {
    let (mut input, length): (Box<dyn Read>, u64) = if is_standard(path) {
        (Box::new(io::stdin()), 0)
    } else {
        let file = InputFile::open(path)?;
        let length = file.0.stamp.map_or(0, |stamp| stamp.length);
        (Box::new(file), length)
    };
    let what = format!("{}, read whole,", path.display());
    crate::memory::check(length, &what, "expected a smaller file")?;
    let most = length.max(MOST_STREAMED);
    let mut bytes = Vec::new();
    input.by_ref().take(most + 1).read_to_end(&mut bytes).map_err(Error::io(path))?;
    if bytes.len() as u64 > most {
        let problem = format!("has more than {most} bytes: expected a file, or less");
        return Err(Error::format(path, None, problem));
    }
    Ok(bytes)
}

/// Bytes that are read of pipes and devices where a whole file is wanted.
const MOST_STREAMED: u64 = 64 << 20;

/// Says that this process is a program that reads its inputs, writes its outputs and ends: a file that it opens twice must be the same both
/// times, and [`cut_off_input`] works.
///
/// ```
/// use ergodict::data::{check_inputs, watch_inputs};
/// watch_inputs();
/// assert!(check_inputs().is_ok(), "no file is open");
/// ```
pub fn watch_inputs() {
    lock(&FIRST).get_or_insert_default();
    #[cfg(unix)]
    slots::start();
}

/// Forgets what a file was, because it has been written.
pub(crate) fn forget(target: &Path) {
    if let Some(first) = &mut *lock(&FIRST) {
        first.remove(target);
    }
}

/// Refuses to go on where a file that is open was written to or cut off since it was opened; outputs get their names only after it. Does
/// nothing before [`watch_inputs`]: other programs may have files open that have nothing to do with an output.
///
/// ```
/// // Before `watch_inputs` nothing is checked.
/// assert!(ergodict::data::check_inputs().is_ok());
/// ```
///
/// # Errors
/// [`Error::Changed`].
pub fn check_inputs() -> Result<()> {
    if lock(&FIRST).is_none() {
        return Ok(());
    }
    let open: Vec<Arc<Opened>> = lock(&OPEN).iter().filter_map(Weak::upgrade).collect();
    open.iter().try_for_each(|file| file.check())?;
    Reading(0).check()
}

/// Work that may read mapped files, in a process that does other work too.
///
/// ```
/// let reading = ergodict::data::Reading::begin();
/// // … what is read here is what the files had …
/// assert!(reading.check().is_ok());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Reading(u64);

impl Reading {
    /// Begins.
    pub fn begin() -> Self {
        Self(SPOILED.load(Ordering::SeqCst))
    }

    /// Refuses what was read where a mapped file was changed, cut off or covered: one that is open, or was closed since the work began.
    ///
    /// # Errors
    /// [`Error::Changed`].
    pub fn check(&self) -> Result<()> {
        if SPOILED.load(Ordering::SeqCst) != self.0 {
            let path = lock(&LAST_SPOILED).clone().unwrap_or_default();
            return Err(Error::Changed { path });
        }
        let open: Vec<Arc<Opened>> = lock(&OPEN).iter().filter_map(Weak::upgrade).collect();
        open.iter().filter(|file| file.mapped).try_for_each(|file| file.check())?;
        #[cfg(unix)]
        if let Some(path) = slots::covered() {
            return Err(Error::Changed { path });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn touched(path: &Path, bytes: &[u8]) {
        // Times of files may be as coarse as the clock of the kernel.
        std::thread::sleep(std::time::Duration::from_millis(20));
        File::options().write(true).open(path).unwrap().write_all(bytes).unwrap();
    }

    #[test]
    fn a_file_that_is_written_in_place_is_an_error_at_its_end_and_one_that_is_replaced_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let (path, other) = (folder.path().join("a"), folder.path().join("b"));
        fs::write(&path, b"one").unwrap();
        let mut file = InputFile::open(&path).unwrap();
        let mut bytes = Vec::new();
        fs::write(&other, b"two").unwrap();
        fs::rename(&other, &path).unwrap();
        file.read_to_end(&mut bytes).unwrap();
        assert_eq!(bytes, b"one");
        file.0.check().unwrap();
        let mut file = InputFile::open(&path).unwrap();
        touched(&path, b"new");
        assert!(file.read_to_end(&mut bytes).unwrap_err().to_string().contains("changed while it was read"));
        assert!(matches!(file.0.check(), Err(Error::Changed { path: changed }) if changed == path));
    }

    #[test]
    fn a_mapped_file_that_is_written_or_cut_off_is_known_to_be() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        for change in [
            |path: &Path| touched(path, b"other"),
            |path: &Path| {
                File::options().write(true).open(path).unwrap().set_len(3).unwrap();
            },
        ] {
            fs::write(&path, b"bytes").unwrap();
            let map = MappedFile::map(&path, &File::open(&path).unwrap(), true).unwrap();
            assert_eq!(&map[..2], b"by");
            map.check().unwrap();
            let reading = Reading::begin();
            change(&path);
            assert!(matches!(map.check(), Err(Error::Changed { .. })));
            // Other tests have changed files open.
            let is_refused = |reading: Reading| matches!(reading.check(), Err(Error::Changed { .. }));
            assert!(is_refused(reading));
            drop(map);
            assert!(is_refused(reading));
        }
    }

    #[test]
    fn what_is_endless_is_not_read_whole() {
        #[cfg(target_os = "linux")]
        assert!(
            read_whole(Path::new("/dev/zero")).unwrap_err().to_string().contains("more than 67108864 bytes")
        );
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), b"small").unwrap();
        assert_eq!(read_whole(file.path()).unwrap(), b"small");
        file.as_file().set_len(1 << 43).unwrap();
        assert!(
            cfg!(not(target_os = "linux")) || matches!(read_whole(file.path()), Err(Error::Memory { .. }))
        );
    }
}
