//! Adjacency matrices as tables: a row of numbers a line, with names in the first row and column or without.

use super::columns::{TableForm, count, is_missing};
use super::edge_list::{Separator, content, direction, konect, separator, split};
use super::line_ends::LineEnds;
use super::matrix_list::{self, Entries};
use super::square_table::TableLabels;
use super::{Header, NodeIds, ReadOptions};
use crate::data::npy_header::shorten;
use crate::{Error, Result};
use std::borrow::Cow;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

/// Bytes of a file that are looked at.
pub(super) const START: u64 = 1 << 16;
/// Rows that are looked at.
const SAMPLE: usize = 128;
/// Bytes of the longest row.
const LONGEST_ROW: usize = 1 << 26;

/// What stands where in such a table.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Form {
    separator: Separator,
    /// The names in the first row, where it has names.
    names: Option<Vec<String>>,
    /// Whether rows begin with a name.
    row_names: bool,
}

/// Whether a file that begins so is an adjacency matrix and no list of edges.
///
/// # Errors
/// What is unsure: [`Error::Format`] with the reason.
pub(super) fn recognize(path: &Path, start: &[u8], options: &ReadOptions) -> Result<bool> {
    match options.table.form {
        TableForm::Adjacency => return Ok(true),
        TableForm::Edges => return Ok(false),
        TableForm::Auto if options.table.has_columns() => return Ok(false),
        TableForm::Auto => {}
    }
    let mut text = Vec::with_capacity(start.len());
    LineEnds::new(start).read_to_end(&mut text).map_err(Error::io(path))?;
    let ended = (start.len() as u64) < START;
    // KONECT's first line is one of a list of edges, and so is one that says whether these have a direction, which our own files begin with.
    if konect(&text).is_ok_and(|konect| konect.is_some()) || direction(&text).is_some() {
        return Ok(false);
    }
    let Some((form, rows)) = square(&text, ended, options.table.header) else { return Ok(false) };
    let labels = match (&form.names, form.row_names) {
        // As pandas numbers rows and columns of whatever has no names.
        (Some(names), true) if count(names) => TableLabels::Array,
        // Names twice, in the same order.
        (Some(_), true) => TableLabels::Both,
        (None, true) => return Ok(false),
        (Some(names), false) => TableLabels::Columns(names),
        (None, false) => TableLabels::None,
    };
    Ok(labels.form(path, &rows)? == TableForm::Adjacency)
}

/// What stands where in the beginning of a file, and its first rows, if it is a square table of numbers.
fn square(text: &[u8], ended: bool, header: Header) -> Option<(Form, Vec<Vec<f64>>)> {
    let (mut lines, mut rows) = (Vec::new(), 0);
    let all = text.split(|&byte| byte == b'\n');
    // The last line may be cut.
    let whole = if ended { usize::MAX } else { text.split(|&byte| byte == b'\n').count() - 1 };
    for (line, number) in all.take(whole).zip(1..) {
        let Some(line) = content(line) else { continue };
        let line = std::str::from_utf8(line).ok()?;
        rows += 1;
        if rows <= SAMPLE {
            lines.push((number, line));
        }
    }
    let (form, first) = Form::find(&lines, header)?;
    let mut fields = Vec::new();
    split(lines.get(first)?.1, form.separator, &mut fields).ok()?;
    let width = fields.len() - usize::from(form.row_names);
    let height = rows - first;
    // A title is not the names of columns.
    if form.names.as_ref().is_some_and(|names| names.len() != width) {
        return None;
    }
    if width < 3 || ended && height != width || !ended && height > width {
        return None;
    }
    let mut body: Vec<Vec<f64>> = Vec::new();
    for (at, (_, line)) in lines[first..].iter().enumerate() {
        let (name, numbers) = form.sample(line)?;
        let numbers = numbers.filter(|numbers| numbers.len() == width)?;
        let expected = form.names.as_ref().map(|names| names[at].as_str());
        if form.row_names && expected.is_some() && name.as_deref() != expected {
            return None;
        }
        body.push(numbers);
    }
    Some((form, body))
}

