//! Sorted runs of pairs in temporary files, read as if they were memory, and merged.

use crate::{Error, Result};
use memmap2::Mmap;
use std::io::{BufWriter, Write};

/// Bytes of a record.
const BYTES: usize = 24;

/// A pair with its sum and count.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Record {
    pub(super) key: u64,
    pub(super) sum: f64,
    pub(super) count: u64,
}

impl Record {
    fn parse(bytes: &[u8; BYTES]) -> Self {
        let word = |i: usize| {
            let mut word = [0; 8];
            word.copy_from_slice(&bytes[8 * i..8 * i + 8]);
            u64::from_le_bytes(word)
        };
        Self { key: word(0), sum: f64::from_bits(word(1)), count: word(2) }
    }
}

/// Records by ascending key. The file has no name and goes with the run.
#[derive(Debug)]
pub(super) struct Run {
    map: Mmap,
}

impl Run {
    /// Writes records, at least one, that come by ascending key.
    pub(super) fn write(records: impl Iterator<Item = Record>) -> Result<Self> {
        let folder = std::env::temp_dir();
        let file = tempfile::tempfile().map_err(Error::io(&folder))?;
        let mut out = BufWriter::with_capacity(1 << 18, &file);
        for Record { key, sum, count } in records {
            for word in [key, sum.to_bits(), count] {
                out.write_all(&word.to_le_bytes()).map_err(Error::io(&folder))?;
            }
        }
        out.flush().map_err(Error::io(&folder))?;
        drop(out);
        // SAFETY: the file has no name, so that no other process can change it, and we do not.
        let map = unsafe { Mmap::map(&file) }.map_err(Error::io(&folder))?;
        Ok(Self { map })
    }

    /// How many records there are.
    pub(super) fn len(&self) -> usize {
        self.map.len() / BYTES
    }

    fn record(&self, index: usize) -> Record {
        Record::parse(&self.map.as_chunks().0[index])
    }

    /// The record of a key.
    pub(super) fn find(&self, key: u64) -> Option<Record> {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low.midpoint(high);
            let record = self.record(middle);
            match record.key.cmp(&key) {
                std::cmp::Ordering::Equal => return Some(record),
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }

    /// All records.
    pub(super) fn iter(&self) -> impl Iterator<Item = Record> + '_ {
        (0..self.len()).map(|index| self.record(index))
    }
}

/// Records of each source that are merged at a time. Those of some fifty sources fit a cache; with 256 or 4096 it took as long.
const BLOCK: usize = 1 << 10;

/// All records of the runs, and then of `last`, by ascending key; those of one key add up in this order.
///
/// Blocks of all sources up to a common key are put together and sorted: a sort that keeps the order of equal keys finds that they
/// ascend already, and merges them several times as fast as a heap of the next records.
pub(super) fn merge<'a>(
    runs: &[&'a Run],
    mut last: impl Iterator<Item = Record> + 'a,
) -> impl Iterator<Item = Record> + 'a {
    let mut runs: Vec<Rest<'a>> = runs.iter().map(|run| Rest(run.map.as_chunks().0)).collect();
    let (mut ahead, mut block, mut next) = (Vec::with_capacity(BLOCK), Vec::new(), 0);
    std::iter::from_fn(move || {
        if next == block.len() {
            let more = BLOCK - ahead.len();
            ahead.extend(last.by_ref().take(more));
            gather(&mut runs, &mut ahead, &mut block);
            add_up(&mut block);
            next = 0;
        }
        next += 1;
        block.get(next - 1).copied()
    })
}

/// What is left of a run.
struct Rest<'a>(&'a [[u8; BYTES]]);

/// Puts the records of all sources up to a key into a block: of each at most [`BLOCK`], and of one as many while there are.
fn gather(runs: &mut [Rest<'_>], ahead: &mut Vec<Record>, block: &mut Vec<Record>) {
    let full = |run: &Rest<'_>| run.0.get(BLOCK - 1).map(|record| Record::parse(record).key);
    let most = runs.iter().filter_map(full).chain(ahead.get(BLOCK - 1).map(|record| record.key)).min();
    let most = most.unwrap_or(u64::MAX);
    block.clear();
    for run in runs {
        let near = &run.0[..BLOCK.min(run.0.len())];
        let (now, _) = near.split_at(near.partition_point(|record| Record::parse(record).key <= most));
        block.extend(now.iter().map(Record::parse));
        run.0 = &run.0[now.len()..];
    }
    block.extend(ahead.drain(..ahead.partition_point(|record| record.key <= most)));
}

/// Sorts records and makes those of one key one, in their order.
fn add_up(block: &mut Vec<Record>) {
    block.sort_by_key(|record| record.key);
    block.dedup_by(|more, total| {
        let same = more.key == total.key;
        if same {
            (total.sum, total.count) = (total.sum + more.sum, total.count + more.count);
        }
        same
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_add_up_by_key() {
        let records = |keys: &[u64]| -> Vec<Record> {
            keys.iter().map(|&key| Record { key, sum: key as f64 + 0.5, count: key + 1 }).collect()
        };
        let one = Run::write(records(&[1, 4, 9]).into_iter()).unwrap();
        let two = Run::write(records(&[0, 4, u64::MAX - 1]).into_iter()).unwrap();
        assert_eq!(one.find(4).unwrap().count, 5);
        assert!(one.find(5).is_none() && one.find(0).is_none() && one.find(10).is_none());
        let merged: Vec<_> = merge(&[&one, &two], records(&[4, 5]).into_iter()).collect();
        let keys: Vec<u64> = merged.iter().map(|record| record.key).collect();
        assert_eq!(keys, [0, 1, 4, 5, 9, u64::MAX - 1]);
        assert_eq!(merged[2], Record { key: 4, sum: 13.5, count: 15 });
    }

    #[test]
    fn long_runs_add_up_in_their_order() {
        // Of different lengths, sparse and dense, so that blocks of some end where others go on; sums depend on the order.
        let source = |first: u64, step: u64, count: u64| -> Vec<Record> {
            let sum = |key: u64| 1.0 / (key * step + first + 1) as f64;
            let record = |i: u64| Record { key: first + i * step, sum: sum(i), count: i + 1 };
            (0..count).map(record).collect()
        };
        let block = BLOCK as u64;
        for lengths in [[0, 0, 0, 1], [block, 3 * block, 1, 0], [5 * block + 3, 2 * block, 7 * block, block]]
        {
            let steps = [3, 1, 2, 5];
            let sources: Vec<_> = lengths
                .iter()
                .zip(steps)
                .zip(0..)
                .map(|((&count, step), i)| source(i, step, count))
                .collect();
            let runs: Vec<Run> = sources[..3]
                .iter()
                .map(|records| Run::write(records.iter().copied()))
                .collect::<Result<_>>()
                .unwrap();
            let mut exact: std::collections::BTreeMap<u64, (f64, u64)> = std::collections::BTreeMap::new();
            for record in sources.iter().flatten() {
                exact
                    .entry(record.key)
                    .and_modify(|(sum, count)| (*sum, *count) = (*sum + record.sum, *count + record.count))
                    .or_insert((record.sum, record.count));
            }
            let merged = merge(&runs.iter().collect::<Vec<_>>(), sources[3].iter().copied());
            let expected = exact.iter().map(|(&key, &(sum, count))| Record { key, sum, count });
            assert!(merged.eq(expected), "{lengths:?}");
        }
    }
}
