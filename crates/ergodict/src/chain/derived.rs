//! Quantities that are functions of the means of several observables: susceptibility, specific heat, Binder cumulant, correlation length.
//!
//! | quantity | from means | here |
//! |---|---|---|
//! | susceptibility | `N(⟨m²⟩ − ⟨\|m\|⟩²)/T` | [`Derived::Susceptibility`] |
//! | specific heat by site | `N(⟨e²⟩ − ⟨e⟩²)/T²` | [`Derived::SpecificHeat`] |
//! | Binder cumulant | `1 − ⟨m⁴⟩/(3⟨m²⟩²)` | [`Derived::Binder`] |
//! | helicity modulus of angles | `−⟨e⟩/2 − ⟨c²⟩/(2T)`, `c²` the squared current by site | [`Derived::HelicityModulus`] |
//! | second-moment correlation length | `√(⟨S(0)⟩/⟨S(k)⟩ − 1)/(2 sin(π/L))`, `k = 2π/L` | [`Derived::CorrelationLength`] |
//!
//! Their errors are those of the linearized quantity, `y_t = f(ā) + Σ_i ∂_i f(ā) (a_{i,t} − ā_i)` (Wolff 2004): a series like that of any observable, whose
//! mean is `f(ā)` and whose autocorrelation and convergence are looked at like that of others. No length of blocks has to be chosen, as for the jackknife.

use super::observables::unknown;
use super::{Boundary, Lattice, Observable};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A function of the means of observables.
///
/// ```
/// use ergodict::chain::{Derived, Observable};
/// assert_eq!(Derived::SpecificHeat.needs(), [Observable::Energy, Observable::EnergySquared]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Derived {
    /// `N(⟨m²⟩ − ⟨|m|⟩²)/T`.
    Susceptibility,
    /// `N(⟨e²⟩ − ⟨e⟩²)/T²`.
    SpecificHeat,
    /// `1 − ⟨m⁴⟩/(3⟨m²⟩²)`: 2/3 where all spins agree, where they are independent 0 of Ising spins and 1/3 of angles.
    Binder,
    /// From the structure factors of a periodic lattice, in sites.
    CorrelationLength,
    /// The stiffness of angles on a periodic lattice against a twist, the mean over both directions: `−⟨e⟩/2 − ⟨c²⟩/(2T)`.
    HelicityModulus,
}

/// What the values of derived quantities depend on besides the observables.
///
/// ```
/// use ergodict::chain::{Boundary, Lattice, SampledSystem};
/// let lattice = Lattice::new(16, 16, Boundary::Periodic)?;
/// assert_eq!(SampledSystem { sites: 256, temperature: 2.3, lattice: Some(lattice) }.sites, 256);
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SampledSystem {
    /// Number of sites, N.
    pub sites: usize,
    /// The temperature, T.
    pub temperature: f64,
    /// The lattice, if it is on one.
    pub lattice: Option<Lattice>,
}

impl Derived {
    /// All there are.
    pub(crate) const ALL: [Self; 5] = [
        Self::Susceptibility,
        Self::SpecificHeat,
        Self::Binder,
        Self::CorrelationLength,
        Self::HelicityModulus,
    ];

