//! For tests: the whole transition matrix of a sampler on a tiny network, and frequencies against it.

use super::super::Chain;
use super::super::diagnostics::Acceptance;
pub(crate) use super::chi_squared::ChiSquared;
use super::{Motif, MotifSampler};
use crate::data::{Build, Loops, Network, NodeIds};
use crate::rng::{Purpose, stream};
use rand_chacha::ChaCha8Rng;
use std::collections::HashMap;
use std::sync::Arc;

/// Cases with more states are left out: the matrix would take too long.
pub(crate) const MOST_STATES: usize = 700;

/// What the transition matrix of a sampler shows.
pub(crate) struct Checked {
    /// All `x` that the stationary law gives a weight.
    pub(crate) states: Vec<Vec<u32>>,
    /// Their probabilities.
    pub(crate) law: Vec<f64>,
    /// `P(from, to)` by rows.
    pub(crate) matrix: Vec<Vec<f64>>,
    /// The largest `|Σ_y P(x,y) − 1|`.
    pub(crate) row_error: f64,
    /// The largest `|(πP)(y) − π(y)|`.
    pub(crate) stationary_error: f64,
    /// Strongly connected classes.
    pub(crate) classes: usize,
    /// The largest of their periods.
    pub(crate) period: usize,
}

impl Checked {
    /// That `π` is stationary, whatever the classes.
    pub(crate) fn assert_stationary(&self, case: &str) {
        assert!(self.row_error < 1e-12, "{case}: rows sum to 1 but for {:e}", self.row_error);
        assert!(self.stationary_error < 1e-12, "{case}: πP is π but for {:e}", self.stationary_error);
    }

    /// That `π` is the only stationary law, and that every start leads to it.
    pub(crate) fn assert_ergodic(&self, case: &str) {
        self.assert_stationary(case);
        assert_eq!((self.classes, self.period), (1, 1), "{case}: classes, period");
    }
}

/// All `x` with a weight, and their probabilities; none when there are more than [`MOST_STATES`].
pub(crate) fn law(sampler: &dyn MotifSampler) -> Option<(Vec<Vec<u32>>, Vec<f64>)> {
    let (n, k) = (sampler.network().nodes() as u32, sampler.motif().k());
    let (mut states, mut weights) = (Vec::new(), Vec::new());
    let mut x = vec![0; k];
    loop {
        let weight = sampler.weight(&x);
        if weight > 0.0 {
            states.push(x.clone());
            weights.push(weight);
        }
        // The next number of k digits in base n.
        let Some(at) = (0..k).rev().find(|&i| x[i] + 1 < n) else { break };
        x[at] += 1;
        x[at + 1..].fill(0);
    }
    let total: f64 = weights.iter().sum();
    weights.iter_mut().for_each(|weight| *weight /= total);
    (states.len() <= MOST_STATES).then_some((states, weights))
}

/// The transition matrix from [`MotifSampler::probability`], and what it shows; none when there are too many
/// states.
pub(crate) fn check(sampler: &dyn MotifSampler) -> Option<Checked> {
    let (states, law) = law(sampler)?;
    let row = |from: &Vec<u32>| states.iter().map(|to| sampler.probability(from, to)).collect();
    let matrix: Vec<Vec<f64>> = states.iter().map(row).collect();
    let all = matrix.iter().flatten();
    assert!(all.clone().all(|p| (0.0..=1.0 + 1e-12).contains(p)), "not a probability");
    let error = |sum: f64, expected: f64| (sum - expected).abs();
    let row_error = matrix.iter().map(|row| error(row.iter().sum(), 1.0)).fold(0.0, f64::max);
    let mut next = vec![0.0; law.len()];
    for (row, weight) in matrix.iter().zip(&law) {
        next.iter_mut().zip(row).for_each(|(next, p)| *next += weight * p);
    }
    let stationary_error = next.iter().zip(&law).map(|(next, p)| error(*next, *p)).fold(0.0, f64::max);
    let (classes, period) = classes(&matrix);
    Some(Checked { states, law, matrix, row_error, stationary_error, classes, period })
}

