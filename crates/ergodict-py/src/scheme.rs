//! What the arguments of Python say of the online scheme.

use crate::error::raised;
use ergodict::dictionary::{Precision, scheme_config};
use ergodict::factor::Parameters;
use ergodict::{Result, memory};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::Value;

/// Arguments about learning, by the names that the estimators hand them over.
#[derive(FromPyObject, Clone)]
#[pyo3(from_item_all)]
pub(crate) struct Scheme {
    atoms: usize,
    lambda: f64,
    kappa1: f64,
    kappa2: f64,
    schedule: String,
    code: String,
    dictionary: String,
    normalise: String,
    unused: String,
    solver: String,
    tolerance: f64,
    dictionary_tolerance: f64,
    dictionary_sweeps: u32,
    /// `random` or `data`; none for a matrix.
    pub(crate) init: Option<String>,
    pub(crate) f32: bool,
}

/// A choice by the name that it has in files.
fn choice<T: serde::de::DeserializeOwned>(name: &str, given: &str) -> PyResult<T> {
    serde_json::from_value(Value::String(given.to_owned()))
        .map_err(|problem| PyValueError::new_err(format!("{name} is {given}, but {problem}")))
}

impl Scheme {
    /// The parameters, checked for atoms of `features` numbers.
    pub(crate) fn parameters(&self, features: usize) -> PyResult<Parameters> {
        let parameters = Parameters {
            atoms: self.atoms,
            lambda: self.lambda,
            kappa1: self.kappa1,
            kappa2: self.kappa2,
            schedule: self.schedule.parse().map_err(raised)?,
            code: self.code.parse().map_err(raised)?,
            dictionary: self.dictionary.parse().map_err(raised)?,
            normalise: choice("normalise", &self.normalise)?,
            unused: choice("unused", &self.unused)?,
            solver: choice("solver", &self.solver)?,
            tolerance: self.tolerance,
            dictionary_tolerance: self.dictionary_tolerance,
            dictionary_sweeps: self.dictionary_sweeps,
        };
        parameters.check(features).map_err(raised)?;
        Ok(parameters)
    }

    /// Refuses what would not fit into memory.
    pub(crate) fn fits(&self, parameters: &Parameters, features: usize, batch: usize) -> Result<()> {
        let minibatch = (features as u64).saturating_mul(batch as u64).saturating_mul(8);
        let n = batch as u64;
        let needed = if self.f32 {
            parameters.memory::<f32>(features, n)
        } else {
            parameters.memory::<f64>(features, n)
        };
        let what = format!("{} atoms of {features} numbers in minibatches of {batch}", parameters.atoms);
        let way_out = "lower k, n_components or batch_size, or use dtype=\"float32\"";
        memory::check(needed.saturating_add(minibatch), &what, way_out)
    }

    /// Every parameter with its value, as `--config` of the command line takes it.
    pub(crate) fn config(&self, parameters: &Parameters) -> Result<Value> {
        let precision = if self.f32 { Precision::F32 } else { Precision::F64 };
        let mut config = scheme_config(parameters, self.init.as_deref().unwrap_or_default(), precision)?;
        if self.init.is_none() {
            // A matrix that a program gave: no flag names it.
            config.as_object_mut().map(|config| config.remove("init"));
        }
        Ok(config)
    }
}
