//! Learning in rounds, led from here: the tasks of the next round, and the step that their outcomes make.

use crate::aligned::view;
use crate::error::raised;
use crate::network::Network;
use crate::network_model::NetworkModel;
use crate::sampling::{Sampling, placed};
use crate::scheme::Scheme;
use crate::work::{long, short};
use ergodict::chain::{Motif, SamplerKind, mixed};
use ergodict::dictionary::{
    Drawn, Examples, Input, Kept, KeptChain, KeptNetwork, Model, RoundLearning, RoundOutcome, RoundPlace,
    RoundRun, RoundStart, RoundTask,
};
use ergodict::factor::Parameters;
use ergodict::linalg::{Mat, Scalar};
use ergodict::{Error, Result};
use numpy::PyReadonlyArray2;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What the configuration and the errors call it.
const COMMAND: &str = "distributed learn";

/// Arguments about the run.
#[derive(FromPyObject, Clone)]
#[pyo3(from_item_all)]
struct Plan {
    rounds: u64,
    minibatches: u64,
    batch: usize,
    examples: usize,
    seed: u64,
    /// What the network is called, and what is known of its file.
    name: String,
    digest: String,
    /// What tells the network from others, also embedded ones.
    network: String,
}

/// What learns.
enum Engine {
    F32(Box<RoundRun<f32>>),
    F64(Box<RoundRun<f64>>),
}

/// Does the same with either.
macro_rules! either {
    ($engine:expr, $run:ident => $do:expr) => {
        match $engine {
            Engine::F32($run) => $do,
            Engine::F64($run) => $do,
        }
    };
}

/// A run in rounds, between two of them.
#[pyclass(module = "ergodict._ergodict")]
pub(crate) struct RoundLearner {
    plan: Plan,
    scheme: Scheme,
    sampling: Sampling,
    parameters: Parameters,
    motif: Motif,
    kind: SamplerKind,
    drawn: Drawn,
    place: Arc<RoundPlace>,
    notes: Vec<String>,
    engine: Engine,
}

#[pymethods]
impl RoundLearner {
    /// A network with a sampler in it, and nothing learned yet.
    #[new]
    #[pyo3(signature = (network, plan, scheme, sampling, init=None, n_jobs=None))]
    #[expect(clippy::needless_pass_by_value, reason = "arguments of Python")]
    fn new(
        py: Python<'_>,
        network: PyRef<'_, Network>,
        plan: Plan,
        scheme: Scheme,
        sampling: Sampling,
        init: Option<PyReadonlyArray2<'_, f64>>,
        n_jobs: Option<i64>,
    ) -> PyResult<Self> {
        let (motif, asked) = (sampling.motif()?, sampling.asked()?);
        let k = motif.k();
        if k < 2 {
            return Err(PyValueError::new_err("k is 1, but a patch of one node has no pair to learn from"));
        }
        let d = k.checked_mul(k).ok_or_else(|| PyValueError::new_err("a patch has too many numbers"))?;
        let parameters = scheme.parameters(d)?;
        scheme.fits(&parameters, d, plan.batch).map_err(raised)?;
        let init = init.as_ref().map(view).transpose()?;
        let init = init.map(|init| Mat::from_fn(init.ncols(), init.nrows(), |i, j| init[[j, i]]));
        let network = Arc::clone(&network.inner);
        let learning = RoundLearning {
            rounds: plan.rounds,
            chains: sampling.chains,
            minibatches: plan.minibatches,
            batch: plan.batch,
            burn_in: sampling.burn_in,
            every: sampling.every,
            parameters: parameters.clone(),
        };
        learning.check().map_err(raised)?;
        let built = long(py, n_jobs, None, |_| {
            Ok(sampling.choose(&network, &motif, None, asked, plan.seed).and_then(|ready| {
                let place = Arc::new(RoundPlace::new(&ready.drawn));
                let engine = if scheme.f32 {
                    Engine::F32(Box::new(started(learning, &place, &scheme, init, plan.seed)?))
                } else {
                    Engine::F64(Box::new(started(learning, &place, &scheme, init, plan.seed)?))
                };
                Ok((ready, place, engine))
            }))
        })?;
        let (ready, place, engine) = built.map_err(|error| placed(&plan.name, error))?;
        let motif = ready.drawn.1.motif().clone();
        let (kind, drawn, notes) = (ready.kind, ready.drawn, ready.notes);
        Ok(Self { plan, scheme, sampling, parameters, motif, kind, drawn, place, notes, engine })
    }

    /// What there is to say of the sampler.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }

    /// The sampler, by its name.
    #[getter]
    fn sampler(&self) -> String {
        self.kind.to_string()
    }

    /// The nodes and edges of the motif.
    #[getter]
    fn motif(&self) -> (usize, Vec<(u32, u32)>) {
        (self.motif.k(), self.motif.edges().to_vec())
    }

    /// The place that it has, for tasks that run here as well.
    #[getter]
    fn place(&self) -> super::RoundPlace {
        super::RoundPlace { place: Arc::clone(&self.place) }
    }

    /// Rounds that were made, and that are planned.
    fn made(&self) -> (u64, u64) {
        (either!(&self.engine, run => run.made()), self.plan.rounds)
    }

