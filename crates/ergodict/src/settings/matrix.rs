//! `factor`: a dictionary of the rows of a matrix.

use super::Settings;
use crate::Result;
use crate::data::BatchSettings;
use crate::factor::{FactorSettings, Init, LearnSettings, Schedule};
use serde::{Deserialize, Serialize};

/// Settings of learning from a matrix.
///
/// ```
/// use ergodict::settings::{MatrixSettings, Settings};
/// let config = MatrixSettings::default().config();
/// assert_eq!((config["batch"].as_u64(), config["schedule"].as_str()), (Some(64), Some("auto")));
/// ```
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::Args))]
pub struct MatrixSettings {
    /// The online scheme.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub learning: LearnSettings,
    /// How the rows are gone over.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub batches: BatchSettings,
    /// Treat NaN and empty cells as missing entries
    #[cfg_attr(feature = "clap", arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL", default_value_t = false, hide_possible_values = true, hide_default_value = true))]
    pub missing: bool,
}

/// Measured on eleven data sets next to other libraries, with five more that were looked at once they stood (docs/performance.md).
/// A tolerance of codes of 1e-8 takes as long as one of 1e-6, at which rounding decides which codes are polished: weighted samples and
/// repeated ones then differed by 3e-8 (scikit-learn's check allows 1e-9).
impl Default for MatrixSettings {
    fn default() -> Self {
        let (lambda, schedule) = (FactorSettings::AUTO, Schedule::Auto);
        let factor = FactorSettings {
            lambda,
            schedule,
            tolerance: 1e-8,
            dictionary_tolerance: 0.01,
            ..FactorSettings::default()
        };
        Self {
            learning: LearnSettings { factor, init: Init::Auto, ..LearnSettings::default() },
            batches: BatchSettings {
                batch: 64,
                epochs: 200,
                shuffle: true,
                tol: 0.02,
                ..BatchSettings::default()
            },
            missing: false,
        }
    }
}

impl Settings for MatrixSettings {
    const COMMAND: &'static str = "factor";

    fn check(&self) -> Result<()> {
        self.batches.check()
    }
}
