//! The configuration of a run as model files keep it: every flag that has a say in the result, which `--config` takes to give it again.

use super::Precision;
use crate::data::FeedOptions;
use crate::factor::Parameters;
use crate::{Error, Result};
use serde_json::{Value, json};

/// The flags of the scheme: the parameters, where the first dictionary came from (`random`, `data` or a file) and the precision.
///
/// ```
/// use ergodict::{dictionary::{Precision, scheme_config}, factor::Parameters};
/// let config = scheme_config(&Parameters::new(9), "random", Precision::F64)?;
/// assert_eq!((config["init"].as_str(), config["f64"].as_bool()), (Some("random"), Some(true)));
/// # Ok::<(), ergodict::Error>(())
/// ```
///
/// # Errors
/// [`Error::Parameter`] for parameters that no file can hold.
pub fn scheme_config(parameters: &Parameters, init: &str, precision: Precision) -> Result<Value> {
    let config = serde_json::to_value(parameters);
    let mut config =
        config.map_err(|e| Error::parameter("the set of parameters", e, "files cannot hold it"))?;
    config["init"] = json!(init);
    config[if precision == Precision::F32 { "f32" } else { "f64" }] = json!(true);
    Ok(config)
}

/// Adds the flags that say how the samples of a matrix were gone over.
///
/// ```
/// use ergodict::{data::FeedOptions, dictionary::feed_config};
/// let mut config = serde_json::json!({});
/// feed_config(&mut config, &FeedOptions { epochs: 3, ..FeedOptions::default() }, false);
/// assert_eq!(config["epochs"], 3);
/// ```
pub fn feed_config(config: &mut Value, feed: &FeedOptions, missing: bool) {
    config["batch"] = json!(feed.batch);
    config["epochs"] = json!(feed.epochs);
    config["shuffle"] = json!(feed.shuffle);
    config["holdout"] = json!(feed.holdout);
    config["missing"] = json!(missing);
    config["seed"] = json!(feed.seed);
}
