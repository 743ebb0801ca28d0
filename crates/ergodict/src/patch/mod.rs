//! Patches: `X_t = φ(Y_t)`, written column by column into the minibatch.
//!
//! | of | column | here |
//! |---|---|---|
//! | images, configurations of spins, any [`Grid`] | `rows·cols·channels` numbers, row by row | [`Window`], [`ImageStream`], [`SpinCutter`] |
//! | networks | the k×k matrix `A_x(a,b) = A(x(a), x(b))` of a homomorphism `x`, row by row | [`NetworkPatches`] |

mod borders;
mod cutter;
mod image;
mod image_stream;
mod kind;
mod network;
mod network_form;
mod network_measures;
mod network_stream;
mod real;
mod spins;
mod window;

pub use borders::borders;
pub use cutter::SpinCutter;
pub use image_stream::ImageStream;
pub use kind::PatchKind;
pub use network::NetworkPatches;
pub use network_form::NetworkForm;
pub use network_measures::{MeasureSeries, Measures};
pub use network_stream::{BatchPlan, ChainTransfer};
pub(crate) use network_stream::{NetworkPoint, NetworkStream};
pub use real::NumberGrid;
pub use spins::{Encoding, SpinGrid, SpinValues};
pub use window::{Grid, Window};
