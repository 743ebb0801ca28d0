//! What was decided while a network was read.

use super::super::columns::{Doubt, TableColumns};
use super::super::edge_list::ListNotes;
use super::super::{EdgeCounts, Loops};
use super::{NetworkFormat, ReadOptions};
use crate::Note;
use std::fmt;

/// Who decided that edges have a direction, or none.
///
/// ```
/// use ergodict::data::{ReadOptions, Reason, parse_network};
/// let reason = |text: &[u8]| Ok::<_, ergodict::Error>(parse_network(text, &ReadOptions::default())?.1.reason);
/// assert_eq!((reason(b"a b\n")?, reason(b"# directed\na b\n")?), (Reason::Assumed, Reason::Said));
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// Stated by the file.
    Said,
    /// Set by the options.
    Asked,
    /// The default.
    Assumed,
}

impl Reason {
    /// Whether edges have a direction, by what is asked for and what the file says, and why.
    pub(in crate::data::network) fn decide(asked: Option<bool>, said: Option<bool>) -> (bool, Self) {
        match (asked, said) {
            (Some(directed), _) => (directed, Self::Asked),
            (None, Some(directed)) => (directed, Self::Said),
            (None, None) => (false, Self::Assumed),
        }
    }
}

/// What became of weights.
///
/// ```
/// use ergodict::data::{ReadOptions, Weights, parse_network};
/// let plain = ReadOptions { weighted: Some(false), ..ReadOptions::default() };
/// let (network, decisions) = parse_network(b"a b 0.5\n", &plain)?;
/// assert!(decisions.weights == Weights::Ignored && !network.is_weighted());
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Weights {
    /// There are none.
    None,
    /// They are the network's.
    Used,
    /// All of them are 1, as without weights.
    Ones,
    /// They were not wanted.
    Ignored,
}

/// What was decided while a network was read. Written out, it is one line.
///
/// ```
/// use ergodict::data::{ReadOptions, parse_network};
/// let (_, decisions) = parse_network(b"source,target\n1,2\n2,2\n2,1\n", &ReadOptions::default())?;
/// assert_eq!(decisions.to_string(), "edge list, undirected (assumed), without weights, integer ids; \
///     header on line 1 skipped, 1 loop dropped, every edge listed in both directions");
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ReadDecisions {
    /// How the file was read.
    pub format: NetworkFormat,
    /// Whether edges have a direction.
    pub directed: bool,
    /// Who said so.
    pub reason: Reason,
    /// What became of weights.
    pub weights: Weights,
    /// The column of an edge list that they were in, counted from 1.
    pub weight_column: Option<usize>,
    /// The line of a header, which was skipped.
    pub header: Option<u64>,
    /// Columns that a header names and nothing was made of, such as `year`.
    pub unused: Vec<String>,
    /// The number of an unused column of a list without names that has times.
    pub times: Option<String>,
    /// What it could be instead.
    pub doubts: Vec<Doubt>,
    /// The attribute that has the names of the nodes, where these are not their ids.
    pub labels: Option<&'static str>,
    /// What became of loops.
    pub loops: Loops,
    /// Loops, repeated edges and zeros.
    pub found: EdgeCounts,
    /// Whether ids are words, not integers.
    pub words: bool,
}

impl ReadDecisions {
    /// Those of a format that has neither columns nor a header.
    pub(in crate::data::network) fn plain(
        format: NetworkFormat,
        (directed, reason): (bool, Reason),
        weights: Weights,
        loops: Loops,
        found: EdgeCounts,
        words: bool,
    ) -> Self {
        let (weight_column, header, unused, times, doubts, labels) =
            (None, None, Vec::new(), None, Vec::new(), None);
        Self {
            format,
            directed,
            reason,
            weights,
            weight_column,
            header,
            unused,
            times,
            doubts,
            labels,
            loops,
            found,
            words,
        }
    }

    /// With what was noticed in a list, and the doubts about its nodes.
    pub(in crate::data::network) fn noticed(self, noticed: ListNotes, nodes: Vec<Doubt>) -> Self {
        let ListNotes { header, weight_column, unused, times, mut doubts, .. } = noticed;
        doubts.extend(nodes);
        Self { weight_column, header, unused, times, doubts, ..self }
    }

