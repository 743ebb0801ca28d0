//! `cargo xtask mutants`: do the tests of the library notice small changes of it?
//!
//! A sample of changes is put into a copy of the library, each behind a check of `ERGODICT_MUTANT`, so that one test program, built once, has all
//! of them. For each change it runs the unit tests of the module that the change is in and, while these pass, of its folder, its top folder and the library.

mod changes;

use crate::place::{cargo, command, copy_tree, name, root, stdout, target};
use anyhow::{Context, Result, bail};
use changes::{Change, apply, changes};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Where changes are looked for, beginnings of paths in the library.
const PLACES: [&str; 6] =
    ["factor/", "chain/diagnostics", "chain/motif/", "patch/", "reconstruct/", "denoise/"];
const SAMPLE: usize = 100;
/// What the copy reads the number of its change by.
const SWITCH: &str = "
/// Which change of `cargo xtask mutants` is made.
mod mutant {
    /// Whether it is this one.
    pub(crate) fn is(number: u32) -> bool {
        static CHOSEN: std::sync::LazyLock<u32> = std::sync::LazyLock::new(|| {
            std::env::var(\"ERGODICT_MUTANT\").ok().and_then(|text| text.parse().ok()).unwrap_or(0)
        });
        *CHOSEN == number
    }
}
";

/// A change and where it is.
struct Mutant {
    /// Of the file, from `src/`.
    file: String,
    change: Change,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum End {
    Caught,
    /// The tests took more than ten times as long as without the change.
    TimedOut,
    Survived,
}

/// Makes and tests a sample of changes; true if all were caught.
pub(crate) fn run(arguments: &[String]) -> Result<bool> {
    let (mut sample, mut seed, mut minutes, mut places) = (SAMPLE, 0, None, Vec::new());
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let mut number = |name: &str| -> Result<u64> {
            let value = words.next().with_context(|| format!("{name} needs a number"))?;
            value.parse().with_context(|| format!("{name} {value}: expected a whole number"))
        };
        match word.as_str() {
            "--sample" => sample = number("--sample")? as usize,
            "--seed" => seed = number("--seed")?,
            "--minutes" => minutes = Some(number("--minutes")?),
            word if word.starts_with('-') => {
                bail!("no option `{word}`: there are --sample N, --seed N and --minutes N")
            }
            place => places.push(place.to_owned()),
        }
    }
    if places.is_empty() {
        places = PLACES.map(String::from).into();
    }
    let source = root().join("crates/ergodict/src");
    let mut all = Vec::new();
    for file in files(&source)? {
        let path = file.strip_prefix(&source)?.to_string_lossy().into_owned();
        if places.iter().any(|place| path.starts_with(place.as_str())) && !path.contains("tests") {
            let text = std::fs::read_to_string(&file)?;
            let found = changes(&text).with_context(|| path.clone())?;
            all.extend(found.into_iter().map(|change| Mutant { file: path.clone(), change }));
        }
    }
    let count = all.len();
    let mut chosen = choose(all, sample, seed);
    println!("{} of {count} changes", chosen.len());
    let program = loop {
        match build(&chosen)? {
            Built::Program(program) => break program,
            Built::Refused(numbers) => {
                let mut number = 0;
                chosen.retain(|mutant| {
                    number += 1;
                    let viable = !numbers.contains(&number);
                    if !viable {
                        println!(
                            "does not compile: {}:{} {}",
                            mutant.file, mutant.change.line, mutant.change.what
                        );
                    }
                    viable
                });
            }
        }
    };
    let ends = test_all(&program, &chosen, minutes.map(|m| Instant::now() + Duration::from_secs(60 * m)))?;
    let page = page(&chosen, &ends, count, seed);
    println!("{page}");
    let date = stdout(command("date").arg("+%F"))?;
    let path = root().join(format!("benchsuite/runs/{}/mutants.md", date.trim()));
    std::fs::write(&path, page).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(!ends.contains(&End::Survived))
}

/// All sources under a folder.
fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(files(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// A seeded sample of changes that do not overlap.
fn choose(mut all: Vec<Mutant>, sample: usize, seed: u64) -> Vec<Mutant> {
    let mut state = seed;
    let mut random = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
    let mut chosen: Vec<Mutant> = Vec::new();
    while chosen.len() < sample && !all.is_empty() {
        let one = all.swap_remove((random() % all.len() as u64) as usize);
        let overlaps = |other: &Mutant| {
            let (a, b) = (&other.change.range, &one.change.range);
            other.file == one.file && a.start < b.end && b.start < a.end
        };
        if !chosen.iter().any(overlaps) {
            chosen.push(one);
        }
    }
    chosen.sort_by(|a, b| (&a.file, a.change.range.start).cmp(&(&b.file, b.change.range.start)));
    chosen
}

/// What compiling the changes gave.
enum Built {
    /// The test program.
    Program(PathBuf),
    /// The numbers of changes that the compiler refuses.
    Refused(BTreeSet<u32>),
}

/// A copy of the workspace with all changes in it, and its test program. Dependencies are those that the tests have built.
fn build(chosen: &[Mutant]) -> Result<Built> {
    let copy = target()?.join("mutants");
    let _ = std::fs::remove_dir_all(&copy);
    for file in stdout(command("git").args([
        "ls-files",
        "*.toml",
        "*.rs",
        "Cargo.lock",
        "crates",
        "docs",
        "README.md",
        ".cargo",
    ]))?
    .lines()
    {
        // Links lead to what is copied, too.
        let (from, to) = (root().join(file), copy.join(file));
        if from.is_file() {
            copy_tree(&from, &to)?;
        }
    }
    let mut by_file: BTreeMap<&str, Vec<(u32, &Change)>> = BTreeMap::new();
    for (number, mutant) in (1..).zip(chosen) {
        by_file.entry(&mutant.file).or_default().push((number, &mutant.change));
    }
    let source = copy.join("crates/ergodict/src");
    for (file, changes) in by_file {
        let path = source.join(file);
        std::fs::write(&path, apply(&std::fs::read_to_string(&path)?, &changes))?;
    }
    let library = source.join("lib.rs");
    std::fs::write(&library, std::fs::read_to_string(&library)? + SWITCH)?;
    let mut build = cargo(
        "test --locked --no-run --message-format json --package ergodict --lib --features clap,fetch,image,parquet --target-dir",
    );
    build.arg(target()?).current_dir(&copy).stderr(Stdio::inherit());
    println!("$ {}", name(&build));
    let output = build.output().context("cannot start cargo")?;
    let messages = String::from_utf8_lossy(&output.stdout).into_owned();
    let messages = messages.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let messages: Vec<serde_json::Value> = messages.collect();
    if !output.status.success() {
        let errors: Vec<_> = messages
            .iter()
            .map(|line| &line["message"])
            .filter(|message| message["level"] == "error")
            .collect();
        let refused: BTreeSet<u32> = errors.iter().flat_map(|error| numbers(error)).collect();
        if refused.is_empty() {
            errors.iter().for_each(|error| println!("{}", error["rendered"].as_str().unwrap_or_default()));
            bail!("the library does not compile, whatever the change");
        }
        return Ok(Built::Refused(refused));
    }
    let program = messages.iter().rev().find_map(|message| message["executable"].as_str());
    Ok(Built::Program(program.context("cargo built no test program")?.into()))
}

/// The numbers of changes in the lines that a message of the compiler points to.
fn numbers(message: &serde_json::Value) -> Vec<u32> {
    let spans = message["spans"].as_array().into_iter().flatten();
    let lines = spans.flat_map(|span| span["text"].as_array().into_iter().flatten());
    let lines = lines.filter_map(|line| line["text"].as_str());
    let numbers = lines.flat_map(|line| line.split("mutant::is(").skip(1));
    numbers.filter_map(|rest| rest.split(')').next()?.parse().ok()).collect()
}

/// The tests that are run for a change in a file, one filter after the other: those of its module, its folder, its top folder, the library.
fn filters(file: &str) -> Vec<String> {
    let module = file.trim_end_matches(".rs").trim_end_matches("/mod");
    let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
    let top = file.split('/').next().unwrap_or_default();
    let mut filters: Vec<String> = [module, folder, top].map(|path| path.replace('/', "::") + "::").into();
    filters.push(String::new());
    filters.dedup();
    filters
}

fn test_all(program: &Path, chosen: &[Mutant], until: Option<Instant>) -> Result<Vec<End>> {
    let mut usual: BTreeMap<String, Duration> = BTreeMap::new();
    let mut ends = Vec::new();
    for (number, mutant) in (1..).zip(chosen) {
        if until.is_some_and(|until| Instant::now() > until) {
            break;
        }
        let mut end = End::Survived;
        for filter in filters(&mutant.file) {
            if !usual.contains_key(&filter) {
                let start = Instant::now();
                if test(program, &filter, 0, Duration::from_mins(30))? != End::Survived {
                    bail!("the tests {filter} fail without any change");
                }
                usual.insert(filter.clone(), start.elapsed());
            }
            end = test(program, &filter, number, usual[&filter] * 10 + Duration::from_secs(10))?;
            if end != End::Survived {
                break;
            }
        }
        println!("{end:?}: {}:{} {}", mutant.file, mutant.change.line, mutant.change.what);
        ends.push(end);
    }
    Ok(ends)
}

/// Runs tests with a change; 0 is none.
fn test(program: &Path, filter: &str, number: u32, limit: Duration) -> Result<End> {
    let mut tests = Command::new(program);
    tests.arg(filter).env("ERGODICT_MUTANT", number.to_string()).current_dir(root().join("crates/ergodict"));
    // Property tests look for a smaller example of what failed, which is of no use here.
    tests.env("PROPTEST_MAX_SHRINK_ITERS", "0").env("RUST_BACKTRACE", "0");
    let mut child =
        tests.stdout(Stdio::null()).stderr(Stdio::null()).spawn().context("cannot start the tests")?;
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(if status.success() { End::Survived } else { End::Caught });
        }
        if start.elapsed() > limit {
            child.kill()?;
            child.wait()?;
            return Ok(End::TimedOut);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn page(chosen: &[Mutant], ends: &[End], count: usize, seed: u64) -> String {
    let number = |end: End| ends.iter().filter(|other| **other == end).count();
    let (caught, slow, survived) = (number(End::Caught), number(End::TimedOut), number(End::Survived));
    let mut text = format!(
        "# Do the tests bite?\n\n`cargo xtask mutants --seed {seed}`: of {count} small changes of the library {} were tried, each with the unit tests of its folder, then those of the library.\n\n\
         | caught | by taking too long | survived |\n|---|---|---|\n| {caught} | {slow} | {survived} |\n",
        ends.len(),
    );
    if survived > 0 {
        text += "\nSurvivors:\n\n";
    }
    for (mutant, _) in chosen.iter().zip(ends).filter(|(_, end)| **end == End::Survived) {
        let _ = writeln!(text, "- `{}:{}`: {}", mutant.file, mutant.change.line, mutant.change.what);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_do_not_overlap_and_are_the_same_for_a_seed() {
        let all = || {
            let found = changes("fn f(a: u64) -> u64 { if a + 1 < 3 { a * 2 } else { 7 } }").unwrap();
            found.into_iter().map(|change| Mutant { file: "a/b.rs".into(), change }).collect::<Vec<_>>()
        };
        assert!(all().len() > 5);
        for seed in 0..20 {
            let (one, two) = (choose(all(), 100, seed), choose(all(), 100, seed));
            assert!(
                !one.is_empty()
                    && one.windows(2).all(|two| two[0].change.range.end <= two[1].change.range.start)
            );
            assert!(one.iter().zip(&two).all(|(a, b)| a.change.range == b.change.range));
        }
        assert_eq!(
            filters("factor/code/fast.rs"),
            ["factor::code::fast::", "factor::code::", "factor::", ""]
        );
        let message = serde_json::json!({"spans": [{"text": [{"text": "a(if crate::mutant::is(17) { b } else { c })"}]}]});
        assert_eq!(numbers(&message), [17]);
        assert_eq!(filters("denoise/mod.rs"), ["denoise::", ""]);
    }
}
