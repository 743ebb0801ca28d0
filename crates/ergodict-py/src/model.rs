//! Parameters from Python, model files, and factorisers as bytes.

use crate::error::raised;
use crate::factor::{Either, Factoriser, State, about, either, held};
use crate::sets::{Raised, dictionary_set};
use crate::spins::{alphabet, boundary};
use crate::work::short;
use ergodict::data::FeedOptions;
use ergodict::dictionary::{Input, Model, Precision, Tracked, feed_config, scheme_config};
use ergodict::factor::{DictionarySet, Parameters, Schedule};
use ergodict::linalg::Scalar;
use ergodict::patch::{NetworkForm, PatchKind, Window};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// What a file said of a factoriser besides its numbers.
#[derive(Clone, Default)]
pub(crate) struct About {
    kind: Option<String>,
    inputs: Vec<Input>,
    feature_names: Option<Vec<String>>,
    patch: Option<PatchKind>,
    network: Option<NetworkForm>,
    run: Value,
    /// What stands in a file for a schedule that is a function of Python.
    schedule: Option<Schedule>,
    /// Steps taken when it was written.
    steps: u64,
}

impl About {
    fn of(model: &Model, kind: Option<String>, run: Value, steps: u64) -> Self {
        Self {
            kind,
            inputs: model.inputs.clone(),
            feature_names: model.feature_names.clone(),
            patch: model.patch,
            network: model.network.clone(),
            run,
            schedule: None,
            steps,
        }
    }

    /// The kind that a file has: that of the patches learned from, or else as it was loaded.
    fn kind(&self) -> &str {
        match self.patch {
            Some(PatchKind { spins: Some(_), .. }) => "spins",
            Some(_) => "image",
            None => self.kind.as_deref().unwrap_or("factor"),
        }
    }
}

/// Says what the samples are patches of, as the command line does of images and configurations: rows, columns, whether on a torus, channels,
/// and of spins what the numbers stand for and the alphabet, as `SpinChain.labels` has it.
#[pyfunction]
#[pyo3(signature = (factoriser, patch, spins=None))]
pub(crate) fn _set_patch(
    py: Python<'_>,
    factoriser: &Factoriser,
    patch: (usize, usize, bool, usize),
    spins: Option<(String, i32)>,
) -> PyResult<()> {
    let (rows, cols, periodic, channels) = patch;
    let spins = spins.map(|(values, labels)| Ok((values.parse()?, alphabet(labels))));
    let spins = spins.transpose().map_err(raised)?;
    let window = Window { rows, cols, boundary: boundary(periodic) };
    let kind = PatchKind { window, channels, spins };
    let features = either!(factoriser, state => held(py, state)?.features);
    if kind.features() != Some(features) {
        return Err(PyValueError::new_err(format!(
            "the stream says that its samples are patches of {rows}×{cols} with {channels} numbers at each place, but they have {features} features"
        )));
    }
    let mut about = about(factoriser);
    (about.patch, about.network) = (Some(kind), None);
    Ok(())
}

/// Says what stands in a file for a schedule that is a function.
#[pyfunction]
pub(crate) fn _set_schedule(factoriser: &Factoriser, schedule: &str) -> PyResult<()> {
    let schedule = schedule.parse().map_err(raised)?;
    about(factoriser).schedule = Some(schedule);
    Ok(())
}

/// The model of what was learned, to rebuild with.
pub(crate) fn rebuilding(this: &Factoriser, py: Python<'_>) -> PyResult<Model> {
    let about = about(this).clone();
    either!(this, state => {
        let state = held(py, state)?;
        let mut model = state.tracked.checkpoint(about.kind(), state.seed, json!({})).map_err(raised)?;
        // Codes ask nothing of the set, which may be a function of Python.
        model.parameters.dictionary = "free".parse::<DictionarySet>().map_err(raised)?;
        (model.patch, model.network) = (about.patch, about.network);
        Ok(model)
    })
}

