//! Features of pairs for a head: groups of named rows, each of which can be left out.
//!
//! | group | rows | terms of the head |
//! |---|---|---|
//! | `P` [`Group::Paths`] | logarithms of `CN`, `AA`, `RA`, `A3`, `L3`, `RW3` | squares and products |
//! | `D` [`Group::Degrees`] | `log1p d_u + log1p d_v`, and their difference | squares and products |
//! | `W` [`Group::Walks`] | logarithms of walks of five steps (`Walks::excess`), and of how much each end resembles the neighbors of the other: the sum and the mean of both | squares and products |
//! | `N` [`Group::Nodes`] | least and largest of clustering, log1p mean neighbor degree, log1p core number | squares and products |
//! | `E` [`Group::Embedding`] | inner products of unit ProNE columns, of 64 dimensions and of 32 | squares and products |
//! | `h` [`Group::Motifs`] | latent-motif codes, `log1p(20 h)` | linear |
//!
//! The edge of a pair itself, where there is one, is taken out of `P`, `D` and `h`. It is in `W`, `N` and `E`, which therefore are for pairs that are no edges (`PairFeatures`).

use super::MotifCodes;
use super::embedding::prone;
use super::nodes::NodeFacts;
use super::paths::{OwnEdge, PairPaths, Paths};
use super::progress::Progress;
use super::splits::Noise;
use super::walks::Walks;
use crate::data::Network;
use crate::linalg::Mat;
use crate::{Error, Result};
use std::sync::Arc;

/// A kind of features.
///
/// ```
/// use ergodict::denoise::features::Group;
/// assert_eq!((Group::Paths.letter(), Group::Motifs.letter()), ('P', 'h'));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Group {
    /// Short paths, `P`.
    Paths,
    /// Degrees, `D`.
    Degrees,
    /// Long walks, `W`.
    Walks,
    /// The neighborhoods of the two nodes, `N`.
    Nodes,
    /// A ProNE embedding, `E`.
    Embedding,
    /// Latent-motif codes, `h`.
    Motifs,
}

impl Group {
    /// All groups, in the order of their rows.
    pub const ALL: [Self; 6] =
        [Self::Paths, Self::Degrees, Self::Walks, Self::Nodes, Self::Embedding, Self::Motifs];

    /// Its letter in docs/denoising.md.
    pub fn letter(self) -> char {
        match self {
            Self::Paths => 'P',
            Self::Degrees => 'D',
            Self::Walks => 'W',
            Self::Nodes => 'N',
            Self::Embedding => 'E',
            Self::Motifs => 'h',
        }
    }
}

/// Features of pairs: one named row a feature, one column a pair.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Features {
    /// What each row is.
    pub names: Vec<String>,
    /// The group of each row. Those of motifs come last.
    pub groups: Vec<Group>,
    /// Features × pairs.
    pub columns: Mat<f64>,
}

impl Features {
    /// No features of `pairs` pairs.
    pub(crate) fn none(pairs: usize) -> Self {
        Self { names: Vec::new(), groups: Vec::new(), columns: Mat::zeros(0, pairs) }
    }

    /// Rows of one group.
    ///
    /// # Errors
    /// [`Error::Shape`] unless there is a name for each row.
    pub(crate) fn new(group: Group, names: Vec<String>, columns: Mat<f64>) -> Result<Self> {
        if names.len() != columns.rows() {
            let (found, expected) =
                (format!("{} long", names.len()), format!("one of {} rows", columns.rows()));
            return Err(Error::shape("the list of names", found, expected));
        }
        Ok(Self { groups: vec![group; names.len()], names, columns })
    }

    /// These and, below them, others of the same pairs.
    ///
    /// # Errors
    /// [`Error::Shape`] unless both are of as many pairs.
    pub(crate) fn and(mut self, other: Self) -> Result<Self> {
        let (one, two) = (&self.columns, &other.columns);
        if one.cols() != two.cols() {
            let expected = format!("{} pairs", one.cols());
            return Err(Error::shape("the features", format!("of {} pairs", two.cols()), expected));
        }
        if one.rows() == 0 {
            return Ok(other);
        }
        let mut both = Mat::zeros(one.rows() + two.rows(), one.cols());
        for j in 0..one.cols() {
            let (top, bottom) = both.col_mut(j).split_at_mut(one.rows());
            top.copy_from_slice(one.col(j));
            bottom.copy_from_slice(two.col(j));
        }
        self.columns = both;
        self.names.extend(other.names);
        self.groups.extend(other.groups);
        Ok(self)
    }

