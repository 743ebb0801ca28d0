//! Pairs of nodes without an edge between them, at random: uniformly, with given numbers of pairs at each node, or with ends drawn from a list.

use super::Network;
use super::generate::pairs::{Cursor, PairSet, count, subset};
use crate::rng::{ChaCha8Rng, below, shuffle, uniform};
use std::collections::BinaryHeap;

/// Draws for each pair wanted, by which most are found where few pairs are edges; what is missing then is found by
/// going through all pairs.
const DRAWS: u64 = 32;

/// Exchanges that are tried for a pair of shuffled ends.
const SWAPS: u64 = 1000;

/// Number of non-edges of a simple network.
pub(crate) fn number(network: &Network) -> u64 {
    count(network.nodes()) - network.edges()
}

/// A uniformly random set of `wanted` non-edges of a simple network, ascending; there must be at least that number.
pub(crate) fn uniformly(network: &Network, wanted: u64, rng: &mut ChaCha8Rng) -> Vec<(u32, u32)> {
    let n = network.nodes() as u64;
    // Numbers of pairs with an edge, as `Cursor` counts them; u rows before row u hold n − 1, n − 2, … pairs.
    let number_of = |(u, v): (u64, u64)| u * (2 * n - u - 1) / 2 + (v - u - 1);
    let mut edges = network.each_edge().map(|(u, v, _)| number_of((u64::from(u), u64::from(v)))).peekable();
    let mut cursor = Cursor::new(network.nodes());
    let mut passed = 0;
    subset(number(network), wanted, rng)
        .into_iter()
        .map(|rank| {
            while edges.next_if(|edge| *edge <= rank + passed).is_some() {
                passed += 1;
            }
            cursor.pair(rank + passed)
        })
        .collect()
}

/// Different non-edges of a simple network in which every node is as often an end as in the list `ends`, whose length is even: the list in random order, two by
/// two. A pair that is an edge, a node with itself or there already exchanges ends with another pair at random, as often as `SWAPS` allows; what is
/// still none of these then is left out.
pub(super) fn by_shuffled_ends(
    network: &Network,
    mut ends: Vec<u32>,
    rng: &mut ChaCha8Rng,
) -> (Vec<(u32, u32)>, PairSet) {
    shuffle(&mut ends, rng);
    let mut pairs: Vec<(u32, u32)> = ends.chunks_exact(2).map(|two| (two[0], two[1])).collect();
    let fits = |u: u32, v: u32| u != v && !joined(network, u, v);
    let mut chosen = PairSet::with_capacity(pairs.len());
    let mut good: Vec<bool> = pairs.iter().map(|&(u, v)| fits(u, v) && chosen.insert(u, v)).collect();
    for row in 0..pairs.len() {
        let mut swaps = SWAPS;
        while !good[row] && swaps > 0 {
            swaps -= 1;
            let other = below(rng, pairs.len() as u64) as usize;
            let ((a, b), (mut c, mut d)) = (pairs[row], pairs[other]);
            if below(rng, 2) == 0 {
                (c, d) = (d, c);
            }
            let free = |u: u32, v: u32| fits(u, v) && !chosen.contains(u, v);
            let same = (a.min(c), a.max(c)) == (b.min(d), b.max(d));
            if other == row || same || !free(a, c) || !free(b, d) {
                continue;
            }
            if good[other] {
                chosen.remove(c, d);
            }
            chosen.insert(a, c);
            chosen.insert(b, d);
            (pairs[row], pairs[other]) = ((a, c), (b, d));
            (good[row], good[other]) = (true, true);
        }
    }
    let kept = pairs.into_iter().zip(good).filter(|pair| pair.1).map(|((u, v), _)| (u.min(v), u.max(v)));
    (kept.collect(), chosen)
}

/// Different non-edges of a simple network, drawn one after another: each has both ends drawn uniformly from the list `ends` (a node
/// is drawn in proportion to how often it is there), until it is a non-edge that is not among `chosen`, to which it is added. They are
/// as many as wanted; fewer, all there are, where nodes of the list have fewer non-edges between them.
///
/// Where draws fail too often, all non-edges that are left get an exponential time of rate `c(u) c(v)`, c(u) being how often u is in the
/// list, and the earliest are taken, which is the same law (Efraimidis and Spirakis 2006).
pub(super) fn by_ends(
    network: &Network,
    ends: &[u32],
    wanted: u64,
    chosen: &mut PairSet,
    rng: &mut ChaCha8Rng,
) -> Vec<(u32, u32)> {
    let mut pairs: Vec<(u32, u32)> = Vec::with_capacity(wanted as usize);
    let mut draws = if ends.is_empty() { 0 } else { DRAWS * wanted };
    while draws > 0 && (pairs.len() as u64) < wanted {
        draws -= 1;
        let mut end = || ends[below(rng, ends.len() as u64) as usize];
        let (u, v) = (end(), end());
        if u != v && !joined(network, u, v) && chosen.insert(u, v) {
            pairs.push((u.min(v), u.max(v)));
        }
    }
    let missing = wanted as usize - pairs.len();
    if missing > 0 {
        let mut sorted = ends.to_vec();
        sorted.sort_unstable();
        let counts: Vec<(u32, f64)> =
            sorted.chunk_by(|a, b| a == b).map(|same| (same[0], same.len() as f64)).collect();
        let mut earliest: BinaryHeap<(u64, u32, u32)> = BinaryHeap::with_capacity(missing + 1);
        for (at, &(u, of_u)) in counts.iter().enumerate() {
            for &(v, of_v) in &counts[at + 1..] {
                if joined(network, u, v) || chosen.contains(u, v) {
                    continue;
                }
                let time = -(1.0 - uniform(rng)).ln() / (of_u * of_v);
                // Bits of numbers that are not negative are in the order of the numbers.
                earliest.push((time.to_bits(), u, v));
                if earliest.len() > missing {
                    earliest.pop();
                }
            }
        }
        for (_, u, v) in earliest {
            chosen.insert(u, v);
            pairs.push((u, v));
        }
    }
    pairs
}

