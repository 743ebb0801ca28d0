//! Adhesion energies between types of cells, as `--adhesion` lists them.

use super::system::MOST_CELLS;
use anyhow::{Result, bail};

/// The symmetric matrix of `J01, J02, …, J11, J12, …`; `J00` is never used.
pub(super) fn adhesion(numbers: &[f64]) -> Result<Vec<Vec<f64>>> {
    let count = |types: usize| types + types * (types + 1) / 2;
    let Some(types) = (1..=MOST_CELLS).find(|&types| count(types) == numbers.len()) else {
        bail!(
            "--adhesion has {} numbers, but one type of cells needs 2, two need 5, three need 9: J01,J02,…,J11,J12,…",
            numbers.len()
        );
    };
    let mut matrix = vec![vec![0.0; types + 1]; types + 1];
    let mut numbers = numbers.iter();
    for i in 0..=types {
        for j in i.max(1)..=types {
            if let Some(&number) = numbers.next() {
                matrix[i][j] = number;
                matrix[j][i] = number;
            }
        }
    }
    Ok(matrix)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adhesion_is_read_row_by_row_without_the_medium_s_own() {
        assert_eq!(adhesion(&[16.0, 14.0]).unwrap(), [[0.0, 16.0], [16.0, 14.0]]);
        let two = adhesion(&[1.0, 2.0, 3.0, 4.0, 5.0]).unwrap();
        assert_eq!(two, [[0.0, 1.0, 2.0], [1.0, 3.0, 4.0], [2.0, 4.0, 5.0]]);
        assert!(adhesion(&[1.0; 3]).is_err());
    }
}
