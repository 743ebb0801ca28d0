//! Sorting of more arcs than fit in memory: sorted runs in a temporary file, merged in the order in which they came.

use super::external_spool::{Reader, Spool};
use super::section::Plain;
use crate::Result;
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::path::{Path, PathBuf};

/// Runs merged at a time where the budget has not room for more.
const FAN: usize = 64;
/// Bytes of each run in memory that make a larger number worthwhile.
const RUN_BUFFER: usize = 1 << 14;

/// An arc: its place `u · 2³² + v` in the matrix and, in some networks, its weight.
pub(super) trait Arc: Copy + Send + Sync {
    /// Bytes in a file.
    const BYTES: usize;
    fn new(u: u32, v: u32, weight: f64) -> Self;
    fn key(self) -> u64;
    fn weight(self) -> f64;
    fn append(self, bytes: &mut Vec<u8>);
    fn decode(bytes: &[u8]) -> Self;
    /// By key; arcs of the same key keep their order where it matters.
    fn sort(arcs: &mut [Self]);

    fn ends(self) -> (u32, u32) {
        ((self.key() >> 32) as u32, self.key() as u32)
    }
}

fn key(u: u32, v: u32) -> u64 {
    u64::from(u) << 32 | u64::from(v)
}

impl Arc for u64 {
    const BYTES: usize = 8;
    fn new(u: u32, v: u32, _: f64) -> Self {
        key(u, v)
    }
    fn key(self) -> u64 {
        self
    }
    fn weight(self) -> f64 {
        1.0
    }
    fn append(self, bytes: &mut Vec<u8>) {
        Plain::append(self, bytes);
    }
    fn decode(bytes: &[u8]) -> Self {
        Plain::decode(bytes)
    }
    fn sort(arcs: &mut [Self]) {
        arcs.par_sort_unstable();
    }
}

impl Arc for (u64, f64) {
    const BYTES: usize = 16;
    fn new(u: u32, v: u32, weight: f64) -> Self {
        (key(u, v), weight)
    }
    fn key(self) -> u64 {
        self.0
    }
    fn weight(self) -> f64 {
        self.1
    }
    fn append(self, bytes: &mut Vec<u8>) {
        Plain::append(self.0, bytes);
        Plain::append(self.1, bytes);
    }
    fn decode(bytes: &[u8]) -> Self {
        (Plain::decode(&bytes[..8]), Plain::decode(&bytes[8..]))
    }
    fn sort(arcs: &mut [Self]) {
        arcs.par_sort_by_key(|arc| arc.0);
    }
}

/// Takes arcs in any order.
pub(super) struct Sorter<A> {
    out: PathBuf,
    budget: usize,
    /// Arcs of a run.
    most: usize,
    arcs: Vec<A>,
    /// All runs one after the other.
    spool: Spool,
    /// Where each ends.
    ends: Vec<u64>,
}

impl<A: Arc> Sorter<A> {
    /// A sorter that holds about `budget` bytes, with temporary files beside `out`.
    pub(super) fn new(out: &Path, budget: usize) -> Self {
        // Sorting in order needs as much again.
        let most = (budget / 2 / size_of::<A>()).max(16);
        let spool = Spool::new(out, 0);
        Self { out: out.to_owned(), budget, most, arcs: Vec::new(), spool, ends: Vec::new() }
    }

    #[inline]
    pub(super) fn push(&mut self, arc: A) -> Result<()> {
        if self.arcs.len() == self.most {
            self.spill()?;
        }
        if self.arcs.len() == self.arcs.capacity() {
            // No more than the budget, of which growing to twice the size might take half as much again.
            let capacity = (2 * self.arcs.capacity()).clamp(16, self.most);
            self.arcs.reserve_exact(capacity - self.arcs.len());
        }
        self.arcs.push(arc);
        Ok(())
    }

    fn spill(&mut self) -> Result<()> {
        A::sort(&mut self.arcs);
        for arc in self.arcs.drain(..) {
            self.spool.put(|bytes| arc.append(bytes))?;
        }
        self.ends.push(self.spool.bytes);
        Ok(())
    }

