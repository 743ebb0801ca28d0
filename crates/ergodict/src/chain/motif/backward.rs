//! Backward weights of a tree motif: the total weight of the homomorphisms of each subtree, by where its top
//! goes.
//!
//! | symbol | here | where |
//! |---|---|---|
//! | `b_i(v) = Π_c Σ_w A(v,w) b_c(w)`, over children `c` of `i` | [`Backward::log_weight`] | docs/maths.md, Homomorphisms |
//! | `A(v,w)` or `A(w,v)`, as the edge of the motif has it | `rows` of a message | |
//! | `Σ_w A(v,w) b_c(w)` | a message | |
//! | `Σ_v b_1(v) = Σ_x Π A(x(i),x(j))` | [`Backward::log_total`] | homomorphism density, times `n^k` |
//!
//! Nodes of the motif whose subtrees are alike have the same weights: these are kept once, as a *kind*. A
//! chain has `k` kinds, a star two. Leaves are kind 0, with weights 1 that are not kept.
//!
//! Levels are rescaled by powers of 2, which rounds nothing. A weight is 0 exactly when there is no
//! homomorphism: where the weights of a level spread beyond what f64 can hold, they get exponents of their
//! own ([`Wide`]).

use super::wide::{Wide, exponent, two_to};
use super::{Motif, RootedTree};
use crate::data::{Network, Rows};
use crate::{Error, Result};
use rayon::prelude::*;
use std::collections::HashMap;

/// The least weight of a level, next to its largest in [1, 2); products with an `A(v,w)` in [`WEIGHTS`] keep
/// all their digits.
const LEAST: i32 = -800;

/// Exponents of the `A(v,w)` that need no exponents for the backward weights next to them.
const WEIGHTS: std::ops::RangeInclusive<i32> = -100..=100;

/// Nodes whose messages one thread sums up at a time: enough that sharing them out costs nothing. Chosen, not tuned.
const SHARE: usize = 1 << 12;

/// The backward weights `b_i(v)` of a tree motif in a network.
///
/// `b_i(v) = Π_c Σ_w A(v,w) b_c(w)` over the children `c` of node `i`, and 1 at leaves: the total weight of all ways to fill what is below `i` when `i` is at `v`.
#[derive(Clone, Debug)]
pub(crate) struct Backward {
    nodes: usize,
    kinds: Kinds,
    /// Weights of kind `κ > 0` at `(κ − 1)·n..κ·n`.
    levels: Vec<f64>,
    /// Their exponents; none where f64 does without.
    exponents: Vec<i32>,
    /// `b` is the weight in `levels` times 2 to this; by kind.
    shifts: Vec<i64>,
    /// A bound of the weights of each message's terms at each node: the upper half of an f64, rounded up.
    /// None with exponents.
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
    /// Whether directions are distinguished.
    directed: bool,
}

impl Kinds {
    /// Directions are distinguished only where they matter.
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
        Self { of, children, messages, directed }
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
    pub(crate) fn new(network: &Network, motif: &Motif) -> Result<Self> {
        let kinds = Kinds::new(motif.require_tree()?, network.is_directed());
        let plain = plain(network, &kinds);
        Self::finish(network, motif, kinds, plain)
    }

    /// The same with exponents in any case.
    #[cfg(test)]
    pub(super) fn wide(network: &Network, motif: &Motif) -> Result<Self> {
        Self::finish(network, motif, Kinds::new(motif.require_tree()?, network.is_directed()), None)
    }

