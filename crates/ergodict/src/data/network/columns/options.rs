//! What is asked for of a table: its form, its header and its columns.

use crate::data::npy_header::shorten;
use serde::{Deserialize, Serialize};

/// Whether the first row of a table has the names of its columns.
///
/// ```
/// use ergodict::data::{Header, ReadOptions, TableOptions, parse_network};
/// let table = TableOptions { header: Header::Yes, ..TableOptions::default() };
/// let (network, _) = parse_network(b"2000,2001\n1,2\n", &ReadOptions { table, ..ReadOptions::default() })?;
/// assert_eq!(network.nodes(), 2);
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Header {
    /// Its content decides
    #[default]
    Auto,
    /// It has
    Yes,
    /// It is an edge
    No,
}

/// What the rows of a table are.
///
/// ```
/// use ergodict::data::{ReadOptions, TableForm, TableOptions, parse_network};
/// let table = TableOptions { form: TableForm::Adjacency, ..TableOptions::default() };
/// let (network, _) = parse_network(b"0 1 1\n1 0 1\n1 1 0\n", &ReadOptions { table, ..ReadOptions::default() })?;
/// assert_eq!((network.nodes(), network.edges()), (3, 3));
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum TableForm {
    /// Its content decides
    #[default]
    Auto,
    /// Edges
    Edges,
    /// Rows of an adjacency matrix
    Adjacency,
}

/// How a table is read; what is left open is decided by its names and first rows.
///
/// ```
/// use ergodict::data::{ReadOptions, TableOptions, parse_network};
/// let table = TableOptions { source: Some("b".into()), target: Some("c".into()), ..TableOptions::default() };
/// let (network, _) = parse_network(b"a,b,c\n1,x,y\n2,y,z\n", &ReadOptions { table, ..ReadOptions::default() })?;
/// assert_eq!((network.nodes(), network.edges()), (3, 2));
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TableOptions {
    /// What rows are.
    pub form: TableForm,
    /// Whether the first row has names.
    pub header: Header,
    /// The column of one end of the edges: its name, or its number from 1.
    pub source: Option<String>,
    /// That of the other end.
    pub target: Option<String>,
    /// That of the weights.
    pub weight: Option<String>,
}

impl TableOptions {
    /// The same of a table whose columns are called 0, 1, 2 and so on, by their numbers from 1.
    pub(in super::super) fn counted(&self, columns: usize) -> Result<Self, String> {
        let number = |given: &Option<String>| {
            let Some(name) = given else { return Ok(None) };
            let at = name.parse::<usize>().ok().filter(|&at| at < columns);
            at.map(|at| Some((at + 1).to_string())).ok_or_else(|| {
                let (name, last) = (shorten(name), columns - 1);
                format!("has no column called `{name}`: there are those from `0` to `{last}`")
            })
        };
        let [source, target, weight] = [&self.source, &self.target, &self.weight].map(number);
        Ok(Self { source: source?, target: target?, weight: weight?, ..self.clone() })
    }

    /// Whether a column is given.
    pub(in super::super) fn has_columns(&self) -> bool {
        self.source.is_some() || self.target.is_some() || self.weight.is_some()
    }
}
