//! Panels: thin matrices with one column a node, and what spectral embedding makes of them.
//!
//! Sums over nodes are added block by block, so that results do not depend on the number of threads.

use ergodict::data::Network;
use ergodict::rng::{ChaCha8Rng, normal};
use pulp::Arch;
use rayon::prelude::*;

/// Nodes of a block whose sums are made by one thread.
const BLOCK: usize = 2048;
/// Nodes whose products are made by one thread before it takes more: few, as degrees differ.
const FEW: usize = 128;
/// Rows that depend on the others up to this share of their length are left out when a panel is made orthonormal.
const DEPENDENT: f64 = 1e-13;
/// Sweeps of rotations after which a matrix is diagonal: ten are usual.
const SWEEPS: usize = 60;

/// A matrix whose columns lie one behind the other.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Panel {
    rows: usize,
    cols: usize,
    values: Vec<f64>,
}

impl Panel {
    pub(super) fn zeros(rows: usize, cols: usize) -> Self {
        Self { rows, cols, values: vec![0.0; rows * cols] }
    }

    pub(super) fn from_fn(rows: usize, cols: usize, mut entry: impl FnMut(usize, usize) -> f64) -> Self {
        let mut values = Vec::with_capacity(rows * cols);
        (0..cols).for_each(|j| (0..rows).for_each(|i| values.push(entry(i, j))));
        Self { rows, cols, values }
    }

    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    pub(super) fn cols(&self) -> usize {
        self.cols
    }

    pub(super) fn get(&self, i: usize, j: usize) -> f64 {
        self.values[j * self.rows + i]
    }

    pub(super) fn col(&self, j: usize) -> &[f64] {
        &self.values[j * self.rows..][..self.rows]
    }

    pub(super) fn col_mut(&mut self, j: usize) -> &mut [f64] {
        &mut self.values[j * self.rows..][..self.rows]
    }

    pub(super) fn values(&self) -> &[f64] {
        &self.values
    }

    pub(super) fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }
}

/// `sum += by · x`.
#[inline(always)]
fn add(sum: &mut [f64], by: f64, x: &[f64]) {
    sum.iter_mut().zip(x).for_each(|(sum, x)| *sum += by * x);
}

/// `into(u) = Σ_v w(v) x(v)` over the neighbors of `u`, after which `finish(u, …)` may change it.
pub(super) fn product(
    network: &Network,
    weights: &[f64],
    x: &Panel,
    into: &mut Panel,
    finish: impl Fn(usize, &mut [f64]) + Sync,
) {
    if (into.rows, into.cols) != (x.rows, x.cols) {
        *into = Panel::zeros(x.rows, x.cols);
    }
    let rows = x.rows.max(1);
    into.values.par_chunks_mut(rows * FEW).enumerate().for_each(|(i, columns)| {
        Arch::new().dispatch(|| {
            for (u, sum) in (i * FEW..).zip(columns.chunks_exact_mut(rows)) {
                sum.fill(0.0);
                for &v in network.neighbors(u) {
                    add(sum, weights[v as usize], x.col(v as usize));
                }
                finish(u, sum);
            }
        });
    });
}

/// `x yᵀ`, summed over the nodes.
pub(super) fn cross(x: &Panel, y: &Panel) -> Panel {
    let part = |i: usize| {
        let mut sum = Panel::zeros(x.rows, y.rows);
        Arch::new().dispatch(|| {
            for u in i * BLOCK..x.cols.min((i + 1) * BLOCK) {
                y.col(u).iter().enumerate().for_each(|(j, &by)| add(sum.col_mut(j), by, x.col(u)));
            }
        });
        sum
    };
    let parts: Vec<Panel> = (0..x.cols.div_ceil(BLOCK)).into_par_iter().map(part).collect();
    let mut total = Panel::zeros(x.rows, y.rows);
    parts.iter().for_each(|part| add(&mut total.values, 1.0, &part.values));
    total
}

/// `wᵀ x`: another panel whose rows are combinations of those of `x`.
pub(super) fn combined(w: &Panel, x: &Panel) -> Panel {
    let w = Panel::from_fn(w.cols, w.rows, |i, j| w.get(j, i));
    let mut into = Panel::zeros(w.rows, x.cols);
    into.values.par_chunks_mut(w.rows.max(1) * FEW).enumerate().for_each(|(i, columns)| {
        Arch::new().dispatch(|| {
            for (u, sum) in (i * FEW..).zip(columns.chunks_exact_mut(w.rows.max(1))) {
                x.col(u).iter().enumerate().for_each(|(j, &by)| add(sum, by, w.col(j)));
            }
        });
    });
    into
}

/// Orthonormal rows that span those of `x`; fewer than it has where they depend on each other.
///
/// By the eigenvectors of the Gram matrix of the rows at length 1, twice, as once leaves an error of the square of
/// its condition (Stathopoulos and Wu 2002).
pub(super) fn orthonormal(x: &Panel) -> Panel {
    let once = whitened(x);
    whitened(&once)
}

fn whitened(x: &Panel) -> Panel {
    let g = cross(x, x);
    let lengths: Vec<f64> = (0..g.cols).map(|i| g.get(i, i).sqrt()).collect();
    let scale = |i: usize| if lengths[i] > 0.0 { 1.0 / lengths[i] } else { 0.0 };
    let (values, vectors) = eigen(&Panel::from_fn(g.rows, g.cols, |i, j| g.get(i, j) * scale(i) * scale(j)));
    let largest = values.last().copied().unwrap_or(0.0);
    let kept: Vec<usize> =
        (0..g.cols).rev().filter(|&j| values[j] > DEPENDENT * largest && values[j] > 0.0).collect();
    let w = |i: usize, j: usize| vectors.get(i, kept[j]) * scale(i) / values[kept[j]].sqrt();
    combined(&Panel::from_fn(g.cols, kept.len(), w), x)
}

