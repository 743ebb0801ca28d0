//! Minibatches of network patches for learning, of networks side by side; [`WindowSource`](super::WindowSource) has one at several times.
//!
//! Chains are watched on the way by what they see off the motif, so that how well they mix can be told.

use crate::chain::diagnostics::Acceptance;
use crate::chain::{MotifSampler, Watched};
use crate::data::Network;
use crate::linalg::{Mat, Scalar};
use crate::patch::{NetworkForm, NetworkPoint, NetworkStream, Watching};
use crate::{Error, Result};
use std::sync::Arc;

/// A network and how homomorphisms are drawn in it.
pub type Drawn = (Arc<Network>, Arc<dyn MotifSampler>);

/// Patches of networks.
///
/// ```
/// use ergodict::chain::{ExactSampler, Motif};
/// use ergodict::{dictionary::{Drawn, NetworkSource}, linalg::Mat, patch::{NetworkForm, Watching}};
/// let (karate, motif) = (std::sync::Arc::new(ergodict::data::embedded("karate")?), Motif::chain(5)?);
/// let drawn: Drawn = (karate.clone(), std::sync::Arc::new(ExactSampler::new(karate, &motif)?));
/// let (form, names) = (NetworkForm::new(&motif, false, false), ["karate".to_owned()]);
/// let mut source = NetworkSource::new(&[drawn], &names, 3, Watching::default(), form, 0)?;
/// let mut x = Mat::<f64>::zeros(0, 0);
/// while source.fill(&mut x) {}
/// assert_eq!((source.made(), x.rows(), x.cols()), (3, 25, 100));
/// # Ok::<(), ergodict::Error>(())
/// ```
pub struct NetworkSource {
    stream: NetworkStream,
    watching: Watching,
    /// Minibatches made, and those to be made.
    made: u64,
    total: u64,
    /// What a patch is, and what is off its motif, network by network.
    form: NetworkForm,
    watched: Vec<Watched>,
}

impl NetworkSource {
    /// `steps` minibatches of all networks together. Names are for those who ask how chains mix.
    ///
    /// # Errors
    /// Those of [`NetworkStream::new`].
    pub fn new(
        networks: &[Drawn],
        names: &[String],
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
        let stream = NetworkStream::new(networks, watching, seed)?;
        Ok(Self { stream, watching, made: 0, total: steps, form, watched })
    }

    /// Makes `steps` minibatches more than were to be made.
    pub fn go_on(&mut self, steps: u64) {
        self.total = self.total.saturating_add(steps);
    }

    /// Fills the next minibatch, if there is one.
    pub fn fill<T: Scalar>(&mut self, x: &mut Mat<T>) -> bool {
        if self.made >= self.total {
            return false;
        }
        self.stream.fill(x);
        self.watch(x);
        self.made += 1;
        true
    }

    /// Looks at the patches of a minibatch, each for the chain it is of.
    fn watch<T: Scalar>(&mut self, x: &Mat<T>) {
        let each = self.watching.chains;
        let mut column = 0;
        for (chain, share) in self.stream.shares().enumerate() {
            let trace = &mut self.watched[chain / each].traces[chain % each];
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
        if made > self.total || point.passed > 0 {
            return Err(Error::parameter("the state", made, "it is further than the run goes"));
        }
        self.stream.seek(point)?;
        self.made = made;
        Ok(())
    }
}
