//! Minibatches of patches of spin systems: of one under way, of a trajectory in a file, of one configuration.

use super::fixed::FixedSource;
use super::frames::FrameSample;
use super::trajectory::TrajectorySource;
use crate::chain::observables::{order_names, order_parameters};
use crate::chain::{Alphabet, Boundary, Lattice, Observable, SITE_ENERGY, SpinWalk, Thinning, TraceSet};
use crate::data::{Frame, Trajectory};
use crate::linalg::{Mat, Scalar};
use crate::patch::{Encoding, PatchKind, SpinCutter, SpinValues, Window};
use crate::rng::ids;
use crate::run::{Form, Next, Resumable, Sections, Source, SourceStats, Stop};
use crate::{Error, Result};
use std::time::{Duration, Instant};

/// Updates of single sites before a wish to stop is heard again: some milliseconds of the slower chains.
const PIECE: u64 = 1_000_000;

/// What patches are cut from: the shape and the values of configurations on a lattice.
///
/// ```
/// use ergodict::chain::{Alphabet, Boundary, Field, Ising, Lattice, Thinning, Walker};
/// use ergodict::run::{LatticeData, Source};
/// let data = LatticeData::new((8, 8), Boundary::Periodic, Alphabet::PlusMinus, None, (3, 3), 20)?;
/// let ising = Ising::new(Lattice::new(8, 8, Boundary::Periodic)?, 2.0, 1.0, Field::Uniform(0.0))?;
/// let walk = Box::new(Walker::new(ising, 7, 0));
/// let source = data.walk::<f64>(walk, Thinning { burn_in: 0, every: 100 }, 1000, 7);
/// assert_eq!((source.planned(), source.form().features()), (Some(10), Some(9)));
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct LatticeData {
    /// Rows and columns.
    pub shape: (usize, usize),
    /// What a patch is.
    pub kind: PatchKind,
    /// The numbers that stand for spins.
    pub encoding: Encoding,
    /// Where the borders between labels are looked for, instead of the labels themselves.
    pub borders: Option<Lattice>,
    /// Patches of a minibatch.
    pub patches: usize,
    /// Updates of single sites in a step of the chain; 1 for frames of a file.
    pub step: u64,
}

impl LatticeData {
    /// Patches of these numbers of rows and columns. Where `values` are not given, they are those of [`SpinValues::for_alphabet`].
    ///
    /// # Errors
    /// [`Error::Parameter`] for values that the alphabet does not have, and for patches that do not fit.
    pub fn new(
        shape: (usize, usize),
        boundary: Boundary,
        alphabet: Alphabet,
        values: Option<SpinValues>,
        patch: (usize, usize),
        patches: usize,
    ) -> Result<Self> {
        let values = values.unwrap_or_else(|| SpinValues::for_alphabet(alphabet));
        let encoding = Encoding::new(values, alphabet)?;
        let window = Window { rows: patch.0, cols: patch.1, boundary };
        window.corners(shape)?;
        let kind = PatchKind { window, channels: encoding.channels(), spins: Some((values, alphabet)) };
        let lattice = Lattice::new(shape.0, shape.1, boundary)?;
        let borders = (values == SpinValues::Borders).then_some(lattice);
        Ok(Self { shape, kind, encoding, borders, patches, step: 1 })
    }

    /// The values at the sites.
    pub fn alphabet(&self) -> Alphabet {
        self.kind.spins.map_or(Alphabet::PlusMinus, |(_, alphabet)| alphabet)
    }

    fn cutter<T: Scalar>(&self, seed: u64, id: u64) -> Cutter<T> {
        let cutter = SpinCutter::new(self.kind.window, self.encoding.clone(), self.borders, seed, id);
        Cutter {
            spins: cutter,
            shape: self.shape,
            patches: self.patches,
            x: Mat::zeros(0, 0),
            form: Form::Patch(self.kind),
        }
    }

    /// A minibatch from every kept state of a chain, which takes `steps` steps after its burn-in.
    pub fn walk<T: Scalar>(
        &self,
        walk: Box<dyn SpinWalk>,
        thinning: Thinning,
        steps: u64,
        seed: u64,
    ) -> Box<dyn Source<T>> {
        let (cutter, time, frames) = (self.cutter(seed, 0), Duration::ZERO, FrameSample::default());
        let mut names = vec![SITE_ENERGY.to_owned(), "magnetization".to_owned()];
        names.extend(cutter.order().map(order_names).unwrap_or_default());
        let share = names.len();
        let traces = names.into_iter().map(|name| TraceSet::new(name, "", 1, share)).collect();
        Box::new(WalkSource { walk, cutter, thinning, steps, time, traces, frames })
    }

    /// A minibatch from every `every`-th frame of a trajectory, after some that are left out.
    ///
    /// # Errors
    /// [`Error::Format`] when no frame is left.
    pub fn trajectory<T: Scalar>(
        &self,
        trajectory: Trajectory,
        every: u64,
        burn_in: u64,
        seed: u64,
    ) -> Result<Box<dyn Source<T>>> {
        if trajectory.len().saturating_sub(burn_in) / every.max(1) == 0 {
            let expected =
                format!("there are {} frames in all: no frame is left to learn from", trajectory.len());
            return Err(Error::parameter("every", every, expected));
        }
        let lattice = Lattice::new(self.shape.0, self.shape.1, self.kind.window.boundary)?;
        let (cutter, alphabet) = (self.cutter(seed, 0), self.alphabet());
        Ok(Box::new(TrajectorySource::new(trajectory, cutter, every, burn_in, alphabet, lattice)))
    }

