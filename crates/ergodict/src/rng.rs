//! Generators: one table says which stream of the seed serves which purpose.

pub use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// What a stream of random numbers is for. A new purpose gets a new number; old ones never change, so that old seeds
/// give old results.
///
/// ```
/// use ergodict::rng::{Purpose, derived};
/// // One seed, and yet no two purposes share their random numbers.
/// assert_ne!(derived(7, Purpose::Init, 0), derived(7, Purpose::Chain, 0));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u64)]
pub enum Purpose {
    /// The initial dictionary.
    Init = 0,
    /// The order of the samples of an epoch; the id is the epoch.
    Shuffle = 1,
    /// Which samples are held out.
    Holdout = 2,
    /// A Markov chain; the id is that of the chain.
    Chain = 3,
    /// Data made up for the demo and for benchmarks; the id is one of [`ids`].
    Synthetic = 4,
    /// Where patches are cut from the states of a chain; the id is that of the chain, or one of [`ids`].
    Patches = 5,
    /// What denoising draws; the id is one of [`ids`], plus a small number where there are several of a kind.
    Denoise = 6,
    /// What is drawn to measure a state of a chain; the id is that of the chain.
    Measurement = 7,
}

/// Ids of the streams that are not numbered by chains or epochs: with those, all there are outside of tests and benchmarks. No two
/// of a purpose are the same, as two uses of one stream would be of the same random numbers; like purposes, they never
/// change.
///
/// | purpose | id | for |
/// |---|---|---|
/// | [`Synthetic`](Purpose::Synthetic) | `NOISE` | noise of the embedded image |
/// | [`Synthetic`](Purpose::Synthetic) | `WEIGHTS` | weights of a random Boltzmann machine |
/// | [`Synthetic`](Purpose::Synthetic) | `TESSELLATION` | the design of the tessellation |
/// | [`Chain`](Purpose::Chain) | [`DENSITY`](ids::DENSITY) | draws for homomorphism densities |
/// | [`Chain`](Purpose::Chain) | `TRIALS` | trials of samplers before they are used |
/// | [`Chain`](Purpose::Chain) | [`REBUILDING`](ids::REBUILDING) | chains that reconstruct networks, so that they are not those that atoms were learned from |
/// | [`Chain`](Purpose::Chain) | `EXAMPLES` | draws among which examples of atoms are looked for |
/// | [`Chain`](Purpose::Chain) | [`CODING`](ids::CODING) | the seed of patches that are coded once a dictionary is learned |
/// | [`Chain`](Purpose::Chain) | [`GOING_ON`](ids::GOING_ON) | seeds of chains that go on from a model, so that they are not those it was learned from |
/// | [`Chain`](Purpose::Chain) | `SCORES` | patches that a dictionary's error on a window of time is from |
/// | [`Chain`](Purpose::Chain) | `COMPARING` | walks that networks are compared on, and seeds of their dictionaries |
/// | [`Chain`](Purpose::Chain) | `YARDSTICK` | walks that a dictionary explains next to rewired networks, and patches of images next to the mean patch |
/// | [`Chain`](Purpose::Chain) | `EXCHANGES` | exchanges between temperatures |
/// | [`Synthetic`](Purpose::Synthetic) | `NETWORK` | a generated network |
/// | [`Synthetic`](Purpose::Synthetic) | `FALSE_EDGES` | edges added to a network |
/// | [`Synthetic`](Purpose::Synthetic) | `DELETED_EDGES` | edges deleted from a network |
/// | [`Synthetic`](Purpose::Synthetic) | `NEGATIVES` | pairs without an edge to score against |
/// | [`Synthetic`](Purpose::Synthetic) | `REWIRED` | a rewired copy of a network |
/// | [`Synthetic`](Purpose::Synthetic) | `PERMUTED_TIMES` | times permuted among edges |
/// | [`Chain`](Purpose::Chain) | `PERMUTED_RUNS` | seeds of runs on permuted times |
/// | [`Denoise`](Purpose::Denoise) | `HIDDEN` | edges that a head hides, and pairs it injects |
/// | [`Denoise`](Purpose::Denoise) | `STARS` | double stars around pairs |
/// | [`Denoise`](Purpose::Denoise) | [`EMBEDDING`](ids::EMBEDDING) | embeddings of nodes |
/// | [`Denoise`](Purpose::Denoise) | `FOLDS` | neighborhoods that classifiers of pairs are judged on |
/// | [`Patches`](Purpose::Patches) | `DENOISING` | patches of an image that is to be denoised |
/// | [`Patches`](Purpose::Patches) | [`FIXED`](ids::FIXED) | places in configurations that stay the same, which no chain made |
pub mod ids {
    /// Noise of the embedded image.
    pub(crate) const NOISE: u64 = 0;
    /// Weights of a random Boltzmann machine.
    pub(crate) const WEIGHTS: u64 = 1;
    /// The design of the tessellation.
    pub(crate) const TESSELLATION: u64 = 2;
    /// Trials of samplers: beyond all numbers of chains, which are at most 2¹⁶, times those of the snapshots they are in.
    pub(crate) const TRIALS: u64 = 1 << 32;
    /// Draws for homomorphism densities.
    pub const DENSITY: u64 = (1 << 32) + 1;
    /// Chains that reconstruct networks; plus the number of the chain. Beyond those of snapshots, which are below 2³².
    pub const REBUILDING: u64 = 1 << 33;
    /// Draws among which examples of atoms are looked for; plus the number of the network.
    pub(crate) const EXAMPLES: u64 = 1 << 34;
    /// The seed of patches that are coded once a dictionary is learned.
    pub const CODING: u64 = (1 << 32) + 2;
    /// Seeds of chains that go on from a model; plus the minibatches it was learned from.
    pub const GOING_ON: u64 = 1 << 35;
    /// Patches that a dictionary's error on a window of time is from; plus the number of the window. Beyond what goes on from models, whose
    /// minibatches are fewer than 2³⁵.
    pub(crate) const SCORES: u64 = 1 << 36;
    /// Walks that a dictionary explains next to rewired networks; plus twice the number of the network, or 2²⁰ and the number of the copy.
    pub(crate) const YARDSTICK: u64 = 1 << 38;
    /// Walks that networks are compared on; plus the number of the network. From 2³² on seeds of dictionaries, from 2³³ on those of cells.
    pub(crate) const COMPARING: u64 = 1 << 37;
    /// Exchanges between temperatures; plus the number of the chain.
    pub(crate) const EXCHANGES: u64 = 1 << 40;
    /// A generated network.
    pub(crate) const NETWORK: u64 = 3;
    /// Edges added to a network.
    pub(crate) const FALSE_EDGES: u64 = 4;
    /// Edges deleted from a network.
    pub(crate) const DELETED_EDGES: u64 = 5;
    /// Pairs without an edge to score against.
    pub(crate) const NEGATIVES: u64 = 6;
    /// A rewired copy of a network.
    pub(crate) const REWIRED: u64 = 7;
    /// Times permuted among edges; plus the number of the permutation.
    pub(crate) const PERMUTED_TIMES: u64 = 1 << 32;
    /// Seeds of runs on permuted times; plus the number of the permutation.
    pub(crate) const PERMUTED_RUNS: u64 = 1 << 39;
    /// Edges that a head hides, and pairs it injects; plus the number of the split, those with injected pairs from 2¹² on.
    pub(crate) const HIDDEN: u64 = 0;
    /// Double stars around pairs; plus the number of the split.
    pub(crate) const STARS: u64 = 1 << 16;
    /// Embeddings of nodes; plus a number for each use within one.
    pub const EMBEDDING: u64 = 2 << 16;
    /// Neighborhoods that classifiers of pairs are judged on.
    pub(crate) const FOLDS: u64 = 3 << 16;
    /// Patches of fixed configurations: beyond all numbers of chains, which are at most 2¹⁶.
    pub const FIXED: u64 = 1 << 32;
    /// Patches of an image that is to be denoised.
    pub(crate) const DENOISING: u64 = (1 << 32) + 1;
}

