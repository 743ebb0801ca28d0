//! Parameters from Python, model files, and factorizers as bytes.

use crate::error::to_py_err;
use crate::factor::{AnyState, Factorizer, State, about, dispatch, held};
use crate::scheme::settings;
use crate::sets::{Raised, dictionary_set};
use crate::spins::{alphabet, boundary};
use crate::value::to_python;
use crate::work::short;
use ergodict::data::BatchSettings;
use ergodict::factor::{DictionarySet, FactorSettings, Init, LearnSettings, Schedule};
use ergodict::linalg::Scalar;
use ergodict::model::{Input, Model, Precision, Provenance, Results};
use ergodict::patch::{NetworkForm, PatchKind, Window};
use ergodict::settings::{MatrixSettings, Settings};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyString;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// What a file said of a factorizer besides its numbers.
#[derive(Clone, Default)]
pub(crate) struct About {
    kind: Option<String>,
    inputs: Vec<Input>,
    feature_names: Option<Vec<String>>,
    patch: Option<PatchKind>,
    network: Option<NetworkForm>,
    run: Provenance,
    /// What stands in a file for a schedule that is a function of Python.
    schedule: Option<Schedule>,
    /// Steps taken when it was written.
    steps: u64,
}

impl About {
    fn from_model(model: &Model, kind: Option<String>, run: Provenance, steps: u64) -> Self {
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
#[pyo3(signature = (factorizer, patch, spins=None))]
pub(crate) fn _set_patch(
    py: Python<'_>,
    factorizer: &Factorizer,
    patch: (usize, usize, bool, usize),
    spins: Option<(String, i32)>,
) -> PyResult<()> {
    let (rows, cols, periodic, channels) = patch;
    let spins = spins.map(|(values, labels)| Ok((values.parse()?, alphabet(labels))));
    let spins = spins.transpose().map_err(to_py_err)?;
    let window = Window { rows, cols, boundary: boundary(periodic) };
    let kind = PatchKind { window, channels, spins };
    let features = dispatch!(factorizer, state => held(py, state)?.features);
    if kind.features() != Some(features) {
        return Err(PyValueError::new_err(format!(
            "the stream says that its samples are patches of {rows}×{cols} with {channels} numbers at each position, but they have {features} features"
        )));
    }
    let mut about = about(factorizer);
    (about.patch, about.network) = (Some(kind), None);
    Ok(())
}

/// Says what stands in a file for a schedule that is a function.
#[pyfunction]
pub(crate) fn _set_schedule(factorizer: &Factorizer, schedule: &str) -> PyResult<()> {
    let schedule = schedule.parse().map_err(to_py_err)?;
    about(factorizer).schedule = Some(schedule);
    Ok(())
}

/// The model of what was learned, to reconstruct with, and the parameters that it was learned with.
pub(crate) fn reconstructor(this: &Factorizer, py: Python<'_>) -> PyResult<(Model, FactorSettings)> {
    let about = about(this).clone();
    dispatch!(this, state => {
        let state = held(py, state)?;
        let mut model = state.run.trainer().checkpoint(about.kind(), state.run.plan().seed, json!({})).map_err(to_py_err)?;
        // Codes ask nothing of the set, which may be a function of Python.
        let learned_with = model.parameters.clone();
        model.parameters.dictionary = Some("free".parse::<DictionarySet>().map_err(to_py_err)?);
        (model.patch, model.network) = (about.patch, about.network);
        Ok((model, learned_with))
    })
}

/// What Python says of a first dictionary that has no name.
const ARRAY: &str = "array";

/// How a run went over its data, as a file records it.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct FitRecord {
    init: String,
    #[pyo3(from_py_with = batches)]
    course: BatchSettings,
    missing: bool,
    how: String,
    #[pyo3(from_py_with = crate::list::maybe_list)]
    feature_names: Option<Vec<String>>,
}

fn batches(course: &Bound<'_, PyAny>) -> PyResult<BatchSettings> {
    settings(course.cast()?, &[])
}

/// The model whose file the command line would write.
pub(crate) fn in_file(this: &Factorizer, py: Python<'_>, told: FitRecord) -> PyResult<Model> {
    let about = about(this).clone();
    dispatch!(this, state => {
        let mut state = held(py, state)?;
        let kept = &mut *state;
        short(py, move || {
            let (results, trainer, seed) = (kept.run.results()?, kept.run.trainer(), kept.run.plan().seed);
            let untouched = about.kind.is_some() && about.steps == trainer.steps();
            let run = if untouched {
                about.run.clone()
            } else {
                let mut factor = trainer.learned()?.parameters().clone();
                factor.schedule = about.schedule.clone().unwrap_or(factor.schedule);
                let init = if told.init == ARRAY { Init::Array } else { Init::from(told.init.as_str()).decided(factor.code()) };
                let f32 = precision(&this.state) == Precision::F32;
                let config = MatrixSettings {
                    learning: LearnSettings { factor, init, f32, f64: !f32 },
                    batches: BatchSettings { seed, ..told.course },
                    missing: told.missing,
                };
                let config = config.config();
                let mut run = json!({ "command": "factor", "config": config });
                if told.how != "fit" {
                    run["python"] = json!(told.how);
                    run["completed_epochs"] = json!(kept.epochs);
                }
                Provenance::from(run)
            };
            let mut model = trainer.finished(about.kind(), seed, run, &results)?;
            if untouched && let Some(results) = about.run.results {
                model.provenance.results = Some(results);
            }
            model.parameters.schedule = about.schedule.clone().unwrap_or(model.parameters.schedule);
            model.inputs.clone_from(&about.inputs);
            model.feature_names = told.feature_names.or_else(|| about.feature_names.clone());
            (model.patch, model.network) = (about.patch, about.network.clone());
            Ok(model)
        })
    })
}

/// Writes the page that `ergodict report` makes of the file of a model.
pub(crate) fn write_report(py: Python<'_>, path: &Path, model: &Model, title: Option<&str>) -> PyResult<()> {
    let report = ergodict_pages::model::of_model(model, &[]);
    let report = report.map(|report| match title {
        Some(title) => report.title(title),
        None => report,
    });
    crate::page::write(py, path, report, &model.inputs)
}

/// A model file as a factorizer; a set that no name describes is given again.
pub(crate) fn load(
    py: Python<'_>,
    path: PathBuf,
    dictionary: Option<&Bound<'_, PyAny>>,
) -> PyResult<Factorizer> {
    let wrong = Raised::default();
    let set = dictionary.map(|set| dictionary_set(set, &wrong)).transpose()?;
    let model = short(py, move || match set {
        Some(set) => Model::load_with(&path, set),
        None => Model::load(&path),
    });
    let model = model.map_err(|error| advised(py, error))?;
    let about =
        About::from_model(&model, Some(model.kind.clone()), model.provenance.clone(), model.aggregates.t);
    made(py, &model, dictionary, wrong, about)
}

/// What a file that this was loaded from, or the state, says.
pub(crate) fn header<'py>(this: &Factorizer, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
    let about = about(this).clone();
    dispatch!(this, state => {
        let state = held(py, state)?;
        to_python(py, &json!({
            "kind": about.kind(),
            "parameters": state.run.trainer().learned().map_err(to_py_err)?.parameters(),
            "seed": state.run.plan().seed,
            "run": about.run,
            "feature_names": about.feature_names,
        }))
    })
}

