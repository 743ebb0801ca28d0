//! A run of network dictionary learning: minibatches from chains, steps of the scheme, and what is needed to go on later.

use crate::network_model::{IN_MEMORY, damaged};
use crate::work::Watch;
use ergodict::Result;
use ergodict::chain::{ChainPoint, Watched};
use ergodict::dictionary::{Model, NetworkSource, Tracked};
use ergodict::factor::{Factoriser, Parameters};
use ergodict::linalg::{Mat, Scalar};
use serde_json::json;
use std::path::Path;

/// A run that goes on.
pub(crate) struct Going<T: Scalar> {
    pub(crate) source: NetworkSource,
    pub(crate) tracked: Tracked<T>,
    x: Mat<T>,
}

impl<T: Scalar> Going<T> {
    /// From the first dictionary that is given, or from a random one; without either it is made of the first minibatch.
    pub(crate) fn new(
        source: NetworkSource,
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

    /// Goes on until there were `until` minibatches, or somebody asks to stop.
    pub(crate) fn run(
        &mut self,
        until: u64,
        parameters: &Parameters,
        seed: u64,
        watch: &Watch,
    ) -> Result<()> {
        while self.source.made() < until && !watch.stopped() && self.source.fill(&mut self.x)? {
            let x = &self.x;
            let start = || Factoriser::from_data(parameters.clone(), x.as_ref(), seed);
            self.tracked.step(x.into(), start)?;
            watch.at(self.source.made(), until);
            if let Some(factoriser) = &self.tracked.factoriser {
                watch.figure(factoriser.aggregates().per_sample(factoriser.surrogate()));
            }
        }
        Ok(())
    }

    /// All that is needed to go on later.
    pub(crate) fn state(&self, seed: u64) -> Result<Model> {
        let run = json!({ "watched": self.source.watched(), "plan": self.source.plan() });
        let mut model = self.tracked.checkpoint("network", seed, run)?;
        let state = serde_json::to_vec(&self.source.point()).unwrap_or_default();
        model.chain = Some((ChainPoint { steps: self.source.made(), word: 0, acceptance: None, state }, 0));
        Ok(model)
    }

    /// Goes to where [`Going::state`] was.
    pub(crate) fn restore(&mut self, model: &Model) -> Result<()> {
        let Some((point, _)) = &model.chain else { return Err(damaged("it has no chain")) };
        let watched: Vec<Watched> = serde_json::from_value(model.run["watched"].clone()).map_err(damaged)?;
        let plan = serde_json::from_value(model.run["plan"].clone()).map_err(damaged)?;
        self.source.set_plan(plan)?;
        self.source.seek(point.steps, &serde_json::from_slice(&point.state).map_err(damaged)?)?;
        if watched.len() == self.source.watched().len() {
            *self.source.watched_mut() = watched;
        }
        self.tracked = Tracked::resumed(model, Path::new(IN_MEMORY))?;
        Ok(())
    }

    /// Goes on from a model that was learned elsewhere, with chains of its own.
    pub(crate) fn take(&mut self, model: &Model) -> Result<()> {
        self.tracked = Tracked::continued(model)?;
        Ok(())
    }
}
