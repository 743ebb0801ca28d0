//! The samplers by name, and how one is chosen.
//!
//! | sampler | motifs | law | undirected | directed | weights | successive states |
//! |---|---|---|---|---|---|---|
//! | `exact` | trees; others that close often enough | `π` | yes | yes | yes | independent |
//! | `walk` | trees | `π̂`, uniform in the first node | yes | yes, dead ends are drawn again | yes | independent |
//! | `pivot` | trees | `π` | connected | where edges in both directions connect the nodes | yes | dependent |
//! | `pivot-approx` | trees | `π̂`, uniform in the first node | connected | the same, and no walk may end | yes | dependent |
//! | `glauber` | all | `π` | yes, see [`Glauber::connectedness`] | yes, the same | yes | dependent |
//! | `rejection` | tiny ones | `π` | yes | yes | yes | independent |

use super::{
    ApproximatePivot, ClosedSampler, ExactSampler, Glauber, Injective, Motif, MotifSampler, Pivot,
    PivotParameters, RejectionSampler, WalkSampler,
};
use crate::data::Network;
use crate::rng::{Purpose, ids, stream};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// Draws of a spanning tree for one homomorphism up to which independent draws are preferred: at a million trees a second
/// that is a thousand homomorphisms a second.
const OFTEN: u64 = 1000;

/// A way to draw homomorphisms.
///
/// ```
/// use ergodict::chain::SamplerKind;
/// assert_eq!("pivot-approx".parse::<SamplerKind>()?, SamplerKind::PivotApprox);
/// assert!("metropolis".parse::<SamplerKind>().is_err());
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SamplerKind {
    /// Independent walks from a uniform start.
    Walk,
    /// Independent draws from the law: [`ExactSampler`] for trees, `ClosedSampler` for others.
    Exact,
    /// The pivot chain with the exact acceptance.
    Pivot,
    /// The pivot chain with plain random walks.
    PivotApprox,
    /// One node at a time, drawn given the others.
    Glauber,
    /// Nodes at random until all edges are there.
    Rejection,
}

impl SamplerKind {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Walk, Self::Exact, Self::Pivot, Self::PivotApprox, Self::Glauber, Self::Rejection];

    /// The most bytes that the sampler takes in addition to the network; of Glauber and rejection also in addition to the
    /// [`Adjacency`](crate::data::Adjacency), which patches need in any case. Of a directed network the
    /// transpose is counted, which is made when first asked for. Working memory of the set-up, of at most 40
    /// bytes a node, is not.
    ///
    /// # Errors
    /// [`Error::Parameter`] when the motif is no tree and the sampler needs one.
    pub(crate) fn bytes(self, network: &Network, motif: &Motif) -> Result<u64> {
        let transpose = match (network.is_directed(), network.is_weighted()) {
            (false, _) => 0,
            (true, weighted) => {
                (if weighted { 12 } else { 4 }) * network.stored() + 8 * (network.nodes() as u64 + 1)
            }
        };
        let own = match self {
            Self::Walk => WalkSampler::bytes_needed(network),
            Self::Exact if motif.tree().is_none() => {
                ExactSampler::bytes_needed(network, &motif.spanning_tree()?.0)?
            }
            Self::Exact => ExactSampler::bytes_needed(network, motif)?,
            Self::Pivot => Pivot::bytes_needed(network, motif)?,
            Self::PivotApprox => ApproximatePivot::bytes_needed(network),
            Self::Glauber => Glauber::bytes_needed(network, motif),
            Self::Rejection => 0,
        };
        Ok(own as u64 + transpose)
    }

    /// A sampler of the motif that takes at most `within` bytes, or what is available, on this network; preferably one of the same law. Where
    /// this one does, it is this one.
    ///
    /// # Errors
    /// As [`SamplerKind::bytes`].
    pub(crate) fn fitting(
        self,
        network: &Network,
        motif: &Motif,
        within: Option<u64>,
    ) -> Result<Option<Self>> {
        // Rejection takes nothing, and forever.
        let others: &[Self] = match motif.tree() {
            Some(_) if self.is_uniform_in_start() => &[self, Self::Walk, Self::Exact, Self::Pivot],
            Some(_) => &[self, Self::Exact, Self::Pivot, Self::Walk],
            None => &[self, Self::Exact, Self::Glauber],
        };
        for &kind in others {
            if crate::memory::fits(kind.bytes(network, motif)?, within) {
                return Ok(Some(kind));
            }
        }
        Ok(None)
    }

    /// What is to be said of the law of this sampler where another was meant.
    pub(crate) fn differs_from(self, other: Self) -> &'static str {
        match (self.is_uniform_in_start(), other.is_uniform_in_start()) {
            (true, false) => ", but has another stationary distribution: uniform in the first node",
            (false, true) => ", but has another stationary distribution: uniform over motif samples",
            _ => "",
        }
    }

    /// Whether its walks start anywhere with the same probability.
    fn is_uniform_in_start(self) -> bool {
        matches!(self, Self::Walk | Self::PivotApprox)
    }

    fn name(self) -> &'static str {
        match self {
            Self::Walk => "walk",
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
        let expected = "it must be walk, exact, pivot, pivot-approx, glauber or rejection";
        let found = Self::ALL.into_iter().find(|kind| kind.name() == text);
        found.ok_or_else(|| Error::parameter("the sampler", text, expected))
    }
}

