//! Dictionaries: what was learned, where it came from, and the files that hold it.

mod config;
mod examples;
mod history;
mod model;
mod network_learning;
mod static_learning;
mod tracked;

pub use crate::data::Cursor;
pub use config::{feed_config, scheme_config};
pub use examples::{Example, Examples};
pub use history::{GapPoint, History, HistoryPoint, gap_due};
pub use model::{Input, Model, Precision};
pub use network_learning::NetworkLearning;
pub use static_learning::{StaticLearning, StaticOptions, learn_static};
pub use tracked::{Results, Tracked};
