//! Network dictionary learning in progress.

use crate::aligned::view;
use crate::error::raised;
use crate::going::{Going, Patches};
use crate::network::Network;
use crate::network_model::{IN_MEMORY, NetworkModel, damaged};
use crate::sampling::{Ready, Sampling, inner, placed};
use crate::scheme::Scheme;
use crate::time::Windows;
use crate::windows::{Prepared, snapshots, timed, window};
use crate::work::long;
use ergodict::Result;
use ergodict::chain::rng::{Purpose, derived, ids};
use ergodict::chain::{Motif, SamplerKind, Samplers, mixed};
use ergodict::data::Times;
use ergodict::dictionary::{
    Drawn, Examples, HistoryPoint, Input, Kept, KeptChain, KeptNetwork, Model, NetworkSource,
    OverTimeOptions, StaticOptions, Window, WindowSource, learn_static,
};
use ergodict::factor::Parameters;
use ergodict::linalg::Mat;
use ergodict::patch::NetworkForm;
use numpy::PyReadonlyArray2;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;

/// Arguments about the run.
#[derive(FromPyObject, Clone)]
#[pyo3(from_item_all)]
struct Plan {
    steps: u64,
    batch: usize,
    examples: usize,
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
        serde_json::from_value(json!(self.times)).map_err(|error| PyValueError::new_err(error.to_string()))
    }
}

