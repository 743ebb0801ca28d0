//! A copy of the library with many changes in it, and its test programs.

use super::changes::{Change, apply};
use super::{Mutant, files};
use crate::place::{command, name, root, stdout, target, workspace};
use anyhow::{Context, Result, bail};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// What the copy reads the number of its change by. Without a change it notes which ones are reached, without allocating anything.
const SWITCH: &str = r#"
/// Which change of `cargo xtask mutants` is made.
mod mutant {
    use std::sync::LazyLock;
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

    static CHOSEN: LazyLock<u32> = LazyLock::new(|| {
        std::env::var("ERGODICT_MUTANT").ok().and_then(|text| text.parse().ok()).unwrap_or(0)
    });
    static NOTES: LazyLock<Option<std::fs::File>> = LazyLock::new(|| {
        let path = std::env::var_os("ERGODICT_REACHED")?;
        std::fs::OpenOptions::new().create(true).append(true).open(path).ok()
    });
    static REACHED: [AtomicBool; 4096] = [const { AtomicBool::new(false) }; 4096];

    /// Whether it is this one.
    pub(crate) fn is(number: u32) -> bool {
        if *CHOSEN == 0 && !REACHED[number as usize].load(Relaxed) {
            if let Some(mut notes) = NOTES.as_ref() {
                use std::io::Write;
                let mut line = [0; 16];
                let mut rest = &mut line[..];
                let _ = writeln!(rest, "{number}");
                let length = 16 - rest.len();
                let _ = notes.write_all(&line[..length]);
            }
            REACHED[number as usize].store(true, Relaxed);
        }
        *CHOSEN == number
    }
}
"#;
/// The most changes that [`SWITCH`] can distinguish.
const MOST: usize = 4095;

/// The programs of unit tests and of integration tests, of a copy of the library with all changes in it; changes that the compiler refuses are
/// taken out and handed on.
pub(super) fn build(
    chosen: &mut Vec<Mutant>,
    mut refused: impl FnMut(&Mutant) -> Result<()>,
) -> Result<[PathBuf; 2]> {
    if chosen.len() > MOST {
        bail!("{} changes are too many: at most {MOST} at a time", chosen.len());
    }
    let copy = copy()?;
    loop {
        change(&copy, chosen)?;
        match compile(&copy)? {
            Built::Programs(programs) => return Ok(programs),
            Built::Refused(numbers) => {
                let (out, viable) = (1..)
                    .zip(std::mem::take(chosen))
                    .partition::<Vec<(u32, Mutant)>, _>(|(number, _)| numbers.contains(number));
                *chosen = viable.into_iter().map(|(_, mutant)| mutant).collect();
                for (_, mutant) in out {
                    let Change { line, what, .. } = &mutant.change;
                    println!("does not compile: {}:{line} {what}", mutant.file);
                    refused(&mutant)?;
                }
            }
        }
    }
}

/// Sources that changes are made in.
const SOURCE: &str = "crates/ergodict/src/";

/// All files under a folder.
fn all_in(folder: &Path) -> Result<BTreeSet<PathBuf>> {
    let mut all = BTreeSet::new();
    for entry in std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let path = entry?.path();
        if path.is_dir() {
            all.append(&mut all_in(&path)?);
        } else {
            all.insert(path);
        }
    }
    Ok(all)
}

/// Writes a file, unless it has these bytes: what did not change is not built again.
fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    if std::fs::read(path).is_ok_and(|old| old == bytes) {
        return Ok(());
    }
    let write = || {
        std::fs::create_dir_all(path.parent().unwrap_or(path))?;
        std::fs::write(path, bytes)
    };
    write().with_context(|| format!("cannot write {}", path.display()))
}

