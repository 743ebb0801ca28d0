//! The checkpoint of a run: one sealed file, locked while it is in use, with the spools next to it.
//!
//! ```text
//!  magic │ format u32 │ header length u64 │ header, JSON │ sections, one after the other │ BLAKE3 of all before it
//! ```
//!
//! The header has the command, its settings, inputs and seed, the names and lengths of the sections, and names, lengths and digests of
//! the spools. The file is replaced whole. `PATH.lock` is locked from before the first read until the checkpoint is dropped.

mod sections;
mod spool;
#[cfg(test)]
mod tests;

pub use sections::Sections;
pub use spool::Spool;

use crate::data::{Lock, sync_folder, write_atomic};
use crate::model::Input;
use crate::{Error, Result};
use sections::Content;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fs::{self, File};
use std::io::{BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

const MAGIC: &[u8; 16] = b"ergodict-state\r\n";
/// The version of the format.
const FORMAT: u32 = 2;
/// Bytes before the header, and of the digest at the end.
const PREFIX: u64 = MAGIC.len() as u64 + 4 + 8;
const DIGEST: u64 = 32;
/// Bytes read at a time.
const BLOCK: usize = 1 << 16;
/// Time between two checkpoints, by default.
const INTERVAL: Duration = Duration::from_secs(30);

/// What can be saved to a checkpoint and continued from it.
///
/// ```
/// use ergodict::run::{Resumable, Sections};
/// #[derive(Default)]
/// struct Counter(u64);
/// impl Resumable for Counter {
///     fn save(&self, to: &mut Sections) -> ergodict::Result<()> {
///         to.put_json("counter", &self.0)
///     }
///     fn restore(&mut self, from: &Sections) -> ergodict::Result<()> {
///         self.0 = from.json("counter")?;
///         Ok(())
///     }
/// }
/// let (mut sections, mut resumed) = (Sections::default(), Counter::default());
/// Counter(7).save(&mut sections)?;
/// resumed.restore(&sections)?;
/// assert_eq!(resumed.0, 7);
/// # Ok::<(), ergodict::Error>(())
/// ```
pub trait Resumable {
    /// Adds its state.
    ///
    /// # Errors
    /// [`Error::Io`] of a temporary file.
    fn save(&self, to: &mut Sections) -> Result<()>;

    /// Returns to a saved state of the same run.
    ///
    /// # Errors
    /// [`Error::Format`] for a state that does not fit. What it was before is lost.
    fn restore(&mut self, from: &Sections) -> Result<()>;
}

/// The run that a checkpoint belongs to: only the same continues from it.
///
/// ```
/// use ergodict::run::Identity;
/// let settings = serde_json::json!({ "steps": 10 });
/// let run = Identity { command: "network sample".into(), settings, inputs: Vec::new(), seed: 0 };
/// assert_eq!(run.settings["steps"], 10);
/// ```
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Identity {
    /// The command or estimator.
    pub command: String,
    /// All settings that determine the result, by name.
    pub settings: Value,
    /// The files read.
    pub inputs: Vec<Input>,
    /// The seed.
    pub seed: u64,
}

impl Identity {
    /// Refuses a checkpoint of another run.
    fn check(&self, path: &Path, now: &Self) -> Result<()> {
        let other = |key: &str, then: String, now: String| {
            Err(Error::OtherRun { path: path.to_owned(), key: key.to_owned(), then, now })
        };
        if self.command != now.command {
            return other("the command", self.command.clone(), now.command.clone());
        }
        if let Some((key, then, now)) = difference(&self.settings, &now.settings) {
            return other(&key, then.to_string(), now.to_string());
        }
        if self.seed != now.seed {
            return other("seed", self.seed.to_string(), now.seed.to_string());
        }
        if self.inputs.len() != now.inputs.len() {
            return other(
                "the number of inputs",
                self.inputs.len().to_string(),
                now.inputs.len().to_string(),
            );
        }
        let mut inputs = self.inputs.iter().zip(&now.inputs);
        // Only a file is identified by its digest alone: what is embedded, or given by a program, also by its name.
        let of_file = |input: &Input| input.digest.starts_with("blake3:");
        let differs =
            |then: &Input, now: &Input| then.digest != now.digest || !of_file(now) && then.name != now.name;
        if let Some((then, now)) = inputs.find(|(then, now)| differs(then, now)) {
            let problem = format!(
                "is of other data: {} has changed since, or is another file than {}",
                now.name, then.name
            );
            return Err(Error::format(path, None, problem));
        }
        Ok(())
    }
}

/// The first setting that differs, with its values.
fn difference(then: &Value, now: &Value) -> Option<(String, Value, Value)> {
    let keys = |value: &Value| value.as_object().map(|o| o.keys().cloned().collect()).unwrap_or_default();
    let mut all: Vec<String> = keys(then);
    all.extend(keys(now));
    let key = all.into_iter().find(|key| then.get(key) != now.get(key))?;
    let value = |from: &Value| from.get(&key).cloned().unwrap_or(Value::Null);
    let (then, now) = (value(then), value(now));
    Some((key, then, now))
}

#[derive(Serialize, Deserialize)]
struct Header {
    version: String,
    #[serde(flatten)]
    identity: Identity,
    /// Names and lengths.
    sections: Vec<(String, u64)>,
    spools: Vec<SpoolRecord>,
}

/// A spool as the checkpoint has it.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct SpoolRecord {
    name: String,
    length: u64,
    digest: String,
}

