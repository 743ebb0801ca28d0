//! What the tests of the factorization share: random instances, and plain `f64` mathematics that uses nothing of the
//! library but its matrices.

use ergodict::data::{Network, open};
use ergodict::factor::code::{CodeSet, Penalty};
use ergodict::linalg::{Mat, Scalar};
use ergodict::rng::{Purpose, below, stream, uniform};
use proptest::test_runner::{Config, RngSeed};
use rand_chacha::ChaCha8Rng;
use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Proptest settings: `cases` instances from a fixed seed, so that CI always sees the same ones. `PROPTEST_CASES` and
/// `PROPTEST_RNG_SEED` choose others.
pub(crate) fn cases(cases: u32) -> Config {
    let set = |name: &str| std::env::var_os(name).is_some();
    let given = Config::default();
    Config {
        cases: if set("PROPTEST_CASES") { given.cases } else { cases },
        rng_seed: if set("PROPTEST_RNG_SEED") { given.rng_seed } else { RngSeed::Fixed(2024) },
        failure_persistence: None,
        max_shrink_iters: 200,
        ..given
    }
}

/// A generator of the numbers that tests need.
pub(crate) struct Random(ChaCha8Rng);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(stream(seed, Purpose::Synthetic, 77))
    }
    pub(crate) fn uniform(&mut self) -> f64 {
        uniform(&mut self.0)
    }
    pub(crate) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.uniform()
    }
    /// Standard normal, by Box and Muller.
    pub(crate) fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }
    pub(crate) fn below(&mut self, n: usize) -> usize {
        below(&mut self.0, n as u64) as usize
    }
    pub(crate) fn chance(&mut self, p: f64) -> bool {
        self.uniform() < p
    }
    pub(crate) fn normals(&mut self, rows: usize, cols: usize) -> Mat<f64> {
        Mat::from_fn(rows, cols, |_, _| self.normal())
    }
    pub(crate) fn uniforms(&mut self, rows: usize, cols: usize) -> Mat<f64> {
        Mat::from_fn(rows, cols, |_, _| self.uniform())
    }
    /// A low-rank nonnegative matrix with sparse codes and a little noise: what minibatches look like.
    pub(crate) fn planted(&mut self, w: &Mat<f64>, n: usize, noise: f64) -> Mat<f64> {
        let h = Mat::from_fn(w.cols(), n, |_, _| if self.chance(0.4) { 3.0 * self.uniform() } else { 0.0 });
        let mut x = times(w, &h);
        for j in 0..n {
            for x in x.col_mut(j) {
                *x += noise * self.uniform();
            }
        }
        x
    }
}

/// Kinds of dictionaries, the nasty ones among them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Nonnegative,
    Signed,
    Sparse,
    SparseSigned,
    Duplicates,
    Opposites,
    ZeroAtoms,
    Collinear,
    Unequal,
}

pub(crate) const KINDS: [Kind; 9] = [
    Kind::Nonnegative,
    Kind::Signed,
    Kind::Sparse,
    Kind::SparseSigned,
    Kind::Duplicates,
    Kind::Opposites,
    Kind::ZeroAtoms,
    Kind::Collinear,
    Kind::Unequal,
];

/// A dictionary of the kind, atoms of norm one where the kind does not say otherwise.
pub(crate) fn dictionary(kind: Kind, d: usize, r: usize, random: &mut Random) -> Mat<f64> {
    let signed = matches!(kind, Kind::Signed | Kind::SparseSigned | Kind::Collinear | Kind::Opposites);
    let sparse = matches!(kind, Kind::Sparse | Kind::SparseSigned);
    let mut w = Mat::from_fn(d, r, |_, _| {
        let value = if signed { random.normal() } else { random.uniform() };
        if sparse && random.chance(0.7) { 0.0 } else { value }
    });
    for j in 0..r {
        let norm = norm(w.col(j));
        w.col_mut(j).iter_mut().for_each(|x| *x /= if norm > 0.0 { norm } else { 1.0 });
    }
    for j in 1..r {
        let other = w.col(random.below(j)).to_vec();
        let atom = w.col_mut(j);
        match kind {
            Kind::Duplicates if random.chance(0.5) => atom.copy_from_slice(&other),
            Kind::Opposites if random.chance(0.4) => {
                let factor = random.between(-2.0, 1.0);
                atom.iter_mut().zip(&other).for_each(|(a, o)| *a = factor * o);
            }
            Kind::ZeroAtoms if random.chance(0.4) => atom.fill(0.0),
            Kind::Collinear if random.chance(0.5) => {
                let distance = 10f64.powf(random.between(-6.0, -2.0));
                atom.iter_mut().zip(&other).for_each(|(a, o)| *a = o + distance * *a);
            }
            Kind::Unequal => {
                let size = 10f64.powf(random.between(-2.0, 2.0));
                atom.iter_mut().for_each(|a| *a *= size);
            }
            _ => {}
        }
    }
    w
}

