//! Latent-motif codes of pairs: what atoms the surroundings of a pair are made of.
//!
//! | symbol | here | where |
//! |---|---|---|
//! | mean patch of a pair | `stars.rs` | docs/denoising.md, "h" |
//! | `W`, `k²×r` | [`MotifCodes::dictionary`] | learned online from training pairs, docs/maths.md, Patches |
//! | `h` | a column of [`MotifCodes::codes`] | one code of the mean patch, not the mean of codes |
//! | `log1p(20 h)` | a column of [`MotifCodes::features`] | what a head gets |
//!
//! A mean patch is symmetric. So it is kept as its numbers above the diagonal times `√2`, which gives all inner products, and with
//! them the same codes and atoms, as all `k²` numbers would.

use super::progress::{Progress, Stage};
use super::stars::{Stars, mixed};
use crate::data::{Adjacency, Network};
use crate::factor::FactorSettings;
use crate::factor::code::{Coder, Penalty};
use crate::linalg::Mat;
use crate::rng::{ChaCha8Rng, Purpose, ids, stream};
use crate::run::{Form, Run, RunPlan};
use crate::{Error, Result};
use rand_chacha::rand_core::Rng;
use rayon::prelude::*;
use std::f64::consts::SQRT_2;
use std::sync::Arc;

/// Pairs that are coded together, which bounds the memory in addition to the codes.
const BLOCK: usize = 1 << 13;

/// Most bytes of a bit matrix. Leaves are all over the network, and hashed rows stay in the cache where a matrix does not: 4.8 s instead
/// of 8.2 s of one core for the codes of 534,000 pairs of ppi_pathways (58 MB of bits), 3.0 s instead of 5.1 s for 321,000 of arxiv.
const BITS: usize = 4 << 20;

/// Pairs of one task.
const TASK: usize = 64;

/// What a code is multiplied by before the logarithm (docs/denoising.md).
const STRETCH: f64 = 20.0;

/// How pairs are coded.
///
/// ```
/// use ergodict::denoise::MotifCodesParameters;
/// let parameters = MotifCodesParameters { leaves: 3, ..Default::default() };
/// assert_eq!((parameters.atoms, 2 + 2 * parameters.leaves), (25, 8)); // atoms of 8×8 entries
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct MotifCodesParameters {
    /// Double stars of a pair, `M`. Default 20.
    pub patches: usize,
    /// Leaves at each end of one, so that `k = 2 + 2·leaves`. Default 4.
    pub leaves: usize,
    /// Atoms `r`. Default 25.
    pub atoms: usize,
    /// Weight `λ ≥ 0` of `‖h‖₁`.
    pub lambda: f64,
    /// Steps in which the atoms are learned. Default 100.
    pub steps: usize,
    /// Pairs of a step. Default 256.
    pub batch: usize,
}

impl Default for MotifCodesParameters {
    fn default() -> Self {
        Self { patches: 20, leaves: 4, atoms: 25, lambda: 0.1, steps: 100, batch: 256 }
    }
}

/// Atoms of the surroundings of pairs, and how pairs are coded with them.
///
/// The surroundings of a pair are double stars of `k` nodes; `h = argmin_{h ≥ 0} ‖X̄ − Wh‖² + λ‖h‖₁` of their mean patch `X̄` is the code of the pair.
#[derive(Clone, Debug)]
pub(crate) struct MotifCodes {
    stars: Stars,
    lambda: f64,
    origin: ChaCha8Rng,
    /// `W`, folded: a row for each pair of places, times √2.
    w: Mat<f64>,
}

impl MotifCodes {
    /// Learns atoms from pairs, whether they have an edge or not. A pair has the same double stars wherever it stands among the
    /// pairs; `split` distinguishes runs with the same seed.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a network that is not simple, pairs that are none of its nodes or of one node, no pairs, and
    /// parameters out of range.
    pub(crate) fn learn(
        network: &Arc<Network>,
        pairs: &[(u32, u32)],
        parameters: &MotifCodesParameters,
        seed: u64,
        split: u64,
    ) -> Result<Self> {
        let &MotifCodesParameters { patches, leaves, atoms, lambda, steps, batch } = parameters;
        let stars = Stars::new(patches, leaves)?;
        let at_least_one = |name, value: usize| match value {
            0 => Err(Error::parameter(name, value, "it must be at least 1")),
            _ => Ok(()),
        };
        at_least_one("the number of steps", steps)?;
        at_least_one("the number of pairs of a step", batch)?;
        at_least_one("the number of pairs to learn from", pairs.len())?;
        check(network, pairs)?;

        let origin = stream(seed, Purpose::Denoise, ids::STARS + split);
        let mut rng = origin.clone();
        // In the order of numbers mixed from the pairs themselves, so that theirs does not matter.
        let salt = rng.next_u64();
        let mut order: Vec<(u64, (u32, u32))> = pairs
            .iter()
            .map(|&(u, v)| (u.min(v), u.max(v)))
            .map(|pair| (mixed(u64::from(pair.0) << 32 | u64::from(pair.1)) ^ salt, pair))
            .collect();
        order.par_sort_unstable();
        order.truncate(steps.saturating_mul(batch));

        let parameters = FactorSettings { lambda, ..FactorSettings::new(atoms) };
        parameters.check(stars.features())?;
        let adjacency = Adjacency::new(network, BITS);
        let mut this = Self { stars, lambda, origin, w: Mat::zeros(0, 0) };
        let (mut x, mut now) = (Mat::zeros(0, 0), Vec::with_capacity(batch));
        let mut next = order.iter().map(|&(_, pair)| pair).cycle();
        let form = Form::Samples { features: this.stars.features(), names: None };
        let plan = RunPlan::new("denoise", parameters, rng.next_u64());
        let mut run = Run::pushed(plan, form, None)?;
        for _ in 0..steps {
            now.clear();
            now.extend(next.by_ref().take(batch.min(order.len())));
            this.write(&adjacency, &now, &mut x);
            run.push((&x).into(), None)?;
        }
        if let Ok(learned) = run.trainer().learned() {
            this.w = learned.dictionary().clone();
        }
        Ok(this)
    }

