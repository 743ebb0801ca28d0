//! Temporary files next to their targets: locked while they are written, so that leftovers of killed runs can be recognized and deleted.

use std::collections::{BTreeSet, HashMap};
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tempfile::NamedTempFile;

/// How the names of temporary files end.
const SUFFIX: &str = ".partial";
/// Letters and digits that distinguish temporary files of one target.
const RANDOM: usize = 6;

/// The temporary files of this process.
static OWN: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// For each folder that something was written into, the temporary files that were there before: listed once, because a folder may have
/// as many files as an animation has frames.
static FOUND: Mutex<Option<HashMap<PathBuf, Vec<OsString>>>> = Mutex::new(None);

/// Leaves the process at once, without unwinding, and deletes the files it is writing. What is whole already stays, and no other
/// thread begins or ends a file meanwhile.
pub fn remove_partials_and_exit(code: i32) -> ! {
    let own = lock(&OWN);
    for path in own.iter() {
        let _ = fs::remove_file(path);
    }
    std::process::exit(code)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A temporary file of this process.
pub(super) struct Partial {
    file: NamedTempFile,
    /// Takes it off the list.
    listed: Listed,
}

/// A file on the list of those that a process deletes when it leaves at once, until this is dropped.
#[derive(Debug)]
pub(super) struct Listed(PathBuf);

impl Listed {
    pub(super) fn new(path: PathBuf) -> Self {
        Self::on(&mut lock(&OWN), path)
    }

    fn on(list: &mut BTreeSet<PathBuf>, path: PathBuf) -> Self {
        list.insert(path.clone());
        #[cfg(unix)]
        raw::add(&path);
        Self(path)
    }
}

impl Drop for Listed {
    fn drop(&mut self) {
        lock(&OWN).remove(&self.0);
        #[cfg(unix)]
        raw::remove(&self.0);
    }
}

#[cfg(unix)]
pub use raw::unlink_partials;

/// The same files where a handler of signals can delete them: it can neither wait for a lock nor allocate.
#[cfg(unix)]
mod raw {
    use std::ffi::{CStr, CString, c_char};
    use std::os::unix::ffi::OsStrExt;
    use std::path::Path;
    use std::sync::atomic::{AtomicPtr, Ordering};

    /// Files at a time; of more, some stay when a handler ends the process, until the next run deletes them.
    const MOST: usize = 64;
    static PATHS: [AtomicPtr<c_char>; MOST] = [const { AtomicPtr::new(std::ptr::null_mut()) }; MOST];

    pub(super) fn add(path: &Path) {
        if let Ok(name) = CString::new(path.as_os_str().as_bytes()) {
            // Never freed: a handler may be looking at it.
            let name = name.into_raw();
            let take = |place: &AtomicPtr<c_char>| {
                let none = std::ptr::null_mut();
                place.compare_exchange(none, name, Ordering::SeqCst, Ordering::SeqCst).is_ok()
            };
            let _ = PATHS.iter().any(take);
        }
    }

    pub(super) fn remove(path: &Path) {
        for place in &PATHS {
            let name = place.load(Ordering::SeqCst);
            // SAFETY: what is in a place is a C string that is never freed.
            if !name.is_null() && unsafe { CStr::from_ptr(name) }.to_bytes() == path.as_os_str().as_bytes() {
                place.store(std::ptr::null_mut(), Ordering::SeqCst);
                return;
            }
        }
    }

    /// Deletes the files that this process is writing, for a handler of signals: it takes no lock and allocates nothing.
    pub fn unlink_partials() {
        for place in &PATHS {
            let name = place.load(Ordering::SeqCst);
            if !name.is_null() {
                // SAFETY: as above.
                let _ = rustix::fs::unlink(unsafe { CStr::from_ptr(name) });
            }
        }
    }
}

impl Partial {
    /// Begins a file that is to be called `name` in `folder`, and deletes what killed runs left of such files.
    pub(super) fn create(
        folder: &Path,
        name: &OsStr,
        permissions: Option<fs::Permissions>,
    ) -> io::Result<Self> {
        let mut prefix = OsString::from(".");
        prefix.push(shortened(name));
        prefix.push(".");
        sweep(folder, &prefix);
        let mut builder = tempfile::Builder::new();
        builder.prefix(&prefix).suffix(SUFFIX).rand_bytes(RANDOM);
        if let Some(permissions) = permissions {
            builder.permissions(permissions);
        }
        loop {
            // From before it is there until it is on the list, so that who leaves at once does not miss it.
            let mut list = lock(&OWN);
            let file = builder.tempfile_in(folder).map_err(plain)?;
            match file.as_file().try_lock() {
                // Another run looks at this very moment whether it is a leftover, and will delete it.
                Err(TryLockError::WouldBlock) => continue,
                // Before it was locked another run may have deleted it.
                Ok(()) if !file.path().exists() => continue,
                // Some file systems have no locks: leftovers stay there, for none of them can be locked either.
                Ok(()) | Err(TryLockError::Error(_)) => {}
            }
            let listed = Listed::on(&mut list, file.path().to_owned());
            return Ok(Self { file, listed });
        }
    }

    /// Where it lies for now.
    #[cfg(feature = "fetch")]
    pub(super) fn path(&self) -> &Path {
        self.file.path()
    }

    pub(super) fn as_file_mut(&mut self) -> &mut File {
        self.file.as_file_mut()
    }

    /// Gives the file its name without waiting until it is on disk: after a power failure it may be there and not be whole.
    pub(super) fn rename(self, target: &Path) -> io::Result<File> {
        let Self { file, listed } = self;
        let file = file.persist(target).map_err(|e| e.error)?;
        drop(listed);
        Ok(file)
    }

    /// Puts everything on disk and gives the file its name.
    pub(super) fn persist(self, target: &Path) -> io::Result<()> {
        let Self { file, listed } = self;
        file.as_file().sync_all()?;
        let kept = file.persist(target).map_err(|e| e.error);
        drop(listed);
        kept.map(|_| ())
    }
}

impl Write for Partial {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.as_file_mut().write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.file.as_file_mut().flush()
    }
}

