//! The minibatches of a run: the samples of a matrix in the order of the run, without those held out.
//!
//! | order | where |
//! |---|---|
//! | of the file | without shuffling |
//! | one permutation of all samples, a new one every epoch | shuffled, where samples can be picked (`.npy`, stored `.npz`) |
//! | windows of the file, each permuted | shuffled, where the file can only be read in order |
//!
//! Sample `i` is held out when a hash of the seed and `i` falls below the fraction: one rule for every format, so that
//! the same numbers in another file, or in another order of reading, hold out the same samples.

use super::batch::Batch;
use super::order::{BatchSettings, Cursor, Holdout, Permutation, Picks};
use super::stream::MatrixStream;
use crate::linalg::{MatRef, Scalar};
use crate::{Error, Result};

/// Most samples that are shuffled together where the file can only be read in order.
pub(crate) const WINDOW_SAMPLES: usize = 1 << 16;
/// Most memory, counted in `f64`, that they may take: an order does not depend on the precision of the arithmetic.
pub(crate) const WINDOW_BYTES: usize = 64 << 20;

/// Minibatches of a [`MatrixStream`], epoch after epoch. Once buffers have their size nothing is allocated.
///
/// ```
/// use ergodict::data::{MatrixBatches, BatchSettings, MatrixStream, StreamOptions};
/// let path = std::env::temp_dir().join(format!("ergodict-feed-{}.csv", std::process::id()));
/// std::fs::write(&path, "1,2\n3,4\n5,6\n").unwrap();
/// let stream = MatrixStream::open(&path, &StreamOptions::default())?;
/// let mut feed = MatrixBatches::<f64>::new(stream, BatchSettings { batch: 2, epochs: 2, ..BatchSettings::default() })?;
/// let mut widths = Vec::new();
/// while let Some(x) = feed.next_minibatch()? {
///     widths.push(x.cols());
/// }
/// assert_eq!(widths, [2, 1, 2, 1]);
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Debug)]
pub struct MatrixBatches<T: Scalar> {
    stream: MatrixStream,
    options: BatchSettings,
    holdout: Holdout,
    order: Order<T>,
    /// Minibatches of an epoch, where that is known.
    each: Option<u64>,
    /// The same, counted where only reading the file shows it and it is read again anyway.
    counted: Option<u64>,
    cursor: Cursor,
    /// Whether the source stands where `cursor` says.
    in_step: bool,
    /// The minibatch, unless it is viewed in the file.
    batch: Batch<T>,
    /// Its samples; empty when they are consecutive, from `first` on.
    rows: Vec<u64>,
    first: u64,
}

/// How samples are reached.
#[derive(Debug)]
enum Order<T: Scalar> {
    /// All of them, in the order of the file; viewed without copying where the file allows it.
    Consecutive { viewed: bool },
    /// Those not held out, in the order of the file, read in order.
    Filtered { raw: Batch<T> },
    /// Those not held out, in any order, picked one by one.
    Picked(Picks),
    /// Those not held out, read in order and permuted in windows.
    Windowed(Box<Window<T>>),
}

/// Samples that are permuted together.
#[derive(Debug)]
struct Window<T: Scalar> {
    raw: Batch<T>,
    samples: Batch<T>,
    rows: Vec<u64>,
    order: Permutation,
    /// Most samples; a multiple of the batch size, so that no minibatch spans two windows.
    size: usize,
    /// Number of the next window in the epoch.
    number: u64,
    /// Samples handed out.
    taken: usize,
}

