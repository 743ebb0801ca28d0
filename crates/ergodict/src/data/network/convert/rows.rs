//! Rows out of arcs that are sorted by their first ends and by their second ones, read side by side.
//!
//! Where the first ones are `F` and the turned ones `B`, a directed network has the rows `F` and the incoming rows `B`, an undirected
//! one the rows of both. Whether the matrix is symmetric, `F = B`, is known at the end; until then both possibilities are written.

use super::super::EdgeCounts;
use super::super::matrix_list::equal_up_to_rounding;
use super::super::read::negative;
use super::folder;
use super::labels::Labels;
use super::sort::{Arc, Merge};
use super::table::Table;
use crate::{Error, Result};
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// Arcs between two reports of progress.
const TICK: u64 = 1 << 16;

/// What arcs mean.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::data::network) enum Meaning {
    /// Edges, as often as they are listed.
    Edges { directed: bool },
    /// Edges, each of which is one in the other direction too.
    Mirrored,
    /// Entries of a matrix: those of a place add up before anything else, and a symmetric one is an undirected network unless
    /// something else is asked for.
    Matrix { asked: Option<bool>, loops: bool },
}

/// Where rows are written, and how much memory that may take.
pub(in crate::data::network) struct Room<'a> {
    pub(in crate::data::network) input: &'a Path,
    pub(in crate::data::network) out: &'a Path,
    pub(in crate::data::network) budget: usize,
}

/// The rows.
pub(in crate::data::network) struct RowTables {
    pub(in crate::data::network) rows: Table,
    /// The incoming ones of a directed network.
    pub(in crate::data::network) incoming: Option<Table>,
    pub(in crate::data::network) loops: u64,
    /// Which weights of the table are those of the network.
    pub(in crate::data::network) way: usize,
}

impl RowTables {
    pub(in crate::data::network) fn directed(&self) -> bool {
        self.incoming.is_some()
    }

    /// Number of edges.
    pub(in crate::data::network) fn edges(&self) -> u64 {
        let stored = self.rows.stored();
        if self.directed() { stored } else { (stored - self.loops) / 2 + self.loops }
    }
}

/// Writes the rows; `tick` gets the number of arcs of both orders that were read so far.
pub(in crate::data::network) fn write<A: Arc>(
    room: &Room<'_>,
    arcs: [Merge<A>; 2],
    meaning: Meaning,
    weighted: bool,
    labels: &Labels,
    found: &mut EdgeCounts,
    tick: &mut dyn FnMut(u64) -> Result<()>,
) -> Result<RowTables> {
    // Of a batch there are four in each of two channels, and one that is read.
    let size = (room.budget / 128 / size_of::<A>()).clamp(16, 1 << 14);
    std::thread::scope(|scope| {
        let [one, two] = arcs.map(|merge| {
            let (give, take) = sync_channel(2);
            scope.spawn(move || produce(merge, size, &give));
            take
        });
        let sides = [Side::new(one)?, Side::new(two)?];
        let two_ways = !matches!(
            meaning,
            Meaning::Edges { directed: false } | Meaning::Matrix { asked: Some(false), .. }
        );
        let table = || Table::new(room.out, room.budget / 32, weighted);
        let pass = Pass {
            out: room.out,
            meaning,
            weighted,
            labels,
            found,
            rows: table(),
            incoming: two_ways.then(table),
            loops: 0,
            alike: true,
            edges: false,
            pairs: 0,
            infinite: None,
            negative: None,
            row: None,
        };
        pass.run(sides, room, tick)
    })
}

/// Hands over sorted arcs in batches, until the receiver is gone.
fn produce<A: Arc>(mut merge: Merge<A>, size: usize, give: &SyncSender<Result<Vec<A>>>) {
    loop {
        let mut batch = Vec::with_capacity(size);
        let filled = loop {
            if batch.len() == size {
                break Ok(());
            }
            match merge.next() {
                Ok(Some(arc)) => batch.push(arc),
                Ok(None) => break Ok(()),
                Err(error) => break Err(error),
            }
        };
        let last = batch.len() < size;
        if give.send(filled.map(|()| batch)).is_err() || last {
            return;
        }
    }
}

