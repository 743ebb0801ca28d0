//! A run of learning from networks: minibatches of patches, or rounds whose tasks others run.

use crate::aligned::view;
use crate::error::raised;
use crate::network::Network;
use crate::network_model::{NetworkModel, damaged};
use crate::sampling::{Ready, Sampling, inner, placed};
use crate::scheme::{Scheme, word};
use crate::sets::Raised;
use crate::time::Windows;
use crate::windows::{Null, Prepared, snapshots, timed, window};
use crate::work::{long, short};
use ergodict::chain::{Motif, SampledNetwork, SamplerKind, Use};
use ergodict::data::Times;
use ergodict::factor::{FactorSettings, Factorizer, Init};
use ergodict::linalg::{Mat, Scalar};
use ergodict::model::{Examples, Input};
use ergodict::patch::NetworkForm;
use ergodict::rng::{Purpose, derived, ids};
use ergodict::run::{
    self, ChangeTest, ExhaustiveSource, FirstDictionary, NetworkPlan, NetworkSource, Resumable,
    RoundLearning, RoundOutcome, RoundSource, RoundTask, RunPlan, Sections, StaticOptions, Window,
    WindowSource, Yardstick,
};
use ergodict::{Error, Result};
use numpy::PyReadonlyArray2;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Arguments about the run.
#[derive(FromPyObject, Clone)]
#[pyo3(from_item_all)]
struct Plan {
    steps: u64,
    batch: usize,
    examples: usize,
    /// Rewired copies to compare with, whether weights are used, and on which scale.
    rewired_copies: Option<usize>,
    weighted: bool,
    weights: String,
    snapshots: bool,
    seed: u64,
    /// Minibatches of the model that is gone on from; 0 without one.
    after: u64,
    /// What networks are called, and what is known of the files they came from.
    #[pyo3(from_py_with = crate::list::list)]
    names: Vec<String>,
    #[pyo3(from_py_with = crate::list::list)]
    digests: Vec<String>,
    /// Fresh patches of a window that errors and the change score are from.
    score_patches: usize,
    /// Permutations of times that changes are tested against.
    null_permutations: u64,
    /// Minibatches of the last networks, which came after those that were learned from at first.
    #[pyo3(from_py_with = crate::list::list)]
    more: Vec<u64>,
    /// How time is cut, where edges have times.
    timing: Option<Timing>,
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

/// What a configuration says of windows of time.
#[derive(FromPyObject, Clone)]
#[pyo3(from_item_all)]
struct Timing {
    timestamps: String,
    window: Option<String>,
    stride: Option<String>,
    windows: usize,
    cumulative: bool,
}

impl Timing {
    fn put(&self, config: &mut Value) {
        config["timestamps"] = json!(self.timestamps);
        match (&self.window, &self.stride) {
            (None, _) => config["windows"] = json!(self.windows),
            (Some(window), stride) => {
                config["window"] = json!(window);
                config["stride"] = json!(stride.as_ref().unwrap_or(window));
            }
        }
        if self.cumulative {
            config["cumulative"] = json!(true);
        }
    }
}

/// Arguments about a run in rounds.
#[derive(FromPyObject, Clone)]
#[pyo3(from_item_all)]
struct RoundPlan {
    rounds: u64,
    minibatches: u64,
    batch: usize,
    examples: usize,
    weighted: bool,
    weights: String,
    seed: u64,
    /// What the network is called, and what is known of its file.
    name: String,
    digest: String,
    /// What tells the network from others, also embedded ones.
    network: String,
}

/// What is learned from.
enum Data {
    /// Patches of networks.
    Networks(Plan),
    /// All homomorphisms at once.
    All(Plan),
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
    scheme: Scheme,
    sampling: Sampling,
    parameters: FactorSettings,
    motif: Motif,
    form: NetworkForm,
    kind: SamplerKind,
    notes: Vec<String>,
    any: Mutex<AnyRun>,
}

/// The first dictionary, unless that takes data.
fn first<T: Scalar>(
    random: bool,
    parameters: &FactorSettings,
    features: usize,
    seed: u64,
    init: Option<&Mat<f64>>,
) -> Result<Option<Factorizer<T>>> {
    match init {
        Some(w) => Factorizer::from_dictionary(parameters.clone(), w.cast::<T>().as_ref()).map(Some),
        None if random => Factorizer::random(parameters.clone(), features, seed).map(Some),
        None => Ok(None),
    }
}

/// The motif, the parameters checked for its patches, and the first dictionary that is given.
fn checked(
    py: Python<'_>,
    scheme: &Scheme,
    sampling: &Sampling,
    batch: usize,
    init: Option<&PyReadonlyArray2<'_, f64>>,
) -> PyResult<(Motif, FactorSettings, Option<Mat<f64>>)> {
    let motif = sampling.motif()?;
    let k = motif.k();
    if k < 2 {
        return Err(PyValueError::new_err("k is 1, but a patch of one node has no pair to learn from"));
    }
    let d = k.checked_mul(k).ok_or_else(|| PyValueError::new_err("a patch has too many numbers"))?;
    let parameters = scheme.parameters(py, d)?;
    scheme.fits(&parameters, d, batch).map_err(raised)?;
    let init = init.map(view).transpose()?;
    let init = init.map(|init| Mat::from_fn(init.ncols(), init.nrows(), |i, j| init[[j, i]]));
    Ok((motif, parameters, init))
}

#[pymethods]
impl Run {
    /// Networks with samplers in them, and nothing learned yet; `all` learns from all homomorphisms at once.
    #[new]
    #[pyo3(signature = (networks, plan, scheme, sampling, init=None, all=false, n_jobs=None, windows=None))]
    fn new(
        py: Python<'_>,
        #[pyo3(from_py_with = crate::list::list)] networks: Vec<PyRef<'_, Network>>,
        plan: Plan,
        scheme: Scheme,
        sampling: Sampling,
        init: Option<PyReadonlyArray2<'_, f64>>,
        all: bool,
        n_jobs: Option<i64>,
        windows: Option<PyRef<'_, Windows>>,
    ) -> PyResult<Self> {
        let (motif, parameters, init) = checked(py, &scheme, &sampling, plan.batch, init.as_ref())?;
        let networks = inner(&networks);
        let windows = windows.map(|windows| Arc::clone(&windows.inner));
        // Networks that have gone, and files of windows, come before.
        let unnamed = plan.names.len().saturating_sub(networks.len());
        let name = |at: usize| plan.names.get(unnamed + at).map_or("", |name| name);
        let span = |at: usize| plan.spans.get(at).copied().flatten();
        // Those that came later are followed, with minibatches of their own.
        let begun = networks.len() - plan.more.len().min(networks.len());
        let over_time = windows.is_some() || plan.snapshots;
        let (kind, motif, notes, drawn, series) = if over_time {
            let called: Vec<_> = (0..begun).map(|at| (name(at), span(at))).collect();
            let prepared = long(py, n_jobs, None, |_| {
                Ok(match &windows {
                    Some(windows) => timed(windows, &sampling, &motif, plan.seed),
                    None => snapshots(&networks[..begun], &called, &sampling, &motif, plan.seed),
                })
            })??;
            let Prepared { kind, motif, notes, drawn, series, null } = prepared;
            (kind, motif, notes, drawn, Some((series, null)))
        } else {
            let built = long(py, n_jobs, None, |_| {
                Ok(sampling.choose_all(&networks, &plan.names, &motif, Use::Learn, plan.seed))
            })??;
            let several = built.len() > 1;
            let note = |(at, ready): (usize, &Ready)| -> Vec<String> {
                let prefix = if several { format!("{}: ", name(at)) } else { String::new() };
                ready.notes.iter().map(|note| format!("{prefix}{note}")).collect()
            };
            let notes: Vec<String> = built.iter().enumerate().flat_map(note).collect();
            let (kind, motif) = (built[0].kind, built[0].drawn.1.motif().clone());
            (kind, motif, notes, built.into_iter().map(|ready| ready.drawn).collect(), None)
        };
        let any = |what: fn(&ergodict::data::Network) -> bool| drawn.iter().any(|drawn| what(&drawn.0));
        let (directed, weighted) = match (plan.form, &windows) {
            (Some(form), _) => form,
            (None, Some(windows)) => (windows.options().directed, windows.is_weighted()),
            (None, None) => {
                (any(ergodict::data::Network::is_directed), any(ergodict::data::Network::is_weighted))
            }
        };
        let form = NetworkForm::new(&motif, directed, weighted);
        let times = match &windows {
            Some(windows) => windows.rows().kind(),
            None => plan.kind()?,
        };
        let title = plan.timing.as_ref().and_then(|_| plan.names.first().cloned());
        let network_plan = NetworkPlan {
            steps: plan.steps,
            batches: sampling.watching(plan.batch),
            score_patches: plan.score_patches,
            times,
            form: form.clone(),
            sampler: kind,
            title,
            // A run before had the streams of the seed itself, and the same homomorphisms are not to be learned from twice.
            seed: match plan.after {
                0 => plan.seed,
                steps => derived(plan.seed, Purpose::Chain, ids::GOING_ON.saturating_add(steps)),
            },
        };
        let mut later = Vec::new();
        for ((at, network), &steps) in networks.iter().enumerate().skip(begun).zip(&plan.more) {
            let name = name(at);
            let made = window(network, (name, span(at)), &sampling, &motif, Some(kind), plan.seed);
            later.push((made.map_err(|error| placed(name, error))?.0, steps));
        }
        let beside = |(at, drawn): (usize, SampledNetwork)| Window {
            name: name(at).to_owned(),
            span: span(at),
            network: Arc::clone(&networks[at]),
            drawn: Ok(drawn),
        };
        let run = RunPlan {
            examples: examples(plan.examples, &sampling),
            yardstick: Some(Yardstick { copies: plan.rewired_copies, sampling: sampling.settings.clone() }),
            ..RunPlan::new("network learn", parameters.clone(), plan.seed)
        };
        let (d, seed) = (form.k * form.k, plan.seed);
        let any = if all {
            let options =
                StaticOptions { injective: sampling.settings.injective, ..StaticOptions::default() };
            let parameters = ExhaustiveSource::parameters(parameters.clone());
            let found = long(py, n_jobs, None, |watch| {
                let learned = || {
                    let source = ExhaustiveSource::new(name(0), &drawn[0].0, &motif, &options, seed)?;
                    let start = Factorizer::random(parameters.clone(), d, seed)?;
                    let plan = RunPlan { parameters, ..run };
                    let mut run = run::Run::new(plan, Box::new(source), Some(start))?;
                    run.run(None, watch.stop())?;
                    Ok(run)
                };
                Ok(learned())
            })?;
            AnyRun::F64(Box::new(found.map_err(|error: Error| placed(name(0), error))?))
        } else {
            let beside = drawn.into_iter().enumerate().map(beside).collect();
            let build = (series, beside, network_plan, later, (plan.before, plan.gone));
            let called = scheme.dictionary.calls(py);
            let (permutations, random) = (plan.null_permutations, scheme.settings.init == Init::Random);
            let (parameters, init) = (parameters.clone(), init.clone());
            if scheme.settings.f32 {
                let start: FirstDictionary<f32> =
                    Box::new(move |seed| first(random, &parameters, d, seed, init.as_ref()));
                AnyRun::F32(started(run, build, start, called, permutations).map_err(raised)?)
            } else {
                let start: FirstDictionary<f64> =
                    Box::new(move |seed| first(random, &parameters, d, seed, init.as_ref()));
                AnyRun::F64(started(run, build, start, called, permutations).map_err(raised)?)
            }
        };
        scheme.dictionary.raised.check()?;
        let data = if all { Data::All(plan) } else { Data::Networks(plan) };
        let any = Mutex::new(any);
        Ok(Self { data, scheme, sampling, parameters, motif, form, kind, notes, any })
    }

