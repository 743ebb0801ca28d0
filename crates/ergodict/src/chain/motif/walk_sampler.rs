//! Independent random walks: a uniform start, then children drawn from their parents.
//!
//! | symbol | here | where |
//! |---|---|---|
//! | `x(1)` uniform on the nodes that can start | [`WalkSampler::start`] | docs/maths.md, Homomorphisms, "Walk" |
//! | `x(i) ∼ A(x(i−1),·)/d(x(i−1))` | [`Walk`] without backward weights | |
//! | `q(v)`, the chance that a walk from `v` is completed | `completion` | below |
//! | `π̂(x) = (1/n) Π A(x(i),x(i+1))/d(x(i)) / q(x(1))` | the stationary distribution, [`MotifSampler::weight`] | |
//!
//! On undirected networks every walk from a node with an edge is completed (`q = 1`), and `π̂` is what the approximate
//! pivot chain converges to. On a directed network a walk may run into a dead end: it is then drawn again from the same
//! start. There `q_i(v) = Π_c Σ_w A(v,w) q_c(w) / d(v)` over the children `c` of motif node `i`, and `q = q_1`.

use super::super::Chain;
use super::super::diagnostics::Acceptance;
use super::row_draw::RowDraws;
use super::walk::{LANES, Walk};
use super::{Motif, MotifSampler, RootedTree};
use crate::data::Network;
use crate::rng::below;
use crate::{Error, Result};
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;

/// Draws random walks independently, for tree motifs.
///
/// `π̂(x) = (1/n) Π A(x(i),x(i+1))/d(x(i))`, where `d` are the row sums: the start is uniform on the nodes that can start a
/// walk, so that all of the network is seen. Valid on every network, weighted or directed, connected or not.
#[derive(Clone, Debug)]
pub(crate) struct WalkSampler {
    motif: Motif,
    walk: Walk,
    /// The nodes that can start; none where all can.
    starts: Option<Vec<u32>>,
    /// `q(v)` of every node; none where it is 1 for all that can start.
    completion: Option<Vec<f64>>,
}

impl WalkSampler {
    /// A sampler of a tree motif. Walks from any start must take at most `most_tries` on average.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a motif that is not a tree, where no walk can be completed, and where walks from some node
    /// almost always run into a dead end.
    pub(crate) fn new(network: Arc<Network>, motif: &Motif, most_tries: u64) -> Result<Self> {
        let tree = motif.require_tree()?;
        let edges = &tree.downward[1..];
        let n = network.nodes();
        let completion = has_dead_ends(&network, edges).then(|| completion(&network, motif, tree));
        let can_start = |v: usize| match &completion {
            Some(completion) => completion[v] > 0.0,
            // Without dead ends, nodes of a directed network can all start; the others need a neighbor.
            None => motif.k() == 1 || network.is_directed() || network.rows().degree(v) > 0,
        };
        let count = (0..n).filter(|&v| can_start(v)).count();
        if count == 0 {
            let value = format!("one of {n} nodes and {} edges", network.edges());
            let expected = format!("it has no walk of the motif ({})", motif.describe());
            return Err(Error::parameter("the network", value, expected));
        }
        if let Some(completion) = &completion {
            let worst =
                (0..n).filter(|&v| can_start(v)).min_by(|&u, &v| completion[u].total_cmp(&completion[v]));
            if let Some(v) = worst.filter(|&v| completion[v] * (most_tries as f64) < 1.0) {
                let name = network.ids().name(v);
                let value = format!(
                    "one where a walk from node {name} is completed once in {:.1e} tries",
                    1.0 / completion[v]
                );
                let expected =
                    format!("it must be at least once in {most_tries}: the exact sampler has no dead ends");
                return Err(Error::parameter("the network", value, expected));
            }
        }
        let starts = (count < n).then(|| (0..n as u32).filter(|&v| can_start(v as usize)).collect());
        let downward = motif.k() == 1 || edges.contains(&true);
        let draws = Arc::new(RowDraws::new(network, downward, edges.contains(&false)));
        let walk = Walk::new(draws, motif, None);
        Ok(Self { motif: motif.clone(), walk, starts, completion })
    }

