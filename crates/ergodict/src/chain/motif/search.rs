//! A random homomorphism to start from, by backtracking, or the reason why there is none.
//!
//! | what | here | why it may be done |
//! |---|---|---|
//! | order of the motif | [`Plan`] | connected, so that candidates are common neighbors of nodes already placed |
//! | nodes that can be in an image at all | [`Domains`] | see there |
//! | walks back to the first node | [`Distances`] | a walk of a motif is mapped to a walk: where node `i` is reached from the first by `d` edges, `x(i)` is reached from `x(first)` by `d` edges; in undirected networks then also by `d + 2`, so that the shortest even and odd walks say it all |
//!
//! With the last, cycles in undirected networks are filled without going back. Backtracking starts afresh
//! after more and more steps, as a bad first choice can take for ever. When all is tried, it is proved that
//! there is no homomorphism. The paper starts from rejection (Algorithm A3), which never ends when there is
//! none.

use super::{Motif, RootedTree};
use crate::data::{Network, Rows};
use crate::rng::below;
use crate::{Error, Result};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

/// Entries of rows that a search looks at before it gives up, unless said otherwise.
pub(crate) const STEPS: u64 = 1 << 26;

/// Steps of the first attempt; each has twice as many as the one before.
const FIRST_STEPS: u64 = 1 << 12;

/// Most bits of the domains of a directed network; larger ones are searched without.
const MOST_BITS: u64 = 1 << 32;

/// Sweeps over the edges of the motif that narrow the domains of a directed network. Two settle a tree; the
/// rest is for cycles, where each takes away one layer of dead ends.
const SWEEPS: usize = 64;

/// A generator for questions whose answer does not depend on it, as whether there is a homomorphism:
/// constructors have no other. No [`Purpose`](crate::rng::Purpose) has this stream.
pub(super) fn settled() -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    rng.set_stream(u64::MAX);
    rng
}

/// What a search comes to.
pub(super) enum Sought {
    /// A homomorphism.
    Found(Vec<u32>),
    /// It was shown that there is none.
    Impossible(Error),
    /// None was found, which says nothing.
    Unknown(Error),
}

/// A random homomorphism of the motif into the network, with different nodes if `injective`. Its law is not
/// `π`, but each has a positive probability.
///
/// # Errors
/// [`Error::Parameter`] when there is none, with the reason, and when none was found in `steps` steps.
pub(crate) fn homomorphism(
    network: &Network,
    motif: &Motif,
    injective: bool,
    steps: u64,
    rng: &mut ChaCha8Rng,
) -> Result<Vec<u32>> {
    match seek(network, motif, injective, steps, rng) {
        Sought::Found(x) => Ok(x),
        Sought::Impossible(why) | Sought::Unknown(why) => Err(why),
    }
}

