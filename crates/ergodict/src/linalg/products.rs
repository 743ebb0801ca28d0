//! Matrix products and factorisations: the seam to faer.
//!
//! Everything here runs on one thread: two threads inside products of our sizes lose, and a fixed split of the
//! columns by the caller keeps results independent of the thread count.

use super::{Mat, MatRef};
use faer::linalg::matmul::{matmul, triangular};
use faer::{Accum, Par};

/// Whether a factor enters a product as it is or transposed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Op {
    /// As it is.
    Plain,
    /// Transposed.
    Transposed,
}

/// Products of dense matrices.
pub trait Products: Sized {
    /// `dst = α·op(lhs)·op(rhs)`, or `dst += …` when `accumulate`. `dst` must have the right shape.
    fn product(
        dst: &mut Mat<Self>,
        accumulate: bool,
        lhs: (Op, MatRef<'_, Self>),
        rhs: (Op, MatRef<'_, Self>),
        alpha: f64,
    );

    /// `dst = MᵀM` (or `M Mᵀ` when transposed), both triangles filled.
    fn gram(dst: &mut Mat<Self>, m: (Op, MatRef<'_, Self>));

    /// Eigenvalues (ascending) and orthonormal eigenvectors of a symmetric matrix; `None` if the iteration
    /// fails, as it does only on non-finite input.
    fn eigen(m: MatRef<'_, Self>) -> Option<(Vec<f64>, Mat<Self>)>;
}

macro_rules! products {
    ($t:ty) => {
        impl Products for $t {
            fn product(
                dst: &mut Mat<Self>,
                accumulate: bool,
                lhs: (Op, MatRef<'_, Self>),
                rhs: (Op, MatRef<'_, Self>),
                alpha: f64,
            ) {
                let accum = if accumulate { Accum::Add } else { Accum::Replace };
                let (l, r) = (oriented(lhs), oriented(rhs));
                matmul(view_mut(dst), accum, l, r, alpha as $t, Par::Seq);
            }

            fn gram(dst: &mut Mat<Self>, m: (Op, MatRef<'_, Self>)) {
                use triangular::BlockStructure::{Rectangular, TriangularLower};
                let right = oriented(m);
                triangular::matmul(
                    view_mut(dst),
                    TriangularLower,
                    Accum::Replace,
                    right.transpose(),
                    Rectangular,
                    right,
                    Rectangular,
                    1.0,
                    Par::Seq,
                );
                let (n, stride) = (dst.cols(), dst.stride());
                let data = dst.padded_mut();
                for j in 0..n {
                    for i in j + 1..n {
                        data[i * stride + j] = data[j * stride + i];
                    }
                }
            }

            fn eigen(m: MatRef<'_, Self>) -> Option<(Vec<f64>, Mat<Self>)> {
                let e = view(m).self_adjoint_eigen(faer::Side::Lower).ok()?;
                let (u, s) = (e.U(), e.S().column_vector());
                let values = (0..m.cols()).map(|i| f64::from(s[i])).collect();
                Some((values, Mat::from_fn(m.rows(), m.cols(), |i, j| u[(i, j)])))
            }
        }
    };
}
products!(f32);
products!(f64);

fn view<T>(m: MatRef<'_, T>) -> faer::MatRef<'_, T>
where
    T: super::Scalar,
{
    // SAFETY: a `MatRef` guarantees `rows` readable numbers at every multiple of `stride` below `cols`.
    unsafe { faer::MatRef::from_raw_parts(m.as_ptr(), m.rows(), m.cols(), 1, m.stride() as isize) }
}

fn oriented<T: super::Scalar>((op, m): (Op, MatRef<'_, T>)) -> faer::MatRef<'_, T> {
    match op {
        Op::Plain => view(m),
        Op::Transposed => view(m).transpose(),
    }
}

fn view_mut<T: super::Scalar>(m: &mut Mat<T>) -> faer::MatMut<'_, T> {
    let (rows, cols, stride) = (m.rows(), m.cols(), m.stride());
    // SAFETY: the padded buffer holds `cols` columns of `stride ≥ rows` numbers, borrowed exclusively.
    unsafe { faer::MatMut::from_raw_parts_mut(m.padded_mut().as_mut_ptr(), rows, cols, 1, stride as isize) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn product_and_gram_equal_the_triple_loop() {
        let a = Mat::<f64>::from_fn(7, 5, |i, j| (i * 5 + j) as f64 - 3.5);
        let b = Mat::<f64>::from_fn(7, 4, |i, j| (i as f64).sin() + j as f64);
        let mut c = Mat::zeros(5, 4);
        f64::product(&mut c, false, (Op::Transposed, a.as_ref()), (Op::Plain, b.as_ref()), 2.0);
        for i in 0..5 {
            for j in 0..4 {
                let want: f64 = 2.0 * (0..7).map(|k| a.get(k, i) * b.get(k, j)).sum::<f64>();
                assert!((c.get(i, j) - want).abs() < 1e-12 * want.abs().max(1.0));
            }
        }
        let mut g = Mat::zeros(5, 5);
        f64::gram(&mut g, (Op::Plain, a.as_ref()));
        for i in 0..5 {
            for j in 0..5 {
                let want: f64 = (0..7).map(|k| a.get(k, i) * a.get(k, j)).sum();
                assert!((g.get(i, j) - want).abs() < 1e-12 * want.abs().max(1.0));
            }
        }
        let (values, vectors) = f64::eigen(g.as_ref()).unwrap();
        for (k, value) in values.iter().enumerate() {
            for i in 0..5 {
                let gv: f64 = (0..5).map(|j| g.get(i, j) * vectors.get(j, k)).sum();
                assert!((gv - value * vectors.get(i, k)).abs() < 1e-10 * values[4]);
            }
        }
    }
}
