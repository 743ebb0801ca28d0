//! Denoising: how strong the noise is, and the λ that leaves as much of the image unexplained.
//!
//! | symbol | here | what |
//! |---|---|---|
//! | `σ` | [`noise_level`] | standard deviation of the noise, from second differences where the image is flat |
//! | `λ(σ)` | [`lambda_for_noise`] | where `mean (X − W H)² = σ²` (Morozov's discrepancy principle) |
//!
//! With λ found, [`with_lambda`] and [`Overlap::denoise`] do the rest: a residual as large as the noise is taken for
//! noise, and the mean over overlapping patches takes away part of the noise that the codes still carry.

use super::overlap::{Overlap, refit_of, with_lambda};
use crate::data::Image;
use crate::factor::Factorizer;
use crate::linalg::{Mat, Scalar};
use crate::patch::Grid;
use crate::{Error, Hint, Note, Result};

/// Side of the blocks among which the flattest are looked for, and places between them.
const BLOCK: (usize, usize) = (8, 2);

/// The share of blocks taken for flat or flatter.
const FLAT: f64 = 0.05;

/// What this quantile of the blocks' root mean squares is for noise alone of standard deviation 1: the mean over 20
/// images of 512×512, among which it went from 0.742 to 0.749.
const QUANTILE: f64 = 0.745;

/// Patches that λ is found on.
const SAMPLE: usize = 512;

/// λ is looked for down to this share of the λ from which on all codes are zero.
const SMALLEST: f64 = 1e-4;

/// The factor between one λ and the next until the residual is small enough.
const STEP: f64 = 2.0;

/// Halvings of the last step, in log λ: to a relative 1e-3.
const HALVINGS: usize = 10;

/// The standard deviation of white noise in an image, estimated where the image itself is flat: of second differences
/// along both axes at once (Immerkær's mask, of norm 6, blind to planes and to edges along an axis), the root mean
/// square over 8×8 blocks, at the 5 % quantile of the blocks. 0 for images of fewer than 10 rows or columns.
///
/// Where 3×3 pixels are exactly equal there is no noise to see: saturated or painted over. Blocks with such places are left
/// out, unless they are most of all: then the image has no noise but here and there.
///
/// Of flat images with noise it was within 5 % of the truth for 128×128 pixels (40 seeds), and within 17 % for 30×30 (20).
/// Texture is taken for noise where nothing is flat: of our tessellation, of which little is, with noise of 0.2, 0.1,
/// 0.05 and 0.02 it gave 1.05, 1.12, 1.21 and 1.44 times the truth (mean of 10 seeds).
///
/// ```
/// use ergodict::{rng, data::Image, reconstruct::noise_level};
/// let mut random = rng::stream(0, rng::Purpose::Synthetic, 0);
/// let gray: Vec<f32> = (0..128 * 128).map(|_| (0.5 + 0.1 * rng::normal(&mut random)) as f32).collect();
/// assert!((noise_level(&Image::new((128, 128), 1, gray)?) - 0.1).abs() < 0.01);
/// # Ok::<(), ergodict::Error>(())
/// ```
pub fn noise_level(image: &Image) -> f64 {
    let ((rows, cols), channels, values) = (image.shape(), image.channels(), image.values());
    let (side, step) = BLOCK;
    if rows < side + 2 || cols < side + 2 {
        return 0.0;
    }
    let (high, wide) = (rows - 2, cols - 2);
    let (mut squares, mut still) = (vec![0.0; high * wide], vec![false; high * wide]);
    let (mut blocks, mut lively) = (Vec::new(), Vec::new());
    let mut total = 0.0;
    for channel in 0..channels {
        let at = |i: usize, j: usize| f64::from(values[(i * cols + j) * channels + channel]);
        for (place, square) in squares.iter_mut().enumerate() {
            let (i, j) = (place / wide, place % wide);
            let along = |i: usize| at(i, j) - 2.0 * at(i, j + 1) + at(i, j + 2);
            *square = (along(i) - 2.0 * along(i + 1) + along(i + 2)).powi(2) / 36.0;
            still[place] = *square == 0.0 && (0..9).all(|k| at(i + k / 3, j + k % 3) == at(i, j));
        }
        blocks.clear();
        lively.clear();
        for i in (0..=high - side).step_by(step) {
            for j in (0..=wide - side).step_by(step) {
                let row = |k: usize| squares[(i + k) * wide + j..][..side].iter().sum::<f64>();
                let square = (0..side).map(row).sum::<f64>() / (side * side) as f64;
                blocks.push(square);
                if !(0..side).any(|k| still[(i + k) * wide + j..][..side].contains(&true)) {
                    lively.push(square);
                }
            }
        }
        let blocks = if 2 * lively.len() > blocks.len() { &mut lively } else { &mut blocks };
        let at = ((blocks.len() - 1) as f64 * FLAT) as usize;
        total += *blocks.select_nth_unstable_by(at, f64::total_cmp).1;
    }
    (total / channels as f64).sqrt() / QUANTILE
}

