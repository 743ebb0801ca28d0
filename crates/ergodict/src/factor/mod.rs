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
pub(crate) mod ellipsoid;
mod factorizer;
mod minibatch;
mod schedule;
pub mod sets;
mod settings;
mod statistics;
mod unit;

pub use dictionary::UpdateReport;
pub use factorizer::{Aggregates, Factorizer, StepReport};
pub use minibatch::{Mask, Minibatch, SparseRef};
pub use schedule::Schedule;
pub use sets::{ColumnSet, ConvexSet, DictionarySet};
pub use settings::{FactorSettings, Init, LearnSettings, Normalize, UnusedAtoms};
pub use statistics::Statistics;