/// An error without the name of a temporary file, which users did not choose.
fn plain(error: io::Error) -> io::Error {
    let cause = error.get_ref().and_then(std::error::Error::source);
    let code = cause.and_then(|cause| cause.downcast_ref::<io::Error>()?.raw_os_error());
    code.map_or(error, io::Error::from_raw_os_error)
}

/// A name that leaves room for what temporary files add to it: most file systems have 255 bytes for a name.
#[cfg(unix)]
fn shortened(name: &OsStr) -> &OsStr {
    use std::os::unix::ffi::OsStrExt;
    OsStr::from_bytes(&name.as_bytes()[..name.len().min(200)])
}

#[cfg(not(unix))]
fn shortened(name: &OsStr) -> &OsStr {
    name
}

/// Deletes temporary files with this beginning that no process is writing.
fn sweep(folder: &Path, prefix: &OsStr) {
    let ours = |name: &OsString| {
        let middle = name.as_encoded_bytes().strip_prefix(prefix.as_encoded_bytes());
        let middle = middle.and_then(|rest| rest.strip_suffix(SUFFIX.as_bytes()));
        middle.is_some_and(|middle| middle.len() == RANDOM && middle.iter().all(u8::is_ascii_alphanumeric))
    };
    let mut found = lock(&FOUND);
    let found = found.get_or_insert_default().entry(folder.to_owned()).or_insert_with(|| listed(folder));
    let (left, others) = std::mem::take(found).into_iter().partition(ours);
    *found = others;
    let left: Vec<OsString> = left;
    for name in left {
        let path = folder.join(name);
        // One that cannot be opened for writing is not ours to delete.
        let Ok(file) = File::options().write(true).open(&path) else { continue };
        if file.try_lock().is_ok() {
            let _ = fs::remove_file(&path);
        }
    }
}

/// The names of all temporary files in a folder.
fn listed(folder: &Path) -> Vec<OsString> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let names = entries.filter_map(|entry| Some(entry.ok()?.file_name()));
    names.filter(|name| name.as_encoded_bytes().ends_with(SUFFIX.as_bytes())).collect()
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
    fn leftovers_go_and_what_is_being_written_stays() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let others =
            [".out.bin.abc.partial", ".out.bin.old.abcdef.partial", ".out.partial", "out.bin.abcdef.partial"];
        for name in others {
            fs::write(at(name), "").unwrap();
        }
        fs::write(at(".out.bin.abcdef.partial"), "left").unwrap();
        fs::write(at(".out.bin.ABC123.partial"), "busy").unwrap();
        let busy = File::open(at(".out.bin.ABC123.partial")).unwrap();
        busy.lock().unwrap();
        let partial = Partial::create(folder.path(), OsStr::new("out.bin"), None).unwrap();
        let mine = partial.file.path().file_name().unwrap().to_string_lossy().into_owned();
        let mut expected: Vec<String> = others.iter().map(ToString::to_string).collect();
        expected.extend([".out.bin.ABC123.partial".into(), mine]);
        expected.sort();
        assert_eq!(names(folder.path()), expected);
        // A second one of this process leaves the first.
        let second = Partial::create(folder.path(), OsStr::new("out.bin"), None).unwrap();
        assert_eq!(names(folder.path()).len(), expected.len() + 1);
        drop((partial, second));
        assert_eq!(names(folder.path()).len(), expected.len() - 1);
    }

    #[test]
    fn a_process_that_leaves_takes_its_files_along() {
        let folder = tempfile::tempdir().unwrap();
        let kept = Partial::create(folder.path(), OsStr::new("kept"), None).unwrap();
        kept.persist(&folder.path().join("kept")).unwrap();
        let partial = Partial::create(folder.path(), OsStr::new("lost"), None).unwrap();
        // Other tests of this process are writing as well, so only the list is looked at.
        let own = lock(&OWN).clone();
        assert!(own.contains(partial.file.path()));
        assert!(!own.iter().any(|path| path.to_string_lossy().contains(".kept.")));
    }
}
