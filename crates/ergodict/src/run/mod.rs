//! The learning run: sources of minibatches, the trainer that steps the dictionary, rounds for other processes.
//!
//! | what | here |
//! |---|---|
//! | learning from any source, step by step, until a model is finished | [`Run`] |
//! | where minibatches come from: matrices, images, spins, networks, windows of time, rounds | [`Source`] |
//! | what looks on step by step | [`Observer`] |
//! | a factorizer with its history, that can be saved and resumed | [`Trainer`] |
//! | networks side by side, or one over time, with a sampler in each | [`NetworkData`] |
//! | latent motifs of networks, in one call | [`NetworkLearning`] |
//! | the same in rounds, on several machines | [`RoundLearning`], [`RoundTask`] |
//! | a spin system at many temperatures, with parallel tempering | [`TemperatureScan`] |
//! | work in slices, with progress, interruption and a checkpoint | [`Job`], [`drive`], [`Checkpoint`] |

mod change_test;
mod checkpoint;
mod job;
mod learn;
mod network_data;
mod network_learning;
mod observer;
mod plan;
mod plateau;
mod recorder;
mod scan;
mod source;
mod sources;
mod start;
pub(crate) mod tasks;
mod trainer;
mod yardstick;

pub use change_test::FirstDictionary;
use change_test::{AppearanceMaker, ChangeTest, WindowMaker};
pub use checkpoint::{Checkpoint, Identity, Resumable, Sections, Spool};
pub(crate) use job::figure;
pub use job::{Job, Progress, Status, Stop, drive, restore_jobs, save_jobs};
pub use learn::Run;
pub use network_data::NetworkData;
pub use network_learning::NetworkLearning;
pub use observer::Observer;
pub use plan::RunPlan;
pub use plateau::StopRule;
pub use recorder::{MotifRecorder, SpinRecorder};
pub use scan::{ScanPoint, ScanSettings, ScanTable, TemperatureScan};
pub use source::{ExhaustiveStats, ExplainedShare, Form, Next, Source, SourceStats, WindowStats};
pub use sources::exhaustive::{ExhaustiveSource, StaticOptions};
pub use sources::image::ImageSource;
pub use sources::matrix::MatrixSource;
pub use sources::network::NetworkPlan;
use sources::network::NetworkSource;
pub use sources::rounds::RoundSource;
pub use sources::shares::explained_share;
pub use sources::spins::LatticeData;
pub use sources::window::Window;
use sources::window::{WindowSeries, WindowSource};
pub use tasks::{RoundChain, RoundLearning, RoundOutcome, RoundTask, TaskContext, arithmetic};
pub use trainer::Trainer;
pub(crate) use trainer::TrainerSnapshot;
pub use yardstick::Yardstick;
