//! Eigenvalues and eigenvectors of symmetric matrices: Householder's tridiagonal form, then the implicit QL iteration.
//!
//! | step | here | cost |
//! |---|---|---|
//! | `QᵀMQ = T`, tridiagonal | [`tridiagonalize`] | `2n³` |
//! | `Q` itself, only where vectors are wanted | [`accumulate`] | `4n³/3` |
//! | `T = SΛSᵀ`, with shifts of Wilkinson's kind | [`iterate`] | `O(n²)`, with `QS` about `6n³` |
//!
//! Every inner loop runs down a column. The matrix is scaled to entries of at most 1 first, so that no square overflows; entries below [`NOTHING`]
//! count as zeros, so that none vanishes.

use super::simd::{Simd, WithSimd};
use super::{Isa, Mat, MatRef};

/// Entries of at most this are zeros next to the largest, which is 1; their squares are still numbers.
const NOTHING: f64 = 1e-100;

/// QL steps for one eigenvalue; two or three are usual, and 30 are what others allow.
const MOST_STEPS: usize = 60;

/// Eigenvalues (ascending) and orthonormal eigenvectors of a symmetric matrix, of which the lower triangle is read; `None` when an entry is not finite, or
/// when the iteration does not converge.
pub(crate) fn eigen(m: MatRef<'_, f64>) -> Option<(Vec<f64>, Mat<f64>)> {
    let (a, scale) = scaled(m)?;
    let (values, q) = Isa::detect().run(Diagonalize { a, vectors: true })?;
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&i, &j| values[i].total_cmp(&values[j]));
    let vectors = Mat::from_fn(m.rows(), m.cols(), |i, j| q.get(i, order[j]));
    Some((order.iter().map(|&k| scale * values[k]).collect(), vectors))
}

/// The eigenvalues alone, ascending: a quarter of the work.
pub(crate) fn eigenvalues(m: MatRef<'_, f64>) -> Option<Vec<f64>> {
    let (a, scale) = scaled(m)?;
    let (mut values, _) = Isa::detect().run(Diagonalize { a, vectors: false })?;
    values.iter_mut().for_each(|value| *value *= scale);
    values.sort_by(f64::total_cmp);
    Some(values)
}

/// All three steps under the widest instruction set; the order of sums is the same in each.
struct Diagonalize {
    a: Mat<f64>,
    vectors: bool,
}

impl WithSimd for Diagonalize {
    /// Eigenvalues in any order and, where they are wanted, vectors in the same.
    type Output = Option<(Vec<f64>, Mat<f64>)>;

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, _: S) -> Self::Output {
        let (mut diagonal, mut off_diagonal, factors) = tridiagonalize(&mut self.a);
        let mut q = if self.vectors { accumulate(&self.a, &factors) } else { Mat::zeros(0, 0) };
        iterate(&mut diagonal, &mut off_diagonal, &mut q)?;
        Some((diagonal, q))
    }
}

/// The lower triangle mirrored, divided by its largest entry, and that entry; `None` when one is not finite.
fn scaled(m: MatRef<'_, f64>) -> Option<(Mat<f64>, f64)> {
    let n = m.cols();
    let lower = |i: usize, j: usize| m.get(i.max(j), i.min(j));
    let largest = (0..n).flat_map(|j| (j..n).map(move |i| (i, j))).map(|(i, j)| lower(i, j).abs());
    // `max` would drop a NaN.
    let largest = largest.fold(0.0, |most: f64, x| if x > most || x.is_nan() { x } else { most });
    let scale = if largest == 0.0 { 1.0 } else { largest };
    largest.is_finite().then(|| (Mat::from_fn(n, n, |i, j| lower(i, j) / scale), scale))
}

