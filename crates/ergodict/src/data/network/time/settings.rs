//! Networks in time, as users set them.

use super::{DEFAULT_WINDOWS, Duration, TimeColumn, TimedEdges, WindowCut};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// Settings of networks in time.
///
/// ```
/// use ergodict::data::WindowSettings;
/// let settings = WindowSettings { timestamps: Some("3".parse()?), ..WindowSettings::default() };
/// assert!(settings.timestamps.is_some() && settings.windows.is_none()); // as many as there are by default
/// # Ok::<(), std::convert::Infallible>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::Args), command(next_help_heading = "Networks in time"))]
pub struct WindowSettings {
    /// Rows have a time (u v t, u v w t, or columns that a header names), and are cut into windows
    ///
    /// Times are numbers or dates such as 2004-05-01T12:30:00Z. =COLUMN is the number of their column, from 1, or its name in a
    /// header. Rows need not be in order. Where all weights are 1 or -1, or a column op has + and -, such rows remove their edge.
    #[cfg_attr(feature = "clap", arg(long, alias = "time", value_name = "COLUMN", num_args = 0..=1, require_equals = true, default_missing_value = "auto"))]
    pub timestamps: Option<TimeColumn>,
    /// Length of a window: in the unit of the file, or with one: 45s, 30m, 12h, 7d, 2w, 1y
    #[cfg_attr(feature = "clap", arg(long, value_name = "LENGTH", requires = "timestamps", value_parser = length, hide_short_help = true))]
    pub window: Option<String>,
    /// Distance between the beginnings of windows [default: the length of a window]
    #[cfg_attr(feature = "clap", arg(long, value_name = "LENGTH", requires = "window", value_parser = length, hide_short_help = true))]
    pub stride: Option<String>,
    /// Number of windows of equal length, instead [default: 20]
    #[cfg_attr(
        feature = "clap",
        arg(
            long,
            value_name = "N",
            requires = "timestamps",
            conflicts_with = "window",
            hide_short_help = true,
            allow_negative_numbers = true
        )
    )]
    pub windows: Option<usize>,
    /// Edges stay once they have come, instead of leaving with their window
    #[serde(skip_serializing_if = "crate::text::is_off")]
    #[cfg_attr(feature = "clap", arg(long, requires = "timestamps", hide_short_help = true))]
    pub cumulative: bool,
}

/// Refuses what is no length of time, and keeps it as it was given.
#[cfg(feature = "clap")]
fn length(text: &str) -> std::result::Result<String, String> {
    text.parse::<Duration>().map(|_| text.to_owned()).map_err(|error| error.to_string())
}

impl WindowSettings {
    /// Checks what does not need the file.
    ///
    /// # Errors
    /// [`Error::Parameter`] for no window at all.
    pub fn check(&self) -> Result<()> {
        match self.windows {
            Some(0) => Err(Error::parameter("windows", 0, "at least one is needed")),
            _ => Ok(()),
        }
    }

    /// With everything decided that was left open.
    #[must_use]
    pub fn decided(mut self) -> Self {
        if self.timestamps.is_some() {
            match &self.window {
                Some(window) => {
                    self.stride.get_or_insert_with(|| window.clone());
                }
                None => {
                    self.windows.get_or_insert(DEFAULT_WINDOWS);
                }
            }
        }
        self
    }

    /// How time is cut for these rows.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a length that means nothing among the times of the rows.
    pub fn cut(&self, rows: &TimedEdges) -> Result<WindowCut> {
        let length = |name: &'static str, text: &str| {
            let length = text.parse::<Duration>().and_then(|duration| duration.among(rows));
            length.map_err(|error| match error {
                Error::Parameter { expected, .. } => Error::parameter(name, text, expected),
                other => other,
            })
        };
        Ok(match &self.window {
            Some(window) => {
                let window = length("window", window)?;
                let stride = self.stride.as_deref().map_or(Ok(window), |text| length("stride", text))?;
                WindowCut::Every { window, stride }
            }
            None => WindowCut::Into(self.windows.unwrap_or(DEFAULT_WINDOWS)),
        })
    }
}
