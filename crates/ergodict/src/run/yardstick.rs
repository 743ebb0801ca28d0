//! How much of fresh walks a dictionary explains, next to simpler explanations of the same walks.
//!
//! | symbol | here |
//! |---|---|
//! | `X`, patches of walks that nothing was learned from | `fresh` |
//! | `1 − ‖X − WH‖²/‖X‖²`, codes as in learning | [`Explained::atoms`] |
//! | the same for one atom, the mean of other walks | [`Explained::mean_patch`] |
//! | the same for atoms `W_1 … W_n` learned in the same way from networks with the same degrees, rewired at random | [`Explained::rewired`] |
//! | `g_0`: what atoms explain more than those, on the same walks | [`gain`] |
//! | `g_j`: the same for the atoms of copy `j` on its own walks, next to the other copies | [`Explained::rewired_gain`] is their mean |
//! | `g_0 − Σ g_j/n` | [`Explained::beyond_degrees`] |
//!
//! Atoms fit the network that they were learned from better than others also where there is nothing beyond degrees. A network that is itself
//! a random rewiring is one of `n + 1` alike, so that `g_0` is distributed as each `g_j`: their mean is what to subtract, and
//! `s √(1 + 1/n)` with their scatter `s` the standard error of the difference, with `n − 1` degrees of freedom. It is never smaller than
//! that of `g_0` itself. Other standard errors are from twenty batches of walks; those of rewired networks also have the scatter between
//! copies.

use super::sources::shares::{MeanSample, OnlyAtom};
use super::{Job, NetworkLearning, Resumable, Run, Sections, Status, Stop, Trainer};
use crate::chain::{SampledNetwork, SamplerKind, SamplingSettings, Use};
use crate::data::{DEFAULT_PROPOSALS, rewired_until};
use crate::factor::Factorizer;
use crate::linalg::{Mat, Scalar};
use crate::model::change::{PatchFit, draw, seen};
use crate::model::{Explained, ValueWithError};
use crate::rng::{Purpose, derived, ids};
use crate::{Error, Result};
use std::time::Duration;

/// Walks that are explained, and as many whose mean is the mean patch: of long walks fewer, but at least [`FEWEST`], so that their patches take
/// no more than [`ENTRIES`] numbers.
const WALKS: usize = 2000;
const FEWEST: usize = 100;
const ENTRIES: usize = 1 << 25;
/// Rewired copies by default.
const COPIES: usize = 3;
/// Other copies that each is compared with.
const OTHERS: usize = 4;
/// Networks with more edges than this have no rewired copies by default: three would take seconds, and more memory than learning does.
const MOST_EDGES: u64 = 500_000;
/// Bytes that a rewired copy takes for each edge; 49 were seen with a million edges.
const BYTES: u64 = 64;

/// How learned networks are compared with rewired copies of themselves.
///
/// ```
/// use ergodict::run::Yardstick;
/// assert_eq!(Yardstick::default().copies, None); // three, and none of very large networks
/// ```
#[derive(Clone, Debug, Default)]
pub struct Yardstick {
    /// Rewired copies; none: three, and none of networks with more than half a million edges, or that do not fit into the memory that was set.
    pub copies: Option<usize>,
    /// How walks are drawn.
    pub sampling: SamplingSettings,
}

impl Yardstick {
    /// Rewired copies that networks with this number of edges get.
    fn count(&self, edges: u64) -> usize {
        let room = self.sampling.memory().map_or(MOST_EDGES, |bytes| MOST_EDGES.min(bytes as u64 / BYTES));
        self.copies.unwrap_or(if edges > room { 0 } else { COPIES })
    }

    /// The comparison of networks that are learned from in this way, at its beginning.
    pub(super) fn start<T: Scalar>(
        &self,
        networks: Vec<SampledNetwork>,
        learning: NetworkLearning,
        kind: SamplerKind,
        seed: u64,
    ) -> Measurement<T> {
        let sampling = SamplingSettings { sampler: Some(kind), ..self.sampling.clone() };
        let planned = self.count(networks.iter().map(|(network, _)| network.edges()).sum());
        let (atoms, walks, measured) = (Vec::new(), Vec::new(), Vec::new());
        Measurement { networks, learning, sampling, seed, planned, atoms, running: None, walks, measured }
    }
}

