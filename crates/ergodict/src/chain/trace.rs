//! The series of an observable along a chain, thinned as it grows so that a checkpoint stays small.

use serde::{Deserialize, Serialize};

/// Values at every `stride`-th place; the stride doubles whenever there are too many. The first values stay as they are besides: a memory that
/// is shorter than the stride is seen only in values that follow each other. What is kept depends only on the places, so that a chain that was
/// stopped and went on has the same series.
///
/// ```
/// let mut trace = ergodict::chain::Trace::new(100);
/// (0..1000).for_each(|i| trace.push_with(|| f64::from(i)));
/// assert_eq!(trace.values()[..3], [0.0, 16.0, 32.0]);
/// ```
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Trace {
    stride: u64,
    /// Places passed.
    seen: u64,
    most: usize,
    values: Vec<f64>,
    /// The first `most` values, once there were more.
    #[serde(default)]
    first: Vec<f64>,
}

impl Trace {
    /// An empty one that keeps at most `most` values, at least two.
    pub fn new(most: usize) -> Self {
        Self { stride: 1, seen: 0, most: most.max(2), values: Vec::new(), first: Vec::new() }
    }

    /// Passes a place; its value is asked for only if it is kept.
    pub fn push_with(&mut self, value: impl FnOnce() -> f64) {
        if self.seen.is_multiple_of(self.stride) {
            self.values.push(value());
            if self.values.len() > self.most {
                if self.stride == 1 {
                    self.first = self.values[..self.most].to_vec();
                }
                self.stride *= 2;
                let mut at = 0;
                self.values.retain(|_| {
                    at += 1;
                    at % 2 == 1
                });
            }
        }
        self.seen += 1;
    }

    /// Places from one value to the next.
    pub(crate) fn stride(&self) -> u64 {
        self.stride
    }

    /// Places passed.
    pub(crate) fn seen(&self) -> u64 {
        self.seen
    }

    /// The values, oldest first.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The first values, one for each place: all of them while none had to be left out.
    pub(crate) fn stretch(&self) -> &[f64] {
        if self.stride == 1 { &self.values } else { &self.first }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_those_at_multiples_of_the_stride_however_often_it_was_stopped() {
        let (mut whole, mut parts) = (Trace::new(64), Trace::new(64));
        for i in 0..5_000 {
            let value = f64::from(i * 7919 % 101);
            whole.push_with(|| value);
            parts.push_with(|| value);
            if i % 333 == 0 {
                parts = serde_json::from_str(&serde_json::to_string(&parts).unwrap()).unwrap();
            }
        }
        assert_eq!(whole, parts);
        assert!(whole.values().len() <= 64 && whole.values().len() > 16);
        for (at, value) in whole.values().iter().enumerate() {
            assert_eq!(*value, (at as u64 * whole.stride() * 7919 % 101) as f64);
        }
        assert_eq!(whole.seen(), 5_000);
        let first: Vec<f64> = (0..64).map(|i| f64::from(i * 7919 % 101)).collect();
        assert_eq!(whole.stretch(), first);
        let mut short = Trace::new(64);
        (0..64).for_each(|i| short.push_with(|| f64::from(i)));
        assert_eq!((short.stride(), short.stretch()), (1, short.values()));
    }
}
