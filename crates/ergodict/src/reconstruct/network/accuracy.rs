//! Accuracy of a reconstructed network: edges found, pairs sampled, edges ranked above other pairs.
//!
//! | symbol | here |
//! |---|---|
//! | `A(u,v)`, the network | `network` |
//! | `R(u,v) = S/(C + α)`, the reconstructed one; 0 where a pair was not visited | `sums`, `alpha` |
//! | `‖E ∩ {R > θ}‖ / ‖E ∪ {R > θ}‖` | [`Accuracy::jaccard`], `threshold` |
//! | `Σ min(A, R) / Σ max(A, R)` | [`Accuracy::weighted_jaccard`] |
//!
//! All are over the pairs that can be visited, or those that are wanted.

use super::{PairSum, PairSums};
use crate::data::Network;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// Places of the table that finds a weight among those of edges: about one for each, between these. With the fewest, the search in a place
/// took 50 ns at 3 million edges.
const PLACES: std::ops::RangeInclusive<usize> = 1 << 10..=1 << 20;

/// The measures; none where there is nothing to measure.
///
/// With `R = S/(C + α)` of the reconstructed network and a threshold θ: Jaccard `|E ∩ {R > θ}| / |E ∪ {R > θ}|`, with weights `Σ min(A, R) / Σ max(A, R)`.
///
/// ```
/// use ergodict::data::Network;
/// use ergodict::reconstruct::network::{Accuracy, PairSum, PairSums};
/// let network = Network::simple(3, &[(0, 1), (1, 2)])?;
/// let pair = |u, v, sum| PairSum { u, v, sum, count: 2 };
/// let rebuilt = [pair(0, 1, 1.8), pair(0, 2, 1.2), pair(1, 2, 1.6)];
/// let found = Accuracy::measure(&PairSums::of_pairs(&network, None, rebuilt, 1 << 20)?, &network, 0.5, 0.0)?;
/// assert_eq!((found.auc, found.jaccard, found.edge_coverage), (Some(1.0), Some(2.0 / 3.0), Some(1.0)));
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Accuracy {
    /// Pairs visited.
    pub visited: u64,
    /// Share of edges visited.
    pub edge_coverage: Option<f64>,
    /// Share of pairs visited.
    pub pair_coverage: Option<f64>,
    /// Edges found among all edges and all pairs called so.
    pub jaccard: Option<f64>,
    /// The same with weights.
    pub weighted_jaccard: Option<f64>,
    /// How often an edge has a larger weight than another pair, ties counting half.
    pub auc: Option<f64>,
}

