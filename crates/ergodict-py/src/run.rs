//! A run of learning from networks: minibatches of patches, or rounds whose tasks others run.

use crate::aligned::view;
use crate::error::{keyword, to_py_err};
use crate::network::Network;
use crate::network_model::{NetworkModel, damaged};
use crate::sampling::{Sampling, in_network, inner, sampled, spelled};
use crate::scheme::{Scheme, settings, word};
use crate::time::Windows;
use crate::work::{Watch, long, short};
use ergodict::chain::{ChosenSampler, Motif, SamplerKind, Use};
use ergodict::data::Times;
use ergodict::factor::{Factorizer, LearnSettings};
use ergodict::linalg::{Mat, Scalar};
use ergodict::model::{Examples, Input};
use ergodict::patch::NetworkForm;
use ergodict::rng::{Purpose, derived, ids};
use ergodict::run::{
    self, ExhaustiveSource, NetworkData, NetworkPlan, Resumable, RoundLearning, RoundOutcome, RoundSource,
    RoundTask, RunPlan, Sections, StaticOptions, Window, Yardstick,
};
use ergodict::settings::{NetworkSettings, Settings};
use ergodict::{Note, Result};
use numpy::PyReadonlyArray2;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Arguments about the run that are no settings.
#[derive(FromPyObject, Clone)]
#[pyo3(from_item_all)]
struct Plan {
    /// Minibatches of the model that is gone on from; 0 without one.
    after: u64,
    /// What networks are called, and what is known of the files they came from.
    #[pyo3(from_py_with = crate::list::list)]
    names: Vec<String>,
    #[pyo3(from_py_with = crate::list::list)]
    digests: Vec<String>,
    /// Minibatches of the last networks, which came after those that were learned from at first.
    #[pyo3(from_py_with = crate::list::list)]
    more: Vec<u64>,
    /// When each network begins and ends, where that is known, and what such times are.
    #[pyo3(from_py_with = crate::list::list)]
    spans: Vec<Option<(f64, f64)>>,
    times: String,
    /// Windows of the model that is gone on from.
    before: usize,
    /// Windows before the networks that are given, with those of that model: their networks are not needed any more.
    gone: usize,
    /// Whether patches are directed and weighted; by default what the networks say, all of which must be given then.
    form: Option<(bool, bool)>,
}

impl Plan {
    /// What times are, by the words that a model file has for it.
    fn kind(&self) -> PyResult<Times> {
        word("times", &self.times)
    }
}

/// Arguments about a run in rounds that are no settings.
#[derive(FromPyObject, Clone)]
#[pyo3(from_item_all)]
struct RoundPlan {
    rounds: u64,
    minibatches: u64,
    /// What the network is called, and what is known of its file.
    name: String,
    digest: String,
    /// What identifies the network, also embedded ones.
    network: String,
}

/// The settings among arguments about a run, with those of time.
fn run_settings(plan: &Bound<'_, PyDict>) -> PyResult<NetworkSettings> {
    let others = ["names", "digests", "more", "spans", "form", "timing"];
    let mut all: NetworkSettings = settings(plan, &others)?;
    if let Some(timing) = plan.get_item("timing")?.filter(|timing| !timing.is_none()) {
        all.windows = settings(timing.cast()?, &[])?;
        if all.windows.window.is_some() {
            all.windows.windows = None;
        }
        all.windows = all.windows.decided();
    }
    Ok(all)
}

/// What is learned from.
enum Data {
    /// Patches of networks, or all homomorphisms at once.
    Networks(Plan),
    /// Rounds, with a place for tasks in this process.
    Rounds(RoundPlan, Arc<run::TaskContext>),
}

/// A run in its precision.
enum AnyRun {
    F32(Box<run::Run<f32>>),
    F64(Box<run::Run<f64>>),
}

