//! The names of the nodes of a list that comes in blocks, and its edges by numbers until all names are known.

use super::super::NodeIds;
use super::super::edge_list::EdgeBlock;
use super::super::section::Plain;
use super::gather::{Batch, Converting, Task};
use super::spool::{Reader, Spool};
use crate::{Error, Result};
use std::collections::HashMap;
use std::path::Path;

/// A list whose nodes were numbered as they appeared.
pub(in crate::data::network) struct NameIndex {
    /// The names in ascending order.
    pub(in crate::data::network) ids: NodeIds,
    /// For each number the place of its name.
    pub(in crate::data::network) ranks: Vec<u32>,
    pub(in crate::data::network) edges: EdgeReader,
}

/// Edges in the order of the list, by the numbers of their nodes.
pub(in crate::data::network) struct EdgeReader {
    edges: Reader,
    weights: Option<Reader>,
}

/// Reads all blocks.
pub(in crate::data::network) fn gather(
    task: &mut Task<'_>,
    next: &mut dyn FnMut() -> Result<Option<EdgeBlock>>,
    weighted: bool,
    budget: usize,
) -> Result<NameIndex> {
    let mut names = Interner::default();
    let spool = || Spool::new(task.out, budget / 8);
    let (mut edges, mut weights) = (spool(), weighted.then(spool));
    while let Some(listed) = next()? {
        let EdgeBlock::Names(list) = listed else { continue };
        let numbers = names.numbers(&list.ids, task.input)?;
        for &(u, v) in &list.ends {
            let (u, v) = (numbers[u as usize], numbers[v as usize]);
            edges.put(|bytes| (u64::from(u) << 32 | u64::from(v)).append(bytes))?;
        }
        if let (Some(spool), Some(list)) = (&mut weights, &list.weights) {
            list.iter().try_for_each(|weight| spool.put(|bytes| weight.append(bytes)))?;
        }
        task.report(Converting::Reading(edges.bytes / 8))?;
    }
    let (ids, ranks) = names.finish();
    // Both are read in pieces of as many records.
    let buffer = (budget / 64).min(1 << 20);
    let weights = weights.map(|spool| spool.reader(buffer)).transpose()?;
    Ok(NameIndex { ids, ranks, edges: EdgeReader { edges: edges.reader(buffer)?, weights } })
}

impl EdgeReader {
    /// The next edges, between nodes; none at the end.
    pub(in crate::data::network) fn next(&mut self, ranks: &[u32]) -> Result<Option<Batch>> {
        let Some(bytes) = self.edges.chunk()? else { return Ok(None) };
        let number = |end: u64| ranks[end as u32 as usize];
        let ends: Vec<(u32, u32)> = bytes
            .chunks_exact(8)
            .map(<u64 as Plain>::decode)
            .map(|edge| (number(edge >> 32), number(edge)))
            .collect();
        let weights = match &mut self.weights {
            Some(weights) => {
                let mut some = Vec::with_capacity(ends.len());
                while some.len() < ends.len() {
                    let Some(weight) = weights.next(8)? else { break };
                    some.push(<f64 as Plain>::decode(weight));
                }
                Some(some)
            }
            None => None,
        };
        Ok(Some(Batch { ends, weights }))
    }
}

/// Numbers nodes as they appear. A word that is an integer in its only decimal form is that integer, since a block of
/// integers does not know that another has words.
#[derive(Default)]
struct Interner {
    count: u32,
    /// One more than the number of each integer from 0, where they lie close; 0 for one that is not here. The nodes of a
    /// block ascend, so that this is gone through in order, which a hash table is not.
    close: Vec<u32>,
    integers: HashMap<i64, u32>,
    words: HashMap<Box<str>, u32>,
}

/// Integers from 0 are close when there are no more than this many for each node, which take half of what the hash table
/// would, and a few more.
const CLOSE: usize = 4;

