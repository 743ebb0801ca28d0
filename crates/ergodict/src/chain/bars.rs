//! Bars that switch on and off: a chain of pictures whose true atoms and stationary law are known.
//!
//! A picture of p×p pixels is a superposition of p horizontal and p vertical bars (Földiák, 1990). Every bar switches
//! lazily by itself, so neighboring pictures are nearly the same, while pictures far apart are independent: dependent
//! data of which everything is known.
//!
//! | symbol | here | what |
//! |---|---|---|
//! | `Y_t` | [`BarsState`] | brightness of each bar, 0 where it is off |
//! | `P(off, on)`, `P(on, off)` | [`Bars::on`], [`Bars::off`] | the two-state chain of every bar |
//! | `π(on) = on/(on+off)` | [`Bars::occupancy`] | stationary; the bars are independent |
//! | `ρ = 1 − on − off` | in [`Bars::autocorrelation_time`] | correlation of a bar's switch with itself a step later |
//! | `X_t = φ(Y_t)` | [`Bars::picture`] | the pixels, row by row |
//! | the true `W` | [`Bars::bar`] | one atom a bar |

use super::Chain;
use crate::linalg::Scalar;
use crate::rng::uniform;
use crate::{Error, Result};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// Brightness of a bar that is on: uniform from the first to below the second, redrawn at each switching on.
pub(crate) const BRIGHTNESS: (f64, f64) = (0.5, 1.5);

/// The chain of 2p bars on p×p pixels.
///
/// Every bar switches by itself, a two-state chain with `π(on) = on/(on + off)`; a picture is the sum of the bars that are on.
///
/// ```
/// use ergodict::{chain::{Bars, Chain}, rng};
/// let bars = Bars::new(8, 0.01, 0.07, 0.0)?;
/// let mut rng = rng::stream(0, rng::Purpose::Chain, 0);
/// let mut state = bars.init(&mut rng);
/// bars.step(&mut state, &mut rng);
/// let mut picture = [0.0; 64];
/// bars.picture(&state, &mut rng, &mut picture);
/// assert_eq!(picture[0], state.brightness[0] + state.brightness[8]);
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Bars {
    side: usize,
    on: f64,
    off: f64,
    noise: f64,
}

/// Which bars are on, and how bright.
///
/// ```
/// use ergodict::chain::BarsState;
/// let state = BarsState { brightness: vec![0.0, 1.2, 0.0, 0.7] }; // two rows, two columns
/// assert_eq!(state.lit(), 2);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BarsState {
    /// Brightness of each bar, 0 where it is off: the p rows from the top, then the p columns from the left.
    pub brightness: Vec<f64>,
}

impl BarsState {
    /// How many bars are on.
    pub fn lit(&self) -> usize {
        self.brightness.iter().filter(|b| **b > 0.0).count()
    }
}

impl Bars {
    /// Bars on `side × side` pixels. In each step a bar that is off goes on with probability `on`, one that is on goes
    /// off with probability `off`. Pixels carry independent noise, uniform in `[−noise, noise)`.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a side of 0, probabilities outside `(0, 1]`, or negative noise.
    pub fn new(side: usize, on: f64, off: f64, noise: f64) -> Result<Self> {
        if side == 0 {
            return Err(Error::parameter("the side of the picture", 0, "it must be at least one pixel"));
        }
        for (name, p) in [("the probability of switching on", on), ("the probability of switching off", off)]
        {
            if !(p > 0.0 && p <= 1.0) {
                return Err(Error::parameter(name, p, "it must be in (0, 1]"));
            }
        }
        if !(noise.is_finite() && noise >= 0.0) {
            return Err(Error::parameter("the noise", noise, "it must be a number that is not negative"));
        }
        Ok(Self { side, on, off, noise })
    }

    /// Number of bars, 2p.
    pub fn count(&self) -> usize {
        2 * self.side
    }

    /// Stationary probability that a bar is on.
    pub(crate) fn occupancy(&self) -> f64 {
        self.on / (self.on + self.off)
    }

    /// Exact integrated autocorrelation time `(1+ρ)/(1−ρ)`, `ρ = 1 − on − off`, of the number of bars that are on.
    pub fn autocorrelation_time(&self) -> f64 {
        (2.0 - self.on - self.off) / (self.on + self.off)
    }

