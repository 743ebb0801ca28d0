//! Spectral embedding: the leading eigenvectors of the normalized adjacency matrix.
//!
//! | symbol | here | where |
//! |---|---|---|
//! | `S = D^−½ A D^−½` | [`normalized`] | `I −` the normalized Laplacian; its leading eigenvectors are the Laplacian's last |
//! | `λ_1 = 1 ≥ λ_2 ≥ …`, `S x_i = λ_i x_i` | [`Spectrum`] | |
//! | `T_m`, scaled to 1 at the eigenvalue 1 | [`filtered`] | Zhou and Saad 2007 |
//!
//! Chebyshev-filtered subspace iteration: a block of vectors is multiplied by a polynomial in S that is small on `[−1, a]`, where a is
//! the least eigenvalue of the block, and large above; then eigenvectors are taken in the span of the block. A
//! block, not one vector after another, so that multiple eigenvalues come with all their vectors. Small
//! networks go to the dense eigensolver. Nodes without neighbors have no part in it: their columns are zero.

use super::Progress;
use super::panel::{Panel, combined, cross, eigen, orthonormal, product, random};
use ergodict::Result;
use ergodict::data::Network;
use ergodict::rng::{ChaCha8Rng, Purpose, ids, stream};

/// Residual `|S x − λ x|` at which an eigenvector is good.
const GOOD: f64 = 1e-6;

/// Vectors of the block beyond those asked for, as a share of them, and at least.
const GUARD: (f64, usize) = (0.25, 16);

/// How much longer a filter makes the vectors it keeps than those at its edge: more, and they would be lost in rounding.
const AMPLIFIED: f64 = 1e6;

/// The least distance of the edge of a filter from the eigenvalue 1. There a filter takes about a thousand products to make that
/// difference; nearer, it would make none, and where 1 is a multiple eigenvalue the block has nothing else.
const NEAREST: f64 = 1e-4;

/// Products with S after which the iteration ends as it is.
const PRODUCTS: usize = 4000;

/// Products between two reports of progress.
const REPORT: usize = 16;

/// Leading eigenvalues and eigenvectors of a normalized adjacency matrix.
#[derive(Clone, Debug)]
#[cfg_attr(not(test), expect(dead_code, reason = "tests look at all of it"))]
pub(super) struct Spectrum {
    /// Eigenvalues, descending: as many as asked for, or as nodes that have neighbors.
    pub(super) values: Vec<f64>,
    /// One column a node; row `i` is the eigenvector of `values[i]`, of length 1, with its largest entry (the first of those)
    /// positive. Rows without an eigenvalue are zero.
    pub(super) vectors: Panel,
    /// The largest `|S x − λ x|`: below 10⁻⁶ unless eigenvalues were too close together for the iteration to separate in its time.
    pub(super) residual: f64,
}

/// The leading `dimensions` eigenvectors of `D^−½ A D^−½` of a simple network. None when `progress` stopped it.
pub(super) fn spectral(
    network: &Network,
    dimensions: usize,
    progress: &mut Progress<'_>,
) -> Result<Option<Spectrum>> {
    super::check(network, dimensions)?;
    let joined: Vec<u32> =
        (0..network.nodes() as u32).filter(|&u| !network.neighbors(u as usize).is_empty()).collect();
    let guard = ((dimensions as f64 * GUARD.0) as usize).max(GUARD.1);
    let spectrum = if joined.len() <= 2 * (dimensions + guard) {
        Some(dense(network, &joined, dimensions))
    } else {
        iterated(network, dimensions, dimensions + guard, progress)
    };
    Ok(spectrum)
}

/// `1/√d(u)`, and 0 for nodes without neighbors.
fn scales(network: &Network) -> Vec<f64> {
    let scale = |d: usize| if d > 0 { 1.0 / (d as f64).sqrt() } else { 0.0 };
    (0..network.nodes()).map(|u| scale(network.neighbors(u).len())).collect()
}

