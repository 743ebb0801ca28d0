//! A network that changes: edges are inserted and removed, and a snapshot is the network as it is now.
//!
//! What was changed since the last snapshot is kept next to it, row by row. The next snapshot copies the rows that did not change as they are, so that few
//! changes of a large network cost little more than a copy of its arrays; without changes it is the same network.

use crate::data::network::edge_list::integer_of;
use crate::data::network::egr_record::Known;
use crate::data::network::{Build, Loops, Network, NodeIds, Rows};
use crate::{Error, Result};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, OnceLock};

/// One change of a network, by the names of nodes.
///
/// ```
/// use ergodict::data::{Build, Change, ChangingNetwork};
/// let mut network = ChangingNetwork::new(Build::default());
/// network.apply(&[Change::insert("a", "b", 1.0), Change::insert("b", "c", 2.0), Change::remove("a", "b")])?;
/// assert_eq!((network.weight("b", "c"), network.weight("a", "b")), (2.0, 0.0));
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub enum Change<'a> {
    /// The edge has this weight from now on, whether it was there or not.
    Insert(Cow<'a, str>, Cow<'a, str>, f64),
    /// The edge, which is there, is there no more.
    Remove(Cow<'a, str>, Cow<'a, str>),
}

impl<'a> Change<'a> {
    /// Gives an edge a weight.
    pub fn insert(u: impl Into<Cow<'a, str>>, v: impl Into<Cow<'a, str>>, weight: f64) -> Self {
        Self::Insert(u.into(), v.into(), weight)
    }

    /// Takes an edge away.
    pub fn remove(u: impl Into<Cow<'a, str>>, v: impl Into<Cow<'a, str>>) -> Self {
        Self::Remove(u.into(), v.into())
    }
}

/// A network whose edges come and go. Nodes come with their first edge and stay.
///
/// ```
/// use ergodict::data::{Build, Change, ChangingNetwork};
/// let mut network = ChangingNetwork::new(Build::default());
/// network.apply(&[Change::insert("a", "b", 1.0)])?;
/// network.apply(&[Change::insert("b", "c", 1.0), Change::remove("b", "a")])?;
/// let now = network.snapshot();
/// assert_eq!((now.nodes(), now.edges(), network.version()), (3, 1, 3));
/// assert!(network.apply(&[Change::insert("a", "c", 1.0), Change::remove("a", "b")]).is_err());
/// assert!(std::sync::Arc::ptr_eq(&now, &network.snapshot()));
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ChangingNetwork {
    /// The last snapshot. Its nodes keep their numbers until the next; new ones are numbered after them as they come.
    base: Arc<Network>,
    build: Build,
    /// Entries that differ from those of the snapshot: a weight, or none.
    changed: BTreeMap<u32, BTreeMap<u32, Option<f64>>>,
    /// New nodes by name, and their names in the order of their numbers.
    new: HashMap<Box<str>, u32>,
    names: Vec<Box<str>>,
    version: u64,
}

/// What an entry was before a change, so that it can be undone: its row and column, and what was kept of it.
type Before = (u32, u32, Was);

/// What was kept of an entry.
#[derive(Clone, Copy)]
enum Was {
    /// Nothing: it was that of the snapshot.
    Unchanged,
    /// This weight, or that there was none.
    Changed(Option<f64>),
}

impl ChangingNetwork {
    /// A network without nodes.
    pub fn new(build: Build) -> Self {
        let rows = Rows { starts: vec![0].into(), neighbors: Vec::new().into(), weights: None };
        let ids = NodeIds::numbered(0);
        let (directed, incoming) = (build.directed, OnceLock::new());
        Self::over(
            Arc::new(Network { rows, directed, ids, loops: 0, incoming, known: Known::default() }),
            build,
        )
    }

    /// A network as it is now; `loops` says what becomes of loops that are inserted.
    pub fn from_network(network: Arc<Network>, loops: Loops) -> Self {
        let build = Build { directed: network.is_directed(), loops };
        Self::over(network, build)
    }