/// The number of strongly connected classes, and the largest period of one.
fn classes(matrix: &[Vec<f64>]) -> (usize, usize) {
    let n = matrix.len();
    let arc = |from: usize, to: usize, forward: bool| {
        if forward { matrix[from][to] > 0.0 } else { matrix[to][from] > 0.0 }
    };
    // Distances from a state, along arcs or against them.
    let distances = |start: usize, forward: bool| {
        let (mut distance, mut queue) = (vec![usize::MAX; n], vec![start]);
        distance[start] = 0;
        let mut at = 0;
        while let Some(&u) = queue.get(at) {
            at += 1;
            for v in 0..n {
                if distance[v] == usize::MAX && arc(u, v, forward) {
                    distance[v] = distance[u] + 1;
                    queue.push(v);
                }
            }
        }
        distance
    };
    let (mut class, mut count, mut longest) = (vec![usize::MAX; n], 0, 0);
    for start in 0..n {
        if class[start] != usize::MAX {
            continue;
        }
        let (to, back) = (distances(start, true), distances(start, false));
        let inside = |u: usize| to[u] != usize::MAX && back[u] != usize::MAX;
        (0..n).filter(|&u| inside(u)).for_each(|u| class[u] = count);
        count += 1;
        let mut period = 0;
        for u in (0..n).filter(|&u| inside(u)) {
            for v in (0..n).filter(|&v| inside(v) && arc(u, v, true)) {
                period = gcd(period, (to[u] + 1).abs_diff(to[v]));
            }
        }
        longest = longest.max(period);
    }
    (count, longest)
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Frequencies of transitions against the rows of the matrix, from `steps` steps of a run of blocks of
/// `block` states by [`MotifSampler::sample`], or of single steps for `block` 0. (Given where it comes from,
/// each step of a Markov chain is an independent draw from its row.) Of independent draws the frequencies of
/// states against the law.
pub(crate) fn check_transitions(
    sampler: &dyn MotifSampler,
    checked: &Checked,
    rng: &mut ChaCha8Rng,
    steps: usize,
    block: usize,
) -> ChiSquared {
    let index: HashMap<&[u32], usize> = checked.states.iter().map(Vec::as_slice).zip(0..).collect();
    let k = sampler.motif().k();
    let mut counts = vec![vec![0u64; checked.states.len()]; checked.states.len()];
    let mut state = sampler.init(rng);
    let mut from = index[&state[..]];
    let mut out = vec![0; block.max(1) * k];
    for _ in 0..steps / block.max(1) {
        if block == 0 {
            sampler.step(&mut state, rng);
            out.copy_from_slice(&state);
        } else {
            sampler.sample(&mut state, rng, &mut out);
        }
        for x in out.chunks_exact(k) {
            let to = index[x];
            counts[from][to] += 1;
            from = to;
        }
        assert_eq!(&out[out.len() - k..], &state[..], "the state is the last one of a block");
    }
    let mut chi2 = ChiSquared::default();
    if sampler.is_independent() {
        let total: Vec<u64> = (0..counts.len()).map(|to| counts.iter().map(|row| row[to]).sum()).collect();
        chi2.add(&total, &checked.law);
    } else {
        counts.iter().zip(&checked.matrix).for_each(|(counts, row)| chi2.add(counts, row));
    }
    chi2
}

/// Frequencies of where a state is after a step (`block` 0), or after a block of `block` steps, against powers of
/// the matrix.
pub(crate) fn check_from(
    sampler: &dyn MotifSampler,
    checked: &Checked,
    rng: &mut ChaCha8Rng,
    from: usize,
    draws: usize,
    block: usize,
) -> ChiSquared {
    let index: HashMap<&[u32], usize> = checked.states.iter().map(Vec::as_slice).zip(0..).collect();
    let mut law = checked.matrix[from].clone();
    for _ in 1..block {
        let mut next = vec![0.0; law.len()];
        for (p, row) in law.iter().zip(&checked.matrix) {
            next.iter_mut().zip(row).for_each(|(next, q)| *next += p * q);
        }
        law = next;
    }
    let mut counts = vec![0; law.len()];
    let mut out = vec![0; block * sampler.motif().k()];
    for _ in 0..draws {
        let mut state = checked.states[from].clone();
        if block == 0 {
            sampler.step(&mut state, rng);
        } else {
            sampler.sample(&mut state, rng, &mut out);
        }
        counts[index[&state[..]]] += 1;
    }
    let mut chi2 = ChiSquared::default();
    chi2.add(&counts, &law);
    chi2
}

/// Everything for a kind of sampler, on all tiny networks and motifs: that it is refused with the word given,
/// and otherwise that its law is stationary, the only one and reached from everywhere, and that single steps
/// and blocks go by its matrix. How many cases were not refused nor too large.
pub(crate) fn check_chain(
    refused: impl Fn(&str, &str) -> Option<&'static str>,
    make: impl Fn(Arc<Network>, &Motif) -> crate::Result<Box<dyn MotifSampler>>,
) -> usize {
    let mut cases = 0;
    let seed = std::env::var("SEED").map_or(1, |seed| seed.parse().unwrap());
    let mut rng = stream(seed, Purpose::Chain, 0);
    for (name, network) in tiny_networks() {
        for (shape, motif) in tiny_motifs() {
            let case = format!("{name}, {shape}");
            let sampler = match (make(network.clone(), &motif), refused(name, shape)) {
                (Ok(sampler), None) => sampler,
                (Err(error), Some(word)) => {
                    assert!(error.to_string().contains(word), "{case}: {error}");
                    continue;
                }
                (Ok(_), Some(word)) => panic!("{case}: should be refused ({word})"),
                (Err(error), None) => panic!("{case}: {error}"),
            };
            let Some(checked) = check(&*sampler) else { continue };
            checked.assert_ergodic(&case);
            let last = checked.states.len() - 1;
            for (from, block) in [(0, 0), (last, 0), (0, 1), (last, 3)] {
                check_from(&*sampler, &checked, &mut rng, from, 3000, block).assert(&case);
            }
            // Blocks of several parts, in the long run.
            check_transitions(&*sampler, &checked, &mut rng, 10_000, 150).assert(&case);
            cases += 1;
        }
    }
    cases
}

fn build(n: usize, edges: &[(u32, u32, f64)], directed: bool) -> Arc<Network> {
    let build = Build { directed, loops: Loops::Keep };
    Arc::new(Network::build(NodeIds::numbered(n), edges, true, build).unwrap().0)
}

const SEVEN: [(u32, u32); 8] = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 5), (3, 5), (5, 6)];