impl<T: Scalar> MatrixBatches<T> {
    /// Minibatches of `stream` from its beginning.
    ///
    /// # Errors
    /// [`Error::Parameter`] for settings out of their range; [`Error::Format`] when the options need to read standard input or a pipe twice.
    pub fn new(stream: MatrixStream, options: BatchSettings) -> Result<Self> {
        options.check()?;
        if stream.is_read_once() && (options.epochs > 1 || options.holdout > 0.0) {
            let problem = "can be read only once: expected one epoch with nothing held out, or a file";
            return Err(Error::format(stream.path(), None, problem));
        }
        let picks = stream.supports_random_access();
        let order = match (options.shuffle, options.holdout > 0.0) {
            (false, false) => Order::Consecutive { viewed: stream.view::<T>(0, 0).is_some() },
            _ if picks => Order::Picked(Picks::new(stream.samples().unwrap_or(0), &options)),
            (false, true) => Order::Filtered { raw: Batch::new() },
            (true, _) => {
                let bytes = stream.features().saturating_mul(size_of::<f64>()).max(1);
                let most = WINDOW_SAMPLES.min(WINDOW_BYTES / bytes);
                Order::Windowed(Box::new(Window {
                    raw: Batch::new(),
                    samples: Batch::new(),
                    rows: Vec::new(),
                    order: Permutation::new(0, 0, 0, 0),
                    size: (most / options.batch).max(1).saturating_mul(options.batch),
                    number: 0,
                    taken: 0,
                }))
            }
        };
        let holdout = Holdout::new(options.seed, options.holdout);
        let (batch, rows) = (Batch::new(), Vec::new());
        let (each, cursor) =
            (stream.samples().map(|samples| options.minibatches(samples)), Cursor::default());
        let counted = if options.epochs > 1 { stream.count_lines()? } else { None };
        let counted = counted.map(|samples| options.minibatches(samples));
        let in_step = false;
        Ok(Self { stream, options, holdout, order, each, counted, cursor, in_step, batch, rows, first: 0 })
    }

    /// The matrix behind it.
    pub fn stream(&self) -> &MatrixStream {
        &self.stream
    }

    /// The options.
    pub(crate) fn options(&self) -> &BatchSettings {
        &self.options
    }

    /// Where the run stands: what [`MatrixBatches::seek`] takes to give the minibatches that are still to come.
    pub(crate) fn cursor(&self) -> Cursor {
        self.cursor
    }

    /// Minibatches of an epoch, where that is known.
    pub fn minibatches(&self) -> Option<u64> {
        self.each.or(self.counted)
    }

    /// About how many samples an epoch has; exact when none are held out, none for text.
    pub(crate) fn expected_samples(&self) -> Option<u64> {
        self.stream.samples().map(|n| (n as f64 * (1.0 - self.options.holdout)).round() as u64)
    }

    /// About how many bytes the buffers take.
    pub fn buffer_bytes(&self) -> u64 {
        let column = self.stream.features().saturating_mul(size_of::<T>()).next_multiple_of(64) as u64;
        let samples = self.stream.samples().unwrap_or(u64::MAX);
        let width = samples.min(self.options.batch as u64);
        let columns = match &self.order {
            Order::Consecutive { viewed: true } => 0,
            Order::Consecutive { viewed: false } | Order::Picked(_) => width,
            Order::Filtered { .. } => 2 * width,
            Order::Windowed(window) => (2 * width).saturating_add(samples.min(window.size as u64)),
        };
        column.saturating_mul(columns)
    }

