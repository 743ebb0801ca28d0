//! Room in memory: asked for before it is taken, because an allocation that fails ends the process.

use pyo3::PyResult;
use pyo3::exceptions::PyMemoryError;

/// Refuses what would take more memory than can be had.
pub(crate) fn reserve(bytes: u128, what: &str) -> PyResult<()> {
    let fits = usize::try_from(bytes).is_ok_and(|bytes| Vec::<u8>::new().try_reserve_exact(bytes).is_ok());
    if fits {
        return Ok(());
    }
    let size = bytes as f64 / f64::from(1 << 30);
    Err(PyMemoryError::new_err(format!("{what} would take about {size:.1} GiB, which cannot be had")))
}
