//! What an edge list could be instead of what it is read as.

use super::first_row::{FirstRow, MISSING, first_row, may_be_names};
use super::kinds::{are_one_kind, are_two_kinds};
use super::unnamed::{
    begins_with_sizes, check_edge_index, check_three_columns, could_be_edge_index, could_be_triples,
    could_begin_with_times,
};
use super::values::Kind;
use super::weights::{is_thousands, odd_weights};
use super::{Header, TableColumns, TableOptions, are_edge_names, listed, written_alike};
use crate::data::network::NodeIds;
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
    /// The first of three columns, of this number, could be times.
    Times(usize),
    /// The first row below a header, with these fields, could be a header, too, below a title.
    Title(String),
    /// Two rows of three integers could be the ends of three edges.
    EdgeIndex,
    /// The second of three columns, of which the first has this number, could have relations, and the third the other ends.
    Triples(usize),
    /// The points of the weights in this column, from 1, could separate thousands.
    Thousands(usize),
    /// The weights in this column, from 1, could be times, years or something else that is no weight.
    Weights(usize, &'static str),
    /// The node of this name could be a value that is missing.
    MissingNode(String),
    /// Several nodes have this label, so that nodes are called by their ids.
    Labels(String),
    /// The ends, columns of these names, could have numbers of two kinds of nodes.
    Kinds(String),
    /// Cells of an end, such as this, could have several nodes.
    Lists(String),
}

/// Whether a cell has several names: separated by semicolons or bars, several commas, or commas between addresses. A comma alone stands in `Doe, Jane`.
fn is_list(cell: &str) -> bool {
    let parts = |separator: char| cell.split(separator).filter(|part| !part.trim().is_empty()).count();
    parts(';') > 1 || parts('|') > 1 || parts(',') > 2 || parts(',') > 1 && cell.matches('@').count() > 1
}

/// The ends of a row as messages show them.
fn fields<T: AsRef<str>>(row: &[T]) -> String {
    let ends: Vec<String> = row.iter().take(2).map(|end| format!("`{}`", shorten(end.as_ref()))).collect();
    ends.join(", ")
}

impl Doubt {
    /// Those of the first rows of a table in memory without names of columns, which are numbered from 0 there, and all of whose rows are edges.
    /// `complete` is whether there are no other rows.
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
        let names = fields(first);
        let found = first_row(first, rest, &TableOptions::default(), false);
        if found == FirstRow::Names {
            let problem = format!(
                "begins with {names}, which look like the names of columns: read it with a header, or give the columns as source and target"
            );
            return Err(refuse(problem.into()));
        }
        let (_, mut doubts) = Self::find(rows, complete, false, 0).map_err(refuse)?;
        if found == FirstRow::Unsure {
            doubts.push(Self::Header(names));
        }
        Ok(doubts)
    }

    /// The same, for a reader that has looked at the first row for a header, and whether that has sizes instead of an edge; `may_have_sizes` is whether none
    /// was asked for, and `first` the number by which the first column is given.
    pub(in super::super) fn find<T: AsRef<str>>(
        rows: &[Vec<T>],
        complete: bool,
        may_have_sizes: bool,
        first: usize,
    ) -> std::result::Result<(bool, Vec<Self>), Problem> {
        check_edge_index(rows, complete)?;
        let sizes = may_have_sizes && begins_with_sizes(rows, complete)?;
        let edges = &rows[usize::from(sizes)..];
        check_three_columns(edges, complete, first)?;
        written_alike(edges, (0, 1), "its first two columns")?;
        let mut doubts: Vec<Self> = Self::of_lists(edges, [0, 1]).into_iter().collect();
        if could_begin_with_times(edges) {
            doubts.push(Self::Times(first));
        }
        if could_be_edge_index(edges, complete) {
            doubts.push(Self::EdgeIndex);
        }
        if edges.iter().all(|row| row.len() == 3) {
            if could_be_triples(edges) {
                doubts.push(Self::Triples(first));
            } else {
                doubts.extend(Self::of_weights(edges, 2));
            }
        }
        Ok((sizes, doubts))
    }

    /// Cells of the ends that could have several nodes each, where they are more than a few.
    fn of_lists<T: AsRef<str>>(rows: &[Vec<T>], ends: [usize; 2]) -> Option<Self> {
        let cells = ends.into_iter().flat_map(|at| rows.iter().filter_map(move |row| row.get(at)));
        let lists: Vec<&str> = cells.map(AsRef::as_ref).filter(|cell| is_list(cell)).collect();
        (10 * lists.len() >= rows.len())
            .then(|| lists.first().map(|cell| Self::Lists(shorten(cell))))
            .flatten()
    }

    /// Those of the weights in a column, from 0.
    fn of_weights<T: AsRef<str>>(rows: &[Vec<T>], at: usize) -> Option<Self> {
        let odd = odd_weights(rows, at).map(|what| Self::Weights(at + 1, what));
        odd.or_else(|| is_thousands(rows, at).then_some(Self::Thousands(at + 1)))
    }

    /// The same, of columns behind this number of others.
    pub(in super::super) fn behind(self, columns: usize) -> Self {
        match self {
            Self::Weights(at, what) => Self::Weights(at + columns, what),
            Self::Thousands(at) => Self::Thousands(at + columns),
            other => other,
        }
    }

    /// Those of the names of nodes.
    pub(in super::super) fn of_nodes(ids: &NodeIds) -> Vec<Self> {
        let missing = MISSING.iter().filter(|name| ids.are_words() && ids.find(name).is_some());
        let mut doubts: Vec<Self> = missing.map(|name| Self::MissingNode((*name).into())).collect();
        // Some programs have -1 where a node is missing.
        let negative = (0..ids.len().min(2)).map_while(|v| ids.integer(v).filter(|id| *id < 0));
        if negative.eq([-1]) {
            doubts.push(Self::MissingNode("-1".into()));
        }
        doubts
    }

    /// Whether weights are what it is about, so that there is none without them.
    pub fn is_of_weights(&self) -> bool {
        matches!(self, Self::Weights(..) | Self::Thousands(_) | Self::EdgeIndex | Self::Triples(_))
    }

    /// The doubt in words, with the settings that remove it.
    pub fn note(&self) -> Note {
        let hint = |setting, value: &str| Hint { setting, value: value.into() };
        let column = |setting, at: usize| Hint { setting, value: at.to_string() };
        match self {
            Self::Header(fields) => {
                let text =
                    format!("the first line, {fields}, is read as an edge ({{}} skips it as a header)");
                Note::hinting(text, hint("header", "yes"))
            }
            Self::Times(first) => {
                let text = "the first column ascends as times do, but is read as one end of the edges \
                            ({} {} take the others as ends)";
                Note::hinting_all(text, vec![column("source", first + 1), column("target", first + 2)])
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
            Self::Title(fields) => Note::from(format!(
                "the first row below the header, {fields}, is read as an edge: leave out what stands above if it has the names of columns"
            )),
            Self::EdgeIndex => Note::from(
                "two rows of three integers are read as two edges with weights: write the ends of three edges one edge a line".to_owned(),
            ),
            Self::Triples(first) => {
                let text = "the second column has few values, as relations have, and the third many, as ends have, but the third is read as weights \
                            ({} {} takes the first and the third as ends)";
                Note::hinting_all(text, vec![column("source", *first), column("target", first + 2)])
            }
            Self::Thousands(column) => Note::from(format!(
                "the points in column {column} are read as decimal points: leave them out if they separate thousands"
            )),
            Self::MissingNode(name) => Note::from(format!(
                "`{name}` is read as a node: leave such lines out if it means a missing value"
            )),
            Self::Labels(label) => Note::from(format!(
                "several nodes are labeled `{label}`, so that nodes are called by their ids"
            )),
            Self::Lists(cell) => Note::from(format!(
                "`{cell}` is read as one node, as are similar cells: if they have several nodes, write one edge a line"
            )),
            Self::Kinds(columns) => Note::from(format!(
                "a number in both of the columns {columns} is read as one node: if they have two kinds of nodes, write those of one kind with a letter, such as `x1`"
            )),
        }
    }
}

