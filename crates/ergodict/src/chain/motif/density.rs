//! Densities of motifs in a network: the share of all maps that are homomorphisms, weights counted.
//!
//! | symbol | here | where |
//! |---|---|---|
//! | `t(F,𝒢) = n^{−k} Σ_x Π_{(i,j) ∈ F} A(x(i),x(j))` | [`Density`], by its logarithm | Lyu, Mémoli, Sivakoff, *Sampling random graph homomorphisms*; docs/maths.md, Homomorphisms |
//! | `t(H,𝒢 \| F) = t(H,𝒢)/t(F,𝒢)` | [`Extension`] | the same paper, "conditional homomorphism density" |
//!
//! Densities of trees are exact: `t(T) = n^{−k} Σ_v b_1(v)`, by [`Backward::log_total`]. Of another motif
//! with spanning tree `T` it is `t(T)` times the mean of `Π_{(i,j) ∈ F∖T} A(x(i),x(j))` over draws `x` of `T`
//! by the [`ExactSampler`]; the paper, without exact draws, takes them from a chain. Logarithms, as `A^{100}`
//! overflows.

use super::{Backward, ExactSampler, Motif, MotifSampler};
use crate::data::Network;
use crate::{Error, Result};
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;

/// Draws of a spanning tree that are made at a time: as many as the sampler makes side by side.
const BLOCK: usize = 64;

/// Most maps that [`Density::by_enumeration`] goes through.
const MOST_MAPS: f64 = 1e8;

/// A density `t(F,𝒢)`.
///
/// `t(F,𝒢) = n^{−k} Σ_x Π_{(i,j) ∈ F} A(x(i),x(j))`: the share of all maps that are homomorphisms, weights counted.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Density {
    /// Its natural logarithm; −∞ when there is no homomorphism.
    pub log: f64,
    /// Standard error relative to the density, which for small ones is also that of the logarithm. 0 when it
    /// is exact; NaN when no draw was a homomorphism and the error is not known; and 3 over their number when
    /// all draws had the same value, as with 95 % confidence no more of what could be drawn has another one.
    pub relative_error: f64,
    /// Whether it was computed and not estimated: it is off by rounding alone.
    pub exact: bool,
}

impl Density {
    /// The density; 0 or infinite where it leaves the range of numbers.
    pub fn value(&self) -> f64 {
        self.log.exp()
    }

    /// Its standard error.
    #[cfg(test)]
    pub(crate) fn error(&self) -> f64 {
        if self.exact { 0.0 } else { self.value() * self.relative_error }
    }

    fn exactly(log: f64) -> Self {
        Self { log, relative_error: 0.0, exact: true }
    }

    /// The density of a motif: exact for trees, whatever `draws` is, and from `draws` draws otherwise. Takes
    /// the memory of backward weights, or of an exact sampler of a spanning tree
    /// (`ExactSampler::bytes_needed`).
    ///
    /// ```
    /// use ergodict::{chain::{Density, Motif}, rng, data::Network};
    /// let triangle = Network::simple(3, &[(0, 1), (1, 2), (2, 0)])?.into();
    /// let mut rng = rng::stream(0, rng::Purpose::Chain, 0);
    /// let chain = Density::estimate(&triangle, &Motif::path(4)?, 0, &mut rng)?;
    /// assert!(chain.exact && (chain.value() - (2.0_f64 / 3.0).powi(3)).abs() < 1e-12);
    /// # Ok::<(), ergodict::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Parameter`] for a network without nodes, and for fewer than two draws where draws are needed.
    pub fn estimate(
        network: &Arc<Network>,
        motif: &Motif,
        draws: usize,
        rng: &mut ChaCha8Rng,
    ) -> Result<Self> {
        let n = network.nodes();
        if n == 0 {
            return Err(Error::parameter("the network", "without nodes", "there must be at least one"));
        }
        let log_maps = motif.k() as f64 * (n as f64).ln();
        // A tree is refused for having no homomorphism, and for nothing else.
        if motif.tree().is_some() {
            let total = Backward::new(network, motif).map_or(f64::NEG_INFINITY, |law| law.log_total());
            return Ok(Self::exactly(total - log_maps));
        }
        let (tree, rest) = motif.spanning_tree()?;
        let Ok(sampler) = ExactSampler::new(Arc::clone(network), &tree) else {
            return Ok(Self::exactly(f64::NEG_INFINITY));
        };
        if draws < 2 {
            return Err(Error::parameter(
                "the number of draws",
                draws,
                "the density of a motif that is no tree needs at least 2 of them",
            ));
        }
        let (mut values, mut state, k) = (Values::default(), vec![0; motif.k()], motif.k());
        let mut block = vec![0; BLOCK * k];
        for first in (0..draws).step_by(BLOCK) {
            let block = &mut block[..BLOCK.min(draws - first) * k];
            sampler.sample(&mut state, rng, block);
            block.chunks_exact(k).for_each(|x| values.add(log_product(network, &rest, x)));
        }
        let (log_mean, relative_error) = values.mean();
        Ok(Self { log: sampler.backward().log_total() - log_maps + log_mean, relative_error, exact: false })
    }

