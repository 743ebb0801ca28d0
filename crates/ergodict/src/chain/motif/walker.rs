//! A sampler of homomorphisms under way: its state, its generator, and the homomorphisms that are kept.

use super::super::Tally;
use super::super::diagnostics::Acceptance;
use super::MotifSampler;
use crate::rng::{Purpose, stream};
use crate::{Error, Result};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Homomorphisms that are drawn at a time. What a sampler draws depends on how many it is asked for, so that
/// this number is part of what a seed gives and never changes.
const BLOCK: usize = 64;

/// Steps between two looks at whether to stop.
const STEPS: u64 = 1 << 16;

/// Where a walker is, so that it can go on later: all but the sampler.
///
/// ```
/// use ergodict::chain::{Motif, MotifWalker, SamplerBuilder, SamplerKind};
/// let karate = std::sync::Arc::new(ergodict::data::embedded("karate")?);
/// let sampler = SamplerBuilder::default().build(SamplerKind::Glauber, &karate, &Motif::path(5)?, 0)?;
/// let mut walker = MotifWalker::new(sampler, 0, 0, 0, 1)?;
/// let mut ten = [0; 50];
/// walker.fill(&mut ten);
/// let point = walker.point(); // what a file would keep
/// assert!(point.kept == 10 && point.state.len() == 5);
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct MotifPoint {
    /// Homomorphisms handed out.
    pub kept: u64,
    /// Position of the generator in its stream before the block they came from last, in 32-bit words.
    pub word: u64,
    /// The state before that block.
    pub state: Vec<u32>,
    /// Proposals accepted and made before that block.
    pub acceptance: Acceptance,
}

/// A sampler with its state and generator: hands out one homomorphism after the other, however many at a
/// time.
///
/// ```
/// use ergodict::chain::{Motif, MotifWalker, SamplerBuilder, SamplerKind};
/// let karate = std::sync::Arc::new(ergodict::data::embedded("karate")?);
/// let sampler = SamplerBuilder::default().build(SamplerKind::Glauber, &karate, &Motif::path(5)?, 0)?;
/// // After 1000 steps, every fifth homomorphism: three of them, of five nodes each.
/// let mut walker = MotifWalker::new(sampler, 0, 0, 1000, 5)?;
/// let mut three = [0; 15];
/// walker.fill(&mut three);
/// assert_eq!(walker.point().kept, 3);
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone)]
pub struct MotifWalker {
    sampler: Arc<dyn MotifSampler>,
    every: u64,
    rng: ChaCha8Rng,
    state: Vec<u32>,
    acceptance: Acceptance,
    /// What was drawn and is not yet all handed out; empty before the first.
    block: Vec<u32>,
    point: MotifPoint,
    /// The state before a block that is being drawn, and the block.
    before: Vec<u32>,
    drawn: Vec<u32>,
}

impl std::fmt::Debug for MotifWalker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MotifWalker")
            .field("every", &self.every)
            .field("point", &self.point)
            .finish_non_exhaustive()
    }
}

impl MotifWalker {
    /// The sampler at its start, with stream `id` of the seed, after `burn_in` steps; every `every`-th step
    /// is kept.
    ///
    /// # Errors
    /// [`Error::Parameter`] when `every` is 0.
    pub fn new(sampler: Arc<dyn MotifSampler>, seed: u64, id: u64, burn_in: u64, every: u64) -> Result<Self> {
        if every == 0 {
            return Err(Error::parameter("every", every, "it must be at least 1"));
        }
        let mut rng = stream(seed, Purpose::Chain, id);
        let mut state = sampler.init(&mut rng);
        let acceptance = sampler.steps(&mut state, burn_in, &mut rng);
        let point = MotifPoint { kept: 0, word: word(&rng), state: state.clone(), acceptance };
        let [block, before, drawn] = [const { Vec::new() }; 3];
        Ok(Self { sampler, every, rng, state, acceptance, block, point, before, drawn })
    }

