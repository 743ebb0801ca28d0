//! How well a dictionary explains a network, on fresh patches of it, and the change score made of that.
//!
//! | symbol | here |
//! |---|---|
//! | fresh homomorphisms `x_1 … x_n` of window `i`, from a stream of their own | `patches` |
//! | `E(W, i) = Σ ‖X_j − WH_j‖² / Σ ‖X_j‖²`, with codes as in learning | [`Seen::error`] |
//! | its standard error, from the means of twenty batches in a row | `standard_error` |
//! | `√Σ_j H_kj²`, of sum 1 over atoms: the window's own dominance | [`Seen::dominance`] |
//! | `c_i = log₂ E(W_{i−1}, i) / E(W_{i−1}, i−1)` | [`score`] |
//!
//! Both errors of a score are of one dictionary, on patches that it was not learned from. So it rests at 0 while the network stays what it was, however far
//! learning is, and is 1 where the old dictionary explains the new window half as well as the one before. Below 0 the new window is simpler to it.
//! The patches of a window are the same before and after it is learned from, and no chain of learning is touched by them.

use super::{Drawn, Measured};
use crate::Result;
use crate::chain::MotifWalker;
use crate::chain::rng::ids;
use crate::factor::Factoriser;
use crate::linalg::{Mat, Scalar};
use crate::patch::{NetworkPatches, Watching};
use std::sync::Arc;

/// Batches that a standard error is from: enough for an error of the error of a sixth, few enough for batches longer than the memory of most chains.
const BATCHES: usize = 20;

/// Patches where nothing is said: a tenth of those that a window of a hundred minibatches of a hundred is learned from.
pub const SCORE_PATCHES: usize = 1000;

/// What a dictionary makes of a network.
pub(super) struct Seen {
    /// `E(W, i)`.
    pub(super) error: Measured,
    /// Shares of the atoms.
    pub(super) dominance: Vec<f64>,
}

/// Looks at fresh patches of window `window`; at least two batches of them.
pub(super) fn seen<T: Scalar>(
    factoriser: &mut Factoriser<T>,
    (network, sampler): &Drawn,
    patches: usize,
    watching: Watching,
    seed: u64,
    window: u64,
) -> Result<Seen> {
    let k = sampler.motif().k();
    let size = (patches / BATCHES).max(1);
    let batches = (patches / size).max(2);
    // A chain that begins anew forgets where over a tenth of what is kept, unless more is asked for.
    let rest =
        if sampler.is_independent() { 0 } else { (patches as u64 / 10).saturating_mul(watching.every) };
    let burn_in = watching.burn_in.max(rest);
    let id = ids::SCORES.saturating_add(window);
    let mut walker = MotifWalker::new(Arc::clone(sampler), seed, id, burn_in, watching.every)?;
    let cutter = NetworkPatches::new(network, k, 0);
    let (mut xs, mut x, mut rebuilt) = (vec![0; k * size], Mat::<T>::zeros(0, 0), Mat::zeros(0, 0));
    let mut squares = vec![0.0; factoriser.dictionary().cols()];
    let mut sums: Vec<(f64, f64)> = Vec::with_capacity(batches);
    for _ in 0..batches {
        walker.fill(&mut xs);
        cutter.write_all(&xs, &mut x);
        factoriser.transform(&x)?;
        factoriser.reconstruct(&mut rebuilt);
        let (mut off, mut norm) = (0.0, 0.0);
        for j in 0..size {
            for (x, y) in x.col(j).iter().zip(rebuilt.col(j)) {
                let (x, y) = (x.to_f64(), y.to_f64());
                off += (x - y) * (x - y);
                norm += x * x;
            }
            for (square, h) in squares.iter_mut().zip(factoriser.code().col(j)) {
                *square += h.to_f64() * h.to_f64();
            }
        }
        sums.push((off, norm));
    }
    let roots: Vec<f64> = squares.iter().map(|square| square.sqrt()).collect();
    let all: f64 = roots.iter().sum();
    let dominance = roots.iter().map(|root| if all > 0.0 { root / all } else { 0.0 }).collect();
    Ok(Seen { error: ratio(&sums), dominance })
}

/// The ratio of two sums, with the standard error of a ratio estimate over batches.
fn ratio(sums: &[(f64, f64)]) -> Measured {
    let (off, norm) = sums.iter().fold((0.0, 0.0), |all, one| (all.0 + one.0, all.1 + one.1));
    let value = off / norm;
    let n = sums.len() as f64;
    let squares: f64 = sums.iter().map(|(off, norm)| (off - value * norm).powi(2)).sum();
    Measured { value, standard_error: (squares * n / (n - 1.0)).sqrt() / norm }
}

/// The change score of a dictionary's error on a window beside that on the window before; none where an error is 0.
pub(super) fn score(before: Measured, now: Measured) -> Option<Measured> {
    if !(before.value > 0.0 && now.value > 0.0) {
        return None;
    }
    let relative = |one: Measured| one.standard_error / one.value;
    let standard_error = relative(before).hypot(relative(now)) / std::f64::consts::LN_2;
    Some(Measured { value: (now.value / before.value).log2(), standard_error })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_of_sums_and_its_error() {
        let exact = ratio(&[(1.0, 2.0), (3.0, 6.0), (0.5, 1.0)]);
        assert_eq!((exact.value, exact.standard_error), (0.5, 0.0));
        let off = ratio(&[(1.0, 1.0), (3.0, 1.0)]);
        // The mean of 1 and 3 with its usual standard error, √(2/2).
        assert_eq!((off.value, off.standard_error), (2.0, 1.0));
    }

    #[test]
    fn a_score_is_in_powers_of_two() {
        let of = |value, standard_error| Measured { value, standard_error };
        let doubled = score(of(0.1, 0.003), of(0.2, 0.008)).unwrap();
        assert!((doubled.value - 1.0).abs() < 1e-12);
        assert!((doubled.standard_error - 0.05 / std::f64::consts::LN_2).abs() < 1e-12);
        assert_eq!(score(of(0.0, 0.0), of(0.2, 0.1)), None);
    }
}
