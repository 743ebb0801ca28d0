//! The XY model against what is known exactly: the law of one angle by quadrature, chains and rings by Bessel functions.

use super::*;
use crate::chain::cluster::{ReflectedClusters, Reflection};
use crate::chain::diagnostics::Mixing;
use crate::rng::{Purpose, stream};

/// The integral of `exp(κ(cos δ − 1))` from `from` to `to`, by Simpson's rule.
fn mass(kappa: f64, from: f64, to: f64) -> f64 {
    let pieces = 400;
    let step = (to - from) / f64::from(pieces);
    let at = |k: i32| (kappa * ((from + f64::from(k) * step).cos() - 1.0)).exp();
    let weight = |k: i32| if k == 0 || k == pieces { 1.0 } else { 2.0 + 2.0 * f64::from(k % 2) };
    step / 3.0 * (0..=pieces).map(|k| weight(k) * at(k)).sum::<f64>()
}

/// Chi² of draws in `[0, π]` against the law, in bins whose edges are spread by the width of the law; at most its mean and five standard deviations.
fn assert_von_mises(kappa: f64, draws: usize, mut draw: impl FnMut() -> f64) {
    let bins = 40;
    let most = PI.min(5.0 / kappa.sqrt().max(1e-300));
    let edges: Vec<f64> = (0..bins).map(|k| most * f64::from(k) / f64::from(bins - 1)).chain([PI]).collect();
    let masses: Vec<f64> = edges.windows(2).map(|pair| mass(kappa, pair[0], pair[1])).collect();
    let total: f64 = masses.iter().sum();
    let mut counts = vec![0.0; edges.len() - 1];
    for _ in 0..draws {
        let angle = draw();
        assert!((0.0..=PI).contains(&angle), "{angle}");
        let bin = edges.iter().rposition(|edge| *edge <= angle).unwrap_or(0).min(counts.len() - 1);
        counts[bin] += 1.0;
    }
    let (mut chi2, mut degrees, mut rest): (f64, f64, (f64, f64)) = (0.0, -1.0, (0.0, 0.0));
    for (count, mass) in counts.iter().zip(&masses) {
        let expected = draws as f64 * mass / total;
        rest = (rest.0 + count, rest.1 + expected);
        if rest.1 >= 20.0 {
            chi2 += (rest.0 - rest.1) * (rest.0 - rest.1) / rest.1;
            degrees += 1.0;
            rest = (0.0, 0.0);
        }
    }
    assert!(degrees > 3.0, "κ = {kappa}: {degrees} degrees of freedom");
    let limit = degrees + 5.0 * (2.0 * degrees).sqrt();
    assert!(chi2 < limit, "κ = {kappa}: chi² {chi2} over {limit} for {degrees} degrees of freedom");
}

#[test]
fn angles_of_one_site_have_the_law_of_von_mises() {
    let mut rng = stream(1, Purpose::Synthetic, 0);
    for kappa in [0.0, 1e-7, 1e-3, 0.1, 1.0, 4.4, 30.0, 1e4, 1e7] {
        assert_von_mises(kappa, 200_000, || turn(kappa, &mut rng));
    }
}

#[test]
fn a_site_is_drawn_given_its_neighbors() {
    for (seed, coupling, boundary) in [(2, 1.0, Boundary::Periodic), (3, -0.7, Boundary::Free)] {
        let lattice = Lattice::new(3, 4, boundary).unwrap();
        let xy = Xy::new(lattice, 0.8, coupling).unwrap();
        let mut rng = stream(seed, Purpose::Synthetic, 0);
        let mut state = xy.init(&mut rng);
        for site in [0, 5, 11] {
            // The law from the energies of whole configurations.
            let energy = |angle: f64| {
                let mut angles = state.angles.clone();
                angles[site] = angle;
                xy.energy(&XyState::new(angles))
            };
            let (x, y) = (energy(PI) - energy(0.0), energy(-PI / 2.0) - energy(PI / 2.0));
            let (x, y) = (x / (2.0 * 0.8), y / (2.0 * 0.8));
            let phi = y.atan2(x);
            let mut next = 0;
            assert_von_mises(x.hypot(y), 60_000, || {
                next += 1;
                xy.draw(&mut state, (site / 4, site % 4), if next % 2 == 0 { 1.0 } else { -1.0 }, &mut rng);
                wrap(state.angles[site] - phi).abs()
            });
        }
    }
}

