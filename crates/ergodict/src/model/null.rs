//! Whether a network changed beyond its volume: change scores against those of permuted times.
//!
//! | symbol | here |
//! |---|---|
//! | `c_i⁽⁰⁾`, the change score of window `i`; `c_i⁽ᵇ⁾`, that of a run through permuted times, `b = 1 … B` | `observed`, `permuted` of [`test`] |
//! | `z_i⁽ᵇ⁾ = (c_i⁽ᵇ⁾ − mean_i) / sd_i`, mean and standard deviation over all `B + 1` runs | `standardized` |
//! | `M⁽ᵇ⁾ = max_i z_i⁽ᵇ⁾` | `maxima` |
//! | `p_i = (1 + #{b ≥ 1 : M⁽ᵇ⁾ ≥ z_i⁽⁰⁾}) / (B + 1)` | [`NullBand::p_value`] |
//! | changed: `p_i ≤ 0.05` | [`NullBand::changed`] |
//!
//! If edges have no times of their own, all `B + 1` runs are exchangeable, and so are their maxima: the chance that any window of a run is called changed
//! is at most 0.05, however the scores of windows depend on each other and on their volumes (Westfall and Young 1993). A score that a run lacks, because
//! it passed a window over, has no part in its maximum, whichever run it is: a run without any score is smaller than all, also the observed one.

use super::WindowRecord;
use serde::{Deserialize, Serialize};

/// The chance that any window of a network without change is called changed is at most this.
pub(crate) const LEVEL: f64 = 0.05;

/// Fewest permutations that can call a window changed.
pub(crate) const FEWEST_PERMUTATIONS: u64 = 19;

/// What permuted times say of a window.
///
/// ```
/// use ergodict::model::NullBand;
/// let band = NullBand { low: -0.01, high: 0.14, critical: 0.2, p_value: 1.0 / 21.0 };
/// assert!(band.changed());
/// ```
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct NullBand {
    /// The smallest score of permuted times.
    pub low: f64,
    /// The largest.
    pub high: f64,
    /// The score beyond which the window is called changed.
    pub critical: f64,
    /// The p-value of the score, adjusted for all windows.
    pub p_value: f64,
}

impl NullBand {
    /// Whether the window changed beyond its volume.
    pub fn changed(&self) -> bool {
        self.p_value <= LEVEL
    }
}

/// Compares the scores of windows with those of runs through permuted times, and says in each window what came of it.
pub(crate) fn test(windows: &mut [WindowRecord], permuted: &[Vec<Option<f64>>]) {
    let observed: Vec<Option<f64>> =
        windows.iter().map(|window| window.change.map(|change| change.value)).collect();
    let score = |run: &[Option<f64>], at: usize| run.get(at).copied().flatten();
    let runs: Vec<&[Option<f64>]> =
        std::iter::once(&observed[..]).chain(permuted.iter().map(|run| &run[..])).collect();
    let mut standardized = vec![vec![None; windows.len()]; runs.len()];
    for at in 0..windows.len() {
        let all: Vec<f64> = runs.iter().filter_map(|run| score(run, at)).collect();
        let (mean, deviation) = moments(&all);
        for (run, z) in runs.iter().zip(&mut standardized) {
            // Where all are the same, none stands out.
            let scaled = |value: f64| if deviation > 0.0 { (value - mean) / deviation } else { 0.0 };
            z[at] = score(run, at).map(scaled);
        }
    }
    let maximum = |z: &Vec<Option<f64>>| z.iter().flatten().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut maxima: Vec<f64> = standardized.iter().skip(1).map(maximum).collect();
    maxima.sort_unstable_by(|a, b| b.total_cmp(a));
    let all = permuted.len() as f64 + 1.0;
    // As many maxima may be as large as a score that is called changed.
    let allowed = ((LEVEL * all) as usize).checked_sub(1);
    let limit = allowed.and_then(|allowed| maxima.get(allowed)).copied().unwrap_or(f64::INFINITY);
    for (at, window) in windows.iter_mut().enumerate() {
        let Some(z) = standardized[0][at] else { continue };
        let others: Vec<f64> = permuted.iter().filter_map(|run| score(run, at)).collect();
        let (mean, deviation) = moments(&others);
        let (n, square) = (others.len() as f64 + 1.0, limit * limit);
        // The score c with (c − mean of all) / deviation of all = limit, where all are the others and c.
        let room = n - 1.0 - square;
        let critical = if room > 0.0 { mean + limit * deviation * (n / room).sqrt() } else { f64::INFINITY };
        let larger = maxima.iter().filter(|maximum| **maximum >= z).count();
        window.null = (!others.is_empty()).then(|| NullBand {
            low: others.iter().copied().fold(f64::INFINITY, f64::min),
            high: others.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            critical: critical.min(f64::MAX),
            p_value: (1.0 + larger as f64) / all,
        });
    }
}

