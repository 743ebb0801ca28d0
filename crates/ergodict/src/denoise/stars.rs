//! Double stars around pairs of nodes: the mean of their patches, in which the pair itself is never looked at.
//!
//! | symbol | here | where |
//! |---|---|---|
//! | `M` | [`Stars::patches`] | DENOISING.md, "h" |
//! | `k = 2 + 2·4` | [`Stars::k`], with [`Stars::leaves`] for the 4 | |
//! | `x = (u, v, a_1 … a_l, b_1 … b_l)` | `nodes`, `M` of them one after another | |
//! | mean patch | [`Stars::entries`], a number for each | the entries above the diagonal that may be 0 or 1 |
//!
//! `u` is the end with more neighbours besides the other end, of two alike the smaller node, so that a pair has one patch whichever way
//! round it is given. `a_1 … a_l` are neighbours of `u` in random order, never `v`: without repetition where there are enough, else
//! each drawn anew. `b_1 … b_l` are those of `v`. An end that has no other neighbour has no leaves: their entries are zeros.
//!
//! Left out are the entries that say nothing: those of an end with its own leaves, which are ones, and that of the pair, which is never
//! looked at. As `v` is no leaf of `u`, nor `u` one of `v`, nothing depends on whether the pair has an edge. (DENOISING.md keeps the
//! ones. On SNAP's Facebook network with half as many false edges, codes without them and degrees had an AUC of .9937, with them .9935.)

use crate::chain::rng::{ChaCha8Rng, below_u32};
use crate::data::{Adjacency, Network, Pairs};
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

/// What one thread needs beside the network.
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

/// An end of a pair: its neighbours, and where the other end is among them.
#[derive(Clone, Copy)]
struct End<'a> {
    node: u32,
    neighbours: &'a [u32],
    other: Option<u32>,
}

impl End<'_> {
    /// Neighbours besides the other end.
    fn count(self) -> u32 {
        self.neighbours.len() as u32 - u32::from(self.other.is_some())
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
                *leaf = self.neighbours[(place + u32::from(passed)) as usize];
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
            *leaf = self.neighbours[place as usize];
        }
    }
}

impl Stars {
    /// So many double stars for a pair, with so many leaves at each end.
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

/// The ends of a pair, the one with more other neighbours first.
fn ends(network: &Network, u: u32, v: u32) -> [End<'_>; 2] {
    let end = |node: u32, other: u32| {
        let neighbours = network.neighbours(node as usize);
        End { node, neighbours, other: neighbours.binary_search(&other).ok().map(|at| at as u32) }
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
