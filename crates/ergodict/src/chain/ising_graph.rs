//! The Ising model on any graph, by random-scan Gibbs sampling.
//!
//! | symbol | here | where |
//! |---|---|---|
//! | `x(v)` | spins ±1, by node | Section "Ising model" of the paper, docs/maths.md, Chains ("any graph") |
//! | `u ∼ v` | [`IsingGraph::neighbors`] | the edges given |
//! | `J(u,v)` | `couplings` (1 in the paper), one for each edge | the energy below |
//! | `T`, `h` | `temperature`, `field` | as on a lattice, `ising.rs` |
//! | `H(x) = −Σ_edges J(u,v) x(u)x(v) − Σ_v h(v)x(v)` | [`SpinSystem::energy`] | |
//! | `P(x(v) = +1 \| rest) = 1/(1 + exp(−(2/T)(Σ_{u∼v} J(u,v) x(u) + h(v))))` | `IsingGraph::probability_plus` | docs/maths.md, Chains, where the paper prints the opposite sign |
//!
//! The paper has lattices only. One random word serves one update, site and spin.

use super::cluster::{Bonds, ClusterModel, ClusterSizes};
use super::heat_bath::{Levels, for_each_word, split, threshold};
use super::spins::{check_energy, check_temperature};
use super::{Alphabet, Chain, Field, SpinSystem};
use crate::{Error, Result};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;

/// Thresholds are looked up in tables of at most this number of entries, half a megabyte, which the nearest caches hold.
const TABLE: usize = 1 << 16;

/// The Ising model on a simple graph; a step is one update of one node.
///
/// `H(x) = −Σ_edges J(u,v) x(u)x(v) − Σ_v h(v)x(v)` and `π(x) ∝ exp(−H(x)/T)`, as on a [lattice](super::Ising).
///
/// Isolated nodes, several components and no edges at all are fine.
#[derive(Clone, Debug)]
pub(crate) struct IsingGraph {
    temperature: f64,
    levels: Levels,
    /// Neighbors of node `v` at `starts[v]..starts[v + 1]`.
    starts: Vec<usize>,
    neighbors: Vec<u32>,
    couplings: Couplings,
}

#[derive(Clone, Debug)]
enum Couplings {
    /// All the same: thresholds by the sum of neighbors, from `−degree` to `degree`, for each value of the field.
    Equal { coupling: f64, degree: usize, table: Vec<u64> },
    /// One for each entry of `neighbors`.
    Each(Vec<f64>),
}

impl IsingGraph {
    /// The model on nodes `0..nodes` with edges `(u, v, J)`, each given once, in either direction.
    ///
    /// # Errors
    /// [`Error::Parameter`] for no nodes or more than 2³¹, a temperature that is not a positive number, a coupling
    /// or field that is not finite or so large that energies can overflow, an edge to a node that does not exist, a loop, an edge given twice (its couplings are
    /// not added up: a list with both directions of each edge would silently double them); [`Error::Shape`] for a
    /// field map of another size.
    pub(crate) fn new(
        nodes: usize,
        edges: &[(u32, u32, f64)],
        temperature: f64,
        field: &Field,
    ) -> Result<Self> {
        if nodes == 0 || nodes > 1 << 31 {
            return Err(Error::parameter("the number of nodes", nodes, "it must be between 1 and 2³¹"));
        }
        check_temperature(temperature)?;
        let levels = Levels::new(field, nodes)?;
        let refuse = |u, v, expected: &str| Err(Error::parameter("an edge", format!("({u}, {v})"), expected));
        let mut directed = Vec::with_capacity(2 * edges.len());
        for &(u, v, coupling) in edges {
            if u == v {
                return refuse(u, v, "it must join two different nodes");
            }
            if u.max(v) as usize >= nodes {
                return refuse(u, v, &format!("nodes are numbered from 0 to {}", nodes - 1));
            }
            if !coupling.is_finite() {
                return Err(Error::parameter(
                    "the coupling",
                    format!("{coupling} (edge {u}, {v})"),
                    "it must be finite",
                ));
            }
            directed.extend([(u, v, coupling), (v, u, coupling)]);
        }
        let pulls = edges.iter().map(|edge| edge.2.abs()).sum::<f64>();
        check_energy("couplings and field", pulls + levels.most_work(nodes))?;
        directed.sort_unstable_by_key(|&(u, v, _)| (u, v));
        if let Some(twice) = directed.windows(2).find(|e| (e[0].0, e[0].1) == (e[1].0, e[1].1)) {
            return refuse(twice[0].0, twice[0].1, "it must be given only once, in one direction");
        }
        let mut starts = vec![0; nodes + 1];
        directed.iter().for_each(|&(u, ..)| starts[u as usize + 1] += 1);
        let degree = starts.iter().copied().max().unwrap_or(0);
        (0..nodes).for_each(|v| starts[v + 1] += starts[v]);
        let coupling = edges.first().map_or(0.0, |edge| edge.2);
        let entries = levels.values.len().saturating_mul(2 * degree + 1);
        let couplings = if edges.iter().all(|edge| edge.2 == coupling) && entries <= TABLE {
            let row = |h: f64| {
                (0..=2 * degree)
                    .map(move |k| threshold(2.0 * (coupling * (k as f64 - degree as f64) + h) / temperature))
            };
            Couplings::Equal { coupling, degree, table: levels.values.iter().flat_map(|&h| row(h)).collect() }
        } else {
            Couplings::Each(directed.iter().map(|edge| edge.2).collect())
        };
        let neighbors = directed.iter().map(|edge| edge.1).collect();
        Ok(Self { temperature, levels, starts, neighbors, couplings })
    }

