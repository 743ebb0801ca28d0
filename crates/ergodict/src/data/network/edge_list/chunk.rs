//! Parses some lines of an edge list, knowing nothing of the rest of the file.

use super::layout::{Layout, Weight, is_edge_in_comment, one_field, too_many, whole};
use super::line::{attribute_weight, attributes, canonical, content, split};
use super::numbers::{decimal, digits, is_grouped};
use crate::data::network::columns::{Directions, direction_of, is_missing};
use crate::data::npy_header::shorten;
use crate::error::Problem;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// The longest line; nothing that is an edge comes near.
pub(in super::super) const LONGEST_LINE: usize = 1 << 16;

/// What some lines hold.
#[derive(Debug)]
pub(super) struct Chunk {
    pub(super) ends: Ends,
    /// One an edge where the layout has weights.
    pub(super) weights: Vec<f64>,
    /// Lines that were read.
    pub(super) lines: u64,
    /// The first weight below zero, with its line, counted from 0 in this chunk.
    pub(super) negative: Option<(u64, f64)>,
    /// What the lines say of the directions of their edges.
    pub(super) directions: Directions,
    /// What is wrong with the line after those that were read.
    pub(super) problem: Option<Problem>,
}

/// Both ends of every edge, in the narrowest form that held so far.
#[derive(Debug)]
pub(super) enum Ends {
    Small(Vec<(u32, u32)>),
    Wide(Vec<(i64, i64)>),
    /// Indices into the words of this chunk.
    Words(Words, Vec<(u32, u32)>),
}

/// The different words of a chunk.
pub(super) type Words = HashMap<Box<str>, u32>;

impl Chunk {
    /// Edges that were no text.
    pub(super) fn of_integers(ends: Vec<(i64, i64)>) -> Self {
        Self::of_ends(Ends::Wide(ends))
    }

    /// Edges without weights that were parsed elsewhere.
    pub(super) fn of_ends(ends: Ends) -> Self {
        let directions = Directions::default();
        Self { ends, weights: Vec::new(), lines: 0, negative: None, directions, problem: None }
    }

    /// Parses whole lines; `above` is whether no edge stands above them.
    pub(super) fn parse(text: &[u8], layout: &Layout, above: bool) -> Self {
        let mut chunk = Self {
            ends: Ends::Small(Vec::with_capacity(text.len() / 12)),
            weights: Vec::new(),
            lines: 0,
            negative: None,
            directions: Directions::default(),
            problem: None,
        };
        let (usual, mut rest) = (layout.is_usual(), text);
        let mut fields = Vec::new();
        while !rest.is_empty() {
            if usual {
                rest = chunk.usual_lines(rest, layout);
            }
            if rest.is_empty() {
                break;
            }
            let end = rest.iter().position(|&byte| byte == b'\n');
            let line = &rest[..end.unwrap_or(rest.len())];
            if let Err(problem) = chunk.any_line(line, layout, above, &mut fields) {
                chunk.problem = Some(problem);
                break;
            }
            chunk.lines += 1;
            rest = end.map_or(&[], |end| &rest[end + 1..]);
        }
        chunk
    }