/// The same, and whether there is none at all.
pub(super) fn seek(
    network: &Network,
    motif: &Motif,
    injective: bool,
    steps: u64,
    rng: &mut ChaCha8Rng,
) -> Sought {
    let (n, k) = (network.nodes(), motif.k());
    let distinct = if injective { " with distinct nodes" } else { "" };
    let none = |why: String| {
        let expected = format!("the network has none{distinct}: {why}");
        Sought::Impossible(Error::parameter("the motif", motif.describe(), expected))
    };
    if n == 0 {
        return none("the network has no node".into());
    }
    if k == 1 {
        return Sought::Found(vec![below(rng, n as u64) as u32]);
    }
    if network.stored() == 0 {
        return none("the network has no edge".into());
    }
    let around = motif.around();
    // Without loops, nodes that are joined are different.
    let different = injective || (network.loops() == 0 && around.iter().all(|row| row.len() + 1 == k));
    if different && k > n {
        return none(format!("it needs {k} different nodes, and the network has {n}"));
    }
    let tree = around.iter().map(Vec::len).sum::<usize>() == 2 * (k - 1);
    if tree && !different && !network.is_directed() {
        return walked(network, motif, rng)
            .map_or_else(|| none("the network has no edge".into()), Sought::Found);
    }
    let sides = motif.sides();
    let domains = match Domains::new(network, motif, &around, sides.is_none(), different, steps) {
        Ok(domains) => domains,
        Err(why) => return none(why),
    };
    let mut search = Search::new(network, motif, &around, domains, different);
    // Distances may take a look at all edges, of which 16 count as one.
    let mut limit = FIRST_STEPS + if search.walks.is_some() { network.stored() / 4 } else { 0 };
    let mut left = if search.walks.is_some() { steps.max(limit) } else { steps };
    while left > 0 {
        let taken = limit.min(left);
        match search.attempt(taken, rng) {
            Outcome::Found => return Sought::Found(search.x),
            Outcome::Exhausted => return none("all ways to place its nodes were tried".into()),
            Outcome::OutOfSteps => (left, limit) = (left - taken, 2 * limit),
        }
    }
    if !different && let Some(folded) = folded(network, sides.as_deref(), k, rng) {
        return Sought::Found(folded);
    }
    Sought::Unknown(Error::parameter(
        "the motif",
        motif.describe(),
        format!(
            "no sample{distinct} was found in {steps} steps of search, nor was it shown that there is none: \
             a smaller motif or one with fewer edges may be found, and a larger part of the network"
        ),
    ))
}

/// A tree in an undirected network: every neighbor of the image of a parent will do, so that nothing has to
/// be kept or taken back.
fn walked(network: &Network, motif: &Motif, rng: &mut ChaCha8Rng) -> Option<Vec<u32>> {
    let tree = RootedTree::spanning(motif.k(), motif.edges()).ok()?;
    let mut any = |nodes: &[u32]| nodes[below(rng, nodes.len() as u64) as usize];
    let with_edges: Vec<u32> =
        (0..network.nodes() as u32).filter(|&v| network.rows().degree(v as usize) > 0).collect();
    if with_edges.is_empty() {
        return None;
    }
    let mut x = vec![any(&with_edges); motif.k()];
    for &i in &tree.order {
        x[i as usize] = any(network.neighbors(x[tree.parent[i as usize] as usize] as usize));
    }
    Some(x)
}

/// All on a loop; or, of an undirected network, the two sides of the motif on the ends of an edge.
fn folded(network: &Network, sides: Option<&[bool]>, k: usize, rng: &mut ChaCha8Rng) -> Option<Vec<u32>> {
    let mut any =
        |nodes: Vec<u32>| (!nodes.is_empty()).then(|| nodes[below(rng, nodes.len() as u64) as usize]);
    let all = 0..network.nodes() as u32;
    let looped = |v: &u32| network.weight(*v as usize, *v as usize) > 0.0;
    if network.loops() > 0 {
        return any(all.filter(looped).collect()).map(|v| vec![v; k]);
    }
    let sides = sides.filter(|_| !network.is_directed())?;
    let one = any(all.filter(|&v| network.rows().degree(v as usize) > 0).collect())?;
    let two = any(network.neighbors(one as usize).to_vec())?;
    Some(sides.iter().map(|side| if *side { two } else { one }).collect())
}

/// A set of nodes.
struct Nodes(Vec<u64>);

impl Nodes {
    fn with(n: usize, keep: impl Fn(usize) -> bool) -> Self {
        let mut nodes = Self(vec![0; n.div_ceil(64)]);
        (0..n).filter(|&v| keep(v)).for_each(|v| nodes.0[v / 64] |= 1 << (v % 64));
        nodes
    }
    fn contains(&self, v: u32) -> bool {
        self.0[v as usize / 64] >> (v % 64) & 1 == 1
    }
    fn remove(&mut self, v: u32) {
        self.0[v as usize / 64] &= !(1 << (v % 64));
    }
    fn insert(&mut self, v: u32) {
        self.0[v as usize / 64] |= 1 << (v % 64);
    }
    fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }
    fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        (0..64 * self.0.len() as u32).filter(|&v| self.contains(v))
    }
}

