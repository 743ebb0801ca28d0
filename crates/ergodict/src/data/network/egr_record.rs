//! What the full check of a large `.egr` file found, kept next to it, so that the file opens at once the next time.
//!
//! | file | holds |
//! |---|---|
//! | `NAME.egr.ergodict-check` | what file was checked (device, inode, length, times, header), its digest, and its number of components, under a BLAKE3 |
//! | `NAME.egr.ergodict-largest` | its largest component, where there are several, as an `.egr` file |
//!
//! Both only ever save work. Whatever does not fit, is damaged or cannot be written leads to the full check, and is no error. Both are
//! readable by their owner alone, and believed only if that is this user or root: others could make up a record of any file.
//! What changes a file changes its times, so a file that was not yet at rest when it was opened gets no record.

use super::Network;
use super::egr::{self, HEADER};
use crate::data::partial::Partial;
use std::fs::{self, File, Metadata};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, SystemTime};

const MAGIC: &[u8; 8] = b"EGRCHK1\n";
/// Files from here on have a record: below, a full check takes some 40 ms.
const LARGE: u64 = if cfg!(test) { 1 << 13 } else { 64 << 20 };
/// How long a file must have been left alone before it is opened: the times of some file systems are even seconds.
const AT_REST: Duration = if cfg!(test) { Duration::from_millis(50) } else { Duration::from_secs(2) };
/// The part of the free disk space that a largest component may take: a quarter.
const SPARE: u64 = 4;
/// Bytes of the name of a boot.
const BOOT: usize = 36;
const LENGTH: usize = MAGIC.len() + 8 * IDENTITY + HEADER + 8 + 8 + 32 + 8 * IDENTITY + HEADER + BOOT + 32;
const IDENTITY: usize = 7;

/// What identifies a file with its contents: device, inode, length, and when contents and attributes were last changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Identity([u64; IDENTITY]);

impl Identity {
    #[cfg(unix)]
    fn new(meta: &Metadata) -> Option<Self> {
        use std::os::unix::fs::MetadataExt;
        let times =
            [meta.mtime(), meta.mtime_nsec(), meta.ctime(), meta.ctime_nsec()].map(i64::cast_unsigned);
        let [modified, modified_ns, changed, changed_ns] = times;
        let file = [meta.dev(), meta.ino(), meta.len()];
        meta.is_file().then_some(Self([
            file[0],
            file[1],
            file[2],
            modified,
            modified_ns,
            changed,
            changed_ns,
        ]))
    }

    /// Elsewhere too little is known of a file.
    #[cfg(not(unix))]
    fn new(_: &Metadata) -> Option<Self> {
        None
    }

    fn length(self) -> u64 {
        self.0[2]
    }

    /// The later of both times.
    fn last_change(self) -> Option<SystemTime> {
        let time =
            |s, ns| SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(s) + Duration::from_nanos(ns));
        let [_, _, _, modified, modified_ns, changed, changed_ns] = self.0;
        Some(time(modified, modified_ns)?.max(time(changed, changed_ns)?))
    }
}

/// The file of a largest component.
#[derive(Clone, PartialEq, Eq, Debug)]
struct LargestFile {
    identity: Identity,
    header: [u8; HEADER],
    /// The boot of the machine in which it was written or last checked: it is not waited for until it is on disk.
    boot: [u8; BOOT],
    /// Whether it was made of a network with weights.
    weighted: bool,
}

/// What is known of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Record {
    identity: Identity,
    header: [u8; HEADER],
    /// Whether it has weights that are all 1.
    pub(super) weightless: bool,
    /// BLAKE3 of all its bytes.
    digest: Option<[u8; 32]>,
    /// Number of components; 0 where it is not known.
    components: u64,
    /// Whether the largest is bipartite, directions ignored.
    bipartite: bool,
    largest: Option<LargestFile>,
}

