//! Independent draws of motifs with cycles: exact draws of a spanning tree, kept when the other edges are there as well.
//!
//! | symbol | here | where |
//! |---|---|---|
//! | `T ⊆ F`, a spanning tree | `tree` | docs/maths.md, Homomorphisms, conditional densities |
//! | `π(x) ∝ π_T(x) Π_{(i,j) ∈ F∖T} A(x(i), x(j))` | [`Chain::step`] | |
//! | `(max A)^{\|F∖T\|} t(T)/t(F)` | [`tries_to_close`] | |
//!
//! The paper has Glauber's chain alone for such motifs, whose draws depend on each other, and which may not reach all
//! homomorphisms. Where a tree closes often enough, as triangles and squares do in most networks, this is the better way:
//! each draw of the tree is kept with probability `Π A/max A` over the edges that are left, so the law is `π`.

use super::super::Chain;
use super::super::diagnostics::Acceptance;
use super::search::{STEPS, homomorphism, settled};
use super::{Density, ExactSampler, Motif, MotifSampler};
use crate::data::{Adjacency, Network};
use crate::rng::uniform;
use crate::{Error, Result};
use rand_chacha::ChaCha8Rng;
use std::sync::{Arc, OnceLock};

/// Draws of the tree that are made at a time.
const BLOCK: usize = 64;
/// Draws that close which are enough for the estimate of their share, with an error of an eighth.
const ENOUGH: f64 = 64.0;

/// Independent draws of a motif that is no tree.
///
/// A spanning tree `T ⊆ F` is drawn by the [`ExactSampler`] and kept with probability `Π A(x(i),x(j))/max A` over the edges of `F∖T`, so that the law is
/// `π(x) ∝ Π_{(i,j) ∈ F} A(x(i),x(j))`.
#[derive(Clone, Debug)]
pub(crate) struct ClosedSampler {
    tree: ExactSampler,
    motif: Motif,
    /// The edges that the tree has not.
    rest: Vec<(u32, u32)>,
    /// Where all weights are 1.
    adjacency: Option<Adjacency>,
    /// The largest weight.
    largest: f64,
    /// The sum of all weights, for probabilities.
    total: OnceLock<f64>,
}

impl ClosedSampler {
    /// The sampler, if a draw takes no more than `most_tries` draws of the tree on average.
    ///
    /// # Errors
    /// [`Error::Parameter`] when there is no homomorphism, with the reason, and when trees close so rarely that a draw would
    /// take more tries.
    #[cfg(test)]
    pub(crate) fn new(network: &Arc<Network>, motif: &Motif, most_tries: u64) -> Result<Self> {
        Self::within(network, motif, most_tries, None)
    }

    /// The same with a test of adjacency of at most `memory` bytes, if given.
    pub(super) fn within(
        network: &Arc<Network>,
        motif: &Motif,
        most_tries: u64,
        memory: Option<usize>,
    ) -> Result<Self> {
        homomorphism(network, motif, false, STEPS, &mut settled())?;
        let (tree, rest) = motif.spanning_tree()?;
        let tree = ExactSampler::new(Arc::clone(network), &tree)?;
        let largest = largest_weight(network);
        let expected = tries_to_close(&tree, &rest, largest, most_tries as f64);
        if expected > most_tries as f64 {
            let rare =
                if expected.is_finite() { format!("once in {expected:.2e}") } else { "hardly ever".into() };
            return Err(Error::parameter(
                "the motif",
                motif.describe(),
                format!(
                    "draws of its spanning tree have the other edges {rare}, and at most {most_tries} draws are \
                     allowed for one homomorphism: use the Glauber chain"
                ),
            ));
        }
        let adjacency = (!network.is_weighted()).then(|| Adjacency::of_bytes(network, memory));
        Ok(Self { tree, motif: motif.clone(), rest, adjacency, largest, total: OnceLock::new() })
    }

    /// Whether a draw of the tree is kept.
    #[inline]
    fn closes(&self, x: &[u32], rng: &mut ChaCha8Rng) -> bool {
        self.rest.iter().all(|&(i, j)| {
            let (u, v) = (x[i as usize], x[j as usize]);
            if let Some(adjacency) = &self.adjacency {
                return adjacency.contains(u, v);
            }
            let weight = self.network().weight(u as usize, v as usize);
            weight > 0.0 && uniform(rng) * self.largest < weight
        })
    }
}

/// The largest weight of a network.
pub(super) fn largest_weight(network: &Network) -> f64 {
    network.rows().weights.as_deref().unwrap_or(&[1.0]).iter().copied().fold(0.0, f64::max)
}

/// How many draws of a tree it takes on average until the other edges are there as well: from draws, until that is known
/// well enough, or it is clear that there are more than `most`; infinite when there was none among them.
pub(super) fn tries_to_close(tree: &ExactSampler, rest: &[(u32, u32)], largest: f64, most: f64) -> f64 {
    let (k, network) = (tree.motif().k(), tree.network());
    let (mut rng, mut x, mut block) = (settled(), vec![0; k], vec![0; BLOCK * k]);
    let (mut draws, mut sum) = (0.0, 0.0f64);
    // The sum is one of independent numbers in [0, 1], so its variance is at most its mean: four standard deviations and some.
    while sum < ENOUGH && draws <= most * (sum + 4.0 * sum.sqrt() + 12.0) {
        tree.sample(&mut x, &mut rng, &mut block);
        let weight =
            |x: &[u32], (i, j): (u32, u32)| network.weight(x[i as usize] as usize, x[j as usize] as usize);
        let share = |x: &[u32]| rest.iter().map(|&edge| weight(x, edge) / largest).product::<f64>();
        sum += block.chunks_exact(k).map(share).sum::<f64>();
        draws += BLOCK as f64;
    }
    if sum > 0.0 { draws / sum } else { f64::INFINITY }
}

