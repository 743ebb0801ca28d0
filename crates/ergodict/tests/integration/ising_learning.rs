//! The paper's figure in small: more of a dependent trajectory makes a better dictionary, at and above the critical
//! temperature.

use ergodict::chain::{Alphabet, Boundary, Field, Ising, Lattice, SpinWalk, Walker};
use ergodict::factor::{FactorSettings, Factorizer};
use ergodict::linalg::Mat;
use ergodict::patch::{Encoding, SpinGrid, SpinValues, Window};
use ergodict::rng::{Purpose, stream};

const SIDE: usize = 60;
const PATCH: usize = 8;
const UPDATES: u64 = 500_000;
/// Updates until the mean over what follows is that of the law and not of the random start.
const BURN_IN: u64 = 1_000_000;
const PATCHES: usize = 500;

/// The final surrogate per patch, for a subsampling epoch.
fn surrogate(temperature: f64, every: u64, seed: u64) -> f64 {
    let lattice = Lattice::new(SIDE, SIDE, Boundary::Periodic).unwrap();
    let ising = Ising::new(lattice, temperature, 1.0, Field::Uniform(0.0)).unwrap();
    let mut walker = Walker::new(ising, seed, 0);
    let mut places = stream(seed, Purpose::Patches, 0);
    let window = Window { rows: PATCH, cols: PATCH, boundary: Boundary::Periodic };
    let encoding = Encoding::new(SpinValues::ZeroOne, Alphabet::PlusMinus).unwrap();
    let mut model = Factorizer::<f64>::random(FactorSettings::new(16), PATCH * PATCH, seed).unwrap();
    let mut x = Mat::zeros(0, 0);
    walker.advance(BURN_IN);
    for _ in 0..UPDATES / every {
        walker.advance(every);
        let grid = SpinGrid { spins: walker.spins(), shape: (SIDE, SIDE), encoding: &encoding };
        window.sample(&grid, PATCHES, &mut places, &mut x).unwrap();
        model.step(&x).unwrap();
    }
    model.aggregates().per_sample(model.surrogate())
}

#[test]
fn the_shortest_epoch_ends_lowest_at_and_above_the_critical_temperature() {
    for (temperature, seed) in [(2.26, 0), (5.0, 1)] {
        // With seeds 0 to 15 the first was the lowest at both temperatures, by 0.01 to 0.17; the other two were in order
        // in 31 of 32.
        let losses = [1_000, 10_000, 50_000].map(|every| surrogate(temperature, every, seed));
        assert!(losses[0] < losses[1] && losses[0] < losses[2], "T = {temperature}, seed {seed}: {losses:?}");
    }
}