/// `into = S x`, after which `finish(u, …)` may change it.
fn normalized(
    network: &Network,
    scales: &[f64],
    x: &Panel,
    into: &mut Panel,
    finish: impl Fn(usize, &mut [f64]) + Sync,
) {
    product(network, scales, x, into, |u, sum| {
        sum.iter_mut().for_each(|sum| *sum *= scales[u]);
        finish(u, sum);
    });
}

fn dense(network: &Network, joined: &[u32], dimensions: usize) -> Spectrum {
    let (n, scales) = (joined.len(), scales(network));
    let mut s = Panel::zeros(n, n);
    for (j, &v) in joined.iter().enumerate() {
        let row = network.neighbors(v as usize);
        let mut places = joined.iter().enumerate();
        for &u in row {
            // Neighbors are among the nodes that have neighbors, in the same order.
            if let Some((i, _)) = places.find(|(_, w)| **w == u) {
                s.col_mut(j)[i] = scales[u as usize] * scales[v as usize];
            }
        }
    }
    let mut vectors = Panel::zeros(dimensions, network.nodes());
    let mut values = Vec::new();
    if n > 0 {
        let (all, found) = eigen(&s);
        for (row, j) in (0..n).rev().take(dimensions).enumerate() {
            values.push(all[j]);
            for (i, &u) in joined.iter().enumerate() {
                vectors.col_mut(u as usize)[row] = found.get(i, j);
            }
        }
    }
    let mut image = Panel::zeros(0, 0);
    normalized(network, &scales, &vectors, &mut image, |_, _| ());
    let residual = residuals(&vectors, &image, &values).into_iter().fold(0.0, f64::max);
    signed(&mut vectors);
    Spectrum { values, vectors, residual }
}

fn iterated(
    network: &Network,
    dimensions: usize,
    block: usize,
    progress: &mut Progress<'_>,
) -> Option<Spectrum> {
    let scales = scales(network);
    let mut rng = stream(0, Purpose::Denoise, ids::EMBEDDING + 1);
    let mut x = random(network, block, &mut rng);
    let (mut image, mut products, mut first) = (Panel::zeros(0, 0), 0, None);
    loop {
        x = full(network, &x, block, &mut rng);
        normalized(network, &scales, &x, &mut image, |_, _| ());
        let (values, w) = ritz(&cross(&x, &image));
        (x, image) = (combined(&w, &x), combined(&w, &image));
        let errors = residuals(&x, &image, &values);
        let residual = errors[..dimensions].iter().copied().fold(0.0, f64::max);
        // Residuals fall by about the same factor in each filter.
        let start: f64 = *first.get_or_insert(residual);
        let done = if residual < GOOD { 1.0 } else { (start / residual).ln() / (start / GOOD).ln() };
        if !progress(done.clamp(0.0, 1.0)) {
            return None;
        }
        if residual < GOOD || products > PRODUCTS {
            let leading = Panel::from_fn(block, dimensions, |i, j| f64::from(i == j));
            let mut vectors = combined(&leading, &x);
            signed(&mut vectors);
            return Some(Spectrum { values: values[..dimensions].to_vec(), vectors, residual });
        }
        let edge = values[block - 1].clamp(-0.99, 1.0 - NEAREST);
        let degree = (AMPLIFIED.acosh() / at_one(edge).acosh()).max(2.0) as usize;
        products += degree;
        x = filtered(network, &scales, x, &mut image, (edge, degree), &mut || {
            progress(done.clamp(0.0, 1.0))
        })?;
    }
}

/// Where 1 comes to lie when `[−1, edge]` is put on `[−1, 1]`.
fn at_one(edge: f64) -> f64 {
    (3.0 - edge) / (1.0 + edge)
}

