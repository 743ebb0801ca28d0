//! The setting: six pictures, how often each is seen, and four chains that show them with exactly these frequencies.

use anyhow::Result;
use ergodict::chain::FiniteChain;
use ergodict::factor::{FactorSettings, Schedule};
use ergodict::linalg::Mat;

pub(super) const SIDE: usize = 8;
pub(super) const FEATURES: usize = SIDE * SIDE;
/// Pictures, which are the states of the chains.
pub(super) const STATES: usize = 6;
/// Half as many atoms as pictures, so that no dictionary has them all.
pub(super) const ATOMS: usize = 3;
/// The stationary law of all chains. The first three pictures are one half, the last three the other: either has probability 1/2.
pub(super) const LAW: [f64; STATES] = [0.2, 0.1, 0.2, 0.1, 0.25, 0.15];
/// With λ this large old codes fade as 1/t here: the smaller λ is, the more codes can make up for a change of atoms, and the
/// slower they fade.
pub(super) const LAMBDA: f64 = 1.0;
/// Both above zero, so that (C1) and (C2) hold whatever the chain does; small next to the eigenvalues of A, which are about 1.
pub(super) const KAPPA1: f64 = 1e-3;
pub(super) const KAPPA2: f64 = 1e-2;

/// A matrix over states.
pub(super) type Square = [[f64; STATES]; STATES];

/// What is read off the size of a run.
#[derive(Clone, Copy)]
pub(super) struct Size {
    /// Steps of each chain.
    pub(super) steps: u64,
    /// Runs of each case, which differ in the trajectory and in the first dictionary.
    pub(super) runs: u64,
    /// Mean number of steps after which the sticky chain draws a new picture.
    pub(super) stay: u64,
    /// Subsampling keeps one state in this number.
    pub(super) keep: u64,
}

impl Size {
    pub(super) fn new(quick: bool) -> Self {
        if quick {
            Self { steps: 2048, runs: 8, stay: 8, keep: 16 }
        } else {
            Self { steps: 20_480, runs: 16, stay: 32, keep: 64 }
        }
    }

    /// The sticky chain's correlation from one state to the next, the same for whatever is observed: 1 less its spectral gap.
    pub(super) fn correlation(self) -> f64 {
        1.0 - 1.0 / self.stay as f64
    }

    /// How many states in a row of the sticky chain say as much as one independent one: `(1+ρ)/(1−ρ)`.
    pub(super) fn memory(self) -> f64 {
        memory(self.correlation())
    }

    /// The same for the states that subsampling keeps.
    pub(super) fn kept_memory(self) -> f64 {
        memory(self.correlation().powf(self.keep as f64))
    }
}

fn memory(correlation: f64) -> f64 {
    (1.0 + correlation) / (1.0 - correlation)
}

/// How one picture follows another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Movement {
    /// Drawn from the law, whatever came before.
    Independent,
    /// The same again, but for one step in [`Size::stay`], which draws from the law.
    Sticky,
    /// From the law within the other half: irreducible, with period 2.
    InTurn,
    /// From the law within the same half: reducible.
    Apart,
}

impl Movement {
    /// Transition probabilities.
    pub(super) fn rows(self, size: Size) -> Square {
        let half = |y: usize| y / (STATES / 2);
        let new = 1.0 / size.stay as f64;
        std::array::from_fn(|i| {
            std::array::from_fn(|j| match self {
                Self::Independent => LAW[j],
                Self::Sticky => new * LAW[j] + (1.0 - new) * f64::from(u8::from(i == j)),
                Self::InTurn => 2.0 * LAW[j] * f64::from(u8::from(half(i) != half(j))),
                Self::Apart => 2.0 * LAW[j] * f64::from(u8::from(half(i) == half(j))),
            })
        })
    }

    /// The chain.
    pub(super) fn chain(self, size: Size) -> Result<FiniteChain> {
        Ok(FiniteChain::new(&self.rows(size).map(|row| row.to_vec()))?)
    }
}

/// Which half of the pictures a state is in.
pub(super) fn half(state: usize) -> usize {
    state / (STATES / 2)
}

/// The three shapes, a column each.
pub(super) fn shapes() -> Mat<f64> {
    let on = |i: usize, k: usize| {
        let (row, column) = (i / SIDE, i % SIDE);
        match k {
            0 => row <= 2 && column <= 2,
            1 => row <= 2 && column >= 5,
            _ => row >= 5 && (2..=5).contains(&column),
        }
    };
    Mat::from_fn(FEATURES, ATOMS, |i, k| f64::from(u8::from(on(i, k))))
}

/// The pictures, a column each: picture `y` is shape `y mod 3` and something of its own, so that an atom has to serve two that differ.
/// The rarer one of a pair has more of its own, so that losses differ from picture to picture.
pub(super) fn pictures() -> Mat<f64> {
    let shapes = shapes();
    let own = |i: usize, y: usize| {
        let (row, column) = (i / SIDE, i % SIDE);
        match y {
            0 => row == 3 && column == 0,
            1 => (3..=5).contains(&row) && column >= 6,
            2 => row == 5 && column == 1,
            3 => (3..=6).contains(&row) && column <= 1,
            4 => row == 3 && column == 7,
            _ => (row >= 6 && column == 0) || (row == 7 && column >= 6),
        }
    };
    Mat::from_fn(FEATURES, STATES, |i, y| shapes.get(i, y % ATOMS) + f64::from(u8::from(own(i, y))))
}

/// The parameters of every run. The minimizer of the surrogate is found to rounding, as the theorem supposes.
pub(super) fn parameters(schedule: Schedule) -> FactorSettings {
    FactorSettings {
        lambda: LAMBDA,
        kappa1: KAPPA1,
        kappa2: KAPPA2,
        schedule,
        ..FactorSettings::exact(ATOMS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_chain_has_the_law_and_only_the_reducible_one_has_others() {
        let size = Size::new(false);
        for movement in [Movement::Independent, Movement::Sticky, Movement::InTurn, Movement::Apart] {
            let rows = movement.rows(size);
            for j in 0..STATES {
                let next: f64 = (0..STATES).map(|i| LAW[i] * rows[i][j]).sum();
                assert!((next - LAW[j]).abs() < 1e-15, "{movement:?}");
            }
            if movement == Movement::Apart {
                continue;
            }
            let found = movement.chain(size).unwrap().stationary();
            assert!(found.iter().zip(LAW).all(|(p, q)| (p - q).abs() < 1e-12), "{movement:?}: {found:?}");
        }
    }

    #[test]
    fn the_sticky_chain_remembers_for_as_long_as_it_says() {
        assert!((Size::new(false).memory() - 63.0).abs() < 1e-9);
        assert!((Size::new(true).memory() - 15.0).abs() < 1e-9);
        let kept = Size::new(false);
        let far = (31f64 / 32.0).powi(64);
        assert!((kept.kept_memory() - (1.0 + far) / (1.0 - far)).abs() < 1e-12);
    }
}
