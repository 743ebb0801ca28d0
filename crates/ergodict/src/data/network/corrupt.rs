//! Networks with false edges added or true ones deleted, and the truth to score a method by.
//!
//! The protocol, to be stated next to a number: one starts from the largest component of the simple network, with E edges
//! ([`Base`] has what that left out).
//!
//! - [`add`]: exactly ⌊f E⌋ non-edges are added. The truth has every observed edge, 1 for a true one and 0 for an added one.
//! - [`remove`]: a random spanning tree is kept (Kruskal's, on a random order of the edges), and exactly ⌊f E⌋ of the other edges,
//!   uniformly chosen, are deleted. The truth has the deleted edges with 1, and twice as many pairs with 0 that are non-edges of
//!   the true network: as many uniformly chosen, and as many *degree-matched* ones, which are the ends of the deleted edges shuffled: a
//!   node is in as many of them as it has deleted edges. A set has no pair twice; the two sets may share some.
//!
//! Neither ends in proportion to degree in the true network nor in the observed one would match: a node with many deleted edges has a high true degree and has
//! lost more of it than others. On Erdős–Rényi networks, where nothing can be known, the product of the observed degrees has an AUC of .43
//! against non-edges drawn by true degree, .35 by observed degree, and .50 against shuffled ends.
//!
//! Ends of few deleted edges may have too few non-edges between them (those of one have none). Then the rest have ends in proportion to true
//! degrees: [`Corrupted::unmatched`] counts those.

use super::generate::pairs::PairSet;
use super::generate::{BarabasiAlbert, Generator, WattsStrogatz, sparse};
use super::{Network, non_edges, write_name};
use crate::rng::{ChaCha8Rng, Purpose, ids, shuffle, stream};
use crate::{Error, Result};
use std::io::Write;

/// The probability of rewiring of the Watts–Strogatz networks that false edges are taken from: short ways, and
/// neighborhoods that are still those of a ring.
pub(crate) const REWIRED: f64 = 0.1;

/// How many edges are added or deleted.
///
/// ```
/// use ergodict::data::{corrupt::{Amount, remove}, embedded};
/// let karate = embedded("karate")?; // 78 edges
/// assert_eq!(remove(&karate, Amount::Fraction(0.1), 0)?.changed, 7);
/// assert_eq!(remove(&karate, Amount::Edges(7), 0)?.changed, 7);
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Amount {
    /// ⌊f E⌋ of E edges.
    Fraction(f64),
    /// So many.
    Edges(u64),
}

/// Where false edges come from.
///
/// ```
/// use ergodict::data::{corrupt::{AddModel, Amount, add}, embedded};
/// let karate = embedded("karate")?;
/// for model in [AddModel::ErdosRenyi, AddModel::WattsStrogatz, AddModel::BarabasiAlbert] {
///     assert_eq!(add(&karate, Amount::Edges(20), model, 0)?.observed.edges(), 98);
/// }
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum AddModel {
    /// Uniformly chosen non-edges.
    #[default]
    ErdosRenyi,
    /// Edges of Watts–Strogatz networks on the same nodes, in random places on the ring: the least even number of neighbors that
    /// gives enough edges, `REWIRED`.
    WattsStrogatz,
    /// Edges of Barabási–Albert networks on the same nodes, in random order: the least number of edges a node that gives enough.
    BarabasiAlbert,
}

/// The simple connected network that is made worse.
///
/// ```
/// use ergodict::data::{corrupt::{AddModel, Amount, add}, embedded};
/// let base = add(&embedded("lesmis")?, Amount::Edges(9), AddModel::ErdosRenyi, 0)?.base; // a weighted network
/// assert!(base.weights && !base.directions && base.network.is_simple());
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Base {
    /// It.
    pub network: Network,
    /// Whether weights were left out.
    pub weights: bool,
    /// Whether directions were left out.
    pub directions: bool,
    /// Loops that were left out.
    pub loops: u64,
    /// Nodes outside of the largest component.
    pub nodes: u64,
    /// Edges of the simple network outside of the largest component.
    pub edges: u64,
}

