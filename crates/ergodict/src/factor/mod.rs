//! The online scheme: minibatch by minibatch, `X_t ≈ W_{t−1} H_t`, then a better `W_t`.
//!
//! ```text
//!  minibatch X_t ──► code H_t ──► statistics HHᵀ, HXᵀ ──► aggregates A_t, B_t, r_t ──► dictionary W_t
//!                      ▲                                      │ weights w_t (schedule)      │
//!                      └──────────────────────────────────────┴── constraint sets, ellipsoid┘
//! ```

pub mod code;
pub mod diagnostics;
mod dictionary;
pub mod ellipsoid;
mod factoriser;
mod minibatch;
mod parameters;
mod schedule;
pub mod sets;
mod statistics;

pub use dictionary::UpdateReport;
pub use factoriser::{Aggregates, Factoriser, StepReport};
pub use minibatch::{Mask, Minibatch, SparseRef};
pub use parameters::{Normalise, Parameters, UnusedAtoms};
pub use schedule::Schedule;
pub use sets::{ColumnSet, ConvexSet, DictionarySet};
pub use statistics::Statistics;
