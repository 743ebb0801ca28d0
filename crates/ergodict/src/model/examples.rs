//! Examples of atoms: the subgraphs of networks that each atom makes the largest share of.
//!
//! | symbol | here | where |
//! |---|---|---|
//! | `x`, a homomorphism drawn by the sampler | `xs` | docs/maths.md, Homomorphisms |
//! | `X = A_x` as a column, `H` its code, `X̂ = WH` | `patches`, `factorizer.code()` | docs/maths.md, Patches |
//! | `s_k(x) = H_k ⟨W_k, X̂⟩ / ‖X‖²` | [`Example::share`] | here |
//!
//! Since `Σ_k H_k ⟨W_k, X̂⟩ = ‖X̂‖²`, the shares of all atoms add up to `‖X̂‖²/‖X‖²`, the part of the patch that atoms explain, which is at
//! most 1 for nonnegative and for free codes. A patch that is a multiple of one atom and is coded without a penalty has share 1 of that atom, if no
//! other code gives the patch as well. A penalty makes codes smaller, and shares with them.
//!
//! Homomorphisms are drawn afresh, from streams that nothing was learned from. Those with the same set of nodes are one subgraph, of which the
//! largest share counts. A chain that moves node by node would give nearly the same subgraph again and again, so those that have
//! more than half of their nodes in common with a better one come only where there are no others.

use crate::chain::{MotifSampler, MotifWalker};
use crate::data::{Adjacency, Network};
use crate::factor::Factorizer;
use crate::linalg::{Mat, Scalar};
use crate::patch::NetworkPatches;
use crate::rng::ids;
use crate::settings::NetworkSettings;
use crate::{Error, Result};
use std::collections::HashSet;
use std::sync::Arc;

/// Subgraphs of an atom that are compared with each other.
const POOL: usize = 64;

/// Patches that are coded together, so that large ones take little memory.
const BLOCK: usize = 256;

/// How examples are looked for.
///
/// The share of atom `k` in a patch `X = A_x` with code `H` and `X̂ = WH` is `s_k(x) = H_k ⟨W_k, X̂⟩ / ‖X‖²`; the shares of all atoms add up to `‖X̂‖²/‖X‖²`.
///
/// ```
/// use ergodict::model::Examples;
/// let examples = Examples { each: 1, ..Examples::default() };
/// assert!(examples.draws > 1000 && examples.memory.is_none());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Examples {
    /// Most examples of an atom.
    pub each: usize,
    /// Homomorphisms drawn, of all networks together, but at least `Examples::FEWEST` of each.
    pub draws: usize,
    /// Steps of a sampler before the first.
    pub burn_in: u64,
    /// Steps from one to the next.
    pub every: u64,
    /// Most bytes of a test of adjacency, if it was said.
    pub memory: Option<usize>,
}

impl Examples {
    /// As settings ask for them.
    pub fn from_settings(settings: &NetworkSettings) -> Self {
        let sampling = &settings.sampling;
        let memory = sampling.memory_of_adjacency();
        let (each, burn_in, every) = (settings.examples, sampling.burn_in, sampling.every);
        Self { each, burn_in, every, memory, ..Self::default() }
    }
}

impl Default for Examples {
    /// Four of each atom among two thousand draws: a fifth of the patches of a run of the paper's size.
    fn default() -> Self {
        Self { each: NetworkSettings::default().examples, draws: 2048, burn_in: 0, every: 1, memory: None }
    }
}

/// A subgraph that an atom makes a large share of.
///
/// ```
/// use ergodict::model::Example;
/// let example = Example { network: 0, nodes: vec![3, 7], patch: vec![0.0, 1.0, 1.0, 0.0], share: 0.9 };
/// assert_eq!(example.patch.len(), example.nodes.len().pow(2));
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Example {
    /// The network it is in, by its place among those given.
    pub network: usize,
    /// The node at each node of the motif.
    pub nodes: Vec<u32>,
    /// Its patch, row by row.
    pub patch: Vec<f64>,
    /// The share `s_k` of the atom, see the head of this file.
    pub share: f64,
}

