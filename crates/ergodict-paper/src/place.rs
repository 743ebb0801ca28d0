//! Where an experiment runs: its folder, its records, its seed, and whether it is to be quick.

use super::records::{Clock, Record, Records, Unit};
use anyhow::{Result, bail};
use ergodict_report::Report;
use ergodict_terminal::Common;
use ergodict_terminal::figures;
use ergodict_terminal::progress::say;
use ergodict_terminal::{interrupt, output};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The name of the file of records.
const RECORDS: &str = "records.jsonl";

/// What a page says of a run that was quick.
const QUICK: &str = "\n\n\
    This was a quick run: small data of our own, or fewer and shorter runs than the paper's. What the paper says cannot be judged by it, so that most \
    verdicts are “not comparable”; the last column has the rule by which they are made when --quick is left out.";

/// The flags that every experiment has.
#[derive(clap::Args)]
pub(crate) struct Where {
    /// Small, embedded data and short runs: to see how it goes
    #[arg(long)]
    pub(crate) quick: bool,
    /// The folder to write to, created if missing
    #[arg(short, long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// Write each figure of the report as an .svg file into this folder, created if missing
    #[arg(long, value_name = "DIR", hide_short_help = true)]
    figures: Option<PathBuf>,
}

/// The folder of a run, with what was done there.
pub(crate) struct Place<'a> {
    pub(crate) folder: &'a Path,
    pub(crate) quick: bool,
    pub(crate) common: &'a Common,
    figures: Option<&'a Path>,
    records: Records,
}

/// What a piece of work came to, and how long it took when it was done.
pub(crate) struct Done<T> {
    pub(crate) outcome: T,
    pub(crate) seconds: f64,
    /// Time of all processors, or wall time where that is not known.
    pub(crate) cpu_seconds: f64,
    /// Whether it was done now.
    pub(crate) new: bool,
}

impl<'a> Place<'a> {
    /// Makes the folder and reads what is there.
    pub(crate) fn open(at: &'a Where, common: &'a Common) -> Result<Self> {
        figures::probe("-o", &at.out)?;
        at.figures.iter().try_for_each(|folder| figures::probe("--figures", folder))?;
        std::fs::create_dir_all(&at.out).map_err(ergodict::Error::io(&at.out))?;
        let records = Records::open(at.out.join(RECORDS))?;
        interrupt::listen();
        Ok(Self { folder: &at.out, quick: at.quick, common, figures: at.figures.as_deref(), records })
    }

    /// The outcome of a piece of work: the recorded one when there is one with the same settings, or one made now and
    /// recorded. `settings` hold all that the outcome depends on but for `seed`; `files` are the names of those that
    /// `make` writes into the folder. None when someone asked to stop.
    pub(crate) fn unit<T: Serialize + DeserializeOwned>(
        &mut self,
        (experiment, name, seed): (&str, &str, u64),
        settings: Value,
        files: &[String],
        make: impl FnOnce() -> Result<Option<T>>,
    ) -> Result<Option<Done<T>>> {
        let unit = Unit { experiment, name, seed, settings };
        if let Some(done) = self.records.find(&unit).and_then(Done::from_record) {
            return Ok(Some(done));
        }
        if interrupt::asked() {
            return Ok(None);
        }
        let clock = Clock::start();
        let Some(outcome) = make()? else { return Ok(None) };
        let outcome = serde_json::to_value(outcome)?;
        if T::deserialize(&outcome).is_err() {
            bail!(
                "{experiment} {name}: there are numbers in it that are none, so that it cannot be recorded"
            );
        }
        // Read back as a later call will: both show the same.
        self.records.add(&unit, &clock.stop(), files, outcome)?;
        let done = self.records.find(&unit).and_then(Done::from_record);
        let done = done.ok_or_else(|| {
            anyhow::anyhow!("{}: {experiment} {name} cannot be read back", self.records.path().display())
        })?;
        Ok(Some(Done { new: true, ..done }))
    }

    /// Writes a page of that name, and its figures where they are wanted; where it is.
    pub(crate) fn write(&self, name: &str, report: &Report) -> Result<PathBuf> {
        let page = self.folder.join(name);
        output::write(&page, &report.render())?;
        self.figures.map_or(Ok(()), |folder| figures::write(report, folder))?;
        Ok(page)
    }

    /// What a page adds to its lead when it was quick.
    pub(crate) fn quick_words(&self) -> &'static str {
        if self.quick { QUICK } else { "" }
    }

    /// A line for people, unless they want none.
    pub(crate) fn talk(&self, line: &str) {
        if !self.common.quiet {
            say(line);
        }
    }

    /// Where the records are.
    pub(crate) fn records(&self) -> &Path {
        self.records.path()
    }
}

impl<T: DeserializeOwned> Done<T> {
    fn from_record(record: &Record) -> Option<Self> {
        let outcome = record.outcome()?;
        let (seconds, cpu_seconds) = (record.seconds, record.cpu_seconds.unwrap_or(record.seconds));
        Some(Self { outcome, seconds, cpu_seconds, new: false })
    }
}
