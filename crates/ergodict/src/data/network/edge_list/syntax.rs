//! Texts that are refused because they are no plain list of an edge a line.

use super::layout::shown;
use super::line::{Separator, split};
use crate::data::network::columns::{FirstRow, TableOptions, are_edge_names, are_names_above, first_row};
use crate::error::Problem;
use std::collections::BTreeSet;

/// Lines below the first that may be a header.
const TITLES: usize = 4;

/// Refuses a title above the edges, and a header that does not stand in the first line, below a title or the name of a table.
pub(super) fn check_title(lines: &[(u64, &str)]) -> Result<(), (u64, Problem)> {
    let below = &lines[1.min(lines.len())..];
    let separator = super::layout::separator(below);
    let fields = |line: &'_ str| {
        let mut fields = Vec::new();
        split(line, separator, &mut fields)
            .map(|()| fields.iter().map(ToString::to_string).collect::<Vec<_>>())
    };
    let both = |line: &str| {
        fields(line).is_ok_and(|row| row.len() > 1 && row.iter().take(2).all(|end| !end.is_empty()))
    };
    if let Some((number, first)) = lines.first()
        && let Ok(row) = fields(first)
        && row.len() > 1
        && row.iter().position(|field| !field.is_empty()) == Some(0)
        && row[1..].iter().all(String::is_empty)
        && !below.is_empty()
        && below.iter().all(|(_, line)| both(line))
    {
        let problem = "has one field and otherwise blanks: give it its second end if it is an edge; if it is a title above the table, leave it out, or begin it with `#`";
        return Err((*number, problem.into()));
    }
    for at in 1..lines.len().min(TITLES + 1) {
        let (number, line) = lines[at];
        let separator = super::layout::separator(&lines[at..]);
        let fields = |line: &'_ str| {
            let mut fields = Vec::new();
            split(line, separator, &mut fields)
                .map(|()| fields.iter().map(ToString::to_string).collect::<Vec<_>>())
        };
        let (Ok(names), Ok(above)) = (fields(line), fields(lines[0].1)) else { continue };
        // Below a header it is a header again, and among edges an edge.
        let node = |name: &String| {
            let others = lines.iter().enumerate().filter(|(other, _)| *other != at);
            others.filter_map(|(_, (_, line))| fields(line).ok()).any(|row| row.contains(name))
        };
        let rows = || lines[at + 1..].iter().filter_map(|(_, line)| fields(line).ok()).collect::<Vec<_>>();
        let numbers = above.iter().all(|field| field.parse::<f64>().is_ok());
        let header = (are_edge_names(&names) || !numbers && are_names_above(&names, &rows()))
            && !names.iter().any(node);
        if header && !are_edge_names(&above) && lines.len() > at + 1 {
            let problem = "has the names of columns, but is not the first line: leave out the lines above it, or begin them with `#`";
            return Err((number, problem.into()));
        }
    }
    // A header between blanks above edges between tabs is a header.
    let rows: Vec<Vec<String>> = below.iter().filter_map(|(_, line)| fields(line).ok()).collect();
    if let Some((number, first)) = lines.first()
        && separator != Separator::Mixed
        && fields(first).is_ok_and(|row| row.len() == 1)
        && !below.is_empty()
        && rows.len() == below.len()
        && rows.iter().all(|row| row.len() > 1)
    {
        let words: Vec<&str> = first.split_whitespace().collect();
        let header = first_row(&words, &rows, &TableOptions::default(), true) == FirstRow::Names;
        if words.len() > 1 && !header && words.iter().any(|word| word.parse::<f64>().is_err()) {
            let problem = "has one field, and the lines below have more: leave it out if it is a title above the table, or begin it with `#`";
            return Err((*number, problem.into()));
        }
    }
    Ok(())
}

/// Refuses a `#` alone, below which a file of the trivial graph format has its edges.
pub(super) fn check_comments(
    between: &[(u64, &str)],
    lines: &[(u64, &str)],
    separator: Separator,
) -> Result<(), (u64, Problem)> {
    let columns = |line: &str| {
        let mut fields = Vec::new();
        split(line, separator, &mut fields).map_or(0, |()| fields.len())
    };
    let Some(&(number, _)) = between.iter().find(|(_, line)| line.trim() == "#") else { return Ok(()) };
    // Nodes have a label or none, and edges have both ends above all.
    let (above, below): (Vec<_>, Vec<_>) = lines.iter().partition(|(line, _)| *line < number);
    let widths =
        |lines: &[&(u64, &str)]| -> BTreeSet<usize> { lines.iter().map(|(_, line)| columns(line)).collect() };
    if widths(&above) == widths(&below) && above.len() == 1 {
        return Ok(());
    }
    let first: BTreeSet<&str> = above.iter().filter_map(|(_, line)| line.split_whitespace().next()).collect();
    let listed = |line: &str| line.split_whitespace().take(2).all(|id| first.contains(id));
    if below.is_empty() || !below.iter().all(|(_, line)| listed(line)) {
        return Ok(());
    }
    let problem = "is `#` alone, as in the trivial graph format, whose first lines are nodes: expected edges only (or leave this line out)";
    Err((number, problem.into()))
}

