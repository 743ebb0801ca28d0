//! A sampler being recorded: homomorphisms go to a spool, observables are measured on the way.

use crate::interrupt;
use anyhow::{Context, Result, bail};
use ergodict::chain::diagnostics::Acceptance;
use ergodict::chain::{MotifPoint, MotifWalker};
use ergodict::patch::{Measured, Measures};
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io::{BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Homomorphisms between looks at the clock.
const PIECE: usize = 1 << 10;

/// Where a recording was; what it measured is measured again from the spool.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Mark {
    point: MotifPoint,
}

/// The homomorphisms of a chain on disk, as numbers of nodes, four bytes each.
struct Spool {
    file: BufWriter<File>,
    /// Where it can be found again, for runs that may be interrupted.
    path: Option<PathBuf>,
    /// What to call it.
    called: String,
}

impl Spool {
    /// A new file: at `path`, or one without a name beside `out`.
    fn create(path: Option<PathBuf>, beside: &Path) -> Result<Self> {
        let file = if let Some(path) = &path {
            let mut options = OpenOptions::new();
            options.read(true).write(true).create(true).truncate(true);
            options.open(path).map_err(ergodict::Error::io(path))?
        } else {
            let folder = beside.parent().filter(|folder| folder.is_dir()).unwrap_or(Path::new("."));
            let file = tempfile::tempfile_in(folder).or_else(|_| tempfile::tempfile());
            file.map_err(ergodict::Error::io(beside))?
        };
        let called = match &path {
            Some(path) => path.display().to_string(),
            None => format!("a temporary file beside {}", beside.display()),
        };
        Ok(Self { file: BufWriter::with_capacity(1 << 17, file), path, called })
    }

    /// An older one with `bytes` bytes that count.
    fn reopen(path: PathBuf, bytes: u64) -> Result<Self> {
        let file =
            OpenOptions::new().read(true).write(true).open(&path).map_err(ergodict::Error::io(&path))?;
        let there = file.metadata().map_err(ergodict::Error::io(&path))?.len();
        if there < bytes {
            bail!("{}: has lost homomorphisms: {there} of {bytes} bytes are left", path.display());
        }
        file.set_len(bytes).map_err(ergodict::Error::io(&path))?;
        let called = path.display().to_string();
        let mut spool = Self { file: BufWriter::with_capacity(1 << 17, file), path: Some(path), called };
        spool.file.seek(SeekFrom::End(0)).with_context(|| spool.name())?;
        Ok(spool)
    }

    fn name(&self) -> String {
        self.called.clone()
    }

    fn write(&mut self, xs: &[u32]) -> Result<()> {
        let mut put = |x: &u32| self.file.write_all(&x.to_le_bytes());
        xs.iter().try_for_each(&mut put).with_context(|| self.name())
    }

    /// Goes through all that is written, some homomorphisms of `k` nodes at a time.
    fn each(&mut self, k: usize, mut take: impl FnMut(&[u32]) -> Result<()>) -> Result<()> {
        self.file.flush().with_context(|| self.name())?;
        let name = self.name();
        let file = self.file.get_mut();
        file.seek(SeekFrom::Start(0)).with_context(|| name.clone())?;
        let mut reader = BufReader::with_capacity(1 << 17, &*file);
        let (mut bytes, mut xs) = (vec![0; PIECE * k * 4], Vec::with_capacity(PIECE * k));
        loop {
            let mut filled = 0;
            while filled < bytes.len() {
                match reader.read(&mut bytes[filled..]).with_context(|| name.clone())? {
                    0 => break,
                    n => filled += n,
                }
            }
            if filled == 0 {
                break;
            }
            xs.clear();
            let number = |four: &[u8]| u32::from_le_bytes([four[0], four[1], four[2], four[3]]);
            xs.extend(bytes[..filled].chunks_exact(4).map(number));
            take(&xs)?;
        }
        self.file.get_mut().seek(SeekFrom::End(0)).with_context(|| name)?;
        Ok(())
    }
}

