//! `cargo xtask mutants`: do the tests of the library notice small changes of it?
//!
//! A seeded sample of changes in each area of the library is put into a copy of it, each behind a check of `ERGODICT_MUTANT`, so that one test
//! program, built once, has all of them. Each is tested by the tests that reach it: unit tests, and where those pass, integration tests. What became
//! of each is recorded in `target/mutants.tsv`: what was caught is not tested again.

mod build;
mod changes;
mod record;
mod traces;
mod trial;

use crate::place::{command, root, stdout, target};
use anyhow::{Context, Result, bail};
use build::build;
use changes::{Change, changes};
use record::{End, Record};
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::time::Duration;
use traces::Traces;

/// Where changes are looked for, beginnings of paths in the library.
const PLACES: [&str; 5] = ["factor/", "reconstruct/", "denoise/", "patch/", "chain/"];
/// The order in which areas are tested; others come last.
const AREAS: [&str; 6] = ["factor", "reconstruct", "denoise", "diagnostics", "patch", "chain"];
/// Changes of each area.
const SAMPLE: usize = 50;

/// A change and where it is.
#[derive(Clone)]
struct Mutant {
    /// Of the file, from `src/`.
    file: String,
    change: Change,
    /// Of the sample that it is in.
    seed: u64,
}

impl Mutant {
    /// The part of the library that it counts for.
    fn area(&self) -> &str {
        if self.file.contains("diagnostics") {
            return "diagnostics";
        }
        self.file.split('/').next().unwrap_or_default()
    }

    /// A number that changes with the change and where it is.
    fn identity(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (&self.file, self.change.range.start, &self.change.what).hash(&mut hasher);
        hasher.finish()
    }

    fn overlaps(&self, other: &Self) -> bool {
        let (a, b) = (&self.change.range, &other.change.range);
        self.file == other.file && a.start < b.end && b.start < a.end
    }
}

/// Makes and tests a sample of changes; true if none survived that is not explained.
pub(crate) fn run(arguments: &[String]) -> Result<bool> {
    let (mut sample, mut seeds, mut minutes, mut places) = (SAMPLE, Vec::new(), None, Vec::new());
    let mut list = false;
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let mut number = |name: &str| -> Result<u64> {
            let value = words.next().with_context(|| format!("{name} needs a number"))?;
            value.parse().with_context(|| format!("{name} {value}: expected a whole number"))
        };
        match word.as_str() {
            // Of the seeds after it.
            "--sample" => sample = number("--sample")? as usize,
            "--seed" => seeds.push((number("--seed")?, sample)),
            "--list" => list = true,
            "--minutes" => minutes = Some(number("--minutes")?),
            word if word.starts_with('-') => {
                bail!("no option `{word}`: there are --sample N, --seed N, --minutes N and --list")
            }
            place => places.push(place.to_owned()),
        }
    }
    if places.is_empty() {
        places = PLACES.map(String::from).into();
    }
    if seeds.is_empty() {
        seeds.push((0, sample));
    }
    let all = all()?;
    let mut by_area: BTreeMap<(usize, String), Vec<Mutant>> = BTreeMap::new();
    for mutant in &all {
        if places.iter().any(|place| mutant.file.starts_with(place.as_str())) {
            let area = mutant.area();
            let order = AREAS.iter().position(|other| *other == area).unwrap_or(AREAS.len());
            by_area.entry((order, area.to_owned())).or_default().push(mutant.clone());
        }
    }
    let mut record = Record::read(target()?.join("mutants.tsv"))?;
    let mut chosen: Vec<Mutant> = Vec::new();
    for (seed, sample) in seeds {
        for ((_, area), all) in &by_area {
            println!("{area}, seed {seed}: {} of {} changes", sample.min(all.len()), all.len());
            for one in choose(all.clone(), sample, seed) {
                // A change that overlaps with one of an earlier seed has to wait for another run.
                if record.is_open(&one) && !chosen.iter().any(|other| one.overlaps(other)) {
                    chosen.push(one);
                }
            }
        }
    }
    if list {
        for Mutant { file, change, .. } in &chosen {
            println!("{file}:{} {}", change.line, change.what);
        }
        return Ok(true);
    }
    let programs = build(&mut chosen, |mutant| record.add(mutant, End::Refused))?;
    let limit = minutes.map(Duration::from_mins);
    let traces = Traces::read(target()?.join("mutants-traces.tsv"), &all);
    trial::test(&programs, &chosen, traces, limit, |mutant, end| record.add(mutant, end))?;
    let page = record.page();
    println!("{page}");
    let date = stdout(command("date").arg("+%F"))?;
    let path = root().join(format!("benchsuite/runs/{}/mutants.md", date.trim()));
    std::fs::write(&path, page).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(record.bites())
}

/// All changes of the library.
fn all() -> Result<Vec<Mutant>> {
    let source = root().join("crates/ergodict/src");
    let mut all = Vec::new();
    for path in files(&source)? {
        let file = path.strip_prefix(&source)?.to_string_lossy().into_owned();
        if !file.contains("tests") {
            let found = changes(&std::fs::read_to_string(&path)?).with_context(|| file.clone())?;
            all.extend(found.into_iter().map(|change| Mutant { file: file.clone(), change, seed: 0 }));
        }
    }
    Ok(all)
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

/// A seeded sample of changes that do not overlap, in the order of the files.
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
        let one = Mutant { seed, ..all.swap_remove((random() % all.len() as u64) as usize) };
        if !chosen.iter().any(|other| one.overlaps(other)) {
            chosen.push(one);
        }
    }
    chosen.sort_by(|a, b| {
        let key = |mutant: &Mutant| (mutant.change.range.start, mutant.change.range.end);
        (&a.file, key(a)).cmp(&(&b.file, key(b)))
    });
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_do_not_overlap_and_are_the_same_for_a_seed() {
        let all = || {
            let found = changes("fn f(a: u64) -> u64 { if a + 1 < 3 { a * 2 } else { 7 } }").unwrap();
            found
                .into_iter()
                .map(|change| Mutant { file: "a/b.rs".into(), change, seed: 0 })
                .collect::<Vec<_>>()
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
    }
}