/// Which nodes can be the image of each node of the motif.
///
/// - Undirected networks, one set for all: nodes with an edge; for a motif with a cycle of odd length those of
///   components that are not bipartite; for different nodes those of components that are large enough, and of
///   the part in which all degrees are at least the smallest of the motif.
/// - Directed networks: what is left when nodes without a partner across an edge of the motif are taken away,
///   again and again. Of a tree this leaves exactly the nodes that are in an image.
struct Domains {
    sets: Vec<Nodes>,
    /// Neighbors that the image of each node of the motif must have.
    degrees: Vec<usize>,
}

impl Domains {
    fn new(
        network: &Network,
        motif: &Motif,
        around: &[Vec<u32>],
        odd: bool,
        different: bool,
        steps: u64,
    ) -> std::result::Result<Self, String> {
        let (n, k) = (network.nodes(), motif.k());
        let degrees = around.iter().map(|row| if different { row.len() } else { 1 }).collect();
        if network.is_directed() {
            let sets = if k as u64 * n as u64 > MOST_BITS {
                vec![Nodes::with(n, |_| true)]
            } else {
                consistent(network, motif, steps)?
            };
            return Ok(Self { sets, degrees: vec![0; k] });
        }
        let parts = network.components();
        let label = |v: usize| parts.labels[v] as usize;
        if odd && parts.bipartite.iter().all(|two_sided| *two_sided) {
            let what = motif.describe();
            let what =
                if what == "a triangle" { what } else { format!("{what} has a cycle of odd length and") };
            return Err(format!("{what} cannot be mapped into a bipartite network"));
        }
        let mut set = Nodes::with(n, |v| network.rows().degree(v) > 0 && !(odd && parts.bipartite[label(v)]));
        if different {
            let set_of_large =
                Nodes::with(n, |v| set.contains(v as u32) && parts.sizes[label(v)] >= k as u64);
            if set_of_large.is_empty() {
                return Err(format!("no component that it could be in has {k} nodes"));
            }
            set = set_of_large;
            let least = around.iter().map(Vec::len).min().unwrap_or(0);
            peel(network, &mut set, least);
            if set.is_empty() {
                return Err(format!(
                    "its nodes have {least} neighbors or more, and no part of the network is so dense"
                ));
            }
        }
        Ok(Self { sets: vec![set], degrees })
    }

    fn domain(&self, i: usize) -> &Nodes {
        &self.sets[i.min(self.sets.len() - 1)]
    }
}

/// Takes away nodes with fewer than `least` neighbors in the set, until there are none: the core.
fn peel(network: &Network, set: &mut Nodes, least: usize) {
    let proper = |v: u32| network.neighbors(v as usize).iter().copied().filter(move |&w| w != v);
    let mut degree: Vec<usize> = vec![0; network.nodes()];
    set.iter().for_each(|v| degree[v as usize] = proper(v).filter(|&w| set.contains(w)).count());
    let mut doomed: Vec<u32> = set.iter().filter(|&v| degree[v as usize] < least).collect();
    doomed.iter().for_each(|&v| set.remove(v));
    while let Some(v) = doomed.pop() {
        for w in proper(v).filter(|&w| set.contains(w)).collect::<Vec<_>>() {
            degree[w as usize] -= 1;
            if degree[w as usize] < least {
                set.remove(w);
                doomed.push(w);
            }
        }
    }
}

