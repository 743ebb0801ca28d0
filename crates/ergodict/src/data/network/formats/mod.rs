//! Files of graphs from other programs, a reader for each format: nodes and edges with names, weights and directions.
//!
//! | format | ids of nodes | weights | direction |
//! |---|---|---|---|
//! | GraphML | `id` | the attribute called `weight`, with its default | `edgedefault` |
//! | GEXF | `id` | `weight` | `defaultedgetype` |
//! | GML | `id` | `weight`, else `value` | `directed` |
//! | Graphviz DOT | id | `weight`, with that of `edge [weight=…]` as default | `graph` or `digraph` |
//! | Pajek | number | third number of a line | `*Arcs` or `*Edges` |
//! | Cytoscape SIF | id | none | none |
//! | node-link JSON | `id`, else the place | `weight` | `directed` |
//! | Cytoscape JSON | `id` | `weight` | `directed`, where networkx wrote it |
//! | MATLAB | numbers from 0 | entries | whether the matrix is symmetric |
//!
//! Nodes are called by their attribute `label` where each has its own, else by `name`, else by their ids; DOT, where labels are for drawings, by their
//! ids. An edge without a weight among others with one weighs 1. Edges of both kinds in one file are refused unless it is said which they are.

mod cursor;
mod dot;
mod dot_tokens;
mod gexf;
mod gml;
mod graph;
mod graphml;
mod json;
mod mat;
mod pajek;
mod sif;
mod tokens;
mod write;
mod xml;

use super::matrix_list::Entries;
use super::read::ReadOptions;
use super::{NetworkFormat, line_ends::LineEnds};
use crate::Result;
use crate::data::Input;
pub(super) use dot::{START as DOT_START, recognize as is_dot};
pub(super) use gml::{START as GML_START, recognize as is_gml};
pub(super) use graph::Labels;
use graph::shown;
pub(super) use sif::recognize as is_sif;
use std::io::{BufRead, BufReader};
use std::path::Path;
pub(super) use write::{write_graphml, write_node_link};

/// The format of a file that begins so, if it is one of these but GML and DOT. XML is one of two, JSON one of two.
pub(super) fn detect(head: &[u8]) -> Option<NetworkFormat> {
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    if text.starts_with(b"MATLAB 5.0") {
        return Some(NetworkFormat::Matlab);
    }
    let mut text = text.trim_ascii_start().to_ascii_lowercase();
    while text.starts_with(b"%") || text.starts_with(b"#") {
        let line = text.iter().position(|byte| matches!(byte, b'\n' | b'\r'))?;
        text = text[line..].trim_ascii_start().to_vec();
    }
    match () {
        () if text.starts_with(b"<") => Some(NetworkFormat::GraphMl),
        () if text.starts_with(b"{") => Some(NetworkFormat::NodeLink),
        () if text.starts_with(b"*vertices") || text.starts_with(b"*network") => Some(NetworkFormat::Pajek),
        () => None,
    }
}

/// Reads the graph of such a file.
///
/// # Errors
/// [`Error::Format`](crate::Error::Format) for what is not well-formed, or no graph; [`Error::Io`](crate::Error::Io).
pub(super) fn read(
    path: &Path,
    format: NetworkFormat,
    mut input: Input,
    options: &ReadOptions,
) -> Result<(Entries, NetworkFormat, Labels)> {
    if input.head().starts_with(b"\xef\xbb\xbf") {
        input.consume(3);
    }
    let (graph, format) = match format {
        NetworkFormat::GraphMl => {
            let mut xml = xml::Xml::new(path, BufReader::new(input));
            match xml.root()?.as_str() {
                "graphml" => (graphml::read(&mut xml, options)?, NetworkFormat::GraphMl),
                "gexf" => (gexf::read(&mut xml, options)?, NetworkFormat::Gexf),
                other => {
                    let problem =
                        format!("is XML with the root `{}`: expected graphml or gexf", shown(other));
                    return Err(xml.bad(problem));
                }
            }
        }
        NetworkFormat::NodeLink => json::read(path, BufReader::new(input))?,
        NetworkFormat::Gml => (gml::read(path, BufReader::new(input))?, format),
        NetworkFormat::Dot => (dot::read(path, BufReader::new(LineEnds::new(input)))?, format),
        NetworkFormat::Sif => (sif::read(path, BufReader::new(LineEnds::new(input)))?, format),
        NetworkFormat::Pajek => (pajek::read(path, BufReader::new(LineEnds::new(input)), options)?, format),
        _ => {
            let entries = mat::read(path, input, options.weighted == Some(false))?;
            return Ok((entries, NetworkFormat::Matlab, Labels::default()));
        }
    };
    let (entries, labels) = graph.finish(path, options)?;
    Ok((entries, format, labels))
}

#[cfg(test)]
mod tests;
