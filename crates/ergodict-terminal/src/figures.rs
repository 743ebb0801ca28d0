//! The figures of a page as files of a folder.

use crate::output;
use anyhow::{Result, anyhow, bail};
use ergodict_report::Report;
use std::path::Path;

/// Writes each figure of a report into a folder, created if missing.
pub fn write(report: &Report, folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder).map_err(ergodict::Error::io(folder))?;
    let names = names(report.figures().iter().map(|(title, _)| &**title));
    names.iter().zip(report.figures()).try_for_each(|(name, (_, svg))| output::write(&folder.join(name), svg))
}

/// Finds out whether files can be written into a folder that may have to be made. Leaves nothing behind.
pub fn probe(flag: &str, folder: &Path) -> Result<()> {
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
pub fn names<'a>(titles: impl Iterator<Item = &'a str>) -> Vec<String> {
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
            plain("Temperature 2.26: A configuration, drawn"),
            "temperature-2.26-a-configuration-drawn"
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
        assert!(probe("--figures", folder.path()).is_ok());
        assert!(probe("--figures", &folder.path().join("a/b")).is_ok());
        assert!(probe("--figures", &folder.path().join("file")).is_err());
        assert!(probe("--figures", &folder.path().join("file/b")).is_err());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