/// Reduces a symmetric matrix to tridiagonal form: its diagonal, the entries next to it (the last is 0), and the factors `τ_k` of the reflections
/// `1 − τ_k v_k v_kᵀ`. The vector `v_k` is left below the diagonal of column `k`.
#[inline(always)]
fn tridiagonalize(a: &mut Mat<f64>) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
    let n = a.cols();
    let (mut off_diagonal, mut factors) = (vec![0.0; n], vec![0.0; n]);
    let (mut v, mut p) = (vec![0.0; n], vec![0.0; n]);
    for k in 0..n.saturating_sub(1) {
        let (v, p) = (&mut v[..n - k - 1], &mut p[..n - k - 1]);
        v.copy_from_slice(&a.col(k)[k + 1..]);
        let norm = dot(v, v).sqrt();
        // Where the column is zero below its first entry there is nothing to reflect.
        if v[1..].iter().all(|x| x.abs() <= NOTHING) {
            off_diagonal[k] = v[0];
            a.col_mut(k)[k + 1..].fill(0.0);
            continue;
        }
        off_diagonal[k] = -norm.copysign(v[0]);
        v[0] -= off_diagonal[k];
        let factor = 2.0 / dot(v, v);
        // A ← A − v wᵀ − w vᵀ with p = τAv and w = p − (τ/2)(pᵀv) v.
        p.fill(0.0);
        for (j, &weight) in v.iter().enumerate() {
            add(p, factor * weight, &a.col(k + 1 + j)[k + 1..]);
        }
        let along = -0.5 * factor * dot(p, v);
        add(p, along, v);
        for j in 0..v.len() {
            let column = &mut a.col_mut(k + 1 + j)[k + 1..];
            let (vj, wj) = (v[j], p[j]);
            for ((x, v), w) in column.iter_mut().zip(&*v).zip(&*p) {
                *x -= v * wj + w * vj;
            }
        }
        factors[k] = factor;
        a.col_mut(k)[k + 1..].copy_from_slice(v);
    }
    ((0..n).map(|k| a.get(k, k)).collect(), off_diagonal, factors)
}

/// The product of the reflections that `tridiagonalize` left in `a`.
#[inline(always)]
fn accumulate(a: &Mat<f64>, factors: &[f64]) -> Mat<f64> {
    let n = a.cols();
    let mut q = Mat::from_fn(n, n, |i, j| f64::from(u8::from(i == j)));
    for k in (0..n.saturating_sub(1)).rev() {
        let v = &a.col(k)[k + 1..];
        for j in k + 1..n {
            let column = &mut q.col_mut(j)[k + 1..];
            let along = -factors[k] * dot(v, column);
            add(column, along, v);
        }
    }
    q
}

/// Diagonalizes the tridiagonal matrix with `diagonal` and the entries `off_diagonal` next to it, applying the rotations to `q`, which may be empty; `None` when it does not converge.
#[inline(always)]
fn iterate(diagonal: &mut [f64], off_diagonal: &mut [f64], q: &mut Mat<f64>) -> Option<()> {
    let n = diagonal.len();
    let norm = diagonal.iter().zip(&*off_diagonal).map(|(d, e)| d.abs() + e.abs()).fold(0.0, f64::max);
    for l in 0..n {
        for step in 0.. {
            // The block that begins at l ends where an off-diagonal entry is nothing next to the whole matrix: no
            // eigenvalue has more digits than that.
            let negligible = |m: &usize| off_diagonal[*m].abs() <= f64::EPSILON * norm;
            let m = (l..n - 1).find(negligible).unwrap_or(n - 1);
            if m == l {
                break;
            }
            if step == MOST_STEPS {
                return None;
            }
            // The shift: the eigenvalue of the leading 2×2 block nearer to its first entry.
            let half = 0.5 * (diagonal[l + 1] - diagonal[l]);
            let shift = diagonal[l]
                - off_diagonal[l] * (off_diagonal[l] / (half + half.hypot(off_diagonal[l]).copysign(half)));
            let (mut sine, mut cosine, mut moved) = (1.0, 1.0, 0.0);
            let mut bulge = diagonal[m] - shift;
            let mut split = false;
            for i in (l..m).rev() {
                let (f, b) = (sine * off_diagonal[i], cosine * off_diagonal[i]);
                let length = f.hypot(bulge);
                off_diagonal[i + 1] = length;
                if length == 0.0 {
                    // The matrix falls into two parts: undo the step begun and start over.
                    diagonal[i + 1] -= moved;
                    off_diagonal[m] = 0.0;
                    split = true;
                    break;
                }
                (sine, cosine) = (f / length, bulge / length);
                bulge = diagonal[i + 1] - moved;
                let turned = (diagonal[i] - bulge) * sine + 2.0 * cosine * b;
                moved = sine * turned;
                diagonal[i + 1] = bulge + moved;
                bulge = cosine * turned - b;
                if q.cols() > 0 {
                    rotate(q, i, cosine, sine);
                }
            }
            if !split {
                diagonal[l] -= moved;
                off_diagonal[l] = bulge;
                off_diagonal[m] = 0.0;
            }
        }
    }
    Some(())
}