/// A network with samplers in it that stays in memory.
struct Held {
    /// The window, or its place among networks side by side.
    at: usize,
    name: String,
    drawn: Drawn,
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

/// What learns.
enum Engine {
    F32(Box<Going<f32>>),
    F64(Box<Going<f64>>),
    /// All homomorphisms at once: the model, and how many they were.
    Still(Box<Model>, u64),
}

/// Learning in progress.
#[pyclass(module = "ergodict._ergodict")]
pub(crate) struct NetworkLearner {
    plan: Plan,
    scheme: Scheme,
    sampling: Sampling,
    parameters: Parameters,
    motif: Motif,
    form: NetworkForm,
    kind: SamplerKind,
    /// Networks that stay in memory; none of windows of time.
    held: Vec<Held>,
    /// The first network of a run on one, whole, for when it changes.
    first: Option<Arc<ergodict::data::Network>>,
    notes: Vec<String>,
    engine: Engine,
}

#[pymethods]
impl NetworkLearner {
    /// Networks with samplers in them, and nothing learned yet; `all` learns from all homomorphisms at once.
    #[new]
    #[pyo3(signature = (networks, plan, scheme, sampling, init=None, all=false, n_jobs=None, windows=None))]
    #[expect(clippy::too_many_arguments, clippy::needless_pass_by_value, reason = "arguments of Python")]
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
        let motif = sampling.motif()?;
        let k = motif.k();
        if k < 2 {
            return Err(PyValueError::new_err("k is 1, but a patch of one node has no pair to learn from"));
        }
        let d = k.checked_mul(k).ok_or_else(|| PyValueError::new_err("a patch has too many numbers"))?;
        let parameters = scheme.parameters(d)?;
        scheme.fits(&parameters, d, plan.batch).map_err(raised)?;
        let init = init.as_ref().map(view).transpose()?;
        let init = init.map(|init| Mat::from_fn(init.ncols(), init.nrows(), |i, j| init[[j, i]]));
        let networks = inner(&networks);
        let windows = windows.map(|windows| Arc::clone(&windows.inner));
        // Networks that have gone, and files of windows, come before.
        let unnamed = plan.names.len().saturating_sub(networks.len());
        let name = |at: usize| plan.names.get(unnamed + at).map_or("", |name| name);
        let span = |at: usize| plan.spans.get(at).copied().flatten();
        // Those that came later are followed, with minibatches of their own.
        let begun = networks.len() - plan.more.len().min(networks.len());
        let over_time = windows.is_some() || plan.snapshots;
        let (kind, motif, notes, drawn, mut series) = if over_time {
            let called: Vec<_> = (0..begun).map(|at| (name(at), span(at))).collect();
            let prepared = long(py, n_jobs, None, |_| {
                Ok(match &windows {
                    Some(windows) => timed(windows, &sampling, &motif, plan.seed),
                    None => snapshots(&networks[..begun], &called, &sampling, &motif, plan.seed),
                })
            })??;
            let Prepared { kind, motif, notes, drawn, series } = prepared;
            (kind, motif, notes, drawn, Some(series))
        } else {
            let built = long(py, n_jobs, None, |_| {
                Ok(sampling.choose_all(&networks, &plan.names, &motif, None, plan.seed))
            })??;
            let several = built.len() > 1;
            let note = |(at, ready): (usize, &Ready)| -> Vec<String> {
                let prefix = if several { format!("{}: ", name(at)) } else { String::new() };
                ready.notes.iter().map(|note| format!("{prefix}{note}")).collect()
            };
            let notes: Vec<String> = built.iter().enumerate().flat_map(note).collect();
            let (kind, motif) = (built[0].kind, built[0].drawn.1.motif().clone());
            let drawn: Vec<(usize, Drawn)> = built.into_iter().map(|ready| ready.drawn).enumerate().collect();
            (kind, motif, notes, drawn, None)
        };
        let of_any =
            |what: fn(&ergodict::data::Network) -> bool| drawn.iter().any(|(_, drawn)| what(&drawn.0));
        let (directed, weighted) = match (plan.form, &windows) {
            (Some(form), _) => form,
            (None, Some(windows)) => (windows.options().directed, windows.is_weighted()),
            (None, None) => {
                (of_any(ergodict::data::Network::is_directed), of_any(ergodict::data::Network::is_weighted))
            }
        };
        let form = NetworkForm::new(&motif, directed, weighted);
        // A run before had the streams of the seed itself, and the same homomorphisms are not to be learned from twice.
        let chains = match plan.after {
            0 => plan.seed,
            steps => derived(plan.seed, Purpose::Chain, ids::GOING_ON.saturating_add(steps)),
        };
        let options = |form: &NetworkForm, times: Times| OverTimeOptions {
            steps: plan.steps,
            watching: sampling.watching(plan.batch),
            patches: plan.score_patches,
            times,
            form: form.clone(),
            seed: chains,
        };
        let times = match &windows {
            Some(windows) => windows.rows().kind(),
            None => plan.kind()?,
        };
        let first_of_all = plan.gone + windows.as_ref().map_or(0, |windows| windows.len());
        let hold =
            |(at, drawn): (usize, Drawn)| Held { at: plan.gone + at, name: name(at).to_owned(), drawn };
        let mut held: Vec<Held> = drawn.into_iter().map(hold).collect();
        let mut later = Vec::new();
        for ((at, network), &steps) in networks.iter().enumerate().skip(begun).zip(&plan.more) {
            let name = name(at);
            let made = window(network, (name, span(at)), &sampling, &motif, Some(kind), plan.seed);
            let (made, _, _) = made.map_err(|error| placed(name, error))?;
            if let Ok(drawn) = &made.drawn {
                held.push(Held { at: first_of_all + at, name: name.to_owned(), drawn: drawn.clone() });
            }
            later.push((made, steps));
        }
        let mut source = || -> PyResult<Patches> {
            let Some(series) = series.take() else {
                let (watching, form) = (sampling.watching(plan.batch), form.clone());
                let drawn: Vec<Drawn> = held.iter().map(|held| held.drawn.clone()).collect();
                let source = NetworkSource::new(&drawn, &plan.names, plan.steps, watching, form, chains);
                return source.map(Patches::Beside).map_err(raised);
            };
            let source = WindowSource::after(series, options(&form, times), plan.before, plan.gone);
            let mut source = source.map_err(raised)?;
            for (window, steps) in std::mem::take(&mut later) {
                source.follow(window, steps).map_err(raised)?;
            }
            Ok(Patches::OverTime(source))
        };
        let random = scheme.init.as_deref() == Some("random");
        let engine = if all {
            let options = StaticOptions { injective: sampling.injective(), ..StaticOptions::default() };
            let found = long(py, n_jobs, None, |_| {
                Ok(learn_static(&held[0].drawn.0, &motif, &parameters, &options, plan.seed))
            })?;
            let learned = found.map_err(|error| placed(name(0), error))?;
            let mut model = Model::of(&learned.factoriser, "network", plan.seed);
            for (t, &loss) in (1u64..).zip(&learned.losses) {
                let samples = t * learned.homomorphisms;
                model.history.push(HistoryPoint { t, samples, loss, surrogate: loss });
            }
            Engine::Still(Box::new(model), learned.homomorphisms)
        } else if scheme.f32 {
            let start = (init.as_ref(), random);
            Engine::F32(Going::new(source()?, &parameters, d, plan.seed, start).map_err(raised)?)
        } else {
            let start = (init.as_ref(), random);
            Engine::F64(Going::new(source()?, &parameters, d, plan.seed, start).map_err(raised)?)
        };
        let first = if over_time || all || networks.len() != 1 { None } else { networks.into_iter().next() };
        Ok(Self { plan, scheme, sampling, parameters, motif, form, kind, held, first, notes, engine })
    }

