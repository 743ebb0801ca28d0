//! Sorting of more arcs than fit in memory, by both ends: sorted runs in files, merged in the order in which they came.

use super::super::section::Plain;
use super::folder;
use super::spool::{Reader, Spool};
use crate::Result;
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::path::{Path, PathBuf};

/// Runs merged at a time where the budget has not room for more.
const FAN: usize = 64;
/// Bytes of each run in memory that make a larger number worthwhile.
const RUN_BUFFER: usize = 1 << 14;

/// An arc: its place `u · 2³² + v` in the matrix and, in some networks, its weight.
pub(in crate::data::network) trait Arc: Copy + Send + Sync + 'static {
    /// Bytes in a file.
    const BYTES: usize;
    /// Whether sorting takes as much memory again.
    const SORTED_ASIDE: bool;
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

    /// From the other end.
    fn turned(self) -> Self {
        let (u, v) = self.ends();
        Self::new(v, u, self.weight())
    }
}

fn key(u: u32, v: u32) -> u64 {
    u64::from(u) << 32 | u64::from(v)
}

impl Arc for u64 {
    const BYTES: usize = 8;
    const SORTED_ASIDE: bool = false;
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
    const SORTED_ASIDE: bool = true;
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

/// Takes arcs in any order, and keeps them sorted by their first ends and by their second ones.
pub(in crate::data::network) struct Runs<A> {
    out: PathBuf,
    /// Arcs of a run.
    most: usize,
    arcs: Vec<A>,
    /// All runs one after the other, of the arcs and of the turned ones; none while there are no runs.
    spools: Option<[Spool; 2]>,
    /// Where each ends, in bytes, in both.
    ends: Vec<u64>,
}

/// A run that was put into files.
pub(in crate::data::network) struct Run {
    /// Where it ends.
    pub(in crate::data::network) end: u64,
    /// Of its bytes in both files, where these keep their names.
    pub(in crate::data::network) digests: [Option<blake3::Hash>; 2],
}

impl<A: Arc> Runs<A> {
    /// No runs yet; the result will be next to `out`.
    pub(in crate::data::network) fn new(out: &Path) -> Self {
        Self { out: out.to_owned(), most: 16, arcs: Vec::new(), spools: None, ends: Vec::new() }
    }

    /// Puts runs into these files, which may hold some that end there.
    pub(in crate::data::network) fn open(&mut self, spools: [Spool; 2], ends: Vec<u64>) {
        (self.spools, self.ends) = (Some(spools), ends);
    }

    /// Whether there are files.
    pub(in crate::data::network) fn is_open(&self) -> bool {
        self.spools.is_some()
    }

    /// No more than about `bytes` bytes are to be taken while runs are made: half of it for arcs, and as much again for sorting, or
    /// for the turned arcs where all fit.
    pub(in crate::data::network) fn limit(&mut self, bytes: usize) {
        self.most = (bytes / 2 / size_of::<A>()).max(16);
    }

    /// Whether the next arc needs a run to be put into files first.
    #[inline]
    pub(in crate::data::network) fn is_full(&self) -> bool {
        self.arcs.len() >= self.most
    }

    #[inline]
    pub(in crate::data::network) fn push(&mut self, arc: A) {
        if self.arcs.len() == self.arcs.capacity() {
            // No more than the limit, of which growing to twice the size might take half as much again.
            let capacity = (2 * self.arcs.capacity()).clamp(16, self.most.max(self.arcs.len() + 16));
            self.arcs.reserve_exact(capacity - self.arcs.len());
        }
        self.arcs.push(arc);
    }

    /// Puts what is in memory into the files.
    pub(in crate::data::network) fn spill(&mut self) -> Result<Run> {
        let mut digests = [None; 2];
        let spool = || Spool::new(&self.out, 0);
        let spools = self.spools.get_or_insert_with(|| [spool(), spool()]);
        for (spool, digest) in spools.iter_mut().zip(&mut digests) {
            A::sort(&mut self.arcs);
            for arc in &mut self.arcs {
                spool.put(|bytes| arc.append(bytes))?;
                *arc = arc.turned();
            }
            *digest = spool.sealed()?;
        }
        self.arcs.clear();
        let end = spools[0].bytes;
        self.ends.push(end);
        Ok(Run { end, digests })
    }

