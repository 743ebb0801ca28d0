//! Which column of a table of edges is which: one set of rules for files, files with times, and tables in Python.
//!
//! | column | recognized by |
//! |---|---|
//! | ends of edges | their names ([`Role`]); a pair such as `person_1`, `person_2` that no `person_3` follows; the only two columns left; of more, the first two if nothing else can be ends |
//! | weight | `weight` and its synonyms; from the third column on also `w`, `count`, `strength`, `value` |
//! | direction | `Type` or `directed`, where the values are words such as `Directed`, `undirected` or `true` |
//! | neither | `id`, `label`, `year`, `time` and other names of attributes; from the third column on `minutes` and other measures |
//!
//! Names are compared without case, blanks, `_`, `-`, `.` and `:`. What stays ambiguous is refused, with the columns that it could be, and so are
//! incidence tables (nothing but 0 and 1 where ends should be) and two kinds of nodes, such as `user` and `item`, with numbers as ids: of names that are
//! not known to be of one kind, if a number stands in both columns.

mod check;
mod direction;
mod doubt;
mod ends;
mod first_row;
mod kinds;
mod names;
mod options;
mod timed;
mod unnamed;
mod values;
mod weights;

use crate::data::npy_header::shorten;
use crate::{Hint, Note};
use ends::{both_ends, named_ends};
use names::{is_coupling, is_identifier, is_measure, is_node_attribute, is_node_name, is_weak_weight_at};

pub(super) use check::{incidence, is_incidence, written_alike};
pub(super) use direction::{Directions, direction_of};
pub use doubt::Doubt;
pub(super) use first_row::{FirstRow, are_names_above, count, first_row, is_missing};
pub(super) use names::{Role, are_edge_names, plain, role, time_column};
pub use options::{Header, TableForm, TableOptions};
pub use timed::TimedColumns;
use unnamed::are_times;

/// The columns of a table of edges, from 0.
///
/// ```
/// use ergodict::data::{TableColumns, TableOptions};
/// let names = ["Id", "Source", "Target", "Weight"];
/// let found = TableColumns::find(&names, &[vec!["0", "a", "b", "2"]], &TableOptions::default())?;
/// assert_eq!((found.source, found.target, found.weight, found.unused), (1, 2, Some(3), vec![0]));
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct TableColumns {
    /// One end of the edges.
    pub source: usize,
    /// The other end.
    pub target: usize,
    /// Weights, where there are any.
    pub weight: Option<usize>,
    /// Where a row says whether its edge has a direction.
    pub direction: Option<usize>,
    /// What nothing is made of.
    pub unused: Vec<usize>,
}

/// Names in a message.
fn listed(names: &[impl AsRef<str>], at: impl IntoIterator<Item = usize>) -> String {
    let names: Vec<String> = at
        .into_iter()
        .map(|at| format!("`{}`", shorten(&names[at].as_ref().escape_debug().to_string())))
        .collect();
    names.join(", ")
}

impl TableColumns {
    /// Rows of a table that are looked at, besides its first.
    pub const SAMPLE: usize = 128;

    /// Finds the columns of a table with these names and first rows.
    ///
    /// # Errors
    /// A sentence that goes on after the name of the table, for columns that are given but not there, and for tables in which the ends of
    /// edges could be several columns, or none.
    pub fn find<T: AsRef<str>>(
        names: &[impl AsRef<str>],
        rows: &[Vec<T>],
        options: &TableOptions,
    ) -> Result<Self, String> {
        Self::among(names, rows, options, &[])
    }

    /// A warning of columns that nothing is made of where no weights are found: those whose names do not say that they are something else.
    ///
    /// ```
    /// use ergodict::data::TableColumns;
    /// assert_eq!(TableColumns::ignored(&["year", "id"]), None);
    /// let note = TableColumns::ignored(&["score", "year"]).unwrap();
    /// assert!(note.spelled(&ToString::to_string).starts_with("column `score` is ignored"));
    /// ```
    pub fn ignored(unused: &[impl AsRef<str>]) -> Option<Note> {
        let open = |at: usize| {
            let name = unused[at].as_ref();
            role(name).is_none() && !is_identifier(name) || plain(name) == "sign"
        };
        let unknown: Vec<usize> = (0..unused.len()).filter(|&at| open(at)).collect();
        let (columns, are, one) = match unknown.len() {
            0 => return None,
            1 => ("column", "is", "it"),
            _ => ("columns", "are", "one"),
        };
        let which = listed(unused, unknown);
        let text = format!("{columns} {which} {are} ignored ({{}} uses {one} as weights)");
        Some(Note::hinting(text, Hint { setting: "weight", value: "NAME".into() }))
    }

