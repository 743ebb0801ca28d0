//! Sorting of more arcs than fit in memory: sorted runs in temporary files, merged in the order in which they came.

use super::section::Plain;
use crate::{Error, Result};
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Runs merged at a time: each is an open file, of which systems allow some hundreds.
const FAN: usize = 64;
/// Bytes gathered before a system call where the budget says less.
const LEAST_BUFFER: usize = 1 << 12;

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

/// A file without a name, gone with the program however it ends, that is written and then read.
pub(super) struct Spool {
    file: BufWriter<File>,
    path: PathBuf,
    pub(super) bytes: u64,
}

impl Spool {
    /// Beside `out`, whose disk has room for the result too.
    pub(super) fn new(out: &Path, buffer: usize) -> Result<Self> {
        let folder = out.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let file = tempfile::tempfile_in(folder).map_err(Error::io(folder))?;
        let file = BufWriter::with_capacity(buffer.max(LEAST_BUFFER), file);
        Ok(Self { file, path: folder.to_owned(), bytes: 0 })
    }

    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.bytes += bytes.len() as u64;
        self.file.write_all(bytes).map_err(Error::io(&self.path))
    }

    /// What was written, from its beginning.
    pub(super) fn reader(self, buffer: usize) -> Result<(BufReader<File>, PathBuf)> {
        let path = self.path;
        let mut file = self.file.into_inner().map_err(|e| Error::io(&path)(e.into_error()))?;
        file.seek(SeekFrom::Start(0)).map_err(Error::io(&path))?;
        Ok((BufReader::with_capacity(buffer.max(LEAST_BUFFER), file), path))
    }
}

/// Takes arcs in any order.
pub(super) struct Sorter<A> {
    out: PathBuf,
    budget: usize,
    /// Arcs of a run.
    most: usize,
    arcs: Vec<A>,
    runs: Vec<Run>,
    bytes: Vec<u8>,
}

struct Run {
    spool: Spool,
    count: u64,
}

impl<A: Arc> Sorter<A> {
    /// A sorter that holds about `budget` bytes, with temporary files beside `out`.
    pub(super) fn new(out: &Path, budget: usize) -> Self {
        // Sorting in order needs as much again.
        let most = (budget / 2 / size_of::<A>()).max(16);
        Self { out: out.to_owned(), budget, most, arcs: Vec::new(), runs: Vec::new(), bytes: Vec::new() }
    }

    pub(super) fn push(&mut self, arc: A) -> Result<()> {
        if self.arcs.len() == self.most {
            self.spill()?;
        }
        if self.arcs.capacity() == 0 {
            // At once, since growing would for a moment need half as much again.
            self.arcs.reserve_exact(self.most);
        }
        self.arcs.push(arc);
        Ok(())
    }

    fn spill(&mut self) -> Result<()> {
        A::sort(&mut self.arcs);
        let mut spool = Spool::new(&self.out, LEAST_BUFFER)?;
        for part in self.arcs.chunks(4096) {
            self.bytes.clear();
            part.iter().for_each(|arc| arc.append(&mut self.bytes));
            spool.write(&self.bytes)?;
        }
        self.runs.push(Run { spool, count: self.arcs.len() as u64 });
        self.arcs.clear();
        Ok(())
    }

    /// All arcs, sorted; of the same place in the order in which they came.
    pub(super) fn merge(mut self) -> Result<Merge<A>> {
        if self.runs.is_empty() {
            A::sort(&mut self.arcs);
            return Ok(Merge { heap: BinaryHeap::new(), sources: Vec::new(), memory: self.arcs.into_iter() });
        }
        if !self.arcs.is_empty() {
            self.spill()?;
        }
        self.arcs = Vec::new();
        let mut runs = self.runs;
        while runs.len() > FAN {
            let mut fewer = Vec::new();
            let mut left = runs.into_iter().peekable();
            while left.peek().is_some() {
                let group: Vec<Run> = left.by_ref().take(FAN).collect();
                let count = group.iter().map(|run| run.count).sum();
                let mut merge = Merge::<A>::of(group, self.budget / 2)?;
                let mut spool = Spool::new(&self.out, self.budget / 4)?;
                while let Some(arc) = merge.next()? {
                    self.bytes.clear();
                    arc.append(&mut self.bytes);
                    spool.write(&self.bytes)?;
                }
                fewer.push(Run { spool, count });
            }
            runs = fewer;
        }
        Merge::of(runs, self.budget / 2)
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
    reader: BufReader<File>,
    path: PathBuf,
    left: u64,
    current: Option<A>,
}

impl<A: Arc> Source<A> {
    /// The arcs of a file that was written by [`Arc::append`].
    pub(super) fn new(spool: Spool, buffer: usize) -> Result<Self> {
        let left = spool.bytes / A::BYTES as u64;
        let (reader, path) = spool.reader(buffer)?;
        let mut source = Self { reader, path, left, current: None };
        source.advance()?;
        Ok(source)
    }

    /// The next arc, which stays.
    pub(super) fn peek(&self) -> Option<A> {
        self.current
    }

    pub(super) fn advance(&mut self) -> Result<()> {
        self.current = None;
        if self.left > 0 {
            let mut bytes = [0; 16];
            self.reader.read_exact(&mut bytes[..A::BYTES]).map_err(Error::io(&self.path))?;
            self.current = Some(A::decode(&bytes[..A::BYTES]));
            self.left -= 1;
        }
        Ok(())
    }
}

impl<A: Arc> Merge<A> {
    fn of(runs: Vec<Run>, budget: usize) -> Result<Self> {
        let buffer = (budget / runs.len().max(1)).min(1 << 20);
        let sources: Vec<Source<A>> =
            runs.into_iter().map(|run| Source::new(run.spool, buffer)).collect::<Result<_>>()?;
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
}
