//! Labels made from the observed network alone.
//!
//! | noise assumed | network | label true | label false |
//! |---|---|---|---|
//! | [`Noise::Removed`] | the observed one without a share of its edges, none of them in a random spanning forest | hidden edges | all non-edges of the observed network, by a weighted sample |
//! | [`Noise::Added`] | the observed one, or with a share of false edges injected | observed edges | as many uniform non-edges, or the injected ones |
//!
//! The question about missing edges is asked of all non-edges, of which few look like edges. So their sample is drawn from six laws in equal parts, all of which are known exactly, and
//! each draw of a pair has the weight `1/λ`, with `λ` the number of times the pair is expected: weighted sums are those over all non-edges, whatever is drawn.
//!
//! | law | probability of a pair of a network with `n` nodes and `E` edges |
//! |---|---|
//! | uniform | `2/n²` |
//! | ends of hidden edges, shuffled | `2 h_u h_v/(2H)²`, with `h` the hidden edges at a node, `H` in all |
//! | ends of random walks of two steps, and of three, that start at any end of an edge | `RA/E`, `RW3/E` |
//! | the same from any node | `(1/d_u + 1/d_v) RA/n`, `(1/d_u + 1/d_v) RW3/n` |
//!
//! Walks from any node reach pairs of leaves of one star, which walks from ends of edges hardly do: of such pairs a head that has seen none puts whole stars on top of the list
//! (precision of the first 20 on a part of Twitter with 10,000 nodes .86 without them, 1.00 with them, on MIT8 .74 and .83; four seeds).
//!
//! Other questions about missing edges have other negatives ([`Negatives`]): *degree-matched* ones have the ends of hidden edges, shuffled, so that no property of single nodes separates them from hidden
//! edges. (Ends drawn by degree do not match: a hidden edge has left its ends with one edge less each. On Erdős–Rényi networks the product of degrees then has an AUC of .43, by the degrees that are left
//! .35; by shuffled ends .50.) As all laws are known, a weight of each pair turns one question into another.
//!
//! With false edges, nothing need be injected where features leave out the edge of a pair: without its own edge, a false edge between uniformly chosen nodes has the features of a non-edge. There the two
//! classes have equal weight in all, so that the odds of a head are the ratio of the densities of both; labels of equal total weight do the same for missing edges.
//!
//! Some labels are wrong: a non-edge may be a true edge that is not observed, and an observed edge a false one. An AUC does not mind a share of labels that are
//! wrong at random.

use super::paths::{OwnEdge, PairPaths, simple};
use crate::data::Network;
use crate::data::corrupt::spanning_tree;
use crate::data::non_edges::{self, joined};
use crate::rng::{ChaCha8Rng, Purpose, below, ids, shuffle, stream};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::str::FromStr;
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

/// What missing edges are to be distinguished from.
///
/// ```
/// use ergodict::denoise::splits::Negatives;
/// assert_eq!((Negatives::Uniform.matched(), Negatives::Degree.matched()), (0.0, 1.0));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Negatives {
    /// All pairs without an edge, and the top of the list counts: scores are chosen by average precision.
    All,
    /// Pairs without an edge, uniformly chosen; as for the following, scores are chosen by the AUC.
    Uniform,
    /// Some of both: uniform ones and degree-matched ones.
    Mixed,
    /// Pairs without an edge that have the degrees of missing edges.
    Degree,
}

/// The share of degree-matched pairs in [`Negatives::Mixed`]. On ppi with half of the edges removed .2, .3 and .5 gave .969/.847, .967/.850 and .963/.860 against uniform and
/// degree-matched pairs (seed 977, a prototype).
const MIXED: f64 = 0.2;

impl Negatives {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::All, Self::Uniform, Self::Mixed, Self::Degree];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Uniform => "uniform",
            Self::Mixed => "mixed",
            Self::Degree => "degree",
        }
    }

    /// The share of degree-matched pairs among them.
    pub fn matched(self) -> f64 {
        match self {
            Self::All | Self::Uniform => 0.0,
            Self::Mixed => MIXED,
            Self::Degree => 1.0,
        }
    }
}

