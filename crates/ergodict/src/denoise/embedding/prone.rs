//! ProNE: a sparse matrix factorization of the network, then a filter of its spectrum (Zhang, Dong, Wang, Tang and Ding 2019).
//!
//! | symbol | here | in the paper |
//! |---|---|---|
//! | `p(u,v) = A(u,v)/d(u)` | `1/degree` | sparse factorization |
//! | `P_D(v) ∝ (Σ_u p(u,v))^α`, α = 3/4 | `negative`, [`ALPHA`] | |
//! | `M(u,v) = ln p(u,v) − ln(λ P_D(v))` at edges, λ = 1 | `own(u) + other(v)` of [`Weights`] | |
//! | `U_d Σ_d^½`, randomized | [`factorized`] | |
//! | `L − μ I`, of `A + I` | `once` in [`propagated`] | spectral propagation |
//! | `X = ½ (L − μ I)² − I`, `e^{−θX} = Σ_i (2 − δ_i0) (−1)^i I_i(θ) T_i(X)` | [`propagated`], [`bessel`] | |
//! | μ = 0.2, θ = 0.5, 10 terms | [`MU`], [`THETA`], [`TERMS`] | settings |
//!
//! The logarithm of a quotient is a difference, so that M is `diag(own) A + A diag(other)`, which is never stored. What becomes of
//! the factors R after the filter, `(A + I)(R − e^{−θX} R)` and `U Σ^½` of that, is as in the authors' code.

use super::panel::{Weights, combined, gram, normalize, orthonormal, product, random};
use crate::Result;
use crate::data::Network;
use crate::linalg::Mat;
use crate::linalg::eigen::eigen;
use crate::rng::{Purpose, ids, stream};

/// The power of the law of negative samples.
const ALPHA: f64 = 0.75;
/// The center of the filter.
const MU: f64 = 0.2;
/// Its width.
const THETA: f64 = 0.5;
/// Terms of its expansion.
const TERMS: usize = 10;
/// Directions beyond those asked for in the randomized factorization.
const BEYOND: usize = 10;
/// Its power iterations.
const POWERS: usize = 5;

/// ProNE embeddings of the nodes of a simple network: a column of length 1 for each node, zero for a node without neighbors.
///
/// d×n for `d` dimensions and n nodes.
///
/// Rows that a small network has no directions for are zero. The dot product of two columns is how near the nodes are.
///
/// ```
/// use ergodict::{data::Network, denoise::embedding::prone};
/// // Two triangles with an edge between them.
/// let network = Network::simple(6, &[(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5), (2, 3)])?;
/// let columns = prone(&network, 4, 0)?;
/// let near = |u, v| (0..4).map(|i| columns.get(i, u) * columns.get(i, v)).sum::<f64>();
/// assert!(near(0, 1) > near(0, 5));
/// # Ok::<(), ergodict::Error>(())
/// ```
///
/// # Errors
/// [`Error::Parameter`](crate::Error::Parameter) for no dimensions and for a network that is not simple.
pub fn prone(network: &Network, dimensions: usize, seed: u64) -> Result<Mat<f64>> {
    super::check(network, dimensions)?;
    Ok(propagated(network, &factorized(network, dimensions, seed)))
}

/// `U_d Σ_d^½` of M with columns of length 1.
fn factorized(network: &Network, dimensions: usize, seed: u64) -> Mat<f64> {
    let n = network.nodes();
    let degree = |u: usize| network.neighbors(u).len() as f64;
    let ln_or_zero = |x: f64| if x > 0.0 { x.ln() } else { 0.0 };
    let mut negative: Vec<f64> = (0..n)
        .map(|v| network.neighbors(v).iter().map(|&u| 1.0 / degree(u as usize)).sum::<f64>().powf(ALPHA))
        .collect();
    let total: f64 = negative.iter().sum();
    negative.iter_mut().for_each(|p| *p = -ln_or_zero(*p / total));
    let own: Vec<f64> = (0..n).map(|u| -ln_or_zero(degree(u))).collect();
    let plain = Weights { own: Some(&own), other: Some(&negative) };
    let transposed = Weights { own: Some(&negative), other: Some(&own) };
    let mut rng = stream(seed, Purpose::Denoise, ids::EMBEDDING);
    let start = random(network, (dimensions + BEYOND).min(n), &mut rng);
    let (mut left, mut right) = (Mat::zeros(0, 0), Mat::zeros(0, 0));
    product(network, plain, &start, &mut left, |_, _| ());
    for _ in 0..POWERS {
        product(network, transposed, &orthonormal(&left), &mut right, |_, _| ());
        product(network, plain, &orthonormal(&right), &mut left, |_, _| ());
    }
    let q = orthonormal(&left);
    product(network, transposed, &q, &mut right, |_, _| ());
    rooted(&gram(&right), &q, dimensions, 0.25)
}