    /// The next minibatch, d×n with one sample a column; none when all epochs are over.
    ///
    /// # Errors
    /// What reading returns; [`Error::Format`] when there is no sample, or none besides those held out.
    pub fn next_minibatch(&mut self) -> Result<Option<MatRef<'_, T>>> {
        let width = loop {
            if self.cursor.epoch >= self.options.epochs {
                return Ok(None);
            }
            if !self.in_step {
                self.seek(self.cursor)?;
            }
            self.in_step = false;
            let width = self.fill()?;
            if width == 0 && self.cursor.batch == 0 {
                let problem = if self.options.holdout > 0.0 {
                    "holds no sample besides those held out: expected at least one row more"
                } else {
                    "holds no sample: expected at least one row"
                };
                return Err(Error::format(self.stream.path(), None, problem));
            }
            // Where the number of minibatches is not known, one that is narrower is the last of an epoch.
            let last = self.each.is_some_and(|each| self.cursor.batch + 1 >= each);
            if width == self.options.batch && !last {
                self.cursor.batch += 1;
                self.in_step = true;
            } else {
                self.cursor = Cursor { epoch: self.cursor.epoch + 1, batch: 0 };
            }
            if width > 0 {
                break width;
            }
        };
        Ok(match self.order {
            Order::Consecutive { viewed: true } => self.stream.view(self.first, self.first + width as u64),
            _ => Some(self.batch.as_mat_ref()),
        })
    }

    /// Reads the next minibatch and gives its width; 0 at the end of the epoch.
    fn fill(&mut self) -> Result<usize> {
        let Self { stream, options, holdout, order, cursor, batch, rows, .. } = self;
        rows.clear();
        match order {
            Order::Consecutive { viewed: true } => {
                let samples = stream.samples().unwrap_or(0);
                self.first = cursor.batch.saturating_mul(options.batch as u64).min(samples);
                Ok((samples - self.first).min(options.batch as u64) as usize)
            }
            Order::Consecutive { viewed: false } => {
                self.first = stream.position();
                stream.next_batch(options.batch, batch)
            }
            Order::Filtered { raw } => {
                batch.start(stream.features(), options.batch, 0)?;
                read_kept(stream, |i| !holdout.holds(i), options.batch, options.batch, raw, batch, rows)?;
                Ok(rows.len())
            }
            Order::Picked(picks) => {
                picks.next(rows);
                stream.read_samples(rows, batch)?;
                Ok(rows.len())
            }
            Order::Windowed(window) => {
                if window.taken == window.rows.len() {
                    window.read(stream, options, *holdout, cursor.epoch)?;
                }
                let width = options.batch.min(window.rows.len() - window.taken);
                batch.start(stream.features(), width, 0)?;
                let samples = window.samples.as_mat_ref();
                for place in window.taken..window.taken + width {
                    let from = window.order.at(place as u64) as usize;
                    batch.push()?.copy_from_slice(samples.col(from));
                    rows.push(window.rows[from]);
                }
                window.taken += width;
                Ok(width)
            }
        }
    }

    /// Goes to a place that `MatrixBatches::cursor` gave: the minibatches that follow are those that would have followed.
    ///
    /// # Errors
    /// As [`MatrixStream::seek`].
    pub(crate) fn seek(&mut self, cursor: Cursor) -> Result<()> {
        (self.cursor, self.in_step) = (cursor, false);
        if cursor.epoch >= self.options.epochs {
            return Ok(());
        }
        let Self { stream, options, holdout, order, .. } = self;
        let passed = cursor.batch.saturating_mul(options.batch as u64);
        match order {
            Order::Consecutive { viewed: true } => {}
            Order::Consecutive { viewed: false } => stream.seek(passed)?,
            Order::Filtered { .. } => stream.seek(holdout.after(passed, stream.samples()))?,
            Order::Picked(picks) => picks.seek(cursor),
            Order::Windowed(window) => {
                let number = passed / window.size as u64;
                let before = number.saturating_mul(window.size as u64);
                stream.seek(holdout.after(before, stream.samples()))?;
                (window.number, window.taken) = (number, 0);
                window.rows.clear();
                if passed > before {
                    window.read(stream, options, *holdout, cursor.epoch)?;
                    window.taken = window.rows.len().min((passed - before) as usize);
                }
            }
        }
        self.in_step = true;
        Ok(())
    }

    /// Hands the samples held out to `see`, or all others, in minibatches in the order of the file; gives how many they are. The
    /// next minibatch to learn from stays what it was.
    ///
    /// # Errors
    /// What reading and `see` return, with the place in the file as [`MatrixBatches::explain`] has it.
    pub(crate) fn for_each_batch(
        &mut self,
        held_out: bool,
        mut see: impl FnMut(MatRef<'_, T>) -> Result<()>,
    ) -> Result<u64> {
        if held_out && self.options.holdout == 0.0 {
            return Ok(0);
        }
        self.in_step = false;
        let (mut count, mut next) = (0, 0);
        let mut raw = Batch::new();
        if !self.stream.supports_random_access() {
            self.stream.rewind()?;
        }
        loop {
            let Self { stream, options, holdout, batch, rows, .. } = self;
            rows.clear();
            if stream.supports_random_access() {
                next = holdout.next(held_out, next, stream.samples().unwrap_or(0), options.batch, rows);
                stream.read_samples(rows, batch)?;
            } else {
                batch.start(stream.features(), options.batch, 0)?;
                let piece = options.batch;
                read_kept(
                    stream,
                    |i| holdout.holds(i) == held_out,
                    options.batch,
                    piece,
                    &mut raw,
                    batch,
                    rows,
                )?;
            }
            if rows.is_empty() {
                return Ok(count);
            }
            count += rows.len() as u64;
            see(batch.as_mat_ref()).map_err(|e| self.explain(e))?;
        }
    }

    /// Says where in the file the minibatch at hand is not finite: [`Error::NotFinite`] with its place in the
    /// minibatch becomes [`Error::Format`] with the file, its line where it has lines, the sample and the feature.
    /// Other errors are returned as they are.
    pub fn explain(&self, error: Error) -> Error {
        let Error::NotFinite { sample, feature, value } = error else { return error };
        let row = self.rows.get(sample as usize).copied().unwrap_or(self.first + sample);
        not_finite(&self.stream, row, feature, value)
    }
}

