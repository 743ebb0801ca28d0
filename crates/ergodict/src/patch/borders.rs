//! Borders between labels: the walls of cells, whatever the cells are called.

use crate::chain::Lattice;

/// 1 at every site whose label differs from that of its neighbor below or to the right, 0 elsewhere: walls one site
/// thick, for systems whose labels only distinguish cells.
///
/// ```
/// use ergodict::{chain::{Boundary, Lattice}, patch::borders};
/// let free = Lattice::new(2, 3, Boundary::Free)?;
/// assert_eq!(borders(free, &[5, 5, 7, 5, 5, 5]), [0, 1, 1, 0, 0, 0]);
/// let torus = Lattice::new(2, 3, Boundary::Periodic)?;
/// assert_eq!(borders(torus, &[5, 5, 7, 5, 5, 5]), [0, 1, 1, 0, 0, 1]);
/// # Ok::<(), ergodict::Error>(())
/// ```
pub fn borders(lattice: Lattice, spins: &[i8]) -> Vec<i8> {
    let mut walls = vec![0; spins.len()];
    for (site, other) in lattice.bonds() {
        if spins[site] != spins[other] {
            walls[site] = 1;
        }
    }
    walls
}
