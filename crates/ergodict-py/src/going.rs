//! A run of network dictionary learning: minibatches from chains, steps of the scheme, and what is needed to go on later.

use crate::network_model::{IN_MEMORY, damaged};
use crate::work::Watch;
use ergodict::Result;
use ergodict::chain::diagnostics::Acceptance;
use ergodict::chain::{ChainPoint, Watched};
use ergodict::data::Times;
use ergodict::dictionary::{Model, NetworkSource, Tracked, Window, WindowPoint, WindowSource};
use ergodict::factor::{Factoriser, Parameters};
use ergodict::linalg::{Mat, Scalar};
use ergodict::patch::{Moved, NetworkPoint};
use serde_json::json;
use std::path::Path;

/// Where minibatches come from.
#[expect(clippy::large_enum_variant, reason = "there is one of it in a run")]
pub(crate) enum Patches {
    /// Networks side by side.
    Beside(NetworkSource),
    /// One network, window by window.
    OverTime(WindowSource),
}

impl Patches {
    /// Minibatches made.
    pub(crate) fn made(&self) -> u64 {
        match self {
            Self::Beside(source) => source.made(),
            Self::OverTime(source) => source.made(),
        }
    }

    /// Minibatches in all.
    pub(crate) fn minibatches(&self) -> u64 {
        match self {
            Self::Beside(source) => source.minibatches(),
            Self::OverTime(source) => source.minibatches(),
        }
    }

    /// The minibatch before which the window ends that is learned from; of networks side by side, the last.
    pub(crate) fn window_end(&self) -> u64 {
        match self {
            Self::Beside(source) => source.minibatches(),
            Self::OverTime(source) => source.point().end,
        }
    }

    /// Windows, also those that have gone; of networks side by side one.
    pub(crate) fn windows(&self) -> usize {
        match self {
            Self::Beside(_) => 1,
            Self::OverTime(source) => source.windows(),
        }
    }

    fn fill<T: Scalar>(&mut self, x: &mut Mat<T>) -> Result<bool> {
        match self {
            Self::Beside(source) => Ok(source.fill(x)),
            Self::OverTime(source) => source.fill(x),
        }
    }

    fn go_on(&mut self, steps: u64) {
        match self {
            Self::Beside(source) => source.go_on(steps),
            Self::OverTime(source) => source.go_on(steps),
        }
    }

    pub(crate) fn acceptance(&self) -> Acceptance {
        match self {
            Self::Beside(source) => source.acceptance(),
            Self::OverTime(source) => source.acceptance(),
        }
    }

    pub(crate) fn moved(&self) -> Moved {
        match self {
            Self::Beside(_) => Moved::default(),
            Self::OverTime(source) => source.moved(),
        }
    }

    pub(crate) fn watched(&self) -> &[Watched] {
        match self {
            Self::Beside(source) => source.watched(),
            Self::OverTime(source) => source.watched(),
        }
    }
}

/// A run that goes on.
pub(crate) struct Going<T: Scalar> {
    pub(crate) source: Patches,
    pub(crate) tracked: Tracked<T>,
    x: Mat<T>,
}

impl<T: Scalar> Going<T> {
    /// From the first dictionary that is given, or from a random one; without either it is made of the first minibatch.
    pub(crate) fn new(
        source: Patches,
        parameters: &Parameters,
        features: usize,
        seed: u64,
        (given, random): (Option<&Mat<f64>>, bool),
    ) -> Result<Box<Self>> {
        let start = match given {
            Some(given) => Some(Factoriser::from_dictionary(parameters.clone(), given.cast::<T>().as_ref())?),
            None if random => Some(Factoriser::random(parameters.clone(), features, seed)?),
            None => None,
        };
        Ok(Box::new(Self { source, tracked: Tracked::new(start), x: Mat::zeros(0, 0) }))
    }

    /// Goes on until there were `until` minibatches, or as many as are planned, or somebody asks to stop.
    pub(crate) fn run(
        &mut self,
        until: Option<u64>,
        parameters: &Parameters,
        seed: u64,
        watch: &Watch,
    ) -> Result<()> {
        loop {
            self.planned(until, parameters, seed, watch)?;
            let more = until.unwrap_or(0).saturating_sub(self.source.made());
            if more == 0 || watch.stopped() {
                return Ok(());
            }
            // More than was planned.
            self.source.go_on(more);
        }
    }

