//! Densities of motifs in a network: the share of all maps that are homomorphisms, weights counted.
//!
//! | symbol | here | where |
//! |---|---|---|
//! | `t(F,𝒢) = n^{−k} Σ_x Π_{(i,j) ∈ F} A(x(i),x(j))` | [`Density`], by its logarithm | Lyu, Mémoli, Sivakoff, *Sampling random graph homomorphisms*; MATH.md 6 |
//! | `b_i(v) = Π_c Σ_w A(v,w) b_c(w)` | `TreeLaw::weights`, rescaled at every node of the motif | MATH.md 6 |
//! | `t(H,𝒢 \| F) = t(H,𝒢)/t(F,𝒢)` | [`Extension`] | the same paper, "conditional homomorphism density" |
//!
//! Densities of trees are exact: `t(T) = n^{−k} Σ_v b_1(v)`. Of another motif with spanning tree `T` it is `t(T)` times the mean of
//! `Π_{(i,j) ∈ F∖T} A(x(i),x(j))` over independent exact draws `x` of `T`, which the paper, without exact draws, takes from a chain. Logarithms, as `A^{100}` overflows.

use super::super::diagnostics::Mixing;
use super::super::rng::uniform;
use super::{Motif, RootedTree};
use crate::data::{Network, Rows};
use crate::{Error, Result};
use rand_chacha::ChaCha8Rng;

/// Most maps that [`Density::by_enumeration`] goes through.
const MOST_MAPS: f64 = 1e8;

/// A density `t(F,𝒢)`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Density {
    /// Its natural logarithm; −∞ when there is no homomorphism.
    pub log: f64,
    /// Standard error relative to the density, which for small ones is also that of the logarithm; 0 when it is exact,
    /// NaN when no draw was a homomorphism and the error is not known.
    pub relative_error: f64,
}

impl Density {
    /// The density; 0 or infinite where it leaves the range of numbers.
    pub fn value(&self) -> f64 {
        self.log.exp()
    }

    /// Its standard error.
    pub fn error(&self) -> f64 {
        if self.relative_error == 0.0 { 0.0 } else { self.value() * self.relative_error }
    }

    /// The density of a motif: exact for trees, whatever `draws` is, and from so many draws otherwise. Takes `k·n` numbers of memory.
    ///
    /// ```
    /// use ergodict::{chain::{Density, Motif, rng}, data::Network};
    /// let triangle = Network::simple(3, &[(0, 1), (1, 2), (2, 0)])?;
    /// let mut rng = rng::stream(0, rng::Purpose::Chain, 0);
    /// let chain = Density::of(&triangle, &Motif::chain(4)?, 0, &mut rng)?;
    /// assert!((chain.value() - (2.0_f64 / 3.0).powi(3)).abs() < 1e-12);
    /// # Ok::<(), ergodict::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Parameter`] for a network without nodes, and for fewer than two draws where draws are needed.
    pub fn of(network: &Network, motif: &Motif, draws: usize, rng: &mut ChaCha8Rng) -> Result<Self> {
        let tree = match motif.tree() {
            Some(tree) => tree.clone(),
            None => RootedTree::spanning(motif.k(), motif.edges())?,
        };
        let (law, rest) = (TreeLaw::new(network, &tree)?, beyond(motif.edges(), &tree));
        let log = law.log_total - motif.k() as f64 * (network.nodes() as f64).ln();
        if rest.is_empty() || log == f64::NEG_INFINITY {
            return Ok(Self { log, relative_error: 0.0 });
        }
        if draws < 2 {
            return Err(Error::parameter(
                "the number of draws",
                draws,
                "the density of a motif that is no tree needs at least 2 of them",
            ));
        }
        // Running mean and sum of squares by Welford, which do not cancel.
        let (mut x, mut mean, mut squares) = (vec![0; motif.k()], 0.0, 0.0);
        for draw in 0..draws {
            law.draw(rng, &mut x);
            let value = product(network, &rest, &x);
            let off = value - mean;
            mean += off / (draw + 1) as f64;
            squares += off * (value - mean);
        }
        let draws = draws as f64;
        let relative_error = (squares / (draws - 1.0) / draws).sqrt() / mean;
        Ok(Self { log: log + mean.ln(), relative_error })
    }

