//! The names of the nodes of a list that comes in blocks.

use super::NodeIds;
use crate::{Error, Result};
use std::collections::HashMap;
use std::path::Path;

/// Numbers nodes as they appear. A word that is an integer in its only decimal form is that integer, since a block of
/// integers does not know that another has words.
#[derive(Default)]
pub(super) struct Interner {
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
    pub(super) fn numbers(&mut self, ids: &NodeIds, out: &Path) -> Result<Vec<u32>> {
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
                return Err(Error::format(out, None, "would have more than 2³² nodes, which is too many"));
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
    pub(super) fn finish(self) -> (NodeIds, Vec<u32>) {
        let mut ranks = vec![0; self.count as usize];
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
