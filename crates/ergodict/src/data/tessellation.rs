//! The image of the demo: a periodic tiling of the plane by fish, two colors with two textures, drawn by formula.
//!
//! Squares of a chessboard are bent into fish. With the curves `g(y) = −n sin πy` for upright edges (nose and tail of
//! one row point left, of the next right) and `h(x) = a sin 2πx + b sin 4πx` for level ones (back and belly), a point
//! is in the square `(⌊x − g(y)⌋, ⌊y − h(x)⌋)`. The edges meet in the corners of the chessboard alone as long as
//! `max|g'| · max|h'| < 1`, so that every bent square is one piece. Half-turns about the corners keep the picture (its
//! wallpaper group is p2); those about the middles of level edges keep the outlines and exchange the two kinds of fish.

use super::Image;
use super::image::luma;
use crate::rng::{Purpose, below, ids, normal, stream, uniform};
use crate::{Error, Result};
use std::f64::consts::{PI, TAU};
use std::path::Path;

/// Pixels of a square's side, about: a 10×10 patch then sees an eye, an edge, or a bit of texture.
const SIDE: f64 = 48.0;

/// Samples along each side of a pixel, whose mean it takes: smooth edges.
const SAMPLES: usize = 4;

/// Ink, dark body, its stripes, light body: red, green, blue.
const PALETTES: [[[f64; 3]; 4]; 4] = [
    [[0.11, 0.07, 0.15], [0.34, 0.20, 0.46], [0.80, 0.68, 0.88], [0.95, 0.93, 0.88]],
    [[0.15, 0.07, 0.06], [0.62, 0.20, 0.14], [0.95, 0.70, 0.45], [0.95, 0.91, 0.80]],
    [[0.05, 0.12, 0.10], [0.10, 0.36, 0.28], [0.64, 0.82, 0.58], [0.97, 0.92, 0.72]],
    [[0.10, 0.09, 0.16], [0.12, 0.33, 0.45], [0.62, 0.80, 0.80], [0.96, 0.90, 0.76]],
];

/// A tessellation of `rows × cols` pixels, gray or in color. The seed chooses palette, outlines and textures; the
/// same seed gives the same image. The tiling goes on across opposite edges: the image is one of a torus.
///
/// ```
/// let image = ergodict::data::tessellation(84, 126, true, 0)?;
/// assert_eq!((image.shape(), image.channels()), ((84, 126), 3));
/// # Ok::<(), ergodict::Error>(())
/// ```
///
/// # Errors
/// As [`Image::new`]: for no pixels, or too many.
pub fn tessellation(rows: usize, cols: usize, color: bool, seed: u64) -> Result<Image> {
    let channels = if color { 3 } else { 1 };
    // Before anything is drawn: is there room for all of them?
    Image::check(rows, cols)?;
    let design = Design::from_seed(seed);
    // Two squares are the period of the colors and of the directions.
    let squares = |pixels: usize| (pixels as f64 / (2.0 * SIDE)).round().max(1.0) * 2.0;
    let (high, wide) = (squares(rows), squares(cols));
    let at = |pixel: usize, sample: usize, pixels: usize, squares: f64| {
        (pixel as f64 + (sample as f64 + 0.5) / SAMPLES as f64) / pixels as f64 * squares
    };
    let mut values = Vec::with_capacity(rows * cols * channels);
    for row in 0..rows {
        for col in 0..cols {
            let mut sum = [0.0; 3];
            for sample in 0..SAMPLES * SAMPLES {
                let x = at(col, sample % SAMPLES, cols, wide);
                let y = at(row, sample / SAMPLES, rows, high);
                let shade = design.shade(x, y);
                sum.iter_mut().zip(shade).for_each(|(sum, c)| *sum += c);
            }
            let pixel = sum.map(|c| c / (SAMPLES * SAMPLES) as f64);
            if color {
                values.extend(pixel.map(|c| c as f32));
            } else {
                values.push(luma(pixel) as f32);
            }
        }
    }
    Image::new((rows, cols), channels, values)
}

/// Names of the embedded images.
pub const EMBEDDED_IMAGES: [&str; 2] = ["@tessellation", "@tessellation-noisy"];

/// Pixels a side of the embedded images.
const EMBEDDED_SIDE: usize = 240;

/// Standard deviation of the noise on the noisy one, where white is 1.
const EMBEDDED_NOISE: f64 = 0.1;

/// An embedded image by its name, one of [`EMBEDDED_IMAGES`]: a tessellation of 240×240 pixels, as it is or with independent normal noise of
/// standard deviation 0.1 on every value. It is the same whatever the seed of a run, as a file would be.
///
/// ```
/// use ergodict::data::{EMBEDDED_IMAGES, embedded_image};
/// let image = embedded_image(EMBEDDED_IMAGES[0], false)?;
/// assert_eq!((image.shape(), image.channels()), ((240, 240), 1));
/// # Ok::<(), ergodict::Error>(())
/// ```
///
/// # Errors
/// [`Error::Format`] for another name.
pub fn embedded_image(name: &str, color: bool) -> Result<Image> {
    let image = tessellation(EMBEDDED_SIDE, EMBEDDED_SIDE, color, 0)?;
    match name {
        "@tessellation" => Ok(image),
        "@tessellation-noisy" => {
            let mut rng = stream(0, Purpose::Synthetic, ids::NOISE);
            let noisy = |v: &f32| v + (EMBEDDED_NOISE * normal(&mut rng)) as f32;
            Image::new(image.shape(), image.channels(), image.values().iter().map(noisy).collect())
        }
        _ => {
            let problem = format!(
                "there is no embedded image of that name: they are {}",
                EMBEDDED_IMAGES.join(" and ")
            );
            Err(Error::format(Path::new(name), None, problem))
        }
    }
}

