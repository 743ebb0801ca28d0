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

mod settings;
mod table;

pub use settings::ScanSettings;
pub use table::ScanTable;

use super::checkpoint::{Resumable, Sections};
use super::job::{Job, Status, Stop};
use crate::chain::diagnostics::{Acceptance, Mixing};
use crate::chain::{ChainPoint, Derived, Observable, Quantity, SampledSystem, SpinWalk, SystemSettings};
use crate::rng::{Purpose, below, ids, stream, uniform};
use crate::{Error, Result};
use rand_chacha::ChaCha8Rng;
use std::time::{Duration, Instant};

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
            let steps = (walk.frame().len() as u64).div_ceil(walk.updates_per_step().max(1));
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
                Ok(walk.measure(Observable::Energy)? * walk.frame().len() as f64)
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
        let bytes = self.walks[0].frame().to_bytes().len();
        let series = from.bytes("series")?;
        let length = done.saturating_sub(self.burn_in) as usize;
        let fits = points.len() == self.walks.len()
            && exchanges.len() == self.exchanges.len()
            && states.len() == bytes * self.walks.len()
            && series.len() == 8 * length * self.observables.len() * self.walks.len();
        if !fits || done > self.wanted() {
            return Err(from.damaged("points", "it does not fit this run"));
        }
        for ((walk, point), state) in self.walks.iter_mut().zip(&mut points).zip(states.chunks_exact(bytes)) {
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
/// use ergodict::{chain::{SystemData, SystemSettings}, run::{ScanSettings, Stop, TemperatureScan, drive}};
/// let settings = ScanSettings { temperature: vec![2.0, 3.0], sweeps: Some(200), ..ScanSettings::default() };
/// let system = SystemSettings { size: Some(ergodict::text::Shape(8, 8)), ..SystemSettings::default() };
/// let begin = |t, id| system.walk(SystemData::default(), t, 0, id);
/// let mut scan = TemperatureScan::new(&settings, &system, 0, begin)?;
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

impl ScanPoint {
    /// The exact value of a quantity, where it is known.
    pub fn exact_value(&self, quantity: Quantity) -> Option<f64> {
        match quantity {
            Quantity::Mean(Observable::Energy) => self.exact.map(|exact| exact.0),
            Quantity::Derived(Derived::SpecificHeat) => self.exact.map(|exact| exact.1),
            _ => None,
        }
    }
}

/// A scan over temperatures under way.
///
/// ```
/// use ergodict::{chain::{SystemData, SystemSettings}, run::{ScanSettings, TemperatureScan}};
/// let settings = ScanSettings { temperature: vec![2.0, 3.0], tempering: true, ..ScanSettings::default() };
/// let system = SystemSettings { size: Some(ergodict::text::Shape(8, 8)), ..SystemSettings::default() };
/// let begin = |t, id| system.walk(SystemData::default(), t, 0, id);
/// let mut scan = TemperatureScan::new(&settings, &system, 0, begin)?;
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
    /// A scan at its start; `begin` makes the chain at a temperature with a stream of the seed, which all have different ones.
    ///
    /// # Errors
    /// [`Error::Parameter`] for systems that are neither Ising nor Potts models, for settings that cannot be, and quantities that the system does
    /// not have; those of `begin`.
    pub fn new<E: From<Error>>(
        settings: &ScanSettings,
        system: &SystemSettings,
        seed: u64,
        begin: impl Fn(f64, u64) -> std::result::Result<Box<dyn SpinWalk>, E>,
    ) -> std::result::Result<Self, E> {
        settings.check(system)?;
        let temperatures = settings.temperatures(system)?;
        let (mut quantities, mut observables) = (Vec::new(), Vec::new());
        let mut ladders = Vec::new();
        for chain in 0..settings.chains() {
            let walk = |(at, t): (usize, &f64)| begin(*t, (at as u64) << 16 | chain);
            let walks =
                temperatures.iter().enumerate().map(walk).collect::<std::result::Result<Vec<_>, E>>()?;
            if chain == 0 {
                quantities = settings.quantities(system.kind(), walks[0].lattice());
                observables = Quantity::needs(&quantities);
            }
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
        let system = system.clone();
        Ok(Self { temperatures, quantities, observables, system, tempering: settings.tempering, ladders })
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
        let (sites, lattice) = (walk.frame().len(), walk.lattice());
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
