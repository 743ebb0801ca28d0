//! The Ising model on a lattice, by random-scan Gibbs sampling: the paper's chain.
//!
//! | symbol | here | where |
//! |---|---|---|
//! | `x(v)` | spins ±1, row by row | Section "Ising model" of the paper, docs/maths.md, Chains |
//! | `T`, `h` | `temperature`, `field` | the same |
//! | `J` | `coupling` (1 in the paper) | the energy below |
//! | `P(x(v) = +1 \| rest)` | `Ising::threshold`, as `p·2⁶⁴` | docs/maths.md, Chains |
//!
//! The energy is `H(x) = −J Σ_bonds x(u)x(v) − Σ_v h(v)x(v)` and the stationary law `π ∝ exp(−H/T)`. One update draws a
//! site uniformly and its spin from its law given the others, `P(+1) = 1/(1 + exp(−(2/T)(J Σ_{u∼v} x(u) + h(v))))`.
//! The paper prints the opposite sign inside exp, which is the antiferromagnet (`J < 0` here).
//!
//! An update takes one random 64-bit word: the high half of `word·sites` is the site, the low half is compared with
//! a threshold `p·2⁶⁴` that depends on the sum of the neighbors. No probability is off by more than `sites/2⁶⁴`.

use super::cluster::{Bonds, ClusterModel, ClusterSizes};
use super::heat_bath::{Levels, for_each_word, split, threshold};
use super::spins::{check_energy, check_temperature};
use super::{Alphabet, Boundary, Chain, Lattice, SpinSystem, ising_scan};
use crate::linalg::Isa;
use crate::{Error, Result};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;

/// The external field h.
///
/// ```
/// use ergodict::chain::{Boundary, Field, Ising, Lattice, SpinSystem};
/// let lattice = Lattice::new(1, 2, Boundary::Free)?;
/// let ising = Ising::new(lattice, 1.0, 1.0, Field::Map(vec![0.0, 3.0]))?;
/// assert_eq!(ising.energy(&vec![1, 1]), -1.0 - 3.0); // of the bond, and of the field at the second site
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub enum Field {
    /// The same at every site.
    Uniform(f64),
    /// One number for each site, row by row.
    Map(Vec<f64>),
}

/// Thresholds by the sum of the neighbors, from −4 to 4.
pub(super) type Thresholds = [u64; 9];

/// The Ising model; a step is one update of one site.
///
/// Spins ±1 with energy `H(x) = −J Σ_bonds x(u)x(v) − Σ_v h(v)x(v)` and law `π(x) ∝ exp(−H(x)/T)`. A step draws a site `v` uniformly and its spin
/// given the others: `P(x(v) = +1) = 1/(1 + exp(−(2/T)(J Σ_{u∼v} x(u) + h(v))))`.
///
/// ```
/// use ergodict::{chain::{Boundary, Chain, Field, Ising, Lattice, SpinSystem}, rng};
/// let lattice = Lattice::new(20, 30, Boundary::Periodic)?;
/// let ising = Ising::new(lattice, 2.26, 1.0, Field::Uniform(0.0))?;
/// let mut rng = rng::stream(0, rng::Purpose::Chain, 0);
/// let mut state = ising.init(&mut rng);
/// ising.steps(&mut state, 100_000, &mut rng);
/// assert!(ising.energy(&state) >= -1200.0);
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Ising {
    lattice: Lattice,
    temperature: f64,
    coupling: f64,
    field: Field,
    levels: Levels,
    /// One table for each value of the field.
    tables: Vec<Thresholds>,
}

impl Ising {
    /// The model at a temperature, with a coupling J (negative: antiferromagnet) and a field.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a temperature that is not a positive number, a coupling or field that is not finite or so
    /// large that energies can overflow;
    /// [`Error::Shape`] for a field map of another size than the lattice.
    pub fn new(lattice: Lattice, temperature: f64, coupling: f64, field: Field) -> Result<Self> {
        check_temperature(temperature)?;
        if !coupling.is_finite() {
            return Err(Error::parameter("the coupling", coupling, "it must be finite"));
        }
        let levels = Levels::new(&field, lattice.sites())?;
        let sites = lattice.sites() as f64;
        check_energy("coupling and field", 2.0 * sites * coupling.abs() + levels.most_work(lattice.sites()))?;
        let table = |h: &f64| {
            std::array::from_fn(|k| threshold(2.0 * (coupling * (k as f64 - 4.0) + h) / temperature))
        };
        let tables = levels.values.iter().map(table).collect();
        Ok(Self { lattice, temperature, coupling, field, levels, tables })
    }

    /// The lattice.
    pub(super) fn on(&self) -> Lattice {
        self.lattice
    }

    /// The temperature T.
    pub fn temperature(&self) -> f64 {
        self.temperature
    }

