//! Makes an `.egr` file of more edges than fit in memory.
//!
//! | step | in memory | in temporary files |
//! |---|---|---|
//! | blocks of edges are gathered, nodes numbered as they appear | names | edges |
//! | nodes are renumbered in ascending order, arcs `(u, v)` sorted and united: `F` | a rank a node | sorted runs |
//! | arcs `(v, u)` sorted: `B` | | `F`, sorted runs |
//! | `F` and `B` are read side by side: both are rows of an undirected network, `B` the incoming ones of a directed one | a place a node | neighbours, weights |
//! | sections are put together | | |
//!
//! The bytes are those of [`Network::build`](super::Network::build) written whole: weights of the same arc are added in
//! the order of the list, then those of both directions.

use super::EdgeList;
use super::build::too_large;
use super::edge_list::{self, Blocks};
use super::external_names::Interner;
use super::external_sort::{Arc, Merge, Sorter, Source};
use super::external_spool::Spool;
use super::external_table::{Table, assemble};
use super::read::{self, Decisions, NetworkFormat, ReadOptions, Reason, Weights};
use super::{Build, Found, Loops, egr};
use crate::data::{open, write_atomic};
use crate::{Error, Result};
use std::path::Path;

/// Arcs between two reports of progress.
const TICK: u64 = 1 << 16;

/// Bytes that a conversion takes at least: an eighth, a block of text, is twice the longest line.
const LEAST_BUDGET: usize = 1 << 20;

/// What was written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Written {
    pub(super) found: Found,
    pub(super) nodes: u64,
    pub(super) edges: u64,
    pub(super) weighted: bool,
    pub(super) words: bool,
}

/// Where the result goes, and what it may take.
pub(super) struct Task<'a> {
    pub(super) out: &'a Path,
    pub(super) build: Build,
    /// Bytes of memory beside what a node needs: its name and a few dozen bytes more.
    pub(super) budget: usize,
    /// Told how many arcs were moved so far, in all steps; false stops.
    pub(super) progress: &'a mut dyn FnMut(u64) -> bool,
}

/// Makes an `.egr` file of a network in a file of any format, an edge list of any length in about `budget` bytes of
/// memory, at least 1 MiB, beside the names of the nodes; other formats are read whole. The bytes are those that
/// [`write_network`](super::write_network) makes of what [`read_network`](super::read_network) reads. Temporary files
/// beside `out` take at most 24 bytes an edge, with weights 72; few edges take none.
///
/// `progress` is told a growing number of arcs that were moved, in several steps; when it returns false the work is
/// stopped, nothing is left and none is returned.
///
/// ```
/// use ergodict::data::{ReadOptions, convert_network};
/// let folder = std::env::temp_dir().join(format!("ergodict-convert-{}", std::process::id()));
/// std::fs::create_dir(&folder).unwrap();
/// let (text, out) = (folder.join("a.txt"), folder.join("a.egr"));
/// std::fs::write(&text, "1 2\n2 3\n").unwrap();
/// let decisions = convert_network(&text, &ReadOptions::default(), &out, 1 << 20, &mut |_| true)?;
/// assert!(decisions.is_some() && out.exists());
/// # std::fs::remove_dir_all(&folder).unwrap();
/// # Ok::<(), ergodict::Error>(())
/// ```
///
/// # Errors
/// As [`read_network`](super::read_network) and [`write_network`](super::write_network).
pub fn convert_network(
    path: &Path,
    options: &ReadOptions,
    out: &Path,
    budget: usize,
    progress: &mut dyn FnMut(u64) -> bool,
) -> Result<Option<Decisions>> {
    let input = open(path)?;
    read::foreign(path, input.head())?;
    let format = NetworkFormat::of(input.head());
    if format != NetworkFormat::EdgeList {
        let (network, decisions) = read::read_input(path, input, *options)?;
        if !progress(network.stored()) {
            return Ok(None);
        }
        write_atomic(out, |file| egr::write(&network, file).map_err(Error::io(out)))?;
        return Ok(Some(decisions));
    }
    let budget = budget.max(LEAST_BUDGET);
    // Text takes a third of the memory that its edges take while they are parsed.
    let bytes = (budget / 8).min(8 << 20);
    let mut blocks = Blocks::new(path, input, options.weighted == Some(false), bytes);
    let first = blocks.next()?;
    let has_weights = first.as_ref().is_some_and(|list| list.weights.is_some());
    if options.weighted == Some(true) && !has_weights {
        return Err(Error::format(path, None, read::no_weights(format, &blocks.noticed.unused)));
    }
    let (directed, reason) = match (options.directed, first.as_ref().and_then(|list| list.directed)) {
        (Some(directed), _) => (directed, Reason::Asked),
        (None, Some(directed)) => (directed, Reason::Said),
        (None, None) => (false, Reason::Assumed),
    };
    let mut first = Some(first);
    let task = Task { out, build: Build { directed, loops: options.loops }, budget, progress };
    let written = write(task, || {
        let list = first.take().map_or_else(|| blocks.next(), Ok)?;
        match blocks.noticed.negative {
            Some((line, weight)) => Err(Error::format(path, Some(line), read::negative(weight))),
            None => Ok(list),
        }
    })?;
    let weights = match (has_weights, blocks.noticed.ignored_weights) {
        (true, _) => Weights::Used,
        (false, true) => Weights::Ignored,
        (false, false) => Weights::None,
    };
    let loops = options.loops;
    let edge_list::Noticed { header, weight_column, unused, .. } = blocks.noticed;
    let decisions = |written: Written| Decisions {
        format,
        directed,
        reason,
        weights,
        weight_column,
        header,
        unused,
        loops,
        found: written.found,
        words: written.words,
    };
    Ok(written.map(decisions))
}

