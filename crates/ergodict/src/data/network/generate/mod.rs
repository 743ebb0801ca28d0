//! Random networks by model and seed.
//!
//! | model | parameters | law | cost |
//! |---|---|---|---|
//! | [`ErdosRenyi`] | n, p or m; directed or not | every pair an edge with probability p; every set of m pairs alike | O(n + m), O(m log m) |
//! | [`BarabasiAlbert`] | n, m | new nodes join m others in proportion to their degrees | O(n m) |
//! | [`WattsStrogatz`] | n, k, p | a ring of k neighbors, each edge rewired with probability p | O(n k) |
//! | [`BlockModel`] | sizes, matrix | a pair in blocks a, b is an edge with probability `P(a,b)` | O(n + m + blocks²) |
//! | [`Configuration`] | degrees | random pairing of the ends, erased; or of exactly these degrees | O(m), O(swaps m) |
//! | [`RMat`] | scale, edge factor, a, b, c, d | recursive quadrants; directed or not | O(m) |
//!
//! Networks have no weights and no loops, and but for directed ones are simple; nodes are called `0..n`, and those without an edge are nodes
//! all the same. One stream of the seed makes a network, on one thread; [`Generator::write`] writes one that does not fit in memory. Parameters are checked when they are put together, sizes too:
//! what passes can be generated, or at least written.

mod barabasi_albert;
mod blocks;
mod configuration;
mod erdos_renyi;
pub(super) mod pairs;
mod rmat;
pub(super) mod sparse;
mod stream;
mod watts_strogatz;

pub use barabasi_albert::BarabasiAlbert;
pub use blocks::BlockModel;
pub use configuration::{Configuration, Multiple};
pub use erdos_renyi::{Density, ErdosRenyi};
pub use rmat::RMat;
pub use stream::Generated;
pub use watts_strogatz::WattsStrogatz;

use super::Network;
use crate::rng::{ChaCha8Rng, Purpose, ids, stream};
use crate::{Error, Result};
use std::ops::ControlFlow;

/// Most edges of a generated network: 4.3 thousand million, some 130 GB while it is made.
pub(crate) const MOST_EDGES: u64 = 1 << 32;

/// A model of random networks with its parameters.
///
/// ```
/// use ergodict::data::generate::{Generator, WattsStrogatz};
/// let ring: Generator = WattsStrogatz::new(10, 4, 0.0)?.into();
/// let network = ring.generate(0);
/// assert_eq!((network.nodes(), network.edges()), (10, 20));
/// assert_eq!(network.neighbors(0), [1, 2, 8, 9]);
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub enum Generator {
    /// Independent edges, or a given number of them.
    ErdosRenyi(ErdosRenyi),
    /// Preferential attachment.
    BarabasiAlbert(BarabasiAlbert),
    /// A rewired ring.
    WattsStrogatz(WattsStrogatz),
    /// Blocks.
    BlockModel(BlockModel),
    /// Given degrees.
    Configuration(Configuration),
    /// Recursive quadrants.
    RMat(RMat),
}

impl Generator {
    /// The network of a seed.
    pub fn generate(&self, seed: u64) -> Network {
        let mut rng = stream(seed, Purpose::Synthetic, ids::NETWORK);
        let edges = self.edges(&mut rng);
        sparse::network(self.nodes(), &edges, self.is_directed())
    }

    /// Number of nodes.
    pub(crate) fn nodes(&self) -> usize {
        match self {
            Self::ErdosRenyi(model) => model.nodes,
            Self::BarabasiAlbert(model) => model.nodes,
            Self::WattsStrogatz(model) => model.nodes,
            Self::BlockModel(model) => model.nodes(),
            Self::Configuration(model) => model.degrees.len(),
            Self::RMat(model) => model.nodes(),
        }
    }

    /// Whether networks are directed.
    pub fn is_directed(&self) -> bool {
        match self {
            Self::ErdosRenyi(model) => model.directed,
            Self::RMat(model) => model.directed,
            _ => false,
        }
    }

