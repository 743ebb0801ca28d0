//! Which column of a table of edges is which: one set of rules for files, files with times, and tables in Python.
//!
//! | column | recognized by |
//! |---|---|
//! | ends of edges | their names ([`Role`]); a pair such as `person_1`, `person_2` that no `person_3` follows; the only two columns left; of more, the first two if nothing else can be ends |
//! | weight | `weight` and its synonyms; from the third column on also `w`, `count`, `strength`, `value` |
//! | direction | `Type` or `directed`, where the values are words such as `Directed`, `undirected` or `true` |
//! | neither | `id`, `label`, `year`, `time` and other names of attributes |
//!
//! Names are compared without case, blanks, `_`, `-`, `.` and `:`. What stays ambiguous is refused, with the columns that it could be, and so are
//! incidence tables (nothing but 0 and 1 where ends should be) and two kinds of nodes, such as `user` and `item`, with numbers as ids: of names that are
//! not known to be of one kind, if a number stands in both columns.

mod check;
mod direction;
mod doubt;
mod first_row;
mod kinds;
mod names;
mod unnamed;

use crate::data::npy_header::shorten;
use crate::{Hint, Note};
use kinds::are_two_kinds;
use names::{
    are_indices, continues_series, is_coupling, is_node_attribute, is_node_name, is_pair, is_weak_weight,
    plain, stem,
};
use serde::{Deserialize, Serialize};

pub(super) use check::{incidence, is_incidence};
pub(super) use direction::{Directions, direction_of};
pub use doubt::Doubt;
pub(super) use first_row::{FirstRow, MISSING, first_row, is_missing};
pub(super) use names::{Role, are_edge_names, role};
pub(super) use unnamed::odd_weights;

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
    /// Whether a column is given.
    pub(super) fn has_columns(&self) -> bool {
        self.source.is_some() || self.target.is_some() || self.weight.is_some()
    }
}

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

/// What the values of a column are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Empty,
    Integers,
    Numbers,
    Words,
}

impl Kind {
    fn from_column<T: AsRef<str>>(rows: &[Vec<T>], at: usize) -> Self {
        let values =
            || rows.iter().filter_map(|row| row.get(at)).map(AsRef::as_ref).filter(|value| !value.is_empty());
        if values().next().is_none() {
            Self::Empty
        } else if values().all(is_digits) {
            Self::Integers
        } else if values().all(|value| value.parse::<f64>().is_ok()) {
            Self::Numbers
        } else {
            Self::Words
        }
    }
}

