//! The order in which a run takes the samples of a matrix: epochs, permutations, and which samples are held out.

use crate::rng::{Purpose, stream};
use crate::{Error, Result};
use rand_chacha::rand_core::Rng;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Where a run stands in its data.
///
/// ```
/// assert_eq!(ergodict::data::Cursor::default(), ergodict::data::Cursor { epoch: 0, batch: 0 });
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Cursor {
    /// Epochs completed.
    pub epoch: u64,
    /// Minibatches taken in the current one.
    pub batch: u64,
}

/// Settings of going over the samples of a matrix.
///
/// ```
/// use ergodict::data::BatchSettings;
/// let options = BatchSettings { shuffle: true, holdout: 0.1, ..BatchSettings::default() };
/// assert!(options.shuffle && options.batch == BatchSettings::default().batch);
/// ```
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::Args), command(next_help_heading = "Samples"))]
pub struct BatchSettings {
    /// Samples per minibatch; the last one of an epoch may have fewer
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = d().batch, value_parser = crate::text::number, allow_negative_numbers = true))]
    pub batch: usize,
    /// Maximum number of passes over the data
    #[cfg_attr(feature = "clap", arg(long, value_name = "E", default_value_t = d().epochs, allow_negative_numbers = true))]
    pub epochs: u64,
    /// Take the samples of each epoch in a random order
    ///
    /// Exact for .npy and uncompressed .npz; within windows of at most 65536 samples for formats that can only be read
    /// in order. The order depends on the seed and on the format.
    #[cfg_attr(feature = "clap", arg(long, action = clap::ArgAction::Set, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL", default_value_t = d().shuffle, hide_possible_values = true))]
    pub shuffle: bool,
    /// Seed of the order and of what is held out
    #[cfg_attr(feature = "clap", arg(skip))]
    pub seed: u64,
    /// Share of the samples kept apart for a final loss
    #[cfg_attr(feature = "clap", arg(long, value_name = "FRACTION", default_value_t = d().holdout, allow_negative_numbers = true))]
    pub holdout: f64,
    /// Stop when a stretch of epochs lowers the mean loss by less than this share; 0 never stops early
    ///
    /// A stretch is as many whole epochs as have the minibatches that max-no-improvement asks for. On small data those are several, and the
    /// share is divided by the square root of their number.
    #[cfg_attr(feature = "clap", arg(long, value_name = "X", default_value_t = d().tol, allow_negative_numbers = true))]
    pub tol: f64,
    /// Minibatches without such an improvement before it stops, rounded up to whole epochs
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = d().max_no_improvement, allow_negative_numbers = true, hide_short_help = true))]
    pub max_no_improvement: u64,
}

#[cfg(feature = "clap")]
fn d() -> BatchSettings {
    BatchSettings::default()
}

impl Default for BatchSettings {
    fn default() -> Self {
        let (tol, max_no_improvement) = (0.0, 256);
        Self { batch: 256, epochs: 1, shuffle: false, seed: 0, holdout: 0.0, tol, max_no_improvement }
    }
}

impl BatchSettings {
    /// Minibatches of one epoch over `samples` samples.
    pub fn minibatches(&self, samples: u64) -> u64 {
        let holdout = Holdout::new(self.seed, self.holdout);
        let held = || (0..samples).filter(|&i| holdout.holds(i)).count() as u64;
        let held = if self.holdout > 0.0 { held() } else { 0 };
        (samples - held).div_ceil(self.batch.max(1) as u64)
    }

    /// Checks the numbers.
    ///
    /// # Errors
    /// [`Error::Parameter`], naming the first that is out of range.
    pub(crate) fn check(&self) -> Result<()> {
        if self.batch == 0 {
            return Err(Error::parameter("batch", 0, "a minibatch has at least one sample"));
        }
        if self.epochs == 0 {
            return Err(Error::parameter("epochs", 0, "at least one is needed"));
        }
        if !(0.0..1.0).contains(&self.holdout) {
            let expected = "it must be at least 0 and below 1";
            return Err(Error::parameter("holdout", self.holdout, expected));
        }
        if !(0.0..1.0).contains(&self.tol) {
            return Err(Error::parameter("tol", self.tol, "it must be at least 0 and below 1"));
        }
        if self.max_no_improvement == 0 {
            return Err(Error::parameter("max-no-improvement", 0, "at least one is needed"));
        }
        Ok(())
    }
}

