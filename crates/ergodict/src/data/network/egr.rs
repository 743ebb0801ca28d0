//! The `.egr` file: a network with its layout in memory, so that it can be mapped. `docs/formats.md` has the layout.

use super::egr_check::{self as check, Keys};
use super::egr_record::{Known, LargeFile};
use super::ids::Names;
use super::section::{Plain, Section};
use super::{Network, NodeIds, Rows};
use crate::data::{Input, MappedFile};
use crate::{Error, Result};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// The first bytes of every `.egr` file.
pub(crate) const MAGIC: &[u8] = b"EGR1";
/// The newest version. Files without small integers as names are still of the first, so that older programs read them.
const VERSION: u32 = 2;
/// Bytes before the first section; its last 32 are the checksum of those before.
pub(super) const HEADER: usize = 128;
const CHECKED: usize = 96;
/// Bytes of a file that one thread checks.
const SMALL: usize = 1 << 18;
/// Sections begin at multiples of it, a cache line.
const ALIGN: u64 = 64;

const DIRECTED: u64 = 1;
const WEIGHTED: u64 = 1 << 1;
const INCOMING: u64 = 1 << 2;
const IDS: u32 = 8;

/// What the names of the nodes are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Numbered,
    Integers,
    Words,
    /// Integers below 2³².
    Small,
}

impl Kind {
    fn version(self) -> u32 {
        if self == Self::Small { 2 } else { 1 }
    }
}

/// The header; all places of the file follow from it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Header {
    pub(super) directed: bool,
    pub(super) weighted: bool,
    pub(super) incoming: bool,
    pub(super) kind: Kind,
    pub(super) nodes: u64,
    pub(super) stored: u64,
    pub(super) loops: u64,
    /// Bytes of all words.
    pub(super) letters: u64,
    /// BLAKE3 of all that follows the header.
    pub(super) digest: [u8; 32],
}

/// The sections in the order of the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Part {
    Starts,
    Neighbors,
    Weights,
    Names,
    Letters,
    IncomingStarts,
    IncomingNeighbors,
    IncomingWeights,
}

/// Bytes that fill up a section of `bytes` bytes.
fn padding(bytes: u64) -> usize {
    ((ALIGN - bytes % ALIGN) % ALIGN) as usize
}

impl Header {
    pub(super) fn to_bytes(&self) -> [u8; HEADER] {
        let mut bytes = Vec::with_capacity(HEADER);
        bytes.extend_from_slice(MAGIC);
        self.kind.version().append(&mut bytes);
        let flag = |on, bit| if on { bit } else { 0 };
        let flags = flag(self.directed, DIRECTED) | flag(self.weighted, WEIGHTED);
        let flags = flags | flag(self.incoming, INCOMING) | (self.kind as u64) << IDS;
        for number in [flags, self.nodes, self.stored, self.loops, self.letters] {
            number.append(&mut bytes);
        }
        bytes.resize(64, 0);
        bytes.extend_from_slice(&self.digest);
        bytes.extend_from_slice(blake3::hash(&bytes).as_bytes());
        let mut header = [0; HEADER];
        header.copy_from_slice(&bytes);
        header
    }

