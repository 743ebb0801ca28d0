//! What is run: the paper's lattice, epochs and patches, or small ones; and the chain itself.

use anyhow::Result;
use ergodict::chain::{Alphabet, Boundary, Field, Ising, Lattice, Walker};
use ergodict::patch::{Encoding, PatchKind, SpinCutter, SpinValues, Window};
use ergodict_terminal::interrupt;
use serde_json::{Value, json};

/// Below, near and above the critical temperature.
pub(super) const TEMPERATURES: [f64; 3] = [0.5, 2.26, 5.0];

/// Updates before Ctrl-C is listened to again: some milliseconds.
const PIECE: u64 = 1_000_000;

/// Sizes of it all.
pub(super) struct Setting {
    /// Rows and columns of the lattice.
    pub(super) side: usize,
    /// Updates of single spins.
    pub(super) updates: u64,
    /// Updates between kept configurations, ascending; each divides the tenth part of all.
    pub(super) epochs: &'static [u64],
    pub(super) patch: usize,
    pub(super) patches: usize,
    pub(super) atoms: usize,
    /// Minibatches of the dictionary of one configuration.
    pub(super) fixed: u64,
    /// Other chains whose configurations are held out, and patches from each of those.
    pub(super) chains: u64,
    pub(super) held_out: usize,
}

/// As in the paper: the dictionary of one configuration has as many minibatches as that of τ = 10⁴.
pub(super) const PAPER: Setting = Setting {
    side: 200,
    updates: 5_000_000,
    epochs: &[1000, 10_000, 100_000, 500_000],
    patch: 20,
    patches: 1000,
    atoms: 100,
    fixed: 500,
    chains: 10,
    held_out: 20,
};

/// As many sweeps over the lattice as the paper's, 125, and the longest τ of as many, 12.5.
pub(super) const QUICK: Setting = Setting {
    side: 40,
    updates: 200_000,
    epochs: &[1000, 20_000],
    patch: 8,
    patches: 100,
    atoms: 16,
    fixed: 200,
    chains: 6,
    held_out: 20,
};

impl Setting {
    /// All that the outcome of a piece of work depends on, but for the seed.
    pub(super) fn json(&self, temperature: f64, what: &Value) -> Value {
        let Self { side, updates, epochs, patch, patches, atoms, fixed, chains, held_out } = self;
        json!({
            "temperature": temperature, "every": what, "side": side, "updates": updates, "epochs": epochs, "patch": patch,
            "patches": patches, "atoms": atoms, "fixed": fixed, "chains": chains, "held_out": held_out,
        })
    }

    pub(super) fn shape(&self) -> (usize, usize) {
        (self.side, self.side)
    }

    /// What atoms are: patches on the torus, 0 for −1.
    pub(super) fn kind(&self) -> PatchKind {
        let window = Window { rows: self.patch, cols: self.patch, boundary: Boundary::Periodic };
        PatchKind { window, channels: 1, spins: Some((SpinValues::ZeroOne, Alphabet::PlusMinus)) }
    }

    pub(super) fn encoding() -> Result<Encoding> {
        Ok(Encoding::new(SpinValues::ZeroOne, Alphabet::PlusMinus)?)
    }

    /// The chain at its start; stream 0 is learned from, others are held out.
    pub(super) fn walker(&self, temperature: f64, seed: u64, id: u64) -> Result<Walker<Ising>> {
        let lattice = Lattice::new(self.side, self.side, Boundary::Periodic)?;
        Ok(Walker::new(Ising::new(lattice, temperature, 1.0, Field::Uniform(0.0))?, seed, id))
    }

    /// What cuts patches at places from a stream of the seed.
    pub(super) fn cutter(&self, seed: u64, id: u64) -> Result<SpinCutter> {
        Ok(SpinCutter::new(self.kind().window, Self::encoding()?, None, seed, id))
    }

    /// The last configuration of the trajectory, simulated again; none when interrupted.
    pub(super) fn last(&self, temperature: f64, seed: u64) -> Result<Option<Vec<i8>>> {
        let mut walker = self.walker(temperature, seed, 0)?;
        Ok(advance(&mut walker, self.updates).then(|| walker.spins().to_vec()))
    }
}

/// Goes on to `step`; false when someone asked to stop.
pub(super) fn advance(walker: &mut Walker<Ising>, step: u64) -> bool {
    while walker.steps() < step && !interrupt::asked() {
        walker.take((step - walker.steps()).min(PIECE));
    }
    walker.steps() >= step
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn epochs_meet_at_every_tenth() {
        for setting in [&PAPER, &QUICK] {
            assert!(setting.epochs.is_sorted());
            assert!(setting.epochs.iter().all(|every| (setting.updates / 10).is_multiple_of(*every)));
        }
    }
}