/// The samples of one minibatch.
///
/// ```
/// use ergodict::data::SampleRows;
/// let (some, picked) = (SampleRows::Range(3..6), SampleRows::Picked(&[9, 2]));
/// assert_eq!((some.len(), some.at(1), picked.at(1)), (3, 4, 2));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SampleRows<'a> {
    /// Consecutive ones.
    Range(Range<u64>),
    /// Any, by their numbers.
    Picked(&'a [u64]),
}

impl SampleRows<'_> {
    /// How many.
    pub fn len(&self) -> usize {
        match self {
            Self::Range(range) => (range.end - range.start) as usize,
            Self::Picked(rows) => rows.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of the sample at place `j`.
    pub fn at(&self, j: usize) -> u64 {
        match self {
            Self::Range(range) => range.start + j as u64,
            Self::Picked(rows) => rows[j],
        }
    }
}

/// The minibatches of a matrix whose samples can be reached in any order, such as an array in memory: the same as those of a
/// [`MatrixBatches`](super::MatrixBatches) on a `.npy` file of it.
///
/// ```
/// use ergodict::data::{BatchSettings, SampleOrder, SampleRows};
/// let mut order = SampleOrder::new(5, BatchSettings { batch: 3, ..BatchSettings::default() })?;
/// assert_eq!(order.minibatches(), 2);
/// assert_eq!(order.next_rows()?, Some(SampleRows::Range(0..3)));
/// assert_eq!(order.next_rows()?, Some(SampleRows::Range(3..5)));
/// assert_eq!(order.next_rows()?, None);
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Debug)]
pub struct SampleOrder {
    options: BatchSettings,
    samples: u64,
    /// None where samples are consecutive.
    picks: Option<Picks>,
    /// Minibatches of an epoch.
    each: u64,
    cursor: Cursor,
    rows: Vec<u64>,
}

impl SampleOrder {
    /// The order of a run over `samples` samples, from its beginning.
    ///
    /// # Errors
    /// [`Error::Parameter`] for settings out of their range.
    pub fn new(samples: u64, options: BatchSettings) -> Result<Self> {
        options.check()?;
        let picks = (options.shuffle || options.holdout > 0.0).then(|| Picks::new(samples, &options));
        let each = options.minibatches(samples);
        let mut order = Self { options, samples, picks, each, cursor: Cursor::default(), rows: Vec::new() };
        if let Some(picks) = &mut order.picks {
            picks.seek(order.cursor);
        }
        Ok(order)
    }

    /// The minibatches of all epochs.
    pub fn minibatches(&self) -> u64 {
        self.each.saturating_mul(self.options.epochs)
    }

    /// The epochs of the run.
    pub fn planned_epochs(&self) -> u64 {
        self.options.epochs
    }

    /// Epochs completed.
    pub fn epochs(&self) -> u64 {
        self.cursor.epoch
    }

    /// The samples of the next minibatch; none when all epochs are over.
    ///
    /// # Errors
    /// [`Error::Parameter`] when there is no sample, or none besides those held out.
    pub fn next_rows(&mut self) -> Result<Option<SampleRows<'_>>> {
        let width = loop {
            if self.cursor.epoch >= self.options.epochs {
                return Ok(None);
            }
            let width = match &mut self.picks {
                Some(picks) => {
                    self.rows.clear();
                    picks.next(&mut self.rows);
                    self.rows.len()
                }
                None => (self.samples - self.passed()).min(self.options.batch as u64) as usize,
            };
            if width == 0 && self.cursor.batch == 0 {
                let which = if self.options.holdout > 0.0 {
                    "the number of samples besides those held out"
                } else {
                    "the number of samples"
                };
                return Err(Error::parameter(which, 0, "at least one is needed"));
            }
            if width > 0 {
                break width;
            }
            self.turn();
        };
        let first = self.passed();
        if self.cursor.batch + 1 < self.each {
            self.cursor.batch += 1;
        } else {
            self.turn();
        }
        Ok(Some(match self.picks {
            Some(_) => SampleRows::Picked(&self.rows),
            None => SampleRows::Range(first..first + width as u64),
        }))
    }

    /// The next of those held out from sample `next` on, at most a minibatch, and where to go on; none when there are no more.
    pub fn held_out_rows(&mut self, next: u64) -> Option<(SampleRows<'_>, u64)> {
        let picks = self.picks.as_ref()?;
        self.rows.clear();
        let next = picks.holdout.next(true, next, self.samples, self.options.batch, &mut self.rows);
        (!self.rows.is_empty()).then_some((SampleRows::Picked(&self.rows), next))
    }

    /// The samples from `next` on that are learned from, a minibatch of them in the order of the matrix, and where to go on; none when there are no more.
    pub fn kept_rows(&mut self, next: u64) -> Option<(SampleRows<'_>, u64)> {
        let Some(picks) = &self.picks else {
            let end = next.saturating_add(self.options.batch as u64).min(self.samples);
            return (next < end).then_some((SampleRows::Range(next..end), end));
        };
        self.rows.clear();
        let next = picks.holdout.next(false, next, self.samples, self.options.batch, &mut self.rows);
        (!self.rows.is_empty()).then_some((SampleRows::Picked(&self.rows), next))
    }

    /// Samples of this epoch before the next minibatch.
    fn passed(&self) -> u64 {
        self.cursor.batch.saturating_mul(self.options.batch as u64).min(self.samples)
    }

    /// On to the next epoch.
    fn turn(&mut self) {
        self.cursor = Cursor { epoch: self.cursor.epoch + 1, batch: 0 };
        if let Some(picks) = &mut self.picks {
            picks.seek(self.cursor);
        }
    }
}

