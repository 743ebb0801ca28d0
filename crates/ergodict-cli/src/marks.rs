//! The checkpoint of a run of chains: where each of them can go on.

use crate::{output, saving};
use anyhow::{Context, Result, bail};
use ergodict::dictionary::Input;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::Path;

/// Whose checkpoint it is.
#[derive(Clone, Copy)]
pub(crate) struct Kind {
    /// The name and number of its form.
    pub(crate) schema: &'static str,
    /// The command that writes it.
    pub(crate) verb: &'static str,
}

#[derive(Serialize, Deserialize)]
struct Checkpoint<M> {
    schema: String,
    version: String,
    config: Value,
    /// The files that were read.
    inputs: Vec<Input>,
    chains: Vec<M>,
}

/// Saves where the chains are.
pub(crate) fn save<M: Serialize>(
    kind: Kind,
    path: &Path,
    config: &Value,
    inputs: &[Input],
    chains: Vec<M>,
) -> Result<()> {
    let (schema, version) = (kind.schema.to_owned(), env!("CARGO_PKG_VERSION").to_owned());
    let state = Checkpoint { schema, version, config: config.clone(), inputs: inputs.to_vec(), chains };
    output::write(path, &serde_json::to_string(&state)?)
}

/// Where the `chains` chains of the run with this configuration, on these inputs, were.
pub(crate) fn load<M: DeserializeOwned>(
    kind: Kind,
    path: &Path,
    config: &Value,
    inputs: &[Input],
    chains: usize,
) -> Result<Vec<M>> {
    let (at, bytes) = (path.display(), std::fs::read(path).map_err(ergodict::Error::io(path))?);
    let found: Option<Checkpoint<M>> = serde_json::from_slice(&bytes).ok();
    let found = found
        .filter(|found| found.schema == kind.schema)
        .with_context(|| format!("{at}: is no checkpoint of `ergodict {}`", kind.verb))?;
    if let Some(difference) = saving::other_run(&found.config, config) {
        bail!("{at}: {difference}");
    }
    saving::same_inputs(path, &found.inputs, inputs)?;
    if found.inputs.len() != inputs.len() {
        let (then, now) = (found.inputs.len(), inputs.len());
        bail!("{at}: is of another run: it read {then} files, and this one reads {now}");
    }
    if found.chains.len() != chains {
        bail!("{at}: damaged checkpoint: it has {} chains, not {chains}", found.chains.len());
    }
    Ok(found.chains)
}
