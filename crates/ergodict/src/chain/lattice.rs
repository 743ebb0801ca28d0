//! Rectangular lattices with four neighbors to a site.

use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// What lies beyond the edge.
///
/// ```
/// use ergodict::chain::{Boundary, Lattice};
/// let corner = |boundary| Ok::<_, ergodict::Error>(Lattice::new(3, 4, boundary)?.neighbors(0).count());
/// assert_eq!((corner(Boundary::Periodic)?, corner(Boundary::Free)?), (4, 2));
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Boundary {
    /// The opposite edge: the lattice is a torus.
    #[default]
    Periodic,
    /// Nothing.
    Free,
}

/// An N×M lattice; site `(i, j)` has index `i·M + j`.
///
/// ```
/// use ergodict::chain::{Boundary, Lattice};
/// let torus = Lattice::new(3, 4, Boundary::Periodic)?;
/// assert_eq!(torus.neighbors(0).collect::<Vec<_>>(), [8, 4, 3, 1]); // above, below, left, right
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lattice {
    rows: usize,
    cols: usize,
    boundary: Boundary,
}

impl Lattice {
    /// A lattice of `rows × cols` sites.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a side of 0 or more than 2³¹ sites.
    pub fn new(rows: usize, cols: usize, boundary: Boundary) -> Result<Self> {
        let fits = rows.checked_mul(cols).is_some_and(|n| n > 0 && n <= 1 << 31);
        if !fits {
            let expected = "it must have at least one and at most 2³¹ sites";
            return Err(Error::parameter("the lattice", format!("{rows}×{cols}"), expected));
        }
        Ok(Self { rows, cols, boundary })
    }

    /// Rows, N.
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// Columns, M.
    pub(crate) fn cols(&self) -> usize {
        self.cols
    }

    /// Rows and columns.
    pub fn shape(&self) -> (usize, usize) {
        (self.rows, self.cols)
    }

    /// Number of sites, N·M.
    pub(crate) fn sites(&self) -> usize {
        self.rows * self.cols
    }

    /// What lies beyond the edge.
    pub(crate) fn boundary(&self) -> Boundary {
        self.boundary
    }

    /// The neighbors of a site: above, below, left, right, as far as they exist. On a torus with a side of 2 the same
    /// site is a neighbor twice (two bonds), with a side of 1 the site itself is (its bond is a constant).
    pub fn neighbors(&self, site: usize) -> impl Iterator<Item = usize> + use<> {
        let Self { rows, cols, boundary } = *self;
        let (row, col) = (site / cols, site % cols);
        let wrap = boundary == Boundary::Periodic;
        let before =
            move |at: usize, side: usize| if at > 0 { Some(at - 1) } else { wrap.then_some(side - 1) };
        let after =
            move |at: usize, side: usize| if at + 1 < side { Some(at + 1) } else { wrap.then_some(0) };
        let vertical = [before(row, rows), after(row, rows)].map(|r| r.map(|r| r * cols + col));
        let horizontal = [before(col, cols), after(col, cols)].map(|c| c.map(|c| row * cols + c));
        vertical.into_iter().chain(horizontal).flatten()
    }

    /// Every bond once, as the pairs of each site with those below and to the right of it.
    pub(crate) fn bonds(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let Self { rows, cols, boundary } = *self;
        let wrap = boundary == Boundary::Periodic;
        (0..self.sites()).flat_map(move |site| {
            let (row, col) = (site / cols, site % cols);
            let below = (row + 1 < rows || wrap).then_some(((row + 1) % rows) * cols + col);
            let right = (col + 1 < cols || wrap).then_some(row * cols + (col + 1) % cols);
            below.into_iter().chain(right).map(move |other| (site, other))
        })
    }
}

impl Lattice {
    /// The sum over all bonds of what `of` makes of the values at their ends: [`Lattice::bonds`] row by row, many times
    /// faster.
    pub(crate) fn over_bonds(&self, values: &[i8], of: impl Fn(i8, i8) -> i32) -> i64 {
        let Self { rows, cols, boundary } = *self;
        let wrap = boundary == Boundary::Periodic;
        let row = |i: usize| &values[i * cols..][..cols];
        let pairs = |a: &[i8], b: &[i8]| a.iter().zip(b).map(|(a, b)| i64::from(of(*a, *b))).sum::<i64>();
        let mut sum = 0;
        for i in 0..rows {
            let own = row(i);
            sum += pairs(&own[..cols - 1], &own[1..]);
            if wrap {
                sum += i64::from(of(own[cols - 1], own[0]));
            }
            if i + 1 < rows || wrap {
                sum += pairs(own, row((i + 1) % rows));
            }
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_over_bonds_are_those_of_the_bonds() {
        for boundary in [Boundary::Periodic, Boundary::Free] {
            for (rows, cols) in [(1, 1), (1, 4), (4, 1), (2, 2), (3, 5)] {
                let lattice = Lattice::new(rows, cols, boundary).unwrap();
                let values: Vec<i8> = (0..rows * cols).map(|i| (i * 37 % 11) as i8 - 5).collect();
                let of = |a: i8, b: i8| 3 * i32::from(a) + i32::from(a) * i32::from(b);
                let each = lattice.bonds().map(|(u, v)| i64::from(of(values[u], values[v])));
                assert_eq!(lattice.over_bonds(&values, of), each.sum::<i64>(), "{rows}×{cols} {boundary:?}");
            }
        }
    }

    #[test]
    fn every_bond_joins_two_neighbors_and_every_neighbor_is_joined_by_a_bond() {
        for boundary in [Boundary::Periodic, Boundary::Free] {
            for (rows, cols) in [(1, 1), (1, 4), (2, 2), (2, 3), (3, 5)] {
                let lattice = Lattice::new(rows, cols, boundary).unwrap();
                let n = lattice.sites();
                let mut bonds = vec![0; n * n];
                lattice.bonds().for_each(|(u, v)| {
                    bonds[u * n + v] += 1;
                    bonds[v * n + u] += 1;
                });
                let mut neighbors = vec![0; n * n];
                (0..n).for_each(|u| lattice.neighbors(u).for_each(|v| neighbors[u * n + v] += 1));
                assert_eq!(bonds, neighbors, "{rows}×{cols} {boundary:?}");
            }
        }
    }

    #[test]
    fn lattices_without_sites_or_with_too_many_are_refused() {
        for (rows, cols) in [(0, 3), (3, 0), (1 << 20, 1 << 20), (usize::MAX, 2)] {
            assert!(Lattice::new(rows, cols, Boundary::Free).is_err());
        }
    }
}
