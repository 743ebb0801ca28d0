//! The reports of ergodict: a page for each kind of result, the same from the command line and from Python.
//!
//! ```text
//! model ────────────▶ model, network, over_time ─┐
//! scores of pairs ──▶ denoising, evaluation ─────┼─▶ ergodict_report::Report ──▶ one page
//! networks ─────────▶ info, comparison, ─────────┤
//!                     reconstruction             │
//! images, spins ────▶ image, spins ──────────────┤
//! chains ───────────▶ sample, simulation, scan ──┘
//! ```
//!
//! It takes results of the library and knows of no arguments and no terminal. [`rerun`] writes the command that makes a result again, from a list of the flags.

pub mod comparison;
pub mod denoising;
pub mod evaluation;
pub mod finding;
pub mod image;
pub mod info;
pub mod maps;
pub mod mixing;
pub mod model;
pub mod network;
pub mod over_time;
pub mod reconstruction;
pub mod recorded;
pub mod rerun;
pub mod sample;
pub mod scan;
pub mod shell;
pub mod simulation;
pub mod spins;
pub mod text;
pub mod windows;
