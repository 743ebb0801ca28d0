//! Reads time-stamped edge lists: both ends of an edge and a time a line and, where there are any, a weight or what becomes of the edge.
//!
//! | rows | from |
//! |---|---|
//! | `u v t` | the SNAP collection's temporal networks |
//! | `u v w t` | KONECT; where all weights are 1 or −1, rows of −1 remove their edge, whether weights are wanted or not |
//! | `u v + t`, `u v - t` | rows that make and remove edges |
//! | `t u v …` | SocioPatterns, with column 1 said to be the time |
//! | any columns below a header | `source`, `target`, `time`, `weight`, `op` by their names |

use super::layout::{Layout, moment, removes};
use super::{TimedEdges, Times};
use crate::data::network::columns::{Directions, Doubt, TableColumns, direction_of};
use crate::data::network::edge_list::{
    LONGEST_LINE, NodeNames, Separator, content, direction, konect, split,
};
use crate::data::network::line_ends::LineEnds;
use crate::data::network::read::ignored;
use crate::data::network::{NetworkFormat, ReadOptions, Reason, Weights};
use crate::data::npy_header::shorten;
use crate::data::open;
use crate::error::Problem;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::convert::Infallible;
use std::fmt;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::str::FromStr;

/// Which column the times are in.
///
/// ```
/// use ergodict::data::TimeColumn;
/// assert_eq!("3".parse::<TimeColumn>()?, TimeColumn::Number(3));
/// assert_eq!("year".parse::<TimeColumn>()?, TimeColumn::Name("year".to_owned()));
/// # Ok::<(), std::convert::Infallible>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum TimeColumn {
    /// The one that a header calls so, or the last of three or four.
    #[default]
    Auto,
    /// This one, counted from 1.
    Number(usize),
    /// The one that the header calls so.
    Name(String),
}

impl FromStr for TimeColumn {
    type Err = Infallible;

    fn from_str(text: &str) -> std::result::Result<Self, Infallible> {
        Ok(match text {
            "auto" | "" => Self::Auto,
            text => text.parse().map_or_else(|_| Self::Name(text.to_owned()), Self::Number),
        })
    }
}

impl fmt::Display for TimeColumn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Number(at) => write!(f, "{at}"),
            Self::Name(name) => f.write_str(name),
        }
    }
}

crate::text::written_as_text!(TimeColumn);

/// How to read a time-stamped edge list.
///
/// ```
/// use ergodict::data::{TimeColumn, TimeOptions, parse_timed};
/// let options = TimeOptions { column: TimeColumn::Number(1), ..TimeOptions::default() };
/// let (rows, _) = parse_timed(b"7 a b\n9 b c\n", &options)?;
/// assert_eq!(rows.times(), [7.0, 9.0]);
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TimeOptions {
    /// The column of the times.
    pub column: TimeColumn,
    /// Directions, weights and loops, as of other files. Where weights are wanted but there are none, rows are counted.
    pub read: ReadOptions,
}

/// What was decided while a time-stamped edge list was read. Written out, it is one line.
///
/// ```
/// use ergodict::data::{TimeOptions, parse_timed};
/// let (_, decisions) = parse_timed(b"a b 9\nb c 7\n", &TimeOptions::default())?;
/// assert_eq!((decisions.time_column, decisions.rows, decisions.in_order), (3, 2, false));
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct TimedDecisions {
    /// Whether edges have a direction.
    pub directed: bool,
    /// Who said so.
    pub reason: Reason,
    /// The column of the times, from 1.
    pub time_column: usize,
    /// What they are.
    pub times: Times,
    /// The column of the weights, where they are used.
    pub weight_column: Option<usize>,
    /// What became of weights.
    pub weights: Weights,
    /// Number of rows.
    pub rows: u64,
    /// Rows that remove their edge.
    pub removals: u64,
    /// Whether rows were in the order of time.
    pub in_order: bool,
    /// The first time and the last.
    pub span: (f64, f64),
    /// The line of the header, where there is one.
    pub header: Option<u64>,
    /// Columns that nothing is made of.
    pub unused: Vec<String>,
    /// What it could be instead.
    pub doubts: Vec<Doubt>,
    /// Whether ids are words, not integers.
    pub words: bool,
}

