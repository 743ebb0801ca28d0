//! Minibatches of network patches, from networks side by side or from snapshots one after the other.

use crate::runs::{Filled, Source};
use crate::watched::Watched;
use anyhow::{Context, Result, bail};
use ergodict::chain::diagnostics::Acceptance;
use ergodict::chain::{ChainPoint, MotifSampler};
use ergodict::data::Network;
use ergodict::linalg::{Mat, Scalar};
use ergodict::patch::{Moved, NetworkForm, NetworkPoint, NetworkStream, Watching};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// A network and how homomorphisms are drawn in it.
pub(super) type Drawn = (Arc<Network>, Arc<dyn MotifSampler>);

/// Patches of networks.
pub(super) struct NetworkSource {
    stream: NetworkStream,
    /// All snapshots; empty when the networks are side by side.
    snapshots: Vec<Drawn>,
    watching: Watching,
    seed: u64,
    /// Minibatches made, those of each snapshot, and those of all.
    made: u64,
    each: u64,
    total: u64,
    /// What the chains did, for who asks when all is over.
    told: Arc<Mutex<Told>>,
    /// What a patch is, and what is off its motif, network by network.
    form: NetworkForm,
    watched: Vec<Watched>,
}

/// What the chains did.
#[derive(Clone, Copy, Default)]
pub(super) struct Told {
    pub(super) acceptance: Acceptance,
    pub(super) moved: Moved,
}

impl NetworkSource {
    /// `steps` minibatches of all networks together, or of each snapshot.
    pub(super) fn new(
        networks: Vec<Drawn>,
        snapshots: bool,
        steps: u64,
        watching: Watching,
        seed: u64,
        told: Arc<Mutex<Told>>,
        (form, names): (NetworkForm, &[String]),
    ) -> Result<Self> {
        let observable = if form.weighted { "weight off the motif" } else { "edges off the motif" };
        let watched = names.iter().map(|name| {
            let of = if names.len() > 1 { &**name } else { "" };
            Watched::new(observable, of, watching.chains, names.len())
        });
        let watched = watched.collect();
        let (first, snapshots) =
            if snapshots { (vec![networks[0].clone()], networks) } else { (networks, Vec::new()) };
        let total = steps.saturating_mul(snapshots.len().max(1) as u64);
        let stream = NetworkStream::new(&first, watching, seed)?;
        Ok(Self { stream, snapshots, watching, seed, made: 0, each: steps, total, told, form, watched })
    }

    /// Looks at the patches of a minibatch, each for the chain it is of.
    fn watch<T: Scalar>(&mut self, x: &Mat<T>, snapshot: usize) {
        let each = self.watching.chains;
        let mut column = 0;
        for (chain, share) in self.stream.shares().enumerate() {
            let network = if self.snapshots.is_empty() { chain / each } else { snapshot };
            let trace = &mut self.watched[network].traces[chain % each];
            for j in column..column + share {
                trace.push_with(|| self.form.off_motif(x.col(j)));
            }
            column += share;
        }
    }

    fn tell(&self) {
        let told = Told { acceptance: self.stream.acceptance(), moved: self.stream.moved() };
        *self.told.lock().unwrap_or_else(PoisonError::into_inner) = told;
    }
}

impl<T: Scalar> Source<T> for NetworkSource {
    fn fill(&mut self, x: &mut Mat<T>) -> Result<Filled> {
        if self.made >= self.total {
            self.tell();
            return Ok(Filled::Over);
        }
        let at = (self.made / self.each) as usize;
        if self.made > 0 && self.made.is_multiple_of(self.each) && !self.snapshots.is_empty() {
            let (network, sampler) = &self.snapshots[at];
            self.stream.follow(network, sampler)?;
        }
        self.stream.fill(x);
        self.watch(x, at);
        self.made += 1;
        Ok(Filled::Full)
    }

    fn minibatches(&self) -> u64 {
        self.total
    }

    fn point(&self) -> (ChainPoint, u64) {
        let state = serde_json::to_vec(&self.stream.point()).unwrap_or_default();
        (ChainPoint { steps: self.made, word: 0, acceptance: None, state }, 0)
    }

    fn seek(&mut self, (point, _): &(ChainPoint, u64)) -> Result<()> {
        let at: NetworkPoint =
            serde_json::from_slice(&point.state).context("the homomorphisms of the chains")?;
        if point.steps > self.total || at.passed > 0 && at.passed as usize >= self.snapshots.len() {
            bail!("it is further than the run goes");
        }
        if at.passed > 0 {
            let now = std::slice::from_ref(&self.snapshots[at.passed as usize]);
            self.stream = NetworkStream::new(now, self.watching, self.seed)?;
        }
        self.stream.seek(&at)?;
        self.made = point.steps;
        Ok(())
    }

    fn chain_time(&self) -> Duration {
        Duration::ZERO
    }

    fn watched(&self) -> &[Watched] {
        &self.watched
    }

    fn watched_mut(&mut self) -> Option<&mut Vec<Watched>> {
        Some(&mut self.watched)
    }
}
