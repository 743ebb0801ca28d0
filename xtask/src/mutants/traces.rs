//! Which changes each test reaches and how long it takes, kept for the next run as long as only tests change.

use super::Mutant;
use super::record::End;
use anyhow::{Context, Result};
use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::time::Duration;

/// What a test was seen to do: its time, and the identities of the changes that it reaches; none if it was left out.
pub(super) type Trace = Option<(Duration, HashSet<u64>)>;

/// What tests of this library were seen to do.
pub(super) struct Traces {
    path: PathBuf,
    /// Of all changes that the library can have, which differ if it does.
    library: u64,
    /// The changes that were looked for.
    watched: HashSet<u64>,
    seen: BTreeMap<(bool, String), Trace>,
}

impl Traces {
    /// What the file holds of this library; nothing if it is not there, or of another.
    pub(super) fn read(path: PathBuf, all: &[Mutant]) -> Self {
        let mut hasher = DefaultHasher::new();
        all.iter().for_each(|mutant| mutant.identity().hash(&mut hasher));
        let library = hasher.finish();
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let (watched, seen) = parse(&text, library).unwrap_or_default();
        Self { path, library, watched, seen }
    }

    /// Forgets everything if it does not know of any of these changes; the numbers of those that it does not know of otherwise.
    pub(super) fn watch(&mut self, chosen: &[Mutant]) -> HashSet<u32> {
        let identities: Vec<u64> = chosen.iter().map(Mutant::identity).collect();
        let known = identities.iter().filter(|identity| self.watched.contains(*identity)).count();
        if 2 * known < chosen.len() {
            (self.watched, self.seen) = (identities.iter().copied().collect(), BTreeMap::new());
        }
        let unknown = (1..).zip(&identities).filter(|(_, identity)| !self.watched.contains(*identity));
        unknown.map(|(number, _)| number).collect()
    }

    /// What was seen of a test.
    pub(super) fn of(&self, caught: End, name: &str) -> Option<&Trace> {
        self.seen.get(&(caught == End::Integration, name.to_owned()))
    }

    pub(super) fn add(&mut self, caught: End, name: &str, trace: Trace) {
        self.seen.insert((caught == End::Integration, name.to_owned()), trace);
    }

    pub(super) fn write(&self) -> Result<()> {
        let list = |numbers: &HashSet<u64>| {
            numbers.iter().map(|number| format!("{number:x}")).collect::<Vec<_>>().join(" ")
        };
        let mut text = format!("{:x}\t{}\n", self.library, list(&self.watched));
        for ((integration, name), trace) in &self.seen {
            let (millis, reached) = trace.as_ref().map_or_else(Default::default, |(time, reached)| {
                (time.as_millis().max(1).to_string(), list(reached))
            });
            let _ = writeln!(text, "{integration}\t{name}\t{millis}\t{reached}");
        }
        std::fs::write(&self.path, text).with_context(|| format!("cannot write {}", self.path.display()))
    }
}

type Kept = (HashSet<u64>, BTreeMap<(bool, String), Trace>);

fn parse(text: &str, library: u64) -> Option<Kept> {
    let hex = |word: &str| u64::from_str_radix(word, 16).ok();
    let list = |words: &str| words.split(' ').filter(|word| !word.is_empty()).map(hex).collect::<Option<_>>();
    let mut lines = text.lines();
    let (of, watched) = lines.next()?.split_once('\t')?;
    if hex(of)? != library {
        return None;
    }
    let line = |line: &str| {
        let [integration, name, millis, reached] = line.split('\t').collect::<Vec<_>>()[..] else {
            return None;
        };
        let trace = if millis.is_empty() {
            None
        } else {
            Some((Duration::from_millis(millis.parse().ok()?), list(reached)?))
        };
        Some(((integration.parse().ok()?, name.to_owned()), trace))
    };
    Some((list(watched)?, lines.map(line).collect::<Option<_>>()?))
}

#[cfg(test)]
mod tests {
    use super::super::changes::changes;
    use super::*;

    #[test]
    fn traces_are_kept_for_the_same_library_and_changes() {
        let all = |text: &str| -> Vec<Mutant> {
            let found = changes(text).unwrap().into_iter();
            found.map(|change| Mutant { file: "a.rs".into(), change, seed: 0 }).collect()
        };
        let library = all("fn f() { g(a < b); h(1) }");
        let path = std::env::temp_dir().join(format!("ergodict-traces-{}.tsv", std::process::id()));
        let mut traces = Traces::read(path.clone(), &library);
        traces.watch(&library[..1]);
        let trace = Some((Duration::from_millis(7), HashSet::from([library[0].identity()])));
        traces.add(End::Caught, "one", trace.clone());
        traces.add(End::Integration, "two", None);
        traces.write().unwrap();
        let mut same = Traces::read(path.clone(), &library);
        same.watch(&library[..1]);
        assert_eq!(same.of(End::Caught, "one"), Some(&trace));
        assert_eq!(same.of(End::Integration, "two"), Some(&None));
        assert_eq!(same.of(End::Integration, "one"), None);
        assert_eq!(same.watch(&library[..2]), HashSet::from([2]));
        assert_eq!(same.of(End::Caught, "one"), Some(&trace));
        assert!(same.watch(&library[1..]).is_empty());
        assert_eq!(same.of(End::Caught, "one"), None);
        let other = Traces::read(path.clone(), &all("fn f() { g(a < b); h(2) }"));
        std::fs::remove_file(path).unwrap();
        assert_eq!(other.of(End::Caught, "one"), None);
    }
}