/// All that was drawn.
struct SampledNetwork {
    /// The network and the nodes of each.
    network: Vec<usize>,
    xs: Vec<u32>,
    k: usize,
    /// Its nodes in order, each once.
    sets: Vec<Vec<u32>>,
    /// Shares, a row for each homomorphism.
    shares: Mat<f64>,
}

impl Examples {
    /// The fewest homomorphisms of a network.
    pub(crate) const FEWEST: usize = 64;

    /// Examples of each atom, in the order of the atoms, those of the largest shares first. An atom that no patch uses has none. Those of
    /// equal shares are in the order of the networks and of the draws.
    ///
    /// # Errors
    /// [`Error::Parameter`] when `every` is 0, [`Error::Shape`] for motifs of another size than the atoms, and those of
    /// [`Factorizer::transform`].
    pub(crate) fn find<T: Scalar>(
        &self,
        factorizer: &mut Factorizer<T>,
        networks: &[(Arc<Network>, Arc<dyn MotifSampler>)],
        seed: u64,
    ) -> Result<Vec<Vec<Example>>> {
        let atoms = factorizer.dictionary().cols();
        if self.each == 0 || networks.is_empty() {
            return Ok(vec![Vec::new(); atoms]);
        }
        let drawn = self.draw(factorizer, networks, seed)?;
        let mut cut: Vec<Option<NetworkPatches>> = vec![None; networks.len()];
        let mut example = |at: usize, atom: usize| {
            let (network, nodes) = (drawn.network[at], drawn.x(at).to_vec());
            let patches =
                cut[network].get_or_insert_with(|| NetworkPatches::new(&networks[network].0, drawn.k, 0));
            let mut patch = vec![0.0; drawn.k * drawn.k];
            patches.write(&nodes, &mut patch);
            Example { network, nodes, patch, share: drawn.shares.get(atom, at) }
        };
        let each = |atom| drawn.best(atom, self.each).into_iter().map(|at| example(at, atom)).collect();
        Ok((0..atoms).map(each).collect())
    }

    /// Draws homomorphisms and codes their patches.
    fn draw<T: Scalar>(
        &self,
        factorizer: &mut Factorizer<T>,
        networks: &[(Arc<Network>, Arc<dyn MotifSampler>)],
        seed: u64,
    ) -> Result<SampledNetwork> {
        let k = factorizer.dictionary().rows().isqrt();
        let count = (self.draws / networks.len()).max(Self::FEWEST);
        let (atoms, all) = (factorizer.dictionary().cols(), networks.len() * count);
        let gram = gram(factorizer.dictionary());
        let mut drawn = SampledNetwork {
            network: Vec::with_capacity(all),
            xs: Vec::with_capacity(all * k),
            k,
            sets: Vec::with_capacity(all),
            shares: Mat::zeros(atoms, all),
        };
        let (mut xs, mut patches) = (vec![0; count * k], Mat::<T>::zeros(0, 0));
        for (at, (network, sampler)) in networks.iter().enumerate() {
            let found = sampler.motif().k();
            if found * found != factorizer.dictionary().rows() {
                let rows = factorizer.dictionary().rows();
                return Err(Error::shape(
                    "the motif",
                    format!("{found} nodes"),
                    format!("atoms of {rows} numbers"),
                ));
            }
            let id = ids::EXAMPLES + at as u64;
            MotifWalker::new(Arc::clone(sampler), seed, id, self.burn_in, self.every)?.fill(&mut xs);
            // So few patches are not worth hashed rows, which take longer to be made than they save.
            let bits = self.memory.unwrap_or(Adjacency::BUDGET).min(Adjacency::BUDGET);
            let cut = NetworkPatches::with(Adjacency::within(network, bits, 0), k);
            for xs in xs.chunks(BLOCK * k) {
                cut.write_all(xs, &mut patches);
                factorizer.transform(&patches)?;
                for (j, x) in xs.chunks_exact(k).enumerate() {
                    let shares = drawn.shares.col_mut(drawn.network.len());
                    share(&gram, factorizer.code().col(j), patches.col(j), shares);
                    let mut set = x.to_vec();
                    set.sort_unstable();
                    set.dedup();
                    drawn.sets.push(set);
                    drawn.network.push(at);
                }
            }
            drawn.xs.extend(&xs);
        }
        Ok(drawn)
    }
}

