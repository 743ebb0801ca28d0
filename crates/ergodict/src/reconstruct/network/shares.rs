//! Shares of a reconstruction: some homomorphisms of one chain, whose sums go to a file that others merge.
//!
//! | symbol | here |
//! |---|---|
//! | chain `c` of `C`, 64 homomorphisms of each in turn | [`share_of`], as [`Reconstructor::absorb`] has it |
//! | block `b` of a chain: a fixed number of homomorphisms from where it is | [`ShareTask`] |
//! | `S`, `C` of the block's pairs | a file of [`SortedSums`] |
//!
//! Files are merged block by block and within a block chain by chain. So sums depend on the seed and on the numbers of homomorphisms, chains and
//! blocks, and on nothing else; counts are those of one reconstruction with as many chains.

use super::{ReconstructionSettings, Reconstructor, SortedSums, Targets};
use crate::chain::SampledNetwork;
use crate::chain::{Motif, MotifPoint, MotifSampler, MotifWalker};
use crate::data::Adjacency;
use crate::factor::FactorSettings;
use crate::linalg::Mat;
use crate::rng::ids;
use crate::run::tasks::frame::{Body, opened, put, sealed};
use crate::{Error, Result};
use crate::{model::Precision, run::arithmetic};
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::Arc;

/// Homomorphisms of one walker before the next has its turn, as in `reconstructor.rs`.
const TURN: u64 = 64;
/// Homomorphisms between two looks at whether to stop.
const BLOCK: u64 = 20_000;
/// Columns compared to check that machines round the same way: those coded together.
const CODED: usize = 128;

const TASK: [u8; 4] = *b"ERSK";
const OUTCOME: [u8; 4] = *b"ERSO";

/// The homomorphisms of one of several chains among the first `samples` of all.
///
/// ```
/// use ergodict::reconstruct::network::share_of;
/// assert_eq!([0, 1, 2].map(|chain| share_of(200, chain, 3)), [72, 64, 64]);
/// ```
pub fn share_of(samples: u64, chain: u64, chains: u64) -> u64 {
    let (turns, rest) = (samples / TURN, samples % TURN);
    let own = turns / chains + u64::from(chain < turns % chains);
    own * TURN + if turns % chains == chain { rest } else { 0 }
}

/// A network with a sampler in it, and the pairs that are wanted: what shares need of the machine that they run on.
///
/// ```
/// use ergodict::chain::{ExactSampler, Motif};
/// use ergodict::{chain::SampledNetwork, reconstruct::network::{SharePlace, Targets}};
/// let karate = std::sync::Arc::new(ergodict::data::embedded("karate")?);
/// let drawn: SampledNetwork = (karate.clone(), std::sync::Arc::new(ExactSampler::new(karate, &Motif::path(3)?)?));
/// let place = std::sync::Arc::new(SharePlace::new(&drawn, Targets::Only(vec![(0, 1)])));
/// assert_eq!(std::sync::Arc::strong_count(&place), 1); // made once, for all tasks of a process
/// # Ok::<(), ergodict::Error>(())
/// ```
pub struct SharePlace {
    sampler: Arc<dyn MotifSampler>,
    adjacency: Adjacency,
    motif: Motif,
    targets: Targets,
}

impl SharePlace {
    /// A place to reconstruct at.
    pub fn new((network, sampler): &SampledNetwork, targets: Targets) -> Self {
        let (sampler, motif) = (Arc::clone(sampler), sampler.motif().clone());
        Self { sampler, adjacency: Adjacency::new(network, Adjacency::BUDGET), motif, targets }
    }
}

/// What is done of a chain at a time. [`ShareTask::to_bytes`] is how it travels.
///
/// ```
/// use ergodict::chain::{ExactSampler, Motif};
/// use ergodict::{chain::SampledNetwork, linalg::Mat};
/// use ergodict::reconstruct::network::{ReconstructionSettings, SharePlace, ShareTask, SortedSums, Targets};
/// let karate = std::sync::Arc::new(ergodict::data::embedded("karate")?);
/// let drawn: SampledNetwork = (karate.clone(), std::sync::Arc::new(ExactSampler::new(karate, &Motif::path(3)?)?));
/// let (w, parameters) = (Mat::from_fn(9, 9, |i, j| f64::from(i == j)), ReconstructionSettings::default());
/// let arithmetic = ShareTask::arithmetic_here(&w, &parameters)?;
/// let (chain, block, seed, burn_in, every, samples) = (0, 0, 0, 0, 1, 500);
/// let task = ShareTask { chain, block, point: None, samples, seed, burn_in, every, parameters, w, arithmetic };
/// let folder = tempfile::tempdir().unwrap();
/// let file = folder.path().join("chain-0");
/// let outcome = task.run(&SharePlace::new(&drawn, Targets::All), &file, &|| false)?;
/// assert!(outcome.point.kept == 500 && outcome.pairs > 0);
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct ShareTask {
    /// The chain's number.
    pub chain: u64,
    /// Blocks of the chain before this one.
    pub block: u64,
    /// Where the chain is; none before its first block.
    pub point: Option<MotifPoint>,
    /// Homomorphisms to take.
    pub samples: u64,
    /// The seed of all chains.
    pub seed: u64,
    /// Steps before the first homomorphism.
    pub burn_in: u64,
    /// Steps from one homomorphism to the next.
    pub every: u64,
    /// How patches are reconstructed.
    pub parameters: ReconstructionSettings,
    /// `W`, d×r.
    pub w: Mat<f64>,
    /// What [`ShareTask::arithmetic_here`] must be where it runs.
    pub arithmetic: String,
}

