//! The heat bath of a ±1 spin from one random word: which site, and a 64-bit threshold for its probability.

use super::Field;
use crate::{Error, Result};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;

/// Words fetched at a time by [`for_each_word`]; 64 to 1024 made no difference that could be measured.
const WORDS: usize = 256;

/// `p·2⁶⁴` for `p = 1/(1 + exp(−x))`, at most `2⁶⁴ − 1`. The smaller of `p` and `1 − p` is what is computed, so that
/// rare flips keep their relative precision.
pub(super) fn threshold(x: f64) -> u64 {
    let rarer = (two_to_64() / (1.0 + x.abs().exp())) as u64;
    match (x < 0.0, rarer) {
        (true, _) => rarer,
        (false, 0) => u64::MAX,
        (false, _) => rarer.wrapping_neg(),
    }
}

/// What a word decides where a byte before it was equal to the highest byte of the threshold: the byte and the word together are below it with its
/// probability.
#[inline(always)]
pub(super) fn decide(word: u64, threshold: u64) -> bool {
    word >> 8 < threshold & (u64::MAX >> 8)
}

/// The probability that a uniform word is below a threshold.
#[cfg(test)]
pub(super) fn probability(threshold: u64) -> f64 {
    threshold as f64 / two_to_64()
}

fn two_to_64() -> f64 {
    18_446_744_073_709_551_616.0
}

/// A site of `0..sites`, uniform, and what is left of the word: the high and the low half of `word·sites`.
///
/// Given the site, what is left is uniform on a grid of step `sites`, so that no probability is off by more than
/// `sites/2⁶⁴`.
#[inline(always)]
pub(super) fn split(word: u64, sites: u64) -> (u64, u64) {
    let product = u128::from(word) * u128::from(sites);
    ((product >> 64) as u64, product as u64)
}

/// Hands out the next `count` words of the generator, in its order, and leaves it where `count` single draws would.
#[inline(always)]
pub(super) fn for_each_word(count: u64, rng: &mut ChaCha8Rng, mut work: impl FnMut(u64)) {
    let mut bytes = [0; 8 * WORDS];
    let mut left = count;
    while left > 0 {
        let now = left.min(WORDS as u64);
        let bytes = &mut bytes[..8 * now as usize];
        rng.fill_bytes(bytes);
        bytes.as_chunks().0.iter().for_each(|word| work(u64::from_le_bytes(*word)));
        left -= now;
    }
}

/// The different values of a field, and which of them each site has: a table of thresholds is needed only for each value.
#[derive(Clone, Debug)]
pub(super) struct Levels {
    /// The values, ascending.
    pub(super) values: Vec<f64>,
    /// The index of each site's value; empty where all have the same.
    of: Vec<u32>,
}

impl Levels {
    /// Checks a field and sorts its values.
    pub(super) fn new(field: &Field, sites: usize) -> Result<Self> {
        let given = match field {
            Field::Uniform(h) => std::slice::from_ref(h),
            Field::Map(map) => {
                if map.len() != sites {
                    let (found, expected) =
                        (format!("{} numbers", map.len()), format!("one for each of {sites} sites"));
                    return Err(Error::shape("the map of the field", found, expected));
                }
                map
            }
        };
        if let Some(at) = given.iter().position(|h| !h.is_finite()) {
            let value =
                if given.len() > 1 { format!("{} (site {at})", given[at]) } else { given[at].to_string() };
            return Err(Error::parameter("the field", value, "it must be finite"));
        }
        let mut values = given.to_vec();
        values.sort_by(f64::total_cmp);
        values.dedup();
        let of = if values.len() == 1 {
            Vec::new()
        } else {
            given.iter().map(|h| values.partition_point(|v| v < h) as u32).collect()
        };
        Ok(Self { values, of })
    }

    /// Whether all sites have the same field.
    pub(super) fn uniform(&self) -> bool {
        self.of.is_empty()
    }

    /// The index of a site's value.
    #[inline(always)]
    pub(super) fn index(&self, site: usize) -> usize {
        if self.of.is_empty() { 0 } else { self.of[site] as usize }
    }

    /// The field at a site.
    pub(super) fn value(&self, site: usize) -> f64 {
        self.values[self.index(site)]
    }

    /// Whether the field is zero everywhere.
    pub(super) fn is_zero(&self) -> bool {
        self.values.iter().all(|h| *h == 0.0)
    }

    /// `Σ |h_v|`, the most that [`work`](Self::work) can be.
    pub(super) fn most_work(&self, sites: usize) -> f64 {
        if self.of.is_empty() {
            return sites as f64 * self.values[0].abs();
        }
        self.of.iter().map(|level| self.values[*level as usize].abs()).sum()
    }

    /// `Σ h_v x_v`.
    pub(super) fn work(&self, spins: &[i8]) -> f64 {
        spins.iter().enumerate().map(|(site, x)| self.values[self.index(site)] * f64::from(*x)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, stream};

    #[test]
    fn thresholds_are_the_logistic_function_with_both_tails_precise() {
        assert_eq!(threshold(0.0), 1 << 63);
        assert_eq!(threshold(-0.0), 1 << 63);
        for x in [1e-3, 0.5, 1.0, 7.0, 16.0, 30.0] {
            let exact = 1.0 / (1.0 + f64::exp(x));
            let (rare, often) = (threshold(-x), threshold(x));
            assert!((probability(rare) / exact - 1.0).abs() < 1e-5 * f64::exp(x - 30.0) + 1e-15, "{x}");
            assert_eq!(rare.wrapping_neg(), often);
        }
        assert_eq!(threshold(100.0), u64::MAX);
        assert_eq!((threshold(f64::INFINITY), threshold(f64::NEG_INFINITY)), (u64::MAX, 0));
    }

    #[test]
    fn a_word_gives_row_column_and_rest_as_it_gives_the_site() {
        let mut rng = stream(1, Purpose::Synthetic, 0);
        for _ in 0..1000 {
            let (rows, cols) = (1 + u64::from(rng.next_u32() >> 18), 1 + u64::from(rng.next_u32() >> 18));
            let word = rng.next_u64();
            let (site, rest) = split(word, rows * cols);
            let (row, left) = split(word, rows);
            let (col, left) = split(left, cols);
            assert_eq!((row * cols + col, left), (site, rest));
        }
    }

    #[test]
    fn words_in_bulk_are_the_words_one_by_one() {
        let (mut bulk, mut single) = (stream(2, Purpose::Chain, 0), stream(2, Purpose::Chain, 0));
        for count in [0, 1, 7, 256, 257, 1000] {
            // An odd number of 32-bit words before, so that words lie across the generator's own buffer.
            assert_eq!(bulk.next_u32(), single.next_u32());
            let mut words = Vec::new();
            for_each_word(count, &mut bulk, |word| words.push(word));
            assert_eq!(words, (0..count).map(|_| single.next_u64()).collect::<Vec<_>>());
            assert_eq!(bulk.get_word_pos(), single.get_word_pos());
        }
    }
}