    /// Parses lines of two integers below 2³² and, where the layout says so, a plain decimal number, up to the first
    /// line that is anything else. Returns what is left.
    fn usual_lines<'a>(&mut self, mut rest: &'a [u8], layout: &Layout) -> &'a [u8] {
        let Ends::Small(ends) = &mut self.ends else { return rest };
        let separator = layout.separator;
        let weighted = layout.weight != Weight::None;
        let next_line = |tail: &'a [u8]| match tail {
            [b'\n', tail @ ..] | [b'\r', b'\n', tail @ ..] => Some(tail),
            _ => None,
        };
        let field = |tail: &'a [u8]| match tail {
            [byte, tail @ ..] if separator.ends_field(*byte) => Some(tail),
            _ => None,
        };
        loop {
            let Some((u, tail)) = digits(rest) else { return rest };
            let Some((v, mut tail)) = field(tail).and_then(digits) else { return rest };
            if weighted {
                let Some((weight, after)) = field(tail).and_then(decimal) else { return rest };
                tail = after;
                let Some(tail) = next_line(tail) else { return rest };
                self.weights.push(weight);
                rest = tail;
            } else {
                let Some(tail) = next_line(tail) else { return rest };
                rest = tail;
            }
            ends.push((u, v));
            self.lines += 1;
        }
    }

    /// Parses a line of any kind.
    fn any_line<'a>(
        &mut self,
        line: &'a [u8],
        layout: &Layout,
        above: bool,
        fields: &mut Vec<Cow<'a, str>>,
    ) -> Result<(), Problem> {
        if line.len() > LONGEST_LINE {
            return Err(format!("is longer than {LONGEST_LINE} bytes: expected an edge a line").into());
        }
        let Some(line) = content(line) else {
            let above = above && self.ends.len() == 0 && layout.header.is_none();
            let text = std::str::from_utf8(line).unwrap_or_default().trim_end();
            let comment = text.trim_start().starts_with(['#', '%', '/']);
            if comment && is_edge_in_comment(text, layout.separator, layout.columns, above) {
                let problem = "begins as a comment does, but has as many fields as edges have: put names that begin so into quotation marks, or a \
                               blank behind the sign if it is a comment";
                return Err(problem.into());
            }
            return Ok(());
        };
        let line = std::str::from_utf8(line).map_err(
            |_| "is not UTF-8 text: expected an edge a line, such as `a b` or `a b 0.5` (save it as UTF-8)",
        )?;
        if let Some(byte) = line.bytes().find(|&byte| byte < b' ' && byte != b'\t') {
            return Err(
                format!("holds the byte {byte:#04x}, so it is not text: expected an edge a line").into()
            );
        }
        let (line, dictionary) = attributes(line);
        split(line, layout.separator, fields)?;
        let found = fields.len();
        if found == 1 {
            return Err(one_field(layout.separator).into());
        }
        if layout.source.max(layout.target) >= found
            || found > layout.columns
            || (found < layout.columns && !layout.ragged)
        {
            return Err(miscounted(found, layout).into());
        }
        if layout.names.as_ref().is_some_and(|names| *fields == *names) {
            // Tables that were put together have several headers.
            return Ok(());
        }
        let weight = match layout.weight {
            Weight::Column(at) => Some(fields[at].as_ref()),
            Weight::Attribute => match dictionary.and_then(attribute_weight) {
                Some(weight) => Some(weight),
                None => return Err("has no weight, which the lines before it have".into()),
            },
            Weight::None if dictionary.and_then(attribute_weight).is_some() && !layout.ragged => {
                return Err("has a weight, which the lines before it have not".into());
            }
            Weight::None | Weight::Ignored => None,
        };
        if let Some(field) = weight {
            let number: Option<f64> = field.parse().ok().filter(|x: &f64| x.is_finite());
            let Some(number) = number else {
                let found = if field.is_empty() {
                    "a blank weight".into()
                } else {
                    format!("the weight `{}`", shorten(field))
                };
                if layout.header.is_none() && layout.weight == Weight::Column(2) && is_word(field) {
                    // Ignored weights leave the second field a node, which it is not in every such table.
                    let text = format!(
                        "has `{}` as its third field: expected a weight, a finite number; Cytoscape's SIF is read from files called `.sif`; of other \
                         tables, give the columns of the ends of edges as source and target, or ignore the third if the first two are the ends",
                        shorten(field)
                    );
                    return Err(Problem::hinting(text, "unweighted", "true"));
                }
                let plain = field.replace(['.', ','], "");
                let decimal = field.replacen(',', ".", 1);
                let one_comma = field.contains(',') && decimal.parse::<f64>().is_ok();
                if is_grouped(field) && one_comma {
                    return Err(format!(
                        "has {found}: expected a number without commas, {plain} if the comma separates thousands, or {decimal} if it stands before decimals"
                    )
                    .into());
                }
                if is_grouped(field) {
                    return Err(format!(
                        "has {found}: expected a number without separators of thousands, such as {plain} (decimals stand behind a point)"
                    )
                    .into());
                }
                if one_comma {
                    return Err(format!("has {found}: expected a decimal point in place of the comma").into());
                }
                let text = format!("has {found}: expected a finite number; weights can be ignored");
                return Err(Problem::hinting(text, "unweighted", "true"));
            };
            if number < 0.0 && self.negative.is_none() {
                self.negative = Some((self.lines, number));
            }
            self.weights.push(number);
        }
        if let Some(direction) = &layout.direction {
            let value = fields.get(direction.column).map_or("", |field| field);
            match direction_of(&direction.name, value) {
                Some(directed) => self.directions.add(directed),
                None if direction.required => return Err(no_direction(&direction.name, value)),
                None => {}
            }
        }
        let (source, target) = (&*fields[layout.source], &*fields[layout.target]);
        if source.is_empty() || target.is_empty() {
            let which = if source.is_empty() { layout.source } else { layout.target } + 1;
            return Err(format!("has an empty field {which}: expected the id of a node").into());
        }
        if layout.decimals {
            let (Some(source), Some(target)) = (whole(source), whole(target)) else {
                let wrong = shorten(if whole(source).is_none() { source } else { target });
                return Err(format!(
                    "has the id `{wrong}`: expected a whole number, as the first lines have"
                )
                .into());
            };
            self.ends.push(&source.to_string(), &target.to_string());
            return Ok(());
        }
        self.ends.push(source, target);
        Ok(())
    }
}