/// Turns columns `i` and `i + 1` into each other.
#[inline(always)]
fn rotate(q: &mut Mat<f64>, i: usize, cosine: f64, sine: f64) {
    let (stride, rows) = (q.stride(), q.rows());
    let (left, right) = q.padded_mut()[i * stride..].split_at_mut(stride);
    for (x, y) in left[..rows].iter_mut().zip(&mut right[..rows]) {
        (*x, *y) = (cosine * *x - sine * *y, sine * *x + cosine * *y);
    }
}

#[inline(always)]
fn add(to: &mut [f64], weight: f64, v: &[f64]) {
    for (x, v) in to.iter_mut().zip(v) {
        *x += weight * v;
    }
}

/// The inner product, as eight sums so that it fills registers.
#[inline(always)]
fn dot(x: &[f64], y: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    let (xs, ys) = (x.chunks_exact(8), y.chunks_exact(8));
    let rest: f64 = xs.remainder().iter().zip(ys.remainder()).map(|(x, y)| x * y).sum();
    for (x, y) in xs.zip(ys) {
        for k in 0..8 {
            sums[k] += x[k] * y[k];
        }
    }
    rest + sums.iter().sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::products::{Op, Products};
    use proptest::prelude::*;

    /// Residual `‖MV − VΛ‖` and defect `‖VᵀV − 1‖`, entry by entry, next to the largest entry of `M`.
    fn check(m: &Mat<f64>) {
        let n = m.cols();
        let (values, vectors) = eigen(m.as_ref()).unwrap();
        let largest = m.padded().iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        let allowed = 1e-14 * (n as f64 + 1.0) * largest;
        assert!(values.is_sorted(), "{values:?}");
        for (k, value) in values.iter().enumerate() {
            for i in 0..n {
                let mv: f64 = (0..n).map(|j| m.get(i, j) * vectors.get(j, k)).sum();
                let residual = (mv - value * vectors.get(i, k)).abs();
                assert!(residual <= allowed, "n {n}, {k}: {residual:e} over {allowed:e}");
            }
        }
        let mut defect = Mat::zeros(n, n);
        f64::gram(&mut defect, (Op::Plain, vectors.as_ref()));
        for (i, j) in (0..n * n).map(|ij| (ij / n, ij % n)) {
            let want = f64::from(u8::from(i == j));
            assert!((defect.get(i, j) - want).abs() <= 1e-14 * (n as f64 + 1.0), "{i} {j}");
        }
        let alone = eigenvalues(m.as_ref()).unwrap();
        for (a, b) in alone.iter().zip(&values) {
            assert!((a - b).abs() <= allowed, "{a} {b}");
        }
    }

    fn symmetric(n: usize, mut entry: impl FnMut(usize, usize) -> f64) -> Mat<f64> {
        let half = Mat::from_fn(n, n, |i, j| if i >= j { entry(i, j) } else { 0.0 });
        Mat::from_fn(n, n, |i, j| half.get(i.max(j), i.min(j)))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn random_matrices_are_diagonalized(n in 1..40_usize, seed in prop::collection::vec(-1.0..1.0_f64, 40 * 40), scale in -300..300_i32, zeros in 0..4_usize) {
            let scale = 10.0_f64.powi(scale);
            // With `zeros`, blocks that fall apart and repeated eigenvalues.
            check(&symmetric(n, |i, j| if (i * 7 + j) % 4 < zeros { 0.0 } else { scale * seed[i * 40 + j] }));
        }

        #[test]
        fn gram_matrices_of_low_rank_are_diagonalized(n in 2..30_usize, rank in 0..3_usize, seed in prop::collection::vec(-1.0..1.0_f64, 90)) {
            check(&symmetric(n, |i, j| (0..rank).map(|k| seed[3 * i + k] * seed[3 * j + k]).sum()));
        }
    }

    #[test]
    fn known_spectra() {
        // The path of n nodes: 2 cos(kπ/(n+1)).
        let n = 50;
        let path = symmetric(n, |i, j| f64::from(u8::from(i == j + 1)));
        let values = eigenvalues(path.as_ref()).unwrap();
        for (k, value) in values.iter().enumerate() {
            let want = 2.0 * ((n - k) as f64 * std::f64::consts::PI / (n as f64 + 1.0)).cos();
            assert!((value - want).abs() < 1e-13, "{value} {want}");
        }
        // All ones: n once, and 0.
        let ones = symmetric(9, |_, _| 1.0);
        check(&ones);
        let values = eigenvalues(ones.as_ref()).unwrap();
        assert!((values[8] - 9.0).abs() < 1e-13 && values[..8].iter().all(|v| v.abs() < 1e-13));
        // A star and a complete bipartite network: all eigenvalues but two are 0, and rounding blurs them all.
        for (n, part) in [(150, 1), (150, 40), (301, 150)] {
            check(&symmetric(n, |i, j| f64::from(u8::from(j < part && i >= part)) / 12.3));
        }
        // Wilkinson's W₂₁⁺, whose largest two agree to 1e-13.
        check(&symmetric(
            21,
            |i, j| if i == j { (i as f64 - 10.0).abs() } else { f64::from(u8::from(i == j + 1)) },
        ));
        check(&symmetric(200, |i, j| 1.0 / (i + j + 1) as f64));
    }

    #[test]
    fn edges_empty_zero_one_and_not_finite() {
        assert_eq!(eigen(Mat::zeros(0, 0).as_ref()).unwrap().0, Vec::<f64>::new());
        assert_eq!(eigen(Mat::zeros(3, 3).as_ref()).unwrap().0, [0.0; 3]);
        assert_eq!(eigenvalues(symmetric(1, |_, _| -4.0).as_ref()).unwrap(), [-4.0]);
        for bad in [f64::NAN, f64::INFINITY] {
            let m = symmetric(3, |i, j| if (i, j) == (2, 1) { bad } else { 1.0 });
            assert!(eigen(m.as_ref()).is_none() && eigenvalues(m.as_ref()).is_none());
        }
        check(&symmetric(4, |i, j| 1e-308 * (i + j) as f64));
        // Rows of atoms that were not used for long: their squares are too small to be numbers.
        check(&symmetric(3, |i, j| {
            if i == j {
                1.0
            } else if j == 0 {
                1e-170
            } else {
                0.0
            }
        }));
        for fall in [0.5, 1e-3, 1e-12, 1e-40] {
            check(&symmetric(12, |i, j| ((i * 5 + j * 3) % 7) as f64 * f64::powi(fall, (i + j) as i32)));
        }
        check(&symmetric(200, |_, _| 1.0));
    }
}
