//! Denoising images, as users set it.

use crate::settings::{Settings, at_least};
use crate::text::Shape;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// Settings of denoising an image.
///
/// ```
/// use ergodict::{reconstruct::DenoiseSettings, settings::Settings};
/// let settings = DenoiseSettings { sigma: Some(-1.0), ..DenoiseSettings::default() };
/// assert!(settings.check().unwrap_err().to_string().contains("-1"));
/// ```
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::Args))]
pub struct DenoiseSettings {
    /// Standard deviation of the noise, where white is 1 [default: estimated]
    #[cfg_attr(feature = "clap", arg(long, value_name = "S", allow_negative_numbers = true))]
    pub sigma: Option<f64>,
    /// Rows and columns of a patch, in pixels: K or KxL
    #[cfg_attr(feature = "clap", arg(long, value_name = "K", default_value_t = d().patch, conflicts_with = "model"))]
    pub patch: Shape,
    /// Atoms learned from the image
    #[cfg_attr(feature = "clap", arg(short = 'r', long, value_name = "R", default_value_t = d().atoms, value_parser = crate::text::number, allow_negative_numbers = true, conflicts_with = "model"))]
    pub atoms: usize,
    /// Pixels between neighboring patches [default: 1, more for images of more than 2 million pixels]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", value_parser = crate::text::number, allow_negative_numbers = true))]
    pub stride: Option<usize>,
    /// Seed of every random stream
    #[cfg_attr(feature = "clap", arg(skip))]
    pub seed: u64,
}

#[cfg(feature = "clap")]
fn d() -> DenoiseSettings {
    DenoiseSettings::default()
}

/// Atoms of a patch at most: some thousands are more than any image teaches, and these fit into memory.
const MOST_ATOMS: usize = 1 << 14;

impl Default for DenoiseSettings {
    fn default() -> Self {
        Self { sigma: None, patch: Shape(8, 8), atoms: 256, stride: None, seed: 0 }
    }
}

impl Settings for DenoiseSettings {
    const COMMAND: &'static str = "image denoise";

    fn check(&self) -> Result<()> {
        if let Some(sigma) = self.sigma.filter(|sigma| !(sigma.is_finite() && *sigma >= 0.0)) {
            return Err(Error::parameter("sigma", sigma, "it must be a number that is not negative"));
        }
        if self.patch == Shape(1, 1) {
            let expected = "a single pixel shows no noise: at least two are needed";
            return Err(Error::parameter("patch", self.patch, expected));
        }
        at_least("atoms", self.atoms as u64, 1, "a dictionary has at least one")?;
        if self.atoms > MOST_ATOMS {
            return Err(Error::parameter("atoms", self.atoms, format!("at most {MOST_ATOMS} are possible")));
        }
        at_least("stride", self.stride.unwrap_or(1) as u64, 1, "patches are at least a pixel apart")
    }
}
