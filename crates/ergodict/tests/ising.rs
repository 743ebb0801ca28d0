//! The Ising chains on large lattices: energy and magnetisation against exact results, within Monte-Carlo errors from the
//! effective sample size.
//!
//! Near the critical temperature a lattice is far from infinite: at T = 2.26 the correlation length is 70 sites. There
//! the yardstick is Kaufman's partition function of the finite torus, which has no limit in it and tends to Onsager's.

use ergodict::chain::diagnostics::effective_sample_size;
use ergodict::chain::onsager::{energy_per_site, magnetisation};
use ergodict::chain::rng::{Purpose, stream};
use ergodict::chain::{Boundary, Checkerboard, Field, Ising, Lattice, SpinSystem};

fn seed() -> u64 {
    std::env::var("ISING_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1)
}

/// `ln Z` of the `side × side` torus at coupling `k = J/T` (Kaufman 1949), up to the constant `ln ½`.
fn ln_partition(side: i32, k: f64) -> f64 {
    let n = f64::from(side);
    let base = (2.0 * k).cosh() / (2.0 * k).tanh();
    let gamma = |l: i32| {
        if l == 0 {
            2.0 * k + k.tanh().ln()
        } else {
            (base - (std::f64::consts::PI * f64::from(l) / n).cos()).acosh()
        }
    };
    // Each product as its logarithm and its sign: Π 2cosh(nγ/2) and Π 2sinh(nγ/2) over even or odd l.
    let product = |odd: i32, minus: bool| {
        (0..side).map(|r| gamma(2 * r + odd)).fold((0.0, 1.0), |(ln, sign), g: f64| {
            let tail = (-n * g.abs()).exp();
            let factor = if minus { -tail } else { tail };
            let flips = minus && g < 0.0;
            (ln + n * g.abs() / 2.0 + factor.ln_1p(), if flips { -sign } else { sign })
        })
    };
    let terms: [(f64, f64); 4] = [product(1, false), product(1, true), product(0, false), product(0, true)];
    let top = terms.iter().map(|t| t.0).fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = terms.iter().map(|(ln, sign)| sign * (ln - top).exp()).sum();
    n * n / 2.0 * (2.0 * (2.0 * k).sinh()).ln() + top + sum.ln()
}

/// The exact mean energy of a site of the `side × side` torus: `−∂(ln Z)/∂K` by a central difference, over the sites.
fn torus_energy(side: i32, temperature: f64) -> f64 {
    let (k, h) = (1.0 / temperature, 1e-5);
    -(ln_partition(side, k + h) - ln_partition(side, k - h)) / (2.0 * h * f64::from(side * side))
}

#[test]
fn kaufmans_energy_is_the_enumerated_one_and_tends_to_onsagers() {
    for temperature in [1.0, 2.26, 5.0] {
        // All 2¹⁶ states of the 4×4 torus.
        let model = Ising::new(
            Lattice::new(4, 4, Boundary::Periodic).unwrap(),
            temperature,
            1.0,
            Field::Uniform(0.0),
        )
        .unwrap();
        let (mut total, mut weighted) = (0.0, 0.0);
        for code in 0..1 << 16 {
            let state = (0..16).map(|v| if code >> v & 1 == 1 { 1 } else { -1 }).collect();
            let energy = model.energy(&state);
            let weight = ((-32.0 - energy) / temperature).exp();
            (total, weighted) = (total + weight, weighted + weight * energy);
        }
        let exact = weighted / total / 16.0;
        assert!((torus_energy(4, temperature) - exact).abs() < 1e-8, "T = {temperature}");
    }
    for temperature in [1.5, 3.0, 5.0] {
        assert!((torus_energy(128, temperature) - energy_per_site(temperature)).abs() < 1e-8);
    }
    // What is left of the finite size at T = 2.26.
    let apart = |side| torus_energy(side, 2.26) - energy_per_site(2.26);
    assert!(
        apart(128).abs() < 0.002 && apart(512).abs() < 1e-4 && apart(1024).abs() < 1e-6,
        "{}",
        apart(128)
    );
}

/// Energy and magnetisation of a site, every `every` steps, from all spins up.
fn observe<C: SpinSystem<State = Vec<i8>>>(chain: &C, burn: u64, kept: usize, every: u64) -> [Vec<f64>; 2] {
    let (rows, cols) = chain.shape();
    let sites = (rows * cols) as f64;
    let mut rng = stream(seed(), Purpose::Chain, rows as u64);
    let mut state = vec![1; rows * cols];
    chain.steps(&mut state, burn, &mut rng);
    let mut series = [Vec::new(), Vec::new()];
    for _ in 0..kept {
        chain.steps(&mut state, every, &mut rng);
        series[0].push(chain.energy(&state) / sites);
        series[1].push(state.iter().map(|x| f64::from(*x)).sum::<f64>() / sites);
    }
    series
}

fn ising(side: usize, temperature: f64) -> Ising {
    let lattice = Lattice::new(side, side, Boundary::Periodic).unwrap();
    Ising::new(lattice, temperature, 1.0, Field::Uniform(0.0)).unwrap()
}

fn checkerboard(side: usize, temperature: f64) -> Checkerboard {
    Checkerboard::new(ising(side, temperature)).unwrap()
}

fn assert_mean(what: &str, series: &[f64], exact: f64) {
    let n = series.len() as f64;
    let mean = series.iter().sum::<f64>() / n;
    let variance = series.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n;
    let size = effective_sample_size(series);
    assert!(size > 50.0, "{what}: only {size} effective draws");
    let error = (variance / size).sqrt();
    assert!((mean - exact).abs() < 4.0 * error, "{what}: {mean} ± {error} for {exact}");
}

#[test]
fn hot_energy_is_onsagers() {
    let [energy, _] = observe(&checkerboard(128, 5.0), 50, 250, 3);
    assert_mean("checkerboard", &energy, energy_per_site(5.0));
    let [energy, _] = observe(&ising(64, 5.0), 50 * 64 * 64, 500, 4 * 64 * 64);
    assert_mean("random scan", &energy, energy_per_site(5.0));
}

#[test]
fn critical_energy_is_kaufmans_by_checkerboard() {
    let [energy, _] = observe(&checkerboard(32, 2.26), 2000, 3000, 5);
    assert_mean("32×32", &energy, torus_energy(32, 2.26));
}

#[test]
fn critical_energy_is_kaufmans_by_random_scan() {
    let [energy, _] = observe(&ising(16, 2.26), 2000 * 256, 3000, 10 * 256);
    assert_mean("16×16", &energy, torus_energy(16, 2.26));
}

/// The lattice of the paper's figures is 200×200; here the finite size is seen, and Onsager's energy is within it.
#[test]
#[ignore = "a minute and more: run with --release -- --ignored"]
fn critical_energy_of_a_large_lattice() {
    let [energy, _] = observe(&checkerboard(128, 2.26), 200_000, 50_000, 20);
    assert_mean("128×128", &energy, torus_energy(128, 2.26));
    let mean = energy.iter().sum::<f64>() / energy.len() as f64;
    assert!((mean - energy_per_site(2.26)).abs() < 0.005);
}

#[test]
fn spontaneous_magnetisation_is_yangs() {
    let [energy, up] = observe(&checkerboard(128, 1.5), 50, 250, 3);
    assert_mean("energy at 1.5", &energy, energy_per_site(1.5));
    assert_mean("magnetisation at 1.5", &up, magnetisation(1.5));
    let [_, up] = observe(&ising(64, 1.5), 50 * 64 * 64, 500, 4 * 64 * 64);
    assert_mean("magnetisation at 1.5 by random scan", &up, magnetisation(1.5));
}

#[test]
fn at_low_temperature_spins_turn_as_rarely_as_they_should() {
    // (1 − m)/2 of all spins are down, 1.1·10⁻⁷ at T = 0.5: almost all alone and for one sweep, so their number over many
    // sweeps is nearly Poisson. The field-free threshold must have its tail right for that.
    let (side, sweeps) = (128, 2000);
    let [_, up] = observe(&checkerboard(side, 0.5), 5, sweeps, 1);
    let sites = (side * side) as f64;
    let down: f64 = up.iter().map(|m| (1.0 - m) / 2.0 * sites).sum();
    let expected = (1.0 - magnetisation(0.5)) / 2.0 * sites * sweeps as f64;
    assert!((3.0..5.0).contains(&expected), "{expected}");
    // 15 or more of 3.7 have a probability under 10⁻⁴. So has none at T = 0.7, where 450 are expected.
    assert!(down < 15.0, "{down} for {expected}");
    let [_, up] = observe(&checkerboard(side, 0.7), 5, 500, 1);
    let down: f64 = up.iter().map(|m| (1.0 - m) / 2.0 * sites).sum();
    let expected = (1.0 - magnetisation(0.7)) / 2.0 * sites * 500.0;
    assert!((down - expected).abs() < 5.0 * expected.sqrt(), "{down} for {expected}");
}
