//! Tables that are no list of edges although two of their columns could be ends.

use super::kinds::{are_one_kind, are_two_kinds};
use super::listed;
use super::names::{Role, are_indices, group, is_measure, is_pair, plain, role, values_of_end};
use super::values::Kind;
use std::collections::HashSet;

/// Fewest rows that show an incidence table: fewer may well be edges between two nodes.
const INCIDENCE_ROWS: usize = 4;

/// Whether columns hold nothing but 0 and 1, as tables of who took part in what do, and ends of edges do not.
pub(in super::super) fn is_incidence<T: AsRef<str>>(rows: &[Vec<T>], columns: &[usize]) -> bool {
    let bit = |value: &str| value.parse::<f64>().is_ok_and(|value| value == 0.0 || value == 1.0);
    let bits = |row: &Vec<T>| columns.iter().all(|&at| row.get(at).is_some_and(|value| bit(value.as_ref())));
    rows.len() >= INCIDENCE_ROWS && rows.iter().all(bits)
}

/// What is wrong with an incidence table.
pub(in super::super) fn incidence(columns: &str) -> String {
    format!(
        "has nothing but 0 and 1 in {columns}, as an incidence table has, whose rows and columns are two kinds of nodes: \
         expected a line for each 1, with the names of its row and its column"
    )
}

fn is_end(name: &str) -> bool {
    matches!(role(name), Some(Role::Source | Role::Target))
}

/// Refuses columns of ids of which one has integers and the other numbers with decimals, as `1` and `1.0` would be two nodes.
pub(in super::super) fn written_alike<T: AsRef<str>>(
    rows: &[Vec<T>],
    (source, target): (usize, usize),
    columns: &str,
) -> Result<(), String> {
    let kinds = [source, target].map(|at| Kind::from_column(rows, at));
    if kinds.contains(&Kind::Integers) && kinds.contains(&Kind::Numbers) {
        return Err(format!(
            "has integers in one of {columns} and numbers with decimals, such as 2.0, in the other: expected ids that are written in one way"
        ));
    }
    Ok(())
}

/// Refuses columns that are no ends of edges; `given` is which of them the caller says.
///
/// # Errors
/// A sentence that goes on after the name of the table.
pub(super) fn ends<T: AsRef<str>>(
    names: &[impl AsRef<str>],
    rows: &[Vec<T>],
    (source, target): (usize, usize),
    given: (bool, bool),
) -> Result<(), String> {
    let (one, two) = (names[source].as_ref(), names[target].as_ref());
    // What neither the caller nor its name says is an end.
    let open: Vec<usize> = [(source, given.0), (target, given.1)]
        .into_iter()
        .filter(|(at, given)| !given && !is_end(names[*at].as_ref()))
        .map(|(at, _)| at)
        .collect();
    let sought = open.len() == 2;
    let given = given.0 && given.1;
    if let Some(at) = open.iter().copied().find(|&at| is_measure(names[at].as_ref())) {
        return Err(format!(
            "has no two columns for the ends of an edge, as {} looks like a measure: name them `source` and `target`, or give them as source and target",
            listed(names, [at])
        ));
    }
    let columns = || listed(names, [source, target]);
    let kinds = [source, target].map(|at| Kind::from_column(rows, at));
    let numbers = kinds.iter().all(|kind| matches!(kind, Kind::Integers | Kind::Numbers));
    if sought && is_incidence(rows, &[source, target]) {
        return Err(incidence(&columns()));
    }
    // pandas calls the column without a name so.
    let unnamed = |name: &str| ["", "unnamed0"].contains(&&*plain(name));
    let row_names = |at: usize| unnamed(names[at].as_ref()) && Kind::from_column(rows, at) == Kind::Words;
    let paired = is_pair(one, two, true) || are_indices(one, two);
    if sought && !paired && numbers && (0..names.len()).any(row_names) {
        return Err(format!(
            "has names of rows and numbers in {}, as a matrix has whose rows and columns are two kinds of nodes: \
             expected an edge a line, with the names of its ends",
            columns()
        ));
    }
    let decimals: Vec<usize> =
        open.into_iter().filter(|&at| Kind::from_column(rows, at) == Kind::Numbers).collect();
    if !decimals.is_empty() {
        return Err(format!(
            "has numbers with decimals in {}: expected the ids of nodes as ends of edges",
            listed(names, decimals)
        ));
    }
    written_alike(rows, (source, target), &columns())?;
    let said = [one, two].map(values_of_end);
    let apart = kinds.contains(&Kind::Words) && kinds.contains(&Kind::Integers);
    if !given
        && apart
        && [one, two].iter().all(|name| is_end(name))
        && [["id", "name"], ["name", "id"]].contains(&said)
    {
        return Err(format!(
            "has names in one of {} and ids in the other, so that one node would be two: expected two columns of ids or two of names; \
             give both as source and target if this is what they are",
            columns()
        ));
    }
    let values = |at: usize| rows.iter().filter_map(move |row| row.get(at)).map(AsRef::as_ref);
    let shared = || {
        let targets: HashSet<&str> = values(target).collect();
        values(source).any(|id| targets.contains(id))
    };
    // `name`, `age`, `city`: attributes of a node, unless a value of one column is one of the other, too.
    if sought && !paired && !are_two_kinds(one, two) && source.abs_diff(target) > 1 && !shared() {
        return Err(format!(
            "has columns {} that are not next to each other and have no value in common, as a table of nodes has: \
             name two columns `source` and `target`, or give them as source and target, if its rows are edges",
            columns()
        ));
    }
    let spaces = matches!((group(one), group(two)), (Some(one), Some(two)) if one != two);
    let two_kinds = (spaces || are_two_kinds(one, two)) && (!given || shared());
    if two_kinds && kinds == [Kind::Integers; 2] {
        return Err(format!(
            "has two kinds of nodes, {}, with numbers as ids, so that one number would be two nodes: write those of one kind with \
             a letter, such as `x1`, or give the columns as source and target if no number stands in both",
            columns()
        ));
    }
    if sought && kinds == [Kind::Integers; 2] && !are_one_kind(one, two) && shared() {
        return Err(format!(
            "has numbers as ids in {}, which may be two kinds of nodes, so that one number would be two nodes: give the columns as source and \
             target if they are of one kind, and otherwise write those of one kind with a letter, such as `x1`",
            columns()
        ));
    }
    Ok(())
}

/// Refuses two columns that are the same end of edges by the same name, unless the caller says which column that end is.
///
/// # Errors
/// A sentence that goes on after the name of the table.
pub(super) fn duplicates(
    names: &[impl AsRef<str>],
    used: &[usize],
    (source_given, target_given): (bool, bool),
) -> Result<(), String> {
    for (at, name) in names.iter().enumerate().filter(|(at, _)| !used.contains(at)) {
        let open = match role(name.as_ref()) {
            Some(Role::Source) => !source_given,
            Some(Role::Target) => !target_given,
            _ => false,
        };
        if open && names[..at].iter().any(|other| plain(other.as_ref()) == plain(name.as_ref())) {
            let name = listed(names, [at]);
            return Err(format!(
                "has two columns called {name}: rename one, or give numbers of columns as source and target"
            ));
        }
    }
    Ok(())
}