/// Arc consistency, by sweeps up and down a spanning tree of the motif. Of a tree two settle it; of others it
/// ends after about `steps` steps, with sets that are larger than they could be, but right.
fn consistent(network: &Network, motif: &Motif, steps: u64) -> std::result::Result<Vec<Nodes>, String> {
    let (n, k) = (network.nodes(), motif.k());
    let mut sets: Vec<Nodes> = (0..k).map(|_| Nodes::with(n, |_| true)).collect();
    let mut place = vec![0; k];
    Plan::from_first(&motif.around(), 0).order.iter().zip(0..).for_each(|(&i, at)| place[i as usize] = at);
    let mut edges = motif.edges().to_vec();
    edges.sort_by_key(|&(i, j)| std::cmp::Reverse(place[i as usize].max(place[j as usize])));
    // To look at a bit is so quick that 16 count as one.
    let most = if motif.tree().is_some() { u64::MAX } else { steps.saturating_mul(16) };
    let looked = std::cell::Cell::new(0);
    for _ in 0..SWEEPS {
        let mut narrower = false;
        for &(i, j) in &edges {
            if looked.get() > most {
                return Ok(sets);
            }
            for (at, other, rows) in [(i, j, network.rows()), (j, i, network.incoming())] {
                let (at, other) = (at as usize, other as usize);
                let alone = |v: &u32| {
                    let row = rows.neighbors(*v as usize);
                    let partner = row.iter().position(|&w| sets[other].contains(w));
                    looked.set(looked.get() + partner.unwrap_or(row.len()) as u64);
                    partner.is_none()
                };
                looked.set(looked.get() + n as u64);
                let gone: Vec<u32> = sets[at].iter().filter(alone).collect();
                narrower |= !gone.is_empty();
                gone.iter().for_each(|&v| sets[at].remove(v));
                if sets[at].is_empty() {
                    return Err(format!("no node of the directed network fits node {at} of the motif"));
                }
            }
        }
        if !narrower {
            break;
        }
        edges.reverse();
    }
    Ok(sets)
}

/// In which order the nodes of the motif are placed.
struct Plan {
    order: Vec<u32>,
}

impl Plan {
    /// From a node on, always one of those with the most neighbors among the placed.
    fn from_first(around: &[Vec<u32>], first: usize) -> Self {
        let k = around.len();
        let (mut order, mut placed, mut ties) = (Vec::with_capacity(k), vec![false; k], vec![0u32; k]);
        let mut next = first;
        for _ in 0..k {
            order.push(next as u32);
            placed[next] = true;
            around[next].iter().for_each(|&j| ties[j as usize] += 1);
            // Of equal ones the first: `max_by_key` would take the last.
            next = (0..k).rev().filter(|&i| !placed[i]).max_by_key(|&i| ties[i]).unwrap_or(0);
        }
        Self { order }
    }
}

/// Lengths of the shortest even and odd walks from one node, up to some length; `u32::MAX` where there are
/// none.
struct Distances {
    lengths: Vec<[u32; 2]>,
    reached: Vec<(u32, u32)>,
}

impl Distances {
    fn new(n: usize) -> Self {
        Self { lengths: vec![[u32::MAX; 2]; n], reached: Vec::new() }
    }

    /// From `first`, and how many entries were looked at.
    fn from<'a>(&mut self, first: u32, longest: u32, row: impl Fn(u32) -> &'a [u32]) -> u64 {
        for (v, length) in self.reached.drain(..) {
            self.lengths[v as usize][length as usize % 2] = u32::MAX;
        }
        let mut steps = 0;
        self.lengths[first as usize][0] = 0;
        self.reached.push((first, 0));
        let mut at = 0;
        while let Some(&(v, length)) = self.reached.get(at) {
            at += 1;
            if length == longest {
                break;
            }
            steps += row(v).len() as u64;
            for &w in row(v) {
                let known = &mut self.lengths[w as usize][(length as usize + 1) % 2];
                if *known == u32::MAX {
                    *known = length + 1;
                    self.reached.push((w, length + 1));
                }
            }
        }
        steps
    }

    /// Whether walks as short as those to a node of the motif lead to `v`.
    fn allow(&self, v: u32, motif: [u32; 2]) -> bool {
        let here = self.lengths[v as usize];
        (0..2).all(|parity| motif[parity] == u32::MAX || here[parity] <= motif[parity])
    }
}

