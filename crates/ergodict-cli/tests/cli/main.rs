//! The command line, run as users run it.

mod bad_chains;
mod bad_input;
mod bench;
mod chain_models;
mod chain_resume;
mod config;
mod factor;
mod help;
mod image;
mod json;
mod resume;
mod simulate;
mod spins;
mod transform;
