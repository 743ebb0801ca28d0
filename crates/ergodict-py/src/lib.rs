//! The extension module `ergodict._ergodict`: what the Python package stands on. Bindings only, no algorithm.

mod error;
mod network;
mod random_network;
mod sampler;
mod work;

/// What the Python package `ergodict` stands on; use that.
#[pyo3::pymodule]
mod _ergodict {
    use pyo3::prelude::*;

    #[pymodule_export]
    use super::network::{Network, embedded_networks, order_of_names};
    #[pymodule_export]
    use super::random_network::{corrupt, generate};
    #[pymodule_export]
    use super::sampler::Sampler;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