    /// A walker where another of the same sampler, seed, stream and rhythm was: neither its start nor its burn-in are made again.
    ///
    /// # Errors
    /// As [`MotifWalker::new`] and [`MotifWalker::seek`].
    pub(crate) fn resumed(
        sampler: Arc<dyn MotifSampler>,
        seed: u64,
        id: u64,
        every: u64,
        point: &MotifPoint,
    ) -> Result<Self> {
        if every == 0 {
            return Err(Error::parameter("every", every, "it must be at least 1"));
        }
        let rng = stream(seed, Purpose::Chain, id);
        let (state, acceptance) = (point.state.clone(), point.acceptance);
        let [block, before, drawn] = [const { Vec::new() }; 3];
        let point = point.clone();
        let mut walker = Self { sampler, every, rng, state, acceptance, block, point, before, drawn };
        let point = &walker.point.clone();
        walker.seek(point)?;
        Ok(walker)
    }

    /// The sampler.
    pub(crate) fn sampler(&self) -> &dyn MotifSampler {
        &*self.sampler
    }

    /// The sampler, to be used by others as well.
    pub(crate) fn shared_sampler(&self) -> Arc<dyn MotifSampler> {
        Arc::clone(&self.sampler)
    }

    /// The homomorphism handed out last, or where it starts.
    pub(crate) fn state(&self) -> &[u32] {
        let k = self.sampler.motif().k();
        match self.point.kept {
            0 => &self.state,
            kept => &self.block[(kept - 1) as usize % BLOCK * k..][..k],
        }
    }

    /// Fills `out` with the next homomorphisms, `k` nodes each.
    pub fn fill(&mut self, out: &mut [u32]) {
        self.fill_until(out, &|| false);
    }

    /// The same, unless `stop` says so between steps: false then, with all that was handed out before in `out` and none of the rest.
    pub(crate) fn fill_until(&mut self, mut out: &mut [u32], stop: &dyn Fn() -> bool) -> bool {
        let k = self.sampler.motif().k();
        while out.len() >= k {
            let used = (self.point.kept % BLOCK as u64) as usize * k;
            if used == 0 && !self.draw(stop) {
                return false;
            }
            let whole = out.len() / k * k;
            let now = whole.min(self.block.len() - used);
            let (head, rest) = out.split_at_mut(now);
            head.copy_from_slice(&self.block[used..used + now]);
            self.point.kept += (now / k) as u64;
            out = rest;
        }
        true
    }

    /// Homomorphisms that can be asked for with a stop that changes nothing: those of one block, or any number where none lies between them.
    pub(crate) fn most_at_once(&self) -> usize {
        if self.every == 1 {
            return usize::MAX;
        }
        BLOCK - (self.point.kept % BLOCK as u64) as usize
    }

    /// Draws a block, unless `stop` says so: false then, and all is as before.
    fn draw(&mut self, stop: &dyn Fn() -> bool) -> bool {
        let k = self.sampler.motif().k();
        let (at, acceptance) = (self.rng.get_word_pos(), self.acceptance);
        self.before.clone_from(&self.state);
        self.drawn.resize(BLOCK * k, 0);
        let (state, rng) = (&mut self.state, &mut self.rng);
        if self.every == 1 {
            self.acceptance.add(self.sampler.sample(state, rng, &mut self.drawn));
        } else {
            for x in self.drawn.chunks_exact_mut(k) {
                let mut left = self.every;
                while left > 0 {
                    let now = left.min(STEPS);
                    self.acceptance.add(self.sampler.steps(state, now, rng));
                    left -= now;
                    if stop() {
                        rng.set_word_pos(at);
                        state.clone_from(&self.before);
                        self.acceptance = acceptance;
                        return false;
                    }
                }
                x.copy_from_slice(state);
            }
        }
        (self.point.word, self.point.acceptance) = (at as u64, acceptance);
        std::mem::swap(&mut self.point.state, &mut self.before);
        std::mem::swap(&mut self.block, &mut self.drawn);
        true
    }