impl FromStr for Negatives {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let named = Self::ALL.into_iter().find(|negatives| negatives.name() == name);
        named.ok_or_else(|| {
            Error::parameter("the kind of negatives", name, "it must be all, uniform, mixed or degree")
        })
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
    /// Edges that are hidden, as a share of the observed edges. The more are hidden, the less what is learned in what is left holds in the observed network: with .01, .025 and .05 the
    /// precision of the first hundred on Haverford76 is .915, .900 and .860, on MIT8 .880, .925 and .885, and the error of probabilities .069, .068 and .104, .070, .063 and .083 (two seeds).
    pub hidden: f64,
    /// False edges that are injected, as a share of the observed edges. At 0 non-edges stay non-edges.
    pub injected: f64,
    /// Draws of non-edges where edges are hidden; a network with fewer non-edges gives all of them.
    pub draws: usize,
    /// Most pairs of a label; beyond that a random part of them is taken, with more weight each.
    pub most: usize,
}

impl Default for SplitOptions {
    fn default() -> Self {
        Self { hidden: 0.025, injected: 0.0, draws: 30_000, most: 100_000 }
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
    /// Where edges are hidden, how much more likely each non-edge is a degree-matched pair than a uniform one; 1 for others.
    pub matching: Vec<f64>,
    /// Edges that were hidden, whether they are among the pairs or not.
    pub hidden: usize,
}

impl Split {
    /// Split number `split` of an observed network under a seed.
    ///
    /// ```
    /// use ergodict::{data::embedded, denoise::splits::{Noise, Split, SplitOptions}};
    /// let karate = std::sync::Arc::new(embedded("karate")?);
    /// let split = Split::new(&karate, Noise::Removed, &SplitOptions::default(), 0, 0)?;
    /// assert_eq!(split.network.edges(), 78 - 1);
    /// assert_eq!(split.pairs.len(), 1 + (34 * 33 / 2 - 78)); // so few non-edges are all there
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

    fn empty(network: Arc<Network>) -> Self {
        let (pairs, labels, weights, matching) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { network, pairs, labels, weights, matching, hidden: 0 }
    }

