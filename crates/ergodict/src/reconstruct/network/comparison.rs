//! Networks compared by each other's dictionaries: several dictionaries of each network, and how well they fit every network.
//!
//! | symbol | here |
//! |---|---|
//! | `W_{i,s}`, dictionary `s` of network `i` | [`Comparison::step`], learned from a seed of its own |
//! | `X_j`, fresh walks of network `j`, in blocks | [`Column`] |
//! | `E_s(i,j) = ‖X_j − W_{i,s}H‖² / ‖X_j‖²`, codes as in learning | [`Measurement::value`] |
//! | accuracy of the reconstruction of network `j` by `W_{i,s}` | the same, for other measures |
//!
//! What follows from the cells, with its errors, is in [`ComparisonOutcome`].

mod estimate;
mod outcome;

pub use estimate::Estimate;
pub use outcome::{ComparisonOutcome, Finding, RewiredCopy, TreeMerge};

use super::{Accuracy, Measure, Mode, ReconstructionRun, ReconstructionSettings, Reconstructor, Targets};
use crate::Result;
use crate::chain::{Motif, MotifWalker, SampledNetwork, SamplingSettings, Use};
use crate::data::{Adjacency, DEFAULT_PROPOSALS, Network, rewired_until};
use crate::factor::{FactorSettings, Factorizer};
use crate::linalg::{Mat, Scalar};
use crate::model::Precision;
use crate::patch::NetworkPatches;
use crate::rng::{Purpose, derived, ids};
use crate::run::{Job, NetworkLearning, Resumable, Run, Sections, Status, Stop, figure};
use estimate::Cells;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Blocks of walks that a standard error is from.
const BLOCKS: usize = 20;
/// Walks that are coded at a time.
const CHUNK: u64 = 500;

/// How networks are compared.
///
/// ```
/// use ergodict::{model::Precision, run::NetworkLearning};
/// use ergodict::reconstruct::network::{ComparisonSettings, Measure, Mode};
/// let learning = NetworkLearning { steps: 10, ..NetworkLearning::new(9) };
/// let settings = ComparisonSettings {
///     learning,
///     precision: Precision::F64,
///     seeds: 3,
///     samples: 2000,
///     measure: Measure::Error,
///     mode: Mode::OffMotif,
///     threshold: 0.5,
/// };
/// assert_eq!(settings.learning.parameters.atoms, 9);
/// ```
#[derive(Clone, Debug)]
pub struct ComparisonSettings {
    /// How each dictionary is learned.
    pub learning: NetworkLearning,
    /// Precision of the learning.
    pub precision: Precision,
    /// Dictionaries of each network, from different seeds.
    pub seeds: usize,
    /// Walks of each network that dictionaries are measured on, or of each reconstruction.
    pub samples: u64,
    /// What is measured.
    pub measure: Measure,
    /// Which entries of patches count in a reconstruction.
    pub mode: Mode,
    /// Pairs of a larger weight are called edges in a reconstruction.
    pub threshold: f64,
}

/// What was measured of one dictionary on one network.
///
/// ```
/// use ergodict::reconstruct::network::Measurement;
/// let cell = Measurement { value: 0.4, blocks: vec![0.01, -0.01], edge_coverage: None };
/// assert_eq!(cell.blocks.len(), 2);
/// ```
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Measurement {
    /// The relative error, or the accuracy of the reconstruction; NaN where there is none, which JSON has as null.
    #[serde(deserialize_with = "nan_from_null")]
    pub value: f64,
    /// How far each block of walks moves the logarithm of the error; empty for reconstructions.
    pub blocks: Vec<f64>,
    /// Share of edges that the reconstruction visited.
    pub edge_coverage: Option<f64>,
}

fn nan_from_null<'de, D: serde::Deserializer<'de>>(from: D) -> std::result::Result<f64, D::Error> {
    Ok(Option::deserialize(from)?.unwrap_or(f64::NAN))
}

