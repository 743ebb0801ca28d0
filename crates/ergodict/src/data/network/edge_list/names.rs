//! The names of nodes as edges are added one by one, by those who parse lines of their own.

use super::chunk::{Chunk, Ends};
use super::indices::indices;
use crate::data::network::NodeIds;

/// Both ends of every edge so far.
pub(in super::super) struct NodeNames(Ends);

impl Default for NodeNames {
    fn default() -> Self {
        Self(Ends::Small(Vec::new()))
    }
}

impl NodeNames {
    /// Adds an edge.
    pub(in super::super) fn push(&mut self, source: &str, target: &str) {
        self.0.push(source, target);
    }

    /// The nodes in the order of their names, and the ends of all edges as nodes; none when there are more than 2³² nodes.
    pub(in super::super) fn finish(self) -> Option<(NodeIds, Vec<(u32, u32)>)> {
        indices(vec![Chunk::of_ends(self.0)])
    }
}
