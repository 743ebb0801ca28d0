//! Only homomorphisms with `k` different nodes: another sampler, watched when it is at one.
//!
//! | symbol | here | where |
//! |---|---|---|
//! | `x` injective | [`different`] | docs/maths.md, Homomorphisms, "Injective option" |
//! | share of injective states under the law | [`Injective::rate`], and the acceptance of the steps | |
//! | `P_BB + P_BC (1 − P_CC)⁻¹ P_CB` | [`MotifSampler::probability`] | `B` the injective states, `C` the others |
//!
//! A step steps the inner chain until it is at an injective state again. Why the law is `π` given that `x` is
//! injective: let `p` be `π` on `B`. The flow of `π` into `y ∈ B` comes from `B` straight, or from `B` by an
//! excursion through `C`, as all that is in `C` of a stationary chain comes from `B` or goes round in classes
//! that never meet `B`. So `p = p P_BB + p P_BC (1 − P_CC)⁻¹ P_CB`. The chain comes back with probability
//! one, as a chain on finitely many states with a positive stationary law does. Where the inner chain can go
//! from any state to any other, so can this one; independent draws stay independent.

use super::super::diagnostics::Acceptance;
use super::super::{Chain, Tally};
use super::search::{STEPS, Sought, seek, settled};
use super::{Motif, MotifSampler};
use crate::data::Network;
use crate::{Error, Result};
use rand_chacha::ChaCha8Rng;
use std::collections::HashMap;
use std::sync::OnceLock;

/// Injective states that are enough for an estimate of their share, with an error of an eighth if they were
/// independent.
const ENOUGH: u64 = 64;

/// Of states so rare that this many are found in as many times the most tries, no more are waited for.
/// Chosen, not tuned.
const FEW: u64 = 8;

/// How often another start is searched for before the first one found is taken.
const STARTS: u64 = 8;

/// States that independent draws are made of at a time.
const BLOCK: usize = 256;

/// Most states of a network of which transition probabilities are computed.
const MOST_STATES: usize = 2_000;

/// A sampler that gives only homomorphisms with different nodes.
///
/// Its law is that of the sampler behind it, given that `x` is injective.
#[derive(Clone, Debug)]
pub(crate) struct Injective<S> {
    inner: S,
    most_tries: u64,
    rate: f64,
    /// An injective state that was found.
    found: Vec<u32>,
    watched: OnceLock<Option<InjectiveChain>>,
}

impl<S: MotifSampler> Injective<S> {
    /// The injective states of `inner`, after a search for one and a trial: at least one in `most_tries` of
    /// its proposals must lead to an injective state, on average. The trial takes at most eight times as
    /// many.
    ///
    /// # Errors
    /// [`Error::Parameter`] when the network has fewer nodes than the motif, when there is no such
    /// homomorphism, and when they are so rare that a step would take more than `most_tries` proposals of
    /// `inner`, with what the trial has found.
    pub(crate) fn new(inner: S, most_tries: u64, rng: &mut ChaCha8Rng) -> Result<Self> {
        let (n, k) = (inner.network().nodes(), inner.motif().k());
        if most_tries == 0 {
            return Err(Error::parameter("the most tries", 0, "it must be at least 1"));
        }
        if k > n {
            return Err(Error::parameter(
                "the motif",
                inner.motif().describe(),
                format!(
                    "its nodes cannot all be different in a network of {n}: give a motif of at most {n} nodes"
                ),
            ));
        }
        // Where there is none, no trial would find it. A search that gives up leaves it to the trial.
        if let Sought::Impossible(reason) = seek(inner.network(), inner.motif(), true, STEPS, &mut settled())
        {
            return Err(reason);
        }
        let (mut seen, mut found) = (Acceptance::default(), None);
        let mut state = inner.init(rng);
        // Proposals of the inner sampler: all in all, and since there was a hit.
        let (mut spent, mut since) = (0, 0);
        while seen.accepted < ENOUGH && spent < most_tries.saturating_mul(seen.accepted.min(FEW - 1) + 1) {
            let hit = different(&state);
            seen.record(hit);
            if hit {
                found = Some(state.clone());
                since = 0;
            }
            // The classes of the inner chain may differ, and some have no injective state.
            let proposed = if since > most_tries / STARTS {
                state = inner.init(rng);
                since = 0;
                1
            } else {
                // A lazy step may propose nothing.
                inner.step(&mut state, rng).proposed.max(1)
            };
            since += proposed;
            spent += proposed;
        }
        let Some(found) = found.filter(|_| seen.accepted >= FEW) else {
            let Acceptance { accepted, proposed } = seen;
            return Err(Error::parameter(
                "the motif",
                inner.motif().describe(),
                format!(
                    "{accepted} of {proposed} homomorphisms, from {spent} tries, had different nodes, fewer than one in \
                     {most_tries}: take a smaller motif or a denser network, allow more tries, or allow nodes to repeat"
                ),
            ));
        };
        Ok(Self { inner, most_tries, rate: seen.rate(), found, watched: OnceLock::new() })
    }