impl SampledNetwork {
    fn x(&self, at: usize) -> &[u32] {
        &self.xs[at * self.k..][..self.k]
    }

    /// The draws that an atom has the largest shares of, each of another set of nodes.
    fn best(&self, atom: usize, most: usize) -> Vec<usize> {
        let mut order: Vec<usize> =
            (0..self.sets.len()).filter(|&at| self.shares.get(atom, at) > 0.0).collect();
        // The sort is stable: equal shares stay in the order of the draws.
        order.sort_by(|&a, &b| self.shares.get(atom, b).total_cmp(&self.shares.get(atom, a)));
        let mut seen = HashSet::new();
        let different = order.into_iter().filter(|&at| seen.insert((self.network[at], &self.sets[at])));
        let pool: Vec<usize> = different.take(POOL.max(most)).collect();
        let mut chosen: Vec<usize> = Vec::new();
        for &at in &pool {
            if chosen.len() < most && chosen.iter().all(|&other| !self.alike(at, other)) {
                chosen.push(at);
            }
        }
        let rest: Vec<usize> = pool.iter().copied().filter(|at| !chosen.contains(at)).collect();
        let missing = most - chosen.len();
        chosen.extend(rest.into_iter().take(missing));
        let place = |at: &usize| pool.iter().position(|other| other == at);
        chosen.sort_by_key(place);
        chosen
    }

    /// Whether more than half of the nodes of the smaller are in the other as well.
    fn alike(&self, a: usize, b: usize) -> bool {
        let (x, y) = (&self.sets[a], &self.sets[b]);
        let common = x.iter().filter(|v| y.binary_search(v).is_ok()).count();
        self.network[a] == self.network[b] && 2 * common > x.len().min(y.len())
    }
}

/// `WᵀW`.
fn gram<T: Scalar>(w: &Mat<T>) -> Mat<f64> {
    let w: Mat<f64> = w.cast();
    let dot = |i: usize, j: usize| w.col(i).iter().zip(w.col(j)).map(|(a, b)| a * b).sum();
    Mat::from_fn(w.cols(), w.cols(), dot)
}

