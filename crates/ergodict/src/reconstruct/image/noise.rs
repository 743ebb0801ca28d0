//! How strong the noise in an image is.

use crate::data::Image;
use crate::{Error, Result};

/// Side of the blocks among which the flattest are looked for, and places between them.
const BLOCK: (usize, usize) = (8, 2);

/// The share of blocks taken for flat or flatter.
const FLAT: f64 = 0.05;

/// What this quantile of the blocks' root mean squares is for noise alone of standard deviation 1: the mean over 20
/// images of 512×512, among which it went from 0.742 to 0.749.
const QUANTILE: f64 = 0.745;

/// A value that more than this share of the pixels have, and no pixel exceeds, is where values were clipped.
const CLIPPED: f64 = 1e-3;

/// Blocks with a larger share of clipped pixels than this show too little of the noise. Measured on photographs with noise of 0.1
/// and 0.2, clipped: shares of 0, 0.02 and 0.05 are within a percent of each other, without a limit estimates are 10 to 25 % too small.
const MOST_CLIPPED: f64 = 0.05;

/// Fewer blocks than this are no sample.
const FEWEST_BLOCKS: usize = 20;

/// The standard deviation of white noise in an image, estimated where the image itself is flat: of second differences
/// along both axes at once (Immerkær's mask, of norm 6, blind to planes and to edges along an axis), the root mean
/// square over 8×8 blocks, at the 5 % quantile of the blocks.
///
/// Blocks are left out where there is no noise to see: where more than a twentieth of the pixels were clipped to black or white, and where 3×3 pixels
/// are exactly equal (painted over), unless the latter are most of all: then the image has no noise but here and there.
///
/// Of flat images with noise it was within 5 % of the truth for 128×128 pixels (40 seeds), and within 17 % for 30×30 (20).
/// Texture is taken for noise where nothing is flat: see the table in the guide on images.
///
/// ```
/// use ergodict::{rng, data::Image, reconstruct::noise_level};
/// let mut random = rng::stream(0, rng::Purpose::Synthetic, 0);
/// let gray: Vec<f32> = (0..128 * 128).map(|_| (0.5 + 0.1 * rng::normal(&mut random)) as f32).collect();
/// assert!((noise_level(&Image::new((128, 128), 1, gray)?)? - 0.1).abs() < 0.01);
/// # Ok::<(), ergodict::Error>(())
/// ```
///
/// # Errors
/// [`Error::Shape`] for images of fewer than 10 rows or columns, which have no such block.
pub fn noise_level(image: &Image) -> Result<f64> {
    let ((rows, cols), channels, least) = (image.shape(), image.channels(), BLOCK.0 + 2);
    if rows < least || cols < least {
        let expected = format!("a size of at least {least}×{least}, to estimate noise without a sigma,");
        return Err(Error::shape("the image", format!("{rows}×{cols}"), expected));
    }
    let total: f64 = (0..channels).map(|channel| variance(image, channel)).sum();
    Ok((total / channels as f64).sqrt() / QUANTILE)
}

/// The quantile of the blocks' mean squares in one channel.
fn variance(image: &Image, channel: usize) -> f64 {
    let ((rows, cols), channels, values) = (image.shape(), image.channels(), image.values());
    let (side, step) = BLOCK;
    let (high, wide) = (rows - 2, cols - 2);
    let pixel = |i: usize, j: usize| values[(i * cols + j) * channels + channel];
    let at = |i: usize, j: usize| f64::from(pixel(i, j));
    let clipped = clipping(&values.iter().skip(channel).step_by(channels).copied());
    let (mut squares, mut still) = (vec![0.0; high * wide], vec![false; high * wide]);
    for (place, square) in squares.iter_mut().enumerate() {
        let (i, j) = (place / wide, place % wide);
        let along = |i: usize| at(i, j) - 2.0 * at(i, j + 1) + at(i, j + 2);
        *square = (along(i) - 2.0 * along(i + 1) + along(i + 2)).powi(2) / 36.0;
        still[place] = *square == 0.0 && (0..9).all(|k| pixel(i + k / 3, j + k % 3) == pixel(i, j));
    }
    let most = MOST_CLIPPED * ((side + 2) * (side + 2)) as f64;
    // Of each block the mean square, whether it shows the noise, and whether something was painted over in it.
    let mut blocks = Vec::new();
    for i in (0..=high - side).step_by(step) {
        for j in (0..=wide - side).step_by(step) {
            let row = |k: usize| squares[(i + k) * wide + j..][..side].iter().sum::<f64>();
            let square = (0..side).map(row).sum::<f64>() / (side * side) as f64;
            let bound = |k: usize| {
                let pixels = (j..j + side + 2).map(|j| pixel(i + k, j));
                pixels.filter(|v| clipped.contains(&Some(*v))).count()
            };
            let shown = (0..side + 2).map(bound).sum::<usize>() as f64 <= most;
            let painted = (0..side).any(|k| still[(i + k) * wide + j..][..side].contains(&true));
            blocks.push((square, shown, painted));
        }
    }
    let mut shown: Vec<(f64, bool)> =
        blocks.iter().filter(|block| block.1).map(|&(square, _, painted)| (square, painted)).collect();
    if shown.len() < FEWEST_BLOCKS.min(blocks.len()) {
        shown = blocks.iter().map(|&(square, _, painted)| (square, painted)).collect();
    }
    let lively = shown.iter().filter(|block| !block.1).count();
    if 2 * lively > shown.len() {
        shown.retain(|block| !block.1);
    }
    let at = ((shown.len() - 1) as f64 * FLAT) as usize;
    shown.select_nth_unstable_by(at, |a, b| a.0.total_cmp(&b.0)).1.0
}

