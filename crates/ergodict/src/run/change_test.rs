//! The test of a change in time: the whole run repeated on permuted times.
//!
//! Each permutation has its own seed and its own first dictionary, so that the observed run is one of all. As many are in memory at once as there are
//! threads and room for in `MOST_BYTES`, at least one; of those that are over only the scores stay. Each gives the same scores whatever the number of threads.

use super::job::Slices;
use super::{
    Job, NetworkPlan, Resumable, Run, RunPlan, Sections, Status, Stop, Window, WindowSeries, WindowSource,
};
use crate::data::{Appearances, Network, PermutedTimes};
use crate::factor::Factorizer;
use crate::linalg::Scalar;
use crate::rng::{Purpose, derived, ids};
use crate::{Error, Result};
use std::sync::Arc;
use std::time::Duration;

/// Bytes that the permutations which run at the same time take together.
const MOST_BYTES: u64 = 1 << 30;

/// Makes a window of a network, as the observed ones are made.
pub(super) type WindowMaker = Arc<dyn Fn(Network) -> Result<Window> + Send + Sync>;

/// The first dictionary of a run with this seed; none where it is made from data.
pub type FirstDictionary<T> = Box<dyn Fn(u64) -> Result<Option<Factorizer<T>>> + Send + Sync>;

/// The appearances of the edges, made when they are first needed; none where times cannot be permuted.
pub(super) type AppearanceMaker = Box<dyn Fn() -> Option<Appearances> + Send + Sync>;

/// Change scores of one run, window by window.
pub(super) type Scores = Vec<Option<f64>>;

/// What a test of a change is made of.
pub(super) struct ChangeTest<T: Scalar> {
    appearances: AppearanceMaker,
    window: WindowMaker,
    plan: NetworkPlan,
    first: FirstDictionary<T>,
    /// The appearances, once they are needed.
    made: Option<Arc<Appearances>>,
    slots: Vec<Slot<T>>,
    slices: Slices,
}

/// A permutation.
enum Slot<T: Scalar> {
    Waiting,
    Running(Box<Run<T>>),
    Done(Scores),
}

/// Windows of permuted times.
struct PermutedSeries {
    times: PermutedTimes,
    count: usize,
    window: WindowMaker,
}

impl WindowSeries for PermutedSeries {
    fn len(&self) -> usize {
        self.count
    }

    fn open(&mut self, at: usize) -> Result<Window> {
        let network = self.times.network(at)?;
        if network.edges() == 0 {
            let (name, network) = (String::new(), Arc::new(network));
            return Ok(Window { name, span: None, network, drawn: Err("has no edge".into()) });
        }
        (self.window)(network)
    }
}

impl<T: Scalar> ChangeTest<T> {
    /// A test against a number of permutations; `plan` is that of the observed run.
    pub(super) fn new(
        permutations: u64,
        appearances: AppearanceMaker,
        window: WindowMaker,
        plan: NetworkPlan,
        first: FirstDictionary<T>,
    ) -> Self {
        let slots = (0..permutations).map(|_| Slot::Waiting).collect();
        Self { appearances, window, plan, first, made: None, slots, slices: Slices::default() }
    }

    /// The scores of all permutations, once all are over.
    pub(super) fn scores(&self) -> Option<Vec<Scores>> {
        let scores = |slot: &Slot<T>| match slot {
            Slot::Done(scores) => Some(scores.clone()),
            _ => None,
        };
        self.slots.iter().map(scores).collect()
    }

    /// Patches that were learned from, where the observed run has this number; permutations that are over count as all of those.
    pub(super) fn done(&self, observed: u64) -> u64 {
        let done = |slot: &Slot<T>| match slot {
            Slot::Waiting => 0,
            Slot::Running(run) => run.trainer().samples().min(observed),
            Slot::Done(_) => observed,
        };
        self.slots.iter().map(done).fold(0, u64::saturating_add)
    }

    /// Number of permutations.
    pub(super) fn permutations(&self) -> u64 {
        self.slots.len() as u64
    }

    /// Permutations that are over.
    pub(super) fn finished(&self) -> usize {
        self.slots.iter().filter(|slot| matches!(slot, Slot::Done(_))).count()
    }

    /// Permutations that run at the same time.
    fn width(&self, plan: &RunPlan, appearances: &Appearances) -> usize {
        let (d, batch) = (self.plan.form.features().unwrap_or(0), self.plan.batches.batch as u64);
        let each = appearances.bytes().saturating_add(plan.parameters.memory::<T>(d, batch));
        rayon::current_num_threads().min((MOST_BYTES / each.max(1)) as usize).max(1)
    }

    /// Advances as many permutations as may run at the same time for about a slice of time.
    pub(super) fn advance(&mut self, plan: &RunPlan, slice: Duration, stop: &Stop) -> Result<Status> {
        if self.finished() == self.slots.len() {
            return Ok(Status::Finished);
        }
        if stop.is_asked() {
            return Ok(Status::Stopped);
        }
        if self.made.is_none() {
            self.made = (self.appearances)().map(Arc::new);
        }
        let Some(appearances) = self.made.clone() else {
            self.slots.iter_mut().for_each(|slot| *slot = Slot::Done(Vec::new()));
            return Ok(Status::Finished);
        };
        let width = self.width(plan, &appearances);
        let begun = Permutation { appearances, window: &self.window, plan: &self.plan, first: &self.first };
        let unfinished = self.slots.iter_mut().enumerate().filter(|(_, slot)| !matches!(slot, Slot::Done(_)));
        // Those that run already go first, in their order.
        let mut going: Vec<(usize, &mut Slot<T>)> = unfinished.collect();
        going.sort_by_key(|(_, slot)| matches!(slot, Slot::Waiting));
        going.truncate(width);
        let advanced =
            self.slices.run(going, |(at, slot)| begun.advance(*at as u64, slot, plan, slice, stop));
        if let Err(error) = advanced {
            // The others may have stopped anywhere: all begin again.
            self.slots
                .iter_mut()
                .filter(|slot| matches!(slot, Slot::Running(_)))
                .for_each(|slot| *slot = Slot::Waiting);
            return Err(error);
        }
        if self.finished() == self.slots.len() {
            self.made = None;
            return Ok(Status::Finished);
        }
        Ok(if stop.is_asked() { Status::Stopped } else { Status::Running })
    }
}

