//! Reads a network from a file of any format, and says in one line what was decided.

use super::columns::{Doubt, MISSING, TableColumns, TableForm, TableOptions};
use super::matrix_list::Entries;
use super::{
    Build, EdgeCounts, EdgeList, Loops, Network, adjacency_table, edge_list, egr, formats, matrix_market,
    sparse_npz,
};
use crate::data::{Input, open};
use crate::{Error, Note, Result};
use std::fmt;
use std::path::Path;

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
    /// What becomes of loops. An `.egr` file keeps those it holds, whatever is set here: it is used as it is.
    pub loops: Loops,
    /// Whether nodes of graphs are called by their ids where they have labels.
    pub ids: bool,
    /// What the columns of a table are.
    pub table: TableOptions,
}

/// How a network is stored in a file.
///
/// ```
/// use ergodict::data::{NetworkFormat, ReadOptions, parse_network};
/// let (_, decisions) = parse_network(b"a b\n", &ReadOptions::default())?;
/// assert_eq!(decisions.format, NetworkFormat::EdgeList);
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum NetworkFormat {
    /// Text, an edge a line.
    EdgeList,
    /// Text, a row of the adjacency matrix a line.
    AdjacencyTable,
    /// MatrixMarket, coordinates.
    MatrixMarket,
    /// A sparse matrix as `scipy.sparse.save_npz` writes it.
    SparseNpz,
    /// GraphML.
    GraphMl,
    /// GEXF.
    Gexf,
    /// GML.
    Gml,
    /// Pajek's `.net`.
    Pajek,
    /// Graphviz DOT.
    Dot,
    /// Cytoscape's simple interaction format.
    Sif,
    /// Node-link JSON.
    NodeLink,
    /// Cytoscape's JSON.
    Cytoscape,
    /// MATLAB's `.mat`, version 5 to 7.
    Matlab,
    /// Our own binary format.
    Egr,
    /// Edges in memory that say whether they have a direction.
    Graph,
    /// A matrix in memory.
    Matrix,
}

impl NetworkFormat {
    /// Those that are read from files, in words.
    pub const READ: &'static str =
        "an edge list or table, GraphML, GEXF, GML, Pajek, DOT, SIF, JSON, MatrixMarket, .npz, .mat or .egr";

    /// The format of a file, by how it begins. Text is a table where that is asked for, whatever its first words are.
    ///
    /// # Errors
    /// [`Error::Format`] for what is plainly of a format that is not read; [`Error::Io`].
    pub(super) fn detect(path: &Path, input: &mut Input, table: &TableOptions) -> Result<Self> {
        let head = input.head();
        let text = !head.iter().any(|byte| byte.is_ascii_control() && !byte.is_ascii_whitespace());
        if table.form != TableForm::Auto && text {
            return Ok(Self::EdgeList);
        }
        foreign(path, head)?;
        let format = match Self::from_head(head) {
            Self::EdgeList if formats::is_sif(path) => Self::Sif,
            Self::EdgeList if formats::is_dot(path, &input.peek(formats::DOT_START)?) => Self::Dot,
            Self::EdgeList if formats::is_gml(path, &input.peek(formats::GML_START)?) => Self::Gml,
            format => format,
        };
        if format != Self::EdgeList && table.has_columns() {
            let problem = format!(
                "is {format}, which has no columns: source, target and weight are given for tables (graphs of other programs have weights in the \
                 attribute `weight`)"
            );
            return Err(Error::format(path, None, problem));
        }
        Ok(format)
    }

