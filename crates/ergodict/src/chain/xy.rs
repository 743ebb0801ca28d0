//! The XY model on a lattice, by random-scan heat bath: the chain whose values are real numbers.
//!
//! | symbol | here | where |
//! |---|---|---|
//! | `Y_t`: the angles `θ` | [`XyState`], with their cosines and sines | docs/maths.md, Chains |
//! | `T`, `J` | `temperature`, `coupling` | as for Ising |
//! | `H(θ) = −J Σ_bonds cos(θ_u − θ_v)` | [`SpinSystem::energy`] | |
//! | `π(θ) ∝ exp(−H(θ)/T)` | kept by [`Chain::step`] | |
//! | `p(θ_v given the rest) ∝ exp(κ cos(θ_v − φ))`, `κe^{iφ} = (J/T) Σ_u e^{iθ_u}` | [`Xy::pull`] | von Mises, drawn by [`turn`] (Best and Fisher 1979) |
//! | vortices by plaquette | `own_observable` | windings of the angle around four sites |
//! | helicity modulus `Υ = −⟨e⟩/2 − ⟨I_x² + I_y²⟩/(2NT)` | [`Derived::HelicityModulus`](super::Derived) | currents `I = J Σ sin(θ_u − θ_v)` over the bonds of a direction |
//!
//! Clusters are updated by reflections, see `cluster/reflection.rs`.

use super::neighborhood::{Around, Neighborhood};
use super::spins::{check_energy, check_temperature};
use super::{Alphabet, Boundary, Chain, Lattice, Observable, SpinSystem};
use crate::rng::{digit, normal, uniform};
use crate::{Error, Result};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;
use std::f64::consts::{PI, TAU};

/// Below this the law of an angle is uniform to rounding, above the other one normal to one part in a million.
const NEARLY_UNIFORM: f64 = 1e-8;
const NEARLY_NORMAL: f64 = 1e6;
/// Below this the first two terms of a series are the envelope to rounding.
const SMALL: f64 = 1e-5;

/// Angles in `[−π, π)`, with their cosines and sines, which follow from them.
///
/// ```
/// use ergodict::chain::{Boundary, Lattice, SpinSystem, Xy};
/// let xy = Xy::new(Lattice::new(1, 2, Boundary::Free)?, 1.0, 1.0)?;
/// let state = xy.state(&[0.5, 7.0])?;
/// assert!(xy.spins(&state)[0] == 0.5 && xy.spins(&state)[1] < 1.0);
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct XyState {
    angles: Vec<f64>,
    vectors: Vec<[f64; 2]>,
}

impl XyState {
    fn new(angles: Vec<f64>) -> Self {
        let vectors = angles.iter().copied().map(vector).collect();
        Self { angles, vectors }
    }

    /// The unit vector of a site.
    #[inline]
    pub(super) fn vector(&self, site: usize) -> [f64; 2] {
        self.vectors[site]
    }

    /// Gives a site another angle.
    #[inline]
    fn set(&mut self, site: usize, angle: f64) {
        let angle = wrap(angle);
        self.angles[site] = angle;
        self.vectors[site] = vector(angle);
    }

    /// Reflects a site in the line that is perpendicular to the direction `phi`.
    #[inline]
    pub(super) fn reflect(&mut self, site: usize, phi: f64) {
        self.set(site, 2.0 * phi + PI - self.angles[site]);
    }
}

#[inline]
fn vector(angle: f64) -> [f64; 2] {
    let (sin, cos) = angle.sin_cos();
    [cos, sin]
}

/// The same angle in `[−π, π)`; one that lies there stays as it is.
#[inline]
fn wrap(angle: f64) -> f64 {
    let wrapped = angle - TAU * ((angle + PI) / TAU).floor();
    // Rounding may end at π or a little below −π.
    if (-PI..PI).contains(&wrapped) { wrapped } else { -PI }
}

