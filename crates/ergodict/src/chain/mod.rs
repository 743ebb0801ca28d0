//! Chains: the Markov chains `Y_t` that are observed, their generators, and how well they mix.

mod bars;
pub mod diagnostics;
mod finite;
pub mod rng;

pub use bars::{BRIGHTNESS, Bars, BarsState};
pub use finite::FiniteChain;
use rand_chacha::ChaCha8Rng;

/// A Markov chain: a kernel with its data. It owns no generator, no counter and no output; subsampling, burn-in and
/// recording are written once, around it.
pub trait Chain {
    /// All that the next step needs.
    type State: Clone;
    /// What a diagnostic may want to know of a step.
    type Info;

    /// A state to start from.
    fn init(&self, rng: &mut ChaCha8Rng) -> Self::State;
    /// One step.
    fn step(&self, state: &mut Self::State, rng: &mut ChaCha8Rng) -> Self::Info;
}
