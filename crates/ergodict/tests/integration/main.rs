//! The tests of the library through its public items, in one program.

mod allocation;
mod coding;
mod common;
mod counting;
mod data_allocations;
mod data_streams;
mod denoise_embeddings;
mod denoise_features;
mod denoise_motif_codes;
mod dictionary_update;
mod documented;
mod hazards;
#[cfg(feature = "image")]
mod images;
mod ising;
mod ising_exact;
mod ising_learning;
mod model_file;
mod motif_exact;
mod motif_glauber;
mod network_comparison;
mod network_dictionary;
mod network_files;
mod network_formats;
mod network_models;
mod network_patches;
mod network_reconstruction;
#[cfg(feature = "image")]
mod pictures;
mod review;
mod scheme;
mod spin_systems;
mod theorem;
mod threads;
mod trajectories;
