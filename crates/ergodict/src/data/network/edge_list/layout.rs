//! How the lines of an edge list are laid out: separator, header, and which column is which, from its first lines.

use super::konect::konect;
use super::line::{Separator, attribute_weight, attributes, content, split};
use super::syntax;
use crate::data::network::ReadOptions;
use crate::data::network::columns::{
    Doubt, FirstRow, Header, TableColumns, TableForm, TableOptions, are_edge_names, direction_of, first_row,
    incidence, is_incidence,
};
use crate::data::npy_header::shorten;
use crate::error::Problem;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// Lines that show what separates fields.
const SEPARATED: usize = 33;

/// What every line of the file is like.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Layout {
    pub(super) separator: Separator,
    pub(super) source: usize,
    pub(super) target: usize,
    pub(super) weight: Weight,
    /// Fields of a line.
    pub(super) columns: usize,
    /// Whether lines may have fewer fields, down to both ids: where weights are ignored.
    pub(super) ragged: bool,
    /// Whether ids are whole numbers with decimals, as `numpy.savetxt` writes integers.
    pub(super) decimals: bool,
    /// Number of the header's line, where there is one.
    pub(super) header: Option<u64>,
    /// The names of all columns, where they are those of edges: a line of the same is no edge.
    pub(super) names: Option<Vec<String>>,
    /// Where lines say whether their edge has a direction.
    pub(super) direction: Option<Direction>,
    /// Columns that nothing is made of, by their names or numbers.
    pub(super) unused: Vec<String>,
    /// Number of an unused column of a list without names that has times.
    pub(super) times: Option<String>,
    /// What it could be instead.
    pub(super) doubts: Vec<Doubt>,
}

/// A column that says whether edges have a direction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Direction {
    pub(super) column: usize,
    pub(super) name: String,
    /// What the first line says.
    pub(super) directed: bool,
    /// Whether every line must say it: not where it is asked for.
    pub(super) required: bool,
}

/// Where the weight of a line stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Weight {
    None,
    Column(usize),
    /// In attributes such as `{'weight': 0.5}`.
    Attribute,
    /// It is not looked at.
    Ignored,
}

/// A line with an edge or a header, and its number.
type Sample<'a> = (u64, Vec<Cow<'a, str>>, Option<&'a str>);

