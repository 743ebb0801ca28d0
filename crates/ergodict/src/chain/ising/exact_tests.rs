//! The Ising chains on tiny systems, where every state can be counted: `πP = π` with the kernels' own probabilities,
//! and the samplers against the exact law of where they are after a number of steps.

use crate::chain::{Boundary, Chain, Checkerboard, Field, Ising, IsingGraph, Lattice, SpinSystem};
use crate::rng::{Purpose, stream};

/// A system small enough to enumerate: its law, and the probability of +1 at each site in each state.
struct Tiny {
    name: String,
    sites: usize,
    law: Vec<f64>,
    /// `plus[code][site]`; bit `v` of `code` is set where spin `v` is +1.
    plus: Vec<Vec<f64>>,
}

fn spins(code: usize, sites: usize) -> Vec<i8> {
    (0..sites).map(|v| if code >> v & 1 == 1 { 1 } else { -1 }).collect()
}

fn code(spins: &[i8]) -> usize {
    spins.iter().enumerate().map(|(v, x)| usize::from(*x == 1) << v).sum()
}

impl Tiny {
    fn new<C>(name: String, chain: &C, temperature: f64, plus: impl Fn(&[i8], usize) -> f64) -> Self
    where
        C: SpinSystem<State = Vec<i8>>,
    {
        let (rows, cols) = chain.shape();
        let sites = rows * cols;
        let states: Vec<Vec<i8>> = (0..1 << sites).map(|code| spins(code, sites)).collect();
        let weights: Vec<f64> = states.iter().map(|x| (-chain.energy(x) / temperature).exp()).collect();
        let total: f64 = weights.iter().sum();
        let law = weights.iter().map(|w| w / total).collect();
        let plus = states.iter().map(|x| (0..sites).map(|v| plus(x, v)).collect()).collect();
        Self { name, sites, law, plus }
    }

    fn lattice(ising: &Ising, name: &str) -> Self {
        let (rows, cols) = ising.shape();
        let name = format!("{name} {rows}×{cols} J={} {:?}", ising.coupling(), ising.field());
        Self::new(name, ising, ising.temperature(), |x, v| {
            ising.probability_plus(v, ising.neighbor_sum(x, v))
        })
    }

    fn graph(ising: &IsingGraph, name: &str) -> Self {
        Self::new(name.into(), ising, ising.temperature(), |x, v| ising.probability_plus(x, v))
    }

    /// The law after an update of one site, from a law before.
    fn update(&self, law: &[f64], site: usize) -> Vec<f64> {
        let mut after = vec![0.0; law.len()];
        for (code, mass) in law.iter().enumerate() {
            let p = self.plus[code][site];
            after[code | 1 << site] += mass * p;
            after[code & !(1 << site)] += mass * (1.0 - p);
        }
        after
    }

    /// The law after one step of the random scan.
    fn scan(&self, law: &[f64]) -> Vec<f64> {
        let mut after = vec![0.0; law.len()];
        for site in 0..self.sites {
            let share = self.update(law, site);
            after.iter_mut().zip(share).for_each(|(a, s)| *a += s / self.sites as f64);
        }
        after
    }

    fn uniform(&self) -> Vec<f64> {
        vec![1.0 / self.law.len() as f64; self.law.len()]
    }
}