/// The λ at which the mean squared residual of coded and refitted patches is `sigma²`, by halving a range of log λ, on at most 512
/// patches spread over the grid. It is 0 when the dictionary leaves more than that even without a penalty, and the λ from
/// which on all codes are zero when the patches themselves are smaller.
///
/// Codes are refitted on their atoms, as [`Overlap::denoise`] does. On our tessellation with noise of 0.1 and 64 atoms the
/// PSNR rose by 2.40 to 2.67 dB so, and by 2.15 to 2.44 dB with the shrunk codes (12 seeds each).
///
/// ```
/// use ergodict::{chain::Boundary, data::tessellation, linalg::Mat, patch::Window};
/// use ergodict::{factor::{Factorizer, FactorSettings}, reconstruct::{Overlap, lambda_for_noise}};
/// let image = tessellation(42, 42, false, 0)?;
/// let window = Window { rows: 4, cols: 4, boundary: Boundary::Free };
/// // Atoms of single pixels.
/// let pixels = Mat::from_fn(16, 16, |i, j| f64::from(i == j));
/// let dictionary = Factorizer::from_dictionary(FactorSettings::new(16), pixels.as_ref())?;
/// let lambda = |sigma| lambda_for_noise(&dictionary, &image, &Overlap { window, stride: 4 }, sigma);
/// assert!(lambda(0.2)? > lambda(0.1)?);
/// # Ok::<(), ergodict::Error>(())
/// ```
///
/// # Errors
/// [`Error::Parameter`] for a σ that is no positive number; as [`Overlap::reconstruct`].
pub fn lambda_for_noise<T: Scalar>(
    factorizer: &Factorizer<T>,
    grid: &impl Grid,
    overlap: &Overlap,
    sigma: f64,
) -> Result<f64> {
    if !(sigma.is_finite() && sigma > 0.0) {
        return Err(Error::parameter("the noise level", sigma, "it must be a positive number"));
    }
    overlap.check_dictionary(factorizer, grid.channels())?;
    let x = spread::<T>(overlap, grid)?;
    let (mut rebuilt, mut refit) = (Mat::zeros(0, 0), refit_of(factorizer));
    let mut excess = |lambda: f64| -> Result<f64> {
        let mut coder = with_lambda(factorizer, lambda)?;
        coder.transform(x.as_ref())?;
        coder.reconstruct(&mut rebuilt);
        refit.rebuild(coder.dictionary(), &x, coder.code(), &mut rebuilt);
        let square =
            |j: usize| x.col(j).iter().zip(rebuilt.col(j)).map(|(a, b)| (a.to_f64() - b.to_f64()).powi(2));
        let sum: f64 = (0..x.cols()).map(|j| square(j).sum::<f64>()).sum();
        Ok(sum / (x.rows() * x.cols()) as f64 - sigma * sigma)
    };
    // Beyond 2 max |Wᵀx| all codes are zero.
    let w = factorizer.dictionary();
    let dot =
        |j: usize, k: usize| x.col(j).iter().zip(w.col(k)).map(|(a, b)| a.to_f64() * b.to_f64()).sum::<f64>();
    let correlations = (0..x.cols()).flat_map(|j| (0..w.cols()).map(move |k| (j, k)));
    let largest = 2.0 * correlations.map(|(j, k)| dot(j, k).abs()).fold(0.0, f64::max);
    if largest == 0.0 || excess(largest)? <= 0.0 {
        return Ok(largest);
    }
    // From above, as codes under a λ far too small are many and slow to find.
    let mut high = largest;
    while excess(high / STEP)? > 0.0 {
        high /= STEP;
        if high < largest * SMALLEST {
            return Ok(0.0);
        }
    }
    let (mut low, mut high) = ((high / STEP).ln(), high.ln());
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(low, high);
        if excess(middle.exp())? > 0.0 {
            high = middle;
        } else {
            low = middle;
        }
    }
    Ok(low.exp())
}

/// Patches at corners spread evenly, but not in step with a texture: the multiples of two irrational numbers.
fn spread<T: Scalar>(overlap: &Overlap, grid: &impl Grid) -> Result<Mat<T>> {
    let (rows, cols) = overlap.corners(grid.shape())?;
    let count = SAMPLE.min(rows.len() * cols.len());
    let mut x = Mat::zeros(overlap.window.features(grid.channels()), count);
    for j in 0..count {
        // The powers of the plastic number's inverse, which fill a square most evenly.
        let place = |step: f64, sides: &[usize]| {
            let share = (0.5 + step * j as f64).fract();
            sides[((share * sides.len() as f64) as usize).min(sides.len() - 1)]
        };
        let corner = (place(0.754_877_666_246_693, &rows), place(0.569_840_290_998_053, &cols));
        overlap.window.copy(grid, corner, x.col_mut(j));
    }
    Ok(x)
}

/// That atoms cannot make an image but for its noise, if so: even without a penalty they leave out more.
///
/// ```
/// use ergodict::reconstruct::denoising_warning;
/// assert!(denoising_warning(0.0, 0.1).is_some() && denoising_warning(0.2, 0.1).is_none());
/// ```
pub fn denoising_warning(lambda: f64, sigma: f64) -> Option<Note> {
    let hint = |setting, value: &str| Hint { setting, value: value.to_owned() };
    let text = "even without a penalty the atoms leave out more than the noise: learn more of them, smaller ones, or of both signs ({} {})";
    let hints = vec![hint("dictionary", "ball"), hint("code", "free")];
    (lambda == 0.0 && sigma > 0.0).then(|| Note::hinting_all(text, hints))
}