impl Record {
    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(LENGTH);
        let (none, largest) = ((Identity([0; IDENTITY]), [0; HEADER], [0; BOOT]), self.largest.as_ref());
        let (identity, header, boot) = largest.map_or(none, |part| (part.identity, part.header, part.boot));
        let flags = [
            self.weightless,
            self.digest.is_some(),
            largest.is_some(),
            largest.is_some_and(|part| part.weighted),
            self.bipartite,
        ];
        let flags = flags.iter().zip(0..).map(|(&flag, bit)| u64::from(flag) << bit).sum::<u64>();
        let mut numbers = |numbers: &[u64], then: &[u8]| {
            numbers.iter().for_each(|number| bytes.extend_from_slice(&number.to_le_bytes()));
            bytes.extend_from_slice(then);
        };
        numbers(&[], MAGIC);
        numbers(&self.identity.0, &self.header);
        numbers(&[flags, self.components], &self.digest.unwrap_or_default());
        numbers(&identity.0, &header);
        numbers(&[], &boot);
        let seal = seal(&bytes);
        bytes.extend_from_slice(seal.as_bytes());
        bytes
    }

    /// None of whatever is no whole record.
    fn parse(bytes: &[u8]) -> Option<Self> {
        let (mut rest, sealed) = bytes.split_last_chunk::<32>()?;
        if bytes.len() != LENGTH || seal(rest) != *sealed || !rest.starts_with(MAGIC) {
            return None;
        }
        let number = |rest: &mut &[u8]| take(rest).map(u64::from_le_bytes);
        let identity = |rest: &mut &[u8]| {
            let mut numbers = [0; IDENTITY];
            for place in &mut numbers {
                *place = number(rest)?;
            }
            Some(Identity(numbers))
        };
        take::<8>(&mut rest)?;
        let (own, header) = (identity(&mut rest)?, take(&mut rest)?);
        let (flags, components, digest) = (number(&mut rest)?, number(&mut rest)?, take(&mut rest)?);
        let flag = |bit: u32| flags >> bit & 1 == 1;
        let (of, part_header, boot) = (identity(&mut rest)?, take(&mut rest)?, take(&mut rest)?);
        let largest = LargestFile { identity: of, header: part_header, boot, weighted: flag(3) };
        Some(Self {
            identity: own,
            header,
            weightless: flag(0),
            digest: flag(1).then_some(digest),
            components,
            bipartite: flag(4),
            largest: flag(2).then_some(largest),
        })
    }
}

/// The BLAKE3 of a record and of the version that made it: another version checks again.
fn seal(bytes: &[u8]) -> blake3::Hash {
    blake3::Hasher::new().update(bytes).update(env!("CARGO_PKG_VERSION").as_bytes()).finalize()
}

/// The next bytes.
fn take<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (first, after) = rest.split_first_chunk::<N>()?;
    *rest = after;
    Some(*first)
}

/// A large file that is open, and the places of what is known of it.
#[derive(Debug)]
pub(super) struct LargeFile {
    file: File,
    identity: Identity,
    opened: SystemTime,
    record: PathBuf,
    largest: PathBuf,
}

impl LargeFile {
    /// None of files that are small, or of which a later change could be missed.
    pub(super) fn new(path: &Path, file: &File) -> Option<Self> {
        let opened = SystemTime::now();
        let identity = Identity::new(&file.metadata().ok()?).filter(|file| file.length() >= LARGE)?;
        // A symbolic link has no record of its own.
        let path = fs::canonicalize(path).ok()?;
        let beside = |end: &str| {
            let mut name = path.file_name()?.to_owned();
            name.push(end);
            Some(path.with_file_name(name))
        };
        let (record, largest) = (beside(".ergodict-check")?, beside(".ergodict-largest")?);
        Some(Self { file: file.try_clone().ok()?, identity, opened, record, largest })
    }

