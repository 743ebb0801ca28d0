//! Sums and counts in a file by ascending pair, which other processes read by ranges of sources and add up.
//!
//! | part | bytes |
//! |---|---|
//! | head | 64: `EGSUMS1\n`, nodes, flags (1 directed, 2 loops), zeros |
//! | records | 24 each: `u`, `v`, the bits of the sum, the count |
//! | index | 16 for every block of 4096 records: its first pair, and the first 8 bytes of its BLAKE3 |
//! | foot | 64: records, blocks, BLAKE3 of head, index and both numbers, zeros, `EGSUMS1\n` |
//!
//! All is little-endian. A reader of a range checks only the blocks of that range, so many readers can share a file.

use super::{PairSum, PairSums};
use crate::data::write_atomic;
use crate::{Error, Result};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The first and last bytes of every file.
const MAGIC: &[u8; 8] = b"EGSUMS1\n";
/// Bytes of head and foot.
const HEAD: usize = 64;
/// Bytes of a record.
const RECORD: usize = 24;
/// Records of a block: 96 KiB, of which a merge holds one for each file.
const BLOCK: usize = 4096;
/// Bytes of a block in the index.
const ENTRY: usize = 16;

/// Sums and counts in a file, by ascending pair.
///
/// ```
/// use ergodict::data::embedded;
/// use ergodict::reconstruct::network::{PairSum, PairSums, SortedSums, merged_sums};
/// let (karate, folder) = (embedded("karate")?, tempfile::tempdir().unwrap());
/// let one = PairSum { u: 3, v: 7, sum: 1.5, count: 2 };
/// let sums = PairSums::of_pairs(&karate, None, [one], 1 << 20)?;
/// let file = SortedSums::write(&folder.path().join("chain-0"), &sums)?;
/// let twice: Vec<PairSum> = merged_sums(&[file.clone(), file], 0..34)?.collect::<Result<_, _>>()?;
/// assert_eq!(twice, [PairSum { sum: 3.0, count: 4, ..one }]);
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct SortedSums {
    path: PathBuf,
    nodes: u64,
    directed: bool,
    loops: bool,
    pairs: u64,
    /// The first pair of each block, as a number, and its checksum.
    blocks: Vec<(u64, [u8; 8])>,
}

impl PairSum {
    /// The pair as a number; the order is that of pairs.
    fn key(&self) -> u64 {
        u64::from(self.u) << 32 | u64::from(self.v)
    }

    fn append(&self, bytes: &mut Vec<u8>) {
        bytes.extend(self.u.to_le_bytes());
        bytes.extend(self.v.to_le_bytes());
        bytes.extend(self.sum.to_bits().to_le_bytes());
        bytes.extend(self.count.to_le_bytes());
    }

    fn decode(bytes: &[u8]) -> Self {
        let pair = word(bytes, 0);
        let (u, v) = (pair as u32, (pair >> 32) as u32);
        Self { u, v, sum: f64::from_bits(word(bytes, 1)), count: word(bytes, 2) }
    }
}

/// Word `i` of some bytes.
fn word(bytes: &[u8], i: usize) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&bytes[8 * i..8 * (i + 1)]);
    u64::from_le_bytes(word)
}

fn checksum(bytes: &[u8]) -> [u8; 8] {
    let mut sum = [0; 8];
    sum.copy_from_slice(&blake3::hash(bytes).as_bytes()[..8]);
    sum
}

impl SortedSums {
    /// Writes all sums, whole or not at all.
    ///
    /// # Errors
    /// [`Error::Io`], and those of [`write_atomic`].
    pub fn write(path: &Path, sums: &PairSums) -> Result<Self> {
        Self::write_pairs(path, sums.nodes(), sums.is_directed(), sums.loops, sums.iter().map(Ok))
    }

