//! Arrays of samples as Python has them: viewed where they lie, or gathered minibatch by minibatch.

use crate::error::to_py_err;
use ergodict::Error;
use ergodict::data::SampleRows;
use ergodict::factor::{Mask, Minibatch, SparseRef};
use ergodict::linalg::{Mat, MatRef, Scalar};
use ergodict::memory;
use numpy::{Element, PyArray1, PyArray2, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::marker::PhantomData;

/// A matrix of samples by features, which a Python object keeps alive.
#[derive(Clone, Copy)]
pub(crate) enum Samples<'a, T> {
    /// An array of numpy.
    Dense(Dense<'a, T>),
    /// The arrays of a CSR matrix of scipy.
    Sparse(Sparse<'a, T>),
}

/// A numpy array of any strides.
#[derive(Clone, Copy)]
pub(crate) struct Dense<'a, T> {
    data: *const T,
    samples: usize,
    features: usize,
    /// Bytes between samples, and between features.
    strides: (isize, isize),
    /// The whole as it lies, where every sample is consecutive.
    view: Option<MatRef<'a, T>>,
}

// SAFETY: the memory is only read, and lives as long as the borrow of the Python object, which numpy pins. That other Python threads do
// not write to it meanwhile is left to the caller, as everywhere in numpy.
unsafe impl<T: Sync> Send for Dense<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for Dense<'_, T> {}

/// The arrays of a CSR matrix, each contiguous.
#[derive(Clone, Copy)]
pub(crate) struct Sparse<'a, T> {
    values: &'a [T],
    indices: Index<'a>,
    starts: Index<'a>,
    features: usize,
}

/// Integers as scipy chooses them.
#[derive(Clone, Copy)]
enum Index<'a> {
    Narrow(&'a [i32]),
    Wide(&'a [i64]),
}

impl Index<'_> {
    fn len(&self) -> usize {
        match self {
            Self::Narrow(x) => x.len(),
            Self::Wide(x) => x.len(),
        }
    }

    fn at(&self, i: usize) -> i64 {
        match self {
            Self::Narrow(x) => i64::from(x[i]),
            Self::Wide(x) => x[i],
        }
    }
}

/// Buffers of one minibatch, kept from one to the next.
pub(crate) struct Buffers<T> {
    dense: Mat<T>,
    starts: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<T>,
    mask: Option<Mask>,
}

impl<T: Scalar> Buffers<T> {
    /// Without memory yet.
    pub(crate) fn new() -> Self {
        let (starts, indices, values) = (Vec::new(), Vec::new(), Vec::new());
        Self { dense: Mat::zeros(0, 0), starts, indices, values, mask: None }
    }
}

impl<'a, T: Scalar + Element> Samples<'a, T> {
    /// From an array (n, d), or a tuple (data, indices, indptr, d) of the arrays of a CSR matrix. None for an array of another type.
    pub(crate) fn from_object(object: &'a Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        if let Ok(array) = object.cast::<PyArray2<T>>() {
            return Ok(Some(Self::Dense(Dense::from_array(array))));
        }
        let Ok(parts) = object.cast::<PyTuple>() else { return Ok(None) };
        if parts.len() != 4 {
            return Err(PyTypeError::new_err(
                "a sparse matrix is given as (data, indices, indptr, features)",
            ));
        }
        let Ok(values) = parts.get_item(0)?.cast_into::<PyArray1<T>>() else { return Ok(None) };
        let (indices, starts) = (index(&parts.get_item(1)?)?, index(&parts.get_item(2)?)?);
        let features = parts.get_item(3)?.extract()?;
        orderly(values.is_c_contiguous() && values.data().is_aligned())?;
        // SAFETY: contiguous, aligned, and kept alive by the tuple, which is borrowed for 'a.
        let values = unsafe { slice(values.data(), values.len()) };
        Ok(Some(Self::Sparse(Sparse { values, indices, starts, features })))
    }

    /// Number of samples.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Dense(x) => x.samples,
            Self::Sparse(x) => x.starts.len().saturating_sub(1),
        }
    }

    /// Number of features.
    pub(crate) fn features(&self) -> usize {
        match self {
            Self::Dense(x) => x.features,
            Self::Sparse(x) => x.features,
        }
    }

    /// Whether consecutive samples are viewed where they lie.
    pub(crate) fn is_viewed(&self) -> bool {
        matches!(self, Self::Dense(Dense { view: Some(_), .. }))
    }

    /// The first entry, if samples are viewed where they lie.
    pub(crate) fn address(&self) -> Option<usize> {
        match self {
            Self::Dense(Dense { view: Some(_), data, .. }) => Some(*data as usize),
            _ => None,
        }
    }

    /// These samples as a minibatch; NaN is what was not observed if `missing`.
    pub(crate) fn minibatch<'b>(
        &'b self,
        rows: &SampleRows<'_>,
        missing: bool,
        buffers: &'b mut Buffers<T>,
    ) -> ergodict::Result<Minibatch<'b, T>> {
        match self {
            Self::Dense(dense) => {
                let x: MatRef<'b, T> = if let (Some(view), SampleRows::Range(range)) = (dense.view, rows) {
                    view.columns(range.start as usize, range.end as usize)
                } else {
                    dense.gather(rows, &mut buffers.dense)?;
                    buffers.dense.as_ref()
                };
                buffers.mask = missing.then(|| Mask::not_nan(x)).filter(|mask| !mask.is_full());
                Ok(match &buffers.mask {
                    Some(observed) => Minibatch::Masked { values: x, observed },
                    None => Minibatch::Dense(x),
                })
            }
            Self::Sparse(sparse) => sparse.gather(rows, buffers),
        }
    }
}