    /// A network with a sampler in it, to be learned from in rounds.
    #[staticmethod]
    #[pyo3(signature = (network, plan, scheme, sampling, init=None, n_jobs=None))]
    fn rounds(
        py: Python<'_>,
        network: PyRef<'_, Network>,
        plan: RoundPlan,
        scheme: Scheme,
        sampling: Sampling,
        init: Option<PyReadonlyArray2<'_, f64>>,
        n_jobs: Option<i64>,
    ) -> PyResult<Self> {
        let (motif, parameters, init) = checked(py, &scheme, &sampling, plan.batch, init.as_ref())?;
        let network = Arc::clone(&network.inner);
        let learning = RoundLearning {
            rounds: plan.rounds,
            chains: sampling.chains(),
            minibatches: plan.minibatches,
            batch: plan.batch,
            burn_in: sampling.settings.burn_in,
            every: sampling.settings.every,
            parameters: parameters.clone(),
        };
        learning.check().map_err(raised)?;
        let d = motif.k() * motif.k();
        let input = Input { name: plan.name.clone(), digest: plan.digest.clone() };
        let run = RunPlan {
            inputs: vec![input],
            examples: examples(plan.examples, &sampling),
            ..RunPlan::new("distributed learn", parameters.clone(), plan.seed)
        };
        let built = long(py, n_jobs, None, |_| {
            Ok(sampling.choose(&network, &motif, Use::Learn, None, plan.seed).and_then(|ready| {
                let (drawn, seed, init) = (&ready.drawn, plan.seed, init.as_ref());
                let random = scheme.settings.init == Init::Random;
                let (any, context) = if scheme.settings.f32 {
                    let start = first(random, &parameters, d, seed, init)?;
                    let source = RoundSource::<f32>::new(learning, &plan.name, drawn, ready.kind, seed)?;
                    let context = Arc::clone(source.context());
                    (AnyRun::F32(Box::new(run::Run::new(run, Box::new(source), start)?)), context)
                } else {
                    let start = first(random, &parameters, d, seed, init)?;
                    let source = RoundSource::<f64>::new(learning, &plan.name, drawn, ready.kind, seed)?;
                    let context = Arc::clone(source.context());
                    (AnyRun::F64(Box::new(run::Run::new(run, Box::new(source), start)?)), context)
                };
                Ok((ready, context, any))
            }))
        })?;
        let (ready, context, any) = built.map_err(|error| placed(&plan.name, error))?;
        let motif = ready.drawn.1.motif().clone();
        let form = context.form().clone();
        let (data, any) = (Data::Rounds(plan, context), Mutex::new(any));
        let (kind, notes) = (ready.kind, ready.notes);
        Ok(Self { data, scheme, sampling, parameters, motif, form, kind, notes, any })
    }