/// What came of it, besides the file of sums.
///
/// ```
/// use ergodict::{chain::{MotifPoint, diagnostics::Acceptance}, reconstruct::network::ShareOutcome};
/// let point = MotifPoint { kept: 64, word: 0, state: vec![0, 1, 2], acceptance: Acceptance::default() };
/// let outcome = ShareOutcome { chain: 3, block: 0, point, capped: 0, pairs: 70 };
/// assert_eq!(ShareOutcome::from_bytes(&outcome.to_bytes()?)?, outcome); // how it travels
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ShareOutcome {
    /// The chain and the block of the task.
    pub chain: u64,
    /// See above.
    pub block: u64,
    /// Where the chain is now.
    pub point: MotifPoint,
    /// Codes that met the cap on rounds before the tolerance.
    pub capped: u64,
    /// Pairs in the file.
    pub pairs: u64,
}

#[derive(Serialize, Deserialize)]
struct TaskHeader {
    chain: u64,
    block: u64,
    point: Option<MotifPoint>,
    samples: u64,
    seed: u64,
    burn_in: u64,
    every: u64,
    parameters: ReconstructionSettings,
    shape: (usize, usize),
    arithmetic: String,
}

impl ShareTask {
    /// A word that is the same on machines that round alike, see [`arithmetic`].
    ///
    /// # Errors
    /// As [`arithmetic`].
    pub fn arithmetic_here(w: &Mat<f64>, parameters: &ReconstructionSettings) -> Result<String> {
        let scheme = FactorSettings { lambda: parameters.lambda, ..FactorSettings::new(w.cols()) };
        arithmetic::<f32>(&scheme, w.rows(), CODED)
    }

    /// Takes the homomorphisms and writes their sums into `file`, whole or not at all. `stop` is asked on the way.
    ///
    /// # Errors
    /// [`Error::Parameter`] where numbers round otherwise than where the task was made, and for a state that the sampler cannot be at;
    /// [`Error::Interrupted`]; those of [`Reconstructor::with`], [`Reconstructor::absorb`] and [`SortedSums::write`].
    pub fn run(&self, place: &SharePlace, file: &Path, stop: &dyn Fn() -> bool) -> Result<ShareOutcome> {
        let here = Self::arithmetic_here(&self.w, &self.parameters)?;
        if here != self.arithmetic {
            return Err(crate::run::tasks::other_arithmetic(&here, &self.arithmetic));
        }
        let (sampler, id) = (Arc::clone(&place.sampler), ids::REBUILDING + self.chain);
        let walker = match &self.point {
            Some(point) => MotifWalker::resumed(sampler, self.seed, id, self.every, point)?,
            None => MotifWalker::new(sampler, self.seed, id, self.burn_in, self.every)?,
        };
        let mut walker = [walker];
        let (adjacency, targets) = (place.adjacency.clone(), place.targets.clone());
        let mut rebuilt =
            Reconstructor::<f32>::with(&self.w, adjacency, &place.motif, &self.parameters, targets)?;
        while rebuilt.taken() < self.samples {
            if stop() {
                return Err(Error::Interrupted);
            }
            rebuilt.absorb(&mut walker, BLOCK.min(self.samples - rebuilt.taken()))?;
        }
        let pairs = SortedSums::write(file, rebuilt.sums())?.pairs();
        let (point, capped) = (walker[0].point(), rebuilt.report().capped);
        Ok(ShareOutcome { chain: self.chain, block: self.block, point, capped, pairs })
    }

    /// How it travels.
    ///
    /// # Errors
    /// [`Error::Format`] for what no bytes can hold.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let header = TaskHeader {
            chain: self.chain,
            block: self.block,
            point: self.point.clone(),
            samples: self.samples,
            seed: self.seed,
            burn_in: self.burn_in,
            every: self.every,
            parameters: self.parameters,
            shape: (self.w.rows(), self.w.cols()),
            arithmetic: self.arithmetic.clone(),
        };
        sealed(TASK, &header, |bytes| put(bytes, &self.w, Precision::F64))
    }

    /// Reads what [`ShareTask::to_bytes`] wrote.
    ///
    /// # Errors
    /// [`Error::Format`] for bytes that are damaged, or no task, or of another version.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let what = "a share of a reconstruction";
        let (header, body) = opened::<TaskHeader>(TASK, what, bytes)?;
        let mut body = Body { bytes: body, what };
        let w = body.matrix(header.shape, Precision::F64)?;
        body.end()?;
        let TaskHeader { chain, block, point, samples, seed, burn_in, every, parameters, arithmetic, .. } =
            header;
        Ok(Self { chain, block, point, samples, seed, burn_in, every, parameters, w, arithmetic })
    }
}