/// What a pair of the truth is.
///
/// ```
/// use ergodict::data::corrupt::Kind;
/// assert!(Kind::Deleted.label() && !Kind::Added.label());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// An edge that was there: 1.
    True,
    /// An edge that was added: 0.
    Added,
    /// An edge that was deleted: 1.
    Deleted,
    /// A non-edge, uniformly chosen: 0.
    Uniform,
    /// A non-edge of shuffled ends of the deleted edges: 0.
    Degree,
}

impl Kind {
    /// Whether the pair is an edge of the true network.
    pub fn label(self) -> bool {
        matches!(self, Self::True | Self::Deleted)
    }

    /// The word for it in tables.
    pub fn word(self) -> &'static str {
        match self {
            Self::True => "true",
            Self::Added => "added",
            Self::Deleted => "deleted",
            Self::Uniform => "uniform",
            Self::Degree => "degree",
        }
    }
}

/// A network made worse, and the truth.
///
/// ```
/// use ergodict::data::{corrupt::{AddModel, Amount, Kind, add}, embedded};
/// let noisy = add(&embedded("karate")?, Amount::Edges(10), AddModel::ErdosRenyi, 0)?;
/// let added = noisy.truth.iter().filter(|(_, _, kind)| *kind == Kind::Added).count();
/// assert_eq!((added, noisy.changed, noisy.base.network.edges()), (10, 10, 78));
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Corrupted {
    /// What a method may see: the nodes of the true network, under the same names.
    pub observed: Network,
    /// The true network, and what was left out to get it.
    pub base: Base,
    /// Edges that were added or deleted.
    pub changed: u64,
    /// Non-edges of [`Kind::Degree`] whose ends are drawn by true degrees, because shuffled ends of the deleted edges gave too few.
    pub unmatched: u64,
    /// The pairs to score, `u < v`: by kind, and ascending.
    pub truth: Vec<(u32, u32, Kind)>,
}

impl Corrupted {
    /// Writes the truth as a table with tabs: `u v label kind`, nodes by their names as
    /// [`write_edge_list`](crate::data::write_edge_list) writes them.
    ///
    /// # Errors
    /// Those of `out` and of [`write_name`].
    pub fn write_truth(&self, out: &mut impl Write) -> std::io::Result<()> {
        let ids = self.observed.ids();
        writeln!(out, "u\tv\tlabel\tkind")?;
        for &(u, v, kind) in &self.truth {
            let (u, v) = (ids.name(u as usize), ids.name(v as usize));
            let (u, v) = (write_name(&u)?, write_name(&v)?);
            writeln!(out, "{u}\t{v}\t{}\t{}", u8::from(kind.label()), kind.word())?;
        }
        Ok(())
    }
}

impl Base {
    /// The largest component of the simple network: directions, weights and loops are left out; arcs in both directions are
    /// one edge.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a network without an edge between two nodes.
    pub(crate) fn from_network(network: &Network) -> Result<Self> {
        let simple = network.to_simple();
        if simple.edges() == 0 {
            let expected = "at least one edge between two nodes is needed";
            return Err(Error::parameter(
                "the network",
                format!("one of {} nodes without edges", simple.nodes()),
                expected,
            ));
        }
        let largest = simple.largest_component();
        Ok(Self {
            weights: network.is_weighted(),
            directions: network.is_directed(),
            loops: network.loops(),
            nodes: (simple.nodes() - largest.nodes()) as u64,
            edges: simple.edges() - largest.edges(),
            network: largest,
        })
    }