/// The mean and the standard deviation of numbers.
fn moments(all: &[f64]) -> (f64, f64) {
    let n = all.len() as f64;
    let mean = all.iter().sum::<f64>() / n;
    (mean, (all.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ValueWithError;
    use crate::rng::{Purpose, normal, stream};

    fn windows(scores: &[Option<f64>]) -> Vec<WindowRecord> {
        let change = |value| ValueWithError { value, standard_error: 0.0 };
        scores
            .iter()
            .map(|score| WindowRecord { change: score.map(change), ..WindowRecord::default() })
            .collect()
    }

    /// Windows of scores with different scatters, the first run of which is tested against the others.
    fn tested(repeat: u64, permutations: usize, more: f64) -> Vec<WindowRecord> {
        let mut rng = stream(repeat, Purpose::Synthetic, 0);
        let mut run = || -> Vec<Option<f64>> {
            let common = normal(&mut rng);
            let score = |at: u32| {
                let size = 4.0_f64.powi(at as i32);
                Some(size * (3.0 + common + normal(&mut rng).powi(3)))
            };
            (0..8).map(score).collect()
        };
        let mut observed = run();
        observed[5] = observed[5].map(|score| score + more * 4.0_f64.powi(5));
        let permuted: Vec<_> = (0..permutations).map(|_| run()).collect();
        let mut windows = windows(&observed);
        test(&mut windows, &permuted);
        windows
    }

    fn changed(windows: &[WindowRecord]) -> Vec<usize> {
        let is = |window: &WindowRecord| window.null.is_some_and(|null| null.changed());
        (0..windows.len()).filter(|at| is(&windows[*at])).collect()
    }

    #[test]
    fn exchangeable_runs_are_called_changed_as_rarely_as_promised() {
        for (permutations, chance) in
            [(19, 1.0_f64 / 20.0), (20, 1.0 / 21.0), (39, 1.0 / 20.0), (50, 2.0 / 51.0)]
        {
            let repeats = 2000;
            let found =
                (0..repeats).filter(|at| !changed(&tested(*at, permutations, 0.0)).is_empty()).count();
            let (mean, deviation) = (chance * 2000.0, (chance * (1.0 - chance) * 2000.0).sqrt());
            assert!((found as f64 - mean).abs() < 5.0 * deviation, "{permutations}: {found} of {repeats}");
        }
    }

    #[test]
    fn a_large_change_is_found_where_it_is() {
        let found = (0..200).filter(|at| changed(&tested(*at, 20, 1000.0)).contains(&5)).count();
        assert!(found > 190, "{found}");
    }

    #[test]
    fn the_critical_score_is_where_the_verdict_turns() {
        for repeat in 0..200 {
            for window in tested(repeat, 20, 20.0) {
                let (score, null) = (window.change.unwrap().value, window.null.unwrap());
                assert_eq!(score > null.critical, null.changed(), "{score} {null:?}");
                assert!(null.low <= null.high);
            }
        }
    }

    #[test]
    fn too_few_permutations_missing_scores_and_equal_ones_call_nothing_changed() {
        assert_eq!(changed(&tested(0, 18, 1e6)), [0; 0]);
        let mut all = windows(&[None, Some(5.0), Some(1.0)]);
        let permuted: Vec<Vec<Option<f64>>> =
            (0..20).map(|b| vec![Some(1.0), None, (b % 3 > 0).then_some(1.0)]).collect();
        test(&mut all, &permuted);
        assert_eq!((all[0].null, all[1].null, changed(&all)), (None, None, vec![]));
        // Runs that lack the score have others, also of windows that the observed run lacks.
        assert_eq!(all[2].null.unwrap().p_value, 1.0);
        test(&mut [], &permuted);
    }
}
