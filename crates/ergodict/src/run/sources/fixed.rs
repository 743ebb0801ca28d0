//! Minibatches of one configuration, again and again.

use super::spins::Cutter;
use crate::Result;
use crate::data::Frame;
use crate::linalg::Scalar;
use crate::run::{Form, Next, Resumable, Sections, Source, SourceStats, Stop};

/// One configuration.
pub(super) struct FixedSource<T: Scalar> {
    spins: Frame<'static>,
    cutter: Cutter<T>,
    minibatches: u64,
    made: u64,
}

impl<T: Scalar> FixedSource<T> {
    pub(super) fn new(spins: Frame<'static>, cutter: Cutter<T>, minibatches: u64) -> Self {
        Self { spins, cutter, minibatches, made: 0 }
    }
}

impl<T: Scalar> Resumable for FixedSource<T> {
    fn save(&self, to: &mut Sections) -> Result<()> {
        to.put_json("made", &(self.made, self.cutter.word()))
    }

    fn restore(&mut self, from: &Sections) -> Result<()> {
        let word;
        (self.made, word) = from.json("made")?;
        self.cutter.seek(word);
        Ok(())
    }
}

impl<T: Scalar> Source<T> for FixedSource<T> {
    fn form(&self) -> &Form {
        &self.cutter.form
    }

    fn made(&self) -> u64 {
        self.made
    }

    fn planned(&self) -> Option<u64> {
        Some(self.minibatches)
    }

    fn samples(&self) -> Option<u64> {
        Some(self.minibatches.saturating_mul(self.cutter.patches as u64))
    }

    fn next(&mut self, _: &Stop) -> Result<Next<'_, T>> {
        if self.made >= self.minibatches {
            return Ok(Next::End);
        }
        self.made += 1;
        self.cutter.cut(&self.spins)
    }

    fn stats(&self) -> SourceStats<'_> {
        SourceStats { configuration: Some(self.spins.borrow()), ..SourceStats::default() }
    }
}