/// The checkpoint of a run, which no other process can use meanwhile.
///
/// Dropped, it stays on disk for another time; [`Checkpoint::remove`] deletes it when all is done.
///
/// ```
/// use ergodict::{Error, run::{Checkpoint, Identity, Sections}};
/// # let folder = std::env::temp_dir().join(format!("ergodict-checkpoint-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder).unwrap();
/// let path = folder.join("state");
/// let settings = |steps| serde_json::json!({ "steps": steps });
/// let run = |steps| Identity { command: "example".into(), settings: settings(steps), inputs: Vec::new(), seed: 0 };
/// let (mut checkpoint, nothing) = Checkpoint::open(&path, false, &run(10))?;
/// assert!(nothing.is_none());
/// // No one else uses it meanwhile.
/// assert!(matches!(Checkpoint::open(&path, true, &run(10)), Err(Error::Busy { .. })));
/// let mut sections = checkpoint.sections();
/// sections.put_json("step", &3)?;
/// checkpoint.save(&sections)?;
/// drop(checkpoint);
/// // Another run does not continue from it.
/// assert!(matches!(Checkpoint::open(&path, true, &run(11)), Err(Error::OtherRun { .. })));
/// let (checkpoint, sections) = Checkpoint::open(&path, true, &run(10))?;
/// assert_eq!(sections.unwrap().json::<u64>("step")?, 3);
/// checkpoint.remove()?;
/// # std::fs::remove_dir_all(&folder).unwrap();
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Debug)]
pub struct Checkpoint {
    path: PathBuf,
    identity: Identity,
    interval: Duration,
    /// Whether there is a file.
    saved: bool,
    /// What it had when it was opened: states of jobs that do not exist yet are kept.
    found: Sections,
    /// Spools of the file that have not been opened yet.
    records: Vec<SpoolRecord>,
    spools: Vec<Spool>,
    lock: Lock,
}

impl Checkpoint {
    /// The checkpoint at `path` of the run that `identity` describes, with what was saved; nothing where there is none yet.
    ///
    /// # Errors
    /// [`Error::Busy`] when another process uses it; [`Error::Exists`] when there is one, without `resume`; [`Error::OtherRun`] for one
    /// with other settings, [`Error::Format`] for one of other data, or a damaged one; [`Error::Io`].
    pub fn open(path: &Path, resume: bool, identity: &Identity) -> Result<(Self, Option<Sections>)> {
        // One lock for a file, whatever links lead to it.
        let path = &std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let lock = Lock::acquire(beside(path, "lock"), path)?;
        let mut checkpoint = Self {
            path: path.to_owned(),
            identity: identity.clone(),
            interval: INTERVAL,
            saved: false,
            found: Sections::default(),
            records: Vec::new(),
            spools: Vec::new(),
            lock,
        };
        if !path.exists() {
            return Ok((checkpoint, None));
        }
        // It is not ours to clean up until it is known to be.
        checkpoint.saved = true;
        if !resume {
            return Err(Error::Exists { path: path.to_owned() });
        }
        let (header, sections) = read(path)?;
        header.identity.check(path, identity)?;
        checkpoint.records = header.spools;
        checkpoint.found = sections.clone();
        Ok((checkpoint, Some(sections)))
    }