    /// The format of a file that begins so; GML and DOT need more of it.
    fn from_head(head: &[u8]) -> Self {
        let (banner, text) = (b"%%matrix", head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head));
        let length = text.len().min(banner.len());
        if length >= 5 && text[..length].eq_ignore_ascii_case(&banner[..length]) {
            Self::MatrixMarket
        } else if head.starts_with(b"PK\x03\x04") {
            Self::SparseNpz
        } else if head.starts_with(b"EGR1") {
            Self::Egr
        } else {
            formats::detect(head).unwrap_or(Self::EdgeList)
        }
    }

    /// Whether it is a graph that another program wrote, which is read whole.
    pub(super) fn is_graph_file(self) -> bool {
        use NetworkFormat::{Cytoscape, Dot, Gexf, Gml, GraphMl, Matlab, NodeLink, Pajek, Sif};
        matches!(self, GraphMl | Gexf | Gml | Pajek | Dot | Sif | NodeLink | Cytoscape | Matlab)
    }
}

impl fmt::Display for NetworkFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::EdgeList => "edge list",
            Self::AdjacencyTable => "adjacency matrix",
            Self::MatrixMarket => "MatrixMarket",
            Self::SparseNpz => "scipy sparse matrix",
            Self::GraphMl => "GraphML",
            Self::Gexf => "GEXF",
            Self::Gml => "GML",
            Self::Pajek => "Pajek",
            Self::Dot => "DOT",
            Self::Sif => "SIF",
            Self::NodeLink => "node-link JSON",
            Self::Cytoscape => "Cytoscape JSON",
            Self::Matlab => "MATLAB",
            Self::Egr => ".egr",
            Self::Graph => "graph",
            Self::Matrix => "matrix",
        })
    }
}

/// Who decided that edges have a direction, or none.
///
/// ```
/// use ergodict::data::{ReadOptions, Reason, parse_network};
/// let reason = |text: &[u8]| Ok::<_, ergodict::Error>(parse_network(text, &ReadOptions::default())?.1.reason);
/// assert_eq!((reason(b"a b\n")?, reason(b"# directed\na b\n")?), (Reason::Assumed, Reason::Said));
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// The file says it.
    Said,
    /// The options say it.
    Asked,
    /// Nobody says it.
    Assumed,
}

/// What became of weights.
///
/// ```
/// use ergodict::data::{ReadOptions, Weights, parse_network};
/// let plain = ReadOptions { weighted: Some(false), ..ReadOptions::default() };
/// let (network, decisions) = parse_network(b"a b 0.5\n", &plain)?;
/// assert!(decisions.weights == Weights::Ignored && !network.is_weighted());
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Weights {
    /// There are none.
    None,
    /// They are the network's.
    Used,
    /// All of them are 1, as without weights.
    Ones,
    /// They were not wanted.
    Ignored,
}

/// What was decided while a network was read. Written out, it is one line.
///
/// ```
/// use ergodict::data::{ReadOptions, parse_network};
/// let (_, decisions) = parse_network(b"source,target\n1,2\n2,2\n2,1\n", &ReadOptions::default())?;
/// assert_eq!(decisions.to_string(), "edge list, undirected (assumed), without weights, integer ids; \
///     header on line 1 skipped, 1 loop dropped, every edge listed in both directions");
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ReadDecisions {
    /// How the file was read.
    pub format: NetworkFormat,
    /// Whether edges have a direction.
    pub directed: bool,
    /// Who said so.
    pub reason: Reason,
    /// What became of weights.
    pub weights: Weights,
    /// The column of an edge list that they were in, counted from 1.
    pub weight_column: Option<usize>,
    /// The line of a header, which was skipped.
    pub header: Option<u64>,
    /// Columns that a header names and nothing was made of, such as `year`.
    pub unused: Vec<String>,
    /// What it could be instead.
    pub doubts: Vec<Doubt>,
    /// The attribute that has the names of the nodes, where these are not their ids.
    pub labels: Option<&'static str>,
    /// What became of loops.
    pub loops: Loops,
    /// Loops, repeated edges and zeros.
    pub found: EdgeCounts,
    /// Whether ids are words, not integers.
    pub words: bool,
}