impl Accuracy {
    /// Of a reconstructed network against the one it was reconstructed from, or any other with the same nodes.
    ///
    /// # Errors
    /// [`Error::Shape`] for a network with other nodes or of the other kind, directed or not.
    pub fn measure(sums: &PairSums, network: &Network, threshold: f64, alpha: f64) -> Result<Self> {
        if (sums.nodes(), sums.is_directed()) != (network.nodes(), network.is_directed()) {
            let of = |nodes: usize, directed: bool| {
                format!("of {nodes} nodes, {}", if directed { "directed" } else { "undirected" })
            };
            let found = of(network.nodes(), network.is_directed());
            return Err(Error::shape("the network", found, of(sums.nodes(), sums.is_directed())));
        }
        let (mut edges, mut total) = (network.edges(), network.edges() as f64);
        if network.is_weighted() || !sums.has_all_of(network) {
            (edges, total) = (0, 0.0);
            for (_, _, weight) in network.each_edge().filter(|&(u, v, _)| sums.has(u, v)) {
                (edges, total) = (edges + 1, total + weight);
            }
        }
        let (mut of_edges, mut is_edge): (Vec<f64>, Vec<u64>) = (Vec::new(), Vec::new());
        let (mut found, mut called, mut visited, mut less, mut more) = (0u64, 0u64, 0u64, 0.0, total);
        each_visited(sums, network, |pair, weight| {
            let rebuilt = pair.shrunk(alpha);
            if visited % 64 == 0 {
                is_edge.push(0);
            }
            if let Some(word) = is_edge.last_mut() {
                *word |= u64::from(weight > 0.0) << (visited % 64);
            }
            visited += 1;
            called += u64::from(rebuilt > threshold);
            let positive = rebuilt.max(0.0);
            less += weight.min(positive);
            more += (positive - weight).max(0.0);
            if weight > 0.0 {
                found += u64::from(rebuilt > threshold);
                of_edges.push(rebuilt);
            }
        });
        let seen = of_edges.len() as u64;
        // Those that were not visited have the weight 0.
        let unseen_called = |pairs: u64| if threshold < 0.0 { pairs } else { 0 };
        found += unseen_called(edges - seen);
        called += unseen_called(sums.pairs() - visited);
        let share = |part: f64, whole: f64| (whole > 0.0).then(|| part / whole);
        let others = sums.pairs() - edges;
        let auc = (edges > 0 && others > 0).then(|| {
            let ranks = Ranks::new(of_edges, edges - seen);
            let mut doubled = 0u128;
            let mut count = |rebuilt: f64, times: u64| {
                doubled += u128::from(ranks.beats_doubled(rebuilt)) * u128::from(times);
            };
            for (at, pair) in sums.iter().enumerate() {
                if is_edge[at / 64] >> (at % 64) & 1 == 0 {
                    count(pair.shrunk(alpha), 1);
                }
            }
            count(0.0, others - (visited - seen));
            doubled as f64 / 2.0 / (edges as f64 * others as f64)
        });
        Ok(Self {
            visited,
            edge_coverage: share(seen as f64, edges as f64),
            pair_coverage: share(visited as f64, sums.pairs() as f64),
            jaccard: share(found as f64, (edges + called - found) as f64),
            weighted_jaccard: share(less, more),
            auc,
        })
    }
}

/// Visited pairs with their weight in the network. Both come by ascending pairs, so that the search in a row goes on from where it was;
/// rows without visits are not looked at.
pub(super) fn each_visited(sums: &PairSums, network: &Network, mut each: impl FnMut(&PairSum, f64)) {
    let (rows, mut row, mut at) = (network.rows(), u32::MAX, 0);
    for pair in sums.iter() {
        if pair.u != row {
            (row, at) = (pair.u, 0);
        }
        let neighbors = rows.neighbors(row as usize);
        at += steps_to(&neighbors[at..], pair.v);
        let there = neighbors.get(at) == Some(&pair.v);
        let weight = if there { rows.weights(row as usize).map_or(1.0, |weights| weights[at]) } else { 0.0 };
        each(&pair, weight);
    }
}

/// How many numbers are less, in steps that double: the next visited pair is mostly near.
fn steps_to(ascending: &[u32], v: u32) -> usize {
    let mut end = 1;
    while ascending.get(end - 1).is_some_and(|&w| w < v) {
        end *= 2;
    }
    let (start, end) = (end / 2, end.min(ascending.len()));
    start + ascending[start..end].partition_point(|&w| w < v)
}

/// Weights of edges, sorted, and where to look for one: other pairs are too many to be sorted as well.
struct Ranks {
    sorted: Vec<f64>,
    /// Edges that were not visited, which have the weight 0 and are not in the list.
    zeros: u64,
    /// Place `i` begins where weights of `i` parts of the range or more do.
    places: Vec<usize>,
    low: f64,
    scale: f64,
}

impl Ranks {
    fn new(mut sorted: Vec<f64>, zeros: u64) -> Self {
        sorted.sort_unstable_by(f64::total_cmp);
        let (low, high) = sorted.first().copied().zip(sorted.last().copied()).unwrap_or_default();
        let parts = sorted.len().next_power_of_two().clamp(*PLACES.start(), *PLACES.end());
        let scale = if high > low { parts as f64 / (high - low) } else { 0.0 };
        let mut ranks = Self { sorted, zeros, places: Vec::new(), low, scale };
        ranks.places = vec![ranks.sorted.len(); parts + 2];
        for at in (0..ranks.sorted.len()).rev() {
            let place = ranks.place(ranks.sorted[at]);
            ranks.places[place] = at;
        }
        for place in (0..=parts).rev() {
            ranks.places[place] = ranks.places[place].min(ranks.places[place + 1]);
        }
        ranks
    }

