//! The networks of Watts and Strogatz: a ring with shortcuts.

use super::pairs::PairSet;
use super::{probability, room};
use crate::rng::{ChaCha8Rng, below, uniform};
use crate::{Error, Result};

/// Every node of a ring is joined to its `k/2` next ones on both sides. Then the edges `(u, u + j)` are gone through, for
/// `j = 1, …, k/2` and within that for all `u`: with probability `p` such an edge keeps its end `u`, and its other end becomes a node
/// drawn uniformly among all that are not `u` and not joined to `u` at that time (if there is one). There are always `n k / 2`
/// edges; the network need not be connected.
///
/// ```
/// use ergodict::data::generate::{Generator, WattsStrogatz};
/// let ring = Generator::from(WattsStrogatz::new(12, 4, 0.0)?).generate(0);
/// assert_eq!(ring.neighbors(0), [1, 2, 10, 11]);
/// let rewired = Generator::from(WattsStrogatz::new(12, 4, 0.5)?).generate(0);
/// assert_eq!(rewired.edges(), ring.edges());
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct WattsStrogatz {
    pub(super) nodes: usize,
    pub(super) neighbors: usize,
    pub(super) rewired: f64,
}

impl WattsStrogatz {
    /// Rings of `nodes` nodes with `neighbors` each, an even number; `rewired` is the probability that an edge is moved.
    ///
    /// # Errors
    /// [`Error::Parameter`] for an odd number of neighbors, or as many as nodes; for a probability outside [0, 1]; and for a size beyond
    /// `MOST_EDGES`.
    pub fn new(nodes: usize, neighbors: usize, rewired: f64) -> Result<Self> {
        if neighbors % 2 == 1 || (neighbors > 0 && neighbors >= nodes) {
            let expected = format!("it must be even and less than the {nodes} nodes");
            return Err(Error::parameter("the number of neighbors on the ring", neighbors, expected));
        }
        probability("the probability of rewiring", rewired)?;
        room(nodes, nodes as f64 * (neighbors / 2) as f64)?;
        Ok(Self { nodes, neighbors, rewired })
    }

    pub(super) fn edges(&self, rng: &mut ChaCha8Rng) -> Vec<(u32, u32)> {
        let (n, half) = (self.nodes, self.neighbors / 2);
        let ring = (1..=half).flat_map(|j| (0..n).map(move |u| (u as u32, ((u + j) % n) as u32)));
        let mut edges: Vec<(u32, u32)> = ring.collect();
        if self.rewired == 0.0 {
            return edges;
        }
        let mut present = PairSet::with_capacity(edges.len());
        edges.iter().for_each(|&(u, v)| _ = present.insert(u, v));
        let mut degrees = vec![self.neighbors; n];
        for edge in &mut edges {
            let (u, v) = *edge;
            if degrees[u as usize] + 1 >= n || uniform(rng) >= self.rewired {
                continue;
            }
            let end = loop {
                let end = below(rng, n as u64) as u32;
                if end != u && !present.contains(u, end) {
                    break end;
                }
            };
            present.remove(u, v);
            present.insert(u, end);
            degrees[v as usize] -= 1;
            degrees[end as usize] += 1;
            edge.1 = end;
        }
        edges
    }
}
