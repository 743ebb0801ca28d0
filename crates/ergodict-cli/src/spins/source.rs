//! Minibatches of patches: from a spin system under way, from a trajectory in a file, from one configuration.

use super::film::Film;
use crate::interrupt;
use crate::runs::{Filled, Source};
use crate::watched::Watched;
use anyhow::Result;
use ergodict::chain::observables::magnetisation;
use ergodict::chain::{Alphabet, ChainPoint, Observable, Rhythm, SpinWalk};
use ergodict::data::Trajectory;
use ergodict::dictionary::Model;
use ergodict::linalg::{Mat, Scalar};
use ergodict::patch::SpinCutter;
use std::time::{Duration, Instant};

/// Updates of single sites before Ctrl-C is listened to again: some milliseconds of the slower chains.
const PIECE: u64 = 1_000_000;

/// How a minibatch is cut from a configuration: how many patches, and where.
#[derive(Clone)]
pub(super) struct Cutter {
    pub(super) cutter: SpinCutter,
    pub(super) count: usize,
}

impl Cutter {
    fn cut<T: Scalar>(&mut self, spins: &[i8], shape: (usize, usize), x: &mut Mat<T>) -> Result<()> {
        Ok(self.cutter.cut(spins, shape, self.count, x)?)
    }
}

/// A spin system seen at every τ-th step after its burn-in.
pub(super) struct WalkSource {
    pub(super) walk: Box<dyn SpinWalk>,
    pub(super) cutter: Cutter,
    /// Which states are kept, and steps in all after the burn-in.
    pub(super) rhythm: Rhythm,
    pub(super) steps: u64,
    pub(super) chain: Duration,
    /// Energy and magnetisation of what is kept, and some of it to look at.
    pub(super) watched: Vec<Watched>,
    pub(super) film: Film,
}

/// What chains of a spin system are watched by.
pub(super) fn energy_and_magnetisation() -> Vec<Watched> {
    vec![Watched::new("energy per site", "", 1, 2), Watched::new("magnetisation", "", 1, 2)]
}

/// What frames of a file are, whose energy is not known.
pub(super) fn magnetisation_alone() -> Vec<Watched> {
    vec![Watched::new("magnetisation", "", 1, 2)]
}

impl WalkSource {
    /// Goes to a step that is not in the past; false when asked to stop before.
    fn advance_to(&mut self, step: u64) -> bool {
        let before = Instant::now();
        let piece = (PIECE / self.walk.updates_per_step().max(1)).max(1);
        while self.walk.taken() < step && !interrupt::asked() {
            self.walk.advance((step - self.walk.taken()).min(piece));
        }
        self.chain += before.elapsed();
        self.walk.taken() >= step
    }
}

impl<T: Scalar> Source<T> for WalkSource {
    fn fill(&mut self, x: &mut Mat<T>) -> Result<Filled> {
        // Whether it stands at a kept state or was stopped on the way to one, the next is at a multiple of τ.
        let kept = self.rhythm.kept(self.walk.taken());
        let (next, end) = (self.rhythm.step_of(kept), self.rhythm.burn_in.saturating_add(self.steps));
        if next > end {
            // What is left belongs to the trajectory too: all runs of one system end in the same state.
            let there = self.advance_to(end);
            return Ok(if there { Filled::Over } else { Filled::Stopped });
        }
        if !self.advance_to(next) {
            return Ok(Filled::Stopped);
        }
        for (watched, observable) in
            self.watched.iter_mut().zip([Observable::Energy, Observable::Magnetisation])
        {
            watched.traces[0].push_with(|| self.walk.measure(observable).unwrap_or(f64::NAN));
        }
        self.film.keep(kept, self.steps / self.rhythm.every, self.walk.spins());
        self.cutter.cut(self.walk.spins(), self.walk.shape(), x)?;
        Ok(Filled::Full)
    }

    fn minibatches(&self) -> u64 {
        self.steps / self.rhythm.every
    }

    fn point(&self) -> (ChainPoint, u64) {
        (self.walk.point(), self.cutter.cutter.word())
    }

    fn seek(&mut self, (point, word): &(ChainPoint, u64), _: &Model) -> Result<()> {
        self.cutter.cutter.seek(*word);
        Ok(self.walk.seek(point)?)
    }

    fn configuration(&self) -> Option<&[i8]> {
        Some(self.walk.spins())
    }