/// Sorted arcs that another thread makes.
struct Side<A> {
    take: Receiver<Result<Vec<A>>>,
    arcs: std::vec::IntoIter<A>,
    current: Option<A>,
    taken: u64,
}

impl<A: Arc> Side<A> {
    fn new(take: Receiver<Result<Vec<A>>>) -> Result<Self> {
        let mut side = Self { take, arcs: Vec::new().into_iter(), current: None, taken: 0 };
        side.advance()?;
        side.taken = 0;
        Ok(side)
    }

    #[inline]
    fn advance(&mut self) -> Result<()> {
        self.taken += 1;
        self.current = self.arcs.next();
        if self.current.is_none() { self.refill() } else { Ok(()) }
    }

    #[cold]
    fn refill(&mut self) -> Result<()> {
        if let Ok(batch) = self.take.recv() {
            self.arcs = batch?.into_iter();
            self.current = self.arcs.next();
        }
        Ok(())
    }

    #[inline]
    fn key(&self) -> Option<u64> {
        self.current.map(Arc::key)
    }

    /// The weights of all arcs of a place, in their order; false where there is none.
    #[inline]
    fn take(&mut self, key: u64, weights: &mut Vec<f64>) -> Result<bool> {
        weights.clear();
        while let Some(arc) = self.current.filter(|arc| arc.key() == key) {
            weights.push(arc.weight());
            self.advance()?;
        }
        Ok(!weights.is_empty())
    }
}

struct Pass<'a> {
    out: &'a Path,
    meaning: Meaning,
    weighted: bool,
    labels: &'a Labels,
    found: &'a mut EdgeCounts,
    rows: Table,
    incoming: Option<Table>,
    loops: u64,
    /// Whether both directions of every edge are there, with the same weights.
    alike: bool,
    /// Whether there is an edge between different nodes.
    edges: bool,
    /// Edges of which both directions are there.
    pairs: u64,
    /// The first sums of a matrix that are not finite, or below zero.
    infinite: Option<(u32, u32)>,
    negative: Option<f64>,
    /// The last first end that was looked up, and its node.
    row: Option<(u32, u32)>,
}