    /// The coupling J.
    pub fn coupling(&self) -> f64 {
        self.coupling
    }

    /// The field h.
    pub fn field(&self) -> &Field {
        &self.field
    }

    /// The probability with which the sampler makes a site +1 when its neighbors, itself not counted, sum to
    /// `neighbors`: the 64-bit threshold it compares with, as a number. NaN for sums that four neighbors cannot have.
    #[cfg(test)]
    pub(crate) fn probability_plus(&self, site: usize, neighbors: i32) -> f64 {
        let table = &self.tables[self.levels.index(site)];
        usize::try_from(neighbors + 4)
            .ok()
            .and_then(|k| table.get(k))
            .map_or(f64::NAN, |t| super::heat_bath::probability(*t))
    }

    /// The sum of the spins next to a site. On a torus with a side of 1 a site is its own neighbor; that bond is a
    /// constant of the energy and has no part in the site's law.
    #[inline]
    pub(crate) fn neighbor_sum(&self, spins: &[i8], site: usize) -> i32 {
        let (rows, cols) = self.lattice.shape();
        let wrap = self.lattice.boundary() == Boundary::Periodic;
        // There are at most 2³¹ sites, and narrow divisions are faster.
        let (row, col) = ((site as u32 / cols as u32) as usize, (site as u32 % cols as u32) as usize);
        // One side of the site along a direction: the spin one step on, or else that at the other end.
        let side = |on: bool, next: usize, end: usize| match (on, wrap) {
            (true, _) => i32::from(spins[next]),
            (false, true) => i32::from(spins[end]),
            (false, false) => 0,
        };
        let mut sum = 0;
        if rows > 1 {
            let (across, last) = ((rows - 1) * cols, rows - 1);
            sum += side(row > 0, site.wrapping_sub(cols), site + across);
            sum += side(row < last, site + cols, site.wrapping_sub(across));
        }
        if cols > 1 {
            sum += side(col > 0, site.wrapping_sub(1), site + cols - 1);
            sum += side(col + 1 < cols, site + 1, (site + 1).wrapping_sub(cols));
        }
        sum
    }

    /// The threshold of a site, of which the sum of neighbors is between −4 and 4.
    #[inline(always)]
    pub(super) fn threshold(&self, site: usize, neighbors: i32) -> u64 {
        self.tables[self.levels.index(site)][(neighbors + 4) as usize]
    }

    /// The thresholds of all sites, where they have the same field.
    pub(super) fn uniform_thresholds(&self) -> Option<&Thresholds> {
        self.levels.uniform().then(|| &self.tables[0])
    }

    /// One update by one random word.
    #[inline(always)]
    pub(super) fn update(&self, spins: &mut [i8], word: u64) {
        let (site, rest) = split(word, self.lattice.sites() as u64);
        let site = site as usize;
        let plus = rest < self.threshold(site, self.neighbor_sum(spins, site));
        spins[site] = if plus { 1 } else { -1 };
    }
}

impl Chain for Ising {
    type State = Vec<i8>;
    type Info = ();

    /// Every spin is + or − with probability 1/2.
    fn init(&self, rng: &mut ChaCha8Rng) -> Vec<i8> {
        let mut spins = Vec::with_capacity(self.lattice.sites());
        for_each_word(self.lattice.sites() as u64, rng, |word| {
            spins.push(if word >> 63 == 1 { 1 } else { -1 });
        });
        spins
    }

    fn step(&self, state: &mut Vec<i8>, rng: &mut ChaCha8Rng) {
        self.update(state, rng.next_u64());
    }

    fn steps(&self, state: &mut Vec<i8>, count: u64, rng: &mut ChaCha8Rng) {
        match self.uniform_thresholds() {
            Some(thresholds) => {
                ising_scan::updates(self, thresholds, state, count, rng, Isa::detect());
            }
            None => for_each_word(count, rng, |word| self.update(state, word)),
        }
    }
}

impl SpinSystem for Ising {
    type Value = i8;

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
        self.alphabet().check(spins, self.lattice.sites())?;
        Ok(spins.to_vec())
    }
    fn energy(&self, state: &Vec<i8>) -> f64 {
        let bonds = self.lattice.over_bonds(state, |x, y| i32::from(x * y));
        -self.coupling * bonds as f64 - self.levels.work(state)
    }
    fn bond_clusters(&self, state: &Vec<i8>, rng: &mut ChaCha8Rng) -> Option<ClusterSizes> {
        Some(self.bonds().ok()?.clusters(state, rng).sizes())
    }
}

impl ClusterModel for Ising {
    fn bonds(&self) -> Result<Bonds> {
        Ok(Bonds::of_lattice(self.lattice, 2.0 * self.coupling / self.temperature))
    }
    fn pull(&self, site: usize) -> f64 {
        self.levels.value(site) / self.temperature
    }
    fn has_field(&self) -> bool {
        !self.levels.is_zero()
    }
}

