//! The flags of reports, and how a report is written: as a page, and as a file for each of its figures.

use crate::{output, paths};
use anyhow::Result;
use ergodict_report::Report;
use std::path::PathBuf;

/// The flags.
#[derive(clap::Args)]
pub(crate) struct Showing {
    /// Write a page to look at: curves and pictures with what was run
    #[arg(long, value_name = "FILE.html")]
    pub(crate) report: Option<PathBuf>,
    /// Write each figure of the page as an .svg file into this folder, which is made where it is missing
    #[arg(long, value_name = "DIR", hide_short_help = true)]
    pub(crate) figures: Option<PathBuf>,
}

impl Showing {
    /// The page, among what is written.
    pub(crate) fn outputs(&self) -> Option<paths::Given<'_>> {
        self.report.as_deref().map(|path| ("--report", path))
    }

    /// Writes what was asked for; the report is made only then.
    pub(crate) fn write(&self, report: impl FnOnce() -> Result<Report>) -> Result<()> {
        if self.report.is_none() && self.figures.is_none() {
            return Ok(());
        }
        let report = report()?;
        if let Some(path) = &self.report {
            output::write(path, &report.render())?;
        }
        if let Some(folder) = &self.figures {
            std::fs::create_dir_all(folder).map_err(ergodict::Error::io(folder))?;
            for (title, svg) in report.figures() {
                output::write(&folder.join(format!("{}.svg", plain(title))), svg)?;
            }
        }
        Ok(())
    }
}

/// A title as the name of a file: `Temperature 2.26: Loss` gives `temperature-2.26-loss`.
fn plain(title: &str) -> String {
    let keep = |c: char| c.is_alphanumeric() || c == '.';
    let words: Vec<String> =
        title.split(|c| !keep(c)).filter(|word| !word.is_empty()).map(str::to_lowercase).collect();
    words.join("-")
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn titles_become_names_of_files() {
        assert_eq!(
            plain("Temperature 2.26: A configuration, rebuilt"),
            "temperature-2.26-a-configuration-rebuilt"
        );
    }
}