impl fmt::Display for TimedDecisions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let direction = if self.directed { "directed" } else { "undirected" };
        let reason = match self.reason {
            Reason::Said => "stated by the file",
            Reason::Asked => "asked for",
            Reason::Assumed => "assumed",
        };
        let weights = match self.weight_column {
            Some(at) => format!("weights in column {at}"),
            None if self.weights == Weights::Ignored => "weights ignored".into(),
            None => "without weights".into(),
        };
        let ids = if self.words { "words as ids" } else { "integer ids" };
        let (from, to) = self.span;
        let (rows, column) = (self.rows, self.time_column);
        write!(
            f,
            "time-stamped edge list, {direction} ({reason}), {weights}, {ids}, {rows} rows from {} to {} (column {column})",
            self.times.show(from),
            self.times.show(to)
        )?;
        let mut notes = Vec::new();
        notes.extend(self.header.map(|line| format!("header on line {line} skipped")));
        notes.extend(ignored(&self.unused));
        if self.removals > 0 {
            notes.push(format!("{} of the rows remove their edge", self.removals));
        }
        if !self.in_order {
            notes.push("sorted by time".into());
        }
        if notes.is_empty() { Ok(()) } else { write!(f, "; {}", notes.join(", ")) }
    }
}

/// Reads a time-stamped edge list. Separators, comments, quotation marks and compression are those of
/// [`read_edge_list`](crate::data::read_edge_list); times are numbers, or dates of ISO 8601 (UTC where they do not say otherwise).
///
/// ```
/// use ergodict::data::{TimeOptions, read_timed};
/// let path = std::env::temp_dir().join(format!("ergodict-timed-{}.txt", std::process::id()));
/// std::fs::write(&path, "a b 1\nb c 2\na c 4\n").unwrap();
/// let (rows, _) = read_timed(&path, &TimeOptions::default())?;
/// assert_eq!((rows.times(), rows.ids().len()), (&[1.0, 2.0, 4.0][..], 3));
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), ergodict::Error>(())
/// ```
///
/// # Errors
/// [`Error::Format`], with the line, for a row without a time or with one that is none, for negative weights other than those of rows that remove edges,
/// and for files of other formats; [`Error::Io`].
pub fn read_timed(path: &Path, options: &TimeOptions) -> Result<(TimedEdges, TimedDecisions)> {
    let mut input = open(path)?;
    let format = NetworkFormat::detect(path, &mut input, &options.read.table)?;
    if format != NetworkFormat::EdgeList {
        let problem = format!(
            "is a {format} file, which holds no times: expected text with rows such as `a b 1082040961`"
        );
        return Err(Error::format(path, None, problem));
    }
    read(path, BufReader::with_capacity(1 << 16, LineEnds::new(input)), options)
}

/// Reads a time-stamped edge list from memory, as [`read_timed`] does from a file.
///
/// ```
/// use ergodict::data::{TimeOptions, parse_timed};
/// let (rows, decisions) = parse_timed(b"a b 2004-05-01\nb c 2004-04-30\n", &TimeOptions::default())?;
/// assert_eq!(rows.times()[1] - rows.times()[0], 86_400.0);
/// assert!(decisions.to_string().ends_with("2 rows from 2004-04-30 to 2004-05-01 (column 3); sorted by time"));
/// # Ok::<(), ergodict::Error>(())
/// ```
///
/// # Errors
/// As [`read_timed`].
pub fn parse_timed(text: &[u8], options: &TimeOptions) -> Result<(TimedEdges, TimedDecisions)> {
    read(Path::new("edge list"), BufReader::new(LineEnds::new(text)), options)
}

/// What was read so far.
struct Rows<'a> {
    path: &'a Path,
    layout: Layout,
    ignore_weights: bool,
    names: NodeNames,
    times: Vec<f64>,
    /// Whether times are dates, once there is one.
    dates: Option<bool>,
    weights: Vec<f64>,
    removes: Vec<bool>,
    /// What rows say of the directions of their edges.
    directions: Directions,
    /// The first weight below 0, with its line.
    negative: Option<(u64, f64)>,
    /// Whether all weights are 1 or −1.
    signs: bool,
}

