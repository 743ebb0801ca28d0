//! Benchmarks of spin systems: million updates a second, and the ratio to another chain or a plain loop in the same run.

use crate::clock::{cpu_seconds, median, median_ms};
use anyhow::Result;
use ergodict::chain::{
    Boundary, Chain, Checkerboard, Field, Ising, Lattice, SpinSystem, SystemData, SystemKind, SystemSettings,
    Update, onsager,
};
use ergodict::linalg::{Isa, Mat};
use ergodict::rng::{ChaCha8Rng, Purpose, below, normal, stream, uniform};
use ergodict::text::Shape;

/// The temperature of all runs but where another is said.
const TEMPERATURE: f64 = 2.26;

/// Cluster updates.
const CLUSTERS: [(&str, Update); 2] = [("wolff", Update::Wolff), ("swendsen-wang", Update::SwendsenWang)];

/// Prints the table; each line is a median of runs of CPU time.
pub(crate) fn run() -> Result<()> {
    println!("| chain | lattice | million updates/s | baseline | ratio |\n|---|---|---|---|---|");
    for (side, boundary) in [
        (20, Boundary::Periodic),
        (100, Boundary::Periodic),
        (200, Boundary::Periodic),
        (200, Boundary::Free),
        (1024, Boundary::Periodic),
    ] {
        random_scan(side, boundary)?;
    }
    for side in [200, 1024, 4096] {
        checkerboard(side)?;
    }
    for side in [64, 512] {
        clusters(side)?;
    }
    potts_and_xy(200)?;
    for hidden in [64, 500] {
        boltzmann((28, 28), hidden)?;
    }
    Ok(())
}

fn ising(side: usize, boundary: Boundary) -> Result<Ising> {
    Ok(Ising::new(Lattice::new(side, side, boundary)?, TEMPERATURE, 1.0, Field::Uniform(0.0))?)
}

fn row(chain: &str, side: usize, rate: f64, baseline: &str, baseline_rate: f64) {
    let ratio = rate / baseline_rate;
    println!("| {chain} | {side}×{side} | {rate:.1} | {baseline} {baseline_rate:.1} | {ratio:.2}× |");
}

/// Million updates a second of work that makes so many.
fn rate(updates: u64, work: impl FnMut()) -> f64 {
    updates as f64 / 1e3 / median_ms(50, work)
}

fn random_scan(side: usize, boundary: Boundary) -> Result<()> {
    let chain = ising(side, boundary)?;
    let mut rng = stream(1, Purpose::Synthetic, 0);
    let mut state = chain.init(&mut rng);
    let count = 4_000_000;
    chain.steps(&mut state, count, &mut rng);
    let fast = rate(count, || chain.steps(&mut state, count, &mut rng));
    let few = count / 8;
    let single = rate(few, || (0..few).for_each(|_| chain.step(&mut state, &mut rng)));
    // What a textbook has: a site, the sum of its neighbors, an exponential, a comparison.
    let sites = (side * side) as f64;
    let lattice = Lattice::new(side, side, boundary)?;
    let textbook = rate(few, || {
        for _ in 0..few {
            let site = (uniform(&mut rng) * sites) as usize;
            let sum: f64 = lattice.neighbors(site).map(|u| f64::from(state[u])).sum();
            let p = 1.0 / (1.0 + (-2.0 / TEMPERATURE * sum).exp());
            state[site] = if uniform(&mut rng) < p { 1 } else { -1 };
        }
    });
    let name = format!("random scan, {boundary:?}").to_lowercase();
    row(&name, side, fast, "textbook loop", textbook);
    row(&name, side, fast, "single steps", single);
    Ok(())
}

fn checkerboard(side: usize) -> Result<()> {
    let model = ising(side, Boundary::Periodic)?;
    let mut rng = stream(2, Purpose::Synthetic, 0);
    let mut scan_state = model.init(&mut rng);
    let scan = rate(2_000_000, || model.steps(&mut scan_state, 2_000_000, &mut rng));
    for isa in Isa::available() {
        let chain = Checkerboard::new(model.clone())?.with_isa(isa);
        let mut state = chain.init(&mut rng);
        let sweeps = (16_000_000 / chain.updates()).max(8);
        let fast = rate(sweeps * chain.updates(), || chain.steps(&mut state, sweeps, &mut rng));
        row(&format!("checkerboard, {}", isa.name()), side, fast, "random scan", scan);
    }
    let chain = Checkerboard::new(model)?;
    let mut state = chain.init(&mut rng);
    let single = rate(chain.updates(), || chain.step(&mut state, &mut rng));
    row("checkerboard, one sweep a call", side, single, "random scan", scan);
    Ok(())
}

/// Cluster updates at the critical temperature: million sites a second that they change (Wolff) or draw (Swendsen–Wang), next to checkerboard
/// sweeps; `peers/clusters_numba.py` has the same two.
fn clusters(side: usize) -> Result<()> {
    let sites = (side * side) as u64;
    let rate = |update| -> Result<f64> {
        let size = Some(Shape(side, side));
        let system = SystemSettings { size, update: Some(update), ..SystemSettings::default() };
        let mut walk = system.walk(SystemData::default(), onsager::critical_temperature(), 3, 0)?;
        // From a random start, until there are clusters of all sizes.
        walk.advance(300);
        let sweeps = (10_000_000 / sites).max(8);
        let mut rates = Vec::new();
        for _ in 0..9 {
            let (changed, start) = (walk.acceptance(), cpu_seconds());
            walk.advance(sweeps);
            let seconds = cpu_seconds() - start;
            let changed =
                walk.acceptance().zip(changed).map(|(after, before)| after.accepted - before.accepted);
            rates.push(changed.unwrap_or(sweeps * sites) as f64 / 1e6 / seconds);
        }
        Ok(median(rates))
    };
    let sweeps = rate(Update::Checkerboard)?;
    row("wolff", side, rate(Update::Wolff)?, "checkerboard", sweeps);
    row("swendsen-wang", side, rate(Update::SwendsenWang)?, "checkerboard", sweeps);
    Ok(())
}

