//! A graph while its file is read: nodes by their names in the file, edges between them.

use crate::data::network::matrix_list::Entries;
use crate::data::network::{Doubt, EdgeCounts, EdgeList, NodeIds, ReadOptions};
use crate::data::npy_header::shorten;
use crate::{Error, Result};
use std::collections::HashMap;
use std::path::Path;

/// Which attribute has the names of the nodes.
#[derive(Debug, Default)]
pub(in crate::data::network) struct Labels {
    /// `label` or `name`; none where nodes are called by their ids.
    pub(in crate::data::network) attribute: Option<&'static str>,
    /// A label that several nodes have.
    pub(in crate::data::network) doubt: Option<Doubt>,
}

/// The names of the nodes by an attribute.
#[derive(Default)]
struct Called {
    names: Vec<Box<str>>,
    attribute: Option<&'static str>,
    doubt: Option<Doubt>,
}

impl Called {
    /// By the first attribute that every one of `n` nodes has, each its own.
    fn find(n: usize, labels: [Vec<Option<Box<str>>>; 2]) -> Self {
        let mut doubt = None;
        for (attribute, names) in ["label", "name"].into_iter().zip(labels) {
            let Some(names) =
                names.into_iter().collect::<Option<Vec<Box<str>>>>().filter(|names| names.len() == n)
            else {
                continue;
            };
            let mut sorted: Vec<&str> = names.iter().map(|name| &**name).collect();
            sorted.sort_unstable();
            match sorted.windows(2).find(|two| two[0] == two[1]) {
                None => return Self { names, attribute: Some(attribute), doubt: None },
                Some(twice) => doubt = doubt.or_else(|| Some(Doubt::Labels(shown(twice[0])))),
            }
        }
        Self { doubt, ..Self::default() }
    }
}

/// Nodes and edges so far.
#[derive(Debug, Default)]
pub(super) struct Graph {
    places: HashMap<Box<str>, u32>,
    /// By place: whether a node is listed, and not only the end of an edge.
    listed: Vec<bool>,
    /// What nodes are called besides their ids, by place: in the attribute `label`, and in `name`. Empty where no node has one.
    labels: [Vec<Option<Box<str>>>; 2],
    ends: Vec<(u32, u32)>,
    weights: Vec<f64>,
    weighted: bool,
    /// Whether edges have a direction, where the file says so.
    pub(super) directed: Option<bool>,
}

impl Graph {
    /// No node yet.
    pub(super) fn new(directed: Option<bool>) -> Self {
        Self { directed, ..Self::default() }
    }

    /// Adds a node that the file lists, with its attributes `label` and `name`: what it is called where every node has such a one, and different ones.
    ///
    /// # Errors
    /// For a second node of that id.
    pub(super) fn node(&mut self, id: &str, labels: [Option<&str>; 2]) -> std::result::Result<(), String> {
        let place = self.place(id) as usize;
        if std::mem::replace(&mut self.listed[place], true) {
            return Err(format!("has a second node with the id `{}`: expected different ids", shown(id)));
        }
        for (all, label) in self.labels.iter_mut().zip(labels) {
            if let Some(label) = label.filter(|label| !label.is_empty()) {
                all.resize(all.len().max(place + 1), None);
                all[place] = Some(label.into());
            }
        }
        Ok(())
    }

    /// Finds a node, or adds it.
    fn place(&mut self, id: &str) -> u32 {
        if let Some(&place) = self.places.get(id) {
            return place;
        }
        let place = self.places.len() as u32;
        self.places.insert(id.into(), place);
        self.listed.push(false);
        place
    }

    /// Finds a node, or adds it as one that is listed: of files that need not list them.
    pub(super) fn mention(&mut self, id: &str) -> u32 {
        let place = self.place(id);
        self.listed[place as usize] = true;
        place
    }

    /// Whether the file lists such a node.
    pub(super) fn is_listed(&self, id: &str) -> bool {
        self.places.get(id).is_some_and(|&place| self.listed[place as usize])
    }

    /// Number of nodes.
    pub(super) fn nodes(&self) -> u64 {
        self.places.len() as u64
    }