/// Chebyshev's expansion of the filter, applied to the factors.
fn propagated(network: &Network, factors: &Mat<f64>) -> Mat<f64> {
    let n = network.nodes();
    let coefficients = bessel(THETA);
    let ones = vec![1.0; n];
    let all = Weights { own: None, other: Some(&ones) };
    // `L̃ x`, and twice it with multiples of what came before.
    let once = |x: &Mat<f64>, into: &mut Mat<f64>, finish: &(dyn Fn(usize, &mut [f64]) + Sync)| {
        product(network, all, x, into, |u, sum| {
            let share = 1.0 / (1.0 + network.neighbors(u).len() as f64);
            for (sum, x) in sum.iter_mut().zip(x.col(u)) {
                *sum = (1.0 - MU) * x - share * (x + *sum);
            }
            finish(u, sum);
        });
    };
    let (mut before, mut half, mut now) = (factors.clone(), Mat::zeros(0, 0), Mat::zeros(0, 0));
    once(factors, &mut half, &|_, _| ());
    once(&half, &mut now, &|u, sum| {
        sum.iter_mut().zip(factors.col(u)).for_each(|(sum, x)| *sum = 0.5 * *sum - x);
    });
    let mut filtered = factors.clone();
    let add = |filtered: &mut Mat<f64>, by: f64, term: &Mat<f64>| {
        filtered.padded_mut().iter_mut().zip(term.padded()).for_each(|(sum, x)| *sum += by * x);
    };
    // What is left of the factors when the filtered ones are taken away.
    filtered.padded_mut().iter_mut().for_each(|x| *x *= 1.0 - coefficients[0]);
    add(&mut filtered, 2.0 * coefficients[1], &now);
    let mut next = Mat::zeros(0, 0);
    for (i, coefficient) in coefficients.iter().enumerate().skip(2) {
        once(&now, &mut half, &|_, _| ());
        once(&half, &mut next, &|u, sum| {
            for ((sum, now), before) in sum.iter_mut().zip(now.col(u)).zip(before.col(u)) {
                *sum = *sum - 2.0 * now - before;
            }
        });
        let sign = if i % 2 == 0 { -2.0 } else { 2.0 };
        add(&mut filtered, sign * coefficient, &next);
        std::mem::swap(&mut before, &mut now);
        std::mem::swap(&mut now, &mut next);
    }
    product(network, all, &filtered, &mut next, |u, sum| {
        sum.iter_mut().zip(filtered.col(u)).for_each(|(sum, x)| *sum += x);
    });
    rooted(&gram(&next), &next, factors.rows(), -0.25)
}

/// Rows of `wᵀ x Λ^power` for the leading eigenvectors w and eigenvalues Λ of a matrix, at columns of length 1; zeros
/// where there are no more of them.
fn rooted(matrix: &Mat<f64>, x: &Mat<f64>, dimensions: usize, power: f64) -> Mat<f64> {
    let k = matrix.cols();
    let solved = if k > 0 { eigen(matrix.as_ref()) } else { None };
    let Some((values, vectors)) = solved else { return Mat::zeros(dimensions, x.cols()) };
    let least = 1e-14 * values.last().copied().unwrap_or(0.0);
    let w = Mat::from_fn(k, dimensions, |i, j| match k.checked_sub(j + 1) {
        Some(from) if values[from] > least => vectors.get(i, from) * values[from].powf(power),
        _ => 0.0,
    });
    let mut rows = combined(&w, x);
    normalize(&mut rows);
    rows
}