    /// Writes pairs that come by ascending first and second node, whole or not at all.
    ///
    /// # Errors
    /// Those of the pairs, of [`write_atomic`], and [`Error::Parameter`] for pairs that do not ascend or are of other nodes.
    pub(crate) fn write_pairs(
        path: &Path,
        nodes: usize,
        directed: bool,
        loops: bool,
        pairs: impl Iterator<Item = Result<PairSum>>,
    ) -> Result<Self> {
        let mut file = Self {
            path: path.to_owned(),
            nodes: nodes as u64,
            directed,
            loops,
            pairs: 0,
            blocks: Vec::new(),
        };
        write_atomic(path, |out| {
            let put =
                |out: &mut (dyn Write + Send), bytes: &[u8]| out.write_all(bytes).map_err(Error::io(path));
            put(out, &file.head())?;
            let (mut block, mut first, mut before) = (Vec::with_capacity(BLOCK * RECORD), 0, None);
            for pair in pairs {
                let pair = pair?;
                if pair.u.max(pair.v) as usize >= nodes || before.is_some_and(|before| before >= pair.key()) {
                    let value = format!("({}, {})", pair.u, pair.v);
                    let expected = format!("pairs must ascend and be of nodes below {nodes}");
                    return Err(Error::parameter("a pair", value, expected));
                }
                before = Some(pair.key());
                if block.is_empty() {
                    first = pair.key();
                }
                pair.append(&mut block);
                file.pairs += 1;
                if block.len() == BLOCK * RECORD {
                    file.blocks.push((first, checksum(&block)));
                    put(out, &block)?;
                    block.clear();
                }
            }
            if !block.is_empty() {
                file.blocks.push((first, checksum(&block)));
                put(out, &block)?;
            }
            put(out, &file.index())?;
            put(out, &file.foot())
        })?;
        Ok(file)
    }

    fn head(&self) -> [u8; HEAD] {
        let mut head = [0; HEAD];
        head[..8].copy_from_slice(MAGIC);
        head[8..16].copy_from_slice(&self.nodes.to_le_bytes());
        let flags = u64::from(self.directed) | u64::from(self.loops) << 1;
        head[16..24].copy_from_slice(&flags.to_le_bytes());
        head
    }

    fn index(&self) -> Vec<u8> {
        let entry = |(first, check): &(u64, [u8; 8])| [first.to_le_bytes(), *check].concat();
        self.blocks.iter().flat_map(entry).collect()
    }

    fn foot(&self) -> [u8; HEAD] {
        let mut foot = [0; HEAD];
        foot[..8].copy_from_slice(&self.pairs.to_le_bytes());
        foot[8..16].copy_from_slice(&(self.blocks.len() as u64).to_le_bytes());
        let mut hash = blake3::Hasher::new();
        hash.update(&self.head()).update(&self.index()).update(&foot[..16]);
        foot[16..48].copy_from_slice(hash.finalize().as_bytes());
        foot[HEAD - 8..].copy_from_slice(MAGIC);
        foot
    }

    /// Opens what [`SortedSums::write`] wrote; its records are checked when they are read.
    ///
    /// # Errors
    /// [`Error::Io`], and [`Error::Format`] for what is no such file, or a damaged one.
    pub fn open(path: &Path) -> Result<Self> {
        let io = |problem| Error::io(path)(problem);
        let bad = |problem: &str| Error::format(path, None, problem);
        let mut file = File::open(path).map_err(io)?;
        let length = file.metadata().map_err(io)?.len();
        let (mut head, mut foot) = ([0; HEAD], [0; HEAD]);
        if length < 2 * HEAD as u64 {
            return Err(bad("is no file of sums, or cut off: it is too short"));
        }
        file.read_exact(&mut head).map_err(io)?;
        file.seek(SeekFrom::Start(length - HEAD as u64)).map_err(io)?;
        file.read_exact(&mut foot).map_err(io)?;
        if head[..8] != *MAGIC {
            return Err(bad("is no file of sums: expected it to begin with EGSUMS1"));
        }
        let (pairs, blocks, flags) = (word(&foot, 0), word(&foot, 1), word(&head, 2));
        let long = pairs.checked_mul(RECORD as u64).zip(blocks.checked_mul(ENTRY as u64));
        let long = long.and_then(|(records, index)| records.checked_add(index)?.checked_add(2 * HEAD as u64));
        if foot[HEAD - 8..] != *MAGIC || long != Some(length) || blocks != pairs.div_ceil(BLOCK as u64) {
            return Err(bad("is cut off or damaged: its end is not that of a file of sums"));
        }
        file.seek(SeekFrom::Start(length - HEAD as u64 - blocks * ENTRY as u64)).map_err(io)?;
        let mut index = vec![0; blocks as usize * ENTRY];
        file.read_exact(&mut index).map_err(io)?;
        let entry = |bytes: &[u8]| (word(bytes, 0), word(bytes, 1).to_le_bytes());
        let found = Self {
            path: path.to_owned(),
            nodes: word(&head, 1),
            directed: flags & 1 != 0,
            loops: flags & 2 != 0,
            pairs,
            blocks: index.chunks_exact(ENTRY).map(entry).collect(),
        };
        if found.head() != head || found.foot() != foot {
            return Err(bad("does not have the hash it was written with: it is damaged"));
        }
        Ok(found)
    }

