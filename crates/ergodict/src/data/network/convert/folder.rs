//! The folder next to an output that keeps what a conversion has sorted, so that one that was interrupted can go on.
//!
//! `forward` and `backward` are the sorted runs; `runs.jsonl` has a line for the conversion and one for each run that is whole, in the
//! order in which they were finished, each with its digest. What a killed process left half-written follows the last line and is cut off.

use super::sort::Run;
use super::spool::Spool;
use crate::data::{Lock, sealed_line};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// The form of the files, which another version may change.
const VERSION: u32 = 2;
const LIST: &str = "runs.jsonl";
const FILES: [&str; 2] = ["forward", "backward"];
/// Bytes that are checked at a time.
const BLOCK: usize = 1 << 16;

/// What was converted, and how: only the same goes on.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(in crate::data::network) struct Head {
    version: u32,
    /// Bytes of the input, and when it was written, in nanoseconds.
    bytes: u64,
    modified: u128,
    /// What was asked for.
    options: String,
    /// Whether nodes were numbered because not all of their names are integers below 2³².
    pub(in crate::data::network) named: bool,
}

impl Head {
    /// Of an input that is a file.
    pub(in crate::data::network) fn from_file(input: &Path, options: String) -> Result<Self> {
        let meta = fs::metadata(input).map_err(Error::io(input))?;
        let since = meta.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let modified = since.map_or(0, |since| since.as_nanos());
        Ok(Self { version: VERSION, bytes: meta.len(), modified, options, named: false })
    }
}

/// A run as the list has it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(in crate::data::network) struct RunRecord {
    /// Edges of the input up to its end.
    pub(in crate::data::network) edges: u64,
    /// Where it ends in both files.
    pub(in crate::data::network) end: u64,
    digests: [String; 2],
}

/// The folder.
pub(in crate::data::network) struct Folder {
    path: PathBuf,
    pub(in crate::data::network) head: Head,
    pub(in crate::data::network) runs: Vec<RunRecord>,
    list: File,
    /// Held while this process writes.
    _lock: Lock,
}

impl Folder {
    /// Where it is.
    pub(in crate::data::network) fn beside(out: &Path) -> PathBuf {
        let mut name = OsString::from(out);
        name.push(".converting");
        name.into()
    }

    /// Starts from the beginning; what is there is deleted.
    pub(in crate::data::network) fn create(out: &Path, head: &Head) -> Result<Self> {
        let path = Self::beside(out);
        let io = || Error::io(&path);
        match fs::create_dir(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            other => other.map_err(io())?,
        }
        let lock = lock(&path)?;
        let list = open_list(&path)?;
        list.set_len(0).map_err(io())?;
        let mut folder = Self { path, head: head.clone(), runs: Vec::new(), list, _lock: lock };
        folder.say(&folder.head.clone())?;
        Ok(folder)
    }

    /// What was left of the same conversion; none where there is nothing.
    ///
    /// # Errors
    /// [`Error::Format`] for what was left of another one.
    pub(in crate::data::network) fn open(out: &Path, wanted: &Head) -> Result<Option<Self>> {
        let path = Self::beside(out);
        if !path.exists() {
            return Ok(None);
        }
        let lock = lock(&path)?;
        let mut list = open_list(&path)?;
        let bad = |problem: &str| {
            let problem = format!("{problem}: delete the folder to start over");
            Err(Error::format(&path, None, problem))
        };
        let mut text = Vec::new();
        list.read_to_end(&mut text).map_err(Error::io(&path))?;
        let Ok(text) = String::from_utf8(text) else {
            return bad("has a list of runs that is damaged");
        };
        // A line that is not whole is the last one.
        let mut lines = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
        let Some(first) = lines.next() else {
            // It was killed before it wrote anything.
            drop((list, lock));
            return Self::create(out, wanted).map(Some);
        };
        let Some(head) = sealed_line::from_line::<Head>(first) else {
            return bad("is no folder of a conversion by this version");
        };
        if (head.bytes, head.modified) != (wanted.bytes, wanted.modified) {
            return bad("is of another input, or the input was changed since");
        }
        if head.version != wanted.version || head.options != wanted.options {
            return bad("is of a conversion with other flags");
        }
        let runs: Vec<RunRecord> = lines.clone().map_while(sealed_line::from_line).collect();
        let mut folder = Self { path, head, runs, list, _lock: lock };
        folder.drop_damaged();
        let length = first.len() + lines.take(folder.runs.len()).map(str::len).sum::<usize>();
        folder.list.set_len(length as u64).map_err(Error::io(&folder.path))?;
        Ok(Some(folder))
    }

