//! Chains being recorded: what they keep goes to a spool or a file, what is measured stays in memory.
//!
//! A recorder that is restored measures again from its spool what it had measured before, in slices like the rest.

use super::checkpoint::{Resumable, Sections, Spool};
use super::job::{Job, Status, Stop};
use crate::chain::diagnostics::Acceptance;
use crate::chain::{ChainPoint, MotifPoint, MotifWalker, Observable, SpinWalk, Thinning};
use crate::data::{TrajectoryWriter, npy_header};
use crate::patch::{MeasureSeries, Measures};
use crate::{Error, Result};
use std::io::Read;
use std::path::Path;
use std::time::{Duration, Instant};

/// Homomorphisms between looks at the clock.
const PIECE: usize = 1 << 10;
/// Updates of single sites before the clock is looked at again: a few milliseconds of the slower chains.
const UPDATES: u64 = 200_000;

/// A sampler of homomorphisms being recorded.
///
/// ```
/// use ergodict::chain::{ExactSampler, Motif, MotifWalker};
/// use ergodict::run::{MotifRecorder, Spool, Status, Stop, drive};
/// use ergodict::{data::Adjacency, patch::Measures};
/// let (karate, motif) = (std::sync::Arc::new(ergodict::data::embedded("karate")?), Motif::path(3)?);
/// let sampler = std::sync::Arc::new(ExactSampler::new(karate.clone(), &motif)?);
/// let measures = Measures::with(Adjacency::new(&karate, Adjacency::BUDGET), &motif, None, false)?;
/// let walker = MotifWalker::new(sampler, 0, 0, 0, 1)?;
/// let spool = Spool::temporary(&std::env::temp_dir().join("walks"))?;
/// let mut recorder = MotifRecorder::new(walker, 500, measures, Some(spool));
/// assert_eq!(drive(&mut [&mut recorder], None, &Stop::default(), &mut ())?, Status::Finished);
/// let mut walks = 0;
/// recorder.each(|xs| { walks += xs.len() / 3; Ok::<(), ergodict::Error>(()) })?;
/// assert_eq!((walks, recorder.kept()), (500, 500));
/// # Ok::<(), ergodict::Error>(())
/// ```
pub struct MotifRecorder {
    walker: MotifWalker,
    wanted: u64,
    spool: Option<Spool>,
    measures: Measures,
    measured: MeasureSeries,
    /// Homomorphisms that are measured; after a resumption fewer than are kept.
    seen: u64,
    piece: Vec<u32>,
}

impl MotifRecorder {
    /// Records `wanted` homomorphisms, as four bytes a node, if they are needed later.
    pub fn new(walker: MotifWalker, wanted: u64, measures: Measures, spool: Option<Spool>) -> Self {
        let measured = measures.none_yet();
        Self { walker, wanted, spool, measures, measured, seen: 0, piece: Vec::new() }
    }

    /// Homomorphisms so far.
    pub fn kept(&self) -> u64 {
        self.walker.point().kept
    }

    /// What was measured.
    pub fn measured(&self) -> &MeasureSeries {
        &self.measured
    }

    /// Proposals accepted and made.
    pub fn acceptance(&self) -> Acceptance {
        self.walker.acceptance()
    }

    fn k(&self) -> usize {
        self.walker.sampler().motif().k()
    }

    /// Goes through all that is recorded, some homomorphisms at a time.
    ///
    /// # Errors
    /// [`Error::Io`], and those of `take`.
    pub fn each<E: From<Error>>(
        &self,
        mut take: impl FnMut(&[u32]) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        let Some(spool) = &self.spool else { return Ok(()) };
        let (mut reader, mut left) = (spool.reader(0)?, self.kept());
        let (k, mut bytes, mut xs) = (self.k(), Vec::new(), Vec::new());
        while left > 0 {
            let now = left.min(PIECE as u64) as usize;
            bytes.resize(now * k * 4, 0);
            reader.read_exact(&mut bytes).map_err(|error| spool.io(error))?;
            nodes(&bytes, &mut xs);
            take(&xs)?;
            left -= now as u64;
        }
        Ok(())
    }