    /// The checkpoint at `path` of a run from its beginning, in the place of what is there.
    ///
    /// # Errors
    /// [`Error::Busy`] when another process uses it; [`Error::Io`].
    pub fn replace(path: &Path, identity: &Identity) -> Result<Self> {
        let path = &std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let lock = Lock::acquire(beside(path, "lock"), path)?;
        Ok(Self {
            path: path.to_owned(),
            identity: identity.clone(),
            interval: INTERVAL,
            saved: path.exists(),
            found: Sections::default(),
            records: Vec::new(),
            spools: Vec::new(),
            lock,
        })
    }

    /// Closes it without a change, in a forked child: the lock is the parent's, and stays.
    ///
    /// ```
    /// # use ergodict::{Error, run::{Checkpoint, Identity}};
    /// # let folder = std::env::temp_dir().join(format!("ergodict-abandon-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder).unwrap();
    /// # let run = Identity { command: "example".into(), settings: "".into(), inputs: Vec::new(), seed: 0 };
    /// let (checkpoint, _) = Checkpoint::open(&folder.join("state"), false, &run)?;
    /// checkpoint.abandon();
    /// assert!(folder.join("state.lock").exists());
    /// # std::fs::remove_dir_all(&folder).unwrap();
    /// # Ok::<(), ergodict::Error>(())
    /// ```
    pub fn abandon(mut self) {
        self.lock.abandon();
        // Nor are spools deleted.
        self.saved = true;
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether there is anything to resume from on disk.
    #[cfg(test)]
    pub(crate) fn is_saved(&self) -> bool {
        self.saved
    }

    /// Whether others are kept out: not on file systems without locks.
    pub(crate) fn is_locked(&self) -> bool {
        self.lock.is_held()
    }

    /// Sets the time between two checkpoints, 30 seconds by default.
    pub fn set_interval(&mut self, interval: Duration) {
        self.interval = interval;
    }

    /// Time between two checkpoints.
    pub(crate) fn interval(&self) -> Duration {
        self.interval
    }

    /// What it had when it was opened.
    pub(crate) fn found(&self) -> &Sections {
        &self.found
    }

    /// Room for a state: large sections go to a file next to the checkpoint.
    pub fn sections(&self) -> Sections {
        Sections::beside(&self.path)
    }

    /// Replaces the file; what was there stays when it fails. Spools are on disk before.
    ///
    /// # Errors
    /// [`Error::Io`], and what [`write_atomic`] refuses.
    pub fn save(&mut self, sections: &Sections) -> Result<()> {
        let mut spools = self.records.clone();
        for spool in &self.spools {
            let (length, digest) = spool.sync()?;
            spools.push(SpoolRecord { name: spool.name(), length, digest });
        }
        let header = Header {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            identity: self.identity.clone(),
            sections: sections.lengths(),
            spools,
        };
        let header = serde_json::to_vec(&header).map_err(|e| Error::io(&self.path)(e.into()))?;
        write_atomic(&self.path, |file| {
            let mut sealed = Sealed { file, hash: blake3::Hasher::new() };
            let mut write = |bytes: &[u8]| sealed.write_all(bytes).map_err(Error::io(&self.path));
            write(MAGIC)?;
            write(&FORMAT.to_le_bytes())?;
            write(&(header.len() as u64).to_le_bytes())?;
            write(&header)?;
            for mut section in sections.readers() {
                std::io::copy(&mut section, &mut sealed).map_err(Error::io(&self.path))?;
            }
            let digest = sealed.hash.finalize();
            sealed.file.write_all(digest.as_bytes()).map_err(Error::io(&self.path))
        })?;
        self.saved = true;
        Ok(())
    }

    /// A file next to the checkpoint that only grows, for what is too large to be written each time; the checkpoint's lock covers it, and
    /// [`Checkpoint::save`] notes its length and digest. After a resumption it holds what it held when the checkpoint was saved; it may have
    /// become the output `out` since.
    ///
    /// # Errors
    /// [`Error::Format`] when the file is not the one that was written; [`Error::Io`].
    pub fn spool(&mut self, name: &str, out: Option<&Path>) -> Result<Spool> {
        let path = Self::spool_path(&self.path, name);
        let spool = match self.records.iter().position(|record| record.name == name) {
            Some(at) => {
                let spool = Spool::reopen(path, &self.records[at], out)?;
                self.records.remove(at);
                spool
            }
            None => Spool::create(path, name)?,
        };
        self.spools.push(spool.clone());
        Ok(spool)
    }

    /// Where the spool `name` of the checkpoint at `path` is.
    pub fn spool_path(path: &Path, name: &str) -> PathBuf {
        beside(path, name)
    }

    /// Deletes the file and its spools.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn remove(mut self) -> Result<()> {
        if self.saved {
            fs::remove_file(&self.path).map_err(Error::io(&self.path))?;
            self.saved = false;
            sync_folder(&self.path);
        }
        for record in std::mem::take(&mut self.records) {
            let _ = fs::remove_file(Self::spool_path(&self.path, &record.name));
        }
        // The rest goes when it is dropped.
        Ok(())
    }
}