    /// Whether arcs in memory have to be put into files at the end: there are others, or no room for the turned ones too.
    pub(in crate::data::network) fn is_mixed(&self) -> bool {
        let crowded = A::SORTED_ASIDE && self.arcs.len() > 2 * self.most / 3;
        !self.arcs.is_empty() && (crowded || !self.ends.is_empty())
    }

    /// Number of arcs.
    pub(in crate::data::network) fn arcs(&self) -> u64 {
        self.ends.last().copied().unwrap_or(0) / A::BYTES as u64 + self.arcs.len() as u64
    }

    /// All arcs, sorted, and all turned ones; those of the same place in the order in which they came.
    pub(in crate::data::network) fn merge(mut self, bytes: usize) -> Result<[Merge<A>; 2]> {
        if self.is_mixed() {
            self.spill()?;
        }
        let spools = self.spools.filter(|_| !self.ends.is_empty());
        let Some([one, two]) = spools else {
            let mut turned: Vec<A> = self.arcs.iter().map(|arc| arc.turned()).collect();
            A::sort(&mut self.arcs);
            A::sort(&mut turned);
            let merge = |arcs: Vec<A>| Merge {
                out: self.out.clone(),
                heap: BinaryHeap::new(),
                sources: Vec::new(),
                memory: arcs.into_iter(),
            };
            return Ok([merge(self.arcs), merge(turned)]);
        };
        drop(self.arcs);
        let merge = |spool| merged(&self.out, spool, self.ends.clone(), bytes / 2);
        Ok([merge(one)?, merge(two)?])
    }
}

/// The runs of a file, merged until there are few enough to be read side by side within the memory.
fn merged<A: Arc>(out: &Path, mut spool: Spool, mut ends: Vec<u64>, budget: usize) -> Result<Merge<A>> {
    let fan = (budget / RUN_BUFFER).max(FAN);
    while ends.len() > fan {
        let (mut fewer, mut fewer_ends) = (Spool::new(out, budget / 4), Vec::new());
        let all = spool.reader(0)?;
        let mut start = 0;
        for group in ends.chunks(fan) {
            let mut merge = Merge::<A>::from_file(out, &all, start, group, budget / 2)?;
            while let Some(arc) = merge.next()? {
                fewer.put(|bytes| arc.append(bytes))?;
            }
            fewer_ends.push(fewer.bytes);
            start = group[group.len() - 1];
        }
        (spool, ends) = (fewer, fewer_ends);
    }
    Merge::from_file(out, &spool.reader(0)?, 0, &ends, budget)
}

/// Sorted arcs, one by one.
pub(in crate::data::network) struct Merge<A> {
    out: PathBuf,
    /// The next key of each source, and which: of the same key the earlier source first.
    heap: BinaryHeap<Reverse<(u64, usize)>>,
    sources: Vec<Source<A>>,
    /// All of them where no file was needed.
    memory: std::vec::IntoIter<A>,
}

/// A run that is read.
struct Source<A> {
    reader: Reader,
    /// What was read and is still to be taken.
    arcs: std::vec::IntoIter<A>,
    current: Option<A>,
}

impl<A: Arc> Source<A> {
    fn new(reader: Reader) -> Result<Self> {
        let mut source = Self { reader, arcs: Vec::new().into_iter(), current: None };
        source.advance()?;
        Ok(source)
    }

    #[inline]
    fn advance(&mut self) -> Result<()> {
        self.current = self.arcs.next();
        if self.current.is_none() { self.refill() } else { Ok(()) }
    }