/// Samples that are picked one by one: those not held out, in the order of the matrix or with a new permutation each epoch.
#[derive(Debug)]
pub(super) struct Picks {
    samples: u64,
    options: BatchSettings,
    holdout: Holdout,
    order: Option<Permutation>,
    next: u64,
}

impl Picks {
    pub(super) fn new(samples: u64, options: &BatchSettings) -> Self {
        let holdout = Holdout::new(options.seed, options.holdout);
        Self { samples, options: *options, holdout, order: None, next: 0 }
    }

    /// Appends the next samples until there are as many as a minibatch has, or the epoch is over.
    pub(super) fn next(&mut self, rows: &mut Vec<u64>) {
        while rows.len() < self.options.batch && self.next < self.samples {
            let row = self.row(self.next);
            self.next += 1;
            if !self.holdout.holds(row) {
                rows.push(row);
            }
        }
    }

    /// Goes to a place in the order.
    pub(super) fn seek(&mut self, cursor: Cursor) {
        let Self { samples, options, .. } = *self;
        self.order = options.shuffle.then(|| Permutation::new(samples, options.seed, cursor.epoch, 0));
        let (mut left, mut place) = (cursor.batch.saturating_mul(options.batch as u64), 0);
        while left > 0 && place < samples {
            left -= u64::from(!self.holdout.holds(self.row(place)));
            place += 1;
        }
        self.next = place;
    }

    fn row(&self, place: u64) -> u64 {
        self.order.as_ref().map_or(place, |order| order.at(place))
    }
}

/// Which samples are held out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Holdout {
    key: u64,
    /// Hashes below this are held out.
    below: u64,
}

impl Holdout {
    pub(super) fn new(seed: u64, fraction: f64) -> Self {
        let key = stream(seed, Purpose::Holdout, 0).next_u64();
        Self { key, below: (fraction * 2f64.powi(64)) as u64 }
    }

    pub(super) fn holds(self, sample: u64) -> bool {
        mix(self.key ^ mix(sample)) < self.below
    }

    /// The first sample after `count` that are not held out.
    pub(super) fn after(self, count: u64, samples: Option<u64>) -> u64 {
        let end = samples.unwrap_or(u64::MAX);
        if self.below == 0 {
            return count.min(end);
        }
        let (mut left, mut sample) = (count, 0);
        while left > 0 && sample < end {
            left -= u64::from(!self.holds(sample));
            sample += 1;
        }
        sample
    }

    /// The samples from `next` on that are held out, or are not, at most `most` of `samples`; gives where to go on.
    pub(super) fn next(
        self,
        held_out: bool,
        mut next: u64,
        samples: u64,
        most: usize,
        rows: &mut Vec<u64>,
    ) -> u64 {
        while rows.len() < most && next < samples {
            if self.holds(next) == held_out {
                rows.push(next);
            }
            next += 1;
        }
        next
    }
}

