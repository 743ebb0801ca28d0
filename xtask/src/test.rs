//! `cargo xtask test`: all that must pass before a change is merged.

mod browser;
mod python;
mod summary;

use crate::clock::timed;
use crate::guide;
use crate::place::{cargo, name, succeed, workspace};
use anyhow::{Result, bail};
use std::process::Command;
use summary::Outcome;

struct Step {
    name: &'static str,
    about: &'static str,
    run: fn() -> Result<()>,
}

/// In this order, so that what needs only the program does not wait until every test program is built.
const STEPS: [Step; 8] = [
    Step {
        name: "format",
        about: "rustfmt would change nothing",
        run: || show(&mut cargo("fmt --all --check")),
    },
    Step {
        name: "clippy",
        about: "no warning from clippy or the compiler",
        run: || show(&mut workspace("clippy", "--all-targets -- -D warnings")),
    },
    Step { name: "browser", about: "the report pages in a real browser", run: browser::run },
    Step { name: "python", about: "types, stubs and tests of the Python package", run: python::run },
    Step {
        name: "guide",
        about: "README.md and the guide work as printed, and its links lead somewhere",
        run: guide::step,
    },
    Step { name: "unit", about: "unit, property and command-line tests", run: unit },
    Step {
        name: "doc",
        about: "the examples in the documentation",
        run: || show(&mut workspace("test", "--doc")),
    },
    Step {
        name: "rustdoc",
        about: "the documentation builds without a warning",
        // With the examples, dependencies have the features that clippy has checked them with.
        run: || {
            let mut doc = workspace("doc", "--no-deps --lib --bins --examples");
            show(doc.env("RUSTDOCFLAGS", "-Dwarnings"))
        },
    },
];

/// Runs the steps asked for (all if none is named); true if every one passed.
pub(crate) fn run(arguments: &[String]) -> Result<bool> {
    let mut fail_fast = false;
    let mut wanted = Vec::new();
    for word in arguments {
        match word.as_str() {
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
    let mut outcomes = Vec::new();
    for step in STEPS.iter().filter(|step| wanted.is_empty() || wanted.contains(&step.name)) {
        println!("\n== {}: {}", step.name, step.about);
        let (outcome, spent) = timed(step.run);
        if let Err(error) = &outcome {
            println!("{error:#}");
        }
        outcomes.push(Outcome { name: step.name.into(), passed: outcome.is_ok(), spent });
        if fail_fast && outcome.is_err() {
            break;
        }
    }
    guide::mdbook::abandon();

    println!();
    for outcome in &outcomes {
        println!("{outcome}");
    }
    let passed = outcomes.iter().filter(|outcome| outcome.passed).count();
    println!("{passed} passed, {} failed", outcomes.len() - passed);
    Ok(passed == outcomes.len())
}

/// Everything but the tests in a browser, which are a step of their own, as are documentation tests.
fn unit() -> Result<()> {
    if nextest() {
        return show(workspace("nextest run", "-E").arg(format!("not {}", browser::FILTER)));
    }
    show(workspace("test", "--lib --bins --tests --no-fail-fast -- --skip").arg(browser::PREFIX))
}

/// Whether `cargo nextest` is installed.
fn nextest() -> bool {
    cargo("nextest --version").output().is_ok_and(|output| output.status.success())
}

fn show(command: &mut Command) -> Result<()> {
    println!("$ {}", name(command));
    succeed(command)
}
