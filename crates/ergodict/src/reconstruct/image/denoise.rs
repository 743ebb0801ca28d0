//! Denoising by sparse codes of the image's own patches (Elad & Aharon, 2006).
//!
//! | symbol | here | what |
//! |---|---|---|
//! | `σ` | [`noise_level`] | standard deviation of the noise, given or estimated |
//! | `x − x̄` | [`center`] | patches without their mean, in each channel |
//! | `‖x − Wh‖² ≤ d(Cσ)²` | [`CodeSet::Pursuit`] | codes of as few atoms as leave no more than the noise |
//! | `W` | [`cosines`], [`Factorizer::step`] | learned from such codes of the noisy patches, from cosines on |
//! | `Σ ω (Wh + x̄) / Σ ω` | [`Average`] | the mean over patches, `ω` the inverse of the number of coefficients |
//!
//! Departures from the print: the dictionary is updated from minibatches instead of by K-SVD. Patches that few atoms describe count for
//! more, since less noise is left in them (Guleryuz, 2007): 0.07 to 0.13 dB. The noisy image has no weight of its own in the mean, which gained
//! nothing then (−0.02 to +0.01 dB).

use super::super::overlap::{Overlap, Reconstruction};
use super::super::overlap_run::{Corners, advance, put_numbers, take_numbers};
use super::cosines::cosines;
use super::noise::noise_level;
use super::settings::DenoiseSettings;
use crate::chain::Boundary;
use crate::data::Image;
use crate::factor::code::{CodeSet, Pursuit};
use crate::factor::{ColumnSet, FactorSettings, Factorizer, Schedule};
use crate::linalg::Mat;
use crate::model::Model;
use crate::patch::{PatchKind, Window};
use crate::rng::{Purpose, ids, stream};
use crate::run::{Job, Resumable, Sections, Status, Stop};
use crate::settings::Settings;
use crate::{Error, Result};
use rand_chacha::ChaCha8Rng;
use std::time::Duration;

/// `C`: how much of a patch counts as noise, in standard deviations. Mean PSNR of eight photographs and textures with noise of 0.05, 0.1 and
/// 0.2: 33.07, 29.44, 25.69 dB at 1.05; 33.11, 29.55, 25.75 at 1.1; 33.03, 29.46, 25.49 at 1.15.
const GAIN: f64 = 1.1;

/// Most minibatches that the dictionary is learned from, and patches of each. On the same images cosines alone gave 32.93, 29.20,
/// 25.41 dB; 20 minibatches 33.08, 29.48, 25.66; 60 33.11, 29.55, 25.75; 150 33.13, 29.60, 25.80; 400 33.15, 29.63, 25.82.
const LEARNING: (u64, usize) = (100, 1000);

/// Patches learned from for each of the image, at most: small images have few.
const PASSES: u64 = 10;

/// Codes have at most this share of the numbers of a patch; what needs more is left as it is, so that an image without noise stays nearly so.
const MOST_ATOMS: f64 = 0.5;

/// What rounding may add to the error that a code stops at.
const ROUNDING: f64 = 1.001;

/// Patches coded at a time.
const BATCH: usize = 1024;

/// Patches are a pixel apart in images of fewer corners than this.
const MOST_PATCHES: usize = 2_000_000;

/// An image without noise.
///
/// ```
/// use ergodict::{data::tessellation, reconstruct::{DenoiseSettings, denoise}};
/// let (image, settings) = (tessellation(30, 30, false, 0)?, DenoiseSettings { sigma: Some(0.0), ..Default::default() });
/// let done = denoise(&image, None, &settings, &mut |_, _| true)?.expect("nothing stopped it");
/// assert!(done.image.values == image.to_f64() && done.kept == 0.0); // no noise, no change
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Denoised {
    /// The image.
    pub image: Reconstruction,
    /// The standard deviation of the noise, as given or estimated.
    pub sigma: f64,
    /// Pixels between neighboring patches.
    pub stride: usize,
    /// Atoms of a patch, in the mean.
    pub mean_atoms: f64,
    /// Share of patches that were left as they are, as no few atoms describe them.
    pub kept: f64,
    /// The dictionary.
    pub model: Model,
}

