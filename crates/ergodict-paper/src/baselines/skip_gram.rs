//! Skip-gram with negative sampling (Mikolov, Sutskever, Chen, Corrado and Dean 2013), on pairs of nodes that walks have near each other.
//!
//! | symbol | here | where |
//! |---|---|---|
//! | `v_u`, `v'_w` | `sources`, `contexts`, a column a node | equation 4 there |
//! | `ln σ(v'_w·v_u) + Σ_k ln σ(−v'_k·v_u)` | one gradient step of it is [`Train`]; one summand [`pull`] | equation 4 |
//! | `P_n(w) ∝ d(w)^¾` | [`Alias`] | section 2.2; visits of walks are in proportion to degrees |
//! | window reduced to 1, …, c at random | [`SkipGram::window`] | word2vec's code |
//! | rate from .025 to .0001, linearly | [`SkipGram::rates`] | |
//!
//! Word2vec lets threads write over each other. Here nodes are in a fixed number of parts; pairs of some thousand walks are sorted by
//! the parts of both ends, and pairs that have neither part in common are worked on at the same time (Zhu, Xu, Qu and Tang
//! 2019, GraphVite). Negative samples come from the part of the context. So nothing is written twice at a time, and the result is the same
//! at any number of threads. A second departure: a node that comes up in its own window is no context of itself.

use super::walks::Walks;
use super::{Progress, below_u32, digit, parameter};
use ergodict::Result;
use ergodict::data::Network;
use ergodict::linalg::Mat;
use ergodict::rng::{ChaCha8Rng, Purpose, ids, shuffle, stream, uniform};
use pulp::{Arch, Simd, WithSimd};
use rand_chacha::rand_core::Rng;
use rayon::prelude::*;

/// Parts of networks of at least [`PARTED`] nodes: enough for all threads to have work. In smaller ones a part would have too few
/// nodes to draw negative samples from.
const PARTS: usize = 4;
const PARTED: usize = 1024;

/// Walks whose pairs are worked on together; at 80 nodes and a window of 10, some 3.4 million pairs, 27 MB, and as much again
/// while they are sorted.
const POOL: usize = 4096;

/// Walks that are made by one thread before it takes more.
const FEW: usize = 64;

/// Words of a stream that are set apart for one piece of work: more than any takes.
const APART: u128 = 1 << 40;

/// How embeddings are learned from walks.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct SkipGram {
    /// Numbers a node.
    pub(super) dimensions: usize,
    /// Largest distance in a walk at which nodes are near each other.
    pub(super) window: usize,
    /// Negative samples for each pair.
    pub(super) negatives: usize,
    /// The first and the last learning rate.
    pub(super) rates: (f64, f64),
}

impl Default for SkipGram {
    fn default() -> Self {
        Self { dimensions: 128, window: 10, negatives: 5, rates: (0.025, 0.0001) }
    }
}

impl SkipGram {
    fn check(&self, network: &Network) -> Result<()> {
        super::check(network, self.dimensions)?;
        for (name, value) in [("window", self.window), ("negative samples", self.negatives)] {
            if value == 0 || value > 1000 {
                return Err(parameter(name, value, "it must be from 1 to 1000"));
            }
        }
        for rate in [self.rates.0, self.rates.1] {
            if !(rate > 0.0 && rate <= 1.0) {
                return Err(parameter("a learning rate", rate, "it must be above 0 and at most 1"));
            }
        }
        Ok(())
    }