/// Columns to code: half near the cone of the dictionary, half anywhere, some zero.
pub(crate) fn columns(w: &Mat<f64>, n: usize, random: &mut Random) -> Mat<f64> {
    let mut x = random.planted(w, n, 0.1);
    for j in 0..n {
        if random.chance(0.5) {
            x.col_mut(j).iter_mut().for_each(|x| *x = random.normal());
        } else if random.chance(0.1) {
            x.col_mut(j).fill(0.0);
        }
    }
    x
}

pub(crate) fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

pub(crate) fn norm(x: &[f64]) -> f64 {
    dot(x, x).sqrt()
}

pub(crate) fn times(a: &Mat<f64>, b: &Mat<f64>) -> Mat<f64> {
    let mut out = Mat::zeros(a.rows(), b.cols());
    for j in 0..b.cols() {
        for k in 0..a.cols() {
            let factor = b.get(k, j);
            out.col_mut(j).iter_mut().zip(a.col(k)).for_each(|(o, a)| *o += factor * a);
        }
    }
    out
}

/// `αV + βW`.
pub(crate) fn combine(alpha: f64, v: &Mat<f64>, beta: f64, w: &Mat<f64>) -> Mat<f64> {
    Mat::from_fn(v.rows(), v.cols(), |i, j| alpha * v.get(i, j) + beta * w.get(i, j))
}

/// `⟨V, W⟩ = tr(VᵀW)`.
pub(crate) fn inner(v: &Mat<f64>, w: &Mat<f64>) -> f64 {
    (0..v.cols()).map(|j| dot(v.col(j), w.col(j))).sum()
}

pub(crate) fn frobenius(v: &Mat<f64>) -> f64 {
    inner(v, v).sqrt()
}

pub(crate) fn distance(v: &Mat<f64>, w: &Mat<f64>) -> f64 {
    frobenius(&combine(1.0, v, -1.0, w))
}

/// The ratio of the largest norm of an atom to the smallest that is not zero.
pub(crate) fn spread(w: &Mat<f64>) -> f64 {
    let norms = (0..w.cols()).map(|k| norm(w.col(k))).filter(|n| *n > 0.0);
    let (least, most) = norms.fold((f64::INFINITY, 0.0f64), |(a, b), n| (a.min(n), b.max(n)));
    if most > 0.0 { most / least } else { 1.0 }
}

/// Rounds to a number type and back, so that a reference sees what the library sees.
pub(crate) fn rounded<T: Scalar>(m: &Mat<f64>) -> Mat<f64> {
    m.cast::<T>().cast()
}

/// `‖x − Wh‖² + λ‖h‖₁ + (κ₂/2)‖h‖²`, from the definition.
pub(crate) fn objective(w: &Mat<f64>, x: &[f64], h: &[f64], penalty: Penalty) -> f64 {
    let mut rest = x.to_vec();
    for (k, &h) in h.iter().enumerate().filter(|(_, h)| **h != 0.0) {
        rest.iter_mut().zip(w.col(k)).for_each(|(r, w)| *r -= h * w);
    }
    let absolute: f64 = h.iter().map(|h| h.abs()).sum();
    dot(&rest, &rest) + penalty.lambda * absolute + penalty.kappa2 / 2.0 * dot(h, h)
}

/// The whole objective of a minibatch.
pub(crate) fn total_objective(w: &Mat<f64>, x: &Mat<f64>, h: &Mat<f64>, penalty: Penalty) -> f64 {
    (0..x.cols()).map(|j| objective(w, x.col(j), h.col(j), penalty)).sum()
}

