//! Minibatches of network patches for learning: of networks side by side, or of one at several times, one after the other.
//!
//! Chains are watched on the way by what they see off the motif, so that how well they mix can be told.

use crate::chain::diagnostics::Acceptance;
use crate::chain::{MotifSampler, Watched};
use crate::data::Network;
use crate::linalg::{Mat, Scalar};
use crate::patch::{Moved, NetworkForm, NetworkPoint, NetworkStream, Watching};
use crate::{Error, Result};
use std::sync::Arc;

/// A network and how homomorphisms are drawn in it.
pub type Drawn = (Arc<Network>, Arc<dyn MotifSampler>);

/// Patches of networks.
pub struct NetworkSource {
    stream: NetworkStream,
    /// All snapshots with the minibatch that each begins at; none when the networks are side by side.
    snapshots: Vec<(u64, Drawn)>,
    watching: Watching,
    seed: u64,
    /// Minibatches made, and those to be made.
    made: u64,
    total: u64,
    /// What a patch is, and what is off its motif, network by network.
    form: NetworkForm,
    watched: Vec<Watched>,
}

impl NetworkSource {
    /// `steps` minibatches of all networks together, or of each snapshot. Names are for those who ask how chains mix.
    ///
    /// # Errors
    /// Those of [`NetworkStream::new`].
    pub fn new(
        networks: &[Drawn],
        names: &[String],
        snapshots: bool,
        steps: u64,
        watching: Watching,
        form: NetworkForm,
        seed: u64,
    ) -> Result<Self> {
        let observable = if form.weighted { "weight off the motif" } else { "edges off the motif" };
        let watched = names.iter().map(|name| {
            let of = if names.len() > 1 { &**name } else { "" };
            Watched::new(observable, of, watching.chains, names.len())
        });
        let watched = watched.collect();
        let first = if snapshots { networks.get(..1).unwrap_or_default() } else { networks };
        let stream = NetworkStream::new(first, watching, seed)?;
        let begins = (0..).map(|at: u64| at.saturating_mul(steps));
        let snapshots: Vec<_> =
            if snapshots { begins.zip(networks.iter().cloned()).collect() } else { Vec::new() };
        let total = steps.saturating_mul(snapshots.len().max(1) as u64);
        Ok(Self { stream, snapshots, watching, seed, made: 0, total, form, watched })
    }

    /// Makes `steps` minibatches more than were to be made: of the same networks, or of the last snapshot.
    pub fn go_on(&mut self, steps: u64) {
        self.total = self.total.saturating_add(steps);
    }

    /// When each snapshot begins, and how many minibatches there are to be in all.
    pub fn plan(&self) -> (Vec<u64>, u64) {
        (self.snapshots.iter().map(|(begin, _)| *begin).collect(), self.total)
    }

    /// Takes over the plan of another source of the same networks.
    ///
    /// # Errors
    /// [`Error::Parameter`] when that has another number of snapshots, or they are not in order.
    pub fn set_plan(&mut self, (begins, total): (Vec<u64>, u64)) -> Result<()> {
        let ascending = begins.windows(2).all(|pair| pair[0] <= pair[1]);
        if begins.len() != self.snapshots.len() || !ascending {
            let expected = format!("there are {} in order", self.snapshots.len());
            return Err(Error::parameter("the number of snapshots", begins.len(), expected));
        }
        self.snapshots.iter_mut().zip(begins).for_each(|(snapshot, begin)| snapshot.0 = begin);
        self.total = total;
        Ok(())
    }

    /// Makes `steps` minibatches more, of what the network became. Chains go on where they can, as [`NetworkStream::follow`] says.
    /// `before` is the network that was learned from last.
    ///
    /// # Errors
    /// [`Error::Parameter`] when several networks are side by side, or the motif has another size.
    pub fn follow(&mut self, before: &Drawn, next: Drawn, name: &str, steps: u64) -> Result<()> {
        let side_by_side = self.watched.len();
        if self.snapshots.is_empty() && side_by_side > 1 {
            let expected = "only a run on one network follows its changes";
            return Err(Error::parameter("the number of networks", side_by_side, expected));
        }
        if next.1.motif().k() != self.form.k {
            let expected = format!("it must have {} nodes as before", self.form.k);
            return Err(Error::parameter("the motif", next.1.motif().k(), expected));
        }
        if self.snapshots.is_empty() {
            self.snapshots.push((0, before.clone()));
        }
        self.snapshots.push((self.total, next));
        self.total = self.total.saturating_add(steps);
        let observable = self.watched[0].observable.clone();
        let most = self.watched.len() + 1;
        self.watched.push(Watched::new(observable, name, self.watching.chains, most));
        Ok(())
    }

    /// Fills the next minibatch, if there is one.
    ///
    /// # Errors
    /// Those of [`NetworkStream::follow`].
    pub fn fill<T: Scalar>(&mut self, x: &mut Mat<T>) -> Result<bool> {
        if self.made >= self.total {
            return Ok(false);
        }
        let at = self.snapshots.partition_point(|(begin, _)| *begin <= self.made).saturating_sub(1);
        if at > 0 && self.snapshots[at].0 == self.made {
            let (_, (network, sampler)) = &self.snapshots[at];
            self.stream.follow(network, sampler)?;
        }
        self.stream.fill(x);
        self.watch(x, at);
        self.made += 1;
        Ok(true)
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

    /// Minibatches made.
    pub fn made(&self) -> u64 {
        self.made
    }

    /// Minibatches in all.
    pub fn minibatches(&self) -> u64 {
        self.total
    }

    /// Proposals accepted and made by all chains.
    pub fn acceptance(&self) -> Acceptance {
        self.stream.acceptance()
    }

    /// What became of chains from snapshot to snapshot.
    pub fn moved(&self) -> Moved {
        self.stream.moved()
    }

    /// What the chains were watched by.
    pub fn watched(&self) -> &[Watched] {
        &self.watched
    }

    /// The same, to go on with.
    pub fn watched_mut(&mut self) -> &mut Vec<Watched> {
        &mut self.watched
    }

    /// Where the chains are.
    pub fn point(&self) -> NetworkPoint {
        self.stream.point()
    }

    /// Goes to where a source of the same networks and seed was after `made` minibatches.
    ///
    /// # Errors
    /// [`Error::Parameter`] when that is further than this one goes; those of [`NetworkStream::seek`].
    pub fn seek(&mut self, made: u64, point: &NetworkPoint) -> Result<()> {
        if made > self.total || point.passed > 0 && point.passed as usize >= self.snapshots.len() {
            return Err(Error::parameter("the state", made, "it is further than the run goes"));
        }
        if point.passed > 0 {
            let now = std::slice::from_ref(&self.snapshots[point.passed as usize].1);
            self.stream = NetworkStream::new(now, self.watching, self.seed)?;
        }
        self.stream.seek(point)?;
        self.made = made;
        Ok(())
    }
}