    fn parse(path: &Path, bytes: &[u8]) -> Result<Self> {
        let bad = |problem: String| Error::format(path, None, problem);
        if !bytes.starts_with(MAGIC) {
            return Err(bad("is no .egr network: expected it to begin with EGR1".into()));
        }
        let Some(bytes) = bytes.get(..HEADER) else {
            let length = bytes.len();
            return Err(bad(format!("is truncated: the header has {HEADER} bytes, the file {length}")));
        };
        let version = <u32 as Plain>::decode(&bytes[4..8]);
        if !(1..=VERSION).contains(&version) {
            return Err(bad(format!(
                "is .egr version {version}: this program reads versions 1 to {VERSION}; convert it again, or update ergodict"
            )));
        }
        if blake3::hash(&bytes[..CHECKED]) != bytes[CHECKED..] {
            return Err(bad("has a header whose checksum is wrong: the file is damaged".into()));
        }
        let number = |i: usize| <u64 as Plain>::decode(&bytes[8 + 8 * i..16 + 8 * i]);
        let [flags, nodes, stored, loops, letters] = [0, 1, 2, 3, 4].map(number);
        let kind = match flags >> IDS {
            0 => Kind::Numbered,
            1 => Kind::Integers,
            2 => Kind::Words,
            3 => Kind::Small,
            other => return Err(bad(format!("has names of kind {other}, which is not known"))),
        };
        let mut digest = [0; 32];
        digest.copy_from_slice(&bytes[64..CHECKED]);
        let on = |bit| flags & bit != 0;
        let header = Self {
            directed: on(DIRECTED),
            weighted: on(WEIGHTED),
            incoming: on(INCOMING),
            kind,
            nodes,
            stored,
            loops,
            letters,
            digest,
        };
        // What is written again differs where a flag is not known or of another version, or a reserved byte is not 0.
        if header.to_bytes()[..] != *bytes || (header.incoming && !header.directed) {
            return Err(bad(format!("has flags {flags:#x}, which are not all known")));
        }
        let symmetric = header.directed || loops <= stored && (stored - loops) % 2 == 0;
        if nodes > u64::from(u32::MAX) || loops > nodes.min(stored) || !symmetric {
            return Err(bad(format!(
                "says {nodes} nodes, {stored} entries and {loops} loops, which cannot be"
            )));
        }
        Ok(header)
    }

    /// Bytes of a section without what fills it up; none where the numbers overflow.
    fn size(&self, part: Part) -> Option<u64> {
        let starts = || self.nodes.checked_add(1)?.checked_mul(8);
        let when = |there: bool, bytes: Option<u64>| if there { bytes } else { Some(0) };
        match part {
            Part::Starts => starts(),
            Part::Neighbors => self.stored.checked_mul(4),
            Part::Weights => when(self.weighted, self.stored.checked_mul(8)),
            Part::Names => match self.kind {
                Kind::Numbered => Some(0),
                Kind::Integers => self.nodes.checked_mul(8),
                Kind::Small => self.nodes.checked_mul(4),
                Kind::Words => starts(),
            },
            Part::Letters => Some(self.letters).filter(|n| *n == 0 || self.kind == Kind::Words),
            Part::IncomingStarts => when(self.incoming, starts()),
            Part::IncomingNeighbors => when(self.incoming, self.stored.checked_mul(4)),
            Part::IncomingWeights => when(self.incoming && self.weighted, self.stored.checked_mul(8)),
        }
    }

    /// Where each section begins, and the length of the file.
    fn places(&self, path: &Path) -> Result<([u64; 8], u64)> {
        use Part::{
            IncomingNeighbors, IncomingStarts, IncomingWeights, Letters, Names, Neighbors, Starts, Weights,
        };
        let parts =
            [Starts, Neighbors, Weights, Names, Letters, IncomingStarts, IncomingNeighbors, IncomingWeights];
        let (mut places, mut end) = ([0; 8], Some(HEADER as u64));
        for (place, part) in places.iter_mut().zip(parts) {
            *place = end.unwrap_or(0);
            end = end
                .zip(self.size(part))
                .and_then(|(end, size)| end.checked_add(size)?.checked_add(padding(size) as u64));
        }
        let end = end.filter(|end| i64::try_from(*end).is_ok());
        let end = end.ok_or_else(|| {
            Error::format(path, None, "says that it is longer than any file can be: it is damaged")
        })?;
        Ok((places, end))
    }
}

/// Reads a network of which nothing was read yet. A plain file is mapped, not copied, and gone through once; out of gzip, zstd and pipes it is read into memory.
///
/// Everything is checked here that a later index could trip over, that the matrix of an undirected network is symmetric and
/// incoming rows are the transposed ones, and the digest of the file; unless the record of a large file says that all this was
/// done, and `verify` does not ask for it again.
///
/// # Errors
/// [`Error::Format`] for a file that is no `.egr`, of a newer version, truncated or damaged; [`Error::Io`].
pub(crate) fn read(path: &Path, mut input: Input, verify: bool) -> Result<Network> {
    if input.is_compressed() || input.is_read_once() || cfg!(target_endian = "big") {
        let mut bytes = Vec::new();
        input.by_ref().take(HEADER as u64).read_to_end(&mut bytes).map_err(Error::io(path))?;
        let (_, end) = Header::parse(path, &bytes)?.places(path)?;
        // One byte more shows whether something follows.
        input.take(end - HEADER as u64 + 1).read_to_end(&mut bytes).map_err(Error::io(path))?;
        return from_bytes(path, &bytes);
    }
    let file = File::open(path).map_err(Error::io(path))?;
    let origin = LargeFile::new(path, &file).map(Arc::new);
    let known = origin.as_ref().filter(|_| !verify).and_then(|file| file.recall());
    let checked = known.as_ref().map(|record| record.weightless);
    let (mut network, header) = map(path, &file, true, checked)?;
    if let (Some(file), None) = (&origin, known) {
        file.checked(header.weighted && !network.is_weighted());
    }
    network.known.origin = origin;
    Ok(network)
}

