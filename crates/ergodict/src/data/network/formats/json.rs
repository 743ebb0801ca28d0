//! Node-link JSON, as networkx and D3 have it, and the JSON of Cytoscape.

use super::graph::{Graph, shown};
use crate::data::network::NetworkFormat;
use crate::{Error, Result};
use serde::de::{self, Deserialize, Deserializer, Visitor};
use std::collections::HashSet;
use std::fmt;
use std::io::BufRead;
use std::path::Path;

/// The document; what is not named is skipped as it is read.
#[derive(serde::Deserialize)]
struct Document {
    directed: Option<bool>,
    nodes: Option<Vec<Node>>,
    links: Option<Vec<Edge>>,
    edges: Option<Vec<Edge>>,
    elements: Option<Elements>,
}

#[derive(serde::Deserialize)]
struct Node {
    id: Option<Id>,
    #[serde(default)]
    label: Value,
    #[serde(default)]
    name: Value,
}

#[derive(serde::Deserialize)]
struct Edge {
    source: Option<Id>,
    target: Option<Id>,
    weight: Option<f64>,
    /// What D3 calls a weight.
    #[serde(default)]
    value: Value,
}

/// What Cytoscape calls nodes and edges, apart or in one list.
#[derive(serde::Deserialize)]
#[serde(untagged)]
enum Elements {
    Apart {
        #[serde(default)]
        nodes: Vec<Data<Node>>,
        #[serde(default)]
        edges: Vec<Data<Edge>>,
    },
    Together(Vec<Data<Element>>),
}

#[derive(serde::Deserialize)]
struct Data<T> {
    data: T,
}

#[derive(serde::Deserialize)]
struct Element {
    id: Option<Id>,
    #[serde(default)]
    label: Value,
    #[serde(default)]
    name: Value,
    source: Option<Id>,
    target: Option<Id>,
    weight: Option<f64>,
}

/// A number or a text, or anything else, which is passed over as it is read.
#[derive(Default)]
struct Value {
    number: Option<f64>,
    text: Option<String>,
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        struct Any;

        impl<'de> Visitor<'de> for Any {
            type Value = Value;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("any value")
            }
            fn visit_f64<E: de::Error>(self, number: f64) -> std::result::Result<Value, E> {
                Ok(Value { number: Some(number), text: Some(format!("{number:?}")) })
            }
            fn visit_i64<E: de::Error>(self, number: i64) -> std::result::Result<Value, E> {
                Ok(Value { number: Some(number as f64), text: Some(number.to_string()) })
            }
            fn visit_u64<E: de::Error>(self, number: u64) -> std::result::Result<Value, E> {
                Ok(Value { number: Some(number as f64), text: Some(number.to_string()) })
            }
            fn visit_bool<E: de::Error>(self, _: bool) -> std::result::Result<Value, E> {
                Ok(Value::default())
            }
            fn visit_str<E: de::Error>(self, text: &str) -> std::result::Result<Value, E> {
                Ok(Value { number: None, text: Some(text.to_owned()) })
            }
            fn visit_unit<E: de::Error>(self) -> std::result::Result<Value, E> {
                Ok(Value::default())
            }
            fn visit_seq<A: de::SeqAccess<'de>>(self, mut list: A) -> std::result::Result<Value, A::Error> {
                while list.next_element::<de::IgnoredAny>()?.is_some() {}
                Ok(Value::default())
            }
            fn visit_map<A: de::MapAccess<'de>>(self, mut map: A) -> std::result::Result<Value, A::Error> {
                while map.next_entry::<de::IgnoredAny, de::IgnoredAny>()?.is_some() {}
                Ok(Value::default())
            }
        }

        deserializer.deserialize_any(Any)
    }
}

/// A name: text or a number, as text.
struct Id(String);

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        struct Name;

        impl Visitor<'_> for Name {
            type Value = Id;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a node, text or a number")
            }
            fn visit_str<E: de::Error>(self, text: &str) -> std::result::Result<Id, E> {
                Ok(Id(text.to_owned()))
            }
            fn visit_i64<E: de::Error>(self, number: i64) -> std::result::Result<Id, E> {
                Ok(Id(number.to_string()))
            }
            fn visit_u64<E: de::Error>(self, number: u64) -> std::result::Result<Id, E> {
                Ok(Id(number.to_string()))
            }
            fn visit_f64<E: de::Error>(self, number: f64) -> std::result::Result<Id, E> {
                Ok(Id(format!("{number:?}")))
            }
            fn visit_bool<E: de::Error>(self, value: bool) -> std::result::Result<Id, E> {
                Ok(Id(value.to_string()))
            }
        }

        deserializer.deserialize_any(Name)
    }
}