/// The first modified Bessel functions `I_i(x)`, by their series.
fn bessel(x: f64) -> [f64; TERMS] {
    let mut leading = 1.0;
    std::array::from_fn(|i| {
        if i > 0 {
            leading *= x / 2.0 / i as f64;
        }
        let (mut term, mut sum) = (leading, 0.0);
        for k in 1..20u32 {
            sum += term;
            term *= x * x / 4.0 / f64::from(k) / (f64::from(k) + i as f64);
        }
        sum
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::embedded;
    use crate::linalg::products::{Op, Products};

    /// `f` of a symmetric matrix.
    fn function(m: &Mat<f64>, f: impl Fn(f64) -> f64) -> Mat<f64> {
        let (values, vectors) = eigen(m.as_ref()).unwrap();
        let n = m.cols();
        let entry = |i, j| (0..n).map(|k| vectors.get(i, k) * f(values[k]) * vectors.get(j, k)).sum();
        Mat::from_fn(n, n, entry)
    }

    fn times(a: &Mat<f64>, b: &Mat<f64>) -> Mat<f64> {
        let mut c = Mat::zeros(a.rows(), b.cols());
        f64::product(&mut c, false, (Op::Plain, a.as_ref()), (Op::Plain, b.as_ref()), 1.0);
        c
    }

    /// The square matrix `Y = (M Mᵀ)^½`-like product `U Σ Uᵀ` of the leading directions, at unit diagonal: all dot products at once.
    fn near(square: &Mat<f64>, dimensions: usize) -> Mat<f64> {
        let (values, _) = eigen(square.as_ref()).unwrap();
        let least = values[values.len() - dimensions];
        let y = function(square, |x| if x >= least * (1.0 - 1e-9) { x.sqrt() } else { 0.0 });
        Mat::from_fn(y.rows(), y.cols(), |i, j| y.get(i, j) / (y.get(i, i) * y.get(j, j)).sqrt())
    }

    #[test]
    fn small_networks_have_the_embedding_of_dense_matrices() {
        let network = embedded("karate").unwrap().unweighted();
        let n = network.nodes();
        let a = Mat::from_fn(n, n, |u, v| network.weight(u, v));
        let d: Vec<f64> = (0..n).map(|u| a.col(u).iter().sum()).collect();
        let mut p: Vec<f64> =
            (0..n).map(|v| (0..n).map(|u| a.get(u, v) / d[u]).sum::<f64>().powf(0.75)).collect();
        let total: f64 = p.iter().sum();
        p.iter_mut().for_each(|p| *p /= total);
        let m = Mat::from_fn(n, n, |u, v| if a.get(u, v) > 0.0 { (1.0 / d[u] / p[v]).ln() } else { 0.0 });
        // With this number of directions the randomized factorization is exact.
        let dimensions = n - BEYOND;
        let factors = factorized(&network, dimensions, 3);
        let want = near(&times(&m, &m.transposed()), dimensions);
        let got = gram(&factors.transposed());
        for u in 0..n {
            for v in 0..n {
                assert!((got.get(u, v) - want.get(u, v)).abs() < 1e-9, "{u} {v}");
            }
        }
        // L is similar to a symmetric matrix, of which the filter is a function.
        let r = |u: usize| (1.0 + d[u]).sqrt();
        let with_loops = |u, v| a.get(u, v) + f64::from(u == v);
        let l = Mat::from_fn(n, n, |u, v| f64::from(u == v) - with_loops(u, v) / (r(u) * r(v)));
        let kept = function(&l, |x| 1.0 - (-THETA * (0.5 * (x - MU).powi(2) - 1.0)).exp());
        let kept = Mat::from_fn(n, n, |u, v| kept.get(u, v) * r(v) / r(u));
        let x = times(&times(&Mat::from_fn(n, n, with_loops), &kept), &factors.transposed());
        let want = near(&times(&x, &x.transposed()), dimensions);
        let got = prone(&network, dimensions, 3).unwrap();
        let got = gram(&got.transposed());
        for u in 0..n {
            for v in 0..n {
                assert!((got.get(u, v) - want.get(u, v)).abs() < 1e-6, "{u} {v}");
            }
        }
    }

    #[test]
    fn bessel_functions_are_those_of_tables() {
        // I_0(0.5) and I_1(0.5).
        let b = bessel(0.5);
        assert!((b[0] - 1.063_483_370_741_323_6).abs() < 1e-15, "{}", b[0]);
        assert!((b[1] - 0.257_894_305_390_896_3).abs() < 1e-15, "{}", b[1]);
        // The recurrence I_{i−1} − I_{i+1} = 2i/x I_i.
        for i in 1..TERMS - 1 {
            assert!((b[i - 1] - b[i + 1] - 4.0 * i as f64 * b[i]).abs() < 1e-14);
        }
    }

    #[test]
    fn columns_have_length_one_and_nodes_alone_have_none() {
        let network = Network::simple(7, &[(0, 1), (1, 2), (0, 2), (4, 5)]).unwrap();
        for dimensions in [1, 3, 64] {
            let columns = prone(&network, dimensions, 0).unwrap();
            assert_eq!((columns.rows(), columns.cols()), (dimensions, 7));
            // There are no more directions than nodes.
            assert!((7..dimensions).all(|i| (0..7).all(|u| columns.get(i, u) == 0.0)));
            for u in 0..7 {
                let length: f64 = columns.col(u).iter().map(|x| x * x).sum();
                let want = f64::from(![3, 6].contains(&u));
                // One direction cannot have both components, and then one of them is zero.
                assert!((length - want).abs() < 1e-12 || dimensions == 1, "{dimensions} {u} {length}");
            }
        }
        assert!(prone(&network, 0, 0).is_err());
        assert_eq!(prone(&Network::simple(0, &[]).unwrap(), 3, 0).unwrap().cols(), 0);
        assert!(prone(&Network::simple(3, &[]).unwrap(), 3, 0).unwrap().padded().iter().all(|x| *x == 0.0));
    }

    #[test]
    fn threads_do_not_change_a_byte() {
        let network = crate::denoise::embedding::tests::two_groups(1500, 1);
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| prone(&network, 16, 5).unwrap())
        };
        assert_eq!(run(1), run(3));
    }
}
