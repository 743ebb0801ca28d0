//! Matrices in Matrix Market, scipy and `.egr` files on their way to an `.egr` file, some entries at a time.

use super::super::read::{self, NetworkFormat, ReadDecisions, ReadOptions, Reason, Weights};
use super::super::{EdgeCounts, Loops, Network, NodeIds, egr, matrix_market, sparse_npz};
use super::gather::{Batch, Converting, Plan, Task, convert};
use super::labels::Labels;
use super::list::text;
use super::rows::Meaning;
use crate::data::{Input, write_atomic};
use crate::{Error, Result};
use std::collections::VecDeque;
use std::path::Path;

/// What is made of the weights of a matrix, and whether that is what was asked for.
fn matrix_weights(path: &Path, format: NetworkFormat, there: bool, options: &ReadOptions) -> Result<Weights> {
    match (there, options.weighted) {
        (false, Some(true)) => Err(Error::format(path, None, read::no_weights(format, &[]))),
        (false, _) => Ok(Weights::None),
        (true, Some(false)) => Ok(Weights::Ignored),
        (true, _) => Ok(Weights::Used),
    }
}

/// Entries of a matrix as edges, without those that are zero where weights are ignored.
fn entries((mut ends, weights): (Vec<(u32, u32)>, Vec<f64>), use_of: Weights, zeros: &mut u64) -> Batch {
    match use_of {
        Weights::Used | Weights::Ones => Batch { ends, weights: Some(weights) },
        Weights::None => Batch { ends, weights: None },
        Weights::Ignored => {
            let (before, mut weights) = (ends.len(), weights.iter());
            ends.retain(|_| weights.next().is_some_and(|weight| *weight != 0.0));
            *zeros += (before - ends.len()) as u64;
            Batch { ends, weights: None }
        }
    }
}

/// A Matrix Market file.
pub(in crate::data::network) fn of_matrix_market(
    task: &mut Task<'_>,
    input: Input,
    options: &ReadOptions,
    budget: usize,
) -> Result<ReadDecisions> {
    let (path, format) = (task.input, NetworkFormat::MatrixMarket);
    let ignore = options.weighted == Some(false);
    let mut stream = matrix_market::stream(path, input, ignore, text(budget))?;
    let weights = matrix_weights(path, format, stream.is_weighted(), options)?;
    let (nodes, symmetric) = (stream.nodes(), stream.is_symmetric());
    let mut parts = VecDeque::new();
    let mut next = || {
        while parts.is_empty() {
            let Some(some) = stream.next()? else { return Ok(None) };
            parts.extend(some);
        }
        Ok(parts.pop_front())
    };
    let matrix = Matrix { weights, symmetric, options, budget };
    matrix.convert(task, &mut next, || Labels::FromOne(nodes)).map(|made| made.decisions(format, false))
}

/// A sparse matrix of scipy, which has to be in a file: its arrays are read side by side.
pub(in crate::data::network) fn of_npz(
    task: &mut Task<'_>,
    input: &Input,
    options: &ReadOptions,
    budget: usize,
) -> Result<ReadDecisions> {
    let (path, format) = (task.input, NetworkFormat::SparseNpz);
    read::plain_archive(path, input)?;
    let mut stream = sparse_npz::Stream::open(path)?;
    let weights = matrix_weights(path, format, true, options)?;
    let nodes = stream.nodes;
    let matrix = Matrix { weights, symmetric: false, options, budget };
    let made = matrix.convert(task, &mut || stream.next(), || Labels::Ids(NodeIds::numbered(nodes)))?;
    Ok(made.decisions(format, false))
}

/// A matrix on its way.
struct Matrix<'a> {
    weights: Weights,
    /// Whether it is said to be symmetric, so that one triangle is there.
    symmetric: bool,
    options: &'a ReadOptions,
    budget: usize,
}

/// What was made of a matrix.
struct MatrixDecisions {
    directed: (bool, Reason),
    weights: Weights,
    loops: Loops,
    found: EdgeCounts,
}