/// A comparison with rewired copies in progress.
pub(super) struct Measurement<T: Scalar> {
    networks: Vec<SampledNetwork>,
    learning: NetworkLearning,
    sampling: SamplingSettings,
    seed: u64,
    planned: usize,
    /// Dictionaries of copies that are learned from.
    atoms: Vec<Trainer<T>>,
    /// The copy that is being learned from.
    running: Option<Box<Run<T>>>,
    /// Fresh walks of each copy that was begun, network by network.
    walks: Vec<Vec<Mat<f64>>>,
    /// What came of all, network by network.
    measured: Vec<CopyGains>,
}

/// What copies say of a network.
struct CopyGains {
    /// What the atoms of each copy make of the network's fresh walks.
    seen: Vec<PatchFit>,
    /// What the atoms of each explain more of its own walks than those of other copies, where there are two.
    gains: Vec<f64>,
}

impl<T: Scalar> Measurement<T> {
    /// Copies that are learned from, and copies in all.
    pub(super) fn copies(&self) -> (usize, usize) {
        (self.atoms.len(), self.planned)
    }

    /// Patches that were learned from, where each copy has this number.
    pub(super) fn done(&self, each: u64) -> u64 {
        let running = self.running.as_ref().map_or(0, |run| run.trainer().samples().min(each));
        each.saturating_mul(self.atoms.len() as u64).saturating_add(running)
    }

    /// Advances for about a slice of time.
    ///
    /// # Errors
    /// Those of sampling and learning, except that copies without room for the motif, or without room in memory, are left out.
    pub(super) fn advance(&mut self, slice: Duration, stop: &Stop) -> Result<Status> {
        if self.atoms.len() < self.planned {
            if stop.is_asked() {
                return Ok(Status::Stopped);
            }
            if self.running.is_none() {
                match self.begin(stop) {
                    Err(Error::Interrupted) if stop.is_asked() => return Ok(Status::Stopped),
                    // A rewired network may have no triangle, say: what was learned is not lost for it.
                    Err(Error::Parameter { .. } | Error::Memory { .. }) => self.planned = self.atoms.len(),
                    run => self.running = Some(run?),
                }
            }
            let Some(mut run) = self.running.take() else { return Ok(Status::Running) };
            let status = run.advance(slice, stop)?;
            if status != Status::Finished {
                self.running = Some(run);
                return Ok(status);
            }
            self.atoms.push(Trainer::new(Some(run.into_dictionary()?)));
            return Ok(Status::Running);
        }
        if self.measured.is_empty() {
            self.measured = self.measure()?;
        }
        Ok(Status::Finished)
    }

    /// The next copy at its beginning.
    fn begin(&mut self, stop: &Stop) -> Result<Box<Run<T>>> {
        let seed = derived(self.seed, Purpose::Chain, ids::YARDSTICK + (1 << 20) + self.walks.len() as u64);
        let (mut drawn, mut walks) = (Vec::with_capacity(self.networks.len()), Vec::new());
        for (at, (network, sampler)) in (0..).zip(&self.networks) {
            let copy = rewired_until(network, DEFAULT_PROPOSALS, seed, &|| stop.is_asked())?;
            let chosen = self.sampling.choose(Use::Learn, copy, sampler.motif(), seed)?;
            let copy = (chosen.network, chosen.sampler);
            walks.push(self.draw(&copy, seed, at)?);
            drawn.push(copy);
        }
        let run = self.learning.run(&drawn, seed)?;
        self.walks.push(walks);
        Ok(Box::new(run))
    }

    /// Fresh walks of a network.
    fn draw(&self, network: &SampledNetwork, seed: u64, id: u64) -> Result<Mat<f64>> {
        draw(network, walks(network.1.motif().k()), self.learning.watching, seed, ids::YARDSTICK + id)
    }

