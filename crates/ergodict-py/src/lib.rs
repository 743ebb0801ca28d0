//! The extension module `ergodict._ergodict`: what the Python package stands on. Bindings only, no algorithm.

mod compare;
mod denoise;
mod error;
mod evaluate;
mod going;
mod learn;
mod network;
mod network_model;
mod random_network;
mod reconstruct;
mod sampler;
mod sampling;
mod scheme;
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

    // Network dictionaries, denoising and evaluation.
    #[pymodule_export]
    use super::compare::compare_networks;
    #[pymodule_export]
    use super::denoise::{denoise_scores, denoising_methods, most_suspect, non_edges};
    #[pymodule_export]
    use super::evaluate::{auc_difference, evaluate_scores};
    #[pymodule_export]
    use super::learn::NetworkLearner;
    #[pymodule_export]
    use super::network_model::{NetworkModel, input_digest};
    #[pymodule_export]
    use super::reconstruct::{accuracy, rebuild};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
