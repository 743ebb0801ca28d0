//! The command line, run as users run it.

mod bad_chains;
mod bad_input;
mod bad_networks;
mod bench;
mod chain_models;
mod chain_resume;
mod config;
mod denoise;
mod disk;
mod factor;
mod help;
mod image;
mod json;
mod killed;
mod latent_motifs;
mod memory;
mod network;
mod progress;
mod resume;
mod sample;
mod signals;
mod simulate;
mod spins;
mod transform;