fn read(path: &Path, mut input: impl BufRead, options: &TimeOptions) -> Result<(TimedEdges, TimedDecisions)> {
    let (mut number, mut first, mut line) = (0, Vec::new(), Vec::new());
    let mut rows: Option<Rows<'_>> = None;
    let mut said = None;
    loop {
        line.clear();
        // A line that is longer is no row, and need not be in memory.
        let read = input.by_ref().take(LONGEST_LINE as u64 + 2).read_until(b'\n', &mut line);
        let over = read.map_err(Error::io(path))? == 0;
        number += u64::from(!over);
        if line.len() > LONGEST_LINE + 1 {
            let problem =
                format!("is longer than {LONGEST_LINE} bytes: expected an edge and its time a line");
            return Err(Error::format(path, Some(number), problem));
        }
        if number == 1 && line.starts_with(b"\xef\xbb\xbf") {
            line.drain(..3);
        }
        let text = line.strip_suffix(b"\n").unwrap_or(&line);
        if let Some(rows) = &mut rows {
            if over {
                break;
            }
            rows.line(number, text)?;
            continue;
        }
        if !over && content(text).is_some() {
            first.push((number, text.to_vec()));
        } else if !over && first.is_empty() {
            if number == 1 {
                konect(text).map_err(|problem| Error::format(path, Some(number), problem))?;
            }
            said = said.or_else(|| direction(text));
        }
        if first.len() > TableColumns::SAMPLE || over && !first.is_empty() {
            let layout = Layout::find(&first, &options.column, &options.read.table)
                .map_err(|(line, problem)| problem.at(path, Some(line)))?;
            let header = layout.header;
            let mut begun = Rows::new(path, layout, options.read.weighted == Some(false));
            for (number, text) in first.iter().filter(|(number, _)| Some(*number) != header) {
                begun.line(*number, text)?;
            }
            rows = Some(begun);
            if over {
                break;
            }
        } else if over {
            break;
        }
    }
    match rows.filter(|rows| !rows.times.is_empty()) {
        Some(rows) => rows.finish(said, options),
        None if number == 0 => {
            Err(Error::format(path, None, "is empty: expected rows such as `a b 1082040961`"))
        }
        None => Err(Error::format(path, None, "holds no row: expected some such as `a b 1082040961`")),
    }
}

impl<'a> Rows<'a> {
    fn new(path: &'a Path, layout: Layout, ignore_weights: bool) -> Self {
        let (times, weights, removes) = (Vec::new(), Vec::new(), Vec::new());
        let (dates, negative, signs) = (None, None, true);
        let (names, directions) = (NodeNames::default(), Directions::default());
        Self {
            path,
            layout,
            ignore_weights,
            names,
            times,
            dates,
            weights,
            removes,
            directions,
            negative,
            signs,
        }
    }

    fn line(&mut self, number: u64, text: &[u8]) -> Result<()> {
        self.row(number, text).map_err(|problem| problem.at(self.path, Some(number)))
    }

