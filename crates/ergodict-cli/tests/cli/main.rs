//! The command line, run as users run it.

mod bad_chains;
mod bad_input;
mod bad_networks;
mod bench;
mod chain_models;
mod chain_resume;
mod config;
mod convergence;
mod denoise;
mod factor;
mod help;
mod image;
mod json;
mod latent_motifs;
mod manual;
mod network;
mod report;
mod resume;
mod round_trip;
mod sample;
mod shell;
mod simulate;
mod spins;
mod transform;
