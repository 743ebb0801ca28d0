//! The checkpoint of a simulation: where each of its chains can go on.

use super::recording::Mark;
use crate::{output, saving};
use anyhow::{Context, Result, bail};
use ergodict::dictionary::Input;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::Path;

const SCHEMA: &str = "ergodict.spins-checkpoint/1";

#[derive(Serialize, Deserialize)]
struct Checkpoint {
    schema: String,
    version: String,
    config: Value,
    /// The files that describe the system.
    inputs: Vec<Input>,
    /// None for chains that have no frame yet: they begin again.
    chains: Vec<Option<Mark>>,
}

/// Saves where the chains are.
pub(super) fn save(path: &Path, config: &Value, inputs: &[Input], chains: Vec<Option<Mark>>) -> Result<()> {
    let (schema, version) = (SCHEMA.to_owned(), env!("CARGO_PKG_VERSION").to_owned());
    let state = Checkpoint { schema, version, config: config.clone(), inputs: inputs.to_vec(), chains };
    output::write(path, &serde_json::to_string(&state)?)
}

/// Where the chains of the simulation with this configuration, on these inputs, were.
pub(super) fn load(
    path: &Path,
    config: &Value,
    inputs: &[Input],
    chains: usize,
) -> Result<Vec<Option<Mark>>> {
    let bytes = std::fs::read(path).map_err(ergodict::Error::io(path))?;
    let found: Option<Checkpoint> = serde_json::from_slice(&bytes).ok();
    let found = found
        .filter(|found| found.schema == SCHEMA)
        .with_context(|| format!("{}: is no checkpoint of `ergodict spins simulate`", path.display()))?;
    if let Some(difference) = saving::other_run(&found.config, config) {
        bail!("{}: {difference}", path.display());
    }
    saving::same_inputs(path, &found.inputs, inputs)?;
    if found.chains.len() != chains {
        bail!("{}: damaged checkpoint: it has {} chains, not {chains}", path.display(), found.chains.len());
    }
    Ok(found.chains)
}
