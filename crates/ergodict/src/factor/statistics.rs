//! Statistics of coded columns: a monoid that threads, processes and machines all merge by one operation.
//!
//! | paper | here |
//! |---|---|
//! | `Σ H Hᵀ` | [`Statistics::a`] |
//! | `Σ H Xᵀ` (r×d) | [`Statistics::b_transposed`], kept as its transpose d×r, an atom a column |
//! | `Σ ‖x‖² + λ‖h‖₁ + (κ₂/2)‖h‖²` | [`Statistics::r`] |
//! | number of columns | [`Statistics::weight`] |

use super::code::{Penalty, Supports};
use super::minibatch::Minibatch;
use crate::linalg::products::{Op, mirror};
use crate::linalg::simd::{Simd, WithSimd};
use crate::linalg::{Isa, Mat, MatRef, Scalar};
use crate::{Error, Result};
use rayon::prelude::*;

/// Above this share of nonzero codes a dense product is taken. An estimate, not tuned: the benchmark cases have shares
/// of 0.08 to 0.33 and never come near it.
const DENSE_ABOVE: f64 = 0.5;
/// Columns of `X` that a tile of the sparse product walks over before it moves on, so that they stay in cache.
const COLUMN_BLOCK: usize = 64;
/// Rows of a part of the sparse product: a whole number of tiles of any register.
const PART: usize = 512;
/// Multiplications from which on parts are shared among threads.
const MANY: usize = 1 << 21;

/// Sums over coded columns, all for the same dictionary. Provenance in `f64` whatever the precision of the data.
///
/// `merge` adds; it commutes exactly, and is associative up to the rounding of `f64` sums (exactly so when the sums
/// are exact). Merge in a fixed order to get the same bytes.
///
/// ```
/// use ergodict::factor::{Factorizer, FactorSettings};
/// use ergodict::linalg::Mat;
/// let halves = [0, 4].map(|from| Mat::from_fn(3, 4, |i, j| ((i + 1) * (j + from) % 5) as f64));
/// let all = Mat::from_fn(3, 8, |i, j| halves[j / 4].get(i, j % 4));
/// let mut model = Factorizer::<f64>::random(FactorSettings::new(2), 3, 0)?;
/// let mut sum = model.statistics(&halves[0])?;
/// sum.merge(&model.statistics(&halves[1])?)?;
/// let whole = model.statistics(&all)?;
/// assert!(sum.weight == 8.0 && (sum.r - whole.r).abs() < 1e-9 * whole.r);
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Statistics {
    /// `Σ h hᵀ`, r×r.
    pub a: Mat<f64>,
    /// `Σ x hᵀ`, d×r: the transpose of the paper's `B`.
    pub b_transposed: Mat<f64>,
    /// `Σ ‖x‖² + λ‖h‖₁ + (κ₂/2)‖h‖²`.
    pub r: f64,
    /// How many columns were added.
    pub weight: f64,
}

impl Statistics {
    /// No columns, for `d` features and `r` atoms.
    pub fn zero(features: usize, atoms: usize) -> Self {
        Self { a: Mat::zeros(atoms, atoms), b_transposed: Mat::zeros(features, atoms), r: 0.0, weight: 0.0 }
    }

    /// Adds the sums of other columns coded with the same dictionary.
    ///
    /// # Errors
    /// [`Error::Shape`] when they are for other features or atoms; nothing has changed then.
    pub fn merge(&mut self, other: &Self) -> Result<()> {
        let shape = |s: &Self| (s.b_transposed.rows(), s.b_transposed.cols());
        if shape(self) != shape(other) || self.a.cols() != other.a.cols() {
            let say = |(d, r): (usize, usize)| format!("for {d} features and {r} atoms");
            return Err(Error::shape("one of the statistics", say(shape(other)), say(shape(self))));
        }
        for (x, y) in self.a.padded_mut().iter_mut().zip(other.a.padded()) {
            *x += y;
        }
        for (x, y) in self.b_transposed.padded_mut().iter_mut().zip(other.b_transposed.padded()) {
            *x += y;
        }
        self.r += other.r;
        self.weight += other.weight;
        Ok(())
    }
}

