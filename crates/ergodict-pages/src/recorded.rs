//! Settings that a model keeps of its run, as far as reports show them.

use ergodict::chain::SystemKind;
use ergodict::data::WeightScale;
use serde::{Deserialize, Deserializer};
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
    /// Its temperatures; a simulation has one, which stands alone.
    #[serde(deserialize_with = "one_or_several")]
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

/// A number, or a list of them.
fn one_or_several<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<f64>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Numbers {
        One(f64),
        Several(Vec<f64>),
    }
    Ok(match Numbers::deserialize(from)? {
        Numbers::One(number) => vec![number],
        Numbers::Several(numbers) => numbers,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_spin_system_has_its_name_with_one_temperature_and_with_several() {
        for (temperature, several) in [(json!(0.9), vec![0.9]), (json!([0.5, 2.0]), vec![0.5, 2.0])] {
            let config = json!({ "model": "xy", "temperature": temperature, "burn-in": 3 });
            let found = RecordedSettings::new(config.as_object().unwrap());
            assert_eq!((found.spin_model(), found.temperature), ("XY model", several));
        }
    }
}