    fn measure(&mut self) -> Result<Vec<CopyGains>> {
        let (count, mut measured) = (self.atoms.len(), Vec::with_capacity(self.networks.len()));
        for at in 0..self.networks.len() {
            let own = self.draw(&self.networks[at], self.seed, 2 * at as u64)?;
            let found = self.atoms.iter_mut().map(|atoms| look(atoms, &own)).collect::<Result<_>>()?;
            let mut gains = Vec::with_capacity(count);
            for copy in (0..count).filter(|_| count > 1) {
                let mut by = |atoms: usize| look(&mut self.atoms[atoms % count], &self.walks[copy][at]);
                let own = by(copy)?;
                let others = (1..count).take(OTHERS).map(|step| by(copy + step));
                gains.push(gain(&others.collect::<Result<Vec<_>>>()?, &own));
            }
            measured.push(CopyGains { seen: found, gains });
        }
        Ok(measured)
    }

    /// What a dictionary that was learned from the networks explains of each; without copies before all are learned from.
    pub(super) fn explained(&self, own: &mut Factorizer<T>) -> Result<Vec<Explained>> {
        let mut explained = Vec::with_capacity(self.networks.len());
        for (at, network) in self.networks.iter().enumerate() {
            let fresh = |id: u64| self.draw(network, self.seed, 2 * at as u64 + id);
            let (patches, others) = (fresh(0)?, fresh(1)?);
            let settings = own.parameters();
            let (codes, penalty) = (settings.code(), settings.penalty());
            let mean = explain_by(&OnlyAtom { atom: mean_patch(&others), codes, penalty }, &patches);
            let own = seen(own, &patches)?;
            let none = CopyGains { seen: Vec::new(), gains: Vec::new() };
            let CopyGains { seen, gains } = self.measured.get(at).unwrap_or(&none);
            explained.push(Explained {
                atoms: share(own.error),
                mean_patch: share(mean.error),
                rewired: over_copies(seen),
                rewired_gain: (!gains.is_empty()).then(|| mean_and_scatter(gains).0),
                beyond_degrees: beyond_degrees(seen, gains, &own),
                copies: seen.len(),
            });
        }
        Ok(explained)
    }

    /// Adds where it is to a checkpoint.
    pub(super) fn save(&self, to: &mut Sections) -> Result<()> {
        to.put_json(SECTION, &self.copies())?;
        for (at, atoms) in self.atoms.iter().enumerate() {
            let mut own = Sections::default();
            atoms.save(&mut own)?;
            to.put_all(&prefix(at), own);
        }
        if let Some(run) = &self.running {
            let mut own = Sections::default();
            run.save(&mut own)?;
            to.put_all(&prefix(self.atoms.len()), own);
        }
        Ok(())
    }

    /// Whether a checkpoint has one.
    pub(super) fn is_in(from: &Sections) -> bool {
        from.has(SECTION)
    }

    /// Returns to where it was saved.
    pub(super) fn restore(&mut self, from: &Sections) -> Result<()> {
        let finished: usize;
        (finished, self.planned) = from.json(SECTION)?;
        for at in 0..self.planned {
            let own = from.all(&prefix(at));
            if own.is_empty() {
                break;
            }
            let mut run = self.begin(&Stop::default())?;
            if at < finished {
                let mut atoms = Trainer::new(None);
                atoms.restore(&self.learning.parameters, &own)?;
                self.atoms.push(atoms);
            } else {
                run.restore(&own)?;
                self.running = Some(run);
            }
        }
        Ok(())
    }
}

/// The section of a checkpoint that has the number of copies.
const SECTION: &str = "rewired-copies";

/// What is before the names of the sections of a copy.
fn prefix(at: usize) -> String {
    format!("rewired/{at}/")
}

/// Walks of `k` nodes that are drawn.
fn walks(k: usize) -> usize {
    (ENTRIES / (k * k).max(1)).clamp(FEWEST, WALKS)
}

fn look<T: Scalar>(atoms: &mut Trainer<T>, walks: &Mat<f64>) -> Result<PatchFit> {
    seen(atoms.factorizer.as_mut().ok_or(Error::Interrupted)?, walks)
}

/// The mean of all columns, scaled to norm 1.
fn mean_patch(x: &Mat<f64>) -> Vec<f64> {
    let mut mean = MeanSample::default();
    mean.add::<f64>(x.into());
    mean.finish()
}