    #[cold]
    fn refill(&mut self) -> Result<()> {
        if let Some(bytes) = self.reader.chunk()? {
            self.arcs = bytes.chunks_exact(A::BYTES).map(A::decode).collect::<Vec<A>>().into_iter();
            self.current = self.arcs.next();
        }
        Ok(())
    }
}

impl<A: Arc> Merge<A> {
    /// The runs of a file that end at `ends`, the first of which begins at `start`.
    fn from_file(out: &Path, all: &Reader, mut start: u64, ends: &[u64], budget: usize) -> Result<Self> {
        // The bytes that were read and the arcs made of them.
        let buffer = (budget / 2 / ends.len().max(1)).min(1 << 20);
        let source = |&end: &u64| {
            let source = Source::new(all.part(start, end, buffer));
            start = end;
            source
        };
        let sources: Vec<Source<A>> = ends.iter().map(source).collect::<Result<_>>()?;
        let first = |(at, source): (usize, &Source<A>)| Some(Reverse((source.current?.key(), at)));
        let heap = sources.iter().enumerate().filter_map(first).collect();
        Ok(Self { out: out.to_owned(), heap, sources, memory: Vec::new().into_iter() })
    }

    #[inline]
    pub(in crate::data::network) fn next(&mut self) -> Result<Option<A>> {
        let Some(mut least) = self.heap.peek_mut() else { return Ok(self.memory.next()) };
        let Reverse((_, at)) = *least;
        let source = &mut self.sources[at];
        let arc = source.current;
        source.advance()?;
        match source.current {
            // What an interrupted conversion left may be out of order.
            Some(next) if arc.is_some_and(|arc| arc.key() > next.key()) => {
                return Err(folder::damaged(&self.out));
            }
            Some(next) => *least = Reverse((next.key(), at)),
            None => {
                PeekMut::pop(least);
            }
        }
        Ok(arc)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs<A: Arc>(folder: &Path, limit: usize) -> Runs<A> {
        let mut runs = Runs::new(&folder.join("x"));
        runs.limit(limit);
        runs
    }

    fn add<A: Arc>(runs: &mut Runs<A>, arc: A) {
        if runs.is_full() {
            runs.spill().unwrap();
        }
        runs.push(arc);
    }

    #[test]
    fn many_runs_give_what_a_stable_sort_gives() {
        let folder = tempfile::tempdir().unwrap();
        let mut state = 1_u64;
        for (count, budget) in [(0, 0), (1, 0), (16, 0), (17, 0), (5000, 0), (5000, 4096), (5000, 1 << 20)] {
            let mut runs = runs(folder.path(), budget);
            let mut expected: Vec<(u64, f64)> = Vec::new();
            for i in 0..count {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let arc = Arc::new((state >> 60) as u32, (state >> 40) as u32 % 3, f64::from(i));
                add(&mut runs, arc);
                expected.push(arc);
            }
            assert_eq!(runs.arcs(), u64::try_from(count).unwrap());
            for mut merge in runs.merge(budget).unwrap() {
                expected.sort_by_key(|arc| arc.0);
                let found: Vec<_> = std::iter::from_fn(|| merge.next().unwrap()).collect();
                assert_eq!(found, expected);
                // Those of the same place are in the order of their numbers again.
                expected.sort_by(|a, b| a.1.total_cmp(&b.1));
                expected.iter_mut().for_each(|arc| *arc = arc.turned());
            }
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_thousand_runs_are_few_open_files() {
        let files = || std::fs::read_dir("/proc/self/fd").map_or(0, Iterator::count);
        let folder = tempfile::tempdir().unwrap();
        let (count, before) = (20_000_u32, files());
        let mut runs = runs::<u64>(folder.path(), 0);
        for i in 0..count {
            add(&mut runs, Arc::new(i.wrapping_mul(2_654_435_761), i, 1.0));
        }
        assert!(runs.ends.len() > 1000, "{}", runs.ends.len());
        let [mut merge, _turned] = runs.merge(0).unwrap();
        // Other tests may run next to this one.
        assert!(files() < before + 50, "{} files open", files());
        let found: Vec<u64> = std::iter::from_fn(|| merge.next().unwrap()).collect();
        assert!(found.is_sorted() && found.len() == count as usize);
    }
}
