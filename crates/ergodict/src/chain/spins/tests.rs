//! Spin systems and walks against laws known exactly: tiny systems enumerated whole, then the samplers themselves.

mod clusters;

use crate::chain::cellular_potts::Cells;
use crate::chain::diagnostics::Mixing;
use crate::chain::neighborhood::Neighborhood;
use crate::chain::observables::Observable;
use crate::chain::{
    Alphabet, Boundary, CellularPotts, CellularPottsParameters, Chain, Field, FiniteChain, ImageWalk,
    IsingGraph, Lattice, Placement, Potts, PottsCheckerboard, Proposal, Rbm, SpinSystem, SpinWalk, Walker,
    Walkers,
};
use crate::common::{Random, cases};
use crate::linalg::Mat;
use crate::rng::{Purpose, stream, uniform};
use proptest::prelude::*;
use std::collections::{BTreeMap, HashMap};

/// A chain on finitely many states with the probabilities its kernel claims: rows of `(state, probability)`.
struct Enumerated<S> {
    states: Vec<S>,
    rows: Vec<Vec<(usize, f64)>>,
}

impl<S> Enumerated<S> {
    /// From the changes out of each state; what is missing to one is the probability to stay.
    fn new(states: Vec<S>, changes: impl Fn(&S) -> Vec<(usize, f64)>) -> Self {
        let rows = states.iter().enumerate().map(|(from, state)| {
            let mut row = BTreeMap::new();
            for (to, p) in changes(state) {
                assert!(p >= 0.0, "probability {p}");
                *row.entry(to).or_insert(0.0) += p;
            }
            let leaving: f64 = row.values().sum();
            assert!(leaving <= 1.0 + 1e-12, "probabilities sum to {leaving}");
            *row.entry(from).or_insert(0.0) += 1.0 - leaving;
            row.into_iter().collect()
        });
        Self { rows: rows.collect(), states }
    }

    /// A spin system whose kernel lists the sites and labels it may change.
    fn of_labels<C: SpinSystem<State = S, Value = i8>>(
        system: &C,
        transitions: impl Fn(&S) -> Vec<(usize, i8, f64)>,
    ) -> Self {
        let states: Vec<S> = configurations(system).iter().map(|x| system.state(x).unwrap()).collect();
        let index = index_of(system, &states);
        Self::new(states, |state| {
            let mut spins = system.spins(state).to_vec();
            let mut to = |(site, label, p): (usize, i8, f64)| {
                let before = std::mem::replace(&mut spins[site], label);
                assert_ne!(before, label);
                let index = index[&spins];
                spins[site] = before;
                (index, p)
            };
            transitions(state).into_iter().map(&mut to).collect()
        })
    }

    fn dense(&self) -> Vec<Vec<f64>> {
        let n = self.states.len();
        let fill = |row: &Vec<(usize, f64)>| {
            let mut dense = vec![0.0; n];
            row.iter().for_each(|&(to, p)| dense[to] += p);
            dense
        };
        self.rows.iter().map(fill).collect()
    }