/// Stream `id` of a purpose under a seed.
///
/// ```
/// use ergodict::rng::{Purpose, stream, uniform};
/// let first = |id| uniform(&mut stream(7, Purpose::Chain, id));
/// assert!(first(0) == first(0) && first(0) != first(1));
/// ```
pub fn stream(seed: u64, purpose: Purpose, id: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(purpose_of(id, purpose));
    rng
}

/// The number of a stream of the same id for a purpose.
pub(crate) fn purpose_of(stream: u64, purpose: Purpose) -> u64 {
    (purpose as u64) << 48 | (stream & 0xffff_ffff_ffff)
}

/// A seed of its own for a purpose: the first word of its stream.
///
/// ```
/// use ergodict::rng::{Purpose, derived};
/// assert_eq!(derived(1, Purpose::Chain, 2), derived(1, Purpose::Chain, 2));
/// ```
pub fn derived(seed: u64, purpose: Purpose, id: u64) -> u64 {
    stream(seed, purpose, id).next_u64()
}

/// A number uniform in [0, 1), with 53 random bits.
///
/// ```
/// use ergodict::rng::{Purpose, stream, uniform};
/// let mut rng = stream(0, Purpose::Synthetic, 0);
/// let mean = (0..10_000).map(|_| uniform(&mut rng)).sum::<f64>() / 1e4;
/// assert!((mean - 0.5).abs() < 0.015); // five standard errors
/// ```
pub fn uniform(rng: &mut ChaCha8Rng) -> f64 {
    fraction(rng.next_u64())
}

