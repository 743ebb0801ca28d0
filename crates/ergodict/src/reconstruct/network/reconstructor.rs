//! The reconstruction under way: rounds of drawing, coding and adding up.
//!
//! | paper, Algorithm NR | here | where |
//! |---|---|---|
//! | `x_t` | what [`MotifWalker`]s hand out, 64 of one and then of the next | lines 10–16 |
//! | `A_{x_t}`, `X_t` | bits, or columns | line 17–18, `patch/network.rs` |
//! | `H_t`, `X̂_t = W H_t` | `block.rs`, `atoms.rs` | lines 21–25 |
//! | `A_count`, `A_recons · A_count` | [`PairSums`] | lines 28–33 |
//!
//! Departures from the print. Sums and counts are kept apart, so that they merge exactly. Of an undirected network the pair `{u, v}` has
//! one sum, the mean of the paper's two; its count is either of the paper's, which are equal. Entries at a node and itself are left out
//! where the network has no loops: the paper would make loops of them. And entries can be left out, see [`Mode`](super::Mode).
//!
//! **Threads.** A round is drawn by the walkers, coded in contiguous shares, and added up by parts of the pairs, each in the order
//! of the homomorphisms. So the result is the same for any number of threads, and for any cut of `absorb` into several.

use super::atoms::Atoms;
use super::block::{CHUNK, Shared, Worker, add};
use super::positions::Positions;
use super::sums::store::{Part, Store};
use super::sums::{Kind, PairSums};
use super::{ReconstructionSettings, Targets};
use crate::chain::{Motif, MotifPoint, MotifWalker};
use crate::data::{Adjacency, Network};
use crate::factor::code::{CodeReport, CorrelatedCoder};
use crate::linalg::products::check_room;
use crate::linalg::{Mat, Scalar};
use crate::patch::NetworkPatches;
use crate::{Error, Result};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::io::BufRead;
use std::path::Path;
use std::sync::Arc;

/// Homomorphisms of one walker before the next has its turn. Part of what a seed gives: it never changes.
const TURN: u64 = 64;

/// Chunks of a thread in a round.
const CHUNKS: usize = 4;

/// Most rounds of the coder before it gives up.
const ROUNDS: u32 = 100;

/// Where a reconstruction is, but for its sums and counts.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct ReconstructionPoint {
    /// Homomorphisms taken.
    pub taken: u64,
    /// Where their walkers are.
    pub walkers: Vec<MotifPoint>,
}

/// A reconstruction under way.
///
/// For each homomorphism `x`, `h = argmin_{h ≥ 0} ‖A_x − Wh‖² + λ‖h‖₁`, and entry `(a,b)` of `Wh` is added to the sum `S` of the pair `(x(a), x(b))`, one to its count `C`.
///
/// ```
/// use ergodict::chain::{Motif, MotifWalker, SamplerKind, SamplerBuilder};
/// use ergodict::linalg::Mat;
/// use ergodict::reconstruct::network::{ReconstructionSettings, Reconstructor, Targets};
/// let (karate, motif) = (ergodict::data::embedded("karate")?.into(), Motif::path(3)?);
/// let w = Mat::from_fn(9, 9, |i, j| f64::from(i == j)); // atoms that can rebuild any patch
/// let parameters = ReconstructionSettings::default();
/// let mut rebuilt = Reconstructor::<f64>::new(&w, &karate, &motif, &parameters, Targets::All)?;
/// let sampler = SamplerBuilder::default().build(SamplerKind::Exact, &karate, &motif, 0)?;
/// rebuilt.absorb(&mut [MotifWalker::new(sampler, 0, 0, 0, 1)?], 1000)?;
/// let exact = |u, v| karate.weight(u as usize, v as usize);
/// assert!(rebuilt.sums().iter().all(|pair| (pair.mean() - exact(pair.u, pair.v)).abs() < 1e-6));
/// # Ok::<(), ergodict::Error>(())
/// ```
pub struct Reconstructor<T = f32> {
    network: Arc<Network>,
    motif: Motif,
    parameters: ReconstructionSettings,
    patches: NetworkPatches,
    positions: Positions,
    atoms: Atoms<T>,
    sums: PairSums,
    taken: u64,
    report: CodeReport,
}