impl ReadDecisions {
    /// Those of a format that has neither columns nor a header.
    pub(super) fn plain(
        format: NetworkFormat,
        (directed, reason): (bool, Reason),
        weights: Weights,
        loops: Loops,
        found: EdgeCounts,
        words: bool,
    ) -> Self {
        let (weight_column, header, unused, doubts, labels) = (None, None, Vec::new(), Vec::new(), None);
        Self {
            format,
            directed,
            reason,
            weights,
            weight_column,
            header,
            unused,
            doubts,
            labels,
            loops,
            found,
            words,
        }
    }
}

impl ReadDecisions {
    /// What may not be as it was meant of a file that was read so: a first line that could be a header, and columns that could be weights, unless columns
    /// were given.
    ///
    /// ```
    /// use ergodict::data::{ReadOptions, parse_network};
    /// let options = ReadOptions::default();
    /// let (_, decisions) = parse_network(b"source,target,score\na,b,2\n", &options)?;
    /// assert!(decisions.warnings(&options)[0].spelled(&ToString::to_string).starts_with("column `score` is ignored"));
    /// # Ok::<(), ergodict::Error>(())
    /// ```
    pub fn warnings(&self, options: &ReadOptions) -> Vec<Note> {
        let open =
            self.weights == Weights::None && options.weighted.is_none() && !options.table.has_columns();
        let ignored = open.then(|| TableColumns::ignored(&self.unused)).flatten();
        self.doubts.iter().map(Doubt::note).chain(ignored).collect()
    }
}

impl fmt::Display for ReadDecisions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let direction = if self.directed { "directed" } else { "undirected" };
        let reason = match self.reason {
            Reason::Said if self.format == NetworkFormat::Graph => "stated by the graph",
            Reason::Said if self.format == NetworkFormat::Matrix => "stated by the matrix",
            Reason::Said => "stated by the file",
            Reason::Asked => "asked for",
            Reason::Assumed => "assumed",
        };
        let weights = match (self.weights, self.format) {
            (Weights::None, _) => "without weights",
            (Weights::Ones, _) => "weights all 1",
            (Weights::Used, _) => match self.weight_column {
                Some(3) => "weights in the third column",
                Some(at) => &format!("weights in column {at}"),
                None => "with weights",
            },
            (Weights::Ignored, NetworkFormat::EdgeList) if self.header.is_none() => "third column ignored",
            (Weights::Ignored, _) => "weights ignored",
        };
        let ids = if self.words { "words as ids" } else { "integer ids" };
        write!(f, "{}, {direction} ({reason}), {weights}, {ids}", self.format)?;
        let mut notes = Vec::new();
        if let Some(attribute) = self.labels {
            notes.push(format!("nodes called by their attribute `{attribute}`"));
        }
        if let Some(line) = self.header {
            notes.push(format!("header on line {line} skipped"));
        }
        notes.extend(self.doubts.iter().filter_map(|doubt| match doubt {
            Doubt::Header(fields) => Some(format!("first line {fields} read as an edge, not as a header")),
            Doubt::Times => Some("first column read as an end of edges, not as times".into()),
            Doubt::Weights(..) | Doubt::MissingNode(_) | Doubt::Labels(_) => None,
        }));
        match &self.unused[..] {
            [] => {}
            [one] => notes.push(format!("column `{one}` ignored")),
            [first, .., last] => {
                notes.push(format!("{} columns from `{first}` to `{last}` ignored", self.unused.len()));
            }
        }
        let counted = |n: u64, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
        if self.found.loops > 0 {
            let fate = if self.loops == Loops::Drop { "dropped" } else { "kept" };
            notes.push(format!("{} {fate}", counted(self.found.loops, "loop")));
        }
        if self.found.duplicates > 0 {
            let fate = if self.weights == Weights::Used { "added up" } else { "united" };
            notes.push(format!("{} {fate}", counted(self.found.duplicates, "duplicate")));
        }
        if self.found.both_directions {
            notes.push("every edge listed in both directions".into());
        }
        if self.found.zeros > 0 {
            notes.push(format!("{} left out", counted(self.found.zeros, "zero weight")));
        }
        if notes.is_empty() { Ok(()) } else { write!(f, "; {}", notes.join(", ")) }
    }
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
        NetworkFormat::Egr => from_egr(path, egr::read(path, input)?, options),
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