/// Does the same with either.
macro_rules! dispatch {
    ($any:expr, $run:ident => $do:expr) => {
        match $any {
            AnyRun::F32($run) => $do,
            AnyRun::F64($run) => $do,
        }
    };
}

/// Learning in progress.
#[pyclass(module = "ergodict._ergodict")]
pub(crate) struct Run {
    data: Data,
    /// All settings, with what was chosen on the networks.
    settings: NetworkSettings,
    scheme: Scheme,
    /// The motif as the sampler has it.
    motif: Motif,
    form: NetworkForm,
    kind: SamplerKind,
    /// What there is to say of the samplers.
    #[pyo3(get)]
    notes: Vec<String>,
    any: Mutex<AnyRun>,
}

/// The first dictionary, unless that takes data.
fn first<T: Scalar>(
    learning: &LearnSettings,
    features: usize,
    seed: u64,
    init: Option<&Mat<f64>>,
) -> Result<Option<Factorizer<T>>> {
    match init {
        Some(w) => Factorizer::from_dictionary(learning.factor.clone(), w.cast::<T>().as_ref()).map(Some),
        None => Ok(learning.start(features, seed)?.0),
    }
}

/// Completes settings by the scheme and the motif, checked for its patches; also the first dictionary that is given.
fn checked(
    py: Python<'_>,
    settings: &mut NetworkSettings,
    scheme: &Scheme,
    sampling: &Sampling,
    init: Option<&PyReadonlyArray2<'_, f64>>,
) -> PyResult<(Motif, Option<Mat<f64>>)> {
    let motif = sampling.motif()?;
    let k = motif.k();
    if k < 2 {
        return Err(PyValueError::new_err("k is 1, but a patch of one node has no pair to learn from"));
    }
    let d = k.checked_mul(k).ok_or_else(|| PyValueError::new_err("a patch has too many numbers"))?;
    let parameters = scheme.parameters(py, d)?;
    scheme.fits(&parameters, d, settings.batch).map_err(to_py_err)?;
    settings.learning = scheme.decided(&parameters);
    settings.sampling = sampling.settings.clone();
    settings.check().map_err(to_py_err)?;
    let init = init.map(view).transpose()?;
    let init = init.map(|init| Mat::from_fn(init.ncols(), init.nrows(), |i, j| init[[j, i]]));
    Ok((motif, init))
}

/// How a run of these settings is made, but for its inputs.
fn run_plan(command: &str, settings: &NetworkSettings) -> RunPlan {
    let (copies, sampling) = (settings.rewired_copies, settings.sampling.clone());
    RunPlan {
        examples: Examples::from_settings(settings),
        yardstick: (command == NetworkSettings::COMMAND).then_some(Yardstick { copies, sampling }),
        ..RunPlan::new(command, settings.learning.factor.clone(), settings.seed)
    }
}

/// Networks, how they are learned from, the first dictionary, those that came later, and windows before.
type Start = (NetworkData, NetworkPlan, Option<Mat<f64>>, Vec<(Window, u64)>, (usize, usize));

/// A run at its beginning.
fn started<T: Scalar>(
    settings: &NetworkSettings,
    (data, plan, init, later, before): Start,
) -> Result<Box<run::Run<T>>> {
    let (times, d, learning) = (plan.times, plan.form.k * plan.form.k, settings.learning.clone());
    let first = Box::new(move |seed| first(&learning, d, seed, init.as_ref()));
    let run = run_plan(NetworkSettings::COMMAND, settings);
    let mut run = data.run(plan, run, first, settings.null_permutations, before)?;
    later.into_iter().try_for_each(|(window, steps)| run.follow(window, steps, times))?;
    Ok(Box::new(run))
}