/// Whether a value is an integer however long it is, also with leading zeros, as postal codes have them.
fn is_digits(value: &str) -> bool {
    let digits = value.strip_prefix('-').unwrap_or(value);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether values of these kinds can be both ends of edges.
fn are_ids(one: Kind, two: Kind) -> bool {
    matches!(
        (one, two),
        (Kind::Empty, _) | (_, Kind::Empty) | (Kind::Integers, Kind::Integers) | (Kind::Words, Kind::Words)
    )
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
        let open = |at: usize| role(unused[at].as_ref()).is_none() || plain(unused[at].as_ref()) == "sign";
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
            rest.iter().enumerate().any(|(below, row)| below != at && other(row))
        };
        let named = (0..rest.len().min(4)).find(|&at| are_edge_names(&rest[at]) && !again(at));
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
            let weak = |at: usize| {
                is_weak_weight(names[at].as_ref()) || is_coupling(names[at - 1].as_ref(), names[at].as_ref())
            };
            rest.find(|&at| weak(at))
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
        let candidates: Vec<usize> = (0..columns)
            .filter(free)
            .filter(|&at| {
                !known.contains(&Some(at))
                    && !attribute(at)
                    && role_at(at).is_none_or(|of| matches!(of, Role::Source | Role::Target))
            })
            .collect();
        let sought = source.is_none() && target.is_none();
        let (source, target) = ends(names, rows, (source, target), &candidates)?;
        let asked = options.source.is_some() && options.target.is_some();
        check::ends(names, rows, (source, target), (sought, asked))?;
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

/// The message of a table with these columns for two ends.
fn ambiguous(names: &[impl AsRef<str>], at: &[usize]) -> String {
    let which = listed(names, at.iter().copied());
    format!(
        "has several columns that could be ends of edges, {which}: name two of them `source` and `target`, or give them as source and target"
    )
}

/// The ends that names such as `source`, and otherwise such as `src_ip`, say of columns; those that are known stay what they are.
fn named_ends(
    names: &[impl AsRef<str>],
    known: (Option<usize>, Option<usize>),
    open: &[usize],
) -> Result<(Option<usize>, Option<usize>), String> {
    let name = |at: usize| names[at].as_ref();
    let called = |of: Role, stemmed: bool| {
        let holds = move |at: &usize| role(name(*at)) == Some(of) && stem(name(*at)).is_some() == stemmed;
        open.iter().copied().filter(holds)
    };
    let source = known.0.or_else(|| called(Role::Source, false).next());
    let target = known.1.or_else(|| called(Role::Target, false).next());
    if source.is_some() && target.is_some() {
        return Ok((source, target));
    }
    let all = |given: Option<usize>, of: Role| -> Vec<usize> {
        given.map_or_else(|| called(of, true).collect(), |at| vec![at])
    };
    let (sources, targets) = (all(known.0, Role::Source), all(known.1, Role::Target));
    let alike = |one: usize, two: usize| stem(name(one)).is_some() && stem(name(one)) == stem(name(two));
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    for &one in &sources {
        pairs.extend(targets.iter().filter(|&&two| alike(one, two)).map(|&two| (one, two)));
    }
    if let [(source, target)] = pairs[..] {
        return Ok((Some(source), Some(target)));
    }
    let several = source.is_none() && sources.len() > 1 || target.is_none() && targets.len() > 1;
    if pairs.len() > 1 || several {
        let mut which = [sources, targets].concat();
        which.sort_unstable();
        return Err(ambiguous(names, &which));
    }
    Ok((source.or_else(|| sources.first().copied()), target.or_else(|| targets.first().copied())))
}

/// Two columns next to each other whose names are those of two ends.
fn named_pair<T: AsRef<str>>(
    names: &[impl AsRef<str>],
    rows: &[Vec<T>],
    candidates: &[usize],
) -> Option<(usize, usize)> {
    let name = |at: usize| names[at].as_ref();
    let find = |holds: &dyn Fn(usize, usize) -> bool| {
        candidates.windows(2).map(|two| (two[0], two[1])).find(|&(one, two)| holds(one, two))
    };
    // Of `e1`, `e2`, `e3` no two are a pair, nor are two columns of numbers next to one of words.
    let stands_out = |one: usize, two: usize| {
        candidates.iter().filter(|at| ![one, two].contains(at)).all(|&at| {
            !continues_series((name(one), name(two)), name(at))
                && (Kind::from_column(rows, at) != Kind::Words || Kind::from_column(rows, one) == Kind::Words)
        })
    };
    // A contact between `u` and `v` has a start and an end, too.
    let span = |one: usize, two: usize| plain(name(one)) == "start" && plain(name(two)) == "end";
    let pair = |one: usize, two: usize| is_pair(name(one), name(two), true) && !span(one, two);
    find(&|one, two| pair(one, two) || are_two_kinds(name(one), name(two)))
        .or_else(|| find(&|one, two| are_indices(name(one), name(two))))
        .or_else(|| {
            find(&|one, two| is_pair(name(one), name(two), false) && !span(one, two) && stands_out(one, two))
        })
        .or_else(|| find(&span))
}

/// Both ends of the edges, where names say one of them or none.
fn ends<T: AsRef<str>>(
    names: &[impl AsRef<str>],
    rows: &[Vec<T>],
    known: (Option<usize>, Option<usize>),
    candidates: &[usize],
) -> Result<(usize, usize), String> {
    let ambiguous = |at: &[usize]| Err(ambiguous(names, at));
    let kind = |at: usize| Kind::from_column(rows, at);
    match known {
        (Some(source), Some(target)) => Ok((source, target)),
        (None, None) => {
            let numeric: Vec<usize> = candidates
                .iter()
                .copied()
                .filter(|&at| matches!(kind(at), Kind::Integers | Kind::Numbers))
                .collect();
            let ambiguous = |at: &[usize]| {
                if numeric.len() > 1 && is_incidence(rows, &numeric) {
                    return Err(incidence(&listed(names, numeric.iter().copied())));
                }
                ambiguous(at)
            };
            if let Some(pair) = named_pair(names, rows, candidates) {
                return Ok(pair);
            }
            match candidates {
                [] | [_] => {
                    let all = listed(names, 0..names.len());
                    Err(format!(
                        "has no two columns for the ends of an edge, such as `source` and `target`: there are {all}"
                    ))
                }
                // Names beside ages, or numbers with decimals, are attributes of nodes and no edges.
                [one, two] if !are_ids(kind(*one), kind(*two)) => ambiguous(candidates),
                [one, two] => Ok((*one, *two)),
                [one, two, rest @ ..] => {
                    let alike = |at: usize| kind(at) == kind(*one) && kind(at) != Kind::Numbers;
                    let values =
                        |at: usize| rows.iter().filter_map(move |row| row.get(at)).map(AsRef::as_ref);
                    let share =
                        |a: usize, b: usize| values(a).any(|value| values(b).any(|other| other == value));
                    let others = || rest.iter().copied().filter(|&at| alike(at));
                    let apart =
                        || share(*one, *two) && others().all(|at| !share(at, *one) && !share(at, *two));
                    if alike(*two) && (others().next().is_none() || apart()) {
                        Ok((*one, *two))
                    } else {
                        ambiguous(candidates)
                    }
                }
            }
        }
        (one, other) => {
            let at = one.or(other).unwrap_or_default();
            let alike: Vec<usize> =
                candidates.iter().copied().filter(|&candidate| kind(candidate) == kind(at)).collect();
            let found = match (candidates, &alike[..]) {
                ([only], _) | (_, [only]) => *only,
                ([], _) => {
                    return Err(format!(
                        "has one column for an end of the edges, {}, and none for the other: expected two, such as `source` and `target`",
                        listed(names, [at])
                    ));
                }
                _ => return ambiguous(candidates),
            };
            Ok(if one.is_some() { (at, found) } else { (found, at) })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(
        names: &[&str],
        rows: &[&[&str]],
    ) -> Result<(usize, usize, Option<usize>, Option<usize>), String> {
        let rows: Vec<Vec<&str>> = rows.iter().map(|row| row.to_vec()).collect();
        TableColumns::find(names, &rows, &TableOptions::default())
            .map(|found| (found.source, found.target, found.weight, found.direction))
    }

    #[test]
    fn columns_of_every_tool_are_found() {
        let words: &[&[&str]] = &[&["a", "b"], &["b", "c"]];
        for (names, rows, expected) in [
            (&["Source", "Target"][..], words, (0, 1, None, None)),
            (&[":START_ID(Person)", ":END_ID(Person)"], words, (0, 1, None, None)),
            (&["FromNodeId", "ToNodeId"], words, (0, 1, None, None)),
            (
                &[":START_ID", "since:int", ":END_ID", "Weight:double"],
                &[&["a", "2001", "b", "2"]],
                (0, 2, Some(3), None),
            ),
            (&["person", "friend"], words, (0, 1, None, None)),
            (&["whatever", "else"], words, (0, 1, None, None)),
            (
                &["Source", "Target", "Type", "Id", "Label", "timeset", "Weight"],
                &[&["a", "b", "Directed", "0", "", "", "2"]],
                (0, 1, Some(6), Some(2)),
            ),
            (&["id", "person", "friend"], &[&["0", "a", "b"], &["1", "b", "c"]], (1, 2, None, None)),
            (&["", "from", "to", "strength"], &[&["1", "a", "b", "2"]], (1, 2, Some(3), None)),
            (&["Unnamed: 0", "u", "v", "count"], &[&["1", "a", "b", "2"]], (1, 2, Some(3), None)),
            (&["edge", "protein_A", "protein_B", "city"], &[&["1", "a", "b", "x"]], (1, 2, None, None)),
            (&["source", "target", "type"], &[&["a", "b", "friend"]], (0, 1, None, None)),
            (&["source", "target", "directed"], &[&["a", "b", "true"]], (0, 1, None, Some(2))),
            (&["target", "source", "Weight"], &[&["a", "b", "1"]], (1, 0, Some(2), None)),
            (&["Source", "friend", "age"], &[&["a", "b", "12"]], (0, 1, None, None)),
            (&["p", "q", "age"], &[&["a", "b", "12"], &["b", "c", "14"]], (0, 1, None, None)),
            (&["p", "q", "town"], &[&["a", "b", "Ulm"], &["b", "c", "Ulm"]], (0, 1, None, None)),
            (
                &["t", "i", "j", "Ci", "Cj"],
                &[&["20", "1", "2", "x", "y"], &["40", "2", "3", "y", "y"]],
                (1, 2, None, None),
            ),
            (&["user", "item"], &[&["u1", "i1"], &["u2", "i1"]], (0, 1, None, None)),
            (&["source", "target", "type"], &[&["a", "b", "Mutual"]], (0, 1, None, Some(2))),
            (&["src_ip", "source", "target", "dst_ip"], &[&["a", "b", "c", "d"]], (1, 2, None, None)),
            (&["src_ip", "src_host", "dst_host"], &[&["a", "b", "c"]], (1, 2, None, None)),
            (&["src_ip", "dst_host"], words, (0, 1, None, None)),
        ] {
            assert_eq!(find(names, rows), Ok(expected), "{names:?}");
        }
    }

    #[test]
    fn ambiguous_tables_are_refused_with_their_columns() {
        let numbered: &[&[&str]] = &[&["0", "a", "b"], &["1", "b", "c"]];
        for (names, rows, words) in [
            (&["nr", "p", "q"][..], numbered, "`nr`, `p`, `q`"),
            (&["p", "q", "r"], &[&["1", "2", "3"]], "`p`, `q`, `r`"),
            (&["source", "p", "q"], &[&["a", "b", "c"]], "`p`, `q`"),
            (&["id", "year"], &[&["1", "2"]], "no two columns"),
            (&["Id", "Name", "Age"], &[&["1", "Ann", "34"], &["2", "Bob", "27"]], "`Name`, `Age`"),
            (&["term", "doc1", "doc2"], &[&["a", "3", "0"], &["b", "1", "2"]], "`term`, `doc1`, `doc2`"),
            (
                &["user", "item", "rating"],
                &[&["1", "7", "5"], &["2", "1", "4"]],
                "two kinds of nodes, `user`, `item`",
            ),
            (&["source", "weight"], &[&["1", "2"]], "`source`, and none"),
            (
                &["origin_city", "origin_airport", "dest_airport", "dest_city"],
                &[&["a", "b", "c", "d"]],
                "`origin_city`, `origin_airport`, `dest_airport`, `dest_city`",
            ),
            (
                &["src_ip", "src_host", "dst_host", "dst_ip"],
                &[&["a", "b", "c", "d"]],
                "`src_ip`, `src_host`, `dst_host`, `dst_ip`",
            ),
        ] {
            let message = find(names, rows).unwrap_err();
            assert!(message.contains(words), "{names:?}: {message}");
        }
        let options = TableOptions {
            source: Some("Q".into()),
            target: Some("r".into()),
            weight: Some("1".into()),
            ..TableOptions::default()
        };
        let found = TableColumns::find(&["p", "q", "r"], &[vec!["1", "2", "3"]], &options).unwrap();
        assert_eq!((found.source, found.target, found.weight), (1, 2, Some(0)));
        let first =
            TableOptions { source: Some("1".into()), target: Some("2".into()), ..TableOptions::default() };
        let found = TableColumns::find(&["source", "target", "source"], &[vec!["a", "b", "c"]], &first);
        assert_eq!(found.map(|found| (found.source, found.target)), Ok((0, 1)));
        let missing = TableOptions { source: Some("z".into()), ..TableOptions::default() };
        let message = TableColumns::find(&["p", "q"], &[vec!["1", "2"]], &missing).unwrap_err();
        assert_eq!(message, "has no column called `z`: there are `p`, `q`");
        let twice =
            TableOptions { source: Some("p".into()), target: Some("p".into()), ..TableOptions::default() };
        assert!(
            TableColumns::find(&["p", "q"], &[vec!["1", "2"]], &twice).unwrap_err().contains("two things")
        );
    }

    #[test]
    fn incidence_tables_are_no_edges() {
        let rows: &[&[&str]] = &[
            &["Ann", "1", "0", "1"],
            &["Bob", "0", "1", "1"],
            &["Cat", "1", "1", "0"],
            &["Dan", "0", "0", "1"],
        ];
        for names in [["", "e1", "e2", "e3"], ["name", "picnic", "dance", "concert"]] {
            let message = find(&names, rows).unwrap_err();
            assert!(message.contains("incidence table"), "{names:?}: {message}");
        }
        let bare: Vec<Vec<&str>> = rows.iter().map(|row| row[1..].to_vec()).collect();
        assert!(is_incidence(&bare, &[0, 1]) && !is_incidence(&bare[..3], &[0, 1]));
        // Names that say so are ends whatever stands below.
        assert!(find(&["n", "source", "target", "w"], rows).is_ok());
        // Flags beside two columns of words.
        let flagged: &[&[&str]] =
            &[&["a", "b", "1", "0"], &["b", "c", "0", "0"], &["c", "d", "1", "1"], &["d", "a", "0", "1"]];
        assert_eq!(find(&["p", "q", "close", "kin"], flagged), Ok((0, 1, None, None)));
    }

    #[test]
    fn names_that_are_nodes_are_no_names() {
        let check = |names: &[&str], rows: &[&[&str]]| {
            let rows: Vec<Vec<&str>> = rows.iter().map(|row| row.to_vec()).collect();
            let found = TableColumns::find(names, &rows, &TableOptions::default()).unwrap();
            found.check_names(names, &rows)
        };
        assert!(check(&["1", "2"], &[&["2", "3"], &["3", "4"]]).unwrap_err().contains("`1`, `2`"));
        assert!(check(&["Ann", "Bob"], &[&["Bob", "Cat"]]).unwrap_err().contains("first edge"));
        assert!(check(&["node1", "node2"], &[&["node7", "node9"]]).is_ok());
        assert!(check(&["source", "target"], &[&["source", "sink"]]).is_ok());
        assert!(check(&["2019", "person"], &[&["a", "b"]]).is_ok());
    }
}
