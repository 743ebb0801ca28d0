//! Random walks of five steps between the nodes of pairs, by their symmetric law.
//!
//! | symbol | here | what |
//! |---|---|---|
//! | `S` | [`Walks`] | `D^−½ A D^−½`, with `D` the degrees |
//! | `(S⁵)_uv` | [`Walks::excess`] | walks of five steps from `u` to `v` by the inner degrees, divided by `√(d_u d_v)/Σd`, to which long walks tend |
//!
//! From a source `s` the vectors `S e_s, S² e_s, …, S⁴ e_s` are dense soon, so that [`LANES`] sources are multiplied at once: the numbers of a node are then one cache line. The source of
//! a pair is its end of higher degree, and every source has a lane of its own: the result does not depend on which other pairs are asked for. For a pair without an edge; the walks of an
//! edge would go through it.

use super::paths::{check_pairs, simple};
use crate::Result;
use crate::data::Network;
use crate::linalg::Isa;
use crate::linalg::simd::{Simd, WithSimd};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

/// Sources at a time.
const LANES: usize = 16;

/// The numbers of a node, one of each source.
type Lanes = [f32; LANES];

/// Computes walks in one simple network.
#[derive(Debug)]
pub(crate) struct Walks<'a> {
    network: &'a Network,
    /// `d^−½`; 0 for a node without neighbors.
    roots: Vec<f32>,
}

impl<'a> Walks<'a> {
    /// Products of numbers that all sources of a network take.
    pub(crate) fn cost(network: &Network) -> f64 {
        network.nodes() as f64 * network.stored() as f64
    }

    /// Of a simple network.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) for a network that is not simple.
    pub(crate) fn new(network: &'a Network) -> Result<Self> {
        simple(network)?;
        let root = |u: usize| match network.neighbors(u).len() {
            0 => 0.0,
            d => 1.0 / (d as f32).sqrt(),
        };
        Ok(Self { network, roots: (0..network.nodes()).map(root).collect() })
    }

    /// How many more walks of five steps join each pair than a walk that has forgotten where it began would.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) for a pair of a node with itself or with a node that does not exist.
    pub(crate) fn excess(&self, pairs: &[(u32, u32)]) -> Result<Vec<f64>> {
        check_pairs(self.network, pairs)?;
        let degree = |u: u32| self.network.neighbors(u as usize).len();
        let ends = |at: u32| {
            let (u, v) = pairs[at as usize];
            if (degree(u), v) > (degree(v), u) { (u, v) } else { (v, u) }
        };
        let mut order: Vec<u32> = (0..pairs.len() as u32).collect();
        order.sort_unstable_by_key(|&at| (ends(at).0, at));
        let sources: Vec<&[u32]> = order.chunk_by(|&a, &b| ends(a).0 == ends(b).0).collect();
        let blocks: Vec<&[&[u32]]> = sources.chunks(LANES).collect();
        let n = self.network.nodes();
        let found: Vec<Vec<f64>> = blocks
            .par_iter()
            .map_init(
                || (vec![[0f32; LANES]; n], vec![[0f32; LANES]; n], vec![false; n]),
                |(from, to, wanted), block| {
                    let sources: Vec<u32> = block.iter().map(|group| ends(group[0]).0).collect();
                    self.two_steps(&sources, from, to);
                    self.multiply(from, to, |_| true);
                    // Of the fourth step no more than what the last one begins at.
                    wanted.fill(false);
                    for &at in block.iter().copied().flatten() {
                        self.network
                            .neighbors(ends(at).1 as usize)
                            .iter()
                            .for_each(|&b| wanted[b as usize] = true);
                    }
                    self.multiply(to, from, |u| wanted[u]);
                    let one = |(lane, at): (usize, u32)| {
                        let (s, v) = ends(at);
                        self.last(from, lane, s as usize, v as usize)
                    };
                    let each = block
                        .iter()
                        .enumerate()
                        .flat_map(|(lane, group)| group.iter().map(move |&at| (lane, at)));
                    each.map(one).collect()
                },
            )
            .collect();
        let mut all = vec![0.0; pairs.len()];
        order.iter().zip(found.iter().flatten()).for_each(|(&at, &excess)| all[at as usize] = excess);
        Ok(all)
    }