    /// What each chain is to do in the next round, in the order of the chains.
    fn tasks<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        let tasks = short(py, || {
            let tasks = either!(&self.engine, run => run.tasks())?;
            tasks.iter().map(RoundTask::to_bytes).collect::<Result<Vec<_>>>()
        })?;
        Ok(tasks.iter().map(|bytes| PyBytes::new(py, bytes)).collect())
    }

    /// Makes the step from the outcomes of all chains, in their order; gives the surrogate per patch.
    #[expect(clippy::needless_pass_by_value, reason = "an argument of Python")]
    fn absorb(
        &mut self,
        py: Python<'_>,
        #[pyo3(from_py_with = crate::list::list)] outcomes: Vec<Vec<u8>>,
    ) -> PyResult<f64> {
        let engine = &mut self.engine;
        short(py, || {
            let outcomes =
                outcomes.iter().map(|bytes| RoundOutcome::from_bytes(bytes)).collect::<Result<Vec<_>>>()?;
            either!(engine, run => {
                let surrogate = run.absorb(outcomes)?.surrogate;
                Ok(run.tracked().learned()?.aggregates().per_sample(surrogate))
            })
        })
    }

    /// Writes all that is needed to go on later, but for the network; whole or not at all.
    #[expect(clippy::needless_pass_by_value, reason = "an argument of Python")]
    fn checkpoint(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let config = self.config()?;
        short(py, || {
            let run = json!({ "command": COMMAND, "config": config, "network": self.plan.network });
            either!(&self.engine, run_ => run_.checkpoint(run))?.save(&path)
        })
    }

    /// Goes to where a checkpoint was.
    #[expect(clippy::needless_pass_by_value, reason = "an argument of Python")]
    fn restore(&mut self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let config = self.config()?;
        let (network, engine) = (&self.plan.network, &mut self.engine);
        short(py, || {
            let model = Model::load(&path)?;
            same_run(&model, &config, network, &path)?;
            either!(engine, run => run.restore(&model, &path))
        })
    }

    /// The model with all that a file has.
    #[pyo3(signature = (n_jobs=None))]
    fn model(&self, py: Python<'_>, n_jobs: Option<i64>) -> PyResult<NetworkModel> {
        let config = self.config()?;
        let model = long(py, n_jobs, None, |_| self.finished(&config))?;
        Ok(NetworkModel { model })
    }
}

/// The run at its start.
fn started<T: Scalar>(
    learning: RoundLearning,
    place: &RoundPlace,
    scheme: &Scheme,
    init: Option<Mat<f64>>,
    seed: u64,
) -> Result<RoundRun<T>> {
    let start = match init {
        Some(w) => RoundStart::Given(w),
        None if scheme.init.as_deref() == Some("random") => RoundStart::Random,
        None => RoundStart::Data,
    };
    RoundRun::new(learning, place, start, seed)
}

/// Refuses a checkpoint of another run: one of other arguments, but for the number of rounds, or of another network.
fn same_run(model: &Model, config: &Value, network: &str, path: &Path) -> Result<()> {
    let bad = |problem: String| Err(Error::format(path, None, problem));
    if model.run["command"] != COMMAND || model.chain.is_none() {
        return bad("is a model, but no checkpoint of ergodict.distributed.learn".into());
    }
    let (Some(before), Some(now)) = (model.run["config"].as_object(), config.as_object()) else {
        return bad("damaged checkpoint: it has no configuration".into());
    };
    let keys = before.keys().chain(now.keys()).filter(|key| *key != "rounds");
    for key in keys {
        let told = |config: &serde_json::Map<String, Value>| config.get(key).cloned().unwrap_or_default();
        let (then, here) = (told(before), told(now));
        if then != here {
            return bad(format!(
                "was made with {key} {then}, but {key} is {here} now: give {then}, or another checkpoint"
            ));
        }
    }
    if model.run["network"] != network {
        return bad("was made with another network: its digest is another".into());
    }
    Ok(())
}

impl RoundLearner {
    fn examples(&self) -> Examples {
        let (burn_in, every) = (self.sampling.burn_in, self.sampling.every);
        Examples { each: self.plan.examples, burn_in, every, ..Examples::default() }
    }

    /// Every parameter that has a say in the result. The command line has no rounds, and refuses it.
    fn config(&self) -> PyResult<Value> {
        let mut config = self.scheme.config(&self.parameters).map_err(raised)?;
        config["examples"] = json!(self.plan.examples);
        config["seed"] = json!(self.plan.seed);
        self.sampling.config(&self.motif, self.kind).put(&mut config);
        either!(&self.engine, run => run.put_config(&mut config));
        Ok(config)
    }

    fn finished(&self, config: &Value) -> Result<Model> {
        let (seed, examples) = (self.plan.seed, self.examples());
        let run = json!({ "command": COMMAND, "config": config });
        let mut model = either!(&self.engine, rounds => rounds.finished(run))?;
        model.network = Some(self.place.form().clone());
        model.inputs = vec![Input { name: self.plan.name.clone(), digest: self.plan.digest.clone() }];
        let drawn = std::slice::from_ref(&self.drawn);
        let found = match &self.engine {
            Engine::F32(_) => examples.kept::<f32>(&model, drawn)?,
            Engine::F64(_) => examples.kept::<f64>(&model, drawn)?,
        };
        let networks = vec![KeptNetwork::of(&self.plan.name, &self.drawn, &examples, seed)?];
        let independent = self.drawn.1.is_independent();
        let (acceptance, watched) = either!(&self.engine, rounds => (rounds.acceptance(), rounds.watched()));
        let rate = acceptance.rate();
        let chain = KeptChain {
            sampler: self.kind.to_string(),
            independent,
            acceptance: (!independent && rate.is_finite()).then_some(rate),
            mixing: mixed(&[watched]),
            ..KeptChain::default()
        };
        Kept { networks, chain: Some(chain), examples: found }.put(&mut model);
        Ok(model)
    }
}
