//! Lists of Python as vectors: as long as they are, not as long as they say.
//!
//! What `__len__` says is not believed. PyO3 sets aside memory for that many elements, and a number for which there is none ends the process.

use crate::memory::reserve;
use pyo3::conversion::FromPyObjectOwned;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyString;

/// The elements of a list, tuple, array or other collection.
pub(crate) fn list<'py, T: FromPyObjectOwned<'py>>(given: &Bound<'py, PyAny>) -> PyResult<Vec<T>> {
    each(given, |item| item.extract().map_err(Into::into))
}

/// The elements of a collection, or none of None.
pub(crate) fn maybe_list<'py, T: FromPyObjectOwned<'py>>(
    given: &Bound<'py, PyAny>,
) -> PyResult<Option<Vec<T>>> {
    if given.is_none() { Ok(None) } else { list(given).map(Some) }
}

/// The elements of each of several collections, as far as there is memory for all of them if they are as long as the first.
pub(crate) fn lists<'py, T: FromPyObjectOwned<'py>>(given: &Bound<'py, PyAny>) -> PyResult<Vec<Vec<T>>> {
    if let Some(first) = given.try_iter()?.next() {
        let elements = given.len()? as u128 * first?.len()? as u128;
        reserve(elements * size_of::<T>() as u128, "the numbers")?;
    }
    each(given, list)
}

fn each<'py, T>(
    given: &Bound<'py, PyAny>,
    element: impl Fn(&Bound<'py, PyAny>) -> PyResult<T>,
) -> PyResult<Vec<T>> {
    if given.is_instance_of::<PyString>() {
        return Err(PyTypeError::new_err("a list was expected, but this is text"));
    }
    // No more than it says, so that one without an end has one.
    given.try_iter()?.take(given.len()?).map(|item| element(&item?)).collect()
}
