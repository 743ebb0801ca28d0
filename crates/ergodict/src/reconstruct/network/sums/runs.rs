//! Sorted runs of pairs in temporary files, read as if they were memory, and merged.

use crate::{Error, Result};
use memmap2::Mmap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
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
        let word = |i: usize| {
            let mut bytes = [0; 8];
            bytes.copy_from_slice(&self.map[index * BYTES + 8 * i..][..8]);
            u64::from_le_bytes(bytes)
        };
        Record { key: word(0), sum: f64::from_bits(word(1)), count: word(2) }
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

/// All records of the runs, and then of `last`, by ascending key; those of one key add up in this order.
pub(super) fn merge<'a>(
    runs: &[&'a Run],
    last: impl Iterator<Item = Record> + 'a,
) -> impl Iterator<Item = Record> + 'a {
    let mut sources: Vec<Box<dyn Iterator<Item = Record> + 'a>> = Vec::new();
    for &run in runs {
        sources.push(Box::new(run.iter()));
    }
    sources.push(Box::new(last));
    let mut heads: Vec<Option<Record>> = sources.iter_mut().map(Iterator::next).collect();
    let mut heap: BinaryHeap<Reverse<(u64, usize)>> = BinaryHeap::new();
    heap.extend(heads.iter().enumerate().filter_map(|(i, head)| head.map(|record| Reverse((record.key, i)))));
    std::iter::from_fn(move || {
        let mut total: Option<Record> = None;
        while let Some(&Reverse((key, source))) = heap.peek() {
            if total.is_some_and(|total| total.key != key) {
                break;
            }
            heap.pop();
            if let Some(record) = heads[source] {
                total = Some(match total {
                    Some(sum) => Record { key, sum: sum.sum + record.sum, count: sum.count + record.count },
                    None => record,
                });
            }
            heads[source] = sources[source].next();
            if let Some(next) = heads[source] {
                heap.push(Reverse((next.key, source)));
            }
        }
        total
    })
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
}
