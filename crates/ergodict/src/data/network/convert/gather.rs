//! Takes the edges of a list, counts what becomes of them, and keeps them in sorted runs.

use super::super::{EdgeCounts, Loops};
use super::folder::{self, Folder, Head};
use super::labels::Labels;
use super::nodes::NodeSet;
use super::rows::{self, Meaning, Room, RowTables};
use super::sort::{Arc, Runs};
use super::spool::Spool;
use super::table::assemble;
use crate::data::write::Staged;
use crate::{Error, Result};
use std::fs::File;
use std::path::Path;

/// How far a conversion is.
///
/// ```
/// use ergodict::data::{Conversion, Converting, ReadOptions};
/// let folder = std::env::temp_dir().join(format!("ergodict-converting-{}", std::process::id()));
/// std::fs::create_dir(&folder).unwrap();
/// let text = folder.join("a.txt");
/// std::fs::write(&text, "1 2\n2 3\n").unwrap();
/// let mut merged = 0;
/// Conversion::default().run(&text, &ReadOptions::default(), &folder.join("a.egr"), &mut |how_far| {
///     if let Converting::Merging(done, _) = how_far {
///         merged = done;
///     }
///     true
/// })?;
/// assert_eq!(merged, 4); // each edge is an arc in either direction
/// # std::fs::remove_dir_all(&folder).unwrap();
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Converting {
    /// Edges of the input that were read.
    Reading(u64),
    /// Arcs that were put into rows, and how many there are.
    Merging(u64, u64),
}

/// Some edges, with their weights where there are any.
pub(in crate::data::network) struct Batch {
    pub(in crate::data::network) ends: Vec<(u32, u32)>,
    pub(in crate::data::network) weights: Option<Vec<f64>>,
}

/// What becomes of the edges of a list.
#[derive(Clone, Copy, Debug)]
pub(in crate::data::network) struct Plan {
    pub(in crate::data::network) meaning: Meaning,
    pub(in crate::data::network) loops: Loops,
    pub(in crate::data::network) weighted: bool,
    /// Whether ends are integers that name nodes, and not nodes.
    pub(in crate::data::network) integers: bool,
    /// Bytes that all of it may take.
    pub(in crate::data::network) budget: usize,
}

/// The state of a conversion, its settings and its progress.
pub(in crate::data::network) struct Task<'a> {
    pub(in crate::data::network) input: &'a Path,
    pub(in crate::data::network) out: &'a Path,
    /// An empty file to write into, instead of one that is called `out`.
    pub(in crate::data::network) within: Option<File>,
    /// What has to be the same to go on another time; none when nothing is to be kept.
    pub(in crate::data::network) keep: Option<Head>,
    /// What is kept, or was.
    pub(in crate::data::network) folder: Option<Folder>,
    pub(in crate::data::network) found: EdgeCounts,
    /// False stops.
    pub(in crate::data::network) progress: &'a mut dyn FnMut(Converting) -> bool,
}

impl Task<'_> {
    pub(in crate::data::network) fn report(&mut self, now: Converting) -> Result<()> {
        if (self.progress)(now) { Ok(()) } else { Err(Error::Interrupted) }
    }

    /// Files for the first run.
    fn begin(&mut self, buffer: usize) -> Result<[Spool; 2]> {
        let Some(head) = &self.keep else {
            return Ok([Spool::new(self.out, buffer), Spool::new(self.out, buffer)]);
        };
        let folder = Folder::create(self.out, head)?;
        self.folder.insert(folder).spools(buffer)
    }
}

/// Writes the network of all batches; `labels` makes the names of the nodes, out of the integers that occurred.
pub(in crate::data::network) fn convert(
    task: &mut Task<'_>,
    plan: Plan,
    next: &mut dyn FnMut() -> Result<Option<Batch>>,
    labels: impl FnOnce(NodeSet) -> Labels,
) -> Result<Outcome> {
    if plan.weighted {
        Gather::<(u64, f64)>::new(task, plan)?.run(next, labels)
    } else {
        Gather::<u64>::new(task, plan)?.run(next, labels)
    }
}

/// What was written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::data::network) struct Outcome {
    pub(in crate::data::network) nodes: u64,
    pub(in crate::data::network) edges: u64,
    pub(in crate::data::network) directed: bool,
    pub(in crate::data::network) weighted: bool,
    pub(in crate::data::network) words: bool,
}

struct Gather<'a, 'b, A> {
    task: &'a mut Task<'b>,
    plan: Plan,
    nodes: NodeSet,
    runs: Runs<A>,
    /// Edges so far, and how many of them are in runs of an earlier time.
    seen: u64,
    kept: u64,
}