/// A standard normal number, by Box and Muller, from two words.
///
/// ```
/// use ergodict::rng::{Purpose, normal, stream};
/// let mut rng = stream(0, Purpose::Synthetic, 0);
/// let square = (0..10_000).map(|_| normal(&mut rng).powi(2)).sum::<f64>() / 1e4;
/// assert!((square - 1.0).abs() < 0.071); // five standard errors
/// ```
pub fn normal(rng: &mut ChaCha8Rng) -> f64 {
    let radius = (-2.0 * (1.0 - uniform(rng)).ln()).sqrt();
    radius * (std::f64::consts::TAU * uniform(rng)).cos()
}

/// An integer uniform in `0..below`, without bias; 0 when `below` is 0.
///
/// ```
/// use ergodict::rng::{Purpose, below, stream};
/// let mut rng = stream(0, Purpose::Synthetic, 0);
/// assert!((0..100).all(|_| below(&mut rng, 6) < 6));
/// ```
pub fn below(rng: &mut ChaCha8Rng, below: u64) -> u64 {
    if below == 0 {
        return 0;
    }
    // The high half of a product is uniform once products with a small low half are redrawn.
    let threshold = below.wrapping_neg() % below;
    loop {
        let product = u128::from(rng.next_u64()) * u128::from(below);
        if product as u64 >= threshold {
            return (product >> 64) as u64;
        }
    }
}

/// The same for fewer than 2³², from half a word.
#[inline]
pub(crate) fn below_u32(rng: &mut ChaCha8Rng, below: u32) -> u32 {
    let mut product = u64::from(rng.next_u32()) * u64::from(below);
    // Nearly always the low half is not among the few that have to be redrawn, and their number need not be known.
    if (product as u32) < below {
        let threshold = below.wrapping_neg() % below.max(1);
        while (product as u32) < threshold {
            product = u64::from(rng.next_u32()) * u64::from(below);
        }
    }
    (product >> 32) as u32
}

/// The next digit of a random fraction `word / 2⁶⁴`, in the base `base`; what is left in `word` is uniform again, with
/// `base` times fewer levels. So one random word gives a site and what to do there. No sequence of digits is off its
/// probability by more than 2⁻⁶⁴.
#[inline]
pub(crate) fn digit(word: &mut u64, base: usize) -> usize {
    let product = u128::from(*word) * base as u128;
    *word = product as u64;
    (product >> 64) as usize
}