    /// Takes minibatches until there were so many in all, or as many as were planned. A signal stops it between two.
    #[pyo3(signature = (until=None, n_jobs=None, progress=None))]
    fn run(
        &mut self,
        py: Python<'_>,
        until: Option<u64>,
        n_jobs: Option<i64>,
        progress: Option<Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        if let Data::All(_) = self.data {
            return Err(PyValueError::new_err(
                "a dictionary of all homomorphisms is learned at once: there is nothing to go on with",
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
            _ => Err(PyValueError::new_err("only a run in rounds has tasks")),
        }
    }

    /// Forgets networks that were learned from and that nothing needs any more: gives how many windows have gone, from the first on.
    fn forget(&mut self) -> usize {
        dispatch!(self.any_mut(), run => run.forget())
    }

    /// What there is to say of the samplers.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.notes.clone()
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
        let networks = inner(&[network]);
        let Data::Networks(plan) = &mut self.data else {
            return Err(raised(damaged("all homomorphisms were learned from at once")));
        };
        if let Some(times) = times {
            plan.times = times;
        }
        let (kind, seed) = (plan.kind()?, plan.seed);
        let (sampling, motif, sampler) = (&self.sampling, &self.motif, Some(self.kind));
        let made = long(py, n_jobs, None, |_| {
            Ok(window(&networks[0], (&name, span), sampling, motif, sampler, seed))
        })?;
        let (next, _, _) = made.map_err(|error| placed(&name, error))?;
        let any = self.any.get_mut().unwrap_or_else(PoisonError::into_inner);
        dispatch!(any, run => run.follow(next, steps, kind)).map_err(raised)?;
        plan.spans.push(span);
        plan.names.push(name);
        plan.digests.push(digest);
        plan.more.push(steps);
        plan.snapshots = true;
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
                let surrogate = run.absorb(outcomes)?.surrogate;
                Ok(run.trainer().learned()?.aggregates().per_sample(surrogate))
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

    /// All that is needed to go on later, but for the networks.
    fn state<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let mut state = Sections::default();
        dispatch!(&*self.any(), run => run.save(&mut state)).map_err(raised)?;
        Ok(PyBytes::new(py, &state.to_bytes().map_err(raised)?))
    }

    /// Goes to where `state` was; `schedule` is another one than there.
    #[pyo3(signature = (bytes, schedule=None))]
    fn restore(&mut self, bytes: &[u8], schedule: Option<&str>) -> PyResult<()> {
        let state = Sections::from_bytes(bytes).map_err(raised)?;
        if let Some(schedule) = schedule {
            self.parameters.schedule = schedule.parse().map_err(raised)?;
            let schedule = self.parameters.schedule.clone();
            dispatch!(self.any_mut(), run => run.plan_mut().parameters.schedule = schedule);
        }
        dispatch!(self.any_mut(), run => run.restore(&state)).map_err(raised)
    }

    /// Goes on from a model that was learned elsewhere.
    fn continue_from(&mut self, model: PyRef<'_, NetworkModel>) -> PyResult<()> {
        let model = &model.model;
        let (found, needed) = ((model.w.rows(), model.w.cols()), (self.form.k.pow(2), self.parameters.atoms));
        if found != needed {
            return Err(PyValueError::new_err(format!(
                "the model has {} atoms of {} numbers, but {} of {} are needed",
                found.1, found.0, needed.1, needed.0
            )));
        }
        dispatch!(self.any_mut(), run => run.continue_from(model)).map_err(raised)
    }
}

/// How examples of atoms are looked for.
fn examples(each: usize, sampling: &Sampling) -> Examples {
    Examples {
        each,
        burn_in: sampling.settings.burn_in,
        every: sampling.settings.every,
        ..Examples::default()
    }
}

/// Windows, or networks side by side; how they are learned from; those that came later; and windows before.
type Build = (
    Option<(Box<dyn run::WindowSeries>, Null)>,
    Vec<Window>,
    NetworkPlan,
    Vec<(Window, u64)>,
    (usize, usize),
);

/// A run at its beginning.
fn started<T: Scalar>(
    run: RunPlan,
    (series, beside, plan, later, (before, gone)): Build,
    first: FirstDictionary<T>,
    called: Option<Raised>,
    permutations: u64,
) -> Result<Box<run::Run<T>>> {
    let (times, start) = (plan.times, first(run.seed));
    let mut run = match series {
        None => run::Run::new(run, Box::new(NetworkSource::new(beside, plan)?), start?)?,
        Some((series, null)) => {
            let windows = series.len();
            let source = WindowSource::after(series, plan.clone(), before, gone)?;
            let mut run = run::Run::new(run, Box::new(source), start?)?;
            match null {
                Err(reason) => run.leave_untested(reason),
                _ if permutations == 0 => run.leave_untested("no permutations are asked for"),
                _ if windows < 2 => run.leave_untested("there is only one window"),
                // Networks before these are not there any more.
                Ok(_) if gone > 0 => {}
                Ok((appearances, window)) => {
                    run.test_change(ChangeTest::new(permutations, appearances, window, plan, first));
                }
            }
            run
        }
    };
    if let Some(called) = called {
        run.guard(Box::new(move || called.is_some()));
    }
    later.into_iter().try_for_each(|(window, steps)| run.follow(window, steps, times))?;
    Ok(Box::new(run))
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
            Data::Networks(plan) | Data::All(plan) => {
                plan.names.iter().zip(&plan.digests).map(input).collect()
            }
            Data::Rounds(plan, _) => vec![input((&plan.name, &plan.digest))],
        }
    }

