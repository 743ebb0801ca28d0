//! Means over sampled homomorphisms: the mesoscale patch, and the matrix of average clustering coefficients.
//!
//! | symbol | here | where |
//! |---|---|---|
//! | `E_{x∼π_F} A_x`, the mesoscale patch mean | [`Macc::mean`] | docs/maths.md, Homomorphisms |
//! | `MACC(i,j) = t(F ∪ (i,j), 𝒢 \| F)` | [`Macc::matrix`] | Lyu, Mémoli, Sivakoff, *Sampling random graph homomorphisms* |
//!
//! For `(i,j)` outside `F` both are `E A(x(i),x(j))`: on networks without weights the probability of an edge
//! there. For `(i,j) ∈ F` the edge is there already, and `MACC(i,j) = 1`, while the mean patch has
//! `E A(x(i),x(j))`, which differs from 1 on weighted networks. An edge of the motif has a direction only in
//! directed networks: there `(j,i)` is another edge than `(i,j) ∈ F`, and `MACC(j,i) = E A(x(j),x(i))`; in
//! undirected ones it is the same, and `MACC(j,i) = 1`. The diagonal is that of loops.

use super::Motif;
use crate::linalg::{Mat, Scalar};

/// Planes of the counters of bits: one mask less than they can count is added before they are emptied.
const PLANES: usize = 8;

/// Sums of patches, and their number.
///
/// `MACC(i,j) = E_{x∼π} A(x(i),x(j))` for `(i,j)` outside of the motif, k×k, and 1 at the motif's own edges.
///
/// ```
/// use ergodict::{chain::Motif, data::Network, patch::Measures};
/// let network = std::sync::Arc::new(Network::simple(4, &[(0, 1), (1, 2), (2, 0), (2, 3)])?);
/// let measures = Measures::new(&network, &Motif::path(3)?, None, true)?;
/// let mut measured = measures.none_yet();
/// measures.measure(&[0, 1, 2, 0, 2, 3], &mut measured); // 0 and 2 are joined, 0 and 3 are not
/// assert_eq!(measures.coefficients(&measured.macc.unwrap())[2], 0.5); // row 0, column 2
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Macc {
    k: usize,
    count: u64,
    /// Sums of patches that were numbers, row by row.
    sums: Vec<f64>,
    /// How often each bit was set: pairs `a < b` at `b(b−1)/2 + a`, then the diagonal.
    ones: Vec<u64>,
    /// Counters that are not in `ones` yet: plane `p` of a word has bit `p` of the counters of its 64 bits.
    planes: Vec<[u64; PLANES]>,
    /// Masks in the planes.
    waiting: usize,
}

impl Macc {
    /// Nothing yet, of patches of `k` nodes.
    pub(crate) fn new(k: usize) -> Self {
        let bits = k * (k + 1) / 2;
        Self {
            k,
            count: 0,
            sums: vec![0.0; k * k],
            ones: vec![0; bits],
            planes: vec![[0; PLANES]; bits.div_ceil(64)],
            waiting: 0,
        }
    }

    /// Number of patches.
    #[cfg(test)]
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// Adds a patch of `k²` numbers, row by row.
    pub(crate) fn add<T: Scalar>(&mut self, patch: &[T]) {
        assert_eq!(patch.len(), self.sums.len(), "numbers of a patch");
        self.sums.iter_mut().zip(patch).for_each(|(sum, x)| *sum += x.to_f64());
        self.count += 1;
    }

    /// Adds a symmetric patch of zeros and ones by its bits: the pairs `a < b` at `b(b−1)/2 + a`, then the
    /// diagonal; bits of a mask that ends before are zeros.
    pub(crate) fn add_bits(&mut self, mask: &[u64]) {
        assert!(mask.len() <= self.planes.len(), "{} words of a mask", mask.len());
        for (planes, &word) in self.planes.iter_mut().zip(mask) {
            let mut carry = word;
            for plane in planes {
                (*plane, carry) = (*plane ^ carry, *plane & carry);
                if carry == 0 {
                    break;
                }
            }
        }
        self.count += 1;
        self.waiting += 1;
        if self.waiting + 1 == 1 << PLANES {
            self.empty_planes();
        }
    }

    fn empty_planes(&mut self) {
        let planes = self.planes.iter_mut().map(std::mem::take);
        for (ones, planes) in self.ones.chunks_mut(64).zip(planes) {
            for (bit, count) in ones.iter_mut().enumerate() {
                *count += planes.iter().zip(0..).map(|(plane, p)| (plane >> bit & 1) << p).sum::<u64>();
            }
        }
        self.waiting = 0;
    }