    /// The observables whose means it is made from, in the order of its derivatives.
    pub fn needs(self) -> &'static [Observable] {
        match self {
            Self::Susceptibility => &[Observable::AbsMagnetization, Observable::MagnetizationSquared],
            Self::SpecificHeat => &[Observable::Energy, Observable::EnergySquared],
            Self::Binder => &[Observable::MagnetizationSquared, Observable::MagnetizationFourth],
            Self::CorrelationLength => &[Observable::StructureZero, Observable::StructureFirst],
            Self::HelicityModulus => &[Observable::Energy, Observable::CurrentSquared],
        }
    }

    /// Its value at these means, and its derivatives there.
    fn expand(self, a: f64, b: f64, system: &SampledSystem) -> (f64, [f64; 2]) {
        let (sites, t) = (system.sites as f64, system.temperature);
        match self {
            Self::Susceptibility => {
                let scale = sites / t;
                (scale * (b - a * a), [-2.0 * scale * a, scale])
            }
            Self::SpecificHeat => {
                let scale = sites / (t * t);
                (scale * (b - a * a), [-2.0 * scale * a, scale])
            }
            Self::HelicityModulus => (-a / 2.0 - b / (2.0 * t), [-0.5, -0.5 / t]),
            Self::Binder => (1.0 - b / (3.0 * a * a), [2.0 * b / (3.0 * a * a * a), -1.0 / (3.0 * a * a)]),
            Self::CorrelationLength => {
                let side = system.lattice.map_or(0, |lattice| lattice.rows().max(lattice.cols()));
                let scale = 0.5 / (std::f64::consts::PI / side as f64).sin();
                let root = (a / b - 1.0).sqrt();
                (scale * root, [scale / (2.0 * root * b), -scale * a / (2.0 * root * b * b)])
            }
        }
    }

    /// The linearized series of each chain, from those of the observables that it [needs](Self::needs), a pair for each chain: its mean is the value. NaN
    /// where the value is not a number.
    ///
    /// ```
    /// use ergodict::chain::{Derived, SampledSystem};
    /// let (energy, squared) = (vec![1.0, 3.0], vec![1.0, 9.0]);
    /// let system = SampledSystem { sites: 10, temperature: 2.0, lattice: None };
    /// let series = Derived::SpecificHeat.linearize(&[[&energy, &squared]], &system);
    /// assert_eq!(series[0].iter().sum::<f64>() / 2.0, 10.0 * (5.0 - 4.0) / 4.0);
    /// ```
    pub fn linearize(self, chains: &[[&[f64]; 2]], system: &SampledSystem) -> Vec<Vec<f64>> {
        let length = chains.iter().flatten().map(|series| series.len()).min().unwrap_or(0);
        let mean = |k: usize| {
            let sum: f64 = chains.iter().map(|chain| chain[k][..length].iter().sum::<f64>()).sum();
            sum / (length * chains.len()) as f64
        };
        let (a, b) = (mean(0), mean(1));
        let (value, [da, db]) = self.expand(a, b, system);
        let one = |chain: &[&[f64]; 2]| {
            let pairs = chain[0][..length].iter().zip(&chain[1][..length]);
            pairs.map(|(x, y)| value + da * (x - a) + db * (y - b)).collect()
        };
        chains.iter().map(one).collect()
    }
}

impl fmt::Display for Derived {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Susceptibility => "susceptibility",
            Self::SpecificHeat => "specific-heat",
            Self::Binder => "binder",
            Self::CorrelationLength => "correlation-length",
            Self::HelicityModulus => "helicity-modulus",
        })
    }
}

/// What is estimated from a chain: the mean of an observable, or a function of several means.
///
/// ```
/// use ergodict::chain::{Derived, Observable, Quantity};
/// assert_eq!("energy".parse::<Quantity>()?, Quantity::Mean(Observable::Energy));
/// assert_eq!("binder".parse::<Quantity>()?, Quantity::Derived(Derived::Binder));
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Quantity {
    /// The mean of an observable.
    Mean(Observable),
    /// A function of several.
    Derived(Derived),
}

impl Quantity {
    /// The observables that these quantities are made from, each once.
    ///
    /// ```
    /// use ergodict::chain::{Derived, Observable, Quantity};
    /// let both = [Quantity::Mean(Observable::Energy), Quantity::Derived(Derived::SpecificHeat)];
    /// assert_eq!(Quantity::needs(&both), [Observable::Energy, Observable::EnergySquared]);
    /// ```
    pub fn needs(quantities: &[Self]) -> Vec<Observable> {
        let mut needed = Vec::new();
        for quantity in quantities {
            let own = match quantity {
                Self::Mean(observable) => std::slice::from_ref(observable),
                Self::Derived(derived) => derived.needs(),
            };
            own.iter().for_each(|one| {
                if !needed.contains(one) {
                    needed.push(*one);
                }
            });
        }
        needed
    }