    /// Number of nodes.
    pub(crate) fn nodes(&self) -> usize {
        self.starts.len() - 1
    }

    /// The temperature T.
    #[cfg(test)]
    pub(crate) fn temperature(&self) -> f64 {
        self.temperature
    }

    /// The neighbors of a node, ascending.
    pub(crate) fn neighbors(&self, node: usize) -> &[u32] {
        &self.neighbors[self.starts[node]..self.starts[node + 1]]
    }

    /// Every edge once, with its coupling.
    fn edges(&self) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        (0..self.nodes()).flat_map(move |v| {
            let later = self.neighbors(v).iter().enumerate().filter(move |(_, u)| **u as usize > v);
            later.map(move |(at, &u)| {
                let coupling = match &self.couplings {
                    Couplings::Equal { coupling, .. } => *coupling,
                    Couplings::Each(couplings) => couplings[self.starts[v] + at],
                };
                (v, u as usize, coupling)
            })
        })
    }

    /// The probability with which the sampler makes a node +1, given the others: the 64-bit threshold it compares with, as a
    /// number.
    #[cfg(test)]
    pub(crate) fn probability_plus(&self, spins: &[i8], node: usize) -> f64 {
        super::heat_bath::probability(self.threshold(spins, node))
    }

    #[inline(always)]
    fn threshold(&self, spins: &[i8], node: usize) -> u64 {
        let level = self.levels.index(node);
        let neighbors = self.neighbors(node);
        match &self.couplings {
            Couplings::Equal { degree, table, .. } => {
                let sum: i64 = neighbors.iter().map(|&u| i64::from(spins[u as usize])).sum();
                table[level * (2 * degree + 1) + (sum + *degree as i64) as usize]
            }
            Couplings::Each(couplings) => {
                let couplings = &couplings[self.starts[node]..];
                let pull: f64 =
                    neighbors.iter().zip(couplings).map(|(&u, j)| j * f64::from(spins[u as usize])).sum();
                threshold(2.0 * (pull + self.levels.values[level]) / self.temperature)
            }
        }
    }

    #[inline(always)]
    fn update(&self, spins: &mut [i8], word: u64) {
        let (node, rest) = split(word, self.nodes() as u64);
        let node = node as usize;
        spins[node] = if rest < self.threshold(spins, node) { 1 } else { -1 };
    }
}

impl Chain for IsingGraph {
    type State = Vec<i8>;
    type Info = ();

    /// Every spin is + or − with probability 1/2.
    fn init(&self, rng: &mut ChaCha8Rng) -> Vec<i8> {
        let mut spins = Vec::with_capacity(self.nodes());
        for_each_word(self.nodes() as u64, rng, |word| spins.push(if word >> 63 == 1 { 1 } else { -1 }));
        spins
    }

    fn step(&self, state: &mut Vec<i8>, rng: &mut ChaCha8Rng) {
        self.update(state, rng.next_u64());
    }

    fn steps(&self, state: &mut Vec<i8>, count: u64, rng: &mut ChaCha8Rng) {
        for_each_word(count, rng, |word| self.update(state, word));
    }
}

impl SpinSystem for IsingGraph {
    type Value = i8;

    fn shape(&self) -> (usize, usize) {
        (1, self.nodes())
    }
    fn alphabet(&self) -> Alphabet {
        Alphabet::PlusMinus
    }
    fn spins<'a>(&self, state: &'a Vec<i8>) -> &'a [i8] {
        state
    }
    fn state(&self, spins: &[i8]) -> Result<Vec<i8>> {
        self.alphabet().check(spins, self.nodes())?;
        Ok(spins.to_vec())
    }
    fn energy(&self, state: &Vec<i8>) -> f64 {
        let bonds = self.edges().map(|(u, v, coupling)| coupling * f64::from(state[u] * state[v]));
        -bonds.sum::<f64>() - self.levels.work(state)
    }
    fn bond_clusters(&self, state: &Vec<i8>, rng: &mut ChaCha8Rng) -> Option<ClusterSizes> {
        Some(self.bonds().ok()?.clusters(state, rng).sizes())
    }
}

