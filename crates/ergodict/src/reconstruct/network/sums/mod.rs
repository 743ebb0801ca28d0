//! Sums and counts of pairs: [`PairSums`], in whichever accumulator holds them.
//!
//! | accumulator | when | file |
//! |---|---|---|
//! | a cell for every pair, `f64` | these are few | `dense.rs` |
//! | a cell for every pair, `f32` with long sums put down | they fit the memory | `dense.rs` |
//! | hash tables | others, and where only some pairs of many are wanted | `hashed.rs` |
//! | sorted runs in a file | what tables have no room for | `runs.rs` |
//!
//! `file.rs` has them in a checkpoint, `sorted.rs` in files that other processes add up.

mod dense;
mod file;
mod hashed;
mod pages;
mod runs;
mod sorted;
pub(super) mod store;

use super::positions::{Positions, wanted_network};
use crate::data::Network;
use crate::{Error, Result};
pub(super) use dense::Dense;
pub(super) use hashed::Hashed;
pub use sorted::{SortedSums, merged_sums, source_ranges};
use std::sync::Arc;
use store::{Long, PutDown, Short};

/// Bytes up to which all sums are `f64`: such tables fit the caches of most machines.
const SMALL: usize = 16 << 20;

/// Bytes up to which all pairs have a cell though only some are wanted. On SNAP's Facebook network, whose cells take 65 MB, all pairs in
/// cells took 0.44 s of CPU time for 200 000 homomorphisms of 21 nodes, and the edges alone in tables 0.84 s.
const QUICK: usize = 96 << 20;

/// What a reconstruction says of a pair.
///
/// ```
/// use ergodict::reconstruct::network::PairSum;
/// let pair = PairSum { u: 0, v: 1, sum: 3.0, count: 4 };
/// assert_eq!((pair.mean(), pair.shrunk(2.0)), (0.75, 0.5));
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PairSum {
    /// The first node, of undirected networks not the larger.
    pub u: u32,
    /// The second node.
    pub v: u32,
    /// The sum `S` of the reconstructed entries at the pair.
    pub sum: f64,
    /// How many there were, `C > 0`.
    pub count: u64,
}

impl PairSum {
    /// The mean `S/C`, the weight in the reconstructed network.
    pub fn mean(&self) -> f64 {
        self.sum / self.count as f64
    }

    /// `S/(C + α)`, which trusts pairs that were seen more often more.
    pub fn shrunk(&self, alpha: f64) -> f64 {
        self.sum / (self.count as f64 + alpha)
    }
}

/// Sums `S` and counts `C` of the pairs of a network.
///
/// Of an undirected network `(u, v)` and `(v, u)` are one pair: its count is that of the paper for either of them, its sum the mean
/// of both. Pairs of a node with itself are there only in networks with loops.
///
/// ```
/// use ergodict::{data::Network, reconstruct::network::{PairSum, PairSums}};
/// let network = Network::simple(3, &[(0, 1), (1, 2)])?;
/// let of = |v| PairSums::of_pairs(&network, None, [PairSum { u: 0, v, sum: 1.0, count: 2 }], 1 << 20);
/// let mut sums = of(1)?;
/// sums.merge(&of(2)?)?; // of another machine, say
/// assert_eq!((sums.pairs(), sums.visited(), sums.get(2, 0)), (3, 2, (1.0, 2)));
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Debug)]
pub struct PairSums {
    nodes: usize,
    directed: bool,
    loops: bool,
    /// The pairs that are wanted, if not all.
    targets: Option<Arc<Network>>,
    pub(super) kind: Kind,
}

/// The accumulators.
#[derive(Debug)]
pub(super) enum Kind {
    Long(Dense<Long>),
    Short(Dense<Short>),
    Hashed(Hashed),
}

impl PairSums {
    /// Nothing visited, in the accumulator that suits; `precise` asks for `f64` sums where there is room.
    ///
    /// # Errors
    /// [`Error::Parameter`] when there is not so much memory.
    pub(super) fn new(
        network: &Network,
        positions: &Positions,
        memory: usize,
        precise: bool,
    ) -> Result<Self> {
        let (nodes, directed) = (network.nodes(), network.is_directed());
        let targets = positions.targets().cloned();
        let most = if precise { memory } else { SMALL.min(memory) };
        let fits = |bytes: Option<usize>, most: usize| bytes.is_some_and(|bytes| bytes <= most);
        let few = |bytes: Option<usize>| match &targets {
            // Places of a table are 16 bytes, half of them taken.
            Some(targets) => fits(bytes, QUICK.max(32 * targets.edges() as usize)),
            None => true,
        };
        let (long, short) = (Dense::<Long>::bytes(nodes, directed), Dense::<Short>::bytes(nodes, directed));
        let kind = if fits(long, most) && few(long) {
            Kind::Long(Dense::new(network)?)
        } else if fits(short, memory) && few(short) {
            Kind::Short(Dense::new(network)?)
        } else {
            Kind::Hashed(Hashed::new(directed, memory)?)
        };
        Ok(Self { nodes, directed, loops: network.loops() > 0, targets, kind })
    }

