//! GraphML, as networkx, igraph, Gephi and yEd write it. Hyperedges and graphs within nodes are refused; ports are ignored.

use super::graph::{Graph, number};
use super::xml::{Attributes, Piece, Xml};
use crate::Result;
use crate::data::network::ReadOptions;
use std::io::BufRead;

/// Reads the first graph of a document whose root is open.
pub(super) fn read<R: BufRead>(xml: &mut Xml<'_, R>, options: &ReadOptions) -> Result<Graph> {
    // Keys of the weights, and their default.
    let (mut keys, mut default): (Vec<String>, Option<f64>) = (Vec::new(), None);
    let mut graph: Option<Graph> = None;
    loop {
        match xml.next()? {
            None => break,
            Some(Piece::Start(name, attributes)) => match name.as_str() {
                "key" => {
                    let of_edges = matches!(attributes.get("for"), None | Some("edge" | "all"));
                    let called = attributes.get("attr.name").or(attributes.get("id")).unwrap_or_default();
                    let (ours, id) = (
                        of_edges && called.eq_ignore_ascii_case("weight"),
                        attributes.get("id").map(str::to_owned),
                    );
                    let value = key_default(xml)?;
                    if let (true, Some(id)) = (ours, id) {
                        keys.push(id);
                        if let Some(value) = value {
                            default = Some(number(&value).map_err(|problem| xml.bad(problem))?);
                        }
                    }
                }
                "graph" if graph.is_some() => return Err(xml.bad("has a second graph: expected one")),
                "graph" => graph = Some(one(xml, &attributes, (&keys, default), options)?),
                _ => xml.skip()?,
            },
            Some(_) => {}
        }
    }
    graph.ok_or_else(|| xml.bad("is GraphML without a graph"))
}

/// The default of a key that was just opened.
fn key_default<R: BufRead>(xml: &mut Xml<'_, R>) -> Result<Option<String>> {
    let mut found = None;
    loop {
        match xml.next()? {
            Some(Piece::Start(name, _)) if name == "default" => found = Some(xml.text()?),
            Some(Piece::Start(..)) => xml.skip()?,
            Some(Piece::End(_)) | None => return Ok(found),
            Some(Piece::Text(_)) => {}
        }
    }
}

fn one<R: BufRead>(
    xml: &mut Xml<'_, R>,
    attributes: &Attributes,
    (keys, default): (&[String], Option<f64>),
    options: &ReadOptions,
) -> Result<Graph> {
    let directed = match attributes.get("edgedefault") {
        Some("undirected") | None => false,
        Some("directed") => true,
        Some(other) => {
            return Err(xml.bad(format!("has edgedefault=`{other}`: expected directed or undirected")));
        }
    };
    let mut graph = Graph::new(Some(directed));
    loop {
        match xml.next()? {
            None | Some(Piece::End(_)) => return Ok(graph),
            Some(Piece::Text(_)) => {}
            Some(Piece::Start(name, attributes)) => match name.as_str() {
                "node" => {
                    let Some(id) = attributes.get("id") else { return Err(xml.bad("has a node without id")) };
                    graph.node(id, None).map_err(|problem| xml.bad(problem))?;
                    children(xml, |_, name| name == "graph")?;
                }
                "edge" => {
                    let (Some(source), Some(target)) = (attributes.get("source"), attributes.get("target"))
                    else {
                        return Err(xml.bad("has an edge without source and target"));
                    };
                    if let Some(said) = attributes.get("directed") {
                        graph
                            .check_direction(said == "true" || said == "1", options)
                            .map_err(|problem| xml.bad(problem))?;
                    }
                    graph.edge(source, target, default);
                    if let Some(weight) = weight(xml, keys)? {
                        graph.weigh(graph.edges().saturating_sub(1), weight);
                    }
                }
                "hyperedge" => return Err(xml.bad("has a hyperedge: expected edges between two nodes")),
                _ => xml.skip()?,
            },
        }
    }
}

/// Skips what is within a tag, unless it is refused.
fn children<R: BufRead>(xml: &mut Xml<'_, R>, refused: impl Fn(&Xml<'_, R>, &str) -> bool) -> Result<()> {
    loop {
        match xml.next()? {
            None | Some(Piece::End(_)) => return Ok(()),
            Some(Piece::Text(_)) => {}
            Some(Piece::Start(name, _)) if refused(xml, &name) => {
                return Err(xml.bad("has a graph within a node: expected a plain graph"));
            }
            Some(Piece::Start(..)) => xml.skip()?,
        }
    }
}

/// The weight of an edge that was just opened.
fn weight<R: BufRead>(xml: &mut Xml<'_, R>, keys: &[String]) -> Result<Option<f64>> {
    let mut found = None;
    loop {
        match xml.next()? {
            None | Some(Piece::End(_)) => return Ok(found),
            Some(Piece::Text(_)) => {}
            Some(Piece::Start(name, attributes)) => {
                let ours = name == "data"
                    && attributes.get("key").is_some_and(|key| keys.iter().any(|known| known == key));
                if ours {
                    let text = xml.text()?;
                    found = Some(number(&text).map_err(|problem| xml.bad(problem))?);
                } else {
                    xml.skip()?;
                }
            }
        }
    }
}