    /// Leaves out the first run whose bytes are not those that were written, and all that follow.
    fn drop_damaged(&mut self) {
        let mut whole = self.runs.len();
        for (which, name) in FILES.iter().enumerate() {
            let Ok(file) = File::open(self.path.join(name)) else {
                whole = 0;
                break;
            };
            let (mut file, mut start, mut buffer) = (file, 0, vec![0; BLOCK]);
            for (at, run) in self.runs.iter().enumerate().take(whole) {
                let Some(mut left) = run.end.checked_sub(start) else {
                    whole = at;
                    break;
                };
                let mut hasher = blake3::Hasher::new();
                while left > 0 {
                    let part = &mut buffer[..left.min(BLOCK as u64) as usize];
                    if file.read_exact(part).is_err() {
                        break;
                    }
                    hasher.update(part);
                    left -= part.len() as u64;
                }
                if left > 0 || hasher.finalize().to_hex().as_str() != run.digests[which] {
                    whole = at;
                    break;
                }
                start = run.end;
            }
        }
        self.runs.truncate(whole);
    }

    fn say(&mut self, line: &impl Serialize) -> Result<()> {
        let io = || Error::io(&self.path);
        let line = sealed_line::to_line(line).map_err(|error| io()(error.into()))?;
        // At once, so that a line is there or not.
        self.list.write_all(format!("{line}\n").as_bytes()).map_err(io())
    }

    /// The files, after the runs that they hold.
    pub(in crate::data::network) fn spools(&self, limit: usize) -> Result<[Spool; 2]> {
        let end = self.runs.last().map_or(0, |run| run.end);
        let [one, two] = FILES.map(|name| Spool::named(&self.path.join(name), end, limit));
        Ok([one?, two?])
    }

    /// Notes that a run is whole.
    pub(in crate::data::network) fn add(&mut self, edges: u64, run: &Run) -> Result<()> {
        let digest =
            |digest: Option<blake3::Hash>| digest.map_or_else(String::new, |hash| hash.to_hex().to_string());
        let kept = RunRecord { edges, end: run.end, digests: run.digests.map(digest) };
        self.say(&kept)?;
        self.runs.push(kept);
        Ok(())
    }

    /// Deletes it. What else someone put there stays, and the folder then too.
    pub(in crate::data::network) fn remove(self) {
        for name in FILES.iter().chain([&LIST]) {
            let _ = fs::remove_file(self.path.join(name));
        }
        let _ = fs::remove_dir(&self.path);
    }
}

/// The error for sorted runs that a conversion to `out` cannot have left, although their digests are right.
#[cold]
pub(in crate::data::network) fn damaged(out: &Path) -> Error {
    let problem = "has sorted edges that are not of this input: it was damaged, and is deleted; start again";
    Error::format(&Folder::beside(out), None, problem)
}

/// Keeps other processes out.
fn lock(folder: &Path) -> Result<Lock> {
    let mut path = OsString::from(folder);
    path.push(".lock");
    Lock::acquire(path.into(), folder)
}

/// The list.
fn open_list(folder: &Path) -> Result<File> {
    let path = folder.join(LIST);
    File::options().read(true).append(true).create(true).open(&path).map_err(Error::io(&path))
}