    fn finish(network: &Network, motif: &Motif, kinds: Kinds, plain: Option<Plain>) -> Result<Self> {
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
    pub(crate) fn log_total(&self) -> f64 {
        let shift = i64::from(self.top) + self.shifts[self.kinds.of[0] as usize];
        self.total.ln() + shift as f64 * std::f64::consts::LN_2
    }

    /// `ln b_i(v)` for a node `i` of the motif and `v` of the network; −∞ where nothing can be below.
    #[cfg(test)]
    pub(crate) fn log_weight(&self, i: usize, v: usize) -> f64 {
        let kind = self.kinds.of[i] as usize;
        self.weight(kind, v).ln() + self.shifts[kind] as f64 * std::f64::consts::LN_2
    }

    /// Bytes of memory.
    #[cfg(test)]
    pub(crate) fn bytes(&self) -> usize {
        8 * self.levels.len() + 4 * self.exponents.len() + 4 * self.bounds.len()
    }

    /// The most bytes that the weights would take.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a motif that is no tree.
    pub(crate) fn bytes_needed(network: &Network, motif: &Motif) -> Result<usize> {
        let kinds = Kinds::new(motif.require_tree()?, network.is_directed());
        // Weights have either exponents or bounds, and there are no more exponents than weights.
        let weights = 8 * (kinds.children.len() - 1);
        let beside = 4 * kinds.messages.len().max(kinds.children.len() - 1);
        Ok(network.nodes().saturating_mul(weights + beside))
    }

    /// Bytes of a bound for each message at each node.
    pub(super) fn bytes_of_bounds(network: &Network, motif: &Motif) -> Result<usize> {
        let kinds = Kinds::new(motif.require_tree()?, network.is_directed());
        Ok(network.nodes().saturating_mul(4 * kinds.messages.len()))
    }

    /// The weights at a node of the motif that its parent has an edge to (`down`) or from.
    pub(super) fn level(&self, i: usize, down: bool) -> Level<'_> {
        let kind = self.kinds.of[i] as usize;
        if kind == 0 {
            return Level::Ones;
        }
        let span = (kind - 1) * self.nodes..kind * self.nodes;
        let weights = &self.levels[span.clone()];
        if !self.exponents.is_empty() {
            return Level::Wide { mantissas: weights, exponents: &self.exponents[span] };
        }
        let message = self.message(i, down).unwrap_or(0);
        Level::Plain { weights, bounds: &self.bounds[message * self.nodes..(message + 1) * self.nodes] }
    }

    /// The message from a node of the motif, if it is no leaf; alike ones have the same number.
    pub(super) fn message(&self, i: usize, down: bool) -> Option<usize> {
        self.kinds.message((self.kinds.of[i], down || !self.kinds.directed))
    }

    /// Number of messages that differ.
    pub(super) fn messages(&self) -> usize {
        self.kinds.messages.len()
    }

