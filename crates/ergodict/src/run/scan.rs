//! A spin system at many temperatures: chains at each of them, on their own or exchanging configurations (parallel tempering).
//!
//! | symbol | here | where |
//! |---|---|---|
//! | `T_1 < T_2 < …` | [`ScanSettings::temperatures`] | |
//! | `π(x_1) π(x_2) …` at these temperatures | kept by [`Ladder`] | Geyer 1991, Hukushima and Nemoto 1996 |
//! | `min(1, exp((1/T_i − 1/T_{i+1})(H(x_i) − H(x_{i+1}))))` | [`exchange_probability`] | the same |
//!
//! After every sweep a fair coin says whether the pairs (1, 2), (3, 4), … or (2, 3), (4, 5), … are asked to exchange, so that every sweep is a step of
//! the same chain.

use super::checkpoint::{Resumable, Sections};
use super::job::{Job, Status, Stop};
use crate::chain::diagnostics::{Acceptance, Mixing};
use crate::chain::{ChainPoint, Observable, Quantity, SampledSystem, SpinWalk, SystemKind, SystemSettings};
use crate::rng::{Purpose, below, ids, stream, uniform};
use crate::{Error, Result};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};

/// Most temperatures of a scan, and most chains at each.
const MOST: u64 = 1 << 16;
/// Most sweeps, and most before them: their number times that of temperatures is counted.
const MOST_SWEEPS: u64 = 1 << 44;
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
}

/// The probability that configurations of energies `low` and `high` at temperatures `cold < hot` are exchanged, `low` being the energy at the colder one.
fn exchange_probability((cold, hot): (f64, f64), (low, high): (f64, f64)) -> f64 {
    ((1.0 / cold - 1.0 / hot) * (low - high)).exp().min(1.0)
}

/// A chain at each of some temperatures, which exchange configurations if there are several.
struct Ladder {
    temperatures: Vec<f64>,
    walks: Vec<Box<dyn SpinWalk>>,
    observables: Vec<Observable>,
    /// By temperature and observable.
    series: Vec<Vec<Vec<f64>>>,
    /// Between each temperature and the next.
    exchanges: Vec<Acceptance>,
    rng: ChaCha8Rng,
    done: u64,
    burn_in: u64,
    sweeps: u64,
}

impl Ladder {
    fn new(
        temperatures: &[f64],
        walks: Vec<Box<dyn SpinWalk>>,
        observables: &[Observable],
        settings: &ScanSettings,
        rng: ChaCha8Rng,
    ) -> Self {
        Self {
            temperatures: temperatures.to_vec(),
            series: vec![vec![Vec::new(); observables.len()]; walks.len()],
            exchanges: vec![Acceptance::default(); walks.len().saturating_sub(1)],
            walks,
            observables: observables.to_vec(),
            rng,
            done: 0,
            burn_in: settings.burn_in(),
            sweeps: settings.sweeps(),
        }
    }

    /// A sweep of every chain, exchanges, and what is measured after it.
    fn sweep(&mut self) -> Result<()> {
        for walk in &mut self.walks {
            let steps = (walk.spins().len() as u64).div_ceil(walk.updates_per_step().max(1));
            walk.advance(steps);
        }
        self.exchange()?;
        self.done += 1;
        if self.done > self.burn_in {
            for (walk, series) in self.walks.iter().zip(&mut self.series) {
                for (observable, series) in self.observables.iter().zip(series) {
                    series.push(walk.measure(*observable)?);
                }
            }
        }
        Ok(())
    }

    fn exchange(&mut self) -> Result<()> {
        if self.walks.len() < 2 {
            return Ok(());
        }
        let first = below(&mut self.rng, 2) as usize;
        for cold in (first..self.walks.len() - 1).step_by(2) {
            let energy = |walk: &dyn SpinWalk| -> Result<f64> {
                Ok(walk.measure(Observable::Energy)? * walk.spins().len() as f64)
            };
            let energies = (energy(&*self.walks[cold])?, energy(&*self.walks[cold + 1])?);
            let temperatures = (self.temperatures[cold], self.temperatures[cold + 1]);
            let accepted = uniform(&mut self.rng) < exchange_probability(temperatures, energies);
            self.exchanges[cold].record(accepted);
            if accepted {
                let (mut a, mut b) = (self.walks[cold].point(), self.walks[cold + 1].point());
                std::mem::swap(&mut a.state, &mut b.state);
                self.walks[cold].seek(&a)?;
                self.walks[cold + 1].seek(&b)?;
            }
        }
        Ok(())
    }

    fn wanted(&self) -> u64 {
        self.burn_in + self.sweeps
    }
}

