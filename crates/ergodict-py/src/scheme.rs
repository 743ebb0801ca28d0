//! What the arguments of Python say of the online scheme.

use crate::error::to_py_err;
use crate::sets::Described;
use ergodict::factor::{FactorSettings, Init, LearnSettings};
use ergodict::{Result, memory};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

/// Settings of learning, by their keys with underscores, and the set of dictionaries, which may be a function of Python.
pub(crate) struct Scheme {
    pub(crate) settings: LearnSettings,
    pub(crate) dictionary: Described,
}

impl<'py> FromPyObject<'_, 'py> for Scheme {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let given = given.cast::<PyDict>()?;
        let mut settings: LearnSettings = settings(&given, &["dictionary"])?;
        // A matrix, which files do not name.
        if given.get_item("init")?.is_none_or(|init| init.is_none()) {
            settings.init = Init::Array;
        }
        let spec = given.get_item("dictionary")?;
        let spec = spec.ok_or_else(|| PyValueError::new_err("there is no set of dictionaries"))?;
        Ok(Self { settings, dictionary: Described::new(&spec) })
    }
}

/// Settings by their keys, with dashes or underscores; what is None has its default, and `others` are something else.
pub(crate) fn settings<S: DeserializeOwned>(given: &Bound<'_, PyDict>, others: &[&str]) -> PyResult<S> {
    let mut settings = Map::new();
    for (key, value) in given {
        let key = key.extract::<String>()?;
        if !others.contains(&&*key) && !value.is_none() {
            settings.insert(key.replace('_', "-"), plain(&value)?);
        }
    }
    from_map(settings)
}

/// Settings of keys and values; an error names the one that is wrong.
pub(crate) fn from_map<S: DeserializeOwned>(settings: Map<String, Value>) -> PyResult<S> {
    let all = Value::Object(settings.clone());
    serde_json::from_value(all).map_err(|problem| {
        let is_wrong =
            |(key, value): &(&String, &Value)| serde_json::from_value::<S>(json!({ *key: value })).is_err();
        let name = settings.iter().find(is_wrong).map(|(key, _)| key.replace('-', "_") + ": ");
        PyValueError::new_err(format!("{}{problem}", name.unwrap_or_default()))
    })
}

/// One of a few words.
pub(crate) fn word<T: DeserializeOwned>(name: &str, value: &str) -> PyResult<T> {
    serde_json::from_value(json!(value))
        .map_err(|problem| PyValueError::new_err(format!("{name}: {problem}")))
}

/// A value of Python as one of a file.
pub(crate) fn plain(value: &Bound<'_, PyAny>) -> PyResult<Value> {
    if value.is_none() {
        Ok(Value::Null)
    } else if let Ok(switch) = value.cast::<PyBool>() {
        Ok(json!(switch.is_true()))
    } else if let Ok(whole) = value.extract::<u64>() {
        Ok(json!(whole))
    } else if let Ok(whole) = value.extract::<i64>() {
        Ok(json!(whole))
    } else if let Ok(number) = value.extract::<f64>() {
        Ok(json!(number))
    } else {
        Ok(json!(value.extract::<String>()?))
    }
}

impl Scheme {
    /// The settings, checked for atoms of `features` numbers.
    pub(crate) fn parameters(&self, py: Python<'_>, features: usize) -> PyResult<FactorSettings> {
        let dictionary = Some(self.dictionary.set(py)?);
        let parameters = FactorSettings { dictionary, ..self.settings.factor.clone() };
        parameters.check(features).map_err(to_py_err)?;
        Ok(parameters)
    }

    /// Refuses what would not fit into memory.
    pub(crate) fn fits(&self, parameters: &FactorSettings, features: usize, batch: usize) -> Result<()> {
        let minibatch = (features as u64).saturating_mul(batch as u64).saturating_mul(8);
        let n = batch as u64;
        let needed = if self.settings.f32 {
            parameters.memory::<f32>(features, n)
        } else {
            parameters.memory::<f64>(features, n)
        };
        let what = format!("{} atoms of {features} numbers in minibatches of {batch}", parameters.atoms);
        let way_out = "lower k, n_components or batch_size, or use dtype=\"float32\"";
        memory::check(needed.saturating_add(minibatch), &what, way_out)
    }

    /// Every setting with its value, with these parameters.
    pub(crate) fn decided(&self, parameters: &FactorSettings) -> LearnSettings {
        LearnSettings { factor: parameters.clone(), ..self.settings.clone() }.decided(false)
    }
}
