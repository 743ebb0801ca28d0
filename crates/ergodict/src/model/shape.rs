//! The shape of an atom of the path motif, in a word.
//!
//! An atom is divided by the mean of its entries at edges of the path, and entries are cut at 1; `s` is then the mean of all other
//! entries. The first of these that holds names it:
//!
//! | shape | rule |
//! |---|---|
//! | folded walk | `s ≥ 0.15`, entries at odd distance are at least twice those at even distance |
//! | clique | `s ≥ 0.6` |
//! | clique at one end, in the middle | at least five nodes in a row with mean 0.7 or more among them, whichever of them is left out, and less than 0.35 elsewhere; of several the one that stands out most |
//! | hub | a node whose mean is 0.7 or more, and twice that of the others |
//! | bare path | `s < 0.15`, and less than 0.35 among any nodes in a row, four at least, and at any node |
//! | mixed | none of them |

use serde::Serialize;
use std::fmt;

/// Below this mean, nothing is off the path.
const BARE: f64 = 0.15;
/// From this mean on, all nodes are connected.
const FULL: f64 = 0.6;
/// From this mean on, those of a part are.
const FULL_PART: f64 = 0.7;
/// Below this mean, the rest of an atom is empty.
const EMPTY: f64 = 0.35;
/// How many times more one part has than another to stand out.
const STANDS_OUT: f64 = 2.0;
/// Longer paths are not searched for cliques in a part of them, which takes the fourth power of their length.
const LONGEST: usize = 64;
/// Fewest nodes of a clique in a part of the path, and fewest whose mean keeps it from being bare.
const CLIQUE: usize = 5;
const RUN: usize = 4;

/// The shape of an atom of the path motif. Nodes are numbered from 1.
///
/// ```
/// use ergodict::model::AtomShape;
/// assert_eq!(AtomShape::BarePath.to_string(), "bare path");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(into = "String")]
pub enum AtomShape {
    /// Hardly any edge but those of the path.
    BarePath,
    /// Edges at odd distances, as where a walk goes back and forth.
    FoldedWalk,
    /// All nodes are connected.
    Clique,
    /// The nodes from the first to the second are connected, the others not.
    PartialClique(usize, usize, usize),
    /// This node is connected with the others.
    Hub(usize),
    /// None of these.
    Mixed,
    /// No patch uses the atom: it is still where it started.
    Unused,
}

impl From<AtomShape> for String {
    fn from(shape: AtomShape) -> Self {
        shape.to_string()
    }
}

impl fmt::Display for AtomShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::BarePath => f.pad("bare path"),
            Self::FoldedWalk => f.pad("folded walk"),
            Self::Clique => f.pad("clique"),
            Self::PartialClique(from, to, k) if from == 1 || to == k => {
                f.pad(&format!("clique at one end (nodes {from}–{to})"))
            }
            Self::PartialClique(from, to, _) => f.pad(&format!("clique in the middle (nodes {from}–{to})")),
            Self::Hub(node) => f.pad(&format!("hub at node {node}")),
            Self::Mixed => f.pad("mixed"),
            Self::Unused => f.pad("unused"),
        }
    }
}

