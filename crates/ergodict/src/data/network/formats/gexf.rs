//! GEXF, as Gephi and networkx write it: the whole graph, whenever its edges were there.

use super::graph::{Graph, number};
use super::xml::{Piece, Xml};
use crate::Result;
use crate::data::network::ReadOptions;
use std::io::BufRead;

/// Reads the graph of a document whose root is open.
pub(super) fn read<R: BufRead>(xml: &mut Xml<'_, R>, options: &ReadOptions) -> Result<Graph> {
    let mut graph: Option<Graph> = None;
    // Nodes may hold nodes of their own, which are nodes as well.
    while let Some(piece) = xml.next()? {
        let Piece::Start(name, attributes) = piece else { continue };
        match (name.as_str(), &mut graph) {
            ("graph", Some(_)) => return Err(xml.bad("has a second graph: expected one")),
            ("graph", none) => {
                let directed = match attributes.get("defaultedgetype") {
                    None | Some("undirected") => false,
                    Some("directed") => true,
                    Some(other) => {
                        return Err(xml
                            .bad(format!("has defaultedgetype=`{other}`: expected directed or undirected")));
                    }
                };
                *none = Some(Graph::new(Some(directed)));
            }
            ("node", Some(graph)) => {
                let Some(id) = attributes.get("id") else { return Err(xml.bad("has a node without id")) };
                graph.node(id, [attributes.get("label"), None]).map_err(|problem| xml.bad(problem))?;
            }
            ("edge", Some(graph)) => {
                let (Some(source), Some(target)) = (attributes.get("source"), attributes.get("target"))
                else {
                    return Err(xml.bad("has an edge without source and target"));
                };
                match attributes.get("type") {
                    None => {}
                    Some("directed") => {
                        graph.check_direction(true, options).map_err(|problem| xml.bad(problem))?;
                    }
                    Some("undirected") => {
                        graph.check_direction(false, options).map_err(|problem| xml.bad(problem))?;
                    }
                    Some(other) => {
                        return Err(xml.bad(format!(
                            "has an edge of the type `{other}`: expected directed or undirected"
                        )));
                    }
                }
                let weight =
                    attributes.get("weight").map(number).transpose().map_err(|problem| xml.bad(problem))?;
                graph.edge(source, target, weight);
                xml.skip()?;
            }
            ("gexf" | "nodes" | "edges", _) => {}
            _ => xml.skip()?,
        }
    }
    graph.ok_or_else(|| xml.bad("is GEXF without a graph"))
}