    /// Bytes of memory in addition to the network.
    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        let starts = 4 * self.starts.as_ref().map_or(0, Vec::len);
        self.walk.bytes() + starts + 8 * self.completion.as_ref().map_or(0, Vec::len)
    }

    /// The most bytes that it would take in addition to the network.
    pub(super) fn bytes_needed(network: &Network) -> usize {
        let each = if network.is_directed() { 4 + 8 } else { 4 };
        RowDraws::bytes_needed(network).saturating_add(each * network.nodes())
    }

    /// Nodes that can start a walk.
    fn start_count(&self) -> usize {
        self.starts.as_ref().map_or(self.network().nodes(), Vec::len)
    }

    #[inline(always)]
    fn start(&self, rng: &mut ChaCha8Rng) -> u32 {
        match &self.starts {
            None => below(rng, self.network().nodes() as u64) as u32,
            Some(starts) => starts[below(rng, starts.len() as u64) as usize],
        }
    }

    /// Draws walks from `x[0]` until one is completed; how many it took.
    fn complete(&self, x: &mut [u32], rng: &mut ChaCha8Rng) -> u64 {
        let mut tries = 1;
        while !self.walk.try_fill(x, rng) {
            tries += 1;
        }
        tries
    }

    /// `q(v)`; 0 for a node that cannot start.
    fn completion_of(&self, v: u32) -> f64 {
        match (&self.completion, &self.starts) {
            (Some(completion), _) => completion[v as usize],
            (None, Some(starts)) => f64::from(u8::from(starts.binary_search(&v).is_ok())),
            (None, None) => 1.0,
        }
    }

    /// The share of walks that run into a dead end.
    fn dead_end_share(&self) -> f64 {
        let Some(completion) = &self.completion else { return 0.0 };
        let tries: f64 = completion.iter().filter(|q| **q > 0.0).map(|q| 1.0 / q).sum();
        1.0 - self.start_count() as f64 / tries
    }
}

/// Whether a walk can come to a node that it cannot leave.
fn has_dead_ends(network: &Network, edges: &[bool]) -> bool {
    if !network.is_directed() {
        return false;
    }
    let ends = |down: bool| {
        let rows = if down { network.rows() } else { network.incoming() };
        edges.contains(&down) && (0..network.nodes()).any(|v| rows.degree(v) == 0)
    };
    ends(true) || ends(false)
}

/// `q(v)` of every node.
fn completion(network: &Network, motif: &Motif, tree: &RootedTree) -> Vec<f64> {
    let n = network.nodes();
    // Products over the children that were handled; none yet where it is 1.
    let mut products: Vec<Option<Vec<f64>>> = vec![None; motif.k()];
    for &child in tree.order.iter().rev() {
        let (child, parent) = (child as usize, tree.parent[child as usize] as usize);
        let below = products[child].take();
        let rows = if tree.downward[child] { network.rows() } else { network.incoming() };
        let message = |v: usize| match rows.degree(v) {
            0 => 0.0,
            _ => match &below {
                None => 1.0,
                Some(q) => {
                    let largest = rows.entries(v).map(|entry| entry.1).fold(0.0, f64::max);
                    let terms = rows.entries(v).map(|(w, weight)| (weight / largest, q[w as usize]));
                    let (sum, total) = terms.fold((0.0, 0.0), |(s, t), (a, q)| (s + a * q, t + a));
                    sum / total
                }
            },
        };
        match &mut products[parent] {
            Some(product) => product.iter_mut().enumerate().for_each(|(v, q)| *q *= message(v)),
            empty => *empty = Some((0..n).map(message).collect()),
        }
    }
    products[0].take().unwrap_or_else(|| vec![1.0; n])
}

impl Chain for WalkSampler {
    type State = Vec<u32>;
    type Info = Acceptance;

    fn init(&self, rng: &mut ChaCha8Rng) -> Vec<u32> {
        let mut x = vec![0; self.motif.k()];
        self.step(&mut x, rng);
        x
    }

    /// A new draw, whatever the state. Walks that run into a dead end count as proposals.
    fn step(&self, state: &mut Vec<u32>, rng: &mut ChaCha8Rng) -> Acceptance {
        state[0] = self.start(rng);
        Acceptance { accepted: 1, proposed: self.complete(state, rng) }
    }
}

impl MotifSampler for WalkSampler {
    fn motif(&self) -> &Motif {
        &self.motif
    }

    fn network(&self) -> &Network {
        &self.walk.draws().network
    }

    /// `π̂(x)` itself.
    fn weight(&self, x: &[u32]) -> f64 {
        match self.completion_of(x[0]) {
            0.0 => 0.0,
            q => self.walk.probability(x) / q / self.start_count() as f64,
        }
    }

    fn probability(&self, _: &[u32], to: &[u32]) -> f64 {
        self.weight(to)
    }

    fn is_independent(&self) -> bool {
        true
    }

    fn notes(&self) -> Vec<String> {
        let share = 100.0 * self.dead_end_share();
        if share == 0.0 {
            return Vec::new();
        }
        let digits = usize::from(share < 10.0);
        vec![format!(
            "{share:.digits$} % of walks run into a dead end and are drawn again from the same start"
        )]
    }

