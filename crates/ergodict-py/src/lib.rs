//! The extension module `ergodict._ergodict`: what the Python package stands on. Bindings only, no algorithm.

#![expect(
    clippy::needless_pass_by_value,
    clippy::too_many_arguments,
    clippy::type_complexity,
    reason = "they are arguments and results of Python"
)]

mod aligned;
mod array;
#[cfg(unix)]
mod bus;
mod compare;
mod denoise;
mod distributed;
mod error;
mod evaluate;
mod factor;
#[cfg(feature = "fetch")]
mod fetch;
mod image;
mod list;
mod memory;
mod model;
mod network;
mod network_model;
mod page;
mod random_network;
mod reconstruct;
mod run;
mod sampler;
mod sampling;
mod scan;
mod scheme;
mod sets;
mod spins;
mod time;
mod value;
mod work;

/// What the Python package `ergodict` stands on; use that.
#[pyo3::pymodule]
mod _ergodict {
    use pyo3::prelude::*;

    #[pymodule_export]
    use super::compare::compare_networks;
    #[pymodule_export]
    use super::denoise::{
        denoise_scores, denoising_method, denoising_methods, denoising_page, most_suspect, non_edges,
    };
    #[pymodule_export]
    use super::distributed::{
        Checkpoint, Parts, SharePlace, TaskContext, model_motif, share_of, share_outcome, share_task,
    };
    #[pymodule_export]
    use super::evaluate::{auc_difference, calibrate, evaluate_scores, evaluation_report};
    #[pymodule_export]
    use super::factor::{_address_of, Factorizer, minibatches};
    #[cfg(feature = "fetch")]
    #[pymodule_export]
    use super::fetch::fetch_network;
    #[pymodule_export]
    use super::image::{
        ImageStream, PatchDictionary, denoise_image, embedded_image, noise_level, picture_distance,
        read_image,
    };
    #[pymodule_export]
    use super::model::{_set_patch, _set_schedule};
    #[pymodule_export]
    use super::network::{
        Network, embedded_networks, is_adjacency, order_of_names, table_columns, table_direction,
        table_doubts, table_repeats, timed_columns,
    };
    #[pymodule_export]
    use super::network_model::{NetworkModel, coding_seed, input_digest};
    #[pymodule_export]
    use super::page::Page;
    #[pymodule_export]
    use super::random_network::{corrupt, generate, rewire};
    #[pymodule_export]
    use super::reconstruct::{accuracy, rebuild, reconstruction_report};
    #[pymodule_export]
    use super::run::Run;
    #[pymodule_export]
    use super::sampler::Sampler;
    #[pymodule_export]
    use super::scan::scan_temperatures;
    #[pymodule_export]
    use super::sets::set_names;
    #[pymodule_export]
    use super::spins::{
        PersistentChains, SpinChain, cut_patches, read_edges, series_autocorrelation, series_mixing,
        series_quantile,
    };
    #[pymodule_export]
    use super::time::{ChangingNetwork, TimedEdges, Windows, parse_moments};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        #[cfg(unix)]
        super::bus::start();
        super::work::hush_refused_panics();
        module.add("NETWORK_FORMATS", ergodict::data::NetworkFormat::READ)?;
        module.add("MOTIF_NODES", ergodict::chain::Motif::NODES)?;
        module.add("TABLE_SAMPLE", ergodict::data::TableColumns::SAMPLE)?;
        module.add(
            "TYPOGRAPHIC",
            ergodict::data::TYPOGRAPHIC.map(|(open, close)| (open, String::from_iter(close))),
        )?;
        module.add("DEFAULT_PROPOSALS", ergodict::data::DEFAULT_PROPOSALS)?;
        module.add("DEFAULT_WINDOWS", ergodict::data::DEFAULT_WINDOWS)?;
        module.add("COMPARING", super::compare::constants(module.py())?)?;
        module.add("DENOISING", super::denoise::constants(module.py())?)?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