/// A chain being recorded.
pub(super) struct Recording {
    walker: MotifWalker,
    wanted: u64,
    spool: Option<Spool>,
    measures: Measures,
    measured: Measured,
    piece: Vec<u32>,
}

impl Recording {
    /// From the beginning: `wanted` homomorphisms, spooled if they are needed later.
    pub(super) fn new(
        walker: MotifWalker,
        wanted: u64,
        measures: Measures,
        spool: Option<(Option<PathBuf>, &Path)>,
    ) -> Result<Self> {
        let spool = spool.map(|(path, beside)| Spool::create(path, beside)).transpose()?;
        let measured = measures.none_yet();
        Ok(Self { walker, wanted, spool, measures, measured, piece: Vec::new() })
    }

    /// Goes on from a mark; none when interrupted meanwhile.
    pub(super) fn resumed(
        mut walker: MotifWalker,
        wanted: u64,
        measures: Measures,
        path: PathBuf,
        mark: &Mark,
    ) -> Result<Option<Self>> {
        let (k, n) = (walker.sampler().motif().k(), walker.sampler().network().nodes());
        let at = path.display().to_string();
        if mark.point.kept > wanted {
            bail!("{at}: damaged checkpoint: it has {} homomorphisms of {wanted}", mark.point.kept);
        }
        walker.seek(&mark.point).with_context(|| at.clone())?;
        let mut spool = Spool::reopen(path, mark.point.kept * k as u64 * 4)?;
        let mut measured = measures.none_yet();
        let mut stopped = false;
        spool.each(k, |xs| {
            stopped |= interrupt::asked();
            if xs.iter().any(|&v| v as usize >= n) {
                bail!("{at}: is damaged: it has nodes that are not in the network");
            }
            if !stopped {
                measures.measure(xs, &mut measured);
            }
            Ok(())
        })?;
        let piece = Vec::new();
        Ok((!stopped).then_some(Self { walker, wanted, spool: Some(spool), measures, measured, piece }))
    }

    /// Homomorphisms so far.
    pub(super) fn kept(&self) -> u64 {
        self.walker.point().kept
    }

    /// Whether there are as many as are wanted.
    pub(super) fn over(&self) -> bool {
        self.kept() >= self.wanted
    }

    /// Goes on for about `slice`, or until `stop`; `all` counts the homomorphisms of all recordings.
    pub(super) fn go_on(&mut self, slice: Duration, all: &AtomicU64, stop: impl Fn() -> bool) -> Result<()> {
        let started = Instant::now();
        let k = self.walker.sampler().motif().k();
        while !self.over() && !stop() && started.elapsed() < slice {
            let now = (self.wanted - self.kept()).min(PIECE as u64) as usize;
            self.piece.resize(now * k, 0);
            self.walker.fill(&mut self.piece);
            if let Some(spool) = &mut self.spool {
                spool.write(&self.piece)?;
            }
            self.measures.measure(&self.piece, &mut self.measured);
            all.fetch_add(now as u64, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Puts the homomorphisms on disk and tells where the recording can go on.
    pub(super) fn mark(&mut self) -> Result<Mark> {
        if let Some(spool) = &mut self.spool {
            spool.file.flush().with_context(|| spool.name())?;
            spool.file.get_ref().sync_data().with_context(|| spool.name())?;
        }
        Ok(Mark { point: self.walker.point() })
    }

    /// Goes through the homomorphisms again.
    pub(super) fn each(&mut self, take: impl FnMut(&[u32]) -> Result<()>) -> Result<()> {
        let k = self.walker.sampler().motif().k();
        self.spool.as_mut().map_or(Ok(()), |spool| spool.each(k, take))
    }

    /// What was measured.
    pub(super) fn measured(&self) -> &Measured {
        &self.measured
    }

    /// Proposals accepted and made.
    pub(super) fn acceptance(&self) -> Acceptance {
        self.walker.acceptance()
    }

    /// Deletes the spool of a run that is over.
    pub(super) fn remove(self) -> Result<()> {
        match self.spool.and_then(|spool| spool.path) {
            Some(path) => crate::saving::remove(&path),
            None => Ok(()),
        }
    }
}
