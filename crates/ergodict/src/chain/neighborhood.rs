//! The four or eight neighbors of a site, gathered without allocation.

use super::{Boundary, Lattice};
use serde::{Deserialize, Serialize};

/// Which sites of a lattice are neighbors.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Neighborhood {
    /// Above, below, left and right (von Neumann).
    Four,
    /// The diagonal ones too (Moore).
    #[default]
    Eight,
}

/// Steps to the neighbors as rows and columns; the first four are those of [`Neighborhood::Four`].
const STEPS: [(isize, isize); 8] = [(-1, 0), (1, 0), (0, -1), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1)];

/// The neighbors of the sites of a lattice.
#[derive(Clone, Debug)]
pub(super) struct Around {
    lattice: Lattice,
    count: usize,
    /// The steps as differences of indices, for sites off the edge.
    offsets: [isize; 8],
}

impl Around {
    pub(super) fn new(lattice: Lattice, neighborhood: Neighborhood) -> Self {
        let count = match neighborhood {
            Neighborhood::Four => 4,
            Neighborhood::Eight => 8,
        };
        let cols = lattice.cols() as isize;
        Self { lattice, count, offsets: STEPS.map(|(down, right)| down * cols + right) }
    }

    /// Writes the neighbors of the site in row `row`, column `col` and gives how many there are. As for
    /// [`Lattice::neighbors`], a site is there as often as there are bonds to it, which on a torus with a side of 2 is
    /// twice and more; but the site itself, its own neighbor on a torus with a side of 1, is left out.
    #[inline]
    pub(super) fn gather(&self, row: usize, col: usize, into: &mut [usize; 8]) -> usize {
        let (rows, cols) = self.lattice.shape();
        if row == 0 || row + 1 >= rows || col == 0 || col + 1 >= cols {
            return self.gather_at_edge(row, col, into);
        }
        let site = row * cols + col;
        for (into, offset) in into.iter_mut().zip(&self.offsets[..self.count]) {
            *into = site.wrapping_add_signed(*offset);
        }
        self.count
    }

    fn gather_at_edge(&self, row: usize, col: usize, into: &mut [usize; 8]) -> usize {
        let (rows, cols) = self.lattice.shape();
        let wrap = self.lattice.boundary() == Boundary::Periodic;
        let shift = |at: usize, by: isize, side: usize| match at.wrapping_add_signed(by) {
            beyond if beyond >= side => wrap.then_some(if by < 0 { side - 1 } else { 0 }),
            inside => Some(inside),
        };
        let mut count = 0;
        for (down, right) in &STEPS[..self.count] {
            let (Some(r), Some(c)) = (shift(row, *down, rows), shift(col, *right, cols)) else { continue };
            if (r, c) != (row, col) {
                into[count] = r * cols + c;
                count += 1;
            }
        }
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbors_are_those_of_the_lattice_and_their_relation_is_mutual() {
        for boundary in [Boundary::Periodic, Boundary::Free] {
            for (rows, cols) in [(1, 1), (1, 4), (2, 1), (2, 2), (2, 3), (3, 3), (4, 5)] {
                let lattice = Lattice::new(rows, cols, boundary).unwrap();
                let n = lattice.sites();
                let (four, eight) =
                    (Around::new(lattice, Neighborhood::Four), Around::new(lattice, Neighborhood::Eight));
                let mut bonds = vec![0; n * n];
                for site in 0..n {
                    let mut into = [0; 8];
                    let count = four.gather(site / cols, site % cols, &mut into);
                    let expected: Vec<usize> = lattice.neighbors(site).filter(|u| *u != site).collect();
                    assert_eq!(into[..count], expected, "{rows}×{cols} {boundary:?}");
                    let count = eight.gather(site / cols, site % cols, &mut into);
                    assert!(into[..count].starts_with(&expected[..2.min(expected.len())]));
                    into[..count].iter().for_each(|u| bonds[site * n + u] += 1);
                }
                for u in 0..n {
                    assert_eq!(bonds[u * n + u], 0);
                    (0..n).for_each(|v| assert_eq!(bonds[u * n + v], bonds[v * n + u]));
                }
                let side_of_three = rows >= 3 && cols >= 3;
                if side_of_three && boundary == Boundary::Periodic {
                    assert_eq!(bonds.iter().sum::<i32>(), 8 * n as i32);
                }
            }
        }
    }

    #[test]
    fn diagonal_neighbors_are_where_they_should_be() {
        let lattice = Lattice::new(3, 4, Boundary::Free).unwrap();
        let around = Around::new(lattice, Neighborhood::Eight);
        let mut into = [0; 8];
        let sorted = |count: usize, into: [usize; 8]| {
            let mut found = into[..count].to_vec();
            found.sort_unstable();
            found
        };
        let count = around.gather(1, 1, &mut into);
        assert_eq!(sorted(count, into), [0, 1, 2, 4, 6, 8, 9, 10]);
        let count = around.gather(0, 0, &mut into);
        assert_eq!(sorted(count, into), [1, 4, 5]);
        let torus = Around::new(Lattice::new(3, 4, Boundary::Periodic).unwrap(), Neighborhood::Eight);
        let count = torus.gather(0, 0, &mut into);
        assert_eq!(sorted(count, into), [1, 3, 4, 5, 7, 8, 9, 11]);
    }
}