impl Layout {
    /// Finds out from the beginning of a file, whose first line has number `first`; none when there is no edge in it.
    /// An error is a line's number with what is wrong there.
    pub(super) fn find(
        text: &[u8],
        first: u64,
        options: &ReadOptions,
    ) -> Result<Option<Self>, (u64, Problem)> {
        let konect = if first == 1 { konect(text).map_err(|why| (1, why.into()))? } else { None };
        let (mut lines, mut comment, mut between) = (Vec::new(), None, Vec::new());
        for (line, number) in text.split(|&byte| byte == b'\n').zip(first..) {
            let Some(line) = content(line) else {
                let text = std::str::from_utf8(line).ok().map(|line| (number, line.trim_end_matches('\r')));
                if lines.is_empty() {
                    comment = text;
                } else {
                    between.extend(text);
                }
                continue;
            };
            // Parsing reports what is wrong with such a line; what was seen before it is enough here.
            let Ok(line) = std::str::from_utf8(line) else { break };
            lines.push((number, line));
            if lines.len() > TableColumns::SAMPLE {
                break;
            }
        }
        let complete = lines.len() <= TableColumns::SAMPLE;
        // A comment that says the direction is one of our own files, which have edges.
        let ours = first == 1 && super::direction(text).is_some();
        let open = options.table.form == TableForm::Auto && !options.table.has_columns() && !ours;
        if open && options.table.header == Header::Auto {
            syntax::check_title(&lines)?;
        }
        let separator = separator(&lines);
        let quoted = lines.get(1).is_some_and(|(_, line)| line.trim_start().starts_with('"'));
        if options.table.form == TableForm::Auto {
            syntax::check_comments(&between, &lines, separator)?;
        }
        let mut samples: Vec<Sample> = Vec::new();
        for (number, line) in lines {
            let (line, attributes) = attributes(line);
            let mut fields = Vec::new();
            if split(line, separator, &mut fields).is_err() {
                break;
            }
            samples.push((number, fields, attributes));
        }
        let Some((number, head, dictionary)) = samples.first() else {
            // Either no data, or a first line that cannot be split, which parsing will find again.
            let some = text.split(|&byte| byte == b'\n').any(|line| content(line).is_some());
            return Ok(some.then(|| Self::plain(separator)));
        };
        let ignore_weights = options.weighted == Some(false);
        let mut layout = Self { ragged: ignore_weights, ..Self::plain(separator) };
        // Tables that were put together have several headers.
        let again = |fields: &Vec<Cow<str>>| fields == head && are_edge_names(head);
        let rows: Vec<Vec<Cow<str>>> = samples[1..]
            .iter()
            .map(|(_, fields, _)| fields.clone())
            .filter(|fields| !again(fields))
            .collect();
        // Files with attributes as networkx writes them have no header.
        let attributes_below = samples.get(1).is_some_and(|(_, _, attributes)| attributes.is_some());
        let plain_text = separator == Separator::Mixed || attributes_below;
        let first_row = match dictionary {
            None => first_row(head, &rows, &options.table, plain_text),
            Some(_) => FirstRow::Edge,
        };
        if first_row == FirstRow::Names {
            layout.header = Some(*number);
            let row_names = has_row_names(head, &rows, quoted);
            let unnamed = row_names.then_some(Cow::Borrowed(""));
            let head: Vec<Cow<str>> = unnamed.into_iter().chain(head.iter().cloned()).collect();
            let named = layout.named(&head, &rows, samples.get(1), options);
            return named.map(Some).map_err(|why| (*number, why.into()));
        }
        // Behind the numbers of rows there is a table without names.
        let numbered = first_row == FirstRow::Numbers;
        if numbered {
            layout.header = Some(*number);
            samples.remove(0);
            samples.iter_mut().for_each(|(_, fields, _)| drop(fields.remove(0)));
        }
        let shift = usize::from(numbered);
        let (number, head, dictionary) = &samples[0];
        let all: Vec<Vec<Cow<str>>> = samples.iter().map(|(_, fields, _)| fields.clone()).collect();
        if let Some((number, names)) =
            comment.and_then(|(number, line)| Some((number, names(line, separator, head.len())?)))
            && options.table.header != Header::No
            && konect.is_none()
            && !numbered
            && !TableColumns::find(&names, &all, &options.table).is_ok_and(|found| found.is_usual())
        {
            layout.header = Some(number);
            let named = layout.named(&names, &all, samples.first(), options);
            return named.map(Some).map_err(|why| (number, why.into()));
        }
        let fail = |why: String| (*number, why.into());
        if open && (2..=3).contains(&head.len()) && is_incidence(&all, &[0, 1]) {
            return Err(fail(incidence("its first two columns")));
        }
        if open && let Some(problem) = syntax::other(&all) {
            return Err(fail(problem));
        }
        let plain_list = open && konect.is_none() && dictionary.is_none();
        let asked = options.table.header != Header::Auto;
        let (mut sizes, mut doubts) = (false, Vec::new());
        if plain_list {
            let found = Doubt::find(&all, complete, !asked && !numbered, 1 - shift);
            (sizes, doubts) = found.map_err(|problem| (*number, problem))?;
        }
        if sizes {
            layout.header = Some(*number);
        }
        let (number, head, dictionary) = samples.get(usize::from(sizes)).unwrap_or(&samples[0]);
        let edges = &all[usize::from(sizes)..];
        let fail = |why: String| (*number, why.into());
        let counted =
            if numbered { options.table.counted(head.len()).map_err(fail)? } else { options.table.clone() };
        let columns = TableColumns::unnamed(head, &counted).map_err(fail)?;
        let widths: BTreeSet<usize> = edges.iter().map(Vec::len).collect();
        if open && widths.len() > 2 && separator == Separator::Mixed {
            return Err(fail(syntax::neighbor_lists(&widths)));
        }
        match (head.len(), dictionary) {
            (1, _) => return Err(fail(one_field(separator))),
            (3, Some(_)) => return Err(fail(too_many(4))),
            _ => {}
        }
        // KONECT's fourth column has times.
        let times = || {
            let [source, target, weight] = ["1", "2", "3"].map(|column| Some(column.to_owned()));
            let table = TableOptions { source, target, weight, ..TableOptions::default() };
            TableColumns::unnamed(head, &table).ok().flatten()
        };
        let columns = columns.or_else(|| times().filter(|_| konect.is_some() && head.len() == 4));
        let Some(columns) = columns else { return Err(fail(too_many(head.len()))) };
        layout.columns = head.len() + shift;
        (layout.source, layout.target) = (columns.source + shift, columns.target + shift);
        layout.weight = match dictionary {
            Some(dictionary) if attribute_weight(dictionary).is_some() => Weight::Attribute,
            _ => columns.weight.map_or(Weight::None, |at| Weight::Column(at + shift)),
        };
        layout.unused = columns.unused.iter().map(|at| (at + 1 + shift).to_string()).collect();
        layout.times = columns.unused_times(head, edges, false).map(|at| (at + 1 + shift).to_string());
        layout.decimals = have_decimals(edges, &columns);
        if ignore_weights {
            layout.columns = layout.columns.max(3 + shift);
            if layout.weight != Weight::None {
                layout.weight = Weight::Ignored;
            }
        }
        if first_row == FirstRow::Unsure {
            doubts = vec![Doubt::Header(format!("`{}`, `{}`", shown(&head[0]), shown(&head[1])))];
        }
        doubts.retain(|doubt| !ignore_weights || !doubt.is_of_weights());
        layout.doubts = doubts.into_iter().map(|doubt| doubt.behind(shift)).collect();
        Ok(Some(layout))
    }