/// How samplers are made.
///
/// ```
/// use ergodict::chain::{Motif, MotifWalker, SamplerKind, SamplerBuilder};
/// use std::sync::Arc;
/// let karate = Arc::new(ergodict::data::embedded("karate")?);
/// let sampler = SamplerBuilder::default().build(SamplerKind::Exact, &karate, &Motif::path(5)?, 0)?;
/// let mut walker = MotifWalker::new(sampler, 0, 0, 0, 1)?;
/// let mut x = [0; 5];
/// walker.fill(&mut x);
/// assert!(x.windows(2).all(|pair| karate.weight(pair[0] as usize, pair[1] as usize) > 0.0));
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SamplerBuilder {
    /// Whether pivots rest in half of their steps; none: where the network is bipartite.
    pub lazy: Option<bool>,
    /// Whether only homomorphisms with different nodes are kept.
    pub injective: bool,
    /// Tries for one homomorphism, of rejection and of injective ones, beyond which it is called hopeless.
    pub most_tries: u64,
    /// Bytes that a sampler's test of adjacency may take, if it was said: see [`Adjacency::of_bytes`](crate::data::Adjacency::of_bytes).
    pub memory: Option<usize>,
}

impl Default for SamplerBuilder {
    fn default() -> Self {
        Self { lazy: None, injective: false, most_tries: 1_000_000, memory: None }
    }
}

impl SamplerBuilder {
    /// A sampler of homomorphisms of the motif into the network. The seed serves trials that find out whether
    /// injective homomorphisms can be had.
    ///
    /// # Errors
    /// [`Error::Parameter`] when there is no homomorphism, when the sampler is not valid on this network or
    /// for this motif, and when it would take more than [`SamplerBuilder::most_tries`].
    pub fn build(
        &self,
        kind: SamplerKind,
        network: &Arc<Network>,
        motif: &Motif,
        seed: u64,
    ) -> Result<Arc<dyn MotifSampler>> {
        let pivot = PivotParameters { lazy: self.lazy };
        match kind {
            SamplerKind::Walk => {
                self.finish(WalkSampler::new(Arc::clone(network), motif, self.most_tries)?, seed)
            }
            SamplerKind::Exact if motif.tree().is_none() => {
                self.finish(ClosedSampler::within(network, motif, self.most_tries, self.memory)?, seed)
            }
            SamplerKind::Exact => self.finish(ExactSampler::new(Arc::clone(network), motif)?, seed),
            SamplerKind::Pivot => self.finish(Pivot::new(Arc::clone(network), motif, pivot)?, seed),
            SamplerKind::PivotApprox => {
                self.finish(ApproximatePivot::new(Arc::clone(network), motif, pivot)?, seed)
            }
            SamplerKind::Glauber => {
                self.finish(Glauber::within(Arc::clone(network), motif.clone(), self.memory)?, seed)
            }
            SamplerKind::Rejection => {
                let (network, motif) = (Arc::clone(network), motif.clone());
                self.finish(RejectionSampler::within(network, motif, self.most_tries, self.memory)?, seed)
            }
        }
    }

    /// The sampler to take when none is asked for: exact draws, and Glauber for motifs with cycles that draws of their
    /// spanning trees close less than once in a thousand.
    ///
    /// # Errors
    /// As [`SamplerBuilder::build`].
    pub(crate) fn natural(
        &self,
        network: &Arc<Network>,
        motif: &Motif,
        seed: u64,
    ) -> Result<(SamplerKind, Arc<dyn MotifSampler>)> {
        let kind =
            if motif.tree().is_some() || ClosedSampler::within(network, motif, OFTEN, self.memory).is_ok() {
                SamplerKind::Exact
            } else {
                SamplerKind::Glauber
            };
        Ok((kind, self.build(kind, network, motif, seed)?))
    }

