//! Rows without names of columns that may be something else than two ends and a weight: sizes, times, row numbers, lists of neighbors.

use super::weights::odd_weights;
use crate::data::network::edge_list::integer_of;
use crate::error::Problem;
use std::collections::BTreeSet;

/// Most fields of an edge: ends, a weight and a time.
const WIDEST: usize = 3;

/// Fewest rows of overlapping columns that show times, or numbers of rows.
pub(super) const FEWEST: usize = 8;

/// The first rows of a table, as integers where all of them are.
type Integers = Vec<Vec<i64>>;

fn integers<T: AsRef<str>>(rows: &[Vec<T>]) -> Option<Integers> {
    rows.iter().map(|row| row.iter().map(|field| integer_of(field.as_ref())).collect()).collect()
}

fn column(rows: &[Vec<i64>], at: usize) -> BTreeSet<i64> {
    rows.iter().map(|row| row[at]).collect()
}

/// Whether the first row has the number of nodes, and that of edges, of the others: it is skipped. `complete` is whether these are all rows.
///
/// # Errors
/// For a row that could be an edge just as well, and for lists of neighbors below such a row.
pub(in super::super) fn begins_with_sizes<T: AsRef<str>>(
    rows: &[Vec<T>],
    complete: bool,
) -> Result<bool, Problem> {
    let [first, rest @ ..] = rows else { return Ok(false) };
    let Some(width) = rest.first().map(Vec::len).filter(|_| rest.len() > 1 && first.len() <= 3) else {
        return Ok(false);
    };
    let sizes = integers(std::slice::from_ref(first)).and_then(|mut rows| rows.pop());
    let Some(sizes) = sizes.filter(|sizes| sizes.iter().all(|&size| size > 0)) else { return Ok(false) };
    let (Some(&nodes), Some(&edges)) = (sizes.first(), sizes.last()) else { return Ok(false) };
    let all = complete && edges == rest.len() as i64;
    if rest.iter().any(|row| row.len() != width) || width < 2 {
        return Ok(false);
    }
    let ends: Vec<Vec<&str>> =
        rest.iter().map(|row| row.iter().take(2).map(AsRef::as_ref).collect()).collect();
    let Some(ids) = integers(&ends) else {
        let names: BTreeSet<&str> = ends.iter().flatten().copied().collect();
        return Ok(sizes.len() == 2 && all && nodes == names.len() as i64);
    };
    let lists = complete && sizes.len() > 1 && nodes == rest.len() as i64;
    if lists && integers(rest).is_some_and(|rest| are_neighbors_by_line(&rest)) {
        return Err("has the numbers of nodes and edges, and each row below has the neighbors of a node, as in METIS files: \
                    expected an edge a line, such as `a b`"
            .into());
    }
    let (mut least, mut most) = (i64::MAX, i64::MIN);
    ids.iter().flatten().for_each(|&id| (least, most) = (least.min(id), most.max(id)));
    if least < 0 || nodes < most {
        return Ok(false);
    }
    let certain = match sizes.len() {
        // An edge has as many fields as the others.
        found if found != width => return Ok(found == 1 || all || !complete),
        3 => return Ok(sizes[0] == sizes[1] && edges > most && (all || !complete)),
        _ => all && edges > most,
    };
    let shares = ids[0].contains(&nodes) || ids[0].contains(&edges);
    let unsure = if complete { all && !shares && rest.len() > 2 && nodes - 1 <= most } else { edges > most };
    if certain || !unsure {
        return Ok(certain);
    }
    let text =
        "has two numbers that could be an edge or the numbers of nodes and edges: say whether it is a header";
    Err(Problem::hinting(text, "header", "yes|no"))
}

