//! Denoising: which pairs of nodes look like true edges, from the observed network alone.
//!
//! A method gives each pair a score; higher looks more like an edge of the true network. Pairs are `(u32, u32)` in the order the
//! caller has them, scores are `f64` in the same order, and networks are simple and undirected. A pair that a method cannot judge has the score NaN: it
//! is last in every list ([`order`]).

pub mod calibration;
mod candidates;
pub mod delong;
pub mod embedding;
pub mod ensemble;
pub mod features;
mod folds;
pub mod heuristics;
pub mod logistic;
mod methods;
mod missing;
mod motif_codes;
mod motif_scores;
mod ndr;
pub mod nodes;
pub(crate) mod paths;
mod progress;
pub mod roc;
mod run;
pub mod splits;
mod stars;
mod walks;

pub use candidates::{Candidates, evidence, non_edges, order};
pub use methods::{Denoiser, Method, PER_PAIR, SHRINKAGE, Scores};
pub(crate) use motif_codes::MotifCodes;
pub use motif_codes::MotifCodesParameters;
pub(crate) use motif_scores::MotifScores;
pub use ndr::{Ndr, Rebuilt};
pub use progress::{Progress, Stage};
pub use run::DenoiseRun;
