//! Network dictionary learning without sampling: all homomorphisms of a small network, factorized as one batch.
//!
//! | symbol | here | where |
//! |---|---|---|
//! | `x`, all of them | [`Homomorphisms::each`] | docs/maths.md, Homomorphisms |
//! | `π(x) ∝ Π A(x(i), x(j))` | [`ExhaustiveSource::law`], summed over the `x` of equal patches | docs/maths.md, Homomorphisms |
//! | `A_x` | a column of [`ExhaustiveSource::law`], each patch once | docs/maths.md, Patches |
//! | `f(W) = Σ_x π(x) ℓ(A_x, W)` | `ExhaustiveSource::losses`, one a round | docs/maths.md, Patches, "Static version" |
//!
//! A round codes all patches and then updates `W` by `A = Σ π(x) h hᵀ`, `B = Σ π(x) h A_xᵀ`: the online scheme with weight 1, on a
//! minibatch that is the whole law. The surrogate lies above `f` and touches it at the old `W`, so no round raises the loss.

use crate::chain::{Motif, RootedTree, SampledNetwork, SamplerBuilder};
use crate::data::{Adjacency, Network};
use crate::factor::code::CodeReport;
use crate::factor::{FactorSettings, Factorizer, Schedule, Statistics};
use crate::linalg::Mat;
use crate::linalg::products::{Op, Products};
use crate::patch::{NetworkForm, NetworkPatches};
use crate::run::{ExhaustiveStats, Form, Next, Resumable, Sections, Source, SourceStats, Stop};
use crate::{Error, Result};
use std::collections::HashMap;
use std::sync::Arc;

/// Homomorphisms whose patches are cut at a time.
const BLOCK: usize = 1024;

/// Most numbers of all different patches, 1 GiB.
const MOST_NUMBERS: usize = 1 << 27;

/// When the batch version ends, and what it refuses.
///
/// ```
/// use ergodict::{chain::Motif, data::embedded, run::{ExhaustiveSource, StaticOptions}};
/// let (karate, motif) = (std::sync::Arc::new(embedded("karate")?), Motif::path(3)?);
/// let few = StaticOptions { most_homomorphisms: 100, ..StaticOptions::default() };
/// assert!(ExhaustiveSource::new("karate", &karate, &motif, &few, 0).is_err()); // there are 1212
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct StaticOptions {
    /// Whether only homomorphisms with different nodes count. Default no.
    pub injective: bool,
    /// Most homomorphisms to go through; of a motif with cycles, those of a spanning tree. Default two million.
    pub most_homomorphisms: u64,
    /// Relative decrease of the loss in a round at which it ends. Default 1e-6.
    pub tolerance: f64,
    /// Most rounds. Default 1000.
    pub most_rounds: u64,
    /// Bytes that a test of adjacency may take where some homomorphisms are drawn; default what is available.
    pub memory: Option<usize>,
}

impl Default for StaticOptions {
    fn default() -> Self {
        Self {
            injective: false,
            most_homomorphisms: 2_000_000,
            tolerance: 1e-6,
            most_rounds: 1000,
            memory: None,
        }
    }
}

/// All homomorphisms of a motif into a small network, the patch of each weighted by its probability.
///
/// `f(W) = Σ_x π(x) ℓ(A_x, W)`, over all homomorphisms `x`; no round raises it.
///
/// ```
/// use ergodict::{chain::Motif, data::Network, factor::{FactorSettings, Factorizer}};
/// use ergodict::run::{ExhaustiveSource, Run, RunPlan, StaticOptions, Stop};
/// // In a triangle every chain of two edges ends next to its start, or there.
/// let triangle = std::sync::Arc::new(Network::simple(3, &[(0, 1), (1, 2), (2, 0)])?);
/// let source = ExhaustiveSource::new("triangle", &triangle, &Motif::path(3)?, &StaticOptions::default(), 0)?;
/// let parameters = ExhaustiveSource::parameters(FactorSettings::new(2));
/// let first = Factorizer::random(parameters.clone(), 9, 0)?;
/// let mut run = Run::new(RunPlan::new("network learn", parameters, 0), Box::new(source), Some(first))?;
/// run.run(None, &Stop::default())?;
/// let stats = run.source().stats().exhaustive.unwrap();
/// assert_eq!((stats.homomorphisms, stats.patches, stats.converged), (12, 2, true));
/// # Ok::<(), ergodict::Error>(())
/// ```
pub struct ExhaustiveSource {
    name: String,
    network: Arc<Network>,
    motif: Motif,
    options: StaticOptions,
    seed: u64,
    law: Law,
    /// The expected loss `f(W)` before each round; the last is that of the dictionary.
    losses: Vec<f64>,
    converged: bool,
    /// What the next round is made of.
    found: Option<Statistics>,
    form: Form,
}