/// A panel of standard normal numbers, zero at nodes without neighbors.
pub(super) fn random(network: &Network, rows: usize, rng: &mut ChaCha8Rng) -> Panel {
    let joined = |u: usize| !network.neighbors(u).is_empty();
    Panel::from_fn(rows, network.nodes(), |_, u| if joined(u) { normal(rng) } else { 0.0 })
}

/// Eigenvalues of a symmetric matrix, ascending, and a column for each: by Jacobi's rotations, row after row.
pub(super) fn eigen(matrix: &Panel) -> (Vec<f64>, Panel) {
    let n = matrix.cols;
    let (mut a, mut v) = (matrix.clone(), Panel::from_fn(n, n, |i, j| f64::from(i == j)));
    for _ in 0..SWEEPS {
        let off: f64 = (0..n).map(|j| a.col(j)[..j].iter().map(|x| x * x).sum::<f64>()).sum();
        let all: f64 = a.values.iter().map(|x| x * x).sum();
        if off <= 1e-32 * all {
            break;
        }
        for q in 1..n {
            for p in 0..q {
                let (app, aqq, apq) = (a.get(p, p), a.get(q, q), a.get(p, q));
                if apq.abs() <= 1e-18 * (app.abs() + aqq.abs()) {
                    continue;
                }
                let theta = (aqq - app) / (2.0 * apq);
                let t = theta.signum() / (theta.abs() + theta.hypot(1.0));
                let (c, s) = (1.0 / t.hypot(1.0), t / t.hypot(1.0));
                for matrix in [&mut a, &mut v] {
                    rotate(matrix, p, q, c, s);
                }
                // Rows are the same as columns.
                for k in (0..n).filter(|&k| k != p && k != q) {
                    (a.values[k * n + p], a.values[k * n + q]) = (a.get(k, p), a.get(k, q));
                }
                a.values[p * n + p] = app - t * apq;
                a.values[q * n + q] = aqq + t * apq;
                (a.values[p * n + q], a.values[q * n + p]) = (0.0, 0.0);
            }
        }
    }
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&i, &j| a.get(i, i).total_cmp(&a.get(j, j)));
    (order.iter().map(|&j| a.get(j, j)).collect(), Panel::from_fn(n, n, |i, j| v.get(i, order[j])))
}

/// Turns two columns by an angle.
fn rotate(matrix: &mut Panel, p: usize, q: usize, c: f64, s: f64) {
    let n = matrix.rows;
    let (left, right) = matrix.values.split_at_mut(q * n);
    for (x, y) in left[p * n..][..n].iter_mut().zip(&mut right[..n]) {
        (*x, *y) = (c * *x - s * *y, s * *x + c * *y);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ergodict::rng::{Purpose, stream};

    fn panel(rows: usize, cols: usize) -> Panel {
        let mut rng = stream(0, Purpose::Denoise, 999);
        Panel::from_fn(rows, cols, |_, _| normal(&mut rng))
    }

    #[test]
    fn eigenvectors_are_orthonormal_and_make_the_matrix() {
        for n in [0, 1, 2, 7, 40] {
            let x = panel(n, n);
            let matrix = Panel::from_fn(n, n, |i, j| x.get(i, j) + x.get(j, i));
            let (values, vectors) = eigen(&matrix);
            assert!(values.is_sorted() && values.len() == n);
            let one = |i: usize, j: usize| -> f64 {
                vectors.col(i).iter().zip(vectors.col(j)).map(|(a, b)| a * b).sum()
            };
            for i in 0..n {
                for j in 0..n {
                    assert!((one(i, j) - f64::from(i == j)).abs() < 1e-12, "{n}: {i} {j}");
                    let again: f64 = (0..n).map(|k| vectors.get(i, k) * values[k] * vectors.get(j, k)).sum();
                    assert!((again - matrix.get(i, j)).abs() < 1e-11, "{n}: {i} {j}");
                }
            }
        }
    }

    #[test]
    fn orthonormal_rows_span_the_same_and_know_their_rank() {
        let x = panel(9, 5003);
        // Rows of very different lengths, nearly parallel ones, and two that depend on the others.
        let w = Panel::from_fn(9, 12, |i, j| match j {
            10 => f64::from(i < 2),
            11 => 0.0,
            9 => f64::from(i == 0) - 3.0 * f64::from(i == 5),
            8 => f64::from(i == 7) + 1e-5 * f64::from(i == 8),
            _ => f64::from(i == j) * 10f64.powi(-3 * j as i32),
        });
        let q = orthonormal(&combined(&w, &x));
        assert_eq!((q.rows, q.cols), (9, 5003));
        let g = cross(&q, &q);
        for i in 0..9 {
            for j in 0..9 {
                assert!((g.get(i, j) - f64::from(i == j)).abs() < 1e-13, "{i} {j} {}", g.get(i, j));
            }
        }
        let back = combined(&cross(&q, &x), &q);
        let far = back.values.iter().zip(&x.values).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(far < 1e-7, "{far}");
        assert_eq!(orthonormal(&Panel::zeros(4, 10)).rows, 0);
    }
}