    /// Edges, some perhaps more than once, or loops: the network leaves those out.
    pub(super) fn edges(&self, rng: &mut ChaCha8Rng) -> Vec<(u32, u32)> {
        let room = match self {
            Self::BarabasiAlbert(model) => return model.edges(rng),
            Self::WattsStrogatz(model) => return model.edges(rng),
            Self::Configuration(model) => return model.edges(rng),
            Self::ErdosRenyi(model) => model.likely_edges(),
            Self::BlockModel(_) => 0,
            Self::RMat(model) => model.draws as usize,
        };
        let mut edges = Vec::with_capacity(room);
        let _ = self.each_edge(rng, |u, v| {
            edges.push((u, v));
            ControlFlow::Continue(())
        });
        edges
    }

    /// The same edges one by one, until `take` breaks off.
    fn each_edge(
        &self,
        rng: &mut ChaCha8Rng,
        mut take: impl FnMut(u32, u32) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        match self {
            Self::ErdosRenyi(model) => model.each_edge(rng, take),
            Self::BlockModel(model) => model.each_edge(rng, take),
            Self::RMat(model) => model.each_edge(rng, take),
            Self::BarabasiAlbert(_) | Self::WattsStrogatz(_) | Self::Configuration(_) => {
                self.edges(rng).into_iter().try_for_each(|(u, v)| take(u, v))
            }
        }
    }

    /// Whether drawing them needs no list of them.
    fn each_edge_is_known(&self) -> bool {
        match self {
            Self::ErdosRenyi(model) => matches!(model.density, Density::Probability(_)),
            Self::BlockModel(_) | Self::RMat(_) => true,
            Self::BarabasiAlbert(_) | Self::WattsStrogatz(_) | Self::Configuration(_) => false,
        }
    }
}

macro_rules! conversions {
    ($($model:ident)*) => {$(
        impl From<$model> for Generator {
            fn from(model: $model) -> Self {
                Self::$model(model)
            }
        }
    )*};
}
conversions!(ErdosRenyi BarabasiAlbert WattsStrogatz BlockModel Configuration RMat);

/// Whether these numbers of nodes and (about) of edges are possible.
fn limits(nodes: usize, edges: f64) -> Result<()> {
    if nodes as u64 > u64::from(u32::MAX) {
        return Err(Error::parameter("the number of nodes", nodes, "there can be at most 2³² − 1"));
    }
    if edges > MOST_EDGES as f64 {
        return Err(Error::parameter(
            "the expected number of edges",
            format!("{edges:.3e}"),
            format!("at most {MOST_EDGES} can be made: choose fewer nodes, or a smaller density"),
        ));
    }
    Ok(())
}

/// The same, and whether there is room for them in memory, asked before any are made. Models whose edges can be written as they are
/// drawn are asked for [`limits`] alone.
fn room(nodes: usize, edges: f64) -> Result<()> {
    limits(nodes, edges)?;
    // The list of edges, both sparse matrices of `sparse::network`, and starts of rows. The system refuses at once what
    // it could never give; what it gives is given back untouched.
    let bytes = 24 * nodes + 32 * edges as usize;
    Vec::<u8>::new().try_reserve_exact(bytes).map_err(|_| {
        let gigabytes = format!("{:.1} GB", bytes as f64 / 1e9);
        Error::parameter(
            "the memory to make the network in",
            gigabytes,
            "there is less: choose a smaller one",
        )
    })
}

/// A probability, or the error that it is none.
fn probability(name: &'static str, p: f64) -> Result<f64> {
    if (0.0..=1.0).contains(&p) {
        return Ok(p);
    }
    Err(Error::parameter(name, p, "it must be a number from 0 to 1"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_beyond_all_memory_are_refused_before_anything_is_allocated() {
        let huge = u32::MAX as usize;
        for refused in [
            ErdosRenyi::new(huge, Density::Probability(0.5), false).err(),
            ErdosRenyi::new(huge + 1, Density::Probability(0.0), false).err(),
            ErdosRenyi::new(huge, Density::Edges(MOST_EDGES + 1), true).err(),
            BarabasiAlbert::new(huge, 3).err(),
            WattsStrogatz::new(huge, 4, 0.1).err(),
            BlockModel::planted(vec![huge / 2; 2], 0.1, 0.0).err(),
            BlockModel::planted(vec![usize::MAX; 2], 0.0, 0.0).err(),
            RMat::new(31, 16, RMat::GRAPH500, false).err(),
            RMat::new(64, 1, RMat::GRAPH500, false).err(),
        ] {
            let message = refused.expect("it should be refused").to_string();
            assert!(message.contains("at most") || message.contains("GB"), "{message}");
        }
    }
}
