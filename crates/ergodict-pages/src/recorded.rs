//! Settings that a model keeps of its run, as far as pages tell of them.

use ergodict::chain::SystemKind;
use ergodict::data::WeightScale;
use serde::Deserialize;
use serde_json::{Map, Value};

/// By their keys; what is not there is as if it had not been given.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct RecordedSettings {
    /// The first dictionary.
    pub init: String,
    /// Samples of a minibatch.
    pub batch: Option<u64>,
    /// Passes over the data.
    pub epochs: Option<u64>,
    /// Whether samples were shuffled.
    pub shuffle: Option<bool>,
    /// The share of samples that were held out.
    pub holdout: Option<f64>,
    /// Whether entries were missing.
    pub missing: bool,
    /// Of images, how patches were chosen.
    pub sampling: String,
    /// The spin system.
    pub model: String,
    /// Its temperatures.
    pub temperature: Vec<f64>,
    /// The file that spins are from.
    pub trajectory: Option<String>,
    /// Updates before the first configuration.
    pub burn_in: u64,
    /// Of networks, the sampler.
    pub sampler: String,
    /// Whether walks have distinct nodes.
    pub injective: bool,
    /// The scale of weights.
    pub weights: WeightScale,
    /// Whether networks are one at several times.
    pub snapshots: bool,
    /// Whether edges have times.
    pub timestamps: Option<Value>,
}

impl RecordedSettings {
    /// Of the configuration of a model.
    pub fn new(config: &Map<String, Value>) -> Self {
        let given = config.iter().filter(|(_, value)| !value.is_null());
        let given = given.map(|(key, value)| (key.clone(), value.clone())).collect();
        serde_json::from_value(Value::Object(given)).unwrap_or_default()
    }

    /// What a spin system is called in words.
    pub fn spin_model(&self) -> &'static str {
        serde_json::from_value(self.model.as_str().into()).map_or("spin system", SystemKind::title)
    }
}