/// A comparison of networks in slices: the dictionaries, then the cells of the matrix, column by column. A checkpoint has those that are
/// complete.
///
/// Rows and columns are the networks, then those of their rewired copies that there are; of the copies only the cells with
/// their own networks and with themselves are measured.
///
/// ```
/// use ergodict::chain::{ExactSampler, Motif, SampledNetwork};
/// use ergodict::{data::embedded, model::Precision, run::{NetworkLearning, Stop, drive}};
/// use ergodict::reconstruct::network::{Comparison, ComparisonSettings, Finding, Measure, Mode};
/// let drawn = |name: &str| {
///     let network = std::sync::Arc::new(embedded(name)?);
///     let sampler = ExactSampler::new(network.clone(), &Motif::path(5)?)?;
///     Ok::<SampledNetwork, ergodict::Error>((network, std::sync::Arc::new(sampler)))
/// };
/// let mut learning = NetworkLearning { steps: 200, ..NetworkLearning::new(6) };
/// learning.parameters.lambda = 0.0; // what is learned by is then what is measured
/// let settings = ComparisonSettings {
///     learning,
///     precision: Precision::F64,
///     seeds: 4,
///     samples: 2000,
///     measure: Measure::Error,
///     mode: Mode::Plain,
///     threshold: 0.5,
/// };
/// let networks = vec![drawn("karate")?, drawn("davis")?];
/// let mut job = Comparison::new(settings, networks, vec![None, None], vec!["karate".into(), "davis".into()], 0);
/// drive(&mut [&mut job], None, &Stop::default(), &mut ())?;
/// assert_eq!(job.outcome()?.finding, Finding::Pair { distinct: true });
/// # Ok::<(), ergodict::Error>(())
/// ```
pub struct Comparison {
    settings: ComparisonSettings,
    /// Those compared, then the rewired copies.
    networks: Vec<SampledNetwork>,
    names: Vec<String>,
    layout: Layout,
    seed: u64,
    dictionaries: Vec<Mat<f64>>,
    measured: Vec<Measurement>,
    /// The text of the last dictionary or cell that is complete.
    last: String,
    current: Option<Current>,
}

/// Which cells there are.
#[derive(Clone, Debug)]
struct Layout {
    /// Networks compared.
    n: usize,
    /// For each rewired copy, the network that it is a copy of.
    copies: Vec<usize>,
    /// Dictionaries of each.
    seeds: usize,
}

impl Layout {
    /// Networks and copies.
    fn rows(&self) -> usize {
        self.n + self.copies.len()
    }

    /// The rows of the cells of a column, in order.
    fn rows_on(&self, column: usize) -> Vec<usize> {
        if let Some(at) = column.checked_sub(self.n) {
            return vec![self.copies[at], column];
        }
        let copy = self.copies.iter().position(|&of| of == column).map(|at| self.n + at);
        (0..self.n).chain(copy).collect()
    }

    /// All cells as row and column, column by column.
    fn cells(&self) -> Vec<(usize, usize)> {
        (0..self.rows())
            .flat_map(|column| self.rows_on(column).into_iter().map(move |row| (row, column)))
            .collect()
    }
}

/// What is under way.
enum Current {
    F32(Box<Learner<f32>>),
    F64(Box<Learner<f64>>),
    Column(Box<Column>),
    Reconstruction(Box<ReconstructionRun>),
}

/// A dictionary being learned.
struct Learner<T: Scalar> {
    run: Run<T>,
    steps: u64,
}

impl<T: Scalar> Learner<T> {
    fn new(learning: &NetworkLearning, drawn: &SampledNetwork, seed: u64) -> Result<Self> {
        Ok(Self { run: learning.run(std::slice::from_ref(drawn), seed)?, steps: 0 })
    }