    /// Whether bar `k` covers pixel `pixel`.
    fn covers(&self, k: usize, pixel: usize) -> bool {
        let (row, column) = (pixel / self.side, pixel % self.side);
        if k < self.side { row == k } else { column == k - self.side }
    }

    /// Bar `k` as an atom of norm one: the true atoms behind the pictures.
    pub fn bar(&self, k: usize) -> Vec<f64> {
        let level = 1.0 / (self.side as f64).sqrt();
        (0..self.side * self.side).map(|pixel| if self.covers(k, pixel) { level } else { 0.0 }).collect()
    }

    /// Writes the picture of a state, row by row, into `column` of p² numbers; a pixel where bars cross gets the sum
    /// of both. Without noise the generator is not touched.
    pub fn picture<T: Scalar>(&self, state: &BarsState, rng: &mut ChaCha8Rng, column: &mut [T]) {
        let (rows, columns) = state.brightness.split_at(self.side);
        for (pixels, row) in column.chunks_exact_mut(self.side).zip(rows) {
            for (pixel, column) in pixels.iter_mut().zip(columns) {
                let noise = if self.noise > 0.0 { self.noise * (2.0 * uniform(rng) - 1.0) } else { 0.0 };
                *pixel = T::from_f64(row + column + noise);
            }
        }
    }
}

impl Chain for Bars {
    type State = BarsState;
    /// How many bars switched.
    type Info = usize;

    /// A draw from the stationary law.
    fn init(&self, rng: &mut ChaCha8Rng) -> BarsState {
        let draw = |_| if uniform(rng) < self.occupancy() { brightness(rng) } else { 0.0 };
        BarsState { brightness: (0..self.count()).map(draw).collect() }
    }

    fn step(&self, state: &mut BarsState, rng: &mut ChaCha8Rng) -> usize {
        let mut switched = 0;
        for bar in &mut state.brightness {
            let lit = *bar > 0.0;
            if uniform(rng) < if lit { self.off } else { self.on } {
                *bar = if lit { 0.0 } else { brightness(rng) };
                switched += 1;
            }
        }
        switched
    }
}

