//! `cargo xtask generate`: writes what Python takes from the settings of the library; `cargo xtask test generated` fails when it is stale.

mod python;
mod spelling;

use crate::place::{Scratch, cargo, root, succeed};
use anyhow::{Context, Result, bail};
use std::path::PathBuf;

/// The test that lists the settings in a file.
const LIST: &str = "test --quiet --package ergodict-cli --lib settings_are_listed";
/// What is written.
const FILE: &str = "python/ergodict/_settings.py";
/// What a file that is written here says in its first line; no hand-written file does.
pub(crate) const MARK: &str = "Written by `cargo xtask generate`: do not edit.";

/// Writes the file.
pub(crate) fn run() -> Result<bool> {
    let (file, text) = generated()?;
    std::fs::write(&file, text).with_context(|| format!("cannot write {FILE}"))?;
    Ok(true)
}

/// Whether the file is fresh.
pub(crate) fn check() -> Result<()> {
    let (file, text) = generated()?;
    if std::fs::read_to_string(file).unwrap_or_default() != text {
        bail!("{FILE} is stale: run `cargo xtask generate`");
    }
    Ok(())
}

fn generated() -> Result<(PathBuf, String)> {
    let scratch = Scratch::new("settings")?;
    let list = scratch.0.join("settings.json");
    succeed(cargo(LIST).env("ERGODICT_SETTINGS", &list))?;
    let list = std::fs::read_to_string(list).context("the settings were not listed")?;
    Ok((root().join(FILE), python::module(&serde_json::from_str(&list)?)?))
}
