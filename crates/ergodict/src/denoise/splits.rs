//! Labels made from the observed network alone.
//!
//! | noise assumed | network | label true | label false |
//! |---|---|---|---|
//! | [`Noise::Removed`] | the observed one without a share of its edges; every node keeps one | hidden edges | non-edges of the observed network: as many uniform with weight `1 − w` and as many by degrees with weight `w` |
//! | [`Noise::Added`] | the observed one, or with a share of false edges injected | observed edges | as many uniform non-edges, or the injected ones |
//!
//! Nothing need be injected where features leave out the edge of a pair: without its own edge, a false edge between uniformly chosen nodes has the features of a non-edge. The two
//! classes have equal weight in all, so that the odds of a head are the ratio of the densities of both.
//!
//! Some labels are wrong: a non-edge may be a true edge that is not observed, and an observed edge a false one. An AUC does not mind a share of labels that are
//! wrong at random.

use super::paths::simple;
use crate::data::{Network, non_edges};
use crate::rng::{ChaCha8Rng, Purpose, ids, shuffle, stream};
use crate::{Error, Result};
use std::sync::Arc;

/// What is assumed to be wrong with the observed network.
///
/// ```
/// use ergodict::denoise::splits::Noise;
/// assert_eq!((Noise::Removed.word(), Noise::Added.word()), ("removed", "added"));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Noise {
    /// True edges are missing.
    Removed,
    /// False edges are there.
    Added,
}

impl Noise {
    /// In a word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Removed => "removed",
            Self::Added => "added",
        }
    }
}

/// How labels are made.
///
/// ```
/// use ergodict::{data::embedded, denoise::splits::{Noise, Split, SplitOptions}};
/// let karate = std::sync::Arc::new(embedded("karate")?); // 78 edges
/// let options = SplitOptions { hidden: 0.5, ..SplitOptions::default() };
/// let split = Split::new(&karate, Noise::Removed, &options, 0, 0)?;
/// assert!(split.labels.iter().filter(|label| **label).count() <= 39);
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct SplitOptions {
    /// Edges that are hidden, as a share of the observed edges.
    pub hidden: f64,
    /// False edges that are injected, as a share of the observed edges. At 0 non-edges stay non-edges.
    pub injected: f64,
    /// `w`: the weight of negatives by degrees. It trades the two columns of docs/denoising.md: at 0 degrees alone tell much.
    pub degree_weight: f64,
    /// Most pairs of a label; beyond that a random part of them is taken, with more weight each.
    pub most: usize,
}

impl Default for SplitOptions {
    fn default() -> Self {
        Self { hidden: 0.2, injected: 0.0, degree_weight: 0.05, most: 100_000 }
    }
}

/// A network to compute features in, and labeled pairs.
#[derive(Clone, Debug)]
pub struct Split {
    /// The observed network without the hidden edges, or with the injected ones.
    pub network: Arc<Network>,
    /// The pairs.
    pub pairs: Vec<(u32, u32)>,
    /// Whether each is called true.
    pub labels: Vec<bool>,
    /// What each counts.
    pub weights: Vec<f64>,
}

impl Split {
    /// Split number `split` of an observed network under a seed.
    ///
    /// ```
    /// use ergodict::{data::embedded, denoise::splits::{Noise, Split, SplitOptions}};
    /// let karate = std::sync::Arc::new(embedded("karate")?);
    /// let split = Split::new(&karate, Noise::Removed, &SplitOptions::default(), 0, 0)?;
    /// assert_eq!(split.network.edges(), 78 - 15);
    /// assert_eq!(split.pairs.len(), 3 * 15);
    /// # Ok::<(), ergodict::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Parameter`] for options out of range, for a network that is not simple, and for one that has no edge to hide or no pair to inject.
    pub fn new(
        observed: &Arc<Network>,
        noise: Noise,
        options: &SplitOptions,
        seed: u64,
        split: u64,
    ) -> Result<Self> {
        simple(observed)?;
        options.check()?;
        let mut rng = stream(seed, Purpose::Denoise, ids::HIDDEN + split);
        match noise {
            Noise::Removed => hidden(observed, options, &mut rng),
            Noise::Added => kept(observed, options, &mut rng),
        }
    }