/// An edge of the motif to a node that is already placed.
#[derive(Clone, Copy)]
struct Tie {
    node: u32,
    /// Whether the edge comes from there.
    inward: bool,
}

enum Outcome {
    Found,
    Exhausted,
    OutOfSteps,
}

struct Search<'a> {
    network: &'a Network,
    domains: Domains,
    different: bool,
    order: Vec<u32>,
    /// The edges to nodes placed before, by place in the order.
    ties: Vec<Vec<Tie>>,
    /// Walks of the motif from its first node, for motifs with cycles in undirected networks.
    walks: Option<(Vec<[u32; 2]>, Distances)>,
    /// What is left to be tried at each place.
    candidates: Vec<Vec<u32>>,
    used: Nodes,
    x: Vec<u32>,
}

impl<'a> Search<'a> {
    fn new(
        network: &'a Network,
        motif: &Motif,
        around: &[Vec<u32>],
        domains: Domains,
        different: bool,
    ) -> Self {
        let (n, k) = (network.nodes(), motif.k());
        let first = (0..k).rev().max_by_key(|&i| around[i].len()).unwrap_or(0);
        let order = Plan::from_first(around, first).order;
        let mut place = vec![0; k];
        order.iter().zip(0..).for_each(|(&i, at)| place[i as usize] = at);
        let mut ties = vec![Vec::new(); k];
        for &(i, j) in motif.edges() {
            let (at_i, at_j): (usize, usize) = (place[i as usize], place[j as usize]);
            if at_i < at_j {
                ties[at_j].push(Tie { node: i, inward: true });
            } else {
                ties[at_i].push(Tie { node: j, inward: false });
            }
        }
        let cyclic = around.iter().map(Vec::len).sum::<usize>() > 2 * (k - 1);
        let walks = (cyclic && !network.is_directed()).then(|| {
            let mut motif = Distances::new(k);
            motif.from(order[0], u32::MAX, |i| &around[i as usize]);
            (motif.lengths, Distances::new(n))
        });
        let used = Nodes::with(n, |_| false);
        let candidates = vec![Vec::new(); k];
        Self { network, domains, different, order, ties, walks, candidates, used, x: vec![0; k] }
    }

    /// From the start, for about `steps` steps.
    fn attempt(&mut self, limit: u64, rng: &mut ChaCha8Rng) -> Outcome {
        let network = self.network;
        self.used.0.fill(0);
        let first = self.order[0] as usize;
        self.candidates[0].clear();
        let fits = |v: &u32| network.rows().degree(*v as usize) >= self.domains.degrees[first];
        self.candidates[0].extend(self.domains.domain(first).iter().filter(fits));
        let (mut at, mut steps) = (0, 0);
        loop {
            if steps > limit {
                return Outcome::OutOfSteps;
            }
            let left = &mut self.candidates[at];
            if left.is_empty() {
                if at == 0 {
                    return Outcome::Exhausted;
                }
                at -= 1;
                self.used.remove(self.x[self.order[at] as usize]);
                continue;
            }
            let v = left.swap_remove(below(rng, left.len() as u64) as usize);
            self.x[self.order[at] as usize] = v;
            steps += 1;
            if at == 0
                && let Some((motif, network_walks)) = &mut self.walks
            {
                let finite = motif.iter().flatten().copied().filter(|&length| length != u32::MAX);
                let longest = finite.max().unwrap_or(0);
                steps += network_walks.from(v, longest, |u| network.neighbors(u as usize)) / 16;
                if !network_walks.allow(v, motif[first]) {
                    continue;
                }
            }
            at += 1;
            if at == self.order.len() {
                return Outcome::Found;
            }
            self.used.insert(v);
            steps += self.propose(at);
        }
    }

