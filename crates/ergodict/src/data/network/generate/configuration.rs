//! The configuration model: networks of given degrees.
//!
//! A node of degree d has d ends; all ends are paired at random, every pairing as likely as any other. A pairing may have loops and
//! edges that occur more than once, and there are two ways to be rid of them ([`Multiple`]). Each simple network comes from the
//! same number `Π_v d_v!` of pairings, so that pairings drawn until one is simple give simple networks uniformly. Where that would
//! take too long, a chain of double-edge swaps is run: two edges `(a, b)`, `(c, d)` become `(a, d)`, `(c, b)`, unless that makes a loop
//! or an edge that is there already. Its moves are as likely as their reversals, and it reaches every simple network of the
//! degrees (Taylor 1981): its stationary law is the uniform one.

use super::super::Network;
use super::super::rewire::Switching;
use super::pairs::PairSet;
use super::room;
use crate::rng::{ChaCha8Rng, below};
use crate::{Error, Result};
use std::collections::BinaryHeap;

/// Pairings that are drawn in the hope of a simple one. A pairing ends at its first loop or repeated edge.
const TRIES: usize = 64;

/// What becomes of loops and repeated edges.
///
/// ```
/// use ergodict::data::generate::{Configuration, Generator, Multiple};
/// let edges = |multiple| Ok::<_, ergodict::Error>(Generator::from(Configuration::new(vec![4; 20], multiple)?).generate(0).edges());
/// assert_eq!(edges(Multiple::Exact { swaps: 10 })?, 40);
/// assert!(edges(Multiple::Erased)? <= 40);
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Multiple {
    /// Loops are left out and repeated edges count once; degrees may come out smaller.
    Erased,
    /// There are none, and all degrees are exact. If one of the first 64 pairings is simple it is taken, which is an exact draw from the
    /// uniform law over simple networks of these degrees. If none is, the chain of double-edge swaps
    /// makes this number of attempts for each edge, from the network that Havel and Hakimi construct: its law tends to the uniform one with
    /// their number, and nothing says how fast. Ten to a hundred are usual.
    Exact {
        /// Attempted swaps for each edge.
        swaps: u32,
    },
}

/// Networks of given degrees.
///
/// ```
/// use ergodict::data::{embedded, generate::{Configuration, Generator, Multiple}};
/// let karate = embedded("karate")?;
/// let alike = Generator::from(Configuration::like(&karate, Multiple::Exact { swaps: 10 })?).generate(0);
/// assert!((0..34).all(|v| alike.neighbors(v).len() == karate.neighbors(v).len()));
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Configuration {
    pub(super) degrees: Vec<u32>,
    multiple: Multiple,
}

impl Configuration {
    /// Networks in which node `v` has degree `degrees[v]`.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a degree that is not less than the number of nodes, for an odd sum, for degrees that no simple network
    /// has (if they are to be exact), and for a size beyond `MOST_EDGES`.
    pub fn new(degrees: Vec<u32>, multiple: Multiple) -> Result<Self> {
        let n = degrees.len();
        if let Some((v, &degree)) = degrees.iter().enumerate().find(|(_, d)| **d as usize >= n) {
            let expected = format!("a node has at most {} others to join", n - 1);
            return Err(Error::parameter("a degree", format!("{degree} (node {v})"), expected));
        }
        let sum: u64 = degrees.iter().map(|&d| u64::from(d)).sum();
        if sum % 2 == 1 {
            return Err(Error::parameter(
                "the sum of degrees",
                sum,
                "it must be even: every edge has two ends",
            ));
        }
        room(n, sum as f64 / 2.0)?;
        if multiple != Multiple::Erased && !is_graphical(&degrees) {
            return Err(Error::parameter(
                "the list of degrees",
                format!("one of {n} nodes and {} edges", sum / 2),
                "no simple network has exactly these degrees: the largest ask for more than the others have to give",
            ));
        }
        Ok(Self { degrees, multiple })
    }

    /// Networks with the degrees of another, its loops and weights ignored.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a directed network.
    pub fn like(network: &Network, multiple: Multiple) -> Result<Self> {
        if network.is_directed() {
            return Err(Error::parameter(
                "the network",
                "directed",
                "degrees are those of an undirected one",
            ));
        }
        let degree = |u: usize| {
            let row = network.neighbors(u);
            (row.len() - usize::from(row.binary_search(&(u as u32)).is_ok())) as u32
        };
        Self::new((0..network.nodes()).map(degree).collect(), multiple)
    }