    /// How many of the first rows get squares and products.
    pub(crate) fn quadratic(&self) -> usize {
        self.groups.iter().take_while(|group| **group != Group::Motifs).count()
    }

    /// The rows of a group.
    pub(crate) fn rows_of(&self, group: Group) -> Vec<usize> {
        (0..self.groups.len()).filter(|&row| self.groups[row] == group).collect()
    }
}

/// Added before logarithms of `RA`, `L3` and `RW3`: these are far below 1, where `log1p` would leave them as they are, with tails that are clipped.
/// With half of the edges removed (one seed, one split) this gained .0056 uniform and .02 degree-matched over `log1p` on email-Enron, and something in both on
/// facebook, ppi, arxiv and Caltech36; these networks were also what it was chosen by.
pub(super) const SMALL: [f64; 3] = [1e-3, 1e-3, 1e-4];

/// Rows of `P` and `D`.
pub(super) const PLAIN: usize = 8;

/// What the rows of `P` are called: `CN`, `AA`, `RA`, `A3`, `L3` and `RW3`.
pub(super) const PATHS: [&str; 6] = [
    "common neighbors",
    "Adamic-Adar",
    "resource allocation",
    "three-edge paths",
    "three-edge paths (L3)",
    "three-step walks",
];
/// The row of `D` that grows with the product of degrees.
pub(super) const DEGREE_SUM: &str = "degree sum";

/// `P` and `D` of pairs; weights of the edges as for [`PairPaths::weighted`].
///
/// For [`Noise::Removed`] logarithms are of `x + ε` with a small `ε`; for [`Noise::Added`], where that lost up to .002, they are `log1p`.
///
/// Rows of `P`: logarithms of `CN`, `AA`, `RA`, `A3`, `L3`, `RW3`; of `D`: `log1p d_u + log1p d_v` and the difference of these.
///
/// # Errors
/// Those of [`PairPaths`].
pub(crate) fn paths_and_degrees(
    network: &Network,
    edge_weights: Option<&[f64]>,
    pairs: &[(u32, u32)],
    noise: Noise,
    groups: &[Group],
) -> Result<Features> {
    let paths = match edge_weights {
        None => PairPaths::new(network)?,
        Some(weights) => PairPaths::weighted(network, weights)?,
    };
    rows_of_paths(&paths.paths(pairs, OwnEdge::Excluded)?, noise, groups)
}

/// `P` and `D` of pairs with these paths.
fn rows_of_paths(found: &[Paths], noise: Noise, groups: &[Group]) -> Result<Features> {
    let log = |x: f64, small: f64| match noise {
        Noise::Removed => (x + small).ln(),
        Noise::Added => x.ln_1p(),
    };
    let mut features = Features::none(found.len());
    if groups.contains(&Group::Paths) {
        let row = |p: &Paths, i: usize| match i {
            0 => p.common.ln_1p(),
            1 => p.adamic_adar.ln_1p(),
            2 => log(p.resource_allocation, SMALL[0]),
            3 => p.a3.ln_1p(),
            4 => log(p.l3, SMALL[1]),
            _ => log(p.rw3, SMALL[2]),
        };
        let names = PATHS.map(str::to_owned);
        let columns = Mat::from_fn(6, found.len(), |i, j| row(&found[j], i));
        features = features.and(Features::new(Group::Paths, names.to_vec(), columns)?)?;
    }
    if groups.contains(&Group::Degrees) {
        let columns = Mat::from_fn(2, found.len(), |i, j| {
            let [u, v] = found[j].degrees.map(f64::ln_1p);
            if i == 0 { u + v } else { (u - v).abs() }
        });
        let names = vec![DEGREE_SUM.to_owned(), "degree difference".to_owned()];
        features = features.and(Features::new(Group::Degrees, names, columns)?)?;
    }
    Ok(features)
}

/// Features of pairs that are no edges, in one network: what takes the whole network is computed once.
#[derive(Debug)]
pub(crate) struct PairFeatures<'a> {
    groups: Vec<Group>,
    paths: PairPaths<'a>,
    walks: Option<Walks<'a>>,
    facts: Option<NodeFacts>,
    /// Unit ProNE columns of the nodes, of each of [`DIMENSIONS`].
    embeddings: Vec<Mat<f64>>,
}

