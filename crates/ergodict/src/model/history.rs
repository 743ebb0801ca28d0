//! The loss history of a run, thinned as it grows so that a model file stays small, with how far `W` was from stationary.

use serde::{Deserialize, Serialize};

/// One point of the history.
///
/// ```
/// use ergodict::{factor::FactorSettings, linalg::Mat, run::{Form, Run, RunPlan}};
/// let form = Form::Samples { features: 3, names: None };
/// let mut run = Run::<f64>::pushed(RunPlan::new("factor", FactorSettings::new(2), 0), form, None)?;
/// run.push((&Mat::from_fn(3, 4, |i, j| (1 + i * j) as f64)).into(), None)?;
/// let point = run.trainer().history().points[0];
/// assert!((point.t, point.samples) == (1, 4) && point.surrogate <= point.loss);
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct HistoryPoint {
    /// Steps taken.
    pub t: u64,
    /// Columns seen.
    pub samples: u64,
    /// Loss of the minibatch before the update, per column.
    pub loss: f64,
    /// Surrogate `f̂_t(W_t)` after it, per column.
    pub surrogate: f64,
}

/// How far the dictionary was from stationary, at one of a few steps.
///
/// ```
/// use ergodict::{factor::{FactorSettings, Factorizer}, linalg::Mat, run::{Form, Run, RunPlan}};
/// let form = Form::Samples { features: 3, names: None };
/// let start = Factorizer::<f64>::random(FactorSettings::new(2), 3, 0)?;
/// let mut run = Run::pushed(RunPlan::new("factor", FactorSettings::new(2), 0), form, Some(start))?;
/// let x = Mat::from_fn(3, 4, |i, j| (1 + i * j) as f64);
/// for _ in 0..10 {
///     run.push((&x).into(), None)?;
/// }
/// let gaps = &run.trainer().history().gaps;
/// assert!(gaps[0].t == 1 && gaps[gaps.len() - 1].gap < gaps[0].gap);
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct GapPoint {
    /// Steps taken.
    pub t: u64,
    /// Columns seen.
    pub samples: u64,
    /// The [stationarity gap](crate::factor::diagnostics::stationarity_gap) after that step.
    pub gap: f64,
    /// `‖W_t − W_{t−1}‖_F`, which falls as the weights `w_t` do.
    pub change: f64,
}

/// Points at every `stride`-th step; the stride doubles whenever there are too many. What is kept depends only on the
/// steps, so a resumed run has the same history.
///
/// ```
/// use ergodict::model::{History, HistoryPoint};
/// let mut history = History::default();
/// (1..=100_000).for_each(|t| history.push(HistoryPoint { t, samples: t, loss: 1.0, surrogate: 1.0 }));
/// assert!(history.stride > 1 && history.points.len() < 100_000);
/// ```
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct History {
    /// Steps between points.
    pub stride: u64,
    /// The points, oldest first.
    pub points: Vec<HistoryPoint>,
    /// Stationarity gaps, oldest first, at steps that grow further apart. Empty in older files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gaps: Vec<GapPoint>,
}

/// Whether the stationarity gap is taken after step `t`: the first, and from the tenth on the steps nearest to `10^(i/4)`, four a decade. A gap
/// costs as much as a sweep of the dictionary update, so that six of a hundred steps, and ten of a thousand, are hardly felt.
pub(crate) fn gap_due(t: u64) -> bool {
    if t < 10 {
        return t == 1;
    }
    let i = (4.0 * (t as f64).log10()).round();
    10f64.powf(i / 4.0).round() as u64 == t
}

/// Most points kept.
const MOST: usize = 512;

impl Default for History {
    fn default() -> Self {
        Self { stride: 1, points: Vec::new(), gaps: Vec::new() }
    }
}

impl History {
    /// Records a step if it is due.
    pub fn push(&mut self, point: HistoryPoint) {
        if !point.t.is_multiple_of(self.stride) {
            return;
        }
        self.points.push(point);
        if self.points.len() > MOST {
            self.stride *= 2;
            let stride = self.stride;
            self.points.retain(|p| p.t.is_multiple_of(stride));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_taken_four_times_a_decade() {
        let due: Vec<u64> = (0..=100).filter(|t| gap_due(*t)).collect();
        assert_eq!(due, [1, 10, 18, 32, 56, 100]);
        for decade in [100, 1_000, 10_000] {
            assert_eq!((decade..10 * decade).filter(|t| gap_due(*t)).count(), 4);
        }
    }

    #[test]
    fn histories_without_gaps_are_read_and_written_as_before() {
        let old = r#"{"stride":1,"points":[{"t":1,"samples":5,"loss":0.5,"surrogate":0.25}]}"#;
        let history: History = serde_json::from_str(old).unwrap();
        assert!(history.gaps.is_empty());
        assert_eq!(serde_json::to_string(&history).unwrap(), old);
    }

    #[test]
    fn stays_small_and_does_not_depend_on_interruptions() {
        let point = |t| HistoryPoint { t, samples: 10 * t, loss: 1.0 / t as f64, surrogate: 0.0 };
        let mut whole = History::default();
        let mut parts = History::default();
        for t in 1..=10_000 {
            whole.push(point(t));
            parts.push(point(t));
            if t % 777 == 0 {
                parts = serde_json::from_str(&serde_json::to_string(&parts).unwrap()).unwrap();
            }
        }
        assert_eq!(whole, parts);
        assert!(whole.points.len() <= MOST && whole.points.len() > MOST / 4);
        assert!(whole.points.windows(2).all(|w| w[1].t - w[0].t == whole.stride));
    }
}