impl<T: Scalar> Reconstructor<T> {
    /// Nothing reconstructed yet. `dictionary` is `k² × r`, atoms row by row; it need not come from this network.
    ///
    /// # Errors
    /// [`Error::Parameter`] for parameters out of range, for pairs of nodes that do not exist, for reversal where the motif is no
    /// chain, and for a dictionary with numbers that are not finite; [`Error::Shape`] for one of other than `k²` rows;
    /// [`Error::Overflow`] for one whose squares are not finite.
    #[allow(clippy::needless_pass_by_value)] // targets are many, and are no longer needed by the caller
    pub fn new(
        dictionary: &Mat<f64>,
        network: &Arc<Network>,
        motif: &Motif,
        parameters: &ReconstructionSettings,
        targets: Targets,
    ) -> Result<Self> {
        Self::with(dictionary, Adjacency::new(network, Adjacency::BUDGET), motif, parameters, targets)
    }

    /// The same with a test of adjacency that is there already.
    ///
    /// # Errors
    /// As [`Reconstructor::new`].
    #[allow(clippy::needless_pass_by_value)]
    pub fn with(
        dictionary: &Mat<f64>,
        adjacency: Adjacency,
        motif: &Motif,
        parameters: &ReconstructionSettings,
        targets: Targets,
    ) -> Result<Self> {
        parameters.check()?;
        check_room()?;
        if parameters.reversal && !motif.is_path() {
            let expected = "only a path can be reversed: leave reversal out";
            return Err(Error::parameter("the motif", motif.name(), expected));
        }
        let network = Arc::clone(adjacency.network());
        let patches = NetworkPatches::with(adjacency, motif.k());
        let positions = Positions::new(&network, motif, parameters.mode, &targets)?;
        let bits = patches.are_bits().then(|| patches.bit_count());
        let atoms = Atoms::new(dictionary, &positions, parameters.reversal, bits)?;
        let sums = PairSums::new(&network, &positions, parameters.memory, size_of::<T>() == 8)?;
        let (motif, parameters) = (motif.clone(), *parameters);
        let (taken, report) = (0, CodeReport::default());
        Ok(Self { network, motif, parameters, patches, positions, atoms, sums, taken, report })
    }

    /// The network whose patches are reconstructed.
    pub(crate) fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// Sums and counts so far.
    pub fn sums(&self) -> &PairSums {
        &self.sums
    }

    /// The same, when nothing more is to come.
    pub fn into_sums(self) -> PairSums {
        self.sums
    }

    /// Homomorphisms taken.
    pub fn taken(&self) -> u64 {
        self.taken
    }

    /// What coding took.
    pub fn report(&self) -> CodeReport {
        self.report
    }

    /// Takes `samples` more homomorphisms, 64 of each walker in turn, reconstructs their patches and adds them up.
    ///
    /// # Errors
    /// [`Error::Parameter`] when there is no walker, [`Error::Shape`] when one walks on another network or motif, and
    /// [`Error::Io`] of a temporary file, after which the sums are of no use.
    pub fn absorb(&mut self, walkers: &mut [MotifWalker], samples: u64) -> Result<()> {
        if walkers.is_empty() {
            return Err(Error::parameter("the number of walkers", 0, "it must be at least 1"));
        }
        let nodes = self.network.nodes();
        for sampler in walkers.iter().map(MotifWalker::sampler) {
            let found = (sampler.motif().k(), sampler.network().nodes());
            if found != (self.motif.k(), nodes) {
                let of = |(k, nodes)| format!("of {k} nodes in a network of {nodes}");
                let expected = of((self.motif.k(), nodes));
                return Err(Error::shape("a walker's motif", of(found), expected));
            }
        }
        let work = Work {
            patches: &self.patches,
            positions: &self.positions,
            atoms: &self.atoms,
            parameters: self.parameters,
            first: self.taken,
            samples,
        };
        let report = match &mut self.sums.kind {
            Kind::Long(store) => work.run(store, walkers),
            Kind::Short(store) => work.run(store, walkers),
            Kind::Hashed(store) => work.run(store, walkers),
        }?;
        self.taken += samples;
        self.report = add(self.report, report);
        Ok(())
    }

    /// Where it is; sums and counts are written by [`PairSums::write`].
    pub(crate) fn point(&self, walkers: &[MotifWalker]) -> ReconstructionPoint {
        ReconstructionPoint { taken: self.taken, walkers: walkers.iter().map(MotifWalker::point).collect() }
    }

