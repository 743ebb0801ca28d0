//! Numbers beyond the range of f64: a mantissa and an exponent of its own.

/// A number 0 or `mantissa·2^exponent`, `1 ≤ mantissa < 2`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Wide {
    pub(super) mantissa: f64,
    /// That of 0 is below all others.
    pub(super) exponent: i32,
}

/// Below every exponent that products of `k ≤ 2¹²` sums of f64 can have, and far enough from the end to be
/// added to.
const OF_ZERO: i32 = i32::MIN / 4;

impl Wide {
    pub(super) const ZERO: Self = Self { mantissa: 0.0, exponent: OF_ZERO };

    /// A nonnegative finite number.
    #[inline]
    pub(super) fn from_f64(value: f64) -> Self {
        if value == 0.0 {
            return Self::ZERO;
        }
        // Numbers below the normal ones are brought among them first.
        let (value, shift) = if value < f64::MIN_POSITIVE { (value * two_to(64), 64) } else { (value, 0) };
        // The digits, with the exponent of 1.
        let mantissa = f64::from_bits(value.to_bits() & ((1 << 52) - 1) | 1023 << 52);
        Self { mantissa, exponent: exponent(value) - shift }
    }

    #[inline]
    pub(super) fn times(self, other: Self) -> Self {
        let product = Self::from_f64(self.mantissa * other.mantissa);
        if product == Self::ZERO {
            return product;
        }
        Self { exponent: product.exponent + self.exponent + other.exponent, ..product }
    }

    #[inline]
    pub(super) fn over(self, other: Self) -> Self {
        let ratio = Self::from_f64(self.mantissa / other.mantissa);
        if ratio == Self::ZERO {
            return ratio;
        }
        Self { exponent: ratio.exponent + self.exponent - other.exponent, ..ratio }
    }

    /// The number over `2^exponent`; 0 or infinite where f64 has nothing nearer.
    #[inline]
    pub(super) fn relative_to(self, exponent: i32) -> f64 {
        let power = (self.exponent - exponent).clamp(-2000, 2000);
        self.mantissa * two_to(power / 2) * two_to(power - power / 2)
    }

    /// The natural logarithm.
    #[cfg(test)]
    pub(super) fn ln(self) -> f64 {
        self.mantissa.ln() + f64::from(self.exponent) * std::f64::consts::LN_2
    }
}

/// `2^exponent` for exponents from −1022 to 1023.
#[inline]
pub(super) fn two_to(exponent: i32) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

/// The exponent of a normal positive number.
#[inline]
pub(super) fn exponent(value: f64) -> i32 {
    (value.to_bits() >> 52) as i32 - 1023
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_go_in_and_come_out() {
        for value in [1.0, 1.999, 0.3, 5e-324, 1e-310, f64::MAX, f64::MIN_POSITIVE, 0.0] {
            let wide = Wide::from_f64(value);
            assert_eq!(wide.relative_to(0), value, "{wide:?}");
            assert!(value == 0.0 || (1.0..2.0).contains(&wide.mantissa));
            let back = wide.times(Wide::from_f64(1e-300)).over(Wide::from_f64(1e-300)).relative_to(0);
            assert!((back - value).abs() <= value * f64::EPSILON);
            assert_eq!(wide.times(Wide::ZERO), Wide::ZERO);
        }
        assert_eq!(Wide::from_f64(5.0).relative_to(2), 1.25);
        let large = (0..100).fold(Wide::from_f64(1.0), |power, _| power.times(Wide::from_f64(1e300)));
        assert!((large.ln() - 30_000.0 * 10f64.ln()).abs() < 1e-9);
        assert_eq!(large.relative_to(0), f64::INFINITY);
        assert_eq!(Wide::from_f64(1.0).over(large).relative_to(0), 0.0);
        assert_eq!(Wide::ZERO.ln(), f64::NEG_INFINITY);
    }
}