/// The same, but what cannot be mapped is first copied into a file without a name next to `out`, and mapped there.
pub(super) fn read_beside(path: &Path, mut input: Input, out: &Path, verify: bool) -> Result<Network> {
    if !(input.is_compressed() || input.is_read_once()) || cfg!(target_endian = "big") {
        return read(path, input, verify);
    }
    let folder = out.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = tempfile::tempfile_in(folder).map_err(Error::io(folder))?;
    io::copy(&mut input, &mut file).map_err(Error::io(path))?;
    Ok(map(path, &file, false, None)?.0)
}

/// A network in a file that is open, and may have no name; `path` is for messages.
pub(super) fn read_open(path: &Path, mut file: &File) -> Result<Network> {
    if cfg!(target_endian = "big") {
        let mut bytes = Vec::new();
        let all = file.seek(SeekFrom::Start(0)).and_then(|_| file.read_to_end(&mut bytes));
        all.map_err(Error::io(path))?;
        return from_bytes(path, &bytes);
    }
    Ok(map(path, file, false, None)?.0)
}

/// The largest component of a file, which was kept beside it, and its header; `checked` where it need not be again.
pub(super) fn read_largest(path: &Path, file: &File, checked: bool) -> Result<(Network, [u8; HEADER])> {
    let (network, header) = map(path, file, true, checked.then_some(false))?;
    Ok((network, header.to_bytes()))
}

/// Maps a file, which may have no name; `path` is for messages. `checked` is of a file that was checked before: whether its weights are all 1.
fn map(path: &Path, mut file: &File, named: bool, checked: Option<bool>) -> Result<(Network, Header)> {
    // An empty map is an error on some systems.
    if file.metadata().map_err(Error::io(path))?.len() < HEADER as u64 {
        let mut bytes = Vec::new();
        let start =
            file.seek(SeekFrom::Start(0)).and_then(|_| file.take(HEADER as u64).read_to_end(&mut bytes));
        start.map_err(Error::io(path))?;
        return network(path, &bytes, None, |start, count| Place { map: None, bytes: &bytes, start, count });
    }
    let map = Arc::new(MappedFile::map(path, file, named)?);
    network(path, &map, checked, |start, count| Place { map: Some(&map), bytes: &map, start, count })
}

/// A network out of the bytes of a file.
pub(crate) fn from_bytes(path: &Path, bytes: &[u8]) -> Result<Network> {
    Ok(network(path, bytes, None, |start, count| Place { map: None, bytes, start, count })?.0)
}

/// A section before its type is known.
struct Place<'a> {
    map: Option<&'a Arc<MappedFile>>,
    bytes: &'a [u8],
    start: usize,
    count: usize,
}

impl Place<'_> {
    fn section<T: Plain>(&self) -> Option<Section<T>> {
        match self.map {
            Some(map) => Section::mapped(map, self.start, self.count),
            None => Section::copied(self.bytes, self.start, self.count),
        }
    }
}