    /// Goes to where a reconstruction with the same dictionary and parameters was, by its point and what [`PairSums::write`] wrote;
    /// `path` is for errors. The rest is then what it would have been without a stop, to the byte: runs that had gone to a file are among what was written.
    ///
    /// # Errors
    /// [`Error::Format`] for sums of another reconstruction or damaged ones, [`Error::Shape`] for another number of
    /// walkers, and those of [`MotifWalker::seek`]. What was there is lost.
    pub(crate) fn seek(
        &mut self,
        point: &ReconstructionPoint,
        walkers: &mut [MotifWalker],
        sums: &mut impl BufRead,
        path: &Path,
    ) -> Result<()> {
        if point.walkers.len() != walkers.len() {
            let (found, expected) = (format!("of {}", point.walkers.len()), format!("{}", walkers.len()));
            return Err(Error::shape("the saved walkers", found, expected));
        }
        // Each walker may be ahead by a part of a block.
        let kept: u64 = point.walkers.iter().map(|walker| walker.kept).sum();
        if kept < point.taken || kept - point.taken > 64 * point.walkers.len() as u64 {
            let problem = format!("was damaged: {} motif samples were taken of {kept} drawn", point.taken);
            return Err(Error::format(path, None, problem));
        }
        self.sums =
            PairSums::new(&self.network, &self.positions, self.parameters.memory, size_of::<T>() == 8)?;
        self.sums.read(sums, path)?;
        for (walker, point) in walkers.iter_mut().zip(&point.walkers) {
            walker.seek(point)?;
        }
        self.taken = point.taken;
        Ok(())
    }
}

/// What is to be done, and with what.
struct Work<'a, T> {
    patches: &'a NetworkPatches,
    positions: &'a Positions,
    atoms: &'a Atoms<T>,
    parameters: ReconstructionSettings,
    /// Homomorphisms before, and to be taken.
    first: u64,
    samples: u64,
}

impl<T: Scalar> Work<'_, T> {
    fn run<S: Store>(&self, store: &mut S, walkers: &mut [MotifWalker]) -> Result<CodeReport> {
        let threads = rayon::current_num_threads();
        let cuts = store.cuts(threads);
        let (k, lambda, tolerance) = (self.positions.k, self.parameters.lambda, self.parameters.tolerance);
        let mut workers: Vec<Worker<T, S::Key>> = (0..threads)
            .map(|_| CorrelatedCoder::new(&self.atoms.gram, lambda, tolerance, ROUNDS))
            .map(|coder| Worker::new(coder, S::parts(&cuts)))
            .collect();
        let most = (threads * CHUNKS * CHUNK) as u64;
        let mut xs = vec![0; most.min(self.samples) as usize * k];
        let mut done = 0;
        while done < self.samples {
            let count = most.min(self.samples - done) as usize;
            let xs = &mut xs[..count * k];
            draw(walkers, self.first + done, k, xs);
            done += count as u64;
            if self.positions.len() == 0 {
                continue;
            }
            let (patches, positions, atoms) = (self.patches, self.positions, self.atoms);
            let shared = Shared { patches, positions, atoms, store: &*store, cuts: &cuts };
            // Which worker has which homomorphisms changes nothing, as they are added in their order.
            let share = count.div_ceil(threads).next_multiple_of(CHUNK);
            let rest = std::iter::repeat(&[][..]);
            let shares: Vec<&[u32]> = xs.chunks(share * k).chain(rest).take(threads).collect();
            workers.par_iter_mut().zip(shares).for_each(|(worker, xs)| worker.work(xs, &shared));
            let parts = store.split(&cuts);
            parts.into_par_iter().enumerate().try_for_each(|(i, mut part)| {
                let mut lists = workers.iter().map(|worker| &worker.lists[i]);
                lists.try_for_each(|list| part.add(list.keys(), list.values()))
            })?;
            store.settle()?;
        }
        Ok(workers.iter().map(|worker| worker.report).fold(CodeReport::default(), add))
    }
}

/// Draws homomorphisms, the first of which is number `first` of all, from the walkers in turn.
fn draw(walkers: &mut [MotifWalker], first: u64, k: usize, xs: &mut [u32]) {
    let mut turns: Vec<Vec<&mut [u32]>> = walkers.iter().map(|_| Vec::new()).collect();
    let (mut left, mut at) = (xs, first);
    while !left.is_empty() {
        let now = (TURN - at % TURN).min((left.len() / k) as u64);
        let (head, rest) = left.split_at_mut(now as usize * k);
        turns[(at / TURN % walkers.len() as u64) as usize].push(head);
        left = rest;
        at += now;
    }
    walkers.par_iter_mut().zip(turns).for_each(|(walker, turns)| {
        turns.into_iter().for_each(|turn| walker.fill(turn));
    });
}

#[cfg(test)]
mod tests;
