//! Backward weights of a tree motif: the total weight of the homomorphisms of each subtree, by where its top goes.
//!
//! | symbol | here | where |
//! |---|---|---|
//! | `b_i(v) = Π_c Σ_w A(v,w) b_c(w)`, over children `c` of `i` | [`Backward::log_weight`] | MATH.md 6 |
//! | `A(v,w)` or `A(w,v)`, as the edge of the motif has it | `rows` of a message | |
//! | `Σ_w A(v,w) b_c(w)` | a message | |
//! | `Σ_v b_1(v) = Σ_x Π A(x(i),x(j))` | [`Backward::log_total`] | homomorphism density, times `n^k` |
//!
//! Nodes of the motif whose subtrees are alike have the same weights: these are kept once, as a *kind*. A chain has `k` kinds, a star
//! two. Leaves are kind 0, with weights 1 that are not kept.
//!
//! Levels are rescaled by powers of 2, which rounds nothing. A weight is 0 exactly when there is no homomorphism: where the
//! weights of a level spread beyond what f64 can hold, they get exponents of their own ([`Wide`]).

use super::wide::{Wide, exponent, two_to};
use super::{Motif, RootedTree};
use crate::data::{Network, Rows};
use crate::{Error, Result};
use std::collections::HashMap;

/// The least weight of a level, next to its largest in [1, 2); products with an `A(v,w)` in [`WEIGHTS`] keep all their digits.
const LEAST: i32 = -800;

/// Exponents of the `A(v,w)` that need no exponents for the backward weights beside them.
const WEIGHTS: std::ops::RangeInclusive<i32> = -100..=100;

/// The backward weights `b_i(v)` of a tree motif in a network.
///
/// ```
/// use ergodict::chain::{Backward, Motif};
/// use ergodict::data::Network;
/// // Walks of two steps in a triangle with a tail: Σ d² = 4 + 4 + 9 + 1.
/// let network = Network::simple(4, &[(0, 1), (1, 2), (2, 0), (2, 3)])?;
/// let backward = Backward::new(&network, &Motif::chain(3)?)?;
/// assert!((backward.log_total() - 18f64.ln()).abs() < 1e-12);
/// assert!((backward.log_weight(0, 3) - 3f64.ln()).abs() < 1e-12);
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Backward {
    nodes: usize,
    kinds: Kinds,
    /// Weights of kind `κ > 0` at `(κ − 1)·n..κ·n`.
    levels: Vec<f64>,
    /// Their exponents; none where f64 does without.
    exponents: Vec<i32>,
    /// `b` is the weight in `levels` times 2 to this; by kind.
    shifts: Vec<i64>,
    /// A bound of the weights of each message's terms at each node: the upper half of an f64, rounded up. None with exponents.
    bounds: Vec<u32>,
    /// The largest exponent of `b_1`, and the sum of `b_1` over 2 to this.
    top: i32,
    total: f64,
}

/// What of a motif is alike.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Kinds {
    /// The kind of each node of the motif. Children have lower kinds than their parents.
    of: Vec<u32>,
    /// For each kind, the kinds of the children, and whether edges go down to them; sorted.
    children: Vec<Vec<(u32, bool)>>,
    /// Those `(kind, down)` that are a child of something; not of kind 0.
    messages: Vec<(u32, bool)>,
}

impl Kinds {
    /// Directions are told apart only where they matter.
    fn new(tree: &RootedTree, directed: bool) -> Self {
        let mut below: Vec<Vec<(u32, bool)>> = vec![Vec::new(); tree.parent.len()];
        let (mut of, mut seen) = (vec![0; tree.parent.len()], HashMap::from([(Vec::new(), 0)]));
        let mut children = vec![Vec::new()];
        for &i in tree.order.iter().rev().chain(&[0]) {
            let mut list = std::mem::take(&mut below[i as usize]);
            list.sort_unstable();
            let kind = *seen.entry(list).or_insert_with_key(|list| {
                children.push(list.clone());
                children.len() as u32 - 1
            });
            of[i as usize] = kind;
            let down = tree.downward[i as usize] || !directed;
            if i != 0 {
                below[tree.parent[i as usize] as usize].push((kind, down));
            }
        }
        let mut messages: Vec<_> = children.iter().flatten().copied().filter(|child| child.0 > 0).collect();
        messages.sort_unstable();
        messages.dedup();
        Self { of, children, messages }
    }

