//! Samplers of homomorphisms under way: chains, what they drew, and where they are.

use crate::error::to_py_err;
use crate::network::Network;
use crate::page::{NetworkLabel, write};
use crate::sampling::{Sampling, spelled};
use crate::value::to_python;
use crate::work::{Watch, long, short};
use ergodict::chain::diagnostics::{Acceptance, Mixing};
use ergodict::chain::{
    ChosenSampler, Density, Macc, Motif, MotifObservable, MotifPoint, MotifSampler, MotifWalker, SamplerKind,
    SamplingSettings, Tally, Use,
};
use ergodict::data::Adjacency;
use ergodict::patch::{MeasureSeries, Measures, NetworkPatches};
use ergodict::rng::{Purpose, ids, stream};
use ergodict::{Error, Result, memory};
use ergodict_pages::sample::{PATCHES, SamplePage};
use numpy::{IntoPyArray, PyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rayon::prelude::*;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;

/// Homomorphisms between looks at the watch.
const PIECE: usize = 1 << 10;
/// Homomorphisms that a chain draws at a time.
const BLOCK: usize = 64;
/// Homomorphisms and proposals that no chain comes to in a lifetime.
const MOST: u64 = 1 << 60;
/// Bytes that there always are.
const SMALL: u64 = 1 << 20;
/// Steps of chains up to which no thread is worth its start: some tens of microseconds.
const FEW: u64 = 256;
/// Draws that a density is estimated from at most, as the command line has it.
const MOST_DRAWS: u64 = 10_000_000;

/// Chains of homomorphisms of a motif into a network.
#[pyclass(frozen, module = "ergodict._ergodict")]
pub(crate) struct Sampler {
    /// The part that is sampled.
    network: Arc<ergodict::data::Network>,
    /// The numbers that its nodes have in the whole network, where it is not all of it.
    places: Option<Vec<u32>>,
    chain: Arc<dyn MotifSampler>,
    /// Nodes of the motif, its name and its edges.
    #[pyo3(get)]
    k: usize,
    #[pyo3(get)]
    motif: String,
    #[pyo3(get)]
    edges: Vec<(u32, u32)>,
    kind: SamplerKind,
    /// The sampler's name, and whether homomorphisms are independent of each other.
    #[pyo3(get, name = "sampler")]
    name: String,
    #[pyo3(get)]
    independent: bool,
    /// What there is to say of the sampler on this network.
    #[pyo3(get)]
    notes: Vec<String>,
    /// Whether patches are of zeros and ones.
    #[pyo3(get)]
    bits: bool,
    sampling: Sampling,
    seed: u64,
    /// Seconds that it took to make.
    set_up: f64,
    walkers: Mutex<Vec<MotifWalker>>,
    patches: OnceLock<NetworkPatches>,
}

#[pymethods]
impl Sampler {
    /// Chains at their start.
    #[new]
    fn new(
        py: Python<'_>,
        network: &Network,
        sampling: Sampling,
        seed: u64,
        n_jobs: Option<i64>,
    ) -> PyResult<Self> {
        let (motif, chains) = (sampling.motif()?, sampling.settings.chains());
        let started = Instant::now();
        // A chain has a block of homomorphisms, and a copy of it while it goes on.
        let blocks = chains.saturating_mul((2 * BLOCK * 4 * motif.k()) as u64);
        memory::check(blocks, &format!("{chains} chains"), "ask for fewer").map_err(to_py_err)?;
        long(py, n_jobs, None, |_| {
            let ChosenSampler { network, sampler, kind, nodes: places, notes } =
                sampling.choose(&network.inner, &motif, Use::Estimate, seed)?;
            let walker = |id| sampling.settings.walker(&sampler, seed, id);
            let walkers = (0..chains).into_par_iter().map(walker).collect::<Result<Vec<_>>>()?;
            let motif = sampler.motif();
            Ok(Self {
                k: motif.k(),
                motif: motif.name().to_owned(),
                edges: motif.edges().to_vec(),
                name: kind.to_string(),
                independent: sampler.is_independent(),
                notes: spelled(&network.weights_note().into_iter().chain(notes).collect::<Vec<_>>()),
                bits: !network.is_weighted(),
                network,
                places,
                chain: Arc::clone(&sampler),
                kind,
                sampling: sampling.clone(),
                seed,
                set_up: started.elapsed().as_secs_f64(),
                walkers: Mutex::new(walkers),
                patches: OnceLock::new(),
            })
        })
    }

    /// Homomorphisms drawn.
    #[getter]
    fn drawn(&self) -> u64 {
        self.walkers().iter().map(|walker| walker.point().kept).sum()
    }

    /// Proposals accepted and made, of all chains.
    #[getter]
    fn acceptance(&self) -> (u64, u64) {
        let all = self.accepted();
        (all.accepted, all.proposed)
    }

    /// The share of accepted proposals, for samplers that reject any.
    #[getter]
    fn rate(&self) -> Option<f64> {
        let tree = self.chain.motif().tree().is_some();
        let never = self.kind == SamplerKind::Glauber || self.kind == SamplerKind::Exact && tree;
        let all = self.accepted();
        (all.proposed > 0 && (!never || self.sampling.settings.injective)).then(|| all.rate())
    }

    /// The next homomorphisms, chain by chain, as numbers of nodes.
    fn draw<'py>(
        &self,
        py: Python<'py>,
        count: u64,
        n_jobs: Option<i64>,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let xs = self.drawn_chains(py, count, n_jobs, progress, &|_| Ok(()))?.0.concat();
        let number = |&v: &u32| i64::from(self.places.as_ref().map_or(v, |places| places[v as usize]));
        Ok(xs.iter().map(number).collect::<Vec<_>>().into_pyarray(py))
    }

    /// The patches of the next homomorphisms, row by row.
    fn draw_patches<'py>(
        &self,
        py: Python<'py>,
        count: u64,
        n_jobs: Option<i64>,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let k = self.k;
        check_room(count, 8 * k * k)?;
        let xs = self.drawn_chains(py, count, n_jobs, progress, &|_| Ok(()))?.0.concat();
        let patches = self.patches.get_or_init(|| NetworkPatches::new(&self.network, k, Adjacency::BUDGET));
        let mut out = vec![0.0; xs.len() * k];
        short(py, || {
            let rows = xs.chunks_exact(k).zip(out.chunks_exact_mut(k * k));
            rows.for_each(|(x, row)| patches.write(x, row));
            Ok(())
        })?;
        Ok(out.into_pyarray(py))
    }

    /// Estimates about the network and the sampler from the next homomorphisms.
    fn measure<'py>(
        &self,
        py: Python<'py>,
        count: u64,
        density: bool,
        macc: bool,
        larger: Option<&str>,
        #[pyo3(from_py_with = crate::list::maybe_list)] larger_edges: Option<Vec<(u32, u32)>>,
        n_jobs: Option<i64>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let wanted = Estimates { density, macc, larger, larger_edges };
        let drawn = self.look(py, count, wanted, n_jobs, progress)?;
        to_python(py, &self.measurements(&drawn))
    }

    /// The observables of the next homomorphisms: the name of each, and its values along each chain.
    fn series<'py>(
        &self,
        py: Python<'py>,
        count: u64,
        n_jobs: Option<i64>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Vec<NamedSeries<'py>>> {
        let wanted = Estimates { density: false, macc: false, larger: None, larger_edges: None };
        let drawn = self.look(py, count, wanted, n_jobs, progress)?;
        let one = |(i, scalar): (usize, &MotifObservable)| {
            let chains = drawn.series(i).into_iter().map(|values| values.to_vec().into_pyarray(py));
            (scalar.to_string(), chains.collect())
        };
        Ok(drawn.measures.scalars.iter().enumerate().map(one).collect())
    }

    /// Writes the page of the next homomorphisms.
    #[expect(clippy::too_many_arguments, reason = "one place calls it")]
    fn report(
        &self,
        py: Python<'_>,
        path: PathBuf,
        network: NetworkLabel,
        count: u64,
        density: bool,
        macc: bool,
        larger: Option<&str>,
        #[pyo3(from_py_with = crate::list::maybe_list)] larger_edges: Option<Vec<(u32, u32)>>,
        n_jobs: Option<i64>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let started = Instant::now();
        // A command begins with the first homomorphism, and knows motifs by their names.
        let named = larger_edges.is_none() && larger.is_none_or(|name| Motif::SHAPES.contains(&name));
        let is_repeatable = self.drawn() == 0 && named && self.sampling.edges.is_none();
        let asked: Vec<&str> =
            [("density", density), ("conditional-density", larger.is_some()), ("macc", macc)]
                .into_iter()
                .filter_map(|(name, wanted)| wanted.then_some(name))
                .collect();
        let mut config = json!({ "count": count, "seed": self.seed });
        if !asked.is_empty() {
            config["observables"] = asked.join(",").into();
        }
        config["conditional"] = larger.unwrap_or("cycle").into();
        let settings = self.sampling.config(self.chain.motif(), self.kind).decided(Use::Estimate);
        if let (Value::Object(config), Ok(Value::Object(more))) =
            (&mut config, serde_json::to_value(settings))
        {
            config.extend(more.into_iter().filter(|(_, value)| !value.is_null()));
        }
        let drawn =
            self.look(py, count, Estimates { density, macc, larger, larger_edges }, n_jobs, progress)?;
        let seconds = started.elapsed().as_secs_f64();
        let mixing = |i: usize| Mixing::from_series(&drawn.series(i));
        let scalars = &drawn.measures.scalars;
        let part = &self.network;
        let word = |yes: bool, words: [&'static str; 2]| words[usize::from(!yes)];
        let page = SamplePage {
            name: network.name.clone(),
            what: format!(
                "{}, {}",
                word(part.is_directed(), ["directed", "undirected"]),
                word(part.is_weighted(), ["weighted", "unweighted"])
            ),
            nodes: part.nodes(),
            edges: part.edges(),
            motif: self.motif.clone(),
            k: self.k,
            kind: self.kind,
            independent: self.independent,
            kept: drawn.kept().iter().map(|&kept| kept as u64).collect(),
            rate: self.rate(),
            mixing: scalars.iter().enumerate().map(|(i, scalar)| (scalar.to_string(), mixing(i))).collect(),
            series: drawn.measured.iter().map(|one| &*one.series).collect(),
            patches: drawn.some_patches(self.k),
            conditional: drawn.has_conditional().then(|| mixing(scalars.len())),
            density: drawn.density,
            macc: drawn.macc(),
            config,
            is_repeatable,
            digest: Some(network.digest.clone())
                .filter(|digest| !digest.is_empty() && !network.name.starts_with('@')),
            notes: self.notes.clone(),
            set_up: self.set_up,
            seconds,
        };
        write(py, &path, page.report(), &network.input())
    }

    /// Where the chains are, as JSON.
    #[getter]
    fn state(&self) -> PyResult<String> {
        let points: Vec<MotifPoint> = self.walkers().iter().map(MotifWalker::point).collect();
        serde_json::to_string(&points).map_err(|e| PyValueError::new_err(e.to_string()))
    }

    /// Goes to where chains of the same sampler and seed were.
    fn seek(&self, py: Python<'_>, state: &str) -> PyResult<()> {
        let damaged = |why: String| PyValueError::new_err(format!("the state is damaged: {why}"));
        let points: Vec<MotifPoint> = serde_json::from_str(state).map_err(|e| damaged(e.to_string()))?;
        let mut walkers = self.walkers().clone();
        if points.len() != walkers.len() {
            return Err(damaged(format!("it is of {} chains, not of {}", points.len(), walkers.len())));
        }
        // Counts that no chain comes to would leave the range of numbers.
        let beyond = |p: &MotifPoint| {
            let Acceptance { accepted, proposed } = p.acceptance;
            p.kept > MOST || proposed > MOST || accepted > proposed
        };
        if points.iter().any(beyond) {
            return Err(damaged("its counts are of no chain".into()));
        }
        let walkers = long(py, None, None, move |_| {
            walkers.iter_mut().zip(&points).try_for_each(|(walker, point)| walker.seek(point))?;
            Ok(walkers)
        })?;
        *self.walkers() = walkers;
        Ok(())
    }
}