/// A copy of the workspace, whose other packages are empty: they are there so that dependencies have the features that all tests have, and are not
/// built a second time.
fn copy() -> Result<PathBuf> {
    let copy = target()?.join("mutants");
    let mut there: BTreeSet<PathBuf> = if copy.exists() { all_in(&copy)? } else { BTreeSet::new() };
    let files = ["ls-files", "*.toml", "*.rs", "Cargo.lock", "crates", "docs", "README.md", ".cargo"];
    for file in stdout(command("git").args(files))?.lines() {
        // Links lead to what is copied, too.
        let (from, to) = (root().join(file), copy.join(file));
        if from.is_file() {
            let empty = match to.file_name().and_then(|name| name.to_str()) {
                _ if file.starts_with("crates/ergodict/") => None,
                Some("lib.rs") => Some(""),
                Some("main.rs") => Some("fn main() {}"),
                _ => None,
            };
            let new = empty.map_or_else(|| std::fs::read(&from), |text| Ok(text.into()));
            // Changes are written later.
            if !file.starts_with(SOURCE) || !to.exists() {
                write(&to, &new.with_context(|| format!("cannot read {}", from.display()))?)?;
            }
            there.remove(&to);
        }
    }
    there.iter().try_for_each(std::fs::remove_file).context("cannot remove an old file")?;
    Ok(copy)
}

/// Writes the changes into the copy.
fn change(copy: &Path, chosen: &[Mutant]) -> Result<()> {
    let mut by_file: BTreeMap<&str, Vec<(u32, &Change)>> = BTreeMap::new();
    for (number, mutant) in (1..).zip(chosen) {
        by_file.entry(&mutant.file).or_default().push((number, &mutant.change));
    }
    let (from, to) = (root().join(SOURCE), copy.join(SOURCE));
    for path in files(&from)? {
        let file = path.strip_prefix(&from)?.to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path)?;
        let changed = match by_file.get(file.as_str()) {
            Some(changes) => apply(&text, changes),
            None if file == "lib.rs" => text + SWITCH,
            None => text,
        };
        write(&to.join(file), changed.as_bytes())?;
    }
    Ok(())
}

/// What compiling the changes gave.
enum Built {
    /// The test programs.
    Programs([PathBuf; 2]),
    /// The numbers of changes that the compiler refuses.
    Refused(BTreeSet<u32>),
}

/// Builds the test programs in the copy.
fn compile(copy: &Path) -> Result<Built> {
    let mut build = workspace("test", "--no-run --message-format json --lib --test integration --target-dir");
    build.env("CARGO_INCREMENTAL", "0").arg(target()?).current_dir(copy).stderr(Stdio::inherit());
    println!("$ {}", name(&build));
    let output = build.output().context("cannot start cargo")?;
    let messages = String::from_utf8_lossy(&output.stdout).into_owned();
    let messages = messages.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let messages: Vec<serde_json::Value> = messages.collect();
    if !output.status.success() {
        let errors = messages.iter().map(|line| &line["message"]);
        let errors: Vec<_> = errors.filter(|message| message["level"] == "error").collect();
        let refused: BTreeSet<u32> = errors.iter().flat_map(|error| numbers(error)).collect();
        if refused.is_empty() {
            errors.iter().for_each(|error| println!("{}", error["rendered"].as_str().unwrap_or_default()));
            bail!("the library does not compile, whatever the change");
        }
        return Ok(Built::Refused(refused));
    }
    let program = |kind: &str, name: &str| -> Result<PathBuf> {
        let target = |message: &&serde_json::Value| {
            message["target"]["name"] == name && message["target"]["kind"][0] == kind
        };
        let path = messages.iter().filter(target).find_map(|message| message["executable"].as_str());
        Ok(path.with_context(|| format!("cargo built no tests of {name}"))?.into())
    };
    Ok(Built::Programs([program("lib", "ergodict")?, program("test", "integration")?]))
}

/// The numbers of changes in the lines that a message of the compiler points to.
fn numbers(message: &serde_json::Value) -> Vec<u32> {
    let spans = message["spans"].as_array().into_iter().flatten();
    let lines = spans.flat_map(|span| span["text"].as_array().into_iter().flatten());
    let lines = lines.filter_map(|line| line["text"].as_str());
    let numbers = lines.flat_map(|line| line.split("mutant::is(").skip(1));
    numbers.filter_map(|rest| rest.split(')').next()?.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_point_to_changes() {
        let line = "a(if crate::mutant::is(17) { b } else { c })";
        assert_eq!(numbers(&serde_json::json!({"spans": [{"text": [{"text": line}]}]})), [17]);
        assert_eq!(numbers(&serde_json::json!({"spans": [{"text": [{"text": "a(c)"}]}]})), [0; 0]);
    }
}
