//! How networks are read, as users set it.

use super::{Header, Loops, ReadOptions, TableForm, TableOptions};
use serde::{Deserialize, Serialize};

/// Settings of reading a network; what is left open is decided by the file.
///
/// ```
/// use ergodict::data::ReadSettings;
/// let settings = ReadSettings { unweighted: true, ..ReadSettings::default() };
/// assert_eq!((settings.options().weighted, settings.options().directed), (Some(false), None));
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
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
    /// Call nodes by their ids [default: by unique labels, where a graph has them]
    #[serde(skip_serializing_if = "crate::text::is_off")]
    #[cfg_attr(feature = "clap", arg(long, hide_short_help = true))]
    pub ids: bool,
    /// Form of the rows of a table: edges, or an adjacency matrix [default: by its content]
    #[serde(skip_serializing_if = "is_default")]
    #[cfg_attr(
        feature = "clap",
        arg(
            long,
            value_enum,
            value_name = "auto|edges|adjacency",
            default_value = "auto",
            hide_default_value = true,
            hide_possible_values = true,
            hide_short_help = true
        )
    )]
    pub format: TableForm,
    /// First row of a table: names of its columns, or not [default: by its content]
    #[serde(skip_serializing_if = "is_default")]
    #[cfg_attr(
        feature = "clap",
        arg(
            long,
            value_enum,
            value_name = "auto|yes|no",
            default_value = "auto",
            hide_default_value = true,
            hide_possible_values = true,
            hide_short_help = true
        )
    )]
    pub header: Header,
    /// Column with one end of the edges: its name, or its number from 1
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "clap", arg(long, value_name = "COLUMN", hide_short_help = true))]
    pub source: Option<String>,
    /// Column with the other end
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "clap", arg(long, value_name = "COLUMN", hide_short_help = true))]
    pub target: Option<String>,
    /// Column with the weights
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "COLUMN", conflicts_with = "unweighted", hide_short_help = true)
    )]
    pub weight: Option<String>,
    /// Check a large .egr file in full, even if checked before
    #[serde(skip_serializing)]
    #[cfg_attr(feature = "clap", arg(long, hide_short_help = true))]
    pub verify: bool,
}

/// Whether a choice is left out of files.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl ReadSettings {
    /// How to read.
    pub fn options(&self) -> ReadOptions {
        let either = |yes: bool, no: bool| if yes == no { None } else { Some(yes) };
        ReadOptions {
            directed: either(self.directed, self.undirected),
            weighted: either(self.weighted, self.unweighted),
            loops: if self.loops { Loops::Keep } else { Loops::Drop },
            ids: self.ids,
            table: TableOptions {
                form: self.format,
                header: self.header,
                source: self.source.clone(),
                target: self.target.clone(),
                weight: self.weight.clone(),
            },
            verify: self.verify,
        }
    }
}