    /// Whether there are lines with edges but fewer than are looked at.
    pub(super) fn needs_more(text: &[u8]) -> bool {
        let lines = text.split(|&byte| byte == b'\n').filter(|line| content(line).is_some());
        (1..=TableColumns::SAMPLE).contains(&lines.take(TableColumns::SAMPLE + 1).count())
    }

    fn plain(separator: Separator) -> Self {
        Self {
            separator,
            source: 0,
            target: 1,
            weight: Weight::None,
            columns: 2,
            ragged: false,
            decimals: false,
            header: None,
            names: None,
            direction: None,
            unused: Vec::new(),
            times: None,
            doubts: Vec::new(),
        }
    }

    /// The layout that a header gives.
    fn named(
        mut self,
        head: &[Cow<str>],
        rows: &[Vec<Cow<str>>],
        next: Option<&Sample>,
        options: &ReadOptions,
    ) -> Result<Self, String> {
        let found = TableColumns::find(head, rows, &options.table)?;
        (self.source, self.target, self.columns) = (found.source, found.target, head.len());
        self.names = are_edge_names(head).then(|| head.iter().map(ToString::to_string).collect());
        self.doubts = found.doubts(head, rows, &options.table);
        self.doubts.retain(|doubt| options.weighted != Some(false) || !doubt.is_of_weights());
        let dictionary =
            next.and_then(|(_, fields, attributes)| attributes.filter(|_| fields.len() < head.len()));
        self.weight = match (found.weight, dictionary) {
            (_, Some(dictionary)) if head.len() == 3 => {
                self.columns = 2;
                if attribute_weight(dictionary).is_some() { Weight::Attribute } else { Weight::None }
            }
            (Some(at), _) => Weight::Column(at),
            (None, _) => Weight::None,
        };
        // Without directions all edges are of one kind.
        self.direction = found.direction.filter(|_| options.directed != Some(false)).and_then(|at| {
            let directed = direction_of(&head[at], rows.first()?.get(at)?)?;
            let (name, required) = (head[at].to_string(), options.directed.is_none());
            Some(Direction { column: at, name, directed, required })
        });
        self.decimals = have_decimals(rows, &found);
        let unused = found.unused.iter().filter(|at| **at < self.columns);
        self.unused = unused.map(|&at| shown(&head[at])).collect();
        if options.weighted == Some(false) && self.weight != Weight::None {
            self.weight = Weight::Ignored;
        }
        Ok(self)
    }