/// What the seed chooses.
struct Design {
    /// `a` and `b`.
    back: [f64; 2],
    /// `n`.
    nose: f64,
    /// Stripes of a dark fish, and dots of a light one, to a square's side.
    stripes: f64,
    dots: f64,
    palette: [[f64; 3]; 4],
}

impl Design {
    fn from_seed(seed: u64) -> Self {
        let mut rng = stream(seed, Purpose::Synthetic, ids::TESSELLATION);
        let palette = PALETTES[below(&mut rng, PALETTES.len() as u64) as usize];
        let mut between = |low: f64, high: f64| low + (high - low) * uniform(&mut rng);
        // At the ends of these ranges max|g'|·max|h'| is 0.22π · 2π(0.15 + 2·0.03) = 0.91.
        let (back, nose) = ([between(0.12, 0.15), between(0.01, 0.03)], between(0.19, 0.22));
        let (stripes, dots) = (between(6.0, 7.0), between(5.0, 6.0));
        Self { back, nose, stripes, dots, palette }
    }

    /// The color of a point, whose coordinates are counted in squares.
    fn shade(&self, x: f64, y: f64) -> [f64; 3] {
        let [a, b] = self.back;
        let u = x + self.nose * (PI * y).sin();
        let v = y - a * (TAU * x).sin() - b * (2.0 * TAU * x).sin();
        let (i, j) = (u.floor(), v.floor());
        let [ink, deep, pale, paper] = self.palette;
        let to_edge = (u - i).min(1.0 + i - u).min(v - j).min(1.0 + j - v);
        if to_edge < 0.022 {
            return ink;
        }
        let odd = |n: f64| n.rem_euclid(2.0) > 0.5;
        let dark = !odd(i + j);
        // Seen from the middle of the fish, nose to the left.
        let turn = if odd(j) { -1.0 } else { 1.0 };
        let (x, y) = (turn * (x - i - 0.5), turn * (y - j - 0.5));
        let from = |a: f64, b: f64| (x - a).hypot(y - b);
        let mark = if dark { pale } else { ink };
        let body = if dark { deep } else { paper };
        let (eye, gill) = (from(-0.36, 0.03), from(-0.62, 0.06));
        match eye {
            ..0.045 => return ink,
            ..0.085 => return paper,
            ..0.105 => return ink,
            _ => {}
        }
        let marked = if gill < 0.476 {
            gill > 0.444
        } else if dark {
            (self.stripes * from(-1.1, 0.05)).rem_euclid(1.0) < 0.4
        } else {
            let row = (self.dots * y).floor();
            let shift = if odd(row) { 0.0 } else { 0.5 };
            let across = (self.dots * x + shift).rem_euclid(1.0) - 0.5;
            across.hypot(self.dots * y - row - 0.5) < 0.274
        };
        if marked { mark } else { body }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_image_and_others_give_others() {
        let image = |seed| tessellation(60, 90, true, seed).unwrap();
        assert_eq!(image(3), image(3));
        assert!((0..4).any(|seed| image(seed) != image(seed + 1)));
        assert!(image(0).values().iter().all(|v| (0.0..=1.0).contains(v)));
    }

    #[test]
    fn the_tiling_repeats_every_two_squares_and_across_the_edges() {
        // 192 pixels are four squares of 48: two periods, of which each half is the image of 96 pixels.
        let (one, four) =
            (tessellation(96, 96, false, 1).unwrap(), tessellation(192, 192, false, 1).unwrap());
        for row in 0..192 {
            for col in 0..192 {
                let (a, b) = (four.values()[row * 192 + col], one.values()[row % 96 * 96 + col % 96]);
                // Points on an edge may fall on either side of it by rounding.
                assert!((a - b).abs() < 0.15, "{row} {col}: {a} {b}");
            }
        }
    }

    #[test]
    fn gray_is_the_luma_of_color_and_both_colors_are_there() {
        let (gray, color) = (tessellation(96, 96, false, 0).unwrap(), tessellation(96, 96, true, 0).unwrap());
        for (gray, c) in gray.values().iter().zip(color.values().chunks(3)) {
            assert!((f64::from(*gray) - luma([c[0], c[1], c[2]].map(f64::from))).abs() < 1e-6);
        }
        let light = gray.values().iter().filter(|v| **v > 0.5).count() as f64 / 96.0 / 96.0;
        assert!((0.3..0.7).contains(&light), "{light}");
    }

    #[test]
    fn images_without_pixels_or_with_too_many_are_refused() {
        for (rows, cols) in [(0, 5), (5, 0), (usize::MAX, 2), (1 << 20, 1 << 20)] {
            assert!(tessellation(rows, cols, false, 0).is_err());
        }
        assert_eq!(tessellation(1, 1, false, 0).unwrap().values().len(), 1);
    }
}
