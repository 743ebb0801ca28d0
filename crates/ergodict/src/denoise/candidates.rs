//! Pairs to be scored, and the order in which scores matter.

use super::missing::MOST_WALKS;
use super::paths::simple;
use super::walks::Walks;
use crate::Result;
use crate::data::Network;
use rayon::iter::{IntoParallelIterator, ParallelIterator};

/// Pairs of a node, at least and most, by each kind of walk.
const EACH: (usize, usize) = (4, 64);

/// Pairs without an edge that missing edges are looked for among.
///
/// ```
/// use ergodict::denoise::Candidates;
/// let karate = ergodict::data::embedded("karate")?;
/// let found = Candidates::new(&karate)?;
/// assert_eq!((found.pairs.len(), found.is_all()), (483, true)); // so few are all looked at
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Candidates {
    /// They, by ascending nodes.
    pub pairs: Vec<(u32, u32)>,
    /// All pairs without an edge.
    pub non_edges: u64,
    /// Where these are too many, the longest distance of a candidate's nodes.
    pub distance: Option<usize>,
}

impl Candidates {
    /// Networks with at most this number of pairs without an edge have all of them scored, larger ones about this number.
    pub const MOST: u64 = 2_000_000;

    /// All pairs without an edge where these are few. Otherwise, for each node, those with the most walks of two steps (by `RA`) and of three (by `RW3`); on networks so large that walks of three
    /// steps from every node take too long, those of two steps.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) for a network that is not simple.
    pub fn new(network: &Network) -> Result<Self> {
        simple(network)?;
        let there = crate::data::non_edges::number(network);
        if there <= Self::MOST {
            return Ok(Self { pairs: non_edges(network), non_edges: there, distance: None });
        }
        let each = (Self::MOST as usize / network.nodes()).clamp(EACH.0, EACH.1);
        let (pairs, distance) = if Walks::cost(network) <= MOST_WALKS {
            (Walks::new(network)?.nearest(each), 3)
        } else {
            (two_steps(network, each), 2)
        };
        Ok(Self { pairs, non_edges: there, distance: Some(distance) })
    }

    /// Where these are not all pairs without an edge, which they are.
    pub fn note(&self) -> Option<String> {
        self.distance.map(|distance| {
            format!(
                "{} of {} pairs without an edge are candidates: for each node those that walks of at most {distance} steps join most",
                self.pairs.len(),
                self.non_edges
            )
        })
    }

    /// Whether these are all pairs without an edge.
    pub fn is_all(&self) -> bool {
        self.distance.is_none()
    }
}

/// For each node the pairs without an edge of the highest resource allocation; a pair once.
fn two_steps(network: &Network, each: usize) -> Vec<(u32, u32)> {
    let n = network.nodes();
    let neighbors = |u: u32| network.neighbors(u as usize);
    let found: Vec<Vec<(u32, u32)>> = (0..n as u32)
        .into_par_iter()
        .map_init(
            || (vec![0f32; n], Vec::new()),
            |(sums, reached), s| {
                for &a in neighbors(s) {
                    let share = 1.0 / neighbors(a).len() as f32;
                    for &b in neighbors(a) {
                        if sums[b as usize] == 0.0 {
                            reached.push(b);
                        }
                        sums[b as usize] += share;
                    }
                }
                let mut row: Vec<(f32, u32)> = reached.iter().map(|&b| (sums[b as usize], b)).collect();
                reached.drain(..).for_each(|b| sums[b as usize] = 0.0);
                row.retain(|(_, b)| *b != s && neighbors(s).binary_search(b).is_err());
                let descending = |a: &(f32, u32), b: &(f32, u32)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
                if row.len() > each {
                    row.select_nth_unstable_by(each, descending);
                    row.truncate(each);
                }
                row.into_iter().map(|(_, b)| (s.min(b), s.max(b))).collect()
            },
        )
        .collect();
    let mut all = found.concat();
    all.sort_unstable();
    all.dedup();
    all
}

