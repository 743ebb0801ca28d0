//! Many random-scan updates of the Ising model under a uniform field, as fast as we know how.
//!
//! Update after update, each would wait for the store of the one before: the processor cannot know in time that the
//! next site is another one. So all that does not depend on the spins is computed first, for a block of words and in
//! vectors; then four updates at a time read their neighbors before any of them writes. Fours in which two sites are
//! equal or next to each other, or one lies on the edge, are done one by one. States and random numbers are those of the
//! plain loop.
//!
//! On the machine this was written on (200×200, AVX2 or AVX-512, with other work running) an update takes 4.6 ns, of which
//! 1.6 are the random word and 0.8 the plan. One by one with the same words it took 6.5 ns; eight at a time was slower than
//! four.

use super::heat_bath::{for_each_word, split};
use super::ising::Thresholds;
use super::{Ising, SpinSystem};
use crate::linalg::Isa;
use crate::linalg::simd::{Simd, WithSimd};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;

/// Words to a block.
const BLOCK: usize = 128;
/// Updates done together.
const TOGETHER: usize = 4;

/// `count` updates of `spins` by the next words of the generator.
pub(super) fn updates(
    ising: &Ising,
    thresholds: &Thresholds,
    spins: &mut [i8],
    count: u64,
    rng: &mut ChaCha8Rng,
    isa: Isa,
) {
    let (rows, cols) = ising.shape();
    assert_eq!(spins.len(), rows * cols, "a state has one spin for each site");
    isa.run(Updates { ising, thresholds, spins, count, rng });
}

struct Updates<'a> {
    ising: &'a Ising,
    thresholds: &'a Thresholds,
    spins: &'a mut [i8],
    count: u64,
    rng: &'a mut ChaCha8Rng,
}

/// What is known of the updates of a block before the spins are looked at.
struct Plan {
    /// The sites, after a few that the first are compared with.
    sites: [u32; TOGETHER + BLOCK],
    /// Their rows.
    rows: [u32; BLOCK],
    /// What is left of the words, to be compared with a threshold.
    rests: [u64; BLOCK],
    /// [`NEAR`] and [`EDGE`].
    marks: [u32; BLOCK],
}

/// The mark of a site that is next to one of the sites of the last three updates, or one of them.
const NEAR: u32 = 1;
/// The mark of a site on the edge.
const EDGE: u32 = 2;

impl WithSimd for Updates<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { ising, thresholds, spins, count, rng } = self;
        let (rows, cols) = ising.shape();
        let mut words = [0; BLOCK];
        let mut bytes = [0; 8 * BLOCK];
        let mut plan = Plan::new();
        let mut table = [0; 16];
        table[..thresholds.len()].copy_from_slice(thresholds);
        for _ in 0..count / BLOCK as u64 {
            rng.fill_bytes(&mut bytes);
            for (word, bytes) in words.iter_mut().zip(bytes.as_chunks().0) {
                *word = u64::from_le_bytes(*bytes);
            }
            plan.make(&words, rows as u32, cols as u32);
            for at in (0..BLOCK).step_by(TOGETHER) {
                let sites = &plan.sites[TOGETHER + at..][..TOGETHER];
                let (rests, marks) = (&plan.rests[at..][..TOGETHER], &plan.marks[at..][..TOGETHER]);
                if marks.iter().fold(0, |any, mark| any | mark) == 0 {
                    let fresh: [i8; TOGETHER] =
                        std::array::from_fn(|i| fresh(sites[i], rests[i], spins, cols, &table));
                    for i in 0..TOGETHER {
                        // SAFETY: `fresh` has looked at sites before and after this one.
                        unsafe { *spins.get_unchecked_mut(sites[i] as usize) = fresh[i] };
                    }
                } else {
                    for i in 0..TOGETHER {
                        if marks[i] & EDGE == 0 {
                            spins[sites[i] as usize] = fresh(sites[i], rests[i], spins, cols, &table);
                        } else {
                            update_edge(ising, spins, words[at + i]);
                        }
                    }
                }
            }
        }
        for_each_word(count % BLOCK as u64, rng, |word| ising.update(spins, word));
    }
}

impl Plan {
    fn new() -> Self {
        Self { sites: [0; TOGETHER + BLOCK], rows: [0; BLOCK], rests: [0; BLOCK], marks: [0; BLOCK] }
    }