    /// What is known of this file as it is now.
    pub(super) fn recall(&self) -> Option<Record> {
        let mut bytes = Vec::new();
        open_own(&self.record)?.take(LENGTH as u64 + 1).read_to_end(&mut bytes).ok()?;
        let record = Record::parse(&bytes)?;
        (record.identity == self.identity && self.is_unchanged() && record.header == self.header()?)
            .then_some(record)
    }

    fn is_unchanged(&self) -> bool {
        self.file.metadata().ok().and_then(|now| Identity::new(&now)) == Some(self.identity)
    }

    #[cfg(unix)]
    fn header(&self) -> Option<[u8; HEADER]> {
        use std::os::unix::fs::FileExt;
        let mut header = [0; HEADER];
        self.file.read_exact_at(&mut header, 0).ok()?;
        Some(header)
    }

    #[cfg(not(unix))]
    fn header(&self) -> Option<[u8; HEADER]> {
        None
    }

    /// Keeps that all of the file was checked since it was opened.
    pub(super) fn checked(&self, weightless: bool) {
        let _ = self.header().map(|header| {
            let identity = self.identity;
            self.keep(&Record {
                identity,
                header,
                weightless,
                digest: None,
                components: 0,
                bipartite: false,
                largest: None,
            })
        });
        // It is of a file that is no more, or of an earlier state of this one.
        if open_own(&self.largest).is_some() {
            let _ = fs::remove_file(&self.largest);
        }
    }

    /// Adds to what is known of a file that was checked.
    fn add(&self, add: impl FnOnce(&mut Record)) {
        if let Some(mut record) = self.recall() {
            add(&mut record);
            let _ = self.keep(&record);
        }
    }

    /// The record is not waited for until it is on disk, as half a record is none; what it is of is, since a check sees what is in memory.
    fn keep(&self, record: &Record) -> io::Result<()> {
        let at_rest = self.identity.last_change().and_then(|last| last.checked_add(AT_REST));
        if at_rest.is_none_or(|at_rest| at_rest >= self.opened) || !self.is_unchanged() {
            return Ok(());
        }
        self.file.sync_data()?;
        write(&self.record, |out| out.write_all(&record.to_bytes())).map(|_| ())
    }

    /// The digest of all bytes, if it is known.
    pub(super) fn digest(&self) -> Option<[u8; 32]> {
        self.recall()?.digest
    }

    /// Keeps the digest of the bytes that were read since the file was opened.
    pub(super) fn keep_digest(&self, digest: [u8; 32]) {
        self.add(|record| record.digest = Some(digest));
    }

    /// The largest component of the network in this file, where there are several, how many there are, and whether it is bipartite.
    pub(super) fn largest(&self, weighted: bool) -> Option<(Option<Network>, usize, bool)> {
        let record = self.recall()?;
        let components = usize::try_from(record.components).ok().filter(|count| *count > 0)?;
        if components == 1 {
            return Some((None, 1, record.bipartite));
        }
        let mut part = record.largest.filter(|part| part.weighted == weighted)?;
        let file = open_own(&self.largest)?;
        let identity = |file: &File| file.metadata().ok().and_then(|meta| Identity::new(&meta));
        if identity(&file)? != part.identity {
            return None;
        }
        let boot = boot();
        let (network, header) = egr::read_largest(&self.largest, &file, part.boot == boot).ok()?;
        if header != part.header {
            return None;
        }
        if part.boot != boot {
            part.boot = boot;
            self.add(move |record| record.largest = Some(part));
        }
        Some((Some(network), components, record.bipartite))
    }

    /// Keeps that there is one component.
    pub(super) fn keep_connected(&self, bipartite: bool) {
        self.add(|record| (record.components, record.bipartite) = (1, bipartite));
    }

    /// Keeps the largest of several components: in its file from then on, if that could be written.
    pub(super) fn keep_largest(
        &self,
        part: &Network,
        weighted: bool,
        (components, bipartite): (usize, bool),
    ) -> Option<Network> {
        self.recall()?;
        // Of several processes that open the file for the first time one writes.
        self.file.try_lock().ok()?;
        let written = self.write_largest(part);
        let _ = self.file.unlock();
        let (file, network, header) = written?;
        let boot = boot();
        let identity = Identity::new(&file.metadata().ok()?)?;
        self.add(|record| {
            (record.components, record.bipartite) = (components as u64, bipartite);
            record.largest = Some(LargestFile { identity, header, boot, weighted });
        });
        Some(network)
    }

