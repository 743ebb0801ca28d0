//! Motifs and their homomorphisms into a network: what is sampled, and the samplers, a file each.
//!
//! | sampler | states | file |
//! |---|---|---|
//! | what they share | | `sampler.rs` |
//! | independent draws from `π`, tree motifs | all homomorphisms | `exact.rs`, with `backward.rs` |
//! | independent draws from `π`, motifs with cycles | all homomorphisms | `closed.rs` |
//! | independent walks from a uniform start, law `π̂`, tree motifs | all homomorphisms | `walk_sampler.rs` |
//! | pivot chain with the law `π`, tree motifs | all homomorphisms | `pivot.rs` |
//! | pivot chain with the law `π̂`, tree motifs | all homomorphisms | `pivot_approx.rs` |
//! | Glauber, any motif | one node redrawn a step | `glauber.rs`, `glauber_chain.rs` |
//! | rejection, tiny motifs | independent draws | `rejection.rs` |
//! | only different nodes | those of another sampler | `injective.rs` |

mod alias;
mod backward;
#[cfg(test)]
mod check;
#[cfg(test)]
mod chi_squared;
mod closed;
mod connectedness;
mod density;
mod exact;
mod glauber;
mod glauber_chain;
#[cfg(test)]
mod glauber_tests;
mod injective;
mod kind;
#[cfg(test)]
mod law_tests;
mod macc;
mod observables;
mod pivot;
mod pivot_approx;
mod pivot_moves;
mod reference;
mod rejection;
mod row_draw;
mod sampler;
mod search;
mod settings;
mod shape;
mod walk;
mod walk_sampler;
mod walker;
mod wide;

pub(crate) use backward::Backward;
pub(crate) use closed::ClosedSampler;
pub use density::Density;
pub(crate) use density::Extension;
pub use exact::ExactSampler;
pub(crate) use glauber::Glauber;
pub(crate) use injective::Injective;
pub use kind::{SamplerBuilder, SamplerKind};
pub use macc::Macc;
pub use observables::MotifObservable;
pub(crate) use pivot::Pivot;
pub(crate) use pivot_approx::ApproximatePivot;
pub(crate) use pivot_moves::PivotParameters;
pub(crate) use rejection::RejectionSampler;
pub use sampler::{MotifSampler, SampledNetwork};
pub use settings::{ChosenSampler, Component, Lazy, SamplingSettings, Use};
pub use shape::{Motif, RootedTree};
pub(crate) use walk_sampler::WalkSampler;
pub use walker::{MotifPoint, MotifWalker};