/// Buffers that turn `(X, H)` into `H Hᵀ` and `X Hᵀ`, kept between minibatches.
pub(super) struct Gatherer<T> {
    /// `H Hᵀ` of the last minibatch.
    pub(super) a: Mat<f64>,
    /// `X Hᵀ` of the last minibatch, d×r.
    pub(super) b: Mat<T>,
    /// `H Hᵀ` in the precision of the data, where a dense product makes it.
    dense: Mat<T>,
    /// For each block of columns, atom by atom: which columns use it, and with what code.
    starts: Vec<u32>,
    columns: Vec<u32>,
    codes: Vec<T>,
    /// A masked minibatch with its missing entries filled in.
    filled: Mat<T>,
    /// The support of one column.
    support: Vec<(usize, f64)>,
}

impl<T: Scalar> Gatherer<T> {
    pub(super) fn new() -> Self {
        Self {
            a: Mat::zeros(0, 0),
            b: Mat::zeros(0, 0),
            dense: Mat::zeros(0, 0),
            starts: Vec::new(),
            columns: Vec::new(),
            codes: Vec::new(),
            filled: Mat::zeros(0, 0),
            support: Vec::new(),
        }
    }

    /// Sums the products of a minibatch with its code; under a mask, missing entries of `X` are replaced by those of
    /// `W H` first. Returns `Σ λ‖h‖₁ + (κ₂/2)‖h‖²`, and the squares of the replaced entries.
    pub(super) fn gather(
        &mut self,
        isa: Isa,
        x: Minibatch<'_, T>,
        h: &Mat<T>,
        supports: &Supports,
        w: &Mat<T>,
        penalty: Penalty,
    ) -> (f64, f64) {
        let (d, n, r) = (x.rows(), h.cols(), h.rows());
        if (self.a.rows(), self.b.rows()) != (r, d) {
            self.a.reset(r, r);
            self.b.reset(d, r);
            self.dense.reset(r, r);
        }
        let used = self.index(h, supports);
        let dense = used as f64 > DENSE_ABOVE * (n * r) as f64;
        if dense {
            T::gram(&mut self.dense, (Op::Transposed, h.as_ref()));
            for k in 0..r {
                for (a, x) in self.a.col_mut(k).iter_mut().zip(self.dense.col(k)) {
                    *a = x.to_f64();
                }
            }
        } else {
            self.outer_products(h, supports);
        }
        let mut replaced = 0.0;
        match x {
            Minibatch::Dense(x) if dense => {
                T::product(&mut self.b, false, (Op::Plain, x), (Op::Transposed, h.as_ref()), 1.0);
            }
            Minibatch::Dense(x) => self.sparse_product(isa, x, used),
            Minibatch::Sparse(x) => {
                self.b.reset(d, r);
                for j in 0..n {
                    let (rows, values) = x.col(j);
                    for &k in supports.col(j) {
                        let code = h.get(k as usize, j);
                        let b = self.b.col_mut(k as usize);
                        for (&i, &x) in rows.iter().zip(values) {
                            b[i as usize] += x * code;
                        }
                    }
                }
            }
            Minibatch::Masked { values, observed } => {
                self.filled.shape_to(d, n);
                T::product(&mut self.filled, false, (Op::Plain, w.as_ref()), (Op::Plain, h.as_ref()), 1.0);
                for j in 0..n {
                    for (i, x) in self.filled.col_mut(j).iter_mut().enumerate() {
                        if observed.get(i, j) {
                            *x = values.get(i, j);
                        } else {
                            replaced += x.to_f64() * x.to_f64();
                        }
                    }
                }
                let h = (Op::Transposed, h.as_ref());
                T::product(&mut self.b, false, (Op::Plain, self.filled.as_ref()), h, 1.0);
            }
        }
        let (mut absolute, mut squares) = (0.0, 0.0);
        for &code in &self.codes {
            let code = code.to_f64();
            absolute += code.abs();
            squares += code * code;
        }
        (penalty.lambda * absolute + penalty.kappa2 / 2.0 * squares, replaced)
    }

