//! Minibatches of network patches, as a source of runs.

use crate::runs::{Filled, Source};
use crate::watched::Watched;
use anyhow::{Context, Result};
use ergodict::chain::ChainPoint;
use ergodict::chain::diagnostics::Acceptance;
pub(super) use ergodict::dictionary::Drawn;
use ergodict::dictionary::NetworkSource;
use ergodict::linalg::{Mat, Scalar};
use ergodict::patch::{Moved, NetworkPoint};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Patches of networks.
pub(super) struct TellingSource {
    inner: NetworkSource,
    /// What the chains did, for who asks when all is over.
    told: Arc<Mutex<Told>>,
}

/// What the chains did.
#[derive(Clone, Copy, Default)]
pub(super) struct Told {
    pub(super) acceptance: Acceptance,
    pub(super) moved: Moved,
}

impl TellingSource {
    pub(super) fn new(inner: NetworkSource, told: Arc<Mutex<Told>>) -> Self {
        Self { inner, told }
    }
}

impl<T: Scalar> Source<T> for TellingSource {
    fn fill(&mut self, x: &mut Mat<T>) -> Result<Filled> {
        if self.inner.fill(x)? {
            return Ok(Filled::Full);
        }
        let told = Told { acceptance: self.inner.acceptance(), moved: self.inner.moved() };
        *self.told.lock().unwrap_or_else(PoisonError::into_inner) = told;
        Ok(Filled::Over)
    }

    fn minibatches(&self) -> u64 {
        self.inner.minibatches()
    }

    fn point(&self) -> (ChainPoint, u64) {
        let state = serde_json::to_vec(&self.inner.point()).unwrap_or_default();
        (ChainPoint { steps: self.inner.made(), word: 0, acceptance: None, state }, 0)
    }

    fn seek(&mut self, (point, _): &(ChainPoint, u64)) -> Result<()> {
        let at: NetworkPoint =
            serde_json::from_slice(&point.state).context("the homomorphisms of the chains")?;
        Ok(self.inner.seek(point.steps, &at)?)
    }

    fn chain_time(&self) -> Duration {
        Duration::ZERO
    }

    fn watched(&self) -> &[Watched] {
        self.inner.watched()
    }

    fn watched_mut(&mut self) -> Option<&mut Vec<Watched>> {
        Some(self.inner.watched_mut())
    }
}