/// Writes the network of all blocks that `next` gives; none when it was stopped, and then nothing is left. Either all
/// blocks have weights or none.
pub(super) fn write(
    task: Task<'_>,
    mut next: impl FnMut() -> Result<Option<EdgeList>>,
) -> Result<Option<Written>> {
    let first = next()?;
    let weighted = first.as_ref().is_some_and(|list| list.weights.is_some());
    let mut first = Some(first);
    let blocks = || first.take().map_or_else(&mut next, Ok);
    let mut steps = Steps { task, moved: 0, stopped: false };
    let written =
        if weighted { steps.run::<(u64, f64)>(blocks, true) } else { steps.run::<u64>(blocks, false) };
    // Stopping is passed on as an error, which is none.
    if steps.stopped { Ok(None) } else { written.map(Some) }
}

struct Steps<'a> {
    task: Task<'a>,
    moved: u64,
    stopped: bool,
}

impl Steps<'_> {
    /// Counts an arc; an error, which nobody sees, when it was the last.
    fn tick(&mut self) -> Result<()> {
        self.moved += 1;
        if self.moved.is_multiple_of(TICK) { self.report() } else { Ok(()) }
    }

    fn report(&mut self) -> Result<()> {
        if (self.task.progress)(self.moved) {
            return Ok(());
        }
        self.stopped = true;
        Err(Error::format(self.task.out, None, "was not written: it was stopped"))
    }

    fn run<A: Arc>(
        &mut self,
        mut blocks: impl FnMut() -> Result<Option<EdgeList>>,
        weighted: bool,
    ) -> Result<Written> {
        let (out, budget) = (self.task.out, self.task.budget);
        let mut found = Found::default();
        let mut names = Interner::default();
        let edges = self.gather::<A>(&mut blocks, &mut names, &mut found)?;
        drop(blocks);
        let (ids, ranks) = names.finish();
        let n = ids.len();

        let mut sorter = Sorter::<A>::new(out, budget / 2);
        let mut edges = Source::<A>::new(edges.reader(budget / 16)?)?;
        while let Some(arc) = edges.peek() {
            let (u, v) = arc.ends();
            sorter.push(A::new(ranks[u as usize], ranks[v as usize], arc.weight()))?;
            edges.advance()?;
            self.tick()?;
        }
        drop((edges, ranks));

        let mut forward = Spool::new(out, budget / 8);
        let reverses = self.unite(sorter.merge()?, &mut forward, &mut found)?;
        let forward = Source::<A>::new(forward.reader(budget / 16)?)?;
        let directed = self.task.build.directed;
        let (table, incoming, loops, both) = self.side_by_side(forward, reverses.merge()?, n, weighted)?;
        if !directed {
            found.both_directions = both.is_symmetric;
            found.duplicates += if both.is_symmetric { 0 } else { both.pairs };
        }
        let way = usize::from(found.both_directions);
        if let Some((u, v)) = table.infinite[way] {
            return Err(too_large(&ids, u, v));
        }
        let written = Written {
            found,
            nodes: n as u64,
            edges: if directed { table.stored() } else { (table.stored() - loops) / 2 + loops },
            weighted: table.differ[way],
            words: ids.are_words(),
        };
        self.report()?;
        assemble(out, &ids, table, incoming, loops, way)?;
        Ok(written)
    }

    /// All edges in the order of the list, by the numbers of their nodes as they appeared.
    fn gather<A: Arc>(
        &mut self,
        mut blocks: impl FnMut() -> Result<Option<EdgeList>>,
        names: &mut Interner,
        found: &mut Found,
    ) -> Result<Spool> {
        let out = self.task.out;
        let mut edges = Spool::new(out, self.task.budget / 4);
        while let Some(list) = blocks()? {
            let numbers = names.numbers(&list.ids, out)?;
            for (at, &(u, v)) in list.ends.iter().enumerate() {
                let weight = list.weights.as_ref().map_or(1.0, |weights| weights[at]);
                if !(weight >= 0.0 && weight.is_finite()) {
                    return Err(Error::parameter(
                        "a weight",
                        weight,
                        "it must be a finite number, 0 or more",
                    ));
                }
                found.zeros += u64::from(weight == 0.0);
                found.loops += u64::from(u == v);
                if weight > 0.0 && (u != v || self.task.build.loops == Loops::Keep) {
                    let arc = A::new(numbers[u as usize], numbers[v as usize], weight);
                    edges.put(|bytes| arc.append(bytes))?;
                }
                self.tick()?;
            }
        }
        Ok(edges)
    }

    /// Writes every arc once, and begins to sort their reverses.
    fn unite<A: Arc>(
        &mut self,
        mut arcs: Merge<A>,
        forward: &mut Spool,
        found: &mut Found,
    ) -> Result<Sorter<A>> {
        let mut reverses = Sorter::<A>::new(self.task.out, self.task.budget / 4);
        let mut next = arcs.next()?;
        while let Some(arc) = next {
            let ((u, v), mut weight) = (arc.ends(), arc.weight());
            loop {
                next = arcs.next()?;
                self.tick()?;
                match next {
                    Some(same) if same.key() == arc.key() => {
                        weight += same.weight();
                        found.duplicates += 1;
                    }
                    _ => break,
                }
            }
            forward.put(|bytes| A::new(u, v, weight).append(bytes))?;
            reverses.push(A::new(v, u, weight))?;
        }
        Ok(reverses)
    }

    /// The rows, the incoming ones of a directed network, the number of loops, and how both directions of edges agree.
    fn side_by_side<A: Arc>(
        &mut self,
        mut forward: Source<A>,
        mut backward: Merge<A>,
        nodes: usize,
        weighted: bool,
    ) -> Result<(Table, Option<Table>, u64, Agreement)> {
        let directed = self.task.build.directed;
        let table = || Table::new(self.task.out, self.task.budget / 16, nodes, weighted);
        let (mut rows, mut incoming) = (table(), directed.then(table));
        let (mut loops, mut pairs, mut edges, mut alike) = (0, 0, false, true);
        let mut back = backward.next()?;
        loop {
            let key = match (forward.peek(), back) {
                (Some(one), Some(two)) => one.key().min(two.key()),
                (Some(one), None) | (None, Some(one)) => one.key(),
                (None, None) => break,
            };
            let one = forward.peek().filter(|arc| arc.key() == key).map(Arc::weight);
            let two = back.filter(|arc| arc.key() == key).map(Arc::weight);
            let (u, v) = <u64 as Arc>::ends(key);
            if one.is_some() {
                forward.advance()?;
            }
            if two.is_some() {
                back = backward.next()?;
            }
            self.tick()?;
            loops += u64::from(u == v);
            if let Some(incoming) = &mut incoming {
                if let Some(weight) = one {
                    rows.push((u, v), [weight; 2])?;
                }
                if let Some(weight) = two {
                    incoming.push((u, v), [weight; 2])?;
                }
                continue;
            }
            edges |= u != v;
            alike &= one == two;
            pairs += u64::from(u < v && one.is_some() && two.is_some());
            let first = one.or(two).unwrap_or(1.0);
            // A loop is its own reverse.
            let sum = if u == v { first } else { one.unwrap_or(0.0) + two.unwrap_or(0.0) };
            rows.push((u, v), [sum, first])?;
        }
        Ok((rows, incoming, loops, Agreement { is_symmetric: edges && alike, pairs }))
    }
}

