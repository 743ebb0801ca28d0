//! Columns of tables whose edges have times.

use super::{Role, TableColumns, TableOptions, listed, place, plain, role, time_column};
use crate::Result;
use crate::data::TimeColumn;
use crate::data::npy_header::shorten;
use crate::error::Problem;
use std::path::Path;

/// The columns of a table of edges with times, from 0.
///
/// ```
/// use ergodict::data::{TableOptions, TimeColumn, TimedColumns};
/// let names = ["when", "caller", "callee", "op"];
/// let rows = [vec!["3", "ann", "bob", "+"]];
/// let found = TimedColumns::of_table("table".as_ref(), &names, &rows, &TableOptions::default(), &TimeColumn::Auto)?;
/// assert_eq!((found.edges.source, found.edges.target, found.time, found.operation), (1, 2, 0, Some(3)));
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct TimedColumns {
    /// Those that edges without times have.
    pub edges: TableColumns,
    /// When an edge was seen.
    pub time: usize,
    /// Whether a row makes its edge or removes it.
    pub operation: Option<usize>,
}

impl TimedColumns {
    /// Finds the columns of a table in memory, called by that path in errors.
    ///
    /// # Errors
    /// [`Error::Format`](crate::Error::Format) for columns that are not there, and for tables in which the time or the ends could be several columns, or none.
    pub fn of_table<T: AsRef<str>>(
        path: &Path,
        names: &[impl AsRef<str>],
        rows: &[Vec<T>],
        options: &TableOptions,
        time: &TimeColumn,
    ) -> Result<Self> {
        Self::find(names, rows, options, time).map_err(|problem| problem.at(path, None))
    }

    pub(in super::super) fn find<T: AsRef<str>>(
        names: &[impl AsRef<str>],
        rows: &[Vec<T>],
        options: &TableOptions,
        time: &TimeColumn,
    ) -> std::result::Result<Self, Problem> {
        let time = match time {
            TimeColumn::Auto => Self::free_time(names, options).ok_or_else(|| {
                let all = listed(names, 0..names.len());
                let last = shorten(names.last().map_or("time", AsRef::as_ref));
                Problem::hinting(
                    format!("has no column called time or date among {all}: name it"),
                    "timestamps",
                    last,
                )
            })?,
            TimeColumn::Number(at) => place(&at.to_string(), Some(names), names.len())?,
            TimeColumn::Name(name) => place(name, Some(names), names.len())?,
        };
        // Asked for as times, an end of all edges is a slip, and whatever stood in for it would be a wrong network.
        let of = role(names[time].as_ref()).filter(|of| match of {
            Role::Source => options.source.is_none(),
            Role::Target => options.target.is_none(),
            _ => false,
        });
        if of.is_some() && names.iter().position(|name| role(name.as_ref()) == of) == Some(time) {
            return Err(format!(
                "calls column {} {}, an end of the edges, so that it cannot be the time as well: there are {}",
                time + 1,
                listed(names, [time]),
                listed(names, 0..names.len())
            )
            .into());
        }
        let is_operation = |name: &str| matches!(&*plain(name), "op" | "operation" | "action" | "change");
        let operation = (0..names.len()).find(|&at| at != time && is_operation(names[at].as_ref()));
        let taken: Vec<usize> = std::iter::once(time).chain(operation).collect();
        let edges = TableColumns::among(names, rows, options, &taken)?;
        Ok(Self { edges, time, operation })
    }

    /// The column of times among those that are not given as something else.
    fn free_time(names: &[impl AsRef<str>], options: &TableOptions) -> Option<usize> {
        let given = [&options.source, &options.target, &options.weight];
        let used: Vec<usize> = given
            .into_iter()
            .flatten()
            .filter_map(|given| place(given, Some(names), names.len()).ok())
            .collect();
        let free: Vec<usize> = (0..names.len()).filter(|at| !used.contains(at)).collect();
        let called: Vec<&str> = free.iter().map(|&at| names[at].as_ref()).collect();
        time_column(&called).map(|at| free[at])
    }
}