/// `s_k = H_k ⟨W_k, WH⟩ / ‖X‖²` for every atom; zeros for an empty patch.
fn share<T: Scalar>(gram: &Mat<f64>, code: &[T], patch: &[T], shares: &mut [f64]) {
    let norm: f64 = patch.iter().map(|x| x.to_f64().powi(2)).sum();
    if norm == 0.0 {
        return;
    }
    let used = || code.iter().map(|h| h.to_f64()).enumerate().filter(|(_, h)| *h != 0.0);
    for (k, h) in used() {
        let correlation: f64 = used().map(|(j, other)| gram.get(j, k) * other).sum();
        shares[k] = h * correlation / norm;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::{Motif, SamplerBuilder, SamplerKind};
    use crate::data::{Build, NodeIds, embedded};
    use crate::factor::FactorSettings;

    type Drawable = (Arc<Network>, Arc<dyn MotifSampler>);

    fn sampled(network: Network, k: usize, injective: bool) -> Drawable {
        let (network, motif) = (Arc::new(network), Motif::path(k).unwrap());
        let samplers = SamplerBuilder { injective, ..SamplerBuilder::default() };
        let (_, sampler) = samplers.natural(&network, &motif, 0).unwrap();
        (network, sampler)
    }

    /// Cliques of five, each joined to the next by a path of six nodes: nodes 0..5 and 11..16 and so on are cliques.
    fn planted(cliques: u32) -> Network {
        let mut edges = Vec::new();
        for c in 0..cliques {
            let base = 11 * c;
            edges.extend((0..5).flat_map(|a| (0..a).map(move |b| (base + b, base + a))));
            edges.extend((4..10).map(|a| (base + a, base + a + 1)));
            if c + 1 < cliques {
                edges.push((base + 10, base + 11));
            }
        }
        Network::simple(11 * cliques as usize, &edges).unwrap()
    }

    /// The atoms of cliques and of paths of four nodes, of norm 1, coded without a penalty.
    fn two_atoms() -> Factorizer<f64> {
        let clique = |a: usize, b: usize| if a == b { 0.0 } else { 1.0 / 12f64.sqrt() };
        let path = |a: usize, b: usize| if a.abs_diff(b) == 1 { 1.0 / 6f64.sqrt() } else { 0.0 };
        let w = Mat::from_fn(16, 2, |i, j| if j == 0 { clique(i / 4, i % 4) } else { path(i / 4, i % 4) });
        let parameters = FactorSettings { lambda: 0.0, ..FactorSettings::new(2) };
        Factorizer::from_dictionary(parameters, w.as_ref()).unwrap()
    }

    #[test]
    fn planted_cliques_and_paths_are_found_with_shares_of_one() {
        let found = Examples::default().find(&mut two_atoms(), &[sampled(planted(5), 4, true)], 3).unwrap();
        let in_clique = |v: &u32| v % 11 < 5;
        assert_eq!((found[0].len(), found[1].len()), (4, 4));
        for example in &found[0] {
            assert!(example.nodes.iter().all(in_clique), "{example:?}");
            assert!((example.share - 1.0).abs() < 1e-6 && example.patch.iter().sum::<f64>() == 12.0);
        }
        for example in &found[1] {
            // One of its ends may be in a clique.
            let path = |i: usize| if (i / 4).abs_diff(i % 4) == 1 { 1.0 } else { 0.0 };
            assert_eq!(example.patch, (0..16).map(path).collect::<Vec<f64>>(), "{example:?}");
            assert!((example.share - 1.0).abs() < 1e-6);
        }
        // Cliques of different places, since there are more than four.
        let mut places: Vec<u32> = found[0].iter().map(|example| example.nodes[0] / 11).collect();
        places.sort_unstable();
        places.dedup();
        assert_eq!(places.len(), 4, "{found:?}");
    }

    #[test]
    fn shares_add_up_to_what_is_explained() {
        let networks = [sampled(embedded("@karate").unwrap().unweighted(), 4, false)];
        let mut factorizer = two_atoms();
        let search = Examples { draws: 200, ..Examples::default() };
        let drawn = search.draw(&mut factorizer, &networks, 1).unwrap();
        let mut rebuilt = Mat::zeros(0, 0);
        factorizer.reconstruct(&mut rebuilt);
        let cut = NetworkPatches::new(&networks[0].0, 4, Adjacency::BUDGET);
        for at in 0..200 {
            let mut patch = [0.0; 16];
            cut.write(drawn.x(at), &mut patch);
            let squares = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>();
            let explained = squares(rebuilt.col(at)) / squares(&patch);
            let sum: f64 = drawn.shares.col(at).iter().sum();
            assert!((sum - explained).abs() < 1e-12 && sum <= 1.0 + 1e-9, "{sum} for {explained}");
        }
    }

    #[test]
    fn the_best_of_every_set_of_nodes_by_brute_force() {
        let networks =
            [sampled(embedded("@karate").unwrap().unweighted(), 4, false), sampled(planted(2), 4, false)];
        let mut factorizer = two_atoms();
        let search = Examples { each: 3, draws: 300, ..Examples::default() };
        let found = search.find(&mut factorizer, &networks, 9).unwrap();
        // All draws again, one at a time and by the definition.
        let mut all: Vec<(usize, Vec<u32>, [f64; 2])> = Vec::new();
        for (at, (network, sampler)) in networks.iter().enumerate() {
            let id = ids::EXAMPLES + at as u64;
            let mut walker = MotifWalker::new(Arc::clone(sampler), 9, id, 0, 1).unwrap();
            for _ in 0..150 {
                let mut x = vec![0; 4];
                walker.fill(&mut x);
                let patch = Mat::from_fn(16, 1, |i, _| network.weight(x[i / 4] as usize, x[i % 4] as usize));
                factorizer.transform(&patch).unwrap();
                let (h, w) = (factorizer.code().col(0).to_vec(), factorizer.dictionary());
                let rebuilt: Vec<f64> = (0..16).map(|i| h[0] * w.get(i, 0) + h[1] * w.get(i, 1)).collect();
                let norm: f64 = patch.col(0).iter().map(|x| x * x).sum();
                let share = |k: usize| h[k] * (0..16).map(|i| w.get(i, k) * rebuilt[i]).sum::<f64>() / norm;
                all.push((at, x, [share(0), share(1)]));
            }
        }
        for (atom, examples) in found.iter().enumerate() {
            let best = all.iter().map(|one| one.2[atom]).fold(0.0, f64::max);
            assert!((examples[0].share - best).abs() < 1e-9, "{} for {best}", examples[0].share);
            assert!(examples.windows(2).all(|two| two[0].share >= two[1].share));
            for example in examples {
                let same = |one: &&(usize, Vec<u32>, [f64; 2])| {
                    let sorted = |x: &[u32]| x.iter().copied().collect::<std::collections::BTreeSet<_>>();
                    one.0 == example.network && sorted(&one.1) == sorted(&example.nodes)
                };
                let most = all.iter().filter(same).map(|one| one.2[atom]).fold(0.0, f64::max);
                assert!((example.share - most).abs() < 1e-9, "the best of its nodes");
            }
        }
    }

    #[test]
    fn any_number_of_threads_gives_the_same_and_none_are_none() {
        let networks = [sampled(embedded("@lesmis").unwrap(), 4, false)];
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| Examples::default().find(&mut two_atoms(), &networks, 5).unwrap())
        };
        assert!(run(1) == run(3));
        let none = Examples { each: 0, ..Examples::default() };
        assert_eq!(none.find(&mut two_atoms(), &networks, 5).unwrap(), [vec![], vec![]]);
        let larger = sampled(planted(2), 5, false);
        assert!(Examples::default().find(&mut two_atoms(), &[larger], 0).is_err());
    }

    #[test]
    fn directed_and_weighted_networks_have_their_own_patches() {
        let edges = [(0, 1, 2.0), (1, 2, 3.0), (2, 3, 1.0), (3, 0, 4.0), (0, 2, 5.0)];
        let ids = NodeIds::words(["a", "b", "c", "d"]);
        let network = Network::build(ids, &edges, true, Build::default()).unwrap().0;
        let motif = Motif::path(4).unwrap();
        let network = Arc::new(network);
        let sampler = SamplerBuilder::default().build(SamplerKind::Exact, &network, &motif, 0).unwrap();
        let found =
            Examples::default().find(&mut two_atoms(), &[(Arc::clone(&network), sampler)], 0).unwrap();
        assert!(found.iter().any(|examples| !examples.is_empty()));
        for example in found.iter().flatten() {
            for (i, value) in example.patch.iter().enumerate() {
                let (u, v) = (example.nodes[i / 4] as usize, example.nodes[i % 4] as usize);
                assert_eq!(*value, network.weight(u, v));
            }
        }
    }
}
