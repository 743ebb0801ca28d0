//! Reads a network from a file of any format.

mod decisions;
mod format;

use super::columns::{Doubt, TableOptions};
use super::matrix_list::Entries;
use super::{
    Build, EdgeCounts, EdgeList, Loops, Network, adjacency_table, edge_list, egr, formats, matrix_market,
    sparse_npz,
};
use crate::data::{Input, open};
use crate::{Error, Result};
use std::path::Path;

pub(super) use decisions::ignored;
pub use decisions::{ReadDecisions, Reason, Weights};
pub use format::NetworkFormat;

/// How to read a network; what is left open is decided by the file.
///
/// ```
/// use ergodict::data::{ReadOptions, parse_network};
/// let directed = ReadOptions { directed: Some(true), ..ReadOptions::default() };
/// let (network, _) = parse_network(b"a b\nb a\n", &directed)?;
/// assert!(network.is_directed() && network.edges() == 2);
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ReadOptions {
    /// Whether edges have a direction. Left open: what the file says, and otherwise that they have none.
    pub directed: Option<bool>,
    /// Whether weights are wanted; with `false` a third column may be anything. Left open: if there are any.
    pub weighted: Option<bool>,
    /// What becomes of loops. An `.egr` file keeps those it holds, whatever is said here: it is used as it lies in the file.
    pub loops: Loops,
    /// Whether nodes of graphs are called by their ids where they have labels.
    pub ids: bool,
    /// What the columns of a table are.
    pub table: TableOptions,
    /// Whether all bytes of an `.egr` file are checked, although a record beside it says that they were.
    pub verify: bool,
}

/// Reads a network. The format is recognized by content: GraphML, GEXF, GML, Pajek, Graphviz DOT, Cytoscape SIF (by its name), node-link or Cytoscape JSON, MatrixMarket, a scipy
/// `.npz`, a MATLAB `.mat`, our `.egr`, or else a table: edges (see [`read_edge_list`](crate::data::read_edge_list)) or an adjacency matrix. `-` is standard input; gzip and zstd are decompressed.
///
/// ```
/// use ergodict::data::{ReadOptions, read_network};
/// let path = std::env::temp_dir().join(format!("ergodict-read-{}.csv", std::process::id()));
/// std::fs::write(&path, "source,target,weight\nUlm,Bonn,2\nBonn,Kiel,0.5\n").unwrap();
/// let (network, decisions) = read_network(&path, &ReadOptions::default())?;
/// assert_eq!((network.nodes(), network.edges(), network.ids().name(0)), (3, 2, "Bonn".into()));
/// assert!(decisions.words && network.is_weighted());
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), ergodict::Error>(())
/// ```
///
/// # Errors
/// [`Error::Format`], with the line where there are lines, for a file that cannot be understood, for negative weights,
/// and for weights that are wanted but not there; [`Error::Io`].
pub fn read_network(path: &Path, options: &ReadOptions) -> Result<(Network, ReadDecisions)> {
    read_input(path, open(path)?, options)
}

/// As [`read_network`], of a file that is open already and of which nothing was read.
pub(super) fn read_input(
    path: &Path,
    mut input: Input,
    options: &ReadOptions,
) -> Result<(Network, ReadDecisions)> {
    match NetworkFormat::detect(path, &mut input, &options.table)? {
        format if format.is_graph_file() => {
            let (entries, format, labels) = formats::read(path, format, input, options)?;
            let (network, mut decisions) = from_matrix(path, entries, format, options)?;
            decisions.labels = labels.attribute;
            decisions.doubts.extend(labels.doubt);
            Ok((network, decisions))
        }
        NetworkFormat::MatrixMarket => {
            let entries = matrix_market::read(path, input, options.weighted == Some(false))?;
            from_matrix(path, entries, NetworkFormat::MatrixMarket, options)
        }
        NetworkFormat::SparseNpz => {
            plain_archive(path, &input)?;
            let entries = sparse_npz::read(path, options.weighted == Some(false))?;
            from_matrix(path, entries, NetworkFormat::SparseNpz, options)
        }
        NetworkFormat::Egr => from_egr(path, egr::read(path, input, options.verify)?, options),
        // What is in memory is in no file.
        _ => {
            if adjacency_table::recognize(path, &input.peek(adjacency_table::START)?, options)? {
                let entries = adjacency_table::read(path, input, options)?;
                return from_matrix(path, entries, NetworkFormat::AdjacencyTable, options);
            }
            let parsed = edge_list::read_united(path, input, options)?;
            from_text(path, parsed, options)
        }
    }
}

/// Refuses archives of which parts cannot be found.
pub(super) fn plain_archive(path: &Path, input: &Input) -> Result<()> {
    if input.is_compressed() || input.is_read_once() {
        let problem = "is an archive, which can only be read from a file that is not compressed again";
        return Err(Error::format(path, None, problem));
    }
    Ok(())
}

/// Reads a network from an edge list in memory, as [`read_network`] does from a file.
///
/// ```
/// use ergodict::data::{ReadOptions, parse_network};
/// let (network, _) = parse_network(b"0 1\n1 2\n2 0\n", &ReadOptions::default())?;
/// assert_eq!((network.nodes(), network.edges(), network.is_simple()), (3, 3, true));
/// # Ok::<(), ergodict::Error>(())
/// ```
///
/// # Errors
/// As [`read_network`].
pub fn parse_network(text: &[u8], options: &ReadOptions) -> Result<(Network, ReadDecisions)> {
    let path = Path::new("edge list");
    let start = &text[..text.len().min(adjacency_table::START as usize)];
    if adjacency_table::recognize(path, start, options)? {
        let entries = adjacency_table::read(path, text, options)?;
        return from_matrix(path, entries, NetworkFormat::AdjacencyTable, options);
    }
    from_text(path, edge_list::parse(path, text, options)?, options)
}