    /// The series of each chain whose mean it is, from the series of the observables `of` on each.
    ///
    /// ```
    /// use ergodict::chain::{Observable, Quantity, SampledSystem};
    /// let system = SampledSystem { sites: 10, temperature: 2.0, lattice: None };
    /// let chain = [vec![1.0, 3.0]];
    /// let series = Quantity::Mean(Observable::Energy).series(&[Observable::Energy], &[&chain], &system);
    /// assert_eq!(series, [[1.0, 3.0]]);
    /// ```
    pub fn series(self, of: &[Observable], chains: &[&[Vec<f64>]], system: &SampledSystem) -> Vec<Vec<f64>> {
        fn find<'a>(of: &[Observable], chain: &'a [Vec<f64>], one: Observable) -> &'a [f64] {
            of.iter().position(|o| *o == one).map_or(&[], |at| &*chain[at])
        }
        match self {
            Self::Mean(observable) => {
                chains.iter().map(|chain| find(of, chain, observable).to_vec()).collect()
            }
            Self::Derived(derived) => {
                let [a, b] = [derived.needs()[0], derived.needs()[1]];
                let pairs: Vec<[&[f64]; 2]> =
                    chains.iter().map(|chain| [find(of, chain, a), find(of, chain, b)]).collect();
                derived.linearize(&pairs, system)
            }
        }
    }

    /// Whether a lattice has it: correlation lengths and helicity moduli are those of periodic ones, vortices need plaquettes.
    pub(crate) fn is_on(self, lattice: Option<Lattice>) -> bool {
        let periodic = |lattice: &Lattice| lattice.boundary() == Boundary::Periodic;
        match self {
            Self::Derived(Derived::CorrelationLength) => {
                lattice.filter(periodic).is_some_and(|lattice| lattice.rows().max(lattice.cols()) > 1)
            }
            Self::Derived(Derived::HelicityModulus) => lattice.is_some_and(|lattice| periodic(&lattice)),
            Self::Mean(Observable::Vortices) => {
                lattice.is_some_and(|lattice| lattice.rows().min(lattice.cols()) > 1)
            }
            _ => true,
        }
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mean(observable) => observable.fmt(f),
            Self::Derived(derived) => derived.fmt(f),
        }
    }
}