    /// Measures a piece of what was recorded before the run was resumed.
    fn measure_again(&mut self) -> Result<()> {
        let (k, now) = (self.k(), (self.kept() - self.seen).min(PIECE as u64));
        let Some(spool) = &self.spool else { return Ok(()) };
        let mut bytes = vec![0; now as usize * k * 4];
        let mut reader = spool.reader(self.seen * k as u64 * 4)?;
        reader.read_exact(&mut bytes).map_err(|error| spool.io(error))?;
        nodes(&bytes, &mut self.piece);
        let nodes = self.walker.sampler().network().nodes();
        if self.piece.iter().any(|&v| v as usize >= nodes) {
            return Err(spool.damaged("it has nodes that are not in the network"));
        }
        self.measures.measure(&self.piece, &mut self.measured);
        self.seen += now;
        Ok(())
    }
}

/// Numbers of nodes from their bytes.
fn nodes(bytes: &[u8], into: &mut Vec<u32>) {
    into.clear();
    into.extend(bytes.chunks_exact(4).map(|four| u32::from_le_bytes([four[0], four[1], four[2], four[3]])));
}

impl Resumable for MotifRecorder {
    fn save(&self, to: &mut Sections) -> Result<()> {
        to.put_json("point", &self.walker.point())
    }

    fn restore(&mut self, from: &Sections) -> Result<()> {
        let point: MotifPoint = from.json("point")?;
        let bytes = self.spool.as_ref().map(Spool::len);
        let kept = point.kept.checked_mul(self.k() as u64 * 4);
        if point.kept > self.wanted || kept != Some(bytes.unwrap_or(0)) {
            return Err(from.damaged("point", "it does not fit this run"));
        }
        self.walker.seek(&point)?;
        (self.measured, self.seen) = (self.measures.none_yet(), 0);
        Ok(())
    }
}

impl Job for MotifRecorder {
    fn done(&self) -> (u64, Option<u64>) {
        (self.kept(), Some(self.wanted))
    }

    fn advance(&mut self, slice: Duration, stop: &Stop) -> Result<Status> {
        let (started, k) = (Instant::now(), self.k());
        while self.seen < self.wanted {
            if stop.is_asked() {
                return Ok(Status::Stopped);
            }
            if self.seen < self.kept() {
                self.measure_again()?;
            } else {
                let now = (self.wanted - self.seen).min(PIECE as u64);
                self.piece.resize(now as usize * k, 0);
                // Between two homomorphisms there may be any number of steps; a stop must lose none that is handed out.
                self.piece.truncate(self.walker.most_at_once().saturating_mul(k));
                if !self.walker.fill_until(&mut self.piece, &|| stop.is_asked()) {
                    return Ok(Status::Stopped);
                }
                let now = (self.piece.len() / k) as u64;
                if let Some(spool) = &self.spool {
                    let bytes: Vec<u8> = self.piece.iter().flat_map(|v| v.to_le_bytes()).collect();
                    spool.write(&bytes)?;
                }
                self.measures.measure(&self.piece, &mut self.measured);
                self.seen += now;
                stop.count(now);
            }
            if started.elapsed() >= slice && self.seen < self.wanted {
                return Ok(Status::Running);
            }
        }
        Ok(Status::Finished)
    }

    fn unit(&self) -> &'static str {
        "samples"
    }

    fn text(&self) -> String {
        let Acceptance { accepted, proposed } = self.acceptance();
        match proposed {
            0 => String::new(),
            _ => format!("{:.1} % accepted", 100.0 * accepted as f64 / proposed as f64),
        }
    }
}

/// Where frames go.
enum Frames {
    /// Into the trajectory itself, which appears at the end.
    File(TrajectoryWriter),
    /// Next to a checkpoint, as a trajectory of all frames that are to come.
    Spool(Spool),
}