impl Resumable for Ladder {
    fn save(&self, to: &mut Sections) -> Result<()> {
        to.put_json("done", &self.done)?;
        to.put_json("exchanges", &self.exchanges)?;
        to.put_json("word", &(self.rng.get_word_pos() as u64))?;
        let points: Vec<ChainPoint> = self.walks.iter().map(|walk| walk.point()).collect();
        to.put_json("points", &points)?;
        to.put("states", points.into_iter().flat_map(|point| point.state).collect());
        to.put("series", self.series.iter().flatten().flatten().flat_map(|x| x.to_le_bytes()).collect());
        Ok(())
    }

    fn restore(&mut self, from: &Sections) -> Result<()> {
        let done: u64 = from.json("done")?;
        let mut points: Vec<ChainPoint> = from.json("points")?;
        let exchanges: Vec<Acceptance> = from.json("exchanges")?;
        let states = from.bytes("states")?;
        let sites = self.walks[0].spins().len();
        let series = from.bytes("series")?;
        let length = done.saturating_sub(self.burn_in) as usize;
        let fits = points.len() == self.walks.len()
            && exchanges.len() == self.exchanges.len()
            && states.len() == sites * self.walks.len()
            && series.len() == 8 * length * self.observables.len() * self.walks.len();
        if !fits || done > self.wanted() {
            return Err(from.damaged("points", "it does not fit this run"));
        }
        for ((walk, point), state) in self.walks.iter_mut().zip(&mut points).zip(states.chunks_exact(sites)) {
            point.state = state.to_vec();
            walk.seek(point)?;
        }
        let mut numbers = series.as_chunks().0.iter().map(|eight| f64::from_le_bytes(*eight));
        for one in self.series.iter_mut().flatten() {
            *one = numbers.by_ref().take(length).collect();
        }
        self.exchanges = exchanges;
        self.rng.set_word_pos(u128::from(from.json::<u64>("word")?));
        self.done = done;
        Ok(())
    }
}

impl Job for Ladder {
    fn done(&self) -> (u64, Option<u64>) {
        let all = self.walks.len() as u64;
        (self.done * all, Some(self.wanted() * all))
    }

    fn advance(&mut self, slice: Duration, stop: &Stop) -> Result<Status> {
        let started = Instant::now();
        while self.done < self.wanted() {
            if stop.is_asked() {
                return Ok(Status::Stopped);
            }
            self.sweep()?;
            stop.count(1);
            if started.elapsed() >= slice && self.done < self.wanted() {
                return Ok(Status::Running);
            }
        }
        Ok(Status::Finished)
    }

    fn unit(&self) -> &'static str {
        "sweeps"
    }
}

/// What is known at one temperature.
///
/// ```
/// use ergodict::{chain::{Quantity, SystemData, SystemSettings}, run::{ScanSettings, Stop, TemperatureScan, drive}};
/// let settings = ScanSettings { temperature: vec![2.0, 3.0], sweeps: Some(200), ..ScanSettings::default() };
/// let system = SystemSettings { size: Some(ergodict::text::Shape(8, 8)), ..SystemSettings::default() };
/// let energy: Quantity = "energy".parse()?;
/// let begin = |t, id| system.walk(SystemData::default(), t, 0, id);
/// let mut scan = TemperatureScan::new(&settings, &system, &[energy], 0, begin)?;
/// drive(&mut scan.jobs(), None, &Stop::default(), &mut ())?;
/// assert!(scan.points()[0].estimates[0].mean < scan.points()[1].estimates[0].mean);
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct ScanPoint {
    /// The temperature.
    pub temperature: f64,
    /// The quantities, in the order they were asked for.
    pub estimates: Vec<Mixing>,
    /// Share of the exchanges with the next temperature that were accepted, in parallel tempering.
    pub exchange_rate: Option<f64>,
    /// Exact energy and specific heat of a site on the same lattice, where they are known.
    pub exact: Option<(f64, f64)>,
}

/// A scan over temperatures under way.
///
/// ```
/// use ergodict::{chain::{SystemData, SystemSettings}, run::{ScanSettings, TemperatureScan}};
/// let settings = ScanSettings { temperature: vec![2.0, 3.0], tempering: true, ..ScanSettings::default() };
/// let system = SystemSettings { size: Some(ergodict::text::Shape(8, 8)), ..SystemSettings::default() };
/// let begin = |t, id| system.walk(SystemData::default(), t, 0, id);
/// let mut scan = TemperatureScan::new(&settings, &system, &["binder".parse()?], 0, begin)?;
/// assert_eq!(scan.jobs().len(), 2); // a job for each chain of both temperatures
/// # Ok::<(), ergodict::Error>(())
/// ```
pub struct TemperatureScan {
    temperatures: Vec<f64>,
    quantities: Vec<Quantity>,
    observables: Vec<Observable>,
    system: SystemSettings,
    tempering: bool,
    /// One for each chain with all temperatures, or for each chain and temperature.
    ladders: Vec<Ladder>,
}

impl TemperatureScan {
    /// The quantities that are estimated by default, where the system has them.
    pub const QUANTITIES: &'static str =
        "energy,abs-magnetization,susceptibility,specific-heat,binder,correlation-length";