impl Form {
    /// What the first lines have, and which is the first of numbers.
    fn find(lines: &[(u64, &str)], header: Header) -> Option<(Self, usize)> {
        if lines.is_empty() {
            return None;
        }
        let number = |field: &Cow<str>| field.parse::<f64>().is_ok() || is_missing(field);
        let fields = |separator: Separator, at: usize| {
            let (mut fields, line) = (Vec::new(), lines.get(at)?.1);
            split(line, separator, &mut fields).ok()?;
            Some(fields)
        };
        // Of a first row without a corner, the others have one field more.
        let separator = match separator(&lines[1.min(lines.len() - 1)..]) {
            Separator::Only(b',') if lines[0].1.contains('\t') => Separator::Only(b'\t'),
            found => found,
        };
        let head = fields(separator, 0)?;
        let named = match header {
            Header::Auto => {
                head.len() > 1 && head.iter().skip(1).any(|field| !number(field)) || {
                    // Numbers as names stand next to a blank corner, or one fewer than below.
                    let below = fields(separator, 1).map_or(0, |below| below.len());
                    head[0].is_empty() || below == head.len() + 1
                }
            }
            said => said == Header::Yes,
        };
        let first = usize::from(named);
        let row = fields(separator, first)?;
        // Namibia is `NA`: what may be missing elsewhere is a name in the first column.
        let is_name = |field: &Cow<str>| field.parse::<f64>().is_err();
        let corner = named && head.len() == row.len() && (head[0].is_empty() || is_name(&row[0]));
        let short = named && row.len() == head.len() + 1;
        let row_names = corner || short || !named && is_name(row.first()?);
        let names = named.then(|| head.iter().skip(usize::from(corner)).map(ToString::to_string).collect());
        Some((Self { separator, names, row_names }, first))
    }

    /// The same with NaN where a number is missing.
    fn sample(&self, line: &str) -> Option<(Option<String>, Option<Vec<f64>>)> {
        let mut fields = Vec::new();
        split(line, self.separator, &mut fields).ok()?;
        let name = self.row_names.then(|| fields.first().map(ToString::to_string)).flatten();
        let number = |field: &Cow<str>| {
            if is_missing(field) {
                Some(f64::NAN)
            } else {
                field.parse().ok().filter(|x: &f64| x.is_finite())
            }
        };
        Some((name, fields.iter().skip(usize::from(self.row_names)).map(number).collect()))
    }

    /// The name of a row and its numbers, unless one is none.
    fn row(&self, line: &str) -> std::result::Result<(Option<String>, Option<Vec<f64>>), &'static str> {
        let mut fields = Vec::new();
        split(line, self.separator, &mut fields)?;
        let name = self.row_names.then(|| fields.first().map(ToString::to_string)).flatten();
        let numbers = fields.iter().skip(usize::from(self.row_names));
        let numbers = numbers.map(|field| field.parse().ok().filter(|x: &f64| x.is_finite())).collect();
        Ok((name, numbers))
    }
}