    fn write_largest(&self, part: &Network) -> Option<(File, Network, [u8; HEADER])> {
        let size = self.identity.length();
        let file = write(&self.largest, |out| {
            if self.largest.parent().and_then(free).is_none_or(|free| free / SPARE < size) {
                return Err(io::ErrorKind::StorageFull.into());
            }
            let mut out = BufWriter::with_capacity(1 << 17, out);
            egr::write(part, &mut out)?;
            out.flush()
        });
        let file = file.ok()?;
        if boot() == [0; BOOT] {
            file.sync_all().ok()?;
        }
        let (network, header) = egr::read_largest(&self.largest, &file, true).ok()?;
        Some((file, network, header))
    }
}

/// A file of this user's, or of root's, that nobody else may write: not a pipe that someone put there, nor a link.
#[cfg(unix)]
fn open_own(path: &Path) -> Option<File> {
    use rustix::fs::{Mode, OFlags};
    use std::os::unix::fs::MetadataExt;
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty()).ok()?);
    let meta = file.metadata().ok()?;
    let owner = [0, rustix::process::geteuid().as_raw()].contains(&meta.uid());
    (meta.is_file() && owner && meta.mode() & 0o022 == 0).then_some(file)
}

#[cfg(not(unix))]
fn open_own(_: &Path) -> Option<File> {
    None
}

/// Writes a file that is there whole or not at all, for this user alone, and gives a handle for reading. What has its name and is not this
/// user's stays.
fn write(path: &Path, fill: impl FnOnce(&mut Partial) -> io::Result<()>) -> io::Result<File> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    if fs::symlink_metadata(path).is_ok() && open_own(path).is_none() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    #[cfg(unix)]
    let permissions = Some(std::os::unix::fs::PermissionsExt::from_mode(0o600));
    #[cfg(not(unix))]
    let permissions = None;
    let mut file = Partial::create(folder, name, permissions)?;
    fill(&mut file)?;
    let file = file.rename(path)?;
    crate::data::forget(path);
    Ok(file)
}

/// Bytes that are free for this user.
fn free(folder: &Path) -> Option<u64> {
    #[cfg(unix)]
    return rustix::fs::statvfs(folder).ok().map(|disk| disk.f_bavail.saturating_mul(disk.f_frsize));
    #[cfg(not(unix))]
    return None.filter(|_: &u64| folder.is_dir());
}