/// Refuses what is plainly of a format that is not read, by its first bytes, and says how to get there.
fn foreign(path: &Path, head: &[u8]) -> Result<()> {
    let begins =
        |with: &str| head.len() >= with.len() && head[..with.len()].eq_ignore_ascii_case(with.as_bytes());
    let dimacs = || {
        let mut lines =
            head.split(|&byte| byte == b'\n').skip_while(|line| line.starts_with(b"c ") || *line == b"c");
        let words = |line: &[u8]| line.split(u8::is_ascii_whitespace).map(<[u8]>::to_vec).collect::<Vec<_>>();
        lines.next().map(words).is_some_and(|words| {
            words.len() > 3
                && words[0] == b"p"
                && words[2..4].iter().all(|size| size.first().is_some_and(u8::is_ascii_digit))
        })
    };
    let dl =
        || begins("dl ") && head.split(|&byte| byte == b'\n').next().is_some_and(|line| line.contains(&b'='));
    let lgl = path.extension().is_some_and(|end| end.eq_ignore_ascii_case("lgl"));
    let what = match () {
        () if begins("[") => "a JSON array",
        () if begins("nodedef>") => "GDF of GUESS (save it as GEXF or GraphML in Gephi)",
        () if dl() => "DL of UCINET (export it as Pajek)",
        () if begins("*node data") || begins("*tie data") || begins("*node properties") => "VNA of NetDraw",
        () if begins("LEDA.GRAPH") => "LEDA",
        () if begins(">>graph6<<") || begins(">>sparse6<<") || begins(">>digraph6<<") => "graph6",
        () if begins("33D32945") => "SteinLib",
        () if begins("graph TD") || begins("graph LR") || begins("flowchart ") || begins("@startuml") => {
            "a diagram of Mermaid or PlantUML"
        }
        () if dimacs() => "DIMACS (write its lines of edges without their first letter)",
        () if lgl => "LGL (igraph writes it as NCOL)",
        () if head.starts_with(b"\xff\xfe") || head.starts_with(b"\xfe\xff") => "UTF-16 (save it as UTF-8)",
        () if begins("MATLAB 7.3") || head.starts_with(b"\x89HDF") => {
            "HDF5, perhaps MATLAB 7.3 (save it with -v7)"
        }
        () if head.starts_with(b"\x93NUMPY") => "a dense numpy array",
        () => return Ok(()),
    };
    let problem = format!(
        "looks like {what}: expected {} (networkx reads most formats, and its write_edgelist writes what is read here)",
        NetworkFormat::READ
    );
    Err(Error::format(path, None, problem))
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
    let (network, mut decisions) = from_matrix(path, entries, NetworkFormat::EdgeList, options)?;
    (decisions.header, decisions.weight_column) = (noticed.header, noticed.weight_column);
    (decisions.unused, decisions.doubts) = (noticed.unused, noticed.doubts);
    let ids = network.ids();
    let missing = MISSING.iter().filter(|name| ids.are_words() && ids.find(name).is_some());
    decisions.doubts.extend(missing.map(|name| Doubt::MissingNode((*name).into())));
    // Some programs have -1 where a node is missing.
    let negative = (0..ids.len().min(2)).map_while(|v| ids.integer(v).filter(|id| *id < 0));
    if negative.eq([-1]) {
        decisions.doubts.push(Doubt::MissingNode("-1".into()));
    }
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
    let (directed, reason) = match (options.directed, list.directed) {
        (Some(directed), _) => (directed, Reason::Asked),
        (None, Some(directed)) => (directed, Reason::Said),
        (None, None) => (false, Reason::Assumed),
    };
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