    /// The density by going through all `n^k` maps: the reference, for tiny networks.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a network without nodes, or with more than a hundred million maps.
    pub fn by_enumeration(network: &Network, motif: &Motif) -> Result<Self> {
        let (n, k) = (network.nodes(), motif.k());
        let maps = (n as f64).powi(k as i32);
        if n == 0 || maps > MOST_MAPS {
            let expected = "there must be at least one and at most a hundred million maps to go through";
            return Err(Error::parameter("the network", format!("of {n} nodes"), expected));
        }
        let (mut x, mut total) = (vec![0u32; k], 0.0);
        loop {
            total += product(network, motif.edges(), &x);
            // The next map, as a number of k digits.
            let Some(digit) = x.iter().position(|&v| v as usize + 1 < n) else { break };
            x[..digit].fill(0);
            x[digit] += 1;
        }
        Ok(Self { log: (total / maps).ln(), relative_error: 0.0 })
    }
}

/// `Π A(x(i),x(j))` over edges of a motif.
fn product(network: &Network, edges: &[(u32, u32)], x: &[u32]) -> f64 {
    edges.iter().map(|&(i, j)| network.weight(x[i as usize] as usize, x[j as usize] as usize)).product()
}

/// The edges that are not in the tree.
fn beyond(edges: &[(u32, u32)], tree: &RootedTree) -> Vec<(u32, u32)> {
    let is_tree = |&(i, j): &(u32, u32)| {
        let (down, up) = ((i, j), (j, i));
        [(down, true), (up, false)].into_iter().any(|((parent, child), downward)| {
            child != 0 && tree.parent[child as usize] == parent && tree.downward[child as usize] == downward
        })
    };
    edges.iter().copied().filter(|edge| !is_tree(edge)).collect()
}

/// The law of homomorphisms of a tree by its backward weights.
struct TreeLaw<'a> {
    network: &'a Network,
    tree: &'a RootedTree,
    /// `b_i`, each scaled so that its largest is 1.
    weights: Vec<Vec<f64>>,
    /// Running sums of `b_1`.
    sums: Vec<f64>,
    /// `ln Σ_v b_1(v)`, with all that was scaled away.
    log_total: f64,
}

impl<'a> TreeLaw<'a> {
    fn new(network: &'a Network, tree: &'a RootedTree) -> Result<Self> {
        let n = network.nodes();
        if n == 0 {
            return Err(Error::parameter("the network", "without nodes", "there must be at least one"));
        }
        let mut weights = vec![vec![1.0; n]; tree.parent.len()];
        let mut log_scale = 0.0;
        let mut rescale = |b: &mut [f64]| {
            let largest = b.iter().copied().fold(0.0, f64::max);
            if largest > 0.0 {
                b.iter_mut().for_each(|b| *b /= largest);
            }
            log_scale += largest.ln();
        };
        // Children come after their parents.
        for &child in tree.order.iter().rev() {
            let rows = Self::rows(network, tree, child);
            let below = std::mem::take(&mut weights[child as usize]);
            let parent = &mut weights[tree.parent[child as usize] as usize];
            for (v, b) in parent.iter_mut().enumerate() {
                *b *= rows.entries(v).map(|(w, weight)| weight * below[w as usize]).sum::<f64>();
            }
            rescale(parent);
            weights[child as usize] = below;
        }
        let mut total = 0.0;
        let sums = weights[0].iter().map(|b| {
            total += b;
            total
        });
        let sums: Vec<f64> = sums.collect();
        Ok(Self { network, tree, weights, sums, log_total: log_scale + total.ln() })
    }

    /// Rows that lead from the parent to a node.
    fn rows<'n>(network: &'n Network, tree: &RootedTree, node: u32) -> &'n Rows {
        if tree.downward[node as usize] { network.rows() } else { network.incoming() }
    }

    /// An independent draw. There must be a homomorphism.
    fn draw(&self, rng: &mut ChaCha8Rng, x: &mut [u32]) {
        let n = self.sums.len();
        let aim = uniform(rng) * self.sums[n - 1];
        // Rounding may lead beyond the end, or to a last node without weight.
        let found = self.sums.partition_point(|&sum| sum <= aim).min(n - 1);
        x[0] = (0..=found).rev().find(|&v| self.weights[0][v] > 0.0).unwrap_or(found) as u32;
        for &node in &self.tree.order {
            let from = x[self.tree.parent[node as usize] as usize] as usize;
            let rows = Self::rows(self.network, self.tree, node);
            let b = &self.weights[node as usize];
            let total: f64 = rows.entries(from).map(|(w, weight)| weight * b[w as usize]).sum();
            let mut left = uniform(rng) * total;
            for (w, weight) in rows.entries(from) {
                let part = weight * b[w as usize];
                if part > 0.0 {
                    x[node as usize] = w;
                    left -= part;
                    if left < 0.0 {
                        break;
                    }
                }
            }
        }
    }
}

