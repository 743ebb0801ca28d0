//! Arrays of Python that can be read in place: those whose numbers begin where the processor wants them.

use numpy::ndarray::{ArrayView, Dimension};
use numpy::{Element, PyReadonlyArray, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The numbers of an array. One that is not aligned, which ndarray would panic at, is refused.
pub(crate) fn view<'a, T: Element, D: Dimension>(
    array: &'a PyReadonlyArray<'_, T, D>,
) -> PyResult<ArrayView<'a, T, D>> {
    if array.is_aligned() {
        return Ok(array.as_array());
    }
    Err(PyValueError::new_err("the array is not aligned: np.require(array, requirements=\"A\") is"))
}

/// The numbers of a column.
pub(crate) fn column<T: Element + Copy>(array: &PyReadonlyArray<'_, T, numpy::Ix1>) -> PyResult<Vec<T>> {
    Ok(view(array)?.to_vec())
}
