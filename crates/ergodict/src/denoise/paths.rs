//! Short paths between the nodes of pairs: common neighbors, and sums over paths of three edges.
//!
//! | symbol | here | what |
//! |---|---|---|
//! | `A_ab` | weight of an edge | 1, or in (0, 1] for a network whose edges are re-weighted |
//! | `d_a` | degree | `Σ_b A_ab`: with weights the strength |
//! | `CN` | [`Paths::common`] | `Σ_a A_ua A_av` |
//! | `AA` | [`Paths::adamic_adar`] | the same with `1/ln max(d_a, 2)`; a common neighbor has `d_a ≥ 2` unless edges are re-weighted |
//! | `RA` | [`Paths::resource_allocation`] | with `1/d_a` |
//! | `A3`, `L3`, `RW3` | [`Paths::a3`], [`Paths::l3`], [`Paths::rw3`] | `Σ_{a,b} A_ua A_ab A_bv f(a) f(b)`, `f = 1, d^−½, d^−1` |
//! | `Q` | [`Paths::resemblance`] | `Σ_{b∼v} CN(u,b) d_b^−½` and `Σ_{a∼u} CN(v,a) d_a^−½`: how much each end resembles the neighbors of the other |
//! | `J` | [`Paths::jaccard`] | `CN/(d_u + d_v − CN)` |
//! | `PA` | [`Paths::preferential_attachment`] | `d_u d_v` |
//!
//! From a source `s` the sums `T_f(b) = Σ_a A_sa A_ab f(a)` over paths of two edges are spread into one vector for all `b`. They are `CN`, `AA` and `RA` of the pairs
//! `(s, b)`, and `Σ_b A_vb f(b) T_f(b)` is the sum over paths of three edges to `v`. A source serves all pairs it is in.
//!
//! With [`OwnEdge::Excluded`] a pair that is an edge is judged as if it were not there. Inner nodes are neither `u` nor `v` then, so only walks that use the edge
//! itself go, those with `a = v` or `b = u`, and `d_u` and `d_v` lose its weight; the degrees of inner nodes are what they were.

use crate::data::Network;
use crate::{Error, Result};
use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, IntoParallelRefIterator, ParallelIterator};

/// Whether the edge between the nodes of a pair, if there is one, counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum OwnEdge {
    /// It is taken out of all sums and of the degrees of both ends: for pairs that are to be judged by their surroundings.
    Excluded,
    /// It is an edge like any other: the sums are over walks, which may go through it to and fro.
    #[cfg(test)]
    Kept,
}

/// What is known of a pair by its paths.
///
/// With degrees `d`: `CN = Σ_a A_ua A_av`, `AA` and `RA` the same with `1/ln d_a` and `1/d_a`; `A3`, `L3`, `RW3` are `Σ_{a,b} A_ua A_ab A_bv f(a) f(b)` with
/// `f = 1, d^{−1/2}, d^{−1}`.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(crate) struct Paths {
    /// Common neighbors.
    pub common: f64,
    /// Adamic and Adar's sum.
    pub adamic_adar: f64,
    /// Resource allocation.
    pub resource_allocation: f64,
    /// Paths of three edges.
    pub a3: f64,
    /// The same, by roots of the inner degrees.
    pub l3: f64,
    /// The same, by the inner degrees: those of a random walk.
    pub rw3: f64,
    /// Common neighbors of `u` and each neighbor of `v`, by roots of the latter's degrees; and of `v` and the neighbors of `u`.
    pub resemblance: [f64; 2],
    /// `d_u` and `d_v`.
    pub degrees: [f64; 2],
}

impl Paths {
    /// Common neighbors among all neighbors; 0 when there are none.
    pub(crate) fn jaccard(&self) -> f64 {
        let all = self.degrees[0] + self.degrees[1] - self.common;
        if all > 0.0 { self.common / all } else { 0.0 }
    }

    /// The product of the degrees.
    pub(crate) fn preferential_attachment(&self) -> f64 {
        self.degrees[0] * self.degrees[1]
    }
}

