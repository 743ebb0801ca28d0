//! The command line, run as users run it.

mod bad_chains;
mod bad_input;
mod bad_networks;
mod bench;
mod browser;
mod chain_models;
mod chain_resume;
mod checkpoint;
mod compare;
mod config;
mod convert;
mod demo;
mod denoise;
mod disk;
mod factor;
#[cfg(feature = "fetch")]
mod fetch;
mod help;
mod hostile;
mod image;
mod in_time;
mod json;
mod json_docs;
mod killed;
mod latent_motifs;
mod manual;
mod mapped;
mod memory;
mod model;
mod network;
#[cfg(not(feature = "fetch"))]
mod no_fetch;
mod pages;
mod progress;
mod report;
mod resume;
mod round_trip;
mod sample;
mod shell;
mod signals;
mod simulate;
mod spins;
mod transform;
