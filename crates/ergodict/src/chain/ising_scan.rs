//! Many random-scan updates of the Ising model under a uniform field, as fast as we know how.
//!
//! Update after update, each would wait for the store of the one before: the processor cannot know in time that the
//! next site is another one. So all that does not depend on the spins is computed first, for a block of words and in
//! vectors (site, and one bit for each sum of neighbours that would make it +1); then four updates at a time read their
//! neighbours before any of them writes. Fours in which two sites are equal or next to each other, or one lies on the
//! edge, are done one by one. States and random numbers are those of the plain loop.

use super::heat_bath::split;
use super::ising::Thresholds;
use super::{Ising, SpinSystem};
use crate::linalg::Isa;
use crate::linalg::simd::{Simd, WithSimd};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;

/// Words to a block.
const BLOCK: usize = 256;
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
    /// The sites, after a few zeros that the first are compared with.
    sites: [u32; TOGETHER + BLOCK],
    /// Bit `k` is set where neighbours that sum to `k − 4` make the site +1.
    plus: [u32; BLOCK],
    /// Not zero where the site is on the edge, or next to one of the sites of the last three updates, or one of them.
    alone: [u32; BLOCK],
}

impl WithSimd for Updates<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { ising, thresholds, spins, count, rng } = self;
        let (rows, cols) = ising.shape();
        let mut words = [0; BLOCK];
        let mut bytes = [0; 8 * BLOCK];
        let mut plan = Plan { sites: [0; TOGETHER + BLOCK], plus: [0; BLOCK], alone: [0; BLOCK] };
        let mut left = count;
        while left > 0 {
            let now = left.min(BLOCK as u64) as usize;
            rng.fill_bytes(&mut bytes[..8 * now]);
            for (word, bytes) in words.iter_mut().zip(bytes.as_chunks().0) {
                *word = u64::from_le_bytes(*bytes);
            }
            plan.make(&words, thresholds, rows as u64, cols as u64);
            let together = now - now % TOGETHER;
            for at in (0..together).step_by(TOGETHER) {
                if plan.alone[at..at + TOGETHER].iter().fold(0, |any, alone| any | alone) == 0 {
                    plan.update(at, spins, cols);
                } else {
                    words[at..at + TOGETHER].iter().for_each(|word| ising.update(spins, *word));
                }
            }
            words[together..now].iter().for_each(|word| ising.update(spins, *word));
            left -= now as u64;
        }
    }
}

impl Plan {
    #[inline(always)]
    fn make(&mut self, words: &[u64; BLOCK], thresholds: &Thresholds, rows: u64, cols: u64) {
        let (inner_rows, inner_cols) = (rows.saturating_sub(2), cols.saturating_sub(2));
        for i in 0..BLOCK {
            let (site, rest) = split_narrow(words[i], rows * cols);
            let row = split_narrow(words[i], rows).0;
            let col = site - row * cols;
            let inside = (row.wrapping_sub(1) < inner_rows) & (col.wrapping_sub(1) < inner_cols);
            let mut plus = 0;
            for k in 0..thresholds.len() {
                plus |= u64::from(rest < thresholds[k]) << k;
            }
            self.sites[TOGETHER + i] = site as u32;
            self.plus[i] = plus as u32;
            self.alone[i] = u32::from(!inside);
        }
        for i in 0..BLOCK {
            let site = self.sites[TOGETHER + i];
            let mut alone = self.alone[i];
            for before in 1..TOGETHER {
                let apart = site.abs_diff(self.sites[TOGETHER + i - before]);
                alone |= u32::from((apart <= 1) | (apart == cols as u32));
            }
            self.alone[i] = alone;
        }
    }

    /// Updates `at..at + TOGETHER`: none of their sites is on the edge, and no two are equal or neighbours.
    #[inline(always)]
    fn update(&self, at: usize, spins: &mut [i8], cols: usize) {
        let sites: &[u32; TOGETHER] = self.sites[TOGETHER + at..].first_chunk().unwrap_or(&[0; TOGETHER]);
        let plus: &[u32; TOGETHER] = self.plus[at..].first_chunk().unwrap_or(&[0; TOGETHER]);
        let fresh: [i8; TOGETHER] = std::array::from_fn(|i| {
            let site = sites[i] as usize;
            debug_assert!(site >= cols && site + cols < spins.len());
            // SAFETY: a site that is not on the edge has a row above and one below; checked where `alone` is set, and
            // the length of `spins` where `updates` begins.
            let spin = |u: usize| i32::from(unsafe { *spins.get_unchecked(u) });
            let sum = spin(site - cols) + spin(site + cols) + spin(site - 1) + spin(site + 1);
            2 * (plus[i].wrapping_shr((sum + 4) as u32) & 1) as i8 - 1
        });
        for i in 0..TOGETHER {
            // SAFETY: as above.
            unsafe { *spins.get_unchecked_mut(sites[i] as usize) = fresh[i] };
        }
    }
}

/// [`split`] by products of 32-bit halves, which vectors have.
#[inline(always)]
fn split_narrow(word: u64, sites: u64) -> (u64, u64) {
    const LOW: u64 = 0xffff_ffff;
    let low = (word & LOW) * (sites & LOW);
    let high = (word >> 32) * (sites & LOW) + (low >> 32);
    debug_assert_eq!((high >> 32, high << 32 | low & LOW), split(word, sites));
    (high >> 32, high << 32 | low & LOW)
}