    /// Embeddings of the nodes of a simple network from walks: one column a node, zero for a node without neighbors. None when
    /// `progress` stopped it.
    pub(super) fn embed(
        &self,
        network: &Network,
        walks: &Walks,
        seed: u64,
        progress: &mut Progress<'_>,
    ) -> Result<Option<Mat<f64>>> {
        self.check(network)?;
        walks.check()?;
        let parts = if network.nodes() < PARTED { 1 } else { PARTS };
        let mut draws = stream(seed, Purpose::Denoise, ids::EMBEDDING + 2);
        let mut sources: Vec<Columns> = (0..parts)
            .map(|part| {
                start(self.dimensions, network.nodes().saturating_sub(part).div_ceil(parts), &mut draws)
            })
            .collect();
        let mut contexts: Vec<Columns> = sources.iter().map(Columns::zeros_like).collect();
        let mut tables: Vec<Alias> = (0..parts)
            .map(|part| Alias::new((part..network.nodes()).step_by(parts).map(|u| noise(network, u))))
            .collect();
        let mut nodes: Vec<u32> =
            (0..network.nodes() as u32).filter(|u| !network.neighbors(*u as usize).is_empty()).collect();
        let total = nodes.len() * walks.per_node;
        let mut starts: Vec<u32> = Vec::with_capacity(POOL + nodes.len());
        let (mut done, mut pieces) = (0, 0);
        while done < total {
            if !progress(done as f64 / total as f64) {
                return Ok(None);
            }
            while starts.len() < POOL.min(total - done) {
                shuffle(&mut nodes, &mut draws);
                starts.extend(&nodes);
            }
            let pool = starts.len().min(POOL).min(total - done);
            let mut pairs = self.pairs(network, walks, &starts[..pool], parts, (seed, done));
            starts.drain(..pool);
            let rate =
                |walks: usize| self.rates.0 + (self.rates.1 - self.rates.0) * walks as f64 / total as f64;
            let rates = (rate(done), rate(done + pool));
            // Contexts and their tables go round, so that each part of the sources meets each of the contexts.
            for round in 0..parts {
                let buckets = (0..parts).map(|i| std::mem::take(&mut pairs[i * parts + (i + round) % parts]));
                let work: Vec<_> = buckets.zip(&mut sources).zip(&mut contexts).zip(&tables).collect();
                work.into_par_iter().enumerate().for_each(|(i, (((pairs, sources), contexts), table))| {
                    let mut rng = stream(seed, Purpose::Denoise, ids::EMBEDDING + 3);
                    rng.set_word_pos(APART * (pieces + i) as u128);
                    let (negatives, contexts) = (self.negatives, Some(contexts));
                    train(Train { sources, contexts, pairs: &pairs, table, negatives, rates, rng: &mut rng });
                });
                pieces += parts;
                contexts.rotate_left(1);
                tables.rotate_left(1);
            }
            done += pool;
        }
        if !progress(1.0) {
            return Ok(None);
        }
        let joined = |u: usize| !network.neighbors(u).is_empty();
        Ok(Some(Mat::from_fn(self.dimensions, network.nodes(), |i, u| {
            if joined(u) { f64::from(sources[u % parts].col(u / parts)[i]) } else { 0.0 }
        })))
    }

    /// Pairs of walks from a number of starts, as numbers within their parts: those of parts `i` and `j` at `i · parts + j`.
    fn pairs(
        &self,
        network: &Network,
        walks: &Walks,
        starts: &[u32],
        parts: usize,
        (seed, done): (u64, usize),
    ) -> Vec<Vec<(u32, u32)>> {
        let by_piece: Vec<Vec<Vec<(u32, u32)>>> = starts
            .par_chunks(FEW)
            .enumerate()
            .map(|(piece, starts)| {
                let mut rng = stream(seed, Purpose::Denoise, ids::EMBEDDING + 4);
                rng.set_word_pos(APART * (done + piece * FEW) as u128);
                let mut found = vec![Vec::new(); parts * parts];
                let mut walk = Vec::with_capacity(walks.length);
                for &from in starts {
                    walks.walk(network, from, &mut rng, &mut walk);
                    for (at, &u) in walk.iter().enumerate() {
                        let reach = below_u32(&mut rng, self.window as u32) as usize + 1;
                        let (first, last) = (at.saturating_sub(reach), (at + reach).min(walk.len() - 1));
                        let others = walk[first..at].iter().chain(&walk[at + 1..=last]);
                        // A walk is often where it was two steps ago: a node says nothing of itself.
                        for &v in others.filter(|v| **v != u) {
                            let (u, v) = (u as usize, v as usize);
                            let place = (u % parts) * parts + v % parts;
                            found[place].push(((u / parts) as u32, (v / parts) as u32));
                        }
                    }
                }
                found
            })
            .collect();
        (0..parts * parts)
            .into_par_iter()
            .map(|place| by_piece.iter().flat_map(|found| found[place].iter().copied()).collect())
            .collect()
    }
}

