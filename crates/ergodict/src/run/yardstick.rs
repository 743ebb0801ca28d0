//! How much of fresh walks a dictionary explains, next to simpler explanations of the same walks.
//!
//! | symbol | here |
//! |---|---|
//! | `X`, patches of walks that nothing was learned from | `fresh` |
//! | `1 − ‖X − WH‖²/‖X‖²`, codes as in learning | [`Explained::atoms`] |
//! | the same for one atom, the mean of other walks | [`Explained::mean_patch`] |
//! | the same for atoms learned in the same way from networks with the same degrees, rewired at random | [`Explained::rewired`] |
//! | the difference of atoms and rewired atoms, on the same walks | [`Explained::beyond_degrees`] |
//!
//! Standard errors are from twenty batches of walks; those of rewired networks also have the scatter between copies.

use super::{NetworkLearning, Stop};
use crate::chain::{SampledNetwork, SamplerKind, SamplingSettings, Use};
use crate::data::{DEFAULT_PROPOSALS, rewired_until};
use crate::factor::Factorizer;
use crate::linalg::{Mat, Scalar};
use crate::model::change::{Seen, draw, seen};
use crate::model::{Explained, ValueWithError};
use crate::rng::{Purpose, derived, ids};
use crate::{Error, Result};

/// Walks that are explained, and as many whose mean is the mean patch.
const WALKS: usize = 2000;
/// Rewired copies by default.
const COPIES: usize = 3;
/// Networks with more edges than this have no rewired copies by default: three would take seconds, and more memory than learning does.
const MOST_EDGES: u64 = 500_000;
/// Bytes that a rewired copy takes for each edge; 49 were seen with a million edges.
const BYTES: u64 = 64;

/// How learned networks are compared with rewired copies of themselves.
///
/// ```
/// use ergodict::run::Yardstick;
/// assert_eq!(Yardstick::default().copies, None); // three, and none of very large networks
/// ```
#[derive(Clone, Debug, Default)]
pub struct Yardstick {
    /// Rewired copies; none: three, and none of networks with more than half a million edges, or that do not fit into the memory that was set.
    pub copies: Option<usize>,
    /// How walks are drawn.
    pub sampling: SamplingSettings,
}

impl Yardstick {
    /// What a dictionary that was learned from these networks explains of each.
    ///
    /// # Errors
    /// [`Error::Interrupted`]; those of sampling and learning, except that copies without room for the motif are left out.
    pub(super) fn measure<T: Scalar>(
        &self,
        own: &mut Factorizer<T>,
        networks: &[SampledNetwork],
        learning: &NetworkLearning,
        kind: SamplerKind,
        seed: u64,
        stop: &Stop,
    ) -> Result<Vec<Explained>> {
        let lambda = learning.parameters.lambda;
        let mut fresh = Vec::with_capacity(networks.len());
        for (at, network) in (0..).zip(networks) {
            let patches =
                |id: u64| draw(network, WALKS, learning.watching, seed, ids::YARDSTICK + 2 * at + id);
            let (patches, others) = (patches(0)?, patches(1)?);
            let mean = explain_by(&mean_patch(&others), lambda, &patches);
            fresh.push((seen(own, &patches)?, mean, patches));
        }
        let edges: u64 = networks.iter().map(|(network, _)| network.edges()).sum();
        let room = self.sampling.memory().map_or(MOST_EDGES, |bytes| MOST_EDGES.min(bytes as u64 / BYTES));
        let copies = self.copies.unwrap_or(if edges > room { 0 } else { COPIES });
        // For each copy, what its atoms leave of each network.
        let mut rewired: Vec<Vec<Seen>> = Vec::with_capacity(copies);
        for copy in 0..copies as u64 {
            let copy_seed = derived(seed, Purpose::Chain, ids::YARDSTICK + (1 << 20) + copy);
            match self.learn_rewired::<T>(networks, learning, kind, copy_seed, stop) {
                Ok(mut atoms) => {
                    let seen = |(_, _, patches): &(_, _, Mat<f64>)| seen(&mut atoms, patches);
                    rewired.push(fresh.iter().map(seen).collect::<Result<_>>()?);
                }
                // A rewired network may have no triangle, say, or not fit into memory: what was learned is not lost for it.
                Err(Error::Parameter { .. } | Error::Memory { .. }) => break,
                Err(error) => return Err(error),
            }
        }
        let explained = |(at, (own, mean, _)): (usize, &(Seen, Seen, Mat<f64>))| {
            let copies: Vec<&Seen> = rewired.iter().map(|copy| &copy[at]).collect();
            Explained {
                atoms: share(own.error),
                mean_patch: share(mean.error),
                rewired: over_copies(&copies, |copy| share(copy.error)),
                beyond_degrees: gain_over(&copies, own),
                copies: copies.len(),
            }
        };
        Ok(fresh.iter().enumerate().map(explained).collect())
    }

