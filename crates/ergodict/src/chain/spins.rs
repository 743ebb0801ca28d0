//! Spin systems: chains whose states are configurations, a small integer at each site.

use super::diagnostics::Acceptance;
use super::{Chain, Lattice};
use crate::Result;
use serde::{Deserialize, Serialize};

/// The values a configuration is made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Alphabet {
    /// −1 and 1.
    PlusMinus,
    /// 0 and 1.
    ZeroOne,
    /// `0..labels`, at most 128.
    Labels(u8),
}

/// A chain of configurations.
pub trait SpinSystem: Chain<State: Send + Sync> + Sync {
    /// Rows and columns in which the sites are drawn.
    fn shape(&self) -> (usize, usize);

    /// The lattice, if the sites are on one: patches are cut from it.
    fn lattice(&self) -> Option<Lattice> {
        None
    }

    /// Updates of single sites that a step makes.
    fn updates(&self) -> u64 {
        1
    }

    /// The values at the sites.
    fn alphabet(&self) -> Alphabet;

    /// The configuration of a state, row by row.
    fn spins<'a>(&self, state: &'a Self::State) -> &'a [i8];

    /// The state with a given configuration, of which all else follows.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) for another number of sites, [`Error::Parameter`](crate::Error::Parameter)
    /// for values outside the alphabet.
    fn state(&self, spins: &[i8]) -> Result<Self::State>;

    /// The energy of a state, before it is divided by the temperature.
    fn energy(&self, state: &Self::State) -> f64;

    /// What is known of the acceptance of proposals, for chains that make them.
    fn acceptance(info: &Self::Info) -> Option<Acceptance> {
        let _ = info;
        None
    }

    /// The other way round: what is known of steps in which so many proposals were made and accepted.
    fn tally(acceptance: Acceptance) -> Self::Info {
        let _ = acceptance;
        Self::Info::default()
    }
}
