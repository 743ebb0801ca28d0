//! Models: a dictionary with its provenance and history, and the file that holds it.
//!
//! | what | here |
//! |---|---|
//! | a dictionary with its provenance, as a `.safetensors` file | [`Model`] |
//! | settings, inputs, results, networks, chains, examples | [`Provenance`] |
//! | the loss along the way | [`History`] |
//! | dictionaries of time windows | [`OverTime`] |
//! | change scores against those of permuted times | [`NullBand`] |
//! | example subgraphs of atoms | [`Examples`] |

pub(crate) mod change;
mod examples;
mod explained;
mod file;
mod history;
mod null;
mod over_time;
mod over_time_file;
mod provenance;
mod shape;
mod warnings;

pub use examples::{Example, Examples};
pub use explained::Explained;
pub use file::{Input, Model, Precision};
pub(crate) use history::gap_due;
pub use history::{GapPoint, History, HistoryPoint};
pub(crate) use null::FEWEST_PERMUTATIONS;
pub use null::NullBand;
pub use over_time::{OverTime, ValueWithError, WindowRecord};
pub use provenance::{AtomExample, ChainReport, NetworkReport, Provenance, Results};
pub use shape::AtomShape;
