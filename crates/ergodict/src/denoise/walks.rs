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
                || (vec![[0f32; LANES]; n], vec![[0f32; LANES]; n]),
                |(from, to), block| {
                    self.start(block.iter().map(|group| ends(group[0]).0), from);
                    for _ in 0..3 {
                        self.multiply(from, to);
                        std::mem::swap(from, to);
                    }
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

    /// For each node the pairs without an edge that walks of two steps join most, and those of three steps, so many of each: `RA` and `RW3` of the pairs, which are
    /// `√(d_u d_v) S²` and `√(d_u d_v) S³`. A pair is there once, however many of its ends it is foremost for; ascending.
    pub(crate) fn nearest(&self, each: usize) -> Vec<(u32, u32)> {
        let n = self.network.nodes();
        let sources: Vec<u32> = (0..n as u32).collect();
        let blocks: Vec<&[u32]> = sources.chunks(LANES).collect();
        let found: Vec<Vec<(u32, u32)>> = blocks
            .par_iter()
            .map_init(
                || (vec![[0f32; LANES]; n], vec![[0f32; LANES]; n], Vec::new()),
                |(from, to, row), block| {
                    self.start(block.iter().copied(), from);
                    let mut pairs = Vec::new();
                    for _ in 0..2 {
                        self.multiply(from, to);
                        std::mem::swap(from, to);
                        for (lane, &s) in block.iter().enumerate() {
                            self.foremost(from, lane, s, each, row);
                            pairs.extend(row.iter().map(|&(_, v)| (s.min(v), s.max(v))));
                        }
                    }
                    pairs
                },
            )
            .collect();
        let mut all = found.concat();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// `S e_s` of each source.
    fn start(&self, sources: impl Iterator<Item = u32>, into: &mut [Lanes]) {
        into.fill([0.0; LANES]);
        for (lane, s) in sources.enumerate() {
            for &a in self.network.neighbors(s as usize) {
                into[a as usize][lane] = self.roots[s as usize] * self.roots[a as usize];
            }
        }
    }

    /// The nodes that a source has most walks to and no edge with, with `√d_v` times their number.
    fn foremost(&self, x: &[Lanes], lane: usize, s: u32, each: usize, row: &mut Vec<(f32, u32)>) {
        row.clear();
        let reached = x.iter().zip(0u32..).filter(|(x, v)| x[lane] > 0.0 && *v != s);
        row.extend(reached.map(|(x, v)| (x[lane] / self.roots[v as usize], v)));
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

    /// `S x`.
    fn multiply(&self, x: &[Lanes], into: &mut [Lanes]) {
        Isa::detect().run(Multiply { walks: self, x, into });
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

/// The product of `S` and the numbers of all sources: a lane adds and multiplies in the same order under any instruction set.
struct Multiply<'a, 'n> {
    walks: &'a Walks<'n>,
    x: &'a [Lanes],
    into: &'a mut [Lanes],
}

impl WithSimd for Multiply<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { walks, x, into } = self;
        for (u, into) in into.iter_mut().enumerate() {
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