/// The error for a number of a file that is not finite, at this row and column, counted from 0.
pub(crate) fn not_finite(stream: &MatrixStream, row: u64, feature: u64, value: f64) -> Error {
    let line = stream.line_of(row);
    let name = stream.feature_names().and_then(|names| names.get(feature as usize));
    let name = name.map(String::as_str);
    Error::format(stream.path(), line, not_finite_words(row, feature, name, value, line.is_some()))
}

/// What is wrong with a number that is not finite, by its place; `lines` where the row is known by its line.
///
/// ```
/// use ergodict::data::not_finite_words;
/// let words = not_finite_words(7, 2, Some("height"), f64::NAN, false);
/// assert!(words.contains("NaN") && words.contains("height"), "{words}");
/// ```
pub fn not_finite_words(row: u64, feature: u64, name: Option<&str>, value: f64, lines: bool) -> String {
    let name = name.map_or_else(String::new, |name| format!(" (`{name}`)"));
    let place = if lines {
        format!("column {}{name}", feature + 1)
    } else {
        format!("row {row}, column {feature}{name}, counted from 0,")
    };
    let (what, hint) = if value.is_nan() {
        ("NaN or missing", ", or a mask of the missing entries")
    } else {
        ("infinite", "")
    };
    format!("{place} is {what}: expected a finite number{hint}")
}

/// Reads on, at most `piece` samples at a time, until `batch` has `count` samples that `kept` wants or the stream
/// ends.
fn read_kept<T: Scalar>(
    stream: &mut MatrixStream,
    kept: impl Fn(u64) -> bool,
    count: usize,
    piece: usize,
    raw: &mut Batch<T>,
    batch: &mut Batch<T>,
    rows: &mut Vec<u64>,
) -> Result<()> {
    while batch.len() < count {
        // No more than are wanted, so that none is read that belongs to the next call.
        let read = stream.next_batch(piece.min(count - batch.len()), raw)?;
        if read == 0 {
            break;
        }
        for j in 0..read {
            let row = raw.first_sample() + j as u64;
            if kept(row) {
                batch.push()?.copy_from_slice(raw.as_mat_ref().col(j));
                rows.push(row);
            }
        }
    }
    Ok(())
}