/// Parameters, but for the set of dictionaries.
pub(crate) fn parameters(options: &Bound<'_, PyDict>) -> PyResult<Parameters> {
    let item = |name: &str| -> PyResult<Bound<'_, PyAny>> {
        options.get_item(name)?.ok_or_else(|| PyTypeError::new_err(format!("there is no option {name}")))
    };
    let number = |name: &str| item(name)?.extract::<f64>();
    let text = |name: &str| item(name)?.extract::<String>();
    Ok(Parameters {
        lambda: number("lambda")?,
        kappa1: number("kappa1")?,
        kappa2: number("kappa2")?,
        schedule: text("schedule")?.parse().map_err(raised)?,
        code: text("code")?.parse().map_err(raised)?,
        normalise: named("normalise", &text("normalise")?)?,
        unused: named("unused", &text("unused")?)?,
        solver: named("solver", &text("solver")?)?,
        tolerance: number("tolerance")?,
        dictionary_tolerance: number("dictionary_tolerance")?,
        dictionary_sweeps: item("dictionary_sweeps")?.extract()?,
        ..Parameters::new(item("atoms")?.extract()?)
    })
}

/// A choice by the name it has in files.
fn named<T: DeserializeOwned>(what: &str, name: &str) -> PyResult<T> {
    serde_json::from_value(json!(name)).map_err(|e| PyValueError::new_err(format!("{what}: {e}")))
}

/// The defaults of the library, as JSON.
#[pyfunction]
pub(crate) fn _defaults() -> String {
    let feed = FeedOptions::default();
    let mut all = json!({ "parameters": Parameters::new(1) });
    feed_config(&mut all, &feed, false);
    all.to_string()
}

/// What Python says of a first dictionary that has no name.
const ARRAY: &str = "array";

/// How a run went over its data, as a file tells it.
pub(crate) struct Told {
    pub(crate) init: String,
    pub(crate) feed: FeedOptions,
    pub(crate) missing: bool,
    pub(crate) how: String,
    pub(crate) feature_names: Option<Vec<String>>,
}

/// Writes the model file that the command line would write.
pub(crate) fn save(this: &Factoriser, py: Python<'_>, path: PathBuf, told: Told) -> PyResult<()> {
    let about = about(this).clone();
    either!(this, state => {
        let state = held(py, state)?;
        let kept = &*state;
        short(py, move || {
            let mut results = kept.tracked.results()?;
            results.held_out_samples = kept.held_out.map_or(0, |(count, _)| count);
            results.held_out_loss_per_sample = kept.held_out.map(|(_, loss)| loss);
            let untouched = about.kind.is_some() && about.steps == kept.tracked.steps();
            let run = if untouched {
                about.run.clone()
            } else {
                let options = FeedOptions { seed: kept.seed, ..told.feed };
                let mut parameters = kept.tracked.learned()?.parameters().clone();
                parameters.schedule = about.schedule.clone().unwrap_or(parameters.schedule);
                let mut config = scheme_config(&parameters, &told.init, precision(&this.state))?;
                feed_config(&mut config, &options, told.missing);
                if told.init == ARRAY
                    && let Some(config) = config.as_object_mut()
                {
                    // A matrix that a program gave: no flag names it.
                    config.remove("init");
                }
                let mut run = json!({ "command": "factor", "config": config });
                if told.how != "fit" {
                    run["python"] = json!(told.how);
                    run["completed_epochs"] = json!(kept.epochs);
                }
                run
            };
            let mut model = kept.tracked.finished(about.kind(), kept.seed, run, &results)?;
            if untouched && about.run.get("results").is_some() {
                model.run["results"] = about.run["results"].clone();
            }
            model.parameters.schedule = about.schedule.clone().unwrap_or(model.parameters.schedule);
            model.inputs.clone_from(&about.inputs);
            model.feature_names = told.feature_names.or_else(|| about.feature_names.clone());
            (model.patch, model.network) = (about.patch, about.network.clone());
            model.save(&path)
        })
    })
}

/// A model file as a factoriser; a set that no name describes is given again.
pub(crate) fn load(
    py: Python<'_>,
    path: PathBuf,
    dictionary: Option<&Bound<'_, PyAny>>,
) -> PyResult<Factoriser> {
    let wrong = Raised::default();
    let set = dictionary.map(|set| dictionary_set(set, &wrong)).transpose()?;
    let model = short(py, move || match set {
        Some(set) => Model::load_with(&path, set),
        None => Model::load(&path),
    });
    let model = model.map_err(|error| advised(py, error))?;
    let about = About::of(&model, Some(model.kind.clone()), model.run.clone(), model.aggregates.t);
    made(py, &model, dictionary, wrong, about)
}

