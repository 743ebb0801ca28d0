//! What several runs of a case say together: curves with their spread, ends, rates, and whether the losses close in.

use super::watch::{Look, Run};
use serde::{Deserialize, Serialize};

/// A curve over time: the root mean square of all runs, and where the middle half of them lies.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Curve {
    pub(super) rms: Vec<f64>,
    pub(super) low: Vec<f64>,
    pub(super) high: Vec<f64>,
}

/// What is recorded of a case.
#[derive(Serialize, Deserialize)]
pub(super) struct CaseRecord {
    /// Times, in minibatches.
    pub(super) at: Vec<u64>,
    /// `|f̂_t(W_t) − f(W_t)|`, and what the exact variance says of it.
    pub(super) distance: Curve,
    pub(super) distance_exact: Vec<f64>,
    /// `f̂_t(W_t) − f_t(W_t)`: what old codes cost.
    pub(super) old_codes: Curve,
    /// `‖∇f(W_t) − ∇f̂_t(W_t)‖`, and what the exact variance says of it.
    pub(super) gradient: Curve,
    pub(super) gradient_exact: Vec<f64>,
    /// Stationarity gap of the expected loss.
    pub(super) gap: Curve,
    /// Largest `‖W_t − W_{t−1}‖/w_t` of all runs since the time before.
    pub(super) speed: Vec<f64>,
    /// The three losses of single runs: the first, and the first that starts in the other half.
    pub(super) losses: Vec<Losses>,
    pub(super) ends: Vec<End>,
    /// How the distance falls over the last one and a half decades.
    pub(super) rate: Rate,
    /// Smallest `λ_min(A_t)` at the end.
    pub(super) smallest: f64,
}

/// One run.
#[derive(Serialize, Deserialize)]
pub(super) struct Losses {
    pub(super) half: usize,
    pub(super) surrogate: Vec<f64>,
    pub(super) empirical: Vec<f64>,
    pub(super) expected: Vec<f64>,
    /// Its dictionary at the end.
    pub(super) atoms: Vec<Vec<f64>>,
}

/// Where a run ends.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct End {
    pub(super) surrogate: f64,
    pub(super) empirical: f64,
    pub(super) expected: f64,
    /// Exact standard deviation of the empirical loss, and that of independent pictures with weights 1/t.
    pub(super) deviation: f64,
    pub(super) reference: f64,
    pub(super) gap: f64,
}

/// An exponent, fitted and exact.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Rate {
    pub(super) fitted: f64,
    /// Its standard error, by leaving out one run after the other.
    pub(super) error: f64,
    /// Fitted in the same way to the exact standard deviation.
    pub(super) exact: f64,
}

/// Summarizes the runs of a case.
pub(super) fn summary(at: &[u64], runs: &[Run]) -> CaseRecord {
    let curve = |value: &dyn Fn(&Look) -> f64| {
        let mut curve = Curve { rms: Vec::new(), low: Vec::new(), high: Vec::new() };
        for look in 0..at.len() {
            let mut values: Vec<f64> = runs.iter().map(|run| value(&run.looks[look]).abs()).collect();
            values.sort_by(f64::total_cmp);
            curve.rms.push(short(rms(values.iter().copied())));
            curve.low.push(short(quantile(&values, 0.25)));
            curve.high.push(short(quantile(&values, 0.75)));
        }
        curve
    };
    let distance = |look: &Look| look.surrogate - look.expected;
    let across = |value: &dyn Fn(&Look) -> f64| -> Vec<f64> {
        (0..at.len()).map(|look| short(rms(runs.iter().map(|run| value(&run.looks[look]))))).collect()
    };
    let last = at.last().copied().unwrap_or(1);
    let fitted: Vec<usize> = (0..at.len()).filter(|&look| at[look] * 30 >= last).collect();
    let log = |look: usize| (at[look] as f64).ln();
    let fit = |value: &dyn Fn(&Look) -> f64, left_out: Option<usize>| {
        let kept = || runs.iter().enumerate().filter(|(number, _)| Some(*number) != left_out);
        let point = |&look: &usize| (log(look), rms(kept().map(|(_, run)| value(&run.looks[look]))).ln());
        slope(&fitted.iter().map(point).collect::<Vec<_>>())
    };
    let others: Vec<f64> = (0..runs.len()).map(|number| fit(&distance, Some(number))).collect();
    let end = |run: &Run| {
        let look = &run.looks[run.looks.len() - 1];
        End {
            surrogate: look.surrogate,
            empirical: look.empirical,
            expected: look.expected,
            deviation: look.deviation,
            reference: look.reference,
            gap: look.gap,
        }
    };
    let first = runs.first();
    let other = first.and_then(|first| runs.iter().find(|run| run.half != first.half));
    CaseRecord {
        at: at.to_vec(),
        distance: curve(&distance),
        distance_exact: across(&|look| look.deviation),
        old_codes: curve(&|look| look.surrogate - look.empirical),
        gradient: curve(&|look| look.gradient),
        gradient_exact: across(&|look| look.gradient_deviation),
        gap: curve(&|look| look.gap),
        speed: (0..at.len())
            .map(|look| short(runs.iter().map(|run| run.looks[look].speed).fold(0.0, f64::max)))
            .collect(),
        losses: first.into_iter().chain(other).map(losses).collect(),
        ends: runs.iter().map(end).collect(),
        rate: Rate {
            fitted: fit(&distance, None),
            error: jackknife(&others),
            exact: fit(&|look| look.deviation, None),
        },
        smallest: runs.iter().map(|run| run.smallest).fold(f64::INFINITY, f64::min),
    }
}

