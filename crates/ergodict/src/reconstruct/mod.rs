//! Reconstruction: a whole picture or configuration put together from its patches, each reconstructed from atoms.
//!
//! Patches are coded, `h = argmin ‖x − Wh‖² + λ‖h‖₁`, and what is reconstructed, `Wh`, is averaged where patches overlap: [`Overlap`] for grids, [`network`] for networks.

mod image;
mod linkage;
pub mod network;
mod overlap;
mod overlap_run;

pub use image::{DenoiseSettings, Denoised, Denoising, denoise, noise_level};
pub(crate) use linkage::average_linkage;
pub use overlap::{MOST_PATCHES, Overlap, Reconstruction, psnr, relative_error, with_lambda};
pub use overlap_run::OverlapRun;
