//! Edges with the times they were seen at.

use super::Times;
use crate::data::network::NodeIds;
use crate::{Error, Result};

/// Rows of edges with times, in the order of time; rows of the same time are in the order they were given in.
///
/// ```
/// use ergodict::data::{NodeIds, TimedEdges};
/// let rows = TimedEdges::new(NodeIds::numbered(3), vec![(1, 2), (0, 1)], vec![5.0, 2.0])?;
/// assert_eq!((rows.times(), rows.ends()), (&[2.0, 5.0][..], &[(0, 1), (1, 2)][..]));
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct TimedEdges {
    ids: NodeIds,
    ends: Vec<(u32, u32)>,
    times: Vec<f64>,
    weights: Option<Vec<f64>>,
    /// Rows that remove their edge, where there are any.
    removes: Option<Vec<bool>>,
    kind: Times,
}

impl TimedEdges {
    /// Of nodes, edges and times.
    ///
    /// # Errors
    /// [`Error::Parameter`] without edges, for times that are not finite, for ends that are no nodes; [`Error::Shape`] where edges and times differ in number.
    pub fn new(ids: NodeIds, ends: Vec<(u32, u32)>, times: Vec<f64>) -> Result<Self> {
        Self::with(ids, ends, times, None, None, Times::Numbers)
    }

    /// Of nodes, edges and times, with weights, and with rows that remove the edge which rows before them made. `kind` is what times are;
    /// numbers that look like seconds since 1970 are taken for those.
    ///
    /// # Errors
    /// As [`TimedEdges::new`]; [`Error::Parameter`] also for weights that are negative or not finite.
    pub fn with(
        ids: NodeIds,
        ends: Vec<(u32, u32)>,
        times: Vec<f64>,
        weights: Option<Vec<f64>>,
        removes: Option<Vec<bool>>,
        kind: Times,
    ) -> Result<Self> {
        for (what, found) in [
            ("the list of times", Some(times.len())),
            ("the list of weights", weights.as_ref().map(Vec::len)),
            ("the list of removals", removes.as_ref().map(Vec::len)),
        ] {
            if let Some(found) = found.filter(|found| *found != ends.len()) {
                let expected = format!("one of length {}", ends.len());
                return Err(Error::shape(what, format!("of length {found}"), expected));
            }
        }
        if ends.is_empty() || ends.len() > u32::MAX as usize {
            let expected = "at least one is needed, and fewer than 2³² can be held";
            return Err(Error::parameter("the number of edges", ends.len(), expected));
        }
        if let Some(time) = times.iter().find(|time| !time.is_finite()) {
            return Err(Error::parameter("a time", time, "it must be a finite number"));
        }
        if let Some((u, v)) = ends.iter().find(|(u, v)| *u.max(v) as usize >= ids.len()) {
            let nodes = format!("there are nodes 0 to {}", ids.len().saturating_sub(1));
            return Err(Error::parameter("an edge", format!("({u}, {v})"), nodes));
        }
        if let Some(weight) = weights.iter().flatten().find(|weight| !(**weight >= 0.0 && weight.is_finite()))
        {
            return Err(Error::parameter("a weight", weight, "it must be a finite number, 0 or more"));
        }
        let kind = if kind == Times::Dates { kind } else { Times::of_numbers(&times) };
        let removes = removes.filter(|all| all.contains(&true));
        Ok(Self { ids, ends, times, weights, removes, kind }.sorted())
    }

    /// The rows in the order of time.
    fn sorted(mut self) -> Self {
        if self.times.is_sorted() {
            return self;
        }
        let mut order: Vec<u32> = (0..self.times.len() as u32).collect();
        order.sort_by(|&a, &b| self.times[a as usize].total_cmp(&self.times[b as usize]));
        let of = |at: &u32| *at as usize;
        self.ends = order.iter().map(|at| self.ends[of(at)]).collect();
        self.times = order.iter().map(|at| self.times[of(at)]).collect();
        self.weights = self.weights.map(|all| order.iter().map(|at| all[of(at)]).collect());
        self.removes = self.removes.map(|all| order.iter().map(|at| all[of(at)]).collect());
        self
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no row, which is never so.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The names of all nodes.
    pub fn ids(&self) -> &NodeIds {
        &self.ids
    }

    /// Both ends of each row, as nodes.
    pub fn ends(&self) -> &[(u32, u32)] {
        &self.ends
    }

    /// The time of each row, ascending.
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// A weight for each row, where there are any.
    pub fn weights(&self) -> Option<&[f64]> {
        self.weights.as_deref()
    }

    /// Whether each row removes its edge, where any does.
    pub fn removes(&self) -> Option<&[bool]> {
        self.removes.as_deref()
    }

    /// What the times are.
    pub fn kind(&self) -> Times {
        self.kind
    }

    /// The first time and the last.
    pub(crate) fn span(&self) -> (f64, f64) {
        (self.times[0], self.times[self.times.len() - 1])
    }
}