/// Whether there is an edge.
pub(crate) fn joined(network: &Network, u: u32, v: u32) -> bool {
    network.neighbors(u as usize).binary_search(&v).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, stream};
    use std::collections::BTreeMap;

    /// Seven nodes, nine edges, twelve non-edges; degrees from 1 to 4.
    fn example() -> Network {
        let edges = [(0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (2, 3), (3, 5), (4, 5), (5, 6)];
        Network::simple(7, &edges).unwrap()
    }

    fn listed(network: &Network) -> Vec<(u32, u32)> {
        let n = network.nodes() as u32;
        let pairs = (0..n).flat_map(|u| (u + 1..n).map(move |v| (u, v)));
        pairs.filter(|&(u, v)| !joined(network, u, v)).collect()
    }

    /// By degree: every node is as often a neighbor as its degree says.
    fn by_degree(network: &Network, wanted: u64, rng: &mut ChaCha8Rng) -> Vec<(u32, u32)> {
        let mut chosen = PairSet::with_capacity(wanted as usize);
        let mut pairs = by_ends(network, &network.rows().neighbors, wanted, &mut chosen, rng);
        assert!(pairs.iter().all(|&(u, v)| chosen.contains(u, v)));
        pairs.sort_unstable();
        pairs
    }

    /// Above the 0.9999 quantile of chi² (Wilson and Hilferty).
    fn far(chi2: f64, freedom: f64) -> bool {
        let spread = 2.0 / (9.0 * freedom);
        chi2 > freedom * (1.0 - spread + 3.72 * spread.sqrt()).powi(3)
    }

    #[test]
    fn all_non_edges_are_those_that_are_no_edges() {
        let network = example();
        let all = listed(&network);
        assert_eq!(all.len() as u64, number(&network));
        assert!(all.iter().all(|&(u, v)| u < v && !joined(&network, u, v)) && all.is_sorted());
        let mut rng = stream(0, Purpose::Synthetic, 77);
        assert_eq!(uniformly(&network, 12, &mut rng), all);
        assert_eq!(by_degree(&network, 12, &mut rng), all);
        assert!(uniformly(&network, 0, &mut rng).is_empty() && by_degree(&network, 0, &mut rng).is_empty());
    }

    #[test]
    fn ends_with_too_few_non_edges_give_those_they_have() {
        let network = example();
        let mut rng = stream(0, Purpose::Synthetic, 77);
        for (ends, all) in [
            (&[0, 1, 1, 0][..], vec![]),
            (&[], vec![]),
            (&[6, 6, 6], vec![]),
            (&[0, 6, 5, 0, 2], vec![(0, 5), (0, 6), (2, 5), (2, 6)]),
        ] {
            let mut chosen = PairSet::with_capacity(1);
            let mut found = by_ends(&network, ends, 9, &mut chosen, &mut rng);
            found.sort_unstable();
            assert_eq!(found, all);
            assert!(by_ends(&network, ends, 9, &mut chosen, &mut rng).is_empty(), "they are chosen");
        }
    }

    #[test]
    fn shuffled_ends_keep_their_numbers_and_are_symmetric() {
        // A ring of eight nodes, with two ends at each: every pair that is no edge is as likely as those at the same distance.
        let ring: Vec<(u32, u32)> = (0..8).map(|u| (u, (u + 1) % 8)).collect();
        let network = Network::simple(8, &ring).unwrap();
        let ends: Vec<u32> = (0..8).flat_map(|u| [u, u]).collect();
        let mut rng = stream(4, Purpose::Synthetic, 77);
        let mut counts = [0.0f64; 20];
        let (draws, all) = (3000, listed(&network));
        for _ in 0..draws {
            let (pairs, chosen) = by_shuffled_ends(&network, ends.clone(), &mut rng);
            let mut found: Vec<u32> = pairs.iter().flat_map(|&(u, v)| [u, v]).collect();
            found.sort_unstable();
            assert_eq!(found, ends, "each node twice");
            for pair in &pairs {
                counts[all.binary_search(pair).expect("a non-edge")] += 1.0;
                assert!(chosen.contains(pair.0, pair.1));
            }
            assert_eq!(pairs.iter().collect::<std::collections::BTreeSet<_>>().len(), 8, "no pair twice");
        }
        for distance in 2..=4 {
            let at = |&(u, v): &(u32, u32)| (v - u).min(8 - (v - u)) == distance;
            let same: Vec<f64> =
                all.iter().zip(counts).filter(|(pair, _)| at(pair)).map(|(_, c)| c).collect();
            let mean = same.iter().sum::<f64>() / same.len() as f64;
            let chi2: f64 = same.iter().map(|c| (c - mean).powi(2) / mean).sum();
            assert!(!far(chi2, same.len() as f64 - 1.0), "{distance}: {chi2}");
        }
        // Where there are too few, what there is: ends of one edge have none, and those of a clique.
        assert!(by_shuffled_ends(&network, vec![0, 1], &mut rng).0.is_empty());
        assert_eq!(by_shuffled_ends(&network, vec![0, 2, 2, 0], &mut rng).0, [(0, 2)]);
    }

    #[test]
    fn sets_of_non_edges_are_uniform() {
        let network = example();
        let all = listed(&network);
        // All 66 sets of two, and all 66 of ten.
        for wanted in [2, 10] {
            let mut rng = stream(1, Purpose::Synthetic, 77);
            let mut counts: BTreeMap<Vec<(u32, u32)>, f64> = BTreeMap::new();
            let draws = 13_200;
            for _ in 0..draws {
                let set = uniformly(&network, wanted, &mut rng);
                assert!(set.len() as u64 == wanted && set.iter().all(|pair| all.contains(pair)));
                *counts.entry(set).or_default() += 1.0;
            }
            assert_eq!(counts.len(), 66);
            let chi2: f64 = counts.values().map(|c| (c - 200.0f64).powi(2) / 200.0).sum();
            assert!(!far(chi2, 65.0), "{chi2}");
        }
    }

    #[test]
    fn ends_are_in_proportion_to_degrees_one_draw_after_another() {
        let network = example();
        let all = listed(&network);
        let rate = |&(u, v): &(u32, u32)| {
            (network.neighbors(u as usize).len() * network.neighbors(v as usize).len()) as f64
        };
        let total: f64 = all.iter().map(rate).sum();
        // The law of sets of two, drawn in either order.
        let law = |a: &(u32, u32), b: &(u32, u32)| {
            rate(a) / total * rate(b) / (total - rate(a)) + rate(b) / total * rate(a) / (total - rate(b))
        };
        let (draws, mut rng) = (20_000, stream(2, Purpose::Synthetic, 77));
        let mut counts: BTreeMap<Vec<(u32, u32)>, f64> = BTreeMap::new();
        for _ in 0..draws {
            *counts.entry(by_degree(&network, 2, &mut rng)).or_default() += 1.0;
        }
        let (mut chi2, mut sum) = (0.0, 0.0);
        for (i, a) in all.iter().enumerate() {
            for b in &all[i + 1..] {
                let expected = f64::from(draws) * law(a, b);
                chi2 += (counts.get(&vec![*a, *b]).unwrap_or(&0.0) - expected).powi(2) / expected;
                sum += law(a, b);
            }
        }
        assert!((sum - 1.0).abs() < 1e-12);
        assert!(!far(chi2, 65.0), "{chi2}");
    }

    #[test]
    fn times_of_all_pairs_give_the_same_law_as_draws() {
        // A clique with a tail of two: the one non-edge apart from the clique is rarely drawn, the others as rarely.
        let clique = 60u32;
        let mut edges: Vec<_> = (0..clique).flat_map(|u| (0..u).map(move |v| (v, u))).collect();
        edges.extend([(0, clique), (clique, clique + 1)]);
        let network = Network::simple(62, &edges).unwrap();
        // Node 60 has degree 2 and 59 non-edges into the clique, node 61 has degree 1 and 60 of them: the first of them is in
        // the set of node 60 with probability about two thirds.
        let rate = |u: u32| network.neighbors(u as usize).len() as f64;
        let to =
            |u: u32| (0..clique).filter(|&v| !joined(&network, u, v)).map(|v| rate(u) * rate(v)).sum::<f64>();
        let p = to(60) / (to(60) + to(61));
        let (draws, mut rng) = (3000, stream(3, Purpose::Synthetic, 77));
        let hits = (0..draws).filter(|_| by_degree(&network, 1, &mut rng)[0].1 == 60).count() as f64;
        let z = (hits - f64::from(draws) * p) / (f64::from(draws) * p * (1.0 - p)).sqrt();
        assert!(z.abs() < 3.9, "{hits} for {p}");
    }
}
