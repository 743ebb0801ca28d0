//! A grid being put together again, batch by batch, as a job: a checkpoint has the sums of the patches so far.

use super::overlap::{Overlap, Reconstruction};
use crate::factor::Factorizer;
use crate::linalg::{Mat, Scalar};
use crate::patch::{Grid, Window};
use crate::run::{Job, Resumable, Sections, Status, Stop};
use crate::{Error, Result};
use std::time::{Duration, Instant};

/// Most patches coded at a time, and most numbers they have together (16 MiB of f64).
const BATCH: (usize, usize) = (1024, 1 << 21);

/// A grid of which some patches were reconstructed.
///
/// ```
/// use ergodict::{chain::Boundary, data::tessellation, linalg::Mat, patch::Window};
/// use ergodict::{factor::{Factorizer, FactorSettings}, reconstruct::{Overlap, OverlapRun}, run::{Stop, drive}};
/// let image = tessellation(30, 30, false, 0)?;
/// let window = Window { rows: 4, cols: 4, boundary: Boundary::Free };
/// let pixels = Mat::from_fn(16, 16, |i, j| f64::from(i == j));
/// let parameters = FactorSettings { lambda: 0.0, ..FactorSettings::new(16) };
/// let mut dictionary = Factorizer::from_dictionary(parameters, pixels.as_ref())?;
/// let overlap = Overlap { window, stride: 2 };
/// let mut run = OverlapRun::new(overlap, &mut dictionary, &image)?;
/// drive(&mut [&mut run], None, &Stop::default(), &mut ())?;
/// let rebuilt = run.finish();
/// assert_eq!(rebuilt, overlap.reconstruct(&mut dictionary, &image, &mut |_, _| true)?);
/// # Ok::<(), ergodict::Error>(())
/// ```
pub struct OverlapRun<'a, T: Scalar, G> {
    overlap: Overlap,
    factorizer: &'a mut Factorizer<T>,
    grid: &'a G,
    corners: Corners,
    /// Patches of a batch.
    width: usize,
    x: Mat<T>,
    rebuilt: Mat<T>,
    sums: Vec<f64>,
    patches: u64,
}

/// Where patches begin, row by row.
pub(super) struct Corners {
    rows: Vec<usize>,
    cols: Vec<usize>,
}

impl Corners {
    pub(super) fn new(overlap: Overlap, shape: (usize, usize)) -> Result<Self> {
        let (rows, cols) = overlap.corners(shape)?;
        Ok(Self { rows, cols })
    }

    pub(super) fn count(&self) -> u64 {
        self.rows.len() as u64 * self.cols.len() as u64
    }

    /// At most `most` of them from one on.
    pub(super) fn from(&self, first: u64, most: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        let last = first.saturating_add(most as u64).min(self.count());
        let across = self.cols.len() as u64;
        (first..last).map(move |at| (self.rows[(at / across) as usize], self.cols[(at % across) as usize]))
    }
}

impl<'a, T: Scalar, G: Grid> OverlapRun<'a, T, G> {
    /// Nothing reconstructed yet.
    ///
    /// # Errors
    /// As [`Overlap::corners`]; [`Error::Shape`] when the dictionary is of other patches.
    pub fn new(overlap: Overlap, factorizer: &'a mut Factorizer<T>, grid: &'a G) -> Result<Self> {
        let (shape, channels) = (grid.shape(), grid.channels());
        let corners = Corners::new(overlap, shape)?;
        check_dictionary(overlap.window, factorizer, channels)?;
        let features = overlap.window.features(channels);
        let (x, rebuilt) = (Mat::zeros(features, 0), Mat::zeros(features, 0));
        let width = BATCH.0.min((BATCH.1 / features).max(1));
        let sums = vec![0.0; shape.0 * shape.1 * channels];
        Ok(Self { overlap, factorizer, grid, corners, width, x, rebuilt, sums, patches: 0 })
    }

    /// Codes a batch; false where there is none left.
    pub(super) fn step(&mut self) -> Result<bool> {
        let batch: Vec<(usize, usize)> = self.corners.from(self.patches, self.width).collect();
        if batch.is_empty() {
            return Ok(false);
        }
        let (window, shape, channels) = (self.overlap.window, self.grid.shape(), self.grid.channels());
        self.x.reset(window.features(channels), batch.len());
        for (j, &corner) in batch.iter().enumerate() {
            window.copy(self.grid, corner, self.x.col_mut(j));
        }
        self.factorizer.transform(self.x.as_ref())?;
        self.factorizer.reconstruct(&mut self.rebuilt);
        for (j, &corner) in batch.iter().enumerate() {
            let patch = self.rebuilt.col(j);
            window.runs(shape, corner, |row, col, from, places| {
                let place = row * shape.1 + col;
                let sums = &mut self.sums[place * channels..(place + places) * channels];
                let part = &patch[from * channels..(from + places) * channels];
                sums.iter_mut().zip(part).for_each(|(sum, value)| *sum += value.to_f64());
            });
        }
        self.patches += batch.len() as u64;
        Ok(true)
    }

