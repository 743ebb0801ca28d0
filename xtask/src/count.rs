//! `cargo xtask count`: the size of the code, the public surface, and how many files an ordinary change touches.

mod lines;
mod probes;
mod rules;

use crate::place::{command, root, stdout};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};

/// The parts of the repository, the largest number of lines each may have, and their folders.
const PARTS: [(&str, Option<usize>, &[&str]); 10] = [
    ("library", Some(37_500), &["crates/ergodict/"]),
    ("command line", Some(11_500), &["crates/ergodict-cli/"]),
    ("terminal", None, &["crates/ergodict-terminal/"]),
    ("bindings", Some(4_500), &["crates/ergodict-py/"]),
    ("report", None, &["crates/ergodict-report/"]),
    ("pages", None, &["crates/ergodict-pages/"]),
    ("paper", None, &["crates/ergodict-paper/"]),
    ("Python", Some(6_300), &["python/", "gallery/"]),
    ("xtask", None, &["xtask/"]),
    ("benchsuite, fuzz", None, &["benchsuite/", "fuzz/"]),
];

/// The largest number of lines of code, tests apart.
const MOST_LINES: usize = 74_000;

/// Prints the counts of this checkout, or of another one.
pub(crate) fn run(arguments: &[String]) -> Result<bool> {
    let folder = match arguments {
        [] => root(),
        [folder] => PathBuf::from(folder),
        _ => bail!("usage: cargo xtask count [CHECKOUT]"),
    };
    let files = tracked(&folder)?;
    let mut sources = Vec::new();
    for file in files.iter().filter(|file| ["rs", "py", "pyi"].contains(&extension(file))) {
        let text =
            std::fs::read_to_string(folder.join(file)).with_context(|| format!("cannot read {file}"))?;
        sources.push((file.clone(), text));
    }
    let test_modules = lines::test_modules(&sources);
    let mut total = lines::Lines::default();
    println!("{:28} {:>6} {:>8} {:>8} {:>8} {:>8}", "lines", "files", "code", "target", "tests", "docs");
    for (part, most, folders) in PARTS {
        let own = sources.iter().filter(|(file, _)| folders.iter().any(|folder| file.starts_with(folder)));
        let sum = own
            .map(|(file, text)| lines::count(file, text, test_modules.contains(file)))
            .fold(lines::Lines::default(), lines::Lines::add);
        let most = most.map_or_else(String::new, |most| format!("≤ {most}"));
        println!("{part:28} {:6} {:8} {most:>8} {:8} {:8}", sum.files, sum.code, sum.tests, sum.docs);
        total = total.add(sum);
    }
    let most = format!("≤ {MOST_LINES}");
    println!("{:28} {:6} {:8} {most:>8} {:8} {:8}", "all", total.files, total.code, total.tests, total.docs);
    println!("\n{:66} {:>6} {:>8}", "structure", "now", "target");
    for rule in rules::RULES {
        println!("{:66} {:6} {:>8}", rule.what, rule.count(&folder, &files)?, rule.target);
    }
    println!("\n{:66} {:>6} {:>8}", "files touched by hand for", "now", "target");
    probes::print(&folder)?;
    Ok(true)
}

/// What follows the last dot of a file's name.
fn extension(file: &str) -> &str {
    Path::new(file).extension().and_then(|extension| extension.to_str()).unwrap_or_default()
}

/// The files that git knows, by their paths from the root.
fn tracked(folder: &Path) -> Result<Vec<String>> {
    let listed = stdout(command("git").current_dir(folder).args(["ls-files", "-z"]))?;
    Ok(listed
        .split('\0')
        .filter(|file| !file.is_empty() && folder.join(file).is_file())
        .map(str::to_owned)
        .collect())
}