impl Drop for Checkpoint {
    fn drop(&mut self) {
        // Without the file nothing can continue from spools.
        if !self.saved {
            self.spools.iter().for_each(Spool::delete);
        }
    }
}

/// `state` and `lock` give `state.lock`.
fn beside(path: &Path, name: &str) -> PathBuf {
    let mut whole = path.as_os_str().to_owned();
    whole.push(".");
    whole.push(name);
    whole.into()
}

/// A file and the digest of all that was written to it.
struct Sealed<'a> {
    file: &'a mut (dyn Write + Send),
    hash: blake3::Hasher,
}

impl Write for Sealed<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.hash.update(&bytes[..written]);
        Ok(written)
    }
    fn flush(&mut self) -> std::io::Result<()> {
        self.file.flush()
    }
}

/// Reads a checkpoint, after its digest is found to be right.
fn read(path: &Path) -> Result<(Header, Sections)> {
    let bad = |problem: &str| Error::format(path, None, problem);
    let damaged =
        || bad("damaged checkpoint: its contents do not match its checksum; delete it to start again");
    let file = File::open(path).map_err(Error::io(path))?;
    let length = file.metadata().map_err(Error::io(path))?.len();
    let mut reader = BufReader::with_capacity(BLOCK, &file);
    let mut prefix = [0; PREFIX as usize];
    let (magic, format) = match reader.read_exact(&mut prefix) {
        Ok(()) => (&prefix[..MAGIC.len()], u32::from_le_bytes(sections::array(&prefix[MAGIC.len()..]))),
        Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => (&prefix[..0], 0),
        Err(error) => return Err(Error::io(path)(error)),
    };
    if magic != MAGIC {
        return Err(bad("is not a checkpoint"));
    }
    let mut hash = blake3::Hasher::new();
    hash.update(&prefix);
    let mut left = length.checked_sub(PREFIX + DIGEST).ok_or_else(damaged)?;
    let mut block = vec![0; BLOCK];
    while left > 0 {
        let part = &mut block[..left.min(BLOCK as u64) as usize];
        reader.read_exact(part).map_err(|_| damaged())?;
        hash.update(part);
        left -= part.len() as u64;
    }
    let mut digest = [0; DIGEST as usize];
    reader.read_exact(&mut digest).map_err(|_| damaged())?;
    if hash.finalize() != digest {
        return Err(damaged());
    }
    if format != FORMAT {
        return Err(bad(&format!(
            "has checkpoint format {format}, and this version of ergodict reads {FORMAT}"
        )));
    }
    drop(reader);
    let end = length - DIGEST;
    let content = |start: u64, length: u64| {
        let stop = start.checked_add(length).filter(|&stop| stop <= end).ok_or_else(damaged)?;
        Ok::<_, Error>((
            Content::File { file: Arc::new(file.try_clone().map_err(Error::io(path))?), start, length },
            stop,
        ))
    };
    let header_length = u64::from_le_bytes(sections::array(&prefix[MAGIC.len() + 4..]));
    let (header, mut start) = content(PREFIX, header_length)?;
    let header: Header = serde_json::from_reader(BufReader::new(header.reader())).map_err(|_| damaged())?;
    let mut sections = Sections::beside(path);
    for (name, length) in &header.sections {
        let (section, stop) = content(start, *length)?;
        sections.insert(name, section.into_memory(path)?);
        start = stop;
    }
    if start != end {
        return Err(damaged());
    }
    Ok((header, sections))
}