#[cfg(test)]
mod exact_tests;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, stream};

    #[test]
    fn energy_is_the_sum_over_bonds_and_sites() {
        let mut rng = stream(1, Purpose::Chain, 0);
        for (rows, cols) in [(1, 1), (1, 2), (1, 5), (4, 1), (2, 2), (2, 3), (3, 3), (4, 7)] {
            for boundary in [Boundary::Periodic, Boundary::Free] {
                let lattice = Lattice::new(rows, cols, boundary).unwrap();
                let map: Vec<f64> = (0..rows * cols).map(|v| v as f64 - 3.0).collect();
                let ising = Ising::new(lattice, 1.0, -0.5, Field::Map(map.clone())).unwrap();
                for _ in 0..10 {
                    let spins = ising.init(&mut rng);
                    for site in 0..rows * cols {
                        let others = lattice.neighbors(site).filter(|u| *u != site);
                        let sum: i32 = others.map(|u| i32::from(spins[u])).sum();
                        assert_eq!(ising.neighbor_sum(&spins, site), sum, "{rows}×{cols} {boundary:?}");
                    }
                    let x: Vec<f64> = spins.iter().map(|x| f64::from(*x)).collect();
                    let bonds: f64 = lattice.bonds().map(|(u, v)| x[u] * x[v]).sum();
                    let field: f64 = map.iter().zip(&x).map(|(h, x)| h * x).sum();
                    assert_eq!(ising.energy(&spins), 0.5 * bonds - field, "{rows}×{cols} {boundary:?}");
                }
            }
        }
        let ising = |boundary| {
            Ising::new(Lattice::new(3, 3, boundary).unwrap(), 1.0, 2.0, Field::Uniform(0.25)).unwrap()
        };
        assert_eq!(ising(Boundary::Periodic).energy(&vec![1; 9]), -2.0 * 18.0 - 9.0 * 0.25);
        assert_eq!(ising(Boundary::Free).energy(&vec![-1; 9]), -2.0 * 12.0 + 9.0 * 0.25);
    }

    #[test]
    fn bad_parameters_and_states_are_refused() {
        let lattice = Lattice::new(2, 3, Boundary::Free).unwrap();
        let refuse = |temperature, coupling, field| {
            Ising::new(lattice, temperature, coupling, field).unwrap_err().to_string()
        };
        for temperature in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(refuse(temperature, 1.0, Field::Uniform(0.0)).contains("the temperature"));
        }
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(refuse(1.0, bad, Field::Uniform(0.0)).contains("the coupling"));
            assert!(refuse(1.0, 1.0, Field::Uniform(bad)).contains("the field"));
            assert!(refuse(1.0, 1.0, Field::Map(vec![0.0, 0.0, bad, 0.0, 0.0, 0.0])).contains("site 2"));
        }
        assert!(refuse(1.0, -1e308, Field::Uniform(1e308)).contains("energies must be finite"));
        let wrong = refuse(1.0, 1.0, Field::Map(vec![0.0; 5]));
        assert!(wrong.contains("5 numbers") && wrong.contains("6 sites"), "{wrong}");
        let ising = Ising::new(lattice, 1.0, 1.0, Field::Uniform(0.0)).unwrap();
        assert!(ising.state(&[1, -1, 1, 1, 1, 1]).is_ok());
        assert!(ising.state(&[1, -1, 1]).unwrap_err().to_string().contains("3 values"));
        assert!(ising.state(&[1, -1, 0, 1, 1, 1]).unwrap_err().to_string().contains("site 2"));
        assert!(ising.state(&[1, -1, -128, 1, 1, 1]).is_err());
        assert!(ising.probability_plus(0, 5).is_nan() && ising.probability_plus(0, -5).is_nan());
    }

    #[test]
    fn extreme_temperatures_and_fields_have_their_limits() {
        let lattice = Lattice::new(4, 4, Boundary::Periodic).unwrap();
        let cold = Ising::new(lattice, f64::MIN_POSITIVE, 1.0, Field::Uniform(0.0)).unwrap();
        assert_eq!([-2, 0, 2].map(|sum| cold.probability_plus(0, sum)), [0.0, 0.5, 1.0]);
        let hot = Ising::new(lattice, f64::MAX, 1.0, Field::Uniform(0.0)).unwrap();
        assert_eq!(hot.probability_plus(0, 4), 0.5);
        let pulled = Ising::new(lattice, 1.0, -1e306, Field::Uniform(1e306)).unwrap();
        assert_eq!([-4, 4].map(|sum| pulled.probability_plus(0, sum)), [1.0, 0.0]);
    }
}