/// A column of numbers for each node, with zeros up to a multiple of 16.
pub(super) struct Columns {
    values: Vec<f32>,
    dimensions: usize,
    stride: usize,
}

impl Columns {
    /// As many zeros.
    pub(super) fn zeros_like(other: &Self) -> Self {
        Self { values: vec![0.0; other.values.len()], dimensions: other.dimensions, stride: other.stride }
    }

    /// The numbers of a node.
    pub(super) fn col(&self, u: usize) -> &[f32] {
        &self.values[u * self.stride..][..self.dimensions]
    }
}

/// The weight of a node as a negative sample.
pub(super) fn noise(network: &Network, u: usize) -> f64 {
    (network.neighbors(u).len() as f64).powf(0.75)
}

/// Columns to start from, uniform in ±½ over the dimensions, as in word2vec.
pub(super) fn start(dimensions: usize, nodes: usize, rng: &mut ChaCha8Rng) -> Columns {
    let stride = dimensions.next_multiple_of(16);
    let mut values = vec![0.0; stride * nodes];
    for column in values.chunks_exact_mut(stride) {
        column[..dimensions].fill_with(|| ((uniform(rng) - 0.5) / dimensions as f64) as f32);
    }
    Columns { values, dimensions, stride }
}

/// Draws from a fixed law on `0..n` by one random word (Walker 1977).
pub(super) struct Alias {
    /// Below the threshold, of 2³², the cell's own number, else the other.
    cells: Vec<(u32, u32)>,
}

impl Alias {
    pub(super) fn new(weights: impl Iterator<Item = f64>) -> Self {
        let mut shares: Vec<f64> = weights.collect();
        let total: f64 = shares.iter().sum();
        let n = shares.len() as f64;
        shares.iter_mut().for_each(|share| *share *= n / total);
        let (mut small, mut large): (Vec<usize>, Vec<usize>) =
            (0..shares.len()).partition(|&i| shares[i] < 1.0);
        let mut cells: Vec<(u32, u32)> = (0..shares.len() as u32).map(|i| (u32::MAX, i)).collect();
        while let (Some(&from), Some(to)) = (large.last(), small.pop()) {
            cells[to] = ((shares[to] * 4_294_967_296.0) as u32, from as u32);
            shares[from] -= 1.0 - shares[to];
            if shares[from] < 1.0 {
                large.pop();
                small.push(from);
            }
        }
        Self { cells }
    }

    #[inline(always)]
    pub(super) fn draw(&self, rng: &mut ChaCha8Rng) -> u32 {
        let mut word = rng.next_u64();
        let at = digit(&mut word, self.cells.len());
        let (threshold, other) = self.cells[at];
        if ((word >> 32) as u32) < threshold { at as u32 } else { other }
    }
}

/// Gradient steps for pairs, one after the other, at rates that go from the first to the second.
pub(super) struct Train<'a> {
    pub(super) sources: &'a mut Columns,
    /// None when the contexts are the sources themselves.
    pub(super) contexts: Option<&'a mut Columns>,
    pub(super) pairs: &'a [(u32, u32)],
    pub(super) table: &'a Alias,
    pub(super) negatives: usize,
    pub(super) rates: (f64, f64),
    pub(super) rng: &'a mut ChaCha8Rng,
}

/// Runs it with the widest registers there are.
pub(super) fn train(work: Train<'_>) {
    Arch::new().dispatch(work);
}

impl WithSimd for Train<'_> {
    type Output = ();
    #[inline(always)]
    fn with_simd<S: Simd>(self, s: S) {
        let stride = self.sources.stride;
        let (mut own, mut gradient) = (vec![0.0f32; stride], vec![0.0f32; stride]);
        let itself = self.contexts.is_none();
        let (sources, mut contexts) =
            (&mut self.sources.values, self.contexts.map(|columns| &mut columns.values));
        let slope = (self.rates.1 - self.rates.0) / self.pairs.len().max(1) as f64;
        for (i, &(u, v)) in self.pairs.iter().enumerate() {
            let rate = (self.rates.0 + slope * i as f64) as f32;
            own.copy_from_slice(&sources[u as usize * stride..][..stride]);
            gradient.fill(0.0);
            for k in 0..=self.negatives {
                let node = if k == 0 { v } else { self.table.draw(self.rng) };
                if k > 0 && (node == v || (itself && node == u)) {
                    continue;
                }
                let contexts = contexts.as_deref_mut().unwrap_or(&mut *sources);
                let target = &mut contexts[node as usize * stride..][..stride];
                pull(s, &own, &mut gradient, target, f32::from(k == 0), rate);
            }
            let row = &mut sources[u as usize * stride..][..stride];
            row.iter_mut().zip(&gradient).for_each(|(x, step)| *x += step);
        }
    }
}