/// `T_m(S̄) x` over its value at the eigenvalue 1, where S̄ is S with `[−1, edge]` put on `[−1, 1]`; `image` is `S x`.
/// None when interrupted.
fn filtered(
    network: &Network,
    scales: &[f64],
    x: Panel,
    image: &mut Panel,
    (edge, degree): (f64, usize),
    go_on: &mut dyn FnMut() -> bool,
) -> Option<Panel> {
    let (center, half) = ((edge - 1.0) / 2.0, f64::midpoint(edge, 1.0));
    // With σ_i = T_{i−1}(x₁)/T_i(x₁) the recurrence has no number that grows.
    let first = 1.0 / at_one(edge);
    let mut sigma = first;
    let (mut before, mut now) = (x, Panel::zeros(0, 0));
    std::mem::swap(&mut now, image);
    for (now, before) in now.values_mut().iter_mut().zip(before.values()) {
        *now = (*now - center * before) * sigma / half;
    }
    let mut next = Panel::zeros(0, 0);
    for i in 1..degree {
        if i % REPORT == 0 && !go_on() {
            return None;
        }
        let following = 1.0 / (2.0 / first - sigma);
        let (by, less) = (2.0 * following / half, sigma * following);
        normalized(network, scales, &now, &mut next, |u, sum| {
            for ((sum, now), before) in sum.iter_mut().zip(now.col(u)).zip(before.col(u)) {
                *sum = by * (*sum - center * now) - less * before;
            }
        });
        sigma = following;
        std::mem::swap(&mut before, &mut now);
        std::mem::swap(&mut now, &mut next);
    }
    *image = next;
    Some(now)
}

/// Orthonormal rows that span those of `x`, with random ones in the place of those that were lost.
fn full(network: &Network, x: &Panel, block: usize, rng: &mut ChaCha8Rng) -> Panel {
    let mut q = orthonormal(x);
    // More nodes than rows have neighbors, so that there is room; the count is for what cannot be.
    for _ in 0..4 {
        if q.rows() == block {
            break;
        }
        let (kept, fresh) = (q.rows(), random(network, block - q.rows(), rng));
        let joined = |i: usize, u| if i < kept { q.get(i, u) } else { fresh.get(i - kept, u) };
        q = orthonormal(&Panel::from_fn(block, network.nodes(), joined));
    }
    q
}

/// Eigenvalues of a symmetric matrix, descending, and their vectors.
fn ritz(matrix: &Panel) -> (Vec<f64>, Panel) {
    let k = matrix.cols();
    let even = Panel::from_fn(k, k, |i, j| f64::midpoint(matrix.get(i, j), matrix.get(j, i)));
    let (mut values, vectors) = eigen(&even);
    values.reverse();
    (values, Panel::from_fn(k, k, |i, j| vectors.get(i, k - 1 - j)))
}

/// `|S x − λ x|` of each row with an eigenvalue.
fn residuals(x: &Panel, image: &Panel, values: &[f64]) -> Vec<f64> {
    let mut sums = vec![0.0; values.len()];
    for u in 0..x.cols() {
        for (((sum, x), image), value) in sums.iter_mut().zip(x.col(u)).zip(image.col(u)).zip(values) {
            *sum += (image - value * x).powi(2);
        }
    }
    sums.into_iter().map(f64::sqrt).collect()
}