    /// Takes minibatches until there were so many in all, or as many as were planned. A signal stops it between two.
    #[pyo3(signature = (until=None, n_jobs=None, progress=None))]
    #[expect(clippy::needless_pass_by_value, reason = "arguments of Python")]
    fn run(
        &mut self,
        py: Python<'_>,
        until: Option<u64>,
        n_jobs: Option<i64>,
        progress: Option<Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let (parameters, seed, progress) = (&self.parameters, self.plan.seed, progress.as_ref());
        match &mut self.engine {
            Engine::F32(going) => {
                long(py, n_jobs, progress, |watch| going.run(until, parameters, seed, watch))
            }
            Engine::F64(going) => {
                long(py, n_jobs, progress, |watch| going.run(until, parameters, seed, watch))
            }
            Engine::Still(..) => Err(PyValueError::new_err(
                "a dictionary of all homomorphisms is learned at once: there is nothing to go on with",
            )),
        }
    }

    /// Minibatches that were taken, and that are planned.
    fn made(&self) -> (u64, u64) {
        match &self.engine {
            Engine::F32(going) => (going.source.made(), going.source.minibatches()),
            Engine::F64(going) => (going.source.made(), going.source.minibatches()),
            Engine::Still(model, _) => (model.aggregates.t, model.aggregates.t),
        }
    }

    /// The minibatch before which the window ends that is learned from.
    #[getter]
    fn window_end(&self) -> u64 {
        match &self.engine {
            Engine::F32(going) => going.source.window_end(),
            Engine::F64(going) => going.source.window_end(),
            Engine::Still(model, _) => model.aggregates.t,
        }
    }

    /// Steps of the scheme.
    #[getter]
    fn steps(&self) -> u64 {
        match &self.engine {
            Engine::F32(going) => going.tracked.steps(),
            Engine::F64(going) => going.tracked.steps(),
            Engine::Still(model, _) => model.aggregates.t,
        }
    }

    /// The sampler, and whether patches are directed and weighted.
    #[getter]
    fn chosen(&self) -> (String, (bool, bool)) {
        (self.kind.to_string(), (self.form.directed, self.form.weighted))
    }

    /// Forgets networks that were learned from and that nothing needs any more: gives how many windows have gone, from the first on.
    fn forget(&mut self) -> usize {
        let gone = match &mut self.engine {
            Engine::F32(going) => going.forget(),
            Engine::F64(going) => going.forget(),
            Engine::Still(..) => 0,
        };
        self.held.retain(|held| held.at >= gone);
        gone
    }

