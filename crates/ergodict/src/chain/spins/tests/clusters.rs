//! Cluster updates on tiny systems: all bonds that may hold are gone through, with the kernels' own probabilities.

use super::*;
use crate::chain::cluster::{Bonds, ClusterModel, End, pull};
use crate::chain::heat_bath::probability;
use crate::chain::{Ising, SwendsenWang, Wolff};

/// Every bond of a model once.
fn bonds<M: ClusterModel>(model: &M) -> Vec<(usize, End)> {
    match model.bonds().unwrap() {
        Bonds::Lattice { lattice, threshold } => lattice
            .bonds()
            .filter(|(u, v)| u != v)
            .map(|(u, v)| (u, End { other: v as u32, equal: true, threshold }))
            .collect(),
        Bonds::Graph { starts, ends } => (0..starts.len() - 1)
            .flat_map(|v| ends[starts[v]..starts[v + 1]].iter().map(move |end| (v, *end)))
            .filter(|(v, end)| end.other as usize > *v)
            .collect(),
    }
}

/// The clusters of every set of bonds that may hold, with its probability.
fn throws(bonds: &[(usize, End)], x: &[i8]) -> Vec<(f64, Vec<Vec<u32>>)> {
    let satisfied: Vec<_> =
        bonds.iter().filter(|(u, end)| end.is_satisfied(x[*u], x[end.other as usize])).collect();
    let throw = |set: usize| {
        let mut of: Vec<usize> = (0..x.len()).collect();
        let mut p = 1.0;
        for (k, (u, end)) in satisfied.iter().enumerate() {
            if set >> k & 1 == 0 {
                p *= 1.0 - probability(end.threshold);
                continue;
            }
            p *= probability(end.threshold);
            let (a, b) = (of[*u], of[end.other as usize]);
            of.iter_mut().filter(|c| **c == b).for_each(|c| *c = a);
        }
        let members = |c: usize| (0..x.len() as u32).filter(|v| of[*v as usize] == c).collect::<Vec<_>>();
        (p, (0..x.len()).map(members).filter(|members| !members.is_empty()).collect())
    };
    (0..1 << satisfied.len()).map(throw).collect()
}

/// What a cluster may become, as a value for each of its members: spins flipped or not, labels all the same.
fn values(alphabet: Alphabet, members: &[u32], x: &[i8]) -> Vec<Vec<i8>> {
    match alphabet {
        Alphabet::Labels(q) => (0..q).map(|label| vec![label as i8; members.len()]).collect(),
        _ => [1, -1].map(|sign| members.iter().map(|v| sign * x[*v as usize]).collect()).to_vec(),
    }
}

fn put(x: &[i8], members: &[u32], values: &[i8]) -> Vec<i8> {
    let mut y = x.to_vec();
    members.iter().zip(values).for_each(|(v, value)| y[*v as usize] = *value);
    y
}

fn wolff<M: ClusterModel>(wolff: &Wolff<M>, model: &M) -> Enumerated<Vec<i8>> {
    let (bonds, states, alphabet) = (bonds(model), configurations(model), model.alphabet());
    let index = index_of(model, &states);
    Enumerated::new(states, |x| {
        let mut changes = Vec::new();
        for (p, clusters) in throws(&bonds, x) {
            for members in clusters {
                let chance = p * members.len() as f64 / x.len() as f64;
                let from = x[members[0] as usize];
                let others: Vec<_> =
                    values(alphabet, &members, x).into_iter().filter(|values| values[0] != from).collect();
                let pull = pull(model, x, &members);
                for values in &others {
                    let accepted = wolff.acceptance(pull, from, values[0]);
                    changes.push((index[&put(x, &members, values)], chance * accepted / others.len() as f64));
                }
            }
        }
        changes
    })
}

fn swendsen_wang<M: ClusterModel>(model: &M) -> Enumerated<Vec<i8>> {
    let (bonds, states, alphabet) = (bonds(model), configurations(model), model.alphabet());
    let index = index_of(model, &states);
    Enumerated::new(states, |x| {
        let mut all = vec![0.0; index.len()];
        for (p, clusters) in throws(&bonds, x) {
            let mut law = vec![(x.clone(), p)];
            for members in &clusters {
                let pull = pull(model, x, members);
                let shares: Vec<f64> = if let Alphabet::Labels(q) = alphabet {
                    let first = SwendsenWang::<M>::first_label(pull, q);
                    (0..q).map(|k| if k == 0 { first } else { (1.0 - first) / f64::from(q - 1) }).collect()
                } else {
                    let flip = probability(SwendsenWang::<M>::flip(pull));
                    vec![1.0 - flip, flip]
                };
                let values = values(alphabet, members, x);
                let spread = |(y, p): &(Vec<i8>, f64)| {
                    values.iter().zip(&shares).map(|(v, q)| (put(y, members, v), p * q)).collect::<Vec<_>>()
                };
                law = law.iter().flat_map(spread).collect();
            }
            law.iter().for_each(|(y, p)| all[index[y]] += p);
        }
        all.into_iter().enumerate().collect()
    })
}