    /// Patches that were reconstructed, and how many there are.
    pub(super) fn amount(&self) -> (u64, u64) {
        (self.patches, self.corners.count())
    }

    /// The grid; none before the last patch.
    pub fn finish(self) -> Option<Reconstruction> {
        if self.patches < self.corners.count() {
            return None;
        }
        let (shape, channels, mut values) = (self.grid.shape(), self.grid.channels(), self.sums);
        let mut counts = vec![0_u32; shape.0 * shape.1];
        for row in 0..self.corners.rows.len() {
            let across = self.corners.cols.len();
            for corner in self.corners.from((row * across) as u64, across) {
                self.overlap.window.runs(shape, corner, |row, col, _, places| {
                    let place = row * shape.1 + col;
                    counts[place..place + places].iter_mut().for_each(|n| *n += 1);
                });
            }
        }
        for (place, count) in values.chunks_exact_mut(channels.max(1)).zip(counts) {
            place.iter_mut().for_each(|value| *value /= f64::from(count));
        }
        Some(Reconstruction { values, shape, channels, patches: self.patches })
    }
}

/// Whether the atoms are such patches.
fn check_dictionary<T: Scalar>(window: Window, factorizer: &Factorizer<T>, channels: usize) -> Result<()> {
    let (Window { rows, cols, .. }, found) = (window, window.features(channels));
    let expected = factorizer.dictionary().rows();
    if found != expected {
        let found = format!("{rows}×{cols} with {channels} channels, {found} numbers");
        return Err(Error::shape("the patch", found, format!("one of {expected} numbers, as an atom has,")));
    }
    Ok(())
}

/// Adds numbers to a saved state.
pub(super) fn put_numbers(to: &mut Sections, name: &str, numbers: &[f64]) -> Result<()> {
    let path = to.path().to_owned();
    to.put_stream(name, |out| {
        let mut bytes = Vec::with_capacity(1 << 16);
        for part in numbers.chunks(1 << 13) {
            bytes.clear();
            part.iter().for_each(|number| bytes.extend(number.to_le_bytes()));
            out.write_all(&bytes).map_err(Error::io(&path))?;
        }
        Ok(())
    })
}

/// As many numbers as are there.
pub(super) fn take_numbers(from: &Sections, name: &str, numbers: &mut [f64]) -> Result<()> {
    let found = from.u64s(name)?;
    if found.len() != numbers.len() {
        return Err(from.damaged(name, "is of a grid of another size"));
    }
    numbers.iter_mut().zip(found).for_each(|(number, bits)| *number = f64::from_bits(bits));
    Ok(())
}

/// Steps until they have taken long enough, or were stopped; `step` is false where there is none left.
pub(super) fn advance(
    slice: Duration,
    stop: &Stop,
    mut step: impl FnMut() -> Result<bool>,
) -> Result<Status> {
    let started = Instant::now();
    loop {
        if stop.is_asked() {
            return Ok(Status::Stopped);
        }
        if !step()? {
            return Ok(Status::Finished);
        }
        stop.count(1);
        if started.elapsed() >= slice {
            return Ok(Status::Running);
        }
    }
}

impl<T: Scalar, G: Grid> Resumable for OverlapRun<'_, T, G> {
    fn save(&self, to: &mut Sections) -> Result<()> {
        to.put_json("patches", &self.patches)?;
        put_numbers(to, "sums", &self.sums)
    }

    fn restore(&mut self, from: &Sections) -> Result<()> {
        let patches = from.json("patches")?;
        if patches > self.corners.count() {
            return Err(from.damaged("patches", "are more than there are"));
        }
        take_numbers(from, "sums", &mut self.sums)?;
        self.patches = patches;
        Ok(())
    }
}