    /// What there is to say of the samplers.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }

    /// Goes over to what the network became: `steps` minibatches of it are planned. A network without room for the motif is passed over. `times` is
    /// what the times of all spans are.
    #[pyo3(signature = (network, name, digest, steps, span=None, times=None, n_jobs=None))]
    #[expect(clippy::too_many_arguments, reason = "arguments of Python")]
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
        let several = self.held.len() > 1 && !self.is_over_time();
        if several {
            return Err(PyValueError::new_err(format!(
                "the number of networks is {}, but only a run on one network follows its changes",
                self.held.len()
            )));
        }
        let networks = inner(&[network]);
        if let Some(times) = times {
            self.plan.times = times;
        }
        let times = self.plan.kind()?;
        let (sampling, motif, seed) = (&self.sampling, &self.motif, self.plan.seed);
        let kind = Some(self.kind);
        let made =
            long(py, n_jobs, None, |_| Ok(window(&networks[0], (&name, span), sampling, motif, kind, seed)))?;
        let (next, _, _) = made.map_err(|error| placed(&name, error))?;
        let drawn = next.drawn.as_ref().ok().cloned();
        let chains = match self.plan.after {
            0 => seed,
            steps => derived(seed, Purpose::Chain, ids::GOING_ON.saturating_add(steps)),
        };
        let options = OverTimeOptions {
            steps: self.plan.steps,
            watching: sampling.watching(self.plan.batch),
            patches: self.plan.score_patches,
            times,
            form: self.form.clone(),
            seed: chains,
        };
        let before = self.plan.names.first().cloned().unwrap_or_default();
        let (whole, begun) = (self.first.clone(), self.held.first().map(|held| held.drawn.clone()));
        let begin = self.plan.spans.first().copied().flatten();
        let first = || {
            let (Some(network), Some(drawn)) = (whole, begun) else {
                return Err(damaged("the first network is not there"));
            };
            let first = Window { name: before.clone(), span: begin, network, drawn: Ok(drawn) };
            WindowSource::new(Box::new(vec![first]), options)
        };
        match &mut self.engine {
            Engine::F32(going) => going.follow(first, &before, next, steps, times),
            Engine::F64(going) => going.follow(first, &before, next, steps, times),
            Engine::Still(..) => Err(damaged("all homomorphisms were learned from at once")),
        }
        .map_err(raised)?;
        let at = match &self.engine {
            Engine::F32(going) => going.source.windows(),
            Engine::F64(going) => going.source.windows(),
            Engine::Still(..) => 1,
        } - 1;
        self.held.extend(drawn.map(|drawn| Held { at, name: name.clone(), drawn }));
        self.first = None;
        self.plan.spans.push(span);
        self.plan.names.push(name);
        self.plan.digests.push(digest);
        self.plan.more.push(steps);
        self.plan.snapshots = true;
        Ok(())
    }

    /// The model; `whole` is what a file has, with the networks, the mixing and the examples.
    #[pyo3(signature = (whole=true, n_jobs=None))]
    fn model(&self, py: Python<'_>, whole: bool, n_jobs: Option<i64>) -> PyResult<NetworkModel> {
        let config = self.config()?;
        let model = long(py, n_jobs, None, |_| self.finished(&config, whole))?;
        Ok(NetworkModel { model })
    }

    /// All that is needed to go on later, but for the networks.
    fn state<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let seed = self.plan.seed;
        let model = match &self.engine {
            Engine::F32(going) => going.state(seed),
            Engine::F64(going) => going.state(seed),
            Engine::Still(..) => Err(damaged("all homomorphisms were learned from at once")),
        };
        let bytes = model.and_then(|model| model.to_bytes(Path::new(IN_MEMORY))).map_err(raised)?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Goes to where `state` was.
    fn restore(&mut self, bytes: &[u8]) -> PyResult<()> {
        let model = Model::from_bytes(bytes, Path::new(IN_MEMORY), None).map_err(raised)?;
        match &mut self.engine {
            Engine::F32(going) => going.restore(&model),
            Engine::F64(going) => going.restore(&model),
            Engine::Still(..) => Err(damaged("all homomorphisms were learned from at once")),
        }
        .map_err(raised)
    }

    /// Goes on from a model that was learned elsewhere.
    #[expect(clippy::needless_pass_by_value, reason = "an argument of Python")]
    fn take(&mut self, model: PyRef<'_, NetworkModel>) -> PyResult<()> {
        let model = &model.model;
        let (found, needed) = ((model.w.rows(), model.w.cols()), (self.form.k.pow(2), self.parameters.atoms));
        if found != needed {
            return Err(PyValueError::new_err(format!(
                "the model has {} atoms of {} numbers, but {} of {} are needed",
                found.1, found.0, needed.1, needed.0
            )));
        }
        match &mut self.engine {
            Engine::F32(going) => going.take(model),
            Engine::F64(going) => going.take(model),
            Engine::Still(..) => Err(damaged("all homomorphisms were learned from at once")),
        }
        .map_err(raised)
    }
}