/// Refuses arrays that do not fit into memory.
fn check_room(count: u64, bytes: usize) -> PyResult<()> {
    let needed = count.saturating_mul(bytes as u64);
    // What the system has is read from files, which is not worth it for a few homomorphisms.
    if needed < SMALL {
        return Ok(());
    }
    memory::check(needed, &format!("{count} motif samples"), "ask for fewer").map_err(to_py_err)
}

impl Sampler {
    fn walkers(&self) -> MutexGuard<'_, Vec<MotifWalker>> {
        self.walkers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn accepted(&self) -> Acceptance {
        let mut all = Acceptance::default();
        self.walkers().iter().for_each(|walker| all.add(walker.acceptance()));
        all
    }

    /// The next homomorphisms of each chain, and what `look` makes of them. Homomorphism t of all is of chain t modulo their number, so that
    /// any way to ask for them gives each chain the same. When stopped, the chains are where they were.
    fn drawn_chains<R: Send>(
        &self,
        py: Python<'_>,
        count: u64,
        n_jobs: Option<i64>,
        progress: Option<&Bound<'_, PyAny>>,
        look: &(dyn Fn(&[u32]) -> Result<R> + Sync),
    ) -> PyResult<(Vec<Vec<u32>>, Vec<R>)> {
        let k = self.k;
        check_room(count, 12 * k)?;
        // A copy, so that no thread waits for the lock while holding the interpreter's.
        let mut walkers = self.walkers().clone();
        let (chains, before) = (walkers.len() as u64, walkers.iter().map(|w| w.point().kept).sum::<u64>());
        let wanted = |id: u64| {
            let upto = |total: u64| total / chains + u64::from(id < total % chains);
            (upto(before + count) - upto(before)) as usize
        };
        let done = AtomicU64::new(0);
        let go_on = |(id, walker): (u64, &mut MotifWalker), watch: Option<&Watch>| {
            let mut xs = vec![0; wanted(id) * k];
            for piece in xs.chunks_mut(PIECE * k) {
                if watch.is_some_and(Watch::stopped) {
                    return Err(Error::Interrupted);
                }
                walker.fill(piece);
                let now = (piece.len() / k) as u64;
                let all = done.fetch_add(now, Ordering::Relaxed) + now;
                watch.inspect(|watch| watch.at(all, count));
            }
            let looked = look(&xs)?;
            Ok((xs, looked))
        };
        let all: Vec<(Vec<u32>, R)> =
            if count.saturating_mul(self.sampling.settings.every) <= FEW && progress.is_none() {
                let walkers = &mut walkers;
                short(py, || (0..).zip(walkers.iter_mut()).map(|one| go_on(one, None)).collect())?
            } else {
                let walkers = &mut walkers;
                long(py, n_jobs, progress, |watch| {
                    let each = walkers.par_iter_mut().enumerate();
                    each.map(|(id, walker)| go_on((id as u64, walker), Some(watch))).collect()
                })?
            };
        *self.walkers() = walkers;
        Ok(all.into_iter().unzip())
    }