/// Reads an adjacency matrix, a row at a time.
///
/// # Errors
/// [`Error::Format`] with the line that is no row of a square table of numbers; [`Error::Io`].
pub(super) fn read(path: &Path, input: impl Read, options: &ReadOptions) -> Result<Entries> {
    let bad = |line: u64, problem: String| Error::format(path, Some(line), problem);
    let mut input = BufReader::new(LineEnds::new(input));
    let (mut line, mut number, mut first) = (Vec::new(), 0, Vec::<(u64, Vec<u8>)>::new());
    let mut form: Option<(Form, usize)> = None;
    let (mut names, mut ends, mut weights) = (Vec::new(), Vec::new(), Vec::new());
    let (mut rows, mut width) = (0usize, None);
    let mut take = |form: &Form, number: u64, text: &str| -> Result<()> {
        let (name, numbers) = form.row(text).map_err(|problem| bad(number, problem.into()))?;
        let Some(numbers) = numbers else {
            let mut fields = Vec::new();
            split(text, form.separator, &mut fields).ok();
            let fields = fields.iter().skip(usize::from(form.row_names));
            let wrong = fields.into_iter().find(|field| !field.parse::<f64>().is_ok_and(f64::is_finite));
            let wrong = shorten(wrong.map_or("", |field| field));
            return Err(bad(
                number,
                format!(
                    "has `{wrong}` in the row of an adjacency matrix: expected finite numbers, and 0 where there is no edge"
                ),
            ));
        };
        let expected = *width.get_or_insert(form.names.as_ref().map_or(numbers.len(), Vec::len));
        if numbers.len() != expected {
            return Err(bad(
                number,
                format!(
                    "has {} numbers, but the first row of the adjacency matrix has {expected}",
                    numbers.len()
                ),
            ));
        }
        if rows == expected {
            return Err(bad(
                number,
                format!("is one row too many: an adjacency matrix of {expected} columns has as many rows"),
            ));
        }
        if let (Some(all), Some(name)) = (&form.names, &name)
            && all[rows] != *name
        {
            let (name, expected) = (shorten(name), shorten(&all[rows]));
            return Err(bad(
                number,
                format!(
                    "is the row of `{name}`, but the column there is that of `{expected}`: expected the same order"
                ),
            ));
        }
        names.extend(name);
        for (j, &weight) in numbers.iter().enumerate().filter(|(_, weight)| **weight != 0.0) {
            ends.push((rows as u32, j as u32));
            weights.push(weight);
        }
        rows += 1;
        Ok(())
    };
    loop {
        line.clear();
        let read = input.by_ref().take(LONGEST_ROW as u64 + 1).read_until(b'\n', &mut line);
        let over = read.map_err(Error::io(path))? == 0;
        number += 1;
        if line.len() > LONGEST_ROW {
            return Err(bad(number, format!("is longer than {LONGEST_ROW} bytes")));
        }
        if number == 1 && line.starts_with(b"\xef\xbb\xbf") {
            line.drain(..3);
        }
        let text = line.strip_suffix(b"\n").unwrap_or(&line);
        let Some(text) = content(text).filter(|_| !over) else {
            if over {
                break;
            }
            continue;
        };
        if std::str::from_utf8(text).is_err() {
            return Err(bad(number, "is not UTF-8 text: expected a row of numbers".into()));
        }
        if let Some((form, _)) = &form {
            take(form, number, std::str::from_utf8(text).unwrap_or_default())?;
            continue;
        }
        first.push((number, text.to_vec()));
        if first.len() == 2 {
            form = begin(&first, options, &mut take)?;
        }
    }
    if form.is_none() {
        form = begin(&first, options, &mut take)?;
    }
    let Some((form, _)) = form else {
        return Err(Error::format(path, None, "holds no adjacency matrix: expected a row of numbers a line"));
    };
    let n = matrix_list::nodes(path, None, rows as u64, width.unwrap_or(0) as u64, ends.len() as u64)?;
    let names = form.names.unwrap_or(names);
    let ids = if names.is_empty() {
        NodeIds::numbered(n)
    } else {
        let Some((order, ids)) = NodeIds::in_order(&names) else {
            return Err(Error::format(path, None, "has two nodes of the same name in its adjacency matrix"));
        };
        let mut rank = vec![0; n];
        order.iter().enumerate().for_each(|(at, &v)| rank[v as usize] = at as u32);
        ends.iter_mut().for_each(|(u, v)| (*u, *v) = (rank[*u as usize], rank[*v as usize]));
        ids
    };
    matrix_list::edges(ids, ends, Some(weights), options.weighted == Some(false))
}

/// The form that the first lines show; those of numbers are taken.
fn begin(
    lines: &[(u64, Vec<u8>)],
    options: &ReadOptions,
    take: &mut impl FnMut(&Form, u64, &str) -> Result<()>,
) -> Result<Option<(Form, usize)>> {
    let texts: Vec<(u64, &str)> =
        lines.iter().filter_map(|(number, line)| Some((*number, std::str::from_utf8(line).ok()?))).collect();
    let Some((form, first)) = Form::find(&texts, options.table.header) else { return Ok(None) };
    for (number, text) in &texts[first..] {
        take(&form, *number, text)?;
    }
    Ok(Some((form, first)))
}

#[cfg(test)]
mod tests {
    use super::super::{Network, parse_network};
    use super::*;
    use crate::data::TableOptions;

    fn parse(text: &str, form: TableForm) -> Result<Network> {
        let table = TableOptions { form, ..TableOptions::default() };
        parse_network(text.as_bytes(), &ReadOptions { table, ..ReadOptions::default() })
            .map(|(network, _)| network)
    }

    /// Nodes, edges, whether directed, and the first name.
    fn facts(text: &str, form: TableForm) -> (usize, u64, bool, String) {
        let network = parse(text, form).unwrap();
        (network.nodes(), network.edges(), network.is_directed(), network.ids().name(0).into_owned())
    }

