//! Persistent chains of a restricted Boltzmann machine: several that go through its weights together.

use super::{Alphabet, Chain, Rbm};
use crate::rng::{ChaCha8Rng, Purpose, stream};
use crate::{Error, Result, memory};

/// Bytes of a unit: its state, and what it is driven by.
const EACH_UNIT: u64 = 10;
/// Bytes of a chain besides: its generator.
const EACH_CHAIN: u64 = size_of::<ChaCha8Rng>() as u64 + 64;

/// Chains of one machine, as [`SystemSettings::persistent_chains`](super::SystemSettings::persistent_chains) begins them.
///
/// Each has the states that it would have alone, with its own stream of the seed.
///
/// ```
/// use ergodict::chain::{SystemData, SystemKind, SystemSettings};
/// use ergodict::text::Shape;
/// let size = Some(Shape(4, 5));
/// let rbm = SystemSettings { model: Some(SystemKind::Rbm), size, ..SystemSettings::default() };
/// let mut chains = rbm.persistent_chains(SystemData::default(), 1.0, 7, 10)?;
/// chains.advance(3);
/// let mut alone = rbm.walk(SystemData::default(), 1.0, 7, 9)?;
/// alone.advance(3);
/// assert_eq!(alone.frame(), chains.states()[9 * 20..].into());
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct PersistentChains {
    rbm: Rbm,
    /// The visible units, chain by chain.
    states: Vec<i8>,
    rngs: Vec<ChaCha8Rng>,
}

impl PersistentChains {
    /// Chains `0..count` of the seed at their start.
    pub(super) fn new(rbm: Rbm, seed: u64, count: usize) -> Result<Self> {
        if count == 0 {
            return Err(Error::parameter("the number of chains", 0, "it must be at least 1"));
        }
        let units = (rbm.visible() + rbm.hidden()) as u64;
        memory::check(
            units.saturating_mul(EACH_UNIT).saturating_add(EACH_CHAIN).saturating_mul(count as u64),
            &format!("{count} chains of {units} units"),
            "choose fewer chains",
        )?;
        let mut rngs: Vec<ChaCha8Rng> =
            (0..count as u64).map(|chain| stream(seed, Purpose::Chain, chain)).collect();
        let states = rngs.iter_mut().flat_map(|rng| rbm.init(rng)).collect();
        Ok(Self { rbm, states, rngs })
    }

    /// The visible units, chain by chain.
    pub fn states(&self) -> &[i8] {
        &self.states
    }

    /// Puts all chains into other states, as for the next minibatch of a training that continues from them.
    ///
    /// # Errors
    /// [`Error::Shape`] for another number of units, [`Error::Parameter`] for values that are not 0 or 1.
    pub fn set_states(&mut self, states: &[i8]) -> Result<()> {
        Alphabet::ZeroOne.check(states, self.states.len())?;
        self.states.copy_from_slice(states);
        Ok(())
    }

    /// Takes `steps` steps with every chain.
    pub fn advance(&mut self, steps: u64) {
        let mut each: Vec<&mut [i8]> = self.states.chunks_exact_mut(self.rbm.visible()).collect();
        self.rbm.steps_together(&mut each, &mut self.rngs, steps);
    }
}
