//! No minibatches of its own: the caller pushes them.

use crate::Result;
use crate::linalg::Scalar;
use crate::run::{Form, Next, Resumable, Sections, Source, Stop};

/// The source of a run whose minibatches are pushed: it has none of its own.
pub(in crate::run) struct Pushed(pub(in crate::run) Form);

impl Resumable for Pushed {
    fn save(&self, _: &mut Sections) -> Result<()> {
        Ok(())
    }

    fn restore(&mut self, _: &Sections) -> Result<()> {
        Ok(())
    }
}

impl<T: Scalar> Source<T> for Pushed {
    fn form(&self) -> &Form {
        &self.0
    }

    fn made(&self) -> u64 {
        0
    }

    fn planned(&self) -> Option<u64> {
        Some(0)
    }

    fn next(&mut self, _: &Stop) -> Result<Next<'_, T>> {
        Ok(Next::End)
    }
}
