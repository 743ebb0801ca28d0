//! Minibatches: what the factorizer sees of the data. It never learns where they came from.

use crate::linalg::{Mat, MatRef, Scalar};
use crate::{Error, Result};

/// A minibatch `X` of `d × n`: features by samples.
///
/// ```
/// use ergodict::factor::{Mask, Minibatch};
/// use ergodict::linalg::Mat;
/// let x = Mat::from_fn(3, 2, |i, j| if i == j { f64::NAN } else { 1.0 });
/// let observed = Mask::not_nan(x.as_ref());
/// let masked = Minibatch::Masked { values: x.as_ref(), observed: &observed };
/// assert_eq!((masked.rows(), masked.cols()), (3, 2));
/// ```
#[derive(Clone, Copy)]
#[non_exhaustive]
pub enum Minibatch<'a, T> {
    /// All entries, column by column, borrowed.
    Dense(MatRef<'a, T>),
    /// Only the entries that are not zero.
    Sparse(SparseRef<'a, T>),
    /// Entries some of which are missing; the values there are never read.
    Masked {
        /// All entries.
        values: MatRef<'a, T>,
        /// Which of them were observed.
        observed: &'a Mask,
    },
}

impl<'a, T: Scalar> From<MatRef<'a, T>> for Minibatch<'a, T> {
    fn from(x: MatRef<'a, T>) -> Self {
        Self::Dense(x)
    }
}

impl<'a, T: Scalar> From<&'a Mat<T>> for Minibatch<'a, T> {
    fn from(x: &'a Mat<T>) -> Self {
        Self::Dense(x.as_ref())
    }
}

impl<'a, T: Scalar> From<SparseRef<'a, T>> for Minibatch<'a, T> {
    fn from(x: SparseRef<'a, T>) -> Self {
        Self::Sparse(x)
    }
}

impl<T: Scalar> Minibatch<'_, T> {
    /// Features `d`.
    pub fn rows(&self) -> usize {
        match self {
            Self::Dense(x) => x.rows(),
            Self::Sparse(x) => x.rows,
            Self::Masked { values, .. } => values.rows(),
        }
    }

    /// Samples `n`.
    pub fn cols(&self) -> usize {
        match self {
            Self::Dense(x) => x.cols(),
            Self::Sparse(x) => x.starts.len() - 1,
            Self::Masked { values, .. } => values.cols(),
        }
    }

    /// `‖x_j‖²` over the observed entries of each column, as far as the number type has squares of them.
    pub(super) fn squared_norms(&self, isa: crate::linalg::Isa, norms: &mut Vec<f64>) {
        norms.clear();
        for j in 0..self.cols() {
            let norm = match self {
                Self::Dense(x) => isa.run(SquaredNorm(x.col(j))),
                Self::Sparse(x) => isa.run(SquaredNorm(x.col(j).1)),
                Self::Masked { values, observed } => {
                    let seen = values.col(j).iter().enumerate().filter(|&(i, _)| observed.get(i, j));
                    seen.map(|(_, x)| x.to_f64() * x.to_f64()).sum()
                }
            };
            norms.push(norm);
        }
    }

    /// The largest magnitude of an observed entry.
    ///
    /// # Errors
    /// [`Error::NotFinite`] naming the first NaN or infinity.
    pub(super) fn largest(&self) -> Result<f64> {
        let mut largest = 0.0f64;
        for j in 0..self.cols() {
            let mut look = |i: usize, x: T| {
                let value = x.to_f64();
                largest = largest.max(value.abs());
                let (sample, feature) = (j as u64, i as u64);
                if value.is_finite() { Ok(()) } else { Err(Error::NotFinite { sample, feature, value }) }
            };
            match self {
                Self::Dense(x) => x.col(j).iter().enumerate().try_for_each(|(i, &x)| look(i, x))?,
                Self::Sparse(x) => {
                    let (rows, values) = x.col(j);
                    rows.iter().zip(values).try_for_each(|(&i, &x)| look(i as usize, x))?;
                }
                Self::Masked { values, observed } => {
                    let mut seen = values.col(j).iter().enumerate().filter(|&(i, _)| observed.get(i, j));
                    seen.try_for_each(|(i, &x)| look(i, x))?;
                }
            }
        }
        Ok(largest)
    }

    /// The same with every entry, and every sample by a number of its own, multiplied; written to buffers.
    pub(super) fn scaled<'b>(
        &self,
        factor: impl Fn(usize) -> f64,
        dense: &'b mut Mat<T>,
        sparse: &'b mut Vec<T>,
    ) -> Minibatch<'b, T>
    where
        Self: 'b,
    {
        let times = |x: T, factor: f64| T::from_f64(x.to_f64() * factor);
        match *self {
            Self::Dense(x) | Self::Masked { values: x, .. } => {
                dense.shape_to(x.rows(), x.cols());
                for j in 0..x.cols() {
                    let by = factor(j);
                    dense.col_mut(j).iter_mut().zip(x.col(j)).for_each(|(to, &x)| *to = times(x, by));
                }
                match *self {
                    Self::Masked { observed, .. } => Minibatch::Masked { values: dense.as_ref(), observed },
                    _ => Minibatch::Dense(dense.as_ref()),
                }
            }
            Self::Sparse(x) => {
                sparse.clear();
                for j in 0..x.cols() {
                    let by = factor(j);
                    sparse.extend(x.col(j).1.iter().map(|&x| times(x, by)));
                }
                Minibatch::Sparse(SparseRef { values: sparse, ..x })
            }
        }
    }
}