/// The conditions of a code, from their definition.
pub(crate) struct Kkt {
    /// The longest step that exact minimization along one coordinate would take, in units where atoms have norm one.
    pub(crate) residual: f64,
    /// The largest correlation with an atom, in the same units.
    pub(crate) scale: f64,
    /// `‖x‖ + Σ ‖w_k‖|h_k|`: what rounding is relative to.
    pub(crate) size: f64,
    /// `‖h‖₁` in the same units.
    pub(crate) length: f64,
}

impl Kkt {
    /// The residual that a solver in numbers of precision `epsilon` may leave: the stated tolerance (never under 64 ε)
    /// of the scale, and the rounding of the products that the conditions are made of.
    pub(crate) fn allowed(&self, tolerance: f64, epsilon: f64) -> f64 {
        tolerance.max(64.0 * epsilon) * self.scale + 64.0 * epsilon * self.size
    }
}

pub(crate) fn kkt(w: &Mat<f64>, x: &[f64], h: &[f64], penalty: Penalty, set: CodeSet) -> Kkt {
    let r = w.cols();
    let mut rest = x.to_vec();
    for (k, &h) in h.iter().enumerate() {
        rest.iter_mut().zip(w.col(k)).for_each(|(r, w)| *r -= h * w);
    }
    let largest = (0..r).map(|k| dot(w.col(k), w.col(k))).fold(0.0, f64::max);
    let live: Vec<usize> = (0..r).filter(|&k| dot(w.col(k), w.col(k)) > 1e-30 * largest).collect();
    // Per live atom: its norm with the ridge, the slope, the code and the threshold in unit-atom units.
    let parts: Vec<[f64; 4]> = live
        .iter()
        .map(|&k| {
            let size = (dot(w.col(k), w.col(k)) + penalty.kappa2 / 2.0).sqrt();
            let slope = (dot(w.col(k), &rest) - penalty.kappa2 / 2.0 * h[k]) / size;
            [size, slope, h[k] * size, penalty.lambda / 2.0 / size]
        })
        .collect();
    let nonnegative =
        |mu: f64| parts.iter().map(|[a, p, h, t]| (p - t - mu / 2.0 / a).max(-h).abs()).fold(0.0, f64::max);
    let residual = match set {
        CodeSet::Nonnegative => nonnegative(0.0),
        CodeSet::Box { upper } => {
            parts.iter().map(|[a, p, h, t]| (p - t).max(-h).min(upper * a - h).abs()).fold(0.0, f64::max)
        }
        CodeSet::Free => parts
            .iter()
            .map(|[_, p, h, t]| {
                let v: f64 = p + h;
                (v.signum() * (v.abs() - t).max(0.0) - h).abs()
            })
            .fold(0.0, f64::max),
        CodeSet::Simplex { bound } => {
            // Some multiplier μ ≥ 0 must do; it is zero when the sum is below the bound.
            let mut best = nonnegative(0.0);
            if h.iter().sum::<f64>() > bound * (1.0 - 1e-4) {
                for [a, p, h, t] in &parts {
                    if *h > 0.0 {
                        best = best.min(nonnegative((2.0 * a * (p - t)).max(0.0)));
                    }
                }
            }
            best
        }
        _ => unreachable!("a set the test does not know"),
    };
    let correlation =
        |&k: &usize| dot(w.col(k), x).abs() / (dot(w.col(k), w.col(k)) + penalty.kappa2 / 2.0).sqrt();
    Kkt {
        residual,
        scale: live.iter().map(correlation).fold(0.0, f64::max),
        size: norm(x) + (0..r).map(|k| norm(w.col(k)) * h[k].abs()).sum::<f64>(),
        length: parts.iter().map(|[_, _, h, _]| h.abs()).sum(),
    }
}

/// Whether a code is in its set, to within the rounding of a number type.
pub(crate) fn admissible(h: &[f64], set: CodeSet, epsilon: f64) -> bool {
    match set {
        CodeSet::Nonnegative => h.iter().all(|h| *h >= 0.0),
        CodeSet::Free => h.iter().all(|h| h.is_finite()),
        CodeSet::Box { upper } => h.iter().all(|h| *h >= 0.0 && *h <= upper * (1.0 + 4.0 * epsilon)),
        CodeSet::Simplex { bound } => {
            let rounding = 4.0 * epsilon * h.len() as f64;
            h.iter().all(|h| *h >= 0.0) && h.iter().sum::<f64>() <= bound * (1.0 + rounding)
        }
        _ => unreachable!("a set the test does not know"),
    }
}

