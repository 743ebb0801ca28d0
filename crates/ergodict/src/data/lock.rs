//! A lock that one process at a time holds.

use super::partial::Listed;
use crate::{Error, Result};
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

/// A lock file, locked until it is dropped or the process ends, and deleted when it is dropped.
#[derive(Debug)]
pub(crate) struct Lock {
    path: PathBuf,
    /// The file, deleted also when the process leaves at once; none once it is abandoned.
    file: Option<(File, Listed)>,
    held: bool,
}

impl Lock {
    /// Locks the file `path`, which is created; `user` is what the lock protects.
    ///
    /// # Errors
    /// [`Error::Busy`] when another process holds it; [`Error::Io`].
    pub(crate) fn acquire(path: PathBuf, user: &Path) -> Result<Self> {
        loop {
            let file = File::options().write(true).create(true).truncate(false).open(&path);
            let file = file.map_err(Error::io(&path))?;
            match file.try_lock() {
                Err(TryLockError::WouldBlock) => return Err(Error::Busy { path: user.to_owned() }),
                // Some file systems have no locks.
                Err(TryLockError::Error(_)) => return Ok(Self::new(path, file, false)),
                // Between opening and locking, whoever held it may have deleted it.
                Ok(()) if !is_at(&file, &path) => {}
                Ok(()) => return Ok(Self::new(path, file, true)),
            }
        }
    }

    fn new(path: PathBuf, file: File, held: bool) -> Self {
        let listed = Listed::new(path.clone());
        Self { path, file: Some((file, listed)), held }
    }

    /// Closes the file and leaves it locked, in a forked child: the lock is the parent's.
    pub(crate) fn abandon(&mut self) {
        self.file = None;
    }

    /// Whether others are kept out: not on file systems without locks.
    pub(crate) fn is_held(&self) -> bool {
        self.held
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        let Some((file, _)) = &self.file else { return };
        // While it is locked, so that no process locks a file that is then deleted.
        let _ = fs::remove_file(&self.path);
        let _ = file.unlock();
    }
}

/// Whether the open file is the one at `path`.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let identity = |meta: fs::Metadata| (meta.dev(), meta.ino());
    file.metadata().map(identity).ok() == fs::metadata(path).map(identity).ok()
}

#[cfg(not(unix))]
fn is_at(_file: &File, path: &Path) -> bool {
    path.exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_at_a_time_and_nothing_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let (path, user) = (folder.path().join("x.lock"), folder.path().join("x"));
        let first = Lock::acquire(path.clone(), &user).unwrap();
        assert!(first.is_held());
        let second = Lock::acquire(path.clone(), &user).unwrap_err();
        assert!(matches!(second, Error::Busy { path } if path == user));
        drop(first);
        assert!(!path.exists());
        // What a killed process left is no obstacle.
        fs::write(&path, b"").unwrap();
        drop(Lock::acquire(path.clone(), &user).unwrap());
        assert!(!path.exists());
    }

    #[test]
    fn threads_that_compete_never_hold_it_together() {
        use std::sync::atomic::{AtomicUsize, Ordering};
        let folder = tempfile::tempdir().unwrap();
        let (path, inside) = (folder.path().join("x.lock"), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..300 {
                        if let Ok(lock) = Lock::acquire(path.clone(), &path) {
                            assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                            std::thread::yield_now();
                            inside.fetch_sub(1, Ordering::SeqCst);
                            drop(lock);
                        }
                    }
                });
            }
        });
    }
}