    /// The column of times among those of these names, such as `time` or `date`; otherwise `t`, `year` or similar.
    ///
    /// ```
    /// use ergodict::data::TableColumns;
    /// assert_eq!(TableColumns::times(&["year", "i", "Time (s)"]), Some(2));
    /// ```
    pub fn times(names: &[impl AsRef<str>]) -> Option<usize> {
        time_column(names)
    }

    /// The column of times among those that nothing is made of: by their names, or, unless the table is `named`, by their first values.
    ///
    /// ```
    /// use ergodict::data::{TableColumns, TableOptions};
    /// let (names, rows) = (["day", "i", "j"], [vec!["20", "a", "b"]]);
    /// let found = TableColumns::find(&names, &rows, &TableOptions::default())?;
    /// assert_eq!(found.unused_times(&names, &rows, true), Some(0));
    /// # Ok::<(), String>(())
    /// ```
    pub fn unused_times<T: AsRef<str>>(
        &self,
        names: &[impl AsRef<str>],
        rows: &[Vec<T>],
        named: bool,
    ) -> Option<usize> {
        if !named {
            return self.unused.iter().copied().find(|&at| are_times(rows, at));
        }
        let unused: Vec<&str> = self.unused.iter().map(|&at| names[at].as_ref()).collect();
        time_column(&unused).map(|at| self.unused[at])
    }

    /// A note that rows repeat edges, as contacts do, next to times in a column of that name that nothing is made of: each edge counts once, or its
    /// weights are added up. `reader` is what keeps times apart.
    ///
    /// ```
    /// use ergodict::data::TableColumns;
    /// let note = |rows, weighted| TableColumns::repeated("day", rows, true, weighted, "learning over time");
    /// assert_eq!(note(0, false), None);
    /// let words = |weighted| note(2, weighted).unwrap().spelled(&ToString::to_string);
    /// assert!(words(false).starts_with("2 rows repeat edges, each of which counts once"));
    /// assert_eq!(words(true), "2 rows repeat edges, whose weights are added up (learning over time with timestamps=day keeps times apart)");
    /// ```
    pub fn repeated(time: &str, rows: u64, directed: bool, weighted: bool, reader: &str) -> Option<Note> {
        if rows == 0 {
            return None;
        }
        let repeat = if rows == 1 { "row repeats an edge" } else { "rows repeat edges" };
        let either = if directed { "" } else { " in either direction" };
        let time = Hint { setting: "timestamps", value: shorten(time) };
        if weighted {
            let text = format!(
                "{rows} {repeat}{either}, whose weights are added up ({reader} with {{}} keeps times apart)"
            );
            return Some(Note::hinting(text, time));
        }
        let each = if rows == 1 { "which" } else { "each of which" };
        let text = format!(
            "{rows} {repeat}{either}, {each} counts once (a column `weight` of ones counts them; so does {reader} with {{}} {{}})"
        );
        let weighted = Hint { setting: "weighted", value: "true".into() };
        Some(Note::hinting_all(text, vec![time, weighted]))
    }

    /// Whether edges have a direction, by all values of a column of that name; each has to say it where that is required.
    ///
    /// # Errors
    /// A sentence that goes on after the name of the table, for values that are not the same or say something else.
    pub fn directed<T: AsRef<str>>(name: &str, values: &[T], required: bool) -> Result<bool, String> {
        let mut directions = Directions::default();
        for value in values.iter().map(AsRef::as_ref) {
            match direction_of(name, value) {
                Some(directed) => directions.add(directed),
                None if required => {
                    let value = shorten(value);
                    return Err(format!(
                        "has `{value}` in the column `{name}`: expected directed or undirected; say which it is"
                    ));
                }
                None => {}
            }
        }
        directions.check()?;
        Ok(directions.directed().unwrap_or(false))
    }