    fn push(
        &mut self,
        mut pairs: Vec<(u32, u32)>,
        label: bool,
        weight: f64,
        most: usize,
        rng: &mut ChaCha8Rng,
    ) {
        let all = pairs.len();
        if all > most {
            shuffle(&mut pairs, rng);
            pairs.truncate(most);
            pairs.sort_unstable();
        }
        let weight = weight * all as f64 / pairs.len().max(1) as f64;
        self.labels.resize(self.labels.len() + pairs.len(), label);
        self.weights.resize(self.weights.len() + pairs.len(), weight);
        self.pairs.append(&mut pairs);
    }
}

impl SplitOptions {
    fn check(&self) -> Result<()> {
        if !(self.hidden > 0.0 && self.hidden < 1.0) {
            return Err(Error::parameter(
                "the share of hidden edges",
                self.hidden,
                "it must be between 0 and 1",
            ));
        }
        if !(self.injected >= 0.0 && self.injected.is_finite()) {
            let expected = "it must be a number, 0 or more";
            return Err(Error::parameter("the share of injected edges", self.injected, expected));
        }
        if !(0.0..1.0).contains(&self.degree_weight) {
            let expected = "it must be from 0 to below 1";
            return Err(Error::parameter("the weight of degrees", self.degree_weight, expected));
        }
        if self.most == 0 {
            return Err(Error::parameter("the most pairs of a label", 0, "it must be at least 1"));
        }
        Ok(())
    }
}

fn hidden(observed: &Network, options: &SplitOptions, rng: &mut ChaCha8Rng) -> Result<Split> {
    let mut edges: Vec<(u32, u32)> = observed.each_edge().map(|(u, v, _)| (u, v)).collect();
    let mut degrees: Vec<usize> = (0..observed.nodes()).map(|u| observed.neighbors(u).len()).collect();
    shuffle(&mut edges, rng);
    let wanted = part(options.hidden, observed.edges()) as usize;
    let (mut kept, mut gone) = (Vec::with_capacity(edges.len()), Vec::with_capacity(wanted));
    for (u, v) in edges {
        let (a, b) = (u as usize, v as usize);
        if gone.len() < wanted && degrees[a] > 1 && degrees[b] > 1 {
            degrees[a] -= 1;
            degrees[b] -= 1;
            gone.push((u, v));
        } else {
            kept.push((u, v));
        }
    }
    let there = free(observed, true);
    if gone.is_empty() || there == 0 {
        let found = format!("one of {} edges", observed.edges());
        let expected = "an edge whose ends have others, and a pair without an edge, are needed to learn from";
        return Err(Error::parameter("the network", found, expected));
    }
    gone.sort_unstable();
    let negatives = (gone.len() as u64).min(there);
    let network = Arc::new(Network::simple(observed.nodes(), &kept)?);
    let mut split = Split { network, pairs: Vec::new(), labels: Vec::new(), weights: Vec::new() };
    let w = options.degree_weight;
    let balance = gone.len() as f64 / negatives as f64;
    split.push(gone, true, 1.0, options.most, rng);
    let uniform = non_edges::uniformly(observed, negatives, rng);
    split.push(uniform, false, (1.0 - w) * balance, options.most, rng);
    if w > 0.0 {
        split.push(non_edges::by_degree(observed, negatives, rng), false, w * balance, options.most, rng);
    }
    Ok(split)
}

/// A share of so many edges, at least one.
fn part(share: f64, edges: u64) -> u64 {
    ((share * edges as f64) as u64).max(1)
}

fn kept(observed: &Arc<Network>, options: &SplitOptions, rng: &mut ChaCha8Rng) -> Result<Split> {
    let edges: Vec<(u32, u32)> = observed.each_edge().map(|(u, v, _)| (u, v)).collect();
    // Of injected pairs no more than half of what there is, lest the split be a complete network.
    let (injects, there) = (options.injected > 0.0, free(observed, false));
    let wanted = if injects {
        part(options.injected, observed.edges()).min(there / 2)
    } else {
        (edges.len().min(options.most) as u64).min(there)
    };
    if wanted == 0 || edges.is_empty() {
        let found = format!("one of {} edges", observed.edges());
        let expected = "edges, and pairs without one, are needed to learn from";
        return Err(Error::parameter("the network", found, expected));
    }
    let false_edges = non_edges::uniformly(observed, wanted, rng);
    let network = if injects {
        let all: Vec<(u32, u32)> = edges.iter().chain(&false_edges).copied().collect();
        Arc::new(Network::simple(observed.nodes(), &all)?)
    } else {
        Arc::clone(observed)
    };
    let mut split = Split { network, pairs: Vec::new(), labels: Vec::new(), weights: Vec::new() };
    let balance = edges.len() as f64 / false_edges.len() as f64;
    split.push(edges, true, 1.0, options.most, rng);
    split.push(false_edges, false, balance, options.most, rng);
    Ok(split)
}