fn network<'a>(
    path: &Path,
    bytes: &[u8],
    checked: Option<bool>,
    at: impl Fn(usize, usize) -> Place<'a> + Sync,
) -> Result<(Network, Header)> {
    let bad = |problem: String| Error::format(path, None, problem);
    let header = Header::parse(path, bytes)?;
    let (places, end) = header.places(path)?;
    let length = bytes.len() as u64;
    if length != end {
        let what = if length < end { "is truncated" } else { "is too long" };
        return Err(bad(format!("{what}: its header needs {end} bytes, found {}", there(length, end))));
    }
    let (n, stored) = (header.nodes as usize, header.stored as usize);
    let missing = || bad("has a section that does not lie in the file".into());
    let rows = |first: Part| -> Result<Rows> {
        let place = |i: usize| places[first as usize + i] as usize;
        let weights = header.weighted.then(|| at(place(2), stored).section().ok_or_else(missing));
        Ok(Rows {
            starts: at(place(0), n + 1).section().ok_or_else(missing)?,
            neighbors: at(place(1), stored).section().ok_or_else(missing)?,
            weights: weights.transpose()?,
        })
    };
    let names = |part: Part| places[part as usize] as usize;
    let build = || -> Result<Network> {
        let mut outgoing = rows(Part::Starts)?;
        let keys = Keys::random();
        let mut found = None;
        if checked.is_none() {
            let (loops, sum) = check::rows(path, &outgoing, |u, v, weight| {
                if header.directed { keys.hash(u, v, weight) } else { keys.of_side(u, v, weight) }
            })?;
            if loops != header.loops {
                return Err(bad(format!("has {loops} loops, not {} as its header says", header.loops)));
            }
            if !header.directed && sum != 0 {
                return Err(bad(check::not_symmetric(&outgoing)));
            }
            found = Some((loops, sum));
        }
        let ids = NodeIds(match header.kind {
            Kind::Numbered => Names::Numbered(n),
            Kind::Integers => Names::Integers(at(names(Part::Names), n).section().ok_or_else(missing)?),
            Kind::Small => Names::Small(at(names(Part::Names), n).section().ok_or_else(missing)?),
            Kind::Words => Names::Words {
                starts: at(names(Part::Names), n + 1).section().ok_or_else(missing)?,
                bytes: at(names(Part::Letters), header.letters as usize).section().ok_or_else(missing)?,
            },
        });
        if checked.is_none() {
            check::names(path, &ids)?;
        }
        let transposed = OnceLock::new();
        let ones = |rows: &Rows| rows.weights.as_ref().is_some_and(|w| w.iter().all(|w| *w == 1.0));
        let weightless = checked.unwrap_or_else(|| ones(&outgoing));
        if header.incoming {
            let mut incoming = rows(Part::IncomingStarts)?;
            let reverse = || check::rows(path, &incoming, |u, v, weight| keys.hash(v, u, weight));
            if found.is_some() && Some(reverse()?) != found {
                return Err(bad("has incoming rows that do not belong to its rows: it is damaged".into()));
            }
            incoming.weights = incoming.weights.filter(|_| !weightless);
            let _ = transposed.set(incoming);
        }
        outgoing.weights = outgoing.weights.filter(|_| !weightless);
        Ok(Network {
            rows: outgoing,
            directed: header.directed,
            ids,
            loops: header.loops,
            incoming: transposed,
            known: Known::default(),
        })
    };
    let is_whole = || checked.is_some() || blake3::hash(&bytes[HEADER..]) == header.digest;
    // Waking threads takes longer than a small file.
    let (network, whole) = if bytes.len() < SMALL || checked.is_some() {
        (build(), is_whole())
    } else {
        rayon::join(build, is_whole)
    };
    let network = network?;
    if !whole {
        return Err(bad("has contents whose digest is wrong: the file is damaged".into()));
    }
    Ok((network, header))
}

/// How many bytes were found; of a stream that was not read to its end only that there are more.
fn there(length: u64, end: u64) -> String {
    if length == end + 1 { format!("at least {length}") } else { length.to_string() }
}

/// Writes a network; of a directed one the incoming rows too, so that neither needs memory when it is mapped.
pub(crate) fn write(network: &Network, out: &mut dyn Write) -> io::Result<()> {
    let (kind, letters) = kind(&network.ids);
    let mut hasher = blake3::Hasher::new();
    contents(network, &mut hasher)?;
    let header = Header {
        directed: network.directed,
        weighted: network.is_weighted(),
        incoming: network.directed,
        kind,
        nodes: network.nodes() as u64,
        stored: network.stored(),
        loops: network.loops,
        letters,
        digest: *hasher.finalize().as_bytes(),
    };
    out.write_all(&header.to_bytes())?;
    contents(network, out)
}