impl<T: Scalar> Window<T> {
    /// Reads the next window.
    fn read(
        &mut self,
        stream: &mut MatrixStream,
        options: &BatchSettings,
        holdout: Holdout,
        epoch: u64,
    ) -> Result<()> {
        self.rows.clear();
        self.taken = 0;
        self.samples.start(stream.features(), self.size, 0)?;
        let (raw, samples, rows) = (&mut self.raw, &mut self.samples, &mut self.rows);
        read_kept(stream, |i| !holdout.holds(i), self.size, options.batch, raw, samples, rows)?;
        self.order = Permutation::new(self.rows.len() as u64, options.seed, epoch, self.number);
        self.number += 1;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{StreamOptions, write_npy};
    use crate::linalg::Mat;
    use proptest::prelude::*;
    use std::path::{Path, PathBuf};

    /// Row `i` is `(i, 2i + 1)`, as text or `.npy`.
    fn table(folder: &Path, n: usize, text: bool) -> PathBuf {
        let m = Mat::<f64>::from_fn(2, n, |i, j| if i == 0 { j as f64 } else { 2.0 * j as f64 + 1.0 });
        if text {
            let lines: Vec<String> = (0..n).map(|j| format!("{} {}", m.get(0, j), m.get(1, j))).collect();
            std::fs::write(folder.join("x.txt"), format!("a b\n{}\n", lines.join("\n"))).unwrap();
            return folder.join("x.txt");
        }
        write_npy(&folder.join("x.npy"), m.as_ref()).unwrap();
        folder.join("x.npy")
    }

    /// A feed whose windows, where it has them, are of two minibatches.
    fn feed(path: &Path, options: BatchSettings) -> MatrixBatches<f64> {
        let stream = MatrixStream::open(path, &StreamOptions::default()).unwrap();
        let mut feed = MatrixBatches::new(stream, options).unwrap();
        if let Order::Windowed(window) = &mut feed.order {
            assert!(window.size <= WINDOW_SAMPLES && window.size % options.batch == 0);
            window.size = 2 * options.batch;
        }
        feed
    }

    /// The minibatches that are left, as the numbers of their samples.
    fn rest(feed: &mut MatrixBatches<f64>) -> Vec<Vec<u64>> {
        let mut all = Vec::new();
        while let Some(x) = feed.next_minibatch().unwrap() {
            let rows: Vec<u64> = (0..x.cols()).map(|j| x.get(0, j) as u64).collect();
            for j in 0..x.cols() {
                assert_eq!(x.get(1, j), 2.0 * x.get(0, j) + 1.0);
            }
            all.push(rows);
        }
        all
    }

    fn held_out(feed: &mut MatrixBatches<f64>) -> Vec<u64> {
        let mut rows = Vec::new();
        let count = feed
            .for_each_batch(true, |x| {
                rows.extend((0..x.cols()).map(|j| x.get(0, j) as u64));
                Ok(())
            })
            .unwrap();
        assert_eq!(count, rows.len() as u64);
        rows
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn every_sample_that_is_not_held_out_comes_once_an_epoch(
            n in 1usize..200, batch in 1usize..40, epochs in 1u64..4, shuffle: bool, text: bool,
            holdout in prop_oneof![Just(0.0), 0.0..0.6], seed: u64,
        ) {
            let folder = tempfile::tempdir().unwrap();
            let options = BatchSettings { batch, epochs, shuffle, seed, holdout, ..BatchSettings::default() };
            let mut feed = feed(&table(folder.path(), n, text), options);
            let out = held_out(&mut feed);
            prop_assume!(out.len() < n);
            let mut others = Vec::new();
            feed.for_each_batch(false, |x| {
                others.extend((0..x.cols()).map(|j| x.get(0, j) as u64));
                Ok(())
            }).unwrap();
            prop_assert_eq!(&others, &(0..n as u64).filter(|i| !out.contains(i)).collect::<Vec<_>>());
            let kept: Vec<u64> = (0..n as u64).filter(|i| !out.contains(i)).collect();
            let batches = rest(&mut feed);
            prop_assert_eq!(batches.len(), epochs as usize * kept.len().div_ceil(batch));
            for epoch in batches.chunks(kept.len().div_ceil(batch)) {
                let (last, full) = epoch.split_last().unwrap();
                prop_assert!(full.iter().all(|b| b.len() == batch) && !last.is_empty());
                let mut rows: Vec<u64> = epoch.concat();
                prop_assert!(shuffle || rows == kept);
                rows.sort_unstable();
                prop_assert_eq!(&rows, &kept);
            }
            prop_assert_eq!(held_out(&mut feed), out);
        }

        #[test]
        fn seeking_gives_what_would_have_followed(
            n in 1usize..120, batch in 1usize..30, shuffle: bool, text: bool, stop in 0usize..40,
            holdout in prop_oneof![Just(0.0), Just(0.3)], seed in 0u64..9,
        ) {
            let folder = tempfile::tempdir().unwrap();
            let path = table(folder.path(), n, text);
            let options = BatchSettings { batch, epochs: 3, shuffle, seed, holdout, ..BatchSettings::default() };
            let mut whole = feed(&path, options);
            prop_assume!(held_out(&mut whole).len() < n);
            for _ in 0..stop {
                whole.next_minibatch().unwrap();
            }
            let mut other = feed(&path, options);
            other.seek(whole.cursor()).unwrap();
            prop_assert_eq!(other.cursor(), whole.cursor());
            prop_assert_eq!(rest(&mut other), rest(&mut whole));
        }
    }

    #[test]
    fn epochs_differ_in_order_and_seeds_too() {
        let folder = tempfile::tempdir().unwrap();
        for text in [false, true] {
            let path = table(folder.path(), 50, text);
            let order = |seed| {
                let options =
                    BatchSettings { batch: 50, epochs: 2, shuffle: true, seed, ..BatchSettings::default() };
                rest(&mut feed(&path, options))
            };
            let (one, two) = (order(1), order(2));
            assert!(one[0] != one[1] && one[0] != two[0] && one == order(1));
        }
    }

    #[test]
    fn plain_npy_is_viewed_where_it_lies() {
        let folder = tempfile::tempdir().unwrap();
        let options = BatchSettings { batch: 4, ..BatchSettings::default() };
        let mut plain = feed(&table(folder.path(), 10, false), options);
        let first = plain.next_minibatch().unwrap().unwrap().col(0).as_ptr();
        assert!(plain.batch.len() == 0 && plain.buffer_bytes() == 0);
        assert_eq!(plain.stream().view::<f64>(0, 1).unwrap().col(0).as_ptr(), first);
    }

    #[test]
    fn text_that_is_read_again_has_as_many_minibatches_as_an_array() {
        let folder = tempfile::tempdir().unwrap();
        for (epochs, text) in [(2, false), (2, true), (1, false)] {
            let options = BatchSettings { batch: 4, epochs, ..BatchSettings::default() };
            assert_eq!(feed(&table(folder.path(), 10, text), options).minibatches(), Some(3));
        }
        let once = BatchSettings { batch: 4, ..BatchSettings::default() };
        assert_eq!(feed(&table(folder.path(), 10, true), once).minibatches(), None);
    }

    #[test]
    fn a_first_column_without_a_name_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.csv");
        let open = |text: &str| {
            std::fs::write(&path, text).unwrap();
            MatrixStream::open(&path, &StreamOptions::default()).map(|stream| stream.features())
        };
        for text in [",a,b\n0,1,2\n1,3,4\n", ",0,1\n0,1,2\n1,3,4\n"] {
            let message = open(text).unwrap_err().to_string();
            assert!(message.contains("x.csv:1") && message.contains("index=False"), "{message}");
        }
        assert_eq!(open("n,a,b\n0,1,2\n").unwrap(), 3);
        assert_eq!(open(",a,\n0,1,2\n").unwrap(), 3);
    }

