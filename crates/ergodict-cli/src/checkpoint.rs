//! Checkpoints: models with a cursor, and whether a run may go on from one.

use anyhow::{Result, bail};
use ergodict::data::Cursor;
use ergodict::dictionary::{Input, Model};
use serde_json::Value;
use std::path::Path;

/// Loads a checkpoint of the run with this configuration and these inputs.
pub(crate) fn load(path: &Path, config: &Value, inputs: &[Input]) -> Result<(Model, Cursor)> {
    let model = Model::load(path)?;
    let at = path.display();
    let Some(cursor) = model.cursor else {
        bail!("{at}: is a finished model, not a checkpoint: there is nothing to resume");
    };
    if let Some((key, then, now)) = difference(&model.run["config"], config) {
        bail!(
            "{at}: is of another run: {key} was {then} there and is {now} here; resume with the same flags"
        );
    }
    for (then, now) in model.inputs.iter().zip(inputs) {
        if then.digest != now.digest {
            bail!(
                "{at}: is of other data: {} has changed since, or is another file than {}",
                now.name,
                then.name
            );
        }
    }
    if model.inputs.len() != inputs.len() || model.kind != "factor" {
        bail!("{at}: is a checkpoint of another kind of run ({})", model.kind);
    }
    Ok((model, cursor))
}

/// The first flag that differs, with its values.
fn difference(then: &Value, now: &Value) -> Option<(String, Value, Value)> {
    let keys = |value: &Value| value.as_object().map(|o| o.keys().cloned().collect()).unwrap_or_default();
    let mut all: Vec<String> = keys(then);
    all.extend(keys(now));
    let differs = |key: &&String| then.get(*key) != now.get(*key);
    let key = all.iter().find(differs)?;
    let value = |of: &Value| of.get(key).cloned().unwrap_or(Value::Null);
    Some((key.clone(), value(then), value(now)))
}
