//! Which places of a patch count, for each homomorphism.
//!
//! A *position* is an entry of the patch, for a pair of nodes. Of undirected networks it is a pair `a < b`, for both
//! `(a,b)` and `(b,a)`, in the order of [`NetworkPatches`]' bits: `b(b−1)/2 + a`, and the diagonal after them in networks with loops. Of
//! directed ones it is every `(a,b)` row by row, without the diagonal where there are no loops.

use super::{Mode, Targets};
use crate::chain::Motif;
use crate::data::{Adjacency, Build, Loops, Network, NodeIds};
use crate::patch::NetworkPatches;
use crate::{Error, Result};
use std::sync::Arc;

/// Most bytes of hashed rows of the pairs that are wanted, which have 72 for every node however few they are: beyond, the rows, mostly
/// short, are searched.
const WANTED: usize = 96 << 20;

/// Places and the rules that leave some of them out.
#[derive(Clone, Debug)]
pub(super) struct Positions {
    pub(super) k: usize,
    pub(super) directed: bool,
    pub(super) loops: bool,
    /// `(a, b)` of every position.
    places: Vec<(u32, u32)>,
    /// The motif's edges, where they are left out.
    off_motif: Option<Motif>,
    /// Positions next to each in the motif, where it fits words.
    beside: Vec<u64>,
    targets: Option<NetworkPatches>,
}

