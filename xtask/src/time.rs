//! `cargo xtask time`: what it takes to build and to test, compared with the limits, measured in a clone of what is committed.

mod page;
mod timings;
mod tree;

use crate::clock::{Spent, timed};
use crate::peers::networks::publish;
use crate::peers::table::load;
use crate::place::{Scratch, cargo, command, name, root, stdout, succeed};
use crate::python::Environment;
use crate::test::summary::Outcome;
use anyhow::{Context, Result, bail};
use page::{Page, Unit};
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// What can be measured by itself.
const PARTS: [Part; 3] = [
    Part { name: "build", measure: build },
    Part { name: "pip", measure: pip },
    Part { name: "test", measure: test },
];

struct Part {
    name: &'static str,
    measure: fn(&Checkout, &mut Page) -> Result<()>,
}

/// A file of the library that half of it sees, for the time that tests take after a change.
const CHANGED: &str = "crates/ergodict/src/factor/factorizer.rs";

/// Measures the parts named (building alone if none is), prints the page and writes it under `benchsuite/runs`; false if one could not be measured.
pub(crate) fn run(arguments: &[String]) -> Result<bool> {
    let wanted = wanted(arguments)?;
    let before = load();
    let checkout = Checkout::new()?;
    let (mut page, mut complete) = (Page::default(), true);
    if !stdout(command("git").args(["status", "--porcelain"]))?.is_empty() {
        page.note("what was not committed was not measured".into());
    }
    for part in PARTS.iter().filter(|part| wanted.contains(&part.name)) {
        eprintln!("{} …", part.name);
        // What was measured before is not lost for it.
        if let Err(error) = (part.measure)(&checkout, &mut page) {
            eprintln!("{}: {error:#}", part.name);
            page.note(format!("`{}` could not be measured", part.name));
            complete = false;
        }
    }
    publish(
        &format!("time-{}", wanted.join("-")),
        "Building and testing",
        &before,
        &page.text(),
        &page.lines(),
    )?;
    Ok(complete)
}

fn wanted(arguments: &[String]) -> Result<Vec<&'static str>> {
    let mut wanted = Vec::new();
    for argument in arguments {
        match PARTS.iter().find(|part| part.name == argument) {
            Some(part) => wanted.push(part.name),
            None if argument == "all" => wanted.extend(PARTS.map(|part| part.name)),
            None => bail!("no part `{argument}`: they are build, pip, test, and all of them"),
        }
    }
    if wanted.is_empty() {
        wanted.push("build");
    }
    Ok(wanted)
}

/// A clone of what is committed, with folders next to it to build into: the files one works on stay as they are.
struct Checkout {
    scratch: Scratch,
}

impl Checkout {
    fn new() -> Result<Self> {
        let checkout = Self { scratch: Scratch::new("time")? };
        succeed(command("git").args(["clone", "--quiet"]).arg(root()).arg(checkout.sources()))?;
        // So that no download is measured.
        succeed(&mut checkout.within(cargo("fetch --locked --quiet"), "fetch"))?;
        Ok(checkout)
    }

    fn folder(&self, name: &str) -> PathBuf {
        self.scratch.0.join(name)
    }

    fn sources(&self) -> PathBuf {
        self.folder("ergodict")
    }

    /// The command in the clone, building into a folder of this name, with the compiler itself and no cache in front of it.
    fn within(&self, mut command: Command, target: &str) -> Command {
        command.current_dir(self.sources());
        command.env("CARGO_TARGET_DIR", self.folder(target)).env("RUSTC_WRAPPER", "");
        command
    }
}

/// Runs a command to its end, and measures it.
fn measured(command: &mut Command) -> Result<Spent> {
    eprintln!("$ {}", name(command));
    let (outcome, spent) = timed(|| succeed(command));
    outcome.map(|()| spent)
}

/// What `cargo run --release -- demo` does, first the building of it, and how much that is.
fn build(checkout: &Checkout, page: &mut Page) -> Result<()> {
    let target = checkout.folder("build");
    let spent = measured(&mut checkout.within(cargo("build --locked --release --timings"), "build"))?;
    page.row("`cargo build --release`, wall", spent.wall / 60.0, Unit::Minutes, Some(4.5));
    page.cpu("`cargo build --release`", spent, Some(8.0));

    let program = target.join("release").join(format!("ergodict{}", std::env::consts::EXE_SUFFIX));
    let mut demo = command(&program);
    demo.args(["demo", "-o"]).arg(checkout.folder("demo")).stdout(Stdio::null());
    page.row("`ergodict demo`, wall", measured(&mut demo)?.wall, Unit::Seconds, None);
    let bytes = std::fs::metadata(&program).context("the program is not where it was built")?.len();
    page.row("size of the program", bytes as f64 / 1e6, Unit::Megabytes, Some(25.0));

    for (what, package, most) in
        [("crates in the program", "ergodict-cli", 140.0), ("crates in the library", "ergodict", 70.0)]
    {
        let mut tree = cargo("tree --locked -e normal --prefix none --package");
        tree.arg(package);
        let tree = stdout(&mut checkout.within(tree, "build"))?;
        page.row(what, tree::count(&tree) as f64, Unit::Crates, Some(most));
    }

    let timings = std::fs::read_to_string(target.join("cargo-timings/cargo-timing.html")).unwrap_or_default();
    match timings::slowest(&timings, 10) {
        Some(units) => {
            let rows: Vec<_> = units.into_iter().map(|unit| (unit.name, vec![Some(unit.seconds)])).collect();
            page.table("What took longest to build, beside other crates", &["unit", "wall s"], &rows);
        }
        None => page.note(
            "what took longest is left out: the page of `--timings` has a format that is not known here"
                .into(),
        ),
    }
    Ok(())
}

