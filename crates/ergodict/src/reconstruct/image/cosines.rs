//! The first dictionary of denoising: cosines, as many as are asked for, by frequency.

use crate::linalg::Mat;
use crate::patch::Window;

/// What a channel has of each direction of color: gray, red against blue, green against both.
const COLORS: [[f64; 3]; 3] = [[1.0, 1.0, 1.0], [1.0, 0.0, -1.0], [1.0, -2.0, 1.0]];

/// Colors vary more slowly than gray: they are ordered as if their frequencies were higher by this factor.
const COLOR_FREQUENCY: f64 = 2.0;

/// Products of cosines along both axes, finer than an orthogonal basis where more atoms than pixels are asked for, lowest frequencies
/// first, each without its mean and of norm one. What is constant is left out: windows have at least two pixels.
pub(super) fn cosines(window: Window, channels: usize, atoms: usize) -> Mat<f32> {
    let flat = window.rows.min(window.cols) == 1;
    let frequencies = if flat { atoms + 1 } else { ((atoms + 1) as f64).sqrt().ceil() as usize };
    let along = |side: usize| -> Vec<Vec<f64>> {
        // Along a single pixel there is nothing but the constant.
        (0..if side == 1 { 1 } else { frequencies.max(side) })
            .map(|k| {
                let turn = std::f64::consts::PI * k as f64 / frequencies.max(side) as f64;
                let wave: Vec<f64> = (0..side).map(|i| (turn * (i as f64 + 0.5)).cos()).collect();
                let mean = if k == 0 { 0.0 } else { wave.iter().sum::<f64>() / side as f64 };
                wave.iter().map(|w| w - mean).collect()
            })
            .collect()
    };
    let (down, across) = (along(window.rows), along(window.cols));
    let colors = if channels == 3 { &COLORS[..] } else { &COLORS[..1] };
    let mut all: Vec<(f64, usize, usize, &[f64; 3])> = Vec::new();
    for u in 0..down.len() {
        for v in 0..across.len() {
            for (c, color) in colors.iter().enumerate() {
                let frequency = (u as f64 / down.len() as f64).hypot(v as f64 / across.len() as f64);
                all.push((frequency * if c == 0 { 1.0 } else { COLOR_FREQUENCY }, u, v, color));
            }
        }
    }
    all.retain(|&(frequency, ..)| frequency > 0.0);
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut w = Mat::zeros(window.features(channels), atoms);
    for (k, &(_, u, v, color)) in all.iter().take(atoms).enumerate() {
        let place = |i: usize| {
            let (pixel, channel) = (i / channels, i % channels);
            down[u][pixel / window.cols] * across[v][pixel % window.cols] * color[channel]
        };
        let norm = (0..w.rows()).map(|i| place(i).powi(2)).sum::<f64>().sqrt();
        let atom = w.col_mut(k);
        (0..atom.len()).for_each(|i| atom[i] = (place(i) / norm) as f32);
    }
    w
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::Boundary;

    #[test]
    fn atoms_have_norm_one_and_no_mean_in_any_channel() {
        for (rows, cols, channels, atoms) in [
            (8, 8, 1, 256),
            (8, 8, 3, 256),
            (3, 5, 1, 40),
            (6, 4, 3, 10),
            (1, 8, 1, 256),
            (8, 1, 3, 300),
            (2, 1, 1, 9),
            (1, 2, 1, 1),
            (40, 1, 1, 5),
        ] {
            let w = cosines(Window { rows, cols, boundary: Boundary::Free }, channels, atoms);
            assert_eq!((w.rows(), w.cols()), (rows * cols * channels, atoms));
            for k in 0..atoms {
                let norm: f64 = w.col(k).iter().map(|w| f64::from(*w).powi(2)).sum();
                assert!((norm - 1.0).abs() < 1e-5, "{norm} of {k}");
                for c in 0..channels {
                    let mean: f64 = w.col(k).iter().skip(c).step_by(channels).map(|w| f64::from(*w)).sum();
                    assert!(mean.abs() < 1e-5, "{mean} of {k}");
                }
            }
        }
    }

    #[test]
    fn the_first_atoms_are_the_lowest_frequencies_colors_at_twice_theirs() {
        let w = cosines(Window { rows: 4, cols: 4, boundary: Boundary::Free }, 3, 11);
        // Waves down and across, and the color.
        let waves = [
            (0, 1, 0),
            (1, 0, 0),
            (1, 1, 0),
            (0, 1, 1),
            (0, 1, 2),
            (0, 2, 0),
            (1, 0, 1),
            (1, 0, 2),
            (2, 0, 0),
            (1, 2, 0),
            (2, 1, 0),
        ];
        for (k, (u, v, color)) in waves.into_iter().enumerate() {
            let cosine = |turns: usize, at: usize| {
                (std::f64::consts::PI * turns as f64 * (at as f64 + 0.5) / 4.0).cos()
            };
            let wave: Vec<f64> = (0..48)
                .map(|at| cosine(u, at / 12) * cosine(v, at / 3 % 4) * COLORS[color][at % 3])
                .collect();
            let norm = wave.iter().map(|x| x * x).sum::<f64>().sqrt();
            let apart =
                w.col(k).iter().zip(&wave).map(|(w, x)| (f64::from(*w) - x / norm).abs()).fold(0.0, f64::max);
            assert!(apart < 1e-6, "atom {k}");
        }
        // As many as an orthogonal basis has but for the constant.
        let w = cosines(Window { rows: 4, cols: 4, boundary: Boundary::Free }, 1, 15);
        for (j, k) in (0..15).flat_map(|k| (0..k).map(move |j| (j, k))) {
            let product: f32 = w.col(j).iter().zip(w.col(k)).map(|(a, b)| a * b).sum();
            assert!(product.abs() < 1e-6, "{j}, {k}: {product}");
        }
    }
}
