//! The flags of reports, and how a report is written: as a page, and as a file for each of its figures.

use crate::{maps, output, paths};
use anyhow::Result;
use ergodict_report::Report;
pub(crate) use ergodict_terminal::figures::{names, probe as probe_folder, write as write_figures};
use std::path::PathBuf;

/// The flags.
#[derive(clap::Args)]
pub(crate) struct ReportArgs {
    /// Write a report: findings, figures and diagnostics in one HTML file
    #[arg(long, value_name = "FILE.html")]
    pub(crate) report: Option<PathBuf>,
    /// Write each figure of the report as an .svg file into this folder, created if missing
    #[arg(long, value_name = "DIR", hide_short_help = true)]
    pub(crate) figures: Option<PathBuf>,
}

impl ReportArgs {
    /// The page and the folder, among what is written.
    pub(crate) fn outputs(&self) -> impl Iterator<Item = paths::NamedPath<'_>> {
        let report = self.report.as_deref().map(|path| ("--report", path));
        report.into_iter().chain(self.figures.as_deref().map(|path| ("--figures", path)))
    }

    /// Refuses to show pictures of more places than can be drawn.
    pub(crate) fn drawable(&self, shape: (usize, usize)) -> Result<()> {
        self.outputs().try_for_each(|(flag, _)| maps::drawable(flag, shape))
    }

    /// Whether anything is to be shown.
    pub(crate) fn wanted(&self) -> bool {
        self.outputs().next().is_some()
    }

    /// What was written, for the words at the end.
    pub(crate) fn lines(&self) -> Vec<(&'static str, String)> {
        let line =
            |name, path: &Option<PathBuf>| path.as_ref().map(|path| (name, path.display().to_string()));
        [line("report", &self.report), line("figures", &self.figures)].into_iter().flatten().collect()
    }

    /// Writes what was asked for; the report is made only then.
    pub(crate) fn write(&self, report: impl FnOnce() -> Result<Report>) -> Result<()> {
        self.write_unless_stopped(|| report().map(Some)).map(|_| ())
    }

    /// The same for a report whose making may be interrupted: nothing is written and false returned then.
    pub(crate) fn write_unless_stopped(
        &self,
        report: impl FnOnce() -> Result<Option<Report>>,
    ) -> Result<bool> {
        if !self.wanted() {
            return Ok(true);
        }
        let Some(report) = report()? else { return Ok(false) };
        if let Some(path) = &self.report {
            output::write(path, &report.render())?;
        }
        if let Some(folder) = &self.figures {
            write_figures(&report, folder)?;
        }
        Ok(true)
    }
}

/// Finds out before the work, not after it, whether all outputs can be written; that of `--figures` is a folder.
pub(crate) fn probe(outputs: &[paths::NamedPath<'_>]) -> Result<()> {
    crate::rescue::plan(outputs);
    outputs.iter().try_for_each(|(flag, path)| match *flag {
        "--figures" => probe_folder(flag, path),
        _ => output::probe(path),
    })
}