    /// The density by going through all `n^k` maps: the reference, for tiny networks.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a network without nodes, or with more than a hundred million maps.
    pub(crate) fn by_enumeration(network: &Network, motif: &Motif) -> Result<Self> {
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
        Ok(Self::exactly((total / maps).ln()))
    }
}

/// `Π A(x(i),x(j))` over edges of a motif.
fn product(network: &Network, edges: &[(u32, u32)], x: &[u32]) -> f64 {
    edges.iter().map(|&(i, j)| network.weight(x[i as usize] as usize, x[j as usize] as usize)).product()
}

/// Its logarithm, of edges that may be too many for the product.
fn log_product(network: &Network, edges: &[(u32, u32)], x: &[u32]) -> f64 {
    edges.iter().map(|&(i, j)| network.weight(x[i as usize] as usize, x[j as usize] as usize).ln()).sum()
}

/// Running mean and sum of squares of nonnegative numbers by Welford, which do not cancel, relative to the
/// largest number so far, so that they neither overflow nor vanish.
struct Values {
    count: f64,
    mean: f64,
    squares: f64,
    /// Logarithm of the largest.
    scale: f64,
}

impl Default for Values {
    fn default() -> Self {
        Self { count: 0.0, mean: 0.0, squares: 0.0, scale: f64::NEG_INFINITY }
    }
}

impl Values {
    /// Adds a number, by its logarithm.
    fn add(&mut self, log: f64) {
        if log > self.scale {
            let factor = (self.scale - log).exp();
            self.mean *= factor;
            self.squares *= factor * factor;
            self.scale = log;
        }
        // Before a number that is not 0 there is no scale.
        let value = if log == f64::NEG_INFINITY { 0.0 } else { (log - self.scale).exp() };
        let off = value - self.mean;
        self.count += 1.0;
        self.mean += off / self.count;
        self.squares += off * (value - self.mean);
    }

    /// The logarithm of the mean, and its relative error.
    fn mean(&self) -> (f64, f64) {
        let error = (self.squares / (self.count - 1.0) / self.count).sqrt() / self.mean;
        (self.mean.ln() + self.scale, if error == 0.0 { 3.0 / self.count } else { error })
    }
}

/// A motif `H` and a smaller one `F ⊆ H` of the same nodes:
/// `t(H,𝒢 | F) = E_{x∼π_F} Π_{(i,j) ∈ H∖F} A(x(i),x(j))`, a mean over samples of `F`. On networks without
/// weights it is the probability that a homomorphism of `F` is one of `H`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Extension {
    k: usize,
    edges: Vec<(u32, u32)>,
}