    /// The share of states that were injective in the trial: an estimate for what is to come, which the
    /// acceptance of the steps gives more precisely.
    #[cfg(test)]
    pub(crate) fn rate(&self) -> f64 {
        self.rate
    }
}

/// Whether all nodes are different.
fn different(x: &[u32]) -> bool {
    // Nodes with a bit that is new are new; the others are looked for.
    let mut bits = [0u64; 16];
    for (i, &v) in x.iter().enumerate() {
        let hash = v.wrapping_mul(0x9e37_79b1) >> 22;
        let (word, bit) = (&mut bits[hash as usize >> 6], 1 << (hash & 63));
        if *word & bit != 0 && x[..i].contains(&v) {
            return false;
        }
        *word |= bit;
    }
    true
}

impl<S: MotifSampler> Chain for Injective<S> {
    type State = Vec<u32>;
    /// Of the states of the inner chain those that were injective.
    type Info = Acceptance;

    fn init(&self, rng: &mut ChaCha8Rng) -> Vec<u32> {
        for _ in 0..STARTS {
            let mut state = self.inner.init(rng);
            for _ in 0..self.most_tries {
                if different(&state) {
                    return state;
                }
                self.inner.step(&mut state, rng);
            }
        }
        self.found.clone()
    }

    fn step(&self, state: &mut Vec<u32>, rng: &mut ChaCha8Rng) -> Acceptance {
        let mut info = Acceptance::default();
        loop {
            self.inner.step(state, rng);
            let hit = different(state);
            info.record(hit);
            if hit {
                return info;
            }
        }
    }
}

impl<S: MotifSampler> MotifSampler for Injective<S> {
    fn motif(&self) -> &Motif {
        self.inner.motif()
    }

    fn network(&self) -> &Network {
        self.inner.network()
    }

    fn weight(&self, x: &[u32]) -> f64 {
        if different(x) { self.inner.weight(x) } else { 0.0 }
    }

    fn is_state(&self, x: &[u32]) -> bool {
        different(x) && self.inner.is_state(x)
    }

    fn notes(&self) -> Vec<String> {
        self.inner.notes()
    }

    /// From the transition matrix of the inner sampler, which is made when first asked for. NaN for networks
    /// with more than some thousand homomorphisms.
    fn probability(&self, from: &[u32], to: &[u32]) -> f64 {
        let watched = self.watched.get_or_init(|| InjectiveChain::new(&self.inner));
        watched.as_ref().map_or(f64::NAN, |watched| watched.probability(from, to))
    }

    fn is_independent(&self) -> bool {
        self.inner.is_independent()
    }

    fn sample(&self, state: &mut Vec<u32>, rng: &mut ChaCha8Rng, out: &mut [u32]) -> Acceptance {
        let k = self.motif().k();
        let mut info = Acceptance::default();
        if !self.is_independent() {
            for x in out.chunks_exact_mut(k) {
                info.add(self.step(state, rng));
                x.copy_from_slice(state);
            }
            return info;
        }
        // Of independent draws the first injective ones are as good as any, and blocks of them are fast.
        let wanted = out.len() / k;
        let mut kept = 0;
        let mut block = Vec::new();
        while kept < wanted {
            let count = (((wanted - kept) as f64 / self.rate).ceil() as usize).clamp(16, BLOCK);
            block.resize(count * k, 0);
            self.inner.sample(state, rng, &mut block);
            for x in block.chunks_exact(k) {
                if kept == wanted {
                    break;
                }
                let hit = different(x);
                info.record(hit);
                if hit {
                    out[kept * k..][..k].copy_from_slice(x);
                    state.copy_from_slice(x);
                    kept += 1;
                }
            }
        }
        info
    }
}

/// The chain watched at its injective states, as a matrix.
#[derive(Clone, Debug)]
struct InjectiveChain {
    index: HashMap<Vec<u32>, usize>,
    matrix: Vec<Vec<f64>>,
}