    fn place(&self, weight: f64) -> usize {
        (((weight - self.low) * self.scale) as usize).min(self.places.len() - 2)
    }

    /// Twice the number of edges of larger weight, and once those of the same.
    fn beats_doubled(&self, weight: f64) -> u64 {
        let n = self.sorted.len();
        let zeros = match weight.partial_cmp(&0.0) {
            Some(Ordering::Less) => 2 * self.zeros,
            Some(Ordering::Equal) => self.zeros,
            _ => 0,
        };
        if weight < self.low {
            return 2 * n as u64 + zeros;
        }
        let place = self.place(weight);
        let these = &self.sorted[self.places[place]..self.places[place + 1]];
        let below = self.places[place] + these.partition_point(|&w| w < weight);
        let up_to = self.places[place] + these.partition_point(|&w| w <= weight);
        (2 * (n - up_to) + (up_to - below)) as u64 + zeros
    }
}

#[cfg(test)]
mod tests {
    use super::super::{ReconstructionSettings, Reconstructor, Targets};
    use super::*;
    use crate::chain::{Motif, MotifWalker, SamplerBuilder, SamplerKind};
    use crate::data::{Build, NodeIds, embedded};
    use crate::denoise::roc::auc;
    use crate::run::NetworkLearning;
    use std::sync::Arc;

    /// Every pair that can be visited, one by one.
    fn by_the_book(sums: &PairSums, network: &Network, threshold: f64, alpha: f64) -> Accuracy {
        let (n, directed) = (network.nodes() as u32, network.is_directed());
        let all = (0..n).flat_map(|u| (0..n).map(move |v| (u, v)));
        let pairs: Vec<(u32, u32)> = all
            .filter(|&(u, v)| (directed || u <= v) && (u != v || network.loops() > 0) && sums.has(u, v))
            .collect();
        let weight = |&(u, v): &(u32, u32)| network.weight(u as usize, v as usize);
        let rebuilt = |&(u, v): &(u32, u32)| match sums.get(u, v) {
            (_, 0) => 0.0,
            (sum, count) => sum / (count as f64 + alpha),
        };
        let count = |of: &dyn Fn(&(u32, u32)) -> bool| pairs.iter().filter(|pair| of(pair)).count() as f64;
        let sum = |of: &dyn Fn(&(u32, u32)) -> f64| pairs.iter().map(of).sum::<f64>();
        let seen = |pair: &(u32, u32)| sums.get(pair.0, pair.1).1 > 0;
        let (edge, called) = (|p: &(u32, u32)| weight(p) > 0.0, |p: &(u32, u32)| rebuilt(p) > threshold);
        let scores: Vec<f64> = pairs.iter().map(rebuilt).collect();
        Accuracy {
            visited: count(&seen) as u64,
            edge_coverage: Some(count(&|p| edge(p) && seen(p)) / count(&edge)),
            pair_coverage: Some(count(&seen) / pairs.len() as f64),
            jaccard: Some(count(&|p| edge(p) && called(p)) / count(&|p| edge(p) || called(p))),
            weighted_jaccard: Some(sum(&|p| weight(p).min(rebuilt(p))) / sum(&|p| weight(p).max(rebuilt(p)))),
            auc: auc(&scores, &pairs.iter().map(edge).collect::<Vec<_>>()),
        }
    }

