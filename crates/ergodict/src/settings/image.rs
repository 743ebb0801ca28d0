//! `image learn`: a dictionary of patches of images.

use super::{Settings, at_least};
use crate::Result;
use crate::chain::{Boundary, Placement};
use crate::factor::LearnSettings;
use crate::patch::Window;
use crate::text::Shape;
use serde::{Deserialize, Serialize};

/// Settings of learning from images.
///
/// ```
/// use ergodict::settings::{ImageSettings, Settings};
/// let settings = ImageSettings::default();
/// assert_eq!((settings.window().rows, settings.config()["patch"].as_str()), (10, Some("10x10")));
/// assert!(ImageSettings { steps: 0, ..settings }.check().is_err());
/// ```
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::Args))]
pub struct ImageSettings {
    /// Rows and columns of a patch, in pixels: K or KxL
    #[cfg_attr(feature = "clap", arg(long, value_name = "K", default_value_t = d().patch))]
    pub patch: Shape,
    /// How positions of patches follow each other
    #[cfg_attr(feature = "clap", arg(long, value_enum, value_name = "HOW", default_value_t = d().sampling))]
    pub sampling: Placement,
    /// What lies beyond the edge of an image
    #[cfg_attr(feature = "clap", arg(long, value_enum, value_name = "HOW", default_value_t = d().boundary))]
    pub boundary: Boundary,
    /// Patches per minibatch
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = d().patches, value_parser = crate::text::number, allow_negative_numbers = true))]
    pub patches: usize,
    /// Minibatches
    #[cfg_attr(feature = "clap", arg(long, value_name = "T", default_value_t = d().steps, value_parser = crate::text::count, allow_negative_numbers = true))]
    pub steps: u64,
    /// Learn from red, green and blue instead of gray
    #[cfg_attr(feature = "clap", arg(long, alias = "colour", num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL", default_value_t = d().color, hide_possible_values = true, hide_default_value = true))]
    pub color: bool,
    /// Seed of every random stream
    #[cfg_attr(feature = "clap", arg(skip))]
    pub seed: u64,
    /// The online scheme.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub learning: LearnSettings,
}

#[cfg(feature = "clap")]
fn d() -> ImageSettings {
    ImageSettings::default()
}

impl Default for ImageSettings {
    fn default() -> Self {
        Self {
            patch: Shape(10, 10),
            sampling: Placement::default(),
            boundary: Boundary::default(),
            patches: 1000,
            steps: 100,
            color: false,
            seed: 0,
            learning: LearnSettings::default(),
        }
    }
}

impl ImageSettings {
    /// With everything decided that was left open.
    #[must_use]
    pub fn decided(mut self, seed: u64) -> Self {
        self.seed = seed;
        self.learning = self.learning.decided(false);
        self
    }

    /// The window that patches are cut by.
    pub fn window(&self) -> Window {
        Window { rows: self.patch.0, cols: self.patch.1, boundary: self.boundary }
    }
}

impl Settings for ImageSettings {
    const COMMAND: &'static str = "image learn";

    fn check(&self) -> Result<()> {
        at_least("patches", self.patches as u64, 1, "a minibatch needs at least one")?;
        at_least("steps", self.steps, 1, "at least one is needed")
    }
}