    fn over(base: Arc<Network>, build: Build) -> Self {
        let (changed, new, names) = (BTreeMap::new(), HashMap::new(), Vec::new());
        Self { base, build, changed, new, names, version: 0 }
    }

    /// How many changes there were: it is the same as long as the network is.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.base.nodes() + self.names.len()
    }

    /// Whether edges have a direction.
    pub fn is_directed(&self) -> bool {
        self.build.directed
    }

    /// The weight of an edge by the names of its ends; 0 where there is none.
    pub fn weight(&self, u: &str, v: &str) -> f64 {
        match (self.find(u), self.find(v)) {
            (Some(u), Some(v)) => self.entry(u, v).unwrap_or(0.0),
            _ => 0.0,
        }
    }

    /// Gives an edge a weight, whether it is there or not; nodes that are new come with it. A loop is left out where loops are.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a weight that is not finite and above 0, for a node without a name, and for more than 2³² nodes.
    #[cfg(test)]
    pub(crate) fn insert(&mut self, u: &str, v: &str, weight: f64) -> Result<()> {
        self.apply(&[Change::insert(u, v, weight)])
    }

    /// Takes an edge away; its nodes stay.
    ///
    /// # Errors
    /// [`Error::Parameter`] where there is no such edge.
    #[cfg(test)]
    pub(crate) fn remove(&mut self, u: &str, v: &str) -> Result<()> {
        self.apply(&[Change::remove(u, v)])
    }

    /// Changes edges one after the other: all of them, or none where one cannot be.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a weight that is none and for an edge that is not there, with the place of the change in the batch.
    pub fn apply(&mut self, batch: &[Change<'_>]) -> Result<()> {
        let (known, version, mut undo) = (self.names.len(), self.version, Vec::new());
        for (at, change) in batch.iter().enumerate() {
            let done = match change {
                Change::Insert(u, v, weight) => self.inserted(u, v, *weight, &mut undo),
                Change::Remove(u, v) => self.removed(u, v, &mut undo),
            };
            if let Err(error) = done {
                for (u, v, before) in undo.into_iter().rev() {
                    self.restore(u, v, before);
                }
                for name in self.names.drain(known..) {
                    self.new.remove(&name);
                }
                self.version = version;
                return Err(if batch.len() > 1 { placed(error, at) } else { error });
            }
        }
        Ok(())
    }

    fn inserted(&mut self, u: &str, v: &str, weight: f64, undo: &mut Vec<Before>) -> Result<()> {
        if !(weight > 0.0 && weight.is_finite()) {
            let (edge, expected) =
                (format!("{weight} from {u} to {v}"), "it must be a finite number above 0");
            return Err(Error::parameter("a weight", edge, expected));
        }
        let (from, to) = (self.node(u)?, self.node(v)?);
        self.version += 1;
        if from == to && self.build.loops == Loops::Drop {
            return Ok(());
        }
        self.set(from, to, Some(weight), undo);
        Ok(())
    }

    fn removed(&mut self, u: &str, v: &str, undo: &mut Vec<Before>) -> Result<()> {
        let there = self.find(u).zip(self.find(v)).filter(|&(u, v)| self.entry(u, v).is_some());
        let Some((u, v)) = there else {
            let edge = format!("from {u} to {v}");
            return Err(Error::parameter("an edge to remove", edge, "there is none"));
        };
        self.version += 1;
        self.set(u, v, None, undo);
        Ok(())
    }

    /// The number of a node that is there.
    fn find(&self, name: &str) -> Option<u32> {
        let old = self.base.ids().find(name).map(|v| v as u32);
        old.or_else(|| self.new.get(name).copied())
    }

    /// The number of a node, which may be new.
    fn node(&mut self, name: &str) -> Result<u32> {
        if let Some(node) = self.find(name) {
            return Ok(node);
        }
        if name.is_empty() {
            return Err(Error::parameter("the name of a node", "empty", "it must have at least one letter"));
        }
        let number = u32::try_from(self.nodes()).ok().filter(|number| *number < u32::MAX);
        let Some(number) = number else {
            return Err(Error::parameter("the number of nodes", self.nodes(), "there can be 2³² at most"));
        };
        self.new.insert(name.into(), number);
        self.names.push(name.into());
        Ok(number)
    }

    /// What is at a row and column now.
    fn entry(&self, u: u32, v: u32) -> Option<f64> {
        if let Some(entry) = self.changed.get(&u).and_then(|row| row.get(&v)) {
            return *entry;
        }
        let row = (u as usize) < self.base.nodes();
        let weight = if row { self.base.weight(u as usize, v as usize) } else { 0.0 };
        (weight > 0.0).then_some(weight)
    }

    fn set(&mut self, u: u32, v: u32, entry: Option<f64>, undo: &mut Vec<Before>) {
        let both = !self.build.directed && u != v;
        for (u, v) in [(u, v), (v, u)].into_iter().take(if both { 2 } else { 1 }) {
            let before = self.changed.entry(u).or_default().insert(v, entry);
            undo.push((u, v, before.map_or(Was::Unchanged, Was::Changed)));
        }
    }

    fn restore(&mut self, u: u32, v: u32, before: Was) {
        let row = self.changed.entry(u).or_default();
        match before {
            Was::Changed(entry) => row.insert(v, entry),
            Was::Unchanged => row.remove(&v),
        };
        if row.is_empty() {
            self.changed.remove(&u);
        }
    }

    /// The network as it is now: the same as one built from its edges. Without changes since the last, the very same.
    pub fn snapshot(&mut self) -> Arc<Network> {
        if self.changed.is_empty() && self.names.is_empty() {
            return Arc::clone(&self.base);
        }
        let (ids, order) = self.renumbered();
        let mut place = vec![0u32; order.len()];
        order.iter().zip(0..).for_each(|(&node, at)| place[node as usize] = at);
        let ascending = place.is_sorted();
        let unmoved = self.names.is_empty() && ascending;
        let weighted = self.base.is_weighted()
            || self.changed.values().flat_map(BTreeMap::values).flatten().any(|weight| *weight != 1.0);
        let mut starts = Vec::with_capacity(order.len() + 1);
        starts.push(0u64);
        let mut neighbors: Vec<u32> = Vec::with_capacity(self.base.rows.neighbors.len());
        let mut weights: Vec<f64> = Vec::new();
        let (mut loops, mut row): (u64, Vec<(u32, f64)>) = (0, Vec::new());
        let mut at = 0;
        while at < order.len() {
            let node = order[at];
            // All rows up to the next that changed, as they are.
            let next = self.changed.range(node..).next().map_or(order.len(), |(u, _)| *u as usize);
            if unmoved && next > at {
                let span = self.base.rows.starts[at] as usize..self.base.rows.starts[next] as usize;
                let shift = neighbors.len() as u64;
                let first = span.start as u64;
                starts.extend(self.base.rows.starts[at + 1..=next].iter().map(|end| end - first + shift));
                neighbors.extend_from_slice(&self.base.rows.neighbors[span.clone()]);
                if weighted {
                    match &self.base.rows.weights {
                        Some(old) => weights.extend_from_slice(&old[span]),
                        None => weights.resize(neighbors.len(), 1.0),
                    }
                }
                at = next;
                continue;
            }
            self.row(node, &mut row);
            row.iter_mut().for_each(|(v, _)| *v = place[*v as usize]);
            if !ascending {
                row.sort_unstable_by_key(|(v, _)| *v);
            }
            neighbors.extend(row.iter().map(|(v, _)| *v));
            if weighted {
                weights.extend(row.iter().map(|(_, weight)| *weight));
            }
            starts.push(neighbors.len() as u64);
            at += 1;
        }
        for u in 0..order.len() {
            let span = starts[u] as usize..starts[u + 1] as usize;
            loops += u64::from(neighbors[span].binary_search(&(u as u32)).is_ok());
        }
        let weights = (weighted && weights.iter().any(|weight| *weight != 1.0)).then_some(weights);
        let rows =
            Rows { starts: starts.into(), neighbors: neighbors.into(), weights: weights.map(Into::into) };
        let (directed, incoming) = (self.build.directed, OnceLock::new());
        self.base = Arc::new(Network { rows, directed, ids, loops, incoming, known: Known::default() });
        self.changed.clear();
        self.new.clear();
        self.names.clear();
        Arc::clone(&self.base)
    }

    /// The row of a node as it is now, by the numbers of nodes.
    fn row(&self, node: u32, row: &mut Vec<(u32, f64)>) {
        row.clear();
        let old = (node as usize) < self.base.nodes();
        let mut old = old.then(|| self.base.rows.entries(node as usize)).into_iter().flatten().peekable();
        for (&v, entry) in self.changed.get(&node).into_iter().flatten() {
            while let Some(before) = old.next_if(|(w, _)| *w < v) {
                row.push(before);
            }
            old.next_if(|(w, _)| *w == v);
            row.extend(entry.map(|weight| (v, weight)));
        }
        row.extend(old);
    }

    /// The names of all nodes in their order, and the number that each has had until now.
    fn renumbered(&self) -> (NodeIds, Vec<u32>) {
        let old = self.base.ids();
        if self.names.is_empty() {
            return (old.clone(), (0..old.len() as u32).collect());
        }
        let new: Option<Vec<i64>> = self.names.iter().map(|name| integer_of(name)).collect();
        let words_before = old.are_words() && !old.is_empty();
        if let Some(new) = new.filter(|_| !words_before) {
            let all = (0..old.len()).filter_map(|v| old.integer(v)).chain(new);
            let mut all: Vec<(i64, u32)> = all.zip(0..).collect();
            all.sort_unstable();
            let order = all.iter().map(|(_, node)| *node).collect();
            return (NodeIds::integers(all.into_iter().map(|(id, _)| id).collect()), order);
        }
        let all =
            (0..old.len()).map(|v| old.name(v)).chain(self.names.iter().map(|name| Cow::Borrowed(&**name)));
        let mut all: Vec<(Cow<'_, str>, u32)> = all.zip(0..).collect();
        all.sort_unstable_by(|a, b| a.0.as_bytes().cmp(b.0.as_bytes()));
        let order = all.iter().map(|(_, node)| *node).collect();
        (NodeIds::words(all.iter().map(|(name, _)| &**name)), order)
    }

    /// The edges as they are now, each once, by the names of nodes: what a snapshot is made of.
    #[cfg(test)]
    pub(crate) fn each_edge(&self) -> impl Iterator<Item = (Cow<'_, str>, Cow<'_, str>, f64)> + '_ {
        let name = |v: u32| match self.names.get((v as usize).wrapping_sub(self.base.nodes())) {
            Some(name) if v as usize >= self.base.nodes() => Cow::Borrowed(&**name),
            _ => self.base.ids().name(v as usize),
        };
        let mut row = Vec::new();
        (0..self.nodes() as u32).flat_map(move |u| {
            self.row(u, &mut row);
            let kept = |&&(v, _): &&(u32, f64)| self.build.directed || v >= u;
            let edges: Vec<_> = row.iter().filter(kept).map(|&(v, weight)| (u, v, weight)).collect();
            edges.into_iter().map(move |(u, v, weight)| (name(u), name(v), weight))
        })
    }
}

/// The error of a change in a batch, with its place.
fn placed(error: Error, at: usize) -> Error {
    match error {
        Error::Parameter { name, value, expected } => {
            let expected = format!("{expected} (change {} of the batch, of which none was made)", at + 1);
            Error::Parameter { name, value, expected }
        }
        error => error,
    }
}

#[cfg(test)]
mod tests;