    /// What was left out, in words; none if nothing was.
    pub fn left_out(&self) -> Option<String> {
        let some = |count: u64, one: &str, many: &str| match count {
            0 => None,
            1 => Some(format!("1 {one}")),
            _ => Some(format!("{count} {many}")),
        };
        let outside = match (some(self.nodes, "node", "nodes"), some(self.edges, "edge", "edges")) {
            (Some(nodes), Some(edges)) => {
                Some(format!("{nodes} with {edges} outside of the largest component"))
            }
            (Some(nodes), None) => Some(format!("{nodes} outside of the largest component")),
            _ => None,
        };
        let parts = [
            self.directions.then(|| "directions".to_owned()),
            self.weights.then(|| "weights".to_owned()),
            some(self.loops, "loop", "loops"),
            outside,
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    }

    /// The number of edges that an amount is.
    fn changed(&self, amount: Amount) -> Result<u64> {
        let edges = self.network.edges();
        match amount {
            Amount::Edges(count) => Ok(count),
            Amount::Fraction(f) if f >= 0.0 && f.is_finite() => {
                // 0.29 · 100 is a little less than 29 in binary: what is that close to a whole number is that number.
                let (product, whole) = (f * edges as f64, (f * edges as f64).round());
                Ok(if (product - whole).abs() <= 1e-12 * whole { whole as u64 } else { product as u64 })
            }
            Amount::Fraction(f) => {
                Err(Error::parameter("the fraction of edges", f, "it must be a number, 0 or more"))
            }
        }
    }

    /// Refuses more non-edges than there are.
    fn enough(&self, count: u64, what: &'static str) -> Result<()> {
        let there = non_edges::number(&self.network);
        if count <= there {
            return Ok(());
        }
        let edges = self.network.edges();
        let largest = floored(there as f64 / edges as f64);
        let expected = format!(
            "the {} nodes have only {there} pairs without an edge: the largest fraction is {largest}",
            self.network.nodes()
        );
        Err(Error::parameter(what, count, expected))
    }
}

/// Adds false edges.
///
/// ```
/// use ergodict::data::{corrupt::{AddModel, Amount, add}, embedded};
/// let noisy = add(&embedded("karate")?, Amount::Fraction(0.5), AddModel::ErdosRenyi, 1)?;
/// assert_eq!((noisy.observed.edges(), noisy.truth.len()), (78 + 39, 78 + 39));
/// # Ok::<(), ergodict::Error>(())
/// ```
///
/// # Errors
/// [`Error::Parameter`] for a network without edges, an amount that is no number, and one for which there are not
/// enough non-edges.
pub fn add(network: &Network, amount: Amount, model: AddModel, seed: u64) -> Result<Corrupted> {
    let base = Base::from_network(network)?;
    let changed = base.changed(amount)?;
    base.enough(changed, "the number of edges to add")?;
    let mut rng = stream(seed, Purpose::Synthetic, ids::FALSE_EDGES);
    let truth = &base.network;
    let added = match model {
        AddModel::ErdosRenyi => non_edges::uniformly(truth, changed, &mut rng),
        AddModel::WattsStrogatz | AddModel::BarabasiAlbert => from_model(truth, changed, model, &mut rng)?,
    };
    let edges: Vec<(u32, u32)> = truth.each_edge().map(|(u, v, _)| (u, v)).chain(added).collect();
    let observed = sparse::with_ids(truth.ids().clone(), &edges, false);
    let kind = |u, v| if non_edges::joined(truth, u, v) { Kind::True } else { Kind::Added };
    let mut pairs: Vec<_> = observed.each_edge().map(|(u, v, _)| (u, v, kind(u, v))).collect();
    pairs.sort_by_key(|pair| !pair.2.label());
    Ok(Corrupted { observed, changed, unmatched: 0, truth: pairs, base })
}

/// So many non-edges that are edges of networks of the model with permuted nodes; each such network is gone through in random
/// order, and as many are made as needed.
fn from_model(
    truth: &Network,
    wanted: u64,
    model: AddModel,
    rng: &mut ChaCha8Rng,
) -> Result<Vec<(u32, u32)>> {
    if wanted == 0 {
        return Ok(Vec::new());
    }
    let (n, wanted) = (truth.nodes(), wanted as usize);
    // Non-edges are wanted, so there are at least three nodes.
    let generator: Generator = if model == AddModel::WattsStrogatz {
        let most = (n - 1) / 2;
        WattsStrogatz::new(n, 2 * wanted.div_ceil(n).min(most), REWIRED)?.into()
    } else {
        let joins = (1..n / 2).find(|m| m * (n - m) >= wanted).unwrap_or(n / 2);
        BarabasiAlbert::new(n, joins)?.into()
    };
    let mut names: Vec<u32> = (0..n as u32).collect();
    let mut chosen = PairSet::with_capacity(wanted);
    let mut added = Vec::with_capacity(wanted);
    loop {
        let mut edges = generator.edges(rng);
        shuffle(&mut names, rng);
        shuffle(&mut edges, rng);
        for (u, v) in edges {
            let (u, v) = (names[u as usize], names[v as usize]);
            if !non_edges::joined(truth, u, v) && chosen.insert(u, v) {
                added.push((u, v));
                if added.len() == wanted {
                    return Ok(added);
                }
            }
        }
    }
}

/// Deletes edges, but none of a random spanning tree: what is left is connected.
///
/// ```
/// use ergodict::data::{corrupt::{Amount, remove}, embedded};
/// let sparse = remove(&embedded("karate")?, Amount::Fraction(0.5), 1)?;
/// assert_eq!((sparse.observed.edges(), sparse.truth.len()), (39, 3 * 39));
/// # Ok::<(), ergodict::Error>(())
/// ```
///
/// # Errors
/// [`Error::Parameter`] for a network without edges, an amount that is no number, one of more edges than there are outside of a
/// spanning tree, and one for which there are not enough non-edges to score against.
pub fn remove(network: &Network, amount: Amount, seed: u64) -> Result<Corrupted> {
    let base = Base::from_network(network)?;
    let changed = base.changed(amount)?;
    let truth = &base.network;
    let free = truth.edges() + 1 - truth.nodes() as u64;
    if changed > free {
        let expected = format!(
            "{free} of the {} edges can go without cutting the network in two: the largest fraction is {}",
            truth.edges(),
            floored(free as f64 / truth.edges() as f64)
        );
        return Err(Error::parameter("the number of edges to delete", changed, expected));
    }
    base.enough(changed, "the number of pairs without an edge to score against")?;
    let mut rng = stream(seed, Purpose::Synthetic, ids::DELETED_EDGES);
    let (mut kept, mut others) = spanning_tree(truth, &mut rng);
    // Edges outside of the tree are in the order in which Kruskal's algorithm met them, and those that close long cycles late:
    // a new order is needed.
    shuffle(&mut others, &mut rng);
    let mut deleted = others.split_off(others.len() - changed as usize);
    kept.append(&mut others);
    let observed = sparse::with_ids(truth.ids().clone(), &kept, false);
    deleted.sort_unstable();
    let ends: Vec<u32> = deleted.iter().flat_map(|&(u, v)| [u, v]).collect();
    let mut rng = stream(seed, Purpose::Synthetic, ids::NEGATIVES);
    let mut pairs: Vec<_> = deleted.into_iter().map(|(u, v)| (u, v, Kind::Deleted)).collect();
    let uniform = non_edges::uniformly(truth, changed, &mut rng);
    pairs.extend(uniform.into_iter().map(|(u, v)| (u, v, Kind::Uniform)));
    let (mut matched, mut chosen) = non_edges::by_shuffled_ends(truth, ends, &mut rng);
    let unmatched = changed - matched.len() as u64;
    // Every node is as often a neighbor as its degree says.
    let rest = non_edges::by_ends(truth, &truth.rows().neighbors, unmatched, &mut chosen, &mut rng);
    matched.extend(rest);
    matched.sort_unstable();
    pairs.extend(matched.into_iter().map(|(u, v)| (u, v, Kind::Degree)));
    Ok(Corrupted { observed, changed, unmatched, truth: pairs, base })
}

/// A number rounded down to four places, so that as a fraction it is still allowed.
fn floored(fraction: f64) -> f64 {
    (fraction * 1e4).floor() / 1e4
}

/// Pairs of nodes.
type Pairs = Vec<(u32, u32)>;

/// The edges of a spanning forest of a network, and the others: Kruskal's algorithm on a random order.
pub(crate) fn spanning_tree(network: &Network, rng: &mut ChaCha8Rng) -> (Pairs, Pairs) {
    let mut edges: Vec<(u32, u32)> = network.each_edge().map(|(u, v, _)| (u, v)).collect();
    shuffle(&mut edges, rng);
    let mut above: Vec<u32> = (0..network.nodes() as u32).collect();
    edges.into_iter().partition(|&(u, v)| {
        let (u, v) = (root(&mut above, u), root(&mut above, v));
        above[u as usize] = v;
        u != v
    })
}

/// The root of a node's tree; every other node on the way is hung one higher.
fn root(above: &mut [u32], mut node: u32) -> u32 {
    while above[node as usize] != node {
        let next = above[above[node as usize] as usize];
        above[node as usize] = next;
        node = next;
    }
    node
}

#[cfg(test)]
mod tests {
    use super::super::generate::{Density, ErdosRenyi};
    use super::super::{Build, Loops, NodeIds, embedded};
    use super::*;
    use std::collections::BTreeMap;

