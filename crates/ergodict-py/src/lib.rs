//! The extension module `ergodict._ergodict`: what the Python package stands on. Bindings only, no algorithm.

mod array;
mod error;
mod factor;
mod model;
mod network;
mod sets;
mod work;

/// What the Python package `ergodict` stands on; use that.
#[pyo3::pymodule]
mod _ergodict {
    use pyo3::prelude::*;

    #[pymodule_export]
    use super::factor::{_address_of, Factoriser, minibatches};
    #[pymodule_export]
    use super::model::_defaults;
    #[pymodule_export]
    use super::network::Network;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
