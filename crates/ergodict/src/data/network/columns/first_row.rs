//! Whether the first row of a table has the names of its columns.

use super::kinds::are_two_kinds;
use super::names::{
    Role, are_default_names, are_edge_names, are_indices, has_pair, is_node_attribute, is_node_name,
    is_weak_weight, plain, role,
};
use super::{Header, TableOptions};
use crate::data::network::edge_list::integer_of;

/// What the first row of a table is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in super::super) enum FirstRow {
    Names,
    Edge,
    /// An edge whose nodes occur in none of the other rows that were looked at, so that it could be names as well.
    Unsure,
    /// The numbers of the columns of a table without names, as pandas writes it, behind which rows begin with theirs.
    Numbers,
}

/// Whether the first row of a file names its columns. `plain_text` is where blanks separate, and few people write headers.
pub(in super::super) fn first_row<T: AsRef<str>>(
    head: &[impl AsRef<str>],
    rest: &[Vec<T>],
    options: &TableOptions,
    plain_text: bool,
) -> FirstRow {
    let numbered = is_numbered(head, rest);
    match options.header {
        Header::Yes | Header::Auto if numbered => return FirstRow::Numbers,
        Header::Yes => return FirstRow::Names,
        Header::No => return FirstRow::Edge,
        Header::Auto => {}
    }
    let number = |field: &str| field.parse::<f64>().is_ok();
    let named = |given: &Option<String>| {
        given.as_deref().is_some_and(|given| head.iter().any(|name| plain(name.as_ref()) == plain(given)))
    };
    let given = [&options.source, &options.target, &options.weight];
    if given.iter().any(|given| named(given) && given.as_deref().is_some_and(|given| !number(given))) {
        return FirstRow::Names;
    }
    let stands_below = |name: &str| rest.iter().any(|row| row.iter().take(2).any(|id| id.as_ref() == name));
    let counted = (2..=3).contains(&head.len())
        && head.iter().zip(["0", "1", "2"]).all(|(name, number)| name.as_ref() == number);
    if counted && rest.len() > 1 && !stands_below("0") && !stands_below("1") {
        // The numbers of columns that pandas writes where they have no names.
        return FirstRow::Unsure;
    }
    // pandas calls a column without a name 0.
    let numbers = head.iter().filter(|field| number(field.as_ref())).count();
    let unnamed = numbers == 1 && head.len() == 3 && head[2].as_ref() == "0" && are_edge_names(&head[..2]);
    let years = numbers > 0 && !unnamed;
    if head.len() < 2 || years && !are_edge_names(head) {
        return FirstRow::Edge;
    }
    let called = |of: Role| head.iter().position(|name| role(name.as_ref()) == Some(of));
    let (source, target) = (called(Role::Source), called(Role::Target));
    let ends = [source.unwrap_or(0), target.unwrap_or(1)];
    let found_again = |name: &str| {
        rest.iter()
            .any(|row| ends.iter().any(|&at| row.get(at).is_some_and(|id| is_alike(name, id.as_ref()))))
    };
    if ends.iter().any(|&at| head.get(at).is_some_and(|name| found_again(name.as_ref()))) {
        return FirstRow::Edge;
    }
    if years && !has_years(head) {
        return FirstRow::Unsure;
    }
    let of_nodes = head.iter().any(|name| is_node_name(name.as_ref()))
        && head.iter().any(|name| is_node_attribute(name.as_ref()));
    let pair = of_nodes
        || has_pair(head)
        || !plain_text && head.windows(2).any(|two| are_two_kinds(two[0].as_ref(), two[1].as_ref()));
    if source.is_some() && target.is_some() || pair || are_default_names(head) {
        return FirstRow::Names;
    }
    let Some(next) = rest.first() else { return FirstRow::Edge };
    let weight = head
        .iter()
        .position(|name| role(name.as_ref()) == Some(Role::Weight))
        .or_else(|| head.iter().skip(2).position(|name| is_weak_weight(name.as_ref())).map(|at| at + 2));
    if weight.is_some_and(|at| next.get(at).is_some_and(|field| number(field.as_ref()))) {
        return FirstRow::Names;
    }
    let integers =
        |row: &Vec<T>| row.len() >= 2 && row.iter().take(2).all(|id| integer_of(id.as_ref()).is_some());
    if rest.iter().all(integers) {
        return FirstRow::Names;
    }
    if plain_text {
        // An edge has no fourth field, and `i` and `j` are no nodes.
        let indices = head.windows(2).any(|two| are_indices(two[0].as_ref(), two[1].as_ref()));
        return if head.len() > 3 && indices { FirstRow::Names } else { FirstRow::Edge };
    }
    let numbers_below =
        |at: usize| rest.iter().all(|row| row.get(at).is_some_and(|field| number(field.as_ref())));
    // A word over numbers is a name, and an edge has no fourth field.
    let over_numbers = |at: usize| numbers_below(at) && !is_missing(head[at].as_ref());
    if head.len() > 3 || (0..head.len()).any(over_numbers) {
        return FirstRow::Names;
    }
    // One pair of nodes apart among edges that all hang together is no edge.
    if stands_apart(head, rest, 0) { FirstRow::Names } else { FirstRow::Unsure }
}

