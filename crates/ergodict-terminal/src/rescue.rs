//! What to say when an output cannot be written: what is written, what is not, where the state is, and what to do.

use crate::paths::NamedPath;
use ergodict::Error;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

/// The outputs of this command.
static PLANNED: Mutex<Vec<PlannedOutput>> = Mutex::new(Vec::new());

struct PlannedOutput {
    flag: &'static str,
    path: PathBuf,
    /// What was there before the command wrote anything.
    before: Option<Stamp>,
}

/// Tells a file from the one that takes its name.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Stamp {
    modified: Option<SystemTime>,
    inode: u64,
}

impl Stamp {
    fn from_path(path: &Path) -> Option<Self> {
        let meta = path.metadata().ok()?;
        #[cfg(unix)]
        let inode = std::os::unix::fs::MetadataExt::ino(&meta);
        #[cfg(not(unix))]
        let inode = 0;
        Some(Self { modified: meta.modified().ok(), inode })
    }
}

fn planned() -> MutexGuard<'static, Vec<PlannedOutput>> {
    PLANNED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Remembers what is to be written.
pub fn plan(outputs: &[NamedPath<'_>]) {
    let new = outputs.iter().map(|&(flag, path)| PlannedOutput {
        flag,
        path: path.to_owned(),
        before: Stamp::from_path(path),
    });
    planned().extend(new);
}

/// What to add to an error, if it is one of writing.
pub fn advice(error: &anyhow::Error) -> String {
    let kind = error.chain().find_map(|cause| cause.downcast_ref::<io::Error>()).map(io::Error::kind);
    let place = error.chain().find_map(|cause| match cause.downcast_ref::<Error>() {
        Some(Error::Io { path, .. } | Error::Format { path, .. }) => Some(path.as_path()),
        _ => None,
    });
    let planned = planned();
    let ours = place.is_some_and(|place| planned.iter().any(|one| place.starts_with(&one.path)));
    let to_do = match kind {
        Some(ErrorKind::StorageFull | ErrorKind::QuotaExceeded) => ": make room, or write elsewhere",
        Some(ErrorKind::FileTooLarge) => ": larger files are not allowed here; write elsewhere",
        Some(ErrorKind::ReadOnlyFilesystem) => ": write to a folder with write permission",
        Some(ErrorKind::PermissionDenied) if ours => ": write to a folder with write permission",
        Some(ErrorKind::InvalidFilename) => ": choose a shorter name",
        _ => "",
    };
    if to_do.is_empty() && !ours {
        return String::new();
    }
    format!("{to_do}{}", account(&planned, place))
}

/// Which outputs are written and which are not, `failed` not; nothing before the first is.
fn account(planned: &[PlannedOutput], failed: Option<&Path>) -> String {
    // A state that is at fault itself cannot be resumed.
    let whole = |one: &PlannedOutput| one.path.is_file() && failed.is_none_or(|failed| failed != one.path);
    let state = planned.iter().find(|one| one.flag == "--checkpoint" && whole(one));
    let state = state.map_or_else(String::new, |one| {
        format!("; the state is in {}: the same command with --resume continues from it", one.path.display())
    });
    let outputs: Vec<&PlannedOutput> = planned.iter().filter(|one| one.flag != "--checkpoint").collect();
    // A folder of figures may be there, but not all that belongs into it.
    let failed = |one: &PlannedOutput| failed.is_some_and(|failed| failed.starts_with(&one.path));
    let is_new = |one: &PlannedOutput| Stamp::from_path(&one.path).is_some_and(|now| Some(now) != one.before);
    let (done, left): (Vec<&PlannedOutput>, Vec<&PlannedOutput>) =
        outputs.into_iter().partition(|one| is_new(one) && !failed(one));
    let names = |all: &[&PlannedOutput]| {
        let names: Vec<String> = all.iter().map(|one| one.path.display().to_string()).collect();
        names.join(", ")
    };
    if done.is_empty() || left.is_empty() {
        return state;
    }
    format!("; written: {}; not written: {}{state}", names(&done), names(&left))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_files_are_distinguished_from_existing_ones() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("old"), "old").unwrap();
        let planned = |flag: &'static str, name: &str| {
            let path = at(name);
            let before = Stamp::from_path(&path);
            PlannedOutput { flag, path, before }
        };
        let all = [planned("-o", "old"), planned("--report", "new"), planned("--checkpoint", "state")];
        assert_eq!(account(&all, None), "");
        ergodict::data::write_atomic(&at("old"), |_| Ok(())).unwrap();
        let (old, new) = (at("old").display().to_string(), at("new").display().to_string());
        assert_eq!(account(&all, None), format!("; written: {old}; not written: {new}"));
        std::fs::write(at("new"), "").unwrap();
        assert_eq!(account(&all, None), "");
        assert_eq!(account(&all, Some(&at("new"))), format!("; written: {old}; not written: {new}"));
        std::fs::write(at("state"), "").unwrap();
        assert!(account(&all, None).contains("--resume"));
    }

    #[test]
    fn errors_of_reading_have_no_such_advice() {
        let io = |kind: ErrorKind, path: &str| anyhow::Error::from(Error::io(Path::new(path))(kind.into()));
        assert_eq!(advice(&io(ErrorKind::NotFound, "some-input")), "");
        assert_eq!(advice(&io(ErrorKind::PermissionDenied, "some-input")), "");
        assert!(advice(&io(ErrorKind::StorageFull, "some-output")).contains("make room"));
    }
}
