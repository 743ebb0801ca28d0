//! Motifs and their homomorphisms into a network: what is sampled, and the samplers, a file each.
//!
//! | sampler | states | file |
//! |---|---|---|
//! | what they share | | `sampler.rs` |

mod density;
mod macc;
mod observables;
mod sampler;
mod shape;

pub use density::{Density, Extension};
pub use macc::Macc;
pub use observables::MotifObservable;
pub use sampler::MotifSampler;
pub use shape::{Motif, RootedTree};