/// `I_n(K)` for `n` from 0 on, by the mean of `exp(K cos θ) cos(nθ)`, which is exact to rounding.
fn bessel(k: f64, n: usize) -> f64 {
    let points = 256;
    let at = |j: i32| {
        let angle = TAU * f64::from(j) / f64::from(points);
        (k * angle.cos()).exp() * (n as f64 * angle).cos()
    };
    (0..points).map(at).sum::<f64>() / f64::from(points)
}

/// The mean cosine of a bond of a ring of `sites` angles: `Σ_n I_n'(K) I_n(K)^(sites − 1) / Σ_n I_n(K)^sites` over all integers n.
fn ring(k: f64, sites: i32) -> f64 {
    let (mut above, mut below) = (0.0, 0.0);
    for n in 0..40 {
        let both = if n == 0 { 1.0 } else { 2.0 };
        let slope = if n == 0 { bessel(k, 1) } else { f64::midpoint(bessel(k, n - 1), bessel(k, n + 1)) };
        above += both * slope * bessel(k, n).powi(sites - 1);
        below += both * bessel(k, n).powi(sites);
    }
    above / below
}

/// The energy by site of `system` within 4.5 errors of what is exact.
fn assert_energy<S: SpinSystem>(what: &str, system: &S, exact: f64, every: u64, seed: u64) {
    let sites = system.shape().0 * system.shape().1;
    let chains: Vec<Vec<f64>> = (0..2)
        .map(|id| {
            let mut rng = stream(seed, Purpose::Chain, id);
            let mut state = system.init(&mut rng);
            system.steps(&mut state, 200 * every, &mut rng);
            let mut next = |_| {
                system.steps(&mut state, every, &mut rng);
                system.energy(&state) / sites as f64
            };
            (0..15_000).map(&mut next).collect()
        })
        .collect();
    let found = Mixing::from_series(&chains);
    assert!(found.r_hat < 1.01, "{what}: R̂ {}", found.r_hat);
    let z = (found.mean - exact) / found.error;
    assert!(z.abs() < 4.5, "{what}: {} instead of {exact}, {z} errors", found.mean);
}

#[test]
fn chains_and_rings_have_the_energies_of_bessel_functions() {
    for (seed, coupling, temperature) in [(11, 1.0, 0.6), (12, -1.2, 0.9), (13, 0.5, 2.0)] {
        let k: f64 = coupling / temperature;
        let cases = [
            // A chain: every bond by itself.
            ("chain", (1, 6), Boundary::Free, -coupling * 5.0 / 6.0 * bessel(k, 1) / bessel(k, 0)),
            // Four sites around a square.
            ("square", (2, 2), Boundary::Free, -coupling * ring(k, 4)),
            // The same with double bonds.
            ("torus", (2, 2), Boundary::Periodic, -2.0 * coupling * ring(2.0 * k, 4)),
            // An odd ring, where an antiferromagnet is frustrated; each site is its own neighbor besides.
            ("ring", (5, 1), Boundary::Periodic, -coupling * (1.0 + ring(k, 5))),
        ];
        for (what, (rows, cols), boundary, exact) in cases {
            let lattice = Lattice::new(rows, cols, boundary).unwrap();
            let xy = Xy::new(lattice, temperature, coupling).unwrap();
            let what = |update: &str| format!("{what} by {update}, J = {coupling}, T = {temperature}");
            assert_energy(&what("heat bath"), &xy, exact, (rows * cols) as u64, seed);
            for (update, reflection) in [("wolff", Reflection::One), ("swendsen-wang", Reflection::All)] {
                let clusters = ReflectedClusters::new(xy.clone(), lattice, reflection);
                assert_energy(&what(update), &clusters, exact, 2, seed);
            }
        }
    }
}