/// A chain of configurations being recorded.
///
/// ```
/// use ergodict::chain::{Boundary, Field, Ising, Lattice, Observable, Thinning, Walker};
/// use ergodict::run::{SpinRecorder, Status, Stop, drive};
/// use ergodict::data::Trajectory;
/// let ising = Ising::new(Lattice::new(8, 8, Boundary::Periodic)?, 2.0, 1.0, Field::Uniform(0.0))?;
/// let out = std::env::temp_dir().join(format!("ergodict-recorder-{}.npy", std::process::id()));
/// let walk = Box::new(Walker::new(ising, 7, 0));
/// let mut recorder = SpinRecorder::new(walk, &out, None, Thinning::of_updates(0, 64, 1), 10, &[Observable::Energy])?;
/// assert_eq!(drive(&mut [&mut recorder], None, &Stop::default(), &mut ())?, Status::Finished);
/// assert_eq!((recorder.frames(), recorder.series()[0].len()), (10, 10));
/// recorder.publish(&out)?;
/// assert_eq!(Trajectory::open(&out)?.len(), 10);
/// # std::fs::remove_file(&out).unwrap();
/// # Ok::<(), ergodict::Error>(())
/// ```
pub struct SpinRecorder {
    walk: Box<dyn SpinWalk>,
    /// None when the trajectory is at its place.
    sink: Option<Frames>,
    frames: u64,
    thinning: Thinning,
    wanted: u64,
    observables: Vec<Observable>,
    series: Vec<Vec<f64>>,
    /// Where the chain was, until all that was recorded before is measured again.
    target: Option<ChainPoint>,
}

impl SpinRecorder {
    /// Records `wanted` configurations, into `spool` if there is one, else into the trajectory `out`; either appears as `out` by
    /// [`SpinRecorder::publish`].
    ///
    /// # Errors
    /// Those of [`TrajectoryWriter::create`], and [`Error::Parameter`] for observables that this chain does not have.
    pub fn new(
        walk: Box<dyn SpinWalk>,
        out: &Path,
        spool: Option<Spool>,
        thinning: Thinning,
        wanted: u64,
        observables: &[Observable],
    ) -> Result<Self> {
        // Found out now, not after the first frame.
        observables.iter().try_for_each(|observable| walk.measure(*observable).map(|_| ()))?;
        let sink = Some(match spool {
            Some(spool) => Frames::Spool(spool),
            None => Frames::File(TrajectoryWriter::create(out, walk.shape())?),
        });
        let (observables, series) = (observables.to_vec(), vec![Vec::new(); observables.len()]);
        Ok(Self { walk, sink, frames: 0, thinning, wanted, observables, series, target: None })
    }

    /// Frames kept so far.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// Updates of single sites made so far.
    pub fn updates(&self) -> u64 {
        let taken = self.target.as_ref().map_or(self.walk.taken(), |target| target.steps);
        taken.saturating_mul(self.walk.updates_per_step())
    }

    /// A series for each observable.
    pub fn series(&self) -> &[Vec<f64>] {
        &self.series
    }

    /// The chain.
    pub fn walk(&self) -> &dyn SpinWalk {
        &*self.walk
    }

    /// What stands before the frames of a spool.
    fn header(&self) -> Vec<u8> {
        let (rows, cols) = self.walk.shape();
        npy_header(self.walk.frame().descr(), self.wanted, &[rows, cols])
    }

    fn measure(&mut self) -> Result<()> {
        for (observable, series) in self.observables.iter().zip(&mut self.series) {
            series.push(self.walk.measure(*observable)?);
        }
        Ok(())
    }

    /// Frames that are measured; after a resumption fewer than are kept.
    fn seen(&self) -> u64 {
        self.series.first().map_or(self.frames, |series| series.len() as u64)
    }

