//! The dictionary as reconstruction needs it: its Gram matrix, `Wᵀx` of patches that are bits, and `Wh` at the positions that count.
//!
//! | symbol | here |
//! |---|---|
//! | `W`, with its atoms reversed if asked for | `w` |
//! | `G = WᵀW` | `gram` |
//! | `(W(a,b) + W(b,a))/2` at a position of an undirected network, `W(a,b)` of a directed one | column by atom in `rebuilt` |
//! | `W(a,b) + W(b,a)`, and `W(a,a)`, of a bit | column by bit in `by_bit` |
//!
//! A patch of an undirected network without weights is a mask of bits, so that `Wᵀx` is the sum of the rows of its ones.

use super::positions::Positions;
use crate::linalg::products::{Op, Products};
use crate::linalg::simd::{Simd, WithSimd};
use crate::linalg::{Isa, Mat, Scalar};
use crate::{Error, Result};

/// Everything that follows from the dictionary.
pub(super) struct Atoms<T> {
    /// `k² × r`.
    pub(super) w: Mat<T>,
    pub(super) gram: Mat<T>,
    /// Positions × atoms.
    rebuilt: Mat<T>,
    /// Atoms × bits; empty where patches are not bits.
    by_bit: Mat<T>,
    isa: Isa,
}

impl<T: Scalar> Atoms<T> {
    /// Takes over a dictionary of `k²` rows.
    ///
    /// # Errors
    /// [`Error::Shape`] when it has other rows or no atom, [`Error::Parameter`] when a number is not finite, and
    /// [`Error::Overflow`] when squares are not.
    pub(super) fn new(
        dictionary: &Mat<f64>,
        positions: &Positions,
        reversal: bool,
        bits: Option<usize>,
    ) -> Result<Self> {
        let (k, d) = (positions.k, positions.k * positions.k);
        let found = format!("{}×{}", dictionary.rows(), dictionary.cols());
        if dictionary.rows() != d || dictionary.cols() == 0 {
            let expected = format!("{d}×r with at least one atom, for a motif of {k} nodes,");
            return Err(Error::shape("the dictionary", found, expected));
        }
        let atoms = dictionary.cols();
        for j in 0..atoms {
            if let Some(i) = dictionary.col(j).iter().position(|w| !w.is_finite()) {
                let value = format!("{} at entry ({}, {}) of atom {j}", dictionary.get(i, j), i / k, i % k);
                return Err(Error::parameter("the dictionary", value, "its numbers must be finite"));
            }
        }
        let r = if reversal { 2 * atoms } else { atoms };
        // (a,b) → (k−1−a, k−1−b) turns a column that is written row by row round.
        let entry = |i: usize, j: usize| {
            if j < atoms { dictionary.get(i, j) } else { dictionary.get(d - 1 - i, j - atoms) }
        };
        let exact = Mat::from_fn(d, r, entry);
        let mut gram = Mat::zeros(r, r);
        f64::gram(&mut gram, (Op::Plain, exact.as_ref()));
        let gram: Mat<T> = gram.cast();
        if (0..r).any(|j| gram.col(j).iter().any(|g| !g.is_finite())) {
            let largest =
                (0..atoms).flat_map(|j| dictionary.col(j)).fold(0.0, |most: f64, w| most.max(w.abs()));
            return Err(Error::Overflow { what: "the Gram matrix of the dictionary", largest });
        }
        let places = positions.places();
        let at = |(a, b): (u32, u32), j: usize| exact.get(a as usize * k + b as usize, j);
        let rebuilt = Mat::from_fn(places.len(), r, |i, j| {
            let (a, b) = places[i];
            T::from_f64(if positions.directed {
                at((a, b), j)
            } else {
                0.5 * (at((a, b), j) + at((b, a), j))
            })
        });
        // Bits are in the order of positions.
        let by_bit = Mat::from_fn(r, bits.unwrap_or(0), |j, i| {
            let (a, b) = places[i];
            T::from_f64(if a == b { at((a, a), j) } else { at((a, b), j) + at((b, a), j) })
        });
        Ok(Self { w: exact.cast(), gram, rebuilt, by_bit, isa: Isa::detect() })
    }

    /// Atoms, reversed ones included.
    pub(super) fn len(&self) -> usize {
        self.gram.cols()
    }

    /// Numbers that [`Atoms::rebuild`] writes for a homomorphism, those that follow the positions included.
    pub(super) fn padded(&self) -> usize {
        self.rebuilt.stride()
    }

    /// Writes `Wᵀx` of patches given as bits, `words` each, a column each.
    pub(super) fn correlate(&self, masks: &[u64], words: usize, out: &mut Mat<T>) {
        assert_eq!((out.rows(), out.cols() * words), (self.by_bit.rows(), masks.len()), "rows and masks");
        self.isa.run(Correlate { by_bit: &self.by_bit, masks, words, out });
    }

    /// Writes `Wh` at the positions of each homomorphism, [`Atoms::padded`] numbers that begin `step` after those before. `codes` are
    /// atoms and their codes, `ends` where those of each homomorphism end.
    pub(super) fn rebuild(&self, (atoms, codes): (&[u32], &[T]), ends: &[usize], out: &mut [T], step: usize) {
        let room = ends.len().checked_sub(1).map_or(0, |last| last * step + self.padded());
        assert!(atoms.len() == codes.len() && out.len() >= room, "room for {room} of {}", out.len());
        assert!(ends.is_sorted() && ends.last().is_none_or(|&end| end <= codes.len()), "codes");
        assert!(atoms.iter().all(|&k| (k as usize) < self.len()), "atoms");
        self.isa.run(Rebuild { rows: &self.rebuilt, atoms, codes, ends, out, step });
    }
}