impl ExhaustiveSource {
    /// Goes through all homomorphisms.
    ///
    /// # Errors
    /// [`Error::Parameter`] when there is no homomorphism, when there are too many or their patches take too much memory.
    pub fn new(
        name: &str,
        network: &Arc<Network>,
        motif: &Motif,
        options: &StaticOptions,
        seed: u64,
    ) -> Result<Self> {
        if !(options.tolerance >= 0.0 && options.tolerance < 1.0) {
            let expected = "it must be in [0, 1)";
            return Err(Error::parameter("the tolerance of the loss", options.tolerance, expected));
        }
        let law = Law::new(network, motif, options)?;
        let form = Form::Network(NetworkForm::new(motif, network.is_directed(), network.is_weighted()));
        let (network, motif) = (Arc::clone(network), motif.clone());
        let (losses, found, name) = (Vec::new(), None, name.to_owned());
        Ok(Self { name, network, motif, options: *options, seed, law, losses, converged: false, found, form })
    }

    /// Those of a run on it: each round is all there is, so that schedules do not apply, atoms that are not used stay as they are, and the sweeps are those of
    /// a large minibatch, although statistics that are means count as one sample.
    pub fn parameters(parameters: FactorSettings) -> FactorSettings {
        let (schedule, unused) = (Schedule::Constant { floor: 1.0 }, crate::factor::UnusedAtoms::Keep);
        let dictionary_sweeps = Some(parameters.sweeps(f64::INFINITY));
        FactorSettings { schedule, unused, dictionary_sweeps, ..parameters }
    }

    /// The different patches, one a column, and their probabilities.
    #[cfg(test)]
    pub(crate) fn law(&self) -> (&Mat<f64>, &[f64]) {
        (&self.law.patches, &self.law.probabilities)
    }
}

impl Resumable for ExhaustiveSource {
    fn save(&self, to: &mut Sections) -> Result<()> {
        // The last is found again.
        to.put_json("losses", &&self.losses[..self.losses.len() - usize::from(self.found.is_some())])?;
        to.put_json("converged", &self.converged)
    }

    fn restore(&mut self, from: &Sections) -> Result<()> {
        (self.losses, self.converged) = (from.json("losses")?, from.json("converged")?);
        self.found = None;
        Ok(())
    }
}

impl Source<f64> for ExhaustiveSource {
    fn form(&self) -> &Form {
        &self.form
    }

    fn made(&self) -> u64 {
        self.losses.len() as u64 - u64::from(self.found.is_some() || self.converged)
    }

    fn planned(&self) -> Option<u64> {
        None
    }

    fn prepare(&mut self, dictionary: Option<&mut Factorizer<f64>>) -> Result<()> {
        let over = self.converged || self.losses.len() as u64 > self.options.most_rounds;
        let Some(dictionary) = dictionary.filter(|_| !over && self.found.is_none()) else { return Ok(()) };
        let law = &self.law;
        dictionary.decide_lambda(law.mean_norm());
        dictionary.transform(&law.patches)?;
        let loss: f64 = dictionary.losses().zip(&law.probabilities).map(|(loss, p)| p * loss).sum();
        // What the update lowers has this term as well.
        let squares: f64 = dictionary.dictionary().padded().iter().map(|w| w * w).sum();
        let loss = loss + dictionary.parameters().kappa1 * squares;
        let before = self.losses.last().copied().unwrap_or(f64::INFINITY);
        self.losses.push(loss);
        self.converged = before - loss <= self.options.tolerance * before && before.is_finite();
        if !self.converged && self.losses.len() as u64 <= self.options.most_rounds {
            self.found = Some(expected(&law.patches, &law.probabilities, dictionary));
        }
        Ok(())
    }

