//! Homomorphisms by rejection: nodes at random until all edges of the motif are there. For tiny motifs.
//!
//! | symbol | here | where |
//! |---|---|---|
//! | `x(1), …, x(k)` uniform on `V` until `Π A(x(i), x(j)) > 0` | [`Chain::step`] | Algorithm A3 |
//! | `n^k (max A)^{\|F\|} / Σ_x Π A(x(i), x(j))` | [`expected_tries`] | docs/maths.md, Homomorphisms, backward weights |
//!
//! Where we depart from the print: it accepts whatever has a positive product, which is uniform over
//! homomorphisms. Here each edge of the motif is accepted with probability `A/max A`, so that the law is `π`
//! for weighted networks too; for others it is the same. A try ends at the first edge that is not there. And
//! the print goes on for ever when there is no homomorphism, or nearly so when there are few: here the
//! expected number of tries is computed first, exactly for trees.

use super::super::Chain;
use super::super::diagnostics::Acceptance;
use super::closed::{largest_weight, tries_to_close};
use super::search::{STEPS, homomorphism, settled};
use super::{Backward, ExactSampler, Motif, MotifSampler, RootedTree};
use crate::data::{Adjacency, Network};
use crate::rng::{below_u32, uniform};
use crate::{Error, Result};
use rand_chacha::ChaCha8Rng;
use std::sync::{Arc, OnceLock};

/// Independent draws by rejection.
///
/// `x(1), …, x(k)` uniform, until every edge of the motif is accepted, each with probability `A(x(i),x(j))/max A`: Algorithm A3, with weights taken into account.
#[derive(Clone, Debug)]
pub(crate) struct RejectionSampler {
    network: Arc<Network>,
    motif: Motif,
    /// Nodes of the motif in the order in which they are drawn, each with its edges `(i, j)` to those before.
    plan: Vec<(u32, Vec<(u32, u32)>)>,
    /// Where all weights are 1.
    adjacency: Option<Adjacency>,
    /// The largest weight.
    largest: f64,
    /// `Σ_x Π A/max A`, for probabilities.
    total: OnceLock<f64>,
}

impl RejectionSampler {
    /// The sampler, if a draw takes no more than `most_tries` tries on average. Single draws may take more:
    /// they go on until they have one, as anything else would change the law.
    ///
    /// # Errors
    /// [`Error::Parameter`] when there is no homomorphism, with the reason, and when they are so rare that a
    /// draw would take more tries, with their number and what to use instead.
    #[cfg(test)]
    pub(crate) fn new(network: Arc<Network>, motif: Motif, most_tries: u64) -> Result<Self> {
        Self::within(network, motif, most_tries, None)
    }

    /// The same with a test of adjacency of at most `memory` bytes, if given.
    pub(super) fn within(
        network: Arc<Network>,
        motif: Motif,
        most_tries: u64,
        memory: Option<usize>,
    ) -> Result<Self> {
        homomorphism(&network, &motif, false, STEPS, &mut settled())?;
        let largest = largest_weight(&network);
        let expected = expected_tries(&network, &motif, largest, most_tries as f64)?;
        if expected > most_tries as f64 {
            let needed =
                if expected.is_finite() { format!("about {expected:.1e}") } else { "too many".into() };
            let instead = if motif.tree().is_some() {
                "the exact sampler"
            } else {
                "the exact sampler or the Glauber chain"
            };
            return Err(Error::parameter(
                "the motif",
                motif.describe(),
                format!(
                    "rejection sampling needs {needed} tries per draw (at most {most_tries} tries are allowed); use {instead}"
                ),
            ));
        }
        let spanning = RootedTree::spanning(motif.k(), motif.edges())?;
        let order: Vec<u32> = std::iter::once(0).chain(spanning.order).collect();
        let mut place = vec![0; motif.k()];
        order.iter().zip(0..).for_each(|(&i, at)| place[i as usize] = at);
        let mut plan: Vec<(u32, Vec<(u32, u32)>)> = order.iter().map(|&i| (i, Vec::new())).collect();
        for &(i, j) in motif.edges() {
            plan[place[i as usize].max(place[j as usize])].1.push((i, j));
        }
        let adjacency = (!network.is_weighted()).then(|| Adjacency::of_bytes(&network, memory));
        Ok(Self { network, motif, plan, adjacency, largest, total: OnceLock::new() })
    }