    #[test]
    fn nan_is_reported_with_its_place_in_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.csv");
        std::fs::write(&path, "a,b\n1,2\n# a comment\n3,4\n5,\n").unwrap();
        let npy = folder.path().join("x.npy");
        write_npy(&npy, MatRef::from_column_major(&[1.0, 2.0, 3.0, 4.0, 5.0, f64::NAN], 2, 3).unwrap())
            .unwrap();
        for shuffle in [false, true] {
            for (path, want) in
                [(&path, "x.csv:5: column 2 (`b`) is NaN"), (&npy, "row 2, column 1, counted")]
            {
                let options = BatchSettings { batch: 2, shuffle, ..BatchSettings::default() };
                let mut feed = feed(path, options);
                let found = loop {
                    let x = feed.next_minibatch().unwrap().unwrap();
                    if let Some(j) = (0..x.cols()).find(|&j| x.get(1, j).is_nan()) {
                        break Error::NotFinite { sample: j as u64, feature: 1, value: f64::NAN };
                    }
                };
                let message = feed.explain(found).to_string();
                assert!(message.contains(want) && message.contains("or a mask"), "{message}");
            }
        }
    }

    #[test]
    fn bad_options_and_empty_files_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = table(folder.path(), 3, false);
        let open = || MatrixStream::open(&path, &StreamOptions::default()).unwrap();
        let plain = BatchSettings::default();
        for bad in [
            BatchSettings { batch: 0, ..plain },
            BatchSettings { epochs: 0, ..plain },
            BatchSettings { holdout: 1.0, ..plain },
            BatchSettings { holdout: f64::NAN, ..plain },
        ] {
            assert!(MatrixBatches::<f64>::new(open(), bad).is_err(), "{bad:?}");
        }
        let all = BatchSettings { holdout: 0.999_999, ..plain };
        let message =
            MatrixBatches::<f64>::new(open(), all).unwrap().next_minibatch().unwrap_err().to_string();
        assert!(message.contains("no sample besides those held out"), "{message}");
    }
}