    /// A step of `all`: the dictionary after the last one.
    fn step(&mut self, all: u64) -> Result<Option<Mat<f64>>> {
        self.steps += 1;
        self.run.run(Some(self.steps), &Stop::default())?;
        let learned = self.run.trainer().learned()?;
        Ok((self.steps >= all).then(|| learned.dictionary().cast()))
    }

    fn surrogate(&self) -> f64 {
        let learned = self.run.trainer().learned();
        learned.map_or(f64::NAN, |learned| learned.aggregates().per_sample(learned.surrogate()))
    }
}

/// Fresh walks of a network, coded by every dictionary that is measured on it.
struct Column {
    patches: NetworkPatches,
    walker: MotifWalker,
    taken: u64,
    /// Walks of each block.
    block: u64,
    /// Squared norms, block by block.
    norms: Vec<f64>,
    /// Squared errors of each dictionary, block by block.
    off: Vec<Vec<f64>>,
    xs: Vec<u32>,
    x: Mat<f64>,
    reconstructed: Mat<f64>,
}

impl Column {
    /// Codes the next walks by the dictionaries; whether they were the last.
    fn step(&mut self, parameters: &FactorSettings, dictionaries: &[&Mat<f64>]) -> Result<bool> {
        let block = (self.taken / self.block) as usize;
        let now = CHUNK.min(self.block - self.taken % self.block);
        self.xs.resize(self.patches.k() * now as usize, 0);
        self.walker.fill(&mut self.xs);
        self.patches.write_all(&self.xs, &mut self.x);
        let columns = 0..self.x.cols();
        self.norms[block] += columns.map(|j| self.x.col(j).iter().map(|x| x * x).sum::<f64>()).sum::<f64>();
        for (w, off) in dictionaries.iter().zip(&mut self.off) {
            let mut factorizer = Factorizer::from_dictionary(parameters.clone(), w.as_ref())?;
            factorizer.transform(&self.x)?;
            factorizer.reconstruct(&mut self.reconstructed);
            for j in 0..self.x.cols() {
                let pairs = self.x.col(j).iter().zip(self.reconstructed.col(j));
                off[block] += pairs.map(|(x, y)| (x - y) * (x - y)).sum::<f64>();
            }
        }
        self.taken += now;
        Ok(self.taken >= self.block * BLOCKS as u64)
    }

    fn measurements(&self) -> impl Iterator<Item = Measurement> {
        let norm: f64 = self.norms.iter().sum();
        self.off.iter().map(move |off| {
            let all: f64 = off.iter().sum();
            let share = |(off, norm_of_block): (&f64, &f64)| {
                if all > 0.0 { off / all - norm_of_block / norm } else { 0.0 }
            };
            let blocks = off.iter().zip(&self.norms).map(share).collect();
            Measurement { value: all / norm, blocks, edge_coverage: None }
        })
    }
}

impl Comparison {
    /// Nothing compared yet. `rewired` has a degree-preserving rewiring of each network, or none where there is no yardstick.
    ///
    /// # Panics
    /// When there are not as many copies and names as networks.
    pub fn new(
        settings: ComparisonSettings,
        mut networks: Vec<SampledNetwork>,
        rewired: Vec<Option<SampledNetwork>>,
        mut names: Vec<String>,
        seed: u64,
    ) -> Self {
        let n = networks.len();
        assert!(rewired.len() == n && names.len() == n, "a name and a copy of each network");
        let copies: Vec<usize> = (0..n).filter(|&at| rewired[at].is_some()).collect();
        networks.extend(rewired.into_iter().flatten());
        names.extend(copies.iter().map(|&at| format!("{}, rewired", names[at])).collect::<Vec<_>>());
        let layout = Layout { n, copies, seeds: settings.seeds.max(1) };
        let (dictionaries, measured, last) = (Vec::new(), Vec::new(), String::new());
        Self { settings, networks, names, layout, seed, dictionaries, measured, last, current: None }
    }