    /// Whether lines are two or three fields in their usual order, which are parsed fast.
    pub(super) fn is_usual(&self) -> bool {
        let weight = match self.weight {
            Weight::None => self.columns == 2,
            Weight::Column(at) => at == 2 && self.columns == 3,
            _ => false,
        };
        (self.source, self.target) == (0, 1) && weight && !self.ragged && !self.decimals
    }
}

/// Whether ids are whole numbers with decimals.
fn have_decimals(rows: &[Vec<Cow<str>>], columns: &TableColumns) -> bool {
    let id =
        |row: &[Cow<str>], at: usize| row.get(at).is_some_and(|id| id.contains('.') && whole(id).is_some());
    !rows.is_empty() && rows.iter().all(|row| id(row, columns.source) && id(row, columns.target))
}

/// Whether a line that begins as a comment does is an edge of nodes whose names begin so, between commas, tabs or semicolons. Above the first edge,
/// where comments say all kinds of things, a second such name or a weight shows it.
pub(super) fn is_edge_in_comment(line: &str, separator: Separator, columns: usize, above: bool) -> bool {
    let mut fields = Vec::new();
    let name = line.trim_start().trim_start_matches(['#', '%', '/']);
    let tight = name.chars().next().is_some_and(|c| !c.is_whitespace());
    if separator == Separator::Mixed || !tight || split(line, separator, &mut fields).is_err() {
        return false;
    }
    let sign = |field: &Cow<str>| field.starts_with(['#', '%']) || field.starts_with("//");
    let shown = || sign(&fields[1]) || fields.len() > 2 && fields[2].parse::<f64>().is_ok();
    let named = || names(line, separator, columns).is_some();
    fields.len() == columns && columns > 1 && (!above || shown()) && !named()
}

/// Rows without their first fields.
fn without_first<'a>(rows: &[Vec<Cow<'a, str>>]) -> Vec<Vec<Cow<'a, str>>> {
    rows.iter().map(|row| row[1..].to_vec()).collect()
}

/// Whether rows begin with a name or number that the header has no name for, as R's `write.table` writes them. It puts quotation marks around
/// them; without, a weight could be what the header leaves out, unless it names one and rows are numbered.
fn has_row_names(head: &[Cow<str>], rows: &[Vec<Cow<str>>], quoted: bool) -> bool {
    // R counts from 1, pandas from 0.
    let numbered = |from: u64| rows.iter().zip(from..).all(|(row, at)| row[0] == at.to_string());
    let word_last = || rows.iter().any(|row| row[row.len() - 1].parse::<f64>().is_err());
    let fits = rows.len() > 1 && rows.iter().all(|row| row.len() == head.len() + 1);
    if !fits || !quoted && (head.len() < 3 && !word_last() || !numbered(0) && !numbered(1)) {
        return false;
    }
    // Next to row names, both ends are words or both are numbers; next to ends, a number is a weight without a name.
    let Ok(ends) = TableColumns::find(head, &without_first(rows), &TableOptions::default()) else {
        return false;
    };
    let number = |at: usize| rows.iter().all(|row| row[at + 1].parse::<f64>().is_ok());
    let names: BTreeSet<&str> = rows.iter().map(|row| &*row[0]).collect();
    names.len() == rows.len() && number(ends.source) == number(ends.target)
}

/// The names of columns in a comment right above the first edge, as of `#node1\tnode2\tscore`, where it has as many as a line has fields.
fn names(comment: &str, separator: Separator, columns: usize) -> Option<Vec<Cow<'_, str>>> {
    let text = comment.trim_start().strip_prefix(['#', '%'])?;
    let mut names = Vec::new();
    split(text.strip_prefix(' ').unwrap_or(text), separator, &mut names).ok()?;
    (names.len() == columns && are_edge_names(&names)).then_some(names)
}

