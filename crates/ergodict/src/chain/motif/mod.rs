//! Motifs and their homomorphisms into a network: what is sampled, and the samplers, a file each.
//!
//! | sampler | states | file |
//! |---|---|---|
//! | what they share | | `sampler.rs` |

#[cfg(test)]
mod check;
mod sampler;
mod shape;

pub use sampler::MotifSampler;
pub use shape::{Motif, RootedTree};
