//! The names of the nodes of a list that comes in blocks.

use super::NodeIds;
use crate::{Error, Result};
use std::collections::HashMap;
use std::path::Path;

/// Numbers nodes as they appear. A word that is an integer in its only decimal form is that integer, since a block of
/// integers does not know that another has words.
#[derive(Default)]
pub(super) struct Interner {
    integers: HashMap<i64, u32>,
    words: HashMap<Box<str>, u32>,
}

impl Interner {
    /// The numbers of the nodes of a block.
    pub(super) fn numbers(&mut self, ids: &NodeIds, out: &Path) -> Result<Vec<u32>> {
        let mut numbers = Vec::with_capacity(ids.len());
        for v in 0..ids.len() {
            let new = u32::try_from(self.integers.len() + self.words.len())
                .ok()
                .filter(|new| *new < u32::MAX)
                .ok_or_else(|| {
                    Error::format(out, None, "would have more than 2³² nodes, which is too many")
                })?;
            let integer = ids.integer(v).or_else(|| {
                let name = ids.name(v);
                name.parse().ok().filter(|id: &i64| id.to_string() == name)
            });
            let number = if let Some(id) = integer {
                *self.integers.entry(id).or_insert(new)
            } else {
                let name = ids.name(v);
                match self.words.get(&*name) {
                    Some(&number) => number,
                    None => *self.words.entry(name.into()).or_insert(new),
                }
            };
            numbers.push(number);
        }
        Ok(numbers)
    }

    /// The names in ascending order, and for each number the place of its name.
    pub(super) fn finish(self) -> (NodeIds, Vec<u32>) {
        let mut ranks = vec![0; self.integers.len() + self.words.len()];
        if self.words.is_empty() {
            let mut ids: Vec<(i64, u32)> = self.integers.into_iter().collect();
            ids.sort_unstable();
            ids.iter().zip(0..).for_each(|(id, rank)| ranks[id.1 as usize] = rank);
            return (NodeIds::integers(ids.into_iter().map(|id| id.0).collect()), ranks);
        }
        let mut words: Vec<(Box<str>, u32)> = self.words.into_iter().collect();
        words.extend(self.integers.into_iter().map(|(id, number)| (id.to_string().into(), number)));
        words.sort_unstable();
        words.iter().zip(0..).for_each(|(word, rank)| ranks[word.1 as usize] = rank);
        (NodeIds::words(words.iter().map(|word| &*word.0)), ranks)
    }
}