    fn chain_time(&self) -> Duration {
        self.chain
    }

    fn watched(&self) -> &[Watched] {
        &self.watched
    }

    fn watched_mut(&mut self) -> Option<&mut Vec<Watched>> {
        Some(&mut self.watched)
    }

    fn film(&self) -> Option<&Film> {
        Some(&self.film)
    }
}

/// Every τ-th frame of a trajectory.
pub(super) struct TrajectorySource {
    pub(super) trajectory: Trajectory,
    pub(super) cutter: Cutter,
    pub(super) every: u64,
    /// Frames to skip at the beginning.
    pub(super) burn_in: u64,
    /// The next frame to look at, and the last one that was read.
    pub(super) next: u64,
    pub(super) frame: Vec<i8>,
    pub(super) reading: Duration,
    pub(super) alphabet: Alphabet,
    /// Magnetisation of what is kept, and some of it to look at.
    pub(super) watched: Vec<Watched>,
    pub(super) film: Film,
}

impl<T: Scalar> Source<T> for TrajectorySource {
    fn fill(&mut self, x: &mut Mat<T>) -> Result<Filled> {
        let before = Instant::now();
        self.next = self.next.max(self.burn_in + self.every - 1);
        let frames = self.trajectory.len();
        if self.next >= frames {
            if frames > 0 {
                self.trajectory.read_frame(frames - 1, &mut self.frame)?;
            }
            return Ok(Filled::Over);
        }
        self.trajectory.read_frame(self.next, &mut self.frame)?;
        self.next += self.every;
        self.reading += before.elapsed();
        for watched in &mut self.watched {
            watched.traces[0].push_with(|| magnetisation(&self.frame, self.alphabet));
        }
        let (kept, all) = (self.next - self.burn_in, frames.saturating_sub(self.burn_in));
        self.film.keep((kept / self.every).saturating_sub(1), all / self.every, &self.frame);
        self.cutter.cut(&self.frame, self.trajectory.shape(), x)?;
        Ok(Filled::Full)
    }

    fn minibatches(&self) -> u64 {
        self.trajectory.len().saturating_sub(self.burn_in) / self.every
    }

    fn point(&self) -> (ChainPoint, u64) {
        let point = ChainPoint { steps: self.next, word: 0, acceptance: None, state: Vec::new() };
        (point, self.cutter.cutter.word())
    }

    fn seek(&mut self, (point, word): &(ChainPoint, u64), _: &Model) -> Result<()> {
        self.next = point.steps;
        self.cutter.cutter.seek(*word);
        Ok(())
    }

    fn configuration(&self) -> Option<&[i8]> {
        Some(&self.frame)
    }

    fn chain_time(&self) -> Duration {
        self.reading
    }

    fn watched(&self) -> &[Watched] {
        &self.watched
    }

    fn watched_mut(&mut self) -> Option<&mut Vec<Watched>> {
        Some(&mut self.watched)
    }

    fn film(&self) -> Option<&Film> {
        Some(&self.film)
    }
}

/// One configuration, again and again.
pub(super) struct FixedSource {
    pub(super) spins: Vec<i8>,
    pub(super) shape: (usize, usize),
    pub(super) cutter: Cutter,
    pub(super) minibatches: u64,
    pub(super) done: u64,
}

impl<T: Scalar> Source<T> for FixedSource {
    fn fill(&mut self, x: &mut Mat<T>) -> Result<Filled> {
        if self.done >= self.minibatches {
            return Ok(Filled::Over);
        }
        self.done += 1;
        self.cutter.cut(&self.spins, self.shape, x)?;
        Ok(Filled::Full)
    }

    fn minibatches(&self) -> u64 {
        self.minibatches
    }

    fn point(&self) -> (ChainPoint, u64) {
        let point = ChainPoint { steps: self.done, word: 0, acceptance: None, state: Vec::new() };
        (point, self.cutter.cutter.word())
    }

    fn seek(&mut self, (point, word): &(ChainPoint, u64), _: &Model) -> Result<()> {
        self.done = point.steps;
        self.cutter.cutter.seek(*word);
        Ok(())
    }

    fn configuration(&self) -> Option<&[i8]> {
        Some(&self.spins)
    }

    fn chain_time(&self) -> Duration {
        Duration::ZERO
    }
}
