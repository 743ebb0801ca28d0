//! The two number types that everything is generic over.

use super::{products::Products, simd::Lanes};
use crate::factor::code::Solve;

/// `f32` or `f64`. Sealed: its kernels live in this module.
///
/// ```
/// use ergodict::linalg::{Mat, Scalar};
/// fn trace<T: Scalar>(m: &Mat<T>) -> f64 {
///     (0..m.rows().min(m.cols())).map(|i| m.get(i, i).to_f64()).sum()
/// }
/// assert_eq!(trace(&Mat::<f32>::from_fn(3, 3, |_, _| 0.5)), 1.5);
/// assert_eq!((f32::NAME, f64::NAME), ("f32", "f64"));
/// ```
#[expect(private_bounds, reason = "sealed: two types are numbers here")]
pub trait Scalar:
    Products
    + Lanes
    + Solve
    + Copy
    + Default
    + PartialOrd
    + Send
    + Sync
    + 'static
    + std::fmt::Debug
    + std::ops::Add<Output = Self>
    + std::ops::Sub<Output = Self>
    + std::ops::Mul<Output = Self>
    + std::ops::Div<Output = Self>
    + std::ops::Neg<Output = Self>
    + std::ops::AddAssign
    + std::ops::SubAssign
    + std::ops::MulAssign
{
    /// Its name in files and messages: `f32` or `f64`.
    const NAME: &'static str;
    /// Machine epsilon, as `f64`.
    const EPSILON: f64;
    /// Zero.
    const ZERO: Self;
    /// One.
    const ONE: Self;
    /// A sum of squares below this may have lost squares to underflow; as `f64`.
    const TINY: f64;
    /// Squared norms from the inverse of this to this leave room for products and sums of them; as `f64`.
    const WIDE: f64;
    /// Rounds an `f64` to this type.
    fn from_f64(x: f64) -> Self;
    /// Widens to `f64`, exactly.
    fn to_f64(self) -> f64;
    /// Absolute value.
    fn abs(self) -> Self;
    /// Square root.
    fn sqrt(self) -> Self;
    /// The larger of two numbers (neither is NaN).
    fn at_least(self, floor: Self) -> Self {
        if self < floor { floor } else { self }
    }
    /// The smaller of two numbers (neither is NaN).
    fn at_most(self, cap: Self) -> Self {
        if self > cap { cap } else { self }
    }
    /// Whether it is neither NaN nor an infinity.
    fn is_finite(self) -> bool {
        self.to_f64().is_finite()
    }
}

macro_rules! scalar {
    ($t:ty, $name:literal, $wide:expr) => {
        impl Scalar for $t {
            const NAME: &'static str = $name;
            const EPSILON: f64 = <$t>::EPSILON as f64;
            const TINY: f64 = <$t>::MIN_POSITIVE as f64 / <$t>::EPSILON as f64;
            const WIDE: f64 = $wide;
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            #[inline(always)]
            fn from_f64(x: f64) -> Self {
                x as $t
            }
            #[inline(always)]
            fn to_f64(self) -> f64 {
                f64::from(self)
            }
            #[inline(always)]
            fn abs(self) -> Self {
                <$t>::abs(self)
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                <$t>::sqrt(self)
            }
        }
    };
}
// Halves of the exponents, so that squares of squares fit.
scalar!(f32, "f32", 18_446_744_073_709_551_616.0); // 2^64
scalar!(f64, "f64", 1e150);