impl Positions {
    pub(super) fn new(network: &Network, motif: &Motif, mode: Mode, targets: &Targets) -> Result<Self> {
        let (k, directed, loops) = (motif.k(), network.is_directed(), network.loops() > 0);
        let end = k as u32;
        let mut places: Vec<_> = if directed {
            (0..end).flat_map(|a| (0..end).map(move |b| (a, b))).filter(|&(a, b)| loops || a != b).collect()
        } else {
            (0..end).flat_map(|b| (0..b).map(move |a| (a, b))).collect()
        };
        if loops && !directed {
            places.extend((0..end).map(|a| (a, a)));
        }
        let mut beside = vec![0; if k <= 64 { k } else { 0 }];
        if k <= 64 {
            for &(a, b) in motif.edges() {
                beside[a as usize] |= 1 << b;
                beside[b as usize] |= 1 << a;
            }
        }
        let off_motif = (mode == Mode::OffMotif).then(|| motif.clone());
        let targets = match targets {
            Targets::All => None,
            Targets::Only(pairs) => Some(NetworkPatches::with(wanted(network, pairs)?, k)),
        };
        Ok(Self { k, directed, loops, places, off_motif, beside, targets })
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    pub(super) fn words(&self) -> usize {
        self.len().div_ceil(64)
    }

    pub(super) fn places(&self) -> &[(u32, u32)] {
        &self.places
    }

    /// Whether every position of every homomorphism counts, once.
    pub(super) fn all_count(&self) -> bool {
        self.off_motif.is_none() && self.targets.is_none() && !self.loops
    }

    /// The pairs that are wanted, as the edges of a network.
    pub(super) fn targets(&self) -> Option<&Arc<Network>> {
        self.targets.as_ref().map(NetworkPatches::network)
    }

    /// Writes which pairs of homomorphisms are wanted, as bits, [`Positions::wanted_words`] for each; all at a time, since tests of
    /// the next are then under way while one is read.
    pub(super) fn wanted(&self, xs: &[u32], bits: &mut Vec<u64>) {
        bits.clear();
        bits.resize(xs.len() / self.k * self.wanted_words(), 0);
        if let (Some(targets), false) = (&self.targets, self.directed) {
            targets.bits_all(xs, bits);
        }
    }

    /// Words of [`Positions::wanted`] for a homomorphism; none where no bits are needed.
    pub(super) fn wanted_words(&self) -> usize {
        self.targets.as_ref().filter(|_| !self.directed).map_or(0, NetworkPatches::words)
    }

    /// Writes which positions of the homomorphism count; `wanted` is what [`Positions::wanted`] gave for it.
    pub(super) fn mask(&self, x: &[u32], wanted: &[u64], mask: &mut [u64]) {
        mask.fill(u64::MAX);
        if !self.len().is_multiple_of(64) {
            mask[self.len() / 64] = (1 << (self.len() % 64)) - 1;
        }
        if let Some(targets) = &self.targets {
            if self.directed {
                let wanted =
                    |&(a, b): &(u32, u32)| targets.adjacency().contains(x[a as usize], x[b as usize]);
                self.keep(mask, wanted);
            } else {
                // Where no loop is wanted, there are no bits for them.
                for (i, word) in mask.iter_mut().enumerate() {
                    *word &= wanted.get(i).copied().unwrap_or(0);
                }
            }
        }
        let Some(motif) = &self.off_motif else { return };
        if self.beside.is_empty() {
            let order = |u: u32, v: u32| (u.min(v), u.max(v));
            let mut taken: Vec<_> =
                motif.edges().iter().map(|&(a, b)| order(x[a as usize], x[b as usize])).collect();
            taken.sort_unstable();
            let free =
                |&(a, b): &(u32, u32)| taken.binary_search(&order(x[a as usize], x[b as usize])).is_err();
            self.keep(mask, free);
            return;
        }
        let mut folded = [0u64; 64];
        self.folds(x, &mut folded);
        if self.directed || self.loops {
            self.keep(mask, |&(a, b)| folded[a as usize] >> b & 1 == 0);
            return;
        }
        for b in 1..self.k {
            let (at, out) = (b * (b - 1) / 2, folded[b] & ((1 << b) - 1));
            mask[at / 64] &= !(out << (at % 64));
            if at % 64 + b > 64 {
                mask[at / 64 + 1] &= !(out >> (64 - at % 64));
            }
        }
    }

    /// Takes off the mask what does not pass.
    fn keep(&self, mask: &mut [u64], passes: impl Fn(&(u32, u32)) -> bool) {
        for (i, place) in self.places.iter().enumerate() {
            if !passes(place) {
                mask[i / 64] &= !(1 << (i % 64));
            }
        }
    }

    /// For each place `a`, the places `b` whose pair with it is that of a motif edge: an edge joins a place of the node of `a` with a
    /// place of the node of `b`.
    fn folds(&self, x: &[u32], folded: &mut [u64; 64]) {
        let mut same = [0u64; 64];
        for (same, &u) in same.iter_mut().zip(x) {
            *same = x.iter().enumerate().fold(0, |mask, (b, &v)| mask | u64::from(u == v) << b);
        }
        let union = |places: u64, of: &[u64]| {
            let (mut left, mut all) = (places, 0);
            while left != 0 {
                all |= of[left.trailing_zeros() as usize];
                left &= left - 1;
            }
            all
        };
        for (a, folded) in folded[..self.k].iter_mut().enumerate() {
            *folded = union(union(same[a], &self.beside), &same);
        }
    }
}

/// Pairs that are wanted, as the edges of a network.
pub(super) fn wanted_network(network: &Network, pairs: &[(u32, u32)]) -> Result<Arc<Network>> {
    Ok(Arc::clone(wanted(network, pairs)?.network()))
}

/// The pairs that are wanted as a network, for fast tests. Pairs of a node with itself only where there are loops.
fn wanted(network: &Network, pairs: &[(u32, u32)]) -> Result<Adjacency> {
    let nodes = network.nodes();
    if let Some(&(u, v)) = pairs.iter().find(|&&(u, v)| u.max(v) as usize >= nodes) {
        let expected = format!("there are nodes 0 to {}", nodes.saturating_sub(1));
        return Err(Error::parameter("a pair", format!("({u}, {v})"), expected));
    }
    let edges: Vec<_> = pairs.iter().map(|&(u, v)| (u, v, 1.0)).collect();
    let loops = if network.loops() > 0 { Loops::Keep } else { Loops::default() };
    let build = Build { directed: network.is_directed(), loops };
    let wanted = Network::build(NodeIds::numbered(nodes), &edges, false, build)?.0;
    Ok(Adjacency::within(&Arc::new(wanted), Adjacency::BUDGET, WANTED))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::common::Random;

    #[test]
    fn masks_leave_out_pairs_of_motif_edges_and_what_is_not_wanted() {
        let mut random = Random::new(1);
        for k in [2, 3, 11, 12, 63, 64, 65] {
            for (directed, loops) in [(false, false), (false, true), (true, false), (true, true)] {
                let mut edges: Vec<(u32, u32, f64)> = (0..30).map(|v| (v, (v + 1) % 30, 1.0)).collect();
                edges.extend(loops.then_some((3, 3, 1.0)));
                let build = Build { directed, loops: if loops { Loops::Keep } else { Loops::default() } };
                let network = Network::build(NodeIds::numbered(30), &edges, false, build).unwrap().0;
                let mut pairs: Vec<(u32, u32)> = Vec::new();
                while pairs.len() < 200 {
                    let (u, v) = (random.below(30) as u32, random.below(30) as u32);
                    pairs.extend((u != v).then_some((u, v)));
                }
                let mut wanted = vec![Targets::All, Targets::Only(pairs.clone())];
                if loops {
                    pairs.extend([(3, 3), (7, 7)]);
                    wanted.push(Targets::Only(pairs));
                }
                for (motif, targets) in [Motif::path(k).unwrap(), Motif::star(k).unwrap()]
                    .iter()
                    .flat_map(|motif| wanted.iter().map(move |targets| (motif, targets)))
                {
                    for mode in [Mode::Plain, Mode::OffMotif] {
                        let positions = Positions::new(&network, motif, mode, targets).unwrap();
                        let x: Vec<u32> = (0..k).map(|_| random.below(30) as u32).collect();
                        let pair = |&(a, b): &(u32, u32)| (x[a as usize], x[b as usize]);
                        let turned = |(u, v): (u32, u32)| (v, u);
                        let (mut bits, mut mask) = (Vec::new(), vec![7; positions.words()]);
                        positions.wanted(&x, &mut bits);
                        positions.mask(&x, &bits, &mut mask);
                        assert_eq!(mask.len(), positions.len().div_ceil(64));
                        for (i, place) in positions.places().iter().enumerate() {
                            let this = pair(place);
                            let of_motif = |edge| pair(edge) == this || turned(pair(edge)) == this;
                            let taken = mode == Mode::OffMotif && motif.edges().iter().any(of_motif);
                            let is_wanted = match targets {
                                Targets::All => true,
                                Targets::Only(pairs) => {
                                    pairs.contains(&this) || !directed && pairs.contains(&turned(this))
                                }
                            };
                            let found = mask[i / 64] >> (i % 64) & 1 == 1;
                            assert_eq!(
                                found,
                                is_wanted && !taken,
                                "{k}, {directed}, {loops}, {mode:?}, {place:?}: {this:?}"
                            );
                        }
                        let rest = positions.len() % 64;
                        assert!(rest == 0 || mask[mask.len() - 1] >> rest == 0, "nothing beyond the last");
                    }
                }
            }
        }
    }
}
