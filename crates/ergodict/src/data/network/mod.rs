//! Networks `𝒢 = (V, A)`: compressed sparse rows with the names of the nodes.
//!
//! | symbol | here | where |
//! |---|---|---|
//! | `V` | nodes `0..n`, in ascending order of their names | docs/maths.md, Homomorphisms |
//! | `A(u,v) ≥ 0` | [`Network::weight`]; row `u` is [`Rows::neighbors`] with [`Rows::weights`] | |
//! | `d(u) = Σ_v A(u,v)` | [`Rows::strength`] | |
//! | `Aᵀ` | [`Network::incoming`] | directed networks; of undirected ones the same as `A` |
//!
//! A loop is an entry of the diagonal and is stored once. An edge of an undirected network is stored in the rows of both ends.

mod adjacency;
mod adjacency_table;
mod bit_matrix;
mod build;
mod columns;
mod convert;
pub mod corrupt;
mod edge_list;
mod egr;
mod egr_check;
mod egr_record;
mod embedded;
mod formats;
mod from_list;
pub mod generate;
mod ids;
mod line_ends;
mod matrix_list;
mod matrix_market;
mod memory;
pub(crate) mod non_edges;
mod pair_table;
mod part_in_file;
mod read;
mod rewire;
mod save;
mod search_rows;
mod section;
mod settings;
mod sparse_npz;
mod square_table;
mod structure;
mod summary;
mod tag_rows;
mod time;
mod weights;
mod write;

pub use adjacency::Adjacency;
pub(crate) use adjacency::{Pairs, get as pair_bits};
pub use build::{Build, Edge, EdgeCounts, Loops};
pub use columns::{Doubt, Header, TableColumns, TableForm, TableOptions, TimedColumns};
pub use convert::gather::Converting;
pub use convert::{Conversion, convert_network};
pub use edge_list::{EdgeList, TYPOGRAPHIC, read_edge_list};
use egr_record::Known;
pub(super) use egr_record::KnownDigest;
pub use embedded::{Embedded, embedded, embedded_names};
pub use ids::NodeIds;
pub use pair_table::PairTable;
pub use read::{NetworkFormat, ReadDecisions, ReadOptions, Reason, Weights, parse_network, read_network};
pub use rewire::{DEFAULT_PROPOSALS, rewired, rewired_until};
#[cfg(feature = "fetch")]
pub(in crate::data) use save::write_network_as;
pub use save::{Saved, check_network_name, write_network, write_network_with_note};
use section::Section;
pub use settings::ReadSettings;
pub use square_table::TableLabels;
use std::sync::OnceLock;
pub use structure::Components;
pub(crate) use structure::Sides;
pub use summary::{DegreeBin, Spread, Summary};
pub(crate) use time::PermutedTimes;
pub use time::{
    Appearances, Change, ChangingNetwork, DEFAULT_WINDOWS, Differences, Duration, TimeColumn, TimeOptions,
    TimedDecisions, TimedEdges, Times, WindowCut, WindowOptions, WindowSettings, Windows, differences,
    parse_moment, parse_timed, read_timed,
};
pub use weights::{WeightScale, WeightSettings};
pub use write::{write_edge_list, write_name};

/// A network: nodes, and edges with positive weights. It is never changed.
///
/// ```
/// use ergodict::data::{Build, Network, NodeIds};
/// // A triangle with a tail.
/// let edges = [(0, 1), (1, 2), (2, 0), (2, 3)];
/// let network = Network::simple(4, &edges)?;
/// assert_eq!((network.nodes(), network.edges()), (4, 4));
/// assert_eq!(network.neighbors(2), [0, 1, 3]);
/// assert_eq!(network.weight(3, 2), 1.0);
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Network {
    pub(crate) rows: Rows,
    pub(crate) directed: bool,
    pub(crate) ids: NodeIds,
    /// Entries of the diagonal.
    pub(crate) loops: u64,
    /// `Aᵀ` of a directed network, made when first asked for.
    pub(crate) incoming: OnceLock<Rows>,
    known: Known,
}

/// A sparse matrix by rows.
///
/// ```
/// use ergodict::data::{Build, Network, NodeIds};
/// let edges = [(0, 1, 0.5), (0, 2, 2.0)];
/// let (network, _) = Network::build(NodeIds::numbered(3), &edges, true, Build::default())?;
/// let rows = network.rows();
/// assert_eq!((rows.neighbors(0), rows.weights(0), rows.strength(0)), (&[1, 2][..], Some(&[0.5, 2.0][..]), 2.5));
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Rows {
    /// Row `u` is at `starts[u]..starts[u + 1]`.
    pub(crate) starts: Section<u64>,
    /// Strictly ascending in each row.
    pub(crate) neighbors: Section<u32>,
    /// One for each neighbor; none when all are 1.
    pub(crate) weights: Option<Section<f64>>,
}

impl Rows {
    /// Number of rows.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    #[inline]
    pub(crate) fn span(&self, u: usize) -> std::ops::Range<usize> {
        self.starts[u] as usize..self.starts[u + 1] as usize
    }