/// What a single atom leaves of patches.
fn explain_by(mean: &OnlyAtom, patches: &Mat<f64>) -> PatchFit {
    let norm: f64 = mean.atom.iter().map(|w| w * w).sum();
    PatchFit::from_columns(patches, |x, fitted| {
        let product: f64 = mean.atom.iter().zip(x).map(|(w, x)| w * x).sum();
        let h = mean.code(product, norm);
        fitted.iter_mut().zip(&mean.atom).for_each(|(y, w)| *y = h * w);
    })
}

fn share(error: ValueWithError) -> ValueWithError {
    ValueWithError { value: 1.0 - error.value, ..error }
}

/// By how much one error is above another on the same patches.
fn difference(one: &PatchFit, other: &PatchFit) -> ValueWithError {
    let all: f64 = one.norms.iter().sum();
    if all == 0.0 {
        return ValueWithError { value: 0.0, standard_error: 0.0 };
    }
    let differences: Vec<f64> = one.off.iter().zip(&other.off).map(|(a, b)| a - b).collect();
    let value = differences.iter().sum::<f64>() / all;
    let n = differences.len() as f64;
    let residuals = differences.iter().zip(&one.norms).map(|(d, norm)| (d - value * norm).powi(2));
    ValueWithError { value, standard_error: (residuals.sum::<f64>() * n / (n - 1.0)).sqrt() / all }
}

/// By how much one dictionary explains more than others do on average, on the same patches.
fn gain(others: &[PatchFit], own: &PatchFit) -> f64 {
    others.iter().map(|other| difference(other, own).value).sum::<f64>() / others.len() as f64
}

/// The mean of at least two values, and their variance.
fn mean_and_scatter(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    (mean, values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0))
}

/// The gain of a network beyond that of its copies. Its standard error is that of one more copy like those, or that of the network's own
/// gain where that is larger. Walks have their chance also in few copies that happen to agree. None for fewer than two copies.
fn beyond_degrees(copies: &[PatchFit], gains: &[f64], own: &PatchFit) -> Option<ValueWithError> {
    if gains.len() < 2 {
        return None;
    }
    let n = gains.len() as f64;
    let walks = difference(&copies[0], own).standard_error.powi(2);
    let differences: Vec<f64> = copies.iter().map(|copy| difference(copy, own).value).collect();
    let ((value, between), (mean, scatter)) = (mean_and_scatter(&differences), mean_and_scatter(gains));
    let variance = (scatter.max(walks) * (1.0 + 1.0 / n)).max(walks + between / n);
    Some(ValueWithError { value: value - mean, standard_error: variance.sqrt() })
}

