//! How well a dictionary explains a network, on fresh patches of it, and the change score made of that.
//!
//! | symbol | here |
//! |---|---|
//! | `P_i`: fresh homomorphisms `x_1 … x_n` of window `i`, from a stream of their own | [`draw`] |
//! | `E(W, i) = Σ ‖X_j − WH_j‖² / Σ ‖X_j‖²` over `P_i`, with codes as in learning | [`PatchFit::error`] |
//! | its standard error, from the sums of twenty batches in a row | `standard_error` |
//! | `√Σ_j H_kj²`, of sum 1 over atoms: the window's own dominance | [`PatchFit::dominance`] |
//! | `c_i = log₂ E(W_{i−1}, i)/E(W_i, i) − log₂ E(W_{i−1}, i−1)/E(W_i, i−1)` | [`score`] |
//!
//! The first part of a score is how much worse the old dictionary explains the new window than the one that has learned from it, the second the same on the window before.
//! A window that is hard or easy to explain is so for both dictionaries, and a dictionary that still gets better does so on both windows: both cancel, so that the
//! score rests at 0 while the network stays what it was. (The ratio of the errors of one dictionary on both windows does not: dense patches have small relative errors under any
//! dictionary, and a switch from a ring lattice to cliques made it fall.) No patch of `P_i` is learned from, and no chain of learning is touched by them. Both errors of a
//! ratio are on the same patches, so that most of the scatter cancels too.

use super::ValueWithError;
use crate::Result;
use crate::chain::MotifWalker;
use crate::chain::SampledNetwork;
use crate::factor::Factorizer;
use crate::linalg::{Mat, Scalar};
use crate::patch::{BatchPlan, NetworkPatches};
use std::sync::Arc;

/// Batches that a standard error is from: enough for an error of the error of a sixth, few enough for batches longer than the memory of most chains.
const BATCHES: usize = 20;

/// What a dictionary makes of fresh patches.
pub(crate) struct PatchFit {
    /// Squared errors, batch by batch.
    pub(crate) off: Vec<f64>,
    /// Squared norms of the patches, batch by batch.
    pub(crate) norms: Vec<f64>,
    /// `E(W, i)`.
    pub(crate) error: ValueWithError,
    /// Shares of the atoms.
    pub(crate) dominance: Vec<f64>,
}

/// Fresh patches of a chain with stream `id`, at least one for each batch.
pub(crate) fn draw(
    (network, sampler): &SampledNetwork,
    patches: usize,
    watching: BatchPlan,
    seed: u64,
    id: u64,
) -> Result<Mat<f64>> {
    let k = sampler.motif().k();
    let count = patches.div_ceil(BATCHES).max(1) * BATCHES;
    // A chain that restarts forgets its start over a tenth of what is kept, unless more is asked for.
    let rest = if sampler.is_independent() { 0 } else { (count as u64 / 10).saturating_mul(watching.every) };
    let mut walker =
        MotifWalker::new(Arc::clone(sampler), seed, id, watching.burn_in.max(rest), watching.every)?;
    let (mut xs, mut x) = (vec![0; k * count], Mat::zeros(0, 0));
    walker.fill(&mut xs);
    NetworkPatches::new(network, k, 0).write_all(&xs, &mut x);
    Ok(x)
}

/// Codes fresh patches with the dictionary as it is, which is not changed.
pub(crate) fn seen<T: Scalar>(factorizer: &mut Factorizer<T>, patches: &Mat<f64>) -> Result<PatchFit> {
    let size = patches.cols() / BATCHES;
    let mut rebuilt = Mat::zeros(0, 0);
    let mut squares = vec![0.0; factorizer.dictionary().cols()];
    let (mut off, mut norms) = (vec![0.0; BATCHES], vec![0.0; BATCHES]);
    for batch in 0..BATCHES {
        let x: Mat<T> =
            Mat::from_fn(patches.rows(), size, |i, j| T::from_f64(patches.get(i, batch * size + j)));
        factorizer.transform(&x)?;
        factorizer.reconstruct(&mut rebuilt);
        for j in 0..size {
            for (x, y) in x.col(j).iter().zip(rebuilt.col(j)) {
                let (x, y) = (x.to_f64(), y.to_f64());
                off[batch] += (x - y) * (x - y);
                norms[batch] += x * x;
            }
            for (square, h) in squares.iter_mut().zip(factorizer.code().col(j)) {
                *square += h.to_f64() * h.to_f64();
            }
        }
    }
    let roots: Vec<f64> = squares.iter().map(|square| square.sqrt()).collect();
    let all: f64 = roots.iter().sum();
    let dominance = roots.iter().map(|root| if all > 0.0 { root / all } else { 0.0 }).collect();
    let error = ratio(&off, &norms);
    Ok(PatchFit { off, norms, error, dominance })
}

