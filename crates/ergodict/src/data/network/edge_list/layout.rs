//! How the lines of an edge list are laid out: separator, header, and which column is which, from its first lines.

use super::line::{Separator, attribute_weight, attributes, canonical, content, split};
use crate::data::npy_header::shorten;
use std::borrow::Cow;

/// Lines that are looked at.
const SAMPLE: usize = 32;

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
    /// Columns that the header names and nothing is made of.
    pub(super) unused: Vec<String>,
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
    pub(super) fn find(text: &[u8], first: u64, ignore_weights: bool) -> Result<Option<Self>, (u64, String)> {
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
        let mut layout = Self { ragged: ignore_weights, ..Self::plain(separator) };
        if dictionary.is_none() && layout.has_header(head, &samples[1..]) {
            layout.header = Some(*number);
            return layout
                .named(head, samples.get(1), ignore_weights)
                .map(Some)
                .map_err(|why| (*number, why));
        }
        layout.columns = head.len();
        layout.weight = match dictionary {
            Some(dictionary) if attribute_weight(dictionary).is_some() => Weight::Attribute,
            None if head.len() == 3 => Weight::Column(2),
            _ => Weight::None,
        };
        match head.len() {
            1 => return Err((*number, one_field(separator))),
            3 if dictionary.is_some() => return Err((*number, too_many(4))),
            2 | 3 => {}
            many => return Err((*number, too_many(many))),
        }
        if ignore_weights {
            layout.columns = 3;
            if layout.weight != Weight::None {
                layout.weight = Weight::Ignored;
            }
        }
        Ok(Some(layout))
    }

    /// Whether there are lines with edges but fewer than are looked at.
    pub(super) fn needs_more(text: &[u8]) -> bool {
        let lines = text.split(|&byte| byte == b'\n').filter(|line| content(line).is_some());
        (1..=SAMPLE).contains(&lines.take(SAMPLE + 1).count())
    }

    fn plain(separator: Separator) -> Self {
        let weight = Weight::None;
        Self {
            separator,
            source: 0,
            target: 1,
            weight,
            columns: 2,
            ragged: false,
            header: None,
            unused: Vec::new(),
        }
    }

    /// Whether the first line names columns. A data line must never be taken for a header, so a line is none if a field
    /// is a number or one of its names is found again below, and unknown names need lines of integers below them.
    fn has_header(&self, head: &[Cow<str>], rest: &[Sample]) -> bool {
        let place = |of: Role| head.iter().position(|name| role(name) == Some(of));
        let number = |field: &str| field.parse::<f64>().is_ok();
        if head.iter().any(|field| number(field)) {
            return false;
        }
        let (source, target) = (place(Role::Source), place(Role::Target));
        let ends = [source.unwrap_or(0), target.unwrap_or(1)];
        let is_end = |fields: &[Cow<str>], name: &str| {
            ends.iter().any(|&at| fields.get(at).is_some_and(|id| alike(name, id)))
        };
        let recurs = |name: &str| rest.iter().any(|(_, fields, _)| is_end(fields, name));
        if ends.iter().any(|&at| head.get(at).is_some_and(|name| recurs(name))) {
            return false;
        }
        if source.is_some() && target.is_some() {
            return true;
        }
        let Some((_, next, attributes)) = rest.first() else { return false };
        if weight_column(head).is_some_and(|at| next.get(at).is_some_and(|field| number(field))) {
            return true;
        }
        if attributes.is_some() && self.separator == Separator::Mixed {
            return false;
        }
        let integers = |fields: &[Cow<str>]| fields.iter().take(2).all(|field| canonical(field).is_some());
        head.len() >= 2 && rest.iter().all(|(_, fields, _)| fields.len() >= 2 && integers(fields))
    }

    /// The layout that a header tells.
    fn named(
        mut self,
        head: &[Cow<str>],
        next: Option<&Sample>,
        ignore_weights: bool,
    ) -> Result<Self, String> {
        let place = |of: Role| head.iter().position(|name| role(name) == Some(of));
        let (source, target, weight) = (place(Role::Source), place(Role::Target), weight_column(head));
        let mut free = (0..head.len()).filter(|at| ![source, target, weight].contains(&Some(*at)));
        let free = &mut free;
        let (Some(first), Some(second)) = (source.or_else(|| free.next()), target.or_else(|| free.next()))
        else {
            return Err(
                "is a header without two columns for the ends of an edge, such as `source,target`".into()
            );
        };
        (self.source, self.target, self.columns) = (first, second, head.len());
        let dictionary =
            next.and_then(|(_, fields, attributes)| attributes.filter(|_| fields.len() < head.len()));
        self.weight = match (weight, dictionary) {
            (_, Some(dictionary)) if head.len() == 3 => {
                self.columns = 2;
                if attribute_weight(dictionary).is_some() { Weight::Attribute } else { Weight::None }
            }
            (Some(at), _) => Weight::Column(at),
            (None, _) if head.len() > 3 && (source.is_none() || target.is_none()) => {
                return Err(too_many(head.len()));
            }
            (None, _) => Weight::None,
        };
        let used = [Some(first), Some(second), weight];
        let unused = head.iter().take(self.columns).enumerate().filter(|(at, _)| !used.contains(&Some(*at)));
        self.unused = unused.map(|(_, name)| shorten(&name.escape_debug().to_string())).collect();
        if ignore_weights && self.weight != Weight::None {
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

/// A column's part in an edge.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Role {
    Source,
    Target,
    Weight,
}

/// What the name of a column says of it.
pub(in super::super) fn role(name: &str) -> Option<Role> {
    match name.trim().to_ascii_lowercase().replace(['_', '-', ' '], "").as_str() {
        "source" | "src" | "from" | "fromnode" | "fromnodeid" | "node1" | "id1" | "sourceid" => {
            Some(Role::Source)
        }
        "target" | "tgt" | "dst" | "dest" | "destination" | "to" | "tonode" | "tonodeid" | "node2"
        | "id2" | "targetid" => Some(Role::Target),
        "weight" | "weights" | "edgeweight" | "coupling" => Some(Role::Weight),
        _ => None,
    }
}

/// The column of weights. Some names are those of weights only where ends of edges do not stand: `v w` are two ends.
pub(in super::super) fn weight_column(head: &[Cow<str>]) -> Option<usize> {
    let weak = |name: &str| {
        matches!(name.trim().to_ascii_lowercase().as_str(), "w" | "wt" | "j" | "strength" | "value" | "count")
    };
    head.iter()
        .position(|name| role(name) == Some(Role::Weight))
        .or_else(|| head.iter().skip(2).position(|name| weak(name)).map(|at| at + 2))
}

/// Whether a name of the first line is an id of another, or `node1` one beside `node7`.
fn alike(name: &str, id: &str) -> bool {
    let digit = |c: char| c.is_ascii_digit();
    let numbered = |text: &str| text.ends_with(digit);
    let stem = |text: &str| text.trim_end_matches(digit).to_owned();
    name == id || (numbered(name) && numbered(id) && stem(name) == stem(id))
}

/// A comma, semicolon or tab alone separates when every line has as many of it, and the fields make sense: where all
/// is numbers, a field such as `1 2` shows that blanks separate too.
pub(in super::super) fn separator(lines: &[(u64, &str)]) -> Separator {
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
         or a header which names the columns source, target and weight (names with \
         blanks go between commas, tabs or quotation marks)"
    )
}
