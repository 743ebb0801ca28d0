//! How well a network was rebuilt.
//!
//! | measure | formula, over the pairs that can be visited |
//! |---|---|
//! | Jaccard at a threshold `θ` | `\|E ∩ R\| / \|E ∪ R\|` with `R = {S/C > θ}` |
//! | weighted Jaccard | `Σ min(A, S/C) / Σ max(A, S/C)` |
//! | coverage | share of `E`, and of all pairs, with `C > 0` |
//! | AUC | chance that `S/C` is larger at an edge than at a pair without one, ties counting half |
//!
//! A pair that was never visited has `S/C = 0`. There are `n²/2` of these, so they are counted and not listed.

use super::{PairSum, PairSums};
use crate::data::Network;
use crate::{Error, Result};
use serde::Serialize;

/// The measures; none where there is nothing to measure.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Accuracy {
    /// The threshold `θ`.
    pub threshold: f64,
    /// Jaccard index of the edges and the pairs above the threshold.
    pub jaccard: Option<f64>,
    /// Weighted Jaccard index.
    pub weighted_jaccard: Option<f64>,
    /// Share of edges that were visited.
    pub edges_visited: Option<f64>,
    /// Share of pairs that were visited.
    pub pairs_visited: Option<f64>,
    /// Area under the receiver operating characteristic.
    pub auc: Option<f64>,
}

impl PairSums {
    /// Compares what was rebuilt with a network: the one that was sampled, or the true one where that was not. Where only some
    /// pairs were wanted, only these count.
    ///
    /// ```
    /// # use ergodict::chain::{Motif, MotifWalker, SamplerKind, Samplers};
    /// # use ergodict::{linalg::Mat, reconstruct::network::{NetworkReconstruction, Reconstructor, Targets}};
    /// # let (karate, motif) = (ergodict::data::embedded("karate")?.into(), Motif::chain(3)?);
    /// # let sampler = Samplers::default().build(SamplerKind::Exact, &karate, &motif, 0)?;
    /// let (w, parameters) = (Mat::from_fn(9, 9, |i, j| f64::from(i == j)), NetworkReconstruction::default());
    /// let mut rebuilt = Reconstructor::<f64>::new(&w, &karate, &motif, &parameters, Targets::All)?;
    /// rebuilt.absorb(&mut [MotifWalker::new(sampler, 0, 0, 0, 1)?], 20_000)?;
    /// let accuracy = rebuilt.sums().accuracy(&karate, 0.5)?;
    /// assert_eq!((accuracy.jaccard, accuracy.auc), (Some(1.0), Some(1.0)));
    /// # Ok::<(), ergodict::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`] when the network has other nodes, or is directed when what was rebuilt is not; [`Error::Parameter`] for a
    /// threshold that is negative or no number: pairs that were not visited would be above it.
    pub fn accuracy(&self, network: &Network, threshold: f64) -> Result<Accuracy> {
        if threshold.is_nan() || threshold < 0.0 {
            return Err(Error::parameter(
                "the threshold",
                threshold,
                "it must be a number that is not negative",
            ));
        }
        if (network.nodes(), network.is_directed()) != (self.nodes(), self.is_directed()) {
            let of = |nodes, directed| {
                format!("of {nodes} nodes, {}", if directed { "directed" } else { "undirected" })
            };
            let found = of(network.nodes(), network.is_directed());
            return Err(Error::shape("the network", found, of(self.nodes(), self.is_directed())));
        }
        let mut tally = Tally::default();
        let mut edges = network.each_edge().filter(|&(u, v, _)| self.has(u, v)).peekable();
        // Both come by ascending pairs.
        for pair in self.iter() {
            while let Some((_, _, weight)) = edges.next_if(|&(u, v, _)| (u, v) < (pair.u, pair.v)) {
                tally.unvisited(weight);
            }
            let edge = edges.next_if(|&(u, v, _)| (u, v) == (pair.u, pair.v));
            tally.visited(&pair, edge.map(|(_, _, weight)| weight), threshold);
        }
        edges.for_each(|(_, _, weight)| tally.unvisited(weight));
        Ok(tally.finish(self.pairs(), threshold))
    }
}

