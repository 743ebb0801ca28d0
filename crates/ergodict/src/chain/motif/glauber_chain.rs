//! Glauber updates of motifs in which no node has more than two neighbors, as fast as we know how.
//!
//! The general update with all that does not change taken out of it: simple chains and cycles in undirected
//! networks whose weights are all 1. A node with one neighbor is treated as if that one were two. States and
//! random numbers are those of the general update.

use super::glauber::{Tie, most_tries, one_of};
use crate::data::{Adjacency, Network};
use crate::rng::digit;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;
use std::sync::Arc;

/// Where the neighbors are, of the motif and of the network.
#[derive(Clone, Debug)]
pub(super) struct Pairs {
    /// The two neighbors of each node of the motif.
    ties: Vec<[u32; 2]>,
    /// Start and length of each row: side by side and half as wide as in the network.
    spans: Vec<[u32; 2]>,
    network: Arc<Network>,
    adjacency: Adjacency,
}

impl Pairs {
    /// None where it does not apply.
    pub(super) fn new(
        network: &Arc<Network>,
        adjacency: &Adjacency,
        starts: &[usize],
        ties: &[Tie],
    ) -> Option<Self> {
        let applies = !network.is_directed()
            && !network.is_weighted()
            && u32::try_from(network.stored()).is_ok()
            && starts.windows(2).all(|ends| (1..=2).contains(&(ends[1] - ends[0])));
        if !applies {
            return None;
        }
        let ends = |ends: &[usize]| [ties[ends[0]].node, ties[ends[1] - 1].node];
        let ties = starts.windows(2).map(ends).collect();
        let span = |v: usize| {
            let span = network.rows().span(v);
            [span.start as u32, span.len() as u32]
        };
        let spans = (0..network.nodes()).map(span).collect();
        Some(Self { ties, spans, network: Arc::clone(network), adjacency: adjacency.clone() })
    }

    /// So many updates.
    pub(super) fn updates(&self, x: &mut [u32], count: u64, tries: u32, rng: &mut ChaCha8Rng) {
        let neighbors: &[u32] = &self.network.rows().neighbors;
        assert_eq!(x.len(), self.ties.len(), "a state has one node for each node of the motif");
        for _ in 0..count {
            let mut word = rng.next_u64();
            let v = digit(&mut word, x.len());
            let [a, b] = self.ties[v];
            let (p, q) = (x[a as usize], x[b as usize]);
            let (of_p, of_q) = (self.spans[p as usize], self.spans[q as usize]);
            // As the general update, of rows of equal length it takes the first.
            let ([start, length], other) = if of_p[1] <= of_q[1] { (of_p, q) } else { (of_q, p) };
            let row = &neighbors[start as usize..][..length as usize];
            if row.is_empty() {
                continue;
            }
            let (mut tried, most) = (0, most_tries(tries, row.len()));
            x[v] = loop {
                if tried == most {
                    break self.among(row, other, word).unwrap_or(x[v]);
                }
                let w = row[digit(&mut word, row.len())];
                if self.adjacency.contains(other, w) {
                    break w;
                }
                tried += 1;
                word = rng.next_u64();
            };
        }
    }

    /// One of the entries of a row that are neighbors of another node; none when there is none. Apart, so
    /// that what it needs does not crowd the registers of the loop.
    #[cold]
    #[inline(never)]
    fn among(&self, row: &[u32], other: u32, word: u64) -> Option<u32> {
        one_of(row, |w| self.adjacency.contains(other, w), word)
    }
}
