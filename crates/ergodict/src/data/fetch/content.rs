//! The content of an original: its network with nodes by rank, and the digest that it is known by.

use super::catalog::Part;
use crate::Result;
use crate::data::{Network, ReadOptions, read_network};
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::fmt::{self, Write as _};
use std::io::{self, Write};
use std::path::Path;

/// What identifies a network, whatever its file.
///
/// ```
/// let content = &ergodict::data::fetch::original("facebook")?.content;
/// assert_eq!((content.nodes, content.edges, content.sha256.len()), (4039, 88_234, 64));
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Content {
    /// Nodes with an edge to another node.
    pub nodes: usize,
    /// Edges without loops, each once.
    pub edges: u64,
    /// SHA-256 of the list of edges, in hexadecimal digits.
    pub sha256: Cow<'static, str>,
}

impl Content {
    pub(super) const fn known(nodes: usize, edges: u64, sha256: &'static str) -> Self {
        Self { nodes, edges, sha256: Cow::Borrowed(sha256) }
    }

    /// That of a network with nodes by rank.
    pub(super) fn from_network(network: &Network) -> Self {
        let mut hashed = Hashed::default();
        // A hash takes everything.
        let _ = write_list(network, &mut hashed);
        Self { nodes: network.nodes(), edges: network.edges(), sha256: Cow::Owned(hashed.digits()) }
    }
}

impl fmt::Display for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} nodes, {} edges and the SHA-256 {}", self.nodes, self.edges, self.sha256)
    }
}

/// Reads a file, and makes of it the simple network whose nodes are numbered by the rank of their ids among those with an edge.
pub(super) fn read(path: &Path, part: Part) -> Result<(Network, Content)> {
    let options = ReadOptions { directed: Some(false), weighted: Some(false), ..ReadOptions::default() };
    let (network, _) = read_network(path, &options)?;
    // An .egr keeps its loops whatever is said.
    let network = network.to_simple();
    let network = match part {
        Part::Whole => {
            let used: Vec<u32> =
                (0..network.nodes() as u32).filter(|&v| network.rows().degree(v as usize) > 0).collect();
            network.part(&used)
        }
        Part::LargestComponent => network.largest_component(),
    };
    let edges: Vec<(u32, u32)> = network.each_edge().map(|(u, v, _)| (u, v)).collect();
    let network = Network::simple(network.nodes(), &edges)?;
    let content = Content::from_network(&network);
    Ok((network, content))
}

/// Writes the list of edges that is hashed: `u v` a line, u < v, ascending.
pub(super) fn write_list(network: &Network, out: &mut dyn Write) -> io::Result<()> {
    let mut out = io::BufWriter::with_capacity(1 << 16, out);
    for (u, v, _) in network.each_edge() {
        writeln!(out, "{u} {v}")?;
    }
    out.flush()
}

/// A writer that keeps only the SHA-256 of what was written.
#[derive(Default)]
pub(super) struct Hashed(Sha256);

impl Hashed {
    /// In hexadecimal digits.
    pub(super) fn digits(self) -> String {
        self.0.finalize().iter().fold(String::with_capacity(64), |mut digits, byte| {
            let _ = write!(digits, "{byte:02x}");
            digits
        })
    }
}

impl Write for Hashed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
