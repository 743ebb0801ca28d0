//! Sums over vectors of the data's precision, taken in `f64`.

use super::Scalar;
use super::simd::{Simd, WithSimd};

/// `into = keep·into + fresh·from`.
pub(crate) struct Blend<'a, T> {
    pub(crate) into: &'a mut [f64],
    pub(crate) keep: f64,
    pub(crate) from: &'a [T],
    pub(crate) fresh: f64,
}

impl<T: Scalar> WithSimd for Blend<'_, T> {
    type Output = ();
    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        for (into, from) in self.into.iter_mut().zip(self.from) {
            *into = self.keep * *into + self.fresh * from.to_f64();
        }
    }
}

/// `Σ x·y` in `f64`, in eight strands.
pub(crate) struct Dot<'a, T>(pub(crate) &'a [T], pub(crate) &'a [f64]);

impl<T: Scalar> WithSimd for Dot<'_, T> {
    type Output = f64;
    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> f64 {
        let mut sums = [0.0; 8];
        let (x, y) = (self.0.chunks_exact(8), self.1.chunks_exact(8));
        let rest: f64 = x.remainder().iter().zip(y.remainder()).map(|(x, y)| x.to_f64() * y).sum();
        for (x, y) in x.zip(y) {
            for i in 0..8 {
                sums[i] += x[i].to_f64() * y[i];
            }
        }
        sums.iter().sum::<f64>() + rest
    }
}

/// `‖x − y‖` in `f64`, in eight strands.
pub(crate) struct Distance<'a, T>(pub(crate) &'a [T], pub(crate) &'a [T]);

impl<T: Scalar> WithSimd for Distance<'_, T> {
    type Output = f64;
    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> f64 {
        let mut sums = [0.0; 8];
        // Padded columns are whole cache lines: eight or sixteen numbers.
        for (x, y) in self.0.chunks_exact(8).zip(self.1.chunks_exact(8)) {
            for i in 0..8 {
                let difference = x[i].to_f64() - y[i].to_f64();
                sums[i] += difference * difference;
            }
        }
        sums.iter().sum::<f64>().sqrt()
    }
}