/// Whether from every state every state is reached in the same number of steps, for some number: irreducible and aperiodic.
fn is_primitive<S>(exact: &Enumerated<S>) -> bool {
    let n = exact.states.len();
    let mut reach: Vec<Vec<bool>> =
        exact.dense().iter().map(|row| row.iter().map(|p| *p > 1e-15).collect()).collect();
    // Wielandt: n² − 2n + 2 steps are enough; squaring passes that soon.
    for _ in 0..2 * n.ilog2() + 2 {
        if reach.iter().flatten().all(|r| *r) {
            return true;
        }
        let twice = |row: &Vec<bool>| {
            let mut next = vec![false; n];
            for (via, _) in row.iter().enumerate().filter(|(_, r)| **r) {
                next.iter_mut().zip(&reach[via]).for_each(|(to, r)| *to |= r);
            }
            next
        };
        reach = reach.iter().map(twice).collect();
    }
    false
}

/// Both kernels of a model: `πP = π`, every state is reached, and the samplers step and stay as they should.
fn check<M: ClusterModel + Clone>(name: &str, model: &M, temperature: f64, seed: u64) {
    let law = boltzmann(configurations(model).iter().map(|x| model.energy(x)), temperature);
    let one = Wolff::new(model.clone()).unwrap();
    let exact = wolff(&one, model);
    exact.assert_stationary(&law);
    exact.assert_reversible(&law);
    assert!(is_primitive(&exact), "{name}: wolff");
    assert_sampler(&one, &exact, &law, seed);
    let exact = swendsen_wang(model);
    exact.assert_stationary(&law);
    exact.assert_reversible(&law);
    assert!(is_primitive(&exact), "{name}: swendsen-wang");
    assert_sampler(&SwendsenWang::new(model.clone()).unwrap(), &exact, &law, seed);
}

#[test]
fn clusters_of_ising_spins_keep_the_law_on_lattices() {
    let map = Field::Map(vec![0.4, -0.9, 0.0, 1.3, 0.2, -0.1]);
    for (seed, rows, cols, boundary, coupling, field) in [
        (1, 2, 3, Boundary::Periodic, 1.0, Field::Uniform(0.0)),
        (2, 2, 3, Boundary::Free, 1.0, Field::Uniform(0.35)),
        (3, 2, 3, Boundary::Free, 0.8, map.clone()),
        (4, 2, 2, Boundary::Periodic, 1.0, Field::Uniform(-0.2)),
        (5, 1, 5, Boundary::Periodic, 1.0, Field::Uniform(0.0)),
        (6, 3, 3, Boundary::Free, 1.0, Field::Uniform(0.0)),
        // Antiferromagnets, one of them frustrated.
        (7, 2, 2, Boundary::Free, -1.0, Field::Uniform(0.3)),
        (8, 1, 5, Boundary::Periodic, -0.8, Field::Uniform(0.0)),
        (9, 2, 3, Boundary::Periodic, -0.6, map),
    ] {
        let model = Ising::new(lattice(rows, cols, boundary), 1.9, coupling, field).unwrap();
        check(&format!("{rows}×{cols} {boundary:?} {coupling}"), &model, 1.9, seed);
    }
}

#[test]
fn clusters_of_ising_spins_keep_the_law_on_graphs_with_couplings_of_both_signs() {
    let map = Field::Map(vec![0.1, -0.4, 0.0, 0.7, -0.2]);
    let frustrated = [(0, 1, 1.0), (1, 2, 0.5), (0, 2, -0.7)];
    let mixed = [(0, 1, 1.0), (1, 2, -0.6), (2, 3, 0.4), (3, 0, 0.9), (0, 2, -0.3), (3, 4, 1.2)];
    for (seed, nodes, edges, field) in [
        (1, 3, &frustrated[..], Field::Uniform(0.0)),
        (2, 3, &frustrated[..], Field::Uniform(0.4)),
        (3, 5, &mixed[..], Field::Uniform(0.0)),
        (4, 5, &mixed[..], map),
        // Two components and a node on its own.
        (5, 5, &[(0, 1, 1.0), (2, 3, 0.8)], Field::Uniform(0.0)),
    ] {
        let model = IsingGraph::new(nodes, edges, 2.1, &field).unwrap();
        check(&format!("graph {seed}"), &model, 2.1, seed);
    }
}

