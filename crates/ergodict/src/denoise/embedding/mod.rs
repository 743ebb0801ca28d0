//! Embeddings: a column of numbers for each node, so that nodes with an edge between them have columns that go together.

mod classify;
mod panel;
mod prone;

use crate::data::Network;
use crate::{Error, Result};
pub use classify::score_pairs;
pub use prone::prone;

/// That there are dimensions, and that the network is simple.
fn check(network: &Network, dimensions: usize) -> Result<()> {
    if dimensions == 0 {
        return Err(Error::parameter("dimensions", 0, "it must be at least 1"));
    }
    if !network.is_simple() {
        let found = if network.is_directed() {
            "directed"
        } else if network.is_weighted() {
            "weighted"
        } else {
            "with loops"
        };
        return Err(Error::parameter("the network", found, "embeddings are of simple undirected networks"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, below, stream};

    /// Two halves with many edges inside and few between, and a ring through all nodes of each half.
    pub(super) fn two_groups(nodes: u32, seed: u64) -> Network {
        let mut rng = stream(seed, Purpose::Denoise, 998);
        let half = nodes / 2;
        let mut edges: Vec<(u32, u32)> = Vec::new();
        for u in 0..nodes {
            let first = u / half * half;
            edges.push((u, first + (u + 1 - first) % half));
            for _ in 0..4 {
                edges.push((u, first + below(&mut rng, u64::from(half)) as u32));
            }
        }
        edges.extend((0..half / 20).map(|u| (u, half + u)));
        edges.iter_mut().for_each(|edge| *edge = (edge.0.min(edge.1), edge.0.max(edge.1)));
        edges.retain(|(u, v)| u < v);
        edges.sort_unstable();
        edges.dedup();
        Network::simple(nodes as usize, &edges).unwrap()
    }
}