/// Potts and XY models: by random scan, by checkerboard sweeps (Potts), and by clusters (million sites changed or drawn); `peers/spins_numba.py` has the same.
fn potts_and_xy(side: usize) -> Result<()> {
    let size = Some(Shape(side, side));
    let rate_of = |system: &SystemSettings, temperature: f64, steps: u64| -> Result<f64> {
        let mut walk = system.walk(SystemData::default(), temperature, 3, 0)?;
        walk.advance(steps.max(300));
        let mut rates = Vec::new();
        for _ in 0..9 {
            let (changed, start) = (walk.acceptance(), cpu_seconds());
            walk.advance(steps);
            let seconds = cpu_seconds() - start;
            let changed =
                walk.acceptance().zip(changed).map(|(after, before)| after.accepted - before.accepted);
            rates.push(changed.unwrap_or(steps * walk.updates_per_step()) as f64 / 1e6 / seconds);
        }
        Ok(median(rates))
    };
    for states in [3, 10] {
        let potts = SystemSettings {
            model: Some(SystemKind::Potts),
            states: Some(states),
            size,
            ..SystemSettings::default()
        };
        let critical = potts.critical_temperature().unwrap_or(1.0);
        let scan = rate_of(&potts, critical, 2_000_000)?;
        row(&format!("potts, {states} states, random scan"), side, scan, "itself", scan);
        let sweeps = SystemSettings { update: Some(Update::Checkerboard), ..potts.clone() };
        let name = format!("potts, {states} states, checkerboard");
        row(&name, side, rate_of(&sweeps, critical, 500)?, "random scan", scan);
        for (name, update) in CLUSTERS {
            let clusters = SystemSettings { update: Some(update), ..potts.clone() };
            let name = format!("potts, {states} states, {name}");
            row(&name, side, rate_of(&clusters, critical, 100)?, "random scan", scan);
        }
    }
    let xy = SystemSettings { model: Some(SystemKind::Xy), size, ..SystemSettings::default() };
    let scan = rate_of(&xy, 0.9, 2_000_000)?;
    row("xy, heat bath", side, scan, "itself", scan);
    for (name, update) in CLUSTERS {
        let clusters = SystemSettings { update: Some(update), ..xy.clone() };
        row(&format!("xy, {name}"), side, rate_of(&clusters, 0.9, 250)?, "heat bath", scan);
    }
    Ok(())
}

/// A restricted Boltzmann machine: million units drawn a second by one chain and by 64 at once, next to a loop that adds columns and takes an exponential for each unit.
fn boltzmann(shape: (usize, usize), hidden: usize) -> Result<()> {
    let visible = shape.0 * shape.1;
    let units = (visible + hidden) as u64;
    let mut rng = stream(5, Purpose::Synthetic, 0);
    let weights = Mat::from_fn(visible, hidden, |_, _| 0.05 * normal(&mut rng));
    let transposed = weights.transposed();
    let steps = (2_000_000 / units).max(4);
    let mut state: Vec<i8> = (0..visible).map(|_| below(&mut rng, 2) as i8).collect();
    let layer = |columns: &Mat<f64>, from: &[i8], rng: &mut ChaCha8Rng| -> Vec<i8> {
        let mut sum = vec![0.0; columns.rows()];
        for (unit, _) in from.iter().enumerate().filter(|(_, on)| **on != 0) {
            sum.iter_mut().zip(columns.col(unit)).for_each(|(sum, w)| *sum += w);
        }
        sum.into_iter().map(|x: f64| i8::from(uniform(rng) < 1.0 / (1.0 + (-x).exp()))).collect()
    };
    let plain = rate(steps * units, || {
        for _ in 0..steps {
            let hidden = layer(&transposed, &state, &mut rng);
            state = layer(&weights, &hidden, &mut rng);
        }
    });
    let system = SystemSettings {
        model: Some(SystemKind::Rbm),
        size: Some(Shape(shape.0, shape.1)),
        ..SystemSettings::default()
    };
    let data = || SystemData {
        weights: Some((weights.clone(), vec![0.0; visible], vec![0.0; hidden])),
        ..SystemData::default()
    };
    let mut walk = system.walk(data(), 1.0, 5, 0)?;
    let one = rate(steps * units, || walk.advance(steps));
    let name = |chains: usize| format!("rbm, {visible} visible and {hidden} hidden units, chains: {chains}");
    row(&name(1), shape.0, one, "plain loop", plain);
    let mut chains = system.persistent_chains(data(), 1.0, 5, 64)?;
    let few = (steps / 16).max(2);
    let many = rate(few * units * 64, || chains.advance(few));
    row(&name(64), shape.0, many, "plain loop", plain);
    Ok(())
}