    /// Nodes at random, until an edge is missing; whether none was.
    fn try_once(&self, x: &mut [u32], rng: &mut ChaCha8Rng) -> bool {
        let n = self.network.nodes() as u32;
        self.plan.iter().all(|(i, edges)| {
            x[*i as usize] = below_u32(rng, n);
            edges.iter().all(|&(i, j)| {
                let (u, v) = (x[i as usize], x[j as usize]);
                if let Some(adjacency) = &self.adjacency {
                    return adjacency.contains(u, v);
                }
                let weight = self.network.weight(u as usize, v as usize);
                weight > 0.0 && uniform(rng) * self.largest < weight
            })
        })
    }

    /// `Π A/max A` over the edges.
    fn share(&self, x: &[u32], edges: &[(u32, u32)]) -> f64 {
        let weight =
            |&(i, j): &(u32, u32)| self.network.weight(x[i as usize] as usize, x[j as usize] as usize);
        edges.iter().map(|edge| weight(edge) / self.largest).product()
    }

    /// `Σ Π A/max A` over what can be at the places from `at` on.
    fn sum(&self, x: &mut Vec<u32>, at: usize) -> f64 {
        let Some((i, edges)) = self.plan.get(at) else { return 1.0 };
        let mut sum = 0.0;
        for v in 0..self.network.nodes() as u32 {
            x[*i as usize] = v;
            let share = self.share(x, edges);
            if share > 0.0 {
                sum += share * self.sum(x, at + 1);
            }
        }
        sum
    }
}

/// By the backward weights of a tree, or of a spanning tree: then draws of that tree show how often the other
/// edges are there as well, until that is known well enough, or it is clear that there are more tries than
/// `most`.
fn expected_tries(network: &Arc<Network>, motif: &Motif, largest: f64, most: f64) -> Result<f64> {
    let k = motif.k();
    let log_tries = |edges: usize, log_total: f64| {
        k as f64 * (network.nodes() as f64).ln() + edges as f64 * largest.ln() - log_total
    };
    if motif.tree().is_some() {
        let total = Backward::new(network, motif)?.log_total();
        return Ok(log_tries(k - 1, total).exp());
    }
    let (tree, rest) = motif.spanning_tree()?;
    let exact = ExactSampler::new(Arc::clone(network), &tree)?;
    let of_tree = log_tries(k - 1, exact.backward().log_total()).exp();
    if of_tree > most {
        return Ok(of_tree);
    }
    Ok(of_tree * tries_to_close(&exact, &rest, largest, most / of_tree))
}

impl Chain for RejectionSampler {
    type State = Vec<u32>;
    /// Tries, and those that were homomorphisms: one a step.
    type Info = Acceptance;

    /// A draw from the law.
    fn init(&self, rng: &mut ChaCha8Rng) -> Vec<u32> {
        let mut x = vec![0; self.motif.k()];
        self.step(&mut x, rng);
        x
    }

    fn step(&self, state: &mut Vec<u32>, rng: &mut ChaCha8Rng) -> Acceptance {
        let mut info = Acceptance::default();
        loop {
            let hit = self.try_once(state, rng);
            info.record(hit);
            if hit {
                return info;
            }
        }
    }
}

impl MotifSampler for RejectionSampler {
    fn motif(&self) -> &Motif {
        &self.motif
    }

    fn network(&self) -> &Network {
        &self.network
    }

    fn probability(&self, _from: &[u32], to: &[u32]) -> f64 {
        let total = self.total.get_or_init(|| self.sum(&mut vec![0; self.motif.k()], 0));
        self.share(to, self.motif.edges()) / total
    }

