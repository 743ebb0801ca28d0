//! What was measured, a line of JSON with its digest for each piece of work, so that a second call does only what is missing.

use anyhow::Result;
use ergodict::Error;
use ergodict::data::{digest, open_json, read_whole, seal_json};
use ergodict_terminal::output;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// A piece of work that was done.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Record {
    /// The experiment, as its verb is called.
    pub(crate) experiment: String,
    /// Which piece of it.
    pub(crate) unit: String,
    pub(crate) version: String,
    pub(crate) seed: u64,
    /// All that the outcome depends on, but for version and seed.
    pub(crate) settings: Value,
    /// Files that belong to it, next to this one.
    files: Vec<Left>,
    /// Threads it could use.
    pub(crate) threads: usize,
    /// How long it took.
    pub(crate) seconds: f64,
    /// Time of all processors together, where the system reports it.
    pub(crate) cpu_seconds: Option<f64>,
    outcome: Value,
}

/// A file that a piece of work left.
#[derive(Clone, Serialize, Deserialize)]
struct Left {
    name: String,
    digest: String,
}

/// All records of a folder.
pub(crate) struct Records {
    path: PathBuf,
    all: Vec<Record>,
}

/// The name of a piece of work, and all that its outcome depends on.
pub(crate) struct Unit<'a> {
    pub(crate) experiment: &'a str,
    pub(crate) name: &'a str,
    pub(crate) seed: u64,
    pub(crate) settings: Value,
}

impl Records {
    /// The records of the file at `path`, none when there is no such file.
    pub(crate) fn open(path: PathBuf) -> Result<Self> {
        let all = read(&path)?;
        Ok(Self { path, all })
    }

    /// Where they are.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The record of a piece of work that this version did with these settings, if all its files are still as they were.
    pub(crate) fn find(&self, unit: &Unit<'_>) -> Option<&Record> {
        let same = |record: &&Record| {
            record.version == env!("CARGO_PKG_VERSION")
                && (&*record.experiment, &*record.unit) == (unit.experiment, unit.name)
                && (record.seed, &record.settings) == (unit.seed, &unit.settings)
        };
        let record = self.all.iter().rev().find(same)?;
        let folder = self.path.parent().unwrap_or(Path::new(""));
        let unchanged =
            |left: &Left| digest(&folder.join(&left.name)).is_ok_and(|digest| digest == left.digest);
        record.files.iter().all(unchanged).then_some(record)
    }

    /// Adds a record and rewrites the whole file. Runs that share a folder take turns, and none loses what another added.
    pub(crate) fn add(
        &mut self,
        unit: &Unit<'_>,
        times: &Times,
        files: &[String],
        outcome: Value,
    ) -> Result<()> {
        let folder = self.path.parent().unwrap_or(Path::new(""));
        let left = |name: &String| -> Result<Left> {
            Ok(Left { name: name.clone(), digest: digest(&folder.join(name))? })
        };
        let record = Record {
            experiment: unit.experiment.to_owned(),
            unit: unit.name.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            seed: unit.seed,
            settings: unit.settings.clone(),
            files: files.iter().map(left).collect::<Result<_>>()?,
            threads: rayon::current_num_threads(),
            seconds: times.seconds,
            cpu_seconds: times.cpu_seconds,
            outcome,
        };
        let _turn = turn(folder);
        self.all = read(&self.path)?;
        self.all.push(record);
        let mut text = String::new();
        for record in &self.all {
            let _ = writeln!(text, "{}", seal_json(&serde_json::to_string(record)?));
        }
        output::write(&self.path, &text)
    }
}

fn read(path: &Path) -> Result<Vec<Record>> {
    let mut all = Vec::new();
    if path.exists() {
        let text = String::from_utf8_lossy(&read_whole(path)?).into_owned();
        for (line, row) in (1u64..).zip(text.lines()) {
            let problem = || {
                let what = "is no record of ours, or damaged: move the file away to start again";
                Error::format(path, Some(line), what)
            };
            let record = open_json(row).ok_or_else(problem)?;
            all.push(serde_json::from_str(&record).map_err(|_| problem())?);
        }
    }
    Ok(all)
}

/// Waits for other processes that write into the folder; they wait until this is dropped. None where folders cannot be locked.
fn turn(folder: &Path) -> Option<std::fs::File> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let file = std::fs::File::open(folder).ok()?;
    file.lock().ok()?;
    Some(file)
}