impl Extension {
    /// From `F` to `H`.
    ///
    /// # Errors
    /// [`Error::Parameter`] when `H` has other nodes or lacks an edge of `F`.
    pub(crate) fn new(f: &Motif, h: &Motif) -> Result<Self> {
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
    #[cfg(test)]
    pub(crate) fn edges(&self) -> &[(u32, u32)] {
        &self.edges
    }

    /// `Π_{(i,j) ∈ H∖F} A(x(i),x(j))`; 1 without such edges.
    pub(crate) fn value(&self, network: &Network, x: &[u32]) -> f64 {
        product(network, &self.edges, x)
    }

    /// The conditional density from samples of `F`: one run of homomorphisms for each chain, `k` nodes after
    /// `k` nodes. The mean comes with an error that knows how samples of a chain depend on each other.
    #[cfg(test)]
    pub(crate) fn estimate<S: AsRef<[u32]>>(
        &self,
        network: &Network,
        chains: &[S],
    ) -> crate::chain::diagnostics::Mixing {
        let series = |xs: &S| xs.as_ref().chunks_exact(self.k).map(|x| self.value(network, x)).collect();
        let series: Vec<Vec<f64>> = chains.iter().map(series).collect();
        crate::chain::diagnostics::Mixing::from_series(&series)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Build, NodeIds};
    use crate::rng::{Purpose, stream};

    fn simple(n: u32, edges: &[(u32, u32)]) -> Arc<Network> {
        Arc::new(Network::simple(n as usize, edges).unwrap())
    }

    fn complete(n: u32) -> Arc<Network> {
        let edges: Vec<_> = (0..n).flat_map(|u| (0..u).map(move |v| (u, v))).collect();
        simple(n, &edges)
    }

    fn bipartite(a: u32, b: u32) -> Arc<Network> {
        let edges: Vec<_> = (0..a).flat_map(|u| (a..a + b).map(move |v| (u, v))).collect();
        simple(a + b, &edges)
    }

    fn exact(network: &Arc<Network>, motif: &Motif) -> f64 {
        let density = Density::estimate(network, motif, 0, &mut stream(0, Purpose::Chain, 0)).unwrap();
        assert!(density.exact && density.relative_error == 0.0);
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
            same(exact(&complete(n), &Motif::path(k).unwrap()), share);
            same(exact(&complete(n), &Motif::star(k).unwrap()), share);
        }
        // A path of k nodes alternates between the sides, and can begin on either.
        let (a, b) = (3u32, 5u32);
        let bipartite = bipartite(a, b);
        for k in 2..7i32 {
            let paths =
                |first: u32, second: u32| f64::from(first).powi((k + 1) / 2) * f64::from(second).powi(k / 2);
            let share = (paths(a, b) + paths(b, a)) / 8f64.powi(k);
            same(exact(&bipartite, &Motif::path(k as usize).unwrap()), share);
        }
        let mut rng = stream(1, Purpose::Chain, 0);
        let none = Density::estimate(&bipartite, &Motif::complete(3).unwrap(), 1000, &mut rng).unwrap();
        assert!(none.value() == 0.0 && none.relative_error.is_nan() && !none.exact);
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
            let estimate = Density::estimate(&complete(n), &motif, 20_000, &mut rng).unwrap();
            assert!((estimate.value() - share).abs() < 4.5 * estimate.error(), "{estimate:?} for {share}");
            // It is a mean of zeros and ones, whose share is known.
            let p = share / exact(&complete(n), &Motif::path(k).unwrap());
            let error = ((1.0 - p) / p / 20_000.0).sqrt();
            assert!((estimate.relative_error / error - 1.0).abs() < 0.2, "{estimate:?} for {error}");
        }
    }

    #[test]
    fn cycles_have_their_closed_forms_in_cycles_and_bipartite_networks() {
        let seed = std::env::var("SEED").map_or(12, |seed| seed.parse().unwrap());
        let mut rng = stream(seed, Purpose::Chain, 0);
        // Closed walks of k steps: the trace of a power, here of a cycle.
        for (n, k) in [(3u32, 3usize), (4, 3), (4, 4), (5, 4), (5, 5), (7, 6), (6, 8), (9, 9)] {
            let edges: Vec<_> = (0..n).map(|v| (v, (v + 1) % n)).collect();
            let (network, motif) = (simple(n, &edges), Motif::cycle(k).unwrap());
            let eigenvalue = |j: u32| 2.0 * (std::f64::consts::TAU * f64::from(j) / f64::from(n)).cos();
            let trace: f64 = (0..n).map(|j| eigenvalue(j).powi(k as i32)).sum();
            let share = trace.round() / f64::from(n).powi(k as i32);
            if n.pow(k as u32) < 300_000 {
                same(Density::by_enumeration(&network, &motif).unwrap().value(), share);
            }
            let estimate = Density::estimate(&network, &motif, 20_000, &mut rng).unwrap();
            assert!(!estimate.exact);
            if share == 0.0 {
                assert!(estimate.value() == 0.0 && estimate.relative_error.is_nan(), "{estimate:?}");
            } else {
                assert!(
                    (estimate.value() - share).abs() < 4.5 * estimate.error(),
                    "{n} {k}: {estimate:?} for {share}"
                );
            }
        }
        // In K_{a,b} every path of four nodes closes: all draws have one value, which does not make it exact.
        let square = Density::estimate(&bipartite(3, 5), &Motif::cycle(4).unwrap(), 1000, &mut rng).unwrap();
        same(square.value(), 2.0 * 15f64.powi(2) / 8f64.powi(4));
        assert!(!square.exact && square.relative_error == 3.0 / 1000.0);
    }

    #[test]
    fn stars_of_many_leaves_and_weights_of_any_size_have_a_density() {
        let mut rng = stream(13, Purpose::Chain, 0);
        let star = Motif::star(4096).unwrap();
        let log = |network: &Arc<Network>, motif: &Motif, rng: &mut ChaCha8Rng| {
            Density::estimate(network, motif, 1000, rng).unwrap()
        };
        same(log(&complete(40), &star, &mut rng).log, 4095.0 * (39f64 / 40.0).ln());
        // Σ_v d(v)^4095 = 99^4095 + 99.
        let hub = simple(100, &(1..100).map(|v| (0, v)).collect::<Vec<_>>());
        same(log(&hub, &star, &mut rng).log, 4095.0 * 99f64.ln() - 4096.0 * 100f64.ln());
        for weight in [1e308, 1e-308, 5e-324] {
            let edges = [(0, 1, weight), (1, 2, weight), (2, 3, weight)];
            let path = Network::build(NodeIds::numbered(4), &edges, true, Build::default()).unwrap().0.into();
            // Of walks of two and of three steps there are 10 and 16; of closed ones of four steps 14.
            for (motif, count, edges) in [
                (Motif::path(3).unwrap(), 10f64, 2.0),
                (Motif::path(4).unwrap(), 16.0, 3.0),
                (Motif::cycle(4).unwrap(), 14.0, 4.0),
            ] {
                let density = log(&path, &motif, &mut rng);
                let expected = count.ln() + edges * f64::ln(weight) - motif.k() as f64 * 4f64.ln();
                let within =
                    if density.exact { 1e-12 * expected.abs() } else { 4.5 * density.relative_error };
                assert!((density.log - expected).abs() < within, "{weight}: {density:?} for {expected}");
            }
        }
    }

    /// Networks with everything a network may have.
    fn odd_networks() -> Vec<Arc<Network>> {
        let edges =
            [(0, 1, 0.5), (1, 2, 2.0), (2, 0, 1.5), (2, 3, 0.25), (3, 3, 3.0), (3, 4, 1.0), (4, 0, 0.75)];
        let mut all = vec![];
        for directed in [false, true] {
            for (weighted, loops) in [(true, crate::data::Loops::Keep), (false, crate::data::Loops::Drop)] {
                let build = Build { directed, loops };
                all.push(Network::build(NodeIds::numbered(5), &edges, weighted, build).unwrap().0.into());
            }
        }
        all
    }

    #[test]
    fn trees_of_all_directions_are_as_by_enumeration() {
        for network in odd_networks() {
            for motif in [
                Motif::path(1).unwrap(),
                Motif::path(5).unwrap(),
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
                let estimate = Density::estimate(network, &motif, 20_000, &mut rng).unwrap();
                if all.value() == 0.0 {
                    assert_eq!(estimate.value(), 0.0);
                    continue;
                }
                let off = (estimate.value() - all.value()) / estimate.error();
                assert!(off.abs() < 4.5, "network {which}: {estimate:?}, {off} errors off {}", all.value());
            }
        }
    }

    #[test]
    fn long_chains_neither_overflow_nor_vanish() {
        let edges: Vec<(u32, u32)> = (1..3000).map(|v| (0, v)).collect();
        let hub = simple(3000, &edges);
        // From the hub and back: 2999^{50} walks of 101 nodes that begin at the hub, 2999^{51} that do not.
        let log = Density::estimate(&hub, &Motif::path(101).unwrap(), 0, &mut stream(0, Purpose::Chain, 0))
            .unwrap()
            .log;
        let walks = 50.0 * 2999f64.ln() + 3000f64.ln();
        same(log, walks - 101.0 * 3000f64.ln());
    }

    #[test]
    fn conditional_densities_are_ratios_of_densities() {
        for network in odd_networks() {
            let (f, h) = (Motif::path(3).unwrap(), Motif::cycle(3).unwrap());
            let extension = Extension::new(&f, &h).unwrap();
            assert_eq!(extension.edges(), [(2, 0)]);
            let law = ExactSampler::new(Arc::clone(&network), &f).unwrap();
            let mut rng = stream(7, Purpose::Chain, 0);
            let chains: Vec<Vec<u32>> = (0..2)
                .map(|_| {
                    let mut xs = vec![0; 3 * 10_000];
                    law.sample(&mut vec![0; 3], &mut rng, &mut xs);
                    xs
                })
                .collect();
            let density = |motif| Density::by_enumeration(&network, motif).unwrap().value();
            let (ratio, mixing) = (density(&h) / density(&f), extension.estimate(&network, &chains));
            assert!((mixing.mean - ratio).abs() <= 4.5 * mixing.error, "{mixing:?} for {ratio}");
            assert_eq!(Extension::new(&f, &f).unwrap().estimate(&network, &chains).mean, 1.0);
        }
        let refused = |f: Motif, h: Motif| Extension::new(&f, &h).unwrap_err().to_string();
        assert!(refused(Motif::path(3).unwrap(), Motif::path(4).unwrap()).contains("the 3 nodes"));
        assert!(refused(Motif::path(4).unwrap(), Motif::star(4).unwrap()).contains("without (1, 2)"));
    }

    #[test]
    fn motifs_without_density_are_refused() {
        let mut rng = stream(0, Purpose::Chain, 0);
        let none = simple(0, &[]);
        assert!(Density::estimate(&none, &Motif::path(2).unwrap(), 0, &mut rng).is_err());
        assert!(Density::by_enumeration(&complete(200), &Motif::path(4).unwrap()).is_err());
        let few =
            Density::estimate(&complete(3), &Motif::cycle(3).unwrap(), 1, &mut rng).unwrap_err().to_string();
        assert!(few.contains("at least 2"), "{few}");
        let edgeless = simple(3, &[]);
        assert_eq!(exact(&edgeless, &Motif::path(2).unwrap()), 0.0);
        assert_eq!(exact(&edgeless, &Motif::cycle(3).unwrap()), 0.0);
        assert_eq!(exact(&edgeless, &Motif::path(1).unwrap()), 1.0);
    }

    #[test]
    fn means_of_logarithms_have_the_textbook_error_in_any_order_and_unit() {
        // 1, 2, 3 and 6 have the mean 3 and the variance 14/3: a standard error of √(14/12).
        for unit in [1.0, 1e-300, 1e300] {
            for numbers in [[1.0f64, 2.0, 3.0, 6.0], [6.0, 3.0, 2.0, 1.0], [2.0, 6.0, 1.0, 3.0]] {
                let mut values = Values::default();
                numbers.iter().for_each(|x| values.add((unit * x).ln()));
                let (log, error) = values.mean();
                assert!(
                    (log - (3.0 * unit).ln()).abs() < 1e-12
                        && (error - (14f64 / 12.0).sqrt() / 3.0).abs() < 1e-10
                );
            }
        }
        // Equal numbers show no error: by the rule of three it is at most three in their number.
        let mut equal = Values::default();
        (0..30).for_each(|_| equal.add(2f64.ln()));
        assert_eq!(equal.mean().1, 0.1);
    }
}
