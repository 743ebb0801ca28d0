//! Motifs and their homomorphisms into a network: what is sampled, and the samplers, a file each.
//!
//! | sampler | states | file |
//! |---|---|---|
//! | what they share | | `sampler.rs` |
//! | independent draws from `π`, tree motifs | all homomorphisms | `exact.rs`, with `backward.rs` |
//! | pivot chain with the law `π`, tree motifs | all homomorphisms | `pivot.rs` |
//! | pivot chain with the law `π̂`, tree motifs | all homomorphisms | `pivot_approx.rs` |

mod alias;
mod backward;
#[cfg(test)]
mod check;
mod exact;
mod pivot;
mod pivot_approx;
mod pivot_moves;
mod reference;
mod row_draw;
mod sampler;
mod shape;
mod walk;
mod wide;

pub use backward::Backward;
pub use exact::ExactSampler;
pub use pivot::Pivot;
pub use pivot_approx::ApproximatePivot;
pub use pivot_moves::PivotParameters;
pub use sampler::MotifSampler;
pub use shape::{Motif, RootedTree};