    /// A dictionary learned in the same way from rewired copies of the networks.
    fn learn_rewired<T: Scalar>(
        &self,
        networks: &[SampledNetwork],
        learning: &NetworkLearning,
        kind: SamplerKind,
        seed: u64,
        stop: &Stop,
    ) -> Result<Factorizer<T>> {
        let settings = SamplingSettings { sampler: Some(kind), ..self.sampling.clone() };
        let mut copies = Vec::with_capacity(networks.len());
        for (network, sampler) in networks {
            let copy = rewired_until(network, DEFAULT_PROPOSALS, seed, &|| stop.is_asked())?;
            let chosen = settings.choose(Use::Learn, copy, sampler.motif(), seed)?;
            copies.push((chosen.network, chosen.sampler));
        }
        let mut run = learning.run(&copies, seed)?;
        for step in 1..=learning.steps {
            run.run(Some(step), &Stop::default())?;
            if stop.is_asked() {
                return Err(Error::Interrupted);
            }
        }
        run.into_dictionary()
    }
}

/// The mean of all columns, up to a factor.
fn mean_patch(x: &Mat<f64>) -> Vec<f64> {
    let mut mean = vec![0.0; x.rows()];
    for j in 0..x.cols() {
        mean.iter_mut().zip(x.col(j)).for_each(|(mean, x)| *mean += x);
    }
    mean
}

/// What a single atom leaves of patches: `h = max(0, (⟨w,x⟩ − λ/2)/‖w‖²)` for the atom scaled to norm 1.
fn explain_by(atom: &[f64], lambda: f64, patches: &Mat<f64>) -> Seen {
    let norm = atom.iter().map(|w| w * w).sum::<f64>().sqrt();
    let atom: Vec<f64> = atom.iter().map(|w| if norm > 0.0 { w / norm } else { 0.0 }).collect();
    Seen::from_columns(patches, |x, rebuilt| {
        let product: f64 = atom.iter().zip(x).map(|(w, x)| w * x).sum();
        let h = (product - lambda / 2.0).max(0.0);
        rebuilt.iter_mut().zip(&atom).for_each(|(y, w)| *y = h * w);
    })
}

fn share(error: ValueWithError) -> ValueWithError {
    ValueWithError { value: 1.0 - error.value, ..error }
}

/// By how much one error is above another on the same patches.
fn difference(one: &Seen, other: &Seen) -> ValueWithError {
    let all: f64 = one.norms.iter().sum();
    if all == 0.0 {
        return ValueWithError { value: 0.0, standard_error: 0.0 };
    }
    let differences: Vec<f64> = one.off.iter().zip(&other.off).map(|(a, b)| a - b).collect();
    let value = differences.iter().sum::<f64>() / all;
    let n = differences.len() as f64;
    let residuals = differences.iter().zip(&one.norms).map(|(d, norm)| (d - value * norm).powi(2));
    ValueWithError { value, standard_error: (residuals.sum::<f64>() * n / (n - 1.0)).sqrt() / all }
}

/// By how much atoms explain more than those of copies. That network and copies do not differ is judged by the scatter of one more
/// dictionary like those of the copies: the own one scatters as well, so that the variance is `s²(1 + 1/n)`. None for fewer than two copies.
fn gain_over(copies: &[&Seen], own: &Seen) -> Option<ValueWithError> {
    let n = copies.len() as f64;
    let gain = over_copies(copies, |copy| difference(copy, own)).filter(|_| copies.len() > 1)?;
    let walks = difference(copies[0], own).standard_error;
    let scatter = (gain.standard_error.powi(2) - walks.powi(2)).max(0.0).sqrt();
    Some(ValueWithError { standard_error: walks.hypot(scatter * (n + 1.0).sqrt()), ..gain })
}

/// The mean over copies, with the error of one of them and the scatter between them.
fn over_copies(copies: &[&Seen], of: impl Fn(&Seen) -> ValueWithError) -> Option<ValueWithError> {
    let values: Vec<ValueWithError> = copies.iter().map(|copy| of(copy)).collect();
    let first = values.first()?;
    let n = values.len() as f64;
    let mean = values.iter().map(|one| one.value).sum::<f64>() / n;
    let squares: f64 = values.iter().map(|one| (one.value - mean).powi(2)).sum();
    let scatter = if n > 1.0 { (squares / (n - 1.0) / n).sqrt() } else { 0.0 };
    // All copies are measured on the same walks, whose chance they share.
    Some(ValueWithError { value: mean, standard_error: first.standard_error.hypot(scatter) })
}