impl ShareOutcome {
    /// How it travels.
    ///
    /// # Errors
    /// [`Error::Format`] for what no bytes can hold.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        sealed(OUTCOME, self, |_| ())
    }

    /// Reads what [`ShareOutcome::to_bytes`] wrote.
    ///
    /// # Errors
    /// [`Error::Format`] for bytes that are damaged, or no outcome, or of another version.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let what = "the outcome of a share";
        let (found, body) = opened(OUTCOME, what, bytes)?;
        Body { bytes: body, what }.end()?;
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{PairSum, merged_sums};
    use super::*;
    use crate::chain::{SamplerBuilder, SamplerKind};
    use crate::data::embedded;

    #[test]
    fn shares_add_up_in_turns() {
        for (samples, chains) in [(0, 1), (63, 2), (64, 2), (65, 2), (1000, 3), (12_345, 7)] {
            let mut by_turns = vec![0; chains as usize];
            (0..samples).for_each(|at| by_turns[(at / TURN % chains) as usize] += 1);
            let shares: Vec<u64> = (0..chains).map(|chain| share_of(samples, chain, chains)).collect();
            assert_eq!(shares, by_turns, "{samples} of {chains}");
        }
    }

    #[test]
    fn shares_have_the_counts_of_the_whole_and_its_sums_but_for_rounding() {
        let (network, motif) = (Arc::new(embedded("@lesmis").unwrap()), Motif::path(4).unwrap());
        let sampler = SamplerBuilder::default().build(SamplerKind::Pivot, &network, &motif, 0).unwrap();
        let w = Mat::from_fn(16, 3, |i, j| ((i * 7 + j * 5) % 11) as f64 / 11.0);
        let (parameters, samples, chains) = (ReconstructionSettings::default(), 2000, 3);
        let mut whole = Reconstructor::<f32>::new(&w, &network, &motif, &parameters, Targets::All).unwrap();
        let walker = |id| MotifWalker::new(Arc::clone(&sampler), 4, ids::REBUILDING + id, 7, 2).unwrap();
        let mut walkers: Vec<MotifWalker> = (0..chains).map(walker).collect();
        whole.absorb(&mut walkers, samples).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let mut files = Vec::new();
        let mut points = vec![None; chains as usize];
        let drawn = (Arc::clone(&network), sampler);
        for (block, (from, to)) in [(0, 500), (500, 2000)].into_iter().enumerate() {
            for chain in 0..chains {
                let task = ShareTask {
                    chain,
                    block: block as u64,
                    point: points[chain as usize].clone(),
                    samples: share_of(to, chain, chains) - share_of(from, chain, chains),
                    seed: 4,
                    burn_in: 7,
                    every: 2,
                    parameters,
                    w: w.clone(),
                    arithmetic: ShareTask::arithmetic_here(&w, &parameters).unwrap(),
                };
                let task = ShareTask::from_bytes(&task.to_bytes().unwrap()).unwrap();
                let file = folder.path().join(format!("{chain}-{block}"));
                let place = SharePlace::new(&drawn, Targets::All);
                let outcome = task.run(&place, &file, &|| false).unwrap();
                let bytes = outcome.to_bytes().unwrap();
                let outcome = ShareOutcome::from_bytes(&bytes).unwrap();
                // Whoever does it again writes the same.
                let before = std::fs::read(&file).unwrap();
                assert_eq!(task.run(&place, &file, &|| false).unwrap(), outcome);
                assert_eq!(std::fs::read(&file).unwrap(), before);
                assert!(
                    ShareOutcome::from_bytes(&bytes[1..]).is_err() && ShareTask::from_bytes(&bytes).is_err()
                );
                points[chain as usize] = Some(outcome.point);
                files.push(SortedSums::open(&file).unwrap());
                let other = ShareTask { arithmetic: "sparc".into(), ..task };
                assert!(other.run(&place, &file, &|| false).unwrap_err().to_string().contains("sparc"));
            }
        }
        let merged: Vec<PairSum> =
            merged_sums(&files, 0..network.nodes() as u32).unwrap().collect::<Result<_>>().unwrap();
        let expected: Vec<PairSum> = whole.sums().iter().collect();
        assert_eq!(merged.len(), expected.len());
        for (found, expected) in merged.iter().zip(&expected) {
            assert_eq!((found.u, found.v, found.count), (expected.u, expected.v, expected.count));
            assert!((found.sum - expected.sum).abs() < 1e-4 * expected.sum.abs().max(1.0));
        }
    }
}