/// All pairs of an undirected network without an edge, by ascending nodes; a node is no pair with itself.
///
/// ```
/// use ergodict::{data::Network, denoise::non_edges};
/// let path = Network::simple(4, &[(0, 1), (1, 2), (2, 3)])?;
/// assert_eq!(non_edges(&path), [(0, 2), (0, 3), (1, 3)]);
/// # Ok::<(), ergodict::Error>(())
/// ```
pub fn non_edges(network: &Network) -> Vec<(u32, u32)> {
    let n = network.nodes() as u64;
    let pairs = (n * n.saturating_sub(1) / 2).saturating_sub(network.edges());
    let mut all = Vec::with_capacity(usize::try_from(pairs).unwrap_or(0));
    for u in 0..network.nodes() {
        let mut next = network.neighbors(u).iter().peekable();
        for v in u as u32 + 1..network.nodes() as u32 {
            while next.next_if(|&&w| w < v).is_some() {}
            if next.next_if(|&&w| w == v).is_none() {
                all.push((u as u32, v));
            }
        }
    }
    all
}

/// The pairs that matter most first: high scores where edges are missing, low ones where there are false ones. Ties stay in order, and pairs
/// without a score (NaN) are last.
///
/// ```
/// use ergodict::denoise::order;
/// assert_eq!(order(&[0.2, 0.9, 0.5], true), [1, 2, 0]);
/// assert_eq!(order(&[0.2, 0.9, 0.5], false), [0, 2, 1]);
/// assert_eq!(order(&[f64::NAN, -0.9, 0.5], true), [2, 1, 0]);
/// assert_eq!(order(&[f64::NAN, -0.9, 0.5], false), [1, 2, 0]);
/// ```
pub fn order(scores: &[f64], likely: bool) -> Vec<usize> {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    let by = |a: usize, b: usize| scores[a].total_cmp(&scores[b]);
    let none = |row: usize| scores[row].is_nan();
    order.sort_by(|&a, &b| none(a).cmp(&none(b)).then_with(|| if likely { by(b, a) } else { by(a, b) }));
    order
}

/// What speaks for a pair at a glance: the degrees of its nodes in a simple network, and their common neighbors.
///
/// ```
/// let karate = ergodict::data::embedded("karate")?;
/// assert_eq!(ergodict::denoise::evidence(&karate, (0, 33)), [16, 17, 4]);
/// # Ok::<(), ergodict::Error>(())
/// ```
pub fn evidence(network: &Network, (u, v): (u32, u32)) -> [usize; 3] {
    let (a, b) = (network.neighbors(u as usize), network.neighbors(v as usize));
    let (few, many) = if a.len() < b.len() { (a, b) } else { (b, a) };
    [a.len(), b.len(), few.iter().filter(|w| many.binary_search(w).is_ok()).count()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::embedded;

    #[test]
    fn two_steps_reach_the_pairs_with_the_highest_resource_allocation() {
        let lesmis = embedded("lesmis").unwrap().to_simple();
        let all = non_edges(&lesmis);
        let allocation: Vec<f64> = super::super::paths::common(&lesmis, &all)
            .unwrap()
            .iter()
            .map(|p| p.resource_allocation)
            .collect();
        let first: Vec<(u32, u32)> =
            order(&allocation, true).into_iter().take(10).map(|at| all[at]).collect();
        let found = two_steps(&lesmis, 10);
        assert!(found.is_sorted() && first.iter().all(|pair| found.binary_search(pair).is_ok()));
        assert!(found.len() < all.len() && found.iter().all(|pair| all.binary_search(pair).is_ok()));
    }

    #[test]
    fn two_steps_keep_the_best_of_each_node_in_order() {
        for (name, each) in [("karate", 1), ("karate", 3), ("lesmis", 5), ("lesmis", 1000)] {
            let network = embedded(name).unwrap().to_simple();
            let neighbors = |u: u32| network.neighbors(u as usize);
            let mut expected = Vec::new();
            for s in 0..network.nodes() as u32 {
                let allocation = |b: u32| -> f32 {
                    let common = neighbors(s).iter().filter(|&&a| neighbors(a).contains(&b));
                    common.map(|&a| 1.0 / neighbors(a).len() as f32).sum()
                };
                let others = (0..network.nodes() as u32).filter(|b| *b != s && !neighbors(s).contains(b));
                let mut row: Vec<(f32, u32)> =
                    others.map(|b| (allocation(b), b)).filter(|pair| pair.0 > 0.0).collect();
                row.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
                expected.extend(row.into_iter().take(each).map(|(_, b)| (s.min(b), s.max(b))));
            }
            expected.sort_unstable();
            expected.dedup();
            assert_eq!(two_steps(&network, each), expected, "{name}, {each}");
        }
    }
}