    /// Fills in the candidates at a place, and says how many entries were looked at.
    fn propose(&mut self, at: usize) -> u64 {
        let i = self.order[at] as usize;
        let (network, x, ties) = (self.network, &self.x, &self.ties[at]);
        let row = |tie: &Tie| -> &[u32] {
            let rows: &Rows = if tie.inward { network.rows() } else { network.incoming() };
            rows.neighbors(x[tie.node as usize] as usize)
        };
        let Some(shortest) = (0..ties.len()).min_by_key(|&t| row(&ties[t]).len()) else { return 0 };
        let shorter = row(&ties[shortest]);
        let fits = |w: &u32| {
            let rest = ties.iter().enumerate().filter(|(t, _)| *t != shortest);
            self.domains.domain(i).contains(*w)
                && !(self.different && self.used.contains(*w))
                && network.rows().degree(*w as usize) >= self.domains.degrees[i]
                && self.walks.as_ref().is_none_or(|(motif, distances)| distances.allow(*w, motif[i]))
                && rest.map(|(_, tie)| row(tie)).all(|row| row.binary_search(w).is_ok())
        };
        let candidates = &mut self.candidates[at];
        candidates.clear();
        candidates.extend(shorter.iter().copied().filter(fits));
        shorter.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Build, Loops, NodeIds};
    use crate::rng::{Purpose, stream};
    use std::collections::HashSet;

    fn find(network: &Network, motif: &Motif, injective: bool) -> std::result::Result<Vec<u32>, String> {
        let found = homomorphism(network, motif, injective, STEPS, &mut stream(1, Purpose::Chain, 0));
        if let Ok(x) = &found {
            let weight =
                |&(i, j): &(u32, u32)| network.weight(x[i as usize] as usize, x[j as usize] as usize);
            assert!(motif.edges().iter().all(|edge| weight(edge) > 0.0), "{x:?}");
            assert!(!injective || x.iter().collect::<HashSet<_>>().len() == x.len(), "{x:?}");
        }
        found.map_err(|error| error.to_string())
    }

    fn refused(network: &Network, motif: &Motif, injective: bool, words: &str) {
        let message = find(network, motif, injective).unwrap_err();
        assert!(message.contains(words), "{message}");
    }

    fn directed(n: usize, edges: &[(u32, u32)], loops: Loops) -> Network {
        let edges: Vec<_> = edges.iter().map(|&(u, v)| (u, v, 1.0)).collect();
        Network::build(NodeIds::numbered(n), &edges, false, Build { directed: true, loops }).unwrap().0
    }