    /// Where it is.
    #[cfg(test)]
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// How many pairs there are.
    pub(crate) fn pairs(&self) -> u64 {
        self.pairs
    }

    /// The pairs whose first node is in the range; of undirected networks that is the smaller one.
    ///
    /// What comes out may be [`Error::Io`], and [`Error::Format`] where the file is damaged.
    pub(crate) fn range(&self, sources: Range<u32>) -> impl Iterator<Item = Result<PairSum>> + use<> {
        let (first, end) = (u64::from(sources.start) << 32, u64::from(sources.end) << 32);
        let at = self.blocks.partition_point(|block| block.0 <= first).saturating_sub(1);
        let mut reader = Reader {
            path: self.path.clone(),
            nodes: self.nodes,
            blocks: self.blocks.clone(),
            pairs: self.pairs,
            next: at,
            bytes: Vec::new(),
            at: 0,
        };
        let mut over = false;
        std::iter::from_fn(move || {
            while !over {
                match reader.next() {
                    Some(Ok(pair)) if pair.key() < first => {}
                    Some(Ok(pair)) if pair.key() < end => return Some(Ok(pair)),
                    Some(Err(error)) => {
                        over = true;
                        return Some(Err(error));
                    }
                    _ => over = true,
                }
            }
            None
        })
    }
}

/// Reads block after block. The file is open only while a block is read: a merge may be of more files than a process may have open.
struct Reader {
    path: PathBuf,
    nodes: u64,
    blocks: Vec<(u64, [u8; 8])>,
    pairs: u64,
    /// The block that is read next.
    next: usize,
    /// The one before, and how far it was read.
    bytes: Vec<u8>,
    at: usize,
}

impl Reader {
    fn next(&mut self) -> Option<Result<PairSum>> {
        if self.at == self.bytes.len() {
            let &(_, check) = self.blocks.get(self.next)?;
            if let Err(error) = self.fill(check) {
                return Some(Err(error));
            }
        }
        let pair = PairSum::decode(&self.bytes[self.at..][..RECORD]);
        self.at += RECORD;
        if u64::from(pair.u.max(pair.v)) >= self.nodes {
            let problem = format!("has the pair ({}, {}), but only {} nodes", pair.u, pair.v, self.nodes);
            return Some(Err(Error::format(&self.path, None, problem)));
        }
        Some(Ok(pair))
    }

    fn fill(&mut self, check: [u8; 8]) -> Result<()> {
        let first = (self.next * BLOCK) as u64;
        let count = (self.pairs - first).min(BLOCK as u64) as usize;
        self.bytes.resize(count * RECORD, 0);
        self.at = 0;
        self.next += 1;
        let place = SeekFrom::Start(HEAD as u64 + first * RECORD as u64);
        let mut file = File::open(&self.path).map_err(Error::io(&self.path))?;
        file.seek(place).map_err(Error::io(&self.path))?;
        file.read_exact(&mut self.bytes).map_err(Error::io(&self.path))?;
        if checksum(&self.bytes) == check {
            return Ok(());
        }
        let problem = format!("has a wrong checksum at pair {first}: it is damaged");
        Err(Error::format(&self.path, None, problem))
    }
}