/// A run on all homomorphisms of a network, which is over at once.
fn exhausted(
    settings: &NetworkSettings,
    name: &str,
    network: &Arc<ergodict::data::Network>,
    motif: &Motif,
    stop: &run::Stop,
) -> Result<run::Run<f64>> {
    let options = StaticOptions { injective: settings.sampling.injective, ..StaticOptions::default() };
    let source = ExhaustiveSource::new(name, network, motif, &options, settings.seed)?;
    let parameters = ExhaustiveSource::parameters(settings.learning.factor.clone());
    let start = Factorizer::random(parameters.clone(), motif.k() * motif.k(), settings.seed)?;
    let plan = RunPlan { parameters, ..run_plan(NetworkSettings::COMMAND, settings) };
    let mut run = run::Run::new(plan, Box::new(source), Some(start))?;
    run.run(None, stop)?;
    Ok(run)
}

/// A run in rounds at its beginning, and the place of its tasks.
fn in_rounds<T: Scalar>(
    settings: &NetworkSettings,
    learning: RoundLearning,
    name: &str,
    chosen: &ChosenSampler,
    init: Option<&Mat<f64>>,
) -> Result<(Box<run::Run<T>>, Arc<run::TaskContext>)> {
    let (k, seed) = (chosen.sampler.motif().k(), settings.seed);
    let start = first(&settings.learning, k * k, seed, init)?;
    let source = RoundSource::<T>::new(learning, name, &sampled(chosen), chosen.kind, seed)?;
    let context = Arc::clone(source.context());
    let run = run::Run::new(run_plan("distributed learn", settings), Box::new(source), start)?;
    Ok((Box::new(run), context))
}

#[pymethods]
impl Run {
    /// Networks with samplers in them, and nothing learned yet; `all` learns from all homomorphisms at once.
    #[new]
    #[pyo3(signature = (networks, plan, scheme, sampling, init=None, all=false, n_jobs=None, windows=None))]
    fn new(
        py: Python<'_>,
        #[pyo3(from_py_with = crate::list::list)] networks: Vec<PyRef<'_, Network>>,
        plan: &Bound<'_, PyDict>,
        scheme: Scheme,
        sampling: Sampling,
        init: Option<PyReadonlyArray2<'_, f64>>,
        all: bool,
        n_jobs: Option<i64>,
        windows: Option<PyRef<'_, Windows>>,
    ) -> PyResult<Self> {
        let mut settings = NetworkSettings { exhaustive: all, ..run_settings(plan)? };
        let plan: Plan = plan.extract()?;
        let (motif, init) = checked(py, &mut settings, &scheme, &sampling, init.as_ref())?;
        let (networks, seed) = (inner(&networks), settings.seed);
        let windows = windows.map(|windows| Arc::clone(&windows.inner));
        // Networks that have gone, and files of windows, come before.
        let unnamed = plan.names.len().saturating_sub(networks.len());
        let name = |at: usize| plan.names.get(unnamed + at).map_or("", |name| name);
        let span = |at: usize| plan.spans.get(at).copied().flatten();
        // Those that came later are followed, with minibatches of their own.
        let begun = networks.len() - plan.more.len().min(networks.len());
        let mut data = long(py, n_jobs, None, |_| {
            if let Some(windows) = &windows {
                return Ok(NetworkData::from_windows(Arc::clone(windows), &settings.sampling, &motif, seed)
                    .map_err(to_py_err));
            }
            let mut data = NetworkData::new(&settings.sampling, Use::Learn, &motif, settings.snapshots, seed);
            let mut networks = networks[..begun].iter().enumerate();
            let pushed = networks.try_for_each(|(at, network)| {
                let pushed = data.push(name(at), span(at), Arc::clone(network));
                pushed.map(drop).map_err(|error| in_network(name(at), error))
            });
            Ok(pushed.map(|()| data))
        })??;
        let over_time = windows.is_some() || settings.snapshots;
        let prefixed = over_time || begun > 1;
        let note = |(name, note): (String, Note)| match note.spelled(&keyword) {
            note if prefixed => format!("{name}: {note}"),
            note => note,
        };
        let notes = data.take_notes().into_iter().map(note).collect();
        let mut how = data.plan(&settings).map_err(to_py_err)?;
        let (kind, motif) = data.chosen().map(|(kind, motif)| (kind, motif.clone())).map_err(to_py_err)?;
        if let Some((directed, weighted)) = plan.form {
            how.form = NetworkForm::new(&motif, directed, weighted);
        }
        if windows.is_none() {
            how.times = plan.kind()?;
        }
        how.title = settings.windows.timestamps.as_ref().and_then(|_| plan.names.first().cloned());
        // A run before had the streams of the seed itself, and the same homomorphisms are not to be learned from twice.
        if plan.after > 0 {
            how.seed = derived(seed, Purpose::Chain, ids::GOING_ON.saturating_add(plan.after));
        }
        settings.sampling.sampler = Some(kind);
        let mut later = Vec::new();
        for ((at, network), &steps) in networks.iter().enumerate().skip(begun).zip(&plan.more) {
            let opened = Window::open(name(at), span(at), network, &settings.sampling, &motif, seed);
            later.push((opened.map_err(|error| in_network(name(at), error))?.0, steps));
        }
        let form = how.form.clone();
        let mut any = if all {
            let network = &data.drawn()[0].0;
            let run = |watch: &Watch| Ok(exhausted(&settings, name(0), network, &motif, watch.stop()));
            let run = long(py, n_jobs, None, run)?.map_err(|error| in_network(name(0), error))?;
            AnyRun::F64(Box::new(run))
        } else {
            let start = (data, how, init, later, (plan.before, plan.gone));
            if settings.learning.f32 {
                AnyRun::F32(started(&settings, start).map_err(to_py_err)?)
            } else {
                AnyRun::F64(started(&settings, start).map_err(to_py_err)?)
            }
        };
        if let Some(called) = scheme.dictionary.calls(py).filter(|_| !all) {
            dispatch!(&mut any, run => run.guard(Box::new(move || called.is_some())));
        }
        scheme.dictionary.raised.check()?;
        settings.sampling = sampling.config(&motif, kind);
        settings.snapshots &= settings.windows.timestamps.is_none();
        let (data, any) = (Data::Networks(plan), Mutex::new(any));
        Ok(Self { data, settings, scheme, motif, form, kind, notes, any })
    }

