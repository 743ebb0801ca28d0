//! Which temperatures a scan has, how long it stays at each, and what it estimates.

use crate::chain::{Boundary, Derived, Lattice, Observable, Quantity, SystemKind, SystemSettings, Update};
use crate::{Error, Result, memory};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// What is estimated by default, where the system has it.
const QUANTITIES: [Quantity; 6] = [
    Quantity::Mean(Observable::Energy),
    Quantity::Mean(Observable::AbsMagnetization),
    Quantity::Derived(Derived::Susceptibility),
    Quantity::Derived(Derived::SpecificHeat),
    Quantity::Derived(Derived::Binder),
    Quantity::Derived(Derived::CorrelationLength),
];
/// And of angles on a periodic lattice.
const OF_ANGLES: [Quantity; 2] =
    [Quantity::Derived(Derived::HelicityModulus), Quantity::Mean(Observable::Vortices)];
/// Most temperatures of a scan, and most chains at each.
pub(super) const MOST: u64 = 1 << 16;
/// Most sweeps, and most before them: their number times that of temperatures is counted.
pub(super) const MOST_SWEEPS: u64 = 1 << 44;
const TEMPERATURES: usize = 21;
const SWEEPS: u64 = 2000;
const CHAINS: u64 = 2;
/// The range around the critical temperature, as shares of it.
const RANGE: (f64, f64) = (0.7, 1.4);

/// Which temperatures, and how long at each. A sweep updates every site once, by [`Update::Wolff`](crate::chain::Update::Wolff) one cluster.
///
/// ```
/// use ergodict::{chain::SystemSettings, run::ScanSettings};
/// let scan = ScanSettings { from: Some(2.0), to: Some(3.0), temperatures: Some(5), ..ScanSettings::default() };
/// assert_eq!(scan.temperatures(&SystemSettings::default())?, [2.0, 2.25, 2.5, 2.75, 3.0]);
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::Args), command(next_help_heading = "The scan"))]
pub struct ScanSettings {
    /// Lowest temperature [default: 0.7 of the critical one]
    #[cfg_attr(feature = "clap", arg(long, value_name = "T", allow_negative_numbers = true))]
    pub from: Option<f64>,
    /// Highest temperature [default: 1.4 of the critical one]
    #[cfg_attr(feature = "clap", arg(long, value_name = "T", allow_negative_numbers = true))]
    pub to: Option<f64>,
    /// Temperatures from the lowest to the highest, at equal distances [default: 21]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", allow_negative_numbers = true))]
    pub temperatures: Option<usize>,
    /// The temperatures themselves, instead of a range
    #[cfg_attr(
        feature = "clap",
        arg(
            long,
            value_name = "T,T,…",
            value_delimiter = ',',
            allow_negative_numbers = true,
            conflicts_with_all = ["from", "to", "temperatures"]
        )
    )]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub temperature: Vec<f64>,
    /// Sweeps of each chain at each temperature, all of them measured [default: 2000]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", value_parser = crate::text::count, allow_negative_numbers = true))]
    pub sweeps: Option<u64>,
    /// Sweeps before the first that is measured [default: a fifth of --sweeps]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", value_parser = crate::text::count, allow_negative_numbers = true))]
    pub burn_in: Option<u64>,
    /// Independent chains at each temperature [default: 2]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", allow_negative_numbers = true))]
    pub chains: Option<u64>,
    /// Exchange configurations between neighboring temperatures after every sweep (parallel tempering)
    #[cfg_attr(feature = "clap", arg(long))]
    pub tempering: bool,
    /// What to estimate: observables of `spins simulate`, susceptibility, specific-heat, binder, correlation-length,
    /// helicity-modulus [default: energy, abs-magnetization, susceptibility, specific-heat, binder, correlation-length, and of xy helicity-modulus and
    /// vortices, as far as the system has them]
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "NAMES", value_delimiter = ',', hide_short_help = true)
    )]
    #[serde(skip)]
    pub observables: Vec<Quantity>,
}

impl ScanSettings {
    /// The temperatures, ascending.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a range that is none, no or too many temperatures, and systems without a known critical temperature where no range is
    /// given.
    pub fn temperatures(&self, system: &SystemSettings) -> Result<Vec<f64>> {
        if !self.temperature.is_empty() {
            let mut all = self.temperature.clone();
            all.sort_by(f64::total_cmp);
            all.dedup();
            if all.len() as u64 > MOST {
                let expected = format!("there must be at most {MOST}");
                return Err(Error::parameter("the number of temperatures", all.len(), expected));
            }
            return Ok(all);
        }
        let around = |share: f64| {
            let critical = system.critical_temperature().ok_or_else(|| {
                let expected = "this system has no known critical temperature to choose it around";
                Error::parameter("the range of temperatures", "missing", expected)
            });
            critical.map(|critical| share * critical)
        };
        let from = self.from.map_or_else(|| around(RANGE.0), Ok)?;
        let to = self.to.map_or_else(|| around(RANGE.1), Ok)?;
        let count = self.temperatures.unwrap_or(TEMPERATURES);
        if count == 0 || count as u64 > MOST {
            let expected = format!("it must be between 1 and {MOST}");
            return Err(Error::parameter("the number of temperatures", count, expected));
        }
        if !(from > 0.0 && from.is_finite() && to.is_finite() && (from < to || (from == to && count == 1))) {
            let expected = "it must go from a positive temperature to a higher one";
            return Err(Error::parameter("the range of temperatures", format!("{from} to {to}"), expected));
        }
        let step = if count > 1 { (to - from) / (count - 1) as f64 } else { 0.0 };
        // Without the digits that rounding makes.
        let short = |t: f64| (t * 1e10).round() / 1e10;
        Ok((0..count).map(|i| if i + 1 == count { to } else { short(from + step * i as f64) }).collect())
    }