/// What the names are, and the bytes of all words.
pub(super) fn kind(ids: &NodeIds) -> (Kind, u64) {
    match &ids.0 {
        Names::Numbered(_) => (Kind::Numbered, 0),
        // They ascend.
        Names::Integers(ids) => {
            let small = |id: Option<&i64>| id.is_none_or(|id| u32::try_from(*id).is_ok());
            (if small(ids.first()) && small(ids.last()) { Kind::Small } else { Kind::Integers }, 0)
        }
        Names::Small(_) => (Kind::Small, 0),
        Names::Words { bytes, .. } => (Kind::Words, bytes.len() as u64),
    }
}

/// All sections in their order.
fn contents(network: &Network, out: &mut dyn Write) -> io::Result<()> {
    rows(&network.rows, out)?;
    names(&network.ids, out)?;
    if network.directed { rows(network.incoming(), out) } else { Ok(()) }
}

fn rows(rows: &Rows, out: &mut dyn Write) -> io::Result<()> {
    section(&rows.starts, out)?;
    section(&rows.neighbors, out)?;
    rows.weights.as_ref().map_or(Ok(()), |weights| section(weights, out))
}

/// The section of the names.
pub(super) fn names(ids: &NodeIds, out: &mut dyn Write) -> io::Result<()> {
    match &ids.0 {
        Names::Numbered(_) => Ok(()),
        Names::Integers(integers) if kind(ids).0 == Kind::Small => {
            section_of(integers.len(), |v| integers[v] as u32, out)
        }
        Names::Integers(ids) => section(ids, out),
        Names::Small(ids) => section(ids, out),
        Names::Words { starts, bytes } => {
            section(starts, out)?;
            section(bytes, out)
        }
    }
}

/// A section with what fills it up.
pub(super) fn section<T: Plain>(items: &[T], out: &mut dyn Write) -> io::Result<()> {
    section_of(items.len(), |at| items[at], out)
}

/// The same of numbers that are made on the way.
fn section_of<T: Plain>(count: usize, item: impl Fn(usize) -> T, out: &mut dyn Write) -> io::Result<()> {
    let mut bytes = Vec::with_capacity(1 << 16);
    let part = (1 << 16) / size_of::<T>();
    for start in (0..count).step_by(part) {
        bytes.clear();
        (start..count.min(start + part)).for_each(|at| item(at).append(&mut bytes));
        out.write_all(&bytes)?;
    }
    fill_up((count * size_of::<T>()) as u64, out)
}

/// Ends a section of `bytes` bytes.
pub(super) fn fill_up(bytes: u64, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(&[0; ALIGN as usize][..padding(bytes)])
}

#[cfg(test)]
mod tests {
    use super::super::corrupt::{AddModel, Amount, add, remove};
    use super::super::{Build, Edge, Loops};
    use super::*;

    fn networks() -> Vec<Network> {
        let edges: [Edge; 6] =
            [(0, 1, 0.5), (1, 2, 2.0), (2, 0, 1.0), (2, 2, 3.0), (3, 1, 1.25), (0, 1, 0.25)];
        let names = || NodeIds::words(["", "a", "b c", "ß", "été"]);
        let mut all = vec![Network::simple(0, &[]).unwrap(), Network::simple(3, &[]).unwrap()];
        for directed in [false, true] {
            for loops in [Loops::Drop, Loops::Keep] {
                for weighted in [false, true] {
                    for ids in [NodeIds::numbered(5), NodeIds::integers(vec![-4, 0, 3, 7, 1 << 40]), names()]
                    {
                        all.push(Network::build(ids, &edges, weighted, Build { directed, loops }).unwrap().0);
                    }
                }
            }
        }
        all
    }

    fn bytes(network: &Network) -> Vec<u8> {
        let mut bytes = Vec::new();
        write(network, &mut bytes).unwrap();
        bytes
    }

    fn whole(bytes: &[u8]) -> Result<Network> {
        from_bytes(Path::new("x.egr"), bytes)
    }