    /// A network with a sampler in it, to be learned from in rounds.
    #[staticmethod]
    #[pyo3(signature = (network, plan, scheme, sampling, init=None, n_jobs=None))]
    fn rounds(
        py: Python<'_>,
        network: PyRef<'_, Network>,
        plan: &Bound<'_, PyDict>,
        scheme: Scheme,
        sampling: Sampling,
        init: Option<PyReadonlyArray2<'_, f64>>,
        n_jobs: Option<i64>,
    ) -> PyResult<Self> {
        let mut settings = run_settings(plan)?;
        let plan: RoundPlan = plan.extract()?;
        let (motif, init) = checked(py, &mut settings, &scheme, &sampling, init.as_ref())?;
        let network = Arc::clone(&network.inner);
        let learning = RoundLearning {
            rounds: plan.rounds,
            chains: settings.plan().chains,
            minibatches: plan.minibatches,
            batch: settings.batch,
            burn_in: settings.sampling.burn_in,
            every: settings.sampling.every,
            parameters: settings.learning.factor.clone(),
        };
        learning.check().map_err(to_py_err)?;
        let built = long(py, n_jobs, None, |_| {
            Ok(sampling.choose(&network, &motif, Use::Learn, settings.seed).and_then(|chosen| {
                let (name, init) = (&plan.name, init.as_ref());
                let (any, context) = if settings.learning.f32 {
                    let (run, context) = in_rounds(&settings, learning, name, &chosen, init)?;
                    (AnyRun::F32(run), context)
                } else {
                    let (run, context) = in_rounds(&settings, learning, name, &chosen, init)?;
                    (AnyRun::F64(run), context)
                };
                Ok((chosen, context, any))
            }))
        })?;
        let (chosen, context, any) = built.map_err(|error| in_network(&plan.name, error))?;
        let (kind, notes, form) = (chosen.kind, spelled(&chosen.notes), context.form().clone());
        let motif = chosen.sampler.motif().clone();
        settings.sampling = sampling.config(&motif, kind);
        let (data, any) = (Data::Rounds(plan, context), Mutex::new(any));
        Ok(Self { data, settings, scheme, motif, form, kind, notes, any })
    }

