//! Where an experiment runs: its folder, its records, its seed, and whether it is to be quick.

use super::records::{Clock, Record, Records, Unit};
use crate::args::Common;
use crate::progress::say;
use crate::showing::{probe_folder, write_figures};
use crate::{interrupt, output};
use anyhow::{Result, bail};
use ergodict_report::Report;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The name of the file of records.
const RECORDS: &str = "records.jsonl";

/// The flags that every experiment has.
#[derive(clap::Args)]
pub(super) struct Where {
    /// Small, embedded data and short runs: to see how it goes
    #[arg(long)]
    pub(super) quick: bool,
    /// The folder to write to, which is made where it is missing
    #[arg(short, long, value_name = "DIR")]
    pub(super) out: PathBuf,
    /// Write each figure of the page as an .svg file into this folder, which is made where it is missing
    #[arg(long, value_name = "DIR", hide_short_help = true)]
    figures: Option<PathBuf>,
}

/// The folder of a run, with what was done there.
pub(super) struct Place<'a> {
    pub(super) folder: &'a Path,
    pub(super) quick: bool,
    pub(super) common: &'a Common,
    figures: Option<&'a Path>,
    records: Records,
}

/// What a piece of work came to, and how long it took when it was done.
pub(super) struct Done<T> {
    pub(super) outcome: T,
    pub(super) seconds: f64,
    /// Time of all processors, or wall time where that is not known.
    pub(super) cpu_seconds: f64,
    /// Whether it was done now.
    pub(super) new: bool,
}

impl<'a> Place<'a> {
    /// Makes the folder and reads what is there.
    pub(super) fn open(at: &'a Where, common: &'a Common) -> Result<Self> {
        probe_folder("-o", &at.out)?;
        at.figures.iter().try_for_each(|folder| probe_folder("--figures", folder))?;
        std::fs::create_dir_all(&at.out).map_err(ergodict::Error::io(&at.out))?;
        let records = Records::open(at.out.join(RECORDS))?;
        interrupt::listen();
        Ok(Self { folder: &at.out, quick: at.quick, common, figures: at.figures.as_deref(), records })
    }

    /// The outcome of a piece of work: the recorded one when there is one with the same settings, or one made now and
    /// recorded. `settings` hold all that the outcome depends on but for `seed`; `files` are the names of those that
    /// `make` writes into the folder. None when somebody asked to stop.
    pub(super) fn unit<T: Serialize + DeserializeOwned>(
        &mut self,
        (experiment, name, seed): (&str, &str, u64),
        settings: Value,
        files: &[String],
        make: impl FnOnce() -> Result<Option<T>>,
    ) -> Result<Option<Done<T>>> {
        let unit = Unit { experiment, name, seed, settings };
        if let Some(done) = self.records.find(&unit).and_then(Done::of) {
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
        let done = self.records.find(&unit).and_then(Done::of);
        let done = done.ok_or_else(|| {
            anyhow::anyhow!("{}: {experiment} {name} cannot be read back", self.records.path().display())
        })?;
        Ok(Some(Done { new: true, ..done }))
    }

    /// Writes a page of that name, and its figures where they are wanted; where it is.
    pub(super) fn write(&self, name: &str, report: &Report) -> Result<PathBuf> {
        let page = self.folder.join(name);
        output::write(&page, &report.render())?;
        self.figures.map_or(Ok(()), |folder| write_figures(report, folder))?;
        Ok(page)
    }

    /// A line for people, unless they want none.
    pub(super) fn talk(&self, line: &str) {
        if !self.common.quiet {
            say(line);
        }
    }

    /// Where the records are.
    pub(super) fn records(&self) -> &Path {
        self.records.path()
    }
}

impl<T: DeserializeOwned> Done<T> {
    fn of(record: &Record) -> Option<Self> {
        let outcome = record.outcome()?;
        let (seconds, cpu_seconds) = (record.seconds, record.cpu_seconds.unwrap_or(record.seconds));
        Some(Self { outcome, seconds, cpu_seconds, new: false })
    }
}