    /// Draws homomorphisms and measures them.
    fn look(
        &self,
        py: Python<'_>,
        count: u64,
        wanted: Estimates<'_>,
        n_jobs: Option<i64>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<SampleRecord> {
        let Estimates { density, macc, larger, larger_edges } = wanted;
        let own = self.chain.motif();
        let wants_larger = larger.is_some() || larger_edges.is_some();
        if matches!(self.kind, SamplerKind::Walk | SamplerKind::PivotApprox) && (wants_larger || macc) {
            return Err(PyValueError::new_err(format!(
                "conditional-density and macc are means over all motif samples, from which the sampler {} does not draw \
                 uniformly: use exact, pivot or glauber",
                self.kind
            )));
        }
        let named = larger.is_some_and(|name| Motif::SHAPES.contains(&name));
        let larger = wants_larger
            .then(|| {
                let (k, motif) = (named.then_some(own.k()), larger.map(str::to_owned));
                let settings = SamplingSettings { k, motif, ..SamplingSettings::default() };
                Sampling { settings, edges: larger_edges }.motif()
            })
            .transpose()?;
        let measures = Measures::new(&self.network, own, larger.as_ref(), macc).map_err(to_py_err)?;
        check_room(count, 40)?;
        let measure = |xs: &[u32]| {
            let mut measured = measures.none_yet();
            measures.measure(xs, &mut measured);
            Ok(measured)
        };
        let (chains, measured) = self.drawn_chains(py, count, n_jobs, progress, &measure)?;
        let density = density.then(|| {
            let mut rng = stream(self.seed, Purpose::Chain, ids::DENSITY);
            let draws = count.min(MOST_DRAWS) as usize;
            long(py, n_jobs, None, |_| Density::estimate(&self.network, own, draws, &mut rng))
        });
        Ok(SampleRecord { k: own.k(), chains, measured, density: density.transpose()?, measures })
    }

    /// What was measured, by the keys of the command line.
    fn measurements(&self, drawn: &SampleRecord) -> Value {
        let (SampleRecord { measures, measured, density, .. }, kept) = (drawn, drawn.kept());
        let stuck = !self.independent
            && !measured.iter().all(|one| one.moved)
            && kept.iter().all(|&kept| kept >= 100);
        let one = |name: &str, i: usize| {
            let mixing = Mixing::from_series(&drawn.series(i));
            let mixed = if stuck {
                Some(false)
            } else {
                let alone = kept.len() == 1 && !self.independent;
                mixing.converged(kept.len()).filter(|mixed| !(alone && *mixed))
            };
            json!({
                "observable": name,
                "mean": mixing.mean,
                "error": mixing.error,
                "sd": mixing.sd,
                "sd_error": mixing.sd_error,
                "autocorrelation_time": mixing.autocorrelation_time,
                "effective_sample_size": mixing.effective_sample_size,
                "ess_bulk": mixing.ess_bulk,
                "ess_tail": mixing.ess_tail,
                "r_hat": mixing.r_hat,
                "mixed": mixed,
            })
        };
        let observables: Vec<Value> =
            measures.scalars.iter().enumerate().map(|(i, scalar)| one(&scalar.to_string(), i)).collect();
        let conditional = drawn.has_conditional().then(|| one("conditional-density", measures.scalars.len()));
        json!({
            "observables": observables,
            "conditional_density": conditional,
            "density": density.map(|density| json!({
                "mean": density.value(),
                "log": density.log,
                "relative_error": density.relative_error,
                "exact": density.exact,
            })),
            "macc": drawn.macc(),
        })
    }
}

/// An observable and its values along each chain.
type NamedSeries<'py> = (String, Vec<Bound<'py, PyArray1<f64>>>);