    /// A degree-preserving rewiring of network number `at`, the yardstick of its distances.
    ///
    /// # Errors
    /// As [`rewired_until`].
    pub fn rewired_copy(network: &Network, seed: u64, at: usize, stop: &dyn Fn() -> bool) -> Result<Network> {
        let seed = derived(seed, Purpose::Synthetic, ids::COMPARING + at as u64);
        rewired_until(network, DEFAULT_PROPOSALS, seed, stop)
    }

    /// A rewired copy of each network with a sampler in it, or why there is none: the motif, such as a triangle, may be in no copy.
    ///
    /// # Errors
    /// As [`rewired_until`].
    pub fn rewired_copies(
        networks: &[SampledNetwork],
        sampling: &SamplingSettings,
        motif: &Motif,
        seed: u64,
        stop: &dyn Fn() -> bool,
    ) -> Result<Vec<Result<SampledNetwork>>> {
        let copy = |(at, (network, _)): (usize, &SampledNetwork)| {
            let copy = Self::rewired_copy(network, seed, at, stop)?;
            let chosen = sampling.choose(Use::Reconstruct, copy, motif, seed);
            Ok(chosen.map(|chosen| (chosen.network, chosen.sampler)))
        };
        networks.iter().enumerate().map(copy).collect()
    }

    /// Dictionaries learned so far, and all there will be.
    pub fn learned(&self) -> (usize, usize) {
        (self.dictionaries.len(), self.layout.rows() * self.layout.seeds)
    }

    /// Cells measured so far, a dictionary on a network each, and all there will be.
    pub fn measured(&self) -> (usize, usize) {
        (self.measured.len(), self.layout.cells().len() * self.layout.seeds)
    }

    /// What the cells come to.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) for a network that the measure is not defined on, and before the job is finished.
    pub fn outcome(&self) -> Result<ComparisonOutcome> {
        let cells =
            Cells::new(&self.layout.cells(), self.layout.seeds, self.settings.measure, &self.measured);
        ComparisonOutcome::new(&cells?, &self.names[..self.layout.n], &self.layout.copies)
    }

    /// Starts the next dictionary, column or reconstruction.
    fn begin(&self) -> Result<Current> {
        let (learned, all) = self.learned();
        let (learning, seeds) = (&self.settings.learning, self.layout.seeds);
        if learned < all {
            let drawn = &self.networks[learned / seeds];
            let id = ids::COMPARING + (1 << 32) + (((learned / seeds) << 16) | (learned % seeds)) as u64;
            let seed = derived(self.seed, Purpose::Chain, id);
            return Ok(match self.settings.precision {
                Precision::F32 => Current::F32(Box::new(Learner::new(learning, drawn, seed)?)),
                Precision::F64 => Current::F64(Box::new(Learner::new(learning, drawn, seed)?)),
            });
        }
        let at = self.measured.len();
        let (row, column) = self.layout.cells()[at / seeds];
        let ((network, sampler), watching) = (&self.networks[column], &learning.watching);
        let (burn_in, every) = (watching.burn_in, watching.every);
        let adjacency = Adjacency::of_bytes(network, watching.memory);
        if self.settings.measure == Measure::Error {
            let block = self.settings.samples.div_ceil(BLOCKS as u64).max(1);
            // A chain that restarts forgets its start over a tenth of the walks, unless more is asked for.
            let rest = if sampler.is_independent() { 0 } else { (block * 2).saturating_mul(every) };
            let id = ids::COMPARING + column as u64;
            let walker = MotifWalker::new(Arc::clone(sampler), self.seed, id, burn_in.max(rest), every)?;
            let rows = self.layout.rows_on(column).len() * seeds;
            return Ok(Current::Column(Box::new(Column {
                patches: NetworkPatches::with(adjacency, sampler.motif().k()),
                walker,
                taken: 0,
                block,
                norms: vec![0.0; BLOCKS],
                off: vec![vec![0.0; BLOCKS]; rows],
                xs: Vec::new(),
                x: Mat::zeros(0, 0),
                reconstructed: Mat::zeros(0, 0),
            })));
        }
        // Every cell has walks of its own, so that the scatter over dictionaries is that of walks as well.
        let seed = derived(self.seed, Purpose::Chain, ids::COMPARING + (1 << 33) + at as u64);
        let walker =
            |id: u64| MotifWalker::new(Arc::clone(sampler), seed, ids::REBUILDING + id, burn_in, every);
        let walkers = (0..watching.chains as u64).map(walker).collect::<Result<Vec<_>>>()?;
        let parameters =
            ReconstructionSettings { mode: self.settings.mode, ..ReconstructionSettings::default() };
        let (dictionary, motif) = (&self.dictionaries[row * seeds + at % seeds], sampler.motif());
        let empty = Reconstructor::with(dictionary, adjacency, motif, &parameters, Targets::All)?;
        let run = ReconstructionRun::new(empty, walkers, self.settings.samples);
        Ok(Current::Reconstruction(Box::new(run)))
    }