/// Gives each row the sign that makes its largest entry positive.
fn signed(x: &mut Panel) {
    let mut largest = vec![0.0f64; x.rows()];
    for u in 0..x.cols() {
        for (largest, x) in largest.iter_mut().zip(x.col(u)) {
            // A little more, so that rounding does not choose between entries that are the same.
            if x.abs() > largest.abs() * (1.0 + 1e-6) {
                *largest = *x;
            }
        }
    }
    for u in 0..x.cols() {
        x.col_mut(u).iter_mut().zip(&largest).filter(|(_, l)| **l < 0.0).for_each(|(x, _)| *x = -*x);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::two_groups;
    use super::*;

    /// That rows are orthonormal eigenvectors of the leading eigenvalues, which are those of the dense eigensolver.
    fn right(network: &Network, found: &Spectrum, dimensions: usize, case: &str) {
        let all: Vec<u32> =
            (0..network.nodes() as u32).filter(|u| !network.neighbors(*u as usize).is_empty()).collect();
        let want = dense(network, &all, dimensions);
        assert_eq!(found.values.len(), want.values.len(), "{case}");
        for (a, b) in found.values.iter().zip(&want.values) {
            assert!((a - b).abs() < 1e-10, "{case}: {a} for {b}");
        }
        let g = cross(&found.vectors, &found.vectors);
        for i in 0..dimensions {
            for j in 0..dimensions {
                let one = f64::from(i == j && i < found.values.len());
                assert!((g.get(i, j) - one).abs() < 1e-10, "{case}: {i} {j}");
            }
        }
        let mut image = Panel::zeros(0, 0);
        normalized(network, &scales(network), &found.vectors, &mut image, |_, _| ());
        let residual = residuals(&found.vectors, &image, &found.values).into_iter().fold(0.0, f64::max);
        assert!(residual < GOOD && (residual - found.residual).abs() < 1e-9, "{case}: {residual}");
        for u in 0..network.nodes() {
            let alone = network.neighbors(u).is_empty();
            assert!(!alone || found.vectors.col(u).iter().all(|x| *x == 0.0), "{case}: {u}");
        }
    }

    fn examples() -> Vec<(&'static str, Network)> {
        let n = 150u32;
        let ring: Vec<(u32, u32)> = (0..n).map(|u| (u, (u + 1) % n)).collect();
        let star: Vec<(u32, u32)> = (1..n).map(|u| (0, u)).collect();
        let clique = |from: u32, size: u32| {
            (from..from + size).flat_map(move |u| (from..u).map(move |v| (v, u))).collect::<Vec<_>>()
        };
        // Of five nodes each, so that 1 is thirty times an eigenvalue, and −1/4 all the others.
        let cliques: Vec<(u32, u32)> = (0..30).flat_map(|i| clique(5 * i, 5)).collect();
        let pairs: Vec<(u32, u32)> = (0..75).map(|u| (2 * u, 2 * u + 1)).collect();
        let mut sides: Vec<(u32, u32)> = (0..60).flat_map(|u| (60..n).map(move |v| (u, v))).collect();
        sides.retain(|(u, v)| (u * 7 + v * 3) % 5 != 0);
        let simple = |nodes: u32, edges: &[(u32, u32)]| Network::simple(nodes as usize, edges).unwrap();
        let alone = simple(n + 40, &ring[..n as usize - 1]);
        vec![
            ("ring", simple(n, &ring)),
            ("star", simple(n, &star)),
            ("clique", simple(n, &clique(0, n))),
            ("cliques", simple(n, &cliques)),
            ("pairs", simple(n, &pairs)),
            ("bipartite", simple(n, &sides)),
            ("path and nodes alone", alone),
            ("groups", two_groups(300, 4)),
        ]
    }

    #[test]
    fn eigenvectors_are_those_of_the_dense_solver() {
        for (case, network) in examples() {
            for dimensions in [1, 12] {
                let found = iterated(&network, dimensions, dimensions + 8, &mut |_| true).unwrap();
                right(&network, &found, dimensions, case);
            }
            right(&network, &spectral(&network, 100, &mut |_| true).unwrap().unwrap(), 100, case);
        }
        let small = Network::simple(5, &[(0, 1), (1, 3)]).unwrap();
        let found = spectral(&small, 4, &mut |_| true).unwrap().unwrap();
        assert_eq!((found.values.len(), found.vectors.rows()), (3, 4));
        right(&small, &found, 4, "fewer nodes than dimensions");
        let none = spectral(&Network::simple(3, &[]).unwrap(), 2, &mut |_| true).unwrap().unwrap();
        assert!(none.values.is_empty() && none.vectors.values().iter().all(|x| *x == 0.0));
    }

    #[test]
    fn signs_and_threads_do_not_change_a_byte_and_a_stop_stops() {
        let network = two_groups(2000, 2);
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| spectral(&network, 8, &mut |_| true).unwrap().unwrap())
        };
        let (one, three) = (run(1), run(3));
        assert!(one.vectors == three.vectors && one.values == three.values);
        // The second eigenvector separates the halves.
        let mean = |from: usize| (from..from + 1000).map(|u| one.vectors.get(1, u)).sum::<f64>();
        assert!(mean(0) * mean(1000) < 0.0 && mean(0).abs() > 10.0);
        let mut calls = 0;
        let stopped = spectral(&network, 8, &mut |_| {
            calls += 1;
            calls < 2
        });
        assert!(stopped.unwrap().is_none() && calls == 2);
    }
}