/// Solves `M y = b` by elimination with full pivoting; `None` when it is singular to working precision.
pub(crate) fn solve(m: &[Vec<f64>], b: &[f64]) -> Option<Vec<f64>> {
    let n = b.len();
    let mut m: Vec<Vec<f64>> = m.iter().zip(b).map(|(row, b)| [&row[..], &[*b]].concat()).collect();
    let mut order: Vec<usize> = (0..n).collect();
    let largest = m.iter().flat_map(|r| &r[..n]).fold(0.0f64, |a, x| a.max(x.abs()));
    for c in 0..n {
        let (mut p, mut q) = (c, c);
        for i in c..n {
            for j in c..n {
                if m[i][j].abs() > m[p][q].abs() {
                    (p, q) = (i, j);
                }
            }
        }
        if m[p][q].abs() <= 1e-14 * largest {
            return None;
        }
        m.swap(c, p);
        m.iter_mut().for_each(|row| row.swap(c, q));
        order.swap(c, q);
        for i in c + 1..n {
            let factor = m[i][c] / m[c][c];
            if factor != 0.0 {
                for j in c..=n {
                    let above = m[c][j];
                    m[i][j] -= factor * above;
                }
            }
        }
    }
    let mut y = vec![0.0; n];
    for c in (0..n).rev() {
        let rest: f64 = (c + 1..n).map(|j| m[c][j] * y[j]).sum();
        y[c] = (m[c][n] - rest) / m[c][c];
    }
    let mut out = vec![0.0; n];
    order.iter().zip(y).for_each(|(&k, y)| out[k] = y);
    Some(out)
}

/// Eigenvalues and eigenvectors of a symmetric matrix by Jacobi's rotations: small, slow and sure.
pub(crate) fn eigen(m: &Mat<f64>) -> (Vec<f64>, Mat<f64>) {
    let n = m.cols();
    let mut a: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| m.get(i, j)).collect()).collect();
    let mut v = Mat::from_fn(n, n, |i, j| f64::from(i == j));
    for _ in 0..60 {
        let off: f64 = (0..n).flat_map(|i| (0..i).map(move |j| (i, j))).map(|(i, j)| a[i][j].powi(2)).sum();
        let all: f64 = a.iter().flatten().map(|x| x * x).sum();
        if off <= 1e-34 * all {
            break;
        }
        for p in 0..n {
            for q in p + 1..n {
                if a[p][q] == 0.0 {
                    continue;
                }
                let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
                let t = theta.signum() / (theta.abs() + theta.hypot(1.0));
                let t = if theta == 0.0 { 1.0 } else { t };
                let c = 1.0 / t.hypot(1.0);
                let s = t * c;
                for k in 0..n {
                    let (x, y) = (a[k][p], a[k][q]);
                    (a[k][p], a[k][q]) = (c * x - s * y, s * x + c * y);
                }
                for k in 0..n {
                    let (x, y) = (a[p][k], a[q][k]);
                    (a[p][k], a[q][k]) = (c * x - s * y, s * x + c * y);
                }
                for k in 0..n {
                    let (x, y) = (v.get(k, p), v.get(k, q));
                    v.col_mut(p)[k] = c * x - s * y;
                    v.col_mut(q)[k] = s * x + c * y;
                }
            }
        }
    }
    ((0..n).map(|i| a[i][i]).collect(), v)
}

/// A public network; none, loudly, where it is not at hand.
pub(crate) fn public(file: &str) -> Option<Arc<Network>> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("ERGODICT_DATA").map_or(beside, PathBuf::from);
    let path = folder.join(file);
    if !path.exists() {
        assert!(std::env::var_os("CI").is_none(), "{} is missing", path.display());
        eprintln!("SKIPPED: {} is missing; set ERGODICT_DATA", path.display());
        return None;
    }
    let mut edges = Vec::new();
    for line in open(&path).unwrap().lines() {
        let line = line.unwrap();
        let mut ends = line.split_whitespace().map(|end| end.parse::<u32>().unwrap());
        edges.push((ends.next().unwrap(), ends.next().unwrap()));
    }
    let nodes = edges.iter().map(|edge| edge.0.max(edge.1)).max().unwrap() as usize + 1;
    Some(Arc::new(Network::simple(nodes, &edges).unwrap()))
}