/// Whether a field is no number at all, and not one that is missing or infinite.
fn is_word(field: &str) -> bool {
    field.chars().next().is_some_and(char::is_alphabetic)
        && field.parse::<f64>().is_err()
        && !is_missing(field)
}

fn no_direction(column: &str, value: &str) -> Problem {
    let (value, column) = (shorten(value), shorten(column));
    let text =
        format!("has `{value}` in the column `{column}`: expected directed or undirected; say which it is");
    Problem::hinting(text, "directed", "true")
}

fn miscounted(found: usize, layout: &Layout) -> String {
    match (found, layout.columns) {
        (_, names) if layout.header.is_some() => {
            format!("has {found} fields, but the header names {names}")
        }
        (2, 3) => "has no third field, which the lines before it have".into(),
        (3, 2) => "has a third field, which the lines before it have not".into(),
        _ => too_many(found),
    }
}

impl Ends {
    /// Adds an edge, in a wider form when that is needed.
    pub(super) fn push(&mut self, source: &str, target: &str) {
        if let Self::Words(words, ends) = self {
            let edge = (intern(words, source), intern(words, target));
            ends.push(edge);
            return;
        }
        let (Some(u), Some(v)) = (canonical(source), canonical(target)) else {
            let (mut words, mut ends) = self.take_words();
            ends.push((intern(&mut words, source), intern(&mut words, target)));
            *self = Self::Words(words, ends);
            return;
        };
        if let Self::Small(ends) = self {
            if let (Ok(u), Ok(v)) = (u32::try_from(u), u32::try_from(v)) {
                ends.push((u, v));
                return;
            }
            *self = Self::Wide(ends.iter().map(|&(u, v)| (u.into(), v.into())).collect());
        }
        if let Self::Wide(ends) = self {
            ends.push((u, v));
        }
    }

    /// The ends as words. Of an integer there is one way to write it, so nothing is lost by having been a number.
    pub(super) fn take_words(&mut self) -> (Words, Vec<(u32, u32)>) {
        match std::mem::replace(self, Self::Small(Vec::new())) {
            Self::Words(words, ends) => (words, ends),
            Self::Small(ends) => written(ends.into_iter().map(|(u, v)| (u.into(), v.into()))),
            Self::Wide(ends) => written(ends.into_iter()),
        }
    }

    /// Leaves out edges that are listed again, where they are most: how many. Where a node has a loop nothing is left out, as loops are counted.
    pub(super) fn unite(&mut self) -> u64 {
        match self {
            Self::Small(ends) | Self::Words(_, ends) => unite(ends),
            Self::Wide(ends) => unite(ends),
        }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::Small(ends) | Self::Words(_, ends) => ends.len(),
            Self::Wide(ends) => ends.len(),
        }
    }
}

/// Fewer edges are not worth a look.
const FEW: usize = 1 << 12;

fn unite<T: Copy + Ord + std::hash::Hash>(ends: &mut Vec<(T, T)>) -> u64 {
    if ends.len() < FEW {
        return 0;
    }
    // Usual lists are left alone, by a look at a few edges.
    let sample: HashSet<&(T, T)> = ends.iter().take(FEW).collect();
    if sample.len() > FEW / 8 || ends.iter().any(|(u, v)| u == v) {
        return 0;
    }
    let before = ends.len();
    ends.sort_unstable();
    ends.dedup();
    ends.shrink_to_fit();
    (before - ends.len()) as u64
}

fn intern(words: &mut Words, word: &str) -> u32 {
    if let Some(&index) = words.get(word) {
        return index;
    }
    let index = words.len() as u32;
    words.insert(word.into(), index);
    index
}

fn written(ends: impl Iterator<Item = (i64, i64)>) -> (Words, Vec<(u32, u32)>) {
    let (mut words, mut indices) = (Words::new(), HashMap::new());
    let mut index = |id: i64| {
        *indices.entry(id).or_insert_with(|| {
            let index = words.len() as u32;
            words.insert(id.to_string().into(), index);
            index
        })
    };
    let ends = ends.map(|(u, v)| (index(u), index(v))).collect();
    (words, ends)
}
