//! Rows of more entries than fit in memory, and the file they are put together to.

use super::super::egr;
use super::super::section::Plain;
use super::labels::Labels;
use super::spool::Spool;
use crate::data::write::Staged;
use crate::{Error, Result};
use std::io::Write;
use std::path::Path;

/// Rows on their way to a file.
pub(in crate::data::network) struct Table {
    /// Where rows begin, as far as it is known.
    starts: Spool,
    /// Rows that have begun.
    begun: u64,
    neighbors: Spool,
    /// Weights where both directions of an edge add up, and where they are the same edge.
    weights: Option<[Spool; 2]>,
    /// Whether one of these differs from 1.
    pub(in crate::data::network) differ: [bool; 2],
    /// The first edge where one is infinite.
    pub(in crate::data::network) infinite: [Option<(u32, u32)>; 2],
}

impl Table {
    /// Rows that take at most four times `buffer` bytes.
    pub(in crate::data::network) fn new(out: &Path, buffer: usize, weighted: bool) -> Self {
        let spool = || Spool::new(out, buffer);
        let weights = weighted.then(|| [spool(), spool()]);
        let (starts, neighbors) = (spool(), spool());
        Self { starts, begun: 0, neighbors, weights, differ: [false; 2], infinite: [None; 2] }
    }

    /// Adds an entry; rows and the entries of a row ascend.
    #[inline]
    pub(in crate::data::network) fn push(&mut self, (u, v): (u32, u32), weights: [f64; 2]) -> Result<()> {
        self.begin(u64::from(u) + 1)?;
        self.neighbors.put(|bytes| v.append(bytes))?;
        for (way, weight) in weights.into_iter().enumerate() {
            if let Some(spools) = &mut self.weights {
                spools[way].put(|bytes| Plain::append(weight, bytes))?;
                self.differ[way] |= weight != 1.0;
                if weight == f64::INFINITY {
                    self.infinite[way].get_or_insert((u, v));
                }
            }
        }
        Ok(())
    }

    /// Begins rows until there are `rows`.
    #[inline]
    fn begin(&mut self, rows: u64) -> Result<()> {
        while self.begun < rows {
            let start = self.stored();
            self.starts.put(|bytes| start.append(bytes))?;
            self.begun += 1;
        }
        Ok(())
    }

    #[inline]
    pub(in crate::data::network) fn stored(&self) -> u64 {
        self.neighbors.bytes / 4
    }

    fn write(mut self, out: &mut dyn Write, path: &Path, nodes: u64, way: usize) -> Result<()> {
        self.begin(nodes + 1)?;
        copy(self.starts, out, path)?;
        copy(self.neighbors, out, path)?;
        let [sum, same] = self.weights.map_or([None, None], |spools| spools.map(Some));
        match if way == 0 { sum } else { same } {
            Some(weights) if self.differ[way] => copy(weights, out, path),
            _ => Ok(()),
        }
    }
}

/// A section in a temporary file.
fn copy(spool: Spool, out: &mut dyn Write, path: &Path) -> Result<()> {
    let bytes = spool.bytes;
    let mut reader = spool.reader(1 << 16)?;
    while let Some(chunk) = reader.chunk()? {
        out.write_all(chunk).map_err(Error::io(path))?;
    }
    egr::fill_up(bytes, out).map_err(Error::io(path))
}

/// The file out of its sections, put into `staged`.
pub(in crate::data::network) fn assemble(
    mut staged: Staged,
    path: &Path,
    labels: &Labels,
    rows: Table,
    incoming: Option<Table>,
    loops: u64,
    way: usize,
) -> Result<()> {
    let ((kind, letters), nodes) = (labels.kind(), labels.nodes());
    let mut header = egr::Header {
        directed: incoming.is_some(),
        weighted: rows.differ[way],
        incoming: incoming.is_some(),
        kind,
        nodes,
        stored: rows.stored(),
        loops,
        letters,
        digest: [0; 32],
    };
    staged.write_all(&header.to_bytes()).map_err(Error::io(path))?;
    let mut out = HashWriter { inner: &mut staged, hasher: blake3::Hasher::new() };
    rows.write(&mut out, path, nodes, way)?;
    labels.write(&mut out).map_err(Error::io(path))?;
    if let Some(incoming) = incoming {
        incoming.write(&mut out, path, nodes, way)?;
    }
    header.digest = *out.hasher.finalize().as_bytes();
    staged.patch_start(&header.to_bytes())?;
    staged.commit()
}

/// Hashes what passes.
struct HashWriter<'a> {
    inner: &'a mut Staged,
    hasher: blake3::Hasher,
}

impl Write for HashWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.hasher.update(&bytes[..written]);
        Ok(written)
    }
    fn flush(&mut self) -> std::io::Result<()> {
        self.inner.flush()
    }
}
