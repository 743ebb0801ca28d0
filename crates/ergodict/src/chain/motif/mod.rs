//! Motifs and their homomorphisms into a network: what is sampled, and the samplers, a file each.
//!
//! | sampler | states | file |
//! |---|---|---|
//! | what they share | | `sampler.rs` |

mod sampler;
mod shape;
mod walker;

pub use sampler::MotifSampler;
pub use shape::{Motif, RootedTree};
pub use walker::{MotifPoint, MotifWalker};
