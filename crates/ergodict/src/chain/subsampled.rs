//! Subsampling: `X_k = Y_{τk}`, for any chain.

use super::Chain;
use crate::{Error, Result};
use rand_chacha::ChaCha8Rng;

/// A chain seen at every τ-th step only, which is a chain again, with the same stationary laws.
///
/// ```
/// use ergodict::{chain::{Chain, FiniteChain, Subsampled}, rng};
/// let alternating = FiniteChain::new(&[vec![0.0, 1.0], vec![1.0, 0.0]])?;
/// let every_second = Subsampled::new(alternating, 2)?;
/// let mut rng = rng::stream(0, rng::Purpose::Chain, 0);
/// let first = every_second.init(&mut rng);
/// let mut state = first;
/// every_second.step(&mut state, &mut rng);
/// assert_eq!(state, first);
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Subsampled<C> {
    chain: C,
    every: u64,
}

impl<C: Chain> Subsampled<C> {
    /// The chain at every `every`-th step.
    ///
    /// # Errors
    /// [`Error::Parameter`] for 0.
    pub fn new(chain: C, every: u64) -> Result<Self> {
        if every == 0 {
            return Err(Error::parameter("the subsampling epoch", 0, "it must be at least 1"));
        }
        Ok(Self { chain, every })
    }
}

impl<C: Chain> Chain for Subsampled<C> {
    type State = C::State;
    type Info = C::Info;

    fn init(&self, rng: &mut ChaCha8Rng) -> C::State {
        self.chain.init(rng)
    }

    fn step(&self, state: &mut C::State, rng: &mut ChaCha8Rng) -> C::Info {
        self.chain.steps(state, self.every, rng)
    }

    fn steps(&self, state: &mut C::State, count: u64, rng: &mut ChaCha8Rng) -> C::Info {
        self.chain.steps(state, self.every.saturating_mul(count), rng)
    }
}
