//! Writes a network as an edge list, which the reader makes the same network of.

use super::Network;
use super::edge_list::TYPOGRAPHIC;
use crate::data::Lines;
use std::borrow::Cow;
use std::io::{self, Write};

/// Writes a network as text: an edge a line, tabs between both ids and, if there are weights, the shortest decimal
/// number that is read back as the weight. A comment at the head says whether edges have a direction. Nodes without
/// edges cannot be written in an edge list; see [`Network::isolated`].
///
/// ```
/// # use ergodict::data::{Network, write_edge_list};
/// let mut text = Vec::new();
/// write_edge_list(&Network::simple(3, &[(0, 1), (1, 2)])?, &mut text).unwrap();
/// assert_eq!(text, b"# undirected network: 3 nodes, 2 edges\n0\t1\n1\t2\n");
/// # Ok::<(), ergodict::Error>(())
/// ```
///
/// # Errors
/// Those of `out`; `InvalidData` for a word with a line break or another control character in it, or an empty one.
pub fn write_edge_list(network: &Network, out: &mut dyn Write) -> io::Result<()> {
    let mut lines = Lines::new(out);
    let direction = if network.is_directed() { "directed" } else { "undirected" };
    lines
        .text(&format!("# {direction} network: {} nodes, {} edges", network.nodes(), network.edges()))
        .end()?;
    let (ids, weighted) = (network.ids(), network.is_weighted());
    if ids.are_words() {
        // So that the first edge cannot be taken for a header, nor the header for an edge of nodes that are called so.
        let mut mark = String::new();
        while ["source", "target"].iter().any(|name| ids.find(&format!("{name}{mark}")).is_some()) {
            mark.push('_');
        }
        let weight = if weighted { "\tweight" } else { "" };
        lines.text(&format!("source{mark}\ttarget{mark}{weight}")).end()?;
    }
    for (u, v, weight) in network.each_edge() {
        lines.node(ids, u as usize)?.text("\t").node(ids, v as usize)?;
        if weighted {
            lines.text("\t").number(weight);
        }
        lines.end()?;
    }
    lines.finish()
}

/// A name as it can stand in a table next to others: in quotation marks, with inner ones doubled, where it would be split or
/// taken for something else.
///
/// ```
/// use ergodict::data::write_name;
/// assert_eq!((write_name("New York")?, write_name("Ulm")?), ("\"New York\"".into(), "Ulm".into()));
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// `InvalidData` for a name with a line break or another control character but tabs in it, or an empty one.
pub fn write_name(name: &str) -> io::Result<Cow<'_, str>> {
    if name.is_empty() || name.bytes().any(|byte| byte < b' ' && byte != b'\t') {
        let problem =
            format!("the node {name:?} cannot be written: words in text are one line, and not empty");
        return Err(io::Error::new(io::ErrorKind::InvalidData, problem));
    }
    let special = |c: char| matches!(c, ' ' | '\t' | ',' | ';' | '"' | '{' | '}');
    let comment = name.starts_with(['#', '%', '/', '\u{feff}']);
    let marked = TYPOGRAPHIC.iter().any(|(open, _)| name.starts_with(*open));
    // What readers skip around tables.
    let drawn = name.chars().all(|c| "-=+|:".contains(c))
        || name.get(..4).is_some_and(|name| name.eq_ignore_ascii_case("sep="));
    let quoted = comment || marked || drawn || name.contains(special);
    Ok(if quoted { format!("\"{}\"", name.replace('"', "\"\"")).into() } else { name.into() })
}

impl Network {
    /// Number of nodes without an edge. A loop is an edge.
    pub fn isolated(&self) -> usize {
        let into = self.is_directed().then(|| self.incoming());
        let alone = |&u: &usize| self.rows().degree(u) == 0 && into.is_none_or(|rows| rows.degree(u) == 0);
        (0..self.nodes()).filter(alone).count()
    }
}
