//! The formats of networks, and which one a file is in.

use super::super::columns::{TableForm, TableOptions};
use super::super::formats;
use crate::data::Input;
use crate::{Error, Result};
use std::fmt;
use std::path::Path;

/// How a network lies in a file.
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
    pub(in crate::data::network) fn detect(
        path: &Path,
        input: &mut Input,
        table: &TableOptions,
    ) -> Result<Self> {
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
    pub(in crate::data::network) fn is_graph_file(self) -> bool {
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
