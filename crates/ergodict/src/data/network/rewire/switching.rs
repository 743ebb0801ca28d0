//! The switching chain: exchanges ends of two random edges, over and over.
//!
//! | move | from | to | in |
//! |---|---|---|---|
//! | switch | `{a,b}`, `{c,d}` | `{a,d}`, `{c,b}` or `{a,c}`, `{d,b}` | undirected networks |
//! | switch | `a→b`, `c→d` | `a→d`, `c→b` | directed networks |
//! | reversal | `a→b→d→a` | `a→d→b→a` | directed networks |
//!
//! Two edges are drawn uniformly, with replacement, and for undirected networks one of two ways to exchange their ends. What would make a loop or
//! an edge that exists already is rejected, and the network stays as it is for that step. Every move is then as probable as its reverse, so that
//! the stationary distribution is uniform over the networks that can be reached.
//! These are all simple networks with the degrees (Taylor, *Constrained switchings in graphs*, 1981). Switches alone do not
//! reverse a cycle of three arcs; with reversals, all directed networks with the in- and out-degrees are reached (Rao, Jana and Bandyopadhyay,
//! *A Markov chain Monte Carlo method for generating random (0,1)-matrices with given marginals*, 1996).
//! Two arcs `a→b`, `b→d` cannot be switched, as that makes a loop: this pair proposes the reversal instead, where `d→a` closes the
//! cycle and no arc runs in the opposite direction. Three of all ordered pairs of arcs propose a reversal, and three its reverse.

use super::edge_set::EdgeSet;
use crate::linalg::prefetch;
use crate::rng::{ChaCha8Rng, below};

/// Proposals drawn at a time, so that what they need is loaded ahead.
const BLOCK: usize = 64;
/// Proposals ahead of the current one that edges are loaded for.
const AHEAD: usize = 8;
/// Blocks between two calls of `stop`: some milliseconds.
const BLOCKS: u64 = 1 << 10;

/// Two edges by index; of undirected networks, whether the second one is turned around.
type Proposal = (usize, usize, bool);

/// A network on its way: edges without loops, each once.
pub(in super::super) struct Switching {
    /// Of directed networks by ascending tails, which stay where they are.
    edges: Vec<(u32, u32)>,
    set: EdgeSet,
    directed: bool,
}

impl Switching {
    /// Bytes per edge.
    pub(super) const BYTES: u64 = EdgeSet::BYTES + 8;

    pub(in super::super) fn new(edges: Vec<(u32, u32)>, directed: bool) -> Self {
        let mut set = EdgeSet::with_room(edges.len());
        edges.iter().for_each(|&(u, v)| set.insert(pack(u, v, directed)));
        Self { edges, set, directed }
    }

    /// Makes proposals until `stop` is true; whether all were made.
    #[must_use]
    pub(in super::super) fn run(
        &mut self,
        proposals: u64,
        rng: &mut ChaCha8Rng,
        stop: &dyn Fn() -> bool,
    ) -> bool {
        let mut block = [(0, 0, false); BLOCK];
        let mut left = if self.edges.is_empty() { 0 } else { proposals };
        let mut blocks = 0u64;
        while left > 0 {
            if blocks.is_multiple_of(BLOCKS) && stop() {
                return false;
            }
            blocks += 1;
            let block = &mut block[..left.min(BLOCK as u64) as usize];
            left -= block.len() as u64;
            for proposal in block.iter_mut() {
                *proposal = self.draw(rng);
                prefetch(&self.edges, proposal.0);
                prefetch(&self.edges, proposal.1);
            }
            block.iter().take(AHEAD).for_each(|&proposal| self.prefetch(proposal));
            for at in 0..block.len() {
                if let Some(&later) = block.get(at + AHEAD) {
                    self.prefetch(later);
                }
                self.propose(block[at]);
            }
        }
        true
    }

    /// The edges as they are now.
    pub(in super::super) fn into_edges(self) -> Vec<(u32, u32)> {
        self.edges
    }

    #[inline]
    fn draw(&self, rng: &mut ChaCha8Rng) -> Proposal {
        let count = self.edges.len() as u64;
        let first = below(rng, count) as usize;
        if self.directed {
            return (first, below(rng, count) as usize, false);
        }
        let second = below(rng, 2 * count);
        (first, (second / 2) as usize, second % 2 == 1)
    }

    /// Both edges of a proposal.
    #[inline]
    fn ends(&self, (i, j, turned): Proposal) -> [u32; 4] {
        let ((a, b), (c, d)) = (self.edges[i], self.edges[j]);
        if turned { [a, b, d, c] } else { [a, b, c, d] }
    }

    #[inline]
    fn prefetch(&self, proposal: Proposal) {
        let [a, b, c, d] = self.ends(proposal);
        for (u, v) in [(a, b), (c, d), (a, d), (c, b)] {
            self.set.prefetch(pack(u, v, self.directed));
        }
    }

    /// One step of the chain.
    #[inline]
    pub(super) fn propose(&mut self, proposal: Proposal) {
        let [a, b, c, d] = self.ends(proposal);
        if a == d || c == b {
            if self.directed && c == b {
                self.reverse(proposal);
            }
            return;
        }
        if self.contains(a, d) || self.contains(c, b) {
            return;
        }
        let (i, j, _) = proposal;
        self.replace(i, (a, b), (a, d));
        self.replace(j, (c, d), (c, b));
    }

    /// Reverses the cycle `a→b→d→a` of which the proposal has the first two arcs, if there is one and no arc that it would repeat.
    fn reverse(&mut self, (i, j, _): Proposal) {
        let ((a, b), (_, d)) = (self.edges[i], self.edges[j]);
        let reversed = [(a, d), (d, b), (b, a)];
        if a == d || !self.contains(d, a) || reversed.iter().any(|&(u, v)| self.contains(u, v)) {
            return;
        }
        let from = self.edges.partition_point(|&(tail, _)| tail < d);
        let closing = self.edges[from..].iter().position(|&arc| arc == (d, a));
        if let Some(k) = closing.map(|position| from + position) {
            self.replace(i, (a, b), (a, d));
            self.replace(j, (b, d), (b, a));
            self.replace(k, (d, a), (d, b));
        }
    }

    #[inline]
    fn contains(&self, u: u32, v: u32) -> bool {
        self.set.contains(pack(u, v, self.directed))
    }

    #[inline]
    fn replace(&mut self, index: usize, old: (u32, u32), new: (u32, u32)) {
        self.set.remove(pack(old.0, old.1, self.directed));
        self.set.insert(pack(new.0, new.1, self.directed));
        self.edges[index] = new;
    }
}

#[inline]
fn pack(u: u32, v: u32, directed: bool) -> u64 {
    let (u, v) = if directed { (u, v) } else { (u.min(v), u.max(v)) };
    u64::from(u) << 32 | u64::from(v)
}