    #[test]
    fn matrices_are_recognized_where_it_is_certain() {
        for text in [
            "0,1,0,0\n1,0,2,0\n0,2,0,1\n0,0,1,0\n",
            "0 1 0 0\n1 0 2 0\n0 2 0 1\n0 0 1 0\n",
            "0\t1\t0\t0\r1\t0\t2\t0\r0\t2\t0\t1\r0\t0\t1\t0",
            ",0,1,2,3\n0,0,1,0,0\n1,1,0,2,0\n2,0,2,0,1\n3,0,0,1,0\n",
        ] {
            assert_eq!(facts(text, TableForm::Auto), (4, 3, false, "0".into()), "{text:?}");
            assert_eq!(facts(text, TableForm::Adjacency), (4, 3, false, "0".into()), "{text:?}");
        }
        for text in [
            ",c,a,b\nc,0,1,0\na,1,0,2\nb,0,2,0\n",
            ";c;a;b\nc;0;1;0\na;1;0;2\nb;0;2;0\n",
            "name,c,a,b\nc,0,1,0\na,1,0,2\nb,0,2,0\n",
            "c,a,b\nc,0,1,0\na,1,0,2\nb,0,2,0\n",
            "\"\",\"c\",\"a\",\"b\"\n\"c\",0,1,0\n\"a\",1,0,2\n\"b\",0,2,0\n",
        ] {
            assert_eq!(facts(text, TableForm::Auto), (3, 2, false, "a".into()), "{text:?}");
        }
        let directed = parse("0 1 0 0\n0 0 1 0\n0 0 0 1\n1 0 0 0\n", TableForm::Auto).unwrap();
        assert!(directed.is_directed() && directed.weight(3, 0) == 1.0);
        assert_eq!(facts("a,b,c,d\n0,1,0,0\n1,0,1,0\n0,1,0,1\n0,0,1,0\n", TableForm::Auto).0, 4);
        assert_eq!(facts("0 1\n1 0\n", TableForm::Adjacency), (2, 1, false, "0".into()));
    }

    #[test]
    fn edges_are_no_matrix() {
        for (text, nodes) in [
            ("0 1 2\n1 2 3\n2 3 4\n", 4),
            ("0 1\n1 0\n", 2),
            ("source,target,weight,year\n1,2,1,2000\n2,3,1,2000\n3,4,1,2000\n4,5,1,2000\n", 5),
            ("% asym weighted\n1 2 1 100\n2 3 1 200\n3 4 1 300\n4 5 1 400\n", 5),
        ] {
            assert_eq!(facts(text, TableForm::Auto).0, nodes, "{text:?}");
        }
    }

    #[test]
    fn what_could_be_both_and_what_is_neither_is_refused() {
        let message = |text: &str, form| parse(text, form).unwrap_err().to_string();
        let small = "0 1 0\n1 0 1\n0 1 0\n";
        assert!(
            message(small, TableForm::Auto).contains("could be the adjacency matrix of 3 nodes or 3 edges")
        );
        // Ids, weights and times of four edges.
        let timed = "1 2 1 100\n2 3 1 200\n3 4 1 300\n4 1 1 400\n";
        let words = message(timed, TableForm::Auto);
        assert!(
            words.contains("4 edges: say that it is a matrix, or give the columns of the ends"),
            "{words}"
        );
        assert!(words.ends_with("(format=adjacency)"), "{words}");
        let [source, target] = ["1", "2"].map(|column| Some(column.to_owned()));
        let table = TableOptions { source, target, ..TableOptions::default() };
        let (network, _) =
            parse_network(timed.as_bytes(), &ReadOptions { table, ..ReadOptions::default() }).unwrap();
        assert_eq!((network.nodes(), network.edges()), (4, 4));
        assert!(message(timed, TableForm::Edges).contains("given as source and target"));
        assert_eq!(parse(small, TableForm::Edges).unwrap().nodes(), 2);
        assert_eq!(facts(small, TableForm::Adjacency), (3, 2, false, "0".into()));
        for (text, words) in [
            ("0 1\n1 0\n0 0\n", ":3: is one row too many"),
            ("0 1 0\n1 0\n", ":2: has 2 numbers"),
            ("0 1 0\n1 0 0\n", "2 rows and 3 columns"),
            ("0 1 0\n1 x 0\n0 0 0\n", ":2: has `x` in the row"),
            ("0 1 nan\n1 0 0\n0 0 0\n", "has `nan`"),
            (",a,b\na,0,1\nc,1,0\n", ":3: is the row of `c`"),
            (",a,a\na,0,1\na,1,0\n", "same name"),
            ("0 -1\n-1 0\n", "has the weight -1"),
            ("", "holds no adjacency matrix"),
        ] {
            let message = message(text, TableForm::Adjacency);
            assert!(message.contains(words), "{text:?}: {message}");
        }
    }
}