/// What is wrong with rows that are edges in another syntax.
pub(in super::super) fn other<T: AsRef<str>>(rows: &[Vec<T>]) -> Option<String> {
    // What ends a line in a program does not matter.
    let whole =
        |row: &Vec<T>| row.iter().rposition(|field| !field.as_ref().is_empty()).map_or(1, |last| last + 1);
    let rows: Vec<Vec<&str>> =
        rows.iter().map(|row| row.iter().take(whole(row)).map(AsRef::as_ref).collect()).collect();
    let all = |holds: &dyn Fn(&[&str]) -> bool| rows.iter().all(|row| holds(row));
    let first = *rows.first()?.first()?;
    if ["#", "%", "//", "!", ";", ";;", "--", "-", "*", "REM", "'"].contains(&first) {
        return Some(format!(
            "begins with `{first}`, as comments and lists of other programs do: begin comments with `#`, and edges with a node"
        ));
    }
    let opens = |field: &str| field.contains(['(', '[', '{', '<']) && !field.contains([')', ']', '}', '>']);
    let closes = |field: &str| field.contains([')', ']', '}', '>']) && !field.contains(['(', '[', '{', '<']);
    if all(&|row| row.len() > 1 && opens(row[0]) && closes(row[row.len() - 1])) {
        return Some("has edges in brackets: expected their ends alone, such as `a b`".into());
    }
    if all(&|row| row.len() > 2 && is_arrow(row[1])) {
        let arrow = shown(rows[0][1]);
        return Some(format!(
            "has `{arrow}` between both ends of an edge: give the columns of the ends as source and target (1 and 3), or leave it out"
        ));
    }
    let within = |field: &str| ["->", "=>", "\u{2192}", "\u{2194}"].iter().any(|arrow| field.contains(arrow));
    if all(&|row| row.iter().any(|field| within(field)) || row.len() == 1 && row[0].contains("--")) {
        return Some(
            "has arrows between both ends of an edge: expected the ends alone, such as `a b`".into(),
        );
    }
    if all(&|row| row[0].len() > 1 && row[0].ends_with(':')) {
        return Some("begins with a name and a colon, as lists of neighbors do: expected an edge a line, such as `a b`".into());
    }
    let key =
        |field: &str| field.split_once('=').map(|(key, _)| key.to_owned()).filter(|key| !key.is_empty());
    let keys: Vec<_> = rows[0].iter().take(2).map(|field| key(field)).collect();
    // Addresses such as `page?id=1` have one key.
    if keys.iter().all(Option::is_some)
        && keys.first() != keys.get(1)
        && all(&|row| row.iter().take(2).map(|field| key(field)).eq(keys.iter().cloned()))
    {
        return Some(
            "has names and values with `=`: expected the ends of an edge alone, such as `a b`".into(),
        );
    }
    let integers = |row: &[&str]| row[1..].iter().all(|id| id.parse::<i64>().is_ok());
    let word = first.chars().all(char::is_alphabetic);
    if rows.len() > 1 && word && all(&|row| row.len() > 2 && row[0] == first && integers(row)) {
        return Some(format!(
            "has the ends of an edge behind `{}`, as in DIMACS files: expected both ends first, or their columns given as source and target",
            shown(first)
        ));
    }
    None
}

/// Whether a field means an edge between its neighbors.
fn is_arrow(field: &str) -> bool {
    !field.is_empty() && field.chars().all(|c| "-=<>\u{2013}\u{2014}\u{2190}\u{2192}\u{2194}".contains(c))
}

/// What is wrong with rows of several lengths.
pub(super) fn neighbor_lists(widths: &BTreeSet<usize>) -> String {
    let (fewest, most) = (widths.first().unwrap_or(&0), widths.last().unwrap_or(&0));
    format!(
        "begins lines of {fewest} to {most} fields, as lists of neighbors (adjacency lists, METIS) have: expected an edge a line, such as `a b` \
         (names with blanks go between commas, tabs or quotation marks)"
    )
}