/// Pairs without an edge: of all nodes, or of those with edges.
fn free(network: &Network, with_edges: bool) -> u64 {
    let isolated = |u: &usize| network.neighbors(*u).is_empty();
    let n = network.nodes() as u64;
    let n = if with_edges { n - (0..network.nodes()).filter(isolated).count() as u64 } else { n };
    n * n.saturating_sub(1) / 2 - network.edges()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::embedded;
    use crate::data::non_edges::joined;

    #[test]
    fn hidden_edges_leave_every_node_one_and_negatives_are_none() {
        let karate = Arc::new(embedded("karate").unwrap());
        for split in 0..20 {
            let options = SplitOptions { hidden: 0.4, ..SplitOptions::default() };
            let one = Split::new(&karate, Noise::Removed, &options, 3, split).unwrap();
            let positives = one.labels.iter().filter(|l| **l).count();
            assert_eq!(one.network.edges() + positives as u64, 78);
            assert!((0..34).all(|u| !one.network.neighbors(u).is_empty()));
            for (&(u, v), &label) in one.pairs.iter().zip(&one.labels) {
                assert!(joined(&karate, u, v) == label && !joined(&one.network, u, v));
            }
            let weight = |label: bool| -> f64 {
                one.labels.iter().zip(&one.weights).filter(|p| *p.0 == label).map(|p| p.1).sum()
            };
            assert!((weight(true) - 31.0).abs() < 1e-12 && (weight(false) - 31.0).abs() < 1e-12);
        }
        let pairs =
            |split| Split::new(&karate, Noise::Removed, &SplitOptions::default(), 3, split).unwrap().pairs;
        assert_ne!(pairs(0), pairs(1));
        assert_eq!(pairs(0), pairs(0));
    }

    #[test]
    fn classes_of_added_noise_have_equal_weight_and_injected_pairs_are_in_the_network() {
        let karate = Arc::new(embedded("karate").unwrap());
        for (most, injected) in [(100, 0.5), (20, 0.5), (100, 0.0), (20, 0.0)] {
            let options = SplitOptions { injected, most, ..SplitOptions::default() };
            let one = Split::new(&karate, Noise::Added, &options, 0, 0).unwrap();
            let (edges, negatives) = if injected > 0.0 { (78 + 39, 39) } else { (78, 78) };
            assert_eq!(one.network.edges(), edges);
            assert_eq!(one.pairs.len(), 78.min(most) + negatives.min(most));
            for (&(u, v), &label) in one.pairs.iter().zip(&one.labels) {
                assert!(joined(&karate, u, v) == label);
                assert!(joined(&one.network, u, v) == (label || injected > 0.0));
            }
            let weight = |label: bool| -> f64 {
                one.labels.iter().zip(&one.weights).filter(|p| *p.0 == label).map(|p| p.1).sum()
            };
            assert!((weight(true) - 78.0).abs() < 1e-9 && (weight(false) - 78.0).abs() < 1e-9);
        }
    }

    #[test]
    fn networks_without_anything_to_learn_from_are_refused() {
        let told = |network: Result<Network>, noise| {
            Split::new(&Arc::new(network.unwrap()), noise, &SplitOptions::default(), 0, 0)
                .unwrap_err()
                .to_string()
        };
        let star = || Network::simple(5, &[(0, 1), (0, 2), (0, 3), (0, 4)]);
        assert!(told(star(), Noise::Removed).contains("to learn from"));
        let triangle = || Network::simple(3, &[(0, 1), (1, 2), (2, 0)]);
        for noise in [Noise::Removed, Noise::Added] {
            assert!(told(triangle(), noise).contains("to learn from"));
            assert!(told(Network::simple(3, &[]), noise).contains("to learn from"));
            assert!(told(Network::simple(0, &[]), noise).contains("to learn from"));
        }
        let star = Arc::new(star().unwrap());
        assert!(Split::new(&star, Noise::Added, &SplitOptions::default(), 0, 0).is_ok());
        for options in [
            SplitOptions { hidden: 1.0, ..SplitOptions::default() },
            SplitOptions { injected: -0.1, ..SplitOptions::default() },
            SplitOptions { degree_weight: -0.1, ..SplitOptions::default() },
            SplitOptions { most: 0, ..SplitOptions::default() },
        ] {
            assert!(Split::new(&star, Noise::Added, &options, 0, 0).is_err());
        }
    }
}
