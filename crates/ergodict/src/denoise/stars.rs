//! Double stars around pairs of nodes: the mean of their patches, in which the pair itself is never looked at.
//!
//! | symbol | here | where |
//! |---|---|---|
//! | `M` | [`Stars::patches`] | docs/denoising.md, "h" |
//! | `k = 2 + 2·4` | [`Stars::k`], with [`Stars::leaves`] for the 4 | |
//! | `x = (u, v, a_1 … a_l, b_1 … b_l)` | `nodes`, `M` of them one after another | |
//! | mean patch | [`Stars::entries`], a number for each | the entries above the diagonal that may be 0 or 1 |
//!
//! `u` is the end with more neighbors besides the other end, of two alike the smaller node, so that a pair has one patch whichever way
//! round it is given. `a_1 … a_l` are neighbors of `u` in random order, never `v`: without repetition where there are enough, else
//! with replacement. `b_1 … b_l` are those of `v`. An end that has no other neighbor has no leaves: their entries are zeros.
//!
//! Left out are the entries that say nothing: those of an end with its own leaves, which are ones, and that of the pair, which is never
//! looked at. As `v` is no leaf of `u`, nor `u` one of `v`, nothing depends on whether the pair has an edge. (docs/denoising.md keeps the
//! ones. On SNAP's Facebook network with half as many false edges, codes without them and degrees had an AUC of .9937, with them .9935.)

use crate::data::{Adjacency, Network, Pairs};
use crate::rng::{ChaCha8Rng, below_u32};
use crate::{Error, Result};

/// Most nodes of a double star: patches are tested word by word.
const MOST_NODES: usize = 64;

/// Most patches of a pair: the mean of more would be the same to three digits.
const MOST_PATCHES: usize = 1 << 20;

/// How many double stars of which size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Stars {
    patches: usize,
    leaves: usize,
}

/// What one thread needs next to the network.
pub(super) struct Workspace {
    /// The generator at the start of its stream.
    origin: ChaCha8Rng,
    nodes: Vec<u32>,
    /// Which bit of a patch each entry is.
    entries: Vec<u32>,
    /// Which pairs of places may be joined, one bit each.
    open: Vec<u64>,
    /// Counts by binary digit, the lowest first; the words of all pairs for each.
    digits: Vec<u64>,
}

/// An end of a pair: its neighbors, and where the other end is among them.
#[derive(Clone, Copy)]
struct End<'a> {
    node: u32,
    neighbors: &'a [u32],
    other: Option<u32>,
}

impl End<'_> {
    /// Neighbors besides the other end.
    fn count(self) -> u32 {
        self.neighbors.len() as u32 - u32::from(self.other.is_some())
    }

    /// Draws leaves.
    fn draw(self, leaves: &mut [u32], rng: &mut ChaCha8Rng) {
        let count = self.count();
        if count == 0 {
            // No node; those of no edge are tested all the same and left out.
            leaves.fill(self.node);
            return;
        }
        if (count as usize) < leaves.len() {
            for leaf in leaves {
                let place = below_u32(rng, count);
                let passed = self.other.is_some_and(|other| other <= place);
                *leaf = self.neighbors[(place + u32::from(passed)) as usize];
            }
            return;
        }
        // Places that are taken, ascending: a draw among the others goes past those that are not beyond it.
        let mut taken = [0; MOST_NODES];
        let mut known = 0;
        if let Some(other) = self.other {
            (taken[0], known) = (other, 1);
        }
        for (left, leaf) in (1..=count).rev().zip(leaves) {
            let mut place = below_u32(rng, left);
            let mut at = 0;
            while at < known && taken[at] <= place {
                place += 1;
                at += 1;
            }
            taken.copy_within(at..known, at + 1);
            taken[at] = place;
            known += 1;
            *leaf = self.neighbors[place as usize];
        }
    }
}

