//! When to stop going over the data: once a stretch of epochs hardly lowers the loss.

use crate::data::BatchSettings;
use crate::factor::StepReport;
use serde::{Deserialize, Serialize};

/// When to stop before all epochs are over.
///
/// The losses of samples are compared before they are learned from, in the mean over a stretch of whole epochs with at least `minibatches`
/// minibatches: each stretch has all samples as often as any other. A stretch of several epochs has to gain less, the tolerance divided by the
/// square root of their number: epochs of few samples cost little, and their last gains come slowly.
///
/// ```
/// use ergodict::{data::BatchSettings, run::StopRule};
/// let settings = BatchSettings { tol: 0.01, ..BatchSettings::default() };
/// assert_eq!(StopRule::from_settings(&settings), Some(StopRule { tolerance: 0.01, minibatches: 256 }));
/// assert_eq!(StopRule::from_settings(&BatchSettings { tol: 0.0, ..settings }), None);
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct StopRule {
    /// The share of the lowest mean loss so far by which a stretch of one epoch has to be below it.
    pub tolerance: f64,
    /// The least minibatches of a stretch.
    pub minibatches: u64,
}

impl StopRule {
    /// What settings say of it: none where nothing is to end early.
    pub fn from_settings(settings: &BatchSettings) -> Option<Self> {
        let BatchSettings { tol, max_no_improvement, .. } = *settings;
        (tol > 0.0).then_some(Self { tolerance: tol, minibatches: max_no_improvement })
    }
}

/// What epochs came to: the stretch under way, and the lowest mean loss of those before.
#[derive(Clone, Copy, Default, Debug, Serialize, Deserialize)]
pub(super) struct Plateau {
    /// `Σ ℓ(x, W)`, and what the samples count for.
    sum: f64,
    width: f64,
    minibatches: u64,
    lowest: Option<f64>,
    /// Epochs completed, and those of the stretch under way.
    epochs: u64,
    #[serde(default)]
    stretch: u64,
    /// `Σ ‖x − Wh‖²` over the epoch under way, and over the one before it, each sample before it was learned from; samples that count for more do so here.
    error: f64,
    last_error: Option<f64>,
    /// Whether it was reached: a run that is resumed then has nothing left to learn.
    pub(super) reached: bool,
}

impl Plateau {
    pub(super) fn add(&mut self, report: &StepReport) {
        self.sum += report.loss_before * report.width;
        self.error += report.squared_error * report.width;
        self.width += report.width;
        self.minibatches += 1;
    }

    /// `Σ ‖x − Wh‖²` over the last epoch that was completed.
    pub(super) fn last_error(&self) -> Option<f64> {
        self.last_error
    }

    /// Whether to stop after a number of completed epochs.
    pub(super) fn is_reached(&mut self, epochs: u64, rule: Option<StopRule>) -> bool {
        if epochs == self.epochs {
            return false;
        }
        self.epochs = epochs;
        self.stretch += 1;
        (self.last_error, self.error) = (Some(self.error), 0.0);
        let Some(rule) = rule.filter(|rule| self.minibatches >= rule.minibatches) else { return false };
        let mean = self.sum / self.width;
        let lowest = self.lowest.unwrap_or(f64::INFINITY);
        let stop = mean >= (1.0 - rule.tolerance / (self.stretch as f64).sqrt()) * lowest;
        let last_error = self.last_error;
        *self = Self { lowest: Some(mean.min(lowest)), epochs, last_error, reached: stop, ..Self::default() };
        stop
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::factor::{FactorSettings, Factorizer};
    use crate::linalg::Mat;

    fn report(loss: f64) -> StepReport {
        let mut model = Factorizer::<f64>::random(FactorSettings::new(1), 1, 0).unwrap();
        StepReport { loss_before: loss, ..model.step(&Mat::from_fn(1, 1, |_, _| 1.0)).unwrap() }
    }

    /// Epochs of two minibatches each with these losses; the epoch after which it stops.
    fn stops(losses: &[f64], tolerance: f64, minibatches: u64) -> Option<usize> {
        let (mut plateau, rule) = (Plateau::default(), StopRule { tolerance, minibatches });
        losses.iter().enumerate().find_map(|(epoch, &loss)| {
            for (step, loss) in [0.5 * loss, 1.5 * loss].into_iter().enumerate() {
                plateau.add(&report(loss));
                if plateau.is_reached((epoch + step) as u64, Some(rule)) {
                    return Some(epoch);
                }
            }
            None
        })
    }

    #[test]
    fn samples_count_by_their_weights() {
        let x = Mat::from_fn(2, 6, |i, j| [[1.0, 0.0], [0.2, 0.9]][j % 2][i] * (1 + j) as f64);
        let repeats = [3.0, 1.0, 2.0, 0.0, 1.0, 5.0];
        let columns: Vec<usize> = (0..6).flat_map(|j| vec![j; repeats[j] as usize]).collect();
        let repeated = Mat::from_fn(2, columns.len(), |i, j| x.get(i, columns[j]));
        let start = || Factorizer::<f64>::random(FactorSettings::new(1), 2, 0).unwrap();
        let (mut weighted, mut plain) = (Plateau::default(), Plateau::default());
        let (mut one, mut other) = (start(), start());
        for _ in 0..3 {
            weighted.add(&one.step_counted(&x, &repeats).unwrap());
            plain.add(&other.step(&repeated).unwrap());
        }
        assert_eq!(weighted.width, 36.0);
        for (found, expected) in [(weighted.sum, plain.sum), (weighted.error, plain.error)] {
            assert!(expected > 1.0 && (found - expected).abs() < 1e-9 * expected, "{found} {expected}");
        }
    }

    #[test]
    fn it_stops_at_the_first_stretch_that_gains_too_little() {
        assert_eq!(stops(&[8.0, 4.0, 2.0, 1.0, 0.995], 0.01, 2), Some(4));
        assert_eq!(stops(&[8.0, 4.0, 2.0, 1.0, 0.98], 0.01, 2), None);
        assert_eq!(stops(&[8.0, 9.0], 0.01, 2), Some(1));
        assert_eq!(stops(&[0.0, 0.0], 0.01, 2), Some(1), "there is nothing to gain");
        // Stretches of two epochs: 6, 2, and 1.987 or 1.985, where the tolerance is 0.01/√2.
        assert_eq!(stops(&[8.0, 4.0, 2.0, 2.0, 2.0, 1.974], 0.01, 4), Some(5));
        assert_eq!(stops(&[8.0, 4.0, 2.0, 2.0, 2.0, 1.970], 0.01, 4), None);
        assert_eq!(stops(&[8.0, 4.0, 2.0, 2.0, 2.0, 1.974], 0.01, 3), Some(5), "rounded up");
        assert_eq!(stops(&[1.0; 3], 0.01, 100), None, "no stretch is over");
    }
}
