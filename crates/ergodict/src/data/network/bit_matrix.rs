//! Adjacency as a bit matrix: bit `v` of row `u` is whether `A(u,v) > 0`.

use super::Rows;
use super::adjacency::Table;

/// One bit for every pair of nodes.
#[derive(Clone, Debug)]
pub(crate) struct BitMatrix {
    nodes: u32,
    /// Words of a row.
    width: usize,
    words: Vec<u64>,
}

impl BitMatrix {
    /// Bytes of the matrix of `nodes` nodes; none when they cannot be counted.
    pub(crate) fn bytes(nodes: usize) -> Option<usize> {
        nodes.div_ceil(64).checked_mul(nodes)?.checked_mul(8)
    }

    pub(crate) fn new(rows: &Rows) -> Self {
        let width = rows.len().div_ceil(64);
        let mut words = vec![0u64; width * rows.len()];
        for u in 0..rows.len() {
            let row = &mut words[u * width..][..width];
            rows.neighbors(u).iter().for_each(|&v| row[v as usize / 64] |= 1 << (v % 64));
        }
        Self { nodes: rows.len() as u32, width, words }
    }
}

impl Table for BitMatrix {
    /// Where the row begins.
    type Row = usize;
    type Key = u32;

    #[inline(always)]
    fn row(&self, u: u32) -> usize {
        assert!(u < self.nodes, "node {u} of {}", self.nodes);
        u as usize * self.width
    }

    #[inline(always)]
    fn key(&self, v: u32) -> u32 {
        v
    }

    #[inline(always)]
    unsafe fn test(&self, row: usize, v: u32) -> bool {
        // SAFETY: the caller's word that `row` came from `row` and that `v` is a node.
        let word = unsafe { self.words.get_unchecked(row + v as usize / 64) };
        word >> (v % 64) & 1 == 1
    }
}