    /// Refuses names of the ends that are nodes themselves: of a table whose first edge was taken for a header.
    ///
    /// # Errors
    /// A sentence that goes on after the name of the table.
    pub fn check_names<T: AsRef<str>>(
        &self,
        names: &[impl AsRef<str>],
        rows: &[Vec<T>],
    ) -> Result<(), String> {
        let ends = [self.source, self.target];
        let number = |at: usize| names[at].as_ref().trim().parse::<f64>().is_ok();
        let node = |at: usize| {
            let mut ids = rows.iter().flat_map(|row| ends.iter().filter_map(|&end| row.get(end)));
            ids.any(|id| id.as_ref() == names[at].as_ref())
        };
        let said = are_edge_names(&ends.map(|at| names[at].as_ref()));
        if !said && (ends.iter().all(|&at| number(at)) || ends.iter().any(|&at| node(at))) {
            return Err(format!(
                "has columns called {}, which look like its first edge: read it without a header, or give the columns as source and target",
                listed(names, ends)
            ));
        }
        Ok(())
    }

    /// Refuses rows that have edges in another syntax, such as `a -> b` or `(a, b)`.
    ///
    /// # Errors
    /// A sentence that goes on after the name of the table.
    pub fn check_syntax<T: AsRef<str>>(rows: &[Vec<T>]) -> Result<(), String> {
        crate::data::network::edge_list::other_syntax(rows).map_or(Ok(()), Err)
    }

    /// Refuses rows with the names of columns, below a first row, or names, with something else.
    ///
    /// # Errors
    /// A sentence that goes on after the name of the table.
    pub fn check_title<T: AsRef<str>>(first: &[impl AsRef<str>], rest: &[Vec<T>]) -> Result<(), String> {
        let again = |at: usize| {
            let other = |row: &Vec<T>| {
                row.iter().any(|field| rest[at].iter().any(|name| name.as_ref() == field.as_ref()))
            };
            let above = first.iter().any(|field| rest[at].iter().any(|name| name.as_ref() == field.as_ref()));
            above || rest.iter().enumerate().any(|(below, row)| below != at && other(row))
        };
        let numbers = first.iter().all(|name| name.as_ref().parse::<f64>().is_ok());
        let named = (0..rest.len().min(4)).find(|&at| {
            (are_edge_names(&rest[at]) || !numbers && are_names_above(&rest[at], &rest[at + 1..]))
                && !again(at)
        });
        match named.filter(|_| rest.len() > 1 && !are_edge_names(first)) {
            Some(at) => Err(format!(
                "has the names of columns in row {}: read it without what stands above them",
                at + 1
            )),
            None => Ok(()),
        }
    }

    /// The same as [`find`](Self::find) where some columns are something else.
    pub(super) fn among<T: AsRef<str>>(
        names: &[impl AsRef<str>],
        rows: &[Vec<T>],
        options: &TableOptions,
        taken: &[usize],
    ) -> Result<Self, String> {
        let columns = names.len();
        let given = |column: &Option<String>| {
            column.as_deref().map(|name| place(name, Some(names), columns)).transpose()
        };
        let (source, target, weight) =
            (given(&options.source)?, given(&options.target)?, given(&options.weight)?);
        let mut used: Vec<usize> = taken.to_vec();
        for at in [source, target, weight].into_iter().flatten() {
            if used.contains(&at) {
                return Err(format!("has the column {} for two things", listed(names, [at])));
            }
            used.push(at);
        }
        let role_at = |at: usize| role(names[at].as_ref());
        check::duplicates(names, &used, (source.is_some(), target.is_some()))?;
        let free = |at: &usize| !used.contains(at);
        let called = |of: Role| (0..columns).filter(free).find(|&at| role_at(at) == Some(of));
        let open: Vec<usize> = (0..columns).filter(free).collect();
        let (source, target) = named_ends(names, (source, target), &open)?;
        let weight = weight.or_else(|| called(Role::Weight)).or_else(|| {
            let mut rest = (2..columns).filter(free).filter(|&at| ![source, target].contains(&Some(at)));
            rest.find(|&at| is_weak_weight_at(names, at) || is_coupling(names, at))
        });
        let direction =
            (0..columns).filter(free).filter(|&at| role_at(at) == Some(Role::Direction)).find(|&at| {
                let mut values = rows.iter().filter_map(|row| row.get(at));
                !rows.is_empty()
                    && values.all(|value| direction_of(names[at].as_ref(), value.as_ref()).is_some())
            });
        let known = [source, target, weight, direction];
        // Next to the name of a node, `x` and `y` are where it is drawn, and `group` is its own.
        let of_nodes = names.iter().any(|name| is_node_name(name.as_ref()));
        let attribute = |at: usize| of_nodes && is_node_attribute(names[at].as_ref());
        let mut candidates: Vec<usize> = (0..columns)
            .filter(free)
            .filter(|&at| {
                !known.contains(&Some(at))
                    && !attribute(at)
                    && role_at(at).is_none_or(|of| matches!(of, Role::Source | Role::Target))
            })
            .collect();
        // Behind the columns that can be ends, `minutes` is none.
        let unknown = [source, target].iter().filter(|end| end.is_none()).count();
        let mut ends = candidates.iter().copied().filter(|&at| !is_measure(names[at].as_ref()));
        if let Some(last) = unknown.checked_sub(1).and_then(|before| ends.nth(before)) {
            candidates.retain(|&at| at < last || !is_measure(names[at].as_ref()));
        }
        let given = (options.source.is_some(), options.target.is_some());
        let known = ((source, target), given.0 || given.1);
        let (source, target) = both_ends(names, rows, known, &candidates)?;
        check::ends(names, rows, (source, target), given)?;
        let known = [Some(source), Some(target), weight, direction];
        let unused = (0..columns).filter(|at| !known.contains(&Some(*at)) && !taken.contains(at)).collect();
        Ok(Self { source, target, weight, direction, unused })
    }

