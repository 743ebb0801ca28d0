//! Reconstruction: a whole picture or configuration put together from its patches, each rebuilt from atoms.

mod denoise;
pub mod network;
mod overlap;
mod refit;

pub use denoise::{lambda_for_noise, noise_level};
pub use overlap::{Overlap, Reconstruction, psnr, relative_error, with_lambda};
