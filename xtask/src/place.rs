//! Where things are, and how programs are started there.

use anyhow::{Context, Result, bail};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    // `cargo run` sets the variable afresh, so a checkout that was moved after it was built is still found.
    let manifest =
        std::env::var_os("CARGO_MANIFEST_DIR").map_or(env!("CARGO_MANIFEST_DIR").into(), PathBuf::from);
    manifest.parent().map_or(manifest.clone(), Path::to_path_buf)
}

/// A command that will run in the root of the repository, with the test data announced if it is there.
pub(crate) fn command(program: impl AsRef<OsStr>) -> Command {
    let root = root();
    let mut command = Command::new(program);
    let data = root.join("../shared/data");
    if std::env::var_os("ERGODICT_DATA").is_none() && data.is_dir() {
        command.env("ERGODICT_DATA", data.canonicalize().unwrap_or(data));
    }
    command.current_dir(root);
    command
}

/// The cargo that runs this program, with arguments separated by spaces.
pub(crate) fn cargo(arguments: &str) -> Command {
    let mut cargo = command(std::env::var_os("CARGO").unwrap_or("cargo".into()));
    cargo.args(arguments.split_whitespace());
    cargo
}

/// The features that the tests have beyond the default ones: all of them, so that everything is tested and nothing is built twice.
const FEATURES: &str = "--features ergodict-cli/fetch,ergodict-py/fetch";

/// Cargo on the whole workspace with the features that the tests have. Everything the tests build is built by way of this: with another
/// selection of packages or features, dependencies would be built a second time.
pub(crate) fn workspace(command: &str, arguments: &str) -> Command {
    cargo(&format!("{command} --workspace --locked {FEATURES} {arguments}"))
}

/// The folder cargo builds into, wherever the environment or a configuration file put it.
pub(crate) fn target() -> Result<PathBuf> {
    let metadata: serde_json::Value =
        serde_json::from_str(&stdout(&mut cargo("metadata --locked --format-version 1 --no-deps"))?)?;
    let folder = metadata["target_directory"].as_str().context("cargo metadata names no target_directory")?;
    Ok(PathBuf::from(folder))
}

/// Runs a command to its end; an error if it could not start or did not succeed.
pub(crate) fn succeed(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot start {}", name(command)))?;
    if !status.success() {
        bail!("{} failed ({status})", name(command));
    }
    Ok(())
}

/// What a command prints on stdout; on failure, an error that ends with what it printed on stderr.
pub(crate) fn stdout(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| format!("cannot start {}", name(command)))?;
    if !output.status.success() {
        let talk = String::from_utf8_lossy(&output.stderr);
        bail!("{} failed ({})\n{}", name(command), output.status, talk.trim_end());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The command as one would type it, the program without its folder.
pub(crate) fn name(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or(command.get_program());
    let words = std::iter::once(program).chain(command.get_args());
    words.map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
}

/// A file, or a folder with all in it but caches, copied to another place.
pub(crate) fn copy_tree(from: &Path, to: &Path) -> Result<()> {
    let make = |folder: &Path| {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))
    };
    if from.is_file() {
        make(to.parent().unwrap_or(to))?;
        std::fs::copy(from, to).with_context(|| format!("cannot copy {}", from.display()))?;
        return Ok(());
    }
    make(to)?;
    for entry in std::fs::read_dir(from).with_context(|| format!("cannot read {}", from.display()))? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default();
        if name != "__pycache__" {
            copy_tree(&path, &to.join(name))?;
        }
    }
    Ok(())
}

/// A temporary folder that goes away with its owner.
pub(crate) struct Scratch(pub(crate) PathBuf);

impl Scratch {
    pub(crate) fn new(what: &str) -> Result<Self> {
        let folder = std::env::temp_dir().join(format!("ergodict-{what}-{}", std::process::id()));
        std::fs::create_dir(&folder)
            .with_context(|| format!("cannot make the folder {}", folder.display()))?;
        Ok(Self(folder))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let folder: &Path = &self.0;
        if let Err(error) = std::fs::remove_dir_all(folder) {
            eprintln!("{} was left behind: {error}", folder.display());
        }
    }
}