    /// Whether these are the columns that a table without names has: both ends first, then a weight and nothing else.
    pub(super) fn is_usual(&self) -> bool {
        (self.source, self.target) == (0, 1) && self.weight.is_none_or(|at| at == 2) && self.unused.is_empty()
    }

    /// The columns of a table without names that begins with this row: both ends and, where there is a third column, the weight. Next to ends that are given
    /// it is one only if it is a number behind both: before them, as in `t i j`, it is something else.
    pub(super) fn unnamed<T: AsRef<str>>(row: &[T], options: &TableOptions) -> Result<Option<Self>, String> {
        let columns = row.len();
        let given = |column: &Option<String>| {
            column.as_deref().map(|name| place::<&str>(name, None, columns)).transpose()
        };
        let (source, target, weight) =
            (given(&options.source)?, given(&options.target)?, given(&options.weight)?);
        if source.is_some() && (source == target || source == weight) || target.is_some() && target == weight
        {
            return Err("has one column given for two things".into());
        }
        if columns > 3 && (source.is_none() || target.is_none()) {
            return Ok(None);
        }
        let mut free = (0..columns).filter(|at| ![source, target, weight].contains(&Some(*at)));
        let (Some(source), Some(target)) = (source.or_else(|| free.next()), target.or_else(|| free.next()))
        else {
            return Ok(None);
        };
        let elsewhere = (source, target) != (0, 1);
        let number = |at: usize| at > source.max(target) && row[at].as_ref().parse::<f64>().is_ok();
        let is_weight = |at: &usize| columns == 3 && (!elsewhere || number(*at));
        let weight = weight.or_else(|| free.next().filter(is_weight));
        let unused =
            (0..columns).filter(|at| ![Some(source), Some(target), weight].contains(&Some(*at))).collect();
        Ok(Some(Self { source, target, weight, direction: None, unused }))
    }
}

/// The column of that name, or number from 1.
fn place<T: AsRef<str>>(given: &str, names: Option<&[T]>, columns: usize) -> Result<usize, String> {
    let number = || given.parse::<usize>().ok().filter(|at| (1..=columns).contains(at)).map(|at| at - 1);
    let Some(names) = names else {
        return number().ok_or_else(|| {
            format!(
                "has {columns} columns and no header, so that none is called `{}`: give its number",
                shorten(given)
            )
        });
    };
    let exact = names.iter().position(|name| name.as_ref() == given);
    let alike = || names.iter().position(|name| plain(name.as_ref()) == plain(given));
    exact.or_else(alike).or_else(number).ok_or_else(|| {
        format!("has no column called `{}`: there are {}", shorten(given), listed(names, 0..columns))
    })
}

#[cfg(test)]
mod tests;