#[test]
fn clusters_of_labels_keep_the_law() {
    for (seed, rows, cols, boundary, states, field) in [
        (1, 2, 2, Boundary::Periodic, 2, 0.0),
        (2, 2, 2, Boundary::Free, 3, 0.0),
        (3, 2, 2, Boundary::Periodic, 3, 0.3),
        (4, 2, 2, Boundary::Free, 4, -0.5),
        (5, 1, 4, Boundary::Periodic, 4, 0.0),
        (6, 2, 3, Boundary::Free, 2, 0.2),
    ] {
        let model = Potts::new(lattice(rows, cols, boundary), states, 0.9, 0.7, field).unwrap();
        check(&format!("{states} labels, {rows}×{cols} {boundary:?}"), &model, 0.9, seed);
    }
}

/// Steps at once leave state and generator where single steps do.
fn assert_steps_at_once<C: SpinSystem<State = Vec<i8>, Value = i8>>(chain: &C) {
    let (mut a, mut b) = (stream(3, Purpose::Chain, 0), stream(3, Purpose::Chain, 0));
    let (mut x, mut y) = (chain.init(&mut a), chain.init(&mut b));
    chain.steps(&mut x, 20, &mut a);
    (0..20).for_each(|_| _ = chain.step(&mut y, &mut b));
    assert!(x == y && a.get_word_pos() == b.get_word_pos());
}

#[test]
fn steps_at_once_are_steps_one_by_one_and_both_updates_agree_on_a_larger_lattice() {
    let potts = Potts::new(lattice(12, 9, Boundary::Periodic), 3, 1.0, 1.0, 0.1).unwrap();
    assert_steps_at_once(&Wolff::new(potts.clone()).unwrap());
    assert_steps_at_once(&SwendsenWang::new(potts.clone()).unwrap());
    // Energies of three chains by three kernels.
    let energies = |walk: &mut dyn SpinWalk, every: u64| {
        walk.advance(100 * every);
        let mut next = || {
            walk.advance(every);
            walk.measure(Observable::Energy).unwrap()
        };
        Mixing::from_series(&[(0..3000).map(|_| next()).collect::<Vec<_>>()])
    };
    let found = [
        energies(&mut Walker::new(potts.clone(), 1, 0), 500),
        energies(&mut Walker::new(Wolff::new(potts.clone()).unwrap(), 1, 1), 5),
        energies(&mut Walker::new(SwendsenWang::new(potts).unwrap(), 1, 2), 2),
    ];
    for (a, b) in [(0, 1), (0, 2), (1, 2)] {
        let error = f64::hypot(found[a].error, found[b].error);
        assert!((found[a].mean - found[b].mean).abs() < 4.0 * error, "{a} {b}: {found:?}");
    }
}

#[test]
fn what_has_no_clusters_is_refused() {
    let antiferromagnet = Potts::new(lattice(3, 3, Boundary::Free), 3, 1.0, -1.0, 0.0).unwrap();
    let error = Wolff::new(antiferromagnet.clone()).unwrap_err().to_string();
    assert!(error.contains("coupling is -1"), "{error}");
    assert!(SwendsenWang::new(antiferromagnet).is_err());
    for alone in [
        Ising::new(lattice(3, 3, Boundary::Free), 1.0, 0.0, Field::Uniform(0.0)).unwrap(),
        Ising::new(lattice(1, 1, Boundary::Periodic), 1.0, 1.0, Field::Uniform(0.0)).unwrap(),
    ] {
        assert!(Wolff::new(alone.clone()).unwrap_err().to_string().contains("no bonds"));
        assert!(SwendsenWang::new(alone).is_ok());
    }
}

#[test]
fn sizes_of_bond_clusters_have_the_mean_that_enumeration_gives() {
    let model = Ising::new(lattice(2, 3, Boundary::Periodic), 2.2, 1.0, Field::Uniform(0.0)).unwrap();
    let (bonds, x) = (bonds(&model), vec![1, 1, -1, 1, 1, 1]);
    let (mut mean, mut largest) = (0.0, 0.0);
    for (p, clusters) in throws(&bonds, &x) {
        let sizes: Vec<f64> = clusters.iter().map(|members| members.len() as f64).collect();
        mean += p * sizes.iter().map(|size| size * size).sum::<f64>() / 6.0;
        largest += p * sizes.iter().copied().fold(0.0, f64::max) / 6.0;
    }
    let mut rng = stream(1, Purpose::Measurement, 0);
    let mut draws = || model.bond_clusters(&x, &mut rng).unwrap();
    let found: Vec<_> = (0..40_000).map(|_| draws()).collect();
    for (exact, series) in [
        (mean, found.iter().map(|sizes| sizes.mean).collect::<Vec<_>>()),
        (largest, found.iter().map(|sizes| sizes.largest).collect()),
    ] {
        let mixing = Mixing::from_series(&[series]);
        assert!((mixing.mean - exact).abs() < 4.0 * mixing.error, "{exact} {mixing:?}");
    }
}
