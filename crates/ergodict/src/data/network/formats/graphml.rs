//! GraphML, as networkx, igraph, Gephi and yEd write it. Hyperedges and graphs within nodes are refused; ports are ignored.

use super::graph::{Graph, number};
use super::xml::{Attributes, Piece, Xml};
use crate::Result;
use crate::data::network::ReadOptions;
use std::io::BufRead;

/// The ids of keys that are looked at.
#[derive(Default)]
struct Keys {
    weights: Vec<String>,
    /// The weight of edges without one.
    weight: Option<f64>,
    /// Of labels and of names of nodes.
    labels: [Vec<String>; 2],
}

/// Reads the first graph of a document whose root is open.
pub(super) fn read<R: BufRead>(xml: &mut Xml<'_, R>, options: &ReadOptions) -> Result<Graph> {
    let mut keys = Keys::default();
    let mut graph: Option<Graph> = None;
    loop {
        match xml.next()? {
            None => break,
            Some(Piece::Start(name, attributes)) => match name.as_str() {
                "key" => {
                    let of =
                        |elements: &str| attributes.get("for").is_none_or(|of| of == elements || of == "all");
                    let called = attributes.get("attr.name").or(attributes.get("id")).unwrap_or_default();
                    let is = |name: &str| called.eq_ignore_ascii_case(name);
                    let (weight, label, name) =
                        (of("edge") && is("weight"), of("node") && is("label"), of("node") && is("name"));
                    let id = attributes.get("id").map(str::to_owned);
                    let value = key_default(xml)?;
                    let Some(id) = id else { continue };
                    if label || name {
                        keys.labels[usize::from(name)].push(id);
                    } else if weight {
                        keys.weights.push(id);
                        if let Some(value) = value {
                            keys.weight = Some(number(&value).map_err(|problem| xml.bad(problem))?);
                        }
                    }
                }
                "graph" if graph.is_some() => return Err(xml.bad("has a second graph: expected one")),
                "graph" => graph = Some(one(xml, &attributes, &keys, options)?),
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
    keys: &Keys,
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
                    let id = id.to_owned();
                    let [label, name] = data(xml, [&keys.labels[0], &keys.labels[1]])?;
                    graph
                        .node(&id, [label.as_deref(), name.as_deref()])
                        .map_err(|problem| xml.bad(problem))?;
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
                    graph.edge(source, target, keys.weight);
                    let [weight] = data(xml, [&keys.weights])?;
                    if let Some(weight) = weight {
                        let weight = number(&weight).map_err(|problem| xml.bad(problem))?;
                        graph.weigh(graph.edges().saturating_sub(1), weight);
                    }
                }
                "hyperedge" => return Err(xml.bad("has a hyperedge: expected edges between two nodes")),
                _ => xml.skip()?,
            },
        }
    }
}

/// The text of some attributes, each by its keys, of the node or edge that was just opened.
fn data<const N: usize, R: BufRead>(
    xml: &mut Xml<'_, R>,
    keys: [&[String]; N],
) -> Result<[Option<String>; N]> {
    let mut found = [const { None }; N];
    loop {
        match xml.next()? {
            None | Some(Piece::End(_)) => return Ok(found),
            Some(Piece::Text(_)) => {}
            Some(Piece::Start(name, _)) if name == "graph" => {
                return Err(xml.bad("has a graph within a node: expected a plain graph"));
            }
            Some(Piece::Start(name, attributes)) => {
                let key = attributes.get("key").filter(|_| name == "data");
                let at = key.and_then(|key| keys.iter().position(|of| of.iter().any(|known| known == key)));
                match at {
                    Some(at) => found[at] = Some(xml.text()?.trim().to_owned()),
                    // The first attribute of nodes is their label.
                    None if N > 1 && found[0].is_none() => found[0] = drawn_label(xml)?,
                    None => xml.skip()?,
                }
            }
        }
    }
}

/// The label that yEd draws at a node, in the tag that was just opened.
fn drawn_label<R: BufRead>(xml: &mut Xml<'_, R>) -> Result<Option<String>> {
    let (mut open, mut label) = (1, None);
    while open > 0 {
        match xml.next()? {
            Some(Piece::Start(name, _)) if name == "NodeLabel" && label.is_none() => {
                label = Some(xml.text()?.trim().to_owned());
            }
            Some(Piece::Start(..)) => open += 1,
            Some(Piece::End(_)) => open -= 1,
            Some(Piece::Text(_)) => {}
            None => break,
        }
    }
    Ok(label)
}