    /// Proposals accepted and made so far, with those of the burn-in and of homomorphisms drawn ahead.
    pub fn acceptance(&self) -> Acceptance {
        self.acceptance
    }

    /// Where it is.
    pub fn point(&self) -> MotifPoint {
        self.point.clone()
    }

    /// Goes to where a walker of the same sampler, seed and rhythm was.
    ///
    /// # Errors
    /// [`Error::Shape`] for a state of another motif, and [`Error::Parameter`] for one that the sampler
    /// cannot be at.
    pub fn seek(&mut self, point: &MotifPoint) -> Result<()> {
        let k = self.sampler.motif().k();
        if point.state.len() != k {
            return Err(Error::shape(
                "the state",
                format!("{} nodes", point.state.len()),
                format!("{k} nodes"),
            ));
        }
        if !self.sampler.is_state(&point.state) {
            return Err(Error::parameter(
                "the state",
                format!("{:?}", point.state),
                "it must be a motif sample that the sampler can reach",
            ));
        }
        self.rng.set_word_pos(u128::from(point.word));
        self.state.clone_from(&point.state);
        self.acceptance = point.acceptance;
        self.block.clear();
        // The block that was handed out last, in part or whole: what comes after it depends on it.
        if point.kept > 0 {
            self.draw(&|| false);
        }
        self.point = point.clone();
        Ok(())
    }
}

/// Where a generator is. A stream has 2⁶⁸ words; at a word a nanosecond the first 2⁶⁴ last for 584 years.
fn word(rng: &ChaCha8Rng) -> u64 {
    rng.get_word_pos() as u64
}

#[cfg(test)]
mod tests {
    use super::super::check::{tiny_motifs, tiny_networks};
    use super::super::{Motif, SamplerBuilder, SamplerKind};
    use super::*;
    use crate::data::{Build, Network, NodeIds};

    /// Every sampler, of all homomorphisms and of injective ones, on networks with weights and without.
    fn samplers() -> Vec<(String, Arc<dyn MotifSampler>)> {
        let mut all: Vec<(String, Arc<dyn MotifSampler>)> = Vec::new();
        for (name, network) in tiny_networks().into_iter().filter(|case| case.0.ends_with("seven nodes")) {
            for (shape, motif) in
                tiny_motifs().into_iter().filter(|case| ["chain 3", "cycle 3"].contains(&case.0))
            {
                for kind in SamplerKind::ALL.into_iter().filter(|kind| {
                    motif.tree().is_some() || matches!(kind, SamplerKind::Glauber | SamplerKind::Rejection)
                }) {
                    for injective in [false, true] {
                        let samplers = SamplerBuilder { injective, ..SamplerBuilder::default() };
                        let sampler = samplers.build(kind, &network, &motif, 3).unwrap();
                        all.push((format!("{kind}, {shape}, {name}, injective: {injective}"), sampler));
                    }
                }
            }
        }
        assert_eq!(all.len(), 2 * 2 * (6 + 2));
        all
    }

