//! R-MAT networks (Chakrabarti, Zhan and Faloutsos 2004): edges fall into quadrants of the matrix, recursively.

use super::limits;
use crate::rng::{ChaCha8Rng, fraction};
use crate::{Error, Result};
use rand_chacha::rand_core::Rng;
use std::ops::ControlFlow;

/// Levels that one random word decides: 4⁴ = 256 parts of the matrix.
const LEVELS: u32 = 4;

/// `2^scale` nodes and a number of draws of an entry of the matrix, usually a factor times `2^scale`. At every level an entry is in the upper left
/// quadrant with probability a, upper right with b, lower left with c, lower right with d. Loops are left out and
/// entries drawn more than once count once, so that there are fewer edges than draws. Labels are not permuted: with a the largest, the
/// first nodes are the hubs.
///
/// ```
/// use ergodict::data::generate::{Generator, RMat};
/// let network = Generator::from(RMat::new(8, 4, [0.57, 0.19, 0.19, 0.05], false)?).generate(0);
/// assert!(network.nodes() == 256 && network.edges() < 4 * 256);
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RMat {
    scale: u32,
    pub(super) draws: u64,
    quadrants: [f64; 4],
    pub(super) directed: bool,
}

impl RMat {
    /// The probabilities a, b, c, d of the Graph500 benchmark.
    #[cfg(test)]
    pub(crate) const GRAPH500: [f64; 4] = [0.57, 0.19, 0.19, 0.05];

    /// Networks of `2^scale` nodes and `factor` draws a node, with the probabilities `[a, b, c, d]`.
    ///
    /// # Errors
    /// As [`RMat::of_draws`].
    pub fn new(scale: u32, factor: u64, quadrants: [f64; 4], directed: bool) -> Result<Self> {
        // Sizes that are too large are reported there.
        let draws = 1_u64.checked_shl(scale).and_then(|nodes| nodes.checked_mul(factor)).unwrap_or(u64::MAX);
        Self::of_draws(scale, draws, quadrants, directed)
    }

    /// Networks of `2^scale` nodes and a number of draws.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a scale over 31, for probabilities that are negative or do not sum to one, and for a size beyond
    /// `MOST_EDGES`.
    pub fn of_draws(scale: u32, draws: u64, quadrants: [f64; 4], directed: bool) -> Result<Self> {
        if scale > 31 {
            return Err(Error::parameter("the scale", scale, "it must be at most 31, for 2³¹ nodes"));
        }
        let sum: f64 = quadrants.iter().sum();
        if !(quadrants.iter().all(|p| *p >= 0.0) && (sum - 1.0).abs() < 1e-9) {
            let expected = "they must be four numbers, 0 or more, that sum to one";
            return Err(Error::parameter(
                "the list of probabilities of the quadrants",
                format!("{quadrants:?}"),
                expected,
            ));
        }
        limits(1 << scale, draws as f64)?;
        Ok(Self { scale, draws, quadrants, directed })
    }

    pub(super) fn nodes(&self) -> usize {
        1 << self.scale
    }

    /// The edges one by one, until `take` breaks off.
    pub(super) fn each_edge(
        &self,
        rng: &mut ChaCha8Rng,
        mut take: impl FnMut(u32, u32) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let entries = Entries::new(self.scale, &self.quadrants);
        for _ in 0..self.draws {
            let (u, v) = entries.draw(rng);
            take(u, v)?;
        }
        ControlFlow::Continue(())
    }
}

/// Draws entries of the matrix, some levels at a time.
struct Entries {
    /// How often the four levels of `all` are drawn.
    times: u32,
    all: Alias,
    /// The levels left over.
    rest: Alias,
}

impl Entries {
    fn new(scale: u32, quadrants: &[f64; 4]) -> Self {
        Self {
            times: scale / LEVELS,
            all: Alias::new(LEVELS, quadrants),
            rest: Alias::new(scale % LEVELS, quadrants),
        }
    }

    #[inline]
    fn draw(&self, rng: &mut ChaCha8Rng) -> (u32, u32) {
        let (mut u, mut v) = (0, 0);
        for _ in 0..self.times {
            let (row, col) = self.all.draw(rng);
            (u, v) = (u << LEVELS | row, v << LEVELS | col);
        }
        if self.rest.levels > 0 {
            let (row, col) = self.rest.draw(rng);
            (u, v) = (u << self.rest.levels | row, v << self.rest.levels | col);
        }
        (u, v)
    }
}

