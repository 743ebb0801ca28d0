//! Minibatches of the frames of a trajectory in a file.

use super::frames::FrameSample;
use super::spins::Cutter;
use crate::Result;
use crate::chain::observables::{
    frame_magnetization, neighbor_mean, neighbor_name, order_names, order_parameters,
};
use crate::chain::{Alphabet, Lattice, TraceSet};
use crate::data::{Frame, Trajectory};
use crate::linalg::Scalar;
use crate::run::{Form, Next, Resumable, Sections, Source, SourceStats, Stop};
use std::time::{Duration, Instant};

/// Every τ-th frame of a trajectory.
pub(super) struct TrajectorySource<T: Scalar> {
    trajectory: Trajectory,
    cutter: Cutter<T>,
    every: u64,
    /// Frames to skip at the beginning.
    burn_in: u64,
    /// The next frame to look at, and the last one that was read.
    next: u64,
    frame: Frame<'static>,
    time: Duration,
    alphabet: Alphabet,
    lattice: Lattice,
    /// Mean over neighbors, magnetization and order parameters of what is kept; the energy is not known.
    traces: Vec<TraceSet>,
    frames: FrameSample,
}

impl<T: Scalar> TrajectorySource<T> {
    pub(super) fn new(
        trajectory: Trajectory,
        cutter: Cutter<T>,
        every: u64,
        burn_in: u64,
        alphabet: Alphabet,
        lattice: Lattice,
    ) -> Self {
        let mut names = vec![neighbor_name(alphabet).to_owned(), "magnetization".to_owned()];
        names.extend(cutter.order().map(order_names).unwrap_or_default());
        let share = names.len();
        Self {
            trajectory,
            cutter,
            every,
            burn_in,
            next: 0,
            frame: Frame::default(),
            time: Duration::ZERO,
            alphabet,
            lattice,
            traces: names.into_iter().map(|name| TraceSet::new(name, "", 1, share)).collect(),
            frames: FrameSample::default(),
        }
    }
}

impl<T: Scalar> Resumable for TrajectorySource<T> {
    fn save(&self, to: &mut Sections) -> Result<()> {
        to.put_json("traces", &self.traces)?;
        to.put_json("frame", &(self.next, self.cutter.word()))
    }

    fn restore(&mut self, from: &Sections) -> Result<()> {
        super::restore_traces(&mut self.traces, from)?;
        let word;
        (self.next, word) = from.json("frame")?;
        self.cutter.seek(word);
        Ok(())
    }
}

impl<T: Scalar> Source<T> for TrajectorySource<T> {
    fn form(&self) -> &Form {
        &self.cutter.form
    }

    fn made(&self) -> u64 {
        self.next.saturating_sub(self.burn_in) / self.every
    }

    fn planned(&self) -> Option<u64> {
        Some(self.trajectory.len().saturating_sub(self.burn_in) / self.every)
    }

    fn samples(&self) -> Option<u64> {
        Some(self.planned()?.saturating_mul(self.cutter.patches as u64))
    }

    fn next(&mut self, _: &Stop) -> Result<Next<'_, T>> {
        let before = Instant::now();
        let place = self.next.max(self.burn_in + self.every - 1);
        let frames = self.trajectory.len();
        if place >= frames {
            if frames > 0 {
                self.frame = self.trajectory.frame(frames - 1, self.alphabet.is_real())?;
            }
            return Ok(Next::End);
        }
        self.frame = self.trajectory.frame(place, self.alphabet.is_real())?;
        self.next = place + self.every;
        self.time += before.elapsed();
        let mut values = vec![
            neighbor_mean(&self.frame, self.alphabet, self.lattice),
            frame_magnetization(&self.frame, self.alphabet),
        ];
        values.extend(self.cutter.order().map(|of| order_parameters(&self.frame, of)).unwrap_or_default());
        for (set, value) in self.traces.iter_mut().zip(values) {
            set.traces[0].push_with(|| value);
        }
        let (kept, all) = (self.next - self.burn_in, frames.saturating_sub(self.burn_in));
        self.frames.keep((kept / self.every).saturating_sub(1), all / self.every, &self.frame);
        self.cutter.cut(&self.frame)
    }

    fn stats(&self) -> SourceStats<'_> {
        SourceStats {
            traces: &self.traces,
            time: self.time,
            configuration: Some(self.frame.borrow()),
            frames: &self.frames.frames,
            ..SourceStats::default()
        }
    }
}