impl NetworkLearner {
    fn examples(&self) -> Examples {
        let (burn_in, every) = (self.sampling.burn_in, self.sampling.every);
        Examples { each: self.plan.examples, burn_in, every, ..Examples::default() }
    }

    /// Every parameter that has a say in the result, as `--config` of the command line takes it.
    fn config(&self) -> PyResult<Value> {
        let mut config = self.scheme.config(&self.parameters).map_err(raised)?;
        config["examples"] = json!(self.plan.examples);
        config["seed"] = json!(self.plan.seed);
        let mut sampling = json!({});
        self.sampling.config(&self.motif, self.kind).put(&mut sampling);
        if let Engine::Still(..) = self.engine {
            config["static"] = json!(true);
            for key in ["sampler", "every", "burn-in", "chains"] {
                sampling.as_object_mut().map(|sampling| sampling.remove(key));
            }
        } else {
            config["steps"] = self.steps_of_each();
            config["batch"] = json!(self.plan.batch);
            if let Some(timing) = &self.plan.timing {
                timing.put(&mut config);
            } else if self.plan.snapshots {
                config["snapshots"] = json!(true);
            }
            if self.is_over_time() {
                config["score-patches"] = json!(self.plan.score_patches);
            }
        }
        if let (Value::Object(config), Value::Object(sampling)) = (&mut config, sampling) {
            config.extend(sampling);
        }
        Ok(config)
    }

    /// Minibatches, of snapshots those of each. What no run of the command line repeats is a list, which `--config` refuses: snapshots that were
    /// learned from for unequal times, and the run of a model before the one that went on from it.
    fn steps_of_each(&self) -> Value {
        let source = match &self.engine {
            Engine::F32(going) => &going.source,
            Engine::F64(going) => &going.source,
            Engine::Still(model, _) => return json!(model.aggregates.t),
        };
        let mut each = match source {
            Patches::Beside(source) => vec![source.minibatches()],
            Patches::OverTime(source) => {
                let kept = &source.over_time().windows;
                let learned: Vec<u64> = kept
                    .iter()
                    .skip(self.plan.before)
                    .filter(|window| window.passed_over.is_none())
                    .map(|window| window.begin)
                    .collect();
                let ends = learned.iter().skip(1).copied().chain([source.point().end]);
                let each = learned.iter().zip(ends).map(|(begin, end)| end - begin);
                let series = source.windows() - self.plan.more.len().min(source.windows());
                let later = (kept.len()..source.windows()).map(|at| match at.checked_sub(series) {
                    Some(more) => self.plan.more[more],
                    None => self.plan.steps,
                });
                each.chain(later).collect()
            }
        };
        if self.plan.after > 0 {
            each.insert(0, self.plan.after);
        } else if each.iter().all(|steps| *steps == each[0]) {
            return json!(each[0]);
        }
        json!(each)
    }