/// The share that copies explain on average, with the error of one of them and the scatter between them.
fn over_copies(copies: &[PatchFit]) -> Option<ValueWithError> {
    let first = copies.first()?;
    let shares: Vec<f64> = copies.iter().map(|copy| share(copy.error).value).collect();
    let (value, scatter) = if shares.len() > 1 { mean_and_scatter(&shares) } else { (shares[0], 0.0) };
    // All copies are measured on the same walks, whose chance they share.
    let standard_error = first.error.standard_error.hypot((scatter / shares.len() as f64).sqrt());
    Some(ValueWithError { value, standard_error })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Network, embedded};
    use crate::factor::FactorSettings;
    use crate::patch::BatchPlan;

    /// A comparison at its beginning, and the dictionary that is compared.
    fn started(network: Network, seed: u64) -> (Measurement<f64>, Factorizer<f64>) {
        let sampling = SamplingSettings { k: Some(6), ..SamplingSettings::default() };
        let chosen = sampling.choose(Use::Learn, network, &sampling.motif().unwrap(), seed).unwrap();
        let networks = vec![(chosen.network, chosen.sampler)];
        let watching = BatchPlan { batch: 50, ..BatchPlan::default() };
        let learning = NetworkLearning { steps: 30, watching, parameters: FactorSettings::new(6) };
        let own = learning.learn(&networks, seed).unwrap();
        (Yardstick { copies: None, sampling }.start(networks, learning, chosen.kind, seed), own)
    }

    fn explained(network: Network, seed: u64) -> Explained {
        let (mut measurement, mut own) = started(network, seed);
        while measurement.advance(Duration::MAX, &Stop::default()).unwrap() == Status::Running {}
        measurement.explained(&mut own).unwrap()[0]
    }

    #[test]
    fn rewired_networks_have_hardly_ever_structure_beyond_their_degrees() {
        for name in ["karate", "lesmis"] {
            let network = embedded(name).unwrap().unweighted();
            let null = |seed| {
                let copy = rewired_until(&network, DEFAULT_PROPOSALS, 1000 + seed, &|| false).unwrap();
                explained(copy, seed)
            };
            let all: Vec<Explained> = (0..40).map(null).collect();
            // With a chance of 1 in 20 each, more than six of forty are less likely than 1 in 200.
            let claimed = all.iter().filter(|one| one.is_beyond_degrees() == Some(true)).count();
            assert!(claimed <= 6, "{name}: {claimed} of 40");
            // Nothing is left of what atoms gain from being learned from the network itself.
            let gains: Vec<f64> = all.iter().map(|one| one.beyond_degrees.unwrap().value).collect();
            let (mean, scatter) = mean_and_scatter(&gains);
            assert!(mean.abs() < 4.0 * (scatter / 40.0).sqrt(), "{name}: {mean}");
            assert!(explained(network, 0).copies == COPIES);
        }
    }

    #[test]
    fn structure_beyond_degrees_is_found_with_few_patches() {
        // 1500 patches for each dictionary; with the 10,000 of the defaults it is ten standard errors.
        let lesmis = embedded("lesmis").unwrap().unweighted();
        let found = (0..8).filter(|seed| explained(lesmis.clone(), *seed).is_beyond_degrees() == Some(true));
        assert!(found.count() >= 6);
    }

    #[test]
    fn interrupted_comparisons_have_no_copies_and_end_as_others_when_they_are_resumed() {
        let karate = || embedded("karate").unwrap();
        let whole = explained(karate(), 3);
        assert!(whole.rewired.is_some() && whole.beyond_degrees.is_some());
        for steps in [0, 1, 30, 45, 89] {
            let (mut first, mut own) = started(karate(), 3);
            let stop = Stop::after(steps);
            while first.advance(Duration::ZERO, &stop).unwrap() != Status::Stopped {}
            let part = first.explained(&mut own).unwrap()[0];
            assert_eq!((part.atoms, part.rewired, part.copies), (whole.atoms, None, 0));
            let mut state = Sections::default();
            first.save(&mut state).unwrap();
            let state = Sections::from_bytes(&state.to_bytes().unwrap()).unwrap();
            let (mut again, _) = started(karate(), 3);
            again.restore(&state).unwrap();
            assert_eq!(again.copies(), first.copies());
            while again.advance(Duration::ZERO, &Stop::default()).unwrap() == Status::Running {}
            assert_eq!(again.explained(&mut own).unwrap()[0], whole, "after {steps}");
        }
    }

    #[test]
    fn long_walks_are_fewer() {
        assert_eq!([2, 21, 100, 129, 130, 500, 5000].map(walks), [2000, 2000, 2000, 2000, 1985, 134, 100]);
    }

    #[test]
    fn networks_without_room_for_copies_are_no_error() {
        let star: Vec<(u32, u32)> = (1..9).map(|leaf| (0, leaf)).collect();
        let bipartite: Vec<(u32, u32)> = (0..12).map(|at| (at % 3, 3 + at % 4)).collect();
        for edges in [&star[..], &bipartite, &[(0, 1)]] {
            let nodes = 1 + edges.iter().map(|edge| edge.0.max(edge.1)).max().unwrap() as usize;
            let found = explained(Network::simple(nodes, edges).unwrap(), 0);
            assert!(found.atoms.value.is_finite() && found.atoms.standard_error.is_finite());
            // The only network with these degrees is the network itself.
            assert!(found.is_beyond_degrees() != Some(true), "{found:?}");
        }
        // A single cycle of three in a directed network, and paths out of it.
        let dead_ends = [(0, 1, 1.0), (1, 2, 1.0), (2, 0, 1.0), (2, 3, 1.0), (1, 4, 1.0)];
        let build = crate::data::Build { directed: true, ..crate::data::Build::default() };
        let ids = crate::data::NodeIds::numbered(5);
        let (directed, _) = Network::build(ids, &dead_ends, false, build).unwrap();
        assert!(explained(directed, 0).atoms.value > 0.5);
    }
}