    /// Advances what is under way, and keeps what is complete; whether it is.
    fn step(&mut self) -> Result<bool> {
        let mut current = match self.current.take() {
            Some(current) => current,
            None => self.begin()?,
        };
        let (all, seeds) = (self.settings.learning.steps, self.layout.seeds);
        let dictionary = match &mut current {
            Current::F32(learner) => learner.step(all)?,
            Current::F64(learner) => learner.step(all)?,
            Current::Column(column) => {
                let (_, at) = self.layout.cells()[self.measured.len() / seeds];
                let rows = self.layout.rows_on(at);
                let dictionaries: Vec<&Mat<f64>> =
                    rows.iter().flat_map(|row| &self.dictionaries[row * seeds..][..seeds]).collect();
                let complete = column.step(&self.settings.learning.parameters, &dictionaries)?;
                if complete {
                    self.last = self.text_of_cell();
                    self.measured.extend(column.measurements());
                } else {
                    self.current = Some(current);
                }
                return Ok(complete);
            }
            Current::Reconstruction(run) => {
                let complete = run.step()?;
                if complete {
                    self.last = self.text_of_cell();
                    let (_, column) = self.layout.cells()[self.measured.len() / seeds];
                    let (sums, network) = (run.reconstructor().sums(), &self.networks[column].0);
                    let accuracy = Accuracy::measure(sums, network, self.settings.threshold, 0.0)?;
                    let value = self.settings.measure.accuracy(&accuracy).unwrap_or(f64::NAN);
                    let edge_coverage = accuracy.edge_coverage;
                    self.measured.push(Measurement { value, blocks: Vec::new(), edge_coverage });
                } else {
                    self.current = Some(current);
                }
                return Ok(complete);
            }
        };
        let Some(dictionary) = dictionary else {
            self.current = Some(current);
            return Ok(false);
        };
        self.current = Some(current);
        self.last = self.text();
        self.current = None;
        self.dictionaries.push(dictionary);
        Ok(true)
    }

    fn text_of_learning(&self, surrogate: f64) -> String {
        let name = &self.names[self.dictionaries.len() / self.layout.seeds];
        format!("learning {name}, surrogate {}", figure(surrogate))
    }

    fn text_of_cell(&self) -> String {
        let (at, all) = self.measured();
        let (row, column) = self.layout.cells()[at / self.layout.seeds];
        if self.settings.measure == Measure::Error {
            return format!("column {} of {}: {}", column + 1, self.layout.rows(), self.names[column]);
        }
        format!("cell {} of {all}: {} by {}", at + 1, self.names[column], self.names[row])
    }

    /// Whether all dictionaries are learned and a cell was begun.
    fn is_measuring(&self) -> bool {
        !self.measured.is_empty()
            || matches!(self.current, Some(Current::Column(_) | Current::Reconstruction(_)))
    }