/// Dimensions of the embeddings whose inner products are features. The second gained .0002 to .0008 uniform next to the first (a prototype, on four networks
/// with half of the edges removed, which it was chosen by).
pub(super) const DIMENSIONS: [usize; 2] = [64, 32];

/// Added before logarithms of `W`: walks relative to those of a walk that has forgotten its start, sums and means of cosines.
const SMALL_WALKS: [f64; 3] = [1e-3, 1e-2, 1e-3];

impl<'a> PairFeatures<'a> {
    /// What these groups need of a network.
    ///
    /// # Errors
    /// Those of [`PairPaths`], [`NodeFacts`] and [`prone`].
    pub(crate) fn new(network: &'a Network, groups: &[Group], seed: u64) -> Result<Self> {
        let has = |group| groups.contains(&group);
        let dimensions = DIMENSIONS.iter().filter(|_| has(Group::Embedding));
        Ok(Self {
            groups: groups.to_vec(),
            paths: PairPaths::new(network)?,
            walks: has(Group::Walks).then(|| Walks::new(network)).transpose()?,
            facts: has(Group::Nodes).then(|| NodeFacts::from_network(network)).transpose()?,
            embeddings: dimensions
                .map(|&d| prone(network, d.min(network.nodes().max(1)), seed))
                .collect::<Result<_>>()?,
        })
    }

    /// The features of pairs.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a pair of a node with itself or with a node that does not exist.
    pub(crate) fn of_pairs(&self, pairs: &[(u32, u32)]) -> Result<Features> {
        let found = self.paths.paths(pairs, OwnEdge::Excluded)?;
        let mut all = rows_of_paths(&found, Noise::Removed, &self.groups)?;
        if let Some(walks) = &self.walks {
            all = all.and(rows_of_walks(&walks.excess(pairs)?, &found)?)?;
        }
        if let Some(facts) = &self.facts {
            all = all.and(rows_of_nodes(facts, pairs)?)?;
        }
        for (embedded, dimensions) in self.embeddings.iter().zip(DIMENSIONS) {
            let columns = Mat::from_fn(1, pairs.len(), |_, j| {
                let (u, v) = (embedded.col(pairs[j].0 as usize), embedded.col(pairs[j].1 as usize));
                u.iter().zip(v).map(|(x, y)| x * y).sum()
            });
            all = all.and(Features::new(
                Group::Embedding,
                vec![format!("{dimensions}-d embedding")],
                columns,
            )?)?;
        }
        Ok(all)
    }
}

/// `W` of pairs.
fn rows_of_walks(excess: &[f64], found: &[Paths]) -> Result<Features> {
    let columns = Mat::from_fn(3, found.len(), |i, j| {
        let ([du, dv], [near_u, near_v]) = (found[j].degrees.map(|d| d.max(1.0)), found[j].resemblance);
        // Cosines of an end and each neighbor of the other.
        let (u, v) = (near_u / du.sqrt(), near_v / dv.sqrt());
        let value = match i {
            0 => excess[j],
            1 => u + v,
            _ => u / dv + v / du,
        };
        (value + SMALL_WALKS[i]).ln()
    });
    let names = ["five-step walks", "neighbor similarity", "mean neighbor similarity"].map(str::to_owned);
    Features::new(Group::Walks, names.to_vec(), columns)
}

/// `N` of pairs.
///
/// Least and largest of both nodes: clustering, `log1p` of the mean degree of neighbors, `log1p` of the core number.
fn rows_of_nodes(facts: &NodeFacts, pairs: &[(u32, u32)]) -> Result<Features> {
    let columns = Mat::from_fn(6, pairs.len(), |i, j| {
        let fact = |node: u32| match i / 2 {
            0 => facts.clustering[node as usize],
            1 => facts.neighbor_degree[node as usize].ln_1p(),
            _ => f64::from(facts.core[node as usize]).ln_1p(),
        };
        let (u, v) = (fact(pairs[j].0), fact(pairs[j].1));
        if i % 2 == 0 { u.min(v) } else { u.max(v) }
    });
    let name = |i: usize| {
        let what = ["clustering", "neighbor degree", "core number"][i / 2];
        format!("{} {what}", ["least", "largest"][i % 2])
    };
    Features::new(Group::Nodes, (0..6).map(name).collect(), columns)
}

