//! The command line, run as users run it.

mod bad_input;
mod bench;
mod config;
mod factor;
mod help;
mod image;
mod resume;
mod simulate;
mod spins;
mod transform;