    /// All arcs, sorted; of the same place in the order in which they came.
    pub(super) fn merge(mut self) -> Result<Merge<A>> {
        if self.ends.is_empty() {
            A::sort(&mut self.arcs);
            return Ok(Merge { heap: BinaryHeap::new(), sources: Vec::new(), memory: self.arcs.into_iter() });
        }
        if !self.arcs.is_empty() {
            self.spill()?;
        }
        self.arcs = Vec::new();
        let (mut spool, mut ends) = (self.spool, self.ends);
        let fan = (self.budget / 2 / RUN_BUFFER).max(FAN);
        while ends.len() > fan {
            let (mut fewer, mut fewer_ends) = (Spool::new(&self.out, self.budget / 4), Vec::new());
            let all = spool.reader(0)?;
            let mut start = 0;
            for group in ends.chunks(fan) {
                let mut merge = Merge::<A>::of(&all, start, group, self.budget / 2)?;
                while let Some(arc) = merge.next()? {
                    fewer.put(|bytes| arc.append(bytes))?;
                }
                fewer_ends.push(fewer.bytes);
                start = group[group.len() - 1];
            }
            (spool, ends) = (fewer, fewer_ends);
        }
        Merge::of(&spool.reader(0)?, 0, &ends, self.budget / 2)
    }
}

/// Sorted arcs, one by one.
pub(super) struct Merge<A> {
    /// The next key of each source, and which: of the same key the earlier source first.
    heap: BinaryHeap<Reverse<(u64, usize)>>,
    sources: Vec<Source<A>>,
    /// All of them where no file was needed.
    memory: std::vec::IntoIter<A>,
}

/// A run that is read.
pub(super) struct Source<A> {
    reader: Reader,
    current: Option<A>,
}

impl<A: Arc> Source<A> {
    /// The arcs of a file that was written by [`Arc::append`].
    pub(super) fn new(reader: Reader) -> Result<Self> {
        let mut source = Self { reader, current: None };
        source.advance()?;
        Ok(source)
    }

    /// The next arc, which stays.
    #[inline]
    pub(super) fn peek(&self) -> Option<A> {
        self.current
    }

    #[inline]
    pub(super) fn advance(&mut self) -> Result<()> {
        self.current = self.reader.next(A::BYTES)?.map(A::decode);
        Ok(())
    }
}

impl<A: Arc> Merge<A> {
    /// The runs of a file that end at `ends`, the first of which begins at `start`.
    fn of(all: &Reader, mut start: u64, ends: &[u64], budget: usize) -> Result<Self> {
        let buffer = (budget / ends.len().max(1)).min(1 << 20);
        let source = |&end: &u64| {
            let source = Source::new(all.part(start, end, buffer));
            start = end;
            source
        };
        let sources: Vec<Source<A>> = ends.iter().map(source).collect::<Result<_>>()?;
        let first = |(at, source): (usize, &Source<A>)| Some(Reverse((source.peek()?.key(), at)));
        let heap = sources.iter().enumerate().filter_map(first).collect();
        Ok(Self { heap, sources, memory: Vec::new().into_iter() })
    }

    pub(super) fn next(&mut self) -> Result<Option<A>> {
        let Some(mut least) = self.heap.peek_mut() else { return Ok(self.memory.next()) };
        let Reverse((_, at)) = *least;
        let source = &mut self.sources[at];
        let arc = source.peek();
        source.advance()?;
        match source.peek() {
            Some(next) => *least = Reverse((next.key(), at)),
            None => {
                std::collections::binary_heap::PeekMut::pop(least);
            }
        }
        Ok(arc)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_runs_give_what_a_stable_sort_gives() {
        let folder = tempfile::tempdir().unwrap();
        let mut state = 1_u64;
        for (count, budget) in [(0, 0), (1, 0), (16, 0), (17, 0), (5000, 0), (5000, 4096), (5000, 1 << 20)] {
            let mut sorter = Sorter::new(&folder.path().join("x"), budget);
            let mut expected: Vec<(u64, f64)> = Vec::new();
            for i in 0..count {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let arc = Arc::new((state >> 60) as u32, (state >> 40) as u32 % 3, f64::from(i));
                sorter.push(arc).unwrap();
                expected.push(arc);
            }
            expected.sort_by_key(|arc| arc.0);
            let mut merge = sorter.merge().unwrap();
            let found: Vec<_> = std::iter::from_fn(|| merge.next().unwrap()).collect();
            assert_eq!(found, expected);
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_thousand_runs_are_one_open_file() {
        let files = || std::fs::read_dir("/proc/self/fd").map_or(0, Iterator::count);
        let folder = tempfile::tempdir().unwrap();
        let (count, before) = (20_000_u32, files());
        let mut sorter = Sorter::<u64>::new(&folder.path().join("x"), 0);
        for i in 0..count {
            sorter.push(Arc::new(i.wrapping_mul(2_654_435_761), i, 1.0)).unwrap();
        }
        assert!(sorter.ends.len() > 1000, "{}", sorter.ends.len());
        let mut merge = sorter.merge().unwrap();
        // Other tests may run beside this one.
        assert!(files() < before + 50, "{} files open", files());
        let found: Vec<u64> = std::iter::from_fn(|| merge.next().unwrap()).collect();
        assert!(found.is_sorted() && found.len() == count as usize);
    }
}