    /// Takes minibatches until there were `until` in all, or as many as were planned. A signal stops it between two.
    #[pyo3(signature = (until=None, n_jobs=None, progress=None))]
    fn run(
        &mut self,
        py: Python<'_>,
        until: Option<u64>,
        n_jobs: Option<i64>,
        progress: Option<Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        if self.settings.exhaustive {
            return Err(PyValueError::new_err(
                "a dictionary of all motif samples is learned at once and cannot be continued",
            ));
        }
        let any = self.any_mut();
        let done = long(py, n_jobs, progress.as_ref(), |watch| {
            dispatch!(any, run => {
                run.run_with_progress(until, watch.stop(), &mut |made, planned, trainer| {
                    watch.at(made, until.or(planned).unwrap_or(made));
                    if let Some(factorizer) = &trainer.factorizer {
                        watch.figure(factorizer.aggregates().per_sample(factorizer.surrogate()));
                    }
                })
            })
            .map(drop)
        });
        self.scheme.dictionary.raised.check()?;
        done
    }

    /// Minibatches that were taken, and that are planned; rounds, of a run in rounds.
    fn made(&self) -> (u64, u64) {
        dispatch!(&*self.any(), run => {
            let made = run.source().made();
            (made, run.source().planned().unwrap_or(made))
        })
    }

    /// The minibatch before which the window ends that is learned from.
    #[getter]
    fn window_end(&self) -> u64 {
        dispatch!(&*self.any(), run => {
            let (source, stats) = (run.source(), run.source().stats());
            stats.windows.map_or_else(|| source.planned().unwrap_or(source.made()), |windows| windows.end)
        })
    }

    /// Steps of the scheme.
    #[getter]
    fn steps(&self) -> u64 {
        dispatch!(&*self.any(), run => run.trainer().steps())
    }

    /// The sampler, and whether patches are directed and weighted.
    #[getter]
    fn chosen(&self) -> (String, (bool, bool)) {
        (self.kind.to_string(), (self.form.directed, self.form.weighted))
    }

    /// The nodes and edges of the motif.
    #[getter]
    fn motif(&self) -> (usize, Vec<(u32, u32)>) {
        (self.motif.k(), self.motif.edges().to_vec())
    }

    /// The place that a run in rounds has, for tasks that run here as well.
    #[getter]
    fn place(&self) -> PyResult<crate::distributed::TaskContext> {
        match &self.data {
            Data::Rounds(_, place) => Ok(crate::distributed::TaskContext { place: Arc::clone(place) }),
            Data::Networks(_) => Err(PyValueError::new_err("only a run in rounds has tasks")),
        }
    }

    /// Forgets networks that were learned from and that nothing needs any more: gives how many windows have gone, from the first on.
    fn forget(&mut self) -> usize {
        dispatch!(self.any_mut(), run => run.forget())
    }

