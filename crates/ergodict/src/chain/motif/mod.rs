//! Motifs and their homomorphisms into a network: what is sampled, and the samplers, a file each.
//!
//! | sampler | states | file |
//! |---|---|---|
//! | what they share | | `sampler.rs` |
//! | Glauber, any motif | one node drawn anew a step | `glauber.rs`, `glauber_chain.rs` |
//! | rejection, tiny motifs | independent draws | `rejection.rs` |
//! | only different nodes | those of another sampler | `injective.rs` |

#[cfg(test)]
mod check;
mod connectedness;
mod glauber;
mod glauber_chain;
mod sampler;
mod search;
mod shape;

pub use connectedness::Connectedness;
pub use glauber::Glauber;
pub use sampler::MotifSampler;
pub use shape::{Motif, RootedTree};
