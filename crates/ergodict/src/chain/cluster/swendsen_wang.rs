//! Updates of all clusters at once.
//!
//! Every cluster is drawn given the bonds: spins are flipped with probability `1/(1 + exp(2b(C)))`, 1/2 without a field; labels are
//! drawn with weight `exp(b(C))` for label 0, which the field favors, and 1 for every other.

use super::super::heat_bath::threshold;
use super::super::spins::delegate_to_model;
use super::super::{Alphabet, Chain, SpinSystem};
use super::{Bonds, ClusterModel, Clusters, Coins};
use crate::Result;
use crate::rng::{below, uniform};
use rand_chacha::ChaCha8Rng;

/// Swendsen and Wang's cluster updates of a model; a step draws all clusters, and with them every site.
#[derive(Clone, Debug)]
pub(crate) struct SwendsenWang<M> {
    model: M,
    bonds: Bonds,
    has_field: bool,
}

impl<M: ClusterModel> SwendsenWang<M> {
    /// Updates of a model.
    ///
    /// # Errors
    /// Those of [`ClusterModel::bonds`].
    pub(crate) fn new(model: M) -> Result<Self> {
        Ok(Self { bonds: model.bonds()?, has_field: model.has_field(), model })
    }

    /// The probability with which a cluster of spins is flipped, times `2⁶⁴`; `pull` is the sum of the field over it.
    pub(crate) fn flip(pull: f64) -> u64 {
        threshold(-2.0 * pull)
    }

    /// The probability that a cluster of labels gets label 0 of `labels`.
    pub(crate) fn first_label(pull: f64, labels: u8) -> f64 {
        // Without overflow: the weights are over that of label 0.
        1.0 / (1.0 + f64::from(labels - 1) * (-pull).exp())
    }

    /// What a cluster becomes: a factor of its spins, or its label.
    fn draw(&self, pull: f64, coins: &mut Coins, rng: &mut ChaCha8Rng) -> i8 {
        match self.model.alphabet() {
            Alphabet::Labels(labels) if !self.has_field => below(rng, u64::from(labels)) as i8,
            Alphabet::Labels(labels) if uniform(rng) < Self::first_label(pull, labels) => 0,
            Alphabet::Labels(labels) => 1 + below(rng, u64::from(labels) - 1) as i8,
            _ => 1 - 2 * i8::from(coins.flip(Self::flip(pull), rng)),
        }
    }

    fn update(&self, state: &mut [i8], clusters: &mut Clusters, drawn: &mut [i8], rng: &mut ChaCha8Rng) {
        self.bonds.throw(state, clusters, rng);
        let roots = clusters.roots();
        let signs = self.model.alphabet() == Alphabet::PlusMinus;
        let mut pulls = Vec::new();
        if self.has_field {
            pulls.resize(state.len(), 0.0);
            for ((site, root), spin) in roots.iter().enumerate().zip(&*state) {
                pulls[*root as usize] += self.model.pull(site) * if signs { f64::from(*spin) } else { 1.0 };
            }
        }
        let mut coins = Coins::default();
        for (site, &root) in roots.iter().enumerate() {
            let root = root as usize;
            if root == site {
                let pull = pulls.get(site).copied().unwrap_or(0.0);
                drawn[site] = self.draw(pull, &mut coins, rng);
            }
            state[site] = if signs { state[site] * drawn[root] } else { drawn[root] };
        }
    }
}

impl<M: ClusterModel> Chain for SwendsenWang<M> {
    type State = Vec<i8>;
    type Info = ();

    fn init(&self, rng: &mut ChaCha8Rng) -> Vec<i8> {
        self.model.init(rng)
    }

    fn step(&self, state: &mut Vec<i8>, rng: &mut ChaCha8Rng) {
        self.steps(state, 1, rng);
    }

    fn steps(&self, state: &mut Vec<i8>, count: u64, rng: &mut ChaCha8Rng) {
        let (mut clusters, mut drawn) = (Clusters::new(state.len()), vec![0; state.len()]);
        (0..count).for_each(|_| self.update(state, &mut clusters, &mut drawn, rng));
    }
}

impl<M: ClusterModel> SpinSystem for SwendsenWang<M> {
    delegate_to_model!(Vec<i8>, i8);
}