/// Sum of squares: in registers of the number type over stretches, in `f64` over the whole.
struct SquaredNorm<'a, T>(&'a [T]);

impl<T: Scalar> crate::linalg::simd::WithSimd for SquaredNorm<'_, T> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: crate::linalg::simd::Simd>(self, s: S) -> f64 {
        const STRETCH: usize = 4096;
        let lanes = T::lanes::<S>();
        let mut total = 0.0;
        for stretch in self.0.chunks(STRETCH) {
            let zero = T::splat(s, T::ZERO);
            let mut sums = [zero; 4];
            let whole = stretch.len() / (4 * lanes) * (4 * lanes);
            let mut at = 0;
            while at < whole {
                for (i, sum) in sums.iter_mut().enumerate() {
                    // SAFETY: at + 4·lanes ≤ whole ≤ the stretch's length.
                    let x = unsafe { T::load::<S>(stretch.as_ptr().add(at + i * lanes)) };
                    *sum = T::mul_add(s, x, x, *sum);
                }
                at += 4 * lanes;
            }
            let sum = T::plus(s, T::plus(s, sums[0], sums[1]), T::plus(s, sums[2], sums[3]));
            total += T::reduce_sum(s, sum).to_f64();
            total += stretch[whole..].iter().map(|x| x.to_f64() * x.to_f64()).sum::<f64>();
        }
        total
    }
}

/// A view of sparse columns: entries `starts[j]..starts[j+1]` of `indices` and `values` belong to column `j`. The
/// arrays of a scipy CSR matrix of samples by features have this layout.
///
/// ```
/// use ergodict::factor::{Factorizer, FactorSettings, SparseRef};
/// use ergodict::linalg::Mat;
/// // Columns (0, 5, 0) and (0, 0, 7), as entries and as they are.
/// let sparse = SparseRef::new(3, &[0, 1, 2], &[1, 2], &[5.0, 7.0])?;
/// let dense = Mat::from_fn(3, 2, |i, j| [[0.0, 0.0], [5.0, 0.0], [0.0, 7.0]][i][j]);
/// let mut model = Factorizer::<f64>::random(FactorSettings::new(2), 3, 0)?;
/// assert!((model.loss(sparse)? - model.loss(&dense)?).abs() < 1e-9);
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct SparseRef<'a, T> {
    rows: usize,
    starts: &'a [usize],
    indices: &'a [u32],
    values: &'a [T],
}

