//! Bring your own chain: the voter model in thirty lines, and a dictionary learned from its trajectory.
//!
//! `cargo run --release -p ergodict --example own_chain`

use ergodict::Result;
use ergodict::chain::rng::{ChaCha8Rng, below};
use ergodict::chain::{Boundary, Chain, Lattice, Subsampled, Walker, rng};
use ergodict::factor::{Factoriser, Parameters};
use ergodict::linalg::Mat;
use ergodict::patch::{Encoding, SpinGrid, SpinValues, Window};

/// Voters on a lattice; in each step one of them takes the opinion of a neighbour.
struct Voters {
    lattice: Lattice,
}

impl Chain for Voters {
    type State = Vec<i8>;
    /// Whether somebody changed their mind.
    type Info = usize;

    fn init(&self, rng: &mut ChaCha8Rng) -> Vec<i8> {
        (0..self.lattice.sites()).map(|_| below(rng, 2) as i8).collect()
    }

    fn step(&self, opinions: &mut Vec<i8>, rng: &mut ChaCha8Rng) -> usize {
        let voter = below(rng, self.lattice.sites() as u64) as usize;
        let pick = below(rng, 4) as usize;
        let neighbour = self.lattice.neighbours(voter).nth(pick).unwrap_or(voter);
        let changed = opinions[voter] != opinions[neighbour];
        opinions[voter] = opinions[neighbour];
        usize::from(changed)
    }
}

fn main() -> Result<()> {
    let (side, patch, seed) = (64, 8, 0);
    let lattice = Lattice::new(side, side, Boundary::Periodic)?;
    // Every 2000th state; any chain can be seen so.
    let mut walker = Walker::new(Subsampled::new(Voters { lattice }, 2000)?, seed, 0);

    // X = φ(Y): a hundred patches at random places of the state.
    let window = Window { rows: patch, cols: patch, boundary: Boundary::Periodic };
    let encoding = Encoding::new(SpinValues::ZeroOne, ergodict::chain::Alphabet::ZeroOne)?;
    let mut places = rng::stream(seed, rng::Purpose::Patches, 0);

    let mut model = Factoriser::<f64>::random(Parameters::new(12), patch * patch, seed)?;
    let mut x = Mat::zeros(0, 0);
    for _ in 0..300 {
        walker.take(1);
        let grid = SpinGrid { spins: walker.state(), shape: (side, side), encoding: &encoding };
        window.sample(&grid, 100, &mut places, &mut x)?;
        let report = model.step(&x)?;
        if report.t.is_multiple_of(50) {
            println!("step {:3}: surrogate {:.3} per patch", report.t, report.surrogate / 100.0);
        }
    }
    Ok(())
}