/// What the permutations of a test share.
struct Permutation<'a, T: Scalar> {
    appearances: Arc<Appearances>,
    window: &'a WindowMaker,
    plan: &'a NetworkPlan,
    first: &'a FirstDictionary<T>,
}

impl<T: Scalar> Permutation<'_, T> {
    /// A permutation at its beginning; none where no window of it can be learned from.
    fn run(&self, at: u64, plan: &RunPlan, stop: &Stop) -> Result<Option<Run<T>>> {
        let seed = derived(plan.seed, Purpose::Chain, ids::PERMUTED_RUNS.saturating_add(at));
        let times = Arc::clone(&self.appearances).permuted(plan.seed, at, &|| stop.is_asked())?;
        let (count, window) = (self.appearances.windows(), Arc::clone(self.window));
        let network_plan = NetworkPlan { title: Some(String::new()), seed, ..self.plan.clone() };
        let source = WindowSource::new(Box::new(PermutedSeries { times, count, window }), network_plan);
        let mut source = match source {
            Err(Error::Parameter { .. }) => return Ok(None),
            source => source?,
        };
        source.keep_scores_alone();
        let run = RunPlan {
            parameters: plan.parameters.clone(),
            ..RunPlan::new(&plan.command, plan.parameters.clone(), seed)
        };
        Run::new(run, Box::new(source), (self.first)(seed)?).map(Some)
    }

    fn advance(
        &self,
        at: u64,
        slot: &mut Slot<T>,
        plan: &RunPlan,
        slice: Duration,
        stop: &Stop,
    ) -> Result<()> {
        if let Slot::Waiting = slot {
            match self.run(at, plan, stop) {
                Err(Error::Interrupted) if stop.is_asked() => return Ok(()),
                Ok(None) => *slot = Slot::Done(Vec::new()),
                run => *slot = Slot::Running(Box::new(run?.ok_or(Error::Interrupted)?)),
            }
        }
        let Slot::Running(run) = slot else { return Ok(()) };
        if run.advance(slice, stop)? == Status::Finished {
            let windows = run.source().stats().windows.map(|stats| &stats.over_time.windows);
            let scores = windows.into_iter().flatten().map(|window| window.change.map(|change| change.value));
            *slot = Slot::Done(scores.collect());
        }
        Ok(())
    }
}

/// The section of the scores of permutations that are over.
const SCORES: &str = "permuted-scores";

/// Adds the scores of a test that is over to a checkpoint.
pub(super) fn save_scores(scores: &[Scores], to: &mut Sections) -> Result<()> {
    if scores.is_empty() { Ok(()) } else { to.put_json(SCORES, &scores.iter().map(Some).collect::<Vec<_>>()) }
}

/// The scores of a test, if it was over.
pub(super) fn restore_scores(from: &Sections) -> Result<Option<Vec<Scores>>> {
    if !from.has(SCORES) {
        return Ok(None);
    }
    Ok(from.json::<Vec<Option<Scores>>>(SCORES)?.into_iter().collect())
}

/// What is before the names of the sections of a permutation.
fn prefix(at: usize) -> String {
    format!("permuted/{at}/")
}

impl<T: Scalar> ChangeTest<T> {
    /// Adds where it is to a checkpoint.
    pub(super) fn save(&self, to: &mut Sections) -> Result<()> {
        let scores = |slot: &Slot<T>| match slot {
            Slot::Done(scores) => Some(scores.clone()),
            _ => None,
        };
        to.put_json(SCORES, &self.slots.iter().map(scores).collect::<Vec<_>>())?;
        for (at, slot) in self.slots.iter().enumerate() {
            if let Slot::Running(run) = slot {
                let mut own = Sections::default();
                run.save(&mut own)?;
                to.put_all(&prefix(at), own);
            }
        }
        Ok(())
    }

    /// Goes to where it was saved.
    pub(super) fn restore(&mut self, plan: &RunPlan, from: &Sections) -> Result<()> {
        if !from.has(SCORES) {
            return Ok(());
        }
        let scores: Vec<Option<Scores>> = from.json(SCORES)?;
        if scores.len() != self.slots.len() {
            return Err(from.damaged(SCORES, "there are of another number of permutations"));
        }
        for (at, (slot, scores)) in self.slots.iter_mut().zip(scores).enumerate() {
            let own = from.all(&prefix(at));
            *slot = match scores {
                Some(scores) => Slot::Done(scores),
                None if own.is_empty() => Slot::Waiting,
                None => {
                    if self.made.is_none() {
                        self.made = (self.appearances)().map(Arc::new);
                    }
                    let Some(appearances) = self.made.clone() else {
                        return Err(from.damaged(SCORES, "times cannot be permuted"));
                    };
                    let begun = Permutation {
                        appearances,
                        window: &self.window,
                        plan: &self.plan,
                        first: &self.first,
                    };
                    let Some(mut run) = begun.run(at as u64, plan, &Stop::default())? else {
                        return Err(from.damaged(SCORES, "a permutation has no window to learn from"));
                    };
                    run.restore(&own)?;
                    Slot::Running(Box::new(run))
                }
            };
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
