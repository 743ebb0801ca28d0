//! What became of each change, and the page about it.

use super::Mutant;
use crate::place::root;
use anyhow::{Context, Result, ensure};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::PathBuf;

/// Survivors that no test can catch, with the reason: file, change, reason.
const EXPLAINED: &str = "xtask/src/mutants/explained.tsv";

#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum End {
    /// Does not compile.
    Refused,
    /// By unit tests.
    Caught,
    /// The tests took more than five times as long as without the change.
    TimedOut,
    /// Caught by integration tests alone.
    Integration,
    Survived,
}

const ENDS: [(End, &str); 5] = [
    (End::Refused, "does not compile"),
    (End::Caught, "caught"),
    (End::TimedOut, "too long"),
    (End::Integration, "caught by integration tests"),
    (End::Survived, "survived"),
];

/// A change of a sample: seed, area, file, where it begins, what it is.
type Key = (u64, String, String, usize, String);

/// The end and line of each change that was tested, kept in a file.
pub(super) struct Record {
    path: PathBuf,
    ends: BTreeMap<Key, (End, usize)>,
    explained: Vec<(String, String, String)>,
}

impl Record {
    /// What the file holds; nothing if it is not there.
    pub(super) fn read(path: PathBuf) -> Result<Self> {
        let text = if path.exists() { std::fs::read_to_string(&path)? } else { String::new() };
        let line = |line: &str| -> Option<_> {
            let fields: Vec<&str> = line.split('\t').collect();
            let [seed, area, file, start, line, end, what] = fields[..] else { return None };
            let (end, _) = ENDS.iter().find(|(_, name)| *name == end)?;
            let key = (seed.parse().ok()?, area.into(), file.into(), start.parse().ok()?, what.into());
            Some((key, (*end, line.parse().ok()?)))
        };
        let ends = text.lines().map(line).collect::<Option<_>>();
        let ends = ends.with_context(|| format!("{}: not a record of mutants; remove it", path.display()))?;
        Ok(Self { path, ends, explained: explained()? })
    }

    fn key(mutant: &Mutant) -> Key {
        let change = &mutant.change;
        (mutant.seed, mutant.area().into(), mutant.file.clone(), change.range.start, change.what.clone())
    }

    /// Whether a change is still to be tested: it is new, or survived without an explanation.
    pub(super) fn is_open(&self, mutant: &Mutant) -> bool {
        match self.ends.get(&Self::key(mutant)) {
            Some((End::Survived, _)) => self.reason(&mutant.file, &mutant.change.what).is_none(),
            end => end.is_none(),
        }
    }

    /// Why no test can catch a change, if that is explained.
    fn reason(&self, file: &str, what: &str) -> Option<&str> {
        let found = self.explained.iter().find(|(other, change, _)| other == file && change == what);
        found.map(|(.., reason)| reason.as_str())
    }

    /// Notes an end, prints it and writes the file.
    pub(super) fn add(&mut self, mutant: &Mutant, end: End) -> Result<()> {
        println!("{}: {}:{} {}", name(end), mutant.file, mutant.change.line, mutant.change.what);
        self.ends.insert(Self::key(mutant), (end, mutant.change.line));
        let mut text = String::new();
        for ((seed, area, file, start, what), (end, line)) in &self.ends {
            let _ = writeln!(text, "{seed}\t{area}\t{file}\t{start}\t{line}\t{}\t{what}", name(*end));
        }
        std::fs::write(&self.path, text).with_context(|| format!("cannot write {}", self.path.display()))
    }

    /// Whether each survivor is explained.
    pub(super) fn bites(&self) -> bool {
        let mut survivors = self.ends.iter().filter(|(_, (end, _))| *end == End::Survived);
        survivors.all(|((_, _, file, _, what), _)| self.reason(file, what).is_some())
    }