impl<'a, T: Scalar + Element> Dense<'a, T> {
    fn from_array(array: &'a Bound<'_, PyArray2<T>>) -> Self {
        let (shape, strides) = (array.shape(), array.strides());
        let (samples, features) = (shape[0], shape[1]);
        let data = array.data().cast_const();
        // Strides of axes of one entry mean nothing.
        let size = size_of::<T>() as isize;
        let feature = if features > 1 { strides[1] } else { size };
        let sample = if samples > 1 { strides[0] } else { features as isize * size };
        let whole = samples > 0 && features > 0;
        let fits = feature == size && sample >= features as isize * size && sample % size == 0;
        let view = if whole && fits && data.is_aligned() {
            let stride = (sample / size) as usize;
            // SAFETY: from the first entry of the array to its last, all within one block of memory that the array, borrowed for 'a,
            // keeps alive; aligned; any bytes are a number.
            let all = unsafe { slice(data, (samples - 1) * stride + features) };
            MatRef::with_stride(all, features, samples, stride).ok()
        } else {
            None
        };
        Self { data, samples, features, strides: (sample, feature), view }
    }

    /// Copies these samples, one a column.
    fn gather(&self, rows: &SampleRows<'_>, out: &mut Mat<T>) -> ergodict::Result<()> {
        /// Features copied sample after sample before the next: a line of a buffer, so that arrays in Fortran order are read along
        /// their columns.
        const TILE: usize = 8;
        let n = rows.len();
        if (out.rows(), out.cols()) != (self.features, n) {
            check_minibatch::<T>(self.features, n)?;
            out.reset(self.features, n);
        }
        if let Some(view) = self.view {
            for j in 0..n {
                out.col_mut(j).copy_from_slice(view.col(rows.at(j) as usize));
            }
            return Ok(());
        }
        for tile in (0..self.features).step_by(TILE) {
            let end = self.features.min(tile + TILE);
            for j in 0..n {
                let row = rows.at(j) as isize * self.strides.0;
                for (i, x) in (tile..end).zip(&mut out.col_mut(j)[tile..end]) {
                    // SAFETY: an entry of the array, by its strides: rows are below `samples` and features below `features`.
                    *x = unsafe { self.data.byte_offset(row + i as isize * self.strides.1).read_unaligned() };
                }
            }
        }
        Ok(())
    }
}

impl<T: Scalar> Sparse<'_, T> {
    fn gather<'b>(
        &self,
        rows: &SampleRows<'_>,
        buffers: &'b mut Buffers<T>,
    ) -> ergodict::Result<Minibatch<'b, T>> {
        let Buffers { starts, indices, values, .. } = buffers;
        indices.clear();
        values.clear();
        starts.clear();
        starts.push(0);
        let most = self.values.len().min(self.indices.len());
        for j in 0..rows.len() {
            let row = rows.at(j) as usize;
            let from = usize::try_from(self.starts.at(row)).unwrap_or(usize::MAX);
            let to = usize::try_from(self.starts.at(row + 1)).unwrap_or(usize::MAX);
            if from > to || to > most {
                // What the library says of starts that do not rise.
                return SparseRef::new(self.features, &[1], &[], values.as_slice()).map(Minibatch::Sparse);
            }
            // A negative index becomes one that is out of range.
            indices.extend((from..to).map(|i| u32::try_from(self.indices.at(i)).unwrap_or(u32::MAX)));
            values.extend_from_slice(&self.values[from..to]);
            starts.push(values.len());
        }
        SparseRef::new(self.features, starts, indices, values).map(Minibatch::Sparse)
    }
}

fn orderly(yes: bool) -> PyResult<()> {
    if yes {
        return Ok(());
    }
    Err(PyValueError::new_err("the arrays of a sparse matrix must be contiguous and aligned"))
}