/// How observables of a chain mix, observed at regular intervals.
fn series<S: SpinSystem>(system: &S, every: u64, of: &[Observable], seed: u64) -> Vec<Mixing> {
    let mut rng = stream(seed, Purpose::Chain, 0);
    let mut state = system.init(&mut rng);
    system.steps(&mut state, 300 * every, &mut rng);
    let mut all = vec![Vec::new(); of.len()];
    for _ in 0..6000 {
        system.steps(&mut state, every, &mut rng);
        for (one, series) in of.iter().zip(&mut all) {
            series.push(one.measure(system, &state, &mut rng).unwrap());
        }
    }
    all.iter().map(|series| Mixing::from_series(&[series])).collect()
}

/// Means of several observables on a larger torus, by three kernels that share no random choices.
#[test]
fn kernels_agree_on_a_torus_where_nothing_is_exact() {
    let lattice = Lattice::new(8, 6, Boundary::Periodic).unwrap();
    let xy = Xy::new(lattice, 0.9, 1.0).unwrap();
    let observables =
        [Observable::Energy, Observable::AbsMagnetization, Observable::Vortices, Observable::CurrentSquared];
    let clusters = |reflection| ReflectedClusters::new(xy.clone(), lattice, reflection);
    let by = [
        series(&xy, 96, &observables, 21),
        series(&clusters(Reflection::One), 4, &observables, 22),
        series(&clusters(Reflection::All), 2, &observables, 23),
    ];
    for (k, observable) in observables.iter().enumerate() {
        for (a, b) in [(0, 1), (0, 2), (1, 2)] {
            let (a, b) = (&by[a][k], &by[b][k]);
            let z = (a.mean - b.mean) / a.error.hypot(b.error);
            assert!(z.abs() < 4.5, "{observable}: {} and {}, {z} errors apart", a.mean, b.mean);
        }
    }
}

#[test]
fn vortices_and_currents_are_those_of_known_configurations() {
    let xy = |rows, cols, boundary, coupling| {
        Xy::new(Lattice::new(rows, cols, boundary).unwrap(), 1.0, coupling).unwrap()
    };
    // A vortex in the middle of a free square, none where all is aligned.
    let free = xy(4, 4, Boundary::Free, 1.0);
    let around: Vec<f64> = (0..16).map(|v| (f64::from(v / 4) - 1.5).atan2(f64::from(v % 4) - 1.5)).collect();
    assert_eq!(free.vortices(&around), Some(1.0 / 9.0));
    assert_eq!(free.vortices(&[0.3; 16]), Some(0.0));
    assert_eq!(xy(1, 4, Boundary::Periodic, 1.0).vortices(&[0.0; 4]), None);
    // A twist along the rows: every bond to the right has the same angle, and the current is its sine.
    let torus = xy(2, 5, Boundary::Periodic, 2.0);
    let state = torus.state(&(0..10).map(|v| TAU * f64::from(v % 5) / 5.0).collect::<Vec<_>>()).unwrap();
    let current = 2.0 * 10.0 * (TAU / 5.0).sin();
    let found = torus.own_observable(&state, Observable::CurrentSquared).unwrap();
    assert!((found - current * current / 10.0).abs() < 1e-9, "{found}");
    assert!((torus.energy(&state) + 2.0 * 10.0 * ((TAU / 5.0).cos() + 1.0)).abs() < 1e-9);
    assert!(free.own_observable(&free.state(&around).unwrap(), Observable::CurrentSquared).is_none());
    // Windings on a torus add up to nothing, so that vortices come in pairs.
    let random = xy(5, 7, Boundary::Periodic, 1.0);
    let state = random.init(&mut stream(5, Purpose::Chain, 0));
    let count = random.vortices(&state.angles).unwrap() * 35.0;
    assert!(count > 0.0 && (count / 2.0 - (count / 2.0).round()).abs() < 1e-9, "{count}");
}