    /// `X Hᵀ` from the lists of nonzero codes. Large ones are made in parts, which the threads of the pool share.
    fn sparse_product(&mut self, isa: Isa, x: MatRef<'_, T>, used: usize) {
        let (stride, d) = (self.b.stride(), x.rows());
        if x.cols() == 0 {
            return self.b.padded_mut().fill(T::ZERO);
        }
        let Self { b, starts, columns, codes, .. } = self;
        let out = Shared { start: b.padded_mut().as_mut_ptr(), stride };
        let atoms = b.cols();
        assert!(b.rows() == d);
        let part = |rows: std::ops::Range<usize>| {
            isa.run(SparseProduct { x, rows, atoms, out: &out, starts, columns, codes });
        };
        if used * d >= MANY && d > PART && rayon::current_num_threads() > 1 {
            let parts = (0..d.div_ceil(PART)).into_par_iter();
            parts.for_each(|index| part(index * PART..((index + 1) * PART).min(d)));
        } else {
            part(0..d);
        }
    }

    /// Lists the nonzero codes by block of columns, then by atom; returns their number.
    fn index(&mut self, h: &Mat<T>, supports: &Supports) -> usize {
        let (n, r) = (h.cols(), h.rows());
        let blocks = n.div_ceil(COLUMN_BLOCK);
        self.starts.clear();
        self.starts.resize(blocks * r + 1, 0);
        for j in 0..n {
            let counts = &mut self.starts[j / COLUMN_BLOCK * r + 1..][..r];
            for &k in supports.col(j) {
                counts[k as usize] += 1;
            }
        }
        for i in 1..self.starts.len() {
            self.starts[i] += self.starts[i - 1];
        }
        let used = self.starts[blocks * r] as usize;
        self.columns.resize(used.max(self.columns.len()), 0);
        self.codes.resize(used, T::ZERO);
        for j in 0..n {
            let places = &mut self.starts[j / COLUMN_BLOCK * r..][..r];
            let column = h.col(j);
            for &k in supports.col(j) {
                let place = &mut places[k as usize];
                self.columns[*place as usize] = j as u32;
                self.codes[*place as usize] = column[k as usize];
                *place += 1;
            }
        }
        // Filling moved every start to its end, which is the next one's start.
        self.starts.rotate_right(1);
        self.starts[0] = 0;
        used
    }

    /// `H Hᵀ` from the supports, in f64.
    fn outer_products(&mut self, h: &Mat<T>, supports: &Supports) {
        let (n, r) = (h.cols(), h.rows());
        self.a.reset(r, r);
        let stride = self.a.stride();
        let a = self.a.padded_mut();
        for j in 0..n {
            self.support.clear();
            let column = h.col(j);
            self.support.extend(supports.col(j).iter().map(|&k| (k as usize, column[k as usize].to_f64())));
            let entries = &self.support;
            for (i, &(k, hk)) in entries.iter().enumerate() {
                // Supports rise: these are on and below the diagonal.
                let column = &mut a[k * stride..][..r];
                for &(l, hl) in &entries[i..] {
                    // SAFETY: supports hold indices of atoms, below r.
                    unsafe { *column.get_unchecked_mut(l) += hk * hl };
                }
            }
        }
        mirror(&mut self.a);
    }
}

/// Where the threads write rows of their own.
struct Shared<T> {
    start: *mut T,
    stride: usize,
}

// SAFETY: each part of a product writes other rows.
unsafe impl<T: Send + Sync> Sync for Shared<T> {}

/// Rows of `B = X Hᵀ` from the lists of nonzero codes: a tile of rows of one atom stays in registers while the columns that
/// use the atom go by.
struct SparseProduct<'a, 'x, T> {
    x: MatRef<'x, T>,
    /// They begin at a whole number of tiles.
    rows: std::ops::Range<usize>,
    atoms: usize,
    out: &'a Shared<T>,
    starts: &'a [u32],
    columns: &'a [u32],
    codes: &'a [T],
}

