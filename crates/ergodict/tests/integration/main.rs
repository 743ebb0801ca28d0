//! The tests of the library through its public items, in one program.

mod allocation;
mod coding;
mod common;
mod counting;
mod data_allocations;
mod denoise_embeddings;
mod denoise_null;
mod documented;
mod hazards;
#[cfg(feature = "image")]
mod images;
mod ising;
mod ising_learning;
mod model_file;
mod network_comparison;
mod network_files;
mod network_formats;
mod network_models;
#[cfg(feature = "image")]
mod pictures;
mod review;
mod scheme;
mod table_dialects;
mod table_notes;
mod theorem;
mod threads;