/// Whether every edge is listed in both directions with the same weight; how many are listed in both.
struct Agreement {
    is_symmetric: bool,
    pairs: u64,
}

#[cfg(test)]
mod tests {
    use super::super::{Edge, Network, NodeIds};
    use super::*;

    /// The edges in blocks, each with ids of its own, as they come out of a file.
    fn blocks(edges: &[Edge], ids: &NodeIds, weighted: bool, size: usize) -> Vec<EdgeList> {
        let block = |edges: &[Edge]| {
            let mut nodes: Vec<u32> = edges.iter().flat_map(|edge| [edge.0, edge.1]).collect();
            nodes.sort_unstable();
            nodes.dedup();
            let place = |v: u32| nodes.binary_search(&v).unwrap() as u32;
            EdgeList {
                ends: edges.iter().map(|edge| (place(edge.0), place(edge.1))).collect(),
                weights: weighted.then(|| edges.iter().map(|edge| edge.2).collect()),
                ids: ids.part(&nodes),
                directed: None,
            }
        };
        edges.chunks(size).map(block).collect()
    }

    fn convert(blocks: Vec<EdgeList>, build: Build, budget: usize, path: &Path) -> (Written, Vec<u8>) {
        let mut blocks = blocks.into_iter();
        let task = Task { out: path, build, budget, progress: &mut |_| true };
        let written = write(task, || Ok(blocks.next())).unwrap().unwrap();
        (written, std::fs::read(path).unwrap())
    }

