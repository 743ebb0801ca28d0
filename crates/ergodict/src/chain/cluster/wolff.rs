//! Single-cluster updates: a cluster is grown from a random site, and changes.
//!
//! A cluster of spins is flipped, one of labels gets another label, chosen uniformly: with the probability that is left of `min(1, exp(Δ))`,
//! where `Δ` is what the field gains by it over the temperature; for sure without a field.

use super::super::spins::delegate_to_model;
use super::super::{Alphabet, Chain, Lattice, SpinSystem};
use super::{Bonds, ClusterModel, Coins, pull};
use crate::Result;
use crate::chain::Boundary;
use crate::chain::diagnostics::Acceptance;
use crate::rng::{below, uniform};
use rand_chacha::ChaCha8Rng;

/// Wolff's cluster updates of a model; a step is one cluster.
///
/// What a step changes is random. It counts as an update of every site, as a sweep does; what it did change, over all sites, is its [`Acceptance`].
#[derive(Clone, Debug)]
pub(crate) struct Wolff<M> {
    model: M,
    bonds: Bonds,
    has_field: bool,
}

impl<M: ClusterModel> Wolff<M> {
    /// Updates of a model.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) for a model without bonds, and those of [`ClusterModel::bonds`].
    pub(crate) fn new(model: M) -> Result<Self> {
        let bonds = model.bonds()?;
        bonds.check_any()?;
        Ok(Self { has_field: model.has_field(), model, bonds })
    }

    /// The probability that a cluster with the sum `pull` of the field changes, where its label becomes another.
    pub(crate) fn acceptance(&self, pull: f64, from: i8, to: i8) -> f64 {
        let gain = match self.model.alphabet() {
            Alphabet::Labels(_) => pull * f64::from(i32::from(to == 0) - i32::from(from == 0)),
            _ => -2.0 * pull,
        };
        gain.exp().min(1.0)
    }

    /// A cluster from a site: its members in `cluster.members`, which have their new values in the state.
    fn grow(&self, seed: usize, to: i8, state: &mut [i8], cluster: &mut Cluster, rng: &mut ChaCha8Rng) {
        cluster.members.clear();
        cluster.members.push(seed as u32);
        let mut coins = Coins::default();
        match &self.bonds {
            Bonds::Lattice { lattice, threshold } => {
                grow_on_lattice(*lattice, *threshold, to, state, &mut cluster.members, &mut coins, rng);
            }
            Bonds::Graph { starts, ends } => {
                let Cluster { members, joined } = cluster;
                joined.resize(state.len(), false);
                joined[seed] = true;
                let mut at = 0;
                while let Some(&site) = members.get(at) {
                    at += 1;
                    let site = site as usize;
                    for end in &ends[starts[site]..starts[site + 1]] {
                        let other = end.other as usize;
                        if !joined[other]
                            && end.is_satisfied(state[site], state[other])
                            && coins.flip(end.threshold, rng)
                        {
                            joined[other] = true;
                            members.push(end.other);
                        }
                    }
                }
                let signs = self.model.alphabet() == Alphabet::PlusMinus;
                for &site in &*members {
                    let site = site as usize;
                    joined[site] = false;
                    state[site] = if signs { -state[site] } else { to };
                }
            }
        }
    }

    fn update(&self, state: &mut [i8], cluster: &mut Cluster, rng: &mut ChaCha8Rng) -> Acceptance {
        let sites = state.len() as u64;
        let seed = below(rng, sites) as usize;
        let from = state[seed];
        let to = match self.model.alphabet() {
            Alphabet::Labels(labels) => {
                let other = below(rng, u64::from(labels) - 1) as i8;
                other + i8::from(other >= from)
            }
            _ => -from,
        };
        self.grow(seed, to, state, cluster, rng);
        let mut changed = cluster.members.len() as u64;
        if self.has_field {
            // The spins have changed already: the field of what was is the other way round.
            let after = pull(&self.model, state, &cluster.members);
            let signs = self.model.alphabet() == Alphabet::PlusMinus;
            let before = if signs { -after } else { after };
            if uniform(rng) >= self.acceptance(before, from, to) {
                changed = 0;
                for &site in &cluster.members {
                    let spin = &mut state[site as usize];
                    *spin = if signs { -*spin } else { from };
                }
            }
        }
        Acceptance { accepted: changed, proposed: sites }
    }
}

/// A cluster that grows, with its buffers.
#[derive(Default)]
struct Cluster {
    members: Vec<u32>,
    /// Which sites have joined; all false between steps.
    joined: Vec<bool>,
}

/// On a lattice whose bonds equal values satisfy: those that joined differ from those that have not.
#[inline(always)]
fn grow_on_lattice(
    lattice: Lattice,
    threshold: u64,
    to: i8,
    state: &mut [i8],
    members: &mut Vec<u32>,
    coins: &mut Coins,
    rng: &mut ChaCha8Rng,
) {
    let (rows, cols) = lattice.shape();
    let wrap = lattice.boundary() == Boundary::Periodic;
    let seed = members[0] as usize;
    let from = std::mem::replace(&mut state[seed], to);
    let mut at = 0;
    while at < members.len() {
        let site = members[at] as usize;
        at += 1;
        let (row, col) = ((site as u32 / cols as u32) as usize, (site as u32 % cols as u32) as usize);
        let mut look = |next: usize| {
            if state[next] == from && coins.flip(threshold, rng) {
                state[next] = to;
                members.push(next as u32);
            }
        };
        if row > 0 && row + 1 < rows && col > 0 && col + 1 < cols {
            look(site - cols);
            look(site + cols);
            look(site - 1);
            look(site + 1);
        } else {
            let across = (rows - 1) * cols;
            let sides = [
                if row > 0 { Some(site - cols) } else { wrap.then_some(site + across) },
                if row + 1 < rows { Some(site + cols) } else { wrap.then(|| site - across) },
                if col > 0 { Some(site - 1) } else { wrap.then_some(site + cols - 1) },
                if col + 1 < cols { Some(site + 1) } else { wrap.then(|| site + 1 - cols) },
            ];
            sides.into_iter().flatten().for_each(look);
        }
    }
}

impl<M: ClusterModel> Chain for Wolff<M> {
    type State = Vec<i8>;
    type Info = Acceptance;

    fn init(&self, rng: &mut ChaCha8Rng) -> Vec<i8> {
        self.model.init(rng)
    }

    fn step(&self, state: &mut Vec<i8>, rng: &mut ChaCha8Rng) -> Acceptance {
        self.update(state, &mut Cluster::default(), rng)
    }

    fn steps(&self, state: &mut Vec<i8>, count: u64, rng: &mut ChaCha8Rng) -> Acceptance {
        let (mut cluster, mut changed) = (Cluster::default(), Acceptance::default());
        for _ in 0..count {
            let Acceptance { accepted, proposed } = self.update(state, &mut cluster, rng);
            changed.accepted += accepted;
            changed.proposed += proposed;
        }
        changed
    }
}

impl<M: ClusterModel> SpinSystem for Wolff<M> {
    delegate_to_model!(Vec<i8>, i8);

    fn acceptance(info: &Acceptance) -> Option<Acceptance> {
        Some(*info)
    }
    fn tally(acceptance: Acceptance) -> Acceptance {
        acceptance
    }
}
