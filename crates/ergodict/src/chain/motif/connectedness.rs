//! Which homomorphisms Glauber updates lead to.
//!
//! A node `v` of the motif folds onto a node `u` when all neighbors of `v` are neighbors of `u`: then
//! `x(v)` may be moved to `x(u)`, and from there on `v` follows `u`, whatever updates come. A leaf folds onto
//! its grandparent, so a tree folds to an edge; so do squares and complete bipartite graphs. A motif that
//! folds to an edge can thus be brought to `x = (a, b)`, one side on each end of an edge of the network, and
//! from there to `(a, b')` for every neighbor `b'` of `a`: it walks on the edges with a direction, any of
//! which is reached from any other exactly if the network is connected and not bipartite; on a connected
//! bipartite one the two directions stay apart. All this for undirected networks; weights do not matter.

use super::Motif;
use crate::data::Network;
use std::fmt;

/// Whether every homomorphism can be reached from every other by updates of one node at a time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Connectedness {
    /// It can: every start leads to the law `π`.
    Irreducible,
    /// The network is bipartite: which side the first node of the motif is on never changes.
    TwoClasses,
    /// The network has several components: the chain stays in the one that it starts in, and on its side
    /// where that is bipartite. The number of classes.
    Several(u64),
    /// It is not known: there may be one class or several.
    Unknown,
}

impl fmt::Display for Connectedness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Irreducible => f.write_str("every motif sample can be reached from every other"),
            Self::TwoClasses => f.write_str(
                "the network is bipartite, so the chain never changes sides: motif samples with the first node \
                 on the other side cannot be reached from the start; start several chains, or draw independently by the exact sampler",
            ),
            Self::Several(classes) => write!(
                f,
                "the motif samples fall into {classes} classes, as the network has several components, and the chain \
                 stays in the class of its start: take the largest component, or draw independently by the exact sampler"
            ),
            Self::Unknown => f.write_str(
                "whether every motif sample can be reached from every other is not known for this motif and network: \
                 compare chains from several starts",
            ),
        }
    }
}

/// The classes of a motif in a network.
pub(super) fn connectedness(network: &Network, motif: &Motif) -> Connectedness {
    if motif.k() == 1 {
        return Connectedness::Irreducible;
    }
    if network.is_directed() || !folds_to_an_edge(motif) {
        return Connectedness::Unknown;
    }
    let parts = network.components();
    let mut has_edge = vec![false; parts.sizes.len()];
    parts
        .labels
        .iter()
        .enumerate()
        .for_each(|(v, &label)| has_edge[label as usize] |= network.rows().degree(v) > 0);
    let sides = |&two_sided: &bool| if two_sided { 2 } else { 1 };
    let kept: Vec<u64> =
        parts.bipartite.iter().zip(has_edge).filter(|(_, kept)| *kept).map(|(side, _)| sides(side)).collect();
    match kept[..] {
        [1] => Connectedness::Irreducible,
        [2] => Connectedness::TwoClasses,
        _ => Connectedness::Several(kept.iter().sum()),
    }
}

/// Larger motifs that are not trees are not folded, but taken for ones that cannot be: nodes are bits of a
/// word.
const LARGEST: usize = 64;

fn folds_to_an_edge(motif: &Motif) -> bool {
    let k = motif.k();
    let around = motif.around();
    if around.iter().map(Vec::len).sum::<usize>() == 2 * (k - 1) {
        return true;
    }
    if k > LARGEST {
        return false;
    }
    let mut around: Vec<u64> =
        around.iter().map(|row| row.iter().fold(0, |bits, &j| bits | 1 << j)).collect();
    let mut left: Vec<usize> = (0..k).collect();
    // Folds never get in the way of one another, so that any order will do.
    while left.len() > 2 {
        let folds = |&v: &usize| left.iter().any(|&u| u != v && around[v] & !around[u] == 0);
        let Some(v) = left.iter().copied().find(folds) else { return false };
        left.retain(|&u| u != v);
        around.iter_mut().for_each(|row| *row &= !(1 << v));
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees_and_complete_bipartite_motifs_fold_and_others_do_not() {
        let edges = |k, edges: &[(u32, u32)]| Motif::new(k, edges.to_vec()).unwrap();
        let bipartite: Vec<(u32, u32)> = (0..3).flat_map(|i| (3..7).map(move |j| (i, j))).collect();
        for motif in [
            Motif::path(2).unwrap(),
            Motif::path(100).unwrap(),
            Motif::star(70).unwrap(),
            Motif::cycle(4).unwrap(),
            edges(7, &bipartite),
            edges(2, &[(0, 1), (1, 0)]),
            edges(6, &[(0, 1), (1, 2), (2, 3), (3, 0), (2, 4), (4, 5)]),
        ] {
            assert!(folds_to_an_edge(&motif), "{motif:?}");
        }
        for motif in [
            Motif::cycle(3).unwrap(),
            Motif::cycle(5).unwrap(),
            Motif::cycle(6).unwrap(),
            Motif::complete(4).unwrap(),
            edges(4, &[(0, 1), (1, 2), (2, 0), (2, 3)]),
        ] {
            assert!(!folds_to_an_edge(&motif), "{motif:?}");
        }
    }
}
