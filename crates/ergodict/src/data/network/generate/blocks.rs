//! Stochastic block models: independent edges whose probabilities depend on blocks.

use super::pairs::{Cursor, count, each_with_probability};
use super::{limits, probability};
use crate::rng::ChaCha8Rng;
use crate::{Error, Result};
use std::ops::ControlFlow;

/// The first nodes are of block 0, the next of block 1, and so on; two nodes of blocks a and b are joined with probability
/// `P(a,b)`, independently.
///
/// ```
/// use ergodict::data::generate::{BlockModel, Generator};
/// let blocks = BlockModel::planted(vec![2, 3], 1.0, 0.0)?;
/// assert_eq!(blocks.labels(), [0, 0, 1, 1, 1]);
/// assert_eq!(Generator::from(blocks).generate(0).edges(), 1 + 3); // two complete graphs
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct BlockModel {
    sizes: Vec<usize>,
    probabilities: Vec<Vec<f64>>,
}

impl BlockModel {
    /// Blocks of these sizes, with a symmetric matrix of probabilities by rows.
    ///
    /// # Errors
    /// [`Error::Shape`] for a matrix that has not one row and column a block; [`Error::Parameter`] for one that is not symmetric, for
    /// an entry outside [0, 1], and for a size beyond `MOST_EDGES`.
    pub fn new(sizes: Vec<usize>, probabilities: Vec<Vec<f64>>) -> Result<Self> {
        let blocks = sizes.len();
        if let Some(row) = probabilities.iter().find(|row| row.len() != blocks) {
            let found = format!("a matrix with a row of {}", row.len());
            return Err(Error::shape("the matrix of blocks", found, format!("{blocks}×{blocks}")));
        }
        if probabilities.len() != blocks {
            let found = format!("{}×{blocks}", probabilities.len());
            return Err(Error::shape("the matrix of blocks", found, format!("{blocks}×{blocks}")));
        }
        let (mut nodes, mut edges) = (0usize, 0.0);
        for a in 0..blocks {
            nodes = nodes.saturating_add(sizes[a]);
            let n = sizes[a] as f64;
            edges +=
                probability("a probability of blocks", probabilities[a][a])? * n * (n - 1.0).max(0.0) / 2.0;
            for b in 0..a {
                let p = probability("a probability of blocks", probabilities[a][b])?;
                if p != probabilities[b][a] {
                    let value = format!("{p} for ({a}, {b}) and {} for ({b}, {a})", probabilities[b][a]);
                    return Err(Error::parameter(
                        "a probability of blocks",
                        value,
                        "the matrix must be symmetric",
                    ));
                }
                edges += p * n * sizes[b] as f64;
            }
        }
        limits(nodes, edges)?;
        Ok(Self { sizes, probabilities })
    }

    /// Blocks of these sizes, with one probability within each and one between different ones.
    ///
    /// # Errors
    /// As [`BlockModel::new`].
    pub fn planted(sizes: Vec<usize>, within: f64, between: f64) -> Result<Self> {
        let blocks = sizes.len();
        let row = |a: usize| (0..blocks).map(|b| if a == b { within } else { between }).collect();
        Self::new(sizes, (0..blocks).map(row).collect())
    }

    /// The block of each node.
    pub fn labels(&self) -> Vec<u32> {
        self.sizes.iter().zip(0..).flat_map(|(&size, block)| std::iter::repeat_n(block, size)).collect()
    }

    pub(super) fn nodes(&self) -> usize {
        self.sizes.iter().sum()
    }

    /// The edges one by one, until `take` breaks off.
    pub(super) fn each_edge(
        &self,
        rng: &mut ChaCha8Rng,
        mut take: impl FnMut(u32, u32) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut low = 0u32;
        for (a, &rows) in self.sizes.iter().enumerate() {
            let mut cursor = Cursor::new(rows);
            each_with_probability(count(rows), self.probabilities[a][a], rng, |number| {
                let (u, v) = cursor.pair(number);
                take(low + u, low + v)
            })?;
            let mut high = low + rows as u32;
            for (b, &cols) in self.sizes.iter().enumerate().skip(a + 1) {
                let (size, cols) = (rows as u64 * cols as u64, cols as u64);
                each_with_probability(size, self.probabilities[a][b], rng, |number| {
                    take(low + (number / cols) as u32, high + (number % cols) as u32)
                })?;
                high += cols as u32;
            }
            low += rows as u32;
        }
        ControlFlow::Continue(())
    }
}