    /// The file with checksums that fit whatever was changed.
    fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
        if bytes.len() > HEADER {
            let digest = blake3::hash(&bytes[HEADER..]);
            bytes[64..CHECKED].copy_from_slice(digest.as_bytes());
            let check = blake3::hash(&bytes[..CHECKED]);
            bytes[CHECKED..HEADER].copy_from_slice(check.as_bytes());
        }
        bytes
    }

    #[test]
    fn what_was_written_is_read_mapped_and_from_memory() {
        let folder = tempfile::tempdir().unwrap();
        for network in networks() {
            let bytes = bytes(&network);
            assert_eq!(bytes.len() % 64, 0);
            let path = folder.path().join("x.egr");
            std::fs::write(&path, &bytes).unwrap();
            let mapped = read(&path, crate::data::open(&path).unwrap(), false).unwrap();
            assert!(matches!(mapped.rows.neighbors, Section::Mapped(_)));
            assert_eq!(mapped.incoming.get().is_some(), network.directed);
            for found in [&mapped, &whole(&bytes).unwrap()] {
                assert_eq!(*found, network);
                assert_eq!(found.loops, network.loops);
                let (a, b) = (found.incoming(), network.incoming());
                assert!((0..network.nodes()).all(|u| a.entries(u).eq(b.entries(u))));
                assert_eq!(self::bytes(found), bytes);
            }
            // Compressed it is read into memory.
            let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            gzip.write_all(&bytes).unwrap();
            std::fs::write(&path, gzip.finish().unwrap()).unwrap();
            let unpacked = read(&path, crate::data::open(&path).unwrap(), false).unwrap();
            assert!(matches!(unpacked.rows.neighbors, Section::Owned(_)) && unpacked == network);
        }
    }

    #[test]
    fn every_flipped_bit_and_every_missing_byte_is_detected() {
        for network in networks() {
            let good = bytes(&network);
            for bit in 0..good.len() * 8 {
                let mut bad = good.clone();
                bad[bit / 8] ^= 1 << (bit % 8);
                assert!(whole(&bad).is_err(), "bit {bit}");
            }
            for length in 0..good.len() {
                assert!(whole(&good[..length]).is_err(), "length {length}");
            }
        }
    }

    /// Whoever makes a file with right checksums still finds no index that trips.
    #[test]
    fn forged_files_are_refused_or_can_be_walked() {
        let mut state = 7_u64;
        let mut random = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((state >> 33) as usize) % below
        };
        let mut accepted = 0;
        for network in networks() {
            let good = bytes(&network);
            for _ in 0..400 {
                let mut bad = good.clone();
                for _ in 0..=random(3) {
                    // Of the header all but magic and checksums, of the rest all.
                    let at = if random(4) == 0 || bad.len() == HEADER {
                        4 + random(60)
                    } else {
                        HEADER + random(bad.len() - HEADER)
                    };
                    match random(3) {
                        0 => bad[at] ^= 1 << random(8),
                        1 => bad[at] = bad[at].wrapping_add(1),
                        _ => bad[at] = random(256) as u8,
                    }
                }
                if random(10) == 0 {
                    bad.truncate(HEADER + random(bad.len() - HEADER + 1));
                }
                if let Ok(network) = whole(&sealed(bad)) {
                    accepted += 1;
                    for u in 0..network.nodes() {
                        let name = network.ids().name(u).into_owned();
                        assert_eq!(network.ids().find(&name), Some(u));
                        for rows in [network.rows(), network.incoming()] {
                            assert!(rows.entries(u).all(|(v, w)| (v as usize) < network.nodes() && w > 0.0));
                        }
                    }
                    for u in 0..network.nodes() {
                        assert!(
                            network
                                .rows()
                                .entries(u)
                                .all(|(v, w)| network.incoming().weight(v as usize, u) == w)
                        );
                    }
                    let _ = (network.components(), network.edges(), network.summary());
                    assert_eq!(whole(&self::bytes(&network)).unwrap(), network);
                    // Names may be such that text cannot hold them.
                    let mut text = Vec::new();
                    let _ = super::super::write_edge_list(&network, &mut text);
                    let half = Amount::Fraction(0.5);
                    for result in [add(&network, half, AddModel::ErdosRenyi, 1), remove(&network, half, 1)]
                        .into_iter()
                        .flatten()
                    {
                        let _ = result.write_truth(&mut text);
                    }
                }
            }
        }
        assert!(accepted > 100, "only {accepted} reach the checks that follow the checksums");
    }

    /// Rows that can each be walked, but not of a matrix that is symmetric, or not those of the transposed one.
    #[test]
    fn matrices_that_do_not_fit_themselves_are_refused() {
        let edges: [Edge; 3] = [(0, 1, 0.5), (1, 2, 2.0), (3, 2, 2.5)];
        let make = |weighted, directed| {
            let build = Build { directed, loops: Loops::Keep };
            Network::build(NodeIds::numbered(5), &edges, weighted, build).unwrap().0
        };
        // Starts take 48 bytes and are filled up to 64; row 0 is the first entry, row 3 the last.
        let (starts, neighbors) = (HEADER, HEADER + 64);
        let set = |network: &Network, at: usize, value: u8| {
            let mut bytes = bytes(network);
            assert_ne!(bytes[at], value);
            bytes[at] = value;
            whole(&sealed(bytes)).map_err(|error| error.to_string())
        };
        let told = |result: std::result::Result<Network, String>, words: &str| {
            let message = result.unwrap_err();
            assert!(message.contains(words), "{message}");
        };
        let plain = make(false, false);
        assert_eq!(plain.neighbors(3), [2]);
        // 3 → 2 becomes 3 → 1 and 3 → 4; an entry of row 3 goes to row 4.
        told(set(&plain, neighbors + 20, 1), "node 2 has an edge to node 3, but not back");
        told(set(&plain, neighbors + 20, 4), "node 2 has an edge to node 3, but not back");
        told(set(&plain, starts + 32, 5), "node 2 has an edge to node 3, but not back");
        // 2.5 in row 3 becomes 2.501….
        let weighted = make(true, false);
        told(
            set(&weighted, neighbors + 64 + 40 + 4, 1),
            "node 2 has an edge to node 3, but not back with the same weight",
        );
        let directed = make(true, true);
        told(set(&directed, neighbors, 2), "do not belong");
        let last = bytes(&directed).len();
        told(set(&directed, last - 64 + 4, 1), "do not belong");
        told(set(&directed, last - 128, 4), "do not belong");
    }

    #[test]
    fn what_is_wrong_is_said() {
        let (plain, directed) = (bytes(&networks()[2]), bytes(networks().last().unwrap()));
        let set = |bytes: &[u8], at: usize, value: u8| {
            let mut bytes = bytes.to_vec();
            bytes[at] = value;
            sealed(bytes)
        };
        let cases = [
            (b"EGR2....".to_vec(), "is no .egr network"),
            (plain[..100].to_vec(), "is truncated: the header has 128 bytes, the file 100"),
            (set(&plain, 4, 3), "is .egr version 3: this program reads versions 1 to 2"),
            (set(&plain, 4, 0), "is .egr version 0"),
            (set(&plain, 4, 2), "has flags 0x0"),
            (set(&plain, 8, 0x80), "has flags 0x80"),
            (set(&plain, 8, 4), "has flags 0x4"),
            (set(&plain, 9, 3), "has flags 0x300"),
            (set(&plain, 9, 4), "has names of kind 4"),
            (set(&plain, 16 + 5, 1), "which cannot be"),
            (set(&plain, 24 + 7, 0x7f), "longer than any file"),
            (set(&directed, 24 + 7, 0x7f), "longer than any file"),
            (plain[..plain.len() - 64].to_vec(), "is truncated: its header needs"),
            ([plain.clone(), vec![0; 64]].concat(), "is too long"),
            (set(&plain, HEADER, 1), "has rows from 1"),
            (set(&plain, HEADER + 8, 9), "that ends at"),
            (set(&plain, HEADER + 64, 200), "do not ascend"),
            (set(&directed, directed.len() - 64 + 7, 0xc0), "not positive and finite"),
            (
                [plain[..HEADER - 1].to_vec(), vec![0], plain[HEADER..].to_vec()].concat(),
                "header whose checksum",
            ),
            ([plain[..plain.len() - 1].to_vec(), vec![1]].concat(), "digest is wrong"),
        ];
        for (bytes, words) in cases {
            let message = whole(&bytes).unwrap_err().to_string();
            assert!(message.starts_with("x.egr: ") && message.contains(words), "{words}: {message}");
        }
    }
}
