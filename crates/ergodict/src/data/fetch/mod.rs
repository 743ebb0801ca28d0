//! Fetches public networks from their publishers, or from a file that was downloaded by hand, and checks that they are what they should be.
//!
//! An original is read as an edge list without directions and weights; loops and repeated edges go, and nodes are numbered by the rank of
//! their ids among those that have an edge. That list is the *content*: `u v` a line, u < v, ascending. Its SHA-256 holds whatever the
//! compression, the order of lines and the address, so that it is checked always:
//! `zcat facebook.txt.gz | sha256sum` prints what [`Original::content`] has.

mod catalog;
mod content;
mod download;
mod http;
#[cfg(test)]
mod server;
#[cfg(test)]
mod tests;

pub use catalog::{Original, Part, original, originals};
pub use content::Content;
pub use download::Fetching;

use crate::data::Network;
use crate::data::network::write_network_as;
use crate::data::open::is_standard;
use crate::{Error, Result};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How a network is fetched.
///
/// ```
/// use ergodict::data::fetch::{Fetch, original};
/// let facebook = original("facebook")?;
/// assert_eq!((facebook.content.nodes, facebook.content.edges), (4039, 88_234));
/// // A file that was downloaded by hand, and is not there.
/// let fetch = Fetch { from: Some("no/such/file.gz".into()), ..Fetch::default() };
/// assert!(fetch.run(&facebook, &mut |_| true).is_err());
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fetch {
    /// Another address, a file, or a folder that has the file under the name the publisher gave it; by default the publisher's address.
    pub from: Option<String>,
    /// Take the network even if it is not the one that is known.
    pub unchecked: bool,
    /// The folder that the original is kept in, under its own name.
    pub keep: Option<PathBuf>,
    /// How long nothing may come before a server is given up.
    pub patience: Duration,
}

impl Default for Fetch {
    fn default() -> Self {
        // Long enough for a server that wakes up, short enough for someone who waits.
        Self { from: None, unchecked: false, keep: None, patience: Duration::from_secs(30) }
    }
}

/// A network that was fetched.
///
/// ```
/// use ergodict::data::fetch::{Fetch, original};
/// let path = std::env::temp_dir().join(format!("ergodict-fetched-{}.txt", std::process::id()));
/// std::fs::write(&path, "0 1\n1 2\n").unwrap();
/// let fetch = Fetch { from: Some(path.display().to_string()), unchecked: true, ..Fetch::default() };
/// let fetched = fetch.run(original("facebook")?, &mut |_| true)?;
/// assert_eq!((fetched.network.edges(), fetched.bytes, fetched.as_known), (2, 8, false));
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Fetched {
    /// The network: simple, with nodes 0 to n − 1.
    pub network: Network,
    /// The address or file it came from.
    pub from: String,
    /// Length of the original in bytes.
    pub bytes: u64,
    /// SHA-256 of the original's bytes, in hexadecimal digits.
    pub sha256: String,
    /// What was found in it.
    pub content: Content,
    /// Whether the content is the one that is known; false only where that was not asked for.
    pub as_known: bool,
    /// What differs without harm, as a sentence.
    pub note: Option<String>,
}

impl Fetch {
    /// Fetches, checks and reads an original. `seen` is called with how far it is, several times a second, and stops it by false.
    ///
    /// # Errors
    /// [`Error::Fetch`] when it cannot be had; [`Error::Format`] when it cannot be read; [`Error::NotAsKnown`] for another network, unless
    /// that is not checked; [`Error::Io`]; [`Error::Interrupted`] when `seen` said so. Nothing is left behind.
    pub fn run(&self, original: &Original, seen: &mut dyn FnMut(Fetching) -> bool) -> Result<Fetched> {
        let download::Downloaded { file, from, bytes, sha256 } = download::get(self, original, seen)?;
        let named = |error| renamed(error, &from);
        let (network, content) = content::read(file.path(), original.part).map_err(named)?;
        let as_known = content == original.content;
        if !(as_known || self.unchecked) {
            return Err(original.differs(from, &content));
        }
        // A mirror may compress it in another way.
        let note = if self.from.is_none() { original.file_differs(bytes, &sha256) } else { None };
        file.keep()?;
        Ok(Fetched { network, from, bytes, sha256, content, as_known, note })
    }

    /// The same into a file, in the format of its name (see [`write_network`](crate::data::write_network); an edge list is the content
    /// itself). A file that has the network already is left alone unless `from` is given: then nothing was fetched.
    ///
    /// # Errors
    /// As [`Fetch::run`] and [`write_network`](crate::data::write_network); after any of them an older file stays as it was.
    pub fn write(
        &self,
        original: &Original,
        out: &Path,
        seen: &mut dyn FnMut(Fetching) -> bool,
    ) -> Result<(Network, Option<Fetched>)> {
        // What is to be kept and is not there has to come.
        let is_kept = |folder: &PathBuf| folder.join(original.file_name()).is_file();
        if self.from.is_none()
            && self.keep.as_ref().is_none_or(is_kept)
            && let Some(network) = there(original, out)
        {
            return Ok((network, None));
        }
        let fetched = self.run(original, seen)?;
        write_network_as(out, &fetched.network, |out| content::write_list(&fetched.network, out))?;
        Ok((fetched.network.clone(), Some(fetched)))
    }
}

/// The network of a file that has it already.
fn there(original: &Original, path: &Path) -> Option<Network> {
    if is_standard(path) || !path.is_file() {
        return None;
    }
    let (network, content) = content::read(path, Part::Whole).ok()?;
    (content == original.content).then_some(network)
}

/// An error that names where the file came from, not the temporary file it is in.
fn renamed(error: Error, from: &str) -> Error {
    match error {
        Error::Format { line, problem, hint, .. } => Error::Format { path: from.into(), line, problem, hint },
        Error::Io { source, .. } => Error::Io { path: from.into(), source },
        other => other,
    }
}
