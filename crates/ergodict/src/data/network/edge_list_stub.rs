//! What the readers of formats hand over, until the edge-list reader brings it.

use super::{Build, Edge, Found, Network, NodeIds};
use crate::Result;

#[derive(Clone, Debug)]
pub struct EdgeList {
    pub ids: NodeIds,
    pub ends: Vec<(u32, u32)>,
    pub weights: Option<Vec<f64>>,
    pub directed: Option<bool>,
}

impl Network {
    pub fn from_list(list: EdgeList, build: Build) -> Result<(Network, Found)> {
        let weight = |i: usize| list.weights.as_ref().map_or(1.0, |weights| weights[i]);
        let edges: Vec<Edge> = list.ends.iter().enumerate().map(|(i, &(u, v))| (u, v, weight(i))).collect();
        Network::build(list.ids, &edges, list.weights.is_some(), build)
    }
}