    pub(super) fn edges(&self, rng: &mut ChaCha8Rng) -> Vec<(u32, u32)> {
        let ends = self.degrees.iter().zip(0..).flat_map(|(&d, v)| std::iter::repeat_n(v, d as usize));
        let mut ends: Vec<u32> = ends.collect();
        let Multiple::Exact { swaps } = self.multiple else {
            return pairing(&mut ends, rng, |_, _| true).unwrap_or_default();
        };
        let mut seen = PairSet::default();
        for _ in 0..TRIES {
            seen.clear();
            if let Some(edges) = pairing(&mut ends, rng, |u, v| u != v && seen.insert(u, v)) {
                return edges;
            }
        }
        swapped(havel_hakimi(&self.degrees), u64::from(swaps), rng)
    }
}

/// Pairs all ends at random; none as soon as an edge is not allowed. Ends may be in any order.
fn pairing(
    ends: &mut [u32],
    rng: &mut ChaCha8Rng,
    mut allowed: impl FnMut(u32, u32) -> bool,
) -> Option<Vec<(u32, u32)>> {
    let mut edges = Vec::with_capacity(ends.len() / 2);
    for left in (2..=ends.len()).rev().step_by(2) {
        // The last end that is left gets a partner among the others.
        ends.swap(left - 2, below(rng, left as u64 - 1) as usize);
        let (u, v) = (ends[left - 1], ends[left - 2]);
        if !allowed(u, v) {
            return None;
        }
        edges.push((u, v));
    }
    Some(edges)
}

/// The edges of a simple network after `swaps` attempts for each.
fn swapped(edges: Vec<(u32, u32)>, swaps: u64, rng: &mut ChaCha8Rng) -> Vec<(u32, u32)> {
    let attempts = swaps * edges.len() as u64;
    let mut chain = Switching::new(edges, false);
    let _finished = chain.run(attempts, rng, &|| false);
    chain.into_edges()
}

/// Whether a simple network has these degrees, by the inequalities of Erdős and Gallai; their sum is even.
fn is_graphical(degrees: &[u32]) -> bool {
    let mut sorted: Vec<u64> = degrees.iter().map(|&d| u64::from(d)).collect();
    sorted.sort_unstable_by(|a, b| b.cmp(a));
    let n = sorted.len();
    let mut sums = vec![0u64; n + 1];
    (0..n).for_each(|i| sums[i + 1] = sums[i] + sorted[i]);
    // The k largest have at most k(k − 1) ends among themselves, and min(d, k) with each of the others. `large` nodes have degree k or more.
    let mut large = n;
    (1..=n).all(|k| {
        while large > 0 && sorted[large - 1] < k as u64 {
            large -= 1;
        }
        let (k64, split) = (k as u64, large.max(k));
        sums[k] <= k64 * (k64 - 1) + k64 * (split - k) as u64 + sums[n] - sums[split]
    })
}