impl<T: Scalar> WithSimd for SparseProduct<'_, '_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, s: S) {
        let Self { starts, columns, codes, out: &Shared { start: out, stride }, .. } = self;
        let (n, r, end) = (self.x.cols(), self.atoms, self.rows.end);
        let lanes = T::lanes::<S>();
        let (x, x_stride) = (self.x.as_ptr(), self.x.stride());
        // SAFETY (whole loop): rows at..at+N·lanes are below end ≤ d ≤ stride, columns are those of X, atoms those of B.
        let sum = |block: usize, at: usize, k: usize| {
            let range = starts[block * r + k] as usize..starts[block * r + k + 1] as usize;
            let list = columns[range.clone()].iter().zip(&codes[range]);
            (unsafe { out.add(k * stride + at) }, list)
        };
        for block in 0..n.div_ceil(COLUMN_BLOCK) {
            let fresh = block == 0;
            let mut at = self.rows.start;
            while at + 8 * lanes <= end {
                for k in 0..r {
                    let (place, list) = sum(block, at, k);
                    unsafe { tile::<T, S, 8>(s, x.add(at), x_stride, place, list, fresh) };
                }
                at += 8 * lanes;
            }
            while at + lanes <= end {
                let wide = (end - at) / lanes >= 4;
                for k in 0..r {
                    let (place, list) = sum(block, at, k);
                    if wide {
                        unsafe { tile::<T, S, 4>(s, x.add(at), x_stride, place, list, fresh) };
                    } else {
                        unsafe { tile::<T, S, 1>(s, x.add(at), x_stride, place, list, fresh) };
                    }
                }
                at += if wide { 4 * lanes } else { lanes };
            }
            if at < end {
                for k in 0..r {
                    let (place, list) = sum(block, at, k);
                    for i in 0..end - at {
                        unsafe {
                            let mut total = if fresh { T::ZERO } else { *place.add(i) };
                            for (&j, &code) in list.clone() {
                                total += code * *x.add(j as usize * x_stride + at + i);
                            }
                            *place.add(i) = total;
                        }
                    }
                }
            }
        }
    }
}