fn close(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// Warm enough to be near its stationary law soon.
fn ising(rows: usize, cols: usize, boundary: Boundary, coupling: f64, field: Field) -> Ising {
    Ising::new(Lattice::new(rows, cols, boundary).unwrap(), 3.5, coupling, field).unwrap()
}

fn map(sites: usize) -> Field {
    Field::Map((0..sites).map(|v| [0.4, -0.9, 0.0, 1.3][v % 4] + 0.01 * v as f64).collect())
}

/// Lattices of both boundaries with all kinds of couplings and fields; those with sides of 1 and 2 have loops and double bonds
/// when periodic.
fn lattices() -> Vec<Ising> {
    let mut all = Vec::new();
    for boundary in [Boundary::Periodic, Boundary::Free] {
        for (rows, cols) in [(3, 3), (1, 1), (1, 5), (4, 1), (2, 2), (2, 3), (2, 4)] {
            for (coupling, field) in [
                (1.0, Field::Uniform(0.0)),
                (1.0, Field::Uniform(0.35)),
                (-0.8, Field::Uniform(-0.2)),
                (1.0, map(rows * cols)),
                (-1.0, map(rows * cols)),
            ] {
                let lattice = Lattice::new(rows, cols, boundary).unwrap();
                all.push(Ising::new(lattice, 1.7, coupling, field).unwrap());
            }
        }
    }
    all
}

fn graphs() -> Vec<(&'static str, IsingGraph)> {
    let complete: Vec<_> = (0..5).flat_map(|u| (0..u).map(move |v| (u, v, -0.4))).collect();
    let bipartite: Vec<_> = (0..2).flat_map(|u| (2..5).map(move |v| (u, v, 1.1))).collect();
    let make =
        |nodes, edges: &[(u32, u32, f64)], field: Field| IsingGraph::new(nodes, edges, 2.3, &field).unwrap();
    vec![
        ("frustrated triangle", make(3, &[(0, 1, 1.0), (2, 1, 0.5), (0, 2, -0.7)], Field::Uniform(0.1))),
        ("complete", make(5, &complete, map(5))),
        ("bipartite", make(5, &bipartite, Field::Uniform(0.0))),
        ("two parts and a lonely node", make(6, &[(0, 1, 1.0), (2, 3, 1.0), (3, 4, 2.0)], map(6))),
        ("no edges", make(4, &[], map(4))),
        ("one node", make(1, &[], Field::Uniform(0.5))),
    ]
}

fn all() -> Vec<Tiny> {
    let lattices = lattices().into_iter().map(|ising| Tiny::lattice(&ising, "lattice"));
    lattices.chain(graphs().iter().map(|(name, graph)| Tiny::graph(graph, name))).collect()
}

#[test]
fn random_scan_keeps_the_law_in_detailed_balance_and_can_reach_every_state() {
    for tiny in all() {
        assert!(close(&tiny.scan(&tiny.law), &tiny.law) < 1e-12, "{}: πP = π", tiny.name);
        for code in 0..tiny.law.len() {
            for site in 0..tiny.sites {
                let (up, down) = (code | 1 << site, code & !(1 << site));
                let forth = tiny.law[down] * tiny.plus[down][site];
                let back = tiny.law[up] * (1.0 - tiny.plus[up][site]);
                assert!((forth - back).abs() < 1e-15, "{}: detailed balance at {code}, {site}", tiny.name);
                // Every single flip and every stay has a chance: irreducible and aperiodic.
                assert!(tiny.plus[code][site] > 0.0 && tiny.plus[code][site] < 1.0, "{}", tiny.name);
            }
        }
    }
}

#[test]
fn half_sweeps_as_products_keep_the_law() {
    let mut checked = 0;
    for model in lattices() {
        let tiny = Tiny::lattice(&model, "checkerboard");
        if tiny.sites > 9 || Checkerboard::new(model.clone()).is_err() {
            continue;
        }
        let cols = model.shape().1;
        let mut law = tiny.law.clone();
        for color in 0..2 {
            let sites: Vec<usize> = (0..tiny.sites).filter(|v| (v / cols + v % cols) % 2 == color).collect();
            let mut after = vec![0.0; law.len()];
            for (code, mass) in law.iter().enumerate() {
                // All sites of the color at once, each given the state before.
                for choice in 0..1 << sites.len() {
                    let (mut to, mut p) = (code, *mass);
                    for (k, &site) in sites.iter().enumerate() {
                        let plus = choice >> k & 1 == 1;
                        to = if plus { to | 1 << site } else { to & !(1 << site) };
                        p *= if plus { tiny.plus[code][site] } else { 1.0 - tiny.plus[code][site] };
                    }
                    after[to] += p;
                }
            }
            assert!(close(&after, &tiny.law) < 1e-12, "{}: color {color}", tiny.name);
            law = after;
        }
        checked += 1;
    }
    assert_eq!(checked, 45, "tori with an odd side are left out, nothing else");
}

/// The 0.9999 quantile of chi² (Wilson and Hilferty).
fn quantile(freedom: f64) -> f64 {
    let a = 2.0 / (9.0 * freedom);
    freedom * (1.0 - a + 3.719 * a.sqrt()).powi(3)
}

/// Where runs from fresh starts are after a number of steps, against the law; states with few expected visits are pooled.
fn check_draws<C: Chain<State = Vec<i8>>>(name: &str, chain: &C, steps: u64, law: &[f64], seed: u64) {
    let draws = 5000;
    let mut counts = vec![0.0; law.len()];
    for run in 0..draws {
        let mut rng = stream(seed, Purpose::Chain, run);
        let mut state = chain.init(&mut rng);
        chain.steps(&mut state, steps, &mut rng);
        counts[code(&state)] += 1.0;
    }
    let (mut chi2, mut cells, mut rare) = (0.0, 0, (0.0, 0.0));
    for (count, p) in counts.iter().zip(law) {
        let expected = draws as f64 * p;
        if expected < 8.0 {
            rare = (rare.0 + count, rare.1 + expected);
        } else {
            chi2 += (count - expected).powi(2) / expected;
            cells += 1;
        }
    }
    if rare.1 >= 8.0 {
        chi2 += (rare.0 - rare.1).powi(2) / rare.1;
        cells += 1;
    }
    let limit = quantile(f64::from(cells - 1));
    assert!(chi2 < limit, "{name} after {steps}: chi² {chi2} over {limit} for {cells} cells");
}

fn seed() -> u64 {
    std::env::var("ISING_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1)
}

#[test]
fn random_scan_draws_follow_the_exact_law_after_few_and_many_steps() {
    let models = [
        ising(3, 3, Boundary::Periodic, 1.0, Field::Uniform(0.2)),
        ising(3, 3, Boundary::Free, -0.8, map(9)),
        ising(2, 2, Boundary::Periodic, 1.0, Field::Uniform(0.0)),
        ising(1, 5, Boundary::Periodic, 1.0, map(5)),
    ];
    let check = |name: &str, tiny: &Tiny, draw: &dyn Fn(u64, &[f64])| {
        let mut law = tiny.uniform();
        (0..9).for_each(|_| law = tiny.scan(&law));
        draw(9, &law);
        (9..400).for_each(|_| law = tiny.scan(&law));
        assert!(close(&law, &tiny.law) < 1e-4, "{name} is near its stationary law");
        draw(400, &law);
    };
    for model in &models {
        let tiny = Tiny::lattice(model, "lattice");
        check(&tiny.name, &tiny, &|steps, law| check_draws(&tiny.name, model, steps, law, seed()));
    }
    for (name, graph) in graphs().iter().filter(|(_, graph)| graph.nodes() > 1) {
        let tiny = Tiny::graph(graph, name);
        check(name, &tiny, &|steps, law| check_draws(name, graph, steps, law, seed()));
    }
}

#[test]
fn checkerboard_draws_follow_the_exact_law_after_few_and_many_sweeps() {
    for model in [
        ising(2, 4, Boundary::Periodic, 1.0, Field::Uniform(0.2)),
        ising(2, 2, Boundary::Periodic, -0.5, Field::Uniform(0.0)),
        ising(3, 3, Boundary::Free, 1.0, Field::Uniform(-0.1)),
        ising(3, 3, Boundary::Free, -0.8, map(9)),
        ising(1, 6, Boundary::Free, 1.0, Field::Uniform(0.4)),
    ] {
        let tiny = Tiny::lattice(&model, "checkerboard");
        let cols = model.shape().1;
        // Sites of one color do not see each other: one after the other is all at once.
        let sweep = |mut law: Vec<f64>| {
            for color in 0..2 {
                for site in (0..tiny.sites).filter(|v| (v / cols + v % cols) % 2 == color) {
                    law = tiny.update(&law, site);
                }
            }
            law
        };
        let chain = Checkerboard::new(model).unwrap();
        let first = sweep(tiny.uniform());
        check_draws(&tiny.name, &chain, 1, &first, seed());
        let many = (1..20).fold(first, |law, _| sweep(law));
        assert!(close(&many, &tiny.law) < 1e-4, "{} is near its stationary law", tiny.name);
        check_draws(&tiny.name, &chain, 20, &many, seed());
    }
}

#[test]
fn free_spins_in_a_field_are_plus_as_often_as_all_64_bits_say() {
    // Ties that always went one way would be off by up to 1/256, eight standard errors here.
    for field in [0.301, -0.7] {
        let model = ising(250, 200, Boundary::Periodic, 0.0, Field::Uniform(field));
        let p = 1.0 / (1.0 + (-2.0 * field / model.temperature()).exp());
        let chain = Checkerboard::new(model).unwrap();
        let mut rng = stream(seed(), Purpose::Chain, 99);
        let mut state = chain.init(&mut rng);
        let (mut plus, sweeps) = (0, 20);
        for _ in 0..sweeps {
            chain.step(&mut state, &mut rng);
            plus += state.iter().filter(|x| **x == 1).count();
        }
        let draws = f64::from(sweeps * 50_000);
        let error = (p * (1.0 - p) / draws).sqrt();
        assert!((plus as f64 / draws - p).abs() < 4.0 * error, "{} ± {error} for {p}", plus as f64 / draws);
    }
}