impl ClusterModel for IsingGraph {
    fn bonds(&self) -> Result<Bonds> {
        let strong =
            |(u, v, coupling): (usize, usize, f64)| (u as u32, v as u32, 2.0 * coupling / self.temperature);
        Ok(Bonds::of_edges(self.nodes(), &self.edges().map(strong).collect::<Vec<_>>()))
    }
    fn pull(&self, node: usize) -> f64 {
        self.levels.value(node) / self.temperature
    }
    fn has_field(&self) -> bool {
        !self.levels.is_zero()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, stream};

    #[test]
    fn bad_graphs_are_refused() {
        let field = Field::Uniform(0.0);
        let refuse = |nodes, edges: &[(u32, u32, f64)], temperature, field: &Field| {
            IsingGraph::new(nodes, edges, temperature, field).unwrap_err().to_string()
        };
        assert!(refuse(0, &[], 1.0, &field).contains("number of nodes"));
        assert!(refuse(3, &[(1, 1, 1.0)], 1.0, &field).contains("two different nodes"));
        assert!(refuse(3, &[(0, 3, 1.0)], 1.0, &field).contains("from 0 to 2"));
        assert!(refuse(3, &[(0, 1, 1.0), (0, 1, 1.0)], 1.0, &field).contains("only once"));
        assert!(refuse(3, &[(0, 1, 1.0), (2, 0, 1.0), (1, 0, 2.0)], 1.0, &field).contains("(0, 1)"));
        assert!(refuse(3, &[(0, 1, f64::NAN)], 1.0, &field).contains("the coupling"));
        for temperature in [0.0, -2.0, f64::NAN, f64::INFINITY] {
            assert!(refuse(3, &[], temperature, &field).contains("the temperature"));
        }
        // Its two neighbors would pull node 0 by ∞ − ∞.
        let torn = [(0, 1, 1e308), (0, 2, -1e308), (1, 2, 1.0)];
        assert!(refuse(3, &torn, 1.0, &field).contains("energies must be finite"));
        assert!(refuse(3, &torn[2..], 1.0, &Field::Uniform(1e308)).contains("energies must be finite"));
        assert!(refuse(3, &[], 1.0, &Field::Map(vec![0.0; 2])).contains("3 sites"));
        assert!(refuse(3, &[], 1.0, &Field::Uniform(f64::INFINITY)).contains("the field"));
    }

    #[test]
    fn tables_and_the_logistic_function_agree() {
        // A star: the center has a degree beyond any lattice's.
        let edges: Vec<(u32, u32, f64)> = (1..40).map(|leaf| (0, leaf, 0.3)).collect();
        let field = Field::Map((0..40).map(|v| f64::from(v % 3) - 1.0).collect());
        let table = IsingGraph::new(40, &edges, 1.5, &field).unwrap();
        let mut each = table.clone();
        assert!(matches!(table.couplings, Couplings::Equal { .. }));
        each.couplings = Couplings::Each(vec![0.3; table.neighbors.len()]);
        let mut rng = stream(1, Purpose::Chain, 0);
        for _ in 0..100 {
            let spins = table.init(&mut rng);
            for node in 0..40 {
                let (p, q) = (table.probability_plus(&spins, node), each.probability_plus(&spins, node));
                assert!((p - q).abs() < 1e-14, "{p} {q}");
            }
            assert!((table.energy(&spins) - each.energy(&spins)).abs() < 1e-12);
        }
    }

    #[test]
    fn many_steps_equal_single_steps() {
        let edges = [(0, 1, 1.0), (3, 1, -0.5), (2, 4, 0.7)];
        let ising = IsingGraph::new(6, &edges, 1.0, &Field::Uniform(0.2)).unwrap();
        let mut rng = stream(2, Purpose::Chain, 0);
        let mut state = ising.init(&mut rng);
        let (mut by_one, mut rng_by_one) = (state.clone(), rng.clone());
        for count in [0, 1, 300, 511] {
            ising.steps(&mut state, count, &mut rng);
            (0..count).for_each(|_| ising.step(&mut by_one, &mut rng_by_one));
            assert_eq!(state, by_one);
            assert_eq!(rng.get_word_pos(), rng_by_one.get_word_pos());
        }
    }
}
