//! Patches of networks: the matrix `A_x` of the nodes of a homomorphism, straight into the columns of a minibatch.
//!
//! | symbol | here | where |
//! |---|---|---|
//! | `x` | `x`, `k` nodes; `xs`, many of them one after another | docs/maths.md, Homomorphisms |
//! | `A_x(a,b) = A(x(a), x(b))` | entry `a·k + b` of a column | docs/maths.md, Patches |
//!
//! Where `x` has a node twice, at `a` and `b`, `A_x(a,b)` is its loop: 0 in networks without loops.
//!
//! **Bits.** Of an undirected network without weights a patch is one bit for every pair `a < b`, at `b(b−1)/2 + a`; with
//! loops the diagonal follows, bit `a` of it at `k(k−1)/2 + a`. This order is that of the pairs' larger node, so that the bits of
//! the first nodes are the same for every `k`.

use crate::data::{Adjacency, Network, Pairs, pair_bits};
use crate::linalg::{Mat, Scalar};
use std::sync::Arc;

/// Nodes whose pairs with one node are a word.
const WORD: usize = 64;

/// Cuts patches out of a network.
///
/// `A_x(a,b) = A(x(a), x(b))` for a homomorphism `x` of k nodes: a column of k² numbers with entry `(a,b)` at `a·k + b`; for undirected networks without weights also
/// one bit for each pair `a < b`, at `b(b−1)/2 + a`.
///
/// ```
/// use ergodict::{data::{Adjacency, Network}, patch::NetworkPatches};
/// let network = std::sync::Arc::new(Network::simple(4, &[(0, 1), (1, 2), (2, 0), (2, 3)])?);
/// let patches = NetworkPatches::new(&network, 3, Adjacency::BUDGET);
/// let mut column = [0.0; 9];
/// patches.write(&[0, 2, 3], &mut column);
/// assert_eq!(column, [0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0]);
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct NetworkPatches {
    adjacency: Adjacency,
    k: usize,
    directed: bool,
    weighted: bool,
    loops: bool,
}

impl NetworkPatches {
    /// For homomorphisms of `k ≥ 1` nodes; `budget` as for [`Adjacency::new`].
    ///
    /// The functions below panic for what is not made of whole patches of nodes of the network.
    pub fn new(network: &Arc<Network>, k: usize, budget: usize) -> Self {
        Self::with(Adjacency::new(network, budget), k)
    }

    /// The same with a test of adjacency that is there already.
    pub(crate) fn with(adjacency: Adjacency, k: usize) -> Self {
        assert!(k > 0, "patches of no nodes");
        let network = adjacency.network();
        let (directed, weighted, loops) = (network.is_directed(), network.is_weighted(), network.loops() > 0);
        Self { adjacency, k, directed, weighted, loops }
    }

    /// The network.
    pub fn network(&self) -> &Arc<Network> {
        self.adjacency.network()
    }

    /// The test of adjacency.
    pub(crate) fn adjacency(&self) -> &Adjacency {
        &self.adjacency
    }

    /// Nodes of a homomorphism.
    pub fn k(&self) -> usize {
        self.k
    }

    /// Numbers of a patch, `k²`.
    pub(crate) fn features(&self) -> usize {
        self.k * self.k
    }

    /// Whether the bits of a patch are the whole of it: the network is undirected and without weights.
    pub(crate) fn are_bits(&self) -> bool {
        !self.directed && !self.weighted
    }

    /// Bits of a patch: `k(k−1)/2`, and `k` more in networks with loops.
    pub(crate) fn bit_count(&self) -> usize {
        pairs(self.k) + if self.loops { self.k } else { 0 }
    }

    /// Words that hold the bits of a patch.
    pub fn words(&self) -> usize {
        self.bit_count().div_ceil(64)
    }

    /// Writes the patch of `x`, row by row.
    pub fn write<T: Scalar>(&self, x: &[u32], column: &mut [T]) {
        assert_eq!(x.len(), self.k, "the nodes of a homomorphism");
        self.write_columns(x, column, self.features());
    }