    fn row(&mut self, number: u64, text: &[u8]) -> std::result::Result<(), Problem> {
        let Some(text) = content(text) else { return Ok(()) };
        let text =
            std::str::from_utf8(text).map_err(|_| "is not UTF-8 text: expected an edge and its time")?;
        if let Some(byte) = text.bytes().find(|&byte| byte < b' ' && byte != b'\t') {
            return Err(format!(
                "holds the byte {byte:#04x}, so it is not text: expected an edge and its time"
            )
            .into());
        }
        let mut fields: Vec<Cow<'_, str>> = Vec::with_capacity(self.layout.columns);
        split(text, self.layout.separator, &mut fields)?;
        let layout = &self.layout;
        if fields.len() != layout.columns {
            let clock = layout.separator == Separator::Mixed && fields.len() == layout.columns + 1;
            let clock = clock && fields.last().is_some_and(|last| last.contains(':'));
            let hint = if clock {
                " (a date and its time of day are joined by a T where blanks separate)"
            } else {
                ""
            };
            let whose = if layout.header.is_some() { "the header names" } else { "the lines before it have" };
            return Err(format!("has {} fields, but {whose} {}{hint}", fields.len(), layout.columns).into());
        }
        let time = &fields[layout.time];
        let Some((moment, date)) = moment(time).filter(|(moment, _)| moment.is_finite()) else {
            return Err(format!(
                "has the time `{}`: expected a finite number, or a date such as 2004-05-01 or 2004-05-01T12:30:00Z",
                shorten(time)
            )
            .into());
        };
        if *self.dates.get_or_insert(date) != date {
            let (here, before) = if date { ("a date", "numbers") } else { ("a number", "dates") };
            return Err(format!(
                "has the time `{}`, {here}, where the lines before it have {before}",
                shorten(time)
            )
            .into());
        }
        // Weights that are not wanted may still say what becomes of the edge, until one is no sign.
        if let Some(at) = layout.weight.filter(|_| !self.ignore_weights || self.signs) {
            let weight: Option<f64> = fields[at].parse().ok().filter(|weight: &f64| weight.is_finite());
            let weight = weight.or(self.ignore_weights.then_some(f64::NAN));
            let Some(weight) = weight else {
                let text = format!(
                    "has the weight `{}`: expected a finite number; weights can be ignored",
                    shorten(&fields[at])
                );
                return Err(Problem::hinting(text, "unweighted", "true"));
            };
            if weight < 0.0 && self.negative.is_none() {
                self.negative = Some((number, weight));
            }
            self.signs &= weight.abs() == 1.0;
            self.weights.push(weight);
        }
        if let Some(at) = layout.operation {
            let Some(removes) = removes(&fields[at]) else {
                return Err(format!(
                    "has `{}` for what becomes of the edge: expected + or - (or add, remove)",
                    shorten(&fields[at])
                )
                .into());
            };
            self.removes.push(removes);
        }
        if let Some((at, name)) = &layout.direction
            && let Some(directed) = direction_of(name, &fields[*at])
        {
            self.directions.add(directed);
        }
        let (source, target) = (&*fields[layout.source], &*fields[layout.target]);
        if source.is_empty() || target.is_empty() {
            let which = if source.is_empty() { layout.source } else { layout.target } + 1;
            return Err(format!("has an empty field {which}: expected the id of a node").into());
        }
        self.names.push(source, target);
        self.times.push(moment);
        Ok(())
    }

    fn finish(mut self, said: Option<bool>, options: &TimeOptions) -> Result<(TimedEdges, TimedDecisions)> {
        let signs = self.negative.is_some() && self.signs && self.removes.is_empty();
        if signs {
            self.removes = self.weights.iter().map(|weight| *weight < 0.0).collect();
        }
        if signs || self.ignore_weights {
            self.weights = Vec::new();
        } else if let Some((line, weight)) = self.negative {
            let problem = format!(
                "has the weight {weight}: weights of a network must be 0 or more, unless all are 1 or -1, where -1 removes the \
                 edge; weights can be ignored"
            );
            return Err(Problem::hinting(problem, "unweighted", "true").at(self.path, Some(line)));
        }
        if options.read.directed != Some(false) {
            let hint = |problem| Problem::hinting(problem, "undirected", "true").at(self.path, None);
            self.directions.check().map_err(hint)?;
        }
        let (directed, reason) = Reason::decide(options.read.directed, said.or(self.directions.directed()));
        let Some((ids, ends)) = self.names.finish() else {
            return Err(Error::format(self.path, None, "holds more than 2³² nodes, which is too many"));
        };
        let in_order = self.times.is_sorted();
        let some_weights = !self.weights.is_empty();
        let weights = some_weights.then_some(self.weights);
        let removals = self.removes.iter().filter(|removes| **removes).count() as u64;
        let removes = (!self.removes.is_empty()).then_some(self.removes);
        let kind = if self.dates == Some(true) { Times::Dates } else { Times::Numbers };
        let words = ids.are_words();
        let mut doubts = self.layout.doubts;
        doubts.retain(|doubt| some_weights || !doubt.is_of_weights());
        let rows = TimedEdges::with(ids, ends, self.times, weights, removes, kind)?;
        let decisions = TimedDecisions {
            directed,
            reason,
            time_column: self.layout.time + 1,
            times: rows.kind(),
            weight_column: self.layout.weight.filter(|_| some_weights).map(|at| at + 1),
            weights: match (some_weights, self.layout.weight.is_some() && self.ignore_weights && !signs) {
                (true, _) => Weights::Used,
                (false, true) => Weights::Ignored,
                (false, false) => Weights::None,
            },
            rows: rows.len() as u64,
            removals,
            in_order,
            span: rows.span(),
            header: self.layout.header,
            unused: self.layout.unused,
            doubts,
            words,
        };
        Ok((rows, decisions))
    }
}

#[cfg(test)]
mod tests;