    /// Above the 0.9999 quantile of chi² (Wilson and Hilferty).
    fn far(chi2: f64, freedom: f64) -> bool {
        let spread = 2.0 / (9.0 * freedom);
        chi2 > freedom * (1.0 - spread + 3.72 * spread.sqrt()).powi(3)
    }

    fn pairs(network: &Network) -> Vec<(u32, u32)> {
        network.each_edge().map(|(u, v, _)| (u, v)).collect()
    }

    fn of_kind(result: &Corrupted, kind: Kind) -> Vec<(u32, u32)> {
        result.truth.iter().filter(|pair| pair.2 == kind).map(|&(u, v, _)| (u, v)).collect()
    }

    const MODELS: [AddModel; 3] = [AddModel::ErdosRenyi, AddModel::WattsStrogatz, AddModel::BarabasiAlbert];

    #[test]
    fn every_model_adds_the_exact_number_of_false_edges() {
        let karate = embedded("karate").unwrap();
        for model in MODELS {
            for (amount, count) in [
                (Amount::Fraction(0.0), 0),
                (Amount::Fraction(0.5), 39),
                (Amount::Fraction(0.999), 77),
                (Amount::Edges(1), 1),
                (Amount::Fraction(6.0), 468),
                // All pairs become edges.
                (Amount::Edges(483), 483),
            ] {
                let noisy = add(&karate, amount, model, 5).unwrap();
                assert_eq!((noisy.changed, noisy.observed.edges()), (count, 78 + count), "{model:?}");
                assert!(noisy.observed.is_simple() && noisy.observed.ids() == karate.ids());
                assert_eq!(of_kind(&noisy, Kind::True), pairs(&karate));
                let added = of_kind(&noisy, Kind::Added);
                assert_eq!(added.len() as u64, count);
                assert!(added.iter().all(|&(u, v)| karate.weight(u as usize, v as usize) == 0.0));
                assert!(added.iter().all(|&(u, v)| noisy.observed.weight(u as usize, v as usize) == 1.0));
                assert_eq!(noisy.truth.len() as u64, noisy.observed.edges());
            }
            assert_eq!(
                add(&karate, Amount::Edges(9), model, 5).unwrap(),
                add(&karate, Amount::Edges(9), model, 5).unwrap()
            );
            assert_ne!(
                add(&karate, Amount::Edges(9), model, 5).unwrap(),
                add(&karate, Amount::Edges(9), model, 6).unwrap()
            );
        }
    }