fn losses(run: &Run) -> Losses {
    let line = |value: fn(&Look) -> f64| run.looks.iter().map(|look| short(value(look))).collect();
    let atoms = run.atoms.iter().map(|atom| atom.iter().map(|x| short(*x)).collect()).collect();
    Losses {
        half: run.half,
        surrogate: line(|look| look.surrogate),
        empirical: line(|look| look.empirical),
        expected: line(|look| look.expected),
        atoms,
    }
}

impl CaseRecord {
    /// Root mean square over runs of `f̂ − f` at the end, in units of the exact standard deviation: about 1 where the theorem holds.
    /// `reference`: in units of what independent pictures with weights 1/t would leave.
    pub(super) fn excess(&self, reference: bool) -> f64 {
        let unit = |end: &End| if reference { end.reference } else { end.deviation };
        rms(self.ends.iter().map(|end| (end.surrogate - end.expected) / unit(end)))
    }

    /// The largest [`CaseRecord::excess`] that chance explains, but for one time in ten thousand.
    pub(super) fn bound(&self) -> f64 {
        (chi_square(self.ends.len()) / self.ends.len() as f64).sqrt()
    }

    /// Mean and standard error over runs of a number at the end.
    pub(super) fn mean(&self, value: impl Fn(&End) -> f64) -> (f64, f64) {
        let values: Vec<f64> = self.ends.iter().map(value).collect();
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|x| (x - mean).powi(2)).sum();
        (mean, (squares / (n - 1.0) / n).sqrt())
    }

    /// A curve at the time that is nearest to one `factor`th of the last.
    pub(super) fn earlier(&self, curve: &[f64], factor: f64) -> f64 {
        let wanted = (self.at.last().copied().unwrap_or(1) as f64 / factor).ln();
        let off = |&&(t, _): &&(&u64, &f64)| ((*t as f64).ln() - wanted).abs();
        let pairs: Vec<(&u64, &f64)> = self.at.iter().zip(curve).collect();
        pairs.iter().min_by(|a, b| off(a).total_cmp(&off(b))).map_or(f64::NAN, |(_, value)| **value)
    }
}

/// The first of a curve.
pub(super) fn first(curve: &[f64]) -> f64 {
    curve.first().copied().unwrap_or(f64::NAN)
}

/// The last of a curve.
pub(super) fn last(curve: &[f64]) -> f64 {
    curve.last().copied().unwrap_or(f64::NAN)
}

/// Six digits: enough for curves, and half the bytes.
fn short(x: f64) -> f64 {
    format!("{x:.5e}").parse().unwrap_or(x)
}

fn rms(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0u32), |(sum, count), x| (sum + x * x, count + 1));
    (sum / f64::from(count)).sqrt()
}

/// Of sorted values, interpolated.
fn quantile(sorted: &[f64], part: f64) -> f64 {
    let place = part * sorted.len().saturating_sub(1) as f64;
    let (below, above) = (place.floor() as usize, place.ceil() as usize);
    let at = |i: usize| sorted.get(i).copied().unwrap_or(f64::NAN);
    at(below) + (place - place.floor()) * (at(above) - at(below))
}

/// Of the line of least squares.
fn slope(points: &[(f64, f64)]) -> f64 {
    let n = points.len() as f64;
    let (x, y) = points.iter().fold((0.0, 0.0), |(x, y), p| (x + p.0 / n, y + p.1 / n));
    let (cross, square) = points
        .iter()
        .fold((0.0, 0.0), |(cross, square), p| (cross + (p.0 - x) * (p.1 - y), square + (p.0 - x).powi(2)));
    cross / square
}

/// The standard error of an estimate, from the estimates that leave out one observation each.
fn jackknife(others: &[f64]) -> f64 {
    let n = others.len() as f64;
    let mean = others.iter().sum::<f64>() / n;
    ((n - 1.0) / n * others.iter().map(|x| (x - mean).powi(2)).sum::<f64>()).sqrt()
}

/// The 0.9999 quantile of χ² with `n` degrees of freedom, by Wilson and Hilferty's cube; within 2 % for n ≥ 8.
fn chi_square(n: usize) -> f64 {
    let (n, z) = (n as f64, 3.7190);
    n * (1.0 - 2.0 / (9.0 * n) + z * (2.0 / (9.0 * n)).sqrt()).powi(3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_of_chi_square_are_those_of_the_tables() {
        for (n, table) in [(8, 31.828), (16, 45.925)] {
            assert!((chi_square(n) / table - 1.0).abs() < 0.02, "{n}: {}", chi_square(n));
        }
    }

    #[test]
    fn slopes_and_quantiles_of_known_points() {
        let points: Vec<(f64, f64)> = (1..9).map(|x| (f64::from(x), 3.0 - 0.5 * f64::from(x))).collect();
        assert!((slope(&points) + 0.5).abs() < 1e-12);
        assert_eq!(quantile(&[1.0, 2.0, 3.0, 4.0, 5.0], 0.25), 2.0);
        assert_eq!(quantile(&[1.0, 2.0], 0.75), 1.75);
        // The jackknife of a mean is its usual standard error.
        let values = [1.0, 4.0, 2.0, 7.0];
        let others: Vec<f64> = (0..4).map(|i| (values.iter().sum::<f64>() - values[i]) / 3.0).collect();
        let squares: f64 = values.iter().map(|x| (x - 3.5f64).powi(2)).sum();
        assert!((jackknife(&others) - (squares / 3.0 / 4.0).sqrt()).abs() < 1e-12);
    }
}