#[derive(Default)]
struct Tally {
    /// Means of visited pairs with an edge and without.
    with: Vec<f64>,
    without: Vec<f64>,
    missed: u64,
    /// Edges above the threshold, and other pairs.
    right: u64,
    wrong: u64,
    smaller: f64,
    larger: f64,
}

impl Tally {
    fn visited(&mut self, pair: &PairSum, edge: Option<f64>, threshold: f64) {
        let (mean, weight) = (pair.mean(), edge.unwrap_or(0.0));
        if mean > threshold {
            *(if edge.is_some() { &mut self.right } else { &mut self.wrong }) += 1;
        }
        (if edge.is_some() { &mut self.with } else { &mut self.without }).push(mean);
        // Dictionaries with negative entries can give negative means; as weights these are none.
        self.smaller += mean.max(0.0).min(weight);
        self.larger += mean.max(weight);
    }

    fn unvisited(&mut self, weight: f64) {
        self.missed += 1;
        self.larger += weight;
    }

    fn finish(mut self, pairs: u64, threshold: f64) -> Accuracy {
        let edges = self.with.len() as u64 + self.missed;
        let visited = (self.with.len() + self.without.len()) as u64;
        let share = |part: f64, whole: f64| (whole > 0.0).then(|| part / whole);
        let never = pairs - edges - self.without.len() as u64;
        Accuracy {
            threshold,
            jaccard: share(self.right as f64, (edges + self.wrong) as f64),
            weighted_jaccard: share(self.smaller, self.larger),
            edges_visited: share(self.with.len() as f64, edges as f64),
            pairs_visited: share(visited as f64, pairs as f64),
            auc: auc(&mut self.with, &mut self.without, self.missed, never),
        }
    }
}

/// The area under the curve of scores of two classes, and of so many more of each with score 0; sorts the scores.
fn auc(with: &mut [f64], without: &mut [f64], more_with: u64, more_without: u64) -> Option<f64> {
    with.sort_unstable_by(f64::total_cmp);
    without.sort_unstable_by(f64::total_cmp);
    // Twice the pairs of one of each class that are in order, ties once.
    let mut wins = 0u128;
    let (mut below, mut upto) = (0, 0);
    let mut count = |score: f64, times: u64| {
        while below < without.len() && without[below] < score {
            below += 1;
        }
        upto = upto.max(below);
        while upto < without.len() && without[upto] <= score {
            upto += 1;
        }
        let zeros = u128::from(more_without) * (u128::from(score > 0.0) + u128::from(score >= 0.0));
        wins += u128::from(times) * ((below + upto) as u128 + zeros);
    };
    let negative = with.partition_point(|&score| score < 0.0);
    with[..negative].iter().for_each(|&score| count(score, 1));
    count(0.0, more_with);
    with[negative..].iter().for_each(|&score| count(score, 1));
    let all =
        2 * (with.len() as u128 + u128::from(more_with)) * (without.len() as u128 + u128::from(more_without));
    (all > 0).then(|| wins as f64 / all as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_area_is_the_share_of_pairs_in_order(
            with in prop::collection::vec(-2i8..5, 0..12), without in prop::collection::vec(-2i8..5, 0..12),
            more_with in 0usize..4, more_without in 0usize..4,
        ) {
            let scores = |few: &[i8]| -> Vec<f64> { few.iter().map(|&score| f64::from(score) / 2.0).collect() };
            let (mut one, mut two) = (scores(&with), scores(&without));
            let fast = auc(&mut one, &mut two, more_with as u64, more_without as u64);
            one.extend(vec![0.0; more_with]);
            two.extend(vec![0.0; more_without]);
            let order = |s: f64, t: f64| if s > t { 1.0 } else if s == t { 0.5 } else { 0.0 };
            let wins: f64 = one.iter().flat_map(|&s| two.iter().map(move |&t| order(s, t))).sum();
            let exact = (!one.is_empty() && !two.is_empty()).then(|| wins / (one.len() * two.len()) as f64);
            prop_assert_eq!(fast, exact);
        }
    }
}
