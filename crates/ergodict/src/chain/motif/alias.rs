//! Alias tables: draws from the law of a row's weights by one random word and one look at memory.
//!
//! Each cell of a row with `d` entries is as likely as any other and holds two of the entries; what is left
//! of the word decides (Walker 1977, Vose 1991). Tables are made in whole numbers, so that no rounding adds
//! up: weights are first rounded to multiples of about `2⁻⁶³` of the row's sum, thresholds last to multiples
//! of `2⁻⁶⁴`. No probability is off by more than `d·2⁻⁶²`, in addition to the rounding of the sum itself.

use super::super::heat_bath::split;
use crate::data::Rows;
use crate::rng::fraction;

/// A cell: its own entry below the threshold, else the other.
#[derive(Clone, Copy, Debug)]
struct Cell {
    threshold: u64,
    own: u32,
    other: u32,
}

/// Alias tables of all rows of a matrix, cells in the places of the entries.
#[derive(Clone, Debug)]
pub(super) struct AliasTables {
    cells: Vec<Cell>,
}

impl AliasTables {
    /// Bytes of an entry.
    pub(super) const CELL: usize = size_of::<Cell>();

    /// Of a sparse matrix.
    pub(super) fn of_rows(rows: &Rows) -> Self {
        Self::of_entries(rows, |_, weight| weight)
    }

    /// Of a sparse matrix with columns multiplied by `factors`.
    pub(super) fn of_products(rows: &Rows, factors: &[f64]) -> Self {
        Self::of_entries(rows, |w, weight| weight * factors[w as usize])
    }

    fn of_entries(rows: &Rows, value: impl Fn(u32, f64) -> f64) -> Self {
        let mut cells = Vec::with_capacity(rows.neighbors.len());
        let (mut maker, mut weights) = (Maker::default(), Vec::new());
        for u in 0..rows.len() {
            weights.clear();
            weights.extend(rows.entries(u).map(|(w, weight)| value(w, weight)));
            maker.make(&weights, |j| rows.neighbors(u)[j], &mut cells);
        }
        Self { cells }
    }

    /// Of one row, `0..weights.len()`, not all of weight 0.
    pub(super) fn of_weights(weights: &[f64]) -> Self {
        let mut cells = Vec::with_capacity(weights.len());
        Maker::default().make(weights, |j| j as u32, &mut cells);
        Self { cells }
    }

    /// The entry that a word draws from a table of one row.
    #[inline(always)]
    pub(super) fn draw(&self, word: u64) -> u32 {
        let (j, rest) = split(word, self.cells.len() as u64);
        self.entry((j as usize, rest))
    }

    /// An entry of a cell, by what is left of the word that chose the cell.
    #[inline(always)]
    pub(super) fn entry(&self, (at, rest): (usize, u64)) -> u32 {
        let cell = &self.cells[at];
        if rest < cell.threshold { cell.own } else { cell.other }
    }

    /// The same, and a number uniform in [0, 1) as a quotient: what is left of the word over what could be
    /// left given the entry.
    #[inline(always)]
    pub(super) fn entry_and_rest(&self, (at, rest): (usize, u64)) -> (u32, f64, f64) {
        let cell = &self.cells[at];
        let own = rest < cell.threshold;
        let left = if own { rest } else { rest - cell.threshold };
        let share = fraction(cell.threshold);
        let most = if own { share } else { 1.0 - share };
        (if own { cell.own } else { cell.other }, fraction(left), most)
    }

    /// Bytes of the tables.
    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        self.cells.len() * Self::CELL
    }
}

/// Makes one table after the other.
#[derive(Default)]
struct Maker {
    /// `d` times the whole weight of each entry.
    shares: Vec<u128>,
    /// Entries with less than a cell, and with a cell or more.
    small: Vec<u32>,
    large: Vec<u32>,
}