impl AtomShape {
    /// The shape of an atom of a path of `k` nodes, whose `k²` entries are given row by row.
    pub(crate) fn from_atom(atom: &[f64], k: usize) -> Self {
        let entry = |a: usize, b: usize| atom[a * k + b].midpoint(atom[b * k + a]);
        let on: f64 = (1..k).map(|b| entry(b - 1, b)).sum::<f64>() / (k.max(2) - 1) as f64;
        if k < 3 || on <= 0.0 {
            return Self::Mixed;
        }
        let value = |a: usize, b: usize| (entry(a, b) / on).min(1.0);
        // Mean of the entries off the path that `wanted` names by their nodes.
        let mean = |wanted: &dyn Fn(usize, usize) -> bool| {
            let off =
                (0..k).flat_map(|b| (0..b).map(move |a| (a, b))).filter(|&(a, b)| b - a > 1 && wanted(a, b));
            let (sum, count) = off.fold((0.0, 0), |(sum, count), (a, b)| (sum + value(a, b), count + 1));
            (count > 0).then(|| sum / f64::from(count))
        };
        let all = mean(&|_, _| true).unwrap_or(0.0);
        let odd = mean(&|a, b| (b - a) % 2 == 1);
        let even = mean(&|a, b| (b - a) % 2 == 0);
        if let (Some(odd), Some(even)) = (odd, even)
            && all >= BARE
            && odd >= STANDS_OUT * even
        {
            return Self::FoldedWalk;
        }
        if all >= FULL {
            return Self::Clique;
        }
        // The run of nodes that stands out most from the rest; of equals the longest.
        let longest = if k > LONGEST { CLIQUE } else { k };
        let runs = |fewest: usize| {
            (fewest..longest).flat_map(move |length| (0..=k - length).map(move |from| (from, from + length)))
        };
        let run = runs(CLIQUE).filter_map(|(from, to)| {
            let inside = |a: usize, b: usize| a >= from && b < to;
            let (within, outside) = (mean(&inside)?, mean(&|a, b| !inside(a, b)).unwrap_or(0.0));
            // With one hub among them, its edges alone can reach the mean.
            let without = |i: usize| mean(&|a, b| inside(a, b) && a != i && b != i).unwrap_or(0.0);
            let clique =
                within >= FULL_PART && outside < EMPTY && (from..to).all(|i| without(i) >= FULL_PART);
            clique.then_some((from, to, within - outside))
        });
        let run = run.max_by(|one, two| one.2.total_cmp(&two.2));
        if let Some((from, to, _)) = run {
            return Self::PartialClique(from + 1, to, k);
        }
        let of_node = |i: usize| mean(&|a, b| a == i || b == i).unwrap_or(0.0);
        let hub = (0..k).max_by(|&i, &j| of_node(i).total_cmp(&of_node(j))).unwrap_or(0);
        let rest = mean(&|a, b| a != hub && b != hub).unwrap_or(0.0);
        if of_node(hub) >= FULL_PART && of_node(hub) >= STANDS_OUT * rest {
            return Self::Hub(hub + 1);
        }
        // Last: in a long path, a hub or a clique has few of all entries, and their mean does not show it.
        let is_empty =
            |(from, to): (usize, usize)| mean(&|a, b| a >= from && b < to).is_none_or(|s| s < EMPTY);
        if all < BARE && of_node(hub) < EMPTY && runs(RUN).all(is_empty) {
            Self::BarePath
        } else {
            Self::Mixed
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, stream, uniform};

    /// A path of ten nodes, more edges, and noise on all entries.
    fn named(edge: impl Fn(usize, usize) -> bool, noise: f64, seed: u64) -> String {
        named_in(10, edge, noise, seed)
    }

    #[test]
    fn hubs_and_cliques_of_long_paths_are_not_bare_paths() {
        for k in [14, 21, 30] {
            assert_eq!(named_in(k, |a, b| a == 3 || b == 3, 0.0, 0), "hub at node 4", "{k}");
            assert_eq!(named_in(k, |_, b| b < 6, 0.0, 0), "clique at one end (nodes 1–6)", "{k}");
            assert_eq!(named_in(k, |_, _| false, 0.05, 1), "bare path", "{k}");
        }
    }

    #[test]
    fn a_path_with_a_weak_clique_or_hub_is_not_bare() {
        for (k, weight) in [(14, 0.5), (21, 0.5), (21, 0.65), (30, 0.5)] {
            let name = |edge: &dyn Fn(usize, usize) -> bool| {
                let entry = |a: usize, b: usize| match a.abs_diff(b) {
                    1 => 1.0,
                    0 => 0.0,
                    _ if edge(a.min(b), a.max(b)) => weight,
                    _ => 0.02,
                };
                let atom: Vec<f64> = (0..k * k).map(|i| entry(i / k, i % k)).collect();
                AtomShape::from_atom(&atom, k)
            };
            assert_eq!(name(&|_, _| false), AtomShape::BarePath, "{k}");
            assert_eq!(name(&|a, _| a + 6 >= k), AtomShape::Mixed, "{k}: six nodes at one end");
            assert_eq!(name(&|a, b| a >= 5 && b < 9), AtomShape::Mixed, "{k}: four nodes in the middle");
            assert_eq!(name(&|a, b| a == 3 || b == 3), AtomShape::Mixed, "{k}: one node");
        }
    }

    fn named_in(k: usize, edge: impl Fn(usize, usize) -> bool, noise: f64, seed: u64) -> String {
        let mut rng = stream(seed, Purpose::Synthetic, 0);
        let mut atom = vec![0.0; k * k];
        for b in 0..k {
            for a in 0..b {
                let value = f64::from(u8::from(b - a == 1 || edge(a, b)));
                let value = value + noise * (uniform(&mut rng) - 0.5);
                atom[a * k + b] = value.max(0.0) * 0.07;
                atom[b * k + a] = value.max(0.0) * 0.07;
            }
        }
        AtomShape::from_atom(&atom, k).to_string()
    }

    #[test]
    fn planted_shapes_are_named_with_and_without_noise() {
        for noise in [0.0, 0.1, 0.2] {
            for seed in 0..20 {
                let name = |edge: &dyn Fn(usize, usize) -> bool| named(edge, noise, seed);
                assert_eq!(name(&|_, _| false), "bare path");
                assert_eq!(name(&|_, _| true), "clique");
                assert_eq!(name(&|a, b| (b - a) % 2 == 1), "folded walk");
                assert_eq!(name(&|_, b| b < 6), "clique at one end (nodes 1–6)");
                assert_eq!(name(&|a, _| a >= 5), "clique at one end (nodes 6–10)");
                assert_eq!(name(&|a, b| a >= 2 && b < 8), "clique in the middle (nodes 3–8)");
                assert_eq!(name(&|a, b| a == 4 || b == 4), "hub at node 5");
                assert_eq!(name(&|a, _| a == 0), "hub at node 1");
            }
        }
    }

    #[test]
    fn the_edges_of_a_hub_are_no_clique() {
        for k in [10, 21] {
            // Strong edges of one node, and the last five nodes connected by edges of another weight.
            let name = |hub: usize, weight: f64| {
                let mut atom = vec![0.0; k * k];
                for b in 0..k {
                    for a in 0..b {
                        let edge = if a + 5 >= k { weight } else { 0.1 };
                        let value = if a == hub || b == hub { 2.0 } else { edge };
                        let value = if b - a == 1 { 1.0 } else { value };
                        (atom[a * k + b], atom[b * k + a]) = (value, value);
                    }
                }
                AtomShape::from_atom(&atom, k)
            };
            assert_eq!(name(k - 1, 0.6), AtomShape::Hub(k), "{k}");
            assert!(!matches!(name(usize::MAX, 0.6), AtomShape::PartialClique(..)), "{k}");
            assert_eq!(name(usize::MAX, 0.8), AtomShape::PartialClique(k - 4, k, k), "{k}");
        }
    }

    #[test]
    fn what_is_none_of_them_is_mixed() {
        // Entries of any strength, as in an average over patches of different shapes.
        let mixed = (0..100).filter(|&seed| {
            let mut rng = stream(seed, Purpose::Synthetic, 1);
            let mut atom = [0.0; 100];
            for b in 0..10 {
                for a in 0..b {
                    let entry = if b - a == 1 { 1.0 } else { 0.9 * uniform(&mut rng) };
                    (atom[a * 10 + b], atom[b * 10 + a]) = (entry, entry);
                }
            }
            AtomShape::from_atom(&atom, 10) == AtomShape::Mixed
        });
        assert!(mixed.count() >= 95);
        assert_eq!(AtomShape::from_atom(&[0.0; 100], 10), AtomShape::Mixed);
        assert_eq!(AtomShape::from_atom(&[0.0, 1.0, 1.0, 0.0], 2), AtomShape::Mixed);
        assert_eq!(AtomShape::from_atom(&[1.0], 1), AtomShape::Mixed);
    }
}