fn from_text(
    path: &Path,
    parsed: edge_list::EdgeListText,
    options: &ReadOptions,
) -> Result<(Network, ReadDecisions)> {
    let edge_list::EdgeListText { list, noticed } = parsed;
    if let Some((line, weight)) = noticed.negative {
        return Err(Error::format(path, Some(line), negative(weight)));
    }
    if options.weighted == Some(true) && list.weights.is_none() {
        return Err(Error::format(path, None, no_weights(NetworkFormat::EdgeList, &noticed.unused)));
    }
    let weighted = list.weights.is_some() || noticed.ignored_weights;
    let found = EdgeCounts { duplicates: noticed.repeated, ..EdgeCounts::default() };
    let entries = Entries { list, weighted, found };
    let (network, decisions) = from_matrix(path, entries, NetworkFormat::EdgeList, options)?;
    let decisions = decisions.noticed(noticed, Doubt::of_nodes(network.ids()));
    Ok((network, decisions))
}

pub(super) fn negative(weight: f64) -> String {
    format!("has the weight {weight}: weights of a network must be 0 or more (or be ignored)")
}

pub(super) fn from_matrix(
    path: &Path,
    entries: Entries,
    format: NetworkFormat,
    options: &ReadOptions,
) -> Result<(Network, ReadDecisions)> {
    let Entries { mut list, weighted, found: before } = entries;
    let weights = match (weighted, options.weighted) {
        (false, Some(true)) => return Err(Error::format(path, None, no_weights(format, &[]))),
        (false, _) => Weights::None,
        (true, Some(false)) => Weights::Ignored,
        (true, _) => Weights::Used,
    };
    if let Some(&weight) = list.weights.iter().flatten().find(|&&weight| weight < 0.0) {
        return Err(Error::format(path, None, negative(weight)));
    }
    let (directed, reason) = Reason::decide(options.directed, list.directed);
    if directed && list.directed == Some(false) && format != NetworkFormat::EdgeList {
        // Of a symmetric matrix one triangle is handed over.
        mirror(&mut list);
    }
    let words = list.ids.are_words();
    let (network, mut found) = Network::from_list(list, Build { directed, loops: options.loops })?;
    found.duplicates += before.duplicates;
    found.zeros += before.zeros;
    // Those of other files are counted where they are converted, too.
    let counted = format.is_graph_file()
        || matches!(format, NetworkFormat::AdjacencyTable | NetworkFormat::Graph | NetworkFormat::Matrix);
    let ones = weights == Weights::Used && counted && network.edges() > 0 && !network.is_weighted();
    let weights = if ones { Weights::Ones } else { weights };
    let loops = options.loops;
    Ok((network, ReadDecisions::plain(format, (directed, reason), weights, loops, found, words)))
}

/// Adds the other direction of every edge.
fn mirror(list: &mut EdgeList) {
    let edges = list.ends.len();
    for at in 0..edges {
        let (u, v) = list.ends[at];
        if u != v {
            list.ends.push((v, u));
            if let Some(weights) = &mut list.weights {
                weights.push(weights[at]);
            }
        }
    }
}

pub(super) fn no_weights(format: NetworkFormat, unused: &[String]) -> String {
    let expected = match unused.last() {
        _ if format != NetworkFormat::EdgeList => "",
        None => ": expected a third field on every line",
        Some(name) => &format!(": expected a column called weight, not `{name}`"),
    };
    format!("has no weights, which are wanted{expected}")
}

/// What is made of the weights of a network that was made before.
pub(super) fn egr_weights(path: &Path, network: &Network, options: &ReadOptions) -> Result<Weights> {
    match (network.is_weighted(), options.weighted) {
        (false, Some(true)) => Err(Error::format(path, None, no_weights(NetworkFormat::Egr, &[]))),
        (true, Some(false)) => Ok(Weights::Ignored),
        (true, _) => Ok(Weights::Used),
        (false, _) => Ok(Weights::None),
    }
}

/// A network that was made before: only what differs from what is asked for is done.
pub(super) fn from_egr(
    path: &Path,
    network: Network,
    options: &ReadOptions,
) -> Result<(Network, ReadDecisions)> {
    let weights = egr_weights(path, &network, options)?;
    let said = network.is_directed();
    let directed = options.directed.unwrap_or(said);
    let mut found = EdgeCounts { loops: network.loops(), ..EdgeCounts::default() };
    let words = network.ids().are_words();
    let network = if directed == said {
        if weights == Weights::Ignored { network.unweighted() } else { network }
    } else {
        // Both rows of an undirected network's edge, when directions are asked for.
        let arcs = || {
            (0..network.nodes()).flat_map(|u| network.rows().entries(u).map(move |(v, w)| (u as u32, v, w)))
        };
        let edges: Vec<_> = if said || directed { arcs().collect() } else { network.each_edge().collect() };
        let weights = (weights == Weights::Used).then(|| edges.iter().map(|edge| edge.2).collect());
        let ends = edges.iter().map(|&(u, v, _)| (u, v)).collect();
        let list = EdgeList { ids: network.ids().clone(), ends, weights, directed: None };
        drop(edges);
        let (network, again) = Network::from_list(list, Build { directed, loops: Loops::Keep })?;
        found = again;
        network
    };
    let reason = if options.directed.is_some() { Reason::Asked } else { Reason::Said };
    let (format, loops) = (NetworkFormat::Egr, Loops::Keep);
    Ok((network, ReadDecisions::plain(format, (directed, reason), weights, loops, found, words)))
}