impl<'a, 'b, A: Arc> Gather<'a, 'b, A> {
    fn new(task: &'a mut Task<'b>, plan: Plan) -> Result<Self> {
        let (mut runs, mut kept) = (Runs::new(task.out), 0);
        if let Some(folder) = &task.folder {
            kept = folder.runs.last().map_or(0, |run| run.edges);
            if folder.runs.iter().any(|run| run.end % A::BYTES as u64 > 0) {
                return Err(folder::damaged(task.out));
            }
            runs.open(folder.spools(plan.budget / 32)?, folder.runs.iter().map(|run| run.end).collect());
        }
        Ok(Self { task, plan, nodes: NodeSet::default(), runs, seen: 0, kept })
    }

    fn run(
        mut self,
        next: &mut dyn FnMut() -> Result<Option<Batch>>,
        labels: impl FnOnce(NodeSet) -> Labels,
    ) -> Result<Outcome> {
        while let Some(batch) = next()? {
            // Text, its edges, buffers and what the allocator keeps have the rest.
            let left = (self.plan.budget / 8 * 5).saturating_sub(self.nodes.bytes());
            self.runs.limit(left.max(self.plan.budget / 8));
            self.take(&batch)?;
            self.task.report(Converting::Reading(self.seen))?;
        }
        if self.seen < self.kept {
            return Err(folder::damaged(self.task.out));
        }
        if self.runs.is_mixed() {
            self.spill()?;
        }
        let Self { task, plan, nodes, runs, .. } = self;
        let labels = labels(nodes);
        if labels.nodes() > u64::from(u32::MAX) {
            let problem = format!("has {} nodes: expected fewer than 2³²", labels.nodes());
            return Err(Error::format(task.input, None, problem));
        }
        let of = 2 * runs.arcs();
        let room = Room { input: task.input, out: task.out, budget: plan.budget };
        let merged = runs.merge(plan.budget / 2)?;
        let mut found = task.found;
        let mut tick = |arcs| task.report(Converting::Merging(arcs, of));
        let written =
            rows::write(&room, merged, plan.meaning, plan.weighted, &labels, &mut found, &mut tick)?;
        tick(of)?;
        task.found = found;
        let outcome = Outcome {
            nodes: labels.nodes(),
            edges: written.edges(),
            directed: written.directed(),
            weighted: written.rows.differ[written.way],
            words: labels.are_words(),
        };
        let RowTables { rows, incoming, loops, way } = written;
        let staged = match task.within.take() {
            Some(file) => Staged::within(task.out, file),
            None => Staged::create(task.out, true)?,
        };
        assemble(staged, task.out, &labels, rows, incoming, loops, way)?;
        Ok(outcome)
    }

    fn take(&mut self, batch: &Batch) -> Result<()> {
        let weights = batch.weights.as_deref();
        let is_matrix = matches!(self.plan.meaning, Meaning::Matrix { .. });
        for (at, &(u, v)) in batch.ends.iter().enumerate() {
            let weight = weights.map_or(1.0, |weights| weights[at]);
            if self.plan.integers {
                self.nodes.insert(u);
                self.nodes.insert(v);
            }
            let mut wanted = weight != 0.0;
            if is_matrix {
                self.task.found.zeros += u64::from(!wanted);
            } else {
                if !(weight >= 0.0 && weight.is_finite()) {
                    return Err(Error::parameter(
                        "a weight",
                        weight,
                        "it must be a finite number, 0 or more",
                    ));
                }
                let times = if self.plan.meaning == Meaning::Mirrored && u != v { 2 } else { 1 };
                self.task.found.zeros += if wanted { 0 } else { times };
                self.task.found.loops += u64::from(u == v);
                wanted &= u != v || self.plan.loops == Loops::Keep;
            }
            self.seen += 1;
            if wanted && self.seen > self.kept {
                if self.runs.is_full() {
                    self.seen -= 1;
                    self.spill()?;
                    self.seen += 1;
                }
                self.runs.push(A::new(u, v, weight));
            }
        }
        Ok(())
    }

    fn spill(&mut self) -> Result<()> {
        if !self.runs.is_open() {
            self.runs.open(self.task.begin(self.plan.budget / 32)?, Vec::new());
        }
        let run = self.runs.spill()?;
        match &mut self.task.folder {
            Some(folder) => folder.add(self.seen, &run),
            None => Ok(()),
        }
    }
}