    /// The same with classes of equal weight, that of the true pairs.
    #[must_use]
    pub(crate) fn balanced(mut self) -> Self {
        let total = |label: bool| -> f64 {
            self.labels.iter().zip(&self.weights).filter(|pair| *pair.0 == label).map(|pair| pair.1).sum()
        };
        let factor = total(true) / total(false);
        let negatives = self.weights.iter_mut().zip(&self.labels).filter(|pair| !pair.1);
        negatives.for_each(|(weight, _)| *weight *= factor);
        self
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
        self.matching.resize(self.matching.len() + pairs.len(), 1.0);
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
        if self.draws == 0 {
            return Err(Error::parameter("the number of draws", 0, "it must be at least 1"));
        }
        if self.most == 0 {
            return Err(Error::parameter("the most pairs of a label", 0, "it must be at least 1"));
        }
        Ok(())
    }
}

fn hidden(observed: &Network, options: &SplitOptions, rng: &mut ChaCha8Rng) -> Result<Split> {
    let (mut kept, mut others) = spanning_tree(observed, rng);
    let there = non_edges::number(observed);
    if others.is_empty() || there == 0 {
        let found = format!("one of {} edges", observed.edges());
        let expected = "an edge that is on a cycle, and a pair without an edge, are needed to learn from";
        return Err(Error::parameter("the network", found, expected));
    }
    shuffle(&mut others, rng);
    let wanted = others.len().min(part(options.hidden, observed.edges()) as usize);
    let mut gone = others.split_off(others.len() - wanted);
    kept.append(&mut others);
    gone.sort_unstable();
    let network = Arc::new(Network::simple(observed.nodes(), &kept)?);
    let drawn = Draw::new(observed, &network, &gone, options.draws, rng)?;
    let mut split = Split::empty(network);
    split.hidden = wanted;
    split.push(gone, true, 1.0, options.most, rng);
    split.labels.resize(split.labels.len() + drawn.pairs.len(), false);
    split.pairs.extend(drawn.pairs);
    split.weights.extend(drawn.weights);
    split.matching.extend(drawn.matching);
    Ok(split)
}

/// A weighted sample of all non-edges.
struct Draw {
    pairs: Vec<(u32, u32)>,
    weights: Vec<f64>,
    matching: Vec<f64>,
}

impl Draw {
    /// Non-edges of the observed network by the six laws above in the one without hidden edges, each pair once; all of them where there are not more than draws.
    fn new(
        observed: &Network,
        network: &Network,
        gone: &[(u32, u32)],
        draws: usize,
        rng: &mut ChaCha8Rng,
    ) -> Result<Self> {
        let mut hidden = vec![0f64; network.nodes()];
        let stubs: Vec<u32> = gone.iter().flat_map(|&(u, v)| [u, v]).collect();
        stubs.iter().for_each(|&u| hidden[u as usize] += 1.0);
        let product = |&(u, v): &(u32, u32)| hidden[u as usize] * hidden[v as usize];
        let there = non_edges::number(observed);
        let (pairs, weights) = if there <= draws as u64 {
            let all = non_edges::uniformly(observed, there, rng);
            let weights = vec![1.0; all.len()];
            (all, weights)
        } else {
            let (pairs, counts, each) = by_laws(observed, network, &stubs, draws, rng);
            let (n, edges) = (network.nodes() as f64, network.edges() as f64);
            let paths = PairPaths::new(network)?.paths(&pairs, OwnEdge::Excluded)?;
            let expected = pairs.iter().zip(&paths).map(|(pair, paths)| {
                let any = 2.0 / (n * n);
                let matched = 2.0 * product(pair) / (stubs.len() as f64).powi(2);
                // A walk from any end of an edge, and from any node.
                let started = 1.0 / edges + paths.degrees.iter().map(|d| 1.0 / d.max(1.0)).sum::<f64>() / n;
                each as f64 * (any + matched + (paths.resource_allocation + paths.rw3) * started)
            });
            // Every pair is within reach of the uniform law; draws of equal nodes and of edges are lost, which the scale makes up for.
            let mut weights: Vec<f64> =
                counts.iter().zip(expected).map(|(count, expected)| count / expected).collect();
            let scale = there as f64 / weights.iter().sum::<f64>();
            weights.iter_mut().for_each(|weight| *weight *= scale);
            (pairs, weights)
        };
        let total: f64 = pairs.iter().zip(&weights).map(|(pair, weight)| weight * product(pair)).sum();
        let matching = match there as f64 / total {
            scale if scale.is_finite() => pairs.iter().map(|pair| scale * product(pair)).collect(),
            // Hidden edges that share no non-edge.
            _ => vec![1.0; pairs.len()],
        };
        Ok(Self { pairs, weights, matching })
    }
}

/// Non-edges as drawn, each once and ascending, how often each was, and the draws of each of the first two laws.
fn by_laws(
    observed: &Network,
    network: &Network,
    stubs: &[u32],
    draws: usize,
    rng: &mut ChaCha8Rng,
) -> (Vec<(u32, u32)>, Vec<f64>, usize) {
    let (n, ends) = (network.nodes() as u64, &network.rows().neighbors);
    let each = draws.div_ceil(6);
    let mut pairs = Vec::new();
    for law in 0..6 {
        for _ in 0..each {
            let mut end = || match law {
                0 | 4 | 5 => below(rng, n) as u32,
                1 => stubs[below(rng, stubs.len() as u64) as usize],
                // Every node is as often a neighbor as its degree says.
                _ => ends[below(rng, ends.len() as u64) as usize],
            };
            let u = end();
            let v = match law {
                0 | 1 => end(),
                steps => (0..2 + steps % 2).fold(u, |at, _| match network.neighbors(at as usize) {
                    // A node without an edge.
                    [] => at,
                    row => row[below(rng, row.len() as u64) as usize],
                }),
            };
            if u != v && !joined(observed, u, v) {
                pairs.push((u.min(v), u.max(v)));
            }
        }
    }
    pairs.sort_unstable();
    let counted = pairs.chunk_by(|a, b| a == b).map(|same| (same[0], same.len() as f64));
    let (different, counts) = counted.unzip();
    (different, counts, each)
}

/// A share of `edges` edges, at least one.
fn part(share: f64, edges: u64) -> u64 {
    ((share * edges as f64) as u64).max(1)
}

fn kept(observed: &Arc<Network>, options: &SplitOptions, rng: &mut ChaCha8Rng) -> Result<Split> {
    let edges: Vec<(u32, u32)> = observed.each_edge().map(|(u, v, _)| (u, v)).collect();
    // Of injected pairs no more than half of what there is, lest the split be a complete network.
    let (injects, there) = (options.injected > 0.0, non_edges::number(observed));
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
    let mut split = Split::empty(network);
    let balance = edges.len() as f64 / false_edges.len() as f64;
    split.push(edges, true, 1.0, options.most, rng);
    split.push(false_edges, false, balance, options.most, rng);
    Ok(split)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::embedded;

    #[test]
    fn balanced_labels_weigh_the_same() {
        let karate = Arc::new(crate::data::embedded("karate").unwrap());
        let split = Split::new(&karate, Noise::Removed, &SplitOptions::default(), 0, 0).unwrap().balanced();
        assert!((split.weights.iter().sum::<f64>() - 2.0 * split.hidden as f64).abs() < 1e-9);
    }

    #[test]
    fn hidden_edges_leave_the_network_connected_and_negatives_are_all_non_edges() {
        let karate = Arc::new(embedded("karate").unwrap());
        for split in 0..20 {
            let options = SplitOptions { hidden: 0.4, ..SplitOptions::default() };
            let one = Split::new(&karate, Noise::Removed, &options, 3, split).unwrap();
            let positives = one.labels.iter().filter(|l| **l).count();
            assert_eq!(one.network.edges() + positives as u64, 78);
            assert_eq!((positives, one.hidden, one.network.components().sizes.len()), (31, 31, 1));
            for (&(u, v), &label) in one.pairs.iter().zip(&one.labels) {
                assert!(joined(&karate, u, v) == label && !joined(&one.network, u, v));
            }
            let weight = |label: bool| -> f64 {
                one.labels.iter().zip(&one.weights).filter(|p| *p.0 == label).map(|p| p.1).sum()
            };
            assert_eq!((weight(true), weight(false)), (31.0, 483.0));
        }
        let pairs =
            |split| Split::new(&karate, Noise::Removed, &SplitOptions::default(), 3, split).unwrap().pairs;
        assert_ne!(pairs(0), pairs(1));
        assert_eq!(pairs(0), pairs(0));
    }

    #[test]
    fn weighted_negatives_stand_for_all_non_edges() {
        let lesmis = Arc::new(embedded("lesmis").unwrap().to_simple());
        let facts = |u: u32, v: u32| {
            let [a, b] = [u, v].map(|u| lesmis.neighbors(u as usize));
            let common = a.iter().filter(|w| b.binary_search(w).is_ok()).count();
            [(a.len() * b.len()) as f64, common as f64, f64::from(u8::from(common == 0))]
        };
        let all = crate::denoise::non_edges(&lesmis);
        let wanted = all.iter().fold([0.0; 3], |sum, &(u, v)| add(sum, facts(u, v), 1.0));
        let (mut mean, splits) = ([0.0; 3], 100);
        for number in 0..splits {
            let options = SplitOptions { draws: 400, ..SplitOptions::default() };
            let one = Split::new(&lesmis, Noise::Removed, &options, 5, number).unwrap();
            let negatives = one.pairs.iter().zip(&one.weights).zip(&one.labels).filter(|pair| !pair.1);
            let total: f64 = negatives.clone().map(|((_, weight), _)| weight).sum();
            assert!((total - all.len() as f64).abs() < 1e-6);
            for ((&(u, v), &weight), _) in negatives {
                mean = add(mean, facts(u, v), weight / splits as f64);
            }
        }
        for (mean, wanted) in mean.iter().zip(wanted) {
            assert!((mean / wanted - 1.0).abs() < 0.03, "{mean} for {wanted}");
        }
    }

    #[test]
    fn matching_turns_all_non_edges_into_pairs_with_the_ends_of_hidden_edges() {
        let lesmis = Arc::new(embedded("lesmis").unwrap().to_simple());
        for draws in [800, 20_000] {
            let (mut hidden, mut matched, splits) = (0.0, 0.0, 60);
            for number in 0..splits {
                let options = SplitOptions { draws, ..SplitOptions::default() };
                let one = Split::new(&lesmis, Noise::Removed, &options, 8, number).unwrap();
                let degree = |u: u32| (one.network.neighbors(u as usize).len() as f64).ln_1p();
                let (mut weights, mut sum) = (0.0, 0.0);
                for (at, &(u, v)) in one.pairs.iter().enumerate() {
                    if one.labels[at] {
                        assert_eq!(one.matching[at], 1.0);
                        hidden += (degree(u) + degree(v)) / one.hidden as f64;
                    } else {
                        let weight = one.weights[at] * one.matching[at];
                        (weights, sum) = (weights + weight, sum + weight * (degree(u) + degree(v)));
                    }
                }
                // As many as all non-edges in all.
                let there = non_edges::number(&lesmis) as f64;
                assert!((weights - there).abs() < 1e-6 * there);
                matched += sum / weights;
            }
            let (hidden, matched) = (hidden / splits as f64, matched / splits as f64);
            // Hubs share most of their neighbors' neighbors already, so that their pairs are rare among non-edges.
            assert!((hidden - matched).abs() < 0.25, "{hidden} and {matched}");
        }
    }

    fn add(mut sum: [f64; 3], terms: [f64; 3], weight: f64) -> [f64; 3] {
        sum.iter_mut().zip(terms).for_each(|(sum, term)| *sum += weight * term);
        sum
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
            SplitOptions { hidden: 0.0, ..SplitOptions::default() },
            SplitOptions { hidden: f64::NAN, ..SplitOptions::default() },
            SplitOptions { injected: -0.1, ..SplitOptions::default() },
            SplitOptions { draws: 0, ..SplitOptions::default() },
            SplitOptions { most: 0, ..SplitOptions::default() },
        ] {
            assert!(Split::new(&star, Noise::Added, &options, 0, 0).is_err());
        }
    }

