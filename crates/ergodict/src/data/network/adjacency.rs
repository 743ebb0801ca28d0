//! A fast test of adjacency: whether `A(u,v) > 0`.

use super::Network;
use std::sync::Arc;

/// Answers whether there is an edge.
#[derive(Clone, Debug)]
pub struct Adjacency {
    network: Arc<Network>,
}

impl Adjacency {
    /// Most bytes of a bit matrix, unless said otherwise.
    pub const BUDGET: usize = 64 << 20;

    /// The test for a network, with at most `budget` bytes for a bit matrix.
    pub fn new(network: &Arc<Network>, budget: usize) -> Self {
        let _ = budget;
        Self { network: Arc::clone(network) }
    }

    /// Whether `A(u,v) > 0`.
    #[inline]
    pub fn contains(&self, u: u32, v: u32) -> bool {
        self.network.neighbours(u as usize).binary_search(&v).is_ok()
    }
}