    fn next(&mut self, _: &Stop) -> Result<Next<'_, f64>> {
        let round = |found| Next::Statistics(Box::new(found), CodeReport::default());
        Ok(self.found.take().map_or(Next::End, round))
    }

    fn stats(&self) -> SourceStats<'_> {
        let exhaustive = ExhaustiveStats {
            homomorphisms: self.law.homomorphisms,
            patches: self.law.patches.cols(),
            rounds: self.losses.len(),
            loss: self.losses.last().copied().unwrap_or(f64::NAN),
            converged: self.converged,
        };
        SourceStats { exhaustive: Some(exhaustive), ..SourceStats::default() }
    }

    /// All are learned from; some are drawn to look for examples among them.
    fn networks(&self) -> Result<Vec<(String, SampledNetwork)>> {
        let chosen = SamplerBuilder {
            injective: self.options.injective,
            memory: self.options.memory,
            ..SamplerBuilder::default()
        };
        let (_, sampler) = chosen.natural(&self.network, &self.motif, self.seed)?;
        Ok(vec![(self.name.clone(), (Arc::clone(&self.network), sampler))])
    }
}

/// Statistics of the columns coded last, as means under a law.
fn expected(x: &Mat<f64>, law: &[f64], factorizer: &Factorizer<f64>) -> Statistics {
    let (h, penalty) = (factorizer.code(), factorizer.parameters().penalty());
    let weighted =
        |power: fn(f64) -> f64| Mat::from_fn(h.rows(), h.cols(), |i, j| power(law[j]) * h.get(i, j));
    let mut sums = Statistics::zero(x.rows(), h.rows());
    f64::gram(&mut sums.a, (Op::Transposed, weighted(f64::sqrt).as_ref()));
    let all = weighted(|p| p);
    f64::product(&mut sums.b_transposed, false, (Op::Plain, x.as_ref()), (Op::Transposed, all.as_ref()), 1.0);
    let part = |j: usize| {
        let squares = |column: &[f64]| column.iter().map(|x| x * x).sum::<f64>();
        let absolute: f64 = h.col(j).iter().map(|h| h.abs()).sum();
        squares(x.col(j)) + penalty.lambda * absolute + penalty.kappa2 / 2.0 * squares(h.col(j))
    };
    sums.r = law.iter().enumerate().map(|(j, p)| p * part(j)).sum();
    sums.weight = 1.0;
    sums
}

/// The law of patches under `π`.
struct Law {
    patches: Mat<f64>,
    probabilities: Vec<f64>,
    homomorphisms: u64,
}

impl Law {
    fn new(network: &Arc<Network>, motif: &Motif, options: &StaticOptions) -> Result<Self> {
        let homomorphisms = Homomorphisms::new(network, motif, options)?;
        let cut = NetworkPatches::new(network, motif.k(), Adjacency::BUDGET);
        let mut united = United { cut: &cut, index: HashMap::new(), logs: Vec::new(), count: 0 };
        let mut block: Vec<u32> = Vec::with_capacity(BLOCK * motif.k());
        homomorphisms.each(|x| {
            block.extend(x);
            if block.len() == BLOCK * motif.k() {
                united.add(&block, motif)?;
                block.clear();
            }
            Ok(())
        })?;
        united.add(&block, motif)?;
        if united.count == 0 {
            let which = if options.injective { "with different nodes" } else { "at all" };
            let expected = format!("there must be a sample of {} {which} in the network", motif.describe());
            return Err(Error::parameter("the number of motif samples", 0, expected));
        }
        Ok(united.finish())
    }

