//! The step `python`: types, stubs and tests of the Python package, in a virtual environment of its own.

use crate::clock::timed;
use crate::place::{command, name, succeed, target};
use crate::python::{Environment, build, requirements};
use anyhow::{Result, bail};

pub(super) fn run() -> Result<()> {
    let wanted = requirements()?;
    let packages: Vec<String> = wanted.run.into_iter().chain(wanted.test).collect();
    let environment = measured("environment", || Environment::with("venv", &packages))?;
    let built = measured("build", build)?;
    environment.develop(&built.library)?;

    let cache = target()?.join("python/mypy");
    let module = |words: &[&str]| {
        let mut python = command(&environment.python);
        python.arg("-m").args(words);
        python
    };
    let mut types = module(&["mypy", "--strict", "--cache-dir"]);
    types.arg(&cache).arg("python/ergodict");
    let stubs = module(&["mypy.stubtest", "ergodict._ergodict", "--mypy-config-file", "pyproject.toml"]);
    // Two workers: as many as the smallest machines that run this have cores. With CI set nothing is skipped for want of a program, and
    // hypothesis takes the same examples every time.
    let mut tests = module(&["pytest", "-n", "2", "--quiet", "--durations", "10"]);
    tests.env("ERGODICT_CLI", &built.program).env("CI", "true");

    let mut failed = Vec::new();
    for (what, mut check) in [("types", types), ("stubs", stubs), ("tests", tests)] {
        println!("$ {}", name(&check));
        if let Err(error) = measured(what, || succeed(&mut check)) {
            println!("{error:#}");
            failed.push(what);
        }
    }
    if !failed.is_empty() {
        bail!("the Python package failed: {}", failed.join(", "));
    }
    Ok(())
}

fn measured<T>(what: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    let (outcome, spent) = timed(work);
    println!("{what}: {spent}");
    outcome
}