    /// The nodes `v` with `A(u,v) > 0`, ascending.
    #[inline]
    pub fn neighbors(&self, u: usize) -> &[u32] {
        &self.neighbors[self.span(u)]
    }

    /// Their weights; none when all weights of the network are 1.
    #[inline]
    pub fn weights(&self, u: usize) -> Option<&[f64]> {
        self.weights.as_ref().map(|weights| &weights[self.span(u)])
    }

    /// Neighbors with their weights.
    pub fn entries(&self, u: usize) -> impl Iterator<Item = (u32, f64)> + '_ {
        let weights = self.weights(u);
        let weight = move |i: usize| weights.map_or(1.0, |weights| weights[i]);
        self.neighbors(u).iter().enumerate().map(move |(i, &v)| (v, weight(i)))
    }

    /// Number of neighbors.
    #[inline]
    pub fn degree(&self, u: usize) -> usize {
        self.span(u).len()
    }

    /// The sum of the row, `d(u)`.
    pub fn strength(&self, u: usize) -> f64 {
        self.weights(u)
            .map_or(self.degree(u) as f64, |weights| weights.iter().fold(0.0, |sum, weight| sum + weight))
    }

    /// The entry `A(u,v)`, by binary search.
    pub(crate) fn weight(&self, u: usize, v: usize) -> f64 {
        match self.neighbors(u).binary_search(&(v as u32)) {
            Ok(at) => self.weights(u).map_or(1.0, |weights| weights[at]),
            Err(_) => 0.0,
        }
    }
}

impl Network {
    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.rows.len()
    }

    /// Number of edges: of a directed network, its arcs; of an undirected one, each once. Loops are counted.
    pub fn edges(&self) -> u64 {
        let stored = self.stored();
        if self.directed { stored } else { (stored - self.loops) / 2 + self.loops }
    }

    /// Entries of `A` that are not zero.
    pub fn stored(&self) -> u64 {
        self.rows.neighbors.len() as u64
    }

    /// Entries of the diagonal that are not zero.
    pub fn loops(&self) -> u64 {
        self.loops
    }

    /// Whether `A` need not be symmetric.
    pub fn is_directed(&self) -> bool {
        self.directed
    }

    /// Whether weights differ from 1.
    pub fn is_weighted(&self) -> bool {
        self.rows.weights.is_some()
    }

    /// Whether it is simple: undirected, without weights and without loops. Patches of such networks are symmetric, of
    /// zeros and ones, with zeros on the diagonal.
    pub fn is_simple(&self) -> bool {
        !self.directed && !self.is_weighted() && self.loops == 0
    }

    /// The matrix `A` by rows.
    #[inline]
    pub fn rows(&self) -> &Rows {
        &self.rows
    }

    /// The matrix `Aᵀ` by rows; of an undirected network the same as `A`.
    pub fn incoming(&self) -> &Rows {
        if self.directed { self.incoming.get_or_init(|| build::transposed(&self.rows)) } else { &self.rows }
    }

    /// The nodes that node `u` has an edge to, ascending.
    #[inline]
    pub fn neighbors(&self, u: usize) -> &[u32] {
        self.rows.neighbors(u)
    }

    /// The entry `A(u,v)`, by binary search.
    pub fn weight(&self, u: usize, v: usize) -> f64 {
        self.rows.weight(u, v)
    }

    /// The same without weights: all are 1.
    pub fn unweighted(mut self) -> Self {
        self.rows.weights = None;
        self.incoming = OnceLock::new();
        self
    }

    /// The names of the nodes.
    pub fn ids(&self) -> &NodeIds {
        &self.ids
    }

    /// Every edge once, with its weight, by ascending first and second end; of an undirected network the first end is
    /// not larger than the second.
    pub fn each_edge(&self) -> impl Iterator<Item = (u32, u32, f64)> + '_ {
        (0..self.nodes()).flat_map(move |u| {
            let kept = move |&(v, _): &(u32, f64)| self.directed || v as usize >= u;
            self.rows.entries(u).filter(kept).map(move |(v, weight)| (u as u32, v, weight))
        })
    }
}

impl Network {
    /// About `count` entries `(u, v)` of `A`, spread evenly over its rows, or all where there are no more.
    pub(crate) fn some_entries(&self, count: u64) -> impl Iterator<Item = (u32, u32)> + '_ {
        let step = (self.stored() / count.max(1)).max(1);
        (0..self.stored()).step_by(step as usize).map(|at| {
            let u = self.rows.starts.partition_point(|&start| start <= at) - 1;
            (u as u32, self.rows.neighbors[at as usize])
        })
    }
}

impl PartialEq for Network {
    fn eq(&self, other: &Self) -> bool {
        let (one, two) = (&self.rows, &other.rows);
        self.directed == other.directed
            && self.ids == other.ids
            && *one.starts == *two.starts
            && *one.neighbors == *two.neighbors
            && one.weights.as_deref() == two.weights.as_deref()
    }
}