/// Factors of a node: `1`, `d^−½`, `d^−1`, `1/ln max(d, 2)`.
type Factors = [f64; 4];

/// What is left of a sum when its only term is taken out, as a share of it: rounding, which must not break ties at 0.
const ROUNDING: f64 = 1e-12;

/// Computes [`Paths`] of pairs in one network.
#[derive(Debug)]
pub(crate) struct PairPaths<'a> {
    network: &'a Network,
    /// Of each entry of the rows; none when all are 1.
    weights: Option<Vec<f64>>,
    degrees: Vec<f64>,
    factors: Vec<Factors>,
}

impl<'a> PairPaths<'a> {
    /// Of a simple network.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a network that is not simple.
    pub(crate) fn new(network: &'a Network) -> Result<Self> {
        simple(network)?;
        let degrees = (0..network.nodes()).map(|u| network.neighbors(u).len() as f64).collect();
        Ok(Self::with(network, None, degrees))
    }

    /// Of a simple network with a weight in (0, 1] for each edge, in the order of [`Network::each_edge`].
    ///
    /// # Errors
    /// [`Error::Parameter`] for a network that is not simple or a weight out of range, [`Error::Shape`] for another number of weights.
    pub(crate) fn weighted(network: &'a Network, edge_weights: &[f64]) -> Result<Self> {
        simple(network)?;
        if edge_weights.len() as u64 != network.edges() {
            let expected = format!("one for each of the {} edges", network.edges());
            return Err(Error::shape("the weights", format!("{} long", edge_weights.len()), expected));
        }
        if let Some(weight) = edge_weights.iter().find(|w| !(**w > 0.0 && **w <= 1.0)) {
            return Err(Error::parameter(
                "the weight of an edge",
                weight,
                "it must be above 0 and at most 1",
            ));
        }
        let starts = &network.rows().starts;
        let mut weights = vec![0.0; network.stored() as usize];
        // Edges come by their first ends, so the entries of the second ends are met in the order of their rows.
        let mut next: Vec<usize> = (0..network.nodes()).map(|u| starts[u] as usize).collect();
        for ((u, v, _), &weight) in network.each_edge().zip(edge_weights) {
            for end in [u, v] {
                weights[next[end as usize]] = weight;
                next[end as usize] += 1;
            }
        }
        let degrees = (0..network.nodes()).map(|u| weights[network.rows().span(u)].iter().sum()).collect();
        Ok(Self::with(network, Some(weights), degrees))
    }

    fn with(network: &'a Network, weights: Option<Vec<f64>>, degrees: Vec<f64>) -> Self {
        let factors = degrees.iter().map(|&d| factors(d)).collect();
        Self { network, weights, degrees, factors }
    }

    /// The paths of each pair, in the order of the pairs.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a pair of a node with itself or with a node that does not exist.
    pub(crate) fn paths(&self, pairs: &[(u32, u32)], own_edge: OwnEdge) -> Result<Vec<Paths>> {
        check_pairs(self.network, pairs)?;
        let turned = self.turned(pairs);
        let mut order: Vec<u32> = (0..pairs.len() as u32).collect();
        let source = |at: u32| ends(pairs[at as usize], turned[at as usize]).0;
        order.sort_unstable_by_key(|&at| (source(at), at));
        let groups: Vec<&[u32]> = order.chunk_by(|&a, &b| source(a) == source(b)).collect();
        let n = self.network.nodes();
        let found: Vec<Vec<Paths>> = groups
            .par_iter()
            .with_max_len(64)
            .map_init(
                || vec![[0.0; 4]; n],
                |spread, group| {
                    let s = source(group[0]) as usize;
                    self.spread(s, spread);
                    let one = |&at: &u32| {
                        let target = ends(pairs[at as usize], turned[at as usize]).1;
                        let mut paths = self.gather(s, target as usize, spread, own_edge);
                        if turned[at as usize] {
                            paths.degrees.swap(0, 1);
                            paths.resemblance.swap(0, 1);
                        }
                        paths
                    };
                    let found = group.iter().map(one).collect();
                    self.clear(s, spread);
                    found
                },
            )
            .collect();
        let mut all = vec![Paths::default(); pairs.len()];
        for (group, found) in groups.iter().zip(&found) {
            group.iter().zip(found).for_each(|(&at, paths)| all[at as usize] = *paths);
        }
        Ok(all)
    }