impl Stars {
    /// Double stars for each pair, and leaves at each end.
    ///
    /// # Errors
    /// [`Error::Parameter`] for none of either, and for too many.
    pub(super) fn new(patches: usize, leaves: usize) -> Result<Self> {
        if patches == 0 || patches > MOST_PATCHES {
            let expected = format!("it must be 1 to {MOST_PATCHES}");
            return Err(Error::parameter("the number of double stars of a pair", patches, expected));
        }
        let most = (MOST_NODES - 2) / 2;
        if leaves == 0 || leaves > most {
            let expected = format!("it must be 1 to {most}");
            return Err(Error::parameter("the number of leaves at each end of a pair", leaves, expected));
        }
        Ok(Self { patches, leaves })
    }

    /// Nodes of a double star.
    pub(super) fn k(self) -> usize {
        2 + 2 * self.leaves
    }

    /// Pairs of them.
    fn pairs(self) -> usize {
        self.k() * (self.k() - 1) / 2
    }

    /// The entries `(a, b)`, `a < b`, of a mean patch, in their order.
    pub(super) fn entries(self) -> impl Iterator<Item = (usize, usize)> {
        let second = 2 + self.leaves;
        let known = move |(a, b): (usize, usize)| match a {
            0 => b < second,
            1 => b >= second,
            _ => false,
        };
        (0..self.k()).flat_map(|b| (0..b).map(move |a| (a, b))).filter(move |entry| !known(*entry))
    }

    /// How many there are.
    pub(super) fn features(self) -> usize {
        self.pairs() - 1 - 2 * self.leaves
    }

    /// Buffers, and the stream of random numbers that all pairs have their parts of.
    pub(super) fn workspace(self, origin: ChaCha8Rng) -> Workspace {
        let words = self.pairs().div_ceil(64);
        let digits = (self.patches + 1).next_power_of_two().trailing_zeros() as usize;
        Workspace {
            origin,
            nodes: vec![0; self.patches * self.k()],
            entries: self.entries().map(|(a, b)| (b * (b - 1) / 2 + a) as u32).collect(),
            open: vec![0; words],
            digits: vec![0; digits * words],
        }
    }

    /// Writes the mean patch of a pair of different nodes, times `scale`.
    pub(super) fn mean(
        self,
        adjacency: &Adjacency,
        (u, v): (u32, u32),
        scale: f64,
        workspace: &mut Workspace,
        out: &mut [f64],
    ) {
        let (k, l) = (self.k(), self.leaves);
        let Workspace { origin, nodes, entries, open, digits } = workspace;
        origin.set_word_pos(position(u, v));
        let [first, second] = ends(adjacency.network(), u, v);
        for x in nodes.chunks_exact_mut(k) {
            (x[0], x[1]) = (first.node, second.node);
            let (a, b) = x[2..].split_at_mut(l);
            first.draw(a, origin);
            second.draw(b, origin);
        }

        open.fill(u64::MAX);
        for (from, end) in [(2, first), (2 + l, second)] {
            if end.count() == 0 {
                let leaf = from..from + l;
                let pairs = (0..k).flat_map(|b| (0..b).map(move |a| (a, b)));
                let theirs = pairs.filter(|(a, b)| leaf.contains(a) || leaf.contains(b));
                theirs.map(|(a, b)| b * (b - 1) / 2 + a).for_each(|at| open[at / 64] &= !(1 << (at % 64)));
            }
        }

        let words = open.len();
        digits.fill(0);
        adjacency.each_patch(nodes, Pairs { k, whole: false }, |_, bits| {
            for (word, (&bits, &open)) in bits.iter().zip(&*open).enumerate() {
                let mut carry = bits & open;
                let mut digit = word;
                while carry != 0 {
                    let sum = digits[digit] ^ carry;
                    carry &= digits[digit];
                    digits[digit] = sum;
                    digit += words;
                }
            }
        });
        let unit = scale / self.patches as f64;
        for (&at, out) in entries.iter().zip(out) {
            let (word, bit) = (at as usize / 64, at % 64);
            let count = (digits[word..].iter().step_by(words).rev())
                .fold(0, |count, digit| count << 1 | (digit >> bit & 1));
            *out = unit * count as f64;
        }
    }
}

/// The ends of a pair, the one with more other neighbors first.
fn ends(network: &Network, u: u32, v: u32) -> [End<'_>; 2] {
    let end = |node: u32, other: u32| {
        let neighbors = network.neighbors(node as usize);
        End { node, neighbors, other: neighbors.binary_search(&other).ok().map(|at| at as u32) }
    };
    let (low, high) = (end(u.min(v), u.max(v)), end(u.max(v), u.min(v)));
    if high.count() > low.count() { [high, low] } else { [low, high] }
}