/// A motif `H` and a smaller one `F ⊆ H` of the same nodes: `t(H,𝒢 | F) = E_{x∼π_F} Π_{(i,j) ∈ H∖F} A(x(i),x(j))`, a
/// mean over samples of `F`. On networks without weights it is the probability that a homomorphism of `F` is one of `H`.
///
/// ```
/// use ergodict::{chain::{Extension, Motif}, data::Network};
/// let network = Network::simple(4, &[(0, 1), (1, 2), (2, 0), (2, 3)])?;
/// let closing = Extension::new(&Motif::chain(3)?, &Motif::cycle(3)?)?;
/// assert_eq!((closing.value(&network, &[0, 1, 2]), closing.value(&network, &[0, 2, 3])), (1.0, 0.0));
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Extension {
    k: usize,
    edges: Vec<(u32, u32)>,
}

impl Extension {
    /// From `F` to `H`.
    ///
    /// # Errors
    /// [`Error::Parameter`] when `H` has other nodes or lacks an edge of `F`.
    pub fn new(f: &Motif, h: &Motif) -> Result<Self> {
        if f.k() != h.k() {
            let expected = format!("it must have the {} nodes of the smaller motif", f.k());
            return Err(Error::parameter("the larger motif", format!("of {} nodes", h.k()), expected));
        }
        if let Some((i, j)) = f.edges().iter().find(|edge| !h.edges().contains(edge)) {
            let expected = "it must have all edges of the smaller motif, in the same direction";
            return Err(Error::parameter("the larger motif", format!("without ({i}, {j})"), expected));
        }
        let edges = h.edges().iter().copied().filter(|edge| !f.edges().contains(edge)).collect();
        Ok(Self { k: f.k(), edges })
    }

    /// The edges of `H` that `F` has not.
    pub fn edges(&self) -> &[(u32, u32)] {
        &self.edges
    }

    /// `Π_{(i,j) ∈ H∖F} A(x(i),x(j))`; 1 without such edges.
    pub fn value(&self, network: &Network, x: &[u32]) -> f64 {
        product(network, &self.edges, x)
    }

