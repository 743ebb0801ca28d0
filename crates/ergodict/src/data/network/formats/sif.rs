//! Cytoscape's simple interaction format, `a relation b c`: a node, what it has to do with others, and those. Its files are known by their names only.
//!
//! Tabs separate where there is one in the first lines, otherwise blanks. A line with one field is a node without edges.

use super::graph::{Graph, shown};
use crate::data::network::edge_list::LONGEST_LINE;
use crate::{Error, Result};
use std::io::{BufRead, Read};
use std::path::Path;

/// Whether a file is called so, compressed or not.
pub(in super::super) fn recognize(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    let name = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst")).unwrap_or(&name);
    name.rsplit_once('.').is_some_and(|(_, end)| end == "sif")
}

/// Reads the network of a file.
pub(super) fn read(path: &Path, mut input: impl BufRead) -> Result<Graph> {
    let (mut graph, mut line, mut number) = (Graph::default(), Vec::new(), 0);
    let tabs = input.fill_buf().map_err(Error::io(path))?.contains(&b'\t');
    loop {
        line.clear();
        let longest = LONGEST_LINE as u64 + 1;
        if input.by_ref().take(longest).read_until(b'\n', &mut line).map_err(Error::io(path))? == 0 {
            break;
        }
        number += 1;
        let bad = |problem: String| Error::format(path, Some(number), problem);
        if line.len() > LONGEST_LINE {
            return Err(bad(format!("is longer than {LONGEST_LINE} bytes")));
        }
        let text = std::str::from_utf8(&line).map_err(|_| bad("is not UTF-8 text".into()))?.trim();
        let separated = |c: char| if tabs { c == '\t' } else { c.is_whitespace() };
        let fields: Vec<&str> =
            text.split(separated).map(str::trim).filter(|field| !field.is_empty()).collect();
        match fields[..] {
            [] => {}
            [node] => {
                graph.mention(node);
            }
            [node, relation] => {
                let (node, relation) = (shown(node), shown(relation));
                return Err(bad(format!(
                    "has two fields, `{node}` and `{relation}`: expected a node, a relation and the nodes it is to, such as `a pp b`"
                )));
            }
            [source, _, ref targets @ ..] => {
                let source = graph.mention(source);
                for target in targets {
                    let target = graph.mention(target);
                    graph.connect(source, target, None);
                }
            }
        }
    }
    Ok(graph)
}
