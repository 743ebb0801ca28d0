//! A chain on finitely many states, given by its transition matrix: small enough that its law is known exactly.

use super::Chain;
use crate::linalg::Mat;
use crate::rng::{below, uniform};
use crate::{Error, Result};
use rand_chacha::ChaCha8Rng;

/// A Markov chain on `0..n` with transition probabilities `P(i, j)`.
///
/// Rows are nonnegative and of sum 1; `π = πP` is [`FiniteChain::stationary`].
///
/// ```
/// use ergodict::chain::FiniteChain;
/// let alternating = FiniteChain::new(&[vec![0.0, 1.0], vec![1.0, 0.0]])?;
/// assert_eq!(alternating.stationary(), [0.5, 0.5]);
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct FiniteChain {
    /// Row `i` as column `i`.
    rows: Mat<f64>,
}

impl FiniteChain {
    /// The chain with the given rows of probabilities.
    ///
    /// # Errors
    /// [`Error::Parameter`] when a row has another length, a negative entry, or does not sum to one.
    pub fn new(rows: &[Vec<f64>]) -> Result<Self> {
        let n = rows.len();
        for (i, row) in rows.iter().enumerate() {
            let sum: f64 = row.iter().sum();
            if row.len() != n || row.iter().any(|p| *p < 0.0) || (sum - 1.0).abs() > 1e-9 || sum.is_nan() {
                let expected = format!("it must be {n} probabilities that sum to one");
                return Err(Error::parameter(
                    "a row of the transition matrix",
                    format!("{row:?} (row {i})"),
                    expected,
                ));
            }
        }
        Ok(Self { rows: Mat::from_fn(n, n, |j, i| rows[i][j]) })
    }

    /// Number of states.
    pub(crate) fn states(&self) -> usize {
        self.rows.cols()
    }

    /// The stationary law, the solution of `πP = π`, `Σπ = 1`, by Gaussian elimination with pivoting. For a reducible
    /// chain it is one of several.
    pub fn stationary(&self) -> Vec<f64> {
        let n = self.states();
        // Equations: Σ_i π_i (P_ij − δ_ij) = 0 for j < n−1, and Σ π_i = 1.
        let mut m: Vec<Vec<f64>> = (0..n)
            .map(|j| {
                let row = (0..n).map(|i| self.rows.get(j, i) - f64::from(i == j));
                let mut row: Vec<f64> = if j + 1 == n { vec![1.0; n] } else { row.collect() };
                row.push(f64::from(j + 1 == n));
                row
            })
            .collect();
        for c in 0..n {
            let pivot = (c..n).max_by(|&a, &b| m[a][c].abs().total_cmp(&m[b][c].abs())).unwrap_or(c);
            m.swap(c, pivot);
            if m[c][c] == 0.0 {
                continue;
            }
            for i in (0..n).filter(|&i| i != c) {
                let factor = m[i][c] / m[c][c];
                for k in c..=n {
                    let above = m[c][k];
                    m[i][k] -= factor * above;
                }
            }
        }
        (0..n).map(|i| if m[i][i] == 0.0 { 0.0 } else { m[i][n] / m[i][i] }).collect()
    }
}

impl Chain for FiniteChain {
    type State = usize;
    type Info = ();

    fn init(&self, rng: &mut ChaCha8Rng) -> usize {
        below(rng, self.states() as u64) as usize
    }

    fn step(&self, state: &mut usize, rng: &mut ChaCha8Rng) {
        let row = self.rows.col(*state);
        let mut left = uniform(rng);
        let last = row.iter().rposition(|p| *p > 0.0).unwrap_or(*state);
        *state = row
            .iter()
            .position(|p| {
                left -= p;
                left < 0.0
            })
            .unwrap_or(last);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, stream};

    #[test]
    fn stationary_law_solves_its_equation_and_the_chain_follows_it() {
        let rows = vec![vec![0.1, 0.6, 0.3], vec![0.5, 0.25, 0.25], vec![0.2, 0.2, 0.6]];
        let chain = FiniteChain::new(&rows).unwrap();
        let pi = chain.stationary();
        for j in 0..3 {
            let next: f64 = (0..3).map(|i| pi[i] * rows[i][j]).sum();
            assert!((next - pi[j]).abs() < 1e-14);
        }
        // Transition frequencies out of each state, which are independent draws, by chi².
        let mut rng = stream(3, Purpose::Chain, 0);
        let mut counts = [[0f64; 3]; 3];
        let mut state = chain.init(&mut rng);
        for _ in 0..30_000 {
            let from = state;
            chain.step(&mut state, &mut rng);
            counts[from][state] += 1.0;
        }
        let mut chi2 = 0.0;
        for i in 0..3 {
            let total: f64 = counts[i].iter().sum();
            chi2 += (0..3)
                .map(|j| (counts[i][j] - total * rows[i][j]).powi(2) / (total * rows[i][j]))
                .sum::<f64>();
        }
        assert!(chi2 < 22.5, "chi² {chi2} over the 0.999 quantile for 6 degrees of freedom");
    }

    #[test]
    fn bad_rows_are_refused() {
        for rows in [vec![vec![0.5]], vec![vec![1.0, 0.0]], vec![vec![1.5, -0.5], vec![0.5, 0.5]]] {
            assert!(FiniteChain::new(&rows).is_err(), "{rows:?}");
        }
    }
}
