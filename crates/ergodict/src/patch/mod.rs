//! Patches: `X_t = φ(Y_t)`, written column by column into the minibatch.

mod borders;
mod image;
mod kind;
mod network;
mod sparse_columns;
mod spins;
mod window;

pub use borders::borders;
pub use kind::PatchKind;
pub use network::NetworkPatches;
pub use sparse_columns::SparseColumns;
pub use spins::{Encoding, SpinGrid, SpinValues};
pub use window::{Grid, Window};