    /// Measures a frame that was recorded before the run was resumed.
    fn measure_again(&mut self, target: &ChainPoint) -> Result<()> {
        let Some(Frames::Spool(spool)) = &self.sink else { return Ok(()) };
        let mut state = vec![0; self.walk.frame().to_bytes().len()];
        let start = self.header().len() as u64 + self.seen() * state.len() as u64;
        spool.reader(start)?.read_exact(&mut state).map_err(|error| spool.io(error))?;
        let steps = self.thinning.step_of(self.seen());
        self.walk.seek(&ChainPoint { steps, state, ..target.clone() })?;
        self.measure()
    }

    /// Keeps the configuration.
    fn keep(&mut self) -> Result<()> {
        match &mut self.sink {
            None => {}
            Some(Frames::File(writer)) => writer.write_frame(&self.walk.frame())?,
            Some(Frames::Spool(spool)) => {
                let mut bytes = Vec::new();
                if self.frames == 0 && spool.is_empty() {
                    let (rows, cols) = self.walk.shape();
                    bytes = npy_header(self.walk.frame().descr(), self.wanted, &[rows, cols]);
                }
                bytes.extend(self.walk.frame().to_bytes());
                spool.write(&bytes)?;
            }
        }
        self.frames += 1;
        self.measure()
    }

    /// Makes the trajectory appear at `out`.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn publish(&mut self, out: &Path) -> Result<()> {
        match self.sink.take() {
            None => Ok(()),
            Some(Frames::File(writer)) => writer.finish(),
            Some(Frames::Spool(spool)) => spool.publish(out),
        }
    }
}

impl Resumable for SpinRecorder {
    fn save(&self, to: &mut Sections) -> Result<()> {
        let point = self.target.clone().unwrap_or_else(|| self.walk.point());
        to.put_json("frames", &self.frames)?;
        to.put_json("point", &point)?;
        to.put("state", point.state);
        Ok(())
    }

    fn restore(&mut self, from: &Sections) -> Result<()> {
        let (frames, mut point): (u64, ChainPoint) = (from.json("frames")?, from.json("point")?);
        point.state = from.bytes("state")?;
        let each = self.walk.frame().to_bytes().len() as u64;
        let bytes = if frames == 0 { 0 } else { self.header().len() as u64 + frames * each };
        let there = if let Some(Frames::Spool(spool)) = &self.sink { spool.len() } else { 0 };
        let next = self.thinning.step_of(frames);
        if frames > self.wanted || there != bytes || point.steps > next {
            return Err(from.damaged("frames", "it does not fit this run"));
        }
        self.walk.seek(&point)?;
        self.frames = frames;
        self.series.iter_mut().for_each(Vec::clear);
        self.target = Some(point);
        Ok(())
    }
}

impl Job for SpinRecorder {
    fn done(&self) -> (u64, Option<u64>) {
        (self.frames, Some(self.wanted))
    }

    fn advance(&mut self, slice: Duration, stop: &Stop) -> Result<Status> {
        let started = Instant::now();
        let piece = (UPDATES / self.walk.updates_per_step()).max(1);
        while self.frames < self.wanted || self.target.is_some() {
            if stop.is_asked() {
                return Ok(Status::Stopped);
            }
            if let Some(target) = self.target.take() {
                if self.seen() < self.frames {
                    let measured = self.measure_again(&target);
                    self.target = Some(target);
                    measured?;
                } else {
                    self.walk.seek(&target)?;
                }
            } else {
                let left = self.thinning.step_of(self.frames) - self.walk.taken();
                self.walk.advance(left.min(piece));
                if left <= piece {
                    self.keep()?;
                    stop.count(1);
                }
            }
            if started.elapsed() >= slice && (self.frames < self.wanted || self.target.is_some()) {
                return Ok(Status::Running);
            }
        }
        Ok(Status::Finished)
    }

    fn unit(&self) -> &'static str {
        "frames"
    }

    fn text(&self) -> String {
        let last = |series: &Vec<f64>| series.last().copied().unwrap_or(f64::NAN);
        let each = self.observables.iter().zip(&self.series);
        each.map(|(observable, series)| format!("{observable} {:.4}", last(series)))
            .collect::<Vec<_>>()
            .join(", ")
    }
}
