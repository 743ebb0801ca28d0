//! Panels: thin matrices with one column a node, and their products with sparse and with small matrices.
//!
//! A panel is the transpose of what is usually written, `k × n` with `k` in the tens or hundreds, so that the numbers of a
//! node lie together: a product with the network gathers whole cache lines. Work is cut into blocks of nodes, and
//! sums over nodes are added block by block, so that results do not depend on the number of threads.

use crate::data::Network;
use crate::linalg::eigen::eigen;
use crate::linalg::products::{Op, Products};
use crate::linalg::simd::{Simd, WithSimd};
use crate::linalg::{Isa, Mat};
use crate::rng::{ChaCha8Rng, normal};
use rayon::prelude::*;

/// Nodes of a block whose sums are made by one thread.
const BLOCK: usize = 2048;

/// Nodes whose products are made by one thread before it takes more: few, as degrees differ.
const FEW: usize = 128;

/// Rows of a panel that depend on the others up to this share of their length are left out when it is made orthonormal:
/// squares are known to about 10⁻¹⁶.
const DEPENDENT: f64 = 1e-13;

/// The entries `own(u) + other(v)` at the edges of a network, one of them left out when it is zero everywhere.
#[derive(Clone, Copy)]
pub(super) struct Weights<'a> {
    pub(super) own: Option<&'a [f64]>,
    pub(super) other: Option<&'a [f64]>,
}

/// `into(u) = Σ_v w(u,v) x(v)` over the neighbors of `u`, after which `finish(u, …)` may change it.
pub(super) fn product(
    network: &Network,
    weights: Weights<'_>,
    x: &Mat<f64>,
    into: &mut Mat<f64>,
    finish: impl Fn(usize, &mut [f64]) + Sync,
) {
    into.shape_to(x.rows(), x.cols());
    let stride = into.stride().max(1);
    into.padded_mut().par_chunks_mut(stride * FEW).enumerate().for_each(|(i, columns)| {
        let first = i * FEW;
        Isa::detect().run(Gather { network, weights, x, first, columns: &mut *columns });
        for (u, column) in (first..).zip(columns.chunks_exact_mut(stride)) {
            finish(u, &mut column[..x.rows()]);
        }
    });
}

struct Gather<'a> {
    network: &'a Network,
    weights: Weights<'a>,
    x: &'a Mat<f64>,
    first: usize,
    columns: &'a mut [f64],
}

impl WithSimd for Gather<'_> {
    type Output = ();
    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let (stride, x) = (self.x.stride(), self.x.padded());
        let at = |v: u32| &x[v as usize * stride..][..stride];
        for (u, sum) in (self.first..).zip(self.columns.chunks_exact_mut(stride.max(1))) {
            let own = self.weights.own.map_or(0.0, |own| own[u]);
            let other = self.weights.other;
            let weight = |v: u32| other.map_or(own, |other| own + other[v as usize]);
            sum.fill(0.0);
            // Four neighbors at a time, so that the sum is read and written a fourth as often.
            let fours = self.network.neighbors(u).chunks_exact(4);
            let rest = fours.remainder();
            for four in fours {
                let (a, b, c, d) = (at(four[0]), at(four[1]), at(four[2]), at(four[3]));
                let (p, q, r, s) = (weight(four[0]), weight(four[1]), weight(four[2]), weight(four[3]));
                for i in 0..stride {
                    sum[i] += (p * a[i] + q * b[i]) + (r * c[i] + s * d[i]);
                }
            }
            for &v in rest {
                let (a, p) = (at(v), weight(v));
                for i in 0..stride {
                    sum[i] += p * a[i];
                }
            }
        }
    }
}

/// `x yᵀ`, summed over the nodes.
#[cfg(test)]
fn cross(x: &Mat<f64>, y: &Mat<f64>) -> Mat<f64> {
    summed(x.cols(), x.rows(), y.rows(), |from, to, sum| {
        let (x, y) = (x.as_ref().columns(from, to), y.as_ref().columns(from, to));
        f64::product(sum, false, (Op::Plain, x), (Op::Transposed, y), 1.0);
    })
}