    /// For each node the pairs without an edge that walks of two steps join most, and those of three steps, `each` of both: `RA` and `RW3` of the pairs, which are
    /// `√(d_u d_v) S²` and `√(d_u d_v) S³`. A pair is there once, however many of its ends it is foremost for; ascending.
    pub(crate) fn nearest(&self, each: usize) -> Vec<(u32, u32)> {
        let n = self.network.nodes();
        let neighbors = |u: u32| self.network.neighbors(u as usize);
        let walks = |steps: &[u64], u: u32| neighbors(u).iter().map(|&a| steps[a as usize]).sum::<u64>();
        let of_all = |steps: &[u64]| -> Vec<u64> { (0..n as u32).map(|u| walks(steps, u)).collect() };
        let two = of_all(&(0..n as u32).map(|u| neighbors(u).len() as u64).collect::<Vec<_>>());
        // Where few walks leave a node they are followed; else a step of all nodes is cheaper, as it serves many sources.
        let dense = self.network.stored() / 8 + n as u64;
        let (few, many): (Vec<u32>, Vec<u32>) = (0..n as u32).partition(|&s| walks(&two, s) <= dense);
        let followed = few.par_iter().map_init(
            || (Reached::new(n), Reached::new(n), Vec::new()),
            |(now, next, row), &s| {
                let mut pairs = Vec::new();
                now.add(s, 1.0);
                for steps in 1..4 {
                    self.follow(now, next);
                    std::mem::swap(now, next);
                    if steps > 1 {
                        let reached = now.nodes.iter().map(|&v| (now.values[v as usize], v));
                        self.foremost(reached, s, each, row);
                        pairs.extend(row.iter().map(|&(_, v)| (s.min(v), s.max(v))));
                    }
                }
                now.clear();
                pairs
            },
        );
        let mut all = followed.collect::<Vec<_>>().concat();
        let blocks: Vec<&[u32]> = many.chunks(LANES).collect();
        let multiplied = blocks.par_iter().map_init(
            || (vec![[0f32; LANES]; n], vec![[0f32; LANES]; n], Vec::new()),
            |(from, to, row), block| {
                let mut pairs = Vec::new();
                self.two_steps(block, from, to);
                self.multiply(from, to, |_| true);
                for x in [&*from, &*to] {
                    for (lane, &s) in block.iter().enumerate() {
                        let reached = x.iter().zip(0u32..).map(|(x, v)| (x[lane], v));
                        self.foremost(reached, s, each, row);
                        pairs.extend(row.iter().map(|&(_, v)| (s.min(v), s.max(v))));
                    }
                }
                pairs
            },
        );
        all.extend(multiplied.collect::<Vec<_>>().concat());
        all.sort_unstable();
        all.dedup();
        all
    }

    /// `S x` of the nodes reached; `x` is empty then.
    fn follow(&self, x: &mut Reached, into: &mut Reached) {
        // In ascending order, as the product has it.
        x.nodes.sort_unstable();
        for &a in &x.nodes {
            let step = self.roots[a as usize] * x.values[a as usize];
            self.network.neighbors(a as usize).iter().for_each(|&u| into.add(u, step));
        }
        into.nodes.iter().for_each(|&u| into.values[u as usize] *= self.roots[u as usize]);
        x.clear();
    }