    #[test]
    fn bytes_and_findings_are_those_of_the_network_written_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.egr");
        let mut state = 3_u64;
        let mut random = move |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        let mut seen = [0; 3];
        for case in 0..64 {
            let n = 1 + random(30) as u32;
            let count = [0, 1, 40, 700][case % 4];
            let weighted = case % 3 > 0;
            // Sums of such weights depend on their order.
            let weight = |random: &mut dyn FnMut(u64) -> u64| (random(7) as f64) / [1.0, 3.0][case % 2];
            let mut edges: Vec<Edge> = (0..count)
                .map(|_| (random(u64::from(n)) as u32, random(u64::from(n)) as u32, weight(&mut random)))
                .collect();
            if case % 5 == 0 {
                // A symmetric list.
                edges.sort_by_key(|edge| (edge.0.min(edge.1), edge.0.max(edge.1)));
                edges.dedup_by_key(|edge| (edge.0.min(edge.1), edge.0.max(edge.1)));
                let reverses: Vec<Edge> =
                    edges.iter().filter(|e| e.0 != e.1).map(|&(u, v, w)| (v, u, w)).collect();
                edges.extend(reverses);
            }
            // Only nodes that occur are nodes.
            let mut nodes: Vec<u32> = edges.iter().flat_map(|edge| [edge.0, edge.1]).collect();
            nodes.sort_unstable();
            nodes.dedup();
            let place = |v: u32| nodes.binary_search(&v).unwrap() as u32;
            let edges: Vec<Edge> = edges.iter().map(|&(u, v, w)| (place(u), place(v), w)).collect();
            let all = match case % 7 {
                0..3 => NodeIds::numbered(30),
                3..5 => NodeIds::integers((0..30).map(|v| v * v - 20).collect()),
                // Integers until the last block, which has a word among them.
                _ => {
                    let mut words: Vec<String> = (0..29).map(|v| (v * 3).to_string()).collect();
                    words.push("!".into());
                    words.sort();
                    NodeIds::words(words.iter().map(String::as_str))
                }
            };
            let ids = all.part(&nodes);
            let words = ids.are_words() && ids.find("!").is_some();
            if ids.are_words() != words {
                continue;
            }
            let loops = if case / 2 % 2 == 0 { Loops::Drop } else { Loops::Keep };
            let build = Build { directed: case / 4 % 3 == 0, loops };
            let (network, found) = Network::build(ids.clone(), &edges, weighted, build).unwrap();
            let mut expected = Vec::new();
            egr::write(&network, &mut expected).unwrap();
            for (budget, size) in [(0, 3), (1 << 14, 100), (1 << 20, 1000)] {
                let blocks = blocks(&edges, &ids, weighted, size);
                let (written, bytes) = convert(blocks, build, budget, &path);
                assert_eq!(written.found, found, "case {case} {build:?}");
                assert!(bytes == expected, "case {case} {build:?} budget {budget}");
                assert_eq!(
                    (written.nodes, written.edges, written.weighted, written.words),
                    (network.nodes() as u64, network.edges(), network.is_weighted(), words)
                );
            }
            seen[0] += u32::from(found.both_directions);
            seen[1] += u32::from(words);
            seen[2] += u32::from(found.duplicates > 0 && network.is_weighted());
        }
        assert!(seen.iter().all(|count| *count > 4), "{seen:?}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn stopping_leaves_nothing_whenever_it_comes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.egr");
        let edges: Vec<Edge> =
            (0..150_000_u32).map(|i| (i % 701, i.wrapping_mul(2_654_435_761) % 997, 1.0)).collect();
        let ids = NodeIds::numbered(997);
        let mut calls = 0;
        for stop in 0.. {
            let mut at = 0;
            let mut progress = |_| {
                at += 1;
                at <= stop
            };
            let mut blocks = blocks(&edges, &ids, false, 9000).into_iter();
            let task = Task { out: &path, build: Build::default(), budget: 1 << 19, progress: &mut progress };
            if write(task, || Ok(blocks.next())).unwrap().is_some() {
                break;
            }
            calls += 1;
            assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        }
        assert!(calls > 5 && path.exists(), "{calls}");
    }
}