    fn ring(n: u32) -> Network {
        Network::simple(n as usize, &(0..n).map(|v| (v, (v + 1) % n)).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn no_homomorphism_exists() {
        let square = ring(4);
        refused(
            &square,
            &Motif::cycle(3).unwrap(),
            false,
            "a triangle cannot be mapped into a bipartite network",
        );
        refused(
            &square,
            &Motif::cycle(5).unwrap(),
            false,
            "odd length and cannot be mapped into a bipartite",
        );
        refused(&ring(5), &Motif::cycle(3).unwrap(), false, "the network has none");
        refused(&ring(5), &Motif::complete(4).unwrap(), false, "3 neighbors or more");
        refused(&ring(25), &Motif::cycle(23).unwrap(), false, "all ways");
        assert!(find(&ring(23), &Motif::cycle(25).unwrap(), false).is_ok());
        let acyclic = directed(4, &[(0, 1), (1, 2), (0, 2), (2, 3)], Loops::Drop);
        refused(&acyclic, &Motif::cycle(3).unwrap(), false, "fits node");
        refused(&acyclic, &Motif::path(5).unwrap(), false, "fits node");
        assert_eq!(find(&acyclic, &Motif::path(4).unwrap(), false).unwrap(), [0, 1, 2, 3]);
    }

    #[test]
    fn empty_and_edgeless_networks() {
        let chain = Motif::path(2).unwrap();
        refused(&Network::simple(0, &[]).unwrap(), &Motif::path(1).unwrap(), false, "no node");
        refused(&Network::simple(3, &[]).unwrap(), &chain, false, "no edge");
        refused(&Network::simple(3, &[(1, 1)]).unwrap(), &chain, false, "no edge");
        assert!(find(&Network::simple(3, &[]).unwrap(), &Motif::path(1).unwrap(), false).unwrap()[0] < 3);
    }

    #[test]
    fn self_loops_only_take_everything_when_they_are_kept() {
        for is_directed in [false, true] {
            let build = Build { directed: is_directed, loops: Loops::Keep };
            let (network, _) = Network::build(NodeIds::numbered(3), &[(1, 1, 2.0)], true, build).unwrap();
            for motif in [Motif::path(4), Motif::cycle(3), Motif::complete(5)] {
                let motif = motif.unwrap();
                assert_eq!(find(&network, &motif, false).unwrap(), vec![1; motif.k()]);
                assert!(find(&network, &motif, true).is_err());
            }
        }
    }

    #[test]
    fn motifs_may_have_more_nodes_than_the_network() {
        let edge = Network::simple(2, &[(0, 1)]).unwrap();
        for motif in [Motif::path(40), Motif::star(9), Motif::cycle(8)] {
            let motif = motif.unwrap();
            assert_eq!(find(&edge, &motif, false).unwrap().len(), motif.k());
            refused(&edge, &motif, true, "different nodes, and the network has 2");
        }
        refused(&edge, &Motif::complete(3).unwrap(), false, "needs 3 different nodes");
    }

    #[test]
    fn different_nodes_are_found_where_there_are_enough() {
        let apart = Network::simple(7, &[(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 6)]).unwrap();
        assert!(find(&apart, &Motif::cycle(3).unwrap(), true).unwrap().iter().all(|&v| v < 3));
        assert!(find(&apart, &Motif::path(4).unwrap(), true).unwrap().iter().all(|&v| v > 2));
        refused(&apart, &Motif::path(5).unwrap(), true, "no component");
        refused(&apart, &Motif::star(4).unwrap(), true, "all ways");
        refused(&apart, &Motif::cycle(4).unwrap(), true, "no part of the network");
    }

    #[test]
    fn isolated_nodes_are_never_in_an_image() {
        let network = Network::simple(50, &[(20, 30)]).unwrap();
        for id in 0..20 {
            let x = homomorphism(
                &network,
                &Motif::path(3).unwrap(),
                false,
                STEPS,
                &mut stream(id, Purpose::Chain, 0),
            )
            .unwrap();
            assert!(x.iter().all(|v| [20, 30].contains(v)));
        }
    }

    #[test]
    fn what_backtracking_says_is_what_enumeration_says() {
        let mut rng = stream(5, Purpose::Synthetic, 0);
        let motifs = [
            Motif::path(2).unwrap(),
            Motif::path(4).unwrap(),
            Motif::star(4).unwrap(),
            Motif::cycle(3).unwrap(),
            Motif::cycle(4).unwrap(),
            Motif::cycle(5).unwrap(),
            Motif::complete(4).unwrap(),
            Motif::new(4, vec![(1, 0), (1, 2), (3, 2)]).unwrap(),
            Motif::new(4, vec![(0, 1), (1, 2), (2, 0), (3, 2)]).unwrap(),
        ];
        let (mut yes, mut no) = (0, 0);
        for case in 0..120 {
            let n = 1 + below(&mut rng, 6) as u32;
            let count = below(&mut rng, 9);
            let edges: Vec<_> = (0..count)
                .map(|_| (below(&mut rng, n.into()) as u32, below(&mut rng, n.into()) as u32, 1.0))
                .collect();
            let loops = if case % 3 == 0 { Loops::Keep } else { Loops::Drop };
            let build = Build { directed: case % 2 == 0, loops };
            let (network, _) = Network::build(NodeIds::numbered(n as usize), &edges, false, build).unwrap();
            for motif in &motifs {
                let (mut any, mut distinct) = (false, false);
                for code in 0..n.pow(motif.k() as u32) {
                    let node = |i: u32| (code / n.pow(i) % n) as usize;
                    let whole = motif.edges().iter().all(|&(i, j)| network.weight(node(i), node(j)) > 0.0);
                    let nodes: HashSet<usize> = (0..motif.k() as u32).map(node).collect();
                    any |= whole;
                    distinct |= whole && nodes.len() == motif.k();
                }
                assert_eq!(find(&network, motif, false).is_ok(), any, "{motif:?} {edges:?}");
                assert_eq!(find(&network, motif, true).is_ok(), distinct, "{motif:?} {edges:?}");
                (yes, no) = (yes + u32::from(any), no + u32::from(!any));
            }
        }
        assert!(yes > 100 && no > 100, "{yes} {no}");
    }

    #[test]
    fn trees_in_hubs_take_no_more_than_their_nodes() {
        let leaves = 100_000u32;
        let star =
            Network::simple(leaves as usize + 1, &(1..=leaves).map(|v| (0, v)).collect::<Vec<_>>()).unwrap();
        // By candidates for every node these would take 800 MB and 1.6 GB; here no step is allowed.
        for motif in [Motif::path(4096).unwrap(), Motif::star(4096).unwrap()] {
            let x = homomorphism(&star, &motif, false, 0, &mut stream(1, Purpose::Chain, 0)).unwrap();
            assert!(motif.edges().iter().all(|&(i, j)| (x[i as usize] == 0) != (x[j as usize] == 0)));
        }
    }

    #[test]
    fn domains_end_with_the_steps_and_are_right_then() {
        // A long directed path with a triangle at its end: each sweep takes away a node or two.
        let mut edges: Vec<(u32, u32)> = (0..60).map(|v| (v, v + 1)).collect();
        edges.extend([(61, 62), (62, 63), (63, 61)]);
        let network = directed(64, &edges, Loops::Drop);
        let motif = Motif::cycle(3).unwrap();
        let sizes = |steps| consistent(&network, &motif, steps).map(|sets| sets[0].iter().count());
        assert_eq!(sizes(STEPS), Ok(3));
        let wider = sizes(10).unwrap();
        assert!((4..64).contains(&wider), "{wider}");
        assert!(
            consistent(&network, &motif, 10).unwrap().iter().all(|set| (61..64).all(|v| set.contains(v)))
        );
    }

    #[test]
    fn a_search_that_gives_up_says_so_or_folds() {
        // A path with different nodes through a long comb is hard to find at random.
        let comb: Vec<(u32, u32)> =
            (0..200).flat_map(|v| [(v, v + 1), (v, 300 + v), (300 + v, 600 + v)]).collect();
        let network = Network::simple(900, &comb).unwrap();
        let few = |motif: &Motif, injective| {
            homomorphism(&network, motif, injective, 50, &mut stream(1, Purpose::Chain, 0))
        };
        let message = few(&Motif::path(201).unwrap(), true).unwrap_err().to_string();
        assert!(message.contains("in 50 steps"), "{message}");
        let folded = few(&Motif::cycle(300).unwrap(), false).unwrap();
        assert!(folded.len() == 300 && folded.iter().collect::<HashSet<_>>().len() > 1);
    }

    #[test]
    fn sets_of_nodes_hold_what_was_kept_in_any_word() {
        for n in [1, 63, 64, 65, 128, 200] {
            let mut nodes = Nodes::with(n, |v| v % 3 == 0);
            let kept: Vec<u32> = (0..n as u32).step_by(3).collect();
            assert_eq!(nodes.iter().collect::<Vec<_>>(), kept);
            let last = n as u32 - 1;
            nodes.remove(0);
            nodes.insert(last);
            assert!(!nodes.contains(0) || last == 0);
            assert!(nodes.contains(last));
            (0..n as u32).for_each(|v| nodes.remove(v));
            assert!(nodes.is_empty());
        }
        assert!(Nodes::with(0, |_| true).is_empty());
    }
}