    /// `S² e_s` of each source, in `into`. Where sources have few walks these are followed one by one; both ways add the same numbers in the same order.
    fn two_steps(&self, sources: &[u32], into: &mut Vec<Lanes>, other: &mut Vec<Lanes>) {
        let neighbors = |u: u32| self.network.neighbors(u as usize);
        let walks: usize = sources.iter().flat_map(|&s| neighbors(s)).map(|&a| neighbors(a).len()).sum();
        into.fill([0.0; LANES]);
        let followed = walks as u64 <= self.network.stored();
        for (lane, &s) in sources.iter().enumerate() {
            for &a in neighbors(s) {
                let one = self.roots[s as usize] * self.roots[a as usize];
                if followed {
                    let two = self.roots[a as usize] * one;
                    neighbors(a).iter().for_each(|&u| into[u as usize][lane] += two);
                } else {
                    into[a as usize][lane] = one;
                }
            }
        }
        if followed {
            let scaled = into.iter_mut().zip(&self.roots);
            scaled.for_each(|(lanes, root)| lanes.iter_mut().for_each(|x| *x *= root));
        } else {
            self.multiply(into, other, |_| true);
            std::mem::swap(into, other);
        }
    }

    /// The nodes that a source has most walks to and no edge with, with `√d_v` times their number.
    fn foremost(
        &self,
        reached: impl Iterator<Item = (f32, u32)>,
        s: u32,
        each: usize,
        row: &mut Vec<(f32, u32)>,
    ) {
        row.clear();
        let others = reached.filter(|(x, v)| *x > 0.0 && *v != s);
        row.extend(others.map(|(x, v)| (x / self.roots[v as usize], v)));
        let neighbors = self.network.neighbors(s as usize);
        let descending = |a: &(f32, u32), b: &(f32, u32)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
        // Its neighbors, of which there may be many, are among those with most walks.
        let most = each + neighbors.len();
        if row.len() > most {
            row.select_nth_unstable_by(most, descending);
            row.truncate(most);
        }
        row.retain(|(_, v)| neighbors.binary_search(v).is_err());
        row.sort_unstable_by(descending);
        row.truncate(each);
    }

    /// `S x` of the nodes that are wanted.
    fn multiply(&self, x: &[Lanes], into: &mut [Lanes], wanted: impl Fn(usize) -> bool) {
        Isa::detect().run(Multiply { walks: self, x, into, wanted });
    }

    /// The last step to `v`, relative to `√(d_s d_v)/Σd`.
    fn last(&self, x: &[Lanes], lane: usize, s: usize, v: usize) -> f64 {
        let neighbors = self.network.neighbors(v);
        let sum: f64 = neighbors
            .iter()
            .map(|&b| f64::from(self.roots[b as usize]) * f64::from(x[b as usize][lane]))
            .sum();
        let degrees = (neighbors.len() * self.network.neighbors(s).len()) as f64;
        // The root of d_v is in the step and in what it is divided by.
        if degrees > 0.0 {
            sum / (neighbors.len() as f64 * (self.network.neighbors(s).len() as f64).sqrt())
                * self.network.stored() as f64
        } else {
            0.0
        }
    }
}

/// Numbers of the nodes that walks have reached.
struct Reached {
    /// 0 of all others.
    values: Vec<f32>,
    nodes: Vec<u32>,
}

impl Reached {
    fn new(nodes: usize) -> Self {
        Self { values: vec![0.0; nodes], nodes: Vec::new() }
    }

    /// Adds a number above 0.
    fn add(&mut self, node: u32, value: f32) {
        let sum = &mut self.values[node as usize];
        if *sum == 0.0 {
            self.nodes.push(node);
        }
        *sum += value;
    }

    fn clear(&mut self) {
        self.nodes.iter().for_each(|&node| self.values[node as usize] = 0.0);
        self.nodes.clear();
    }
}

/// The product of `S` and the numbers of all sources: a lane adds and multiplies in the same order under any instruction set.
struct Multiply<'a, 'n, F> {
    walks: &'a Walks<'n>,
    x: &'a [Lanes],
    into: &'a mut [Lanes],
    wanted: F,
}

