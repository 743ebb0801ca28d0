//! LINE: embeddings from edges alone, of the first and of the second order (Tang, Qu, Wang, Zhang, Yan and Mei 2015).
//!
//! | symbol | here | where |
//! |---|---|---|
//! | `u_i` with `p_1 = σ(u_i·u_j)` | `first`, a node's own context | equation 3 |
//! | `u_i`, `u'_j` with `p_2 ∝ exp(u'_j·u_i)` | `second`, `contexts` | equation 6 |
//! | `ln σ(u'_j·u_i) + Σ_k ln σ(−u'_k·u_i)`, `P_n ∝ d^¾` | [`Train`](super::skip_gram::Train) | equation 7 |
//! | edge sampling | edges uniformly, in a random direction | section 4.2; weights are 1 |
//!
//! Negative sampling takes the same step as in skip-gram. Both halves are scaled to length 1 and put one on the other, as in the authors'
//! code. Each order is learned by one thread, both at the same time, so that the result is the same at any
//! number of threads.

use super::skip_gram::{Alias, Columns, Train, noise, start, train};
use super::{Progress, parameter};
use ergodict::Result;
use ergodict::data::Network;
use ergodict::linalg::Mat;
use ergodict::rng::{ChaCha8Rng, Purpose, below, ids, stream};
use rand_chacha::rand_core::Rng;

/// Samples between two reports of progress.
const ROUND: u64 = 1 << 20;

/// How LINE learns.
///
/// First order: `σ(u·v)` for edges; second order: `σ(u·c_v)` with vectors `c` of contexts, each against negative samples.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Line {
    /// Numbers a node: half of them of the first order, the rest of the second.
    pub(super) dimensions: usize,
    /// Negative samples for each edge.
    pub(super) negatives: usize,
    /// Samples for each edge, of each order.
    pub(super) samples: u64,
    /// The first and the last learning rate.
    pub(super) rates: (f64, f64),
}

impl Default for Line {
    fn default() -> Self {
        Self { dimensions: 128, negatives: 5, samples: 200, rates: (0.025, 0.000_002_5) }
    }
}

impl Line {
    /// Embeddings of the nodes of a simple network: one column a node, zero for a node without neighbors. None when `progress` stopped it.
    pub(super) fn embed(
        &self,
        network: &Network,
        seed: u64,
        progress: &mut Progress<'_>,
    ) -> Result<Option<Mat<f64>>> {
        super::check(network, self.dimensions)?;
        if self.dimensions < 2 {
            return Err(parameter("dimensions", self.dimensions, "LINE needs one for each order, 2"));
        }
        if self.negatives == 0 || self.negatives > 1000 {
            return Err(parameter("negative samples", self.negatives, "it must be from 1 to 1000"));
        }
        let n = network.nodes();
        let edges: Vec<(u32, u32)> = network.each_edge().map(|(u, v, _)| (u, v)).collect();
        let table = Alias::new((0..n).map(|u| noise(network, u)));
        let half = self.dimensions / 2;
        let order = |id: u64, dimensions: usize| {
            let mut rng = stream(seed, Purpose::Denoise, ids::EMBEDDING + id);
            (start(dimensions, n, &mut rng), rng)
        };
        let (mut first, mut first_rng) = order(5, half);
        let (mut second, mut second_rng) = order(6, self.dimensions - half);
        let mut contexts = Columns::zeros_like(&second);
        let total = self.samples * edges.len() as u64;
        let mut done = 0;
        while done < total {
            if !progress(done as f64 / total as f64) {
                return Ok(None);
            }
            let round = ROUND.min(total - done);
            let rate = |done: u64| self.rates.0 + (self.rates.1 - self.rates.0) * done as f64 / total as f64;
            let rates = (rate(done), rate(done + round));
            let run = |sources: &mut Columns, contexts: Option<&mut Columns>, rng: &mut ChaCha8Rng| {
                let pairs: Vec<(u32, u32)> = (0..round).map(|_| sampled(&edges, rng)).collect();
                train(Train {
                    sources,
                    contexts,
                    pairs: &pairs,
                    table: &table,
                    negatives: self.negatives,
                    rates,
                    rng,
                });
            };
            rayon::join(
                || run(&mut first, None, &mut first_rng),
                || run(&mut second, Some(&mut contexts), &mut second_rng),
            );
            done += round;
        }
        if !progress(1.0) {
            return Ok(None);
        }
        let mut columns = Mat::zeros(self.dimensions, n);
        for u in (0..n).filter(|u| !network.neighbors(*u).is_empty()) {
            let (top, bottom) = columns.col_mut(u).split_at_mut(half);
            unit(first.col(u), top);
            unit(second.col(u), bottom);
        }
        Ok(Some(columns))
    }
}

/// An edge in a random direction.
fn sampled(edges: &[(u32, u32)], rng: &mut ChaCha8Rng) -> (u32, u32) {
    let (u, v) = edges[below(rng, edges.len() as u64) as usize];
    if rng.next_u32() >> 31 == 0 { (u, v) } else { (v, u) }
}

fn unit(from: &[f32], into: &mut [f64]) {
    let length = from.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt().max(f64::MIN_POSITIVE);
    from.iter().zip(into).for_each(|(from, into)| *into = f64::from(*from) / length);
}

#[cfg(test)]
mod tests {
    use super::super::tests::{assert_groups_are_separated, two_groups};
    use super::*;

    #[test]
    fn groups_are_separated_and_threads_do_not_change_a_byte() {
        let network = two_groups(300, 5);
        let settings = Line { dimensions: 16, samples: 150, ..Line::default() };
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| settings.embed(&network, 7, &mut |_| true).unwrap().unwrap())
        };
        let one = run(1);
        assert_eq!(one, run(2));
        assert_groups_are_separated(&one, 0.9);
        for u in 0..300 {
            let length = |part: &[f64]| part.iter().map(|x| x * x).sum::<f64>();
            let column = one.col(u);
            assert!((length(&column[..8]) - 1.0).abs() < 1e-12 && (length(&column[8..]) - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn edges_are_sampled_uniformly_in_both_directions() {
        let edges = [(0, 1), (1, 2), (2, 3), (0, 3), (0, 2)];
        let mut rng = stream(0, Purpose::Denoise, 930);
        let mut counts = [0.0f64; 16];
        for _ in 0..10_000 {
            let (u, v) = sampled(&edges, &mut rng);
            counts[(u * 4 + v) as usize] += 1.0;
        }
        let seen: Vec<f64> = counts.into_iter().filter(|c| *c > 0.0).collect();
        let chi2: f64 = seen.iter().map(|c| (c - 1000.0).powi(2) / 1000.0).sum();
        assert!(
            seen.len() == 10 && chi2 < 33.7,
            "chi² {chi2} over the 0.9999 quantile for 9 degrees of freedom"
        );
    }

    #[test]
    fn what_makes_no_sense_is_refused_and_a_stop_stops() {
        let network = Network::simple(3, &[(0, 1)]).unwrap();
        let embed = |settings: Line, go: bool| settings.embed(&network, 0, &mut |_| go);
        assert!(embed(Line { dimensions: 1, ..Line::default() }, true).is_err());
        assert!(embed(Line { negatives: 0, ..Line::default() }, true).is_err());
        assert!(embed(Line::default(), false).unwrap().is_none());
        let columns = embed(Line::default(), true).unwrap().unwrap();
        assert!(columns.col(2).iter().all(|x| *x == 0.0) && columns.col(0).iter().any(|x| *x != 0.0));
    }
}
