//! Learning in rounds: chains draw and code on their own against a frozen dictionary, and one step takes in what all of them found.
//!
//! | symbol | here | where |
//! |---|---|---|
//! | `C` chains, `T` minibatches of `N` patches each in a round | `chains`, `minibatches`, `batch` | — |
//! | `W_{t−1}`, frozen through round `t` | [`RoundTask::w`] | Algorithm NDL, docs/maths.md, Patches |
//! | `X_t`, the `C·T·N` columns of the round | chain after chain, each in its order | |
//! | `Σ h hᵀ`, `Σ x hᵀ`, the part of `r_t` | [`RoundOutcome::statistics`] | `factor/statistics.rs` |
//! | `W_t` | [`Run::absorb`], one step of the online scheme with weight `w_t` | Algorithm 1 |
//!
//! A round is a step of the scheme whose minibatch has `C·T·N` columns. Statistics are merged minibatch by minibatch within a chain and then chain
//! by chain, so that the result depends on the numbers above and the seed, and not on which process did what, when, or how often: a
//! task that was lost is run again and gives the same bytes. Chain `c` draws from stream `c` of the seed, as in
//! [`NetworkStream`](crate::patch::NetworkStream): with `T = 1` the columns are those of a run with `C` chains and minibatches of `C·N`.

mod arithmetic;
mod bytes;
pub(crate) mod frame;
mod task;

pub use arithmetic::arithmetic;
pub(crate) use arithmetic::other_arithmetic;
pub use task::{RoundChain, RoundOutcome, RoundTask, TaskContext};

use crate::factor::FactorSettings;
use crate::{Error, Result};

/// Most chains: their numbers are ids of streams, as those of [`NetworkStream`](crate::patch::NetworkStream).
const MOST_CHAINS: usize = 1 << 16;

/// How a dictionary is learned in rounds.
///
/// In a round each of `C` chains codes `T` minibatches of `N` patches with the same `W`; their statistics `Σ hhᵀ`, `Σ xhᵀ` add up, and one step is made from the sums.
///
/// ```
/// use ergodict::run::RoundLearning;
/// let learning = RoundLearning { rounds: 3, chains: 2, minibatches: 4, batch: 20, ..RoundLearning::new(6) };
/// assert_eq!((learning.rounds, learning.parameters.atoms), (3, 6));
/// ```
#[derive(Clone, Debug)]
pub struct RoundLearning {
    /// Steps of the scheme.
    pub rounds: u64,
    /// Chains, `C`.
    pub chains: usize,
    /// Minibatches of each chain in a round, `T`.
    pub minibatches: u64,
    /// Columns of each of those, `N`.
    pub batch: usize,
    /// Steps of a chain before its first homomorphism.
    pub burn_in: u64,
    /// Steps from one homomorphism to the next.
    pub every: u64,
    /// Those of the online scheme.
    pub parameters: FactorSettings,
}

impl RoundLearning {
    /// A hundred rounds of eight chains with one minibatch of a hundred patches each.
    pub fn new(atoms: usize) -> Self {
        let parameters = FactorSettings::new(atoms);
        Self { rounds: 100, chains: 8, minibatches: 1, batch: 100, burn_in: 0, every: 1, parameters }
    }

    /// Whether all are in range, but for those of the scheme.
    ///
    /// # Errors
    /// [`Error::Parameter`] for one that is not.
    pub fn check(&self) -> Result<()> {
        let at_least_one = |name, value: u64| match value {
            0 => Err(Error::parameter(name, value, "it must be at least 1")),
            _ => Ok(()),
        };
        at_least_one("rounds", self.rounds)?;
        at_least_one("minibatches", self.minibatches)?;
        at_least_one("batch", self.batch as u64)?;
        at_least_one("every", self.every)?;
        if self.chains == 0 || self.chains >= MOST_CHAINS {
            let expected = format!("it must be at least 1 and below {MOST_CHAINS}");
            return Err(Error::parameter("chains", self.chains, expected));
        }
        self.parameters.check_decided()?;
        if self.parameters.unused == crate::factor::UnusedAtoms::Reseed {
            let expected = "a step of a round sees no patch to replace an atom by: it must be keep";
            return Err(Error::parameter("unused", "reseed", expected));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