/// The smallest and the largest value, where enough pixels have it.
fn clipping(values: &(impl Iterator<Item = f32> + Clone)) -> [Option<f32>; 2] {
    let all = values.clone().count() as f64;
    let ends =
        [values.clone().fold(f32::INFINITY, f32::min), values.clone().fold(f32::NEG_INFINITY, f32::max)];
    ends.map(|end| (values.clone().filter(|v| *v == end).count() as f64 > CLIPPED * all).then_some(end))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, normal, stream};

    /// Step by step, from the definition.
    fn by_definition(image: &Image) -> f64 {
        let ((rows, cols), channels) = (image.shape(), image.channels());
        let mut total = 0.0;
        for channel in 0..channels {
            let value = |i: usize, j: usize| image.values()[(i * cols + j) * channels + channel];
            let all: Vec<f32> = (0..rows * cols).map(|at| value(at / cols, at % cols)).collect();
            let is_clipped = |v: f32| {
                let an_end = all.iter().all(|other| *other >= v) || all.iter().all(|other| *other <= v);
                an_end && all.iter().filter(|other| **other == v).count() as f64 > 1e-3 * all.len() as f64
            };
            let mut blocks = Vec::new();
            for (top, left) in
                (0..rows - 9).step_by(2).flat_map(|i| (0..cols - 9).step_by(2).map(move |j| (i, j)))
            {
                let (mut sum, mut painted) = (0.0, false);
                for (i, j) in (top..top + 8).flat_map(|i| (left..left + 8).map(move |j| (i, j))) {
                    let mut difference = 0.0;
                    for (di, dj) in (0..9).map(|k| (k / 3, k % 3)) {
                        difference +=
                            [1.0, -2.0, 1.0][di] * [1.0, -2.0, 1.0][dj] * f64::from(value(i + di, j + dj));
                    }
                    sum += difference * difference / 36.0;
                    painted |= (0..9).all(|k| value(i + k / 3, j + k % 3) == value(i, j));
                }
                let bound = (0..100).filter(|k| is_clipped(value(top + k / 10, left + k % 10))).count();
                blocks.push((sum / 64.0, bound <= 5, painted));
            }
            let mut shown: Vec<_> = blocks.iter().filter(|block| block.1).collect();
            if shown.len() < 20 && shown.len() < blocks.len() {
                shown = blocks.iter().collect();
            }
            if shown.iter().filter(|block| !block.2).count() * 2 > shown.len() {
                shown.retain(|block| !block.2);
            }
            let mut squares: Vec<f64> = shown.iter().map(|block| block.0).collect();
            squares.sort_by(f64::total_cmp);
            total += squares[(0.05 * (squares.len() - 1) as f64) as usize];
        }
        (total / channels as f64).sqrt() / 0.745
    }

    #[test]
    fn levels_are_those_of_the_definition() {
        let mut rng = stream(7, Purpose::Synthetic, 0);
        let mut image = |(rows, cols): (usize, usize),
                         channels: usize,
                         change: &dyn Fn(usize, usize, f32) -> f32| {
            let mut value = |at: usize| {
                let (pixel, channel) = (at / channels, at % channels);
                let (i, j) = (pixel / cols, pixel % cols);
                let plain =
                    0.4 + 0.01 * i as f32 + 0.1 * channel as f32 + 0.2 * f32::from(u8::from(j > cols / 2));
                change(i, j, plain + 0.05 * (1 + channel) as f32 * normal(&mut rng) as f32)
            };
            let values = (0..rows * cols * channels).map(&mut value).collect();
            Image::new((rows, cols), channels, values).unwrap()
        };
        let images = [
            image((30, 41), 1, &|_, _, x| x),
            image((24, 17), 3, &|_, _, x| x),
            image((10, 10), 1, &|_, _, x| x),
            image((11, 60), 1, &|_, _, x| x),
            // Clipped on one side, here and nearly everywhere.
            image((40, 40), 1, &|_, j, x| if j < 12 { x.min(0.45) } else { x.min(0.9) }),
            image((40, 30), 3, &|_, _, x| x.min(0.5)),
            // Painted over, a part and most of it.
            image((40, 40), 1, &|i, j, x| if i < 9 && j > 20 { 0.25 } else { x }),
            image((40, 40), 1, &|i, _, x| if i < 33 { 0.25 } else { x }),
            image((30, 30), 1, &|i, j, x| {
                if (10..13).contains(&i) && (14..17).contains(&j) { 0.5 } else { x }
            }),
            // A line across, which is the first row of some blocks and the last one of others.
            image((30, 40), 1, &|i, _, x| if (10..13).contains(&i) { 0.5 } else { x }),
            image((40, 30), 1, &|_, j, x| if (17..20).contains(&j) { 0.5 } else { x }),
        ];
        for (number, image) in images.iter().enumerate() {
            let (found, exact) = (noise_level(image).unwrap(), by_definition(image));
            assert!((found - exact).abs() <= 1e-12 * exact, "{number}: {found} for {exact}");
        }
        assert!(images.iter().take(4).all(|image| noise_level(image).unwrap() > 0.01));
        for (rows, cols) in [(9, 30), (30, 9)] {
            assert!(noise_level(&Image::new((rows, cols), 1, vec![0.5; rows * cols]).unwrap()).is_err());
        }
    }
}