/// Where in a stream the numbers of a pair begin: the same whichever way round it is, and whatever pairs there are besides.
///
/// The pair is mixed into the number of a block of 16 words, in the upper half of the blocks; the lower half is for what does not
/// belong to a pair. Pairs have different blocks but for the one bit that is lost; of a million pairs with 20 blocks each, two share
/// some with a probability of about 2·10⁻⁶.
fn position(u: u32, v: u32) -> u128 {
    let block = mixed(u64::from(u.min(v)) << 32 | u64::from(u.max(v))) | 1 << 63;
    u128::from(block) * 16
}

/// A bijection of words that spreads every bit over all (the last step of SplitMix64, Steele, Lea and Flood 2014).
pub(super) fn mixed(mut word: u64) -> u64 {
    word = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
    word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ word >> 31
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, ids, stream};
    use std::sync::Arc;

    fn network() -> Arc<Network> {
        // Degrees from 0 to 7, triangles and squares.
        let edges = [
            (0, 1),
            (0, 2),
            (0, 3),
            (0, 4),
            (0, 5),
            (0, 6),
            (0, 7),
            (1, 2),
            (1, 3),
            (1, 4),
            (1, 5),
            (1, 8),
            (2, 3),
            (2, 8),
            (3, 8),
            (4, 5),
            (6, 7),
            (8, 9),
            (9, 10),
        ];
        Arc::new(Network::simple(12, &edges).unwrap())
    }

    /// All ordered choices of leaves for an end, each as likely as the others.
    fn choices(network: &Network, end: u32, other: u32, leaves: usize) -> Vec<Vec<u32>> {
        let near: Vec<u32> =
            network.neighbors(end as usize).iter().copied().filter(|v| *v != other).collect();
        let mut all = vec![Vec::new()];
        if near.is_empty() {
            return all;
        }
        for _ in 0..leaves {
            let longer = |chosen: &Vec<u32>| -> Vec<Vec<u32>> {
                let fresh = near.iter().filter(|v| near.len() < leaves || !chosen.contains(v));
                fresh.map(|&v| [&chosen[..], &[v]].concat()).collect()
            };
            all = all.iter().flat_map(longer).collect();
        }
        all
    }

    /// The expected patch, and the variance of each entry, by enumeration.
    fn expected(network: &Network, (u, v): (u32, u32), leaves: usize) -> Vec<f64> {
        let other_degree = |u: u32, v: u32| network.neighbors(u as usize).iter().filter(|w| **w != v).count();
        let (low, high) = (u.min(v), u.max(v));
        let swap = other_degree(high, low) > other_degree(low, high);
        let (first, second) = if swap { (high, low) } else { (low, high) };
        let (a, b) = (choices(network, first, second, leaves), choices(network, second, first, leaves));
        let mut mean = Vec::new();
        let stars = Stars::new(1, leaves).unwrap();
        for (i, j) in stars.entries() {
            let mut sum = 0.0;
            for a in &a {
                for b in &b {
                    let node = |place: usize| match place {
                        0 => Some(first),
                        1 => Some(second),
                        _ if place < 2 + leaves => a.get(place - 2).copied(),
                        _ => b.get(place - 2 - leaves).copied(),
                    };
                    if let (Some(x), Some(y)) = (node(i), node(j)) {
                        sum += network.weight(x as usize, y as usize);
                    }
                }
            }
            mean.push(sum / (a.len() * b.len()) as f64);
        }
        mean
    }

    fn mean(network: &Arc<Network>, pair: (u32, u32), patches: usize, leaves: usize, seed: u64) -> Vec<f64> {
        let stars = Stars::new(patches, leaves).unwrap();
        let mut workspace = stars.workspace(stream(seed, Purpose::Denoise, ids::STARS));
        let mut out = vec![f64::NAN; stars.features()];
        stars.mean(&Adjacency::new(network, Adjacency::BUDGET), pair, 1.0, &mut workspace, &mut out);
        out
    }

    #[test]
    fn mean_patches_have_the_expectation_of_all_choices() {
        let network = network();
        let patches = 20_000;
        for leaves in [1, 2, 3] {
            for pair in
                [(0, 1), (1, 0), (0, 8), (2, 3), (6, 7), (4, 9), (9, 10), (10, 9), (0, 10), (5, 11), (10, 11)]
            {
                let exact = expected(&network, pair, leaves);
                let drawn = mean(&network, pair, patches, leaves, 1);
                assert_eq!(drawn.len(), exact.len());
                for (entry, (x, p)) in drawn.iter().zip(&exact).enumerate() {
                    // 4.5 standard errors of this number of independent draws of a bit.
                    let error = 4.5 * (p * (1.0 - p) / patches as f64).sqrt();
                    assert!(
                        (x - p).abs() <= error + 1e-12,
                        "{pair:?}, {leaves} leaves, entry {entry}: {x} for {p}"
                    );
                }
            }
        }
    }

    #[test]
    fn entries_are_all_but_those_that_are_known() {
        for leaves in 1..=31 {
            let stars = Stars::new(1, leaves).unwrap();
            let entries: Vec<_> = stars.entries().collect();
            assert_eq!(entries.len(), stars.features());
            assert!(entries.iter().all(|&(a, b)| a < b && b < stars.k()));
            let known = |pair: &(usize, usize)| !entries.contains(pair);
            assert!(known(&(0, 1)) && known(&(0, 2)) && known(&(0, 1 + leaves)) && !known(&(0, 2 + leaves)));
            assert!(!known(&(1, 2)) && !known(&(1, 1 + leaves)) && known(&(1, 2 + leaves)));
        }
        // Four leaves at either end of 0 and 1: 8 of the other ends, 2·6 within, 16 across.
        assert_eq!(Stars::new(20, 4).unwrap().features(), 36);
    }

    #[test]
    fn counts_are_whole_and_carry_over_all_digits() {
        // In a complete network every entry is 1 but where leaves of both ends are the same node.
        let edges: Vec<_> = (0..40u32).flat_map(|v| (0..v).map(move |u| (u, v))).collect();
        let network = Arc::new(Network::simple(40, &edges).unwrap());
        for patches in [1, 2, 3, 7, 8, 20, 255, 256] {
            let out = mean(&network, (3, 9), patches, 6, 2);
            let stars = Stars::new(patches, 6).unwrap();
            for ((a, b), x) in stars.entries().zip(out) {
                let count = x * patches as f64;
                assert!((count - count.round()).abs() < 1e-9 && x <= 1.0);
                let across = (2..8).contains(&a) && b >= 8;
                assert!(across || x == 1.0, "({a}, {b}) of {patches}: {x}");
            }
        }
    }

    #[test]
    fn leaves_are_uniform_and_different() {
        let network = network();
        let [end, _] = ends(&network, 0, 1);
        assert_eq!((end.node, end.count()), (0, 6));
        let mut rng = stream(3, Purpose::Denoise, ids::STARS);
        let mut counts = std::collections::HashMap::new();
        let draws = 36_000;
        for _ in 0..draws {
            let mut leaves = [0; 3];
            end.draw(&mut leaves, &mut rng);
            *counts.entry(leaves).or_insert(0.0) += 1.0;
        }
        // Ordered triples of six.
        assert_eq!(counts.len(), 120);
        let each = f64::from(draws) / 120.0;
        let chi2: f64 = counts.values().map(|c| (c - each) * (c - each) / each).sum();
        assert!(chi2 < 174.0, "chi² {chi2}, over the 0.999 quantile for 119 degrees of freedom");
    }

    #[test]
    fn positions_of_pairs_differ_and_leave_the_lower_half_free() {
        let mut seen = std::collections::HashSet::new();
        for v in 0..300 {
            for u in 0..v {
                let at = position(u, v);
                assert_eq!(at, position(v, u));
                assert!((1 << 67..1 << 68).contains(&at) && at.is_multiple_of(16));
                // Blocks that twenty stars with four leaves take.
                assert!((0..20).all(|i| seen.insert(at + 16 * i)));
            }
        }
    }
}