impl<F: Fn(usize) -> bool> WithSimd for Multiply<'_, '_, F> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { walks, x, into, wanted } = self;
        for (u, into) in into.iter_mut().enumerate().filter(|(u, _)| wanted(*u)) {
            let mut sum = [0f32; LANES];
            for &a in walks.network.neighbors(u) {
                let (x, root) = (&x[a as usize], walks.roots[a as usize]);
                (0..LANES).for_each(|k| sum[k] += root * x[k]);
            }
            (0..LANES).for_each(|k| into[k] = walks.roots[u] * sum[k]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::embedded;

    #[test]
    fn walks_are_those_of_the_fifth_power() {
        for name in ["karate", "lesmis"] {
            let network = embedded(name).unwrap().to_simple();
            let n = network.nodes();
            let degree = |u: usize| network.neighbors(u).len() as f64;
            let step = |x: &[f64]| -> Vec<f64> {
                let one = |u: usize| {
                    let term = |&a: &u32| x[a as usize] / (degree(u) * degree(a as usize)).sqrt();
                    network.neighbors(u).iter().map(term).sum()
                };
                (0..n).map(one).collect()
            };
            let pairs = crate::denoise::non_edges(&network);
            let found = Walks::new(&network).unwrap().excess(&pairs).unwrap();
            for (&(u, v), found) in pairs.iter().zip(&found) {
                let mut x = vec![0.0; n];
                x[u as usize] = 1.0;
                for _ in 0..5 {
                    x = step(&x);
                }
                let tends = (degree(u as usize) * degree(v as usize)).sqrt() / network.stored() as f64;
                let wanted = x[v as usize] / tends;
                assert!((found - wanted).abs() < 1e-5 * wanted, "{u} {v}: {found} for {wanted}");
            }
            // One pair alone gives the same bits.
            for at in (0..pairs.len()).step_by(131) {
                assert_eq!(Walks::new(&network).unwrap().excess(&pairs[at..=at]).unwrap()[0], found[at]);
            }
        }
    }

    #[test]
    fn the_nearest_pairs_are_those_of_most_walks() {
        use crate::denoise::paths::{OwnEdge, PairPaths};
        let network = embedded("lesmis").unwrap().to_simple();
        let all = crate::denoise::non_edges(&network);
        let paths = PairPaths::new(&network).unwrap().paths(&all, OwnEdge::Excluded).unwrap();
        let near = Walks::new(&network).unwrap().nearest(4);
        assert!(near.is_sorted() && near.iter().all(|pair| all.binary_search(pair).is_ok()));
        for s in 0..network.nodes() as u32 {
            let own = |number: fn(&crate::denoise::paths::Paths) -> f64| -> (f64, Vec<(u32, u32)>) {
                let mut found: Vec<(f64, (u32, u32))> = all
                    .iter()
                    .zip(&paths)
                    .filter(|((u, v), _)| *u == s || *v == s)
                    .map(|(&pair, paths)| (number(paths), pair))
                    .filter(|(number, _)| *number > 0.0)
                    .collect();
                found.sort_by(|a, b| b.0.total_cmp(&a.0));
                let fourth = found.get(3).map_or(0.0, |found| found.0);
                // Those clearly among the first four must be there.
                (
                    fourth,
                    found.into_iter().filter(|(x, _)| *x > fourth * (1.0 + 1e-5)).map(|(_, p)| p).collect(),
                )
            };
            for number in [
                |p: &crate::denoise::paths::Paths| p.resource_allocation,
                |p: &crate::denoise::paths::Paths| p.rw3,
            ] {
                for pair in own(number).1 {
                    assert!(near.binary_search(&pair).is_ok(), "{pair:?}");
                }
            }
        }
    }

    #[test]
    fn nodes_without_neighbors_have_no_walks() {
        let network = Network::simple(4, &[(0, 1)]).unwrap();
        assert_eq!(Walks::new(&network).unwrap().excess(&[(2, 3), (0, 2), (3, 1)]).unwrap(), [0.0; 3]);
        assert!(Walks::new(&network).unwrap().excess(&[(1, 1)]).is_err());
    }
}