/// Parts of `levels` levels of quadrants, drawn by Walker's alias method, from one word each.
struct Alias {
    levels: u32,
    /// Of each place: the probability that its own part is drawn there, that part, and the other, as rows and columns.
    places: Vec<(f64, [u8; 2], [u8; 2])>,
}

impl Alias {
    fn new(levels: u32, quadrants: &[f64; 4]) -> Self {
        let count = 1usize << (2 * levels);
        let part = |code: usize| {
            let digits = (0..levels).map(|level| code >> (2 * level) & 3);
            digits.rev().fold((1.0, [0u8; 2]), |(p, [row, col]), digit| {
                (p * quadrants[digit], [row << 1 | (digit >> 1) as u8, col << 1 | (digit & 1) as u8])
            })
        };
        let parts: Vec<_> = (0..count).map(part).collect();
        let total: f64 = parts.iter().map(|part| part.0).sum();
        let mut left: Vec<f64> = parts.iter().map(|part| part.0 / total * count as f64).collect();
        let mut places: Vec<_> = parts.iter().map(|part| (1.0, part.1, part.1)).collect();
        let (mut small, mut large): (Vec<usize>, Vec<usize>) = (0..count).partition(|&i| left[i] < 1.0);
        while let (Some(&poor), Some(&rich)) = (small.last(), large.last()) {
            small.pop();
            places[poor] = (left[poor], parts[poor].1, parts[rich].1);
            left[rich] -= 1.0 - left[poor];
            if left[rich] < 1.0 {
                large.pop();
                small.push(rich);
            }
        }
        // What rounding leaves among the small has all of its place, but not where its probability is zero.
        let top = (0..count).max_by(|&a, &b| parts[a].0.total_cmp(&parts[b].0)).unwrap_or(0);
        small
            .iter()
            .filter(|&&i| parts[i].0 == 0.0)
            .for_each(|&i| places[i] = (0.0, parts[i].1, parts[top].1));
        Self { levels, places }
    }

    #[inline]
    fn draw(&self, rng: &mut ChaCha8Rng) -> (u32, u32) {
        // The place is in the low eight bits, which the fraction does not use.
        let word = rng.next_u64();
        let (own, one, two) = self.places[word as usize & (self.places.len() - 1)];
        let [row, col] = if fraction(word) < own { one } else { two };
        (u32::from(row), u32::from(col))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, stream};

    #[test]
    fn tables_have_the_exact_probabilities() {
        for quadrants in [RMat::GRAPH500, [0.25; 4], [0.5, 0.5, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]] {
            for levels in 0..=LEVELS {
                let alias = Alias::new(levels, &quadrants);
                let side = 1usize << levels;
                let mut law = vec![0.0; side * side];
                for &(own, [a, b], [c, d]) in &alias.places {
                    let share = 1.0 / alias.places.len() as f64;
                    law[a as usize * side + b as usize] += own * share;
                    law[c as usize * side + d as usize] += (1.0 - own) * share;
                }
                for row in 0..side {
                    for col in 0..side {
                        let quadrant = |level: u32| quadrants[(row >> level & 1) * 2 + (col >> level & 1)];
                        let exact: f64 = (0..levels).map(quadrant).product();
                        assert!((law[row * side + col] - exact).abs() < 1e-12, "{levels} {row} {col}");
                    }
                }
            }
        }
    }

    #[test]
    fn quadrants_at_every_level_have_their_frequencies() {
        // Seven levels: a whole table and one of the rest. Levels are independent, so that all chi² add up.
        let quadrants = [0.4, 0.3, 0.2, 0.1];
        let entries = Entries::new(7, &quadrants);
        let mut rng = stream(5, Purpose::Synthetic, 77);
        let (draws, mut counts) = (20_000, [[0.0; 4]; 7]);
        for _ in 0..draws {
            let (u, v) = entries.draw(&mut rng);
            assert!(u < 128 && v < 128);
            for (level, counts) in counts.iter_mut().enumerate() {
                counts[((u >> level & 1) * 2 + (v >> level & 1)) as usize] += 1.0;
            }
        }
        let one = |(count, p): (&f64, &f64)| (count - f64::from(draws) * p).powi(2) / (f64::from(draws) * p);
        let chi2: f64 = counts.iter().map(|counts| counts.iter().zip(&quadrants).map(one).sum::<f64>()).sum();
        assert!(chi2 < 54.2, "chi² {chi2}, over the 0.9999 quantile for 21 degrees of freedom");
    }
}
