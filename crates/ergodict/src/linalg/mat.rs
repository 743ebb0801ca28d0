//! Column-major matrices: an owning one whose columns start on cache lines, and a view.

use super::Scalar;
use crate::{Error, Result};

/// Bytes of a cache line, and of the widest SIMD register.
const LINE: usize = 64;

#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([u8; LINE]);

/// A matrix in column-major order. Every column starts on a 64-byte boundary and is padded to one with
/// zeros, so that kernels need no remainder loops and no load straddles two cache lines.
///
/// ```
/// use ergodict::linalg::Mat;
/// let a = Mat::from_fn(2, 3, |i, j| (10 * i + j) as f64);
/// assert_eq!((a.rows(), a.cols(), a.col(2)), (2, 3, &[2.0, 12.0][..]));
/// assert_eq!(a.transposed().get(2, 1), a.get(1, 2));
/// ```
#[derive(Clone)]
pub struct Mat<T> {
    lines: Vec<Line>,
    rows: usize,
    cols: usize,
    stride: usize,
    marker: std::marker::PhantomData<T>,
}

/// A view of a column-major matrix: `rows` consecutive numbers a column, columns `stride` apart.
///
/// ```
/// use ergodict::linalg::MatRef;
/// // Two samples of three features, as numpy has them in an array of shape (2, 3).
/// let samples = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
/// let x = MatRef::from_column_major(&samples, 3, 2)?;
/// assert_eq!((x.col(1), x.get(0, 1)), (&[4.0, 5.0, 6.0][..], 4.0));
/// assert!(MatRef::from_column_major(&samples, 4, 2).is_err());
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct MatRef<'a, T> {
    data: &'a [T],
    rows: usize,
    cols: usize,
    stride: usize,
}

impl<T: Scalar> Mat<T> {
    /// A matrix of zeros.
    pub fn zeros(rows: usize, cols: usize) -> Self {
        let (stride, lines) = Self::room(rows, cols);
        let lines = vec![Line([0; LINE]); lines];
        Self { lines, rows, cols, stride, marker: std::marker::PhantomData }
    }

    /// Numbers between columns, and cache lines in all.
    fn room(rows: usize, cols: usize) -> (usize, usize) {
        let per_line = LINE / size_of::<T>();
        let lines =
            rows.div_ceil(per_line).checked_mul(cols).filter(|lines| lines.checked_mul(LINE).is_some());
        assert!(lines.is_some() && isize::try_from(rows).is_ok(), "a matrix of {rows}×{cols} fits no memory");
        (rows.div_ceil(per_line) * per_line, lines.unwrap_or(0))
    }

    /// The matrix with entry `f(i, j)` at row `i`, column `j`.
    pub fn from_fn(rows: usize, cols: usize, mut f: impl FnMut(usize, usize) -> T) -> Self {
        let mut m = Self::zeros(rows, cols);
        for j in 0..cols {
            for (i, x) in m.col_mut(j).iter_mut().enumerate() {
                *x = f(i, j);
            }
        }
        m
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Distance between the starts of neighboring columns.
    pub(crate) fn stride(&self) -> usize {
        self.stride
    }

    /// Resizes to `rows × cols` and fills with zeros; allocates only when the new size needs more room.
    pub fn reset(&mut self, rows: usize, cols: usize) {
        let (stride, lines) = Self::room(rows, cols);
        (self.rows, self.cols, self.stride) = (rows, cols, stride);
        self.lines.clear();
        self.lines.resize(lines, Line([0; LINE]));
    }

    /// Makes it `rows × cols`, keeping whatever numbers are there when it is so already: for buffers that are about
    /// to be overwritten.
    pub(crate) fn shape_to(&mut self, rows: usize, cols: usize) {
        if (self.rows, self.cols) != (rows, cols) {
            self.reset(rows, cols);
        }
    }

    /// All numbers with the padding, column after column.
    pub fn padded(&self) -> &[T] {
        let len = self.lines.len() * (LINE / size_of::<T>());
        // SAFETY: a `Line` is 64 initialized bytes, `T` is f32 or f64, which any bytes are, and the alignment
        // of `Line` is a multiple of that of `T`.
        unsafe { std::slice::from_raw_parts(self.lines.as_ptr().cast(), len) }
    }

    /// All numbers with the padding, to be written. The padding must be left zero.
    pub(crate) fn padded_mut(&mut self) -> &mut [T] {
        let len = self.lines.len() * (LINE / size_of::<T>());
        // SAFETY: as for `padded`, and the borrow is exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.lines.as_mut_ptr().cast(), len) }
    }

    /// Column `j`.
    pub fn col(&self, j: usize) -> &[T] {
        &self.padded()[j * self.stride..][..self.rows]
    }

    /// Column `j`, to be written.
    pub fn col_mut(&mut self, j: usize) -> &mut [T] {
        let (start, rows) = (j * self.stride, self.rows);
        &mut self.padded_mut()[start..][..rows]
    }

    /// The entry at row `i`, column `j`.
    pub fn get(&self, i: usize, j: usize) -> T {
        self.col(j)[i]
    }

    /// A view of the whole.
    pub fn as_ref(&self) -> MatRef<'_, T> {
        MatRef { data: self.padded(), rows: self.rows, cols: self.cols, stride: self.stride }
    }