    /// `Σ_x π(x) ‖A_x‖`.
    fn mean_norm(&self) -> f64 {
        let norm = |j: usize| self.patches.col(j).iter().map(|x| x * x).sum::<f64>().sqrt();
        self.probabilities.iter().enumerate().map(|(j, p)| p * norm(j)).sum()
    }
}

/// Patches that were seen, each once.
struct United<'a> {
    cut: &'a NetworkPatches,
    /// Where each patch is, by its bits, or the bits of its numbers where these are more.
    index: HashMap<Vec<u64>, usize>,
    /// Logarithms of their weights.
    logs: Vec<LogSum>,
    count: u64,
}

/// A sum of numbers given by their logarithms: in units of the largest, which neither overflow nor vanish.
#[derive(Clone, Copy)]
struct LogSum {
    scale: f64,
    sum: f64,
}

impl LogSum {
    fn add(&mut self, log: f64) {
        if log > self.scale {
            self.sum *= (self.scale - log).exp();
            self.scale = log;
        }
        self.sum += (log - self.scale).exp();
    }
}

impl United<'_> {
    /// Adds the patches of homomorphisms, `k` nodes each.
    fn add(&mut self, xs: &[u32], motif: &Motif) -> Result<()> {
        let (k, network) = (motif.k(), self.cut.network());
        let mut numbers = vec![0.0f64; self.cut.features()];
        let mut bits = vec![0; self.cut.words()];
        for x in xs.chunks_exact(k) {
            let key = if self.cut.are_bits() {
                self.cut.bits(x, &mut bits);
                bits.clone()
            } else {
                self.cut.write(x, &mut numbers);
                numbers.iter().map(|number| number.to_bits()).collect()
            };
            let new = self.index.len();
            let at = *self.index.entry(key).or_insert(new);
            if at == new {
                let all = (new + 1).saturating_mul(self.cut.features());
                if all > MOST_NUMBERS {
                    let expected = format!("those of {} nodes may be at most {}", k, MOST_NUMBERS / (k * k));
                    return Err(Error::parameter("the number of different patches", new + 1, expected));
                }
                self.logs.push(LogSum { scale: f64::NEG_INFINITY, sum: 0.0 });
            }
            let weight =
                |&(i, j): &(u32, u32)| network.weight(x[i as usize] as usize, x[j as usize] as usize);
            let log =
                if network.is_weighted() { motif.edges().iter().map(|e| weight(e).ln()).sum() } else { 0.0 };
            self.logs[at].add(log);
            self.count += 1;
        }
        Ok(())
    }

    fn finish(self) -> Law {
        let mut patches = Mat::zeros(self.cut.features(), self.index.len());
        for (key, &at) in &self.index {
            if self.cut.are_bits() {
                self.cut.expand(key, patches.col_mut(at));
            } else {
                patches.col_mut(at).iter_mut().zip(key).for_each(|(to, &bits)| *to = f64::from_bits(bits));
            }
        }
        let largest = self.logs.iter().map(|log| log.scale).fold(f64::NEG_INFINITY, f64::max);
        let mut law: Vec<f64> = self.logs.iter().map(|log| log.sum * (log.scale - largest).exp()).collect();
        let total: f64 = law.iter().sum();
        law.iter_mut().for_each(|p| *p /= total);
        Law { patches, probabilities: law, homomorphisms: self.count }
    }
}

/// All homomorphisms of a motif into a network, by depth-first search along a spanning tree.
struct Homomorphisms<'a> {
    network: &'a Network,
    tree: RootedTree,
    /// For each node of the motif, the edges outside of the tree that can be tested once it is placed.
    closing: Vec<Vec<(u32, u32)>>,
    injective: bool,
}

