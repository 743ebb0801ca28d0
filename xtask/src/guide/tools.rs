//! The program and the Python that the guide's blocks are run with.

use crate::place::{cargo, command, succeed, target};
use crate::python::{Environment, build, requirements};
use anyhow::{Context, Result};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where `ergodict` and Python are.
pub(super) struct Tools {
    /// The folder of the program.
    program: PathBuf,
    python: PathBuf,
    /// Where matplotlib keeps what it finds out about fonts, which takes seconds: shared by all pages.
    cache: PathBuf,
}

impl Tools {
    /// What the tests have built, or, where `ERGODICT_CLI` names a program, that one and `ERGODICT_PYTHON`.
    pub(super) fn new(pictures: bool) -> Result<Self> {
        let cache = target()?.join("python/matplotlib");
        std::fs::create_dir_all(&cache).with_context(|| format!("cannot make {}", cache.display()))?;
        if let Some(program) = std::env::var_os("ERGODICT_CLI") {
            let folder = std::path::absolute(&program)?.parent().map(Path::to_path_buf).unwrap_or_default();
            let python = match std::env::var_os("ERGODICT_PYTHON") {
                Some(path) => std::path::absolute(path)?,
                None => "python3".into(),
            };
            return Ok(Self { program: folder, python, cache });
        }
        let wanted = requirements()?;
        let packages: Vec<String> = wanted.run.into_iter().chain(wanted.test).collect();
        let environment = Environment::with("venv", &packages)?;
        let built = build()?;
        environment.develop(&built.library)?;
        let mut program = target()?.join("debug");
        if pictures {
            // Pictures are the same, but there are long runs among them.
            succeed(&mut cargo("build --locked --release --package ergodict-cli --package ergodict-paper"))?;
            program = target()?.join("release");
        }
        Ok(Self { program, python: environment.python, cache })
    }

    /// Python in a folder, with both on the path, and the folder as the home of what it starts.
    pub(super) fn python(&self, folder: &Path) -> Command {
        let old = std::env::var_os("PATH").unwrap_or_default();
        let own = [Some(self.program.as_path()), self.python.parent()];
        let path = own.into_iter().flatten().map(Path::to_path_buf).chain(std::env::split_paths(&old));
        let mut python = command(&self.python);
        python.current_dir(folder).env("HOME", folder);
        python.env("PATH", std::env::join_paths(path).unwrap_or_else(|_| OsString::from(&old)));
        python.env("MPLBACKEND", "Agg").env("MPLCONFIGDIR", &self.cache);
        python
    }
}
