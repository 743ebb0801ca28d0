//! Folders that are filled under another name and then take the place of what was there, whenever a process is killed.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::path::Path;
use tempfile::TempDir;

/// The file that is locked as long as a folder is being filled: without a holder, the folder is left over. Readers of all parquet
/// files of a folder skip names that begin so.
pub(super) const LOCK: &str = "_lock";
/// The same before it is locked.
const EARLY: &str = "_lock.new";
/// How the names of folders that are being filled end.
const SUFFIX: &str = ".partial";
/// How those end where something stands that was moved out of the way; they are never swept.
const ASIDE: &str = ".old";

/// A folder that is being filled; deleted unless it is put somewhere.
#[derive(Debug)]
pub(super) struct Filling {
    folder: TempDir,
    lock: File,
}

impl Filling {
    /// An empty one next to the target. Deletes what killed processes left of others.
    pub(super) fn create(target: &Path) -> io::Result<Self> {
        let prefix = prefix(target);
        sweep(parent(target), &prefix);
        let mut builder = tempfile::Builder::new();
        builder.prefix(&prefix).suffix(SUFFIX);
        #[cfg(unix)]
        {
            // As any other program would create it, not the 0700 of a temporary folder.
            use std::os::unix::fs::PermissionsExt;
            builder.permissions(fs::Permissions::from_mode(0o777));
        }
        let folder = builder.tempdir_in(parent(target))?;
        let early = folder.path().join(EARLY);
        let lock = File::create(&early)?;
        // Some file systems have no locks: leftovers stay there.
        let _ = lock.try_lock();
        // Only now, as others would take it for left over while it is not locked.
        fs::rename(early, folder.path().join(LOCK))?;
        Ok(Self { folder, lock })
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Puts it in the place of the target, which goes. Where the system can exchange two folders, one of them is there at any time.
    pub(super) fn put(self, target: &Path) -> io::Result<()> {
        let Self { folder, lock } = self;
        let lock = if cfg!(windows) {
            // Folders with open files in them are not renamed there.
            fs::remove_file(folder.path().join(LOCK))?;
            drop(lock);
            None
        } else {
            // Until it has another name, as it would be swept otherwise.
            Some(lock)
        };
        let put = replace(folder, target);
        let _ = fs::remove_file(target.join(LOCK));
        drop(lock);
        put
    }
}

fn replace(folder: TempDir, target: &Path) -> io::Result<()> {
    if target.is_dir() {
        if !target.is_symlink() {
            // What is exchanged for the new folder is left over if this process is killed before it has deleted it.
            let _ = File::create(target.join(LOCK));
        }
        if exchange(folder.path(), target).is_ok() {
            return Ok(());
        }
        move_aside(folder.path(), target)?;
    } else {
        fs::rename(folder.path(), target)?;
    }
    let _ = folder.keep();
    Ok(())
}

#[cfg(any(target_os = "linux", target_os = "macos"))]
fn exchange(a: &Path, b: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    Ok(renameat_with(CWD, a, CWD, b, RenameFlags::EXCHANGE)?)
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn exchange(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Replaces the target where there is no exchange: between two renames nothing is there. What was there is deleted only when the new one is
/// in its place.
fn move_aside(new: &Path, target: &Path) -> io::Result<()> {
    let mut builder = tempfile::Builder::new();
    let old = builder.prefix(&prefix(target)).suffix(ASIDE).tempdir_in(parent(target))?;
    let aside = old.path().join("old");
    fs::rename(target, &aside)?;
    let Err(problem) = fs::rename(new, target) else { return Ok(()) };
    if fs::rename(&aside, target).is_ok() {
        return Err(problem);
    }
    let _ = old.keep();
    let told = format!("{problem}; what was there is now {}", aside.display());
    Err(io::Error::new(problem.kind(), told))
}

/// The folder that a path is in.
pub(super) fn parent(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// How the names of temporary folders of a target begin.
fn prefix(target: &Path) -> OsString {
    let mut prefix = OsString::from(".");
    prefix.push(target.file_name().unwrap_or_default());
    prefix.push(".");
    prefix
}

/// Deletes temporary folders with this beginning that no process is filling.
fn sweep(folder: &Path, prefix: &OsStr) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for name in entries.filter_map(|entry| Some(entry.ok()?.file_name())) {
        let bytes = name.as_encoded_bytes();
        if bytes.starts_with(prefix.as_encoded_bytes()) && bytes.ends_with(SUFFIX.as_bytes()) {
            let left = folder.join(&name);
            let path = left.join(LOCK);
            let lock = File::options().write(true).open(&path);
            // Who finishes a folder lets go of the lock after the file, or the whole folder, is no longer here.
            if lock.is_ok_and(|lock| lock.try_lock().is_ok() && path.exists()) {
                let _ = fs::remove_dir_all(left);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, Ordering};

    /// Puts folders in a target's place again and again while someone else does something.
    fn meanwhile(target: &Path, rounds: usize, other: impl Fn() + Send + Sync) {
        let (stop, started) = (AtomicBool::new(false), AtomicBool::new(false));
        std::thread::scope(|scope| {
            let others = scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    other();
                    started.store(true, Ordering::Relaxed);
                }
            });
            while !started.load(Ordering::Relaxed) && !others.is_finished() {
                std::thread::yield_now();
            }
            let put = |round: usize| {
                let filling = Filling::create(target)?;
                fs::write(filling.path().join("part"), round.to_string())?;
                filling.put(target)?;
                fs::read_to_string(target.join("part"))
            };
            let failed = (0..rounds).find_map(|round| match put(round) {
                Ok(text) if text == round.to_string() => None,
                other => Some(format!("round {round}: {other:?}")),
            });
            stop.store(true, Ordering::Relaxed);
            others.join().unwrap();
            assert_eq!(failed, None);
        });
    }

    #[test]
    fn folders_being_filled_or_finished_are_not_swept() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("parts");
        meanwhile(&target, 400, || sweep(folder.path(), &prefix(&target)));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        assert_eq!(fs::read_dir(&target).unwrap().count(), 1);
    }

    #[test]
    #[cfg(any(target_os = "linux", target_os = "macos"))]
    fn there_is_always_one() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("parts");
        fs::create_dir(&target).unwrap();
        fs::create_dir(folder.path().join("other")).unwrap();
        if exchange(&target, &folder.path().join("other")).is_err() {
            eprintln!("SKIPPED: this file system exchanges no folders");
            return;
        }
        meanwhile(&target, 400, || assert!(target.is_dir()));
    }

    #[test]
    fn what_was_moved_aside_comes_back() {
        let folder = tempfile::tempdir().unwrap();
        let (target, new) = (folder.path().join("parts"), folder.path().join("new"));
        fs::create_dir(&target).unwrap();
        fs::write(target.join("part"), "old").unwrap();
        move_aside(&new, &target).unwrap_err();
        assert_eq!(fs::read(target.join("part")).unwrap(), b"old");
        fs::create_dir(&new).unwrap();
        move_aside(&new, &target).unwrap();
        assert_eq!(fs::read_dir(&target).unwrap().count(), 0);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn killed_processes_leave_what_the_next_one_deletes() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("parts");
        fs::create_dir(&target).unwrap();
        // As if killed after the exchange: the old folder has the mark, and no process holds it.
        let left = folder.path().join(".parts.abcdef.partial");
        fs::create_dir(&left).unwrap();
        fs::write(left.join(LOCK), "").unwrap();
        fs::write(target.join(LOCK), "").unwrap();
        Filling::create(&target).unwrap().put(&target).unwrap();
        assert!(!left.exists());
        assert_eq!(fs::read_dir(&target).unwrap().count(), 0);
    }
}
