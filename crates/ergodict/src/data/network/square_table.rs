//! Whether a square table of numbers is an adjacency matrix or a list of edges: one rule for files, and for tables and arrays in Python.
//!
//! | table | is |
//! |---|---|
//! | the same names at rows and columns | an adjacency matrix |
//! | names of edge columns, such as `source` and `target` | edges |
//! | other names of columns only | a matrix if it has four columns or more and is symmetric; ambiguous if it is symmetric or its diagonal is 0; else edges |
//! | no names, two columns | edges |
//! | no names, three columns | ambiguous if the diagonal is 0, all entries are 0 or 1, or the first two columns are no ids; else edges |
//! | no names, four columns or more | a matrix if it is symmetric, the diagonal is 0, all entries are 0 or 1, the first two columns are no ids, or no list has as many columns; else ambiguous |
//! | an array, or 0, 1, 2 at rows and columns | a matrix by the signs of the last two lines (with two columns: a diagonal of 0, and symmetric or a row of 0), or with five columns or more; else ambiguous |

use super::columns::{TableForm, are_edge_names};
use crate::Result;
use crate::error::Problem;
use std::path::Path;

/// Columns of the widest list of edges without names, in a file or table.
const WIDEST_LIST: usize = 10;
/// Columns of the widest array of edges: ends, a weight and a time.
const WIDEST_ARRAY: usize = 4;

/// What is written next to the numbers of a square table.
///
/// ```
/// use ergodict::data::{TableForm, TableLabels};
/// let rows = [vec![1.0, 2.0, 0.5, 7.0], vec![2.0, 3.0, 0.5, 8.0], vec![3.0, 4.0, 1.0, 9.0], vec![4.0, 1.0, 1.0, 9.0]];
/// let names = ["a", "b", "c", "d"];
/// assert_eq!(TableLabels::Both.form("a.csv".as_ref(), &rows)?, TableForm::Adjacency);
/// let error = TableLabels::None.form("a.csv".as_ref(), &rows).unwrap_err();
/// assert!(error.to_string().contains("4 rows of 4 numbers"));
/// # assert_eq!(TableLabels::Columns(&names.map(String::from)).form("a.csv".as_ref(), &rows)?, TableForm::Edges);
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TableLabels<'a> {
    /// The same names at rows and columns.
    Both,
    /// Names of columns.
    Columns(&'a [String]),
    /// Nothing.
    None,
    /// Nothing, as of every array, where a square one is a matrix by convention, or numbers that pandas writes.
    Array,
}