impl Record {
    /// What came of it; none when it is of another shape than it was written with.
    pub(crate) fn outcome<T: DeserializeOwned>(&self) -> Option<T> {
        T::deserialize(&self.outcome).ok()
    }
}

/// How long a piece of work took.
pub(crate) struct Times {
    seconds: f64,
    cpu_seconds: Option<f64>,
}

/// A clock that was started.
pub(crate) struct Clock {
    wall: std::time::Instant,
    cpu: Option<f64>,
}

impl Clock {
    pub(crate) fn start() -> Self {
        Self { wall: std::time::Instant::now(), cpu: cpu_seconds() }
    }

    pub(crate) fn stop(&self) -> Times {
        let cpu_seconds = self.cpu.zip(cpu_seconds()).map(|(before, now)| now - before);
        Times { seconds: self.wall.elapsed().as_secs_f64(), cpu_seconds }
    }
}

/// Processor time of this process, all threads together.
#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "other systems do not report it")]
fn cpu_seconds() -> Option<f64> {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Some(time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64)
}

#[cfg(not(unix))]
fn cpu_seconds() -> Option<f64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn unit(settings: Value) -> Unit<'static> {
        Unit { experiment: "figure-x", name: "one", seed: 3, settings }
    }

    #[test]
    fn a_record_is_found_again_only_with_the_same_settings_and_its_files() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("records.jsonl");
        let mut records = Records::open(path.clone()).unwrap();
        assert!(records.find(&unit(json!({ "k": 0.1 }))).is_none());
        std::fs::write(folder.path().join("a.bin"), "atoms").unwrap();
        let times = Clock::start().stop();
        records.add(&unit(json!({ "k": 0.1 })), &times, &["a.bin".into()], json!([0.25])).unwrap();

        let records = Records::open(path).unwrap();
        let found = records.find(&unit(json!({ "k": 0.1 }))).unwrap();
        assert_eq!(found.outcome::<Vec<f64>>(), Some(vec![0.25]));
        assert_eq!(found.outcome::<String>(), None);
        assert!(records.find(&unit(json!({ "k": 0.2 }))).is_none());
        assert!(records.find(&Unit { seed: 4, ..unit(json!({ "k": 0.1 })) }).is_none());
        assert!(records.find(&Unit { name: "two", ..unit(json!({ "k": 0.1 })) }).is_none());
        std::fs::write(folder.path().join("a.bin"), "others").unwrap();
        assert!(records.find(&unit(json!({ "k": 0.1 }))).is_none());
    }

    #[test]
    fn runs_that_share_a_folder_keep_what_each_added() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("records.jsonl");
        let mut both = [Records::open(path.clone()).unwrap(), Records::open(path.clone()).unwrap()];
        for (name, records) in ["one", "two"].into_iter().zip(&mut both) {
            let unit = Unit { name, ..unit(json!({})) };
            records.add(&unit, &Clock::start().stop(), &[], json!(name)).unwrap();
        }
        let records = Records::open(path).unwrap();
        let found = ["one", "two"].map(|name| records.find(&Unit { name, ..unit(json!({})) }).is_some());
        assert_eq!(found, [true, true]);
    }

    #[test]
    fn a_record_is_right_or_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("records.jsonl");
        let mut records = Records::open(path.clone()).unwrap();
        records.add(&unit(json!({})), &Clock::start().stop(), &[], json!(0.25)).unwrap();
        let whole = std::fs::read(&path).unwrap();
        let outcome = || {
            let records = Records::open(path.clone())?;
            anyhow::Ok(records.find(&unit(json!({}))).and_then(Record::outcome::<f64>))
        };
        assert_eq!(outcome().unwrap(), Some(0.25));
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 1 << (at % 8);
            std::fs::write(&path, &bytes).unwrap();
            // A changed end of the line is the only harmless place.
            assert!(outcome().is_err() || at + 1 == whole.len(), "byte {at}");
            std::fs::write(&path, &whole[..at]).unwrap();
            // What is not there is run again.
            assert!(at == 0 || outcome().is_err() || at + 1 == whole.len(), "a cut at {at}");
        }
    }

    #[test]
    fn a_line_that_is_no_record_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("records.jsonl");
        std::fs::write(&path, "{}\n").unwrap();
        let error = Records::open(path).err().unwrap().to_string();
        assert!(error.contains("records.jsonl:1"), "{error}");
    }
}
