//! The loss history of a run, thinned as it grows so that a model file stays small.

use serde::{Deserialize, Serialize};

/// One point of the history.
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

/// Points at every `stride`-th step; the stride doubles whenever there are too many. What is kept depends only on the
/// steps, so a resumed run has the same history.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct History {
    /// Steps between points.
    pub stride: u64,
    /// The points, oldest first.
    pub points: Vec<HistoryPoint>,
}

/// Most points kept.
const MOST: usize = 512;

impl Default for History {
    fn default() -> Self {
        Self { stride: 1, points: Vec::new() }
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