/// A random word as a number in [0, 1).
#[inline]
pub(crate) fn fraction(word: u64) -> f64 {
    (word >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
}

/// Puts a slice into uniformly random order.
///
/// ```
/// use ergodict::rng::{Purpose, shuffle, stream};
/// let mut cards: Vec<u32> = (0..52).collect();
/// shuffle(&mut cards, &mut stream(0, Purpose::Shuffle, 0));
/// assert!(!cards.is_sorted());
/// cards.sort_unstable();
/// assert!(cards.into_iter().eq(0..52));
/// ```
pub fn shuffle<T>(items: &mut [T], rng: &mut ChaCha8Rng) {
    for i in (1..items.len()).rev() {
        items.swap(i, below(rng, i as u64 + 1) as usize);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_differ_by_purpose_and_id_and_repeat_by_seed() {
        let first = |seed, purpose, id| stream(seed, purpose, id).next_u64();
        let all = [
            first(0, Purpose::Init, 0),
            first(0, Purpose::Init, 1),
            first(0, Purpose::Shuffle, 0),
            first(1, Purpose::Init, 0),
        ];
        for i in 0..all.len() {
            for j in 0..i {
                assert_ne!(all[i], all[j]);
            }
        }
        assert_eq!(all[0], first(0, Purpose::Init, 0));
    }

    #[test]
    fn ids_of_made_up_data_differ() {
        let mut all = [
            ids::NOISE,
            ids::WEIGHTS,
            ids::TESSELLATION,
            ids::NETWORK,
            ids::FALSE_EDGES,
            ids::DELETED_EDGES,
            ids::NEGATIVES,
            ids::REWIRED,
        ];
        all.sort_unstable();
        assert!(all.windows(2).all(|pair| pair[0] < pair[1]));
    }

    #[test]
    fn digits_of_a_word_are_uniform_together_and_leave_a_uniform_word() {
        let mut counts = [[0; 5]; 3];
        let mut means = [[0.0; 5]; 3];
        for k in 0..15_000u64 {
            let mut word = k * (u64::MAX / 15_000) + (1 << 40);
            let (first, second) = (digit(&mut word, 3), digit(&mut word, 5));
            counts[first][second] += 1;
            means[first][second] += fraction(word) / 1000.0;
        }
        assert!(counts.iter().flatten().all(|c| *c == 1000), "{counts:?}");
        assert!(means.iter().flatten().all(|m| (m - 0.5).abs() < 1e-3), "{means:?}");
    }

    #[test]
    fn normal_numbers_have_the_moments_of_their_law() {
        let (mut rng, n) = (stream(8, Purpose::Synthetic, 0), 40_000);
        let mut sums = [0.0; 4];
        for _ in 0..n {
            let x = normal(&mut rng);
            (1..=4).for_each(|k| sums[k as usize - 1] += x.powi(k));
        }
        // Moments 0, 1, 0, 3, with variances 1, 2, 15, 96; 4.5 standard errors.
        for (sum, (moment, variance)) in
            sums.iter().zip([(0.0, 1.0), (1.0, 2.0), (0.0, 15.0), (3.0, 96.0f64)])
        {
            let n = f64::from(n);
            assert!((sum / n - moment).abs() < 4.5 * (variance / n).sqrt(), "{} for {moment}", sum / n);
        }
    }

    #[test]
    fn below_is_uniform_by_chi_squared() {
        let mut rng = stream(7, Purpose::Synthetic, 0);
        let (mut counts, mut thirds) = ([0u32; 6], [0u32; 6]);
        let draws = 60_000;
        for _ in 0..draws {
            counts[below(&mut rng, 6) as usize] += 1;
            // Of so large a range a quarter of all words has to be redrawn, which would show in the first third.
            thirds[(u64::from(below_u32(&mut rng, 3 << 30)) >> 29) as usize] += 1;
        }
        let expected = f64::from(draws) / 6.0;
        for counts in [counts, thirds] {
            let chi2: f64 = counts.iter().map(|&c| (f64::from(c) - expected).powi(2) / expected).sum();
            assert!(chi2 < 20.5, "chi² {chi2} over the 0.999 quantile for 5 degrees of freedom");
        }
        assert_eq!((below_u32(&mut rng, 0), below_u32(&mut rng, 1)), (0, 0));
    }
}
