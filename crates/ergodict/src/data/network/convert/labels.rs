//! What the nodes of a list are called, once all of it was seen, without a table of names where a rule gives them.

use super::super::NodeIds;
use super::super::egr::{self, Kind};
use super::super::section::Plain;
use super::nodes::Places;
use std::io::{self, Write};

/// Bytes gathered before they are written.
const BLOCK: usize = 1 << 16;

/// The names of nodes.
pub(in crate::data::network) enum Labels {
    /// Arcs are of nodes, which are called so.
    Ids(NodeIds),
    /// Arcs are of nodes, the first of which is called 1.
    FromOne(u64),
    /// Arcs are of names, which are these integers.
    Set(Places),
}

impl Labels {
    /// Number of nodes.
    pub(in crate::data::network) fn nodes(&self) -> u64 {
        match self {
            Self::Ids(ids) => ids.len() as u64,
            Self::FromOne(nodes) => *nodes,
            Self::Set(places) => places.set.len(),
        }
    }

    /// The node that an arc has as this end; none for an end that no arc of the input has.
    #[inline]
    pub(in crate::data::network) fn node(&self, end: u32) -> Option<u32> {
        match self {
            Self::Ids(ids) => Some(end).filter(|end| (*end as usize) < ids.len()),
            Self::FromOne(nodes) => Some(end).filter(|end| u64::from(*end) < *nodes),
            Self::Set(places) => places.rank(end),
        }
    }

    /// The name of a node.
    pub(in crate::data::network) fn name(&self, node: u32) -> String {
        match self {
            Self::Ids(ids) => ids.name(node as usize).into_owned(),
            Self::FromOne(_) => (u64::from(node) + 1).to_string(),
            Self::Set(places) => places.member(node).to_string(),
        }
    }

    pub(in crate::data::network) fn are_words(&self) -> bool {
        matches!(self, Self::Ids(ids) if ids.are_words())
    }

    /// What the names are, and the bytes of all words.
    pub(in crate::data::network) fn kind(&self) -> (Kind, u64) {
        let kind = |numbered| if numbered { Kind::Numbered } else { Kind::Small };
        match self {
            Self::Ids(ids) => egr::kind(ids),
            Self::FromOne(nodes) => (kind(*nodes == 0), 0),
            Self::Set(places) => (kind(places.is_numbered()), 0),
        }
    }

    /// The section of the names.
    pub(in crate::data::network) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut integers = Integers { bytes: Vec::with_capacity(BLOCK + 8), written: 0 };
        match self {
            Self::Ids(ids) => return egr::names(ids, out),
            _ if self.kind().0 == Kind::Numbered => return Ok(()),
            Self::FromOne(nodes) => (1..=*nodes as u32).try_for_each(|id| integers.put(id, out))?,
            Self::Set(places) => places.set.each(|id| integers.put(id, out))?,
        }
        integers.written += integers.bytes.len() as u64;
        out.write_all(&integers.bytes)?;
        egr::fill_up(integers.written, out)
    }
}

/// Integers on their way to a section.
struct Integers {
    bytes: Vec<u8>,
    written: u64,
}

impl Integers {
    fn put(&mut self, id: u32, out: &mut dyn Write) -> io::Result<()> {
        id.append(&mut self.bytes);
        if self.bytes.len() >= BLOCK {
            self.written += self.bytes.len() as u64;
            out.write_all(&self.bytes)?;
            self.bytes.clear();
        }
        Ok(())
    }
}
