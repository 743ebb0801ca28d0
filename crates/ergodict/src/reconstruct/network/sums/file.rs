//! Sums and counts in a file, so that a reconstruction can go on later as if it had not stopped.
//!
//! After a line of JSON come the pairs in memory, ascending, 40 bytes each: both nodes, the bits of the cell's sum, its count, and the sum
//! and the count it has put down; then the pairs of each run, 24 bytes each: the key, the sum and the count; all little-endian. The hash of
//! all that is before it ends the file.

use super::runs::{Record, Run};
use super::store::{PutDown, Raw};
use super::{Kind, PairSums};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::io::{BufRead, Read, Write};
use std::path::Path;

/// Bytes of a pair in memory.
const BYTES: usize = 40;
/// Bytes of a pair in a run.
const RUN_BYTES: usize = 24;

/// The first line.
#[derive(Serialize, Deserialize, PartialEq, Debug)]
struct Head {
    ergodict: String,
    nodes: usize,
    directed: bool,
    loops: bool,
    /// The accumulator: only the same can go on.
    kind: String,
    pairs: u64,
    /// The pairs of each run of each table.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    runs: Vec<Vec<u64>>,
}

impl PairSums {
    fn head(&self, pairs: u64) -> Head {
        let kind = match self.kind {
            Kind::Long(_) => "long",
            Kind::Short(_) => "short",
            Kind::Hashed(_) => "hashed",
        };
        let (nodes, directed, loops) = (self.nodes, self.directed, self.loops);
        let kind = kind.to_owned();
        Head { ergodict: "pair sums".to_owned(), nodes, directed, loops, kind, pairs, runs: Vec::new() }
    }

    /// The runs of each table.
    fn runs(&self) -> Vec<&[Run]> {
        match &self.kind {
            Kind::Hashed(hashed) => hashed.runs().collect(),
            Kind::Long(_) | Kind::Short(_) => Vec::new(),
        }
    }

    fn raw(&self) -> Box<dyn Iterator<Item = (u32, u32, Raw)> + '_> {
        match &self.kind {
            Kind::Long(dense) => Box::new(dense.raw()),
            Kind::Short(dense) => Box::new(dense.raw()),
            Kind::Hashed(hashed) => Box::new(hashed.raw()),
        }
    }

    /// Writes all that is there; `path` is for errors.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub(crate) fn write(&self, out: &mut impl Write, path: &Path) -> Result<()> {
        let mut hash = blake3::Hasher::new();
        let mut put = |bytes: &[u8]| {
            hash.update(bytes);
            out.write_all(bytes).map_err(Error::io(path))
        };
        let runs = self.runs();
        let mut head = self.head(self.raw().count() as u64);
        if runs.iter().any(|runs| !runs.is_empty()) {
            head.runs = runs.iter().map(|runs| runs.iter().map(|run| run.len() as u64).collect()).collect();
        }
        let head = serde_json::to_string(&head).map_err(|problem| Error::io(path)(problem.into()))?;
        put(format!("{head}\n").as_bytes())?;
        let mut bytes = Vec::with_capacity(BYTES << 10);
        for (u, v, raw) in self.raw() {
            bytes.extend(u.to_le_bytes());
            bytes.extend(v.to_le_bytes());
            let down = raw.down.unwrap_or_default();
            for word in [raw.sum, raw.count, down.sum.to_bits(), down.count] {
                bytes.extend(word.to_le_bytes());
            }
            if bytes.len() >= BYTES << 10 {
                put(&bytes)?;
                bytes.clear();
            }
        }
        for Record { key, sum, count } in runs.into_iter().flatten().flat_map(Run::iter) {
            for word in [key, sum.to_bits(), count] {
                bytes.extend(word.to_le_bytes());
            }
            if bytes.len() >= BYTES << 10 {
                put(&bytes)?;
                bytes.clear();
            }
        }
        put(&bytes)?;
        out.write_all(hash.finalize().as_bytes()).map_err(Error::io(path))
    }

    /// Takes over what [`PairSums::write`] wrote of a reconstruction with the same parameters. What was here is lost, also when
    /// it fails.
    ///
    /// # Errors
    /// [`Error::Io`], and [`Error::Format`] for what was not written so, is damaged, or is of another reconstruction.
    pub(in crate::reconstruct::network) fn read(
        &mut self,
        input: &mut impl BufRead,
        path: &Path,
    ) -> Result<()> {
        let wrong = |problem: String| Error::format(path, None, problem);
        let mut line = Vec::new();
        input.take(1 << 16).read_until(b'\n', &mut line).map_err(Error::io(path))?;
        let mut head: Head = serde_json::from_slice(&line)
            .map_err(|problem| wrong(format!("begins with no line of a reconstruction's sums: {problem}")))?;
        let lengths = std::mem::take(&mut head.runs);
        let expected = self.head(head.pairs);
        if head != expected {
            return Err(wrong(format!("is of another reconstruction: {head:?}, expected {expected:?}")));
        }
        let mut hash = blake3::Hasher::new();
        hash.update(&line);
        let short = |problem: std::io::Error| match problem.kind() {
            std::io::ErrorKind::UnexpectedEof => wrong("ends too early: it is damaged".to_owned()),
            _ => Error::io(path)(problem),
        };
        let mut bytes = [0; BYTES];
        for _ in 0..head.pairs {
            input.read_exact(&mut bytes).map_err(short)?;
            hash.update(&bytes);
            let node =
                |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
            let word = |i: usize| u64::from(node(8 + 8 * i)) | u64::from(node(12 + 8 * i)) << 32;
            let (u, v) = (node(0), node(4));
            if u.max(v) as usize >= self.nodes {
                return Err(wrong(format!("has pair ({u}, {v}) of {} nodes: it is damaged", self.nodes)));
            }
            let down = PutDown { sum: f64::from_bits(word(2)), count: word(3) };
            let raw = Raw { sum: word(0), count: word(1), down: (down.count > 0).then_some(down) };
            match &mut self.kind {
                Kind::Long(dense) => dense.set_raw(u, v, raw),
                Kind::Short(dense) => dense.set_raw(u, v, raw),
                Kind::Hashed(hashed) => hashed.set_raw(u, v, raw)?,
            }
        }
        for (table, lengths) in lengths.into_iter().enumerate() {
            let mut runs = Vec::new();
            for length in lengths {
                let mut failed = None;
                let records = (0..length).map_while(|_| {
                    let mut bytes = [0; RUN_BYTES];
                    if let Err(problem) = input.read_exact(&mut bytes) {
                        failed = Some(problem);
                        return None;
                    }
                    hash.update(&bytes);
                    let word = |i: usize| {
                        let mut word = [0; 8];
                        word.copy_from_slice(&bytes[8 * i..8 * (i + 1)]);
                        u64::from_le_bytes(word)
                    };
                    Some(Record { key: word(0), sum: f64::from_bits(word(1)), count: word(2) })
                });
                let run = Run::write(records);
                if let Some(problem) = failed {
                    return Err(short(problem));
                }
                runs.push(run?);
            }
            match &mut self.kind {
                Kind::Hashed(hashed) => hashed.set_runs(table, runs),
                Kind::Long(_) | Kind::Short(_) => {
                    return Err(wrong("has runs where there are none".to_owned()));
                }
            }
        }
        let mut sum = [0; blake3::OUT_LEN];
        input.read_exact(&mut sum).map_err(short)?;
        if blake3::Hash::from(sum) != hash.finalize() {
            return Err(wrong("does not have the hash it was written with: it is damaged".to_owned()));
        }
        Ok(())
    }
}