    fn message(&self, child: (u32, bool)) -> Option<usize> {
        self.messages.binary_search(&child).ok()
    }
}

/// The weights of a node of the motif, to fill it by.
#[derive(Clone, Copy)]
pub(super) enum Level<'a> {
    /// All 1.
    Ones,
    /// Weights, and bounds of those next to each node (see [`bound`]).
    Plain { weights: &'a [f64], bounds: &'a [u32] },
    /// Weights with exponents.
    Wide { mantissas: &'a [f64], exponents: &'a [i32] },
}

impl Backward {
    /// Weights of all nodes of the motif.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a motif that is no tree, and where there is no homomorphism.
    pub fn new(network: &Network, motif: &Motif) -> Result<Self> {
        let kinds = Kinds::new(tree(motif)?, network.is_directed());
        let plain = plain(network, &kinds);
        let (levels, exponents, shifts, bounds) = match plain {
            Some((levels, shifts, bounds)) => (levels, Vec::new(), shifts, bounds),
            None => wide(network, &kinds),
        };
        let nodes = network.nodes();
        let mut backward = Self { nodes, kinds, levels, exponents, shifts, bounds, top: 0, total: 0.0 };
        backward.top = (0..nodes).map(|v| backward.pivot(v).exponent).max().unwrap_or(0);
        backward.total = (0..nodes).map(|v| backward.relative_pivot(v)).sum();
        if backward.total == 0.0 {
            return Err(no_homomorphism(network, motif));
        }
        Ok(backward)
    }

    /// The natural logarithm of the total weight of all homomorphisms, `ln Σ_x Π A(x(i),x(j))`.
    pub fn log_total(&self) -> f64 {
        let shift = i64::from(self.top) + self.shifts[self.kinds.of[0] as usize];
        self.total.ln() + shift as f64 * std::f64::consts::LN_2
    }

    /// `ln b_i(v)` for a node `i` of the motif and `v` of the network; −∞ where nothing can be below.
    pub fn log_weight(&self, i: usize, v: usize) -> f64 {
        let kind = self.kinds.of[i] as usize;
        self.weight(kind, v).ln() + self.shifts[kind] as f64 * std::f64::consts::LN_2
    }

    /// Bytes of memory.
    pub fn bytes(&self) -> usize {
        8 * self.levels.len() + 4 * self.exponents.len() + 4 * self.bounds.len()
    }

    /// The most bytes that the weights would take.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a motif that is no tree.
    pub fn bytes_needed(network: &Network, motif: &Motif) -> Result<usize> {
        let kinds = Kinds::new(tree(motif)?, network.is_directed());
        // Weights have either exponents or bounds, and there are no more exponents than weights.
        let weights = 8 * (kinds.children.len() - 1);
        let beside = 4 * kinds.messages.len().max(kinds.children.len() - 1);
        Ok(network.nodes().saturating_mul(weights + beside))
    }