/// `h` of pairs.
///
/// `log1p(20 h)`, a row for each atom.
///
/// # Errors
/// Those of [`MotifCodes::features`].
pub(crate) fn motifs(codes: &MotifCodes, network: &Arc<Network>, pairs: &[(u32, u32)]) -> Result<Features> {
    let columns = codes.features(network, pairs, &mut Progress::none())?;
    Features::new(Group::Motifs, (0..columns.rows()).map(|a| format!("motif {a}")).collect(), columns)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::embedded;

    #[test]
    fn rows_of_groups_stand_in_order_with_their_names() {
        let karate = embedded("karate").unwrap();
        let pairs = [(0, 1), (0, 9), (33, 2)];
        let groups = [Group::Paths, Group::Degrees, Group::Walks, Group::Nodes, Group::Embedding];
        let whole = PairFeatures::new(&karate, &groups, 0).unwrap().of_pairs(&pairs).unwrap();
        assert_eq!((whole.names.len(), whole.columns.rows(), whole.quadratic()), (19, 19, 19));
        assert_eq!(whole.rows_of(Group::Walks), [8, 9, 10]);
        assert_eq!(whole.rows_of(Group::Nodes), (11..17).collect::<Vec<_>>());
        // Node 0 has the core number 4, and so has node 1.
        assert_eq!(whole.columns.get(15, 0), 5f64.ln());
        let nodes = PairFeatures::new(&karate, &[Group::Nodes], 0).unwrap().of_pairs(&pairs).unwrap();
        for noise in [Noise::Removed, Noise::Added] {
            let all = paths_and_degrees(&karate, None, &pairs, noise, &Group::ALL).unwrap();
            let degrees = paths_and_degrees(&karate, None, &pairs, noise, &[Group::Degrees]).unwrap();
            for j in 0..3 {
                assert_eq!(&all.columns.col(j)[6..], degrees.columns.col(j));
                assert_eq!(&whole.columns.col(j)[11..17], nodes.columns.col(j));
                assert!(noise == Noise::Added || &whole.columns.col(j)[..8] == all.columns.col(j));
            }
            // Node 0 has 16 neighbors and is next to node 1, which has 9; they have 7 in common.
            assert!((all.columns.get(0, 0) - 8f64.ln()).abs() < 1e-12);
            assert!((all.columns.get(6, 0) - (16f64.ln() + 9f64.ln())).abs() < 1e-12);
        }
        assert!(Features::new(Group::Paths, Vec::new(), Mat::zeros(1, 2)).is_err());
        assert!(Features::none(2).and(Features::none(3)).is_err());
        let dot = PairFeatures::new(&karate, &[Group::Embedding], 0)
            .unwrap()
            .of_pairs(&[(0, 9), (0, 9)])
            .unwrap()
            .columns;
        assert!(dot.get(0, 0).abs() <= 1.0 + 1e-9 && dot.get(0, 0) == dot.get(0, 1));
    }

    #[test]
    fn features_of_walks_are_cosines_with_neighbors() {
        let karate = embedded("karate").unwrap();
        let near = |u: u32| karate.neighbors(u as usize);
        let cosine = |u: u32, v: u32| {
            let common = near(u).iter().filter(|w| near(v).contains(w)).count();
            common as f64 / ((near(u).len() * near(v).len()) as f64).sqrt()
        };
        let pairs = [(0, 9), (33, 3), (11, 26), (4, 16)];
        let found = PairFeatures::new(&karate, &[Group::Walks], 0).unwrap().of_pairs(&pairs).unwrap();
        for (j, &(u, v)) in pairs.iter().enumerate() {
            assert!(!near(u).contains(&v));
            let with_neighbors = |u: u32, v: u32| near(v).iter().map(|&b| cosine(u, b)).sum::<f64>();
            let (one, two) = (with_neighbors(u, v), with_neighbors(v, u));
            let mean = one / near(v).len() as f64 + two / near(u).len() as f64;
            assert!((found.columns.get(1, j) - (one + two + 1e-2).ln()).abs() < 1e-12, "{u} {v}");
            assert!((found.columns.get(2, j) - (mean + 1e-3).ln()).abs() < 1e-12, "{u} {v}");
        }
    }

    #[test]
    fn a_network_of_one_node_has_features() {
        let alone = Network::simple(1, &[]).unwrap();
        assert_eq!(
            PairFeatures::new(&alone, &Group::ALL, 0).unwrap().of_pairs(&[]).unwrap().columns.cols(),
            0
        );
    }

    #[test]
    fn rows_are_logarithms_of_what_they_are_named_after() {
        let lesmis = embedded("lesmis").unwrap().to_simple();
        let pairs: Vec<(u32, u32)> = crate::denoise::non_edges(&lesmis).into_iter().step_by(61).collect();
        let paths = PairPaths::new(&lesmis).unwrap().paths(&pairs, OwnEdge::Excluded).unwrap();
        let (groups, facts) = (&Group::ALL[..5], NodeFacts::from_network(&lesmis).unwrap());
        let whole = PairFeatures::new(&lesmis, groups, 4).unwrap().of_pairs(&pairs).unwrap();
        let added = paths_and_degrees(&lesmis, None, &pairs, Noise::Added, groups).unwrap();
        let excess = Walks::new(&lesmis).unwrap().excess(&pairs).unwrap();
        let names = [
            "common neighbors",
            "Adamic-Adar",
            "resource allocation",
            "three-edge paths",
            "three-edge paths (L3)",
            "three-step walks",
            "degree sum",
            "degree difference",
            "five-step walks",
            "neighbor similarity",
            "mean neighbor similarity",
            "least clustering",
            "largest clustering",
            "least neighbor degree",
            "largest neighbor degree",
            "least core number",
            "largest core number",
            "64-d embedding",
            "32-d embedding",
        ];
        assert_eq!(
            (&whole.names[..], &added.names[..]),
            (&names.map(String::from)[..], &names.map(String::from)[..8])
        );
        for (j, (&(u, v), p)) in pairs.iter().zip(&paths).enumerate() {
            let degree = |u: u32| (1.0 + lesmis.neighbors(u as usize).len() as f64).ln();
            let plain = [
                (1.0 + p.common).ln(),
                (1.0 + p.adamic_adar).ln(),
                p.resource_allocation,
                (1.0 + p.a3).ln(),
                p.l3,
                p.rw3,
                degree(u) + degree(v),
                (degree(u) - degree(v)).abs(),
            ];
            for (i, value) in plain.into_iter().enumerate() {
                let small = [(2, 1e-3), (4, 1e-3), (5, 1e-4)].into_iter().find(|(row, _)| *row == i);
                let removed = small.map_or(value, |(_, small)| (value + small).ln());
                let of_added = small.map_or(value, |_| (1.0 + value).ln());
                assert!((whole.columns.get(i, j) - removed).abs() < 1e-12, "{}", names[i]);
                assert!((added.columns.get(i, j) - of_added).abs() < 1e-12, "{}", names[i]);
            }
            assert!((whole.columns.get(8, j) - (excess[j] + 1e-3).ln()).abs() < 1e-12);
            let both = |of: &dyn Fn(u32) -> f64| [of(u).min(of(v)), of(u).max(of(v))];
            let expected = [
                both(&|u| facts.clustering[u as usize]),
                both(&|u| (1.0 + facts.neighbor_degree[u as usize]).ln()),
                both(&|u| f64::from(1 + facts.core[u as usize]).ln()),
            ];
            for (i, value) in expected.into_iter().flatten().enumerate() {
                assert!((whole.columns.get(11 + i, j) - value).abs() < 1e-12, "{}", names[11 + i]);
            }
            assert!(
                whole.columns.get(17, j).abs() <= 1.0 + 1e-9 && whole.columns.get(18, j).abs() <= 1.0 + 1e-9
            );
        }
        assert_eq!(
            (whole.quadratic(), added.quadratic(), whole.rows_of(Group::Embedding)),
            (19, 8, vec![17, 18])
        );
        let codes = Features::new(Group::Motifs, vec!["motif 0".into()], Mat::zeros(1, pairs.len())).unwrap();
        let all = added.and(codes).unwrap();
        assert_eq!((all.quadratic(), all.rows_of(Group::Motifs), all.columns.rows()), (8, vec![8], 9));
    }
}