    #[test]
    fn it_goes_on_from_wherever_it_was_and_pieces_are_the_whole() {
        for (name, sampler) in samplers() {
            for every in [1, 3] {
                let walker = || MotifWalker::new(Arc::clone(&sampler), 5, 1, 7, every).unwrap();
                let (k, count) = (sampler.motif().k(), 200);
                let mut whole = vec![0; count * k];
                let mut first = walker();
                first.fill(&mut whole);
                for kept in [0, 1, 63, 64, 65, 127, 128, 129, 199] {
                    let case = format!("{name}, every {every}, after {kept}");
                    let (mut one, mut head, mut rest) =
                        (walker(), vec![0; kept * k], vec![0; (count - kept) * k]);
                    one.fill(&mut head);
                    let point = one.point();
                    assert_eq!(point.kept, kept as u64);
                    // A walker that is elsewhere goes there, and says that it is there.
                    let mut other = walker();
                    other.fill(&mut vec![0; 77 * k]);
                    other.seek(&point).unwrap();
                    assert_eq!((other.point(), other.acceptance()), (point, one.acceptance()), "{case}");
                    other.fill(&mut rest);
                    assert_eq!([&head[..], &rest].concat(), whole, "{case}");
                    assert_eq!(
                        (other.point(), other.acceptance()),
                        (first.point(), first.acceptance()),
                        "{case}"
                    );
                    one.fill(&mut rest);
                    assert_eq!([&head[..], &rest].concat(), whole, "{case}");
                }
                let (mut pieces, mut walker) = (vec![0; count * k], walker());
                let mut left = &mut pieces[..];
                for piece in [1, 62, 1, 1, 63, 70, 0, 2] {
                    let (now, rest) = left.split_at_mut(piece * k);
                    walker.fill(now);
                    left = rest;
                }
                assert_eq!((left.len(), &pieces), (0, &whole), "{name}, every {every}");
            }
        }
    }

    #[test]
    fn a_stop_between_two_of_many_steps_changes_nothing() {
        for (name, sampler) in samplers() {
            let k = sampler.motif().k();
            let walker = || MotifWalker::new(Arc::clone(&sampler), 5, 1, 7, 30).unwrap();
            let (mut one, mut other, mut whole) = (walker(), walker(), vec![0; k]);
            assert!(one.fill_until(&mut whole, &|| false));
            let looks = std::cell::Cell::new(0);
            let stop = || looks.replace(looks.get() + 1) == 2;
            assert!(!other.fill_until(&mut vec![0; k], &stop), "{name}");
            assert_eq!(
                (other.point(), other.acceptance()),
                (walker().point(), walker().acceptance()),
                "{name}"
            );
            let mut again = vec![0; k];
            other.fill(&mut again);
            assert_eq!((again, other.point()), (whole, one.point()), "{name}");
        }
    }

    #[test]
    fn states_that_the_sampler_cannot_be_at_are_refused_and_change_nothing() {
        for (name, sampler) in samplers() {
            let mut walker = MotifWalker::new(Arc::clone(&sampler), 5, 0, 0, 1).unwrap();
            walker.fill(&mut [0; 30]);
            let point = walker.point();
            let refused = |walker: &mut MotifWalker, state: &[u32]| {
                let damaged = MotifPoint { state: state.to_vec(), ..point.clone() };
                walker.seek(&damaged).is_err()
            };
            // Beyond the network, no edge, another motif.
            assert!(refused(&mut walker, &[0, 1, 7]) && refused(&mut walker, &[0, 1, 6]), "{name}");
            assert!(refused(&mut walker, &[0, 1]), "{name}");
            if sampler.motif().tree().is_some() {
                assert_eq!(refused(&mut walker, &[0, 1, 0]), name.ends_with("injective: true"), "{name}");
                assert!(!refused(&mut walker, &[0, 1, 2]), "{name}");
                walker.seek(&point).unwrap();
            }
            assert_eq!(walker.point(), point, "{name}");
        }
    }

    #[test]
    fn states_whose_weight_is_below_all_numbers_are_states() {
        let edges = [(0, 1, 1e-300), (1, 2, 2e-300), (2, 0, 1e-300)];
        let network = Network::build(NodeIds::numbered(3), &edges, true, Build::default()).unwrap().0;
        let motif = Motif::path(3).unwrap();
        let sampler =
            SamplerBuilder::default().build(SamplerKind::Exact, &network.into(), &motif, 0).unwrap();
        assert_eq!(sampler.weight(&[0, 1, 2]), 0.0);
        let mut walker = MotifWalker::new(sampler, 0, 0, 0, 1).unwrap();
        walker.fill(&mut [0; 3]);
        walker.seek(&walker.point()).unwrap();
    }
}
