//! The bonds that clusters grow along, with the probability that each holds.

use super::super::heat_bath::decide;
use super::super::{Boundary, Lattice};
use super::Clusters;
use crate::{Error, Result};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;

/// `p·2⁶⁴` for `p = 1 − exp(−x)`, `x ≥ 0`, at most `2⁶⁴ − 1`. The smaller of `p` and `1 − p` is what is computed.
pub(crate) fn bond_threshold(x: f64) -> u64 {
    let two_to_64 = 18_446_744_073_709_551_616.0;
    if x < std::f64::consts::LN_2 {
        return (-(-x).exp_m1() * two_to_64) as u64;
    }
    match ((-x).exp() * two_to_64) as u64 {
        0 => u64::MAX,
        rarer => rarer.wrapping_neg(),
    }
}

/// Random decisions, a byte each: when it equals the highest byte of the threshold (1 in 256), a word decides with the other 56 bits. What is left of
/// a word is dropped at the end of a step, so that steps do not depend on how many are taken at once.
#[derive(Default)]
pub(super) struct Coins {
    bytes: u64,
    left: u32,
}

impl Coins {
    /// True with probability `threshold/2⁶⁴`.
    #[inline(always)]
    pub(super) fn flip(&mut self, threshold: u64, rng: &mut ChaCha8Rng) -> bool {
        if self.left == 0 {
            (self.bytes, self.left) = (rng.next_u64(), 8);
        }
        let byte = self.bytes as u8;
        self.bytes >>= 8;
        self.left -= 1;
        let high = (threshold >> 56) as u8;
        if byte == high { decide(rng.next_u64(), threshold) } else { byte < high }
    }
}

/// The bonds of a model.
#[derive(Clone, Debug)]
pub(crate) enum Bonds {
    /// Those of a lattice, all satisfied by equal values and holding with the same probability.
    Lattice {
        /// The lattice.
        lattice: Lattice,
        /// The probability, times `2⁶⁴`.
        threshold: u64,
    },
    /// Any others.
    Graph {
        /// Bonds of site `v` at `starts[v]..starts[v + 1]`, each at both of its ends.
        starts: Vec<usize>,
        /// The bonds.
        ends: Vec<End>,
    },
}

/// A bond as seen from one of its ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct End {
    /// The site at the other end.
    pub(crate) other: u32,
    /// Whether equal spins satisfy it, or opposite ones.
    pub(crate) equal: bool,
    /// The probability that it holds if it is satisfied, times `2⁶⁴`.
    pub(crate) threshold: u64,
}

impl End {
    /// Whether it is satisfied.
    #[inline(always)]
    pub(crate) fn is_satisfied(&self, own: i8, other: i8) -> bool {
        own == if self.equal { other } else { -other }
    }
}

impl Bonds {
    /// Those of a lattice on which `strength`, `2J/T` for Ising spins, is the same everywhere; negative where opposite spins satisfy a bond.
    pub(crate) fn of_lattice(lattice: Lattice, strength: f64) -> Self {
        if strength >= 0.0 {
            return Self::Lattice { lattice, threshold: bond_threshold(strength) };
        }
        let all: Vec<_> = lattice.bonds().map(|(u, v)| (u as u32, v as u32, strength)).collect();
        Self::of_edges(lattice.sites(), &all)
    }

    /// Those of a graph, with the strength of each. A bond of a site with itself is a constant of the energy and left out.
    pub(crate) fn of_edges(sites: usize, edges: &[(u32, u32, f64)]) -> Self {
        let mut directed: Vec<(u32, u32, f64)> = edges
            .iter()
            .filter(|(u, v, strength)| u != v && *strength != 0.0)
            .flat_map(|&(u, v, strength)| [(u, v, strength), (v, u, strength)])
            .collect();
        directed.sort_by_key(|&(u, v, _)| (u, v));
        let mut starts = vec![0; sites + 1];
        directed.iter().for_each(|&(u, ..)| starts[u as usize + 1] += 1);
        (0..sites).for_each(|v| starts[v + 1] += starts[v]);
        let end = |&(_, other, strength): &(u32, u32, f64)| End {
            other,
            equal: strength > 0.0,
            threshold: bond_threshold(strength.abs()),
        };
        Self::Graph { starts, ends: directed.iter().map(end).collect() }
    }

    /// Number of sites.
    pub(super) fn sites(&self) -> usize {
        match self {
            Self::Lattice { lattice, .. } => lattice.sites(),
            Self::Graph { starts, .. } => starts.len() - 1,
        }
    }

    /// Refuses bonds none of which can ever hold: clusters would be single sites, which are flipped for sure, and the chain would be periodic.
    pub(super) fn check_any(&self) -> Result<()> {
        let any = match self {
            Self::Lattice { lattice, threshold } => *threshold > 0 && lattice.bonds().any(|(u, v)| u != v),
            Self::Graph { ends, .. } => ends.iter().any(|end| end.threshold > 0),
        };
        if any {
            return Ok(());
        }
        Err(Error::parameter(
            "the update",
            "wolff",
            "there are no bonds for clusters to grow along (use swendsen-wang or random)",
        ))
    }

