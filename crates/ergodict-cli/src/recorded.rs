//! Settings that a model keeps of its run, as far as pages tell of them.

use ergodict::chain::SystemKind;
use ergodict::data::WeightScale;
use serde::Deserialize;
use serde_json::{Map, Value};

/// What is not there is as if it had not been given.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub(crate) struct RecordedSettings {
    pub(crate) init: String,
    pub(crate) batch: Option<u64>,
    pub(crate) epochs: Option<u64>,
    pub(crate) shuffle: Option<bool>,
    pub(crate) holdout: Option<f64>,
    pub(crate) missing: bool,
    pub(crate) sampling: String,
    /// Of spins: the system, its temperature, or the file they are from.
    pub(crate) model: String,
    pub(crate) temperature: Vec<f64>,
    pub(crate) trajectory: Option<String>,
    pub(crate) burn_in: u64,
    pub(crate) sampler: String,
    pub(crate) injective: bool,
    pub(crate) weights: WeightScale,
    pub(crate) snapshots: bool,
    pub(crate) timestamps: Option<Value>,
}

impl RecordedSettings {
    pub(crate) fn new(config: &Map<String, Value>) -> Self {
        let given = config.iter().filter(|(_, value)| !value.is_null());
        let given = given.map(|(key, value)| (key.clone(), value.clone())).collect();
        serde_json::from_value(Value::Object(given)).unwrap_or_default()
    }

    /// What a spin system is called in words.
    pub(crate) fn spin_model(&self) -> &'static str {
        serde_json::from_value(self.model.as_str().into()).map_or("spin system", SystemKind::title)
    }
}