/// Reads the graph of a document.
pub(super) fn read(path: &Path, input: impl BufRead) -> Result<(Graph, NetworkFormat)> {
    let document: Document = serde_json::from_reader(input).map_err(|error| {
        if error.is_io() {
            return Error::io(path)(error.into());
        }
        let words = error.to_string();
        let words = words.split(" at line ").next().unwrap_or_default();
        let line = (error.line() > 0).then_some(error.line() as u64);
        Error::format(path, line, format!("is JSON of another form or damaged: {}", shown(words)))
    })?;
    let bad = |problem: &str| Error::format(path, None, problem);
    let mut graph = Graph::new(document.directed);
    if let Some(elements) = document.elements {
        let (nodes, edges) = match elements {
            Elements::Apart { nodes, edges } => (nodes, edges),
            Elements::Together(all) => apart(all),
        };
        for Data { data } in nodes {
            let id = data.id.ok_or_else(|| bad("has a node without id"))?;
            let labels = [data.label.text.as_deref(), data.name.text.as_deref()];
            graph.node(&id.0, labels).map_err(|problem| bad(&problem))?;
        }
        // An attribute called `value` is a weight in D3 only.
        let edges = edges.into_iter().map(|edge| Edge { value: Value::default(), ..edge.data });
        add(&mut graph, edges.collect(), &bad)?;
        return Ok((graph, NetworkFormat::Cytoscape));
    }
    let (Some(nodes), Some(edges)) = (document.nodes, document.links.or(document.edges)) else {
        return Err(bad(
            "is JSON of another form: expected `nodes` with `links` or `edges`, as networkx.node_link_data writes them, or `elements` of Cytoscape",
        ));
    };
    // Of D3, nodes without ids have names, and links have these or the numbers of nodes.
    let by_name = is_linked_by_name(&nodes, &edges);
    for (at, node) in nodes.into_iter().enumerate() {
        let labels = [node.label.text.as_deref(), node.name.text.as_deref()];
        match (node.id, labels[1]) {
            (Some(id), _) => graph.node(&id.0, labels),
            (None, Some(name)) if by_name => graph.node(name, labels),
            (None, _) => graph.node(&at.to_string(), labels),
        }
        .map_err(|problem| bad(&problem))?;
    }
    add(&mut graph, edges, &bad)?;
    Ok((graph, NetworkFormat::NodeLink))
}

/// Whether nodes have names and no ids, and every end of a link is such a name.
fn is_linked_by_name(nodes: &[Node], edges: &[Edge]) -> bool {
    let names: Option<HashSet<&str>> =
        nodes.iter().map(|node| node.name.text.as_deref().filter(|_| node.id.is_none())).collect();
    let ends = || edges.iter().flat_map(|edge| [&edge.source, &edge.target]).flatten();
    names.is_some_and(|names| ends().all(|end| names.contains(end.0.as_str())))
        && ends().any(|end| end.0.parse::<usize>().is_err())
}

fn add(graph: &mut Graph, edges: Vec<Edge>, bad: &impl Fn(&str) -> Error) -> Result<()> {
    // `value` is anything where edges have weights.
    let weighted = edges.iter().any(|edge| edge.weight.is_some());
    for Edge { source, target, weight, value } in edges {
        let weight = if weighted { weight } else { value.number };
        let (Some(source), Some(target)) = (source, target) else {
            return Err(bad("has an edge without source and target"));
        };
        graph.edge(&source.0, &target.0, weight);
    }
    Ok(())
}

/// Elements with both ends are edges.
fn apart(all: Vec<Data<Element>>) -> (Vec<Data<Node>>, Vec<Data<Edge>>) {
    let (mut nodes, mut edges) = (Vec::new(), Vec::new());
    for Data { data: Element { id, label, name, source, target, weight } } in all {
        if source.is_some() || target.is_some() {
            edges.push(Data { data: Edge { source, target, weight, value: Value::default() } });
        } else {
            nodes.push(Data { data: Node { id, label, name } });
        }
    }
    (nodes, edges)
}