    /// The sampler that is asked for; where none is, the preferred one if it is valid here, else the natural one.
    ///
    /// # Errors
    /// As [`SamplerBuilder::build`].
    pub(crate) fn choose(
        &self,
        asked: Option<SamplerKind>,
        preferred: Option<SamplerKind>,
        network: &Arc<Network>,
        motif: &Motif,
        seed: u64,
    ) -> Result<(SamplerKind, Arc<dyn MotifSampler>)> {
        let build = |kind| self.build(kind, network, motif, seed).map(|sampler| (kind, sampler));
        match asked {
            Some(kind) => build(kind),
            None => preferred
                .and_then(|kind| build(kind).ok())
                .map_or_else(|| self.natural(network, motif, seed), Ok),
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

#[cfg(test)]
mod tests {
    use super::super::check::{tiny_motifs, tiny_networks};
    use super::*;
    use crate::data::{Build, NodeIds};
    use crate::rng::below;

    #[test]
    fn no_sampler_takes_more_than_it_says() {
        let mut networks = tiny_networks();
        let mut rng = stream(1, Purpose::Synthetic, 0);
        for (directed, weighted) in [(false, false), (false, true), (true, false), (true, true)] {
            let mut node = || below(&mut rng, 300) as u32;
            // Both ways, so that pivots can move; some nodes have many edges.
            let edges: Vec<_> = (0..2000).map(|_| (node().min(node()), node(), 0.5)).collect();
            let back = edges.iter().map(|&(u, v, _)| (v, u, 2.0));
            let edges: Vec<_> = edges.iter().copied().chain(back).collect();
            let build = Build { directed, ..Build::default() };
            let network = Network::build(NodeIds::numbered(300), &edges, weighted, build).unwrap().0;
            networks.push(("random", Arc::new(network.largest_component())));
        }
        let mut motifs = tiny_motifs();
        motifs.push(("chain 21", Motif::path(21).unwrap()));
        // In directed networks messages of every kind go both ways.
        let both = [(0, 1), (2, 0), (1, 3), (4, 1), (2, 5), (6, 2), (3, 7), (8, 4), (5, 9), (10, 6)];
        motifs.push(("both ways", Motif::new(11, both.to_vec()).unwrap()));
        let mut cases = 0;
        for (name, network) in &networks {
            for (shape, motif) in motifs.iter().filter(|(_, motif)| motif.tree().is_some()) {
                let case = format!("{shape} in {name}");
                let needed = |kind: SamplerKind| kind.bytes(network, motif).unwrap() as usize;
                if let Ok(exact) = ExactSampler::new(Arc::clone(network), motif) {
                    assert!(exact.bytes() <= ExactSampler::bytes_needed(network, motif).unwrap(), "{case}");
                    assert!(exact.bytes() <= needed(SamplerKind::Exact), "{case}");
                    cases += 1;
                }
                if let Ok(walks) = WalkSampler::new(Arc::clone(network), motif, 1000) {
                    assert!(walks.bytes() <= needed(SamplerKind::Walk), "{case}");
                    cases += 1;
                }
                let lazy = PivotParameters::default();
                if let Ok(pivot) = Pivot::new(Arc::clone(network), motif, lazy) {
                    assert!(pivot.bytes() <= needed(SamplerKind::Pivot), "{case}");
                    cases += 1;
                }
                if let Ok(pivot) = ApproximatePivot::new(Arc::clone(network), motif, lazy) {
                    assert!(pivot.bytes() <= needed(SamplerKind::PivotApprox), "{case}");
                    cases += 1;
                }
            }
        }
        assert!(cases > 550, "{cases}");
    }

    #[test]
    fn the_transpose_of_a_directed_network_is_counted() {
        let edges = [(0, 1, 0.5), (1, 2, 0.5), (2, 0, 0.5), (2, 3, 0.5)];
        for (weighted, entry) in [(false, 4), (true, 12)] {
            let build = Build { directed: true, ..Build::default() };
            let network = Network::build(NodeIds::numbered(4), &edges, weighted, build).unwrap().0;
            let all = SamplerKind::Walk.bytes(&network, &Motif::path(3).unwrap()).unwrap();
            // Four entries, and where each of four rows begins and the last one ends.
            assert_eq!(all as usize - WalkSampler::bytes_needed(&network), 4 * entry + 5 * 8);
        }
    }
}