/// Whether the first row has a blank and the numbers of columns, and the rows below begin with their own, as pandas writes a table without names.
fn is_numbered<T: AsRef<str>>(head: &[impl AsRef<str>], rest: &[Vec<T>]) -> bool {
    let first: Option<Vec<&str>> = rest.iter().map(|row| Some(row.first()?.as_ref())).collect();
    let numbers = head.len() > 2 && head[0].as_ref().is_empty() && count(&head[1..]);
    numbers && !rest.is_empty() && first.is_some_and(|first| count(&first))
}

/// Whether these are 0, 1, 2 and so on.
pub(in super::super) fn count(numbers: &[impl AsRef<str>]) -> bool {
    numbers.iter().zip(0..).all(|(number, at)| number.as_ref().parse() == Ok::<usize, _>(at))
}

/// Whether a row that names both ends has more fields than an edge, or years for numbers, as columns of a panel are called.
fn has_years(head: &[impl AsRef<str>]) -> bool {
    let year =
        |name: &str| name.len() == 4 && integer_of(name).is_some_and(|year| (1000..=2999).contains(&year));
    let called = |of: Role| head.iter().any(|name| role(name.as_ref()) == Some(of));
    let numbers = || head.iter().map(AsRef::as_ref).filter(|name| name.parse::<f64>().is_ok());
    head.len() > 3 || called(Role::Source) && called(Role::Target) && numbers().all(year)
}

/// Whether the first row is written as no node is, above rows that share nodes with each other, but for some of them.
fn stands_apart<T: AsRef<str>>(head: &[impl AsRef<str>], rest: &[Vec<T>], most: usize) -> bool {
    let ids = |row: &Vec<T>| -> Vec<String> { row.iter().take(2).map(|id| id.as_ref().to_owned()).collect() };
    let rows: Vec<Vec<String>> = rest.iter().map(ids).collect();
    let connected = |at: usize| {
        rows.iter().enumerate().any(|(other, row)| other != at && row.iter().any(|id| rows[at].contains(id)))
    };
    // `TP53` is written as `BRCA1` is.
    let alike = |name: &str| {
        let form = form(name);
        form.contains(['A', '9']) && rows.iter().flatten().any(|id| self::form(id) == form)
    };
    let is_node = head.iter().take(2).any(|name| alike(name.as_ref()));
    !is_node && rows.len() >= 3 && (0..rows.len()).filter(|&at| !connected(at)).count() <= most
}

/// Whether the first of some rows that are not the first of a table, with ends of edges in these columns, could have the names of columns: it shares no
/// node with the others, of which most share nodes with each other.
pub(super) fn may_be_names<T: AsRef<str>>(rows: &[Vec<T>], (source, target): (usize, usize)) -> bool {
    let ends = |row: &Vec<T>| -> Vec<String> {
        [source, target].iter().filter_map(|&at| Some(row.get(at)?.as_ref().to_owned())).collect()
    };
    let ends: Vec<Vec<String>> = rows.iter().map(ends).collect();
    let [first, rest @ ..] = &ends[..] else { return false };
    rest.len() > 2
        && match first_row(first, rest, &TableOptions::default(), false) {
            FirstRow::Names => true,
            FirstRow::Unsure => stands_apart(first, rest, rest.len() / 4),
            FirstRow::Edge | FirstRow::Numbers => false,
        }
}

/// Whether a row among the first has the names of columns although other rows stand above it: both of its ends are words, and all below are integers.
pub(in super::super) fn are_names_above<T: AsRef<str>>(row: &[T], below: &[Vec<T>]) -> bool {
    let integer = |id: &T| integer_of(id.as_ref()).is_some();
    let word = |id: &T| id.as_ref().parse::<f64>().is_err() && !is_missing(id.as_ref());
    row.len() >= 2
        && below.len() >= 2
        && row.iter().take(2).all(word)
        && below.iter().all(|row| row.len() >= 2 && row.iter().take(2).all(integer))
}