    fn is_over_time(&self) -> bool {
        let source = match &self.engine {
            Engine::F32(going) => &going.source,
            Engine::F64(going) => &going.source,
            Engine::Still(..) => return false,
        };
        matches!(source, Patches::OverTime(_))
    }

    fn finished(&self, config: &Value, whole: bool) -> Result<Model> {
        let run = json!({ "command": "network learn", "config": config });
        let seed = self.plan.seed;
        let mut model = match &self.engine {
            Engine::F32(going) => going.tracked.finished("network", seed, run, &going.tracked.results()?)?,
            Engine::F64(going) => going.tracked.finished("network", seed, run, &going.tracked.results()?)?,
            Engine::Still(model, _) => Model { run, ..(**model).clone() },
        };
        match &self.engine {
            Engine::F32(going) => going.describe(&mut model),
            Engine::F64(going) => going.describe(&mut model),
            Engine::Still(..) => {}
        }
        model.network = Some(self.form.clone());
        let input = |(name, digest): (&String, &String)| Input { name: name.clone(), digest: digest.clone() };
        model.inputs = self.plan.names.iter().zip(&self.plan.digests).map(input).collect();
        if !whole {
            return Ok(model);
        }
        let (examples, chain, drawn, names);
        match &self.engine {
            Engine::F32(going) => {
                (drawn, names) = self.kept_networks(&going.source);
                (examples, chain) = (self.examples().kept::<f32>(&model, &drawn)?, self.chain(&going.source));
            }
            Engine::F64(going) => {
                (drawn, names) = self.kept_networks(&going.source);
                (examples, chain) = (self.examples().kept::<f64>(&model, &drawn)?, self.chain(&going.source));
            }
            Engine::Still(_, all) => {
                // All are learned from; some are drawn to look for examples among them.
                let chosen = Samplers { injective: self.sampling.injective(), ..Samplers::default() };
                let (network, _) = &self.held[0].drawn;
                let (_, sampler) = chosen.natural(network, &self.motif, seed)?;
                (drawn, names) = (vec![(network.clone(), sampler)], vec![self.held[0].name.clone()]);
                chain = KeptChain { all: Some(*all), ..KeptChain::default() };
                examples = self.examples().kept::<f64>(&model, &drawn)?;
            }
        }
        let of = |(drawn, name): (&Drawn, &String)| KeptNetwork::of(name, drawn, &self.examples(), seed);
        let networks = drawn.iter().zip(&names).map(of).collect::<Result<_>>()?;
        Kept { networks, chain: Some(chain), examples }.put(&mut model);
        Ok(model)
    }

    /// Networks that examples are looked for in, with their names: of windows of time the last one, which the dictionary is of.
    fn kept_networks(&self, source: &Patches) -> (Vec<Drawn>, Vec<String>) {
        match source {
            Patches::OverTime(source) if self.plan.timing.is_some() => {
                (vec![source.drawn().clone()], self.plan.names.iter().take(1).cloned().collect())
            }
            _ => self.held.iter().map(|held| (held.drawn.clone(), held.name.clone())).unzip(),
        }
    }

    fn chain(&self, source: &Patches) -> KeptChain {
        let independent = match source {
            Patches::OverTime(source) => source.drawn().1.is_independent(),
            Patches::Beside(_) => self.held.iter().all(|held| held.drawn.1.is_independent()),
        };
        let (rate, moved) = (source.acceptance().rate(), source.moved());
        KeptChain {
            sampler: self.kind.to_string(),
            independent,
            acceptance: (!independent && rate.is_finite()).then_some(rate),
            went_on: moved.went_on,
            restarted: moved.restarted,
            mixing: mixed(source.watched()),
            all: None,
        }
    }
}
