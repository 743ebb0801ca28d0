//! What an edge list could be instead of what it is read as.

use super::first_row::{FirstRow, first_row};
use super::unnamed::{begins_with_sizes, check_three_columns, could_begin_with_times, odd_weights};
use super::{TableColumns, TableOptions};
use crate::data::npy_header::shorten;
use crate::error::Problem;
use crate::{Hint, Note, Result};
use std::path::Path;

/// What a file, or a part of it, could be instead of what it is read as.
///
/// ```
/// use ergodict::data::{Doubt, ReadOptions, parse_network};
/// let (_, decisions) = parse_network(b"a b\nb NA\n", &ReadOptions::default())?;
/// assert_eq!(decisions.doubts, [Doubt::MissingNode("NA".into())]);
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Doubt {
    /// The first line, with these fields, could be a header.
    Header(String),
    /// The first of three columns could be times.
    Times,
    /// The weights in this column, from 1, could be times, years or something else that is no weight.
    Weights(usize, &'static str),
    /// The node of this name could be a value that is missing.
    MissingNode(String),
    /// Several nodes have this label, so that nodes are called by their ids.
    Labels(String),
}

impl Doubt {
    /// Those of the first rows of a table in memory without names of columns, all of which are edges. `complete` is whether there are no other rows.
    ///
    /// ```
    /// use ergodict::data::Doubt;
    /// let rows = [["1", "2", "1999"], ["2", "3", "2001"]].map(Vec::from);
    /// assert_eq!(Doubt::of_rows("table".as_ref(), &rows, true)?, [Doubt::Weights(3, "years")]);
    /// # Ok::<(), ergodict::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Format`](crate::Error::Format), for the table of that path, for rows that are likely no edges with weights.
    pub fn of_rows<T: AsRef<str>>(path: &Path, rows: &[Vec<T>], complete: bool) -> Result<Vec<Self>> {
        let refuse = |problem: Problem| problem.at(path, None);
        let [first, rest @ ..] = rows else { return Ok(Vec::new()) };
        let texts: Vec<Vec<&str>> = rows.iter().map(|row| row.iter().map(AsRef::as_ref).collect()).collect();
        TableColumns::check_syntax(&texts)
            .and_then(|()| TableColumns::check_title(first, rest))
            .map_err(|problem| refuse(problem.into()))?;
        let names: Vec<String> =
            first.iter().take(2).map(|name| format!("`{}`", shorten(name.as_ref()))).collect();
        let names = names.join(", ");
        let found = first_row(first, rest, &TableOptions::default(), false);
        if found == FirstRow::Names {
            let problem = format!(
                "begins with {names}, which look like the names of columns: read it with a header, or give the columns as source and target"
            );
            return Err(refuse(problem.into()));
        }
        let (_, mut doubts) = Self::find(rows, complete, false).map_err(refuse)?;
        if found == FirstRow::Unsure {
            doubts.push(Self::Header(names));
        }
        Ok(doubts)
    }

    /// The same, for a reader that has looked at the first row for a header, and whether that has sizes instead of an edge; `may_have_sizes` is whether none was asked for.
    pub(in super::super) fn find<T: AsRef<str>>(
        rows: &[Vec<T>],
        complete: bool,
        may_have_sizes: bool,
    ) -> std::result::Result<(bool, Vec<Self>), Problem> {
        let sizes = may_have_sizes && begins_with_sizes(rows, complete)?;
        let edges = &rows[usize::from(sizes)..];
        check_three_columns(edges, complete)?;
        let mut doubts = Vec::new();
        if could_begin_with_times(edges) {
            doubts.push(Self::Times);
        }
        if edges.iter().all(|row| row.len() == 3) {
            doubts.extend(odd_weights(edges, 2).map(|what| Self::Weights(3, what)));
        }
        Ok((sizes, doubts))
    }

    /// The doubt in words, with the settings that remove it.
    pub fn note(&self) -> Note {
        let hint = |setting, value: &str| Hint { setting, value: value.into() };
        match self {
            Self::Header(fields) => {
                let text =
                    format!("the first line, {fields}, is read as an edge ({{}} skips it as a header)");
                Note::hinting(text, hint("header", "yes"))
            }
            Self::Times => {
                let text = "the first column ascends as times do, but is read as one end of the edges \
                            ({} {} take the others as ends)";
                Note::hinting_all(text, vec![hint("source", "2"), hint("target", "3")])
            }
            Self::Weights(column, what) if what.starts_with("times") => {
                let text = format!(
                    "column {column} looks like {what}, and is read as weights: it can be learned from over time, or be ignored ({{}})"
                );
                Note::hinting(text, hint("unweighted", "true"))
            }
            Self::Weights(column, what) => {
                let text =
                    format!("column {column} looks like {what}, and is read as weights ({{}} ignores it)");
                Note::hinting(text, hint("unweighted", "true"))
            }
            Self::MissingNode(name) => Note::from(format!(
                "`{name}` is read as a node: leave such lines out if it means a missing value"
            )),
            Self::Labels(label) => Note::from(format!(
                "several nodes are labeled `{label}`, so that nodes are called by their ids"
            )),
        }
    }
}