/// Whether row i has the neighbors of node i, from 1, each of which has node i among its own.
fn are_neighbors_by_line(rows: &[Vec<i64>]) -> bool {
    let mut pairs = BTreeSet::new();
    for (row, at) in rows.iter().zip(1..) {
        pairs.extend(row.iter().map(|&neighbor| (at, neighbor)));
    }
    pairs.iter().all(|&(u, v)| u != v && pairs.contains(&(v, u)))
}

/// Refuses rows of three columns of which the first, of that number, is none of the ends, and lists of neighbors that are all of one length.
///
/// # Errors
/// What the first column is instead.
pub(in super::super) fn check_three_columns<T: AsRef<str>>(
    rows: &[Vec<T>],
    complete: bool,
    number: usize,
) -> Result<(), Problem> {
    if rows.len() < 2 || rows.iter().any(|row| row.len() != 3) {
        return Ok(());
    }
    let [one, two, three] = [0, 1, 2].map(|at| number + at);
    let columns = format!(
        "give the columns of both ends as source and target ({two} and {three}; or {one} and {two}, with {three} as the weight)"
    );
    if rows.iter().all(|row| is_date(row[0].as_ref())) {
        return Err(format!("begins with a date, as every row does: {columns}").into());
    }
    let Some(rows) = integers(rows) else { return Ok(()) };
    let (first, ends, others) = (column(&rows, 0), column(&rows, 1), column(&rows, 2));
    let common = others.intersection(&ends).count();
    // The third column has ids, as weights have not, if it shares many numbers with the second.
    let ids = 2 * common >= others.len() && 2 * others.len() >= ends.len() && others.len() > 1;
    if rows.len() >= FEWEST && ids && ascends_apart(&rows) {
        return Err(
            format!("begins with a number that looks like a time, as every row does: {columns}").into()
        );
    }
    let numbered = |from: i64| rows.iter().zip(from..).all(|(row, at)| row[0] == at);
    let closed = || {
        complete
            && rows.len() > 2
            && first.len() == rows.len()
            && rows.iter().all(|row| {
                first.contains(&row[1]) && first.contains(&row[2]) && row[0] != row[2] && row[1] != row[2]
            })
    };
    if ids && (rows.len() >= FEWEST && (numbered(0) || numbered(1)) || closed()) {
        return Err(format!(
            "has rows of three integers, each of which could be an edge with a weight, a node with two neighbors, or a numbered edge: {columns}; \
             write lists of neighbors as an edge a line"
        )
        .into());
    }
    Ok(())
}

/// Whether the first of three columns ascends and shares no number with the others.
fn ascends_apart(rows: &[Vec<i64>]) -> bool {
    let (first, ends, others) = (column(rows, 0), column(rows, 1), column(rows, 2));
    rows.is_sorted_by_key(|row| row[0])
        && first.len() > 1
        && first.is_disjoint(&ends)
        && first.is_disjoint(&others)
}

/// Whether the first of three columns could be times and the others the ends of edges, although times and ids share numbers or the rows are few.
pub(in super::super) fn could_begin_with_times<T: AsRef<str>>(rows: &[Vec<T>]) -> bool {
    if rows.len() < 3 || rows.iter().any(|row| row.len() != 3) {
        return false;
    }
    let Some(rows) = integers(rows) else { return false };
    let (times, ends, others) = (column(&rows, 0), column(&rows, 1), column(&rows, 2));
    let common = others.intersection(&ends).count();
    let ascends = rows.is_sorted_by_key(|row| row[0]) && times.len() >= 3;
    (if rows.len() < FEWEST { others.len() > 1 && ascends_apart(&rows) } else { ascends })
        && 2 * common >= others.len()
        && 2 * others.len() >= ends.len()
}