#[test]
fn states_are_what_they_were_saved_as_and_steps_at_once_are_single_steps() {
    let lattice = Lattice::new(4, 5, Boundary::Periodic).unwrap();
    let xy = Xy::new(lattice, 0.5, 1.0).unwrap();
    let mut rng = stream(7, Purpose::Chain, 0);
    let mut state = xy.init(&mut rng);
    xy.steps(&mut state, 1000, &mut rng);
    assert_eq!(xy.state(xy.spins(&state)).unwrap(), state);
    assert!(state.angles.iter().all(|angle| (-PI..PI).contains(angle)));
    for reflection in [Reflection::One, Reflection::All] {
        let chain = ReflectedClusters::new(xy.clone(), lattice, reflection);
        let (mut a, mut b) = (stream(3, Purpose::Chain, 0), stream(3, Purpose::Chain, 0));
        let (mut x, mut y) = (chain.init(&mut a), chain.init(&mut b));
        let all = chain.steps(&mut x, 20, &mut a);
        let mut each = crate::chain::diagnostics::Acceptance::default();
        (0..20).for_each(|_| crate::chain::Tally::add(&mut each, chain.step(&mut y, &mut b)));
        assert!(x == y && all == each && a.get_word_pos() == b.get_word_pos());
        assert_eq!(chain.state(chain.spins(&x)).unwrap(), x);
    }
    for (angle, wrapped) in [(PI, -PI), (-PI, -PI), (3.0 * PI, -PI), (0.0, 0.0), (TAU + 1.0, 1.0)] {
        assert!((wrap(angle) - wrapped).abs() < 1e-12, "{angle}");
    }
}

#[test]
fn bad_parameters_and_extreme_ones() {
    let lattice = Lattice::new(3, 3, Boundary::Periodic).unwrap();
    for (t, j) in
        [(0.0, 1.0), (-1.0, 1.0), (f64::NAN, 1.0), (1.0, f64::NAN), (1.0, f64::INFINITY), (1.0, 1e308)]
    {
        assert!(Xy::new(lattice, t, j).is_err(), "{t} {j}");
    }
    for (t, j) in [(1e-300, 1e3), (1e300, -1e3), (1.0, 0.0), (1e-9, 1.0)] {
        let xy = Xy::new(lattice, t, j).unwrap();
        let mut rng = stream(8, Purpose::Chain, 0);
        let mut state = xy.init(&mut rng);
        xy.steps(&mut state, 200, &mut rng);
        ReflectedClusters::new(xy.clone(), lattice, Reflection::All).steps(&mut state, 20, &mut rng);
        assert!(state.angles.iter().all(|angle| (-PI..PI).contains(angle)) && xy.energy(&state).is_finite());
    }
    let xy = Xy::new(lattice, 1.0, 1.0).unwrap();
    assert!(xy.state(&[0.0; 8]).is_err() && xy.state(&[9.5; 9]).is_ok());
    assert!(xy.state(&[f64::NAN; 9]).unwrap_err().to_string().contains("site 0"));
}

#[test]
fn critical_temperatures_are_known_and_scale_with_the_coupling() {
    use crate::chain::{SystemKind, SystemSettings};
    let critical = |model, coupling| {
        let system =
            SystemSettings { model: Some(model), coupling: Some(coupling), ..SystemSettings::default() };
        system.critical_temperature()
    };
    // Ising by Onsager, Potts with three labels by duality, XY from Monte Carlo.
    for (model, known) in
        [(SystemKind::Ising, 2.269_185), (SystemKind::Potts, 0.994_973), (SystemKind::Xy, 0.8929)]
    {
        for coupling in [0.5, 1.0, 3.0] {
            let found = critical(model, coupling).unwrap();
            assert!((found / coupling - known).abs() < 1e-5, "{model:?}, {coupling}: {found}");
        }
        assert_eq!(critical(model, -1.0), None);
    }
}
