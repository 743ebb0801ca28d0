//! How homomorphisms were drawn, as the configuration of a model tells it: what `--config` of the command line takes.

use crate::chain::SamplerKind;
use serde::Serialize;
use serde_json::Value;

/// The flags of motifs and samplers with their values.
///
/// ```
/// use ergodict::{chain::SamplerKind, dictionary::SamplingConfig};
/// let sampling = SamplingConfig {
///     k: 21,
///     motif: "chain".to_owned(),
///     sampler: SamplerKind::Pivot,
///     injective: false,
///     every: 1,
///     burn_in: 0,
///     chains: 1,
///     component: "largest".to_owned(),
///     lazy: "auto".to_owned(),
/// };
/// let mut config = serde_json::json!({});
/// sampling.put(&mut config);
/// assert_eq!((config["sampler"].as_str(), config["burn-in"].as_u64()), (Some("pivot"), Some(0)));
/// ```
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct SamplingConfig {
    /// Nodes of the motif.
    pub k: usize,
    /// Its shape, or the file of its edges. Edges that a program gave are told in words, which `--config` refuses.
    pub motif: String,
    /// How homomorphisms were drawn.
    pub sampler: SamplerKind,
    /// Whether all nodes of a homomorphism are different.
    pub injective: bool,
    /// Steps from one to the next.
    pub every: u64,
    /// Steps before the first.
    pub burn_in: u64,
    /// Chains.
    pub chains: u64,
    /// `largest` or `all`.
    pub component: String,
    /// `auto`, `yes` or `no`.
    pub lazy: String,
}

impl SamplingConfig {
    /// Adds them to a configuration.
    pub fn put(&self, config: &mut Value) {
        if let (Value::Object(config), Ok(Value::Object(own))) = (config, serde_json::to_value(self)) {
            config.extend(own);
        }
    }
}
