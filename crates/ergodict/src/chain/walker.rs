//! A chain under way: its state, its generator and its count of steps, which the kernel itself does not own.

use super::diagnostics::Acceptance;
use super::{Alphabet, Boundary, Chain, Lattice, Observable, SpinSystem, Tally};
use crate::data::{Frame, SiteValue};
use crate::rng::{Purpose, purpose_of, stream};
use crate::{Error, Result};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// Where a chain is, so that it can go on later: all but the kernel.
///
/// ```
/// use ergodict::chain::{Boundary, Field, Ising, Lattice, SpinWalk, Walker};
/// let ising = Ising::new(Lattice::new(8, 8, Boundary::Periodic)?, 2.0, 1.0, Field::Uniform(0.0))?;
/// let mut walker = Walker::new(ising, 7, 0);
/// walker.advance(100);
/// let point = walker.point();
/// assert_eq!((point.steps, point.state.len()), (100, 64)); // a byte for each spin
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ChainPoint {
    /// Steps taken.
    pub steps: u64,
    /// Position of the generator in its stream, in 32-bit words.
    pub word: u64,
    /// Proposals accepted and made so far, for chains that make them.
    #[serde(default)]
    pub acceptance: Option<Acceptance>,
    /// The state as bytes; kept apart from the rest in files.
    #[serde(skip)]
    pub state: Vec<u8>,
}

/// A chain with its state and generator.
///
/// ```
/// use ergodict::chain::{Boundary, Field, Ising, Lattice, SpinWalk, Walker};
/// let ising = Ising::new(Lattice::new(8, 8, Boundary::Periodic)?, 2.0, 1.0, Field::Uniform(0.0))?;
/// let mut walker = Walker::new(ising.clone(), 7, 0);
/// walker.advance(100);
/// let point = walker.point();
/// walker.advance(100);
/// let mut again = Walker::new(ising, 7, 0);
/// again.seek(&point)?;
/// again.advance(100);
/// assert_eq!(walker.spins(), again.spins());
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Walker<C: Chain> {
    chain: C,
    state: C::State,
    rng: ChaCha8Rng,
    steps: u64,
    info: C::Info,
}

impl<C: Chain> Walker<C> {
    /// The chain at its start, with stream `id` of the seed.
    pub fn new(chain: C, seed: u64, id: u64) -> Self {
        let mut rng = stream(seed, Purpose::Chain, id);
        let state = chain.init(&mut rng);
        Self { chain, state, rng, steps: 0, info: C::Info::default() }
    }

    /// The kernel.
    pub fn chain(&self) -> &C {
        &self.chain
    }

    /// The state.
    pub fn state(&self) -> &C::State {
        &self.state
    }

    /// Steps taken.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Takes `count` steps.
    pub fn take(&mut self, count: u64) {
        self.info.add(self.chain.steps(&mut self.state, count, &mut self.rng));
        self.steps += count;
    }

    /// What is drawn to measure the state: a stream of its own, at a word that the number of steps sets, so that a state which is measured again gives the
    /// same. A measurement takes less than two bytes a site of the next 2³⁰ words.
    fn measuring(&self) -> ChaCha8Rng {
        let mut rng = self.rng.clone();
        rng.set_stream(purpose_of(rng.get_stream(), Purpose::Measurement));
        rng.set_word_pos(u128::from(self.steps) << 30);
        rng
    }

    /// Where the generator is.
    pub fn word(&self) -> u64 {
        // A stream has 2⁶⁸ words; at a word a nanosecond the first 2⁶⁴ last for 584 years.
        self.rng.get_word_pos() as u64
    }

    /// Puts the chain into a state, with the generator at `word` of its stream after `steps` steps.
    pub fn put(&mut self, state: C::State, steps: u64, word: u64) {
        self.state = state;
        self.steps = steps;
        self.rng.set_word_pos(u128::from(word));
    }
}

impl<S: SpinSystem> Walker<S> {
    /// The configuration, row by row.
    pub fn spins(&self) -> &[S::Value] {
        self.chain.spins(&self.state)
    }
}