    /// Number of edges.
    pub(super) fn edges(&self) -> usize {
        self.ends.len()
    }

    /// Adds an edge; its ends may be listed later.
    pub(super) fn edge(&mut self, source: &str, target: &str, weight: Option<f64>) {
        let (source, target) = (self.place(source), self.place(target));
        self.connect(source, target, weight);
    }

    /// Adds an edge between nodes that [`mention`](Self::mention) found.
    pub(super) fn connect(&mut self, source: u32, target: u32, weight: Option<f64>) {
        self.ends.push((source, target));
        self.weights.push(weight.unwrap_or(1.0));
        self.weighted |= weight.is_some();
    }

    /// The weight of the edge at this place, which the file has after its ends.
    pub(super) fn weigh(&mut self, at: usize, weight: f64) {
        if let Some(edge) = self.weights.get_mut(at) {
            *edge = weight;
            self.weighted = true;
        }
    }

    /// The edges, with nodes in the order of their names.
    ///
    /// # Errors
    /// [`Error::Format`] for a graph without nodes, and for edges of a node that is not listed.
    pub(super) fn finish(mut self, path: &Path, options: &ReadOptions) -> Result<(Entries, Labels)> {
        let n = self.places.len();
        if n == 0 {
            return Err(Error::format(path, None, "holds no node and no edge"));
        }
        if let Some(first) = self.listed.iter().position(|listed| !listed) {
            let id = self.places.iter().find(|(_, place)| **place as usize == first).map_or("", |(id, _)| id);
            let problem = format!(
                "has an edge of the node `{}`, which is not listed among the nodes: expected every node to be listed",
                shown(id)
            );
            return Err(Error::format(path, None, problem));
        }
        let mut names: Vec<Box<str>> = vec!["".into(); n];
        for (id, place) in self.places.drain() {
            names[place as usize] = id;
        }
        let Called { names: called, attribute, doubt } =
            if options.ids { Called::default() } else { Called::find(n, self.labels) };
        let Some((order, ids)) = NodeIds::in_order(if attribute.is_some() { &called } else { &names }) else {
            return Err(Error::format(path, None, "has two nodes of the same id: expected different ids"));
        };
        let mut rank = vec![0; n];
        order.iter().enumerate().for_each(|(at, &place)| rank[place as usize] = at as u32);
        for (u, v) in &mut self.ends {
            (*u, *v) = (rank[*u as usize], rank[*v as usize]);
            if self.directed == Some(false) {
                // Otherwise parallel edges that go to and fro would be taken for one edge listed in both directions.
                (*u, *v) = ((*u).min(*v), (*u).max(*v));
            }
        }
        let weights = (self.weighted && options.weighted != Some(false)).then_some(self.weights);
        let list = EdgeList { ids, ends: self.ends, weights, directed: self.directed };
        let entries = Entries { list, weighted: self.weighted, found: EdgeCounts::default() };
        Ok((entries, Labels { attribute, doubt }))
    }

    /// Takes note of what an edge says of its direction.
    ///
    /// # Errors
    /// For an edge of another kind than the others, where nothing is asked for.
    pub(super) fn check_direction(
        &mut self,
        directed: bool,
        options: &ReadOptions,
    ) -> std::result::Result<(), String> {
        let before = *self.directed.get_or_insert(directed);
        // Without directions all edges are of one kind.
        if before == directed || options.directed == Some(false) {
            return Ok(());
        }
        let word = |directed: bool| if directed { "directed" } else { "undirected" };
        Err(format!(
            "has an edge that is {} in a graph that is {}: expected edges of one kind, or to be read without directions",
            word(directed),
            word(before)
        ))
    }
}

/// A weight in a file.
pub(super) fn number(text: &str) -> std::result::Result<f64, String> {
    let wrong = || format!("has the weight `{}`: expected a finite number", shown(text));
    text.trim().parse().ok().filter(|x: &f64| x.is_finite()).ok_or_else(wrong)
}

/// Text of a file in a message of one line.
pub(super) fn shown(text: &str) -> String {
    shorten(&text.escape_debug().to_string())
}
