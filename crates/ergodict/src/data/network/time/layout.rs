//! Which column of a time-stamped edge list is which, from its first lines.

use super::parse_moment;
use super::read::TimeColumn;
use crate::data::network::columns::{
    Doubt, Header, TableColumns, TableOptions, TimedColumns, are_edge_names, plain, written_alike,
};
use crate::data::network::edge_list::{Separator, content, separator, split};
use crate::data::npy_header::shorten;
use crate::error::Problem;
use std::borrow::Cow;

/// What every line of the file is like.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Layout {
    pub(super) separator: Separator,
    pub(super) source: usize,
    pub(super) target: usize,
    pub(super) time: usize,
    pub(super) weight: Option<usize>,
    /// Where a row says whether it makes its edge or removes it.
    pub(super) operation: Option<usize>,
    /// Fields of a line.
    pub(super) columns: usize,
    /// Number of the header's line, where there is one.
    pub(super) header: Option<u64>,
    /// The column that says whether edges have a direction, and its name.
    pub(super) direction: Option<(usize, String)>,
    /// Columns that nothing is made of, by their names or numbers.
    pub(super) unused: Vec<String>,
    /// What it could be instead.
    pub(super) doubts: Vec<Doubt>,
}

/// Whether a field says that its row removes its edge, or that it makes it; none for anything else.
pub(super) fn removes(field: &str) -> Option<bool> {
    match field.trim().to_ascii_lowercase().as_str() {
        "+" | "+1" | "1" | "a" | "add" | "added" | "insert" | "create" | "c" => Some(false),
        "-" | "-1" | "−" | "d" | "r" | "delete" | "deleted" | "remove" | "removed" => Some(true),
        _ => None,
    }
}

/// The moment that a field says, and whether it is a date.
pub(super) fn moment(field: &str) -> Option<(f64, bool)> {
    match field.trim().parse::<f64>() {
        Ok(number) => Some((number, false)),
        Err(_) => parse_moment(field).map(|moment| (moment, true)),
    }
}

impl Layout {
    /// Finds out from the first lines, with their numbers. An error is the number of a line, with what is wrong there.
    pub(super) fn find(
        lines: &[(u64, Vec<u8>)],
        column: &TimeColumn,
        table: &TableOptions,
    ) -> Result<Self, (u64, Problem)> {
        let texts: Vec<(u64, &str)> = lines
            .iter()
            .filter_map(|(number, line)| Some((*number, std::str::from_utf8(content(line)?).ok()?)))
            .collect();
        let separator = separator(&texts);
        let mut rows: Vec<(u64, Vec<Cow<'_, str>>)> = Vec::new();
        for (number, text) in texts {
            let mut fields = Vec::new();
            split(text, separator, &mut fields).map_err(|problem| (number, problem.into()))?;
            rows.push((number, fields));
        }
        let Some((number, head)) = rows.first() else {
            let problem = "is not UTF-8 text: expected a row such as `a b 1082040961` a line";
            return Err((lines.first().map_or(1, |line| line.0), problem.into()));
        };
        // Every row has a time, so that a line without any is none.
        let is_header = match table.header {
            Header::Auto => {
                head.iter().all(|field| moment(field).is_none())
                    || Self::names_columns(head, &rows[1..], column)
            }
            said => said == Header::Yes,
        };
        let after: Vec<_> = rows.iter().map(|(_, fields)| fields.clone()).collect();
        let found = if is_header {
            Self::named(separator, *number, head, &after[1..], (column, table))
        } else {
            Self::unnamed(separator, &after, (column, table))
        };
        found.map_err(|problem| (*number, problem))
    }

    /// Whether a first row with numbers, such as years, names columns: both ends, neither of which is a node of another row, or the time that was asked for.
    fn names_columns(head: &[Cow<'_, str>], rest: &[(u64, Vec<Cow<'_, str>>)], column: &TimeColumn) -> bool {
        let below = |name: &Cow<'_, str>| rest.iter().any(|(_, row)| row.contains(name));
        let time =
            matches!(column, TimeColumn::Name(name) if head.iter().any(|field| plain(field) == plain(name)));
        let words = head.iter().filter(|field| moment(field).is_none());
        time || are_edge_names(head) && !words.into_iter().any(below)
    }