/// Tiny networks by name: connected, bipartite, disconnected, with loops; then with weights, then directed.
pub(crate) fn tiny_networks() -> Vec<(&'static str, Arc<Network>)> {
    let ones = |edges: &[(u32, u32)]| edges.iter().map(|&(u, v)| (u, v, 1.0)).collect::<Vec<_>>();
    let simple = |n: usize, edges: &[(u32, u32)]| build(n, &ones(edges), false);
    let arcs = |n: usize, edges: &[(u32, u32)]| build(n, &ones(edges), true);
    let weigh = |edges: &[(u32, u32)]| {
        let weights = [2.5, 0.25, 1.0, 3.0, 0.7];
        edges.iter().zip(weights.iter().cycle()).map(|(&(u, v), &w)| (u, v, w)).collect::<Vec<_>>()
    };
    let both_ways = |edges: &[(u32, u32)]| -> Vec<(u32, u32)> {
        edges.iter().flat_map(|&(u, v)| [(u, v), (v, u)]).collect()
    };
    let triangle_tail = [(0, 1), (1, 2), (2, 0), (2, 3)];
    let path = [(0, 1), (1, 2), (2, 3)];
    let square = [(0, 1), (1, 2), (2, 3), (3, 0)];
    let mut one_way = both_ways(&triangle_tail);
    one_way.push((3, 0));
    vec![
        ("triangle with tail", simple(4, &triangle_tail)),
        ("bow tie", simple(5, &[(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 2)])),
        ("seven nodes", simple(7, &SEVEN)),
        ("path", simple(4, &path)),
        ("square", simple(4, &square)),
        ("star", simple(5, &[(0, 1), (0, 2), (0, 3), (0, 4)])),
        ("K4", simple(4, &[(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)])),
        ("one edge", simple(2, &[(0, 1)])),
        ("one node", simple(1, &[])),
        ("no edge", simple(3, &[])),
        ("two components", simple(5, &[(0, 1), (1, 2), (2, 0), (3, 4)])),
        ("isolated node", simple(4, &[(0, 1), (1, 3), (3, 0)])),
        ("with loops", simple(3, &[(0, 0), (0, 1), (1, 2), (2, 2)])),
        ("one loop", simple(1, &[(0, 0)])),
        ("weighted triangle with tail", build(4, &weigh(&triangle_tail), false)),
        ("weighted seven nodes", build(7, &weigh(&SEVEN), false)),
        ("weighted path", build(4, &weigh(&path), false)),
        ("weighted square", build(4, &weigh(&square), false)),
        ("weighted with loops", build(3, &weigh(&[(0, 0), (0, 1), (1, 2), (2, 2)]), false)),
        ("directed, both ways", build(4, &weigh(&both_ways(&triangle_tail)), true)),
        ("directed, one arc one way", arcs(4, &one_way)),
        ("directed, one weighted arc one way", build(4, &weigh(&one_way), true)),
        ("directed path, both ways", arcs(4, &both_ways(&path))),
        ("directed cycle", arcs(3, &[(0, 1), (1, 2), (2, 0)])),
        ("directed acyclic", arcs(5, &[(0, 1), (0, 2), (1, 2), (2, 3), (1, 3), (3, 4)])),
        (
            "directed to a sink",
            build(4, &weigh(&[(0, 1), (1, 0), (1, 2), (2, 1), (0, 2), (2, 0), (2, 3)]), true),
        ),
    ]
}