impl Chain for ClosedSampler {
    type State = Vec<u32>;
    /// Draws of the tree, and those that closed: one a step.
    type Info = Acceptance;

    fn init(&self, rng: &mut ChaCha8Rng) -> Vec<u32> {
        let mut x = vec![0; self.motif.k()];
        self.step(&mut x, rng);
        x
    }

    fn step(&self, state: &mut Vec<u32>, rng: &mut ChaCha8Rng) -> Acceptance {
        let mut info = Acceptance::default();
        loop {
            self.tree.step(state, rng);
            let kept = self.closes(state, rng);
            info.record(kept);
            if kept {
                return info;
            }
        }
    }
}

impl MotifSampler for ClosedSampler {
    fn motif(&self) -> &Motif {
        &self.motif
    }

    fn network(&self) -> &Network {
        self.tree.network()
    }

    fn probability(&self, _from: &[u32], to: &[u32]) -> f64 {
        let total = self.total.get_or_init(|| {
            let maps = (self.network().nodes() as f64).powi(self.motif.k() as i32);
            Density::by_enumeration(self.network(), &self.motif).map_or(f64::NAN, |t| t.value() * maps)
        });
        self.weight(to) / total
    }

    fn is_independent(&self) -> bool {
        true
    }

    /// Trees are drawn in blocks, and what closes is kept; what is left of the last block is thrown away.
    fn sample(&self, state: &mut Vec<u32>, rng: &mut ChaCha8Rng, out: &mut [u32]) -> Acceptance {
        let k = self.motif.k();
        let (mut info, mut block) = (Acceptance::default(), vec![0; BLOCK * k]);
        let mut wanted = out.chunks_exact_mut(k);
        let mut place = wanted.next();
        while place.is_some() {
            self.tree.sample(state, rng, &mut block);
            for x in block.chunks_exact(k) {
                let Some(to) = place.as_deref_mut() else { break };
                let kept = self.closes(x, rng);
                info.record(kept);
                if kept {
                    to.copy_from_slice(x);
                    place = wanted.next();
                }
            }
        }
        if let Some(last) = out.chunks_exact(k).last() {
            state.copy_from_slice(last);
        }
        info
    }
}

#[cfg(test)]
mod tests {
    use super::super::check::{ChiSquared, check, check_transitions, law, tiny_motifs, tiny_networks};
    use super::*;
    use crate::rng::{Purpose, stream};

    #[test]
    fn draws_have_the_law_one_by_one_and_in_blocks() {
        let (mut chi2, mut rng, mut cases) = (ChiSquared::default(), stream(67, Purpose::Chain, 0), 0);
        for (network_name, network) in tiny_networks() {
            for (motif_name, motif) in tiny_motifs() {
                if motif.tree().is_some() {
                    continue;
                }
                let case = format!("{motif_name} in {network_name}");
                let exists = homomorphism(&network, &motif, false, STEPS, &mut settled()).is_ok();
                let sampler = ClosedSampler::new(&network, &motif, 1_000_000);
                assert_eq!(sampler.is_ok(), exists, "{case}");
                let Ok(sampler) = sampler else { continue };
                if law(&sampler).is_none_or(|(states, _)| states.len() > 100) {
                    continue;
                }
                let checked = check(&sampler).unwrap();
                checked.assert_ergodic(&case);
                cases += 1;
                for block in [0, 10] {
                    let draws = (50 * checked.states.len()).next_multiple_of(10);
                    let one = check_transitions(&sampler, &checked, &mut rng, draws, block);
                    one.assert(&case);
                    chi2.merge(one);
                }
            }
        }
        assert!(cases > 15, "{cases}");
        chi2.assert("all together");
    }

    #[test]
    fn the_state_is_the_last_of_a_block() {
        let karate = Arc::new(crate::data::embedded("karate").unwrap());
        let sampler = ClosedSampler::new(&karate, &Motif::cycle(3).unwrap(), 1000).unwrap();
        let mut rng = stream(3, Purpose::Chain, 0);
        let (mut x, mut out) = (sampler.init(&mut rng), [0; 30]);
        let info = sampler.sample(&mut x, &mut rng, &mut out);
        assert_eq!((&x[..], info.accepted), (&out[27..], 10));
        assert!(out.chunks_exact(3).all(|x| sampler.weight(x) == 1.0));
        // Closed walks of three steps among walks of two: 6·45 of Σ d².
        let walks: f64 = (0..34).map(|v| (sampler.network().neighbors(v).len() as f64).powi(2)).sum();
        let exact = walks / (6.0 * 45.0);
        let expected = tries_to_close(&sampler.tree, &sampler.rest, sampler.largest, 1000.0);
        assert!((expected / exact - 1.0).abs() < 0.6, "{expected} {exact}");
    }

    #[test]
    fn what_hardly_ever_closes_is_refused() {
        // A long ring with one chord that makes a triangle.
        let mut edges: Vec<(u32, u32)> = (0..5000).map(|v| (v, (v + 1) % 5000)).collect();
        edges.push((0, 2));
        let ring = Arc::new(Network::simple(5000, &edges).unwrap());
        let message = ClosedSampler::new(&ring, &Motif::cycle(3).unwrap(), 100).unwrap_err().to_string();
        assert!(message.contains("Glauber") && message.contains("at most 100"), "{message}");
    }
}
