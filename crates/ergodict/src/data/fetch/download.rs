//! Brings an original into a temporary file, whole or not at all: from a server, or from a file that was downloaded by hand.

use super::content::Hashed;
use super::http::{Client, io_in_words};
use super::{Fetch, Original};
use crate::data::partial::Partial;
use crate::{Error, Result};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

/// Bytes that are read at once.
const CHUNK: usize = 64 << 10;
/// A file beyond this is none of ours, the largest of which has 11 MB.
const MOST: u64 = 64 << 20;
/// Time between two looks at whether to stop.
const PULSE: Duration = Duration::from_millis(50);
/// The least rate, in bytes a second over this time: a server that sends less is as good as gone.
const LEAST_RATE: u64 = 100;
const RATED: Duration = Duration::from_secs(30);
/// Stands for a length that is not known.
const UNKNOWN: u64 = u64::MAX;

/// How far a download is.
///
/// ```
/// use ergodict::{Error, data::fetch::{Fetch, original}};
/// let path = std::env::temp_dir().join(format!("ergodict-fetching-{}.txt", std::process::id()));
/// std::fs::write(&path, "0 1\n").unwrap();
/// let fetch = Fetch { from: Some(path.display().to_string()), unchecked: true, ..Fetch::default() };
/// let mut seen = Vec::new();
/// let fetched = fetch.run(original("facebook")?, &mut |how_far| { seen.push(how_far.bytes); true });
/// assert!(fetched.is_ok() && seen.iter().all(|bytes| *bytes <= 4));
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Fetching {
    /// Bytes that are here.
    pub bytes: u64,
    /// Bytes in all, if the server sends it.
    pub total: Option<u64>,
}

/// An original that is here.
pub(super) struct Downloaded {
    pub(super) file: Landed,
    /// Where it came from.
    pub(super) from: String,
    pub(super) bytes: u64,
    pub(super) sha256: String,
}

/// Where it lies.
pub(super) enum Landed {
    /// Someone's file.
    There(PathBuf),
    /// Ours, which takes a name only if it is to be kept.
    Temporary(Partial, Option<PathBuf>),
}

impl Landed {
    pub(super) fn path(&self) -> &Path {
        match self {
            Self::There(path) => path,
            Self::Temporary(partial, _) => partial.path(),
        }
    }

    /// Gives it the name that it is kept by, if it is.
    pub(super) fn keep(self) -> Result<()> {
        match self {
            Self::Temporary(partial, Some(name)) => partial.persist(&name).map_err(Error::io(&name)),
            Self::Temporary(_, None) | Self::There(_) => Ok(()),
        }
    }
}

/// Brings an original here.
pub(super) fn get(
    fetch: &Fetch,
    original: &Original,
    seen: &mut dyn FnMut(Fetching) -> bool,
) -> Result<Downloaded> {
    let from = fetch.from.as_deref().unwrap_or(&original.url);
    if from.starts_with("http://") || from.starts_with("https://") {
        return over_the_network(fetch, original, from, seen);
    }
    if let Some((scheme, _)) = from.split_once("://") {
        let problem = format!("{scheme}:// is not understood: expected http://, https:// or a file");
        return Err(Error::Fetch { from: from.to_owned(), problem });
    }
    let path = Path::new(from);
    let path = if path.is_dir() { path.join(original.file_name()) } else { path.to_owned() };
    let mut file = File::open(&path).map_err(Error::io(&path))?;
    let mut hashed = Hashed::default();
    let bytes = std::io::copy(&mut file, &mut hashed).map_err(Error::io(&path))?;
    let from = path.display().to_string();
    Ok(Downloaded { file: Landed::There(path), from, bytes, sha256: hashed.digits() })
}