impl FromStr for Quantity {
    type Err = Error;
    fn from_str(name: &str) -> Result<Self> {
        let all = Observable::ALL.map(Self::Mean).into_iter().chain(Derived::ALL.map(Self::Derived));
        let all: Vec<Self> = all.collect();
        let found = all.iter().find(|quantity| quantity.to_string() == name).copied();
        found.ok_or_else(|| unknown(name, &all))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::diagnostics::Mixing;
    use crate::rng::{Purpose, normal, stream};

    #[test]
    fn names_go_both_ways() {
        for quantity in Derived::ALL.map(Quantity::Derived) {
            assert_eq!(quantity.to_string().parse::<Quantity>().unwrap(), quantity);
            let json = serde_json::to_string(&quantity).unwrap();
            assert_eq!(json, format!("\"{quantity}\""));
            assert_eq!(serde_json::from_str::<Quantity>(&json).unwrap(), quantity);
        }
        let error = "entropy".parse::<Quantity>().unwrap_err().to_string();
        assert!(error.contains("`entropy`") && error.contains("binder"), "{error}");
    }

    fn system() -> SampledSystem {
        let lattice = Lattice::new(8, 8, Boundary::Periodic).unwrap();
        SampledSystem { sites: 64, temperature: 2.5, lattice: Some(lattice) }
    }

    #[test]
    fn derivatives_are_those_of_the_values() {
        for derived in Derived::ALL {
            let (a, b) = (0.7, 0.6);
            let (_, slopes) = derived.expand(a, b, &system());
            let step = 1e-6;
            let along = |da: f64, db: f64| {
                let (up, down) = (
                    derived.expand(a + da, b + db, &system()).0,
                    derived.expand(a - da, b - db, &system()).0,
                );
                (up - down) / (2.0 * step)
            };
            for (slope, found) in slopes.iter().zip([along(step, 0.0), along(0.0, step)]) {
                assert!((slope - found).abs() < 1e-6 * slope.abs().max(1.0), "{derived}: {slope} {found}");
            }
        }
    }

    /// Series whose derived quantities are known: `x` is autoregressive and normal of variance 1, `m = 0.2 + 0.3x` is the observable.
    fn chains(rho: f64, length: usize, seed: u64) -> Vec<Vec<f64>> {
        let one = |chain: u64| {
            let mut rng = stream(seed, Purpose::Synthetic, chain);
            let mut x = normal(&mut rng);
            let mut next = || {
                x = rho * x + (1.0 - rho * rho).sqrt() * normal(&mut rng);
                0.2 + 0.3 * x
            };
            (0..length).map(|_| next()).collect()
        };
        (0..2).map(one).collect()
    }

    /// The value of a derived quantity with errors of blocks left out in turn (jackknife), from powers of a series.
    fn jackknife(derived: Derived, chains: &[[Vec<f64>; 2]], block: usize) -> (f64, f64) {
        let blocks: Vec<[&[f64]; 2]> = chains
            .iter()
            .flat_map(|[a, b]| a.chunks_exact(block).zip(b.chunks_exact(block)).map(|(a, b)| [a, b]))
            .collect();
        let sum = |k: usize| blocks.iter().map(|one| one[k].iter().sum::<f64>()).sum::<f64>();
        let (count, totals) = (blocks.len() as f64, [sum(0), sum(1)]);
        let of = |left: Option<&[&[f64]; 2]>| {
            let n = (count - f64::from(u8::from(left.is_some()))) * block as f64;
            let rest = |k: usize| (totals[k] - left.map_or(0.0, |one| one[k].iter().sum())) / n;
            derived.expand(rest(0), rest(1), &system()).0
        };
        let each: Vec<f64> = blocks.iter().map(|one| of(Some(one))).collect();
        let mean = each.iter().sum::<f64>() / count;
        let spread = each.iter().map(|x| (x - mean).powi(2)).sum::<f64>();
        (of(None), (spread * (count - 1.0) / count).sqrt())
    }

    #[test]
    fn intervals_cover_what_they_should_and_are_those_of_the_jackknife() {
        // m and m² have the means 0.2 and 0.04 + 0.09, m⁴ has 3·0.3⁴ + 6·0.2²·0.3² + 0.2⁴.
        let (second, fourth) = (0.13, 3.0 * 0.0081 + 6.0 * 0.04 * 0.09 + 0.0016);
        let exact = [
            (Derived::SpecificHeat, [1, 2], 64.0 * 0.09 / 6.25),
            (Derived::Binder, [2, 4], 1.0 - fourth / (3.0 * second * second)),
        ];
        for rho in [0.0, 0.9] {
            let time = (1.0 + rho) / (1.0 - rho);
            for (derived, powers, exact) in exact {
                let (mut covered, mut ratio, runs) = (0, 0.0, 400);
                for run in 0..runs {
                    // At least the 100 effective draws a chain that errors are trusted from.
                    let length = (300.0 * time) as usize;
                    let pairs: Vec<[Vec<f64>; 2]> = chains(rho, length, 100 + run)
                        .iter()
                        .map(|one| powers.map(|power| one.iter().map(|x| x.powi(power)).collect()))
                        .collect();
                    let borrowed: Vec<[&[f64]; 2]> = pairs.iter().map(|[a, b]| [&**a, &**b]).collect();
                    let found = Mixing::from_series(&derived.linearize(&borrowed, &system()));
                    let (value, error) = jackknife(derived, &pairs, (10.0 * time) as usize);
                    assert!((found.mean - value).abs() < 1e-9 * value.abs().max(1.0) + 0.5 * found.error);
                    covered += i32::from((found.mean - exact).abs() < 1.96 * found.error);
                    ratio += found.error / error / runs as f64;
                }
                let share = f64::from(covered) / runs as f64;
                // Three standard errors of a share of .95 among 400 are .033.
                assert!((0.917..0.983).contains(&share), "{derived}, ρ = {rho}: {share}");
                assert!(
                    (ratio - 1.0).abs() < 0.08,
                    "{derived}, ρ = {rho}: errors {ratio} of the jackknife's"
                );
            }
        }
    }

    #[test]
    fn quantities_need_a_lattice_that_has_them() {
        let lattice = |rows, cols, boundary| Some(Lattice::new(rows, cols, boundary).unwrap());
        let (correlation, helicity, vortices) = (
            Quantity::Derived(Derived::CorrelationLength),
            Quantity::Derived(Derived::HelicityModulus),
            Quantity::Mean(Observable::Vortices),
        );
        for (rows, cols, boundary, expected) in [
            (1, 1, Boundary::Periodic, [false, true, false]),
            (1, 2, Boundary::Periodic, [true, true, false]),
            (2, 1, Boundary::Periodic, [true, true, false]),
            (2, 2, Boundary::Periodic, [true, true, true]),
            (2, 2, Boundary::Free, [false, false, true]),
        ] {
            let found = [correlation, helicity, vortices]
                .map(|quantity| quantity.is_on(lattice(rows, cols, boundary)));
            assert_eq!(found, expected, "{rows}×{cols}, {boundary:?}");
        }
        assert!(![correlation, helicity, vortices].iter().any(|quantity| quantity.is_on(None)));
    }
}