/// Removes noise from an image: learns a dictionary from its own patches, or takes those of `atoms` (a column each, of patches as `settings` has
/// them), codes every patch with so few atoms that what is left out is as large as the noise, and takes the mean where patches overlap.
///
/// `seen` is called now and then with the numbers of patches done and in all; work stops with `None` when it returns false.
///
/// ```
/// use ergodict::{data::tessellation, reconstruct::{DenoiseSettings, denoise, psnr}};
/// use ergodict::{data::Image, rng};
/// let (clean, mut random) = (tessellation(60, 60, false, 0)?, rng::stream(0, rng::Purpose::Synthetic, 0));
/// let noisy = clean.values().iter().map(|v| v + 0.1 * rng::normal(&mut random) as f32).collect();
/// let noisy = Image::new((60, 60), 1, noisy)?;
/// let done = denoise(&noisy, None, &DenoiseSettings::default(), &mut |_, _| true)?.expect("nothing stopped it");
/// assert!(psnr(&done.image.values, &clean.to_f64(), 1.0) > psnr(&noisy.to_f64(), &clean.to_f64(), 1.0) + 1.0);
/// # Ok::<(), ergodict::Error>(())
/// ```
///
/// # Errors
/// As [`DenoiseSettings::check`], and as [`noise_level`] where no `sigma` is given; [`Error::Parameter`] for a `sigma` larger than 1 and than the range of the image; [`Error::Shape`] for patches larger than the image, or atoms that are no such patches.
pub fn denoise(
    image: &Image,
    atoms: Option<&Mat<f32>>,
    settings: &DenoiseSettings,
    seen: &mut dyn FnMut(u64, u64) -> bool,
) -> Result<Option<Denoised>> {
    let mut run = Denoising::new(image, atoms, settings)?;
    while run.step()? {
        let (done, total) = run.amount();
        if !seen(done, total) {
            return Ok(None);
        }
    }
    Ok(run.finish())
}

/// An image being denoised, as a job: a checkpoint has the sums of the patches so far. The dictionary, which takes seconds, is learned again.
///
/// ```
/// use ergodict::{data::tessellation, reconstruct::{DenoiseSettings, Denoising}, run::{Stop, drive}};
/// let (image, settings) = (tessellation(30, 30, false, 0)?, DenoiseSettings { sigma: Some(0.1), ..Default::default() });
/// let mut run = Denoising::new(&image, None, &settings)?;
/// drive(&mut [&mut run], None, &Stop::default(), &mut ())?;
/// assert_eq!(run.finish().expect("it ended").image.shape, (30, 30));
/// # Ok::<(), ergodict::Error>(())
/// ```
pub struct Denoising<'a> {
    seed: u64,
    sigma: f64,
    stride: usize,
    corners: Corners,
    factorizer: Factorizer<f32>,
    /// Minibatches to learn from, and how many were.
    steps: u64,
    learned: u64,
    rng: ChaCha8Rng,
    x: Mat<f32>,
    average: Average<'a>,
}

