//! The Ising chains on large lattices: energy and magnetization against exact results, within Monte-Carlo errors from the
//! effective sample size.
//!
//! Near the critical temperature a lattice is far from infinite: at T = 2.26 the correlation length is 70 sites. There
//! the yardstick is Kaufman's partition function of the finite torus, which has no limit in it and tends to Onsager's.

use ergodict::chain::diagnostics::Mixing;
use ergodict::chain::onsager::{energy_per_site, magnetization};
use ergodict::chain::{Boundary, Chain, Checkerboard, Field, Ising, Lattice, SpinSystem};
use ergodict::rng::{ChaCha8Rng, Purpose, stream};
use rand_chacha::rand_core::Rng;

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

/// Energy and magnetization of a site, every `every` steps, from all spins up.
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
    let Mixing { mean, error, effective_sample_size, .. } = Mixing::from_series(&[series]);
    assert!(effective_sample_size > 25.0, "{what}: only {effective_sample_size} effective draws");
    println!("{what}: {mean} ± {error} for {exact}, {effective_sample_size} draws");
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

/// One update of all spins by clusters (Swendsen and Wang 1987): bonds between equal spins hold with probability
/// `1 − exp(−2/T)`, and each cluster they hold together turns as a whole by a fair coin. Its law is that of the chains, which it
/// reaches in some tens of updates even where theirs would be some ten thousand sweeps.
fn turn_clusters(lattice: Lattice, temperature: f64, spins: &mut [i8], rng: &mut ChaCha8Rng) {
    fn root(parents: &mut [u32], mut site: u32) -> u32 {
        while parents[site as usize] != site {
            let beyond = parents[parents[site as usize] as usize];
            parents[site as usize] = beyond;
            site = beyond;
        }
        site
    }
    // 31 bits of a site's word for each of two bonds, and one for its coin.
    let holds = ((1.0 - (-2.0 / temperature).exp()) * 2f64.powi(31)) as u64;
    let mut parents: Vec<u32> = (0..spins.len() as u32).collect();
    let mut turned = Vec::with_capacity(spins.len());
    let (side, sites) = (lattice.shape().1, spins.len());
    for site in 0..sites {
        let word = rng.next_u64();
        let right = if (site + 1) % side == 0 { site + 1 - side } else { site + 1 };
        let below = if site + side < sites { site + side } else { site + side - sites };
        for (other, bits) in [(right, word >> 33), (below, word >> 2 & 0x7fff_ffff)] {
            if spins[site] == spins[other] && bits < holds {
                let (a, b) = (root(&mut parents, site as u32), root(&mut parents, other as u32));
                parents[a.max(b) as usize] = a.min(b);
            }
        }
        turned.push(word & 1 == 1);
    }
    for site in 0..spins.len() {
        if turned[root(&mut parents, site as u32) as usize] {
            spins[site] = -spins[site];
        }
    }
}

/// Onsager's energy near the critical temperature, on a lattice on which the finite size is far below the Monte-Carlo error:
/// by Kaufman it is 8·10⁻⁶ for 256×256. Sweeps alone would need ten thousand from any start we can write down, so the chain
/// starts from states by clusters, and goes on by sweeps, which must keep their law: each frame is after five updates by
/// clusters, which let long waves go, and ten sweeps. With sweeps at T = 2.27 instead it fails.
#[test]
fn critical_energy_of_a_large_lattice_is_onsagers() {
    let (side, temperature) = (256, 2.26);
    let chain = checkerboard(side, temperature);
    let lattice = Lattice::new(side, side, Boundary::Periodic).unwrap();
    let mut rng = stream(seed(), Purpose::Chain, side as u64);
    let mut state = vec![1; side * side];
    (0..50).for_each(|_| turn_clusters(lattice, temperature, &mut state, &mut rng));
    let frame = |_| {
        (0..5).for_each(|_| turn_clusters(lattice, temperature, &mut state, &mut rng));
        chain.steps(&mut state, 10, &mut rng);
        chain.energy(&state) / (side * side) as f64
    };
    let energy: Vec<f64> = (0..130).map(frame).collect();
    let (kaufman, onsager) = (torus_energy(side as i32, temperature), energy_per_site(temperature));
    let error = Mixing::from_series(&[&energy]).error;
    assert!((kaufman - onsager).abs() < 0.05 * error, "finite size {} for {error}", kaufman - onsager);
    assert_mean("256×256", &energy, onsager);
}

#[test]
fn spontaneous_magnetization_is_yangs() {
    let [energy, up] = observe(&checkerboard(128, 1.5), 50, 250, 3);
    assert_mean("energy at 1.5", &energy, energy_per_site(1.5));
    assert_mean("magnetization at 1.5", &up, magnetization(1.5));
    let [_, up] = observe(&ising(64, 1.5), 50 * 64 * 64, 500, 4 * 64 * 64);
    assert_mean("magnetization at 1.5 by random scan", &up, magnetization(1.5));
}

#[test]
fn at_low_temperature_spins_turn_as_rarely_as_they_should() {
    // (1 − m)/2 of all spins are down, 1.1·10⁻⁷ at T = 0.5: almost all alone and for one sweep, so their number over many
    // sweeps is nearly Poisson. The field-free threshold must have its tail right for that.
    let (side, sweeps) = (128, 2000);
    let [_, up] = observe(&checkerboard(side, 0.5), 5, sweeps, 1);
    let sites = (side * side) as f64;
    let down: f64 = up.iter().map(|m| (1.0 - m) / 2.0 * sites).sum();
    let expected = (1.0 - magnetization(0.5)) / 2.0 * sites * sweeps as f64;
    assert!((3.0..5.0).contains(&expected), "{expected}");
    // 15 or more of 3.7 have a probability under 10⁻⁴. So has none at T = 0.7, where 450 are expected.
    assert!(down < 15.0, "{down} for {expected}");
    let [_, up] = observe(&checkerboard(side, 0.7), 5, 500, 1);
    let down: f64 = up.iter().map(|m| (1.0 - m) / 2.0 * sites).sum();
    let expected = (1.0 - magnetization(0.7)) / 2.0 * sites * 500.0;
    assert!((down - expected).abs() < 5.0 * expected.sqrt(), "{down} for {expected}");
}