    /// The layout that a header gives.
    fn named(
        separator: Separator,
        number: u64,
        head: &[Cow<'_, str>],
        rows: &[Vec<Cow<'_, str>>],
        (column, table): (&TimeColumn, &TableOptions),
    ) -> Result<Self, Problem> {
        let TimedColumns { edges, time, operation } = TimedColumns::find(head, rows, table, column)?;
        let doubts = edges.doubts(head, rows, table);
        let TableColumns { source, target, weight, unused, direction } = edges;
        let direction = direction.map(|at| (at, head[at].to_string()));
        let unused = unused.into_iter().map(|at| shorten(&head[at].escape_debug().to_string())).collect();
        let (columns, header) = (head.len(), Some(number));
        Ok(Self {
            separator,
            source,
            target,
            time,
            weight,
            operation,
            columns,
            header,
            direction,
            unused,
            doubts,
        })
    }

    /// The layout of rows without a header: both ends first, the time last, and a weight between, unless a column is said.
    fn unnamed(
        separator: Separator,
        rows: &[Vec<Cow<'_, str>>],
        (column, table): (&TimeColumn, &TableOptions),
    ) -> Result<Self, Problem> {
        let columns = rows[0].len();
        if columns < 3 {
            let fields = if columns == 1 { "one field" } else { "two fields" };
            let between = separator.name();
            return Err(format!(
                "has {fields}: expected both ends of an edge and a time, such as `a b 1082040961`, separated by {between}"
            )
            .into());
        }
        let time = match column {
            TimeColumn::Auto if columns <= 4 => columns - 1,
            TimeColumn::Auto => {
                let text = format!(
                    "has {columns} fields: begin with a header that names them, or give the column of the time"
                );
                return Err(Problem::hinting(text, "timestamps", columns.to_string()));
            }
            TimeColumn::Number(at) => Self::numbered(*at, columns)?,
            TimeColumn::Name(name) => {
                let text = format!(
                    "is no header that names columns, so that none is called `{}`: give its number",
                    shorten(name)
                );
                return Err(Problem::hinting(text, "timestamps", columns.to_string()));
            }
        };
        let given = |column: &Option<String>| match column.as_deref().map(str::parse) {
            None => Ok(None),
            Some(Ok(at)) => Self::numbered(at, columns).map(Some),
            Some(Err(_)) => Err(Problem::from("has no header, so that columns have numbers and not names")),
        };
        let (source, target, weight) = (given(&table.source)?, given(&table.target)?, given(&table.weight)?);
        let taken = [source, target, weight, Some(time)];
        let mut others = (0..columns).filter(|at| !taken.contains(&Some(*at)));
        let source = source.or_else(|| others.next()).unwrap_or(0);
        let target = target.or_else(|| others.next()).unwrap_or(1);
        if source == target || [source, target].contains(&time) {
            return Err("has one column given for two things".into());
        }
        if (given(&table.source)?, given(&table.target)?) == (None, None) {
            written_alike(rows, (source, target), "the columns of its ends")?;
        }
        let third = weight.or_else(|| others.next().filter(|_| columns == 4));
        // A bare sign is no number, so that it can be nothing else.
        let signs = |at: &usize| {
            rows.iter().all(|fields| fields.get(*at).is_some_and(|sign| sign == "+" || sign == "-"))
        };
        let (operation, weight) = match third {
            Some(at) if signs(&at) => (Some(at), None),
            third => (None, third),
        };
        let unused = if columns > 4 {
            (0..columns)
                .filter(|at| ![source, target, time].contains(at) && Some(*at) != third)
                .map(|at| (at + 1).to_string())
                .collect()
        } else {
            Vec::new()
        };
        Ok(Self {
            separator,
            source,
            target,
            time,
            weight,
            operation,
            columns,
            header: None,
            direction: None,
            unused,
            doubts: Vec::new(),
        })
    }

    fn numbered(at: usize, columns: usize) -> Result<usize, Problem> {
        match at {
            0 => Err("columns are counted from 1, so that there is no column 0".into()),
            at if at > columns => {
                Err(format!("has {columns} fields, so that there is no column {at}").into())
            }
            at => Ok(at - 1),
        }
    }
}