/// `N` registers of one atom's sum.
///
/// # Safety
/// `x` must have `N` registers at every column listed, `place` room for `N`.
#[inline(always)]
unsafe fn tile<'a, T: Scalar, S: Simd, const N: usize>(
    s: S,
    x: *const T,
    x_stride: usize,
    place: *mut T,
    list: impl Iterator<Item = (&'a u32, &'a T)>,
    fresh: bool,
) {
    let lanes = T::lanes::<S>();
    // SAFETY: promised by the caller.
    unsafe {
        let mut sums: [T::V<S>; N] = std::array::from_fn(|i| {
            if fresh { T::splat(s, T::ZERO) } else { T::load::<S>(place.add(i * lanes)) }
        });
        for (&j, &code) in list {
            let column = x.add(j as usize * x_stride);
            let code = T::splat(s, code);
            for (i, sum) in sums.iter_mut().enumerate() {
                *sum = T::mul_add(s, code, T::load::<S>(column.add(i * lanes)), *sum);
            }
        }
        for (i, sum) in sums.iter().enumerate() {
            T::store::<S>(place.add(i * lanes), *sum);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::common::Random;
    use crate::factor::code::{CodeSet, Coder};
    use crate::factor::minibatch::{Mask, SparseRef};

    #[test]
    fn products_are_those_of_the_plain_sums_whatever_the_density_and_the_blocks() {
        let mut random = Random::new(1);
        let sizes = [(1, 1, 1), (3, 2, 1), (8, 5, 63), (33, 6, 64), (70, 7, 65), (5, 20, 129), (600, 9, 40)];
        let mut densities = [false; 2];
        for (d, r, n) in sizes {
            let w = random.uniforms(d, r);
            let x =
                Mat::from_fn(d, n, |_, _| if random.chance(0.4) { random.between(0.0, 2.0) } else { 0.0 });
            let (mut starts, mut rows, mut values) = (vec![0], Vec::new(), Vec::new());
            for j in 0..n {
                for (i, &x) in x.col(j).iter().enumerate().filter(|(_, x)| **x != 0.0) {
                    rows.push(i as u32);
                    values.push(x);
                }
                starts.push(rows.len());
            }
            let mask = Mask::from_fn(d, n, |i, j| (i + 2 * j) % 3 != 1);
            for (lambda, set) in
                [(0.0, CodeSet::Free), (0.3, CodeSet::Nonnegative), (1e9, CodeSet::Nonnegative)]
            {
                let penalty = Penalty { lambda, kappa2: 0.25 };
                let mut gatherer = Gatherer::new();
                for minibatch in [
                    Minibatch::Dense(x.as_ref()),
                    Minibatch::Sparse(SparseRef::new(d, &starts, &rows, &values).unwrap()),
                    Minibatch::Masked { values: x.as_ref(), observed: &mask },
                ] {
                    let mut coder = Coder::new(penalty, set);
                    coder.set_dictionary(&w);
                    let (mut h, mut costs) = (Mat::zeros(0, 0), Vec::new());
                    coder.code(minibatch, &w, &mut h, false, &mut costs).unwrap();
                    let masked = matches!(minibatch, Minibatch::Masked { .. });
                    let rebuilt = |i: usize, j: usize| (0..r).map(|k| w.get(i, k) * h.get(k, j)).sum::<f64>();
                    let missing = |i: usize, j: usize| masked && !mask.get(i, j);
                    let full =
                        Mat::from_fn(d, n, |i, j| if missing(i, j) { rebuilt(i, j) } else { x.get(i, j) });
                    let places = || (0..n).flat_map(|j| (0..d).map(move |i| (i, j)));
                    let unseen = places().filter(|&(i, j)| missing(i, j));
                    let filled: f64 = unseen.map(|(i, j)| rebuilt(i, j).powi(2)).sum();
                    let codes = || (0..n).flat_map(|j| h.col(j));
                    let share = codes().filter(|h| **h != 0.0).count() as f64 / (n * r) as f64;
                    densities[usize::from(share > DENSE_ABOVE)] = true;
                    let expected = codes().map(|h| lambda * h.abs() + 0.125 * h * h).sum::<f64>();
                    for isa in Isa::available() {
                        let (found, replaced) =
                            gatherer.gather(isa, minibatch, &h, coder.supports(), &w, penalty);
                        let near = |found: f64, expected: f64| {
                            let close = (found - expected).abs() < 1e-9 * (1.0 + expected.abs());
                            assert!(close, "{d}, {r}, {n}, {lambda}: {found} for {expected}");
                        };
                        near(found, expected);
                        near(replaced, filled);
                        let dot = |a: &dyn Fn(usize) -> f64, b: &dyn Fn(usize) -> f64| {
                            (0..n).map(|j| a(j) * b(j)).sum::<f64>()
                        };
                        for k in 0..r {
                            let h_k = |j: usize| h.get(k, j);
                            for l in 0..r {
                                near(gatherer.a.get(k, l), dot(&h_k, &|j| h.get(l, j)));
                            }
                            for i in 0..d {
                                near(gatherer.b.get(i, k), dot(&|j| full.get(i, j), &h_k));
                            }
                        }
                    }
                }
            }
        }
        assert_eq!(densities, [true; 2]);
    }

    #[test]
    fn statistics_add_up_and_those_of_other_sizes_are_refused() {
        let of = |d: usize, r: usize, size: f64| Statistics {
            a: Mat::from_fn(r, r, |i, j| size * (i + j) as f64),
            b_transposed: Mat::from_fn(d, r, |i, j| size * (i * j) as f64 + 1.0),
            r: size,
            weight: 3.0 * size,
        };
        let mut sum = Statistics::zero(4, 3);
        assert_eq!((sum.r, sum.weight, sum.b_transposed.rows(), sum.a.cols()), (0.0, 0.0, 4, 3));
        sum.merge(&of(4, 3, 1.0)).unwrap();
        sum.merge(&of(4, 3, 2.0)).unwrap();
        assert_eq!((sum.r, sum.weight), (3.0, 9.0));
        assert_eq!(sum.a, of(4, 3, 3.0).a);
        assert_eq!(sum.b_transposed.get(3, 2), 3.0 * 6.0 + 2.0);
        let before = sum.clone();
        for other in [of(3, 3, 1.0), of(4, 2, 1.0)] {
            let message = sum.merge(&other).unwrap_err().to_string();
            assert!(message.contains("for 4 features and 3 atoms"), "{message}");
            assert_eq!(sum, before);
        }
    }
}