/// What is to be estimated.
struct Estimates<'a> {
    density: bool,
    macc: bool,
    /// The larger motif of the conditional density, by its name or its edges.
    larger: Option<&'a str>,
    larger_edges: Option<Vec<(u32, u32)>>,
}

/// Homomorphisms that were measured.
struct SampleRecord {
    k: usize,
    chains: Vec<Vec<u32>>,
    measured: Vec<MeasureSeries>,
    density: Option<Density>,
    measures: Measures,
}

impl SampleRecord {
    /// Homomorphisms of each chain.
    fn kept(&self) -> Vec<usize> {
        self.chains.iter().map(|xs| xs.len() / self.k).collect()
    }

    /// An observable along each chain.
    fn series(&self, at: usize) -> Vec<&[f64]> {
        self.measured.iter().map(|one| one.series[at].as_slice()).collect()
    }

    fn has_conditional(&self) -> bool {
        self.measures.none_yet().series.len() > self.measures.scalars.len()
    }

    /// Average clustering coefficients over all chains.
    fn macc(&self) -> Option<Vec<f64>> {
        let parts = self.measured.iter().filter_map(|one| one.macc.as_ref());
        let sum = parts.cloned().reduce(|mut sum: Macc, part| {
            sum.merge(&part);
            sum
        });
        sum.map(|macc| self.measures.coefficients(&macc))
    }

    /// Patches of homomorphisms spread over all.
    fn some_patches(&self, k: usize) -> Vec<Vec<f64>> {
        let all = self.chains.iter().flat_map(|xs| xs.chunks_exact(k));
        let apart = (self.kept().iter().sum::<usize>() / PATCHES).max(1);
        let patch = |x: &[u32]| {
            let mut patch = vec![0.0; k * k];
            self.measures.patches.write(x, &mut patch);
            patch
        };
        all.step_by(apart).take(PATCHES).map(patch).collect()
    }
}