    /// πP = π to 1e−12.
    fn assert_stationary(&self, law: &[f64]) {
        assert!((law.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        let mut next = vec![0.0; law.len()];
        for (row, p) in self.rows.iter().zip(law) {
            row.iter().for_each(|(to, q)| next[*to] += p * q);
        }
        for (state, (next, p)) in next.iter().zip(law).enumerate() {
            assert!((next - p).abs() < 1e-12, "state {state}: πP = {next}, π = {p}");
        }
    }

    /// Detailed balance to 1e−12.
    fn assert_reversible(&self, law: &[f64]) {
        let dense = self.dense();
        for i in 0..law.len() {
            (0..i).for_each(|j| assert!((law[i] * dense[i][j] - law[j] * dense[j][i]).abs() < 1e-12));
        }
    }

    /// The sampler, by chi²: steps along a trajectory are independent draws from the rows of the states they leave.
    fn assert_steps(
        &self,
        steps: usize,
        seed: u64,
        mut next: impl FnMut(&mut rand_chacha::ChaCha8Rng) -> usize,
    ) {
        let mut rng = stream(seed, Purpose::Chain, 1);
        let mut counts: Vec<HashMap<usize, f64>> = vec![HashMap::new(); self.rows.len()];
        let mut from = next(&mut rng);
        for _ in 0..steps {
            let to = next(&mut rng);
            *counts[from].entry(to).or_insert(0.0) += 1.0;
            from = to;
        }
        let mut chi2 = ChiSquared::default();
        for (counts, row) in counts.iter().zip(&self.rows) {
            let seen = |to: &usize| counts.get(to).copied().unwrap_or(0.0);
            let known: f64 = row.iter().map(|(to, _)| seen(to)).sum();
            let total: f64 = counts.values().sum();
            assert_eq!(known, total, "a step to where the kernel says there is none");
            chi2.add(&row.iter().map(|(to, p)| (seen(to), total * p)).collect::<Vec<_>>());
        }
        chi2.assert();
    }

    /// Draws from the law, a few steps, and the law again: independent draws, by chi².
    fn assert_law_is_kept(
        &self,
        law: &[f64],
        draws: usize,
        seed: u64,
        mut after: impl FnMut(&S, &mut rand_chacha::ChaCha8Rng) -> usize,
    ) {
        let mut rng = stream(seed, Purpose::Chain, 2);
        let mut counts = vec![0.0; law.len()];
        for _ in 0..draws {
            let mut left = uniform(&mut rng);
            let start = law.iter().position(|p| {
                left -= p;
                left < 0.0
            });
            counts[after(&self.states[start.unwrap_or(0)], &mut rng)] += 1.0;
        }
        let mut chi2 = ChiSquared::default();
        chi2.add(&counts.iter().zip(law).map(|(c, p)| (*c, p * draws as f64)).collect::<Vec<_>>());
        chi2.assert();
    }
}

#[derive(Default)]
struct ChiSquared {
    sum: f64,
    degrees: f64,
}

impl ChiSquared {
    /// A multinomial, as pairs of observed and expected; what is expected less than five times is pooled.
    fn add(&mut self, cells: &[(f64, f64)]) {
        let (mut pool, mut kept) = ((0.0, 0.0), Vec::new());
        for &(observed, expected) in cells {
            if expected < 5.0 {
                pool = (pool.0 + observed, pool.1 + expected);
            } else {
                kept.push((observed, expected));
            }
        }
        if pool.1 >= 5.0 || kept.is_empty() {
            kept.push(pool);
        } else if let Some(least) = kept.iter_mut().min_by(|a, b| a.1.total_cmp(&b.1)) {
            *least = (least.0 + pool.0, least.1 + pool.1);
        }
        if kept.len() > 1 {
            self.sum += kept.iter().map(|(o, e)| (o - e).powi(2) / e).sum::<f64>();
            self.degrees += (kept.len() - 1) as f64;
        }
    }

    /// Below the 0.9999 quantile, by Wilson and Hilferty's approximation.
    fn assert(&self) {
        assert!(self.degrees > 0.0, "nothing was tested");
        let spread = 2.0 / (9.0 * self.degrees);
        let limit = self.degrees * (1.0 - spread + 3.719 * spread.sqrt()).powi(3);
        assert!(self.sum < limit, "chi² {} over {limit} for {} degrees of freedom", self.sum, self.degrees);
    }
}

/// Every configuration of a system.
fn configurations<S: SpinSystem<Value = i8>>(system: &S) -> Vec<Vec<i8>> {
    let values: Vec<i8> = match system.alphabet() {
        Alphabet::PlusMinus => vec![-1, 1],
        Alphabet::ZeroOne => vec![0, 1],
        Alphabet::Labels(labels) => (0..labels).map(|label| label as i8).collect(),
        Alphabet::Angle | Alphabet::Real => Vec::new(),
    };
    let (rows, cols) = system.shape();
    let digit = |index: usize, site: u32| values[index / values.len().pow(site) % values.len()];
    let sites = (rows * cols) as u32;
    (0..values.len().pow(sites)).map(|index| (0..sites).map(|site| digit(index, site)).collect()).collect()
}

fn index_of<S: SpinSystem<Value = i8>>(system: &S, states: &[S::State]) -> HashMap<Vec<i8>, usize> {
    states.iter().enumerate().map(|(index, state)| (system.spins(state).to_vec(), index)).collect()
}

/// `exp(−H/T)` over its sum.
fn boltzmann(energies: impl Iterator<Item = f64>, temperature: f64) -> Vec<f64> {
    let energies: Vec<f64> = energies.collect();
    let least = energies.iter().copied().fold(f64::INFINITY, f64::min);
    let weights: Vec<f64> = energies.iter().map(|e| ((least - e) / temperature).exp()).collect();
    let sum: f64 = weights.iter().sum();
    weights.iter().map(|w| w / sum).collect()
}

fn total_variation(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).sum::<f64>() / 2.0
}

fn lattice(rows: usize, cols: usize, boundary: Boundary) -> Lattice {
    Lattice::new(rows, cols, boundary).unwrap()
}

/// Runs the sampler of a spin system against its enumeration.
fn assert_sampler<S: SpinSystem<Value = i8>>(
    system: &S,
    exact: &Enumerated<S::State>,
    law: &[f64],
    seed: u64,
) {
    let index = index_of(system, &exact.states);
    let place = |state: &S::State| index[system.spins(state)];
    let mut state = exact.states[exact.states.len() / 2].clone();
    exact.assert_steps(100_000, seed, |rng| {
        system.step(&mut state, rng);
        place(&state)
    });
    exact.assert_law_is_kept(law, 20_000, seed, |start, rng| {
        let mut state = start.clone();
        system.steps(&mut state, 12, rng);
        place(&state)
    });
}

// Potts.

#[test]
fn potts_keeps_its_boltzmann_law_on_tiny_lattices() {
    for (seed, rows, cols, boundary) in [
        (1, 2, 2, Boundary::Periodic),
        (2, 2, 2, Boundary::Free),
        (3, 2, 3, Boundary::Periodic),
        (4, 2, 3, Boundary::Free),
        (5, 1, 4, Boundary::Periodic),
    ] {
        let (temperature, coupling, field) = (0.9, 0.7, -0.4);
        let lattice = lattice(rows, cols, boundary);
        let potts = Potts::new(lattice, 3, temperature, coupling, field).unwrap();
        let exact = Enumerated::of_labels(&potts, |x| potts.transitions(x));
        let energy = |x: &Vec<i8>| -> f64 {
            // Every bond twice, from its two ends.
            let equal = (0..x.len())
                .flat_map(|u| lattice.neighbors(u).map(move |v| (u, v)))
                .filter(|(u, v)| x[*u] == x[*v])
                .count();
            -coupling * equal as f64 / 2.0 - field * x.iter().filter(|x| **x == 0).count() as f64
        };
        exact.states.iter().for_each(|x| assert!((potts.energy(x) - energy(x)).abs() < 1e-12));
        let law = boltzmann(exact.states.iter().map(energy), temperature);
        exact.assert_stationary(&law);
        exact.assert_reversible(&law);
        assert_sampler(&potts, &exact, &law, seed);
    }
}

/// The rows of a sweep, from the kernel's probabilities of labels: all sites of a color at once, then those of the other.
fn enumerated_sweep(chain: &PottsCheckerboard, lattice: Lattice) -> Enumerated<Vec<i8>> {
    let states = configurations(chain);
    let index = index_of(chain, &states);
    let (rows, cols) = lattice.shape();
    let half = |x: &Vec<i8>, color: usize| {
        let mut outcomes = vec![(x.clone(), 1.0)];
        for site in (0..x.len()).filter(|v| (v / cols + v % cols) % 2 == color) {
            let (row, col) = ((site / cols) as i32, (site % cols) as i32);
            let at = |r: i32, c: i32| {
                let (h, w) = (rows as i32, cols as i32);
                let inside = (0..h).contains(&r) && (0..w).contains(&c);
                let there = inside || lattice.boundary() == Boundary::Periodic;
                if there { x[(r.rem_euclid(h) * w + c.rem_euclid(w)) as usize] } else { -1 }
            };
            let around = [at(row - 1, col), at(row + 1, col), at(row, col - 1), at(row, col + 1)];
            let labels = chain.probabilities(around);
            outcomes = outcomes
                .iter()
                .flat_map(|(y, p)| {
                    labels.iter().enumerate().map(move |(label, q)| {
                        let mut y = y.clone();
                        y[site] = label as i8;
                        (y, p * q)
                    })
                })
                .collect();
        }
        outcomes
    };
    let rows = |x: &Vec<i8>| {
        let both =
            half(x, 0).into_iter().flat_map(|(y, p)| half(&y, 1).into_iter().map(move |(z, q)| (z, p * q)));
        both.filter(|(z, _)| z != x).map(|(z, p)| (index[&z], p)).collect()
    };
    Enumerated::new(states.clone(), rows)
}

#[test]
fn checkerboard_sweeps_keep_the_law_of_potts_on_tiny_lattices() {
    for (seed, states, rows, cols, boundary, coupling, field) in [
        (1, 3, 2, 2, Boundary::Periodic, 0.7, -0.4),
        (2, 3, 2, 2, Boundary::Free, 0.7, 0.0),
        (3, 3, 2, 3, Boundary::Free, -0.5, 0.3),
        (4, 2, 2, 4, Boundary::Periodic, 0.6, 0.2),
        (5, 5, 2, 2, Boundary::Periodic, -0.9, 0.5),
        (6, 4, 1, 4, Boundary::Free, 1.1, 0.0),
        (7, 2, 3, 3, Boundary::Free, 0.8, -0.2),
    ] {
        let (temperature, lattice) = (0.9, lattice(rows, cols, boundary));
        let potts = Potts::new(lattice, states, temperature, coupling, field).unwrap();
        let chain = PottsCheckerboard::new(potts.clone()).unwrap();
        let exact = enumerated_sweep(&chain, lattice);
        let law = boltzmann(exact.states.iter().map(|x| potts.energy(x)), temperature);
        exact.assert_stationary(&law);
        assert_sampler(&chain, &exact, &law, seed);
    }
}

#[test]
fn potts_with_two_states_is_ising() {
    let (temperature, coupling, field) = (1.7, 0.8, 0.3);
    for boundary in [Boundary::Periodic, Boundary::Free] {
        let lattice = lattice(2, 3, boundary);
        let potts = Potts::new(lattice, 2, temperature, 2.0 * coupling, 2.0 * field).unwrap();
        let potts = Enumerated::of_labels(&potts, |x| potts.transitions(x)).dense();
        let spin = |label: i8| f64::from(1 - 2 * label);
        let states = configurations(&Potts::new(lattice, 2, 1.0, 1.0, 0.0).unwrap());
        for (i, x) in states.iter().enumerate() {
            let mut row = vec![0.0; states.len()];
            for site in 0..6 {
                let sum: f64 = lattice.neighbors(site).map(|u| spin(x[u])).sum();
                // docs/maths.md, Chains.
                let up = 1.0 / (1.0 + (-(2.0 / temperature) * (coupling * sum + field)).exp());
                for (label, p) in [(0, up), (1, 1.0 - up)] {
                    let mut y = x.clone();
                    y[site] = label;
                    row[states.iter().position(|z| *z == y).unwrap()] += p / 6.0;
                }
            }
            row.iter().zip(&potts[i]).for_each(|(a, b)| assert!((a - b).abs() < 1e-14, "{a} {b}"));
        }
    }
}

#[test]
fn potts_with_many_states_draws_labels_that_no_neighbor_has() {
    // One site: the field alone decides, 126 labels share the rest.
    let potts = Potts::new(lattice(1, 1, Boundary::Periodic), 127, 1.0, 1.0, 3.0).unwrap();
    let exact = Enumerated::of_labels(&potts, |x| potts.transitions(x));
    let law = boltzmann(exact.states.iter().map(|x| if x[0] == 0 { -3.0 } else { 0.0 }), 1.0);
    exact.assert_stationary(&law);
    assert_sampler(&potts, &exact, &law, 7);
}

// Cellular Potts.

/// Sites joined to `site`, as often as they are, written without the library.
fn joined(p: &CellularPottsParameters, site: usize) -> Vec<usize> {
    let (rows, cols) = (p.lattice.rows() as i32, p.lattice.cols() as i32);
    let (row, col) = (site as i32 / cols, site as i32 % cols);
    let mut joined = Vec::new();
    for down in -1..=1i32 {
        for right in -1..=1i32 {
            let diagonal = down != 0 && right != 0;
            if (down, right) == (0, 0) || (diagonal && p.neighborhood == Neighborhood::Four) {
                continue;
            }
            let (mut r, mut c) = (row + down, col + right);
            if p.lattice.boundary() == Boundary::Periodic {
                (r, c) = (r.rem_euclid(rows), c.rem_euclid(cols));
            }
            let inside = (0..rows).contains(&r) && (0..cols).contains(&c);
            if inside && (r, c) != (row, col) {
                joined.push((r * cols + c) as usize);
            }
        }
    }
    joined
}

/// `H` straight from its definition.
fn naive_energy(p: &CellularPottsParameters, x: &[i8]) -> f64 {
    let mut energy = 0.0;
    for u in 0..x.len() {
        for v in joined(p, u) {
            if x[u] != x[v] {
                energy += p.adhesion[p.types[x[u] as usize]][p.types[x[v] as usize]] / 2.0;
            }
        }
    }
    for cell in 1..p.types.len() as i8 {
        let own: Vec<usize> = (0..x.len()).filter(|v| x[*v] == cell).collect();
        let perimeter: usize =
            own.iter().map(|u| joined(p, *u).iter().filter(|v| x[**v] != cell).count()).sum();
        energy += p.volume_strength * (own.len() as f64 - p.volume).powi(2);
        energy += p.perimeter_strength * (perimeter as f64 - p.perimeter).powi(2);
    }
    energy
}

/// Two cells of two types, all terms on.
fn two_cells(lattice: Lattice, neighborhood: Neighborhood, proposal: Proposal) -> CellularPottsParameters {
    CellularPottsParameters {
        temperature: 2.5,
        types: vec![0, 1, 2],
        adhesion: vec![vec![0.0, 0.7, 1.1], vec![0.7, 0.2, 0.4], vec![1.1, 0.4, 0.3]],
        volume: 1.6,
        volume_strength: 0.9,
        perimeter: 5.0,
        perimeter_strength: 0.05,
        neighborhood,
        proposal,
        ..CellularPottsParameters::new(lattice, 2)
    }
}

const TINY: [(usize, usize, Boundary, Neighborhood); 6] = [
    (2, 2, Boundary::Periodic, Neighborhood::Four),
    (2, 2, Boundary::Free, Neighborhood::Eight),
    (2, 3, Boundary::Periodic, Neighborhood::Eight),
    (2, 3, Boundary::Free, Neighborhood::Four),
    (1, 4, Boundary::Periodic, Neighborhood::Eight),
    (1, 1, Boundary::Periodic, Neighborhood::Eight),
];

#[test]
fn cellular_potts_with_any_label_proposed_keeps_its_boltzmann_law() {
    for (seed, (rows, cols, boundary, neighborhood)) in TINY.into_iter().enumerate() {
        let mut p = two_cells(lattice(rows, cols, boundary), neighborhood, Proposal::Any);
        if rows * cols == 1 {
            (p.types, p.volume) = (vec![0, 2], 0.8);
        }
        let chain = CellularPotts::new(p.clone()).unwrap();
        let exact = Enumerated::of_labels(&chain, |x| chain.transitions(x));
        let energies: Vec<f64> = exact.states.iter().map(|x| naive_energy(&p, x.labels())).collect();
        for (state, energy) in exact.states.iter().zip(&energies) {
            assert!((chain.energy(state) - energy).abs() < 1e-12);
        }
        let law = boltzmann(energies.into_iter(), p.temperature);
        exact.assert_stationary(&law);
        exact.assert_reversible(&law);
        assert_sampler(&chain, &exact, &law, seed as u64);
    }
}

/// The probability that the usual rule copies `label` onto `site`, as the rule is stated.
fn naive_copy(p: &CellularPottsParameters, x: &[i8], site: usize, label: i8) -> f64 {
    let around = joined(p, site);
    let alike = around.iter().filter(|u| x[**u] == label).count();
    let mut y = x.to_vec();
    y[site] = label;
    let change = naive_energy(p, &y) - naive_energy(p, x);
    let accepted = if change > 0.0 { (-change / p.temperature).exp() } else { 1.0 };
    alike as f64 / around.len().max(1) as f64 / x.len() as f64 * accepted
}

#[test]
fn the_usual_copy_rule_has_its_stated_probabilities() {
    for (seed, (rows, cols, boundary, neighborhood)) in TINY.into_iter().enumerate() {
        let mut p = two_cells(lattice(rows, cols, boundary), neighborhood, Proposal::Neighbor);
        p.types.truncate(1 + (rows * cols).min(2));
        let chain = CellularPotts::new(p.clone()).unwrap();
        let labels = p.types.len() as i8;
        for x in configurations(&chain) {
            let mut told = HashMap::new();
            for (site, label, probability) in chain.transitions(&chain.state(&x).unwrap()) {
                assert!(told.insert((site, label), probability).is_none());
            }
            for site in 0..x.len() {
                for label in (0..labels).filter(|label| *label != x[site]) {
                    let naive = naive_copy(&p, &x, site, label);
                    let told = told.get(&(site, label)).copied().unwrap_or(0.0);
                    assert!((naive - told).abs() < 1e-14, "{x:?} {site} {label}: {told} for {naive}");
                }
            }
        }
        // The sampler, started from every state, as the law of the long run is that of one label.
        let exact = Enumerated::of_labels(&chain, |x| chain.transitions(x));
        let index = index_of(&chain, &exact.states);
        let mut chi2 = ChiSquared::default();
        let mut rng = stream(seed as u64, Purpose::Chain, 3);
        for (start, row) in exact.states.iter().zip(&exact.rows) {
            let mut counts: HashMap<usize, f64> = HashMap::new();
            for _ in 0..200 {
                let mut state = start.clone();
                chain.step(&mut state, &mut rng);
                *counts.entry(index[state.labels()]).or_insert(0.0) += 1.0;
            }
            let seen = |to: &usize| counts.get(to).copied().unwrap_or(0.0);
            assert_eq!(row.iter().map(|(to, _)| seen(to)).sum::<f64>(), 200.0);
            chi2.add(&row.iter().map(|(to, q)| (seen(to), 200.0 * q)).collect::<Vec<_>>());
        }
        if rows * cols > 1 {
            chi2.assert();
        }
    }
}

/// One cell whose perimeter is so dear to lose that its end, and that of the medium, has probability 0 in f64, while the
/// configurations of perimeters 4 and 6 cost the same: a recurrent class of 62 configurations.
fn lasting_cell() -> CellularPottsParameters {
    CellularPottsParameters {
        temperature: 1.0,
        types: vec![0, 1],
        adhesion: vec![vec![0.0, 0.2], vec![0.2, 0.0]],
        volume: 2.0,
        volume_strength: 0.15,
        perimeter: 5.0,
        perimeter_strength: 32.0,
        neighborhood: Neighborhood::Four,
        proposal: Proposal::Neighbor,
        ..CellularPottsParameters::new(lattice(2, 3, Boundary::Periodic), 1)
    }
}

#[test]
fn the_usual_copy_rule_has_the_law_that_its_equation_has_and_not_that_of_boltzmann() {
    let p = lasting_cell();
    let chain = CellularPotts::new(p.clone()).unwrap();
    let mixed = |x: &Vec<i8>| x.contains(&0) && x.contains(&1);
    let states: Vec<Cells> =
        configurations(&chain).iter().filter(|x| mixed(x)).map(|x| chain.state(x).unwrap()).collect();
    let index = index_of(&chain, &states);
    let exact = Enumerated::new(states, |state: &Cells| {
        let mut changes = Vec::new();
        for (site, label, probability) in chain.transitions(state) {
            let mut x = state.labels().to_vec();
            x[site] = label;
            match index.get(&x) {
                Some(to) => changes.push((*to, probability)),
                None => assert_eq!(probability, 0.0, "{x:?} is absorbing"),
            }
        }
        changes
    });
    let law = FiniteChain::new(&exact.dense()).unwrap().stationary();
    assert!(law.iter().all(|p| *p > -1e-12));
    exact.assert_stationary(&law);
    let gibbs = boltzmann(exact.states.iter().map(|x| naive_energy(&p, x.labels())), p.temperature);
    let apart = total_variation(&law, &gibbs);
    assert!(apart > 0.2, "the copy rule has no Boltzmann law, but is only {apart} from it");
    assert_sampler(&chain, &exact, &law, 11);

    // The long run from the usual start, seen through the perimeter.
    let mut rng = stream(12, Purpose::Chain, 0);
    let mut state = chain.init(&mut rng);
    let perimeters: Vec<f64> = (0..100_000)
        .map(|_| {
            chain.step(&mut state, &mut rng);
            state.perimeters()[1] as f64
        })
        .collect();
    let n = perimeters.len() as f64;
    let mean = perimeters.iter().sum::<f64>() / n;
    let variance = perimeters.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n;
    let error = (variance / Mixing::from_series(&[&perimeters]).effective_sample_size).sqrt();
    let expected =
        |law: &[f64]| law.iter().zip(&exact.states).map(|(p, x)| p * x.perimeters()[1] as f64).sum::<f64>();
    assert!((mean - expected(&law)).abs() < 4.0 * error, "{mean} ± {error} against {}", expected(&law));
    let boltzmanns = expected(&gibbs);
    assert!((mean - boltzmanns).abs() > 20.0 * error, "{mean} ± {error} is Boltzmann's {boltzmanns}");
}

proptest! {
    #![proptest_config(cases(24))]

    #[test]
    fn volumes_perimeters_and_acceptance_are_kept_in_step(seed in any::<u64>()) {
        let mut random = Random::new(seed);
        let boundary = if random.chance(0.5) { Boundary::Periodic } else { Boundary::Free };
        let lattice = lattice(1 + random.below(9), 1 + random.below(9), boundary);
        let cells = 1 + random.below(lattice.sites().min(5));
        let chain = CellularPotts::new(CellularPottsParameters {
            temperature: random.between(1.0, 60.0),
            perimeter_strength: random.between(0.0, 0.5),
            neighborhood: if random.chance(0.5) { Neighborhood::Four } else { Neighborhood::Eight },
            proposal: if random.chance(0.5) { Proposal::Any } else { Proposal::Neighbor },
            ..CellularPottsParameters::new(lattice, cells)
        }).unwrap();
        let mut rng = stream(seed, Purpose::Chain, 0);
        let mut state = chain.init(&mut rng);
        let (mut changed, mut accepted) = (0, 0);
        for _ in 0..10_000 {
            let before = state.labels().to_vec();
            let info = chain.step(&mut state, &mut rng);
            prop_assert!(info.proposed <= 1 && info.accepted <= info.proposed);
            changed += u64::from(before != state.labels());
            accepted += CellularPotts::acceptance(&info).unwrap().accepted;
        }
        prop_assert_eq!(changed, accepted);
        let rebuilt = chain.state(state.labels()).unwrap();
        prop_assert!((chain.energy(&rebuilt) - naive_energy(chain.parameters(), state.labels())).abs() < 1e-6);
        prop_assert_eq!(rebuilt, state);
    }
}

#[test]
fn cells_are_saved_and_read() {
    let chain =
        CellularPotts::new(two_cells(lattice(3, 4, Boundary::Free), Neighborhood::Eight, Proposal::Neighbor))
            .unwrap();
    let state = chain.init(&mut stream(1, Purpose::Chain, 0));
    let text = serde_json::to_string(&state).unwrap();
    assert_eq!(serde_json::from_str::<Cells>(&text).unwrap(), state);
}

// Restricted Boltzmann machine.

#[test]
fn rbm_keeps_the_marginal_of_its_visible_units() {
    let weights = Mat::from_fn(3, 2, |i, j| [[1.2, -0.7], [-0.4, 0.9], [0.3, 1.5]][i][j]);
    let (b, c) = ([0.2, -0.5, 0.1], [-0.3, 0.4]);
    for (seed, temperature) in [(1, 1.0), (2, 0.4), (3, 3.0)] {
        let rbm = Rbm::new(&weights, &b, &c, temperature, (1, 3)).unwrap();
        let states = configurations(&rbm);
        let hidden: Vec<[i8; 2]> = vec![[0, 0], [0, 1], [1, 0], [1, 1]];
        let energy = |v: &[i8], h: &[i8; 2]| -> f64 {
            let (v, h) = (|i: usize| f64::from(v[i]), |j: usize| f64::from(h[j]));
            let pairs = (0..3).flat_map(|i| (0..2).map(move |j| (i, j)));
            -(0..3).map(|i| b[i] * v(i)).sum::<f64>()
                - (0..2).map(|j| c[j] * h(j)).sum::<f64>()
                - pairs.map(|(i, j)| weights.get(i, j) * v(i) * h(j)).sum::<f64>()
        };
        let weight = |v: &Vec<i8>| hidden.iter().map(|h| (-energy(v, h) / temperature).exp()).sum::<f64>();
        for v in &states {
            assert!(
                (rbm.energy(v) + temperature * weight(v).ln()).abs() < 1e-12,
                "exp(−F/T) is the marginal"
            );
        }
        let total: f64 = states.iter().map(weight).sum();
        let law: Vec<f64> = states.iter().map(|v| weight(v) / total).collect();
        let probability = |p: &[f64], x: &[i8]| -> f64 {
            p.iter().zip(x).map(|(p, x)| if *x == 1 { *p } else { 1.0 - *p }).product()
        };
        let exact = Enumerated::new(states.clone(), |v| {
            let (mut of_hidden, mut of_visible) = ([0.0; 2], [0.0; 3]);
            rbm.hidden_given_visible(v, &mut of_hidden);
            let mut row = Vec::new();
            for h in &hidden {
                rbm.visible_given_hidden(h, &mut of_visible);
                let first = probability(&of_hidden, h);
                let to = states.iter().enumerate().filter(|(_, to)| *to != v);
                row.extend(to.map(|(index, to)| (index, first * probability(&of_visible, to))));
            }
            row
        });
        exact.assert_stationary(&law);
        exact.assert_reversible(&law);
        assert_sampler(&rbm, &exact, &law, seed);
    }
}

// Positions on images.

/// All places of the walkers with the image that moved last, and the rule's own probabilities.
fn enumerated_walk(sizes: &[(usize, usize)], sampling: Placement, boundary: Boundary) -> Enumerated<Place> {
    let mut places: Vec<Vec<(usize, usize)>> = vec![vec![]];
    for &(rows, cols) in sizes {
        let corners: Vec<_> = (0..rows).flat_map(|r| (0..cols).map(move |c| (r, c))).collect();
        let extended = places.iter().flat_map(|place| {
            corners.iter().map(|corner| place.iter().copied().chain([*corner]).collect::<Vec<_>>())
        });
        places = extended.collect();
    }
    let states: Vec<Place> = places
        .into_iter()
        .flat_map(|place| (0..sizes.len()).map(move |image| (place.clone(), image)))
        .collect();
    let total: f64 = sizes.iter().map(|(r, c)| (r * c) as f64).sum();
    let index: HashMap<Place, usize> = states.iter().cloned().zip(0..).collect();
    Enumerated::new(states, |(place, last)| {
        let mut row = Vec::new();
        for (image, &(rows, cols)) in sizes.iter().enumerate() {
            let chosen = (rows * cols) as f64 / total;
            let (r, c) = place[image];
            let targets: Vec<(usize, usize)> = match sampling {
                Placement::Iid => (0..rows).flat_map(|r| (0..cols).map(move |c| (r, c))).collect(),
                Placement::Walk => [(-1, 0), (1, 0), (0, -1), (0, 1)]
                    .into_iter()
                    .map(|(down, right)| {
                        let (to_r, to_c) = (r as i32 + down, c as i32 + right);
                        let (h, w) = (rows as i32, cols as i32);
                        match boundary {
                            Boundary::Periodic => (to_r.rem_euclid(h) as usize, to_c.rem_euclid(w) as usize),
                            Boundary::Free if (0..h).contains(&to_r) && (0..w).contains(&to_c) => {
                                (to_r as usize, to_c as usize)
                            }
                            Boundary::Free => (r, c),
                        }
                    })
                    .collect(),
            };
            for target in &targets {
                let mut to = place.clone();
                to[image] = *target;
                if (&to, image) != (place, *last) {
                    row.push((index[&(to, image)], chosen / targets.len() as f64));
                }
            }
        }
        row
    })
}

/// Corners of all walkers, and the image that moved last.
type Place = (Vec<(usize, usize)>, usize);

#[test]
fn image_walks_are_uniform_over_all_corners_of_all_images() {
    for sampling in [Placement::Iid, Placement::Walk] {
        for boundary in [Boundary::Periodic, Boundary::Free] {
            for (seed, sizes) in
                [&[(3, 4)][..], &[(2, 3), (1, 2)], &[(1, 1), (2, 2), (1, 3)]].into_iter().enumerate()
            {
                let exact = enumerated_walk(sizes, sampling, boundary);
                let total: f64 = sizes.iter().map(|(r, c)| (r * c) as f64).sum();
                let product: f64 = sizes.iter().map(|(r, c)| (r * c) as f64).product();
                let own = |image: usize| (sizes[image].0 * sizes[image].1) as f64;
                let law: Vec<f64> =
                    exact.states.iter().map(|(_, image)| own(*image) / total / product).collect();
                exact.assert_stationary(&law);
                let mut shares: HashMap<_, f64> = HashMap::new();
                for ((place, image), p) in exact.states.iter().zip(&law) {
                    *shares.entry((*image, place[*image])).or_insert(0.0) += p;
                }
                assert!(shares.len() as f64 == total);
                shares.values().for_each(|share| assert!((share - 1.0 / total).abs() < 1e-12));

                let walk = ImageWalk::new(sizes, sampling, boundary).unwrap();
                let index: HashMap<&Place, usize> = exact.states.iter().zip(0..).collect();
                // The positions of the other walkers, as only the current one is given.
                let mut corners = vec![None; sizes.len()];
                let mut rng = stream(seed as u64, Purpose::Chain, 9);
                let mut state: Walkers = walk.init(&mut rng);
                while corners.contains(&None) {
                    walk.step(&mut state, &mut rng);
                    let (image, corner) = walk.position(&state);
                    corners[image] = Some(corner);
                }
                let mut corners: Vec<(usize, usize)> = corners.into_iter().flatten().collect();
                exact.assert_steps(60_000, seed as u64, |rng| {
                    walk.step(&mut state, rng);
                    let (image, corner) = walk.position(&state);
                    corners[image] = corner;
                    index[&(corners.clone(), image)]
                });
                // It starts in its law.
                let mut counts: HashMap<_, f64> = HashMap::new();
                for _ in 0..20_000 {
                    *counts.entry(walk.position(&walk.init(&mut rng))).or_insert(0.0) += 1.0;
                }
                let mut chi2 = ChiSquared::default();
                chi2.add(&counts.values().map(|count| (*count, 2e4 / total)).collect::<Vec<_>>());
                assert_eq!(counts.len() as f64, total);
                chi2.assert();
            }
        }
    }
}

#[test]
fn walkers_are_saved_and_read() {
    let walk = ImageWalk::new(&[(5, 6), (7, 2)], Placement::Walk, Boundary::Free).unwrap();
    let state = walk.init(&mut stream(1, Purpose::Chain, 0));
    let text = serde_json::to_string(&state).unwrap();
    assert_eq!(serde_json::from_str::<Walkers>(&text).unwrap(), state);
}

// Mixing.

/// Split R̂ of an observable over four chains from their own starts.
fn r_hat<S: SpinSystem>(system: &S, observable: Observable, every: u64, seed: u64) -> f64 {
    let chains: Vec<Vec<f64>> = (0..4)
        .map(|id| {
            let mut rng = stream(seed, Purpose::Chain, id);
            let mut state = system.init(&mut rng);
            system.steps(&mut state, 50 * every, &mut rng);
            let mut measure = |_| {
                system.steps(&mut state, every, &mut rng);
                observable.measure(system, &state, &mut rng).unwrap()
            };
            (0..400).map(&mut measure).collect()
        })
        .collect();
    Mixing::from_series(&chains).r_hat
}

#[test]
fn chains_of_every_system_agree_with_each_other() {
    let torus = lattice(8, 8, Boundary::Periodic);
    let potts = Potts::new(torus, 3, 2.0, 1.0, 0.0).unwrap();
    let cells = CellularPotts::new(CellularPottsParameters {
        proposal: Proposal::Any,
        temperature: 30.0,
        ..CellularPottsParameters::new(torus, 2)
    })
    .unwrap();
    let rbm = Rbm::random((4, 4), 6, 0.5, 1.0, &mut stream(1, Purpose::Synthetic, 0)).unwrap();
    for observable in [Observable::Energy, Observable::Magnetization, Observable::LargestCluster] {
        let mut found = vec![
            ("Potts", r_hat(&potts, observable, 256, 1)),
            ("cellular Potts", r_hat(&cells, observable, 512, 2)),
        ];
        if observable == Observable::LargestCluster {
            let measured = Walker::new(rbm.clone(), 0, 0).measure(observable);
            assert!(measured.is_err(), "clusters need a lattice");
        } else {
            found.push(("RBM", r_hat(&rbm, observable, 4, 3)));
        }
        for (name, r_hat) in found {
            assert!((r_hat - 1.0).abs() < 0.03, "{name}, {observable}: R̂ {r_hat}");
        }
    }
}

#[test]
fn patches_are_cut_where_sites_have_places_and_clusters_follow_bonds() {
    let lattice = Lattice::new(4, 6, Boundary::Periodic).unwrap();
    let potts = Potts::new(lattice, 3, 1.0, 1.0, 0.0).unwrap();
    assert_eq!((potts.lattice(), potts.grid()), (Some(lattice), Some((4, 6, Boundary::Periodic))));
    let rbm = Rbm::random((4, 6), 2, 0.5, 1.0, &mut stream(1, Purpose::Synthetic, 0)).unwrap();
    assert_eq!((rbm.lattice(), rbm.grid()), (None, Some((4, 6, Boundary::Free))));
    let walk = Walker::new(rbm, 1, 0);
    assert_eq!(SpinWalk::grid(&walk), Some((4, 6, Boundary::Free)));
    assert!(walk.measure(Observable::LargestCluster).is_err());
    let graph = IsingGraph::new(3, &[(0, 1, 1.0)], 1.0, &Field::Uniform(0.0)).unwrap();
    assert_eq!((graph.lattice(), graph.grid()), (None, None));
}