/// The pairs of several files whose first node is in the range, ascending; sums of one pair add up in the order of the files, so that
/// they are the same whoever adds them up, and in how many ranges.
///
/// What comes out may be an error of reading.
///
/// ```
/// use ergodict::{data::Network, reconstruct::network::{PairSum, PairSums, SortedSums, merged_sums}};
/// let (network, folder) = (Network::simple(3, &[(0, 1), (1, 2)])?, tempfile::tempdir().unwrap());
/// let file = |name, u| {
///     let sums = PairSums::of_pairs(&network, None, [PairSum { u, v: 2, sum: 1.0, count: 2 }], 1 << 20)?;
///     SortedSums::write(&folder.path().join(name), &sums)
/// };
/// let files = [file("chain-0", 1)?, file("chain-1", 0)?];
/// let pairs: Vec<PairSum> = merged_sums(&files, 0..3)?.collect::<Result<_, _>>()?;
/// assert_eq!(pairs.iter().map(|pair| (pair.u, pair.v)).collect::<Vec<_>>(), [(0, 2), (1, 2)]);
/// # Ok::<(), ergodict::Error>(())
/// ```
///
/// # Errors
/// [`Error::Shape`] for files of different networks.
pub fn merged_sums(
    files: &[SortedSums],
    sources: Range<u32>,
) -> Result<impl Iterator<Item = Result<PairSum>> + use<>> {
    check_alike(files)?;
    let mut inputs: Vec<_> = files.iter().map(|file| file.range(sources.clone())).collect();
    let paths: Vec<PathBuf> = files.iter().map(|file| file.path.clone()).collect();
    let mut heads: Vec<Option<PairSum>> = vec![None; inputs.len()];
    let mut heap: BinaryHeap<Reverse<(u64, usize)>> = BinaryHeap::new();
    let mut waiting: Vec<usize> = (0..inputs.len()).collect();
    let mut failed = false;
    Ok(std::iter::from_fn(move || {
        let mut total: Option<PairSum> = None;
        while !failed {
            for input in waiting.drain(..) {
                match inputs[input].next() {
                    Some(Ok(pair)) => {
                        heads[input] = Some(pair);
                        heap.push(Reverse((pair.key(), input)));
                    }
                    Some(Err(error)) => {
                        failed = true;
                        return Some(Err(error));
                    }
                    None => {}
                }
            }
            let Some(&Reverse((key, input))) = heap.peek() else { break };
            if total.is_some_and(|total| total.key() != key) {
                break;
            }
            heap.pop();
            waiting.push(input);
            total = match (total, heads[input].take()) {
                (Some(one), Some(two)) => {
                    let Some(count) = one.count.checked_add(two.count) else {
                        failed = true;
                        return Some(Err(Error::format(&paths[input], None, "has counts beyond all bounds")));
                    };
                    Some(PairSum { sum: one.sum + two.sum, count, ..one })
                }
                (total, head) => total.or(head),
            };
        }
        total.map(Ok)
    }))
}

/// Refuses files of different networks.
fn check_alike(files: &[SortedSums]) -> Result<()> {
    let of = |file: &SortedSums| {
        format!("of {} nodes, {}", file.nodes, if file.directed { "directed" } else { "undirected" })
    };
    let mut others = files.iter().skip(1);
    let other = others.find(|other| (other.nodes, other.directed) != (files[0].nodes, files[0].directed));
    match other {
        Some(other) => Err(Error::shape("another file of sums", of(other), of(&files[0]))),
        None => Ok(()),
    }
}

