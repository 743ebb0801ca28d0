//! Minibatches of network patches, as a source of runs: of networks side by side, or of one window by window.

use super::news;
use crate::runs::{Filled, Source};
use crate::watched::Watched;
use anyhow::{Context, Result};
use ergodict::chain::ChainPoint;
use ergodict::chain::diagnostics::Acceptance;
pub(super) use ergodict::dictionary::Drawn;
use ergodict::dictionary::{Model, NetworkSource, WindowPoint, WindowSource};
use ergodict::factor::Factoriser;
use ergodict::linalg::{Mat, Scalar};
use ergodict::patch::{Moved, NetworkPoint};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Where patches come from.
pub(super) enum Patches {
    /// Networks side by side.
    Beside(Box<NetworkSource>),
    /// One network, window by window.
    OverTime(Box<WindowSource>),
}

/// Patches of networks.
pub(super) struct TellingSource {
    inner: Patches,
    /// What the chains did, for who asks when all is over.
    told: Arc<Mutex<Told>>,
    /// Windows of which something was said.
    said: usize,
}

/// What the chains did.
#[derive(Clone, Default)]
pub(super) struct Told {
    pub(super) acceptance: Acceptance,
    pub(super) moved: Moved,
    /// The network that was learned from last, of one over time.
    pub(super) last: Option<Drawn>,
}

impl TellingSource {
    pub(super) fn new(inner: Patches, told: Arc<Mutex<Told>>) -> Self {
        Self { inner, told, said: 0 }
    }
}

impl<T: Scalar> Source<T> for TellingSource {
    fn between(&mut self, factoriser: Option<&mut Factoriser<T>>) -> Result<()> {
        match &mut self.inner {
            Patches::Beside(_) => Ok(()),
            Patches::OverTime(source) => Ok(source.between(factoriser)?),
        }
    }

    fn fill(&mut self, x: &mut Mat<T>) -> Result<Filled> {
        let full = match &mut self.inner {
            Patches::Beside(source) => source.fill(x),
            Patches::OverTime(source) => source.fill(x)?,
        };
        if full {
            return Ok(Filled::Full);
        }
        let (acceptance, moved, last) = match &self.inner {
            Patches::Beside(source) => (source.acceptance(), Moved::default(), None),
            Patches::OverTime(source) => (source.acceptance(), source.moved(), Some(source.drawn().clone())),
        };
        *self.told.lock().unwrap_or_else(PoisonError::into_inner) = Told { acceptance, moved, last };
        Ok(Filled::Over)
    }

    fn minibatches(&self) -> u64 {
        match &self.inner {
            Patches::Beside(source) => source.minibatches(),
            Patches::OverTime(source) => source.minibatches(),
        }
    }

    fn point(&self) -> (ChainPoint, u64) {
        let (steps, state) = match &self.inner {
            Patches::Beside(source) => (source.made(), serde_json::to_vec(&source.point())),
            Patches::OverTime(source) => (source.made(), serde_json::to_vec(&source.point())),
        };
        (ChainPoint { steps, word: 0, acceptance: None, state: state.unwrap_or_default() }, 0)
    }

    fn seek(&mut self, (point, _): &(ChainPoint, u64), model: &Model) -> Result<()> {
        let told = "the homomorphisms of the chains";
        match &mut self.inner {
            Patches::Beside(source) => {
                let at: NetworkPoint = serde_json::from_slice(&point.state).context(told)?;
                Ok(source.seek(point.steps, &at)?)
            }
            Patches::OverTime(source) => {
                let at: WindowPoint = serde_json::from_slice(&point.state).context(told)?;
                let kept = model.over_time.clone().context("the windows before")?;
                self.said = news::finished(&kept);
                Ok(source.seek(point.steps, &at, kept)?)
            }
        }
    }

    fn describe(&self, model: &mut Model) {
        if let Patches::OverTime(source) = &self.inner {
            model.over_time = Some(source.over_time().clone());
        }
    }

    fn news(&mut self) -> Vec<String> {
        let Patches::OverTime(source) = &self.inner else { return Vec::new() };
        let until = news::finished(source.over_time());
        let lines = (self.said..until).map(|at| news::line(source.over_time(), at, source.windows()));
        let lines = lines.collect();
        self.said = until;
        lines
    }

    fn chain_time(&self) -> Duration {
        Duration::ZERO
    }

    fn watched(&self) -> &[Watched] {
        match &self.inner {
            Patches::Beside(source) => source.watched(),
            Patches::OverTime(source) => source.watched(),
        }
    }

    fn watched_mut(&mut self) -> Option<&mut Vec<Watched>> {
        Some(match &mut self.inner {
            Patches::Beside(source) => source.watched_mut(),
            Patches::OverTime(source) => source.watched_mut(),
        })
    }
}