    /// Nodes of a double star, `k`.
    #[cfg(test)]
    pub(crate) fn k(&self) -> usize {
        self.stars.k()
    }

    /// The atoms, `k²×r`, each a symmetric patch row by row: the ends of the pair, then the leaves of the end with more neighbors,
    /// then those of the other. What is the same in all patches is 0: the pair itself, and the ends with their own leaves.
    #[cfg(test)]
    pub(crate) fn dictionary(&self) -> Mat<f64> {
        let (k, mut atoms) = (self.k(), Mat::zeros(self.k() * self.k(), self.w.cols()));
        for j in 0..self.w.cols() {
            let atom = atoms.col_mut(j);
            for ((a, b), w) in self.stars.entries().zip(self.w.col(j)) {
                let value = w * std::f64::consts::FRAC_1_SQRT_2;
                (atom[a * k + b], atom[b * k + a]) = (value, value);
            }
        }
        atoms
    }

    /// The codes `h` of pairs in a network, which may be another than the one learned from: `r` numbers for each pair. They do not
    /// depend on whether the pair has an edge.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a network that is not simple, and pairs that are none of its nodes or of one node; [`Error::Interrupted`].
    pub(crate) fn codes(
        &self,
        network: &Arc<Network>,
        pairs: &[(u32, u32)],
        progress: &mut Progress<'_>,
    ) -> Result<Mat<f64>> {
        check(network, pairs)?;
        let adjacency = Adjacency::new(network, BITS);
        let mut coder = Coder::new(
            Penalty { lambda: self.lambda, kappa2: 0.0 },
            crate::factor::code::CodeSet::Nonnegative,
        );
        coder.set_dictionary(&self.w);
        let mut all = Mat::zeros(self.w.cols(), pairs.len());
        let (mut x, mut h, mut costs) = (Mat::zeros(0, 0), Mat::zeros(0, 0), Vec::new());
        let count = pairs.len();
        for (block, pairs) in pairs.chunks(BLOCK).enumerate() {
            progress.at(Stage::Features, (block * BLOCK) as f64 / count as f64)?;
            self.write(&adjacency, pairs, &mut x);
            coder.code((&x).into(), &self.w, &mut h, false, &mut costs)?;
            for j in 0..pairs.len() {
                all.col_mut(block * BLOCK + j).copy_from_slice(h.col(j));
            }
        }
        Ok(all)
    }

    /// `log1p(20 h)` of the codes: what a head gets.
    ///
    /// # Errors
    /// As [`MotifCodes::codes`].
    pub(crate) fn features(
        &self,
        network: &Arc<Network>,
        pairs: &[(u32, u32)],
        progress: &mut Progress<'_>,
    ) -> Result<Mat<f64>> {
        let mut codes = self.codes(network, pairs, progress)?;
        codes.padded_mut().par_iter_mut().for_each(|h| *h = (STRETCH * *h).ln_1p());
        Ok(codes)
    }

    /// Writes the mean patches of pairs, folded.
    fn write(&self, adjacency: &Adjacency, pairs: &[(u32, u32)], x: &mut Mat<f64>) {
        x.shape_to(self.stars.features(), pairs.len());
        let stride = x.stride();
        x.padded_mut().par_chunks_mut(TASK * stride).zip(pairs.par_chunks(TASK)).for_each_init(
            || self.stars.workspace(self.origin.clone()),
            |workspace, (columns, pairs)| {
                for (column, &pair) in columns.chunks_exact_mut(stride).zip(pairs) {
                    self.stars.mean(adjacency, pair, SQRT_2, workspace, column);
                }
            },
        );
    }
}

/// Checks that pairs are of different nodes of a simple network.
pub(super) fn check(network: &Network, pairs: &[(u32, u32)]) -> Result<()> {
    if !network.is_simple() {
        let found = if network.is_directed() {
            "directed"
        } else if network.is_weighted() {
            "weighted"
        } else {
            "one with loops"
        };
        return Err(Error::parameter(
            "the network",
            found,
            "pairs are scored in simple networks: undirected, without weights and loops",
        ));
    }
    let n = network.nodes();
    match pairs.iter().find(|&&(u, v)| u == v || u.max(v) as usize >= n) {
        None => Ok(()),
        Some((u, v)) => Err(Error::parameter(
            "a pair",
            format!("({u}, {v})"),
            format!("it must be two different nodes below {n}"),
        )),
    }
}

#[cfg(test)]
mod tests;
