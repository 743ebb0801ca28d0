//! What is counted of the structure, by `git grep`: the public surface, second copies, names.

use crate::generate::MARK;
use crate::place::command;
use anyhow::{Context, Result, bail};
use std::collections::HashSet;
use std::path::Path;

/// One count and where it should be.
pub(super) struct Rule {
    pub(super) what: &'static str,
    pub(super) target: &'static str,
    /// `-h` counts lines, `-l` files that are written by hand, `-oh` the different words that name no file.
    how: &'static str,
    pattern: &'static str,
    paths: &'static [&'static str],
}

/// Every rule.
pub(super) const RULES: [Rule; 7] = [
    Rule {
        what: "public items of the library",
        target: "≤ 1000",
        how: "-h",
        pattern: r"^\s*pub (const |unsafe )*(fn|struct|enum|trait|type|const|static) ",
        paths: &["crates/ergodict/src"],
    },
    Rule {
        what: "files that step a dictionary (run and trainer)",
        target: "2",
        how: "-l",
        pattern: r"^[^/]*(tracked|trainer|factorizer|factoriser)\.(step|step_weighted|absorb|absorb_coded)\(",
        paths: &["crates/*.rs", ":!*tests*"],
    },
    Rule {
        what: "hand-written files naming dictionary-sweeps outside its module",
        target: "0",
        how: "-l",
        pattern: "dict(ionary)?[-_]sweeps",
        paths: &["crates/*.rs", "python/ergodict", ":!crates/ergodict/src/factor", ":!*tests*"],
    },
    Rule {
        what: "statics of the command line",
        target: "0",
        how: "-h",
        pattern: "^static ",
        paths: &["crates/ergodict-cli"],
    },
    Rule { what: "functions called `of`", target: "0", how: "-h", pattern: "fn of[<(]", paths: &["crates"] },
    Rule {
        what: "uses of json! in the command line",
        target: "",
        how: "-h",
        pattern: r"json!\(",
        paths: &["crates/ergodict-cli/src"],
    },
    Rule {
        what: "documents named that do not exist",
        target: "0",
        how: "-oh",
        pattern: r"\b[A-Z]{3,}\.md\b",
        paths: &["."],
    },
];

impl Rule {
    /// The count in a checkout; `files` are those it has.
    pub(super) fn count(&self, folder: &Path, files: &[String]) -> Result<usize> {
        let mut grep = command("git");
        grep.current_dir(folder).args(["grep", self.how, "-E", self.pattern, "--"]).args(self.paths);
        let output = grep.output().context("cannot start git")?;
        if output.status.code().is_none_or(|code| code > 1) {
            bail!("git grep failed: {}", String::from_utf8_lossy(&output.stderr).trim_end());
        }
        let found = String::from_utf8_lossy(&output.stdout);
        let by_hand = |file: &&str| {
            let text = std::fs::read_to_string(folder.join(file)).unwrap_or_default();
            !text.lines().next().is_some_and(|line| line.contains(MARK))
        };
        match self.how {
            "-h" => return Ok(found.lines().count()),
            "-l" => return Ok(found.lines().filter(by_hand).count()),
            _ => {}
        }
        let names: HashSet<&str> = found.lines().collect();
        let known = |name: &&str| files.iter().any(|file| file.rsplit('/').next() == Some(*name));
        Ok(names.into_iter().filter(|name| !known(name)).count())
    }
}