struct Correlate<'a, T> {
    by_bit: &'a Mat<T>,
    masks: &'a [u64],
    words: usize,
    out: &'a mut Mat<T>,
}

impl<T: Scalar> WithSimd for Correlate<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, s: S) {
        let lanes = T::lanes::<S>();
        let (stride, bits) = (self.by_bit.stride(), self.by_bit.cols());
        let rows = self.by_bit.padded().as_ptr();
        let out = self.out.padded_mut();
        for (mask, out) in self.masks.chunks_exact(self.words).zip(out.chunks_exact_mut(stride)) {
            let mut at = 0;
            while at < stride {
                let out = out[at..].as_mut_ptr();
                // SAFETY: at + N·lanes ≤ stride, which is what columns and `out` have; `sum` checks bits.
                unsafe {
                    let rows = rows.add(at);
                    let left = (stride - at) / lanes;
                    if left >= 4 {
                        sum::<T, S, 4>(s, rows, stride, bits, mask, out);
                        at += 4 * lanes;
                    } else if left >= 2 {
                        sum::<T, S, 2>(s, rows, stride, bits, mask, out);
                        at += 2 * lanes;
                    } else {
                        sum::<T, S, 1>(s, rows, stride, bits, mask, out);
                        at += lanes;
                    }
                }
            }
        }
    }
}

/// Sums `N` registers of the columns of the ones of a mask.
///
/// # Safety
/// `rows` must have `N` registers at every multiple of `stride` below `bits`, and `out` room for as many.
#[inline(always)]
unsafe fn sum<T: Scalar, S: Simd, const N: usize>(
    s: S,
    rows: *const T,
    stride: usize,
    bits: usize,
    mask: &[u64],
    out: *mut T,
) {
    let lanes = T::lanes::<S>();
    let mut total = [T::splat(s, T::ZERO); N];
    for (word, &ones) in mask.iter().enumerate() {
        let mut ones = ones;
        while ones != 0 {
            let bit = 64 * word + ones.trailing_zeros() as usize;
            ones &= ones - 1;
            debug_assert!(bit < bits);
            // SAFETY: masks of patches have no ones beyond their bits, and the minimum keeps to what is there in any case.
            unsafe {
                let row = rows.add(bit.min(bits - 1) * stride);
                for (i, total) in total.iter_mut().enumerate() {
                    *total = T::plus(s, *total, T::load::<S>(row.add(i * lanes)));
                }
            }
        }
    }
    for (i, &total) in total.iter().enumerate() {
        // SAFETY: promised by the caller.
        unsafe { T::store::<S>(out.add(i * lanes), total) };
    }
}

struct Rebuild<'a, T> {
    rows: &'a Mat<T>,
    atoms: &'a [u32],
    codes: &'a [T],
    ends: &'a [usize],
    out: &'a mut [T],
    step: usize,
}

impl<T: Scalar> WithSimd for Rebuild<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, s: S) {
        let lanes = T::lanes::<S>();
        let stride = self.rows.stride();
        let rows = self.rows.padded().as_ptr();
        let mut start = 0;
        for (i, &end) in self.ends.iter().enumerate() {
            let (atoms, codes) = (&self.atoms[start..end], &self.codes[start..end]);
            start = end;
            let out = self.out[i * self.step..][..stride].as_mut_ptr();
            let mut at = 0;
            while at < stride {
                // SAFETY: at + N·lanes ≤ stride, which is what columns and `out` have; atoms are below the columns by the
                // assertion of the caller.
                unsafe {
                    let (rows, out) = (rows.add(at), out.add(at));
                    let left = (stride - at) / lanes;
                    if left >= 14 {
                        combine::<T, S, 14>(s, rows, stride, atoms, codes, out);
                        at += 14 * lanes;
                    } else if left >= 7 {
                        combine::<T, S, 7>(s, rows, stride, atoms, codes, out);
                        at += 7 * lanes;
                    } else {
                        combine::<T, S, 1>(s, rows, stride, atoms, codes, out);
                        at += lanes;
                    }
                }
            }
        }
    }
}

/// `N` registers of a combination of columns.
///
/// # Safety
/// `rows` must have `N` registers at every atom times `stride`, and `out` room for as many.
#[inline(always)]
unsafe fn combine<T: Scalar, S: Simd, const N: usize>(
    s: S,
    rows: *const T,
    stride: usize,
    atoms: &[u32],
    codes: &[T],
    out: *mut T,
) {
    let lanes = T::lanes::<S>();
    let mut total = [T::splat(s, T::ZERO); N];
    for (&k, &h) in atoms.iter().zip(codes) {
        let h = T::splat(s, h);
        // SAFETY: promised by the caller.
        unsafe {
            let row = rows.add(k as usize * stride);
            for (i, total) in total.iter_mut().enumerate() {
                *total = T::mul_add(s, h, T::load::<S>(row.add(i * lanes)), *total);
            }
        }
    }
    for (i, &total) in total.iter().enumerate() {
        // SAFETY: promised by the caller.
        unsafe { T::store::<S>(out.add(i * lanes), total) };
    }
}
