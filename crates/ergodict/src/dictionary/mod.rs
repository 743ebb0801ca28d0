//! Dictionaries: what was learned, where it came from, and the files that hold it.
//!
//! | what | here |
//! |---|---|
//! | a dictionary with where it came from, as a `.safetensors` file | [`Model`] |
//! | learning with a history, that can be saved and resumed | [`Tracked`] |
//! | latent motifs of networks, from samples and from all homomorphisms | [`NetworkLearning`], [`learn_static`] |
//! | the same over time | [`WindowSource`], [`OverTime`] |
//! | the same in rounds, on several machines | [`RoundLearning`], [`RoundTask`] |
//! | subgraphs that atoms are seen in | [`Examples`] |

mod change;
mod config;
mod examples;
mod history;
mod kept;
mod model;
mod network_config;
mod network_learning;
mod network_source;
mod over_time;
mod over_time_file;
pub(crate) mod rounds;
mod static_learning;
mod tracked;
mod window_source;

pub use crate::data::Cursor;
pub use change::SCORE_PATCHES;
pub use config::{feed_config, scheme_config};
pub use examples::{Example, Examples};
pub use history::{GapPoint, History, HistoryPoint, gap_due};
pub use kept::{Kept, KeptChain, KeptExample, KeptNetwork};
pub use model::{Input, Model, Precision};
pub use network_config::SamplingConfig;
pub use network_learning::NetworkLearning;
pub use network_source::{Drawn, NetworkSource};
pub use over_time::{Measured, OverTime, WindowRecord};
pub use rounds::{
    RoundChain, RoundLearning, RoundOutcome, RoundPlace, RoundRun, RoundStart, RoundTask, arithmetic,
};
pub use static_learning::{StaticLearning, StaticOptions, learn_static};
pub use tracked::{Mark, Results, Tracked};
pub use window_source::{OverTimeOptions, Series, Window, WindowPoint, WindowSource};
