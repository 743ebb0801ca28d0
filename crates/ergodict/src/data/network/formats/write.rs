//! Writes networks as GraphML and as node-link JSON, which networkx reads.

use crate::data::network::Network;
use std::borrow::Cow;
use std::io::{Result, Write};

/// Text of XML.
fn escaped(text: &str) -> Cow<'_, str> {
    if !text.contains(['&', '<', '>', '"', '\n', '\t', '\r']) {
        return text.into();
    }
    let escape = |c: char| match c {
        '&' => "&amp;".to_owned(),
        '<' => "&lt;".to_owned(),
        '>' => "&gt;".to_owned(),
        '"' => "&quot;".to_owned(),
        '\n' | '\t' | '\r' => format!("&#{};", u32::from(c)),
        other => other.to_string(),
    };
    text.chars().map(escape).collect::<String>().into()
}

/// GraphML.
pub(in crate::data::network) fn write_graphml(network: &Network, out: &mut dyn Write) -> Result<()> {
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(out, "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">")?;
    if network.is_weighted() {
        writeln!(out, "<key id=\"weight\" for=\"edge\" attr.name=\"weight\" attr.type=\"double\"/>")?;
    }
    writeln!(
        out,
        "<graph edgedefault=\"{}\">",
        if network.is_directed() { "directed" } else { "undirected" }
    )?;
    let name = |v: usize| network.ids().name(v);
    for v in 0..network.nodes() {
        writeln!(out, "<node id=\"{}\"/>", escaped(&name(v)))?;
    }
    for (u, v, weight) in network.each_edge() {
        let (source, target) = (name(u as usize), name(v as usize));
        write!(out, "<edge source=\"{}\" target=\"{}\"", escaped(&source), escaped(&target))?;
        if network.is_weighted() {
            writeln!(out, "><data key=\"weight\">{weight:?}</data></edge>")?;
        } else {
            writeln!(out, "/>")?;
        }
    }
    writeln!(out, "</graph>\n</graphml>")
}

/// Node-link JSON.
pub(in crate::data::network) fn write_node_link(network: &Network, out: &mut dyn Write) -> Result<()> {
    let name = |v: usize| match network.ids().integer(v) {
        Some(integer) => integer.to_string(),
        None => serde_json::Value::from(network.ids().name(v)).to_string(),
    };
    let directed = network.is_directed();
    writeln!(out, "{{\"directed\": {directed}, \"multigraph\": false, \"graph\": {{}}, \"nodes\": [")?;
    let comma = |at: bool| if at { "," } else { "" };
    for v in 0..network.nodes() {
        writeln!(out, "{{\"id\": {}}}{}", name(v), comma(v + 1 < network.nodes()))?;
    }
    writeln!(out, "], \"edges\": [")?;
    let edges = network.edges();
    for ((u, v, weight), at) in network.each_edge().zip(1..) {
        write!(out, "{{\"source\": {}, \"target\": {}", name(u as usize), name(v as usize))?;
        if network.is_weighted() {
            write!(out, ", \"weight\": {weight:?}")?;
        }
        writeln!(out, "}}{}", comma(at < edges))?;
    }
    writeln!(out, "]}}")
}