    #[test]
    fn non_edges_are_drawn_by_each_of_the_six_laws() {
        let lesmis = embedded("lesmis").unwrap().to_simple();
        let (n, edges) = (lesmis.nodes(), lesmis.edges() as f64);
        let gone: Vec<(u32, u32)> = lesmis.each_edge().map(|(u, v, _)| (u, v)).step_by(9).collect();
        let stubs: Vec<u32> = gone.iter().flat_map(|&(u, v)| [u, v]).collect();
        let mut rng = stream(3, Purpose::Denoise, 77);
        let (pairs, counts, each) = by_laws(&lesmis, &lesmis, &stubs, 300_001, &mut rng);
        assert_eq!(each, 50_001);
        assert!(
            pairs.is_sorted_by(|a, b| a < b) && pairs.iter().all(|&(u, v)| u < v && !joined(&lesmis, u, v))
        );
        // Where a walk of two and of three steps ends.
        let degree = |u: usize| lesmis.neighbors(u).len() as f64;
        let step = |from: &[f64]| {
            let mut to = vec![0.0; n];
            for u in 0..n {
                lesmis.neighbors(u).iter().for_each(|&v| to[v as usize] += from[u] / degree(u));
            }
            to
        };
        let walks: Vec<Vec<f64>> = (0..n)
            .map(|u| {
                let start: Vec<f64> = (0..n).map(|v| f64::from(u8::from(u == v))).collect();
                let two = step(&step(&start));
                step(&two).iter().zip(&two).map(|(three, two)| two + three).collect()
            })
            .collect();
        let of = |u: u32| stubs.iter().filter(|&&v| u == v).count() as f64 / stubs.len() as f64;
        let share = |u: usize| degree(u) / (2.0 * edges) + 1.0 / n as f64;
        let (mut off, mut many, mut total) = (0.0, 0.0, 0.0);
        for (u, v) in crate::denoise::non_edges(&lesmis) {
            let (a, b) = (u as usize, v as usize);
            let walked = share(a) * walks[a][b] + share(b) * walks[b][a];
            let expected = each as f64 * (2.0 / (n * n) as f64 + 2.0 * of(u) * of(v) + walked);
            let found = pairs.binary_search(&(u.min(v), u.max(v))).map_or(0.0, |at| counts[at]);
            off += (found - expected).powi(2) / expected;
            (many, total) = (many + 1.0, total + expected);
        }
        // χ² over its degrees of freedom.
        assert!((off / many - 1.0).abs() < 6.0 * (2.0f64 / many).sqrt(), "{off} of {many}");
        let drawn: f64 = counts.iter().sum();
        assert!((drawn - total).abs() < 6.0 * total.sqrt(), "{drawn} for {total}");
    }
}