    /// Throws all bonds, and joins what they hold together.
    pub(crate) fn throw(&self, state: &[i8], clusters: &mut Clusters, rng: &mut ChaCha8Rng) {
        clusters.part();
        match self {
            Self::Lattice { lattice, threshold } => {
                throw_on_lattice(*lattice, *threshold, state, clusters, rng);
            }
            Self::Graph { starts, ends } => {
                let mut coins = Coins::default();
                for v in 0..starts.len() - 1 {
                    for end in ends[starts[v]..starts[v + 1]].iter().filter(|end| end.other as usize > v) {
                        let other = end.other as usize;
                        if end.is_satisfied(state[v], state[other]) && coins.flip(end.threshold, rng) {
                            clusters.join(v, other);
                        }
                    }
                }
            }
        }
    }

    /// Clusters of one throw.
    pub(crate) fn clusters(&self, state: &[i8], rng: &mut ChaCha8Rng) -> Clusters {
        let mut clusters = Clusters::new(self.sites());
        self.throw(state, &mut clusters, rng);
        clusters
    }
}

/// Which of some bonds hold, from a byte for each; ties are decided by words.
#[inline(always)]
fn hold(from: &[i8], to: &[i8], bytes: &[u8], threshold: u64, held: &mut [u8], rng: &mut ChaCha8Rng) {
    let high = (threshold >> 56) as u8;
    let mut ties = 0;
    for (((held, from), to), byte) in held.iter_mut().zip(from).zip(to).zip(bytes) {
        let satisfied = u8::from(from == to);
        ties |= satisfied & u8::from(*byte == high);
        *held = satisfied & u8::from(*byte < high);
    }
    if ties != 0 {
        for (((held, from), to), byte) in held.iter_mut().zip(from).zip(to).zip(bytes) {
            if from == to && *byte == high {
                *held = u8::from(decide(rng.next_u64(), threshold));
            }
        }
    }
}

/// Row by row: the bonds to the right of all sites of a row, then those to the row above, a byte for each bond. What wraps around comes last.
fn throw_on_lattice(
    lattice: Lattice,
    threshold: u64,
    state: &[i8],
    clusters: &mut Clusters,
    rng: &mut ChaCha8Rng,
) {
    let (rows, cols) = lattice.shape();
    let wrap = lattice.boundary() == Boundary::Periodic;
    let mut bytes = vec![0; 2 * cols];
    let (mut left, mut above) = (vec![0; cols], vec![0; cols]);
    for row in 0..rows {
        let start = row * cols;
        let own = &state[start..][..cols];
        rng.fill_bytes(&mut bytes);
        // The bond at `j` leads to `j − 1`; the first of a row has none.
        left[0] = 0;
        hold(&own[1..], &own[..cols - 1], &bytes[1..cols], threshold, &mut left[1..], rng);
        if row > 0 {
            hold(own, &state[start - cols..][..cols], &bytes[cols..], threshold, &mut above, rng);
        }
        for (j, (left, above)) in left.iter().zip(&above).enumerate() {
            let site = start + j;
            match (*left == 1, *above == 1) {
                (false, false) => {}
                (true, false) => clusters.follow(site, site - 1),
                (false, true) => clusters.follow(site, site - cols),
                (true, true) => {
                    clusters.follow(site, site - 1);
                    clusters.join(site, site - cols);
                }
            }
        }
    }
    if !wrap {
        return;
    }
    let mut coins = Coins::default();
    let mut around = |u: usize, v: usize| {
        if u != v && state[u] == state[v] && coins.flip(threshold, rng) {
            clusters.join(u, v);
        }
    };
    (0..rows).for_each(|row| around(row * cols, row * cols + cols - 1));
    (0..cols).for_each(|col| around(col, (rows - 1) * cols + col));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bonds_that_never_hold_are_none() {
        assert!(Bonds::of_edges(2, &[(0, 1, 1.0)]).check_any().is_ok());
        // Of a probability below 2⁻⁶⁴.
        assert!(Bonds::of_edges(2, &[(0, 1, 1e-30)]).check_any().is_err());
        assert!(Bonds::of_edges(2, &[]).check_any().is_err());
    }

    #[test]
    fn bonds_that_always_hold_join_the_sites_that_satisfy_them() {
        // A path 0–1–2 of bonds between equal spins, and one between opposite spins from 3 to 4.
        let bonds = Bonds::of_edges(5, &[(0, 1, 1e9), (2, 1, 1e9), (3, 4, -1e9)]);
        let clusters = |state: &[i8]| {
            let mut rng = crate::rng::stream(0, crate::rng::Purpose::Chain, 0);
            let mut clusters = bonds.clusters(state, &mut rng);
            let roots = clusters.roots().to_vec();
            roots.iter().map(|root| roots.iter().filter(|other| *other == root).count()).collect::<Vec<_>>()
        };
        assert_eq!(clusters(&[1, 1, 1, 1, -1]), [3, 3, 3, 2, 2]);
        assert_eq!(clusters(&[1, 1, -1, 1, 1]), [2, 2, 1, 1, 1]);
        assert_eq!(clusters(&[-1, 1, -1, -1, 1]), [1, 1, 1, 2, 2]);
    }
}