    /// A scan at its start; `begin` makes the chain at a temperature with a stream of the seed, which all have different ones.
    ///
    /// # Errors
    /// [`Error::Parameter`] for systems that are neither Ising nor Potts models, for settings that cannot be, and quantities that the system does
    /// not have; those of `begin`.
    pub fn new<E: From<Error>>(
        settings: &ScanSettings,
        system: &SystemSettings,
        quantities: &[Quantity],
        seed: u64,
        begin: impl Fn(f64, u64) -> std::result::Result<Box<dyn SpinWalk>, E>,
    ) -> std::result::Result<Self, E> {
        if !matches!(system.kind(), SystemKind::Ising | SystemKind::Potts) {
            let expected = "scans are of the Ising model and the Potts model";
            return Err(Error::parameter("the system", system.kind().title(), expected).into());
        }
        let chains = settings.chains();
        if chains == 0 || chains > MOST {
            let expected = format!("it must be between 1 and {MOST}");
            return Err(Error::parameter("the number of chains", chains, expected).into());
        }
        if settings.sweeps() == 0 {
            return Err(Error::parameter("the number of sweeps", 0, "it must be at least 1").into());
        }
        for (what, count) in
            [("the number of sweeps", settings.sweeps()), ("the burn-in", settings.burn_in())]
        {
            if count > MOST_SWEEPS {
                return Err(Error::parameter(what, count, format!("it must be at most {MOST_SWEEPS}")).into());
            }
        }
        let temperatures = settings.temperatures(system)?;
        let observables = Quantity::needs(quantities);
        let mut ladders = Vec::new();
        for chain in 0..chains {
            let walk = |(at, t): (usize, &f64)| begin(*t, (at as u64) << 16 | chain);
            let walks =
                temperatures.iter().enumerate().map(walk).collect::<std::result::Result<Vec<_>, E>>()?;
            // Found out now, not after the burn-in.
            observables.iter().try_for_each(|one| walks[0].measure(*one).map(|_| ()))?;
            let rng = || stream(seed, Purpose::Chain, ids::EXCHANGES + chain);
            let ladder =
                |temperatures, walks| Ladder::new(temperatures, walks, &observables, settings, rng());
            if settings.tempering {
                ladders.push(ladder(&temperatures, walks));
            } else {
                let each = temperatures.chunks(1).zip(walks);
                ladders.extend(each.map(|(temperature, walk)| ladder(temperature, vec![walk])));
            }
        }
        let (quantities, system) = (quantities.to_vec(), system.clone());
        Ok(Self { temperatures, quantities, observables, system, tempering: settings.tempering, ladders })
    }

    /// The quantities that a system has among these: correlation lengths are those of periodic lattices.
    pub fn available(quantities: &[Quantity], walk: &dyn SpinWalk) -> Vec<Quantity> {
        quantities.iter().filter(|quantity| quantity.is_on(walk.lattice())).copied().collect()
    }

    /// What is to be driven.
    pub fn jobs(&mut self) -> Vec<&mut dyn Job> {
        self.ladders.iter_mut().map(|ladder| ladder as &mut dyn Job).collect()
    }

    /// Rows and columns of the sites.
    pub fn shape(&self) -> (usize, usize) {
        self.ladders[0].walks[0].shape()
    }

    /// Sweeps made so far, over all chains.
    pub fn sweeps(&self) -> u64 {
        self.ladders.iter().map(|ladder| ladder.done().0).sum()
    }

    /// The quantities.
    pub fn quantities(&self) -> &[Quantity] {
        &self.quantities
    }

    /// What is known at each temperature.
    pub fn points(&self) -> Vec<ScanPoint> {
        let walk = &self.ladders[0].walks[0];
        let (sites, lattice) = (walk.spins().len(), walk.lattice());
        let point = |(at, &temperature): (usize, &f64)| {
            let system = SampledSystem { sites, temperature, lattice };
            let chains: Vec<&[Vec<f64>]> = if self.tempering {
                self.ladders.iter().map(|ladder| &*ladder.series[at]).collect()
            } else {
                let own = self.ladders.iter().skip(at).step_by(self.temperatures.len());
                own.map(|ladder| &*ladder.series[0]).collect()
            };
            let estimate = |quantity: &Quantity| {
                Mixing::from_series(&quantity.series(&self.observables, &chains, &system))
            };
            let exchanges = self.ladders.iter().filter_map(|ladder| ladder.exchanges.get(at));
            let (accepted, proposed) = exchanges.fold((0, 0), |(a, p), e| (a + e.accepted, p + e.proposed));
            ScanPoint {
                temperature,
                estimates: self.quantities.iter().map(estimate).collect(),
                exchange_rate: (proposed > 0).then(|| accepted as f64 / proposed as f64),
                exact: self.system.exact_torus(temperature),
            }
        };
        self.temperatures.iter().enumerate().map(point).collect()
    }
}

#[cfg(test)]
mod tests;