    /// The weight of a node by kind, up to the shift.
    fn weight(&self, kind: usize, v: usize) -> Wide {
        let Some(level) = kind.checked_sub(1) else { return Wide::from_f64(1.0) };
        let at = level * self.nodes + v;
        match self.exponents.get(at) {
            Some(&exponent) => Wide { mantissa: self.levels[at], exponent },
            None => Wide::from_f64(self.levels[at]),
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

/// Why there is none, as far as that is plain.
fn no_homomorphism(network: &Network, motif: &Motif) -> Error {
    let reason = if network.nodes() == 0 {
        "the network has no nodes"
    } else if network.stored() == 0 {
        "the network has no edges"
    } else {
        "no directed walk is that long"
    };
    let value = format!("a {} of {} nodes", motif.name(), motif.k());
    Error::parameter("the motif", value, format!("the network has none: {reason}"))
}

/// The rows that a message is summed over.
fn rows(network: &Network, down: bool) -> &Rows {
    if down { network.rows() } else { network.incoming() }
}

/// Levels, shifts and bounds.
type Plain = (Vec<f64>, Vec<i64>, Vec<u32>);

/// Weights without exponents; none when f64 cannot hold them.
fn plain(network: &Network, kinds: &Kinds) -> Option<Plain> {
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
                    // What is not 0 must not become it, nor lose digits.
                    if product < f64::MIN_POSITIVE && *weight > 0.0 && *factor > 0.0 {
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
    // Every sum is taken by one thread in the order of its row: their number changes no bit.
    sums.par_chunks_mut(SHARE).zip(bounds.par_chunks_mut(SHARE)).enumerate().for_each(
        |(share, (sums, bounds))| {
            for (v, (sum, bound)) in (share * SHARE..).zip(sums.iter_mut().zip(bounds)) {
                let neighbors = rows.neighbors(v);
                let largest;
                (*sum, largest) = match rows.weights(v) {
                    None => sum_and_largest(neighbors, below),
                    Some(weights) => {
                        let terms = neighbors.iter().zip(weights);
                        let largest = neighbors.iter().map(|&w| below[w as usize]).fold(0.0, f64::max);
                        (terms.map(|(&w, weight)| weight * below[w as usize]).sum(), largest)
                    }
                };
                *bound = rounded_up(largest);
            }
        },
    );
}

/// Four of each go side by side: one after the other they would wait for each addition.
fn sum_and_largest(neighbors: &[u32], below: &[f64]) -> (f64, f64) {
    let (mut sums, mut largest) = ([0.0; 4], [0.0f64; 4]);
    let (fours, rest) = neighbors.as_chunks::<4>();
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
pub(super) fn rounded_up(value: f64) -> u32 {
    (value.to_bits().div_ceil(1 << 32)) as u32
}

/// The number that [`rounded_up`] made.
#[inline(always)]
pub(super) fn bound(half: u32) -> f64 {
    f64::from_bits(u64::from(half) << 32)
}

/// Divides by a power of 2, which is returned, so that the largest is in [1, 2); none when the least is then
/// too small.
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
            let mut weight = Wide::from_f64(1.0);
            for alike in children.chunk_by(|one, two| one == two) {
                let (child, down) = alike[0];
                let term = |(w, weight): (u32, f64)| {
                    let Some(below) = (child as usize).checked_sub(1) else { return Wide::from_f64(weight) };
                    let at = below * n + w as usize;
                    Wide::from_f64(weight).times(Wide { mantissa: mantissas[at], exponent: exponents[at] })
                };
                let terms = || rows(network, down).entries(v).map(term);
                let largest = terms().map(|term| term.exponent).max().unwrap_or(0);
                let sum = Wide::from_f64(terms().map(|term| term.relative_to(largest)).sum());
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

#[cfg(test)]
mod tests {
    use super::super::check::{tiny_motifs, tiny_networks};
    use super::*;
    use crate::data::{Build, NodeIds};

    fn weighted(n: usize, edges: &[(u32, u32, f64)], directed: bool) -> Network {
        let build = Build { directed, ..Build::default() };
        Network::build(NodeIds::numbered(n), edges, true, build).unwrap().0
    }

    fn close(found: f64, expected: f64, case: &str) {
        let right = found == expected || (found - expected).abs() < 1e-12 * expected.abs().max(1.0);
        assert!(right, "{case}: {found} for {expected}");
    }

    /// Σ over all maps, by brute force.
    fn total(network: &Network, motif: &Motif) -> f64 {
        let (n, k) = (network.nodes(), motif.k());
        let maps =
            (0..n.pow(k as u32)).map(|code| (0..k).map(|i| code / n.pow(i as u32) % n).collect::<Vec<_>>());
        let weight = |x: Vec<usize>| {
            motif.edges().iter().map(|&(i, j)| network.weight(x[i as usize], x[j as usize])).product::<f64>()
        };
        maps.map(weight).sum()
    }

    #[test]
    fn totals_are_those_of_all_maps_with_exponents_and_without() {
        for (name, network) in tiny_networks() {
            for (shape, motif) in tiny_motifs().into_iter().filter(|(_, motif)| motif.tree().is_some()) {
                let (case, expected) = (format!("{name}, {shape}"), total(&network, &motif));
                let (plain, wide) = (Backward::new(&network, &motif), Backward::wide(&network, &motif));
                assert_eq!(plain.is_ok(), expected > 0.0, "{case}");
                let (Ok(plain), Ok(wide)) = (plain, wide) else { continue };
                assert!(plain.exponents.is_empty() && (motif.k() == 1 || !wide.exponents.is_empty()));
                close(plain.log_total(), expected.ln(), &case);
                close(wide.log_total(), expected.ln(), &case);
                for i in 0..motif.k() {
                    (0..network.nodes())
                        .for_each(|v| close(plain.log_weight(i, v), wide.log_weight(i, v), &case));
                }
                assert!(plain.bytes().max(wide.bytes()) <= Backward::bytes_needed(&network, &motif).unwrap());
            }
        }
    }

    #[test]
    fn weights_of_a_chain_are_rows_of_matrix_powers() {
        for (name, network) in tiny_networks() {
            let (n, k) = (network.nodes(), 9);
            let Ok(backward) = Backward::new(&network, &Motif::path(k).unwrap()) else { continue };
            // A^j·1, densely, from the last node of the motif up.
            let mut power = vec![1f64; n];
            for i in (0..k).rev() {
                for v in 0..n {
                    close(backward.log_weight(i, v), power[v].ln(), name);
                    assert_eq!(backward.log_weight(i, v) == f64::NEG_INFINITY, power[v] == 0.0);
                }
                power = (0..n).map(|v| (0..n).map(|w| network.weight(v, w) * power[w]).sum()).collect();
            }
        }
    }

    #[test]
    fn equal_subtrees_are_kept_once() {
        let (_, network) = tiny_networks().swap_remove(0);
        let kinds = |motif: &Motif| Backward::new(&network, motif).unwrap().kinds.children.len();
        assert_eq!(kinds(&Motif::path(21).unwrap()), 21);
        assert_eq!(kinds(&Motif::star(21).unwrap()), 2);
        // Two branches, of two nodes each, pointing in different directions.
        let branches = Motif::new(5, vec![(0, 1), (1, 2), (3, 0), (4, 3)]).unwrap();
        assert_eq!(kinds(&branches), 3);
        let directed = weighted(3, &[(0, 1, 1.0), (1, 2, 1.0), (2, 0, 1.0)], true);
        assert_eq!(Backward::new(&directed, &branches).unwrap().kinds.children.len(), 4);
    }

    #[test]
    fn long_chains_on_hubs_neither_overflow_nor_lose_a_node() {
        let motif = Motif::path(101).unwrap();
        // A star with L leaves: b of the center goes L, L, L², L², …
        let leaves = 100_000u32;
        let star =
            Network::simple(leaves as usize + 1, &(1..=leaves).map(|v| (0, v)).collect::<Vec<_>>()).unwrap();
        let backward = Backward::new(&star, &motif).unwrap();
        let log = f64::from(leaves).ln();
        close(backward.log_weight(0, 0), 50.0 * log, "center");
        close(backward.log_weight(0, 77), 50.0 * log, "leaf");
        close(backward.log_weight(1, 77), 49.0 * log, "leaf, a step on");
        close(backward.log_total(), 50.0 * log + f64::from(leaves + 1).ln(), "star");
        // A hub with a long path: far along it nothing is seen of the hub.
        let (leaves, length) = (2000u32, 220u32);
        let motif = Motif::path(201).unwrap();
        let mut edges: Vec<(u32, u32)> = (1..=leaves).map(|v| (0, v)).collect();
        edges.extend((0..length).map(|j| (if j == 0 { 0 } else { leaves + j }, leaves + j + 1)));
        let hub = Network::simple((leaves + length) as usize + 1, &edges).unwrap();
        let backward = Backward::new(&hub, &motif).unwrap();
        assert!(!backward.exponents.is_empty(), "f64 does not hold these");
        // The end of the path: walks of 200 steps there are those on a path with a wall, C(200, 100).
        let walks: f64 = (1..=100).map(|j| f64::from(100 + j).ln() - f64::from(j).ln()).sum();
        close(backward.log_weight(0, (leaves + length) as usize), walks, "end of the path");
        assert!(backward.log_weight(0, 0) > 740.0);
    }

    #[test]
    fn weights_of_any_size_are_held() {
        for scale in [1e6, 1e300, 1e-300] {
            let edges: Vec<(u32, u32, f64)> = (1..5).map(|v| (0, v, scale * f64::from(v))).collect();
            let network = weighted(5, &edges, false);
            let backward = Backward::new(&network, &Motif::path(101).unwrap()).unwrap();
            // b alternates between center and leaves: (Σ w²)^50 at the center.
            close(backward.log_weight(0, 0), 50.0 * 30f64.ln() + 100.0 * f64::ln(scale), "center");
        }
        let mixed = weighted(4, &[(0, 1, 1e300), (1, 2, 1e-300), (2, 3, 5e-324)], false);
        let backward = Backward::new(&mixed, &Motif::path(5).unwrap()).unwrap();
        assert!((0..4).all(|v| backward.log_weight(0, v).is_finite()));
    }

    #[test]
    fn components_that_grow_apart_are_all_kept() {
        // A clique of 60 and an edge: 59^k against 1.
        let mut edges: Vec<(u32, u32)> = (0..60).flat_map(|u| (0..u).map(move |v| (u, v))).collect();
        edges.push((60, 61));
        let network = Network::simple(62, &edges).unwrap();
        for k in [101, 1001] {
            let backward = Backward::new(&network, &Motif::path(k).unwrap()).unwrap();
            assert_eq!(backward.exponents.is_empty(), k == 101);
            close(backward.log_weight(0, 61), 0.0, "edge");
            close(backward.log_weight(0, 5), (k - 1) as f64 * 59f64.ln(), "clique");
        }
    }

    #[test]
    fn there_is_nothing_where_directed_walks_end() {
        let path = weighted(4, &[(0, 1, 2.0), (1, 2, 3.0), (2, 3, 0.5)], true);
        let backward = Backward::new(&path, &Motif::path(3).unwrap()).unwrap();
        let expected = [6.0, 1.5, 0.0, 0.0f64].map(f64::ln);
        (0..4).for_each(|v| close(backward.log_weight(0, v), expected[v], "path"));
        let message = Backward::new(&path, &Motif::path(5).unwrap()).unwrap_err().to_string();
        assert!(message.contains("the network has none"), "{message}");
    }

    #[test]
    fn bounds_are_not_less_and_hardly_more() {
        for value in [0.0, 1.0, 1.0 + f64::EPSILON, 0.1, 1e-240, 1.999_999_999] {
            let bound = bound(rounded_up(value));
            assert!(bound >= value && bound <= value * 1.000_001, "{value} {bound}");
        }
    }
}