    /// Whether the source of each pair is its second node: the one for which its share of the spreading, and the neighbors of the
    /// other, are fewer.
    fn turned(&self, pairs: &[(u32, u32)]) -> Vec<bool> {
        let mut uses = vec![0u32; self.network.nodes()];
        pairs.iter().for_each(|&(u, v)| {
            uses[u as usize] += 1;
            uses[v as usize] += 1;
        });
        let neighbors = |u: u32| self.network.neighbors(u as usize);
        let share: Vec<f64> = (0..self.network.nodes() as u32)
            .into_par_iter()
            .map(|u| {
                let steps: usize = neighbors(u).iter().map(|&a| neighbors(a).len()).sum();
                steps as f64 / f64::from(uses[u as usize].max(1))
            })
            .collect();
        let cost = |source: u32, target: u32| share[source as usize] + neighbors(target).len() as f64;
        pairs.iter().map(|&(u, v)| cost(v, u) < cost(u, v)).collect()
    }

    #[inline]
    fn weight(&self, entry: usize) -> f64 {
        self.weights.as_ref().map_or(1.0, |weights| weights[entry])
    }

    /// Adds `T_f(b)` of a source to a vector of zeros.
    fn spread(&self, s: usize, spread: &mut [Factors]) {
        let rows = self.network.rows();
        match &self.weights {
            None => {
                for &a in rows.neighbors(s) {
                    let factors = self.factors[a as usize];
                    for &b in rows.neighbors(a as usize) {
                        let sum = &mut spread[b as usize];
                        (0..4).for_each(|k| sum[k] += factors[k]);
                    }
                }
            }
            Some(weights) => {
                for (&a, first) in rows.neighbors(s).iter().zip(&weights[rows.span(s)]) {
                    let factors = self.factors[a as usize].map(|f| f * first);
                    for (&b, second) in rows.neighbors(a as usize).iter().zip(&weights[rows.span(a as usize)])
                    {
                        let sum = &mut spread[b as usize];
                        (0..4).for_each(|k| sum[k] += factors[k] * second);
                    }
                }
            }
        }
    }

    /// Makes zeros of what was spread.
    fn clear(&self, s: usize, spread: &mut [Factors]) {
        let neighbors = |u: u32| self.network.neighbors(u as usize);
        let steps: usize = neighbors(s as u32).iter().map(|&a| neighbors(a).len()).sum();
        if steps >= spread.len() / 4 {
            spread.fill([0.0; 4]);
        } else {
            for &a in neighbors(s as u32) {
                neighbors(a).iter().for_each(|&b| spread[b as usize] = [0.0; 4]);
            }
        }
    }