fn brightness(rng: &mut ChaCha8Rng) -> f64 {
    BRIGHTNESS.0 + (BRIGHTNESS.1 - BRIGHTNESS.0) * uniform(rng)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::diagnostics::Mixing;
    use crate::rng::{Purpose, stream};

    fn chi_squared(observed: &[f64], law: &[f64]) -> f64 {
        let total: f64 = observed.iter().sum();
        observed.iter().zip(law).map(|(o, p)| (o - total * p).powi(2) / (total * p)).sum()
    }

    #[test]
    fn every_bar_switches_by_its_exact_law_and_keeps_its_brightness_meanwhile() {
        let bars = Bars::new(8, 0.03, 0.2, 0.0).unwrap();
        let mut rng = stream(5, Purpose::Chain, 0);
        let mut state = bars.init(&mut rng);
        let mut counts = [[0.0; 2]; 2];
        let mut bins = [0.0; 8];
        for _ in 0..20_000 {
            let before = state.clone();
            let switched = bars.step(&mut state, &mut rng);
            let mut changed = 0;
            for (&from, &to) in before.brightness.iter().zip(&state.brightness) {
                counts[usize::from(from > 0.0)][usize::from(to > 0.0)] += 1.0;
                if from == 0.0 && to > 0.0 {
                    bins[((to - BRIGHTNESS.0) / (BRIGHTNESS.1 - BRIGHTNESS.0) * 8.0) as usize] += 1.0;
                }
                assert!(from == 0.0 || to == 0.0 || from == to, "brightness changed while on");
                changed += usize::from(from != to);
            }
            assert_eq!(changed, switched);
        }
        // Given the state before, the switches are independent draws.
        let chi2 = chi_squared(&counts[0], &[0.97, 0.03]) + chi_squared(&counts[1], &[0.2, 0.8]);
        assert!(chi2 < 13.8, "chi² {chi2} over the 0.999 quantile for 2 degrees of freedom");
        let chi2 = chi_squared(&bins, &[0.125; 8]);
        assert!(chi2 < 24.3, "chi² {chi2} over the 0.999 quantile for 7 degrees of freedom");
    }

    #[test]
    fn the_stationary_law_is_kept_exactly_and_met_in_the_long_run() {
        for (on, off) in [(0.03, 0.2), (0.01, 0.01), (1.0, 0.5), (0.3, 1.0)] {
            let bars = Bars::new(4, on, off, 0.0).unwrap();
            let pi = bars.occupancy();
            assert!(((1.0 - pi) * on + pi * (1.0 - off) - pi).abs() < 1e-15, "πP = π");
        }
        let bars = Bars::new(8, 0.02, 0.1, 0.0).unwrap();
        let (n, pi) = (100_000, bars.occupancy());
        let mut rng = stream(6, Purpose::Chain, 0);
        let mut state = bars.init(&mut rng);
        let lit: Vec<f64> = (0..n)
            .map(|_| {
                bars.step(&mut state, &mut rng);
                state.lit() as f64
            })
            .collect();
        let mean = lit.iter().sum::<f64>() / f64::from(n);
        let variance = lit.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / f64::from(n);
        let error = (variance / Mixing::from_series(&[&lit]).effective_sample_size).sqrt();
        assert!((mean - 16.0 * pi).abs() < 4.0 * error, "{mean} ± {error} against {}", 16.0 * pi);
        // Independent bars: the variance of the count is that of a binomial. Squares forget twice as fast as the
        // count itself; with its own time the standard error is an upper bound.
        let squares: Vec<f64> = lit.iter().map(|x| (x - 16.0 * pi).powi(2)).collect();
        let spread = squares.iter().map(|s| (s - variance).powi(2)).sum::<f64>() / f64::from(n);
        let error = (spread / Mixing::from_series(&[&lit]).effective_sample_size).sqrt();
        assert!((variance - 16.0 * pi * (1.0 - pi)).abs() < 4.0 * error, "{variance} ± {error}");
        let (tau, exact) = (Mixing::from_series(&[&lit]).autocorrelation_time, bars.autocorrelation_time());
        // Over 300 seeds the relative error had a root mean square of √(10τ/n) and a heavy tail; five of them.
        let error = (10.0 * exact / f64::from(n)).sqrt();
        assert!((tau / exact - 1.0).abs() < 5.0 * error, "{tau} vs {exact}");
    }

    #[test]
    fn the_chain_starts_in_its_stationary_law() {
        let bars = Bars::new(10, 0.1, 0.3, 0.0).unwrap();
        let mut rng = stream(7, Purpose::Chain, 0);
        let draws = 2000;
        let lit: f64 = (0..draws).map(|_| bars.init(&mut rng).lit() as f64).sum();
        let total = f64::from(draws) * 20.0;
        let chi2 = chi_squared(&[lit, total - lit], &[0.25, 0.75]);
        assert!(chi2 < 10.8, "chi² {chi2} over the 0.999 quantile for 1 degree of freedom");
    }

    #[test]
    fn a_picture_is_the_sum_of_its_bars_and_small_noise() {
        let mut rng = stream(8, Purpose::Chain, 0);
        let clean = Bars::new(5, 0.5, 0.5, 0.0).unwrap();
        let state = clean.init(&mut rng);
        let mut picture = [0.0f64; 25];
        clean.picture(&state, &mut rng, &mut picture);
        let mut sum = [0.0; 25];
        for (k, brightness) in state.brightness.iter().enumerate() {
            let bar = clean.bar(k);
            assert!((bar.iter().map(|x| x * x).sum::<f64>() - 1.0).abs() < 1e-14);
            sum.iter_mut().zip(&bar).for_each(|(s, x)| *s += brightness * x * 5f64.sqrt());
        }
        assert!(picture.iter().zip(&sum).all(|(a, b)| (a - b).abs() < 1e-14));
        let mut narrow = [0.0f32; 25];
        Bars::new(5, 0.5, 0.5, 0.1).unwrap().picture(&state, &mut rng, &mut narrow);
        let off: Vec<f64> = narrow.iter().zip(&sum).map(|(a, b)| f64::from(*a) - b).collect();
        assert!(off.iter().all(|e| e.abs() < 0.1 + 1e-6) && off.iter().any(|e| e.abs() > 0.01));
    }

    #[test]
    fn bad_parameters_are_refused() {
        for (side, on, off, noise) in [
            (0, 0.5, 0.5, 0.0),
            (4, 0.0, 0.5, 0.0),
            (4, 0.5, 1.5, 0.0),
            (4, f64::NAN, 0.5, 0.0),
            (4, 0.5, 0.5, -1.0),
            (4, 0.5, 0.5, f64::INFINITY),
        ] {
            assert!(Bars::new(side, on, off, noise).is_err(), "{side} {on} {off} {noise}");
        }
    }
}
