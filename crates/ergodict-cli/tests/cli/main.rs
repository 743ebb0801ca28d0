//! The command line, run as users run it.

mod bad_chains;
mod bad_input;
mod bad_networks;
mod bench;
mod chain_models;
mod chain_resume;
mod config;
mod denoise;
mod factor;
mod help;
mod image;
mod json;
mod latent_motifs;
mod network;
mod pages;
mod resume;
mod sample;
mod simulate;
mod spins;
mod transform;
