//! Cluster updates of the XY model by reflections (Wolff 1989): with a random direction `r`, the components `r·s(v)` are Ising spins whose couplings are
//! `J |r·s(u)| |r·s(v)|`.
//!
//! | symbol | here |
//! |---|---|
//! | `r = (cos φ, sin φ)`, `φ` uniform | drawn for each step |
//! | bond `u, v` holds with `p = 1 − exp(min(0, −2J (r·s(u))(r·s(v))/T))` | [`ReflectedClusters::holds`] |
//! | `s ↦ s − 2(r·s)r` | `XyState::reflect` |
//!
//! One cluster, grown from a random site, is reflected for sure ([`Reflection::One`]), or every cluster with probability 1/2 ([`Reflection::All`]).

use super::super::spins::delegate_to_model;
use super::super::xy::{Xy, XyState};
use super::super::{Chain, Lattice, SpinSystem, Tally};
use super::Clusters;
use crate::chain::diagnostics::Acceptance;
use crate::rng::{below, uniform};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;
use std::f64::consts::TAU;

/// What is reflected in a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reflection {
    /// One cluster, as [`Wolff`](super::Wolff) updates it.
    One,
    /// All clusters, as [`SwendsenWang`](super::SwendsenWang) updates them.
    All,
}

/// Cluster updates of an XY model; a step counts as an update of every site, and what it reflected, over all sites, is its [`Acceptance`].
#[derive(Clone, Debug)]
pub(crate) struct ReflectedClusters {
    model: Xy,
    lattice: Lattice,
    reflection: Reflection,
}

impl ReflectedClusters {
    /// Updates of a model.
    pub(crate) fn new(model: Xy, lattice: Lattice, reflection: Reflection) -> Self {
        Self { model, lattice, reflection }
    }

    /// Whether the bond between sites with these components along the direction holds.
    #[inline]
    fn holds(&self, own: f64, other: f64, rng: &mut ChaCha8Rng) -> bool {
        let x = 2.0 * self.model.strength() * own * other;
        x > 0.0 && uniform(rng) < -(-x).exp_m1()
    }

    fn update(&self, state: &mut XyState, buffers: &mut Buffers, rng: &mut ChaCha8Rng) -> Acceptance {
        let phi = TAU * uniform(rng);
        let accepted = match self.reflection {
            Reflection::One => self.reflect_one(state, phi, buffers, rng),
            Reflection::All => self.reflect_all(state, phi, buffers, rng),
        };
        Acceptance { accepted, proposed: self.lattice.sites() as u64 }
    }

    fn reflect_one(&self, state: &mut XyState, phi: f64, buffers: &mut Buffers, rng: &mut ChaCha8Rng) -> u64 {
        let along = component(phi);
        let Buffers { marks: joined, members, .. } = buffers;
        let seed = below(rng, joined.len() as u64) as usize;
        members.clear();
        members.push(seed as u32);
        joined[seed] = true;
        let mut at = 0;
        while let Some(&site) = members.get(at) {
            at += 1;
            let own = along(state.vector(site as usize));
            for other in self.lattice.neighbors(site as usize) {
                if !joined[other] && self.holds(own, along(state.vector(other)), rng) {
                    joined[other] = true;
                    members.push(other as u32);
                }
            }
        }
        for &site in &*members {
            joined[site as usize] = false;
            state.reflect(site as usize, phi);
        }
        members.len() as u64
    }

    fn reflect_all(&self, state: &mut XyState, phi: f64, buffers: &mut Buffers, rng: &mut ChaCha8Rng) -> u64 {
        let along = component(phi);
        let Buffers { marks: is_reflected, parts, clusters, .. } = buffers;
        parts.clear();
        parts.extend((0..is_reflected.len()).map(|site| along(state.vector(site))));
        clusters.part();
        for (u, v) in self.lattice.bonds() {
            if u != v && self.holds(parts[u], parts[v], rng) {
                clusters.join(u, v);
            }
        }
        let mut reflected = 0;
        for (site, &root) in clusters.roots().iter().enumerate() {
            if root as usize == site {
                is_reflected[site] = rng.next_u32() >> 31 == 1;
            }
            if is_reflected[root as usize] {
                state.reflect(site, phi);
                reflected += 1;
            }
        }
        reflected
    }
}

/// The component of a vector along a direction.
fn component(phi: f64) -> impl Fn([f64; 2]) -> f64 {
    let (sin, cos) = phi.sin_cos();
    move |[x, y]| x * cos + y * sin
}

/// What steps need besides the state.
struct Buffers {
    /// Sites that joined the cluster, all false between steps; or roots of clusters that are reflected.
    marks: Vec<bool>,
    members: Vec<u32>,
    parts: Vec<f64>,
    clusters: Clusters,
}

impl Buffers {
    fn new(sites: usize) -> Self {
        let clusters = Clusters::new(sites);
        Self { marks: vec![false; sites], members: Vec::new(), parts: Vec::new(), clusters }
    }
}

impl Chain for ReflectedClusters {
    type State = XyState;
    type Info = Acceptance;

    fn init(&self, rng: &mut ChaCha8Rng) -> XyState {
        self.model.init(rng)
    }

    fn step(&self, state: &mut XyState, rng: &mut ChaCha8Rng) -> Acceptance {
        self.update(state, &mut Buffers::new(self.lattice.sites()), rng)
    }

    fn steps(&self, state: &mut XyState, count: u64, rng: &mut ChaCha8Rng) -> Acceptance {
        let (mut buffers, mut all) = (Buffers::new(self.lattice.sites()), Acceptance::default());
        (0..count).for_each(|_| all.add(self.update(state, &mut buffers, rng)));
        all
    }
}

impl SpinSystem for ReflectedClusters {
    delegate_to_model!(XyState, f64);

    fn acceptance(info: &Acceptance) -> Option<Acceptance> {
        Some(*info)
    }
    fn tally(acceptance: Acceptance) -> Acceptance {
        acceptance
    }
}