/// `x xᵀ`, summed over the nodes.
pub(super) fn gram(x: &Mat<f64>) -> Mat<f64> {
    summed(x.cols(), x.rows(), x.rows(), |from, to, sum| {
        f64::gram(sum, (Op::Transposed, x.as_ref().columns(from, to)));
    })
}

fn summed(
    nodes: usize,
    rows: usize,
    cols: usize,
    part: impl Fn(usize, usize, &mut Mat<f64>) + Sync,
) -> Mat<f64> {
    let parts: Vec<Mat<f64>> = (0..nodes.div_ceil(BLOCK))
        .into_par_iter()
        .map(|i| {
            let mut sum = Mat::zeros(rows, cols);
            part(i * BLOCK, nodes.min((i + 1) * BLOCK), &mut sum);
            sum
        })
        .collect();
    let mut total = Mat::zeros(rows, cols);
    for part in parts {
        total.padded_mut().iter_mut().zip(part.padded()).for_each(|(total, part)| *total += part);
    }
    total
}

/// `wᵀ x`: another panel whose rows are combinations of those of `x`.
pub(super) fn combined(w: &Mat<f64>, x: &Mat<f64>) -> Mat<f64> {
    let mut into = Mat::zeros(w.cols(), x.cols());
    if w.cols() == 0 {
        return into;
    }
    let stride = into.stride();
    into.padded_mut().par_chunks_mut(stride * BLOCK).enumerate().for_each(|(i, columns)| {
        let (from, to) = (i * BLOCK, x.cols().min((i + 1) * BLOCK));
        let mut part = Mat::zeros(w.cols(), to - from);
        let x = x.as_ref().columns(from, to);
        f64::product(&mut part, false, (Op::Transposed, w.as_ref()), (Op::Plain, x), 1.0);
        columns.copy_from_slice(part.padded());
    });
    into
}

/// Orthonormal rows that span those of `x`; fewer than it has where they depend on each other.
///
/// By the eigenvectors of the Gram matrix of the rows at length 1, twice, as once leaves an error of the square of
/// its condition (Stathopoulos and Wu 2002).
pub(super) fn orthonormal(x: &Mat<f64>) -> Mat<f64> {
    let once = whitened(x);
    whitened(&once)
}

fn whitened(x: &Mat<f64>) -> Mat<f64> {
    let mut g = gram(x);
    let k = g.cols();
    let lengths: Vec<f64> = (0..k).map(|i| g.get(i, i).sqrt()).collect();
    let scale = |i: usize| if lengths[i] > 0.0 { 1.0 / lengths[i] } else { 0.0 };
    for j in 0..k {
        for (i, entry) in g.col_mut(j).iter_mut().enumerate() {
            *entry *= scale(i) * scale(j);
        }
    }
    let solved = if k > 0 { eigen(g.as_ref()) } else { None };
    let Some((values, vectors)) = solved else { return Mat::zeros(0, x.cols()) };
    let largest = values.last().copied().unwrap_or(0.0);
    let kept: Vec<usize> =
        (0..k).rev().filter(|&j| values[j] > DEPENDENT * largest && values[j] > 0.0).collect();
    let w = Mat::from_fn(k, kept.len(), |i, j| vectors.get(i, kept[j]) * scale(i) / values[kept[j]].sqrt());
    combined(&w, x)
}

/// A panel of standard normal numbers, zero at nodes without neighbors.
pub(super) fn random(network: &Network, rows: usize, rng: &mut ChaCha8Rng) -> Mat<f64> {
    let joined = |u: usize| !network.neighbors(u).is_empty();
    let draw = |_, u| if joined(u) { normal(rng) } else { 0.0 };
    Mat::from_fn(rows, network.nodes(), draw)
}