impl<'a> Denoising<'a> {
    /// Nothing learned yet; arguments are those of [`denoise`].
    ///
    /// # Errors
    /// As [`denoise`].
    pub fn new(image: &'a Image, atoms: Option<&Mat<f32>>, settings: &DenoiseSettings) -> Result<Self> {
        settings.check()?;
        let window = Window { rows: settings.patch.0, cols: settings.patch.1, boundary: Boundary::Free };
        let kind = PatchKind { window, channels: image.channels(), spins: None };
        let overlap = match settings.stride {
            Some(stride) => Overlap { window, stride },
            None => Overlap::spread(window, image.shape(), 1, MOST_PATCHES)?,
        };
        let corners = Corners::new(overlap, image.shape())?;
        let sigma = settings.sigma.map_or_else(|| noise_level(image), Ok)?;
        let (least, most) =
            image.values().iter().fold((f32::MAX, f32::MIN), |(a, b), v| (a.min(*v), b.max(*v)));
        if settings.sigma.is_some() && sigma > f64::from(most - least).max(1.0) {
            let expected = format!(
                "no noise is as large in an image whose values are {least} to {most}: sigma is in the same units (white is 1 in a file; a \
                 standard deviation of 25 gray levels of 255 is 0.098)"
            );
            return Err(Error::parameter("sigma", sigma, expected));
        }
        let factorizer = dictionary(kind, atoms, settings.atoms, sigma)?;
        let learns = atoms.is_none() && sigma > 0.0;
        let enough = (PASSES * corners.count()).div_ceil(LEARNING.1 as u64);
        let steps = if learns { LEARNING.0.min(enough) } else { 0 };
        Ok(Self {
            seed: settings.seed,
            sigma,
            stride: overlap.stride,
            corners,
            factorizer,
            steps,
            learned: 0,
            rng: stream(settings.seed, Purpose::Patches, ids::DENOISING),
            x: Mat::zeros(0, 0),
            average: Average::new(image, kind),
        })
    }

    /// Learns from a minibatch, or codes a batch of patches; false where there is none left.
    fn step(&mut self) -> Result<bool> {
        let PatchKind { window, channels, .. } = self.average.kind;
        if self.learned < self.steps {
            window.sample(self.average.image, LEARNING.1, &mut self.rng, &mut self.x)?;
            for j in 0..self.x.cols() {
                center(self.x.col_mut(j), channels);
            }
            self.factorizer.step(&self.x)?;
            self.learned += 1;
            return Ok(true);
        }
        let batch: Vec<_> = self.corners.from(self.average.patches, BATCH).collect();
        if self.sigma == 0.0 || batch.is_empty() {
            return Ok(false);
        }
        self.average.add(&batch, &mut self.factorizer, self.sigma)?;
        Ok(true)
    }

    fn is_finished(&self) -> bool {
        let averaged = self.sigma == 0.0 || self.average.patches == self.corners.count();
        self.learned == self.steps && averaged
    }

    /// Patches that were learned from or coded, and how many there are.
    fn amount(&self) -> (u64, u64) {
        let minibatch = LEARNING.1 as u64;
        let coded = if self.sigma == 0.0 { 0 } else { self.corners.count() };
        (self.learned * minibatch + self.average.patches, self.steps * minibatch + coded)
    }

    /// The image; none before the last patch.
    pub fn finish(self) -> Option<Denoised> {
        if !self.is_finished() {
            return None;
        }
        let Self { average, factorizer, seed, sigma, stride, .. } = self;
        let model = Model { patch: Some(average.kind), ..Model::from_factorizer(&factorizer, "image", seed) };
        Some(average.finish(sigma, stride, model))
    }
}

impl Resumable for Denoising<'_> {
    fn save(&self, to: &mut Sections) -> Result<()> {
        let Average { patches, atoms, kept, .. } = self.average;
        to.put_json("counts", &(patches, atoms, kept))?;
        if patches > 0 {
            put_numbers(to, "sums", &self.average.sums)?;
            put_numbers(to, "weights", &self.average.weights)?;
        }
        Ok(())
    }

    fn restore(&mut self, from: &Sections) -> Result<()> {
        let (patches, atoms, kept) = from.json("counts")?;
        if patches > self.corners.count() {
            return Err(from.damaged("counts", "are of more patches than there are"));
        }
        if patches > 0 {
            take_numbers(from, "sums", &mut self.average.sums)?;
            take_numbers(from, "weights", &mut self.average.weights)?;
        }
        (self.average.patches, self.average.atoms, self.average.kept) = (patches, atoms, kept);
        Ok(())
    }
}