/// A gradient step of `ln σ(±own·target)`, + for label 1: `target` takes it, that of `own` is added to `gradient`. All of one length, a
/// multiple of 16.
///
/// Written with registers: with plain loops DeepWalk of facebook took 74 s of one core, with these 11 s.
#[inline(always)]
fn pull<S: Simd>(s: S, own: &[f32], gradient: &mut [f32], target: &mut [f32], label: f32, rate: f32) {
    let (own, target) = (S::as_simd_f32s(own).0, S::as_mut_simd_f32s(target).0);
    let gradient = S::as_mut_simd_f32s(gradient).0;
    assert!(own.len() == gradient.len() && own.len() == target.len());
    let (mut even, mut odd) = (s.splat_f32s(0.0), s.splat_f32s(0.0));
    for (own, target) in own.chunks(2).zip(target.chunks(2)) {
        even = s.mul_add_f32s(own[0], target[0], even);
        if let (Some(own), Some(target)) = (own.get(1), target.get(1)) {
            odd = s.mul_add_f32s(*own, *target, odd);
        }
    }
    let dot = s.reduce_sum_f32s(s.add_f32s(even, odd));
    let by = s.splat_f32s(rate * (label - 1.0 / (1.0 + (-dot).exp())));
    for ((own, gradient), target) in own.iter().zip(gradient).zip(target) {
        *gradient = s.mul_add_f32s(by, *target, *gradient);
        *target = s.mul_add_f32s(by, *own, *target);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::two_groups;
    use super::*;

    struct Pull<'a>(&'a [f32], &'a mut [f32], &'a mut [f32], f32);

    impl WithSimd for Pull<'_> {
        type Output = ();
        fn with_simd<S: Simd>(self, s: S) {
            pull(s, self.0, self.1, self.2, self.3, 1.0);
        }
    }

    #[test]
    fn steps_go_along_the_gradient_of_the_objective() {
        let mut rng = stream(0, Purpose::Denoise, 920);
        let mut draw = |n: usize| (0..n).map(|_| (uniform(&mut rng) - 0.5) as f32).collect::<Vec<f32>>();
        for (label, arch) in
            [0.0f32, 1.0].into_iter().flat_map(|label| [(label, Arch::Scalar), (label, Arch::new())])
        {
            let (own, target) = (draw(48), draw(48));
            let objective = |own: &[f32], target: &[f32]| {
                let dot: f64 = own.iter().zip(target).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum();
                let sign = f64::from(2.0 * label - 1.0);
                -(-sign * dot).exp().ln_1p()
            };
            let (mut gradient, mut moved) = (vec![0.0; 48], target.clone());
            arch.dispatch(Pull(&own, &mut gradient, &mut moved, label));
            for i in 0..48 {
                let h = 1.0 / 256.0;
                let shifted = |x: &[f32], by: f32| {
                    let mut x = x.to_vec();
                    x[i] += by;
                    x
                };
                let of_own = (objective(&shifted(&own, h), &target) - objective(&shifted(&own, -h), &target))
                    / f64::from(2.0 * h);
                let of_target = (objective(&own, &shifted(&target, h))
                    - objective(&own, &shifted(&target, -h)))
                    / f64::from(2.0 * h);
                assert!((of_own - f64::from(gradient[i])).abs() < 1e-5, "{of_own} {}", gradient[i]);
                assert!((of_target - f64::from(moved[i] - target[i])).abs() < 1e-5);
            }
        }
    }

    #[test]
    fn alias_tables_have_their_law() {
        let weights = [0.0, 3.0, 1.0, 0.5, 10.0, 0.0, 2.5];
        let total: f64 = weights.iter().sum();
        // The law of the table itself, exactly.
        let table = Alias::new(weights.into_iter());
        let mut law = [0.0; 7];
        for (at, &(threshold, other)) in table.cells.iter().enumerate() {
            let own = f64::from(threshold) / 4_294_967_296.0;
            law[at] += own / 7.0;
            law[other as usize] += (1.0 - own) / 7.0;
        }
        for (p, w) in law.iter().zip(weights) {
            assert!((p - w / total).abs() < 1e-8, "{law:?}");
        }
        let mut rng = stream(0, Purpose::Denoise, 921);
        let mut counts = [0.0; 7];
        (0..20_000).for_each(|_| counts[table.draw(&mut rng) as usize] += 1.0);
        let used = || law.iter().zip(counts).filter(|(p, _)| **p > 1e-6);
        assert_eq!(used().map(|(_, c)| c).sum::<f64>(), 20_000.0);
        let chi2: f64 = used().map(|(p, c)| (c - 20_000.0 * p).powi(2) / (20_000.0 * p)).sum();
        assert!(chi2 < 23.5, "chi² {chi2} over the 0.9999 quantile for 4 degrees of freedom");
    }

    #[test]
    fn pairs_are_those_within_the_window() {
        // On a path all distances in a walk can be checked, as numbers of nodes differ by as much at most.
        let edges: Vec<(u32, u32)> = (0..1999).map(|u| (u, u + 1)).collect();
        let network = Network::simple(2000, &edges).unwrap();
        let settings = SkipGram { window: 3, ..SkipGram::default() };
        let walks = Walks { length: 20, ..Walks::default() };
        let starts: Vec<u32> = (0..2000).collect();
        let found = settings.pairs(&network, &walks, &starts, 4, (0, 0));
        let mut near = 0u32;
        for (place, pairs) in found.iter().enumerate() {
            for &(u, v) in pairs {
                let (u, v) = (u * 4 + (place / 4) as u32, v * 4 + (place % 4) as u32);
                assert!(u != v && u.abs_diff(v) <= 3 && v < 2000);
                near += u32::from(u.abs_diff(v) == 3);
            }
        }
        // A window of 3 has 4 contexts in the mean, fewer at ends and where a node is its own.
        let all: usize = found.iter().map(Vec::len).sum();
        assert!(near > 0 && all > 2000 * 20 * 2 && all < 2000 * 20 * 4, "{near} {all}");
    }

    #[test]
    fn groups_are_separated_and_threads_do_not_change_a_byte() {
        let settings = SkipGram { dimensions: 16, window: 4, ..SkipGram::default() };
        let walks = Walks { per_node: 10, length: 40, p: 0.5, q: 2.0 };
        // In one part, and in several.
        for nodes in [400, 1200] {
            let network = two_groups(nodes, 3);
            let run = |threads: usize| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| settings.embed(&network, &walks, 7, &mut |_| true).unwrap().unwrap())
            };
            let one = run(1);
            assert_eq!(one, run(3));
            super::super::tests::assert_groups_are_separated(&one, 0.9);
        }
        let mut calls = 0;
        let stopped = settings.embed(&two_groups(1200, 3), &walks, 7, &mut |_| {
            calls += 1;
            calls < 2
        });
        assert!(stopped.unwrap().is_none() && calls == 2);
    }

    #[test]
    fn what_makes_no_sense_is_refused_and_what_is_empty_is_zero() {
        let network = Network::simple(3, &[(0, 1)]).unwrap();
        let embed = |settings: SkipGram| settings.embed(&network, &Walks::default(), 0, &mut |_| true);
        assert!(embed(SkipGram { window: 0, ..SkipGram::default() }).is_err());
        assert!(embed(SkipGram { rates: (f64::NAN, 0.1), ..SkipGram::default() }).is_err());
        assert!(embed(SkipGram { dimensions: 0, ..SkipGram::default() }).is_err());
        let columns = embed(SkipGram::default()).unwrap().unwrap();
        assert!(columns.col(2).iter().all(|x| *x == 0.0) && columns.col(0).iter().any(|x| *x != 0.0));
        let empty = Network::simple(2, &[]).unwrap();
        let columns =
            SkipGram::default().embed(&empty, &Walks::default(), 0, &mut |_| true).unwrap().unwrap();
        assert!((0..2).flat_map(|u| columns.col(u)).collect::<Vec<_>>().iter().all(|x| **x == 0.0));
    }
}