    #[inline(always)]
    #[allow(clippy::needless_bitwise_bool)] // lazy operators are branches, which vectors have not
    fn make(&mut self, words: &[u64; BLOCK], rows: u32, cols: u32) {
        for i in 0..BLOCK {
            let (site, rest) = split_narrow(words[i], u64::from(rows) * u64::from(cols));
            self.sites[TOGETHER + i] = site as u32;
            self.rests[i] = rest;
            self.rows[i] = split_narrow(words[i], u64::from(rows)).0 as u32;
        }
        for i in 0..BLOCK {
            let (site, row) = (self.sites[TOGETHER + i], self.rows[i]);
            let col = site - row * cols;
            let edge = (row == 0) | (row == rows - 1) | (col == 0) | (col == cols - 1);
            let mut near = false;
            for before in 1..TOGETHER {
                // Neighbors across the edge of a torus are both on the edge.
                let apart = site.wrapping_sub(self.sites[TOGETHER + i - before]);
                near |= (apart == 0) | (apart == 1) | (apart == 1u32.wrapping_neg());
                near |= (apart == cols) | (apart == cols.wrapping_neg());
            }
            self.marks[i] = (NEAR * u32::from(near)) | (EDGE * u32::from(edge));
        }
    }
}

/// Apart, so that what it needs does not crowd the registers of the loop.
#[cold]
#[inline(never)]
fn update_edge(ising: &Ising, spins: &mut [i8], word: u64) {
    ising.update(spins, word);
}

/// What an update makes of its site, which is not on the edge.
#[inline(always)]
fn fresh(site: u32, rest: u64, spins: &[i8], cols: usize, table: &[u64; 16]) -> i8 {
    let site = site as usize;
    debug_assert!(site > cols && site + cols < spins.len());
    // SAFETY: a site below rows·cols that is not on the edge, as `Plan::make` has found, has a row above and one below;
    // there are rows·cols spins, as `updates` has seen.
    let spin = |u: usize| i32::from(unsafe { *spins.get_unchecked(u) });
    let sum = spin(site - cols) + spin(site + cols) + spin(site - 1) + spin(site + 1);
    // Spins are ±1, so that the index is at most 8 and the mask changes nothing; it saves the check of a bound.
    2 * i8::from(rest < table[(sum + 4) as usize & 15]) - 1
}

/// [`split`] by products of 32-bit halves, which vectors have.
#[inline(always)]
fn split_narrow(word: u64, sites: u64) -> (u64, u64) {
    const LOW: u64 = 0xffff_ffff;
    let low = (word & LOW) * (sites & LOW);
    let high = (word >> 32) * (sites & LOW) + (low >> 32);
    debug_assert_eq!((high >> 32, (high << 32) | (low & LOW)), split(word, sites));
    (high >> 32, (high << 32) | (low & LOW))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::{Boundary, Chain, Field, Lattice};
    use crate::rng::{Purpose, stream};

    #[test]
    fn many_steps_equal_single_steps_in_state_and_generator() {
        let mut generator = stream(3, Purpose::Synthetic, 0);
        for (rows, cols) in [(1, 1), (1, 7), (6, 1), (2, 2), (2, 9), (3, 3), (5, 8), (17, 31), (40, 64)] {
            for boundary in [Boundary::Periodic, Boundary::Free] {
                let sites = rows * cols;
                let map = Field::Map((0..sites).map(|v| f64::from((v % 5) as u8) - 2.0).collect());
                for (coupling, field) in [(1.0, Field::Uniform(0.3)), (-0.7, Field::Uniform(0.0)), (1.0, map)]
                {
                    let lattice = Lattice::new(rows, cols, boundary).unwrap();
                    let ising = Ising::new(lattice, 2.5, coupling, field).unwrap();
                    let start = ising.init(&mut generator);
                    let (mut by_one, mut rng) = (start.clone(), stream(4, Purpose::Chain, sites as u64));
                    let mut rngs = vec![rng.clone(); 1 + Isa::available().len()];
                    let mut states = vec![start; rngs.len()];
                    for count in [0, 1, 3, 5, 256, 700, 1024] {
                        (0..count).for_each(|_| ising.step(&mut by_one, &mut rng));
                        ising.steps(&mut states[0], count, &mut rngs[0]);
                        if let Some(thresholds) = ising.uniform_thresholds() {
                            for (k, isa) in Isa::available().into_iter().enumerate() {
                                updates(&ising, thresholds, &mut states[k + 1], count, &mut rngs[k + 1], isa);
                                assert_eq!(
                                    states[k + 1],
                                    by_one,
                                    "{rows}×{cols} {boundary:?} {}",
                                    isa.name()
                                );
                                assert_eq!(rngs[k + 1].get_word_pos(), rng.get_word_pos());
                            }
                        }
                        assert_eq!(states[0], by_one, "{rows}×{cols} {boundary:?} after {count}");
                        assert_eq!(rngs[0].get_word_pos(), rng.get_word_pos());
                    }
                }
            }
        }
    }
}