    #[test]
    fn deleted_edges_leave_a_connected_network() {
        for name in ["karate", "lesmis", "florentine"] {
            let network = embedded(name).unwrap();
            let free = network.edges() + 1 - network.nodes() as u64;
            for count in [0, 1, free / 2, free] {
                let sparse = remove(&network, Amount::Edges(count), 2).unwrap();
                let truth = &sparse.base.network;
                assert_eq!((sparse.changed, sparse.observed.edges()), (count, network.edges() - count));
                assert_eq!(sparse.observed.components().sizes.len(), 1);
                let deleted = of_kind(&sparse, Kind::Deleted);
                let mut all = pairs(&sparse.observed);
                all.extend(&deleted);
                all.sort_unstable();
                assert_eq!(all, pairs(truth), "{name}");
                for kind in [Kind::Uniform, Kind::Degree] {
                    let negatives = of_kind(&sparse, kind);
                    assert_eq!(negatives.len() as u64, count);
                    assert!(negatives.windows(2).all(|pair| pair[0] < pair[1]), "different, ascending");
                    assert!(
                        negatives.iter().all(|&(u, v)| u < v && truth.weight(u as usize, v as usize) == 0.0)
                    );
                }
            }
        }
    }

    #[test]
    fn degree_matched_pairs_have_the_ends_of_the_deleted_edges() {
        let sorted = |pairs: &[(u32, u32)]| {
            let mut ends: Vec<u32> = pairs.iter().flat_map(|&(u, v)| [u, v]).collect();
            ends.sort_unstable();
            ends
        };
        let networks = [
            Generator::from(ErdosRenyi::new(200, Density::Edges(800), false).unwrap()),
            BarabasiAlbert::new(300, 4).unwrap().into(),
        ];
        for (seed, generator) in networks.into_iter().enumerate() {
            let network = generator.generate(seed as u64);
            let sparse = remove(&network, Amount::Fraction(0.5), seed as u64).unwrap();
            assert_eq!(sparse.unmatched, 0);
            assert_eq!(sorted(&of_kind(&sparse, Kind::Deleted)), sorted(&of_kind(&sparse, Kind::Degree)));
        }
        // The ends of one edge are no non-edge.
        let tiny = remove(&embedded("karate").unwrap(), Amount::Edges(1), 0).unwrap();
        assert_eq!((tiny.unmatched, of_kind(&tiny, Kind::Degree).len()), (1, 1));
    }