    fn is_finished(&self) -> bool {
        let (measured, all) = self.measured();
        measured >= all
    }
}

impl Resumable for Comparison {
    fn save(&self, to: &mut Sections) -> Result<()> {
        for (at, dictionary) in self.dictionaries.iter().enumerate() {
            to.put_matrix(&format!("dictionary {at}"), dictionary);
        }
        to.put_json("cells", &self.measured)
    }

    fn restore(&mut self, from: &Sections) -> Result<()> {
        let ((_, dictionaries), (_, cells)) = (self.learned(), self.measured());
        let there = (0..dictionaries).take_while(|at| from.has(&format!("dictionary {at}"))).count();
        let matrices = (0..there).map(|at| from.matrix(&format!("dictionary {at}")));
        self.dictionaries = matrices.collect::<Result<Vec<Mat<f64>>>>()?;
        self.measured = from.json("cells")?;
        let k = self.networks.first().map_or(0, |(_, sampler)| sampler.motif().k());
        let shape = (k * k, self.settings.learning.parameters.atoms);
        let mut fits = self.dictionaries.iter().all(|w| (w.rows(), w.cols()) == shape);
        let blocks = if self.settings.measure == Measure::Error { BLOCKS } else { 0 };
        fits &= self.measured.iter().all(|cell| cell.blocks.len() == blocks);
        if !fits || self.measured.len() > cells || !self.measured.is_empty() && there < dictionaries {
            return Err(from.damaged("cells", "they do not fit this run"));
        }
        self.current = None;
        Ok(())
    }
}

impl Job for Comparison {
    /// Patches learned from; then walks of cells.
    fn done(&self) -> (u64, Option<u64>) {
        let ComparisonSettings { learning, samples, measure, .. } = &self.settings;
        let batch = learning.watching.batch as u64;
        let (each, (complete, all)) = match (self.is_measuring(), measure) {
            (false, _) => (learning.steps.saturating_mul(batch), self.learned()),
            (true, Measure::Error) => {
                let cells = self.layout.cells();
                let column = cells.get(self.measured.len() / self.layout.seeds).map(|cell| cell.1);
                let rows = self.layout.rows();
                (
                    samples.div_ceil(BLOCKS as u64).saturating_mul(BLOCKS as u64),
                    (column.unwrap_or(rows), rows),
                )
            }
            (true, _) => (*samples, self.measured()),
        };
        let (total, complete) = (each.saturating_mul(all as u64), each.saturating_mul(complete as u64));
        let more = match &self.current {
            None => 0,
            Some(Current::F32(learner)) => learner.steps * batch,
            Some(Current::F64(learner)) => learner.steps * batch,
            Some(Current::Column(column)) => column.taken,
            Some(Current::Reconstruction(run)) => run.done().0,
        };
        (complete.saturating_add(more), Some(total))
    }

    fn advance(&mut self, slice: Duration, stop: &Stop) -> Result<Status> {
        let started = Instant::now();
        while !self.is_finished() {
            if stop.is_asked() {
                return Ok(Status::Stopped);
            }
            let complete = self.step()?;
            if complete {
                stop.count(1);
            }
            // Learning is reported to its end before the first cell begins.
            let (learned, all) = self.learned();
            let learned = complete && self.measured.is_empty() && learned == all;
            if (learned || started.elapsed() >= slice) && !self.is_finished() {
                return Ok(Status::Running);
            }
        }
        Ok(Status::Finished)
    }

    fn unit(&self) -> &'static str {
        if self.is_measuring() { "walks" } else { "patches" }
    }

    fn text(&self) -> String {
        match &self.current {
            None => self.last.clone(),
            Some(Current::F32(learner)) => self.text_of_learning(learner.surrogate()),
            Some(Current::F64(learner)) => self.text_of_learning(learner.surrogate()),
            Some(Current::Column(_) | Current::Reconstruction(_)) => self.text_of_cell(),
        }
    }
}
