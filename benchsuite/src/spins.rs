//! Benchmarks of the Ising chains: million updates a second, and the ratio to the plain loop in the same run.

use crate::clock::{cpu_seconds, median, median_ms};
use anyhow::Result;
use ergodict::chain::{
    Boundary, Chain, Checkerboard, Field, Ising, Lattice, SpinSystem, SystemData, SystemSettings, Update,
    onsager,
};
use ergodict::linalg::Isa;
use ergodict::rng::{Purpose, stream, uniform};
use ergodict::text::Shape;

/// The temperature of all runs but where another is said.
const TEMPERATURE: f64 = 2.26;

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

/// Cluster updates at the critical temperature: million sites a second that they change (Wolff) or draw (Swendsen–Wang), beside checkerboard
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