/// `pip install .` into an environment with nothing in it.
fn pip(checkout: &Checkout, page: &mut Page) -> Result<()> {
    let environment = Environment::empty(checkout.folder("venv"))?;
    let mut pip = command(&environment.python);
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "."]);
    let spent = measured(&mut checkout.within(pip, "pip"))?;
    page.cpu("`pip install .`", spent, Some(5.0));
    Ok(())
}

/// `cargo xtask test` with nothing built, and again after a change of one file.
fn test(checkout: &Checkout, page: &mut Page) -> Result<()> {
    let (cold, first) = steps(checkout, page, "with nothing built")?;
    page.row("`cargo xtask test`, nothing built, wall", cold.wall / 60.0, Unit::Minutes, None);
    page.cpu("`cargo xtask test`, nothing built", cold, Some(26.0));

    let file = checkout.sources().join(CHANGED);
    let text = std::fs::read_to_string(&file).with_context(|| format!("cannot read {CHANGED}"))?;
    std::fs::write(&file, with_line(&text)).with_context(|| format!("cannot write {CHANGED}"))?;
    let (warm, second) = steps(checkout, page, "after the change")?;
    page.row(
        &format!("`cargo xtask test`, {CHANGED} changed, wall"),
        warm.wall / 60.0,
        Unit::Minutes,
        Some(4.0),
    );

    let rows: Vec<_> = first
        .into_iter()
        .map(|cold| {
            let warm = second.iter().find(|warm| warm.name == cold.name).map(|warm| warm.spent);
            let numbers =
                [Some(cold.spent), warm].map(|spent| [spent.map(|s| s.wall), spent.and_then(|s| s.cpu)]);
            (cold.name, numbers.concat())
        })
        .collect();
    page.table(
        "Steps of the tests",
        &["step", "cold, wall s", "CPU s", "after a change, wall s", "CPU s"],
        &rows,
    );
    Ok(())
}

/// The text with a comment behind its first line, which moves every other line, as changes do.
fn with_line(text: &str) -> String {
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    format!("{first}\n// Changed by `cargo xtask time`.\n{rest}")
}

/// Runs all steps, and measures them together and one by one; those that fail are noted.
fn steps(checkout: &Checkout, page: &mut Page, when: &str) -> Result<(Spent, Vec<Outcome>)> {
    let mut tests = checkout.within(cargo("xtask test"), "test");
    let (outcomes, spent) = timed(|| -> Result<Vec<Outcome>> {
        eprintln!("$ {}", name(&tests));
        let mut child = tests.stdout(Stdio::piped()).spawn().context("cannot start cargo")?;
        let mut outcomes = Vec::new();
        for line in BufReader::new(child.stdout.take().context("no standard output")?).lines() {
            let line = line?;
            outcomes.extend(Outcome::parse(&line));
            eprintln!("{line}");
        }
        child.wait().context("cannot wait for cargo")?;
        Ok(outcomes)
    });
    let outcomes = outcomes?;
    if outcomes.is_empty() {
        bail!("cargo xtask test did not come to an end");
    }
    for failed in outcomes.iter().filter(|outcome| !outcome.passed) {
        page.note(format!("{when}, the step `{}` failed", failed.name));
    }
    Ok((spent, outcomes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_named_or_all_of_them() {
        let wanted = |words: &[&str]| wanted(&words.iter().map(ToString::to_string).collect::<Vec<_>>());
        assert_eq!(wanted(&[]).unwrap(), ["build"]);
        assert_eq!(wanted(&["test", "pip"]).unwrap(), ["test", "pip"]);
        assert_eq!(wanted(&["all"]).unwrap(), PARTS.map(|part| part.name));
        assert!(wanted(&["tests"]).is_err());
    }

    #[test]
    fn the_file_to_change_is_there_and_keeps_its_first_line() {
        let text = std::fs::read_to_string(root().join(CHANGED)).unwrap();
        let changed = with_line(&text);
        assert_eq!(changed.lines().next(), text.lines().next());
        assert_eq!(changed.lines().count(), text.lines().count() + 1);
    }
}