/// Cuts the nodes of a network into at most `count` ranges, with about as many pairs of the files in each: by the first pairs of their
/// blocks, so that the ranges depend on the files alone.
///
/// ```
/// use ergodict::{data::Network, reconstruct::network::{PairSum, PairSums, SortedSums, source_ranges}};
/// let (network, folder) = (Network::simple(3, &[(0, 1), (1, 2)])?, tempfile::tempdir().unwrap());
/// let pair = PairSum { u: 0, v: 2, sum: 1.0, count: 2 };
/// let sums = PairSums::of_pairs(&network, None, [pair], 1 << 20)?;
/// let ranges = source_ranges(&[SortedSums::write(&folder.path().join("chain-0"), &sums)?], 4)?;
/// assert_eq!((ranges[0].start, ranges[ranges.len() - 1].end), (0, 3)); // all nodes are in one of them
/// # Ok::<(), ergodict::Error>(())
/// ```
///
/// # Errors
/// [`Error::Shape`] for files of different networks.
pub fn source_ranges(files: &[SortedSums], parts: usize) -> Result<Vec<Range<u32>>> {
    check_alike(files)?;
    let nodes = files.first().map_or(0, |file| file.nodes as u32);
    let mut firsts: Vec<u32> =
        files.iter().flat_map(|file| file.blocks.iter().map(|block| (block.0 >> 32) as u32)).collect();
    firsts.sort_unstable();
    let mut cuts: Vec<u32> =
        (1..parts).filter_map(|i| firsts.get(i * firsts.len() / parts)).copied().collect();
    cuts.retain(|&cut| cut > 0);
    cuts.dedup();
    let ends = cuts.iter().copied().chain([nodes]);
    Ok([0].into_iter().chain(cuts.iter().copied()).zip(ends).map(|(first, end)| first..end).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(step: usize, count: usize) -> Vec<PairSum> {
        let pair =
            |i: usize| PairSum { u: (i / 100) as u32, v: (i % 100) as u32, sum: 0.1 * i as f64, count: 1 };
        (0..count).map(|i| pair(i * step)).collect()
    }

    fn written(path: &Path, pairs: &[PairSum]) -> SortedSums {
        SortedSums::write_pairs(path, 1000, true, true, pairs.iter().copied().map(Ok)).unwrap()
    }

    #[test]
    fn ranges_and_merges_are_those_of_the_lists() {
        let folder = tempfile::tempdir().unwrap();
        let lists = [pairs(1, 20_000), pairs(3, 10_000), Vec::new(), pairs(7, BLOCK)];
        let files: Vec<SortedSums> = lists
            .iter()
            .enumerate()
            .map(|(i, list)| written(&folder.path().join(i.to_string()), list).path().to_owned())
            .map(|path| SortedSums::open(&path).unwrap())
            .collect();
        let mut expected = std::collections::BTreeMap::new();
        for pair in lists.iter().flatten() {
            let (sum, count) = expected.entry((pair.u, pair.v)).or_insert((0.0, 0));
            (*sum, *count) = (*sum + pair.sum, *count + pair.count);
        }
        let expected: Vec<PairSum> =
            expected.into_iter().map(|((u, v), (sum, count))| PairSum { u, v, sum, count }).collect();
        for parts in [1, 2, 5, 1000] {
            let ranges = source_ranges(&files, parts).unwrap();
            assert!(ranges.len() <= parts && (parts == 1 || ranges.len() > 1), "{ranges:?}");
            assert!(ranges.windows(2).all(|two| two[0].end == two[1].start));
            let whole: Vec<PairSum> = ranges
                .into_iter()
                .flat_map(|range| merged_sums(&files, range).unwrap())
                .collect::<Result<_>>()
                .unwrap();
            assert_eq!(whole, expected);
        }
        assert_eq!(merged_sums(&files, 5..5).unwrap().count(), 0);
        assert_eq!(merged_sums(&[], 0..5).unwrap().count(), 0);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_merge_keeps_no_file_open() {
        let folder = tempfile::tempdir().unwrap();
        let file = |i: usize| written(&folder.path().join(i.to_string()), &pairs(1 + i, BLOCK + 100));
        let files: Vec<SortedSums> = (0..3).map(file).collect();
        let mut merged = merged_sums(&files, 0..1000).unwrap();
        assert!(merged.next().unwrap().is_ok());
        // Those of other tests that run at the same time are elsewhere.
        let place = folder.path().canonicalize().unwrap();
        let open = std::fs::read_dir("/proc/self/fd").unwrap();
        let open = open.filter_map(|entry| std::fs::read_link(entry.ok()?.path()).ok());
        assert_eq!(open.filter(|path| path.starts_with(&place)).count(), 0);
        // What went away meanwhile is an error, when it is needed.
        std::fs::remove_file(files[2].path()).unwrap();
        assert!(matches!(merged.find_map(Result::err), Some(Error::Io { .. })));
    }

    #[test]
    fn damage_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sums");
        written(&path, &pairs(1, BLOCK + 5));
        let bytes = std::fs::read(&path).unwrap();
        let read = || -> Result<usize> {
            let file = SortedSums::open(&path)?;
            Ok(file.range(0..1000).collect::<Result<Vec<_>>>()?.len())
        };
        assert_eq!(read().unwrap(), BLOCK + 5);
        let places =
            (0..HEAD).chain([100, 7777, HEAD + BLOCK * RECORD + 3]).chain(bytes.len() - 96..bytes.len());
        for at in places {
            let mut damaged = bytes.clone();
            damaged[at] ^= 4;
            std::fs::write(&path, damaged).unwrap();
            assert!(read().unwrap_err().to_string().contains("sums"), "{at}");
        }
        for length in [0, 8, 63, 64, 128, bytes.len() / 2, bytes.len() - 1] {
            std::fs::write(&path, &bytes[..length]).unwrap();
            assert!(read().is_err(), "{length}");
        }
        // An end of another length, and one that is none.
        let many = 1u64 << 40;
        let forged = |change: &dyn Fn(&mut [u8])| {
            let mut forged = bytes.clone();
            change(&mut forged[bytes.len() - HEAD..]);
            std::fs::write(&path, forged).unwrap();
            SortedSums::open(&path).err().unwrap().to_string()
        };
        let longer = forged(&|foot| {
            foot[..8].copy_from_slice(&many.to_le_bytes());
            foot[8..16].copy_from_slice(&many.div_ceil(BLOCK as u64).to_le_bytes());
        });
        for message in [longer, forged(&|foot| foot[HEAD - 1] ^= 1)] {
            assert!(message.contains("its end is not that"), "{message}");
        }
        // Right checksums do not make wrong numbers right.
        let many = written(&path, &[PairSum { u: 1, v: 2, sum: 0.5, count: u64::MAX }]);
        assert!(merged_sums(&[many.clone(), many], 0..1000).unwrap().any(|pair| pair.is_err()));
        let forged = SortedSums { nodes: 2, ..SortedSums::open(&path).unwrap() };
        assert!(forged.range(0..1000).any(|pair| pair.is_err()));
        let wrong = [PairSum { u: 3, v: 2, sum: 0.0, count: 1 }, PairSum { u: 3, v: 1, sum: 0.0, count: 1 }];
        for wrong in [&wrong[..], &[PairSum { u: 1, v: 1000, sum: 0.0, count: 1 }][..]] {
            assert!(SortedSums::write_pairs(&path, 1000, true, true, wrong.iter().copied().map(Ok)).is_err());
        }
    }

    #[test]
    fn files_of_other_networks_are_not_merged() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, nodes, directed| {
            SortedSums::write_pairs(
                &folder.path().join(name),
                nodes,
                directed,
                true,
                pairs(1, 9).into_iter().map(Ok),
            )
            .unwrap()
        };
        let first = || file("a", 1000, false);
        for (other, expected) in [
            (file("b", 1000, false), None),
            (file("c", 1001, false), Some("of 1001 nodes, undirected")),
            (file("d", 1000, true), Some("of 1000 nodes, directed")),
        ] {
            let found = merged_sums(&[first(), other], 0..5).err().map(|error| error.to_string());
            assert_eq!(found.is_some(), expected.is_some(), "{found:?}");
            // Both are named: that of the first file is the one that is needed.
            let told = |expected: &str| {
                let found = found.as_ref().unwrap();
                found.contains(expected) && found.contains("of 1000 nodes, undirected")
            };
            assert!(expected.is_none_or(told), "{found:?}");
        }
    }
}
