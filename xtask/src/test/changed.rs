//! `cargo xtask test --changed`: which steps, tests and pages a change can affect, by the paths of the files.

use super::{STEPS, Scope};
use crate::guide::Choice;
use crate::place::{command, stdout};
use anyhow::Result;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// A kind of files, by how their paths begin, and what a change of them can break.
struct Rule {
    /// The beginning of the paths; the first rule that fits counts.
    path: &'static str,
    /// The names of steps.
    steps: &'static [&'static str],
    /// Of the step `unit`, as a filter of nextest.
    tests: &'static str,
    /// Of the step `guide`.
    pages: Pages,
}

/// Which pages of the guide are run; the links of all are always checked.
#[derive(Clone, Copy, PartialEq)]
enum Pages {
    /// The changed file itself, if it is one.
    Itself,
    /// Those that show Python.
    Python,
    All,
}

const fn rule(path: &'static str, steps: &'static [&'static str], tests: &'static str, pages: Pages) -> Rule {
    Rule { path, steps, tests, pages }
}

/// What checks commands of ours that no step uses.
const XTASK: &[&str] = &["format", "clippy", "unit", "rustdoc"];

/// A path that no rule fits runs everything, as does the manifest of any package: these rules have to be certain.
#[rustfmt::skip]
const RULES: [Rule; 38] = [
    // Tests of the command line compare with three pages, and the library compiles the Rust in two others.
    rule("docs/errors.md", &["guide", "unit"], "package(ergodict-cli)", Pages::Itself),
    rule("docs/json.md", &["guide", "unit"], "package(ergodict-cli)", Pages::Itself),
    rule("docs/paper-json.md", &["guide", "unit"], "package(ergodict-paper)", Pages::Itself),
    rule("docs/own-chain.md", &["guide", "doc"], "", Pages::Itself),
    rule("README.md", &["guide", "doc"], "", Pages::Itself),
    rule("docs/notebooks/", &["python", "guide"], "", Pages::Itself),
    rule("docs/", &["guide"], "", Pages::Itself),
    rule("CONTRIBUTING.md", &["guide"], "", Pages::Itself),
    // Only links lead to these.
    rule("CHANGELOG.md", &["guide"], "", Pages::Itself),
    rule("CITATION.cff", &["guide"], "", Pages::Itself),
    rule("LICENSE-", &["guide"], "", Pages::Itself),
    rule("benchsuite/README.md", &["guide"], "", Pages::Itself),
    rule("benchsuite/runs/", &["guide"], "", Pages::Itself),

    rule("python/tests/", &["python"], "", Pages::Itself),
    rule("python/", &["python", "guide"], "", Pages::Python),
    rule("gallery/", &["python", "guide"], "", Pages::All),
    rule("crates/ergodict-py/", &["format", "clippy", "python", "guide", "rustdoc"], "", Pages::Python),

    rule("crates/ergodict-cli/tests/", &["format", "clippy", "browser", "unit"], "package(ergodict-cli)", Pages::Itself),
    // The Python package is compared with the program.
    rule("crates/ergodict-cli/", &["format", "clippy", "features", "browser", "python", "guide", "unit", "rustdoc"], "package(ergodict-cli)", Pages::All),
    rule("crates/ergodict-paper/", &["format", "clippy", "guide", "unit", "rustdoc"], "package(ergodict-paper)", Pages::All),
    rule("crates/ergodict-terminal/", &["format", "clippy", "features", "browser", "python", "guide", "unit", "rustdoc"],
        "rdeps(ergodict-terminal)", Pages::All),
    // Both programs and the Python package make the same pages.
    rule("crates/ergodict-pages/", &["format", "clippy", "browser", "python", "guide", "unit", "rustdoc"],
        "rdeps(ergodict-pages)", Pages::All),
    // A test of the library looks for examples in the sources of the reports.
    rule("crates/ergodict-report/", &["format", "clippy", "browser", "python", "guide", "unit", "doc", "rustdoc"],
        "rdeps(ergodict-report) | test(public_items_have_examples)", Pages::All),
    rule("crates/ergodict/tests/", &["format", "clippy", "unit"], "package(ergodict)", Pages::Itself),

    rule("benchsuite/", &["format", "clippy", "unit", "rustdoc"], "package(benchsuite)", Pages::Itself),
    rule("xtask/src/guide", &["format", "clippy", "guide", "unit", "rustdoc"], "package(xtask)", Pages::All),
    // No step uses these.
    rule("xtask/src/mutants", XTASK, "package(xtask)", Pages::Itself),
    rule("xtask/src/fuzz.rs", XTASK, "package(xtask)", Pages::Itself),
    rule("xtask/src/bench.rs", XTASK, "package(xtask)", Pages::Itself),
    rule("xtask/src/peers", XTASK, "package(xtask)", Pages::Itself),
    rule("xtask/src/scale.rs", XTASK, "package(xtask)", Pages::Itself),
    rule("xtask/src/time", XTASK, "package(xtask)", Pages::Itself),
    rule("xtask/src/wheel.rs", XTASK, "package(xtask)", Pages::Itself),
    rule("rustfmt.toml", &["format"], "", Pages::Itself),
    rule("deny.toml", &["dependencies"], "", Pages::Itself),
    // What the platform that hosts the repository reads.
    rule(".github/", &[], "", Pages::Itself),
    rule("SECURITY.md", &["guide"], "", Pages::Itself),
    rule("fuzz/", &["format", "clippy", "unit", "rustdoc"], "package(ergodict-fuzz)", Pages::Itself),
];

/// What to run, and why.
pub(super) struct Plan {
    steps: Steps,
    pub(super) scope: Scope,
}

enum Steps {
    /// All of them, because of a file that no rule fits.
    All(String),
    /// Some, each with the files that ask for it.
    Some(BTreeMap<&'static str, Vec<String>>),
}

impl Plan {
    /// What the files can affect.
    fn new(changed: &[String]) -> Self {
        let (mut steps, mut tests, mut pages) = (BTreeMap::new(), Vec::new(), Choice::nothing());
        for path in changed {
            let mut rules = RULES.iter().filter(|_| !path.ends_with("Cargo.toml"));
            let Some(rule) = rules.find(|rule| path.starts_with(rule.path)) else {
                return Self { steps: Steps::All(path.clone()), scope: Scope::default() };
            };
            for step in rule.steps {
                steps.entry(*step).or_insert_with(Vec::new).push(path.clone());
            }
            if rule.steps.contains(&"unit") && !tests.contains(&rule.tests) {
                tests.push(rule.tests);
            }
            if rule.steps.contains(&"guide") {
                pages.paths.push(path.into());
                pages.python |= rule.pages == Pages::Python;
                pages.all |= rule.pages == Pages::All;
                pages.book |= pages.all || path.starts_with("docs/") || path.starts_with("python/ergodict/");
            }
        }
        let tests = (!tests.is_empty()).then(|| tests.join(" | "));
        Self { steps: Steps::Some(steps), scope: Scope { tests, pages } }
    }

    pub(super) fn includes(&self, step: &str) -> bool {
        match &self.steps {
            Steps::All(_) => true,
            Steps::Some(steps) => steps.contains_key(step),
        }
    }

    /// A line for each step with what asks for it.
    pub(super) fn explain(&self) -> String {
        let steps = match &self.steps {
            Steps::All(path) => return format!("everything, because {path} can affect all of it\n"),
            Steps::Some(steps) if steps.is_empty() => return "nothing: no step depends on it\n".into(),
            Steps::Some(steps) => steps,
        };
        let mut text = String::new();
        for name in STEPS.map(|step| step.name) {
            let Some((first, rest)) = steps.get(name).and_then(|paths| paths.split_first()) else { continue };
            let part = match (name, &self.scope.tests) {
                ("unit", Some(tests)) => format!("{tests}, "),
                ("guide", _) => format!("{}, ", self.scope.pages),
                _ => String::new(),
            };
            let more = if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
            let _ = writeln!(text, "{name:8} {part}because of {first}{more}");
        }
        text
    }
}

/// What to run after the changes since a revision, and those that are not committed. Without one, since this branch left `main`.
pub(super) fn plan(base: Option<&str>) -> Result<Plan> {
    let git = |words: &[&str]| stdout(command("git").args(["-c", "core.quotePath=off"]).args(words));
    let base = match base {
        Some(revision) => git(&["rev-parse", "--verify", &format!("{revision}^{{commit}}")])?,
        None => git(&["merge-base", "HEAD", "main"]).or_else(|_| git(&["rev-parse", "HEAD"]))?,
    };
    // A file that was moved is gone from where it was: both paths count.
    let tracked = git(&["diff", "--name-only", "--no-renames", base.trim()])?;
    let untracked = git(&["ls-files", "--others", "--exclude-standard"])?;
    let changed: Vec<String> = tracked.lines().chain(untracked.lines()).map(String::from).collect();
    println!("{} files have changed since {:.9}:", changed.len(), base.trim());
    Ok(Plan::new(&changed))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::root;

    fn planned(changed: &[&str]) -> Plan {
        Plan::new(&changed.iter().map(ToString::to_string).collect::<Vec<_>>())
    }

    fn steps(changed: &[&str]) -> Vec<&'static str> {
        let plan = planned(changed);
        STEPS.iter().map(|step| step.name).filter(|name| plan.includes(name)).collect()
    }

    #[test]
    fn every_rule_fits_something_and_names_steps() {
        for (i, rule) in RULES.iter().enumerate() {
            assert!(RULES[..i].iter().all(|earlier| !rule.path.starts_with(earlier.path)), "{}", rule.path);
            let (folder, beginning) = rule.path.rsplit_once('/').unwrap_or(("", rule.path));
            let mut files = std::fs::read_dir(root().join(folder)).unwrap();
            let begins = |name: std::ffi::OsString| name.to_string_lossy().starts_with(beginning);
            assert!(files.any(|file| begins(file.unwrap().file_name())), "{}: no such file", rule.path);
            for name in rule.steps {
                assert!(STEPS.iter().any(|step| step.name == *name), "{}: no step {name}", rule.path);
            }
            assert_eq!(rule.steps.contains(&"unit"), !rule.tests.is_empty(), "{}", rule.path);
        }
    }

    #[test]
    fn what_is_not_certain_runs_everything() {
        let all = STEPS.map(|step| step.name);
        for path in [
            "crates/ergodict/src/lib.rs",
            "Cargo.toml",
            "Cargo.lock",
            "pyproject.toml",
            ".cargo/config.toml",
            "new",
        ] {
            assert_eq!(steps(&["docs/images.md", path]), all, "{path}");
            let plan = planned(&["docs/images.md", path]);
            assert!(plan.scope.tests.is_none() && plan.scope.pages.all, "{path}");
            assert!(plan.explain().contains(path), "{}", plan.explain());
        }
    }

    #[test]
    fn a_change_runs_what_depends_on_it() {
        assert_eq!(steps(&[]), [""; 0]);
        assert_eq!(steps(&["docs/images.md"]), ["guide"]);
        assert_eq!(steps(&["docs/json.md"]), ["guide", "unit"]);
        assert_eq!(steps(&["python/tests/test_fuzz.py"]), ["python"]);
        assert_eq!(steps(&["python/ergodict/__init__.py"]), ["python", "guide"]);
        assert_eq!(steps(&["xtask/src/time.rs"]), ["format", "clippy", "unit", "rustdoc"]);
        assert!(steps(&["crates/ergodict-report/src/html.rs"]).contains(&"python"));
        assert!(steps(&["crates/ergodict-cli/src/main.rs"]).contains(&"browser"));
    }

    #[test]
    fn parts_of_steps_add_up() {
        let plan =
            planned(&["docs/images.md", "xtask/src/scale.rs", "benchsuite/src/main.rs", "xtask/src/time.rs"]);
        assert_eq!(plan.scope.tests.as_deref(), Some("package(xtask) | package(benchsuite)"));
        let pages = &plan.scope.pages;
        assert!(
            pages.book
                && !pages.all
                && !pages.python
                && pages.paths == [std::path::Path::new("docs/images.md")]
        );
        let explain = plan.explain();
        let expected =
            "unit     package(xtask) | package(benchsuite), because of xtask/src/scale.rs and 2 more\n";
        assert!(explain.contains(expected), "{explain}");
        let docstrings = planned(&["python/ergodict/__init__.py"]).scope.pages;
        assert!(docstrings.python && docstrings.book);
        assert!(planned(&["crates/ergodict-cli/src/main.rs"]).scope.pages.all);
    }
}