/// The chain: a site is chosen uniformly and its angle redrawn, given the neighbors.
///
/// Angles `θ` with energy `H(θ) = −J Σ_bonds cos(θ_u − θ_v)` and law `π(θ) ∝ exp(−H(θ)/T)`.
///
/// ```
/// use ergodict::{chain::{Boundary, Chain, Lattice, SpinSystem, Xy}, rng};
/// let xy = Xy::new(Lattice::new(16, 16, Boundary::Periodic)?, 0.2, 1.0)?;
/// let mut rng = rng::stream(0, rng::Purpose::Chain, 0);
/// let mut state = xy.init(&mut rng);
/// let before = xy.energy(&state);
/// xy.steps(&mut state, 10_000, &mut rng);
/// assert!(xy.energy(&state) < before);
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Xy {
    lattice: Lattice,
    around: Around,
    temperature: f64,
    coupling: f64,
}

impl Xy {
    /// Angles at the sites of `lattice`.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless the temperature is positive, and the coupling finite and not so large that energies can overflow.
    pub fn new(lattice: Lattice, temperature: f64, coupling: f64) -> Result<Self> {
        check_temperature(temperature)?;
        check_energy("the coupling", 2.0 * lattice.sites() as f64 * coupling.abs())?;
        let around = Around::new(lattice, Neighborhood::Four);
        Ok(Self { lattice, around, temperature, coupling })
    }

    /// The coupling over the temperature.
    pub(super) fn strength(&self) -> f64 {
        self.coupling / self.temperature
    }

    /// `κ` and `φ` of the law of a site given its neighbors.
    #[inline]
    fn pull(&self, state: &XyState, row: usize, col: usize) -> (f64, f64) {
        let mut around = [0; 8];
        let count = self.around.gather(row, col, &mut around);
        let mut sum = [0.0; 2];
        for &site in &around[..count] {
            let [x, y] = state.vectors[site];
            sum = [sum[0] + x, sum[1] + y];
        }
        let [x, y] = sum.map(|x| self.coupling * x);
        (x.hypot(y) / self.temperature, y.atan2(x))
    }

    /// Redraws the angle of a site; `sign` says on which side of `φ` it is.
    #[inline]
    fn draw(&self, state: &mut XyState, (row, col): (usize, usize), sign: f64, rng: &mut ChaCha8Rng) {
        let (kappa, phi) = self.pull(state, row, col);
        state.set(row * self.lattice.cols() + col, phi + sign * turn(kappa, rng));
    }

    /// The sum of sines over the bonds to the right and over those down, times the coupling.
    fn currents(&self, state: &XyState) -> [f64; 2] {
        let (rows, cols) = self.lattice.shape();
        let mut sums = [0.0; 2];
        for (site, [x, y]) in state.vectors.iter().enumerate() {
            let (row, col) = (site / cols, site % cols);
            let others = [row * cols + (col + 1) % cols, (row + 1) % rows * cols + col];
            for (sum, other) in sums.iter_mut().zip(others) {
                let [u, v] = state.vectors[other];
                *sum += x * v - y * u;
            }
        }
        sums.map(|sum| self.coupling * sum)
    }

    /// Vortices and antivortices by plaquette; none on a lattice without plaquettes.
    fn vortices(&self, angles: &[f64]) -> Option<f64> {
        let (rows, cols) = self.lattice.shape();
        let beyond = usize::from(self.lattice.boundary() == Boundary::Free);
        let (high, wide) = (rows - beyond, cols - beyond);
        if rows < 2 || cols < 2 {
            return None;
        }
        let mut count = 0.0;
        for row in 0..high {
            let (own, below) = (row * cols, (row + 1) % rows * cols);
            for col in 0..wide {
                let right = (col + 1) % cols;
                let ring = [own + col, own + right, below + right, below + col, own + col];
                let turns: f64 = ring.windows(2).map(|pair| wrap(angles[pair[1]] - angles[pair[0]])).sum();
                count += (turns / TAU).round().abs();
            }
        }
        Some(count / (high * wide) as f64)
    }
}