    fn planned(
        &mut self,
        until: Option<u64>,
        parameters: &Parameters,
        seed: u64,
        watch: &Watch,
    ) -> Result<()> {
        while until.is_none_or(|until| self.source.made() < until) && !watch.stopped() {
            self.between()?;
            if !self.source.fill(&mut self.x)? {
                return Ok(());
            }
            let x = &self.x;
            let start = || Factoriser::from_data(parameters.clone(), x.as_ref(), seed);
            self.tracked.step(x.into(), start)?;
            watch.at(self.source.made(), until.unwrap_or_else(|| self.source.minibatches()));
            if let Some(factoriser) = &self.tracked.factoriser {
                watch.figure(factoriser.aggregates().per_sample(factoriser.surrogate()));
            }
        }
        // Who stops at the end of a window wants to know what came of it.
        if watch.stopped() { Ok(()) } else { self.between() }
    }

    /// Closes a window that is over, and opens the next.
    fn between(&mut self) -> Result<()> {
        match &mut self.source {
            Patches::Beside(_) => Ok(()),
            Patches::OverTime(source) => source.between(self.tracked.factoriser.as_mut()),
        }
    }

    /// Adds a window after all others, with so many minibatches; a run on one network becomes one over time, `first` being that network.
    pub(crate) fn follow(
        &mut self,
        first: impl FnOnce() -> Result<WindowSource>,
        name: &str,
        next: Window,
        steps: u64,
        times: Times,
    ) -> Result<()> {
        if let Patches::Beside(beside) = &self.source {
            let mut source = first()?;
            let kept = source.over_time().clone();
            let (end, stream) = (beside.minibatches(), beside.point());
            let point = WindowPoint { window: 0, end, stream, came_with: None };
            source.seek(beside.made(), &point, kept)?;
            *source.watched_mut() = beside.watched().to_vec();
            source.watched_mut().iter_mut().for_each(|watched| name.clone_into(&mut watched.of));
            self.source = Patches::OverTime(source);
        }
        match &mut self.source {
            Patches::OverTime(source) => {
                source.follow(next, steps)?;
                source.set_times(times);
            }
            Patches::Beside(_) => {}
        }
        Ok(())
    }

    /// Forgets networks that nothing needs any more; gives how many windows have gone.
    pub(crate) fn forget(&mut self) -> usize {
        match &mut self.source {
            Patches::Beside(_) => 0,
            Patches::OverTime(source) => source.forget(),
        }
    }

    /// All that is needed to go on later.
    pub(crate) fn state(&self, seed: u64) -> Result<Model> {
        let run = match &self.source {
            Patches::Beside(source) => {
                json!({ "watched": source.watched(), "minibatches": source.minibatches() })
            }
            Patches::OverTime(source) => json!({ "watched": source.watched() }),
        };
        let mut model = self.tracked.checkpoint("network", seed, run)?;
        let state = match &self.source {
            Patches::Beside(source) => serde_json::to_vec(&source.point()),
            Patches::OverTime(source) => serde_json::to_vec(&source.point()),
        };
        let state = state.unwrap_or_default();
        model.chain = Some((ChainPoint { steps: self.source.made(), word: 0, acceptance: None, state }, 0));
        self.describe(&mut model);
        Ok(model)
    }

    /// Adds what is kept of windows.
    pub(crate) fn describe(&self, model: &mut Model) {
        if let Patches::OverTime(source) = &self.source {
            model.over_time = Some(source.over_time().clone());
        }
    }

    /// Goes to where [`Going::state`] was.
    pub(crate) fn restore(&mut self, model: &Model) -> Result<()> {
        let Some((point, _)) = &model.chain else { return Err(damaged("it has no chain")) };
        let watched: Vec<Watched> = serde_json::from_value(model.run["watched"].clone()).map_err(damaged)?;
        match &mut self.source {
            Patches::Beside(source) => {
                let minibatches: u64 =
                    serde_json::from_value(model.run["minibatches"].clone()).map_err(damaged)?;
                source.go_on(minibatches.saturating_sub(source.minibatches()));
                let at: NetworkPoint = serde_json::from_slice(&point.state).map_err(damaged)?;
                source.seek(point.steps, &at)?;
                if watched.len() == source.watched().len() {
                    *source.watched_mut() = watched;
                }
            }
            Patches::OverTime(source) => {
                let at: WindowPoint = serde_json::from_slice(&point.state).map_err(damaged)?;
                let Some(kept) = model.over_time.clone() else {
                    return Err(damaged("it has no windows"));
                };
                source.seek(point.steps, &at, kept)?;
                if watched.len() == source.watched().len() {
                    *source.watched_mut() = watched;
                }
            }
        }
        self.tracked = Tracked::resumed(model, Path::new(IN_MEMORY))?;
        Ok(())
    }

    /// Goes on from a model that was learned elsewhere, with chains of its own; windows come after those of the model.
    pub(crate) fn take(&mut self, model: &Model) -> Result<()> {
        if let (Patches::OverTime(source), Some(kept)) = (&mut self.source, &model.over_time) {
            source.continued(model.aggregates.t, kept.clone())?;
        }
        self.tracked = Tracked::continued(model)?;
        Ok(())
    }
}