impl InjectiveChain {
    fn new(inner: &impl MotifSampler) -> Option<Self> {
        let (n, k) = (inner.network().nodes() as u32, inner.motif().k() as u32);
        let all = u64::from(n).checked_pow(k).filter(|all| *all <= 1 << 24)?;
        let state = |code: u64| (0..k).map(|i| (code / u64::from(n).pow(i) % u64::from(n)) as u32).collect();
        let mut states: Vec<Vec<u32>> =
            (0..all).map(state).filter(|x: &Vec<u32>| inner.weight(x) > 0.0).collect();
        if states.len() > MOST_STATES {
            return None;
        }
        states.sort_by_key(|x| !different(x));
        let injective = states.iter().filter(|x| different(x)).count();
        let row = |from: &Vec<u32>| states.iter().map(|to| inner.probability(from, to)).collect();
        let mut matrix: Vec<Vec<f64>> = states.iter().map(row).collect();
        // States are taken out one by one: what went there goes on to where it leads. (Grassmann, Taksar and
        // Heyman.)
        for out in (injective..states.len()).rev() {
            let onward = matrix[out][..out].to_vec();
            let leaving: f64 = onward.iter().sum();
            if leaving == 0.0 {
                // Of a class without injective states, where nothing else leads to.
                continue;
            }
            for row in &mut matrix[..out] {
                let share = row[out] / leaving;
                if share > 0.0 {
                    row.iter_mut().zip(&onward).for_each(|(p, on)| *p += share * on);
                }
            }
        }
        states.truncate(injective);
        Some(Self { index: states.into_iter().zip(0..).collect(), matrix })
    }