/// An angle `δ ∈ [0, π]` with density proportional to `exp(κ cos δ)`: that of von Mises without its sign.
#[inline]
fn turn(kappa: f64, rng: &mut ChaCha8Rng) -> f64 {
    if kappa < NEARLY_UNIFORM {
        return PI * uniform(rng);
    }
    if kappa > NEARLY_NORMAL {
        return (normal(rng) / kappa.sqrt()).abs();
    }
    // A wrapped Cauchy law is the envelope.
    let r = if kappa < SMALL {
        1.0 / kappa + kappa
    } else {
        let a = 1.0 + (1.0 + 4.0 * kappa * kappa).sqrt();
        let rho = (a - (2.0 * a).sqrt()) / (2.0 * kappa);
        (1.0 + rho * rho) / (2.0 * rho)
    };
    loop {
        let z = (PI * uniform(rng)).cos();
        let f = (1.0 + r * z) / (r + z);
        let c = kappa * (r - f);
        let u = uniform(rng);
        if c * (2.0 - c) > u || (c / u).ln() + 1.0 >= c {
            return f.clamp(-1.0, 1.0).acos();
        }
    }
}

impl Chain for Xy {
    type State = XyState;
    type Info = ();

    /// Every angle uniformly at random.
    fn init(&self, rng: &mut ChaCha8Rng) -> XyState {
        XyState::new((0..self.lattice.sites()).map(|_| wrap(TAU * uniform(rng) - PI)).collect())
    }

    /// Redraws the angle of one site; row, column and side are the digits of one random word.
    #[inline]
    fn step(&self, state: &mut XyState, rng: &mut ChaCha8Rng) {
        let mut word = rng.next_u64();
        let place = (digit(&mut word, self.lattice.rows()), digit(&mut word, self.lattice.cols()));
        let sign = if word >> 63 == 0 { 1.0 } else { -1.0 };
        self.draw(state, place, sign, rng);
    }
}

impl SpinSystem for Xy {
    type Value = f64;

    fn shape(&self) -> (usize, usize) {
        self.lattice.shape()
    }
    fn lattice(&self) -> Option<Lattice> {
        Some(self.lattice)
    }
    fn alphabet(&self) -> Alphabet {
        Alphabet::Angle
    }
    fn spins<'a>(&self, state: &'a XyState) -> &'a [f64] {
        &state.angles
    }
    fn state(&self, angles: &[f64]) -> Result<XyState> {
        let sites = self.lattice.sites();
        if angles.len() != sites {
            let found = format!("{} values", angles.len());
            return Err(Error::shape("the configuration", found, format!("one for each of {sites} sites")));
        }
        if let Some(site) = angles.iter().position(|angle| !angle.is_finite()) {
            let found = format!("{} (site {site})", angles[site]);
            return Err(Error::parameter("a value of the configuration", found, "angles are finite numbers"));
        }
        Ok(XyState::new(angles.iter().copied().map(wrap).collect()))
    }
    /// `H(θ)`; the bonds of a site with itself, on a torus with a side of 1, add a constant.
    fn energy(&self, state: &XyState) -> f64 {
        let vectors = &state.vectors;
        let dot = |(u, v): (usize, usize)| vectors[u][0] * vectors[v][0] + vectors[u][1] * vectors[v][1];
        -self.coupling * self.lattice.bonds().map(dot).sum::<f64>()
    }
    fn own_observable(&self, state: &XyState, observable: Observable) -> Option<f64> {
        match observable {
            Observable::Vortices => self.vortices(&state.angles),
            Observable::CurrentSquared if self.lattice.boundary() == Boundary::Periodic => {
                let [right, down] = self.currents(state);
                Some((right * right + down * down) / self.lattice.sites() as f64)
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