impl TableColumns {
    /// What a table with these names and first rows could be instead: one below a title, or one whose weights are something else.
    ///
    /// ```
    /// use ergodict::data::{Doubt, TableColumns, TableOptions};
    /// let (names, rows) = (["source", "target", "weight"], [["Ann", "Bob", "1.016"], ["Bob", "Cleo", "950"]].map(Vec::from));
    /// let options = TableOptions::default();
    /// let found = TableColumns::find(&names, &rows, &options)?;
    /// assert_eq!(found.doubts(&names, &rows, &options), [Doubt::Thousands(3)]);
    /// # Ok::<(), String>(())
    /// ```
    pub fn doubts<T: AsRef<str>>(
        &self,
        names: &[impl AsRef<str>],
        rows: &[Vec<T>],
        options: &TableOptions,
    ) -> Vec<Doubt> {
        let mut doubts = Vec::new();
        let asked = options.header != Header::Auto || options.has_columns();
        if !asked && !are_edge_names(names) && may_be_names(rows, (self.source, self.target)) {
            doubts
                .push(Doubt::Title(fields(&[rows[0][self.source].as_ref(), rows[0][self.target].as_ref()])));
        }
        let (one, two) = (names[self.source].as_ref(), names[self.target].as_ref());
        let integers =
            || [self.source, self.target].map(|at| Kind::from_column(rows, at)) == [Kind::Integers; 2];
        // All rows of shorter tables have been compared; names of two kinds stay so where they are given.
        let may_differ = || if asked { are_two_kinds(one, two) } else { !are_one_kind(one, two) };
        if rows.len() >= Self::SAMPLE && integers() && may_differ() {
            doubts.push(Doubt::Kinds(listed(names, [self.source, self.target])));
        }
        doubts.extend(Doubt::of_lists(rows, [self.source, self.target]));
        // What a header calls weights may be years, or ascend.
        let sure = |doubt: &Doubt| !matches!(doubt, Doubt::Weights(_, what) if *what != "times (since 1970)");
        doubts.extend(self.weight.and_then(|at| Doubt::of_weights(rows, at)).filter(sure));
        doubts
    }
}
