//! The power of two in whose units a minibatch is coded, so that squares stay within the range of the number type.
//!
//! Data times a power of two have the same dictionary to the last bit, and codes times that power. Samples whose squares lie well within
//! the range are coded as they are; others are copied in units of a power of two near their largest entry, with λ and bounds of the
//! code in the same units. Aggregates are sums in `f64` and in the units of the data, so that nothing of this has to be kept from step to step.

use super::code::{CodeSet, Penalty, Pursuit};
use super::minibatch::Minibatch;
use crate::linalg::{Isa, Mat, Scalar};
use crate::{Error, Result};

/// Nothing that a code of samples near one can reach: a bound or a penalty beyond it is as good as this one.
const BEYOND: f64 = 1e30;

/// The power of two `2^k ≤ x < 2^(k+1)` of a positive normal number.
pub(super) fn binade(x: f64) -> f64 {
    f64::from_bits(x.to_bits() & 0x7ff0_0000_0000_0000)
}

/// Whether squares of numbers of this unit, and sums of them with small weights, are too small for `f64`.
pub(super) fn vanishes(unit: f64) -> bool {
    unit * unit < f64::from(1 << 20) * f64::MIN_POSITIVE
}

/// A copy of a minibatch in other units.
pub(super) struct UnitBuffer<T> {
    dense: Mat<T>,
    sparse: Vec<T>,
}

impl<T: Scalar> UnitBuffer<T> {
    pub(super) fn new() -> Self {
        Self { dense: Mat::zeros(0, 0), sparse: Vec::new() }
    }

    /// The minibatch in a unit in which its squares are within range, that unit, and the squared norms of its columns in it.
    ///
    /// # Errors
    /// [`Error::NotFinite`] naming the first NaN or infinity; [`Error::Overflow`] where not even sums in `f64` hold squares.
    pub(super) fn in_range<'b>(
        &'b mut self,
        x: Minibatch<'b, T>,
        isa: Isa,
        norms: &mut Vec<f64>,
    ) -> Result<(Minibatch<'b, T>, f64)> {
        x.squared_norms(isa, norms);
        let most = norms.iter().fold(0.0, |a: f64, &b| if b > a || b.is_nan() { b } else { a });
        let limit = T::WIDE;
        if most <= limit && most >= 1.0 / limit {
            return Ok((x, 1.0));
        }
        let largest = x.largest()?;
        if largest == 0.0 {
            return Ok((x, 1.0));
        }
        // A denormal counts as the smallest number that is none.
        let unit = binade(largest.max(f64::MIN_POSITIVE));
        let inverse = 1.0 / unit;
        let scaled = x.scaled(|_| inverse, &mut self.dense, &mut self.sparse);
        scaled.squared_norms(isa, norms);
        let total: f64 = norms.iter().sum();
        if !(4.0 * total * unit * unit).is_finite() {
            return Err(Error::Overflow { what: "the squared norm of a sample", largest });
        }
        Ok((scaled, unit))
    }
}

impl<T: Scalar> UnitBuffer<T> {
    /// The minibatch with its samples multiplied by these numbers.
    pub(super) fn scaled<'b>(&'b mut self, x: Minibatch<'b, T>, by: &[f64]) -> Minibatch<'b, T> {
        x.scaled(|j| by[j], &mut self.dense, &mut self.sparse)
    }
}

impl Penalty {
    /// In a unit of the samples.
    pub(super) fn in_unit(self, unit: f64) -> Self {
        if unit == 1.0 { self } else { Self { lambda: (self.lambda / unit).min(BEYOND), ..self } }
    }
}

impl CodeSet {
    /// In a unit of the samples.
    pub(super) fn in_unit(self, unit: f64) -> Self {
        if unit == 1.0 {
            return self;
        }
        match self {
            Self::Box { upper } => Self::Box { upper: (upper / unit).min(BEYOND) },
            Self::Simplex { bound } => Self::Simplex { bound: (bound / unit).min(BEYOND) },
            Self::Pursuit(pursuit) => {
                let tol = pursuit.tol.map(|tol| (tol / unit / unit).min(BEYOND));
                Self::Pursuit(Pursuit { tol, ..pursuit })
            }
            same @ (Self::Nonnegative | Self::Free) => same,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binades_are_the_powers_of_two_below() {
        for (x, want) in
            [(1.0, 1.0), (1.99, 1.0), (2.0, 2.0), (0.75, 0.5), (f64::MIN_POSITIVE, f64::MIN_POSITIVE)]
        {
            assert_eq!(binade(x), want);
        }
    }

    #[test]
    fn units_are_chosen_where_squares_leave_the_range() {
        fn unit<T: Scalar>(size: f64) -> Result<f64> {
            let x = Mat::<T>::from_fn(3, 2, |i, j| T::from_f64(size * (1 + i + j) as f64));
            let (mut buffer, mut norms) = (UnitBuffer::new(), Vec::new());
            let unit = buffer.in_range((&x).into(), Isa::detect(), &mut norms)?.1;
            assert!(unit == 1.0 || norms.iter().all(|n| (0.1..100.0).contains(n)), "{size:e}: {norms:?}");
            Ok(unit)
        }
        for size in [1e-6, 1.0, 1e6] {
            assert_eq!((unit::<f32>(size).unwrap(), unit::<f64>(size).unwrap()), (1.0, 1.0));
        }
        for size in [1e-38, 1e-20, 1e20, 1e37] {
            assert_ne!(unit::<f32>(size).unwrap(), 1.0);
            assert_eq!(unit::<f64>(size).unwrap(), 1.0);
        }
        for size in [1e-150, 1e-120, 1e120, 1e150] {
            assert_ne!(unit::<f64>(size).unwrap(), 1.0);
        }
        assert_ne!(unit::<f64>(1e-200).unwrap(), 1.0);
        assert!(matches!(unit::<f64>(1e160), Err(Error::Overflow { .. })));
        assert_eq!(unit::<f32>(0.0).unwrap(), 1.0);
    }

    #[test]
    fn penalties_and_bounds_are_those_of_data_in_the_unit() {
        let penalty = Penalty { lambda: 6.0, kappa2: 3.0 };
        assert_eq!(penalty.in_unit(1.0), penalty);
        assert_eq!(penalty.in_unit(4.0), Penalty { lambda: 1.5, ..penalty });
        assert_eq!(penalty.in_unit(1e-40), Penalty { lambda: BEYOND, ..penalty });
        let pursuit = Pursuit { tol: Some(32.0), ..Pursuit::default() };
        for (set, unit, expected) in [
            (CodeSet::Box { upper: 6.0 }, 1.0, CodeSet::Box { upper: 6.0 }),
            (CodeSet::Box { upper: 6.0 }, 4.0, CodeSet::Box { upper: 1.5 }),
            (CodeSet::Box { upper: 6.0 }, 1e-40, CodeSet::Box { upper: BEYOND }),
            (CodeSet::Simplex { bound: 6.0 }, 4.0, CodeSet::Simplex { bound: 1.5 }),
            (CodeSet::Simplex { bound: 6.0 }, 1e-40, CodeSet::Simplex { bound: BEYOND }),
            (CodeSet::Pursuit(pursuit), 4.0, CodeSet::Pursuit(Pursuit { tol: Some(2.0), ..pursuit })),
            (CodeSet::Free, 4.0, CodeSet::Free),
        ] {
            assert_eq!(set.in_unit(unit), expected);
        }
    }
}
