//! The Ising model on a lattice, by random-scan Gibbs sampling: the paper's chain.

use super::rng::{below, uniform};
use super::{Alphabet, Chain, Lattice, SpinSystem};
use crate::{Error, Result};
use rand_chacha::ChaCha8Rng;

/// The external field h.
#[derive(Clone, PartialEq, Debug)]
pub enum Field {
    /// The same at every site.
    Uniform(f64),
    /// One number for each site, row by row.
    Map(Vec<f64>),
}

/// The chain.
#[derive(Clone, Debug)]
pub struct Ising {
    lattice: Lattice,
    temperature: f64,
    coupling: f64,
    field: Field,
}

impl Ising {
    /// SKELETON: to be made fast and checked.
    ///
    /// # Errors
    /// [`Error::Parameter`].
    pub fn new(lattice: Lattice, temperature: f64, coupling: f64, field: Field) -> Result<Self> {
        if !(temperature.is_finite() && temperature > 0.0) {
            return Err(Error::parameter("the temperature", temperature, "it must be a positive number"));
        }
        Ok(Self { lattice, temperature, coupling, field })
    }
}

impl Chain for Ising {
    type State = Vec<i8>;
    type Info = ();

    fn init(&self, rng: &mut ChaCha8Rng) -> Vec<i8> {
        (0..self.lattice.sites()).map(|_| if uniform(rng) < 0.5 { 1 } else { -1 }).collect()
    }

    fn step(&self, state: &mut Vec<i8>, rng: &mut ChaCha8Rng) {
        let site = below(rng, self.lattice.sites() as u64) as usize;
        let sum: f64 = self.lattice.neighbours(site).map(|u| f64::from(state[u])).sum();
        let field = match &self.field {
            Field::Uniform(h) => *h,
            Field::Map(h) => h[site],
        };
        let p = 1.0 / (1.0 + (-2.0 / self.temperature * (self.coupling * sum + field)).exp());
        state[site] = if uniform(rng) < p { 1 } else { -1 };
    }
}

impl SpinSystem for Ising {
    fn shape(&self) -> (usize, usize) {
        self.lattice.shape()
    }
    fn lattice(&self) -> Option<Lattice> {
        Some(self.lattice)
    }
    fn alphabet(&self) -> Alphabet {
        Alphabet::PlusMinus
    }
    fn spins<'a>(&self, state: &'a Vec<i8>) -> &'a [i8] {
        state
    }
    fn state(&self, spins: &[i8]) -> Result<Vec<i8>> {
        Ok(spins.to_vec())
    }
    fn energy(&self, state: &Vec<i8>) -> f64 {
        let bonds: f64 = self.lattice.bonds().map(|(u, v)| f64::from(state[u]) * f64::from(state[v])).sum();
        -self.coupling * bonds
    }
}
