//! `cargo xtask test`: all that must pass before a change is merged.

mod browser;
mod changed;
mod dependencies;
mod msrv;
mod package;
mod python;
pub(crate) mod summary;

use crate::clock::timed;
use crate::guide::{self, Choice};
use crate::place::{cargo, name, succeed, workspace};
use anyhow::{Context, Result, bail};
use std::process::Command;
use summary::Outcome;

struct Step {
    name: &'static str,
    about: &'static str,
    run: fn(&Scope) -> Result<()>,
}

/// What is run of steps that can do less than all.
#[derive(Default)]
struct Scope {
    /// A filter of nextest; without, every test.
    tests: Option<String>,
    pages: Choice,
}

/// In this order, so that what needs only the program does not wait until every test program is built.
const STEPS: [Step; 13] = [
    Step {
        name: "format",
        about: "rustfmt would change nothing",
        run: |_| show(&mut cargo("fmt --all --check")),
    },
    Step {
        name: "clippy",
        about: "no warning from clippy or the compiler",
        run: |_| show(&mut workspace("clippy", "--all-targets -- -D warnings")),
    },
    Step {
        name: "features",
        about: "the library without features and the program as it is installed compile without a warning",
        run: |_| features(),
    },
    Step {
        name: "dependencies",
        about: "licenses and sources of dependencies are those of deny.toml",
        run: |_| dependencies::check(),
    },
    Step {
        name: "generated",
        about: "what Python takes from the settings is up to date",
        run: |_| crate::generate::check(),
    },
    Step { name: "browser", about: "the report pages in a real browser", run: |_| browser::run() },
    Step { name: "python", about: "types, stubs and tests of the Python package", run: |_| python::run() },
    Step {
        name: "guide",
        about: "README.md and the guide work as printed, and its links lead somewhere",
        run: |scope| guide::step(&scope.pages),
    },
    Step { name: "unit", about: "unit, property and command-line tests", run: unit },
    Step {
        name: "doc",
        about: "the examples in the documentation",
        run: |_| show(&mut workspace("test", "--doc")),
    },
    Step {
        name: "rustdoc",
        about: "the documentation builds without a warning",
        // With the examples, dependencies have the features that clippy has checked them with.
        run: |_| {
            let mut doc = workspace("doc", "--no-deps --lib --bins --examples");
            show(doc.env("RUSTDOCFLAGS", "-Dwarnings"))
        },
    },
    Step { name: "package", about: "what would be published is complete", run: |_| package::check() },
    Step {
        name: "msrv",
        about: "everything compiles with the oldest Rust that Cargo.toml names, where it is installed",
        run: |_| msrv::check(),
    },
];

/// Runs the steps asked for (all if none is named); true if every one passed.
pub(crate) fn run(arguments: &[String]) -> Result<bool> {
    let (mut fail_fast, mut changed, mut base) = (false, false, None);
    let mut wanted = Vec::new();
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--list" => {
                for step in &STEPS {
                    println!("{:12} {}", step.name, step.about);
                }
                return Ok(true);
            }
            "--fail-fast" => fail_fast = true,
            "--changed" => changed = true,
            "--base" => base = Some(words.next().context("--base needs a revision")?.as_str()),
            step if STEPS.iter().any(|s| s.name == step) => wanted.push(step),
            other => {
                let names = STEPS.map(|step| step.name).join(", ");
                bail!(
                    "no step or option `{other}`: the steps are {names}; the options --list, --fail-fast, --changed, --base REVISION"
                );
            }
        }
    }
    if base.is_some() && !changed {
        bail!("--base says since when files count as changed: it needs --changed");
    }

    let plan = changed.then(|| changed::plan(base)).transpose()?;
    if let Some(plan) = &plan {
        print!("{}", plan.explain());
    }
    let chosen = |step: &&Step| {
        (wanted.is_empty() || wanted.contains(&step.name))
            && plan.as_ref().is_none_or(|plan| plan.includes(step.name))
    };
    let steps: Vec<&Step> = STEPS.iter().filter(chosen).collect();
    let everything = Scope::default();
    let scope = plan.as_ref().map_or(&everything, |plan| &plan.scope);

    if scope.pages.book && steps.iter().any(|step| step.name == "guide") {
        guide::mdbook::prepare();
    }
    let mut outcomes = Vec::new();
    for step in steps {
        println!("\n== {}: {}", step.name, step.about);
        let (outcome, spent) = timed(|| (step.run)(scope));
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

/// All other steps turn every feature on.
fn features() -> Result<()> {
    for package in ["ergodict", "ergodict-cli", "ergodict-paper"] {
        show(&mut cargo(&format!("clippy --locked --package {package} --lib -- -D warnings")))?;
    }
    Ok(())
}

/// Everything but the tests in a browser, which are a step of their own, as are documentation tests.
fn unit(scope: &Scope) -> Result<()> {
    if nextest() {
        let browser = format!("not {}", browser::FILTER);
        let tests = scope.tests.as_ref().map_or(browser.clone(), |tests| format!("({tests}) & {browser}"));
        return show(workspace("nextest run", "-E").arg(tests));
    }
    // Plain cargo knows no filter by packages that would not build dependencies with other features: it runs everything.
    let mut tests = workspace("test", "--lib --bins --tests --no-fail-fast -- --skip");
    show(tests.arg(browser::PREFIX))
}

/// Whether `cargo nextest` is installed.
fn nextest() -> bool {
    cargo("nextest --version").output().is_ok_and(|output| output.status.success())
}

fn show(command: &mut Command) -> Result<()> {
    println!("$ {}", name(command));
    succeed(command)
}