    /// The conditional density from samples of `F`: one run of homomorphisms for each chain, `k` nodes after `k` nodes. The
    /// mean comes with an error that knows how samples of a chain depend on each other.
    pub fn estimate<S: AsRef<[u32]>>(&self, network: &Network, chains: &[S]) -> Mixing {
        let series = |xs: &S| xs.as_ref().chunks_exact(self.k).map(|x| self.value(network, x)).collect();
        let series: Vec<Vec<f64>> = chains.iter().map(series).collect();
        Mixing::of(&series)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::rng::{Purpose, stream};
    use crate::data::{Build, NodeIds};

    fn complete(n: u32) -> Network {
        let edges: Vec<_> = (0..n).flat_map(|u| (0..u).map(move |v| (u, v))).collect();
        Network::simple(n as usize, &edges).unwrap()
    }

    fn exact(network: &Network, motif: &Motif) -> f64 {
        let density = Density::of(network, motif, 0, &mut stream(0, Purpose::Chain, 0)).unwrap();
        assert_eq!(density.relative_error, 0.0);
        density.value()
    }

    #[track_caller]
    fn same(one: f64, two: f64) {
        assert!((one - two).abs() <= 1e-12 * two.abs(), "{one} for {two}");
    }

    #[test]
    fn trees_in_complete_and_bipartite_networks_have_their_closed_forms() {
        for (n, k) in [(2u32, 2usize), (5, 1), (5, 3), (7, 6), (40, 21)] {
            let share = (f64::from(n - 1) / f64::from(n)).powi(k as i32 - 1);
            same(exact(&complete(n), &Motif::chain(k).unwrap()), share);
            same(exact(&complete(n), &Motif::star(k).unwrap()), share);
        }
        // A path of k nodes alternates between the sides, and can begin on either.
        let (a, b) = (3u32, 5u32);
        let edges: Vec<_> = (0..a).flat_map(|u| (a..a + b).map(move |v| (u, v))).collect();
        let bipartite = Network::simple(8, &edges).unwrap();
        for k in 2..7i32 {
            let paths =
                |first: u32, second: u32| f64::from(first).powi((k + 1) / 2) * f64::from(second).powi(k / 2);
            let share = (paths(a, b) + paths(b, a)) / 8f64.powi(k);
            same(exact(&bipartite, &Motif::chain(k as usize).unwrap()), share);
        }
        let mut rng = stream(1, Purpose::Chain, 0);
        let none = Density::of(&bipartite, &Motif::complete(3).unwrap(), 1000, &mut rng).unwrap();
        assert_eq!(none.value(), 0.0);
        assert_eq!(Density::by_enumeration(&bipartite, &Motif::complete(3).unwrap()).unwrap().value(), 0.0);
    }

    #[test]
    fn cycles_have_their_closed_forms_in_complete_networks_and_cycles() {
        let mut rng = stream(11, Purpose::Chain, 0);
        for (n, k) in [(4u32, 3usize), (4, 4), (6, 5)] {
            let homomorphisms = f64::from(n - 1).powi(k as i32)
                + if k % 2 == 0 { f64::from(n - 1) } else { -f64::from(n - 1) };
            let share = homomorphisms / f64::from(n).powi(k as i32);
            let motif = Motif::cycle(k).unwrap();
            same(Density::by_enumeration(&complete(n), &motif).unwrap().value(), share);
            let estimate = Density::of(&complete(n), &motif, 20_000, &mut rng).unwrap();
            assert!((estimate.value() - share).abs() < 4.5 * estimate.error(), "{estimate:?} for {share}");
            // It is a mean of zeros and ones, whose share is known.
            let p = share / exact(&complete(n), &Motif::chain(k).unwrap());
            let error = ((1.0 - p) / p / 20_000.0).sqrt();
            assert!((estimate.relative_error / error - 1.0).abs() < 0.2, "{estimate:?} for {error}");
        }
        // Closed walks of k steps on a cycle: as many steps one way as the other, modulo n.
        for (n, k, closed) in [(5u32, 4usize, 6.0), (5, 5, 2.0), (4, 4, 8.0), (4, 3, 0.0), (3, 3, 2.0)] {
            let edges: Vec<_> = (0..n).map(|v| (v, (v + 1) % n)).collect();
            let cycle = Network::simple(n as usize, &edges).unwrap();
            let share = closed * f64::from(n) / f64::from(n).powi(k as i32);
            same(Density::by_enumeration(&cycle, &Motif::cycle(k).unwrap()).unwrap().value(), share);
        }
    }

    /// Networks with everything a network may have.
    fn odd_networks() -> Vec<Network> {
        let edges =
            [(0, 1, 0.5), (1, 2, 2.0), (2, 0, 1.5), (2, 3, 0.25), (3, 3, 3.0), (3, 4, 1.0), (4, 0, 0.75)];
        let mut all = vec![];
        for directed in [false, true] {
            for (weighted, loops) in [(true, crate::data::Loops::Keep), (false, crate::data::Loops::Drop)] {
                let build = Build { directed, loops };
                all.push(Network::build(NodeIds::numbered(5), &edges, weighted, build).unwrap().0);
            }
        }
        all
    }

    #[test]
    fn trees_of_all_directions_are_as_by_enumeration() {
        for network in odd_networks() {
            for motif in [
                Motif::chain(1).unwrap(),
                Motif::chain(5).unwrap(),
                Motif::star(4).unwrap(),
                Motif::new(5, vec![(1, 0), (2, 1), (1, 3), (4, 3)]).unwrap(),
            ] {
                let all = Density::by_enumeration(&network, &motif).unwrap().value();
                same(exact(&network, &motif), all);
            }
        }
    }

    #[test]
    fn estimates_of_other_motifs_are_within_their_errors() {
        let mut rng = stream(21, Purpose::Chain, 0);
        for (which, network) in odd_networks().iter().enumerate() {
            for motif in [
                Motif::cycle(3).unwrap(),
                Motif::complete(3).unwrap(),
                Motif::new(2, vec![(0, 1), (1, 0)]).unwrap(),
                Motif::new(4, vec![(0, 1), (1, 2), (2, 3), (0, 2), (3, 1)]).unwrap(),
            ] {
                let all = Density::by_enumeration(network, &motif).unwrap();
                let estimate = Density::of(network, &motif, 20_000, &mut rng).unwrap();
                if all.value() == 0.0 || estimate.relative_error == 0.0 {
                    same(estimate.value(), all.value());
                    continue;
                }
                let off = (estimate.value() - all.value()) / estimate.error();
                assert!(off.abs() < 4.5, "network {which}: {estimate:?}, {off} errors off {}", all.value());
            }
        }
    }

    #[test]
    fn draws_of_trees_have_their_law() {
        let network = &odd_networks()[2];
        let motif = Motif::new(3, vec![(1, 0), (1, 2)]).unwrap();
        let law = TreeLaw::new(network, motif.tree().unwrap()).unwrap();
        let (mut rng, mut x, mut counts) = (stream(5, Purpose::Chain, 0), [0; 3], vec![0.0; 125]);
        let draws = 40_000;
        for _ in 0..draws {
            law.draw(&mut rng, &mut x);
            counts[(x[0] * 25 + x[1] * 5 + x[2]) as usize] += 1.0;
        }
        let weights: Vec<f64> =
            (0..125).map(|i| product(network, motif.edges(), &[i / 25, i / 5 % 5, i % 5])).collect();
        let total: f64 = weights.iter().sum();
        let (mut chi2, mut cells) = (0.0, 0);
        for (count, weight) in counts.iter().zip(&weights) {
            if *weight == 0.0 {
                assert_eq!(*count, 0.0);
                continue;
            }
            let expected = f64::from(draws) * weight / total;
            chi2 += (count - expected).powi(2) / expected;
            cells += 1;
        }
        // The 0.9999 quantile by Wilson and Hilferty.
        let freedom = f64::from(cells - 1);
        let spread = 2.0 / (9.0 * freedom);
        let quantile = freedom * (1.0 - spread + 3.719 * spread.sqrt()).powi(3);
        assert!(cells > 10 && chi2 < quantile, "chi² {chi2} over {quantile} for {freedom} degrees");
    }

    #[test]
    fn long_chains_neither_overflow_nor_vanish() {
        let edges: Vec<(u32, u32)> = (1..3000).map(|v| (0, v)).collect();
        let hub = Network::simple(3000, &edges).unwrap();
        // From the hub and back: 2999^{50} walks of 101 nodes that begin at the hub, 2999^{51} that do not.
        let log =
            Density::of(&hub, &Motif::chain(101).unwrap(), 0, &mut stream(0, Purpose::Chain, 0)).unwrap().log;
        let walks = 50.0 * 2999f64.ln() + 3000f64.ln();
        same(log, walks - 101.0 * 3000f64.ln());
    }

    #[test]
    fn conditional_densities_are_ratios_of_densities() {
        for network in odd_networks() {
            let (f, h) = (Motif::chain(3).unwrap(), Motif::cycle(3).unwrap());
            let extension = Extension::new(&f, &h).unwrap();
            assert_eq!(extension.edges(), [(2, 0)]);
            let law = TreeLaw::new(&network, f.tree().unwrap()).unwrap();
            let mut rng = stream(7, Purpose::Chain, 0);
            let chains: Vec<Vec<u32>> = (0..2)
                .map(|_| {
                    let mut xs = vec![0; 3 * 10_000];
                    xs.chunks_exact_mut(3).for_each(|x| law.draw(&mut rng, x));
                    xs
                })
                .collect();
            let density = |motif| Density::by_enumeration(&network, motif).unwrap().value();
            let (ratio, mixing) = (density(&h) / density(&f), extension.estimate(&network, &chains));
            assert!((mixing.mean - ratio).abs() <= 4.5 * mixing.error, "{mixing:?} for {ratio}");
            assert_eq!(Extension::new(&f, &f).unwrap().estimate(&network, &chains).mean, 1.0);
        }
        let refused = |f: Motif, h: Motif| Extension::new(&f, &h).unwrap_err().to_string();
        assert!(refused(Motif::chain(3).unwrap(), Motif::chain(4).unwrap()).contains("the 3 nodes"));
        assert!(refused(Motif::chain(4).unwrap(), Motif::star(4).unwrap()).contains("without (1, 2)"));
    }

    #[test]
    fn what_has_no_density_is_told() {
        let mut rng = stream(0, Purpose::Chain, 0);
        let none = Network::simple(0, &[]).unwrap();
        assert!(Density::of(&none, &Motif::chain(2).unwrap(), 0, &mut rng).is_err());
        assert!(Density::by_enumeration(&complete(200), &Motif::chain(4).unwrap()).is_err());
        let few = Density::of(&complete(3), &Motif::cycle(3).unwrap(), 1, &mut rng).unwrap_err().to_string();
        assert!(few.contains("at least 2"), "{few}");
        let edgeless = Network::simple(3, &[]).unwrap();
        assert_eq!(exact(&edgeless, &Motif::chain(2).unwrap()), 0.0);
        assert_eq!(exact(&edgeless, &Motif::cycle(3).unwrap()), 0.0);
        assert_eq!(exact(&edgeless, &Motif::chain(1).unwrap()), 1.0);
    }
}
