//! The extension module `ergodict._ergodict`: what the Python package stands on. Bindings only, no algorithm.

mod error;
mod image;
mod network;
mod room;
mod spins;
mod work;

/// What the Python package `ergodict` stands on; use that.
#[pyo3::pymodule]
mod _ergodict {
    use pyo3::prelude::*;

    #[pymodule_export]
    use super::network::{Network, embedded_networks, order_of_names};

    // Chains and images.
    #[pymodule_export]
    use super::image::{
        ImageStream, PatchDictionary, embedded_image, noise_level, picture_distance, read_image,
    };
    #[pymodule_export]
    use super::spins::{SpinChain, read_edges, series_autocorrelation, series_mixing};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