    fn probability(&self, from: &[u32], to: &[u32]) -> f64 {
        match (self.index.get(from), self.index.get(to)) {
            (Some(&from), Some(&to)) => self.matrix[from][to],
            _ => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::check::{ChiSquared, check, check_transitions, tiny_motifs, tiny_networks};
    use super::super::{ApproximatePivot, ExactSampler, Glauber, Pivot, PivotParameters, RejectionSampler};
    use super::*;
    use crate::rng::{Purpose, stream};
    use std::sync::Arc;

    fn seed(usual: u64) -> u64 {
        std::env::var("SEED").map_or(usual, |seed| seed.parse().unwrap())
    }

    #[test]
    fn different_nodes_are_recognized() {
        assert!(different(&[]) && different(&[5]) && different(&[1, 0, 2]));
        assert!(!different(&[1, 0, 1]));
        let mut many: Vec<u32> = (0..5000).map(|v| v * 1024).collect();
        assert!(different(&many));
        many[4999] = many[17];
        assert!(!different(&many));
    }

    #[test]
    fn the_law_is_that_of_the_inner_sampler_given_different_nodes() {
        let mut chi2 = ChiSquared::default();
        let (mut cases, mut refused, mut turns) = (0, 0, [0; 5]);
        for (network_name, network) in tiny_networks() {
            for (motif_name, motif) in tiny_motifs() {
                let case = format!("{motif_name} in {network_name}");
                // All kinds by turns, for the sake of time.
                let turn = (network_name.len() + motif_name.len()) % 5;
                let lazy = PivotParameters::default();
                for kind in [0, turn].into_iter().take(if turn == 0 { 1 } else { 2 }) {
                    let network = Arc::clone(&network);
                    let inner: crate::Result<Box<dyn MotifSampler>> = match kind {
                        0 => Glauber::new(network, motif.clone()).map(|inner| Box::new(inner) as _),
                        1 => ExactSampler::new(network, &motif).map(|inner| Box::new(inner) as _),
                        2 => RejectionSampler::new(network, motif.clone(), 300)
                            .map(|inner| Box::new(inner) as _),
                        3 => Pivot::new(network, &motif, lazy).map(|inner| Box::new(inner) as _),
                        _ => ApproximatePivot::new(network, &motif, lazy).map(|inner| Box::new(inner) as _),
                    };
                    let Ok(inner) = inner else { continue };
                    // The matrix of the inner chain takes a while.
                    let Some((states, _)) = super::super::check::law(&*inner) else { continue };
                    if states.len() > 50 {
                        continue;
                    }
                    let mut rng = stream(seed(51), Purpose::Chain, cases);
                    let independent = inner.is_independent();
                    let exists = states.iter().any(|x| different(x));
                    let sampler = Injective::new(inner, 100_000, &mut rng);
                    assert_eq!(
                        sampler.is_ok(),
                        exists,
                        "{case}: {:?}",
                        sampler.err().map(|why| why.to_string())
                    );
                    let Ok(sampler) = sampler else {
                        refused += 1;
                        continue;
                    };
                    turns[kind] += 1;
                    cases += 1;
                    assert!(sampler.rate() > 0.0 && sampler.rate() <= 1.0);
                    let checked = check(&sampler).unwrap();
                    checked.assert_stationary(&case);
                    assert!(checked.states.iter().all(|x| different(x)));
                    assert!(!independent || checked.classes == 1);
                    for block in [0, 1, 50] {
                        let one = check_transitions(&sampler, &checked, &mut rng, 2_000, block);
                        one.assert(&case);
                        chi2.merge(one);
                    }
                }
            }
        }
        assert!(cases > 50 && refused > 10, "{cases} {refused}");
        assert!(turns.iter().all(|count| *count > 2), "{turns:?}");
        chi2.assert("all together");
    }

    #[test]
    fn acceptance_is_the_share_of_injective_states() {
        // In a triangle 6 of 12 chains of three nodes are paths.
        let triangle = Arc::new(Network::simple(3, &[(0, 1), (1, 2), (2, 0)]).unwrap());
        let mut rng = stream(52, Purpose::Chain, 0);
        let exact = ExactSampler::new(triangle, &Motif::path(3).unwrap()).unwrap();
        let paths = Injective::new(exact, 100, &mut rng).unwrap();
        let mut x = paths.init(&mut rng);
        let mut out = vec![0; 3 * 4_000];
        for info in [paths.sample(&mut x, &mut rng, &mut out), paths.steps(&mut x, 4_000, &mut rng)] {
            assert_eq!(info.accepted, 4_000);
            // 4.5 standard errors of a negative binomial number: √(8000) of 8000.
            assert!((info.proposed as f64 - 8_000.0).abs() < 4.5 * 8_000f64.sqrt(), "{info:?}");
        }
    }

    #[test]
    fn what_is_hopeless_is_refused_with_advice() {
        let mut rng = stream(53, Purpose::Chain, 0);
        let mut refuse = |network: Network, motif: Motif, tries: u64, words: &str| {
            let glauber = Glauber::new(network.into(), motif).unwrap();
            let message = Injective::new(glauber, tries, &mut rng).unwrap_err().to_string();
            assert!(message.contains(words), "{message}");
        };
        let path = || Network::simple(4, &[(0, 1), (1, 2), (2, 3)]).unwrap();
        refuse(path(), Motif::path(5).unwrap(), 1000, "in a network of 4");
        refuse(path(), Motif::star(4).unwrap(), 1000, "the network has none with distinct nodes");
        refuse(path(), Motif::path(4).unwrap(), 0, "at least 1");
        let long: Vec<(u32, u32)> = (0..40).map(|v| (v, v + 1)).collect();
        let long = Network::simple(41, &long).unwrap();
        refuse(long, Motif::path(41).unwrap(), 500, "fewer than one in 500");
    }

    #[test]
    fn the_trial_counts_what_the_inner_sampler_tries() {
        // Chains of six different nodes in a ring of six are 12 of 192, and a try of nodes at random is a
        // chain once in 243.
        let ring = Arc::new(Network::simple(6, &[(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0)]).unwrap());
        let inner = RejectionSampler::new(ring, Motif::path(6).unwrap(), 100_000).unwrap();
        let mut rng = stream(55, Purpose::Chain, 0);
        let message = Injective::new(inner.clone(), 500, &mut rng).unwrap_err().to_string();
        assert!(message.contains("fewer than one in 500"), "{message}");
        assert!(Injective::new(inner, 100_000, &mut rng).is_ok());
    }

    #[test]
    fn a_start_is_found_where_only_some_classes_have_one() {
        // Four different nodes are in the square only, and Glauber updates do not lead there from the edges.
        let edges = [(0, 1), (2, 3), (4, 5), (6, 7), (7, 8), (8, 9), (9, 6)];
        let network = Arc::new(Network::simple(10, &edges).unwrap());
        let glauber = Glauber::new(network, Motif::path(4).unwrap()).unwrap();
        let mut rng = stream(54, Purpose::Chain, 0);
        let paths = Injective::new(glauber, 1_000, &mut rng).unwrap();
        for _ in 0..20 {
            let mut x = paths.init(&mut rng);
            paths.steps(&mut x, 20, &mut rng);
            assert!(different(&x) && x.iter().all(|&v| v > 5), "{x:?}");
        }
    }

    #[test]
    fn each_step_of_the_trial_is_a_try() {
        // Chains of six nodes that do not repeat one go along the tail of a large star: next to none do.
        let star = (1..400).map(|v| (0, v));
        let edges: Vec<(u32, u32)> = star.chain([(1, 400), (400, 401), (401, 402)]).collect();
        let network = Arc::new(Network::simple(403, &edges).unwrap());
        let exact = ExactSampler::new(network, &Motif::path(6).unwrap()).unwrap();
        let message = Injective::new(exact, 10, &mut stream(54, Purpose::Chain, 0)).unwrap_err().to_string();
        assert!(message.contains("0 of 10 homomorphisms, from 10 tries"), "{message}");
    }
}
