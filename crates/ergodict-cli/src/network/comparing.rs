//! A comparison in progress: dictionaries learned and cells of the matrix measured so far, which a checkpoint keeps.

use crate::progress::say;
use crate::saving::Saving;
use crate::{interrupt, marks};
use anyhow::{Result, bail};
use ergodict::dictionary::Input;
use ergodict::linalg::Mat;
use ergodict::reconstruct::network::Accuracy;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::time::Instant;

/// Whose checkpoints they are.
const KIND: marks::Kind =
    marks::Kind { schema: "ergodict.network-compare-checkpoint/1", verb: "network compare" };

/// One step: a dictionary, or a cell of the matrix.
#[derive(Clone, Default, Serialize, Deserialize)]
struct State {
    /// The numbers of each dictionary, column by column.
    dictionaries: Vec<Vec<f64>>,
    cells: Vec<Cell>,
}

/// The measures of a cell.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct Cell {
    visited: u64,
    edge_coverage: Option<f64>,
    pair_coverage: Option<f64>,
    jaccard: Option<f64>,
    weighted_jaccard: Option<f64>,
    auc: Option<f64>,
}

impl From<Accuracy> for Cell {
    fn from(of: Accuracy) -> Self {
        let Accuracy { visited, edge_coverage, pair_coverage, jaccard, weighted_jaccard, auc } = of;
        Self { visited, edge_coverage, pair_coverage, jaccard, weighted_jaccard, auc }
    }
}

impl From<Cell> for Accuracy {
    fn from(of: Cell) -> Self {
        let Cell { visited, edge_coverage, pair_coverage, jaccard, weighted_jaccard, auc } = of;
        Self { visited, edge_coverage, pair_coverage, jaccard, weighted_jaccard, auc }
    }
}

/// What is done so far, and where it is kept.
pub(super) struct Comparing<'a> {
    saving: &'a Saving,
    config: &'a Value,
    inputs: &'a [Input],
    /// Rows and columns of a dictionary.
    shape: (usize, usize),
    state: State,
    saved: Instant,
    /// Steps of this run.
    steps: u64,
}

impl<'a> Comparing<'a> {
    /// From the beginning, or from the checkpoint, of `n` networks.
    pub(super) fn new(
        saving: &'a Saving,
        config: &'a Value,
        inputs: &'a [Input],
        shape: (usize, usize),
        n: usize,
        quiet: bool,
    ) -> Result<Self> {
        let mut state = State::default();
        if let Some(path) = &saving.checkpoint
            && saving.goes_on(path, quiet)?
        {
            let mut states: Vec<State> = marks::load(KIND, path, config, inputs, 1)?;
            state = states.pop().unwrap_or_default();
            let whole = |numbers: &Vec<f64>| numbers.len() == shape.0 * shape.1;
            let fits = state.dictionaries.len() <= n && state.dictionaries.iter().all(whole);
            if !fits || state.cells.len() > n * n || !state.cells.is_empty() && state.dictionaries.len() < n {
                bail!("{}: damaged checkpoint", path.display());
            }
            if !quiet {
                let (learned, cells) = (state.dictionaries.len(), state.cells.len());
                say(&format!("resumed after {learned} of {n} dictionaries and {cells} of {} cells", n * n));
            }
        }
        Ok(Self { saving, config, inputs, shape, state, saved: Instant::now(), steps: 0 })
    }

    /// Dictionaries learned.
    pub(super) fn learned(&self) -> usize {
        self.state.dictionaries.len()
    }

    /// Cells measured, row by row.
    pub(super) fn measured(&self) -> usize {
        self.state.cells.len()
    }

    /// The dictionary of a network.
    pub(super) fn dictionary(&self, of: usize) -> Mat<f64> {
        let (rows, cols) = self.shape;
        Mat::from_fn(rows, cols, |i, j| self.state.dictionaries[of][j * rows + i])
    }

    /// All cells.
    pub(super) fn cells(&self) -> Vec<Accuracy> {
        self.state.cells.iter().map(|&cell| cell.into()).collect()
    }

    /// Keeps a dictionary.
    pub(super) fn add_dictionary(&mut self, dictionary: &Mat<f64>) -> Result<()> {
        let columns = (0..dictionary.cols()).flat_map(|j| dictionary.col(j).iter().copied());
        self.state.dictionaries.push(columns.collect());
        self.step()
    }

    /// Keeps a cell.
    pub(super) fn add_cell(&mut self, cell: Accuracy) -> Result<()> {
        self.state.cells.push(cell.into());
        self.step()
    }

    fn step(&mut self) -> Result<()> {
        self.steps += 1;
        if self.saved.elapsed() >= self.saving.every() {
            self.saving.tried(self.save(), false)?;
            self.saved = Instant::now();
        }
        Ok(())
    }

    /// Whether to stop between two steps.
    pub(super) fn stopped(&self) -> bool {
        interrupt::asked() || interrupt::due(self.steps)
    }

    /// Saves all that is done.
    pub(super) fn save(&self) -> Result<()> {
        let Some(path) = &self.saving.checkpoint else { return Ok(()) };
        marks::save(KIND, path, self.config, self.inputs, vec![self.state.clone()])
    }

    /// How far it is.
    pub(super) fn words(&self) -> String {
        let of = |n: usize, one: &str, more: &str| format!("{n} {}", if n == 1 { one } else { more });
        let (learned, cells) = (self.learned(), self.measured());
        format!("{} and {}", of(learned, "dictionary", "dictionaries"), of(cells, "cell", "cells"))
    }
}