    /// Goes over to what the network became: `steps` minibatches of it are planned. A network without room for the motif is passed over. `times` is
    /// what the times of all spans are.
    #[pyo3(signature = (network, name, digest, steps, span=None, times=None, n_jobs=None))]
    fn follow(
        &mut self,
        py: Python<'_>,
        network: PyRef<'_, Network>,
        name: String,
        digest: String,
        steps: u64,
        span: Option<(f64, f64)>,
        times: Option<String>,
        n_jobs: Option<i64>,
    ) -> PyResult<()> {
        let (network, exhaustive) = (Arc::clone(&network.inner), self.settings.exhaustive);
        let plan = match &mut self.data {
            Data::Networks(plan) if !exhaustive => plan,
            _ => return Err(to_py_err(damaged("all motif samples were learned from at once"))),
        };
        if let Some(times) = times {
            plan.times = times;
        }
        let (kind, seed) = (plan.kind()?, self.settings.seed);
        let (sampling, motif) = (&self.settings.sampling, &self.motif);
        let opened =
            long(py, n_jobs, None, |_| Ok(Window::open(&name, span, &network, sampling, motif, seed)))?;
        let (next, _) = opened.map_err(|error| in_network(&name, error))?;
        let any = self.any.get_mut().unwrap_or_else(PoisonError::into_inner);
        dispatch!(any, run => run.follow(next, steps, kind)).map_err(to_py_err)?;
        plan.spans.push(span);
        plan.names.push(name);
        plan.digests.push(digest);
        plan.more.push(steps);
        self.settings.snapshots = self.settings.windows.timestamps.is_none();
        Ok(())
    }

    /// What each chain is to do in the next round, in the order of the chains.
    fn tasks<'py>(&mut self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        let any = self.any_mut();
        let tasks = short(py, || {
            dispatch!(any, run => run.tasks())?.iter().map(RoundTask::to_bytes).collect::<Result<Vec<_>>>()
        })?;
        Ok(tasks.iter().map(|bytes| PyBytes::new(py, bytes)).collect())
    }

    /// Makes the step from the outcomes of all chains, in their order; gives the surrogate per patch.
    fn absorb(
        &mut self,
        py: Python<'_>,
        #[pyo3(from_py_with = crate::list::list)] outcomes: Vec<Vec<u8>>,
    ) -> PyResult<f64> {
        let any = self.any_mut();
        short(py, || {
            let outcomes =
                outcomes.iter().map(|bytes| RoundOutcome::from_bytes(bytes)).collect::<Result<Vec<_>>>()?;
            dispatch!(any, run => {
                Ok(run.absorb(outcomes)?.surrogate)
            })
        })
    }

    /// How far the test of changes is, if it was interrupted.
    #[getter]
    fn unfinished(&self) -> Option<String> {
        dispatch!(&*self.any(), run => run.unfinished().filter(|_| run.is_learned()))
    }

    /// The seed.
    #[getter]
    fn seed(&self) -> u64 {
        dispatch!(&*self.any(), run => run.plan().seed)
    }

    /// What a checkpoint knows a run in rounds by, as JSON: more may be made than were planned.
    fn identity(&self) -> String {
        let mut settings = self.config();
        if let (Data::Rounds(plan, _), Some(settings)) = (&self.data, settings.as_object_mut()) {
            settings.remove("rounds");
            settings.insert("network".into(), json!(plan.network));
        }
        settings.to_string()
    }

    /// The model; `whole` is what a file has, with the networks, the mixing and the examples.
    #[pyo3(signature = (whole=true, n_jobs=None))]
    fn model(&mut self, py: Python<'_>, whole: bool, n_jobs: Option<i64>) -> PyResult<NetworkModel> {
        let (settings, inputs) = (self.config(), self.inputs());
        let any = self.any_mut();
        let model = long(py, n_jobs, None, |watch| {
            dispatch!(any, run => {
                run.plan_mut().settings = settings;
                run.plan_mut().inputs = inputs;
                if whole { run.finish_until(watch.stop()) } else { run.model() }
            })
        })?;
        Ok(NetworkModel { model })
    }

    /// Why what was learned may not be what it seems.
    #[pyo3(signature = (n_jobs=None))]
    fn warnings(&mut self, py: Python<'_>, n_jobs: Option<i64>) -> PyResult<Vec<String>> {
        let any = self.any_mut();
        let found = long(py, n_jobs, None, |_| dispatch!(any, run => run.warnings()))?;
        Ok(spelled(&found))
    }

    /// All that is needed to go on later, but for the networks.
    fn state<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let mut state = Sections::default();
        dispatch!(&*self.any(), run => run.save(&mut state)).map_err(to_py_err)?;
        Ok(PyBytes::new(py, &state.to_bytes().map_err(to_py_err)?))
    }

    /// Goes to where `state` was; `schedule` is another one than there.
    #[pyo3(signature = (bytes, schedule=None))]
    fn restore(&mut self, bytes: &[u8], schedule: Option<&str>) -> PyResult<()> {
        let state = Sections::from_bytes(bytes).map_err(to_py_err)?;
        if let Some(schedule) = schedule {
            let schedule: ergodict::factor::Schedule = schedule.parse().map_err(to_py_err)?;
            self.settings.learning.factor.schedule = schedule.clone();
            dispatch!(self.any_mut(), run => run.plan_mut().parameters.schedule = schedule);
        }
        dispatch!(self.any_mut(), run => run.restore(&state)).map_err(to_py_err)
    }

    /// Goes on from a model that was learned elsewhere.
    fn continue_from(&mut self, model: PyRef<'_, NetworkModel>) -> PyResult<()> {
        dispatch!(self.any_mut(), run => run.continue_from(&model.model)).map_err(to_py_err)
    }
}