impl Job for Denoising<'_> {
    fn done(&self) -> (u64, Option<u64>) {
        let (done, total) = self.amount();
        (done, Some(total))
    }

    fn advance(&mut self, slice: Duration, stop: &Stop) -> Result<Status> {
        if self.is_finished() {
            return Ok(Status::Finished);
        }
        advance(slice, stop, || self.step())
    }

    fn unit(&self) -> &'static str {
        "patches"
    }

    fn text(&self) -> String {
        if self.learned < self.steps { "learning".to_owned() } else { format!("stride {}", self.stride) }
    }
}

/// `d(Cσ)²`.
fn allowed(features: usize, sigma: f64) -> f64 {
    features as f64 * (GAIN * sigma).powi(2)
}

/// The dictionary to begin with, which codes patches up to the noise.
fn dictionary(
    kind: PatchKind,
    given: Option<&Mat<f32>>,
    atoms: usize,
    sigma: f64,
) -> Result<Factorizer<f32>> {
    let features = kind.window.features(kind.channels);
    let w = match given {
        None => cosines(kind.window, kind.channels, atoms),
        Some(w) if w.rows() != features => {
            let found = format!("{}×{} with {} channels", kind.window.rows, kind.window.cols, kind.channels);
            let expected = format!("one of {} numbers, as an atom has,", w.rows());
            return Err(Error::shape("the patch", found, expected));
        }
        Some(w) => centered(w, kind.channels),
    };
    let most = (((features as f64) * MOST_ATOMS) as usize).max(1);
    let code = Pursuit { atoms: Some(most), tol: Some(allowed(features, sigma)), nonnegative: false };
    let parameters = FactorSettings {
        code: Some(CodeSet::Pursuit(code)),
        dictionary: Some(ColumnSet::Ball { radius: 1.0 }.into()),
        schedule: Schedule::Linear,
        ..FactorSettings::new(w.cols())
    };
    Factorizer::from_dictionary(parameters, w.as_ref())
}

/// Atoms without their mean; those that have nothing else are zero.
fn centered(w: &Mat<f32>, channels: usize) -> Mat<f32> {
    let mut w = w.clone();
    for k in 0..w.cols() {
        let norm = |atom: &[f32]| atom.iter().map(|w| f64::from(*w).powi(2)).sum::<f64>();
        let before = norm(w.col(k));
        center(w.col_mut(k), channels);
        if norm(w.col(k)) <= 1e-8 * before {
            w.col_mut(k).fill(0.0);
        }
    }
    w
}

/// Takes the mean of each channel away, and returns them.
fn center(patch: &mut [f32], channels: usize) -> [f32; 3] {
    let mut means = [0.0; 3];
    let pixels = (patch.len() / channels) as f64;
    for (channel, mean) in means.iter_mut().enumerate().take(channels) {
        let values = patch.iter().skip(channel).step_by(channels);
        *mean = (values.map(|v| f64::from(*v)).sum::<f64>() / pixels) as f32;
    }
    patch.chunks_exact_mut(channels).for_each(|pixel| {
        pixel.iter_mut().zip(means).for_each(|(v, mean)| *v -= mean);
    });
    means
}

/// The mean over patches, each with its weight.
struct Average<'a> {
    image: &'a Image,
    kind: PatchKind,
    sums: Vec<f64>,
    weights: Vec<f64>,
    x: Mat<f32>,
    fitted: Mat<f32>,
    means: Vec<[f32; 3]>,
    patches: u64,
    atoms: u64,
    kept: u64,
}

impl<'a> Average<'a> {
    fn new(image: &'a Image, kind: PatchKind) -> Self {
        let pixels = image.shape().0 * image.shape().1;
        Self {
            image,
            kind,
            sums: vec![0.0; pixels * kind.channels],
            weights: vec![0.0; pixels],
            x: Mat::zeros(0, 0),
            fitted: Mat::zeros(0, 0),
            means: Vec::new(),
            patches: 0,
            atoms: 0,
            kept: 0,
        }
    }