/// A number without decimals other than 0.
pub(super) fn whole(field: &str) -> Option<i64> {
    const MOST: f64 = (1_u64 << 53) as f64;
    let number: f64 = field.parse().ok()?;
    (number.fract() == 0.0 && number.abs() < MOST).then_some(number as i64)
}

/// A field as messages show it.
pub(super) fn shown(field: &str) -> String {
    shorten(&field.escape_debug().to_string())
}

/// A comma, semicolon or tab alone separates when every line has as many of it, and the fields make sense: where all
/// is numbers, a field such as `1 2` shows that blanks separate too.
pub(in super::super) fn separator(lines: &[(u64, &str)]) -> Separator {
    // A fault further down is reported as such, not taken for another separator.
    let lines = &lines[..lines.len().min(SEPARATED)];
    let data = if lines.len() > 1 { &lines[1..] } else { lines };
    let all_numbers = |separator| {
        let mut fields = Vec::new();
        // A weight such as `0,5` is no number here, but shows that commas do not separate.
        let number = |(at, field): (usize, &Cow<str>)| {
            let comma = at >= 2 && separator == Separator::Only(b';');
            field.parse::<f64>().is_ok() || (comma && field.replacen(',', ".", 1).parse::<f64>().is_ok())
        };
        data.iter().all(|(_, line)| {
            split(attributes(line).0, separator, &mut fields).is_ok() && fields.iter().enumerate().all(number)
        })
    };
    let numeric = all_numbers(Separator::Mixed);
    // Between tabs names may hold commas; a comma right before a tab separates itself.
    let after_comma = data.iter().any(|(_, line)| line.contains(",\t") || line.contains(", \t"));
    let order = if after_comma { [b';', b',', b'\t', b'|'] } else { [b';', b'\t', b',', b'|'] };
    for byte in order {
        let only = Separator::Only(byte);
        if byte == b'|' && !data.iter().all(|(_, line)| has_bars(line)) {
            continue;
        }
        let count = |line: &str| {
            let mut fields = Vec::new();
            split(attributes(line).0, only, &mut fields).ok().map(|()| fields.len())
        };
        let Some(first) = data.first().and_then(|(_, line)| count(line)) else { continue };
        // R's headers leave out the column of row names.
        let header = lines.first().and_then(|(_, line)| count(line));
        if byte == b',' && data.iter().all(|(_, line)| has_decimal_comma(line)) {
            continue;
        }
        let even = first >= 2
            && (header == Some(first) || first > 2 && header == Some(first - 1))
            && data.iter().all(|(_, line)| count(line) == Some(first));
        if even && (!numeric || all_numbers(only)) {
            return only;
        }
    }
    Separator::Mixed
}

/// Whether bars separate the fields of a line, as databases and Markdown have them: with blanks on both sides, or where nothing else could separate.
fn has_bars(line: &str) -> bool {
    let line = line.trim();
    let parts = || line.trim_matches('|').split('|');
    let blanks = parts().all(|part| part.starts_with([' ', '\t']) || part.ends_with([' ', '\t']));
    line.contains('|') && (blanks || !line.contains([' ', '\t', ',', ';']))
}

/// Whether the only comma of a line is one between digits, behind two fields that tabs or blanks separate.
fn has_decimal_comma(line: &str) -> bool {
    let Some((before, after)) = line.split_once(',') else { return false };
    let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    !after.contains(',')
        && digit(before.chars().next_back())
        && digit(after.chars().next())
        && before.split_whitespace().count() > 2
}

pub(super) fn one_field(separator: Separator) -> String {
    let name = separator.name();
    format!("has one field: expected both ends of an edge, such as `a b`, separated by {name}")
}

pub(super) fn too_many(fields: usize) -> String {
    format!(
        "has {fields} fields: expected two ids and, where wanted, a weight, \
         a header which names the columns source, target and weight, or their numbers, such as 1 and 2, given as \
         source and target (names with blanks go between commas, tabs or quotation marks)"
    )
}