fn index<'a>(object: &Bound<'_, PyAny>) -> PyResult<Index<'a>> {
    if let Ok(array) = object.cast::<PyArray1<i32>>() {
        orderly(array.is_c_contiguous() && array.data().is_aligned())?;
        // SAFETY: contiguous, aligned, and kept alive by the tuple it came from.
        return Ok(Index::Narrow(unsafe { slice(array.data(), array.len()) }));
    }
    if let Ok(array) = object.cast::<PyArray1<i64>>() {
        orderly(array.is_c_contiguous() && array.data().is_aligned())?;
        // SAFETY: as above.
        return Ok(Index::Wide(unsafe { slice(array.data(), array.len()) }));
    }
    Err(PyTypeError::new_err("the indices of a sparse matrix must be an array of int32 or int64"))
}

/// A slice that outlives what the compiler sees.
///
/// # Safety
/// As `from_raw_parts`, for the lifetime chosen: aligned, too; empty slices may start anywhere.
unsafe fn slice<'a, T>(data: *const T, len: usize) -> &'a [T] {
    if len == 0 {
        return &[];
    }
    // SAFETY: the caller's.
    unsafe { std::slice::from_raw_parts(data, len) }
}

/// A matrix (rows of Python become columns here): the transpose of an array, copied.
pub(crate) fn transposed<T: Scalar + Element>(array: &Bound<'_, PyArray2<T>>) -> PyResult<Mat<T>> {
    let dense = Dense::from_array(array);
    let mut out = Mat::zeros(0, 0);
    dense.gather(&SampleRows::Range(0..dense.samples as u64), &mut out).map_err(to_py_err)?;
    Ok(out)
}

/// Refuses minibatches that do not fit into memory: arrays of any size can be made of one number by strides of zero.
pub(crate) fn check_minibatch<T>(features: usize, samples: usize) -> ergodict::Result<()> {
    /// So little is always there; looking takes longer than a small minibatch.
    const LITTLE: u64 = 1 << 24;
    let column = (features as u64).saturating_mul(size_of::<T>() as u64).saturating_add(64);
    let needed = column.saturating_mul(samples as u64);
    if needed <= LITTLE {
        return Ok(());
    }
    let what = format!("a minibatch of {samples} samples of {features} features");
    fits(needed, &what, "give fewer samples at a time")
}

/// Refuses work that needs more memory than there is, or than this process may have.
pub(crate) fn fits(needed: u64, what: &str, way_out: &str) -> ergodict::Result<()> {
    memory::check(needed, what, way_out)?;
    let bytes = usize::try_from(needed).unwrap_or(usize::MAX);
    // Given back at once, and never touched.
    Vec::<u8>::new().try_reserve_exact(bytes).map_err(|_| Error::Memory {
        what: what.to_owned(),
        needed: memory::bytes(needed),
        available: "fewer".to_owned(),
        way_out: way_out.to_owned(),
        hint: None,
    })
}

/// The columns of a matrix as the rows of an array.
pub(crate) fn columns<'py, T: Scalar + Element>(py: Python<'py>, m: &Mat<T>) -> Bound<'py, PyArray2<T>> {
    let array = PyArray2::zeros(py, [m.cols(), m.rows()], false);
    let data: *mut T = array.data();
    for j in 0..m.cols() {
        // SAFETY: a new C-ordered array without other references; row j is m.rows() numbers from here.
        let row = unsafe { std::slice::from_raw_parts_mut(data.add(j * m.rows()), m.rows()) };
        row.copy_from_slice(m.col(j));
    }
    array
}

/// Where a minibatch writes its rows of an array of results that is being filled.
pub(crate) struct Rows<'a, T> {
    data: *mut T,
    count: usize,
    width: usize,
    life: PhantomData<&'a mut T>,
}

// SAFETY: the array is new, and only the one thread that has this writes to it.
unsafe impl<T: Send> Send for Rows<'_, T> {}

impl<'a, T: Scalar + Element> Rows<'a, T> {
    /// The rows of an array that was just made and has no other references.
    pub(crate) fn from_array(array: &'a Bound<'_, PyArray2<T>>) -> Self {
        let (count, width) = (array.shape()[0], array.shape()[1]);
        Self { data: array.data(), count, width, life: PhantomData }
    }

    /// Writes the columns of a matrix as rows from `first` on.
    pub(crate) fn write(&mut self, first: usize, m: MatRef<'_, T>) {
        assert!(m.rows() == self.width && first + m.cols() <= self.count, "rows outside of an array");
        for j in 0..m.cols() {
            // SAFETY: row first + j of the array, which is C-ordered and at hand.
            let row = unsafe {
                std::slice::from_raw_parts_mut(self.data.add((first + j) * self.width), self.width)
            };
            row.copy_from_slice(m.col(j));
        }
    }
}