/// Scales every column that is not zero to length 1.
pub(super) fn normalize(x: &mut Mat<f64>) {
    let stride = x.stride().max(1);
    x.padded_mut().par_chunks_mut(stride).for_each(|column| {
        let length = column.iter().map(|x| x * x).sum::<f64>().sqrt();
        if length > 0.0 {
            column.iter_mut().for_each(|x| *x /= length);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, stream};

    /// A network of several blocks: a ring with chords and hubs, and some nodes alone at the end.
    fn example() -> Network {
        let n = 5000u32;
        let mut edges: Vec<(u32, u32)> = (0..n).map(|u| (u, (u + 1) % n)).collect();
        edges.extend((0..n).step_by(7).map(|u| (u, (u * 13 + 5) % n)).filter(|(u, v)| u != v));
        edges.extend((2..1000).map(|u| (0, u)));
        edges.sort_unstable_by_key(|&(u, v)| (u.min(v), u.max(v)));
        edges.dedup_by_key(|&mut (u, v)| (u.min(v), u.max(v)));
        Network::simple(n as usize + 3, &edges).unwrap()
    }

    fn panel(network: &Network, rows: usize) -> Mat<f64> {
        random(network, rows, &mut stream(1, Purpose::Denoise, 999))
    }

    #[test]
    fn products_are_the_sums_they_say() {
        let network = example();
        let x = panel(&network, 11);
        let own: Vec<f64> = (0..network.nodes()).map(|u| (u as f64).sin()).collect();
        let other: Vec<f64> = (0..network.nodes()).map(|u| (u as f64).cos()).collect();
        let mut y = Mat::zeros(0, 0);
        let weights = Weights { own: Some(&own), other: Some(&other) };
        product(&network, weights, &x, &mut y, |u, sum| sum.iter_mut().for_each(|s| *s += u as f64));
        for u in [0, 1, 127, 128, 999, 4999, 5000, 5002] {
            for i in 0..11 {
                let sum: f64 = network
                    .neighbors(u)
                    .iter()
                    .map(|&v| (own[u] + other[v as usize]) * x.get(i, v as usize))
                    .sum();
                assert!((y.get(i, u) - sum - u as f64).abs() < 1e-10, "{u} {i}");
            }
        }
        let (c, g) = (cross(&x, &y), gram(&x));
        for (i, j) in [(0, 0), (3, 10), (10, 4)] {
            let want: f64 = (0..network.nodes()).map(|u| x.get(i, u) * y.get(j, u)).sum();
            assert!((c.get(i, j) - want).abs() < 1e-9 * want.abs().max(1.0));
            let want: f64 = (0..network.nodes()).map(|u| x.get(i, u) * x.get(j, u)).sum();
            assert!((g.get(i, j) - want).abs() < 1e-9 * want.abs().max(1.0));
        }
    }

    #[test]
    fn orthonormal_rows_span_the_same_and_know_their_rank() {
        let network = example();
        let x = panel(&network, 9);
        // Rows of very different lengths, nearly parallel ones, and two that depend on the others.
        let w = Mat::from_fn(9, 12, |i, j| match j {
            10 => f64::from(i < 2),
            11 => 0.0,
            9 => f64::from(i == 0) - 3.0 * f64::from(i == 5),
            8 => f64::from(i == 7) + 1e-5 * f64::from(i == 8),
            _ => f64::from(i == j) * 10f64.powi(-3 * j as i32),
        });
        let q = orthonormal(&combined(&w, &x));
        assert_eq!((q.rows(), q.cols()), (9, network.nodes()));
        let g = gram(&q);
        for i in 0..9 {
            for j in 0..9 {
                assert!((g.get(i, j) - f64::from(i == j)).abs() < 1e-13, "{i} {j} {}", g.get(i, j));
            }
        }
        let back = combined(&cross(&q, &x), &q);
        let far = back.padded().iter().zip(x.padded()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(far < 1e-7, "{far}");
        assert_eq!(orthonormal(&Mat::zeros(4, 10)).rows(), 0);
    }
}