/// Refuses two long rows of integers, one with an end of each edge.
///
/// # Errors
/// With the way out.
pub(in super::super) fn check_edge_index<T: AsRef<str>>(
    rows: &[Vec<T>],
    complete: bool,
) -> Result<(), Problem> {
    let number = |field: &T| field.as_ref().parse::<f64>().ok();
    let integer = |field: &T| number(field).is_some_and(|number| number.fract() == 0.0);
    let bit = |field: &T| number(field).is_some_and(|number| number == 0.0 || number == 1.0);
    let [one, two] = rows else { return Ok(()) };
    let (columns, all) = (one.len(), || one.iter().chain(two));
    // Rows of 0 and 1 are those of a matrix.
    if !complete || columns != two.len() || columns <= WIDEST || !all().all(integer) || all().all(bit) {
        return Ok(());
    }
    Err(format!(
        "has two rows of {columns} integers, as an edge index (PyTorch Geometric) has, with one end of each edge in a row: expected an edge a line; transpose it"
    )
    .into())
}

/// Whether two rows of three integers could be both ends of three edges, and not two edges with weights: the third column has nothing but numbers of nodes.
pub(in super::super) fn could_be_edge_index<T: AsRef<str>>(rows: &[Vec<T>], complete: bool) -> bool {
    let Some(rows) = integers(rows).filter(|rows| complete && rows.len() == 2) else { return false };
    let known = |id: i64| rows.iter().any(|row| row[..2].contains(&id));
    rows.iter().all(|row| row.len() == 3)
        && rows.iter().all(|row| row[2] == 0 || known(row[2]))
        && rows[0][2] != rows[1][2]
        && rows[0] != rows[1]
}

/// Whether the second of three columns could have relations, of which there are few, and the third the other ends, as the triples of knowledge graphs do.
pub(in super::super) fn could_be_triples<T: AsRef<str>>(rows: &[Vec<T>]) -> bool {
    if rows.len() < FEWEST || rows.iter().any(|row| row.len() != 3) {
        return false;
    }
    let Some(rows) = integers(rows) else { return false };
    let (heads, relations, tails) = (column(&rows, 0), column(&rows, 1), column(&rows, 2));
    let common = heads.intersection(&tails).count();
    let few = 2 * relations.len();
    2 * common >= tails.len() && tails.len() > few && heads.len() > few
}

/// Whether a column of a list that is neither an end nor a weight has times: dates, seconds or milliseconds since 1970, or ascending integers.
pub(in super::super) fn are_times<T: AsRef<str>>(rows: &[Vec<T>], at: usize) -> bool {
    let dates = || rows.iter().all(|row| row.get(at).is_some_and(|field| is_date(field.as_ref())));
    // Contacts of twenty seconds repeat their times; no weights stand in a column that nothing is made of.
    let moments = || rows.iter().map(|row| integer_of(row.get(at)?.as_ref())).collect::<Option<Vec<i64>>>();
    let ascends = || {
        let moments = moments().filter(|moments| moments.len() >= FEWEST && moments.is_sorted());
        moments.is_some_and(|moments| moments.into_iter().collect::<BTreeSet<i64>>().len() > 2)
    };
    odd_weights(rows, at).is_some_and(|what| what.starts_with("times") || what == "dates")
        || dates()
        || ascends()
}