    /// Writes the patches of `xs`, one a column; resizes `out`.
    pub(crate) fn write_all<T: Scalar>(&self, xs: &[u32], out: &mut Mat<T>) {
        out.shape_to(self.features(), self.patches(xs));
        let stride = out.stride();
        self.write_columns(xs, out.padded_mut(), stride);
    }

    /// The same into columns that begin `stride` numbers after one another.
    pub(super) fn write_strided<T: Scalar>(&self, xs: &[u32], columns: &mut [T], stride: usize) {
        assert!(
            self.patches(xs) * stride <= columns.len() && stride >= self.features(),
            "room for the patches"
        );
        self.write_columns(xs, columns, stride);
    }

    /// Writes the bits of the patch of `x`: whether `A(x(a), x(b)) > 0` for `a < b`, in the order that the head of this file
    /// has. Of directed and weighted networks that is less than the patch, see [`NetworkPatches::are_bits`].
    pub(crate) fn bits(&self, x: &[u32], mask: &mut [u64]) {
        assert_eq!(x.len(), self.k, "the nodes of a homomorphism");
        self.bits_all(x, mask);
    }

    /// The same for many, [`NetworkPatches::words`] each.
    pub fn bits_all(&self, xs: &[u32], masks: &mut [u64]) {
        let (k, words) = (self.k, self.words());
        assert_eq!(masks.len(), self.patches(xs) * words, "words of masks");
        masks.fill(0);
        if k <= WORD {
            self.adjacency.each_patch(xs, Pairs { k, whole: false }, |patch, bits| {
                masks[patch * words..].iter_mut().zip(bits).for_each(|(to, &from)| *to = from);
            });
        } else {
            for (x, mask) in xs.chunks_exact(k).zip(masks.chunks_exact_mut(words)) {
                for (a, b) in (0..k).flat_map(|b| (0..b).map(move |a| (a, b))) {
                    let at = pairs(b) + a;
                    mask[at / 64] |= u64::from(self.adjacency.contains(x[a], x[b])) << (at % 64);
                }
            }
        }
        if self.loops {
            for (x, mask) in xs.chunks_exact(k).zip(masks.chunks_exact_mut(words)) {
                for (at, &u) in (pairs(k)..).zip(x) {
                    mask[at / 64] |= u64::from(self.adjacency.contains(u, u)) << (at % 64);
                }
            }
        }
    }

    /// Writes the symmetric patch of zeros and ones whose bits are given.
    pub(crate) fn expand<T: Scalar>(&self, mask: &[u64], column: &mut [T]) {
        let k = self.k;
        assert_eq!(
            (mask.len(), column.len()),
            (self.words(), self.features()),
            "words and numbers of a patch"
        );
        if k <= WORD {
            let mut rows = [0; WORD];
            mirror(mask, &mut rows[..k]);
            if self.loops {
                let diagonal = pair_bits(mask, pairs(k), k);
                rows.iter_mut().enumerate().for_each(|(a, row)| *row |= diagonal & 1 << a);
            }
            write_rows(&rows[..k], &quads(), column);
            return;
        }
        let value = |at: usize| if mask[at / 64] >> (at % 64) & 1 == 1 { T::ONE } else { T::ZERO };
        for b in 0..k {
            for a in 0..b {
                let value = value(pairs(b) + a);
                (column[a * k + b], column[b * k + a]) = (value, value);
            }
            column[b * k + b] = if self.loops { value(pairs(k) + b) } else { T::ZERO };
        }
    }

    /// How many patches `xs` holds.
    fn patches(&self, xs: &[u32]) -> usize {
        assert_eq!(xs.len() % self.k, 0, "nodes beyond whole patches of {}", self.k);
        xs.len() / self.k
    }

    #[inline]
    fn weight(&self, x: &[u32], a: usize, b: usize) -> f64 {
        if self.weighted { self.network().weight(x[a] as usize, x[b] as usize) } else { 1.0 }
    }