    #[test]
    fn added_edges_are_equally_likely_to_be_any_non_edge() {
        // Under permuted labels every model is symmetric, but only a set of one has nothing else to it.
        let edges = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0), (0, 2)];
        let network = Network::simple(6, &edges).unwrap();
        for model in MODELS {
            let mut counts: BTreeMap<(u32, u32), f64> = BTreeMap::new();
            for seed in 0..1600 {
                let noisy = add(&network, Amount::Edges(1), model, seed).unwrap();
                *counts.entry(of_kind(&noisy, Kind::Added)[0]).or_default() += 1.0;
            }
            assert_eq!(counts.len(), 8);
            let chi2: f64 = counts.values().map(|c| (c - 200.0f64).powi(2) / 200.0).sum();
            assert!(!far(chi2, 7.0), "{model:?}: {chi2}");
        }
    }

    #[test]
    fn trees_and_deleted_edges_have_the_laws_of_kruskal_and_of_uniform_choice() {
        // A triangle and a square with an edge in common. The exact law, by all orders of the six edges: the tree, and then
        // each edge outside of it alike.
        let edges = [(0, 1), (0, 2), (1, 2), (1, 3), (2, 4), (3, 4)];
        let network = Network::simple(5, &edges).unwrap();
        let mut law: BTreeMap<(u32, u32), f64> = BTreeMap::new();
        let orders: Vec<Vec<usize>> = (0..6usize.pow(6))
            .map(|code| (0..6).map(|i| code / 6usize.pow(i) % 6).collect::<Vec<_>>())
            .filter(|order| (0..6).all(|e| order.contains(&e)))
            .collect();
        for order in &orders {
            let mut labels = [0, 1, 2, 3, 4];
            let mut others = Vec::new();
            for &e in order {
                let (u, v) = edges[e];
                let (a, b) = (labels[u as usize], labels[v as usize]);
                if a == b {
                    others.push(edges[e]);
                }
                labels.iter_mut().filter(|label| **label == a).for_each(|label| *label = b);
            }
            for edge in &others {
                *law.entry(*edge).or_default() += 1.0 / (others.len() * orders.len()) as f64;
            }
        }
        assert!((law.values().sum::<f64>() - 1.0).abs() < 1e-12);
        let draws = 3000;
        let mut counts: BTreeMap<(u32, u32), f64> = BTreeMap::new();
        for seed in 0..draws {
            let sparse = remove(&network, Amount::Edges(1), seed).unwrap();
            *counts.entry(of_kind(&sparse, Kind::Deleted)[0]).or_default() += 1.0;
        }
        let chi2: f64 = law
            .iter()
            .map(|(edge, p)| {
                (counts.get(edge).unwrap_or(&0.0) - draws as f64 * p).powi(2) / (draws as f64 * p)
            })
            .sum();
        assert!(!far(chi2, 5.0), "{chi2}");
    }

    #[test]
    fn what_is_not_simple_or_not_connected_is_left_out_and_reported() {
        let edges = [(0, 1, 2.0), (1, 0, 3.0), (1, 2, 1.0), (2, 2, 1.0), (4, 5, 1.0)];
        let build = Build { directed: true, loops: Loops::Keep };
        let ids = NodeIds::words(["a", "b", "c c", "d", "e", "f"]);
        let (network, _) = Network::build(ids, &edges, true, build).unwrap();
        let base = Base::from_network(&network).unwrap();
        assert_eq!((base.network.nodes(), base.network.edges(), base.network.is_simple()), (3, 2, true));
        let lost = "directions (1 pair of opposite arcs becomes one edge), weights, 1 loop";
        assert_eq!(network.lost_as_simple().unwrap(), lost);
        assert_eq!(
            base.left_out().unwrap(),
            "directions, weights, 1 loop, 3 nodes with 1 edge outside of the largest component"
        );
        let noisy = add(&network, Amount::Edges(1), AddModel::BarabasiAlbert, 0).unwrap();
        let mut text = Vec::new();
        noisy.write_truth(&mut text).unwrap();
        assert_eq!(
            String::from_utf8(text).unwrap(),
            "u\tv\tlabel\tkind\na\tb\t1\ttrue\nb\t\"c c\"\t1\ttrue\na\t\"c c\"\t0\tadded\n"
        );
        assert_eq!(Base::from_network(&embedded("karate").unwrap()).unwrap().left_out(), None);
    }

    #[test]
    fn what_cannot_be_done_is_refused_with_what_could() {
        let karate = embedded("karate").unwrap();
        let message = |result: Result<Corrupted>| result.unwrap_err().to_string();
        let text = message(remove(&karate, Amount::Fraction(0.6), 0));
        assert!(text.contains("largest fraction is 0.5769"), "{text}");
        assert!(remove(&karate, Amount::Fraction(0.5769), 0).is_ok());
        let text = message(add(&karate, Amount::Edges(484), AddModel::ErdosRenyi, 0));
        assert!(text.contains("only 483 pairs without an edge: the largest fraction is 6.1923"), "{text}");
        for f in [-0.1, f64::NAN, f64::INFINITY] {
            assert!(
                message(add(&karate, Amount::Fraction(f), AddModel::ErdosRenyi, 0)).contains("0 or more")
            );
        }
        // Complete but for one edge: edges to delete there are, but not pairs to score against.
        let all: Vec<(u32, u32)> = (0..6).flat_map(|u| (0..u).map(move |v| (v, u))).collect();
        let dense = Network::simple(6, &all[1..]).unwrap();
        assert!(message(remove(&dense, Amount::Edges(2), 0)).contains("score against"));
        assert_eq!(remove(&dense, Amount::Edges(1), 0).unwrap().truth.len(), 3);
        for model in MODELS {
            assert_eq!(of_kind(&add(&dense, Amount::Edges(1), model, 0).unwrap(), Kind::Added), [(0, 1)]);
            assert!(add(&Network::simple(2, &[(0, 1)]).unwrap(), Amount::Edges(0), model, 0).is_ok());
        }
        for empty in [Network::simple(0, &[]).unwrap(), Network::simple(3, &[]).unwrap()] {
            assert!(message(remove(&empty, Amount::Edges(0), 0)).contains("without edges"));
        }
        let tree = Network::simple(4, &[(0, 1), (1, 2), (1, 3)]).unwrap();
        assert!(message(remove(&tree, Amount::Edges(1), 0)).contains("largest fraction is 0"));
    }

    #[test]
    fn fractions_of_whole_numbers_are_whole() {
        let ring: Vec<(u32, u32)> = (0..100).map(|u| (u, (u + 1) % 100)).collect();
        let base = Base::from_network(&Network::simple(100, &ring).unwrap()).unwrap();
        for (f, count) in [(0.29, 29), (0.57, 57), (0.999, 99), (1.15, 115), (0.0099, 0)] {
            assert_eq!(base.changed(Amount::Fraction(f)).unwrap(), count, "{f}");
        }
    }
}
