//! Cluster updates of Ising and Potts models: bonds are thrown between sites that agree, and clusters of joined sites change as one. Those of the XY model,
//! by reflections, are in `reflection.rs`.
//!
//! | symbol | here | where |
//! |---|---|---|
//! | `π(x) ∝ exp(−H(x)/T)` | [`ClusterModel`] | `ising.rs`, `ising_graph.rs`, `potts.rs` |
//! | satisfied bond | `J x(u)x(v) > 0` (Ising), `x(u) = x(v)` with `J > 0` (Potts) | Fortuin and Kasteleyn 1972 |
//! | `p = 1 − exp(−2\|J\|/T)` (Ising), `1 − exp(−J/T)` (Potts) | [`Bonds`], as `p·2⁶⁴` | Edwards and Sokal 1988 |
//! | one cluster, grown from a random site | [`Wolff`] | Wolff 1989 |
//! | all clusters | [`SwendsenWang`] | Swendsen and Wang 1987 |
//! | `b(C) = Σ_{v∈C} h(v)x(v)/T` | `pull` | the field, below |
//!
//! A bond holds with probability `p` if it is satisfied, never else. Given the bonds that hold, all sites of a cluster change together, and clusters
//! are independent of each other; a field weighs a cluster by the sum over its sites. That is what a ghost spin gives (a site that is bound to every
//! other by the field) when it is summed over: nothing of it is left but the acceptance of [`Wolff`] and the probabilities of [`SwendsenWang`].

mod bonds;
mod reflection;
mod swendsen_wang;
mod union;
mod wolff;

pub(crate) use bonds::Bonds;
use bonds::Coins;
#[cfg(test)]
pub(crate) use bonds::End;
pub(crate) use reflection::{ReflectedClusters, Reflection};
pub(crate) use swendsen_wang::SwendsenWang;
pub use union::ClusterSizes;
pub(crate) use union::Clusters;
pub(crate) use wolff::Wolff;

use super::{Alphabet, SpinSystem};
use crate::Result;

/// A model whose clusters can be updated.
pub(crate) trait ClusterModel: SpinSystem<State = Vec<i8>, Value = i8> {
    /// Its bonds, with the probability that each holds if it is satisfied.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) where agreement does not make clusters, as for antiferromagnetic Potts models.
    fn bonds(&self) -> Result<Bonds>;

    /// The field at a site over the temperature.
    fn pull(&self, site: usize) -> f64;

    /// Whether there is a field anywhere.
    fn has_field(&self) -> bool;
}

/// The sum of the field over a cluster, over the temperature: of the spins as they are, or of label 0 where there are labels.
pub(crate) fn pull<M: ClusterModel>(model: &M, state: &[i8], members: &[u32]) -> f64 {
    let signs = model.alphabet() == Alphabet::PlusMinus;
    let one = |site: usize| model.pull(site) * if signs { f64::from(state[site]) } else { 1.0 };
    members.iter().map(|&site| one(site as usize)).sum()
}
