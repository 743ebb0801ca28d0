//! How the lines of an edge list are laid out: separator, header, and which column is which, from its first lines.

use super::konect::konect;
use super::line::{Separator, attribute_weight, attributes, content, split};
use crate::data::network::ReadOptions;
use crate::data::network::columns::{FirstRow, TableColumns, TableOptions, direction_of, first_row};
use crate::data::npy_header::shorten;
use std::borrow::Cow;

/// Lines that are looked at.
const SAMPLE: usize = 128;
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
    /// Number of the header's line, where there is one.
    pub(super) header: Option<u64>,
    /// Where lines say whether their edge has a direction.
    pub(super) direction: Option<Direction>,
    /// Columns that nothing is made of, by their names or numbers.
    pub(super) unused: Vec<String>,
    /// The first line, where it is taken for an edge but could be a header.
    pub(super) unsure: Option<String>,
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
    ) -> Result<Option<Self>, (u64, String)> {
        let konect = if first == 1 { konect(text).map_err(|why| (1, why))? } else { None };
        let mut lines = Vec::new();
        for (line, number) in text.split(|&byte| byte == b'\n').zip(first..) {
            let Some(line) = content(line) else { continue };
            // Parsing tells what is wrong with such a line; what was seen before it is enough here.
            let Ok(line) = std::str::from_utf8(line) else { break };
            lines.push((number, line));
            if lines.len() > SAMPLE {
                break;
            }
        }
        let separator = separator(&lines);
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
        let rows: Vec<Vec<Cow<str>>> = samples[1..].iter().map(|(_, fields, _)| fields.clone()).collect();
        // Where lines have attributes as networkx writes them, nobody wrote a header.
        let attributes_below = samples.get(1).is_some_and(|(_, _, attributes)| attributes.is_some());
        let plain_text = separator == Separator::Mixed || attributes_below;
        let first_row = match dictionary {
            None => first_row(head, &rows, &options.table, plain_text),
            Some(_) => FirstRow::Edge,
        };
        if first_row == FirstRow::Names {
            layout.header = Some(*number);
            let named = layout.named(head, &rows, samples.get(1), options);
            return named.map(Some).map_err(|why| (*number, why));
        }
        let columns = TableColumns::unnamed(head, &options.table).map_err(|why| (*number, why))?;
        match (head.len(), dictionary) {
            (1, _) => return Err((*number, one_field(separator))),
            (3, Some(_)) => return Err((*number, too_many(4))),
            _ => {}
        }
        // KONECT's fourth column has times.
        let times = || {
            let [source, target, weight] = ["1", "2", "3"].map(|column| Some(column.to_owned()));
            let table = TableOptions { source, target, weight, ..TableOptions::default() };
            TableColumns::unnamed(head, &table).ok().flatten()
        };
        let columns = columns.or_else(|| times().filter(|_| konect.is_some() && head.len() == 4));
        let Some(columns) = columns else { return Err((*number, too_many(head.len()))) };
        layout.columns = head.len();
        (layout.source, layout.target) = (columns.source, columns.target);
        layout.weight = match dictionary {
            Some(dictionary) if attribute_weight(dictionary).is_some() => Weight::Attribute,
            _ => columns.weight.map_or(Weight::None, Weight::Column),
        };
        layout.unused = columns.unused.iter().map(|at| (at + 1).to_string()).collect();
        if ignore_weights {
            layout.columns = layout.columns.max(3);
            if layout.weight != Weight::None {
                layout.weight = Weight::Ignored;
            }
        }
        if first_row == FirstRow::Unsure {
            layout.unsure = Some(format!("`{}`, `{}`", shown(&head[0]), shown(&head[1])));
        }
        Ok(Some(layout))
    }

    /// Whether there are lines with edges but fewer than are looked at.
    pub(super) fn needs_more(text: &[u8]) -> bool {
        let lines = text.split(|&byte| byte == b'\n').filter(|line| content(line).is_some());
        (1..=SAMPLE).contains(&lines.take(SAMPLE + 1).count())
    }

    fn plain(separator: Separator) -> Self {
        Self {
            separator,
            source: 0,
            target: 1,
            weight: Weight::None,
            columns: 2,
            ragged: false,
            header: None,
            direction: None,
            unused: Vec::new(),
            unsure: None,
        }
    }

    /// The layout that a header tells.
    fn named(
        mut self,
        head: &[Cow<str>],
        rows: &[Vec<Cow<str>>],
        next: Option<&Sample>,
        options: &ReadOptions,
    ) -> Result<Self, String> {
        let found = TableColumns::find(head, rows, &options.table)?;
        (self.source, self.target, self.columns) = (found.source, found.target, head.len());
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
        (self.source, self.target) == (0, 1) && weight && !self.ragged
    }
}

/// A field as messages show it.
fn shown(field: &str) -> String {
    shorten(&field.escape_debug().to_string())
}

/// A comma, semicolon or tab alone separates when every line has as many of it, and the fields make sense: where all
/// is numbers, a field such as `1 2` shows that blanks separate too.
pub(in super::super) fn separator(lines: &[(u64, &str)]) -> Separator {
    // A fault further down is told as such, and not taken for another separator.
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
    for byte in [b';', b',', b'\t'] {
        let only = Separator::Only(byte);
        let count = |line: &str| {
            let mut fields = Vec::new();
            split(attributes(line).0, only, &mut fields).ok().map(|()| fields.len())
        };
        let Some(first) = data.first().and_then(|(_, line)| count(line)) else { continue };
        let even = first >= 2 && lines.iter().all(|(_, line)| count(line) == Some(first));
        if even && (!numeric || all_numbers(only)) {
            return only;
        }
    }
    Separator::Mixed
}

pub(super) fn one_field(separator: Separator) -> String {
    let name = separator.name();
    format!("has one field: expected both ends of an edge, such as `a b`, separated by {name}")
}

pub(super) fn too_many(fields: usize) -> String {
    format!(
        "has {fields} fields: expected two ids and, where wanted, a weight, \
         a header which names the columns source, target and weight, or their numbers, given as \
         source and target (names with blanks go between commas, tabs or quotation marks)"
    )
}