    /// The weights at a node of the motif that its parent has an edge to (`down`) or from.
    pub(super) fn level(&self, i: usize, down: bool, directed: bool) -> Level<'_> {
        let kind = self.kinds.of[i] as usize;
        if kind == 0 {
            return Level::Ones;
        }
        let span = (kind - 1) * self.nodes..kind * self.nodes;
        let weights = &self.levels[span.clone()];
        if !self.exponents.is_empty() {
            return Level::Wide { mantissas: weights, exponents: &self.exponents[span] };
        }
        let message = self.kinds.message((kind as u32, down || !directed)).unwrap_or(0);
        Level::Plain { weights, bounds: &self.bounds[message * self.nodes..(message + 1) * self.nodes] }
    }

    /// The weight of a node by kind, up to the shift.
    fn weight(&self, kind: usize, v: usize) -> Wide {
        let Some(level) = kind.checked_sub(1) else { return Wide::of(1.0) };
        let at = level * self.nodes + v;
        match self.exponents.get(at) {
            Some(&exponent) => Wide { mantissa: self.levels[at], exponent },
            None => Wide::of(self.levels[at]),
        }
    }

    /// `b_1(v)` up to a factor that is the same for all.
    pub(super) fn pivot(&self, v: usize) -> Wide {
        self.weight(self.kinds.of[0] as usize, v)
    }

    /// `b_1(v)` over a power of 2 that makes the largest fall in [1, 2).
    pub(super) fn relative_pivot(&self, v: usize) -> f64 {
        self.pivot(v).relative_to(self.top)
    }

    /// `b_1(v)` over the sum of all: the law of the first node of a homomorphism.
    pub(super) fn pivot_probability(&self, v: usize) -> f64 {
        self.relative_pivot(v) / self.total
    }
}

fn tree(motif: &Motif) -> Result<&RootedTree> {
    motif.tree().ok_or_else(|| {
        let value = format!("a graph with {} nodes and {} edges", motif.k(), motif.edges().len());
        Error::parameter(
            "the motif",
            value,
            "it must be a tree here: for all others there is Glauber's chain",
        )
    })
}

/// Why there is none, as far as that is plain.
fn no_homomorphism(network: &Network, motif: &Motif) -> Error {
    let reason = if network.nodes() == 0 {
        "the network has no nodes"
    } else if network.stored() == 0 {
        "the network has no edges"
    } else {
        "along the directed edges of the network no image of it comes to an end"
    };
    let value = format!("a {} of {} nodes", motif.name(), motif.k());
    Error::parameter("the motif", value, format!("there is no homomorphism: {reason}"))
}

/// The rows that a message is summed over.
fn rows(network: &Network, down: bool) -> &Rows {
    if down { network.rows() } else { network.incoming() }
}

/// Levels, shifts and bounds; none when f64 cannot hold them.
fn plain(network: &Network, kinds: &Kinds) -> Option<(Vec<f64>, Vec<i64>, Vec<u32>)> {
    let n = network.nodes();
    if network
        .rows()
        .weights
        .as_ref()
        .is_some_and(|weights| weights.iter().any(|w| !WEIGHTS.contains(&exponent(*w))))
    {
        return None;
    }
    let mut levels = vec![0.0; (kinds.children.len() - 1) * n];
    let mut bounds = vec![0; kinds.messages.len() * n];
    let mut shifts = vec![0; kinds.children.len()];
    let mut message = vec![0.0; n];
    for (kind, children) in kinds.children.iter().enumerate().skip(1) {
        let (done, level) = levels.split_at_mut((kind - 1) * n);
        let level = &mut level[..n];
        level.fill(1.0);
        for alike in children.chunk_by(|one, two| one == two) {
            let (child, down) = alike[0];
            let below = (child as usize).checked_sub(1).map(|at| &done[at * n..(at + 1) * n]);
            let bounds = kinds.message(alike[0]).map_or(&mut [][..], |at| &mut bounds[at * n..(at + 1) * n]);
            sum_rows(rows(network, down), below, &mut message, bounds);
            let shift = i64::from(rescale(&mut message)?) + shifts[child as usize];
            for _ in alike {
                for (weight, factor) in level.iter_mut().zip(&message) {
                    let product = *weight * factor;
                    // What is not 0 must not become it.
                    if product == 0.0 && *weight > 0.0 && *factor > 0.0 {
                        return None;
                    }
                    *weight = product;
                }
                shifts[kind] += shift + i64::from(rescale(level)?);
            }
        }
    }
    Some((levels, shifts, bounds))
}

