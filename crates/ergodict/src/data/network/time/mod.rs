//! Networks in time: edges with times, the windows they are cut into, and a network that changes.

mod changing;
mod differences;
mod layout;
mod moment;
mod permuted;
mod read;
mod settings;
mod spans;
mod timed;
mod windows;

pub use changing::{Change, ChangingNetwork};
pub use differences::{Differences, differences};
pub use moment::{Duration, Times, parse_moment};
pub use permuted::Appearances;
pub(crate) use permuted::PermutedTimes;
pub use read::{TimeColumn, TimeOptions, TimedDecisions, parse_timed, read_timed};
pub use settings::WindowSettings;
pub use timed::TimedEdges;
pub use windows::{DEFAULT_WINDOWS, WindowCut, WindowOptions, Windows};