impl Interner {
    /// The numbers of the nodes of a block.
    fn numbers(&mut self, ids: &NodeIds, input: &Path) -> Result<Vec<u32>> {
        let mut numbers = Vec::with_capacity(ids.len());
        for v in 0..ids.len() {
            let integer = ids.integer(v).or_else(|| {
                let name = ids.name(v);
                name.parse().ok().filter(|id: &i64| id.to_string() == name)
            });
            let number = if let Some(id) = integer {
                self.integer(id)
            } else {
                let name = ids.name(v);
                self.words.get(&*name).copied().unwrap_or_else(|| {
                    self.count = self.count.saturating_add(1);
                    *self.words.entry(name.into()).or_insert(self.count - 1)
                })
            };
            if self.count == u32::MAX {
                return Err(Error::format(input, None, "holds more than 2³² nodes, which is too many"));
            }
            numbers.push(number);
        }
        Ok(numbers)
    }

    fn integer(&mut self, id: i64) -> u32 {
        let place = usize::try_from(id).unwrap_or(usize::MAX);
        if let Some(&number) = self.close.get(place)
            && number > 0
        {
            return number - 1;
        }
        if let Some(&number) = self.integers.get(&id) {
            return number;
        }
        self.count = self.count.saturating_add(1);
        if place < CLOSE * self.count as usize + (1 << 16) {
            if place >= self.close.len() {
                self.close.resize(place + 1, 0);
            }
            self.close[place] = self.count;
        } else {
            self.integers.insert(id, self.count - 1);
        }
        self.count - 1
    }

    /// The names in ascending order, and for each number the place of its name.
    fn finish(self) -> (NodeIds, Vec<u32>) {
        let mut ranks = vec![0; self.count as usize];
        if self.words.is_empty() && self.integers.is_empty() {
            // They are in order already.
            let mut ids = Vec::with_capacity(self.count as usize);
            for (&number, id) in self.close.iter().zip(0..).filter(|(number, _)| **number > 0) {
                ranks[number as usize - 1] = ids.len() as u32;
                ids.push(id);
            }
            return (NodeIds::integers(ids), ranks);
        }
        let close = self.close.iter().zip(0..).filter(|(number, _)| **number > 0);
        let integers = close.map(|(number, id)| (id, number - 1)).chain(self.integers);
        if self.words.is_empty() {
            let mut ids: Vec<(i64, u32)> = integers.collect();
            ids.sort_unstable();
            ids.iter().zip(0..).for_each(|(id, rank)| ranks[id.1 as usize] = rank);
            return (NodeIds::integers(ids.into_iter().map(|id| id.0).collect()), ranks);
        }
        let mut words: Vec<(Box<str>, u32)> = self.words.into_iter().collect();
        words.extend(integers.map(|(id, number)| (id.to_string().into(), number)));
        words.sort_unstable();
        words.iter().zip(0..).for_each(|(word, rank)| ranks[word.1 as usize] = rank);
        (NodeIds::words(words.iter().map(|word| &*word.0)), ranks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn numbers_are_those_of_first_appearance_and_ranks_those_of_names() {
        let mut state = 9_u64;
        let mut random = move |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        // Close ones, some that are close only once there are many, far and negative ones.
        for range in [100, 70_000, 400_000, 1 << 31] {
            let (mut names, mut known) = (Interner::default(), Vec::new());
            for _ in 0..20 {
                let block: BTreeSet<i64> = (0..3000).map(|_| random(range) as i64 - 20).collect();
                let ids = NodeIds::integers(block.iter().copied().collect());
                let numbers = names.numbers(&ids, Path::new("x")).unwrap();
                for (id, number) in block.into_iter().zip(numbers) {
                    if number as usize == known.len() {
                        known.push(id);
                    }
                    assert_eq!(known[number as usize], id);
                }
            }
            let mut sorted = known.clone();
            sorted.sort_unstable();
            sorted.dedup();
            assert_eq!(sorted.len(), known.len());
            let (ids, ranks) = names.finish();
            assert_eq!(ids, NodeIds::integers(sorted));
            assert!(known.iter().zip(ranks).all(|(&id, rank)| ids.integer(rank as usize) == Some(id)));
        }
    }
}
