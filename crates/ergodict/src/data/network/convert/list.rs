//! Edge lists of any length on their way to an `.egr` file.

use super::super::EdgeCounts;
use super::super::columns::Doubt;
use super::super::edge_list::{Blocks, EdgeBlock};
use super::super::read::{self, NetworkFormat, ReadDecisions, ReadOptions, Reason, Weights};
use super::gather::{Batch, Outcome, Plan, Task, convert};
use super::labels::Labels;
use super::names::{self, NameIndex};
use super::rows::Meaning;
use crate::data::{Input, open};
use crate::{Error, Result};
use std::collections::VecDeque;
use std::path::Path;

/// Bytes of text to read at a time: with what is parsed of it, a quarter of the memory, and at least twice the longest line.
pub(in crate::data::network) fn text(budget: usize) -> usize {
    (budget / 16).clamp(1 << 17, 8 << 20)
}

/// A list: of integers as they are, or else with its nodes numbered.
pub(in crate::data::network) fn of_list(
    task: &mut Task<'_>,
    input: Input,
    options: &ReadOptions,
    budget: usize,
) -> Result<ReadDecisions> {
    let path = task.input;
    // What can be read once is not read again when a word turns up.
    let named = input.is_read_once() || task.folder.as_ref().is_some_and(|folder| folder.head.named);
    let mut blocks = Blocks::new(path, input, options, text(budget));
    if !named {
        if let Some(decisions) = of_integers(task, &mut blocks, options, budget)? {
            return Ok(decisions);
        }
        if let Some(folder) = task.folder.take() {
            folder.remove();
        }
        task.found = EdgeCounts::default();
        blocks = Blocks::new(path, open(path)?, options, text(budget));
    }
    if let Some(head) = &mut task.keep {
        head.named = true;
    }
    of_names(task, &mut blocks, options, budget)
}

/// The next block, with faults of the list reported as when it is read whole.
fn next_block(path: &Path, blocks: &mut Blocks<'_>, integers: bool) -> Result<Option<EdgeBlock>> {
    let listed = blocks.next(integers)?;
    match blocks.noticed.negative {
        Some((line, weight)) => Err(Error::format(path, Some(line), read::negative(weight))),
        None => Ok(listed),
    }
}

/// The first block, after which it is known what the list has.
fn first_block(
    path: &Path,
    blocks: &mut Blocks<'_>,
    options: &ReadOptions,
    integers: bool,
) -> Result<Option<EdgeBlock>> {
    let first = blocks.next(integers)?;
    if options.weighted == Some(true) && !blocks.kind().0 {
        let problem = read::no_weights(NetworkFormat::EdgeList, &blocks.noticed.unused);
        return Err(Error::format(path, None, problem));
    }
    match blocks.noticed.negative {
        Some((line, weight)) => Err(Error::format(path, Some(line), read::negative(weight))),
        None => Ok(first),
    }
}

/// A list of which all names are integers below 2³²; none when one is not.
fn of_integers(
    task: &mut Task<'_>,
    blocks: &mut Blocks<'_>,
    options: &ReadOptions,
    budget: usize,
) -> Result<Option<ReadDecisions>> {
    let path = task.input;
    let mut pieces = VecDeque::new();
    let (mut other, mut first) = (false, Some(first_block(path, blocks, options, true)?));
    let (weighted, said) = blocks.kind();
    let (directed, _) = Reason::decide(options.directed, said);
    let plan =
        Plan { meaning: Meaning::Edges { directed }, loops: options.loops, weighted, integers: true, budget };
    let made = convert(
        task,
        plan,
        &mut || {
            while pieces.is_empty() {
                let listed = first.take().map_or_else(|| next_block(path, blocks, true), Ok)?;
                match listed {
                    Some(EdgeBlock::Integers(some)) => pieces.extend(some),
                    Some(EdgeBlock::Names(_)) => {
                        // No one sees this error.
                        other = true;
                        return Err(Error::Interrupted);
                    }
                    None => return Ok(None),
                }
            }
            let next = pieces.pop_front();
            Ok(next.map(|(ends, weights)| Batch { ends, weights: weighted.then_some(weights) }))
        },
        |nodes| Labels::Set(nodes.places()),
    );
    if other {
        return Ok(None);
    }
    let made = made?;
    Ok(Some(decided(blocks, options, task.found, made, Vec::new())))
}

/// A list with names of any kind.
fn of_names(
    task: &mut Task<'_>,
    blocks: &mut Blocks<'_>,
    options: &ReadOptions,
    budget: usize,
) -> Result<ReadDecisions> {
    let path = task.input;
    let mut first = Some(first_block(path, blocks, options, false)?);
    let (weighted, said) = blocks.kind();
    let (directed, _) = Reason::decide(options.directed, said);
    let mut next = || first.take().map_or_else(|| next_block(path, blocks, false), Ok);
    let NameIndex { ids, ranks, mut edges } = names::gather(task, &mut next, weighted, budget)?;
    let plan = Plan {
        meaning: Meaning::Edges { directed },
        loops: options.loops,
        weighted,
        integers: false,
        budget,
    };
    let doubts = Doubt::of_nodes(&ids);
    let made = convert(task, plan, &mut || edges.next(&ranks), |_| Labels::Ids(ids))?;
    Ok(decided(blocks, options, task.found, made, doubts))
}

fn decided(
    blocks: &mut Blocks<'_>,
    options: &ReadOptions,
    found: EdgeCounts,
    made: Outcome,
    nodes: Vec<Doubt>,
) -> ReadDecisions {
    let (has_weights, said) = blocks.kind();
    let noticed = std::mem::take(&mut blocks.noticed);
    let weights = match (has_weights, noticed.ignored_weights) {
        (true, _) => Weights::Used,
        (false, true) => Weights::Ignored,
        (false, false) => Weights::None,
    };
    let direction = Reason::decide(options.directed, said);
    ReadDecisions::plain(NetworkFormat::EdgeList, direction, weights, options.loops, found, made.words)
        .noticed(noticed, nodes)
}