    fn write_columns<T: Scalar>(&self, xs: &[u32], columns: &mut [T], stride: usize) {
        let (k, features) = (self.k, self.features());
        if k <= WORD && !self.weighted {
            let quads = quads();
            self.row_masks(xs, |patch, rows| {
                write_rows(rows, &quads, &mut columns[patch * stride..][..features]);
            });
            return;
        }
        for patch in 0..xs.len() / k {
            columns[patch * stride..][..features].fill(T::ZERO);
        }
        self.visit(xs, |patch, a, b| {
            let column = &mut columns[patch * stride..][..features];
            // The other half of a symmetric patch has been written.
            let mirrored = !self.directed && b < a;
            let x = &xs[patch * k..][..k];
            column[a * k + b] = if mirrored { column[b * k + a] } else { T::from_f64(self.weight(x, a, b)) };
        });
    }

    /// Tells `each` the places that are not zero, patch by patch and row by row.
    fn visit(&self, xs: &[u32], mut each: impl FnMut(usize, usize, usize)) {
        if self.k <= WORD {
            self.row_masks(xs, |patch, rows| {
                for (a, &row) in rows.iter().enumerate() {
                    ones(row, |b| each(patch, a, b));
                }
            });
            return;
        }
        for (patch, x) in xs.chunks_exact(self.k).enumerate() {
            for (a, &u) in x.iter().enumerate() {
                for (b, &v) in x.iter().enumerate() {
                    if self.adjacency.contains(u, v) {
                        each(patch, a, b);
                    }
                }
            }
        }
    }

    /// Tells `each` the rows of every patch of at most [`WORD`] nodes: bit `b` of row `a` for `A_x(a,b) > 0`.
    fn row_masks(&self, xs: &[u32], mut each: impl FnMut(usize, &[u64])) {
        let (k, mut rows) = (self.k, [0u64; WORD]);
        let pairs = Pairs { k, whole: self.directed };
        self.adjacency.each_patch(xs, pairs, |patch, bits| {
            rows[..k].fill(0);
            if self.directed {
                for b in 0..k {
                    ones(pair_bits(bits, b * k, k), |a| rows[a] |= 1 << b);
                }
            } else {
                mirror(bits, &mut rows[..k]);
                if self.loops {
                    let nodes = xs[patch * k..].iter().zip(&mut rows[..k]).enumerate();
                    nodes.for_each(|(a, (&v, row))| *row |= u64::from(self.adjacency.contains(v, v)) << a);
                }
            }
            each(patch, &rows[..k]);
        });
    }
}

/// The rows of a symmetric patch, without its diagonal, of the bits of its pairs; `rows` must be zeros.
#[inline]
fn mirror(bits: &[u64], rows: &mut [u64]) {
    for b in 0..rows.len() {
        let column = pair_bits(bits, pairs(b), b);
        ones(column, |a| rows[a] |= 1 << b);
        rows[b] |= column;
    }
}

/// The numbers that four bits stand for.
fn quads<T: Scalar>() -> [[T; 4]; 16] {
    std::array::from_fn(|bits| std::array::from_fn(|i| if bits >> i & 1 == 1 { T::ONE } else { T::ZERO }))
}

/// Writes rows of bits as zeros and ones, four at a time.
#[inline]
fn write_rows<T: Scalar>(rows: &[u64], quads: &[[T; 4]; 16], column: &mut [T]) {
    for (&row, out) in rows.iter().zip(column.chunks_exact_mut(rows.len())) {
        let (fours, rest) = out.as_chunks_mut::<4>();
        let mut left = row;
        for four in fours {
            *four = quads[left as usize % 16];
            left >>= 4;
        }
        rest.iter_mut().zip(quads[left as usize % 16]).for_each(|(out, number)| *out = number);
    }
}

/// Pairs of `k` nodes, and the bit where those of node `k` with smaller ones begin.
fn pairs(k: usize) -> usize {
    k * k.saturating_sub(1) / 2
}

/// Calls `each` with the places of the ones, ascending.
#[inline(always)]
fn ones(mut word: u64, mut each: impl FnMut(usize)) {
    while word != 0 {
        each(word.trailing_zeros() as usize);
        word &= word - 1;
    }
}

#[cfg(test)]
mod tests;
