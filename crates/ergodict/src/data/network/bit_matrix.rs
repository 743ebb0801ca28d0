//! Adjacency as a bit matrix: bit `v` of row `u` is whether `A(u,v) > 0`.

use super::Rows;
use super::adjacency::{Pairs, Table, one_by_one};

/// Most nodes of a patch.
const MOST: usize = 64;

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

    /// A byte for each pair first, whose lowest bit is the answer, then the bits of all bytes. The bytes of a patch are read after those of the
    /// next one were written: reading eight bytes that were just written one by one stalls the processor.
    #[inline(always)]
    fn each_patch(&self, xs: &[u32], pairs: Pairs, mut each: impl FnMut(usize, &[u64])) {
        if xs.len() == pairs.k {
            return one_by_one(self, xs, pairs, each);
        }
        let (mut rows, mut buffers) = ([self.words.as_ptr(); MOST], [[0; MOST * MOST]; 2]);
        let mut words = [0; MOST];
        let words = &mut words[..pairs.count().div_ceil(64)];
        let mut tell = |patch: usize, bytes: &[u8; MOST * MOST]| {
            for (word, bytes) in words.iter_mut().zip(bytes.as_chunks::<64>().0) {
                let eights = bytes.as_chunks::<8>().0.iter().enumerate();
                *word = eights.fold(0, |word, (i, &eight)| word | lowest_bits(eight) << (8 * i));
            }
            each(patch, words);
        };
        let patches = xs.len() / pairs.k;
        for (patch, x) in xs.chunks_exact(pairs.k).enumerate() {
            rows.iter_mut().zip(x).for_each(|(row, &u)| *row = self.words[self.row(u)..].as_ptr());
            let (bytes, mut at) = (&mut buffers[patch % 2], 0);
            for (b, &v) in x.iter().enumerate() {
                let (column, shift) = (v as usize / 64, v % 64);
                for row in &rows[..pairs.column(b).1] {
                    // SAFETY: `row` checked every node, and at most `MOST` of them have `MOST²` pairs. The read is volatile because gathers, which
                    // compilers make of this loop otherwise, take 1.2 times as long (Zen 4).
                    unsafe {
                        *bytes.get_unchecked_mut(at) = (row.add(column).read_volatile() >> shift) as u8;
                    }
                    at += 1;
                }
            }
            if patch > 0 {
                tell(patch - 1, &buffers[(patch - 1) % 2]);
            }
        }
        if let Some(last) = patches.checked_sub(1) {
            tell(last, &buffers[last % 2]);
        }
    }
}

/// The lowest bit of each byte, that of the first byte lowest.
#[inline(always)]
fn lowest_bits(bytes: [u8; 8]) -> u64 {
    (u64::from_le_bytes(bytes) & 0x0101_0101_0101_0101).wrapping_mul(0x0102_0408_1020_4080) >> 56
}