    /// What is known of a source and a target by what was spread from the source.
    fn gather(&self, s: usize, v: usize, spread: &[Factors], own_edge: OwnEdge) -> Paths {
        let rows = self.network.rows();
        let row = rows.span(v);
        let mut degrees = [self.degrees[s], self.degrees[v]];
        let own = match own_edge {
            #[cfg(test)]
            OwnEdge::Kept => None,
            OwnEdge::Excluded => rows.neighbors(v).binary_search(&(s as u32)).ok(),
        };
        // By equal factors of both inner nodes, then `1` of one and `d^−½` of the other.
        let (mut sums, mut mixed) = ([0.0; 4], [0.0; 2]);
        if let Some(at) = own {
            // Every T(b) has the walk s–v–b in it, which goes.
            let weight = self.weight(row.start + at);
            let through = self.factors[v].map(|f| f * weight);
            for (i, &b) in rows.neighbors(v).iter().enumerate() {
                if i == at {
                    continue;
                }
                let (factors, spread) = (&self.factors[b as usize], &spread[b as usize]);
                let second = self.weight(row.start + i);
                let rest: [f64; 3] = std::array::from_fn(|k| {
                    let rest = spread[k] - through[k] * second;
                    if rest > ROUNDING * spread[k] { second * rest } else { 0.0 }
                });
                (0..3).for_each(|k| sums[k] += factors[k] * rest[k]);
                mixed[0] += factors[1] * rest[0];
                mixed[1] += factors[0] * rest[1];
            }
            for degree in &mut degrees {
                // An end whose only edge this is has none; sums of weights would leave rounding.
                *degree = if *degree - weight > ROUNDING * *degree { *degree - weight } else { 0.0 };
            }
        } else if self.weights.is_none() {
            for &b in rows.neighbors(v) {
                let (factors, spread) = (&self.factors[b as usize], &spread[b as usize]);
                (0..4).for_each(|k| sums[k] += factors[k] * spread[k]);
                mixed[0] += factors[1] * spread[0];
                mixed[1] += factors[0] * spread[1];
            }
        } else {
            for (i, &b) in rows.neighbors(v).iter().enumerate() {
                let (factors, spread) = (&self.factors[b as usize], &spread[b as usize]);
                let second = self.weight(row.start + i);
                (0..4).for_each(|k| sums[k] += second * factors[k] * spread[k]);
                mixed[0] += second * factors[1] * spread[0];
                mixed[1] += second * factors[0] * spread[1];
            }
        }
        let [common, _, resource_allocation, adamic_adar] = spread[v];
        let [a3, l3, rw3, _] = sums;
        Paths { common, adamic_adar, resource_allocation, a3, l3, rw3, resemblance: mixed, degrees }
    }
}

/// The paths of two edges of each pair, [`OwnEdge::Excluded`], straight from the rows of its nodes: the same numbers as those of
/// [`PairPaths::paths`], without a table of the nodes. Those of three edges are left at 0.
///
/// # Errors
/// [`Error::Parameter`] for a network that is not simple, for a pair of a node with itself or with a node that does not exist.
pub(super) fn common(network: &Network, pairs: &[(u32, u32)]) -> Result<Vec<Paths>> {
    simple(network)?;
    check_pairs(network, pairs)?;
    let neighbors = |u: u32| network.neighbors(u as usize);
    let of = |&(u, v): &(u32, u32)| {
        let own = if neighbors(u).binary_search(&v).is_ok() { 1.0 } else { 0.0 };
        let degrees = [u, v].map(|end| neighbors(end).len() as f64 - own);
        let (few, mut many) = if neighbors(u).len() < neighbors(v).len() {
            (neighbors(u), neighbors(v))
        } else {
            (neighbors(v), neighbors(u))
        };
        let mut sums = [0.0; 4];
        // By ascending neighbors, as they are added up elsewhere.
        for &a in few {
            let at = many.partition_point(|&b| b < a);
            many = &many[at..];
            if many.first() == Some(&a) {
                let factors = factors(neighbors(a).len() as f64);
                (0..4).for_each(|k| sums[k] += factors[k]);
            }
        }
        let [common, _, resource_allocation, adamic_adar] = sums;
        Paths { common, adamic_adar, resource_allocation, degrees, ..Paths::default() }
    };
    Ok(pairs.par_iter().with_min_len(64).map(of).collect())
}

/// What a node of degree `d` on a path counts; isolated ones are on none.
fn factors(d: f64) -> Factors {
    if d > 0.0 { [1.0, 1.0 / d.sqrt(), 1.0 / d, 1.0 / d.max(2.0).ln()] } else { [0.0; 4] }
}

/// A pair as source and target.
fn ends((u, v): (u32, u32), turned: bool) -> (u32, u32) {
    if turned { (v, u) } else { (u, v) }
}

