//! A sampler of homomorphisms under way: its state, its generator, and the homomorphisms that are kept.

use super::super::Tally;
use super::super::diagnostics::Acceptance;
use super::super::rng::{Purpose, stream};
use super::MotifSampler;
use crate::{Error, Result};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Homomorphisms that are drawn at a time. What a sampler draws depends on how many it is asked for, so that this number
/// is part of what a seed gives and never changes.
const BLOCK: usize = 64;

/// Where a walker is, so that it can go on later: all but the sampler.
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

/// A sampler with its state and generator: hands out one homomorphism after the other, however many at a time.
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
    /// The sampler at its start, with stream `id` of the seed, after `burn_in` steps; every `every`-th step is kept.
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
        Ok(Self { sampler, every, rng, state, acceptance, block: Vec::new(), point })
    }

    /// The sampler.
    pub fn sampler(&self) -> &dyn MotifSampler {
        &*self.sampler
    }

    /// Fills `out` with the next homomorphisms, `k` nodes each.
    pub fn fill(&mut self, mut out: &mut [u32]) {
        let k = self.sampler.motif().k();
        while out.len() >= k {
            let used = (self.point.kept % BLOCK as u64) as usize * k;
            if used == 0 {
                self.draw();
            }
            let whole = out.len() / k * k;
            let now = whole.min(self.block.len() - used);
            let (head, rest) = out.split_at_mut(now);
            head.copy_from_slice(&self.block[used..used + now]);
            self.point.kept += (now / k) as u64;
            out = rest;
        }
    }

    /// Draws a block.
    fn draw(&mut self) {
        let k = self.sampler.motif().k();
        self.point.word = word(&self.rng);
        self.point.state.clone_from(&self.state);
        self.point.acceptance = self.acceptance;
        self.block.resize(BLOCK * k, 0);
        let (state, rng) = (&mut self.state, &mut self.rng);
        if self.every == 1 {
            self.acceptance.add(self.sampler.sample(state, rng, &mut self.block));
            return;
        }
        for x in self.block.chunks_exact_mut(k) {
            self.acceptance.add(self.sampler.steps(state, self.every, rng));
            x.copy_from_slice(state);
        }
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
    /// [`Error::Shape`] for a state of another motif, and [`Error::Parameter`] for one that is no homomorphism.
    pub fn seek(&mut self, point: &MotifPoint) -> Result<()> {
        let (k, n) = (self.sampler.motif().k(), self.sampler.network().nodes());
        if point.state.len() != k {
            return Err(Error::shape(
                "the state",
                format!("{} nodes", point.state.len()),
                format!("{k} nodes"),
            ));
        }
        let there = |&(i, j): &(u32, u32)| {
            let (u, v) = (point.state[i as usize] as usize, point.state[j as usize] as usize);
            self.sampler.network().weight(u, v) > 0.0
        };
        if point.state.iter().any(|&v| v as usize >= n) || !self.sampler.motif().edges().iter().all(there) {
            return Err(Error::parameter(
                "the state",
                format!("{:?}", point.state),
                "it must be a homomorphism",
            ));
        }
        self.rng.set_word_pos(u128::from(point.word));
        self.state.clone_from(&point.state);
        self.acceptance = point.acceptance;
        self.block.clear();
        if !point.kept.is_multiple_of(BLOCK as u64) {
            self.draw();
        }
        self.point = point.clone();
        Ok(())
    }
}

/// Where a generator is. A stream has 2⁶⁸ words; at a word a nanosecond the first 2⁶⁴ last for 584 years.
fn word(rng: &ChaCha8Rng) -> u64 {
    rng.get_word_pos() as u64
}
