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
pub(crate) struct Dot<'a, T, U>(pub(crate) &'a [T], pub(crate) &'a [U]);

impl<T: Scalar, U: Scalar> WithSimd for Dot<'_, T, U> {
    type Output = f64;
    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> f64 {
        let mut sums = [0.0; 8];
        let (x, y) = (self.0.chunks_exact(8), self.1.chunks_exact(8));
        let rest: f64 = x.remainder().iter().zip(y.remainder()).map(|(x, y)| x.to_f64() * y.to_f64()).sum();
        for (x, y) in x.zip(y) {
            for i in 0..8 {
                sums[i] += x[i].to_f64() * y[i].to_f64();
            }
        }
        sums.iter().sum::<f64>() + rest
    }
}

/// Whether a number is below zero: over all of them, without a way out, so that many are looked at at once.
pub(crate) struct AnyNegative<'a, T>(pub(crate) &'a [T]);

impl<T: Scalar> WithSimd for AnyNegative<'_, T> {
    type Output = bool;
    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> bool {
        let mut least = [T::ZERO; 16];
        let chunks = self.0.chunks_exact(16);
        let rest = chunks.remainder().iter().any(|x| *x < T::ZERO);
        for x in chunks {
            for i in 0..16 {
                least[i] = if x[i] < least[i] { x[i] } else { least[i] };
            }
        }
        rest || least.iter().any(|x| *x < T::ZERO)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::Isa;

    #[test]
    fn a_negative_number_is_found_wherever_it_is() {
        fn check<T: Scalar>(isa: Isa) {
            for length in [0, 1, 15, 16, 17, 40] {
                let mut x = vec![T::ZERO; length];
                assert!(!isa.run(AnyNegative(&x)));
                for i in 0..length {
                    x[i] = T::from_f64(-1e-30);
                    assert!(isa.run(AnyNegative(&x)), "{i} of {length}");
                    // Neither a zero with a sign nor a positive number is one.
                    x[i] = T::from_f64([-0.0, 1e30][i % 2]);
                    assert!(!isa.run(AnyNegative(&x)), "{i} of {length}");
                }
            }
        }
        check::<f32>(Isa::detect());
        check::<f64>(Isa::detect());
    }
}