impl PatchFit {
    /// The same of any explanation, which writes what it makes of a patch.
    pub(crate) fn from_columns(patches: &Mat<f64>, explain: impl Fn(&[f64], &mut [f64])) -> Self {
        let size = patches.cols() / BATCHES;
        let (mut off, mut norms) = (vec![0.0; BATCHES], vec![0.0; BATCHES]);
        let mut rebuilt = vec![0.0; patches.rows()];
        for j in 0..BATCHES * size {
            let x = patches.col(j);
            explain(x, &mut rebuilt);
            off[j / size] += x.iter().zip(&rebuilt).map(|(x, y)| (x - y) * (x - y)).sum::<f64>();
            norms[j / size] += x.iter().map(|x| x * x).sum::<f64>();
        }
        let error = ratio(&off, &norms);
        Self { off, norms, error, dominance: Vec::new() }
    }
}

/// The standard error of the logarithm of a ratio of two sums over the same batches, and that ratio.
fn compared(above: &[f64], below: &[f64]) -> (f64, f64) {
    let (all, other): (f64, f64) = (above.iter().sum(), below.iter().sum());
    let n = above.len() as f64;
    let squares: f64 = above.iter().zip(below).map(|(a, b)| (a / all - b / other).powi(2)).sum();
    (all / other, (squares * n / (n - 1.0)).sqrt())
}

/// The ratio of two sums, with its standard error.
fn ratio(off: &[f64], norms: &[f64]) -> ValueWithError {
    let all: f64 = off.iter().sum();
    if all == 0.0 {
        return ValueWithError { value: 0.0, standard_error: 0.0 };
    }
    let (value, relative) = compared(off, norms);
    ValueWithError { value, standard_error: value * relative }
}

/// The change score from squared errors, batch by batch: those of the old dictionary and of the new on the new window, and on the window before. None where an error is 0.
pub(crate) fn score(now: (&[f64], &[f64]), before: (&[f64], &[f64])) -> Option<ValueWithError> {
    let ((new, new_error), (old, old_error)) = (compared(now.0, now.1), compared(before.0, before.1));
    let value = new.log2() - old.log2();
    let standard_error = new_error.hypot(old_error) / std::f64::consts::LN_2;
    (value.is_finite() && standard_error.is_finite()).then_some(ValueWithError { value, standard_error })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_of_sums_and_its_error() {
        let exact = ratio(&[1.0, 3.0, 0.5], &[2.0, 6.0, 1.0]);
        assert_eq!((exact.value, exact.standard_error), (0.5, 0.0));
        // The mean of 1 and 3 with its usual standard error, √(2/2).
        let off = ratio(&[1.0, 3.0], &[1.0, 1.0]);
        assert_eq!((off.value, off.standard_error), (2.0, 1.0));
    }

    #[test]
    fn a_score_is_in_powers_of_two_and_is_zero_while_all_windows_improve_equally() {
        let (rough, fine): (Vec<f64>, Vec<f64>) =
            ((1..=4).map(f64::from).collect(), (1..=4).map(|x| f64::from(x) / 2.0).collect());
        let gained = score((&rough, &fine), (&rough, &rough)).unwrap();
        assert_eq!((gained.value, gained.standard_error), (1.0, 0.0));
        // A new dictionary that is twice as good on both windows has not seen a change.
        assert_eq!(score((&rough, &fine), (&rough, &fine)).unwrap().value, 0.0);
        assert_eq!(score((&rough, &fine), (&fine, &rough)).unwrap().value, 2.0);
        let scattered = score((&[1.0, 3.0], &[1.0, 1.0]), (&rough, &rough)).unwrap();
        assert!((scattered.standard_error - 0.5 / std::f64::consts::LN_2).abs() < 1e-12);
        assert_eq!(score((&[0.0; 2], &[1.0; 2]), (&rough, &rough)), None);
    }
}