    /// Every parameter that has a say in the result, as `--config` of the command line takes it; that of rounds it refuses.
    fn config(&self) -> Value {
        let mut config = self.scheme.config(&self.parameters);
        let mut sampling = json!(self.sampling.config(&self.motif, self.kind));
        let (examples, seed) = match &self.data {
            Data::Networks(plan) | Data::All(plan) => (plan.examples, plan.seed),
            Data::Rounds(plan, _) => (plan.examples, plan.seed),
        };
        (config["examples"], config["seed"]) = (json!(examples), json!(seed));
        let (weighted, weights) = match &self.data {
            Data::Networks(plan) | Data::All(plan) => (plan.weighted, &plan.weights),
            Data::Rounds(plan, _) => (plan.weighted, &plan.weights),
        };
        if weighted {
            config["weighted"] = json!(true);
        }
        config["weights"] = json!(weights);
        match &self.data {
            Data::All(_) => {
                config["static"] = json!(true);
                for key in ["sampler", "every", "burn-in", "chains"] {
                    sampling.as_object_mut().map(|sampling| sampling.remove(key));
                }
            }
            Data::Rounds(plan, _) => {
                config["rounds"] = json!(self.made().0);
                config["minibatches"] = json!(plan.minibatches);
                config["batch"] = json!(plan.batch);
            }
            Data::Networks(plan) => {
                config["steps"] = self.steps_of_each(plan);
                config["batch"] = json!(plan.batch);
                if let Some(timing) = &plan.timing {
                    timing.put(&mut config);
                } else if plan.snapshots {
                    config["snapshots"] = json!(true);
                }
                if dispatch!(&*self.any(), run => run.source().stats().windows.is_some()) {
                    config["score-patches"] = json!(plan.score_patches);
                    config["null-permutations"] = json!(plan.null_permutations);
                } else if let Some(copies) = plan.rewired_copies {
                    config["rewired-copies"] = json!(copies);
                }
            }
        }
        if let (Value::Object(config), Value::Object(sampling)) = (&mut config, sampling) {
            config.extend(sampling);
        }
        config
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
                    None => plan.steps,
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
