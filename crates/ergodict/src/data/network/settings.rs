//! How networks are read, as users set it.

use super::{Loops, ReadOptions};
use serde::{Deserialize, Serialize};

/// Settings of reading a network; what is left open is decided by the file.
///
/// ```
/// use ergodict::data::ReadSettings;
/// let settings = ReadSettings { unweighted: true, ..ReadSettings::default() };
/// assert_eq!((settings.options().weighted, settings.options().directed), (Some(false), None));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::Args), command(next_help_heading = "Reading"))]
#[expect(clippy::struct_excessive_bools, reason = "they are switches")]
pub struct ReadSettings {
    /// Edges have a direction [default: as in the file, else none]
    #[serde(skip_serializing_if = "crate::text::is_off")]
    #[cfg_attr(feature = "clap", arg(long, conflicts_with = "undirected"))]
    pub directed: bool,
    /// Edges have no direction
    #[serde(skip_serializing_if = "crate::text::is_off")]
    #[cfg_attr(feature = "clap", arg(long, conflicts_with = "directed", hide_short_help = true))]
    pub undirected: bool,
    /// Use weights [default: ignored by learn, compare and reconstruct]
    #[serde(skip_serializing_if = "crate::text::is_off")]
    #[cfg_attr(feature = "clap", arg(long, conflicts_with = "unweighted"))]
    pub weighted: bool,
    /// Ignore weights
    #[serde(skip_serializing_if = "crate::text::is_off")]
    #[cfg_attr(feature = "clap", arg(long, conflicts_with = "weighted", hide_short_help = true))]
    pub unweighted: bool,
    /// Keep edges from a node to itself, which are dropped by default
    #[serde(skip_serializing_if = "crate::text::is_off")]
    #[cfg_attr(feature = "clap", arg(long, hide_short_help = true))]
    pub loops: bool,
}

impl ReadSettings {
    /// How to read.
    pub fn options(&self) -> ReadOptions {
        let either = |yes: bool, no: bool| if yes == no { None } else { Some(yes) };
        ReadOptions {
            directed: either(self.directed, self.undirected),
            weighted: either(self.weighted, self.unweighted),
            loops: if self.loops { Loops::Keep } else { Loops::Drop },
        }
    }
}