    /// The same numbers in another precision.
    pub fn cast<U: Scalar>(&self) -> Mat<U> {
        Mat::from_fn(self.rows, self.cols, |i, j| U::from_f64(self.get(i, j).to_f64()))
    }

    /// The transpose, as a new matrix.
    pub fn transposed(&self) -> Self {
        Self::from_fn(self.cols, self.rows, |i, j| self.get(j, i))
    }
}

impl<T: Scalar> PartialEq for Mat<T> {
    fn eq(&self, other: &Self) -> bool {
        (self.rows, self.cols) == (other.rows, other.cols)
            && (0..self.cols).all(|j| self.col(j) == other.col(j))
    }
}

impl<T: Scalar> std::fmt::Debug for Mat<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Mat<{}> {}×{} ", T::NAME, self.rows, self.cols)?;
        f.debug_list().entries((0..self.cols).map(|j| self.col(j))).finish()
    }
}

impl<'a, T: Scalar> MatRef<'a, T> {
    /// A view of `rows × cols` numbers stored column after column. A numpy array of shape `(cols, rows)` in C
    /// order has this layout.
    ///
    /// # Errors
    /// [`Error::Shape`] when `data` does not hold exactly `rows · cols` numbers.
    pub fn from_column_major(data: &'a [T], rows: usize, cols: usize) -> Result<Self> {
        if rows.checked_mul(cols) != Some(data.len()) {
            return Err(Error::shape(
                "the buffer",
                format!("{} numbers", data.len()),
                format!("{rows}×{cols}"),
            ));
        }
        Ok(Self { data, rows, cols, stride: rows })
    }

    /// A view whose columns start `stride ≥ rows` apart.
    ///
    /// # Errors
    /// [`Error::Shape`] when `data` is too short or `stride < rows`.
    pub fn with_stride(data: &'a [T], rows: usize, cols: usize, stride: usize) -> Result<Self> {
        let needed = cols.saturating_sub(1).saturating_mul(stride).saturating_add(rows);
        if stride < rows || (cols > 0 && data.len() < needed) {
            return Err(Error::shape(
                "the buffer",
                format!("{} numbers with stride {stride}", data.len()),
                format!("{rows}×{cols}"),
            ));
        }
        Ok(Self { data, rows, cols, stride })
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Distance between the starts of neighboring columns.
    pub(crate) fn stride(&self) -> usize {
        self.stride
    }

    /// Column `j`.
    pub fn col(&self, j: usize) -> &'a [T] {
        &self.data[j * self.stride..][..self.rows]
    }

    /// The entry at row `i`, column `j`.
    pub fn get(&self, i: usize, j: usize) -> T {
        self.col(j)[i]
    }

    /// Columns `from..to`; panics unless `from ≤ to ≤ cols`.
    pub fn columns(&self, from: usize, to: usize) -> Self {
        assert!(from <= to && to <= self.cols, "columns {from}..{to} of {}", self.cols);
        let data = if from < to { &self.data[from * self.stride..] } else { &self.data[..0] };
        Self { data, rows: self.rows, cols: to - from, stride: self.stride }
    }

    /// Rows `from..to`; panics unless `from ≤ to ≤ rows`.
    pub(crate) fn some_rows(&self, from: usize, to: usize) -> Self {
        assert!(from <= to && to <= self.rows, "rows {from}..{to} of {}", self.rows);
        let data = if self.cols > 0 { &self.data[from..] } else { self.data };
        Self { data, rows: to - from, cols: self.cols, stride: self.stride }
    }

    /// The first entry; the rest follows by `rows`, `cols` and `stride`.
    pub(crate) fn as_ptr(&self) -> *const T {
        self.data.as_ptr()
    }

    /// An owned copy.
    pub fn to_owned(&self) -> Mat<T> {
        Mat::from_fn(self.rows, self.cols, |i, j| self.get(i, j))
    }
}