    fn sample(&self, state: &mut Vec<u32>, rng: &mut ChaCha8Rng, out: &mut [u32]) -> Acceptance {
        let k = self.motif.k();
        let mut info = Acceptance::default();
        for block in out.chunks_mut(LANES * k) {
            block.chunks_exact_mut(k).for_each(|x| x[0] = self.start(rng));
            let count = (block.len() / k) as u64;
            info.accepted += count;
            if self.completion.is_none() {
                self.walk.fill_block(block, rng);
                info.proposed += count;
            } else {
                info.proposed += block.chunks_exact_mut(k).map(|x| self.complete(x, rng)).sum::<u64>();
            }
        }
        if let Some(last) = out.chunks_exact(k).last() {
            state.copy_from_slice(last);
        }
        info
    }
}

#[cfg(test)]
mod tests {
    use super::super::check::{check, check_chain, tiny_motifs, tiny_networks};
    use super::super::{ApproximatePivot, PivotParameters};
    use super::*;

    /// The word in the reason why there is no such sampler.
    fn refused(network: &str, motif: &str) -> Option<&'static str> {
        match (network, motif) {
            (_, "cycle 3" | "cycle 4") => Some("must be a tree"),
            ("no edge" | "one node", motif) if motif != "chain 1" => Some("no walk of the motif"),
            _ => None,
        }
    }

    #[test]
    fn draws_have_the_stated_distribution_on_every_tiny_network() {
        let checked =
            check_chain(refused, |network, motif| Ok(Box::new(WalkSampler::new(network, motif, 1000)?)));
        assert!(checked > 120, "{checked}");
    }

    #[test]
    fn it_has_the_distribution_of_the_approximate_pivot_where_that_is_valid() {
        let mut cases = 0;
        for (name, network) in tiny_networks() {
            for (shape, motif) in tiny_motifs() {
                let Ok(pivot) = ApproximatePivot::new(network.clone(), &motif, PivotParameters::default())
                else {
                    continue;
                };
                let walks = WalkSampler::new(network.clone(), &motif, 1000).unwrap();
                let Some(checked) = check(&pivot) else { continue };
                for (x, p) in checked.states.iter().zip(&checked.law) {
                    assert!((walks.weight(x) - p).abs() < 1e-14, "{name}, {shape}, {x:?}");
                }
                cases += 1;
            }
        }
        assert!(cases > 75, "{cases}");
    }

    #[test]
    fn nodes_without_successors_start_walks_of_motifs_that_point_to_their_root() {
        let sink = tiny_networks().into_iter().find(|case| case.0 == "directed to a sink").unwrap().1;
        let walks = WalkSampler::new(sink, &Motif::new(2, vec![(1, 0)]).unwrap(), 1000).unwrap();
        // Node 3 has a single arc, from 2 into it, and each of the four nodes starts one walk in four.
        assert!((walks.weight(&[3, 2]) - 0.25).abs() < 1e-15);
    }

    #[test]
    fn dead_ends_are_reported_with_their_share() {
        let named = |name: &str| tiny_networks().into_iter().find(|case| case.0 == name).unwrap().1;
        // Walks of three nodes end at 4: only those from 3 and from 4 itself, which cannot start.
        let walks = WalkSampler::new(named("directed acyclic"), &Motif::path(3).unwrap(), 1000).unwrap();
        assert_eq!(walks.starts, Some(vec![0, 1, 2]));
        assert!(walks.notes().is_empty(), "{:?}", walks.notes());
        // From 2 a walk may step to the sink at once.
        let walks = WalkSampler::new(named("directed to a sink"), &Motif::path(3).unwrap(), 1000).unwrap();
        let mut rng = crate::rng::stream(1, crate::rng::Purpose::Chain, 0);
        let mut state = walks.init(&mut rng);
        let info = walks.sample(&mut state, &mut rng, &mut vec![0; 3 * 20_000]);
        let share = 1.0 - info.accepted as f64 / info.proposed as f64;
        let expected = walks.dead_end_share();
        assert!((share - expected).abs() < 4.0 * (expected / 20_000.0).sqrt(), "{share} {expected}");
        assert!(walks.notes()[0].contains("dead end"), "{:?}", walks.notes());
        // Where almost all walks end, another sampler is named.
        let message = WalkSampler::new(named("directed to a sink"), &Motif::path(4).unwrap(), 1).unwrap_err();
        assert!(message.to_string().contains("exact sampler"), "{message}");
    }
}
