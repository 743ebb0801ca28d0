//! Denoising of images: the noise level, and a dictionary of the image's own patches that the noise has no part in.

mod cosines;
mod denoise;
mod noise;
mod settings;

pub use denoise::{Denoised, Denoising, denoise};
pub use noise::noise_level;
pub use settings::DenoiseSettings;