/// The simple network in which the node with most ends left is joined to the next ones, over and over.
fn havel_hakimi(degrees: &[u32]) -> Vec<(u32, u32)> {
    let mut left: BinaryHeap<(u32, u32)> = degrees.iter().copied().zip(0..).filter(|(d, _)| *d > 0).collect();
    let (mut edges, mut met) = (Vec::new(), Vec::new());
    while let Some((degree, u)) = left.pop() {
        met.clear();
        met.extend((0..degree).filter_map(|_| left.pop()));
        for &(d, v) in &met {
            edges.push((u, v));
            if d > 1 {
                left.push((d - 1, v));
            }
        }
    }
    edges
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, stream};
    use std::collections::BTreeMap;

    /// All simple networks of the degrees, as sets of pairs.
    fn simple_networks(degrees: &[u32]) -> Vec<Vec<(u32, u32)>> {
        let n = degrees.len() as u32;
        let pairs: Vec<_> = (0..n).flat_map(|u| (u + 1..n).map(move |v| (u, v))).collect();
        (0..1u32 << pairs.len())
            .map(|set| pairs.iter().enumerate().filter(|(i, _)| set >> i & 1 == 1).map(|(_, p)| *p).collect())
            .filter(|edges: &Vec<(u32, u32)>| {
                let degree = |w| edges.iter().filter(|(u, v)| *u == w || *v == w).count() as u32;
                (0..n).all(|w| degree(w) == degrees[w as usize])
            })
            .collect()
    }

    fn sorted(edges: &[(u32, u32)]) -> Vec<(u32, u32)> {
        let mut edges: Vec<_> = edges.iter().map(|&(u, v)| (u.min(v), u.max(v))).collect();
        edges.sort_unstable();
        edges
    }

    /// Chi² of draws against the uniform law over the simple networks, over its degrees of freedom.
    fn against_uniform(
        degrees: &[u32],
        draws: u32,
        mut draw: impl FnMut() -> Option<Vec<(u32, u32)>>,
    ) -> (f64, f64) {
        let networks = simple_networks(degrees);
        let mut counts: BTreeMap<_, f64> = networks.iter().map(|edges| (edges.clone(), 0.0)).collect();
        let mut total = 0.0;
        for _ in 0..draws {
            if let Some(edges) = draw() {
                *counts.get_mut(&sorted(&edges)).expect("a simple network of the degrees") += 1.0;
                total += 1.0;
            }
        }
        let expected = total / networks.len() as f64;
        let chi2 = counts.values().map(|c| (c - expected).powi(2) / expected).sum();
        (chi2, networks.len() as f64 - 1.0)
    }

    /// Above the 0.9999 quantile of chi² (Wilson and Hilferty).
    fn far(chi2: f64, freedom: f64) -> bool {
        let spread = 2.0 / (9.0 * freedom);
        chi2 > freedom * (1.0 - spread + 3.72 * spread.sqrt()).powi(3)
    }

    #[test]
    fn simple_pairings_and_swaps_are_uniform_over_simple_networks() {
        for degrees in [vec![2, 2, 2, 1, 1], vec![3, 2, 2, 2, 1], vec![2; 6], vec![1, 1, 1, 1, 0]] {
            let mut rng = stream(3, Purpose::Synthetic, 77);
            let model = Configuration::new(degrees.clone(), Multiple::Exact { swaps: 20 }).unwrap();
            let (chi2, freedom) = against_uniform(&degrees, 8000, || Some(model.edges(&mut rng)));
            assert!(!far(chi2, freedom), "{degrees:?}: {chi2} for {freedom}");
            let (chi2, freedom) =
                against_uniform(&degrees, 4000, || Some(swapped(havel_hakimi(&degrees), 20, &mut rng)));
            assert!(!far(chi2, freedom), "swaps of {degrees:?}: {chi2} for {freedom}");
        }
    }

    #[test]
    fn pairings_are_uniform() {
        // Of two nodes with two ends each, the pairing has two loops in one of three cases.
        let mut rng = stream(4, Purpose::Synthetic, 77);
        let draws = 9000;
        let mut ends = vec![0, 0, 1, 1];
        let loops = (0..draws)
            .filter(|_| pairing(&mut ends, &mut rng, |_, _| true).is_some_and(|e| e[0].0 == e[0].1))
            .count() as f64;
        let expected = f64::from(draws) / 3.0;
        let z = (loops - expected) / (expected * 2.0 / 3.0).sqrt();
        assert!(z.abs() < 3.9, "{loops} for {expected}");
    }

    #[test]
    fn degrees_are_graphical_exactly_when_a_network_has_them() {
        for n in 1..=5usize {
            for code in 0..n.pow(n as u32) {
                let degrees: Vec<u32> = (0..n).map(|i| (code / n.pow(i as u32) % n) as u32).collect();
                if degrees.iter().sum::<u32>() % 2 == 1 || !degrees.is_sorted() {
                    continue;
                }
                let exists = !simple_networks(&degrees).is_empty();
                assert_eq!(is_graphical(&degrees), exists, "{degrees:?}");
                if exists {
                    let edges = sorted(&havel_hakimi(&degrees));
                    assert!(simple_networks(&degrees).contains(&edges), "{degrees:?}");
                }
            }
        }
    }
}
