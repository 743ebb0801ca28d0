//! `cargo xtask generate`: writes what Python takes from the settings of the library, and reports from the flags; `cargo xtask test generated` fails
//! when it is stale.

mod python;
mod spelling;

use crate::place::{Scratch, cargo, root, succeed};
use anyhow::{Context, Result, bail};

/// The tests that list the settings and the flags in files.
const LIST: &str = "test --locked --quiet --package ergodict-cli --lib args::listing";
/// What is written for Python, and for reports.
const FILES: [&str; 2] = ["python/ergodict/_settings.py", "crates/ergodict-pages/src/flags.tsv"];
/// What a file that is written here says in its first line; no hand-written file does.
pub(crate) const MARK: &str = "Written by `cargo xtask generate`: do not edit.";

/// Writes the files.
pub(crate) fn run() -> Result<bool> {
    for (file, text) in FILES.iter().zip(generated()?) {
        std::fs::write(root().join(file), text).with_context(|| format!("cannot write {file}"))?;
    }
    Ok(true)
}

/// Whether the files are fresh.
pub(crate) fn check() -> Result<()> {
    for (file, text) in FILES.iter().zip(generated()?) {
        if std::fs::read_to_string(root().join(file)).unwrap_or_default() != text {
            bail!("{file} is stale: run `cargo xtask generate`");
        }
    }
    Ok(())
}

/// What is to be in the files.
fn generated() -> Result<[String; 2]> {
    let scratch = Scratch::new("settings")?;
    let (list, flags) = (scratch.0.join("settings.json"), scratch.0.join("flags.tsv"));
    succeed(cargo(LIST).env("ERGODICT_SETTINGS", &list).env("ERGODICT_FLAGS", &flags))?;
    let list = std::fs::read_to_string(list).context("the settings were not listed")?;
    let flags = std::fs::read_to_string(flags).context("the flags were not listed")?;
    Ok([python::module(&serde_json::from_str(&list)?)?, flags])
}