/// Whether a field begins as `2020-01-31` or `2020-01-31T12:00` does.
fn is_date(field: &str) -> bool {
    let date = field.as_bytes().get(..10);
    date.is_some_and(|date| {
        date.iter().enumerate().all(|(at, byte)| match at {
            4 | 7 => *byte == b'-',
            _ => byte.is_ascii_digit(),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str) -> Vec<Vec<&str>> {
        text.split(';').map(|row| row.split(' ').collect()).collect()
    }

    #[test]
    fn sizes_are_no_edge() {
        for (text, complete, expected) in [
            ("4 5;1 2;1 3;1 4;2 3;3 4", true, Some(true)),
            ("4 4 5;1 2;1 3;1 4;2 3;3 4", true, Some(true)),
            ("4 4 5;1 2 7;1 3 7;1 4 7;2 3 7;3 4 7", true, Some(true)),
            ("4 5;1 2 7;1 3 7;1 4 7;2 3 7;3 4 7", true, Some(true)),
            ("4;1 2;1 3", true, Some(true)),
            ("3 2;a b;b c", true, Some(true)),
            ("3 3;a b;b c", true, Some(false)),
            // As many edges as the largest id: a tree below its sizes, or an edge.
            ("5 4;1 2;1 3;1 4;1 5", true, None),
            ("5 4;4 3;3 2;2 1;1 0", true, Some(false)),
            ("4 4;2 4;1 3;2 4;1 3", true, None),
            ("4 6;2 3 4;1 3 4;1 2 4;1 2 3", true, None),
            ("9 7;1 2;2 3;3 1", true, Some(false)),
            ("9 12;1 2;2 3;3 1", false, None),
            ("2 12;1 2;2 3;3 1", false, Some(false)),
            ("1 2;2 3", true, Some(false)),
        ] {
            assert_eq!(begins_with_sizes(&rows(text), complete).ok(), expected, "{text}");
        }
    }

    #[test]
    fn two_long_rows_are_an_edge_index() {
        for (text, expected) in [
            ("0 1 2 3;1 2 3 0", false),
            ("0.0 1.0 2.0 3.0;1.0 2.0 3.0 0.0", false),
            ("0 1 2;1 2 0", true),
            ("0 1 2 3;1 2 3 0;2 3 0 1", true),
            ("a b c d;b c d a", true),
            ("0 1 0 1;1 0 1 0", true),
        ] {
            assert_eq!(check_edge_index(&rows(text), true).is_ok(), expected, "{text}");
        }
        assert!(could_be_edge_index(&rows("0 1 2;1 2 0"), true));
        for text in ["1 2 9;2 3 7", "1 2 1;2 3 1", "0 1 2;1 2 0;2 0 1", "a b 1;b c 2"] {
            assert!(!could_be_edge_index(&rows(text), true), "{text}");
        }
    }

    #[test]
    fn few_relations_between_many_nodes_are_noticed() {
        let triples = "1 0 5;2 1 6;3 0 7;4 1 8;5 0 1;6 1 2;7 0 3;8 1 4";
        assert!(could_be_triples(&rows(triples)));
        for text in ["1 5 1;2 6 1;3 7 2;4 8 1;5 1 3;6 2 1;7 3 1;8 4 2", "1 0 5;2 1 6;3 0 7"] {
            assert!(!could_be_triples(&rows(text)), "{text}");
        }
    }

    #[test]
    fn first_columns_that_are_no_ends_are_refused() {
        for (text, words) in [
            ("20 1 2;20 2 3;40 3 1;40 1 2;40 2 3;60 3 1;60 1 3;80 2 1", Some("looks like a time")),
            ("20 1 2;40 2 3;60 3 1", None),
            ("2020-01-01 1 2;2020-01-02 2 3", Some("begins with a date")),
            ("0 1 2;1 2 3;2 3 0;3 0 1", Some("node with two neighbors")),
            ("1 5 6;2 6 7;3 7 5;4 5 8;5 8 6;6 8 9;7 9 5;8 5 7", Some("numbered edge")),
            ("0 1 2;1 2 3;2 3 4", None),
            ("1 2 5;2 3 5;3 1 7", None),
            ("1 10 1;1 11 2;2 10 5;2 12 1", None),
        ] {
            let found = check_three_columns(&rows(text), true, 1)
                .map_err(|problem| problem.at(std::path::Path::new("x"), None).to_string());
            match words {
                Some(words) => assert!(found.unwrap_err().contains(words), "{text}"),
                None => assert_eq!(found, Ok(()), "{text}"),
            }
        }
        assert!(could_begin_with_times(&rows("20 1 2;20 2 3;40 3 1")), "fewer rows are a doubt");
        assert!(!could_begin_with_times(&rows("20 1 2;40 2 3")));
    }
}