/// The finalizer of splitmix64: a bijection whose every output bit depends on every input bit.
fn mix(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// A random permutation of `0..n` that is computed where it is asked for: an order of any number of samples takes no
/// memory and can be entered anywhere. A Feistel network over the next even power of two, walked along its cycles
/// until it is inside; 4 steps at most on average.
#[derive(Clone, Copy, Debug)]
pub(super) struct Permutation {
    keys: [u64; ROUNDS],
    half: u32,
    n: u64,
}

/// Rounds of the network; from four on it is indistinguishable from a random permutation by its values (Luby and Rackoff).
const ROUNDS: usize = 8;

impl Permutation {
    pub(super) fn new(n: u64, seed: u64, epoch: u64, window: u64) -> Self {
        let mut rng = stream(seed, Purpose::Shuffle, epoch);
        // Two words make a key.
        rng.set_word_pos(u128::from(window) * 2 * ROUNDS as u128);
        // At least 8 bits: on fewer, the network reaches only some of the permutations.
        let bits = (64 - n.saturating_sub(1).leading_zeros()).max(8);
        Self { keys: std::array::from_fn(|_| rng.next_u64()), half: bits.div_ceil(2), n }
    }

    /// Where `place` goes.
    pub(super) fn at(&self, place: u64) -> u64 {
        let mask = (1u64 << self.half) - 1;
        let mut x = place;
        loop {
            let (mut left, mut right) = (x >> self.half, x & mask);
            for key in self.keys {
                (left, right) = (right, left ^ (mix(key ^ right) & mask));
            }
            x = left << self.half | right;
            if x < self.n {
                return x;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{MatrixBatches, MatrixStream, StreamOptions, write_npy};
    use crate::linalg::Mat;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn permutations_are_permutations(n in 0u64..3000, seed: u64, epoch in 0u64..5, window in 0u64..5) {
            let order = Permutation::new(n, seed, epoch, window);
            let mut seen: Vec<u64> = (0..n).map(|i| order.at(i)).collect();
            seen.sort_unstable();
            prop_assert_eq!(seen, (0..n).collect::<Vec<_>>());
        }

        #[test]
        fn arrays_in_memory_are_taken_as_their_files_are(
            n in 1usize..120, batch in 1usize..40, epochs in 1u64..4, shuffle: bool,
            holdout in prop_oneof![Just(0.0), 0.0..0.6], seed: u64,
        ) {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("x.npy");
            write_npy(&path, Mat::<f64>::from_fn(1, n, |_, j| j as f64).as_ref()).unwrap();
            let options = BatchSettings { batch, epochs, shuffle, seed, holdout, ..BatchSettings::default() };
            let mut order = SampleOrder::new(n as u64, options).unwrap();
            prop_assume!(order.minibatches() > 0);
            let stream = MatrixStream::open(&path, &StreamOptions::default()).unwrap();
            let mut feed = MatrixBatches::<f64>::new(stream, options).unwrap();
            let mut count = 0;
            while let Some(x) = feed.next_minibatch().unwrap() {
                let rows = order.next_rows().unwrap().unwrap();
                prop_assert_eq!(rows.len(), x.cols());
                prop_assert!((0..x.cols()).all(|j| rows.at(j) as f64 == x.get(0, j)));
                count += 1;
            }
            prop_assert!(order.next_rows().unwrap().is_none());
            prop_assert_eq!((count, epochs), (order.minibatches(), order.epochs()));
            let (mut out, mut next) = (Vec::new(), 0);
            while let Some((rows, then)) = order.held_out_rows(next) {
                out.extend((0..rows.len()).map(|j| rows.at(j) as f64));
                next = then;
            }
            let mut of_feed = Vec::new();
            feed.for_each_batch(true, |x| {
                of_feed.extend((0..x.cols()).map(|j| x.get(0, j)));
                Ok(())
            }).unwrap();
            prop_assert_eq!(out, of_feed);
        }
    }

    #[test]
    fn permutations_of_four_are_uniform_by_chi_squared() {
        let mut counts = std::collections::HashMap::new();
        let draws = 24_000u32;
        for seed in 0..u64::from(draws) {
            let order = Permutation::new(4, seed, 1, 2);
            *counts.entry([0, 1, 2, 3].map(|i| order.at(i))).or_insert(0u32) += 1;
        }
        let expected = f64::from(draws) / 24.0;
        let chi2: f64 = counts.values().map(|&c| (f64::from(c) - expected).powi(2) / expected).sum();
        assert!(
            counts.len() == 24 && chi2 < 49.7,
            "chi² {chi2} over the 0.999 quantile for 23 degrees of freedom"
        );
    }

    #[test]
    fn large_orders_stay_inside() {
        let order = Permutation::new(u64::MAX / 3, 5, 0, 0);
        assert!((0..1000).all(|i| order.at(i) < u64::MAX / 3));
    }

    #[test]
    fn the_share_held_out_is_what_was_asked_for() {
        let n = 100_000u64;
        let out = (0..n).filter(|&i| Holdout::new(3, 0.1).holds(i)).count() as f64;
        // Four standard deviations of a binomial.
        assert!((out - 1e4).abs() < 4.0 * (n as f64 * 0.09).sqrt(), "{out}");
        assert!((0..n).all(|i| !Holdout::new(3, 0.0).holds(i)));
    }
}
