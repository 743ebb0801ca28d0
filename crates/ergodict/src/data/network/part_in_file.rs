//! The network of some nodes in temporary files that are mapped: for networks that are too large to be copied in memory.

use super::egr_record::Known;
use super::ids::Names;
use super::section::{Plain, Section};
use super::{Network, NodeIds, Rows};
use crate::data::MappedFile;
use crate::{Error, Result};
use std::fs::File;
use std::io::Write;
use std::marker::PhantomData;
use std::sync::{Arc, OnceLock};

/// Bytes gathered before they are written.
const BUFFER: usize = 1 << 18;

/// Numbers that go to a file without a name and are mapped in the end.
struct Spool<T> {
    file: File,
    bytes: Vec<u8>,
    count: usize,
    numbers: PhantomData<T>,
}

impl<T: Plain> Spool<T> {
    fn new() -> Result<Self> {
        let file = tempfile::tempfile().map_err(Error::io(&std::env::temp_dir()))?;
        Ok(Self { file, bytes: Vec::with_capacity(BUFFER + 8), count: 0, numbers: PhantomData })
    }

    #[inline]
    fn push(&mut self, number: T) -> Result<()> {
        number.append(&mut self.bytes);
        self.count += 1;
        if self.bytes.len() >= BUFFER { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<()> {
        self.file.write_all(&self.bytes).map_err(Error::io(&std::env::temp_dir()))?;
        self.bytes.clear();
        Ok(())
    }

    fn mapped(mut self) -> Result<Section<T>> {
        self.flush()?;
        if self.count == 0 {
            return Ok(Vec::new().into());
        }
        let map = Arc::new(MappedFile::map(&std::env::temp_dir(), &self.file, false)?);
        let section = Section::mapped(&map, 0, self.count).or_else(|| Section::copied(&map, 0, self.count));
        section.ok_or_else(|| {
            Error::format(&std::env::temp_dir(), None, "has a temporary file that was cut off")
        })
    }
}

/// Some of the nodes: a bit for each, and how many are before every word of bits.
struct NodeBits {
    bits: Vec<u64>,
    before: Vec<u32>,
}

impl NodeBits {
    fn new(n: usize, nodes: &[u32]) -> Self {
        let mut bits = vec![0u64; n.div_ceil(64)];
        nodes.iter().for_each(|&v| bits[v as usize / 64] |= 1 << (v % 64));
        let before = bits.iter().scan(0, |sum, word| {
            let before = *sum;
            *sum += word.count_ones();
            Some(before)
        });
        let before = before.collect();
        Self { bits, before }
    }

    /// The place of a node among those chosen.
    #[inline]
    fn place(&self, v: u32) -> Option<u32> {
        let (word, bit) = (self.bits[v as usize / 64], 1u64 << (v % 64));
        (word & bit != 0).then(|| self.before[v as usize / 64] + (word & (bit - 1)).count_ones())
    }
}

impl Network {
    /// The same as [`Network::part`], in temporary files that are mapped.
    ///
    /// # Errors
    /// [`Error::Io`] of the temporary files.
    pub(crate) fn part_in_file(&self, nodes: &[u32]) -> Result<Self> {
        debug_assert!(nodes.windows(2).all(|pair| pair[0] < pair[1]));
        let chosen = NodeBits::new(self.nodes(), nodes);
        let (rows, loops) = part_of_rows(self.rows(), nodes, &chosen)?;
        let incoming = OnceLock::new();
        // Where the file has it, so that it need not be made in memory.
        if let Some(other) = self.incoming.get() {
            let _ = incoming.set(part_of_rows(other, nodes, &chosen)?.0);
        }
        Ok(Self {
            rows,
            directed: self.directed,
            ids: part_of_ids(&self.ids, nodes)?,
            loops,
            incoming,
            known: Known::default(),
        })
    }
}

/// The rows of some nodes and their entries in the columns of the same, and how many are on the diagonal.
fn part_of_rows(rows: &Rows, nodes: &[u32], chosen: &NodeBits) -> Result<(Rows, u64)> {
    let (mut starts, mut neighbors) = (Spool::<u64>::new()?, Spool::<u32>::new()?);
    let mut weights = rows.weights.as_ref().map(|_| Spool::<f64>::new()).transpose()?;
    let (mut loops, mut differ) = (0, false);
    starts.push(0)?;
    for (&u, new) in nodes.iter().zip(0..) {
        for (v, weight) in rows.entries(u as usize) {
            if let Some(v) = chosen.place(v) {
                loops += u64::from(v == new);
                neighbors.push(v)?;
                if let Some(weights) = &mut weights {
                    differ |= weight != 1.0;
                    weights.push(weight)?;
                }
            }
        }
        starts.push(neighbors.count as u64)?;
    }
    let weights = weights.filter(|_| differ).map(Spool::mapped).transpose()?;
    Ok((Rows { starts: starts.mapped()?, neighbors: neighbors.mapped()?, weights }, loops))
}

fn part_of_ids(ids: &NodeIds, nodes: &[u32]) -> Result<NodeIds> {
    if nodes.iter().zip(0..).all(|(&v, new)| v == new) && matches!(ids.0, Names::Numbered(_)) {
        return Ok(NodeIds::numbered(nodes.len()));
    }
    let Names::Words { starts, bytes } = &ids.0 else {
        let mut integers = Spool::<i64>::new()?;
        for &v in nodes {
            integers.push(ids.integer(v as usize).unwrap_or(i64::from(v)))?;
        }
        return Ok(NodeIds(Names::Integers(integers.mapped()?)));
    };
    let (mut ends, mut letters) = (Spool::<u64>::new()?, Spool::<u8>::new()?);
    ends.push(0)?;
    for &v in nodes {
        for &byte in &bytes[starts[v as usize] as usize..starts[v as usize + 1] as usize] {
            letters.push(byte)?;
        }
        ends.push(letters.count as u64)?;
    }
    Ok(NodeIds(Names::Words { starts: ends.mapped()?, bytes: letters.mapped()? }))
}

#[cfg(test)]
mod tests {
    use super::super::{Build, Loops};
    use super::*;
    use crate::rng::{Purpose, below, stream};

    #[test]
    fn it_is_the_part_in_memory() {
        let mut rng = stream(7, Purpose::Synthetic, 0);
        for (case, ids) in [
            NodeIds::numbered(200),
            NodeIds::integers((0..200).map(|v| v * v).collect()),
            NodeIds::words((100..300).map(|v| format!("é{v}")).collect::<Vec<_>>().iter().map(|w| &**w)),
        ]
        .into_iter()
        .enumerate()
        {
            for (directed, weighted) in [(false, false), (true, false), (false, true), (true, true)] {
                let edges: Vec<_> = (0..400)
                    .map(|i| (below(&mut rng, 150) as u32, below(&mut rng, 200) as u32, f64::from(i % 3 + 1)))
                    .collect();
                let build = Build { directed, loops: Loops::Keep };
                let whole = Network::build(ids.clone(), &edges, weighted, build).unwrap().0;
                let _ = whole.incoming();
                for nodes in [
                    whole.components().nodes(0),
                    (0..200).filter(|v| v % 3 != 1).collect(),
                    (0..200).collect(),
                    vec![],
                ] {
                    let (one, two) = (whole.part(&nodes), whole.part_in_file(&nodes).unwrap());
                    assert!(one == two, "{case} {directed} {weighted}");
                    assert_eq!((one.loops(), one.is_directed()), (two.loops(), two.is_directed()));
                    assert_eq!(*one.incoming().neighbors, *two.incoming().neighbors);
                    assert_eq!(*one.incoming().starts, *two.incoming().starts);
                    assert!(nodes.is_empty() || one.stored() == 0 || two.is_mapped());
                }
            }
        }
    }
}