impl<'a> Homomorphisms<'a> {
    fn new(network: &'a Network, motif: &Motif, options: &StaticOptions) -> Result<Self> {
        let (spanning, rest) = motif.spanning_tree()?;
        let tree = spanning.tree().cloned().unwrap_or_else(|| unreachable!("a spanning tree is a tree"));
        let mut rank = vec![0; motif.k()];
        tree.order.iter().zip(1..).for_each(|(&node, at)| rank[node as usize] = at);
        let mut closing = vec![Vec::new(); motif.k()];
        for (i, j) in rest {
            let last = if rank[i as usize] > rank[j as usize] { i } else { j };
            closing[last as usize].push((i, j));
        }
        let this = Self { network, tree, closing, injective: options.injective };
        let count = this.count();
        if count > options.most_homomorphisms as f64 {
            let of = if motif.tree().is_some() { "" } else { "a spanning tree of " };
            let found = format!("{count:.4e} of {of}{}", motif.describe());
            let most = options.most_homomorphisms;
            let expected =
                format!("at most {most} can be gone through: sample them, or take a smaller motif");
            return Err(Error::parameter("the number of motif samples", found, expected));
        }
        Ok(this)
    }

    /// How many there are of the tree, by backward counts.
    fn count(&self) -> f64 {
        let n = self.network.nodes();
        let mut below: Vec<Option<Vec<f64>>> = vec![None; self.closing.len()];
        for &node in self.tree.order.iter().rev() {
            let own = below[node as usize].take().unwrap_or_else(|| vec![1.0; n]);
            let parent = below[self.tree.parent[node as usize] as usize].get_or_insert_with(|| vec![1.0; n]);
            for (v, count) in parent.iter_mut().enumerate() {
                *count *= self.row(node, v).iter().map(|&w| own[w as usize]).sum::<f64>();
            }
        }
        below[0].as_ref().map_or(n as f64, |counts| counts.iter().sum())
    }

