//! The flags of reports, and how a report is written: as a page, and as a file for each of its figures.

use crate::{maps, output, paths};
use anyhow::{Result, anyhow, bail};
use ergodict_report::Report;
use std::path::{Path, PathBuf};

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
    /// The page and the folder, among what is written.
    pub(crate) fn outputs(&self) -> impl Iterator<Item = paths::Given<'_>> {
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

/// Writes each figure of a report into a folder, which is made where it is missing.
pub(crate) fn write_figures(report: &Report, folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder).map_err(ergodict::Error::io(folder))?;
    let names = names(report.figures().iter().map(|(title, _)| &**title));
    names.iter().zip(report.figures()).try_for_each(|(name, (_, svg))| output::write(&folder.join(name), svg))
}

/// Finds out before the work, not after it, whether all outputs can be written; that of `--figures` is a folder.
pub(crate) fn probe(outputs: &[paths::Given<'_>]) -> Result<()> {
    crate::rescue::plan(outputs);
    outputs.iter().try_for_each(|(flag, path)| match *flag {
        "--figures" => probe_folder(flag, path),
        _ => output::probe(path),
    })
}

/// Finds out whether files can be written into a folder that may have to be made. Leaves nothing behind.
pub(crate) fn probe_folder(flag: &str, folder: &Path) -> Result<()> {
    if output::is_standard(folder) {
        bail!("{flag} is -, but several files are written: name a folder");
    }
    let whole = std::path::absolute(folder)?;
    let there = whole.ancestors().find(|path| path.exists()).unwrap_or(&whole);
    if !there.is_dir() {
        bail!("{flag} {}: {} is a file: expected a folder", folder.display(), there.display());
    }
    output::probe(&there.join("figure.svg")).map_err(|error| {
        let reason = error.downcast_ref::<ergodict::Error>().and_then(|error| match error {
            ergodict::Error::Io { source, .. } => Some(output::in_words(source)),
            _ => None,
        });
        let reason = reason.unwrap_or_else(|| error.to_string());
        anyhow!("{flag} {}: nothing can be written into {}: {reason}", folder.display(), there.display())
    })
}

/// The names of files for figures with these titles; those that are the same are numbered.
pub(crate) fn names<'a>(titles: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for title in titles {
        let plain = plain(title);
        let numbered = (2..).map(|n| format!("{plain}-{n}.svg"));
        let name = std::iter::once(format!("{plain}.svg")).chain(numbered).find(|name| !names.contains(name));
        names.extend(name);
    }
    names
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
    use super::*;

    #[test]
    fn titles_become_names_of_files() {
        assert_eq!(
            plain("Temperature 2.26: A configuration, rebuilt"),
            "temperature-2.26-a-configuration-rebuilt"
        );
    }

    #[test]
    fn equal_titles_are_numbered() {
        let found = names(["A b", "Loss", "a: b", "a-b-2", "A B"].into_iter());
        assert_eq!(found, ["a-b.svg", "loss.svg", "a-b-2.svg", "a-b-2-2.svg", "a-b-3.svg"]);
    }

    #[test]
    fn folders_are_made_but_not_out_of_files() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("file"), "").unwrap();
        assert!(probe_folder("--figures", folder.path()).is_ok());
        assert!(probe_folder("--figures", &folder.path().join("a/b")).is_ok());
        assert!(probe_folder("--figures", &folder.path().join("file")).is_err());
        assert!(probe_folder("--figures", &folder.path().join("file/b")).is_err());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