    /// Adds the patches at these corners.
    fn add(
        &mut self,
        corners: &[(usize, usize)],
        factorizer: &mut Factorizer<f32>,
        sigma: f64,
    ) -> Result<()> {
        let PatchKind { window, channels, .. } = self.kind;
        let features = window.features(channels);
        let limit = ROUNDING * allowed(features, sigma);
        self.x.reset(features, corners.len());
        self.means.clear();
        for (j, &corner) in corners.iter().enumerate() {
            window.copy(self.image, corner, self.x.col_mut(j));
            self.means.push(center(self.x.col_mut(j), channels));
        }
        factorizer.transform(self.x.as_ref())?;
        factorizer.reconstruct(&mut self.fitted);
        let shape = self.image.shape();
        for (j, (&corner, left)) in corners.iter().zip(factorizer.losses()).enumerate() {
            let used = factorizer.code().col(j).iter().filter(|h| **h != 0.0).count();
            let (patch, used) =
                if left <= limit { (self.fitted.col(j), used) } else { (self.x.col(j), features) };
            self.atoms += used as u64;
            self.kept += u64::from(left > limit);
            // The variance that noise leaves in it: of the coefficients in use, and of the means.
            let (weight, means) = (1.0 / (used + channels) as f64, self.means[j]);
            window.runs(shape, corner, |row, col, from, places| {
                let place = row * shape.1 + col;
                self.weights[place..place + places].iter_mut().for_each(|w| *w += weight);
                let sums = self.sums[place * channels..].chunks_exact_mut(channels);
                let part = patch[from * channels..(from + places) * channels].chunks_exact(channels);
                for (sums, values) in sums.zip(part) {
                    for ((sum, value), mean) in sums.iter_mut().zip(values).zip(means) {
                        *sum += weight * f64::from(value + mean);
                    }
                }
            });
        }
        self.patches += corners.len() as u64;
        Ok(())
    }

