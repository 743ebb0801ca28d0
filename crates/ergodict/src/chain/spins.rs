//! Spin systems: chains whose states are configurations, a small integer or a real number at each site.

use super::cluster::ClusterSizes;
use super::diagnostics::Acceptance;
use super::{Boundary, Chain, Lattice, Observable};
use crate::data::SiteValue;
use crate::{Error, Result};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// Most labels there can be, the medium of cells among them: a configuration is of `i8`, and labels are not negative.
pub(crate) const MOST_LABELS: u8 = 128;

/// Checks a temperature.
pub(super) fn check_temperature(temperature: f64) -> Result<()> {
    if temperature.is_finite() && temperature > 0.0 {
        return Ok(());
    }
    Err(Error::parameter("the temperature", temperature, "it must be a positive number"))
}

/// Refuses parameters under which energies can overflow: ∞ − ∞ is no energy, and no law follows from it. `bound` is that of
/// all the sums an energy is made of, which are at most doubled before they are exponents.
pub(super) fn check_energy(what: &'static str, bound: f64) -> Result<()> {
    if (2.0 * bound).is_finite() {
        return Ok(());
    }
    Err(Error::parameter(what, format!("{bound} in sum"), "energies must be finite"))
}

/// The values a configuration is made of.
///
/// ```
/// use ergodict::chain::Alphabet;
/// assert!(Alphabet::PlusMinus.check(&[1, -1], 2).is_ok());
/// assert!(Alphabet::ZeroOne.check(&[1, -1], 2).is_err() && Alphabet::Labels(3).check(&[2], 2).is_err());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Alphabet {
    /// −1 and 1.
    PlusMinus,
    /// 0 and 1.
    ZeroOne,
    /// `0..labels`, at most 128.
    Labels(u8),
    /// Angles, in radians.
    Angle,
    /// Any finite number.
    Real,
}

impl Alphabet {
    /// Whether values are real numbers.
    pub fn is_real(self) -> bool {
        matches!(self, Self::Angle | Self::Real)
    }

    /// Whether these are `sites` whole numbers of the alphabet.
    ///
    /// # Errors
    /// [`Error::Shape`] for another number of values, [`Error::Parameter`] for others.
    pub fn check(self, spins: &[i8], sites: usize) -> Result<()> {
        if spins.len() != sites {
            let found = format!("{} values", spins.len());
            return Err(Error::shape("the configuration", found, format!("one for each of {sites} sites")));
        }
        let belongs = |x: i8| match self {
            Self::PlusMinus => x == 1 || x == -1,
            Self::ZeroOne => x == 0 || x == 1,
            Self::Labels(labels) => x >= 0 && x.unsigned_abs() < labels,
            Self::Angle | Self::Real => false,
        };
        let Some(site) = spins.iter().position(|x| !belongs(*x)) else { return Ok(()) };
        let expected = match self {
            Self::PlusMinus => "spins are −1 or 1".into(),
            Self::ZeroOne => "units are 0 or 1".into(),
            Self::Labels(labels) => format!("labels are below {labels} and not negative"),
            Self::Angle | Self::Real => "values are real numbers".into(),
        };
        Err(Error::parameter(
            "a value of the configuration",
            format!("{} (site {site})", spins[site]),
            expected,
        ))
    }
}

/// A chain of configurations.
///
/// ```
/// use ergodict::chain::{Boundary, Field, Ising, Lattice, SpinSystem};
/// let ising = Ising::new(Lattice::new(2, 2, Boundary::Free)?, 2.0, 1.0, Field::Uniform(0.5))?;
/// let state = ising.state(&[1, 1, 1, -1])?;
/// // Two bonds agree and two do not; three spins go with the field and one against it.
/// assert_eq!((ising.energy(&state), ising.shape(), ising.updates()), (-1.0, (2, 2), 1));
/// # Ok::<(), ergodict::Error>(())
/// ```
pub trait SpinSystem: Chain<State: Send + Sync> + Sync {
    /// What is at a site.
    type Value: SiteValue;

    /// Rows and columns in which the sites are drawn.
    fn shape(&self) -> (usize, usize);

    /// The lattice, if its bonds are what the energy is made of: clusters follow them.
    fn lattice(&self) -> Option<Lattice> {
        None
    }

    /// Rows, columns and boundary of the grid that patches are cut from, if the sites have places on one; by default the
    /// lattice.
    fn grid(&self) -> Option<(usize, usize, Boundary)> {
        self.lattice().map(|lattice| (lattice.rows(), lattice.cols(), lattice.boundary()))
    }

    /// Updates of single sites that a step makes.
    fn updates(&self) -> u64 {
        1
    }

    /// The values at the sites.
    fn alphabet(&self) -> Alphabet;

    /// The configuration of a state, row by row.
    fn spins<'a>(&self, state: &'a Self::State) -> &'a [Self::Value];

    /// The state with a given configuration, of which all else follows.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) for another number of sites, [`Error::Parameter`](crate::Error::Parameter)
    /// for values outside the alphabet.
    fn state(&self, spins: &[Self::Value]) -> Result<Self::State>;

    /// The energy of a state, before it is divided by the temperature.
    fn energy(&self, state: &Self::State) -> f64;

    /// Sizes of clusters that random bonds hold together (Fortuin and Kasteleyn), for models that such bonds describe.
    fn bond_clusters(&self, state: &Self::State, rng: &mut ChaCha8Rng) -> Option<ClusterSizes> {
        let _ = (state, rng);
        None
    }

    /// An observable that this system alone has.
    fn own_observable(&self, state: &Self::State, observable: Observable) -> Option<f64> {
        let _ = (state, observable);
        None
    }

    /// What is known of the acceptance of proposals, for chains that make them.
    fn acceptance(info: &Self::Info) -> Option<Acceptance> {
        let _ = info;
        None
    }

    /// The other way round: from the numbers of proposals made and accepted.
    fn tally(acceptance: Acceptance) -> Self::Info {
        let _ = acceptance;
        Self::Info::default()
    }
}

/// What other updates of a model have as the model `self.model` has it, in an `impl SpinSystem`. Its state is the configuration, and a step counts as an update of every site.
macro_rules! delegate_to_model {
    ($state:ty, $value:ty) => {
        type Value = $value;

        fn shape(&self) -> (usize, usize) {
            self.model.shape()
        }
        fn lattice(&self) -> Option<$crate::chain::Lattice> {
            self.model.lattice()
        }
        fn updates(&self) -> u64 {
            let (rows, cols) = self.model.shape();
            (rows * cols) as u64
        }
        fn alphabet(&self) -> $crate::chain::Alphabet {
            self.model.alphabet()
        }
        fn spins<'a>(&self, state: &'a $state) -> &'a [$value] {
            self.model.spins(state)
        }
        fn state(&self, spins: &[$value]) -> $crate::Result<$state> {
            self.model.state(spins)
        }
        fn energy(&self, state: &$state) -> f64 {
            self.model.energy(state)
        }
        fn bond_clusters(
            &self,
            state: &$state,
            rng: &mut rand_chacha::ChaCha8Rng,
        ) -> Option<$crate::chain::ClusterSizes> {
            self.model.bond_clusters(state, rng)
        }
        fn own_observable(&self, state: &$state, observable: $crate::chain::Observable) -> Option<f64> {
            self.model.own_observable(state, observable)
        }
    };
}
pub(super) use delegate_to_model;

#[cfg(test)]
mod tests;