/// The boot of this machine: what was written before, and not waited for, may not be on disk. Zeros where it has no name.
fn boot() -> [u8; BOOT] {
    let name = fs::read("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    name.first_chunk().copied().unwrap_or([0; BOOT])
}

/// The digest of a large file as its record has it, and where to keep one that is found.
pub(in crate::data) struct KnownDigest(Option<LargeFile>);

impl KnownDigest {
    /// Of a file that is open, and of which nothing was read yet.
    pub(in crate::data) fn new(path: &Path, file: &File) -> Self {
        // No other file has a record.
        let is_egr = |file: &LargeFile| file.header().is_some_and(|header| header.starts_with(egr::MAGIC));
        Self(LargeFile::new(path, file).filter(is_egr))
    }

    pub(in crate::data) fn get(&self) -> Option<blake3::Hash> {
        self.0.as_ref()?.digest().map(blake3::Hash::from_bytes)
    }

    pub(in crate::data) fn keep(&self, digest: blake3::Hash) {
        if let Some(file) = &self.0 {
            file.keep_digest(*digest.as_bytes());
        }
    }
}

/// What is known of a network without looking at its rows.
#[derive(Clone, Default, Debug)]
pub(crate) struct Known {
    /// The large file that its rows lie in.
    pub(super) origin: Option<Arc<LargeFile>>,
    /// Of a network of one component, whether it is bipartite, directions ignored.
    pub(super) bipartite: OnceLock<bool>,
}

#[cfg(all(test, unix))]
mod tests {
    use super::super::{Build, Edge, Loops, NodeIds};
    use super::*;
    use crate::data::{digest, open};

    /// Several components, the second node alone.
    fn network(weighted: bool, directed: bool) -> Network {
        let edges: Vec<Edge> = (0..900u32)
            .map(|i| ((7 * i) % 500 + 2, (i * i + 3) % 500 + 2, f64::from(i % 4 + 1) / 2.0))
            .chain((510..530).map(|u| (u, u + 1, 1.0)))
            .collect();
        let ids = NodeIds::integers((0..600).map(|v| 3 * v).collect());
        Network::build(ids, &edges, weighted, Build { directed, loops: Loops::Keep }).unwrap().0
    }

    fn rest() {
        std::thread::sleep(AT_REST + Duration::from_millis(30));
    }

    fn save(path: &Path, network: &Network) -> Vec<u8> {
        let mut bytes = Vec::new();
        egr::write(network, &mut bytes).unwrap();
        assert!(bytes.len() as u64 >= LARGE);
        fs::write(path, &bytes).unwrap();
        rest();
        bytes
    }

    fn read(path: &Path) -> crate::Result<Network> {
        egr::read(path, open(path).unwrap(), false)
    }

    fn large(path: &Path) -> LargeFile {
        LargeFile::new(path, &File::open(path).unwrap()).unwrap()
    }

    fn same(one: &Network, two: &Network) {
        assert_eq!(one, two);
        assert_eq!((one.loops(), one.is_directed()), (two.loops(), two.is_directed()));
        assert_eq!(one.components(), two.components());
        let (one, two) = (one.incoming(), two.incoming());
        assert!((0..one.len()).all(|u| one.entries(u).eq(two.entries(u))));
    }

    #[test]
    fn the_second_time_everything_is_as_the_first_time() {
        let folder = tempfile::tempdir().unwrap();
        for (case, (weighted, directed)) in
            [(false, false), (true, false), (false, true), (true, true)].into_iter().enumerate()
        {
            let path = folder.path().join(format!("{case}.egr"));
            let made = network(weighted, directed);
            save(&path, &made);
            let before = digest(&path).unwrap();
            assert!(large(&path).recall().is_none());
            let part = made.part(&made.components().nodes(0));
            for time in 0..3 {
                let network = read(&path).unwrap();
                same(&network, &made);
                assert_eq!(digest(&path).unwrap(), before);
                let (largest, count) = network.into_largest_component().unwrap();
                assert_eq!(count, made.components().sizes.len(), "{time}");
                same(&largest, &part);
                assert_eq!(largest.components().bipartite, part.components().bipartite);
                let record = large(&path).recall().unwrap();
                assert_eq!(record.digest, Some(*blake3::hash(&fs::read(&path).unwrap()).as_bytes()));
                assert_eq!((record.components, record.largest.unwrap().weighted), (count as u64, weighted));
            }
            // Without weights the part is another one.
            let (largest, _) = read(&path).unwrap().unweighted().into_largest_component().unwrap();
            same(&largest, &part.clone().unweighted());
            same(&read(&path).unwrap().into_largest_component().unwrap().0, &part);
            same(&egr::read(&path, open(&path).unwrap(), true).unwrap(), &made);
            assert!(large(&path).recall().unwrap().largest.is_none(), "all was checked again");
        }
    }

    #[test]
    fn connected_networks_are_remembered_as_such() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("path.egr");
        let edges: Vec<_> = (0..2000).map(|u| (u, u + 1)).collect();
        save(&path, &Network::simple(2001, &edges).unwrap());
        for _ in 0..2 {
            let (network, count) = read(&path).unwrap().into_largest_component().unwrap();
            assert_eq!((count, network.components().bipartite), (1, vec![true]));
        }
        assert_eq!(large(&path).recall().unwrap().components, 1);
        assert!(!folder.path().join("path.egr.ergodict-largest").exists());
    }

    #[test]
    fn changed_files_are_checked_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.egr");
        let (made, other) = (network(false, false), network(false, true));
        let bytes = save(&path, &made);
        read(&path).unwrap().into_largest_component().unwrap();
        assert!(large(&path).recall().is_some());
        for at in (0..bytes.len()).step_by(37).chain([bytes.len() - 1]) {
            let mut bad = bytes.clone();
            bad[at] ^= 0x10;
            // In place, with the time that it had.
            let modified = fs::metadata(&path).unwrap().modified().unwrap();
            fs::write(&path, &bad).unwrap();
            File::options().write(true).open(&path).unwrap().set_modified(modified).unwrap();
            assert!(read(&path).is_err() && large(&path).recall().is_none(), "byte {at}");
        }
        fs::write(&path, &bytes[..bytes.len() - 64]).unwrap();
        assert!(read(&path).is_err());
        // Another file takes the name.
        let second = folder.path().join("y.egr");
        save(&second, &other);
        fs::rename(&second, &path).unwrap();
        same(&read(&path).unwrap(), &other);
        // A copy has no record, nor has a file that was just written.
        fs::copy(&path, &second).unwrap();
        read(&second).unwrap();
        assert!(!folder.path().join("y.egr.ergodict-check").exists());
    }

    #[test]
    fn damaged_records_are_none() {
        let folder = tempfile::tempdir().unwrap();
        let (path, record) = (folder.path().join("x.egr"), folder.path().join("x.egr.ergodict-check"));
        let made = network(true, true);
        save(&path, &made);
        let part = read(&path).unwrap().into_largest_component().unwrap().0;
        let good = fs::read(&record).unwrap();
        assert_eq!(good.len(), LENGTH);
        for at in 0..good.len() {
            let mut bad = good.clone();
            bad[at] ^= 1 << (at % 8);
            for bad in [&bad[..], &good[..at]] {
                fs::write(&record, bad).unwrap();
                assert!(large(&path).recall().is_none(), "byte {at}");
            }
            if at % 41 == 0 {
                same(&read(&path).unwrap().into_largest_component().unwrap().0, &part);
                assert!(large(&path).recall().is_some());
            }
        }
        fs::write(&record, [&good[..], b"x"].concat()).unwrap();
        assert!(large(&path).recall().is_none());
        // Folders in place of the files: nothing can be kept.
        let largest = folder.path().join("x.egr.ergodict-largest");
        fs::remove_file(&record).unwrap();
        fs::remove_file(&largest).unwrap();
        fs::create_dir(&largest).unwrap();
        same(&read(&path).unwrap().into_largest_component().unwrap().0, &part);
        assert!(large(&path).recall().unwrap().largest.is_none());
        fs::remove_file(&record).unwrap();
        fs::create_dir(&record).unwrap();
        same(&read(&path).unwrap().into_largest_component().unwrap().0, &part);
        assert!(fs::read_dir(folder.path()).unwrap().count() == 3, "no temporary file is left");
    }

    #[test]
    fn records_of_others_are_neither_believed_nor_replaced() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let (path, record) = (folder.path().join("x.egr"), folder.path().join("x.egr.ergodict-check"));
        let made = network(false, false);
        save(&path, &made);
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let change = |mode: u32| fs::set_permissions(&record, fs::Permissions::from_mode(mode)).unwrap();
        read(&path).unwrap().into_largest_component().unwrap();
        assert_eq!((mode(&record), mode(&folder.path().join("x.egr.ergodict-largest"))), (0o600, 0o600));
        for open_to_others in [0o620, 0o602] {
            change(open_to_others);
            assert!(large(&path).recall().is_none());
            same(&read(&path).unwrap(), &made);
            assert_eq!(mode(&record), open_to_others, "it stays as it is");
        }
        change(0o600);
        assert!(large(&path).recall().is_some());
        // A link, even to a good record, and a pipe that nobody writes into.
        let moved = folder.path().join("moved");
        fs::rename(&record, &moved).unwrap();
        symlink(&moved, &record).unwrap();
        assert!(large(&path).recall().is_none());
        same(&read(&path).unwrap(), &made);
        assert!(fs::symlink_metadata(&record).unwrap().is_symlink());
        #[cfg(target_os = "linux")]
        {
            use rustix::fs::{CWD, FileType, Mode, mknodat};
            fs::remove_file(&record).unwrap();
            mknodat(CWD, &record, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
            same(&read(&path).unwrap(), &made);
        }
    }

    #[test]
    fn records_with_another_header_are_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.egr");
        let made = network(false, true);
        save(&path, &made);
        let part = read(&path).unwrap().into_largest_component().unwrap().0;
        large(&path).add(|record| record.largest.as_mut().unwrap().header[40] ^= 1);
        assert!(large(&path).recall().is_some() && large(&path).largest(false).is_none());
        same(&read(&path).unwrap().into_largest_component().unwrap().0, &part);
        large(&path).add(|record| record.header[40] ^= 1);
        assert!(large(&path).recall().is_none());
        same(&read(&path).unwrap(), &made);
    }

    #[test]
    fn one_process_writes_the_largest_component() {
        let folder = tempfile::tempdir().unwrap();
        let (path, largest) = (folder.path().join("x.egr"), folder.path().join("x.egr.ergodict-largest"));
        let made = network(false, false);
        save(&path, &made);
        let part = made.part(&made.components().nodes(0));
        let other = File::open(&path).unwrap();
        other.lock().unwrap();
        same(&read(&path).unwrap().into_largest_component().unwrap().0, &part);
        assert!(!largest.exists());
        other.unlock().unwrap();
        same(&read(&path).unwrap().into_largest_component().unwrap().0, &part);
        assert!(largest.exists());
        // A full check finds it useless.
        egr::read(&path, open(&path).unwrap(), true).unwrap();
        assert!(!largest.exists());
    }

    #[test]
    fn damaged_components_are_made_again() {
        let folder = tempfile::tempdir().unwrap();
        let (path, largest) = (folder.path().join("x.egr"), folder.path().join("x.egr.ergodict-largest"));
        let made = network(true, false);
        save(&path, &made);
        let part = read(&path).unwrap().into_largest_component().unwrap().0;
        let good = fs::read(&largest).unwrap();
        let again = || read(&path).unwrap().into_largest_component().unwrap().0;
        for at in (0..good.len()).step_by(151) {
            let mut bad = good.clone();
            bad[at] ^= 4;
            fs::write(&largest, &bad).unwrap();
            same(&again(), &part);
            fs::write(&largest, &good[..at]).unwrap();
            same(&again(), &part);
        }
        fs::remove_file(&largest).unwrap();
        same(&again(), &part);
        // After another boot of the machine all of it is checked: whole,
        let of_boot = |boot: u8| {
            large(&path).add(|record| {
                if let Some(part) = &mut record.largest {
                    let now = fs::metadata(&largest).unwrap();
                    (part.boot, part.identity) = ([boot; BOOT], Identity::new(&now).unwrap());
                }
            });
        };
        of_boot(1);
        assert_eq!(large(&path).recall().unwrap().largest.unwrap().boot, [1; BOOT]);
        assert!(large(&path).largest(true).unwrap().0.is_some());
        assert_eq!(large(&path).recall().unwrap().largest.unwrap().boot, boot());
        // or not.
        let mut bad = good.clone();
        bad[good.len() / 2] ^= 4;
        fs::write(&largest, &bad).unwrap();
        of_boot(1);
        assert!(large(&path).largest(true).is_none());
        same(&again(), &part);
    }
}
