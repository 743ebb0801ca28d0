//! The samplers by name, and how one is chosen.
//!
//! | sampler | motifs | law | undirected | directed | weights | successive states |
//! |---|---|---|---|---|---|---|
//! | `exact` | trees | `π` | yes | yes | yes | independent |
//! | `pivot` | trees | `π` | connected | where edges in both directions connect the nodes | yes | dependent |
//! | `pivot-approx` | trees | `π̂`, uniform in the first node | connected | the same, and no walk may end | yes | dependent |
//! | `glauber` | all | `π` | yes, see [`Glauber::connectedness`] | yes, the same | yes | dependent |
//! | `rejection` | tiny ones | `π` | yes | yes | yes | independent |

use super::{
    ApproximatePivot, Backward, ExactSampler, Glauber, Injective, Motif, MotifSampler, Pivot,
    PivotParameters, RejectionSampler,
};
use crate::chain::rng::{Purpose, ids, stream};
use crate::data::Network;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// A way to draw homomorphisms.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SamplerKind {
    /// Independent draws from the law: [`ExactSampler`].
    Exact,
    /// The pivot chain with the exact acceptance: [`Pivot`].
    Pivot,
    /// The pivot chain with plain random walks: [`ApproximatePivot`].
    PivotApprox,
    /// One node at a time: [`Glauber`].
    Glauber,
    /// Nodes at random until all edges are there: [`RejectionSampler`].
    Rejection,
}

impl SamplerKind {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Exact, Self::Pivot, Self::PivotApprox, Self::Glauber, Self::Rejection];

    /// The one to take for a motif when none is asked for: exact draws of trees, else Glauber.
    pub fn natural(motif: &Motif) -> Self {
        if motif.tree().is_some() { Self::Exact } else { Self::Glauber }
    }

    /// Bytes that the sampler takes beside the network, where that grows with the motif.
    ///
    /// # Errors
    /// [`Error::Parameter`] when the motif is no tree and the sampler needs one.
    pub fn bytes(self, network: &Network, motif: &Motif) -> Result<u64> {
        match self {
            Self::Exact | Self::Pivot => Ok(Backward::bytes_needed(network, motif)? as u64),
            _ => Ok(0),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Pivot => "pivot",
            Self::PivotApprox => "pivot-approx",
            Self::Glauber => "glauber",
            Self::Rejection => "rejection",
        }
    }
}

impl fmt::Display for SamplerKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for SamplerKind {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let expected = "it must be exact, pivot, pivot-approx, glauber or rejection";
        let found = Self::ALL.into_iter().find(|kind| kind.name() == text);
        found.ok_or_else(|| Error::parameter("the sampler", text, expected))
    }
}

/// How samplers are made.
///
/// ```
/// use ergodict::chain::{Motif, MotifWalker, SamplerKind, Samplers};
/// use std::sync::Arc;
/// let karate = Arc::new(ergodict::data::embedded("karate")?);
/// let sampler = Samplers::default().build(SamplerKind::Exact, &karate, &Motif::chain(5)?, 0)?;
/// let mut walker = MotifWalker::new(sampler, 0, 0, 0, 1)?;
/// let mut x = [0; 5];
/// walker.fill(&mut x);
/// assert!(x.windows(2).all(|pair| karate.weight(pair[0] as usize, pair[1] as usize) > 0.0));
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Samplers {
    /// Whether pivots rest in half of their steps; none: where the network is bipartite.
    pub lazy: Option<bool>,
    /// Whether only homomorphisms with different nodes are kept.
    pub injective: bool,
    /// Tries for one homomorphism, of rejection and of injective ones, beyond which it is called hopeless.
    pub most_tries: u64,
}

impl Default for Samplers {
    fn default() -> Self {
        Self { lazy: None, injective: false, most_tries: 1_000_000 }
    }
}

impl Samplers {
    /// A sampler of homomorphisms of the motif into the network. The seed serves trials that find out whether injective
    /// homomorphisms can be had.
    ///
    /// # Errors
    /// [`Error::Parameter`] when there is no homomorphism, when the sampler is not valid on this network or for this motif, and
    /// when it would take more than [`Samplers::most_tries`].
    pub fn build(
        &self,
        kind: SamplerKind,
        network: &Arc<Network>,
        motif: &Motif,
        seed: u64,
    ) -> Result<Arc<dyn MotifSampler>> {
        let pivot = PivotParameters { lazy: self.lazy };
        match kind {
            SamplerKind::Exact => self.finish(ExactSampler::new(Arc::clone(network), motif)?, seed),
            SamplerKind::Pivot => self.finish(Pivot::new(Arc::clone(network), motif, pivot)?, seed),
            SamplerKind::PivotApprox => {
                self.finish(ApproximatePivot::new(Arc::clone(network), motif, pivot)?, seed)
            }
            SamplerKind::Glauber => self.finish(Glauber::new(Arc::clone(network), motif.clone())?, seed),
            SamplerKind::Rejection => {
                self.finish(RejectionSampler::new(Arc::clone(network), motif.clone(), self.most_tries)?, seed)
            }
        }
    }

    fn finish(&self, sampler: impl MotifSampler + 'static, seed: u64) -> Result<Arc<dyn MotifSampler>> {
        if !self.injective {
            return Ok(Arc::new(sampler));
        }
        let mut rng = stream(seed, Purpose::Chain, ids::TRIALS);
        Ok(Arc::new(Injective::new(sampler, self.most_tries, &mut rng)?))
    }
}