impl TableLabels<'_> {
    /// The form of a square table with these first rows, with NaN for entries that are missing; what is not square is a list of edges.
    ///
    /// # Errors
    /// [`Error::Format`](crate::Error::Format), for the table of that path, where it could be either, and for a matrix with missing entries.
    pub fn form(self, path: &Path, rows: &[Vec<f64>]) -> Result<TableForm> {
        let n = rows.first().map_or(0, Vec::len);
        if rows.iter().flatten().any(|entry| entry.is_nan()) {
            let zero = |entry: &f64| if entry.is_nan() { 0.0 } else { *entry };
            let filled: Vec<Vec<f64>> = rows.iter().map(|row| row.iter().map(zero).collect()).collect();
            return if self.decide(&filled, n) == TableForm::Adjacency {
                let problem =
                    "is an adjacency matrix with missing entries: expected 0 where there is no edge";
                Err(Problem::from(problem).at(path, None))
            } else {
                Ok(TableForm::Edges)
            };
        }
        match self.decide(rows, n) {
            TableForm::Auto => Err(self.ambiguous(n).at(path, None)),
            form => Ok(form),
        }
    }

    fn ambiguous(self, n: usize) -> Problem {
        let text = format!(
            "has {n} rows of {n} numbers, which could be the adjacency matrix of {n} nodes or {n} edges"
        );
        // An array of edges has two or three columns.
        if n > 3 && self != Self::Array {
            let ways = "say that it is a matrix, or give the columns of the ends as source and target";
            return Problem::hinting(format!("{text}: {ways}"), "format", "adjacency");
        }
        Problem::hinting(format!("{text}: say which"), "format", "adjacency|edges")
    }

    /// The form; [`TableForm::Auto`] where it could be either.
    fn decide(self, rows: &[Vec<f64>], n: usize) -> TableForm {
        use TableForm::{Adjacency, Auto, Edges};
        let there = rows.len();
        if there > n || rows.iter().any(|row| row.len() != n) {
            return Edges;
        }
        let symmetric = (0..there).all(|i| (0..there).all(|j| rows[i][j] == rows[j][i]));
        let hollow = (0..there).all(|i| rows[i][i] == 0.0);
        let binary = rows.iter().flatten().all(|&entry| entry == 0.0 || entry == 1.0);
        let ids = rows.iter().flat_map(|row| row.iter().take(2)).all(|&id| id >= 0.0 && id.fract() == 0.0);
        let widest = if self == Self::Array { WIDEST_ARRAY } else { WIDEST_LIST };
        let matrix = match n {
            0 | 1 => true,
            2 => hollow && (symmetric || rows.iter().any(|row| row == &[0.0, 0.0])) || !ids,
            3 => hollow || binary || !ids,
            _ => symmetric || hollow || binary || !ids || n > widest,
        };
        match self {
            Self::Both => Adjacency,
            Self::Columns(names) if are_edge_names(names) || n < 3 => Edges,
            Self::Columns(_) if symmetric && n > 3 => Adjacency,
            Self::Columns(_) if hollow => Auto,
            Self::Columns(_) => Edges,
            Self::Array => {
                if matrix {
                    Adjacency
                } else {
                    Auto
                }
            }
            Self::None if n < 3 => Edges,
            Self::None => match (matrix, n > 3) {
                (true, true) => Adjacency,
                (false, false) => Edges,
                _ => Auto,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(labels: TableLabels, rows: &[&[f64]]) -> TableForm {
        let rows: Vec<Vec<f64>> = rows.iter().map(|row| row.to_vec()).collect();
        labels.decide(&rows, rows.len())
    }

    #[test]
    fn square_tables_are_matrices_only_where_that_is_certain() {
        use TableForm::{Adjacency, Auto, Edges};
        let list: &[&[f64]] =
            &[&[1.0, 2.0, 1.0, 9.0], &[2.0, 3.0, 1.0, 8.0], &[3.0, 4.0, 1.0, 7.0], &[4.0, 1.0, 1.0, 6.0]];
        let cycle: &[&[f64]] =
            &[&[0.0, 2.0, 0.0, 0.0], &[0.0, 0.0, 3.0, 0.0], &[0.0, 0.0, 0.0, 1.0], &[5.0, 0.0, 0.0, 0.0]];
        let three: &[&[f64]] = &[&[0.0, 1.0, 2.0], &[1.0, 2.0, 3.0], &[2.0, 3.0, 4.0]];
        let path: &[&[f64]] = &[&[0.0, 1.0, 0.0], &[1.0, 0.0, 1.0], &[0.0, 1.0, 0.0]];
        let correlations: &[&[f64]] = &[&[1.0, 0.5, 0.2], &[0.5, 1.0, 0.1], &[0.2, 0.1, 1.0]];
        let two: &[&[f64]] = &[&[0.0, 1.0], &[1.0, 2.0]];
        let star: &[&[f64]] = &[&[0.0, 1.0], &[2.0, 0.0]];
        let edge: &[&[f64]] = &[&[0.0, 1.0], &[1.0, 0.0]];
        for (rows, plain, array) in [
            (list, Auto, Auto),
            (cycle, Adjacency, Adjacency),
            (three, Edges, Auto),
            (path, Auto, Adjacency),
            (correlations, Auto, Adjacency),
            (two, Edges, Auto),
            (star, Edges, Auto),
            (edge, Edges, Adjacency),
            (&[&[0.0, 2.0], &[0.0, 0.0]], Edges, Adjacency),
        ] {
            assert_eq!(form(TableLabels::None, rows), plain, "{rows:?}");
            assert_eq!(form(TableLabels::Array, rows), array, "{rows:?}");
            assert_eq!(form(TableLabels::Both, rows), Adjacency);
        }
        let names = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
        for (columns, rows, expected) in [
            (names(&["a", "b", "c", "d"]), list, Edges),
            (names(&["a", "b", "c", "d"]), cycle, Auto),
            (names(&["source", "target", "weight", "year"]), cycle, Edges),
            (names(&["person_1", "person_2", "n", "year"]), cycle, Edges),
            (names(&["a", "b", "c"]), path, Auto),
            (names(&["a", "b"]), edge, Edges),
        ] {
            assert_eq!(form(TableLabels::Columns(&columns), rows), expected, "{columns:?}");
        }
    }

    #[test]
    fn matrices_with_missing_entries_are_refused() {
        let gaps = |entry: f64| if entry == 0.0 { f64::NAN } else { entry };
        let path = [[0.0, 1.0, 0.0, 0.0], [1.0, 0.0, 2.0, 0.0], [0.0, 2.0, 0.0, 1.0], [0.0, 0.0, 1.0, 0.0]];
        let rows: Vec<Vec<f64>> = path.iter().map(|row| row.iter().copied().map(gaps).collect()).collect();
        for labels in [TableLabels::Both, TableLabels::None, TableLabels::Array] {
            let message = labels.form("a.csv".as_ref(), &rows).unwrap_err().to_string();
            assert_eq!(
                message,
                "a.csv: is an adjacency matrix with missing entries: expected 0 where there is no edge"
            );
        }
        let names = ["source", "target", "weight", "year"].map(String::from);
        let form = TableLabels::Columns(&names).form("a.csv".as_ref(), &rows);
        assert_eq!(form.unwrap(), TableForm::Edges);
    }

    #[test]
    fn wide_tables_are_no_lists() {
        let counts: Vec<Vec<f64>> =
            (0..12).map(|i| (0..12).map(|j| f64::from(i * 12 + j + 1)).collect()).collect();
        assert_eq!(TableLabels::None.decide(&counts, 12), TableForm::Adjacency);
        let five: Vec<Vec<f64>> = counts[..5].iter().map(|row| row[..5].to_vec()).collect();
        assert_eq!(TableLabels::None.decide(&five, 5), TableForm::Auto);
        assert_eq!(TableLabels::Array.decide(&five, 5), TableForm::Adjacency);
    }
}