/// How a word is written: `Aa` with a capital, `A9` in capitals with a number.
fn form(word: &str) -> String {
    let mut form = String::new();
    for c in word.chars() {
        let class = match c {
            _ if c.is_numeric() => '9',
            _ if c.is_uppercase() => 'A',
            _ if c.is_alphabetic() => 'a',
            _ => c,
        };
        if !form.ends_with(class) {
            form.push(class);
        }
    }
    form
}

/// How programs write a value that is missing, besides nothing at all.
pub(in super::super) const MISSING: [&str; 9] =
    ["NA", "N/A", "NaN", "nan", "None", "none", "null", "NULL", "?"];

/// Whether a field is how programs write a value that is missing.
pub(in super::super) fn is_missing(field: &str) -> bool {
    let field = plain(field);
    field.is_empty() || MISSING.iter().any(|name| plain(name) == field)
}

/// Whether a name of the first line is an id of another, or `node1` one next to `node7`.
fn is_alike(name: &str, id: &str) -> bool {
    let digit = |c: char| c.is_ascii_digit();
    let numbered = |text: &str| text.ends_with(digit);
    let stem = |text: &str| text.trim_end_matches(digit).to_owned();
    name == id || (numbered(name) && numbered(id) && stem(name) == stem(id))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_rows_are_classified() {
        let look = |head: &[&str], rest: &[&[&str]], plain_text: bool| {
            let rest: Vec<Vec<&str>> = rest.iter().map(|row| row.to_vec()).collect();
            first_row(head, &rest, &TableOptions::default(), plain_text)
        };
        let ring: &[&[&str]] = &[&["a", "b"], &["b", "c"], &["c", "a"]];
        let loose: &[&[&str]] = &[&["a", "b"], &["c", "d"], &["e", "f"]];
        for (head, rest, plain_text, expected) in [
            (&["person", "friend"][..], loose, true, FirstRow::Names),
            (&["foo", "bar"], ring, false, FirstRow::Names),
            (&["foo", "bar"], ring, true, FirstRow::Edge),
            (&["foo", "bar"], loose, false, FirstRow::Unsure),
            (&["foo", "a"], ring, false, FirstRow::Edge),
            (&["foo", "bar"], &[&["1", "2"]], true, FirstRow::Names),
            (&["nr", "one", "two"], &[&["1", "x", "y"], &["2", "y", "z"]], false, FirstRow::Names),
            (&["x", "y", "NA"], &[&["a", "b", "1"]], false, FirstRow::Unsure),
            (&["1", "2"], loose, false, FirstRow::Edge),
            (&["a1", "a2"], &[&["a3", "a4"]], false, FirstRow::Edge),
            (&["drug", "disease"], loose, false, FirstRow::Names),
            (&["0", "1"], &[&["5", "7"], &["7", "9"]], false, FirstRow::Unsure),
            (
                &["head", "relation", "tail"],
                &[&["a", "likes", "b"], &["c", "likes", "d"]],
                true,
                FirstRow::Names,
            ),
            (&["0", "1"], &[&["1", "7"], &["7", "9"]], false, FirstRow::Edge),
            (&["source", "target", "2019"], ring, false, FirstRow::Names),
            (&["source", "target", "7"], ring, false, FirstRow::Unsure),
            (&["source", "a", "7"], ring, false, FirstRow::Edge),
            // Words that are associated with each other, and when.
            (&["father", "child", "2019"], ring, false, FirstRow::Unsure),
            (&["person_1", "person_2", "2019"], ring, false, FirstRow::Unsure),
            (&["person_1", "person_2", "2019", "2020"], ring, false, FirstRow::Names),
            (&["source", "target", "1", "2"], ring, false, FirstRow::Names),
            (&["", "0", "1"], &[&["0", "5", "7"], &["1", "7", "9"]], false, FirstRow::Numbers),
            (&["", "0", "1"], &[&["3", "5", "7"], &["1", "7", "9"]], false, FirstRow::Edge),
        ] {
            assert_eq!(look(head, rest, plain_text), expected, "{head:?} {rest:?}");
        }
        for (header, expected) in [(Header::Yes, FirstRow::Names), (Header::No, FirstRow::Edge)] {
            let options = TableOptions { header, ..TableOptions::default() };
            assert_eq!(first_row(&["1", "2"], &[vec!["1", "2"]], &options, true), expected);
        }
    }
}