impl MatrixDecisions {
    fn decisions(self, format: NetworkFormat, words: bool) -> ReadDecisions {
        ReadDecisions::plain(format, self.directed, self.weights, self.loops, self.found, words)
    }
}

impl Matrix<'_> {
    fn convert(
        &self,
        task: &mut Task<'_>,
        next: &mut dyn FnMut() -> Result<Option<matrix_market::Part>>,
        labels: impl FnOnce() -> Labels,
    ) -> Result<MatrixDecisions> {
        let Self { weights, options, .. } = *self;
        let meaning = match (self.symmetric, options.directed) {
            (true, Some(true)) => Meaning::Mirrored,
            (true, _) => Meaning::Edges { directed: false },
            (false, asked) => Meaning::Matrix { asked, loops: options.loops == Loops::Keep },
        };
        let weighted = weights == Weights::Used;
        let plan = Plan { meaning, loops: options.loops, weighted, integers: false, budget: self.budget };
        let mut zeros = 0;
        let made =
            convert(task, plan, &mut || Ok(next()?.map(|part| entries(part, weights, &mut zeros))), |_| {
                labels()
            })?;
        let mut found = task.found;
        found.zeros += zeros;
        let said = if self.symmetric { Some(false) } else { Some(made.directed) };
        Ok(MatrixDecisions {
            directed: Reason::decide(options.directed, said),
            weights,
            loops: options.loops,
            found,
        })
    }
}

/// A network that is one already: copied, or built again where other directions are asked for.
pub(in crate::data::network) fn of_egr(
    task: &mut Task<'_>,
    input: Input,
    options: &ReadOptions,
    budget: usize,
) -> Result<ReadDecisions> {
    let (path, out) = (task.input, task.out);
    let network = egr::read_beside(path, input, out, options.verify)?;
    let asked = options.directed.unwrap_or(network.is_directed());
    if asked == network.is_directed() {
        let stored = network.stored();
        let (network, decisions) = read::from_egr(path, network, options)?;
        task.report(Converting::Merging(stored, stored))?;
        write_atomic(out, |file| egr::write(&network, file).map_err(Error::io(out)))?;
        return Ok(decisions);
    }
    let weights = read::egr_weights(path, &network, options)?;
    let weighted = weights == Weights::Used;
    let meaning = Meaning::Edges { directed: asked };
    let plan = Plan { meaning, loops: Loops::Keep, weighted, integers: false, budget };
    let mut arcs =
        Arcs { network: &network, row: 0, at: 0, weighted, size: (budget / 256).clamp(1 << 10, 1 << 16) };
    let ids = network.ids().clone();
    let words = ids.are_words();
    convert(task, plan, &mut || Ok(arcs.next()), |_| Labels::Ids(ids))?;
    let direction = Reason::decide(options.directed, None);
    Ok(ReadDecisions::plain(NetworkFormat::Egr, direction, weights, Loops::Keep, task.found, words))
}

/// The entries of a network, by rows.
struct Arcs<'a> {
    network: &'a Network,
    row: usize,
    /// Entries of the row that were taken.
    at: usize,
    weighted: bool,
    size: usize,
}

impl Arcs<'_> {
    fn next(&mut self) -> Option<Batch> {
        let rows = self.network.rows();
        let (mut ends, mut weights) = (Vec::with_capacity(self.size), Vec::new());
        while self.row < self.network.nodes() && ends.len() < self.size {
            let all = rows.neighbors(self.row);
            let some = all.len().min(self.at + self.size - ends.len());
            ends.extend(all[self.at..some].iter().map(|&v| (self.row as u32, v)));
            if self.weighted {
                match rows.weights(self.row) {
                    Some(all) => weights.extend_from_slice(&all[self.at..some]),
                    None => weights.resize(ends.len(), 1.0),
                }
            }
            (self.row, self.at) = if some == all.len() { (self.row + 1, 0) } else { (self.row, some) };
        }
        (!ends.is_empty()).then(|| Batch { ends, weights: self.weighted.then_some(weights) })
    }
}