    /// Sums and counts that are known already, of pairs of a network; `wanted` are the pairs that were wanted, if not all.
    ///
    /// # Errors
    /// [`Error::Parameter`] for pairs of nodes that do not exist, and when there is not so much memory.
    pub fn of_pairs(
        network: &Network,
        wanted: Option<&[(u32, u32)]>,
        pairs: impl IntoIterator<Item = PairSum>,
        memory: usize,
    ) -> Result<Self> {
        let (nodes, directed) = (network.nodes(), network.is_directed());
        let inside = |u: u32, v: u32| {
            let fine = (u.max(v) as usize) < nodes;
            let expected = format!("there are {nodes} nodes");
            if fine { Ok(()) } else { Err(Error::parameter("a node", u.max(v), expected)) }
        };
        let targets = wanted.map(|pairs| wanted_network(network, pairs)).transpose()?;
        let long = Dense::<Long>::bytes(nodes, directed).is_some_and(|bytes| bytes <= memory);
        let kind = if long {
            Kind::Long(Dense::new(network)?)
        } else {
            Kind::Hashed(Hashed::new(directed, memory)?)
        };
        let mut sums = Self { nodes, directed, loops: network.loops() > 0, targets, kind };
        for PairSum { u, v, sum, count } in pairs {
            inside(u, v)?;
            sums.add(u, v, PutDown { sum, count })?;
        }
        Ok(sums)
    }

    fn add(&mut self, u: u32, v: u32, more: PutDown) -> Result<()> {
        if self.has(u, v) {
            match &mut self.kind {
                Kind::Long(dense) => dense.add(u, v, more),
                Kind::Short(dense) => dense.add(u, v, more),
                Kind::Hashed(hashed) => hashed.add(u, v, more)?,
            }
        }
        Ok(())
    }

    /// Nodes of the network.
    pub(crate) fn nodes(&self) -> usize {
        self.nodes
    }

    /// Whether pairs are ordered.
    pub(crate) fn is_directed(&self) -> bool {
        self.directed
    }

    /// Pairs of the network that can be visited: `n(n−1)/2` or `n(n−1)`, and `n` more in networks with loops; or those that are
    /// wanted.
    pub fn pairs(&self) -> u64 {
        if let Some(targets) = &self.targets {
            return targets.edges();
        }
        let n = self.nodes as u64;
        let ordered = n * n.saturating_sub(1);
        (if self.directed { ordered } else { ordered / 2 }) + if self.loops { n } else { 0 }
    }

    /// Whether a pair is one of [`PairSums::pairs`].
    pub fn has(&self, u: u32, v: u32) -> bool {
        (self.loops || u != v)
            && self.targets.as_ref().is_none_or(|targets| targets.weight(u as usize, v as usize) > 0.0)
    }

    /// Whether every edge of a network is one of [`PairSums::pairs`].
    pub(super) fn has_all_of(&self, network: &Network) -> bool {
        self.targets.is_none() && (self.loops || network.loops() == 0)
    }

    /// The sum and the count of a pair: zeros if it was not visited or is not wanted. Panics unless both are nodes.
    pub fn get(&self, u: u32, v: u32) -> (f64, u64) {
        assert!((u.max(v) as usize) < self.nodes, "pair ({u}, {v}) of {} nodes", self.nodes);
        if !self.has(u, v) {
            return (0.0, 0);
        }
        match &self.kind {
            Kind::Long(dense) => dense.get(u, v),
            Kind::Short(dense) => dense.get(u, v),
            Kind::Hashed(hashed) => hashed.get(u, v),
        }
    }

    /// The pairs that were visited, by ascending first and second node.
    pub fn iter(&self) -> impl Iterator<Item = PairSum> + '_ {
        let all: Box<dyn Iterator<Item = (u32, u32, f64, u64)> + '_> = match &self.kind {
            Kind::Long(dense) => Box::new(dense.iter()),
            Kind::Short(dense) => Box::new(dense.iter()),
            Kind::Hashed(hashed) => hashed.iter(),
        };
        all.filter(|&(u, v, ..)| self.has(u, v)).map(|(u, v, sum, count)| PairSum { u, v, sum, count })
    }

    /// How many pairs were visited.
    pub fn visited(&self) -> u64 {
        self.iter().count() as u64
    }

    /// Adds the sums and counts of another reconstruction of the same network: of another machine, say.
    ///
    /// # Errors
    /// [`Error::Shape`] when it is of another network, and of writing to a temporary file.
    pub fn merge(&mut self, other: &Self) -> Result<()> {
        if (self.nodes, self.directed) != (other.nodes, other.directed) {
            let of = |sums: &Self| {
                format!("of {} nodes, {}", sums.nodes, if sums.directed { "directed" } else { "undirected" })
            };
            return Err(Error::shape("the other reconstruction", of(other), of(self)));
        }
        for PairSum { u, v, sum, count } in other.iter() {
            self.add(u, v, PutDown { sum, count })?;
        }
        Ok(())
    }
}
