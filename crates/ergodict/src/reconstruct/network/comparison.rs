//! Networks rebuilt by each other's atoms: a dictionary of each, and how well it rebuilds every one.

use super::{Accuracy, Mode, NetworkReconstruction, Reconstructor, Targets};
use crate::chain::MotifWalker;
use crate::chain::rng::ids;
use crate::data::Adjacency;
use crate::dictionary::{Drawn, NetworkLearning};
use crate::factor::Factoriser;
use crate::linalg::{Mat, Scalar};
use crate::patch::NetworkStream;
use crate::{Error, Result};
use std::sync::Arc;

/// Homomorphisms between two looks at whether to stop.
const BLOCK: u64 = 20_000;

/// How networks are compared.
///
/// ```
/// use ergodict::{chain::{ExactSampler, Motif}, data::embedded, dictionary::{Drawn, NetworkLearning}};
/// use ergodict::reconstruct::network::{Comparison, Mode};
/// let karate = std::sync::Arc::new(embedded("karate")?);
/// let drawn: Drawn = (karate.clone(), std::sync::Arc::new(ExactSampler::new(karate, &Motif::chain(5)?)?));
/// let learning = NetworkLearning { steps: 10, ..NetworkLearning::new(9) };
/// let comparison = Comparison { learning, samples: 2000, mode: Mode::OffChain, threshold: 0.5 };
/// let dictionary = comparison.dictionary::<f64>(&drawn, 0, |_, _| true)?;
/// assert!(comparison.accuracy(&dictionary, &drawn, 0, |_| true)?.auc.is_some_and(|auc| auc > 0.5));
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Comparison {
    /// How each dictionary is learned; chains of reconstructions are watched alike.
    pub learning: NetworkLearning,
    /// Homomorphisms of each reconstruction.
    pub samples: u64,
    /// Which entries of patches count.
    pub mode: Mode,
    /// Pairs of a larger weight are called edges.
    pub threshold: f64,
}

impl Comparison {
    /// The dictionary of a network. `told` hears of every step and says whether to go on.
    ///
    /// # Errors
    /// Those of [`NetworkLearning::learn`], and [`Error::Interrupted`].
    pub fn dictionary<T: Scalar>(
        &self,
        drawn: &Drawn,
        seed: u64,
        mut told: impl FnMut(u64, &Factoriser<T>) -> bool,
    ) -> Result<Mat<f64>> {
        let learning = &self.learning;
        let mut stream = NetworkStream::new(std::slice::from_ref(drawn), learning.watching, seed)?;
        let features = stream.k() * stream.k();
        let mut factoriser = Factoriser::<T>::random(learning.parameters.clone(), features, seed)?;
        let mut x = Mat::zeros(0, 0);
        for step in 0..learning.steps {
            stream.fill(&mut x);
            factoriser.step(&x)?;
            if !told(step + 1, &factoriser) {
                return Err(Error::Interrupted);
            }
        }
        Ok(factoriser.dictionary().cast())
    }

    /// How well a dictionary rebuilds a network. `told` hears how many homomorphisms were taken and says whether to go on.
    ///
    /// # Errors
    /// Those of [`Reconstructor::new`] and [`Reconstructor::absorb`], and [`Error::Interrupted`].
    pub fn accuracy(
        &self,
        dictionary: &Mat<f64>,
        (network, sampler): &Drawn,
        seed: u64,
        mut told: impl FnMut(u64) -> bool,
    ) -> Result<Accuracy> {
        let watching = &self.learning.watching;
        let walker = |id: u64| {
            let id = ids::REBUILDING + id;
            MotifWalker::new(Arc::clone(sampler), seed, id, watching.burn_in, watching.every)
        };
        let mut walkers = (0..watching.chains as u64).map(walker).collect::<Result<Vec<_>>>()?;
        let parameters = NetworkReconstruction { mode: self.mode, ..NetworkReconstruction::default() };
        let motif = sampler.motif();
        let adjacency = Adjacency::of_bytes(network, watching.memory);
        let mut rebuilt =
            Reconstructor::<f32>::with(dictionary, adjacency, motif, &parameters, Targets::All)?;
        while rebuilt.taken() < self.samples {
            rebuilt.absorb(&mut walkers, BLOCK.min(self.samples - rebuilt.taken()))?;
            if !told(rebuilt.taken()) {
                return Err(Error::Interrupted);
            }
        }
        Accuracy::of(rebuilt.sums(), network, self.threshold, 0.0)
    }
}

/// How much worse two networks are rebuilt by each other's atoms than by their own, on average; 0 where they are not worse. `accuracy` has a row for each
/// dictionary and a column for each network that is rebuilt.
///
/// For accuracies `a_ij` of network j by the atoms of network i: `max(0, ((a_ii − a_ji) + (a_jj − a_ij))/2)`.
///
/// ```
/// use ergodict::reconstruct::network::distances;
/// let far = distances(&[0.9, 0.6, 0.5, 0.8], 2);
/// assert!((far[1] - ((0.9 - 0.5) + (0.8 - 0.6)) / 2.0).abs() < 1e-12 && far[0] == 0.0);
/// ```
pub fn distances(accuracy: &[f64], n: usize) -> Vec<f64> {
    let at = |row: usize, column: usize| accuracy[row * n + column];
    let distance = |i: usize, j: usize| {
        let distance = (at(i, i) + at(j, j) - (at(i, j) + at(j, i))) / 2.0;
        if i == j { 0.0 } else { distance.max(0.0) }
    };
    (0..n * n).map(|at| distance(at / n, at % n)).collect()
}
