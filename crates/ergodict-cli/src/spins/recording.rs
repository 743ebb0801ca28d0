//! A chain being recorded: its kept configurations go to a trajectory file, its observables are measured.

use crate::{interrupt, output};
use anyhow::{Context, Result, bail};
use ergodict::chain::diagnostics::Acceptance;
use ergodict::chain::{ChainPoint, Observable, Rhythm, SpinWalk};
use ergodict::data::{Trajectory, TrajectoryWriter};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Updates of single sites before the clock is looked at again: a few milliseconds of the slower chains.
const PIECE: u64 = 200_000;

/// Where a recording was when its last frame was kept; the state is that frame.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Mark {
    frames: u64,
    point: ChainPoint,
}

/// A chain being recorded.
pub(super) struct Recording {
    pub(super) walk: Box<dyn SpinWalk>,
    /// None when all frames are at their place already.
    writer: Option<TrajectoryWriter>,
    frames: u64,
    partial: Option<PathBuf>,
    rhythm: Rhythm,
    /// Configurations to keep in all.
    all: u64,
    observables: Vec<Observable>,
    /// A series for each observable.
    pub(super) series: Vec<Vec<f64>>,
    mark: Option<Mark>,
}

impl Recording {
    /// From the beginning, into `partial` if the recording may be interrupted, else into `out`.
    pub(super) fn new(
        walk: Box<dyn SpinWalk>,
        out: &Path,
        partial: Option<PathBuf>,
        (rhythm, all): (Rhythm, u64),
        observables: &[Observable],
    ) -> Result<Self> {
        let writer = match &partial {
            Some(partial) => TrajectoryWriter::resume_or_create(partial, walk.shape(), 0)?,
            None => TrajectoryWriter::create(out, walk.shape())?,
        };
        let (observables, series) = (observables.to_vec(), vec![Vec::new(); observables.len()]);
        let writer = Some(writer);
        Ok(Self { walk, writer, frames: 0, partial, rhythm, all, observables, series, mark: None })
    }

    /// Goes on from a mark: what was measured is measured again from the frames. None when interrupted meanwhile.
    pub(super) fn resumed(
        walk: Box<dyn SpinWalk>,
        out: &Path,
        partial: PathBuf,
        (rhythm, all): (Rhythm, u64),
        observables: &[Observable],
        mark: Mark,
    ) -> Result<Option<Self>> {
        // A run that ended while it wrote its outputs has renamed some of the partial files.
        let published = mark.frames == all && !partial.exists() && out.is_file();
        let (writer, mut trajectory) = if published {
            let trajectory = Trajectory::open(out)?;
            if (trajectory.len(), trajectory.shape()) != (all, walk.shape()) {
                bail!(
                    "{}: is not the trajectory of this run, and {} is gone",
                    out.display(),
                    partial.display()
                );
            }
            (None, trajectory)
        } else {
            let mut writer = TrajectoryWriter::resume_or_create(&partial, walk.shape(), mark.frames)?;
            writer.sync()?;
            (Some(writer), Trajectory::open(&partial)?)
        };
        let (observables, series) = (observables.to_vec(), vec![Vec::new(); observables.len()]);
        let frames = mark.frames;
        let mut recording =
            Self { walk, writer, frames, partial: None, rhythm, all, observables, series, mark: None };
        let mut point = mark.point.clone();
        let mut frame = Vec::new();
        for _ in 0..mark.frames {
            if interrupt::asked() {
                return Ok(None);
            }
            if !trajectory.next_frame(&mut frame)? {
                bail!("{}: has lost frames", partial.display());
            }
            point.state = frame.iter().map(|&s| s as u8).collect();
            recording.walk.seek(&point).with_context(|| partial.display().to_string())?;
            recording.measure()?;
        }
        (recording.partial, recording.mark) = (Some(partial), Some(mark));
        Ok(Some(recording))
    }

    fn measure(&mut self) -> Result<()> {
        for (observable, series) in self.observables.iter().zip(&mut self.series) {
            series.push(self.walk.measure(*observable)?);
        }
        Ok(())
    }

    /// Frames kept so far.
    pub(super) fn frames(&self) -> u64 {
        self.frames
    }

    /// Updates of single sites made so far.
    pub(super) fn updates(&self) -> u64 {
        self.walk.taken().saturating_mul(self.walk.updates_per_step())
    }

    /// Whether all frames are kept.
    pub(super) fn over(&self) -> bool {
        self.frames() >= self.all
    }

    /// Goes on for about `slice`, or until `stop`; `kept` counts the frames of all recordings.
    pub(super) fn go_on(&mut self, slice: Duration, kept: &AtomicU64, stop: impl Fn() -> bool) -> Result<()> {
        let started = Instant::now();
        let piece = (PIECE / self.walk.updates_per_step()).max(1);
        while !self.over() && !stop() {
            let left = self.rhythm.step_of(self.frames()) - self.walk.taken();
            self.walk.advance(left.min(piece));
            if left <= piece {
                self.keep()?;
                kept.fetch_add(1, Ordering::Relaxed);
            }
            if started.elapsed() >= slice {
                break;
            }
        }
        Ok(())
    }

    /// Keeps the configuration.
    fn keep(&mut self) -> Result<()> {
        if let Some(writer) = &mut self.writer {
            writer.write(self.walk.spins())?;
        }
        self.frames += 1;
        self.measure()?;
        if self.partial.is_some() {
            let mut point = self.walk.point();
            point.state = Vec::new();
            self.mark = Some(Mark { frames: self.frames(), point });
        }
        Ok(())
    }

    /// Puts the frames on disk and tells where the recording can go on; none before the first frame.
    pub(super) fn mark(&mut self) -> Result<Option<Mark>> {
        self.writer.as_mut().map_or(Ok(()), TrajectoryWriter::sync)?;
        Ok(self.mark.clone())
    }

    /// Makes the trajectory appear.
    pub(super) fn publish(self, out: &Path) -> Result<Ended> {
        let ended = Ended {
            series: self.series,
            frames: self.frames,
            acceptance: self.walk.acceptance(),
            last: self.walk.spins().to_vec(),
        };
        let placed = || out.display().to_string();
        match (self.writer, self.partial) {
            (None, _) => {}
            // What went into a pipe cannot be read again: the partial file stays until there is nothing to resume any more.
            (Some(writer), Some(partial)) if output::is_standard(out) => {
                writer.finish().with_context(placed)?;
                let mut frames = File::open(&partial).map_err(ergodict::Error::io(&partial))?;
                output::stream(out, |file| {
                    std::io::copy(&mut frames, file).map_err(ergodict::Error::io(out))?;
                    Ok(())
                })?;
            }
            (Some(writer), _) => writer.publish(out).with_context(placed)?,
        }
        Ok(ended)
    }
}

/// What is left of a recording when its trajectory is written.
pub(super) struct Ended {
    pub(super) series: Vec<Vec<f64>>,
    pub(super) frames: u64,
    pub(super) acceptance: Option<Acceptance>,
    pub(super) last: Vec<i8>,
}