impl Maker {
    fn make(&mut self, weights: &[f64], entry: impl Fn(usize) -> u32, cells: &mut Vec<Cell>) {
        // A row of nothing but zeros is never drawn from: 0 over 1 leaves it so.
        let largest = match weights.iter().copied().fold(0.0, f64::max) {
            0.0 => 1.0,
            largest => largest,
        };
        let sum: f64 = weights.iter().map(|weight| weight / largest).sum::<f64>();
        let whole = |weight: &f64| {
            if *weight == 0.0 {
                return 0;
            }
            ((weight / largest / sum * (1u64 << 63) as f64) as u128).max(1)
        };
        self.shares.clear();
        self.shares.extend(weights.iter().map(whole));
        let (d, start) = (self.shares.len(), cells.len());
        let capacity: u128 = self.shares.iter().sum();
        self.small.clear();
        self.large.clear();
        for (j, share) in self.shares.iter_mut().enumerate() {
            *share *= d as u128;
            if *share < capacity { &mut self.small } else { &mut self.large }.push(j as u32);
            let own = entry(j);
            cells.push(Cell { threshold: u64::MAX, own, other: own });
        }
        // A small entry leaves room in its cell for a large one, which may become a small one by that. The
        // shares of the entries left sum to their number of cells, so that no large one is left over but
        // those with just a cell.
        while let (Some(&j), Some(&from)) = (self.small.last(), self.large.last()) {
            self.small.pop();
            let (j, from) = (j as usize, from as usize);
            let share = self.shares[j];
            let cell = &mut cells[start + j];
            (cell.threshold, cell.other) = (((share << 64) / capacity) as u64, entry(from));
            self.shares[from] -= capacity - share;
            if self.shares[from] < capacity {
                self.large.pop();
                self.small.push(from as u32);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::motif::check::tiny_networks;
    use crate::rng::{Purpose, stream, uniform};

    /// The law of a table, from its cells.
    fn law(cells: &[Cell], n: usize) -> Vec<f64> {
        let mut law = vec![0.0; n];
        for cell in cells {
            let own = cell.threshold as f64 / 2f64.powi(64);
            law[cell.own as usize] += own / cells.len() as f64;
            law[cell.other as usize] += (1.0 - own) / cells.len() as f64;
        }
        law
    }

    #[test]
    fn tables_have_the_law_of_their_weights() {
        let mut rng = stream(3, Purpose::Synthetic, 0);
        let mut random: Vec<f64> = (0..1000).map(|_| uniform(&mut rng).powi(30)).collect();
        random[7] = 0.0;
        for weights in [
            vec![1.0],
            vec![1e300, 1e300, 5e299],
            vec![0.0, 2.0, 0.0],
            vec![1e-320, 1e-319],
            vec![1.0; 7],
            random,
        ] {
            let largest = weights.iter().copied().fold(0.0, f64::max);
            let sum: f64 = weights.iter().map(|w| w / largest).sum();
            for (p, weight) in
                law(&AliasTables::of_weights(&weights).cells, weights.len()).iter().zip(&weights)
            {
                assert!((p - weight / largest / sum).abs() < 1e-15, "{p} {weight}");
            }
        }
    }

    #[test]
    fn what_is_left_of_a_word_is_uniform_given_the_entry() {
        // Nothing of the first, a quarter, three quarters: all cells are shared.
        let tables = AliasTables::of_weights(&[0.0, 1.0, 3.0]);
        let (mut sums, mut counts) = ([0f64; 3], [0f64; 3]);
        let words = 30_000;
        for word in 0..words {
            let (j, rest) = split(word * (u64::MAX / words), 3);
            let (entry, left, most) = tables.entry_and_rest((j as usize, rest));
            assert_eq!(entry, tables.entry((j as usize, rest)));
            sums[entry as usize] += left / most;
            counts[entry as usize] += 1.0;
        }
        assert_eq!(counts[0], 0.0);
        assert!((counts[1] - 7500.0).abs() < 3.0 && (counts[2] - 22_500.0).abs() < 3.0, "{counts:?}");
        assert!((1..3).all(|i| (sums[i] / counts[i] - 0.5).abs() < 1e-3), "{sums:?}");
    }

    #[test]
    fn tables_of_rows_are_in_their_places() {
        for (name, network) in tiny_networks() {
            for rows in [network.rows(), network.incoming()] {
                let tables = AliasTables::of_rows(rows);
                assert_eq!(tables.cells.len(), rows.neighbors.len());
                for u in 0..rows.len() {
                    let law = law(&tables.cells[rows.span(u)], rows.len());
                    for (v, p) in law.iter().enumerate() {
                        let expected = rows.weight(u, v) / rows.strength(u).max(1e-300);
                        assert!((p - expected).abs() < 1e-15, "{name}");
                    }
                }
            }
        }
    }
}