impl<'a, T: Scalar> SparseRef<'a, T> {
    /// A view of sparse columns with `rows` features. An index may occur twice in a column; entries then add up in
    /// products but not in norms, so sum duplicates first.
    ///
    /// # Errors
    /// [`Error::Shape`] when the arrays do not fit together or an index is out of range.
    pub fn new(rows: usize, starts: &'a [usize], indices: &'a [u32], values: &'a [T]) -> Result<Self> {
        let found = format!("{} starts, {} indices, {} values", starts.len(), indices.len(), values.len());
        let sorted = starts.windows(2).all(|w| w[0] <= w[1]);
        if !sorted
            || starts.first() != Some(&0)
            || starts.last() != Some(&indices.len())
            || indices.len() != values.len()
        {
            return Err(Error::shape(
                "the sparse matrix",
                found,
                "rising starts from 0 to the number of entries",
            ));
        }
        if let Some(i) = indices.iter().find(|&&i| i as usize >= rows) {
            return Err(Error::shape("a sparse index", i.to_string(), format!("one below {rows}")));
        }
        Ok(Self { rows, starts, indices, values })
    }

    /// Features.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Samples.
    pub fn cols(&self) -> usize {
        self.starts.len() - 1
    }

    /// Row indices and values of column `j`.
    pub(crate) fn col(&self, j: usize) -> (&'a [u32], &'a [T]) {
        let range = self.starts[j]..self.starts[j + 1];
        (&self.indices[range.clone()], &self.values[range])
    }
}

/// Which entries of a minibatch were observed: one bit each.
///
/// ```
/// use ergodict::factor::Mask;
/// let mask = Mask::from_fn(2, 3, |i, j| i != j);
/// assert_eq!((mask.get(0, 0), mask.get(0, 1), mask.is_full()), (false, true, false));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mask {
    rows: usize,
    cols: usize,
    bits: Vec<u64>,
}

impl Mask {
    /// The mask with `observed(i, j)` at row `i`, column `j`.
    pub fn from_fn(rows: usize, cols: usize, mut observed: impl FnMut(usize, usize) -> bool) -> Self {
        let words = rows.div_ceil(64);
        let mut bits = vec![0u64; words * cols];
        for j in 0..cols {
            for i in 0..rows {
                bits[j * words + i / 64] |= u64::from(observed(i, j)) << (i % 64);
            }
        }
        Self { rows, cols, bits }
    }

    /// Every entry that is not NaN.
    pub fn not_nan<T: Scalar>(x: MatRef<'_, T>) -> Self {
        Self::from_fn(x.rows(), x.cols(), |i, j| !x.get(i, j).to_f64().is_nan())
    }

    /// Whether entry `(i, j)` was observed.
    pub fn get(&self, i: usize, j: usize) -> bool {
        self.bits[j * self.rows.div_ceil(64) + i / 64] >> (i % 64) & 1 == 1
    }

    /// Whether every entry was observed.
    pub fn is_full(&self) -> bool {
        let ones: u32 = self.bits.iter().map(|b| b.count_ones()).sum();
        ones as usize == self.rows * self.cols
    }

    /// Rows and columns.
    pub(crate) fn shape(&self) -> (usize, usize) {
        (self.rows, self.cols)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_are_what_they_were_made_from_at_any_height() {
        for rows in [1, 63, 64, 65, 130] {
            let observed = |i: usize, j: usize| (7 * i + 3 * j) % 5 < 2 + j % 2;
            let mask = Mask::from_fn(rows, 4, observed);
            let same = (0..4).all(|j| (0..rows).all(|i| mask.get(i, j) == observed(i, j)));
            assert!(same && mask.shape() == (rows, 4) && !mask.is_full(), "{rows}");
            assert!(Mask::from_fn(rows, 4, |_, _| true).is_full());
            assert!(!Mask::from_fn(rows, 4, |i, j| (i, j) != (rows - 1, 3)).is_full());
            let x = Mat::from_fn(rows, 4, |i, j| if observed(i, j) { 1.0 } else { f64::NAN });
            assert_eq!(Mask::not_nan(x.as_ref()), mask);
        }
    }
}
