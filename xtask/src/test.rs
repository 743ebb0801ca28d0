//! `cargo xtask test`: all that must pass before a change is merged.

mod browser;
mod python;

use crate::guide;
use crate::place::{cargo, name, succeed};
use anyhow::{Result, bail};
use std::process::Command;
use std::time::{Duration, Instant};

struct Step {
    name: &'static str,
    about: &'static str,
    run: fn() -> Result<()>,
}

const STEPS: [Step; 8] = [
    Step {
        name: "format",
        about: "rustfmt would change nothing",
        run: || show(&mut cargo("fmt --all --check")),
    },
    Step {
        name: "clippy",
        about: "no warning from clippy or the compiler",
        run: || show(&mut cargo("clippy --workspace --all-targets -- -D warnings")),
    },
    Step { name: "browser", about: "the report pages in a real browser", run: browser::run },
    Step { name: "unit", about: "unit, property and command-line tests", run: unit },
    Step { name: "python", about: "types, stubs and tests of the Python package", run: python::run },
    Step {
        name: "doc",
        about: "the examples in the documentation",
        run: || show(&mut cargo("test --workspace --doc")),
    },
    Step {
        name: "rustdoc",
        about: "the documentation builds without a warning",
        run: || show(cargo("doc --workspace --no-deps").env("RUSTDOCFLAGS", "-Dwarnings")),
    },
    Step {
        name: "guide",
        about: "README.md and the guide work as printed, and its links lead somewhere",
        run: guide::step,
    },
];

/// Runs the steps asked for (all if none is named); true if every one passed.
pub(crate) fn run(arguments: &[String]) -> Result<bool> {
    let mut fail_fast = false;
    let mut wanted = Vec::new();
    for argument in arguments {
        match argument.as_str() {
            "--list" => {
                for step in &STEPS {
                    println!("{:8} {}", step.name, step.about);
                }
                return Ok(true);
            }
            "--fail-fast" => fail_fast = true,
            step if STEPS.iter().any(|s| s.name == step) => wanted.push(step),
            other => {
                let names = STEPS.map(|step| step.name).join(", ");
                bail!("no step or option `{other}`: the steps are {names}; the options --list, --fail-fast");
            }
        }
    }

    if wanted.is_empty() || wanted.contains(&"guide") {
        guide::mdbook::prepare();
    }
    let mut outcomes: Vec<(&str, bool, Duration)> = Vec::new();
    for step in STEPS.iter().filter(|step| wanted.is_empty() || wanted.contains(&step.name)) {
        println!("\n== {}: {}", step.name, step.about);
        let start = Instant::now();
        let outcome = (step.run)();
        if let Err(error) = &outcome {
            println!("{error:#}");
        }
        outcomes.push((step.name, outcome.is_ok(), start.elapsed()));
        if fail_fast && outcome.is_err() {
            break;
        }
    }
    guide::mdbook::abandon();

    println!();
    for (name, passed, time) in &outcomes {
        println!("{name:8} {} {:8.1} s", if *passed { "passed" } else { "FAILED" }, time.as_secs_f64());
    }
    let passed = outcomes.iter().filter(|outcome| outcome.1).count();
    println!("{passed} passed, {} failed", outcomes.len() - passed);
    Ok(passed == outcomes.len())
}

fn unit() -> Result<()> {
    if nextest() {
        // The browser tests are a step of their own.
        return show(cargo("nextest run --workspace -E").arg("not test(/^browser::/)"));
    }
    // So are documentation tests.
    show(&mut cargo("test --workspace --lib --bins --tests --no-fail-fast -- --skip browser::"))
}

/// Whether `cargo nextest` is installed.
fn nextest() -> bool {
    cargo("nextest --version").output().is_ok_and(|output| output.status.success())
}

fn show(command: &mut Command) -> Result<()> {
    println!("$ {}", name(command));
    succeed(command)
}