/// Refuses networks that are not simple.
pub(super) fn simple(network: &Network) -> Result<()> {
    if network.is_simple() {
        return Ok(());
    }
    let found = match (network.is_directed(), network.is_weighted()) {
        (true, _) => "directed",
        (_, true) => "weighted",
        _ => "one with loops",
    };
    Err(Error::parameter("the network", found, "denoising needs a simple one"))
}

/// Refuses pairs that are none.
pub(super) fn check_pairs(network: &Network, pairs: &[(u32, u32)]) -> Result<()> {
    let n = network.nodes();
    match pairs.iter().find(|(u, v)| u == v || u.max(v) >= &(n as u32)) {
        None => Ok(()),
        Some((u, v)) => {
            let expected = format!("it must be of two different nodes from 0 to {}", n.saturating_sub(1));
            Err(Error::parameter("a pair", format!("({u}, {v})"), expected))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, stream, uniform};

    /// By definition: a matrix of weights, the edge taken out of it.
    fn naive(n: usize, a: &[Vec<f64>], (u, v): (usize, usize), own_edge: OwnEdge) -> Paths {
        let mut a = a.to_vec();
        if own_edge == OwnEdge::Excluded {
            (a[u][v], a[v][u]) = (0.0, 0.0);
        }
        let d: Vec<f64> = a.iter().map(|row| row.iter().sum()).collect();
        let mut paths = Paths { degrees: [d[u], d[v]], ..Paths::default() };
        for x in 0..n {
            let two = a[u][x] * a[x][v];
            if two > 0.0 {
                paths.common += two;
                paths.adamic_adar += two / d[x].max(2.0).ln();
                paths.resource_allocation += two / d[x];
            }
            for y in 0..n {
                let three = a[u][x] * a[x][y] * a[y][v];
                if three > 0.0 {
                    paths.a3 += three;
                    paths.l3 += three / (d[x] * d[y]).sqrt();
                    paths.rw3 += three / (d[x] * d[y]);
                    paths.resemblance[0] += three / d[y].sqrt();
                    paths.resemblance[1] += three / d[x].sqrt();
                }
            }
        }
        paths
    }

    fn numbers(p: &Paths) -> [f64; 10] {
        let ([du, dv], [near_u, near_v]) = (p.degrees, p.resemblance);
        [p.common, p.adamic_adar, p.resource_allocation, p.a3, p.l3, p.rw3, near_u, near_v, du, dv]
    }

    #[test]
    fn paths_of_two_edges_need_no_table() {
        let lesmis = crate::data::embedded("@lesmis").unwrap().unweighted();
        let n = lesmis.nodes() as u32;
        let pairs: Vec<(u32, u32)> =
            (0..n).flat_map(|u| (0..n).map(move |v| (u, v))).filter(|(u, v)| u != v).collect();
        let all = PairPaths::new(&lesmis).unwrap().paths(&pairs, OwnEdge::Excluded).unwrap();
        for (one, two) in all.iter().zip(common(&lesmis, &pairs).unwrap()) {
            assert_eq!(Paths { a3: 0.0, l3: 0.0, rw3: 0.0, resemblance: [0.0; 2], ..*one }, two);
        }
        assert!(common(&lesmis, &[(3, 3)]).is_err() && common(&lesmis, &[(3, n)]).is_err());
    }

    #[test]
    fn sums_are_those_of_the_definition() {
        for (seed, n, p) in [(0, 9, 0.3), (1, 14, 0.5), (2, 25, 0.15), (3, 6, 1.0), (4, 30, 0.08)] {
            let mut rng = stream(seed, Purpose::Synthetic, 93);
            let mut edges = Vec::new();
            for u in 0..n as u32 {
                for v in u + 1..n as u32 {
                    if uniform(&mut rng) < p {
                        edges.push((u, v));
                    }
                }
            }
            let network = Network::simple(n, &edges).unwrap();
            let random: Vec<f64> = edges.iter().map(|_| 1.0 - uniform(&mut rng)).collect();
            // In either order, and some twice.
            let mut pairs: Vec<(u32, u32)> = (0..n as u32)
                .flat_map(|u| (0..n as u32).map(move |v| (u, v)))
                .filter(|p| p.0 != p.1)
                .collect();
            pairs.extend_from_within(..5);
            for weights in [None, Some(&random)] {
                let mut a = vec![vec![0.0; n]; n];
                for (i, &(u, v)) in edges.iter().enumerate() {
                    let weight = weights.map_or(1.0, |w| w[i]);
                    (a[u as usize][v as usize], a[v as usize][u as usize]) = (weight, weight);
                }
                let paths = match weights {
                    None => PairPaths::new(&network).unwrap(),
                    Some(weights) => PairPaths::weighted(&network, weights).unwrap(),
                };
                for own_edge in [OwnEdge::Kept, OwnEdge::Excluded] {
                    let found = paths.paths(&pairs, own_edge).unwrap();
                    for (&(u, v), found) in pairs.iter().zip(&found) {
                        let wanted = naive(n, &a, (u as usize, v as usize), own_edge);
                        for (found, wanted) in numbers(found).iter().zip(numbers(&wanted)) {
                            // Zeros are zeros: ties at 0 must stay ties.
                            assert!(
                                (found - wanted).abs() <= 1e-11 * wanted,
                                "{u} {v} {own_edge:?}: {found} for {wanted}"
                            );
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn few_pairs_and_many_give_the_same() {
        let edges: Vec<(u32, u32)> = (0..60u32)
            .flat_map(|u| [(u, (u * 7 + 1) % 60), (u, (u * u + 3) % 60)])
            .filter(|e| e.0 != e.1)
            .collect();
        let network = Network::simple(60, &edges).unwrap();
        let paths = PairPaths::new(&network).unwrap();
        let pairs: Vec<(u32, u32)> = (0..60).flat_map(|u| (0..u).map(move |v| (u, v))).collect();
        let all = paths.paths(&pairs, OwnEdge::Excluded).unwrap();
        for at in (0..pairs.len()).step_by(97) {
            let one = paths.paths(&pairs[at..=at], OwnEdge::Excluded).unwrap()[0];
            for (a, b) in numbers(&one).iter().zip(numbers(&all[at])) {
                assert!((a - b).abs() <= 1e-12 * b);
            }
        }
        let ones = vec![1.0; network.edges() as usize];
        let weighted =
            PairPaths::weighted(&network, &ones).unwrap().paths(&pairs, OwnEdge::Excluded).unwrap();
        assert_eq!(all, weighted);
    }

    #[test]
    fn closed_cases_and_refusals() {
        // An edge with nothing around it, judged without itself; and an isolated node.
        let network = Network::simple(3, &[(0, 1)]).unwrap();
        let paths = PairPaths::new(&network).unwrap();
        let found = paths.paths(&[(0, 1), (1, 2)], OwnEdge::Excluded).unwrap();
        assert_eq!(found[0], Paths::default());
        assert_eq!((found[0].jaccard(), found[0].preferential_attachment()), (0.0, 0.0));
        assert_eq!(found[1], Paths { degrees: [1.0, 0.0], ..Paths::default() });
        // u–v–u–v is a walk of three edges.
        assert_eq!(paths.paths(&[(0, 1)], OwnEdge::Kept).unwrap()[0].a3, 1.0);
        assert!(
            paths.paths(&[(1, 1)], OwnEdge::Kept).is_err() && paths.paths(&[(0, 3)], OwnEdge::Kept).is_err()
        );
        assert!(paths.paths(&[], OwnEdge::Kept).unwrap().is_empty());
        let told = |weights: &[f64], text: &str| {
            let message = PairPaths::weighted(&network, weights).unwrap_err().to_string();
            assert!(message.contains(text), "{message}");
        };
        told(&[], "one for each of the 1 edges");
        told(&[0.0], "above 0");
        told(&[f64::NAN], "above 0");
    }
}