impl Run {
    fn any(&self) -> MutexGuard<'_, AnyRun> {
        self.any.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn any_mut(&mut self) -> &mut AnyRun {
        self.any.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    /// What was learned from.
    fn inputs(&self) -> Vec<Input> {
        let input = |(name, digest): (&String, &String)| Input { name: name.clone(), digest: digest.clone() };
        match &self.data {
            Data::Networks(plan) => plan.names.iter().zip(&plan.digests).map(input).collect(),
            Data::Rounds(plan, _) => vec![input((&plan.name, &plan.digest))],
        }
    }

    /// Every parameter that has a say in the result, as `--config` of the command line takes it; that of rounds it refuses.
    fn config(&self) -> Value {
        let mut config = self.settings.config();
        match &self.data {
            Data::Networks(plan) if !self.settings.exhaustive => {
                config.insert("steps".into(), self.steps_of_each(plan));
            }
            Data::Networks(_) => {}
            Data::Rounds(plan, _) => {
                config.remove("steps");
                config.insert("rounds".into(), json!(self.made().0));
                config.insert("minibatches".into(), json!(plan.minibatches));
            }
        }
        Value::Object(config)
    }

    /// Minibatches, of snapshots those of each. What no run of the command line repeats is a list, which `--config` refuses: snapshots that were
    /// learned from for unequal times, and the run of a model before the one that went on from it.
    fn steps_of_each(&self, plan: &Plan) -> Value {
        let any = self.any();
        let (stats, planned) = dispatch!(&*any, run => (run.source().stats(), run.source().planned()));
        let mut each = match stats.windows {
            None => vec![planned.unwrap_or(0)],
            Some(windows) => {
                let kept = &windows.over_time.windows;
                let learned: Vec<u64> = kept
                    .iter()
                    .skip(plan.before)
                    .filter(|window| window.passed_over.is_none())
                    .map(|window| window.begin)
                    .collect();
                let ends = learned.iter().skip(1).copied().chain([windows.end]);
                let each = learned.iter().zip(ends).map(|(begin, end)| end - begin);
                let series = windows.count - plan.more.len().min(windows.count);
                let later = (kept.len()..windows.count).map(|at| match at.checked_sub(series) {
                    Some(more) => plan.more[more],
                    None => self.settings.steps,
                });
                each.chain(later).collect()
            }
        };
        if plan.after > 0 {
            each.insert(0, plan.after);
        } else if each.iter().all(|steps| *steps == each[0]) {
            return json!(each[0]);
        }
        json!(each)
    }
}