impl<T: Scalar, G: Grid + Sync> Job for OverlapRun<'_, T, G> {
    fn done(&self) -> (u64, Option<u64>) {
        (self.patches, Some(self.corners.count()))
    }

    fn advance(&mut self, slice: Duration, stop: &Stop) -> Result<Status> {
        if self.patches == self.corners.count() {
            return Ok(Status::Finished);
        }
        advance(slice, stop, || self.step())
    }

    fn unit(&self) -> &'static str {
        "patches"
    }

    fn text(&self) -> String {
        format!("stride {}", self.overlap.stride)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::Boundary;
    use crate::data::{Image, tessellation};
    use crate::factor::FactorSettings;

    const ROWS: usize = 60;
    const COLS: usize = 50;

    fn example() -> (Image, Factorizer<f64>) {
        let w = Mat::from_fn(36, 3, |i, k| f64::from(u8::from(i % (k + 2) == 0)) / 6.0);
        let parameters = FactorSettings { lambda: 0.0, ..FactorSettings::new(3) };
        let factorizer = Factorizer::from_dictionary(parameters, w.as_ref()).unwrap();
        (tessellation(ROWS, COLS, true, 1).unwrap(), factorizer)
    }

    #[test]
    fn a_grid_is_the_mean_of_its_patches_one_by_one() {
        for (boundary, stride) in [(Boundary::Periodic, 1), (Boundary::Free, 2), (Boundary::Periodic, 3)] {
            let (image, mut factorizer) = example();
            let overlap = Overlap { window: Window { rows: 3, cols: 4, boundary }, stride };
            let (rows, cols) = overlap.corners((ROWS, COLS)).unwrap();
            let (mut sums, mut counts) = (vec![0.0; ROWS * COLS * 3], vec![0.0; ROWS * COLS * 3]);
            let (mut x, mut fitted) = (Mat::zeros(36, 1), Mat::zeros(36, 1));
            for (&row, &col) in rows.iter().flat_map(|row| cols.iter().map(move |col| (row, col))) {
                overlap.window.copy(&image, (row, col), x.col_mut(0));
                factorizer.transform(x.as_ref()).unwrap();
                factorizer.reconstruct(&mut fitted);
                for (at, value) in fitted.col(0).iter().enumerate() {
                    let (i, j, channel) = (at / 12, at / 3 % 4, at % 3);
                    let place = ((row + i) % ROWS * COLS + (col + j) % COLS) * 3 + channel;
                    sums[place] += value;
                    counts[place] += 1.0;
                }
            }
            let mut run = OverlapRun::new(overlap, &mut factorizer, &image).unwrap();
            while run.step().unwrap() {}
            let found = run.finish().unwrap();
            assert_eq!((found.shape, found.channels), ((ROWS, COLS), 3));
            assert_eq!(found.patches as usize, rows.len() * cols.len());
            for (value, (sum, count)) in found.values.iter().zip(sums.iter().zip(&counts)) {
                assert!(
                    (value - sum / count).abs() < 1e-6,
                    "{boundary:?}, {stride}: {value} for {sum} of {count}"
                );
            }
        }
    }

    #[test]
    fn a_run_that_was_saved_ends_as_one_that_was_not() {
        let overlap =
            Overlap { window: Window { rows: 3, cols: 4, boundary: Boundary::Periodic }, stride: 1 };
        let (image, mut factorizer) = example();
        let mut run = OverlapRun::new(overlap, &mut factorizer, &image).unwrap();
        assert_eq!((run.done(), run.unit(), run.text()), ((0, Some(3000)), "patches", "stride 1".to_owned()));
        let mut states = Vec::new();
        for done in [1024, 2048, 3000] {
            assert_eq!(run.advance(Duration::ZERO, &Stop::default()).unwrap(), Status::Running);
            assert_eq!(run.done(), (done, Some(3000)));
            let mut state = Sections::default();
            run.save(&mut state).unwrap();
            states.push(state);
        }
        for _ in 0..2 {
            assert_eq!(run.advance(Duration::ZERO, &Stop::default()).unwrap(), Status::Finished);
        }
        let whole = run.finish().unwrap();
        for state in &states {
            let mut again = OverlapRun::new(overlap, &mut factorizer, &image).unwrap();
            again.restore(state).unwrap();
            assert_eq!(again.advance(Duration::MAX, &Stop::default()).unwrap(), Status::Finished);
            assert_eq!(again.finish().unwrap(), whole);
        }
        let mut again = OverlapRun::new(overlap, &mut factorizer, &image).unwrap();
        for (name, bytes) in [("patches", b"3001".to_vec()), ("sums", vec![0; 8]), ("sums", vec![0; 9])] {
            let mut damaged = states[0].clone();
            damaged.put(name, bytes);
            assert!(again.restore(&damaged).unwrap_err().to_string().contains(name));
        }
        assert!(again.finish().is_none());
        let wide = Overlap { window: Window { rows: 4, ..overlap.window }, stride: 1 };
        assert!(OverlapRun::new(wide, &mut factorizer, &image).is_err());
    }
}
