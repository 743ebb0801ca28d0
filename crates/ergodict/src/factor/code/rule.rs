//! Coordinate rules: what an exact step along one coordinate is, for each set of admissible codes.
//!
//! All rules act on the scaled problem of [`super::quadratic`], where the diagonal of the Gram matrix is 1: with
//! the residual `p = c − G h`, the unconstrained minimizer along coordinate `k` is `h_k + p_k`. Codes are kept
//! negated (`m = −h`), which saves the hottest rule one instruction.

use crate::linalg::Scalar;
use crate::linalg::simd::Simd;

/// An admissible set that is a product over coordinates, with a number `aux` for each.
pub(super) trait Rule: Copy + Send + Sync {
    /// Whether `aux` is read at all.
    const AUX: bool;
    /// The step `e` to the minimizer along each coordinate of a register.
    fn steps<T: Scalar, S: Simd>(s: S, p: T::V<S>, m: T::V<S>, aux: T::V<S>) -> T::V<S>;
    /// The same for one coordinate.
    fn step<T: Scalar>(p: T, m: T, aux: T) -> T;
    /// Whether the code may move both ways here, so that Newton's system includes the coordinate.
    fn interior<T: Scalar>(m: T, aux: T) -> bool;
    /// Right-hand side of Newton's system on an interior coordinate.
    fn newton<T: Scalar>(p: T, m: T, aux: T) -> T;
    /// The nearest admissible value to `m` on the smooth piece that `from` lies on.
    fn clip<T: Scalar>(m: T, from: T, aux: T) -> T;
}

/// `h ≥ 0`; the ℓ₁ penalty is linear there and is part of `c`.
#[derive(Clone, Copy)]
pub(super) struct Nonnegative;

impl Rule for Nonnegative {
    const AUX: bool = false;
    #[inline(always)]
    fn steps<T: Scalar, S: Simd>(s: S, p: T::V<S>, m: T::V<S>, _: T::V<S>) -> T::V<S> {
        T::max(s, p, m)
    }
    #[inline(always)]
    fn step<T: Scalar>(p: T, m: T, _: T) -> T {
        p.at_least(m)
    }
    #[inline(always)]
    fn interior<T: Scalar>(m: T, _: T) -> bool {
        m < T::ZERO
    }
    #[inline(always)]
    fn newton<T: Scalar>(p: T, _: T, _: T) -> T {
        p
    }
    #[inline(always)]
    fn clip<T: Scalar>(m: T, _: T, _: T) -> T {
        m.at_most(T::ZERO)
    }
}

/// `0 ≤ h ≤ aux`.
#[derive(Clone, Copy)]
pub(super) struct Boxed;

impl Rule for Boxed {
    const AUX: bool = true;
    #[inline(always)]
    fn steps<T: Scalar, S: Simd>(s: S, p: T::V<S>, m: T::V<S>, aux: T::V<S>) -> T::V<S> {
        T::min(s, T::max(s, p, m), T::plus(s, m, aux))
    }
    #[inline(always)]
    fn step<T: Scalar>(p: T, m: T, aux: T) -> T {
        p.at_least(m).at_most(m + aux)
    }
    #[inline(always)]
    fn interior<T: Scalar>(m: T, aux: T) -> bool {
        m < T::ZERO && -m < aux
    }
    #[inline(always)]
    fn newton<T: Scalar>(p: T, _: T, _: T) -> T {
        p
    }
    #[inline(always)]
    fn clip<T: Scalar>(m: T, _: T, aux: T) -> T {
        m.at_most(T::ZERO).at_least(-aux)
    }
}

/// Any real code; `aux` is the soft threshold of the ℓ₁ penalty.
#[derive(Clone, Copy)]
pub(super) struct Free;

impl Rule for Free {
    const AUX: bool = true;
    #[inline(always)]
    fn steps<T: Scalar, S: Simd>(s: S, p: T::V<S>, m: T::V<S>, aux: T::V<S>) -> T::V<S> {
        let v = T::minus(s, p, m);
        let below = T::minus(s, T::splat(s, T::ZERO), aux);
        T::plus(s, T::minus(s, v, T::min(s, T::max(s, v, below), aux)), m)
    }
    #[inline(always)]
    fn step<T: Scalar>(p: T, m: T, aux: T) -> T {
        let v = p - m;
        v - v.at_least(-aux).at_most(aux) + m
    }
    #[inline(always)]
    fn interior<T: Scalar>(m: T, _: T) -> bool {
        m != T::ZERO
    }
    #[inline(always)]
    fn newton<T: Scalar>(p: T, m: T, aux: T) -> T {
        if m < T::ZERO { p - aux } else { p + aux }
    }
    #[inline(always)]
    fn clip<T: Scalar>(m: T, from: T, aux: T) -> T {
        // With no penalty both signs are one smooth piece.
        let crossed = (m < T::ZERO) != (from < T::ZERO);
        if crossed && aux > T::ZERO { T::ZERO } else { m }
    }
}