/// All that is needed to go on, as bytes and JSON.
pub(crate) fn kept(this: &Factorizer, py: Python<'_>) -> PyResult<(Vec<u8>, String)> {
    let about = about(this).clone();
    dispatch!(this, state => {
        let state = held(py, state)?;
        let mut model = state.run.trainer().checkpoint(about.kind(), state.run.plan().seed, json!({})).map_err(to_py_err)?;
        model.inputs.clone_from(&about.inputs);
        model.feature_names.clone_from(&about.feature_names);
        (model.patch, model.network) = (about.patch, about.network.clone());
        model.provenance.more.insert("negative".to_owned(), json!(state.run.saw_negative()));
        let (held_out_samples, loss) = state.run.held_out().unzip();
        model.provenance.results = Some(Results {
            held_out_samples: held_out_samples.unwrap_or(0),
            held_out_loss_per_sample: loss,
            explained: state.run.explained().map(|share| share.atoms),
            explained_by_mean: state.run.explained().map(|share| share.mean),
            ..Results::default()
        });
        let bytes = model.to_bytes(Path::new("pickle")).map_err(to_py_err)?;
        let rest = json!({
            "epochs": state.epochs,
            "loaded": about.kind.is_some(),
            "run": about.run,
            "steps": about.steps,
        });
        Ok((bytes, rest.to_string()))
    })
}

/// A factorizer from what [`kept`] gave and the set.
pub(crate) fn restored(
    py: Python<'_>,
    bytes: &[u8],
    dictionary: &Bound<'_, PyAny>,
    rest: &str,
) -> PyResult<Factorizer> {
    let wrong = Raised::default();
    let set = dictionary_set(dictionary, &wrong)?;
    let model = Model::from_bytes(bytes, Path::new("pickle"), Some(set)).map_err(to_py_err)?;
    let rest: Value = serde_json::from_str(rest).map_err(|e| PyValueError::new_err(e.to_string()))?;
    let kind = rest["loaded"].as_bool().unwrap_or(false).then(|| model.kind.clone());
    let about = About::from_model(
        &model,
        kind,
        Provenance::from(rest["run"].clone()),
        rest["steps"].as_u64().unwrap_or(0),
    );
    let this = made(py, &model, Some(dictionary), wrong, about)?;
    dispatch!(&this, state => {
        let mut state = held(py, state)?;
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
) -> PyResult<Factorizer> {
    let called = set.map(|_| wrong.clone());
    let state = match model.precision {
        Precision::F32 => AnyState::F32(Mutex::new(continued(model, called)?)),
        Precision::F64 => AnyState::F64(Mutex::new(continued(model, called)?)),
    };
    wrong.check()?;
    let named = || PyString::new(py, &model.parameters.dictionary().to_string()).into_any();
    let set = set.cloned().unwrap_or_else(named).unbind();
    Ok(Factorizer { state, set, raised: wrong, about: Mutex::new(about) })
}

fn continued<T: Scalar>(model: &Model, called: Option<Raised>) -> PyResult<State<T>> {
    let state = State::new(None, model.parameters.clone(), model.w.rows(), model.seed, called);
    let mut state = state.map_err(to_py_err)?;
    state.run.continue_from(model).map_err(to_py_err)?;
    let planned = || model.provenance.config.get("epochs").and_then(Value::as_u64);
    state.epochs = model.provenance.completed_epochs.or_else(planned).unwrap_or(1);
    Ok(state)
}

fn precision(state: &AnyState) -> Precision {
    match state {
        AnyState::F32(_) => Precision::F32,
        AnyState::F64(_) => Precision::F64,
    }
}

/// The error, with the way out as Python has it.
pub(crate) fn advised(py: Python<'_>, error: PyErr) -> PyErr {
    let words = error.value(py).to_string();
    if words.contains("(Model::load_with)") {
        return PyValueError::new_err(words.replace("(Model::load_with)", "(give it again: dictionary=…)"));
    }
    error
}