    /// So many minibatches from one configuration, cut at other places than those of runs on its trajectory.
    pub fn fixed<T: Scalar>(&self, spins: Frame<'static>, minibatches: u64, seed: u64) -> Box<dyn Source<T>> {
        Box::new(FixedSource::new(spins, self.cutter(seed, ids::FIXED), minibatches))
    }
}

/// How a minibatch is cut from a configuration: how many patches, and where.
pub(super) struct Cutter<T: Scalar> {
    spins: SpinCutter,
    shape: (usize, usize),
    pub(super) patches: usize,
    x: Mat<T>,
    pub(super) form: Form,
}

impl<T: Scalar> Cutter<T> {
    pub(super) fn cut(&mut self, spins: &Frame<'_>) -> Result<Next<'_, T>> {
        self.spins.cut(spins, self.shape, self.patches, &mut self.x)?;
        Ok(Next::Minibatch((&self.x).into()))
    }

    /// The alphabet whose order parameters patches show; none where labels only distinguish cells.
    pub(super) fn order(&self) -> Option<Alphabet> {
        let Form::Patch(kind) = &self.form else { return None };
        kind.spins.filter(|(values, _)| *values != SpinValues::Borders).map(|(_, alphabet)| alphabet)
    }

    /// Where its generator is.
    pub(super) fn word(&self) -> u64 {
        self.spins.word()
    }

    pub(super) fn seek(&mut self, word: u64) {
        self.spins.seek(word);
    }
}

/// A spin system seen at every τ-th step after its burn-in.
struct WalkSource<T: Scalar> {
    walk: Box<dyn SpinWalk>,
    cutter: Cutter<T>,
    /// Which states are kept, and steps in all after the burn-in.
    thinning: Thinning,
    steps: u64,
    time: Duration,
    /// Energy, magnetization and order parameters of what is kept.
    traces: Vec<TraceSet>,
    frames: FrameSample,
}

impl<T: Scalar> WalkSource<T> {
    /// Goes to a step that is not in the past; false when asked to stop before.
    fn advance_to(&mut self, step: u64, stop: &Stop) -> bool {
        let before = Instant::now();
        let piece = (PIECE / self.walk.updates_per_step().max(1)).max(1);
        while self.walk.taken() < step && !stop.is_asked() {
            self.walk.advance((step - self.walk.taken()).min(piece));
        }
        self.time += before.elapsed();
        self.walk.taken() >= step
    }
}

impl<T: Scalar> Resumable for WalkSource<T> {
    fn save(&self, to: &mut Sections) -> Result<()> {
        to.put_json("traces", &self.traces)?;
        super::save_point(to, &self.walk.point(), self.cutter.word())
    }

    fn restore(&mut self, from: &Sections) -> Result<()> {
        super::restore_traces(&mut self.traces, from)?;
        let (point, word) = super::point(from)?;
        self.cutter.seek(word);
        self.walk.seek(&point)
    }
}

impl<T: Scalar> Source<T> for WalkSource<T> {
    fn form(&self) -> &Form {
        &self.cutter.form
    }

    fn made(&self) -> u64 {
        self.thinning.kept(self.walk.taken())
    }

    fn planned(&self) -> Option<u64> {
        Some(self.steps / self.thinning.every)
    }

    fn samples(&self) -> Option<u64> {
        Some(self.planned()?.saturating_mul(self.cutter.patches as u64))
    }

    fn next(&mut self, stop: &Stop) -> Result<Next<'_, T>> {
        // Whether it stands at a kept state or was stopped on the way to one, the next is at a multiple of τ.
        let kept = self.thinning.kept(self.walk.taken());
        let (next, end) = (self.thinning.step_of(kept), self.thinning.burn_in.saturating_add(self.steps));
        if next > end {
            // What is left belongs to the trajectory too: all runs of one system end in the same state.
            let there = self.advance_to(end, stop);
            return Ok(if there { Next::End } else { Next::Stopped });
        }
        if !self.advance_to(next, stop) {
            return Ok(Next::Stopped);
        }
        let frame = self.walk.frame();
        let mut values = [Observable::Energy, Observable::Magnetization]
            .map(|observable| self.walk.measure(observable).unwrap_or(f64::NAN))
            .to_vec();
        values.extend(self.cutter.order().map(|of| order_parameters(&frame, of)).unwrap_or_default());
        for (set, value) in self.traces.iter_mut().zip(values) {
            set.traces[0].push_with(|| value);
        }
        self.frames.keep(kept, self.steps / self.thinning.every, &frame);
        self.cutter.cut(&frame)
    }

    fn stats(&self) -> SourceStats<'_> {
        SourceStats {
            traces: &self.traces,
            time: self.time,
            configuration: Some(self.walk.frame()),
            frames: &self.frames.frames,
            ..SourceStats::default()
        }
    }
}
