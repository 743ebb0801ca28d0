//! The networks of Erdős and Rényi, and of Gilbert: edges without any pattern.

use super::pairs::{Cursor, count, each_with_probability, subset};
use super::{limits, probability, room};
use crate::rng::ChaCha8Rng;
use crate::{Error, Result};
use std::ops::ControlFlow;

/// How many edges there are.
///
/// ```
/// use ergodict::data::generate::{Density, ErdosRenyi};
/// assert!(ErdosRenyi::new(10, Density::Probability(1.5), false).is_err());
/// assert!(ErdosRenyi::new(10, Density::Edges(46), false).is_err()); // there are 45 pairs
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Density {
    /// Every pair is an edge with this probability, independently: `G(n, p)`.
    Probability(f64),
    /// Exactly this number, every set of them as likely as any other: `G(n, m)`.
    Edges(u64),
}

/// `G(n, p)` or `G(n, m)`.
///
/// ```
/// use ergodict::data::generate::{Density, ErdosRenyi, Generator};
/// let network = Generator::from(ErdosRenyi::new(100, Density::Edges(250), false)?).generate(0);
/// assert_eq!((network.nodes(), network.edges()), (100, 250));
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ErdosRenyi {
    pub(super) nodes: usize,
    pub(super) density: Density,
    pub(super) directed: bool,
}

impl ErdosRenyi {
    /// Networks of `nodes` nodes; of directed ones the pairs `(u, v)` and `(v, u)` are two. No pair is of the same node twice.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a probability outside [0, 1], more edges than pairs, or a size beyond `MOST_EDGES`.
    pub fn new(nodes: usize, density: Density, directed: bool) -> Result<Self> {
        limits(nodes, 0.0)?;
        let pairs = pairs(nodes, directed);
        match density {
            Density::Probability(p) => {
                let p = probability("the probability of an edge", p)?;
                limits(nodes, pairs as f64 * p)?;
            }
            Density::Edges(edges) if edges > pairs => {
                let expected = format!("{nodes} nodes have {pairs} pairs");
                return Err(Error::parameter("the number of edges", edges, expected));
            }
            Density::Edges(edges) => room(nodes, edges as f64)?,
        }
        Ok(Self { nodes, density, directed })
    }

    /// How many edges there are, or hardly ever more.
    pub(super) fn likely_edges(&self) -> usize {
        let most = match self.density {
            Density::Edges(edges) => edges as f64,
            Density::Probability(p) => {
                let mean = pairs(self.nodes, self.directed) as f64 * p;
                mean + 4.0 * mean.sqrt()
            }
        };
        most as usize
    }

    /// The edges one by one, until `take` breaks off; of a given number their places are listed first.
    pub(super) fn each_edge(
        &self,
        rng: &mut ChaCha8Rng,
        mut take: impl FnMut(u32, u32) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let (n, size) = (self.nodes, pairs(self.nodes, self.directed));
        let mut cursor = Cursor::new(n);
        let mut pair = |number: u64| {
            if !self.directed {
                let (u, v) = cursor.pair(number);
                return take(u, v);
            }
            // Row u has all nodes but u itself.
            let others = n as u64 - 1;
            let (u, v) = (number / others, number % others);
            take(u as u32, (v + u64::from(v >= u)) as u32)
        };
        match self.density {
            Density::Edges(edges) => subset(size, edges, rng).into_iter().try_for_each(pair),
            Density::Probability(p) => each_with_probability(size, p, rng, &mut pair),
        }
    }
}

fn pairs(nodes: usize, directed: bool) -> u64 {
    if directed { 2 * count(nodes) } else { count(nodes) }
}
