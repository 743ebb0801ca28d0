//! Degree-preserving rewiring: a random network with the degrees of another one, as a null model.
//!
//! | kept | not kept |
//! |---|---|
//! | names, isolated nodes, direction | who is joined to whom |
//! | degree of every node, in- and out-degree of directed networks | triangles, communities, components |
//! | sides of a bipartite network with cycles; no edge leaves its component | cycles of a forest |
//! | loops, with their weights | – |
//! | multiset of the weights of all other edges | weight of an edge, strength of a node |
//!
//! What a rewired network shares with the original follows from the degrees; what it does not share is structure beyond them.
//! Edges are exchanged by the chain in `switching.rs`; then the weights are put on the edges in uniformly random order. So all networks
//! with these degrees, and all assignments of weights to their edges, have the same probability in the limit of many proposals.
//! Between two sides, edges are arcs from one to the other, of which switches alone reach all networks (Ryser, *Combinatorial properties of
//! matrices of zeros and ones*, 1957); arcs in opposite directions are switched apart. So is each component, which may fall apart, as nothing shows which of
//! its sides goes with which of another's. Where all arcs lead from one kind of nodes to another, in- and out-degrees keep the sides, and components mix.

mod edge_set;
mod switching;
#[cfg(test)]
mod tests;

use super::generate::sparse::with_ids;
use super::{Build, Edge, Loops, Network, Sides};
use crate::rng::{Purpose, ids, shuffle, stream};
use crate::{Error, Result, memory};
use std::collections::BTreeMap;
pub(super) use switching::Switching;

/// Proposals per edge by default, twice as many as change anything. On networks of 16,656 and 53,381 edges the share of new edges
/// was .680 and .770 after one, .834 and .953 after five, .835 and .953 after ten and after fifty; from five on, numbers of triangles
/// varied as they do between seeds.
pub const DEFAULT_PROPOSALS: u64 = 10;

/// A random network with the degrees of another one: that of [`DEFAULT_PROPOSALS`] or any other number of `proposals` per edge from the network,
/// of which some are rejected. Names, loops and the multiset of weights are kept as well. Further copies have other seeds.
///
/// ```
/// use ergodict::data::{DEFAULT_PROPOSALS, differences, embedded, rewired};
/// let karate = embedded("@karate")?;
/// let copy = rewired(&karate, DEFAULT_PROPOSALS, 0)?;
/// assert!((0..34).all(|v| copy.neighbors(v).len() == karate.neighbors(v).len()));
/// assert!(differences(&karate, &copy).came > 30); // of 78 edges
/// # Ok::<(), ergodict::Error>(())
/// ```
///
/// # Errors
/// [`Error::Parameter`] for no proposals; [`Error::Memory`] for a network without room for a copy.
pub fn rewired(network: &Network, proposals: u64, seed: u64) -> Result<Network> {
    rewired_until(network, proposals, seed, &|| false)
}

/// The same for a network that may be large: `stop` is asked on the way.
///
/// ```
/// use ergodict::{Error, data::{embedded, rewired_until}};
/// let stopped = rewired_until(&embedded("@karate")?, 10, 0, &|| true);
/// assert!(matches!(stopped, Err(Error::Interrupted)));
/// # Ok::<(), ergodict::Error>(())
/// ```
///
/// # Errors
/// As [`rewired`]; [`Error::Interrupted`].
pub fn rewired_until(
    network: &Network,
    proposals: u64,
    seed: u64,
    stop: &dyn Fn() -> bool,
) -> Result<Network> {
    if proposals == 0 {
        return Err(Error::parameter("the number of proposals per edge", 0, "it must be at least 1"));
    }
    check_memory(network, 0)?;
    let rng = &mut stream(seed, Purpose::Synthetic, ids::REWIRED);
    let proper = || network.each_edge().filter(|(u, v, _)| u != v);
    let mut edges = Vec::with_capacity((network.edges() - network.loops()) as usize);
    edges.extend(proper().map(|(u, v, _)| (u, v)));
    let mut switch = |edges: Vec<(u32, u32)>, directed| {
        let total = proposals.saturating_mul(edges.len() as u64);
        let mut chain = Switching::new(edges, directed);
        if chain.run(total, rng, stop) { Ok(chain.into_edges()) } else { Err(Error::Interrupted) }
    };
    let edges = match network.sides().filter(|_| !is_one_way(network.nodes(), &edges, network.is_directed()))
    {
        None => switch(edges, network.is_directed())?,
        Some(sides) => {
            check_memory(network, GROUPED)?;
            let mut groups: BTreeMap<(u32, bool), Vec<(u32, u32)>> = BTreeMap::new();
            for (u, v) in edges {
                let (component, back) = sides.of(u);
                let turned = back && !network.is_directed();
                let edge = if turned { (v, u) } else { (u, v) };
                groups.entry((component, back && !turned)).or_default().push(edge);
            }
            let mut edges = Vec::with_capacity(groups.values().map(Vec::len).sum());
            for group in groups.into_values() {
                edges.extend(switch(group, true)?);
            }
            edges
        }
    };
    let ids = network.ids().clone();
    if !network.is_weighted() && network.loops() == 0 {
        return Ok(with_ids(ids, &edges, network.is_directed()));
    }
    let mut weights: Vec<f64> = proper().map(|edge| edge.2).collect();
    shuffle(&mut weights, rng);
    let switched = edges.into_iter().zip(weights).map(|((u, v), weight)| (u, v, weight));
    let loops = network.each_edge().filter(|(u, v, _)| u == v);
    let edges: Vec<Edge> = switched.chain(loops).collect();
    let build = Build { directed: network.is_directed(), loops: Loops::Keep };
    Ok(Network::build(ids, &edges, network.is_weighted(), build)?.0)
}

/// Whether arcs lead away from some nodes and to others, and no node has both.
fn is_one_way(nodes: usize, arcs: &[(u32, u32)], directed: bool) -> bool {
    if !directed {
        return false;
    }
    let mut sends = vec![false; nodes];
    arcs.iter().for_each(|&(u, _)| sends[u as usize] = true);
    arcs.iter().all(|&(_, v)| !sends[v as usize])
}

/// Bytes per edge of lists of a component and side each, which grow as they are filled.
const GROUPED: u64 = 16;

/// Whether there is room for the chain and the copy, with so many other bytes per edge.
fn check_memory(network: &Network, others: u64) -> Result<()> {
    // The list of edges and the rows; `Network::build` sorts copies of what it is given.
    let per_edge = Switching::BYTES + if network.is_weighted() || network.loops() > 0 { 96 } else { 16 };
    // Rows, and of the sides what a search has met.
    let needed = network.edges() * (per_edge + others) + network.nodes() as u64 * (24 + Sides::BYTES);
    memory::check(needed, "a rewired copy of the network", "choose a smaller network")
}