    /// Sweeps that are measured.
    pub fn sweeps(&self) -> u64 {
        self.sweeps.unwrap_or(SWEEPS)
    }

    /// Sweeps before them.
    pub fn burn_in(&self) -> u64 {
        self.burn_in.unwrap_or(self.sweeps() / 5)
    }

    /// Chains at each temperature.
    pub fn chains(&self) -> u64 {
        self.chains.unwrap_or(CHAINS)
    }

    /// What is estimated on a lattice: by default all quantities that it has, correlation lengths being those of periodic ones.
    pub(super) fn quantities(&self, kind: SystemKind, lattice: Option<Lattice>) -> Vec<Quantity> {
        if !self.observables.is_empty() {
            return self.observables.clone();
        }
        let more: &[Quantity] = if kind == SystemKind::Xy { &OF_ANGLES } else { &[] };
        QUANTITIES.iter().chain(more).copied().filter(|quantity| quantity.is_on(lattice)).collect()
    }

    /// The system with the update that scans have by default: all clusters at once where they can be updated, else random.
    ///
    /// ```
    /// use ergodict::{chain::{SystemSettings, Update}, run::ScanSettings};
    /// let system = ScanSettings::default().system(&SystemSettings::default());
    /// assert_eq!(system.update, Some(Update::SwendsenWang));
    /// ```
    pub fn system(&self, system: &SystemSettings) -> SystemSettings {
        let mut system = system.clone();
        if system.update.is_none() && system.kind().parameters().contains(&"update") {
            let clusters = system.kind() != SystemKind::Potts || system.coupling() >= 0.0;
            system.update = Some(if clusters { Update::SwendsenWang } else { Update::Random });
        }
        system
    }

    /// Refuses what cannot be: other systems, numbers out of range, and more values than there is memory for.
    pub(super) fn check(&self, system: &SystemSettings) -> Result<()> {
        if !matches!(system.kind(), SystemKind::Ising | SystemKind::Potts | SystemKind::Xy) {
            let expected = "scans are of the Ising model, the Potts model and the XY model";
            return Err(Error::parameter("the system", system.kind().title(), expected));
        }
        let chains = self.chains();
        if chains == 0 || chains > MOST {
            let expected = format!("it must be between 1 and {MOST}");
            return Err(Error::parameter("the number of chains", chains, expected));
        }
        if self.sweeps() == 0 {
            return Err(Error::parameter("the number of sweeps", 0, "it must be at least 1"));
        }
        for (what, count) in [("the number of sweeps", self.sweeps()), ("the burn-in", self.burn_in())] {
            if count > MOST_SWEEPS {
                return Err(Error::parameter(what, count, format!("it must be at most {MOST_SWEEPS}")));
            }
        }
        let temperatures = self.temperatures(system)?.len() as u64;
        let periodic = Lattice::new(2, 2, Boundary::Periodic)?;
        let observables = Quantity::needs(&self.quantities(system.kind(), Some(periodic))).len() as u64;
        // Every value is kept, and copied for the estimates of a temperature.
        let series = self.sweeps().saturating_mul(8 * (observables + 2));
        let replicas = chains.saturating_mul(temperatures);
        memory::check(
            system.memory()?.saturating_add(series).saturating_mul(replicas),
            &format!("{chains} chains at {temperatures} temperatures"),
            "choose a smaller lattice, or fewer chains, temperatures or sweeps",
        )
    }

    /// Every setting that has a say in the result, with its value, those of the system included.
    ///
    /// # Errors
    /// As [`ScanSettings::temperatures`].
    pub fn config(&self, system: &SystemSettings, quantities: &[Quantity], seed: u64) -> Result<Value> {
        let mut config = json!(self);
        if self.temperature.is_empty() {
            let range = self.temperatures(system)?;
            config["from"] = json!(range.first());
            config["to"] = json!(range.last());
            config["temperatures"] = json!(range.len());
        }
        config["sweeps"] = json!(self.sweeps());
        config["burn-in"] = json!(self.burn_in());
        config["chains"] = json!(self.chains());
        config["seed"] = json!(seed);
        let names: Vec<String> = quantities.iter().map(ToString::to_string).collect();
        config["observables"] = json!(names.join(","));
        for (key, value) in system.config() {
            config[key] = value;
        }
        Ok(config)
    }
}