    /// Adds all that another has seen, of patches of the same size. Counts of bits merge exactly.
    pub fn merge(&mut self, other: &Self) {
        assert_eq!(self.k, other.k, "nodes of a patch");
        let mut other = other.clone();
        other.empty_planes();
        self.sums.iter_mut().zip(&other.sums).for_each(|(sum, x)| *sum += x);
        self.ones.iter_mut().zip(&other.ones).for_each(|(one, x)| *one += x);
        self.count += other.count;
    }

    /// The mean of the patches, `E A_x`, with entry `(a, b)` at row `a`; NaN before the first.
    pub(crate) fn mean(&self) -> Mat<f64> {
        let mut all = self.clone();
        all.empty_planes();
        let diagonal = all.k * all.k.saturating_sub(1) / 2;
        Mat::from_fn(all.k, all.k, |a, b| {
            let (low, high) = (a.min(b), a.max(b));
            let at = if a == b { diagonal + a } else { high * (high - 1) / 2 + low };
            (all.sums[a * all.k + b] + all.ones[at] as f64) / all.count as f64
        })
    }

    /// The matrix of average clustering coefficients, from patches of homomorphisms of `motif` into a network
    /// that is `directed` or not.
    pub(crate) fn matrix(&self, motif: &Motif, directed: bool) -> Mat<f64> {
        assert_eq!(self.k, motif.k(), "nodes of a patch");
        let mut matrix = self.mean();
        if self.count == 0 {
            return matrix;
        }
        for &(i, j) in motif.edges() {
            matrix.col_mut(j as usize)[i as usize] = 1.0;
            if !directed {
                matrix.col_mut(i as usize)[j as usize] = 1.0;
            }
        }
        matrix
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, stream};
    use rand_chacha::rand_core::Rng;

    #[test]
    fn bits_in_planes_are_counted_as_one_by_one_however_they_are_split() {
        for k in [1usize, 2, 11, 21] {
            let bits = k * (k + 1) / 2;
            let words = bits.div_ceil(64);
            let mut rng = stream(k as u64, Purpose::Synthetic, 0);
            let (mut whole, mut parts) = (Macc::new(k), [Macc::new(k), Macc::new(k), Macc::new(k)]);
            let mut plain = vec![0u32; bits];
            for i in 0..1000 {
                let mut mask: Vec<u64> = (0..words).map(|_| rng.next_u64() | rng.next_u64()).collect();
                mask[words - 1] &= u64::MAX >> (64 * words - bits);
                mask[0] |= 1; // a counter that is full just when the planes are
                (0..bits).for_each(|bit| plain[bit] += (mask[bit / 64] >> (bit % 64) & 1) as u32);
                whole.add_bits(&mask);
                parts[i * i % 3].add_bits(&mask);
            }
            let mut merged = Macc::new(k);
            parts.iter().for_each(|part| merged.merge(part));
            assert_eq!((merged.count(), merged.mean()), (1000, whole.mean()));
            let mean = whole.mean();
            for b in 0..k {
                for a in 0..b {
                    let exact = f64::from(plain[b * (b - 1) / 2 + a]) / 1000.0;
                    assert_eq!((mean.get(a, b), mean.get(b, a)), (exact, exact));
                }
                assert_eq!(mean.get(b, b), f64::from(plain[k * (k - 1) / 2 + b]) / 1000.0);
            }
        }
    }

    #[test]
    fn numbers_and_bits_add_up_and_edges_of_the_motif_are_ones() {
        let mut macc = Macc::new(2);
        assert!(macc.mean().get(0, 1).is_nan());
        macc.add(&[0.5, 3.0, 1.0, 0.0]);
        macc.add_bits(&[0b101]);
        let entries = |m: Mat<f64>| [m.get(0, 0), m.get(0, 1), m.get(1, 0), m.get(1, 1)];
        assert_eq!(entries(macc.mean()), [0.25, 2.0, 1.0, 0.5]);
        let motif = Motif::new(2, vec![(1, 0)]).unwrap();
        assert_eq!(entries(macc.matrix(&motif, true)), [0.25, 2.0, 1.0, 0.5]);
        assert_eq!(entries(macc.matrix(&motif, false)), [0.25, 1.0, 1.0, 0.5]);
        macc.add(&[0.0f32, 3.0, 2.5, 0.0]);
        assert_eq!(macc.matrix(&motif, true).get(1, 0), 1.0);
        assert_eq!(macc.mean().get(1, 0), 1.5);
    }
}