    /// A table for each seed, and the survivors.
    pub(super) fn page(&self) -> String {
        let mut text = String::from(
            "# Do the tests bite?\n\n`cargo xtask mutants`: small changes of the library, a seeded sample of each area, each tested with the unit tests that reach it, \
             and where those pass with the integration tests: those of its module first, then those that take little time and reach few other changes, up to 30 s of tests that take at most 1 s \
             and 30 s of longer ones; tests that take longer than 6 s are left out. \"Too long\" is five times as long as without the change. \
             The last column leaves out changes that no test can catch, with reasons below.\n",
        );
        for seed in self.ends.keys().map(|key| key.0).collect::<BTreeSet<_>>() {
            let _ = write!(
                text,
                "\n## Seed {seed}\n\n| area | sampled | viable | unit tests | too long | integration tests | survived | of them explained | caught | caught of the rest |\n\
                 |---|---|---|---|---|---|---|---|---|---|\n"
            );
            let of_seed = || self.ends.iter().filter(|(key, _)| key.0 == seed);
            let areas: BTreeSet<&str> = of_seed().map(|(key, _)| key.1.as_str()).collect();
            for area in areas.into_iter().map(Some).chain([None]) {
                let of_area = || of_seed().filter(|(key, _)| area.is_none_or(|area| key.1 == area));
                let count = |end: End| of_area().filter(|(_, (other, _))| *other == end).count();
                let reasons = of_area()
                    .filter(|(key, (end, _))| *end == End::Survived && self.reason(&key.2, &key.4).is_some());
                let (sampled, reasons) = (of_area().count(), reasons.count());
                let viable = sampled - count(End::Refused);
                let caught = viable - count(End::Survived);
                let share = |of: usize| 100.0 * caught as f64 / of.max(1) as f64;
                let _ = writeln!(
                    text,
                    "| {} | {sampled} | {viable} | {} | {} | {} | {} | {reasons} | {:.1} % | {:.1} % |",
                    area.unwrap_or("all"),
                    count(End::Caught),
                    count(End::TimedOut),
                    count(End::Integration),
                    count(End::Survived),
                    share(viable),
                    share(viable - reasons),
                );
            }
            let survivors: Vec<_> = of_seed().filter(|(_, (end, _))| *end == End::Survived).collect();
            text += if survivors.is_empty() { "" } else { "\nSurvivors:\n\n" };
            for ((_, _, file, _, what), (_, line)) in survivors {
                let reason =
                    self.reason(file, what).map_or_else(String::new, |reason| format!(" — {reason}"));
                let _ = writeln!(text, "- `{file}:{line}`: {what}{reason}");
            }
        }
        text
    }
}

fn name(end: End) -> &'static str {
    ENDS.iter().find(|(other, _)| *other == end).map_or("", |(_, name)| name)
}

/// File, change and reason of each survivor that is explained.
fn explained() -> Result<Vec<(String, String, String)>> {
    let text = std::fs::read_to_string(root().join(EXPLAINED)).with_context(|| EXPLAINED)?;
    let line = |(number, line): (usize, &str)| {
        let fields: Vec<&str> = line.split('\t').collect();
        ensure!(fields.len() == 3, "{EXPLAINED}:{}: expected a file, a change and a reason", number + 1);
        Ok((fields[0].into(), fields[1].into(), fields[2].into()))
    };
    text.lines().enumerate().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::super::changes::changes;
    use super::*;

    #[test]
    fn what_is_explained_is_a_change_of_the_library() {
        let all = super::super::all().unwrap();
        for (file, what, _) in explained().unwrap() {
            let found = all.iter().any(|mutant| mutant.file == file && mutant.change.what == what);
            assert!(found, "{file}: {what}: no such change; take it out of {EXPLAINED}");
        }
    }

    #[test]
    fn records_are_read_as_they_were_written() {
        let path = std::env::temp_dir().join(format!("ergodict-mutants-{}.tsv", std::process::id()));
        let found = changes("fn f() { g(a < b); h(1) }").unwrap();
        let mutant = |seed, change| Mutant { file: "a/diagnostics.rs".into(), change, seed };
        let (one, two, later) =
            (mutant(3, found[0].clone()), mutant(3, found[1].clone()), mutant(4, found[1].clone()));
        let mut record = Record::read(path.clone()).unwrap();
        record.add(&one, End::Caught).unwrap();
        record.add(&two, End::Refused).unwrap();
        assert!(record.bites());
        record.add(&later, End::Survived).unwrap();
        let record = Record::read(path.clone()).unwrap();
        std::fs::remove_file(path).unwrap();
        assert!(!record.is_open(&one) && !record.is_open(&two) && record.is_open(&later));
        assert!(!record.bites());
        let page = record.page();
        assert!(page.contains("| diagnostics | 2 | 1 | 1 | 0 | 0 | 0 | 0 | 100.0 % | 100.0 % |"), "{page}");
        assert!(
            page.contains(
                "- `a/diagnostics.rs:1`: `fn f() { g(a < b); h(1) }` becomes `fn f() { g(a < b); h(2) }`"
            ),
            "{page}"
        );
    }
}