    /// What may not be as it was meant of a file that was read so: a first line that could be a header, and columns that could be weights, unless columns
    /// were given.
    ///
    /// ```
    /// use ergodict::data::{ReadOptions, parse_network};
    /// let options = ReadOptions::default();
    /// let (_, decisions) = parse_network(b"source,target,score\na,b,2\n", &options)?;
    /// assert!(decisions.warnings(&options)[0].spelled(&ToString::to_string).starts_with("column `score` is ignored"));
    /// # Ok::<(), ergodict::Error>(())
    /// ```
    pub fn warnings(&self, options: &ReadOptions) -> Vec<Note> {
        let open =
            self.weights == Weights::None && options.weighted.is_none() && !options.table.has_columns();
        let ignored = open.then(|| TableColumns::ignored(&self.unused)).flatten();
        let weighted = self.weights == Weights::Used;
        let rows = self.found.duplicates;
        let repeated = || {
            let named = || TableColumns::times(&self.unused).map(|at| &self.unused[at]);
            let time = self.times.as_ref().or_else(named)?;
            TableColumns::repeated(time, rows, self.directed, weighted, "learning over time")
        };
        let open = weighted || self.weights == Weights::None && options.weighted.is_none();
        let repeated = open.then(repeated).flatten();
        self.doubts.iter().map(Doubt::note).chain(ignored).chain(repeated).collect()
    }
}

/// The columns that nothing is made of, in words.
pub(in crate::data::network) fn ignored(columns: &[String]) -> Option<String> {
    match columns {
        [] => None,
        [one] => Some(format!("column `{one}` ignored")),
        [first, .., last] => Some(format!("{} columns from `{first}` to `{last}` ignored", columns.len())),
    }
}

impl fmt::Display for ReadDecisions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let direction = if self.directed { "directed" } else { "undirected" };
        let reason = match self.reason {
            Reason::Said if self.format == NetworkFormat::Graph => "stated by the graph",
            Reason::Said if self.format == NetworkFormat::Matrix => "stated by the matrix",
            Reason::Said => "stated by the file",
            Reason::Asked => "asked for",
            Reason::Assumed => "assumed",
        };
        let weights = match (self.weights, self.format) {
            (Weights::None, _) => "without weights",
            (Weights::Ones, _) => "weights all 1",
            (Weights::Used, _) => match self.weight_column {
                Some(3) => "weights in the third column",
                Some(at) => &format!("weights in column {at}"),
                None => "with weights",
            },
            (Weights::Ignored, NetworkFormat::EdgeList) if self.header.is_none() => "third column ignored",
            (Weights::Ignored, _) => "weights ignored",
        };
        let ids = if self.words { "words as ids" } else { "integer ids" };
        write!(f, "{}, {direction} ({reason}), {weights}, {ids}", self.format)?;
        let mut notes = Vec::new();
        if let Some(attribute) = self.labels {
            notes.push(format!("nodes called by their attribute `{attribute}`"));
        }
        if let Some(line) = self.header {
            notes.push(format!("header on line {line} skipped"));
        }
        notes.extend(self.doubts.iter().filter_map(|doubt| match doubt {
            Doubt::Header(fields) => Some(format!("first line {fields} read as an edge, not as a header")),
            Doubt::Times(_) => Some("first column read as an end of edges, not as times".into()),
            _ => None,
        }));
        notes.extend(ignored(&self.unused));
        let counted = |n: u64, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
        if self.found.loops > 0 {
            let fate = if self.loops == Loops::Drop { "dropped" } else { "kept" };
            notes.push(format!("{} {fate}", counted(self.found.loops, "loop")));
        }
        if self.found.duplicates > 0 {
            let fate = if self.weights == Weights::Used { "added up" } else { "united" };
            notes.push(format!("{} {fate}", counted(self.found.duplicates, "duplicate")));
        }
        if self.found.both_directions {
            notes.push("every edge listed in both directions".into());
        }
        if self.found.zeros > 0 {
            notes.push(format!("{} left out", counted(self.found.zeros, "zero weight")));
        }
        if notes.is_empty() { Ok(()) } else { write!(f, "; {}", notes.join(", ")) }
    }
}
