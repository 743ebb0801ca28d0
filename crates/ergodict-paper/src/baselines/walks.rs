//! Walks on a network, of the first order (DeepWalk) and of the second (node2vec).
//!
//! | symbol | here | where |
//! |---|---|---|
//! | γ walks a node, of length t | [`Walks::per_node`], [`Walks::length`] | Perozzi, Al-Rfou and Skiena 2014 |
//! | return parameter p, in-out parameter q | [`Walks::p`], [`Walks::q`] | Grover and Leskovec 2016 |
//! | `α_pq(t, x)`: 1/p, 1, 1/q at distance 0, 1, 2 of x from t | [`Walks::next`] | section 3.2 there |
//!
//! Steps of the second order are drawn by rejection: a uniform neighbor is proposed and taken with probability α over the
//! largest α. That needs no table for each pair of neighbors, whose size is the number of 2-paths.

use super::{below_u32, parameter};
use ergodict::Result;
use ergodict::data::Network;
use ergodict::rng::{ChaCha8Rng, uniform};

/// How walks go. The default is DeepWalk's; with `p` and `q` node2vec's.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Walks {
    /// Walks that start at each node.
    pub(super) per_node: usize,
    /// Nodes of a walk.
    pub(super) length: usize,
    /// How seldom a step goes back where the last came from.
    pub(super) p: f64,
    /// How seldom a step goes away from there.
    pub(super) q: f64,
}

impl Default for Walks {
    fn default() -> Self {
        Self { per_node: 10, length: 80, p: 1.0, q: 1.0 }
    }
}

impl Walks {
    pub(super) fn check(&self) -> Result<()> {
        for (name, value) in [("p", self.p), ("q", self.q)] {
            // The rejection takes about as many proposals as the quotient of the largest and the least.
            if !(1e-3..=1e3).contains(&value) {
                return Err(parameter(name, value, "it must be from 0.001 to 1000"));
            }
        }
        for (name, value) in [("walks a node", self.per_node), ("length of walks", self.length)] {
            if value == 0 || u32::try_from(value).is_err() {
                return Err(parameter(name, value, "it must be at least 1 and below 2³²"));
            }
        }
        Ok(())
    }

    /// Writes a walk from a node into `walk`; it is shorter where a node has no neighbors.
    pub(super) fn walk(&self, network: &Network, start: u32, rng: &mut ChaCha8Rng, walk: &mut Vec<u32>) {
        walk.clear();
        walk.push(start);
        let plain = self.p == 1.0 && self.q == 1.0;
        let mut now = start;
        while walk.len() < self.length && !network.neighbors(now as usize).is_empty() {
            let before = if plain { None } else { walk.len().checked_sub(2).map(|i| walk[i]) };
            now = self.next(network, before, now, rng);
            walk.push(now);
        }
    }

    /// The node after `now`, which must have neighbors, when the one before it was `before`; of the first order without that.
    fn next(&self, network: &Network, before: Option<u32>, now: u32, rng: &mut ChaCha8Rng) -> u32 {
        let row = network.neighbors(now as usize);
        let propose = |rng: &mut ChaCha8Rng| row[below_u32(rng, row.len() as u32) as usize];
        let Some(before) = before else { return propose(rng) };
        let (back, away) = (1.0 / self.p, 1.0 / self.q);
        let most = back.max(away).max(1.0);
        let near = network.neighbors(before as usize);
        loop {
            let (node, level) = (propose(rng), uniform(rng) * most);
            // Below the least of the two and 1 it is taken wherever it is.
            let taken = if node == before {
                level < back
            } else if level < away.min(1.0) {
                true
            } else if level >= away.max(1.0) {
                false
            } else {
                level < if near.binary_search(&node).is_ok() { 1.0 } else { away }
            };
            if taken {
                return node;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ergodict::data::embedded;
    use ergodict::rng::{Purpose, stream};

    /// How far a count is from its law, as a standard normal number (Wilson and Hilferty). All cells expect 5 or more.
    fn far(counts: &[f64], law: &[f64]) -> f64 {
        let draws: f64 = counts.iter().sum();
        assert!(law.iter().all(|p| p * draws >= 5.0));
        let chi2: f64 = counts.iter().zip(law).map(|(c, p)| (c - draws * p).powi(2) / (draws * p)).sum();
        let freedom = law.len() as f64 - 1.0;
        let width = 2.0 / (9.0 * freedom);
        ((chi2 / freedom).cbrt() - (1.0 - width)) / width.sqrt()
    }

    #[test]
    fn steps_have_the_law_of_node2vec() {
        let network = embedded("karate").unwrap().unweighted();
        for (case, (p, q)) in
            [(1.0, 1.0), (0.25, 4.0), (4.0, 0.25), (0.5, 0.5), (2.0, 3.0)].into_iter().enumerate()
        {
            let walks = Walks { p, q, ..Walks::default() };
            let mut rng = stream(0, Purpose::Denoise, 900 + case as u64);
            for (now, before, _) in network.each_edge().step_by(17) {
                let row = network.neighbors(now as usize);
                let weight = |x: &u32| {
                    if *x == before {
                        1.0 / p
                    } else if network.weight(before as usize, *x as usize) > 0.0 {
                        1.0
                    } else {
                        1.0 / q
                    }
                };
                let total: f64 = row.iter().map(weight).sum();
                let law: Vec<f64> = row.iter().map(|x| weight(x) / total).collect();
                let mut counts = vec![0.0; row.len()];
                for _ in 0..10_000 {
                    let next = walks.next(&network, Some(before), now, &mut rng);
                    counts[row.binary_search(&next).unwrap()] += 1.0;
                }
                let z = far(&counts, &law);
                assert!(z < 3.72, "p {p} q {q} from {before} at {now}: {z}");
            }
        }
    }

    #[test]
    fn walks_go_along_edges_and_end_where_there_are_none() {
        let network = Network::simple(5, &[(0, 1), (1, 2), (2, 0), (2, 3)]).unwrap();
        let mut rng = stream(0, Purpose::Denoise, 910);
        let mut walk = Vec::new();
        for (p, q) in [(1.0, 1.0), (0.1, 10.0)] {
            let walks = Walks { p, q, length: 50, per_node: 1 };
            for start in 0..4 {
                walks.walk(&network, start, &mut rng, &mut walk);
                assert!(walk.len() == 50 && walk[0] == start);
                assert!(walk.windows(2).all(|step| network.weight(step[0] as usize, step[1] as usize) > 0.0));
            }
            walks.walk(&network, 4, &mut rng, &mut walk);
            assert_eq!(walk, [4]);
        }
        assert!(Walks { p: 0.0, ..Walks::default() }.check().is_err());
        assert!(Walks { q: f64::NAN, ..Walks::default() }.check().is_err());
        assert!(Walks { length: 0, ..Walks::default() }.check().is_err());
    }
}