    /// Where a node of the motif may be when its parent is at `v`.
    fn row(&self, node: u32, v: usize) -> &'a [u32] {
        let rows =
            if self.tree.downward[node as usize] { self.network.rows() } else { self.network.incoming() };
        rows.neighbors(v)
    }

    /// Calls `each` with every homomorphism, in the order of their nodes along the tree.
    fn each(&self, mut each: impl FnMut(&[u32]) -> Result<()>) -> Result<()> {
        let (order, k) = (&self.tree.order, self.closing.len());
        // Of the nodes placed after the root: where each may be, and how many of these places have been tried.
        let mut open: Vec<(&[u32], usize)> = Vec::with_capacity(k);
        let mut x = vec![0; k];
        for root in 0..self.network.nodes() as u32 {
            x[0] = root;
            if order.is_empty() {
                each(&x)?;
                continue;
            }
            open.push((self.row(order[0], root as usize), 0));
            while let Some((places, tried)) = open.last_mut() {
                let Some(&place) = places.get(*tried) else {
                    open.pop();
                    continue;
                };
                *tried += 1;
                let (depth, node) = (open.len(), order[open.len() - 1]);
                x[node as usize] = place;
                if !self.fits(&x, depth, node) {
                    continue;
                }
                if depth == order.len() {
                    each(&x)?;
                } else {
                    let next = order[depth];
                    let parent = x[self.tree.parent[next as usize] as usize];
                    open.push((self.row(next, parent as usize), 0));
                }
            }
        }
        Ok(())
    }

    /// Whether a node just placed has its other edges, and a place of its own where that is asked for.
    fn fits(&self, x: &[u32], depth: usize, node: u32) -> bool {
        let at = |i: u32| x[i as usize];
        let earlier = std::iter::once(0).chain(self.tree.order[..depth - 1].iter().copied());
        (!self.injective || earlier.into_iter().all(|i| at(i) != at(node)))
            && self.closing[node as usize]
                .iter()
                .all(|&(i, j)| self.network.neighbors(at(i) as usize).binary_search(&at(j)).is_ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Build, Edge, Loops, NodeIds};
    use crate::run::{Run, RunPlan};

    /// All maps, one after another, with a product of weights that is not 0.
    fn by_maps(network: &Network, motif: &Motif, injective: bool) -> Vec<(Vec<u32>, f64)> {
        let (n, k) = (network.nodes() as u32, motif.k());
        let mut all = Vec::new();
        let mut x = vec![0; k];
        loop {
            let weight =
                |&(i, j): &(u32, u32)| network.weight(x[i as usize] as usize, x[j as usize] as usize);
            let weight: f64 = motif.edges().iter().map(weight).product();
            let different = (0..k).all(|i| (0..i).all(|j| x[i] != x[j]));
            if weight > 0.0 && (different || !injective) {
                all.push((x.clone(), weight));
            }
            let Some(at) = (0..k).find(|&i| x[i] + 1 < n) else { return all };
            x[..at].fill(0);
            x[at] += 1;
        }
    }

    fn networks() -> Vec<Arc<Network>> {
        let edges: Vec<Edge> = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 3), (4, 5), (5, 1), (3, 1)]
            .iter()
            .zip([1.0, 2.0, 0.5, 3.0, 1.5, 0.25, 1.0, 4.0])
            .map(|(&(u, v), weight)| (u, v, weight))
            .collect();
        let mut all = Vec::new();
        for directed in [false, true] {
            for weighted in [false, true] {
                for loops in [Loops::Drop, Loops::Keep] {
                    let build = Build { directed, loops };
                    all.push(Arc::new(
                        Network::build(NodeIds::numbered(7), &edges, weighted, build).unwrap().0,
                    ));
                }
            }
        }
        all
    }

    fn motifs() -> Vec<Motif> {
        vec![
            Motif::path(1).unwrap(),
            Motif::path(4).unwrap(),
            Motif::star(4).unwrap(),
            Motif::cycle(3).unwrap(),
            Motif::cycle(4).unwrap(),
            Motif::complete(3).unwrap(),
            Motif::new(4, vec![(1, 0), (1, 2), (3, 2), (0, 3)]).unwrap(),
            Motif::new(3, vec![(2, 0), (2, 1)]).unwrap(),
        ]
    }

    #[test]
    fn the_search_finds_every_homomorphism_once() {
        for network in networks() {
            for motif in motifs() {
                for injective in [false, true] {
                    let options = StaticOptions { injective, ..StaticOptions::default() };
                    let search = Homomorphisms::new(&network, &motif, &options).unwrap();
                    let mut found = Vec::new();
                    search
                        .each(|x| {
                            found.push(x.to_vec());
                            Ok(())
                        })
                        .unwrap();
                    if motif.tree().is_some() && !injective {
                        assert_eq!(search.count(), found.len() as f64);
                    }
                    found.sort();
                    let mut exact: Vec<_> =
                        by_maps(&network, &motif, injective).into_iter().map(|x| x.0).collect();
                    exact.sort();
                    assert_eq!(found, exact, "{motif:?}, injective: {injective}");
                }
            }
        }
    }

    #[test]
    fn equal_patches_are_united_with_their_weights() {
        for network in networks() {
            for motif in motifs() {
                let exact = by_maps(&network, &motif, false);
                let result = Law::new(&network, &motif, &StaticOptions::default());
                if exact.is_empty() {
                    assert!(result.is_err());
                    continue;
                }
                let law = result.unwrap();
                assert_eq!(law.homomorphisms, exact.len() as u64);
                let total: f64 = exact.iter().map(|x| x.1).sum();
                for j in 0..law.patches.cols() {
                    assert!((0..j).all(|i| law.patches.col(i) != law.patches.col(j)));
                    let same = exact.iter().filter(|(x, _)| {
                        let entry = |(a, b): (usize, usize)| network.weight(x[a] as usize, x[b] as usize);
                        let k = motif.k();
                        (0..k * k).all(|i| law.patches.get(i, j) == entry((i / k, i % k)))
                    });
                    let p = same.map(|x| x.1).sum::<f64>() / total;
                    assert!((law.probabilities[j] - p).abs() < 1e-12, "{} for {p}", law.probabilities[j]);
                }
                assert!((law.probabilities.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn weights_below_all_numbers_have_a_law() {
        let edges = [(0, 1, 1e-300), (1, 2, 2e-300)];
        let network = Network::build(NodeIds::numbered(3), &edges, true, Build::default()).unwrap().0;
        let law = Law::new(&Arc::new(network), &Motif::path(3).unwrap(), &StaticOptions::default()).unwrap();
        assert!(law.probabilities.iter().all(|p| p.is_finite() && *p > 0.0));
        assert!((law.probabilities.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn too_many_homomorphisms_are_refused_with_their_number() {
        let karate = Arc::new(crate::data::embedded("karate").unwrap());
        let options = StaticOptions { most_homomorphisms: 100, ..StaticOptions::default() };
        let refused =
            |motif: &Motif| ExhaustiveSource::new("", &karate, motif, &options, 0).err().unwrap().to_string();
        let message = refused(&Motif::path(2).unwrap());
        assert!(message.contains("1.5600e2") && message.contains("100"), "{message}");
        assert!(refused(&Motif::cycle(3).unwrap()).contains("spanning tree"));
        let none = Arc::new(Network::simple(3, &[]).unwrap());
        let message = ExhaustiveSource::new("", &none, &Motif::path(2).unwrap(), &options, 0)
            .err()
            .unwrap()
            .to_string();
        assert!(message.contains("must be a sample of"), "{message}");
        let options = StaticOptions { tolerance: f64::NAN, ..options };
        assert!(ExhaustiveSource::new("", &none, &Motif::path(2).unwrap(), &options, 0).is_err());
    }

    /// A round is all patches, however many samples its means count for.
    #[test]
    fn rounds_have_the_sweeps_of_large_minibatches() {
        let network = networks().swap_remove(0);
        let learned = |dictionary_sweeps| {
            let settings =
                FactorSettings { dictionary_sweeps, dictionary_tolerance: 0.0, ..FactorSettings::new(4) };
            let (options, motif) = (StaticOptions::default(), Motif::path(4).unwrap());
            let source = ExhaustiveSource::new("", &network, &motif, &options, 0).unwrap();
            let settings = ExhaustiveSource::parameters(settings);
            let first = Factorizer::random(settings.clone(), 16, 0).unwrap();
            let plan = RunPlan::new("network learn", settings, 0);
            let mut run = Run::new(plan, Box::new(source), Some(first)).unwrap();
            run.run(None, &Stop::default()).unwrap();
            run.trainer().learned().unwrap().dictionary().clone()
        };
        assert_eq!(learned(None), learned(Some(5)));
        assert_ne!(learned(None), learned(Some(1)));
    }

    /// Statistics under a law whose weights are counts are those of the columns, each so often.
    #[test]
    fn weighted_statistics_are_those_of_repeated_columns() {
        let x = Mat::from_fn(5, 3, |i, j| ((i * 3 + j * j) % 4) as f64);
        let counts = [1usize, 2, 5];
        let repeated: Vec<usize> = (0..3).flat_map(|j| std::iter::repeat_n(j, counts[j])).collect();
        let all = Mat::from_fn(5, 8, |i, j| x.get(i, repeated[j]));
        let parameters = FactorSettings { lambda: 0.3, kappa2: 0.2, ..FactorSettings::new(2) };
        let mut factorizer = Factorizer::random(parameters, 5, 1).unwrap();
        let exact = factorizer.statistics(&all).unwrap();
        factorizer.transform(&x).unwrap();
        let law: Vec<f64> = counts.iter().map(|&count| count as f64 / 8.0).collect();
        let found = expected(&x, &law, &factorizer);
        let close = |x: &Mat<f64>, y: &Mat<f64>| {
            (0..x.cols()).all(|j| (0..x.rows()).all(|i| (x.get(i, j) - y.get(i, j) / 8.0).abs() < 1e-9))
        };
        assert!(close(&found.a, &exact.a) && close(&found.b_transposed, &exact.b_transposed));
        assert!((found.r - exact.r / 8.0).abs() < 1e-9);
    }
}