/// `Σ_w A(v,w) b(w)` and a bound of the `b(w)`, for every `v`.
fn sum_rows(rows: &Rows, below: Option<&[f64]>, sums: &mut [f64], bounds: &mut [u32]) {
    let Some(below) = below else {
        return sums.iter_mut().enumerate().for_each(|(v, sum)| *sum = rows.strength(v));
    };
    for v in 0..rows.len() {
        let neighbours = rows.neighbours(v);
        let largest = match rows.weights(v) {
            None => {
                let (sum, largest) = sum_and_largest(neighbours, below);
                sums[v] = sum;
                largest
            }
            Some(weights) => {
                let terms = neighbours.iter().zip(weights);
                sums[v] = terms.map(|(&w, weight)| weight * below[w as usize]).sum();
                neighbours.iter().map(|&w| below[w as usize]).fold(0.0, f64::max)
            }
        };
        bounds[v] = rounded_up(largest);
    }
}

/// Four of each go side by side: one after the other they would wait for each addition.
fn sum_and_largest(neighbours: &[u32], below: &[f64]) -> (f64, f64) {
    let (mut sums, mut largest) = ([0.0; 4], [0.0f64; 4]);
    let (fours, rest) = neighbours.as_chunks::<4>();
    for four in fours {
        for j in 0..4 {
            let term = below[four[j] as usize];
            sums[j] += term;
            largest[j] = if term > largest[j] { term } else { largest[j] };
        }
    }
    for &w in rest {
        sums[0] += below[w as usize];
        largest[0] = largest[0].max(below[w as usize]);
    }
    (sums.iter().sum(), largest.into_iter().fold(0.0, f64::max))
}

/// The upper half of a nonnegative f64, so that it is not less.
fn rounded_up(value: f64) -> u32 {
    (value.to_bits().div_ceil(1 << 32)) as u32
}

/// The number that [`rounded_up`] made.
#[inline(always)]
pub(super) fn bound(half: u32) -> f64 {
    f64::from_bits(u64::from(half) << 32)
}

/// Divides by a power of 2, which is returned, so that the largest is in [1, 2); none when the least is then too small.
fn rescale(level: &mut [f64]) -> Option<i32> {
    let largest = level.iter().copied().fold(0.0, f64::max);
    if largest == 0.0 {
        return Some(0);
    }
    let shift = exponent(largest);
    let (factor, least) = (two_to(-shift), two_to(LEAST));
    let mut held = true;
    for weight in level {
        *weight *= factor;
        held &= *weight >= least || *weight == 0.0;
    }
    held.then_some(shift)
}

/// The same with exponents: slower, and no level is ever rescaled.
fn wide(network: &Network, kinds: &Kinds) -> (Vec<f64>, Vec<i32>, Vec<i64>, Vec<u32>) {
    let n = network.nodes();
    let size = (kinds.children.len() - 1) * n;
    let (mut mantissas, mut exponents) = (vec![0.0; size], vec![0; size]);
    for (kind, children) in kinds.children.iter().enumerate().skip(1) {
        for v in 0..n {
            let mut weight = Wide::of(1.0);
            for alike in children.chunk_by(|one, two| one == two) {
                let (child, down) = alike[0];
                let term = |(w, weight): (u32, f64)| {
                    let Some(below) = (child as usize).checked_sub(1) else { return Wide::of(weight) };
                    let at = below * n + w as usize;
                    Wide::of(weight).times(Wide { mantissa: mantissas[at], exponent: exponents[at] })
                };
                let terms = || rows(network, down).entries(v).map(term);
                let largest = terms().map(|term| term.exponent).max().unwrap_or(0);
                let sum = Wide::of(terms().map(|term| term.relative_to(largest)).sum());
                for _ in alike {
                    weight = weight.times(sum);
                    if weight != Wide::ZERO {
                        weight.exponent += largest;
                    }
                }
            }
            (mantissas[(kind - 1) * n + v], exponents[(kind - 1) * n + v]) =
                (weight.mantissa, weight.exponent);
        }
    }
    (mantissas, exponents, vec![0; kinds.children.len()], Vec::new())
}
