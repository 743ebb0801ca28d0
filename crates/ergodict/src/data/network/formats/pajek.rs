//! Pajek's `.net` files: vertices, arcs, edges, lists of them, and matrices.

use super::graph::{Graph, number, shown};
use crate::data::network::edge_list::{LONGEST_LINE, Separator, split};
use crate::data::network::{ReadOptions, matrix_list};
use crate::{Error, Result};
use std::io::{BufRead, Read};
use std::path::Path;

/// Vertices that may be neither listed nor in an edge, if there are not as many others: the name of each takes memory, which the first line of
/// a small file would otherwise take without end.
const UNLISTED: u64 = 1 << 20;

/// What the lines are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Section {
    Vertices,
    /// Two ends and a weight, directed or not.
    Pairs(bool),
    /// An end and those it has edges to.
    Lists(bool),
    /// Rows.
    Matrix,
    Skipped,
}

/// Reads the network of a file.
pub(super) fn read(path: &Path, mut input: impl BufRead, options: &ReadOptions) -> Result<Graph> {
    let (mut graph, mut section, mut vertices) = (Graph::default(), Section::Skipped, None::<u64>);
    let (mut line, mut number_of_line, mut row) = (Vec::new(), 0, 0u64);
    loop {
        line.clear();
        // Rows of matrices may be long.
        let most = if section == Section::Matrix { 1 << 26 } else { LONGEST_LINE };
        let read =
            input.by_ref().take(most as u64 + 1).read_until(b'\n', &mut line).map_err(Error::io(path))?;
        if read == 0 {
            break;
        }
        number_of_line += 1;
        let bad = |problem: String| Error::format(path, Some(number_of_line), problem);
        if line.len() > most {
            return Err(bad(format!("is longer than {most} bytes")));
        }
        let text = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&line);
        let text = std::str::from_utf8(text).map_err(|_| bad("is not UTF-8 text".into()))?.trim();
        if text.is_empty() || text.starts_with('%') {
            continue;
        }
        if let Some(command) = text.strip_prefix('*') {
            let word = command.split_whitespace().next().unwrap_or_default().to_ascii_lowercase();
            section = match word.as_str() {
                "vertices" if vertices.is_some() => {
                    return Err(bad("is a second list of vertices: expected one network".into()));
                }
                "vertices" => {
                    let count = command.split_whitespace().nth(1).and_then(|count| count.parse().ok());
                    vertices = Some(
                        count
                            .ok_or_else(|| bad("has no number of vertices, such as `*Vertices 5`".into()))?,
                    );
                    Section::Vertices
                }
                "arcs" => Section::Pairs(true),
                "edges" => Section::Pairs(false),
                "arcslist" => Section::Lists(true),
                "edgeslist" => Section::Lists(false),
                "matrix" => Section::Matrix,
                _ => Section::Skipped,
            };
            continue;
        }
        let mut fields = Vec::new();
        split(text, Separator::Mixed, &mut fields).map_err(|problem| bad(problem.into()))?;
        let count = vertices.unwrap_or(0);
        let vertex = |field: &str| match field.parse::<u64>() {
            Ok(at) if (1..=count).contains(&at) => Ok(at.to_string()),
            _ => Err(bad(format!("has the vertex `{}`: expected 1 to {count}", shown(field)))),
        };
        match section {
            Section::Skipped => {}
            Section::Vertices => {
                let id = vertex(&fields[0])?;
                let label = fields.get(1).map_or(id.as_str(), |label| label);
                graph.node(&id, [Some(label), None]).map_err(bad)?;
            }
            Section::Pairs(directed) => {
                let [source, target, ..] = &fields[..] else {
                    return Err(bad("has one field: expected two vertices".into()));
                };
                graph.check_direction(directed, options).map_err(bad)?;
                // What follows in square brackets are times.
                let weight = fields.get(2).filter(|field| !field.starts_with('['));
                let weight = weight.map(|field| number(field)).transpose().map_err(bad)?;
                graph.edge(&vertex(source)?, &vertex(target)?, weight);
            }
            Section::Lists(directed) => {
                graph.check_direction(directed, options).map_err(bad)?;
                let source = vertex(&fields[0])?;
                for target in &fields[1..] {
                    graph.edge(&source, &vertex(target)?, None);
                }
            }
            Section::Matrix => {
                graph.check_direction(true, options).map_err(bad)?;
                row += 1;
                let source = vertex(&row.to_string())?;
                if fields.len() as u64 != count {
                    return Err(bad(format!("has {} numbers, but there are {count} vertices", fields.len())));
                }
                for (target, field) in fields.iter().enumerate() {
                    let weight = number(field).map_err(bad)?;
                    if weight != 0.0 {
                        graph.edge(&source, &(target + 1).to_string(), Some(weight));
                    }
                }
            }
        }
    }
    let Some(count) = vertices else {
        return Err(Error::format(path, None, "is a Pajek file without `*Vertices`"));
    };
    matrix_list::nodes(path, None, count, count, graph.edges() as u64 + graph.nodes())?;
    let unlisted = count.saturating_sub(graph.nodes());
    if unlisted > UNLISTED.max(graph.nodes()) {
        let problem = format!(
            "has {count} vertices, of which {unlisted} are neither listed nor in an edge: expected no more than 2²⁰ of those"
        );
        return Err(Error::format(path, None, problem));
    }
    for at in 1..=count {
        let id = at.to_string();
        if !graph.is_listed(&id) {
            graph.node(&id, [Some(&id), None]).map_err(|problem| Error::format(path, None, problem))?;
        }
    }
    Ok(graph)
}