impl Pass<'_> {
    fn run<A: Arc>(
        mut self,
        [mut forward, mut backward]: [Side<A>; 2],
        room: &Room<'_>,
        tick: &mut dyn FnMut(u64) -> Result<()>,
    ) -> Result<RowTables> {
        let (mut here, mut back) = (Vec::new(), Vec::new());
        let mut told = 0;
        while let Some(key) = match (forward.key(), backward.key()) {
            (Some(one), Some(two)) => Some(one.min(two)),
            (one, two) => one.or(two),
        } {
            forward.take(key, &mut here)?;
            backward.take(key, &mut back)?;
            let taken = forward.taken + backward.taken;
            if taken - told >= TICK {
                told = taken;
                tick(taken)?;
            }
            let (u, v) = <u64 as Arc>::ends(key);
            self.place((u, v), &here, &back)?;
        }
        self.finish(room)
    }

    /// The sum of weights one after the other.
    #[inline]
    fn sum<'w>(&self, weights: impl IntoIterator<Item = &'w f64>) -> Option<f64> {
        let sum = weights.into_iter().copied().reduce(|a, b| a + b);
        if self.weighted { sum } else { sum.map(|_| 1.0) }
    }

    /// Both ends as nodes; what an interrupted conversion left may have others.
    #[inline]
    fn nodes(&mut self, (u, v): (u32, u32)) -> Result<(u32, u32)> {
        let row = match self.row {
            Some((end, node)) if end == u => Some(node),
            _ => self.labels.node(u),
        };
        self.row = row.map(|row| (u, row));
        row.zip(self.labels.node(v)).ok_or_else(|| folder::damaged(self.out))
    }

    /// What is at one place, and what is at it once turned.
    #[inline]
    fn place(&mut self, ends: (u32, u32), here: &[f64], back: &[f64]) -> Result<()> {
        let is_loop = ends.0 == ends.1;
        self.found.duplicates += (here.len() as u64).saturating_sub(1);
        let (mut one, mut two) = (self.sum(here), self.sum(back));
        match self.meaning {
            Meaning::Edges { directed: true } => {}
            Meaning::Mirrored => {
                if !is_loop {
                    // Either of them is listed, and all that follows is listed again.
                    self.found.duplicates += (back.len() - usize::from(here.is_empty())) as u64;
                    (one, two) = (self.sum(here.iter().chain(back)), self.sum(back.iter().chain(here)));
                }
            }
            Meaning::Matrix { loops, .. } => {
                if let Some(sum) = one {
                    if !sum.is_finite() {
                        self.infinite.get_or_insert(ends);
                    }
                    if sum < 0.0 {
                        self.negative.get_or_insert(sum);
                    }
                }
                // Negative entries may have taken others away.
                (one, two) = (one.filter(|sum| *sum != 0.0), two.filter(|sum| *sum != 0.0));
                self.alike &= match (one, two) {
                    (Some(one), Some(two)) => equal_up_to_rounding(one, two),
                    (one, two) => one == two,
                };
                if is_loop {
                    self.found.loops += u64::from(one.is_some());
                    if !loops {
                        return Ok(());
                    }
                }
            }
            Meaning::Edges { directed: false } => self.alike &= one == two,
        }
        if one.is_none() && two.is_none() {
            return Ok(());
        }
        let nodes = self.nodes(ends)?;
        self.loops += u64::from(is_loop);
        // Of a matrix that is symmetric up to rounding, the upper triangle counts.
        let upper = if nodes.0 <= nodes.1 { one.or(two) } else { two.or(one) }.unwrap_or(1.0);
        if let Some(incoming) = &mut self.incoming {
            if let Some(weight) = one {
                self.rows.push(nodes, [weight, upper])?;
            }
            if let Some(weight) = two {
                incoming.push(nodes, [weight, upper])?;
            }
            return Ok(());
        }
        self.edges |= !is_loop;
        self.pairs += u64::from(nodes.0 < nodes.1 && one.is_some() && two.is_some());
        // A loop is its own reverse.
        let sum = if is_loop { upper } else { one.unwrap_or(0.0) + two.unwrap_or(0.0) };
        self.rows.push(nodes, [sum, upper])
    }

    fn finish(mut self, room: &Room<'_>) -> Result<RowTables> {
        let labels = self.labels;
        let named =
            |(u, v): (u32, u32)| super::super::build::too_large_between(&labels.name(u), &labels.name(v));
        if let Some(ends) = self.infinite {
            return Err(named(self.nodes(ends)?));
        }
        if let Some(weight) = self.negative {
            return Err(Error::format(room.input, None, negative(weight)));
        }
        let mut way = 0;
        match self.meaning {
            Meaning::Edges { directed: false } => {
                self.found.both_directions = self.edges && self.alike;
                way = usize::from(self.found.both_directions);
                self.found.duplicates += if way == 1 { 0 } else { self.pairs };
            }
            Meaning::Matrix { asked, .. } => {
                way = usize::from(self.alike);
                match asked {
                    Some(false) => self.found.duplicates += if self.alike { 0 } else { self.pairs },
                    None if self.alike => self.incoming = None,
                    _ => {}
                }
            }
            _ => {}
        }
        if let Some(ends) = self.rows.infinite[way] {
            return Err(named(ends));
        }
        Ok(RowTables { rows: self.rows, incoming: self.incoming, loops: self.loops, way })
    }
}
