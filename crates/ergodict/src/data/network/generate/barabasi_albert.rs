//! The networks of Barabási and Albert: preferential attachment.

use super::room;
use crate::rng::{ChaCha8Rng, below};
use crate::{Error, Result};

/// Node `m` is joined to nodes `0..m`; then nodes `m+1, m+2, …` come one by one, and each is joined to `m` different nodes,
/// drawn one after another in proportion to the degrees they have before it comes, without those that were drawn already.
/// There are `m (n − m)` edges, and the network is connected.
///
/// An end of a uniformly random edge is a node in proportion to its degree: the list of edges is the list of repeated ends.
///
/// ```
/// use ergodict::data::generate::{BarabasiAlbert, Generator};
/// let network = Generator::from(BarabasiAlbert::new(100, 3)?).generate(0);
/// assert_eq!((network.edges(), network.components().sizes.len()), (3 * 97, 1));
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct BarabasiAlbert {
    pub(super) nodes: usize,
    pub(super) joins: usize,
}

impl BarabasiAlbert {
    /// Networks of `nodes` nodes, each of which brings `joins` edges.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless `1 ≤ joins < nodes`, and for a size beyond `MOST_EDGES`.
    pub fn new(nodes: usize, joins: usize) -> Result<Self> {
        if joins == 0 || joins >= nodes {
            let expected = format!("it must be at least 1 and less than the {nodes} nodes");
            return Err(Error::parameter("the number of edges of a new node", joins, expected));
        }
        room(nodes, joins as f64 * (nodes - joins) as f64)?;
        Ok(Self { nodes, joins })
    }

    pub(super) fn edges(&self, rng: &mut ChaCha8Rng) -> Vec<(u32, u32)> {
        let (n, m) = (self.nodes, self.joins);
        let mut edges: Vec<(u32, u32)> = Vec::with_capacity(m * (n - m));
        edges.extend((0..m as u32).map(|v| (v, m as u32)));
        // The last node that was joined to each node.
        let mut joined = vec![0u32; n];
        for new in m as u32 + 1..n as u32 {
            let ends = 2 * edges.len() as u64;
            let mut missing = m;
            while missing > 0 {
                let end = below(rng, ends);
                let (u, v) = edges[(end / 2) as usize];
                let target = if end.is_multiple_of(2) { u } else { v };
                if joined[target as usize] != new {
                    joined[target as usize] = new;
                    edges.push((target, new));
                    missing -= 1;
                }
            }
        }
        edges
    }
}