    fn is_independent(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::check::{ChiSquared, check, check_transitions, law, tiny_motifs, tiny_networks};
    use super::*;
    use crate::rng::{Purpose, stream};

    #[test]
    fn draws_have_the_law_and_take_as_many_tries_as_expected() {
        let mut chi2 = ChiSquared::default();
        let seed = std::env::var("SEED").map_or(61, |seed| seed.parse().unwrap());
        let mut rng = stream(seed, Purpose::Chain, 0);
        let mut cases = 0;
        for (network_name, network) in tiny_networks() {
            for (motif_name, motif) in tiny_motifs() {
                let case = format!("{motif_name} in {network_name}");
                let exists = homomorphism(&network, &motif, false, STEPS, &mut settled()).is_ok();
                let sampler = RejectionSampler::new(Arc::clone(&network), motif, 1_000_000);
                assert_eq!(sampler.is_ok(), exists, "{case}");
                let Ok(sampler) = sampler else { continue };
                let n = network.nodes() as f64;
                let sum = sampler.sum(&mut vec![0; sampler.motif.k()], 0);
                let exact = n.powi(sampler.motif.k() as i32) / sum;
                // Of other motifs than trees an estimate from 64 hits or more.
                let tolerance = if sampler.motif.tree().is_some() { 1e-10 } else { 0.6 };
                let expected = expected_tries(&network, &sampler.motif, sampler.largest, 1e6).unwrap();
                assert!((expected / exact - 1.0).abs() < tolerance, "{case}: {expected} {exact}");
                if law(&sampler).is_none_or(|(states, _)| states.len() > 100) {
                    continue;
                }
                let checked = check(&sampler).unwrap();
                cases += 1;
                checked.assert_ergodic(&case);
                if exact < 200.0 {
                    // Some 50 of each state.
                    let draws = 50 * checked.states.len();
                    let one = check_transitions(&sampler, &checked, &mut rng, draws, 0);
                    one.assert(&case);
                    chi2.merge(one);
                    // Tries are geometric, with a standard deviation of at most their mean.
                    let mut x = sampler.init(&mut rng);
                    let info = sampler.steps(&mut x, 1_000, &mut rng);
                    assert!(
                        (info.proposed as f64 / 1_000.0 / exact - 1.0).abs() < 5.0 / 1_000f64.sqrt(),
                        "{case}"
                    );
                }
            }
        }
        assert!(cases > 60, "{cases}");
        chi2.assert("all together");
    }

    #[test]
    fn what_is_hopeless_is_refused_with_the_expected_number() {
        let ring: Vec<(u32, u32)> = (0..100).map(|v| (v, (v + 1) % 100)).collect();
        let network = Arc::new(Network::simple(100, &ring).unwrap());
        let refuse = |motif: Motif, words: &[&str]| {
            let message =
                RejectionSampler::new(Arc::clone(&network), motif, 1_000_000).unwrap_err().to_string();
            assert!(words.iter().all(|word| message.contains(word)), "{message}");
        };
        // 100·2⁷ among 100⁸.
        refuse(Motif::path(8).unwrap(), &["7.8e11 tries", "the exact sampler"]);
        refuse(Motif::cycle(8).unwrap(), &["tries", "the Glauber chain"]);
        refuse(Motif::cycle(3).unwrap(), &["cannot be mapped into a bipartite network"]);
        assert!(RejectionSampler::new(network, Motif::path(3).unwrap(), 3_000).is_ok());
    }

    #[test]
    fn what_is_rare_among_draws_of_the_tree_is_waited_for_while_the_bound_allows() {
        // A hub with a thousand leaves, of which two are joined: 6 of about 1000² chains of three nodes
        // close.
        let leaves = 1000u32;
        let mut edges: Vec<(u32, u32)> = (1..=leaves).map(|v| (0, v)).collect();
        edges.push((1, 2));
        let network = Arc::new(Network::simple(leaves as usize + 1, &edges).unwrap());
        let exact = f64::from(leaves + 1).powi(3) / 6.0;
        let with = |most| RejectionSampler::new(Arc::clone(&network), Motif::cycle(3).unwrap(), most);
        assert!(with(1_000_000_000).is_ok());
        let found = expected_tries(&network, &Motif::cycle(3).unwrap(), 1.0, 1e9).unwrap();
        assert!((found / exact - 1.0).abs() < 0.6, "{found} for {exact}");
        let message = with(1_000_000).unwrap_err().to_string();
        assert!(message.contains("at most 1000000 tries"), "{message}");
    }
}