/// A spin system under way, whichever it is.
///
/// ```
/// use ergodict::chain::{Boundary, Field, Ising, Lattice, Potts, SpinWalk, Walker};
/// let lattice = Lattice::new(8, 8, Boundary::Periodic)?;
/// let both: [Box<dyn SpinWalk>; 2] = [
///     Box::new(Walker::new(Ising::new(lattice, 2.0, 1.0, Field::Uniform(0.0))?, 0, 0)),
///     Box::new(Walker::new(Potts::new(lattice, 3, 1.0, 1.0, 0.0)?, 0, 1)),
/// ];
/// for mut walk in both {
///     walk.advance(64);
///     assert_eq!((walk.taken(), walk.frame().len()), (64, 64));
/// }
/// # Ok::<(), ergodict::Error>(())
/// ```
pub trait SpinWalk: Send + Sync {
    /// Rows and columns in which the sites are drawn.
    fn shape(&self) -> (usize, usize);
    /// The lattice, if its bonds are what the energy is made of.
    fn lattice(&self) -> Option<Lattice>;
    /// Rows, columns and boundary of the grid that patches are cut from, if there is one.
    fn grid(&self) -> Option<(usize, usize, Boundary)>;
    /// The values at the sites.
    fn alphabet(&self) -> Alphabet;
    /// Updates of single sites in a step.
    fn updates_per_step(&self) -> u64;
    /// Takes steps.
    fn advance(&mut self, steps: u64);
    /// Steps taken so far.
    fn taken(&self) -> u64;
    /// The configuration, row by row.
    fn frame(&self) -> Frame<'_>;
    /// An observable of the configuration.
    ///
    /// # Errors
    /// [`Error::Parameter`] for clusters of a system without the bonds of a lattice.
    fn measure(&self, observable: Observable) -> Result<f64>;
    /// Proposals accepted and made so far, for chains that make them.
    fn acceptance(&self) -> Option<Acceptance>;
    /// Where the chain is.
    fn point(&self) -> ChainPoint;
    /// Goes to where a chain of the same kernel and seed was.
    ///
    /// # Errors
    /// As [`SpinSystem::state`].
    fn seek(&mut self, point: &ChainPoint) -> Result<()>;
}

impl<S: SpinSystem + Send> SpinWalk for Walker<S>
where
    S::Info: Send + Sync,
{
    fn shape(&self) -> (usize, usize) {
        self.chain.shape()
    }

    fn lattice(&self) -> Option<Lattice> {
        self.chain.lattice()
    }

    fn grid(&self) -> Option<(usize, usize, Boundary)> {
        self.chain.grid()
    }

    fn alphabet(&self) -> Alphabet {
        self.chain.alphabet()
    }

    fn updates_per_step(&self) -> u64 {
        self.chain.updates()
    }

    fn advance(&mut self, steps: u64) {
        self.take(steps);
    }

    fn taken(&self) -> u64 {
        self.steps
    }

    fn frame(&self) -> Frame<'_> {
        self.spins().into()
    }

    fn measure(&self, observable: Observable) -> Result<f64> {
        observable.measure(&self.chain, &self.state, &mut self.measuring())
    }

    fn acceptance(&self) -> Option<Acceptance> {
        S::acceptance(&self.info)
    }

    fn point(&self) -> ChainPoint {
        let (word, state) = (self.word(), self.frame().to_bytes());
        ChainPoint { steps: self.steps, word, acceptance: self.acceptance(), state }
    }

    fn seek(&mut self, point: &ChainPoint) -> Result<()> {
        let spins = S::Value::from_bytes(&point.state).unwrap_or_default();
        if spins.len() != self.spins().len() {
            let expected = format!("{} sites", self.spins().len());
            return Err(Error::shape("the saved configuration", format!("{} sites", spins.len()), expected));
        }
        let state = self.chain.state(&spins)?;
        self.put(state, point.steps, point.word);
        self.info = S::tally(point.acceptance.unwrap_or_default());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::{Field, Ising};

    fn ising(size: usize) -> Ising {
        let lattice = Lattice::new(size, size, Boundary::Periodic).unwrap();
        Ising::new(lattice, 2.5, 1.0, Field::Uniform(0.0)).unwrap()
    }

    #[test]
    fn chains_that_were_stopped_go_on_and_are_not_changed_by_measurements() {
        let mut whole = Walker::new(ising(8), 7, 3);
        whole.advance(500);
        let mut parts = Walker::new(ising(8), 7, 3);
        parts.advance(123);
        parts.take(77);
        let point = parts.point();
        assert_eq!((point.steps, parts.taken(), parts.steps(), point.state.len()), (200, 200, 200, 64));
        assert_eq!(point.word, parts.word());
        let measured = |walker: &Walker<Ising>| walker.measure(Observable::BondClusterMean).unwrap();
        let at = measured(&parts);
        assert_eq!(measured(&parts), at);
        parts.advance(300);
        let mut again = Walker::new(ising(8), 7, 3);
        again.seek(&point).unwrap();
        assert_eq!((measured(&again), again.taken()), (at, 200));
        again.advance(300);
        assert_eq!((whole.spins(), whole.word()), (again.spins(), again.word()));
        assert_eq!((whole.spins(), whole.point()), (parts.spins(), parts.point()));
        // Another place of the stream for another number of steps.
        let mut moved = again.clone();
        moved.put(again.state().clone(), again.steps() + 1, again.word());
        let differ = (1..20).any(|steps| {
            moved.put(again.state().clone(), 500 + steps, again.word());
            measured(&moved) != measured(&again)
        });
        assert!(differ);
        let mut other = Walker::new(ising(8), 7, 4);
        other.advance(500);
        assert_ne!(other.spins(), whole.spins());
        assert!(Walker::new(ising(9), 7, 3).seek(&point).unwrap_err().to_string().contains("81 sites"));
    }
}