/// What a file that this was loaded from, or the state, says: JSON with kind, parameters, seed, run and feature names.
pub(crate) fn header(this: &Factoriser, py: Python<'_>) -> PyResult<String> {
    let about = about(this).clone();
    either!(this, state => {
        let state = held(py, state)?;
        let header = json!({
            "kind": about.kind(),
            "parameters": state.tracked.learned().map_err(raised)?.parameters(),
            "seed": state.seed,
            "run": about.run,
            "feature_names": about.feature_names,
        });
        Ok(header.to_string())
    })
}

/// All that is needed to go on, as bytes and JSON.
pub(crate) fn kept(this: &Factoriser, py: Python<'_>) -> PyResult<(Vec<u8>, String)> {
    let about = about(this).clone();
    either!(this, state => {
        let state = held(py, state)?;
        let mut model = state.tracked.checkpoint(about.kind(), state.seed, json!({})).map_err(raised)?;
        model.inputs.clone_from(&about.inputs);
        model.feature_names.clone_from(&about.feature_names);
        (model.patch, model.network) = (about.patch, about.network.clone());
        let bytes = model.to_bytes(Path::new("pickle")).map_err(raised)?;
        let rest = json!({
            "negative": state.negative,
            "held_out": state.held_out,
            "epochs": state.epochs,
            "loaded": about.kind.is_some(),
            "run": about.run,
            "steps": about.steps,
        });
        Ok((bytes, rest.to_string()))
    })
}

/// A factoriser from what [`kept`] gave and the set.
pub(crate) fn restored(
    py: Python<'_>,
    bytes: &[u8],
    dictionary: &Bound<'_, PyAny>,
    rest: &str,
) -> PyResult<Factoriser> {
    let wrong = Raised::default();
    let set = dictionary_set(dictionary, &wrong)?;
    let model = Model::from_bytes(bytes, Path::new("pickle"), Some(set)).map_err(raised)?;
    let rest: Value = serde_json::from_str(rest).map_err(|e| PyValueError::new_err(e.to_string()))?;
    let kind = rest["loaded"].as_bool().unwrap_or(false).then(|| model.kind.clone());
    let about = About::of(&model, kind, rest["run"].clone(), rest["steps"].as_u64().unwrap_or(0));
    let this = made(py, &model, Some(dictionary), wrong, about)?;
    either!(&this, state => {
        let mut state = held(py, state)?;
        state.negative = rest["negative"].as_bool().unwrap_or(false);
        state.held_out = serde_json::from_value(rest["held_out"].clone()).unwrap_or(None);
        state.epochs = rest["epochs"].as_u64().unwrap_or(0);
    });
    Ok(this)
}

fn made(
    py: Python<'_>,
    model: &Model,
    set: Option<&Bound<'_, PyAny>>,
    wrong: Raised,
    about: About,
) -> PyResult<Factoriser> {
    let called = set.map(|_| wrong.clone());
    let state = match model.precision {
        Precision::F32 => Either::F32(Mutex::new(continued(model)?.calling(called))),
        Precision::F64 => Either::F64(Mutex::new(continued(model)?.calling(called))),
    };
    wrong.check()?;
    let named = || PyString::new(py, &model.parameters.dictionary.to_string()).into_any();
    let set = set.cloned().unwrap_or_else(named).unbind();
    Ok(Factoriser { state, set, raised: wrong, about: Mutex::new(about) })
}

fn continued<T: Scalar>(model: &Model) -> PyResult<State<T>> {
    let tracked = Tracked::continued(model).map_err(raised)?;
    let mut state = State::new(None, model.parameters.clone(), model.w.rows(), model.seed);
    state.tracked = tracked;
    let results = &model.run["results"];
    let loss = results["held_out_loss_per_sample"].as_f64();
    state.held_out = loss.zip(results["held_out_samples"].as_u64()).map(|(loss, count)| (count, loss));
    let completed = model.run["completed_epochs"].as_u64();
    state.epochs = completed.or_else(|| model.run["config"]["epochs"].as_u64()).unwrap_or(1);
    Ok(state)
}

fn precision(state: &Either) -> Precision {
    match state {
        Either::F32(_) => Precision::F32,
        Either::F64(_) => Precision::F64,
    }
}

/// The error, with the way out as Python has it.
fn advised(py: Python<'_>, error: PyErr) -> PyErr {
    let words = error.value(py).to_string();
    if words.contains("(Model::load_with)") {
        return PyValueError::new_err(words.replace("(Model::load_with)", "(give it again: dictionary=…)"));
    }
    error
}