    #[test]
    fn it_is_what_going_through_all_pairs_says() {
        let directed = Build { directed: true, ..Build::default() };
        let arcs =
            [(0, 1, 1.0), (1, 2, 2.0), (2, 0, 1.0), (2, 3, 0.5), (3, 1, 1.0), (4, 2, 1.0), (3, 4, 3.0)];
        let (arcs, _) = Network::build(NodeIds::numbered(5), &arcs, true, directed).unwrap();
        for (name, network) in [
            ("simple", embedded("@karate").unwrap().unweighted()),
            ("weighted", embedded("@lesmis").unwrap()),
            ("directed", arcs),
        ] {
            let (network, motif) = (Arc::new(network), Motif::path(4).unwrap());
            let sampler = SamplerBuilder::default().build(SamplerKind::Exact, &network, &motif, 0).unwrap();
            let learning = NetworkLearning { steps: 5, ..NetworkLearning::new(3) };
            let learned = learning.learn::<f64>(&[(Arc::clone(&network), Arc::clone(&sampler))], 0).unwrap();
            let some: Vec<(u32, u32)> = (0..network.nodes() as u32).flat_map(|u| [(u, 0), (1, u)]).collect();
            for targets in [Targets::All, Targets::Only(some.into_iter().filter(|(u, v)| u != v).collect())] {
                let parameters = ReconstructionSettings::default();
                let w = learned.dictionary();
                let mut rebuilt =
                    Reconstructor::<f64>::new(w, &network, &motif, &parameters, targets).unwrap();
                rebuilt
                    .absorb(&mut [MotifWalker::new(Arc::clone(&sampler), 1, 0, 0, 1).unwrap()], 60)
                    .unwrap();
                for (threshold, alpha) in [(0.5, 0.0), (0.0, 2.0), (-0.1, 0.0), (3.0, 0.0)] {
                    let found = Accuracy::measure(rebuilt.sums(), &network, threshold, alpha).unwrap();
                    let expected = by_the_book(rebuilt.sums(), &network, threshold, alpha);
                    assert_eq!(found.visited, expected.visited, "{name}");
                    for (found, expected) in [
                        (found.edge_coverage, expected.edge_coverage),
                        (found.pair_coverage, expected.pair_coverage),
                        (found.jaccard, expected.jaccard),
                        (found.weighted_jaccard, expected.weighted_jaccard),
                        (found.auc, expected.auc),
                    ] {
                        let (found, expected) = (found.unwrap(), expected.unwrap());
                        assert!(
                            (found - expected).abs() < 1e-12,
                            "{name} at {threshold}: {found} and {expected}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn another_network_is_refused() {
        let network = Arc::new(embedded("@kite").unwrap());
        let w = crate::linalg::Mat::from_fn(4, 1, |_, _| 0.5);
        let motif = Motif::path(2).unwrap();
        let rebuilt =
            Reconstructor::<f32>::new(&w, &network, &motif, &ReconstructionSettings::default(), Targets::All)
                .unwrap();
        assert!(Accuracy::measure(rebuilt.sums(), &embedded("@karate").unwrap(), 0.5, 0.0).is_err());
        let nothing = Accuracy::measure(rebuilt.sums(), &network, 0.5, 0.0).unwrap();
        assert_eq!(
            (nothing.visited, nothing.edge_coverage, nothing.jaccard, nothing.auc),
            (0, Some(0.0), Some(0.0), Some(0.5))
        );
    }

    #[test]
    fn edges_are_ranked_with_ties_and_those_that_were_not_visited() {
        let weights = [0.5, 0.5, 2.0, -1.0, 0.25, 2.0, 0.0];
        for (count, zeros) in [(7, 0), (7, 3), (2, 1), (0, 2)] {
            let ranks = Ranks::new(weights[..count].to_vec(), zeros);
            for weight in [-2.0, -1.0, -0.5, 0.0, 0.25, 0.3, 0.5, 1.0, 2.0, 3.0] {
                let all = weights[..count].iter().copied().chain((0..zeros).map(|_| 0.0));
                let doubled = all.map(|w| if w > weight { 2 } else { u64::from(w == weight) });
                assert_eq!(ranks.beats_doubled(weight), doubled.sum::<u64>(), "{count}, {zeros}, {weight}");
            }
        }
    }

    #[test]
    fn networks_without_an_edge_or_without_another_pair_have_no_area() {
        let pair = PairSum { u: 0, v: 1, sum: 0.5, count: 1 };
        for edges in [&[][..], &[(0, 1), (0, 2), (1, 2)]] {
            let network = Network::simple(3, edges).unwrap();
            let sums = PairSums::of_pairs(&network, None, [pair], 1 << 20).unwrap();
            let found = Accuracy::measure(&sums, &network, 0.25, 0.0).unwrap();
            assert_eq!((found.auc, found.visited), (None, 1));
            assert_eq!(found.edge_coverage, (!edges.is_empty()).then_some(1.0 / 3.0));
        }
    }
}