fn over_the_network(
    fetch: &Fetch,
    original: &Original,
    url: &str,
    seen: &mut dyn FnMut(Fetching) -> bool,
) -> Result<Downloaded> {
    let failed = |problem| Error::Fetch { from: url.to_owned(), problem };
    let name = OsStr::new(original.file_name());
    let folder = fetch.keep.clone().unwrap_or_else(std::env::temp_dir);
    // As any other program would create it, where it is kept, not the 0600 of a temporary file.
    #[cfg(unix)]
    let permissions = Some(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    #[cfg(not(unix))]
    let permissions = None;
    let mut partial = Partial::create(&folder, name, permissions).map_err(Error::io(&folder))?;
    let client = Client::new(url, fetch.patience).map_err(failed)?;
    let (done, total) = (AtomicU64::new(0), AtomicU64::new(UNKNOWN));
    // The calling thread never waits for a server, so that who asks to stop is heard.
    let copied = std::thread::scope(|scope| {
        let (ended, end) = mpsc::channel::<()>();
        let (partial, client, done, total) = (&mut partial, &client, &done, &total);
        let worker = scope.spawn(move || {
            // Dropped when the work ends, also by a panic.
            let _ended = ended;
            copy(client, url, partial, done, total)
        });
        let mut stopped = false;
        while end.recv_timeout(PULSE) == Err(RecvTimeoutError::Timeout) {
            let all = Some(total.load(Ordering::Relaxed)).filter(|all| *all != UNKNOWN);
            if !stopped && !seen(Fetching { bytes: done.load(Ordering::Relaxed), total: all }) {
                stopped = true;
                client.stop();
            }
        }
        match worker.join() {
            Ok(_) if stopped => Err(Error::Interrupted),
            Ok(copied) => copied,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })?;
    let (bytes, sha256) = copied;
    let kept = fetch.keep.as_ref().map(|folder| folder.join(name));
    Ok(Downloaded { file: Landed::Temporary(partial, kept), from: url.to_owned(), bytes, sha256 })
}

/// Time over which the rate is taken; tests say less in `ERGODICT_RATED_MILLISECONDS`. Release builds do not look.
fn least_time() -> Duration {
    let said = || std::env::var("ERGODICT_RATED_MILLISECONDS").ok()?.parse().ok();
    let said = if cfg!(debug_assertions) { said() } else { None };
    said.map_or(RATED, Duration::from_millis)
}

/// Copies an answer to the end, and returns its length and SHA-256.
fn copy(
    client: &Client,
    url: &str,
    partial: &mut Partial,
    done: &AtomicU64,
    total: &AtomicU64,
) -> Result<(u64, String)> {
    let failed = |problem| Error::Fetch { from: url.to_owned(), problem };
    let mut answer = client.get(url).map_err(failed)?;
    total.store(answer.length.unwrap_or(UNKNOWN), Ordering::Relaxed);
    let (mut chunk, mut hashed, mut bytes) = (vec![0; CHUNK], Hashed::default(), 0_u64);
    let cut = |bytes: u64, why: &str| {
        let of = answer.length.map_or_else(String::new, |all| format!(" of {all}"));
        failed(format!("{why} after {bytes}{of} bytes"))
    };
    let mut rated = (Instant::now(), 0);
    loop {
        let read = match answer.body.read(&mut chunk) {
            Ok(0) => break,
            Ok(read) => &chunk[..read],
            Err(error) => return Err(cut(bytes, &io_in_words(&error))),
        };
        bytes += read.len() as u64;
        if bytes > MOST {
            return Err(cut(bytes, "this is far more than any of the networks has: given up"));
        }
        let written = partial.write_all(read).and_then(|()| hashed.write_all(read));
        written.map_err(Error::io(partial.path()))?;
        done.store(bytes, Ordering::Relaxed);
        let (since, before) = rated;
        if since.elapsed() >= least_time() {
            if bytes - before < LEAST_RATE * RATED.as_secs() {
                return Err(cut(bytes, "the server sends less than 100 bytes a second: given up"));
            }
            rated = (Instant::now(), bytes);
        }
    }
    if answer.length.is_some_and(|all| all != bytes) {
        return Err(cut(bytes, "the connection broke"));
    }
    Ok((bytes, hashed.digits()))
}
