//! A network being reconstructed from a number of homomorphisms: a job with a checkpoint.

use super::{ReconstructionPoint, Reconstructor};
use crate::Result;
use crate::chain::MotifWalker;
use crate::run::{Job, Resumable, Sections, Status, Stop};
use std::time::{Duration, Instant};

/// Homomorphisms between two looks at the clock, some tens of milliseconds.
const BLOCK: u64 = 20_000;
/// Edges that are checked to estimate how many were seen so far.
const LOOKED_AT: u64 = 500;

/// A reconstruction from a number of homomorphisms, in slices.
///
/// ```
/// use ergodict::chain::{Motif, MotifWalker, SamplerBuilder, SamplerKind};
/// use ergodict::reconstruct::network::{ReconstructionRun, ReconstructionSettings, Reconstructor, Targets};
/// use ergodict::{linalg::Mat, run::{Stop, drive}};
/// let (karate, motif) = (ergodict::data::embedded("karate")?.into(), Motif::path(3)?);
/// let w = Mat::from_fn(9, 9, |i, j| f64::from(i == j));
/// let empty = Reconstructor::<f32>::new(&w, &karate, &motif, &ReconstructionSettings::default(), Targets::All)?;
/// let sampler = SamplerBuilder::default().build(SamplerKind::Exact, &karate, &motif, 0)?;
/// let mut run = ReconstructionRun::new(empty, vec![MotifWalker::new(sampler, 0, 0, 0, 1)?], 30_000);
/// drive(&mut [&mut run], None, &Stop::default(), &mut ())?;
/// assert_eq!(run.reconstructor().taken(), 30_000);
/// # Ok::<(), ergodict::Error>(())
/// ```
pub struct ReconstructionRun {
    reconstructor: Reconstructor<f32>,
    walkers: Vec<MotifWalker>,
    samples: u64,
}

impl ReconstructionRun {
    /// Nothing taken yet of `samples` homomorphisms.
    pub fn new(reconstructor: Reconstructor<f32>, walkers: Vec<MotifWalker>, samples: u64) -> Self {
        Self { reconstructor, walkers, samples }
    }

    /// Takes another block, if there is one; whether all are taken.
    pub(super) fn step(&mut self) -> Result<bool> {
        let left = self.samples.saturating_sub(self.reconstructor.taken());
        if left > 0 {
            self.reconstructor.absorb(&mut self.walkers, BLOCK.min(left))?;
        }
        Ok(left <= BLOCK)
    }

    /// What is reconstructed so far.
    pub fn reconstructor(&self) -> &Reconstructor<f32> {
        &self.reconstructor
    }
}

impl Resumable for ReconstructionRun {
    fn save(&self, to: &mut Sections) -> Result<()> {
        to.put_json("point", &self.reconstructor.point(&self.walkers))?;
        let path = to.path().to_owned();
        to.put_stream("sums", |mut out| self.reconstructor.sums().write(&mut out, &path))
    }

    fn restore(&mut self, from: &Sections) -> Result<()> {
        let point: ReconstructionPoint = from.json("point")?;
        if point.taken > self.samples {
            return Err(from.damaged("point", "it is further than the run goes"));
        }
        self.reconstructor.seek(&point, &mut self.walkers, &mut from.reader("sums")?, from.path())
    }
}

impl Job for ReconstructionRun {
    fn done(&self) -> (u64, Option<u64>) {
        (self.reconstructor.taken(), Some(self.samples))
    }

    fn advance(&mut self, slice: Duration, stop: &Stop) -> Result<Status> {
        let started = Instant::now();
        while self.reconstructor.taken() < self.samples {
            if stop.is_asked() {
                return Ok(Status::Stopped);
            }
            let over = self.step()?;
            stop.count(1);
            if !over && started.elapsed() >= slice {
                return Ok(Status::Running);
            }
        }
        Ok(Status::Finished)
    }

    fn unit(&self) -> &'static str {
        "samples"
    }

    /// The share of edges seen so far, from some of them.
    fn text(&self) -> String {
        let (network, sums) = (self.reconstructor.network(), self.reconstructor.sums());
        let (mut all, mut seen) = (0u32, 0u32);
        for (u, v) in network.some_entries(LOOKED_AT).filter(|&(u, v)| sums.has(u, v)) {
            all += 1;
            seen += u32::from(sums.get(u, v).1 > 0);
        }
        if all == 0 {
            return String::new();
        }
        format!("{:.0} % of edges seen", 100.0 * f64::from(seen) / f64::from(all))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::{Motif, SamplerBuilder, SamplerKind};
    use crate::linalg::Mat;
    use crate::reconstruct::network::{ReconstructionSettings, Targets};

    #[test]
    fn a_run_is_over_with_the_block_that_takes_the_last() {
        let (karate, motif) = (crate::data::embedded("karate").unwrap().into(), Motif::path(2).unwrap());
        let w = Mat::from_fn(4, 1, |_, _| 0.5);
        let sampler = SamplerBuilder::default().build(SamplerKind::Exact, &karate, &motif, 0).unwrap();
        for (samples, steps) in [
            (0, &[(true, 0)][..]),
            (5, &[(true, 5)]),
            (BLOCK, &[(true, BLOCK)]),
            (BLOCK + 1, &[(false, BLOCK), (true, BLOCK + 1)]),
        ] {
            let settings = ReconstructionSettings::default();
            let empty = Reconstructor::<f32>::new(&w, &karate, &motif, &settings, Targets::All).unwrap();
            let walker = MotifWalker::new(sampler.clone(), 0, 0, 0, 1).unwrap();
            let mut run = ReconstructionRun::new(empty, vec![walker], samples);
            for &(over, taken) in steps {
                assert_eq!((run.step().unwrap(), run.reconstructor().taken()), (over, taken));
            }
            assert_eq!(run.done(), (samples, Some(samples)));
        }
    }
}