    /// The image; where there is no noise, as it was.
    fn finish(self, sigma: f64, stride: usize, model: Model) -> Denoised {
        let share = |count: u64| if self.patches == 0 { 0.0 } else { count as f64 / self.patches as f64 };
        let mut values = self.image.to_f64();
        let (shape, channels) = (self.image.shape(), self.kind.channels);
        let pixels = values.chunks_exact_mut(channels).zip(self.sums.chunks_exact(channels));
        for ((pixel, sums), weight) in pixels.zip(&self.weights).filter(|(_, weight)| **weight > 0.0) {
            pixel.iter_mut().zip(sums).for_each(|(v, sum)| *v = sum / weight);
        }
        Denoised {
            mean_atoms: share(self.atoms),
            kept: share(self.kept),
            image: Reconstruction { values, shape, channels, patches: self.patches },
            sigma,
            stride,
            model,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn centered_atoms_have_no_mean_and_flat_ones_are_zero_in_any_unit() {
        // Four pixels of two channels: one that varies, one that is flat in each channel.
        let varied = [0.1f32, 0.9, 0.3, 0.2, 0.5, 0.4, 0.7, 0.5];
        let flat = [0.3f32, 0.7, 0.3, 0.7, 0.3, 0.7, 0.3, 0.7];
        for unit in [1e-6f32, 1.0, 1e6] {
            let w = Mat::from_fn(8, 2, |i, k| unit * if k == 0 { varied[i] } else { flat[i] });
            let found = centered(&w, 2);
            assert_eq!(found.col(1), [0.0; 8]);
            for (channel, mean) in [(0, 0.4), (1, 0.5)] {
                for i in (channel..8).step_by(2) {
                    let expected = unit * (varied[i] - mean);
                    assert!((found.get(i, 0) - expected).abs() < 1e-6 * unit, "{i} in units of {unit}");
                }
            }
        }
    }

    #[test]
    fn a_run_that_was_saved_ends_as_one_that_was_not() {
        let image = crate::data::tessellation(40, 44, false, 3).unwrap();
        let patch = crate::text::Shape(4, 5);
        let settings = DenoiseSettings { sigma: Some(0.1), patch, atoms: 20, ..DenoiseSettings::default() };
        let new = || Denoising::new(&image, None, &settings).unwrap();
        // 37 × 40 corners, ten times as many patches to learn from, a thousand at a time.
        let mut run = new();
        let mut states = Vec::new();
        for step in 0..17 {
            let done = if step <= 15 { 1000 * step } else { 16_024 };
            assert_eq!(run.done(), (done, Some(15_000 + 1480)), "{step}");
            assert_eq!(run.text(), if step < 15 { "learning" } else { "stride 1" });
            let mut state = Sections::default();
            run.save(&mut state).unwrap();
            states.push(state);
            assert_eq!(run.advance(Duration::ZERO, &Stop::default()).unwrap(), Status::Running);
        }
        assert_eq!(run.advance(Duration::ZERO, &Stop::default()).unwrap(), Status::Finished);
        assert_eq!((run.done(), run.unit()), ((16_480, Some(16_480)), "patches"));
        let whole = run.finish().unwrap();
        assert_eq!((whole.stride, whole.image.patches), (1, 1480));
        for state in [&states[0], &states[7], &states[16]] {
            let mut again = new();
            again.restore(state).unwrap();
            assert_eq!(again.advance(Duration::MAX, &Stop::default()).unwrap(), Status::Finished);
            let found = again.finish().unwrap();
            assert_eq!(found.image, whole.image);
            assert_eq!((found.mean_atoms, found.kept), (whole.mean_atoms, whole.kept));
        }
        let mut again = new();
        for (name, bytes) in
            [("counts", b"[1481,0,0]".to_vec()), ("sums", vec![0; 8]), ("weights", vec![0; 8])]
        {
            let mut damaged = states[16].clone();
            damaged.put(name, bytes);
            assert!(again.restore(&damaged).unwrap_err().to_string().contains(name));
        }
        assert!(again.finish().is_none());
        // Without noise there is nothing to do.
        let still = DenoiseSettings { sigma: Some(0.0), ..settings.clone() };
        let mut still = Denoising::new(&image, None, &still).unwrap();
        assert_eq!(still.done(), (0, Some(0)));
        assert_eq!(still.advance(Duration::ZERO, &Stop::default()).unwrap(), Status::Finished);
        assert_eq!(still.finish().unwrap().image.values, image.to_f64());
        for (sigma, fits) in [(1.0, true), (1.01, false)] {
            let loud = DenoiseSettings { sigma: Some(sigma), ..settings.clone() };
            assert_eq!(Denoising::new(&image, None, &loud).is_ok(), fits);
        }
    }

    #[test]
    fn atoms_of_patches_are_counted_from_none() {
        use crate::chain::Boundary;
        use crate::factor::FactorSettings;
        let image = crate::data::tessellation(9, 8, false, 3).unwrap();
        let window = Window { rows: 3, cols: 4, boundary: Boundary::Free };
        let kind = PatchKind { window, channels: image.channels(), spins: None };
        let features = window.features(kind.channels);
        let settings = FactorSettings { lambda: 0.0, ..FactorSettings::new(5) };
        let mut factorizer = Factorizer::<f32>::random(settings, features, 1).unwrap();
        let mut average = Average::new(&image, kind);
        let (mut atoms, mut kept, mut patches) = (0, 0, 0);
        for (corners, sigma) in [(&[(0, 0), (1, 2), (6, 4)][..], 10.0), (&[(2, 2)], 1e-9)] {
            average.add(corners, &mut factorizer, sigma).unwrap();
            let limit = ROUNDING * allowed(features, sigma);
            for (j, loss) in factorizer.losses().enumerate() {
                let used = factorizer.code().col(j).iter().filter(|h| **h != 0.0).count();
                atoms += if loss <= limit { used as u64 } else { features as u64 };
                kept += u64::from(loss > limit);
            }
            patches += corners.len() as u64;
            assert_eq!((average.atoms, average.kept, average.patches), (atoms, kept, patches));
        }
        assert!(atoms > 0 && kept > 0 && kept < patches);
    }
}