/// Tiny motifs by name.
pub(crate) fn tiny_motifs() -> Vec<(&'static str, Motif)> {
    vec![
        ("chain 1", Motif::path(1).unwrap()),
        ("chain 2", Motif::path(2).unwrap()),
        ("chain 3", Motif::path(3).unwrap()),
        ("chain 4", Motif::path(4).unwrap()),
        ("star 4", Motif::star(4).unwrap()),
        ("tree 5", Motif::new(5, vec![(1, 0), (1, 2), (3, 1), (0, 4)]).unwrap()),
        ("cycle 3", Motif::cycle(3).unwrap()),
        ("cycle 4", Motif::cycle(4).unwrap()),
    ]
}

mod tests {
    use super::*;

    #[test]
    fn classes_and_periods_are_found() {
        let rows = |rows: &[&[f64]]| rows.iter().map(|row| row.to_vec()).collect::<Vec<_>>();
        assert_eq!(classes(&rows(&[&[0.0, 1.0], &[1.0, 0.0]])), (1, 2));
        assert_eq!(classes(&rows(&[&[0.5, 0.5], &[1.0, 0.0]])), (1, 1));
        assert_eq!(classes(&rows(&[&[1.0, 0.0], &[0.5, 0.5]])), (2, 1));
        let turn = rows(&[&[0.0, 1.0, 0.0], &[0.0, 0.0, 1.0], &[1.0, 0.0, 0.0]]);
        assert_eq!(classes(&turn), (1, 3));
    }

    #[test]
    fn names_of_networks_and_motifs_differ() {
        let mut names: Vec<&str> = tiny_networks().iter().map(|case| case.0).collect();
        names.extend(tiny_motifs().iter().map(|case| case.0));
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}

impl<S: MotifSampler + ?Sized> Chain for Box<S> {
    type State = Vec<u32>;
    type Info = Acceptance;

    fn init(&self, rng: &mut ChaCha8Rng) -> Vec<u32> {
        (**self).init(rng)
    }
    fn step(&self, state: &mut Vec<u32>, rng: &mut ChaCha8Rng) -> Acceptance {
        (**self).step(state, rng)
    }
    fn steps(&self, state: &mut Vec<u32>, count: u64, rng: &mut ChaCha8Rng) -> Acceptance {
        (**self).steps(state, count, rng)
    }
}

impl<S: MotifSampler + ?Sized> MotifSampler for Box<S> {
    fn motif(&self) -> &Motif {
        (**self).motif()
    }
    fn network(&self) -> &Network {
        (**self).network()
    }
    fn weight(&self, x: &[u32]) -> f64 {
        (**self).weight(x)
    }
    fn is_state(&self, x: &[u32]) -> bool {
        (**self).is_state(x)
    }
    fn probability(&self, from: &[u32], to: &[u32]) -> f64 {
        (**self).probability(from, to)
    }
    fn is_independent(&self) -> bool {
        (**self).is_independent()
    }
    fn notes(&self) -> Vec<String> {
        (**self).notes()
    }
    fn sample(&self, state: &mut Vec<u32>, rng: &mut ChaCha8Rng, out: &mut [u32]) -> Acceptance {
        (**self).sample(state, rng, out)
    }
}
